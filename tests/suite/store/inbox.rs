//! What people ask: kept until taken, the first decision wins, one about something else is refused.

use super::support::*;
use wakeful::run::*;
use wakeful::store::*;

#[tokio::test]
async fn the_first_decision_wins_and_the_second_one_knows_at_once() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let id = run.waiting("push").await;
    let other = bench.again();
    let yes =
        bench.store.post(&run.run, run.decide(&id, Decision::Approve), Author::Person("tui".into()), 50);
    let no = Decision::Deny { reason: "not today".to_owned() };
    let no = other.post(&run.run, run.decide(&id, no), Author::Person("cli".into()), 51);
    let (yes, no) = tokio::join!(yes, no);
    let (won, lost) = match (yes.unwrap(), no.unwrap()) {
        (Posted::Row(row), Posted::LostTo { by, decision, .. }) => {
            assert_eq!((by, decision.as_str()), (Author::Person("tui".into()), "approved"));
            (row, "deny")
        }
        (Posted::LostTo { by, decision, .. }, Posted::Row(row)) => {
            assert_eq!((by, decision.as_str()), (Author::Person("cli".into()), "denied: not today"));
            (row, "approve")
        }
        other => panic!("{other:?}"),
    };
    let pending = other.pending(&run.run).await.unwrap();
    assert_eq!(pending.iter().map(|row| row.id).collect::<Vec<_>>(), [won], "lost: {lost}");
    assert_eq!(other.pending_runs().await.unwrap(), std::slice::from_ref(&run.run));

    // Taken with its event in one transaction; a third one still learns who was first.
    let third = run.decide(&id, Decision::Approve);
    let mut commit = run.commit_of(vec![wakeful(run.approve(&id))]);
    commit.taken = vec![won];
    run.try_commit(commit).await.unwrap();
    assert_eq!(bench.store.pending(&run.run).await.unwrap(), vec![]);
    assert_eq!(bench.store.pending_runs().await.unwrap(), Vec::<RunId>::new());
    let late = bench.store.post(&run.run, third, person(), 60).await.unwrap();
    assert!(matches!(late, Posted::LostTo { .. }), "{late:?}");
    // The same row is never taken twice.
    let mut again = run.commit_of(vec![wakeful(Event::Continued)]);
    again.taken = vec![won];
    assert!(matches!(run.try_commit(again).await, Err(StoreError::Refused { .. })));

    // It waits again under the same arguments: then it can be decided again.
    run.put(vec![Event::CallWaiting {
        call_id: id.clone(),
        why: "the target changed".to_owned(),
        default: None,
    }])
    .await;
    let again = bench.store.post(&run.run, run.decide(&id, Decision::Approve), person(), 70).await.unwrap();
    assert!(matches!(again, Posted::Row(_)), "{again:?}");
}

#[tokio::test]
async fn a_decision_about_something_else_is_refused_with_words() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let id = run.waiting("push").await;
    let call = run.state.open_call(&id).unwrap().clone();
    let decide = |call_id: &CallId, args: &Hash, attempt, decision| Control::Decide {
        call_id: call_id.clone(),
        args_hash: args.clone(),
        attempt,
        decision,
    };
    let spool = call.spool();
    let cases = [
        (decide(&id, &Hash::of(b"else"), 1, Decision::Approve), "arguments were changed"),
        (decide(&id, &call.args_hash, 2, Decision::Approve), "attempt"),
        (decide(&CallId::new("c-0"), &call.args_hash, 1, Decision::Approve), "no such call"),
        (
            decide(&id, &call.args_hash, 1, Decision::Resolve { resolution: Resolution::Skip, spool }),
            "not uncertain",
        ),
    ];
    for (control, words) in cases {
        let refused = bench.store.post(&run.run, control, person(), 5).await;
        let Err(StoreError::NotDecidable { why, .. }) = &refused else { panic!("{refused:?}") };
        assert!(why.contains(words), "{why}");
    }
    run.put(vec![run.approve(&id), run.start(&id, Vec::new())]).await;
    let started = bench.store.post(&run.run, run.decide(&id, Decision::Approve), person(), 5).await;
    assert!(matches!(started, Err(StoreError::NotDecidable { .. })), "{started:?}");
    let spool = run.state.open_call(&id).unwrap().spool();
    let doubt = Event::CallUncertain {
        call_id: id.clone(),
        attempt: 1,
        spool: spool.clone(),
        why: "lost".to_owned(),
        ms: 0,
    };
    run.put(vec![doubt]).await;
    let other = Decision::Resolve { resolution: Resolution::Rerun, spool: "c-x.1.1".to_owned() };
    let other = bench.store.post(&run.run, run.decide(&id, other), person(), 5).await;
    assert!(matches!(other, Err(StoreError::NotDecidable { .. })), "{other:?}");
    let right = Decision::Resolve { resolution: Resolution::Rerun, spool };
    let right = bench.store.post(&run.run, run.decide(&id, right), person(), 5).await.unwrap();
    assert!(matches!(right, Posted::Row(_)));
}

