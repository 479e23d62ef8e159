//! Workers of this process, a task for each run, and how they are stopped.

use crate::cli::app::{App, Failure};
use crate::cli::exit::Exit;
use crate::cli::line::engine_for;
use crate::provider::Delta;
use crate::run::event::{Event, NewEvent};
use crate::run::id::RunId;
use crate::run::state::{RunState, Status};
use crate::store::Store;
use crate::ui::app::beside::Unsaved;
use crate::ui::app::msg::{Msg, Piece};
use crate::ui::words;
use crate::worker::{Observer, Phase, Stay, Stop, WorkError, advance};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinHandle;

/// How long somebody who only writes a decision down may have a run.
const MOMENT: Duration = Duration::from_secs(1);

/// Time until what could not be saved is tried again by itself.
const AGAIN: Duration = Duration::from_secs(10);
/// Free space under which a file system has room for nothing, bytes.
const ROOM: u64 = 64 << 10;

/// A run that is worked at.
struct Job {
    /// True: save and stop.
    stop: watch::Sender<bool>,
    /// True: stop once a step is whole, or nothing is in flight.
    soft: Arc<AtomicBool>,
    /// What could not be saved is to be tried again now.
    again: Arc<Notify>,
    task: JoinHandle<()>,
    /// Its other end is dropped when the task ends.
    done: watch::Receiver<()>,
}

/// The workers of this process.
#[derive(Clone)]
pub struct Workers {
    app: App,
    store: Store,
    tell: mpsc::Sender<Msg>,
    jobs: Arc<Mutex<HashMap<RunId, Job>>>,
    /// What is said when the screen is gone.
    left: Arc<Mutex<Vec<String>>>,
}

impl Workers {
    /// None at work.
    pub fn new(app: App, store: Store, tell: mpsc::Sender<Msg>) -> Self {
        Self { app, store, tell, jobs: Arc::default(), left: Arc::default() }
    }

    fn jobs(&self) -> std::sync::MutexGuard<'_, HashMap<RunId, Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this process works at the run.
    pub fn has(&self, run: &RunId) -> bool {
        self.jobs().get(run).is_some_and(|job| !job.task.is_finished())
    }

    /// The runs that this process works at.
    pub fn at_work(&self) -> Vec<RunId> {
        self.jobs().iter().filter(|(_, job)| !job.task.is_finished()).map(|(run, _)| run.clone()).collect()
    }

    /// Works at a run until it ends, if nobody living has it.
    pub fn work(&self, run: RunId) {
        let mut jobs = self.jobs();
        if jobs.get(&run).is_some_and(|job| !job.task.is_finished()) {
            return;
        }
        let (stop, stopped) = watch::channel(false);
        let soft = Arc::new(AtomicBool::new(false));
        let again = Arc::new(Notify::new());
        let observer = Arc::new(Seen {
            tell: self.tell.clone(),
            soft: soft.clone(),
            stop: stop.clone(),
            unsaved: AtomicBool::new(false),
        });
        let retry = again.clone();
        let (me, id) = (self.clone(), run.clone());
        let (doing, done) = watch::channel(());
        let task = tokio::spawn(async move {
            let _doing = doing;
            let _ = me.tell.send(Msg::Working(id.clone(), true, None)).await;
            let why = me.one(&id, observer, stopped, &retry).await.err().map(|failure| failure.message);
            if let Some(why) = &why {
                me.failed(&id, why.clone());
            }
            let _ = me.tell.send(Msg::Working(id.clone(), false, why)).await;
        });
        jobs.insert(run, Job { stop, soft, again, task, done });
    }

    /// Tries again now what could not be saved.
    pub fn retry(&self, run: &RunId) {
        if let Some(job) = self.jobs().get(run) {
            job.again.notify_one();
        }
    }

