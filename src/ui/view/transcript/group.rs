//! Old steps on one row: those that a fold took out of the window together.
//!
//! A group is a stretch of steps of one fold, and ends where a person's words or why the run stopped stand: those are seen
//! whatever is folded. Steps that the person unfolded, or was reading when the fold came, stand by themselves. What a group
//! tells of its steps is kept apart from the steps, which are too many to keep.

use super::items::stays;
use super::pieces::{Row, badness, call_sign};
use super::step::{Drawing, first_line};
use super::window::read_step;
use crate::run::{CallStatus, Seq, StepNo};
use crate::ui::app::model::Model;
use crate::ui::app::transcript::Spot;
use crate::ui::feed::{Fold, Item, RunView, StepSpan, StepView};
use crate::ui::text::width;
use crate::ui::theme::Role;
use crate::ui::view::head::{begin, plain};
use crate::ui::view::paint::part;
use std::ops::Range;

/// Most bytes of a step's headline that are kept.
const HEADLINE: usize = 120;

/// What a group tells of one of its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    from: Seq,
    to: Seq,
    said: String,
    /// Its calls.
    calls: u64,
    /// The worst state of a call, and how many are in it.
    worst: Option<(CallStatus, u64)>,
    /// Whether something is seen before its reply, or after, that is never folded.
    before: bool,
    after: bool,
}

impl Told {
    /// What is told of a step.
    pub fn of(step: &StepView) -> Self {
        let is_asked = |item: &Item| matches!(item, Item::Asked { .. });
        let first = step.items.iter().position(is_asked).unwrap_or(step.items.len());
        let worst = step.calls().map(|call| call.status).max_by_key(|status| badness(*status));
        let count = |status| step.calls().filter(|call| call.status == status).count() as u64;
        let said = step.said().map(|text| first_line(&text.shown)).unwrap_or_default();
        Self {
            from: step.from,
            to: step.to,
            said: begin(&said, HEADLINE).to_owned(),
            calls: step.calls().count() as u64,
            worst: worst.map(|status| (status, count(status))),
            before: step.items.iter().take(first).any(stays),
            after: step.items.iter().skip(first).any(stays),
        }
    }
}

/// What is known of a step as it stands on the present timeline.
fn told<'m>(model: &'m Model, span: &StepSpan) -> Option<&'m Told> {
    model.transcript.told.get(&span.step).filter(|told| (told.from, told.to) == (span.from, span.to))
}

/// The fold that took the `at`th step, and the places of all steps that it took.
fn fold_of(view: &RunView, at: usize) -> Option<(&Fold, Range<usize>)> {
    let span = view.steps.get(at)?;
    let nth = view.folds.partition_point(|fold| fold.upto < span.from);
    let fold = view.folds.get(nth)?;
    let end = |fold: &Fold| view.steps.partition_point(|span| span.from <= fold.upto);
    let begin = nth.checked_sub(1).and_then(|before| view.folds.get(before)).map_or(0, end);
    Some((fold, begin..end(fold)))
}

/// The stretch of a fold's steps that the `at`th one stands in; by itself if the person wants to see it and `whole` is not
/// set.
fn stretch(model: &Model, view: &RunView, at: usize, all: &Range<usize>, whole: bool) -> Range<usize> {
    let apart = |at: usize| {
        let step = view.steps.get(at).map(|span| span.step);
        !whole && step.is_some_and(|step| model.transcript.apart.contains(&step))
    };
    if apart(at) {
        return at..at + 1;
    }
    let told = |at: usize| view.steps.get(at).and_then(|span| told(model, span));
    let ends = |at: usize| told(at).is_some_and(|told| told.after);
    let begins = |at: usize| told(at).is_some_and(|told| told.before);
    let (mut first, mut last) = (at, at);
    while first > all.start && !begins(first) && !ends(first - 1) && !apart(first - 1) {
        first -= 1;
    }
    while last + 1 < all.end && !ends(last) && !begins(last + 1) && !apart(last + 1) {
        last += 1;
    }
    first..last + 1
}

/// The steps that stand on one row with the `at`th: more than one if they are grouped, else that one.
pub fn unit(model: &Model, view: &RunView, at: usize) -> Range<usize> {
    let alone = at..at + 1;
    if model.transcript.unfolded {
        return alone;
    }
    fold_of(view, at).map_or(alone, |(_, all)| stretch(model, view, at, &all, false))
}

