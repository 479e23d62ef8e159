//! What can go wrong with a file of the workspace, in words for the person and for the model.

use std::io;
use std::path::PathBuf;

/// An access to the workspace that was refused or failed. Nothing was changed, unless the variant says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The root itself cannot be used.
    #[error("cannot open the workspace {}: {source}. Name an existing folder you may enter.", root.display())]
    Root {
        /// The folder as it was named.
        root: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another folder stands at the root's place than the one that was opened.
    #[error(
        "the workspace {} is no longer the folder that was opened: it was moved or replaced. Move it back, and go on with \
         `wakeful resume`.", root.display()
    )]
    Moved {
        /// The root, resolved.
        root: PathBuf,
    },
    /// The path leads, or may lead, out of the root.
    #[error("{path:?} is outside the workspace {}: {why}. Use a path inside it, relative to its root.", root.display())]
    Outside {
        /// The path as it was asked for.
        path: String,
        /// The root, resolved.
        root: PathBuf,
        /// Which rule it breaks.
        why: &'static str,
    },
    /// The path is no name of a file at all.
    #[error("{path:?} cannot be a path: {why}.")]
    BadPath {
        /// The path as it was asked for.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The path lies in a folder whose content decides what is safe.
    #[error(
        "{path:?} lies in {folder:?}, which is never written by tools: its files decide what runs and what is allowed. \
         If it must change, ask the person to do it."
    )]
    Protected {
        /// The path, resolved, relative to the root.
        path: String,
        /// The protected folder.
        folder: String,
    },
    /// A symbolic link that points to nothing, or in circles, is in the way.
    #[error(
        "{path:?} is a symbolic link that leads nowhere. Name the file it should point to, or remove the link."
    )]
    DanglingLink {
        /// The link, relative to the root.
        path: String,
    },
    /// There is no such file.
    #[error("{path:?} does not exist in the workspace {}.", root.display())]
    NotFound {
        /// The path, relative to the root.
        path: String,
        /// The root, resolved.
        root: PathBuf,
    },
    /// There is something, but not a regular file.
    #[error("{path:?} is {found}, not a regular file.")]
    NotAFile {
        /// The path, relative to the root.
        path: String,
        /// What it is, with its article.
        found: &'static str,
    },
    /// The folder of the file is read-only, so that nothing in it can be made, replaced or removed.
    #[error(
        "the folder {folder:?} is read-only, so that {path:?} in it was left as it is. Make the folder writable (chmod u+w) \
         and try again."
    )]
    ReadOnlyFolder {
        /// The path, relative to the root.
        path: String,
        /// Its folder, relative to the root; `.` is the root.
        folder: String,
    },
    /// The file is marked read-only.
    #[error("{path:?} is read-only and was left as it is. Make it writable (chmod u+w) and try again.")]
    ReadOnly {
        /// The path, relative to the root.
        path: String,
    },
    /// The file is larger than an operation takes.
    #[error("{path:?} has {len} bytes; at most {cap} can be handled here.")]
    TooBig {
        /// The path, relative to the root.
        path: String,
        /// Its size in bytes.
        len: u64,
        /// The limit in bytes.
        cap: u64,
    },
    /// The system refused.
    #[error("cannot {doing} {path:?}: {source}.")]
    Io {
        /// What was tried, as a verb.
        doing: &'static str,
        /// The path, relative to the root.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}
