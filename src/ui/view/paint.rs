//! Drawing on rows of cells: pieces with roles from the left, pieces from the right, never beyond the end, and a sign
//! where something was cut. Texts given to it are neutral already.

use crate::ui::app::model::Look;
use crate::ui::text::{Line, Wrap, cut, cut_line, width, wrap};
use crate::ui::theme::Role;
use crate::ui::view::Zone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::borrow::Cow;

/// A piece of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// What it is, for the eye.
    pub role: Role,
    /// Its text, neutral.
    pub text: Cow<'a, str>,
}

/// A piece of a row.
pub fn part<'a>(role: Role, text: impl Into<Cow<'a, str>>) -> Part<'a> {
    Part { role, text: text.into() }
}

/// Cells that pieces take.
pub fn cells(parts: &[Part<'_>]) -> usize {
    parts.iter().map(|part| width(&part.text)).sum()
}

/// Draws with one look on one buffer.
pub struct Pen<'a> {
    /// The look.
    pub look: &'a Look,
    /// The cells.
    pub buf: &'a mut Buffer,
    /// Where it is noted what can be clicked.
    zones: Option<&'a mut Vec<(Rect, Zone)>>,
}

impl<'a> Pen<'a> {
    /// A pen that notes no places.
    pub fn new(look: &'a Look, buf: &'a mut Buffer) -> Self {
        Self { look, buf, zones: None }
    }

    /// A pen that notes the places that can be clicked.
    pub fn noting(look: &'a Look, buf: &'a mut Buffer, zones: &'a mut Vec<(Rect, Zone)>) -> Self {
        Self { look, buf, zones: Some(zones) }
    }
}

impl Pen<'_> {
    /// Notes what a click on a place of a dialog means.
    pub fn note(&mut self, place: Rect, zone: Zone) {
        if let Some(zones) = self.zones.as_mut().filter(|_| place.width > 0 && place.height > 0) {
            zones.push((place, zone));
        }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.look.theme.style(role)
    }

    /// Fills an area with blanks of a role.
    pub fn fill(&mut self, area: Rect, role: Role) {
        let area = area.intersection(self.buf.area);
        let style = self.style(role);
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buf.cell_mut((x, y)) {
                    cell.reset();
                    cell.set_style(style);
                }
            }
        }
    }

    /// Gives an area the style of a role, over what is there: a selected row.
    pub fn tint(&mut self, area: Rect, role: Role) {
        let style = self.style(role);
        self.buf.set_style(area.intersection(self.buf.area), style);
    }

    /// Writes pieces at the begin of a row, as far as there is room; a cut one ends in `…`. Gives the cells used.
    pub fn left(&mut self, row: Rect, parts: &[Part<'_>]) -> u16 {
        let mut x = row.x;
        for (at, piece) in parts.iter().enumerate() {
            let room = row.right().saturating_sub(x);
            if room == 0 || row.height == 0 {
                break;
            }
            // Where a piece fills the row to its end, what follows is cut off too, and has its sign.
            let fills = width(&piece.text) == usize::from(room);
            let more = fills
                && parts.get(at + 1..).unwrap_or_default().iter().any(|piece| !piece.text.trim().is_empty());
            let longer =
                if more { format!("{}{}", piece.text, self.look.glyphs.ellipsis) } else { String::new() };
            let whole = if more { longer.as_str() } else { piece.text.as_ref() };
            let text = cut(whole, usize::from(room), self.look.glyphs.ellipsis);
            let style = self.style(piece.role);
            let (end, _) = self.buf.set_stringn(x, row.y, &text, usize::from(room), style);
            let was_cut = more || width(&piece.text) > usize::from(room);
            x = end;
            if was_cut {
                break;
            }
        }
        x - row.x
    }

    /// Writes pieces at both ends of a row. Those on the right have their room first; if it is narrower than them, they
    /// follow the left ones.
    pub fn ends(&mut self, row: Rect, left: &[Part<'_>], right: &[Part<'_>]) {
        let own = u16::try_from(cells(right)).unwrap_or(u16::MAX);
        if own == 0 || own >= row.width {
            // What has no room at the end follows, and is cut with its sign.
            let gap = if left.is_empty() || own == 0 { "" } else { " " };
            let all: Vec<Part<'_>> =
                left.iter().cloned().chain([part(Role::Base, gap)]).chain(right.iter().cloned()).collect();
            self.left(row, &all);
            return;
        }
        self.left(Rect { width: row.width - own - 1, ..row }, left);
        self.left(Rect { x: row.right() - own, width: own, ..row }, right);
    }

    /// Writes a neutral text over as many rows as it needs and there are; where there are fewer the last ends in `…`.
    /// Gives the rows used.
    pub fn wrapped(&mut self, area: Rect, text: &Line<'_>, role: Role) -> usize {
        let lines = wrap(text, usize::from(area.width), Wrap::Words);
        let room = usize::from(area.height).min(lines.len());
        let whole = if room < lines.len() { room.saturating_sub(1) } else { room };
        for (nth, line) in lines.iter().take(whole).enumerate() {
            self.line(row(area, nth), line, role);
        }
        if whole < room {
            let blank = Line::plain(" ");
            let rest = lines.iter().skip(whole).flat_map(|line| [&blank, line]).skip(1);
            let rest = rest.flat_map(|line| line.pieces.iter().cloned()).collect();
            self.line(row(area, whole), &Line { pieces: rest }, role);
        }
        room
    }

    /// Writes a neutral line, codes of hidden characters reversed, cut at the end of the row.
    pub fn line(&mut self, row: Rect, line: &Line<'_>, role: Role) {
        if row.height == 0 || row.width == 0 {
            return;
        }
        let shown = cut_line(line, usize::from(row.width), self.look.glyphs.ellipsis);
        let spans = shown.spans(self.style(role), self.style(role).patch(self.style(Role::Hidden)));
        self.buf.set_line(row.x, row.y, &spans, row.width);
    }
}

/// The `n`th row of an area; empty below its end.
pub fn row(area: Rect, n: usize) -> Rect {
    let n = u16::try_from(n).unwrap_or(u16::MAX);
    if n >= area.height {
        return Rect { y: area.bottom(), height: 0, ..area };
    }
    Rect { y: area.y + n, height: 1, ..area }
}

/// First row to show of `all`, so that `selected` is among `rows` shown ones and as little as possible moves from `top`.
pub fn top_for(top: usize, selected: usize, rows: usize, all: usize) -> usize {
    let rows = rows.max(1);
    let least = (selected + 1).saturating_sub(rows);
    top.min(selected).max(least).min(all.saturating_sub(rows))
}
