//! Reading a snapshot. What a long run has much of (checkpoints, calls) is kept between reads and only added to.

use super::coming::{Coming, coming};
use super::folds::{self, Fold};
use super::step::{StepView, Text};
use crate::agent::rollback::on_chain;
use crate::inspect::{Asked, InspectError, asked};
use crate::run::call::CallStatus;
use crate::run::checkpoint::CheckpointKind;
use crate::run::control::Control;
use crate::run::{CallId, Millis, RunId, RunState, Seq, StepNo, TimelineNo};
use crate::store::{
    CallFilter, CallRow, CheckpointRow, Damage, InboxId, InboxRow, RunFilter, RunRow, Store, StoreError,
};
use std::path::PathBuf;
use std::sync::Arc;

/// Runs in the list until more are asked for; older ones are counted.
const RUNS: usize = 500;
/// Most calls of the run that are read; older ones are left out.
pub const CALLS: usize = 200;
/// Most calls that wait, of all runs.
const WAITING: usize = 200;
/// Most bytes that are read of a text that lies apart.
const APART: u64 = 64 * 1024;

/// A call that waits for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// The call.
    pub call: CallRow,
    /// Its run's title.
    pub title: String,
    /// Its arguments, or their beginning.
    pub args: Text,
}

/// A step of the present timeline, as a range of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSpan {
    /// The step.
    pub step: StepNo,
    /// The timeline it was made on.
    pub timeline: TimelineNo,
    /// Its first event.
    pub from: Seq,
    /// Its last event: the checkpoint.
    pub to: Seq,
}

/// The run that is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct RunView {
    /// Its state.
    pub state: Arc<RunState>,
    /// Set if its journal is damaged.
    pub damage: Option<Damage>,
    /// True if its owner lives.
    pub alive: bool,
    /// The newest calls, newest first.
    pub calls: Vec<CallRow>,
    /// How many calls are in each state, if there may be more than [`CALLS`].
    pub counts: Option<Vec<(CallStatus, u64)>>,
    /// All checkpoints, oldest first.
    pub checkpoints: Arc<Vec<CheckpointRow>>,
    /// Committed steps of the present timeline, oldest first.
    pub steps: Arc<Vec<StepSpan>>,
    /// What left the window, oldest first.
    pub folds: Arc<Vec<Fold>>,
    /// The step in progress, or what came after the last one.
    pub open: StepView,
    /// The newest model call with its budget table.
    pub asked: Option<Asked>,
    /// Controls that wait to be taken, without the messages.
    pub pending: usize,
    /// The messages that the agent has not read yet, oldest first.
    pub queued: Vec<Queued>,
    /// The changes among them, oldest first.
    pub coming: Vec<Coming>,
}

impl RunView {
    /// Since when a call of the open step runs: since its attempt began, whoever has taken it over meanwhile. Of other
    /// calls since they are in their state.
    pub fn runs_since(&self, call: &CallId, since: Millis) -> Millis {
        let seen = self.open.calls().find(|seen| seen.call_id == *call);
        seen.filter(|seen| seen.status == CallStatus::Started).and_then(|seen| seen.started).unwrap_or(since)
    }
}

/// A message to the agent that waits until the agent is about to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Its row in the inbox.
    pub id: InboxId,
    /// The words. Not neutral.
    pub text: String,
    /// It is to be delivered at once.
    pub now: bool,
}

/// The messages among what waits in an inbox.
fn queued(pending: &[InboxRow]) -> Vec<Queued> {
    let of = |row: &InboxRow| {
        let Control::Message { text, now } = &row.control else { return None };
        Some(Queued { id: row.id, text: text.clone(), now: *now })
    };
    pending.iter().filter_map(of).collect()
}

/// A run that cannot be read, though the list of runs can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The run.
    pub run: RunId,
    /// What the store says of it. Not neutral.
    pub why: String,
}

/// What the screen shows of the store, read at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// When it was read.
    pub at: Millis,
    /// The newest runs, newest first.
    pub runs: Vec<RunRow>,
    /// Runs in all.
    pub runs_total: u64,
    /// Calls that wait for a person in any run, oldest first.
    pub waiting: Vec<Waiting>,
    /// The run that is shown.
    pub run: Option<Arc<RunView>>,
    /// The run that was asked for and cannot be read, with why.
    pub unread: Option<Unread>,
    /// Bytes of the database file with its log.
    pub db_bytes: u64,
}

/// Reads snapshots of one store.
#[derive(Debug)]
pub struct Feed {
    store: Store,
    /// What is kept of the run that was read last.
    kept: Option<Kept>,
    /// Most runs in the list.
    runs: usize,
}

