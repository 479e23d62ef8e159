//! What the model can call.
//!
//! Purpose: everything between a call as the model wrote it and its result. [`Registry::read`] turns a name and raw
//! arguments into a [`Call`], validated; the modules named after the tools perform it. Reads and requests run here;
//! writes are split into a look ([`Prepared`]) and the move, so that what a person approves is what happens; `shell` is
//! only described and read here (`host` runs it); `note`, `plan`, `remember`, `ask_person` and `decide` have no effect
//! outside the store, and are read into what the journal records; `recall` is answered by the store.
//!
//! All but [`http_get`] block: an asynchronous caller runs them on a thread for blocking work, and ends a walk early by
//! its `stop` flag.
//!
//! Not to be assumed: that a call is allowed. Policy and approval come before anything here performs.

mod arguments;
mod ask;
mod commands;
mod danger;
mod diff;
mod edit;
mod http;
mod list;
mod memory;
mod neutral;
mod notes;
mod output;
mod overwritten;
mod plan;
mod read;
mod registry;
mod schema;
mod search;
mod shell;
mod spec;
mod specs;
mod write;

pub use crate::run::plan::{NoteKind, PlanItem, PlanState};
pub use crate::run::settings::{Class, ToolSpec};
pub use arguments::{canonical, read_arguments};
pub use ask::{AskArgs, DecideArgs, DecideOption};
pub use commands::{simple_commands, spellings};
pub use danger::{DANGERS, dangerous};
pub use diff::{exact_diff, unified};
pub use edit::EditArgs;
pub use http::{HttpArgs, HttpSettings, host_of, http_get, plain_address};
pub use list::{Changed, ListArgs, changed_since, file_paths, folder, list_files};
pub use memory::{RecallArgs, RememberArgs};
pub use neutral::neutralise;
pub use notes::NoteArgs;
pub use output::{Captured, Limits, OUTPUT_KEPT, Shown, decode_output, decode_part, trim_end, trim_start};
pub use plan::PlanArgs;
pub use read::{ReadArgs, read_file};
pub use registry::{Call, Registry};
pub use schema::validate;
pub use search::{SearchArgs, search};
pub use shell::{ShellArgs, ShellLimits};
pub use spec::{Cut, Output, ToolError, ToolResult};
pub use specs::built_in;
pub use write::{Prepared, Probe, WriteArgs, probe};
