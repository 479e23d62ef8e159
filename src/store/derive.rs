//! The derived tables, filled event by event inside the commit; a rebuild runs the same functions over all events.

use super::error::StoreError;
use super::fold::Moved;
use super::rows::{int, to_bytes};
use crate::run::checkpoint::CheckpointKind;
use crate::run::fold_ledger::{call_move, checkpoint_kind};
use crate::run::{Call, CallStatus, Decoded, Envelope, Event, Hash, Millis, Origin, RunState, Status};
use rusqlite::{Connection, params};

/// What an event does to the derived tables; `state` is the state after it.
pub(super) fn event(
    conn: &Connection,
    run_no: i64,
    state: &RunState,
    envelope: &Envelope,
    moved: &Moved,
) -> Result<(), StoreError> {
    let Decoded::Known(event) = &envelope.event else { return Ok(()) };
    if let Some(kind) = checkpoint_kind(event) {
        checkpoint(conn, run_no, state, envelope, kind)?;
    }
    if let Some(call) = &moved.call {
        if let Event::CallProposed(_) = event.as_ref() {
            insert_call(conn, run_no, call)?;
        } else {
            move_call(conn, run_no, state, envelope, event, call)?;
        }
    }
    if let (Event::CallStarted { files, .. }, Some(call)) = (event.as_ref(), &moved.call)
        && !files.is_empty()
    {
        let mut statement = conn.prepare_cached(
            "INSERT OR REPLACE INTO file_events (run_no, seq, call_seq, files) VALUES (?1, ?2, ?3, ?4)",
        )?;
        statement.execute(params![run_no, int(envelope.seq), int(call.seq), int(files.len() as u64)])?;
    }
    Ok(())
}

fn checkpoint(
    conn: &Connection,
    run_no: i64,
    state: &RunState,
    envelope: &Envelope,
    kind: CheckpointKind,
) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(
        "INSERT OR REPLACE INTO checkpoints (run_no, seq, timeline, step, kind, at, tokens)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    statement.execute(params![
        run_no,
        int(envelope.seq),
        envelope.timeline,
        state.path.step,
        kind_word(kind),
        envelope.at,
        int(state.ledger.totals.charged),
    ])?;
    Ok(())
}

/// The stored word of a checkpoint's kind.
pub(super) fn kind_word(kind: CheckpointKind) -> &'static str {
    match kind {
        CheckpointKind::Start => "start",
        CheckpointKind::Step => "step",
        CheckpointKind::End => "end",
        CheckpointKind::BeforeRollback => "before_rollback",
    }
}

/// The kind of a stored word.
pub(super) fn kind_of(word: &str) -> CheckpointKind {
    match word {
        "start" => CheckpointKind::Start,
        "end" => CheckpointKind::End,
        "before_rollback" => CheckpointKind::BeforeRollback,
        _ => CheckpointKind::Step,
    }
}

/// First eight bytes of an effect key as a number, for the index; whoever finds a row compares the whole key.
pub(super) fn effect_number(key: &Hash) -> i64 {
    let bytes = to_bytes(key);
    let first: [u8; 8] = bytes.get(..8).and_then(|b| b.try_into().ok()).unwrap_or_default();
    i64::from_le_bytes(first)
}

/// An origin as a number: 0 is the model, n + 1 the check of index n.
pub(super) fn origin_number(origin: Origin) -> i64 {
    match origin {
        Origin::Model => 0,
        Origin::Check(index) => i64::try_from(index).unwrap_or(i64::MAX - 1).saturating_add(1),
    }
}

/// A call as it stands in the state.
pub(super) fn insert_call(conn: &Connection, run_no: i64, call: &Call) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(
        "INSERT OR REPLACE INTO calls (run_no, seq, call_id, timeline, step, position, origin, tool, class, status,
         attempt, spool_epoch, effect, args_seq, moved_seq, since)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?14, ?15)",
    )?;
    statement.execute(params![
        run_no,
        int(call.seq),
        call.call_id.as_str(),
        call.timeline,
        call.step,
        call.position,
        origin_number(call.origin),
        call.tool,
        call.class.word(),
        call.status.word(),
        call.attempt,
        int(call.spool_epoch),
        effect_number(&call.effect_key),
        int(call.args_seq),
        call.since,
    ])?;
    Ok(())
}

