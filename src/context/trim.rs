//! What leaves the window, and when. If a request is over the window: memories, the farthest first; the summary down to its
//! budget, in which it is always kept; of the recent rounds old outputs, then whole rounds, at last outputs of the newest;
//! those that the model has not read yet are only shortened. Recent rounds that are too many, or over their own budget
//! while all fits, are trimmed by themselves.
//!
//! Below its budget the summary goes only if nothing of the rounds can: it stands before them in the server's cache. With
//! half of it given before an old output is, a run of outputs of 200 to 1,000 tokens in a window of 8k kept 61 % of its
//! bytes from request to request; it keeps 72 % so.
//!
//! Each plan makes the history smaller for good (fewer rounds, or more dropped outputs), so that a chain of plans ends.
//! A plan that would gain next to nothing is not made. Trimming goes well below the budget at once: it changes bytes
//! that the server has in its cache, so it should happen seldom.

use crate::run::Seq;
use crate::run::budget_table::Slot;
use crate::run::figures::grouped;
use crate::run::message::{MessageRef, Speaker};
use crate::run::settings::ContextSettings;
use std::collections::BTreeMap;

/// Least tokens that folding has to take out of the recent rounds: the shortest summary costs some as well.
const MIN_GAIN: u32 = 64;
/// Tokens of a new output that are shown before memories and summary give way to it.
const LEAST: u32 = 400;
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
    /// Which.
    pub drops: Vec<Dropped>,
    /// Tokens that become free in all.
    pub freed: u32,
}

/// Outputs that take the same from then on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Seqs of the results.
    pub seqs: Vec<Seq>,
    /// Tokens each of them takes.
    pub tokens: u32,
    /// Characters that are still shown of each; none if nothing is.
    pub kept: Option<u32>,
}

/// What has to happen before a request can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// Fold.
    Fold(FoldPlan),
    /// Drop outputs.
    Drop(DropPlan),
}

/// Shortens a result to a number of tokens: how many characters of it stay, and the tokens that they take.
type Shorten<'a> = dyn Fn(&MessageRef, u32) -> Option<(u32, u32)> + 'a;

/// Tokens of what gives way to the recent rounds, and the budgets that it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lenders {
    /// Tokens of the memories.
    pub memories: u32,
    /// Budget of the long-term slot.
    pub memories_budget: u32,
    /// Tokens of the summary.
    pub summary: u32,
    /// Budget of the summary slot.
    pub summary_budget: u32,
}

/// Budgets of memories and summary once something of them gave way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// Budget of the long-term slot.
    pub memories: u32,
    /// Budget of the summary slot.
    pub summary: u32,
    /// Tokens that are still over the window, by these figures.
    pub over: u32,
}

impl Lenders {
    /// What the memories give before anything else does, if a request is over the window by so much; none if there are none.
    pub(super) fn memories(self, over: u32) -> Option<Given> {
        let given = over.min(self.memories);
        // With no budget at all they would not be told of as left out.
        let memories = (self.memories - given).max(1);
        (given > 0).then_some(Given { memories, summary: self.summary_budget, over: over - given })
    }

    /// What memories and summary give as the last thing.
    pub(super) fn all(self, over: u32) -> Given {
        let none = Given { memories: self.memories_budget, summary: self.summary_budget, over };
        let given = self.memories(over).unwrap_or(none);
        match given.over {
            0 => given,
            over => Given {
                summary: self.summary.saturating_sub(over),
                over: over.saturating_sub(self.summary),
                ..given
            },
        }
    }
}

/// What a decision about trimming is made of.
#[derive(Clone, Copy)]
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
    /// Tokens by which the whole request is over the window, though memories gave way.
    pub over_window: u32,
    /// True if that made it fit: then nothing goes but what is too many.
    pub fits: bool,
    /// Budget of the summary slot.
    pub summary: u32,
    /// Tokens of an output once it is dropped.
    pub dropped_tokens: &'a dyn Fn(Seq) -> u32,
    /// Shortens a result.
    pub shortened: &'a Shorten<'a>,
}

