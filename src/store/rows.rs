//! The journal's rows: how an event becomes one, its chained checksum, and how it is read back and judged.
//!
//! `sum` = H(sum of the row before, whatever timeline; seq, timeline, parent, kind, version, time, author; H(payload)).
//! `payload_hash` stands in a row only where the payload was replaced afterwards; else it is worked out.

use super::error::StoreError;
use super::pack::{pack_event, unpack};
use crate::recall::Reading;
use crate::run::event::decode;
use crate::run::{Author, Decoded, Envelope, Event, Hash, Millis, NewEvent, Seq, TimelineNo};
use rusqlite::{Connection, Row, params};

/// The columns of [`StoredEvent`], in its order.
pub(super) const COLUMNS: &str =
    "seq, timeline, parent, version, codec, at, kind, author, sum, payload_hash, payload";

/// SQLite's integers are signed.
pub(super) fn int(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A stored count; what is negative is damage and reads as 0.
pub(super) fn nat(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

/// A stored small count.
pub(super) fn small(n: i64) -> u32 {
    u32::try_from(n).unwrap_or(0)
}

/// A hash as 32 bytes; empty for a text that is none, which then equals no stored hash.
pub(super) fn to_bytes(hash: &Hash) -> Vec<u8> {
    blake3::Hash::from_hex(hash.as_str()).map(|h| h.as_bytes().to_vec()).unwrap_or_default()
}

/// 32 bytes as a hash; anything else is a hash that equals none.
pub(super) fn from_bytes(bytes: &[u8]) -> Hash {
    match <[u8; 32]>::try_from(bytes) {
        Ok(bytes) => Hash::from_hex(blake3::Hash::from_bytes(bytes).to_hex().to_string()),
        Err(_) => Hash::from_hex(""),
    }
}

/// An event made ready for its row, off the writing thread.
#[derive(Debug)]
pub(super) struct Encoded {
    pub(super) author: Author,
    pub(super) author_text: String,
    pub(super) event: Event,
    pub(super) hash: Hash,
    pub(super) codec: i64,
    pub(super) payload: Vec<u8>,
    /// What it wants to be remembered, taken apart.
    pub(super) remembers: Option<Reading>,
}

/// Makes an event ready.
pub(super) fn encode(new: NewEvent) -> Result<Encoded, StoreError> {
    let json = |e: serde_json::Error| StoreError::Sql(format!("an event cannot be written as JSON: {e}"));
    let payload = new.event.payload().map_err(json)?;
    let author_text = serde_json::to_string(&new.author).map_err(json)?;
    let hash = Hash::of(&payload);
    let (codec, payload) = pack_event(payload);
    let remembers = new.event.remembers().map(|memory| Reading::of(&memory.text));
    Ok(Encoded { author: new.author, author_text, event: new.event, hash, codec, payload, remembers })
}

/// What a checksum covers beside the one before it.
pub(super) struct Header<'a> {
    pub(super) seq: Seq,
    pub(super) timeline: TimelineNo,
    pub(super) parent: Seq,
    pub(super) kind: &'a str,
    pub(super) version: u32,
    pub(super) at: Millis,
    pub(super) author: &'a str,
}

/// The checksum of a row.
pub(super) fn chain(before: &Hash, header: &Header<'_>, payload: &Hash) -> Hash {
    Hash::of_parts(&[
        before.as_str().as_bytes(),
        &header.seq.to_le_bytes(),
        &header.timeline.to_le_bytes(),
        &header.parent.to_le_bytes(),
        header.kind.as_bytes(),
        &header.version.to_le_bytes(),
        &header.at.to_le_bytes(),
        header.author.as_bytes(),
        payload.as_str().as_bytes(),
    ])
}

/// A row of the journal.
#[derive(Debug)]
pub(super) struct StoredEvent {
    pub(super) seq: Seq,
    pub(super) timeline: TimelineNo,
    pub(super) parent: Seq,
    pub(super) version: u32,
    pub(super) codec: i64,
    pub(super) at: Millis,
    pub(super) kind: String,
    pub(super) author: String,
    pub(super) sum: Hash,
    pub(super) replaced: Option<Hash>,
    pub(super) payload: Vec<u8>,
}

impl StoredEvent {
    /// Reads [`COLUMNS`].
    pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            seq: nat(row.get(0)?),
            timeline: small(row.get(1)?),
            parent: nat(row.get(2)?),
            version: small(row.get(3)?),
            codec: row.get(4)?,
            at: row.get(5)?,
            kind: row.get(6)?,
            author: row.get(7)?,
            sum: from_bytes(&row.get::<_, Vec<u8>>(8)?),
            replaced: row.get::<_, Option<Vec<u8>>>(9)?.map(|bytes| from_bytes(&bytes)),
            payload: row.get(10)?,
        })
    }

    /// The event in it, if the row fits the checksum before it; else what is wrong.
    pub(super) fn open(self, before: &Hash) -> Result<Envelope, String> {
        let content = unpack(self.codec, self.payload)?;
        let hash = self.replaced.unwrap_or_else(|| Hash::of(&content));
        let header = Header {
            seq: self.seq,
            timeline: self.timeline,
            parent: self.parent,
            kind: &self.kind,
            version: self.version,
            at: self.at,
            author: &self.author,
        };
        if chain(before, &header, &hash) != self.sum {
            return Err("its checksum does not fit".to_owned());
        }
        let event: Decoded = decode(&self.kind, self.version, &content).map_err(|e| e.to_string())?;
        let author =
            serde_json::from_str(&self.author).map_err(|e| format!("its author cannot be read: {e}"))?;
        Ok(Envelope {
            seq: self.seq,
            timeline: self.timeline,
            parent: self.parent,
            at: self.at,
            author,
            event,
        })
    }
}

/// Writes one row.
pub(super) fn insert(
    conn: &Connection,
    run_no: i64,
    header: &Header<'_>,
    encoded: &Encoded,
    sum: &Hash,
) -> rusqlite::Result<()> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO events (run_no, seq, timeline, parent, version, codec, at, kind, author, sum, payload)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    statement.execute(params![
        run_no,
        int(header.seq),
        header.timeline,
        int(header.parent),
        header.version,
        encoded.codec,
        header.at,
        header.kind,
        header.author,
        to_bytes(sum),
        encoded.payload,
    ])?;
    Ok(())
}
