//! Turns what a server says into a [`ModelError`]: status, headers, body, or an error object inside a stream.
//!
//! Derived from the wordings of the usual servers (OpenAI, Azure, DeepSeek, Mistral, Groq, OpenRouter, vLLM, SGLang,
//! llama.cpp, Ollama, LM Studio, TGI). Must not be assumed: that a body is JSON, or that `code` is a number.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use regex::Regex;
use serde_json::Value;

use super::error::{ErrorKind, ModelError, WindowHint};
use super::mask::{Secret, excerpt, mask};

/// An answer that is an error, as far as it was read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Answer<'a> {
    /// HTTP status; 200 for an error inside a stream.
    pub status: u16,
    /// `Retry-After` as sent.
    pub retry_after: Option<&'a str>,
    /// `retry-after-ms` as sent.
    pub retry_after_ms: Option<&'a str>,
    /// `Date` as sent: a date in `Retry-After` is measured from it, so that a wrong clock here does no harm.
    pub date: Option<&'a str>,
    /// The server's id of the request.
    pub request_id: Option<&'a str>,
    /// The body.
    pub body: &'a str,
}

/// What an error body says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    message: String,
    /// `code` and `type`, lower case, joined by a space.
    tags: String,
    /// A numeric `code` or `status` that looks like an HTTP status.
    status: Option<u16>,
    hint: WindowHint,
}

/// Judges an error answer of `endpoint`; `now` is for a `Retry-After` date without a `Date`.
#[must_use]
pub fn classify(endpoint: &str, answer: Answer<'_>, key: Option<&Secret>, now: SystemTime) -> ModelError {
    let said = read_body(answer.body);
    let status = if answer.status >= 300 { answer.status } else { said.status.unwrap_or(answer.status) };
    let kind = kind_of(status, &said);
    let text = excerpt(&said.message, key);
    let detail = match (answer.status, text.is_empty()) {
        (200..=299, _) => text,
        (status, true) => format!("HTTP {status}"),
        (status, false) => format!("HTTP {status}: {text}"),
    };
    let mut error = ModelError::new(kind, endpoint, &detail);
    error.status = Some(answer.status);
    error.request_id = answer.request_id.map(|id| mask(id, key));
    error.body_excerpt = excerpt(answer.body, key);
    error.retry_after = answer
        .retry_after_ms
        .and_then(|ms| seconds(ms, 0.001))
        .or_else(|| answer.retry_after.and_then(|v| retry_after(v, answer.date, now)));
    if error.retry_after.is_none() && kind == ErrorKind::RateLimited {
        error.retry_after = wait_in_words(&said.message);
    }
    if kind == ErrorKind::PromptTooLong {
        error.window = Some(Box::new(window_hint(&said.message, said.hint)));
    }
    error
}

/// Judges an error object that came inside a stream or as the body of a 200.
#[must_use]
pub fn classify_object(endpoint: &str, object: &Value, key: Option<&Secret>) -> ModelError {
    let body = object.to_string();
    let answer = Answer { status: 200, body: &body, ..Answer::default() };
    classify(endpoint, answer, key, SystemTime::UNIX_EPOCH)
}

fn kind_of(status: u16, said: &Said) -> ErrorKind {
    let message = said.message.to_lowercase();
    let tags = said.tags.as_str();
    if status != 429
        && (too_long(&message) || tags.contains("context_length") || tags.contains("exceed_context"))
    {
        return ErrorKind::PromptTooLong;
    }
    if message.contains("parse tool call") || tags.contains("tool_use_failed") {
        return ErrorKind::BadModelJson;
    }
    if status == 402 || tags.contains("insufficient_quota") || tags.contains("insufficient_balance") {
        return ErrorKind::Quota;
    }
    if tags.contains("model_not_found") {
        return ErrorKind::NotFound;
    }
    if tags.contains("rate_limit") || tags.contains("too_many_requests") {
        return ErrorKind::RateLimited;
    }
    if status == 503 && message.contains("loading") {
        return ErrorKind::Loading;
    }
    match status {
        401 | 403 | 407 => ErrorKind::Auth,
        300..=399 | 404 | 405 | 410 => ErrorKind::NotFound,
        408 | 409 | 425 | 502..=599 | 500 => ErrorKind::Overloaded,
        413 => ErrorKind::PromptTooLong,
        429 => ErrorKind::RateLimited,
        400..=499 | 501 => ErrorKind::BadRequest,
        _ => by_tags(tags, &message),
    }
}

