//! Bad rows: found by their checksum, kept and shown, never skipped in silence; the derived is rebuilt.

use super::support::*;
use std::collections::BTreeSet;
use wakeful::run::*;
use wakeful::store::*;

/// Turns one bit of a stored payload.
fn flip(bench: &Bench, seq: Seq) {
    let raw = bench.raw();
    let mut payload: Vec<u8> =
        raw.query_row("SELECT payload FROM events WHERE seq = ?1", [seq as i64], |row| row.get(0)).unwrap();
    let middle = payload.len() / 2;
    payload[middle] ^= 4;
    raw.execute("UPDATE events SET payload = ?1 WHERE seq = ?2", rusqlite::params![payload, seq as i64])
        .unwrap();
}

#[tokio::test]
async fn a_flipped_bit_in_any_column_is_seen_and_the_run_opens_at_its_last_good_checkpoint() {
    for change in [
        "payload = x'7b7d'",
        "kind = 'paused'",
        "author = '\"agent\"'",
        "at = at + 1",
        "timeline = 2",
        "parent = parent - 1",
        "version = 2",
        "codec = 7",
        "sum = zeroblob(32)",
        "payload = 'text'",
    ] {
        let bench = Bench::new();
        let mut run = bench.run("aaaa").await;
        run.whole_step("one").await;
        let good = run.state.clone();
        run.whole_step("two").await;
        let bad = good.head.seq + 3;
        bench.raw().execute(&format!("UPDATE events SET {change} WHERE seq = {bad}"), []).unwrap();
        let loaded = bench.again().load(&run.run).await.unwrap();
        let damage = loaded.damage.expect(change);
        assert_eq!((damage.first_bad_seq, damage.rows), (bad, run.state.head.seq - bad + 1), "{change}");
        assert_eq!(*loaded.state, *good, "{change}");
        let read = bench.store.events(&run.run, 1, Seq::MAX).await;
        assert!(matches!(read, Err(StoreError::BadRow { seq, .. }) if seq == bad), "{change}: {read:?}");
        let raw = bench.store.raw_events(&run.run, 1, Seq::MAX).await.unwrap();
        assert_eq!(raw.len() as u64, run.state.head.seq);
        assert!(raw[bad as usize - 1].fault.is_some(), "{change}");
        assert!(raw[..bad as usize - 1].iter().all(|row| row.fault.is_none()), "{change}");
        let findings = bench.store.verify(&run.run).await.unwrap();
        assert!(findings.iter().any(|f| f.seq == Some(bad)), "{change}: {findings:?}");
        let claim = bench.again().claim(&run.run, &WorkerId::new("w-2"), 5).await;
        assert!(matches!(claim, Err(StoreError::Damaged { .. })), "{change}: {claim:?}");
    }
}

#[tokio::test]
async fn rows_that_are_gone_are_damage_too() {
    for gone in ["seq = 8", "seq > 11", "seq = (SELECT max(seq) FROM events)"] {
        let bench = Bench::new();
        let mut run = bench.run("aaaa").await;
        run.whole_step("one").await;
        run.whole_step("two").await;
        bench.raw().execute(&format!("DELETE FROM events WHERE {gone}"), []).unwrap();
        let loaded = bench.again().load(&run.run).await.unwrap();
        let damage = loaded.damage.expect(gone);
        assert!(damage.reason.contains("missing"), "{damage:?}");
        assert!(bench.again().verify(&run.run).await.unwrap().iter().any(|f| f.what.contains("missing")));
    }
    let bench = Bench::new();
    let run = bench.run("aaaa").await;
    flip(&bench, 1);
    let nothing = bench.again().load(&run.run).await;
    assert!(matches!(nothing, Err(StoreError::Damaged { .. })), "{nothing:?}");
}

