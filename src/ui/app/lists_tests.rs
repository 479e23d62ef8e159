//! Selection in the lists.

use super::*;
use crate::run::CallId;
use crate::ui::app::sample;
use crate::ui::words::Lang;
use std::sync::Arc;

fn model(size: (u16, u16)) -> Model {
    sample::model(Lang::En, size)
}

fn places(model: &Model) -> Vec<String> {
    queue_rows(model).iter().map(|row| format!("{}.{}", row.call().step, row.call().position)).collect()
}

fn change_shot(model: &mut Model, change: impl FnOnce(&mut crate::ui::feed::Snapshot)) {
    let mut shot = model.shot.as_deref().cloned().unwrap();
    change(&mut shot);
    model.shot = Some(Arc::new(shot));
    keep(model);
}

fn call_at(model: &Model, place: &str) -> CallId {
    let rows = queue_rows(model);
    let named = |row: &&QueueRow<'_>| format!("{}.{}", row.call().step, row.call().position) == place;
    rows.iter().find(named).unwrap().call().call_id.clone()
}

#[test]
fn what_waits_here_comes_first_then_other_runs_then_the_newest() {
    let small = places(&model((120, 40)));
    assert_eq!(small[..4], ["14.2", "14.3", "14.1", "13.3"]);
    let full = model((200, 60));
    assert_eq!(places(&full)[..4], ["14.2", "14.3", "1.1", "14.1"]);
    let mut all = model((120, 40));
    all.lists.all_runs = true;
    assert_eq!(places(&all), places(&full));
    let mut ids: Vec<CallId> = queue_rows(&all).iter().map(|row| row.call().call_id.clone()).collect();
    let rows = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), rows, "no call stands twice");
}

#[test]
fn nothing_chosen_is_what_waits_first_or_is_newest() {
    let mut model = model((120, 40));
    keep(&mut model);
    assert_eq!(selected_call(&model).map(|call| (call.step, call.position)), Some((14, 2)));
    assert_eq!(selected_checkpoint(&model).map(|row| row.checkpoint.step), Some(13));
    assert_eq!(selected_run(&model).map(|run| run.id.clone()), model.run);
    change_shot(&mut model, |shot| shot.waiting.retain(|waiting| waiting.call.position != 2));
    assert_eq!(selected_call(&model).map(|call| (call.step, call.position)), Some((14, 3)));
}

#[test]
fn a_chosen_call_stays_chosen_and_gives_way_to_the_next_when_it_is_gone() {
    let mut model = model((200, 60));
    step(&mut model, Panel::Queue, 2);
    assert_eq!(selected_call(&model).map(|call| call.run.as_str()), Some(sample::OTHER));
    // A call that comes before it moves nothing.
    let other = model.lists.call.clone();
    change_shot(&mut model, |shot| {
        let mut first = shot.waiting[0].clone();
        first.call.call_id = CallId::new("c-new");
        first.call.since -= 1_000;
        first.call.run = shot.run.as_ref().unwrap().state.run.clone();
        shot.waiting.insert(0, first);
    });
    assert_eq!((model.lists.call.clone(), place(&model, Panel::Queue)), (other, Some(3)));
    // It is decided elsewhere: the row that takes its place.
    change_shot(&mut model, |shot| shot.waiting.retain(|waiting| waiting.call.run.as_str() != sample::OTHER));
    assert_eq!(model.lists.call, Some(call_at(&model, "14.1")));
    // At the end of the list the one before.
    ends(&mut model, Panel::Queue, false);
    let rows = count(&model, Panel::Queue);
    let gone = model.lists.call.clone().unwrap();
    sample::change(&mut model, |view| view.calls.retain(|call| call.call_id != gone));
    keep(&mut model);
    assert_eq!(place(&model, Panel::Queue), Some(rows - 2));
}

