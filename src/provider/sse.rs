//! Makes whatever a server answers a clean event stream, before any parser sees it.
//!
//! The parser below us panics on a byte-order mark, stalls on invalid UTF-8, drops a last event without a blank
//! line, takes a JSON body for an empty stream, and scans an unfinished line anew with each packet. So: bytes are
//! decoded with replacement, a mark is dropped, only whole lines are handed on, a blank line is added at the end, and a
//! body that is plain JSON becomes one event.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

/// Most bytes of one reply.
pub const MAX_REPLY: usize = 64 << 20;
/// Most bytes of an error body that are read.
pub const MAX_ERROR: usize = 64 << 10;

/// What the body is, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An event stream.
    Events,
    /// JSON: a whole completion or an error.
    Json,
    /// Anything else, such as a web page.
    Other,
    /// Too little was read to say.
    Unknown,
}

/// Judges the beginning of a body. `declared`: the content type says it is an event stream.
#[must_use]
pub fn kind_of(head: &str, declared: bool) -> Kind {
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let field = ["data:", "event:", "id:", "retry:", ":"].iter().any(|field| head.starts_with(field));
    match head.chars().next() {
        None => Kind::Unknown,
        Some('{' | '[') => Kind::Json,
        Some(_) if field => Kind::Events,
        // Fields may be split between packets.
        Some('d' | 'e' | 'i' | 'r') if head.len() < 6 => Kind::Unknown,
        Some('<') => Kind::Other,
        Some(_) if declared => Kind::Events,
        Some(_) => Kind::Other,
    }
}

/// A JSON body as one event, or the text as it is when it is no JSON (the parser then says what is wrong with it).
#[must_use]
pub fn as_event(body: &str) -> String {
    let compact = match serde_json::from_str::<Value>(body.trim_start_matches('\u{feff}')) {
        Ok(value) => value.to_string(),
        Err(_) => body.replace(['\r', '\n'], " "),
    };
    format!("data: {compact}\n\n")
}

/// Decodes pieces of UTF-8, with U+FFFD for what is none; keeps a character that is split between two pieces.
#[derive(Debug, Default)]
pub struct Decoder {
    rest: Vec<u8>,
    started: bool,
    total: usize,
    /// The line that has not ended yet.
    held: String,
}

/// A reply larger than [`MAX_REPLY`].
#[derive(Debug, thiserror::Error)]
#[error("the reply is larger than {} MiB", MAX_REPLY >> 20)]
pub struct TooLarge;

impl Decoder {
    /// Decodes the next piece and gives the lines that are whole. Sets `done` when `data: [DONE]` has passed.
    ///
    /// # Errors
    /// [`TooLarge`] once the reply is larger than [`MAX_REPLY`].
    pub fn push(&mut self, bytes: &[u8], done: &AtomicBool) -> Result<String, TooLarge> {
        self.total = self.total.saturating_add(bytes.len());
        if self.total > MAX_REPLY {
            return Err(TooLarge);
        }
        self.rest.extend_from_slice(bytes);
        let whole = whole_characters(&self.rest);
        let tail = self.rest.split_off(whole);
        let head = std::mem::replace(&mut self.rest, tail);
        let mut text = String::from_utf8_lossy(&head).into_owned();
        if !self.started && !text.is_empty() {
            self.started = true;
            if let Some(clean) = text.strip_prefix('\u{feff}') {
                text = clean.to_owned();
            }
        }
        let Some(end) = text.rfind(['\n', '\r']) else {
            self.held.push_str(&text);
            return Ok(String::new());
        };
        let (lines, rest) = text.split_at(end.saturating_add(1));
        let mut out = std::mem::replace(&mut self.held, rest.to_owned());
        out.push_str(lines);
        watch(&out, done);
        Ok(out)
    }

    /// What is left, with the blank line that ends the last event.
    pub fn end(&mut self, done: &AtomicBool) -> String {
        let rest = std::mem::take(&mut self.rest);
        let mut text = std::mem::take(&mut self.held);
        text.push_str(&String::from_utf8_lossy(&rest));
        text.push_str("\n\n");
        watch(&text, done);
        text
    }
}

/// Looks for the line `data: [DONE]`.
fn watch(lines: &str, done: &AtomicBool) {
    let is_done = |line: &str| line.strip_prefix("data:").map(str::trim) == Some("[DONE]");
    if lines.split(['\n', '\r']).any(is_done) {
        done.store(true, Ordering::Relaxed);
    }
}

/// Length of the part that does not end within a character.
fn whole_characters(bytes: &[u8]) -> usize {
    // A character has at most 4 bytes: look for a leading byte among the last 3 that promises more than there is.
    let len = bytes.len();
    for back in 1..=len.min(3) {
        let at = len - back;
        let needed = match bytes.get(at) {
            Some(0xC0..=0xDF) => 2,
            Some(0xE0..=0xEF) => 3,
            Some(0xF0..=0xF7) => 4,
            Some(0x80..=0xBF) => continue,
            Some(_) | None => return len,
        };
        return if needed > back { at } else { len };
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(pieces: &[&[u8]]) -> (String, bool) {
        let done = AtomicBool::new(false);
        let mut decoder = Decoder::default();
        let mut out = String::new();
        for piece in pieces {
            out.push_str(&decoder.push(piece, &done).unwrap());
        }
        out.push_str(&decoder.end(&done));
        (out, done.load(Ordering::Relaxed))
    }

    #[test]
    fn split_characters_are_joined_and_bad_bytes_replaced() {
        let text = "data: 时间👍\n\n".as_bytes();
        for cut in 0..text.len() {
            let (head, tail) = text.split_at(cut);
            assert_eq!(decode(&[head, tail]).0, "data: 时间👍\n\n\n\n", "cut at {cut}");
        }
        assert_eq!(decode(&[b"a\xff\xfeb"]).0, "a\u{fffd}\u{fffd}b\n\n");
        assert_eq!(decode(&[b"a\xe6\x97"]).0, "a\u{fffd}\n\n");
    }

    #[test]
    fn a_byte_order_mark_is_dropped_and_done_is_seen() {
        let (text, done) = decode(&[b"\xef\xbb", b"\xbfdata: {}\n\ndata: [DO", b"NE]\r\n\r\n"]);
        assert!(text.starts_with("data: {}"), "{text:?}");
        assert!(done);
        assert!(!decode(&[b"data: {\"x\":\"[DONE]\"}\n\n"]).1);
        assert!(decode(&[b"data:[DONE]"]).1);
    }

    #[test]
    fn the_kind_is_told_by_the_first_bytes() {
        assert_eq!(kind_of("data: {", false), Kind::Events);
        assert_eq!(kind_of(": ping", false), Kind::Events);
        assert_eq!(kind_of("\u{feff} {\"id\"", true), Kind::Json);
        assert_eq!(kind_of("<!doctype html>", true), Kind::Other);
        assert_eq!(kind_of("da", false), Kind::Unknown);
        assert_eq!(kind_of("", true), Kind::Unknown);
        assert_eq!(kind_of("not found", false), Kind::Other);
    }
}
