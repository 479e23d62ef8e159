//! Copying: the selection goes to the clipboard of the terminal, through the terminal (OSC 52).
//!
//! What is copied is the text as it is, in its logical order, and not as it was drawn; if there are hidden characters in
//! it, that is said. A text that is too long for terminals is not cut but refused.
//!
//! Not to be assumed: that the terminal took it. Nothing answers, and many ask or forbid it.

use super::model::Model;
use super::{App, lists, steps};
use crate::run::Body;
use crate::ui::app::msg::Cmd;
use crate::ui::frame::Wish;
use crate::ui::layout::Panel;
use crate::ui::text::{Strength, neutral};
use crossterm::Command as _;
use crossterm::clipboard::CopyToClipboard;

/// Most bytes that are copied: with base64 and the sequence around it they stay under the 100,000 that xterm, and the
/// terminals which follow it, take.
pub const MOST: usize = 72 * 1024;

/// What is selected: here, or yet to be read.
enum Selected {
    Text(String),
    Body(Body),
}

impl App {
    /// Copies what is selected in the panel with the focus.
    pub(super) fn copy(&mut self) -> Result<Vec<Cmd>, &'static str> {
        match selected(&self.model).ok_or(self.model.words().notes.nothing_selected)? {
            Selected::Text(text) | Selected::Body(Body::Inline(text)) => {
                self.copy_text(&text);
                Ok(Vec::new())
            }
            Selected::Body(body @ Body::Blob { .. }) => {
                let ticket = self.model.ticket();
                self.copying = Some(ticket);
                Ok(vec![Cmd::Text(ticket, body)])
            }
        }
    }

    /// Copies a text and says what was copied, or why not.
    pub(super) fn copy_text(&mut self, text: &str) {
        let words = &self.model.words().notes;
        if text.len() > MOST {
            self.say(words.copy_too_long(text.len() as u64, MOST as u64));
            return;
        }
        let mut sequence = String::new();
        if CopyToClipboard::to_clipboard_from(text).write_ansi(&mut sequence).is_err() {
            return;
        }
        self.wishes.push_back(Wish::Escape(sequence.into_bytes()));
        let hidden = neutral(text, Strength::Exact).flagged() as u64;
        self.say(words.copied(text.chars().count() as u64, hidden));
    }
}

fn selected(model: &Model) -> Option<Selected> {
    if model.run.is_none() {
        return lists::selected_run(model).map(|row| Selected::Text(row.id.to_string()));
    }
    Some(match model.focus {
        // Following selects nothing.
        Panel::Loop => Selected::Body(model.transcript.at.and_then(|_| steps::whole(model))?.1),
        Panel::Context => {
            let asked = model.view()?.asked.as_ref()?;
            let slot = lists::slots(&asked.table).nth(lists::place(model, Panel::Context)?)?;
            let name = model.look.lang.slot(slot.slot);
            Selected::Text(format!("{name} {} / {}", slot.used, slot.budget))
        }
        Panel::Queue => Selected::Body(lists::selected_call(model)?.args.clone()),
        Panel::Checkpoints => {
            let point = &lists::selected_checkpoint(model)?.checkpoint;
            // As the command line takes it.
            Selected::Text(format!("{}@{}", point.step, point.timeline))
        }
        Panel::Plan => {
            let plan = &model.view()?.state.path.plan;
            Selected::Text(plan.get(lists::place(model, Panel::Plan)?)?.title.clone())
        }
        Panel::Runs => Selected::Text(lists::selected_run(model)?.id.to_string()),
    })
}
