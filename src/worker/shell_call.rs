//! Shell calls: the spool before the commit, the supervisor after it, the exit record to a result.

use super::batch::Batch;
use super::doubt::longest;
use super::driver::Driver;
use super::error::WorkError;
use super::tool_call::Outcome;
use crate::host::decide::{Controls, NotStarted, Verdict};
use crate::host::drive::drive;
use crate::host::output::{collect, follow};
use crate::host::record::{ExitKind, ExitRecord};
use crate::host::spool::{self, OUTPUT_LIMIT, Spec, Spool, SpoolName, StopReason};
use crate::host::{environment, process};
use crate::run::call::{Call, Origin};
use crate::run::control::Control;
use crate::run::event::Event;
use crate::run::id::CallId;
use crate::run::settings::Class;
use crate::store::{Durability, InboxRow};
use crate::tool::{self, Captured, Limits, ShellArgs, ToolError, decode_output};
use std::path::PathBuf;
use tokio::sync::watch;

/// Bytes of an output that are kept as a blob at most: half from its start, half from its end.
const KEPT: usize = tool::OUTPUT_KEPT as usize;

/// The variable by which a command with secrets reaches its shell.
const SCRIPT: &str = "WAKEFUL_SCRIPT";

/// True for a value that means the same to a shell wherever it stands, in quotes or out of them.
fn plain(value: &str) -> bool {
    value.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c))
}

