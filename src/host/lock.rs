//! Locks by `flock`: held by an open file, gone with the process that holds it, however it dies.
//!
//! A probe takes the lock shared and lets go at once, so probes never see each other, but a probe
//! can make an exclusive try fail for a moment: whoever takes a lock tries more than once.
//! Not for network file systems, where a lock may outlive its holder.

use super::HostError;
use super::process::{ProcessId, Sent};
use rustix::process::Signal;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

/// Who signed a living lock last; `None` when the file is gone or unsigned. Says nothing about
/// whether it is held now.
pub fn holder(path: &Path) -> io::Result<Option<ProcessId>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Ends the worker that holds a living lock, and waits until the lock is free: what a take-over
/// from a worker that only sleeps needs, since that one could wake in the middle of a write.
/// Only when a person said so. Blocks up to `patience`.
///
/// True: the lock is free, nothing of that worker goes on. False: it is still held, or nobody
/// knows by whom; the run must not be taken.
pub fn end_holder(path: &Path, patience: Duration) -> Result<bool, HostError> {
    let until = Instant::now() + patience;
    while is_held(path).map_err(HostError::file("probe", path))? {
        let Some(holder) = holder(path).map_err(HostError::file("read", path))? else {
            return Ok(false);
        };
        if holder.signal(Signal::KILL).map_err(HostError::file("end the holder of", path))? == Sent::Refused
            || Instant::now() >= until
        {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(true)
}

/// Removes the living locks in `folder` that nobody holds: of workers that were killed. A lock that is just being taken
/// is either seen as held, or taken anew by its owner, who looks whether its file still stands.
pub fn sweep(folder: &Path) -> io::Result<()> {
    // One at a time: between the look of one and its removal another could make room for a new file of that name.
    let alone = File::open(folder)?;
    if !try_take(&alone)? {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let Ok(file) = File::open(&path) else { continue };
        // Held shared while it is removed, so that nobody takes it in between.
        if file.try_lock_shared().is_ok() && same_file(&file, &path) {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Whether `path` names this very file.
fn same_file(file: &File, path: &Path) -> bool {
    let (Ok(ours), Ok(named)) = (file.metadata(), std::fs::metadata(path)) else { return false };
    (ours.dev(), ours.ino()) == (named.dev(), named.ino())
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
        for _ in 0..10 {
            let this = Self::lock(path)?;
            if !this.stands() {
                continue;
            }
            if let Err(error) = this.sign() {
                // Nobody is to wait for a worker that did not come to be.
                let _ = std::fs::remove_file(path);
                return Err(HostError::file("write", path)(error));
            }
            return Ok(this);
        }
        Err(HostError::file("lock", path)(io::ErrorKind::NotFound.into()))
    }

    fn lock(path: &Path) -> Result<Self, HostError> {
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
                return Ok(Self { file, path: path.to_path_buf() });
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Err(HostError::file("lock", path)(io::ErrorKind::WouldBlock.into()))
    }

    /// True if the path still names the file that is locked: a sweep may have removed it in between.
    fn stands(&self) -> bool {
        same_file(&self.file, &self.path)
    }

    /// Leaves in the file who holds it, for [`end_holder`].
    fn sign(&self) -> io::Result<()> {
        let me = serde_json::to_vec(&ProcessId::of_self()?)?;
        self.file.set_len(0)?;
        self.file.write_all_at(&me, 0)
    }

    /// The lock's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the lock up and removes its file: a clean end.
    pub fn release(self) -> Result<(), HostError> {
        std::fs::remove_file(&self.path).map_err(HostError::file("remove", &self.path))?;
        self.file.unlock().map_err(HostError::file("unlock", &self.path))
    }
}

impl Drop for LivingLock {
    fn drop(&mut self) {
        // A child that is just being started has a copy of the file until it is its program: to close ours frees nothing.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_sweep_removes_the_locks_of_the_dead_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let living = LivingLock::take(&folder.path().join("living")).unwrap();
        let dead = folder.path().join("dead");
        std::fs::write(&dead, "{}").unwrap();
        sweep(folder.path()).unwrap();
        assert!(is_held(living.path()).unwrap());
        assert_eq!(probe(&dead).unwrap(), Held::Absent);
    }

    #[test]
    fn a_lock_that_is_taken_while_others_sweep_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    sweep(folder.path()).unwrap();
                }
            });
            for n in 0..300 {
                let lock = LivingLock::take(&folder.path().join(n.to_string()));
                let held = lock.as_ref().is_ok_and(|lock| is_held(lock.path()).unwrap());
                if !held {
                    over.store(true, Ordering::Relaxed);
                }
                assert!(held, "{n}: {lock:?}");
            }
            over.store(true, Ordering::Relaxed);
        });
    }
}
