//! What can go wrong with this machine's files and processes, in words for a person.

use std::io;
use std::path::{Path, PathBuf};

/// A failure of the machine below: never a verdict about a command.
///
/// Whoever gets one of these while following a call knows nothing new about that call; the call
/// stays open and the run waits or tries again.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// A file or folder could not be read or written.
    #[error("could not {action} {}: {source}", path.display())]
    File {
        /// What was tried, as a verb with its object left out ("create", "sync").
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's own reason.
        source: io::Error,
    },
    /// The system refused an operation that names no file.
    #[error("could not {action}: {source}")]
    System {
        /// What was tried.
        action: &'static str,
        /// The system's own reason.
        source: io::Error,
    },
    /// A spool name that this program did not make.
    #[error("{name:?} is not a spool name (CALL.ATTEMPT.EPOCH); leave the folder alone and report it")]
    Name {
        /// The text that is no name.
        name: String,
    },
    /// The `spec` of a spool cannot be understood.
    #[error("the spec in {} cannot be read: {why}; the command was not started", path.display())]
    Spec {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

impl HostError {
    /// A closure for `map_err` that names what was tried and on which file.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> HostError {
        let path = path.to_path_buf();
        move |source| HostError::File { action, path, source }
    }

    /// Whether the disk is full or a quota is used up: the run should pause, not fail.
    pub fn is_no_space(&self) -> bool {
        match self {
            HostError::File { source, .. } | HostError::System { source, .. } => {
                matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            HostError::Name { .. } | HostError::Spec { .. } => false,
        }
    }
}
