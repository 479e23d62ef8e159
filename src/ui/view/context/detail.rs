//! What is known beside the table: who counted, the last reply, what was trimmed. For tall panels.

use super::{Figures, memory, ours};
use crate::inspect::Asked;
use crate::run::budget_table::{Slot, Trim};
use crate::ui::app::lists::slots;
use crate::ui::app::model::Model;
use crate::ui::theme::Role;
use crate::ui::view::cells::{left, outside, right, said};
use crate::ui::view::paint::{Part, part};
use crate::ui::words::numbers::{UNKNOWN, grouped, percent};
use ratatui::layout::Rect;

/// A line of pieces.
type Parts = Vec<Part<'static>>;

/// The lines for which there is room, and those for which there is none; the last row is left to the keys.
pub fn lines(
    model: &Model,
    asked: &Asked,
    figures: &Figures,
    area: Rect,
    room: usize,
) -> (Vec<Parts>, Vec<Parts>) {
    let blocks = [
        counting(model, asked),
        reply(model, asked, figures),
        trims(model, asked, area),
        since_start(model, asked, area),
        memory::offered(model, asked, area),
        memory::audit(model),
    ];
    let room = room.saturating_sub(1);
    let (mut shown, mut rest) = (Vec::new(), Vec::new());
    // A block stands in one place whole.
    for block in blocks.into_iter().filter(|block| !block.is_empty()) {
        let gap = usize::from(!shown.is_empty());
        let to = if shown.len() + gap + block.len() > room { &mut rest } else { &mut shown };
        if !to.is_empty() {
            to.push(Vec::new());
        }
        to.extend(block);
    }
    (shown, rest)
}

fn counting(model: &Model, asked: &Asked) -> Vec<Parts> {
    let (words, table) = (model.words().context, &asked.table);
    let reserve = grouped(u64::from(table.used(Slot::Reserve)));
    let sum = words.prompt_and_reserve(&ours(table, table.prompt()), &reserve);
    let free = words.free(&grouped(u64::from(table.free())));
    let manner = if table.exact { words.exact } else { words.estimated };
    let by = words.counted_by(&super::counter(model, table), manner);
    vec![
        vec![part(Role::Base, format!("{sum} {} {free}", model.look.glyphs.dot))],
        vec![part(Role::Muted, by)],
    ]
}

fn reply(model: &Model, asked: &Asked, figures: &Figures) -> Vec<Parts> {
    let words = model.words().context;
    let Some(usage) = figures.usage else { return Vec::new() };
    // While a request is out, the last reply is that of the step before.
    let step = if figures.same { asked.step } else { asked.step.saturating_sub(1) };
    let counted = figures.drift.map_or_else(
        || UNKNOWN.to_owned(),
        |drift| grouped(usage.prompt.saturating_add_signed(drift.saturating_neg())),
    );
    let mut lines = vec![
        vec![part(Role::Accent, words.last_reply(u64::from(step)))],
        vec![part(
            Role::Base,
            format!(" {}", words.we_counted(&counted, &grouped(usage.prompt), &grouped(usage.completion))),
        )],
    ];
    let learnt = |drift: String| if asked.table.learnt.is_some() { words.learnt(&drift) } else { drift };
    lines.extend(figures.drift(model).map(|drift| vec![part(Role::Base, format!(" {}", learnt(drift)))]));
    let cached = words.cached_by_server(&grouped(usage.cached), &percent(usage.cached, usage.prompt));
    lines.push(vec![part(Role::Base, format!(" {cached}"))]);
    lines
}

/// Most trims that are listed.
const TRIMS: usize = 8;

fn trims(model: &Model, asked: &Asked, area: Rect) -> Vec<Parts> {
    let words = model.words().context;
    let mut lines = vec![vec![part(Role::Accent, words.trimmed_for(u64::from(asked.step)))]];
    let all = slots(&asked.table).flat_map(|row| row.trimmed.iter().map(|trim| (row.slot, trim)));
    let mut all: Vec<Parts> = all.map(|(slot, trim)| line(model, slot, trim, area)).collect();
    let more = all.len().saturating_sub(TRIMS);
    all.truncate(TRIMS);
    lines.extend(all.into_iter().chain((more > 0).then(|| left_out(model, more))));
    if lines.len() == 1 {
        lines.push(vec![part(Role::Muted, format!(" {}", words.nothing_trimmed))]);
    }
    lines.push(vec![part(Role::Muted, format!(" {}", words.never_trimmed))]);
    lines
}

/// That so many more lines are not listed: the items of the slot are.
pub(super) fn left_out(model: &Model, more: usize) -> Parts {
    let glyphs = model.look.glyphs;
    vec![part(Role::Muted, format!(" {} {}{}", glyphs.left_out, glyphs.plus, grouped(more as u64)))]
}

/// What has left the recent rounds in all; nothing if it left them just now.
fn since_start(model: &Model, asked: &Asked, area: Rect) -> Vec<Parts> {
    let table = &asked.table;
    let now = table.rows.iter().find(|row| row.slot == Slot::Recent).map(|row| &row.trimmed);
    if table.since_start.is_empty() || now == Some(&table.since_start) {
        return Vec::new();
    }
    let heading = vec![part(Role::Accent, model.words().context.trimmed_since_start)];
    let trims = table.since_start.iter().map(|trim| line(model, Slot::Recent, trim, area));
    std::iter::once(heading).chain(trims).collect()
}

/// What went from a slot, why, and the tokens that it would take.
fn line(model: &Model, slot: Slot, trim: &Trim, area: Rect) -> Parts {
    let look = &model.look;
    let what = outside(&look.lang.trimmed(&trim.what));
    let why = said(look, &trim.why);
    let text = match trim.is_under_score() {
        true => format!("{what}{}{why}", look.lang.pick([" ", ""])),
        false => format!("{what} {} {why}", look.glyphs.dot),
    };
    let tokens = format!("{}{}", look.glyphs.minus, grouped(u64::from(trim.tokens)));
    let room = usize::from(area.width.min(46)).saturating_sub(12 + 8);
    vec![
        part(Role::Base, format!(" {} ", left(look, look.lang.slot(slot), 10))),
        part(Role::Base, left(look, &text, room)),
        part(Role::Warn, right(look, &tokens, 8)),
    ]
}
