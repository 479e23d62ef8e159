//! A decision that nobody makes in time: the agent's own recommendation is taken, as if somebody had sent it.
//!
//! It goes through the inbox like a person's answer, where the first decision of a call wins: one that a person sent
//! before stands. The moment is in the journal, by the wall clock; who waits for it measures the rest of the time by the
//! clock that goes on during sleep and that nobody sets, so that a wall clock that is set meanwhile neither hastens it nor
//! puts it off. Not to be assumed: that anybody waits; whoever has the run after that moment takes it.

use super::driver::Driver;
use super::error::WorkError;
use crate::agent::next_default;
use crate::config::units::format_duration;
use crate::host::clock;
use crate::run::call::Call;
use crate::run::control::{Author, Control, Decision};
use crate::run::id::{CallId, Millis};
use crate::run::state::RunState;
use crate::store::StoreError;
use crate::tool::{self, Registry};
use std::time::Duration;

/// Longest time until the clocks are looked at again: a machine that slept wakes no timer.
const LOOK: Duration = Duration::from_secs(15);

/// How long is left until a default, measured from where it was first waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    call: CallId,
    /// Its moment by the wall clock: another one after a pause.
    due: Millis,
    /// Milliseconds that were left then.
    left: i64,
    /// The clock that counts sleep, then.
    from: i64,
}

impl Left {
    /// The default that is waited for at this wall clock, if there is one; `before` is kept if it is about the same call.
    pub fn of(state: &RunState, before: Option<Left>, wall: Millis, boot: Millis) -> Option<Left> {
        let (at, call) = next_default(state)?;
        let same = before.filter(|left| left.call == call.call_id && left.due == at);
        let new = || Left { call: call.call_id.clone(), due: at, left: at.saturating_sub(wall), from: boot };
        Some(same.unwrap_or_else(new))
    }

    /// What is left; zero once its time has come.
    pub fn at(&self, boot: Millis) -> Duration {
        let passed = boot.saturating_sub(self.from);
        Duration::from_millis(u64::try_from(self.left.saturating_sub(passed)).unwrap_or(0))
    }

    /// Waits until its time has come.
    pub async fn passed(&self) {
        loop {
            let left = self.at(clock::read().boot_ms);
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.min(LOOK)).await;
        }
    }
}

/// Who decided, in the journal, where nobody did in time.
pub(super) fn by_default(call: &Call) -> Option<String> {
    call.default.map(|default| format!("default after {}", format_duration(default.after_ms)))
}

/// What the agent is told of it, below its own words.
pub(super) fn told(call: &Call, text: &str) -> String {
    let after = call.default.map(|default| format_duration(default.after_ms)).unwrap_or_default();
    format!("{text}\n[nobody answered within {after}; this is what you recommended, taken by default]")
}

impl Driver<'_> {
    /// How long the default that the run waits for is off; none if it waits for none.
    pub(super) fn default_left(&mut self, wall: Millis) -> Option<Left> {
        self.left = Left::of(&self.state, self.left.take(), wall, clock::read().boot_ms);
        self.left.clone()
    }

    /// Sends the agent's recommendation as the answer, unless somebody was first.
    pub(super) async fn take_default(&mut self) -> Result<(), WorkError> {
        let Some(call) = next_default(&self.state).map(|(_, call)| call.clone()) else { return Ok(()) };
        let args = self.args_of(&call).await?;
        let text = match Registry::new(tool::ShellLimits::default()).read(&call.tool, &args) {
            Ok((_, tool::Call::Decide(args))) => args.recommendation,
            Ok(_) | Err(_) => {
                return Err(WorkError::Stored(format!(
                    "the options of decision {} cannot be read",
                    call.call_id
                )));
            }
        };
        let control = Control::Decide {
            call_id: call.call_id.clone(),
            args_hash: call.args_hash.clone(),
            attempt: call.attempt,
            decision: Decision::Answer { text },
        };
        match self.engine.store.post(&self.run, control, Author::Wakeful, self.engine.now()).await {
            // Whoever was first, theirs is taken next.
            Ok(_) | Err(StoreError::NotDecidable { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(ms: i64, from: i64) -> Left {
        Left { call: CallId::new("c-1"), due: from + 1, left: ms, from }
    }

    #[test]
    fn the_time_left_is_measured_and_no_set_clock_changes_it() {
        let one = left(60_000, 1_000);
        assert_eq!(one.at(1_000), Duration::from_secs(60));
        assert_eq!(one.at(31_000), Duration::from_secs(30));
        assert_eq!(one.at(61_000), Duration::ZERO);
        // After a sleep of hours.
        assert_eq!(one.at(9_000_000), Duration::ZERO);
        // Its moment was before anybody waited.
        assert_eq!(left(-5, 1_000).at(1_000), Duration::ZERO);
        assert_eq!(left(i64::MAX, 0).at(1_000), Duration::from_millis((i64::MAX - 1_000) as u64));
    }
}
