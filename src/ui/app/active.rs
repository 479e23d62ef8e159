//! How long the present phase and the run have worked, by the journal: the same for every workstation, and after a return.
//!
//! Derived: a request counts from its `ModelCalled`, a running call from its `CallStarted`; active time is what the journal
//! has, and what goes on under a living owner, or under a supervisor alone, besides. Not to be assumed: that the wall clock
//! only goes on. A time is never negative, and what a step turned out to have taken a little less makes no figure go back.

use super::model::Model;
use crate::run::{CallId, CallStatus, Millis, RunId, Status};
use crate::ui::feed::{Ending, RunView};
use crate::ui::words::Phase;

/// Most that a figure shown before may be over what the journal says then, milliseconds: the times of a commit and of what
/// it is about differ a little. What differs more was not charged.
const SLACK: u64 = 3_000;

impl Model {
    /// How long the present phase of the shown run has worked, milliseconds; none if nobody knows.
    pub fn phase_ms(&self, view: &RunView, phase: Phase) -> Option<u64> {
        began(view, phase).map(|at| self.since(at)).or_else(|| {
            let live = self.live_here().filter(|live| live.phase == Some(phase))?;
            let ms = self.clock.mono.saturating_duration_since(live.since).as_millis();
            Some(u64::try_from(ms).unwrap_or(u64::MAX))
        })
    }

    /// Active time of the run, what is going on included, milliseconds.
    pub fn active_ms(&self, view: &RunView) -> u64 {
        let ms = self.active_now(view);
        self.active.as_ref().filter(|(run, _)| *run == view.state.run).map_or(ms, |(_, shown)| ms.max(*shown))
    }

    fn active_now(&self, view: &RunView) -> u64 {
        let stored = view.state.ledger.totals.active_ms;
        let works = self.is_worked_at(view);
        let calls = view.state.open_here().filter(|call| call.status == CallStatus::Started);
        let calls = calls.filter_map(|call| {
            let ms = self.since(view.runs_since(&call.call_id, call.since));
            if works { Some(ms) } else { self.ran_alone(&view.state.run, &call.call_id, ms) }
        });
        let asks = began(view, Phase::Infer).filter(|_| works).map(|at| self.since(at));
        calls.chain(asks).fold(stored, u64::saturating_add)
    }

    /// Whether somebody works at the run, so that what is begun goes on.
    fn is_worked_at(&self, view: &RunView) -> bool {
        let owned = view.alive || self.working.contains(&view.state.run);
        owned && view.state.status() == Status::Running
    }

    /// How long a command has run that no worker follows, if it still runs (`ms` then) or left word; it is charged when its
    /// result is fetched.
    fn ran_alone(&self, run: &RunId, call: &CallId, ms: u64) -> Option<u64> {
        let signs = self.beside.signs_of(run)?;
        let ended = signs.ended.iter().find(|(own, _)| own == call).map(|(_, ms)| *ms);
        ended.or_else(|| signs.alone.contains(call).then_some(ms))
    }

    /// Whether something has begun that no worker follows: what was shown of it is charged once one comes.
    fn is_left(&self, view: &RunView) -> bool {
        !self.is_worked_at(view) && view.state.open_here().any(|call| call.status == CallStatus::Started)
    }

    /// What is shown of the active time now, to be kept while a newer snapshot says a little less.
    pub(super) fn active_shown(&self) -> Option<(RunId, u64)> {
        self.view().map(|view| (view.state.run.clone(), self.active_ms(view)))
    }

    /// A newer snapshot is there, and this was shown before it.
    pub(super) fn keep_active(&mut self, shown: Option<(RunId, u64)>) {
        let now = self.view().map(|view| (view.state.run.clone(), self.active_now(view), self.is_left(view)));
        self.active = shown.zip(now).and_then(|((of, shown), (run, now, left))| {
            (of == run && shown > now && (left || shown - now <= SLACK)).then_some((of, shown))
        });
    }

    fn since(&self, at: Millis) -> u64 {
        u64::try_from(self.clock.wall.saturating_sub(at)).unwrap_or(0)
    }
}

/// When a phase began, as far as the journal says.
pub fn began(view: &RunView, phase: Phase) -> Option<Millis> {
    match phase {
        Phase::Infer => {
            let open = |(at, ending): (Millis, &Ending)| matches!(ending, Ending::Open).then_some(at);
            view.open.requests().find_map(open)
        }
        Phase::Act => view
            .state
            .open_here()
            .filter(|call| call.status == CallStatus::Started)
            .map(|call| view.runs_since(&call.call_id, call.since))
            .min(),
        Phase::Load | Phase::Assemble | Phase::Judge | Phase::Commit => None,
    }
}

#[cfg(test)]
mod tests;
