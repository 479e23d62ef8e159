//! Death at every fault point of a commit: what was acknowledged is there, nothing is half there, it goes on.
//!
//! The dying process is this test binary again, running [`child`] alone.

use super::support::*;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use wakeful::run::*;
use wakeful::store::*;

const FOLDER: &str = "WAKEFUL_STORE_CHILD";

/// Works until it dies; writes down each head that it was told of. Does nothing unless it was started for that.
#[tokio::test]
async fn child() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let folder = Path::new(&folder);
    let store = Store::open(options(folder.join("w.db"), &Arc::default())).unwrap();
    let told = |run: &Driver| std::fs::write(folder.join("told"), run.state.head.seq.to_string()).unwrap();
    let mut run = Driver::create(store.clone(), "aaaa").await;
    told(&run);
    let noise: Vec<u8> =
        (0..40_000).flat_map(|n: u32| blake3::hash(&n.to_le_bytes()).as_bytes().to_vec()).collect();
    for n in 0..12 {
        run.whole_step(&n.to_string()).await;
        told(&run);
        if n == 2 {
            let hash = store.put_blob(noise.clone()).await.unwrap();
            let body = Body::Blob { hash, bytes: noise.len() as u64 };
            run.put(vec![Event::PersonMessage { body, tokens: 1 }]).await;
            told(&run);
        }
        if n == 6 {
            run.roll_back(3).await;
            told(&run);
        }
    }
    store.close().await.unwrap();
}

async fn survives(fault: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "suite::store::faults::child", "--quiet"])
        .env(FOLDER, folder.path())
        .env("WAKEFUL_FAULT", fault)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    let store = Store::open(options(folder.path().join("w.db"), &Arc::default())).unwrap();
    assert_eq!(store.integrity_check().await.unwrap(), vec![], "{fault}");
    assert_eq!(store.verify_all().await.unwrap(), vec![], "{fault}");
    let Ok(told) = std::fs::read_to_string(folder.path().join("told")) else {
        return !status.success();
    };
    let told: Seq = told.parse().unwrap();
    let id = store.find_run("last").await.unwrap();
    let loaded = store.load(&id).await.unwrap();
    assert!(
        loaded.damage.is_none() && loaded.state.head.seq >= told,
        "{fault}: {} < {told}",
        loaded.state.head.seq
    );
    // The dead one's run is taken over, and what it left open does not stand in the way of writing.
    let claim = store.claim(&id, &WorkerId::new("w-2"), 50).await.unwrap();
    let Claim::Owned(loaded) = claim else { panic!("{fault}: held") };
    let mut run = Driver { store, run: id, state: loaded.state, now: 60 };
    run.put(vec![Event::PersonMessage { body: Body::Inline("go on".to_owned()), tokens: 1 }]).await;
    assert_eq!(run.store.verify_all().await.unwrap(), vec![], "{fault}");
    !status.success()
}

#[tokio::test(flavor = "multi_thread")]
async fn death_at_every_fault_point_loses_nothing_that_was_acknowledged() {
    for point in FAULTS {
        assert!(survives(&format!("{point}:1")).await, "{point} was never passed");
        if !point.contains("blob") {
            for pass in [2, 3, 9, 30, 50] {
                assert!(survives(&format!("{point}:{pass}")).await, "{point}:{pass}");
            }
        }
    }
    assert!(!survives("no.such.point").await, "the child comes to its end when nothing kills it");
}

#[tokio::test(flavor = "multi_thread")]
async fn death_at_random_places_loses_nothing_that_was_acknowledged() {
    for seed in 0..12 {
        survives(&format!("random:{seed}:9:0")).await;
    }
}
