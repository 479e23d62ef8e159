//! The agent's plan (a tree of sub-goals) and its structured notes.

use super::id::{Seq, StepNo};
use super::memory::NewMemory;
use serde::{Deserialize, Serialize};

/// State of a sub-goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    /// Not begun.
    Pending,
    /// Being worked on.
    Active,
    /// Reached.
    Done,
    /// Given up.
    Failed,
    /// A person should look at it.
    NeedsReview,
}

/// One sub-goal; `2.1` is a child of `2`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanItem {
    /// Place in the tree.
    pub id: String,
    /// What is to be reached.
    pub title: String,
    /// How far it is.
    pub state: PlanState,
}

/// Kind of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// Something confirmed.
    Fact,
    /// Something still open.
    Question,
    /// A question that is answered: it leaves the open ones.
    Answered,
}

/// A fact or an open question in the run's state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The words.
    pub text: String,
    /// The event that brought it.
    pub seq: Seq,
    /// The step it comes from.
    pub step: StepNo,
}

/// What an `inner` call changes; the event that carries it is the effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InnerEffect {
    /// A note was made.
    Note {
        /// Fact, question or answer.
        kind: NoteKind,
        /// The words.
        text: String,
    },
    /// Something is to be remembered beyond the run's own state.
    Remember {
        /// What.
        memory: NewMemory,
    },
    /// The plan is now this.
    Plan {
        /// The whole tree in order.
        items: Vec<PlanItem>,
    },
}
