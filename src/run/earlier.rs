//! What is no longer before the model and still counts: the goal that was superseded, and what was done in rounds that left
//! the window.

use super::goal::Goal;
use super::id::{Seq, StepNo};
use super::state::Path;
use serde::{Deserialize, Serialize};

/// A goal that is no longer in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Superseded {
    /// Its version.
    pub version: u32,
    /// The step in which it was changed.
    pub step: StepNo,
    /// The event that changed it.
    #[serde(default)]
    pub seq: Seq,
}

impl Superseded {
    /// The same where the run went back to this step: of a step that is not taken there nothing can be told.
    pub(super) fn seen_from(self, step: StepNo) -> Self {
        Self { step: self.step.min(step.saturating_add(1)), ..self }
    }
}

/// A call of a round that left the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoneCall {
    /// Its tool and what it was about, in a few words.
    pub what: String,
    /// Tells it from others whose few words are the same: of the whole argument, where the words do not hold all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<String>,
    /// What came of it.
    pub came: String,
}

/// Most of them that the state keeps.
pub const DONE_MAX: usize = 40;

impl Path {
    /// Takes a new goal of this event: the one in force is superseded.
    pub fn supersede(&mut self, goal: Goal, seq: Seq) {
        let step = self.step.saturating_add(1);
        self.superseded = Some(Superseded { version: self.goal_version, step, seq });
        self.goal = goal;
        self.goal_version = self.goal_version.saturating_add(1);
    }

    /// Notes what was done in rounds that leave: the newest about each thing, and at most [`DONE_MAX`].
    pub(super) fn note_done(&mut self, done: &[DoneCall]) {
        for call in done {
            self.done.retain(|before| (&before.what, &before.whole) != (&call.what, &call.whole));
            self.done.push(call.clone());
        }
        let more = self.done.len().saturating_sub(DONE_MAX);
        self.done.drain(..more);
    }
}
