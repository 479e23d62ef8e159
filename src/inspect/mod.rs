//! Read-only answers for the command line and the workstation, worked out from the journal.
//!
//! - [`asked()`]: which model call a step means, and what came of it
//! - [`mod@past_request`]: the exact request of a past step, rebuilt and held against the hash that was stored
//! - [`mod@slot_items`]: what one slot of such a request holds, item by item
//! - [`table`]: the context budget of a step, or of the next one if none was asked yet
//! - [`mod@explain`]: one call: who decided what on which hash, its attempts, its spool, the same effect earlier
//! - [`mod@validate`]: arguments against the tools of a run, as the worker will judge them
//!
//! Nothing here writes, and nothing here is stored: all of it can be asked again. Not to be assumed: that an answer is
//! still the newest when it is shown.

pub mod asked;
mod error;
pub mod explain;
pub mod past_request;
pub mod slot_items;
pub mod table;
pub mod validate;

pub use asked::{Asked, Ending, Replied, Which, asked, asked_for};
pub use error::InspectError;
pub use explain::{Earlier, Explained, Move, explain, explain_row};
pub use past_request::{PastRequest, Prefix, past_aside, past_request, prefix};
pub use slot_items::{SlotItems, slot_items};
pub use table::{ContextView, context_view};
pub use validate::validate;