fn move_call(
    conn: &Connection,
    run_no: i64,
    state: &RunState,
    envelope: &Envelope,
    event: &Event,
    before: &Call,
) -> Result<(), StoreError> {
    // A call that left the state is closed; its last move says how.
    let now = state.ledger.open.get(&before.seq);
    let status = match now {
        Some(call) => call.status,
        None => closed_status(before, event),
    };
    let call = now.unwrap_or(before);
    let decided = decides(event).then(|| serde_json::to_string(&envelope.author).ok()).flatten();
    let mut statement = conn.prepare_cached(
        "UPDATE calls SET status = ?3, attempt = ?4, spool_epoch = ?5, args_seq = ?6, moved_seq = ?7, since = ?8,
         end_seq = ?9, decided_by = coalesce(?10, decided_by), why = coalesce(?11, why)
         WHERE run_no = ?1 AND seq = ?2",
    )?;
    statement.execute(params![
        run_no,
        int(before.seq),
        status.word(),
        call.attempt,
        int(call.spool_epoch),
        int(call.args_seq),
        int(envelope.seq),
        envelope.at,
        status.is_closed().then_some(int(envelope.seq)),
        decided,
        why(event),
    ])?;
    // Apart, and only where it changes: naming the column would write its index page at every move.
    if let Event::CallEdited { effect_key, .. } = event {
        let mut statement =
            conn.prepare_cached("UPDATE calls SET effect = ?3 WHERE run_no = ?1 AND seq = ?2")?;
        statement.execute(params![run_no, int(before.seq), effect_number(effect_key)])?;
    }
    Ok(())
}

fn closed_status(before: &Call, event: &Event) -> CallStatus {
    let after = call_move(event).and_then(|step| before.status.after(step).ok());
    after.unwrap_or(before.status)
}

fn decides(event: &Event) -> bool {
    matches!(
        event,
        Event::CallApproved { .. }
            | Event::CallDenied { .. }
            | Event::CallRejected { .. }
            | Event::CallAnswered { .. }
            | Event::CallReused { .. }
            | Event::CallResolved { .. }
            | Event::CallCancelled { .. }
    )
}

fn why(event: &Event) -> Option<&str> {
    if let Event::CallWaiting { why, .. }
    | Event::CallApproved { why, .. }
    | Event::CallCancelled { why, .. }
    | Event::CallNotStarted { why, .. }
    | Event::CallUncertain { why, .. }
    | Event::CallDenied { reason: why, .. }
    | Event::CallRejected { kind: why, .. } = event
    {
        return Some(why);
    }
    if let Event::CallAnswered { by_default, .. } = event {
        return by_default.as_deref();
    }
    if let Event::CallFinished { kind, .. } = event { kind.as_deref() } else { None }
}

/// The small columns of a run.
pub(super) fn run(
    conn: &Connection,
    run_no: i64,
    state: &RunState,
    updated: Millis,
    snap_seq: u64,
    more_bytes: u64,
) -> Result<(), StoreError> {
    let status = state.status();
    let wait = if let Status::Waiting(why) = &status { Some(why.word()) } else { None };
    let ledger = &state.ledger;
    let mut statement = conn.prepare_cached(
        "UPDATE runs SET updated = ?2, head_seq = ?3, head_sum = ?4, timeline = ?5, epoch = ?6, owner = ?7,
         owner_since = ?8, snap_seq = ?9, status = ?10, wait = ?11, steps = ?12, tokens = ?13, bytes = bytes + ?14,
         title = ?15, workspace = ?16, created = ?17 WHERE run_no = ?1",
    )?;
    statement.execute(params![
        run_no,
        updated,
        int(state.head.seq),
        to_bytes(&state.head.sum),
        state.head.timeline,
        int(ledger.epoch),
        ledger.owner.as_ref().map(|owner| owner.worker.as_str()),
        ledger.owner.as_ref().map(|owner| owner.since),
        int(snap_seq),
        status.word(),
        wait,
        ledger.totals.steps,
        int(ledger.totals.charged),
        int(more_bytes),
        ledger.title,
        ledger.workspace.to_string_lossy(),
        ledger.created,
    ])?;
    Ok(())
}
