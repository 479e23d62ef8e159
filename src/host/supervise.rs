//! The supervisor of one shell command: `wakeful supervise SPOOL`.
//!
//! A process of its own, in a session of its own, that outlives the worker which started it. Any
//! number of supervisors may be started on a spool: the one that takes the token runs the
//! command, the others leave. It ends the command at its time-out, at a stop request or when the
//! output cannot be bounded, ends all that descends from it, and records the outcome.
//!
//! What must hold (each rule has a counterexample when left out): everything is opened relative
//! to the folder, and lock, life and token are never created; `lock` is taken before the token,
//! `life` after it; the token's move is synced before the command starts; the command inherits
//! `life` and no other file; the record is written only when nothing of the command is left.

use super::command::{Outcome, run};
use super::environment::Secrets;
use super::fault::fault;
use super::lock::try_take;
use super::process::ProcessId;
use super::record::{ExitKind, ExitRecord, RECORD_BYTES};
use super::spool::{Begun, Spec, StopReason};
use super::{clock, environment};
use rustix::fs::{Mode, OFlags, fstat, fsync, openat, renameat};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, getpid, set_child_subreaper, set_dumpable_behavior, setsid};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tokio::signal::unix::{SignalKind, signal};

/// A supervisor at work: the spool's folder and what it holds open in it.
pub(crate) struct Supervisor {
    dir: OwnedFd,
    lock: File,
    pub(crate) life: File,
    pub(crate) spec: Spec,
    pub(crate) argv: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
}

/// Runs a supervisor on the spool in `spool_dir`; returns the process's exit code.
///
/// Code 0 says nothing about the command, only that this supervisor did what was its part (also:
/// that another one was first). Anything else: it could not begin, the reason is on stderr.
pub fn main(spool_dir: &Path) -> i32 {
    match supervise(spool_dir) {
        Ok(()) => 0,
        Err(why) => {
            eprintln!("{why}");
            1
        }
    }
}

fn supervise(spool_dir: &Path) -> Result<(), String> {
    leave_session().map_err(|error| format!("the supervisor cannot leave its session: {error}"))?;
    // Kept until the end: it holds the handlers' other half.
    let signals =
        outlive_signals().map_err(|error| format!("the supervisor cannot set up signals: {error}"))?;
    set_child_subreaper(Some(getpid()))
        .map_err(|error| format!("the supervisor cannot adopt orphans: {error}"))?;
    // So that the command cannot read secrets from the supervisor's memory; a wish, not a must.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    fault("sup.started");
    let this = Supervisor::open(spool_dir)?;
    let claimed = this.claim().map_err(|error| format!("the supervisor cannot take the token: {error}"))?;
    if claimed {
        let record = this.perform();
        if let Some(record) = record {
            this.record(&record);
        }
        fault("sup.left");
    }
    drop(signals);
    Ok(())
}

fn leave_session() -> rustix::io::Result<()> {
    match setsid() {
        Ok(_) => Ok(()),
        // Leading a session already is as good; leading only a group is not.
        Err(Errno::PERM) if leads_session() => Ok(()),
        Err(error) => Err(error),
    }
}

fn leads_session() -> bool {
    nix::unistd::getsid(None) == Ok(nix::unistd::getpid())
}

/// Handles, and so survives, what a logout or shutdown sends: the command gets it itself, and its
/// end is to be recorded. Handlers, not "ignored", because that would pass to the command; the
/// one for SIGCHLD undoes an inherited "ignored", under which no exit status could be read.
fn outlive_signals() -> io::Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let guard = runtime.enter();
    for kind in [
        SignalKind::terminate(),
        SignalKind::hangup(),
        SignalKind::interrupt(),
        SignalKind::quit(),
        SignalKind::child(),
    ] {
        // The handler stays installed when the stream is dropped.
        let _ = signal(kind)?;
    }
    drop(guard);
    Ok(runtime)
}

impl Supervisor {
    fn open(path: &Path) -> Result<Self, String> {
        let failed = |what: &str| {
            let what = what.to_owned();
            move |error: Errno| format!("the supervisor cannot open {what}: {error}")
        };
        let dir = rustix::fs::open(path, OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
            .map_err(failed("its spool"))?;
        let file =
            |name: &str| openat(&dir, name, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).map(File::from);
        let lock = file("lock").map_err(failed("its lock"))?;
        let life = file("life").map_err(failed("its life lock"))?;
        let mut text = Vec::new();
        file("spec")
            .map_err(failed("its spec"))?
            .read_to_end(&mut text)
            .map_err(|error| format!("the supervisor cannot read its spec: {error}"))?;
        let spec: Spec = serde_json::from_slice(&text)
            .map_err(|error| format!("the spec cannot be understood: {error}"))?;
        let secrets = receive(&spec)?;
        let fill = |text: &str| {
            secrets.fill(text, &spec.secrets).map_err(|name| format!("the secret {name} was not handed over"))
        };
        let argv = spec.argv.iter().map(|text| fill(text)).collect::<Result<_, _>>()?;
        let mut env = Vec::with_capacity(spec.env.len() + 1);
        for (name, value) in spec.env.iter().filter(|(name, _)| name != environment::MARK) {
            env.push((name.clone(), fill(value)?));
        }
        env.push((environment::MARK.to_owned(), spec.name.to_string()));
        Ok(Self { dir, lock, life, spec, argv, env })
    }

    /// A file of the spool that exists, for reading or writing.
    pub(crate) fn file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        Ok(openat(&self.dir, name, flags | OFlags::CLOEXEC, Mode::empty()).map(File::from)?)
    }

