//! Contents by their hash, each stored once. Over 1 MiB they are stored in chunks of their own transactions before the
//! commit that names them; until the last chunk is there the content does not count. One that repeats most of another
//! is stored as what differs from it ([`pack::AFTER`]); what it differs from must then stay.

use super::error::StoreError;
use super::open::Store;
use super::pack::{self, pack, pack_after, unpack, unpack_after};
use super::rows::{from_bytes, int, nat, to_bytes};
use super::types::Durability;
use crate::host::fault::fault;
use crate::run::{BagContent, BlobBag, Body, Hash};
use rusqlite::{Connection, OptionalExtension, params};
use std::time::{SystemTime, UNIX_EPOCH};

/// Longest content that is stored in one row, and length of a chunk (bytes).
const CHUNK: usize = 1 << 20;

/// A content made ready off the writing thread.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) hash: Hash,
    size: u64,
    codec: i64,
    data: Vec<u8>,
    /// What differs from a content that is stored, with that one's hash.
    after: Option<(Hash, Vec<u8>)>,
}

impl Ready {
    pub(super) fn new(content: Vec<u8>) -> Self {
        Self::like(BagContent { hash: Hash::of(&content), content, like: None })
    }

    fn like(given: BagContent) -> Self {
        let BagContent { hash, content, like } = given;
        let size = content.len() as u64;
        let after = like.and_then(|(base, text)| Some((base, pack_after(&content, &text)?)));
        let (codec, data) = pack(content);
        Self { hash, size, codec, data, after }
    }

    pub(super) fn in_chunks(&self) -> bool {
        self.data.len() > CHUNK
    }

    /// Bytes it takes.
    pub(super) fn stored(&self) -> u64 {
        self.data.len() as u64
    }
}

/// True if the whole content is there.
pub(super) fn has(conn: &Connection, hash: &Hash) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached("SELECT complete FROM blobs WHERE hash = ?1")?;
    let complete: Option<i64> = statement.query_row([to_bytes(hash)], |row| row.get(0)).optional()?;
    Ok(complete == Some(1))
}

/// What differs from a stored content as a row holds it; none if that one is not there or lies too deep itself.
fn as_after(conn: &Connection, ready: &Ready) -> Result<Option<Vec<u8>>, StoreError> {
    let Some((base, packed)) = &ready.after else { return Ok(None) };
    let mut statement = conn.prepare_cached(
        "SELECT codec, substr(data, 1, 1) FROM blobs WHERE hash = ?1 AND complete = 1 AND data IS NOT NULL",
    )?;
    let found: Option<(i64, Vec<u8>)> =
        statement.query_row([to_bytes(base)], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let depth = match found {
        Some((pack::AFTER, first)) => first.first().map_or(u8::MAX, |depth| depth.saturating_add(1)),
        Some(_) => 1,
        None => return Ok(None),
    };
    let head = [depth];
    Ok((depth <= pack::DEEPEST).then(|| [head.as_slice(), &to_bytes(base), packed].concat()))
}

/// Stores a content that fits one row, if it is not there.
pub(super) fn insert(conn: &Connection, ready: &Ready, now: i64) -> Result<Hash, StoreError> {
    let after = as_after(conn, ready)?;
    let (codec, data) = after.as_ref().map_or((ready.codec, &ready.data), |data| (pack::AFTER, data));
    let mut statement = conn.prepare_cached(
        "INSERT INTO blobs (hash, size, stored, codec, chunks, complete, created, data)
         VALUES (?1, ?2, ?3, ?4, 0, 1, ?5, ?6) ON CONFLICT (hash) DO NOTHING",
    )?;
    statement.execute(params![
        to_bytes(&ready.hash),
        int(ready.size),
        int(data.len() as u64),
        codec,
        now,
        data
    ])?;
    Ok(ready.hash.clone())
}

/// Reads a content and checks it.
pub(super) fn read(conn: &Connection, hash: &Hash) -> Result<Vec<u8>, StoreError> {
    read_at(conn, hash, pack::DEEPEST)
}

/// `left`: so many contents may still have to be read before this one.
fn read_at(conn: &Connection, hash: &Hash, left: u8) -> Result<Vec<u8>, StoreError> {
    let bad = |why: String| StoreError::BadBlob { hash: hash.to_string(), why };
    let mut statement = conn.prepare_cached(
        "SELECT blob_no, stored, codec, chunks, data, size FROM blobs WHERE hash = ?1 AND complete = 1",
    )?;
    let found = statement
        .query_row([to_bytes(hash)], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                nat(row.get(1)?),
                row.get::<_, i64>(2)?,
                nat(row.get(3)?),
                row.get::<_, Option<Vec<u8>>>(4)?,
                nat(row.get(5)?),
            ))
        })
        .optional()?;
    let Some((blob_no, stored, codec, chunks, data, size)) = found else {
        return Err(StoreError::NoBlob { hash: hash.to_string() });
    };
    let data = match data {
        Some(data) => data,
        None => read_chunks(conn, blob_no, chunks)?,
    };
    if data.len() as u64 != stored {
        return Err(bad(format!("{} of {stored} bytes are there", data.len())));
    }
    let content = if codec == pack::AFTER {
        let base = data.get(1..33).map(from_bytes).ok_or_else(|| bad("it is too short".to_owned()))?;
        let left = left.checked_sub(1).ok_or_else(|| bad("it hangs on too many others".to_owned()))?;
        let base = read_at(conn, &base, left).map_err(|e| bad(format!("what it hangs on: {e}")))?;
        unpack_after(data.get(33..).unwrap_or_default(), &base, size).map_err(bad)?
    } else {
        unpack(codec, data).map_err(bad)?
    };
    if Hash::of(&content) != *hash {
        return Err(bad("its hash is another".to_owned()));
    }
    Ok(content)
}

