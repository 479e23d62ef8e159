//! The schema protocol for models with weak or no tool calling: each turn is one JSON object, an action or a final
//! answer, forced by `response_format`. Tools stand as text in the system message, results come as user messages.

use super::pairing::{INTERRUPTED, Item, PairedCall, Shown};
use super::render_native::{user, wakeful};
use crate::run::ToolSpec;
use serde_json::{Map, Value, json};

/// Most characters of a thought: small models repeat themselves without end where a grammar lets them.
const THOUGHT_MAX: u32 = 600;

/// What the reply has to look like. Two alternatives at the root, so that a grammar made of it allows neither both
/// nor none of action and answer. Without tools only the answer is left.
pub(super) fn response_format(specs: &[ToolSpec]) -> Value {
    let answer = alternative(json!({ "type": "null" }), json!({ "type": "string" }));
    let schema = if specs.is_empty() {
        answer
    } else {
        let actions: Vec<Value> = specs
            .iter()
            .map(|spec| {
                json!({
                    "type": "object",
                    "properties": { "tool": { "const": spec.name }, "arguments": spec.parameters },
                    "required": ["tool", "arguments"],
                    "additionalProperties": false,
                })
            })
            .collect();
        json!({ "anyOf": [alternative(json!({ "anyOf": actions }), json!({ "type": "null" })), answer] })
    };
    json!({ "type": "json_schema", "json_schema": { "name": "turn", "strict": true, "schema": schema } })
}

fn alternative(action: Value, answer: Value) -> Value {
    json!({
        "type": "object",
        "properties": { "thought": { "type": "string", "maxLength": THOUGHT_MAX }, "action": action, "final_answer": answer },
        "required": ["thought", "action", "final_answer"],
        "additionalProperties": false,
    })
}

/// The tools as a section of the system message; empty without tools.
pub(super) fn tools_text(specs: &[ToolSpec]) -> String {
    let mut text = String::new();
    for spec in specs {
        if text.is_empty() {
            text.push_str("TOOLS (name: what it does; JSON Schema of its arguments)\n");
        }
        text.push_str(&tool_text(spec));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// One tool of that section.
pub(super) fn tool_text(spec: &ToolSpec) -> String {
    format!("{}: {}\n{}\n", spec.name, spec.description.trim(), spec.parameters)
}

/// An item of the history as messages. A reply with several calls, from a time under the native protocol, becomes
/// one action after the other.
pub(super) fn messages(item: &Item) -> Vec<Value> {
    match item {
        Item::Person { text } => vec![user(text)],
        Item::Wakeful { text } => vec![user(&wakeful(text))],
        Item::Note { text } => vec![user(text)],
        Item::Agent { text, calls, .. } if calls.is_empty() => {
            vec![assistant(&json!({ "thought": "", "action": null, "final_answer": text }))]
        }
        Item::Agent { text, calls, .. } => {
            let mut values = Vec::new();
            for (index, paired) in calls.iter().enumerate() {
                values.push(assistant(&action(if index == 0 { text } else { "" }, paired)));
                values.extend(result(&paired.call.name, &paired.result));
            }
            values
        }
    }
}

fn action(thought: &str, paired: &PairedCall) -> Value {
    let (arguments, _) = object_or_wrapped(&paired.call.arguments);
    json!({
        "thought": thought,
        "action": { "tool": paired.call.name, "arguments": arguments },
        "final_answer": null,
    })
}

fn assistant(turn: &Value) -> Value {
    json!({ "role": "assistant", "content": turn.to_string() })
}

/// The message of a result.
pub(super) fn result(tool: &str, shown: &Shown) -> Option<Value> {
    let content = match shown {
        Shown::Text(text) => format!("RESULT of {tool}:\n{text}"),
        Shown::Dropped(words) | Shown::Shortened(words) => format!("RESULT of {tool}:\n{words}"),
        Shown::Interrupted => format!("RESULT of {tool}:\n{INTERRUPTED}"),
        Shown::None => return None,
    };
    Some(user(&content))
}

/// The arguments as a JSON object, and whether they were one as written. Nothing at all is the empty object.
pub(super) fn object_or_wrapped(written: &str) -> (Value, bool) {
    if written.trim().is_empty() {
        return (json!({}), false);
    }
    match serde_json::from_str::<Map<String, Value>>(written) {
        Ok(map) => (Value::Object(map), true),
        Err(_) => (json!({ "unparsable_arguments": written }), false),
    }
}