impl Driver<'_> {
    /// Where the spools are.
    pub fn spool_root(&self) -> PathBuf {
        self.engine.store.dir().join("spool")
    }

    /// The spool of a call's present attempt.
    pub fn spool_of(&self, call: &Call) -> Result<Spool, WorkError> {
        let name = SpoolName::new(call.call_id.as_str(), call.attempt, call.spool_epoch)?;
        Ok(Spool::at(&self.spool_root(), &name)?)
    }

    /// Makes the spool of the attempt that is about to start (rule 1: before its commit). The inner error is the call's: its
    /// folder is not there, or not in the workspace.
    pub async fn prepare_spool(
        &self,
        call: &Call,
        args: &ShellArgs,
    ) -> Result<Result<Spool, ToolError>, WorkError> {
        let root = self.spool_root();
        let epoch = self.state.ledger.epoch;
        let workspace = self.workspace()?;
        let cwd = match &args.cwd {
            Some(folder) => match tool::folder(&workspace, folder) {
                Ok(real) => workspace.root().join(real),
                Err(error) => return Ok(Err(error)),
            },
            None => workspace.root().to_path_buf(),
        };
        let (script, env, secrets) = self.script(&args.command);
        let spec = Spec {
            name: SpoolName::new(call.call_id.as_str(), call.attempt, epoch)?,
            run: self.run.as_str().to_owned(),
            args_hash: call.args_hash.as_str().to_owned(),
            argv: vec!["/bin/sh".to_owned(), "-c".to_owned(), script],
            cwd,
            env,
            secrets,
            timeout_ms: args.timeout_s.unwrap_or(120).saturating_mul(1000),
            class: host_class(call.class),
            output_limit: OUTPUT_LIMIT,
            boot_id: process::boot_id().to_owned(),
        };
        Ok(Ok(tokio::task::spawn_blocking(move || spool::prepare(&root, &spec)).await??))
    }

    /// What the shell gets as its script, the environment, and the names of the secrets to be filled in there. A command
    /// line can be read by every user of the machine, so that a secret never stands in one: a command that names secrets
    /// reaches the shell by its environment. A value of plain characters stands in it as text; one that means something
    /// to a shell stands in a variable of its own.
    fn script(&self, command: &str) -> (String, Vec<(String, String)>, Vec<String>) {
        let known = &self.engine.secrets;
        let mut env = environment::command_env(std::env::vars_os(), &self.engine.env_allow);
        let mut names = environment::secret_names(command);
        // What a command may not see is also not stored in its spool; what it may see is filled in there too.
        env.retain_mut(|(variable, value)| {
            for (name, secret) in known.iter() {
                if value.contains(secret) {
                    if !self.engine.env_allow.contains(variable) {
                        return false;
                    }
                    *value = value.replace(secret, &format!("${{secret:{name}}}"));
                    names.push(name.to_owned());
                }
            }
            true
        });
        let mut text = command.to_owned();
        for name in environment::secret_names(command) {
            if !known.get(&name).is_some_and(plain) {
                let variable = format!("WAKEFUL_SECRET_{name}");
                text = text.replace(&format!("${{secret:{name}}}"), &format!("${{{variable}}}"));
                env.push((variable, format!("${{secret:{name}}}")));
            }
        }
        if environment::secret_names(command).is_empty() {
            names.sort();
            names.dedup();
            return (text, env, names);
        }
        env.push((SCRIPT.to_owned(), text));
        names.sort();
        names.dedup();
        (format!("wakeful_script=${SCRIPT}; unset {SCRIPT}; eval \"$wakeful_script\""), env, names)
    }

    /// Follows a started command to its verdict and puts that into a batch; none if the process is to stop first, a
    /// person pauses the run at once, or edits the goal that it checks: the command goes on, and is followed again, or
    /// stopped, when it is asked what comes next.
    pub async fn follow(
        &mut self,
        call: &Call,
        spool: &Spool,
        stop: bool,
    ) -> Result<Option<Batch>, WorkError> {
        let stop = stop.then_some(StopReason::Cancelled);
        let (wish, wishes) = watch::channel(Controls { stop, ..Controls::default() });
        let class = host_class(call.class);
        let engine = self.engine.clone();
        let drive = drive(spool, class, &engine.driver, &engine.secrets, wishes);
        tokio::pin!(drive);
        let mut changes = engine.store.watch().await?;
        // What was asked just before the watch began.
        let mut leave = self.heed(call, spool, &wish).await?;
        let verdict = loop {
            // One that is to be stopped is seen through.
            if leave && wish.borrow().stop.is_none() {
                return Ok(None);
            }
            tokio::select! {
                verdict = &mut drive => break verdict?,
                () = engine.stopped() => return Ok(None),
                () = changes.changed() => leave = self.heed(call, spool, &wish).await?,
            }
        };
        let mut batch = self.batch();
        self.record_verdict(&mut batch, call, spool, verdict, stop.is_some() || wish.borrow().stop.is_some())
            .await?;
        Ok(Some(batch))
    }

    /// Controls that reach a running command: cancel and rollback end it, an extension is passed on. True if it is to be
    /// left for now: a person pauses the run at once, or edits the goal, of which it may then be no check any more.
    async fn heed(
        &mut self,
        call: &Call,
        spool: &Spool,
        wish: &watch::Sender<Controls>,
    ) -> Result<bool, WorkError> {
        let (mut paused, mut edited) = (false, false);
        for row in self.engine.store.pending(&self.run).await? {
            match &row.control {
                Control::Cancel => wish.send_modify(|w| w.stop = Some(StopReason::Cancelled)),
                // Once a stop is on its way the rollback waits for it.
                Control::Rollback { .. } | Control::Redo if wish.borrow().stop.is_some() => {}
                Control::Rollback { .. } | Control::Redo => {
                    match self.rollback_refused(&row.control).await? {
                        Some(why) => self.refuse_row(&row, &why).await?,
                        None => wish.send_modify(|w| w.stop = Some(StopReason::Cancelled)),
                    }
                }
                Control::ExtendTimeout { call_id, more_ms } if *call_id == call.call_id => {
                    let time = self.extended(&row, spool, call_id, *more_ms).await?;
                    wish.send_modify(|w| w.timeout_ms = Some(time));
                }
                Control::StopCall { call_id } if *call_id == call.call_id => {
                    self.stopped.insert(call_id.clone());
                    wish.send_modify(|w| w.stop = Some(StopReason::Cancelled));
                }
                Control::Pause { now } => paused |= now,
                Control::Continue => paused = false,
                Control::EditGoal { .. } => edited |= matches!(call.origin, Origin::Check(_)),
                Control::Decide { .. }
                | Control::EditPlan { .. }
                | Control::SetLimits { .. }
                | Control::SetMode { .. }
                | Control::SetModel { .. }
                | Control::Message { .. }
                | Control::ExtendTimeout { .. }
                | Control::StopCall { .. } => {}
            }
        }
        Ok(paused || edited)
    }

    /// Records that a running command gets more time, and gives its time-out from here, milliseconds.
    pub(super) async fn extended(
        &mut self,
        row: &InboxRow,
        spool: &Spool,
        call_id: &CallId,
        more_ms: u64,
    ) -> Result<u64, WorkError> {
        let now = match spool.spec()? {
            Some(spec) => spool.timeout_ms(&spec)?,
            None => 0,
        };
        let mut batch = self.batch();
        let event = Event::TimeoutExtended { call_id: call_id.clone(), more_ms };
        batch.push_by(row.author.clone(), event)?;
        self.commit_taking(batch, Durability::Unsynced, vec![row.id]).await?;
        Ok(now.saturating_add(more_ms))
    }

    async fn record_verdict(
        &mut self,
        batch: &mut Batch,
        call: &Call,
        spool: &Spool,
        verdict: Verdict,
        stop: bool,
    ) -> Result<(), WorkError> {
        match verdict {
            Verdict::Ended(record) => {
                let outcome = self.outcome(call, spool, &record).await?;
                self.record(batch, outcome)
            }
            Verdict::NotStarted(why) => {
                let (why, stop) = match why {
                    NotStarted::Stopped => ("it was stopped before it began".to_owned(), true),
                    NotStarted::CouldNotStart { why } => (why, stop),
                    NotStarted::ClosedEarlier => ("it was closed before it began".to_owned(), stop),
                };
                self.not_started(batch, call, &why, stop)
            }
            Verdict::Uncertain { why } => self.uncertain(batch, call, &why, longest(spool)?),
            Verdict::RunAgain { why } => self.doubt(batch, call, &why, longest(spool)?, stop),
        }
    }

    /// What an attempt wrote of which nobody knows how it ended, as outputs are shown; none if nothing is there.
    pub(super) async fn left_behind(&self, call: &Call) -> Result<Option<String>, WorkError> {
        let root = self.engine.store.dir().join("spool");
        let spool = SpoolName::parse(&call.spool()).and_then(|name| Spool::at(&root, &name));
        let Ok(spool) = spool else { return Ok(None) };
        let limit = usize::try_from(self.settings()?.limits.output_shown).unwrap_or(usize::MAX);
        let read = move || {
            let total = std::fs::metadata(spool.file("out")).ok()?.len();
            let head = follow(&spool, 0, limit).ok()?;
            let rest = total.saturating_sub(head.len() as u64);
            let most = rest.min(limit as u64);
            let tail = follow(&spool, total - most, usize::try_from(most).unwrap_or(0)).ok()?;
            let captured = Captured { head: &head, tail: &tail, total };
            Some(decode_output(captured, Limits { head: limit / 3, tail: limit - limit / 3 }).text)
        };
        let text = tokio::task::spawn_blocking(read).await?;
        Ok(text.filter(|text| !text.trim().is_empty()))
    }

    async fn outcome(&self, call: &Call, spool: &Spool, record: &ExitRecord) -> Result<Outcome, WorkError> {
        let limit = usize::try_from(self.settings()?.limits.output_shown).unwrap_or(usize::MAX);
        let (spool, record_of) = (spool.clone(), record.clone());
        let output =
            tokio::task::spawn_blocking(move || collect(&spool, &record_of, KEPT / 2, KEPT / 2)).await??;
        let captured = Captured { head: &output.head, tail: &output.tail, total: output.total };
        let shown = decode_output(captured, Limits { head: limit / 3, tail: limit - limit / 3 });
        let (kind, words) = ending(&record.kind);
        let mut text = words;
        match record.ended_behind {
            0 => {}
            1 => text.push_str("\n[1 background process was ended when the command ended]"),
            n => text.push_str(&format!("\n[{n} background processes were ended when the command ended]")),
        }
        if record.left_running > 0 {
            text.push_str(&format!(
                "\n[{} processes could not be ended and may still run]",
                record.left_running
            ));
        }
        if shown.text.is_empty() {
            text.push_str("\n(no output)");
        } else {
            text.push('\n');
            text.push_str(&shown.text);
        }
        let kept = (shown.cut.is_some() || shown.replaced || shown.overwritten > 0).then(|| {
            let mut bytes = output.head;
            if output.total > (bytes.len() + output.tail.len()) as u64 {
                let gone = output.total - (bytes.len() + output.tail.len()) as u64;
                bytes.extend_from_slice(format!("\n[{gone} bytes were not kept]\n").as_bytes());
            }
            bytes.extend_from_slice(&output.tail);
            bytes
        });
        Ok(Outcome {
            call: call.clone(),
            ok: record.kind.is_success(),
            kind,
            text,
            output: kept,
            ms: record.duration_ms,
            inner: None,
        })
    }
}

