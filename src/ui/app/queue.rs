//! Messages on their way: one that waits for the next safe point can be had back, or delivered at once.
//!
//! The store decides whether it was still there; what it says comes back as a report.

use super::App;
use super::model::Model;
use super::msg::{Cmd, Ticket};
use crate::run::RunId;
use crate::run::state::{Status, WaitWhy};
use crate::store::{HadBack, InboxId};
use crate::ui::dialog::stop::StopDialog;
use crate::ui::keys::Action;
use crate::ui::text::{Strength, one_line};

/// When the agent reads what is said to it now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Before this step.
    Step(u64),
    /// Once a person has decided a call.
    Decided,
    /// Once a person has answered its question.
    Answered,
    /// Once the run goes on.
    GoesOn,
}

impl Model {
    /// When the agent of the shown run reads what is said to it now.
    pub fn reads(&self) -> Reads {
        let step = Reads::Step(self.next_request_step());
        let Some(view) = self.view() else { return step };
        match view.state.status() {
            Status::Paused => Reads::GoesOn,
            Status::Waiting(WaitWhy::Approval(_) | WaitWhy::Uncertain(_)) => Reads::Decided,
            Status::Waiting(WaitWhy::Question(_)) => Reads::Answered,
            Status::Running if !view.alive && !self.working.contains(&view.state.run) => Reads::GoesOn,
            Status::Running | Status::Waiting(WaitWhy::Hold(_) | WaitWhy::Retry(_)) | Status::Ended(_) => {
                step
            }
        }
    }

    /// About how many tokens a message to the agent of the shown run may take: by the table of its last request, before
    /// the first one by the window alone. None if that is not known.
    pub fn message_room(&self) -> Option<u32> {
        let view = self.view()?;
        let settings = view.state.settings()?;
        let table = view.asked.as_ref().map(|asked| &asked.table);
        let now = table.filter(|table| table.window == settings.model.window);
        let room = settings.model.window.saturating_sub(settings.model.reserve);
        Some(now.map_or(room, |table| table.message_room()))
    }

    /// What is said once a message is sent.
    pub(super) fn message_news(&self) -> String {
        let notes = &self.words().notes;
        match self.reads() {
            Reads::Step(step) => notes.message_sent(step),
            Reads::Decided => notes.reads_decided.to_owned(),
            Reads::Answered => notes.reads_answered.to_owned(),
            Reads::GoesOn => notes.reads_goes_on.to_owned(),
        }
    }
}

impl App {
    /// A key about the newest message that waits.
    pub(super) fn queued_key(&mut self, action: Action) -> Result<Vec<Cmd>, &'static str> {
        let notes = &self.model.words().notes;
        let Some(view) = self.model.view() else { return Err(notes.no_run) };
        let Some(queued) = view.queued.last() else { return Err(notes.nothing_queued) };
        let (run, id) = (view.state.run.clone(), queued.id);
        if action == Action::MessageBack {
            let ticket = self.model.ticket();
            return Ok(vec![Cmd::TakeBack(ticket, run, id)]);
        }
        // A command is ended, and a call denied, only if the person says so.
        match (StopDialog::deliver(&self.model, id), self.model.reads()) {
            (Some(ask), _) => Ok(self.open(ask)),
            (None, Reads::Decided) => Err(notes.reads_decided),
            (None, Reads::Answered) => Err(notes.reads_answered),
            (None, Reads::GoesOn) => Err(notes.reads_goes_on),
            (None, Reads::Step(_)) => Ok(self.hurry(run, id)),
        }
    }

    fn hurry(&mut self, run: RunId, id: InboxId) -> Vec<Cmd> {
        let ticket = self.model.ticket();
        vec![Cmd::Hurry(ticket, run, id)]
    }

    /// A message came back, or was delivered before.
    pub(super) fn had_back(&mut self, _ticket: Ticket, back: &Result<HadBack, String>) {
        let words = &self.model.words().notes;
        let said = match back {
            Ok(HadBack::Text(text)) => {
                let message = &mut self.model.message;
                // What is being written stays, after what came back.
                let draft = message.editor.text();
                let all = if draft.is_empty() { text.clone() } else { format!("{text}\n{draft}") };
                message.editor.set(&all);
                message.open = true;
                message.at = None;
                if message.earlier.last() == Some(text) {
                    message.earlier.pop();
                }
                words.had_back.to_owned()
            }
            other => self.not_queued(other),
        };
        self.say(said);
    }

    /// A message is delivered at once, or was delivered before.
    pub(super) fn hurried(&mut self, hurried: &Result<HadBack, String>) {
        let said = match hurried {
            Ok(HadBack::Text(_)) => self.model.words().notes.message_now.to_owned(),
            other => self.not_queued(other),
        };
        self.say(said);
    }

    fn not_queued(&self, why: &Result<HadBack, String>) -> String {
        let words = &self.model.words().notes;
        match why {
            Ok(HadBack::Before(by)) => words.back_before(&self.model.look.lang.author(by)),
            Ok(HadBack::TooLate(_) | HadBack::Text(_)) => words.back_too_late.to_owned(),
            Err(why) => {
                words.not_stored(&one_line(&self.model.look.lang.trouble(why), Strength::Prose).shown())
            }
        }
    }
}

#[cfg(test)]
mod tests;
