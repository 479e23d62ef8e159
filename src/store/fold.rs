//! Folding stored rows into a state: in order of seq, over gaps that a person accepted, with the old path at hand for
//! each rollback. What it meets first that is missing or wrong ends it.

use super::bridge::{self, Bridge};
use super::error::StoreError;
use super::rows::{COLUMNS, StoredEvent, from_bytes, int, nat};
use super::snapshot;
use super::types::Damage;
use crate::run::fold_ledger::checkpoint_kind;
use crate::run::state::Path;
use crate::run::{Call, Decoded, Envelope, Event, Hash, RunId, RunState, Seq};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

/// A part of a journal that was set aside as damaged: seqs in it are used up, the chain goes on from `sum`.
#[derive(Clone, Debug)]
pub(super) struct Gap {
    pub(super) from: Seq,
    pub(super) to: Seq,
    pub(super) sum: Hash,
    pub(super) epoch: u64,
}

/// The gaps of a run by their first seq.
pub(super) fn gaps(conn: &Connection, run_no: i64) -> Result<BTreeMap<Seq, Gap>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT from_seq, to_seq, sum, epoch FROM gaps WHERE run_no = ?1 ORDER BY from_seq",
    )?;
    let rows = statement.query_map([run_no], |row| {
        Ok(Gap {
            from: nat(row.get(0)?),
            to: nat(row.get(1)?),
            sum: from_bytes(&row.get::<_, Vec<u8>>(2)?),
            epoch: nat(row.get(3)?),
        })
    })?;
    let mut gaps = BTreeMap::new();
    for gap in rows {
        let gap = gap?;
        gaps.insert(gap.from, gap);
    }
    Ok(gaps)
}

/// What one event did, for the tables that are derived.
pub(super) struct Moved {
    /// The call it is about, before the event; for a proposal, after it.
    pub(super) call: Option<Call>,
}

/// Folds one event; `old_path` gives the path at a checkpoint that a rollback returns to.
pub(super) fn apply(
    state: &mut RunState,
    envelope: &Envelope,
    old_path: impl FnOnce(Seq) -> Result<Path, StoreError>,
) -> Result<Moved, StoreError> {
    let refused = |run: &RunId, why: String| StoreError::Refused { run: run.clone(), why };
    let Decoded::Known(event) = &envelope.event else {
        state.apply(envelope).map_err(|e| refused(&state.run, e.to_string()))?;
        return Ok(Moved { call: None });
    };
    let before = event.call_id().and_then(|id| state.open_call(id)).cloned();
    if let Event::RolledBack { to_seq, .. } = event.as_ref() {
        let path = old_path(*to_seq)?;
        state.roll_back(envelope, path).map_err(|e| refused(&state.run, e.to_string()))?;
    } else {
        state.apply(envelope).map_err(|e| refused(&state.run, e.to_string()))?;
    }
    let call = before.or_else(|| state.ledger.open.get(&envelope.seq).cloned());
    Ok(Moved { call })
}

/// How a fold ended.
pub(super) enum End {
    /// At the last row that was asked for.
    Whole,
    /// At the first bad one.
    Bad(Damage),
}

/// What is called with each event after it was folded: the state then, the event, what it moved.
pub(super) type Seen<'a> = dyn FnMut(&RunState, &Envelope, &Moved) -> Result<(), StoreError> + 'a;

