//! Which slot is trimmed next: the decision about trimming, taken for rounds that are not there yet.
//!
//! Derived from the same rules as the trimming itself. Not to be assumed: that the rounds to come are as large as the
//! newest one, which is all that can be known of them.

use super::trim::{Lenders, Plan, Pressure, rounds};
use crate::run::budget_table::Slot;
use crate::run::message::{MessageRef, Speaker};

/// A request that is ready, and what of it gives way to the recent rounds.
pub(super) struct Ready<'a> {
    /// Its recent rounds.
    pub pressure: Pressure<'a>,
    /// What gives way.
    pub lenders: Lenders,
    /// Tokens of all of it, before anything gave way.
    pub total: u32,
    /// Tokens of the window.
    pub window: u32,
}

impl Ready<'_> {
    /// The slot from which something is taken next; none if there is no whole round yet, or nothing can be taken.
    pub(super) fn next(&self) -> Option<Slot> {
        let newest = rounds(self.pressure.messages);
        let replied = |m: &MessageRef| matches!(m.speaker, Speaker::Agent { .. });
        let growth = newest.iter().rev().find(|round| round.messages.iter().any(replied))?.tokens;
        let mut messages = self.pressure.messages.to_vec();
        let mut grown = 0_u32;
        for _ in 0..=self.pressure.context.fold_over {
            let seq = messages.last().map_or(0, |last| last.seq) + 1;
            messages.push(MessageRef { seq, speaker: Speaker::Agent { calls: 0 }, tokens: growth });
            grown = grown.saturating_add(growth);
            if let Some(slot) = self.after(&messages, grown) {
                return Some(slot);
            }
        }
        None
    }

    /// What is trimmed with these messages, that take so much more.
    fn after(&self, messages: &[MessageRef], grown: u32) -> Option<Slot> {
        let over = self.total.saturating_add(grown).saturating_sub(self.window);
        let left = self.lenders.memories(over).map_or(over, |given| given.over);
        let used = self.pressure.used.saturating_add(grown);
        let fits = over > 0 && left == 0;
        let pressure = Pressure { messages, used, over_window: left, fits, ..self.pressure };
        match pressure.plan() {
            Some(Plan::Fold(_) | Plan::Drop(_)) => Some(Slot::Recent),
            None if fits => Some(Slot::LongTerm),
            None => (over > 0).then_some(Slot::Summary).filter(|_| self.lenders.all(over).over == 0),
        }
    }
}
