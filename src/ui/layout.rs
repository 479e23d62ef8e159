//! Where everything stands, by the size of the terminal alone and by what has to be told.
//!
//! Neighbouring panels share a border, so their rectangles overlap by one cell. Every rectangle lies inside the
//! terminal, whatever its size; what has no room is empty.

use ratatui::layout::{Position, Rect};

/// A panel, in the order of its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Panel {
    /// What the agent does.
    Loop,
    /// The context budget.
    Context,
    /// Calls: those that wait, and how the others ended.
    Queue,
    /// Checkpoints and timelines.
    Checkpoints,
    /// The plan.
    Plan,
    /// All runs.
    Runs,
}

impl Panel {
    /// All panels in the order of their numbers.
    pub const ALL: [Panel; 6] =
        [Panel::Loop, Panel::Context, Panel::Queue, Panel::Checkpoints, Panel::Plan, Panel::Runs];

    /// Its number, from 1.
    pub fn number(self) -> u8 {
        match self {
            Panel::Loop => 1,
            Panel::Context => 2,
            Panel::Queue => 3,
            Panel::Checkpoints => 4,
            Panel::Plan => 5,
            Panel::Runs => 6,
        }
    }

    /// The panel after it, or before it, in order.
    pub fn neighbour(self, forward: bool) -> Panel {
        let at = usize::from(self.number() - 1);
        let to = if forward { at + 1 } else { at + Panel::ALL.len() - 1 };
        Panel::ALL.get(to % Panel::ALL.len()).copied().unwrap_or(Panel::Loop)
    }
}

/// How much of the screen there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Size {
    /// Under 40×10: only what waits, and how to leave.
    TooSmall,
    /// From 40×10: header, goal, one panel, keys.
    Tiny,
    /// From 60×16: one panel at a time, with tabs.
    Tabs,
    /// From 110×32: two panels over three.
    Quad,
    /// From 180×50: four panels over three.
    Full,
}

impl Size {
    /// The size of a terminal of so many columns and rows.
    pub fn of(columns: u16, rows: u16) -> Self {
        match (columns, rows) {
            (180.., 50..) => Size::Full,
            (110.., 32..) => Size::Quad,
            (60.., 16..) => Size::Tabs,
            (40.., 10..) => Size::Tiny,
            _ => Size::TooSmall,
        }
    }
}

/// What the layout depends on beside the size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Lines for what waits for the person and for banners.
    pub band: u16,
    /// The focused panel fills the place of all.
    pub zoom: bool,
    /// Lines of the message field, at least 1.
    pub message: u16,
    /// A message is being written: its field has room whatever the size.
    pub writing: bool,
    /// Borders that the person moved.
    pub moved: Moved,
}

/// A border between panels, which can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Border {
    /// Right of an upper panel, counted from the left.
    Above(usize),
    /// Right of a lower panel, counted from the left.
    Below(usize),
    /// Between the upper and the lower panels.
    Split,
}

/// How far borders were moved from where they stand by themselves, in cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    above: [i16; 3],
    below: [i16; 2],
    split: i16,
}

impl Moved {
    /// Moves a border on, to the right or down.
    pub fn by(&mut self, border: Border, cells: i16) {
        let shift = match border {
            Border::Above(nth) => self.above.get_mut(nth),
            Border::Below(nth) => self.below.get_mut(nth),
            Border::Split => Some(&mut self.split),
        };
        if let Some(shift) = shift {
            *shift = shift.saturating_add(cells);
        }
    }
}

/// Where everything stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How much there is.
    pub size: Size,
    /// Everything.
    pub area: Rect,
    /// The run, its status, the clock.
    pub header: Rect,
    /// The pinned goal.
    pub goal: Rect,
    /// What waits, and banners.
    pub band: Rect,
    /// Names of the panels, if only one is shown.
    pub tabs: Rect,
    /// The panels that are shown.
    pub panels: Vec<(Panel, Rect)>,
    /// The limits as a panel of their own.
    pub limits_panel: Rect,
    /// The line about the context, if its panel is not shown.
    pub strip: Rect,
    /// Lines about the limits.
    pub limits: Rect,
    /// The message to the agent.
    pub message: Rect,
    /// Saved, worker, other runs.
    pub saved: Rect,
    /// Keys.
    pub keys: Rect,
    /// Borders between panels.
    pub borders: Vec<(Rect, Border)>,
}

