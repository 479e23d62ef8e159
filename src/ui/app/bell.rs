//! When the terminal rings: at once when something begins to need the person and nobody looks, then every ten minutes,
//! three times; once when a run is done, failed or at a limit.
//!
//! Pure: times are given to it. What comes within two seconds of a ring is one with it. Not to be assumed: that a
//! terminal tells whether it has the focus; until it has told once, somebody looks for a minute after each key.

use super::beside::Beside;
use crate::run::RunId;
use crate::ui::feed::Snapshot;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Time between two rings for the same thing.
const AGAIN: Duration = Duration::from_secs(10 * 60);
/// How often it rings again.
const TIMES: u32 = 3;
/// What comes within this time of a ring is one with it.
const BURST: Duration = Duration::from_secs(2);
/// How long somebody is taken to look after a key, where the terminal does not tell.
const LOOKS: Duration = Duration::from_secs(60);
/// Most characters of a notification.
const LONGEST: usize = 200;

/// What it rings for. The titles are as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ring {
    /// So many things need the person; the title is that of the run with the first of those that rang.
    NeedsYou {
        /// How many, in all runs.
        n: u64,
        /// The run's title.
        title: String,
    },
    /// A run is done.
    Done(String),
    /// A run has failed.
    Failed(String),
    /// A run stopped at a limit.
    Limit(String),
}

impl Ring {
    /// The title of the run.
    pub fn title(&self) -> &str {
        match self {
            Ring::NeedsYou { title, .. } | Ring::Done(title) | Ring::Failed(title) | Ring::Limit(title) => {
                title
            }
        }
    }
}

/// Something that needs the person.
#[derive(Debug)]
struct Need {
    title: String,
    since: Instant,
    /// Its place among those that came with it.
    place: usize,
    /// Times at which it would have rung, if nobody had looked, that are past.
    past: u32,
}

impl Need {
    fn next(&self) -> Option<Instant> {
        (self.past <= TIMES).then(|| self.since + AGAIN * self.past)
    }
}

/// When it rings for what.
#[derive(Debug)]
pub struct Bell {
    needs: HashMap<String, Need>,
    /// Status of each run when it was last seen.
    seen: HashMap<RunId, String>,
    ended: Vec<Ring>,
    /// Whether the terminal has the focus; none until it has told.
    focus: Option<bool>,
    touched: Instant,
    rang: Option<Instant>,
}

impl Bell {
    /// One that has seen nothing; the person has just opened the screen.
    pub fn new(now: Instant) -> Self {
        Self {
            needs: HashMap::new(),
            seen: HashMap::new(),
            ended: Vec::new(),
            focus: None,
            touched: now,
            rang: None,
        }
    }

    /// The terminal got or lost the focus.
    pub fn focused(&mut self, focused: bool) {
        self.focus = Some(focused);
    }

    /// The person did something.
    pub fn touched(&mut self, now: Instant) {
        self.touched = now;
    }

    fn attended(&self, now: Instant) -> bool {
        self.focus.unwrap_or_else(|| now.saturating_duration_since(self.touched) < LOOKS)
    }

    /// Looks at what there is. What was there already when the screen opened has ended without it.
    pub fn look(&mut self, shot: &Snapshot, beside: &Beside, now: Instant) {
        let title_of = |run: &RunId| {
            let row = shot.runs.iter().find(|row| row.id == *run);
            row.map(|row| row.title.clone()).unwrap_or_default()
        };
        let calls = shot.waiting.iter();
        let mut wanted: Vec<(String, String)> =
            calls.map(|w| (format!("{} {}", w.call.call_id, w.call.attempt), w.title.clone())).collect();
        // A run that is held waits for nobody's call.
        let held = shot.runs.iter().filter(|row| {
            let called = shot.waiting.iter().any(|waiting| waiting.call.run == row.id);
            row.status == "waiting" && row.wait.as_deref() != Some("retry") && !called
        });
        wanted.extend(held.map(|row| (format!("{} held", row.id), row.title.clone())));
        wanted.extend(beside.unsaved.keys().map(|run| (format!("{run} unsaved"), title_of(run))));
        let asleep = beside.signs.iter().filter(|signs| signs.asleep.is_some());
        wanted.extend(asleep.map(|signs| (format!("{} asleep", signs.run), title_of(&signs.run))));
        self.needs.retain(|need, _| wanted.iter().any(|(wanted, _)| wanted == need));
        for (place, (need, title)) in wanted.into_iter().enumerate() {
            self.needs.entry(need).or_insert(Need { title, since: now, place, past: 0 });
        }
        for row in &shot.runs {
            let before = self.seen.insert(row.id.clone(), row.status.clone());
            if before.is_none_or(|before| before == row.status) {
                continue;
            }
            let ring = match row.status.as_str() {
                "completed" => Ring::Done,
                "failed" => Ring::Failed,
                "limit" => Ring::Limit,
                _ => continue,
            };
            self.ended.push(ring(row.title.clone()));
        }
    }

    /// What it is to ring for now, if anything.
    pub fn due(&mut self, now: Instant) -> Option<Ring> {
        let attended = self.attended(now);
        let burst = self.rang.is_some_and(|rang| now.saturating_duration_since(rang) < BURST);
        let n = u64::try_from(self.needs.len()).unwrap_or(u64::MAX);
        let mut rings: Option<((Instant, usize), &str)> = None;
        for need in self.needs.values_mut() {
            let due = need.next().is_some_and(|at| at <= now);
            if due {
                // Times that were slept through are one.
                while need.next().is_some_and(|at| at <= now) {
                    need.past += 1;
                }
                let order = (need.since, need.place);
                if rings.is_none_or(|(first, _)| order < first) {
                    rings = Some((order, &need.title));
                }
            }
        }
        let need = rings.map(|(_, title)| Ring::NeedsYou { n, title: title.to_owned() });
        let ended = std::mem::take(&mut self.ended).into_iter().next();
        let ring = need.or(ended).filter(|_| !attended && !burst)?;
        self.rang = Some(now);
        Some(ring)
    }

    /// In how long it may ring next.
    pub fn due_in(&self, now: Instant) -> Option<Duration> {
        let next = self.needs.values().filter_map(Need::next).min()?;
        Some(next.saturating_duration_since(now))
    }
}

/// The escape sequence that shows a notification (OSC 9). The text is made harmless: no control can end it early, and
/// it is never one of the numbered commands that some terminals take under the same number.
pub fn notification(text: &str) -> Vec<u8> {
    let text: String = text.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    format!("\x1b]9;wakeful: {text}\x07").into_bytes()
}

#[cfg(test)]
mod tests;
