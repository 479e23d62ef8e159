//! Reads a reply of the schema protocol. With an enforced schema the whole text is the object; without one a strict
//! text form is taken: the object in a code fence, or the first whole object in the text. A cut reply is an error.

use serde_json::{Map, Value};

/// Places in the text at which an object is looked for.
const TRIES: usize = 32;

/// A reply of the schema protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaReply {
    /// What the model thought; may be empty.
    pub thought: String,
    /// The tool's name and its arguments as JSON.
    pub call: Option<(String, String)>,
    /// The final answer; never together with a call.
    pub answer: Option<String>,
}

/// Reads a reply: one action, or a final answer.
///
/// If the model gave both, the action counts and the answer is not taken: it has not seen the result yet.
///
/// # Errors
/// Words for the model: what is wrong, and the form to use.
pub fn parse_schema_reply(text: &str) -> Result<SchemaReply, String> {
    let body = after_thinking(text).trim();
    if body.is_empty() {
        return Err(bad("it is empty"));
    }
    if let Ok(Value::Object(map)) = serde_json::from_str::<Value>(body) {
        return reply(&map).map_err(|why| bad(&why));
    }
    let mut why = None;
    let starts = body.match_indices('{').map(|(at, _)| at);
    let mut skip_to = 0;
    for at in starts.take(TRIES) {
        if at < skip_to {
            continue;
        }
        let rest = body.get(at..).unwrap_or_default();
        // The first value of a stream of values: what follows it does not matter.
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Object(map))) => {
                skip_to = at + values.byte_offset();
                match reply(&map) {
                    Ok(found) => return Ok(found),
                    Err(found) => why = why.or(Some(found)),
                }
            }
            // The object runs to the end of the text and is not closed: what stands inside it is no reply.
            Some(Err(error)) if error.is_eof() => return Err(bad("the JSON object is cut off")),
            Some(Ok(_) | Err(_)) | None => {}
        }
    }
    Err(bad(why.as_deref().unwrap_or("there is no JSON object in it")))
}

fn bad(why: &str) -> String {
    format!(
        "The reply cannot be used: {why}. Reply with one JSON object and nothing else: \
         {{\"thought\": \"...\", \"action\": {{\"tool\": \"NAME\", \"arguments\": {{...}}}}, \"final_answer\": null}} \
         to use a tool, or {{\"thought\": \"...\", \"action\": null, \"final_answer\": \"...\"}} when you are done."
    )
}

/// The text behind a block of thinking that a model wrote into its reply.
fn after_thinking(text: &str) -> &str {
    match (text.trim_start().starts_with("<think>"), text.rsplit_once("</think>")) {
        (true, Some((_, rest))) => rest,
        (true, None) | (false, _) => text,
    }
}

fn reply(map: &Map<String, Value>) -> Result<SchemaReply, String> {
    let thought = map.get("thought").and_then(Value::as_str).unwrap_or_default().to_owned();
    let action = match map.get("action") {
        Some(Value::Object(action)) => Some(action),
        Some(Value::Null) | None => None,
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            return Err("\"action\" is neither an object nor null".to_owned());
        }
    };
    // Some models leave the frame out and give the action alone.
    let bare = (!map.contains_key("action") && !map.contains_key("final_answer")).then_some(map);
    if let Some(call) = action.or(bare.filter(|m| tool_name(m).is_some())) {
        return Ok(SchemaReply { thought, call: Some(call_of(call)?), answer: None });
    }
    match map.get("final_answer") {
        Some(Value::String(answer)) => Ok(SchemaReply { thought, call: None, answer: Some(answer.clone()) }),
        Some(Value::Null) | None => Err("it has neither an action nor a final answer".to_owned()),
        Some(other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) => {
            Ok(SchemaReply { thought, call: None, answer: Some(other.to_string()) })
        }
    }
}

fn tool_name(action: &Map<String, Value>) -> Option<&str> {
    action.get("tool").or_else(|| action.get("name")).and_then(Value::as_str).filter(|n| !n.trim().is_empty())
}

fn call_of(action: &Map<String, Value>) -> Result<(String, String), String> {
    let name = tool_name(action).ok_or("the action names no tool")?;
    let arguments = match action.get("arguments").or_else(|| action.get("parameters")) {
        None | Some(Value::Null) => "{}".to_owned(),
        // Arguments as a text with JSON in it; whether they are valid is judged with the schema later.
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Object(_) | Value::Array(_) | Value::Bool(_) | Value::Number(_))) => {
            value.to_string()
        }
    };
    Ok((name.trim().to_owned(), arguments))
}
