//! Which rows are in view. The place is an item; its row stays where it was drawn last, as far as the view goes there.

use super::group;
use super::pieces::Row;
use super::step::Drawing;
use crate::run::StepNo;
use crate::ui::app::model::Model;
use crate::ui::app::transcript::Spot;
use crate::ui::feed::{Item, RunView, StepSpan, StepView};
use crate::ui::layout::Panel;
use crate::ui::theme::Role;
use crate::ui::view::paint::part;
use ratatui::layout::Rect;
use std::ops::Range;

/// Steps around the view that are read ahead.
const AHEAD: usize = 5;

/// What is in view.
pub struct Window {
    /// Rows from the top.
    pub rows: Vec<Row>,
    /// Steps in view, or next to it, that have not been read.
    pub unread: Vec<StepSpan>,
}

/// Steps of the run, the one in progress included.
pub fn step_count(view: &RunView) -> usize {
    view.steps.len() + 1
}

/// A committed step, if it was read as it stands on the present timeline.
pub fn read_step<'m>(model: &'m Model, span: &StepSpan) -> Option<&'m StepView> {
    let step = model.transcript.steps.get(&span.step)?;
    (step.from == span.from && step.to == span.to).then_some(step.as_ref())
}

/// Whether the `at`th step is the newest one that has begun. What stands after a step, as the end of the run does, is no
/// step: the answer of a run that has ended stays unfolded.
pub fn newest_step(view: &RunView, at: usize) -> bool {
    let begun = || view.open.items.iter().any(|item| matches!(item, Item::Asked { .. }));
    at + 1 == step_count(view) || (at + 2 == step_count(view) && !begun())
}

/// The rows of a step, or of steps that stand on one row.
fn unit_rows(model: &Model, view: &RunView, unit: &Range<usize>, cells: usize) -> Vec<Row> {
    if unit.len() > 1 {
        return group::rows(model, view, unit.clone(), cells);
    }
    let at = unit.start;
    let span = view.steps.get(at).copied();
    let step = match &span {
        Some(span) => read_step(model, span),
        None => Some(&view.open),
    };
    let newest = newest_step(view, at);
    match (step, span) {
        (Some(step), Some(_)) => Drawing { model, view, step, span, newest, cells }.rows(),
        (Some(step), None) => {
            let mut rows = Drawing { model, view, step, span, newest, cells }.rows();
            rows.extend(super::coming::rows(model, view, cells));
            rows
        }
        (None, Some(span)) => {
            let spot = Spot { step: span.step, item: None };
            let glyphs = model.look.glyphs;
            let text = format!("{} {}  {}", glyphs.folded, span.step, glyphs.left_out);
            vec![Row::new(spot, vec![part(Role::Muted, text)])]
        }
        (None, None) => Vec::new(),
    }
}

/// Where a step stands in the list.
fn index_of(view: &RunView, step: StepNo) -> usize {
    view.steps.partition_point(|span| span.step < step)
}

/// Rows around the selected item, or the newest ones.
pub fn window(model: &Model, view: &RunView, area: Rect) -> Window {
    let (height, cells) = (usize::from(area.height), usize::from(area.width));
    let count = step_count(view);
    if height == 0 || cells == 0 {
        return Window { rows: Vec::new(), unread: Vec::new() };
    }
    let middle = model.transcript.at.map_or(count - 1, |spot| index_of(view, spot.step).min(count - 1));
    let middle = group::unit(model, view, middle);
    let mut rows = unit_rows(model, view, &middle, cells);
    let (mut above, mut below) = (middle.start, middle.end - 1);
    let (mut begin, long) = match model.transcript.at {
        Some(spot) => place_in(&rows, spot),
        None => (rows.len(), 0),
    };
    while begin < height && above > 0 {
        let unit = group::unit(model, view, above - 1);
        above = unit.start;
        let mut more = unit_rows(model, view, &unit, cells);
        begin += more.len();
        more.append(&mut rows);
        rows = more;
    }
    while rows.len() < begin + height && below + 1 < count {
        let unit = group::unit(model, view, below + 1);
        below = unit.end - 1;
        rows.append(&mut unit_rows(model, view, &unit, cells));
    }
    let start = match model.transcript.at {
        None => rows.len().saturating_sub(height),
        Some(spot) => {
            let skip = model.transcript.skip.min(long.saturating_sub(1));
            let row =
                if skip > 0 { 0 } else { drawn_row(model, spot, height).min(height.saturating_sub(long)) };
            (begin + skip).saturating_sub(row).min(rows.len().saturating_sub(height))
        }
    };
    let shown: Vec<Row> = rows.into_iter().skip(start).take(height).collect();
    let unread = unread(model, view, above, below);
    Window { rows: shown, unread }
}

