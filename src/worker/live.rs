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

/// A reply that is whole before a person could read a word of it gets no file.
const AT_ONCE: Duration = Duration::from_millis(20);

/// A reply on its way into `live/RUN`.
pub struct Live {
    path: PathBuf,
    /// The text so far, and from when on it may be written.
    state: Mutex<(String, Instant)>,
}

impl Live {
    /// The file of a run.
    pub fn path(store: &Store, run: &RunId) -> PathBuf {
        store.dir().join("live").join(run.as_str())
    }

    /// Begins a new reply.
    pub fn open(store: &Store, run: &RunId) -> Self {
        let state = Mutex::new((String::new(), Instant::now() + AT_ONCE));
        Self { path: Self::path(store, run), state }
    }

    /// Adds a piece.
    pub fn delta(&self, delta: &Delta) {
        let Ok(mut state) = self.state.lock() else { return };
        match delta {
            Delta::Text(text) => state.0.push_str(text),
            Delta::Reasoning(_) | Delta::CallName { .. } | Delta::CallArgs { .. } => {}
        }
        let now = Instant::now();
        if now < state.1 {
            return;
        }
        state.1 = now + PAUSE;
        // Only a sign of life: a full disk must not stop the reply.
        let _ = std::fs::write(&self.path, &state.0);
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
