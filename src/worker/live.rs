//! The text of the reply that is coming in, for other processes that watch: a file beside the database, rewritten at
//! most ten times a second, never synced and never read by recovery.

use crate::provider::Delta;
use crate::run::id::RunId;
use crate::store::Store;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Least time between two writes.
const PAUSE: Duration = Duration::from_millis(100);

/// A reply on its way into `live/RUN`.
pub struct Live {
    path: PathBuf,
    state: Mutex<(String, Option<Instant>)>,
}

impl Live {
    /// The file of a run.
    pub fn path(store: &Store, run: &RunId) -> PathBuf {
        store.dir().join("live").join(run.as_str())
    }

    /// Begins a new reply.
    pub fn open(store: &Store, run: &RunId) -> Self {
        Self { path: Self::path(store, run), state: Mutex::default() }
    }

    /// Adds a piece.
    pub fn delta(&self, delta: &Delta) {
        let Ok(mut state) = self.state.lock() else { return };
        match delta {
            Delta::Text(text) => state.0.push_str(text),
            Delta::Reasoning(_) | Delta::CallName { .. } | Delta::CallArgs { .. } => {}
        }
        if state.1.is_some_and(|last| last.elapsed() < PAUSE) {
            return;
        }
        state.1 = Some(Instant::now());
        // Only a sign of life: a full disk must not stop the reply.
        let _ = std::fs::write(&self.path, &state.0);
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
