//! A spool: the folder in which one attempt of one shell call keeps its spec, locks, token,
//! output and exit record. This is the worker's side of it.
//!
//! | file | meaning |
//! |---|---|
//! | `spec` | what to run, fixed at preparation |
//! | `token.ready` / `.begun` / `.closed` | whether it may still start, has begun, never will |
//! | `lock` | held by the supervisor alone, while it lives |
//! | `life` | held by the command and what descends from it |
//! | `out` | standard output and error, raw |
//! | `exit.tmp`, `exit` | room for the exit record, and the record |
//! | `stop`, `deadline` | requests of a person: end it (why), another time-out |
//! | `sup.PID`, `log` | who supervised, and what a supervisor had to say |
//!
//! Everything is made and synced before the commit that starts the call; from then on nobody
//! makes or repairs a token or a lock. So a missing token means lost evidence, never "not run".

use super::fault::fault;
use super::lock::{self, Held};
use super::process::{self, ProcessId};
use super::record::{ExitRecord, RECORD_BYTES};
use super::{HostError, clock};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// The name of a spool: which call, which attempt, started in which ownership epoch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SpoolName {
    call_id: String,
    attempt: u32,
    epoch: u64,
}

impl SpoolName {
    /// Makes a name. The call id may hold letters, digits, `-` and `_`, at most 128 of them.
    pub fn new(call_id: &str, attempt: u32, epoch: u64) -> Result<Self, HostError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if call_id.is_empty() || call_id.len() > 128 || !call_id.chars().all(plain) {
            return Err(HostError::Name {
                name: call_id.to_owned(),
            });
        }
        Ok(Self {
            call_id: call_id.to_owned(),
            attempt,
            epoch,
        })
    }

    /// Reads `CALL.ATTEMPT.EPOCH`; anything that would not be written this way is refused.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        let refused = || HostError::Name {
            name: text.to_owned(),
        };
        let mut parts = text.split('.');
        let (call, attempt, epoch) = (parts.next(), parts.next(), parts.next());
        let (Some(call), Some(attempt), Some(epoch), None) = (call, attempt, epoch, parts.next())
        else {
            return Err(refused());
        };
        let attempt = attempt.parse().map_err(|_| refused())?;
        let epoch = epoch.parse().map_err(|_| refused())?;
        let name = Self::new(call, attempt, epoch)?;
        if name.to_string() == text {
            Ok(name)
        } else {
            Err(refused())
        }
    }

    /// The call.
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// The attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The ownership epoch in which the attempt was started.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }
}

impl fmt::Display for SpoolName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.call_id, self.attempt, self.epoch)
    }
}

impl TryFrom<String> for SpoolName {
    type Error = HostError;
    fn try_from(text: String) -> Result<Self, HostError> {
        Self::parse(&text)
    }
}

impl From<SpoolName> for String {
    fn from(name: SpoolName) -> Self {
        name.to_string()
    }
}

/// What doing a command twice would mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// It changes nothing.
    Read,
    /// Twice is the same as once.
    Keyed,
    /// Twice is wrong.
    Effect,
}

/// What a supervisor runs. Holds no secret values: those stand as `${secret:NAME}` in `argv` and
/// `env`, their names in `secrets`, and their values come over a pipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// The spool this spec belongs to.
    pub name: SpoolName,
    /// Hash of the approved arguments.
    pub args_hash: String,
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Working folder.
    pub cwd: PathBuf,
    /// The whole environment, already scrubbed (see [`super::environment`]).
    pub env: Vec<(String, String)>,
    /// Names of the secrets to be filled in.
    pub secrets: Vec<String>,
    /// Time-out in milliseconds awake; a `deadline` file replaces it.
    pub timeout_ms: u64,
    /// Class of the call.
    pub class: Class,
    /// Most bytes of output kept; half from the start, half from the end.
    pub output_limit: u64,
    /// The boot in which it was prepared.
    pub boot_id: String,
}

/// The output limit by default: 64 MiB.
pub const OUTPUT_LIMIT: u64 = 64 << 20;

