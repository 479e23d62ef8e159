//! What running commands have written so far, which stands in no journal: the end of it, and how much it is.
//!
//! Read from the files of the commands beside the database, whoever works at the run, and without keys and secrets, as
//! the journal would have it. Not to be assumed: that it is harmless text; it passes `ui::text` before it reaches a cell.

use crate::run::{CallId, RunId};

/// What a running command has written so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// The call.
    pub call: CallId,
    /// Its attempt.
    pub attempt: u32,
    /// Bytes in all.
    pub bytes: u64,
    /// Lines in all; none if they came too fast to be counted.
    pub lines: Option<u64>,
    /// The last lines.
    pub tail: String,
}

/// The same of all commands of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// The run.
    pub run: RunId,
    /// Its running commands.
    pub calls: Vec<Running>,
}

impl Outputs {
    /// What this attempt of a call has written.
    pub fn of(&self, call: &CallId, attempt: u32) -> Option<&Running> {
        self.calls.iter().find(|running| running.call == *call && running.attempt == attempt)
    }
}

/// A piece of the output of a running command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputPart {
    /// Where it begins, byte.
    pub from: u64,
    /// Whole lines.
    pub text: String,
    /// A line that is not whole yet; it comes again with the next piece.
    pub rest: String,
    /// Where the next piece begins, byte.
    pub next: u64,
    /// Bytes in all.
    pub size: u64,
}
