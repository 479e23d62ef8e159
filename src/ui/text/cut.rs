//! Text to a given number of cells: cut, cut in the middle, padded. A text that is cut fills its cells to the last one:
//! where half a glyph would stand, there is a space.

use super::measure::{Unit, units, width};
use super::{Hidden, Line, Piece};
use std::borrow::Cow;
use std::ops::Range;

/// Where a text stands in its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At the left.
    Left,
    /// At the right, as numbers do.
    Right,
    /// In the middle, nearer to the left.
    Center,
}

fn spaces(count: usize) -> String {
    " ".repeat(count)
}

/// The code of a character (`\u{202e}`) that would be cut in two at this byte: it is shown whole or not at all.
fn code_around(text: &str, at: usize) -> Option<Range<usize>> {
    let start = text.get(..at)?.rfind('\\')?;
    let digits = text.get(start..)?.strip_prefix("\\u{")?.split_once('}')?.0;
    let is_code = (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let end = start + digits.len() + 4;
    (is_code && at < end).then_some(start..end)
}

/// The mark after a text that was cut. Half a glyph's cell stands before it; a code's cells stand after it.
fn ended(free: usize, mark: &str) -> String {
    if free > 1 { format!("{mark}{}", spaces(free)) } else { format!("{}{mark}", spaces(free)) }
}

/// The start of a text that fits, and the cells that stay free.
fn start(text: &str, cells: usize) -> (&str, usize) {
    let (mut bytes, mut free) = (0, cells);
    for unit in units(text) {
        if unit.cells > free {
            break;
        }
        bytes += unit.text.len();
        free -= unit.cells;
    }
    if let Some(code) = code_around(text, bytes) {
        free += bytes - code.start;
        bytes = code.start;
    }
    (text.get(..bytes).unwrap_or(""), free)
}

/// The end of a text that fits, and the cells that stay free.
fn end(text: &str, cells: usize) -> (&str, usize) {
    let parts: Vec<Unit<'_>> = units(text).collect();
    let (mut at, mut free) = (text.len(), cells);
    for unit in parts.iter().rev() {
        if unit.cells > free {
            break;
        }
        at -= unit.text.len();
        free -= unit.cells;
    }
    if let Some(code) = code_around(text, at) {
        free += code.end - at;
        at = code.end;
    }
    (text.get(at..).unwrap_or(""), free)
}

/// A text that is longer than `cells` is cut, and ends with `mark` (`…`; nothing, if it is empty or has no room).
#[must_use]
pub fn cut<'a>(text: &'a str, cells: usize, mark: &str) -> Cow<'a, str> {
    if fits(text, cells) {
        return Cow::Borrowed(text);
    }
    let (mark, room) = marked(mark, cells);
    let (kept, free) = start(text, room);
    Cow::Owned(format!("{kept}{}", ended(free, mark)))
}

/// A text that is longer than `cells` loses its middle, where `mark` is put. Of a path the last name is kept, as far as
/// half of the cells and more if it fits beside one cell of the start.
#[must_use]
pub fn cut_middle<'a>(text: &'a str, cells: usize, mark: &str) -> Cow<'a, str> {
    if fits(text, cells) {
        return Cow::Borrowed(text);
    }
    let (mark, room) = marked(mark, cells);
    let name = text.rfind('/').and_then(|at| text.get(at..)).map_or(0, width);
    let back = if name > 0 && name < room { name.max(room / 2) } else { room / 2 };
    let (tail, free_tail) = end(text, back);
    let (head, free_head) = start(text, room - back);
    Cow::Owned(format!("{head}{}{}{tail}", ended(free_head, mark), spaces(free_tail)))
}

/// A text that is longer than `cells` loses its start, where `mark` is put.
#[must_use]
pub fn cut_left<'a>(text: &'a str, cells: usize, mark: &str) -> Cow<'a, str> {
    if fits(text, cells) {
        return Cow::Borrowed(text);
    }
    let (mark, room) = marked(mark, cells);
    let (tail, free) = end(text, room);
    Cow::Owned(format!("{mark}{}{tail}", spaces(free)))
}

/// Whether the whole text has room; looks no further than that needs.
fn fits(text: &str, cells: usize) -> bool {
    start(text, cells).0.len() == text.len()
}

/// The mark, if there is room for it, and the cells beside it.
fn marked(mark: &str, cells: usize) -> (&str, usize) {
    cells.checked_sub(width(mark)).map_or(("", cells), |room| (mark, room))
}

/// A text with spaces added up to `cells`; a longer one stays as it is.
#[must_use]
pub fn pad(text: &str, cells: usize, align: Align) -> Cow<'_, str> {
    let missing = cells.saturating_sub(width(text));
    if missing == 0 {
        return Cow::Borrowed(text);
    }
    let left = match align {
        Align::Left => 0,
        Align::Right => missing,
        Align::Center => missing / 2,
    };
    Cow::Owned(format!("{}{text}{}", spaces(left), spaces(missing - left)))
}

