//! What the request's messages tell the offline model: the goal, its place in the script, the results.

use crate::context::{goal_in, is_own_message};
use std::collections::HashMap;

use serde_json::Value;

use super::script::Outcome;

/// A tool call with its result, as the messages show it.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// Name of the tool.
    pub tool: String,
    /// Arguments as sent.
    pub args: Value,
    /// The result's text.
    pub text: String,
    /// How it came out.
    pub outcome: Outcome,
}

/// A place in the script: step and repetition, both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The step.
    pub step: usize,
    /// The repetition.
    pub round: u64,
}

/// The messages, read.
#[derive(Debug, Default)]
pub struct History {
    /// Text of the first message of the person.
    pub goal: String,
    /// Whether the person writes Chinese.
    pub chinese: bool,
    /// Where the last reply stood.
    pub place: Option<Place>,
    /// All results that are still shown, oldest first.
    pub done: Vec<Done>,
    /// Results of the last reply's calls.
    pub last: Vec<Done>,
    /// What the person has written since the last reply.
    pub message: Option<String>,
    /// All text that is no tool result, for facts that outlive their results.
    pub words: Vec<String>,
}

impl History {
    /// Reads OpenAI-style messages; `script` is the name in the marks.
    #[must_use]
    pub fn read(messages: &[Value], script: &str) -> Self {
        let mut history = Self::default();
        let mut calls: HashMap<String, (String, Value)> = HashMap::new();
        let mut replied = false;
        for message in messages {
            let text = text_of(message);
            match message.get("role").and_then(Value::as_str) {
                Some("assistant") => {
                    replied = true;
                    history.last.clear();
                    history.message = None;
                    if let Some(place) = find_mark(&text, script) {
                        history.place = Some(place);
                    }
                    for call in list(message, "tool_calls") {
                        let id = field(call, "/id");
                        let args =
                            serde_json::from_str(&field(call, "/function/arguments")).unwrap_or_default();
                        calls.insert(id, (field(call, "/function/name"), args));
                    }
                    history.words.push(text);
                }
                Some("tool") => {
                    let (tool, args) =
                        calls.get(&field(message, "/tool_call_id")).cloned().unwrap_or_default();
                    let text = bare(&text).to_owned();
                    let outcome = outcome(&text);
                    let done = Done { tool, args, text, outcome };
                    history.last.push(done.clone());
                    history.done.push(done);
                }
                Some("user") => {
                    if is_own_message(&text) {
                        continue;
                    }
                    if history.goal.is_empty() {
                        history.goal = without_headings(&text);
                    } else if replied && !furniture(&text) {
                        history.message = Some(text.clone());
                    }
                    history.words.push(text);
                }
                Some(_) | None => {
                    if let Some(goal) = goal_in(&text) {
                        history.goal = goal.to_owned();
                    }
                    history.words.push(text);
                }
            }
        }
        if history.place.is_none() {
            // All replies are folded away: the summary tells.
            let summary = |text: &&String| text.to_lowercase().contains("summar") || text.contains("摘要");
            history.place =
                history.words.iter().rev().filter(summary).find_map(|text| find_mark(text, script));
        }
        history.chinese = chinese(&history.goal);
        history
    }

    /// Text of the last good result of a tool whose path argument (if asked) is `path`.
    #[must_use]
    pub fn result(&self, tool: &str, path: Option<&str>) -> Option<&str> {
        self.done
            .iter()
            .rev()
            .find(|done| {
                let here = path.is_none_or(|p| done.args.get("path").and_then(Value::as_str) == Some(p));
                done.tool == tool && done.outcome == Outcome::Ok && here
            })
            .map(|done| done.text.as_str())
    }
}

/// The mark of a place, as it stands in a reply.
#[must_use]
pub fn mark(script: &str, place: Place, steps: usize, rounds: u64) -> String {
    let step = place.step.saturating_add(1);
    if rounds > 1 {
        format!("[{script} {step}/{steps} · {}/{rounds}]", place.round.saturating_add(1))
    } else {
        format!("[{script} {step}/{steps}]")
    }
}

