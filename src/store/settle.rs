//! Memories that disagree: what a person decides about two of them, and what becomes of others of the same thing.

use super::error::StoreError;
use super::memories::{
    COLUMNS, Settle, change, check, forget_index, marked, memory_of, one, says_otherwise, version,
};
use super::rows::int;
use crate::recall::Reading;
use crate::run::memory::{Memory, MemoryId};
use crate::run::{Author, Millis};
use rusqlite::{Connection, params};

/// The word for what was replaced when a conflict was settled.
const REPLACED: &str = "replaced";

/// Takes a memory out of everything that is offered. Those that disagreed with it may do so with each other too.
pub(super) fn leave(conn: &Connection, id: MemoryId, why: &str) -> Result<(), StoreError> {
    let about_the_same = about_the_same(conn, id)?;
    forget_index(conn, id)?;
    conn.prepare_cached("UPDATE memories SET gone = ?2, disagrees = NULL WHERE id = ?1")?
        .execute(params![int(id), why])?;
    conn.prepare_cached("UPDATE memories SET disagrees = NULL WHERE disagrees = ?1")?.execute([int(id)])?;
    for (at, (memory, reading)) in about_the_same.iter().enumerate() {
        let mut older = about_the_same.iter().take(at);
        let other = older.find(|(older, read)| says_otherwise((&older.what, read), (&memory.what, reading)));
        if let Some((other, _)) = other {
            conn.prepare_cached("UPDATE memories SET disagrees = ?2 WHERE id = ?1 AND disagrees IS NULL")?
                .execute([int(memory.id), int(other.id)])?;
        }
    }
    Ok(())
}

/// What stands in conflict with a memory, oldest first.
fn about_the_same(conn: &Connection, id: MemoryId) -> Result<Vec<(Memory, Reading)>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memories m WHERE m.gone IS NULL AND NOT m.withdrawn AND (m.disagrees = ?1
         OR m.id = (SELECT disagrees FROM memories WHERE id = ?1)) ORDER BY m.id"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([int(id)], memory_of)?;
    let read = |memory: Memory| {
        let reading = Reading::of(&memory.what.text);
        (memory, reading)
    };
    rows.map(|row| Ok(read(row?))).collect()
}

/// What a person decided about two that disagree. Gives those that stand.
pub(super) fn settle(
    conn: &Connection,
    id: MemoryId,
    how: &Settle,
    author: &Author,
    now: Millis,
) -> Result<Vec<Memory>, StoreError> {
    let asked = marked(conn, one(conn, id)?)?;
    let Some(partner) = asked.disagrees_with else {
        return Err(StoreError::BadMemory { why: format!("memory {id} disagrees with none") });
    };
    let other = one(conn, partner)?;
    match how {
        Settle::Keep(kept) => {
            if *kept != asked.id && *kept != other.id {
                return Err(StoreError::BadMemory { why: format!("memory {kept} is none of the two") });
            }
            let (kept, lost) = if *kept == asked.id { (&asked, &other) } else { (&other, &asked) };
            version(conn, lost, author, now, REPLACED)?;
            leave(conn, lost.id, REPLACED)?;
            Ok(vec![marked(conn, one(conn, kept.id)?)?])
        }
        Settle::Both(when) => {
            let mut both = Vec::new();
            for memory in [&asked, &other] {
                let mut what = memory.what.clone();
                if !when.trim().is_empty() {
                    what.text = format!("{} ({})", what.text, when.trim());
                }
                check(&what)?;
                change(conn, memory, &what, author, now, "settled")?;
                conn.prepare_cached("UPDATE memories SET disagrees = NULL WHERE id = ?1")?
                    .execute([int(memory.id)])?;
                both.push(marked(conn, one(conn, memory.id)?)?);
            }
            Ok(both)
        }
    }
}
