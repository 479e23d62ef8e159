//! What the reading commands share in how they print: text or JSON on stdout, times, bars, wrapped text.

use super::app::Failure;
use super::print::{Out, neutral};
use super::words::many;
use crate::run::Millis;
use serde::Serialize;
use unicode_width::UnicodeWidthChar;

/// Cells of a line when nobody's terminal is there to ask.
const WIDTH: usize = 100;

/// Prints text on stdout.
///
/// # Errors
/// If stdout cannot be written; a reader that went away is none.
pub fn text(text: &str) -> Result<(), Failure> {
    Ok(Out::stdout().text(text)?)
}

/// Prints a JSON value on stdout.
///
/// # Errors
/// As [`text`].
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    Ok(Out::stdout().json(value)?)
}

/// Cells of a line of text.
pub fn width() -> usize {
    super::print::terminal_width().unwrap_or(WIDTH).max(40)
}

/// A moment in the local time zone, to the second.
pub fn moment(at: Millis) -> String {
    match jiff::Timestamp::from_millisecond(at) {
        Ok(time) => time.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        // Out of what a calendar holds: a damaged clock.
        Err(_) => format!("{at} ms"),
    }
}

/// A bar of eight cells for `used` of `most`; something is never shown as nothing.
pub fn bar(used: u64, most: u64) -> String {
    const CELLS: u64 = 8;
    let most = most.max(1);
    let full = (used.min(most) * CELLS / most).max(u64::from(used > 0));
    (0..CELLS).map(|cell| if cell < full { '█' } else { '░' }).collect()
}

/// A text in lines of at most `width` cells, each with `indent`. Nothing is left out; what acts on a terminal or hides
/// is shown as a code.
pub fn wrapped(text: &str, indent: &str, width: usize) -> String {
    let room = width.saturating_sub(indent.len()).max(20);
    let mut out = String::new();
    for line in neutral(text).split('\n') {
        out.push_str(indent);
        let mut used = 0;
        for c in line.chars() {
            // A tab is printed as it is; it moves on to the next eighth cell.
            let cells = if c == '\t' { 8 - used % 8 } else { c.width().unwrap_or(0) };
            if used + cells > room {
                out.push('\n');
                out.push_str(indent);
                used = 0;
            }
            out.push(c);
            used += cells;
        }
        out.push('\n');
    }
    out
}

/// The first `most` characters of a text; a cut says how much is missing.
pub fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => {
            let left = text.chars().count() - most;
            format!("{}… ({})", text.get(..at).unwrap_or_default(), many(left, "more character"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_empty_only_for_nothing() {
        let bars = [(0, 10), (1, 1_000), (5, 10), (10, 10), (99, 10), (3, 0)].map(|(u, m)| bar(u, m));
        assert_eq!(bars, ["░░░░░░░░", "█░░░░░░░", "████░░░░", "████████", "████████", "████████"]);
    }

    #[test]
    fn wrapping_loses_nothing_and_shows_what_hides() {
        let text = format!("ab\u{200b}\u{202e}c\r\n{}你好", "x".repeat(45));
        let shown = wrapped(&text, "  ", 32);
        assert_eq!(
            shown,
            format!("  ab\\u{{200b}}\\u{{202e}}c\\u{{d}}\n  {}\n  {}你好\n", "x".repeat(30), "x".repeat(15))
        );
        assert_eq!(beginning("你好吗", 2), "你好… (1 more character)");
    }
}
