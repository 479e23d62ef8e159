//! What a rollback would do, told before it is done. Derived from the journal, the table of calls and a look at the
//! files; nothing is changed. Not to be assumed: that the files are still so when the rollback is taken; it looks again.

use super::error::WorkError;
use super::rollback::{is_back, wanted};
use crate::agent::rollback::{PlacedChange, Restored, files, on_chain};
use crate::run::call::CallStatus;
use crate::run::checkpoint::{Checkpoint, CheckpointKind, FileChange, FileState};
use crate::run::control::RollbackChoices;
use crate::run::event::{Decoded, Event};
use crate::run::id::{Seq, StepNo, TimelineNo};
use crate::run::state::RunState;
use crate::store::{CallFilter, CallRow, FileChangeRow, Store};
use crate::workspace::Workspace;
use crate::workspace::restore::{self, Action};

/// What a rollback would do.
#[derive(Clone, Debug)]
pub struct Preview {
    /// The checkpoint's seq.
    pub to_seq: Seq,
    /// Its timeline.
    pub to_timeline: TimelineNo,
    /// Its step.
    pub to_step: StepNo,
    /// Steps that are left behind, with their timelines.
    pub undone: Vec<(StepNo, TimelineNo)>,
    /// Steps of another timeline that come back.
    pub back: Vec<(StepNo, TimelineNo)>,
    /// Files, with what happens to each; empty if the files stay.
    pub files: Vec<PreviewFile>,
    /// Why the files cannot be brought back, so that nothing would be done, with what was chosen.
    pub blocked: Option<String>,
    /// Versions of the goal, now and then, if it was another one then.
    pub goal: Option<(u32, u32)>,
    /// Calls that are left behind and whose effects stay: commands, requests, and what nobody knows.
    pub effects: Vec<CallRow>,
    /// Calls that would be stopped or given up.
    pub open: Vec<CallRow>,
    /// Memories that would be withdrawn with the steps that are left behind.
    pub withdrawn: usize,
    /// Memories that would be offered again with the steps that come back.
    pub offered: usize,
}

/// A file in the preview of a rollback.
#[derive(Clone, Debug)]
pub struct PreviewFile {
    /// Path relative to the workspace.
    pub path: String,
    /// What is done with it if nothing is chosen.
    pub usual: Action,
    /// How it is to stand.
    pub wanted: FileState,
    /// What was chosen of it.
    pub choice: Option<FileChoice>,
    /// Why it could not be changed now: it, or its folder, is read-only.
    pub problem: Option<String>,
    /// The step in which the run made it, if it did.
    pub made_in: Option<StepNo>,
}

/// What a person chose of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChoice {
    /// It stays as it is.
    Keep,
    /// It is brought back, whoever changed it.
    Take,
}

impl PreviewFile {
    /// What is done with it if it is brought back; none if it cannot be, whatever is chosen.
    pub fn taken(&self) -> Option<Action> {
        match &self.usual {
            Action::Restore => Some(Action::Restore),
            Action::Remove => Some(Action::Remove),
            Action::Unchanged => Some(Action::Unchanged),
            conflict @ Action::Conflict { .. } if conflict.takeable() => match self.wanted {
                FileState::Absent => Some(Action::Remove),
                FileState::File { .. } | FileState::TooBig { .. } | FileState::NotAFile => {
                    Some(Action::Restore)
                }
            },
            Action::Conflict { .. } => None,
        }
    }

    /// Why nothing at all would be done because of it, with what was chosen.
    fn blocks(&self) -> Option<String> {
        match (&self.usual, self.choice) {
            (_, Some(FileChoice::Keep)) | (Action::Unchanged, _) | (Action::Conflict { .. }, None) => None,
            (conflict @ Action::Conflict { why, .. }, Some(FileChoice::Take)) if !conflict.takeable() => {
                Some(format!("{} cannot be taken: {why}", self.path))
            }
            (Action::Restore | Action::Remove | Action::Conflict { .. }, _) => self.problem.clone(),
        }
    }
}

/// A rollback that has begun and is not through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnderWay {
    /// The step that it returns to.
    pub to_step: StepNo,
    /// Files that stand as they are wanted; none if the folder cannot be looked at.
    pub done: Option<usize>,
    /// Files that are to be brought back.
    pub files: usize,
}

