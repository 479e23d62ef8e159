//! What leaves the window, and when: old outputs first, then whole rounds, at last outputs of the newest rounds.
//!
//! Each plan makes the history smaller for good (fewer rounds, or more dropped outputs), so that a chain of plans ends.
//! A plan that would gain next to nothing is not made. Trimming goes well below the budget at once: it changes bytes
//! that the server has in its cache, so it should happen seldom.

use crate::run::Seq;
use crate::run::budget_table::Slot;
use crate::run::message::{MessageRef, Speaker};
use crate::run::settings::ContextSettings;
use std::collections::BTreeMap;

/// Least tokens that folding has to take out of the recent rounds: the shortest summary costs some as well.
const MIN_GAIN: u32 = 64;
/// Newest rounds whose outputs are spared as long as that is possible.
const SPARED: usize = 2;

/// The oldest rounds are to be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldPlan {
    /// Messages up to this seq go.
    pub upto: Seq,
    /// Rounds among them; 0 if only results that had lost their calls go.
    pub rounds: u32,
    /// Tokens that they take now.
    pub tokens: u32,
}

/// Outputs are not to be shown any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropPlan {
    /// Seqs of the results, by the tokens that each of them takes from then on.
    pub seqs: BTreeMap<u32, Vec<Seq>>,
    /// Tokens that become free in all.
    pub freed: u32,
}

/// What has to happen before a request can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// Fold.
    Fold(FoldPlan),
    /// Drop outputs.
    Drop(DropPlan),
}

/// What a decision about trimming is made of.
pub(super) struct Pressure<'a> {
    /// Unfolded messages.
    pub messages: &'a [MessageRef],
    /// Results that are dropped already.
    pub dropped: &'a BTreeMap<Seq, u32>,
    /// How the context is kept.
    pub context: &'a ContextSettings,
    /// Tokens of the recent slot as rendered.
    pub used: u32,
    /// Its budget.
    pub budget: u32,
    /// Tokens by which the whole request is over the window.
    pub over_window: u32,
    /// Budget of the summary slot.
    pub summary: u32,
    /// Tokens of an output once it is dropped.
    pub dropped_tokens: &'a dyn Fn(Seq) -> u32,
}

/// A round: its messages and their tokens.
struct Round<'a> {
    messages: &'a [MessageRef],
    tokens: u32,
}

impl Pressure<'_> {
    /// The plan, if there is something to do and a way to do it.
    pub(super) fn plan(&self) -> Option<Plan> {
        let rounds = rounds(self.messages);
        let too_many = rounds.len() > usize::try_from(self.context.fold_over.max(1)).unwrap_or(usize::MAX);
        let over = self.used > self.budget;
        if too_many && let Some(fold) = self.fold(&rounds) {
            return Some(Plan::Fold(fold));
        }
        if !over {
            return None;
        }
        let (old, _) = rounds.split_at(rounds.len().saturating_sub(SPARED));
        let need = self.used - self.budget;
        if let Some(plan) = self.drop_of(old, need, self.used.saturating_sub(self.low_water())) {
            return Some(Plan::Drop(plan));
        }
        if let Some(fold) = self.fold(&rounds) {
            return Some(Plan::Fold(fold));
        }
        // Over its budget the slot may lend from others as long as all fits; then the newest outputs go.
        if self.over_window == 0 {
            return None;
        }
        self.drop_of(&rounds, self.over_window, self.over_window).map(Plan::Drop)
    }

    /// What trimming under pressure goes down to.
    fn low_water(&self) -> u32 {
        self.budget / 3 * 2
    }

    /// Drops the biggest outputs of some rounds until `want` tokens are free; none if not even `need` can be.
    fn drop_of(&self, rounds: &[Round], need: u32, want: u32) -> Option<DropPlan> {
        let mut candidates: Vec<(u32, Seq, u32)> = rounds
            .iter()
            .flat_map(|round| round.messages)
            .filter(|m| matches!(m.speaker, Speaker::Result { .. }) && !self.dropped.contains_key(&m.seq))
            .map(|m| (m, (self.dropped_tokens)(m.seq)))
            .filter(|(m, left)| m.tokens > left.saturating_mul(2))
            .map(|(m, left)| (m.tokens - left, m.seq, left))
            .collect();
        candidates.sort_by_key(|(gain, seq, _)| (std::cmp::Reverse(*gain), *seq));
        let mut freed = 0_u32;
        let mut seqs: BTreeMap<u32, Vec<Seq>> = BTreeMap::new();
        for (gain, seq, left) in candidates {
            if freed >= want {
                break;
            }
            freed = freed.saturating_add(gain);
            seqs.entry(left).or_default().push(seq);
        }
        seqs.values_mut().for_each(|seqs| seqs.sort_unstable());
        (freed >= need && !seqs.is_empty()).then_some(DropPlan { seqs, freed })
    }

    fn fold(&self, rounds: &[Round]) -> Option<FoldPlan> {
        let last = rounds.len().checked_sub(1)?;
        let wanted = rounds.len().saturating_sub(self.keep(rounds));
        // Fewer if the wanted place is not possible, then more.
        let cut =
            (1..=wanted.min(last)).rev().chain(wanted + 1..=last).find(|cut| self.may_cut(rounds, *cut))?;
        let folded = rounds.get(..cut)?;
        let tokens = sum(folded);
        let person = last_person(rounds).filter(|at| *at < cut).and_then(|at| rounds.get(at));
        // A person's last words go on taking their tokens, in the summary.
        let gain = tokens.saturating_sub(person.map_or(0, |round| round.tokens));
        if gain < MIN_GAIN {
            return None;
        }
        let upto = folded.iter().flat_map(|r| r.messages).map(|m| m.seq).max()?;
        let count = folded.iter().flat_map(|r| r.messages).filter(|m| m.begins_round()).count();
        Some(FoldPlan { upto, rounds: u32::try_from(count).unwrap_or(u32::MAX), tokens })
    }

    /// Rounds that stay: `fold_keep`, or as many as fit, but always the last.
    fn keep(&self, rounds: &[Round]) -> usize {
        let most = usize::try_from(self.context.fold_keep).unwrap_or(usize::MAX);
        let mut keep = most.min(rounds.len().saturating_sub(1)).max(1);
        while keep > 1 && sum(rounds.get(rounds.len() - keep..).unwrap_or_default()) > self.low_water() {
            keep -= 1;
        }
        keep
    }

    /// True if rounds before `cut` can go: a fold names one seq, so no message that stays may be older than one that
    /// goes; and a person's last words stay where they are if the summary could not carry them.
    fn may_cut(&self, rounds: &[Round], cut: usize) -> bool {
        let (gone, kept) = rounds.split_at(cut.min(rounds.len()));
        let newest = gone.iter().flat_map(|r| r.messages).map(|m| m.seq).max();
        let oldest = kept.iter().flat_map(|r| r.messages).map(|m| m.seq).min();
        let ordered = newest.zip(oldest).is_some_and(|(newest, oldest)| newest < oldest);
        let fits = match last_person(rounds) {
            Some(at) if at < cut => rounds.get(at).is_some_and(|round| round.tokens <= self.summary / 2),
            Some(_) | None => true,
        };
        ordered && fits
    }
}

