//! What single keys do on the screen of a run: the focus, how Loop shows its steps, more time, twice Esc; and that a
//! selected step stays where it is read when the window changes.

use super::{Bench, controls, running};
use crate::run::CallStatus;
use crate::run::control::Control;
use crate::ui::app::model::Model;
use crate::ui::app::msg::Msg;
use crate::ui::app::sample::{self, change};
use crate::ui::app::transcript::Spot;
use crate::ui::feed::{Item, Text};
use crate::ui::frame::Program as _;
use crate::ui::input::Input;
use crate::ui::layout::Panel;
use crate::ui::words::Lang;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::sync::Arc;
use std::time::Duration;

/// The output of the last step's command is another one.
fn output(model: &mut Model, text: &str) {
    let mut view = (*model.transcript.steps[&13]).clone();
    let call = view.items.iter_mut().find_map(|item| match item {
        Item::Call(call) if call.tool == "shell" => Some(call),
        _ => None,
    });
    call.unwrap().result = Some(Text::of(&crate::run::Body::Inline(text.to_owned())));
    model.transcript.steps.insert(13, Arc::new(view));
    model.transcript.folds.insert(Spot { step: 13, item: None }, false);
}

#[test]
fn tool_output_is_cut_or_wrapped() {
    let mut bench = Bench::new(Lang::En, (200, 60));
    output(&mut bench.app.model, &format!("exit 0\n{}the end of it", "samples ".repeat(30)));
    bench.press("1");
    assert!(bench.shows("samples samples") && !bench.shows("the end of it"), "{:#?}", bench.frame());
    bench.press("w");
    assert!(bench.shows("the end of it"), "{:#?}", bench.frame());
    bench.press("w");
    assert!(!bench.shows("the end of it"));
}

#[test]
fn thinking_is_shown_and_hidden() {
    let mut bench = Bench::new(Lang::En, (200, 60));
    change(&mut bench.app.model, |view| {
        for item in &mut view.open.items {
            if let Item::Asked { reasoning, .. } = item {
                let text = "Is it the disk or the processor?".to_owned();
                *reasoning = Some(Text::of(&crate::run::Body::Inline(text)));
            }
        }
    });
    bench.press("1");
    assert!(bench.shows("T shows") && !bench.shows("Is it the disk"), "{:#?}", bench.frame());
    bench.press("T");
    assert!(bench.shows("Is it the disk or the processor?"), "{:#?}", bench.frame());
    bench.press("T");
    assert!(!bench.shows("Is it the disk"));
}

#[test]
fn the_running_call_is_given_more_time() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    running(&mut bench);
    let state = bench.app.model.view().unwrap().state.clone();
    let call = state.open_here().find(|call| call.status == CallStatus::Started).unwrap().call_id.clone();
    let posted = controls(&bench.press("t"));
    assert_eq!(posted, [Control::ExtendTimeout { call_id: call, more_ms: 300_000 }]);
    assert!(bench.app.model.sent.last().unwrap().news.contains("5:00"), "it is told how much");
}

#[test]
fn the_focus_goes_round_in_the_order_of_the_numbers() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("1");
    let mut seen = Vec::new();
    for _ in 0..6 {
        bench.press("Tab");
        seen.push(bench.app.model.focus);
    }
    assert_eq!(
        seen,
        [Panel::Context, Panel::Queue, Panel::Checkpoints, Panel::Plan, Panel::Runs, Panel::Loop]
    );
    // As terminals send it.
    let back = || Input::Key(KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT));
    bench.app.input(back());
    assert_eq!(bench.app.model.focus, Panel::Runs);
    bench.app.input(back());
    assert_eq!(bench.app.model.focus, Panel::Plan);
    // A dialog gives it back.
    bench.press("? Esc");
    assert_eq!((bench.app.model.focus, bench.app.model.layers.len()), (Panel::Plan, 0));
}

