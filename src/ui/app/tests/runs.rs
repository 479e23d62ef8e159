//! From one run to another: with the keys for the run before and after, and to what waits in any of them.

use super::sample::{OTHER, RUN};
use super::{Bench, controls, decisions, sample};
use crate::run::control::Control;
use crate::run::{CallId, RunId};
use crate::ui::app::lists;
use crate::ui::app::msg::{Cmd, Msg};
use crate::ui::frame::Program as _;
use crate::ui::layout::Panel;
use crate::ui::words::Lang;
use std::sync::Arc;

fn shown(run: &str) -> Cmd {
    Cmd::Show(Some(RunId::new(run)))
}

/// The snapshot that is read for the other run.
fn comes(bench: &mut Bench) {
    let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
    shot.run = Some(Arc::new(sample::view(&sample::other())));
    bench.app.update(Msg::Shot(Arc::new(shot)));
    bench.frame();
}

#[test]
fn brackets_lead_to_the_run_after_and_before() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    assert_eq!(bench.press("]"), [shown(OTHER)]);
    comes(&mut bench);
    assert!(bench.frame()[0].contains("Weekly dependency report"), "{}", bench.frame()[0]);
    assert_eq!(bench.press("["), [shown(RUN)]);
    assert_eq!(bench.app.model.run, Some(RunId::new(RUN)));
    assert_eq!(bench.press("] ]"), [shown(OTHER), shown("r-44d0e82c5b17")]);
    assert!(bench.press("]").is_empty());
    assert_eq!(bench.news(), "This is the oldest run.");
}

#[test]
fn what_waits_in_another_run_is_shown_and_selected_there() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("1");
    let other = sample::other().calls.pop().unwrap().call_id;
    assert_eq!(bench.press("!"), [shown(OTHER)], "it has waited the longest");
    assert_eq!(bench.app.model.focus, Panel::Queue, "before anything of it was read");
    comes(&mut bench);
    assert_eq!(
        (bench.app.model.focus, bench.app.model.lists.call.clone()),
        (Panel::Queue, Some(other.clone()))
    );
    assert_eq!(
        lists::acted_on(&bench.app.model).map(|waiting| waiting.call.call_id.clone()),
        Some(other.clone())
    );
    // What is decided then is that call.
    bench.press("d");
    bench.write("not today");
    assert_eq!(
        decisions(&bench.press("Enter")).first().map(|(call, _)| call.clone()),
        Some(other.to_string())
    );
    // The next one waits in the first run.
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("!");
    comes(&mut bench);
    assert_eq!(bench.press("!"), [shown(RUN)]);
    let next = lists::acted_on(&bench.app.model).unwrap().call.clone();
    assert_eq!((next.run.as_str(), next.step, next.position), (RUN, 14, 2));
}

#[test]
fn a_call_that_comes_while_a_message_is_typed_takes_no_key() {
    for before in ["1", "3"] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        bench.press(before);
        bench.press("i");
        bench.write("Keep the ");
        let focus = bench.app.model.focus;
        let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
        let here = shot.run.as_ref().unwrap().state.run.clone();
        let mut new = shot.waiting.iter().find(|waiting| waiting.call.run == here).unwrap().clone();
        new.call.call_id = CallId::new("c-new");
        new.call.since += 30_000;
        shot.waiting.push(new);
        assert!(bench.app.update(Msg::Shot(Arc::new(shot))).iter().all(|cmd| !matches!(cmd, Cmd::Post(..))));
        bench.frame();
        let model = &bench.app.model;
        assert!(model.layers.is_empty() && model.message.open, "nothing opens by itself");
        assert_eq!((model.focus, model.message.editor.text().as_str()), (focus, "Keep the "));
        let mut made = Vec::new();
        for key in ["a", "y", "Tab", "3", "!", "M"] {
            made.extend(bench.press(key));
        }
        assert!(made.is_empty() && bench.app.model.layers.is_empty(), "{made:?}");
        assert_eq!(bench.app.model.focus, focus);
        assert_eq!(bench.app.model.message.editor.text().replace(' ', ""), "Keeptheay3!M");
        let sent = bench.press("Enter");
        let Some(Control::Message { text, now: false }) = controls(&sent).pop() else { panic!("{sent:?}") };
        assert!(text.starts_with("Keep the ay"), "{text}");
        assert!(decisions(&sent).is_empty() && bench.app.model.layers.is_empty());
    }
}
