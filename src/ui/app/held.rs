//! The order of a list, held for a moment after a key in it: what others do moves no row under the person's hand.
//!
//! What stood in the list keeps its place, whatever became of it; what comes stands behind in Queue and is only counted in
//! Runs. Once no key came for a while, everything stands in its order again. What the person does here moves rows at once.

use super::App;
use super::lists::{self, QueueRow};
use super::model::Model;
use crate::run::{CallId, RunId};
use crate::store::RunRow;
use crate::ui::layout::Panel;
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// How long after a key the order is held.
const HELD: Duration = Duration::from_secs(2);

/// A list whose order is held.
#[derive(Clone, Debug)]
pub struct Held {
    panel: Panel,
    until: Instant,
    /// Calls have changed since: the order will be another one.
    stirred: bool,
    /// The calls of Queue as they stood, and whether they stood among those that wait.
    calls: HashMap<CallId, (usize, bool)>,
    /// The first row of Runs.
    newest: Option<RunId>,
    /// Runs with a line for a call that waits.
    waits: BTreeSet<RunId>,
}

impl App {
    /// The person moved in a list below the dialogs: its order is held.
    pub(super) fn hold_below(&mut self) {
        if self.model.layers.is_empty() && !self.model.message.open {
            self.hold(if self.model.run.is_none() { Panel::Runs } else { self.model.focus });
        }
    }

    /// Holds the order of a list as it stands on the screen, if it is one that moves by itself.
    pub(super) fn hold(&mut self, panel: Panel) {
        let model = &mut self.model;
        let calls = match panel {
            Panel::Queue => lists::queue_rows(model),
            Panel::Runs => Vec::new(),
            Panel::Loop | Panel::Context | Panel::Checkpoints | Panel::Plan => return,
        };
        let place = |(at, row): (usize, &QueueRow<'_>)| {
            (row.call().call_id.clone(), (at, stands_waiting(model, *row)))
        };
        let calls = calls.iter().enumerate().map(place).collect();
        let (mut newest, mut waits) = (None, BTreeSet::new());
        if panel == Panel::Runs {
            newest = lists::run_rows(model).first().map(|row| row.id.clone());
            let open = model.waiting().map(|waiting| waiting.call.run.clone());
            waits = of(model, panel).map_or_else(|| open.collect(), |held| held.waits.clone());
        }
        let stirred = of(model, panel).is_some_and(|held| held.stirred);
        let until = model.clock.mono + HELD;
        model.held = Some(Held { panel, until, stirred, calls, newest, waits });
    }
}

/// What is held of a panel now.
fn of(model: &Model, panel: Panel) -> Option<&Held> {
    model.held.as_ref().filter(|held| held.panel == panel && model.clock.mono < held.until)
}

/// After a new snapshot: what is held is not as it would be, and is to be drawn again in time.
pub(super) fn stir(model: &mut Model) {
    if let Some(held) = &mut model.held {
        held.stirred = true;
    }
}

/// In how long the rows of a list that has changed stand in their order again.
pub(super) fn due_in(model: &Model) -> Option<Duration> {
    let held = model.held.as_ref().filter(|held| held.stirred)?;
    Some(held.until.saturating_duration_since(model.clock.mono))
}

/// Lets the order go once its time is over; what is selected stays.
pub(super) fn let_go(model: &mut Model) {
    let now = model.clock.mono;
    if model.held.take_if(|held| held.until <= now).is_some_and(|held| held.stirred) {
        lists::keep(model);
    }
}

/// The rows of Queue as they are held: what is new stands behind.
pub(super) fn calls<'m>(model: &'m Model, mut rows: Vec<QueueRow<'m>>) -> Vec<QueueRow<'m>> {
    if let Some(held) = of(model, Panel::Queue) {
        let place =
            |row: &QueueRow<'_>| held.calls.get(&row.call().call_id).map_or(usize::MAX, |(at, _)| *at);
        rows.sort_by_key(place);
    }
    rows
}

/// The rows of Runs as they are held: what is new is not among them.
pub(super) fn runs<'m>(model: &'m Model, rows: &'m [RunRow]) -> &'m [RunRow] {
    let newest = of(model, Panel::Runs).and_then(|held| held.newest.as_ref());
    let at = newest.and_then(|newest| rows.iter().position(|row| row.id == *newest));
    rows.get(at.unwrap_or(0)..).unwrap_or_default()
}

/// Whether a call stands among those that wait.
pub fn stands_waiting(model: &Model, row: QueueRow<'_>) -> bool {
    let held = of(model, Panel::Queue).and_then(|held| held.calls.get(&row.call().call_id));
    held.map_or(row.waits(), |(_, waited)| *waited)
}

/// Whether a run has a line below it for a call that waits.
pub fn has_line(model: &Model, run: &RunId, waits: bool) -> bool {
    of(model, Panel::Runs).map_or(waits, |held| held.waits.contains(run))
}
