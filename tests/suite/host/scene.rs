//! A folder with spools in it, and how to drive them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::watch;
use wakeful::host::decide::{Controls, Patience, Verdict};
use wakeful::host::drive::{Driver, drive};
use wakeful::host::environment::{Secrets, command_env};
use wakeful::host::orphan;
use wakeful::host::record::{ExitKind, ExitRecord};
use wakeful::host::spawn::Spawner;
use wakeful::host::spool::{Class, OUTPUT_LIMIT, Spec, Spool, SpoolName, prepare};

/// One test's folder. Ends what its commands left, even when the test fails.
pub struct Scene {
    pub dir: TempDir,
}

impl Scene {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join("spool")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A shell command as a spec, with a time-out of 30 s.
    pub fn spec(&self, call: &str, script: &str) -> Spec {
        Spec {
            name: SpoolName::new(call, 1, 1).unwrap(),
            run: "r-1".into(),
            args_hash: "hash".into(),
            argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
            cwd: self.dir.path().to_owned(),
            env: command_env(std::env::vars_os(), &[]),
            secrets: Vec::new(),
            timeout_ms: 30_000,
            class: Class::Effect,
            output_limit: OUTPUT_LIMIT,
            boot_id: wakeful::host::process::boot_id().to_owned(),
        }
    }

    pub fn prepare(&self, spec: &Spec) -> Spool {
        prepare(&self.root(), spec).unwrap()
    }

    pub fn shell(&self, call: &str, script: &str) -> Spool {
        self.prepare(&self.spec(call, script))
    }

    /// Lines in a file of the scene; 0 if there is none.
    pub fn lines(&self, name: &str) -> usize {
        std::fs::read_to_string(self.path(name)).map_or(0, |text| text.lines().count())
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        for name in wakeful::host::spool::list(&self.root()).unwrap_or_default() {
            let spool = Spool::at(&self.root(), &name).unwrap();
            let mut left = orphan::members(&spool).unwrap_or_default();
            left.extend(spool.supervisors().unwrap_or_default());
            for process in left {
                let _ = process.signal(rustix::process::Signal::KILL);
            }
        }
    }
}

pub fn spawner() -> Spawner {
    Spawner::of(PathBuf::from(env!("CARGO_BIN_EXE_wakeful")))
}

pub fn driver() -> Driver {
    Driver { spawner: spawner(), patience: Patience { grace_ms: 200, ..Patience::default() } }
}

/// Drives on a thread of its own until the verdict; controls can be sent meanwhile.
pub struct Driving {
    pub controls: watch::Sender<Controls>,
    thread: std::thread::JoinHandle<Verdict>,
}

impl Driving {
    pub fn start(spool: &Spool, class: Class, driver: Driver, secrets: Secrets, controls: Controls) -> Self {
        let (sender, receiver) = watch::channel(controls);
        let spool = spool.clone();
        let thread = std::thread::spawn(move || {
            runtime().block_on(drive(&spool, class, &driver, &secrets, receiver)).unwrap()
        });
        Self { controls: sender, thread }
    }

    pub fn effect(spool: &Spool) -> Self {
        Self::start(spool, Class::Effect, driver(), Secrets::default(), Controls::default())
    }

    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    pub fn verdict(self) -> Verdict {
        self.thread.join().unwrap()
    }

    pub fn record(self) -> ExitRecord {
        record(self.verdict())
    }
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

pub fn record(verdict: Verdict) -> ExitRecord {
    match verdict {
        Verdict::Ended(record) => record,
        other => panic!("no record but {other:?}"),
    }
}

pub fn verdict_of(spool: &Spool) -> Verdict {
    Driving::effect(spool).verdict()
}

pub fn record_of(spool: &Spool) -> ExitRecord {
    Driving::effect(spool).record()
}

pub fn kind_of(spool: &Spool) -> ExitKind {
    record_of(spool).kind
}

/// Waits for a condition, at most 20 s.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < until, "never came true: {what}");
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// The text of a file of pids, once it holds as many.
pub fn pids(path: &Path, count: usize) -> BTreeSet<i32> {
    let mut found = BTreeSet::new();
    eventually("the command writes its pids", || {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        found = text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
        found.len() == count
    });
    found
}

pub fn is_alive(pid: i32) -> bool {
    wakeful::host::process::entry(pid).is_some_and(|entry| !entry.zombie)
}
