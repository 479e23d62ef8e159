//! What is asked of a model and what comes back.
//!
//! [`Reply`] and what it holds are journaled by others, so their serialised form is a format: fields may be added
//! with a default, never renamed.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One chat request, already rendered to the OpenAI chat-completions form.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// The model's name at the server.
    pub model: String,
    /// Messages in order, each an object with `role` and `content`.
    pub messages: Vec<Value>,
    /// Tool definitions (`{"type":"function","function":{…}}`); empty: none are sent.
    pub tools: Vec<Value>,
    /// `response_format`, for the schema protocol.
    pub response_format: Option<Value>,
    /// Limit of the reply in tokens.
    pub max_tokens: Option<u32>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Further fields of the request, sent as they are; they win over the fields above.
    pub extra: Map<String, Value>,
}

/// Progress of a reply, for the screen only: lossy, never the truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    /// A piece of the visible text.
    Text(String),
    /// A piece of the model's reasoning.
    Reasoning(String),
    /// The reply's call number `index` (from 0) has a name.
    CallName {
        /// Position of the call in the reply.
        index: usize,
        /// Name of the tool.
        name: String,
    },
    /// So many bytes of arguments of call `index` have come in all.
    CallArgs {
        /// Position of the call in the reply.
        index: usize,
        /// Bytes so far (a total, so that a lost delta does no harm).
        bytes: usize,
    },
}

/// Where deltas go: a cheap, cloneable callback that must not block.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn(Delta) + Send + Sync>>);

impl Progress {
    /// Nobody listens.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// Calls `f` for each delta, on the task that reads the reply.
    pub fn new(f: impl Fn(Delta) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(f)))
    }

    /// Hands on one delta.
    pub fn send(&self, delta: Delta) {
        if let Some(f) = &self.0 {
            f(delta);
        }
    }
}

impl From<tokio::sync::mpsc::UnboundedSender<Delta>> for Progress {
    fn from(sender: tokio::sync::mpsc::UnboundedSender<Delta>) -> Self {
        Self::new(move |delta| {
            // A listener that is gone is no reason to end the reply.
            let _ = sender.send(delta);
        })
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Progress(listener)" } else { "Progress(none)" })
    }
}

/// A whole reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The visible text; empty when there is none.
    pub text: String,
    /// The model's reasoning, to be sent back where the profile wants it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Tool calls in the reply's order, whole or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<RawCall>,
    /// Why the server says it ended.
    #[serde(default)]
    pub finish: Finish,
    /// Tokens as the server counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model that answered, as the server names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The server's id of the request, for its support.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Milliseconds from sending to the first token (0: unknown).
    #[serde(default)]
    pub first_token_ms: u64,
    /// Milliseconds from sending to the end of the reply.
    #[serde(default)]
    pub total_ms: u64,
}

/// A tool call as the model wrote it; nothing about it has been believed yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawCall {
    /// The server's id; missing on some servers, and not always unique.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// Name of the tool; empty when the model gave none.
    pub name: String,
    /// The arguments exactly as sent; arguments that came as an object are serialised.
    pub arguments: String,
    /// True when `arguments` is one whole JSON object. A call that is not complete must never run.
    pub complete: bool,
}

impl RawCall {
    /// A call with its completeness worked out from its arguments.
    #[must_use]
    pub fn new(provider_id: Option<String>, name: String, arguments: String) -> Self {
        let complete = is_object(&arguments);
        Self { provider_id, name, arguments, complete }
    }

    /// True when the model sent no arguments at all (not even `{}`), as some servers do for tools without
    /// parameters. Such a call is not `complete`: whoever knows the tool's schema may accept it as `{}`, but only
    /// after a reply whose finish reason is not [`Finish::Length`].
    #[must_use]
    pub fn without_arguments(&self) -> bool {
        self.arguments.trim().is_empty()
    }
}

/// True for text that is one whole JSON object.
#[must_use]
pub fn is_object(text: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(text).is_ok()
}

/// Why a reply ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model was done.
    Stop,
    /// The model wants tools run.
    ToolCalls,
    /// The limit of the reply was reached.
    Length,
    /// A filter of the server ended it.
    ContentFilter,
    /// A reason this program does not know, as text.
    Other(String),
    /// The server gave none.
    #[default]
    None,
}

/// Tokens of one request. Servers leave any of these out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt, cached ones included.
    pub prompt: u64,
    /// Tokens of the reply, reasoning included.
    pub completion: u64,
    /// Prompt tokens served from the server's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// The server's own total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Tokens of the reply that were reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// True when the numbers are an estimate and no server's count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderInfo {
    /// Name for people.
    pub name: String,
    /// Where requests go, without any user name or password; empty when nothing is sent.
    pub base_url: String,
    /// True when no network is used.
    pub offline: bool,
}