/// The kind of an error without a telling status: one inside a stream.
fn by_tags(tags: &str, message: &str) -> ErrorKind {
    if tags.contains("auth") || tags.contains("permission") || tags.contains("invalid_api_key") {
        ErrorKind::Auth
    } else if tags.contains("invalid_request") || tags.contains("bad_request") {
        ErrorKind::BadRequest
    } else if tags.contains("not_found") || message.contains("model not found") {
        ErrorKind::NotFound
    } else {
        ErrorKind::Overloaded
    }
}

/// Reads the many forms of an error body; a body that is no JSON is its own message.
fn read_body(body: &str) -> Said {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return Said { message: without_tags(body), ..Said::default() };
    };
    let value = match &value {
        Value::Array(list) => list.first().cloned().unwrap_or(Value::Null),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => value,
    };
    let inner = ["error", "errors", "detail"]
        .iter()
        .find_map(|name| value.get(name).filter(|v| !v.is_null()))
        .unwrap_or(&value);
    let inner = match inner {
        Value::Array(list) => list.first().unwrap_or(inner),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => inner,
    };
    let text = |name: &str| -> Option<String> {
        [inner, &value].iter().find_map(|v| match v.get(name) {
            Some(Value::String(s)) if !s.is_empty() => Some(s.clone()),
            Some(Value::Number(n)) => Some(n.to_string()),
            Some(_) | None => None,
        })
    };
    let number = |name: &str| text(name).and_then(|t| t.parse::<u64>().ok());
    let message = match inner {
        Value::String(s) => s.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            ["message", "msg", "error", "detail"]
                .iter()
                .find_map(|name| text(name))
                .unwrap_or_else(|| value.to_string())
        }
    };
    // A gateway may keep the upstream's words apart from its own.
    let upstream = inner
        .pointer("/metadata/raw")
        .and_then(Value::as_str)
        .map(|raw| format!(": {raw}"))
        .unwrap_or_default();
    let tags = format!("{} {}", text("code").unwrap_or_default(), text("type").unwrap_or_default());
    let status = ["code", "status", "status_code"]
        .iter()
        .find_map(|name| number(name))
        .and_then(|n| u16::try_from(n).ok())
        .filter(|n| (300..600).contains(n));
    Said {
        message: format!("{message}{upstream}"),
        tags: tags.to_lowercase(),
        status,
        hint: WindowHint { prompt_tokens: number("n_prompt_tokens"), window: number("n_ctx") },
    }
}

/// The words of an HTML page, in brief.
fn without_tags(body: &str) -> String {
    if !body.trim_start().starts_with('<') {
        return body.trim().to_owned();
    }
    let mut out = String::new();
    let mut inside = false;
    for c in body.chars().take(4000) {
        match c {
            '<' => inside = true,
            '>' => {
                inside = false;
                out.push(' ');
            }
            c if !inside => out.push(c),
            _ => {}
        }
    }
    out.split_whitespace().take(30).collect::<Vec<_>>().join(" ")
}

fn too_long(message: &str) -> bool {
    const SIGNS: [&str; 18] = [
        // llama.cpp, of a text whose vector is asked for.
        "too large to process",
        "maximum context length",
        "context length of",
        "maximum model length",
        "available context size",
        "exceeds the context",
        "exceed context",
        "exceeds the model's context",
        "exceeds the model's maximum context",
        "longer than the model's context",
        "context window",
        "context size has been exceeded",
        "greater than the context length",
        "prompt is too long",
        "prompt too long",
        "input token count",
        "range of input length",
        "tokens. given:",
    ];
    SIGNS.iter().any(|sign| message.contains(sign))
}

