//! While the database is being opened: the screen is there, can be left and asked for help, and nothing else is done on it.

use super::App;
use super::drafts::Places;
use super::model::{Model, Opening};
use super::msg::{Clock, Cmd};
use crate::run::RunId;
use crate::ui::keys::Action;

impl App {
    /// The database is being opened; another process holds it since then, at least.
    pub fn opens(&mut self, held: Option<Clock>) {
        self.model.opening = Some(Opening { held });
    }

    /// It is open: what was written before comes back, and this run is shown.
    pub fn opened(&mut self, drafts: Places, first: Option<RunId>) -> Vec<Cmd> {
        if self.model.opening.take().is_some() {
            // Why nothing could be done.
            self.model.news = None;
        }
        self.had_drafts(drafts);
        self.show(first)
    }

    /// Why an action waits for the database.
    pub(super) fn not_open_yet(&self, action: Action) -> Option<&'static str> {
        let words = self.model.words().start;
        let opening = self.model.opening.filter(|_| !works(action))?;
        Some(if opening.held.is_some() { words.held_first } else { words.open_first })
    }
}

/// Whether an action needs nothing of what is stored.
fn works(action: Action) -> bool {
    matches!(action, Action::HelpOpen | Action::PaletteOpen | Action::QuitAsk)
}

impl Model {
    /// Whether there is something that an action could be about: the footer leaves others out.
    pub fn can_act(&self, action: Action) -> bool {
        self.opening.is_none() || works(action)
    }
}

#[cfg(test)]
mod tests;
