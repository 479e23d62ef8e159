//! The reading side of one request: limits, cancelling, and what the parser gives.

use std::time::{Instant, SystemTime};

use async_openai::error::OpenAIError;

use super::cancel::Cancel;
use super::error::{ErrorKind, ModelError};
use super::idle::{Idle, Verdict};
use super::stream::Assembler;
use super::types::Progress;
use super::wire::{Chunk, parse_lossy};

/// The reading side of one request.
pub(super) struct Reading<'a> {
    pub shown: &'a str,
    pub cancel: &'a Cancel,
    pub idle: Idle,
    pub assembler: Assembler,
    /// Why the last event could not be read, when it looks cut off.
    pub cut: Option<String>,
    pub first_token: Option<Instant>,
}

impl Reading<'_> {
    /// Awaits `future` within the limits and until cancelled.
    pub async fn wait<T>(&mut self, future: impl Future<Output = T>) -> Result<T, ModelError> {
        let mut future = std::pin::pin!(future);
        loop {
            let until = match self.idle.check(Instant::now(), SystemTime::now()) {
                Verdict::WaitUntil(until) => until,
                Verdict::TimedOut(kind) => {
                    let limit = self.idle.limit().unwrap_or_default();
                    let why = format!("nothing came for {} s", limit.as_secs_f64());
                    return Err(ModelError::new(kind, self.shown, &why));
                }
            };
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    return Err(ModelError::new(ErrorKind::Cancelled, self.shown, ""));
                }
                out = &mut future => return Ok(out),
                () = tokio::time::sleep_until(until.into()) => {}
            }
        }
    }

    /// Takes what the parser gave: a chunk, or an event that is none.
    pub fn take(&mut self, item: Result<Chunk, OpenAIError>, progress: &Progress) -> Result<(), ModelError> {
        let chunk = match item {
            Ok(chunk) => chunk,
            Err(OpenAIError::JSONDeserialize(_, text)) => {
                if matches!(text.trim(), "" | "[DONE]") {
                    return Ok(());
                }
                match parse_lossy(&text) {
                    Ok(chunk) => chunk,
                    // An unfinished event is the last one of a cut stream; were it not the last, the next one tells.
                    Err(error) if error.is_eof() && self.cut.is_none() => {
                        self.cut = Some("the stream ended within an event".into());
                        return Ok(());
                    }
                    Err(_) if self.assembler.finished() => return Ok(()),
                    Err(error) => return Err(self.unreadable(&error.to_string())),
                }
            }
            // The transport broke; the body's own stream has noted how.
            Err(other) => {
                self.cut.get_or_insert_with(|| other.to_string());
                return Ok(());
            }
        };
        if self.cut.is_some() && !self.assembler.finished() {
            return Err(self.unreadable("an event was cut off in mid-stream"));
        }
        let deltas = self.assembler.push(chunk);
        let (now, wall) = (Instant::now(), SystemTime::now());
        self.idle.sign(!deltas.is_empty(), now, wall);
        if self.assembler.finished() {
            self.idle.finished(now);
        }
        if !deltas.is_empty() {
            self.first_token.get_or_insert(now);
        }
        for delta in deltas {
            progress.send(delta);
        }
        Ok(())
    }

    fn unreadable(&self, why: &str) -> ModelError {
        ModelError::new(ErrorKind::Protocol, self.shown, why)
    }
}
