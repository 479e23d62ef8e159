//! What terminals send, whole and in pieces.

use super::*;
use crossterm::event::{KeyEventKind, MouseButton, MouseEventKind};
use proptest::prelude::*;

/// Reads bytes in pieces of this size, then lets time pass.
fn heard_in(bytes: &[u8], piece: usize) -> Vec<Heard> {
    let (mut parser, mut out, now) = (Parser::default(), Vec::new(), Instant::now());
    for piece in bytes.chunks(piece) {
        parser.feed(piece, now, &mut out);
    }
    while let Some(due) = parser.due() {
        parser.expire(due, &mut out);
    }
    out
}

fn heard(bytes: &str) -> Vec<Heard> {
    heard_in(bytes.as_bytes(), usize::MAX)
}

fn keys(bytes: &str) -> Vec<(KeyCode, KeyModifiers)> {
    let code = |heard| match heard {
        Heard::Input(Input::Key(key)) => (key.code, key.modifiers),
        other => unreachable!("no key but {other:?}"),
    };
    heard(bytes).into_iter().map(code).collect()
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;

#[test]
fn keys_of_text_and_control() {
    let char = |c, m| (KeyCode::Char(c), m);
    assert_eq!(
        keys("aA读é😀"),
        [char('a', NONE), char('A', SHIFT), char('读', NONE), char('é', NONE), char('😀', NONE)]
    );
    assert_eq!(keys("\x03\x1a\x0a\x1f\x00\x08"), ['c', 'z', 'j', '7', ' ', 'h'].map(|c| char(c, CTRL)));
    assert_eq!(keys("\r\t\x7f"), [KeyCode::Enter, KeyCode::Tab, KeyCode::Backspace].map(|code| (code, NONE)));
    assert_eq!(keys("\x1bx\x1b\r\x1b读"), [char('x', ALT), (KeyCode::Enter, ALT), char('读', ALT)]);
}

#[test]
fn keys_that_are_sequences() {
    let of = |text: &str| keys(text).first().copied();
    for (bytes, code, modifiers) in [
        ("\x1b[A", KeyCode::Up, NONE),
        ("\x1bOB", KeyCode::Down, NONE),
        ("\x1b[1;5C", KeyCode::Right, CTRL),
        ("\x1b[1;4D", KeyCode::Left, SHIFT | ALT),
        ("\x1b[H", KeyCode::Home, NONE),
        ("\x1b[4~", KeyCode::End, NONE),
        ("\x1b[5;2~", KeyCode::PageUp, SHIFT),
        ("\x1b[3~", KeyCode::Delete, NONE),
        ("\x1bOQ", KeyCode::F(2), NONE),
        ("\x1b[[D", KeyCode::F(4), NONE),
        ("\x1b[15~", KeyCode::F(5), NONE),
        ("\x1b[21~", KeyCode::F(10), NONE),
        ("\x1b[24~", KeyCode::F(12), NONE),
        ("\x1b[34~", KeyCode::F(20), NONE),
        ("\x1b[Z", KeyCode::BackTab, SHIFT),
        ("\x1b[9;2u", KeyCode::BackTab, SHIFT),
        ("\x1b[27u", KeyCode::Esc, NONE),
        ("\x1b[99;5u", KeyCode::Char('c'), CTRL),
        ("\x1b[127;3u", KeyCode::Backspace, ALT),
        ("\x1b[57414u", KeyCode::Enter, NONE),
        ("\x1b[57400u", KeyCode::Char('1'), NONE),
        ("\x1b[57420u", KeyCode::Down, NONE),
        ("\x1b[27;5;105~", KeyCode::Char('i'), CTRL),
    ] {
        assert_eq!(of(bytes), Some((code, modifiers)), "{bytes:?}");
    }
}

#[test]
fn an_escape_is_a_key_once_nothing_follows() {
    assert_eq!(keys("\x1b"), [(KeyCode::Esc, NONE)]);
    assert_eq!(keys("\x1b\x1b[A"), [(KeyCode::Esc, NONE), (KeyCode::Up, NONE)]);
    assert_eq!(keys("\x1b["), [(KeyCode::Char('['), ALT)]);
    let (mut parser, mut out, now) = (Parser::default(), Vec::new(), Instant::now());
    parser.feed(b"\x1b", now, &mut out);
    parser.expire(now + ESCAPE / 2, &mut out);
    parser.feed(b"[A", now + ESCAPE / 2, &mut out);
    assert_eq!(out, [key(KeyCode::Up, NONE)]);
}

#[test]
fn mouse_and_focus() {
    let mouse = |bytes| match heard(bytes).as_slice() {
        [Heard::Input(Input::Mouse(m))] => (m.kind, m.column, m.row, m.modifiers),
        other => unreachable!("no mouse but {other:?}"),
    };
    assert_eq!(mouse("\x1b[<0;1;1M"), (MouseEventKind::Down(MouseButton::Left), 0, 0, NONE));
    assert_eq!(mouse("\x1b[<2;300;41m"), (MouseEventKind::Up(MouseButton::Right), 299, 40, NONE));
    assert_eq!(mouse("\x1b[<32;5;6M"), (MouseEventKind::Drag(MouseButton::Left), 4, 5, NONE));
    assert_eq!(mouse("\x1b[<81;5;6M"), (MouseEventKind::ScrollDown, 4, 5, CTRL));
    assert_eq!(mouse("\x1b[M !\""), (MouseEventKind::Down(MouseButton::Left), 0, 1, NONE));
    assert_eq!(heard("\x1b[I\x1b[O"), [true, false].map(|has| Heard::Input(Input::Focus(has))));
}

#[test]
fn a_mouse_report_that_is_none_means_nothing() {
    for bytes in [
        "\x1b[<M",
        "\x1b[<m",
        "\x1b[<0M",
        "\x1b[<0;1M",
        "\x1b[<0;1;M",
        "\x1b[<;;M",
        "\x1b[<0;0;1M",
        "\x1b[<0;1;0M",
        "\x1b[<0;1;1;1M",
        "\x1b[<0;1;1~",
        "\x1b[<0;1;1X",
        "\x1b[<27u",
        "\x1b[<0;99999999;1M",
        "\x1b[<0;-1;1M",
        "\x1b[<0:1;1;1M",
        "\x1b[M",
        "\x1b[M ",
    ] {
        for piece in 1..=bytes.len() {
            assert_eq!(heard_in(bytes.as_bytes(), piece), [], "{bytes:?} in pieces of {piece}");
        }
    }
}

#[test]
fn a_paste_is_its_text_with_our_ends_of_lines() {
    let paste = |text: &str| [Heard::Input(Input::Paste(text.to_owned()))];
    let bytes = "\x1b[200~第一行\r\n二\x1b[A\r三\n四\x1b[201~";
    for piece in 1..bytes.len() {
        assert_eq!(
            heard_in(bytes.as_bytes(), piece),
            paste("第一行\n二\x1b[A\n三\n四"),
            "in pieces of {piece}"
        );
    }
    assert_eq!(heard("\x1b[200~no end"), paste("no end"), "a lost end does not swallow the keys for ever");
}

#[test]
fn an_answer_that_nobody_here_asked_for_types_nothing() {
    for answer in [
        "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
        "\x1b]11;rgb:1e1e/1e1e/2e2e\x07",
        "\x1b]52;c;cXlxeXE=\x07",
        "\x1bP>|xterm(390)\x1b\\",
        "\x1bP1+r544e=787465726d\x1b\\",
        "\x1b_Gi=31;OK\x1b\\",
        "\x1b[?1;2y",
        "\x1b[99~",
        "\x1b[?2026;2$y",
    ] {
        assert_eq!(keys(answer), [], "{answer:?}");
        assert_eq!(keys(&format!("{answer}k")), [(KeyCode::Char('k'), NONE)], "{answer:?}");
        for piece in 1..5 {
            assert_eq!(heard_in(answer.as_bytes(), piece), [], "{answer:?} in pieces of {piece}");
        }
    }
    // One whose end is lost is over with the next control, and otherwise with time.
    assert_eq!(keys("\x1b]11;rgb:1e\r"), [(KeyCode::Enter, NONE)]);
    assert_eq!(keys("\x1b]11;rgb:1e\x1b[A"), [(KeyCode::Up, NONE)]);
    assert_eq!(keys("\x1b]11;rgb:1e"), []);
    // The same begins are keys with Alt.
    let alt = |c| (KeyCode::Char(c), ALT);
    assert_eq!(keys("\x1b]"), [alt(']')]);
    assert_eq!(keys("\x1b]a\x1b_"), [alt(']'), (KeyCode::Char('a'), NONE), alt('_')]);
    assert_eq!(keys("\x1bP"), [(KeyCode::Char('P'), ALT | SHIFT)]);
}

#[test]
fn a_large_paste_is_read_once() {
    let mut bytes = b"\x1b[200~".to_vec();
    bytes.extend(std::iter::repeat_n("一行文字 with code\r", 60_000).flat_map(str::bytes));
    bytes.extend_from_slice(PASTE_END);
    let begin = Instant::now();
    let heard = heard_in(&bytes, 1024);
    let [Heard::Input(Input::Paste(text))] = heard.as_slice() else { unreachable!("one paste") };
    assert_eq!(text.lines().count(), 60_000);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?} for {} bytes", begin.elapsed(), bytes.len());
}

