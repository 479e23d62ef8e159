//! Memories: written by the commit that holds an agent's event, or by a person; listed, edited, settled, deleted.
//!
//! A memory of an agent belongs to its event: it is written once for it, whatever is rebuilt later, and is withdrawn
//! while that event lies on a timeline that was rolled back. What a person deletes loses its words; what was replaced
//! keeps them. Neither is ever offered again.

use super::error::StoreError;
use super::keeping::{keep, look_again, said_already, withdraw, written};
use super::open::Store;
use super::results;
use super::rows::{int, nat, small};
use super::settle::{leave, settle};
use crate::recall::Reading;
use crate::run::memory::{Kind, Memory, MemoryId, NewMemory, Scope, Source, TEXT_MAX};
use crate::run::{Author, Decoded, Envelope, Event, Millis, RunId, RunState, Seq, TimelineNo};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use std::path::{Path, PathBuf};

/// The columns of [`memory_of`], in its order. Of those that disagree the oldest is named; what was withdrawn contradicts
/// nothing.
pub(super) const COLUMNS: &str =
    "m.id, m.scope, m.place, m.kind, m.key, m.text, m.confidence, m.pinned, m.author,
    m.run, m.step, m.seq, m.at, m.edited, m.withdrawn, m.outdated, coalesce(
    (SELECT min(o.id) FROM memory_conflicts c JOIN memories o ON o.id = c.older
     WHERE c.newer = m.id AND NOT o.withdrawn AND o.gone IS NULL),
    (SELECT min(o.id) FROM memory_conflicts c JOIN memories o ON o.id = c.newer
     WHERE c.older = m.id AND NOT o.withdrawn AND o.gone IS NULL))";
/// The word for what a person deleted.
const DELETED: &str = "deleted";

/// Which memories.
#[derive(Clone, Debug, Default)]
pub struct MemoryFilter {
    /// Those that a run in this folder sees, beside those of the person; none is all folders.
    pub workspace: Option<PathBuf>,
    /// Those of this run alone, too.
    pub run: Option<RunId>,
    /// Only of these kinds; none is all.
    pub kinds: Vec<Kind>,
    /// Only those that disagree with another one.
    pub conflicts: bool,
    /// Also those of timelines that were rolled back, and results that are outdated.
    pub withdrawn: bool,
    /// At most so many, the newest.
    pub limit: Option<usize>,
}

/// What became of something that was to be remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is new.
    New {
        /// Its name.
        id: MemoryId,
        /// A memory that says something else of the same; both stay until a person decides.
        disagrees_with: Option<MemoryId>,
    },
    /// The same is known already.
    Known {
        /// Its name.
        id: MemoryId,
        /// What telling it again changed.
        raised: Raised,
    },
}

/// What telling a known memory again changed of it: it loses nothing of what either said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Raised {
    /// The kind that it is now, if it was a weaker one.
    pub kind: Option<Kind>,
    /// How sure it is now, percent, if it was less sure.
    pub confidence: Option<u8>,
    /// It was not pinned, and is.
    pub pinned: bool,
}

/// A change of a memory; what is none stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryPatch {
    /// New words.
    pub text: Option<String>,
    /// New kind.
    pub kind: Option<Kind>,
    /// New confidence, percent.
    pub confidence: Option<u8>,
    /// Pinned or not.
    pub pinned: Option<bool>,
    /// Another scope.
    pub scope: Option<Scope>,
}

/// An earlier wording of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryVersion {
    /// Until when it read so.
    pub at: Millis,
    /// Who changed it.
    pub author: Author,
    /// The words.
    pub text: String,
    /// Why it was changed: `edited`, `replaced`.
    pub why: String,
}

/// How a person settles memories that disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settle {
    /// This one stands; those that disagree with it are replaced.
    Keep(MemoryId),
    /// All stand; the words say when which holds and are added to all.
    Both(String),
}

impl Store {
    /// Keeps what a person wants to be remembered. Synced.
    ///
    /// # Errors
    /// [`StoreError::BadMemory`] if it says nothing or is too long, or what a write can meet.
    pub async fn remember(&self, new: NewMemory, source: Source) -> Result<Kept, StoreError> {
        check(&new)?;
        let reading = Reading::of(&new.text);
        self.write(move |writer| writer.wiping(|conn, _| keep(conn, &new, &reading, &source, None))).await
    }

