//! What is selected in the lists beside Loop, and in which order their rows stand. Pure.
//!
//! A selection is an id, so that a refresh keeps it. The place where it was last seen is kept too: if the row is gone,
//! the one that took its place is selected, at the end of a list the one before.
//!
//! Not to be assumed: that a row is a line. Views add headings, branches and second lines between rows.

use super::held;
use super::model::Model;
use crate::agent::rollback::on_chain;
use crate::run::budget_table::{BudgetTable, SlotRow};
use crate::run::checkpoint::CheckpointKind;
use crate::run::{RunId, RunState, Seq, TimelineNo};
use crate::store::{CallRow, CheckpointRow, RunRow};
use crate::ui::feed::{RunView, Waiting};
use crate::ui::layout::{Panel, Size};
use crate::ui::view::checkpoints::tree::{Placed, Tree, What};
use std::collections::HashMap;

/// A row of Queue.
#[derive(Clone, Copy, Debug)]
pub enum QueueRow<'a> {
    /// A call that waits for the person.
    Waiting(&'a Waiting),
    /// Another call of the shown run.
    Call(&'a CallRow),
}

impl<'a> QueueRow<'a> {
    /// The call.
    pub fn call(self) -> &'a CallRow {
        match self {
            QueueRow::Waiting(waiting) => &waiting.call,
            QueueRow::Call(call) => call,
        }
    }

    /// True if it waits for the person.
    pub fn waits(self) -> bool {
        match self {
            QueueRow::Waiting(_) => true,
            QueueRow::Call(_) => false,
        }
    }
}

/// A row of Checkpoints: the start, or a committed step of any timeline.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// The checkpoint.
    pub row: &'a CheckpointRow,
    /// Its place in the journal's list, oldest first.
    pub at: usize,
}

impl Point<'_> {
    /// The seq of its event, which names it.
    pub fn seq(self) -> Seq {
        self.row.checkpoint.seq
    }
}

/// Whether the calls of other runs stand in Queue: where there is room, or if the person wants them.
pub fn shows_others(model: &Model) -> bool {
    model.lists.all_runs || Size::of(model.size.0, model.size.1) == Size::Full
}

/// The rows of Queue as they stand on the screen.
pub fn queue_rows(model: &Model) -> Vec<QueueRow<'_>> {
    held::calls(model, sorted(model))
}

/// The rows of Queue in their order: what waits in this run, oldest first; what waits in others; then this run's calls,
/// newest first. The snapshot holds a bounded number of them.
pub(super) fn sorted(model: &Model) -> Vec<QueueRow<'_>> {
    let mut rows: Vec<QueueRow<'_>> = model.waiting_here().map(QueueRow::Waiting).collect();
    let here = rows.len();
    if shows_others(model) {
        let others = model.waiting().filter(|waiting| Some(&waiting.call.run) != model.run.as_ref());
        rows.extend(others.map(QueueRow::Waiting));
    }
    let calls = model.view().map_or(&[][..], |view| view.calls.as_slice());
    for call in calls {
        let waits = rows.iter().take(here).any(|row| row.call().call_id == call.call_id);
        if !waits {
            rows.push(QueueRow::Call(call));
        }
    }
    rows
}

/// The rows of Checkpoints as they stand: those of the present timeline newest first, what was undone of others where it
/// left them. Only what can be returned to is among them.
pub fn checkpoint_rows(model: &Model) -> Vec<Point<'_>> {
    model.view().map(points).unwrap_or_default()
}

/// As [`checkpoint_rows`], of a view.
pub fn points(view: &RunView) -> Vec<Point<'_>> {
    let (_, placed, given) = arranged(view);
    let point = |placed: Placed| match placed.what {
        What::Point(nth) => given.get(nth).copied(),
        What::Joint(_) | What::Fork(_) => None,
    };
    placed.into_iter().filter_map(point).collect()
}

