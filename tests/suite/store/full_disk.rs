//! A full disk: nothing is half written, the results of started calls still are, and it goes on once there is room.

use super::support::*;
use crate::suite::small_disk::Small;
use std::sync::Arc;
use wakeful::run::*;
use wakeful::store::*;

fn long(n: usize) -> String {
    (0..40).map(|i| Hash::of(format!("{n} {i}").as_bytes()).to_string()).collect()
}

#[tokio::test]
async fn a_full_disk_writes_nothing_by_halves_and_results_of_started_calls_still_go_in() {
    let folder = tempfile::tempdir().unwrap();
    let Some(small) = Small::over(folder.path(), 48) else { return };
    let mut options = options(folder.path().join("w.db"), &Arc::default());
    options.ballast = true;
    let store = Store::open(options.clone()).unwrap();
    let ballast = store.dir().join("ballast");
    assert!(ballast.exists());
    let mut run = Driver::create(store.clone(), "aaaa").await;
    run.whole_step("one").await;
    let id = run.propose(Class::Effect, "build").await;
    run.put(vec![run.approve(&id), run.start(&id, Vec::new())]).await;
    small.fill();

    // Room that the log had already is used up first.
    let mut n = 0;
    let full = loop {
        n += 1;
        assert!(n < 20_000, "the disk never filled");
        let says = Event::PersonMessage { body: Body::Inline(long(n)), tokens: 1 };
        if let Err(error) = run.try_commit(run.commit_of(vec![wakeful(says)])).await {
            break error;
        }
    };
    assert!(full.is_full() && full.to_string().contains("disk space"), "{full}");
    assert!(ballast.exists(), "a message does not take the reserve");
    assert_eq!(*store.load(&run.run).await.unwrap().state, *run.state);

    let finished = run.finish(&id, &long(0));
    run.put(vec![finished]).await;
    assert!(!ballast.exists());
    assert_eq!(*store.load(&run.run).await.unwrap().state, *run.state);
    assert_eq!(store.verify_all().await.unwrap(), vec![]);

    small.make_room();
    run.end_step().await;
    assert!(ballast.exists(), "it is back once there is room");
    let again = Store::open(options).unwrap();
    assert_eq!(*again.load(&run.run).await.unwrap().state, *run.state);
}

#[tokio::test]
async fn a_file_that_may_not_grow_refuses_and_goes_on_later() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let store = bench.store.clone();
    let hash = store.put_blob(vec![1; 100]).await.unwrap();
    let before = run.state.clone();
    // Larger than any file: a content whose chunks cannot all be stored leaves no content.
    let folder = tempfile::tempdir().unwrap();
    let Some(_small) = Small::over(folder.path(), 2) else { return };
    let tiny = Store::open(options(folder.path().join("w.db"), &Arc::default())).unwrap();
    let noise: Vec<u8> =
        (0..80_000).flat_map(|n: u32| blake3::hash(&n.to_le_bytes()).as_bytes().to_vec()).collect();
    let full = tiny.put_blob(noise.clone()).await.unwrap_err();
    assert!(full.is_full(), "{full}");
    let half = tiny.blob(&Hash::of(&noise)).await;
    assert!(matches!(half, Err(StoreError::NoBlob { .. })), "{half:?}");
    assert_eq!(tiny.integrity_check().await.unwrap(), vec![]);
    run.put(vec![Event::Continued]).await;
    assert_ne!(run.state.head, before.head);
    assert_eq!(store.blob(&hash).await.unwrap(), vec![1; 100]);
}