/// How far the rollback is that has begun, by a look at its files; none if none has.
pub fn under_way(state: &RunState) -> Option<UnderWay> {
    let rollback = state.ledger.rollback.as_ref()?;
    let done = Workspace::open(&state.ledger.workspace)
        .ok()
        .map(|workspace| rollback.files.iter().filter(|file| is_back(&workspace, file)).count());
    Some(UnderWay { to_step: rollback.to_step, done, files: rollback.files.len() })
}

/// Looks at what a rollback would do; changes nothing.
///
/// # Errors
/// The store's and the folder's.
pub async fn preview(
    store: &Store,
    state: &RunState,
    workspace: &Workspace,
    to: (Seq, TimelineNo, StepNo),
    with_files: bool,
    choices: &RollbackChoices,
) -> Result<Preview, WorkError> {
    let items =
        if with_files { preview_files(store, state, workspace, to, choices).await? } else { Vec::new() };
    let blocked = items.iter().find_map(PreviewFile::blocks);
    let then = store.state_at(&state.run, to.0).await?.path;
    let goal = (then.goal != state.path.goal).then_some((state.path.goal_version, then.goal_version));
    let chains = Chains { state, to: (to.0, to.1) };
    let steps: Vec<Checkpoint> =
        store.checkpoints(&state.run).await?.into_iter().map(|r| r.checkpoint).collect();
    let steps = steps.into_iter().filter(|c| c.kind == CheckpointKind::Step);
    let (mut undone, mut back) = (Vec::new(), Vec::new());
    for step in steps {
        match chains.of((step.seq, step.timeline)) {
            Side::Left => undone.push((step.step, step.timeline)),
            Side::Regained => back.push((step.step, step.timeline)),
            Side::Same => {}
        }
    }
    let calls = store.calls(CallFilter { run: Some(state.run.clone()), ..CallFilter::default() }).await?;
    let left = calls.into_iter().filter(|c| match chains.of((c.seq, c.timeline)) {
        Side::Left => true,
        Side::Same | Side::Regained => false,
    });
    let (mut effects, mut open) = (Vec::new(), Vec::new());
    for call in left {
        match call.status {
            CallStatus::Started | CallStatus::Proposed | CallStatus::Waiting | CallStatus::Approved => {
                open.push(call);
            }
            CallStatus::Uncertain => effects.push(call),
            CallStatus::Done | CallStatus::Failed if acts_outside(&call.tool) => effects.push(call),
            CallStatus::Done
            | CallStatus::Failed
            | CallStatus::Rejected
            | CallStatus::Denied
            | CallStatus::Cancelled => {}
        }
    }
    let (mut withdrawn, mut offered) = (0, 0);
    // What one of its sources still tells stays.
    for places in store.memory_places(&state.run).await? {
        let now = places.iter().any(|place| chains.now(*place));
        match (now, places.iter().any(|place| chains.then(*place))) {
            (true, false) => withdrawn += 1,
            (false, true) => offered += 1,
            (true, true) | (false, false) => {}
        }
    }
    Ok(Preview {
        to_seq: to.0,
        to_timeline: to.1,
        to_step: to.2,
        undone,
        back,
        files: items,
        blocked,
        goal,
        effects,
        open,
        withdrawn,
        offered,
    })
}

async fn preview_files(
    store: &Store,
    state: &RunState,
    workspace: &Workspace,
    to: (Seq, TimelineNo, StepNo),
    choices: &RollbackChoices,
) -> Result<Vec<PreviewFile>, WorkError> {
    let rows = store.file_changes(&state.run).await?;
    let made: Vec<(String, StepNo)> = rows
        .iter()
        .filter(|row| row.status == CallStatus::Done && row.before == FileState::Absent)
        .map(|row| (row.path.clone(), row.step))
        .collect();
    let restored = restored_by(store, state).await?;
    let list = wanted(&files(state, (to.0, to.1), &changes_of(rows), &restored));
    let items = restore::plan(workspace, &list)?;
    let mut all = Vec::new();
    for (file, item) in list.into_iter().zip(items) {
        if item.action == Action::Unchanged {
            continue;
        }
        let choice = if choices.keep.contains(&file.path) {
            Some(FileChoice::Keep)
        } else {
            choices.take.contains(&file.path).then_some(FileChoice::Take)
        };
        let made_in = made.iter().rev().find(|(path, _)| *path == file.path).map(|(_, step)| *step);
        let problem = restore::changeable(workspace, &file.path).err().map(|why| why.to_string());
        all.push(PreviewFile {
            path: file.path,
            usual: item.action,
            wanted: file.wanted,
            choice,
            problem,
            made_in,
        });
    }
    Ok(all)
}