#[test]
fn steps_stop_at_both_ends() {
    let mut model = model((120, 40));
    for panel in [Panel::Context, Panel::Queue, Panel::Checkpoints, Panel::Plan, Panel::Runs] {
        let all = count(&model, panel);
        assert!(all > 2, "{panel:?}");
        step(&mut model, panel, 1);
        assert_eq!(place(&model, panel), Some(1), "{panel:?}");
        step(&mut model, panel, -7);
        assert_eq!(place(&model, panel), Some(0), "{panel:?}");
        ends(&mut model, panel, false);
        assert_eq!(place(&model, panel), Some(all - 1), "{panel:?}");
        step(&mut model, panel, isize::MAX);
        assert_eq!(place(&model, panel), Some(all - 1), "{panel:?}");
        ends(&mut model, panel, true);
        assert_eq!(place(&model, panel), Some(0), "{panel:?}");
        keep(&mut model);
        assert_eq!(place(&model, panel), Some(0), "{panel:?}");
    }
    step(&mut model, Panel::Loop, 1);
    assert_eq!(place(&model, Panel::Loop), None);
}

#[test]
fn a_checkpoint_that_is_gone_gives_way_to_the_next_older_one() {
    let mut model = model((120, 40));
    step(&mut model, Panel::Checkpoints, 1);
    let twelve = model.lists.checkpoint.unwrap();
    sample::change(&mut model, |view| {
        let rows = view.checkpoints.iter().filter(|row| row.checkpoint.seq != twelve);
        view.checkpoints = Arc::new(rows.cloned().collect());
    });
    keep(&mut model);
    assert_eq!(selected_checkpoint(&model).map(|row| row.checkpoint.step), Some(11));
    ends(&mut model, Panel::Checkpoints, false);
    assert_eq!(selected_checkpoint(&model).map(|row| row.checkpoint.step), Some(0), "the start");
    let kinds = checkpoint_rows(&model);
    let none_of_rollback = kinds.iter().all(|p| p.row.checkpoint.kind != CheckpointKind::BeforeRollback);
    assert!(none_of_rollback, "nobody can return to it");
}

#[test]
fn on_the_start_screen_the_offer_stands_above_the_runs() {
    let mut model = model((120, 40));
    model.run = None;
    keep(&mut model);
    assert!(selected_run(&model).is_none());
    step(&mut model, Panel::Runs, 1);
    assert_eq!(place(&model, Panel::Runs), Some(0));
    ends(&mut model, Panel::Runs, false);
    assert_eq!(place(&model, Panel::Runs), Some(2));
    change_shot(&mut model, |shot| shot.runs.truncate(2));
    assert_eq!(place(&model, Panel::Runs), Some(1), "the one before");
    ends(&mut model, Panel::Runs, true);
    assert!(selected_run(&model).is_none());
    let mut nothing = sample::empty(Lang::En, (80, 24));
    step(&mut nothing, Panel::Runs, 1);
    step(&mut nothing, Panel::Queue, 1);
    ends(&mut nothing, Panel::Checkpoints, true);
    keep(&mut nothing);
    assert!(
        nothing.lists.run.is_none() && nothing.lists.call.is_none() && nothing.lists.checkpoint.is_none()
    );
}

#[test]
fn marks_go_with_the_wait_and_a_sent_decision_is_no_wait() {
    let mut model = model((120, 40));
    let (second, third, done) = (call_at(&model, "14.2"), call_at(&model, "14.3"), call_at(&model, "13.1"));
    model.lists.marked = [second.clone(), third.clone(), done].into();
    keep(&mut model);
    assert_eq!(model.lists.marked, [second.clone(), third].into());
    let run = model.run.clone().unwrap();
    let row = queue_rows(&model)[0].call().clone();
    let call = Some((second.clone(), row.attempt, row.since));
    model.sent.push(crate::ui::app::model::Sent { ticket: 1, run, call, news: String::new() });
    keep(&mut model);
    assert!(!model.lists.marked.contains(&second));
    let rows = queue_rows(&model);
    assert!(!rows.iter().any(|row| row.waits() && row.call().call_id == second));
    assert!(rows.iter().any(|row| row.call().call_id == second), "it is still in the list");
    // Asked of a person once more, it is another question.
    assert!(!model.is_sent(&CallRow { since: row.since + 1, ..row }));
    forget(&mut model, None);
    assert!(model.lists.call.is_none() && model.lists.slot == 0);
}