    /// Waits after a full disk: until a person says so, a while, or the stop. False: to be stopped.
    async fn full(&self, run: &RunId, seen: &Seen, stop: &mut watch::Receiver<bool>, again: &Notify) -> bool {
        seen.unsaved.store(true, Ordering::Relaxed);
        let at = self.app.now() + i64::try_from(AGAIN.as_millis()).unwrap_or(0);
        let _ = self.tell.send(Msg::Unsaved(run.clone(), Some(Unsaved { again: at }))).await;
        tokio::select! {
            () = again.notified() => {}
            () = tokio::time::sleep(AGAIN) => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
        // Asked to stop at a checkpoint: none comes while nothing can be saved.
        !*stop.borrow() && !seen.soft.load(Ordering::Relaxed)
    }

    async fn one(
        &self,
        run: &RunId,
        observer: Arc<Seen>,
        mut stop: watch::Receiver<bool>,
        again: &Notify,
    ) -> Result<(), Failure> {
        let state = self.store.load(run).await?.state;
        let config = self.app.config(&state.ledger.workspace)?;
        let (engine, _identity) = loop {
            match engine_for(&self.app, &config, &self.store, observer.clone(), stop.clone()) {
                // The worker's lock is a file beside the database.
                Err(failure) if failure.exit == Exit::Storage && no_room(self.store.dir()) => {
                    if !self.full(run, &observer, &mut stop, again).await {
                        return Err(failure);
                    }
                }
                made => break made?,
            }
        };
        let begun = Instant::now();
        loop {
            let stop = match advance(&engine, run, Stay::ThroughWaits).await {
                Err(error) if is_full(&error) => {
                    if !self.full(run, &observer, &mut stop, again).await {
                        return Err(error.into());
                    }
                    continue;
                }
                // Others hold the store: nothing was written, and it goes on as soon as they let go.
                Err(WorkError::Store(error)) if error.is_busy() && !engine.stopping() => {
                    let _ = self.tell.send(Msg::Stale(error.to_string())).await;
                    continue;
                }
                stop => stop?,
            };
            match stop {
                // Whoever decided something elsewhere holds the run for a moment, to write it down.
                Stop::HeldBy(_) if begun.elapsed() < MOMENT && !engine.stopping() => {
                    tokio::time::sleep(Duration::from_millis(30)).await;
                    if self.is_over(run).await? {
                        return Ok(());
                    }
                }
                Stop::HeldBy(_) | Stop::Ended(_) | Stop::Waiting(_) | Stop::Paused | Stop::Interrupted => {
                    return Ok(());
                }
                Stop::ReadOnly => {
                    return Err(Failure::usage(
                        "a newer wakeful wrote this run; here it can only be looked at",
                    ));
                }
                Stop::Damaged(damage) => {
                    return Err(crate::store::StoreError::Damaged { run: run.clone(), damage }.into());
                }
            }
        }
    }

    /// Whether the run has ended, and nothing is asked that could reopen it.
    async fn is_over(&self, run: &RunId) -> Result<bool, Failure> {
        let ended = matches!(self.store.load(run).await?.state.status(), Status::Ended(_));
        Ok(ended && self.store.pending(run).await?.is_empty())
    }

    /// Lets all workers save and stop: now, or when their step is whole; returns when they have.
    pub async fn stop(&self, now: bool) {
        for job in self.jobs().values() {
            job.soft.store(true, Ordering::Relaxed);
        }
        let runs: Vec<RunId> = self.jobs().keys().cloned().collect();
        for run in runs {
            // What stands still has no step to wait for.
            let at_once = now || self.store.load(&run).await.is_ok_and(|loaded| is_still(&loaded.state));
            if at_once && let Some(job) = self.jobs().get(&run) {
                job.stop.send_replace(true);
            }
        }
        let waits: Vec<_> = self.jobs().values().map(|job| job.done.clone()).collect();
        for mut done in waits {
            // Fails once the task is over, however it ended.
            while done.changed().await.is_ok() {}
        }
    }

    /// Remembers why a run was left, to be said once the screen is gone.
    pub fn failed(&self, run: &RunId, why: String) {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{run}: {why}"));
    }

    /// Remembers something, to be said once the screen is gone.
    pub fn say(&self, line: String) {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// Remembers that a run goes on without a screen, to be said once this one is gone.
    pub async fn handed_over(&self, store: &Store, run: &RunId) {
        let title = store.load(run).await.map(|loaded| loaded.state.ledger.title.clone()).unwrap_or_default();
        let line = format!("{run} goes on without a screen: {title}. `wakeful` brings you back to it.");
        self.left.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// What is to be said now that the screen is gone.
    pub fn left(&self) -> Vec<String> {
        std::mem::take(&mut *self.left.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether a worker met a full disk.
fn is_full(error: &WorkError) -> bool {
    match error {
        WorkError::Store(error) => error.is_full(),
        WorkError::Host(error) => error.is_no_space(),
        WorkError::Fold(_)
        | WorkError::Workspace(_)
        | WorkError::HalfBack { .. }
        | WorkError::Model(_)
        | WorkError::Job(_)
        | WorkError::Stored(_) => false,
    }
}

/// Whether the file system of this folder has room for nothing.
fn no_room(folder: &std::path::Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|s| s.f_bavail.saturating_mul(s.f_frsize) < ROOM)
}

/// Whether nothing is in flight.
fn is_still(state: &RunState) -> bool {
    match state.status() {
        Status::Waiting(_) | Status::Paused | Status::Ended(_) => true,
        Status::Running => false,
    }
}

/// Passes on what a worker does.
struct Seen {
    tell: mpsc::Sender<Msg>,
    soft: Arc<AtomicBool>,
    stop: watch::Sender<bool>,
    /// The screen was told that the run could not be saved.
    unsaved: AtomicBool,
}

impl Observer for Seen {
    fn phase(&self, run: &RunId, phase: Phase) {
        let phase = match phase {
            Phase::Load => words::Phase::Load,
            Phase::Assemble => words::Phase::Assemble,
            Phase::Infer => words::Phase::Infer,
            Phase::Judge => words::Phase::Judge,
            Phase::Act => words::Phase::Act,
            Phase::Commit => words::Phase::Commit,
        };
        // A full queue: the screen has enough to do, and the store tells it the rest.
        let _ = self.tell.try_send(Msg::Phase(run.clone(), phase));
    }

    fn delta(&self, run: &RunId, delta: &Delta) {
        let piece = match delta {
            Delta::Text(text) => Piece::Text(text.clone()),
            Delta::Reasoning(text) => Piece::Thought(text.clone()),
            Delta::CallName { .. } | Delta::CallArgs { .. } => Piece::Call,
        };
        let _ = self.tell.try_send(Msg::Piece(run.clone(), piece));
    }

    fn committed(&self, state: &RunState, events: &[NewEvent]) {
        if self.unsaved.swap(false, Ordering::Relaxed)
            && self.tell.try_send(Msg::Unsaved(state.run.clone(), None)).is_err()
        {
            // Said with the next commit.
            self.unsaved.store(true, Ordering::Relaxed);
        }
        let whole = events.iter().any(|new| matches!(new.event, Event::StepCommitted { .. }));
        if (whole || is_still(state)) && self.soft.load(Ordering::Relaxed) {
            self.stop.send_replace(true);
        }
    }
}
