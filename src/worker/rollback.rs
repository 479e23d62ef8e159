//! Rolling back: look whether it can be done, settle what runs, fix what will be restored, restore, move the head. From
//! `RollbackStarted` on it goes forward, also after a kill.
//!
//! A person may choose against the default: keep a file that would be restored, take one that others changed (what they
//! made of it is stored with `RollbackStarted`, so that a redo brings it back), have the goal of then again (a new version
//! of it behind `RolledBack`, in the same commit; a redo brings back the one before). What was chosen stands in
//! `RollbackStarted`, so that whoever goes on after a kill does the same.
//!
//! Not to be assumed: that a rollback which was asked for takes place. What cannot be staged is refused before anything
//! is stopped or touched. Nor that a file that is to be taken is as the person saw it: whatever it is now is stored.

use super::driver::Driver;
use super::error::WorkError;
use super::preview::{changes_of, restored_by};
use super::tool_call::ROLLED_BACK;
use crate::agent::ends;
use crate::agent::rollback::files;
use crate::host::fault::fault;
use crate::run::call::CallStatus;
use crate::run::checkpoint::{Chosen, FileRestore, FileState};
use crate::run::control::{Author, Control, RollbackChoices, StepRef};
use crate::run::event::{Decoded, Event};
use crate::run::goal::Goal;
use crate::run::id::{CallId, Hash, Seq, StepNo, TimelineNo};
use crate::run::report::Outcome;
use crate::run::state::Turn;
use crate::store::{Durability, InboxRow, StoreError};
use crate::workspace::restore::{self, Action, RestoreError, Wanted};
use crate::workspace::{Workspace, images};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Where a rollback leads.
struct Target {
    seq: Seq,
    timeline: TimelineNo,
    step: StepNo,
    files: bool,
    redo: bool,
    choices: RollbackChoices,
    /// The goal that is to be in force again, if that is another one.
    goal: Option<Goal>,
}

/// What a rollback does to files, fixed before it begins.
#[derive(Default)]
struct Fixed {
    files: Vec<FileRestore>,
    kept: Vec<String>,
    taken: Vec<String>,
    /// What others made of the files that are taken.
    contents: Vec<Vec<u8>>,
}

/// Why files could not be brought back.
struct Failed {
    why: String,
    /// True if some of them are back already.
    half: bool,
}

