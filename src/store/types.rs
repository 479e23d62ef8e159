//! What goes into the store and what comes out of it, beside the types of `run`.

use crate::run::checkpoint::{Checkpoint, FileState};
use crate::run::{
    Author, BlobBag, Body, CallId, CallStatus, Class, Control, Epoch, Hash, Head, Millis, NewEvent, Origin,
    RunId, RunState, Seq, StepNo, TimelineNo, WorkerId,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Tells whether a worker lives: whether its lock is held. Asked inside the transaction that claims a run, so it has
/// to be quick.
pub type Alive = Arc<dyn Fn(&WorkerId) -> bool + Send + Sync>;
/// Names the file system of a folder by its magic number; none if it cannot be told.
pub type FsProbe = Arc<dyn Fn(&std::path::Path) -> Option<i64> + Send + Sync>;

/// Is told once that others hold the database, and that it is waited for.
pub type OnBusy = Arc<dyn Fn() + Send + Sync>;

/// How the database keeps its journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Journaling {
    /// WAL where it works, else a rollback journal.
    #[default]
    Auto,
    /// A rollback journal, every commit synced.
    Rollback,
}

/// The usual longest wait for a lock that others hold.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// How to open a store.
#[derive(Clone)]
pub struct StoreOptions {
    /// The database file; beside it stands the folder `FILE.d`.
    pub path: PathBuf,
    /// Tells whether a worker lives.
    pub alive: Alive,
    /// True keeps 4 MiB in reserve for the results of started calls on a full disk.
    pub ballast: bool,
    /// Longest wait for a lock that others hold.
    pub busy: Duration,
    /// Likewise, while the store is opened.
    pub busy_at_open: Duration,
    /// Hears of that wait, if it comes to one.
    pub on_busy: Option<OnBusy>,
    /// How the journal is kept.
    pub journaling: Journaling,
    /// Names the file system; none asks the system.
    pub fs_probe: Option<FsProbe>,
}

impl StoreOptions {
    /// The usual options for a file.
    pub fn new(path: impl Into<PathBuf>, alive: Alive) -> Self {
        Self {
            path: path.into(),
            alive,
            ballast: true,
            busy: LONGEST_WAIT,
            busy_at_open: LONGEST_WAIT,
            on_busy: None,
            journaling: Journaling::Auto,
            fs_probe: None,
        }
    }
}

/// Whether a commit is on the disk before it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// It survives a power cut.
    Synced,
    /// It survives a kill; a power cut may take it, with everything after it.
    Unsynced,
}

/// Number of an inbox row.
pub type InboxId = i64;

/// Everything one transaction writes to a run.
#[derive(Debug)]
pub struct Commit {
    /// The run.
    pub run: RunId,
    /// The head that the writer saw.
    pub expected: Head,
    /// The writer's epoch.
    pub epoch: Epoch,
    /// Time of the events.
    pub now: Millis,
    /// The events in order; none is allowed if inbox rows are taken.
    pub events: Vec<NewEvent>,
    /// Contents that the events name.
    pub bag: BlobBag,
    /// At least this; what an effect rests on is always synced.
    pub durability: Durability,
    /// Inbox rows that these events answer.
    pub taken: Vec<InboxId>,
}

/// Where a journal stops being trustworthy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The first event that is missing or wrong.
    pub first_bad_seq: Seq,
    /// What is wrong.
    pub reason: String,
    /// Rows from there on, or known bad ones where the state does not rest on them.
    pub rows: u64,
    /// Set if the run's state is whole all the same: it rests on the snapshot at this event, behind the damage.
    pub proven: Option<Seq>,
}

/// A run as it was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its state: the newest, or that of the last checkpoint before damage that it would rest on.
    pub state: Arc<RunState>,
    /// Set if the journal is damaged; the run cannot be written then.
    pub damage: Option<Damage>,
}

/// What became of an attempt to own a run.
#[derive(Clone, Debug)]
pub enum Claim {
    /// It is ours, under the epoch in the state.
    Owned(Loaded),
    /// A living worker has it.
    HeldBy {
        /// That worker.
        worker: WorkerId,
        /// Since when.
        since: Millis,
    },
}

/// What became of a control.
#[derive(Clone, Debug, PartialEq)]
pub enum Posted {
    /// It stands in the inbox.
    Row(InboxId),
    /// Somebody decided this call before.
    LostTo {
        /// Who.
        by: Author,
        /// When.
        at: Millis,
        /// What they decided, in words.
        decision: String,
    },
}

/// What became of a wish about a message that waits in the inbox.
#[derive(Clone, Debug, PartialEq)]
pub enum HadBack {
    /// It was done; these are the words of the message.
    Text(String),
    /// A worker had taken it before: it stands in the journal up to this event.
    TooLate(Seq),
    /// A person had it back before.
    Before(Author),
}

/// A control in the inbox.
#[derive(Clone, Debug, PartialEq)]
pub struct InboxRow {
    /// Its number; rows are taken in this order.
    pub id: InboxId,
    /// The run.
    pub run: RunId,
    /// What is asked.
    pub control: Control,
    /// Who asks.
    pub author: Author,
    /// When.
    pub at: Millis,
}

