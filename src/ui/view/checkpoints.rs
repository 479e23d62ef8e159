//! The panel Checkpoints: the present timeline on top, what a rollback undid as a branch beside it.
//!
//! Tokens are those of a step: they stay spent whatever is undone. Texts are made for what is visible only; what grows
//! with the run are single passes over the list of checkpoints.

mod back;
mod lines;
pub mod tree;

use super::Drawn;
use super::Zone;
use super::cells::{Hidden, beyond, files_touched, hints, left, margin, right, run_face, select};
use super::context::empty;
use super::paint::{Part, Pen, part, row, top_for};
use crate::run::checkpoint::CheckpointKind;
use crate::run::{Status, Turn};
use crate::ui::app::lists::{Point, point_place};
use crate::ui::app::model::Model;
use crate::ui::feed::RunView;
use crate::ui::keys::{Action, live};
use crate::ui::layout::{Panel, Size};
use crate::ui::text::width;
use crate::ui::theme::Role;
use crate::ui::words::numbers::{estimate, grouped, short, time_of_day};
use lines::{Line, Lines};
use ratatui::layout::Rect;

/// Rows from which a rollback to the selected checkpoint is told.
const TALL: u16 = 28;
/// Cells from which columns stand two apart.
const WIDE: u16 = 40;

/// What stands at the right end of the border.
pub fn note(model: &Model) -> Vec<Part<'static>> {
    let Some(view) = model.view() else { return Vec::new() };
    let (words, all) = (model.words().checkpoints, view.state.ledger.timelines.len() as u64);
    if all < 2 {
        return Vec::new();
    }
    let full = Size::of(model.size.0, model.size.1) == Size::Full;
    let here = u64::from(view.state.head.timeline);
    vec![part(Role::Muted, if full { words.branches(all - 1) } else { words.timeline_of(here, all) })]
}

/// Draws the inside.
pub fn draw(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let Some(view) = model.view() else { return empty(model.words().checkpoints.empty, area, pen) };
    let (lines, points) = Lines::of(view);
    let has_step = points.iter().any(|point| point.row.checkpoint.kind == CheckpointKind::Step);
    let foot = usize::from(area.height >= 6);
    let told = if area.height >= TALL { back::lines(model, view, &points) } else { Vec::new() };
    let told_rows = if told.is_empty() { 0 } else { told.len() + 1 };
    let head = usize::from(area.height >= 3);
    let room = usize::from(area.height).saturating_sub(head + foot + told_rows);
    if head > 0 {
        pen.left(row(area, 0), &Columns::heading(model, area));
    }
    let selected = point_place(model, &points);
    let at = selected.map_or(0, |nth| lines.line_of(nth));
    // While nothing is chosen the newest rows are shown, the present one with them; below the oldest stands the sum.
    let at = match model.lists.checkpoint {
        None => 0,
        Some(_) if selected.is_some_and(|nth| nth + 1 == points.len()) => lines.count() - 1,
        Some(_) => at,
    };
    let top = top_for(drawn.tops.get(&Panel::Checkpoints).copied().unwrap_or(0), at, room, lines.count());
    // The selected one stays in view whatever stands below it.
    let top =
        selected.filter(|_| model.lists.checkpoint.is_some()).map_or(top, |nth| top.min(lines.line_of(nth)));
    drawn.tops.insert(Panel::Checkpoints, top);
    let shown = lines.shown(top, room);
    let hidden = (top, lines.count().saturating_sub(top + shown.len()));
    if foot == 0 || !has_step {
        drawn.hidden.insert(Panel::Checkpoints, hidden);
    }
    let columns = Columns::of(area, &lines, &points, shown);
    for (nth, line) in shown.iter().enumerate() {
        let place = row(area, head + nth);
        pen.left(place, &columns.line(model, view, &lines, &points, *line));
        if let Line::Point(at, _) = line
            && let Some(point) = points.get(*at)
        {
            drawn.zones.push((place, Zone::Checkpoint(point.seq())));
            if selected == Some(*at) {
                select(pen, place, margin(area), model.focus == Panel::Checkpoints);
            }
        }
    }
    // The start says itself that there is nothing yet but it.
    if !has_step && !points.is_empty() {
        return;
    }
    if !has_step {
        let below = head + shown.len() + 1;
        let words = model.words().checkpoints.empty;
        let height = area.height.saturating_sub(u16::try_from(below).unwrap_or(u16::MAX));
        empty(words, Rect { y: area.bottom() - height, height, ..area }, pen);
        return;
    }
    for (nth, line) in told.iter().enumerate() {
        pen.left(row(area, head + shown.len() + 1 + nth), line);
    }
    if foot > 0 {
        keys(model, view, hidden, row(area, usize::from(area.height) - 1), pen, drawn);
    }
}

