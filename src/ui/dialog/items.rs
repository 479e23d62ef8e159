//! The items of a slot of the context: what stands in it in the request of a step, with tokens, and what was left out.
//!
//! All figures are those of the request that is shown; the panel may have a newer one by then.

use super::flow::Flow;
use super::long::Long;
use super::parts;
use super::scroll::Scroll;
use super::text::{TextDialog, page};
use super::{Dialog, Shown, Step};
use crate::context::{Named, SlotItem};
use crate::inspect::SlotItems;
use crate::run::budget_table::{Slot, SlotRow, Trim};
use crate::run::{RunId, StepNo};
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Cmd, Msg, Ticket};
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, Wrap, neutral, one_line};
use crate::ui::theme::Role;
use crate::ui::view::cells::{outside, said};
use crate::ui::view::context::{ours, selected};
use crate::ui::view::paint::Pen;
use crate::ui::words::numbers::grouped;
use ratatui::layout::Rect;
use std::time::Instant;

/// The dialog.
#[derive(Debug)]
pub struct ItemsDialog {
    run: RunId,
    step: StepNo,
    slot: Slot,
    ticket: Option<Ticket>,
    read: Option<Result<Box<SlotItems>, String>>,
    flow: Flow,
    scroll: Scroll,
}

impl ItemsDialog {
    /// The items of the selected slot in the newest request; none if nothing was asked yet.
    pub fn new(model: &Model) -> Option<Box<dyn Dialog>> {
        let view = model.view()?;
        let (run, step) = (view.state.run.clone(), view.asked.as_ref()?.step);
        let (flow, scroll) = (Flow::default(), Scroll::default());
        Some(Box::new(Self { run, step, slot: selected(model)?, ticket: None, read: None, flow, scroll }))
    }

    fn row(&self) -> Option<&SlotRow> {
        let read = self.read.as_ref()?.as_ref().ok()?;
        read.asked.table.rows.iter().find(|row| row.slot == self.slot)
    }

    fn prepare(&mut self, model: &Model) {
        let mut flow = Flow::default();
        match &self.read {
            None => flow.words(model.words().ask.loading, Role::Muted),
            Some(Err(why)) => {
                let why = outside(&model.look.lang.trouble(why));
                flow.words(&model.words().ask.cannot_rebuild(&why), Role::Danger);
            }
            Some(Ok(read)) => all(model, read, self.row(), &mut flow),
        }
        self.flow = flow;
    }
}

fn all(model: &Model, read: &SlotItems, row: Option<&SlotRow>, flow: &mut Flow) {
    let (words, look) = (&model.words().context, &model.look);
    let table = &read.asked.table;
    if let Some(why) = &read.differs {
        flow.words(&words.not_as_sent(&outside(&look.lang.trouble(why))), Role::Warn);
        flow.blank();
    }
    if let Some(over) = row.and_then(SlotRow::borrowed) {
        flow.words(&words.borrows_from(&ours(table, over)), Role::Base);
    }
    let went = |trim: &Trim| {
        let what = outside(&look.lang.trimmed(&trim.what));
        let tokens = ours(table, trim.tokens);
        match trim.is_shortened() {
            true => words.shortened_items(&what, &tokens),
            false => words.left_out(&what, &said(look, &trim.why), &tokens),
        }
    };
    for trim in row.into_iter().flat_map(|row| &row.trimmed) {
        flow.words(&format!("{} {}", look.glyphs.minus, went(trim)), Role::Warn);
    }
    if read.slot == Slot::Recent && row.is_none_or(|row| row.trimmed != table.since_start) {
        for trim in &table.since_start {
            flow.words(&words.since_start(&went(trim)), Role::Muted);
        }
    }
    if read.slot == Slot::Reserve {
        let most = grouped(u64::from(read.asked.parts.max_tokens));
        flow.words(&words.reserve_is(&most), Role::Base);
    } else if read.items.is_empty() {
        flow.words(words.no_items, Role::Muted);
    }
    for item in &read.items {
        if !flow.is_empty() {
            flow.blank();
        }
        let name = named(model, &item.named);
        flow.words(&words.with_tokens(&name, &ours(table, item.tokens)), Role::Accent);
        text(model, item, flow);
    }
    let rest = read.unattributed();
    if rest > 0 {
        flow.blank();
        flow.words(&words.unattributed(&ours(table, rest)), Role::Muted);
    }
}

