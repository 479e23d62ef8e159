//! What rolling back to the selected checkpoint would undo, as far as the screen knows. The preview says the rest.

use super::tokens;
use crate::agent::rollback::on_chain;
use crate::run::{CallStatus, Class};
use crate::ui::app::lists::{Point, is_here, point_place};
use crate::ui::app::model::Model;
use crate::ui::feed::{CALLS, RunView};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Part, part};
use crate::ui::words::numbers::grouped;

/// A line of pieces.
type Parts = Vec<Part<'static>>;

/// The lines; none if the selected checkpoint is where the run stands.
pub fn lines(model: &Model, view: &RunView, points: &[Point<'_>]) -> Vec<Parts> {
    let selected = point_place(model, points).and_then(|at| points.get(at));
    let Some(target) = selected else { return Vec::new() };
    let words = model.words().checkpoints;
    let (state, checkpoint) = (&view.state, &target.row.checkpoint);
    let end = (checkpoint.seq, checkpoint.timeline);
    let kept = |point: &Point<'_>| {
        on_chain(&state.ledger.timelines, end, (point.seq(), point.row.checkpoint.timeline))
    };
    // From the newest back to where both have the same past.
    let here = points.iter().filter(|point| is_here(state, (point.seq(), point.row.checkpoint.timeline)));
    let undone: Vec<Point<'_>> = here.take_while(|point| !kept(point)).copied().collect();
    let (Some(last), Some(first)) = (undone.first(), undone.last()) else { return Vec::new() };
    let spent: u64 = undone.iter().map(|point| tokens(view, *point)).sum();
    let (from, to) = (u64::from(first.row.checkpoint.step), u64::from(last.row.checkpoint.step));
    let files: u64 = undone.iter().map(|point| u64::from(point.row.files)).sum();
    let base = |text: String| vec![part(Role::Base, format!(" {text}"))];
    let mut lines = vec![
        vec![part(Role::Accent, words.to_roll_back_to(u64::from(checkpoint.step)))],
        base(words.would_undo(from, to, &grouped(spent))),
        base(if files == 0 { words.no_files_since.to_owned() } else { words.files_since(files) }),
    ];
    match commands(view, first.at) {
        Some(0) | None => {}
        Some(n) => lines.push(vec![part(Role::Warn, format!(" {}", words.cannot_undo(n)))]),
    }
    lines
}

/// Commands that ran since the checkpoint before the one at `first`; none if older calls than those at hand count too.
fn commands(view: &RunView, first: usize) -> Option<u64> {
    let since =
        first.checked_sub(1).and_then(|at| view.checkpoints.get(at)).map_or(0, |row| row.checkpoint.seq);
    let all_known = view.calls.len() < CALLS || view.calls.last().is_some_and(|oldest| oldest.seq <= since);
    let ran = |status: CallStatus| match status {
        CallStatus::Done | CallStatus::Failed | CallStatus::Started | CallStatus::Uncertain => true,
        CallStatus::Proposed
        | CallStatus::Waiting
        | CallStatus::Approved
        | CallStatus::Rejected
        | CallStatus::Denied
        | CallStatus::Cancelled => false,
    };
    // Edits of files come back; what else has an effect does not.
    let effects = view.calls.iter().filter(|call| {
        call.seq > since
            && call.class == Class::Effect
            && call.tool != "edit_file"
            && ran(call.status)
            && is_here(&view.state, (call.seq, call.timeline))
    });
    all_known.then(|| effects.count() as u64)
}
