//! Why the reply to a request aside, a summary or the core, was not taken.

use serde::{Deserialize, Serialize};

/// Why a reply is no summary or no core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refused {
    /// Nothing in it says anything.
    #[error("it says nothing")]
    Empty,
    /// A summary under none of the headings that were asked for: anything may be in it.
    #[error("it has none of the headings")]
    NoHeading,
    /// A summary that takes as many tokens as the rounds do, or far more than were asked for; a core over its room.
    #[error("it is longer than what it stands for, or far longer than was asked")]
    Longer,
    /// Every line of it poses as a goal, a constraint, a message or an instruction.
    #[error("all of it poses as a goal or as instructions")]
    Posing,
    /// A core that is not where one was asked for.
    #[error("it does not begin with CORE:")]
    NoMarker,
    /// A core that is a list, headings, code, JSON or a refusal.
    #[error("it is a list, code or a refusal, and no sentences")]
    NoSentences,
    /// A reason of a newer program.
    #[serde(other)]
    #[error("for a reason that this program does not know")]
    Unknown,
}
