//! Calls, open and closed: the table names the events, the events hold arguments and results.

use super::bridge::is_set_aside;
use super::derive::effect_number;
use super::error::StoreError;
use super::journal::{known_event, load, parts, run_head};
use super::open::Store;
use super::rows::{nat, small};
use super::runs::find_run;
use super::types::{CallFilter, CallRow};
use crate::run::{
    Author, Body, CallId, CallStatus, Class, Epoch, Event, Hash, Millis, Origin, RunId, Seq, StepNo,
    TimelineNo,
};
use rusqlite::{Connection, Row, ToSql, params};

/// Candidates that an ambiguous prefix shows.
const CANDIDATES: i64 = 5;
/// How many runs back earlier reasons are looked for.
const REASONS_OF: i64 = 200;
/// The columns of [`Lean`], in its order; `c` are the calls and `r` the runs.
const COLUMNS: &str =
    "c.run_no, r.id, c.seq, c.call_id, c.timeline, c.step, c.position, c.origin, c.tool, c.class,
    c.status, c.attempt, c.spool_epoch, c.args_seq, c.since, c.end_seq, c.decided_by, c.why";

/// All states of a call, for reading stored words.
const STATUSES: [CallStatus; 10] = [
    CallStatus::Proposed,
    CallStatus::Waiting,
    CallStatus::Approved,
    CallStatus::Started,
    CallStatus::Done,
    CallStatus::Failed,
    CallStatus::Rejected,
    CallStatus::Denied,
    CallStatus::Cancelled,
    CallStatus::Uncertain,
];

/// The state of a stored word; a word that is none reads as uncertain, which a person looks at.
pub(super) fn status_of(word: &str) -> CallStatus {
    STATUSES.into_iter().find(|status| status.word() == word).unwrap_or(CallStatus::Uncertain)
}

fn class_of(word: &str) -> Class {
    let all = [Class::Read, Class::Keyed, Class::Effect, Class::Inner, Class::Person];
    all.into_iter().find(|class| class.word() == word).unwrap_or(Class::Effect)
}

/// A row of the table, without what stands in events.
struct Lean {
    run_no: i64,
    run: RunId,
    seq: Seq,
    call_id: CallId,
    timeline: TimelineNo,
    step: StepNo,
    position: u32,
    origin: Origin,
    tool: String,
    class: Class,
    status: CallStatus,
    attempt: u32,
    spool_epoch: Epoch,
    args_seq: Seq,
    since: Millis,
    end_seq: Option<Seq>,
    decided_by: Option<String>,
    why: Option<String>,
}

impl Lean {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let origin: i64 = row.get(7)?;
        Ok(Self {
            run_no: row.get(0)?,
            run: RunId::new(row.get::<_, String>(1)?),
            seq: nat(row.get(2)?),
            call_id: CallId::new(row.get::<_, String>(3)?),
            timeline: small(row.get(4)?),
            step: small(row.get(5)?),
            position: small(row.get(6)?),
            origin: match usize::try_from(origin) {
                Ok(0) | Err(_) => Origin::Model,
                Ok(number) => Origin::Check(number - 1),
            },
            tool: row.get(8)?,
            class: class_of(&row.get::<_, String>(9)?),
            status: status_of(&row.get::<_, String>(10)?),
            attempt: small(row.get(11)?),
            spool_epoch: nat(row.get(12)?),
            args_seq: nat(row.get(13)?),
            since: row.get(14)?,
            end_seq: row.get::<_, Option<i64>>(15)?.map(nat),
            decided_by: row.get(16)?,
            why: row.get(17)?,
        })
    }

    /// With arguments and results from the events.
    fn fill(self, conn: &Connection) -> Result<CallRow, StoreError> {
        let (args, args_hash, effect_key) = match arguments(conn, &self.run, self.run_no, self.args_seq) {
            Err(StoreError::BadRow { .. }) if is_set_aside(conn, self.run_no, self.args_seq)? => {
                (lost(), Hash::from_hex(""), Hash::from_hex(""))
            }
            other => other?,
        };
        let (mut result, mut output, mut ended, mut ms) = (None, None, None, None);
        if let Some(seq) = self.end_seq {
            match known_event(conn, &self.run, self.run_no, seq) {
                Err(StoreError::BadRow { .. }) if is_set_aside(conn, self.run_no, seq)? => {
                    (result, ended) = (Some(lost()), Some(self.since));
                }
                other => {
                    let (envelope, event) = other?;
                    if let Event::CallFinished { ms: ran, .. } = &event {
                        ms = Some(*ran);
                    }
                    (result, output) = outcome(event);
                    ended = Some(envelope.at);
                }
            }
        }
        let decided_by: Option<Author> = self.decided_by.and_then(|text| serde_json::from_str(&text).ok());
        Ok(CallRow {
            call_id: self.call_id,
            run: self.run,
            seq: self.seq,
            timeline: self.timeline,
            step: self.step,
            position: self.position,
            origin: self.origin,
            tool: self.tool,
            class: self.class,
            status: self.status,
            args_hash,
            effect_key,
            attempt: self.attempt,
            spool_epoch: self.spool_epoch,
            why: self.why,
            args,
            result,
            output,
            decided_by,
            since: self.since,
            ended,
            ms,
        })
    }
}

