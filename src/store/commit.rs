//! The one way to write a run: conditional on its head and on the owner's epoch, each event folded before it counts,
//! all of it or nothing.

use super::blobs::{self, Ready};
use super::error::StoreError;
use super::fold::{self, is_checkpoint, state_at};
use super::journal::{self, RunHead};
use super::open::Store;
use super::rows::{Encoded, Header, chain, encode, insert, int};
use super::types::{Commit, Durability, InboxId};
use super::writer::{Remembered, Writer};
use super::{derive, memories, refs, snapshot};
use crate::host::fault::fault;
use crate::run::event::JOURNAL_FORMAT;
use crate::run::{
    Author, BlobBag, CallId, Class, Decoded, Envelope, Epoch, Event, Head, Millis, NewEvent, RunId, RunState,
};
use rusqlite::{Connection, params};
use std::sync::Arc;

/// Contents up to this many bytes are packed where they are: that is less work than a change of threads.
const PACKED_HERE: usize = 8 << 10;

/// A commit made ready off the writing thread.
pub(super) struct Prepared {
    pub(super) run: RunId,
    pub(super) now: Millis,
    pub(super) events: Vec<Encoded>,
    pub(super) blobs: Vec<Ready>,
    pub(super) taken: Vec<InboxId>,
}

impl Prepared {
    /// A few events of wakeful's own, without contents.
    pub(super) fn own(run: RunId, now: Millis, events: Vec<Event>) -> Result<Self, StoreError> {
        let events = events.into_iter().map(|event| encode(NewEvent { author: Author::Wakeful, event }));
        Ok(Self { run, now, events: events.collect::<Result<_, _>>()?, blobs: Vec::new(), taken: Vec::new() })
    }
}

impl Store {
    /// Begins a run: its first event is `RunCreated`; others may follow. It has no owner yet. Synced.
    ///
    /// # Errors
    /// [`StoreError::Exists`], [`StoreError::Refused`], or what a write can meet.
    pub async fn create_run(
        &self,
        run: RunId,
        events: Vec<NewEvent>,
        bag: BlobBag,
        now: Millis,
    ) -> Result<Arc<RunState>, StoreError> {
        self.create_run_if(run, events, bag, now, Arc::new(|| true)).await
    }

    /// The same, if `go` says so once nobody else holds the database. It may be asked several times.
    ///
    /// # Errors
    /// As [`Store::create_run`]; [`StoreError::Refused`] if it says no.
    pub async fn create_run_if(
        &self,
        run: RunId,
        events: Vec<NewEvent>,
        bag: BlobBag,
        now: Millis,
        go: Arc<dyn Fn() -> bool + Send + Sync>,
    ) -> Result<Arc<RunState>, StoreError> {
        if !matches!(events.first().map(|new| &new.event), Some(Event::RunCreated { .. })) {
            return Err(StoreError::Refused { run, why: "its first event is not its creation".to_owned() });
        }
        let prepared = self.prepare(run, now, events, bag, Vec::new()).await?;
        self.write(move |writer| writer.create(&prepared, &*go)).await
    }

    /// Writes events to a run, with the contents they name and the inbox rows they answer, in one transaction.
    ///
    /// Synced if asked for, and always if an effect rests on it: a call of class keyed or effect starts, a call waits,
    /// a step is whole, the run ends, a rollback begins or is done. On a full disk a commit with the end of a started
    /// call is tried once more with the reserve given up.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if head or epoch are others, [`StoreError::Refused`] if an event cannot follow,
    /// [`StoreError::ReadOnly`] and [`StoreError::Damaged`] for such runs, [`StoreError::Full`], [`StoreError::Busy`].
    /// Nothing is written then.
    pub async fn commit(&self, commit: Commit) -> Result<Arc<RunState>, StoreError> {
        let Commit { run, expected, epoch, now, events, bag, durability, taken } = commit;
        if events.iter().any(|new| matches!(new.event, Event::RunCreated { .. } | Event::RunClaimed { .. })) {
            let why = "runs are created and claimed in their own ways".to_owned();
            return Err(StoreError::Refused { run, why });
        }
        let prepared = self.prepare(run, now, events, bag, taken).await?;
        self.write(move |writer| writer.commit(&prepared, &expected, epoch, durability)).await
    }

