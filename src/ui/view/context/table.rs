//! The budget table: one row a slot, a rule, the total. Columns are cells, so that they stand below each other in both
//! languages; where there is little room the items go first, then the bar, then the budget.

use crate::run::budget_table::{BudgetTable, Slot, SlotRow};
use crate::ui::app::lists::slots;
use crate::ui::app::model::Model;
use crate::ui::layout::Panel;
use crate::ui::text::{Align, pad, width};
use crate::ui::theme::Role;
use crate::ui::view::cells::{Hidden, bar, left, margin, right, select};
use crate::ui::view::paint::{Part, Pen, part, row, top_for};
use crate::ui::view::{Drawn, Zone};
use crate::ui::words::numbers::{grouped, percent};
use ratatui::layout::Rect;

/// Cells from which bars are long.
pub const WIDE: u16 = 70;
/// Cells of the whole table where there is room.
const NARROW_TABLE: u16 = 47;

/// Where columns stand. Those without cells are left out.
struct Columns {
    slot: usize,
    used: usize,
    budget: usize,
    /// Cells before the bar.
    gap: usize,
    bar: usize,
    /// Cells of the items, right-aligned, and those between bar and heading.
    items: usize,
    lead: usize,
    /// Cells before the trims.
    tail: usize,
    /// Cells of rule and table.
    whole: usize,
}

impl Columns {
    fn of(area: Rect, items_heading: usize) -> Self {
        let table =
            Self { slot: 9, used: 7, budget: 8, gap: 1, bar: 8, items: 4, lead: 1, tail: 1, whole: 47 };
        if area.width >= WIDE {
            let items = 2 + items_heading.max(4);
            return Self { budget: 9, gap: 2, bar: 16, items, lead: 2, tail: 2, whole: 70, ..table };
        }
        let whole = usize::from(area.width.min(NARROW_TABLE));
        let spare = |cells: u16| area.width + cells < NARROW_TABLE;
        let mut columns = Self { whole, ..table };
        if spare(0) {
            (columns.items, columns.lead) = (0, 0);
        }
        if spare(4) {
            (columns.bar, columns.gap) = (0, 0);
        }
        if spare(13) {
            columns.budget = 0;
        }
        columns
    }

    /// The columns up to the bar.
    fn head(&self, model: &Model, slot: &str, used: &str, budget: &str) -> String {
        let look = &model.look;
        format!(
            "{}{}{}{}",
            left(look, slot, self.slot),
            right(look, used, self.used),
            right(look, budget, self.budget),
            " ".repeat(self.gap)
        )
    }
}

/// Rows of the whole table: heading, slots, rule, total.
pub fn rows(table: &BudgetTable) -> usize {
    slots(table).count() + 3
}

/// Draws the table, as many rows as there are; gives how many were used, and how many have no room. Heading and total
/// stay, what is between them scrolls, and after the slots the lines for which there is no room below the table.
pub fn draw(
    model: &Model,
    table: &BudgetTable,
    rest: &[Vec<Part<'static>>],
    area: Rect,
    pen: &mut Pen<'_>,
    drawn: &mut Drawn,
) -> (usize, Hidden) {
    let words = model.words().context;
    let columns = Columns::of(area, width(words.items));
    let slots: Vec<&SlotRow> = slots(table).collect();
    // Where it is not whole the rule gives way to the slots, then the heading does.
    let fits = usize::from(area.height) >= rows(table);
    let head = usize::from(area.height >= 4);
    let foot = 1 + usize::from(fits);
    let room = usize::from(area.height).saturating_sub(head + foot).clamp(1, slots.len().max(1));
    let all = slots.len() + rest.len();
    let selected = model.lists.slot.min(all.saturating_sub(1));
    let top = top_for(drawn.tops.get(&Panel::Context).copied().unwrap_or(0), selected, room, all);
    drawn.tops.insert(Panel::Context, top);
    if head > 0 {
        pen.left(row(area, 0), &heading(model, &columns));
    }
    let shown = all.saturating_sub(top).min(room);
    for (at, nth) in (top..top + shown).enumerate() {
        let place = row(area, head + at);
        if let Some(slot) = slots.get(nth) {
            pen.left(place, &slot_row(model, &columns, slot));
            drawn.zones.push((place, Zone::Slot(nth)));
        } else if let Some(line) = rest.get(nth - slots.len()) {
            pen.left(place, line);
        }
        if nth == selected && model.focus == Panel::Context {
            select(pen, place, margin(area), true);
        }
    }
    let at = head + shown;
    if fits {
        pen.left(row(area, at), &[part(Role::Border, model.look.glyphs.rule.repeat(columns.whole))]);
    }
    pen.left(row(area, at + foot - 1), &total(model, &columns, table));
    ((at + foot).min(usize::from(area.height)), (top, all - (top + shown)))
}

fn heading(model: &Model, columns: &Columns) -> Vec<Part<'static>> {
    let words = model.words().context;
    let budget = if columns.budget > 0 { words.budget } else { "" };
    let mut text = columns.head(model, words.slot, words.used, budget);
    if columns.bar > 0 {
        text += &pad(words.bar, columns.bar + columns.lead, Align::Left);
    }
    if columns.items > 0 {
        text += &pad(words.items, columns.items - columns.lead, Align::Left);
        if width(words.items) > columns.items - columns.lead {
            text.push(' ');
        } else {
            text += &" ".repeat(columns.tail);
        }
    } else {
        text.push(' ');
    }
    vec![part(Role::Muted, text + words.trimmed)]
}

