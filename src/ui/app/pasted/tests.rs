//! What follows a paste neither decides nor sends.

use super::*;
use crate::ui::app::tests::{Bench, decisions, scenes::SCENES};
use crate::ui::frame::Program as _;
use crate::ui::input::Input;
use crate::ui::words::Lang;

fn scene(name: &str) -> Bench {
    let scene = SCENES.iter().find(|scene| scene.name == name).unwrap();
    let mut bench = (scene.make)(Lang::En, (120, 40));
    bench.frame();
    bench.pass(Duration::from_secs(1));
    bench.frame();
    bench
}

fn paste(bench: &mut Bench, text: &str) {
    bench.app.input(Input::Paste(text.to_owned()));
    bench.frame();
}

#[test]
fn a_key_right_after_a_paste_decides_nothing_in_any_dialog_with_a_guard() {
    for (name, keys) in [
        ("approve-write", "y"),
        ("approve-batch", "y"),
        ("uncertain", "y"),
        ("uncertain", "s"),
        ("decision", "Enter"),
    ] {
        let mut bench = scene(name);
        assert!(bench.app.model.layers.last().unwrap().guards(), "{name}");
        if name.starts_with("approve") {
            (0..8).for_each(|_| drop(bench.press("Space")));
            bench.pass(Duration::from_secs(1));
        }
        let before = bench.app.model.layers.len();
        paste(&mut bench, "q ");
        assert!(decisions(&bench.press(keys)).is_empty(), "{name} {keys}");
        assert_eq!(bench.news(), "Something was just pasted: press the key again.", "{name}");
        assert_eq!(bench.app.model.layers.len(), before);
        // What is left of a long one comes later, and is of it as well.
        for _ in 0..4 {
            bench.pass(Duration::from_millis(200));
            assert!(decisions(&bench.press(keys)).is_empty(), "{name} {keys}");
        }
        bench.pass(Duration::from_millis(301));
        assert!(!decisions(&bench.press(keys)).is_empty(), "{name} {keys}: {}", bench.news());
    }
}

#[test]
fn esc_leaves_a_dialog_right_after_a_paste() {
    let mut bench = scene("approve-command");
    paste(&mut bench, "x");
    bench.press("Esc");
    assert!(bench.app.model.layers.is_empty());
}

#[test]
fn an_enter_that_arrives_with_a_paste_sends_nothing() {
    for (keys, dialog) in [("3 d", true), ("i", false)] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        bench.press(keys);
        paste(&mut bench, "not this");
        assert!(bench.press("Enter").is_empty(), "{keys}");
        assert_eq!(!bench.app.model.layers.is_empty(), dialog);
        bench.pass(Duration::from_millis(41));
        assert_eq!(bench.press("Enter").len(), 1, "{keys}");
    }
    // The same with a key that saves.
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("g");
    paste(&mut bench, " more");
    assert!(bench.press("Ctrl-O").is_empty());
    bench.pass(Duration::from_millis(41));
    assert_eq!(bench.press("Ctrl-O").len(), 1);
}

#[test]
fn an_enter_that_became_a_new_line_is_told_of() {
    for keys in ["3 d", "i"] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        bench.press(keys);
        assert!(bench.shows("Ctrl-J new line"), "{:#?}", bench.frame());
        paste(&mut bench, "too slow\n");
        assert_eq!(bench.news(), "That came as a paste: its Enter sends nothing. Enter sends.", "{keys}");
    }
    // Where Enter is a new line anyway there is nothing to tell.
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("g");
    paste(&mut bench, "too slow\n");
    assert_eq!(bench.news(), "");
}

#[test]
fn who_goes_on_typing_after_a_paste_is_a_person() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("g");
    bench.frame();
    paste(&mut bench, " and more");
    bench.pass(Duration::from_millis(60));
    bench.write("!");
    bench.press("Esc");
    bench.frame();
    bench.press("d");
    assert!(bench.shows("The agent reads this"), "{:#?}", bench.frame());
}
