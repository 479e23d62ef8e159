//! Making text from outside harmless.
//!
//! Purpose: whatever a file, a command or a server sends, the text that enters the history can neither steer a terminal
//! nor hide from a reader. Colours are dropped; every other control character becomes visible as `\u{1b}`. So do the
//! characters that reorder text (bidi embeddings, overrides, isolates) and the invisible tag characters.
//!
//! Not to be assumed: that this can be undone, or that what is left is trustworthy. It is data, only readable.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Text in which, of all control characters, only `\n` and `\t` are left. `\r\n` becomes `\n`. Doing it again changes
/// nothing.
#[must_use]
pub fn neutralise(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(must_go) else {
        return Cow::Borrowed(text);
    };
    let (clean, mut rest) = text.split_at(first);
    let mut out = String::with_capacity(text.len());
    out.push_str(clean);
    loop {
        let mut chars = rest.chars();
        let Some(c) = chars.next() else { break };
        if let Some(after) = without_colour(rest) {
            rest = after;
        } else {
            if c == '\r' && chars.as_str().starts_with('\n') {
                // The line feed follows by itself.
            } else if must_go(c) {
                escape(c, &mut out);
            }
            rest = chars.as_str();
        }
        let end = rest.find(must_go).unwrap_or(rest.len());
        let (clean, after) = rest.split_at(end);
        out.push_str(clean);
        rest = after;
    }
    Cow::Owned(out)
}

/// Whether a character may not stand in neutral text.
fn must_go(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}' => true,
        other => other.is_control(),
    }
}

/// What follows a sequence that only sets colours or clears the rest of a line (`ESC [ … m`, `ESC [ … K`), if the text
/// begins with one. Those are in every build log, and showing them would bury it.
fn without_colour(text: &str) -> Option<&str> {
    let body = text.strip_prefix("\u{1b}[").or_else(|| text.strip_prefix('\u{9b}'))?;
    let end = body.find(|c: char| !matches!(c, '0'..='9' | ';' | ':'))?;
    let rest = body.split_at(end).1;
    rest.strip_prefix(['m', 'K'])
}

fn escape(c: char, out: &mut String) {
    // Writing into a String cannot fail.
    let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
}

/// The largest prefix of at most `max` bytes that ends between characters.
pub(super) fn prefix(text: &str, max: usize) -> &str {
    let mut end = max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.split_at(end).0
}

/// The largest suffix of at most `max` bytes that begins between characters.
pub(super) fn suffix(text: &str, max: usize) -> &str {
    let mut start = text.len().saturating_sub(max);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.split_at(start).1
}
