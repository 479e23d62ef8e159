//! Own lenient types of what servers send: every field is optional, every dialect is read.
//!
//! A chunk never fails to parse once it is JSON; what cannot be read is left out. Whether what was read makes a
//! whole reply is judged in [`super::stream`].

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::types::{Finish, Usage};

/// One chunk of a stream, or a whole non-streamed completion.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chunk {
    /// The model's name as the server says it.
    pub model: Option<String>,
    /// Text of this chunk.
    pub text: String,
    /// Reasoning of this chunk.
    pub reasoning: String,
    /// Pieces of tool calls, in the chunk's order.
    pub calls: Vec<CallPiece>,
    /// True when the calls stand in a whole `message`, each a call of its own.
    pub whole: bool,
    /// Finish reason, if one is given.
    pub finish: Finish,
    /// Usage, if a number is given.
    pub usage: Option<UsagePiece>,
    /// An error object in place of (or beside) a chunk.
    pub error: Option<Value>,
    /// False for JSON that has nothing of a chat completion.
    pub recognised: bool,
}

/// A piece of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallPiece {
    /// The server's slot number, if it gives one.
    pub index: Option<u64>,
    /// Id, never empty.
    pub id: Option<String>,
    /// Name, never empty.
    pub name: Option<String>,
    /// Arguments as text.
    pub arguments: String,
    /// True when the arguments came as a JSON object: they are whole, not a piece.
    pub object: bool,
}

/// Usage fields as far as they were given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsagePiece {
    /// Prompt tokens.
    pub prompt: Option<u64>,
    /// Completion tokens.
    pub completion: Option<u64>,
    /// Cached prompt tokens.
    pub cached: Option<u64>,
    /// Total.
    pub total: Option<u64>,
    /// Reasoning tokens.
    pub reasoning: Option<u64>,
}

impl UsagePiece {
    /// Newer numbers win; what the newer piece leaves out stays.
    #[must_use]
    pub fn merged(self, newer: Self) -> Self {
        Self {
            prompt: newer.prompt.or(self.prompt),
            completion: newer.completion.or(self.completion),
            cached: newer.cached.or(self.cached),
            total: newer.total.or(self.total),
            reasoning: newer.reasoning.or(self.reasoning),
        }
    }

    /// As [`Usage`]; what is missing is worked out from the total where that is possible, else 0.
    #[must_use]
    pub fn usage(self) -> Usage {
        let rest = |known: Option<u64>| match (self.total, known) {
            (Some(total), Some(known)) => total.saturating_sub(known),
            (Some(_), None) | (None, Some(_) | None) => 0,
        };
        Usage {
            prompt: self.prompt.unwrap_or_else(|| rest(self.completion)),
            completion: self.completion.unwrap_or_else(|| rest(self.prompt)),
            cached: self.cached,
            total: self.total,
            reasoning: self.reasoning,
            estimated: false,
        }
    }
}

impl<'de> Deserialize<'de> for Chunk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(|value| Self::read(&value))
    }
}

impl Chunk {
    /// Reads a chunk or a whole completion.
    #[must_use]
    pub fn read(value: &Value) -> Self {
        let mut chunk = Self {
            model: value.get("model").and_then(text_of),
            usage: read_usage(value),
            error: error_of(value).cloned(),
            recognised: ["choices", "usage", "error", "object"].iter().any(|name| value.get(name).is_some()),
            ..Self::default()
        };
        let choices = value.get("choices").and_then(Value::as_array);
        // Only the first choice is asked for; others belong to nobody.
        let choice = choices
            .into_iter()
            .flatten()
            .find(|choice| choice.get("index").and_then(number_of).unwrap_or(0) == 0);
        if let Some(choice) = choice {
            chunk.read_choice(choice);
        }
        chunk
    }

