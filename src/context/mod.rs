//! Pure: what the model is shown, counted and rendered.
//!
//! [`assemble`] turns a run's state and the texts of its unfolded messages into one request, or says what has to
//! happen first: fold the oldest rounds, drop old outputs, or stop because a slot is too big. [`summarise`] makes the
//! rule-based summary of a fold, [`summary_request`] asks the model for one, [`keeper_request`] asks it for
//! the core; [`phase_result`] makes by rule what is remembered of a phase. [`message_tokens`] is the one way to count a message, so that what the worker
//! records and what the table shows agree.
//!
//! Order of a request: one system message (role and rules, workspace instructions, tools when they are text, the goal
//! verbatim, the core, the summary), the recent rounds, and last a message of the role `user` with the state, which is not part
//! of the history. So from step to step the request only grows at its end until something is folded or edited.
//!
//! Derived: every figure of the table. Not to be assumed: that the counts are the server's; `table.exact` says
//! whether they are the model's own tokenizer's, and the framing is a documented constant either way.

mod ahead;
mod assemble;
mod budget;
mod calibrate;
mod core_reply;
mod count;
mod done;
mod items;
mod keeper;
mod memories;
mod not_taken;
mod pairing;
mod phase_result;
mod poses;
mod prompts;
mod recount;
mod render_native;
mod render_schema;
pub mod returned;
mod room;
mod schema_reply;
mod schema_stream;
mod state_share;
mod state_text;
mod summary;
mod summary_asked;
mod texts;
mod trim;
mod trims;
mod words;

pub use assemble::{Assembled, Assembly, NotCreated, TooBig, assemble};
pub use count::{Beside, Count, FRAMING, PRIMING, message_tokens, request_tokens};
pub use done::done_calls;
pub use items::{Named, SlotItem, items};
pub use keeper::{AUDIT_EVERY, KEEPER_TRIES, Kept, keeper_due, keeper_request, read_keeper};
pub use phase_result::phase_result;
pub use prompts::{goal_in, is_own_message, prompts_version};
pub use recount::recounted;
pub use room::{goal_room, goal_room_of, goal_too_large, message_room, message_too_large};
pub use schema_reply::{SchemaReply, parse_schema_reply};
pub use schema_stream::SchemaText;
pub use summary::{summarise, summary_lines};
pub use summary_asked::{SUMMARY_TRIES, Written, read_summary, summary_request};
pub use texts::{AgentCall, MessageText, Texts, needed};
pub use trim::{DropPlan, Dropped, FoldPlan};

/// Version of the rendering; it grows when the same state would give other bytes.
pub const RENDER_VERSION: u32 = 3;
