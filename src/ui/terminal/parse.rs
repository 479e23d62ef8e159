//! Bytes from the terminal become keys, pastes, mouse reports and answers. Pure: bytes and times in, [`Heard`] out.
//!
//! The events are crossterm's types with its conventions (Ctrl-/ is Ctrl-7, a capital has SHIFT, Ctrl-J is not Enter).
//! Its own reader is not used: at the end of the terminal it reads for ever without waiting, a sequence cut by the
//! network blocks it, and it reads a terminal that another process group has, which stops the process.
//!
//! Not to be assumed: that a sequence arrives in one piece. What is incomplete is kept, and decided by time alone: an
//! Escape without a sequel within [`ESCAPE`] is the key.

use super::super::input::Input;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::{Duration, Instant};

/// How long a lone Escape may be the beginning of a sequence.
pub const ESCAPE: Duration = Duration::from_millis(50);
/// How long the rest of a sequence or character may take; then it is dropped.
const REST: Duration = Duration::from_millis(500);
/// How long a paste may be silent; then it is taken to be over, so that a lost end does not swallow all keys for ever.
const SILENCE: Duration = Duration::from_secs(5);
/// Longest sequence; beyond, it is none.
const LONGEST: usize = 64;
/// Longest answer that is a string. A colour takes thirty bytes; what others ask for can be longer.
const LONGEST_STRING: usize = 1024;
const PASTE_END: &[u8] = b"\x1b[201~";

/// What the terminal said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Something for the program.
    Input(Input),
    /// It knows keyboard flags.
    KeyboardFlags,
    /// Its device attributes.
    Attributes,
}

/// The state between reads.
#[derive(Debug, Default)]
pub struct Parser {
    pending: Vec<u8>,
    paste: Option<Vec<u8>>,
    last: Option<Instant>,
    /// What is incomplete now means nothing once it is complete.
    forgotten: bool,
}

/// What the beginning of some bytes is.
pub(super) enum Step {
    /// The beginning of more.
    Incomplete,
    /// So many bytes, which mean this or nothing.
    Took(usize, Option<Heard>),
    /// So many bytes, which begin a paste.
    Paste(usize),
}

impl Parser {
    /// Takes bytes that arrived now.
    pub fn feed(&mut self, bytes: &[u8], now: Instant, out: &mut Vec<Heard>) {
        self.pending.extend_from_slice(bytes);
        self.last = Some(now);
        let mut at = 0;
        loop {
            let rest = self.pending.get(at..).unwrap_or_default();
            if let Some(paste) = &mut self.paste {
                let Some(end) = rest.windows(PASTE_END.len()).position(|w| w == PASTE_END) else {
                    // The last bytes may be the beginning of the end.
                    let safe = rest.len().saturating_sub(PASTE_END.len() - 1);
                    paste.extend_from_slice(rest.get(..safe).unwrap_or_default());
                    at += safe;
                    break;
                };
                paste.extend_from_slice(rest.get(..end).unwrap_or_default());
                at += end + PASTE_END.len();
                let whole = self.paste.take().map(pasted);
                out.extend(whole.filter(|_| !std::mem::take(&mut self.forgotten)));
                continue;
            }
            if rest.is_empty() {
                break;
            }
            let longest = if is_string(rest) { LONGEST_STRING } else { LONGEST };
            match step(rest) {
                Step::Incomplete if rest.len() < longest => break,
                Step::Incomplete => {
                    at += rest.len();
                    self.forgotten = false;
                }
                Step::Took(n, heard) => {
                    at += n;
                    out.extend(
                        heard.filter(|heard| !std::mem::take(&mut self.forgotten) || heard.is_answer()),
                    );
                }
                Step::Paste(n) => {
                    at += n;
                    self.paste = Some(Vec::new());
                }
            }
        }
        self.pending.drain(..at);
    }

    /// When [`Parser::expire`] has something to decide.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        let patience = match (&self.paste, self.pending.as_slice()) {
            (Some(_), _) => SILENCE,
            (None, []) => return None,
            (None, [0x1b] | [0x1b, b'[' | b'O' | b']' | b'P' | b'_']) => ESCAPE,
            (None, _) => REST,
        };
        self.last.map(|last| last + patience)
    }

    /// Decides what is incomplete and has been for too long.
    pub fn expire(&mut self, now: Instant, out: &mut Vec<Heard>) {
        if self.due().is_none_or(|due| now < due) {
            return;
        }
        let forgotten = std::mem::take(&mut self.forgotten);
        let mut pending = std::mem::take(&mut self.pending);
        if let Some(mut paste) = self.paste.take() {
            paste.append(&mut pending);
            out.extend(Some(pasted(paste)).filter(|_| !forgotten));
            return;
        }
        match pending.as_slice() {
            _ if forgotten => {}
            [0x1b] => out.push(key(KeyCode::Esc, KeyModifiers::NONE)),
            [0x1b, c] => {
                let shift = if c.is_ascii_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
                out.push(key(KeyCode::Char(char::from(*c)), KeyModifiers::ALT | shift));
            }
            _ => {}
        }
    }

    /// Drops what was typed in part: its rest is read, but means nothing.
    pub fn forget(&mut self) {
        self.forgotten = self.paste.is_some() || !self.pending.is_empty();
    }
}