    async fn prepare(
        &self,
        run: RunId,
        now: Millis,
        events: Vec<NewEvent>,
        bag: BlobBag,
        taken: Vec<InboxId>,
    ) -> Result<Prepared, StoreError> {
        let little_to_pack = bag.bytes() <= PACKED_HERE;
        let make = move || -> Result<_, StoreError> {
            let events = events.into_iter().map(encode).collect::<Result<Vec<_>, _>>()?;
            let (blobs, before) = blobs::ready(bag);
            Ok((Prepared { run, now, events, blobs, taken }, before))
        };
        let (prepared, before) = if little_to_pack {
            make()?
        } else {
            tokio::task::spawn_blocking(make).await.map_err(|_| StoreError::Closed)??
        };
        for ready in before {
            self.put_ready(ready).await?;
        }
        Ok(prepared)
    }
}

/// How a run stands when a transaction begins to write to it.
pub(super) struct Open {
    pub(super) head: RunHead,
    pub(super) state: Arc<RunState>,
}

/// The run as it stands, fit to be written.
pub(super) fn open_for_writing(
    conn: &Connection,
    remembered: &Remembered,
    run: &RunId,
) -> Result<Open, StoreError> {
    let head = journal::run_head(conn, run)?;
    let known = remembered.get(run).filter(|state| state.head.seq == head.seq && state.head.sum == head.sum);
    let state = match known {
        Some(state) => Arc::clone(state),
        None => {
            let loaded = journal::load_chain(conn, &head, run)?;
            if let Some(damage) = loaded.damage {
                return Err(StoreError::Damaged { run: run.clone(), damage });
            }
            loaded.state
        }
    };
    if state.ledger.unknown > 0 {
        let why = format!("a newer program wrote {} of its events", state.ledger.unknown);
        return Err(StoreError::ReadOnly { run: run.clone(), why });
    }
    if state.ledger.format > JOURNAL_FORMAT {
        let why = format!("its journal has format {}", state.ledger.format);
        return Err(StoreError::ReadOnly { run: run.clone(), why });
    }
    Ok(Open { head, state })
}

impl Writer {
    fn create(&mut self, prepared: &Prepared, go: &dyn Fn() -> bool) -> Result<Arc<RunState>, StoreError> {
        let run = &prepared.run;
        let state = self.transaction(Durability::Synced, |conn, _| {
            if !go() {
                return Err(StoreError::Refused { run: run.clone(), why: "it was given up".to_owned() });
            }
            let mut statement = conn.prepare_cached(
                "INSERT INTO runs (id, created, updated, head_seq, head_sum, timeline, epoch, status, steps, tokens,
                 title, workspace) VALUES (?1, ?2, ?2, 0, x'', 1, 0, 'running', 0, 0, '', '')
                 ON CONFLICT (id) DO NOTHING",
            )?;
            if statement.execute(params![run.as_str(), prepared.now])? == 0 {
                return Err(StoreError::Exists { run: run.clone() });
            }
            let run_no = conn.last_insert_rowid();
            append(conn, run_no, &RunState::new(run.clone()), 0, prepared)
        })?;
        self.remembered.put(&state);
        Ok(state)
    }

    /// The head of a run as this thread can know it before a transaction.
    pub(super) fn head_now(&mut self, run: &RunId) -> Result<Head, StoreError> {
        self.transaction(Durability::Unsynced, |conn, remembered| {
            Ok(open_for_writing(conn, remembered, run)?.state.head.clone())
        })
    }

    pub(super) fn commit(
        &mut self,
        prepared: &Prepared,
        expected: &Head,
        epoch: Epoch,
        durability: Durability,
    ) -> Result<Arc<RunState>, StoreError> {
        let first = self.commit_once(prepared, expected, epoch, durability);
        let state = match first {
            Err(StoreError::Full { why }) => {
                if !(ends_a_started_call(prepared) && self.shared.ballast.free()) {
                    return Err(StoreError::Full { why });
                }
                self.commit_once(prepared, expected, epoch, durability)?
            }
            other => {
                let state = other?;
                self.shared.ballast.restore();
                state
            }
        };
        self.remembered.put(&state);
        Ok(state)
    }

    fn commit_once(
        &mut self,
        prepared: &Prepared,
        expected: &Head,
        epoch: Epoch,
        durability: Durability,
    ) -> Result<Arc<RunState>, StoreError> {
        let known = self.remembered.get(&prepared.run).cloned();
        let durability = at_least(prepared, known.as_deref(), durability);
        self.transaction(durability, |conn, remembered| {
            let open = open_for_writing(conn, remembered, &prepared.run)?;
            check_right(&open.state, expected, epoch)?;
            append(conn, open.head.run_no, &open.state, open.head.snap_seq, prepared)
        })
    }
}

