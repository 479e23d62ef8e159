//! The panel Context: the budget table of the newest request, and what the server made of it.
//!
//! The table is the one that was decided on, not counted anew. What is unknown is `—`: before the reply the server has
//! counted nothing. Not to be assumed: that the figures are exact; those of an estimate say so.

mod detail;
pub mod memory;
mod table;

use super::Drawn;
use super::cells::{beyond, hint_parts, outside};
use super::paint::{Part, Pen, cells, part, row};
use crate::inspect::Asked;
use crate::run::Usage;
use crate::run::budget_table::{BudgetTable, Slot};
use crate::tokens::{Counter as _, Estimate};
use crate::ui::app::lists::{place, slots};
use crate::ui::app::model::Model;
use crate::ui::feed::RunView;
use crate::ui::keys::{Action, live};
use crate::ui::layout::Panel;
use crate::ui::text::Line;
use crate::ui::theme::Role;
use crate::ui::words::numbers::{UNKNOWN, estimate, grouped, percent, signed, signed_percent};
use ratatui::layout::Rect;

/// Rows from which there is more than the table and three lines.
const TALL: u16 = 24;

/// What stands at the right end of the border.
pub fn note(model: &Model) -> Vec<Part<'static>> {
    let Some(view) = model.view() else { return Vec::new() };
    let (Some(asked), Some(settings)) = (&view.asked, view.state.settings()) else { return Vec::new() };
    let strategy = model.look.lang.strategy(settings.context.strategy);
    vec![part(Role::Muted, model.words().context.title(u64::from(asked.step), strategy))]
}

/// Draws the inside.
pub fn draw(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let Some((view, asked)) = model.view().and_then(|view| Some((view, view.asked.as_ref()?))) else {
        return empty(model.words().context.empty, area, pen);
    };
    let figures = Figures::of(view, asked);
    let room = usize::from(area.height).saturating_sub(table::rows(&asked.table));
    let (shown, rest) = if area.height >= TALL {
        detail::lines(model, asked, &figures, area, room)
    } else {
        let mut shown = short_lines(model, asked, &figures, area.width);
        let rest = shown.split_off(room.min(shown.len()));
        (shown, rest)
    };
    drawn.beyond = rest.len();
    let (mut at, hidden) = table::draw(model, &asked.table, &rest, area, pen, drawn);
    for line in shown {
        pen.left(row(area, at), &line);
        at += 1;
    }
    if at >= usize::from(area.height) {
        drawn.hidden.insert(Panel::Context, hidden);
    } else {
        let last = row(area, usize::from(area.height - 1));
        let last = Rect { width: last.width - beyond(hidden, last, pen), ..last };
        let (keys, lang) = (&model.look.keys, model.look.lang);
        let items = selected(model).and_then(|_| keys.hint(live::RUN, Action::Open, lang));
        let items = items.map(|hint| (hint.keys, model.words().context.items_of_slot, hint.action));
        let request = keys.hint(live::RUN, Action::RequestShow, lang);
        let request = request.map(|hint| (hint.keys, hint.words, hint.action));
        hint_parts(items.into_iter().chain(request), last, pen, drawn);
    }
}

/// The slot whose items can be looked at: the selected one, while the panel has the focus.
pub fn selected(model: &Model) -> Option<Slot> {
    let asked = model.view()?.asked.as_ref().filter(|_| model.focus == Panel::Context)?;
    slots(&asked.table).nth(place(model, Panel::Context)?).map(|row| row.slot)
}

/// A sentence over as many rows as it needs, for a panel that has nothing to show yet.
pub fn empty(words: &str, area: Rect, pen: &mut Pen<'_>) {
    pen.wrapped(area, &Line::plain(words), Role::Muted);
}

/// What the last reply told of the counting.
struct Figures {
    /// Tokens of the last prompt as the server counted them; none before a reply, or without a count of the server.
    usage: Option<Usage>,
    /// True if that is the usage of the request whose table is shown.
    same: bool,
    /// What the server counted less what we did.
    drift: Option<i64>,
}

