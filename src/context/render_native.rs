//! The native protocol: `tools`, `tool_calls` and messages of the role `tool`.

use super::pairing::{INTERRUPTED, Item, Shown};
use super::render_schema::object_or_wrapped;
use crate::run::ToolSpec;
use serde_json::{Value, json};

/// Tools as they are offered.
pub(super) fn tools(specs: &[ToolSpec]) -> Vec<Value> {
    specs
        .iter()
        .map(|spec| {
            json!({
                "type": "function",
                "function": {
                    "name": spec.name,
                    "description": spec.description,
                    "parameters": spec.parameters,
                }
            })
        })
        .collect()
}

/// An item of the history as messages.
pub(super) fn messages(item: &Item, send_reasoning: bool) -> Vec<Value> {
    match item {
        Item::Person { text } => vec![user(text)],
        Item::Wakeful { text } => vec![user(&wakeful(text))],
        Item::Note { text } => vec![user(text)],
        Item::Agent { text, reasoning, calls } => {
            // An empty string and not null: templates join it to other text.
            let content = if text.is_empty() && calls.is_empty() { "(empty reply)" } else { text };
            let mut reply = json!({ "role": "assistant", "content": content });
            if let (true, Some(reasoning), Some(fields)) = (send_reasoning, reasoning, reply.as_object_mut())
            {
                fields.insert("reasoning_content".to_owned(), json!(reasoning));
            }
            if let (false, Some(fields)) = (calls.is_empty(), reply.as_object_mut()) {
                let rendered: Vec<Value> = calls
                    .iter()
                    .map(|paired| {
                        json!({
                            "id": paired.id,
                            "type": "function",
                            "function": {
                                "name": paired.call.name,
                                "arguments": arguments(&paired.call.arguments),
                            }
                        })
                    })
                    .collect();
                fields.insert("tool_calls".to_owned(), Value::Array(rendered));
            }
            let mut values = vec![reply];
            values.extend(calls.iter().filter_map(|paired| result(&paired.id, &paired.result)));
            values
        }
    }
}

/// The message of a result.
pub(super) fn result(id: &str, shown: &Shown) -> Option<Value> {
    let content = match shown {
        Shown::Text(text) => *text,
        Shown::Dropped(words) | Shown::Shortened(words) => words.as_str(),
        Shown::Interrupted => INTERRUPTED,
        Shown::None => return None,
    };
    Some(json!({ "role": "tool", "tool_call_id": id, "content": content }))
}

/// A message of the role `user`.
pub(super) fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

/// Words of wakeful, told apart from a person's.
pub(super) fn wakeful(text: &str) -> String {
    format!("[wakeful] {text}")
}

/// The arguments as the model wrote them; what is no JSON object is wrapped into one, since servers parse them again
/// and fail the whole request.
fn arguments(written: &str) -> String {
    match object_or_wrapped(written) {
        (_, true) => written.to_owned(),
        (wrapped, false) => wrapped.to_string(),
    }
}
