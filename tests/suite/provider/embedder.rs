//! A source of vectors for tests: real HTTP, and vectors that follow a few meanings, so that a text is near to one that
//! shares no word with it.

use super::server::{Answer, ChatServer, Request};
use serde_json::{Value, json};

/// Words of each meaning; the number of a vector counts them.
const MEANINGS: [&[&str]; 4] = [
    &["slow", "latency", "waits", "慢", "延迟"],
    &["office", "lunch", "noon", "食堂"],
    &["deploy", "release", "rollout", "发布"],
    &["cat", "dog", "猫"],
];

/// The texts of a request.
pub fn texts(request: &Request) -> Vec<String> {
    let input = request.body["input"].as_array().cloned().unwrap_or_default();
    input.iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
}

/// The vector of a text, as JSON.
pub fn vector(text: &str) -> Value {
    let text = text.to_lowercase();
    let count = |words: &&[&str]| words.iter().filter(|word| text.contains(**word)).count() as f32;
    let mut values: Vec<f32> = MEANINGS.iter().map(count).collect();
    values.push(0.2);
    json!(values)
}

/// The answer with a vector for each text.
pub fn answer(request: &Request) -> Answer {
    let data: Vec<Value> = texts(request)
        .iter()
        .enumerate()
        .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": vector(text)}))
        .collect();
    Answer::json(200, &json!({"object": "list", "data": data, "model": "toy-e5"}))
}

/// A server that answers everything.
pub fn start() -> ChatServer {
    ChatServer::start(|_, request| answer(request))
}

/// `[memory]` for a server, with more lines.
pub fn config(base: &str, more: &str) -> String {
    format!("[memory]\nbase_url = \"{base}\"\nmodel = \"toy-e5\"\n{more}\n")
}
