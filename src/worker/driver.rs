//! One run under one worker: asks [`next`](crate::agent::next) and performs the answer, until the run ends or waits.

use super::batch::Batch;
use super::engine::{Engine, Phase};
use super::error::WorkError;
use crate::agent::{self, Hands, Next, Wait};
use crate::host::clock;
use crate::host::fault::fault;
use crate::provider::Provider;
use crate::run::call::Call;
use crate::run::control::Author;
use crate::run::event::{Event, Hold, NewEvent};
use crate::run::id::{CallId, Millis, RunId, WorkerId};
use crate::run::report::Outcome;
use crate::run::settings::Settings;
use crate::run::state::{RunState, Status, WaitWhy};
use crate::store::{Claim, Commit, Damage, Durability, InboxId, StoreError};
use crate::tokens::{self, Cached, Counter, Estimate};
use crate::tool::{Registry, ShellLimits};
use crate::workspace::Workspace;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Why a worker let go of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// It is over.
    Ended(Outcome),
    /// It waits for a person.
    Waiting(WaitWhy),
    /// It is paused.
    Paused,
    /// The process was asked to stop; everything is saved.
    Interrupted,
    /// A newer program wrote it.
    ReadOnly,
    /// Another worker has it.
    HeldBy(WorkerId),
    /// Its journal is damaged.
    Damaged(Damage),
}

/// How long to stay at a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stay {
    /// Until it ends or waits for a person.
    UntilWait,
    /// Until it ends or waits for a person alone: what will be decided by default is waited for.
    UntilPerson,
    /// Through waits, until it ends.
    ThroughWaits,
    /// Only until what was asked of it is done: controls, a cancel, a rollback.
    Settle,
}

impl Stay {
    fn hands(self) -> Hands {
        match self {
            Stay::UntilWait | Stay::UntilPerson | Stay::ThroughWaits => Hands::Working,
            Stay::Settle => Hands::Settling,
        }
    }
}

/// A run in the hands of a worker.
pub(super) struct Driver<'e> {
    pub engine: &'e Engine,
    pub run: RunId,
    pub state: Arc<RunState>,
    /// None while the folder cannot be opened: the run can be decided about and ended, and not more.
    pub folder: Option<Arc<Workspace>>,
    pub counter: Cached,
    /// The tokenizer of the settings, once it is known to be there.
    pub counted_by: String,
    pub provider: Option<Arc<dyn Provider>>,
    /// The model for summaries, once it was asked for.
    pub beside: Option<super::beside::Beside>,
    /// What had come of a reply that broke off, until that is recorded.
    pub partial: String,
    /// Takes keys out of what is stored.
    pub masks: super::masking::Masks,
    /// Texts in the window.
    pub texts: crate::store::TextCache,
    /// Arguments by call and hash, so that a reply's calls are not read back from the store.
    pub args: HashMap<(CallId, String), String>,
    /// Commands that are being ended because a person asked for it.
    pub stopped: std::collections::BTreeSet<CallId>,
    /// How long the default of a decision is off.
    pub left: Option<super::default::Left>,
    /// The tools, with the settings that they were made of.
    tools: Option<(Arc<Settings>, Arc<Registry>)>,
}

