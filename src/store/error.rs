//! What can go wrong with the store. Each message names the thing, the cause and what to do next.

use super::types::Damage;
use crate::run::memory::MemoryId;
use crate::run::{CallId, Head, RunId, Seq};
use std::path::{Path, PathBuf};

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database or its folder cannot be opened.
    #[error("cannot open the database {}: {why}. Check that its folder exists and can be written, or name another file with --db", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The file lies where SQLite's locks cannot be trusted.
    #[error("the database {} would lie on a network file system ({kind}), where its locks cannot be trusted. Name a file on a local disk with --db", path.display())]
    NetworkFs {
        /// The file.
        path: PathBuf,
        /// Kind of file system.
        kind: &'static str,
    },
    /// A file that something else made.
    #[error("{} is not a wakeful database and was left as it is. Name another file with --db", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// A newer program wrote it.
    #[error("the database {} has schema {found}, this program knows up to {known}. Use the newer program, or another file with --db", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Schema of the file.
        found: i64,
        /// Newest schema known.
        known: i64,
    },
    /// Other processes held the lock all the time.
    #[error(
        "the database stayed locked by another process for {waited_ms} ms; nothing was written. Try again, or end the process that holds it"
    )]
    Busy {
        /// How long it was tried, milliseconds.
        waited_ms: u64,
    },
    /// The disk is full or fails.
    #[error(
        "the database could not be written ({why}); nothing of it was stored. Free some disk space; the run goes on from where it is"
    )]
    Full {
        /// What SQLite said.
        why: String,
    },
    /// The file itself is damaged.
    #[error("the database file {} is damaged ({why}). Run `wakeful doctor`, or put a backup in its place", named(path.as_deref()))]
    Corrupt {
        /// The file; none before the store that met it has named it.
        path: Option<PathBuf>,
        /// What SQLite said.
        why: String,
    },
    /// The file, or the disk it lies on, is read-only for us.
    #[error("the database file {} cannot be written ({why}); nothing was stored. Make it writable (chmod u+w), or name another file with --db", named(path.as_deref()))]
    NotWritable {
        /// The file; none before the store that met it has named it.
        path: Option<PathBuf>,
        /// What SQLite said.
        why: String,
    },
    /// Something that is no file.
    #[error("{} is {what} and holds no database; it was left as it is. Name a file with --db", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
        /// What it is, with its article.
        what: &'static str,
    },
    /// No such run.
    #[error("there is no run \"{text}\". `wakeful runs` lists them")]
    NoRun {
        /// What was asked for.
        text: String,
    },
    /// Several runs begin like this.
    #[error("\"{text}\" could be {}. Give more digits", candidates.iter().map(RunId::as_str).collect::<Vec<_>>().join(", "))]
    Ambiguous {
        /// What was asked for.
        text: String,
        /// The first few that fit.
        candidates: Vec<RunId>,
    },
    /// A run of this id is there already.
    #[error("there is a run {run} already; nothing was written")]
    Exists {
        /// The run.
        run: RunId,
    },
    /// No such memory.
    #[error("there is no memory {id}. `wakeful memory` lists them")]
    NoMemory {
        /// What was asked for.
        id: MemoryId,
    },
    /// A memory that cannot be kept or changed like this.
    #[error("no memory is changed: {why}")]
    BadMemory {
        /// Why, and what to do.
        why: String,
    },
    /// No such call.
    #[error("there is no call \"{text}\". `wakeful intents` lists them")]
    NoCall {
        /// What was asked for.
        text: String,
    },
    /// Several calls begin like this.
    #[error("\"{text}\" could be {}. Give more digits", candidates.iter().map(CallId::as_str).collect::<Vec<_>>().join(", "))]
    AmbiguousCall {
        /// What was asked for.
        text: String,
        /// The first few that fit.
        candidates: Vec<CallId>,
    },
    /// No such checkpoint.
    #[error("run {run} has no checkpoint {step}. `wakeful checkpoints {run}` lists them")]
    NoCheckpoint {
        /// The run.
        run: RunId,
        /// What was asked for.
        step: String,
    },
    /// A content that an event names is not stored.
    #[error("the content {hash} is not in the database; `wakeful doctor` shows what names it")]
    NoBlob {
        /// Its hash.
        hash: String,
    },
    /// A content does not fit its hash.
    #[error("the content {hash} is damaged ({why}); `wakeful doctor` shows what names it")]
    BadBlob {
        /// Its hash.
        hash: String,
        /// What is wrong.
        why: String,
    },
    /// Somebody else wrote the run in between, or owns it now.
    #[error("run {run} has moved on: {why}. Load it again")]
    Stale {
        /// The run.
        run: RunId,
        /// The head as it is.
        found: Box<Head>,
        /// What differs.
        why: String,
    },
    /// An event that cannot follow, or a commit that is not whole.
    #[error("nothing was written to run {run}: {why}")]
    Refused {
        /// The run.
        run: RunId,
        /// Why.
        why: String,
    },
    /// A decision that does not fit the call as it stands.
    #[error("call {call} cannot be decided: {why}")]
    NotDecidable {
        /// The call.
        call: CallId,
        /// Why, and what to do.
        why: String,
    },
    /// A message that a commit was to deliver was taken back by a person before.
    #[error("run {run}: a message was taken back before it was delivered; nothing was written")]
    TakenBack {
        /// The run.
        run: RunId,
    },
    /// A run that a newer program wrote.
    #[error("run {run} can be read but not written: {why}. Use the newer program")]
    ReadOnly {
        /// The run.
        run: RunId,
        /// Why.
        why: String,
    },
    /// A run whose journal is damaged.
    #[error("run {run} is damaged at event {} ({}); it is not written until a person accepts the damage. `wakeful doctor` shows it, `wakeful doctor --accept-damage {run}` accepts it", damage.first_bad_seq, damage.reason)]
    Damaged {
        /// The run.
        run: RunId,
        /// Where and how.
        damage: Damage,
    },
    /// One row cannot be trusted.
    #[error("event {seq} of run {run} is damaged: {why}. `wakeful doctor` shows it")]
    BadRow {
        /// The run.
        run: RunId,
        /// The row.
        seq: Seq,
        /// What is wrong.
        why: String,
    },
    /// A file beside the database.
    #[error("cannot use {}: {why}. Check the disk and the permissions", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The writing thread is gone.
    #[error("the store is closed; start wakeful again")]
    Closed,
    /// Anything else that SQLite says.
    #[error("the database said: {0}. Run `wakeful doctor`")]
    Sql(String),
}

