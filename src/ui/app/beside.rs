//! What is known of runs beside the snapshot: what was asked and not yet seen, what could not be saved, and signs of
//! life that stand in no journal.
//!
//! Derived from answers and looks of this process alone; nothing of it outlives the screen.

use super::msg::Ticket;
use crate::run::control::Control;
use crate::run::{CallId, CallStatus, Millis, RunId, Status};
use crate::ui::feed::{CallView, Outputs, RunView, Running, Signs};
use std::collections::HashMap;

/// A run whose worker here could not save: the disk is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsaved {
    /// When it is tried again by itself.
    pub again: Millis,
}

/// A pause, or its end, that was asked for here and that no snapshot shows yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asked {
    pause: bool,
    ticket: Ticket,
    /// When it stood in the inbox.
    stored: Option<Millis>,
}

/// What is known beside the snapshot.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// Signs of life of the shown run.
    pub signs: Option<Signs>,
    /// What commands of the shown run have written so far.
    pub outputs: Option<Outputs>,
    /// Runs that could not be saved.
    pub unsaved: HashMap<RunId, Unsaved>,
    /// Something that the person did could not be stored, since the disk is full.
    pub full: bool,
    /// What SQLite said of damage in the database file. Not neutral.
    pub file_damaged: Option<String>,
    pauses: HashMap<RunId, Asked>,
}

impl Beside {
    /// Signs of life of this run.
    pub fn signs_of(&self, run: &RunId) -> Option<&Signs> {
        self.signs.as_ref().filter(|signs| signs.run == *run)
    }

    /// Whether a command of this run runs on though its worker is gone.
    pub fn runs_alone(&self, view: &RunView) -> bool {
        let own = self.signs_of(&view.state.run).map_or(&[][..], |signs| signs.alone.as_slice());
        let started =
            |call: &CallId| view.state.open_call(call).is_some_and(|c| c.status == CallStatus::Started);
        !view.alive && own.iter().any(started)
    }

    /// What a call of this run has written so far; none if it does not run, or nobody looked yet.
    pub fn output_of(&self, run: &RunId, call: &CallView) -> Option<&Running> {
        let outputs = self.outputs.as_ref().filter(|outputs| outputs.run == *run)?;
        outputs.of(&call.call_id, call.attempt).filter(|_| call.status == CallStatus::Started)
    }

    /// What was asked last and is on its way: true is a pause, false its end; none if nothing is.
    pub fn pause_asked(&self, run: &RunId) -> Option<bool> {
        self.pauses.get(run).map(|asked| asked.pause)
    }

    /// A control goes out.
    pub(super) fn posts(&mut self, ticket: Ticket, run: &RunId, control: &Control) {
        let pause = match control {
            Control::Pause { .. } => true,
            Control::Continue => false,
            Control::Cancel
            | Control::Decide { .. }
            | Control::EditGoal { .. }
            | Control::EditPlan { .. }
            | Control::SetLimits { .. }
            | Control::SetMode { .. }
            | Control::SetModel { .. }
            | Control::Message { .. }
            | Control::ExtendTimeout { .. }
            | Control::StopCall { .. }
            | Control::Rollback { .. }
            | Control::Redo => return,
        };
        self.pauses.insert(run.clone(), Asked { pause, ticket, stored: None });
    }

    /// It stands in the inbox since `now`, or (none) was not written.
    pub(super) fn posted(&mut self, ticket: Ticket, now: Option<Millis>) {
        match now {
            Some(now) => self
                .pauses
                .values_mut()
                .filter(|asked| asked.ticket == ticket)
                .for_each(|asked| asked.stored = Some(now)),
            None => self.pauses.retain(|_, asked| asked.ticket != ticket),
        }
    }

    /// A snapshot that was begun at `at` shows what was taken, once nothing is left in the inbox.
    pub(super) fn seen(&mut self, at: Millis, view: &RunView) {
        let over = matches!(view.state.status(), Status::Ended(_));
        self.pauses.retain(|run, asked| {
            let seen = asked.stored.is_some_and(|stored| at >= stored) && view.pending == 0;
            *run != view.state.run || !(over || seen)
        });
    }
}

#[cfg(test)]
mod tests;
