//! Commits, the chain of checksums, stale writers, refused moves, snapshots.

use super::support::*;
use wakeful::run::*;
use wakeful::store::*;

#[tokio::test]
async fn what_was_committed_is_loaded_again_here_and_elsewhere() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    for n in 0..3 {
        run.whole_step(&format!("step {n}")).await;
    }
    for store in [bench.store.clone(), bench.again()] {
        let loaded = store.load(&run.run).await.unwrap();
        assert_eq!(loaded.damage, None);
        assert_eq!(*loaded.state, *run.state);
        assert_eq!(loaded.state.path.step, 3);
    }
    let events = bench.store.events(&run.run, 1, Seq::MAX).await.unwrap();
    assert_eq!(events.len() as u64, run.state.head.seq);
    assert!(events.iter().enumerate().all(|(i, e)| e.seq == i as u64 + 1));
    assert_eq!(bench.store.event(&run.run, run.state.head.seq + 1).await.unwrap(), None);
}

#[tokio::test]
async fn a_stale_head_or_epoch_writes_nothing() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let stale = run.clone();
    run.put(vec![run.ask()]).await;
    let other = bench.again();
    for store in [&bench.store, &other] {
        let late = store.commit(stale.commit_of(vec![wakeful(stale.ask())])).await;
        assert!(matches!(late, Err(StoreError::Stale { .. })), "{late:?}");
    }
    // Another worker takes the run over: the first one is not alive in this test.
    let claim = other.claim(&run.run, &WorkerId::new("w-2"), 5).await.unwrap();
    let Claim::Owned(loaded) = claim else { panic!("held") };
    let mut fenced = run.clone();
    fenced.state = loaded.state.clone();
    let mut commit = fenced.commit_of(vec![wakeful(Event::Continued)]);
    commit.epoch = run.state.ledger.epoch;
    let late = bench.store.commit(commit).await;
    assert!(matches!(late, Err(StoreError::Stale { .. })), "{late:?}");
    assert_eq!(*bench.store.load(&run.run).await.unwrap().state, *loaded.state);
    assert!(late.unwrap_err().to_string().contains("w-2"));
}