#[tokio::test]
async fn accepted_damage_is_set_aside_and_no_name_is_used_twice() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    run.whole_step("one").await;
    let good = run.state.clone();
    // In the part that will be lost: another epoch, and a call that really ran.
    let claim = bench.store.claim(&run.run, &WorkerId::new("w-2"), 5).await.unwrap();
    let Claim::Owned(loaded) = claim else { panic!("held") };
    run.state = loaded.state;
    let lost_epoch = run.state.ledger.epoch;
    let lost_call = run.whole_step("two").await;
    let end = run.state.head.seq;
    flip(&bench, good.head.seq + 2);

    let store = bench.again();
    bench.living.lock().unwrap().insert("w-2".to_owned());
    let held = store.accept_damage(&run.run, 90).await;
    assert!(matches!(held, Err(StoreError::Refused { .. })), "its owner lives: {held:?}");
    bench.living.lock().unwrap().clear();
    let accepted = store.accept_damage(&run.run, 90).await.unwrap();
    assert_eq!((accepted.from, accepted.to), (good.head.seq + 1, end));
    assert_eq!(accepted.doubtful, std::slice::from_ref(&lost_call));
    assert_eq!(accepted.state.path, good.path);
    assert_eq!(accepted.state.ledger.owner, None);
    let again = store.accept_damage(&run.run, 91).await;
    assert!(matches!(again, Err(StoreError::Refused { .. })), "{again:?}");

    let kept = store.raw_events(&run.run, accepted.from, accepted.to).await.unwrap();
    assert_eq!(kept.len() as u64, end - good.head.seq);
    assert!(kept.iter().all(|row| row.set_aside && row.fault.is_some()));

    // It goes on: later seqs, a later epoch, and the chain holds over the gap.
    let claim = store.claim(&run.run, &WorkerId::new("w-3"), 92).await.unwrap();
    let Claim::Owned(loaded) = claim else { panic!("held") };
    assert!(loaded.state.ledger.epoch > lost_epoch);
    assert_eq!(loaded.state.head.seq, end + 1);
    let mut run = Driver { store: store.clone(), run: run.run.clone(), state: loaded.state, now: 93 };
    let new_call = run.whole_step("two again").await;
    assert_ne!(new_call, lost_call);
    for n in 0..12 {
        run.whole_step(&n.to_string()).await;
    }
    run.roll_back(1).await;
    assert_eq!(*bench.again().load(&run.run).await.unwrap().state, *run.state);
    bench.raw().execute("DELETE FROM snapshots", []).unwrap();
    assert_eq!(*bench.again().load(&run.run).await.unwrap().state, *run.state);
    let events = store.events(&run.run, 1, Seq::MAX).await.unwrap();
    let seqs: BTreeSet<Seq> = events.iter().map(|e| e.seq).collect();
    assert!(!seqs.contains(&end) && seqs.contains(&good.head.seq) && seqs.contains(&(end + 1)));
    let findings = store.verify(&run.run).await.unwrap();
    assert_eq!(findings.len(), 1, "only the gap is named: {findings:?}");
    assert!(findings[0].what.contains("set aside"));
}

#[tokio::test]
async fn what_is_derived_is_rebuilt_from_the_events() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    for n in 0..11 {
        run.whole_step(&n.to_string()).await;
    }
    let id = run.waiting("push").await;
    let clean = |findings: Vec<Finding>| assert_eq!(findings, vec![]);
    clean(bench.store.verify_all().await.unwrap());
    clean(bench.store.integrity_check().await.unwrap());
    let before = bench.store.calls(CallFilter::default()).await.unwrap();
    for spoil in [
        "DROP TABLE calls",
        "DROP TABLE snapshots; DROP TABLE checkpoints; DROP TABLE file_events",
        "DROP INDEX calls_id",
        "UPDATE calls SET status = 'done' WHERE status = 'waiting'",
        "DELETE FROM checkpoints WHERE step = 3",
        "UPDATE runs SET steps = 99, status = 'completed'",
        "UPDATE runs SET head_sum = zeroblob(32)",
        "UPDATE snapshots SET data = x'00'",
    ] {
        bench.raw().execute_batch(spoil).unwrap();
        let store = bench.again();
        if !spoil.contains("INDEX") && !spoil.contains("SET data") {
            let findings = store.verify(&run.run).await.unwrap();
            assert!(
                !findings.is_empty() && findings.iter().all(|f| f.rebuild_helps),
                "{spoil}: {findings:?}"
            );
        }
        clean(store.rebuild_derived().await.unwrap());
        clean(store.verify_all().await.unwrap());
        assert_eq!(store.calls(CallFilter::default()).await.unwrap(), before, "{spoil}");
        assert_eq!(*store.load(&run.run).await.unwrap().state, *run.state, "{spoil}");
    }
    assert_eq!(bench.store.find_call(id.as_str()).await.unwrap().status, CallStatus::Waiting);
}

