//! Finding memories: by text in the full-text index, by meaning with vectors, joined and explained by `recall`.
//!
//! Vectors are in [`super::vectors`]. What a step costs grows with its candidates, not with what is stored: their texts
//! are taken apart once ([`super::readings`]).

use super::conflicts;
use super::error::StoreError;
use super::memories::{self, MemoryFilter};
use super::open::Store;
use super::readings::{Counts, Readings, Stamp};
use super::rows::{int, nat, small};
use super::vectors::{Vector, by_meaning};
use crate::recall::{Candidate, Found, Policy, Reading, Terms, rank, terms};
use crate::run::RunId;
use crate::run::memory::{Kind, Memory, MemoryId, NewMemory, Preference, Recalled, Why, overruled};
use rusqlite::{Connection, OptionalExtension, params};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, MutexGuard};

/// Most candidates of each order.
pub(super) const CANDIDATES: usize = 50;
/// Most terms that are asked for; of a longer query the first ones count.
const ASKED: usize = 200;

/// What is looked for, and for whom.
#[derive(Clone, Debug)]
pub struct Query {
    /// Words: of a goal and a step, or of a person.
    pub text: String,
    /// Their vector, if there is a source of vectors.
    pub vector: Option<Vector>,
    /// The run that asks, if one does.
    pub run: Option<RunId>,
    /// The folder; none looks in all folders and runs.
    pub workspace: Option<PathBuf>,
    /// How many, how near.
    pub policy: Policy,
}

/// What a run is offered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// The memories that are near, the nearest first.
    pub memories: Vec<Recalled>,
    /// Those that there was room for, were their score high enough; that and why are not told of them.
    pub under: Vec<Recalled>,
    /// What the person likes.
    pub preferences: Vec<Preference>,
}

impl Store {
    /// The memories that are nearest to a query, pinned ones first.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn recall(&self, query: Query) -> Result<Vec<(Memory, Recalled)>, StoreError> {
        let inner = Arc::clone(&self.inner);
        self.read(move |conn| Ok(recall(conn, &inner.shared.readings, &query)?.0)).await
    }

    /// True if there is anything at all that was remembered.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn remembers(&self) -> Result<bool, StoreError> {
        self.read(any).await
    }

    /// What a run is offered: the memories that are near to the query, without preferences, which are offered apart,
    /// by key, the newest first: of one key those of the nearest scope. And those that only their score kept out.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn offered(&self, query: Query) -> Result<Offered, StoreError> {
        let inner = Arc::clone(&self.inner);
        self.read(move |conn| {
            if !any(conn)? {
                return Ok(Offered::default());
            }
            let filter = MemoryFilter {
                workspace: query.workspace.clone(),
                run: query.run.clone(),
                kinds: vec![Kind::Preference],
                ..MemoryFilter::default()
            };
            let likes = memories::list(conn, &filter)?;
            let overruled = overruled(&likes);
            let likes = likes
                .into_iter()
                .filter(|memory| !overruled.contains_key(&memory.id))
                .filter_map(|memory| memory.what.key.map(|key| Preference { key, text: memory.what.text }));
            let (found, under) = recall(conn, &inner.shared.readings, &query)?;
            let apart = |one: &Recalled| one.kind != Kind::Preference;
            Ok(Offered {
                memories: found.into_iter().map(|(_, recalled)| recalled).filter(apart).collect(),
                under: under.into_iter().filter(apart).collect(),
                preferences: likes.collect(),
            })
        })
        .await
    }
}

fn any(conn: &Connection) -> Result<bool, StoreError> {
    Ok(conn.prepare_cached("SELECT 1 FROM memories LIMIT 1")?.exists([])?)
}

/// Any of the terms, as the full-text index is asked; none if there are no terms.
pub(super) fn expression(terms: &Terms) -> Option<String> {
    // Terms hold letters, digits and underscores alone, so that quoting them is enough.
    let any = |column: &str, terms: &[String]| {
        let quoted: Vec<String> = terms.iter().take(ASKED).map(|term| format!("\"{term}\"")).collect();
        (!quoted.is_empty()).then(|| format!("{column} : ({})", quoted.join(" OR ")))
    };
    let parts: Vec<String> =
        [any("words", &terms.words), any("characters", &terms.characters)].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" OR "))
}

/// Results among the candidates of each order, at most: each run leaves some.
const RESULTS: usize = 10;
/// The memories that the asker may see, as a condition on `m`; ?1 is the folder, ?2 the run. What a rule made of this very
/// run says nothing that the run does not know, unless a person pinned it.
pub(super) const SEEN: &str = "m.gone IS NULL AND NOT m.withdrawn AND m.outdated IS NULL
    AND (m.pinned OR m.kind <> 'result' OR m.run IS NOT ?2 OR m.author <> '\"wakeful\"')
    AND (m.scope = 'user'
    OR (m.scope = 'workspace' AND (?1 IS NULL OR m.place = ?1))
    OR (m.scope = 'run' AND (?1 IS NULL OR m.place = ?2)))";