impl Layout {
    /// The border at a place.
    pub fn border_at(&self, at: Position) -> Option<Border> {
        self.borders.iter().find(|(rect, _)| rect.contains(at)).map(|(_, border)| *border)
    }

    /// How far a border has to be moved to get to a place, as far as the panels beside it allow.
    pub fn way_to(&self, border: Border, at: Position) -> i16 {
        let Some((rect, _)) = self.borders.iter().find(|(_, own)| *own == border) else { return 0 };
        let step = |from: u16, to: u16| i16::try_from(i32::from(to) - i32::from(from)).unwrap_or(0);
        match border {
            Border::Split => {
                let (top, bottom) = (self.top(), self.bottom());
                let least = top.saturating_add(LEAST);
                step(rect.y, at.y.clamp(least, bottom.saturating_sub(LEAST).max(least)))
            }
            Border::Above(_) | Border::Below(_) => {
                // The panels that have it as their edge are those beside it.
                let beside = self.places().filter(|place| place.y == rect.y && place.height == rect.height);
                let (mut least, mut most) = (0, u16::MAX);
                for place in beside {
                    if place.right().saturating_sub(1) == rect.x {
                        least = place.x.saturating_add(NARROW);
                    } else if place.x == rect.x {
                        most = place.right().saturating_sub(1 + NARROW);
                    }
                }
                step(rect.x, at.x.clamp(least, most.max(least)))
            }
        }
    }

    fn places(&self) -> impl Iterator<Item = Rect> {
        let limits = Some(self.limits_panel).filter(|rect| rect.height > 0);
        self.panels.iter().map(|(_, rect)| *rect).chain(limits)
    }

    fn top(&self) -> u16 {
        self.places().map(|rect| rect.y).min().unwrap_or(0)
    }

    fn bottom(&self) -> u16 {
        self.places().map(|rect| rect.bottom()).max().unwrap_or(0)
    }
}

/// Takes rows off an area, from its top or its bottom, as far as there are any.
struct Rows(Rect);

impl Rows {
    fn top(&mut self, rows: u16) -> Rect {
        let rows = rows.min(self.0.height);
        let taken = Rect { height: rows, ..self.0 };
        self.0 = Rect { y: self.0.y + rows, height: self.0.height - rows, ..self.0 };
        taken
    }

    fn bottom(&mut self, rows: u16) -> Rect {
        let rows = rows.min(self.0.height);
        self.0.height -= rows;
        Rect { y: self.0.y + self.0.height, height: rows, ..self.0 }
    }
}

/// Rows of the lower panels where there are two rows of them, borders included.
const LOWER: u16 = 15;
/// Least rows of a panel that is worth its borders.
const LEAST: u16 = 6;
/// Least columns from one border to the next.
const NARROW: u16 = 16;

