//! Texts of the journal for assembly, for whoever makes or rebuilds a request. What was loaded once is kept while it is
//! in the window, and what a worker itself committed is not read back: a step of the loop asks the store for nothing, a
//! fresh worker asks it twice (the events, then their long texts).
//!
//! Not to be assumed: that a cache fits another run, or another timeline after a rollback; make a new one then.

use super::error::StoreError;
use super::open::Store;
use crate::context::{AgentCall, MessageText, Texts, needed};
use crate::run::body::Body;
use crate::run::event::{Decoded, Event, NewEvent};
use crate::run::id::{CallId, RunId, Seq};
use crate::run::message::{MessageRef, Speaker};
use crate::run::state::RunState;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Texts of one run, by the seq of their event.
#[derive(Default)]
pub struct TextCache {
    messages: BTreeMap<Seq, MessageText>,
    instructions: Option<(Seq, String)>,
    summary: Option<(Seq, String)>,
    /// Events just committed whose texts may be wanted next.
    fresh: BTreeMap<Seq, Event>,
}

impl TextCache {
    /// Remembers events that were just committed, the first of them as `first`.
    pub fn committed(&mut self, first: Seq, events: Vec<NewEvent>) {
        let worded = |event: &Event| {
            result_body(event).is_some()
                || matches!(
                    event,
                    Event::ModelReplied { .. } | Event::PersonMessage { .. } | Event::ClaimReturned { .. }
                )
        };
        let events = (first..).zip(events).map(|(seq, new)| (seq, new.event));
        self.fresh.extend(events.filter(|(_, event)| worded(event)));
    }

