//! A terminal that knows keyboard flags and one that does not; keys in pieces; what is no key of anybody.

use super::desk::{Desk, Place, eventually};
use rustix::process::Signal;
use std::time::Duration;

/// What the terminal was sent so far.
fn sent(desk: &Desk) -> String {
    String::from_utf8_lossy(&desk.bytes()).into_owned()
}

/// Answers the question about the keyboard as a terminal does that knows the flags.
fn answer(desk: &Desk) {
    desk.until("it asks", || sent(desk).contains("\x1b[?u\x1b[c"));
    assert!(!sent(desk).contains("\x1b[>1u"), "nothing is pushed before the answer");
    desk.press("\x1b[?0u\x1b[?62;4c");
    desk.until("the flags are pushed", || sent(desk).contains("\x1b[>1u"));
}

/// That the flags were pushed and popped so often, the last time before the screen was given back.
fn assert_popped(desk: &Desk, times: usize) {
    let sent = sent(desk);
    let count = |what: &str| sent.matches(what).count();
    assert_eq!((count("\x1b[>1u"), count("\x1b[<1u")), (times, times), "{sent:?}");
    assert!(sent.rfind("\x1b[<1u") < sent.rfind("\x1b[?1049l"), "they belong to the alternate screen");
}

#[test]
fn keyboard_flags_are_popped_on_every_way_out() {
    for way in ["q", "\x1b[99;5u", "TERM", "HUP", "INT"] {
        let place = Place::new();
        let mut desk = place.open(80, 24, &[]);
        desk.wait("offline model");
        answer(&desk);
        match way {
            "TERM" => desk.signal(Signal::TERM),
            "HUP" => desk.signal(Signal::HUP),
            "INT" => desk.signal(Signal::INT),
            // Ctrl-C asks, and leaves when it is pressed again.
            keys => {
                desk.press(keys);
                desk.press(keys);
            }
        }
        desk.ended();
        desk.assert_restored();
        assert_popped(&desk, 1);
    }
}

#[test]
#[cfg(debug_assertions)]
fn keyboard_flags_are_popped_by_a_panic() {
    let place = Place::new();
    let mut desk = place.open_with(80, 24, &[], &[("WAKEFUL_FAULT", "!ui.draw:12")]);
    answer(&desk);
    desk.until("it fails", || {
        desk.press("j");
        sent(&desk).contains("told to panic")
    });
    assert_eq!(desk.ended(), 101);
    desk.assert_restored();
    assert_popped(&desk, 1);
}

#[test]
fn keyboard_flags_are_taken_off_for_the_shell_and_for_an_editor() {
    let place = Place::new();
    // In a file: words of the shell's own line would be taken for the editor's.
    let editor = "printf EDITS > /dev/tty\nprintf from-outside > \"$1\"\n";
    std::fs::write(place.workspace().join("editor"), editor).unwrap();
    let desk = place.shell(80, 24);
    desk.wait("READY> ");
    desk.press("export EDITOR='sh editor'; $RUN\r");
    desk.wait("offline model");
    answer(&desk);
    // Ctrl-Z as such a terminal sends it.
    desk.press("\x1b[122;5u");
    desk.until("everything is off", || desk.left_on().is_empty());
    assert_popped(&desk, 1);
    desk.press("fg\r");
    desk.until("they are on again", || sent(&desk).matches("\x1b[>1u").count() == 2);
    desk.wait("offline model");
    desk.press("n");
    desk.wait("What is to be reached");
    // Ctrl-G
    desk.press("\x1b[103;5u");
    desk.wait("from-outside");
    let sent = sent(&desk);
    let at = |what: &str, nth: usize| sent.match_indices(what).nth(nth).unwrap().0;
    let order = [at("\x1b[<1u", 1), at("EDITS", 0), at("\x1b[>1u", 2)];
    assert!(order.is_sorted(), "the editor has a keyboard of its own: {order:?}\n{sent:?}");
    desk.press("\x1b[27u");
    desk.wait_gone("Constraints");
    desk.press("q");
    desk.until("everything is off", || desk.left_on().is_empty());
    assert_popped(&desk, 3);
    desk.signal(Signal::HUP);
}

#[test]
fn a_terminal_without_the_flags_gets_none() {
    let place = Place::new();
    let mut desk = place.open(80, 24, &[]);
    desk.wait("offline model");
    desk.press("\x1b[?62;4c");
    desk.press("?");
    desk.wait("type to filter");
    desk.press("\x1b");
    desk.wait_gone("type to filter");
    desk.press("q");
    assert_eq!(desk.ended(), 0);
    desk.assert_restored();
    assert!(!sent(&desk).contains("\x1b[>1u") && !sent(&desk).contains("\x1b[<"), "{:?}", sent(&desk));
}