/// Works out where everything stands, with `focus` shown if only one panel is.
pub fn layout(area: Rect, focus: Panel, needs: Needs) -> Layout {
    let size = Size::of(area.width, area.height);
    let mut rows = Rows(area);
    let none = Rect { height: 0, ..area };
    let mut made = Layout {
        size,
        area,
        header: none,
        goal: none,
        band: none,
        tabs: none,
        panels: Vec::new(),
        limits_panel: none,
        strip: none,
        limits: none,
        message: none,
        saved: none,
        keys: none,
        borders: Vec::new(),
    };
    if size == Size::TooSmall {
        return made;
    }
    made.header = rows.top(1);
    made.goal = rows.top(if size == Size::Full { 2 } else { 1 });
    made.keys = rows.bottom(1);
    let band = needs.band.min(area.height / 4);
    let message = needs.message.clamp(1, area.height / 4);
    match size {
        Size::TooSmall => {}
        Size::Tiny => {
            made.band = rows.top(band.min(1));
            made.message = match needs.writing {
                true => rows.bottom(message),
                false => rows.bottom(u16::from(area.height >= 14)),
            };
            made.panels.push((focus, rows.0));
        }
        Size::Tabs => {
            made.tabs = rows.top(1);
            made.saved = rows.bottom(1);
            made.message = rows.bottom(message);
            // The cost line yields first, then the strip.
            let room = rows.0.height.saturating_sub(LEAST + band);
            made.limits = rows.bottom(room.min(2));
            made.strip = rows.bottom(if focus == Panel::Context { 0 } else { room.saturating_sub(2).min(1) });
            made.band = rows.bottom(band);
            made.panels.push((focus, rows.0));
        }
        Size::Quad => {
            made.band = rows.top(band);
            made.saved = rows.bottom(1);
            made.message = rows.bottom(message);
            made.limits = rows.bottom(2);
            if needs.zoom {
                made.panels.push((focus, rows.0));
            } else {
                (made.panels, made.borders) = quad(rows.0, focus, needs.moved);
            }
        }
        Size::Full => {
            made.band = rows.top(band);
            made.saved = rows.bottom(2);
            made.message = rows.bottom(message);
            if needs.zoom {
                made.limits = rows.bottom(2);
                made.panels.push((focus, rows.0));
            } else {
                (made.panels, made.limits_panel, made.borders) = full(rows.0, needs.moved);
            }
        }
    }
    made
}

/// Columns of so many parts of a hundred and twenty, or of two hundred, that share their borders; each border moved by so
/// many cells, as far as no column gets too narrow.
fn columns(area: Rect, weights: &[u16], moved: &[i16]) -> Vec<Rect> {
    let sum: u32 = weights.iter().map(|w| u32::from(*w)).sum();
    let mut left = area.x;
    let mut done = 0_u32;
    let mut made = Vec::with_capacity(weights.len());
    for (nth, weight) in weights.iter().enumerate() {
        done += u32::from(*weight);
        let share = (u32::from(area.width.saturating_sub(1)) * done).checked_div(sum).unwrap_or(0);
        let own = area.x.saturating_add(u16::try_from(share).unwrap_or(u16::MAX));
        let after = u16::try_from(weights.len() - nth - 1).unwrap_or(0);
        let right = match moved.get(nth).filter(|_| after > 0) {
            Some(shift) if *shift != 0 => {
                let least = left.saturating_add(NARROW);
                let most = area.right().saturating_sub(1).saturating_sub(after.saturating_mul(NARROW));
                own.saturating_add_signed(*shift).clamp(least, most.max(least))
            }
            // A border that stays makes room where the one before it comes near.
            Some(_) | None => {
                own.max(left.saturating_add(NARROW)).min(area.right().saturating_sub(1)).max(left)
            }
        };
        made.push(Rect { x: left, width: right.saturating_sub(left).saturating_add(1), ..area });
        left = right;
    }
    made
}

/// Upper and lower panels that share a border, moved by so many rows.
fn split(area: Rect, moved: i16) -> (Rect, Rect) {
    let lower = LOWER.min(area.height / 2);
    let lower = match moved {
        0 => lower,
        _ => lower
            .saturating_add_signed(moved.saturating_neg())
            .clamp(LEAST.min(area.height / 2), area.height.saturating_sub(LEAST).max(area.height / 2)),
    };
    let upper = Rect { height: area.height.saturating_sub(lower).saturating_add(1), ..area };
    let lower = Rect { y: area.y + area.height - lower, height: lower, ..area };
    (upper, lower)
}

/// The borders of upper and lower columns.
fn borders(above: &[Rect], below: &[Rect]) -> Vec<(Rect, Border)> {
    let right = |rect: &Rect| Rect { x: rect.right().saturating_sub(1), width: 1, ..*rect };
    let inner = |all: &[Rect]| all.iter().take(all.len().saturating_sub(1)).map(right).collect::<Vec<_>>();
    let mut made: Vec<(Rect, Border)> = Vec::new();
    if let (Some(first), Some(last)) = (below.first(), below.last()) {
        let width = last.right().saturating_sub(first.x);
        made.push((Rect { width, height: 1, ..*first }, Border::Split));
    }
    made.extend(inner(above).into_iter().enumerate().map(|(nth, rect)| (rect, Border::Above(nth))));
    made.extend(inner(below).into_iter().enumerate().map(|(nth, rect)| (rect, Border::Below(nth))));
    made
}