    /// The texts that assembling `state` needs.
    ///
    /// # Errors
    /// What reading can meet; [`StoreError::BadRow`] if a message's event is missing or another.
    pub async fn load(&mut self, store: &Store, state: &RunState) -> Result<Texts, StoreError> {
        let wanted: BTreeSet<Seq> = needed(state).into_iter().collect();
        self.messages.retain(|seq, _| wanted.contains(seq));
        let missing: Vec<&MessageRef> = state
            .path
            .messages
            .iter()
            .filter(|m| wanted.contains(&m.seq) && !self.messages.contains_key(&m.seq))
            .collect();
        if !missing.is_empty() {
            self.read(store, state, &missing).await?;
        }
        let mut texts = Texts { messages: self.messages.clone(), instructions: None, summary: None };
        if let Some((seq, _)) = state.path.instructions {
            if self.instructions.as_ref().is_none_or(|(s, _)| *s != seq) {
                let events = Events::read(store, &state.run, BTreeMap::new(), vec![seq]).await?;
                let text = match events.known.get(&seq) {
                    None if events.lost.contains(&seq) => LOST.inline().unwrap_or_default().to_owned(),
                    None => return Err(bad(&state.run, seq, "it is missing".to_owned())),
                    Some(Event::InstructionsRead { body, .. }) => store.text(body).await?,
                    Some(other) => return Err(unexpected(&state.run, seq, other)),
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

    /// Reads the texts of these messages: all their events in one go, then all long texts in one go.
    async fn read(
        &mut self,
        store: &Store,
        state: &RunState,
        missing: &[&MessageRef],
    ) -> Result<(), StoreError> {
        let fresh = std::mem::take(&mut self.fresh);
        let replies = missing.iter().filter_map(|m| match m.speaker {
            // The name of a result's tool stands in its reply.
            Speaker::Result { reply_seq, .. } if !self.messages.contains_key(&reply_seq) => Some(reply_seq),
            Speaker::Result { .. } | Speaker::Agent { .. } | Speaker::Person | Speaker::Wakeful => None,
        });
        let seqs: BTreeSet<Seq> = missing.iter().map(|m| m.seq).chain(replies).collect();
        let unread = seqs.into_iter().filter(|seq| !fresh.contains_key(seq)).collect();
        let events = Events::read(store, &state.run, fresh, unread).await?;
        let mut drafts = Vec::new();
        let mut bodies = Vec::new();
        for message in missing {
            let draft = self.draft(&state.run, message, &events)?;
            bodies.extend(draft.bodies().into_iter().filter(|b| b.inline().is_none()).cloned());
            drafts.push((message.seq, draft));
        }
        let long = match bodies.is_empty() {
            true => Vec::new(),
            false => store.texts(bodies.clone()).await?,
        };
        let long: BTreeMap<_, _> = bodies.iter().map(Body::hash).zip(long).collect();
        let text = |body: &Body| match body.inline() {
            Some(text) => text.to_owned(),
            None => long.get(&body.hash()).cloned().unwrap_or_default(),
        };
        self.messages.extend(drafts.into_iter().map(|(seq, draft)| (seq, draft.with(&text))));
        Ok(())
    }

    /// One message, its texts still as the journal holds them.
    fn draft<'a>(
        &self,
        run: &RunId,
        message: &MessageRef,
        events: &'a Events,
    ) -> Result<Draft<'a>, StoreError> {
        if events.lost.contains(&message.seq) {
            return Ok(self.lost(run, message));
        }
        let event = events.get(message.seq)?;
        let unexpected = || unexpected(run, message.seq, event);
        Ok(match &message.speaker {
            Speaker::Agent { calls: shown } => {
                let Event::ModelReplied { text, reasoning, calls, .. } = event else {
                    return Err(unexpected());
                };
                let shown = usize::try_from(*shown).unwrap_or(usize::MAX);
                // The proposals stand right behind their reply, in order.
                let calls = calls.iter().take(shown).zip(1..).map(|(call, at)| {
                    (call.provider_id.clone(), CallId::of(run, message.seq + at), &call.name, &call.arguments)
                });
                Draft::Agent { text, reasoning: reasoning.as_ref(), calls: calls.collect() }
            }
            Speaker::Person => {
                let Event::PersonMessage { body, .. } = event else { return Err(unexpected()) };
                Draft::Person(body)
            }
            Speaker::Wakeful => match (event, result_body(event)) {
                (Event::ClaimReturned { result }, _) => Draft::Wakeful(&result.body),
                // A result whose reply was folded meanwhile: still a tool's words, and shown as such.
                (_, Some((ok, body))) => Draft::Result { tool: "(an earlier call)".to_owned(), ok, body },
                (_, None) => return Err(unexpected()),
            },
            Speaker::Result { reply_seq, position, .. } => {
                let (ok, body) = result_body(event).ok_or_else(unexpected)?;
                Draft::Result { tool: self.tool_name(*reply_seq, *position, events)?, ok, body }
            }
        })
    }

    /// What stands for a message whose event was set aside: calls and results stay in pairs.
    fn lost<'a>(&self, run: &RunId, message: &MessageRef) -> Draft<'a> {
        match &message.speaker {
            Speaker::Agent { calls: shown } => {
                let call = |at| {
                    let at = Seq::from(at);
                    (None, CallId::of(run, message.seq + at), &*NO_NAME, &*NO_ARGUMENTS)
                };
                Draft::Agent { text: &LOST, reasoning: None, calls: (1..=*shown).map(call).collect() }
            }
            Speaker::Person => Draft::Person(&LOST),
            Speaker::Wakeful => Draft::Wakeful(&LOST),
            Speaker::Result { .. } => Draft::Result { tool: NO_NAME.clone(), ok: true, body: &LOST },
        }
    }

    fn tool_name(&self, reply: Seq, position: u32, events: &Events) -> Result<String, StoreError> {
        let at = usize::try_from(position.saturating_sub(1)).unwrap_or(usize::MAX);
        let name = match self.messages.get(&reply) {
            Some(MessageText::Agent { calls, .. }) => calls.get(at).map(|call| call.name.clone()),
            Some(_) | None if events.lost.contains(&reply) => None,
            Some(_) | None => match events.get(reply)? {
                Event::ModelReplied { calls, .. } => calls.get(at).map(|call| call.name.clone()),
                other => return Err(unexpected(&events.run, reply, other)),
            },
        };
        Ok(name.unwrap_or_else(|| "(unknown)".to_owned()))
    }
}

/// A message whose texts may still be contents of the store.
enum Draft<'a> {
    Agent {
        text: &'a Body,
        reasoning: Option<&'a Body>,
        calls: Vec<(Option<String>, CallId, &'a String, &'a Body)>,
    },
    Person(&'a Body),
    Wakeful(&'a Body),
    Result {
        tool: String,
        ok: bool,
        body: &'a Body,
    },
}

impl Draft<'_> {
    fn bodies(&self) -> Vec<&Body> {
        match self {
            Draft::Agent { text, reasoning, calls } => {
                let arguments = calls.iter().map(|(_, _, _, arguments)| *arguments);
                std::iter::once(*text).chain(*reasoning).chain(arguments).collect()
            }
            Draft::Person(body) | Draft::Wakeful(body) | Draft::Result { body, .. } => vec![body],
        }
    }

    fn with(self, read: &impl Fn(&Body) -> String) -> MessageText {
        match self {
            Draft::Agent { text, reasoning, calls } => MessageText::Agent {
                text: read(text),
                reasoning: reasoning.map(read),
                calls: calls
                    .into_iter()
                    .map(|(provider_id, call_id, name, arguments)| AgentCall {
                        provider_id,
                        call_id,
                        name: name.clone(),
                        arguments: read(arguments),
                    })
                    .collect(),
            },
            Draft::Person(body) => MessageText::Person { text: read(body) },
            Draft::Wakeful(body) => MessageText::Wakeful { text: read(body) },
            Draft::Result { tool, ok, body } => MessageText::Result { tool, ok, text: read(body) },
        }
    }
}

/// Events at hand, by seq.
struct Events {
    run: RunId,
    known: BTreeMap<Seq, Event>,
    /// Those that were set aside as damaged.
    lost: BTreeSet<Seq>,
}

/// What stands for a text whose event was set aside as damaged.
static LOST: LazyLock<Body> = LazyLock::new(|| {
    Body::Inline("[this part of the record was damaged and is not there any more]".to_owned())
});
/// The arguments of such a call, and the name of its tool.
static NO_ARGUMENTS: LazyLock<Body> = LazyLock::new(|| Body::Inline("{}".to_owned()));
static NO_NAME: LazyLock<String> = LazyLock::new(|| "(unknown)".to_owned());

impl Events {
    async fn read(
        store: &Store,
        run: &RunId,
        mut known: BTreeMap<Seq, Event>,
        unread: Vec<Seq>,
    ) -> Result<Self, StoreError> {
        let (mut missing, mut lost) = (unread.clone(), BTreeSet::new());
        if !unread.is_empty() {
            for envelope in store.events_at(run, unread).await? {
                missing.retain(|seq| *seq != envelope.seq);
                match envelope.event {
                    Decoded::Known(event) => drop(known.insert(envelope.seq, *event)),
                    Decoded::Unknown { kind, .. } => {
                        let why = format!("its kind {kind} is unknown to this program");
                        return Err(bad(run, envelope.seq, why));
                    }
                }
            }
        }
        if !missing.is_empty() {
            lost = store.set_aside_among(run, missing).await?;
        }
        Ok(Self { run: run.clone(), known, lost })
    }

    fn get(&self, seq: Seq) -> Result<&Event, StoreError> {
        let missing = || bad(&self.run, seq, "it is missing".to_owned());
        self.known.get(&seq).ok_or_else(missing)
    }
}

fn bad(run: &RunId, seq: Seq, why: String) -> StoreError {
    StoreError::BadRow { run: run.clone(), seq, why }
}

fn unexpected(run: &RunId, seq: Seq, event: &Event) -> StoreError {
    bad(run, seq, format!("it is a {} and does not hold the text that is wanted", event.kind()))
}

/// The result that an event holds, and whether it is a good one.
fn result_body(event: &Event) -> Option<(bool, &Body)> {
    if let Event::CallFinished { ok, result, .. } | Event::CallReused { ok, result, .. } = event {
        return Some((*ok, &result.body));
    }
    if let Event::CallAnswered { result, .. } = event {
        return Some((true, &result.body));
    }
    if let Event::CallResolved { result: Some(result), .. }
    | Event::CallRejected { result, .. }
    | Event::CallDenied { result, .. }
    | Event::CallCancelled { result, .. } = event
    {
        return Some((false, &result.body));
    }
    let Event::CallNotStarted { end: Some(end), .. } = event else { return None };
    Some((false, &end.result.body))
}
