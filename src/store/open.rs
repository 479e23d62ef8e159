//! Opening: the file and its folder, the checks before anything is trusted, the settings of each connection.
//!
//! Opening a database that is up to date writes nothing to it, so that many processes can open it at once. Not to be
//! assumed: that WAL works where the file lies; it is tried, and without it every commit is synced.

use super::ballast::Ballast;
use super::error::StoreError;
use super::reader::Readers;
use super::types::{Journaling, StoreOptions};
use super::writer::{Job, Shared, Writer, start};
use super::{fs_check, migrate};
use rand::Rng;
use rusqlite::{Connection, OpenFlags};
use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};

/// Page size of new files, bytes; smaller pages waste space under rows of some kilobytes.
const PAGE_SIZE: u32 = 8192;
/// The WAL is cut to this after it was copied back, bytes.
const WAL_LIMIT: u32 = 16 << 20;
/// One wait of SQLite for a lock, before we try again with a jitter, milliseconds.
const LOCK_SLICE_MS: u64 = 250;
/// Folders inside `FILE.d`.
const FOLDERS: &[&str] = &["workers", "spool", "live", "log"];

/// The store: a cheap handle, usable from any task.
#[derive(Clone)]
pub struct Store {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) jobs: mpsc::Sender<Job>,
    pub(super) readers: Readers,
    pub(super) shared: Arc<Shared>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("path", &self.inner.shared.path).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens a database, making it and the folder beside it if they are not there, and migrating an older one after
    /// a backup. Blocks for as long as that takes.
    ///
    /// # Errors
    /// [`StoreError::NetworkFs`], [`StoreError::NotOurs`], [`StoreError::Newer`], [`StoreError::Busy`] after the
    /// wait of the options, or [`StoreError::Open`].
    pub fn open(options: StoreOptions) -> Result<Store, StoreError> {
        let failed = |why: String| StoreError::Open { path: options.path.clone(), why };
        let path = absolute(&options.path).map_err(|e| failed(e.to_string()))?;
        let folder = path.parent().unwrap_or(Path::new("/")).to_path_buf();
        make_folder(&folder).map_err(|e| failed(e.to_string()))?;
        if let Some(what) = no_file(&path) {
            return Err(StoreError::NotAFile { path, what });
        }
        fs_check::check(&path, &folder, options.fs_probe.as_ref())?;
        if !path.exists() {
            let made =
                create_private(&path).and_then(|()| File::open(&folder)).and_then(|dir| dir.sync_all());
            made.map_err(|e| failed(e.to_string()))?;
        }
        let mut told = false;
        let opened = retry(options.busy_at_open, || {
            let opened = open_and_migrate(&path, options.journaling);
            if !told && opened.as_ref().is_err_and(StoreError::is_busy) {
                told = true;
                options.on_busy.iter().for_each(|on_busy| on_busy());
            }
            opened
        });
        let (conn, wal) = opened.map_err(|error| named(error, &path))?;
        let dir = beside(&path);
        make_folder(&dir).map_err(|e| failed(e.to_string()))?;
        for name in FOLDERS {
            make_folder(&dir.join(name)).map_err(|e| failed(e.to_string()))?;
        }
        let ballast = Ballast::new(dir.join("ballast"), options.ballast);
        ballast.restore();
        let shared = Arc::new(Shared::new(path, dir, &options, wal, ballast));
        let jobs = start(Writer::new(conn, Arc::clone(&shared))).map_err(failed)?;
        Ok(Store { inner: Arc::new(Inner { jobs, readers: Readers::new(Arc::clone(&shared)), shared }) })
    }

    /// The folder beside the database: workers, spools, live texts, logs.
    pub fn dir(&self) -> &Path {
        &self.inner.shared.dir
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.inner.shared.path
    }

    /// Whether others hold the database: the last try to read or write it met their lock.
    pub fn is_held(&self) -> bool {
        self.inner.shared.held.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Hears what is the matter with the file once a read or write met damage in it.
    pub fn damage_met(&self) -> watch::Receiver<Option<String>> {
        self.inner.shared.corrupt.subscribe()
    }

    /// True if the journal is a WAL.
    pub fn is_wal(&self) -> bool {
        self.inner.shared.wal
    }

    /// Runs a job on the writing thread.
    pub(super) async fn write<T, F>(&self, job: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Writer) -> Result<T, StoreError> + Send + 'static,
    {
        let (tx, rx) = oneshot::channel();
        let job: Job = Box::new(move |writer| {
            // Nobody waits any more if the caller was dropped; what was written stands all the same.
            let _ = tx.send(job(writer));
        });
        self.inner.jobs.send(job).map_err(|_| StoreError::Closed)?;
        rx.await.map_err(|_| StoreError::Closed)?
    }

    /// Brings the WAL into the file and empties it: what a clean exit does. Other handles go on working.
    ///
    /// # Errors
    /// [`StoreError::Full`] on a full disk; a reader elsewhere that holds the WAL is no error.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.write(|writer| writer.try_empty_wal().map(drop)).await
    }
}