fn text(model: &Model, item: &SlotItem, flow: &mut Flow) {
    let role = match item.slot {
        Slot::Goal => Role::Goal,
        Slot::Recent | Slot::LongTerm => Role::Data,
        Slot::System | Slot::Tools | Slot::Core | Slot::Summary | Slot::State | Slot::Reserve => Role::Base,
    };
    Long::of(item.text.trim_end()).add(model, flow, |flow, text| {
        neutral(text, Strength::Prose).lines.into_iter().for_each(|line| {
            flow.guttered("  ", "  ", line, role, Wrap::Words);
        });
    });
}

/// What an item is, neutral.
fn named(model: &Model, named: &Named) -> String {
    let (words, live) = (&model.words().context, &model.words().live);
    let name = |tool: &str| one_line(tool, Strength::Exact).shown();
    let fixed = match named {
        Named::Tool(tool) => return name(tool),
        Named::Result(tool) => return words.result_of(&name(tool)),
        Named::Dropped(tool) => return words.dropped_result(&name(tool)),
        Named::Rules => words.rules,
        Named::Instructions => words.instructions,
        Named::Preferences => words.preferences,
        Named::Goal => words.the_goal,
        Named::Core => words.the_core,
        Named::Summary => words.the_summary,
        Named::Opener => words.opener,
        Named::Agent => live.agent,
        Named::Person => live.you,
        Named::Wakeful => live.wakeful,
        Named::Note => words.lost_place,
        Named::Memories => words.long_term,
        Named::Progress => words.progress,
        Named::Checks => words.checks,
        Named::Plan => words.the_plan,
        Named::Questions => words.questions,
        Named::Facts => words.facts,
        Named::Superseded => words.superseded,
        Named::Done => words.done_earlier,
        Named::Asked => words.asked_for,
    };
    fixed.to_owned()
}

impl Dialog for ItemsDialog {
    fn live(&self) -> &'static [Ctx] {
        live::ITEMS
    }

    fn title(&self, model: &Model) -> (String, String) {
        let words = &model.words().context;
        let number = |n: u32| grouped(u64::from(n));
        let note = self.row().map(|row| words.of_budget(&number(row.used), &number(row.budget)));
        let slot = model.look.lang.slot(self.slot);
        (words.items_title(slot, u64::from(self.step)), note.unwrap_or_default())
    }

    fn rows(&self, _model: &Model, width: u16) -> u16 {
        self.flow.height(width).saturating_add(1)
    }

    fn columns(&self) -> u16 {
        100
    }

    fn draw(&self, model: &Model, area: Rect, pen: Pen<'_>) -> Shown {
        let request =
            parts::key(model, live::ITEMS, Action::RequestShow, model.words().context.exact_request);
        page(model, &self.flow, &self.scroll, area, pen, request)
    }

    fn drawn(&mut self, shown: Shown, _at: Instant) {
        self.scroll.was_drawn(shown);
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        match hit.action {
            Action::RequestShow => Step::Open(TextDialog::request(model, self.run.clone(), self.step)),
            action if self.scroll.act(action) => Step::Stay,
            _ => parts::not_here(model),
        }
    }

    fn told(&mut self, msg: &Msg, model: &mut Model) -> Step {
        if let Msg::Items(ticket, read) = msg
            && self.ticket.take_if(|own| own == ticket).is_some()
        {
            self.read = Some(read.clone());
            self.prepare(model);
        }
        Step::Stay
    }

    fn open(&mut self, model: &mut Model) -> Vec<Cmd> {
        let ticket = model.ticket();
        self.ticket = Some(ticket);
        self.prepare(model);
        vec![Cmd::Items(ticket, self.run.clone(), self.step, self.slot)]
    }
}
