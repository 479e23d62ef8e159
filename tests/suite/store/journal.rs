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

#[tokio::test]
async fn an_event_that_cannot_follow_takes_the_whole_commit_with_it() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let id = run.propose(Class::Effect, "rm").await;
    let before = run.state.clone();
    let illegal = vec![wakeful(run.approve(&id)), wakeful(run.finish(&id, "it was never started"))];
    let refused = run.try_commit(run.commit_of(illegal)).await;
    assert!(matches!(refused, Err(StoreError::Refused { .. })), "{refused:?}");
    let unowned =
        bench.store.create_run(RunId::new("r-b"), vec![wakeful(Event::Continued)], BlobBag::new(), 1).await;
    assert!(matches!(unowned, Err(StoreError::Refused { .. })));
    let twice = bench.store.create_run(run.run.clone(), vec![created("again")], BlobBag::new(), 1).await;
    assert!(matches!(twice, Err(StoreError::Exists { .. })));
    assert_eq!(*bench.store.load(&run.run).await.unwrap().state, *before);
    assert_eq!(bench.store.verify(&run.run).await.unwrap(), vec![]);
    let own = run.commit_of(vec![wakeful(Event::RunClaimed { epoch: 9, worker: WorkerId::new("w-9") })]);
    assert!(matches!(run.try_commit(own).await, Err(StoreError::Refused { .. })));
}

#[tokio::test]
async fn a_content_that_is_not_stored_cannot_be_named() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let body = Body::Blob { hash: Hash::of(b"nowhere"), bytes: 7 };
    let refused =
        run.try_commit(run.commit_of(vec![wakeful(Event::PersonMessage { body, tokens: 1 })])).await;
    let Err(StoreError::Refused { why, .. }) = refused else { panic!("{refused:?}") };
    assert!(why.contains("not stored"), "{why}");
}

#[tokio::test]
async fn an_event_of_a_newer_program_is_kept_counted_and_never_written_behind() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    run.whole_step("one").await;
    // As a newer program would have written it: a right chain over a kind that is unknown here.
    let head = run.state.head.clone();
    let payload = br#"{"dreamed":{"of":"sheep"}}"#;
    let author = "\"wakeful\"";
    let sum = Hash::of_parts(&[
        head.sum.as_str().as_bytes(),
        &(head.seq + 1).to_le_bytes(),
        &1_u32.to_le_bytes(),
        &head.seq.to_le_bytes(),
        b"dreamed",
        &1_u32.to_le_bytes(),
        &77_i64.to_le_bytes(),
        author.as_bytes(),
        Hash::of(payload).as_str().as_bytes(),
    ]);
    let sum = blake3::Hash::from_hex(sum.as_str()).unwrap();
    let raw = bench.raw();
    raw.execute(
        "INSERT INTO events (run_no, seq, timeline, parent, version, codec, at, kind, author, sum, payload)
         SELECT run_no, head_seq + 1, 1, head_seq, 1, 0, 77, 'dreamed', ?1, ?2, ?3 FROM runs",
        rusqlite::params![author, sum.as_bytes(), payload],
    )
    .unwrap();
    raw.execute("UPDATE runs SET head_seq = head_seq + 1, head_sum = ?1", [sum.as_bytes()]).unwrap();

    let loaded = bench.store.load(&run.run).await.unwrap();
    assert_eq!((loaded.damage, loaded.state.ledger.unknown), (None, 1));
    assert_eq!(loaded.state.head.seq, head.seq + 1);
    let kept = bench.store.event(&run.run, head.seq + 1).await.unwrap().unwrap();
    assert_eq!(kept.event, Decoded::Unknown { kind: "dreamed".to_owned(), version: 1 });
    run.state = loaded.state.clone();
    let late = run.try_commit(run.commit_of(vec![wakeful(Event::Continued)])).await;
    assert!(matches!(late, Err(StoreError::ReadOnly { .. })), "{late:?}");
    let claim = bench.store.claim(&run.run, &WorkerId::new("w-3"), 9).await;
    assert!(matches!(claim, Err(StoreError::ReadOnly { .. })), "{claim:?}");
    assert_eq!(bench.store.load(&run.run).await.unwrap().state, loaded.state);
}

#[tokio::test]
async fn two_writers_of_one_run_never_both_win() {
    let bench = Bench::new();
    let run = bench.run("aaaa").await;
    let other = bench.again();
    let mut wins = 0;
    let mut tasks = Vec::new();
    for n in 0..20 {
        let store = if n % 2 == 0 { bench.store.clone() } else { other.clone() };
        let commit = run.commit_of(vec![wakeful(Event::Paused { now: false })]);
        tasks.push(tokio::spawn(async move { store.commit(commit).await }));
    }
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => wins += 1,
            Err(StoreError::Stale { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(wins, 1);
    assert_eq!(bench.store.verify_all().await.unwrap(), vec![]);
}