#[tokio::test]
async fn controls_keep_their_order_and_survive_reopening() {
    let bench = Bench::new();
    let run = bench.run("aaaa").await;
    let asked = [
        Control::Pause { now: true },
        Control::Message { text: "look at the tests".to_owned(), now: false },
        Control::Continue,
    ];
    for (n, control) in asked.iter().enumerate() {
        bench.store.post(&run.run, control.clone(), person(), n as i64).await.unwrap();
    }
    let pending = bench.again().pending(&run.run).await.unwrap();
    assert_eq!(pending.iter().map(|row| row.control.clone()).collect::<Vec<_>>(), asked);
    assert!(pending.windows(2).all(|pair| pair[0].id < pair[1].id));
    let nowhere = bench.store.post(&RunId::new("r-none"), Control::Continue, person(), 1).await;
    assert!(matches!(nowhere, Err(StoreError::NoRun { .. })));
}

#[tokio::test]
async fn a_message_is_delivered_or_had_back_and_never_both() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let say = |text: &str| Control::Message { text: text.to_owned(), now: false };
    let row = async |control| match bench.store.post(&run.run, control, person(), 5).await.unwrap() {
        Posted::Row(id) => id,
        other @ Posted::LostTo { .. } => panic!("{other:?}"),
    };
    let (first, second, pause) = (row(say("one")).await, row(say("two")).await, row(Control::Continue).await);
    let by = Author::Person("tui".to_owned());

    // Had back: nobody can deliver it, the row stays and says by whom.
    let back = bench.again().take_back(&run.run, first, by.clone(), 6).await.unwrap();
    assert_eq!(back, HadBack::Text("one".to_owned()));
    let mut commit = run.commit_of(vec![wakeful(Event::Continued)]);
    commit.taken = vec![first];
    let refused = run.try_commit(commit).await;
    assert!(matches!(refused, Err(StoreError::TakenBack { .. })), "{refused:?}");
    assert_eq!(bench.store.taken(first).await.unwrap(), None);
    assert_eq!(bench.store.had_back(first).await.unwrap(), Some(by.clone()));
    let again = bench.store.take_back(&run.run, first, person(), 7).await.unwrap();
    assert_eq!(again, HadBack::Before(by.clone()));

    // In a hurry, then delivered: it cannot be had back any more.
    assert_eq!(bench.store.hurry(&run.run, second).await.unwrap(), HadBack::Text("two".to_owned()));
    let pending = bench.again().pending(&run.run).await.unwrap();
    let hurried = Control::Message { text: "two".to_owned(), now: true };
    assert_eq!(pending.first().map(|row| &row.control), Some(&hurried));
    let mut commit = run.commit_of(vec![wakeful(Event::Continued)]);
    commit.taken = vec![second];
    run.try_commit(commit).await.unwrap();
    let late = bench.store.take_back(&run.run, second, by.clone(), 8).await.unwrap();
    assert_eq!(late, HadBack::TooLate(run.state.head.seq));
    assert_eq!(bench.store.hurry(&run.run, second).await.unwrap(), late);

    // Nothing but a message is had back.
    for id in [pause, 999] {
        let refused = bench.store.take_back(&run.run, id, by.clone(), 9).await;
        assert!(matches!(refused, Err(StoreError::Refused { .. })), "{refused:?}");
    }
    assert_eq!(bench.store.pending(&run.run).await.unwrap().len(), 1);
}

#[tokio::test]
async fn drafts_stay_until_they_are_sent() {
    let bench = Bench::new();
    let keep = |place: &str, text: Option<&str>| (place.to_owned(), text.map(str::to_owned));
    let drafts = vec![keep("message", Some("Keep the order")), keep("new run", Some("[]"))];
    bench.store.keep_drafts(drafts, 5).await.unwrap();
    bench.store.keep_drafts(vec![keep("message", Some("保持顺序")), keep("new run", None)], 6).await.unwrap();
    let kept = bench.again().drafts().await.unwrap();
    assert_eq!(kept.into_iter().collect::<Vec<_>>(), [("message".to_owned(), "保持顺序".to_owned())]);
}
