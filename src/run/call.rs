//! The life of a tool call. The listed moves are all there are; any other is an error and never changes the call.
//!
//! proposed → waiting | approved | rejected | cancelled · waiting → approved | denied | cancelled | done (an answer) |
//! done or failed (a result of before is reused) ·
//! approved → started | waiting | rejected | cancelled · started → done | failed | uncertain | approved (not started,
//! attempt + 1) | failed (after three tries) | cancelled (not started) · uncertain → done | failed | approved |
//! cancelled (skipped).

use super::checkpoint::FileState;
use super::id::{CallId, Epoch, Hash, Millis, Seq, StepNo, TimelineNo};
use super::settings::Class;
use serde::{Deserialize, Serialize};

/// Attempts that may fail to start before the call fails.
pub const START_TRIES: u32 = 3;

/// State of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// The model asked for it; nobody judged it yet.
    Proposed,
    /// A person has to decide.
    Waiting,
    /// It may start.
    Approved,
    /// It was started; its outcome is not recorded yet.
    Started,
    /// It came to a good end.
    Done,
    /// It came to a bad end, with an error result.
    Failed,
    /// Not run: unknown tool, bad arguments, policy or quota.
    Rejected,
    /// Not run: a person said no.
    Denied,
    /// Not run, or given up.
    Cancelled,
    /// Started, and nobody knows whether it happened.
    Uncertain,
}

impl CallStatus {
    /// True once nothing can happen to the call any more.
    pub fn is_closed(self) -> bool {
        match self {
            CallStatus::Done
            | CallStatus::Failed
            | CallStatus::Rejected
            | CallStatus::Denied
            | CallStatus::Cancelled => true,
            CallStatus::Proposed
            | CallStatus::Waiting
            | CallStatus::Approved
            | CallStatus::Started
            | CallStatus::Uncertain => false,
        }
    }

    /// The word used in JSON and on screens.
    pub fn word(self) -> &'static str {
        match self {
            CallStatus::Proposed => "proposed",
            CallStatus::Waiting => "waiting",
            CallStatus::Approved => "approved",
            CallStatus::Started => "started",
            CallStatus::Done => "done",
            CallStatus::Failed => "failed",
            CallStatus::Rejected => "rejected",
            CallStatus::Denied => "denied",
            CallStatus::Cancelled => "cancelled",
            CallStatus::Uncertain => "uncertain",
        }
    }

    /// The state after `step`, or why there is none.
    ///
    /// # Errors
    /// [`IllegalMove`] for every move that is not in the list of the module.
    pub fn after(self, step: CallMove) -> Result<CallStatus, IllegalMove> {
        use CallMove as M;
        use CallStatus as S;
        let next = match (self, step) {
            (S::Proposed | S::Approved, M::Wait) => S::Waiting,
            (S::Proposed | S::Waiting, M::Approve) => S::Approved,
            (S::Proposed | S::Approved, M::Reject) => S::Rejected,
            (S::Proposed | S::Waiting | S::Approved, M::Cancel) => S::Cancelled,
            (S::Waiting, M::Deny) => S::Denied,
            (S::Waiting, M::Answer | M::Reuse) => S::Done,
            (S::Waiting, M::ReuseFailed) => S::Failed,
            (S::Approved, M::Start) => S::Started,
            (S::Started, M::Reattach) => S::Started,
            (S::Started | S::Uncertain, M::Finish) => S::Done,
            (S::Started | S::Uncertain, M::Fail) => S::Failed,
            (S::Started, M::Doubt) => S::Uncertain,
            (S::Started, M::NotStarted) => S::Approved,
            (S::Started, M::NotStartedCancel) => S::Cancelled,
            (S::Uncertain, M::Rerun) => S::Approved,
            (S::Uncertain, M::Skip) => S::Cancelled,
            (from, step) => return Err(IllegalMove { from, step }),
        };
        Ok(next)
    }
}

/// A move in a call's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallMove {
    /// A person is asked.
    Wait,
    /// It may start.
    Approve,
    /// Refused by wakeful.
    Reject,
    /// Refused by a person.
    Deny,
    /// Given up before it started.
    Cancel,
    /// A person's answer is the result.
    Answer,
    /// A good result of before is taken, and it is not run.
    Reuse,
    /// A bad result of before is taken, and it is not run.
    ReuseFailed,
    /// An attempt begins.
    Start,
    /// A later worker watches the same attempt.
    Reattach,
    /// Good end.
    Finish,
    /// Bad end.
    Fail,
    /// The evidence is gone.
    Doubt,
    /// Proven not to have started; another attempt may.
    NotStarted,
    /// Proven not to have started, and given up.
    NotStartedCancel,
    /// A person or the class says: run it again.
    Rerun,
    /// A person says: leave it.
    Skip,
}

/// A move that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a call that is {} cannot take the move {step:?}", from.word())]
pub struct IllegalMove {
    /// Where the call stands.
    pub from: CallStatus,
    /// What was tried.
    pub step: CallMove,
}

/// Who asked for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The model, in a reply.
    Model,
    /// An acceptance check of this index; its result goes to the check and not to the model.
    Check(usize),
}

/// An open call in the run's state; closed ones live in the table of calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Its name.
    pub call_id: CallId,
    /// The event that proposed it.
    pub seq: Seq,
    /// The reply it stands in; its own seq for a check.
    pub reply_seq: Seq,
    /// Who asked for it.
    pub origin: Origin,
    /// The timeline it was proposed on.
    pub timeline: TimelineNo,
    /// The step it belongs to.
    pub step: StepNo,
    /// Place in the reply, from 1.
    pub position: u32,
    /// The tool's name, as the model wrote it.
    pub tool: String,
    /// What doing it twice would mean.
    pub class: Class,
    /// Hash of tool and canonical arguments as they stand now.
    pub args_hash: Hash,
    /// Finds the same effect elsewhere: hash of tool and canonical arguments.
    pub effect_key: Hash,
    /// The event whose arguments are in force: the proposal or the last edit.
    pub args_seq: Seq,
    /// State.
    pub status: CallStatus,
    /// Attempt that is or will be started, from 1.
    pub attempt: u32,
    /// Epoch of the worker that started or re-attached it.
    pub epoch: Epoch,
    /// Epoch in which the attempt began; names the spool.
    pub spool_epoch: Epoch,
    /// When the present state began.
    pub since: Millis,
    /// Why it waits, or is uncertain.
    pub why: Option<String>,
    /// True once an attempt began and left no result.
    pub may_have_happened: bool,
    /// True once a person edited the arguments.
    pub edited: bool,
    /// The file that it writes, as it was when a person approved what would change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<FileState>,
    /// What becomes of it if nobody decides, and when; none: it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<DefaultAnswer>,
}

/// What becomes of a decision that nobody makes: the agent's recommendation is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefaultAnswer {
    /// When, by the wall clock.
    pub at: Millis,
    /// How long it waits until then, milliseconds.
    pub after_ms: u64,
}

impl Call {
    /// Name of the spool of the present attempt: `CALL.ATTEMPT.EPOCH`.
    pub fn spool(&self) -> String {
        format!("{}.{}.{}", self.call_id, self.attempt, self.spool_epoch)
    }

    /// `step.position`, as people name it.
    pub fn place(&self) -> String {
        format!("{}.{}", self.step, self.position)
    }
}
