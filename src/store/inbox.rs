//! What people ask of runs: rows that any process writes and the owner turns into events.
//!
//! A decision names the call, the arguments and the attempt its author saw. It is judged in the transaction that
//! writes it: the first one wins, the next one learns at once who was first, and one about something else is refused.

use super::commit::open_for_writing;
use super::error::StoreError;
use super::journal::{load, run_head};
use super::open::Store;
use super::rows::nat;
use super::types::{Durability, InboxId, InboxRow, Posted};
use super::writer::Remembered;
use crate::run::{
    Author, Call, CallId, CallStatus, Control, Decision, Hash, Millis, Resolution, RunId, RunState, Seq,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::sync::Arc;

impl Store {
    /// Asks something of a run. It is on the disk when this returns.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], [`StoreError::NotDecidable`] for a decision that does not fit its call,
    /// [`StoreError::ReadOnly`], [`StoreError::Full`], [`StoreError::Busy`].
    pub async fn post(
        &self,
        run: &RunId,
        control: Control,
        author: Author,
        now: Millis,
    ) -> Result<Posted, StoreError> {
        let run = run.clone();
        self.write(move |writer| {
            writer.transaction(Durability::Synced, |conn, remembered| {
                let (run_no, state) = state_of(conn, remembered, &run)?;
                let decision = if let Control::Decide { call_id, args_hash, attempt, decision } = &control {
                    let about = About { call_id, args_hash, attempt: *attempt, decision };
                    if let Some(lost) = judge(conn, run_no, &state, &about)? {
                        return Ok(lost);
                    }
                    Some(about)
                } else {
                    None
                };
                insert(conn, run_no, &control, decision.as_ref(), &author, now)
            })
        })
        .await
    }

    /// What was asked of a run and is not taken yet, in the order it was asked.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], or what SQLite says.
    pub async fn pending(&self, run: &RunId) -> Result<Vec<InboxRow>, StoreError> {
        let run = run.clone();
        self.read(move |conn| {
            let run_no = run_head(conn, &run)?.run_no;
            let mut statement = conn.prepare_cached(
                "SELECT id, control, author, at FROM inbox WHERE run_no = ?1 AND taken_at IS NULL ORDER BY id",
            )?;
            let mut rows = statement.query([run_no])?;
            let mut pending = Vec::new();
            while let Some(row) = rows.next()? {
                pending.push(InboxRow {
                    id: row.get(0)?,
                    run: run.clone(),
                    control: json(row, 1)?,
                    author: json(row, 2)?,
                    at: row.get(3)?,
                });
            }
            Ok(pending)
        })
        .await
    }

    /// The run's head after the commit that answered a control; none while it waits to be taken.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn taken(&self, id: InboxId) -> Result<Option<Seq>, StoreError> {
        self.read(move |conn| {
            let mut statement = conn.prepare_cached("SELECT taken_seq FROM inbox WHERE id = ?1")?;
            let seq: Option<Option<i64>> = statement.query_row([id], |row| row.get(0)).optional()?;
            Ok(seq.flatten().map(nat))
        })
        .await
    }

    /// The runs of which something is asked that is not taken yet.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn pending_runs(&self) -> Result<Vec<RunId>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT r.id FROM runs r WHERE EXISTS
                 (SELECT 1 FROM inbox i WHERE i.run_no = r.run_no AND i.taken_at IS NULL) ORDER BY r.run_no",
            )?;
            let rows = statement.query_map([], |row| Ok(RunId::new(row.get::<_, String>(0)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}

/// A decision with what its author saw.
struct About<'a> {
    call_id: &'a CallId,
    args_hash: &'a Hash,
    attempt: u32,
    decision: &'a Decision,
}

/// The state to judge by. A damaged run may still be asked things; they are taken once its damage is accepted.
fn state_of(
    conn: &Connection,
    remembered: &Remembered,
    run: &RunId,
) -> Result<(i64, Arc<RunState>), StoreError> {
    match open_for_writing(conn, remembered, run) {
        Ok(open) => Ok((open.head.run_no, open.state)),
        Err(StoreError::Damaged { .. }) => {
            let head = run_head(conn, run)?;
            Ok((head.run_no, load(conn, &head, run)?.state))
        }
        Err(other) => Err(other),
    }
}

fn judge(
    conn: &Connection,
    run_no: i64,
    state: &RunState,
    about: &About<'_>,
) -> Result<Option<Posted>, StoreError> {
    if let Some(lost) = earlier(conn, run_no, about, true)? {
        return Ok(Some(lost));
    }
    let fits = match state.open_call(about.call_id) {
        Some(call) => fits(call, about),
        None => Err(match status_word(conn, run_no, about.call_id)? {
            Some(word) => format!("it is {word}; nothing about it is open"),
            None => "this run has no such call; `wakeful intents` lists them".to_owned(),
        }),
    };
    match fits {
        Ok(()) => Ok(None),
        // Taken already: say who was first.
        Err(why) => match earlier(conn, run_no, about, false)? {
            Some(lost) => Ok(Some(lost)),
            None => Err(StoreError::NotDecidable { call: about.call_id.clone(), why }),
        },
    }
}

fn fits(call: &Call, about: &About<'_>) -> Result<(), String> {
    if call.args_hash != *about.args_hash {
        return Err("its arguments were changed since they were shown; look at it again".to_owned());
    }
    if call.attempt != about.attempt {
        let why = "the decision is about attempt";
        return Err(format!(
            "{why} {} and it is at attempt {}; look at it again",
            about.attempt, call.attempt
        ));
    }
    match about.decision {
        Decision::Resolve { spool, .. } => {
            if call.status != CallStatus::Uncertain {
                return Err(format!("it is {}, not uncertain", call.status.word()));
            }
            if call.spool() != *spool {
                return Err("the question was about another attempt; look at it again".to_owned());
            }
            Ok(())
        }
        Decision::Approve
        | Decision::ApproveEdited { .. }
        | Decision::ApproveShown { .. }
        | Decision::Deny { .. }
        | Decision::Reuse { .. }
        | Decision::Answer { .. } => {
            if call.status == CallStatus::Waiting {
                return Ok(());
            }
            Err(format!("it is {}, it does not wait for a decision", call.status.word()))
        }
    }
}

/// The decision of the same thing that stands already: one that is still pending, or one that was taken.
fn earlier(
    conn: &Connection,
    run_no: i64,
    about: &About<'_>,
    pending: bool,
) -> Result<Option<Posted>, StoreError> {
    let which = if pending { "taken_at IS NULL" } else { "taken_at IS NOT NULL" };
    let mut statement = conn.prepare_cached(&format!(
        "SELECT control, author, at FROM inbox WHERE call_id = ?1 AND run_no = ?2 AND args_hash = ?3
         AND attempt = ?4 AND {which} ORDER BY id DESC LIMIT 1"
    ))?;
    let mut rows =
        statement.query(params![about.call_id.as_str(), run_no, about.args_hash.as_str(), about.attempt])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let control: Control = json(row, 0)?;
    let decision = if let Control::Decide { decision, .. } = &control {
        decision_words(decision)
    } else {
        control.word().to_owned()
    };
    Ok(Some(Posted::LostTo { by: json(row, 1)?, at: row.get(2)?, decision }))
}

fn decision_words(decision: &Decision) -> String {
    match decision {
        Decision::Approve | Decision::ApproveShown { args: None, .. } => "approved".to_owned(),
        Decision::ApproveEdited { .. } | Decision::ApproveShown { args: Some(_), .. } => {
            "approved with changed arguments".to_owned()
        }
        Decision::Deny { reason } if reason.is_empty() => "denied".to_owned(),
        Decision::Deny { reason } => format!("denied: {reason}"),
        Decision::Reuse { .. } => "its result of before reused".to_owned(),
        Decision::Answer { .. } => "answered".to_owned(),
        Decision::Resolve { resolution: Resolution::Happened, .. } => "it happened".to_owned(),
        Decision::Resolve { resolution: Resolution::Rerun, .. } => "run it again".to_owned(),
        Decision::Resolve { resolution: Resolution::Skip, .. } => "leave it".to_owned(),
    }
}

fn status_word(conn: &Connection, run_no: i64, call: &CallId) -> Result<Option<String>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT status FROM calls WHERE call_id = ?1 AND run_no = ?2")?;
    Ok(statement.query_row(params![call.as_str(), run_no], |row| row.get(0)).optional()?)
}

fn insert(
    conn: &Connection,
    run_no: i64,
    control: &Control,
    about: Option<&About<'_>>,
    author: &Author,
    now: Millis,
) -> Result<Posted, StoreError> {
    let text = |e: serde_json::Error| StoreError::Sql(format!("a control cannot be written as JSON: {e}"));
    let mut statement = conn.prepare_cached(
        "INSERT INTO inbox (run_no, at, author, control, call_id, args_hash, attempt)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    statement.execute(params![
        run_no,
        now,
        serde_json::to_string(author).map_err(text)?,
        serde_json::to_string(control).map_err(text)?,
        about.map(|about| about.call_id.as_str()),
        about.map(|about| about.args_hash.as_str()),
        about.map(|about| about.attempt),
    ])?;
    Ok(Posted::Row(conn.last_insert_rowid()))
}

/// A column of JSON.
pub(super) fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T, StoreError> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|e| StoreError::Sql(format!("a stored {text:?} cannot be read: {e}")))
}
