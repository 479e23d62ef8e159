//! The state as the model reads it at the end of each request: how far the run is, plan, open questions, facts, and
//! what is asked for now. It is made anew each time and is not part of the history.

use super::count::Count;
use super::prompts;
use super::state_share::{Kept, mark, plan_order};
use super::words::flat;
use crate::run::budget_table::{Trim, so_many};
use crate::run::plan::{Note, PlanState};
use crate::run::settings::Strategy;
use crate::run::{Purpose, RunState, Settings};

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
pub(super) struct Line {
    /// What it is.
    pub group: Group,
    /// Its place among its like.
    pub place: usize,
    /// The line.
    pub text: String,
    /// Its tokens.
    pub tokens: u32,
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
    pub(super) const ALL: [Group; 6] =
        [Group::Goal, Group::Checks, Group::Plan, Group::Questions, Group::Facts, Group::Done];

    pub(super) fn title(self, state: &RunState) -> String {
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

/// The state within `budget` tokens, shared fairly. Of what does not fit the oldest goes first: of what was done, of facts
/// and of questions; of the plan what is reached, and what is far from the item under way.
pub(super) fn state_text(
    state: &RunState,
    settings: &Settings,
    purpose: Purpose,
    budget: u32,
    count: &Count,
) -> StateText {
    let (head, foot) = frame(state, settings, purpose);
    let left = budget.saturating_sub(count(&head)).saturating_sub(count(&foot));
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
    let kept = Kept::within(left, &lines, state, count);
    let trims = Group::ALL.into_iter().filter_map(|group| {
        let gone = left_out(&lines, &kept, group);
        let tokens = gone.iter().fold(0_u32, |sum, line| sum.saturating_add(line.tokens));
        let what = so_many(gone.len(), group.word());
        (!gone.is_empty()).then(|| Trim { what, why: "over the budget".to_owned(), tokens })
    });
    let trims = trims.collect();
    let mut parts = vec![(Part::Head, head)];
    parts.extend(grouped(state, &lines, &kept).map(|(group, text)| (Part::Lines(group), text)));
    parts.push((Part::Foot, foot));
    let text = parts.iter().map(|(_, text)| text.as_str()).collect();
    StateText { text, parts, items: as_u32(kept.lines.len()), trimmed: trims }
}

/// All of the state without its frame, for the goal keeper.
pub(super) fn all_lines(state: &RunState, count: &Count) -> String {
    let lines = lines(state, count);
    let all = Kept::all(&lines);
    let text: String = grouped(state, &lines, &all).map(|(_, text)| text).collect();
    format!("STATE\n{text}\n")
}

/// The lines of a kind that are not kept.
fn left_out<'a>(lines: &'a [Line], kept: &Kept, group: Group) -> Vec<&'a Line> {
    let lines = lines.iter().enumerate().filter(|(at, line)| line.group == group && !kept.lines.contains(at));
    lines.map(|(_, line)| line).collect()
}

/// Kept lines under their titles, in the order of the state, with what is left out of them.
fn grouped(state: &RunState, lines: &[Line], kept: &Kept) -> impl Iterator<Item = (Group, String)> {
    kept.groups.iter().map(|group| {
        let mut of_group: Vec<&Line> =
            kept.lines.iter().filter_map(|i| lines.get(*i)).filter(|line| line.group == *group).collect();
        of_group.sort_by_key(|line| line.place);
        let text: String = of_group.iter().map(|line| line.text.as_str()).collect();
        let gone = left_out(lines, kept, *group);
        let reached =
            |line: &&&Line| state.path.plan.get(line.place).is_some_and(|i| i.state == PlanState::Done);
        let mark = mark(*group, gone.len(), gone.iter().filter(reached).count());
        (*group, [group.title(state), text, mark].concat())
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
    for place in plan_order(state) {
        let Some(item) = path.plan.get(place) else { continue };
        let word = item.state.word().replace('_', " ");
        add(Group::Plan, place, format!("- {} [{word}] {}\n", flat(&item.id), flat(&item.title)));
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