/// A commit needs the head that its writer saw and the ownership that it had.
fn check_right(state: &RunState, expected: &Head, epoch: Epoch) -> Result<(), StoreError> {
    let stale =
        |why: String| StoreError::Stale { run: state.run.clone(), found: Box::new(state.head.clone()), why };
    match &state.ledger.owner {
        Some(owner) if owner.epoch == epoch => {}
        Some(owner) => {
            return Err(stale(format!("worker {} owns it, in epoch {}", owner.worker, owner.epoch)));
        }
        None => return Err(stale("nobody owns it; claim it first".to_owned())),
    }
    if state.head != *expected {
        return Err(stale(format!("its head is event {}, not {}", state.head.seq, expected.seq)));
    }
    Ok(())
}

/// Folds and writes the events of a prepared commit, and everything that follows from them.
pub(super) fn append(
    conn: &Connection,
    run_no: i64,
    state: &RunState,
    snap_seq: u64,
    prepared: &Prepared,
) -> Result<Arc<RunState>, StoreError> {
    let mut bytes = store_blobs(conn, prepared)?;
    let mut state = state.clone();
    let mut snap_seq = snap_seq;
    for encoded in &prepared.events {
        let envelope = envelope(&state, encoded, prepared.now);
        check_contents(conn, &prepared.run, &encoded.event)?;
        let before = state.head.sum.clone();
        let moved =
            fold::apply(&mut state, &envelope, |seq| Ok(state_at(conn, run_no, &prepared.run, seq)?.path))?;
        let header = Header {
            seq: envelope.seq,
            timeline: envelope.timeline,
            parent: envelope.parent,
            kind: encoded.event.kind(),
            version: encoded.event.version(),
            at: envelope.at,
            author: &encoded.author_text,
        };
        state.head.sum = chain(&before, &header, &encoded.hash);
        insert(conn, run_no, &header, encoded, &state.head.sum)?;
        fault("store.rows");
        bytes += encoded.payload.len() as u64;
        derive::event(conn, run_no, &state, &envelope, &moved)?;
        memories::event(conn, &state, &envelope, encoded.remembers.as_ref())?;
        if wants_snapshot(&state, &encoded.event, snap_seq) {
            bytes += snapshot::write(conn, run_no, &state)?;
            snap_seq = state.head.seq;
        }
        fault("store.derived");
    }
    take(conn, run_no, prepared, state.head.seq)?;
    derive::run(conn, run_no, &state, prepared.now, snap_seq, bytes)?;
    Ok(Arc::new(state))
}

fn envelope(state: &RunState, encoded: &Encoded, now: Millis) -> Envelope {
    let (timeline, parent) = if let Event::RolledBack { to_seq, timeline, .. } = &encoded.event {
        (*timeline, *to_seq)
    } else {
        (state.head.timeline, state.head.seq)
    };
    Envelope {
        seq: state.head.seq + 1,
        timeline,
        parent,
        at: now,
        author: encoded.author.clone(),
        event: Decoded::Known(Box::new(encoded.event.clone())),
    }
}

fn store_blobs(conn: &Connection, prepared: &Prepared) -> Result<u64, StoreError> {
    let mut bytes = 0;
    for ready in &prepared.blobs {
        if !blobs::has(conn, &ready.hash)? {
            blobs::insert(conn, ready, prepared.now)?;
            bytes += ready.stored();
        }
    }
    Ok(bytes)
}

fn check_contents(conn: &Connection, run: &RunId, event: &Event) -> Result<(), StoreError> {
    for hash in refs::blobs_of(event) {
        if !blobs::has(conn, &hash)? {
            let why = format!("a {} names the content {}, which is not stored", event.kind(), hash.short(12));
            return Err(StoreError::Refused { run: run.clone(), why });
        }
    }
    Ok(())
}

