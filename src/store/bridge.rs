//! Damage that stands behind a snapshot. Opening a run does not read those rows; whoever meets a bad one leaves a mark, and
//! from then on every open looks at the marked row again and says what is wrong with it.
//!
//! Accepting such damage loses nothing of the state: it stands in the snapshot (proven by its own hash, and by the chain
//! from there on). The bad rows are set aside, and a *bridge* keeps the snapshot's state as what is true at its event,
//! so that a fold from the first event goes over the hole. Not to be assumed: that a state inside the hole can be had.

use super::error::StoreError;
use super::fold::{self, End, gaps};
use super::journal::{load_chain, run_head, sum_before};
use super::open::Store;
use super::rows::{COLUMNS, StoredEvent, from_bytes, int, nat, to_bytes};
use super::snapshot;
use super::types::{Accepted, Damage, Durability};
use crate::run::{Hash, Millis, RunId, RunState, Seq};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeSet;

/// Marks that an open looks at.
const MARKS: i64 = 16;

/// A hole over which a fold goes: its first seq, and the event whose state is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bridge {
    pub(super) from: Seq,
    pub(super) to: Seq,
}

/// The bridges of a run, by their first seq.
pub(super) fn bridges(conn: &Connection, run_no: i64) -> Result<Vec<Bridge>, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT from_seq, to_seq FROM bridges WHERE run_no = ?1 ORDER BY from_seq")?;
    let rows =
        statement.query_map([run_no], |row| Ok(Bridge { from: nat(row.get(0)?), to: nat(row.get(1)?) }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The last event that a bridge leads to; what is derived from events up to there cannot be derived anew. 0 without one.
pub(super) fn kept_to(bridges: &[Bridge]) -> Seq {
    bridges.iter().map(|bridge| bridge.to).max().unwrap_or(0)
}

/// The state that a bridge keeps.
pub(super) fn state(
    conn: &Connection,
    run_no: i64,
    run: &RunId,
    bridge: Bridge,
) -> Result<RunState, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT settings, hash, data FROM bridges WHERE run_no = ?1 AND from_seq = ?2")?;
    let (settings, hash, data): (Option<Vec<u8>>, Vec<u8>, Vec<u8>) = statement
        .query_row(params![run_no, int(bridge.from)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let whole = hash == to_bytes(&Hash::of(&data));
    let state = if whole { snapshot::read(conn, run, data, settings)? } else { None };
    state.filter(|state| state.head.seq == bridge.to).ok_or_else(|| StoreError::Damaged {
        run: run.clone(),
        damage: Damage {
            first_bad_seq: bridge.from,
            reason: "the state that was kept in place of damaged events is damaged too".to_owned(),
            rows: 0,
            proven: None,
        },
    })
}

/// Events from `from` to `to` that are missing or wrong by themselves and were not set aside, in order.
pub(super) fn faults(
    conn: &Connection,
    run_no: i64,
    from: Seq,
    to: Seq,
) -> Result<Vec<(Seq, String)>, StoreError> {
    let gaps = gaps(conn, run_no)?;
    let aside = set_aside(conn, run_no, from, to)?;
    let known = |seq: Seq| aside.contains(&seq) || gaps.values().any(|g| (g.from..=g.to).contains(&seq));
    let missing = |from: Seq, upto: Seq| -> Vec<(Seq, String)> {
        (from..upto).filter(|seq| !known(*seq)).map(|seq| (seq, "it is missing".to_owned())).collect()
    };
    let mut found: Vec<(Seq, String)> = Vec::new();
    let mut expected = from.max(1);
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM events WHERE run_no = ?1 AND seq >= ?2 AND seq <= ?3 ORDER BY seq"
    ))?;
    let mut rows = statement.query(params![run_no, int(expected), int(to)])?;
    let mut before = sum_before(conn, run_no, expected)?;
    while let Some(row) = rows.next()? {
        let seq = nat(row.get(0)?);
        if seq != expected {
            found.extend(missing(expected, seq));
            before = sum_before(conn, run_no, seq)?;
        }
        expected = seq + 1;
        let stored = match StoredEvent::from_row(row) {
            Ok(stored) => stored,
            Err(error) => {
                found.push((seq, format!("it cannot be read: {error}")));
                before = sum_before(conn, run_no, expected)?;
                continue;
            }
        };
        let sum = stored.sum.clone();
        let fault = match &before {
            Some(before) => stored.open(before).err(),
            None => Some("the event before it is missing, so that it cannot be checked".to_owned()),
        };
        found.extend(fault.map(|why| (seq, why)));
        before = Some(sum);
    }
    found.extend(missing(expected, to.saturating_add(1)));
    Ok(found)
}

/// The seqs in a range that were set aside one by one.
fn set_aside(conn: &Connection, run_no: i64, from: Seq, to: Seq) -> Result<BTreeSet<Seq>, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT seq FROM damaged_events WHERE run_no = ?1 AND seq >= ?2 AND seq <= ?3")?;
    let rows = statement.query_map(params![run_no, int(from), int(to)], |row| row.get::<_, i64>(0))?;
    let mut seqs = BTreeSet::new();
    for seq in rows {
        seqs.insert(nat(seq?));
    }
    Ok(seqs)
}

/// True if this event was set aside as damaged.
pub(super) fn is_set_aside(conn: &Connection, run_no: i64, seq: Seq) -> Result<bool, StoreError> {
    Ok(!set_aside(conn, run_no, seq, seq)?.is_empty())
}

