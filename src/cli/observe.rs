//! What is shown of a run at work: lines and streaming text for people, one JSON object a line for programs.

use super::duration::span;
use super::print::{Out, one_line, talk, talk_width};
use super::signals::Signals;
use super::table::clip;
use super::words::{many, sentence};
use crate::context::SchemaText;
use crate::host::clock;
use crate::provider::Delta;
use crate::run::control::Author;
use crate::run::event::{Event, NewEvent, Purpose};
use crate::run::id::{Millis, RunId, Seq};
use crate::run::settings::Protocol;
use crate::run::state::RunState;
use crate::worker::{Observer, Phase};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use unicode_width::UnicodeWidthStr;

/// Cells of a preview where there is no terminal to ask.
const USUAL: usize = 120;
/// The same for arguments.
const ARGUMENTS: usize = 160;
/// Least cells of a preview in a narrow terminal.
const NARROWEST: usize = 20;

/// One JSON object for each committed event: `event` (its kind), `seq`, `step`, `by`, `data` (as the journal has it).
/// If they cannot be printed the run is stopped, saved: nobody would know of what it does. A reader that went away is
/// no such thing.
pub struct JsonLines {
    once: Mutex<Once>,
    fault: Mutex<Option<io::Error>>,
    signals: Signals,
}

impl JsonLines {
    /// Prints; ends the process's work through `signals` if that fails.
    pub fn new(signals: Signals) -> Self {
        Self { once: Mutex::default(), fault: Mutex::default(), signals }
    }

    /// Why printing failed, told once.
    pub fn fault(&self) -> Option<io::Error> {
        self.fault.lock().ok()?.take()
    }
}

/// Says once in an invocation that the server reads less than is sent.
#[derive(Default)]
struct Once(bool);

impl Once {
    fn warning(&mut self, state: &RunState, events: &[NewEvent]) -> Option<String> {
        let replied = events.iter().any(|e| matches!(e.event, Event::ModelReplied { .. }));
        let (seen, sent) = state.ledger.cut_at_front().filter(|_| replied && !self.0)?;
        self.0 = true;
        let window = state.settings().map_or(0, |s| s.model.window);
        Some(format!(
            "  !! the server read only {seen} of the {sent} tokens that were sent: it may cut the front of the prompt off, \
             and with it the goal. Raise its context size to {window}, or lower the window of the profile (--window)"
        ))
    }
}

impl Observer for JsonLines {
    fn phase(&self, _run: &RunId, _phase: Phase) {}
    fn delta(&self, _run: &RunId, _delta: &Delta) {}
    fn committed(&self, state: &RunState, events: &[NewEvent]) {
        let (Ok(mut once), Ok(mut fault)) = (self.once.lock(), self.fault.lock()) else { return };
        if let Some(warning) = once.warning(state, events) {
            talk(&warning);
        }
        let mut out = Out::stdout();
        for (event, seq) in events.iter().zip(first_seq(state, events)..) {
            if fault.is_some() {
                return;
            }
            let json = event_json(seq, state.path.step, &event.author, &event.event);
            if let Err(error) = out.json_line(&json) {
                *fault = Some(error);
                self.signals.end();
            }
        }
    }
}

