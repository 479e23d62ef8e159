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

impl Trim {
    /// Why outputs are there only in part.
    pub const SHORTENED: &str = "shortened to fit the window";

    /// Why memories are left out that there was room for; the least score follows.
    pub const UNDER_SCORE: &str = "under score ";

    /// Whether a score kept it out.
    pub fn is_under_score(&self) -> bool {
        self.why.starts_with(Self::UNDER_SCORE)
    }

    /// Whether what it names is still there, in part.
    pub fn is_shortened(&self) -> bool {
        self.why == Self::SHORTENED
    }
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
    /// What was left out for this request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trimmed: Vec<Trim>,
}

impl SlotRow {
    /// Tokens over its budget, which others leave; none without.
    pub fn borrowed(&self) -> Option<u32> {
        self.used.checked_sub(self.budget).filter(|over| *over > 0)
    }
}

/// Least tokens that a guessed window leaves for work.
const WORK: u32 = 256;

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
    /// What has left the recent rounds since the run began; what left them for this request stands in its row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub since_start: Vec<Trim>,
    /// The slot that is trimmed next, if the rounds go on as the newest one; none if that cannot be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Slot>,
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

    /// A guess at the window of a server that refused this request with so much kept for the reply: four fifths of what it
    /// took, but no less than what is never trimmed needs. None if the request can become no smaller.
    pub fn smaller_window(&self, reply: u32) -> Option<u32> {
        let took = self.prompt().saturating_add(reply);
        let stays =
            [Slot::System, Slot::Tools, Slot::Goal, Slot::Core, Slot::State].map(|slot| self.used(slot));
        let stays = stays.iter().fold(WORK, |sum, used| sum.saturating_add(*used));
        // Beside it stand a sixteenth of the window for work and the reserve, of which a small window keeps a quarter.
        let whole = stays.saturating_add(self.used(Slot::Reserve)).saturating_mul(16) / 15;
        let least = whole.min(stays.saturating_mul(16) / 11);
        Some((took.saturating_mul(4) / 5).max(least)).filter(|window| *window < took)
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
        let table = BudgetTable {
            rows,
            window: 8_000,
            tokenizer: String::new(),
            exact: false,
            learnt: None,
            since_start: Vec::new(),
            next: None,
        };
        assert_eq!(table.message_room(), 5_000);
        let learnt = BudgetTable { learnt: Some(1_250), ..table };
        assert_eq!(learnt.message_room(), 4_000, "of estimates that the server counts a quarter higher");
    }

    #[test]
    fn a_guess_is_smaller_than_what_was_refused_and_leaves_room_for_what_stays() {
        let guess = |recent, reserve| {
            let row = |slot, used| SlotRow { slot, used, budget: used, items: 1, trimmed: Vec::new() };
            let rows = vec![row(Slot::System, 2_000), row(Slot::Recent, recent), row(Slot::Reserve, reserve)];
            let window = 32_768;
            let table = BudgetTable {
                rows,
                window,
                tokenizer: String::new(),
                exact: false,
                learnt: None,
                since_start: Vec::new(),
                next: None,
            };
            table.smaller_window(reserve)
        };
        assert_eq!(guess(7_000, 1_000), Some(8_000));
        assert_eq!(guess(1_500, 1_000), Some(3_600));
        assert_eq!(guess(1_000, 1_000), Some((2_256 * 16) / 11), "what stays is not cut");
        assert_eq!(guess(0, 512), None, "there is nothing to leave out");
        assert_eq!(guess(0, 4_096), Some(4_876), "but of what is kept for the reply there is");
    }
}
