//! Drafts: what is being written in the message line and in dialogs is kept once the person rests, and at once when it
//! was sent or thrown away, so that it is there again after whatever ends the program.
//!
//! Not to be assumed: that a draft which was read fits what it is about. A goal may have been edited since; the form says so.

use super::App;
use super::model::{Drafts, Model};
use super::msg::Cmd;
use crate::run::{CallId, RunId};
use crate::ui::edit::Editor;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long nothing is written before it is kept.
const REST: Duration = Duration::from_millis(400);
/// Most calls whose reasons are kept.
const REASONS: usize = 50;

const MESSAGE: &str = "message ";
/// As it was kept before messages belonged to their runs.
const MESSAGE_OF_ANY: &str = "message";
const NEW_RUN: &str = "new run";
const GOAL: &str = "goal ";
const RETURNED: &str = "returned goal ";
const PLAN: &str = "plan ";
const LIMITS: &str = "limits ";
const DENY: &str = "deny ";
const ANSWER: &str = "answer ";
const ARGS: &str = "arguments ";
const BACK: &str = "taken back ";

/// Drafts by their places.
pub type Places = BTreeMap<String, String>;

/// When what is being written is kept.
#[derive(Debug, Default)]
pub struct Keeping {
    kept: Places,
    /// As it was seen last, and since when.
    seen: Places,
    since: Option<Instant>,
}

impl Keeping {
    /// What differs from what is kept, if it is time.
    fn take(&mut self, now: Places, at: Instant, at_once: bool) -> Vec<(String, Option<String>)> {
        if now != self.seen {
            self.seen = now;
            self.since = Some(at);
        }
        let gone = self.kept.keys().any(|place| !self.seen.contains_key(place));
        let rests = self.since.is_some_and(|since| at.saturating_duration_since(since) >= REST);
        if !(at_once || gone || rests) {
            return Vec::new();
        }
        self.since = None;
        let left = self.kept.keys().filter(|place| !self.seen.contains_key(*place));
        let mut changes: Vec<_> = left.map(|place| (place.clone(), None)).collect();
        let new = self.seen.iter().filter(|(place, text)| self.kept.get(*place) != Some(text));
        changes.extend(new.map(|(place, text)| (place.clone(), Some(text.clone()))));
        self.kept.clone_from(&self.seen);
        changes
    }

    /// In how long something is to be kept.
    pub fn due_in(&self, now: Instant) -> Option<Duration> {
        self.since.map(|since| (since + REST).saturating_duration_since(now))
    }
}

impl App {
    /// What was kept before: put back where it was written. What cannot be read is left alone.
    pub fn had_drafts(&mut self, kept: Places) {
        for (place, text) in &kept {
            read(&mut self.model, place, text);
        }
        self.came_back();
        // Only what came back is looked after from now on.
        let now = places(&self.model);
        let mut was = now.clone();
        was.extend(kept.get_key_value(MESSAGE_OF_ANY).map(|(place, text)| (place.clone(), text.clone())));
        self.keeping = Keeping { kept: was, seen: now, since: None };
    }

    /// Another run is shown: what stands in the message line stays with the run that it was written for.
    pub(super) fn swap_message(&mut self, before: Option<&RunId>) {
        let model = &mut self.model;
        let text = model.message.editor.text();
        if let Some(before) = before.filter(|_| !text.is_empty()) {
            model.drafts.messages.insert(before.clone(), text.clone());
        }
        let own = model.run.as_ref().and_then(|run| model.drafts.messages.remove(run));
        // Of no run yet: it waits for the first one that is shown.
        let own = own.unwrap_or_else(|| if before.is_none() { text } else { String::new() });
        model.message.editor = Editor::new(&own);
        model.message.at = None;
    }

    /// Drafts that are to be kept now.
    pub(super) fn keep_drafts(&mut self) -> Option<Cmd> {
        let changes = self.changed_drafts(false);
        (!changes.is_empty()).then_some(Cmd::Drafts(changes))
    }

    /// All drafts that are not kept yet, at the end.
    pub fn last_drafts(&mut self) -> Vec<(String, Option<String>)> {
        self.changed_drafts(true)
    }

