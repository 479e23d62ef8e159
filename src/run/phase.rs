//! Phases of a run: each ends when the agent reaches a part of its plan, or the goal, and what it came to is remembered.
//!
//! Derived: the files that calls wrote in the present phase, and where it began; both go back with a rollback. Not to be
//! assumed: that a phase leaves a result. Where nothing was noted, written or said there is none, and the phase goes on.

use super::control::Resolution;
use super::event::Event;
use super::id::{CallId, Seq};
use super::plan::{PlanItem, PlanState};
use serde::{Deserialize, Serialize};

/// Files of a phase that are kept by name; more than anybody is told.
const FILES_MAX: usize = 20;

/// What was done since a result was kept last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// The event that ended the phase before; 0 in the first.
    pub since: Seq,
    /// Files that calls wrote, each once, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Files of calls that have begun and not ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    writing: Vec<(CallId, Vec<String>)>,
}

impl Phase {
    /// Folds one event.
    pub(super) fn apply(&mut self, seq: Seq, event: &Event) {
        if let Event::ResultKept { .. } = event {
            self.since = seq;
            self.files.clear();
        } else if let Event::CallStarted { call_id, files, .. } = event
            && !files.is_empty()
        {
            self.writing.retain(|(id, _)| id != call_id);
            self.writing.push((call_id.clone(), files.iter().map(|file| file.path.clone()).collect()));
        } else if let Event::CallFinished { call_id, ok, .. } = event {
            self.ended(call_id, *ok);
        } else if let Event::CallNotStarted { call_id, .. } = event {
            self.ended(call_id, false);
        } else if let Event::CallResolved { call_id, resolution, .. } = event {
            self.ended(call_id, *resolution == Resolution::Happened);
        }
    }

    fn ended(&mut self, call_id: &CallId, wrote: bool) {
        let Some(at) = self.writing.iter().position(|(id, _)| id == call_id) else { return };
        let (_, files) = self.writing.remove(at);
        for file in files.into_iter().filter(|_| wrote) {
            if self.files.len() < FILES_MAX && !self.files.contains(&file) {
                self.files.push(file);
            }
        }
    }
}

/// The parts of the plan that are reached in `now` and were not before, without those that lie under another of them. A part
/// that has only another number or another title was reached before.
pub fn reached<'a>(before: &[PlanItem], now: &'a [PlanItem]) -> Vec<&'a PlanItem> {
    let known = |item: &PlanItem| {
        let mut done = before.iter().filter(|old| old.state == PlanState::Done);
        done.any(|old| old.id == item.id || old.title.trim() == item.title.trim())
    };
    let new: Vec<&PlanItem> =
        now.iter().filter(|item| item.state == PlanState::Done && !known(item)).collect();
    let above = |upper: &PlanItem, item: &PlanItem| {
        item.id.strip_prefix(upper.id.as_str()).is_some_and(|rest| rest.starts_with('.'))
    };
    new.iter().copied().filter(|item| !new.iter().any(|upper| above(upper, item))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(items: &[(&str, &str, PlanState)]) -> Vec<PlanItem> {
        let item = |(id, title, state): &(&str, &str, PlanState)| PlanItem {
            id: (*id).to_owned(),
            title: (*title).to_owned(),
            state: *state,
        };
        items.iter().map(item).collect()
    }

    fn ids<'a>(before: &[PlanItem], now: &'a [PlanItem]) -> Vec<&'a str> {
        reached(before, now).into_iter().map(|item| item.id.as_str()).collect()
    }

    #[test]
    fn a_parent_and_its_last_child_are_one_phase() {
        use PlanState::{Active, Done, Failed, Pending};
        let before = plan(&[
            ("1", "Read", Active),
            ("1.1", "Parser", Active),
            ("10", "Run", Pending),
            ("2", "X", Done),
        ]);
        let now =
            plan(&[("1", "Read", Done), ("1.1", "Parser", Done), ("10", "Run", Done), ("2", "X", Done)]);
        assert_eq!(ids(&before, &now), ["1", "10"], "10 does not lie under 1");
        let now = plan(&[("1", "Read", Active), ("1.1", "Parser", Done), ("10", "Run", Failed)]);
        assert_eq!(ids(&before, &now), ["1.1"]);
        assert_eq!(ids(&[], &now), ["1.1"], "the first plan may tell what is done already");
    }

    #[test]
    fn other_numbers_and_other_words_for_what_was_reached_end_no_phase() {
        use PlanState::{Done, Pending};
        let before = plan(&[("1", "Read", Done), ("2", "Write", Pending)]);
        assert!(ids(&before, &plan(&[("1", "Read all of it", Done), ("2", "Write", Pending)])).is_empty());
        let moved = plan(&[("1", "Ask", Pending), ("2", "Read", Done), ("3", "Write", Pending)]);
        assert!(ids(&before, &moved).is_empty());
        assert!(ids(&before, &before).is_empty());
        assert_eq!(ids(&before, &plan(&[("2", "Write", Done)])), ["2"]);
    }
}