/// What stands for a text whose event was set aside as damaged.
fn lost() -> Body {
    Body::Inline("\"(set aside as damaged)\"".to_owned())
}

fn arguments(
    conn: &Connection,
    run: &RunId,
    run_no: i64,
    seq: Seq,
) -> Result<(Body, Hash, Hash), StoreError> {
    let (_, event) = known_event(conn, run, run_no, seq)?;
    if let Event::CallProposed(proposal) = event {
        return Ok((proposal.args, proposal.args_hash, proposal.effect_key));
    }
    if let Event::CallEdited { args, args_hash, effect_key, .. } = event {
        return Ok((args, args_hash, effect_key));
    }
    let why = "it should hold the arguments of a call and does not".to_owned();
    Err(StoreError::BadRow { run: run.clone(), seq, why })
}

/// What the model got from the event that closed a call, and the whole output.
fn outcome(event: Event) -> (Option<Body>, Option<Body>) {
    if let Event::CallFinished { result, output, .. } | Event::CallReused { result, output, .. } = event {
        return (Some(result.body), output);
    }
    if let Event::CallRejected { result, .. }
    | Event::CallDenied { result, .. }
    | Event::CallCancelled { result, .. }
    | Event::CallAnswered { result, .. } = event
    {
        return (Some(result.body), None);
    }
    if let Event::CallNotStarted { end, .. } = event {
        return (end.map(|end| end.result.body), None);
    }
    if let Event::CallResolved { result, .. } = event {
        return (result.map(|result| result.body), None);
    }
    (None, None)
}

fn query(conn: &Connection, rest: &str, values: &[&dyn ToSql]) -> Result<Vec<CallRow>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM calls c JOIN runs r ON r.run_no = c.run_no {rest}");
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map(values, Lean::from_row)?;
    let mut calls = Vec::new();
    for row in rows {
        calls.push(row?.fill(conn)?);
    }
    Ok(calls)
}

fn filtered(conn: &Connection, filter: &CallFilter) -> Result<Vec<CallRow>, StoreError> {
    let mut wheres = Vec::new();
    let run_no = match &filter.run {
        Some(run) => Some(run_head(conn, run)?.run_no),
        None => None,
    };
    if run_no.is_some() {
        wheres.push("c.run_no = ?1".to_owned());
    } else {
        wheres.push("?1 IS NULL".to_owned());
    }
    if filter.open_only {
        wheres.push("c.end_seq IS NULL".to_owned());
    }
    if !filter.statuses.is_empty() {
        // Our own words, never a person's text.
        let words: Vec<String> = filter.statuses.iter().map(|s| format!("'{}'", s.word())).collect();
        wheres.push(format!("c.status IN ({})", words.join(", ")));
    }
    let limit = filter.limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(-1);
    let rest = format!("WHERE {} ORDER BY c.run_no DESC, c.seq DESC LIMIT ?2", wheres.join(" AND "));
    let mut calls = query(conn, &rest, &[&run_no, &limit])?;
    calls.reverse();
    Ok(calls)
}

impl Store {
    /// Calls, oldest run and call first.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], [`StoreError::BadRow`] if an event that holds arguments or results is damaged.
    pub async fn calls(&self, filter: CallFilter) -> Result<Vec<CallRow>, StoreError> {
        self.read(move |conn| filtered(conn, &filter)).await
    }