static WINDOW: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    regexes(&[
        r"maximum context length (?:is|of) (\d+)",
        r"context length of (?:only )?(\d+)",
        r"maximum model length of (\d+)",
        r"available context size \((\d+)",
        r"model's context length \((\d+)",
        r"context window (?:is|of|size of)? ?(?:only )?(\d+)",
        r"with (\d+) maximum context length",
        r"tokens > (\d+) maximum",
        r"tokens allowed \((\d+)\)",
        r"input length should be \[\d+, ?(\d+)\]",
        r"less than (\d+) tokens",
    ])
});

// What counts as the prompt alone stands before what may include the reply.
static PROMPT: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    regexes(&[
        r"\((\d+) in (?:the|your) (?:messages|prompt)",
        r"(\d+) tokens from the input",
        r"(\d+) (?:of )?(?:text )?tokens? (?:in|from) the (?:input|messages|prompt)",
        r"request has (\d+) input tokens",
        r"messages resulted in (\d+) tokens",
        r"prompt \(length (\d+)\)",
        r"request \((\d+) tokens\)",
        r"input \((\d+) tokens\)",
        r"keep the first (\d+) tokens",
        r"prompt contains (\d+) tokens",
        r"too long: (\d+) tokens",
        r"token count \((\d+)\)",
        r"given: (\d+)",
        r"you requested (?:a total of )?(\d+)",
    ])
});

fn regexes(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().filter_map(|p| Regex::new(p).ok()).collect()
}

/// What an error text says about prompt and window; the server's own fields (`fields`) come first.
#[must_use]
pub fn window_hint(message: &str, fields: WindowHint) -> WindowHint {
    // 1,048,576 and 1048576 are the same number.
    let plain = message.to_lowercase().replace(',', "");
    let find = |list: &[Regex]| list.iter().find_map(|r| r.captures(&plain)?.get(1)?.as_str().parse().ok());
    WindowHint {
        prompt_tokens: fields.prompt_tokens.or_else(|| find(&PROMPT)),
        window: fields.window.or_else(|| find(&WINDOW)),
    }
}

/// The wait that a `Retry-After` asks for: seconds (a fraction is fine) or an HTTP date.
#[must_use]
pub fn retry_after(value: &str, date: Option<&str>, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Some(wait) = seconds(value, 1.0) {
        return Some(wait);
    }
    let until = http_date(value)?;
    let from = date.and_then(http_date).unwrap_or(now);
    Some(until.duration_since(from).unwrap_or_default())
}

fn http_date(text: &str) -> Option<SystemTime> {
    let zoned = jiff::fmt::rfc2822::DateTimeParser::new().parse_zoned(text.trim()).ok()?;
    Some(SystemTime::from(zoned.timestamp()))
}

fn seconds(text: &str, unit: f64) -> Option<Duration> {
    let number: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64((number * unit).max(0.0)).ok()
}

/// "Please try again in 1m30.5s": some servers say it in words only.
fn wait_in_words(message: &str) -> Option<Duration> {
    static WAIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)(?:try again|retry) (?:in|after) (?:(\d+)h)?(?:(\d+)m)?(?:([\d.]+) ?(ms|s))?").ok()
    });
    let found = WAIT.as_ref()?.captures(message)?;
    let part = |n: usize| found.get(n).and_then(|m| m.as_str().parse::<f64>().ok());
    let unit = match found.get(4).map(|m| m.as_str()) {
        Some("ms") => 0.001,
        Some(_) | None => 1.0,
    };
    let total =
        part(1).unwrap_or(0.0) * 3600.0 + part(2).unwrap_or(0.0) * 60.0 + part(3).unwrap_or(0.0) * unit;
    if total > 0.0 { Duration::try_from_secs_f64(total).ok() } else { None }
}