    fn changed_drafts(&mut self, at_once: bool) -> Vec<(String, Option<String>)> {
        let layers = std::mem::take(&mut self.model.layers);
        layers.iter().for_each(|layer| layer.put_down(&mut self.model.drafts));
        self.model.layers = layers;
        self.keeping.take(places(&self.model), self.model.clock.mono, at_once)
    }
}

fn places(model: &Model) -> Places {
    let Drafts {
        new_run,
        goals,
        returned,
        plans,
        limits,
        reasons,
        answers,
        args,
        back,
        messages,
        not_started: _,
    } = &model.drafts;
    let mut all = Places::new();
    let message = model.message.editor.text();
    if !message.is_empty() {
        let of = model.run.as_ref().map(|run| format!("{MESSAGE}{run}"));
        all.insert(of.unwrap_or_else(|| MESSAGE_OF_ANY.to_owned()), message);
    }
    for (run, text) in messages {
        all.insert(format!("{MESSAGE}{run}"), text.clone());
    }
    // Lists of strings are always JSON.
    if let Some(draft) = new_run {
        all.extend(serde_json::to_string(draft).ok().map(|text| (NEW_RUN.to_owned(), text)));
    }
    for (run, draft) in goals {
        all.extend(serde_json::to_string(draft).ok().map(|text| (format!("{GOAL}{run}"), text)));
    }
    for (run, draft) in returned {
        all.extend(serde_json::to_string(draft).ok().map(|text| (format!("{RETURNED}{run}"), text)));
    }
    for (run, draft) in plans {
        all.extend(serde_json::to_string(draft).ok().map(|text| (format!("{PLAN}{run}"), text)));
    }
    for (run, draft) in limits {
        all.extend(serde_json::to_string(draft).ok().map(|text| (format!("{LIMITS}{run}"), text)));
    }
    for (run, text) in back {
        all.insert(format!("{BACK}{run}"), text.clone());
    }
    for (place, texts) in [(DENY, reasons), (ANSWER, answers), (ARGS, args)] {
        for (call, text) in texts.iter().rev().take(REASONS) {
            all.insert(format!("{place}{call}"), text.clone());
        }
    }
    all
}

fn read(model: &mut Model, place: &str, text: &str) {
    if place == MESSAGE_OF_ANY {
        model.message.editor = Editor::new(text);
    } else if let Some(run) = place.strip_prefix(MESSAGE) {
        let run = RunId::new(run);
        if model.run.as_ref() == Some(&run) {
            model.message.editor = Editor::new(text);
        } else {
            model.drafts.messages.insert(run, text.to_owned());
        }
    } else if place == NEW_RUN {
        model.drafts.new_run = serde_json::from_str(text).ok();
    } else if let Some(run) = place.strip_prefix(GOAL) {
        if let Ok(draft) = serde_json::from_str(text) {
            model.drafts.goals.insert(RunId::new(run), draft);
        }
    } else if let Some(run) = place.strip_prefix(RETURNED) {
        if let Ok(draft) = serde_json::from_str(text) {
            model.drafts.returned.insert(RunId::new(run), draft);
        }
    } else if let Some(run) = place.strip_prefix(PLAN) {
        if let Ok(draft) = serde_json::from_str(text) {
            model.drafts.plans.insert(RunId::new(run), draft);
        }
    } else if let Some(run) = place.strip_prefix(LIMITS) {
        if let Ok(draft) = serde_json::from_str(text) {
            model.drafts.limits.insert(RunId::new(run), draft);
        }
    } else if let Some(call) = place.strip_prefix(DENY) {
        model.drafts.reasons.insert(CallId::new(call), text.to_owned());
    } else if let Some(call) = place.strip_prefix(ANSWER) {
        model.drafts.answers.insert(CallId::new(call), text.to_owned());
    } else if let Some(call) = place.strip_prefix(ARGS) {
        model.drafts.args.insert(CallId::new(call), text.to_owned());
    } else if let Some(run) = place.strip_prefix(BACK) {
        model.drafts.back.insert(RunId::new(run), text.to_owned());
    }
}

#[cfg(test)]
mod tests;