impl Heard {
    fn is_answer(&self) -> bool {
        matches!(self, Self::KeyboardFlags | Self::Attributes)
    }
}

/// Terminals send a carriage return for each end of a line.
fn pasted(bytes: Vec<u8>) -> Heard {
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").replace('\r', "\n");
    Heard::Input(Input::Paste(text))
}

pub(super) fn key(code: KeyCode, modifiers: KeyModifiers) -> Heard {
    Heard::Input(Input::Key(KeyEvent::new(code, modifiers)))
}

fn step(bytes: &[u8]) -> Step {
    match bytes {
        [] | [0x1b] => Step::Incomplete,
        [0x1b, b'[', ..] => super::csi::step(bytes),
        [0x1b, b'O', ..] => single_shift(bytes),
        // An answer to what another program asked, as it may come late: nothing of it was typed.
        _ if is_string(bytes) => string(bytes),
        [0x1b, b']' | b'P' | b'_'] => Step::Incomplete,
        // Two escapes: the first was the key, the second may begin a sequence.
        [0x1b, 0x1b, ..] => Step::Took(1, Some(key(KeyCode::Esc, KeyModifiers::NONE))),
        [0x1b, rest @ ..] => match step(rest) {
            Step::Took(n, heard) => Step::Took(n + 1, heard.map(with_alt)),
            other => other,
        },
        [byte, ..] if *byte < 0x20 || *byte == 0x7f => Step::Took(1, Some(control(*byte))),
        [first, ..] => character(bytes, *first),
    }
}

/// Whether these bytes begin an answer that is a string: a colour or the clipboard (`ESC ] digit`), a setting or a
/// version (`ESC P`), a picture's fate (`ESC _ G`). With any other sequel it is a key pressed with Alt.
fn is_string(bytes: &[u8]) -> bool {
    match bytes {
        [0x1b, b']', next, ..] => next.is_ascii_digit(),
        [0x1b, b'P', next, ..] => next.is_ascii_digit() || b">!=|+$".contains(next),
        [0x1b, b'_', next, ..] => *next == b'G',
        _ => false,
    }
}

/// A string up to its end: a bell, or `ESC \`. Any other control cuts it off and begins something else, so that a lost end
/// swallows no more than the keys up to it.
fn string(bytes: &[u8]) -> Step {
    let body = bytes.get(2..).unwrap_or_default();
    let Some(end) = body.iter().position(|byte| *byte < 0x20 || *byte == 0x7f) else {
        return Step::Incomplete;
    };
    match body.get(end..) {
        Some([0x1b]) => Step::Incomplete,
        Some([0x1b, b'\\', ..]) => Step::Took(end + 4, None),
        Some([0x07, ..]) => Step::Took(end + 3, None),
        _ => Step::Took(end + 2, None),
    }
}

fn with_alt(heard: Heard) -> Heard {
    match heard {
        Heard::Input(Input::Key(mut key)) => {
            key.modifiers |= KeyModifiers::ALT;
            Heard::Input(Input::Key(key))
        }
        other => other,
    }
}

fn control(byte: u8) -> Heard {
    let ctrl = |base: u8, from: u8| {
        key(KeyCode::Char(char::from(base.saturating_add(byte).saturating_sub(from))), KeyModifiers::CONTROL)
    };
    match byte {
        b'\r' => key(KeyCode::Enter, KeyModifiers::NONE),
        b'\t' => key(KeyCode::Tab, KeyModifiers::NONE),
        0x7f => key(KeyCode::Backspace, KeyModifiers::NONE),
        0 => key(KeyCode::Char(' '), KeyModifiers::CONTROL),
        1..=26 => ctrl(b'a', 1),
        _ => ctrl(b'4', 0x1c),
    }
}

fn character(bytes: &[u8], first: u8) -> Step {
    let length = match first {
        0x20..=0x7e => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Step::Took(1, None),
    };
    let Some(own) = bytes.get(..length) else {
        let tail = bytes.get(1..).unwrap_or_default();
        let cut = tail.iter().all(|b| (0x80..0xc0).contains(b));
        return if cut { Step::Incomplete } else { Step::Took(1, None) };
    };
    match std::str::from_utf8(own).ok().and_then(|text| text.chars().next()) {
        Some(c) => {
            let shift = if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
            Step::Took(length, Some(key(KeyCode::Char(c), shift)))
        }
        None => Step::Took(1, None),
    }
}

/// Keys of the application mode: `ESC O` and a letter.
fn single_shift(bytes: &[u8]) -> Step {
    let Some(letter) = bytes.get(2) else { return Step::Incomplete };
    let code = super::csi::letter(*letter).or(match letter {
        b'M' => Some(KeyCode::Enter),
        _ => None,
    });
    Step::Took(3, code.map(|code| key(code, KeyModifiers::NONE)))
}

#[cfg(test)]
mod tests;
