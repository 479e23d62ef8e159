//! What a worker works with, the same for every run that it advances.

use super::vectors::Vectors;
use crate::host::clock;
use crate::host::drive::Driver;
use crate::host::environment::Secrets;
use crate::provider::{Delta, Provider};
use crate::run::event::NewEvent;
use crate::run::id::{Millis, RunId, WorkerId};
use crate::run::settings::Settings;
use crate::run::state::RunState;
use crate::store::Store;
use std::sync::Arc;
use tokio::sync::watch;

/// Finds the provider that serves a run's model.
pub trait Models: Send + Sync {
    /// The provider for these settings.
    ///
    /// # Errors
    /// Words that say what is missing and what to do: a profile that is gone, a key that is not set.
    fn provider(&self, settings: &Settings) -> Result<Arc<dyn Provider>, String>;

    /// Keys in use, so that they can be taken out of whatever is stored.
    fn keys(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The phases of a step, shown live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Reading the state.
    Load,
    /// Making the request.
    Assemble,
    /// The model answers.
    Infer,
    /// The reply is read and its calls are judged.
    Judge,
    /// Tools run.
    Act,
    /// The step is committed.
    Commit,
}

/// Hears what a worker does, for a screen. Must not block.
pub trait Observer: Send + Sync {
    /// A phase begins.
    fn phase(&self, run: &RunId, phase: Phase);
    /// A piece of a reply came in.
    fn delta(&self, run: &RunId, delta: &Delta);
    /// A commit stands; `state` is after it.
    fn committed(&self, state: &RunState, events: &[NewEvent]);
}

/// Hears nothing.
pub struct Silent;

impl Observer for Silent {
    fn phase(&self, _run: &RunId, _phase: Phase) {}
    fn delta(&self, _run: &RunId, _delta: &Delta) {}
    fn committed(&self, _state: &RunState, _events: &[NewEvent]) {}
}

/// What a worker works with.
#[derive(Clone)]
pub struct Engine {
    /// The store.
    pub store: Store,
    /// Who we are; our lock is held as long as the process lives.
    pub worker: WorkerId,
    /// Finds providers.
    pub models: Arc<dyn Models>,
    /// Starts and follows shell commands.
    pub driver: Driver,
    /// Secrets that commands may name.
    pub secrets: Secrets,
    /// Variables that pass to commands although they look secret.
    pub env_allow: Vec<String>,
    /// Files and folders of wakeful itself, beside the store's, that no tool may write.
    pub own_files: Vec<std::path::PathBuf>,
    /// Hosts that `http_get` may ask without a person.
    pub allow_hosts: Vec<String>,
    /// Makes memories findable by their meaning, if a source is configured.
    pub vectors: Option<Arc<Vectors>>,
    /// Hears what is done.
    pub observer: Arc<dyn Observer>,
    /// Becomes true when the process is to save and stop.
    pub stop: watch::Receiver<bool>,
}

impl Engine {
    /// The wall clock.
    pub fn now(&self) -> Millis {
        clock::wall_ms()
    }

    /// True once the process is to stop.
    pub fn stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Ends when the process is to stop; never if nobody can ask for it any more.
    pub async fn stopped(&self) {
        let mut stop = self.stop.clone();
        if stop.wait_for(|stop| *stop).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
