//! Small things that several lists draw alike: texts in columns, the mark of the selected row, hints, bars.

use super::Drawn;
use super::Zone;
use super::paint::{Part, Pen, cells, part};
use crate::run::{LimitKind, Outcome, RunId, Status, WaitWhy};
use crate::store::CheckpointRow;
use crate::ui::app::model::{Look, Model};
use crate::ui::feed::main_argument;
use crate::ui::keys::{Action, Ctx};
use crate::ui::text::{Align, Line, Strength, cut_middle, fit, one_line, one_line_marked, width};
use crate::ui::theme::{Glyphs, Role};
use crate::ui::words::numbers::grouped;
use crate::ui::words::reasons;
use ratatui::layout::Rect;

/// A text from outside on one line, neutral.
pub fn outside(text: &str) -> String {
    one_line(text, Strength::Prose).shown()
}

/// What a call is about, on one line, neutral: commands, paths and addresses exactly as the review shows them.
pub fn argument(look: &Look, args: &str) -> Line<'static> {
    match main_argument(args) {
        (text, true) => one_line_marked(&text, look.glyphs.line_end).into_owned(),
        (text, false) => one_line(&text, Strength::Prose).into_owned(),
    }
}

/// A text that was made of a neutral line, in pieces: the codes of its hidden characters stand out.
pub fn flagged(text: &str, line: &Line<'_>, role: Role) -> Vec<Part<'static>> {
    let mut codes: Vec<&str> =
        line.pieces.iter().filter(|piece| piece.hidden.is_some()).map(|piece| piece.text.as_ref()).collect();
    codes.sort_by_key(|code| std::cmp::Reverse(code.len()));
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some((at, code)) =
        codes.iter().filter_map(|code| Some((rest.find(code)?, *code))).min_by_key(|(at, _)| *at)
    {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        parts.push(part(role, before.to_owned()));
        parts.push(part(Role::Hidden, code.to_owned()));
        rest = from.get(code.len()..).unwrap_or_default();
    }
    parts.push(part(role, rest.to_owned()));
    parts.retain(|part| !part.text.is_empty());
    parts
}

/// A sentence of the journal in the language of the screen, neutral.
pub fn said(look: &Look, text: &str) -> String {
    outside(&reasons::said(look.lang, text))
}

/// The start of a run's name, as lists show it: `r-7f3a`.
pub fn short_run(run: &RunId) -> String {
    run.as_str().chars().take(6).collect()
}

/// A text at the left of so many cells.
pub fn left(look: &Look, text: &str, cells: usize) -> String {
    fit(text, cells, Align::Left, look.glyphs.ellipsis).into_owned()
}

/// A text at the right of so many cells.
pub fn right(look: &Look, text: &str, cells: usize) -> String {
    fit(text, cells, Align::Right, look.glyphs.ellipsis).into_owned()
}

/// How many files calls made and changed: `+1 ~1`; none if there are none.
pub fn files_touched(look: &Look, row: &CheckpointRow) -> Option<String> {
    let changed = row.files.saturating_sub(row.made);
    match (row.made, changed) {
        (0, 0) => None,
        (made, 0) => Some(format!("{}{made}", look.glyphs.plus)),
        (0, changed) => Some(format!("{}{changed}", look.glyphs.about)),
        (made, changed) => Some(format!("{}{made} {}{changed}", look.glyphs.plus, look.glyphs.about)),
    }
}

/// What a call is about, in so many cells. Of a path the last name is kept, of an address the host, of another text
/// its begin.
pub fn subject(look: &Look, text: &str, cells: usize) -> String {
    let text = text.strip_prefix("https://").unwrap_or(text);
    let is_path = text.contains('/') && !text.contains(' ') && !text.contains("://");
    let is_host =
        is_path && text.split('/').next().is_some_and(|first| first.contains('.') && first.len() > 1);
    if !is_path || is_host || width(text) <= cells {
        return left(look, text, cells);
    }
    let name = text.rsplit('/').next().unwrap_or(text);
    let name = format!("{}/{name}", look.glyphs.ellipsis);
    if width(&name) < cells.saturating_sub(1) || width(&name) > cells {
        return left(look, &cut_middle(text, cells, look.glyphs.ellipsis), cells);
    }
    left(look, &name, cells)
}

/// Marks a row as selected: its sign in the column at `x`, and its ground if the list has the focus.
pub fn select(pen: &mut Pen<'_>, row: Rect, x: u16, focused: bool) {
    if row.height == 0 {
        return;
    }
    if focused {
        pen.tint(row, Role::Selection);
    }
    let sign = part(Role::Accent, pen.look.glyphs.selected);
    pen.left(Rect { x, width: 1, ..row }, &[sign]);
}

/// The column of blank at the left of an area, if there is one.
pub fn margin(area: Rect) -> u16 {
    area.x.saturating_sub(1)
}

/// Draws keys with what they do, as many as there is room for, each a place to click.
pub fn hints(
    model: &Model,
    live: &[Ctx],
    actions: &[Action],
    row: Rect,
    pen: &mut Pen<'_>,
    drawn: &mut Drawn,
) {
    let (keys, lang) = (&model.look.keys, model.look.lang);
    let hints = actions.iter().filter_map(|action| keys.hint(live, *action, lang));
    hint_parts(hints.map(|hint| (hint.keys, hint.words, hint.action)), row, pen, drawn);
}

/// As [`hints`], with words of one's own.
pub fn hint_parts<'a>(
    hints: impl Iterator<Item = (String, &'a str, Action)>,
    row: Rect,
    pen: &mut Pen<'_>,
    drawn: &mut Drawn,
) {
    let mut x = row.x;
    for (keys, words, action) in hints {
        let parts = [part(Role::Accent, keys), part(Role::Muted, format!(" {words}"))];
        let width = u16::try_from(cells(&parts)).unwrap_or(u16::MAX);
        if row.height == 0 || width > row.right().saturating_sub(x) {
            return;
        }
        let place = Rect { x, width, ..row };
        pen.left(place, &parts);
        drawn.zones.push((place, Zone::Key(action)));
        x = x.saturating_add(width).saturating_add(2).min(row.right());
    }
}

/// How many rows stand above and below those that are shown.
pub type Hidden = (usize, usize);

/// `↑ 3  ↓ 6`: the rows that are not shown; empty if all are.
pub fn signs(glyphs: &Glyphs, (above, below): Hidden) -> String {
    let signs = [(glyphs.up, above), (glyphs.down, below)].into_iter().filter(|(_, rows)| *rows > 0);
    let signs = signs.map(|(sign, rows)| format!("{sign} {}", grouped(rows as u64)));
    signs.collect::<Vec<_>>().join("  ")
}

/// Says at the right of a row how many rows are not shown; gives the cells used.
pub fn beyond(hidden: Hidden, row: Rect, pen: &mut Pen<'_>) -> u16 {
    let text = signs(pen.look.glyphs, hidden);
    if text.is_empty() {
        return 0;
    }
    let own = u16::try_from(width(&text)).unwrap_or(u16::MAX).min(row.width);
    pen.left(Rect { x: row.right() - own, width: own, ..row }, &[part(Role::Muted, text)]);
    own.saturating_add(1).min(row.width)
}

/// A bar of so many cells; warns from 80 % on.
pub fn bar(look: &Look, used: u64, most: u64, width: usize) -> Part<'static> {
    part(load(used, most), look.glyphs.bar(share(used, most), width))
}