/// The checkpoints newest first, the tree of their timelines, and the order of the lines.
pub fn arranged(view: &RunView) -> (Tree, Vec<Placed>, Vec<Point<'_>>) {
    let rows = view.checkpoints.iter().enumerate().rev();
    let points: Vec<Point<'_>> = rows
        .filter(|(_, row)| match row.checkpoint.kind {
            CheckpointKind::Start | CheckpointKind::Step => true,
            CheckpointKind::End | CheckpointKind::BeforeRollback => false,
        })
        .map(|(at, row)| Point { row, at })
        .collect();
    let places: Vec<(Seq, TimelineNo)> =
        points.iter().map(|point| (point.seq(), point.row.checkpoint.timeline)).collect();
    let mut newest = HashMap::new();
    for (seq, timeline) in &places {
        newest.entry(*timeline).or_insert(*seq);
    }
    let timelines = &view.state.ledger.timelines;
    let tree = Tree::of(timelines, view.state.head.timeline, |no| newest.get(&no).copied());
    let placed = tree.arrange(&places);
    (tree, placed, points)
}

/// Whether an event stands on the present timeline, or on the part of another one that it grew from.
pub fn is_here(state: &RunState, event: (Seq, TimelineNo)) -> bool {
    on_chain(&state.ledger.timelines, (Seq::MAX, state.head.timeline), event)
}

/// The rows of Runs as they stand on the screen, newest first.
pub fn run_rows(model: &Model) -> &[RunRow] {
    held::runs(model, model.shot.as_ref().map_or(&[], |shot| shot.runs.as_slice()))
}

/// The rows of the context table that say something: slots that nothing was ever put in are left out.
pub fn slots(table: &BudgetTable) -> impl Iterator<Item = &SlotRow> {
    table.rows.iter().filter(|row| row.used > 0 || row.budget > 0 || row.items > 0 || !row.trimmed.is_empty())
}

/// Place of the selected row among so many; none if there is nothing to select.
pub fn place(model: &Model, panel: Panel) -> Option<usize> {
    match panel {
        Panel::Loop => None,
        Panel::Context => within(model.lists.slot, count(model, panel)),
        Panel::Plan => within(model.lists.plan, count(model, panel)),
        Panel::Queue => call_place(model, &queue_rows(model)),
        Panel::Checkpoints => point_place(model, &checkpoint_rows(model)),
        Panel::Runs => run_place(model, run_rows(model)),
    }
}

fn within(at: usize, all: usize) -> Option<usize> {
    all.checked_sub(1).map(|last| at.min(last))
}

