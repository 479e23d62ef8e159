//! Calls from approval to result: prepare, commit that they start, perform, record what came of it.
//!
//! What a commit can carry it carries: the results of one call and the start of the next, or the end of the step, are
//! one transaction. An `effect` never begins before the commit that says so.

use super::batch::Batch;
use super::driver::Driver;
use super::engine::Phase;
use super::error::WorkError;
use super::judge::{error_text, problem};
use super::masking::percent_encoded;
use super::read_call::{perform, timed_out};
use crate::agent::policy::Problem;
use crate::agent::{self, Hands, Next};
use crate::host::environment::secret_names;
use crate::host::fault::fault;
use crate::host::spool::Spool;
use crate::run::body::Body;
use crate::run::call::{Call, CallStatus};
use crate::run::checkpoint::FileChange;
use crate::run::event::Event;
use crate::run::id::CallId;
use crate::run::plan::InnerEffect;
use crate::run::settings::Class;
use crate::store::{Durability, StoreError};
use crate::tool::{self, Captured, Output, Prepared, ToolError, ToolResult};
use crate::workspace::images;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a call was given up that a rollback leaves behind.
pub(super) const ROLLED_BACK: &str = "the run was rolled back";

/// A started call with what performing it needs.
pub(super) enum Job {
    /// A read or request.
    Read(Call, tool::Call),
    /// A file write that was looked at.
    Write(Call, Box<Prepared>),
    /// A command whose spool is ready.
    Shell(Call, Spool),
}

/// What came of a call.
pub(super) struct Outcome {
    pub call: Call,
    pub ok: bool,
    pub kind: Option<String>,
    pub text: String,
    pub output: Option<Vec<u8>>,
    pub ms: u64,
    pub inner: Option<InnerEffect>,
}

impl Outcome {
    pub fn of(call: Call, result: ToolResult, ms: u64) -> Self {
        match result {
            Ok(Output { text, raw, .. }) => {
                Self { call, ok: true, kind: None, text, output: raw, ms, inner: None }
            }
            Err(error) => {
                let kind = Some(error.kind.clone());
                Self {
                    call,
                    ok: false,
                    kind,
                    text: error_text(&problem(error)),
                    output: None,
                    ms,
                    inner: None,
                }
            }
        }
    }
}

/// What performing some calls came to.
pub(super) enum Performed {
    /// All have an outcome in the batch.
    Recorded(Box<Batch>),
    /// The process is to stop; the calls stay started.
    Interrupted,
}

