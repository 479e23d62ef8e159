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
use cap_std::fs::Dir;

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
    /// Files and folders elsewhere that tools never write, absolute and without links.
    guarded: Vec<PathBuf>,
}

impl Workspace {
    /// Opens a folder as a workspace. Links in the path to it are resolved here, once.
    ///
    /// # Errors
    /// [`WorkspaceError::Root`] if it is not a folder that can be entered.
    pub fn open(root: &Path) -> Result<Self, WorkspaceError> {
        let wrong = |source| WorkspaceError::Root { root: root.to_path_buf(), source };
        let named = std::path::absolute(root).map_err(wrong)?;
        let resolved = named.canonicalize().map_err(wrong)?;
        let dir = Dir::open_ambient_dir(&resolved, ambient_authority()).map_err(wrong)?;
        Ok(Self { named, root: resolved, dir, guarded: Vec::new() })
    }

    /// Also refuses writes to these files, to all in these folders, and to files beside them whose names begin like
    /// theirs (`wakeful.db-wal`): wakeful's own database and configuration, should they lie in the workspace.
    #[must_use]
    pub fn guarding(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let real = |path: PathBuf| {
            // What does not exist yet is named by its folder.
            path.canonicalize()
                .ok()
                .or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
        };
        self.guarded.extend(paths.into_iter().filter_map(real));
        self
    }

    fn guards(&self, real: &str) -> bool {
        let path = self.root.join(real);
        self.guarded.iter().any(|guarded| {
            let begins = |at: &Path| {
                at.as_os_str().as_encoded_bytes().starts_with(guarded.as_os_str().as_encoded_bytes())
            };
            path.starts_with(guarded) || (path.parent() == guarded.parent() && begins(&path)) || {
                // A file in a folder whose name begins like the database's: `wakeful.db.d/…`.
                let beside = path.ancestors().find(|at| at.parent() == guarded.parent());
                beside.is_some_and(begins)
            }
        })
    }

    /// Makes sure that the folder at the root's path is still the one that was opened: file tools go through its handle,
    /// commands are started by its path.
    ///
    /// # Errors
    /// [`WorkspaceError::Moved`] if it is not, [`WorkspaceError::Root`] if it cannot be looked at.
    pub fn still_there(&self) -> Result<(), WorkspaceError> {
        use cap_std::fs::MetadataExt as _;
        use std::os::unix::fs::MetadataExt as _;
        let wrong = |source| WorkspaceError::Root { root: self.root.clone(), source };
        let opened = self.dir.dir_metadata().map_err(wrong)?;
        let there = match std::fs::symlink_metadata(&self.root) {
            Ok(there) => (there.dev(), there.ino()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(WorkspaceError::Moved { root: self.root.clone() });
            }
            Err(error) => return Err(wrong(error)),
        };
        if there == (opened.dev(), opened.ino()) {
            Ok(())
        } else {
            Err(WorkspaceError::Moved { root: self.root.clone() })
        }
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
        Ok(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
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
                WorkspaceError::DanglingLink { path: existing.to_owned() }
            } else {
                self.refused("resolve", path, error)
            }
        })?;
        let mut parts: Vec<String> = resolved
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
                Component::CurDir | Component::ParentDir | Component::RootDir | Component::Prefix(_) => None,
            })
            .collect();
        parts.extend(missing.iter().rev().map(|&name| name.to_owned()));
        Ok(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
    }

    /// [`Self::real`], and writing there is allowed.
    ///
    /// # Errors
    /// As [`Self::real`]; [`WorkspaceError::Protected`] in `.git` and `.wakeful`, and for what [`Self::guarding`] names.
    pub fn writable(&self, path: &str) -> Result<String, WorkspaceError> {
        let real = self.real(path)?;
        let protected =
            real.split('/').find(|part| PROTECTED.iter().any(|name| part.eq_ignore_ascii_case(name)));
        if self.guards(&real) {
            return Err(WorkspaceError::Protected { folder: "wakeful's own files".to_owned(), path: real });
        }
        match protected {
            Some(folder) => Err(WorkspaceError::Protected { folder: folder.to_owned(), path: real.clone() }),
            None => Ok(real),
        }
    }

    /// The folder handle, for the parts of this module that walk.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    fn outside(&self, path: &str, why: &'static str) -> WorkspaceError {
        WorkspaceError::Outside { path: path.to_owned(), root: self.root.clone(), why }
    }

    /// Sorts an error of the handle: an escape is one without a number of the system's.
    pub(super) fn refused(&self, doing: &'static str, path: &str, error: io::Error) -> WorkspaceError {
        match error.kind() {
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                self.outside(path, "a symbolic link on the way leads out of it")
            }
            io::ErrorKind::NotFound => {
                WorkspaceError::NotFound { path: path.to_owned(), root: self.root.clone() }
            }
            _ => WorkspaceError::Io { doing, path: path.to_owned(), source: error },
        }
    }
}