/// The role of a figure that has a limit.
pub fn load(used: u64, most: u64) -> Role {
    let (used, most) = (u128::from(used), u128::from(most));
    if most > 0 && used >= most {
        Role::Danger
    } else if most > 0 && used * 100 >= most * 80 {
        Role::Warn
    } else {
        Role::Base
    }
}

/// How much of it is used, from 0 to 1 and beyond.
#[allow(clippy::cast_precision_loss, reason = "a bar has a few cells; it needs no exact figure")]
fn share(used: u64, most: u64) -> f64 {
    if most == 0 { 0.0 } else { used as f64 / most as f64 }
}

/// How a run stands: sign, role and word, from the word that lists of runs have.
pub fn run_face(look: &Look, status: &str, wait: Option<&str>) -> (&'static str, Role, String) {
    let (glyphs, lang) = (look.glyphs, look.lang);
    let (sign, role, word) = match status {
        "running" => (glyphs.running, Role::Accent, lang.status(&Status::Running)),
        "waiting" => {
            let word = lang.status(&Status::Waiting(WaitWhy::Approval(Vec::new())));
            // A wait for the server ends by itself: it needs nobody.
            let retries = wait == Some("retry");
            if retries {
                (glyphs.running, Role::Warn, word)
            } else {
                (glyphs.needs_you, Role::NeedsYou, word)
            }
        }
        "paused" => (glyphs.open, Role::Warn, lang.status(&Status::Paused)),
        "interrupted" => (glyphs.left_out, Role::Warn, lang.interrupted()),
        "completed" => (glyphs.done, Role::Ok, lang.ended(&Outcome::Completed)),
        "limit" => (glyphs.limit, Role::Warn, lang.ended(&Outcome::Limit(LimitKind::Steps))),
        "failed" => (glyphs.failed, Role::Danger, lang.ended(&Outcome::Failed(String::new()))),
        "cancelled" => (glyphs.denied, Role::Muted, lang.ended(&Outcome::Cancelled)),
        other => return (glyphs.dot, Role::Muted, outside(other)),
    };
    (sign, role, word.to_owned())
}

#[cfg(test)]
mod tests;
