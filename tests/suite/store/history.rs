//! Snapshots, earlier states, timelines, checkpoints.

use super::support::*;
use proptest::prelude::*;
use wakeful::run::checkpoint::CheckpointKind;
use wakeful::run::state::FOLD_VERSION;
use wakeful::run::*;
use wakeful::store::*;

#[tokio::test]
async fn a_snapshot_stands_at_each_tenth_checkpoint_and_opening_needs_only_what_follows() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    for n in 0..23 {
        run.whole_step(&n.to_string()).await;
    }
    let raw = bench.raw();
    let snapshots: Vec<i64> = raw
        .prepare("SELECT seq FROM snapshots ORDER BY seq")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(snapshots.len(), 2);
    // Without what stands before the last snapshot, the run opens all the same.
    raw.execute("UPDATE events SET payload = x'00' WHERE seq < ?1", [snapshots[1] - 1]).unwrap();
    let loaded = bench.again().load(&run.run).await.unwrap();
    assert_eq!((loaded.damage, loaded.state), (None, run.state));
}

#[tokio::test]
async fn a_snapshot_that_does_not_fit_is_passed_over() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    for n in 0..12 {
        run.whole_step(&n.to_string()).await;
    }
    let raw = bench.raw();
    for change in [
        "UPDATE snapshots SET fold_version = 999",
        &format!("UPDATE snapshots SET fold_version = {FOLD_VERSION}, data = x'2a00'"),
        "UPDATE snapshots SET data = x'2a00', sum = zeroblob(32)",
        "UPDATE blobs SET data = x'00'",
    ] {
        raw.execute(change, []).unwrap();
        let loaded = bench.again().load(&run.run).await.unwrap();
        assert_eq!((loaded.damage, loaded.state), (None, run.state.clone()), "{change}");
    }
    assert_eq!(bench.store.rebuild_derived().await.unwrap(), vec![]);
    let fresh: i64 = raw
        .query_row("SELECT count(seq) FROM snapshots WHERE fold_version = ?1", [FOLD_VERSION], |r| r.get(0))
        .unwrap();
    assert_eq!(fresh, 1);
    assert_eq!(bench.store.verify_all().await.unwrap(), vec![]);
}

/// The JSON of a snapshot, told from outside the program: a zstd frame without its magic number, then its codec.
fn unpacked(stored: &[u8]) -> Vec<u8> {
    let (codec, frame) = stored.split_last().unwrap();
    assert_eq!(*codec, 2);
    let frame = [&[0x28, 0xb5, 0x2f, 0xfd], frame].concat();
    let dictionary = include_bytes!("../../../src/store/events-1.dict");
    zstd::bulk::Decompressor::with_dictionary(dictionary).unwrap().decompress(&frame, 1 << 20).unwrap()
}

#[tokio::test]
async fn a_snapshot_that_reads_well_and_says_something_else_is_not_believed() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    for n in 0..12 {
        run.whole_step(&n.to_string()).await;
    }
    let raw = bench.raw();
    let stored: Vec<u8> = raw.query_row("SELECT data FROM snapshots", [], |row| row.get(0)).unwrap();
    let text = String::from_utf8(unpacked(&stored)).unwrap();
    let told = text.replacen("\"step\":9", "\"step\":7", 1);
    assert_ne!(told, text);
    let told = [told.as_bytes(), &[0]].concat();
    raw.execute("UPDATE snapshots SET data = ?1", [&told]).unwrap();
    assert_eq!(bench.again().load(&run.run).await.unwrap().state, run.state, "its hash is another");
    let sum: Vec<u8> = raw.query_row("SELECT sum FROM snapshots", [], |row| row.get(0)).unwrap();
    let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    let told = String::from_utf8(told).unwrap().replacen(&sum, &"0".repeat(64), 1).into_bytes();
    let hash = blake3::hash(&told);
    raw.execute("UPDATE snapshots SET data = ?1", [&told]).unwrap();
    raw.execute("UPDATE snapshots SET hash = ?1, sum = zeroblob(32)", [hash.as_bytes()]).unwrap();
    assert_eq!(bench.again().load(&run.run).await.unwrap().state, run.state, "it stands on another history");
}

