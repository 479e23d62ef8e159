//! A field's text on rows of cells, with the place of each glyph in the source.

use crate::ui::text::{Glyph, Hidden, Line, Piece, glyphs, width};
use std::borrow::Cow;

/// A glyph, or the code of a hidden character.
#[derive(Clone, Debug)]
struct Unit {
    /// Byte of the source at which it begins.
    at: usize,
    shown: String,
    hidden: Option<Hidden>,
    cells: usize,
}

/// A row on the screen.
#[derive(Clone, Debug)]
pub struct Row {
    /// Bytes of the source.
    from: usize,
    to: usize,
    /// True if a line of the source ends with it.
    ends: bool,
    units: Vec<Unit>,
}

impl Row {
    /// Byte of the source at which it begins.
    pub fn from(&self) -> usize {
        self.from
    }

    /// Byte of the source at which it ends.
    pub fn to(&self) -> usize {
        self.to
    }

    /// True if a line of the source ends with it.
    pub fn ends(&self) -> bool {
        self.ends
    }

    /// The row as it is drawn.
    pub fn line(&self) -> Line<'_> {
        let mut line = Line::default();
        for unit in &self.units {
            match line.pieces.last_mut() {
                Some(Piece { text, hidden: None }) if unit.hidden.is_none() => {
                    text.to_mut().push_str(&unit.shown)
                }
                Some(_) | None => {
                    line.pieces.push(Piece { text: Cow::Borrowed(&unit.shown), hidden: unit.hidden });
                }
            }
        }
        line
    }

    /// The byte of the source at a cell, or the nearest before it that belongs to this row.
    pub fn at_cell(&self, cell: usize) -> usize {
        let mut used = 0;
        for unit in &self.units {
            if used + unit.cells > cell {
                return unit.at;
            }
            used += unit.cells;
        }
        if self.ends { self.to } else { self.units.last().map_or(self.from, |unit| unit.at) }
    }
}

/// The row and the cell of a byte of the source.
pub fn caret(rows: &[Row], at: usize) -> (usize, usize) {
    let here = |row: &Row| row.from <= at && (at < row.to || (row.ends && at == row.to));
    let line = rows.iter().position(here).unwrap_or(rows.len().saturating_sub(1));
    let units = rows.get(line).map_or(&[][..], |row| row.units.as_slice());
    (line, units.iter().take_while(|unit| unit.at < at).map(|unit| unit.cells).sum())
}

/// Bytes of a line that are laid out as one: a longer line is laid out in pieces of this size, each from a row of its own.
const PIECE: usize = 4 * 1024;
/// Bytes around the caret that are laid out, in either direction: more than any screen shows.
const AROUND: usize = 16 * 1024;

/// The rows of a text at a width in cells, one at least: all of them, or of a long text those around the caret.
pub fn rows(text: &str, caret: usize, cells: usize) -> Vec<Row> {
    let mut out = Vec::new();
    for (from, to, ends) in pieces(text, caret) {
        let Some(piece) = text.get(from..to) else { continue };
        wrap(units(piece, from), (from, to), cells.max(1), &mut out);
        if let Some(last) = out.last_mut() {
            last.ends = ends;
        }
    }
    out
}

/// Pieces of lines, those of a long text around the caret alone: begin, end, and whether the line ends there. Where a piece
/// begins depends on the text alone and not on the caret.
fn pieces(text: &str, caret: usize) -> Vec<(usize, usize, bool)> {
    let least = caret.saturating_sub(AROUND);
    let most = caret.saturating_add(AROUND);
    let mut out = Vec::new();
    let mut at = 0;
    for line in text.split('\n') {
        let (begin, end) = (at, at + line.len());
        at = end + 1;
        if end < least || begin > most {
            continue;
        }
        let mut from = begin;
        while end - from > PIECE {
            let to = (from + 1..=from + PIECE).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(end);
            if to >= least && from <= most {
                out.push((from, to, false));
            }
            from = to;
        }
        if from <= most {
            out.push((from, end, true));
        }
    }
    out
}

/// The glyphs of a line without control characters.
fn units(line: &str, from: usize) -> Vec<Unit> {
    let unit = |glyph: Glyph| Unit {
        at: from + glyph.at,
        cells: width(&glyph.shown),
        shown: glyph.shown,
        hidden: glyph.hidden,
    };
    glyphs(line).into_iter().map(unit).collect()
}

/// Stops and closing brackets, which do not begin a row.
const CLOSING: &str = "，。、；：？！）」』》】〉…—”’";

fn wrap(units: Vec<Unit>, (from, to): (usize, usize), cells: usize, out: &mut Vec<Row>) {
    let mut row: Vec<Unit> = Vec::new();
    let mut begin = from;
    let (mut used, mut chance, mut after) = (0, 0, false);
    for unit in units {
        let wide = unit.cells > 1 && unit.hidden.is_none();
        if (wide || after) && !CLOSING.contains(unit.shown.as_str()) {
            chance = row.len();
        }
        let blank = unit.shown == " ";
        if used + unit.cells > cells && !row.is_empty() {
            // A space too many begins the next row, so that the word before it stays where it is.
            let rest = row.split_off(if chance > 0 && !blank { chance } else { row.len() });
            let next = rest.first().map_or(unit.at, |first| first.at);
            let units = std::mem::replace(&mut row, rest);
            out.push(Row { from: begin, to: next, ends: false, units });
            begin = next;
            used = row.iter().map(|unit| unit.cells).sum();
            chance = 0;
        }
        used += unit.cells;
        after = wide || blank;
        row.push(unit);
    }
    out.push(Row { from: begin, to, ends: true, units: row });
}