/// Place of the selected call in these rows; if it is gone, of what took its place.
pub fn call_place(model: &Model, rows: &[QueueRow<'_>]) -> Option<usize> {
    let wanted = model.lists.call.as_ref();
    let Some(wanted) = wanted else { return within(0, rows.len()) };
    let found = rows.iter().position(|row| row.call().call_id == *wanted);
    found.or_else(|| within(model.lists.call_at, rows.len()))
}

/// Place of the selected checkpoint; if it is gone, of the next older one. Without a selection it is the newest of the
/// present timeline.
pub fn point_place(model: &Model, rows: &[Point<'_>]) -> Option<usize> {
    let at = match (model.lists.checkpoint, model.view()) {
        (Some(wanted), _) => {
            let older = rows.iter().enumerate().filter(|(_, row)| row.seq() <= wanted);
            older.max_by_key(|(_, row)| row.seq()).map_or(rows.len(), |(at, _)| at)
        }
        (None, Some(view)) => {
            let here = |row: &Point<'_>| is_here(&view.state, (row.seq(), row.row.checkpoint.timeline));
            rows.iter().position(here).unwrap_or(0)
        }
        (None, None) => 0,
    };
    within(at, rows.len())
}

/// Place of the selected run; without a selection that of the shown one. On the start screen nothing need be selected:
/// then the offer above the list is.
pub fn run_place(model: &Model, rows: &[RunRow]) -> Option<usize> {
    let wanted = match (&model.lists.run, &model.run) {
        (Some(run), _) | (None, Some(run)) => run,
        (None, None) => return None,
    };
    let at = rows.iter().position(|row| row.id == *wanted);
    at.or_else(|| within(model.lists.run_at, rows.len()))
}

/// How many rows a panel has.
pub fn count(model: &Model, panel: Panel) -> usize {
    match panel {
        Panel::Loop => 0,
        Panel::Context => {
            let asked = model.view().and_then(|view| view.asked.as_ref());
            // And the lines that have no room below the table.
            asked.map_or(0, |asked| slots(&asked.table).count() + model.drawn.beyond)
        }
        Panel::Queue => queue_rows(model).len(),
        Panel::Checkpoints => checkpoint_rows(model).len(),
        Panel::Plan => model.view().map_or(0, |view| view.state.path.plan.len()),
        Panel::Runs => run_rows(model).len(),
    }
}

/// Selects the row so many below (above, if negative), at most the last or first.
pub fn step(model: &mut Model, panel: Panel, by: isize) {
    steps(model, panel, &[by]);
}

/// Several such steps, one after the other: each ends at the last or first row.
pub fn steps(model: &mut Model, panel: Panel, by: &[isize]) {
    let walk = |at: usize, last: usize| by.iter().fold(at, |at, by| at.saturating_add_signed(*by).min(last));
    if panel == Panel::Runs && model.run.is_none() {
        // On the start screen the offer stands above the first run.
        let at = run_place(model, run_rows(model)).map_or(0, |at| at + 1);
        match walk(at, run_rows(model).len()).checked_sub(1) {
            Some(at) => select(model, Panel::Runs, at),
            None => model.lists.run = None,
        }
        return;
    }
    let all = count(model, panel);
    let Some(at) = place(model, panel) else { return };
    select(model, panel, walk(at, all.saturating_sub(1)));
}

/// Selects the first row, or the last. On the start screen the first is the offer.
pub fn ends(model: &mut Model, panel: Panel, top: bool) {
    step(model, panel, if top { isize::MIN } else { isize::MAX });
}

/// Selects a row by its place.
pub fn select(model: &mut Model, panel: Panel, at: usize) {
    match panel {
        Panel::Loop => {}
        Panel::Context => model.lists.slot = at,
        Panel::Plan => model.lists.plan = at,
        Panel::Queue => {
            let found = queue_rows(model).get(at).map(|row| row.call().call_id.clone());
            model.lists.call = found;
            model.lists.call_at = at;
        }
        Panel::Checkpoints => {
            let found = checkpoint_rows(model).get(at).map(|row| row.seq());
            model.lists.checkpoint = found;
        }
        Panel::Runs => {
            let found = run_rows(model).get(at).map(|row| row.id.clone());
            model.lists.run = found;
            model.lists.run_at = at;
        }
    }
}

/// After a new snapshot: what is selected stays; where it is gone, the next row is selected, else the one before. Where
/// nothing was selected nothing is: the row that waits first, or is newest, counts as selected, and stays so as others
/// come. Marks of calls that no longer wait are taken off.
pub fn keep(model: &mut Model) {
    let lists = &model.lists;
    let chosen = [
        (Panel::Context, true),
        (Panel::Plan, true),
        (Panel::Queue, lists.call.is_some()),
        (Panel::Checkpoints, lists.checkpoint.is_some()),
        (Panel::Runs, lists.run.is_some()),
    ];
    for (panel, _) in chosen.into_iter().filter(|(_, chosen)| *chosen) {
        let at = place(model, panel).unwrap_or(0);
        select(model, panel, at);
    }
    let waiting: Vec<_> = model.waiting().map(|waiting| waiting.call.call_id.clone()).collect();
    model.lists.marked.retain(|call| waiting.contains(call));
}

/// The selected call, or what counts as selected.
pub fn selected_call(model: &Model) -> Option<&CallRow> {
    let rows = queue_rows(model);
    let at = call_place(model, &rows)?;
    rows.get(at).map(|row| row.call())
}

/// The waiting call that a decision is about: the selected one, or the first of the shown run.
pub fn acted_on(model: &Model) -> Option<&Waiting> {
    let call = selected_call(model).filter(|_| model.focus == Panel::Queue);
    let selected = call.and_then(|call| model.waiting().find(|w| w.call.call_id == call.call_id));
    selected.or_else(|| model.waiting_here().next())
}

/// The selected checkpoint, or what counts as selected.
pub fn selected_checkpoint(model: &Model) -> Option<&CheckpointRow> {
    let rows = checkpoint_rows(model);
    let at = point_place(model, &rows)?;
    rows.get(at).map(|point| point.row)
}

/// The selected run, or what counts as selected; none on the start screen while the offer is.
pub fn selected_run(model: &Model) -> Option<&RunRow> {
    let rows = run_rows(model);
    rows.get(run_place(model, rows)?)
}

/// When another run is shown: what was selected in the one before means nothing in it.
pub fn forget(model: &mut Model, shown: Option<&RunId>) {
    let lists = &mut model.lists;
    (lists.slot, lists.plan, lists.call_at) = (0, 0, 0);
    (lists.call, lists.checkpoint) = (None, None);
    lists.run = shown.cloned();
}

#[cfg(test)]
#[path = "lists_tests.rs"]
mod tests;