#[tokio::test]
async fn rolling_back_starts_a_timeline_and_every_earlier_state_can_be_had() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let mut then = Vec::new();
    for n in 0..4 {
        run.whole_step(&n.to_string()).await;
        then.push(run.state.clone());
    }
    run.roll_back(2).await;
    assert_eq!((run.state.path.step, run.state.head.timeline), (2, 2));
    assert_eq!(run.state.path.messages, then[1].path.messages);
    assert_eq!(run.state.ledger.totals.steps, 4);
    run.whole_step("again").await;
    let at = |text: &str| {
        let (step, timeline) = match text.split_once('@') {
            Some((step, timeline)) => (step, Some(timeline.parse().unwrap())),
            None => (text, None),
        };
        StepRef { timeline, step: step.parse().unwrap() }
    };
    for (name, state) in
        [("1", &then[0]), ("2", &then[1]), ("3@1", &then[2]), ("4@1", &then[3]), ("3", &run.state)]
    {
        let found = bench.store.resolve_step(&run.run, at(name)).await.unwrap();
        assert_eq!(found.seq, state.head.seq, "{name}");
        assert_eq!(bench.store.state_at(&run.run, found.seq).await.unwrap(), **state, "{name}");
    }
    let missing = bench.store.resolve_step(&run.run, at("4")).await;
    assert!(matches!(missing, Err(StoreError::NoCheckpoint { .. })), "{missing:?}");
    assert_eq!(bench.store.resolve_step(&run.run, at("0")).await.unwrap().seq, 1);

    let kinds: Vec<_> =
        bench.store.checkpoints(&run.run).await.unwrap().iter().map(|row| row.checkpoint.kind).collect();
    use CheckpointKind::{BeforeRollback, Start, Step};
    assert_eq!(kinds, [Start, Step, Step, Step, Step, BeforeRollback, Step]);

    let chain = bench.store.chain(&run.run, None, 1000).await.unwrap();
    assert!(chain.iter().all(|e| e.seq <= then[1].head.seq || e.timeline == 2));
    assert_eq!(chain.first().unwrap().seq, 1);
    assert!(chain.windows(2).all(|pair| pair[1].parent == pair[0].seq));
    let tail = bench.store.chain(&run.run, None, 10).await.unwrap();
    assert_eq!(tail, chain[chain.len() - 10..]);
    assert_eq!(bench.store.verify(&run.run).await.unwrap(), vec![]);
}

/// One thing that happens to a run; what cannot happen now is left out.
async fn act(run: &mut Driver, choice: u8) {
    match choice % 9 {
        0 | 1 => drop(run.whole_step(&format!("{choice}")).await),
        2 => {
            let id = run.waiting(&format!("ask {choice}")).await;
            let denied = Event::CallDenied { call_id: id, reason: "no".to_owned(), result: result("no") };
            run.put(vec![denied]).await;
            run.end_step().await;
        }
        3 => {
            let to = u32::from(choice) % (run.state.path.step + 1);
            run.roll_back(to).await;
        }
        4 => {
            run.store.release(&run.run, run.state.ledger.epoch, run.now).await.unwrap();
            let claim = run.store.claim(&run.run, &WorkerId::new("w-1"), run.now).await.unwrap();
            let Claim::Owned(loaded) = claim else { panic!("held") };
            run.state = loaded.state;
        }
        5 => {
            let version = run.state.path.goal_version + 1;
            let goal = Goal { text: format!("goal {choice}"), ..Goal::default() };
            run.put(vec![Event::GoalEdited { version, goal }]).await;
        }
        6 => run.put(vec![Event::PersonMessage { body: Body::Inline("hello".to_owned()), tokens: 2 }]).await,
        7 => run.put(vec![Event::Paused { now: false }, Event::Continued]).await,
        _ => {
            // A call of an abandoned timeline stays open over a rollback.
            let id = run.propose(Class::Read, "look").await;
            run.put(vec![run.approve(&id), run.start(&id, Vec::new())]).await;
            run.put(vec![run.finish(&id, "seen")]).await;
            run.end_step().await;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn snapshots_tail_and_refold_always_agree(choices in proptest::collection::vec(any::<u8>(), 1..30)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let bench = Bench::new();
            let mut run = bench.run("aaaa").await;
            for choice in choices {
                act(&mut run, choice).await;
            }
            assert_eq!(*bench.store.load(&run.run).await.unwrap().state, *run.state);
            assert_eq!(bench.store.verify(&run.run).await.unwrap(), vec![]);
            bench.raw().execute("DELETE FROM snapshots", []).unwrap();
            assert_eq!(*bench.again().load(&run.run).await.unwrap().state, *run.state);
            assert_eq!(bench.store.rebuild_derived().await.unwrap(), vec![]);
            assert_eq!(bench.store.verify(&run.run).await.unwrap(), vec![]);
        });
    }
}
