//! Looks back for the screen: what a rollback would do, how a checkpoint differs from now, what a call did before.
//!
//! A difference is made for the first files only, and not of very long ones; what is not shown is said by the dialog.
//!
//! Not to be assumed: that a rollback does what was shown. It looks again, and what was chosen here goes with it.

use crate::agent::rollback::on_chain;
use crate::cli::app::Failure;
use crate::run::call::CallStatus;
use crate::run::checkpoint::FileState;
use crate::run::control::{RollbackChoices, StepRef};
use crate::run::id::{Millis, RunId, Seq, StepNo, TimelineNo};
use crate::run::state::{Path, RunState};
use crate::store::{CallRow, Store};
use crate::tool::exact_diff;
use crate::ui::app::msg::{Before, Comparison, FileBack, FileFate, Known, Preview};
use crate::worker::preview::{self, PreviewFile};
use crate::worker::reuse::reusable;
use crate::workspace::restore::Action;
use crate::workspace::{Workspace, images};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// Most files of which the difference is made.
const DIFFS: usize = 100;
/// Most characters of an earlier result that are shown.
const RESULT: usize = 200;

/// What is known of a checkpoint that is looked back at.
struct Back {
    state: Arc<RunState>,
    to: (Seq, TimelineNo, StepNo),
    seen: preview::Preview,
    workspace: Arc<Workspace>,
    tokens: u64,
}

async fn look(store: &Store, run: &RunId, to: StepRef) -> Result<Back, Failure> {
    let state = store.load(run).await?.state;
    let point = store.resolve_step(run, to).await?;
    let workspace = Workspace::open(&state.ledger.workspace).map_err(|e| Failure::usage(e.to_string()))?;
    let to = (point.seq, point.timeline, point.step);
    let seen = preview::preview(store, &state, &workspace, to, true, &RollbackChoices::default()).await?;
    let end = (state.head.seq, state.head.timeline);
    let checkpoints = store.checkpoints(run).await?;
    let left = checkpoints.iter().map(|row| &row.checkpoint).filter(|c| {
        let event = (c.seq, c.timeline);
        let timelines = &state.ledger.timelines;
        on_chain(timelines, end, event) && !on_chain(timelines, (to.0, to.1), event)
    });
    // Counted over the whole run: what was charged since then.
    let tokens = left.map(|c| c.tokens).max().unwrap_or(point.tokens).saturating_sub(point.tokens);
    Ok(Back { state, to, seen, workspace: Arc::new(workspace), tokens })
}

/// What a rollback would do.
///
/// # Errors
/// The store's and the folder's.
pub async fn preview_of(store: &Store, run: &RunId, to: StepRef) -> Result<Preview, Failure> {
    let Back { state, to, seen, workspace, tokens } = look(store, run, to).await?;
    let files = files(store, &workspace, seen.files, false).await?;
    let runs = |row: &&CallRow| row.status == CallStatus::Started;
    let ended: Vec<String> = seen.open.iter().filter(runs).map(effect_line).collect();
    Ok(Preview {
        seen: state.head.seq,
        step: to.2,
        timeline: to.1,
        undone: seen.undone,
        back: seen.back,
        tokens,
        files,
        goal: seen.goal.map(|(_, then)| then),
        effects: seen.effects.iter().map(effect_line).collect(),
        cancelled: seen.open.len() - ended.len(),
        ended,
        withdrawn: seen.withdrawn,
        offered: seen.offered,
    })
}

/// A checkpoint beside the present state.
///
/// # Errors
/// The store's and the folder's.
pub async fn compare(store: &Store, run: &RunId, to: StepRef) -> Result<Comparison, Failure> {
    let Back { state, to, seen, workspace, tokens } = look(store, run, to).await?;
    let then = store.state_at(run, to.0).await?;
    Ok(Comparison {
        step: to.2,
        timeline: to.1,
        since: seen.undone,
        apart: seen.back,
        tokens,
        then: known(&then.path),
        now: known(&state.path),
        files: files(store, &workspace, seen.files, true).await?,
    })
}

fn known(path: &Path) -> Known {
    let texts = |notes: &[crate::run::plan::Note]| notes.iter().map(|note| note.text.clone()).collect();
    Known {
        version: path.goal_version,
        goal: path.goal.clone(),
        plan: path.plan.clone(),
        facts: texts(&path.facts),
        questions: texts(&path.questions),
    }
}