    /// How many calls a run has in each state, on all its timelines; states without a call are left out.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub async fn call_counts(&self, run: &RunId) -> Result<Vec<(CallStatus, u64)>, StoreError> {
        let run = run.clone();
        self.read(move |conn| {
            let run_no = run_head(conn, &run)?.run_no;
            let sql = "SELECT status, count(*) FROM calls WHERE run_no = ?1 GROUP BY status";
            let mut statement = conn.prepare_cached(sql)?;
            let rows = statement
                .query_map([run_no], |row| Ok((status_of(&row.get::<_, String>(0)?), nat(row.get(1)?))))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// What persons last said when they denied a call, whatever run it was in: the newest first, none twice, at most
    /// `most`. Only the calls of the last runs are looked at, so that it costs the same in a large store.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub async fn reasons(&self, most: usize) -> Result<Vec<String>, StoreError> {
        self.read(move |conn| reasons(conn, most)).await
    }

    /// The call that a person means: its id, a unique prefix of it (with or without `c-`), or `RUN:14.2`, the second
    /// call of step 14; of several with that place, the one on the present timeline.
    ///
    /// # Errors
    /// [`StoreError::NoCall`], [`StoreError::AmbiguousCall`], and those of finding the run.
    pub async fn find_call(&self, text: &str) -> Result<CallRow, StoreError> {
        let text = text.to_owned();
        self.read(move |conn| match text.rsplit_once(':') {
            Some((run, place)) => call_at(conn, &text, run, place),
            None => call_named(conn, &text),
        })
        .await
    }

    /// Calls of a run that do the same as one with this effect key, whatever timeline they are on, oldest first.
    ///
    /// # Errors
    /// As [`Store::calls`].
    pub async fn same_effect(&self, effect_key: &Hash, run: &RunId) -> Result<Vec<CallRow>, StoreError> {
        let (key, run) = (effect_key.clone(), run.clone());
        self.read(move |conn| {
            let run_no = run_head(conn, &run)?.run_no;
            let rest = "WHERE c.effect = ?1 AND c.run_no = ?2 ORDER BY c.seq";
            let mut calls = query(conn, rest, &[&effect_number(&key), &run_no])?;
            // One whose arguments were set aside may be the same: whoever asks is told of it.
            calls.retain(|call| call.effect_key == key || call.effect_key.as_str().is_empty());
            Ok(calls)
        })
        .await
    }

    /// The newest other call with the same effect in a run of the same folder that may have happened, on whatever timeline.
    ///
    /// # Errors
    /// As [`Store::calls`].
    pub async fn same_effect_elsewhere(&self, call: &CallRow) -> Result<Option<CallRow>, StoreError> {
        let (key, own, run) = (call.effect_key.clone(), call.call_id.clone(), call.run.clone());
        self.read(move |conn| {
            let rest = "WHERE c.effect = ?1 AND c.call_id <> ?2
                 AND r.workspace = (SELECT workspace FROM runs WHERE id = ?3)
                 AND c.status IN (?4, ?5, ?6, ?7) ORDER BY c.since DESC LIMIT ?8";
            let may = [CallStatus::Started, CallStatus::Done, CallStatus::Failed, CallStatus::Uncertain];
            let [started, done, failed, uncertain] = may.map(CallStatus::word);
            let values: [&dyn ToSql; 8] = [
                &effect_number(&key),
                &own.as_str(),
                &run.as_str(),
                &started,
                &done,
                &failed,
                &uncertain,
                &CANDIDATES,
            ];
            // The number is short for the key: others may have it too.
            Ok(query(conn, rest, &values)?.into_iter().find(|other| other.effect_key == key))
        })
        .await
    }
}

fn reasons(conn: &Connection, most: usize) -> Result<Vec<String>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT why, decided_by FROM calls
         WHERE run_no > (SELECT ifnull(max(run_no), 0) FROM runs) - ?1 AND status = ?2 AND why <> ''
         ORDER BY since DESC",
    )?;
    let mut rows = statement.query(params![REASONS_OF, CallStatus::Denied.word()])?;
    let mut reasons: Vec<String> = Vec::new();
    while let Some(row) = rows.next()? {
        let by: Option<String> = row.get(1)?;
        let by = by.and_then(|text| serde_json::from_str(&text).ok());
        let reason: String = row.get(0)?;
        if matches!(by, Some(Author::Person(_))) && !reasons.contains(&reason) {
            reasons.push(reason);
        }
        if reasons.len() >= most {
            break;
        }
    }
    Ok(reasons)
}

fn call_named(conn: &Connection, text: &str) -> Result<CallRow, StoreError> {
    let none = || StoreError::NoCall { text: text.to_owned() };
    if text.is_empty() {
        return Err(none());
    }
    let mut found = beginning_with(conn, text)?;
    if found.is_empty() && !text.starts_with("c-") {
        found = beginning_with(conn, &format!("c-{text}"))?;
    }
    if found.len() > 1 && !found.iter().any(|id| id == text) {
        let candidates = found.into_iter().map(CallId::new).collect();
        return Err(StoreError::AmbiguousCall { text: text.to_owned(), candidates });
    }
    let whole = found.iter().find(|id| *id == text).or(found.first()).ok_or_else(none)?;
    query(conn, "WHERE c.call_id = ?1", &[whole])?.pop().ok_or_else(none)
}

fn beginning_with(conn: &Connection, prefix: &str) -> Result<Vec<String>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT call_id FROM calls WHERE call_id >= ?1 AND call_id < ?1 || char(1114111)
         ORDER BY call_id LIMIT ?2",
    )?;
    let rows = statement.query_map(params![prefix, CANDIDATES], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn call_at(conn: &Connection, text: &str, run: &str, place: &str) -> Result<CallRow, StoreError> {
    let none = || StoreError::NoCall { text: text.to_owned() };
    let (step, position) = place.split_once('.').ok_or_else(none)?;
    let step: StepNo = step.parse().map_err(|_| none())?;
    let position: u32 = position.parse().map_err(|_| none())?;
    let run = find_run(conn, run)?;
    let head = run_head(conn, &run)?;
    let rest = "WHERE c.run_no = ?1 AND c.step = ?2 AND c.position = ?3 ORDER BY c.origin DESC, c.seq";
    let mut calls = query(conn, rest, &[&head.run_no, &step, &position])?;
    let state = load(conn, &head, &run)?.state;
    let parts = parts(&state, state.head.timeline);
    let here =
        calls.iter().rposition(|c| parts.iter().any(|(first, last)| (*first..=*last).contains(&c.seq)));
    match here {
        Some(at) => Ok(calls.swap_remove(at)),
        None => calls.pop().ok_or_else(none),
    }
}
