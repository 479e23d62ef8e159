//! A memory comes: whether the same is known, what it disagrees with, and where it comes from.
//!
//! The same words are kept once in their place, of whatever kind they are told to be: the stronger kind holds, and each
//! source stays on record. A memory is withdrawn once all its sources lie on timelines that were rolled back.

use super::conflicts;
use super::error::StoreError;
use super::memories::{COLUMNS, Kept, Raised, index, memory_of, place_of};
use super::recall::expression;
use super::rows::{int, nat, small};
use crate::agent::rollback::on_chain;
use crate::recall::{Reading, disagree, same};
use crate::run::memory::{Kind, Memory, MemoryId, NewMemory, Source};
use crate::run::state::Path;
use crate::run::{Author, Event, RunId, RunState, Seq, StepNo, TimelineNo};
use rusqlite::{Connection, params};

/// Memories that a new one is compared with, the nearest by text: so many of its kind, and so many of others.
const COMPARED: i64 = 30;

/// Keeps a memory, unless the same is known in its place; `at_event` names the event of an agent's.
pub(super) fn keep(
    conn: &Connection,
    new: &NewMemory,
    reading: &Reading,
    source: &Source,
    at_event: Option<(Seq, TimelineNo)>,
) -> Result<Kept, StoreError> {
    let known = compared(conn, new, reading)?.into_iter().filter(Memory::stands);
    let known: Vec<(Memory, Reading)> = known
        .map(|memory| {
            let read = Reading::of(&memory.what.text);
            (memory, read)
        })
        .collect();
    let alike = known.iter().filter(|(known, read)| known.what.key == new.key && same(read, reading));
    // Two of before this was looked for may stand: then that of the same kind is meant.
    if let Some((known, _)) = alike.max_by_key(|(known, _)| (known.what.kind == new.kind, known.id)) {
        let raised = strengthen(conn, known, new)?;
        came_from(conn, known.id, new.kind, source, at_event)?;
        return Ok(Kept::Known { id: known.id, raised });
    }
    let otherwise = |(known, read): &&(Memory, Reading)| says_otherwise((&known.what, read), (new, reading));
    let others: Vec<MemoryId> = known.iter().filter(otherwise).map(|(known, _)| known.id).collect();
    let id = insert(conn, new, source, at_event)?;
    index(conn, id, reading)?;
    came_from(conn, id, new.kind, source, at_event)?;
    conflicts::add(conn, id, &others)?;
    Ok(Kept::New { id, disagrees_with: others.into_iter().min() })
}

fn insert(
    conn: &Connection,
    new: &NewMemory,
    source: &Source,
    at_event: Option<(Seq, TimelineNo)>,
) -> Result<MemoryId, StoreError> {
    let (scope, place) = place_of(&new.scope);
    conn.prepare_cached(
        "INSERT INTO memories (scope, place, kind, key, text, confidence, pinned, author, run, step, seq, timeline, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?
    .execute(params![
        scope,
        place,
        new.kind.word(),
        new.key,
        new.text,
        new.confidence.min(100),
        new.pinned,
        serde_json::to_string(&source.author).unwrap_or_default(),
        source.run.as_ref().map(RunId::as_str),
        source.step,
        at_event.map(|(seq, _)| int(seq)),
        at_event.map(|(_, timeline)| timeline),
        source.at,
    ])?;
    Ok(nat(conn.last_insert_rowid()))
}

/// What was told again loses nothing of what either said: the stronger kind, the surer of both, and pinned if one was.
fn strengthen(conn: &Connection, known: &Memory, new: &NewMemory) -> Result<Raised, StoreError> {
    let kind = known.what.kind.stronger(new.kind);
    let confidence = new.confidence.min(100);
    conn.prepare_cached(
        "UPDATE memories SET kind = ?2, confidence = max(confidence, ?3), pinned = pinned OR ?4 WHERE id = ?1",
    )?
    .execute(params![
        int(known.id),
        kind.word(),
        confidence,
        new.pinned
    ])?;
    Ok(Raised {
        kind: (kind != known.what.kind).then_some(kind),
        confidence: (confidence > known.what.confidence).then_some(confidence),
        pinned: new.pinned && !known.what.pinned,
    })
}

/// Another memory of its place that says just that.
pub(super) fn said_already(
    conn: &Connection,
    id: MemoryId,
    what: &NewMemory,
) -> Result<Option<MemoryId>, StoreError> {
    let reading = Reading::of(&what.text);
    let says_it = |known: &Memory| {
        known.id != id
            && known.stands()
            && known.what.key == what.key
            && same(&Reading::of(&known.what.text), &reading)
    };
    Ok(compared(conn, what, &reading)?.into_iter().filter(says_it).map(|known| known.id).max())
}

/// Looks anew what a memory disagrees with, now that it reads otherwise. What a person let stand beside it still does.
pub(super) fn look_again(conn: &Connection, id: MemoryId, what: &NewMemory) -> Result<(), StoreError> {
    conflicts::forget(conn, id)?;
    let reading = Reading::of(&what.text);
    // What is withdrawn comes back with its timeline, and then it disagrees.
    let known = compared(conn, what, &reading)?
        .into_iter()
        .filter(|known| known.id != id && known.outdated.is_none());
    let mut others = Vec::new();
    for known in known {
        let otherwise = says_otherwise((&known.what, &Reading::of(&known.what.text)), (what, &reading));
        if otherwise && !conflicts::stand_both(conn, id, known.id)? {
            others.push(known.id);
        }
    }
    conflicts::add(conn, id, &others)
}

/// Notes where a memory comes from, once more.
fn came_from(
    conn: &Connection,
    id: MemoryId,
    kind: Kind,
    source: &Source,
    at_event: Option<(Seq, TimelineNo)>,
) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO memory_sources (memory, kind, author, run, step, seq, timeline, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        int(id),
        kind.word(),
        serde_json::to_string(&source.author).unwrap_or_default(),
        source.run.as_ref().map(RunId::as_str),
        source.step,
        at_event.map(|(seq, _)| int(seq)),
        at_event.map(|(_, timeline)| timeline),
        source.at,
    ])?;
    Ok(())
}

