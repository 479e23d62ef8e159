//! The summary made by rules: one line a folded round, the person's last words verbatim, merged with the summary in
//! force. The same state and texts always give the same summary.
//!
//! Only what leaves the window enters it: replies, calls, results, messages. Goal and system never do, so they cannot
//! be changed by it. It is never empty and never longer than what it replaces. Failures and the person's words outlast
//! plain lines when room gets short.

use super::budget::Layout;
use super::count::Count;
use super::texts::{AgentCall, MessageText, Texts};
use super::words::{clip, ends, first_line, first_sentence, one_line};
use super::{calibrate, prompts};
use crate::run::message::{MessageRef, Speaker};
use crate::run::settings::{Class, Strategy};
use crate::run::{Hash, Purpose, RunState, Seq, Settings};
use serde_json::Value;
use std::collections::BTreeSet;

/// Stands before a person's last words; a line of its own, which no line of the summary can be.
const LAST_WORDS: &str = "LAST MESSAGE OF THE PERSON, verbatim:\n";
const LEFT_OUT: &str = " earlier rounds left out";
/// The same of what was said under a goal that is superseded: it may be carried out, or no longer wanted.
const LAST_WORDS_BEFORE: &str = "LAST MESSAGE OF THE PERSON, from before the goal was changed, verbatim:\n";
const PERSON: &str = "- person: ";
const PERSON_BEFORE: &str = "- person, before the goal was changed: ";
/// Stands before a question and what was answered.
const ASKED: &str = "- asked the person: ";
const FAILED: &str = "FAILED: ";
/// Stands between a call and what came of it.
const CAME: &str = " -> ";
/// How what came of a call begins.
const OUTCOMES: [&str; 3] = [" -> FAILED: ", " -> ok", " -> no result"];
const CURED: &str = " after the failure above";
/// Characters of a line that is shortened because room is short.
const SHORT: usize = 100;
/// Calls named in a line.
const CALLS: usize = 6;
/// Characters of what a call is about.
const ABOUT: usize = 80;
/// Characters of a person's message that is not the last, and of any of their words once room is short.
pub(super) const SAID: usize = 400;
/// Options that are named, and characters of each.
const OPTIONS: usize = 6;
const OPTION: usize = 60;
/// Characters of an answer as long as there is room.
const ANSWER: usize = 2_000;

/// Makes the summary for a fold up to `upto`; none if there is nothing to keep: under the strategies `rounds` and
/// `extract`, or without a budget. Also under those what the person said is kept: their last words if no newer ones stay
/// in the window, and what they said and answered before.
///
/// `texts` are those of the assembly that asked for the fold, the summary in force among them.
pub fn summarise(state: &RunState, texts: &Texts, upto: Seq, count: &Count) -> Option<String> {
    let settings = calibrate::own(state)?;
    let layout = Layout::of(state, &settings, texts, Purpose::Turn, count);
    let (folded, kept): (Vec<&MessageRef>, Vec<&MessageRef>) =
        state.path.messages.iter().partition(|m| m.seq <= upto);
    let old = Summary::in_force(state, texts);
    let person_stays = kept.iter().any(|m| m.speaker == Speaker::Person);
    let made = lines_of(&folded, texts, edited(state), &|tool| asks(&settings, tool));
    let merged = old.with(made, person_stays);
    let kept = match settings.context.strategy {
        Strategy::Rounds | Strategy::Extract => merged.of_the_person(),
        Strategy::Summary | Strategy::Combined => merged,
    };
    let replaced = folded.iter().fold(0_u32, |sum, m| sum.saturating_add(m.tokens));
    let replaced = replaced.saturating_add(texts.summary.as_deref().map_or(0, count));
    let budget = layout.summary.saturating_sub(count(&prompts::summary("")));
    Some(kept.fit(budget.min(replaced), count)).filter(|text| !text.is_empty())
}

/// True for a tool that asks the person.
pub(super) fn asks(settings: &Settings, tool: &str) -> bool {
    settings.tool(tool).is_some_and(|spec| spec.class == Class::Person)
}

