//! Reading a run: its state (snapshot and tail), its state at an earlier event, and the events themselves. Every row
//! is judged by its checksum before it is believed.

use super::bridge;
use super::error::StoreError;
use super::fold::{self, End, checkpoint_before, gaps, state_at};
use super::open::Store;
use super::rows::{COLUMNS, StoredEvent, from_bytes, int, nat, small};
use super::snapshot;
use super::types::{Damage, Loaded, RawEvent};
use crate::run::{Decoded, Envelope, Event, Hash, RunId, RunState, Seq, TimelineNo};
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;

/// Where a run's row says that it ends.
pub(super) struct RunHead {
    pub(super) run_no: i64,
    pub(super) seq: Seq,
    pub(super) sum: Hash,
    pub(super) snap_seq: Seq,
}

/// The row of a run.
pub(super) fn run_head(conn: &Connection, run: &RunId) -> Result<RunHead, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT run_no, head_seq, head_sum, snap_seq FROM runs WHERE id = ?1")?;
    let found = statement
        .query_row([run.as_str()], |row| {
            Ok(RunHead {
                run_no: row.get(0)?,
                seq: nat(row.get(1)?),
                sum: from_bytes(&row.get::<_, Vec<u8>>(2)?),
                snap_seq: nat(row.get(3)?),
            })
        })
        .optional()?;
    found.ok_or_else(|| StoreError::NoRun { text: run.to_string() })
}

/// Loads a run: nearest snapshot, and the tail behind it. Damage before the snapshot is told if somebody met it.
pub(super) fn load(conn: &Connection, head: &RunHead, run: &RunId) -> Result<Loaded, StoreError> {
    let mut loaded = load_chain(conn, head, run)?;
    if loaded.damage.is_none() {
        loaded.damage = bridge::marked(conn, head.run_no, head.snap_seq)?;
    }
    Ok(loaded)
}

/// The same without a look at what the state does not rest on.
pub(super) fn load_chain(conn: &Connection, head: &RunHead, run: &RunId) -> Result<Loaded, StoreError> {
    let mut state = snapshot::nearest(conn, head.run_no, run, Seq::MAX)?;
    let end = fold::fold(conn, head.run_no, &mut state, None, &mut |_, _, _| Ok(()))?;
    let damage = match end {
        // The row of a run is written with its events: a later head means that events are gone.
        End::Whole if head.seq > state.head.seq => Damage {
            first_bad_seq: state.head.seq + 1,
            reason: format!("it is missing; the run ended at event {}", head.seq),
            rows: 0,
            proven: None,
        },
        End::Whole => return Ok(Loaded { state: Arc::new(state), damage: None }),
        End::Bad(damage) => damage,
    };
    let Some(checkpoint) = checkpoint_before(conn, head.run_no, damage.first_bad_seq)? else {
        return Err(StoreError::Damaged { run: run.clone(), damage });
    };
    let state = state_at(conn, head.run_no, run, checkpoint)?;
    Ok(Loaded { state: Arc::new(state), damage: Some(damage) })
}

/// Events of a run from `from` to `to`, both included, each checked. What was set aside is not among them.
pub(super) fn events(
    conn: &Connection,
    run: &RunId,
    run_no: i64,
    from: Seq,
    to: Seq,
) -> Result<Vec<Envelope>, StoreError> {
    let bad = |seq: Seq, why: String| StoreError::BadRow { run: run.clone(), seq, why };
    let from = from.max(1);
    let gaps = gaps(conn, run_no)?;
    let mut before = sum_before(conn, run_no, from)?;
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM events WHERE run_no = ?1 AND seq >= ?2 AND seq <= ?3 ORDER BY seq"
    ))?;
    let mut rows = statement.query(params![run_no, int(from), int(to)])?;
    let mut events = Vec::new();
    let mut expected = from;
    while let Some(row) = rows.next()? {
        let stored = StoredEvent::from_row(row).map_err(|e| bad(expected, e.to_string()))?;
        let seq = stored.seq;
        if let Some(gap) = gaps.values().find(|gap| gap.to + 1 == seq) {
            before = Some(gap.sum.clone());
        } else if expected != seq {
            if !bridge::all_set_aside(conn, run_no, expected, seq - 1)? {
                return Err(bad(expected, "it is missing".to_owned()));
            }
            before = sum_before(conn, run_no, seq)?;
        }
        let Some(sum) = before else {
            return Err(bad(seq, "the event before it is missing".to_owned()));
        };
        before = Some(stored.sum.clone());
        events.push(stored.open(&sum).map_err(|why| bad(seq, why))?);
        expected = seq + 1;
    }
    Ok(events)
}

