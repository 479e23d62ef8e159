//! What a message of a person, or a goal, may take, so that the request that it goes into can be made.
//!
//! Derived from the context table: the fixed part and what is made anew each time stand as they are; of the history as
//! much is folded as can be. Not to be assumed: that a message of this size leaves room for long work. It stays word for
//! word, and replies come after it.

use super::assemble::{NotCreated, table_of};
use super::budget::{Layout, least};
use super::calibrate;
use super::count::Count;
use super::texts::Texts;
use crate::run::budget_table::{BudgetTable, Slot};
use crate::run::calibration::scaled;
use crate::run::figures::grouped;
use crate::run::{Goal, Purpose, RunState};

/// Most tokens of a message with its framing; none if not even the fixed part fits, whatever is said.
///
/// # Errors
/// [`NotCreated`] for a run without its first event.
pub fn message_room(state: &RunState, texts: &Texts, count: &Count) -> Result<Option<u32>, NotCreated> {
    Ok(table_of(state, texts, count)?.map(|table| table.message_room()))
}

/// Words for a goal that the window cannot take, if it cannot: it is never cut, and no work would fit beside it. Where not
/// even the goal in force fits, only one that takes more than any other slot is to blame.
pub fn goal_too_large(state: &RunState, goal: &Goal, texts: &Texts, count: &Count) -> Option<String> {
    let (settings, factor) = (calibrate::own(state)?, state.ledger.factor());
    let window = settings.model.window;
    let mut with = state.clone();
    with.path.supersede(goal.clone(), state.head.seq.saturating_add(1));
    let laid_out = |state: &RunState| Layout::of(state, &settings, texts, Purpose::Turn, count);
    let layout = laid_out(&with);
    let (slot, _) = layout.too_big(window)?;
    if slot != Slot::Goal && laid_out(state).too_big(window).is_some() {
        return None;
    }
    let room = goal_room_of(window).saturating_sub(layout.used.beside_the_goal());
    let (used, room) = (scaled(layout.used.goal, factor), scaled(room, factor));
    let window = grouped(state.settings()?.model.window.into());
    let (used, room) = (grouped(used.into()), grouped(room.into()));
    Some(format!(
        "the goal takes about {used} tokens of the window's {window}, and is never cut; {room} are left beside what else always stands there: shorten it, or put the details into a file and name that"
    ))
}

/// About how many tokens a goal may take, by the table of a request: beside the rest of the fixed part, which stays as it
/// is. Where not even the goal in force fits, one that is smaller than another slot is not what makes that too big.
pub fn goal_room(table: &BudgetTable) -> u32 {
    let others = [Slot::System, Slot::Tools, Slot::Reserve].map(|slot| table.used(slot));
    let core = table.used(Slot::Core);
    let sum = others.iter().fold(core, |sum, used| sum.saturating_add(*used));
    let room = goal_room_of(table.window).saturating_sub(sum);
    let largest = others.into_iter().max().unwrap_or(0);
    table.estimated(if table.used(Slot::Goal) <= room { room } else { room.max(largest) })
}

/// Most tokens that a goal may take in a window of which nothing else is known.
pub fn goal_room_of(window: u32) -> u32 {
    window.saturating_sub(least(window))
}

/// Words for a message that is too large.
pub fn message_too_large(tokens: u32, room: u32) -> String {
    let (tokens, room) = (grouped(tokens.into()), grouped(room.into()));
    format!(
        "it takes about {tokens} tokens, and at most {room} fit beside what always stands in the window: shorten it, or put the details into a file and name that"
    )
}

#[cfg(test)]
mod tests {
    use super::super::trim::too_big_message;
    use super::*;

    #[test]
    fn figures_of_refusals_have_commas() {
        let said = message_too_large(12_345, 1_000);
        assert!(said.starts_with("it takes about 12,345 tokens, and at most 1,000 fit"), "{said}");
        let said = too_big_message(40_000, 32_768);
        assert!(said.contains("takes 40,000 of the window's 32,768 tokens"), "{said}");
    }
}
