//! Text of a dialog that may be longer than the dialog: wrapped at its width, each row with its place in the text.

use crate::ui::app::model::Model;
use crate::ui::text::{Line, Strength, Text, Wrap, neutral, width, wrap};
use crate::ui::theme::Role;
use crate::ui::view::Zone;
use crate::ui::view::paint::{Pen, part, row};
use crate::ui::view::size;
use ratatui::layout::Rect;
use std::cell::RefCell;
use std::sync::Arc;

/// A line of the source.
#[derive(Clone, Debug)]
struct Source {
    /// What stands before it, in its first row and in those after.
    gutter: [String; 2],
    line: Line<'static>,
    role: Role,
    how: Wrap,
    /// The row of the dialog that it belongs to.
    item: Option<usize>,
    /// The place in the text at which it begins, if that is not where the line before it ends.
    at: Option<usize>,
}

/// A row on the screen.
#[derive(Clone, Debug)]
pub struct FlowRow {
    gutter: String,
    line: Line<'static>,
    role: Role,
    item: Option<usize>,
    /// Where it begins and ends in the text. The places are the same at every width.
    span: (usize, usize),
}

impl FlowRow {
    /// Where it begins and ends in the text.
    pub fn span(&self) -> (usize, usize) {
        self.span
    }
}

type Laid = Option<(u16, Arc<Vec<FlowRow>>)>;

/// Text to be wrapped. What was wrapped is kept for as long as the width stays.
#[derive(Debug, Default)]
pub struct Flow {
    lines: Vec<Source>,
    /// What is added belongs to this row of the dialog.
    item: Option<usize>,
    /// The place in the text of what is added next, if it is given.
    at: Option<usize>,
    laid: RefCell<Laid>,
    part: bool,
}

impl Flow {
    /// There is more than what is added: a number of rows is not that of all.
    pub fn is_part(&mut self) {
        self.part = true;
    }

    /// Whether there is more than its rows.
    pub fn goes_on(&self) -> bool {
        self.part
    }

    /// `3,120`, with a sign behind it if there is more than its rows.
    pub fn of_rows(&self, rows: String, more: &str) -> String {
        if self.part { rows + more } else { rows }
    }

    /// What is added from now on belongs to this row of the dialog, which can be clicked; or to none.
    pub fn item(&mut self, item: Option<usize>) {
        self.item = item;
    }

    /// What is added from now on begins at this place of the text.
    pub fn begin_at(&mut self, at: usize) {
        self.at = Some(at);
    }

    /// Adds a neutral line.
    pub fn line(&mut self, line: Line<'_>, role: Role, how: Wrap) {
        self.guttered("", "", line, role, how);
    }

    /// Adds a neutral line of words.
    pub fn words(&mut self, words: &str, role: Role) {
        self.line(Line::plain(words), role, Wrap::Words);
    }

    /// Adds what is wrong, a neutral text, with its sign.
    pub fn problem(&mut self, model: &Model, problem: &str) {
        self.words(&format!("{} {problem}", model.look.glyphs.failed), Role::Danger);
    }

    /// Adds that a text is too large for the window, if it is.
    pub fn too_large(&mut self, model: &Model, tokens: u32, room: Option<u32>) {
        if let Some(large) = size::too_large(model, tokens, room) {
            self.words(&large, Role::Danger);
        }
    }

    /// Adds a blank line.
    pub fn blank(&mut self) {
        self.words("", Role::Base);
    }

    /// Adds all lines of a neutral text.
    pub fn text(&mut self, text: &Text<'_>, role: Role, how: Wrap) {
        text.lines.iter().for_each(|line| self.line(line.clone(), role, how));
    }

    /// Adds a text from outside, every character of which counts.
    pub fn exact(&mut self, text: &str, role: Role) {
        self.text(&neutral(text, Strength::Exact), role, Wrap::Cells);
    }

    /// Adds a text from outside that is read.
    pub fn prose(&mut self, text: &str, role: Role) {
        self.text(&neutral(text, Strength::Prose), role, Wrap::Words);
    }

    /// Adds a line with something before it: `first` in its first row, `next` in those after, as wide.
    pub fn guttered(&mut self, first: &str, next: &str, line: Line<'_>, role: Role, how: Wrap) {
        let gutter = [first.to_owned(), next.to_owned()];
        let at = self.at.take();
        let source = Source { gutter, line: line.into_owned(), role, how, item: self.item, at };
        // What was wrapped already need not be wrapped again.
        if let Some((cells, rows)) = self.laid.get_mut() {
            let end = rows.last().map_or(0, |row| row.span.1);
            Arc::make_mut(rows).extend(lay_line(&source, usize::from(*cells), end));
        }
        self.lines.push(source);
    }