#[derive(Debug)]
struct Kept {
    run: RunId,
    timeline: TimelineNo,
    head: Seq,
    view: Arc<RunView>,
}

impl Feed {
    /// A feed that has read nothing.
    pub fn new(store: Store) -> Self {
        Self { store, kept: None, runs: RUNS }
    }

    /// Reads at least so many runs from now on, if there are.
    pub fn want_runs(&mut self, runs: usize) {
        self.runs = self.runs.max(runs);
    }

    /// Reads what is to be seen of `run` and of all others.
    ///
    /// # Errors
    /// What the store says; the caller keeps the snapshot before. A run that was never read and cannot be is no error: the
    /// snapshot says why.
    pub async fn read(&mut self, run: Option<&RunId>, now: Millis) -> Result<Snapshot, InspectError> {
        let runs = self.store.runs(RunFilter { limit: Some(self.runs), ..RunFilter::default() }).await?;
        let runs_total = self.store.count_runs().await?;
        let waiting = self.waiting(&runs).await?;
        let (mut view, mut unread) = (None, None);
        if let Some(run) = run {
            match self.run(run).await {
                Ok(read) => view = Some(read),
                Err(error) if self.has_read(run) || is_busy(&error) => return Err(error),
                Err(error) => unread = Some(Unread { run: run.clone(), why: error.to_string() }),
            }
        }
        Ok(Snapshot { at: now, runs, runs_total, waiting, run: view, unread, db_bytes: size(&self.store) })
    }

    /// Reads a committed step.
    ///
    /// # Errors
    /// What the store says.
    pub async fn step(store: &Store, run: &RunId, span: StepSpan) -> Result<StepView, StoreError> {
        let events = store.events(run, span.from, span.to).await?;
        let (events, left): (Vec<_>, Vec<_>) =
            events.into_iter().partition(|envelope| envelope.timeline == span.timeline);
        let mut view = StepView::of(span.step, span.from, span.to, &events);
        view.tell_ended(&left);
        fetch(store, &mut view).await?;
        Ok(view)
    }

    async fn waiting(&self, runs: &[RunRow]) -> Result<Vec<Waiting>, StoreError> {
        let filter = CallFilter {
            run: None,
            open_only: true,
            statuses: vec![CallStatus::Waiting, CallStatus::Uncertain],
            limit: Some(WAITING),
        };
        let mut rows = self.store.calls(filter).await?;
        rows.sort_by_key(|row| (row.since, row.seq));
        let mut waiting = Vec::with_capacity(rows.len());
        for call in rows {
            let title = runs.iter().find(|run| run.id == call.run).map(|run| run.title.clone());
            let mut args = Text::of(&call.args);
            read_part(&self.store, &mut args).await?;
            waiting.push(Waiting { title: title.unwrap_or_default(), args, call });
        }
        Ok(waiting)
    }

    async fn run(&mut self, run: &RunId) -> Result<Arc<RunView>, InspectError> {
        let loaded = self.store.load(run).await?;
        let state = loaded.state;
        let alive = state.ledger.owner.as_ref().is_some_and(|owner| self.store.is_alive(&owner.worker));
        let rows = self.store.pending(run).await?;
        let (queued, coming) = (queued(&rows), coming(&rows));
        let pending = rows.len().saturating_sub(queued.len());
        let kept = self.kept.as_ref().filter(|kept| kept.run == *run);
        if let Some(kept) = kept
            && kept.head == state.head.seq
            && kept.view.state.head == state.head
        {
            let same = kept.view.alive == alive
                && kept.view.pending == pending
                && kept.view.queued == queued
                && kept.view.coming == coming;
            let view = Arc::clone(&kept.view);
            if same {
                return Ok(view);
            }
            let view = Arc::new(RunView { alive, pending, queued, coming, ..RunView::clone(&view) });
            return Ok(self.keep(run, &view));
        }
        let checkpoints = match kept {
            Some(kept) => self.more_checkpoints(run, &kept.view.checkpoints).await?,
            None => Arc::new(self.store.checkpoints(run).await?),
        };
        let steps = match kept {
            Some(kept) if kept.timeline == state.head.timeline => {
                more_spans(&state, &checkpoints, &kept.view.steps)
            }
            Some(_) | None => Arc::new(spans(&state, &checkpoints, 0)),
        };
        let known = kept.filter(|kept| kept.timeline == state.head.timeline);
        let known = known.map(|kept| (&kept.view.folds, kept.head));
        let folds = folds::read(&self.store, run, &state, &steps, known).await?;
        let from = steps.last().map_or(1, |span| span.to + 1);
        let events = self.store.events(run, from, state.head.seq).await?;
        let end = (Seq::MAX, state.head.timeline);
        let (events, left): (Vec<_>, Vec<_>) =
            events.into_iter().partition(|e| on_chain(&state.ledger.timelines, end, (e.seq, e.timeline)));
        let mut open = StepView::of(state.path.step.saturating_add(1), from, state.head.seq, &events);
        open.tell_ended(&left);
        fetch(&self.store, &mut open).await?;
        let filter = CallFilter { run: Some(run.clone()), limit: Some(CALLS), ..CallFilter::default() };
        let mut calls = self.store.calls(filter).await?;
        calls.sort_by_key(|call| std::cmp::Reverse((call.seq, call.position)));
        let counts = match calls.len() < CALLS {
            true => None,
            false => Some(self.store.call_counts(run).await?),
        };
        let asked = asked(&self.store, run, None).await?;
        let damage = loaded.damage;
        let view = RunView {
            state,
            damage,
            alive,
            calls,
            counts,
            checkpoints,
            steps,
            folds,
            open,
            asked,
            pending,
            queued,
            coming,
        };
        Ok(self.keep(run, &Arc::new(view)))
    }

