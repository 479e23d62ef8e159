//! Models: any OpenAI-compatible chat-completions server, the offline model, replay; and vectors of texts ([`embed`]).
//!
//! Purpose: one request in, one whole reply (or one error that says what to do) out. This floor knows nothing of
//! runs: others render the messages, decide about retries, journal the reply and run the calls.
//!
//! Must not be assumed: that a stream which ended was complete ([`stream`] judges by finish reason and validity);
//! that a call's arguments are valid JSON ([`RawCall::complete`]); that a server names its tokens.
//!
//! Network is used in [`openai`], [`embed`] and [`discover`] alone.

mod base64;
pub mod cancel;
pub mod cassette;
pub mod classify;
pub mod discover;
pub mod embed;
pub mod error;
mod exchange;
pub mod idle;
pub mod mask;
pub mod offline;
pub mod openai;
pub mod protocol;
mod reading;
pub mod retry;
mod sse;
pub mod stream;
pub mod types;
pub mod wire;

use std::future::Future;
use std::pin::Pin;

pub use cancel::Cancel;
pub use embed::{EmbedOptions, Embedder};
pub use error::{ErrorKind, ModelError, WindowHint};
pub use types::{ChatRequest, Delta, Finish, Progress, ProviderInfo, RawCall, Reply, Usage};

/// A boxed future, so that providers can be used as trait objects.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Something that answers a chat request.
pub trait Provider: Send + Sync {
    /// Sends one request and reads the whole reply; never retries (see [`retry::plan`]).
    ///
    /// `progress` hears of deltas on the way, for the screen only. `cancel` ends the request and closes its
    /// connection; so does dropping the future.
    ///
    /// # Errors
    /// A [`ModelError`] that names the endpoint and the next step.
    fn chat<'a>(
        &'a self,
        request: ChatRequest,
        progress: Progress,
        cancel: Cancel,
    ) -> BoxFuture<'a, Result<Reply, ModelError>>;

    /// Who answers, for the screen and for `doctor`.
    fn describe(&self) -> ProviderInfo;

    /// Counts the tokens of `text` with the server's own tokenizer; `None` where it has no such thing.
    ///
    /// # Errors
    /// A [`ModelError`] when the server has the endpoint but did not answer it properly.
    fn tokenize<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<Option<u64>, ModelError>> {
        let _ = text;
        Box::pin(async { Ok(None) })
    }
}