fn read_chunks(conn: &Connection, blob_no: i64, chunks: u64) -> Result<Vec<u8>, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT data FROM blob_chunks WHERE blob_no = ?1 AND idx < ?2 ORDER BY idx")?;
    let mut rows = statement.query(params![blob_no, int(chunks)])?;
    let mut data = Vec::new();
    while let Some(row) = rows.next()? {
        data.extend_from_slice(row.get_ref(0)?.as_blob().map_err(|e| StoreError::Sql(e.to_string()))?);
    }
    Ok(data)
}

/// A body's text; what is not UTF-8 in a content is replaced.
pub(super) fn text(conn: &Connection, body: &Body) -> Result<String, StoreError> {
    match body {
        Body::Inline(text) => Ok(text.clone()),
        Body::Blob { hash, .. } => {
            let content = read(conn, hash)?;
            Ok(match String::from_utf8(content) {
                Ok(text) => text,
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            })
        }
    }
}

/// Hashes of all whole contents; for the check of the store.
pub(super) fn all(conn: &Connection) -> Result<Vec<Hash>, StoreError> {
    let mut statement = conn.prepare("SELECT hash FROM blobs WHERE complete = 1 ORDER BY blob_no")?;
    let rows = statement.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
    let mut hashes = Vec::new();
    for hash in rows {
        hashes.push(from_bytes(&hash?));
    }
    Ok(hashes)
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

impl Store {
    /// Stores a content before the commit that names it, for large ones; unsynced. Storing it again costs nothing.
    ///
    /// # Errors
    /// [`StoreError::Full`] on a full disk, [`StoreError::Busy`] if the lock was not to be had.
    pub async fn put_blob(&self, content: Vec<u8>) -> Result<Hash, StoreError> {
        let ready =
            tokio::task::spawn_blocking(move || Ready::new(content)).await.map_err(|_| StoreError::Closed)?;
        self.put_ready(ready).await
    }

    pub(super) async fn put_ready(&self, ready: Ready) -> Result<Hash, StoreError> {
        if !ready.in_chunks() {
            return self
                .write(move |writer| {
                    writer.transaction(Durability::Unsynced, |conn, _| insert(conn, &ready, now()))
                })
                .await;
        }
        self.write(move |writer| {
            let begun = writer.transaction(Durability::Unsynced, |conn, _| begin_chunks(conn, &ready))?;
            let Some(blob_no) = begun else { return Ok(ready.hash.clone()) };
            fault("store.blob_begun");
            for (idx, chunk) in ready.data.chunks(CHUNK).enumerate() {
                writer.transaction(Durability::Unsynced, |conn, _| {
                    let mut statement = conn.prepare_cached(
                        "INSERT OR REPLACE INTO blob_chunks (blob_no, idx, data) VALUES (?1, ?2, ?3)",
                    )?;
                    statement.execute(params![blob_no, int(idx as u64), chunk])?;
                    Ok(())
                })?;
                fault("store.blob_chunk");
            }
            writer.transaction(Durability::Unsynced, |conn, _| {
                conn.execute("UPDATE blobs SET complete = 1 WHERE blob_no = ?1", [blob_no])?;
                Ok(())
            })?;
            fault("store.blob_whole");
            Ok(ready.hash.clone())
        })
        .await
    }

    /// A content by its hash, checked.
    ///
    /// # Errors
    /// [`StoreError::NoBlob`] or [`StoreError::BadBlob`].
    pub async fn blob(&self, hash: &Hash) -> Result<Vec<u8>, StoreError> {
        let hash = hash.clone();
        self.read(move |conn| read(conn, &hash)).await
    }

    /// The text of a body.
    ///
    /// # Errors
    /// As [`Store::blob`].
    pub async fn text(&self, body: &Body) -> Result<String, StoreError> {
        if let Some(text) = body.inline() {
            return Ok(text.to_owned());
        }
        let body = body.clone();
        self.read(move |conn| text(conn, &body)).await
    }

    /// The texts of several bodies, in their order.
    ///
    /// # Errors
    /// As [`Store::blob`], for the first that fails.
    pub async fn texts(&self, bodies: Vec<Body>) -> Result<Vec<String>, StoreError> {
        self.read(move |conn| bodies.iter().map(|body| text(conn, body)).collect()).await
    }
}

/// A row for a content in chunks; none if the whole content is there. Chunks that a kill left behind go first.
fn begin_chunks(conn: &Connection, ready: &Ready) -> Result<Option<i64>, StoreError> {
    if has(conn, &ready.hash)? {
        return Ok(None);
    }
    let chunks = ready.data.len().div_ceil(CHUNK) as u64;
    conn.execute(
        "INSERT INTO blobs (hash, size, stored, codec, chunks, complete, created)
         VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)
         ON CONFLICT (hash) DO UPDATE SET stored = excluded.stored, codec = excluded.codec, chunks = excluded.chunks,
         created = excluded.created",
        params![to_bytes(&ready.hash), int(ready.size), int(ready.stored()), ready.codec, int(chunks), now()],
    )?;
    let blob_no: i64 =
        conn.query_row("SELECT blob_no FROM blobs WHERE hash = ?1", [to_bytes(&ready.hash)], |row| {
            row.get(0)
        })?;
    Ok(Some(blob_no))
}

/// The contents of a bag made ready: those that go into the commit, and those that go before it.
pub(super) fn ready(bag: BlobBag) -> (Vec<Ready>, Vec<Ready>) {
    let mut inside = Vec::new();
    let mut before = Vec::new();
    for given in bag.into_iter_sorted() {
        let ready = Ready::like(given);
        if ready.in_chunks() { before.push(ready) } else { inside.push(ready) }
    }
    (inside, before)
}
