//! Bringing files back, all of them or none.
//!
//! Purpose: the file half of a rollback, in two phases. [`plan`] looks and tells; [`stage`] checks everything that can
//! be checked and writes every content beside its target; [`Staged::commit`] then only renames and removes.
//!
//! Re-entrant after a kill, always forward: call [`stage`] again with the same list. What is already as wanted is done,
//! what is as it was last seen is still to do, anything else was changed by somebody and is a conflict for a person.
//!
//! Not to be assumed: that folders vanish with their files. Whoever knows which of them the run made removes those that
//! are empty then ([`Workspace::remove_empty`]).

use std::collections::HashSet;

use super::atomic::Slot;
use super::confine::Workspace;
use super::error::WorkspaceError;
use super::images::{self, FileState};
use crate::run::id::Hash;

/// One file to bring back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Relative to the root, as in the image.
    pub path: String,
    /// What the run last left there.
    pub seen: FileState,
    /// What shall be there.
    pub wanted: FileState,
}

/// What restoring means for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreItem {
    /// Relative to the root.
    pub path: String,
    /// What is to be done there.
    pub action: Action,
}

/// What is to be done with one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Its content is put back, with the permission bits of then.
    Restore,
    /// It is removed: it did not exist then.
    Remove,
    /// It is already as wanted.
    Unchanged,
    /// It cannot be brought back without losing something; a person decides.
    Conflict {
        /// What is there now.
        found: FileState,
        /// Why it is left alone.
        why: &'static str,
    },
}

/// Why a file is left alone that a person may take all the same: its content can be kept first.
const CHANGED: &str = "changed since, by somebody else";

impl Action {
    /// True if it is a conflict that a person may settle by taking the file.
    pub fn takeable(&self) -> bool {
        matches!(self, Action::Conflict { why, .. } if *why == CHANGED)
    }
}

/// Why files were not brought back.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// Some files are in conflict. Nothing was changed.
    #[error(
        "nothing was restored, because {} of the files cannot be: {}. Leave them out, or bring them to a known state first.",
        .0.len(), list(.0)
    )]
    Conflicts(Vec<RestoreItem>),
    /// A path stands in the list twice. Nothing was changed.
    #[error("nothing was restored: {0:?} is listed twice. Each file can be brought back to one state only.")]
    Twice(String),
    /// A stored content is missing or damaged. Nothing was changed.
    #[error(
        "nothing was restored: the stored content of {path:?} cannot be used: {why}. `wakeful doctor` checks the store."
    )]
    Content {
        /// The file whose content it is.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// A file could not be prepared. Nothing was changed.
    #[error("nothing was restored: {0}")]
    Refused(WorkspaceError),
    /// The system failed between two files. Staging and committing the same list again goes on from here.
    #[error("restored {} of {all} files, then: {source} Try again to bring back the rest.", done.len())]
    Interrupted {
        /// Files already brought back.
        done: Vec<String>,
        /// How many there were to do.
        all: usize,
        /// What happened.
        source: WorkspaceError,
    },
}

fn list(items: &[RestoreItem]) -> String {
    let words = |item: &RestoreItem| match &item.action {
        Action::Conflict { why, .. } => format!("{} ({why})", item.path),
        Action::Restore | Action::Remove | Action::Unchanged => item.path.clone(),
    };
    items.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// Says for each file what would be done. Changes nothing.
///
/// # Errors
/// What the system says when it does not let us look; conflicts are no errors here.
pub fn plan(workspace: &Workspace, files: &[Wanted]) -> Result<Vec<RestoreItem>, WorkspaceError> {
    files
        .iter()
        .map(|file| Ok(RestoreItem { path: file.path.clone(), action: decide(workspace, file)? }))
        .collect()
}

fn decide(workspace: &Workspace, file: &Wanted) -> Result<Action, WorkspaceError> {
    let conflict = |why| Ok(Action::Conflict { found: FileState::NotAFile, why });
    // An image's path has its links resolved. If it resolves to something else now, a folder was exchanged for a link.
    match workspace.writable(&file.path) {
        Ok(real) if real == file.path => {}
        Err(WorkspaceError::Protected { .. }) => {
            return conflict("it lies where tools never write");
        }
        Ok(_) | Err(_) => return conflict("its path now leads elsewhere"),
    }
    let found = images::take(workspace, &file.path)?.image.state;
    Ok(judge(found, file))
}

/// The decision by the three states alone.
fn judge(found: FileState, file: &Wanted) -> Action {
    let conflict = |found, why| Action::Conflict { found, why };
    match (&found, &file.wanted) {
        (_, FileState::TooBig { .. }) => conflict(found, "its old content was too big to be kept"),
        (_, FileState::NotAFile) => conflict(found, "it was not a regular file"),
        (FileState::TooBig { .. }, _) => conflict(found, "it is too big to be compared"),
        // Content decides: bits that somebody changed, or that were only expected, are no reason to touch a file.
        (now, wanted) if now.same_content(wanted) => Action::Unchanged,
        (FileState::NotAFile, _) => conflict(found, "it is not a regular file now"),
        (now, _) if !now.same_content(&file.seen) => conflict(found, CHANGED),
        (_, FileState::File { .. }) => Action::Restore,
        (_, FileState::Absent) => Action::Remove,
    }
}

/// Looks whether a file could be changed now: it, or its folder, may be read-only. Nothing is written.
///
/// # Errors
/// Why not.
pub fn changeable(workspace: &Workspace, path: &str) -> Result<(), WorkspaceError> {
    // A folder that is not there is made by the restore.
    match workspace.slot(path) {
        Ok(slot) => slot.check_changeable().map(drop),
        Err(_) => Ok(()),
    }
}

/// Everything is written and checked; only renames and removals are left.
#[derive(Debug)]
pub struct Staged<'w> {
    workspace: &'w Workspace,
    files: Vec<Wanted>,
    steps: Vec<Step>,
    made: Vec<String>,
}