/// What a stored summary says of the rounds that left the window, line by line, without what the person said.
pub fn summary_lines(text: &str) -> Vec<String> {
    let lines = Summary::read(text).into_lines().into_iter().filter(|line| !is_said(line));
    lines.map(|line| line.strip_prefix("- ").unwrap_or(&line).to_owned()).collect()
}

/// A stored summary within `limit` tokens, the oldest lines gone first; a person's last words always stay.
pub(super) fn cut(text: &str, limit: u32, count: &Count) -> String {
    Summary::read(text).fit(limit, count)
}

/// A summary in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    left_out: u64,
    /// Each begins with `- ` and is one line.
    lines: Vec<String>,
    last_words: Option<String>,
    /// These words are from before the goal was changed.
    before: bool,
}

/// A line of a folded round, a person's whole message, or a line of what they were asked and answered.
pub(super) enum Made {
    Line(String),
    /// With true for one from before the goal was changed.
    Person(String, bool),
    Answer(String),
}

impl Summary {
    pub(super) fn read(text: &str) -> Self {
        let marked = format!("\n{text}");
        // The first heading counts: behind it stand the person's words, whatever they look like.
        let headings = [(LAST_WORDS, false), (LAST_WORDS_BEFORE, true)];
        let found = headings.iter().filter_map(|(heading, before)| {
            let (body, words) = marked.split_once(&format!("\n{heading}"))?;
            Some((body, Some(words.to_owned()), *before))
        });
        let found = found.min_by_key(|(body, ..)| body.len());
        let (body, last_words, before) = found.unwrap_or((marked.as_str(), None, false));
        let mut summary = Self { left_out: 0, lines: Vec::new(), last_words, before };
        for line in body.lines().filter(|line| !line.trim().is_empty()) {
            let number = line.strip_prefix("- (").and_then(|rest| rest.split_once(LEFT_OUT)).map(|(n, _)| n);
            match number.and_then(|n| n.parse::<u64>().ok()) {
                Some(n) if summary.lines.is_empty() => summary.left_out += n,
                Some(_) | None => summary.lines.push(line.to_owned()),
            }
        }
        summary
    }

    /// Appends what was folded. Words that are not the last any more become a line.
    pub(super) fn with(mut self, made: Vec<Made>, person_stays: bool) -> Self {
        for part in made {
            match part {
                Made::Line(line) | Made::Answer(line) => self.lines.push(line),
                Made::Person(text, before) => {
                    if let Some(words) = self.last_words.replace(text) {
                        self.lines.push(person_line(&words, self.before));
                    }
                    self.before = before;
                }
            }
        }
        if person_stays && let Some(words) = self.last_words.take() {
            self.lines.push(person_line(&words, self.before));
        }
        self
    }

    /// The same once the goal was changed: all that the person said in it was said before.
    fn superseded(mut self) -> Self {
        for line in &mut self.lines {
            if let Some(said) = line.strip_prefix(PERSON) {
                *line = format!("{PERSON_BEFORE}{said}");
            }
        }
        self.before = self.last_words.is_some();
        self
    }

    /// The summary in force of a run. What the person said in it under a goal that was changed since is marked.
    pub(super) fn in_force(state: &RunState, texts: &Texts) -> Self {
        let summary = texts.summary.as_deref().map(Self::read).unwrap_or_default();
        let folded = state.path.folded.as_ref().map_or(0, |folded| folded.upto);
        if folded < edited(state) { summary.superseded() } else { summary }
    }

    /// What the person said alone, to be followed by what a model makes of the rest.
    pub(super) fn of_the_person(mut self) -> Self {
        self.lines.retain(|line| is_said(line));
        self.left_out = 0;
        self
    }

    /// Its lines.
    pub(super) fn into_lines(self) -> Vec<String> {
        self.lines
    }

    /// The text without these lines, counted from 1; none if that is the same. What the person said stays; who finds more
    /// than half of the lines wrong is not believed.
    pub(super) fn without(mut self, numbers: &[usize]) -> Option<String> {
        let before = self.lines.len();
        let mut at = 0;
        self.lines.retain(|line| {
            at += 1;
            is_said(line) || !numbers.contains(&at)
        });
        (self.lines.len() < before && 2 * self.lines.len() >= before).then(|| self.text())
    }

