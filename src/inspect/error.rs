//! Why a question about a run has no answer.

use crate::run::{RunId, StepNo};
use crate::store::StoreError;

/// An error of an inspection.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A step without a request.
    #[error(
        "run {run} has asked its model nothing at step {step} of timeline {timeline}. `wakeful checkpoints {run}` lists its steps; the first request is that of step 1"
    )]
    NotAsked {
        /// The run.
        run: RunId,
        /// The step.
        step: StepNo,
        /// The timeline.
        timeline: u32,
    },
    /// A run that has asked nothing yet, where a past request is wanted.
    #[error("run {run} has asked its model nothing yet; `wakeful resume {run}` goes on with it")]
    NothingAsked {
        /// The run.
        run: RunId,
    },
    /// A place where nothing was asked beside the conversation.
    #[error(
        "nothing of this kind was asked of the model there: it is asked for a summary when rounds leave the window, and for the core when they did. `wakeful checkpoints {run}` lists the steps"
    )]
    NoAside {
        /// The run.
        run: RunId,
    },
    /// The context of a run cannot be worked out.
    #[error("the context of run {run} cannot be worked out: {why}")]
    NoContext {
        /// The run.
        run: RunId,
        /// Why, and what to do.
        why: String,
    },
}
