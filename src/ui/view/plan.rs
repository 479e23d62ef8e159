//! The panel Plan: the agent's tree of sub-goals, what it has not answered yet, how many facts it noted.

use super::Drawn;
use super::Zone;
use super::cells::{beyond, margin, outside, select};
use super::context::empty;
use super::paint::{Part, Pen, part, row, top_for};
use crate::run::plan::{PlanItem, PlanState};
use crate::run::state::Path;
use crate::ui::app::model::{Look, Model};
use crate::ui::feed::coming_plan;
use crate::ui::keys::{Action, live};
use crate::ui::layout::{Panel, Size};
use crate::ui::text::{Line, Wrap, width, wrap};
use crate::ui::theme::Role;
use crate::ui::words::numbers::hour_minute;
use ratatui::layout::Rect;

/// Most levels that are indented.
const DEEPEST: usize = 6;
/// Rows from which there is a blank between the plan and what stands at its foot.
const AIRY: u16 = 6;

/// What stands at the right end of the border: how many of the main items are done.
pub fn note(model: &Model) -> Vec<Part<'static>> {
    let Some((done, all)) = model.view().and_then(|view| progress(&view.state.path.plan)) else {
        return Vec::new();
    };
    let full = Size::of(model.size.0, model.size.1) == Size::Full;
    let text = if full { model.words().plan.done(done, all) } else { format!("{done}/{all}") };
    vec![part(Role::Muted, text)]
}

/// How many main items are done, of how many; none without a plan.
pub fn progress(plan: &[PlanItem]) -> Option<(u64, u64)> {
    let main = || plan.iter().filter(|item| depth(item) == 0);
    let done = main().filter(|item| item.state == PlanState::Done).count() as u64;
    let all = main().count() as u64;
    (all > 0).then_some((done, all))
}

/// Draws the inside.
pub fn draw(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let Some(path) = model.view().map(|view| &view.state.path) else {
        return empty(model.words().plan.empty, area, pen);
    };
    let below = below(model, path, area);
    // Where there is little height the blank above what stands at the foot gives way to the plan.
    let gap = usize::from(!below.is_empty() && area.height >= AIRY);
    let room = usize::from(area.height).saturating_sub(below.len() + gap);
    let plan = &path.plan;
    if plan.is_empty() {
        empty(model.words().plan.empty, area, pen);
    }
    let selected = model.lists.plan.min(plan.len().saturating_sub(1));
    // Until the person chooses, the item at work is in view.
    let at_work = plan.iter().rposition(|item| item.state == PlanState::Active);
    let focused = model.focus == Panel::Plan;
    let at = if focused { selected } else { at_work.unwrap_or(selected) };
    let top = top_for(drawn.tops.get(&Panel::Plan).copied().unwrap_or(0), at, room, plan.len());
    drawn.tops.insert(Panel::Plan, top);
    for (nth, (at, item)) in plan.iter().enumerate().skip(top).take(room).enumerate() {
        let place = row(area, nth);
        pen.left(place, &line(&model.look, item));
        if focused && at == selected {
            select(pen, place, margin(area), true);
        }
        drawn.zones.push((place, Zone::Plan(at)));
    }
    let first = usize::from(area.height).saturating_sub(below.len());
    let hidden = (top, plan.len().saturating_sub(top + room));
    if gap > 0 {
        beyond(hidden, row(area, first.saturating_sub(1)), pen);
    } else {
        drawn.hidden.insert(Panel::Plan, hidden);
    }
    for (nth, line) in below.iter().enumerate() {
        pen.left(row(area, first + nth), line);
    }
}

fn depth(item: &PlanItem) -> usize {
    item.id.matches('.').count()
}