/// A candidate before it is ranked.
#[derive(Default)]
pub(super) struct Near {
    by_text: Option<usize>,
    pub(super) by_meaning: Option<usize>,
    pub(super) likeness: Option<f32>,
}

/// What was found, and what only its score kept out.
type Looked = (Vec<(Memory, Recalled)>, Vec<Recalled>);

fn recall(conn: &Connection, readings: &Readings, query: &Query) -> Result<Looked, StoreError> {
    let asked = terms(&query.text);
    let folder = query.workspace.as_deref().map(memories::folder);
    let run = query.run.as_ref().map(|run| run.as_str().to_owned());
    let mut near: BTreeMap<MemoryId, Near> = BTreeMap::new();
    by_text(conn, &asked, &folder, &run, &mut near)?;
    if let Some(vector) = &query.vector {
        by_meaning(conn, vector, &folder, &run, &mut near)?;
    }
    for id in pinned(conn, &folder, &run)? {
        near.entry(id).or_default();
    }
    let keys = Keys::new(conn, readings, &folder, &run)?;
    for id in keys.named(&asked) {
        // Whoever names the key means it.
        near.entry(id).or_default().by_text = Some(0);
    }
    let conflicts = undecided(conn, query.policy, &mut near)?;
    let mut found: HashMap<MemoryId, Memory> = HashMap::new();
    let mut candidates = Vec::new();
    for (id, near) in near {
        let memory = memories::one(conn, id)?;
        candidates.push(Candidate {
            id,
            reading: readings.of(&found_by(&memory.what)),
            by_text: near.by_text,
            by_meaning: near.by_meaning,
            likeness: near.likeness,
            pinned: memory.what.pinned,
            result: memory.what.kind == Kind::Result,
            conflict: conflicts.get(&id).copied(),
        });
        found.insert(id, memory);
    }
    let rarity = Rarity::new(conn, readings)?;
    let ranked = rank(&asked, &candidates, query.policy, &|term| rarity.of(term, &keys));
    let under: Vec<Recalled> = ranked
        .under
        .iter()
        .filter_map(|id| {
            let far = Found { id: *id, score: 0, why: Why::default(), beside: false, more: 0 };
            Some(recalled(found.get(id)?, far))
        })
        .collect();
    let with_reason = ranked.found.into_iter().filter_map(|ranked| {
        let memory = found.remove(&ranked.id)?;
        let recalled = recalled(&memory, ranked);
        Some((memory, recalled))
    });
    Ok((with_reason.collect(), under))
}

/// A memory as it is offered, with how it was found.
fn recalled(memory: &Memory, ranked: Found) -> Recalled {
    Recalled {
        id: memory.id,
        kind: memory.what.kind,
        text: memory.what.text.clone(),
        score: ranked.score,
        why: ranked.why,
        from: memory.source.run.clone().zip(memory.source.step),
        at: memory.source.at,
        disagrees_with: memory.disagrees_with,
        beside: ranked.beside,
        more: ranked.more,
    }
}

/// The conflicts of what is near, by memory, if they are taken together: their others are near too. Results have none
/// between them that need be shown: each says when it was.
fn undecided(
    conn: &Connection,
    policy: Policy,
    near: &mut BTreeMap<MemoryId, Near>,
) -> Result<HashMap<MemoryId, usize>, StoreError> {
    let mut of = HashMap::new();
    if policy.conflict == 0 {
        return Ok(of);
    }
    for (at, conflict) in conflicts::all(conn)?.into_iter().enumerate() {
        if conflict.iter().any(|id| near.contains_key(id)) {
            for id in conflict {
                near.entry(id).or_default();
                of.insert(id, at);
            }
        }
    }
    Ok(of)
}

/// A memory that was found, with its rank in its order, whatever that counts in.
pub(super) struct Hit<Rank> {
    pub(super) id: MemoryId,
    pub(super) result: bool,
    pub(super) rank: Rank,
}

/// The first of an order, the nearest first, that are candidates: of results only some.
pub(super) fn candidates<Rank>(all: impl Iterator<Item = Hit<Rank>>) -> impl Iterator<Item = Hit<Rank>> {
    let mut results = 0;
    let few = all.filter(move |hit| {
        results += usize::from(hit.result);
        !hit.result || results <= RESULTS
    });
    few.take(CANDIDATES)
}

fn by_text(
    conn: &Connection,
    asked: &Terms,
    folder: &Option<String>,
    run: &Option<String>,
    near: &mut BTreeMap<MemoryId, Near>,
) -> Result<(), StoreError> {
    let Some(expression) = expression(asked) else { return Ok(()) };
    let mut hits = in_text(conn, &expression, folder, run, "")?;
    if hits.len() >= CANDIDATES && hits.iter().filter(|hit| hit.result).count() > RESULTS {
        // Results stand in the place of others.
        let others = in_text(conn, &expression, folder, run, "AND m.kind <> 'result'")?;
        hits.retain(|hit| hit.result);
        hits.extend(others);
        hits.sort_by(|a, b| a.rank.total_cmp(&b.rank));
    }
    for (place, hit) in candidates(hits.into_iter()).enumerate() {
        near.entry(hit.id).or_default().by_text = Some(place);
    }
    Ok(())
}

