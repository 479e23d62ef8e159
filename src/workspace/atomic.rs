//! Changing one file in one move.
//!
//! Purpose: at any instant the file has the old content or the new, also after a power cut. The new content is written
//! and synced under a temporary name in the same folder, then renamed over the target, then the folder is synced.
//!
//! The temporary name follows from the target's name and the content: who tries the same write again after a kill meets
//! its own left-over and replaces it, instead of leaving a second one.

use std::io::{self, Write as _};
use std::os::fd::AsFd as _;

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt, Permissions, PermissionsExt};
use rustix::fs::{Access, AtFlags};

use super::error::WorkspaceError;
use super::files::{Entry, EntryKind, entry_of};

/// True if nothing can be made, replaced or removed in the folder.
pub(super) fn is_read_only(folder: &Dir) -> io::Result<bool> {
    let denied = rustix::fs::accessat(folder.as_fd(), ".", Access::WRITE_OK, AtFlags::EACCESS).is_err();
    Ok(denied || entry_of(&folder.dir_metadata()?).mode & 0o222 == 0)
}

/// The place of one file: its folder as a handle, so that nothing on the way can be exchanged any more.
#[derive(Debug)]
pub(super) struct Slot {
    dir: Dir,
    name: String,
    /// Relative to the root, for messages.
    path: String,
}

impl Slot {
    pub(super) fn new(dir: Dir, name: String, path: String) -> Self {
        Self { dir, name, path }
    }

    /// What is there now, links not followed.
    pub(super) fn entry(&self) -> Result<Option<Entry>, WorkspaceError> {
        match self.dir.symlink_metadata(&self.name) {
            Ok(meta) => Ok(Some(entry_of(&meta))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io("look at", error)),
        }
    }

    /// Refuses what must not be replaced or removed: anything but a regular file, a read-only one, and files in a folder
    /// that cannot be written. The bits are looked at too, because root may write anything.
    pub(super) fn check_changeable(&self) -> Result<Option<Entry>, WorkspaceError> {
        let entry = self.entry()?;
        if let Some(found) = entry {
            match found.kind {
                EntryKind::File if found.mode & 0o222 == 0 => return Err(self.read_only()),
                EntryKind::File => {}
                EntryKind::Dir | EntryKind::Link | EntryKind::Special => {
                    return Err(WorkspaceError::NotAFile {
                        path: self.path.clone(),
                        found: found.kind.words(),
                    });
                }
            }
        }
        if is_read_only(&self.dir).map_err(|error| self.io("look at the folder of", error))? {
            let folder = self.path.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned();
            return Err(WorkspaceError::ReadOnlyFolder { path: self.path.clone(), folder });
        }
        Ok(entry)
    }

    /// Writes the content beside the target and syncs it; nothing of the target changes. `mode` sets the permission
    /// bits; without it an existing target's bits are taken, or the process's default.
    pub(super) fn stage(&self, bytes: &[u8], mode: Option<u32>) -> Result<String, WorkspaceError> {
        let existing = self.check_changeable()?;
        let temporary = self.temporary_name(bytes);
        self.discard(&temporary)?;
        let mode = mode.or(existing.map(|entry| entry.mode));
        let written = self.fill(&temporary, bytes, mode);
        if let Err(error) = written {
            // The write's own error is the one to report; a left-over is replaced by the next try.
            let _ = self.dir.remove_file(&temporary);
            return Err(self.io("write", error));
        }
        Ok(temporary)
    }

    fn fill(&self, temporary: &str, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(match mode {
            Some(_) => 0o600,
            None => 0o666,
        });
        let mut file = self.dir.open_with(temporary, &options)?;
        file.write_all(bytes)?;
        if let Some(mode) = mode {
            file.set_permissions(Permissions::from_mode(mode & 0o777))?;
        }
        file.sync_all()
    }

    /// Renames the staged content over the target and syncs the folder.
    pub(super) fn commit(&self, temporary: &str) -> Result<(), WorkspaceError> {
        if let Err(error) = self.dir.rename(temporary, &self.dir, &self.name) {
            let _ = self.dir.remove_file(temporary);
            return Err(self.io("replace", error));
        }
        self.sync_folder()
    }

    /// Removes the file and syncs the folder.
    pub(super) fn unlink(&self) -> Result<(), WorkspaceError> {
        self.dir.remove_file(&self.name).map_err(|error| self.io("remove", error))?;
        self.sync_folder()
    }

    /// Takes a staged content away again, if it is there.
    pub(super) fn discard(&self, temporary: &str) -> Result<(), WorkspaceError> {
        match self.dir.remove_file(temporary) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(self.io("clear the temporary file of", error)),
        }
    }

    /// The name under which this content is staged for this target.
    pub(super) fn temporary_name(&self, bytes: &[u8]) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.name.as_bytes());
        hasher.update(&[0]);
        hasher.update(bytes);
        let hex = hasher.finalize().to_hex();
        format!(".wakeful-{}.tmp", hex.as_str().get(..24).unwrap_or_default())
    }

    fn sync_folder(&self) -> Result<(), WorkspaceError> {
        // A folder handle that only names the folder cannot be synced; opening it for reading gives one that can.
        let folder = self.dir.open(".").map_err(|error| self.io("sync the folder of", error))?;
        folder.sync_all().map_err(|error| self.io("sync the folder of", error))
    }

    fn read_only(&self) -> WorkspaceError {
        WorkspaceError::ReadOnly { path: self.path.clone() }
    }

    fn io(&self, doing: &'static str, source: io::Error) -> WorkspaceError {
        WorkspaceError::Io { doing, path: self.path.clone(), source }
    }
}
