//! Decisions that nobody makes: when the agent's own recommendation is taken.
//!
//! The moment stands in the journal. Not to be assumed: that the wall clock tells whether it has come; it can be set. Who
//! waits for it measures the time.

use crate::run::call::{Call, CallStatus};
use crate::run::id::Millis;
use crate::run::state::{RunState, Status, WaitWhy};

/// The decision whose default comes first, and when; none if the run waits for none. A pause, a hold and what a person has
/// to settle come before it.
pub fn next_default(state: &RunState) -> Option<(Millis, &Call)> {
    match state.status() {
        Status::Waiting(WaitWhy::Approval(_) | WaitWhy::Question(_)) => {}
        Status::Waiting(WaitWhy::Uncertain(_) | WaitWhy::Hold(_) | WaitWhy::Retry(_))
        | Status::Running
        | Status::Paused
        | Status::Ended(_) => return None,
    }
    let waiting = state.open_here().filter(|call| call.status == CallStatus::Waiting);
    waiting.filter_map(|call| Some((call.default?.at, call))).min_by_key(|(at, _)| *at)
}