    /// Memories, the newest first.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn memories(&self, filter: MemoryFilter) -> Result<Vec<Memory>, StoreError> {
        self.read(move |conn| list(conn, &filter)).await
    }

    /// Where the memories that a run's agent alone told were written, those that were withdrawn with a timeline too; each with
    /// all its places. It is what a rollback takes with it, and what it brings back.
    ///
    /// # Errors
    /// As [`Store::memories`].
    pub async fn memory_places(&self, run: &RunId) -> Result<Vec<Vec<(Seq, TimelineNo)>>, StoreError> {
        let run = run.clone();
        self.read(move |conn| {
            let mut statement = conn.prepare_cached(
                "SELECT s.memory, s.seq, s.timeline FROM memory_sources s JOIN memories m ON m.id = s.memory
                 WHERE s.run = ?1 AND s.seq IS NOT NULL AND m.gone IS NULL AND NOT EXISTS (
                     SELECT 1 FROM memory_sources o WHERE o.memory = s.memory AND NOT o.withdrawn
                     AND (o.run IS NOT ?1 OR o.seq IS NULL))
                 ORDER BY s.memory",
            )?;
            let rows = statement.query_map([run.as_str()], |row| {
                Ok((row.get::<_, i64>(0)?, (nat(row.get(1)?), small(row.get(2)?))))
            })?;
            let mut places: Vec<(i64, Vec<(Seq, TimelineNo)>)> = Vec::new();
            for row in rows {
                let (memory, place) = row?;
                match places.last_mut() {
                    Some((last, all)) if *last == memory => all.push(place),
                    Some(_) | None => places.push((memory, vec![place])),
                }
            }
            Ok(places.into_iter().map(|(_, all)| all).collect())
        })
        .await
    }

    /// One memory with its earlier wordings, oldest first.
    ///
    /// # Errors
    /// [`StoreError::NoMemory`].
    pub async fn memory(&self, id: MemoryId) -> Result<(Memory, Vec<MemoryVersion>), StoreError> {
        self.read(move |conn| Ok((one(conn, id)?, versions(conn, id)?))).await
    }

    /// Changes a memory; the words before stay as a version, and what it disagrees with is looked for anew.
    ///
    /// # Errors
    /// [`StoreError::NoMemory`], [`StoreError::BadMemory`], or what a write can meet.
    pub async fn edit_memory(
        &self,
        id: MemoryId,
        patch: MemoryPatch,
        author: Author,
        now: Millis,
    ) -> Result<Memory, StoreError> {
        self.write(move |writer| {
            writer.wiping(|conn, _| {
                let before = one(conn, id)?;
                let mut what = before.what.clone();
                what.text = patch.text.clone().unwrap_or(what.text);
                what.kind = patch.kind.unwrap_or(what.kind);
                what.confidence = patch.confidence.unwrap_or(what.confidence);
                what.pinned = patch.pinned.unwrap_or(what.pinned);
                what.scope = patch.scope.clone().unwrap_or(what.scope);
                check(&what)?;
                if what.text != before.what.text
                    && let Some(other) = said_already(conn, id, &what)?
                {
                    return Err(twin(id, other));
                }
                change(conn, &before, &what, &author, now, "edited")?;
                let says = |what: &NewMemory| (what.text.clone(), what.kind, what.scope.clone());
                if says(&what) != says(&before.what) {
                    look_again(conn, id, &what)?;
                }
                one(conn, id)
            })
        })
        .await
    }

    /// Deletes a memory: its words, earlier wordings and vectors are gone, from the file too. The journals of the runs that
    /// wrote it or were offered it are not changed.
    ///
    /// # Errors
    /// [`StoreError::NoMemory`], or what a write can meet.
    pub async fn delete_memory(&self, id: MemoryId) -> Result<(), StoreError> {
        self.write(move |writer| {
            writer.wiping(|conn, _| {
                one(conn, id)?;
                leave(conn, id, DELETED)?;
                conn.execute("UPDATE memories SET text = '', key = NULL WHERE id = ?1", [int(id)])?;
                conn.execute("DELETE FROM memory_versions WHERE memory = ?1", [int(id)])?;
                // The index marks what left it, and holds its terms until it is made anew.
                conn.execute("INSERT INTO memory_terms (memory_terms) VALUES ('optimize')", [])?;
                Ok(())
            })?;
            // It is deleted whether or not another process reads now; whoever closes the database last empties the WAL.
            match writer.empty_wal() {
                Err(StoreError::Busy { .. }) | Ok(()) => Ok(()),
                Err(error) => Err(error),
            }
        })
        .await
    }

    /// Settles the conflict that a memory is in, and notes it with each. Returns those that stand.
    ///
    /// # Errors
    /// [`StoreError::NoMemory`], [`StoreError::BadMemory`] if it disagrees with none, or what a write can meet.
    pub async fn settle_memory(
        &self,
        id: MemoryId,
        how: Settle,
        author: Author,
        now: Millis,
    ) -> Result<Vec<Memory>, StoreError> {
        self.write(move |writer| writer.wiping(|conn, _| settle(conn, id, &how, &author, now))).await
    }
}

