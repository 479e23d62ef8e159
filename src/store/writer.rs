//! The one thread that writes, one job after the other, one transaction a job.
//!
//! Not to be assumed: that this is the only process that writes. What the thread remembers of a run counts only while
//! the run's row still names that head.

use super::ballast::Ballast;
use super::error::StoreError;
use super::open::retry;
use super::readings::Readings;
use super::types::{Alive, Durability, StoreOptions};
use crate::host::fault::fault;
use crate::run::{RunId, RunState};
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::sync::watch;

/// Runs whose state the writer remembers.
const REMEMBERED: usize = 64;
/// Transactions between two looks at the length of the WAL.
const LOOK_EACH: u32 = 64;
/// Length from which the WAL is emptied, bytes.
const WAL_TOO_LONG: u64 = 32 << 20;

pub(super) type Job = Box<dyn FnOnce(&mut Writer) + Send>;

/// What the writing thread and the handles share.
pub(super) struct Shared {
    pub(super) path: PathBuf,
    pub(super) dir: PathBuf,
    pub(super) alive: Alive,
    pub(super) busy: Duration,
    pub(super) wal: bool,
    pub(super) ballast: Ballast,
    /// The last try to read or write met a lock of others.
    pub(super) held: AtomicBool,
    /// What SQLite said of a damaged file, once something met the damage.
    pub(super) corrupt: watch::Sender<Option<String>>,
    /// Counts writes that this process knows of.
    pub(super) ticks: watch::Sender<u64>,
    /// Who looks for what others wrote.
    pub(super) looks: super::watch::Looks,
    /// Texts of memories, taken apart.
    pub(super) readings: Readings,
}

impl Shared {
    pub(super) fn new(
        path: PathBuf,
        dir: PathBuf,
        options: &StoreOptions,
        wal: bool,
        ballast: Ballast,
    ) -> Self {
        Self {
            path,
            dir,
            alive: Arc::clone(&options.alive),
            busy: options.busy,
            wal,
            ballast,
            held: AtomicBool::new(false),
            corrupt: watch::Sender::new(None),
            ticks: watch::Sender::new(0),
            looks: super::watch::Looks::default(),
            readings: Readings::default(),
        }
    }

    /// Does a job, again while others hold the lock; that they do is known meanwhile.
    pub(super) fn patiently<T>(
        &self,
        mut job: impl FnMut() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        retry(self.busy, || {
            let done = job();
            self.held.store(done.as_ref().is_err_and(StoreError::is_busy), Ordering::Relaxed);
            done
        })
    }

    /// An error with the file that it is about; damage of the file is remembered.
    pub(super) fn of_file(&self, error: StoreError) -> StoreError {
        let error = error.of(&self.path);
        if let StoreError::Corrupt { why, .. } = &error {
            self.corrupt.send_if_modified(|known| {
                let first = known.is_none();
                known.get_or_insert_with(|| why.clone());
                first
            });
        }
        error
    }

    pub(super) fn tick(&self) {
        self.ticks.send_modify(|count| *count = count.wrapping_add(1));
    }
}

/// States by run, each valid while the run's row names its head.
#[derive(Default)]
pub(super) struct Remembered {
    states: HashMap<RunId, Arc<RunState>>,
}

impl Remembered {
    pub(super) fn get(&self, run: &RunId) -> Option<&Arc<RunState>> {
        self.states.get(run)
    }

    pub(super) fn put(&mut self, state: &Arc<RunState>) {
        if self.states.len() >= REMEMBERED && !self.states.contains_key(&state.run) {
            self.states.clear();
        }
        self.states.insert(state.run.clone(), Arc::clone(state));
    }

    pub(super) fn forget(&mut self, run: &RunId) {
        self.states.remove(run);
    }
}

pub(super) struct Writer {
    conn: Connection,
    pub(super) shared: Arc<Shared>,
    pub(super) remembered: Remembered,
    synchronous: Durability,
    /// Transactions since the length of the WAL was looked at.
    since_look: u32,
}

