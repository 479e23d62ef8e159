//! The screen in a terminal that is too small for the rest: what waits, and how to leave.

use super::cells::outside;
use super::paint::{Part, Pen, part, row};
use crate::ui::app::model::Model;
use crate::ui::keys::{Action, Ctx, live};
use crate::ui::theme::Role;
use ratatui::layout::Rect;

/// The screen in a terminal under 40×10.
pub fn draw(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    let words = model.words().small;
    let glyphs = model.look.glyphs;
    let (columns, rows) = (u64::from(area.width), u64::from(area.height));
    let mut lines: Vec<Vec<Part<'static>>> = vec![vec![
        part(Role::Accent, "wakeful"),
        part(Role::Muted, format!("  {}", words.size(columns, rows))),
    ]];
    if let Some(news) = &model.news {
        lines.push(vec![part(Role::Base, outside(&news.words))]);
    }
    if model.leaving_asked() {
        let ways = [
            (Action::QuitStop, words.stop),
            (Action::QuitHandOver, words.hand_over),
            (Action::Back, words.stay),
        ];
        lines.extend(ways.map(|(action, does)| key(model, live::QUIT, action, does)));
        return show(&lines, area, pen);
    }
    let waiting = model.waiting().count();
    if waiting > 0 {
        let text = words.calls_wait(u64::try_from(waiting).unwrap_or(u64::MAX));
        lines.push(vec![part(Role::NeedsYou, format!("{} {text}", glyphs.needs_you))]);
    }
    if model.opening.is_some_and(|opening| opening.held.is_some()) {
        lines.push(vec![part(Role::NeedsYou, format!("{} {}", glyphs.needs_you, words.held))]);
    }
    if let Some(view) = model.view() {
        let step = u64::from(view.state.path.step) + u64::from(view.state.ledger.ended.is_none());
        lines.push(vec![part(Role::Base, words.run_at(&model.title(), step))]);
    }
    lines.push(vec![part(Role::Base, words.larger)]);
    lines.push(key(model, live::RUN, Action::QuitAsk, words.quit));
    show(&lines, area, pen);
}

fn key(model: &Model, live: &[Ctx], action: Action, does: &str) -> Vec<Part<'static>> {
    vec![part(Role::Accent, model.key(live, action)), part(Role::Muted, format!(" {does}"))]
}

fn show(lines: &[Vec<Part<'static>>], area: Rect, pen: &mut Pen<'_>) {
    let indent = u16::from(area.width > 1);
    for (n, line) in lines.iter().enumerate() {
        let place = row(area, n);
        pen.left(Rect { x: place.x + indent, width: place.width - indent, ..place }, line);
    }
}
