//! Everything that can happen to a run. One exhaustive enum: what is not here cannot be recorded, and every reader
//! matches all of it.
//!
//! An event is stored as its kind, the version of that kind, and a JSON payload. A payload of an older version is
//! upcast in [`decode`]; a kind that this program does not know is kept, counted, and makes the run read-only.

pub use super::decode::{BadPayload, Decoded, decode};
pub use super::envelope::{Envelope, NewEvent};
pub use super::event_parts::{NotStartedEnd, Proposal, Purpose, RequestParts, ResultText};

use super::body::Body;
use super::budget_table::BudgetTable;
use super::call::DefaultAnswer;
use super::checkpoint::{Chosen, FileChange, FileRestore, FileState};
use super::control::Resolution;
use super::earlier::DoneCall;
use super::goal::Goal;
use super::id::{CallId, Epoch, Hash, Millis, Seq, StepNo, TimelineNo, WorkerId};
use super::memory::{NewMemory, Preference, Recalled, Under};
use super::message::{FinishReason, ReplyCall};
use super::plan::{InnerEffect, PlanItem};
use super::refused::Refused;
use super::report::Outcome;
use super::settings::Settings;
use super::usage::Usage;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Version of the journal's format as a whole; a run created under a later one is not opened for writing.
pub const JOURNAL_FORMAT: u32 = 1;