    /// The same with more lines at its end.
    pub(super) fn followed_by(mut self, lines: Vec<String>) -> Self {
        self.lines.extend(lines);
        self
    }

    /// The text within `limit` tokens. Oldest first, plain lines are shortened, then left out, then all that the person
    /// did not say, then what they said.
    pub(super) fn fit(mut self, limit: u32, count: &Count) -> String {
        let words = self.last_words.as_ref().map_or(0, |words| {
            let heading = if self.before { LAST_WORDS_BEFORE } else { LAST_WORDS };
            count(&format!("{heading}{words}"))
        });
        let frame = count(&left_out_line(self.left_out + self.lines.len() as u64)).saturating_add(words);
        let mut room = Room {
            sizes: self.lines.iter().map(|line| count(&format!("{line}\n"))).collect(),
            limit: limit.checked_sub(frame),
        };
        let kinds: [&dyn Fn(&str) -> bool; 3] = [&is_plain, &|line| !is_said(line), &|_| true];
        for gives_way in kinds {
            self.shorten(&mut room, gives_way, count);
            self.leave_out(&mut room, gives_way);
        }
        let text = self.text();
        // No room for a single word: the budget is 0, or what is replaced is shorter than any summary.
        if self.last_words.is_none() && count(&text) > limit && self.lines.is_empty() {
            String::new()
        } else {
            text
        }
    }

    /// Shortens lines of a kind, the oldest first, until there is room.
    fn shorten(&mut self, room: &mut Room, gives_way: &dyn Fn(&str) -> bool, count: &Count) {
        for most in [SAID, SHORT] {
            for (at, line) in self.lines.iter_mut().enumerate() {
                if !room.is_short() {
                    return;
                }
                if gives_way(line)
                    && let Some(size) = room.sizes.get_mut(at)
                {
                    *line = shortened(line, most);
                    *size = count(&format!("{line}\n"));
                }
            }
        }
    }