/// Starts the thread; it ends when the last handle is gone.
pub(super) fn start(mut writer: Writer) -> Result<mpsc::Sender<Job>, String> {
    let (tx, rx) = mpsc::channel::<Job>();
    let thread = std::thread::Builder::new().name("store".into()).spawn(move || {
        while let Ok(job) = rx.recv() {
            job(&mut writer);
        }
    });
    thread.map(|_| tx).map_err(|e| format!("the writing thread could not be started: {e}"))
}

impl Writer {
    pub(super) fn new(conn: Connection, shared: Arc<Shared>) -> Self {
        Self {
            conn,
            shared,
            remembered: Remembered::default(),
            synchronous: Durability::Synced,
            since_look: 0,
        }
    }

    /// Does `body` inside one transaction, again from its begin while others hold the lock.
    pub(super) fn transaction<T>(
        &mut self,
        durability: Durability,
        mut body: impl FnMut(&Connection, &Remembered) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.set_durability(durability)?;
        let (conn, remembered, shared) = (&self.conn, &self.remembered, &self.shared);
        let done = shared.patiently(|| {
            conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            fault("store.begin");
            let done = body(conn, remembered).and_then(|value| {
                fault("store.before_commit");
                conn.prepare_cached("COMMIT")?.execute([])?;
                fault("store.after_commit");
                Ok(value)
            });
            if done.is_err() && !conn.is_autocommit() {
                // The first error is what counts.
                let _ = conn.execute_batch("ROLLBACK");
            }
            done
        });
        let done = done.map_err(|error| self.shared.of_file(error))?;
        self.shared.tick();
        self.watch_wal();
        Ok(done)
    }

    /// The same for what a person wrote and may take back: what leaves the pages is overwritten, in the file too.
    pub(super) fn wiping<T>(
        &mut self,
        body: impl FnMut(&Connection, &Remembered) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.conn.execute_batch("PRAGMA secure_delete = ON")?;
        let done = self.transaction(Durability::Synced, body);
        self.conn.execute_batch("PRAGMA secure_delete = OFF")?;
        done
    }

    /// Empties the WAL, which holds pages as they were before; a reader elsewhere is waited for as long as for a lock, and is
    /// an error then.
    pub(super) fn empty_wal(&mut self) -> Result<(), StoreError> {
        let busy = self.shared.busy;
        retry(busy, || if self.try_empty_wal()? { Ok(()) } else { Err(StoreError::Busy { waited_ms: 0 }) })
            .map_err(|error| self.shared.of_file(error))
    }

    /// A WAL that readers kept from being reused is emptied once they are gone.
    fn watch_wal(&mut self) {
        self.since_look += 1;
        if !self.shared.wal || self.since_look < LOOK_EACH {
            return;
        }
        self.since_look = 0;
        let mut name = self.shared.path.clone().into_os_string();
        name.push("-wal");
        if std::fs::metadata(name).is_ok_and(|file| file.len() > WAL_TOO_LONG) {
            // A reader may still hold it: then the next look tries again.
            let _ = self.try_empty_wal();
        }
    }

    /// Without WAL nothing is ever unsynced: a rollback journal that is not synced can damage the file.
    fn set_durability(&mut self, durability: Durability) -> Result<(), StoreError> {
        let wanted = if self.shared.wal { durability } else { Durability::Synced };
        if wanted != self.synchronous {
            let word = match wanted {
                Durability::Synced => "FULL",
                Durability::Unsynced => "NORMAL",
            };
            self.conn.pragma_update(None, "synchronous", word)?;
            self.synchronous = wanted;
        }
        Ok(())
    }

    /// Empties the WAL if nobody reads in it. True if it is empty.
    pub(super) fn try_empty_wal(&mut self) -> Result<bool, StoreError> {
        if !self.shared.wal {
            return Ok(true);
        }
        self.set_durability(Durability::Synced)?;
        let held = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
        Ok(!held.map_err(|error| self.shared.of_file(StoreError::from(error)))?)
    }
}