    /// Takes so many lines away from the end.
    pub fn drop_last(&mut self, lines: usize) {
        for source in self.lines.drain(self.lines.len().saturating_sub(lines)..) {
            if let Some((cells, rows)) = self.laid.get_mut() {
                let own = lay_line(&source, usize::from(*cells), 0).len();
                let rows = Arc::make_mut(rows);
                rows.truncate(rows.len().saturating_sub(own));
            }
        }
    }

    /// Adds a line with a label before it, its other rows under the text.
    pub fn labelled(&mut self, label: &str, cells: usize, line: Line<'_>, role: Role) {
        let first = crate::ui::text::pad(label, cells, crate::ui::text::Align::Left);
        self.guttered(&first, &" ".repeat(width(&first)), line, role, Wrap::Words);
    }

    /// Adds the lines of another text.
    pub fn join_of(&mut self, other: &Flow) {
        let item = self.item;
        let mut at = self.at.take();
        let own = |source: &Source| Source {
            item: source.item.or(item),
            at: source.at.or(at.take()),
            ..source.clone()
        };
        self.lines.extend(other.lines.iter().map(own));
        self.laid.replace(None);
    }

    /// Its lines, before they are wrapped.
    pub fn lines(&self) -> usize {
        self.lines.len()
    }

    /// True if it has no line.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Cells of its longest line.
    pub fn widest(&self) -> usize {
        let cells = |source: &Source| source.gutter.first().map_or(0, |g| width(g)) + source.line.width();
        self.lines.iter().map(cells).max().unwrap_or(0)
    }

    /// Its rows at a width.
    pub fn rows(&self, cells: u16) -> Arc<Vec<FlowRow>> {
        if let Some((at, rows)) = self.laid.borrow().as_ref()
            && *at == cells
        {
            return Arc::clone(rows);
        }
        let rows = Arc::new(self.lay(usize::from(cells)));
        self.laid.replace(Some((cells, Arc::clone(&rows))));
        rows
    }

    fn lay(&self, cells: usize) -> Vec<FlowRow> {
        let mut end = 0;
        let mut rows = Vec::new();
        for source in &self.lines {
            rows.extend(lay_line(source, cells, end));
            end = rows.last().map_or(0, |row: &FlowRow| row.span.1);
        }
        rows
    }

    /// Its rows at a width, as a number.
    pub fn height(&self, cells: u16) -> u16 {
        u16::try_from(self.rows(cells).len()).unwrap_or(u16::MAX)
    }

    /// Draws its rows from `top` on, as far as there is room.
    pub fn draw(&self, pen: &mut Pen<'_>, area: Rect, top: usize) {
        let rows = self.rows(area.width);
        for (n, shown) in rows.iter().skip(top).take(usize::from(area.height)).enumerate() {
            let place = row(area, n);
            if let Some(item) = shown.item {
                pen.note(place, Zone::Row(0, item));
            }
            let role = match shown.role {
                Role::Add | Role::Del => shown.role,
                _ => Role::Muted,
            };
            let used = pen.left(place, &[part(role, shown.gutter.as_str())]);
            pen.line(Rect { x: place.x + used, width: place.width - used, ..place }, &shown.line, shown.role);
        }
    }

    /// Draws its rows from the first on; where there is no room for all, the last one that is drawn ends in a sign.
    pub fn draw_cut(&self, pen: &mut Pen<'_>, area: Rect) {
        self.draw(pen, area, 0);
        let rows = self.rows(area.width);
        let last = usize::from(area.height).saturating_sub(1);
        let (Some(shown), Some(next), 1..) = (rows.get(last), rows.get(last + 1), area.height) else {
            return;
        };
        let text = format!("{}{} {}", shown.gutter, shown.line.shown(), next.line.shown());
        // However short both are, there is more.
        let text = format!("{text}{}", pen.look.glyphs.ellipsis);
        pen.left(row(area, last), &[part(shown.role, text)]);
    }
}

/// The rows of a line that begins where the text before it ends.
fn lay_line(source: &Source, cells: usize, end: usize) -> Vec<FlowRow> {
    let [first, next] = &source.gutter;
    // Where the gutter leaves too little room, it gives way.
    let gutter = if width(first) + 8 <= cells { width(first) } else { 0 };
    let lines = wrap(&source.line, cells - gutter.min(cells), source.how);
    let mut from = source.at.unwrap_or(end);
    let row = |(nth, line): (usize, Line<'_>)| {
        let own = if nth == 0 { first } else { next };
        let own = if gutter == 0 { String::new() } else { own.clone() };
        // The line itself is a place too: one with nothing in it has to be seen as well.
        let to = from + usize::from(nth == 0) + places(&line);
        let span = (std::mem::replace(&mut from, to), to);
        FlowRow { gutter: own, line: line.into_owned(), role: source.role, item: source.item, span }
    };
    lines.into_iter().enumerate().map(row).collect()
}

/// Places of a row in the text: its characters but blanks, which go where a row is broken.
fn places(line: &Line<'_>) -> usize {
    line.pieces.iter().map(|piece| piece.text.chars().filter(|c| *c != ' ').count()).sum()
}
