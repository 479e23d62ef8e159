//! Limits: as a panel, or as lines below the panels, with a line about the context where its panel is not shown.
//!
//! A bar stands only where there is an end. What is unknown is `—`: a cost without a price is not 0.

mod figures;

use super::Drawn;
use super::cells::{bar, left, load, right};
use super::paint::{Part, Pen, part, row};
use crate::run::budget_table::Slot;
use crate::ui::app::model::Model;
use crate::ui::keys::{Action, live};
use crate::ui::layout::{Layout, Size};
use crate::ui::text::width;
use crate::ui::theme::Role;
use crate::ui::words::numbers::{disk, grouped, percent};
use ratatui::layout::Rect;

pub use figures::steps_left;
use figures::{Figure, Figures};

/// What stands at the right end of the panel's border.
pub fn note(model: &Model) -> Vec<Part<'static>> {
    let key = model.key(live::RUN, Action::LimitsEdit);
    if key.is_empty() || model.view().is_none() {
        return Vec::new();
    }
    vec![part(Role::Accent, key), part(Role::Muted, format!(" {}", model.words().limits.change))]
}

/// Cells of the columns: label, used, limit, bar.
const LABEL: usize = 18;
const USED: usize = 8;
const MOST: usize = 8;
const BAR: usize = 12;

/// The panel, where there is one.
pub fn panel(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let Some(figures) = Figures::of(model) else { return };
    let words = model.words().limits;
    let mut rows = vec![
        (words.steps, &figures.steps),
        (words.run_tokens, &figures.tokens),
        (words.cost, &figures.cost),
        (words.active_time, &figures.time),
        (words.tool_calls, &figures.calls),
        (words.calls_a_minute, &figures.minute),
        (words.failures_in_a_row, &figures.failures),
        (words.same_call_result, &figures.same),
    ];
    rows.extend(figures.model_call.as_ref().map(|figure| (words.model_call, figure)));
    let mut at = 0;
    for (label, figure) in rows {
        pen.left(row(area, at), &panel_row(model, label, figure));
        at += 1;
    }
    let bytes = model.shot.as_ref().map_or(0, |shot| shot.db_bytes);
    let database = Figure {
        text: disk(bytes),
        most: Some(model.look.glyphs.unknown.to_owned()),
        share: None,
        note: String::new(),
    };
    pen.left(row(area, at), &panel_row(model, words.database, &database));
    if usize::from(area.height) > at + 1 {
        let last = row(area, usize::from(area.height) - 1);
        pen.left(last, &[part(Role::Muted, words.what_counts)]);
    }
    let key = Rect { y: area.y.saturating_sub(1), height: u16::from(area.y > 0 && area.height > 0), ..area };
    drawn.zones.push((key, super::Zone::Key(Action::LimitsEdit)));
    // The rows of figures, and what they count.
    drawn.limits_hidden = (at + 2).saturating_sub(usize::from(area.height));
}

fn panel_row(model: &Model, label: &str, figure: &Figure) -> Vec<Part<'static>> {
    let look = &model.look;
    let role = figure.share.map_or(Role::Base, |(used, most)| load(used, most));
    let mut parts = vec![
        part(Role::Muted, left(look, label, LABEL)),
        part(role, right(look, &figure.text, USED)),
        part(
            Role::Base,
            match &figure.most {
                Some(most) => format!(" / {}", left(look, most, MOST)),
                None => {
                    left(look, &format!(" {} {}", look.glyphs.dot, model.words().limits.no_limit), MOST + 3)
                }
            },
        ),
    ];
    parts.push(match figure.share {
        Some((used, most)) => bar(look, used, most, BAR),
        None => part(Role::Base, " ".repeat(BAR)),
    });
    parts.push(part(Role::Muted, format!(" {}", figure.note)));
    parts
}

/// The lines about context and limits below the panels.
pub fn strip(model: &Model, places: &Layout, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    if places.strip.height > 0 {
        pen.left(indented(places.strip), &context_line(model));
    }
    if places.limits.height == 0 {
        return;
    }
    let Some(figures) = Figures::of(model) else { return };
    let lines = match places.size {
        Size::TooSmall | Size::Tiny => Vec::new(),
        Size::Tabs => small_lines(model, &figures, usize::from(places.limits.width.saturating_sub(2))),
        Size::Quad | Size::Full => wide_lines(model, &figures),
    };
    for (nth, (first, last)) in lines.iter().enumerate() {
        pen.ends(indented(row(places.limits, nth)), first, last);
    }
    drawn.zones.push((places.limits, super::Zone::Key(Action::LimitsEdit)));
}