    /// Leaves lines of a kind out, the oldest first, until there is room.
    fn leave_out(&mut self, room: &mut Room, gives_way: &dyn Fn(&str) -> bool) {
        let mut at = 0;
        while room.is_short() && at < self.lines.len() {
            if self.lines.get(at).is_some_and(|line| gives_way(line)) {
                self.lines.remove(at);
                room.sizes.remove(at);
                self.left_out += 1;
            } else {
                at += 1;
            }
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        if self.left_out > 0 {
            text.push_str(&left_out_line(self.left_out));
        }
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        if let Some(words) = &self.last_words {
            text.push_str(if self.before { LAST_WORDS_BEFORE } else { LAST_WORDS });
            text.push_str(words);
        }
        text
    }
}

/// Tokens of the lines, and what they may take together; none if not even their frame fits.
struct Room {
    sizes: Vec<u32>,
    limit: Option<u32>,
}

impl Room {
    fn is_short(&self) -> bool {
        let used = self.sizes.iter().fold(0_u32, |sum, size| sum.saturating_add(*size));
        self.limit.is_none_or(|limit| used > limit)
    }
}

/// A line of about this many characters: of a call its middle goes, what came of it stays.
fn shortened(line: &str, most: usize) -> String {
    if line.chars().nth(most).is_none() {
        return line.to_owned();
    }
    if is_said(line) || !line.contains(CAME) {
        return clip(line, most);
    }
    let parts: Vec<&str> = line.split(" | ").filter(|part| part.contains(CAME)).collect();
    let each = (most / parts.len().max(1)).max(SHORT / 2);
    let parts: Vec<String> = parts.iter().map(|part| shortened_call(part, each)).collect();
    let line = parts.join(" | ");
    if line.starts_with("- ") { line } else { format!("- {line}") }
}

fn shortened_call(part: &str, most: usize) -> String {
    // The command and what it printed may hold the sign as well.
    let at = OUTCOMES.iter().find_map(|outcome| part.find(outcome)).or_else(|| part.find(CAME));
    let Some((what, came)) = at.and_then(|at| part.split_at_checked(at)) else { return clip(part, most) };
    let came = came.strip_prefix(CAME).unwrap_or(came);
    let came = clip(came, most / 2);
    format!("{}{CAME}{came}", ends(what, most.saturating_sub(came.chars().count())))
}

fn left_out_line(rounds: u64) -> String {
    format!("- ({rounds}{LEFT_OUT})\n")
}

fn person_line(text: &str, before: bool) -> String {
    let heading = if before { PERSON_BEFORE } else { PERSON };
    format!("{heading}\"{}\"", one_line(text, SAID))
}

/// The event that changed the goal last; 0 if none did.
pub(super) fn edited(state: &RunState) -> Seq {
    state.path.superseded.map_or(0, |before| before.seq)
}

/// A failure and its cure outlast plain lines together: one without the other would mislead. So does what a model
/// thought worth keeping, but for what was done.
fn is_plain(line: &str) -> bool {
    let kept = ["- decided: ", "- fact: ", "- error: ", "- open: ", PERSON, PERSON_BEFORE, ASKED];
    !kept.iter().any(|kept| line.starts_with(kept)) && !line.contains(FAILED) && !line.contains(CURED)
}

/// True for a line of what the person said.
fn is_said(line: &str) -> bool {
    [PERSON, PERSON_BEFORE, ASKED].iter().any(|said| line.starts_with(said))
}

/// A line or a message for each folded round, and a line for each question that was answered in it; `asks` knows the
/// tools that ask, and `edited` is the event that changed the goal last.
pub(super) fn lines_of(
    folded: &[&MessageRef],
    texts: &Texts,
    edited: Seq,
    asks: &dyn Fn(&str) -> bool,
) -> Vec<Made> {
    let mut made = Vec::new();
    let mut failed = BTreeSet::new();
    for message in folded {
        match (&message.speaker, texts.messages.get(&message.seq)) {
            (Speaker::Person, Some(MessageText::Person { text })) => {
                made.push(Made::Person(text.clone(), message.seq < edited));
            }
            (Speaker::Wakeful, Some(MessageText::Wakeful { text })) => {
                made.push(Made::Line(format!("- wakeful: {}", one_line(text, 200))));
            }
            (Speaker::Agent { calls: shown }, Some(MessageText::Agent { text, calls, .. })) => {
                let shown = usize::try_from(*shown).unwrap_or(usize::MAX);
                let calls = calls.get(..shown.min(calls.len())).unwrap_or_default();
                made.push(Made::Line(agent_line(message.seq, text, calls, folded, texts, &mut failed)));
                let answered = calls.iter().filter(|call| asks(&call.name));
                made.extend(answered.filter_map(|call| answer_line(message.seq, call, folded, texts)));
            }
            (speaker, Some(MessageText::Result { tool, ok, text })) if is_late(speaker, folded) => {
                let word = if *ok { "" } else { FAILED };
                made.push(Made::Line(format!("- late result of {tool}: {word}{}", one_line(text, 200))));
            }
            (Speaker::Result { .. }, _) => {}
            (Speaker::Person | Speaker::Wakeful | Speaker::Agent { .. }, _) => {
                made.push(Made::Line("- (a round whose text could not be read)".to_owned()));
            }
        }
    }
    made
}

/// What the person was asked and answered, whole as long as there is room.
fn answer_line(reply: Seq, call: &AgentCall, folded: &[&MessageRef], texts: &Texts) -> Option<Made> {
    let answer = texts.messages.get(&result_of(reply, call, folded)?)?;
    let MessageText::Result { ok: true, text, .. } = answer else { return None };
    let question = match question(&call.arguments) {
        Some(question) => format!("\"{}\"", one_line(&question, SHORT)),
        None => "to decide".to_owned(),
    };
    // Behind the answer: what was offered goes first where room is short.
    let offered = offered(&call.arguments).map_or_else(String::new, |all| format!("; offered: {all}"));
    Some(Made::Answer(format!("{ASKED}{question}; answer: \"{}\"{offered}", one_line(text, ANSWER))))
}

/// The question of a call that asks the person; none for a decision, of which only the options are kept: the goal stands
/// elsewhere, and not in the words of who asks.
fn question(arguments: &str) -> Option<String> {
    let parsed: Value = serde_json::from_str(arguments).ok()?;
    let decision = parsed.get("recommendation").is_some();
    if decision { None } else { main_argument(arguments).or_else(|| Some(String::new())) }
}

/// The options that the person was offered, and which was recommended; none if there were none.
fn offered(arguments: &str) -> Option<String> {
    let parsed: Value = serde_json::from_str(arguments).ok()?;
    let title = |option: &Value| option.get("title").unwrap_or(option).as_str().map(str::to_owned);
    let titles: Vec<String> = parsed.get("options")?.as_array()?.iter().filter_map(title).collect();
    let recommended = parsed.get("recommendation").and_then(|by| match by {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok().or_else(|| place_of(text.trim(), &titles)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    });
    let option = |(nth, title): (u64, &String)| {
        let mark = if recommended == Some(nth) { " (recommended)" } else { "" };
        format!("\"{}\"{mark}", one_line(title, OPTION))
    };
    let all: Vec<String> = (1..).zip(&titles).take(OPTIONS).map(option).collect();
    let more = titles.len().saturating_sub(OPTIONS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!all.is_empty()).then(|| all.join(" / ") + &more)
}

/// The place of a title among the options, from 1.
fn place_of(title: &str, titles: &[String]) -> Option<u64> {
    (1..).zip(titles).find(|(_, one)| one.trim() == title).map(|(nth, _)| nth)
}

/// True for a result whose reply was folded before it came.
fn is_late(speaker: &Speaker, folded: &[&MessageRef]) -> bool {
    match speaker {
        Speaker::Result { reply_seq, .. } => !folded.iter().any(|m| m.seq == *reply_seq),
        Speaker::Wakeful => true,
        Speaker::Agent { .. } | Speaker::Person => false,
    }
}

/// What the agent said it does, and each call with what came of it.
fn agent_line(
    reply: Seq,
    text: &str,
    calls: &[AgentCall],
    folded: &[&MessageRef],
    texts: &Texts,
    failed: &mut BTreeSet<Subject>,
) -> String {
    let mut parts = Vec::new();
    let said = if calls.is_empty() { one_line(text, 300) } else { first_sentence(text, 160) };
    if !said.is_empty() {
        parts.push(said);
    }
    for call in calls.iter().take(CALLS) {
        let what = Subject::of(call);
        let seq = result_of(reply, call, folded);
        let came = match seq.and_then(|seq| texts.messages.get(&seq)) {
            Some(MessageText::Result { ok: true, text, .. }) => {
                let fixed = if failed.remove(&what) { CURED } else { "" };
                format!("ok{fixed}: {}", one_line(first_line(text), 100))
            }
            Some(MessageText::Result { ok: false, text, .. }) => {
                failed.insert(what.clone());
                format!("{FAILED}{}", one_line(text, 200))
            }
            Some(MessageText::Agent { .. } | MessageText::Person { .. } | MessageText::Wakeful { .. })
            | None
                if seq.is_some() =>
            {
                "its text could not be read".to_owned()
            }
            Some(_) | None => "no result".to_owned(),
        };
        parts.push(format!("{} -> {came}", what.words));
    }
    if calls.len() > CALLS {
        parts.push(format!("{} more calls", calls.len() - CALLS));
    }
    if parts.is_empty() {
        parts.push("(empty reply)".to_owned());
    }
    format!("- {}", parts.join(" | "))
}

/// The message that holds the result of a call of this reply.
pub(super) fn result_of(reply: Seq, call: &AgentCall, folded: &[&MessageRef]) -> Option<Seq> {
    folded.iter().find_map(|m| match &m.speaker {
        Speaker::Result { call_id, reply_seq, .. } if *reply_seq == reply && *call_id == call.call_id => {
            Some(m.seq)
        }
        Speaker::Result { .. } | Speaker::Agent { .. } | Speaker::Person | Speaker::Wakeful => None,
    })
}

/// A call in a few words, its tool and what it is about, and what tells it from others that the same words stand for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Subject {
    /// The words.
    pub(super) words: String,
    /// Of the whole argument, if the words do not hold all of it.
    pub(super) whole: Option<String>,
}

impl Subject {
    pub(super) fn of(call: &AgentCall) -> Self {
        let argument = main_argument(&call.arguments).unwrap_or_default();
        let line = ends(&argument, ABOUT);
        let whole = (line != argument).then(|| Hash::of(argument.as_bytes()).short(16).to_owned());
        Self { words: format!("{} {line}", call.name).trim().to_owned(), whole }
    }
}

/// The argument that says what a call is about.
fn main_argument(arguments: &str) -> Option<String> {
    const KEYS: [&str; 9] =
        ["command", "path", "url", "query", "pattern", "text", "question", "title", "name"];
    let parsed: Value = serde_json::from_str(arguments).ok()?;
    let map = parsed.as_object()?;
    // Of a decision its options, not the goal in the words of who asks.
    if map.contains_key("recommendation") {
        return offered(arguments);
    }
    let by_key = KEYS.iter().find_map(|key| map.get(*key).and_then(Value::as_str));
    by_key.or_else(|| map.values().find_map(Value::as_str)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> u32 {
        text.chars().count() as u32
    }

    #[test]
    fn a_summary_reads_back_as_it_was_written() {
        let summary = Summary {
            left_out: 3,
            lines: vec!["- one".to_owned(), "- (two)".to_owned()],
            last_words: Some("多行\n\nLAST MESSAGE OF THE PERSON, verbatim:\nquoted".to_owned()),
            before: false,
        };
        assert_eq!(Summary::read(&summary.text()), summary);
        let bare = Summary { left_out: 0, lines: Vec::new(), last_words: Some("x".to_owned()), before: true };
        assert_eq!(Summary::read(&bare.text()), bare);
    }

    #[test]
    fn lines_that_are_wrong_go_but_never_most_of_them_nor_what_the_person_said() {
        let lines = ["- a", "- b", &person_line("c", false), "- d"].map(str::to_owned).to_vec();
        let summary = Summary { left_out: 0, lines, last_words: None, before: false };
        assert_eq!(summary.clone().without(&[2, 3, 9]).unwrap(), "- a\n- person: \"c\"\n- d\n");
        assert_eq!(summary.clone().without(&[1, 2, 4]), None);
        assert_eq!(summary.without(&[3]), None);
    }

    #[test]
    fn a_shortened_line_loses_the_middle_of_the_command_and_never_what_came_of_it() {
        let line =
            format!("- I run it. | shell cargo {} --last -> FAILED: exit 101: no such table", "x".repeat(90));
        let short = shortened(&line, SHORT);
        assert!(short.contains(" --last -> FAILED: exit 101: no such table"), "{short}");
        assert!(short.starts_with("- shell cargo x") && short.chars().count() <= SHORT + 10, "{short}");
        let two = format!("- {} | read_file a -> ok: b -> c", "shell make -> FAILED: exit 2 ".repeat(2));
        assert!(shortened(&two, 50).contains("FAILED: exit 2") && shortened(&two, 50).contains("-> ok"));
    }

    #[test]
    fn plain_lines_go_before_failures_and_words_of_the_person() {
        let lines = vec![
            "- shell make -> FAILED: no rule".to_owned(),
            format!("- {}", "plain ".repeat(30)),
            person_line("do not touch X", false),
            "- newest".to_owned(),
        ];
        let summary = Summary { left_out: 0, lines, last_words: Some("go".to_owned()), before: false };
        let text = summary.clone().fit(170, &chars);
        assert!(chars(&text) <= 170, "{text}");
        assert!(text.contains("FAILED: no rule") && text.contains("do not touch X"), "{text}");
        assert!(text.contains("(1 earlier rounds left out)") && text.ends_with("go"), "{text}");
        assert!(summary.fit(1, &chars).ends_with("verbatim:\ngo"));
    }
}
