//! Lines that overwrite themselves: what stands after a carriage return covers what stood before it.
//!
//! The rule, the same for what the model gets, for what is shown while a command runs and for what is recorded: of each
//! line the state that a terminal would show at its end is kept, and behind it stands how many parts are not to be seen
//! any more: `100% [2 overwritten parts left out]`. Blank parts, and parts of which nothing was lost, are not counted.
//! So nothing can be hidden behind a carriage return without a word; the output as it was written is kept apart.
//!
//! Not to be assumed: that the state is exact to the cell. Tabs, and sequences that are shown as codes, move a cursor
//! otherwise than is counted here; text may then be left in view that was covered, or counted as covered.

use super::neutral::neutralise;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthChar as _;

/// Text whose lines stand as they ended, and how many parts of them were left out.
pub(super) fn end_states(text: &str) -> (String, u64) {
    let mut out = String::with_capacity(text.len());
    let mut all = 0_u64;
    for line in text.split_inclusive('\n') {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        // Carriage returns at the very end are a line ending, or a bar that was about to be drawn again.
        let body = body.trim_end_matches('\r');
        if body.contains('\r') {
            let (shown, left) = end_state(body);
            all = all.saturating_add(left);
            push(&mut out, &shown, left);
        } else {
            out.push_str(body);
        }
        out.push_str(end);
    }
    (out, all)
}

fn push(out: &mut String, shown: &str, left: u64) {
    if left == 0 {
        return out.push_str(shown);
    }
    let shown = shown.trim_end();
    let (gap, s) = (if shown.is_empty() { "" } else { " " }, if left == 1 { "" } else { "s" });
    // Writing into a String cannot fail.
    let _ = write!(out, "{shown}{gap}[{left} overwritten part{s} left out]");
}

/// What is to be seen of a line, neutral, and how many of its parts were lost. From its last part back, so that each is
/// looked at once: an earlier one is seen as far as it is longer than all that came after it.
fn end_state(line: &str) -> (String, u64) {
    let (mut shown, mut cells, mut left, mut erased) = (String::new(), 0, 0, false);
    for raw in line.rsplit('\r') {
        let part = neutralise(raw);
        let at = if erased { part.len() } else { covered(&part, cells) };
        let (hidden, seen) = part.split_at_checked(at).unwrap_or((&part, ""));
        let hidden = hidden.trim_end();
        if !hidden.is_empty() && !shown.starts_with(hidden) {
            left += 1;
        }
        shown.push_str(seen);
        cells = cells.max(part.chars().map(|c| c.width().unwrap_or(0)).sum());
        erased |= erases(raw);
    }
    (shown, left)
}

/// Bytes of a text that its first so many cells hold.
fn covered(text: &str, cells: usize) -> usize {
    let mut from = 0;
    for (at, c) in text.char_indices() {
        if from >= cells && c.width() != Some(0) {
            return at;
        }
        from += c.width().unwrap_or(0);
    }
    text.len()
}

/// Whether a part clears the rest of its line, or all of it (`ESC [ K`, `ESC [ 2 K`).
fn erases(part: &str) -> bool {
    let ends = |text: &str| ["K", "0K", "2K"].iter().any(|end| text.starts_with(end));
    part.split("\u{1b}[").skip(1).any(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> (String, u64) {
        end_states(line)
    }

    #[test]
    fn a_line_stands_as_a_terminal_shows_it_with_what_was_lost() {
        for (line, shown, left) in [
            ("a\r\nb\n", "a\nb\n", 0),
            ("10%\r20%\r", "20% [1 overwritten part left out]", 1),
            ("\r10%\r10%\r100%\n", "100% [2 overwritten parts left out]\n", 2),
            ("rm -rf /;\r harmless \nx", " harmless [1 overwritten part left out]\nx", 1),
            ("abcdef\rxy", "xycdef [1 overwritten part left out]", 1),
            ("abcdef\rab", "abcdef", 0),
            ("abcdef\r\u{1b}[Kab", "ab [1 overwritten part left out]", 1),
            ("abcdef\u{1b}[2K\rab", "abcdef", 0),
            ("bar\r   \rdone", "done [1 overwritten part left out]", 1),
            ("bar\r   \r\n", "[1 overwritten part left out]\n", 1),
            ("   \rdone", "done", 0),
            ("secret\r\u{1b}[31mharmless\u{1b}[m", "harmless [1 overwritten part left out]", 1),
            ("你好吗\rab", "ab好吗 [1 overwritten part left out]", 1),
            ("你好吗\ra", "a好吗 [1 overwritten part left out]", 1),
            ("e\u{301}x\ra", "ax [1 overwritten part left out]", 1),
        ] {
            assert_eq!(of(line), (shown.to_owned(), left), "{line:?}");
        }
    }

    #[test]
    fn no_part_is_lost_without_a_word() {
        // Any two parts: each letter is seen, or a part is counted.
        let parts = ["", "a", "bc", "d  e", " f", "\u{1b}[K", "g\u{1b}[K", "\th", "你"];
        for first in parts {
            for second in parts {
                let (shown, left) = of(&format!("{first}\r{second}"));
                let whole = |part: &str| {
                    let clean = neutralise(part).into_owned();
                    clean.chars().filter(|c| !c.is_whitespace()).all(|c| shown.contains(c))
                };
                assert!(whole(second), "{first:?} {second:?} {shown:?}");
                assert!(whole(first) || left == 1, "{first:?} {second:?} {shown:?}");
            }
        }
    }
}