/// A text of exactly `cells`: cut or padded.
#[must_use]
pub fn fit<'a>(text: &'a str, cells: usize, align: Align, mark: &str) -> Cow<'a, str> {
    match cut(text, cells, mark) {
        Cow::Borrowed(text) => pad(text, cells, align),
        Cow::Owned(text) => Cow::Owned(text),
    }
}

/// A line that is longer than `cells` is cut and ends with `mark`; the code of a hidden character is kept whole or left out.
#[must_use]
pub fn cut_line<'t>(line: &'t Line<'_>, cells: usize, mark: &str) -> Line<'t> {
    let (mark, room) = marked(mark, cells);
    let mut out = Taken { pieces: Vec::new(), free: cells };
    if line.pieces.iter().all(|piece| out.take(&piece.text, piece.hidden)) {
        return Line { pieces: out.pieces };
    }
    let mut out = Taken { pieces: Vec::new(), free: room };
    let _ = line.pieces.iter().all(|piece| out.take(&piece.text, piece.hidden));
    let end = ended(out.free, mark);
    if !end.is_empty() {
        out.pieces.push(Piece { text: Cow::Owned(end), hidden: None });
    }
    Line { pieces: out.pieces }
}

struct Taken<'t> {
    pieces: Vec<Piece<'t>>,
    free: usize,
}

impl<'t> Taken<'t> {
    /// Takes what fits; whether that is all.
    fn take(&mut self, text: &'t str, hidden: Option<Hidden>) -> bool {
        let (kept, free) = start(text, self.free);
        self.free = free;
        if !kept.is_empty() {
            self.pieces.push(Piece { text: Cow::Borrowed(kept), hidden });
        }
        kept.len() == text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_fills_its_cells_and_never_ends_in_half_a_glyph() {
        assert_eq!(cut("abcdef", 6, "…"), "abcdef");
        assert_eq!(cut("abcdef", 4, "…"), "abc…");
        assert_eq!(cut("你好吗", 6, "…"), "你好吗");
        assert_eq!(cut("你好吗", 5, "…"), "你好…");
        assert_eq!(cut("你好吗", 4, "…"), "你 …");
        assert_eq!(cut("你好吗", 3, ""), "你 ");
        assert_eq!(cut("你好", 1, "…"), "…");
        assert_eq!(cut("ab", 1, "..."), "a");
        assert_eq!(cut("ab", 0, "…"), "");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 2, "…"), "e\u{301}…");
    }

    #[test]
    fn a_code_is_cut_as_a_whole() {
        assert_eq!(cut(r"ab\u{202e}cd", 3, "…"), "ab…");
        assert_eq!(cut(r"ab\u{202e}cd", 4, "…"), "ab …");
        for cells in 5..10 {
            assert_eq!(cut(r"ab\u{202e}cd", cells, "…"), format!("ab…{}", spaces(cells - 3)));
        }
        assert_eq!(cut(r"ab\u{202e}cd", 11, "…"), r"ab\u{202e}…");
        assert_eq!(cut(r"a\b{202e}cd", 5, "…"), r"a\b{…", "no code");
        let text = super::super::neutral("ab\u{202e}cd", super::super::Strength::Exact);
        assert_eq!(cut_line(&text.lines[0], 8, "…").shown(), "ab…     ");
        assert_eq!(cut_left(r"ab\u{202e}cd", 6, "…"), "…   cd");
    }

    #[test]
    fn a_path_keeps_its_name() {
        assert_eq!(cut_middle("src/ui/text/measure.rs", 30, "…"), "src/ui/text/measure.rs");
        assert_eq!(cut_middle("src/ui/text/measure.rs", 16, "…"), "src/…/measure.rs");
        assert_eq!(cut_middle("src/ui/text/measure.rs", 13, "…"), "s…/measure.rs");
        assert_eq!(cut_middle("src/ui/text/measure.rs", 8, "…"), "src/….rs");
        assert_eq!(cut_middle("文档/很长的名字", 9, "…"), "文档…名字");
        assert_eq!(cut_middle("文档/很长的名字", 8, "…"), "文档… 字");
    }

    #[test]
    fn padding_counts_cells() {
        assert_eq!(pad("你", 5, Align::Left), "你   ");
        assert_eq!(pad("你", 5, Align::Right), "   你");
        assert_eq!(pad("你", 5, Align::Center), " 你  ");
        assert_eq!(fit("你好", 3, Align::Right, "…"), "你…");
        assert_eq!(fit("12", 4, Align::Right, "…"), "  12");
    }
}
