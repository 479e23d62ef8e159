//! The context budget table: the one source for what is shown and what is decided. Slots sum to the total; every
//! token is in exactly one slot.

use super::calibration::{NEUTRAL, unscaled};
use serde::{Deserialize, Serialize};

/// A part of the context, in prompt order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slot {
    /// Role, rules, output format, workspace instructions.
    System,
    /// Tool schemas.
    Tools,
    /// The pinned goal.
    Goal,
    /// The goal keeper's sentences.
    Core,
    /// Older rounds, summarised.
    Summary,
    /// The last rounds.
    Recent,
    /// Retrieved memories.
    LongTerm,
    /// Structured state: facts, questions, plan.
    State,
    /// Kept for the reply.
    Reserve,
}

impl Slot {
    /// All slots in prompt order.
    pub const ALL: [Slot; 9] = [
        Slot::System,
        Slot::Tools,
        Slot::Goal,
        Slot::Core,
        Slot::Summary,
        Slot::Recent,
        Slot::LongTerm,
        Slot::State,
        Slot::Reserve,
    ];

    /// The word used in JSON and on screens.
    pub fn word(self) -> &'static str {
        match self {
            Slot::System => "system",
            Slot::Tools => "tools",
            Slot::Goal => "goal",
            Slot::Core => "core",
            Slot::Summary => "summary",
            Slot::Recent => "recent",
            Slot::LongTerm => "long-term",
            Slot::State => "state",
            Slot::Reserve => "reserve",
        }
    }
}

/// What was left out of a slot, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trim {
    /// What went, in words: "2 rounds".
    pub what: String,
    /// Why: "over the budget".
    pub why: String,
    /// Tokens it would have taken.
    pub tokens: u32,
}

/// A number with its noun: "2 rounds", "1 round", "1 memory".
pub fn so_many(n: usize, many: &str) -> String {
    let one = || match many.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => many.strip_suffix('s').unwrap_or(many).to_owned(),
    };
    if n == 1 { format!("1 {}", one()) } else { format!("{n} {many}") }
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotRow {
    /// The slot.
    pub slot: Slot,
    /// Tokens used.
    pub used: u32,
    /// Tokens allowed.
    pub budget: u32,
    /// Things in it: messages, tools, facts.
    pub items: u32,
    /// What was left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trimmed: Vec<Trim>,
}

/// The table of one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetTable {
    /// Rows in prompt order, all slots.
    pub rows: Vec<SlotRow>,
    /// The model's window, tokens.
    pub window: u32,
    /// Name of the tokenizer that counted; behind a colon, the hash of its file.
    pub tokenizer: String,
    /// False if the figures are estimates.
    pub exact: bool,
    /// What the estimates were multiplied by, thousandths, as was learnt of this model; none if by nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learnt: Option<u32>,
}

impl BudgetTable {
    /// Tokens of all slots, the reserve included.
    pub fn total(&self) -> u32 {
        self.rows.iter().fold(0, |sum, row| sum.saturating_add(row.used))
    }

    /// Name of the tokenizer, for people.
    pub fn counted_by(&self) -> &str {
        self.tokenizer.split_once(':').map_or(self.tokenizer.as_str(), |(name, _)| name)
    }

    /// Tokens of the prompt: the total without the reserve.
    pub fn prompt(&self) -> u32 {
        self.total().saturating_sub(self.used(Slot::Reserve))
    }

    /// Tokens used by one slot.
    pub fn used(&self, slot: Slot) -> u32 {
        self.rows.iter().filter(|row| row.slot == slot).fold(0, |sum, row| sum.saturating_add(row.used))
    }

    /// Most tokens of one message of a person, by the counter alone: the window without the other slots as they are. The rounds before it can
    /// be folded, into a summary that takes its budget at most.
    pub fn message_room(&self) -> u32 {
        let budget = self.rows.iter().find(|row| row.slot == Slot::Summary).map_or(0, |row| row.budget);
        let history = self.used(Slot::Summary).saturating_add(self.used(Slot::Recent));
        let summary = if history > 0 { budget } else { 0 };
        let others = self.total().saturating_sub(history).saturating_add(summary);
        self.estimated(self.window.saturating_sub(others))
    }

    /// So many tokens of the table in those of the counter that made it, before what was learnt of the model.
    pub fn estimated(&self, tokens: u32) -> u32 {
        unscaled(tokens, self.learnt.unwrap_or(NEUTRAL))
    }

    /// Sets what is kept for the reply.
    pub fn set_reserve(&mut self, tokens: u32) {
        for row in self.rows.iter_mut().filter(|row| row.slot == Slot::Reserve) {
            (row.used, row.budget) = (tokens, tokens);
        }
    }

    /// Tokens of the window that are not used.
    pub fn free(&self) -> u32 {
        self.window.saturating_sub(self.total())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_message_may_take_is_told_by_the_counter_that_counts_it() {
        let row = |slot, used| SlotRow { slot, used, budget: used, items: 1, trimmed: Vec::new() };
        let rows = vec![row(Slot::System, 2_000), row(Slot::Reserve, 1_000)];
        let table = BudgetTable { rows, window: 8_000, tokenizer: String::new(), exact: false, learnt: None };
        assert_eq!(table.message_room(), 5_000);
        let learnt = BudgetTable { learnt: Some(1_250), ..table };
        assert_eq!(learnt.message_room(), 4_000, "of estimates that the server counts a quarter higher");
    }
}