/// The file's name in a sentence.
fn named(path: Option<&Path>) -> String {
    path.map_or_else(|| "in use".to_owned(), |path| path.display().to_string())
}

impl StoreError {
    /// True if the lock was held by others: the same thing may work a moment later.
    pub fn is_busy(&self) -> bool {
        matches!(self, StoreError::Busy { .. })
    }

    /// The same, with the file that it is about: SQLite does not name it.
    pub(super) fn of(self, file: &Path) -> Self {
        match self {
            StoreError::Corrupt { path: None, why } => {
                StoreError::Corrupt { path: Some(file.to_path_buf()), why }
            }
            StoreError::NotWritable { path: None, why } => {
                StoreError::NotWritable { path: Some(file.to_path_buf()), why }
            }
            other => other,
        }
    }

    /// True if the disk is full or fails.
    pub fn is_full(&self) -> bool {
        matches!(self, StoreError::Full { .. })
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => StoreError::Busy { waited_ms: 0 },
            Some(Code::DiskFull | Code::SystemIoFailure) => StoreError::Full { why: text },
            Some(Code::ReadOnly) => StoreError::NotWritable { path: None, why: text },
            Some(Code::DatabaseCorrupt) => StoreError::Corrupt { path: None, why: text },
            _ => StoreError::Sql(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::{Connection, OpenFlags};

    #[test]
    fn a_file_that_cannot_be_written_is_named_with_what_helps() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("w.db");
        Connection::open(&file).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
        let conn = Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let error = StoreError::from(conn.execute_batch("INSERT INTO t VALUES (1)").unwrap_err()).of(&file);
        let said = error.to_string();
        assert!(
            said.starts_with(&format!("the database file {} cannot be written (", file.display())),
            "{said}"
        );
        assert!(
            said.contains("Make it writable") && said.contains("--db") && !said.contains("doctor"),
            "{said}"
        );
    }
}