fn rounds(messages: &[MessageRef]) -> Vec<Round<'_>> {
    let mut starts: Vec<usize> =
        messages.iter().enumerate().filter(|(i, m)| *i == 0 || m.begins_round()).map(|(i, _)| i).collect();
    starts.push(messages.len());
    starts
        .iter()
        .zip(starts.iter().skip(1))
        .filter_map(|(from, to)| {
            let messages = messages.get(*from..*to)?;
            let tokens = messages.iter().fold(0_u32, |sum, m| sum.saturating_add(m.tokens));
            (!messages.is_empty()).then_some(Round { messages, tokens })
        })
        .collect()
}

fn last_person(rounds: &[Round]) -> Option<usize> {
    rounds.iter().rposition(|round| round.messages.iter().any(|m| m.speaker == Speaker::Person))
}

fn sum(rounds: &[Round]) -> u32 {
    rounds.iter().fold(0, |sum, round| sum.saturating_add(round.tokens))
}

/// Words for a slot that is too big: what it is and what helps.
pub(super) fn too_big_words(slot: Slot, used: u32, window: u32) -> String {
    let (what, help) = match slot {
        Slot::System => (
            "the system part (rules and workspace instructions)",
            "shorten AGENTS.md of the workspace or take a model with a larger window",
        ),
        Slot::Tools => (
            "the schemas of the tools",
            "offer fewer tools (`[tools.NAME] enabled = false`) or take a model with a larger window",
        ),
        Slot::Goal => (
            "the goal",
            "shorten it and point to a file for the details, or take a model with a larger window",
        ),
        Slot::Core | Slot::LongTerm => ("a part of the context", "take a model with a larger window"),
        Slot::Summary => ("the summary", "lower its share or take a model with a larger window"),
        Slot::Recent => (
            "the newest rounds, of which nothing more can be left out,",
            "take a model with a larger window, or roll back and ask for smaller steps",
        ),
        Slot::State => ("the state", "lower its share or take a model with a larger window"),
        Slot::Reserve => ("the reserve for the reply", "lower the reserve or raise the window"),
    };
    not_fitting(slot, what, used, window, help)
}

/// Words for a message of the person that leaves too little room for all else.
pub(super) fn too_big_message(tokens: u32, window: u32) -> String {
    not_fitting(
        Slot::Recent,
        "your message, which stays word for word,",
        tokens,
        window,
        "roll back to before it and write it shorter, or take a model with a larger window",
    )
}

fn not_fitting(slot: Slot, what: &str, used: u32, window: u32, help: &str) -> String {
    format!(
        "The context does not fit: {what} takes {used} of the window's {window} tokens (slot {}). To go on, {help}.",
        slot.word()
    )
}
