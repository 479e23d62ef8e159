//! Schema steps: `PRAGMA user_version` counts how many of them a file has had. A file that has had some gets a backup
//! beside it before the next one. Not to be assumed: that nobody else migrates at the same time; the version is read
//! again inside the transaction.

use super::error::StoreError;
use rusqlite::Connection;
use rusqlite::backup::Backup;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Marks a SQLite file as ours ("wake").
pub const APPLICATION_ID: i64 = 0x7761_6b65;
/// The steps, oldest first.
pub const STEPS: &[&str] = &[
    include_str!("migrations/0001_journal.sql"),
    include_str!("migrations/0002_derived.sql"),
    include_str!("migrations/0003_damage.sql"),
    include_str!("migrations/0004_person.sql"),
    include_str!("migrations/0005_memories.sql"),
    include_str!("migrations/0006_kept.sql"),
    include_str!("migrations/0007_conflicts.sql"),
];

/// What is derived, created where it is missing.
pub(super) const DERIVED: &str = include_str!("migrations/0002_derived.sql");

/// Number of steps that a file has had.
///
/// # Errors
/// What SQLite says.
pub fn version(conn: &Connection) -> Result<i64, StoreError> {
    Ok(conn.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Brings a file to the newest of `steps`; returns the backup that was made, if one was.
///
/// # Errors
/// [`StoreError::NotOurs`] for a file of something else, [`StoreError::Newer`] for a later schema, and what SQLite
/// says; the file is then as it was.
pub fn migrate(conn: &Connection, path: &Path, steps: &[&str]) -> Result<Option<PathBuf>, StoreError> {
    let newest = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    let found = checked_version(conn, path, steps.len())?;
    if found == newest {
        return Ok(None);
    }
    let backup = if found > 0 { Some(back_up(conn, path, found)?) } else { None };
    conn.execute_batch("BEGIN IMMEDIATE")?;
    match run_steps(conn, path, steps, newest) {
        Ok(()) => Ok(backup),
        Err(error) => {
            // The first error is what counts; a transaction that SQLite ended itself cannot be rolled back.
            let _ = conn.execute_batch("ROLLBACK");
            Err(error)
        }
    }
}

fn run_steps(conn: &Connection, path: &Path, steps: &[&str], newest: i64) -> Result<(), StoreError> {
    let found = checked_version(conn, path, steps.len())?;
    let done = usize::try_from(found).unwrap_or(0);
    for step in steps.iter().skip(done) {
        conn.execute_batch(step)?;
    }
    conn.execute_batch(&format!(
        "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {newest}; COMMIT"
    ))?;
    Ok(())
}

/// The number of steps a file has had, if it is ours and has not had more than `known`.
pub(super) fn checked_version(conn: &Connection, path: &Path, known: usize) -> Result<i64, StoreError> {
    let newest = i64::try_from(known).unwrap_or(i64::MAX);
    // One view of all three: another process may be making the file just now.
    conn.execute_batch("SAVEPOINT look")?;
    let seen = (|| -> Result<(i64, i64, i64), StoreError> {
        let found = version(conn)?;
        let id = conn.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        let tables = conn.query_row("SELECT count(name) FROM sqlite_schema", [], |row| row.get(0))?;
        Ok((found, id, tables))
    })();
    conn.execute_batch("RELEASE look")?;
    let (found, id, tables) = seen?;
    let fresh = found == 0 && id == 0 && tables == 0;
    if !fresh && id != APPLICATION_ID {
        return Err(StoreError::NotOurs { path: path.to_path_buf() });
    }
    if found > newest {
        return Err(StoreError::Newer { path: path.to_path_buf(), found, known: newest });
    }
    Ok(found)
}

fn back_up(conn: &Connection, path: &Path, found: i64) -> Result<PathBuf, StoreError> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let target = path.with_file_name(format!("{name}.schema-{found}.backup"));
    if !target.exists() {
        copy(conn, &target)?;
    }
    Ok(target)
}

/// Copies a database as it stands at this moment into a new file of mode 0600.
pub(super) fn copy(conn: &Connection, target: &Path) -> Result<(), StoreError> {
    let io = |why: String| StoreError::Io { path: target.to_path_buf(), why };
    let half = target.with_extension("part");
    // A part that a kill left behind is of no use to anybody.
    let _ = std::fs::remove_file(&half);
    super::open::create_private(&half).map_err(|e| io(e.to_string()))?;
    let copied = (|| {
        let mut to = Connection::open(&half)?;
        Backup::new(conn, &mut to)?.run_to_completion(256, Duration::ZERO, None)?;
        to.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
        to.close().map_err(|(_, error)| error)
    })();
    if let Err(error) = copied {
        let _ = std::fs::remove_file(&half);
        return Err(error.into());
    }
    let synced = std::fs::File::open(&half).and_then(|f| f.sync_all());
    synced.and_then(|()| std::fs::rename(&half, target)).map_err(|e| io(e.to_string()))
}
