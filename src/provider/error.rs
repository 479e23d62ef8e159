//! What can go wrong between a request and its reply.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The kind of a model error. It alone decides what is done next: retry, trim, ask a person, give up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// No connection: refused, name unknown, TLS, connect time-out.
    Connect,
    /// No token came within the limit after the request was sent.
    TimeoutFirstToken,
    /// The stream was silent for longer than the limit.
    TimeoutBetweenTokens,
    /// 429: too many requests or tokens for now.
    RateLimited,
    /// 5xx and the like: the server cannot at the moment.
    Overloaded,
    /// 503: the server is still loading the model.
    Loading,
    /// The server refused what its own model wrote (a 500 "Failed to parse tool call arguments as JSON").
    BadModelJson,
    /// The prompt does not fit the window: trim, do not repeat.
    PromptTooLong,
    /// The key is missing, wrong or not allowed this.
    Auth,
    /// The account has no credit or quota left; waiting does not help.
    Quota,
    /// No such model or no such endpoint.
    NotFound,
    /// The server does not accept the request as it is.
    BadRequest,
    /// A 200 that is no chat completion: a web page, or some other JSON.
    NotSse,
    /// The stream ended or broke before the reply was whole.
    CutStream,
    /// The stream cannot be read: broken JSON, too large.
    Protocol,
    /// Cancelled by us.
    Cancelled,
}

impl ErrorKind {
    /// All kinds.
    pub const ALL: [Self; 16] = [
        Self::Connect,
        Self::TimeoutFirstToken,
        Self::TimeoutBetweenTokens,
        Self::RateLimited,
        Self::Overloaded,
        Self::Loading,
        Self::BadModelJson,
        Self::PromptTooLong,
        Self::Auth,
        Self::Quota,
        Self::NotFound,
        Self::BadRequest,
        Self::NotSse,
        Self::CutStream,
        Self::Protocol,
        Self::Cancelled,
    ];

    /// Whether the same request may succeed when it is sent again.
    #[must_use]
    pub fn retryable(self) -> bool {
        match self {
            Self::Connect
            | Self::TimeoutFirstToken
            | Self::TimeoutBetweenTokens
            | Self::RateLimited
            | Self::Overloaded
            | Self::Loading
            | Self::BadModelJson
            | Self::CutStream
            | Self::Protocol => true,
            Self::PromptTooLong
            | Self::Auth
            | Self::Quota
            | Self::NotFound
            | Self::BadRequest
            | Self::NotSse
            | Self::Cancelled => false,
        }
    }

    /// What happened, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Connect => "no connection",
            Self::TimeoutFirstToken => "no first token in time",
            Self::TimeoutBetweenTokens => "the stream fell silent",
            Self::RateLimited => "rate limited",
            Self::Overloaded => "server error or overload",
            Self::Loading => "the server is still loading the model",
            Self::BadModelJson => "the server could not parse its model's tool call",
            Self::PromptTooLong => "the prompt is too long",
            Self::Auth => "the key was not accepted",
            Self::Quota => "no credit or quota left",
            Self::NotFound => "no such model or endpoint",
            Self::BadRequest => "the request was not accepted",
            Self::NotSse => "the answer is no chat completion",
            Self::CutStream => "the reply was cut off",
            Self::Protocol => "the stream cannot be read",
            Self::Cancelled => "cancelled",
        }
    }

    /// The next step for the person.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Connect => "Check that the server runs and that the base URL is right.",
            Self::TimeoutFirstToken => {
                "Raise the first-token limit for slow models, or turn it off; else try again."
            }
            Self::TimeoutBetweenTokens => "Try again; raise the between-tokens limit if it recurs.",
            Self::RateLimited => "Wait until the server allows more.",
            Self::Overloaded => "Wait a moment and try again.",
            Self::Loading => "Wait until it is loaded.",
            Self::BadModelJson => "Try again; use the schema protocol if it recurs.",
            Self::PromptTooLong => "Make the context smaller or name the model's real window.",
            Self::Auth => "Set the profile's key variable to a valid key.",
            Self::Quota => "Top up the account or choose another model.",
            Self::NotFound => "Check the model's name and the base URL (usually ending in /v1).",
            Self::BadRequest => "Check the profile's quirks for this server.",
            Self::NotSse => "Check the base URL (usually ending in /v1) and any proxy.",
            Self::CutStream => "Try again; a proxy or the server ended the stream early.",
            Self::Protocol => "Try again; if it recurs the server is not compatible.",
            Self::Cancelled => "Resume when you like.",
        }
    }
}

/// What a "prompt too long" error taught about the window. Tokens as the server counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowHint {
    /// Tokens of the prompt that was refused.
    pub prompt_tokens: Option<u64>,
    /// The model's window.
    pub window: Option<u64>,
}

/// A request that gave no reply.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct ModelError {
    /// What kind of error.
    pub kind: ErrorKind,
    /// For the person: endpoint, what happened, what to do. Masked.
    pub message: String,
    /// HTTP status, when there was an answer.
    #[serde(default)]
    pub status: Option<u16>,
    /// How long the server asks us to wait.
    #[serde(default)]
    pub retry_after: Option<Duration>,
    /// The server's id of the request.
    #[serde(default)]
    pub request_id: Option<String>,
    /// What was learnt about the window.
    #[serde(default)]
    pub window: Option<Box<WindowHint>>,
    /// Beginning of the body, masked; empty when there was none.
    #[serde(default)]
    pub body_excerpt: String,
}

impl ModelError {
    /// An error at `endpoint` with a detail (already masked; may be empty).
    #[must_use]
    pub fn new(kind: ErrorKind, endpoint: &str, detail: &str) -> Self {
        let detail = detail.trim().trim_end_matches('.');
        let middle = if detail.is_empty() { String::new() } else { format!(" ({detail})") };
        Self {
            kind,
            message: format!("{endpoint}: {}{middle}. {}", kind.words(), kind.advice()),
            status: None,
            retry_after: None,
            request_id: None,
            window: None,
            body_excerpt: String::new(),
        }
    }

    /// What a message of this kind says besides the kind: the HTTP status, and the words of whoever answered. Nothing if
    /// it was not made by [`ModelError::new`].
    #[must_use]
    pub fn said(kind: ErrorKind, message: &str) -> (Option<u16>, &str) {
        let begin = format!(": {} (", kind.words());
        let end = format!("). {}", kind.advice());
        let detail = message.find(&begin).and_then(|at| message.get(at + begin.len()..)?.strip_suffix(&end));
        let Some(detail) = detail else { return (None, "") };
        let Some(rest) = detail.strip_prefix("HTTP ") else { return (None, detail) };
        let (status, text) = rest.split_once(": ").unwrap_or((rest, ""));
        match status.parse() {
            Ok(status) => (Some(status), text),
            Err(_) => (None, detail),
        }
    }

    /// Whether sending the same request again may help.
    #[must_use]
    pub fn retryable(&self) -> bool {
        self.kind.retryable()
    }
}