/// A line without its first and last cell.
fn indented(line: Rect) -> Rect {
    Rect { x: line.x.saturating_add(1).min(line.right()), width: line.width.saturating_sub(2), ..line }
}

/// Pieces at both ends of a line.
type Ends = (Vec<Part<'static>>, Vec<Part<'static>>);

fn context_line(model: &Model) -> Vec<Part<'static>> {
    let Some(asked) = model.view().and_then(|view| view.asked.as_ref()) else {
        return vec![part(Role::Muted, model.words().context.empty)];
    };
    let (words, look, table) = (model.words().context, &model.look, &asked.table);
    let (used, window) = (u64::from(table.total()), u64::from(table.window));
    let dot = look.glyphs.dot;
    let recent = u64::from(table.used(Slot::Recent));
    let rest = format!(
        " {dot} {} {} {dot} {}",
        look.lang.slot(Slot::Recent),
        grouped(recent),
        words.free(&grouped(u64::from(table.free())))
    );
    vec![
        part(Role::Base, format!("{} ", words.strip(&grouped(used), &grouped(window)))),
        bar(look, used, window, 10),
        part(Role::Base, format!(" {}", percent(used, window))),
        part(Role::Muted, rest),
    ]
}

/// A figure with its label, and a bar if there is an end.
fn labelled(model: &Model, label: &str, figure: &Figure, bar_cells: usize) -> Vec<Part<'static>> {
    let role = figure.share.map_or(Role::Base, |(used, most)| load(used, most));
    let label = if label.is_empty() { String::new() } else { format!("{label} ") };
    let mut parts = vec![part(Role::Muted, label), part(role, figure.short(model))];
    if let Some((used, most)) = figure.share
        && bar_cells > 0
    {
        parts.push(part(Role::Base, " "));
        parts.push(bar(&model.look, used, most, bar_cells));
    }
    parts
}

/// Figures with dots between them.
fn dotted(model: &Model, figures: Vec<Vec<Part<'static>>>) -> Vec<Part<'static>> {
    let dot = part(Role::Muted, format!(" {} ", model.look.glyphs.dot));
    figures.join(&dot)
}

fn wide_lines(model: &Model, figures: &Figures) -> Vec<Ends> {
    let words = model.words().limits;
    let two = || part(Role::Base, "  ");
    let mut first = labelled(model, words.steps, &figures.steps, 6);
    first.push(two());
    first.extend(labelled(model, words.tokens, &figures.tokens, 6));
    first.push(part(Role::Muted, format!(" {}", figures.tokens.note)));
    let mut right = labelled(model, words.cost, &figures.cost, 0);
    right.push(two());
    right.extend(labelled(model, words.time, &figures.time, 6));
    let second = dotted(
        model,
        vec![
            labelled(model, words.calls, &figures.calls, 0),
            vec![part(Role::Base, figures.a_minute(model))],
            labelled(model, words.failures_in_a_row, &figures.failures, 0),
            labelled(model, words.same_call, &figures.same, 0),
        ],
    );
    let kept = vec![part(Role::Muted, words.kept_for_report(&grouped(figures.kept)))];
    vec![(first, right), (second, kept)]
}

fn small_lines(model: &Model, figures: &Figures, room: usize) -> Vec<Ends> {
    let words = model.words().limits;
    let mut tokens = labelled(model, words.tokens, &figures.tokens, 6);
    if !figures.tokens.note.is_empty() {
        tokens.push(part(Role::Muted, format!(" {}", figures.tokens.note)));
    }
    let steps = labelled(model, words.steps, &figures.steps, 0);
    let first = |label: &str| {
        dotted(model, vec![tokens.clone(), steps.clone(), labelled(model, label, &figures.time, 0)])
    };
    // A time is known as such by its form; its label gives way first.
    let named = first(words.time);
    let fits = |parts: &[Part<'_>]| parts.iter().map(|part| width(&part.text)).sum::<usize>() <= room;
    let first = if fits(&named) { named } else { first("") };
    let second = dotted(
        model,
        vec![
            labelled(model, words.cost, &figures.cost, 0),
            labelled(model, words.calls, &figures.calls, 0),
            labelled(model, words.failures, &figures.failures, 0),
            labelled(model, words.same_call, &figures.same, 0),
        ],
    );
    vec![(first, Vec::new()), (second, Vec::new())]
}

#[cfg(test)]
mod tests;
