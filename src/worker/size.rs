//! Whether a message to the agent is too large for the window, before it is taken, and before it is sent.

use super::driver::counter_of;
use super::error::WorkError;
use crate::context::{Count, MessageText, Texts, message_room, message_tokens, message_too_large};
use crate::run::id::RunId;
use crate::run::state::RunState;
use crate::store::{Store, TextCache};

/// Why this message cannot be taken; none if it can.
pub(super) fn refused(
    state: &RunState,
    texts: &Texts,
    message: &MessageText,
    count: &Count,
) -> Result<Option<String>, WorkError> {
    let Some(settings) = state.settings() else { return Ok(None) };
    let room = message_room(state, texts, count).map_err(|e| WorkError::Stored(e.to_string()))?;
    let tokens = message_tokens(&settings.model, message, count);
    Ok(room.filter(|room| tokens > *room).map(|room| message_too_large(tokens, room)))
}

/// Why a worker would refuse this message to the agent now, as too large for the window; none if it would not.
///
/// # Errors
/// The store's.
pub async fn too_large(store: &Store, run: &RunId, text: &str) -> Result<Option<String>, WorkError> {
    let state = store.load(run).await?.state;
    let texts = TextCache::default().load(store, &state).await?;
    let counter = counter_of(&state);
    let message = MessageText::Person { text: text.to_owned() };
    refused(&state, &texts, &message, &|text| counter.count(text))
}
