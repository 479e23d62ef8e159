//! Changes of a run that a person sent and that the run has not read yet: a new goal, other limits, another mode or model.
//!
//! They stand in the inbox of the store, so that every workstation on it sees the same ones. Not to be assumed: that they
//! will be done. One may be refused when it is read; then the journal says so.

use crate::run::control::{Author, Control};
use crate::run::goal::Goal;
use crate::run::plan::{PlanItem, plan_version};
use crate::run::{Millis, RunState};
use crate::store::{InboxId, InboxRow};

/// A change on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Coming {
    /// Its row in the inbox.
    pub id: InboxId,
    /// Who sent it.
    pub by: Author,
    /// When.
    pub at: Millis,
    /// What it changes.
    pub control: Control,
}

/// A version of the goal that the run has not read yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ComingGoal<'a> {
    /// The version that it becomes.
    pub version: u32,
    /// The goal.
    pub goal: &'a Goal,
    /// Who sent it.
    pub by: &'a Author,
    /// When.
    pub at: Millis,
}

/// The plan on its way that will be in force once all is read, with its change; none if none is. As with goals, one that
/// was made from another plan than the one before it is none.
pub fn coming_plan<'a>(state: &RunState, coming: &'a [Coming]) -> Option<(&'a Coming, &'a [PlanItem])> {
    let mut version = plan_version(&state.path.plan);
    let mut last = None;
    for one in coming {
        if let Control::EditPlan { based_on, items } = &one.control
            && *based_on == version
        {
            version = plan_version(items);
            last = Some((one, items.as_slice()));
        }
    }
    last
}

/// The changes among what waits in an inbox, oldest first.
pub(super) fn coming(pending: &[InboxRow]) -> Vec<Coming> {
    let changes = |control: &Control| match control {
        Control::EditGoal { .. }
        | Control::EditPlan { .. }
        | Control::SetLimits { .. }
        | Control::SetMode { .. }
        | Control::SetModel { .. } => true,
        Control::Pause { .. }
        | Control::Continue
        | Control::Cancel
        | Control::Decide { .. }
        | Control::Message { .. }
        | Control::ExtendTimeout { .. }
        | Control::StopCall { .. }
        | Control::Rollback { .. }
        | Control::Redo => false,
    };
    let of = |row: &InboxRow| Coming {
        id: row.id,
        by: row.author.clone(),
        at: row.at,
        control: row.control.clone(),
    };
    pending.iter().filter(|row| changes(&row.control)).map(of).collect()
}

/// The versions of the goal on their way, oldest first. One that was made from a version that is not in force when it is
/// read will be refused, and is none.
pub fn coming_goals<'a>(state: &RunState, coming: &'a [Coming]) -> Vec<ComingGoal<'a>> {
    let mut version = state.path.goal_version;
    let mut goals = Vec::new();
    for one in coming {
        if let Control::EditGoal { based_on, goal } = &one.control
            && *based_on == version
        {
            version = version.saturating_add(1);
            goals.push(ComingGoal { version, goal, by: &one.by, at: one.at });
        }
    }
    goals
}
