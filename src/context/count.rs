//! Counting: one function for what is recorded, shown and decided.
//!
//! A message counts its texts and a fixed framing. The figures are those that OpenAI's cookbook gives for its chat
//! models ("How to count tokens with tiktoken": three tokens of framing and one of the role for each message, three
//! that prime the reply). Other templates differ by a few tokens a message; the drift against the server's `usage`
//! shows by how much. Ids of calls are not counted: most templates do not print them.

use super::pairing::{Item, PairedCall, Shown, dropped_words, shortened};
use super::texts::MessageText;
use super::{render_native, render_schema};
use crate::run::settings::{ModelSettings, Protocol};
use serde_json::Value;

/// Counts the tokens of a text. It may remember: the same sections are counted at every step.
pub type Count<'a> = dyn Fn(&str) -> u32 + 'a;

/// A model that is asked beside the conversation in place of the run's own, and what counts for it.
#[derive(Clone, Copy)]
pub struct Beside<'a> {
    /// The model.
    pub model: &'a ModelSettings,
    /// Its counter.
    pub count: &'a Count<'a>,
}

/// Tokens of one message besides its texts.
pub const FRAMING: u32 = 4;
/// Tokens that prime the reply, once a request.
pub const PRIMING: u32 = 3;
/// Fewest characters of a result that are shown for the first time.
const LEAST_KEPT: u32 = 60;
/// Tokens of one call in a message besides its name and arguments: our allowance for the marks around them.
pub(super) const CALL_FRAMING: u32 = 8;

/// Tokens of a message in later requests, framing included: what a worker records with the event.
///
/// Names of calls (`call_id`, `provider_id`) do not change the count.
pub fn message_tokens(model: &ModelSettings, message: &MessageText, count: &Count) -> u32 {
    let item = match message {
        MessageText::Agent { text, reasoning, calls } => Item::Agent {
            text,
            reasoning: reasoning.as_deref(),
            calls: calls
                .iter()
                .map(|call| PairedCall { id: String::new(), call, result: Shown::None })
                .collect(),
        },
        MessageText::Result { tool, text, .. } => return result_tokens(model, tool, text, count),
        MessageText::Person { text } => Item::Person { text },
        MessageText::Wakeful { text } => Item::Wakeful { text },
    };
    values_tokens(&render(&item, model), count)
}

/// Tokens of a result message.
pub(super) fn result_tokens(model: &ModelSettings, tool: &str, text: &str, count: &Count) -> u32 {
    let value = match model.protocol {
        Protocol::Native => render_native::result("", &Shown::Text(text)),
        Protocol::Schema => render_schema::result(tool, &Shown::Text(text)),
    };
    value.map_or(0, |v| value_tokens(&v, count))
}

/// The most characters of a result that take at most `goal` tokens, at least [`LEAST_KEPT`], with the tokens that they
/// take; none if that is nothing less than what it takes now.
pub(super) fn shortest(
    model: &ModelSettings,
    result: Option<&MessageText>,
    (now, goal): (u32, u32),
    count: &Count,
) -> Option<(u32, u32)> {
    let Some(MessageText::Result { tool, text, .. }) = result else { return None };
    let tokens = |kept: u32| result_tokens(model, tool, &shortened(text, kept), count);
    let (mut fits, mut over) = (LEAST_KEPT, u32::try_from(text.len()).unwrap_or(u32::MAX));
    while fits + 1 < over {
        let middle = fits + (over - fits) / 2;
        if tokens(middle) <= goal { fits = middle } else { over = middle }
    }
    let tokens = tokens(fits);
    (tokens < now).then_some((fits, tokens))
}

/// Tokens that a result takes once it is dropped.
pub(super) fn dropped_tokens(model: &ModelSettings, result: Option<&MessageText>, count: &Count) -> u32 {
    let tool = match result {
        Some(MessageText::Result { tool, .. }) => tool,
        Some(MessageText::Agent { .. } | MessageText::Person { .. } | MessageText::Wakeful { .. }) | None => {
            ""
        }
    };
    result_tokens(model, tool, &dropped_words(result), count)
}

/// An item of the history as messages of the model's protocol.
pub(super) fn render(item: &Item, model: &ModelSettings) -> Vec<Value> {
    match model.protocol {
        Protocol::Native => render_native::messages(item, model.send_reasoning),
        Protocol::Schema => render_schema::messages(item),
    }
}

/// Tokens of rendered messages.
pub(super) fn values_tokens(values: &[Value], count: &Count) -> u32 {
    values.iter().fold(0, |sum, value| sum.saturating_add(value_tokens(value, count)))
}

/// Tokens of one rendered message.
pub(super) fn value_tokens(message: &Value, count: &Count) -> u32 {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map_or(0, count);
    let mut sum = FRAMING
        .saturating_add(text(message.get("content")))
        .saturating_add(text(message.get("reasoning_content")));
    for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        let function = call.get("function");
        sum = sum
            .saturating_add(CALL_FRAMING)
            .saturating_add(text(function.and_then(|f| f.get("name"))))
            .saturating_add(text(function.and_then(|f| f.get("arguments"))));
    }
    sum
}

/// Tokens of tool schemas: of their JSON, as it is sent.
pub(super) fn tools_tokens(tools: &[Value], count: &Count) -> u32 {
    tools.iter().fold(0, |sum, tool| sum.saturating_add(count(&tool.to_string())))
}

/// Prompt tokens of a whole request, counted from what is sent. It equals `table.prompt()` of the request when the
/// counter splits at line ends, as those of the OpenAI, Qwen and Llama 3 families do.
pub fn request_tokens(messages: &[Value], tools: &[Value], count: &Count) -> u32 {
    PRIMING.saturating_add(values_tokens(messages, count)).saturating_add(tools_tokens(tools, count))
}
