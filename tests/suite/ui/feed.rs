//! What the feed reads: one head, bounded, and the same whether it is read at once or bit by bit.

use crate::suite::store::support::*;
use wakeful::run::control::Control;
use wakeful::run::goal::Goal;
use wakeful::run::*;
use wakeful::ui::feed::{Ending, Feed, Item, Snapshot, StepView, coming_goals};

async fn read(feed: &mut Feed, run: &RunId) -> Snapshot {
    feed.read(Some(run), 9_000).await.unwrap()
}

fn numbers(snapshot: &Snapshot) -> Vec<(StepNo, TimelineNo)> {
    snapshot.run.as_ref().unwrap().steps.iter().map(|span| (span.step, span.timeline)).collect()
}

#[tokio::test]
async fn a_run_is_read_bit_by_bit_as_at_once() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let mut feed = Feed::new(bench.store.clone());
    for n in 0..25 {
        run.whole_step(&format!("step {n}")).await;
        if n % 3 == 0 {
            read(&mut feed, &run.run).await;
        }
        if n == 12 {
            run.roll_back(7).await;
            read(&mut feed, &run.run).await;
        }
    }
    let grown = read(&mut feed, &run.run).await;
    let fresh = read(&mut Feed::new(bench.store.clone()), &run.run).await;
    assert_eq!(grown, fresh);
    let expected: Vec<(StepNo, TimelineNo)> =
        (1..=7).map(|n| (n, 1)).chain((8..=19).map(|n| (n, 2))).collect();
    assert_eq!(numbers(&grown), expected);
    let view = grown.run.unwrap();
    assert_eq!(view.checkpoints.iter().filter(|row| row.checkpoint.timeline == 1).count(), 1 + 13 + 1);
    assert_eq!((view.open.step, view.open.items.len()), (20, 0));
}

#[tokio::test]
async fn a_step_holds_what_happened_in_its_order() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    run.whole_step("first result").await;
    let long = "long words ".repeat(1_000);
    let mut bag = BlobBag::new();
    let body = bag.body(long.clone());
    let mut commit =
        run.commit_of(vec![NewEvent { author: person(), event: Event::PersonMessage { body, tokens: 3 } }]);
    commit.bag = bag;
    run.try_commit(commit).await.unwrap();
    let call = run.waiting(r#"{"command":"make  all\n"}"#).await;

    let mut feed = Feed::new(bench.store.clone());
    let snapshot = read(&mut feed, &run.run).await;
    let view = snapshot.run.as_ref().unwrap();
    let span = view.steps[0];
    let first = Feed::step(&bench.store, &run.run, span).await.unwrap();
    assert_eq!((first.step, first.committed.is_some(), first.calls().count()), (1, true, 1));
    let done = first.calls().next().unwrap();
    assert_eq!(done.status, CallStatus::Done);
    assert_eq!(done.result.as_ref().unwrap().shown, "first result");
    assert!(
        first.items.iter().any(|item| matches!(item, Item::Asked { ending: Ending::Replied { .. }, .. }))
    );

    let open: &StepView = &view.open;
    assert_eq!((open.step, open.committed), (2, None));
    let Item::Person { text, .. } = &open.items[0] else { panic!("{:?}", open.items) };
    assert_eq!(text.shown, long, "what lies apart in the store is read too");
    let waits = open.calls().next().unwrap();
    assert_eq!((waits.status, waits.attempt), (CallStatus::Waiting, 0));
    assert_eq!(wakeful::ui::feed::main_argument(&waits.args.shown), ("make all".to_owned(), true));

    assert_eq!(snapshot.waiting.len(), 1);
    assert_eq!(snapshot.waiting[0].call.call_id, call);
    assert_eq!(snapshot.waiting[0].title, "aaaa");
}

#[tokio::test]
async fn a_control_that_waits_and_a_worker_that_dies_are_seen_without_an_event() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    run.whole_step("x").await;
    bench.living.lock().unwrap().insert("w-1".to_owned());
    let mut feed = Feed::new(bench.store.clone());
    let before = read(&mut feed, &run.run).await.run.unwrap();
    assert!(before.alive && before.pending == 0);
    bench.store.post(&run.run, Control::Pause { now: false }, person(), 5).await.unwrap();
    bench.living.lock().unwrap().clear();
    let after = read(&mut feed, &run.run).await.run.unwrap();
    assert!(!after.alive && after.pending == 1);
    assert_eq!(after.state.head, before.state.head);
}

#[tokio::test]
async fn a_long_run_costs_a_snapshot_no_more_than_a_short_one() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    for n in 0..260 {
        run.whole_step(&n.to_string()).await;
    }
    let view = read(&mut Feed::new(bench.store.clone()), &run.run).await.run.unwrap();
    assert_eq!(view.steps.len(), 260);
    assert_eq!(view.calls.len(), 200, "the newest calls");
    assert_eq!(view.calls[0].step, 260);
    assert!(view.open.items.is_empty(), "committed steps are read when they come into view");
}

