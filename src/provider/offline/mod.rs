//! The offline model: no network, no weights, not an LLM. It plays scripts with branches on tool results.
//!
//! Everything it does follows from the request's messages alone. It writes its place in the script at the end of
//! each reply, as in `[survey 3/10]`, and reads it from its last reply again: so it is the same after a restart, a
//! rollback, or when older messages were folded away.
//!
//! A request without tools is one for a summary, and gets an extract of the last message by rules.

mod digest;
mod facts;
mod history;
mod play;
mod script;

pub use history::unmarked;
pub use script::{Call, Condition, Outcome, SCRIPT_VARIABLE, Script, ScriptError, Step, Words};

use std::time::Duration;

use serde_json::Value;

use self::history::History;
use super::cancel::Cancel;
use super::error::{ErrorKind, ModelError};
use super::types::{ChatRequest, Delta, Finish, Progress, ProviderInfo, RawCall, Reply, Usage};
use super::{BoxFuture, Provider};

/// Name of the provider, for people.
pub const NAME: &str = "offline (rules, not an LLM)";
/// Name of its model.
pub const MODEL: &str = "offline-rules";
/// Its window in tokens, as it is shown: it has none, but a budget needs a number.
pub const WINDOW: u64 = 32_768;

/// A rule-based model that plays one script.
#[derive(Debug, Clone)]
pub struct OfflineModel {
    script: Script,
}

impl OfflineModel {
    /// Plays `script`.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Self { script }
    }

    /// The script that surveys the workspace and writes a report.
    ///
    /// # Errors
    /// None in practice: the built-in script is tested; the type is that of any script.
    pub fn survey() -> Result<Self, ScriptError> {
        Script::survey().map(Self::new)
    }

    /// The reply to a request; the same for the same messages.
    #[must_use]
    pub fn reply(&self, request: &ChatRequest) -> Reply {
        let (text, calls) = if request.tools.is_empty() {
            (digest::digest(&request.messages, &self.script.name), Vec::new())
        } else {
            let history = History::read(&request.messages, &self.script.name);
            let turn = play::next(&self.script, &history);
            let salt = salt(request, &turn.text);
            let calls = turn
                .calls
                .into_iter()
                .enumerate()
                .map(|(n, (name, args))| {
                    RawCall::new(Some(format!("off_{salt}_{n}")), name, args.to_string())
                })
                .collect();
            (turn.text, calls)
        };
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        let usage = usage(request, &text, &calls);
        Reply { text, calls, finish, usage: Some(usage), model: Some(MODEL.to_owned()), ..Reply::default() }
    }

    async fn stream(&self, reply: &Reply, progress: &Progress, cancel: &Cancel) -> Result<(), ModelError> {
        let delay = Duration::from_millis(self.script.delay_ms);
        for piece in pieces(&reply.text) {
            if !delay.is_zero() {
                tokio::select! {
                    () = cancel.cancelled() => {}
                    () = tokio::time::sleep(delay) => {}
                }
            }
            if cancel.is_cancelled() {
                return Err(ModelError::new(ErrorKind::Cancelled, NAME, ""));
            }
            progress.send(Delta::Text(piece));
        }
        for (index, call) in reply.calls.iter().enumerate() {
            let name = call.name.clone();
            progress.send(Delta::CallName { index, name });
            let bytes = call.arguments.len();
            progress.send(Delta::CallArgs { index, bytes });
        }
        Ok(())
    }
}

impl Provider for OfflineModel {
    fn chat<'a>(
        &'a self,
        request: ChatRequest,
        progress: Progress,
        cancel: Cancel,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(ModelError::new(ErrorKind::Cancelled, NAME, ""));
            }
            let reply = self.reply(&request);
            self.stream(&reply, &progress, &cancel).await?;
            Ok(reply)
        })
    }

    fn describe(&self) -> ProviderInfo {
        ProviderInfo { name: NAME.to_owned(), base_url: String::new(), offline: true }
    }
}

/// The text in a few pieces, as a stream would bring it.
fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let size = (letters.len() / 6).max(12);
    letters.chunks(size).map(|part| part.iter().collect()).collect()
}

/// Tells the ids of calls apart from those of other replies in the same history.
fn salt(request: &ChatRequest, text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(text.as_bytes());
    hasher.update(&request.messages.len().to_le_bytes());
    for message in request.messages.iter().rev().take(3) {
        hasher.update(message.to_string().as_bytes());
    }
    hasher.finalize().to_hex().chars().take(12).collect()
}

/// Four bytes a token, marked as an estimate.
fn usage(request: &ChatRequest, text: &str, calls: &[RawCall]) -> Usage {
    let bytes = |values: &[Value]| values.iter().map(|v| v.to_string().len()).sum::<usize>();
    let prompt = bytes(&request.messages) + bytes(&request.tools);
    let completion = text.len() + calls.iter().map(|c| c.name.len() + c.arguments.len()).sum::<usize>();
    let tokens = |bytes: usize| u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX);
    Usage {
        prompt: tokens(prompt),
        completion: tokens(completion),
        total: Some(tokens(prompt).saturating_add(tokens(completion))),
        estimated: true,
        ..Usage::default()
    }
}
