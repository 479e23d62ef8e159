//! Which calls a rollback gave up or ended, as far as the journal knows; and what is told once of what came to an end.
//!
//! Derived from the order of events: what runs is ended, and what waits is given up, before a rollback is recorded. Not
//! to be assumed: that such a call did nothing; its effects stay, and the preview has told of them.

use super::argument::main_argument;
use super::step::{CallView, Item, StepView};
use crate::run::call::CallStatus;
use crate::run::event::Event;
use crate::run::{Decoded, Envelope, Outcome};

/// Why a call was given up that had not been started when the run went back, as the journal has it.
pub const ROLLED_BACK: &str = "the run was rolled back";

/// A request to cancel that was done: its place is kept, nothing is told of it.
const CANCELLED: &str = "cancel_done";

/// A rollback that took an earlier one back.
const REDONE: &str = "redone";

impl StepView {
    pub(super) fn each_call(&mut self, change: impl FnMut(&mut CallView)) {
        self.items.iter_mut().filter_map(Item::call_mut).for_each(change);
    }

    /// A rollback begins, or was about to: a running call that was ended, and that nobody else asked to end, was ended
    /// for it.
    pub(super) fn ended_by_rollback(&mut self) {
        self.each_call(|call| {
            let given_up = match call.status {
                CallStatus::Failed => call.why == "cancelled",
                CallStatus::Cancelled => call.started.is_some(),
                CallStatus::Proposed
                | CallStatus::Waiting
                | CallStatus::Approved
                | CallStatus::Started
                | CallStatus::Done
                | CallStatus::Rejected
                | CallStatus::Denied
                | CallStatus::Uncertain => false,
            };
            call.rolled_back |= given_up && !call.stopped;
        });
    }

    /// A run ended: that it was asked to is told with that, and not beside it.
    pub(super) fn cancel_done(&mut self, outcome: &Outcome) {
        for item in self.items.iter_mut().filter(|_| *outcome == Outcome::Cancelled) {
            if let Item::Other { kind: kind @ "cancel_requested", .. } = item {
                *kind = CANCELLED;
            }
        }
    }

    /// Outputs that the model has not read whole are told; old ones that it has read go silently.
    pub(super) fn outputs_dropped(
        &mut self,
        envelope: &Envelope,
        event: &Event,
        n: usize,
        kept: Option<u32>,
    ) {
        if kept.is_some() {
            self.other(envelope, event, n.to_string());
        }
    }

    /// Tells with each rollback which calls were ended for it; `left` are the events of the timelines that were left.
    pub fn tell_ended(&mut self, left: &[Envelope]) {
        let mut of = Self { step: self.step, from: self.from, to: self.to, ..Self::default() };
        let mut told = Vec::new();
        for envelope in left {
            let Decoded::Known(event) = &envelope.event else { continue };
            of.take(envelope, event);
            if let Event::RollbackStarted { redo, .. } = event.as_ref() {
                let ended = of.calls().filter(|call| call.rolled_back);
                // One line a call.
                let name = |call: &CallView| {
                    let (what, _) = main_argument(&call.args.shown);
                    format!("{} {}", call.tool, what.replace('\n', " ⏎ "))
                };
                told.push((envelope.seq, *redo, ended.map(name).collect::<Vec<_>>().join("\n")));
                of.items.clear();
            }
        }
        for item in &mut self.items {
            if let Item::Other { seq, kind: kind @ "rolled_back", words, .. } = item
                && let Some((_, redo, ended)) = told.iter().rev().find(|(begun, ..)| begun < seq)
            {
                words.clone_from(ended);
                if *redo {
                    *kind = REDONE;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
