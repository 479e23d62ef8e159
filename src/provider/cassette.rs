//! Replay: recorded replies in order, for tests and demonstrations.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::PoisonError;

use serde::{Deserialize, Serialize};

use super::cancel::Cancel;
use super::error::{ErrorKind, ModelError};
use super::types::{ChatRequest, Delta, Progress, ProviderInfo, Reply};
use super::{BoxFuture, Provider};

/// The name under which a cassette appears.
const NAME: &str = "replay of a recorded run";

/// A recorded reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedReply {
    /// [`request_hash`] of the request it answered; `None`: it answers any.
    pub request_hash: Option<String>,
    /// The reply.
    pub reply: Reply,
}

/// A hash over what the model is shown (model, messages, tools, response format), in hex.
#[must_use]
pub fn request_hash(request: &ChatRequest) -> String {
    let shown = serde_json::json!([request.model, request.messages, request.tools, request.response_format,]);
    blake3::hash(shown.to_string().as_bytes()).to_hex().to_string()
}

/// Gives recorded replies in their order.
#[derive(Debug)]
pub struct Cassette {
    replies: Mutex<VecDeque<RecordedReply>>,
    strict: bool,
}

impl Cassette {
    /// Plays `replies` whatever is asked.
    #[must_use]
    pub fn from_replies(replies: Vec<RecordedReply>) -> Self {
        Self { replies: Mutex::new(replies.into()), strict: false }
    }

    /// Refuses a request whose hash differs from the recorded one.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Replies that are left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn next(&self, request: &ChatRequest) -> Result<Reply, ModelError> {
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(recorded) = replies.front() else {
            let why = "the recording is at its end: this run asks for more replies than were recorded";
            return Err(ModelError::new(ErrorKind::BadRequest, NAME, why));
        };
        if self.strict
            && let Some(hash) = &recorded.request_hash
            && *hash != request_hash(request)
        {
            let why = "this request differs from the recorded one: prompts, tools or results have changed";
            return Err(ModelError::new(ErrorKind::BadRequest, NAME, why));
        }
        match replies.pop_front() {
            Some(recorded) => Ok(recorded.reply),
            None => Ok(Reply::default()),
        }
    }
}

impl Provider for Cassette {
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
            let reply = self.next(&request)?;
            if !reply.text.is_empty() {
                progress.send(Delta::Text(reply.text.clone()));
            }
            for (index, call) in reply.calls.iter().enumerate() {
                let name = call.name.clone();
                progress.send(Delta::CallName { index, name });
            }
            Ok(reply)
        })
    }

    fn describe(&self) -> ProviderInfo {
        ProviderInfo { name: NAME.to_owned(), base_url: String::new(), offline: true }
    }
}