/// Removes the spool of a call whose verdict was committed.
pub(super) fn remove_spool(root: &std::path::Path, name: &str) {
    let spool = SpoolName::parse(name).and_then(|name| Spool::at(root, &name));
    if let Ok(spool) = spool {
        // A spool that stays is swept the next time the run is owned.
        let _ = spool.remove();
    }
}

fn host_class(class: Class) -> spool::Class {
    match class {
        Class::Read | Class::Inner | Class::Person => spool::Class::Read,
        Class::Keyed => spool::Class::Keyed,
        Class::Effect => spool::Class::Effect,
    }
}

/// The kind of failure, and the first line of the result.
fn ending(kind: &ExitKind) -> (Option<String>, String) {
    let failed = |kind: &str, words: String| (Some(kind.to_owned()), words);
    match kind {
        ExitKind::Exited { code: 0 } => (None, "exit 0".to_owned()),
        ExitKind::Exited { code } => {
            failed("exit", format!("error [exit]: the command ended with exit code {code}"))
        }
        ExitKind::Signal { signal } => {
            failed("signal", format!("error [signal]: a signal ({signal}) ended the command"))
        }
        ExitKind::TimedOut => failed(
            "timed_out",
            "error [timed_out]: the command took too long and was ended; partial effects are possible\n\
             what to do: look at what it did, then give it more time with timeout_s or split it"
                .to_owned(),
        ),
        ExitKind::Cancelled => failed(
            "cancelled",
            "error [cancelled]: the command was ended by a person; partial effects are possible".to_owned(),
        ),
        ExitKind::OutputLimit => failed(
            "output_limit",
            "error [output_limit]: the command wrote too much and was ended; partial effects are possible"
                .to_owned(),
        ),
        ExitKind::NotRun { why } => {
            failed("not_run", format!("error [not_run]: the command did not run: {why}"))
        }
    }
}
