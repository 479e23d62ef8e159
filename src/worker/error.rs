//! What can stop a worker that is not a fact of the run.

use crate::host::HostError;
use crate::run::fold::FoldError;
use crate::run::id::RunId;
use crate::store::StoreError;
use crate::workspace::WorkspaceError;

/// An error of a worker.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An event that cannot follow the state: a bug, and nothing was written.
    #[error(
        "wakeful tried to record something impossible and stopped before writing it: {0}. Please report this"
    )]
    Fold(#[from] FoldError),
    /// Processes and files beside the database.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The run's folder.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A rollback that had begun to change files met an obstacle.
    #[error(
        "the rollback of {run} is half done: {why}. Remove the cause; `wakeful resume {run}` then finishes it, and nothing else of the run happens before"
    )]
    HalfBack {
        /// The run.
        run: RunId,
        /// The obstacle.
        why: String,
    },
    /// The model cannot be reached as configured.
    #[error("{0}")]
    Model(String),
    /// A background job of this process broke off.
    #[error("a background job broke off: {0}")]
    Job(#[from] tokio::task::JoinError),
    /// A stored value that cannot be read or written.
    #[error("a stored value could not be read: {0}. Run `wakeful doctor`")]
    Stored(String),
}
