//! Where the panel Loop stands: what is selected, what is folded, which steps were read.
//!
//! Steps are read when they come into view, and the newest read ones are kept. The place is an item and not a line, so
//! that a new width or new rows do not move what is read.

use super::model::Model;
use crate::run::{RunId, StepNo};
use crate::ui::feed::{RunView, StepSpan, StepView};
use crate::ui::view::transcript::group::{self, Told};
use crate::ui::view::transcript::{is_folded, last_spot, spots_of, step_count, unit_of, view_size};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
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
    /// Old steps that the person sees by themselves, and not on one row with others.
    pub apart: HashSet<StepNo>,
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
    /// What groups tell of steps that were read once.
    pub told: BTreeMap<StepNo, Told>,
    /// The newest item that was there when following ended: what came after it counts as new.
    pub seen: Option<Spot>,
}

impl Transcript {
    /// Keeps a step that was read.
    pub fn take(&mut self, step: StepView) {
        self.told.insert(step.step, Told::of(&step));
        self.steps.insert(step.step, Arc::new(step));
    }
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

/// What was drawn is not new any more, while nothing stands over it. True if some of it was.
pub fn saw(model: &mut Model) -> bool {
    if model.transcript.at.is_none() || !model.layers.is_empty() {
        return false;
    }
    let newest = model.drawn.zones.iter().filter_map(|(_, zone)| zone.spot()).max();
    let later = newest.filter(|spot| model.transcript.seen.is_some_and(|seen| seen < *spot));
    model.transcript.seen = later.or(model.transcript.seen);
    later.is_some()
}

/// The run went on from an earlier step than it stood at: what comes there is new, whatever was seen of the steps that
/// were left, and how those were folded means nothing for steps with the same numbers. `before` are the steps as they were.
pub fn turned(model: &mut Model, before: &[StepSpan]) {
    let Some(view) = model.view() else { return };
    let same = before.iter().zip(view.steps.iter()).take_while(|(was, is)| was == is);
    let first = same.last().map_or(0, |(span, _)| span.step).saturating_add(1);
    let transcript = &mut model.transcript;
    transcript.folds.retain(|spot, _| spot.step < first);
    transcript.apart.retain(|step| *step < first);
    if let Some(seen) = &mut transcript.seen
        && seen.step >= first
    {
        *seen = Spot { step: first, item: None };
    }
}

/// Steps whose items a walk keeps.
const KEPT: usize = 64;

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
    lines(model, &[by]).0
}

/// Several such movements, one after the other, and whether the newest was followed in between.
fn lines(model: &Model, by: &[isize]) -> (Place, bool) {
    let Some((spot, skip)) = here(model) else { return (Place::default(), false) };
    let mut way = Way::at(model, spot, skip);
    let (mut follows, mut followed) = (model.transcript.at.is_none(), false);
    for by in by.iter().filter(|by| **by != 0) {
        let (down, mut left) = (*by > 0, by.unsigned_abs());
        if follows && down {
            continue;
        }
        if std::mem::take(&mut follows) {
            if followed && let Some(last) = last_spot(model) {
                way.seek(last);
            }
            left -= 1;
        }
        while left > 0 && way.step(down).is_some() {
            left -= 1;
        }
        // A movement down that an end stopped.
        follows = down && left > 0;
        followed |= follows;
    }
    (if follows { Place::default() } else { way.place() }, followed)
}

/// Goes so many items down or up, one movement after the other.
pub fn go_by(model: &mut Model, by: &[isize]) {
    let (place, followed) = lines(model, by);
    if followed {
        go(model, Place::default());
    }
    go(model, place);
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
    spots: Rc<[(Spot, usize)]>,
    at: usize,
    skip: usize,
    rows: usize,
    /// Items of steps that were come by: a walk to and fro lays none of them out twice.
    seen: HashMap<usize, Rc<[(Spot, usize)]>>,
}

impl<'m> Way<'m> {
    fn at(model: &'m Model, spot: Spot, skip: usize) -> Self {
        let (rows, spots) = (view_size(model).1, Rc::default());
        let mut way = Self { model, step: 0, spots, at: 0, skip, rows, seen: HashMap::new() };
        way.seek(spot);
        way.skip = skip;
        way
    }