impl Figures {
    fn of(view: &RunView, asked: &Asked) -> Self {
        let replied = asked.replied().map(|replied| replied.usage);
        let usage = replied.or(view.state.ledger.last_usage).filter(|usage| !usage.estimated);
        let drift = if replied.is_some() { asked.drift() } else { view.state.ledger.drift };
        Self { usage, same: replied.is_some(), drift: drift.filter(|_| usage.is_some()) }
    }

    /// `server 21,840`, of the shown request only.
    fn server(&self) -> String {
        let own = self.usage.filter(|_| self.same);
        own.map_or_else(|| UNKNOWN.to_owned(), |usage| grouped(usage.prompt))
    }

    /// Drift with its share of what we counted.
    fn drift(&self, model: &Model) -> Option<String> {
        let (drift, usage) = (self.drift?, self.usage?);
        let ours = usage.prompt.saturating_add_signed(drift.saturating_neg());
        Some(model.words().context.drift(&signed(drift), &signed_percent(drift, ours)))
    }
}

/// What the tokens were counted by, neutral.
pub(super) fn counter(model: &Model, table: &BudgetTable) -> String {
    match table.counted_by() {
        id if id == Estimate.id() => model.words().context.own_estimate.to_owned(),
        id => outside(id),
    }
}

/// A count of ours, marked if it is an estimate.
pub fn ours(table: &BudgetTable, tokens: u32) -> String {
    let figure = grouped(u64::from(tokens));
    if table.exact { figure } else { estimate(&figure) }
}

/// The lines below the table where there is little room.
fn short_lines(model: &Model, asked: &Asked, figures: &Figures, width: u16) -> Vec<Vec<Part<'static>>> {
    let (words, lang, glyphs) = (model.words().context, model.look.lang, model.look.glyphs);
    let table = &asked.table;
    let counted = [words.prompt(&ours(table, table.prompt())), words.server(&figures.server())];
    let counted = counted.join(&format!(" {} ", glyphs.dot));
    let free = words.free(&grouped(u64::from(table.free())));
    let tokenizer = counter(model, table);
    let by = if table.exact { tokenizer } else { format!("{} {tokenizer}", glyphs.nearly) };
    let drift = figures.drift(model);
    let drift = drift.unwrap_or_else(|| words.drift(UNKNOWN, UNKNOWN));
    let cached = figures.usage.map_or_else(
        || words.cached(UNKNOWN, UNKNOWN),
        |usage| words.cached(&grouped(usage.cached), &percent(usage.cached, usage.prompt)),
    );
    let next = table.next.map(|slot| words.next_trim(lang.slot(slot)));
    let more = |text: String| part(Role::Muted, text);
    let cached: Vec<Part<'static>> =
        std::iter::once(part(Role::Base, cached)).chain(next.map(more)).collect();
    // Where bars are long the total tells what is free.
    let lines = |by: String| -> Vec<Vec<Part<'static>>> {
        let lines = if width >= table::WIDE {
            let cached = cached.iter().cloned().chain([more(by)]).collect();
            vec![vec![part(Role::Base, counted.clone()), part(Role::Base, drift.clone())], cached]
        } else {
            vec![
                vec![part(Role::Base, counted.clone()), part(Role::Base, free.clone())],
                vec![part(Role::Base, drift.clone()), more(by)],
                cached.clone(),
            ]
        };
        lines.into_iter().map(|line| dotted(glyphs.dot, line)).collect()
    };
    let fits = |lines: &Vec<Vec<Part<'static>>>| lines.iter().all(|line| cells(line) <= usize::from(width));
    let learnt = table.learnt.map(|_| lines(words.learnt_short(&by)));
    learnt.filter(fits).unwrap_or_else(|| lines(by))
}

/// Pieces with dots between them; a full-width bracket brings its own space.
fn dotted(dot: &str, parts: Vec<Part<'static>>) -> Vec<Part<'static>> {
    let mut line: Vec<Part<'static>> = Vec::with_capacity(parts.len() * 2);
    for next in parts {
        if let Some(before) = line.last() {
            let lead = if before.text.ends_with('）') { "" } else { " " };
            line.push(part(Role::Muted, format!("{lead}{dot} ")));
        }
        line.push(next);
    }
    line
}

#[cfg(test)]
mod tests;