type Placed = Vec<(Panel, Rect)>;

fn quad(area: Rect, focus: Panel, moved: Moved) -> (Placed, Vec<(Rect, Border)>) {
    let (upper, lower) = split(area, moved.split);
    let right = if focus == Panel::Runs { Panel::Runs } else { Panel::Plan };
    let (upper, lower) =
        (columns(upper, &[69, 50], &moved.above), columns(lower, &[42, 44, 33], &moved.below));
    let borders = borders(&upper, &lower);
    let above = [Panel::Loop, Panel::Context].into_iter().zip(upper);
    let below = [Panel::Queue, Panel::Checkpoints, right].into_iter().zip(lower);
    (above.chain(below).collect(), borders)
}

fn full(area: Rect, moved: Moved) -> (Placed, Rect, Vec<(Rect, Border)>) {
    let (upper, lower) = split(area, moved.split);
    let above = [Panel::Loop, Panel::Context, Panel::Queue, Panel::Checkpoints];
    let upper = columns(upper, &[75, 50, 37, 37], &moved.above);
    let below = columns(lower, &[75, 50, 74], &moved.below);
    let borders = borders(&upper, &below);
    let mut panels: Placed = above.into_iter().zip(upper).collect();
    let mut below = below.into_iter();
    panels.extend([Panel::Runs, Panel::Plan].into_iter().zip(below.by_ref()));
    (panels, below.next().unwrap_or(Rect { height: 0, ..lower }), borders)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(columns: u16, rows: u16, needs: Needs) -> Layout {
        layout(Rect::new(0, 0, columns, rows), Panel::Queue, needs)
    }

    fn rects(made: &Layout) -> Vec<Rect> {
        let Layout {
            size: _,
            area: _,
            header,
            goal,
            band,
            tabs,
            panels,
            limits_panel,
            strip,
            limits,
            message,
            saved,
            keys,
            borders: _,
        } = made;
        let own = [header, goal, band, tabs, limits_panel, strip, limits, message, saved, keys];
        own.into_iter().copied().chain(panels.iter().map(|(_, rect)| *rect)).collect()
    }

    #[test]
    fn everything_lies_inside_whatever_the_size() {
        for columns in (0..70).chain([80, 109, 110, 120, 179, 180, 200, 500]) {
            for rows in (0..40).chain([49, 50, 60, 200]) {
                for band in [0, 1, 4, 50] {
                    for zoom in [false, true] {
                        let made = at(columns, rows, Needs { band, zoom, message: band, ..Needs::default() });
                        for rect in rects(&made) {
                            assert!(
                                rect.right() <= columns && rect.bottom() <= rows,
                                "{columns}×{rows}: {made:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn lines_do_not_lie_over_each_other_and_none_is_left_over() {
        for (columns, rows) in [(40, 10), (60, 16), (80, 24), (110, 32), (120, 40), (180, 50), (200, 60)] {
            let made = at(columns, rows, Needs { band: 1, message: 1, ..Needs::default() });
            let mut taken = vec![0; usize::from(rows)];
            for rect in rects(&made) {
                for y in rect.top()..rect.bottom() {
                    taken[usize::from(y)] |= 1;
                }
            }
            assert!(taken.iter().all(|line| *line == 1), "{columns}×{rows}: {made:?}");
            let lines = [made.header, made.goal, made.band, made.tabs, made.strip, made.limits, made.message];
            for (n, a) in lines.iter().enumerate() {
                for b in &lines[n + 1..] {
                    assert!(!a.intersects(*b), "{columns}×{rows}: {a:?} {b:?}");
                }
                for (panel, rect) in &made.panels {
                    assert!(!a.intersects(*rect), "{columns}×{rows}: {panel:?} {rect:?} {a:?}");
                }
            }
        }
    }

    #[test]
    fn a_size_begins_where_both_columns_and_rows_are_reached() {
        for (columns, rows, size, below) in [
            (180, 50, Size::Full, Size::Quad),
            (110, 32, Size::Quad, Size::Tabs),
            (60, 16, Size::Tabs, Size::Tiny),
            (40, 10, Size::Tiny, Size::TooSmall),
        ] {
            for (columns, rows) in [(columns, rows), (columns + 1, rows), (columns, rows + 1)] {
                assert_eq!(Size::of(columns, rows), size, "{columns}x{rows}");
            }
            for (columns, rows) in [(columns - 1, rows), (columns, rows - 1), (columns - 1, rows - 1)] {
                assert_eq!(Size::of(columns, rows), below, "{columns}x{rows}");
            }
            // Much of one does not make up for the other.
            assert_eq!(Size::of(500, rows - 1), below);
            assert_eq!(Size::of(columns - 1, 500), below);
        }
    }

    #[test]
    fn the_panels_stand_as_drawn() {
        let quad = at(120, 40, Needs { band: 1, message: 1, ..Needs::default() });
        let place = |panel| quad.panels.iter().find(|(p, _)| *p == panel).unwrap().1;
        assert_eq!(place(Panel::Loop), Rect::new(0, 3, 70, 18));
        assert_eq!(place(Panel::Context), Rect::new(69, 3, 51, 18));
        assert_eq!(place(Panel::Queue), Rect::new(0, 20, 43, 15));
        assert_eq!(place(Panel::Plan), Rect::new(86, 20, 34, 15));
        let tabs = at(80, 24, Needs { band: 2, message: 1, ..Needs::default() });
        assert_eq!(tabs.panels, vec![(Panel::Queue, Rect::new(0, 3, 80, 13))]);
        let full = at(200, 60, Needs::default());
        assert_eq!(full.panels.len(), 6);
        assert_eq!(full.limits_panel.width, 75);
    }

    #[test]
    fn borders_move_as_far_as_no_panel_gets_too_small() {
        for (columns, rows) in [(120, 40), (200, 60)] {
            let default = at(columns, rows, Needs { message: 1, ..Needs::default() });
            for (rect, border) in default.borders.clone() {
                for (x, y) in [(0, 0), (columns, rows), (rect.x + 3, rect.y + 2), (columns / 2, rows / 2)] {
                    let mut moved = Moved::default();
                    moved.by(border, default.way_to(border, Position { x, y }));
                    let made = at(columns, rows, Needs { message: 1, moved, ..Needs::default() });
                    let ok = |rect: Rect| rect.width > NARROW && rect.height >= LEAST;
                    assert!(made.places().all(ok), "{columns} {border:?} to {x},{y}: {made:?}");
                    let now = made.borders.iter().find(|(_, own)| *own == border).unwrap().0;
                    let (is, wanted) = if border == Border::Split { (now.y, y) } else { (now.x, x) };
                    let stays = if border == Border::Split { rect.y } else { rect.x };
                    assert!(
                        is == wanted || (is < wanted) == (stays < wanted) || is != stays,
                        "{is} {wanted}"
                    );
                    if (x, y) == (rect.x + 3, rect.y + 2) && border != Border::Split {
                        assert_eq!(is, wanted, "{columns} {border:?}");
                    }
                }
            }
        }
        // Whatever was moved in a large window fits a small one.
        let mut moved = Moved::default();
        for border in [Border::Above(0), Border::Above(1), Border::Below(1), Border::Split, Border::Above(9)]
        {
            moved.by(border, i16::MAX);
        }
        for (columns, rows) in [(110, 32), (180, 50), (120, 40)] {
            let made = at(columns, rows, Needs { message: 1, moved, ..Needs::default() });
            assert!(made.places().all(|rect| rect.right() <= columns && rect.bottom() <= rows), "{made:?}");
        }
    }

    #[test]
    fn panels_follow_each_other_in_a_ring() {
        let mut panel = Panel::Loop;
        for _ in 0..6 {
            assert_eq!(panel.neighbour(true).neighbour(false), panel);
            panel = panel.neighbour(true);
        }
        assert_eq!(panel, Panel::Loop);
    }
}