/// The same words are kept once: a second of them would be a memory that nobody is offered.
fn twin(id: MemoryId, other: MemoryId) -> StoreError {
    let why = format!(
        "memory {other} says that already. Give memory {id} other words, or delete it: `wakeful memory rm {id}`"
    );
    StoreError::BadMemory { why }
}

/// A memory of a person's or an agent's that can be kept.
pub(super) fn check(new: &NewMemory) -> Result<(), StoreError> {
    let bad = |why: String| Err(StoreError::BadMemory { why });
    let length = new.text.chars().count();
    if new.text.trim().is_empty() {
        return bad("it says nothing; write what is to be remembered in a sentence".to_owned());
    }
    if length > TEXT_MAX {
        return bad(format!(
            "it has {length} characters and at most {TEXT_MAX} are kept; say it shorter, or write a file and remember where it is"
        ));
    }
    match (new.kind, &new.key) {
        (Kind::Preference, None) => bad("a preference needs a key, such as `language`".to_owned()),
        (Kind::Preference, Some(key)) if key.trim().is_empty() => {
            bad("the key of a preference is empty; name what it is about, such as `language`".to_owned())
        }
        (Kind::Preference | Kind::Fact | Kind::Result | Kind::Rule | Kind::Lesson, _) => Ok(()),
    }
}

/// Scope and place as they are stored.
pub(super) fn place_of(scope: &Scope) -> (&'static str, String) {
    let place = match scope {
        Scope::Run(run) => run.as_str().to_owned(),
        Scope::Workspace(folder) => folder.to_string_lossy().into_owned(),
        Scope::User => String::new(),
    };
    (scope.word(), place)
}

fn scope_of(word: &str, place: String) -> Scope {
    match word {
        "run" => Scope::Run(RunId::new(place)),
        "workspace" => Scope::Workspace(PathBuf::from(place)),
        _ => Scope::User,
    }
}

/// A row of [`COLUMNS`] as a memory.
pub(super) fn memory_of(row: &Row<'_>) -> rusqlite::Result<Memory> {
    let word: String = row.get(1)?;
    let kind: String = row.get(3)?;
    let author: String = row.get(8)?;
    let step: Option<i64> = row.get(10)?;
    let seq: Option<i64> = row.get(11)?;
    Ok(Memory {
        id: nat(row.get(0)?),
        what: NewMemory {
            scope: scope_of(&word, row.get(2)?),
            kind: Kind::of(&kind).unwrap_or(Kind::Fact),
            key: row.get(4)?,
            text: row.get(5)?,
            confidence: row.get::<_, i64>(6)?.clamp(0, 100).try_into().unwrap_or(0),
            pinned: row.get(7)?,
        },
        source: Source {
            author: serde_json::from_str(&author).unwrap_or(Author::Wakeful),
            run: row.get::<_, Option<String>>(9)?.map(RunId::new),
            step: step.map(small),
            seq: seq.map(nat),
            at: row.get(12)?,
        },
        edited: row.get(13)?,
        withdrawn: row.get(14)?,
        outdated: row.get::<_, Option<i64>>(15)?.map(small),
        disagrees_with: row.get::<_, Option<i64>>(16)?.map(nat),
    })
}

/// A memory that was neither deleted nor replaced.
pub(super) fn one(conn: &Connection, id: MemoryId) -> Result<Memory, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM memories m WHERE m.id = ?1 AND m.gone IS NULL");
    let found = conn.prepare_cached(&sql)?.query_row([int(id)], memory_of).optional()?;
    found.ok_or(StoreError::NoMemory { id })
}

pub(super) fn list(conn: &Connection, filter: &MemoryFilter) -> Result<Vec<Memory>, StoreError> {
    let folder = filter.workspace.as_ref().map(|folder| folder.to_string_lossy().into_owned());
    let run = filter.run.as_ref().map(|run| run.as_str().to_owned());
    // Our own words, never a person's text.
    let kinds: Vec<String> = filter.kinds.iter().map(|kind| format!("'{}'", kind.word())).collect();
    let kinds =
        if kinds.is_empty() { String::new() } else { format!("AND m.kind IN ({})", kinds.join(", ")) };
    let sql = format!(
        "SELECT {COLUMNS} FROM memories m WHERE m.gone IS NULL {kinds}
         AND (m.scope = 'user' OR (m.scope = 'workspace' AND (?1 IS NULL OR m.place = ?1))
              OR (m.scope = 'run' AND (?1 IS NULL OR m.place = ?2)))
         AND (?3 OR (NOT m.withdrawn AND m.outdated IS NULL))
         ORDER BY m.id DESC"
    );
    let values: [&dyn ToSql; 3] = [&folder, &run, &filter.withdrawn];
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map(values, memory_of)?.map(|memory| Ok(memory?));
    // A row that cannot be read is an error, whatever is asked for.
    let asked = |memory: &Result<Memory, StoreError>| match memory {
        Ok(memory) => !filter.conflicts || memory.disagrees_with.is_some(),
        Err(_) => true,
    };
    rows.filter(asked).take(filter.limit.unwrap_or(usize::MAX)).collect()
}

