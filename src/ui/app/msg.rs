//! What the workstation is told, and what it asks to be done. Plain data: whoever carries a command out lives elsewhere.

use super::beside::Unsaved;
use super::complete::Files;
use crate::host::notify::Notice;
use crate::inspect::SlotItems;
use crate::run::budget_table::Slot;
use crate::run::checkpoint::FileState;
use crate::run::control::Author;
use crate::run::control::Control;
use crate::run::goal::{Check, Goal};
use crate::run::plan::PlanItem;
use crate::run::settings::Mode;
use crate::run::settings::{Limits, LimitsPatch};
use crate::run::{Body, CallId, CallStatus, Millis, RunId, Seq, StepNo, StepRef, TimelineNo, WorkerId};
use crate::store::{HadBack, InboxId};
use crate::tool::Changed;
use crate::ui::feed::{OutputPart, Outputs, Signs, Snapshot, StepSpan, StepView};
use crate::ui::words::{Lang, Phase, Words};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// Names an answer, so that the dialog that asked knows its own.
pub type Ticket = u64;

/// Something that is to be done off the thread that draws.
#[derive(Clone, Debug, PartialEq)]
pub enum Cmd {
    /// Show this run from now on: the snapshots that follow are of it.
    Show(Option<RunId>),
    /// List at least so many runs from now on.
    MoreRuns(usize),
    /// Read committed steps; answered by [`Msg::Steps`].
    Steps(RunId, Vec<StepSpan>),
    /// Read a whole text; answered by [`Msg::Text`].
    Text(Ticket, Body),
    /// Write an inbox row; answered by [`Msg::Posted`]. The run is worked at here if nobody living has it, as far as the
    /// control needs it.
    Post(Ticket, RunId, Control),
    /// Work at this run in this process, if nobody living has it.
    Work(RunId),
    /// Begin a run; answered by [`Msg::Started`].
    Start(Ticket, Box<NewRun>),
    /// The run of this ticket is not to begin after all; answered by [`Msg::Started`].
    GiveUp(Ticket),
    /// Hold edited arguments against the tool's schema; answered by [`Msg::ArgsRead`].
    ReadArgs(Ticket, RunId, CallId, String),
    /// What a write would change, as it stands now; answered by [`Msg::Change`].
    /// With arguments that the person wrote in place of the call's own.
    Change(Ticket, RunId, CallId, Option<serde_json::Value>),
    /// What a rollback would do; answered by [`Msg::Preview`].
    Preview(Ticket, RunId, StepRef),
    /// A checkpoint beside the present state; answered by [`Msg::Compared`].
    Compare(Ticket, RunId, StepRef),
    /// Whether the same call ran on a timeline that was left; answered by [`Msg::Before`].
    Before(Ticket, RunId, CallId),
    /// The exact request of a step; answered by [`Msg::Request`].
    Request(Ticket, RunId, StepNo),
    /// What a slot of the request of a step holds; answered by [`Msg::Items`].
    Items(Ticket, RunId, StepNo, Slot),
    /// Look at a folder for a new run, and whether its checks could run there; answered by [`Msg::Place`].
    Place(Ticket, PathBuf, Vec<Check>),
    /// List the files of a folder as its tools see them; answered by [`Msg::Files`].
    Files(Ticket, PathBuf),
    /// The versions of a run's goal; answered by [`Msg::Goals`].
    Goals(Ticket, RunId),
    /// Save and stop the runs that this process works at; the workers end at the next safe point, or at once.
    Stop {
        /// True: now; a model stream is cut.
        now: bool,
    },
    /// Let a worker without a screen go on with these runs.
    HandOver(Vec<RunId>),
    /// A run that could not be saved is to be tried again now.
    Retry(RunId),
    /// Call the person's own command for attention, if there is one; only a failure is answered, by
    /// [`Msg::NotNotified`].
    Notify(Notice),
    /// Keep what is being written; a place without a text has none any more. Not answered.
    Drafts(Vec<(String, Option<String>)>),
    /// Take a message back that waits to be delivered; answered by [`Msg::HadBack`].
    TakeBack(Ticket, RunId, InboxId),
    /// Deliver a message that waits at once; answered by [`Msg::Hurried`].
    Hurry(Ticket, RunId, InboxId),
    /// End this worker, which owns the run and sleeps, and work at the run here; answered by [`Msg::Posted`].
    TakeOver(Ticket, RunId, WorkerId),
    /// Look for what an attempt of which nobody knows the end left behind; answered by [`Msg::Traces`].
    Traces(Ticket, RunId, CallId),
    /// Read a piece of what a running call has written: from this byte on, or (none) the first that is shown; answered by
    /// [`Msg::Output`].
    Output(Ticket, RunId, CallId, Option<u64>),
}