    /// Goes to an item. One that is gone gives its place to the one before it.
    fn seek(&mut self, spot: Spot) {
        self.step = index(self.model, spot.step);
        self.spots = self.items(self.step);
        let at = self.spots.iter().rposition(|(own, _)| *own == spot);
        self.at = at.or_else(|| self.spots.iter().rposition(|(own, _)| *own <= spot)).unwrap_or(0);
        self.skip = 0;
    }

    fn items(&mut self, step: usize) -> Rc<[(Spot, usize)]> {
        if let Some(spots) = self.seen.get(&step) {
            return Rc::clone(spots);
        }
        let spots: Rc<[(Spot, usize)]> = spots_of(self.model, step).into();
        if self.seen.len() >= KEPT {
            self.seen.clear();
        }
        self.seen.insert(step, Rc::clone(&spots));
        spots
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
            let unit = unit_of(self.model, step);
            step = if down { unit.end } else { unit.start.checked_sub(1)? };
            if step >= all {
                return None;
            }
            let spots = self.items(step);
            if !spots.is_empty() {
                self.at = if down { 0 } else { spots.len() - 1 };
                (self.step, self.spots) = (step, spots);
                return Some(());
            }
        }
    }
}

/// Shows the steps behind a row by themselves, if it is that of a group.
pub fn ungroup(model: &mut Model, spot: Spot) -> bool {
    let steps = model.view().and_then(|view| group::behind(model, view, spot));
    let found = steps.is_some();
    model.transcript.apart.extend(steps.into_iter().flatten());
    found
}

/// Puts the group together again that a step would stand in, and selects it.
fn group_again(model: &mut Model, step: StepNo) -> bool {
    let Some(steps) = model.view().and_then(|view| group::grouped(model, view, step)) else { return false };
    for step in &steps {
        model.transcript.apart.remove(step);
        model.transcript.folds.retain(|spot, _| spot.step != *step);
    }
    let first = steps.first().map(|step| Spot { step: *step, item: None });
    model.transcript.at = model.transcript.at.and(first);
    true
}

/// Old steps left the window: those that are being read, or that the person unfolded, are not grouped. `before` is the step
/// after which all were in the window.
pub fn left_window(model: &mut Model, before: StepNo) {
    let zones = model.drawn.zones.iter().filter_map(|(_, zone)| Some(zone.spot()?.step));
    let reading =
        model.transcript.at.map(|_| zones.fold((StepNo::MAX, 0), |(a, b), step| (a.min(step), b.max(step))));
    let read = |step: StepNo| reading.is_some_and(|(first, last)| (first..=last).contains(&step));
    let unfolded = model.transcript.folds.iter().filter(|(_, folded)| !**folded).map(|(spot, _)| spot.step);
    let unfolded: HashSet<StepNo> = unfolded.collect();
    let Some(view) = model.view() else { return };
    let at = view.steps.partition_point(|span| span.step <= before);
    let new =
        view.steps.iter().skip(at).take_while(|span| span.step <= last_folded(view)).map(|span| span.step);
    let kept: Vec<StepNo> = new.filter(|step| read(*step) || unfolded.contains(step)).collect();
    model.transcript.apart.extend(kept);
}

/// The newest step that left the window; 0 if none did.
pub fn last_folded(view: &RunView) -> StepNo {
    let upto = view.folds.last().map_or(0, |fold| fold.upto);
    let at = view.steps.partition_point(|span| span.from <= upto);
    at.checked_sub(1).and_then(|at| view.steps.get(at)).map_or(0, |span| span.step)
}

/// Folds what is selected (or the newest item), or unfolds it. Folding an item that is as it is by default folds its
/// step, and selects that; folding a folded step that left the window groups it with those that left with it.
pub fn fold(model: &mut Model, folded: bool) {
    let Some((spot, _)) = here(model) else { return };
    if model.view().is_some_and(|view| group::behind(model, view, spot).is_some()) {
        if !folded {
            ungroup(model, spot);
        }
        return;
    }
    if folded && spot.item.is_none() && is_folded(model, spot.step, false) && group_again(model, spot.step) {
        return;
    }
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

/// What is selected is gone, or stands on one row with others now: what stands there is selected.
pub fn settle(model: &mut Model) {
    let Some(spot) = model.transcript.at else { return };
    model.transcript.at = Way::at(model, spot, 0).place().at;
}

/// Unfolds all steps, or leaves only the newest one unfolded.
pub fn fold_all(transcript: &mut Transcript) {
    transcript.unfolded = !transcript.unfolded;
    transcript.folds.clear();
    transcript.apart.clear();
    transcript.skip = 0;
}
