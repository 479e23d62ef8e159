//! How the lines of the state share its budget, and how the model is told what was left out.
//!
//! What binds the next step takes what it needs; plan, questions and facts share the rest fairly, so that a long plan leaves
//! room for facts, and what one of them does not need goes to the others. What was done has what they leave.

use super::count::Count;
use super::state_text::{Group, Line};
use super::trim::level;
use crate::run::RunState;
use crate::run::budget_table::so_many;
use crate::run::plan::PlanState;

/// The lines of one kind.
struct Wants {
    group: Group,
    /// Tokens of the title.
    title: u32,
    /// Tokens of the words about what is left out, at most.
    mark: u32,
    /// Places of its lines, the most important first, with their tokens.
    lines: Vec<(usize, u32)>,
}

/// What one kind gets.
#[derive(Default)]
struct Taken {
    lines: Vec<usize>,
    used: u32,
}

/// What stands in the state.
pub(super) struct Kept {
    /// Places of the lines.
    pub lines: Vec<usize>,
    /// Kinds that have a title.
    pub groups: Vec<Group>,
}

impl Kept {
    /// All lines.
    pub(super) fn all(lines: &[Line]) -> Self {
        let groups = Group::ALL.into_iter().filter(|group| lines.iter().any(|line| line.group == *group));
        Self { lines: (0..lines.len()).collect(), groups: groups.collect() }
    }

    /// Those that fit into `budget` tokens.
    pub(super) fn within(budget: u32, lines: &[Line], state: &RunState, count: &Count) -> Self {
        let wants: Vec<Wants> =
            Group::ALL.into_iter().filter_map(|group| Wants::of(group, lines, state, count)).collect();
        let (first, shared): (Vec<&Wants>, Vec<&Wants>) =
            wants.iter().partition(|wants| matches!(wants.group, Group::Goal | Group::Checks));
        let mut left = budget;
        let mut all: Vec<(Group, Taken)> = Vec::new();
        for wants in first {
            let taken = wants.take(left);
            left = left.saturating_sub(taken.used);
            all.push((wants.group, taken));
        }
        // What was done can be seen again; what was found and planned cannot.
        let (done, shared): (Vec<&Wants>, Vec<&Wants>) =
            shared.into_iter().partition(|wants| wants.group == Group::Done);
        let level = level(shared.iter().map(|wants| wants.all()).collect(), left);
        let mut shares: Vec<Taken> = shared.iter().map(|wants| wants.take(level.min(left))).collect();
        left = shares.iter().fold(left, |left, taken| left.saturating_sub(taken.used));
        // Lines are whole, so some of each share is over.
        for (wants, taken) in shared.iter().zip(&mut shares) {
            let most = taken.used.saturating_add(left);
            *taken = wants.take(most);
            left = most.saturating_sub(taken.used);
        }
        all.extend(shared.iter().map(|wants| wants.group).zip(shares));
        all.extend(done.iter().map(|wants| (wants.group, wants.take(left))));
        let groups = all.iter().filter(|(_, taken)| taken.used > 0).map(|(group, _)| *group).collect();
        Self { lines: all.into_iter().flat_map(|(_, taken)| taken.lines).collect(), groups }
    }
}

impl Wants {
    fn of(group: Group, lines: &[Line], state: &RunState, count: &Count) -> Option<Self> {
        let of_group = lines.iter().enumerate().filter(|(_, line)| line.group == group);
        let of_group: Vec<(usize, u32)> = of_group.map(|(at, line)| (at, line.tokens)).collect();
        let mark = mark(group, of_group.len(), of_group.len());
        let mark = if mark.is_empty() { 0 } else { count(&mark) };
        let title = count(&group.title(state));
        (!of_group.is_empty()).then_some(Self { group, title, mark, lines: of_group })
    }

    /// Tokens of all of it.
    fn all(&self) -> u32 {
        self.lines.iter().fold(self.title, |sum, (_, tokens)| sum.saturating_add(*tokens))
    }

    /// What stands of it in so many tokens: all, or with words about the rest as many lines as fit.
    fn take(&self, most: u32) -> Taken {
        if self.all() <= most {
            return Taken { lines: self.lines.iter().map(|(at, _)| *at).collect(), used: self.all() };
        }
        let mut taken = Taken { lines: Vec::new(), used: self.title.saturating_add(self.mark) };
        for (at, tokens) in &self.lines {
            let used = taken.used.saturating_add(*tokens);
            if used <= most {
                taken.used = used;
                taken.lines.push(*at);
            }
        }
        let says = self.mark > 0 || !taken.lines.is_empty();
        if taken.used <= most && says { taken } else { Taken::default() }
    }
}

/// Words for so many lines that are left out, some of them sub-goals that are reached; empty if there are none.
pub(super) fn mark(group: Group, gone: usize, reached: usize) -> String {
    if gone == 0 {
        return String::new();
    }
    let rest = match group {
        Group::Goal => return String::new(),
        Group::Checks => so_many(gone, "more checks"),
        Group::Plan => format!(
            "{} ({reached} done). They stand; a `plan` without them takes them away, and its result names them",
            so_many(gone, "more items")
        ),
        Group::Questions => format!("{}, still open", so_many(gone, "older questions")),
        Group::Facts => so_many(gone, "older facts"),
        Group::Done => so_many(gone, "older calls"),
    };
    format!("- … not shown: {rest}\n")
}

/// The plan's items, what matters most first: what is under way, what comes after it, what was left before it, and of
/// what is reached the nearest.
pub(super) fn plan_order(state: &RunState) -> Vec<usize> {
    let plan = &state.path.plan;
    let active = plan.iter().position(|item| item.state == PlanState::Active);
    let here = active.or_else(|| plan.iter().position(|item| item.state != PlanState::Done)).unwrap_or(0);
    let mut order: Vec<(u8, usize, usize)> = plan
        .iter()
        .enumerate()
        .map(|(at, item)| match item.state {
            PlanState::Active => (0, at, at),
            PlanState::Done => (3, at.abs_diff(here), at),
            PlanState::Pending | PlanState::Failed | PlanState::NeedsReview if at >= here => (1, at, at),
            PlanState::Pending | PlanState::Failed | PlanState::NeedsReview => (2, at, at),
        })
        .collect();
    order.sort_unstable();
    order.into_iter().map(|(_, _, at)| at).collect()
}