/// Folds the rows of a run after `state.head` up to `to` (none is all).
pub(super) fn fold(
    conn: &Connection,
    run_no: i64,
    state: &mut RunState,
    to: Option<Seq>,
    seen: &mut Seen<'_>,
) -> Result<End, StoreError> {
    let gaps = gaps(conn, run_no)?;
    let bridges = bridge::bridges(conn, run_no)?;
    let start = state.head.seq;
    let to = to.unwrap_or(Seq::MAX);
    let mut paths = wanted_paths(conn, run_no, start, to)?;
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM events WHERE run_no = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq"
    ))?;
    let mut rows = statement.query(params![run_no, int(start), int(to)])?;
    let bad = |seq: Seq, reason: String| -> Result<End, StoreError> {
        let rows = conn.query_row(
            "SELECT count(seq) FROM events WHERE run_no = ?1 AND seq >= ?2",
            params![run_no, int(seq)],
            |row| row.get(0),
        )?;
        Ok(End::Bad(Damage { first_bad_seq: seq, reason, rows: nat(rows), proven: None }))
    };
    while let Some(row) = rows.next()? {
        let mut expected = skip_gaps(state, &gaps);
        let seq = nat(row.get(0)?);
        if seq > expected
            && let Some(bridge) = over(&bridges, expected)
        {
            if bridge.to > to {
                return bad(expected, "it was set aside as damaged".to_owned());
            }
            *state = bridge::state(conn, run_no, &state.run, bridge)?;
            expected = skip_gaps(state, &gaps);
        }
        // Behind a bridge the state is known: the rows that are left there are for reading only.
        if seq < expected {
            continue;
        }
        let stored = match StoredEvent::from_row(row) {
            Ok(stored) => stored,
            Err(error) => return bad(expected, format!("it cannot be read: {error}")),
        };
        if stored.seq != expected {
            return bad(expected, format!("it is missing; the next one is {}", stored.seq));
        }
        let sum = stored.sum.clone();
        let envelope = match stored.open(&state.head.sum) {
            Ok(envelope) => envelope,
            Err(why) => return bad(expected, why),
        };
        // What cannot follow leaves the state half changed: it is not used any more then.
        let moved = apply(state, &envelope, |seq| match paths.get(&seq).cloned().flatten() {
            Some(path) => Ok(path),
            None => Ok(state_at(conn, run_no, &state_run(conn, run_no)?, seq)?.path),
        });
        let moved = match moved {
            Ok(moved) => moved,
            Err(StoreError::Refused { why, .. }) => return bad(expected, why),
            Err(other) => return Err(other),
        };
        state.head.sum = sum;
        if let Some(slot) = paths.get_mut(&envelope.seq) {
            *slot = Some(state.path.clone());
        }
        seen(state, &envelope, &moved)?;
    }
    if let Some(bridge) = over(&bridges, state.head.seq + 1)
        && bridge.to <= to
    {
        *state = bridge::state(conn, run_no, &state.run, bridge)?;
    }
    if gaps.get(&(state.head.seq + 1)).is_some_and(|gap| gap.to <= to) {
        skip_gaps(state, &gaps);
    }
    Ok(End::Whole)
}

/// The bridge that leads farthest over the hole at `seq`.
fn over(bridges: &[Bridge], seq: Seq) -> Option<Bridge> {
    let here = bridges.iter().filter(|bridge| (bridge.from..=bridge.to).contains(&seq));
    here.max_by_key(|bridge| bridge.to).copied()
}

fn state_run(conn: &Connection, run_no: i64) -> Result<RunId, StoreError> {
    let id: String = conn.query_row("SELECT id FROM runs WHERE run_no = ?1", [run_no], |row| row.get(0))?;
    Ok(RunId::new(id))
}

/// Passes over accepted gaps; returns the seq that has to come next. Whoever owned the run in one owns it no more.
fn skip_gaps(state: &mut RunState, gaps: &BTreeMap<Seq, Gap>) -> Seq {
    while let Some(gap) = gaps.get(&(state.head.seq + 1)) {
        state.head.seq = gap.to;
        state.head.sum = gap.sum.clone();
        state.ledger.epoch = state.ledger.epoch.max(gap.epoch);
        state.ledger.owner = None;
    }
    state.head.seq + 1
}

/// The checkpoints that rollbacks after `start` return to and that are folded on the way.
fn wanted_paths(
    conn: &Connection,
    run_no: i64,
    start: Seq,
    to: Seq,
) -> Result<BTreeMap<Seq, Option<Path>>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT parent FROM events WHERE run_no = ?1 AND seq > ?2 AND seq <= ?3 AND kind = 'rolled_back'
         AND parent > ?2",
    )?;
    let rows = statement.query_map(params![run_no, int(start), int(to)], |row| row.get::<_, i64>(0))?;
    let mut wanted = BTreeMap::new();
    for seq in rows {
        wanted.insert(nat(seq?), None);
    }
    Ok(wanted)
}

/// The state right after event `seq`: nearest snapshot and the events behind it.
pub(super) fn state_at(
    conn: &Connection,
    run_no: i64,
    run: &RunId,
    seq: Seq,
) -> Result<RunState, StoreError> {
    let mut state = snapshot::nearest(conn, run_no, run, seq)?;
    match fold(conn, run_no, &mut state, Some(seq), &mut |_, _, _| Ok(()))? {
        End::Whole if state.head.seq == seq => Ok(state),
        End::Whole => Err(StoreError::Refused { run: run.clone(), why: format!("it has no event {seq}") }),
        End::Bad(damage) => Err(StoreError::Damaged { run: run.clone(), damage }),
    }
}

/// The newest checkpoint before `seq`, by the events themselves.
pub(super) fn checkpoint_before(conn: &Connection, run_no: i64, seq: Seq) -> Result<Option<Seq>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT max(seq) FROM events WHERE run_no = ?1 AND seq < ?2
         AND kind IN ('run_created', 'step_committed', 'run_ended', 'rollback_started')",
    )?;
    let found: Option<i64> = statement.query_row(params![run_no, int(seq)], |row| row.get(0))?;
    Ok(found.map(nat))
}

/// True if the event is a checkpoint.
pub(super) fn is_checkpoint(event: &Event) -> bool {
    checkpoint_kind(event).is_some()
}