fn keys(model: &Model, view: &RunView, hidden: Hidden, place: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let mut actions = vec![Action::RollbackPreview, Action::Compare];
    if !view.state.ledger.redo.is_empty() {
        actions.push(Action::RollbackRedo);
    }
    let own = beyond(hidden, place, pen);
    let keys = Rect { width: place.width - own, ..place };
    hints(model, live::RUN_CHK, &actions, keys, pen, drawn);
}

/// Tokens charged between a checkpoint and the one before it.
fn tokens(view: &RunView, point: Point<'_>) -> u64 {
    let before = point.at.checked_sub(1).and_then(|at| view.checkpoints.get(at));
    let before = before.map_or(0, |row| row.checkpoint.tokens);
    point.row.checkpoint.tokens.saturating_sub(before)
}

/// Columns of the list.
struct Columns {
    /// Rails, sign and step.
    step: usize,
    gap: &'static str,
}

/// Cells of a time of day, and of tokens.
const TIME: usize = 8;
const TOKENS: usize = 6;

impl Columns {
    fn of(area: Rect, lines: &Lines, points: &[Point<'_>], shown: &[Line]) -> Self {
        let place = |line: &Line| if let Line::Point(at, _) = line { points.get(*at).copied() } else { None };
        let digits = shown
            .iter()
            .filter_map(place)
            .map(|point| point.row.checkpoint.step.to_string().len())
            .max()
            .unwrap_or(1);
        let rails = lines.rails_of(points, shown).min(usize::from(area.width / 6));
        Self { step: (2 * rails + 2 + digits + 1).max(7), gap: gap(area) }
    }

    fn heading(model: &Model, area: Rect) -> Vec<Part<'static>> {
        let (words, look) = (model.words().checkpoints, &model.look);
        let gap = gap(area);
        let text = format!(
            "  {}{}  {}{gap}{}",
            left(look, words.step, 5),
            left(look, words.time, TIME),
            right(look, words.tokens, TOKENS),
            words.files
        );
        vec![part(Role::Muted, text)]
    }

    /// Sign with step, time, tokens.
    fn figures(&self, model: &Model, time: &str, tokens: &str) -> String {
        let look = &model.look;
        format!("{}  {}{}", left(look, time, TIME), right(look, tokens, TOKENS), self.gap)
    }

    fn line(
        &self,
        model: &Model,
        view: &RunView,
        lines: &Lines,
        points: &[Point<'_>],
        line: Line,
    ) -> Vec<Part<'static>> {
        match line {
            Line::Now => self.now(model, view),
            Line::Joint(nth, trunk) => lines.joint(model, nth, trunk, false),
            Line::Fork(nth, trunk) => lines.joint(model, nth, trunk, true),
            Line::Point(at, trunk) => {
                points.get(at).map_or_else(Vec::new, |point| self.point(model, view, lines, (*point, trunk)))
            }
            Line::Sum => sum(model, view, lines, points),
        }
    }

