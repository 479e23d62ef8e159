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

use super::clock;
use super::error::HostError;
use super::fault::fault;
use super::lock::{self, Held};
use super::process::{self, ProcessId};
use super::record::ExitRecord;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use uuid::Uuid;

pub use super::prepare::{list, prepare, sweep};
pub use super::spec::{Begun, Class, OUTPUT_LIMIT, Spec, SpoolName, StopReason};

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
        Ok(Self { root, name: name.clone(), path })
    }

    /// Its name.
    pub fn name(&self) -> &SpoolName {
        &self.name
    }

    /// The folder that all spools of the database share.
    pub fn root(&self) -> &Path {
        &self.root
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
        let spec = serde_json::from_slice(&bytes)
            .map_err(|error| HostError::Spec { path: self.file("spec"), why: error.to_string() })?;
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
            Ok(meta) => Ok(since(clock::wall_ms(), meta.ctime().max(meta.mtime()).saturating_mul(1000))),
            Err(error) if is_absent(&error) => Ok(0),
            Err(error) => Err(HostError::file("look at", &self.file("token.begun"))(error)),
        }
    }

    /// The supervisors that opened this spool, dead ones included.
    pub fn supervisors(&self) -> Result<Vec<ProcessId>, HostError> {
        let mut found: Vec<ProcessId> = self.begun()?.into_iter().map(|begun| begun.supervisor).collect();
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
        Ok(text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned())
    }

    /// Removes the spool by its exact name, after the commit of its verdict (or of its answer).
    pub fn remove(&self) -> Result<(), HostError> {
        let trash = self.root.join(format!("trash.{}.{}", self.name, Uuid::new_v4().simple()));
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
            Err(error) if !is_absent(&error) => Err(HostError::file("write", &self.file(name))(error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

pub(crate) fn remove_tree(path: &Path) -> Result<(), HostError> {
    match fs::remove_dir_all(path) {
        Err(error) if !is_absent(&error) => Err(HostError::file("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}