/// Why a run waits until a person says go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// Too many failures in a row.
    Breaker(u32),
    /// The same call with the same result again and again.
    Loop(String),
    /// A check failed too often; the words say which.
    FailedCheck(String),
    /// The fixed part of the context does not fit; the words name the slot.
    Context(String),
    /// The stored run is damaged; the words say where.
    Damage(String),
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The run begins.
    RunCreated {
        /// Journal format it was created under.
        format: u32,
        /// Short title for lists.
        title: String,
        /// The goal, version 1.
        goal: Goal,
        /// Absolute path of the folder it works in.
        workspace: PathBuf,
        /// What it is bound by.
        settings: Box<Settings>,
    },
    /// A worker owns the run from here.
    RunClaimed {
        /// The new epoch.
        epoch: Epoch,
        /// The worker.
        worker: WorkerId,
    },
    /// The worker gave the run back.
    RunReleased {
        /// Its epoch.
        epoch: Epoch,
    },
    /// Limits, mode, rules, tools or model are now these.
    SettingsChanged {
        /// All of them.
        settings: Box<Settings>,
        /// What changed, in words.
        why: String,
    },
    /// The workspace's instructions (AGENTS.md) are now these.
    InstructionsRead {
        /// Their text.
        body: Body,
        /// Tokens of the text.
        tokens: u32,
    },
    /// The goal is now this.
    GoalEdited {
        /// The new version.
        version: u32,
        /// The goal.
        goal: Goal,
    },
    /// A person changed the plan.
    PlanEdited {
        /// The whole tree in order.
        items: Vec<PlanItem>,
    },
    /// A person said something.
    PersonMessage {
        /// The words.
        body: Body,
        /// Tokens, framing included.
        tokens: u32,
    },
    /// A control came too late or saw something else.
    ControlRefused {
        /// Which kind.
        control: String,
        /// Why.
        why: String,
    },
    /// The run is paused.
    Paused {
        /// True if the running model call was to be cut.
        now: bool,
    },
    /// A person said go on: pause and hold end.
    Continued,
    /// A person wants the run to end.
    CancelRequested,
    /// A request goes out.
    ModelCalled {
        /// The step it belongs to.
        step: StepNo,
        /// Attempt in this step, from 1.
        attempt: u32,
        /// Epoch of the asking worker.
        epoch: Epoch,
        /// What for.
        purpose: Purpose,
        /// The budget table.
        table: BudgetTable,
        /// How to rebuild the request.
        request: RequestParts,
        /// The model that is asked, if it is not the run's own but the one for summaries.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// A reply came in whole.
    ModelReplied {
        /// Its text.
        text: Body,
        /// Its reasoning, if the server gave it apart.
        reasoning: Option<Body>,
        /// Calls it asks for.
        calls: Vec<ReplyCall>,
        /// How it ended.
        finish: FinishReason,
        /// Tokens.
        usage: Usage,
        /// Tokens of the message in later requests.
        tokens: u32,
        /// Milliseconds to the first token.
        first_token_ms: u64,
        /// Milliseconds in all.
        ms: u64,
        /// Why nothing was taken of it, if it was the reply to a request aside.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<Refused>,
    },
    /// The request failed.
    ModelFailed {
        /// Stable word for the kind of failure.
        kind: String,
        /// What happened and what to do.
        message: String,
        /// When to try again; none is never.
        retry_at: Option<Millis>,
        /// What is charged, an estimate.
        usage: Usage,
        /// Milliseconds it took.
        ms: u64,
        /// The window the server told us of, tokens.
        window: Option<u32>,
        /// What had come of the reply. People see it; the model is not told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partial: Option<Body>,
    },
    /// A request in flight was given up: cut by a person or lost with its worker.
    ModelAborted {
        /// Why.
        why: String,
        /// What is charged, an estimate.
        usage: Usage,
        /// What had come of the reply, if that is known. People see it; the model is not told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partial: Option<Body>,
    },
    /// The model, or a check, asks for a call.
    CallProposed(Proposal),
    /// The call waits for a person.
    CallWaiting {
        /// The call.
        call_id: CallId,
        /// Why it was asked.
        why: String,
        /// What becomes of it if nobody decides, and when.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<DefaultAnswer>,
    },
    /// The call may start.
    CallApproved {
        /// The call.
        call_id: CallId,
        /// The arguments that were approved.
        args_hash: Hash,
        /// By which rule or in what words.
        why: String,
        /// The file that it writes, as it was when a person was shown what would change; with it the payload is of
        /// version 2.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<FileState>,
    },
    /// A person changed the arguments.
    CallEdited {
        /// The call.
        call_id: CallId,
        /// The new canonical arguments.
        args: Body,
        /// Their hash.
        args_hash: Hash,
        /// Their effect key.
        effect_key: Hash,
    },
    /// Refused by wakeful.
    CallRejected {
        /// The call.
        call_id: CallId,
        /// Stable word for the kind of refusal.
        kind: String,
        /// What the model gets.
        result: ResultText,
    },
    /// Refused by a person.
    CallDenied {
        /// The call.
        call_id: CallId,
        /// The reason.
        reason: String,
        /// What the model gets.
        result: ResultText,
    },
    /// Given up before it started.
    CallCancelled {
        /// The call.
        call_id: CallId,
        /// Why.
        why: String,
        /// What the model gets.
        result: ResultText,
    },
    /// Not run: a person gave it the result that the same call had on a timeline that was left.
    CallReused {
        /// The call.
        call_id: CallId,
        /// The call that ran.
        from: CallId,
        /// True if that one came to a good end.
        ok: bool,
        /// What the model gets.
        result: ResultText,
        /// The whole output of that one, where the result holds only a part.
        output: Option<Body>,
    },
    /// Answered by a person.
    CallAnswered {
        /// The call.
        call_id: CallId,
        /// The answer as the model gets it.
        result: ResultText,
        /// Nobody answered in time and the agent's recommendation was taken: `default after 30m`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by_default: Option<String>,
    },
    /// An attempt begins. For a class with an effect this is on disk before the effect.
    CallStarted {
        /// The call.
        call_id: CallId,
        /// Attempt, from 1.
        attempt: u32,
        /// Epoch of the starting worker.
        epoch: Epoch,
        /// Files it is about to change, with their content before and after.
        files: Vec<FileChange>,
    },
    /// A later worker watches the same attempt.
    CallReattached {
        /// The call.
        call_id: CallId,
        /// Epoch of the watching worker.
        epoch: Epoch,
    },
    /// The attempt is proven not to have begun.
    CallNotStarted {
        /// The call.
        call_id: CallId,
        /// The attempt.
        attempt: u32,
        /// Why.
        why: String,
        /// What the model gets if the call ends with this; none means another attempt follows.
        end: Option<NotStartedEnd>,
    },
    /// A person gave the running call more time.
    TimeoutExtended {
        /// The call.
        call_id: CallId,
        /// Milliseconds more.
        more_ms: u64,
    },
    /// A person asked that the running call be ended; how it ended stands in its own event.
    CallStopAsked {
        /// The call.
        call_id: CallId,
    },
    /// The attempt came to an end.
    CallFinished {
        /// The call.
        call_id: CallId,
        /// The attempt.
        attempt: u32,
        /// True for a good end.
        ok: bool,
        /// Stable word for the kind of failure.
        kind: Option<String>,
        /// What the model gets.
        result: ResultText,
        /// The whole output where the result holds only a part.
        output: Option<Body>,
        /// Milliseconds of active time.
        ms: u64,
        /// What an `inner` call changed.
        inner: Option<InnerEffect>,
    },
    /// Nobody knows whether the attempt happened.
    CallUncertain {
        /// The call.
        call_id: CallId,
        /// The attempt.
        attempt: u32,
        /// The spool the question is about.
        spool: String,
        /// What is known.
        why: String,
        /// Milliseconds of active time: how long it can have run.
        #[serde(default, skip_serializing_if = "is_none")]
        ms: u64,
    },
    /// A person, a probe or the class settled an uncertain call.
    CallResolved {
        /// The call.
        call_id: CallId,
        /// How.
        resolution: Resolution,
        /// What the model gets; none when it runs again.
        result: Option<ResultText>,
    },
    /// The step is whole: a checkpoint.
    StepCommitted {
        /// Its number.
        step: StepNo,
    },
    /// The run waits until a person says go on.
    Held {
        /// Why.
        why: Hold,
    },
    /// The oldest rounds left the window.
    RoundsFolded {
        /// Messages up to this seq are folded.
        upto: Seq,
        /// Rounds folded now.
        rounds: u32,
        /// The summary in force from here; none under the strategy `rounds`.
        summary: Option<ResultText>,
        /// True if the model wrote it, and not the rules.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_model: bool,
        /// The model that wrote it, if it is not the run's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
        /// Lines of the model's summary that were left out, since they pose as the goal or as instructions.
        #[serde(default, skip_serializing_if = "is_none")]
        left_out: u32,
        /// What was done in these rounds, for the state.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        done: Vec<DoneCall>,
    },
    /// The goal keeper's sentences are now these.
    CoreKept {
        /// The sentences.
        text: String,
        /// The summary without what the keeper found to be wrong; none if it stays as it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<ResultText>,
        /// The lines that went from the summary, in brief. Journals of older programs have none, whatever went.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        removed: Vec<String>,
        /// Sentences that were left out, since they pose as the goal or as instructions.
        #[serde(default, skip_serializing_if = "is_none")]
        left_out: u32,
        /// The model that wrote them, if it is not the run's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// The texts of old results are no longer shown, or not whole.
    OutputsDropped {
        /// Seqs of the results.
        seqs: Vec<Seq>,
        /// Tokens each of them takes from here.
        tokens: u32,
        /// Characters of its beginning and end that go on being shown; none if nothing of it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<u32>,
    },
    /// The messages in the window were counted anew, as the model in force counts.
    MessagesRecounted {
        /// Tokens that these messages take from here, framing included; the others take what they took.
        counts: Vec<(Seq, u32)>,
    },
    /// What is offered of the memories is now this.
    MemoriesRecalled {
        /// Those that are near to what the run is about, the nearest first.
        items: Vec<Recalled>,
        /// What the person likes, by key.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        preferences: Vec<Preference>,
        /// Why the configured source of vectors had no part in it, the first time that it has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words_alone: Option<String>,
        /// Those that were left out for their score alone; none of before this was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        under: Option<Under>,
    },
    /// A phase of the work ended, and what it came to is remembered.
    ResultKept {
        /// What, made by rule of what the agent noted, wrote and answered.
        memory: NewMemory,
        /// The parts of the plan that were reached, by their ids; none at the end of the run.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        items: Vec<String>,
    },
    /// One acceptance check was run on the present claim.
    CheckFinished {
        /// Index in the goal's list.
        index: usize,
        /// Version of the goal it belongs to.
        goal_version: u32,
        /// True if it passed.
        passed: bool,
        /// What was found.
        detail: String,
    },
    /// The claim to be done goes back to the model.
    ClaimReturned {
        /// What is missing.
        result: ResultText,
    },
    /// The run is over.
    RunEnded {
        /// How.
        outcome: Outcome,
        /// The report as JSON.
        report: Body,
    },
    /// The run goes on after its end.
    RunReopened {
        /// Why.
        why: String,
    },
    /// A rollback begins; from here it goes forward also after a kill. The moment before is a checkpoint.
    RollbackStarted {
        /// The checkpoint to return to.
        to_seq: Seq,
        /// Its step.
        to_step: StepNo,
        /// Files to restore; empty for the conversation alone.
        files: Vec<FileRestore>,
        /// True if it undoes a rollback.
        redo: bool,
        /// What the person chose against the default; with it the payload is of version 2.
        #[serde(default, skip_serializing_if = "Chosen::is_empty")]
        chosen: Chosen,
    },
    /// The head is on a new timeline that begins at the checkpoint.
    RolledBack {
        /// The checkpoint.
        to_seq: Seq,
        /// The new timeline.
        timeline: TimelineNo,
        /// Files left as they are, since somebody else changed them while the rollback was under way.
        kept: Vec<String>,
        /// True if this undoes a rollback from a run's end, so that the run is over again as it was.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        over: bool,
    },
    /// A rollback that had begun could not be done; nothing of it stands.
    RollbackFailed {
        /// Why.
        why: String,
    },
}

/// A count or a time that is not written, as in events of before there was one.
fn is_none<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}
