//! Which tool protocol a server's model can take, found out by asking for one call.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Provider;
use super::cancel::Cancel;
use super::error::{ErrorKind, ModelError};
use super::types::{ChatRequest, Progress};

/// How tools are offered to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// `tools` and `tool_calls`.
    Native,
    /// One action or a final answer a turn, forced by a JSON schema.
    Schema,
}

/// Asks `model` to call one tool; native when a whole call of it comes back. Remembering is the caller's.
///
/// # Errors
/// Errors that say nothing about tools (no connection, wrong key, unknown model, rate limit) are handed on.
pub async fn probe_native(
    provider: &dyn Provider,
    model: &str,
    cancel: Cancel,
) -> Result<Protocol, ModelError> {
    let mut request = question(model);
    let mut answer = provider.chat(request.clone(), Progress::none(), cancel.clone()).await;
    if matches!(&answer, Err(error) if error.kind == ErrorKind::BadRequest && error.message.contains("max_"))
    {
        // The limit has another name there; that says nothing about tools.
        request.max_tokens = None;
        answer = provider.chat(request, Progress::none(), cancel).await;
    }
    match answer {
        Ok(reply) => {
            let called = reply.calls.iter().any(|call| call.complete && call.name == "ready");
            Ok(if called { Protocol::Native } else { Protocol::Schema })
        }
        Err(error) if refuses_tools(&error) => Ok(Protocol::Schema),
        Err(error) => Err(error),
    }
}

/// It does not take `tools`, or cannot parse what its model makes of them.
fn refuses_tools(error: &ModelError) -> bool {
    let told = error.body_excerpt.to_lowercase();
    match error.kind {
        ErrorKind::BadModelJson => true,
        ErrorKind::BadRequest | ErrorKind::NotFound | ErrorKind::Overloaded | ErrorKind::Loading => {
            told.contains("tool") || told.contains("function")
        }
        ErrorKind::Connect
        | ErrorKind::TimeoutFirstToken
        | ErrorKind::TimeoutBetweenTokens
        | ErrorKind::RateLimited
        | ErrorKind::PromptTooLong
        | ErrorKind::Auth
        | ErrorKind::Quota
        | ErrorKind::NotSse
        | ErrorKind::CutStream
        | ErrorKind::Protocol
        | ErrorKind::Cancelled => false,
    }
}

fn question(model: &str) -> ChatRequest {
    ChatRequest {
        model: model.to_owned(),
        messages: vec![json!({
            "role": "user",
            "content": "Call the tool `ready` now, with word set to \"yes\". Do not answer in text.",
        })],
        tools: vec![json!({"type": "function", "function": {
            "name": "ready",
            "description": "Says that you are ready.",
            "parameters": {
                "type": "object",
                "properties": {"word": {"type": "string"}},
                "required": ["word"],
            },
        }})],
        // Room for a model that thinks first.
        max_tokens: Some(512),
        ..ChatRequest::default()
    }
}