/// A run that is to begin.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// The goal with constraints and checks.
    pub goal: Goal,
    /// The folder.
    pub workspace: PathBuf,
    /// The profile: a name of the configuration, `offline`, or none for what is found.
    pub model: Option<String>,
    /// The approval mode; none is the configuration's.
    pub mode: Option<Mode>,
    /// What differs from the configuration's limits.
    pub limits: LimitsPatch,
}

impl NewRun {
    /// The job of the offline model, which answers in the language of the goal: it surveys the folder and writes a report.
    pub fn offline(here: &std::path::Path, lang: Lang) -> Self {
        let words = &Words::of(lang).start;
        let goal = Goal {
            text: words.job.to_owned(),
            constraints: vec![words.job_constraint.to_owned()],
            checks: vec![Check::File("wakeful-report.md".to_owned())],
        };
        Self {
            goal,
            workspace: here.to_owned(),
            model: Some("offline".to_owned()),
            mode: None,
            limits: LimitsPatch::default(),
        }
    }
}

/// How the server is asked that a run is to begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// Host of the server.
    pub place: String,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// Most attempts.
    pub most: u32,
    /// What became of it and when it is asked again; none while it is asked. Not neutral.
    pub failed: Option<(String, Millis)>,
}

/// What became of a control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Posted {
    /// It stands in the inbox.
    Stored,
    /// The call was decided before: what, and by whom.
    Lost {
        /// In the person's language.
        what: String,
        /// Who.
        who: String,
    },
    /// It could not be written: the disk is full. Nothing was done.
    Full,
    /// It could not be written; nothing was done.
    Failed(String),
}

/// The request of a step, made again from the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Its JSON.
    pub text: String,
    /// How it differs from what was sent; none if it is the same, to the byte.
    pub differs: Option<String>,
}

/// What a write would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file, relative to the workspace.
    pub path: String,
    /// The difference in the unified form, context of three lines; empty if it cannot be shown.
    pub diff: String,
    /// Lines that come.
    pub added: usize,
    /// Lines that go.
    pub removed: usize,
    /// Bytes before; none for a new file.
    pub before: Option<u64>,
    /// Lines before.
    pub lines: usize,
    /// The file as it stands: an approval is for this one. None if the call would fail.
    pub state: Option<FileState>,
    /// Why the call would fail as it stands.
    pub problem: Option<String>,
}

/// A file of a rollback's preview, or of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBack {
    /// Relative to the workspace.
    pub path: String,
    /// What happens to it if nothing is chosen.
    pub what: FileFate,
    /// What happens to it if it is brought back; none if it cannot be, whatever is chosen.
    pub taken: Option<FileFate>,
    /// The difference that is made, in the unified form; empty if it cannot be shown.
    pub diff: String,
    /// Lines that come and lines that go; none if they were not counted.
    pub lines: Option<(usize, usize)>,
    /// Bytes that it has now; none if there is no such file, or no regular one.
    pub bytes: Option<u64>,
    /// The step in which the run made it, if it did.
    pub made_in: Option<StepNo>,
    /// When it was changed last; none if it is gone.
    pub edited: Option<Millis>,
    /// Why it stays where that is not simply that others changed it. Not neutral.
    pub why: Option<String>,
    /// Why it could not be changed now. Not neutral.
    pub problem: Option<String>,
}

/// What a rollback does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFate {
    /// Its old content comes back.
    Restore,
    /// It was made since, and goes.
    Remove,
    /// It stays: somebody else changed it since.
    Keep,
}

