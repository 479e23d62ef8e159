//! How contents are made small: the codecs of the columns `codec`, and of the byte at the end of a snapshot.
//!
//! Events are short and alike, so they share a dictionary that is part of the program. A codec never changes its
//! meaning: another dictionary is another codec, and the old one stays to be read.

use std::cell::RefCell;
use std::sync::OnceLock;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::CParameter;

/// Contents from this size on are compressed if that makes them smaller (bytes).
const COMPRESS_FROM: usize = 256;
/// Level of zstd for contents: fast.
const LEVEL: i32 = 1;
/// Level of zstd for events and snapshots: the first at which their short texts are coded well.
const LEVEL_EVENTS: i32 = 6;
/// As it is.
pub(super) const RAW: i64 = 0;
/// A zstd frame.
pub(super) const ZSTD: i64 = 1;
/// A zstd frame without its magic number, with [`EVENTS_1`] as the dictionary.
const WITH_EVENTS_1: i64 = 2;
/// Depth (1 byte), hash of another content (32 bytes), then a zstd frame with that content as the dictionary.
pub(super) const AFTER: i64 = 3;
/// Most contents that must be read before one that is stored by [`AFTER`].
pub(super) const DEEPEST: u8 = 8;
/// What a zstd frame begins with; worth leaving out of an event.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Trained with `zstd --train -6 --maxdict=8192` on the events and snapshots of runs of the offline model that use
/// each tool, with texts over 160 bytes cut to 60.
const EVENTS_1: &[u8] = include_bytes!("events-1.dict");
/// An event is not longer than this (bytes); what claims to be is damage.
const LONGEST: usize = 1 << 28;

