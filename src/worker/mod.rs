//! Performs what the agent decides, and commits what came of it.
//!
//! [`advance`] owns a run, asks [`crate::agent::next()`] what to do, does it, commits, and asks again. There is no
//! recovery code beside this: after a kill the journal is folded and the same question is asked. Not to be assumed: that
//! a call is performed by the process that started it, or that the state in hand is still the newest (the store's commit
//! says so).

mod batch;
mod beside;
mod checks;
mod controls;
mod default;
mod doubt;
mod driver;
mod engine;
mod error;
mod instructions;
mod judge;
mod live;
mod masking;
mod model_call;
mod phase_end;
pub mod preview;
mod read_call;
mod recall;
pub mod replay;
pub mod reuse;
mod rollback;
mod secret_forms;
mod shell_call;
mod size;
mod subject;
mod summary;
mod sweep;
mod tokenizer;
mod tool_call;
pub mod vectors;
mod wrap_up;

pub use batch::Batch;
pub use checks::impossible;
pub use controls::{WITHDRAWN, is_asked};
pub use default::Left;
pub use driver::{Stay, Stop, advance, registry_of};
pub use engine::{Engine, Models, Observer, Phase, Silent};
pub use error::WorkError;
pub use judge::{effect_key, error_text};
pub use live::Live;
pub use masking::Masks;
pub use size::too_large;
pub use vectors::Vectors;

/// The fault points of this floor: both sides of every commit and of every act, in the order in which a step passes
/// them. The last two are passed by rollbacks only.
pub const FAULTS: &[&str] = &[
    "worker.claimed",
    "worker.called",
    "worker.replied",
    "worker.prepared",
    "worker.started",
    "worker.before_write",
    "worker.after_write",
    "worker.performed",
    "worker.before_commit",
    "worker.after_commit",
    "worker.ended",
    "worker.released",
    "rollback.staged",
    "rollback.renamed",
];