/// What a rollback would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The head it was made for.
    pub seen: Seq,
    /// The step it returns to.
    pub step: StepNo,
    /// Its timeline.
    pub timeline: TimelineNo,
    /// Steps left behind, with their timelines.
    pub undone: Vec<(StepNo, TimelineNo)>,
    /// Steps of another timeline that come back.
    pub back: Vec<(StepNo, TimelineNo)>,
    /// Tokens of the steps left behind; they stay spent.
    pub tokens: u64,
    /// Files.
    pub files: Vec<FileBack>,
    /// The goal's version then, if the goal was another one.
    pub goal: Option<u32>,
    /// Calls whose effects stay, in a line each.
    pub effects: Vec<String>,
    /// Calls that would be given up, without those that run.
    pub cancelled: usize,
    /// Calls that run and would be ended, in a line each.
    pub ended: Vec<String>,
    /// Memories that would be withdrawn.
    pub withdrawn: usize,
    /// Memories that would be offered again.
    pub offered: usize,
}

/// A checkpoint beside the present state.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Its step.
    pub step: StepNo,
    /// Its timeline.
    pub timeline: TimelineNo,
    /// Steps since, with their timelines.
    pub since: Vec<(StepNo, TimelineNo)>,
    /// Steps of another timeline that led to it.
    pub apart: Vec<(StepNo, TimelineNo)>,
    /// Tokens of the steps since.
    pub tokens: u64,
    /// What it was then.
    pub then: Known,
    /// What it is now.
    pub now: Known,
    /// Files that differ, each with the difference from then to now.
    pub files: Vec<FileBack>,
}

/// What an agent knew at some moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// The goal's version.
    pub version: u32,
    /// The goal.
    pub goal: Goal,
    /// The plan.
    pub plan: Vec<PlanItem>,
    /// Facts.
    pub facts: Vec<String>,
    /// Open questions.
    pub questions: Vec<String>,
}

/// What the same call did on a timeline that was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Before {
    /// The call that ran.
    pub call: CallId,
    /// Its step.
    pub step: StepNo,
    /// The beginning of its result. Not neutral.
    pub result: Option<String>,
    /// Why its result cannot be reused. Not neutral.
    pub refused: Option<String>,
}

/// A folder for a new run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder, made absolute.
    pub path: PathBuf,
    /// Files changed under git; none if that is not known.
    pub git: Option<u64>,
    /// Why no run can work there.
    pub problem: Option<String>,
    /// What checks would run and is not there: files and programs, as they are written.
    pub missing: Vec<String>,
}

/// A version of a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalVersion {
    /// Its number, from 1.
    pub version: u32,
    /// When it came.
    pub at: Millis,
    /// Who wrote it.
    pub by: Author,
    /// The first step that it was in force for.
    pub step: StepNo,
    /// The goal.
    pub goal: Goal,
}

/// A piece of a reply. Not neutral.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// What it says.
    Text(String),
    /// What it thinks.
    Thought(String),
    /// Part of a call.
    Call,
}