    /// A file of the spool that may have to be made. Never for lock, life or token.
    fn make(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC;
        Ok(openat(&self.dir, name, flags, Mode::RUSR | Mode::WUSR).map(File::from)?)
    }

    /// Takes lock and token; false when another one was first or the token is closed or gone.
    fn claim(&self) -> io::Result<bool> {
        let me = ProcessId::of_self()?;
        let who = serde_json::to_vec(&me).unwrap_or_default();
        self.make(&format!("sup.{}", me.pid))?.write_all(&who)?;
        while !try_take(&self.lock)? {
            // Never wait blocked: the holder may hang, and a closed token must let us go.
            if self.file("token.ready", OFlags::RDONLY).is_err() {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        fault("sup.locked");
        let token = match self.file("token.ready", OFlags::WRONLY) {
            Ok(token) => token,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        match renameat(&self.dir, "token.ready", &self.dir, "token.begun") {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        fault("sup.begun");
        self.sign(token, me);
        loop {
            match self.life.lock() {
                Ok(()) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The token has moved: from here on only a record can speak.
                Err(error) => {
                    eprintln!("the supervisor cannot lock life: {error}; trying again");
                    std::thread::sleep(Duration::from_secs(1));
                }
            }
        }
        fault("sup.life");
        Ok(true)
    }

    /// Leaves in the token who began and when. Its content is a help, its name is the evidence:
    /// so a full disk is no reason not to go on.
    fn sign(&self, mut token: File, supervisor: ProcessId) {
        let begun = Begun { supervisor, monotonic_ms: clock::monotonic_ms() };
        let _ = token.write_all(&serde_json::to_vec(&begun).unwrap_or_default());
    }

    /// Runs the command; `None` when its outcome could not be learnt.
    fn perform(&self) -> Option<ExitRecord> {
        let at = clock::wall_ms();
        let not_run = |why: String| Some(self.outcome(at, Outcome::not_run(why)));
        if let Err(error) = fsync(&self.dir) {
            return not_run(format!("the begin could not be made durable: {error}"));
        }
        fault("sup.synced");
        if self.stop_wanted().is_some() {
            return not_run("it was cancelled before it ran".into());
        }
        let outcome = run(self)?;
        Some(self.outcome(at, outcome))
    }

    fn outcome(&self, started_at: i64, outcome: Outcome) -> ExitRecord {
        ExitRecord {
            spool: self.spec.name.clone(),
            kind: outcome.kind,
            started_at,
            ended_at: outcome.ended_at,
            duration_ms: outcome.duration_ms,
            output_bytes: outcome.output_bytes,
            punched: outcome.punched,
            left_running: outcome.left_running,
            ended_behind: outcome.ended_behind,
        }
    }

    /// The stop request, if there is one.
    pub(crate) fn stop_wanted(&self) -> Option<StopReason> {
        let mut word = String::new();
        self.file("stop", OFlags::RDONLY).ok()?.take(64).read_to_string(&mut word).ok()?;
        Some(StopReason::from_word(&word))
    }

    /// The time-out in force, in milliseconds.
    pub(crate) fn timeout_ms(&self) -> u64 {
        let mut text = String::new();
        let read =
            self.file("deadline", OFlags::RDONLY).and_then(|file| file.take(64).read_to_string(&mut text));
        read.ok().and_then(|_| text.trim().parse().ok()).unwrap_or(self.spec.timeout_ms)
    }

    /// A sign of life for a worker that wonders whether we hang, while ending takes its time.
    pub(crate) fn beat(&self) {
        let _ = self.lock.set_modified(SystemTime::now());
    }

    /// Writes the record, and keeps the lock and tries again each second until it stands: only
    /// when the spool itself is gone there is nothing to write to.
    fn record(&self, record: &ExitRecord) {
        let bytes = record.encode();
        while let Err(error) = self.store(&bytes) {
            eprintln!("the exit record cannot be written: {error}; trying again");
            if fstat(&self.dir).is_ok_and(|stat| stat.st_nlink == 0) {
                return;
            }
            self.beat();
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    fn store(&self, bytes: &[u8]) -> io::Result<()> {
        debug_assert_eq!(bytes.len(), RECORD_BYTES);
        let file = self.make("exit.tmp")?;
        file.write_all_at(bytes, 0)?;
        file.sync_data()?;
        fault("sup.written");
        renameat(&self.dir, "exit.tmp", &self.dir, "exit")?;
        fault("sup.recorded");
        Ok(fsync(&self.dir)?)
    }
}

/// Reads the secrets from standard input when the spec wants any. Before the token is taken: if
/// the worker dies in the middle, nothing has begun.
fn receive(spec: &Spec) -> Result<Secrets, String> {
    if spec.secrets.is_empty() {
        return Ok(Secrets::default());
    }
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| format!("the secrets cannot be read: {error}"))?;
    Secrets::from_json(&bytes).ok_or_else(|| "the secrets were not handed over whole".to_owned())
}

impl Outcome {
    fn not_run(why: String) -> Self {
        Self {
            kind: ExitKind::NotRun { why },
            ended_at: clock::wall_ms(),
            duration_ms: 0,
            output_bytes: 0,
            punched: None,
            left_running: 0,
            ended_behind: 0,
        }
    }
}
