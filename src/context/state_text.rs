//! The state as the model reads it at the end of each request: how far the run is, plan, open questions, facts, and
//! what is asked for now. It is made anew each time and is not part of the history.

use super::count::Count;
use super::prompts;
use super::words::flat;
use crate::run::budget_table::{Trim, so_many};
use crate::run::plan::{Note, PlanState};
use crate::run::settings::Strategy;
use crate::run::{Purpose, RunState, Settings};
use std::collections::BTreeSet;

/// The state's text with what was left out of it.
pub(super) struct StateText {
    /// The text.
    pub text: String,
    /// The same in its parts.
    pub parts: Vec<(Part, String)>,
    /// Lines in it besides the frame.
    pub items: u32,
    /// What did not fit.
    pub trimmed: Vec<Trim>,
}

/// A part of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// How far the run is.
    Head,
    /// Lines of one kind under their title.
    Lines(Group),
    /// What is asked for now.
    Foot,
}

/// A line that may be left out.
struct Line {
    group: Group,
    place: usize,
    text: String,
    tokens: u32,
}

/// What a line of the state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    /// The goal before the one in force.
    Goal,
    /// A check that failed.
    Checks,
    /// An item of the plan.
    Plan,
    /// An open question.
    Questions,
    /// A confirmed fact.
    Facts,
    /// A call of a round that left the window.
    Done,
}

impl Group {
    const ALL: [Group; 6] =
        [Group::Goal, Group::Checks, Group::Plan, Group::Questions, Group::Facts, Group::Done];

    fn title(self, state: &RunState) -> String {
        match (self, state.path.plan_edit) {
            (Group::Goal, _) => "Superseded goal:\n".to_owned(),
            (Group::Checks, _) => "Checks that failed when last run:\n".to_owned(),
            (Group::Plan, None) => "Plan:\n".to_owned(),
            (Group::Plan, Some(edit)) => format!(
                "Plan, as the person changed it in step {}; go by it, and keep their changes when you update it:\n",
                edit.step
            ),
            (Group::Questions, _) => "Open questions:\n".to_owned(),
            (Group::Facts, _) => "Confirmed facts:\n".to_owned(),
            (Group::Done, _) => {
                "Done in turns that left your window (do nothing twice without a reason):\n".to_owned()
            }
        }
    }

    fn word(self) -> &'static str {
        match self {
            Group::Goal => "goals",
            Group::Checks => "checks",
            Group::Plan => "plan items",
            Group::Questions => "questions",
            Group::Facts => "facts",
            Group::Done => "done calls",
        }
    }
}

/// The part that always stands: how far the run is and what is asked for.
pub(super) fn frame(state: &RunState, settings: &Settings, purpose: Purpose) -> (String, String) {
    let (totals, limits) = (&state.ledger.totals, &settings.limits);
    let head = format!(
        "{}, step {} of at most {}; used: {} of {} tokens, {} of {} tool calls, {} of {} minutes\n",
        prompts::STATE_HEAD,
        state.path.step.saturating_add(1),
        limits.steps,
        totals.charged,
        limits.tokens,
        totals.tool_calls,
        limits.tool_calls,
        totals.active_ms / 60_000,
        limits.active_ms / 60_000,
    );
    let foot = match purpose {
        // A summary is asked for in a request of its own, without a state.
        Purpose::Turn | Purpose::Summary { .. } | Purpose::Keeper => prompts::GO_ON.to_owned(),
        Purpose::Report(limit) => prompts::report(limit),
    };
    (head, foot)
}