/// Owns the run if nobody living does, advances it as far as `stay` says, and gives it back.
///
/// # Errors
/// [`WorkError`] for what is no fact of the run: the store, the folder, the configuration.
pub async fn advance(engine: &Engine, run: &RunId, stay: Stay) -> Result<Stop, WorkError> {
    let loaded = match engine.store.claim(run, &engine.worker, engine.now()).await? {
        Claim::HeldBy { worker, .. } => return Ok(Stop::HeldBy(worker)),
        Claim::Owned(loaded) => loaded,
    };
    if let Some(damage) = loaded.damage {
        return Ok(Stop::Damaged(damage));
    }
    if loaded.state.ledger.unknown > 0 {
        return Ok(Stop::ReadOnly);
    }
    fault("worker.claimed");
    let claimed = Event::RunClaimed { epoch: loaded.state.ledger.epoch, worker: engine.worker.clone() };
    observe(engine, &loaded.state, claimed);
    engine.observer.phase(run, Phase::Load);
    let counter = counter_of(&loaded.state);
    let mut driver = Driver {
        engine,
        run: run.clone(),
        folder: open_folder(engine, &loaded.state).ok(),
        state: loaded.state,
        counter: Cached::new(counter),
        counted_by: String::new(),
        provider: None,
        beside: None,
        partial: String::new(),
        masks: super::masking::Masks::new(engine.models.keys(), &engine.secrets),
        texts: crate::store::TextCache::default(),
        args: HashMap::new(),
        stopped: std::collections::BTreeSet::new(),
        left: None,
        tools: None,
    };
    let stop = driver.work(stay).await;
    let epoch = driver.state.ledger.epoch;
    match stop {
        Ok(stop) => {
            let state = engine.store.release(run, epoch, engine.now()).await?;
            fault("worker.released");
            observe(engine, &state, Event::RunReleased { epoch });
            if let Some(vectors) = engine.vectors.as_ref().filter(|_| !engine.stopping()) {
                vectors.finish().await;
            }
            Ok(stop)
        }
        // Somebody else took the run: nothing of ours can be written any more.
        Err(WorkError::Store(StoreError::Stale { .. })) => {
            let owner = engine.store.load(run).await?.state.ledger.owner.clone();
            Ok(Stop::HeldBy(owner.map_or_else(|| WorkerId::new("another worker"), |o| o.worker)))
        }
        Err(error) => {
            // The disk may be full: the lock goes with the process, so a failed release costs nothing.
            if let Ok(state) = engine.store.release(run, epoch, engine.now()).await {
                observe(engine, &state, Event::RunReleased { epoch });
            }
            Err(error)
        }
    }
}

/// Tells the observer of an event that the store wrote by itself.
fn observe(engine: &Engine, state: &RunState, event: Event) {
    engine.observer.committed(state, &[NewEvent { author: Author::Wakeful, event }]);
}

fn open_folder(engine: &Engine, state: &RunState) -> Result<Arc<Workspace>, WorkError> {
    let own = engine.own_files.iter().cloned().chain([engine.store.path().to_owned()]);
    Ok(Arc::new(Workspace::open(&state.ledger.workspace)?.guarding(own)))
}

/// The counter that a run's settings name.
pub(crate) fn counter_of(state: &RunState) -> Arc<dyn Counter> {
    state.settings().map_or_else(|| Arc::new(Estimate) as Arc<dyn Counter>, |s| tokens::counter_of(&s.model))
}

/// The tools that a run's settings offer, for reading and validating arguments.
pub fn registry_of(settings: &Settings) -> Registry {
    let shell = ShellLimits { max_s: settings.limits.shell_timeout_max_s, ..ShellLimits::default() };
    Registry::new(shell).only(|name| settings.tools.iter().any(|tool| tool.name == name))
}