#[tokio::test]
async fn changes_on_their_way_are_read_from_the_inbox_by_everyone() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    run.whole_step("first").await;
    let mut feed = Feed::new(bench.store.clone());
    assert!(read(&mut feed, &run.run).await.run.unwrap().coming.is_empty());
    let goal = |text: &str| Goal { text: text.to_owned(), constraints: Vec::new(), checks: Vec::new() };
    let edit = |based_on, text: &str| Control::EditGoal { based_on, goal: goal(text) };
    let message = Control::Message { text: "Hello".to_owned(), now: false };
    for control in [edit(1, "Two"), message, edit(1, "Never"), edit(2, "Three")] {
        bench.store.post(&run.run, control, person(), 5_000).await.unwrap();
    }
    // The head is the same: it is seen all the same, by who has read before and by who has not.
    let grown = read(&mut feed, &run.run).await;
    assert_eq!(grown, read(&mut Feed::new(bench.store.clone()), &run.run).await);
    let view = grown.run.unwrap();
    assert_eq!((view.coming.len(), view.queued.len()), (3, 1));
    assert_eq!((view.coming[0].at, &view.coming[0].by), (5_000, &person()));
    let goals: Vec<_> = coming_goals(&view.state, &view.coming)
        .into_iter()
        .map(|one| (one.version, one.goal.text.clone()))
        .collect();
    assert_eq!(goals, [(2, "Two".to_owned()), (3, "Three".to_owned())], "the other one will be refused");
}

#[tokio::test]
async fn what_left_the_window_is_read_bit_by_bit_as_at_once() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let mut feed = Feed::new(bench.store.clone());
    let summary = |text: &str| Some(ResultText { body: Body::Inline(text.to_owned()), tokens: 4 });
    let mut upto = 0;
    for n in 1..=12_u32 {
        run.whole_step(&format!("step {n}")).await;
        match n {
            3 => upto = run.state.head.seq - 1,
            5 | 9 => {
                let lines: String = (1..=n).map(|n| format!("- did {n}\n")).collect();
                let fold = Event::RoundsFolded {
                    upto,
                    rounds: 2,
                    summary: summary(&lines),
                    by_model: false,
                    by: None,
                    left_out: 0,
                    done: Vec::new(),
                };
                run.put(vec![fold]).await;
            }
            6 => {
                let body = Body::Inline("Keep the order.".to_owned());
                run.put(vec![Event::PersonMessage { body, tokens: 3 }]).await;
                upto = run.state.head.seq;
            }
            11 => run.roll_back(10).await,
            _ => {}
        }
        if n % 2 == 0 {
            read(&mut feed, &run.run).await;
        }
    }
    let grown = read(&mut feed, &run.run).await;
    assert_eq!(grown, read(&mut Feed::new(bench.store.clone()), &run.run).await);
    let view = grown.run.unwrap();
    let last = |upto| view.steps.iter().rev().find(|span| span.from <= upto).unwrap().step;
    let folds: Vec<_> = view.folds.iter().map(|fold| (last(fold.upto), fold.words.as_str())).collect();
    // The step before which the person spoke is still in the window.
    assert_eq!(folds, [(3, "did 1; did 2; did 3; did 4; did 5"), (6, "did 6; did 7; did 8; did 9")]);
    run.roll_back(4).await;
    assert!(read(&mut feed, &run.run).await.run.unwrap().folds.is_empty(), "they are of another timeline");
}

#[tokio::test]
async fn runs_of_every_folder_and_model_are_in_the_list() {
    let bench = Bench::new();
    for (name, folder, model) in [
        ("aaaa", "/home/ann/ledger", "qwen3"),
        ("bbbb", "/srv/other", "offline"),
        ("cccc", "/home/ann/ledger", "llama"),
    ] {
        let mut event = created(name);
        if let Event::RunCreated { workspace, settings, .. } = &mut event.event {
            *workspace = folder.into();
            settings.model.model = model.to_owned();
        }
        let run = RunId::new(format!("r-{name}"));
        bench.store.create_run(run, vec![event], BlobBag::new(), 1_000).await.unwrap();
    }
    let snapshot = Feed::new(bench.store.clone()).read(None, 9_000).await.unwrap();
    let listed: Vec<(&str, &str)> =
        snapshot.runs.iter().map(|row| (row.id.as_str(), row.workspace.to_str().unwrap())).collect();
    assert_eq!(
        listed,
        [("r-cccc", "/home/ann/ledger"), ("r-bbbb", "/srv/other"), ("r-aaaa", "/home/ann/ledger")]
    );
    assert_eq!(snapshot.runs_total, 3);
}