#[test]
fn releases_are_told_apart_from_repeats() {
    let kinds: Vec<KeyEventKind> = heard("\x1b[97;1:1u\x1b[97;1:2u\x1b[97;1:3u\x1b[1;1:3A")
        .into_iter()
        .filter_map(|heard| if let Heard::Input(Input::Key(key)) = heard { Some(key.kind) } else { None })
        .collect();
    assert_eq!(kinds, [KeyEventKind::Press, KeyEventKind::Repeat]);
}

proptest! {
    /// Whatever comes, it is dealt with: nothing panics, nothing is kept for ever, and the key after it is read.
    #[test]
    fn anything_is_survived(bytes in proptest::collection::vec(any::<u8>(), 0..200), piece in 1usize..50) {
        let mut parser = Parser::default();
        let mut out = Vec::new();
        for piece in bytes.chunks(piece) {
            parser.feed(piece, Instant::now(), &mut out);
        }
        while let Some(due) = parser.due() {
            parser.expire(due, &mut out);
        }
        out.clear();
        parser.feed(b"k", Instant::now(), &mut out);
        prop_assert_eq!(out, [key(KeyCode::Char('k'), NONE)]);
    }

    /// How the bytes are cut makes no difference.
    #[test]
    fn pieces_make_no_difference(parts in proptest::collection::vec(0usize..11, 0..30), piece in 1usize..8) {
        let known =
            ["a", "读", "\x1b[A", "\x1bx", "\x1b[<0;3;9M", "\x1b[200~p\r\x1b[201~", "\x1b[99;5u", "\r", "\x1b[I", "\x1bOP", "\x1b]4;1;x\x07"];
        let bytes: Vec<u8> = parts.iter().filter_map(|n| known.get(*n)).flat_map(|s| s.bytes()).collect();
        prop_assert_eq!(heard_in(&bytes, piece), heard_in(&bytes, usize::MAX));
    }
}