    /// Whether what this run was is known: then that goes on being shown.
    fn has_read(&self, run: &RunId) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.run == *run)
    }

    fn keep(&mut self, run: &RunId, view: &Arc<RunView>) -> Arc<RunView> {
        self.kept = Some(Kept {
            run: run.clone(),
            timeline: view.state.head.timeline,
            head: view.state.head.seq,
            view: Arc::clone(view),
        });
        Arc::clone(view)
    }

    async fn more_checkpoints(
        &self,
        run: &RunId,
        before: &Arc<Vec<CheckpointRow>>,
    ) -> Result<Arc<Vec<CheckpointRow>>, StoreError> {
        // The newest one's count of files may have grown since; it is read again.
        let after =
            before.len().checked_sub(2).and_then(|at| before.get(at)).map_or(0, |row| row.checkpoint.seq);
        let more = self.store.checkpoints_after(run, after).await?;
        let old = before.iter().take_while(|row| row.checkpoint.seq <= after);
        Ok(Arc::new(old.cloned().chain(more).collect()))
    }
}

/// Whether others hold the store, which is no matter of the run.
fn is_busy(error: &InspectError) -> bool {
    matches!(error, InspectError::Store(error) if error.is_busy())
}

/// The committed steps of the present timeline that end after `after`.
fn spans(state: &RunState, checkpoints: &[CheckpointRow], after: Seq) -> Vec<StepSpan> {
    let end = (Seq::MAX, state.head.timeline);
    let mut spans: Vec<StepSpan> = Vec::new();
    let mut from = after + 1;
    for row in checkpoints {
        let point = &row.checkpoint;
        let here = on_chain(&state.ledger.timelines, end, (point.seq, point.timeline));
        if point.seq <= after || !here {
            continue;
        }
        match point.kind {
            CheckpointKind::Step => {
                spans.push(StepSpan { step: point.step, timeline: point.timeline, from, to: point.seq });
                from = point.seq + 1;
            }
            CheckpointKind::Start | CheckpointKind::End | CheckpointKind::BeforeRollback => {}
        }
    }
    spans
}

fn more_spans(
    state: &RunState,
    checkpoints: &[CheckpointRow],
    before: &Arc<Vec<StepSpan>>,
) -> Arc<Vec<StepSpan>> {
    let last = before.last().map_or(0, |span| span.to);
    let more = spans(state, checkpoints, last);
    if more.is_empty() {
        return Arc::clone(before);
    }
    Arc::new(before.iter().copied().chain(more).collect())
}

async fn fetch(store: &Store, view: &mut StepView) -> Result<(), StoreError> {
    let parts: Vec<&mut Text> = view.apart().filter(|text| text.is_part()).collect();
    for text in parts {
        read_part(store, text).await?;
    }
    Ok(())
}

/// Reads a text that lies apart, unless it is very long; a damaged one stays empty, as the rest can be shown.
async fn read_part(store: &Store, text: &mut Text) -> Result<(), StoreError> {
    if !text.is_part() || text.body.len() > APART {
        return Ok(());
    }
    match store.text(&text.body).await {
        Ok(whole) => text.shown = whole,
        Err(StoreError::NoBlob { .. } | StoreError::BadBlob { .. }) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

fn size(store: &Store) -> u64 {
    let log = {
        let mut name = store.path().as_os_str().to_owned();
        name.push("-wal");
        PathBuf::from(name)
    };
    [store.path(), log.as_path()]
        .iter()
        .filter_map(|path| std::fs::metadata(path).ok())
        .map(|m| m.len())
        .sum()
}
