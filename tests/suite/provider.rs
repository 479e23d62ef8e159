//! Models: real HTTP exchanges with a scripted server, chunk dialects, the offline model, replay.

pub mod embedder;
pub mod server;

mod assembler;
mod dialects;
mod embed;
mod errors;
mod finding;
mod limits;
mod offline;

use serde_json::{Value, json};
use server::ChatServer;
use wakeful::provider::mask::Secret;
use wakeful::provider::openai::{OpenAi, Options};
use wakeful::provider::{Cancel, ChatRequest, ModelError, Progress, Provider, Reply};

/// A request with one message.
fn ask(text: &str) -> ChatRequest {
    ChatRequest {
        model: "stub".into(),
        messages: vec![json!({"role": "user", "content": text})],
        ..ChatRequest::default()
    }
}

fn provider(server: &ChatServer) -> OpenAi {
    let key = Secret::new("sk-test-key-0123456789");
    OpenAi::new(Options::new("stub", &server.base(), Some(key))).unwrap()
}

/// One request to the server.
async fn chat(server: &ChatServer) -> Result<Reply, ModelError> {
    provider(server).chat(ask("hello"), Progress::none(), Cancel::new()).await
}

/// A chunk with a delta.
fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta}]})
}

/// A chunk with a finish reason.
fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

/// A chunk with pieces of tool calls.
fn calls(pieces: Value) -> Value {
    delta(json!({"tool_calls": pieces}))
}
