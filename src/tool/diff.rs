//! The difference that a write would make, for the person who approves and for the model.

use std::borrow::Cow;
use std::time::Duration;

use similar::TextDiff;

use super::neutral::{neutralise, prefix};

/// Longest diff, in bytes; what is beyond is said in its last line.
const DIFF: usize = 64 * 1024;
/// Above this many bytes on either side no diff is computed.
const COMPARED: usize = 4 * 1024 * 1024;

/// A unified diff with three lines of context, neutral and bounded, for the model and the record; colours are dropped
/// from it. Of binary content only the sizes.
pub fn unified(path: &str, before: Option<&[u8]>, after: &[u8]) -> String {
    let whole = whole(path, before, after);
    // A carriage return is part of what changes; it must not pass for a plain line end.
    bounded(&neutralise(&whole.replace("\r\n", "\u{240d}\n")))
}

/// The same diff with every character as it is, bounded, for a person who approves it. It is not neutral: who shows it
/// has to make each character visible that acts on a terminal. Only `\n` ends its lines.
#[must_use]
pub fn exact_diff(path: &str, before: Option<&[u8]>, after: &[u8]) -> String {
    bounded(&whole(path, before, after))
}

fn whole(path: &str, before: Option<&[u8]>, after: &[u8]) -> String {
    let old_bytes = before.unwrap_or_default();
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old_bytes), std::str::from_utf8(after)) else {
        return format!("binary or not UTF-8: {} bytes become {} bytes\n", old_bytes.len(), after.len());
    };
    if old.len() > COMPARED || new.len() > COMPARED {
        return format!("too long for a diff: {} bytes become {} bytes\n", old.len(), new.len());
    }
    // A line feed in a name would look like a line of the diff.
    let path = path.replace('\n', "\\n");
    let from = if before.is_some() { format!("a/{path}") } else { "/dev/null".to_owned() };
    let (old, new) = (lines(old), lines(new));
    let old: Vec<&str> = old.iter().map(AsRef::as_ref).collect();
    let new: Vec<&str> = new.iter().map(AsRef::as_ref).collect();
    let diff = TextDiff::configure().timeout(Duration::from_millis(300)).diff_slices(&old, &new);
    diff.unified_diff().header(&from, &format!("b/{path}")).to_string()
}

/// The lines without their ends. Only a line feed ends a line: a lone carriage return would put a line that comes
/// behind one that goes. Of a last line without an end this is said, in a line of its own.
fn lines(text: &str) -> Vec<Cow<'_, str>> {
    let mut lines: Vec<Cow<'_, str>> = text.split('\n').map(Cow::Borrowed).collect();
    match lines.pop() {
        Some(last) if !last.is_empty() => {
            lines.push(Cow::Owned(format!("{last}\n\\ No newline at end of file")));
        }
        Some(_) | None => {}
    }
    lines
}

fn bounded(diff: &str) -> String {
    if diff.len() <= DIFF {
        return diff.to_owned();
    }
    let head = prefix(diff, DIFF);
    let head = head.rfind('\n').map_or(head, |end| head.split_at(end + 1).0);
    format!("{head}[diff cut: {} of {} bytes shown]\n", head.len(), diff.len())
}