/// True if the second says something else of the same thing than the first.
fn says_otherwise(known: (&NewMemory, &Reading), new: (&NewMemory, &Reading)) -> bool {
    match (&known.0.key, &new.0.key) {
        (Some(key), Some(other)) => key == other,
        // Each run has its own result: other numbers are another time, and no other opinion.
        (None, None) => known.0.kind == new.0.kind && new.0.kind != Kind::Result && disagree(known.1, new.1),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// What stands in the same place and is near in words, or has the same key.
fn compared(conn: &Connection, new: &NewMemory, reading: &Reading) -> Result<Vec<Memory>, StoreError> {
    let (scope, place) = place_of(&new.scope);
    let mut known = Vec::new();
    if let Some(key) = &new.key {
        let sql = format!(
            "SELECT {COLUMNS} FROM memories m WHERE m.gone IS NULL AND m.scope = ?1 AND m.place = ?2 AND m.key = ?3"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        for memory in statement.query_map(params![scope, place, key], memory_of)? {
            known.push(memory?);
        }
        return Ok(known);
    }
    let Some(asked) = expression(&reading.terms) else { return Ok(known) };
    for of in ["=", "<>"] {
        let sql = format!(
            "SELECT {COLUMNS} FROM memory_terms t JOIN memories m ON m.id = t.rowid
             WHERE memory_terms MATCH ?1 AND m.gone IS NULL AND m.scope = ?2 AND m.place = ?3 AND m.kind {of} ?4
             ORDER BY bm25(memory_terms, 1.0, 0.25) LIMIT ?5"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        let values = params![asked, scope, place, new.kind.word(), COMPARED];
        for memory in statement.query_map(values, memory_of)? {
            known.push(memory?);
        }
    }
    Ok(known)
}

/// Who wrote the memory of an event, and in which step: a result at a run's end belongs to the step with the answer, which
/// is whole by then.
pub(super) fn written(event: &Event, path: &Path) -> (Author, StepNo) {
    let Event::ResultKept { items, .. } = event else { return (Author::Agent, path.step + 1) };
    (Author::Wakeful, if items.is_empty() { path.step } else { path.step + 1 })
}

/// Withdraws the memories none of whose sources lies on a timeline that holds, and offers those again of which one does.
pub(super) fn withdraw(conn: &Connection, state: &RunState) -> Result<(), StoreError> {
    let head = (state.head.seq, state.head.timeline);
    let mut statement = conn.prepare_cached(
        "SELECT rowid, memory, seq, timeline, withdrawn FROM memory_sources WHERE run = ?1 AND seq IS NOT NULL",
    )?;
    let rows = statement.query_map([state.run.as_str()], |row| {
        let at = (nat(row.get(2)?), small(row.get(3)?));
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, at, row.get::<_, bool>(4)?))
    })?;
    for row in rows.collect::<Result<Vec<_>, _>>()? {
        let (source, memory, at, withdrawn) = row;
        let gone = !on_chain(&state.ledger.timelines, head, at);
        if gone != withdrawn {
            conn.prepare_cached("UPDATE memory_sources SET withdrawn = ?2 WHERE rowid = ?1")?
                .execute(params![source, gone])?;
            conn.prepare_cached(
                "UPDATE memories SET withdrawn =
                 NOT EXISTS (SELECT 1 FROM memory_sources s WHERE s.memory = ?1 AND NOT s.withdrawn) WHERE id = ?1",
            )?
            .execute([memory])?;
        }
    }
    Ok(())
}
