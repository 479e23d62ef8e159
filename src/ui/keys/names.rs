//! Names of keys: how they stand in configuration files, how they are read, how they are shown.
//!
//! Reading takes any case and the usual other names; writing has one name a key. What is written is read back as the
//! same key.

use super::press::{Key, KeyPress, upper};
use std::fmt;
use std::str::FromStr;

/// Keys with names: the name in configuration files, other names that are read, the sign on the screen.
const NAMES: &[(Key, &str, &[&str], &str)] = &[
    (Key::Char(' '), "Space", &["Spacebar"], "Space"),
    (Key::Enter, "Enter", &["Return"], "Enter"),
    (Key::Esc, "Esc", &["Escape"], "Esc"),
    (Key::Tab, "Tab", &[], "Tab"),
    (Key::Backspace, "Backspace", &["BS"], "Backspace"),
    (Key::Delete, "Del", &["Delete"], "Del"),
    (Key::Insert, "Ins", &["Insert"], "Ins"),
    (Key::Up, "Up", &["↑"], "↑"),
    (Key::Down, "Down", &["↓"], "↓"),
    (Key::Left, "Left", &["←"], "←"),
    (Key::Right, "Right", &["→"], "→"),
    (Key::Home, "Home", &[], "Home"),
    (Key::End, "End", &[], "End"),
    (Key::PageUp, "PgUp", &["PageUp"], "PgUp"),
    (Key::PageDown, "PgDn", &["PageDown"], "PgDn"),
];

/// Names of modifiers as they are read, in any case.
const MODIFIERS: &[(&str, Modifier)] = &[
    ("Ctrl", Modifier::Ctrl),
    ("Control", Modifier::Ctrl),
    ("C", Modifier::Ctrl),
    ("Alt", Modifier::Alt),
    ("Meta", Modifier::Alt),
    ("M", Modifier::Alt),
    ("A", Modifier::Alt),
    ("Shift", Modifier::Shift),
    ("S", Modifier::Shift),
];

#[derive(Clone, Copy)]
enum Modifier {
    Ctrl,
    Alt,
    Shift,
}

impl KeyPress {
    /// The name on the screen: as in configuration files, but arrows are signs.
    pub fn label(self) -> String {
        let name = match NAMES.iter().find(|row| row.0 == self.key()) {
            Some((_, _, _, sign)) => (*sign).to_owned(),
            None => self.bare(),
        };
        format!("{}{name}", self.held())
    }

    fn held(self) -> String {
        let mut held = String::new();
        for (on, name) in [(self.ctrl(), "Ctrl-"), (self.alt(), "Alt-"), (self.shift(), "Shift-")] {
            if on {
                held.push_str(name);
            }
        }
        held
    }

    /// The name of a key that has none in the list.
    fn bare(self) -> String {
        match self.key() {
            Key::Char(c) if self.ctrl() => upper(c).to_string(),
            Key::Char(c) => c.to_string(),
            Key::F(n) => format!("F{n}"),
            other => format!("{other:?}"),
        }
    }
}

impl fmt::Display for KeyPress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match NAMES.iter().find(|row| row.0 == self.key()) {
            Some((_, name, _, _)) => (*name).to_owned(),
            None => self.bare(),
        };
        write!(f, "{}{name}", self.held())
    }
}

/// A name that is no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is not a key. Write one character, or a name such as Enter, PgDn, F2, Ctrl-D, Alt-Enter, Shift-Tab"
)]
pub struct BadKey(pub String);

impl FromStr for KeyPress {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let bad = || BadKey(text.to_owned());
        let (mut ctrl, mut alt, mut shift) = (false, false, false);
        let mut rest = text.trim();
        while let Some((modifier, tail)) = modifier(rest) {
            match modifier {
                Modifier::Ctrl => ctrl = true,
                Modifier::Alt => alt = true,
                Modifier::Shift => shift = true,
            }
            rest = tail;
        }
        if rest.eq_ignore_ascii_case("BackTab") {
            return Ok(Self::new(Key::Tab, ctrl, alt, true));
        }
        Ok(Self::new(bare(rest).ok_or_else(bad)?, ctrl, alt, shift))
    }
}

/// The modifier that a name begins with, and what stands after its `-` or `+`.
fn modifier(text: &str) -> Option<(Modifier, &str)> {
    let (name, tail) = text.split_once(['-', '+'])?;
    let (_, modifier) = MODIFIERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    (!tail.is_empty()).then_some((*modifier, tail))
}

/// A key by its name without modifiers.
fn bare(text: &str) -> Option<Key> {
    let mut chars = text.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        let sign = NAMES.iter().find(|(_, _, others, _)| others.contains(&text));
        return match sign {
            Some((key, _, _, _)) => Some(*key),
            None => (!c.is_control() && !c.is_whitespace()).then_some(Key::Char(c)),
        };
    }
    let named = |known: &&str| known.eq_ignore_ascii_case(text);
    if let Some((key, ..)) = NAMES.iter().find(|(_, name, others, _)| named(name) || others.iter().any(named))
    {
        return Some(*key);
    }
    let number = text.strip_prefix(['F', 'f'])?;
    number.parse().ok().filter(|n| (1..=24).contains(n)).map(Key::F)
}