/// The steps of the group that the step would stand in, if the person did not see it by itself; none if it would be alone.
pub fn grouped(model: &Model, view: &RunView, step: StepNo) -> Option<Vec<StepNo>> {
    let at = view.steps.binary_search_by_key(&step, |span| span.step).ok()?;
    let (_, all) = fold_of(view, at).filter(|_| !model.transcript.unfolded)?;
    let group = stretch(model, view, at, &all, true);
    (group.len() > 1).then(|| numbers(view, group))
}

/// The steps behind a row, if it is that of a group.
pub fn behind(model: &Model, view: &RunView, spot: Spot) -> Option<Vec<StepNo>> {
    let at = view.steps.binary_search_by_key(&spot.step, |span| span.step).ok()?;
    let group = unit(model, view, at);
    (group.len() > 1 && spot.item.is_none()).then(|| numbers(view, group))
}

fn numbers(view: &RunView, group: Range<usize>) -> Vec<StepNo> {
    view.steps.get(group).unwrap_or_default().iter().map(|span| span.step).collect()
}

/// The rows of a group: what is never folded of its first step, the group, and what is never folded of its last.
pub fn rows(model: &Model, view: &RunView, group: Range<usize>, cells: usize) -> Vec<Row> {
    let spans = view.steps.get(group.clone()).unwrap_or_default();
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return Vec::new() };
    let of = |span: &StepSpan| {
        let step = read_step(model, span)?;
        let drawing = Drawing { model, view, step, span: Some(*span), newest: false, cells };
        Some(drawing.never_folded())
    };
    let (mut rows, after) = (of(first).map(|rows| rows.0).unwrap_or_default(), of(last).map(|rows| rows.1));
    rows.push(line(model, view, group, (first.step, last.step), cells));
    rows.extend(after.unwrap_or_default());
    rows
}

fn line(
    model: &Model,
    view: &RunView,
    group: Range<usize>,
    (first, last): (StepNo, StepNo),
    cells: usize,
) -> Row {
    let (glyphs, words) = (model.look.glyphs, model.words().live);
    let spans = view.steps.get(group.clone()).unwrap_or_default();
    let known: Option<Vec<&Told>> = spans.iter().map(|span| told(model, span)).collect();
    let digits = view.state.path.step.saturating_add(1).to_string().len();
    let number = format!("{} {:<digits$}  ", glyphs.folded, format!("{first}{}{last}", glyphs.range));
    let mut row = Row::new(Spot { step: first, item: None }, vec![part(Role::Base, number)]);
    let fold = fold_of(view, group.start).filter(|(fold, all)| *all == group && !fold.words.is_empty());
    let text = match (fold, &known) {
        (Some((fold, _)), _) => Some(plain(&fold.words)),
        (None, Some(known)) => Some(headlines(model, known, cells)),
        (None, None) => None,
    };
    row.left.push(part(
        if text.is_some() { Role::Agent } else { Role::Muted },
        text.unwrap_or_else(|| glyphs.left_out.to_owned()),
    ));
    let Some(known) = known else { return row };
    let calls = known.iter().map(|told| told.calls).sum();
    let worst = known
        .iter()
        .filter_map(|told| told.worst)
        .map(|(status, _)| status)
        .max_by_key(|status| badness(*status));
    if let Some(worst) = worst {
        let (sign, role) = call_sign(model, worst);
        row.right = vec![part(Role::Muted, format!("{} ", words.calls(calls))), part(role, sign)];
        // Of many calls the sign alone would say that all went so.
        if worst != CallStatus::Done {
            let n: u64 = known
                .iter()
                .filter_map(|told| told.worst)
                .filter(|(status, _)| *status == worst)
                .map(|(_, n)| n)
                .sum();
            row.right.push(part(role, format!(" {n}")));
        }
    }
    row
}

/// What the agent said in each step, as far as it is seen.
fn headlines(model: &Model, known: &[&Told], cells: usize) -> String {
    let comma = model.words().live.comma;
    let mut text = String::new();
    for said in
        known.iter().map(|told| told.said.trim_end_matches(['.', '。'])).filter(|said| !said.is_empty())
    {
        if !text.is_empty() {
            text.push_str(comma);
        }
        text.push_str(said);
        if width(&text) > cells {
            break;
        }
    }
    text
}

/// Whether a step has to be read for what is drawn: as part of a group only if it was not yet, or for what is never folded.
pub fn is_wanted(model: &Model, span: &StepSpan, in_group: bool) -> bool {
    let known = || told(model, span).is_some_and(|told| !told.before && !told.after);
    read_step(model, span).is_none() && !(in_group && known())
}

#[cfg(test)]
mod tests;
