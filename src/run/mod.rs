//! Plain data: what can happen to a run ([`event`]) and what a run is ([`state`], the fold of its events).
//!
//! Nothing here does I/O, reads a clock or knows a screen. Everything else in the crate speaks these types.

pub mod body;
pub mod budget_table;
pub mod calibration;
pub mod call;
pub mod checkpoint;
pub mod control;
pub mod decode;
pub mod earlier;
pub mod envelope;
pub mod event;
mod event_kind;
mod event_parts;
pub mod fold;
pub mod fold_ledger;
pub mod goal;
pub mod id;
pub mod left;
pub mod memory;
pub mod message;
pub mod phase;
pub mod plan;
pub mod plan_text;
pub mod refused;
pub mod report;
pub mod settings;
pub mod state;
pub mod status;
pub mod usage;

pub use body::{BagContent, BlobBag, Body};
pub use call::{Call, CallMove, CallStatus, Origin};
pub use control::{Author, Control, Decision, Resolution, StepRef};
pub use event::{Decoded, Envelope, Event, Hold, NewEvent, Purpose, ResultText};
pub use goal::{Check, CheckResult, Goal};
pub use id::{CallId, Epoch, Hash, Head, Millis, RunId, Seq, StepNo, TimelineNo, WorkerId};
pub use refused::Refused;
pub use report::{LimitKind, Outcome, Report};
pub use settings::{Class, Limits, Mode, Settings, ToolSpec};
pub use state::{RunState, Status, Turn, WaitWhy};
pub use usage::{Totals, Usage};
