//! Checkpoints of a run, steps by the names people give them, and the files that calls changed.

use super::bridge::is_set_aside;
use super::calls::status_of;
use super::derive::kind_of;
use super::error::StoreError;
use super::fold::state_at;
use super::journal::{known_event, load, parts, run_head};
use super::open::Store;
use super::rows::{int, nat, small};
use super::types::{CheckpointRow, FileChangeRow};
use crate::run::checkpoint::{Checkpoint, CheckpointKind, FileState};
use crate::run::{CallId, Event, RunId, Seq, StepRef};
use rusqlite::{Connection, OptionalExtension, params};

impl Store {
    /// All checkpoints of a run, oldest first, with the files changed since the one before.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], or what SQLite says.
    pub async fn checkpoints(&self, run: &RunId) -> Result<Vec<CheckpointRow>, StoreError> {
        self.checkpoints_after(run, 0).await
    }

    /// The checkpoints after an event, oldest first, with the files changed since the one before.
    ///
    /// # Errors
    /// As [`Store::checkpoints`].
    pub async fn checkpoints_after(&self, run: &RunId, seq: Seq) -> Result<Vec<CheckpointRow>, StoreError> {
        let run = run.clone();
        self.read(move |conn| {
            let run_no = run_head(conn, &run)?.run_no;
            let mut listed = checkpoints(conn, run_no, seq)?;
            count_files(conn, &run, run_no, seq, &mut listed)?;
            Ok(listed)
        })
        .await
    }

    /// The checkpoint that a person means: the start or a step, on a timeline or what it grew from.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], [`StoreError::NoCheckpoint`]; [`StoreError::Damaged`] if its state cannot be had any more.
    pub async fn resolve_step(&self, run: &RunId, step: StepRef) -> Result<Checkpoint, StoreError> {
        let run = run.clone();
        self.read(move |conn| {
            let head = run_head(conn, &run)?;
            let state = load(conn, &head, &run)?.state;
            let timeline = step.timeline.unwrap_or(state.head.timeline);
            let parts = parts(&state, timeline);
            let on_it = |seq: Seq| parts.iter().any(|(first, last)| (*first..=*last).contains(&seq));
            let named = |row: &CheckpointRow| match row.checkpoint.kind {
                CheckpointKind::Start | CheckpointKind::Step => row.checkpoint.step == step.step,
                CheckpointKind::End | CheckpointKind::BeforeRollback => false,
            };
            let found = checkpoints(conn, head.run_no, 0)?
                .into_iter()
                .rev()
                .find(|row| named(row) && on_it(row.checkpoint.seq));
            let name = match step.timeline {
                Some(timeline) => format!("{}@{timeline}", step.step),
                None => step.step.to_string(),
            };
            let Some(row) = found else {
                return Err(StoreError::NoCheckpoint { run: run.clone(), step: name });
            };
            // A state whose events are damaged, or were set aside, cannot be returned to: that is said before anything moves.
            match state_at(conn, head.run_no, &run, row.checkpoint.seq) {
                Err(StoreError::Damaged { damage, .. })
                    if is_set_aside(conn, head.run_no, damage.first_bad_seq)? =>
                {
                    let seq = damage.first_bad_seq;
                    let why = format!(
                        "step {name} cannot be returned to, since event {seq} before it was set aside as damaged"
                    );
                    Err(StoreError::Refused { run: run.clone(), why })
                }
                other => other.map(|_| row.checkpoint),
            }
        })
        .await
    }

    /// Every file that a call of the run was about to change, in order, with the call's state.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], [`StoreError::BadRow`].
    pub async fn file_changes(&self, run: &RunId) -> Result<Vec<FileChangeRow>, StoreError> {
        let run = run.clone();
        self.read(move |conn| file_changes(conn, &run)).await
    }
}

fn checkpoints(conn: &Connection, run_no: i64, after: Seq) -> Result<Vec<CheckpointRow>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT seq, timeline, step, kind, at, tokens FROM checkpoints WHERE run_no = ?1 AND seq > ?2 ORDER BY seq",
    )?;
    let rows = statement.query_map(params![run_no, int(after)], |row| {
        let checkpoint = Checkpoint {
            seq: nat(row.get(0)?),
            timeline: small(row.get(1)?),
            step: small(row.get(2)?),
            kind: kind_of(&row.get::<_, String>(3)?),
            at: row.get(4)?,
            tokens: nat(row.get(5)?),
        };
        Ok(CheckpointRow { checkpoint, files: 0, made: 0 })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn count_files(
    conn: &Connection,
    run: &RunId,
    run_no: i64,
    after: Seq,
    listed: &mut [CheckpointRow],
) -> Result<(), StoreError> {
    let mut statement = conn
        .prepare_cached("SELECT seq, files FROM file_events WHERE run_no = ?1 AND seq > ?2 ORDER BY seq")?;
    let rows =
        statement.query_map(params![run_no, int(after)], |row| Ok((nat(row.get(0)?), small(row.get(1)?))))?;
    for row in rows {
        let (seq, files) = row?;
        let at = listed.partition_point(|row| row.checkpoint.seq < seq);
        if let Some(row) = listed.get_mut(at) {
            row.files = row.files.saturating_add(files);
            row.made = row.made.saturating_add(made_in(conn, run, run_no, seq)?);
        }
    }
    Ok(())
}

/// How many files a call made that were not there before; none if its event cannot be read any more.
fn made_in(conn: &Connection, run: &RunId, run_no: i64, seq: Seq) -> Result<u32, StoreError> {
    match known_event(conn, run, run_no, seq) {
        Ok((_, Event::CallStarted { files, .. })) => {
            let made = files.iter().filter(|file| file.before == FileState::Absent);
            Ok(u32::try_from(made.count()).unwrap_or(u32::MAX))
        }
        Ok(_) | Err(StoreError::BadRow { .. }) => Ok(0),
        Err(other) => Err(other),
    }
}

fn file_changes(conn: &Connection, run: &RunId) -> Result<Vec<FileChangeRow>, StoreError> {
    let run_no = run_head(conn, run)?.run_no;
    let mut statement =
        conn.prepare_cached("SELECT seq, call_seq FROM file_events WHERE run_no = ?1 ORDER BY seq")?;
    let rows = statement.query_map([run_no], |row| Ok((nat(row.get(0)?), row.get::<_, i64>(1)?)))?;
    let mut changes = Vec::new();
    for row in rows {
        let (seq, call_seq) = row?;
        let (envelope, event) = match known_event(conn, run, run_no, seq) {
            // A file whose change is not known any more is one that others changed: a rollback keeps it.
            Err(StoreError::BadRow { .. }) if is_set_aside(conn, run_no, seq)? => continue,
            other => other?,
        };
        let Event::CallStarted { files, .. } = event else { continue };
        let mut call =
            conn.prepare_cached("SELECT call_id, step, status FROM calls WHERE run_no = ?1 AND seq = ?2")?;
        let found = call
            .query_row(params![run_no, call_seq], |row| {
                Ok((row.get::<_, String>(0)?, small(row.get(1)?), row.get::<_, String>(2)?))
            })
            .optional()?;
        let Some((call_id, step, status)) = found else {
            let why = "the table of calls does not know its call".to_owned();
            return Err(StoreError::BadRow { run: run.clone(), seq, why });
        };
        for file in files {
            changes.push(FileChangeRow {
                seq,
                timeline: envelope.timeline,
                step,
                call_id: CallId::new(call_id.clone()),
                path: file.path,
                before: file.before,
                after: file.after,
                made: file.made,
                status: status_of(&status),
            });
        }
    }
    Ok(changes)
}
