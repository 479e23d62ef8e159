//! Control sequences (`ESC [ … letter`) from the terminal: function keys, kitty's keys, mouse, focus, answers.

use super::super::input::Input;
use super::parse::{Heard, Step, key};
use crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, KeyEventState, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// Reads one sequence; `bytes` begin with `ESC [`.
pub(super) fn step(bytes: &[u8]) -> Step {
    let body = bytes.get(2..).unwrap_or_default();
    match body.first() {
        None => return Step::Incomplete,
        // The Linux console's F1 to F5.
        Some(b'[') => {
            let Some(letter) = body.get(1) else { return Step::Incomplete };
            let code = (b'A'..=b'E').contains(letter).then(|| KeyCode::F(letter.saturating_sub(b'A') + 1));
            return Step::Took(4, code.map(|code| key(code, KeyModifiers::NONE)));
        }
        // A mouse report of a terminal without the SGR form.
        Some(b'M') => {
            let Some([b, x, y]) = body.get(1..4) else { return Step::Incomplete };
            let place = |v: &u8| u16::from(v.saturating_sub(33));
            let button = u16::from(b.saturating_sub(32));
            return Step::Took(6, mouse(button, place(x), place(y), button & 3 == 3 && button & 96 == 0));
        }
        Some(_) => {}
    }
    let Some(end) = body.iter().position(|b| !(0x20..0x40).contains(b)) else { return Step::Incomplete };
    let Some(last) = body.get(end).copied() else { return Step::Incomplete };
    if !(0x40..0x7f).contains(&last) {
        // No sequence has such a byte: it is cut off, and the byte begins something else.
        return Step::Took(end + 2, None);
    }
    let text = body.get(..end).and_then(|p| std::str::from_utf8(p).ok()).unwrap_or_default();
    if last == b'~' && text == "200" {
        return Step::Paste(end + 3);
    }
    Step::Took(end + 3, meaning(text, last))
}

fn meaning(text: &str, last: u8) -> Option<Heard> {
    if let Some(report) = text.strip_prefix('<') {
        // Anything else than three numbers, counted from 1, and one of two letters is no report: it means nothing.
        let numbers: Option<Vec<u16>> = report.split(';').map(|n| n.parse().ok()).collect();
        let (Some([button, x, y]), b'M' | b'm') = (numbers.as_deref(), last) else { return None };
        return mouse(*button, x.checked_sub(1)?, y.checked_sub(1)?, last == b'm');
    }
    if text.starts_with('?') {
        return match last {
            b'u' => Some(Heard::KeyboardFlags),
            b'c' => Some(Heard::Attributes),
            _ => None,
        };
    }
    if text.is_empty() && matches!(last, b'I' | b'O') {
        return Some(Heard::Input(Input::Focus(last == b'I')));
    }
    let number = |part: usize, sub: usize| {
        text.split(';').nth(part).and_then(|p| p.split(':').nth(sub)).and_then(|n| n.parse::<u32>().ok())
    };
    let held = number(1, 0).unwrap_or(1).saturating_sub(1);
    let kind = match number(1, 1) {
        Some(3) => return None,
        Some(2) => KeyEventKind::Repeat,
        Some(_) | None => KeyEventKind::Press,
    };
    let code = match last {
        b'~' if number(0, 0) == Some(27) => number(2, 0).and_then(unicode)?,
        b'~' => numbered(number(0, 0)?)?,
        b'u' => unicode(number(0, 0)?)?,
        b'Z' => KeyCode::BackTab,
        other => letter(other)?,
    };
    let mut modifiers = modifiers(held);
    let code =
        if code == KeyCode::Tab && modifiers.contains(KeyModifiers::SHIFT) { KeyCode::BackTab } else { code };
    if code == KeyCode::BackTab {
        modifiers |= KeyModifiers::SHIFT;
    }
    Some(Heard::Input(Input::Key(KeyEvent { code, modifiers, kind, state: KeyEventState::NONE })))
}

/// The modifiers of xterm and kitty, whose number is one more than the bits.
fn modifiers(bits: u32) -> KeyModifiers {
    let all = [
        KeyModifiers::SHIFT,
        KeyModifiers::ALT,
        KeyModifiers::CONTROL,
        KeyModifiers::SUPER,
        KeyModifiers::HYPER,
        KeyModifiers::META,
    ];
    (0..).zip(all).filter(|(bit, _)| bits & (1 << bit) != 0).map(|(_, modifier)| modifier).collect()
}

/// Keys that end in a letter, with `ESC [` and `ESC O`.
pub(super) fn letter(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        _ => return None,
    })
}

/// Keys that end in `~`, after their number.
fn numbered(number: u32) -> Option<KeyCode> {
    let function = |n: u32| u8::try_from(n).ok().map(KeyCode::F);
    match number {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => function(number - 10),
        17..=21 => function(number - 11),
        23..=26 => function(number - 12),
        28 | 29 => function(number - 13),
        31..=34 => function(number - 14),
        _ => None,
    }
}

/// Keys by their code point; kitty gives keys without one a place in the private use area.
fn unicode(code: u32) -> Option<KeyCode> {
    const PAD: [KeyCode; 10] = [
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Insert,
        KeyCode::Delete,
    ];
    match code {
        9 => Some(KeyCode::Tab),
        13 | 57_414 => Some(KeyCode::Enter),
        27 => Some(KeyCode::Esc),
        8 | 127 => Some(KeyCode::Backspace),
        57_376..=57_398 => u8::try_from(code - 57_376 + 13).ok().map(KeyCode::F),
        57_399..=57_413 => {
            "0123456789./*-+".chars().nth(usize::try_from(code - 57_399).ok()?).map(KeyCode::Char)
        }
        57_415 => Some(KeyCode::Char('=')),
        57_417..=57_426 => PAD.get(usize::try_from(code - 57_417).ok()?).copied(),
        57_344..=63_743 => None,
        _ => char::from_u32(code).filter(|c| !c.is_control()).map(KeyCode::Char),
    }
}

fn mouse(bits: u16, column: u16, row: u16, up: bool) -> Option<Heard> {
    let modifiers = [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)]
        .into_iter()
        .filter(|(bit, _)| bits & bit != 0)
        .map(|(_, modifier)| modifier)
        .collect();
    let button = match bits & 3 {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    let kind = match (bits & 64 != 0, bits & 32 != 0, button) {
        (true, _, _) => match bits & 3 {
            0 => MouseEventKind::ScrollUp,
            1 => MouseEventKind::ScrollDown,
            2 => MouseEventKind::ScrollLeft,
            _ => MouseEventKind::ScrollRight,
        },
        (false, true, Some(button)) => MouseEventKind::Drag(button),
        (false, true, None) => MouseEventKind::Moved,
        (false, false, Some(button)) if up => MouseEventKind::Up(button),
        (false, false, Some(button)) => MouseEventKind::Down(button),
        // The old form does not say which button.
        (false, false, None) => MouseEventKind::Up(MouseButton::Left),
    };
    if bits & 128 != 0 {
        return None;
    }
    Some(Heard::Input(Input::Mouse(MouseEvent { kind, column, row, modifiers })))
}
