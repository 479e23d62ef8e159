//! Text of a dialog that is longer than the dialog: wrapped at its width, scrolled, and known to have been seen to its
//! end or not.

use super::Shown;
use crate::ui::app::model::Model;
use crate::ui::keys::Action;
use crate::ui::text::{Line, Strength, Text, Wrap, neutral, width, wrap};
use crate::ui::theme::Role;
use crate::ui::view::Zone;
use crate::ui::view::paint::{Pen, part, row};
use crate::ui::view::size;
use ratatui::layout::Rect;
use std::cell::{Cell, RefCell};
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
}

/// A row on the screen.
#[derive(Clone, Debug)]
pub struct FlowRow {
    gutter: String,
    line: Line<'static>,
    role: Role,
    item: Option<usize>,
}

type Laid = Option<(u16, Arc<Vec<FlowRow>>)>;

/// Text to be wrapped. What was wrapped is kept for as long as the width stays.
#[derive(Debug, Default)]
pub struct Flow {
    lines: Vec<Source>,
    /// What is added belongs to this row of the dialog.
    item: Option<usize>,
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
        let source = Source { gutter, line: line.into_owned(), role, how, item: self.item };
        // What was wrapped already need not be wrapped again.
        if let Some((cells, rows)) = self.laid.get_mut() {
            Arc::make_mut(rows).extend(lay_line(&source, usize::from(*cells)));
        }
        self.lines.push(source);
    }

    /// Takes so many lines away from the end.
    pub fn drop_last(&mut self, lines: usize) {
        for source in self.lines.drain(self.lines.len().saturating_sub(lines)..) {
            if let Some((cells, rows)) = self.laid.get_mut() {
                let own = lay_line(&source, usize::from(*cells)).len();
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
        let own = |source: &Source| Source { item: source.item.or(item), ..source.clone() };
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
        self.lines.iter().flat_map(|source| lay_line(source, cells)).collect()
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
}

/// The rows of a line.
fn lay_line(source: &Source, cells: usize) -> Vec<FlowRow> {
    let [first, next] = &source.gutter;
    // Where the gutter leaves too little room, it gives way.
    let gutter = if width(first) + 8 <= cells { width(first) } else { 0 };
    let lines = wrap(&source.line, cells - gutter.min(cells), source.how);
    let row = |(nth, line): (usize, Line<'_>)| {
        let own = if nth == 0 { first } else { next };
        let own = if gutter == 0 { String::new() } else { own.clone() };
        FlowRow { gutter: own, line: line.into_owned(), role: source.role, item: source.item }
    };
    lines.into_iter().enumerate().map(row).collect()
}

/// Where a scrolled text stands, and how much of it was seen.
#[derive(Debug, Default)]
pub struct Scroll {
    top: usize,
    page: usize,
    most: usize,
    /// The stretches of rows that were on the screen, in order and apart, of so many at this width.
    seen: Vec<(usize, usize)>,
    of: (usize, u16),
    /// The last row was on the screen.
    end: bool,
    /// Width at which it was drawn last.
    drawn: Cell<u16>,
}

impl Scroll {
    /// A key that scrolls; false for others.
    pub fn act(&mut self, action: Action) -> bool {
        let page = self.page.saturating_sub(1).max(1);
        self.top = match action {
            Action::LineDown => self.top.saturating_add(1),
            Action::LineUp => self.top.saturating_sub(1),
            Action::PageDown | Action::PageOn => self.top.saturating_add(page),
            Action::PageUp => self.top.saturating_sub(page),
            Action::Top => 0,
            Action::Bottom => self.most,
            _ => return false,
        }
        .min(self.most);
        true
    }

    /// How many of `all` rows were on the screen once this is drawn.
    pub fn seen(&self, all: usize, area: Rect) -> usize {
        let rows = usize::from(area.height);
        let top = self.top(all, rows);
        let mut seen = if self.of == (all, area.width) { self.seen.clone() } else { Vec::new() };
        add(&mut seen, top, (top + rows).min(all));
        count(&seen)
    }

    /// How many rows were on the screen, of how many, when it was drawn last.
    pub fn was_seen(&self) -> (usize, usize) {
        (count(&self.seen).min(self.of.0), self.of.0)
    }

    /// Scrolls to the end, wherever it will be when it is drawn.
    pub fn to_end(&mut self) {
        self.top = usize::MAX;
    }

    /// True if it stands at the end, as it was drawn last.
    pub fn at_end(&self) -> bool {
        self.top >= self.most
    }

    /// The first row that is shown of `all`, where `rows` have room.
    pub fn top(&self, all: usize, rows: usize) -> usize {
        self.top.min(all.saturating_sub(rows))
    }

    /// Scrolls so that this row is in view.
    pub fn to(&mut self, row: usize) {
        self.top = crate::ui::view::paint::top_for(self.top, row, self.page, usize::MAX);
    }

    /// What is shown of `all` rows in an area.
    pub fn shown(&self, all: usize, area: Rect) -> Shown {
        self.drawn.set(area.width);
        let rows = usize::from(area.height);
        let top = self.top(all, rows);
        let end = self.end || (rows > 0 && area.width > 0 && top + rows >= all);
        Shown { end, rows: rows.min(all), most: all.saturating_sub(rows), caret: None }
    }

    /// It was drawn like this.
    pub fn was_drawn(&mut self, shown: Shown) {
        let of = (shown.rows + shown.most, self.drawn.get());
        if self.of != of {
            self.of = of;
            self.seen.clear();
        }
        self.page = shown.rows;
        self.most = shown.most;
        self.top = self.top.min(self.most);
        add(&mut self.seen, self.top, self.top + shown.rows);
        self.end |= shown.end;
    }

    /// The width at which it was drawn last.
    pub fn width(&self) -> u16 {
        self.drawn.get()
    }

    /// True once the end was on the screen.
    pub fn ended(&self) -> bool {
        self.end
    }
}

/// Adds a stretch of rows; those that touch become one.
fn add(stretches: &mut Vec<(usize, usize)>, mut from: usize, mut to: usize) {
    stretches.retain(|(a, b)| {
        let apart = *b < from || *a > to;
        if !apart {
            (from, to) = (from.min(*a), to.max(*b));
        }
        apart
    });
    let place = stretches.partition_point(|(a, _)| *a < from);
    stretches.insert(place, (from, to));
}

/// Rows in all stretches.
fn count(stretches: &[(usize, usize)]) -> usize {
    stretches.iter().map(|(from, to)| to - from).sum()
}
