//! What the screen shows of the store: read off the thread that draws, bounded whatever the length of the run, and of
//! one head.
//!
//! A [`Snapshot`] holds the lists and figures; a [`StepView`] what happened in one step. Committed steps never change, so
//! the screen keeps those it has shown and asks for others as they come into view. Not to be assumed: that the texts are
//! harmless. They are as stored, and pass `ui::text` before they reach a cell.

mod argument;
mod coming;
mod ended;
mod folds;
mod output;
mod read;
mod signs;
mod step;

pub use argument::main_argument;
pub use coming::{Coming, ComingGoal, coming_goals, coming_plan};
pub use folds::Fold;
pub use output::{OutputPart, Outputs, Running};
pub use read::{CALLS, Feed, Queued, RunView, Snapshot, StepSpan, Unread, Waiting};
pub use signs::{Asleep, Signs, Silent};
pub use step::{CallView, Ending, Item, StepView, Text};
