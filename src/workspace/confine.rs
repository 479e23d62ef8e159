//! Capability-style access to one folder.
//!
//! Purpose: turn the paths that models write into handles below the root. The root is resolved once, when it is opened;
//! afterwards everything goes through its handle, and the operating system itself refuses to leave it (`openat2` where
//! there is one). A check of the path's text alone would be beaten by a link that is placed between check and use.
//!
//! Rules: relative paths and absolute paths inside the root are taken; `..` is refused altogether; links are followed
//! as long as they stay inside; writes are refused in `.git` and `.wakeful`, at any depth, after links are resolved.
//!
//! Not to be assumed: that a path that was resolved still means the same file later. Compare images for that.

use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, MetadataExt, OpenOptions, OpenOptionsExt};

use super::atomic::Slot;
use super::error::WorkspaceError;

/// Folders that tools never write: hooks and configuration in them could loosen what is allowed.
const PROTECTED: [&str; 2] = [".git", ".wakeful"];

/// A folder, opened, and everything below it.
#[derive(Debug)]
pub struct Workspace {
    /// As it was named, made absolute: paths a person copies from their prompt begin like this.
    named: PathBuf,
    root: PathBuf,
    dir: Dir,
}

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
    /// Opens a folder as a workspace. Links in the path to it are resolved here, once.
    ///
    /// # Errors
    /// [`WorkspaceError::Root`] if it is not a folder that can be entered.
    pub fn open(root: &Path) -> Result<Self, WorkspaceError> {
        let wrong = |source| WorkspaceError::Root {
            root: root.to_path_buf(),
            source,
        };
        let named = std::path::absolute(root).map_err(wrong)?;
        let resolved = named.canonicalize().map_err(wrong)?;
        let dir = Dir::open_ambient_dir(&resolved, ambient_authority()).map_err(wrong)?;
        Ok(Self {
            named,
            root: resolved,
            dir,
        })
    }

    /// The root, absolute and without links.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path relative to the root, `/`-separated, `"."` for the root itself. Looks at the text alone.
    ///
    /// # Errors
    /// [`WorkspaceError::Outside`] for `..` and for absolute paths elsewhere, [`WorkspaceError::BadPath`] for a NUL.
    pub fn relative(&self, path: &str) -> Result<String, WorkspaceError> {
        if path.contains('\0') {
            return Err(WorkspaceError::BadPath {
                path: path.to_owned(),
                why: "it contains a NUL character",
            });
        }
        let given = Path::new(path);
        let inside = if given.is_absolute() {
            given
                .strip_prefix(&self.root)
                .or_else(|_| given.strip_prefix(&self.named))
                .map_err(|_| self.outside(path, "it is absolute and begins elsewhere"))?
        } else {
            given
        };
        let mut parts = Vec::new();
        for part in inside.components() {
            match part {
                Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
                Component::CurDir => {}
                Component::ParentDir => return Err(self.outside(path, "it contains `..`")),
                Component::RootDir | Component::Prefix(_) => {
                    return Err(self.outside(path, "it is absolute"));
                }
            }
        }
        Ok(if parts.is_empty() {
            ".".to_owned()
        } else {
            parts.join("/")
        })
    }

    /// The same file's path with every link resolved, whether the file exists or not: the deepest part that exists is
    /// resolved, the rest is appended.
    ///
    /// # Errors
    /// As [`Self::relative`]; [`WorkspaceError::Outside`] when a link leads out, [`WorkspaceError::DanglingLink`] when
    /// it leads nowhere.
    pub fn real(&self, path: &str) -> Result<String, WorkspaceError> {
        let relative = self.relative(path)?;
        let mut missing: Vec<&str> = Vec::new();
        let mut existing = relative.as_str();
        loop {
            if existing == "." {
                break;
            }
            match self.dir.symlink_metadata(existing) {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(self.refused("look at", path, error)),
            }
            let (parent, name) = existing.rsplit_once('/').unwrap_or((".", existing));
            missing.push(name);
            existing = parent;
        }
        let resolved = self.dir.canonicalize(existing).map_err(|error| {
            let nowhere = error.kind() == io::ErrorKind::NotFound
                || error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
            if nowhere {
                WorkspaceError::DanglingLink {
                    path: existing.to_owned(),
                }
            } else {
                self.refused("resolve", path, error)
            }
        })?;
        let mut parts: Vec<String> = resolved
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
                Component::CurDir
                | Component::ParentDir
                | Component::RootDir
                | Component::Prefix(_) => None,
            })
            .collect();
        parts.extend(missing.iter().rev().map(|&name| name.to_owned()));
        Ok(if parts.is_empty() {
            ".".to_owned()
        } else {
            parts.join("/")
        })
    }

    /// [`Self::real`], and writing there is allowed.
    ///
    /// # Errors
    /// As [`Self::real`]; [`WorkspaceError::Protected`] in `.git` and `.wakeful`.
    pub fn writable(&self, path: &str) -> Result<String, WorkspaceError> {
        let real = self.real(path)?;
        let protected = real
            .split('/')
            .find(|part| PROTECTED.iter().any(|name| part.eq_ignore_ascii_case(name)));
        match protected {
            Some(folder) => Err(WorkspaceError::Protected {
                folder: folder.to_owned(),
                path: real.clone(),
            }),
            None => Ok(real),
        }
    }

    /// What is at the path, the last link not followed; none if there is nothing.
    ///
    /// # Errors
    /// As [`Self::relative`], or what the system said.
    pub fn entry(&self, path: &str) -> Result<Option<Entry>, WorkspaceError> {
        let relative = self.relative(path)?;
        match self.dir.symlink_metadata(&relative) {
            Ok(meta) => Ok(Some(entry_of(&meta))),
            // A file where a folder should be means that nothing is at the longer path.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
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
        options
            .read(true)
            .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        let file = self
            .dir
            .open_with(&relative, &options)
            .map_err(|error| self.refused("open", &relative, error))?;
        let meta = file
            .metadata()
            .map_err(|error| self.refused("look at", &relative, error))?;
        let entry = entry_of(&meta);
        match entry.kind {
            EntryKind::File => Ok((file, entry)),
            EntryKind::Dir | EntryKind::Link | EntryKind::Special => {
                Err(WorkspaceError::NotAFile {
                    path: relative,
                    found: entry.kind.words(),
                })
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
            return Err(WorkspaceError::TooBig {
                path: self.relative(path)?,
                len: entry.len.max(len),
                cap,
            });
        }
        Ok((bytes, Entry { len, ..entry }))
    }

    /// Replaces or creates a file in one move: temporary file beside it, sync, rename, sync of the folder. Missing
    /// folders are made. An existing file keeps its permission bits; other names of it (hard links) keep the old
    /// content.
    ///
    /// # Errors
    /// As [`Self::writable`]; [`WorkspaceError::ReadOnly`], [`WorkspaceError::NotAFile`], or what the system said. The
    /// old file is then untouched; only an error of the last sync leaves the new one in place.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        self.make_parents(path)?;
        let slot = self.slot(path)?;
        let staged = slot.stage(bytes, None)?;
        slot.commit(&staged)
    }

    /// Removes a regular file, or the link itself if the path names a link's target's place.
    ///
    /// # Errors
    /// As [`Self::writable`]; [`WorkspaceError::NotFound`], or what the system said.
    pub fn remove(&self, path: &str) -> Result<(), WorkspaceError> {
        self.slot(path)?.unlink()
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
            match self.dir.create_dir(folder) {
                Ok(()) => {
                    let parent = folder.rsplit_once('/').map_or(".", |(parent, _)| parent);
                    self.dir
                        .open(parent)
                        .and_then(|parent| parent.sync_all())
                        .map_err(|error| self.refused("sync the folder above", folder, error))?;
                    made.push(folder.to_owned());
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(self.refused("make the folder of", &real, error)),
            }
        }
        Ok(made)
    }

    /// A handle on the place of a file that is to be written: its folder, opened, and its name there.
    pub(super) fn slot(&self, path: &str) -> Result<Slot, WorkspaceError> {
        let real = self.writable(path)?;
        if real == "." {
            return Err(WorkspaceError::NotAFile {
                path: real,
                found: EntryKind::Dir.words(),
            });
        }
        let (parent, name) = real.rsplit_once('/').unwrap_or((".", real.as_str()));
        let dir = self
            .dir
            .open_dir(parent)
            .map_err(|error| self.refused("open the folder of", &real, error))?;
        Ok(Slot::new(dir, name.to_owned(), real.clone()))
    }

    /// The folder handle, for the parts of this module that walk.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    fn outside(&self, path: &str, why: &'static str) -> WorkspaceError {
        WorkspaceError::Outside {
            path: path.to_owned(),
            root: self.root.clone(),
            why,
        }
    }

    /// Sorts an error of the handle: an escape is one without a number of the system's.
    fn refused(&self, doing: &'static str, path: &str, error: io::Error) -> WorkspaceError {
        match error.kind() {
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                self.outside(path, "a symbolic link on the way leads out of it")
            }
            io::ErrorKind::NotFound => WorkspaceError::NotFound {
                path: path.to_owned(),
                root: self.root.clone(),
            },
            _ => WorkspaceError::Io {
                doing,
                path: path.to_owned(),
                source: error,
            },
        }
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
    Entry {
        kind,
        len: meta.len(),
        mode: meta.mode() & 0o777,
    }
}
