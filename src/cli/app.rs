//! What every command starts from: environment, paths, configuration, the store, a worker's identity.

use super::args::Global;
use super::exit::Exit;
use crate::config::{Config, ConfigError, Env, Paths, Sources, load, readable};
use crate::host::lock::{LivingLock, is_held};
use crate::host::pulse::Pulse;
use crate::host::{HostError, clock};
use crate::inspect::InspectError;
use crate::run::id::{Millis, RunId, WorkerId};
use crate::store::{Alive, OnBusy, Store, StoreError, StoreOptions};
use crate::tool::{Registry, ShellLimits};
use crate::worker::WorkError;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The environment and the paths of one invocation.
#[derive(Clone, Debug)]
pub struct App {
    /// Environment variables.
    pub env: Env,
    /// The present folder.
    pub cwd: PathBuf,
    /// Where config and database are.
    pub paths: Paths,
}

/// Why a command ends otherwise than it was meant to, in words for the person.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What happened, to what, and what to do next.
    pub message: String,
}

impl Failure {
    /// A wrong use.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }

    /// What is said of a run could not be printed; the run itself is saved.
    pub fn unheard(run: &RunId, error: &std::io::Error) -> Self {
        Self::internal(format!(
            "{error}. {run} is saved: `wakeful show {run}` shows it, `wakeful resume {run}` goes on"
        ))
    }

    /// Something that should not happen.
    pub fn internal(message: impl Into<String>) -> Self {
        Self { exit: Exit::Internal, message: message.into() }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let exit = match &error {
            StoreError::NoRun { .. }
            | StoreError::Ambiguous { .. }
            | StoreError::NoCheckpoint { .. }
            | StoreError::NoCall { .. }
            | StoreError::NoMemory { .. }
            | StoreError::BadMemory { .. }
            | StoreError::AmbiguousCall { .. }
            | StoreError::NotDecidable { .. }
            | StoreError::TakenBack { .. } => Exit::Usage,
            StoreError::Open { .. }
            | StoreError::NetworkFs { .. }
            | StoreError::NotOurs { .. }
            | StoreError::NotWritable { .. }
            | StoreError::NotAFile { .. }
            | StoreError::Newer { .. }
            | StoreError::Busy { .. }
            | StoreError::Full { .. }
            | StoreError::Corrupt { .. }
            | StoreError::Exists { .. }
            | StoreError::NoBlob { .. }
            | StoreError::BadBlob { .. }
            | StoreError::Stale { .. }
            | StoreError::Refused { .. }
            | StoreError::ReadOnly { .. }
            | StoreError::Damaged { .. }
            | StoreError::BadRow { .. }
            | StoreError::Io { .. }
            | StoreError::Closed
            | StoreError::Sql(_) => Exit::Storage,
        };
        Self { exit, message: error.to_string() }
    }
}

impl From<InspectError> for Failure {
    fn from(error: InspectError) -> Self {
        match error {
            InspectError::Store(error) => error.into(),
            error @ (InspectError::NotAsked { .. }
            | InspectError::NothingAsked { .. }
            | InspectError::NoAside { .. }
            | InspectError::NoContext { .. }) => Self::usage(error.to_string()),
        }
    }
}

impl From<std::io::Error> for Failure {
    /// Printing failed: a reader that went away is none (see [`super::print::Out`]).
    fn from(error: std::io::Error) -> Self {
        Self::internal(error.to_string())
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        match &error {
            // Its files lie beside the database.
            HostError::File { path, .. } => {
                let folder = path.parent().unwrap_or(path).display();
                let message = format!("{error}. Check that {folder} can be written by you and has room");
                Self { exit: Exit::Storage, message }
            }
            HostError::Name { .. } | HostError::Spec { .. } => {
                Self { exit: Exit::Storage, message: error.to_string() }
            }
            HostError::System { .. } if error.is_no_space() => {
                Self { exit: Exit::Storage, message: error.to_string() }
            }
            HostError::System { .. } => Self::internal(error.to_string()),
        }
    }
}

