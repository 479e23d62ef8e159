//! What people may ask of a run: durable rows, written by any process, turned into events at the next safe point.
//! Each carries what its author saw, so that a stale one is refused and not applied to something else.

use super::checkpoint::FileState;
use super::goal::Goal;
use super::id::{CallId, Hash, StepNo, TimelineNo};
use super::plan::PlanItem;
use super::settings::{LimitsPatch, Mode, ModelSettings};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A person, through this face: `cli`, `tui`, `line`.
    Person(String),
    /// The model.
    Agent,
    /// The worker.
    Wakeful,
}

/// A step of a timeline, as people name it: `9@1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StepRef {
    /// Timeline; none is the present one.
    pub timeline: Option<TimelineNo>,
    /// Step; 0 is the start.
    pub step: StepNo,
}

/// What a person says of an uncertain call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// It happened.
    Happened,
    /// It did not; run it.
    Rerun,
    /// Leave it.
    Skip,
}

/// What a person chose of a rollback against what it does by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RollbackChoices {
    /// Files that stay as they are, whatever else would become of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    /// Files that others changed since and that are brought back all the same. Their content is stored first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub take: Vec<String>,
    /// True if the goal of then is in force again, as a new version.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goal: bool,
    /// True if the run is paused where it is led back to. One that is refused pauses nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

impl RollbackChoices {
    /// True if nothing was chosen.
    pub fn is_empty(&self) -> bool {
        self.keep.is_empty() && self.take.is_empty() && !self.goal && !self.paused
    }
}

/// A decision about one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Run it as it stands.
    Approve,
    /// Run it with these arguments.
    ApproveEdited {
        /// The new arguments, valid under the tool's schema.
        args: Value,
    },
    /// Write the file, as long as it is still what the author saw: what would change was shown.
    ApproveShown {
        /// New arguments in place of its own, valid under the tool's schema.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        args: Option<Value>,
        /// The file as it was when that was shown.
        before: FileState,
    },
    /// Do not run it.
    Deny {
        /// Why; the model gets it.
        reason: String,
    },
    /// Do not run it: its result is the one that the same call had on a timeline that was left.
    Reuse {
        /// The call whose result the person saw.
        from: CallId,
    },
    /// The answer to its question.
    Answer {
        /// The person's words.
        text: String,
    },
    /// What became of an uncertain call.
    Resolve {
        /// The verdict.
        resolution: Resolution,
        /// Name of the spool the person was asked about.
        spool: String,
    },
}

/// A control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// Stop after the running call, or now.
    Pause {
        /// True cancels the model stream too.
        now: bool,
    },
    /// Go on: from a pause, a loop, the breaker, a failed check.
    Continue,
    /// End the run.
    Cancel,
    /// Decide one call; the first decision of (call, hash, attempt) wins.
    Decide {
        /// The call.
        call_id: CallId,
        /// The arguments the person saw.
        args_hash: Hash,
        /// The attempt the person was asked about.
        attempt: u32,
        /// What they say.
        decision: Decision,
    },
    /// Replace the goal.
    EditGoal {
        /// The version the edit was made from.
        based_on: u32,
        /// The new goal.
        goal: Goal,
    },
    /// Replace the plan.
    EditPlan {
        /// Version of the plan that the edit was made from; see [`plan_version`](super::plan::plan_version).
        based_on: Hash,
        /// The whole new tree in order; none empties it.
        items: Vec<PlanItem>,
    },
    /// Change limits.
    SetLimits {
        /// What changes.
        patch: LimitsPatch,
    },
    /// Change the approval mode.
    SetMode {
        /// The new mode.
        mode: Mode,
    },
    /// Go on with another model, or with the same one at another place.
    SetModel {
        /// The new model, fully settled.
        model: Box<ModelSettings>,
    },
    /// Say something to the agent.
    Message {
        /// The words.
        text: String,
        /// True: a request that is out is given up for it. Rows of older programs have none.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        now: bool,
    },
    /// Give a running call more time.
    ExtendTimeout {
        /// The call.
        call_id: CallId,
        /// Milliseconds more.
        more_ms: u64,
    },
    /// End a running call; what it did stays, and the model is told that a person ended it.
    StopCall {
        /// The call.
        call_id: CallId,
    },
    /// Return to a checkpoint.
    Rollback {
        /// Which.
        to: StepRef,
        /// True restores the files as well.
        files: bool,
        /// Head the person saw.
        seen_seq: u64,
        /// What is chosen against the default. Rows of older programs have none.
        #[serde(default, skip_serializing_if = "RollbackChoices::is_empty")]
        choices: RollbackChoices,
    },
    /// Undo the last rollback.
    Redo,
}

impl Control {
    /// One word for messages and the journal.
    pub fn word(&self) -> &'static str {
        match self {
            Control::Pause { .. } => "pause",
            Control::Continue => "continue",
            Control::Cancel => "cancel",
            Control::Decide { .. } => "decide",
            Control::EditGoal { .. } => "edit goal",
            Control::EditPlan { .. } => "edit plan",
            Control::SetLimits { .. } => "limits",
            Control::SetMode { .. } => "mode",
            Control::SetModel { .. } => "model",
            Control::Message { .. } => "message",
            Control::ExtendTimeout { .. } => "extend time-out",
            Control::StopCall { .. } => "end the call",
            Control::Rollback { .. } => "roll back",
            Control::Redo => "redo",
        }
    }

    /// True if it needs a worker at work until it is done, and not only a settled record.
    pub fn needs_worker(&self) -> bool {
        match self {
            Control::Cancel | Control::Rollback { .. } | Control::Redo => true,
            Control::Pause { .. }
            | Control::Continue
            | Control::Decide { .. }
            | Control::EditGoal { .. }
            | Control::EditPlan { .. }
            | Control::SetLimits { .. }
            | Control::SetMode { .. }
            | Control::SetModel { .. }
            | Control::Message { .. }
            | Control::ExtendTimeout { .. }
            | Control::StopCall { .. } => false,
        }
    }
}
