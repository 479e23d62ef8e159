//! One key as a person means it, however the terminal reports it.
//!
//! Terminals differ: a capital comes with or without Shift, Ctrl-/ comes as Ctrl-7, Shift-Tab as a key of its own,
//! Ctrl-I as Tab. Here each of these has one form, so that a table of keys has one entry for it. What a terminal of the
//! plain kind cannot tell apart (Ctrl-d and Ctrl-Shift-d, Ctrl-M and Enter) is not told apart on any terminal: a key
//! must not mean two things at two places.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// A key without its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// A character; a capital stands for itself.
    Char(char),
    /// Enter.
    Enter,
    /// Esc.
    Esc,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Insert.
    Insert,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// A function key, from 1.
    F(u8),
}

/// A key with its modifiers, in its one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyPress {
    key: Key,
    ctrl: bool,
    alt: bool,
    shift: bool,
}

impl KeyPress {
    /// The one form of a key and what was held with it.
    pub fn new(key: Key, ctrl: bool, alt: bool, shift: bool) -> Self {
        match key {
            Key::Char(c) if ctrl => Self::with_ctrl(c, alt),
            Key::Char(c) => {
                // Shift is in the character; a terminal that reports the unshifted letter leaves the rest to us.
                let c = if shift { upper(c) } else { c };
                Self { key: Key::Char(c), ctrl, alt, shift: false }
            }
            Key::Enter
            | Key::Esc
            | Key::Tab
            | Key::Backspace
            | Key::Delete
            | Key::Insert
            | Key::Up
            | Key::Down
            | Key::Left
            | Key::Right
            | Key::Home
            | Key::End
            | Key::PageUp
            | Key::PageDown
            | Key::F(_) => Self { key, ctrl, alt, shift },
        }
    }

    /// Ctrl with a character: what comes as one control byte is one key.
    fn with_ctrl(c: char, alt: bool) -> Self {
        let (key, ctrl) = match c.to_ascii_lowercase() {
            'h' => (Key::Backspace, false),
            'i' => (Key::Tab, false),
            'm' => (Key::Enter, false),
            '[' | '3' => (Key::Esc, false),
            '7' | '_' => (Key::Char('/'), true),
            '4' => (Key::Char('\\'), true),
            '5' => (Key::Char(']'), true),
            '6' => (Key::Char('^'), true),
            '2' | '@' => (Key::Char(' '), true),
            c => (Key::Char(c), true),
        };
        Self { key, ctrl, alt, shift: false }
    }

    /// A key without modifiers.
    pub fn plain(key: Key) -> Self {
        Self::new(key, false, false, false)
    }

    /// The key of an event; none for releases, bare modifiers, and keys that are the desktop's. A repeat is a press.
    pub fn from_event(event: &KeyEvent) -> Option<Self> {
        match event.kind {
            KeyEventKind::Press | KeyEventKind::Repeat => {}
            KeyEventKind::Release => return None,
        }
        let held = event.modifiers;
        if held.intersects(KeyModifiers::SUPER | KeyModifiers::HYPER) {
            return None;
        }
        let key = match event.code {
            KeyCode::Char(c) => Key::Char(c),
            KeyCode::Enter => Key::Enter,
            KeyCode::Esc => Key::Esc,
            KeyCode::Tab | KeyCode::BackTab => Key::Tab,
            KeyCode::Backspace => Key::Backspace,
            KeyCode::Delete => Key::Delete,
            KeyCode::Insert => Key::Insert,
            KeyCode::Up => Key::Up,
            KeyCode::Down => Key::Down,
            KeyCode::Left => Key::Left,
            KeyCode::Right => Key::Right,
            KeyCode::Home => Key::Home,
            KeyCode::End => Key::End,
            KeyCode::PageUp => Key::PageUp,
            KeyCode::PageDown => Key::PageDown,
            KeyCode::F(n) => Key::F(n),
            KeyCode::Null
            | KeyCode::CapsLock
            | KeyCode::ScrollLock
            | KeyCode::NumLock
            | KeyCode::PrintScreen
            | KeyCode::Pause
            | KeyCode::Menu
            | KeyCode::KeypadBegin
            | KeyCode::Media(_)
            | KeyCode::Modifier(_) => return None,
        };
        let shift = held.contains(KeyModifiers::SHIFT) || event.code == KeyCode::BackTab;
        let alt = held.intersects(KeyModifiers::ALT | KeyModifiers::META);
        Some(Self::new(key, held.contains(KeyModifiers::CONTROL), alt, shift))
    }

    /// The key without its modifiers.
    pub fn key(self) -> Key {
        self.key
    }

    /// True if Ctrl was held.
    pub fn ctrl(self) -> bool {
        self.ctrl
    }

    /// True if Alt was held.
    pub fn alt(self) -> bool {
        self.alt
    }

    /// True if Shift was held and is not in the character.
    pub fn shift(self) -> bool {
        self.shift
    }

    /// The character that it writes into a text field, if it writes one.
    pub fn typed(self) -> Option<char> {
        let Key::Char(c) = self.key else { return None };
        (!self.ctrl && !self.alt).then_some(c)
    }
}

/// The capital of a letter that has one capital; anything else as it is.
pub(super) fn upper(c: char) -> char {
    let mut capitals = c.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) => capital,
        (Some(_) | None, _) => c,
    }
}
