//! Tables in plain text: columns as wide as their content, measured in terminal cells; what does not fit is cut with `…`.

use super::print::one_line;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Cells between two columns.
const GAP: usize = 2;
/// A column is not made narrower than this to fit a terminal.
const NARROWEST: usize = 8;

/// A column: its heading and how it is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Words, set left; cut when the terminal is too narrow.
    Text(&'static str),
    /// Names that must stay whole, such as ids; set left.
    Name(&'static str),
    /// Numbers, set right, never cut.
    Number(&'static str),
}

impl Column {
    fn heading(self) -> &'static str {
        match self {
            Column::Text(heading) | Column::Name(heading) | Column::Number(heading) => heading,
        }
    }

    fn may_shrink(self) -> bool {
        match self {
            Column::Text(_) => true,
            Column::Name(_) | Column::Number(_) => false,
        }
    }
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row; its cells are made one line each and neutralised. Missing cells are empty.
    pub fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let mut row: Vec<String> = cells.into_iter().map(|cell| one_line(cell.as_ref())).collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// The table for a terminal of this width, or unlimited.
    pub fn render(&self, width: Option<usize>) -> String {
        let widths = self.widths(width);
        let heading: Vec<String> = self.columns.iter().map(|column| column.heading().to_owned()).collect();
        let mut out = String::new();
        for row in std::iter::once(&heading).chain(&self.rows) {
            let mut line = String::new();
            for ((column, cell), width) in self.columns.iter().zip(row).zip(&widths) {
                let cell = clip(cell, *width);
                let pad = " ".repeat(width.saturating_sub(cell.width()));
                match column {
                    Column::Number(_) => line.extend([pad.as_str(), &cell]),
                    Column::Text(_) | Column::Name(_) => line.extend([cell.as_str(), &pad]),
                }
                line.push_str(&" ".repeat(GAP));
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    fn widths(&self, limit: Option<usize>) -> Vec<usize> {
        let natural = |at: usize, column: &Column| {
            let cells = self.rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width());
            cells.chain([column.heading().width()]).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = self.columns.iter().enumerate().map(|(at, c)| natural(at, c)).collect();
        let Some(limit) = limit else { return widths };
        let gaps = GAP * self.columns.len().saturating_sub(1);
        loop {
            let sum = widths.iter().sum::<usize>() + gaps;
            let shrinking =
                widths.iter_mut().zip(&self.columns).filter(|(w, c)| c.may_shrink() && **w > NARROWEST);
            match shrinking.max_by_key(|(width, _)| **width) {
                Some((widest, _)) if sum > limit => *widest -= 1,
                _ => return widths,
            }
        }
    }
}

/// `text` in at most `width` cells; a cut is marked with `…`.
pub fn clip(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let mut used = 0;
    let mut out = String::new();
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}
