//! What one slot of a past request holds, item by item, with the budget table that was decided on.
//!
//! Derived like the exact request of the step, from the state right before it went out; where that cannot be rebuilt as
//! it was sent, the items say so.

use super::asked::{Asked, asked};
use super::error::InspectError;
use super::past_request::rebuilt;
use crate::context::{SlotItem, items};
use crate::run::budget_table::Slot;
use crate::run::{RunId, StepRef};
use crate::store::{Store, TextCache};
use crate::tokens;

/// The items of a slot.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotItems {
    /// The request.
    pub asked: Asked,
    /// The slot.
    pub slot: Slot,
    /// Its items, in prompt order; none in the reserve.
    pub items: Vec<SlotItem>,
    /// How the rebuilt request differs from what was sent; none if it is the same.
    pub differs: Option<String>,
}

impl SlotItems {
    /// Tokens of the slot that are in none of its items: frames between them.
    pub fn unattributed(&self) -> u32 {
        if self.slot == Slot::Reserve {
            return 0;
        }
        let own = self.items.iter().fold(0_u32, |sum, item| sum.saturating_add(item.tokens));
        self.asked.table.used(self.slot).saturating_sub(own)
    }
}

/// The items of a slot in the request of a step, or in the newest one.
///
/// # Errors
/// [`InspectError::NothingAsked`], and those of [`asked`].
pub async fn slot_items(
    store: &Store,
    run: &RunId,
    step: Option<StepRef>,
    slot: Slot,
) -> Result<SlotItems, InspectError> {
    let nothing = || InspectError::NothingAsked { run: run.clone() };
    let asked = asked(store, run, step).await?.ok_or_else(nothing)?;
    let state = store.state_at(run, asked.seq.saturating_sub(1)).await?;
    let settings = state.settings().ok_or_else(nothing)?;
    let texts = TextCache::default().load(store, &state).await?;
    let counter = tokens::counter_of(&settings.model);
    let all = items(&state, &texts, asked.purpose, &|text| counter.count(text))
        .map_err(|error| InspectError::NoContext { run: run.clone(), why: error.to_string() })?;
    let differs = rebuilt(store, asked.clone(), run).await?.differs;
    let items = all.into_iter().filter(|item| item.slot == slot).collect();
    Ok(SlotItems { asked, slot, items, differs })
}