fn versions(conn: &Connection, id: MemoryId) -> Result<Vec<MemoryVersion>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT at, author, text, why FROM memory_versions WHERE memory = ?1 ORDER BY rowid",
    )?;
    let rows = statement.query_map([int(id)], |row| {
        let author: String = row.get(1)?;
        Ok(MemoryVersion {
            at: row.get(0)?,
            author: serde_json::from_str(&author).unwrap_or(Author::Wakeful),
            text: row.get(2)?,
            why: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn index(conn: &Connection, id: MemoryId, reading: &Reading) -> Result<(), StoreError> {
    let terms = &reading.terms;
    conn.prepare_cached("INSERT INTO memory_terms (rowid, words, characters) VALUES (?1, ?2, ?3)")?
        .execute(params![int(id), terms.words.join(" "), terms.characters.join(" ")])?;
    Ok(())
}

pub(super) fn forget_index(conn: &Connection, id: MemoryId) -> Result<(), StoreError> {
    conn.prepare_cached("DELETE FROM memory_terms WHERE rowid = ?1")?.execute([int(id)])?;
    conn.prepare_cached("DELETE FROM memory_vectors WHERE memory = ?1")?.execute([int(id)])?;
    Ok(())
}

/// Writes another wording and keeps the one before. What a person cares for stays, whatever is newer.
pub(super) fn change(
    conn: &Connection,
    before: &Memory,
    what: &NewMemory,
    author: &Author,
    now: Millis,
    why: &str,
) -> Result<(), StoreError> {
    if before.what.text != what.text {
        version(conn, before, author, now, why)?;
        forget_index(conn, before.id)?;
        index(conn, before.id, &Reading::of(&what.text))?;
    }
    let (scope, place) = place_of(&what.scope);
    conn.prepare_cached(
        "UPDATE memories SET scope = ?2, place = ?3, kind = ?4, text = ?5, confidence = ?6, pinned = ?7, edited = ?8,
         outdated = NULL WHERE id = ?1",
    )?
    .execute(params![
        int(before.id),
        scope,
        place,
        what.kind.word(),
        what.text,
        what.confidence.min(100),
        what.pinned,
        now
    ])?;
    Ok(())
}

pub(super) fn version(
    conn: &Connection,
    before: &Memory,
    author: &Author,
    now: Millis,
    why: &str,
) -> Result<(), StoreError> {
    let author = serde_json::to_string(author).unwrap_or_default();
    conn.prepare_cached(
        "INSERT INTO memory_versions (memory, at, author, text, why) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![int(before.id), now, author, before.what.text, why])?;
    Ok(())
}

/// What an event does to the memories of its run; `state` is the state after it, `remembers` what it wants to be
/// remembered, taken apart before the transaction.
pub(super) fn event(
    conn: &Connection,
    state: &RunState,
    envelope: &Envelope,
    remembers: Option<&Reading>,
) -> Result<(), StoreError> {
    let Decoded::Known(event) = &envelope.event else { return Ok(()) };
    if let (Some(memory), Some(reading)) = (event.remembers(), remembers) {
        let (author, step) = written(event, &state.path);
        let source = Source {
            author,
            run: Some(state.run.clone()),
            step: Some(step),
            seq: Some(envelope.seq),
            at: envelope.at,
        };
        let there = conn
            .prepare_cached("SELECT 1 FROM memory_sources WHERE run = ?1 AND seq = ?2")?
            .exists(params![state.run.as_str(), int(envelope.seq)])?;
        if !there {
            let kept = keep(conn, memory, reading, &source, Some((envelope.seq, envelope.timeline)))?;
            if let Kept::Known { id, .. } = kept {
                results::used(conn, &[id], envelope.at)?;
            }
        }
    }
    if let Event::RolledBack { .. } = event.as_ref() {
        withdraw(conn, state)?;
    }
    if let Event::MemoriesRecalled { items, .. } = event.as_ref() {
        let offered: Vec<MemoryId> = items.iter().map(|item| item.id).collect();
        results::used(conn, &offered, envelope.at)?;
    }
    if let Event::ResultKept { memory, .. } = event.as_ref() {
        results::outdate(conn, state, &memory.scope)?;
    }
    Ok(())
}

/// The folder of a workspace as it is stored.
pub(super) fn folder(workspace: &Path) -> String {
    workspace.to_string_lossy().into_owned()
}
