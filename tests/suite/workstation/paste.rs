//! Very long pastes, with and without marks, and Chinese: the content is whole, keys go on, the cursor is where it seems.

use super::desk::{Desk, Place};
use super::place::{events, queued};
use wakeful::run::Event;

/// A megabyte of lines, every one of them different, Chinese among them.
fn megabyte() -> String {
    let mut all = String::new();
    for n in 0.. {
        if all.len() > 1_000_000 {
            break;
        }
        all.push_str(&format!("line {n}: let x = f({n}); // 第 {n} 行，写入速度太慢了\n"));
    }
    all + "the last line"
}

fn waiting() -> (Place, Desk) {
    let place = Place::new();
    let desk = place.waiting(120, 40);
    (place, desk)
}

fn open_message(desk: &Desk) {
    desk.press("i");
    desk.wait("Ctrl-J new line");
}

/// What is sent, as it waits for the agent to read it.
fn sent(place: &Place, desk: &Desk) -> String {
    // An Enter as no hand types it is of the paste: nobody's comes within this.
    std::thread::sleep(std::time::Duration::from_millis(100));
    desk.press("\r");
    desk.wait("queued: line 0");
    let all = queued(place);
    assert_eq!(all.len(), 1);
    all.into_iter().next().unwrap()
}

#[test]
fn a_megabyte_with_marks_is_one_message() {
    let (place, desk) = waiting();
    let long = megabyte();
    open_message(&desk);
    desk.press(&format!("\x1b[200~{long}\x1b[201~"));
    desk.wait("the last line");
    desk.press("!?");
    desk.wait("the last line!?");
    assert_eq!(sent(&place, &desk), format!("{long}!?"));
    // No window takes it: it is refused when the agent would read it, and is there to be shortened.
    place.ask(&["deny", "last:4.1"]);
    desk.wait("it takes about");
    let refused = |event: &Event| matches!(event, Event::ControlRefused { .. });
    desk.until("it is refused", || events(&place).iter().any(refused));
    assert!(
        !events(&place).iter().any(|event| matches!(event, Event::PersonMessage { .. } | Event::Held { .. }))
    );
    assert!(queued(&place).is_empty());
}

#[test]
fn a_megabyte_without_marks_is_one_message_that_is_not_sent_by_itself() {
    let (place, desk) = waiting();
    let long = megabyte();
    open_message(&desk);
    desk.press(&long.replace('\n', "\r"));
    desk.wait("the last line");
    assert!(queued(&place).is_empty());
    desk.press("!?");
    desk.wait("the last line!?");
    assert_eq!(sent(&place, &desk), format!("{long}!?"));
}

#[test]
fn a_megabyte_in_the_goal() {
    let (place, desk) = waiting();
    let long = megabyte();
    desk.press("g");
    desk.wait("Versions");
    desk.press(&format!("\x1b[200~ {long}\x1b[201~"));
    desk.wait("the last line");
    desk.press("!?");
    desk.wait("the last line!?");
    desk.press("\x0f");
    // Never cut, and so too large for any window: refused, and back where it was written.
    desk.wait("and is never cut");
    assert!(!place.ask(&["goal", "last"]).contains("the last line"));
    desk.press("g");
    desk.wait("the last line!?");
    desk.press("\x1b");
    let lines = |text: &str| text.matches("let x = f(").count();
    desk.until("it is kept whole", || lines(&super::drafts::stored(&place)) == lines(&long));
    let short: String = long.chars().take(8_000).collect();
    place.ask(&["goal", "last", "--set", &short]);
    desk.until("a shorter one is in force", || place.ask(&["goal", "last"]).contains(&short));
}

#[test]
fn the_cursor_stands_behind_chinese() {
    let (_place, desk) = waiting();
    open_message(&desk);
    for (typed, cells) in
        [("测试123", 7), ("，展", 11), ("\u{7f}", 9), ("\x1b[D", 7), ("\x1b[D\x1b[D", 5), ("\x1b[F", 9)]
    {
        let column = || {
            let screen = desk.seen();
            let (row, column) = screen.cursor_position();
            let line = screen.contents_between(row, 0, row, column);
            (line.starts_with(" ›") && !screen.hide_cursor()).then(|| column - 3)
        };
        desk.press(typed);
        desk.until(&format!("after {typed:?} the cursor is at {cells}"), || column() == Some(cells));
    }
}
