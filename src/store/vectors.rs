//! Vectors of memories: kept for the model that made them, and compared one by one. Some thousand memories take about a
//! millisecond, and the file needs no index that could disagree with it.
//!
//! A vector counts only for the source that made it, named by whoever asks, and for its number of numbers: those of
//! another model, or of a model that was changed behind its name, are as good as none, and are replaced when they are
//! made anew. A change of a memory's words deletes its vector.

use super::error::StoreError;
use super::open::Store;
use super::recall::{Hit, Near, SEEN, candidates};
use super::rows::{int, nat};
use super::types::Durability;
use crate::run::memory::MemoryId;
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

/// Bytes of a number.
const FLOAT: usize = 4;
/// Numbers that are added side by side: so many fit the registers of any machine.
const LANES: usize = 8;
/// Memories that want a vector and have none of this model (?1) and length (?2 in bytes; none is any).
const WITHOUT: &str = "m.gone IS NULL AND NOT m.withdrawn AND m.outdated IS NULL AND NOT EXISTS
    (SELECT 1 FROM memory_vectors v WHERE v.memory = m.id AND v.model = ?1 AND (?2 IS NULL OR length(v.vector) = ?2))";

/// A vector with the model that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// The model's name, with whatever else tells its vectors from others.
    pub model: String,
    /// Its numbers.
    pub values: Vec<f32>,
}

/// How many memories have a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorCount {
    /// Memories that can be found.
    pub memories: u64,
    /// Those of them without a vector.
    pub without: u64,
}