impl Driver<'_> {
    /// Takes a rollback or a redo: looks whether it can be done, settles what is open on the present timeline, then
    /// records it. While the process is to stop it stays in the inbox.
    pub async fn begin_rollback(&mut self, row: &InboxRow) -> Result<(), WorkError> {
        if let Err(error) = self.workspace() {
            return self.refuse_row(row, &error.to_string()).await;
        }
        let target = match self.target(&row.control).await? {
            Ok(target) => target,
            Err(why) => return self.refuse_row(row, &why).await,
        };
        if let Err(why) = self.preflight(&target).await? {
            return self.refuse_row(row, &why).await;
        }
        self.settle_open().await?;
        if self.engine.stopping() {
            return Ok(());
        }
        // What was open may have changed files while it was settled.
        let fixed = match self.preflight(&target).await? {
            Ok(fixed) => fixed,
            Err(why) => return self.refuse_row(row, &why).await,
        };
        let mut batch = self.batch();
        let Fixed { files, kept, taken, contents } = fixed;
        for content in contents {
            batch.bag.raw(content);
        }
        let paused = target.choices.paused;
        let chosen = Chosen { kept, taken, goal: target.goal, paused };
        let (to_seq, to_step, redo) = (target.seq, target.step, target.redo);
        let event = Event::RollbackStarted { to_seq, to_step, files, redo, chosen };
        batch.push_by(row.author.clone(), event)?;
        self.commit_taking(batch, Durability::Synced, vec![row.id]).await
    }

    /// Why a rollback or redo cannot be done now; none if it can.
    pub async fn rollback_refused(&self, control: &Control) -> Result<Option<String>, WorkError> {
        Ok(match self.target(control).await? {
            Ok(target) => self.preflight(&target).await?.err(),
            Err(why) => Some(why),
        })
    }

    async fn target(&self, control: &Control) -> Result<Result<Target, String>, WorkError> {
        let timelines = &self.state.ledger.timelines;
        if let Control::Rollback { to, files, seen_seq, choices } = control {
            let moved = timelines.last().is_some_and(|t| t.parent > 0 && t.from_seq > *seen_seq);
            if moved {
                return Ok(Err("the run was rolled back since you looked; look again".to_owned()));
            }
            return self.step(*to, *files, choices).await;
        }
        let Some(seq) = self.state.ledger.redo.last().copied() else {
            return Ok(Err("there is no rollback to undo: none was made since the last step".to_owned()));
        };
        let then = match self.engine.store.state_at(&self.run, seq).await {
            Ok(state) => state,
            Err(error @ StoreError::Damaged { .. }) => return Ok(Err(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        let timeline = self.state.ledger.timeline_of(seq);
        // The goal goes back with the rollback that brought it, unless a person gave the run another one since.
        let brought = self.chosen_at(seq).await?.and_then(|(_, chosen)| chosen.goal);
        let goal = brought.filter(|goal| *goal == self.state.path.goal).map(|_| then.path.goal);
        let (step, choices) = (then.path.step, RollbackChoices::default());
        Ok(Ok(Target { seq, timeline, step, files: true, redo: true, choices, goal }))
    }

    /// What was chosen of the rollback that began at this event, and by whom.
    async fn chosen_at(&self, seq: Seq) -> Result<Option<(Author, Chosen)>, WorkError> {
        for envelope in self.engine.store.events_at(&self.run, vec![seq]).await? {
            let Decoded::Known(event) = envelope.event else { continue };
            if let Event::RollbackStarted { chosen, .. } = *event {
                return Ok(Some((envelope.author, chosen)));
            }
        }
        Ok(None)
    }

    async fn step(
        &self,
        to: StepRef,
        files: bool,
        choices: &RollbackChoices,
    ) -> Result<Result<Target, String>, WorkError> {
        match self.engine.store.resolve_step(&self.run, to).await {
            Ok(point) => {
                let (seq, timeline, step) = (point.seq, point.timeline, point.step);
                let goal = match choices.goal {
                    true => Some(self.engine.store.state_at(&self.run, seq).await?.path.goal),
                    false => None,
                };
                let goal = goal.filter(|goal| *goal != self.state.path.goal);
                Ok(Ok(Target { seq, timeline, step, files, redo: false, choices: choices.clone(), goal }))
            }
            Err(
                error @ (StoreError::NoCheckpoint { .. }
                | StoreError::Damaged { .. }
                | StoreError::Refused { .. }),
            ) => Ok(Err(error.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) async fn refuse_row(&mut self, row: &InboxRow, why: &str) -> Result<(), WorkError> {
        let mut batch = self.batch();
        self.refuse(&mut batch, row, why)?;
        self.commit_taking(batch, Durability::Synced, vec![row.id]).await
    }

    /// Stops what runs and gives up what waits; an uncertain call counts as settled.
    async fn settle_open(&mut self) -> Result<(), WorkError> {
        if matches!(self.state.path.turn, Turn::Asking(_)) {
            self.close_model_call("the run is rolled back").await?;
        }
        let ids = |driver: &Self, wanted: &[CallStatus]| -> Vec<CallId> {
            let open = driver.state.open_here().filter(|c| wanted.contains(&c.status));
            open.map(|c| c.call_id.clone()).collect()
        };
        let started = ids(self, &[CallStatus::Started]);
        self.attend(&started, true).await?;
        if self.engine.stopping() {
            return Ok(());
        }
        let rest = ids(self, &[CallStatus::Proposed, CallStatus::Waiting, CallStatus::Approved]);
        self.give_up(&rest, ROLLED_BACK).await
    }

    /// The files of a rollback as they stand, or why they cannot be brought back. Changes no file.
    async fn preflight(&self, target: &Target) -> Result<Result<Fixed, String>, WorkError> {
        if !target.files {
            return Ok(Ok(Fixed::default()));
        }
        let changes = changes_of(self.engine.store.file_changes(&self.run).await?);
        let restored = restored_by(&self.engine.store, &self.state).await?;
        let all = files(&self.state, (target.seq, target.timeline), &changes, &restored);
        let workspace = self.workspace()?;
        let fixed = fix(&workspace, all, &target.choices);
        let items = restore::plan(&workspace, &wanted(&fixed.files))?;
        for item in items.iter().filter(|item| target.choices.take.contains(&item.path)) {
            if let Action::Conflict { why, .. } = item.action {
                return Ok(Err(format!("nothing was changed: {} cannot be taken: {why}", item.path)));
            }
        }
        let (restores, _) = still_to_do(&workspace, &fixed.files)?;
        // What cannot be staged now is told before anything is touched.
        match self.stage(restores, false).await? {
            Ok(()) => Ok(Ok(fixed)),
            Err(failed) => Ok(Err(format!("nothing was changed: {}", failed.why))),
        }
    }

    /// Writes every content beside its target and, if `through`, renames. The inner result is why it cannot be done.
    async fn stage(
        &self,
        restores: Vec<FileRestore>,
        through: bool,
    ) -> Result<Result<(), Failed>, WorkError> {
        let mut contents = HashMap::new();
        for file in &restores {
            if let FileState::File { hash, .. } = &file.wanted {
                match self.engine.store.blob(hash).await {
                    Ok(content) => drop(contents.insert(hash.clone(), content)),
                    Err(error @ (StoreError::NoBlob { .. } | StoreError::BadBlob { .. })) => {
                        return Ok(Err(Failed { why: format!("{}: {error}", file.path), half: false }));
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        let workspace = self.workspace()?;
        let done = tokio::task::spawn_blocking(move || {
            let content = |hash: &Hash| contents.get(hash).cloned().ok_or("its content is not stored");
            let staged = restore::stage(&workspace, wanted(&restores), content)?;
            if through {
                fault("rollback.staged");
                staged.commit()?;
                fault("rollback.renamed");
            }
            Ok(())
        })
        .await?;
        Ok(done.map_err(|error: RestoreError| Failed {
            half: matches!(&error, RestoreError::Interrupted { done, .. } if !done.is_empty()),
            why: error.to_string(),
        }))
    }

    /// Goes forward with the rollback that is recorded.
    pub async fn continue_rollback(&mut self) -> Result<(), WorkError> {
        let Some(rollback) = self.state.ledger.rollback.clone() else { return Ok(()) };
        let workspace = self.workspace()?;
        let (restores, kept) = still_to_do(&workspace, &rollback.files)?;
        let begun = restores.iter().any(|f| is_back(&workspace, f));
        if let Err(failed) = self.stage(restores, true).await? {
            if failed.half || begun {
                // Forward only: what is back stays back, and the rest follows once the cause is gone.
                return Err(WorkError::HalfBack { run: self.run.clone(), why: failed.why });
            }
            let mut batch = self.batch();
            batch.push(Event::RollbackFailed { why: failed.why })?;
            return self.commit(batch, Durability::Synced).await;
        }
        self.remove_made(&rollback.files).await?;
        let timeline = self.state.ledger.timelines.iter().map(|t| t.no).max().unwrap_or(1) + 1;
        let mut batch = self.batch();
        let over = self.over_again();
        batch.push_rolled_back(Event::RolledBack { to_seq: rollback.to_seq, timeline, kept, over });
        if let Some((author, Chosen { goal, paused, .. })) = self.chosen_at(rollback.seq).await? {
            if let Some(goal) = goal {
                let version = self.state.path.goal_version + 1;
                batch.push_behind(author.clone(), Event::GoalEdited { version, goal });
            }
            // In the same commit: the agent does not go on before the person has looked.
            if paused && self.state.ledger.paused.is_none() {
                batch.push_behind(author, Event::Paused { now: true });
            }
        }
        self.commit(batch, Durability::Synced).await?;
        self.texts = crate::store::TextCache::default();
        // A cassette goes on from the step that the run is back at.
        self.provider = None;
        Ok(())
    }

    /// Removes the folders that the run made for files which are gone now, as far as nothing is in them.
    async fn remove_made(&self, files: &[FileRestore]) -> Result<(), WorkError> {
        let gone: Vec<&str> =
            files.iter().filter(|f| f.wanted == FileState::Absent).map(|f| f.path.as_str()).collect();
        if gone.is_empty() {
            return Ok(());
        }
        let above = |folder: &str| {
            gone.iter().any(|path| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
        };
        let changes = self.engine.store.file_changes(&self.run).await?;
        // Sorted: a folder stands before what lies in it.
        let made: BTreeSet<String> =
            changes.into_iter().flat_map(|change| change.made).filter(|folder| above(folder)).collect();
        let made: Vec<String> = made.into_iter().collect();
        let workspace = self.workspace()?;
        Ok(tokio::task::spawn_blocking(move || workspace.remove_empty(&made)).await?)
    }

    /// True if the redo under way leads back to the run's end and that end still holds: a limit may have been raised.
    fn over_again(&self) -> bool {
        self.state.end_to_redo().is_some_and(|ended| match &ended.outcome {
            Outcome::Limit(_) => ends::limit_reached(&self.state).is_some(),
            Outcome::Completed | Outcome::Failed(_) | Outcome::Cancelled => true,
        })
    }
}

/// Leaves out what is kept, and sees what is taken as it is now.
fn fix(workspace: &Workspace, all: Vec<FileRestore>, choices: &RollbackChoices) -> Fixed {
    let mut fixed = Fixed::default();
    for mut file in all {
        if choices.keep.contains(&file.path) {
            fixed.kept.push(file.path);
            continue;
        }
        // The bits as they are; a file that cannot be looked at is one that others changed.
        if let Ok(now) = images::take(workspace, &file.path) {
            let taken = choices.take.contains(&file.path) && takeable(workspace, &file);
            if now.image.state.same_content(&file.seen) {
                file.seen = now.image.state;
            } else if taken {
                file.seen = now.image.state;
                fixed.contents.extend(now.bytes);
                fixed.taken.push(file.path.clone());
            }
        }
        fixed.files.push(file);
    }
    fixed
}

/// True if only others' change stands against bringing it back.
fn takeable(workspace: &Workspace, file: &FileRestore) -> bool {
    let items = restore::plan(workspace, &wanted(std::slice::from_ref(file)));
    items.is_ok_and(|items| items.iter().all(|item| item.action.takeable()))
}

/// The list as `workspace` takes it.
pub(super) fn wanted(restores: &[FileRestore]) -> Vec<Wanted> {
    let one =
        |f: &FileRestore| Wanted { path: f.path.clone(), seen: f.seen.clone(), wanted: f.wanted.clone() };
    restores.iter().map(one).collect()
}

/// True if the file stands as it is wanted; one that cannot be looked at does not.
pub(super) fn is_back(workspace: &Workspace, file: &FileRestore) -> bool {
    images::take(workspace, &file.path).is_ok_and(|now| now.image.state.same_content(&file.wanted))
}

/// What of a rollback can be done, and the paths that somebody else changed meanwhile.
fn still_to_do(
    workspace: &Workspace,
    all: &[FileRestore],
) -> Result<(Vec<FileRestore>, Vec<String>), WorkError> {
    let items = restore::plan(workspace, &wanted(all))?;
    let kept: HashSet<String> = items
        .into_iter()
        .filter(|item| match item.action {
            Action::Conflict { .. } => true,
            Action::Restore | Action::Remove | Action::Unchanged => false,
        })
        .map(|item| item.path)
        .collect();
    let restores = all.iter().filter(|f| !kept.contains(&f.path)).cloned().collect();
    let mut kept: Vec<String> = kept.into_iter().collect();
    kept.sort();
    Ok((restores, kept))
}
