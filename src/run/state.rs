//! What a run is: the fold of its events, in two halves.
//!
//! The **path** is folded along the present timeline and goes back with a rollback. The **ledger** is folded over all
//! events: rolling back gives no budget back and forgets no effect. The state is bounded: it holds references, open
//! calls and counters, so that opening a run costs the same at step 10 and at step 10,000. Texts are in the journal.

use super::calibration::Calibration;
use super::call::{Call, Origin};
use super::checkpoint::FileRestore;
use super::earlier::{DoneCall, Superseded};
use super::event::{Hold, Purpose, ResultText};
use super::goal::{CheckResult, Goal};
use super::id::{CallId, Epoch, Hash, Head, Millis, RunId, Seq, StepNo, TimelineNo, WorkerId};
use super::left::Left;
use super::memory::{Preference, Recalled};
use super::message::{MessageRef, Shortened, Speaker};
use super::phase::Phase;
use super::plan::{Note, PlanEdit, PlanItem, PlanState};
use super::refused::Refused;
use super::report::{LimitKind, Outcome, ToolStats};
use super::settings::Settings;
pub use super::status::{Status, WaitWhy};
use super::usage::{Totals, Usage};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

/// Version of the fold. A snapshot of another version is ignored and folded anew.
pub const FOLD_VERSION: u32 = 9;
/// Facts and questions kept in the state; older ones stay in the journal only.
pub const NOTES_MAX: usize = 200;
/// Calls remembered for loop detection.
pub const RECENT_CALLS: usize = 12;

/// State of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// The run.
    pub run: RunId,
    /// Where its journal ends.
    pub head: Head,
    /// The half that goes back with a rollback.
    pub path: Path,
    /// The half that never goes back.
    pub ledger: Ledger,
}

/// The half that is folded along the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// The last committed step.
    pub step: StepNo,
    /// The goal in force.
    pub goal: Goal,
    /// Its version, from 1.
    pub goal_version: u32,
    /// The version before it, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded: Option<Superseded>,
    /// Unfolded messages in prompt order.
    pub messages: Vec<MessageRef>,
    /// What stands for the folded ones.
    pub folded: Option<Folded>,
    /// The goal keeper's sentences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<Core>,
    /// When the goal keeper was asked.
    #[serde(default, skip_serializing_if = "Keeper::is_new")]
    pub keeper: Keeper,
    /// Times that the model was asked for the summary of the next fold, and gave none that can be used.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub summary_tries: u32,
    /// Why the last of these was not taken; none if none came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_refused: Option<Refused>,
    /// The event that last counted the messages anew; 0 if none did.
    #[serde(default, skip_serializing_if = "is_zero_seq")]
    pub recounted: Seq,
    /// Results whose texts are no longer shown, with the tokens that this saves.
    pub dropped: BTreeMap<Seq, u32>,
    /// Results of which only the beginning and the end are shown.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shortened: BTreeMap<Seq, Shortened>,
    /// What left the recent rounds since the last step was committed.
    #[serde(default, skip_serializing_if = "Left::is_nothing")]
    pub left: Left,
    /// What was done in rounds that left the window, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<DoneCall>,
    /// Confirmed facts, oldest first.
    pub facts: Vec<Note>,
    /// Open questions, oldest first.
    pub questions: Vec<Note>,
    /// What was done since a result was kept last; none in a run that keeps no results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// The plan.
    pub plan: Vec<PlanItem>,
    /// A person changed it, and the agent has not since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_edit: Option<PlanEdit>,
    /// Memories that are offered, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<Recalled>,
    /// What the person likes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preferences: Vec<Preference>,
    /// The source of vectors failed, and that was said.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub words_alone: bool,
    /// What the current step is at.
    pub turn: Turn,
    /// Calls that were still uncertain when their run ended, with their reply: their result comes later.
    pub unsettled: Vec<(Seq, TurnCall)>,
    /// Claims returned to the model since the last person's word.
    pub check_returns: u32,
    /// Replies in a row that went back because nothing could be done with them; those that left the window count too.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub returned: u32,
    /// The event with the workspace's instructions, and their tokens.
    pub instructions: Option<(Seq, u32)>,
    /// The reply that was last taken as an answer.
    pub answer: Option<Seq>,
    /// How the checks stood when they were last run.
    pub last_checks: Vec<CheckResult>,
}

/// What matters of the task as it stands, in the goal keeper's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Core {
    /// The sentences.
    pub text: String,
    /// Rounds that had left the window then.
    pub rounds: u32,
    /// Sub-goals that were reached then.
    pub done: u32,
    /// Version of the goal then.
    pub goal_version: u32,
    /// True if it found lines of the summary that were wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drift: bool,
    /// These lines, in brief; none if the journal does not have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The model that wrote it, if it is not the run's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// When the goal keeper was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keeper {
    /// The last step before it was asked last.
    pub at: StepNo,
    /// Times that it was asked in that step and gave nothing.
    pub tries: u32,
    /// Why what it wrote last was not taken; none if nothing came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refused>,
}