#[derive(Debug)]
struct Step {
    path: String,
    slot: Slot,
    /// The staged content's name; none for a removal.
    temporary: Option<String>,
}

/// Checks every file and writes every content beside its target. No target changes.
///
/// `content` gives the bytes stored under a hash.
///
/// # Errors
/// See [`RestoreError`]: conflicts, a read-only file or folder, missing content. Then nothing is left behind either.
pub fn stage<'w, E: std::fmt::Display>(
    workspace: &'w Workspace,
    files: Vec<Wanted>,
    content: impl Fn(&Hash) -> Result<Vec<u8>, E>,
) -> Result<Staged<'w>, RestoreError> {
    let mut paths = HashSet::new();
    if let Some(twice) = files.iter().find(|file| !paths.insert(file.path.as_str())) {
        return Err(RestoreError::Twice(twice.path.clone()));
    }
    let items = plan(workspace, &files).map_err(RestoreError::Refused)?;
    refuse_conflicts(&items)?;
    // From here on dropping `staged` takes away what was put beside the targets.
    let mut staged = Staged { workspace, files: Vec::new(), steps: Vec::new(), made: Vec::new() };
    for (file, item) in files.iter().zip(&items) {
        match item.action {
            Action::Restore => staged.add_content(file, &content)?,
            Action::Remove => staged.add_removal(file)?,
            Action::Unchanged | Action::Conflict { .. } => {}
        }
    }
    staged.files = files;
    Ok(staged)
}

fn refuse_conflicts(items: &[RestoreItem]) -> Result<(), RestoreError> {
    let conflicts: Vec<RestoreItem> =
        items.iter().filter(|item| matches!(item.action, Action::Conflict { .. })).cloned().collect();
    if conflicts.is_empty() { Ok(()) } else { Err(RestoreError::Conflicts(conflicts)) }
}

impl Staged<'_> {
    fn add_content<E: std::fmt::Display>(
        &mut self,
        file: &Wanted,
        content: impl Fn(&Hash) -> Result<Vec<u8>, E>,
    ) -> Result<(), RestoreError> {
        let FileState::File { hash, mode, .. } = &file.wanted else {
            return Ok(());
        };
        let bad = |why: String| RestoreError::Content { path: file.path.clone(), why };
        let bytes = content(hash).map_err(|error| bad(error.to_string()))?;
        if images::hash(&bytes) != *hash {
            return Err(bad("its checksum is wrong".to_owned()));
        }
        let made = self.workspace.make_parents(&file.path).map_err(RestoreError::Refused)?;
        self.made.extend(made);
        let slot = self.workspace.slot(&file.path).map_err(RestoreError::Refused)?;
        let temporary = slot.stage(&bytes, Some(*mode)).map_err(RestoreError::Refused)?;
        self.steps.push(Step { path: file.path.clone(), slot, temporary: Some(temporary) });
        Ok(())
    }

    fn add_removal(&mut self, file: &Wanted) -> Result<(), RestoreError> {
        let slot = self.workspace.slot(&file.path).map_err(RestoreError::Refused)?;
        slot.check_changeable().map_err(RestoreError::Refused)?;
        self.steps.push(Step { path: file.path.clone(), slot, temporary: None });
        Ok(())
    }

    /// Looks once more, then renames and removes.
    ///
    /// # Errors
    /// [`RestoreError::Conflicts`] if a file changed since staging (nothing was changed then);
    /// [`RestoreError::Interrupted`] if the system failed half-way.
    pub fn commit(mut self) -> Result<Vec<RestoreItem>, RestoreError> {
        let items = plan(self.workspace, &self.files).map_err(RestoreError::Refused)?;
        refuse_conflicts(&items)?;
        let all = self.steps.len();
        let mut done = Vec::new();
        for step in &mut self.steps {
            let moved = match step.temporary.take() {
                Some(temporary) => step.slot.commit(&temporary),
                None => step.slot.unlink(),
            };
            if let Err(source) = moved {
                return Err(RestoreError::Interrupted { done, all, source });
            }
            done.push(step.path.clone());
        }
        // What was made for a restored file is not empty now and stays.
        self.made.clear();
        Ok(items)
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        for step in &self.steps {
            if let Some(temporary) = &step.temporary {
                // A left-over is replaced when the same restore is staged again.
                let _ = step.slot.discard(temporary);
            }
        }
        self.workspace.remove_empty(&self.made);
    }
}