/// First row of an item among the rows of its step, and how many it has. If it is gone, those of the one before it.
fn place_in(rows: &[Row], spot: Spot) -> (usize, usize) {
    let begin = rows.iter().position(|row| row.spot == spot);
    let begin = begin.or_else(|| {
        let before = rows.iter().rev().find(|row| row.spot <= spot).map(|row| row.spot)?;
        rows.iter().position(|row| row.spot == before)
    });
    let begin = begin.unwrap_or(0);
    let own = rows.get(begin).map(|row| row.spot);
    (begin, rows.iter().skip(begin).take_while(|row| Some(row.spot) == own).count())
}

/// The row on which an item was drawn last, counted from the first one; at the edge it left the view by, if it was not.
fn drawn_row(model: &Model, spot: Spot, height: usize) -> usize {
    let mut spots = model.drawn.zones.iter().filter_map(|(rect, zone)| Some((rect.y, zone.spot()?)));
    let Some(first) = spots.next() else { return height / 2 };
    let mut last = first.1;
    if first.1 == spot {
        return 0;
    }
    for (y, drawn) in spots {
        if drawn == spot {
            return usize::from(y.saturating_sub(first.0));
        }
        last = drawn;
    }
    if spot > last { height } else { 0 }
}

fn unread(model: &Model, view: &RunView, above: usize, below: usize) -> Vec<StepSpan> {
    let (mut at, end) = (above.saturating_sub(AHEAD), below.saturating_add(AHEAD).min(view.steps.len()));
    let mut unread = Vec::new();
    while at <= end {
        let unit = group::unit(model, view, at);
        let here = view.steps.get(at..unit.end.min(end + 1)).unwrap_or_default();
        unread.extend(here.iter().filter(|span| group::is_wanted(model, span, unit.len() > 1)));
        at = unit.end;
    }
    unread
}

/// Cells and rows of the steps' area, as they were drawn last.
pub fn view_size(model: &Model) -> (usize, usize) {
    let places = model.drawn.layout.as_ref().map(|layout| layout.panels.as_slice()).unwrap_or_default();
    let rect = places.iter().find(|(panel, _)| *panel == Panel::Loop).map(|(_, rect)| *rect);
    let area = super::steps_area(crate::ui::view::inside(rect.unwrap_or(Rect::new(0, 0, 80, 24))));
    (usize::from(area.width).max(1), usize::from(area.height).max(1))
}

/// The steps that stand on one row with the `at`th, or that one.
pub fn unit_of(model: &Model, at: usize) -> Range<usize> {
    model.view().map_or(at..at + 1, |view| group::unit(model, view, at))
}

/// The places of the `at`th step, and of those that stand on one row with it, in their order, each with its rows.
pub fn spots_of(model: &Model, at: usize) -> Vec<(Spot, usize)> {
    let Some(view) = model.view() else { return Vec::new() };
    let mut spots: Vec<(Spot, usize)> = Vec::new();
    for row in unit_rows(model, view, &group::unit(model, view, at), view_size(model).0) {
        match spots.last_mut() {
            Some((spot, rows)) if *spot == row.spot => *rows += 1,
            Some(_) | None => spots.push((row.spot, 1)),
        }
    }
    spots
}

/// The newest place.
pub fn last_spot(model: &Model) -> Option<Spot> {
    let count = step_count(model.view()?);
    (0..count).rev().find_map(|at| spots_of(model, at).last().map(|(spot, _)| *spot))
}
