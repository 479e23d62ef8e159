//! Ownership: from the dead at once, from the living never, and an old epoch writes nothing.

use super::support::*;
use wakeful::run::*;
use wakeful::store::*;

#[tokio::test]
async fn a_run_is_taken_from_a_dead_owner_and_never_from_a_living_one() {
    let bench = Bench::new();
    let run = bench.run("aaaa").await;
    bench.living.lock().unwrap().insert("w-1".to_owned());
    let other = bench.again();
    let held = other.claim(&run.run, &WorkerId::new("w-2"), 9).await.unwrap();
    let Claim::HeldBy { worker, since } = held else { panic!("{held:?}") };
    assert_eq!((worker.as_str(), since), ("w-1", 1_001));
    assert_eq!(bench.store.load(&run.run).await.unwrap().state.head, run.state.head);

    bench.living.lock().unwrap().clear();
    let taken = other.claim(&run.run, &WorkerId::new("w-2"), 10).await.unwrap();
    let Claim::Owned(loaded) = taken else { panic!("{taken:?}") };
    assert_eq!(loaded.state.ledger.epoch, run.state.ledger.epoch + 1);

    // What the old one still holds counts for nothing any more.
    let late = bench.store.release(&run.run, run.state.ledger.epoch, 11).await;
    assert!(matches!(late, Err(StoreError::Stale { .. })), "{late:?}");
    let state = other.release(&run.run, loaded.state.ledger.epoch, 12).await.unwrap();
    assert_eq!(state.ledger.owner, None);
    let unowned = bench.store.release(&run.run, loaded.state.ledger.epoch, 13).await;
    assert!(matches!(unowned, Err(StoreError::Stale { .. })), "{unowned:?}");
}

#[tokio::test]
async fn of_many_who_claim_at_once_one_gets_it() {
    let bench = Bench::new();
    let run = bench.run("aaaa").await;
    let mut tasks = Vec::new();
    for n in 0..8 {
        let name = format!("w-x{n}");
        bench.living.lock().unwrap().insert(name.clone());
        let store = bench.again();
        let id = run.run.clone();
        tasks.push(tokio::spawn(async move { store.claim(&id, &WorkerId::new(name), 20).await.unwrap() }));
    }
    let mut owned = 0;
    for task in tasks {
        match task.await.unwrap() {
            Claim::Owned(_) => owned += 1,
            Claim::HeldBy { worker, .. } => assert!(worker.as_str().starts_with("w-x")),
        }
    }
    assert_eq!(owned, 1);
}
