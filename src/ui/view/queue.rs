//! The panel Queue: what waits for the person first, then how the other calls of the run went.
//!
//! Where there is little height it is a table; where there is more, calls stand by step, and the selected one is told in
//! full. Not to be assumed: that a call that is shown as waiting still waits; what is decided names what was seen.

mod call;
mod counts;
mod detail;
mod grouped;

use super::Drawn;
use super::Zone;
use super::cells::{beyond, flagged, hint_parts, outside, select, short_run};
use super::context::empty;
use super::paint::{Part, Pen, part, row, top_for};
use crate::run::{CallId, CallStatus, Class, RunId};
use crate::ui::app::lists::{QueueRow, acted_on, call_place, queue_rows};
use crate::ui::app::model::Model;
use crate::ui::feed::Waiting;
use crate::ui::keys::{Action, Ctx, live};
use crate::ui::layout::Panel;
use crate::ui::text::width;
use crate::ui::theme::Role;
use crate::ui::words::numbers::clock;
use call::Shown;
pub use call::age_ms;
use counts::counts;
use ratatui::layout::Rect;

/// Rows from which calls stand by step, with the selected one in full.
const TALL: u16 = 28;

/// What stands at the right end of the border.
pub fn note(model: &Model) -> Vec<Part<'static>> {
    match model.waiting_here().count() {
        0 => Vec::new(),
        n => vec![part(Role::NeedsYou, format!("{} {n}", model.look.glyphs.needs_you))],
    }
}

/// That a running call lives and has been silent for a while; none if it has not, or nobody knows.
pub fn silent(model: &Model, call: &CallId) -> Option<String> {
    let silent = model.beside.signs_of(model.run.as_ref()?)?.silent(call)?;
    let words = model.words().live;
    Some(match silent.wrote_at {
        Some(at) => words.alive(&clock(u64::try_from(model.clock.wall.saturating_sub(at)).unwrap_or(0))),
        None => words.no_output.to_owned(),
    })
}

/// Draws the inside.
pub fn draw(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let rows = queue_rows(model);
    if rows.is_empty() {
        drawn.tops.remove(&Panel::Queue);
        return empty(model.words().queue.empty, area, pen);
    }
    if area.height >= TALL {
        grouped::draw(model, &rows, area, pen, drawn);
    } else {
        table(model, &rows, area, pen, drawn);
    }
}

fn table(model: &Model, rows: &[QueueRow<'_>], area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    // Counts, heading and keys give way to the calls.
    let head = [4, 6].iter().filter(|least| area.height >= **least).count();
    let foot = usize::from(area.height >= 8);
    let room = usize::from(area.height).saturating_sub(head + foot);
    let selected = call_place(model, rows).unwrap_or(0);
    let lines = lines(model, rows);
    let at = lines.iter().position(|line| *line == Line::Call(selected)).unwrap_or(0);
    let top = top_for(drawn.tops.get(&Panel::Queue).copied().unwrap_or(0), at, room, lines.len());
    drawn.tops.insert(Panel::Queue, top);
    let shown: Vec<(Line, Shown)> = lines
        .iter()
        .skip(top)
        .take(room)
        .filter_map(|line| Some((*line, Shown::of(model, *rows.get(line.row())?))))
        .collect();
    let hidden = (top, lines.len().saturating_sub(top + shown.len()));
    let columns = Columns::of(model, area, shown.iter().map(|(_, shown)| shown));
    if head > 0 {
        pen.left(row(area, 0), &counts(model, usize::from(area.width)));
    }
    if head > 1 {
        pen.left(row(area, 1), &columns.heading(model));
    }
    for (at, (line, call)) in shown.iter().enumerate() {
        let place = row(area, head + at);
        match (line, rows.get(line.row())) {
            (Line::Run(_), Some(QueueRow::Waiting(waiting))) => {
                pen.left(place, &[of_run(waiting, columns.lead())]);
            }
            (Line::Call(_) | Line::Run(_), _) => {
                pen.left(place, &columns.row(model, call));
            }
        }
        if *line == Line::Call(selected) {
            select(pen, place, area.x, model.focus == Panel::Queue);
        }
        drawn.zones.push((place, Zone::Call(call.id.clone())));
    }
    if foot > 0 {
        let last = row(area, usize::from(area.height) - 1);
        let own = beyond(hidden, last, pen);
        keys(model, Rect { width: last.width - own, ..last }, pen, drawn);
    } else {
        drawn.hidden.insert(Panel::Queue, hidden);
    }
}

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// A call, by its place among the rows.
    Call(usize),
    /// The run of a call of another run.
    Run(usize),
}

impl Line {
    fn row(self) -> usize {
        match self {
            Line::Call(at) | Line::Run(at) => at,
        }
    }
}

/// The lines of these rows.
fn lines(model: &Model, rows: &[QueueRow<'_>]) -> Vec<Line> {
    let of = |(at, row): (usize, &QueueRow<'_>)| {
        let run = (row.waits() && is_elsewhere(model, &row.call().run)).then_some(Line::Run(at));
        std::iter::once(Line::Call(at)).chain(run)
    };
    rows.iter().enumerate().flat_map(of).collect()
}

/// `r-91c2 Weekly dependencies`, below a call of another run.
fn of_run(waiting: &Waiting, lead: usize) -> Part<'static> {
    let run = short_run(&waiting.call.run);
    part(Role::Muted, format!("{}{run} {}", " ".repeat(lead), outside(&waiting.title)))
}

