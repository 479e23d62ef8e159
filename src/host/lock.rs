//! Locks by `flock`: held by an open file, gone with the process that holds it, however it dies.
//!
//! A probe takes the lock shared and lets go at once, so probes never see each other, but a probe
//! can make an exclusive try fail for a moment: whoever takes a lock tries more than once.
//! Not for network file systems, where a lock may outlive its holder.

use super::HostError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a probe of a lock file found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// Somebody alive holds it.
    Held,
    /// The file is there and nobody holds it.
    Free,
    /// There is no such file, so nobody can hold it by this name.
    Absent,
}

/// Probes a lock without waiting. Errors are failures to look, never an answer.
pub fn probe(path: &Path) -> io::Result<Held> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Held::Absent),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(Held::Free),
        Err(TryLockError::WouldBlock) => Ok(Held::Held),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether somebody alive holds the lock; an absent file is a free lock.
pub fn is_held(path: &Path) -> io::Result<bool> {
    Ok(probe(path)? == Held::Held)
}

/// Tries to take a lock exclusively; false when it is taken (or just being probed).
pub(crate) fn try_take(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The sign that a worker lives: an exclusive lock on `workers/ID`, held until the value is
/// dropped or the process ends. No child inherits it (close-on-exec).
#[derive(Debug)]
pub struct LivingLock {
    file: File,
    path: PathBuf,
}

impl LivingLock {
    /// Makes the file if need be and takes its lock.
    ///
    /// Fails with `WouldBlock` when another living process holds it: ids must be unique.
    pub fn take(path: &Path) -> Result<Self, HostError> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(0o600)
            .open(path)
            .map_err(HostError::file("open", path))?;
        // A probe in flight holds it shared for an instant; that is no owner.
        for _ in 0..50 {
            if try_take(&file).map_err(HostError::file("lock", path))? {
                return Ok(Self {
                    file,
                    path: path.to_path_buf(),
                });
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Err(HostError::file("lock", path)(
            io::ErrorKind::WouldBlock.into(),
        ))
    }

    /// The lock's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the lock up and removes its file: a clean end.
    pub fn release(self) -> Result<(), HostError> {
        std::fs::remove_file(&self.path).map_err(HostError::file("remove", &self.path))?;
        self.file
            .unlock()
            .map_err(HostError::file("unlock", &self.path))
    }
}
