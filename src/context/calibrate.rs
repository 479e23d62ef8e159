//! Estimates against what a model's server counts: decisions are made in the tokens of our own counter, in a window that is
//! made smaller or larger by what was learnt; what is shown and sent is put back into the model's tokens.
//!
//! So the tokens that were recorded with each message stay what they are, and a request can be rebuilt: the factor is
//! folded from the journal. Exact counters have none.

use super::assemble::Assembled;
use crate::run::RunState;
use crate::run::budget_table::{BudgetTable, Slot};
use crate::run::calibration::{NEUTRAL, scaled, unscaled};
use crate::run::settings::{ModelSettings, Settings};
use std::borrow::Cow;

/// Lost by rounding up in each of nine slots, and once more.
const SLACK: u32 = 10;

/// The run's settings with the window in tokens of our own counter; none before its first event.
pub(super) fn own(state: &RunState) -> Option<Cow<'_, Settings>> {
    let (settings, factor) = (state.settings()?, state.ledger.factor());
    if factor == NEUTRAL {
        return Some(Cow::Borrowed(settings));
    }
    let mut settings = settings.clone();
    let model = &mut settings.model;
    model.window = unscaled(model.window, factor).saturating_sub(SLACK);
    model.reserve = unscaled(model.reserve, factor).saturating_add(1);
    Some(Cow::Owned(settings))
}

/// A request that was made for [`own`], in the model's tokens.
pub(super) fn request(mut own: Assembled, model: &ModelSettings, factor: u32) -> Assembled {
    if factor == NEUTRAL {
        return own;
    }
    own.table = table(own.table, model, factor);
    let room = model.window.saturating_sub(own.table.prompt());
    own.limit_reply(model.reserve.min(room));
    own
}

/// A request beside the conversation, likewise.
pub(super) fn aside(mut own: Assembled, model: &ModelSettings, factor: u32) -> Assembled {
    if factor == NEUTRAL {
        return own;
    }
    let most = scaled(own.max_tokens, factor).min(model.window / 4);
    own.table = table(own.table, model, factor);
    own.table.set_reserve(most);
    own.limit_reply(most);
    own
}

/// A table in the model's tokens. Its budgets add up to the window.
pub(super) fn table(mut table: BudgetTable, model: &ModelSettings, factor: u32) -> BudgetTable {
    if factor == NEUTRAL {
        return table;
    }
    for row in &mut table.rows {
        row.used = scaled(row.used, factor);
        row.budget = scaled(row.budget, factor);
        for trim in &mut row.trimmed {
            trim.tokens = scaled(trim.tokens, factor);
        }
    }
    for trim in &mut table.since_start {
        trim.tokens = scaled(trim.tokens, factor);
    }
    table.window = model.window;
    table.learnt = Some(factor);
    table.set_reserve(model.reserve);
    let budgets = table.rows.iter().fold(0_u32, |sum, row| sum.saturating_add(row.budget));
    if let Some(recent) = table.rows.iter_mut().find(|row| row.slot == Slot::Recent && row.budget > 0) {
        recent.budget = recent.budget.saturating_add(model.window.saturating_sub(budgets));
    }
    table
}
