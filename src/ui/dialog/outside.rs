//! A text that is with the person's own editor, until it comes back into its field.

use super::Step;
use super::parts::edited;
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Msg, Ticket};
use crate::ui::edit::Editor;

/// The text of a dialog that is edited outside; none is.
#[derive(Debug, Default)]
pub struct Outside(Option<Ticket>);

impl Outside {
    /// Gives a text out, as a file of this name.
    pub fn send(&mut self, model: &mut Model, text: String, name: &'static str) -> Step {
        let ticket = model.ticket();
        self.0 = Some(ticket);
        Step::Outside(ticket, text, name)
    }

    /// What becomes of a report that is about it: the text stands in its field. None for any other.
    pub fn back(&mut self, msg: &Msg, editor: Option<&mut Editor>) -> Option<Step> {
        let Msg::Edited(ticket, text) = msg else { return None };
        self.0.take_if(|own| own == ticket)?;
        Some(editor.map_or(Step::Stay, |editor| edited(text, editor)))
    }
}