/// With a call that waits and the message line open.
fn writing(place: &Place) -> Desk {
    let desk = place.waiting(80, 24);
    desk.press("i");
    desk.wait("Enter send");
    desk
}

/// Presses in so many pieces, each of which is read by itself.
fn in_pieces(desk: &Desk, pieces: &[&[u8]]) {
    for piece in pieces {
        desk.press_bytes(piece);
        std::thread::sleep(Duration::from_millis(8));
    }
}

#[test]
fn a_key_in_pieces_is_one_key() {
    let place = Place::new();
    let desk = writing(&place);
    desk.press("bc");
    desk.wait("▏bc");
    // Home, a Chinese character, Delete in kitty's form, each cut in the middle.
    in_pieces(&desk, &[b"\x1b[1", b"~"]);
    let character = "读".as_bytes();
    in_pieces(&desk, &[&character[..1], &character[1..2], &character[2..]]);
    desk.wait("▏读bc");
    in_pieces(&desk, &[b"\x1b[3", b";1", b"~"]);
    desk.wait("▏读c");
    // Ctrl-E moves to the end in a line; End in three pieces.
    in_pieces(&desk, &[b"\x1b[1;", b"1", b"F"]);
    desk.press("d");
    desk.wait("▏读cd");
    // A paste whose end is cut.
    in_pieces(&desk, &[b"\x1b[20", b"0~ q", b"\r!\x1b[2", b"01~"]);
    desk.wait("读cd q");
    assert!(desk.shows("Enter send"), "nothing was sent: {}", desk.screen());
    assert!(super::place::queued(&place).is_empty());
    desk.kill();
}

#[test]
fn what_is_no_key_of_anybody_does_nothing() {
    let place = Place::new();
    let desk = place.waiting(80, 24);
    desk.press("3");
    desk.wait("━ 3 Queue");
    let strange = [
        "\x1b[?1;2y",
        "\x1b[99~",
        "\x1b[57441;1u",
        "\x1b[200;300;400z",
        "\x1b[<0;0;0M",
        "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
        "\x1b]52;c;cXlxeXE=\x07",
        "\x1bP>|xterm(390)\x1b\\",
        "\x1bP1+r544e=787465726d\x1b\\",
        "\x1b_Gi=31;OK\x1b\\",
        "\x1b[?2026;2$y",
    ];
    for bytes in strange {
        desk.press(bytes);
        std::thread::sleep(Duration::from_millis(30));
    }
    // What comes after them is a key again, and nothing else has happened.
    desk.press("4");
    desk.wait("━ 4 Checkpoints");
    assert!(
        !desk.shows("Run this") && !desk.shows("Make this file?") && !desk.shows("does nothing"),
        "{}",
        desk.screen()
    );
    // Nor is any of it written where somebody writes.
    desk.press("i");
    desk.wait("Enter send");
    strange.iter().for_each(|bytes| desk.press(bytes));
    desk.press("end");
    desk.wait("▏end");
    desk.kill();
}

#[test]
fn escape_alone_closes_one_dialog_and_decides_nothing() {
    let place = Place::new();
    let desk = place.open(80, 24, &[]);
    desk.wait("offline model");
    answer(&desk);
    desk.press("\r");
    desk.wait("NEEDS YOU");
    for (key, text) in [
        ("a", "Make this file?"),
        ("d", "The agent reads this"),
        ("e", "Edit the call"),
        ("?", "type to filter"),
        (":", "Command"),
        ("L", "Change limits"),
        ("g", "Constraints"),
        ("q", "Leave wakeful?"),
        ("X", "Cancel this run?"),
        ("n", "What is to be reached"),
    ] {
        // In the old form and in the new one.
        for escape in ["\x1b", "\x1b[27u"] {
            desk.press(key);
            desk.wait(text);
            // Two within 0.6 s would be a pause, where nothing is open.
            std::thread::sleep(Duration::from_millis(650));
            desk.press(escape);
            desk.wait_gone(text);
        }
    }
    eventually("it waits as it did", || place.ask(&["intents", "last"]).contains("waiting"));
    let runs = place.ask(&["runs", "--json"]);
    assert!(!runs.contains("paused") && !runs.contains("cancelled"), "{runs}");
    desk.kill();
}
