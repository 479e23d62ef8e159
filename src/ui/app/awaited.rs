//! Short news that say what is being done: they go once a snapshot shows that it is done.
//!
//! Not to be assumed: that the answer to a control comes before the snapshot that shows what became of it.

use super::App;
use super::model::{Model, News};
use super::msg::Ticket;
use crate::run::control::Control;
use crate::run::{CallId, RunId, Seq, Status};
use crate::ui::keys::{Action, live};

/// What is being done.
#[derive(Clone, Debug)]
enum What {
    /// The run ends.
    End,
    /// It pauses.
    Pause,
    /// It goes back, or a rollback is taken back: another timeline than that of the snapshot it was asked at.
    Turn { rollback: bool, timelines: usize, head: Seq },
    /// A call ends.
    Call(CallId),
}

/// News that wait for what they announce.
#[derive(Clone, Debug)]
pub(super) struct Awaited {
    ticket: Ticket,
    run: RunId,
    what: What,
    words: String,
}

impl Awaited {
    fn of(model: &Model, ticket: Ticket, run: &RunId, control: &Control, words: &str) -> Option<Self> {
        let turn = |rollback| {
            let state = &model.view().filter(|view| view.state.run == *run)?.state;
            Some(What::Turn { rollback, timelines: state.ledger.timelines.len(), head: state.head.seq })
        };
        let what = match control {
            Control::Cancel => What::End,
            Control::Pause { .. } => What::Pause,
            Control::Rollback { .. } => turn(true)?,
            Control::Redo => turn(false)?,
            Control::StopCall { call_id } => What::Call(call_id.clone()),
            Control::Decide { .. }
            | Control::Continue
            | Control::EditGoal { .. }
            | Control::EditPlan { .. }
            | Control::SetLimits { .. }
            | Control::SetMode { .. }
            | Control::SetModel { .. }
            | Control::Message { .. }
            | Control::ExtendTimeout { .. } => return None,
        };
        Some(Self { ticket, run: run.clone(), what, words: words.to_owned() })
    }

    /// Whether it is done, as far as the snapshot shows the run.
    fn is_done(&self, model: &Model) -> bool {
        let row = model.shot.as_ref().and_then(|shot| shot.runs.iter().find(|row| row.id == self.run));
        let is = |words: &[&str]| row.is_some_and(|row| words.contains(&row.status.as_str()));
        let ended = is(&["completed", "limit", "failed", "cancelled"]);
        let view = model.view().filter(|view| view.state.run == self.run);
        match &self.what {
            What::End => ended || view.is_some_and(|view| matches!(view.state.status(), Status::Ended(_))),
            What::Pause => {
                let paused = view.is_some_and(|view| matches!(view.state.status(), Status::Paused));
                ended || paused || is(&["paused"])
            }
            What::Turn { timelines, head, .. } => view.is_some_and(|view| {
                let state = &view.state;
                state.head.seq > *head
                    && state.ledger.rollback.is_none()
                    && state.ledger.timelines.len() > *timelines
            }),
            What::Call(call) => view.is_some_and(|view| {
                let runs = view.state.open_here().any(|open| open.call_id == *call);
                !runs
            }),
        }
    }

    /// What is said instead once it is done.
    fn done(&self, model: &Model) -> Option<String> {
        match self.what {
            What::Turn { rollback: true, .. } => {
                let (on, back) =
                    (model.key(live::RUN, Action::PauseToggle), model.key(live::RUN, Action::RollbackRedo));
                Some(model.words().notes.rolled_back_paused(&on, &back))
            }
            What::Turn { rollback: false, .. } => {
                let back = model.key(live::RUN, Action::RollbackPreview);
                Some(model.words().notes.redone(&back))
            }
            What::End | What::Pause | What::Call(_) => None,
        }
    }
}

impl App {
    /// A control is on its way, and its news say what it does.
    pub(super) fn awaits(&mut self, ticket: Ticket, run: &RunId, control: &Control, words: &str) {
        let awaited = Awaited::of(&self.model, ticket, run, control, words);
        self.awaited = awaited.or_else(|| self.awaited.take());
    }

    /// What is to be said of a control that is stored.
    pub(super) fn said_of(&self, ticket: Ticket, words: String) -> Option<String> {
        match self.awaited.as_ref().filter(|awaited| awaited.ticket == ticket) {
            Some(awaited) if awaited.is_done(&self.model) => awaited.done(&self.model),
            Some(_) | None => Some(words),
        }
    }

    /// Takes news away that say of something done that it is being done.
    pub(super) fn settle_news(&mut self) {
        let Some(awaited) = self.awaited.as_ref() else { return };
        let said = self.model.news.as_ref().is_some_and(|news| news.words == awaited.words);
        if !said || !awaited.is_done(&self.model) {
            return;
        }
        let done = awaited.done(&self.model);
        self.awaited = None;
        self.model.news = self.model.news.take().and_then(|news| Some(News { words: done?, ..news }));
    }
}
