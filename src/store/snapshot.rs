//! Snapshots: the whole state at some event, so that opening a run costs the same at step 10 and at step 10,000.
//!
//! Derived: one that does not fit its checksum, the chain or today's fold is passed over for an older one. The
//! settings, which seldom change, are a content of their own that snapshots share.

use super::blobs;
use super::error::StoreError;
use super::pack::{pack_event, unpack};
use super::rows::{from_bytes, int, nat, to_bytes};
use crate::run::state::FOLD_VERSION;
use crate::run::{Hash, RunId, RunState, Seq, Settings};
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;

/// A snapshot stands at each so many checkpoints.
pub(super) const CHECKPOINTS: u64 = 10;
/// And after at most so many events, so that a tail is never long.
pub(super) const EVENTS: u64 = 400;

/// The state in its stored form, and the hash of its settings, which are stored as a content.
pub(super) fn pack(conn: &Connection, state: &RunState) -> Result<(Option<Hash>, Vec<u8>), StoreError> {
    let json = |e: serde_json::Error| StoreError::Sql(format!("a snapshot cannot be written as JSON: {e}"));
    let mut lean = state.clone();
    let settings = match lean.ledger.settings.take() {
        Some(settings) => {
            let content = serde_json::to_vec(settings.as_ref()).map_err(json)?;
            Some(blobs::insert(conn, &blobs::Ready::new(content), state.ledger.created)?)
        }
        None => None,
    };
    let content = serde_json::to_vec(&lean).map_err(json)?;
    let (codec, mut data) = pack_event(content);
    data.push(u8::try_from(codec).unwrap_or(u8::MAX));
    Ok((settings, data))
}

/// Writes the state as a snapshot at its head; returns the bytes it takes.
pub(super) fn write(conn: &Connection, run_no: i64, state: &RunState) -> Result<u64, StoreError> {
    let (settings, data) = pack(conn, state)?;
    let mut statement = conn.prepare_cached(
        "INSERT OR REPLACE INTO snapshots (run_no, seq, fold_version, sum, settings, hash, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    statement.execute(params![
        run_no,
        int(state.head.seq),
        FOLD_VERSION,
        to_bytes(&state.head.sum),
        settings.as_ref().map(to_bytes),
        to_bytes(&Hash::of(&data)),
        data,
    ])?;
    Ok(data.len() as u64)
}

/// The state of the newest snapshot at or before `seq` that can be trusted, or the empty state.
pub(super) fn nearest(conn: &Connection, run_no: i64, run: &RunId, seq: Seq) -> Result<RunState, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT s.seq, s.sum, s.settings, s.hash, s.data FROM snapshots s
         WHERE s.run_no = ?1 AND s.seq <= ?2 AND s.fold_version = ?3 ORDER BY s.seq DESC",
    )?;
    let mut rows = statement.query(params![run_no, int(seq), FOLD_VERSION])?;
    while let Some(row) = rows.next()? {
        let at = nat(row.get(0)?);
        let sum: Vec<u8> = row.get(1)?;
        let settings: Option<Vec<u8>> = row.get(2)?;
        let (hash, data): (Vec<u8>, Vec<u8>) = (row.get(3)?, row.get(4)?);
        if hash != to_bytes(&Hash::of(&data)) || !fits_chain(conn, run_no, at, &sum)? {
            continue;
        }
        if let Some(state) = read(conn, run, data, settings)?
            && state.head.seq == at
            && state.head.sum == from_bytes(&sum)
        {
            return Ok(state);
        }
    }
    Ok(RunState::new(run.clone()))
}

fn fits_chain(conn: &Connection, run_no: i64, seq: Seq, sum: &[u8]) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached("SELECT sum FROM events WHERE run_no = ?1 AND seq = ?2")?;
    let stored: Option<Vec<u8>> =
        statement.query_row(params![run_no, int(seq)], |row| row.get(0)).optional()?;
    Ok(stored.is_some_and(|stored| stored == sum))
}

/// The state of a stored form; none if it cannot be trusted.
pub(super) fn read(
    conn: &Connection,
    run: &RunId,
    mut data: Vec<u8>,
    settings: Option<Vec<u8>>,
) -> Result<Option<RunState>, StoreError> {
    let codec = data.pop().map_or(-1, i64::from);
    let Ok(content) = unpack(codec, data) else { return Ok(None) };
    let Ok(mut state) = serde_json::from_slice::<RunState>(&content) else { return Ok(None) };
    if state.run != *run {
        return Ok(None);
    }
    if let Some(hash) = settings {
        let content = match blobs::read(conn, &from_bytes(&hash)) {
            Ok(content) => content,
            Err(StoreError::NoBlob { .. } | StoreError::BadBlob { .. }) => return Ok(None),
            Err(other) => return Err(other),
        };
        let Ok(settings) = serde_json::from_slice::<Settings>(&content) else { return Ok(None) };
        state.ledger.settings = Some(Arc::new(settings));
    }
    Ok(Some(state))
}
