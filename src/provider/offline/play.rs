//! Chooses the next step of a script and fills it in. Pure.

use serde_json::{Map, Value};

use super::facts::Facts;
use super::history::{Done, History, Place, mark};
use super::script::{Condition, Script, Step};

/// What the model does next.
#[derive(Debug, PartialEq)]
pub struct Turn {
    /// Its text, with the mark at the end.
    pub text: String,
    /// Its calls: name and arguments.
    pub calls: Vec<(String, Value)>,
}

/// The next turn.
#[must_use]
pub fn next(script: &Script, history: &History) -> Turn {
    let facts = Facts::read(history);
    let place = next_place(script, history, &facts);
    let Some(step) = script.steps.get(place.step) else {
        return Turn { text: String::new(), calls: Vec::new() };
    };
    let fill = Fill { history, facts: &facts, place, rounds: step.repeat.max(1) };
    let mut parts = Vec::new();
    if let Some(message) = &history.message {
        parts.push(acknowledge(message, history.chinese));
    }
    let said = fill.text(step.say.of(history.chinese));
    if !said.trim().is_empty() {
        parts.push(said);
    }
    let tag = mark(&script.name, place, script.steps.len(), fill.rounds);
    let text = match parts.join("\n\n") {
        text if text.is_empty() => tag,
        text if text.contains('\n') => format!("{text}\n\n{tag}"),
        text => format!("{text} {tag}"),
    };
    let calls =
        step.calls.iter().map(|call| (call.name.clone(), Value::Object(fill.map(&call.args)))).collect();
    Turn { text, calls }
}

fn acknowledge(message: &str, chinese: bool) -> String {
    let short: String = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = short.chars().take(120).collect();
    if chinese {
        format!("收到：“{short}”。我按固定规则工作，会继续脚本。")
    } else {
        format!("Noted: “{short}”. I follow fixed rules and go on with the script.")
    }
}

fn next_place(script: &Script, history: &History, facts: &Facts<'_>) -> Place {
    let last = script.steps.len().saturating_sub(1);
    let Some(place) = history.place.filter(|place| place.step <= last) else {
        return enter(script, history, facts, 0).unwrap_or(start(last));
    };
    let Some(step) = script.steps.get(place.step) else {
        return start(last);
    };
    match after(script, step, place, history, facts) {
        After::Again => Place { step: place.step, round: place.round.saturating_add(1) },
        // Past the end: somebody came back after the last answer, and gets it again.
        After::At(at) => enter(script, history, facts, at).unwrap_or(place),
    }
}

enum After {
    Again,
    At(usize),
}

fn after(script: &Script, step: &Step, place: Place, history: &History, facts: &Facts<'_>) -> After {
    let branch = step
        .on
        .iter()
        .find(|branch| holds(&branch.when, history, facts))
        .and_then(|branch| script.find(&branch.goto));
    if let Some(at) = branch {
        return After::At(at);
    }
    if place.round.saturating_add(1) < step.repeat {
        return After::Again;
    }
    let jump = step.goto.as_deref().and_then(|label| script.find(label));
    // A step without calls ends its line: what stands below it is reached by a label only.
    match jump {
        Some(at) => After::At(at),
        None if step.calls.is_empty() => After::At(script.steps.len()),
        None => After::At(place.step.saturating_add(1)),
    }
}

fn start(step: usize) -> Place {
    Place { step, round: 0 }
}

/// The first step from `at` on whose condition holds.
fn enter(script: &Script, history: &History, facts: &Facts<'_>, at: usize) -> Option<Place> {
    script
        .steps
        .iter()
        .enumerate()
        .skip(at)
        .find(|(_, step)| step.when.as_ref().is_none_or(|when| holds(when, history, facts)))
        .map(|(step, _)| start(step))
}

fn holds(when: &Condition, history: &History, facts: &Facts<'_>) -> bool {
    let fits = |done: &&Done| {
        when.tool.as_ref().is_none_or(|tool| done.tool == *tool)
            && when.result.is_none_or(|result| done.outcome == result)
            && when.contains.as_ref().is_none_or(|text| done.text.contains(text))
    };
    let asks_results = when.tool.is_some() || when.result.is_some() || when.contains.is_some();
    let results = !asks_results || history.last.iter().any(|done| fits(&done));
    let known =
        when.known.as_ref().is_none_or(|name| facts.value(name).is_some_and(|value| !value.is_empty()));
    (results && known) != when.not
}

/// Replaces placeholders.
struct Fill<'a> {
    history: &'a History,
    facts: &'a Facts<'a>,
    place: Place,
    rounds: u64,
}

impl Fill<'_> {
    fn text(&self, template: &str) -> String {
        let mut out = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let known = after.split_once('}').and_then(|(name, tail)| Some((self.value(name)?, tail)));
            rest = match known {
                Some((value, tail)) => {
                    out.push_str(&value);
                    tail
                }
                None => {
                    out.push('{');
                    after
                }
            };
        }
        out.push_str(rest);
        out
    }

    fn value(&self, name: &str) -> Option<String> {
        match name {
            "i" => Some(self.place.round.saturating_add(1).to_string()),
            "n" => Some(self.rounds.to_string()),
            "goal" => Some(self.history.goal.clone()),
            "message" => Some(self.history.message.clone().unwrap_or_default()),
            "result" => Some(self.history.last.last().map(|done| done.text.clone()).unwrap_or_default()),
            name => match name.strip_prefix("result.") {
                Some(tool) => Some(self.history.result(tool, None).unwrap_or_default().to_owned()),
                None => self.facts.value(name),
            },
        }
    }

    fn map(&self, map: &Map<String, Value>) -> Map<String, Value> {
        map.iter().map(|(name, value)| (name.clone(), self.json(value))).collect()
    }

    fn json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Object(map) => Value::Object(self.map(map)),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}