/// The keys that work on the call that is acted on: a question is answered and has no arguments to edit; what nobody
/// knows the end of is neither denied nor changed.
fn deciding(model: &Model) -> Vec<(String, &'static str, Action)> {
    let Some(waiting) = acted_on(model) else { return Vec::new() };
    let (asks, person) = (waiting.call.status == CallStatus::Waiting, waiting.call.class == Class::Person);
    let keys = [(Action::Review, true), (Action::Deny, asks), (Action::EditArgs, asks && !person)];
    let works = keys.into_iter().filter(|(_, works)| *works);
    let hints = works.filter_map(|(action, _)| model.look.keys.hint(LIVE, action, model.look.lang));
    let answer = model.words().review.answer;
    let own = |action, words| if person && action == Action::Review { answer } else { words };
    hints.map(|hint| (hint.keys, own(hint.action, hint.words), hint.action)).collect()
}

/// The keys of the table: mark, review the marked, decide.
fn keys(model: &Model, place: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let (keys, lang, words) = (&model.look.keys, model.look.lang, model.words().queue);
    let mut hints = Vec::new();
    if model.waiting_here().next().is_some() {
        hints.extend(keys.hint(LIVE, Action::Mark, lang).map(|h| (h.keys, h.words, h.action)));
        let marked = keys.hint(LIVE, Action::ReviewMarked, lang);
        hints.extend(marked.map(|h| (h.keys, h.words, h.action)));
    }
    let decide = deciding(model);
    match decide.len() {
        // All of them share a word, for the room.
        3 => {
            let keys: Vec<&str> = decide.iter().map(|(key, ..)| key.as_str()).collect();
            hints.push((keys.join(" "), words.decide, Action::Review));
        }
        _ => hints.extend(decide),
    }
    let scope = keys.hint(LIVE, Action::QueueScope, lang);
    let scoped = |words| if model.lists.all_runs { model.words().queue.this_run } else { words };
    hints.extend(scope.map(|h| (h.keys, scoped(h.words), h.action)));
    hint_parts(hints.into_iter(), place, pen, drawn);
}

/// The keys that work in this panel.
const LIVE: &[Ctx] = live::RUN_QUEUE;

/// Columns of the table. The sign and its column of selection take two cells.
struct Columns {
    call: usize,
    tool: usize,
    what: usize,
    class: usize,
    age: usize,
}

/// Cells of what a call is about that are wanted before the class is shown.
const WHAT: usize = 8;

impl Columns {
    fn of<'a>(model: &Model, area: Rect, rows: impl Iterator<Item = &'a Shown>) -> Self {
        let words = model.words().queue;
        let (mut call, mut age) = (width(words.call).max(4), width(words.age).max(3));
        let mut longest = 0;
        for row in rows {
            call = call.max(width(&row.place));
            age = age.max(width(&row.age));
            longest = longest.max(width(&row.tool));
        }
        let all = usize::from(area.width);
        let class = 7;
        let but_tool = 2 + call + 1 + 1 + 1 + age;
        // A name is whole where that leaves room for what the call is about.
        let room = all.saturating_sub(but_tool + class + 2 * WHAT);
        let tool = if all >= 60 { 12 } else { longest.min(room).clamp(9, 12) };
        let fixed = but_tool + tool;
        let class = if all >= fixed + WHAT + class { class } else { 0 };
        Self { call, tool, what: all.saturating_sub(fixed + class), class, age }
    }

    /// The cells before the tool.
    fn lead(&self) -> usize {
        2 + self.call + 1
    }

    fn heading(&self, model: &Model) -> Vec<Part<'static>> {
        let (words, look) = (model.words().queue, &model.look);
        let class =
            if self.class > 0 { super::cells::left(look, words.class, self.class) } else { String::new() };
        let text = format!(
            "  {} {} {} {class}{}",
            super::cells::left(look, words.call, self.call),
            super::cells::left(look, words.tool, self.tool),
            super::cells::left(look, words.what, self.what),
            super::cells::right(look, words.age, self.age),
        );
        vec![part(Role::Muted, text)]
    }

    fn row(&self, model: &Model, call: &Shown) -> Vec<Part<'static>> {
        let look = &model.look;
        let class = if self.class > 0 {
            super::cells::left(look, look.lang.class(call.class), self.class)
        } else {
            String::new()
        };
        let what = super::cells::subject(look, &call.what.shown(), self.what);
        let mut parts = vec![
            part(call.role, format!(" {}", call.sign)),
            part(call.text, super::cells::left(look, &call.place, self.call)),
            part(Role::Accent, call.mark),
            part(if call.text == Role::Muted { Role::Muted } else { Role::Tool }, {
                super::cells::left(look, &call.tool, self.tool)
            }),
        ];
        parts.extend(flagged(&format!(" {what} "), &call.what, call.text));
        parts.extend([
            part(Role::Muted, class),
            part(call.aged, super::cells::right(look, &call.age, self.age)),
        ]);
        parts
    }
}

/// Whether a call belongs to another run than the shown one.
fn is_elsewhere(model: &Model, run: &RunId) -> bool {
    model.run.as_ref() != Some(run)
}

#[cfg(test)]
mod tests;
