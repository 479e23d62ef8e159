//! Signs of life that stand in no journal: whether the worker that owns a run still moves, and when a running command
//! last wrote something; whether it runs on when its worker is gone.
//!
//! Read from files beside the database: the living lock of a worker, which it touches every few seconds
//! ([`crate::host::pulse`]), and the output of commands. Not to be assumed: that a quiet worker is dead; it has its lock
//! and could wake.

use super::RunView;
use crate::host::lock::{self, Held};
use crate::host::spool::{Spool, SpoolName};
use crate::run::{CallId, CallStatus, Millis, RunId, WorkerId};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// A worker that was not heard for so long sleeps, milliseconds: twelve beats of its pulse.
const ASLEEP: Millis = 60_000;
/// A command that wrote nothing for so long is told of, milliseconds.
const SILENT: Millis = 30_000;

/// The owner of a run, if it has the run and does not move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asleep {
    /// Its name.
    pub worker: WorkerId,
    /// Its process.
    pub pid: i32,
    /// When it last showed life.
    pub alive_at: Millis,
}

/// A running command that has been silent for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silent {
    /// The call.
    pub call: CallId,
    /// When it last wrote something; none if it has written nothing yet.
    pub wrote_at: Option<Millis>,
}

/// Signs of life of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signs {
    /// The run.
    pub run: RunId,
    /// Set if its owner has it and does not move.
    pub asleep: Option<Asleep>,
    /// Its commands that live and are silent.
    pub silent: Vec<Silent>,
    /// Its commands that run on though the worker that started them is gone.
    pub alone: Vec<CallId>,
    /// Its commands that have ended and whose result no worker has fetched yet, with how long they ran, milliseconds.
    pub ended: Vec<(CallId, u64)>,
}

impl Signs {
    /// Looks at the files beside the database in `folder`; blocks for as long as that takes. `own` says that this
    /// process works at the run; `rested` that the machine has not just come back from a sleep, when all is quiet.
    pub fn read(folder: &Path, view: &RunView, own: bool, rested: bool, now: Millis) -> Self {
        let owner = view.state.ledger.owner.as_ref().filter(|_| view.alive && !own);
        let asleep = owner.and_then(|owner| asleep(folder, &owner.worker, rested, now));
        let (mut silent, mut alone, mut ended) = (Vec::new(), Vec::new(), Vec::new());
        let running = view.state.open_here().filter(|call| call.status == CallStatus::Started);
        for call in running.filter(|call| call.spool_epoch > 0) {
            let name = SpoolName::new(call.call_id.as_str(), call.attempt, call.spool_epoch);
            let spool = name.and_then(|name| Spool::at(&folder.join("spool"), &name));
            let Ok(spool) = spool else { continue };
            if let Some(wrote_at) = silence(&spool, call.since, now) {
                silent.push(Silent { call: call.call_id.clone(), wrote_at });
            }
            if !view.alive && !own && lives(&spool) {
                alone.push(call.call_id.clone());
            }
            if let Ok((Some(record), _)) = spool.exit() {
                ended.push((call.call_id.clone(), record.duration_ms));
            }
        }
        Self { run: view.state.run.clone(), asleep, silent, alone, ended }
    }

    /// How long a call has been silent, if it is among those.
    pub fn silent(&self, call: &CallId) -> Option<&Silent> {
        self.silent.iter().find(|silent| silent.call == *call)
    }
}

fn asleep(folder: &Path, worker: &WorkerId, rested: bool, now: Millis) -> Option<Asleep> {
    let path = folder.join("workers").join(worker.as_str());
    let alive_at = touched(&path)?;
    let process = lock::holder(&path).ok()??;
    let quiet = rested && now.saturating_sub(alive_at) >= ASLEEP;
    (quiet || process.is_stopped()).then(|| Asleep { worker: worker.clone(), pid: process.pid, alive_at })
}

/// When a living command last wrote something, if that is long ago; `None` inside if it never has.
fn silence(spool: &Spool, since: Millis, now: Millis) -> Option<Option<Millis>> {
    let out = std::fs::metadata(spool.file("out")).ok()?;
    let wrote_at = (out.len() > 0).then(|| millis(&out)).flatten();
    let long = now.saturating_sub(wrote_at.unwrap_or(since)) >= SILENT;
    (long && matches!(spool.probe_lock(), Ok(Held::Held))).then_some(wrote_at)
}

/// Whether a command runs, or its supervisor is about to write down how it ended.
fn lives(spool: &Spool) -> bool {
    let held = |probe| matches!(probe, Ok(Held::Held));
    held(spool.probe_lock()) || held(spool.probe_life())
}

fn touched(path: &Path) -> Option<Millis> {
    millis(&std::fs::metadata(path).ok()?)
}

fn millis(file: &std::fs::Metadata) -> Option<Millis> {
    let since = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Millis::try_from(since.as_millis()).ok()
}
