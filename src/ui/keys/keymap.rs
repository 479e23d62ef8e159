//! The keymap in force: the built-in table with what a person's configuration changes, and what a key means now.

use super::actions::Action;
use super::live::{SETS, is_typing};
use super::names::BadKey;
use super::press::KeyPress;
use super::table::{Ctx, Row, TABLE};
use std::collections::BTreeMap;

/// A row of the table with the keys in force.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The row.
    pub row: &'static Row,
    /// Its keys, the first one is shown.
    pub keys: Vec<KeyPress>,
}

/// What a key means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The action.
    pub action: Action,
    /// Place of the key among the action's keys, from 0: which panel, which option, back or forth.
    pub nth: usize,
}

/// Keys and what they mean. Every table has passed the checks: no key stands twice where both are live.
#[derive(Clone, Debug)]
pub struct Keymap {
    bound: Vec<Bound>,
    /// Keys and their words are shown without signs but ASCII.
    ascii: bool,
}

/// A configuration of keys that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadKeymap {
    /// No such action.
    #[error("[keys] there is no action \"{name}\"; the nearest is \"{nearest}\"")]
    UnknownAction {
        /// As written.
        name: String,
        /// The nearest name that exists.
        nearest: &'static str,
    },
    /// No such key.
    #[error("[keys] {action}: {source}")]
    UnknownKey {
        /// The action.
        action: &'static str,
        /// What is wrong.
        source: BadKey,
    },
    /// One key, two meanings.
    #[error(
        "[keys] {key} stands for {first} and for {second}, which are live together ({place}); give one another key"
    )]
    Twice {
        /// The key.
        key: KeyPress,
        /// One action.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// Where both are live.
        place: &'static str,
    },
    /// A character that could not be typed any more.
    #[error(
        "[keys] {action}: {key} would be lost to typing; take a key with Ctrl or Alt, or one with a name"
    )]
    Typed {
        /// The action.
        action: &'static str,
        /// The key.
        key: KeyPress,
    },
    /// The place of each key has a meaning, and there are too few or too many.
    #[error("[keys] {action} takes {needed} keys in order, not {given}")]
    Count {
        /// The action.
        action: &'static str,
        /// How many it takes.
        needed: usize,
        /// How many were given.
        given: usize,
    },
    /// Without a key for it nobody gets out.
    #[error("[keys] {0} must keep a key: without it there is no way out")]
    NoWayOut(&'static str),
}

impl Keymap {
    /// The table as it is built in.
    pub fn built_in() -> Self {
        let parse = |row: &Row| row.keys.split(' ').filter_map(|name| name.parse().ok()).collect();
        Self { bound: TABLE.iter().map(|row| Bound { row, keys: parse(row) }).collect(), ascii: false }
    }

    /// The table with other keys for some actions: `deny = ["D", "F8"]`. An empty list takes the keys away.
    ///
    /// # Errors
    /// [`BadKeymap`]; nothing is changed by halves.
    pub fn with_overrides(overrides: &BTreeMap<String, Vec<String>>) -> Result<Self, BadKeymap> {
        let mut map = Self::built_in();
        for (name, keys) in overrides {
            let action = Action::named(name).ok_or_else(|| unknown(name))?;
            let keys: Vec<KeyPress> = keys
                .iter()
                .map(|key| key.parse())
                .collect::<Result<_, _>>()
                .map_err(|source| BadKeymap::UnknownKey { action: action.name(), source })?;
            map.bind(action, &keys)?;
        }
        map.check()?;
        Ok(map)
    }

    /// The same, shown without signs but ASCII if that is wanted.
    #[must_use]
    pub fn in_ascii(mut self, ascii: bool) -> Self {
        self.ascii = ascii;
        self
    }

    /// Whether it is shown without signs but ASCII.
    pub(super) fn is_ascii(&self) -> bool {
        self.ascii
    }

    fn bind(&mut self, action: Action, keys: &[KeyPress]) -> Result<(), BadKeymap> {
        let name = action.name();
        if keys.is_empty() && matches!(action, Action::Back | Action::Interrupt) {
            return Err(BadKeymap::NoWayOut(name));
        }
        for bound in self.bound.iter_mut().filter(|bound| bound.row.action == action) {
            let (needed, given) = (bound.keys.len(), keys.len());
            if action.is_ordered() && needed != given {
                return Err(BadKeymap::Count { action: name, needed, given });
            }
            if let Some(key) = keys.iter().find(|key| is_typing(bound.row.ctx) && key.typed().is_some()) {
                return Err(BadKeymap::Typed { action: name, key: *key });
            }
            bound.keys = keys.to_vec();
        }
        Ok(())
    }

    /// No key twice in a set that is live at once.
    pub(super) fn check(&self) -> Result<(), BadKeymap> {
        for (place, live) in SETS {
            let mut seen: BTreeMap<KeyPress, &'static str> = BTreeMap::new();
            for bound in self.bound.iter().filter(|bound| live.contains(&bound.row.ctx)) {
                let second = bound.row.action.name();
                for key in &bound.keys {
                    if let Some(first) = seen.insert(*key, second) {
                        return Err(BadKeymap::Twice { key: *key, first, second, place });
                    }
                }
            }
        }
        Ok(())
    }

    /// What a key means where these contexts are live; with the place of the key for actions that have several.
    pub fn find(&self, live: &[Ctx], key: KeyPress) -> Option<Hit> {
        self.shown(live).find_map(|bound| {
            let nth = bound.keys.iter().position(|own| *own == key)?;
            Some(Hit { action: bound.row.action, nth })
        })
    }

    /// What a key means where these contexts are live.
    pub fn lookup(&self, live: &[Ctx], key: KeyPress) -> Option<Action> {
        self.find(live, key).map(|hit| hit.action)
    }

    /// The rows that are built and live, in the order of the table.
    pub fn shown<'a>(&'a self, live: &'a [Ctx]) -> impl Iterator<Item = &'a Bound> {
        self.bound.iter().filter(|bound| bound.row.built && live.contains(&bound.row.ctx))
    }

    /// All rows, also those that are not built.
    pub fn all(&self) -> &[Bound] {
        &self.bound
    }
}

fn unknown(name: &str) -> BadKeymap {
    let far = |action: &&Action| strsim::osa_distance(action.name(), name);
    let nearest = Action::ALL.iter().min_by_key(far).map_or("", |action| action.name());
    BadKeymap::UnknownAction { name: name.to_owned(), nearest }
}