thread_local! {
    /// Making a compressor costs more than using it on a small text.
    static PLAIN: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static EVENTS: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static EVENTS_BACK: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn encoder() -> &'static EncoderDictionary<'static> {
    static DICTIONARY: OnceLock<EncoderDictionary<'static>> = OnceLock::new();
    DICTIONARY.get_or_init(|| EncoderDictionary::copy(EVENTS_1, LEVEL_EVENTS))
}

fn decoder() -> &'static DecoderDictionary<'static> {
    static DICTIONARY: OnceLock<DecoderDictionary<'static>> = OnceLock::new();
    DICTIONARY.get_or_init(|| DecoderDictionary::copy(EVENTS_1))
}

fn compress(
    cell: &RefCell<Option<Compressor<'static>>>,
    make: impl FnOnce() -> std::io::Result<Compressor<'static>>,
    content: &[u8],
) -> Option<Vec<u8>> {
    let mut cell = cell.borrow_mut();
    if cell.is_none() {
        *cell = make().ok();
    }
    cell.as_mut()?.compress(content).ok()
}

/// The content compressed, with its codec, or as it is if that is smaller.
pub(super) fn pack(content: Vec<u8>) -> (i64, Vec<u8>) {
    if content.len() < COMPRESS_FROM {
        return (RAW, content);
    }
    match PLAIN.with(|cell| compress(cell, || Compressor::new(LEVEL), &content)) {
        Some(packed) if packed.len() < content.len() => (ZSTD, packed),
        Some(_) | None => (RAW, content),
    }
}

/// An event's payload, or a snapshot, compressed with the dictionary, or as it is if that is smaller.
pub(super) fn pack_event(content: Vec<u8>) -> (i64, Vec<u8>) {
    let make = || {
        let mut made = Compressor::with_prepared_dictionary(encoder())?;
        made.set_parameter(CParameter::DictIdFlag(false))?;
        Ok(made)
    };
    let packed = EVENTS.with(|cell| compress(cell, make, &content));
    match packed.as_deref().and_then(|packed| packed.strip_prefix(&MAGIC)) {
        Some(packed) if packed.len() < content.len() => (WITH_EVENTS_1, packed.to_vec()),
        Some(_) | None => (RAW, content),
    }
}

/// A content as what differs from `base`, without the head of [`AFTER`]; none if that is not much smaller.
pub(super) fn pack_after(content: &[u8], base: &[u8]) -> Option<Vec<u8>> {
    let packed = Compressor::with_dictionary(LEVEL, base).ok()?.compress(content).ok()?;
    (packed.len() < content.len() / 4).then_some(packed)
}

/// The content again, of a codec that needs no other content.
pub(super) fn unpack(codec: i64, stored: Vec<u8>) -> Result<Vec<u8>, String> {
    let failed = |e: std::io::Error| format!("it cannot be unpacked: {e}");
    match codec {
        RAW => Ok(stored),
        ZSTD => zstd::stream::decode_all(stored.as_slice()).map_err(failed),
        WITH_EVENTS_1 => {
            let frame = [MAGIC.as_slice(), &stored].concat();
            let capacity = Decompressor::upper_bound(&frame).filter(|size| *size <= LONGEST);
            let capacity = capacity.ok_or("it cannot be unpacked: its length is unknown")?;
            EVENTS_BACK.with(|cell| {
                let mut cell = cell.borrow_mut();
                if cell.is_none() {
                    *cell = Some(Decompressor::with_prepared_dictionary(decoder()).map_err(failed)?);
                }
                let back = cell.as_mut().ok_or("it cannot be unpacked")?;
                back.decompress(&frame, capacity).map_err(failed)
            })
        }
        AFTER => Err("it needs the content before it".to_owned()),
        other => Err(format!("its codec {other} is unknown")),
    }
}

/// The content of size `size` that [`pack_after`] made of `base`.
pub(super) fn unpack_after(packed: &[u8], base: &[u8], size: u64) -> Result<Vec<u8>, String> {
    let size =
        usize::try_from(size).ok().filter(|size| *size <= LONGEST).ok_or("its length is impossible")?;
    Decompressor::with_dictionary(base)
        .and_then(|mut back| back.decompress(packed, size))
        .map_err(|e| format!("it cannot be unpacked: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dictionary_of_a_codec_never_changes() {
        let hash = blake3::hash(EVENTS_1).to_hex();
        assert_eq!(hash.as_str(), "701187ccaed0d255aec0f408f95d5639cb3ce5ac24a45aede98ab1cba747f7a5");
    }

    #[test]
    fn what_is_packed_comes_back() {
        let short = br#"{"step_committed":{"step":4}}"#.to_vec();
        let long = short.repeat(400);
        let noise: Vec<u8> =
            (0..2_000_u32).flat_map(|n| blake3::hash(&n.to_le_bytes()).as_bytes()[..4].to_vec()).collect();
        for content in [Vec::new(), b"x".to_vec(), short.clone(), long.clone(), noise.clone()] {
            for (codec, data) in [pack(content.clone()), pack_event(content.clone())] {
                assert!(data.len() <= content.len());
                assert_eq!(unpack(codec, data).unwrap(), content);
            }
        }
        let (codec, data) = pack_event(short.clone());
        assert!(codec == WITH_EVENTS_1 && data.len() * 3 < short.len() * 2, "{codec} {}", data.len());
        let mut next = noise.clone();
        next.splice(40..90, *b"another");
        let packed = pack_after(&next, &noise).unwrap();
        assert!(packed.len() < 100, "{}", packed.len());
        assert_eq!(unpack_after(&packed, &noise, next.len() as u64).unwrap(), next);
        assert_eq!(pack_after(&next, b"nothing alike"), None);
    }

    #[test]
    fn damage_is_an_error_and_no_panic() {
        let (codec, data) = pack_event(br#"{"step_committed":{"step":4}}"#.repeat(9));
        for at in 0..data.len() {
            let mut bad = data.clone();
            bad[at] ^= 0x41;
            let _ = unpack(codec, bad);
            let _ = unpack(codec, data[..at].to_vec());
        }
        assert!(unpack(AFTER, data.clone()).is_err() && unpack(9, data).is_err());
        assert!(unpack_after(b"\x28\xb5", b"base", u64::MAX).is_err());
    }
}
