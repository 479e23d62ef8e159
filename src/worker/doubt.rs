//! Attempts of which nobody knows what became of them: recorded as that, with the time that they can have taken.

use super::batch::Batch;
use super::driver::Driver;
use super::error::WorkError;
use crate::host::spool::Spool;
use crate::run::call::Call;
use crate::run::control::Resolution;
use crate::run::event::Event;

impl Driver<'_> {
    /// Nobody knows what became of it; it can have run for so many milliseconds.
    pub fn uncertain(&self, batch: &mut Batch, call: &Call, why: &str, ms: u64) -> Result<(), WorkError> {
        batch.push(Event::CallUncertain {
            call_id: call.call_id.clone(),
            attempt: call.attempt,
            spool: call.spool(),
            why: why.to_owned(),
            ms,
        })?;
        Ok(())
    }

    /// Nobody knows, and the class says what then: reads and keyed calls run again, or are left if they are to stop.
    pub fn doubt(
        &self,
        batch: &mut Batch,
        call: &Call,
        why: &str,
        ms: u64,
        stop: bool,
    ) -> Result<(), WorkError> {
        self.uncertain(batch, call, why, ms)?;
        let (resolution, result) = if stop {
            let text = "cancelled; it may have run".to_owned();
            (Resolution::Skip, Some(self.result(batch, &call.tool, false, text)))
        } else {
            (Resolution::Rerun, None)
        };
        batch.push(Event::CallResolved { call_id: call.call_id.clone(), resolution, result })?;
        Ok(())
    }
}

/// How long a command can have run whose end nobody recorded, milliseconds awake: until now, as what is left of it is gone,
/// and not beyond its time-out.
pub(super) fn longest(spool: &Spool) -> Result<u64, WorkError> {
    let most = spool.spec()?.map(|spec| spool.timeout_ms(&spec)).transpose()?;
    Ok(spool.age_ms()?.min(most.unwrap_or(0)))
}
