//! Short reads: a few read-only connections, each used inside one read transaction on a blocking thread.

use super::error::StoreError;
use super::open::{Store, connect};
use super::writer::Shared;
use rusqlite::Connection;
use std::sync::{Arc, Mutex, PoisonError};

/// Connections kept for the next read.
const KEPT: usize = 4;

pub(super) struct Readers {
    shared: Arc<Shared>,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, idle: Mutex::new(Vec::new()) }
    }

    /// One read transaction; blocks.
    pub(super) fn read<T>(
        &self,
        job: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.look(job).map_err(|error| self.shared.of_file(error))
    }

    fn look<T>(&self, job: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => self.shared.patiently(|| connect(&self.shared.path, true))?,
        };
        // The first read takes the snapshot; only it can meet a lock.
        self.shared.patiently(|| {
            conn.prepare_cached("BEGIN")?.execute([])?;
            let looked = conn
                .prepare_cached("SELECT count(key) FROM meta")
                .and_then(|mut s| s.query_row([], |_| Ok(())));
            if looked.is_err() {
                let _ = conn.execute_batch("ROLLBACK");
            }
            Ok(looked?)
        })?;
        let done = job(&conn);
        if conn.prepare_cached("COMMIT").and_then(|mut s| s.execute([])).is_ok() {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < KEPT {
                idle.push(conn);
            }
        }
        done
    }
}

impl Store {
    /// Runs a read on a blocking thread. A bad event that it met is remembered.
    pub(super) async fn read<T, F>(&self, job: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let inner = Arc::clone(&self.inner);
        let done = tokio::task::spawn_blocking(move || inner.readers.read(job)).await;
        let done = done.map_err(|_| StoreError::Closed)?;
        match &done {
            Err(StoreError::BadRow { run, seq, .. }) => self.mark(run, *seq).await,
            Err(StoreError::Damaged { run, damage }) => self.mark(run, damage.first_bad_seq).await,
            Ok(_) | Err(_) => {}
        }
        done
    }
}