/// A round: its messages and their tokens.
pub(super) struct Round<'a> {
    pub(super) messages: &'a [MessageRef],
    pub(super) tokens: u32,
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
        if !over || self.fits {
            return None;
        }
        let (old, _) = rounds.split_at(rounds.len().saturating_sub(SPARED));
        let need = self.used - self.budget;
        if let Some(plan) = self.drop_of(old, need, self.used.saturating_sub(self.low_water())) {
            return Some(Plan::Drop(plan));
        }
        if let Some(fold) = self.fold(&rounds) {
            // If it would take a round whose outputs are spared, those go, and the round stays.
            let (read, _) = rounds.split_at(rounds.len().saturating_sub(1));
            let spared = self.keep(&rounds) < SPARED.min(rounds.len());
            let drop = spared.then(|| self.drop_of(read, need, self.used.saturating_sub(self.low_water())));
            return Some(drop.flatten().map_or(Plan::Fold(fold), Plan::Drop));
        }
        // Over its budget the slot may lend from others as long as all fits.
        let over = self.over_window;
        if over == 0 {
            return None;
        }
        // Then outputs go that the model has read, and those that it has not are shortened.
        self.drop_of(&rounds, over, over)
            .or_else(|| self.shorten(over, LEAST, true))
            .or_else(|| self.drop_of(&rounds, 1, over))
            .or_else(|| self.shorten(over, LEAST, false))
            .map(Plan::Drop)
    }

    /// What is left if the request is still over the window by so much though memories and summary gave way.
    pub(super) fn last_resort(&self, over: u32) -> Option<DropPlan> {
        self.shorten(over, 0, false)
    }

    /// Results that no request has shown yet.
    fn is_new(&self, message: &MessageRef) -> bool {
        let reply =
            self.messages.iter().filter(|m| matches!(m.speaker, Speaker::Agent { .. })).map(|m| m.seq);
        let result = matches!(message.speaker, Speaker::Result { .. });
        result && reply.max().is_none_or(|reply| message.seq > reply)
    }

    /// Shortens the biggest new outputs until `over` tokens are free, none to less than `least` tokens; none if that does
    /// not do and `enough` is asked for.
    fn shorten(&self, over: u32, least: u32, enough: bool) -> Option<DropPlan> {
        let new: Vec<&MessageRef> =
            self.messages.iter().filter(|m| self.is_new(m) && !self.dropped.contains_key(&m.seq)).collect();
        let all = new.iter().fold(0_u32, |sum, m| sum.saturating_add(m.tokens));
        let level = level(new.iter().map(|m| m.tokens).collect(), all.saturating_sub(over));
        if enough && (level < least || all < over) {
            return None;
        }
        let mut plan = DropPlan { drops: Vec::new(), freed: 0 };
        for message in new.iter().filter(|m| m.tokens > level.max(least)) {
            if let Some((kept, tokens)) = (self.shortened)(message, level.max(least)) {
                plan.freed = plan.freed.saturating_add(message.tokens - tokens);
                plan.drops.push(Dropped { seqs: vec![message.seq], tokens, kept: Some(kept) });
            }
        }
        let done = if enough { plan.freed >= over } else { plan.freed > 0 };
        done.then_some(plan)
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
            .filter(|m| !self.is_new(m))
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
        let drops = seqs.into_iter().map(|(tokens, seqs)| Dropped { seqs, tokens, kept: None });
        let drops: Vec<Dropped> = drops.collect();
        (freed >= need && !drops.is_empty()).then_some(DropPlan { drops, freed })
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

/// What each may take at most so that all take no more than `goal` together.
pub(super) fn level(mut tokens: Vec<u32>, goal: u32) -> u32 {
    tokens.sort_unstable();
    let (mut left, mut goal) = (u32::try_from(tokens.len()).unwrap_or(u32::MAX), goal);
    for tokens in tokens {
        if tokens > goal / left.max(1) {
            break;
        }
        goal -= tokens;
        left -= 1;
    }
    goal / left.max(1)
}

pub(super) fn rounds(messages: &[MessageRef]) -> Vec<Round<'_>> {
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

/// Words for a slot that is too big: what it is and what helps; `likes` if preferences stand in the system part.
pub(super) fn too_big_words(slot: Slot, used: u32, window: u32, likes: bool) -> String {
    let (what, help) = match slot {
        Slot::System if likes => (
            "the system part (rules, workspace instructions and preferences)",
            "shorten AGENTS.md of the workspace, remove preferences (`wakeful memory rm`) or take a model with a larger \
             window",
        ),
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
    let (used, window) = (grouped(used.into()), grouped(window.into()));
    format!(
        "The context does not fit: {what} takes {used} of the window's {window} tokens (slot {}). To go on, {help}.",
        slot.word()
    )
}
