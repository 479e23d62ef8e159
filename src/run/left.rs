//! What left the recent rounds between two steps: what is told of a request is told of that one alone.

use serde::{Deserialize, Serialize};

/// What left the recent rounds: how many of each, and the tokens that this saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Rounds that were folded.
    pub rounds: (u32, u64),
    /// Outputs that were dropped.
    pub dropped: (u32, u64),
    /// Outputs that were shortened.
    pub shortened: (u32, u64),
}

impl Left {
    /// True if nothing did.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Notes so many more that saved so many tokens.
    pub(super) fn add(to: &mut (u32, u64), n: usize, tokens: u64) {
        to.0 = to.0.saturating_add(u32::try_from(n).unwrap_or(u32::MAX));
        to.1 = to.1.saturating_add(tokens);
    }
}
