//! The difference that a write would make, for the person who approves and for the model.

use std::time::Duration;

use similar::TextDiff;

use super::neutral::{neutralise, prefix};

/// Longest diff, in bytes; what is beyond is said in its last line.
const DIFF: usize = 64 * 1024;
/// Above this many bytes on either side no diff is computed.
const COMPARED: usize = 4 * 1024 * 1024;

/// A unified diff with three lines of context, neutral and bounded; of binary content only the sizes.
pub fn unified(path: &str, before: Option<&[u8]>, after: &[u8]) -> String {
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
    let diff = TextDiff::configure().timeout(Duration::from_millis(300)).diff_lines(old, new);
    let whole = diff.unified_diff().header(&from, &format!("b/{path}")).to_string();
    // A carriage return is part of what changes; it must not pass for a plain line end.
    let shown = whole.replace("\r\n", "\u{240d}\n");
    let neutral = neutralise(&shown);
    if neutral.len() <= DIFF {
        return neutral.into_owned();
    }
    let head = prefix(&neutral, DIFF);
    let head = head.rfind('\n').map_or(head, |end| head.split_at(end + 1).0);
    format!("{head}[diff cut: {} of {} bytes shown]\n", head.len(), neutral.len())
}
