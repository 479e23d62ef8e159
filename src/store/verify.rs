//! Checking what is stored, and rebuilding what is derived. The check folds every event from the first and derives
//! everything anew into a database in memory: what stands in the file has to be the same.

use super::blobs;
use super::bridge;
use super::commit::wants_snapshot;
use super::error::StoreError;
use super::fold::{End, fold, gaps};
use super::journal::{load_chain, run_head};
use super::open::Store;
use super::rows::{from_bytes, int, nat};
use super::types::{Durability, Finding};
use super::{derive, migrate, refs, snapshot};
use crate::run::{Decoded, Hash, RunId, RunState, Seq};
use rusqlite::types::Value;
use rusqlite::{Connection, params};
use std::collections::BTreeSet;

/// Findings of SQLite's own check that are shown.
const SHOWN: u32 = 50;

/// Derived tables with the columns that are compared; the first one is the event.
const TABLES: &[(&str, &str)] = &[
    (
        "calls",
        "seq, call_id, timeline, step, position, origin, tool, class, status, attempt, spool_epoch, effect,
         args_seq, since, end_seq",
    ),
    ("checkpoints", "seq, timeline, step, kind, at, tokens"),
    ("file_events", "seq, call_seq, files"),
    (
        "runs",
        "head_seq, head_sum, timeline, epoch, owner, owner_since, status, wait, steps, tokens, title, workspace, created",
    ),
];

impl Store {
    /// Checks one run: the chain, each event, the contents they name, and all that is derived from them.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], or what SQLite says; what is wrong with the run is a finding.
    pub async fn verify(&self, run: &RunId) -> Result<Vec<Finding>, StoreError> {
        let run = run.clone();
        let findings = self.read(move |conn| verify(conn, &run)).await?;
        self.mark_all(&findings).await;
        Ok(findings)
    }

    /// Checks all runs and all contents.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn verify_all(&self) -> Result<Vec<Finding>, StoreError> {
        let findings = self
            .read(|conn| {
                let mut findings = Vec::new();
                for run in all_runs(conn)? {
                    findings.extend(verify(conn, &run)?);
                }
                for hash in blobs::all(conn)? {
                    if let Err(error) = blobs::read(conn, &hash) {
                        findings.push(Finding {
                            run: None,
                            seq: None,
                            what: error.to_string(),
                            rebuild_helps: false,
                            set_aside: false,
                        });
                    }
                }
                Ok(findings)
            })
            .await?;
        self.mark_all(&findings).await;
        Ok(findings)
    }

    /// Marks the bad events, so that every open tells of them.
    async fn mark_all(&self, findings: &[Finding]) {
        for finding in findings.iter().filter(|finding| !finding.set_aside && !finding.rebuild_helps) {
            if let (Some(run), Some(seq)) = (&finding.run, finding.seq) {
                self.mark(run, seq).await;
            }
        }
    }

    /// SQLite's own check of the file.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn integrity_check(&self) -> Result<Vec<Finding>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare(&format!("PRAGMA integrity_check({SHOWN})"))?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
            let mut findings = Vec::new();
            for line in rows {
                let what = line?;
                if what != "ok" {
                    findings.push(Finding {
                        run: None,
                        seq: None,
                        what,
                        rebuild_helps: false,
                        set_aside: false,
                    });
                }
            }
            Ok(findings)
        })
        .await
    }

    /// Derives everything anew from the events; tables that are missing are made. A damaged run is left as it is.
    /// Returns what could not be mended.
    ///
    /// # Errors
    /// What a write can meet; the run it met it at is as it was.
    pub async fn rebuild_derived(&self) -> Result<Vec<Finding>, StoreError> {
        self.write(|writer| {
            let runs = writer.transaction(Durability::Synced, |conn, _| {
                conn.execute_batch(migrate::DERIVED)?;
                all_runs(conn)
            })?;
            let mut findings = Vec::new();
            for run in runs {
                writer.remembered.forget(&run);
                let left = writer.transaction(Durability::Synced, |conn, _| rebuild(conn, &run))?;
                findings.extend(left);
            }
            Ok(findings)
        })
        .await
    }
}

