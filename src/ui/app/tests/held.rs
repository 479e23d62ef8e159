//! The order of Queue and Runs is held while the person moves in them: what others do moves no row under the hand.

use super::{Bench, decisions};
use crate::run::{CallId, CallStatus, RunId};
use crate::ui::app::lists;
use crate::ui::app::msg::Msg;
use crate::ui::app::sample;
use crate::ui::feed::Snapshot;
use crate::ui::frame::Program as _;
use crate::ui::words::Lang;
use std::sync::Arc;
use std::time::Duration;

fn calls(bench: &Bench) -> Vec<CallId> {
    lists::queue_rows(&bench.app.model).iter().map(|row| row.call().call_id.clone()).collect()
}

fn runs(bench: &Bench) -> Vec<RunId> {
    lists::run_rows(&bench.app.model).iter().map(|row| row.id.clone()).collect()
}

/// The row of the screen in which this is selected.
fn marked(bench: &mut Bench, text: &str) -> Vec<usize> {
    let rows = bench.frame();
    (0..rows.len()).filter(|at| rows[*at].contains('▌') && rows[*at].contains(text)).collect()
}

/// What others do is seen.
fn seen(bench: &mut Bench, change: impl FnOnce(&mut Snapshot)) {
    let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
    change(&mut shot);
    bench.app.update(Msg::Shot(Arc::new(shot)));
    bench.frame();
}

/// The first call that waits here is approved elsewhere, and another one comes.
fn decided_and_come(shot: &mut Snapshot) {
    let here = shot.run.as_ref().unwrap().state.run.clone();
    let at = shot.waiting.iter().position(|waiting| waiting.call.run == here).unwrap();
    let gone = shot.waiting.remove(at);
    let mut view = shot.run.as_deref().cloned().unwrap();
    view.calls.iter_mut().filter(|call| call.call_id == gone.call.call_id).for_each(|call| {
        call.status = CallStatus::Approved;
    });
    let mut new = gone;
    new.call.call_id = CallId::new("c-new");
    (new.call.position, new.call.seq) = (4, new.call.seq + 50);
    new.call.since += 90_000;
    view.calls.insert(0, new.call.clone());
    shot.waiting.push(new);
    shot.run = Some(Arc::new(view));
}

#[test]
fn what_others_decide_moves_no_call_under_the_hand() {
    for size in [(120, 40), (200, 60)] {
        let mut bench = Bench::new(Lang::En, size);
        bench.press("3 j");
        let (before, line) = (calls(&bench), marked(&mut bench, "14.3"));
        let chosen = bench.app.model.lists.call.clone();
        bench.pass(Duration::from_millis(900));
        seen(&mut bench, decided_and_come);
        let held = calls(&bench);
        assert_eq!(held[..before.len()], before, "each row stays where it was");
        assert_eq!(held[before.len()..], [CallId::new("c-new")], "what is new stands behind");
        assert_eq!(marked(&mut bench, "14.3"), line, "{size:?}: {:#?}", bench.frame());
        assert!(bench.frame().iter().any(|row| row.contains("! 2")), "it is counted: {:#?}", bench.frame());
        // The next key goes where it would have gone, and holds the order for longer.
        bench.pass(Duration::from_millis(900));
        bench.press("j");
        assert_eq!(bench.app.model.lists.call, before.get(2).cloned());
        bench.press("k");
        bench.pass(Duration::from_millis(1_900));
        bench.frame();
        assert_eq!(calls(&bench), held);
        let tick = bench.app.tick().unwrap();
        assert!(tick <= Duration::from_millis(100), "it is drawn again then: {tick:?}");
        bench.pass(Duration::from_millis(100));
        bench.frame();
        let sorted = calls(&bench);
        assert_eq!(sorted[..2], [before[1].clone(), CallId::new("c-new")], "what waits here stands first");
        assert!(sorted[2..].contains(&before[0]), "what is decided among the others");
        assert_eq!(bench.app.model.lists.call, chosen, "what is selected stays selected");
        assert_ne!(marked(&mut bench, "14.3"), line);
    }
}

#[test]
fn without_a_key_rows_move_at_once() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("3 j");
    let before = calls(&bench);
    bench.pass(Duration::from_secs(2));
    seen(&mut bench, decided_and_come);
    assert_eq!(calls(&bench)[..2], [before[1].clone(), CallId::new("c-new")]);
    assert!(bench.app.model.held.is_none(), "nothing is drawn again for it");
    // A key in another panel makes it no longer.
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("3 j");
    bench.pass(Duration::from_millis(1_500));
    bench.press("2 j");
    bench.pass(Duration::from_millis(500));
    seen(&mut bench, decided_and_come);
    assert_eq!(calls(&bench)[..2], [before[1].clone(), CallId::new("c-new")]);
}

#[test]
fn what_the_person_decides_moves_its_row_at_once() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("3 j k d");
    bench.write("no");
    let before = calls(&bench);
    assert_eq!(decisions(&bench.press("Enter")).len(), 1);
    assert_eq!(calls(&bench).first(), before.get(1), "{:#?}", bench.frame());
}

#[test]
fn a_run_that_begins_elsewhere_moves_no_run_under_the_hand() {
    for start in [false, true] {
        let mut bench = Bench::new(Lang::En, (200, 60));
        if start {
            bench.app.show(None);
        }
        bench.press(if start { "j j" } else { "6 j" });
        let (before, line) = (runs(&bench), marked(&mut bench, "Weekly"));
        let chosen = bench.app.model.lists.run.clone();
        assert_eq!((chosen.as_ref(), line.len()), (before.get(1), 1));
        let begins = |shot: &mut Snapshot| {
            let mut new = shot.runs[2].clone();
            new.id = RunId::new("r-0new00000000");
            shot.runs.insert(0, new);
            shot.runs_total += 1;
            // And a call that waits in the run above it is decided.
            shot.waiting.retain(|waiting| waiting.call.run.as_str() == sample::OTHER);
        };
        seen(&mut bench, begins);
        assert_eq!(
            (runs(&bench), marked(&mut bench, "Weekly")),
            (before.clone(), line.clone()),
            "start {start}"
        );
        bench.pass(Duration::from_secs(2));
        bench.frame();
        assert_eq!(runs(&bench)[0].as_str(), "r-0new00000000");
        assert_eq!(runs(&bench)[1..], before);
        assert_eq!(bench.app.model.lists.run, chosen);
    }
}

#[test]
fn a_call_that_comes_to_wait_in_another_run_makes_no_line_under_the_hand() {
    let mut bench = Bench::new(Lang::En, (200, 60));
    seen(&mut bench, |shot| shot.waiting.retain(|waiting| waiting.call.run.as_str() != sample::OTHER));
    bench.press("6 j j");
    let line = marked(&mut bench, "Changelog");
    let comes = sample::model(Lang::En, (200, 60)).shot.unwrap().waiting.clone();
    seen(&mut bench, |shot| shot.waiting = comes);
    assert_eq!(marked(&mut bench, "Changelog"), line);
    bench.pass(Duration::from_secs(2));
    assert_ne!(marked(&mut bench, "Changelog"), line);
    // And none goes: the line stays empty so long.
    bench.press("j");
    let line = marked(&mut bench, "Changelog");
    seen(&mut bench, |shot| shot.waiting.retain(|waiting| waiting.call.run.as_str() != sample::OTHER));
    assert_eq!(marked(&mut bench, "Changelog"), line);
    bench.pass(Duration::from_secs(2));
    assert_ne!(marked(&mut bench, "Changelog"), line);
}
