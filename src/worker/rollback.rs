//! Rolling back: settle what runs, fix what will be restored, restore, move the head. From `RollbackStarted` on it goes
//! forward, also after a kill.

use super::driver::Driver;
use super::error::WorkError;
use crate::agent::rollback::{PlacedChange, files};
use crate::run::call::CallStatus;
use crate::run::checkpoint::{FileChange, FileRestore};
use crate::run::control::StepRef;
use crate::run::event::Event;
use crate::run::id::{CallId, Hash, Seq, StepNo, TimelineNo};
use crate::run::state::Turn;
use crate::store::{Durability, FileChangeRow, InboxRow, Store, StoreError};
use crate::workspace::restore::{self, Action, Wanted};
use crate::workspace::{Workspace, images};
use std::collections::HashSet;

impl Driver<'_> {
    /// Takes a rollback: what is open is settled on the present timeline first, then the rollback is recorded.
    pub async fn begin_rollback(
        &mut self,
        row: &InboxRow,
        to: StepRef,
        with_files: bool,
    ) -> Result<(), WorkError> {
        match self.engine.store.resolve_step(&self.run, to).await {
            Ok(point) => self.begin(row, (point.seq, point.timeline, point.step), with_files, false).await,
            Err(error @ StoreError::NoCheckpoint { .. }) => self.refuse_row(row, &error.to_string()).await,
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a redo: back to the moment before the last rollback.
    pub async fn begin_redo(&mut self, row: &InboxRow) -> Result<(), WorkError> {
        let Some(seq) = self.state.ledger.redo else {
            return self.refuse_row(row, "there is no rollback to undo").await;
        };
        let timeline = self.state.ledger.timeline_of(seq);
        let step = self.engine.store.state_at(&self.run, seq).await?.path.step;
        self.begin(row, (seq, timeline, step), true, true).await
    }

    async fn refuse_row(&mut self, row: &InboxRow, why: &str) -> Result<(), WorkError> {
        let mut batch = self.batch();
        self.refuse(&mut batch, row, why)?;
        self.commit_taking(batch, Durability::Synced, vec![row.id]).await
    }

    async fn begin(
        &mut self,
        row: &InboxRow,
        to: (Seq, TimelineNo, StepNo),
        with_files: bool,
        redo: bool,
    ) -> Result<(), WorkError> {
        self.settle_open().await?;
        let restores = if with_files { self.restores((to.0, to.1)).await? } else { Vec::new() };
        // What cannot be staged now is told before anything is touched.
        if let Err(error) = self.stage(&restores, false).await? {
            return self.refuse_row(row, &format!("nothing was changed: {error}")).await;
        }
        let mut batch = self.batch();
        let event = Event::RollbackStarted { to_seq: to.0, to_step: to.2, files: restores, redo };
        batch.push_by(row.author.clone(), event)?;
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
        let rest = ids(self, &[CallStatus::Proposed, CallStatus::Waiting, CallStatus::Approved]);
        self.give_up(&rest).await
    }

    /// The files to restore, without those that somebody else changed since: these are kept.
    async fn restores(&self, to: (Seq, TimelineNo)) -> Result<Vec<FileRestore>, WorkError> {
        let changes = placed(self.engine.store.file_changes(&self.run).await?);
        let all = files(&self.state, to, &changes);
        let mut restores = Vec::new();
        for file in all {
            let now = images::take(&self.workspace, &file.path)?.image.state;
            if now.same_content(&file.seen) {
                restores.push(file);
            }
        }
        Ok(restores)
    }

    /// Writes every content beside its target and, if `through`, renames. The inner result is why it cannot be done.
    async fn stage(&self, restores: &[FileRestore], through: bool) -> Result<Result<(), String>, WorkError> {
        let mut contents = std::collections::HashMap::new();
        for file in restores {
            if let crate::run::checkpoint::FileState::File { hash, .. } = &file.wanted {
                contents.insert(hash.clone(), self.engine.store.blob(hash).await?);
            }
        }
        let wanted: Vec<Wanted> = restores
            .iter()
            .map(|f| Wanted { path: f.path.clone(), seen: f.seen.clone(), wanted: f.wanted.clone() })
            .collect();
        let workspace = self.workspace.clone();
        let done = tokio::task::spawn_blocking(move || {
            let content = |hash: &Hash| contents.get(hash).cloned().ok_or("its content is not stored");
            let staged = restore::stage(&workspace, wanted, content).map_err(|e| e.to_string())?;
            crate::host::fault::fault("rollback.staged");
            if through {
                staged.commit().map_err(|e| e.to_string())?;
                crate::host::fault::fault("rollback.renamed");
            }
            Ok(())
        })
        .await?;
        Ok(done)
    }

    /// Goes forward with the rollback that is recorded.
    pub async fn continue_rollback(&mut self) -> Result<(), WorkError> {
        let Some(rollback) = self.state.ledger.rollback.clone() else { return Ok(()) };
        let (restores, kept) = still_to_do(&self.workspace, rollback.files)?;
        if let Err(why) = self.stage(&restores, true).await? {
            let mut batch = self.batch();
            batch.push(Event::RollbackFailed { why })?;
            return self.commit(batch, Durability::Synced).await;
        }
        let timeline = self.state.ledger.timelines.iter().map(|t| t.no).max().unwrap_or(1) + 1;
        let mut batch = self.batch();
        batch.push_rolled_back(Event::RolledBack { to_seq: rollback.to_seq, timeline, kept });
        self.commit(batch, Durability::Synced).await?;
        self.texts = crate::store::TextCache::default();
        Ok(())
    }
}

/// What of a rollback is still to do, and what somebody else changed meanwhile.
fn still_to_do(
    workspace: &Workspace,
    all: Vec<FileRestore>,
) -> Result<(Vec<FileRestore>, Vec<String>), WorkError> {
    let wanted: Vec<Wanted> = all
        .iter()
        .map(|f| Wanted { path: f.path.clone(), seen: f.seen.clone(), wanted: f.wanted.clone() })
        .collect();
    let items = restore::plan(workspace, &wanted)?;
    let kept: HashSet<String> = items
        .into_iter()
        .filter(|item| match item.action {
            Action::Conflict { .. } => true,
            Action::Restore | Action::Remove | Action::Unchanged => false,
        })
        .map(|item| item.path)
        .collect();
    let restores = all.into_iter().filter(|f| !kept.contains(&f.path)).collect();
    let mut kept: Vec<String> = kept.into_iter().collect();
    kept.sort();
    Ok((restores, kept))
}

/// The recorded changes, with whether each is known to have taken place.
pub fn placed(rows: Vec<FileChangeRow>) -> Vec<PlacedChange> {
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
            change: FileChange { path: row.path, before: row.before, after: row.after },
        })
        .collect()
}

/// What a rollback would do, for its preview.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// The checkpoint's seq.
    pub to_seq: Seq,
    /// Its step.
    pub to_step: StepNo,
    /// Files, with what happens to each.
    pub files: Vec<(FileRestore, Action)>,
}

/// Looks at what a rollback would do to files; changes nothing.
///
/// # Errors
/// The store's and the folder's.
pub async fn preview(
    store: &Store,
    state: &crate::run::state::RunState,
    workspace: &Workspace,
    to: (Seq, TimelineNo, StepNo),
) -> Result<Preview, WorkError> {
    let changes = placed(store.file_changes(&state.run).await?);
    let all = files(state, (to.0, to.1), &changes);
    let wanted: Vec<Wanted> = all
        .iter()
        .map(|f| Wanted { path: f.path.clone(), seen: f.seen.clone(), wanted: f.wanted.clone() })
        .collect();
    let items = restore::plan(workspace, &wanted)?;
    let files = all.into_iter().zip(items.into_iter().map(|i| i.action)).collect();
    Ok(Preview { to_seq: to.0, to_step: to.2, files })
}