/// The checksum of the event before `seq`, also of one that was set aside.
pub(super) fn sum_before(conn: &Connection, run_no: i64, seq: Seq) -> Result<Option<Hash>, StoreError> {
    if seq <= 1 {
        return Ok(Some(Hash::of(b"")));
    }
    let mut statement = conn.prepare_cached("SELECT sum FROM events WHERE run_no = ?1 AND seq = ?2")?;
    let sum: Option<Vec<u8>> = statement
        .query_row(params![run_no, int(seq - 1)], |row| Ok(row.get(0).unwrap_or_default()))
        .optional()?;
    if let Some(sum) = sum {
        return Ok(Some(from_bytes(&sum)));
    }
    if let Some(gap) = gaps(conn, run_no)?.values().find(|gap| gap.to + 1 == seq) {
        return Ok(Some(gap.sum.clone()));
    }
    bridge::sum_aside(conn, run_no, seq - 1)
}

/// One event, if it is there.
pub(super) fn event(
    conn: &Connection,
    run: &RunId,
    run_no: i64,
    seq: Seq,
) -> Result<Option<Envelope>, StoreError> {
    Ok(events(conn, run, run_no, seq, seq)?.pop())
}

/// One event that has to be there and be understood.
pub(super) fn known_event(
    conn: &Connection,
    run: &RunId,
    run_no: i64,
    seq: Seq,
) -> Result<(Envelope, Event), StoreError> {
    let bad = |why: &str| StoreError::BadRow { run: run.clone(), seq, why: why.to_owned() };
    let mut envelope = event(conn, run, run_no, seq)?.ok_or_else(|| bad("it is missing"))?;
    let placeholder = Decoded::Unknown { kind: String::new(), version: 0 };
    match std::mem::replace(&mut envelope.event, placeholder) {
        Decoded::Known(event) => Ok((envelope, *event)),
        Decoded::Unknown { .. } => Err(bad("a newer program wrote it")),
    }
}

/// The seqs that a timeline runs through, oldest first: `(first, last)` of each part.
pub(super) fn parts(state: &RunState, timeline: TimelineNo) -> Vec<(Seq, Seq)> {
    let timelines = &state.ledger.timelines;
    let mut parts = Vec::new();
    let mut no = timeline;
    // The last event of a timeline is the one before the next timeline begins.
    let mut last =
        timelines.iter().filter(|t| t.no > no).map(|t| t.from_seq - 1).min().unwrap_or(state.head.seq);
    while let Some(found) = timelines.iter().find(|t| t.no == no) {
        parts.push((found.from_seq, last));
        if found.parent >= no {
            break;
        }
        (no, last) = (found.parent, found.parent_seq);
    }
    parts.reverse();
    parts
}

impl Store {
    /// A run as it stands. A damaged one is given as of its last checkpoint before the damage, and said to be so.
    ///
    /// # Errors
    /// [`StoreError::NoRun`]; [`StoreError::Damaged`] if not even its beginning can be read.
    pub async fn load(&self, run: &RunId) -> Result<Loaded, StoreError> {
        let run = run.clone();
        self.read(move |conn| load(conn, &run_head(conn, &run)?, &run)).await
    }