/// True if all events from `from` to `to` were set aside.
pub(super) fn all_set_aside(conn: &Connection, run_no: i64, from: Seq, to: Seq) -> Result<bool, StoreError> {
    Ok(set_aside(conn, run_no, from, to)?.len() as u64 == (to + 1).saturating_sub(from))
}

/// The checksum of an event that was set aside, if it was there.
pub(super) fn sum_aside(conn: &Connection, run_no: i64, seq: Seq) -> Result<Option<Hash>, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT CAST(sum AS BLOB) FROM damaged_events WHERE run_no = ?1 AND seq = ?2")?;
    let sum: Option<Option<Vec<u8>>> =
        statement.query_row(params![run_no, int(seq)], |row| row.get(0)).optional()?;
    Ok(sum.flatten().filter(|sum| sum.len() == 32).map(|sum| from_bytes(&sum)))
}

/// The first marked row that is bad today; `proven` is the event of the snapshot that the state rests on.
pub(super) fn marked(conn: &Connection, run_no: i64, proven: Seq) -> Result<Option<Damage>, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT seq FROM found_damage WHERE run_no = ?1 ORDER BY seq LIMIT ?2")?;
    let rows = statement.query_map(params![run_no, MARKS], |row| row.get::<_, i64>(0))?;
    let mut bad = Vec::new();
    for seq in rows {
        let seq = nat(seq?);
        bad.extend(faults(conn, run_no, seq, seq)?);
    }
    let rows = bad.len() as u64;
    Ok(bad.into_iter().next().map(|(first_bad_seq, reason)| Damage {
        first_bad_seq,
        reason,
        rows,
        proven: Some(proven),
    }))
}

impl Store {
    /// Remembers that this event was found bad, if it is. Nothing rests on the mark: where it cannot be written, the row
    /// is found again by whoever reads it next.
    pub(super) async fn mark(&self, run: &RunId, seq: Seq) {
        let run = run.clone();
        let marked = self.write(move |writer| {
            writer.transaction(Durability::Unsynced, |conn, _| {
                let run_no = run_head(conn, &run)?.run_no;
                if !faults(conn, run_no, seq, seq)?.is_empty() {
                    conn.execute(
                        "INSERT OR IGNORE INTO found_damage (run_no, seq) VALUES (?1, ?2)",
                        params![run_no, int(seq)],
                    )?;
                }
                Ok(())
            })
        });
        let _ = marked.await;
    }

    /// Those of these events that were set aside as damaged.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], or what SQLite says.
    pub async fn set_aside_among(&self, run: &RunId, seqs: Vec<Seq>) -> Result<BTreeSet<Seq>, StoreError> {
        let run = run.clone();
        self.read(move |conn| {
            let run_no = run_head(conn, &run)?.run_no;
            let mut aside = BTreeSet::new();
            for seq in seqs {
                if is_set_aside(conn, run_no, seq)? {
                    aside.insert(seq);
                }
            }
            Ok(aside)
        })
        .await
    }
}

/// Sets aside the bad rows behind the snapshot that the run's state rests on; none if there are none.
pub(super) fn accept(conn: &Connection, run: &RunId, now: Millis) -> Result<Option<Accepted>, StoreError> {
    let head = run_head(conn, run)?;
    let run_no = head.run_no;
    let loaded = load_chain(conn, &head, run)?;
    let rests_on = snapshot::nearest(conn, run_no, run, Seq::MAX)?;
    let to = rests_on.head.seq;
    let mut bad = if to == 0 { Vec::new() } else { faults(conn, run_no, 1, to)? };
    if bad.is_empty() && to > 0 {
        // A row can be whole and still be nothing that can follow.
        let mut scratch = RunState::new(run.clone());
        if let End::Bad(damage) = fold::fold(conn, run_no, &mut scratch, Some(to), &mut |_, _, _| Ok(()))? {
            bad.push((damage.first_bad_seq, damage.reason));
        }
    }
    conn.execute("DELETE FROM found_damage WHERE run_no = ?1", [run_no])?;
    let (Some((first, why)), Some((last, _))) = (bad.first().cloned(), bad.last().cloned()) else {
        return Ok(None);
    };
    for (seq, why) in &bad {
        let moved = conn.execute(
            &format!(
                "INSERT INTO damaged_events (run_no, {COLUMNS}, why) SELECT run_no, {COLUMNS}, ?3 FROM events
                 WHERE run_no = ?1 AND seq = ?2"
            ),
            params![run_no, int(*seq), why],
        )?;
        if moved == 0 {
            conn.execute(
                "INSERT INTO damaged_events (run_no, seq, why) VALUES (?1, ?2, ?3)",
                params![run_no, int(*seq), why],
            )?;
        }
        conn.execute("DELETE FROM events WHERE run_no = ?1 AND seq = ?2", params![run_no, int(*seq)])?;
    }
    let (settings, data) = snapshot::pack(conn, &rests_on)?;
    conn.execute(
        "INSERT OR REPLACE INTO bridges (run_no, from_seq, to_seq, at, why, settings, hash, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            run_no,
            int(first),
            int(to),
            now,
            why,
            settings.as_ref().map(to_bytes),
            to_bytes(&Hash::of(&data)),
            data
        ],
    )?;
    let after = load_chain(conn, &head, run)?;
    match after.damage {
        None if after.state == loaded.state => {}
        None => {
            let why = "the state would not be the same without the bad rows".to_owned();
            return Err(StoreError::Refused { run: run.clone(), why });
        }
        Some(damage) => return Err(StoreError::Damaged { run: run.clone(), damage }),
    }
    Ok(Some(Accepted { state: after.state, from: first, to: last, doubtful: Vec::new(), rests_on: Some(to) }))
}
