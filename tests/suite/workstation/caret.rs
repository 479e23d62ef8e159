//! The terminal's own cursor stands where the next character goes, in every form: where an input method shows what it
//! offers.

use super::desk::{Desk, Place};
use super::jobs::ONE_EFFECT;
use std::time::{Duration, Instant};

/// What is typed, and the cells that stand before the cursor then.
const TYPED: [(&str, u16); 11] = [
    ("测试", 4),
    ("e\u{301}", 5),
    ("😀", 7),
    ("ที่", 8),
    ("，x", 11),
    ("\x7f\x7f", 8),
    ("\x1b[D", 7),
    ("\x1b[D", 5),
    ("\x1b[D", 4),
    ("\x1b[D", 2),
    ("\x1b[C\x1b[C", 5),
];
/// What stands there in the end, and its cells.
const LEFT: (&str, u16) = ("测试e\u{301}😀ที่", 8);

/// The cursor, if it is seen.
fn cursor(desk: &Desk) -> Option<(u16, u16)> {
    let screen = desk.seen();
    (!screen.hide_cursor()).then(|| screen.cursor_position())
}

/// Where it comes to rest: in the middle of a frame it is wherever something is drawn.
fn rests(desk: &Desk) -> Option<(u16, u16)> {
    let mut seen = cursor(desk);
    let mut since = Instant::now();
    while since.elapsed() < Duration::from_millis(100) {
        std::thread::sleep(Duration::from_millis(5));
        let now = cursor(desk);
        if now != seen {
            (seen, since) = (now, Instant::now());
        }
    }
    seen
}

/// Types from where the cursor is now and looks where it goes; and that what was typed stands between.
fn follows(what: &str, desk: &Desk) {
    let (row, from) = rests(desk).unwrap_or_else(|| panic!("{what}: no cursor:\n{}", desk.screen()));
    for (typed, cells) in TYPED {
        desk.press(typed);
        desk.until(&format!("{what}: after {typed:?} {cells} cells"), || {
            cursor(desk) == Some((row, from + cells))
        });
    }
    let text = desk.seen().contents_between(row, from, row, from + LEFT.1);
    assert_eq!(text, LEFT.0, "{what}:\n{}", desk.screen());
}

fn waiting() -> (Place, Desk) {
    let place = Place::new();
    place.script(ONE_EFFECT);
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("NEEDS YOU");
    assert_eq!(cursor(&desk), None, "nothing is typed into");
    (place, desk)
}

/// A cursor that comes to rest, once a dialog is there.
fn opened(desk: &Desk, key: &str, text: &str) {
    desk.press(key);
    desk.wait(text);
    desk.until("the cursor is seen", || cursor(desk).is_some());
}

fn closed(desk: &Desk, text: &str) {
    desk.press("\x1b");
    desk.wait_gone(text);
    desk.until("the cursor is hidden", || cursor(desk).is_none());
}

#[test]
fn the_cursor_is_at_the_caret_of_every_form() {
    let (_place, desk) = waiting();
    opened(&desk, "i", "Ctrl-J new line");
    follows("message", &desk);
    closed(&desk, "Ctrl-J new line");
    // On a line of its own: a long goal would be broken elsewhere.
    opened(&desk, "g", "Versions");
    let before = rests(&desk);
    desk.press("\n");
    desk.until("a new line", || cursor(&desk) != before);
    follows("goal", &desk);
    closed(&desk, "Versions");
    opened(&desk, "n", "What is to be reached");
    follows("new run", &desk);
    desk.press("\t");
    desk.wait_gone("▏测试");
    follows("constraints", &desk);
    closed(&desk, "Ctrl-O start");
    opened(&desk, "d", "The agent reads this");
    follows("reason", &desk);
    closed(&desk, "The agent reads this");
    // What does not fit makes the list shorter, and the field moves with it.
    opened(&desk, "?", "type to filter");
    desk.press("测试");
    desk.until("behind the filter", || {
        let screen = desk.seen();
        let (row, column) = screen.cursor_position();
        !screen.hide_cursor() && screen.contents_between(row, 0, row, column).ends_with("▏测试")
    });
    closed(&desk, "type to filter");
    desk.kill();
}

#[test]
fn the_cursor_is_at_the_caret_in_arguments() {
    let (_place, desk) = waiting();
    opened(&desk, "e", "Edit the call");
    desk.wait("echo x >> effects");
    let (row, _) = rests(&desk).unwrap();
    // From the end into the text of the command, before its closing quote.
    desk.press("\x1b[A\x1b[F\x1b[D");
    desk.until("it is in the second line", || {
        let screen = desk.seen();
        let (at, column) = screen.cursor_position();
        at + 1 == row && screen.contents_between(at, 0, at, column).ends_with("echo x >> effects")
    });
    follows("arguments", &desk);
    closed(&desk, "Edit the call");
    desk.kill();
}
