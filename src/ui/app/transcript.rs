//! Where the panel Loop stands: what is selected, what is folded, which steps were read.
//!
//! Steps are read when they come into view, and the newest read ones are kept. The place is an item and not a line, so
//! that a new width or new rows do not move what is read.

use super::model::Model;
use crate::run::{RunId, StepNo};
use crate::ui::feed::StepView;
use crate::ui::view::transcript::{last_spot, spots_of, step_count, view_size};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A place in the transcript: a step's heading, or one of its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    /// The step.
    pub step: StepNo,
    /// Its item, from 0; none is the heading.
    pub item: Option<usize>,
}

/// The state of the panel Loop.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    /// What is selected; none follows the newest.
    pub at: Option<Spot>,
    /// Lines that the selected item is scrolled by.
    pub skip: usize,
    /// What the person folded (true) or unfolded (false); the rest is as it is by default.
    pub folds: HashMap<Spot, bool>,
    /// All steps are unfolded by default, not only the newest.
    pub unfolded: bool,
    /// Tool output is wrapped, not cut.
    pub wrap: bool,
    /// Thinking is shown.
    pub thinking: bool,
    /// The run whose steps are here.
    pub run: Option<RunId>,
    /// Steps that were read.
    pub steps: BTreeMap<StepNo, Arc<StepView>>,
    /// The newest item that was there when following ended: what came after it counts as new.
    pub seen: Option<Spot>,
}

/// Where the view can go: an item, scrolled by some lines, or none to follow the newest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The item; none follows the newest.
    pub at: Option<Spot>,
    /// Lines that it is scrolled by.
    pub skip: usize,
}

/// Goes to a place. What comes after the newest was followed last counts as new.
pub fn go(model: &mut Model, place: Place) {
    if model.transcript.at.is_none() {
        model.transcript.seen = newest(model);
    }
    let transcript = &mut model.transcript;
    transcript.at = place.at;
    transcript.skip = place.skip;
}

/// The newest item. A reply that comes in has none yet.
fn newest(model: &Model) -> Option<Spot> {
    let open = &model.view()?.open;
    let last = last_spot(model)?;
    let item = last.item.filter(|_| last.step == open.step).map(|item| item.min(open.items.len().max(1) - 1));
    Some(Spot { item: item.or(last.item), ..last })
}

/// The run went back to an earlier step: what comes there is new, whatever was seen of the steps that were left.
pub fn turned(model: &mut Model) {
    let Some(open) = model.view().map(|view| view.open.step) else { return };
    if let Some(seen) = &mut model.transcript.seen
        && seen.step >= open
    {
        *seen = Spot { step: open, item: None };
    }
}

/// Longest way of one movement: a page over steps of one line each, on the largest screen.
const FAR: usize = 10_000;

/// The present place, or the newest item while following.
fn here(model: &Model) -> Option<(Spot, usize)> {
    match model.transcript.at {
        Some(at) => Some((at, model.transcript.skip)),
        None => last_spot(model).map(|spot| (spot, 0)),
    }
}

fn index(model: &Model, step: StepNo) -> usize {
    model.view().map_or(0, |view| view.steps.partition_point(|span| span.step < step))
}

/// So many items down, or up if it is less than 0. An item that is higher than the view is scrolled first. Past the
/// end the newest is followed; from there the first step up selects the newest item.
pub fn line(model: &Model, by: isize) -> Place {
    let Some((spot, skip)) = here(model) else { return Place::default() };
    let mut way = Way::at(model, spot, skip);
    let mut left = by.unsigned_abs().min(FAR);
    if model.transcript.at.is_none() {
        if by >= 0 {
            return Place::default();
        }
        left -= 1;
    }
    for _ in 0..left {
        if way.step(by > 0).is_none() {
            return if by > 0 { Place::default() } else { way.place() };
        }
    }
    way.place()
}