impl Keeper {
    /// True if it was never asked.
    pub fn is_new(&self) -> bool {
        *self == Self::default()
    }
}

impl Path {
    /// Sub-goals of the plan that are reached.
    pub fn plan_done(&self) -> u32 {
        let done = self.plan.iter().filter(|item| item.state == PlanState::Done);
        u32::try_from(done.count()).unwrap_or(u32::MAX)
    }
}

/// The rounds that left the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folded {
    /// Messages up to this seq are folded.
    pub upto: Seq,
    /// The event that folded them.
    pub seq: Seq,
    /// Rounds folded in all.
    pub rounds: u32,
    /// Tokens that they would take.
    pub tokens: u64,
    /// The summary, if the strategy makes one.
    pub summary: Option<ResultText>,
    /// True if the model wrote it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
}

/// For fields that are left out while nothing happened.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// A call of the current turn, as the path needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnCall {
    /// The call.
    pub call_id: CallId,
    /// Who asked for it.
    pub origin: Origin,
    /// Place in the reply.
    pub position: u32,
    /// True once it is closed.
    pub closed: bool,
}

/// A model call in flight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asking {
    /// The `ModelCalled` event.
    pub called: Seq,
    /// Attempt in this step, from 1.
    pub attempt: u32,
    /// Epoch of the asking worker.
    pub epoch: Epoch,
    /// What for.
    pub purpose: Purpose,
    /// Prompt tokens by our count: charged if the answer is lost.
    pub prompt: u32,
    /// The model that is asked, if it is not the run's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What the current step is at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// The next thing is a model call.
    #[default]
    Idle,
    /// A request is out.
    Asking(Asking),
    /// The request failed.
    Retry {
        /// What for.
        purpose: Purpose,
        /// Attempts so far.
        attempt: u32,
        /// When to try again; none is never.
        until: Option<Millis>,
        /// Kind of failure.
        kind: String,
        /// What happened.
        message: String,
    },
    /// A reply asked for calls, or its step only needs its commit.
    Acting {
        /// The reply.
        reply: Seq,
        /// Its calls.
        calls: Vec<TurnCall>,
    },
    /// A reply without calls: a claim to be done.
    Claiming {
        /// The reply.
        reply: Seq,
        /// The goal's version that the claim is about.
        goal_version: u32,
        /// Checks that were run.
        results: Vec<CheckResult>,
        /// Calls of checks.
        calls: Vec<TurnCall>,
    },
    /// The final report before a stop by a limit is in.
    Reported {
        /// The limit.
        limit: LimitKind,
        /// The reply.
        reply: Seq,
    },
}

/// Who owns a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The worker.
    pub worker: WorkerId,
    /// Its epoch.
    pub epoch: Epoch,
    /// Since when.
    pub since: Millis,
}

/// A timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// Its number.
    pub no: TimelineNo,
    /// Its first event.
    pub from_seq: Seq,
    /// The checkpoint it begins at; 0 for the first timeline.
    pub parent_seq: Seq,
    /// The timeline of that checkpoint; 0 for the first timeline.
    pub parent: TimelineNo,
}

/// A rollback under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RollbackState {
    /// The `RollbackStarted` event.
    pub seq: Seq,
    /// The checkpoint to return to.
    pub to_seq: Seq,
    /// Its step.
    pub to_step: StepNo,
    /// Files to restore.
    pub files: Vec<FileRestore>,
    /// True if it undoes a rollback.
    pub redo: bool,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The outcome.
    pub outcome: Outcome,
    /// The event with the report.
    pub seq: Seq,
    /// When.
    pub at: Millis,
}

fn is_none_lost(tokens: &u64) -> bool {
    *tokens == 0
}

fn is_zero_seq(seq: &Seq) -> bool {
    *seq == 0
}

