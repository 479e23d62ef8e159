//! Messages on their way: one that waits for the next safe point can be had back, or delivered at once.
//!
//! The store decides whether it was still there; what it says comes back as a report.

use super::App;
use super::model::Model;
use super::msg::{Cmd, Ticket};
use crate::run::{Call, CallStatus, RunId};
use crate::run::state::{Status, WaitWhy};
use crate::store::{HadBack, InboxId};
use crate::ui::dialog::stop::StopDialog;
use crate::ui::feed::RunView;
use crate::ui::keys::{Action, Hit};
use crate::ui::text::{Strength, one_line};
use crate::ui::words::Phase;

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

/// A key that waits for a snapshot.
#[derive(Debug)]
pub(super) struct Looking {
    run: RunId,
    action: Action,
    /// The message that it is about.
    message: Option<InboxId>,
}

/// Whether a command may run by now that had not begun in this snapshot.
fn may_have_begun(model: &Model, view: &RunView) -> bool {
    if view.state.status() != Status::Running || view.state.open_here().any(|call| call.status == CallStatus::Started) {
        return false;
    }
    let soon = |call: &Call| matches!(call.status, CallStatus::Proposed | CallStatus::Approved);
    let acts = model.live_here().is_some_and(|live| live.phase == Some(Phase::Act));
    acts || view.alive && view.state.open_here().any(soon)
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
        if self.looks_first(action, Some(id)) {
            return Ok(Vec::new());
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

    /// A command may have begun of which the snapshot does not know yet: the key is taken once that does. True if so.
    pub(super) fn looks_first(&mut self, action: Action, message: Option<InboxId>) -> bool {
        let Some(view) = self.model.view().filter(|view| may_have_begun(&self.model, view)) else {
            return false;
        };
        self.looking = Some(Looking { run: view.state.run.clone(), action, message });
        self.say(self.model.words().notes.looks_first);
        true
    }

    /// A snapshot came: what was asked before it is done, or asked about, unless the person went on to something else.
    pub(super) fn looked(&mut self) -> Vec<Cmd> {
        let Some(Looking { run, action, message }) = self.looking.take() else { return Vec::new() };
        let idle = self.model.layers.is_empty() && !self.model.message.open;
        let view = self.model.view().filter(|view| idle && view.state.run == run);
        let Some(view) = view else { return Vec::new() };
        if message.is_some() && message != view.queued.last().map(|queued| queued.id) {
            return Vec::new();
        }
        self.act(Hit { action, nth: 0 })
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