/// The last mark of `script` in a text.
#[must_use]
pub fn find_mark(text: &str, script: &str) -> Option<Place> {
    let open = format!("[{script} ");
    let mut found = None;
    for (at, _) in text.match_indices(&open) {
        let inner = text
            .get(at.saturating_add(open.len())..)
            .and_then(|rest| rest.split_once(']'))
            .map(|(inner, _)| inner);
        if let Some(place) = inner.and_then(read_mark) {
            found = Some(place);
        }
    }
    found
}

/// A reply without the mark at its end, of whatever script.
#[must_use]
pub fn unmarked(text: &str) -> &str {
    let marked = text.trim_end().strip_suffix(']').and_then(|text| text.rsplit_once('['));
    match marked {
        Some((before, mark)) if mark.split_once(' ').and_then(|(_, place)| read_mark(place)).is_some() => {
            before.trim_end()
        }
        Some(_) | None => text,
    }
}

fn read_mark(inner: &str) -> Option<Place> {
    let (step, round) = match inner.split_once(" · ") {
        Some((step, round)) => (step, Some(round)),
        None => (inner, None),
    };
    let first = |part: &str| part.split_once('/')?.0.trim().parse::<u64>().ok()?.checked_sub(1);
    Some(Place {
        step: usize::try_from(first(step)?).ok()?,
        round: match round {
            Some(round) => first(round)?,
            None => 0,
        },
    })
}

/// How a result came out, by its text: an error begins with "error" or is JSON with an `error` key.
#[must_use]
pub fn outcome(text: &str) -> Outcome {
    let head: String = text.trim_start().chars().take(200).collect::<String>().to_lowercase();
    let error = serde_json::from_str::<Value>(text)
        .ok()
        .and_then(|value| value.get("error").filter(|e| !e.is_null()).map(Value::to_string));
    let failed =
        error.is_some() || ["error", "failed", "错误", "失败"].iter().any(|word| head.starts_with(word));
    let told = error.unwrap_or(head).to_lowercase();
    let denied = ["denied", "rejected by", "拒绝"].iter().any(|word| told.contains(word))
        && !told.contains("permission_denied")
        && !told.contains("permission denied");
    // "The person denied this call: …" is no error text, but says the same.
    let first = told.lines().next().unwrap_or_default();
    let no = ["denied", "拒绝", "已拒绝"].iter().any(|word| told.starts_with(word))
        || ["call", "person", "user"].iter().any(|word| first.contains(word));
    match (failed, denied) {
        (true, true) => Outcome::Denied,
        (false, true) if no => Outcome::Denied,
        (true, false) => Outcome::Failed,
        (false, _) => Outcome::Ok,
    }
}

/// A result without the lines that mark it as data.
fn bare(text: &str) -> &str {
    let mut text = text.trim();
    let tag = |line: &str| {
        line.starts_with('<') && line.ends_with('>') && !line.contains(' ') || line.starts_with("<tool_")
    };
    if let Some((first, rest)) = text.split_once('\n')
        && tag(first.trim())
    {
        text = rest;
        if let Some((rest, last)) = text.rsplit_once('\n')
            && last.trim().starts_with("</")
        {
            text = rest;
        }
    }
    text
}

/// State, memories and the like come as messages of the user role too; they begin with a heading or a tag.
fn furniture(text: &str) -> bool {
    text.trim().is_empty() || text.trim_start().starts_with(['<', '#', '[', '{'])
}

/// The text without headings and tags around it.
fn without_headings(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !furniture(line)).collect();
    if lines.is_empty() { text.trim().to_owned() } else { lines.join("\n") }
}

fn chinese(text: &str) -> bool {
    let han = text.chars().filter(|c| ('\u{4e00}'..='\u{9fff}').contains(c)).count();
    let kana = text.chars().any(|c| ('\u{3041}'..='\u{30ff}').contains(&c));
    han >= 2 && !kana
}

fn list<'a>(message: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    message.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn field(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Text of a message, also when its content is a list of parts.
pub(super) fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().map(|part| field(part, "/text")).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => String::new(),
    }
}
