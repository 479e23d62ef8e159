//! What is being written is kept at rest, forgotten when it was sent, and comes back.

use crate::run::RunId;
use crate::ui::app::drafts::Places;
use crate::ui::app::msg::Cmd;
use crate::ui::app::sample;
use crate::ui::app::tests::Bench;
use crate::ui::frame::Program as _;
use crate::ui::words::Lang;
use std::time::Duration;

/// The commands about drafts that come with the next frame.
fn kept(bench: &mut Bench) -> Vec<(String, Option<String>)> {
    bench.frame();
    let of = |command| match command {
        Cmd::Drafts(changes) => changes,
        _ => Vec::new(),
    };
    bench.app.after().into_iter().flat_map(of).collect()
}

fn rest(bench: &mut Bench) -> Vec<(String, Option<String>)> {
    assert!(kept(bench).is_empty(), "it is being written");
    assert!(bench.app.tick().is_some_and(|tick| tick <= Duration::from_millis(400)), "it wakes to keep it");
    bench.pass(Duration::from_millis(400));
    kept(bench)
}

#[test]
fn a_message_is_kept_at_rest_and_forgotten_when_it_is_sent() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("i");
    bench.write("Keep");
    assert!(kept(&mut bench).is_empty(), "it is being written");
    bench.pass(Duration::from_millis(300));
    bench.write(" the");
    assert!(kept(&mut bench).is_empty());
    let place = message_at(&bench);
    assert_eq!(rest(&mut bench), [(place.clone(), Some("Keep the".to_owned()))]);
    assert!(kept(&mut bench).is_empty(), "once");
    bench.press("Enter");
    assert_eq!(kept(&mut bench), [(place, None)], "at once");
}

#[test]
fn forms_and_reasons_are_kept_while_they_are_open_and_come_back() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("n");
    bench.write("Sort the photos");
    let changes = rest(&mut bench);
    let [(place, Some(text))] = changes.as_slice() else { panic!("{changes:?}") };
    assert!(place == "new run" && text.contains("Sort the photos"));
    let new_run = text.clone();
    bench.press("Esc");
    assert!(kept(&mut bench).is_empty(), "the same");
    bench.press("g");
    bench.write(" Soon.");
    let changes = rest(&mut bench);
    let [(goal_at, Some(goal))] = changes.as_slice() else { panic!("{changes:?}") };
    assert!(goal_at.starts_with("goal r-") && goal.contains(" Soon."));
    bench.press("Esc d");
    bench.write("Not so");
    let changes = rest(&mut bench);
    let [(deny_at, Some(reason))] = changes.as_slice() else { panic!("{changes:?}") };
    assert!(deny_at.starts_with("deny ") && reason == "Not so");

    let all: Places = [
        ("new run".to_owned(), new_run),
        (goal_at_of(&bench), goal.clone()),
        (deny_at.clone(), reason.clone()),
        (message_at(&bench), "Hello".to_owned()),
        ("nowhere".to_owned(), "{".to_owned()),
    ]
    .into();
    let mut again = Bench::new(Lang::En, (120, 40));
    again.app.had_drafts(all);
    assert!(kept(&mut again).is_empty());
    assert!(again.shows("Hello"));
    again.press("d");
    assert!(again.shows("Not so"));
    again.press("Esc g");
    assert!(again.shows("Soon."));
    again.press("Esc n");
    assert!(again.shows("Sort the photos"));
    again.press("Esc d");
    let sent = again.press("Enter");
    assert!(sent.iter().any(|command| matches!(command, Cmd::Post(..))));
    assert_eq!(kept(&mut again), [(deny_at.clone(), None)]);
}

fn message_at(bench: &Bench) -> String {
    message_of(bench.app.model.run.as_ref().unwrap())
}

fn goal_at_of(bench: &Bench) -> String {
    format!("goal {}", bench.app.model.run.as_ref().unwrap())
}

#[test]
fn at_the_end_nothing_waits() {
    let mut bench = Bench::of(sample::model(Lang::Zh, (80, 24)));
    bench.press("i");
    bench.write("保持顺序");
    let last = bench.app.last_drafts();
    assert_eq!(last, [(message_at(&bench), Some("保持顺序".to_owned()))]);
    assert!(bench.app.last_drafts().is_empty());
}

#[test]
fn a_message_that_is_being_written_belongs_to_its_run() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    let own = bench.app.model.run.clone().unwrap();
    let other = RunId::new("r-0a0b0c0d0e0f");
    bench.press("i");
    bench.write("be brief");
    bench.press("Esc");
    assert!(bench.shows("› be brief"));
    bench.app.show(Some(other.clone()));
    assert_eq!(bench.app.model.message.editor.text(), "");
    bench.app.model.message.editor.insert("of the other");
    let all: Places = bench.app.last_drafts().into_iter().map(|(at, text)| (at, text.unwrap())).collect();
    let wanted =
        [(format!("message {other}"), "of the other".to_owned()), (message_of(&own), "be brief".to_owned())];
    assert_eq!(all, wanted.clone().into());
    // Undone is what was written here, and nothing of the other run.
    bench.app.show(Some(own.clone()));
    assert_eq!(bench.app.model.message.editor.text(), "be brief");
    bench.app.model.message.editor.undo();
    assert_eq!(bench.app.model.message.editor.text(), "be brief");
    // After a restart each waits for its own run.
    let mut again = Bench::new(Lang::En, (120, 40));
    again.app.model.run = None;
    again.app.had_drafts(wanted.into());
    assert_eq!(again.app.model.message.editor.text(), "");
    again.app.show(Some(other));
    assert_eq!(again.app.model.message.editor.text(), "of the other");
    again.app.show(Some(own.clone()));
    assert_eq!(again.app.model.message.editor.text(), "be brief");
    // What was kept without its run stands in the line of the first that is shown, and is kept with that one.
    let mut old = Bench::new(Lang::En, (120, 40));
    old.app.model.run = None;
    old.app.had_drafts([("message".to_owned(), "Hello".to_owned())].into());
    old.app.show(Some(own.clone()));
    assert_eq!(old.app.model.message.editor.text(), "Hello");
    let changes = old.app.last_drafts();
    assert_eq!(changes, [("message".to_owned(), None), (message_of(&own), Some("Hello".to_owned()))]);
}

fn message_of(run: &RunId) -> String {
    format!("message {run}")
}
