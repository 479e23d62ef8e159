//! Pausing a run and letting it go on, by the one key for both.

use super::App;
use super::msg::Cmd;
use crate::run::control::Control;
use crate::run::{Outcome, RunId, Status};

impl App {
    /// The key that pauses, or lets go on what stands still.
    pub(super) fn pause_toggle(
        &mut self,
        run: RunId,
        status: &Status,
        held: bool,
    ) -> Result<Vec<Cmd>, &'static str> {
        let notes = &self.model.words().notes;
        let alive = self.model.view().is_some_and(|view| view.alive) || self.model.working.contains(&run);
        // What was asked a moment ago counts, not what the screen saw before.
        match (self.model.beside.pause_asked(&run), status) {
            (Some(_), Status::Ended(_)) | (None, _) => {}
            (Some(true), _) => return Ok(self.post(run, Control::Continue, notes.going_on)),
            (Some(false), _) => return Ok(self.post(run, Control::Pause { now: false }, notes.pausing)),
        }
        match status {
            Status::Ended(Outcome::Failed(_)) => Ok(self.post(run, Control::Continue, notes.trying_again)),
            Status::Ended(Outcome::Completed | Outcome::Limit(_) | Outcome::Cancelled)
                if self.model.reopens() =>
            {
                Ok(self.goes_on_here(run))
            }
            Status::Ended(Outcome::Completed | Outcome::Limit(_) | Outcome::Cancelled) => Err(notes.ended),
            Status::Paused => Ok(self.post(run, Control::Continue, notes.going_on)),
            Status::Waiting(_) if held => Ok(self.post(run, Control::Continue, notes.going_on)),
            Status::Running | Status::Waiting(_) if alive => {
                Ok(self.post(run, Control::Pause { now: false }, notes.pausing))
            }
            Status::Running | Status::Waiting(_) => Ok(self.goes_on_here(run)),
        }
    }

    /// A run that nobody works at goes on here; a click never does that.
    fn goes_on_here(&mut self, run: RunId) -> Vec<Cmd> {
        if self.clicked.is_some() {
            self.refuse_click();
            return Vec::new();
        }
        self.say(self.model.words().notes.going_on);
        vec![Cmd::Work(run)]
    }
}
