//! A text that may be longer than a page holds: its beginning and its end, with a line between them that says how much
//! is left out. What is held is bounded, however long the text is.
//!
//! Not to be assumed: that all of an output is in its recorded text; where bytes were not kept, the text says so.

use super::flow::Flow;
use crate::ui::app::model::Model;
use crate::ui::theme::Role;
use crate::ui::words::numbers::size;

/// Most bytes of a text that are laid out: half from its beginning, half from its end.
pub const MOST: usize = 2 * 1024 * 1024;
/// Most lines, as each of them costs more than its bytes.
pub const LINES: usize = 100_000;
/// So many bytes are given up at a cut for a whole line.
const LINE: usize = 64 * 1024;
/// How the line ends that stands where bytes of an output were not kept.
const NOT_KEPT: &str = " bytes were not kept]\n";

/// What is left out of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Left {
    bytes: u64,
    /// Lines; none if that is not known.
    lines: Option<u64>,
    /// True if the bytes rest on what the text itself says of bytes that were not kept.
    about: bool,
}

/// What a page holds of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Long {
    head: String,
    tail: String,
    left: Option<Left>,
}

impl Long {
    /// What is held of this text.
    pub fn of(text: &str) -> Self {
        if text.len() <= MOST && text.bytes().filter(|byte| *byte == b'\n').count() <= LINES {
            return Self { head: text.to_owned(), tail: String::new(), left: None };
        }
        let head_end =
            (0..=text.len().min(MOST / 2)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let (head, _) = text.split_at_checked(head_end).unwrap_or((text, ""));
        let head = match head.rfind('\n') {
            Some(end) if head.len() - end <= LINE => head.get(..=end).unwrap_or(head),
            Some(_) | None => head,
        };
        let head = first_lines(head);
        let tail_start = (text.len().saturating_sub(MOST / 2)..=text.len())
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(text.len());
        let (_, tail) = text.split_at_checked(tail_start).unwrap_or(("", text));
        let tail = match tail.find('\n') {
            Some(end) if end < LINE => tail.get(end + 1..).unwrap_or(tail),
            Some(_) | None => tail,
        };
        let tail = last_lines(tail);
        let middle = text.get(head.len()..text.len() - tail.len()).unwrap_or_default();
        let gone = not_kept(middle);
        let whole_lines = head.ends_with('\n') && middle.ends_with('\n') && gone == 0;
        let left = Left {
            bytes: (middle.len() as u64).saturating_add(gone),
            lines: whole_lines.then(|| middle.bytes().filter(|byte| *byte == b'\n').count() as u64),
            about: gone > 0,
        };
        Self { head: head.to_owned(), tail: tail.to_owned(), left: Some(left) }
    }

    /// Adds it to what is shown; `text` adds a part of it.
    pub fn add(&self, model: &Model, flow: &mut Flow, mut text: impl FnMut(&mut Flow, &str)) {
        text(flow, &self.head);
        let Some(left) = self.left else { return };
        let words = model.words();
        let about = if left.about { model.look.glyphs.nearly } else { "" };
        let mut much = format!("{about}{}", size(left.bytes));
        if let Some(lines) = left.lines {
            much = format!("{} {} {much}", words.live.lines(lines), model.look.glyphs.dot);
        }
        flow.words(&format!("{} {}", model.look.glyphs.ellipsis, words.ask.left_out_here(&much)), Role::Warn);
        flow.is_part();
        text(flow, &self.tail);
    }
}

/// The lines of a beginning that are held.
fn first_lines(text: &str) -> &str {
    let last = text.match_indices('\n').nth(LINES / 2 - 1);
    last.and_then(|(at, _)| text.get(..=at)).unwrap_or(text)
}

/// The lines of an end that are held.
fn last_lines(text: &str) -> &str {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let before = body.rmatch_indices('\n').nth(LINES / 2 - 1);
    before.and_then(|(at, _)| text.get(at + 1..)).unwrap_or(text)
}

/// Bytes that were not kept of an output, as the line in their place says.
fn not_kept(middle: &str) -> u64 {
    let said = |(at, _): (usize, &str)| {
        let line = middle.get(..at)?.rsplit('\n').next()?;
        line.strip_prefix('[')?.parse::<u64>().ok()
    };
    middle.match_indices(NOT_KEPT).find_map(said).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(text: &str) -> (usize, usize, Option<Left>) {
        let long = Long::of(text);
        assert!(text.starts_with(&long.head) && text.ends_with(&long.tail));
        assert!(long.head.len() + long.tail.len() <= MOST);
        (long.head.lines().count(), long.tail.lines().count(), long.left)
    }

    #[test]
    fn the_beginning_and_the_end_are_held_and_the_lines_between_counted() {
        let short = "line\n".repeat(1_000);
        assert_eq!(held(&short), (1_000, 0, None));
        let all = 3_000_000;
        let text: String = (1..=all).map(|n| format!("{n}\n")).collect();
        let (head, tail, left) = held(&text);
        let left = left.unwrap();
        assert_eq!(head as u64 + tail as u64 + left.lines.unwrap(), all);
        assert!(left.bytes as usize > text.len() - MOST && !left.about);
    }

    #[test]
    fn very_short_lines_are_bounded_by_their_number() {
        for all in [LINES, LINES + 1, 400_000, 3_000_000] {
            let text = "y\n".repeat(all);
            let (head, tail, left) = held(&text);
            match left {
                None => assert_eq!((head, tail), (LINES, 0)),
                Some(left) => {
                    assert_eq!((head, tail), (LINES / 2, LINES / 2));
                    assert_eq!(left.lines, Some((all - LINES) as u64));
                }
            }
        }
        // Half of them long: neither half reaches into the other.
        for text in [
            "a long line of words\n".repeat(45_000) + &"y\n".repeat(80_000),
            "y\n".repeat(80_000) + &"a long line of words\n".repeat(45_000),
        ] {
            let (head, tail, left) = held(&text);
            assert_eq!(head as u64 + tail as u64 + left.unwrap().lines.unwrap(), 125_000);
        }
    }

    #[test]
    fn of_one_long_line_and_of_what_was_not_kept_no_lines_are_claimed() {
        let text = "é".repeat(MOST);
        let (_, _, left) = held(&text);
        assert_eq!(left.unwrap().lines, None);
        let piece = "line\n".repeat(MOST / 4);
        let text = format!("{piece}[5000000 bytes were not kept]\n{piece}");
        let (_, _, left) = held(&text);
        let left = left.unwrap();
        assert!(left.about && left.lines.is_none() && left.bytes > 5_000_000, "{left:?}");
    }
}
