//! Where a scrolled text stands, and how much of it was on the screen.
//!
//! What was seen is known by places in the text and not by rows: it stays seen when the window gets another width, and
//! how much it is is said in rows of that width.

use super::Shown;
use super::flow::FlowRow;
use crate::ui::keys::Action;
use ratatui::layout::Rect;
use std::cell::{Cell, RefCell};

/// Stretches of a text, in order and apart.
type Stretches = Vec<(usize, usize)>;

/// Where a scrolled text stands, and how much of it was seen.
#[derive(Debug, Default)]
pub struct Scroll {
    top: usize,
    page: usize,
    most: usize,
    /// The stretches of the text that were on the screen.
    seen: Stretches,
    /// Those that are on it in the frame that is being drawn.
    now: RefCell<Stretches>,
    /// Rows that were on the screen, of how many, in that frame.
    counts: Cell<(usize, usize)>,
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

    /// How many of these rows were on the screen once they are drawn in this area, and how many there are.
    pub fn seen(&self, rows: &[FlowRow], area: Rect) -> (usize, usize) {
        let room = usize::from(area.height);
        let top = self.top(rows.len(), room);
        let mut now = Stretches::new();
        rows.iter().skip(top).take(room).for_each(|row| add(&mut now, row.span()));
        let mut seen = self.seen.clone();
        now.iter().for_each(|stretch| add(&mut seen, *stretch));
        self.now.replace(now);
        let known = |row: &&FlowRow| holds(&seen, row.span());
        let counts = (rows.iter().filter(known).count(), rows.len());
        self.counts.set(counts);
        counts
    }

    /// This stretch of the text is on the screen beside what is scrolled.
    pub fn beside(&self, stretch: (usize, usize)) {
        add(&mut self.now.borrow_mut(), stretch);
    }

    /// How many rows were on the screen, of how many, when it was drawn last.
    pub fn was_seen(&self) -> (usize, usize) {
        self.counts.get()
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
        let most = all.saturating_sub(rows);
        Shown { end, rows: rows.min(all), most, caret: None, hidden: (top, most.saturating_sub(top)) }
    }

    /// It was drawn like this.
    pub fn was_drawn(&mut self, shown: Shown) {
        self.page = shown.rows;
        self.most = shown.most;
        self.top = self.top.min(self.most);
        for stretch in self.now.take() {
            add(&mut self.seen, stretch);
        }
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

/// Adds a stretch; those that touch become one.
fn add(stretches: &mut Stretches, (mut from, mut to): (usize, usize)) {
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

/// Whether a stretch lies within one of them.
fn holds(stretches: &Stretches, (from, to): (usize, usize)) -> bool {
    let after = stretches.partition_point(|(a, _)| *a <= from);
    after.checked_sub(1).and_then(|at| stretches.get(at)).is_some_and(|(_, b)| to <= *b)
}
