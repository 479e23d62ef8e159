//! From the raw bytes of a command to what the model and the history get.
//!
//! Purpose: always valid, neutral text of bounded size. Lines that overwrite themselves (`\r`) stand as a terminal shows
//! them at the end, with a mark that says how much was overwritten (`overwritten` has the rule); what is too long keeps
//! its head and its tail around a marked cut; invalid bytes are replaced, and that is said.
//!
//! Work and memory grow with the bytes given, not with the limits: of a very long output give a few megabytes of its
//! beginning and of its end.
//!
//! Not to be assumed: that positions in the text are positions in the output. The bytes themselves are kept elsewhere.

use super::Cut;
use super::neutral::{neutralise, prefix, suffix};
use super::overwritten::end_states;

/// Bytes of a command's output that are recorded at most: half from its beginning, half from its end.
pub const OUTPUT_KEPT: u64 = 64 << 20;

/// The bytes that were kept of an output. If everything was kept it is all in `head`.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// The beginning.
    pub head: &'a [u8],
    /// The end, if bytes between head and tail were not kept.
    pub tail: &'a [u8],
    /// Bytes that were written in all.
    pub total: u64,
}

impl<'a> Captured<'a> {
    /// An output that was kept as a whole.
    #[must_use]
    pub fn whole(bytes: &'a [u8]) -> Self {
        Self { head: bytes, tail: &[], total: bytes.len() as u64 }
    }

    fn complete(&self) -> bool {
        self.total <= (self.head.len() + self.tail.len()) as u64
    }
}

/// How much text is shown, in bytes of text.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the beginning.
    pub head: usize,
    /// From the end.
    pub tail: usize,
}

impl Default for Limits {
    /// 24 KiB of the beginning and 40 KiB of the end: errors stand at the end more often.
    fn default() -> Self {
        Self { head: 24 * 1024, tail: 40 * 1024 }
    }
}

/// Output as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Valid, neutral text.
    pub text: String,
    /// Present if something was left out.
    pub cut: Option<Cut>,
    /// Whether bytes that are no UTF-8 were replaced by `\u{fffd}`; the text says so too.
    pub replaced: bool,
    /// Parts of lines that were overwritten and left out; the text says so where they stood.
    pub overwritten: u64,
}

/// Decodes an output, within the limits.
#[must_use]
pub fn decode_output(captured: Captured<'_>, limits: Limits) -> Shown {
    let (mut replaced, mut overwritten) = (false, 0_u64);
    let mut text = |bytes: &[u8]| {
        let decoded = String::from_utf8_lossy(bytes);
        replaced |= matches!(decoded, std::borrow::Cow::Owned(_));
        let (ended, left) = end_states(&decoded);
        overwritten = overwritten.saturating_add(left);
        neutralise(&ended).into_owned()
    };
    let whole = if captured.complete() && captured.tail.is_empty() {
        Some(text(captured.head))
    } else if captured.complete() {
        Some(text(&[captured.head, captured.tail].concat()))
    } else {
        None
    };
    let (mut shown, cut) = match whole {
        Some(all) if all.len() <= limits.head.saturating_add(limits.tail) => (all, false),
        Some(all) => (around_cut(&all, &all, limits, captured.total), true),
        None => {
            let head = text(trim_end(captured.head));
            let tail = text(trim_start(captured.tail));
            (around_cut(&head, &tail, limits, captured.total), true)
        }
    };
    if replaced {
        if !shown.ends_with('\n') {
            shown.push('\n');
        }
        shown.push_str("[bytes that are not UTF-8 were replaced by \u{fffd}]\n");
    }
    Shown { text: shown, cut: cut.then_some(Cut { total_bytes: captured.total }), replaced, overwritten }
}

/// Decodes a part of an output, as [`decode_output`] does the whole, without a word about what was replaced. Half
/// characters at its ends are the caller's to leave out.
#[must_use]
pub fn decode_part(bytes: &[u8]) -> String {
    neutralise(&end_states(&String::from_utf8_lossy(bytes)).0).into_owned()
}

fn around_cut(head: &str, tail: &str, limits: Limits, total: u64) -> String {
    let head = whole_lines_head(prefix(head, limits.head));
    let tail = whole_lines_tail(suffix(tail, limits.tail));
    let break_before = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    let shown = head.len() + tail.len();
    format!("{head}{break_before}[cut: {shown} of {total} bytes shown, the middle is left out]\n{tail}")
}

/// Ends at a line's end, unless that would lose more than a quarter.
fn whole_lines_head(text: &str) -> &str {
    match text.rfind('\n') {
        Some(end) if end + 1 >= text.len() / 4 * 3 => text.split_at(end + 1).0,
        Some(_) | None => text,
    }
}

/// Begins at a line's beginning, unless that would lose more than a quarter.
fn whole_lines_tail(text: &str) -> &str {
    match text.find('\n') {
        Some(end) if end < text.len() / 4 => text.split_at(end + 1).1,
        Some(_) | None => text,
    }
}

/// Without the beginning of a character that was cut off.
#[must_use]
pub fn trim_end(bytes: &[u8]) -> &[u8] {
    // A character has at most three bytes after its first one.
    let Some(back) = bytes.iter().rev().take(4).position(|&byte| byte & 0xc0 != 0x80) else {
        return bytes;
    };
    let (before, last) = bytes.split_at(bytes.len() - 1 - back);
    match std::str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => before,
        Err(_) | Ok(_) => bytes,
    }
}

/// Without the end of a character whose beginning was cut off.
#[must_use]
pub fn trim_start(bytes: &[u8]) -> &[u8] {
    let continuation = bytes.iter().take(3).take_while(|&&byte| byte & 0xc0 == 0x80).count();
    bytes.split_at(continuation).1
}
