//! The messages in the window as another way of counting has them: after a change of the model, of its tokenizer or of the
//! protocol the recorded figures are those of the one before.

use super::count::{Count, dropped_tokens, message_tokens, result_tokens};
use super::pairing::shortened;
use super::texts::{MessageText, Texts};
use crate::run::message::{MessageRef, Speaker};
use crate::run::settings::ModelSettings;
use crate::run::{RunState, Seq};

/// The unfolded messages that take other tokens by `count` than are recorded, with these tokens. Empty for a run without its
/// first event.
pub fn recounted(state: &RunState, texts: &Texts, count: &Count) -> Vec<(Seq, u32)> {
    let Some(settings) = state.settings() else { return Vec::new() };
    let tokens = |message: &MessageRef| {
        // One whose text cannot be read is counted where it is shown.
        let text = texts.messages.get(&message.seq)?;
        Some((message.seq, tokens_of(state, &settings.model, message, text, count)))
    };
    let differs = |(message, (_, now)): &(&MessageRef, (Seq, u32))| message.tokens != *now;
    let all = state.path.messages.iter().filter_map(|message| Some((message, tokens(message)?)));
    all.filter(differs).map(|(_, counted)| counted).collect()
}

/// Tokens of a message as it is shown.
fn tokens_of(
    state: &RunState,
    model: &ModelSettings,
    message: &MessageRef,
    text: &MessageText,
    count: &Count,
) -> u32 {
    match (&message.speaker, text) {
        (Speaker::Result { .. }, _) if state.path.dropped.contains_key(&message.seq) => {
            dropped_tokens(model, Some(text), count)
        }
        (Speaker::Result { .. }, MessageText::Result { tool, text, .. }) => {
            match state.path.shortened.get(&message.seq) {
                Some(short) => result_tokens(model, tool, &shortened(text, short.kept), count),
                None => result_tokens(model, tool, text, count),
            }
        }
        (Speaker::Agent { .. } | Speaker::Person | Speaker::Wakeful | Speaker::Result { .. }, text) => {
            message_tokens(model, text, count)
        }
    }
}