fn slot_row(model: &Model, columns: &Columns, row: &SlotRow) -> Vec<Part<'static>> {
    let (words, lang, look) = (model.words().context, model.look.lang, &model.look);
    let (used, budget) = (u64::from(row.used), u64::from(row.budget));
    let shown = if columns.budget > 0 { grouped(budget) } else { String::new() };
    let mut parts = vec![part(Role::Base, columns.head(model, lang.slot(row.slot), &grouped(used), &shown))];
    if columns.bar > 0 {
        // The fixed slots take what they need: they are full by design.
        let full = matches!(row.slot, Slot::Reserve | Slot::System | Slot::Tools | Slot::Goal);
        let drawn = bar(look, used, budget, columns.bar);
        parts.push(if full { part(Role::Base, drawn.text) } else { drawn });
    }
    if columns.items > 0 {
        let items = if row.slot == Slot::Reserve { String::new() } else { grouped(u64::from(row.items)) };
        parts.push(part(Role::Base, right(look, &items, columns.items)));
    }
    if row.slot == Slot::Reserve {
        parts.push(part(Role::Muted, format!("{}{}", " ".repeat(columns.tail), words.kept_free)));
        return parts;
    }
    let lead = " ".repeat(columns.tail);
    let trim = trimmed(model, row).map(|trim| part(Role::Warn, format!("{lead}{trim}")));
    let is_wide = columns.whole > usize::from(NARROW_TABLE);
    let borrows = row.borrowed().map(|over| {
        let lead = if trim.is_some() { format!(" {} ", look.glyphs.dot) } else { lead };
        // What it is stands in the columns before, if there is no room for it here.
        let much = words.borrows_so_much(&grouped(u64::from(over)));
        part(Role::Base, format!("{lead}{}", if is_wide { &much } else { words.borrows }))
    });
    parts.extend(trim.into_iter().chain(borrows));
    parts
}

/// What was left out of a slot: the first, and how many more.
fn trimmed(model: &Model, row: &SlotRow) -> Option<String> {
    let first = row.trimmed.first()?;
    let more = row.trimmed.len() - 1;
    let more = if more > 0 { format!(" +{more}") } else { String::new() };
    if first.is_shortened() {
        let n = first.what.split(' ').next().unwrap_or_default();
        return Some(format!("{}{more}", model.words().context.shortened(n)));
    }
    if first.is_under_score() {
        let n = first.what.split(' ').next().unwrap_or_default();
        return Some(format!("{}{more}", model.words().context.under_score(n)));
    }
    let what = crate::ui::view::cells::outside(&model.look.lang.trimmed(&first.what));
    let minus = if what.starts_with(|c: char| c.is_ascii_digit()) { model.look.glyphs.minus } else { "" };
    Some(format!("{minus}{what}{more}"))
}

fn total(model: &Model, columns: &Columns, table: &BudgetTable) -> Vec<Part<'static>> {
    let (words, look) = (model.words().context, &model.look);
    let (used, window) = (u64::from(table.total()), u64::from(table.window));
    let shown = if columns.budget > 0 { grouped(window) } else { String::new() };
    let mut parts = vec![part(Role::Base, columns.head(model, words.total, &grouped(used), &shown))];
    let mut share = percent(used, window);
    if columns.bar > 0 {
        parts.push(bar(look, used, window, columns.bar));
        share.insert_str(0, "  ");
    } else {
        share.insert(0, ' ');
    }
    parts.push(part(Role::Base, share));
    if columns.whole > usize::from(NARROW_TABLE) {
        parts.push(part(Role::Base, format!("  {}", words.free(&grouped(u64::from(table.free()))))));
    }
    parts
}
