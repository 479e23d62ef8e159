//! The plan (a tree of sub-goals), and the agent's structured notes.
//!
//! The tree is in the ids: `2.1` lies under `2`. The agent gives the plan as a whole, and so does a person who edits it.
//! Not to be assumed: that the items stand in the order of the tree.

use super::id::{Hash, Seq, StepNo};
use super::memory::NewMemory;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Most items of a plan.
pub const ITEMS_MAX: usize = 200;
/// Most characters of a title.
pub const TITLE_MAX: usize = 300;
/// Most levels.
pub const LEVELS_MAX: usize = 6;

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

impl PlanState {
    /// All states.
    pub const ALL: [PlanState; 5] =
        [PlanState::Pending, PlanState::Active, PlanState::Done, PlanState::Failed, PlanState::NeedsReview];

    /// The word used in JSON and in a plan that is written as text.
    pub fn word(self) -> &'static str {
        match self {
            PlanState::Pending => "pending",
            PlanState::Active => "active",
            PlanState::Done => "done",
            PlanState::Failed => "failed",
            PlanState::NeedsReview => "needs_review",
        }
    }
}

/// A plan that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanFault {
    /// Too many items.
    #[error("the plan has {0} items; at most {ITEMS_MAX} are kept.")]
    TooMany(usize),
    /// A title that says nothing.
    #[error("the title of {0:?} is empty.")]
    NoTitle(String),
    /// A title that is too long.
    #[error("the title of {0:?} has {1} characters; at most {TITLE_MAX} are kept.")]
    LongTitle(String, usize),
    /// An id that is none.
    #[error(
        "{0:?} is no id; ids are numbers joined by dots, such as \"2.1\", at most {LEVELS_MAX} levels deep."
    )]
    BadId(String),
    /// An id that stands twice.
    #[error("the id {0:?} stands in the plan twice.")]
    Twice(String),
    /// An item whose parent is missing.
    #[error("{id:?} lies under {parent:?}, which is not in the plan.")]
    Orphan {
        /// The item.
        id: String,
        /// What it lies under.
        parent: String,
    },
}

/// True for numbers joined by dots, such as `2.1`.
pub fn is_id(id: &str) -> bool {
    let number = |part: &str| {
        (1..=4).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && !part.starts_with('0')
    };
    id.split('.').count() <= LEVELS_MAX && id.split('.').all(number)
}

/// What is wrong with a plan; none if it can be kept. A plan without items can.
pub fn plan_fault(items: &[PlanItem]) -> Option<PlanFault> {
    if items.len() > ITEMS_MAX {
        return Some(PlanFault::TooMany(items.len()));
    }
    let mut ids = HashSet::new();
    for PlanItem { id, title, .. } in items {
        let length = title.chars().count();
        if title.trim().is_empty() {
            return Some(PlanFault::NoTitle(id.clone()));
        }
        if length > TITLE_MAX {
            return Some(PlanFault::LongTitle(id.clone(), length));
        }
        if !is_id(id) {
            return Some(PlanFault::BadId(id.clone()));
        }
        if !ids.insert(id.as_str()) {
            return Some(PlanFault::Twice(id.clone()));
        }
    }
    items.iter().find_map(|item| {
        let (parent, _) = item.id.rsplit_once('.')?;
        let orphan = || PlanFault::Orphan { id: item.id.clone(), parent: parent.to_owned() };
        (!ids.contains(parent)).then(orphan)
    })
}

/// The version of a plan: a hash of what it says. The same plan has the same version, on whatever timeline.
pub fn plan_version(items: &[PlanItem]) -> Hash {
    // Strings and words are always JSON.
    Hash::of(&serde_json::to_vec(items).unwrap_or_default())
}

/// That a person changed the plan, and the agent has not given another one since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanEdit {
    /// The event that changed it.
    pub seq: Seq,
    /// The step that was at work, or about to begin.
    pub step: StepNo,
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