fn line(look: &Look, item: &PlanItem) -> Vec<Part<'static>> {
    let glyphs = look.glyphs;
    let (sign, role, text) = match item.state {
        PlanState::Pending => (glyphs.open, Role::Muted, Role::Base),
        PlanState::Active => (glyphs.current, Role::Accent, Role::Base),
        PlanState::Done => (glyphs.done, Role::Ok, Role::Muted),
        PlanState::Failed => (glyphs.failed, Role::Danger, Role::Muted),
        PlanState::NeedsReview => (glyphs.unsure, Role::NeedsYou, Role::Base),
    };
    let indent = "  ".repeat(depth(item).min(DEEPEST));
    let mut parts = vec![
        part(role, format!("{indent}{sign} ")),
        part(text, format!("{} {}", outside(&item.id), outside(&item.title))),
    ];
    if matches!(item.state, PlanState::Failed | PlanState::NeedsReview) {
        parts.push(part(role, format!(" {} {}", glyphs.dot, look.lang.plan(item.state))));
    }
    parts
}

/// What stands at the foot: how many questions and facts, and the newest questions.
fn below(model: &Model, path: &Path, area: Rect) -> Vec<Vec<Part<'static>>> {
    let words = model.words().plan;
    let (questions, facts) = (path.questions.len() as u64, path.facts.len() as u64);
    let mut counts = Vec::new();
    if questions > 0 {
        counts.push(part(Role::Warn, words.questions(questions)));
    }
    if facts > 0 {
        let lead = if questions > 0 { format!(" {} ", model.look.glyphs.dot) } else { String::new() };
        counts.push(part(Role::Muted, format!("{lead}{}", words.facts(facts))));
    }
    let changed = changed(model, path, (usize::from(area.width), usize::from(area.height)));
    let full = Size::of(model.size.0, model.size.1) == Size::Full;
    let keys = full.then(|| keys(model)).flatten();
    if area.height < 4 {
        return Vec::new();
    }
    let mut lines: Vec<Vec<Part<'static>>> = Vec::new();
    lines.extend(changed);
    if counts.is_empty() {
        lines.extend(keys);
        return lines;
    }
    lines.push(counts);
    // A third of the panel at most.
    let most = usize::from(area.height / 3).saturating_sub(1).min(4);
    for question in path.questions.iter().rev().take(most).rev() {
        lines.push(vec![part(Role::Base, format!(" {}", outside(&question.text)))]);
    }
    lines.extend(keys);
    lines
}

/// That a person changed the plan, or is about to.
fn changed(model: &Model, path: &Path, (cells, height): (usize, usize)) -> Vec<Vec<Part<'static>>> {
    let words = model.words().plan;
    let Some(view) = model.view() else { return Vec::new() };
    let (sign, role, text) = match (coming_plan(&view.state, &view.coming), path.plan_edit) {
        (Some((one, _)), _) => {
            let by = outside(&model.look.lang.author(&one.by));
            let text = words.on_its_way(&by, &hour_minute(one.at, &model.look.zone));
            (format!("{} ", model.look.glyphs.prompt), Role::User, text)
        }
        (None, Some(edit)) => (String::new(), Role::Muted, words.edited(u64::from(edit.step))),
        (None, None) => return Vec::new(),
    };
    // Over as many rows as it needs.
    let room = cells.saturating_sub(width(&sign)).max(1);
    let text = Line::plain(text);
    let lines = wrap(&text, room, Wrap::Words);
    // Beside a plan of a few rows it is one, cut with its sign.
    if lines.len() > (height / 3).max(1) {
        return vec![vec![part(role, sign), part(role, text.shown())]];
    }
    let row = |(nth, line): (usize, &Line<'_>)| {
        let lead = if nth == 0 { sign.clone() } else { " ".repeat(width(&sign)) };
        vec![part(role, lead), part(role, line.shown())]
    };
    lines.iter().enumerate().map(row).collect()
}

/// What the panel's key does.
fn keys(model: &Model) -> Option<Vec<Part<'static>>> {
    let key = model.look.keys.key_of(live::RUN, Action::Open)?;
    Some(vec![part(Role::Accent, key), part(Role::Muted, format!(" {}", model.words().plan.edits))])
}

#[cfg(test)]
mod tests;