    /// A run's state right after event `seq`, on the timeline of that event: both halves as they were then.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], [`StoreError::Refused`] if there is no such event, [`StoreError::Damaged`].
    pub async fn state_at(&self, run: &RunId, seq: Seq) -> Result<RunState, StoreError> {
        let run = run.clone();
        self.read(move |conn| state_at(conn, run_head(conn, &run)?.run_no, &run, seq)).await
    }

    /// Events `from` to `to`, both included, in order and on whatever timeline. A range may be wider than the run.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], [`StoreError::BadRow`] for the first that cannot be believed.
    pub async fn events(&self, run: &RunId, from: Seq, to: Seq) -> Result<Vec<Envelope>, StoreError> {
        let run = run.clone();
        self.read(move |conn| events(conn, &run, run_head(conn, &run)?.run_no, from, to)).await
    }

    /// The events of these seqs, in the order asked for; what is not there is left out.
    ///
    /// # Errors
    /// As [`Store::events`].
    pub async fn events_at(&self, run: &RunId, seqs: Vec<Seq>) -> Result<Vec<Envelope>, StoreError> {
        let run = run.clone();
        self.read(move |conn| {
            let run_no = run_head(conn, &run)?.run_no;
            let mut found = Vec::with_capacity(seqs.len());
            for seq in seqs {
                found.extend(event(conn, &run, run_no, seq)?);
            }
            Ok(found)
        })
        .await
    }

    /// All events of a kind, on any timeline, in their order; the kind by its stable name
    /// ([`Event::kind`](crate::run::event::Event::kind)). Reads the heads of the journal after the seq `after`.
    ///
    /// # Errors
    /// As [`Store::events`].
    pub async fn events_of(
        &self,
        run: &RunId,
        kind: &'static str,
        after: Seq,
    ) -> Result<Vec<Envelope>, StoreError> {
        let run = run.clone();
        self.read(move |conn| {
            let run_no = run_head(conn, &run)?.run_no;
            let mut statement = conn.prepare_cached(
                "SELECT seq FROM events WHERE run_no = ?1 AND kind = ?2 AND seq > ?3 ORDER BY seq",
            )?;
            let rows = statement.query_map(params![run_no, kind, int(after)], |row| row.get(0))?;
            let seqs: Vec<i64> = rows.collect::<Result<_, _>>()?;
            let mut found = Vec::with_capacity(seqs.len());
            for seq in seqs.into_iter().filter_map(|seq| Seq::try_from(seq).ok()) {
                found.extend(event(conn, &run, run_no, seq)?);
            }
            Ok(found)
        })
        .await
    }

    /// One event.
    ///
    /// # Errors
    /// As [`Store::events`].
    pub async fn event(&self, run: &RunId, seq: Seq) -> Result<Option<Envelope>, StoreError> {
        let run = run.clone();
        self.read(move |conn| event(conn, &run, run_head(conn, &run)?.run_no, seq)).await
    }

    /// The last `limit` events of a timeline (none is the present one), parent timelines included, oldest first.
    ///
    /// # Errors
    /// As [`Store::events`].
    pub async fn chain(
        &self,
        run: &RunId,
        timeline: Option<TimelineNo>,
        limit: usize,
    ) -> Result<Vec<Envelope>, StoreError> {
        let run = run.clone();
        self.read(move |conn| {
            let head = run_head(conn, &run)?;
            let state = load(conn, &head, &run)?.state;
            let timeline = timeline.unwrap_or(state.head.timeline);
            let mut newest_first: Vec<Vec<Envelope>> = Vec::new();
            let mut left = limit as u64;
            for (first, last) in parts(&state, timeline).into_iter().rev() {
                if left == 0 {
                    break;
                }
                let from = first.max((last + 1).saturating_sub(left));
                let part = events(conn, &run, head.run_no, from, last)?;
                left = left.saturating_sub(part.len() as u64);
                newest_first.push(part);
            }
            Ok(newest_first.into_iter().rev().flatten().collect())
        })
        .await
    }

