//! What doing a call twice would mean.

use serde::{Deserialize, Serialize};

/// The class of a tool call; recovery after a kill, approval and order depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Changes nothing.
    Read,
    /// Doing it twice is the same as doing it once.
    Keyed,
    /// Doing it twice is wrong.
    Effect,
    /// The event in the journal is the effect.
    Inner,
    /// A question to a person.
    Person,
}
