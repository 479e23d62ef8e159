//! Damage that a person accepts: everything behind the last checkpoint that can be trusted is set aside, where it is
//! kept and shown. Its seqs and epochs stay used up, so that no call and no spool ever gets a name a second time.

use super::bridge;
use super::derive;
use super::error::StoreError;
use super::journal::{RunHead, load_chain, run_head};
use super::open::Store;
use super::pack::unpack;
use super::rows::{COLUMNS, StoredEvent, int, nat, to_bytes};
use super::types::{Accepted, Damage, Durability};
use crate::run::event::decode;
use crate::run::{CallId, Decoded, Epoch, Event, Hash, Millis, RunId, RunState, Seq, WorkerId};
use rusqlite::{Connection, params};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Store {
    /// Sets aside what stands behind the last checkpoint before the damage; the run can be claimed and written again.
    /// It has no owner then. Of damage that the state does not rest on, the bad rows alone are set aside, and the run
    /// stays as it is. What the set-aside part says of started calls is in the answer.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if the run is not damaged, a living worker has it, or there is nothing to go on from.
    pub async fn accept_damage(&self, run: &RunId, now: Millis) -> Result<Accepted, StoreError> {
        let run = run.clone();
        self.write(move |writer| {
            let alive = Arc::clone(&writer.shared.alive);
            writer.remembered.forget(&run);
            let accepted = writer.transaction(Durability::Synced, |conn, _| {
                let head = run_head(conn, &run)?;
                let loaded = load_chain(conn, &head, &run).map_err(|error| hopeless(&run, error))?;
                if let Some(owner) = row_owner(conn, head.run_no)?
                    && alive(&owner)
                {
                    let why = format!("the living worker {owner} has it; end that one first");
                    return Err(StoreError::Refused { run: run.clone(), why });
                }
                // What the state rests on first, then what stands behind its snapshot.
                let lost = match &loaded.damage {
                    Some(damage) => Some(set_aside(conn, &run, &head, &loaded.state, damage, now)?),
                    None => None,
                };
                let behind = bridge::accept(conn, &run, now)?;
                lost.or(behind).ok_or_else(|| StoreError::Refused {
                    run: run.clone(),
                    why: "it is not damaged".to_owned(),
                })
            })?;
            writer.remembered.put(&accepted.state);
            Ok(accepted)
        })
        .await
    }
}

/// Words for a run that cannot be led out of its damage.
fn hopeless(run: &RunId, error: StoreError) -> StoreError {
    let StoreError::Damaged { damage, .. } = error else { return error };
    let why = format!(
        "event {} cannot be believed ({}), and neither a checkpoint before it nor a snapshot behind it is there to go on \
         from; restore a backup",
        damage.first_bad_seq, damage.reason
    );
    StoreError::Refused { run: run.clone(), why }
}

fn row_owner(conn: &Connection, run_no: i64) -> Result<Option<WorkerId>, StoreError> {
    let owner: Option<String> =
        conn.query_row("SELECT owner FROM runs WHERE run_no = ?1", [run_no], |row| row.get(0))?;
    Ok(owner.map(WorkerId::new))
}