/// Tools whose effects no image of a file covers.
pub(super) fn acts_outside(tool: &str) -> bool {
    matches!(tool, "shell" | "http_get")
}

enum Side {
    /// On the present chain alone.
    Left,
    /// On the target's chain alone.
    Regained,
    /// On both, or on neither.
    Same,
}

struct Chains<'a> {
    state: &'a RunState,
    to: (Seq, TimelineNo),
}

impl Chains<'_> {
    /// Whether the event lies on the present chain.
    fn now(&self, event: (Seq, TimelineNo)) -> bool {
        on_chain(&self.state.ledger.timelines, (self.state.head.seq, self.state.head.timeline), event)
    }

    /// Whether it lies on the target's.
    fn then(&self, event: (Seq, TimelineNo)) -> bool {
        on_chain(&self.state.ledger.timelines, self.to, event)
    }

    fn of(&self, event: (Seq, TimelineNo)) -> Side {
        match (self.now(event), self.then(event)) {
            (true, false) => Side::Left,
            (false, true) => Side::Regained,
            (true, true) | (false, false) => Side::Same,
        }
    }
}

/// The recorded changes, with whether each is known to have taken place.
pub fn changes_of(rows: Vec<FileChangeRow>) -> Vec<PlacedChange> {
    let happened = |status| match status {
        CallStatus::Done => true,
        CallStatus::Proposed
        | CallStatus::Waiting
        | CallStatus::Approved
        | CallStatus::Started
        | CallStatus::Failed
        | CallStatus::Rejected
        | CallStatus::Denied
        | CallStatus::Cancelled
        | CallStatus::Uncertain => false,
    };
    rows.into_iter()
        .map(|row| PlacedChange {
            seq: row.seq,
            timeline: row.timeline,
            happened: happened(row.status),
            change: FileChange { path: row.path, before: row.before, after: row.after, made: row.made },
        })
        .collect()
}

/// What the run's earlier rollbacks did to files: each begins a timeline, and the checkpoint before that names its files.
///
/// # Errors
/// The store's.
pub async fn restored_by(store: &Store, state: &RunState) -> Result<Vec<Restored>, WorkError> {
    let starts: Vec<Seq> =
        state.ledger.timelines.iter().filter(|t| t.parent > 0).map(|t| t.from_seq).collect();
    if starts.is_empty() {
        return Ok(Vec::new());
    }
    let points = store.checkpoints(&state.run).await?;
    let mut seqs = starts.clone();
    let before = points.iter().filter(|p| p.checkpoint.kind == CheckpointKind::BeforeRollback);
    seqs.extend(before.map(|p| p.checkpoint.seq));
    seqs.sort_unstable();
    let mut restored = Vec::new();
    let mut begun = Vec::new();
    let mut taken = Vec::new();
    let mut at = (0, 0);
    for envelope in store.events_at(&state.run, seqs).await? {
        let Decoded::Known(event) = envelope.event else { continue };
        if let Event::RollbackStarted { files, chosen, .. } = *event {
            begun = files;
            taken = chosen.taken;
            at = (envelope.seq, envelope.timeline);
        } else if let Event::RolledBack { kept, .. } = *event {
            let back = std::mem::take(&mut begun).into_iter().filter(|f| !kept.contains(&f.path));
            restored.extend(back.map(|f| Restored {
                seq: envelope.seq,
                begun: at,
                taken: taken.contains(&f.path),
                change: FileChange { path: f.path, before: f.seen, after: f.wanted, made: Vec::new() },
            }));
        }
    }
    Ok(restored)
}