    /// The step in progress, or how the run ended.
    fn now(&self, model: &Model, view: &RunView) -> Vec<Part<'static>> {
        let (words, look, state) = (model.words().checkpoints, &model.look, &view.state);
        let last = view.checkpoints.last().map_or(0, |row| row.checkpoint.tokens);
        let spent = state.ledger.totals.charged.saturating_sub(last);
        let status = state.status();
        let wait = state.waits_for();
        let (sign, role, word) = run_face(look, status.word(), wait.as_ref().map(|why| why.word()));
        let asking = if let Turn::Asking(asking) = &state.path.turn { Some(asking.prompt) } else { None };
        let tokens = match asking {
            Some(prompt) => estimate(&short(spent.saturating_add(u64::from(prompt)))),
            None => grouped(spent),
        };
        let words = match &status {
            Status::Running if asking.is_some() => words.in_flight.to_owned(),
            Status::Running | Status::Waiting(_) => words.in_progress.to_owned(),
            Status::Paused | Status::Ended(_) => word,
        };
        let ended = state.ledger.ended.as_ref().filter(|_| matches!(status, Status::Ended(_)));
        let (sign, role) = if ended.is_some() { (sign, role) } else { (look.glyphs.running, Role::Accent) };
        let step = if ended.is_some() { state.path.step } else { state.path.step.saturating_add(1) };
        let time = match ended {
            Some(ended) => time_of_day(ended.at, &look.zone),
            None => model.words().checkpoints.now.to_owned(),
        };
        vec![
            part(role, format!("{sign} ")),
            part(Role::Base, left(look, &step.to_string(), self.step.saturating_sub(2))),
            part(Role::Base, self.figures(model, &time, &tokens)),
            part(role, words),
        ]
    }

    fn point(
        &self,
        model: &Model,
        view: &RunView,
        lines: &Lines,
        (point, trunk): (Point<'_>, bool),
    ) -> Vec<Part<'static>> {
        let (words, look) = (model.words().checkpoints, &model.look);
        let checkpoint = &point.row.checkpoint;
        let place = (checkpoint.seq, checkpoint.timeline);
        let undone = lines.tree.is_undone(place);
        let newest = lines.head == Some(checkpoint.seq);
        let sign = if newest { look.glyphs.checkpoint } else { look.glyphs.open };
        let rails = lines.rails(model, lines.tree.rail(place), trunk);
        let text = if undone { Role::Muted } else { Role::Base };
        let used = width(&rails) + 2;
        let files = match (checkpoint.kind, files_touched(look, point.row)) {
            (CheckpointKind::Start, _) => words.start.to_owned(),
            (_, None) => look.glyphs.dot.to_owned(),
            (_, Some(files)) => files,
        };
        let spent = tokens(view, point);
        let spent = if checkpoint.kind == CheckpointKind::Start { String::new() } else { grouped(spent) };
        let time = time_of_day(checkpoint.at, &look.zone);
        let step = left(look, &checkpoint.step.to_string(), self.step.saturating_sub(used));
        let mut parts = vec![
            part(Role::Muted, rails),
            part(if newest { Role::Accent } else { text }, sign),
            part(text, format!(" {step}")),
            part(text, self.figures(model, &time, &spent)),
            part(text, if undone { left(look, &files, width(&files).max(2)) } else { files }),
        ];
        if undone {
            parts.push(part(Role::Muted, format!("{}{}", self.gap, words.undone)));
        }
        parts
    }
}

fn gap(area: Rect) -> &'static str {
    if area.width >= WIDE { "  " } else { " " }
}

/// What all steps took, and the undone ones of it.
fn sum(model: &Model, view: &RunView, lines: &Lines, points: &[Point<'_>]) -> Vec<Part<'static>> {
    let undone = points.iter().filter(|point| {
        let checkpoint = &point.row.checkpoint;
        lines.tree.is_undone((checkpoint.seq, checkpoint.timeline))
    });
    let undone: u64 = undone.map(|point| tokens(view, *point)).sum();
    let all = view.checkpoints.last().map_or(0, |row| row.checkpoint.tokens);
    vec![part(Role::Muted, format!(" {}", model.words().checkpoints.sum(&grouped(all), &grouped(undone))))]
}

#[cfg(test)]
mod tests;