/// What stands at the path if that can be no database; none for a file, and if there is nothing.
fn no_file(path: &Path) -> Option<&'static str> {
    let kind = std::fs::metadata(path).ok()?.file_type();
    if kind.is_file() {
        return None;
    }
    Some(if kind.is_dir() { "a folder" } else { "a device, pipe or socket" })
}

/// Errors of opening speak of the file.
fn named(error: StoreError, path: &Path) -> StoreError {
    match error {
        StoreError::Sql(why) if why.contains("not a database") => {
            StoreError::NotOurs { path: path.to_path_buf() }
        }
        StoreError::Sql(why) => StoreError::Open { path: path.to_path_buf(), why },
        other => other.of(path),
    }
}

fn open_and_migrate(path: &Path, journaling: Journaling) -> Result<(Connection, bool), StoreError> {
    let conn = connect(path, false)?;
    let fresh: i64 = conn.query_row("PRAGMA page_count", [], |row| row.get(0))?;
    if fresh == 0 {
        conn.pragma_update(None, "page_size", PAGE_SIZE)?;
    }
    // Before anything is changed: is it ours at all, and not from a later program?
    migrate::checked_version(&conn, path, migrate::STEPS.len())?;
    let wanted = match journaling {
        Journaling::Auto => "wal",
        Journaling::Rollback => "delete",
    };
    let mode = journal_mode(&conn, wanted)?;
    let wal = mode.eq_ignore_ascii_case("wal");
    if !wal && journaling == Journaling::Auto {
        journal_mode(&conn, "delete")?;
    }
    conn.pragma_update(None, "journal_size_limit", WAL_LIMIT)?;
    migrate::migrate(&conn, path, migrate::STEPS)?;
    Ok((conn, wal))
}

fn journal_mode(conn: &Connection, wanted: &str) -> Result<String, StoreError> {
    let now: String = conn.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
    if now.eq_ignore_ascii_case(wanted) {
        return Ok(now);
    }
    Ok(conn.query_row(&format!("PRAGMA journal_mode = {wanted}"), [], |row| row.get(0))?)
}

/// A connection with our settings.
pub(super) fn connect(path: &Path, read_only: bool) -> Result<Connection, StoreError> {
    let flags = if read_only { OpenFlags::SQLITE_OPEN_READ_ONLY } else { OpenFlags::SQLITE_OPEN_READ_WRITE };
    let conn = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(Duration::from_millis(LOCK_SLICE_MS))?;
    conn.set_prepared_statement_cache_capacity(64);
    conn.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON",
    )?;
    Ok(conn)
}

/// Does `job` until the lock is free, waiting between tries for a time with a jitter, at most `longest` in all.
pub(super) fn retry<T>(
    longest: Duration,
    mut job: impl FnMut() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let begun = Instant::now();
    loop {
        match job() {
            Err(StoreError::Busy { .. }) if begun.elapsed() < longest => {
                std::thread::sleep(Duration::from_millis(rand::rng().random_range(3..30)));
            }
            Err(StoreError::Busy { .. }) => {
                let waited_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                return Err(StoreError::Busy { waited_ms });
            }
            other => return other,
        }
    }
}

fn absolute(path: &Path) -> std::io::Result<PathBuf> {
    std::path::absolute(path)
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().map(std::ffi::OsString::from).unwrap_or_default();
    name.push(".d");
    path.with_file_name(name)
}

/// Makes a file of mode 0600; one that somebody else just made is as good.
pub(super) fn create_private(path: &Path) -> std::io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes a folder of mode 0700 and those above it. An error names it.
fn make_folder(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| {
        std::io::Error::new(error.kind(), format!("its folder {} cannot be made: {error}", path.display()))
    })
}
