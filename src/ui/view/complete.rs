//! The list of files that fit what is typed behind an `@`, beside the caret.

use super::Drawn;
use super::paint::{Pen, cells, part, row, top_for};
use crate::ui::app::model::Model;
use crate::ui::keys::{Action, live};
use crate::ui::text::{Strength, cut_left, one_line, width};
use crate::ui::theme::Role;
use ratatui::layout::Rect;

/// Most files at a time.
const ROWS: usize = 8;
/// Rows from which the list has a frame.
const FRAMED: usize = 6;
/// Most cells of the list.
const WIDEST: u16 = 64;

/// Draws it, if it is open: below the caret, or above it where there is no room below.
pub fn draw(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let (Some((paths, marked, more)), Some(caret)) = (model.complete.open(), drawn.caret) else { return };
    let below = usize::from(area.bottom().saturating_sub(caret.y + 1));
    let above = usize::from(caret.y.saturating_sub(area.y));
    let room = below.max(above);
    // Where there is little room its frame gives way.
    let frame = if room >= FRAMED { 2 } else { 0 };
    let wanted = paths.len().min(ROWS) + 1 + frame;
    let rows = wanted.min(room);
    let Some(shown) = rows.checked_sub(1 + frame).filter(|shown| *shown > 0) else { return };
    let height = u16::try_from(rows).unwrap_or(u16::MAX);
    let y = if rows <= below { caret.y + 1 } else { caret.y - height.min(caret.y) };
    let width = WIDEST.min(area.width);
    let x = caret.x.min(area.right() - width);
    let whole = Rect { x, y, width, height };
    super::halves(pen, whole);
    pen.fill(whole, Role::Base);
    let count = format!("{}/{}{}", marked + 1, paths.len(), if more { "+" } else { "" });
    let place = if frame > 0 {
        let title = [part(Role::Base, model.words().header.files)];
        super::border(pen, whole, true, &title, &[part(Role::Muted, count.clone())]);
        Rect { x: x + 1, y: y + 1, width: width.saturating_sub(2), height: height.saturating_sub(2) }
    } else {
        whole
    };
    let top = top_for(0, marked, shown, paths.len());
    let room = usize::from(place.width.saturating_sub(1));
    // In a frame nothing else stands at its left edge.
    let rail = if frame > 0 { " " } else { pen.look.glyphs.rail };
    for (nth, path) in paths.iter().enumerate().skip(top).take(shown) {
        let here = nth == marked;
        let (mark, role) = if here { (pen.look.glyphs.selected, Role::Accent) } else { (rail, Role::Base) };
        // The end of a path is what tells it from others.
        let name = one_line(path, Strength::Exact).shown();
        let name = cut_left(&name, room, pen.look.glyphs.ellipsis).into_owned();
        let edge = if here { Role::Accent } else { Role::Border };
        pen.left(row(place, nth - top), &[part(edge, mark), part(role, name)]);
    }
    let mut foot = vec![part(Role::Border, rail)];
    for action in [Action::FileTake, Action::FileMove, Action::Back] {
        let Some(hint) = model.look.keys.hint(live::COMPLETE, action, model.look.lang) else { continue };
        let gap = if foot.len() > 1 { "  " } else { "" };
        foot.push(part(Role::Accent, format!("{gap}{}", hint.keys)));
        foot.push(part(Role::Base, format!(" {}", hint.words)));
    }
    if frame == 0 && cells(&foot) + self::width(&count) + 2 <= usize::from(width) {
        pen.ends(row(place, shown), &foot, &[part(Role::Muted, count)]);
    } else {
        pen.left(row(place, shown), &foot);
    }
}