impl From<WorkError> for Failure {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Store(error) => error.into(),
            WorkError::Host(error) => error.into(),
            WorkError::Model(message) => Self::usage(message),
            WorkError::Workspace(error) => Self::usage(error.to_string()),
            WorkError::Stored(message) => Self { exit: Exit::Storage, message },
            error @ WorkError::HalfBack { .. } => Self { exit: Exit::Storage, message: error.to_string() },
            error @ (WorkError::Fold(_) | WorkError::Job(_)) => Self::internal(error.to_string()),
        }
    }
}

impl App {
    /// Reads environment and paths.
    ///
    /// # Errors
    /// Without a present folder, or without a home where one is needed.
    pub fn new(global: &Global) -> Result<Self, Failure> {
        let cwd = std::env::current_dir().map_err(|e| {
            Failure::usage(format!("the present folder cannot be used: {e}. Go to one that exists"))
        })?;
        // A variable that is not text cannot be one of ours.
        let env: Env = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let paths = Paths::find(&env, &cwd, global.db.as_deref(), global.config.as_deref())?;
        Ok(Self { env, cwd, paths })
    }

    /// The configuration for a workspace.
    ///
    /// # Errors
    /// All that is wrong in the files, with places.
    pub fn config(&self, workspace: &Path) -> Result<Config, Failure> {
        Ok(self.configured(workspace, load)?)
    }

    /// The configuration for a workspace as far as it can be read.
    pub fn readable_config(&self, workspace: &Path) -> Config {
        self.configured(workspace, readable)
    }

    fn configured<T>(&self, workspace: &Path, how: impl FnOnce(&Sources<'_>) -> T) -> T {
        let registry = Registry::new(ShellLimits::default());
        let names: Vec<&str> = registry.specs().iter().map(|s| s.name.as_str()).collect();
        let sources = Sources {
            user: &self.paths.config,
            must_exist: self.paths.config_named,
            workspace,
            tools: &names,
        };
        how(&sources)
    }

    /// Opens the store.
    ///
    /// # Errors
    /// The store's.
    pub fn open(&self) -> Result<Store, Failure> {
        self.open_with(|options| options)
    }

    /// Opens the store for somebody who sees how it goes: it is waited for as long as others hold it, and `on_busy` hears that.
    ///
    /// # Errors
    /// The store's.
    pub fn open_telling(&self, on_busy: OnBusy) -> Result<Store, Failure> {
        self.open_with(|options| StoreOptions {
            busy_at_open: Duration::MAX,
            on_busy: Some(on_busy),
            ..options
        })
    }

    fn open_with(&self, change: impl FnOnce(StoreOptions) -> StoreOptions) -> Result<Store, Failure> {
        let mut workers = self.paths.db.clone().into_os_string();
        workers.push(".d");
        let workers = PathBuf::from(workers).join("workers");
        let alive: Alive = Arc::new(move |worker: &WorkerId| {
            // A lock that cannot be looked at may be held: nothing is taken from its owner.
            is_held(&workers.join(worker.as_str())).unwrap_or(true)
        });
        Ok(Store::open(change(StoreOptions::new(self.paths.db.clone(), alive)))?)
    }

    /// A new worker's identity; it lives as long as the lock is kept.
    ///
    /// # Errors
    /// If the lock's file cannot be made.
    pub fn identity(&self, store: &Store) -> Result<(WorkerId, Identity), Failure> {
        let id = format!("w-{}-{}", std::process::id(), short_random(6));
        let lock = LivingLock::take(&store.dir().join("workers").join(&id))?;
        let pulse = Pulse::of(lock.path());
        Ok((WorkerId::new(id), Identity { lock: Some(lock), _pulse: pulse }))
    }

    /// The wall clock.
    pub fn now(&self) -> Millis {
        clock::wall_ms()
    }
}

/// The sign that this worker lives; removed with it.
#[derive(Debug)]
pub struct Identity {
    lock: Option<LivingLock>,
    _pulse: Option<Pulse>,
}

impl Drop for Identity {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take() {
            // A file that stays behind is a free lock, which means the same.
            let _ = lock.release();
        }
    }
}

/// That many random hexadecimal digits, 32 at most.
pub fn short_random(digits: usize) -> String {
    uuid::Uuid::new_v4().simple().to_string().chars().take(digits).collect()
}
