//! Which memories disagree: pairs as they are found, and the conflicts that these make, each the set of all memories of one
//! thing. What was withdrawn with its timeline contradicts nothing, and does so again if the timeline comes back.

use super::error::StoreError;
use super::memories::{COLUMNS, memory_of};
use super::open::Store;
use super::rows::{int, nat};
use crate::run::memory::{Kind, Memory, MemoryId, Source};
use crate::run::{Author, Millis, RunId};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::{BTreeMap, BTreeSet};

/// A conflict that was settled, as one of its memories tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// When.
    pub at: Millis,
    /// Who decided.
    pub author: Author,
    /// What stood against it.
    pub other: MemoryId,
    /// The words of that, empty if it was deleted since.
    pub text: String,
    /// True if both stand, false if this one took the other's place.
    pub both: bool,
}

/// What else is known of a memory: what it disagrees with, which conflicts of it were settled, who told it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The others of its conflict, oldest first.
    pub conflict: Vec<Memory>,
    /// Conflicts that were settled, oldest first.
    pub settled: Vec<Settled>,
    /// Each time it was told, oldest first, with the kind that it was told to be.
    pub sources: Vec<(Source, Kind)>,
}

impl Store {
    /// All conflicts: of each the memories, oldest first.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn conflicts(&self) -> Result<Vec<Vec<MemoryId>>, StoreError> {
        self.read(all).await
    }

    /// What else is known of a memory.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn about_memory(&self, id: MemoryId) -> Result<About, StoreError> {
        self.read(move |conn| {
            Ok(About {
                conflict: of(conn, id)?.into_iter().filter(|other| other.id != id).collect(),
                settled: settled(conn, id)?,
                sources: sources(conn, id)?,
            })
        })
        .await
    }

    /// The memory that took the place of one that is gone, and when; none if it was not replaced.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn replaced_by(&self, id: MemoryId) -> Result<Option<(MemoryId, Millis)>, StoreError> {
        self.read(move |conn| {
            let found = conn
                .prepare_cached(
                    "SELECT s.other, s.at FROM memory_settlements s JOIN memories m ON m.id = s.memory
                     WHERE s.memory = ?1 AND s.how = 'replaced' AND m.gone = 'replaced'",
                )?
                .query_row([int(id)], |row| Ok((nat(row.get(0)?), row.get(1)?)))
                .optional()?;
            Ok(found)
        })
        .await
    }
}

/// Notes that a memory disagrees with these.
pub(super) fn add(conn: &Connection, new: MemoryId, others: &[MemoryId]) -> Result<(), StoreError> {
    let mut statement =
        conn.prepare_cached("INSERT OR IGNORE INTO memory_conflicts (older, newer) VALUES (?1, ?2)")?;
    for other in others {
        statement.execute([int(*other.min(&new)), int(*other.max(&new))])?;
    }
    Ok(())
}

/// Takes a memory out of whatever it disagrees with.
pub(super) fn forget(conn: &Connection, id: MemoryId) -> Result<(), StoreError> {
    conn.prepare_cached("DELETE FROM memory_conflicts WHERE older = ?1 OR newer = ?1")?.execute([int(id)])?;
    Ok(())
}

/// Whether a person let both of two stand.
pub(super) fn stand_both(conn: &Connection, one: MemoryId, other: MemoryId) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT 1 FROM memory_settlements WHERE memory = ?1 AND other = ?2 AND how = 'both'",
    )?;
    Ok(statement.exists([int(one), int(other)])?)
}

