//! Lists of calls, finding one, the same effect elsewhere, files.

use super::support::*;
use wakeful::run::checkpoint::{FileChange, FileState};
use wakeful::run::*;
use wakeful::store::*;

#[tokio::test]
async fn a_call_is_listed_with_its_arguments_its_result_and_who_decided() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let done = run.whole_step("one").await;
    let id = run.waiting("{\"command\":\"push\"}").await;
    let all =
        bench.store.calls(CallFilter { run: Some(run.run.clone()), ..CallFilter::default() }).await.unwrap();
    assert_eq!(all.iter().map(|c| c.call_id.clone()).collect::<Vec<_>>(), [done.clone(), id.clone()]);
    assert_eq!(
        (all[0].status, all[0].result.clone()),
        (CallStatus::Done, Some(Body::Inline("one".to_owned())))
    );
    assert!(all[0].ended.is_some());
    assert_eq!((all[0].ms, all[1].ms), (Some(4), None), "how long it ran, without reading its step");
    let open = bench.store.calls(CallFilter { open_only: true, ..CallFilter::default() }).await.unwrap();
    assert_eq!(open.len(), 1);
    let call = &open[0];
    assert_eq!((call.status, call.step, call.position, call.ended), (CallStatus::Waiting, 2, 1, None));
    assert_eq!(call.args, Body::Inline("{\"command\":\"push\"}".to_owned()));
    assert_eq!(call.why.as_deref(), Some("mode ask"));

    // Edited, approved by a person, run.
    let new = "{\"command\":\"push --dry-run\"}";
    let (hash, key) = (Hash::of(b"new"), Hash::of(b"new key"));
    let edited = Event::CallEdited {
        call_id: id.clone(),
        args: Body::Inline(new.to_owned()),
        args_hash: hash.clone(),
        effect_key: key.clone(),
    };
    let approved = Event::CallApproved {
        call_id: id.clone(),
        args_hash: hash.clone(),
        why: "a person".to_owned(),
        shown: None,
    };
    let by = |event| NewEvent { author: person(), event };
    run.try_commit(run.commit_of(vec![by(edited), by(approved)])).await.unwrap();
    run.put(vec![run.start(&id, Vec::new())]).await;
    let call = bench.store.find_call(id.as_str()).await.unwrap();
    assert_eq!((call.args_hash, call.effect_key.clone()), (hash, key.clone()));
    assert_eq!(call.args, Body::Inline(new.to_owned()));
    assert_eq!((call.status, call.decided_by), (CallStatus::Started, Some(person())));
    assert_eq!(call.spool_epoch, run.state.ledger.epoch);
    assert_eq!(bench.store.same_effect(&key, &run.run).await.unwrap().len(), 1);
    let started = CallFilter { statuses: vec![CallStatus::Started], ..CallFilter::default() };
    assert_eq!(bench.store.calls(started).await.unwrap().len(), 1);
}

#[tokio::test]
async fn reasons_of_persons_come_from_all_runs_the_newest_first_and_none_twice() {
    let bench = Bench::new();
    for (name, author, reason) in [
        ("aaaa", person(), "too risky"),
        ("bbbb", Author::Wakeful, "a rule"),
        ("cccc", person(), "not now"),
        ("dddd", person(), "too risky"),
        ("eeee", person(), ""),
    ] {
        let mut run = bench.run(name).await;
        let call_id = run.waiting("{\"command\":\"push\"}").await;
        let result = ResultText { body: Body::Inline("denied".to_owned()), tokens: 5 };
        let denied = Event::CallDenied { call_id, reason: reason.to_owned(), result };
        run.try_commit(run.commit_of(vec![NewEvent { author, event: denied }])).await.unwrap();
        // Times are in milliseconds.
        tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    }
    assert_eq!(bench.store.reasons(10).await.unwrap(), ["too risky", "not now"]);
    assert_eq!(bench.store.reasons(1).await.unwrap(), ["too risky"]);
}

#[tokio::test]
async fn a_call_is_found_by_id_prefix_and_place_on_the_present_timeline() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    run.whole_step("one").await;
    let old = run.whole_step("two").await;
    run.roll_back(1).await;
    let new = run.whole_step("two again").await;
    for text in
        [new.as_str(), &new.as_str()[..8], new.as_str().trim_start_matches("c-"), "aaaa:2.1", "last:2.1"]
    {
        assert_eq!(bench.store.find_call(text).await.unwrap().call_id, new, "{text}");
    }
    assert_eq!(bench.store.find_call(old.as_str()).await.unwrap().call_id, old);
    for text in ["", "c-zz", "aaaa:9.1", "aaaa:x", "aaaa:2"] {
        let missing = bench.store.find_call(text).await;
        assert!(matches!(missing, Err(StoreError::NoCall { .. })), "{text}: {missing:?}");
    }
    let many = bench.store.find_call("c-").await;
    assert!(matches!(many, Err(StoreError::AmbiguousCall { .. })), "{many:?}");
}

#[tokio::test]
async fn an_effect_of_an_abandoned_timeline_is_still_known() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    run.whole_step("one").await;
    let id = run.propose(Class::Effect, "send the letter").await;
    run.put(vec![run.approve(&id), run.start(&id, Vec::new())]).await;
    run.put(vec![run.finish(&id, "sent")]).await;
    run.end_step().await;
    run.roll_back(1).await;
    let again = run.propose(Class::Effect, "send the letter").await;
    let key = Hash::of(b"send the letter");
    let known = bench.store.same_effect(&key, &run.run).await.unwrap();
    let seen: Vec<_> = known.iter().map(|c| (c.call_id.clone(), c.timeline, c.status)).collect();
    assert_eq!(seen, [(id, 1, CallStatus::Done), (again, 2, CallStatus::Proposed)]);
}

#[tokio::test]
async fn changed_files_are_known_with_their_call_and_counted_by_checkpoint() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    run.whole_step("one").await;
    let id = run.propose(Class::Keyed, "write a.txt").await;
    let mut bag = BlobBag::new();
    let after = FileState::File { hash: bag.raw(b"new".to_vec()), len: 3, mode: 0o644 };
    let change = FileChange {
        path: "a.txt".to_owned(),
        before: FileState::Absent,
        after: after.clone(),
        made: Vec::new(),
    };
    let events = vec![wakeful(run.approve(&id)), wakeful(run.start(&id, vec![change]))];
    let without = run.try_commit(run.commit_of(events.clone())).await;
    assert!(matches!(without, Err(StoreError::Refused { .. })), "an image that is not stored: {without:?}");
    let mut commit = run.commit_of(events);
    commit.bag = bag;
    run.try_commit(commit).await.unwrap();
    let changes = bench.store.file_changes(&run.run).await.unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].path.as_str(), changes[0].status), ("a.txt", CallStatus::Started));
    assert_eq!(
        (changes[0].call_id.clone(), changes[0].after.clone(), changes[0].step),
        (id.clone(), after, 2)
    );
    run.put(vec![run.finish(&id, "written")]).await;
    run.end_step().await;
    let files: Vec<u32> =
        bench.store.checkpoints(&run.run).await.unwrap().iter().map(|row| row.files).collect();
    assert_eq!(files, [0, 0, 1]);
    let made: Vec<u32> =
        bench.store.checkpoints(&run.run).await.unwrap().iter().map(|row| row.made).collect();
    assert_eq!(made, [0, 0, 1], "it was not there before");
}