    fn read_choice(&mut self, choice: &Value) {
        self.finish = finish_of(choice.get("finish_reason"));
        if self.error.is_none() {
            self.error = error_of(choice).cloned();
        }
        let delta = choice.get("delta").filter(|d| d.is_object());
        let message = choice.get("message").filter(|m| m.is_object());
        self.whole = delta.is_none() && message.is_some();
        let Some(body) = delta.or(message) else {
            // The old completions form.
            self.text = choice.get("text").and_then(text_of).unwrap_or_default();
            return;
        };
        read_content(body.get("content"), &mut self.text, &mut self.reasoning);
        if let Some(refusal) = body.get("refusal").and_then(text_of) {
            self.text.push_str(&refusal);
        }
        // Some servers send the same reasoning under two names: the first one with text counts.
        let reasoning = ["reasoning_content", "reasoning", "thinking"]
            .iter()
            .filter_map(|name| body.get(name))
            .map(plain_text)
            .find(|text| !text.is_empty());
        self.reasoning.push_str(&reasoning.unwrap_or_default());
        match body.get("tool_calls") {
            Some(Value::Array(calls)) => self.calls.extend(calls.iter().map(CallPiece::read)),
            Some(call @ Value::Object(_)) => self.calls.push(CallPiece::read(call)),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => {}
        }
        if let Some(call) = body.get("function_call").filter(|c| c.is_object()) {
            self.calls.push(CallPiece::read(call));
        }
    }
}

impl CallPiece {
    fn read(value: &Value) -> Self {
        let function = value.get("function").filter(|f| f.is_object());
        let source = function.unwrap_or(value);
        let (arguments, object) = match source.get("arguments").or_else(|| source.get("parameters")) {
            Some(Value::String(text)) => (text.clone(), false),
            Some(object @ Value::Object(_)) => (object.to_string(), true),
            Some(Value::Null) | None => (String::new(), false),
            // Kept as sent, so that the model sees what was wrong with it.
            Some(other @ (Value::Array(_) | Value::Bool(_) | Value::Number(_))) => (other.to_string(), false),
        };
        Self {
            index: value.get("index").and_then(number_of),
            id: value.get("id").and_then(text_of).filter(|id| !id.is_empty()),
            name: source.get("name").and_then(text_of).filter(|name| !name.is_empty()),
            arguments,
            object,
        }
    }

    /// True when it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.id.is_none() && self.name.is_none() && self.arguments.is_empty()
    }
}

fn error_of(value: &Value) -> Option<&Value> {
    match value.get("error") {
        None | Some(Value::Null | Value::Bool(_) | Value::Number(_)) => {}
        Some(Value::String(text)) if text.is_empty() => {}
        Some(Value::Object(fields)) if fields.is_empty() => {}
        Some(Value::String(_) | Value::Array(_) | Value::Object(_)) => return Some(value),
    }
    // `{"object":"error","message":…}`
    (value.get("object").and_then(Value::as_str) == Some("error")).then_some(value)
}

fn finish_of(value: Option<&Value>) -> Finish {
    let Some(text) = value.and_then(text_of) else {
        return Finish::None;
    };
    match text.trim() {
        "" | "null" => Finish::None,
        "stop" => Finish::Stop,
        "tool_calls" | "function_call" => Finish::ToolCalls,
        "length" | "max_tokens" => Finish::Length,
        "content_filter" => Finish::ContentFilter,
        other => Finish::Other(other.to_owned()),
    }
}

/// Content as text, null or a list of parts.
fn read_content(content: Option<&Value>, text: &mut String, reasoning: &mut String) {
    match content {
        Some(Value::Array(parts)) => {
            for part in parts {
                let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
                let words = plain_text(part);
                if kind.contains("think") || kind.contains("reason") {
                    reasoning.push_str(&words);
                } else {
                    text.push_str(&words);
                }
            }
        }
        Some(Value::Null | Value::Bool(_)) | None => {}
        Some(other @ (Value::String(_) | Value::Number(_) | Value::Object(_))) => {
            text.push_str(&plain_text(other));
        }
    }
}

