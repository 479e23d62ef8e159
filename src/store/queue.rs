//! Messages that wait in the inbox: a person can have one back while it is not delivered, or have it delivered at once.
//!
//! What the row says decides, in the transaction that changes it: once a worker has taken it, it stands in the journal and
//! stays there; once a person has it back, no worker can take it. The row stays and says who had it back.

use super::error::StoreError;
use super::inbox::json;
use super::journal::run_head;
use super::open::Store;
use super::rows::nat;
use super::types::{Durability, HadBack, InboxId};
use crate::run::{Author, Control, Millis, RunId};
use rusqlite::{Connection, OptionalExtension, params};

impl Store {
    /// Takes a message back that waits in the inbox. It is on the disk when this returns.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], [`StoreError::Refused`] if there is no such message, [`StoreError::Full`],
    /// [`StoreError::Busy`].
    pub async fn take_back(
        &self,
        run: &RunId,
        id: InboxId,
        author: Author,
        now: Millis,
    ) -> Result<HadBack, StoreError> {
        let run = run.clone();
        self.write(move |writer| {
            writer.transaction(Durability::Synced, |conn, _| {
                let run_no = run_head(conn, &run)?.run_no;
                let text = match waits(conn, run_no, &run, id)? {
                    Waits::Here { text, .. } => text,
                    Waits::Over(over) => return Ok(over),
                };
                conn.execute(
                    "UPDATE inbox SET taken_at = ?1, back_by = ?2 WHERE id = ?3",
                    params![now, written(&author)?, id],
                )?;
                Ok(HadBack::Text(text))
            })
        })
        .await
    }

    /// Lets a message that waits in the inbox be delivered at once: a request that is out is given up for it.
    ///
    /// # Errors
    /// As [`Store::take_back`].
    pub async fn hurry(&self, run: &RunId, id: InboxId) -> Result<HadBack, StoreError> {
        let run = run.clone();
        self.write(move |writer| {
            writer.transaction(Durability::Synced, |conn, _| {
                let run_no = run_head(conn, &run)?.run_no;
                let text = match waits(conn, run_no, &run, id)? {
                    Waits::Here { text } => text,
                    Waits::Over(over) => return Ok(over),
                };
                let control = Control::Message { text: text.clone(), now: true };
                conn.execute("UPDATE inbox SET control = ?1 WHERE id = ?2", params![written(&control)?, id])?;
                Ok(HadBack::Text(text))
            })
        })
        .await
    }

    /// Who had this row back; none if nobody had.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn had_back(&self, id: InboxId) -> Result<Option<Author>, StoreError> {
        self.read(move |conn| back_by(conn, id)).await
    }
}

/// How a message stands.
enum Waits {
    /// It waits.
    Here {
        /// Its words.
        text: String,
    },
    /// It does not wait any more.
    Over(HadBack),
}

fn waits(conn: &Connection, run_no: i64, run: &RunId, id: InboxId) -> Result<Waits, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT control, taken_at, taken_seq FROM inbox WHERE id = ?1 AND run_no = ?2")?;
    let mut rows = statement.query(params![id, run_no])?;
    let refused = |why: String| StoreError::Refused { run: run.clone(), why };
    let Some(row) = rows.next()? else { return Err(refused(format!("it has no message {id}"))) };
    let control: Control = json(row, 0)?;
    let (taken, seq): (Option<Millis>, Option<i64>) = (row.get(1)?, row.get(2)?);
    let Control::Message { text, .. } = control else {
        return Err(refused(format!("{id} is no message but a {}", control.word())));
    };
    if taken.is_none() {
        return Ok(Waits::Here { text });
    }
    match back_by(conn, id)? {
        Some(by) => Ok(Waits::Over(HadBack::Before(by))),
        None => Ok(Waits::Over(HadBack::TooLate(seq.map_or(0, nat)))),
    }
}

fn back_by(conn: &Connection, id: InboxId) -> Result<Option<Author>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT back_by FROM inbox WHERE id = ?1")?;
    let by: Option<Option<String>> = statement.query_row([id], |row| row.get(0)).optional()?;
    let Some(text) = by.flatten() else { return Ok(None) };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|e| StoreError::Sql(format!("{text:?} cannot be read: {e}")))
}

/// Whether a person had this row back.
pub(super) fn is_back(conn: &Connection, id: InboxId) -> Result<bool, StoreError> {
    Ok(back_by(conn, id)?.is_some())
}

fn written(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|e| StoreError::Sql(format!("it cannot be written as JSON: {e}")))
}