/// Which runs to list; the default lists all, newest first.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    /// Only runs of this folder.
    pub workspace: Option<PathBuf>,
    /// Only runs whose title has this text.
    pub title: Option<String>,
    /// Only runs with one of these status words; empty is any.
    pub statuses: Vec<String>,
    /// Most rows; none is all.
    pub limit: Option<usize>,
}

/// A run in a list: small columns only.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// The run.
    pub id: RunId,
    /// Its title.
    pub title: String,
    /// Status word of SPEC §15, `interrupted` included.
    pub status: String,
    /// What it waits for, if it waits.
    pub wait: Option<String>,
    /// Steps committed on all timelines.
    pub steps: u32,
    /// Tokens charged.
    pub tokens: u64,
    /// When it was created.
    pub created: Millis,
    /// When it was last written.
    pub updated: Millis,
    /// The folder it works in.
    pub workspace: PathBuf,
    /// Bytes stored for it: events, snapshots and contents it was the first to bring.
    pub bytes: u64,
    /// The worker that owns it, alive or not.
    pub owner: Option<WorkerId>,
}

/// Which calls to list.
#[derive(Clone, Debug, Default)]
pub struct CallFilter {
    /// Only calls of this run.
    pub run: Option<RunId>,
    /// Only calls that are not closed.
    pub open_only: bool,
    /// Only calls in one of these states; empty is any.
    pub statuses: Vec<CallStatus>,
    /// Only the newest so many; none is all.
    pub limit: Option<usize>,
}

/// A call in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRow {
    /// Its name.
    pub call_id: CallId,
    /// The run.
    pub run: RunId,
    /// The event that proposed it.
    pub seq: Seq,
    /// Its timeline.
    pub timeline: TimelineNo,
    /// Its step.
    pub step: StepNo,
    /// Place in the reply, from 1.
    pub position: u32,
    /// Who asked for it.
    pub origin: Origin,
    /// The tool.
    pub tool: String,
    /// Its class.
    pub class: Class,
    /// Its state.
    pub status: CallStatus,
    /// Hash of the arguments in force.
    pub args_hash: Hash,
    /// Finds the same effect elsewhere.
    pub effect_key: Hash,
    /// The attempt, from 1.
    pub attempt: u32,
    /// Epoch that names the spool of a started attempt; 0 before the first.
    pub spool_epoch: Epoch,
    /// Why it waits, was approved or ended so.
    pub why: Option<String>,
    /// The arguments in force.
    pub args: Body,
    /// What the model got, once closed.
    pub result: Option<Body>,
    /// The whole output, where the result holds only a part.
    pub output: Option<Body>,
    /// Who decided it last.
    pub decided_by: Option<Author>,
    /// When its present state began.
    pub since: Millis,
    /// When it was closed.
    pub ended: Option<Millis>,
    /// Milliseconds that its last attempt ran, once finished; none for one that never ran.
    pub ms: Option<u64>,
}

impl CallRow {
    /// Who decided where nobody did in time: `default after 30m`.
    pub fn by_default(&self) -> Option<&str> {
        let default = self.class == Class::Person
            && self.status == CallStatus::Done
            && self.decided_by == Some(Author::Wakeful);
        self.why.as_deref().filter(|_| default)
    }
}

/// A checkpoint in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointRow {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// Files that calls changed between the checkpoint before it and this one.
    pub files: u32,
    /// Those of them that were not there before.
    pub made: u32,
}

/// A file that a call was about to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChangeRow {
    /// The `CallStarted` event.
    pub seq: Seq,
    /// Its timeline.
    pub timeline: TimelineNo,
    /// Its step.
    pub step: StepNo,
    /// The call.
    pub call_id: CallId,
    /// Path relative to the workspace.
    pub path: String,
    /// Before the call.
    pub before: FileState,
    /// What the call makes of it.
    pub after: FileState,
    /// Folders above it that were not there before the call, outermost first.
    pub made: Vec<String>,
    /// State of the call now.
    pub status: CallStatus,
}

/// A row of the journal as it is stored, for looking at damage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEvent {
    /// Position.
    pub seq: Seq,
    /// Stored kind.
    pub kind: String,
    /// Stored version.
    pub version: u32,
    /// Stored time.
    pub at: Millis,
    /// Payload as text; what is not text is replaced.
    pub payload: String,
    /// What is wrong with it; none if it is whole.
    pub fault: Option<String>,
    /// True if it was set aside.
    pub set_aside: bool,
}

/// What came of accepting damage.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The state from which the run goes on.
    pub state: Arc<RunState>,
    /// First event that was set aside.
    pub from: Seq,
    /// Last event that was set aside.
    pub to: Seq,
    /// Calls that may have been started in the part that was set aside: a person decides about them.
    pub doubtful: Vec<CallId>,
    /// Set if nothing of the state was lost, since it rests on the snapshot at this event.
    pub rests_on: Option<Seq>,
}

/// Something that a check of the store found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The run; none for the file as a whole.
    pub run: Option<RunId>,
    /// The event, if one can be named.
    pub seq: Option<Seq>,
    /// What is wrong.
    pub what: String,
    /// True if rebuilding what is derived mends it.
    pub rebuild_helps: bool,
    /// True for what a person accepted: it was set aside, is told for ever, and hinders nothing.
    pub set_aside: bool,
}
