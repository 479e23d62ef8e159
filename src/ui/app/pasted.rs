//! Keys right after a paste. A text can hold the mark that ends a paste, so what follows a paste may still be of it: it is
//! not allowed to decide or to send anything.
//!
//! Not to be assumed: that a key after a paste was pressed by a person. Where nothing is typed it counts only after a
//! moment in which none came.

use super::App;
use crate::ui::dialog::guard::DEAD;
use crate::ui::keys::{Action, Ctx, Hit};
use crate::ui::view::Zone;
use std::time::Duration;

/// How long a text is not sent in which something was pasted. Bytes of the same paste come at once, a person's Enter does
/// not.
const AT_ONCE: Duration = Duration::from_millis(40);

impl App {
    fn types(&self) -> bool {
        self.live().contains(&Ctx::Text)
    }

    /// A text was pasted and is taken.
    pub(super) fn was_pasted(&mut self, text: &str) {
        self.read_clock();
        self.pasted = Some(self.model.clock.mono);
        let sends = |(_, zone): &(_, Zone)| *zone == Zone::Key(Action::TextSubmit);
        let is_form = self.live().contains(&Ctx::Form);
        if self.types() && !is_form && text.ends_with('\n') && self.model.drawn.zones.iter().any(sends) {
            let key = self.model.key(self.live(), Action::TextSubmit);
            self.say(self.model.words().notes.pasted_enter(&key));
        }
    }

    /// Whether a key may be of what was pasted, and is not taken; that is said.
    pub(super) fn is_of_paste(&mut self, hit: Option<Hit>) -> bool {
        let (now, live) = (self.model.clock.mono, self.live());
        let Some(since) = self.pasted.map(|at| now.saturating_duration_since(at)) else { return false };
        let action = hit.map(|hit| hit.action);
        let types = live.contains(&Ctx::Text);
        let guards = self.model.layers.last().is_some_and(|layer| layer.guards());
        // Who goes on typing in a field that decides nothing is a person.
        if types && !guards && since >= AT_ONCE {
            self.pasted = None;
            return false;
        }
        let of_it = match (types, action) {
            (_, Some(Action::Back | Action::Interrupt | Action::Suspend | Action::Redraw)) => false,
            (false, _) => since < DEAD,
            (true, Some(Action::TextSubmit)) if live.contains(&Ctx::Form) => false,
            (true, Some(Action::TextSubmit | Action::TextSave)) => {
                since < if guards { DEAD } else { AT_ONCE }
            }
            (true, _) => false,
        };
        if of_it {
            if !types {
                // What is left of it may be long.
                self.pasted = Some(now);
            }
            self.say(self.model.words().notes.after_paste);
        }
        of_it
    }
}

#[cfg(test)]
mod tests;
