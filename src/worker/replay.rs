//! Replay: a stored run serves as a cassette. A run whose model profile is `replay:RUN` gets the recorded replies of
//! that run's present timeline, step by step; tools, policy and checks are real.
//!
//! The reply that comes next is that of the step the new run is at, so a replay survives kills and rollbacks too.

use super::driver::Driver;
use super::error::WorkError;
use crate::provider::cassette::{Cassette, RecordedReply};
use crate::provider::{self, Provider, RawCall, Reply};
use crate::run::event::{Decoded, Event, Purpose};
use crate::run::id::{RunId, StepNo};
use crate::run::message::FinishReason;
use crate::store::Store;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What stands before the recorded run's id in a profile's name.
pub const PREFIX: &str = "replay:";

impl Driver<'_> {
    /// The provider of the run's model, made when it is first needed.
    pub async fn provider(&mut self) -> Result<Arc<dyn Provider>, WorkError> {
        if let Some(provider) = &self.provider {
            return Ok(provider.clone());
        }
        let provider: Arc<dyn Provider> = match self.settings()?.model.profile.strip_prefix(PREFIX) {
            Some(run) => {
                let run = RunId::new(run);
                Arc::new(cassette(&self.engine.store, &run, self.state.path.step).await?)
            }
            None => self.engine.models.provider(self.settings()?).map_err(WorkError::Model)?,
        };
        self.provider = Some(provider.clone());
        Ok(provider)
    }
}

/// The recorded replies of the steps after `step`.
async fn cassette(store: &Store, run: &RunId, step: StepNo) -> Result<Cassette, WorkError> {
    let mut replies: BTreeMap<StepNo, Reply> = BTreeMap::new();
    let mut asked = None;
    for envelope in store.chain(run, None, usize::MAX).await? {
        let Decoded::Known(event) = envelope.event else { continue };
        if let Event::ModelCalled { step, purpose, .. } = event.as_ref() {
            asked = (*purpose == Purpose::Turn).then_some(*step);
        }
        // Of a step that was asked twice the last reply counts: the others were given up.
        if let (Some(step), Event::ModelReplied { .. }) = (asked, event.as_ref()) {
            replies.insert(step, reply(store, *event).await?);
        }
    }
    let after = replies.into_iter().filter(|(recorded, _)| *recorded > step);
    Ok(Cassette::from_replies(after.map(|(_, reply)| RecordedReply { request_hash: None, reply }).collect()))
}

async fn reply(store: &Store, event: Event) -> Result<Reply, WorkError> {
    let Event::ModelReplied { text, reasoning, calls, finish, usage, .. } = event else {
        return Ok(Reply::default());
    };
    let mut raw = Vec::new();
    for call in calls {
        raw.push(RawCall::new(call.provider_id, call.name, store.text(&call.arguments).await?));
    }
    Ok(Reply {
        text: store.text(&text).await?,
        reasoning: match reasoning {
            Some(body) => Some(store.text(&body).await?),
            None => None,
        },
        calls: raw,
        finish: match finish {
            FinishReason::Stop => provider::Finish::Stop,
            FinishReason::ToolCalls => provider::Finish::ToolCalls,
            FinishReason::Length => provider::Finish::Length,
            FinishReason::ContentFilter => provider::Finish::ContentFilter,
            FinishReason::Other(word) => provider::Finish::Other(word),
        },
        usage: Some(provider::Usage {
            prompt: usage.prompt,
            completion: usage.completion,
            cached: Some(usage.cached),
            estimated: true,
            ..provider::Usage::default()
        }),
        ..Reply::default()
    })
}