/// True if a snapshot is due after this event.
pub(super) fn wants_snapshot(state: &RunState, event: &Event, snap_seq: u64) -> bool {
    matches!(event, Event::RolledBack { .. })
        || (is_checkpoint(event) && state.ledger.checkpoints.is_multiple_of(snapshot::CHECKPOINTS))
        || state.head.seq.saturating_sub(snap_seq) >= snapshot::EVENTS
}

fn take(conn: &Connection, run_no: i64, prepared: &Prepared, seq: u64) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(
        "UPDATE inbox SET taken_at = ?1, taken_seq = ?2 WHERE id = ?3 AND run_no = ?4 AND taken_at IS NULL",
    )?;
    for id in &prepared.taken {
        if statement.execute(params![prepared.now, int(seq), id, run_no])? == 0 {
            if super::queue::is_back(conn, *id)? {
                return Err(StoreError::TakenBack { run: prepared.run.clone() });
            }
            let why = format!("control {id} is not in its inbox any more");
            return Err(StoreError::Refused { run: prepared.run.clone(), why });
        }
    }
    Ok(())
}

/// The result of a call that already ran may use the reserve.
fn ends_a_started_call(prepared: &Prepared) -> bool {
    prepared.events.iter().any(|encoded| {
        matches!(
            encoded.event,
            Event::CallFinished { .. } | Event::CallUncertain { .. } | Event::RunReleased { .. }
        )
    })
}

/// The durability a commit needs, whatever its caller asked for.
fn at_least(prepared: &Prepared, known: Option<&RunState>, asked: Durability) -> Durability {
    let class_of = |id: &CallId| {
        let inside = prepared.events.iter().find_map(|encoded| {
            let Event::CallProposed(proposal) = &encoded.event else { return None };
            (proposal.call_id == *id).then_some(proposal.class)
        });
        inside.or_else(|| known.and_then(|state| state.open_call(id)).map(|call| call.class))
    };
    let rests = prepared.events.iter().any(|encoded| {
        if let Event::CallStarted { call_id, .. } = &encoded.event {
            // A call that is not known here (a fresh handle) counts as one with an effect.
            return matches!(class_of(call_id), None | Some(Class::Effect | Class::Keyed));
        }
        matches!(
            encoded.event,
            Event::CallWaiting { .. }
                | Event::StepCommitted { .. }
                | Event::RunEnded { .. }
                | Event::RollbackStarted { .. }
                | Event::RolledBack { .. }
        )
    });
    if rests { Durability::Synced } else { asked }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::call::Origin;
    use crate::run::event::Proposal;
    use crate::run::{Body, Hash};

    fn prepared(events: Vec<Event>) -> Prepared {
        Prepared::own(RunId::new("r-1"), 1, events).unwrap()
    }

    fn proposed(class: Class) -> Event {
        Event::CallProposed(Proposal {
            call_id: CallId::new("c-1"),
            origin: Origin::Model,
            reply_seq: 1,
            step: 1,
            position: 1,
            tool: "t".to_owned(),
            class,
            args: Body::Inline(String::new()),
            args_hash: Hash::of(b""),
            effect_key: Hash::of(b""),
        })
    }

    #[test]
    fn what_an_effect_rests_on_is_synced_whatever_was_asked() {
        let id = || CallId::new("c-1");
        let start = || Event::CallStarted { call_id: id(), attempt: 1, epoch: 1, files: Vec::new() };
        let asked = Durability::Unsynced;
        for (class, wanted) in [
            (Class::Effect, Durability::Synced),
            (Class::Keyed, Durability::Synced),
            (Class::Read, Durability::Unsynced),
            (Class::Inner, Durability::Unsynced),
        ] {
            assert_eq!(at_least(&prepared(vec![proposed(class), start()]), None, asked), wanted, "{class:?}");
        }
        assert_eq!(at_least(&prepared(vec![start()]), None, asked), Durability::Synced);
        let waiting = Event::CallWaiting { call_id: id(), why: String::new(), default: None };
        for event in [
            waiting,
            Event::StepCommitted { step: 1 },
            Event::RolledBack { to_seq: 1, timeline: 2, kept: Vec::new(), over: false },
        ] {
            assert_eq!(at_least(&prepared(vec![event]), None, asked), Durability::Synced);
        }
        assert_eq!(at_least(&prepared(vec![Event::Continued]), None, asked), Durability::Unsynced);
        assert_eq!(at_least(&prepared(vec![]), None, Durability::Synced), Durability::Synced);
    }
}