/// What the same call did on a timeline that was left.
///
/// # Errors
/// The store's.
pub async fn before(store: &Store, row: &CallRow) -> Result<Option<Before>, Failure> {
    let state = store.load(&row.run).await?.state;
    let found = reusable(store, &state, &row.tool, &row.effect_key, &row.call_id).await?;
    let Some(earlier) = found else { return Ok(None) };
    let result = match &earlier.call.result {
        Some(body) => Some(store.text(body).await?.chars().take(RESULT).collect()),
        None => None,
    };
    let refused = earlier.refused.map(str::to_owned);
    Ok(Some(Before { call: earlier.call.call_id, step: earlier.call.step, result, refused }))
}

async fn files(
    store: &Store,
    workspace: &Arc<Workspace>,
    all: Vec<PreviewFile>,
    since: bool,
) -> Result<Vec<FileBack>, Failure> {
    let mut shown = Vec::with_capacity(all.len());
    for (nth, file) in all.into_iter().enumerate() {
        // What is stored is read in any case: a rollback without it is refused.
        let stored = match &file.wanted {
            FileState::File { hash, .. } => store.blob(hash).await.map(Some).map_err(|e| e.to_string()),
            FileState::Absent | FileState::TooBig { .. } | FileState::NotAFile => Ok(None),
        };
        let (stored, missing) = match stored {
            Ok(stored) => (stored, None),
            Err(why) => (None, Some(why)),
        };
        let folder = Arc::clone(workspace);
        let diffed = nth < DIFFS && missing.is_none();
        let one = move || one(&folder, file, stored.as_deref(), missing, diffed, since);
        shown.push(tokio::task::spawn_blocking(one).await.map_err(|e| Failure::internal(e.to_string()))?);
    }
    Ok(shown)
}

fn one(
    workspace: &Workspace,
    file: PreviewFile,
    stored: Option<&[u8]>,
    missing: Option<String>,
    diffed: bool,
    since: bool,
) -> FileBack {
    let now = images::take(workspace, &file.path).ok().and_then(|taken| taken.bytes);
    let both = (matches!(file.wanted, FileState::File { .. } | FileState::Absent) && diffed).then(|| {
        let (from, to) = if since { (stored, now.as_deref()) } else { (now.as_deref(), stored) };
        exact_diff(&file.path, from, to.unwrap_or_default())
    });
    let diff = both.unwrap_or_default();
    let meta = std::fs::symlink_metadata(workspace.root().join(&file.path)).ok();
    let edited = meta.and_then(|meta| meta.modified().ok()).and_then(|at| {
        let since = at.duration_since(UNIX_EPOCH).ok()?;
        Millis::try_from(since.as_millis()).ok()
    });
    let taken = file.taken().map(|action| fate(&action));
    let why = match (&file.usual, &taken) {
        (Action::Conflict { why, .. }, None) => Some((*why).to_owned()),
        (Action::Conflict { .. } | Action::Restore | Action::Remove | Action::Unchanged, _) => None,
    };
    FileBack {
        what: fate(&file.usual),
        taken,
        lines: count(&diff),
        diff,
        bytes: now.map(|bytes| bytes.len() as u64),
        made_in: file.made_in,
        edited,
        why,
        problem: missing.or(file.problem),
        path: file.path,
    }
}

fn fate(action: &Action) -> FileFate {
    match action {
        Action::Restore | Action::Unchanged => FileFate::Restore,
        Action::Remove => FileFate::Remove,
        Action::Conflict { .. } => FileFate::Keep,
    }
}

/// Lines that come and lines that go; none if there is no difference to count in.
fn count(diff: &str) -> Option<(usize, usize)> {
    let body = || diff.lines().skip_while(|line| !line.starts_with("@@"));
    let of = |sign: char| body().filter(|line| line.starts_with(sign)).count();
    let whole = body().next().is_some() && !diff.lines().any(|line| line.starts_with("[diff cut"));
    whole.then(|| (of('+'), of('-')))
}

fn effect_line(row: &CallRow) -> String {
    let (what, _) = crate::ui::feed::main_argument(row.args.inline().unwrap_or_default());
    format!("{} {what} ({}.{})", row.tool, row.step, row.position)
}