/// Who begins, written into the token: for display, for age, and to end a hung supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// The supervisor that won the token.
    pub supervisor: ProcessId,
    /// `CLOCK_MONOTONIC` of that boot, milliseconds.
    pub monotonic_ms: i64,
}

/// Where the token stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// A supervisor may begin.
    Ready,
    /// A supervisor has begun.
    Begun,
    /// Nobody ever will begin.
    Closed,
    /// There is no token (or no spool): the evidence is lost.
    Missing,
}

/// Why a command is to be ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// A person (or a rollback) cancelled the call.
    Cancelled,
    /// A person called time.
    TimedOut,
}

impl StopReason {
    /// The word in the file `stop`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            StopReason::Cancelled => "cancelled",
            StopReason::TimedOut => "timed_out",
        }
    }

    /// Reads that word back; an unknown one is a cancel, since a stop was asked for.
    pub(crate) fn from_word(word: &str) -> Self {
        if word.trim() == StopReason::TimedOut.word() {
            StopReason::TimedOut
        } else {
            StopReason::Cancelled
        }
    }
}

/// A spool by its place; says nothing about whether it exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spool {
    root: PathBuf,
    name: SpoolName,
    path: PathBuf,
}

impl Spool {
    /// The spool `name` under `root` (the folder `spool/` beside the database).
    pub fn at(root: &Path, name: &SpoolName) -> Result<Self, HostError> {
        // Supervisors run in `/`, and /proc shows real paths. A root that is gone still has a
        // name, under which everything is missing.
        let root = match fs::canonicalize(root) {
            Err(error) if is_absent(&error) => std::path::absolute(root),
            found => found,
        }
        .map_err(HostError::file("open", root))?;
        let path = root.join(name.to_string());
        Ok(Self {
            root,
            name: name.clone(),
            path,
        })
    }

    /// Its name.
    pub fn name(&self) -> &SpoolName {
        &self.name
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The mark that every process of the command carries in its environment.
    pub fn mark(&self) -> String {
        format!("{}={}", super::environment::MARK, self.name)
    }

    /// Reads the token: `ready` first, since it only moves away from there; nothing found means
    /// looking once more, for a rename may have passed between two looks.
    pub fn token(&self) -> Result<Token, HostError> {
        for _ in 0..2 {
            for (file, token) in [
                ("token.ready", Token::Ready),
                ("token.begun", Token::Begun),
                ("token.closed", Token::Closed),
            ] {
                let path = self.file(file);
                match fs::symlink_metadata(&path) {
                    Ok(_) => return Ok(token),
                    Err(error) if is_absent(&error) => {}
                    Err(error) => return Err(HostError::file("look for", &path)(error)),
                }
            }
        }
        Ok(Token::Missing)
    }

    /// Closes the token, so that nobody ever begins. False: somebody was first, or it is missing;
    /// look again. Needs no sync: a token that comes back as ready starts nothing by itself.
    pub fn close(&self) -> Result<bool, HostError> {
        let ready = self.file("token.ready");
        let closed = match fs::rename(&ready, self.file("token.closed")) {
            Ok(()) => true,
            Err(error) if is_absent(&error) => false,
            Err(error) => return Err(HostError::file("close", &ready)(error)),
        };
        fault("drive.closed");
        Ok(closed)
    }

    /// Probes the supervisor's lock.
    pub fn probe_lock(&self) -> Result<Held, HostError> {
        let path = self.file("lock");
        lock::probe(&path).map_err(HostError::file("probe", &path))
    }

    /// Probes the lock that the command and its descendants inherit.
    pub fn probe_life(&self) -> Result<Held, HostError> {
        let path = self.file("life");
        lock::probe(&path).map_err(HostError::file("probe", &path))
    }

    /// Reads the exit record: the record if valid, and whether a file stands there at all.
    pub fn exit(&self) -> Result<(Option<ExitRecord>, bool), HostError> {
        match self.read("exit")? {
            None => Ok((None, false)),
            Some(bytes) => Ok((ExitRecord::decode(&bytes, &self.name), true)),
        }
    }

    /// Reads the spec; `None` if it is gone.
    pub fn spec(&self) -> Result<Option<Spec>, HostError> {
        let Some(bytes) = self.read("spec")? else {
            return Ok(None);
        };
        let spec = serde_json::from_slice(&bytes).map_err(|error| HostError::Spec {
            path: self.file("spec"),
            why: error.to_string(),
        })?;
        Ok(Some(spec))
    }

    /// Who has begun, if they lived long enough to say so.
    pub fn begun(&self) -> Result<Option<Begun>, HostError> {
        let bytes = self.read("token.begun")?.unwrap_or_default();
        Ok(serde_json::from_slice(&bytes).ok())
    }

    /// Milliseconds since the command began. Time asleep is not counted when the beginner left
    /// its reading; else it is the wall time since the token moved.
    pub fn age_ms(&self) -> Result<u64, HostError> {
        let since = |now: i64, then: i64| u64::try_from(now - then).unwrap_or(0);
        if let Some(begun) = self.begun()?
            && begun.supervisor.boot_id == process::boot_id()
        {
            return Ok(since(clock::monotonic_ms(), begun.monotonic_ms));
        }
        match fs::metadata(self.file("token.begun")) {
            Ok(meta) => Ok(since(
                clock::wall_ms(),
                meta.ctime().max(meta.mtime()).saturating_mul(1000),
            )),
            Err(error) if is_absent(&error) => Ok(0),
            Err(error) => Err(HostError::file("look at", &self.file("token.begun"))(error)),
        }
    }

    /// The supervisors that opened this spool, dead ones included.
    pub fn supervisors(&self) -> Result<Vec<ProcessId>, HostError> {
        let mut found: Vec<ProcessId> = self
            .begun()?
            .into_iter()
            .map(|begun| begun.supervisor)
            .collect();
        let Ok(entries) = fs::read_dir(&self.path) else {
            return Ok(found);
        };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with("sup.")
                && let Ok(bytes) = fs::read(entry.path())
                && let Ok(id) = serde_json::from_slice::<ProcessId>(&bytes)
                && !found.contains(&id)
            {
                found.push(id);
            }
        }
        Ok(found)
    }