/// The nearest by text, as far as candidates go; the rank is that of BM25, which is less the nearer it is.
fn in_text(
    conn: &Connection,
    expression: &str,
    folder: &Option<String>,
    run: &Option<String>,
    only: &str,
) -> Result<Vec<Hit<f64>>, StoreError> {
    let sql = format!(
        "SELECT m.id, m.kind = 'result', bm25(memory_terms, 1.0, 0.25) AS near
         FROM memory_terms JOIN memories m ON m.id = memory_terms.rowid
         WHERE memory_terms MATCH ?3 AND {SEEN} {only} ORDER BY near LIMIT ?4"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map(params![folder, run, expression, int(CANDIDATES as u64)], |row| {
        Ok(Hit { id: nat(row.get(0)?), result: row.get(1)?, rank: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn pinned(
    conn: &Connection,
    folder: &Option<String>,
    run: &Option<String>,
) -> Result<Vec<MemoryId>, StoreError> {
    let sql = format!("SELECT m.id FROM memories m WHERE m.pinned AND {SEEN}");
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map(params![folder, run], |row| row.get::<_, i64>(0))?;
    rows.map(|id| Ok(nat(id?))).collect()
}

/// What a memory is found by: its key too, which the full-text index does not hold.
fn found_by(what: &NewMemory) -> Cow<'_, str> {
    match &what.key {
        Some(key) => Cow::Owned(format!("{key}: {}", what.text)),
        None => Cow::Borrowed(&what.text),
    }
}

/// The keys of memories that the asker may see, taken apart. There are few.
struct Keys(Vec<Key>);

struct Key {
    id: MemoryId,
    terms: Terms,
    /// Its memory's text: what that holds too is counted with the texts already.
    text: Arc<Reading>,
}

impl Keys {
    fn new(
        conn: &Connection,
        readings: &Readings,
        folder: &Option<String>,
        run: &Option<String>,
    ) -> Result<Self, StoreError> {
        let sql = format!("SELECT m.id, m.key, m.text FROM memories m WHERE m.key IS NOT NULL AND {SEEN}");
        let mut statement = conn.prepare_cached(&sql)?;
        let rows = statement.query_map(params![folder, run], |row| {
            Ok(Key {
                id: nat(row.get(0)?),
                terms: terms(&row.get::<_, String>(1)?),
                text: readings.of(&row.get::<_, String>(2)?),
            })
        })?;
        Ok(Self(rows.collect::<Result<_, _>>()?))
    }

    /// Those of whose key something is asked for.
    fn named(&self, asked: &Terms) -> impl Iterator<Item = MemoryId> {
        let named = |key: &Terms| {
            key.words.iter().any(|term| asked.words.contains(term))
                || key.words.is_empty() && key.characters.iter().any(|term| asked.characters.contains(term))
        };
        self.0.iter().filter(move |key| named(&key.terms)).map(|key| key.id)
    }

    /// How many memories hold a term in their key alone.
    fn held(&self, term: &str) -> u32 {
        let alone = |key: &&Key| key.terms.holds(term) && !key.text.terms.holds(term);
        u32::try_from(self.0.iter().filter(alone).count()).unwrap_or(u32::MAX)
    }
}

/// How rare terms are among all memories.
struct Rarity<'a> {
    conn: &'a Connection,
    all: f64,
    counts: RefCell<MutexGuard<'a, Counts>>,
}

impl<'a> Rarity<'a> {
    fn new(conn: &'a Connection, readings: &'a Readings) -> Result<Self, StoreError> {
        let stamp: Stamp = conn
            .prepare_cached(
                "SELECT (SELECT count(id) FROM memories WHERE gone IS NULL),
                        coalesce((SELECT max(id) FROM memories), 0),
                        coalesce((SELECT max(rowid) FROM memory_versions), 0)",
            )?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(Self { conn, all: stamp.0 as f64, counts: RefCell::new(readings.counts(stamp)) })
    }

    /// The weight that BM25 gives a term: ln(1 + (n − df + ½) / (df + ½)).
    fn of(&self, term: &str, keys: &Keys) -> f64 {
        let held = self.counts.borrow_mut().of(term, || self.held(term)).saturating_add(keys.held(term));
        // What no memory holds says nothing about any of them.
        if held == 0 {
            return 0.0;
        }
        // However memories are counted: a term that all of them hold still weighs a little.
        (1.0 + ((self.all - f64::from(held)).max(0.0) + 0.5) / (f64::from(held) + 0.5)).ln()
    }

    fn held(&self, term: &str) -> u32 {
        let held: Option<i64> = self
            .conn
            .prepare_cached("SELECT doc FROM memory_vocabulary WHERE term = ?1")
            .and_then(|mut statement| statement.query_row([term], |row| row.get(0)).optional())
            .ok()
            .flatten();
        small(held.unwrap_or(0))
    }
}
