//! The panel Loop: what the agent does, step by step, as it happens.
//!
//! Only what is visible is laid out: from the newest step upwards while following, else around the selected item,
//! which stays on the row where it was drawn last. What was not read yet is a line of its own, and is asked for.

pub mod call;
mod coming;
pub mod group;
mod items;
mod live;
mod newer;
pub mod pieces;
mod running;
mod step;
mod strip;
mod window;

pub use live::rate;
pub use pieces::outcome_sign;
pub use step::is_folded;
pub use window::{last_spot, spots_of, step_count, unit_of, view_size};

use super::paint::{Part, Pen, part, row};
use super::{Drawn, Zone};
use crate::ui::app::model::Model;
use crate::ui::layout::{Panel, Size};
use crate::ui::text::{Strength, Wrap, neutral, wrap_text};
use crate::ui::theme::Role;
use ratatui::layout::Rect;

/// Rows from which the panel has air around the steps, and figures at its end.
const AIRY: u16 = 14;

/// Whether there is room for the larger form: outputs shown, words spelt out.
fn is_wide(model: &Model) -> bool {
    Size::of(model.size.0, model.size.1) == Size::Full
}

/// What stands at the right end of the border.
pub fn note(model: &Model) -> Vec<Part<'static>> {
    let words = model.words().panels;
    let mut parts = Vec::new();
    if model.zoom && model.focus == Panel::Loop {
        parts.push(part(Role::Muted, format!("{} {} ", words.zoomed, model.look.glyphs.dot)));
    }
    match (model.transcript.at, model.view()) {
        (None, _) => parts.push(part(Role::Muted, words.following)),
        (Some(_), Some(view)) => match newer::count(model, view) {
            0 => parts.push(part(Role::Muted, model.look.glyphs.down)),
            new => parts.push(part(Role::Accent, words.new_below(new))),
        },
        (Some(_), None) => parts.push(part(Role::Muted, model.look.glyphs.down)),
    }
    parts
}

/// The part of the panel's inside in which steps are shown.
pub fn steps_area(area: Rect) -> Rect {
    let airy = area.height >= AIRY;
    let top = if airy { 2 } else { 1 };
    let bottom = if airy { 2 } else { 0 };
    Rect {
        y: area.y.saturating_add(top).min(area.bottom()),
        height: area.height.saturating_sub(top + bottom),
        ..area
    }
}

/// Draws the inside.
pub fn draw(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let Some(view) = model.view() else { return };
    if area.height == 0 || area.width == 0 {
        return;
    }
    if view.steps.is_empty()
        && view.open.items.is_empty()
        && view.coming.is_empty()
        && model.live_here().is_none()
    {
        let text = neutral(model.words().live.empty, Strength::Prose);
        for (n, line) in wrap_text(&text, usize::from(area.width), Wrap::Words).iter().enumerate() {
            pen.line(row(area, n), line, Role::Muted);
        }
        return;
    }
    strip::draw(model, view, row(area, 0), pen);
    let steps = steps_area(area);
    let shown = window::window(model, view, steps);
    drawn.unread.extend(shown.unread);
    for (n, line) in shown.rows.iter().enumerate() {
        let place = row(steps, n);
        let left =
            pieces::clip(&line.left, &line.right, usize::from(place.width), model.look.glyphs.ellipsis);
        pen.ends(place, &left, &line.right);
        drawn.zones.push((place, Zone::Spot(line.spot)));
        if Some(line.spot) == model.transcript.at {
            let whole = Rect { x: place.x.saturating_sub(1), width: place.width.saturating_add(1), ..place };
            pen.tint(whole, Role::Selection);
            if whole.x < place.x {
                pen.left(Rect { width: 1, ..whole }, &[part(Role::Accent, model.look.glyphs.selected)]);
            }
        }
    }
    if area.height >= AIRY {
        let last = row(area, usize::from(area.height) - 1);
        live::figures(model, view, last, pen, drawn);
    }
}

#[cfg(test)]
mod not_taken_tests;
#[cfg(test)]
mod tests;
