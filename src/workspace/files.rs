//! What can be done with one path of the workspace: look, read, write, remove.
//!
//! Purpose: every access goes through the root's handle, is bounded, and never waits on a pipe.
//!
//! Not to be assumed: that owner, extended attributes or other names (hard links) of a file survive a write; its
//! permission bits do.

use std::io;

use cap_std::fs::{File, MetadataExt as _, OpenOptions, OpenOptionsExt as _};

use super::atomic::{Slot, is_read_only};
use super::confine::Workspace;
use super::error::WorkspaceError;

/// What is at a path, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// File, folder, link or something else.
    pub kind: EntryKind,
    /// Size in bytes.
    pub len: u64,
    /// Permission bits (`0o777`).
    pub mode: u32,
}

/// The kinds of things a path can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A symbolic link.
    Link,
    /// A pipe, socket or device.
    Special,
}

impl EntryKind {
    /// The kind with its article, for sentences.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::File => "a regular file",
            Self::Dir => "a folder",
            Self::Link => "a symbolic link",
            Self::Special => "a pipe, socket or device",
        }
    }
}

impl Workspace {
    /// What is at the path, the last link not followed; none if there is nothing.
    ///
    /// # Errors
    /// As [`Self::relative`], or what the system said.
    pub fn entry(&self, path: &str) -> Result<Option<Entry>, WorkspaceError> {
        let relative = self.relative(path)?;
        match self.dir().symlink_metadata(&relative) {
            Ok(meta) => Ok(Some(entry_of(&meta))),
            // A file where a folder should be means that nothing is at the longer path.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(error) => Err(self.refused("look at", path, error)),
        }
    }

    /// Opens a regular file for reading; links that stay inside are followed. Never waits on a pipe.
    ///
    /// # Errors
    /// As [`Self::relative`]; [`WorkspaceError::NotFound`], [`WorkspaceError::NotAFile`], or what the system said.
    pub fn open_file(&self, path: &str) -> Result<(File, Entry), WorkspaceError> {
        let relative = self.relative(path)?;
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        let file = self
            .dir()
            .open_with(&relative, &options)
            .map_err(|error| self.refused("open", &relative, error))?;
        let meta = file.metadata().map_err(|error| self.refused("look at", &relative, error))?;
        let entry = entry_of(&meta);
        match entry.kind {
            EntryKind::File => Ok((file, entry)),
            EntryKind::Dir | EntryKind::Link | EntryKind::Special => {
                Err(WorkspaceError::NotAFile { path: relative, found: entry.kind.words() })
            }
        }
    }

    /// Reads a whole regular file of at most `cap` bytes.
    ///
    /// # Errors
    /// As [`Self::open_file`]; [`WorkspaceError::TooBig`] above the cap, also when it grows while it is read.
    pub fn read(&self, path: &str, cap: u64) -> Result<(Vec<u8>, Entry), WorkspaceError> {
        use std::io::Read as _;
        let (file, entry) = self.open_file(path)?;
        let mut bytes = Vec::new();
        file.take(cap.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| self.refused("read", path, error))?;
        let len = bytes.len() as u64;
        if len > cap {
            return Err(WorkspaceError::TooBig { path: self.relative(path)?, len: entry.len.max(len), cap });
        }
        Ok((bytes, Entry { len, ..entry }))
    }

    /// Says beforehand whether the folder of a file that is to be written can be written, or the nearest one above it that
    /// exists.
    ///
    /// # Errors
    /// As [`Self::writable`]; [`WorkspaceError::ReadOnlyFolder`]. What cannot be looked at is left for the write to tell.
    pub fn check_folder(&self, path: &str) -> Result<(), WorkspaceError> {
        let real = self.writable(path)?;
        let mut folder = real.as_str();
        loop {
            folder = folder.rsplit_once('/').map_or(".", |(above, _)| above);
            match self.dir().open_dir(folder) {
                Ok(dir) if is_read_only(&dir).unwrap_or(false) => {
                    return Err(WorkspaceError::ReadOnlyFolder { folder: folder.to_owned(), path: real });
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound && folder != "." => {}
                Ok(_) | Err(_) => return Ok(()),
            }
        }
    }

    /// Replaces or creates a file in one move: temporary file beside it, sync, rename, sync of the folder. Missing
    /// folders are made. An existing file keeps its permission bits; other names of it (hard links) keep the old
    /// content.
    ///
    /// # Errors
    /// As [`Self::writable`]; [`WorkspaceError::ReadOnly`], [`WorkspaceError::NotAFile`], or what the system said. The
    /// old file is then untouched; only an error of the last sync leaves the new one in place.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        let made = self.make_parents(path)?;
        let written = self.slot(path).and_then(|slot| {
            let staged = slot.stage(bytes, None)?;
            slot.commit(&staged)
        });
        if written.is_err() {
            self.remove_empty(&made);
        }
        written
    }