    /// Asks the supervisor to end the command. To be called after the request is committed.
    pub fn request_stop(&self, reason: StopReason) -> Result<(), HostError> {
        self.put("stop", reason.word())?;
        fault("drive.stopped");
        Ok(())
    }

    /// Sets another time-out, in milliseconds awake since the command began.
    pub fn set_timeout(&self, timeout_ms: u64) -> Result<(), HostError> {
        self.put("deadline", &timeout_ms.to_string())
    }

    /// The time-out in force: the one set by a person, else the spec's.
    pub fn timeout_ms(&self, spec: &Spec) -> Result<u64, HostError> {
        let set = self.read("deadline")?;
        let set = set.and_then(|bytes| String::from_utf8(bytes).ok()?.trim().parse().ok());
        Ok(set.unwrap_or(spec.timeout_ms))
    }

    /// The last words of a supervisor that left without beginning; empty if it said nothing.
    pub fn last_words(&self) -> Result<String, HostError> {
        let bytes = self.read("log")?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        Ok(text
            .lines()
            .rfind(|line| !line.trim().is_empty())
            .unwrap_or_default()
            .trim()
            .to_owned())
    }

    /// Removes the spool by its exact name, after the commit of its verdict (or of its answer).
    pub fn remove(&self) -> Result<(), HostError> {
        let trash = self
            .root
            .join(format!("trash.{}.{}", self.name, Uuid::new_v4().simple()));
        match fs::rename(&self.path, &trash) {
            Ok(()) => {}
            Err(error) if is_absent(&error) => return Ok(()),
            Err(error) => return Err(HostError::file("remove", &self.path)(error)),
        }
        fault("spool.trashed");
        remove_tree(&trash)
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, HostError> {
        let path = self.file(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(HostError::file("read", &path)(error)),
        }
    }

    /// Writes a small file whole or not at all. A spool that is gone has nobody to ask: no error.
    fn put(&self, name: &str, text: &str) -> Result<(), HostError> {
        let aside = self.file(&format!("{name}.{}", Uuid::new_v4().simple()));
        let done = fs::write(&aside, text).and_then(|()| fs::rename(&aside, self.file(name)));
        match done {
            Err(error) if !is_absent(&error) => {
                Err(HostError::file("write", &self.file(name))(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn remove_tree(path: &Path) -> Result<(), HostError> {
    match fs::remove_dir_all(path) {
        Err(error) if !is_absent(&error) => Err(HostError::file("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn sync_dir(path: &Path) -> Result<(), HostError> {
    File::open(path)
        .and_then(|dir| dir.sync_all())
        .map_err(HostError::file("sync", path))
}

/// Makes a spool, whole and synced, under its final name. Must precede the commit that starts
/// the call; if that commit turns out stale, [`Spool::remove`] it.
pub fn prepare(root: &Path, spec: &Spec) -> Result<Spool, HostError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(root)
        .map_err(HostError::file("create", root))?;
    let spool = Spool::at(root, &spec.name)?;
    let maker = ProcessId::of_self().map_err(|source| HostError::System {
        action: "find this process",
        source,
    })?;
    let aside = spool.root.join(format!(
        "tmp.{}.{}.{}",
        maker.pid,
        maker.start_time,
        Uuid::new_v4().simple()
    ));
    let made = fill(&aside, spec).and_then(|()| {
        fault("spool.written");
        fs::rename(&aside, &spool.path).map_err(HostError::file("create", &spool.path))
    });
    if let Err(error) = made {
        // Best effort: what stays is swept as a dead maker's.
        let _ = remove_tree(&aside);
        return Err(error);
    }
    fault("spool.renamed");
    sync_dir(&spool.root)?;
    Ok(spool)
}

fn fill(aside: &Path, spec: &Spec) -> Result<(), HostError> {
    DirBuilder::new()
        .mode(0o700)
        .create(aside)
        .map_err(HostError::file("create", aside))?;
    let text = serde_json::to_vec(spec).map_err(|error| HostError::Spec {
        path: aside.join("spec"),
        why: error.to_string(),
    })?;
    let room = vec![b' '; RECORD_BYTES];
    let empty: &[u8] = &[];
    let mut files = Vec::new();
    for (name, content) in [
        ("spec", text.as_slice()),
        ("lock", empty),
        ("life", empty),
        ("out", empty),
        ("log", empty),
        ("exit.tmp", room.as_slice()),
        ("token.ready", empty),
    ] {
        let path = aside.join(name);
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(HostError::file("create", &path))?;
        file.write_all(content)
            .map_err(HostError::file("write", &path))?;
        files.push((file, path));
    }
    // All written first, then all synced: the first sync carries most of the others.
    for (file, path) in files {
        file.sync_all().map_err(HostError::file("sync", &path))?;
    }
    sync_dir(aside)
}

/// The spools under `root`, in no order. What to do with each is the caller's: only under the
/// run's ownership, only of an older epoch, only when no open call names it.
pub fn list(root: &Path) -> Result<Vec<SpoolName>, HostError> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(HostError::file("list", root)(error)),
    };
    Ok(entries
        .flatten()
        .filter_map(|entry| SpoolName::parse(entry.file_name().to_str()?).ok())
        .collect())
}

/// Removes what half-done work left: folders in the trash, and preparations whose maker is dead.
/// Returns how many were removed.
pub fn sweep(root: &Path) -> Result<usize, HostError> {
    let Ok(entries) = fs::read_dir(root) else {
        return Ok(0);
    };
    let mut swept = 0;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if name.starts_with("trash.") || is_dead_makers(name) {
            remove_tree(&entry.path())?;
            swept += 1;
        }
    }
    Ok(swept)
}

fn is_dead_makers(name: &str) -> bool {
    let mut parts = name.split('.');
    if parts.next() != Some("tmp") {
        return false;
    }
    let pid = parts.next().and_then(|part| part.parse().ok());
    let start = parts.next().and_then(|part| part.parse::<u64>().ok());
    let (Some(pid), Some(start)) = (pid, start) else {
        return false;
    };
    process::entry(pid).is_none_or(|entry| entry.start_time != start || entry.zombie)
}
