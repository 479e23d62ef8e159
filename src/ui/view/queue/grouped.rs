//! The calls by step: what waits here, what waits in other runs, then step by step; below, the selected one in full.

use super::WHAT;
use super::call::Shown;
use super::counts::counts;
use super::{LIVE, deciding, detail, is_elsewhere, of_run};
use crate::run::{CallStatus, StepNo};
use crate::ui::app::held::stands_waiting;
use crate::ui::app::lists::{QueueRow, call_place, is_here};
use crate::ui::app::model::Model;
use crate::ui::keys::Action;
use crate::ui::layout::Panel;
use crate::ui::theme::Role;
use crate::ui::view::cells::{beyond, flagged, hint_parts, left, outside, right, select, subject};
use crate::ui::view::paint::{Part, Pen, part, row, top_for};
use crate::ui::view::{Drawn, Zone};
use ratatui::layout::Rect;

/// A line of the list.
#[derive(Clone, Copy)]
enum Line {
    /// Nothing waits in this run.
    Nothing,
    /// A blank.
    Blank,
    /// The heading of the calls that wait in other runs.
    Others,
    /// The heading of a step; true for one that was undone.
    Step(StepNo, bool),
    /// A call, by its place among the rows.
    Call(usize),
    /// The run of a call of another run.
    Run(usize),
    /// Why a person denied it.
    Reason(usize),
}

/// The lines of these rows, without their texts.
fn lines(model: &Model, rows: &[QueueRow<'_>]) -> Vec<Line> {
    let mut lines = Vec::with_capacity(rows.len() * 2);
    let (mut others, mut step) = (false, None);
    let waits = |row: &QueueRow<'_>| stands_waiting(model, *row);
    if !rows.first().is_some_and(|row| waits(row) && !is_elsewhere(model, &row.call().run)) {
        lines.push(Line::Nothing);
    }
    for (at, row) in rows.iter().enumerate() {
        let call = row.call();
        if waits(row) && is_elsewhere(model, &call.run) {
            if !others {
                lines.extend([Line::Blank, Line::Others]);
                others = true;
            }
            lines.extend([Line::Call(at), Line::Run(at)]);
            continue;
        }
        let undone = model.view().is_some_and(|view| !is_here(&view.state, (call.seq, call.timeline)));
        if !waits(row) && step != Some((call.step, undone)) {
            if step.is_none() {
                lines.push(Line::Blank);
            }
            lines.push(Line::Step(call.step, undone));
            step = Some((call.step, undone));
        }
        lines.push(Line::Call(at));
        if call.status == CallStatus::Denied && call.why.as_ref().is_some_and(|why| !why.is_empty()) {
            lines.push(Line::Reason(at));
        }
    }
    lines
}

/// Draws list, selected call and keys.
pub fn draw(model: &Model, rows: &[QueueRow<'_>], area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let lines = lines(model, rows);
    let selected = call_place(model, rows).unwrap_or(0);
    let at = lines.iter().position(|line| matches!(line, Line::Call(at) if *at == selected)).unwrap_or(0);
    let told = rows.get(selected).map(|row| detail::lines(model, *row)).unwrap_or_default();
    // Keys, counts, and the selected call with a blank on either side.
    let rest = 3 + told.len() + 2;
    let room = usize::from(area.height).saturating_sub(rest);
    // The heading above the selected row is shown with it.
    let at = if at == 1 { 0 } else { at };
    let top = top_for(drawn.tops.get(&Panel::Queue).copied().unwrap_or(0), at, room, lines.len());
    drawn.tops.insert(Panel::Queue, top);
    let list = Rect { height: u16::try_from(room).unwrap_or(u16::MAX).min(area.height), ..area };
    let all = Rows { rows, selected, place: places(rows) };
    for (nth, line) in lines.iter().skip(top).take(room).enumerate() {
        draw_line(model, &all, *line, row(list, nth), pen, drawn);
    }
    let shown = lines.len().saturating_sub(top).min(room);
    beyond((top, lines.len().saturating_sub(top + shown)), row(area, shown), pen);
    for (nth, line) in told.iter().enumerate() {
        pen.left(row(area, shown + 1 + nth), line);
    }
    foot(model, area, pen, drawn);
}

fn foot(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let last = usize::from(area.height).saturating_sub(1);
    let (keys, words) = (&model.look.keys, model.words().queue);
    let open = (model.key(LIVE, Action::Open), words.whole_call, Action::Open);
    let mark = keys.hint(LIVE, Action::Mark, model.look.lang);
    let mark = mark.filter(|_| model.waiting_here().next().is_some());
    let first = std::iter::once(open).chain(mark.map(|hint| (hint.keys, hint.words, hint.action)));
    hint_parts(first, row(area, last.saturating_sub(2)), pen, drawn);
    hint_parts(deciding(model).into_iter(), row(area, last.saturating_sub(1)), pen, drawn);
    pen.left(row(area, last), &counts(model, usize::from(area.width)));
}

/// The rows, which of them is selected, and the cells that step and place take in each.
struct Rows<'a> {
    rows: &'a [QueueRow<'a>],
    selected: usize,
    place: usize,
}

