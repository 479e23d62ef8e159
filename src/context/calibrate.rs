//! Estimates against what a model's server counts: decisions are made in the tokens of our own counter, in a window that is
//! made smaller or larger by what was learnt; what is shown and sent is put back into the model's tokens.
//!
//! So the tokens that were recorded with each message stay what they are, and a request can be rebuilt: the factor is
//! folded from the journal. Exact counters have none.

use super::assemble::Assembled;
use crate::run::RunState;
use crate::run::budget_table::{BudgetTable, Slot};
use crate::run::calibration::{NEUTRAL, scaled, unscaled};
use crate::run::settings::ModelSettings;
use std::sync::Arc;

/// Lost by rounding up in each of nine slots, and once more.
const SLACK: u32 = 10;

/// The state with its window in tokens of our own counter; none if those are the model's.
pub(super) fn own(state: &RunState) -> Option<RunState> {
    let factor = state.ledger.factor();
    let settings = state.ledger.settings.as_ref().filter(|_| factor != NEUTRAL)?;
    let mut settings = settings.as_ref().clone();
    let model = &mut settings.model;
    model.window = unscaled(model.window, factor).saturating_sub(SLACK);
    model.reserve = unscaled(model.reserve, factor).saturating_add(1);
    let mut own = state.clone();
    own.ledger.settings = Some(Arc::new(settings));
    Some(own)
}

/// A request that was made for [`own`], in the model's tokens.
pub(super) fn request(mut own: Assembled, model: &ModelSettings, factor: u32) -> Assembled {
    own.table = table(own.table, model, factor);
    let room = model.window.saturating_sub(own.table.prompt());
    own.limit_reply(model.reserve.min(room));
    own
}

/// A request beside the conversation, likewise.
pub(super) fn aside(mut own: Assembled, model: &ModelSettings, factor: u32) -> Assembled {
    let most = scaled(own.max_tokens, factor).min(model.window / 4);
    own.table = table(own.table, model, factor);
    own.table.set_reserve(most);
    own.limit_reply(most);
    own
}

/// A table in the model's tokens. Its budgets add up to the window.
pub(super) fn table(mut table: BudgetTable, model: &ModelSettings, factor: u32) -> BudgetTable {
    for row in &mut table.rows {
        row.used = scaled(row.used, factor);
        row.budget = scaled(row.budget, factor);
        for trim in &mut row.trimmed {
            trim.tokens = scaled(trim.tokens, factor);
        }
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