impl Driver<'_> {
    /// Judges, starts, performs and records calls as long as `next` asks for that, then commits what is left.
    pub async fn run_calls(&mut self, mut batch: Batch) -> Result<(), WorkError> {
        loop {
            let next = agent::next(batch.state(), batch.now);
            if matches!(next, Next::Judge(_) | Next::Start(_))
                && let Err(error) = self.workspace()
            {
                // What was done so far stands, whatever became of the folder.
                self.commit(batch, Durability::Unsynced).await?;
                return Err(error);
            }
            match next {
                Next::Judge(ids) => {
                    for id in &ids {
                        self.judge_into(&mut batch, id).await?;
                    }
                }
                Next::Start(ids) if !self.engine.stopping() => {
                    self.engine.observer.phase(&self.run, Phase::Act);
                    let jobs = self.prepare(&mut batch, &ids).await?;
                    if jobs.is_empty() {
                        continue;
                    }
                    fault("worker.prepared");
                    self.commit_start(batch, &jobs).await?;
                    fault("worker.started");
                    match self.perform_jobs(jobs).await? {
                        Performed::Recorded(next) => {
                            fault("worker.performed");
                            batch = *next;
                        }
                        Performed::Interrupted => return Ok(()),
                    }
                    if !self.asked(self.engine.now(), Hands::Working).await?.is_empty() {
                        return self.commit(batch, Durability::Unsynced).await;
                    }
                }
                Next::CommitStep(step) => {
                    self.engine.observer.phase(&self.run, Phase::Commit);
                    batch.push(Event::StepCommitted { step })?;
                    return self.commit(batch, Durability::Synced).await;
                }
                Next::Start(_)
                | Next::Ended
                | Next::ReadOnly
                | Next::CloseModelCall
                | Next::ContinueRollback
                | Next::Attend { .. }
                | Next::GiveUp(_)
                | Next::CallModel { .. }
                | Next::Check(_)
                | Next::ReturnClaim(_)
                | Next::Hold(_)
                | Next::Wait(_)
                | Next::WrapUp(..) => return self.commit(batch, Durability::Unsynced).await,
            }
        }
    }

    /// Commits the start of calls. Where somebody else owns the run by now nobody will ever drive their spools; after any
    /// other error the commit may still turn out to stand, so they stay.
    async fn commit_start(&mut self, batch: Batch, jobs: &[Job]) -> Result<(), WorkError> {
        let done = self.commit(batch, Durability::Unsynced).await;
        if let Err(WorkError::Store(StoreError::Stale { .. })) = &done {
            for job in jobs {
                if let Job::Shell(_, spool) = job {
                    // One that stays is swept the next time the run is owned.
                    let _ = spool.remove();
                }
            }
        }
        done
    }

    /// Pushes the start of each call, with everything made ready that has to be on disk before it.
    async fn prepare(&mut self, batch: &mut Batch, ids: &[CallId]) -> Result<Vec<Job>, WorkError> {
        let mut jobs = Vec::new();
        for id in ids {
            let Some(call) = batch.state().open_call(id).cloned() else { continue };
            // Another process may start it than the one that judged it, in another environment.
            if let Some(error) = self.secret_problem(&call).await? {
                self.reject(batch, &call, problem(error))?;
                continue;
            }
            match self.typed(&call).await? {
                Ok(typed) => {
                    let denied = self.denied_now(&call, &typed, &*self.workspace()?)?;
                    if let Some(problem) = denied {
                        self.reject(batch, &call, problem)?;
                    } else if let Some(job) = self.prepare_one(batch, call, typed).await? {
                        jobs.push(job);
                    }
                }
                // The tools changed since the approval.
                Err(error) => self.reject(batch, &call, problem(error))?,
            }
        }
        Ok(jobs)
    }

    async fn prepare_one(
        &mut self,
        batch: &mut Batch,
        call: Call,
        typed: tool::Call,
    ) -> Result<Option<Job>, WorkError> {
        let job = match typed {
            tool::Call::Shell(args) => {
                let spool = match self.prepare_spool(&call, &args).await? {
                    Ok(spool) => spool,
                    // The folder changed since the call was judged.
                    Err(error) => {
                        self.reject(batch, &call, problem(error))?;
                        return Ok(None);
                    }
                };
                self.start(batch, &call, Vec::new())?;
                Job::Shell(self.started(batch, &call), spool)
            }
            tool::Call::WriteFile(args) => {
                return self.prepare_write(batch, call, args.prepare(&*self.workspace()?));
            }
            tool::Call::EditFile(args) => {
                return self.prepare_write(batch, call, args.prepare(&*self.workspace()?));
            }
            tool::Call::Note(args) => {
                match args.about(&batch.state().path.questions) {
                    Ok(args) => self.inner(batch, call, args.effect(), "noted")?,
                    Err(error) => self.reject(batch, &call, problem(error))?,
                }
                return Ok(None);
            }
            tool::Call::Plan(args) => {
                self.plan(batch, call, args)?;
                return Ok(None);
            }
            tool::Call::Remember(args) => {
                let inner = args.effect(&self.run, &self.state.ledger.workspace);
                self.inner(batch, call, inner, "remembered")?;
                return Ok(None);
            }
            // Questions are answered and never started.
            tool::Call::AskPerson(_) | tool::Call::Decide(_) => return Ok(None),
            read @ (tool::Call::ReadFile(_)
            | tool::Call::ListFiles(_)
            | tool::Call::Search(_)
            | tool::Call::HttpGet(_)
            | tool::Call::Recall(_)) => {
                self.start(batch, &call, Vec::new())?;
                Job::Read(self.started(batch, &call), read)
            }
        };
        Ok(Some(job))
    }

    fn prepare_write(
        &mut self,
        batch: &mut Batch,
        call: Call,
        prepared: Result<Prepared, ToolError>,
    ) -> Result<Option<Job>, WorkError> {
        let prepared = match prepared {
            Ok(prepared) => prepared,
            // It does not fit the file as the calls before it, or others, left it.
            Err(error) => {
                self.reject(batch, &call, problem(error))?;
                return Ok(None);
            }
        };
        // What a person approved is what they saw: the file as it was, and what would become of it.
        let now = &prepared.before.image.state;
        if call.shown.as_ref().is_some_and(|shown| !shown.same_content(now)) {
            let why =
                format!("{} is not as it was when this was approved: look at it again", prepared.path());
            batch.push(Event::CallWaiting { call_id: call.call_id, why, default: None })?;
            return Ok(None);
        }
        if let Some(bytes) = &prepared.before.bytes {
            batch.bag.raw(bytes.clone());
        }
        batch.bag.raw(prepared.content.clone());
        let change = FileChange {
            path: prepared.path().to_owned(),
            before: prepared.before.image.state.clone(),
            after: prepared.after.clone(),
            // What cannot be looked at now, the write will tell.
            made: self.workspace()?.missing_folders(prepared.path()).unwrap_or_default(),
        };
        self.start(batch, &call, vec![change])?;
        Ok(Some(Job::Write(self.started(batch, &call), Box::new(prepared))))
    }

    fn start(&self, batch: &mut Batch, call: &Call, files: Vec<FileChange>) -> Result<(), WorkError> {
        let epoch = self.state.ledger.epoch;
        batch.push(Event::CallStarted {
            call_id: call.call_id.clone(),
            attempt: call.attempt,
            epoch,
            files,
        })?;
        Ok(())
    }

    fn started(&self, batch: &Batch, call: &Call) -> Call {
        batch.state().open_call(&call.call_id).cloned().unwrap_or_else(|| call.clone())
    }

    /// An inner call: the event is the effect, so start and end are one commit.
    pub fn inner(
        &self,
        batch: &mut Batch,
        call: Call,
        inner: InnerEffect,
        said: &str,
    ) -> Result<(), WorkError> {
        self.start(batch, &call, Vec::new())?;
        let text = said.to_owned();
        let outcome = Outcome { call, ok: true, kind: None, text, output: None, ms: 0, inner: Some(inner) };
        self.record(batch, outcome)
    }

    pub fn reject(&self, batch: &mut Batch, call: &Call, problem: Problem) -> Result<(), WorkError> {
        let text = error_text(&problem);
        let kind = problem.kind;
        let result = self.result(batch, &call.tool, false, text);
        batch.push(Event::CallRejected { call_id: call.call_id.clone(), kind, result })?;
        Ok(())
    }

    /// Records the end of a started call.
    pub fn record(&self, batch: &mut Batch, outcome: Outcome) -> Result<(), WorkError> {
        let limit = usize::try_from(self.settings()?.limits.output_shown).unwrap_or(usize::MAX);
        let Outcome { call, ok, kind, mut text, mut output, ms, inner } = outcome;
        if text.len() > limit {
            let bytes = std::mem::take(&mut text).into_bytes();
            let limits = tool::Limits { head: limit / 3, tail: limit - limit / 3 };
            text = tool::decode_output(Captured::whole(&bytes), limits).text;
            output.get_or_insert(bytes);
        }
        if call.edited {
            text = format!("[a person changed the arguments of this call before it ran]\n{text}");
        }
        if call.may_have_happened && !ok {
            text.push_str(
                "\n[an earlier attempt of this call began and left no result: it may have happened]",
            );
        }
        let output = output.map(|bytes| {
            let bytes = self.masks.bytes(bytes);
            let len = bytes.len() as u64;
            Body::Blob { hash: batch.bag.raw(bytes), bytes: len }
        });
        let result = self.result(batch, &call.tool, ok, text);
        batch.push(Event::CallFinished {
            call_id: call.call_id,
            attempt: call.attempt,
            ok,
            kind,
            result,
            output,
            ms,
            inner,
        })?;
        Ok(())
    }

    /// Performs started calls: reads side by side, anything else alone.
    async fn perform_jobs(&mut self, jobs: Vec<Job>) -> Result<Performed, WorkError> {
        let mut reads = Vec::new();
        let mut outcomes = Vec::new();
        for job in jobs {
            match job {
                Job::Read(call, typed) => reads.push(self.read(call, typed)?),
                Job::Write(call, prepared) => outcomes.push(self.write(call, *prepared).await?),
                Job::Shell(call, spool) => {
                    return match self.follow(&call, &spool, false).await? {
                        Some(batch) => Ok(Performed::Recorded(Box::new(batch))),
                        None => Ok(Performed::Interrupted),
                    };
                }
            }
        }
        tokio::select! {
            done = futures::future::join_all(reads) => {
                for outcome in done {
                    outcomes.push(outcome?);
                }
            }
            () = self.engine.stopped() => return Ok(Performed::Interrupted),
        }
        let mut batch = self.batch();
        for outcome in outcomes {
            self.record(&mut batch, outcome)?;
        }
        Ok(Performed::Recorded(Box::new(batch)))
    }

    fn read(
        &self,
        call: Call,
        typed: tool::Call,
    ) -> Result<impl Future<Output = Result<Outcome, WorkError>> + Send + 'static, WorkError> {
        let workspace = self.workspace()?;
        let typed = self.filled(typed);
        let (store, run) = (self.engine.store.clone(), self.run.clone());
        let vectors = self.engine.vectors.clone();
        let time = self.settings().ok().and_then(|s| s.tool(&call.tool)).and_then(|t| t.timeout_ms);
        let time = Duration::from_millis(time.unwrap_or(30_000));
        Ok(async move {
            let begun = Instant::now();
            let stop = Arc::new(AtomicBool::new(false));
            let result = match tokio::time::timeout(
                time,
                perform(store, vectors, run, workspace, typed, stop.clone()),
            )
            .await
            {
                Ok(result) => result?,
                Err(_) => {
                    stop.store(true, Ordering::Relaxed);
                    Err(timed_out(&call.tool, time))
                }
            };
            Ok(Outcome::of(call, result, elapsed(begun)))
        })
    }

    /// A request with its secrets in their places, as they stand in an address.
    fn filled(&self, typed: tool::Call) -> tool::Call {
        let tool::Call::HttpGet(mut args) = typed else { return typed };
        for name in secret_names(&args.url) {
            if let Some(value) = self.engine.secrets.get(&name) {
                args.url = args.url.replace(&format!("${{secret:{name}}}"), &percent_encoded(value));
            }
        }
        tool::Call::HttpGet(args)
    }

    async fn write(&self, call: Call, prepared: Prepared) -> Result<Outcome, WorkError> {
        let begun = Instant::now();
        let workspace = self.workspace()?;
        let result = tokio::task::spawn_blocking(move || {
            fault("worker.before_write");
            let result = prepared.perform(&workspace);
            fault("worker.after_write");
            result
        })
        .await?;
        Ok(Outcome::of(call, result, elapsed(begun)))
    }

    /// Calls that are started and have no outcome: found after a kill, or still running under their supervisor.
    pub async fn attend(&mut self, ids: &[CallId], stop: bool) -> Result<(), WorkError> {
        for id in ids {
            let Some(call) = self.state.open_call(id).cloned() else { continue };
            if call.status != CallStatus::Started {
                continue;
            }
            self.engine.observer.phase(&self.run, Phase::Act);
            if call.tool == "shell" {
                let spool = self.spool_of(&call)?;
                self.reattach(&call).await?;
                match self.follow(&call, &spool, stop).await? {
                    Some(batch) => self.commit(batch, Durability::Unsynced).await?,
                    None => return Ok(()),
                }
                continue;
            }
            let mut batch = self.batch();
            match call.class {
                Class::Keyed | Class::Effect => self.probe_write(&mut batch, &call, stop).await?,
                Class::Read | Class::Inner | Class::Person => {
                    self.doubt(&mut batch, &call, "the worker that read it is gone", 0, stop)?;
                }
            }
            self.commit(batch, Durability::Unsynced).await?;
        }
        Ok(())
    }

    async fn reattach(&mut self, call: &Call) -> Result<(), WorkError> {
        let epoch = self.state.ledger.epoch;
        if call.epoch == epoch {
            return Ok(());
        }
        let mut batch = self.batch();
        batch.push(Event::CallReattached { call_id: call.call_id.clone(), epoch })?;
        self.commit(batch, Durability::Unsynced).await
    }

    /// A file write whose outcome was lost: its own content says what became of it.
    async fn probe_write(&mut self, batch: &mut Batch, call: &Call, stop: bool) -> Result<(), WorkError> {
        let changes = self.engine.store.file_changes(&self.run).await?;
        let Some(change) = changes.into_iter().rev().find(|c| c.call_id == call.call_id) else {
            return self.uncertain(batch, call, "what it was about to write is not recorded", 0);
        };
        let workspace = match self.workspace() {
            Ok(workspace) => workspace,
            Err(error) => return self.uncertain(batch, call, &error.to_string(), 0),
        };
        let now = match images::take(&workspace, &change.path) {
            Ok(taken) => taken.image.state,
            Err(error) => {
                return self.uncertain(batch, call, &format!("its file cannot be looked at: {error}"), 0);
            }
        };
        match tool::probe(&change.before, &change.after, &now) {
            tool::Probe::Done => {
                let text = format!("wrote {} (found done after an interruption)", change.path);
                let outcome = Outcome {
                    call: call.clone(),
                    ok: true,
                    kind: None,
                    text,
                    output: None,
                    ms: 0,
                    inner: None,
                };
                self.record(batch, outcome)
            }
            tool::Probe::NotRun => self.not_started(batch, call, "the worker died before the write", stop),
            tool::Probe::Unknown => {
                let why = format!(
                    "{} is neither as it was before this write nor as the write leaves it",
                    change.path
                );
                self.uncertain(batch, call, &why, 0)
            }
        }
    }

    /// The attempt is proven not to have begun: another one follows, unless it is one too many or given up.
    pub fn not_started(
        &self,
        batch: &mut Batch,
        call: &Call,
        why: &str,
        stop: bool,
    ) -> Result<(), WorkError> {
        let too_often = call.attempt >= crate::run::call::START_TRIES;
        let end = (stop || too_often).then(|| {
            let text = if stop {
                "cancelled before it started; it did not run".to_owned()
            } else {
                let tries = crate::run::call::START_TRIES;
                format!("error [not_started]: could not be started in {tries} tries: {why}\nwhat to do: try another way")
            };
            crate::run::event::NotStartedEnd { cancelled: stop, result: self.result(batch, &call.tool, false, text) }
        });
        batch.push(Event::CallNotStarted {
            call_id: call.call_id.clone(),
            attempt: call.attempt,
            why: why.to_owned(),
            end,
        })?;
        Ok(())
    }

    /// Why calls that were not started are given up at this point.
    pub fn given_up_for(&self) -> &'static str {
        let ledger = &self.state.ledger;
        match (ledger.cancelling, ledger.rollback.is_some()) {
            (true, _) => "the run was cancelled",
            (false, true) => ROLLED_BACK,
            (false, false) => "the goal was edited, so that this check is void",
        }
    }

    /// Gives up calls that were not started.
    pub async fn give_up(&mut self, ids: &[CallId], why: &str) -> Result<(), WorkError> {
        let mut batch = self.batch();
        for id in ids {
            let Some(call) = batch.state().open_call(id).cloned() else { continue };
            let result =
                self.result(&mut batch, &call.tool, false, format!("cancelled: {why}; it did not run"));
            batch.push(Event::CallCancelled { call_id: id.clone(), why: why.to_owned(), result })?;
        }
        self.commit(batch, Durability::Unsynced).await
    }
}

pub(super) fn elapsed(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX)
}
