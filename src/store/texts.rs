//! Texts of the journal for assembly, for whoever makes or rebuilds a request. What was loaded once is kept while it is
//! in the window.
//!
//! Not to be assumed: that a cache fits another run, or another timeline after a rollback; make a new one then.

use super::error::StoreError;
use super::open::Store;
use crate::context::{AgentCall, MessageText, Texts, needed};
use crate::run::body::Body;
use crate::run::event::{Decoded, Event};
use crate::run::id::{CallId, RunId, Seq};
use crate::run::message::{MessageRef, Speaker};
use crate::run::state::RunState;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Texts of one run, by the seq of their event.
#[derive(Default)]
pub struct TextCache {
    messages: BTreeMap<Seq, MessageText>,
    instructions: Option<(Seq, String)>,
    summary: Option<(Seq, String)>,
}

impl TextCache {
    /// The texts that assembling `state` needs.
    ///
    /// # Errors
    /// What reading can meet; [`StoreError::BadRow`] if a message's event is missing or another.
    pub async fn load(&mut self, store: &Store, state: &RunState) -> Result<Texts, StoreError> {
        let wanted = needed(state);
        self.messages.retain(|seq, _| wanted.contains(seq));
        for message in state.path.messages.iter().filter(|m| wanted.contains(&m.seq)) {
            if let Entry::Vacant(place) = self.messages.entry(message.seq) {
                place.insert(message_text(store, state, message).await?);
            }
        }
        let mut texts = Texts { messages: self.messages.clone(), instructions: None, summary: None };
        if let Some((seq, _)) = state.path.instructions {
            if self.instructions.as_ref().is_none_or(|(s, _)| *s != seq) {
                let text = match event(store, &state.run, seq).await? {
                    Event::InstructionsRead { body, .. } => store.text(&body).await?,
                    other => return Err(unexpected(&state.run, seq, &other)),
                };
                self.instructions = Some((seq, text));
            }
            texts.instructions = self.instructions.as_ref().map(|(_, t)| t.clone());
        }
        if let Some(folded) = &state.path.folded
            && let Some(summary) = &folded.summary
        {
            if self.summary.as_ref().is_none_or(|(s, _)| *s != folded.seq) {
                self.summary = Some((folded.seq, store.text(&summary.body).await?));
            }
            texts.summary = self.summary.as_ref().map(|(_, t)| t.clone());
        }
        Ok(texts)
    }
}

async fn event(store: &Store, run: &RunId, seq: Seq) -> Result<Event, StoreError> {
    match store.event(run, seq).await? {
        Some(envelope) => match envelope.event {
            Decoded::Known(event) => Ok(*event),
            Decoded::Unknown { kind, .. } => {
                Err(bad(run, seq, format!("its kind {kind} is unknown to this program")))
            }
        },
        None => Err(bad(run, seq, "it is missing".to_owned())),
    }
}

fn bad(run: &RunId, seq: Seq, why: String) -> StoreError {
    StoreError::BadRow { run: run.clone(), seq, why }
}

fn unexpected(run: &RunId, seq: Seq, event: &Event) -> StoreError {
    bad(run, seq, format!("it is a {} and does not hold the text that is wanted", event.kind()))
}

/// The text of one message.
async fn message_text(
    store: &Store,
    state: &RunState,
    message: &MessageRef,
) -> Result<MessageText, StoreError> {
    let event = event(store, &state.run, message.seq).await?;
    let text = match (&message.speaker, &event) {
        (Speaker::Agent { calls }, Event::ModelReplied { .. }) => {
            return agent_text(store, &state.run, message.seq, *calls, event).await;
        }
        (Speaker::Person, Event::PersonMessage { body, .. }) => {
            MessageText::Person { text: store.text(body).await? }
        }
        (Speaker::Wakeful, Event::ClaimReturned { result }) => {
            MessageText::Wakeful { text: store.text(&result.body).await? }
        }
        // A result whose reply was folded meanwhile: still a tool's words, and shown as such.
        (Speaker::Wakeful, closing) => match result_body(closing) {
            Some((ok, body)) => MessageText::Result {
                tool: "(an earlier call)".to_owned(),
                ok,
                text: store.text(body).await?,
            },
            None => return Err(unexpected(&state.run, message.seq, &event)),
        },
        (Speaker::Result { reply_seq, position, .. }, closing) => match result_body(closing) {
            Some((ok, body)) => {
                let tool = tool_name(store, &state.run, *reply_seq, *position).await?;
                MessageText::Result { tool, ok, text: store.text(body).await? }
            }
            None => return Err(unexpected(&state.run, message.seq, &event)),
        },
        (Speaker::Agent { .. } | Speaker::Person, _) => {
            return Err(unexpected(&state.run, message.seq, &event));
        }
    };
    Ok(text)
}

async fn tool_name(store: &Store, run: &RunId, reply: Seq, position: u32) -> Result<String, StoreError> {
    match event(store, run, reply).await? {
        Event::ModelReplied { calls, .. } => {
            let at = usize::try_from(position.saturating_sub(1)).unwrap_or(usize::MAX);
            Ok(calls.get(at).map_or_else(|| "(unknown)".to_owned(), |c| c.name.clone()))
        }
        other => Err(unexpected(run, reply, &other)),
    }
}

async fn agent_text(
    store: &Store,
    run: &RunId,
    seq: Seq,
    shown: u32,
    event: Event,
) -> Result<MessageText, StoreError> {
    let Event::ModelReplied { text, reasoning, calls, .. } = event else {
        return Err(unexpected(run, seq, &event));
    };
    let mut agent_calls = Vec::new();
    // The proposals stand right behind their reply, in order.
    for (call, at) in calls.into_iter().take(usize::try_from(shown).unwrap_or(usize::MAX)).zip(1..) {
        agent_calls.push(AgentCall {
            provider_id: call.provider_id,
            call_id: CallId::of(run, seq + at),
            name: call.name,
            arguments: store.text(&call.arguments).await?,
        });
    }
    let reasoning = match reasoning {
        Some(body) => Some(store.text(&body).await?),
        None => None,
    };
    Ok(MessageText::Agent { text: store.text(&text).await?, reasoning, calls: agent_calls })
}

/// The result that an event holds, and whether it is a good one.
fn result_body(event: &Event) -> Option<(bool, &Body)> {
    match event {
        Event::CallFinished { ok, result, .. } => Some((*ok, &result.body)),
        Event::CallAnswered { result, .. } => Some((true, &result.body)),
        Event::CallResolved { result: Some(result), .. }
        | Event::CallRejected { result, .. }
        | Event::CallDenied { result, .. }
        | Event::CallCancelled { result, .. } => Some((false, &result.body)),
        Event::CallNotStarted { end: Some(end), .. } => Some((false, &end.result.body)),
        _ => None,
    }
}