    /// Rows as they are stored, the bad ones and those set aside included, for looking at damage.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], or what SQLite says.
    pub async fn raw_events(&self, run: &RunId, from: Seq, to: Seq) -> Result<Vec<RawEvent>, StoreError> {
        let run = run.clone();
        self.read(move |conn| {
            let run_no = run_head(conn, &run)?.run_no;
            let mut raw = raw_journal(conn, run_no, from, to)?;
            raw.extend(raw_set_aside(conn, run_no, from, to)?);
            raw.sort_by_key(|row| row.seq);
            Ok(raw)
        })
        .await
    }
}

fn raw_journal(conn: &Connection, run_no: i64, from: Seq, to: Seq) -> Result<Vec<RawEvent>, StoreError> {
    let gaps = gaps(conn, run_no)?;
    let mut before = sum_before(conn, run_no, from)?;
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM events WHERE run_no = ?1 AND seq >= ?2 AND seq <= ?3 ORDER BY seq"
    ))?;
    let mut rows = statement.query(params![run_no, int(from), int(to)])?;
    let mut raw = Vec::new();
    let mut expected = from.max(1);
    while let Some(row) = rows.next()? {
        let seq = nat(row.get(0)?);
        if seq != expected {
            before = sum_before(conn, run_no, seq)?;
        }
        expected = seq + 1;
        let stored = match StoredEvent::from_row(row) {
            Ok(stored) => stored,
            Err(error) => {
                raw.push(RawEvent::unreadable(seq, error.to_string()));
                before = None;
                continue;
            }
        };
        if let Some(gap) = gaps.values().find(|gap| gap.to + 1 == seq) {
            before = Some(gap.sum.clone());
        }
        let payload = super::pack::unpack(stored.codec, stored.payload.clone()).unwrap_or_default();
        let mut line = RawEvent {
            seq,
            kind: stored.kind.clone(),
            version: stored.version,
            at: stored.at,
            payload: String::from_utf8_lossy(&payload).into_owned(),
            fault: None,
            set_aside: false,
        };
        let sum = stored.sum.clone();
        line.fault = match before.as_ref() {
            Some(before) => stored.open(before).err(),
            None => Some("the event before it cannot be read".to_owned()),
        };
        before = Some(sum);
        raw.push(line);
    }
    Ok(raw)
}

impl RawEvent {
    fn unreadable(seq: Seq, why: String) -> Self {
        Self {
            seq,
            kind: String::new(),
            version: 0,
            at: 0,
            payload: String::new(),
            fault: Some(format!("it cannot be read: {why}")),
            set_aside: false,
        }
    }
}

fn raw_set_aside(conn: &Connection, run_no: i64, from: Seq, to: Seq) -> Result<Vec<RawEvent>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT seq, CAST(kind AS TEXT), CAST(coalesce(version, 0) AS INTEGER), CAST(coalesce(at, 0) AS INTEGER),
         CAST(coalesce(codec, 0) AS INTEGER), CAST(payload AS BLOB), why FROM damaged_events WHERE run_no = ?1 AND seq >= ?2 AND seq <= ?3",
    )?;
    let rows = statement.query_map(params![run_no, int(from), int(to)], |row| {
        let payload = row.get::<_, Option<Vec<u8>>>(5)?.unwrap_or_default();
        let content = super::pack::unpack(row.get(4)?, payload.clone()).unwrap_or(payload);
        Ok(RawEvent {
            seq: nat(row.get(0)?),
            kind: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
            version: small(row.get(2)?),
            at: row.get(3)?,
            payload: String::from_utf8_lossy(&content).into_owned(),
            fault: Some(row.get(6)?),
            set_aside: true,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