/// Cells of the longest `14.2`; rows of long runs need more than those of short ones.
fn places(rows: &[QueueRow<'_>]) -> usize {
    let digits = |n: u32| n.checked_ilog10().unwrap_or(0) as usize + 1;
    let one = |row: &QueueRow<'_>| digits(row.call().step) + 1 + digits(row.call().position);
    rows.iter().map(one).max().unwrap_or(0).max(4)
}

fn draw_line(model: &Model, all: &Rows<'_>, line: Line, place: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let rows = all.rows;
    let words = model.words().queue;
    let indent = |text: String| part(Role::Muted, format!("       {text}"));
    match line {
        Line::Blank => {}
        Line::Nothing => {
            pen.left(place, &[part(Role::Muted, words.nothing_here)]);
        }
        Line::Others => {
            pen.left(place, &[part(Role::Accent, words.other_runs)]);
        }
        Line::Step(step, undone) => {
            let step = words.step(u64::from(step));
            let text =
                if undone { format!("{step} {} {}", model.look.glyphs.dot, words.undone) } else { step };
            pen.left(place, &[part(if undone { Role::Muted } else { Role::Accent }, text)]);
        }
        Line::Run(at) => {
            if let Some(QueueRow::Waiting(waiting)) = rows.get(at) {
                pen.left(place, &[of_run(waiting, 7)]);
            }
        }
        Line::Reason(at) => {
            if let Some(why) = rows.get(at).and_then(|row| row.call().why.as_ref()) {
                pen.left(place, &[indent(format!("\"{}\"", outside(why)))]);
            }
        }
        Line::Call(at) => {
            let Some(call) = rows.get(at) else { return };
            let shown = Shown::of(model, *call);
            pen.left(place, &call_line(model, &shown, usize::from(place.width), all.place));
            if at == all.selected {
                select(pen, place, place.x, model.focus == Panel::Queue);
            }
            drawn.zones.push((place, Zone::Call(shown.id)));
        }
    }
}

fn call_line(model: &Model, call: &Shown, width: usize, place: usize) -> Vec<Part<'static>> {
    let (look, age) = (&model.look, 5);
    // A name is whole where that leaves room for what the call is about.
    let room = width.saturating_sub(2 + place + 1 + 1 + age + 2 * WHAT);
    let tool = if width >= 60 { 12 } else { room.clamp(9, 12) };
    let what = width.saturating_sub(2 + place + 1 + tool + 1 + age);
    let mut parts = vec![
        part(call.role, format!(" {}", call.sign)),
        part(call.text, left(look, &call.place, place)),
        part(Role::Accent, call.mark),
        part(if call.text == Role::Muted { Role::Muted } else { Role::Tool }, left(look, &call.tool, tool)),
    ];
    parts.extend(flagged(&format!(" {}", subject(look, &call.what.shown(), what)), &call.what, call.text));
    parts.push(part(call.aged, right(look, &call.age, age)));
    parts
}