fn set_aside(
    conn: &Connection,
    run: &RunId,
    head: &RunHead,
    state: &RunState,
    damage: &Damage,
    now: Millis,
) -> Result<Accepted, StoreError> {
    let run_no = head.run_no;
    let last = state.head.seq;
    let newest: Option<i64> =
        conn.query_row("SELECT max(seq) FROM events WHERE run_no = ?1", [run_no], |row| row.get(0))?;
    let (from, to) = (last + 1, head.seq.max(newest.map_or(0, nat)).max(damage.first_bad_seq));
    let evidence = evidence(conn, run_no, last)?;
    let epoch = evidence.epoch.max(state.ledger.epoch);

    conn.execute("DELETE FROM bridges WHERE run_no = ?1 AND to_seq > ?2", params![run_no, int(last)])?;
    conn.execute(
        &format!(
            "INSERT INTO damaged_events (run_no, {COLUMNS}, why) SELECT run_no, {COLUMNS},
             CASE WHEN seq = ?3 THEN ?4 ELSE 'it stands behind the last good checkpoint' END
             FROM events WHERE run_no = ?1 AND seq > ?2"
        ),
        params![run_no, int(last), int(damage.first_bad_seq), damage.reason],
    )?;
    let sum = Hash::of_parts(&[
        b"gap",
        state.head.sum.as_str().as_bytes(),
        &from.to_le_bytes(),
        &to.to_le_bytes(),
        &epoch.to_le_bytes(),
    ]);
    conn.execute(
        "INSERT INTO gaps (run_no, from_seq, to_seq, sum, epoch, at, why) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![run_no, int(from), int(to), to_bytes(&sum), int(epoch), now, damage.reason],
    )?;
    for table in ["events", "snapshots", "calls", "checkpoints", "file_events"] {
        conn.execute(
            &format!("DELETE FROM {table} WHERE run_no = ?1 AND seq > ?2"),
            params![run_no, int(last)],
        )?;
    }
    for call in state.ledger.open.values() {
        derive::insert_call(conn, run_no, call)?;
    }
    let loaded = load_chain(conn, &run_head(conn, run)?, run)?;
    // The row of the run still names the old head, which is now the end of the gap.
    if let Some(damage) = loaded.damage {
        return Err(StoreError::Damaged { run: run.clone(), damage });
    }
    let snap: Option<i64> =
        conn.query_row("SELECT max(seq) FROM snapshots WHERE run_no = ?1", [run_no], |row| row.get(0))?;
    derive::run(conn, run_no, &loaded.state, now, snap.map_or(0, nat), 0)?;
    Ok(Accepted {
        state: loaded.state,
        from,
        to,
        doubtful: evidence.calls.into_iter().collect(),
        rests_on: None,
    })
}

/// What the part behind `last` still says, readable or not: the newest epoch, and calls that were started.
struct Evidence {
    epoch: Epoch,
    calls: BTreeSet<CallId>,
}

fn evidence(conn: &Connection, run_no: i64, last: Seq) -> Result<Evidence, StoreError> {
    let epoch: i64 =
        conn.query_row("SELECT epoch FROM runs WHERE run_no = ?1", [run_no], |row| row.get(0))?;
    let mut evidence = Evidence { epoch: nat(epoch), calls: BTreeSet::new() };
    let mut statement = conn.prepare(
        "SELECT call_id, spool_epoch FROM calls WHERE run_no = ?1 AND moved_seq > ?2 AND spool_epoch > 0",
    )?;
    let mut rows = statement.query(params![run_no, int(last)])?;
    while let Some(row) = rows.next()? {
        evidence.calls.insert(CallId::new(row.get::<_, String>(0)?));
        evidence.epoch = evidence.epoch.max(nat(row.get(1)?));
    }
    let mut statement = conn.prepare(&format!(
        "SELECT {COLUMNS} FROM events WHERE run_no = ?1 AND seq > ?2 AND kind IN ('run_claimed', 'call_started')"
    ))?;
    let mut rows = statement.query(params![run_no, int(last)])?;
    while let Some(row) = rows.next()? {
        // What cannot be read says nothing; the row of the run and the table of calls spoke already.
        let Ok(stored) = StoredEvent::from_row(row) else { continue };
        let Ok(content) = unpack(stored.codec, stored.payload) else { continue };
        let Ok(Decoded::Known(event)) = decode(&stored.kind, stored.version, &content) else { continue };
        if let Event::RunClaimed { epoch, .. } | Event::CallStarted { epoch, .. } = event.as_ref() {
            evidence.epoch = evidence.epoch.max(*epoch);
        }
        if let Event::CallStarted { call_id, .. } = event.as_ref() {
            evidence.calls.insert(call_id.clone());
        }
    }
    Ok(evidence)
}