    /// The folders above a file that is to be written which are not there, outermost first.
    ///
    /// # Errors
    /// As [`Self::writable`].
    pub fn missing_folders(&self, path: &str) -> Result<Vec<String>, WorkspaceError> {
        let real = self.writable(path)?;
        let above = real.match_indices('/').map(|(end, _)| real.get(..end).unwrap_or_default());
        let missing = above.filter(|folder| {
            self.dir().symlink_metadata(folder).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        });
        Ok(missing.map(str::to_owned).collect())
    }

    /// Removes these folders, the last first, as far as nothing is in them and tools may write there.
    pub fn remove_empty(&self, folders: &[String]) {
        for folder in folders.iter().rev() {
            // Not empty, or not there any more, is as good.
            if self.writable(folder).is_ok_and(|real| real == *folder)
                && self.dir().remove_dir(folder).is_ok()
            {
                let parent = folder.rsplit_once('/').map_or(".", |(parent, _)| parent);
                // A power cut may bring an empty folder back, nothing more.
                let _ = self.dir().open(parent).and_then(|parent| parent.sync_all());
            }
        }
    }

    /// Removes a regular file. Links are resolved first: the file goes that they lead to.
    ///
    /// # Errors
    /// As [`Self::writable`]; [`WorkspaceError::NotFound`], [`WorkspaceError::NotAFile`], [`WorkspaceError::ReadOnly`], or
    /// what the system said. The file is then still there.
    pub fn remove(&self, path: &str) -> Result<(), WorkspaceError> {
        let slot = self.slot(path)?;
        match slot.check_changeable()? {
            Some(_) => slot.unlink(),
            None => Err(WorkspaceError::NotFound { path: path.to_owned(), root: self.root().to_path_buf() }),
        }
    }

    /// Makes the folders above a file that is to be written, each synced into its parent. Returns those made, outermost
    /// first.
    ///
    /// # Errors
    /// As [`Self::writable`], or what the system said.
    pub fn make_parents(&self, path: &str) -> Result<Vec<String>, WorkspaceError> {
        let real = self.writable(path)?;
        let mut made = Vec::new();
        for (end, _) in real.match_indices('/') {
            let folder = real.get(..end).unwrap_or_default();
            match self.dir().create_dir(folder) {
                Ok(()) => {
                    let parent = folder.rsplit_once('/').map_or(".", |(parent, _)| parent);
                    self.dir()
                        .open(parent)
                        .and_then(|parent| parent.sync_all())
                        .map_err(|error| self.refused("sync the folder above", folder, error))?;
                    made.push(folder.to_owned());
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    self.remove_empty(&made);
                    return Err(self.refused("make the folder of", &real, error));
                }
            }
        }
        Ok(made)
    }

    /// A handle on the place of a file that is to be written: its folder, opened, and its name there.
    pub(super) fn slot(&self, path: &str) -> Result<Slot, WorkspaceError> {
        let real = self.writable(path)?;
        if real == "." {
            return Err(WorkspaceError::NotAFile { path: real, found: EntryKind::Dir.words() });
        }
        let (parent, name) = real.rsplit_once('/').unwrap_or((".", real.as_str()));
        let dir =
            self.dir().open_dir(parent).map_err(|error| self.refused("open the folder of", &real, error))?;
        Ok(Slot::new(dir, name.to_owned(), real.clone()))
    }
}

pub(super) fn entry_of(meta: &cap_std::fs::Metadata) -> Entry {
    let kind = if meta.is_file() {
        EntryKind::File
    } else if meta.is_dir() {
        EntryKind::Dir
    } else if meta.is_symlink() {
        EntryKind::Link
    } else {
        EntryKind::Special
    };
    Entry { kind, len: meta.len(), mode: meta.mode() & 0o777 }
}
