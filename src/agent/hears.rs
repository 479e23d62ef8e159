//! When a message of a person to the agent goes in: when the agent is about to read it, and not before, so that it can be
//! taken back until then.
//!
//! Derived from [`next()`](super::next::next) alone. Not to be assumed: that a message that is not heard is lost; it stays
//! where it was written down, and is heard at a later safe point.

use super::next::{Next, Wait, next};
use crate::run::id::Millis;
use crate::run::state::{RunState, WaitWhy};

/// Who looks after the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hands {
    /// A worker that goes on with it.
    Working,
    /// Somebody who only writes down what was asked of it.
    Settling,
}

/// Whether a message is taken at `now`. It is when the next thing is a request to the model, when a claim to be done or the
/// end would come before it, and when the message itself sets the run going: it is held, or it has ended and a worker has
/// it (who only writes down what was asked leaves it where it can be taken back). A run that is being cancelled takes what
/// was said before: afterwards it would begin anew for it. It is not while a call is open or waits for a decision, while
/// the run is paused, or while a failed request waits for its time.
pub fn hears(state: &RunState, now: Millis, hands: Hands) -> bool {
    if state.ledger.unknown > 0 || state.ledger.rollback.is_some() {
        return false;
    }
    let reads = hands == Hands::Working;
    match next(state, now) {
        Next::GiveUp(_) | Next::Attend { stop: true, .. } => true,
        Next::Wait(Wait::Person(WaitWhy::Hold(_))) => true,
        Next::Ended | Next::CallModel { .. } | Next::Check(_) | Next::ReturnClaim(_) | Next::Hold(_) => reads,
        Next::WrapUp(..) => reads || state.ledger.cancelling,
        Next::ReadOnly
        | Next::CloseModelCall
        | Next::ContinueRollback
        | Next::Judge(_)
        | Next::Start(_)
        | Next::Attend { stop: false, .. }
        | Next::CommitStep(_)
        | Next::Wait(
            Wait::Person(
                WaitWhy::Approval(_) | WaitWhy::Question(_) | WaitWhy::Uncertain(_) | WaitWhy::Retry(_),
            )
            | Wait::Paused
            | Wait::Until(_),
        ) => false,
    }
}
