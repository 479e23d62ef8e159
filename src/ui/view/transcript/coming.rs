//! Changes that the run has not read yet, below what happened last: whose they are, since when, and when they are read.

use super::pieces::Row;
use crate::run::control::Control;
use crate::ui::app::model::Model;
use crate::ui::app::transcript::Spot;
use crate::ui::feed::{Coming, RunView};
use crate::ui::text::width;
use crate::ui::theme::Role;
use crate::ui::view::head::{begin, plain};
use crate::ui::view::paint::part;
use crate::ui::words::numbers::hour_minute;

/// Least cells for what is changed, beside when it is read.
const WHAT: usize = 38;
/// Most bytes of a goal that are looked at.
const GOAL: usize = 1_000;

/// One row for each of them; two where there is little room.
pub fn rows(model: &Model, view: &RunView, cells: usize) -> Vec<Row> {
    // No item has this place: the reply that comes in has the one before it.
    let spot = Spot { step: view.open.step, item: Some(view.open.items.len().saturating_add(1)) };
    view.coming.iter().flat_map(|one| change(model, view, one, spot, cells)).collect()
}

fn change(model: &Model, view: &RunView, one: &Coming, spot: Spot, cells: usize) -> Vec<Row> {
    let (words, lang, glyphs) = (model.words().live, model.look.lang, model.look.glyphs);
    let left = vec![
        part(Role::User, format!("{} {}", glyphs.prompt, plain(&lang.author(&one.by)))),
        part(Role::Muted, format!("  {}  ", hour_minute(one.at, &model.look.zone))),
        part(Role::User, what(model, &one.control)),
    ];
    let when = if view.alive { words.read_next } else { words.read_by_worker };
    let when = part(Role::Muted, when);
    let mut row = Row::new(spot, left);
    if cells >= width(&when.text) + WHAT {
        row.right = vec![when];
        return vec![row];
    }
    vec![row, Row::new(spot, vec![part(Role::Base, "  "), when])]
}

/// What it changes, in words.
fn what(model: &Model, control: &Control) -> String {
    let lang = model.look.lang;
    let word = lang.control_word(control.word());
    let to = match control {
        Control::EditGoal { goal, .. } => plain(begin(&goal.text, GOAL)),
        Control::EditPlan { items, .. } => model.words().plan.items(items.len() as u64),
        Control::SetMode { mode } => lang.mode(*mode).to_owned(),
        Control::SetModel { model } => plain(&model.model),
        Control::SetLimits { .. }
        | Control::Pause { .. }
        | Control::Continue
        | Control::Cancel
        | Control::Decide { .. }
        | Control::Message { .. }
        | Control::ExtendTimeout { .. }
        | Control::StopCall { .. }
        | Control::Rollback { .. }
        | Control::Redo => String::new(),
    };
    if to.is_empty() { word.to_owned() } else { lang.label(word, &to) }
}

#[cfg(test)]
mod tests;
