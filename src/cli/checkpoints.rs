//! `checkpoints`: the points of a run that can be returned to, newest first, as a tree of timelines.
//!
//! JSON: an array, oldest first, of `step`, `timeline`, `ref` (what `rollback --to` takes), `kind` (`start`, `step`,
//! `end`, `before_rollback`), `seq`, `parent` (seq of the checkpoint before it on its own chain, or null), `at`
//! (milliseconds since 1970), `tokens` (charged up to here), `files` (changed since the checkpoint before), `present`
//! (true on the present timeline's chain).

use super::app::{App, Failure};
use super::args::RunJson;
use super::duration::grouped;
use super::exit::Exit;
use super::layout;
use crate::agent::rollback::on_chain;
use crate::run::checkpoint::CheckpointKind;
use crate::run::state::Timeline;
use crate::run::{RunState, Seq};
use crate::store::CheckpointRow;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// `wakeful checkpoints`.
///
/// # Errors
/// See [`Failure`].
pub async fn checkpoints(app: &App, args: RunJson) -> Result<Exit, Failure> {
    let store = app.open()?;
    let run = super::run::find(&store, &args.run).await?;
    let state = store.load(&run).await?.state;
    let rows = store.checkpoints(&run).await?;
    if args.json {
        layout::json(&objects(&state, &rows))?;
    } else {
        layout::text(&tree(&state, &rows))?;
    }
    Ok(Exit::Completed)
}

fn present(state: &RunState, row: &CheckpointRow) -> bool {
    let head = (state.head.seq, state.head.timeline);
    on_chain(&state.ledger.timelines, head, (row.checkpoint.seq, row.checkpoint.timeline))
}

/// The newest checkpoint before `row` on its own chain.
fn parent(timelines: &[Timeline], rows: &[CheckpointRow], row: &CheckpointRow) -> Option<Seq> {
    let own = (row.checkpoint.seq, row.checkpoint.timeline);
    let before = rows.iter().rev().filter(|r| r.checkpoint.seq < own.0);
    before
        .map(|r| (r.checkpoint.seq, r.checkpoint.timeline))
        .find(|at| on_chain(timelines, own, *at))
        .map(|(seq, _)| seq)
}

fn objects(state: &RunState, rows: &[CheckpointRow]) -> Vec<Value> {
    let timelines = &state.ledger.timelines;
    let object = |row: &CheckpointRow| {
        let point = &row.checkpoint;
        json!({
            "step": point.step, "timeline": point.timeline, "ref": format!("{}@{}", point.step, point.timeline),
            "kind": point.kind, "seq": point.seq, "parent": parent(timelines, rows, row), "at": point.at,
            "tokens": point.tokens, "files": row.files, "present": present(state, row),
        })
    };
    rows.iter().map(object).collect()
}

/// Rows that hang together, newest first, by the checkpoint that they grew from.
type Branches<'a> = BTreeMap<Option<Seq>, Vec<Vec<&'a CheckpointRow>>>;

fn tree(state: &RunState, rows: &[CheckpointRow]) -> String {
    let (trunk, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| present(state, row));
    let mut branches = Branches::new();
    for timeline in &state.ledger.timelines {
        let mut left: Vec<_> =
            others.iter().copied().filter(|row| row.checkpoint.timeline == timeline.no).collect();
        left.reverse();
        if let Some(oldest) = left.last() {
            let from = parent(&state.ledger.timelines, rows, oldest);
            branches.entry(from).or_default().push(left);
        }
    }
    let count = state.ledger.timelines.len();
    let mut lines =
        vec![format!("timeline {} of {count}; step  time  tokens so far  files", state.head.timeline)];
    let trunk: Vec<_> = trunk.into_iter().rev().collect();
    draw(&trunk, &mut branches, "", &mut lines);
    // What hangs on nothing that is listed is shown all the same.
    while let Some((_, left)) = branches.pop_first() {
        left.iter().for_each(|branch| draw(branch, &mut branches, "│ ", &mut lines));
    }
    lines.join("\n")
}

/// Draws a chain, newest first; before each checkpoint what branches off there.
fn draw(chain: &[&CheckpointRow], branches: &mut Branches<'_>, rails: &str, lines: &mut Vec<String>) {
    let newest = chain.first().map(|row| row.checkpoint.seq);
    for row in chain {
        for branch in branches.remove(&Some(row.checkpoint.seq)).unwrap_or_default() {
            draw(&branch, branches, &format!("{rails}│ "), lines);
            lines.push(format!("{rails}├─╯"));
        }
        let here = rails.is_empty() && Some(row.checkpoint.seq) == newest;
        lines.push(format!("{rails}{}", words(row, here, rails.is_empty())));
    }
}

fn words(row: &CheckpointRow, newest: bool, present: bool) -> String {
    let point = &row.checkpoint;
    let kind = match point.kind {
        CheckpointKind::Start => "  start",
        CheckpointKind::Step => "",
        CheckpointKind::End => "  end",
        CheckpointKind::BeforeRollback => "  before a rollback",
    };
    let files = match (row.made, row.files.saturating_sub(row.made)) {
        (0, 0) => "·".to_owned(),
        (made, 0) => format!("+{made}"),
        (0, changed) => format!("~{changed}"),
        (made, changed) => format!("+{made} ~{changed}"),
    };
    let undone = if present { "" } else { "  undone" };
    format!(
        "{} {:<6} {}  {:>9}  {files}{kind}{undone}",
        if newest { "◆" } else { "○" },
        format!("{}@{}", point.step, point.timeline),
        layout::moment(point.at),
        grouped(point.tokens),
    )
}