/// The state within `budget` tokens. What does not fit goes in this order: oldest of what was done, oldest facts, oldest questions, plan items
/// from the end, with those that are done before all others.
pub(super) fn state_text(
    state: &RunState,
    settings: &Settings,
    purpose: Purpose,
    budget: u32,
    count: &Count,
) -> StateText {
    let (head, foot) = frame(state, settings, purpose);
    let mut left = budget.saturating_sub(count(&head)).saturating_sub(count(&foot));
    let mut lines = lines(state, count);
    match settings.context.strategy {
        Strategy::Extract | Strategy::Combined => {}
        // Rounds or their summary are all that is kept; a claim that failed is about what comes next, and rounds may
        // tell of a goal that was superseded.
        // A plan that a person changed stands in no round.
        Strategy::Rounds | Strategy::Summary => lines.retain(|line| match line.group {
            Group::Goal | Group::Checks => true,
            Group::Plan => state.path.plan_edit.is_some(),
            Group::Questions | Group::Facts | Group::Done => false,
        }),
    }
    let mut kept = Vec::new();
    let mut titled = BTreeSet::new();
    let mut trims: Vec<Trim> = Vec::new();
    for group in Group::ALL {
        let mut gone = (0_usize, 0_u32);
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.group == group) {
            let title = if titled.contains(&group) { 0 } else { count(&group.title(state)) };
            let cost = line.tokens.saturating_add(title);
            if cost <= left {
                left -= cost;
                titled.insert(group);
                kept.push(index);
            } else {
                gone = (gone.0 + 1, gone.1.saturating_add(line.tokens));
            }
        }
        if gone.0 > 0 {
            trims.push(Trim {
                what: so_many(gone.0, group.word()),
                why: "over the budget".to_owned(),
                tokens: gone.1,
            });
        }
    }
    let mut parts = vec![(Part::Head, head)];
    parts.extend(grouped(state, &lines, &kept).map(|(group, text)| (Part::Lines(group), text)));
    parts.push((Part::Foot, foot));
    let text = parts.iter().map(|(_, text)| text.as_str()).collect();
    StateText { text, parts, items: as_u32(kept.len()), trimmed: trims }
}

/// All of the state without its frame, for the goal keeper.
pub(super) fn all_lines(state: &RunState, count: &Count) -> String {
    let lines = lines(state, count);
    let all: Vec<usize> = (0..lines.len()).collect();
    let text: String = grouped(state, &lines, &all).map(|(_, text)| text).collect();
    format!("STATE\n{text}\n")
}

/// Kept lines under their titles, in the order of the state.
fn grouped(state: &RunState, lines: &[Line], kept: &[usize]) -> impl Iterator<Item = (Group, String)> {
    Group::ALL.into_iter().filter_map(move |group| {
        let mut of_group: Vec<&Line> =
            kept.iter().filter_map(|i| lines.get(*i)).filter(|line| line.group == group).collect();
        of_group.sort_by_key(|line| line.place);
        let text: String = of_group.iter().map(|line| line.text.as_str()).collect();
        (!of_group.is_empty()).then(|| (group, group.title(state) + &text))
    })
}

/// All lines, within each group the most important first.
fn lines(state: &RunState, count: &Count) -> Vec<Line> {
    let path = &state.path;
    let mut lines = Vec::new();
    let mut add = |group, place, text: String| {
        let tokens = count(&text);
        lines.push(Line { group, place, text, tokens });
    };
    if let Some(before) = path.superseded {
        let words = format!(
            "- version {} held until the person changed it in step {}; what only it asked for is no longer asked for, and \
             messages from before hold as far as the GOAL does\n",
            before.version, before.step
        );
        add(Group::Goal, 0, words);
    }
    for (place, check) in path.last_checks.iter().enumerate().filter(|(_, check)| !check.passed) {
        let name = path.goal.checks.get(check.index).map(ToString::to_string).unwrap_or_default();
        add(Group::Checks, place, format!("- {}: {}\n", flat(&name), flat(&check.detail)));
    }
    for done in [false, true] {
        let items = path.plan.iter().enumerate().filter(|(_, i)| (i.state == PlanState::Done) == done);
        for (place, item) in items {
            let word = item.state.word().replace('_', " ");
            add(Group::Plan, place, format!("- {} [{word}] {}\n", flat(&item.id), flat(&item.title)));
        }
    }
    if path.plan.is_empty() && path.plan_edit.is_some() {
        add(Group::Plan, 0, "- (the person took all of it away)\n".to_owned());
    }
    let mut notes = |group, notes: &[Note]| {
        for (place, note) in notes.iter().enumerate().rev() {
            add(group, place, format!("- {} (step {})\n", flat(&note.text), note.step));
        }
    };
    notes(Group::Questions, &path.questions);
    notes(Group::Facts, &path.facts);
    for (place, call) in path.done.iter().enumerate().rev() {
        add(Group::Done, place, format!("- {} -> {}\n", flat(&call.what), flat(&call.came)));
    }
    lines
}

fn as_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
