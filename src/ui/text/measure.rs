//! Cells. The unit is the grapheme cluster, as the terminal library draws it; clusters wider than two cells (syllables
//! of some scripts) are taken apart where a new glyph begins.

use super::classes::simple;
use ratatui::buffer::CellWidth as _;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthChar as _;

/// Longest cluster, in characters, that is looked for: bounds the work on text made to be slow.
const LONGEST: usize = 32;

/// The smallest part of a text that is drawn as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<'a> {
    pub text: &'a str,
    pub cells: usize,
}

/// The units of a text from left to right.
pub struct Units<'a> {
    rest: &'a str,
}

/// Takes a text apart.
pub fn units(text: &str) -> Units<'_> {
    Units { rest: text }
}

impl<'a> Iterator for Units<'a> {
    type Item = Unit<'a>;

    fn next(&mut self) -> Option<Unit<'a>> {
        let mut chars = self.rest.chars();
        let first = chars.next()?;
        let unit = if simple(first) && chars.next().is_none_or(simple) {
            Unit { text: head(self.rest, first.len_utf8()), cells: glyph(first) }
        } else {
            cluster(self.rest)
        };
        self.rest = self.rest.get(unit.text.len()..).unwrap_or("");
        Some(unit)
    }
}

fn head(text: &str, bytes: usize) -> &str {
    text.get(..bytes).unwrap_or(text)
}

/// Width of a simple character.
fn glyph(c: char) -> usize {
    match c {
        ' '..='~' => 1,
        '\u{4e00}'..='\u{9fff}' => 2,
        _ => c.width().unwrap_or(0),
    }
}

fn cluster(text: &str) -> Unit<'_> {
    let window = text.char_indices().nth(LONGEST).map_or(text, |(at, _)| head(text, at));
    let whole = window.graphemes(true).next().unwrap_or(window);
    let cells = cells(whole);
    if cells <= 2 {
        return Unit { text: whole, cells };
    }
    let next = whole.char_indices().skip(1).find(|(_, c)| c.width().unwrap_or(0) > 0);
    let part = next.map_or(whole, |(at, _)| head(whole, at));
    Unit { text: part, cells: self::cells(part) }
}

/// Cells of one cluster, as the terminal library counts them. Control characters are not drawn.
pub fn cells(cluster: &str) -> usize {
    if cluster.contains(char::is_control) { 0 } else { usize::from(cluster.cell_width()) }
}

/// Width of a text in cells. Of text that is not neutral this is what the terminal library reserves, which is not
/// always what a terminal uses.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.len();
    }
    units(text).map(|unit| unit.cells).sum()
}
