//! What a running call has written so far: its last lines, under its own line, and how much came before them. It takes
//! as many rows as the recorded output will, which takes its place.

use super::call::{SHOWN, output_line, rail};
use super::pieces::Row;
use crate::ui::app::model::Model;
use crate::ui::app::transcript::Spot;
use crate::ui::feed::Running;
use crate::ui::keys::{Action, live};
use crate::ui::theme::Role;
use crate::ui::view::paint::part;
use crate::ui::words::numbers::size;

/// Lines so far, as far as they are known, and whether they are folded away.
pub fn folded(model: &Model, running: &Running, spot: Spot) -> (usize, bool) {
    let folded = model.transcript.folds.get(&spot) == Some(&true) && running.bytes > 0;
    (usize::try_from(running.lines.unwrap_or(0)).unwrap_or(usize::MAX), folded)
}

/// The last lines, after a row that says what came before them.
pub fn rows(model: &Model, running: &Running, spot: Spot, cells: usize) -> Vec<Row> {
    let most = match model.transcript.folds.get(&spot) {
        Some(true) => return Vec::new(),
        Some(false) => usize::MAX,
        None => SHOWN,
    };
    let all = running.tail.lines().count();
    let shown = all.min(most);
    let key = model.key(live::RUN_LOOP, Action::Open);
    let shown_lines = u64::try_from(shown).unwrap_or(u64::MAX);
    let words = model.words().live;
    let before = match running.lines.map(|lines| lines.saturating_sub(shown_lines)) {
        Some(0) => None,
        Some(lines) => Some(words.lines_before(lines, &size(running.bytes), &key)),
        None => Some(words.so_much(&size(running.bytes), &key)),
    };
    let before = before.map(|words| Row::new(spot, vec![rail(model), part(Role::Muted, words)]));
    let mut rows: Vec<Row> = before.into_iter().collect();
    for line in running.tail.lines().skip(all - shown) {
        rows.extend(output_line(model, spot, cells, ("", line, Role::Data)));
    }
    rows
}

#[cfg(test)]
mod tests;
