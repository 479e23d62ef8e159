//! Borders, and the dialog that lies over the screen.

use super::cells::{Hidden, signs};
use super::paint::{Part, Pen, cells, part};
use super::{Drawn, inside};
use crate::ui::app::model::Model;
use crate::ui::text::width;
use crate::ui::theme::Role;
use ratatui::layout::Rect;
use ratatui::symbols::merge::MergeStrategy;

/// Most columns of a dialog.
const WIDEST: u16 = 100;
/// Under so many columns a dialog fills the screen.
const FILLS_UNDER: u16 = 80;

/// Draws the top dialog. What lies below it cannot be clicked.
pub fn draw(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let Some(dialog) = model.layers.last() else { return };
    let rect = place(area, dialog.columns(), |columns| dialog.rows(model, columns));
    halves(pen, rect);
    pen.fill(rect, Role::Base);
    let (title, note) = dialog.title(model);
    let note = if note.is_empty() { Vec::new() } else { vec![part(Role::Muted, note)] };
    border(pen, rect, true, &[part(Role::Base, title)], &note);
    drawn.zones.clear();
    let shown = dialog.draw(model, inside(rect), Pen::noting(pen.look, pen.buf, &mut drawn.zones));
    let used = hidden(rect, shown.hidden, pen);
    if rect == area {
        said(model, Rect { width: rect.width.saturating_sub(used), ..rect }, pen);
    }
    drawn.caret = shown.caret;
    drawn.layer = Some(shown);
}

/// Says at the right end of the lower border that there are rows above and below what is shown; gives the cells used.
fn hidden(rect: Rect, hidden: Hidden, pen: &mut Pen<'_>) -> u16 {
    let signs = signs(pen.look.glyphs, hidden);
    let own = u16::try_from(width(&signs)).unwrap_or(u16::MAX).saturating_add(2);
    if signs.is_empty() || rect.width < own.saturating_add(4) || rect.height < 2 {
        return 0;
    }
    let place = Rect { x: rect.right() - own - 2, y: rect.bottom() - 1, width: own, height: 1 };
    words(pen, place, &[part(Role::Accent, signs)]);
    own.saturating_add(1)
}

/// What is said at the foot of the screen, on the lower border of a dialog that covers that foot.
fn said(model: &Model, rect: Rect, pen: &mut Pen<'_>) {
    let Some(news) = model.news.as_ref().filter(|news| news.until > model.clock.mono) else { return };
    if rect.width > 4 && rect.height > 1 {
        let line = Rect { x: rect.x + 2, y: rect.bottom() - 1, width: rect.width - 4, height: 1 };
        words(pen, line, &[part(Role::Accent, news.words.clone())]);
    }
}

/// Where a dialog stands: centred, 90 % high at most; all of a narrow screen.
fn place(area: Rect, wanted: u16, rows: impl FnOnce(u16) -> u16) -> Rect {
    if area.width < FILLS_UNDER {
        return area;
    }
    let width = wanted.min(WIDEST).min(area.width);
    let most = u16::try_from(u32::from(area.height) * 9 / 10).unwrap_or(area.height);
    let height = rows(width.saturating_sub(3)).saturating_add(2).min(most);
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}

/// A glyph of two cells that a dialog covers by half becomes a blank.
pub fn halves(pen: &mut Pen<'_>, rect: Rect) {
    let Some(before) = rect.x.checked_sub(1) else { return };
    for y in rect.top()..rect.bottom() {
        if let Some(cell) = pen.buf.cell_mut((before, y))
            && width(cell.symbol()) > 1
        {
            cell.set_symbol(" ");
        }
    }
}

/// A border with a title and a note in its upper line; corners join those that are there. A title of a neighbour on
/// the same line stays.
pub fn border(pen: &mut Pen<'_>, rect: Rect, focused: bool, title: &[Part<'_>], note: &[Part<'_>]) {
    if rect.width < 2 || rect.height < 2 {
        return;
    }
    let set = pen.look.glyphs.border(focused);
    let (left, right, top, bottom) = (rect.left(), rect.right() - 1, rect.top(), rect.bottom() - 1);
    for x in left + 1..right {
        line(pen, (x, top), set.horizontal_top, focused);
        if !is_title(pen, x, bottom) {
            line(pen, (x, bottom), set.horizontal_bottom, focused);
        }
    }
    for y in top + 1..bottom {
        line(pen, (left, y), set.vertical_left, focused);
        line(pen, (right, y), set.vertical_right, focused);
    }
    line(pen, (left, top), set.top_left, focused);
    line(pen, (right, top), set.top_right, focused);
    line(pen, (left, bottom), set.bottom_left, focused);
    line(pen, (right, bottom), set.bottom_right, focused);
    let on_line = Rect { x: left + 2, y: top, width: rect.width.saturating_sub(4), height: 1 };
    let room = usize::from(on_line.width);
    let noted = usize::from(!note.is_empty()) * (cells(note) + 2);
    // Between title and note at least one piece of the line is seen, so that they do not read as one.
    let with_note = noted > 0 && noted + cells(title) + 3 <= room;
    if cells(title) > 0 {
        words(pen, on_line, title);
    }
    if with_note {
        let own = u16::try_from(noted).unwrap_or(u16::MAX).min(on_line.width);
        words(pen, Rect { x: on_line.right() - own, width: own, ..on_line }, note);
    }
}

/// Words on a border, with a blank at both ends.
fn words(pen: &mut Pen<'_>, place: Rect, parts: &[Part<'_>]) {
    let blank = part(Role::Base, " ");
    let mut all = vec![blank.clone()];
    all.extend(parts.iter().cloned());
    let used = pen.left(Rect { width: place.width.saturating_sub(1), ..place }, &all);
    pen.left(Rect { x: place.x + used, width: place.width - used, ..place }, &[blank]);
}

fn line(pen: &mut Pen<'_>, at: (u16, u16), symbol: &str, focused: bool) {
    let style = pen.look.theme.border(focused);
    let merge = !pen.look.glyphs.is_ascii();
    let Some(cell) = pen.buf.cell_mut(at) else { return };
    if merge {
        cell.merge_symbol(symbol, MergeStrategy::Exact);
    } else {
        cell.set_symbol(symbol);
    }
    cell.set_style(style);
}

/// Whether this cell of a border belongs to words of a neighbour on it: to a word, or to the blank beside one.
fn is_title(pen: &Pen<'_>, x: u16, y: u16) -> bool {
    let symbol = |x: u16| pen.buf.cell((x, y)).map_or(" ", |cell| cell.symbol());
    let is_word = |symbol: &str| symbol != " " && !is_border(symbol);
    let here = symbol(x);
    is_word(here)
        || (here == " " && (is_word(symbol(x.saturating_sub(1))) || is_word(symbol(x.saturating_add(1)))))
}

fn is_border(symbol: &str) -> bool {
    symbol.chars().all(|c| matches!(c, '\u{2500}'..='\u{257f}' | '-' | '=' | '|' | '+'))
}