#[test]
fn following_is_left_and_taken_up_again_and_said() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("1 f");
    assert_eq!(bench.news(), "Staying here; f follows again.");
    let newest = bench.app.model.transcript.at;
    assert!(newest.is_some_and(|spot| spot.step == 14), "it stays at the newest");
    bench.press("f");
    assert_eq!((bench.news().as_str(), bench.app.model.transcript.at), ("Following the newest.", None));
    let mut bench = Bench::new(Lang::Zh, (80, 24));
    bench.press("1 f");
    assert_eq!(bench.news(), "停在此处；按 f 重新跟随。");
}

#[test]
fn twice_esc_within_its_time_asks_for_a_pause() {
    for (between, pauses) in [(599, true), (601, false)] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        assert!(bench.press("Esc").is_empty());
        assert_eq!(bench.news(), "Nothing to close. Twice quickly: pause now.");
        bench.pass(Duration::from_millis(between));
        let posted = controls(&bench.press("Esc"));
        assert_eq!(posted == [Control::Pause { now: true }], pauses, "{between} ms: {posted:?}");
        assert!(pauses || posted.is_empty());
    }
    // An Esc that closed something does not count.
    let mut bench = Bench::new(Lang::En, (120, 40));
    assert!(controls(&bench.press("? Esc Esc")).is_empty());
}

#[test]
fn a_selected_step_stays_in_view_at_every_width() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("1 <");
    while bench.app.model.transcript.at.unwrap().step < 8 {
        bench.press("j");
    }
    let at = bench.app.model.transcript.at;
    let place = |bench: &mut Bench| {
        let rows = bench.frame();
        let marked = rows.iter().position(|row| row.contains("▌← rolled back to step 7"));
        marked.unwrap_or_else(|| panic!("it is out of view: {rows:#?}"))
    };
    let first = place(&mut bench);
    for size in [(112, 40), (150, 40), (120, 40), (200, 60), (80, 24), (140, 44), (60, 16), (119, 33)] {
        bench.app.input(Input::Resize(size.0, size.1));
        let now = place(&mut bench);
        assert_eq!(bench.app.model.transcript.at, at, "{size:?}");
        assert!(size.1 != 40 || now == first, "it stays on its row: {size:?}: {now}, not {first}");
    }
}

#[test]
fn folds_of_steps_that_were_undone_are_not_those_of_the_steps_that_follow() {
    // Back to step 12, alone or with the new step 13 committed meanwhile.
    for new in [false, true] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        bench.shot();
        let (twelve, thirteen) = (Spot { step: 12, item: None }, Spot { step: 13, item: None });
        let folds = [(twelve, false), (thirteen, false), (Spot { step: 14, item: Some(1) }, true)];
        bench.app.model.transcript.folds.extend(folds);
        bench.app.model.transcript.apart.extend([12, 13]);
        let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
        let mut view = shot.run.as_deref().cloned().unwrap();
        Arc::make_mut(&mut view.state).head.timeline += 1;
        let steps = Arc::make_mut(&mut view.steps);
        let mut last = steps.pop().unwrap();
        assert_eq!(last.step, 13);
        if new {
            (last.timeline, last.from, last.to) = (3, last.from + 500, last.to + 500);
            steps.push(last);
        }
        view.open.step = if new { 14 } else { 13 };
        view.open.items.clear();
        shot.run = Some(Arc::new(view));
        bench.app.update(Msg::Shot(Arc::new(shot)));
        let transcript = &bench.app.model.transcript;
        assert_eq!(transcript.folds.iter().collect::<Vec<_>>(), [(&twelve, &false)], "new {new}");
        assert_eq!(transcript.apart.iter().collect::<Vec<_>>(), [&12], "new {new}");
    }
    // A snapshot of the same timeline takes none.
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.app.model.transcript.folds.insert(Spot { step: 13, item: None }, false);
    bench.shot();
    assert_eq!(bench.app.model.transcript.folds.len(), 1);
    assert_eq!(sample::draw(&bench.app.model).len(), 40);
}