/// A page down or up.
pub fn page(model: &Model, down: bool) -> Place {
    let Some((spot, skip)) = here(model) else { return Place::default() };
    if model.transcript.at.is_none() && down {
        return Place::default();
    }
    let rows = view_size(model).1.saturating_sub(1).max(1);
    let mut way = Way::at(model, spot, skip);
    let mut moved = 0;
    while moved < rows {
        match way.step(down) {
            Some(by) => moved += by,
            None if down => return Place::default(),
            None => break,
        }
    }
    way.place()
}

/// The first item of the run.
pub fn top(model: &Model) -> Place {
    let all = model.view().map_or(0, step_count);
    let first = (0..all).find_map(|at| spots_of(model, at).first().map(|(spot, _)| *spot));
    Place { at: first, skip: 0 }
}

/// A walk over items.
struct Way<'m> {
    model: &'m Model,
    /// The step's place in the list, its items, and the place in them.
    step: usize,
    spots: Vec<(Spot, usize)>,
    at: usize,
    skip: usize,
    rows: usize,
}

impl<'m> Way<'m> {
    fn at(model: &'m Model, spot: Spot, skip: usize) -> Self {
        let step = index(model, spot.step);
        let spots = spots_of(model, step);
        let at = spots.iter().rposition(|(own, _)| *own == spot);
        // An item that is gone gives its place to the one before it.
        let at = at.or_else(|| spots.iter().rposition(|(own, _)| *own <= spot)).unwrap_or(0);
        Self { model, step, spots, at, skip, rows: view_size(model).1 }
    }

    fn place(&self) -> Place {
        Place { at: self.spots.get(self.at).map(|(spot, _)| *spot), skip: self.skip }
    }

    fn height(&self) -> usize {
        self.spots.get(self.at).map_or(0, |(_, rows)| *rows)
    }

    /// One line or item on; the rows that this takes, none at an end.
    fn step(&mut self, down: bool) -> Option<usize> {
        if down && self.skip + self.rows < self.height() {
            self.skip += 1;
            return Some(1);
        }
        if !down && self.skip > 0 {
            self.skip -= 1;
            return Some(1);
        }
        let passed = if down { self.height() } else { 0 };
        self.next(down)?;
        self.skip = if down { 0 } else { self.height().saturating_sub(self.rows) };
        Some(if down { passed.min(self.rows) } else { self.height().min(self.rows) }.max(1))
    }

    fn next(&mut self, down: bool) -> Option<()> {
        let at = if down { Some(self.at + 1) } else { self.at.checked_sub(1) };
        if let Some(at) = at.filter(|at| *at < self.spots.len()) {
            self.at = at;
            return Some(());
        }
        let all = step_count(self.model.view()?);
        let mut step = self.step;
        loop {
            step = if down { step + 1 } else { step.checked_sub(1)? };
            if step >= all {
                return None;
            }
            let spots = spots_of(self.model, step);
            if !spots.is_empty() {
                self.at = if down { 0 } else { spots.len() - 1 };
                (self.step, self.spots) = (step, spots);
                return Some(());
            }
        }
    }
}

/// Folds what is selected (or the newest item), or unfolds it. Folding an item that is as it is by default folds its
/// step, and selects that.
pub fn fold(model: &mut Model, folded: bool) {
    let Some((spot, _)) = here(model) else { return };
    let transcript = &mut model.transcript;
    transcript.skip = 0;
    let heading = Spot { item: None, ..spot };
    if folded && spot != heading && transcript.folds.get(&spot) != Some(&false) {
        transcript.folds.insert(heading, true);
        transcript.at = transcript.at.map(|_| heading);
    } else if folded && spot != heading {
        transcript.folds.remove(&spot);
    } else {
        transcript.folds.insert(spot, folded);
    }
}

/// Unfolds all steps, or leaves only the newest one unfolded.
pub fn fold_all(transcript: &mut Transcript) {
    transcript.unfolded = !transcript.unfolded;
    transcript.folds.clear();
    transcript.skip = 0;
}
