//! The pinned goal: in view at every size.

use super::head::{padded, plain};
use super::paint::{Pen, cells, part};
use super::{Drawn, Zone};
use crate::ui::app::model::Model;
use crate::ui::feed::{RunView, coming_goals};
use crate::ui::keys::{Action, live};
use crate::ui::layout::{Layout, Size};
use crate::ui::text::width;
use crate::ui::theme::{Glyphs, Role};
use crate::ui::words::numbers::hour_minute;
use ratatui::layout::Rect;

/// Columns from which it is said beside the goal that another one is on its way.
const COMING: u16 = 48;

/// The pinned goal: one line, or two on a large screen.
pub fn goal(model: &Model, places: &Layout, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let Some(view) = model.view() else { return };
    let path = &view.state.path;
    let words = model.words().header;
    let dot = model.look.glyphs.dot;
    let first = Rect { height: places.goal.height.min(1), ..places.goal };
    let label = format!("{} v{}  ", words.goal, path.goal_version);
    let key = model.key(live::RUN, Action::GoalEdit);
    let edit = [part(Role::Accent, key), part(Role::Muted, format!(" {}", words.edit))];
    let text = plain(&path.goal.text);
    let row = padded(first);
    let mut right = Vec::new();
    if places.goal.height > 1 {
        let edits = u64::from(path.goal_version.saturating_sub(1));
        if edits > 0 {
            let by = written_by(model, path.goal_version);
            right.push(part(Role::Muted, format!("{by}{} {dot} ", words.edits(edits))));
        }
    } else if places.size == Size::Quad && !path.goal.checks.is_empty() {
        right.push(part(Role::Muted, format!("{}   ", checks_pass(model, view))));
    }
    let coming = coming_goals(&view.state, &view.coming).last().map(|goal| u64::from(goal.version));
    if let Some(version) = coming.filter(|_| row.width >= COMING) {
        right.push(part(Role::User, format!("{} {dot} ", words.goal_coming(version))));
    }
    right.extend(edit.iter().cloned());
    let room = usize::from(row.width).saturating_sub(cells(&right) + 2 + width(&label));
    let shown = if places.goal.height > 1 { text } else { with_constraints(model, view, text, room) };
    let label = [part(Role::Muted, label), part(Role::Goal, shown)];
    pen.ends(row, &label, &right);
    let own = u16::try_from(cells(&edit)).unwrap_or(u16::MAX).min(row.width);
    drawn.zones.push((Rect { x: row.right() - own, width: own, ..row }, Zone::Key(Action::GoalEdit)));
    if places.goal.height > 1 {
        let second = Rect { y: places.goal.y + 1, height: 1, ..places.goal };
        second_goal_row(model, view, padded(second), pen);
    }
}

/// `you · 13:24 · `, if it is known who wrote this version.
fn written_by(model: &Model, version: u32) -> String {
    let by = model.goal_by.as_ref().filter(|by| by.version == version && Some(&by.run) == model.run.as_ref());
    let Some((at, author)) = by.and_then(|by| by.known.as_ref()) else { return String::new() };
    let dot = model.look.glyphs.dot;
    format!("{} {dot} {} {dot} ", plain(&model.look.lang.author(author)), hour_minute(*at, &model.look.zone))
}

fn checks_pass(model: &Model, view: &RunView) -> String {
    let path = &view.state.path;
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let pass = path.last_checks.iter().filter(|check| check.passed).count();
    model.words().header.checks_pass(count(pass), count(path.goal.checks.len()))
}

/// The goal with as many constraints as have room, then how many more there are.
fn with_constraints(model: &Model, view: &RunView, text: String, room: usize) -> String {
    let dot = model.look.glyphs.dot;
    let constraints: Vec<String> = view.state.path.goal.constraints.iter().map(|text| plain(text)).collect();
    let all = constraints.len();
    let shown = |n: usize| {
        let mut line = text.clone();
        for constraint in constraints.iter().take(n) {
            line.push_str(&format!(" {dot} {constraint}"));
        }
        if n < all {
            line.push_str(&format!(" {dot} {}{}", model.look.glyphs.plus, all - n));
        }
        line
    };
    let fits = (0..=all).rev().find(|n| width(&shown(*n)) <= room);
    match fits {
        // Where not even one fits, the begin of it says more than how many there are.
        Some(0) if all > 0 && width(&text) + 16 <= room => shown(all),
        Some(n) => shown(n),
        None => shown(all),
    }
}

/// The sign of a check of the goal in force: passed, failed, or not run yet.
pub fn check_sign(view: &RunView, index: usize, glyphs: &Glyphs) -> (&'static str, Role) {
    let found = view.state.path.last_checks.iter().find(|result| result.index == index);
    match found.map(|result| result.passed) {
        Some(true) => (glyphs.done, Role::Ok),
        Some(false) => (glyphs.failed, Role::Danger),
        None => (glyphs.open, Role::Muted),
    }
}

fn second_goal_row(model: &Model, view: &RunView, row: Rect, pen: &mut Pen<'_>) {
    let (words, glyphs) = (model.words().header, model.look.glyphs);
    let goal = &view.state.path.goal;
    let mut right = Vec::new();
    if !goal.checks.is_empty() {
        right.push(part(Role::Muted, format!("{} ", words.checks)));
    }
    for (index, check) in goal.checks.iter().enumerate() {
        let (sign, role) = check_sign(view, index, glyphs);
        let gap = if index == 0 { "" } else { "   " };
        right.push(part(role, format!("{gap}{sign} ")));
        right.push(part(Role::Base, plain(&check.to_string())));
    }
    let mut left = vec![part(Role::Base, " ".repeat(width(words.goal) + 5))];
    if !goal.constraints.is_empty() {
        let all: Vec<String> = goal.constraints.iter().map(|text| plain(text)).collect();
        left.push(part(Role::Muted, format!("{} ", words.constraints)));
        left.push(part(Role::Goal, all.join(&format!(" {} ", glyphs.dot))));
    }
    // Checks give way to constraints only as far as half of the row.
    let half = usize::from(row.width) / 2;
    if cells(&right) > half && cells(&left) + cells(&right) + 2 > usize::from(row.width) {
        right = vec![part(Role::Muted, checks_pass(model, view))];
    }
    pen.ends(row, &left, &right);
}
