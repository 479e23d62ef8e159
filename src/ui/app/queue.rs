//! Messages on their way: one that waits for the next safe point can be had back, or delivered at once.
//!
//! The store decides whether it was still there; what it says comes back as a report.

use super::App;
use super::model::Model;
use super::msg::{Cmd, Ticket};
use crate::run::state::{Status, WaitWhy};
use crate::run::{Call, CallStatus, RunId};
use crate::store::{HadBack, InboxId};
use crate::ui::dialog::stop::StopDialog;
use crate::ui::feed::RunView;
use crate::ui::keys::{Action, Hit, live};
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
            Status::Running | Status::Ended(_) if !view.alive && !self.working.contains(&view.state.run) => {
                Reads::GoesOn
            }
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
            // A message lets a run go on that is over or was left.
            Reads::GoesOn if self.view().is_some_and(|view| view.state.status() != Status::Paused) => {
                notes.message_goes_on(self.next_request_step(), &self.key(live::RUN, Action::MessageBack))
            }
            Reads::GoesOn => self.read_when_it_goes_on(),
        }
    }

    /// That a message is read once the run goes on, with the key for that.
    pub(super) fn read_when_it_goes_on(&self) -> String {
        self.words().notes.reads_goes_on(&self.key(live::RUN, Action::PauseToggle))
    }

    /// Whether messages wait in the shown run, which is over, and nobody is about to give them to the agent.
    pub fn reopens(&self) -> bool {
        self.view()
            .is_some_and(|view| matches!(view.state.status(), Status::Ended(_)) && !view.queued.is_empty())
            && self.reads() == Reads::GoesOn
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
    if view.state.status() != Status::Running
        || view.state.open_here().any(|call| call.status == CallStatus::Started)
    {
        return false;
    }
    let soon = |call: &Call| matches!(call.status, CallStatus::Proposed | CallStatus::Approved);
    let acts = model.live_here().is_some_and(|live| live.phase == Some(Phase::Act));
    acts || view.alive && view.state.open_here().any(soon)
}

impl App {
    /// Why a key about the shown run does nothing while that is not read.
    pub(super) fn no_run(&self) -> &'static str {
        let notes = &self.model.words().notes;
        if self.model.unread().is_some() { notes.run_not_read } else { notes.no_run }
    }

    /// A key about the newest message that waits.
    pub(super) fn queued_key(&mut self, action: Action) -> Result<Vec<Cmd>, &'static str> {
        let notes = &self.model.words().notes;
        let Some(view) = self.model.view() else { return Err(self.no_run()) };
        let Some(queued) = view.queued.last() else { return Err(notes.nothing_queued) };
        let (run, id) = (view.state.run.clone(), queued.id);
        if action == Action::MessageBack {
            let ticket = self.asks_of(&run);
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
            (None, Reads::GoesOn) => {
                self.say(self.model.read_when_it_goes_on());
                Ok(Vec::new())
            }
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
        let ticket = self.asks_of(&run);
        vec![Cmd::Hurry(ticket, run, id)]
    }

    /// The name of an answer about a message of this run.
    fn asks_of(&mut self, run: &RunId) -> Ticket {
        let ticket = self.model.ticket();
        self.messages.insert(ticket, run.clone());
        ticket
    }

    /// The run that an answer is about, if it is not the shown one.
    fn of_another(&mut self, ticket: Ticket) -> Option<RunId> {
        self.messages.remove(&ticket).filter(|run| self.model.run.as_ref() != Some(run))
    }

    /// A message came back, or was delivered before. Of a run that is not shown any more nothing is said; its text waits
    /// until it is shown again.
    pub(super) fn had_back(&mut self, ticket: Ticket, back: &Result<HadBack, String>) {
        let other = self.of_another(ticket);
        match (back, other) {
            (Ok(HadBack::Text(text)), Some(run)) => {
                let kept = self.model.drafts.back.entry(run).or_default();
                *kept = joined(kept, text);
            }
            (Ok(HadBack::Text(text)), None) => self.edit_again(text),
            (Ok(HadBack::Before(_) | HadBack::TooLate(_)) | Err(_), Some(_)) => {}
            (other @ (Ok(HadBack::Before(_) | HadBack::TooLate(_)) | Err(_)), None) => {
                self.say(self.not_queued(other));
            }
        }
    }

    /// A message that was taken back is edited again. What is being written stays, after what came back.
    fn edit_again(&mut self, text: &str) {
        let message = &mut self.model.message;
        message.editor.set(&joined(text, &message.editor.text()));
        message.open = true;
        message.at = None;
        if message.earlier.last().is_some_and(|last| last == text) {
            message.earlier.pop();
        }
        self.say(self.model.words().notes.had_back);
    }

    /// A run is shown: what was taken back of its messages while another one was shown is edited now.
    pub(super) fn came_back(&mut self) {
        let back = self.model.run.as_ref().and_then(|run| self.model.drafts.back.remove(run));
        if let Some(text) = back {
            self.edit_again(&text);
        }
    }

    /// A message is delivered at once, or was delivered before. Of a run that is not shown any more nothing is said.
    pub(super) fn hurried(&mut self, ticket: Ticket, hurried: &Result<HadBack, String>) {
        if self.of_another(ticket).is_some() {
            return;
        }
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

/// Two texts, one after the other.
fn joined(first: &str, then: &str) -> String {
    let gap = if first.is_empty() || then.is_empty() { "" } else { "\n" };
    format!("{first}{gap}{then}")
}

#[cfg(test)]
mod tests;