impl Driver<'_> {
    pub fn settings(&self) -> Result<&Arc<Settings>, WorkError> {
        self.state
            .ledger
            .settings
            .as_ref()
            .ok_or_else(|| WorkError::Stored("the run has no settings".to_owned()))
    }

    /// The run's folder.
    ///
    /// # Errors
    /// If it cannot be opened, or is no longer the one that was.
    pub fn workspace(&self) -> Result<Arc<Workspace>, WorkError> {
        match &self.folder {
            Some(folder) => {
                folder.still_there()?;
                Ok(folder.clone())
            }
            None => open_folder(self.engine, &self.state),
        }
    }

    pub fn batch(&self) -> Batch {
        Batch::new(self.state.clone(), self.engine.now())
    }

    /// Counts a text; the same text is counted once.
    pub fn count(&self, text: &str) -> u32 {
        self.counter.count(text)
    }

    /// The run's tools.
    pub fn registry(&mut self) -> Result<Arc<Registry>, WorkError> {
        let settings = self.settings()?.clone();
        if let Some((of, registry)) = &self.tools
            && Arc::ptr_eq(of, &settings)
        {
            return Ok(registry.clone());
        }
        let registry = Arc::new(registry_of(&settings));
        self.tools = Some((settings, registry.clone()));
        Ok(registry)
    }

    /// Commits a batch, if there is something in it.
    pub async fn commit(&mut self, batch: Batch, durability: Durability) -> Result<(), WorkError> {
        self.commit_taking(batch, durability, Vec::new()).await
    }

    /// Commits a batch that answers inbox rows.
    pub async fn commit_taking(
        &mut self,
        batch: Batch,
        durability: Durability,
        taken: Vec<InboxId>,
    ) -> Result<(), WorkError> {
        if batch.is_empty() && taken.is_empty() {
            return Ok(());
        }
        let spools = self.settled_spools(&batch);
        let events = batch.events.clone();
        let commit = Commit {
            run: self.run.clone(),
            expected: self.state.head.clone(),
            epoch: self.state.ledger.epoch,
            now: batch.now,
            events: batch.events,
            bag: batch.bag,
            durability,
            taken,
        };
        fault("worker.before_commit");
        let before = self.settings().ok().cloned();
        self.state = self.engine.store.commit(commit).await?;
        fault("worker.after_commit");
        if let (Some(before), Ok(now)) = (before, self.settings().cloned())
            && !Arc::ptr_eq(&before, &now)
        {
            self.settings_changed(&before, &now);
        }
        let remembers = events.iter().any(|new| new.event.remembers().is_some());
        if let Some(vectors) = self.engine.vectors.as_ref().filter(|_| remembers) {
            vectors.wake();
        }
        self.engine.observer.committed(&self.state, &events);
        self.texts.committed((self.state.head.seq + 1).saturating_sub(events.len() as u64), events);
        if !spools.is_empty() {
            let root = self.engine.store.dir().join("spool");
            tokio::task::spawn_blocking(move || {
                spools.iter().for_each(|s| super::shell_call::remove_spool(&root, s))
            })
            .await?;
        }
        Ok(())
    }

    /// What was made of the settings before is made anew where they differ.
    fn settings_changed(&mut self, before: &Settings, now: &Settings) {
        if before.model.tokenizer != now.model.tokenizer {
            self.counter = Cached::new(counter_of(&self.state));
        }
        let place = |s: &Settings| (s.model.profile.clone(), s.model.base_url.clone(), s.model.model.clone());
        if place(before) != place(now) {
            self.provider = None;
        }
        if before.summary_model != now.summary_model {
            self.beside = None;
        }
    }

    /// Spools whose verdict this batch holds.
    fn settled_spools(&self, batch: &Batch) -> Vec<String> {
        let ids = batch.events.iter().filter_map(|new| {
            let (Event::CallFinished { call_id, .. }
            | Event::CallNotStarted { call_id, .. }
            | Event::CallResolved { call_id, .. }) = &new.event
            else {
                return None;
            };
            Some(call_id)
        });
        let shells =
            ids.filter_map(|id| self.state.open_call(id)).filter(|c| c.tool == "shell" && c.spool_epoch > 0);
        shells.map(Call::spool).collect()
    }

    async fn work(&mut self, stay: Stay) -> Result<Stop, WorkError> {
        self.sweep().await?;
        // A run that is over is read for once it goes on.
        let mut unread = stay != Stay::Settle && self.folder.is_some();
        loop {
            if self.engine.stopping() {
                return self.interrupted().await;
            }
            // One moment for both: what is done next is what a message was taken, or left, for.
            let now = self.engine.now();
            self.take_controls(now, stay.hands()).await?;
            let ledger = &self.state.ledger;
            if unread && ledger.ended.is_none() && ledger.rollback.is_none() {
                self.read_instructions().await?;
                unread = false;
            }
            let next = agent::next(&self.state, now);
            if stay == Stay::Settle && !settling(&next) {
                return Ok(self.where_it_stands());
            }
            // What was asked is done without the folder; work is not.
            if !settling(&next) && self.state.ledger.ended.is_none() {
                self.workspace()?;
            }
            if let Some(stop) = self.perform(next, now, stay).await? {
                return Ok(stop);
            }
        }
    }

    async fn perform(&mut self, next: Next, now: Millis, stay: Stay) -> Result<Option<Stop>, WorkError> {
        match next {
            Next::Ended | Next::ReadOnly => return Ok(Some(self.where_it_stands())),
            Next::CloseModelCall => self.close_model_call("the worker that asked is gone").await?,
            Next::ContinueRollback => self.continue_rollback().await?,
            Next::Judge(_) | Next::Start(_) => {
                let batch = self.batch();
                self.run_calls(batch).await?;
            }
            Next::Attend { calls, stop } => self.attend(&calls, stop).await?,
            Next::GiveUp(calls) => self.give_up(&calls, self.given_up_for()).await?,
            Next::CommitStep(step) => {
                self.engine.observer.phase(&self.run, Phase::Commit);
                let mut batch = self.batch();
                batch.push(Event::StepCommitted { step })?;
                self.commit(batch, Durability::Synced).await?;
            }
            Next::CallModel { purpose, attempt, .. } => self.call_model(purpose, attempt).await?,
            Next::Check(index) => self.check(index).await?,
            Next::ReturnClaim(why) => self.return_claim(&why).await?,
            Next::Hold(why) => self.hold(why).await?,
            Next::Wait(wait) => return self.wait(wait, now, stay).await,
            Next::WrapUp(outcome, reason) => self.wrap_up(outcome, &reason).await?,
        }
        Ok(None)
    }

    async fn wait(&mut self, wait: Wait, now: Millis, stay: Stay) -> Result<Option<Stop>, WorkError> {
        let left = self.default_left(now);
        if left.as_ref().is_some_and(|left| left.at(clock::read().boot_ms).is_zero()) {
            self.take_default().await?;
            return Ok(None);
        }
        let until = match wait {
            Wait::Until(at) => Some(Duration::from_millis(u64::try_from(at - now).unwrap_or(0))),
            Wait::Person(_) if stay == Stay::UntilPerson && left.is_some() => None,
            Wait::Person(_) | Wait::Paused if stay != Stay::ThroughWaits => {
                return Ok(Some(self.where_it_stands()));
            }
            Wait::Person(_) | Wait::Paused => None,
        };
        let mut watch = self.engine.store.watch().await?;
        if !self.asked(now, stay.hands()).await?.is_empty() {
            return Ok(None);
        }
        let timer = async {
            match (until, &left) {
                (Some(time), _) => tokio::time::sleep(time).await,
                (None, Some(left)) => left.passed().await,
                (None, None) => std::future::pending().await,
            }
        };
        tokio::select! {
            () = watch.changed() => {}
            () = self.engine.stopped() => {}
            () = timer => {}
        }
        Ok(None)
    }

    /// Why the worker would let go now.
    pub fn where_it_stands(&self) -> Stop {
        if self.state.ledger.unknown > 0 {
            return Stop::ReadOnly;
        }
        match self.state.status() {
            Status::Ended(outcome) => Stop::Ended(outcome),
            Status::Paused => Stop::Paused,
            Status::Waiting(why) => Stop::Waiting(why),
            Status::Running => Stop::Interrupted,
        }
    }

    /// The process is to stop: what is open is recorded, running commands go on under their supervisors.
    async fn interrupted(&mut self) -> Result<Stop, WorkError> {
        if matches!(self.state.path.turn, crate::run::state::Turn::Asking(_)) {
            self.close_model_call("the process was asked to stop").await?;
        }
        Ok(Stop::Interrupted)
    }

    async fn hold(&mut self, why: Hold) -> Result<(), WorkError> {
        let mut batch = self.batch();
        batch.push(Event::Held { why })?;
        self.commit(batch, Durability::Synced).await
    }
}

/// True for what has to be done before a settled run can be let go.
fn settling(next: &Next) -> bool {
    match next {
        Next::CloseModelCall | Next::ContinueRollback | Next::GiveUp(_) | Next::Attend { stop: true, .. } => {
            true
        }
        Next::WrapUp(Outcome::Cancelled, _) => true,
        Next::WrapUp(Outcome::Completed | Outcome::Limit(_) | Outcome::Failed(_), _)
        | Next::Ended
        | Next::ReadOnly
        | Next::Judge(_)
        | Next::Start(_)
        | Next::Attend { stop: false, .. }
        | Next::CommitStep(_)
        | Next::CallModel { .. }
        | Next::Check(_)
        | Next::ReturnClaim(_)
        | Next::Hold(_)
        | Next::Wait(_) => false,
    }
}