/// `in 3s`, with the time of day where it is long.
fn when(at: Millis) -> String {
    let ms = u64::try_from(at.saturating_sub(clock::wall_ms())).unwrap_or(0);
    let clock = jiff::Timestamp::from_millisecond(at)
        .map(|time| time.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S").to_string());
    match clock {
        _ if ms < 1_000 => "at once".to_owned(),
        Ok(clock) if ms >= 60_000 => format!("at {clock} (in {})", span(ms)),
        Ok(_) | Err(_) => format!("in {}", span(ms)),
    }
}

fn first_seq(state: &RunState, events: &[NewEvent]) -> Seq {
    (state.head.seq + 1).saturating_sub(events.len() as u64)
}

/// An event as programs get it.
pub fn event_json(seq: Seq, step: u32, author: &Author, event: &Event) -> Value {
    let payload = serde_json::to_value(event).unwrap_or(Value::Null);
    let data = match payload {
        Value::Object(map) => map.into_iter().next().map_or(Value::Null, |(_, v)| v),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Value::Null,
    };
    json!({ "event": event.kind(), "seq": seq, "step": step, "by": author, "data": data })
}

/// Lines on stderr, and the reply as it comes.
pub struct Lines {
    stream: bool,
    open: Mutex<bool>,
    once: Mutex<Once>,
    /// The request that is out is an aside, whose reply is not shown.
    aside: AtomicBool,
}

impl Lines {
    /// Shows streaming text too if `stream`.
    pub fn new(stream: bool) -> Self {
        Self { stream, open: Mutex::new(false), once: Mutex::default(), aside: AtomicBool::new(false) }
    }

    fn say(&self, line: &str) {
        if let Ok(mut open) = self.open.lock()
            && std::mem::take(&mut *open)
        {
            let _ = writeln!(io::stderr());
        }
        talk(line);
    }
}

impl Observer for Lines {
    fn phase(&self, _run: &RunId, _phase: Phase) {}

    fn delta(&self, _run: &RunId, delta: &Delta) {
        if !self.stream {
            return;
        }
        match delta {
            Delta::Text(text) => {
                let mut err = io::stderr();
                let _ = write!(err, "{}", super::print::neutral(text)).and_then(|()| err.flush());
                if let Ok(mut open) = self.open.lock() {
                    *open = !text.ends_with('\n');
                }
            }
            Delta::Reasoning(_) | Delta::CallName { .. } | Delta::CallArgs { .. } => {}
        }
    }

    fn committed(&self, state: &RunState, events: &[NewEvent]) {
        for event in events {
            if let Event::ModelCalled { purpose, .. } = &event.event {
                self.aside.store(purpose.is_aside(), Ordering::Relaxed);
            }
            let taken = matches!(&event.event, Event::ModelReplied { refused: None, .. });
            if taken && self.aside.load(Ordering::Relaxed) {
                continue;
            }
            if let Some(line) = line(state, &event.event, self.stream, talk_width()) {
                self.say(&line);
            }
        }
        let warning = self.once.lock().ok().and_then(|mut once| once.warning(state, events));
        if let Some(warning) = warning {
            self.say(&warning);
        }
    }
}

/// A line with a preview of a text in the middle, cut to the terminal's width, or to `usual` cells of the text where
/// there is no terminal. A cut is marked with `…`.
fn preview(head: &str, text: Option<&str>, tail: &str, width: Option<usize>, usual: usize) -> String {
    let text = one_line(text.unwrap_or("(long)"));
    let room = width.map_or(usual, |all| all.saturating_sub(head.width() + tail.width()).max(NARROWEST));
    format!("{head}{}{tail}", clip(&text, room))
}

/// Behind a summary or core of which lines were left out.
fn without(left_out: u32) -> String {
    match left_out {
        0 => String::new(),
        n => format!(", {} left out that posed as goal or instructions", many(n, "line")),
    }
}

/// The line that an event is worth; previews fit a terminal of this width.
pub fn line(state: &RunState, event: &Event, streamed: bool, width: Option<usize>) -> Option<String> {
    let text = match event {
        Event::ModelCalled { purpose: Purpose::Summary { rounds, .. }, table, .. } => {
            let rounds = many(*rounds, "older round");
            format!("  · asks for a summary of {rounds} · {} tokens", table.prompt())
        }
        Event::ModelCalled { purpose: Purpose::Keeper, table, .. } => {
            format!("  · asks for the core of the task · {} tokens", table.prompt())
        }
        Event::ModelCalled { step, attempt, table, .. } => {
            let again = if *attempt > 1 { format!(" · attempt {attempt}") } else { String::new() };
            format!("── step {step} · context {}/{} tokens{again}", table.prompt(), table.window)
        }
        Event::ModelReplied { refused: Some(why), .. } => format!("  ✗ not taken: {why}"),
        Event::ModelReplied { text, .. } if !streamed => {
            let text = one_line(&readable(state, text.inline().unwrap_or("(a long reply)")));
            if text.is_empty() {
                return None;
            }
            text
        }
        Event::ModelFailed { message, retry_at, .. } => match retry_at {
            Some(at) => format!("  ! {} It is tried again {}.", sentence(message), when(*at)),
            None => format!("  ✗ {message}"),
        },
        Event::ModelAborted { why, .. } => format!("  ✗ the model call was given up: {why}"),
        Event::CallProposed(p) => {
            let head = format!("  · {}.{} {} ", p.step, p.position, one_line(&p.tool));
            preview(&head, Some(p.args.inline().unwrap_or("(long arguments)")), "", width, ARGUMENTS)
        }
        Event::CallWaiting { why, default: Some(default), .. } => format!(
            "  ! waits for you: {why}; without an answer its recommendation is taken {}",
            when(default.at)
        ),
        Event::CallWaiting { why, default: None, .. } => format!("  ! waits for you: {why}"),
        Event::CallAnswered { by_default: Some(by), result, .. } => {
            let said = result.body.inline().and_then(|text| text.lines().next());
            preview(&format!("  ✓ {by}: "), said, "", width, USUAL)
        }
        Event::CallRejected { result, .. } => format!("  ✗ refused: {}", words(&result.body)),
        Event::CallDenied { reason, .. } => format!("  ⊘ denied: {reason}"),
        Event::CallReused { from, .. } => format!("  ✓ not run again: the result of {from} is reused"),
        Event::CallCancelled { why, .. } => format!("  ⊘ given up: {why}"),
        Event::CallReattached { .. } => {
            "  ▸ a command from before is still known; its result is awaited".to_owned()
        }
        Event::CallNotStarted { why, .. } => format!("  ✗ not started: {why}"),
        Event::CallFinished { ok, result, ms, .. } => {
            let sign = if *ok { "✓" } else { "✗" };
            match result.body.inline() {
                Some(text) => {
                    preview(&format!("  {sign} "), Some(text), &format!(" ({ms} ms)"), width, USUAL)
                }
                None => format!("  {sign} {} ({ms} ms)", words(&result.body)),
            }
        }
        Event::CallUncertain { why, .. } => format!("  ? nobody knows whether it happened: {why}"),
        Event::CheckFinished { passed, detail, .. } => {
            let head = if *passed { "  ✓ check " } else { "  ✗ check " };
            preview(head, Some(detail), "", width, USUAL)
        }
        Event::ClaimReturned { result } => {
            let reason = result.body.inline().map(crate::context::returned::reason);
            preview("  ↩ back to the agent: ", reason.as_deref(), "", width, USUAL)
        }
        Event::StepCommitted { step } => {
            format!("  ◆ checkpoint {step} · {} tokens so far", state.ledger.totals.charged)
        }
        Event::Held { why } => format!("  ! the run waits: {}", hold_words(why)),
        Event::RoundsFolded { rounds, by_model, by, left_out, .. } => {
            let by = match by {
                Some(name) => format!(", summary by {}", one_line(name)),
                None if *by_model => ", summary by the model".to_owned(),
                None => String::new(),
            };
            format!("  · folded: {}{by}{}", many(*rounds, "older round"), without(*left_out))
        }
        Event::CoreKept { text, removed, by, left_out, .. } => {
            let by = by.as_ref().map_or_else(String::new, |name| format!(" by {}", one_line(name)));
            let gone = match removed.is_empty() {
                true => String::new(),
                false => format!(", and {} taken out of the summary", many(removed.len(), "line")),
            };
            preview(&format!("  · core{by}{gone}{}: ", without(*left_out)), Some(text), "", width, USUAL)
        }
        Event::OutputsDropped { seqs, kept: Some(_), .. } => {
            format!("  · shortened to fit the window: {}", many(seqs.len(), "output"))
        }
        Event::OutputsDropped { seqs, kept: None, .. } => {
            format!("  · no longer shown to the model: {}", many(seqs.len(), "old output"))
        }
        Event::MessagesRecounted { counts } => {
            format!("  · counted anew for this model: {}", many(counts.len(), "message"))
        }
        Event::MemoriesRecalled { words_alone: Some(why), .. } => {
            format!("  ! memories are found by their words alone: {why}")
        }
        Event::MemoriesRecalled { items, words_alone: None, .. } => {
            format!("  · {} offered", many(items.len(), "memory"))
        }
        Event::ResultKept { memory, .. } => preview("  · remembered: ", Some(&memory.text), "", width, USUAL),
        Event::ControlRefused { control, why } => format!("  ! {control} was not applied: {why}"),
        Event::Paused { .. } => "  ■ paused".to_owned(),
        Event::Continued => "  ▸ goes on".to_owned(),
        Event::GoalEdited { version, goal } => {
            preview(&format!("  · goal v{version}: "), Some(&goal.text), "", width, USUAL)
        }
        Event::PlanEdited { items } => {
            format!("  · the plan was changed by a person: {}", many(items.len(), "item"))
        }
        Event::PersonMessage { body, .. } => preview("  you: ", body.inline(), "", width, USUAL),
        Event::SettingsChanged { why, .. } => format!("  · {why}"),
        Event::RollbackStarted { to_step, files, redo, chosen, .. } => {
            let what = if *redo { "undoing a rollback" } else { "rolling back" };
            let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
            let paths = match paths.is_empty() {
                true => "no files to put back".to_owned(),
                false => format!("{} to put back: {}", many(paths.len(), "file"), paths.join(", ")),
            };
            let kept = match chosen.kept.is_empty() {
                true => String::new(),
                false => format!("; kept: {}", chosen.kept.join(", ")),
            };
            let goal = if chosen.goal.is_some() { "; with the goal" } else { "" };
            let all = format!("{paths}{kept}{goal}");
            preview(&format!("  ↩ {what} to step {to_step}; "), Some(&all), "", width, USUAL)
        }
        Event::RolledBack { to_seq, timeline, kept, .. } => {
            let kept = if kept.is_empty() {
                String::new()
            } else {
                format!("; left as others changed them: {}", kept.join(", "))
            };
            format!("  ↩ rolled back to event {to_seq}, now on timeline {timeline}{kept}")
        }
        Event::RollbackFailed { why } => format!("  ✗ not rolled back: {why}"),
        Event::ModelReplied { .. }
        | Event::RunCreated { .. }
        | Event::RunClaimed { .. }
        | Event::RunReleased { .. }
        | Event::InstructionsRead { .. }
        | Event::CancelRequested
        | Event::CallApproved { .. }
        | Event::CallEdited { .. }
        | Event::CallAnswered { by_default: None, .. }
        | Event::CallStarted { .. }
        | Event::TimeoutExtended { .. }
        | Event::CallStopAsked { .. }
        | Event::CallResolved { .. }
        | Event::RunEnded { .. }
        | Event::RunReopened { .. } => return None,
    };
    Some(text)
}

/// A reply of the schema protocol that could not be read is shown without its JSON.
fn readable(state: &RunState, text: &str) -> String {
    let schema = state.settings().is_some_and(|s| s.model.protocol == Protocol::Schema);
    let words = if schema { SchemaText::default().push(text) } else { String::new() };
    if words.trim().is_empty() { text.to_owned() } else { words }
}

/// A result in one line; of a long one its size.
fn words(body: &crate::run::Body) -> String {
    match body.inline() {
        Some(text) => brief(Some(text)),
        None => format!("a long result, {}", many(body.len(), "byte")),
    }
}

fn brief(text: Option<&str>) -> String {
    preview("", text, "", None, USUAL)
}

/// Why a run is held, in words.
pub fn hold_words(hold: &crate::run::event::Hold) -> String {
    use crate::run::event::Hold;
    match hold {
        Hold::Breaker(n) => format!("{} in a row", many(*n, "failure")),
        Hold::Loop(words) => format!("it looks like a loop: {words}"),
        Hold::FailedCheck(words) => format!("a check fails again and again: {}", brief(Some(words))),
        Hold::Context(words) => words.clone(),
        Hold::Damage(words) => format!("its journal is damaged: {words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::message::FinishReason;
    use crate::run::{Body, Refused, RunId, Usage};

    #[test]
    fn a_summary_that_is_not_taken_says_why_and_one_that_is_says_what_was_left_out() {
        let state = RunState::new(RunId::new("r-1"));
        let told = |event: Event| line(&state, &event, false, None).unwrap();
        let reply = |refused| Event::ModelReplied {
            text: Body::Inline("FACTS".to_owned()),
            reasoning: None,
            calls: Vec::new(),
            finish: FinishReason::Stop,
            usage: Usage::default(),
            tokens: 1,
            first_token_ms: 1,
            ms: 2,
            refused,
        };
        assert_eq!(told(reply(Some(Refused::NoHeading))), "  ✗ not taken: it has none of the headings");
        assert_eq!(told(reply(None)), "FACTS");
        let folded = Event::RoundsFolded {
            upto: 9,
            rounds: 2,
            summary: None,
            by_model: true,
            by: None,
            left_out: 1,
            done: Vec::new(),
        };
        let said = "  · folded: 2 older rounds, summary by the model, 1 line left out that posed as goal or instructions";
        assert_eq!(told(folded), said);
        let (text, removed) = ("Read on.".to_owned(), Vec::new());
        let kept = Event::CoreKept { text, summary: None, removed, left_out: 2, by: None };
        assert_eq!(told(kept), "  · core, 2 lines left out that posed as goal or instructions: Read on.");
        // As the journal has it, and as one of before reads.
        let stored = serde_json::to_value(reply(Some(Refused::NoSentences))).unwrap();
        assert_eq!(stored["model_replied"]["refused"], "no_sentences", "{stored}");
        let newer = stored.to_string().replace("no_sentences", "something_else");
        let read: Event = serde_json::from_str(&newer).unwrap();
        assert!(matches!(read, Event::ModelReplied { refused: Some(Refused::Unknown), .. }));
        let older = serde_json::to_value(reply(None)).unwrap();
        assert!(older["model_replied"].get("refused").is_none(), "{older}");
    }
}