#[tokio::test]
async fn damage_behind_a_snapshot_is_remembered_and_accepting_it_loses_nothing() {
    for change in [
        "UPDATE events SET payload = x'00' WHERE seq = 20",
        "UPDATE events SET sum = zeroblob(32) WHERE seq = 20",
        "DELETE FROM events WHERE seq = 1",
        "DELETE FROM events WHERE seq BETWEEN 20 AND 25",
        "UPDATE events SET payload = x'00' WHERE seq = (SELECT max(seq) FROM snapshots)",
    ] {
        let bench = Bench::new();
        let mut run = bench.run("aaaa").await;
        for n in 0..31 {
            run.whole_step(&n.to_string()).await;
        }
        let whole = run.state.clone();
        bench.raw().execute(change, []).unwrap();
        let store = bench.again();
        assert_eq!(store.load(&run.run).await.unwrap().damage, None, "an open reads no such row: {change}");
        let found = store.verify(&run.run).await.unwrap();
        assert!(found.iter().any(|f| f.seq.is_some() && !f.set_aside), "{change}: {found:?}");
        let loaded = bench.again().load(&run.run).await.unwrap();
        let damage = loaded.damage.expect(change);
        assert!(damage.proven > Some(20) && *loaded.state == *whole, "{change}: {damage:?}");
        let claim = bench.again().claim(&run.run, &WorkerId::new("w-2"), 5).await;
        assert!(matches!(claim, Err(StoreError::Damaged { .. })), "{change}: {claim:?}");
        let accepted = store.accept_damage(&run.run, 90).await.unwrap();
        assert!(accepted.rests_on == damage.proven && *accepted.state == *whole, "{change}");
        let aside = |found: &[Finding]| !found.is_empty() && found.iter().all(|f| f.set_aside);
        let found = store.verify_all().await.unwrap();
        assert!(aside(&found), "{change}: {found:?}");
        let loaded = bench.again().load(&run.run).await.unwrap();
        assert!(loaded.damage.is_none() && *loaded.state == *whole, "{change}");
        let again = store.accept_damage(&run.run, 91).await;
        assert!(matches!(again, Err(StoreError::Refused { .. })), "{change}: {again:?}");
        let raw = store.raw_events(&run.run, 1, Seq::MAX).await.unwrap();
        assert!(raw.iter().all(|row| row.set_aside == row.fault.is_some()), "{change}");
        assert!(raw.iter().any(|row| row.set_aside), "{change}");

        // It goes on, and the state can be had from the events alone, over the hole.
        let Claim::Owned(loaded) = store.claim(&run.run, &WorkerId::new("w-3"), 92).await.unwrap() else {
            panic!("held")
        };
        let mut run = Driver { store: store.clone(), run: run.run.clone(), state: loaded.state, now: 93 };
        for n in 40..52 {
            run.whole_step(&n.to_string()).await;
        }
        bench.raw().execute("DELETE FROM snapshots", []).unwrap();
        assert_eq!(*bench.again().load(&run.run).await.unwrap().state, *run.state, "{change}");
        assert_eq!(store.rebuild_derived().await.unwrap(), vec![], "{change}");
        assert!(aside(&store.verify_all().await.unwrap()), "{change}");
        assert_eq!(store.calls(CallFilter::default()).await.unwrap().len(), 43, "{change}");
        store.file_changes(&run.run).await.unwrap();
        store.events(&run.run, 1, Seq::MAX).await.unwrap();
    }
}

#[tokio::test]
async fn whoever_reads_a_bad_row_leaves_a_mark_and_a_mended_row_needs_none() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    for n in 0..31 {
        run.whole_step(&n.to_string()).await;
    }
    flip(&bench, 20);
    assert!(bench.store.event(&run.run, 20).await.is_err());
    let damage = bench.again().load(&run.run).await.unwrap().damage.unwrap();
    assert_eq!((damage.first_bad_seq, damage.rows), (20, 1));
    // The worker that has it goes on writing: its state is whole.
    run.whole_step("more").await;
    flip(&bench, 20);
    assert_eq!(bench.again().load(&run.run).await.unwrap().damage, None);
    let claim = bench.again().claim(&run.run, &WorkerId::new("w-2"), 5).await.unwrap();
    assert!(matches!(claim, Claim::Owned(_)));
}