/// Something that happened outside.
#[derive(Clone, Debug)]
pub enum Msg {
    /// Another process holds the database, which is being opened: since then, at least.
    Held(Clock),
    /// The database is open: what was written and not sent, and the run that is shown first.
    Opened(super::drafts::Places, Option<RunId>),
    /// The database cannot be opened. Why is said after the end.
    NotOpened,
    /// The store was read.
    Shot(Arc<Snapshot>),
    /// The store could not be read; the words say why, and are empty while it gives no answer. What is shown stays.
    Stale(String),
    /// Something met damage in the database file; the words are SQLite's. It stays so.
    FileDamaged(String),
    /// True: what was to be written down waits for the store for a while already; false: nothing waits any more.
    Unposted(bool),
    /// The disk that was full has room again.
    Room,
    /// A phase of a step began in this process.
    Phase(RunId, Phase),
    /// A piece of a reply came in, in this process.
    Piece(RunId, Piece),
    /// The reply so far, as another process writes it, and about how many tokens it is.
    Live(RunId, String, u64),
    /// Steps that were asked for.
    Steps(RunId, Vec<Result<StepView, (StepNo, String)>>),
    /// A text that was asked for.
    Text(Ticket, Result<String, String>),
    /// What became of a control.
    Posted(Ticket, Posted),
    /// The server of a run that is to begin is asked, or cannot answer yet.
    Starting(Ticket, Contact),
    /// A run that is to begin waits for the database, which another process holds since then, at least.
    StartHeld(Ticket, Clock),
    /// A run has begun, or why not.
    Started(Ticket, Result<RunId, String>),
    /// Arguments as they will be sent, or what is wrong with them.
    ArgsRead(Ticket, Result<Value, String>),
    /// What a write would change.
    Change(Ticket, Result<Vec<FileChange>, String>),
    /// What a rollback would do.
    Preview(Ticket, Result<Box<Preview>, String>),
    /// A checkpoint beside the present state.
    Compared(Ticket, Result<Box<Comparison>, String>),
    /// What the same call did on a timeline that was left; none if it did not run there.
    Before(Ticket, Result<Option<Before>, String>),
    /// An exact request, as JSON over several lines.
    Request(Ticket, Result<Rebuilt, String>),
    /// What a slot of a request holds.
    Items(Ticket, Result<Box<SlotItems>, String>),
    /// A folder that was looked at.
    Place(Ticket, Place),
    /// The files of a folder.
    Files(Ticket, Files),
    /// The versions of a goal on the present timeline, oldest first.
    Goals(Ticket, Result<Vec<GoalVersion>, String>),
    /// What the search for a model found.
    Found(Found),
    /// What persons said before, in whatever run, when they denied a call: the newest first.
    Reasons(Vec<String>),
    /// A worker of this process began or ended; the words say why it ended, if a person should know.
    Working(RunId, bool, Option<String>),
    /// An editor came back: the text, or why there is none.
    Edited(Ticket, Result<String, String>),
    /// All workers of this process have stopped.
    Stopped,
    /// A message that was taken back, or why not.
    HadBack(Ticket, Result<HadBack, String>),
    /// A message that is delivered at once, or why not.
    Hurried(Ticket, Result<HadBack, String>),
    /// The person's own command for attention failed: why. Not neutral.
    NotNotified(String),
    /// Signs of life of the shown run.
    Signs(Signs),
    /// A run of this process could not be saved; or (none) it was.
    Unsaved(RunId, Option<Unsaved>),
    /// What running commands of the shown run have written by now.
    Outputs(Outputs),
    /// What an attempt left behind, as far as it can be seen.
    Traces(Ticket, Result<Traces, String>),
    /// A piece of an output that was asked for.
    Output(Ticket, Result<OutputPart, String>),
}

/// What an attempt of which nobody knows the end left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traces {
    /// When it was started.
    pub started: Millis,
    /// The files of the workspace that were written since; none if it cannot be looked at.
    pub changed: Option<Changed>,
    /// Where else in runs of this folder the same was done last, and whether it is known to have ended.
    pub elsewhere: Option<Elsewhere>,
}

/// A call that has the same effect as another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// Its run.
    pub run: RunId,
    /// Its step.
    pub step: StepNo,
    /// What became of it.
    pub status: CallStatus,
    /// When.
    pub at: Millis,
}

/// What was found at the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Names of the profiles that a new run can use, the default first; `offline` is always among them.
    pub models: Vec<FoundModel>,
    /// What was looked for in vain, if nothing but the offline model is there.
    pub missing: Vec<String>,
    /// Where the database lies.
    pub db: PathBuf,
    /// The present folder.
    pub here: PathBuf,
    /// The theme's name.
    pub theme: String,
    /// Approval mode of new runs here.
    pub mode: Mode,
    /// Limits of new runs here.
    pub limits: Limits,
    /// Set once the search is over.
    pub done: bool,
}

/// A model that a new run can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundModel {
    /// The profile's name.
    pub profile: String,
    /// The model's own name.
    pub model: String,
    /// Host of the server; empty for the offline model.
    pub place: String,
    /// Its window, tokens; none if unknown.
    pub window: Option<u32>,
}

/// The two clocks, read before each message.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Milliseconds since 1970.
    pub wall: Millis,
    /// For what must not jump.
    pub mono: std::time::Instant,
}