fn all_runs(conn: &Connection) -> Result<Vec<RunId>, StoreError> {
    let mut statement = conn.prepare("SELECT id FROM runs ORDER BY run_no")?;
    let rows = statement.query_map([], |row| Ok(RunId::new(row.get::<_, String>(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn verify(conn: &Connection, run: &RunId) -> Result<Vec<Finding>, StoreError> {
    let head = run_head(conn, run)?;
    let mut findings = Vec::new();
    let mut aside = |seq, what: String| {
        let run = Some(run.clone());
        findings.push(Finding { run, seq: Some(seq), what, rebuild_helps: false, set_aside: true });
    };
    for gap in gaps(conn, head.run_no)?.values() {
        aside(gap.from, format!("events {} to {} were set aside as damaged", gap.from, gap.to));
    }
    let bridges = bridge::bridges(conn, head.run_no)?;
    for bridge in &bridges {
        let what = "bad events from here on were set aside; the state rests on the snapshot at event";
        aside(bridge.from, format!("{what} {}", bridge.to));
    }
    let mut find = |seq, what: String, rebuild_helps| {
        findings.push(Finding { run: Some(run.clone()), seq, what, rebuild_helps, set_aside: false });
    };
    for bridge in &bridges {
        for (seq, why) in bridge::faults(conn, head.run_no, bridge.from, bridge.to)? {
            find(Some(seq), why, false);
        }
    }
    // What is derived from events up to there cannot be derived anew, since some of them are gone.
    let kept = bridge::kept_to(&bridges);
    let shadow = shadow(head.run_no, run)?;
    let mut state = RunState::new(run.clone());
    let mut named: BTreeSet<Hash> = BTreeSet::new();
    let end = fold(conn, head.run_no, &mut state, None, &mut |state, envelope, moved| {
        if let Decoded::Known(event) = &envelope.event {
            named.extend(refs::blobs_of(event));
        }
        if envelope.seq <= kept {
            return Ok(());
        }
        derive::event(&shadow, head.run_no, state, envelope, moved)
    })?;
    for hash in named {
        if let Err(error) = blobs::read(conn, &hash) {
            find(None, error.to_string(), false);
        }
    }
    if let End::Bad(damage) = end {
        let whole = load_chain(conn, &head, run).is_ok_and(|loaded| loaded.damage.is_none());
        let what = match whole {
            true => {
                format!("{}; the run's state does not rest on it, a later snapshot is whole", damage.reason)
            }
            false => format!("{}; {} rows from there on", damage.reason, damage.rows),
        };
        find(Some(damage.first_bad_seq), what, false);
        return Ok(findings);
    }
    if head.seq > state.head.seq {
        let what = format!("events are missing: the run ended at event {}", head.seq);
        find(Some(state.head.seq + 1), what, false);
        return Ok(findings);
    }
    if state.ledger.unknown > 0 {
        find(None, format!("a newer program wrote {} events", state.ledger.unknown), false);
    }
    derive::run(&shadow, head.run_no, &state, 0, 0, 0)?;
    for (table, columns) in TABLES {
        match differs(conn, &shadow, (head.run_no, kept), table, columns) {
            Ok(None) => {}
            Ok(Some(what)) => find(None, what, true),
            Err(StoreError::Sql(what)) => find(None, what, true),
            Err(other) => return Err(other),
        }
    }
    match load_chain(conn, &head, run) {
        Ok(loaded) if *loaded.state == state => {}
        Ok(_) => find(None, "a snapshot is not what its events give".to_owned(), true),
        Err(StoreError::Sql(what)) => find(None, what, true),
        Err(other) => return Err(other),
    }
    Ok(findings)
}

/// A database in memory with nothing in it but the run's row.
fn shadow(run_no: i64, run: &RunId) -> Result<Connection, StoreError> {
    let shadow = Connection::open_in_memory()?;
    for step in migrate::STEPS {
        shadow.execute_batch(step)?;
    }
    shadow.execute(
        "INSERT INTO runs (run_no, id, created, updated, head_seq, head_sum, timeline, epoch, status, steps, tokens,
         title, workspace) VALUES (?1, ?2, 0, 0, 0, x'', 1, 0, '', 0, 0, '', '')",
        params![run_no, run.as_str()],
    )?;
    shadow.execute_batch("BEGIN")?;
    Ok(shadow)
}

/// The first row in which a table is not what it should be.
fn differs(
    conn: &Connection,
    shadow: &Connection,
    (run_no, kept): (i64, Seq),
    table: &str,
    columns: &str,
) -> Result<Option<String>, StoreError> {
    let order = columns.split(',').next().unwrap_or("run_no");
    let behind = if order == "seq" { format!("AND seq > {kept}") } else { String::new() };
    let sql = format!("SELECT {columns} FROM {table} WHERE run_no = ?1 {behind} ORDER BY {order}");
    let width = columns.split(',').count();
    let (mut left, mut right) = (conn.prepare(&sql)?, shadow.prepare(&sql)?);
    let (mut left, mut right) = (left.query([run_no])?, right.query([run_no])?);
    loop {
        let (stored, derived) = (values(left.next()?, width)?, values(right.next()?, width)?);
        if stored == derived {
            match stored {
                Some(_) => continue,
                None => return Ok(None),
            }
        }
        let name = |row: &Option<Vec<Value>>| match row.as_ref().and_then(|row| row.first()) {
            Some(Value::Integer(seq)) => format!("at event {seq}"),
            Some(_) | None => "at its end".to_owned(),
        };
        let at = if derived.is_some() { name(&derived) } else { name(&stored) };
        return Ok(Some(format!("the table {table} is not what its events give, {at}")));
    }
}

fn values(row: Option<&rusqlite::Row<'_>>, width: usize) -> Result<Option<Vec<Value>>, StoreError> {
    let Some(row) = row else { return Ok(None) };
    let values = (0..width).map(|column| row.get::<_, Value>(column));
    Ok(Some(values.collect::<Result<_, _>>()?))
}

fn rebuild(conn: &Connection, run: &RunId) -> Result<Option<Finding>, StoreError> {
    let head = run_head(conn, run)?;
    let run_no = head.run_no;
    let mut state = RunState::new(run.clone());
    let left = |seq, what: String| Finding {
        run: Some(run.clone()),
        seq: Some(seq),
        what,
        rebuild_helps: false,
        set_aside: false,
    };
    if let End::Bad(damage) = fold(conn, run_no, &mut state, None, &mut |_, _, _| Ok(()))? {
        return Ok(Some(left(damage.first_bad_seq, format!("{}; the run was left as it is", damage.reason))));
    }
    if head.seq > state.head.seq {
        let what = "events are missing; the run was left as it is".to_owned();
        return Ok(Some(left(state.head.seq + 1, what)));
    }
    drop_bad_settings(conn, run_no)?;
    // What events gave that are gone now cannot be had again.
    let kept = bridge::kept_to(&bridge::bridges(conn, run_no)?);
    for table in ["calls", "checkpoints", "file_events", "snapshots"] {
        let delete = format!("DELETE FROM {table} WHERE run_no = ?1 AND seq > ?2");
        conn.execute(&delete, params![run_no, int(kept)])?;
    }
    let mut state = RunState::new(run.clone());
    let snap: Option<i64> =
        conn.query_row("SELECT max(seq) FROM snapshots WHERE run_no = ?1", [run_no], |row| row.get(0))?;
    let mut snap_seq = snap.map_or(0, nat);
    let mut updated = 0;
    fold(conn, run_no, &mut state, None, &mut |state, envelope, moved| {
        if envelope.seq <= kept {
            return Ok(());
        }
        derive::event(conn, run_no, state, envelope, moved)?;
        updated = envelope.at;
        if let Decoded::Known(event) = &envelope.event
            && wants_snapshot(state, event, snap_seq)
        {
            snapshot::write(conn, run_no, state)?;
            snap_seq = state.head.seq;
        }
        Ok(())
    })?;
    derive::run(conn, run_no, &state, updated, snap_seq, 0)?;
    Ok(None)
}

/// Settings of snapshots come from the events: a damaged copy makes room for a new one.
fn drop_bad_settings(conn: &Connection, run_no: i64) -> Result<(), StoreError> {
    let mut statement =
        conn.prepare("SELECT DISTINCT settings FROM snapshots WHERE run_no = ?1 AND settings IS NOT NULL")?;
    let rows = statement.query_map([run_no], |row| row.get::<_, Vec<u8>>(0))?;
    for hash in rows {
        let hash = hash?;
        if let Err(StoreError::BadBlob { .. }) = blobs::read(conn, &from_bytes(&hash)) {
            conn.execute("DELETE FROM blobs WHERE hash = ?1", [hash])?;
        }
    }
    Ok(())
}