/// The words in a value, wherever they stand. Depth is bounded by the JSON parser's own limit.
fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(parts) => parts.iter().map(plain_text).collect(),
        Value::Object(fields) => ["text", "content", "thinking", "reasoning", "summary"]
            .iter()
            .find_map(|name| fields.get(*name))
            .map(plain_text)
            .unwrap_or_default(),
        Value::Null | Value::Bool(_) => String::new(),
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A count, also when it is a string or a float; a fraction is none.
#[must_use]
pub fn number_of(value: &Value) -> Option<u64> {
    let float = match value {
        Value::Number(number) => match number.as_u64() {
            Some(whole) => return Some(whole),
            None => number.as_f64()?,
        },
        Value::String(text) => match text.trim().parse::<u64>() {
            Ok(whole) => return Some(whole),
            Err(_) => text.trim().parse::<f64>().ok()?,
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    if (0.0..1e15).contains(&float) && float.fract() == 0.0 {
        // In range and whole, so that the cast changes nothing.
        Some(float as u64)
    } else {
        None
    }
}

fn read_usage(value: &Value) -> Option<UsagePiece> {
    let usage = value
        .get("usage")
        .filter(|u| u.is_object())
        .or_else(|| value.pointer("/x_groq/usage"))
        .or_else(|| value.pointer("/choices/0/usage"));
    let piece = match usage {
        Some(usage) => {
            let find = |paths: &[&str]| paths.iter().find_map(|p| usage.pointer(p).and_then(number_of));
            UsagePiece {
                prompt: find(&["/prompt_tokens", "/input_tokens"]),
                completion: find(&["/completion_tokens", "/output_tokens"]),
                cached: find(&[
                    "/prompt_tokens_details/cached_tokens",
                    "/input_tokens_details/cached_tokens",
                    "/prompt_cache_hit_tokens",
                    "/cached_tokens",
                ]),
                total: find(&["/total_tokens"]),
                reasoning: find(&["/completion_tokens_details/reasoning_tokens", "/reasoning_tokens"]),
            }
        }
        None => llama_timings(value)?,
    };
    (piece != UsagePiece::default()).then_some(piece)
}

/// llama.cpp's `timings`: `prompt_n` are the tokens that were not in its cache.
fn llama_timings(value: &Value) -> Option<UsagePiece> {
    let timings = value.get("timings")?;
    let count = |name: &str| timings.get(name).and_then(number_of);
    let cached = count("cache_n");
    Some(UsagePiece {
        prompt: count("prompt_n").map(|n| n.saturating_add(cached.unwrap_or(0))),
        completion: count("predicted_n"),
        cached,
        ..UsagePiece::default()
    })
}

/// Reads a chunk that plain parsing refused: half surrogates (`\ud83d` alone) become U+FFFD.
///
/// # Errors
/// The parser's error when the text is no JSON for another reason.
pub fn parse_lossy(text: &str) -> Result<Chunk, serde_json::Error> {
    match serde_json::from_str::<Chunk>(text) {
        Ok(chunk) => Ok(chunk),
        Err(error) if error.is_eof() => Err(error),
        Err(error) => serde_json::from_str::<Chunk>(&mend_surrogates(text)).map_err(|_| error),
    }
}

fn mend_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let (take, replacement) = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, None),
            (Some(0xD800..=0xDFFF), _) => (6, Some("\\ufffd")),
            (Some(_), _) => (6, None),
            // Any other escape is two characters, so that `\\u` is not taken for an escape.
            (None, _) => (escape.chars().take(2).map(char::len_utf8).sum(), None),
        };
        let (head, tail) = escape.split_at(take);
        out.push_str(replacement.unwrap_or(head));
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// The code unit of an escape `\uXXXX` at the start of `text`.
fn unit(text: &str) -> Option<u32> {
    let hex = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(hex, 16).ok()
}
