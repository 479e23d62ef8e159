//! Where everything stands, by the size of the terminal alone and by what has to be told.
//!
//! Neighbouring panels share a border, so their rectangles overlap by one cell. Every rectangle lies inside the
//! terminal, whatever its size; what has no room is empty.

use ratatui::layout::Rect;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
            if area.height >= 14 {
                made.message = rows.bottom(1);
            }
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
                made.panels = quad(rows.0, focus);
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
                (made.panels, made.limits_panel) = full(rows.0);
            }
        }
    }
    made
}

/// Columns of so many parts of a hundred and twenty, or of two hundred, that share their borders.
fn columns(area: Rect, weights: &[u16]) -> Vec<Rect> {
    let sum: u32 = weights.iter().map(|w| u32::from(*w)).sum();
    let mut left = area.x;
    let mut done = 0_u32;
    let mut made = Vec::with_capacity(weights.len());
    for weight in weights {
        done += u32::from(*weight);
        let share = (u32::from(area.width.saturating_sub(1)) * done).checked_div(sum).unwrap_or(0);
        let right = area.x.saturating_add(u16::try_from(share).unwrap_or(u16::MAX));
        made.push(Rect { x: left, width: right.saturating_sub(left).saturating_add(1), ..area });
        left = right;
    }
    made
}

/// Upper and lower panels that share a border.
fn split(area: Rect) -> (Rect, Rect) {
    let lower = LOWER.min(area.height / 2);
    let upper = Rect { height: area.height.saturating_sub(lower).saturating_add(1), ..area };
    let lower = Rect { y: area.y + area.height - lower, height: lower, ..area };
    (upper, lower)
}

fn quad(area: Rect, focus: Panel) -> Vec<(Panel, Rect)> {
    let (upper, lower) = split(area);
    let right = if focus == Panel::Runs { Panel::Runs } else { Panel::Plan };
    let above = [Panel::Loop, Panel::Context].into_iter().zip(columns(upper, &[69, 50]));
    let below = [Panel::Queue, Panel::Checkpoints, right].into_iter().zip(columns(lower, &[42, 44, 33]));
    above.chain(below).collect()
}

fn full(area: Rect) -> (Vec<(Panel, Rect)>, Rect) {
    let (upper, lower) = split(area);
    let above = [Panel::Loop, Panel::Context, Panel::Queue, Panel::Checkpoints];
    let mut panels: Vec<(Panel, Rect)> = above.into_iter().zip(columns(upper, &[75, 50, 37, 37])).collect();
    let mut below = columns(lower, &[75, 50, 74]).into_iter();
    panels.extend([Panel::Runs, Panel::Plan].into_iter().zip(below.by_ref()));
    (panels, below.next().unwrap_or(Rect { height: 0, ..lower }))
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
                        let made = at(columns, rows, Needs { band, zoom, message: band });
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
            let made = at(columns, rows, Needs { band: 1, zoom: false, message: 1 });
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
    fn the_panels_stand_as_drawn() {
        let quad = at(120, 40, Needs { band: 1, zoom: false, message: 1 });
        let place = |panel| quad.panels.iter().find(|(p, _)| *p == panel).unwrap().1;
        assert_eq!(place(Panel::Loop), Rect::new(0, 3, 70, 18));
        assert_eq!(place(Panel::Context), Rect::new(69, 3, 51, 18));
        assert_eq!(place(Panel::Queue), Rect::new(0, 20, 43, 15));
        assert_eq!(place(Panel::Plan), Rect::new(86, 20, 34, 15));
        let tabs = at(80, 24, Needs { band: 2, zoom: false, message: 1 });
        assert_eq!(tabs.panels, vec![(Panel::Queue, Rect::new(0, 3, 80, 13))]);
        let full = at(200, 60, Needs::default());
        assert_eq!(full.panels.len(), 6);
        assert_eq!(full.limits_panel.width, 75);
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