impl Store {
    /// Memories that have no vector of this model and of so many numbers yet (none: of whatever length), the newest
    /// first, after those before `below`. What was withdrawn wants none until it comes back.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn without_vector(
        &self,
        model: &str,
        numbers: Option<usize>,
        below: Option<MemoryId>,
        most: usize,
    ) -> Result<Vec<(MemoryId, String)>, StoreError> {
        let model = model.to_owned();
        self.read(move |conn| {
            let sql = format!(
                "SELECT m.id, m.text FROM memories m WHERE {WITHOUT} AND (?3 IS NULL OR m.id < ?3)
                 ORDER BY m.id DESC LIMIT ?4"
            );
            let mut statement = conn.prepare_cached(&sql)?;
            let values = params![model, bytes_in(numbers), below.map(int), int(most as u64)];
            let rows = statement.query_map(values, |row| Ok((nat(row.get(0)?), row.get::<_, String>(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// How many memories there are to be found, and how many of them have no vector of this model and length.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn count_vectors(
        &self,
        model: &str,
        numbers: Option<usize>,
    ) -> Result<VectorCount, StoreError> {
        let model = model.to_owned();
        self.read(move |conn| {
            let sql = format!(
                "SELECT (SELECT count(*) FROM memories WHERE gone IS NULL AND NOT withdrawn AND outdated IS NULL),
                 (SELECT count(*) FROM memories m WHERE {WITHOUT})"
            );
            let counted = conn.prepare_cached(&sql)?.query_row(params![model, bytes_in(numbers)], |row| {
                Ok(VectorCount { memories: nat(row.get(0)?), without: nat(row.get(1)?) })
            })?;
            Ok(counted)
        })
        .await
    }

    /// True if a memory has a vector of this model: without one there is nothing to compare a query with.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn has_vectors(&self, model: &str) -> Result<bool, StoreError> {
        let model = model.to_owned();
        self.read(move |conn| {
            let there =
                conn.prepare_cached("SELECT 1 FROM memory_vectors WHERE model = ?1")?.exists([model])?;
            Ok(there)
        })
        .await
    }

    /// Keeps vectors, in the place of those that another model made of the same memories. One whose memory reads
    /// otherwise by now, or is gone, is left out. Returns how many were kept.
    ///
    /// # Errors
    /// What a write can meet.
    pub async fn put_vectors(
        &self,
        model: &str,
        vectors: Vec<(MemoryId, String, Vec<f32>)>,
    ) -> Result<usize, StoreError> {
        let model = model.to_owned();
        self.write(move |writer| {
            writer.transaction(Durability::Unsynced, |conn, _| {
                let mut put = conn.prepare_cached(
                    "INSERT OR REPLACE INTO memory_vectors (memory, model, vector)
                     SELECT id, ?2, ?3 FROM memories WHERE id = ?1 AND gone IS NULL AND text = ?4",
                )?;
                let mut drop =
                    conn.prepare_cached("DELETE FROM memory_vectors WHERE memory = ?1 AND model <> ?2")?;
                let mut kept = 0;
                for (id, text, values) in &vectors {
                    let put = put.execute(params![int(*id), model, bytes_of(values), text])?;
                    if put > 0 {
                        drop.execute(params![int(*id), model])?;
                    }
                    kept += put;
                }
                Ok(kept)
            })
        })
        .await
    }

    /// Forgets all vectors, so that they are made anew.
    ///
    /// # Errors
    /// What a write can meet.
    pub async fn drop_vectors(&self) -> Result<usize, StoreError> {
        self.write(|writer| {
            writer.transaction(Durability::Unsynced, |conn, _| {
                Ok(conn.prepare_cached("DELETE FROM memory_vectors")?.execute([])?)
            })
        })
        .await
    }
}

fn bytes_in(numbers: Option<usize>) -> Option<i64> {
    numbers.map(|numbers| int((numbers * FLOAT) as u64))
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Marks the memories that are nearest in meaning.
pub(super) fn by_meaning(
    conn: &Connection,
    vector: &Vector,
    folder: &Option<String>,
    run: &Option<String>,
    near: &mut BTreeMap<MemoryId, Near>,
) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT m.id, v.vector, m.kind = 'result' FROM memory_vectors v JOIN memories m ON m.id = v.memory
         WHERE v.model = ?3 AND {SEEN}"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query(params![folder, run, vector.model])?;
    let asked = Asked::of(&vector.values);
    let mut all: Vec<Hit<f32>> = Vec::new();
    while let Some(row) = rows.next()? {
        let blob = row.get_ref(1)?.as_blob().unwrap_or_default();
        if let Some(likeness) = asked.cosine(blob) {
            all.push(Hit { id: nat(row.get(0)?), result: row.get(2)?, rank: likeness });
        }
    }
    let mean = all.iter().map(|hit| hit.rank).sum::<f32>() / (all.len().max(1) as f32);
    all.sort_by(|a, b| b.rank.total_cmp(&a.rank));
    for (place, Hit { id, rank: likeness, .. }) in candidates(all.into_iter()).enumerate() {
        let entry = near.entry(id).or_default();
        entry.by_meaning = Some(place);
        entry.likeness = Some(((likeness - mean) / (1.0 - mean).max(f32::EPSILON)).clamp(0.0, 1.0));
    }
    Ok(())
}

/// A vector that others are held against, as they are stored.
struct Asked<'a> {
    values: &'a [f32],
    length: f32,
}

impl<'a> Asked<'a> {
    fn of(values: &'a [f32]) -> Self {
        Self { values, length: values.iter().map(|x| x * x).sum::<f32>().sqrt() }
    }

    /// The cosine; none if the two cannot be compared.
    fn cosine(&self, bytes: &[u8]) -> Option<f32> {
        let (fours, _) = bytes.as_chunks::<FLOAT>();
        if fours.len() != self.values.len() || fours.is_empty() {
            return None;
        }
        let (mut dot, mut square) = ([0.0f32; LANES], [0.0f32; LANES]);
        let pairs = self.values.chunks(LANES).zip(fours.chunks(LANES));
        for (asked, held) in pairs {
            for (((dot, square), asked), held) in dot.iter_mut().zip(&mut square).zip(asked).zip(held) {
                let held = f32::from_le_bytes(*held);
                *dot += asked * held;
                *square += held * held;
            }
        }
        let cosine = dot.iter().sum::<f32>() / (self.length * square.iter().sum::<f32>().sqrt());
        cosine.is_finite().then_some(cosine)
    }
}
