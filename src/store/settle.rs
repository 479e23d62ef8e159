//! Memories that disagree: what a person decides about them, with what is kept on record of it.

use super::conflicts;
use super::error::StoreError;
use super::memories::{Settle, change, check, forget_index, one, version};
use super::rows::int;
use crate::run::memory::{Memory, MemoryId};
use crate::run::{Author, Millis};
use rusqlite::{Connection, params};

/// The word for what was replaced when a conflict was settled.
const REPLACED: &str = "replaced";

/// Takes a memory out of everything that is offered. Others of the same thing go on disagreeing with each other.
pub(super) fn leave(conn: &Connection, id: MemoryId, why: &str) -> Result<(), StoreError> {
    forget_index(conn, id)?;
    conflicts::forget(conn, id)?;
    conn.prepare_cached("UPDATE memories SET gone = ?2 WHERE id = ?1")?.execute(params![int(id), why])?;
    Ok(())
}

/// What a person decided about a conflict, named by one of its memories. Gives those that stand, that one first.
pub(super) fn settle(
    conn: &Connection,
    id: MemoryId,
    how: &Settle,
    author: &Author,
    now: Millis,
) -> Result<Vec<Memory>, StoreError> {
    let asked = one(conn, id)?;
    let group = conflicts::of(conn, id)?;
    if group.is_empty() {
        return Err(StoreError::BadMemory { why: format!("memory {id} disagrees with none") });
    }
    match how {
        Settle::Keep(kept) => {
            if !group.iter().any(|memory| memory.id == *kept) {
                return Err(StoreError::BadMemory { why: none_of(*kept, &group) });
            }
            let against = |(one, other): &(MemoryId, MemoryId)| one == kept || other == kept;
            let pairs: Vec<_> = conflicts::pairs(conn)?.into_iter().filter(against).collect();
            let lost = |memory: &&Memory| {
                memory.id != *kept && pairs.iter().any(|(one, other)| [*one, *other].contains(&memory.id))
            };
            for lost in group.iter().filter(lost) {
                version(conn, lost, author, now, REPLACED)?;
                leave(conn, lost.id, REPLACED)?;
                conflicts::note(conn, (*kept, lost.id), "kept", author, now)?;
                conflicts::note(conn, (lost.id, *kept), REPLACED, author, now)?;
            }
            Ok(vec![one(conn, *kept)?])
        }
        Settle::Both(when) => {
            let others = group.iter().filter(|memory| memory.id != id);
            let all: Vec<&Memory> = std::iter::once(&asked).chain(others).collect();
            for memory in &all {
                let mut what = memory.what.clone();
                if !when.trim().is_empty() {
                    what.text = format!("{} ({})", what.text, when.trim());
                }
                check(&what)?;
                change(conn, memory, &what, author, now, "settled")?;
                conflicts::forget(conn, memory.id)?;
                for other in all.iter().filter(|other| other.id != memory.id) {
                    conflicts::note(conn, (memory.id, other.id), "both", author, now)?;
                }
            }
            all.iter().map(|memory| one(conn, memory.id)).collect()
        }
    }
}

fn none_of(kept: MemoryId, group: &[Memory]) -> String {
    if group.len() == 2 {
        return format!("memory {kept} is none of the two");
    }
    let ids: Vec<String> = group.iter().map(|memory| memory.id.to_string()).collect();
    format!("memory {kept} is none of those that disagree ({})", ids.join(", "))
}