/// The pairs of memories that stand.
pub(super) fn pairs(conn: &Connection) -> Result<Vec<(MemoryId, MemoryId)>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT c.older, c.newer FROM memory_conflicts c
         JOIN memories o ON o.id = c.older AND o.gone IS NULL AND NOT o.withdrawn
         JOIN memories n ON n.id = c.newer AND n.gone IS NULL AND NOT n.withdrawn
         ORDER BY c.older, c.newer",
    )?;
    let rows = statement.query_map([], |row| Ok((nat(row.get(0)?), nat(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// All conflicts: of each the memories that stand, oldest first.
pub(super) fn all(conn: &Connection) -> Result<Vec<Vec<MemoryId>>, StoreError> {
    Ok(grouped(&pairs(conn)?))
}

/// All memories of the conflict that one is in, itself among them, oldest first; none if it disagrees with none.
pub(super) fn of(conn: &Connection, id: MemoryId) -> Result<Vec<Memory>, StoreError> {
    let group = all(conn)?.into_iter().find(|group| group.contains(&id)).unwrap_or_default();
    let sql = format!("SELECT {COLUMNS} FROM memories m WHERE m.id = ?1");
    let mut statement = conn.prepare_cached(&sql)?;
    group.into_iter().map(|id| Ok(statement.query_row([int(id)], memory_of)?)).collect()
}

/// Sets of all that hang together by these pairs.
fn grouped(pairs: &[(MemoryId, MemoryId)]) -> Vec<Vec<MemoryId>> {
    let mut group: BTreeMap<MemoryId, MemoryId> = BTreeMap::new();
    for (one, other) in pairs {
        let first = *group.entry(*one).or_insert(*one);
        let second = *group.entry(*other).or_insert(*other);
        let (name, old) = (first.min(second), first.max(second));
        group.values_mut().filter(|of| **of == old).for_each(|of| *of = name);
    }
    let mut groups: BTreeMap<MemoryId, BTreeSet<MemoryId>> = BTreeMap::new();
    for (id, name) in group {
        groups.entry(name).or_default().insert(id);
    }
    groups.into_values().map(|group| group.into_iter().collect()).collect()
}

/// Notes with a memory that a conflict with another one was settled.
pub(super) fn note(
    conn: &Connection,
    (memory, other): (MemoryId, MemoryId),
    how: &str,
    author: &Author,
    now: Millis,
) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO memory_settlements (memory, other, at, author, how) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        int(memory),
        int(other),
        now,
        serde_json::to_string(author).unwrap_or_default(),
        how
    ])?;
    Ok(())
}

fn settled(conn: &Connection, id: MemoryId) -> Result<Vec<Settled>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT s.at, s.author, s.other, coalesce(m.text, ''), s.how FROM memory_settlements s
         LEFT JOIN memories m ON m.id = s.other WHERE s.memory = ?1 AND s.how <> 'replaced' ORDER BY s.rowid",
    )?;
    let rows = statement.query_map([int(id)], |row| {
        Ok(Settled {
            at: row.get(0)?,
            author: author(&row.get::<_, String>(1)?),
            other: nat(row.get(2)?),
            text: row.get(3)?,
            both: row.get::<_, String>(4)? == "both",
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn sources(conn: &Connection, id: MemoryId) -> Result<Vec<(Source, Kind)>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT author, run, step, seq, at, kind FROM memory_sources WHERE memory = ?1 AND NOT withdrawn
         ORDER BY rowid",
    )?;
    let rows = statement.query_map([int(id)], |row| {
        let source = Source {
            author: author(&row.get::<_, String>(0)?),
            run: row.get::<_, Option<String>>(1)?.map(RunId::new),
            step: row.get(2)?,
            seq: row.get::<_, Option<i64>>(3)?.map(nat),
            at: row.get(4)?,
        };
        Ok((source, Kind::of(&row.get::<_, String>(5)?).unwrap_or(Kind::Fact)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn author(json: &str) -> Author {
    serde_json::from_str(json).unwrap_or(Author::Wakeful)
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn what_hangs_together_is_one_conflict_in_whatever_order_the_pairs_come() {
        assert_eq!(grouped(&[]), Vec::<Vec<u64>>::new());
        assert_eq!(grouped(&[(1, 2), (4, 6), (1, 3)]), [vec![1, 2, 3], vec![4, 6]]);
        assert_eq!(grouped(&[(1, 4), (2, 3), (3, 4)]), [[1, 2, 3, 4]]);
        assert_eq!(grouped(&[(3, 4), (1, 2), (2, 4)]), [[1, 2, 3, 4]]);
    }
}