/// The half that is folded over all events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Journal format of the run.
    pub format: u32,
    /// Title for lists.
    pub title: String,
    /// When it was created.
    pub created: Millis,
    /// The folder it works in.
    pub workspace: PathBuf,
    /// What it is bound by.
    pub settings: Option<Arc<Settings>>,
    /// The event since which messages are counted as the settings say; 0 if they always were.
    #[serde(default, skip_serializing_if = "is_zero_seq")]
    pub counting_since: Seq,
    /// The owner, if it was not released.
    pub owner: Option<Owner>,
    /// The newest epoch.
    pub epoch: Epoch,
    /// Paused; true if "now".
    pub paused: Option<bool>,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<Millis>,
    /// Waits until a person says go on.
    pub hold: Option<Hold>,
    /// A person wants it to end.
    pub cancelling: bool,
    /// It is over.
    pub ended: Option<Ended>,
    /// Open calls by the seq of their proposal.
    pub open: BTreeMap<Seq, Call>,
    /// Totals.
    pub totals: Totals,
    /// True if a model call without a known price was made.
    pub price_unknown: bool,
    /// Statistics by tool that is offered; others under `(unknown)`.
    pub tools: BTreeMap<String, ToolStats>,
    /// Starts within the last minute.
    pub minute: VecDeque<Millis>,
    /// Failures in a row at the end of the last step.
    pub failures: u32,
    /// How the present step's calls came out, as they were recorded: reply, position in it, true if well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<(Seq, u32, bool)>,
    /// The last calls with their results, for loop detection.
    pub recent: VecDeque<Hash>,
    /// Timelines, oldest first.
    pub timelines: Vec<Timeline>,
    /// A rollback under way.
    pub rollback: Option<RollbackState>,
    /// Heads before the rollbacks that can be undone, the last one last. A redo takes one away, a new step all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redo: Vec<Seq>,
    /// How the run had ended where one of these rollbacks began at its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<(Seq, Ended)>,
    /// Checkpoints so far.
    pub checkpoints: u64,
    /// Events that this program does not understand.
    pub unknown: u64,
    /// Drift of the last reply: what the server counted less what we did.
    pub drift: Option<i64>,
    /// Usage of the last reply.
    pub last_usage: Option<Usage>,
    /// Tokens charged for requests for a final report, of the end that is being made, that came to nothing.
    #[serde(default, skip_serializing_if = "is_none_lost")]
    pub lost_reports: u64,
    /// What the replies taught of how this model counts.
    #[serde(default, skip_serializing_if = "Calibration::is_empty")]
    pub calibration: Calibration,
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            format: 0,
            title: String::new(),
            created: 0,
            workspace: PathBuf::new(),
            settings: None,
            counting_since: 0,
            owner: None,
            epoch: 0,
            paused: None,
            paused_at: None,
            hold: None,
            cancelling: false,
            ended: None,
            open: BTreeMap::new(),
            totals: Totals::default(),
            price_unknown: false,
            tools: BTreeMap::new(),
            minute: VecDeque::new(),
            failures: 0,
            outcomes: Vec::new(),
            recent: VecDeque::new(),
            timelines: vec![Timeline { no: 1, from_seq: 1, parent_seq: 0, parent: 0 }],
            rollback: None,
            redo: Vec::new(),
            ends: Vec::new(),
            checkpoints: 0,
            unknown: 0,
            drift: None,
            last_usage: None,
            lost_reports: 0,
            calibration: Calibration::default(),
        }
    }
}

impl RunState {
    /// The state before the first event.
    pub fn new(run: RunId) -> Self {
        Self {
            run,
            head: Head { seq: 0, sum: Hash::of(b""), timeline: 1 },
            path: Path::default(),
            ledger: Ledger::default(),
        }
    }

    /// What the run is bound by; none before its first event.
    pub fn settings(&self) -> Option<&Settings> {
        self.ledger.settings.as_deref()
    }

    /// Open calls of the present timeline, in the order they were proposed.
    pub fn open_here(&self) -> impl Iterator<Item = &Call> {
        self.ledger.open.values().filter(move |call| call.timeline == self.head.timeline)
    }

    /// The open call of the present timeline that comes first in the reply's order.
    pub fn first_open(&self) -> Option<&Call> {
        self.open_here().min_by_key(|call| (call.reply_seq, call.position))
    }

    /// An open call by its id, on whatever timeline.
    pub fn open_call(&self, id: &CallId) -> Option<&Call> {
        self.ledger.open.values().find(|call| call.call_id == *id)
    }

    /// The step whose request has not gone out yet: the first one that can know of what a person says now.
    pub fn next_request_step(&self) -> StepNo {
        let out = match &self.path.turn {
            Turn::Asking(_) | Turn::Acting { .. } | Turn::Claiming { .. } => 1,
            Turn::Idle | Turn::Retry { .. } | Turn::Reported { .. } => 0,
        };
        self.path.step.saturating_add(1 + out)
    }

    /// True if messages in the window were counted otherwise than the model in force counts. Figures of two ways of counting
    /// must not be added up.
    pub fn counts_are_old(&self) -> bool {
        let since = self.ledger.counting_since;
        self.path.recounted < since && self.path.messages.iter().any(|m| m.seq < since)
    }

    /// Rounds that are not folded.
    pub fn rounds(&self) -> usize {
        self.path.messages.iter().filter(|m| m.begins_round()).count()
    }

    /// How the run had ended when the rollback began that is being undone now; none if it was not over then.
    pub fn end_to_redo(&self) -> Option<&Ended> {
        self.ledger.rollback.as_ref().filter(|rollback| rollback.redo)?;
        let undone = self.ledger.redo.last()?;
        self.ledger.ends.iter().find(|(seq, _)| seq == undone).map(|(_, ended)| ended)
    }

    /// True if a person wrote after `seq`.
    pub fn person_spoke_after(&self, seq: Seq) -> bool {
        self.path.messages.iter().any(|m| m.seq > seq && m.speaker == Speaker::Person)
    }
}
