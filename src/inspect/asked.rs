//! Which model call a step means, and what came of it.
//!
//! A step may hold several: failed attempts, and at the end a turn and a final report. The newest on the step's own
//! timeline is meant, since its reply is what the run went on with.

use super::error::InspectError;
use crate::agent::rollback::on_chain;
use crate::run::budget_table::BudgetTable;
use crate::run::event::RequestParts;
use crate::run::message::FinishReason;
use crate::run::refused::Refused;
use crate::run::{
    Decoded, Envelope, Event, Millis, Purpose, RunId, RunState, Seq, StepNo, StepRef, TimelineNo, Usage,
};
use crate::store::{Store, StoreError};
use serde::Serialize;

/// Events read at a time when the end of a model call is looked for.
const PAGE: u64 = 64;

/// A model call of the past.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Its `ModelCalled` event.
    pub seq: Seq,
    /// The timeline it was made on.
    pub timeline: TimelineNo,
    /// When it went out.
    pub at: Millis,
    /// The step it belongs to.
    pub step: StepNo,
    /// Attempt in this step, from 1.
    pub attempt: u32,
    /// What it was for.
    pub purpose: Purpose,
    /// The budget table as it was decided on.
    pub table: BudgetTable,
    /// Hash, version of the rendering, most tokens of the reply.
    pub parts: RequestParts,
    /// The model that was asked, if it was not the run's own.
    pub by: Option<String>,
    /// What came of it; none while it is out.
    pub ending: Option<Ending>,
}

/// What came of a model call.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// A reply came.
    Replied(Replied),
    /// It failed; the words say how.
    Failed(String),
    /// It was given up; the words say why.
    Aborted(String),
}

/// Figures of a reply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replied {
    /// Tokens as the server counted them, or our estimate.
    pub usage: Usage,
    /// How it ended.
    pub finish: FinishReason,
    /// Calls it asked for.
    pub calls: usize,
    /// Milliseconds to the first token.
    pub first_token_ms: u64,
    /// Milliseconds in all.
    pub ms: u64,
    /// Why nothing was taken of it, if it was a summary or a core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refused>,
}

impl Asked {
    /// The reply's figures, if there was one.
    pub fn replied(&self) -> Option<&Replied> {
        match &self.ending {
            Some(Ending::Replied(replied)) => Some(replied),
            Some(Ending::Failed(_) | Ending::Aborted(_)) | None => None,
        }
    }

    /// Prompt tokens that the server counted less those that we counted; none without a count of the server.
    pub fn drift(&self) -> Option<i64> {
        let usage = self.replied().map(|r| r.usage).filter(|usage| !usage.estimated)?;
        let server = i64::try_from(usage.prompt).ok()?;
        Some(server - i64::from(self.table.prompt()))
    }
}

/// The model call of a step; the newest one if no step is named. None if the run has asked nothing yet.
///
/// # Errors
/// [`InspectError::NotAsked`] for a step that has none or never was, and what reading can meet.
pub async fn asked(store: &Store, run: &RunId, step: Option<StepRef>) -> Result<Option<Asked>, InspectError> {
    found(store, run, step, Which::Conversation).await
}

/// Which of the requests of a step is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The turn or final report that the run went on with.
    Conversation,
    /// A summary of older rounds.
    Summary,
    /// The goal keeper's core.
    Core,
}

impl Which {
    fn is(self, purpose: Purpose) -> bool {
        let which = match purpose {
            Purpose::Turn | Purpose::Report(_) => Which::Conversation,
            Purpose::Summary { .. } => Which::Summary,
            Purpose::Keeper => Which::Core,
        };
        which == self
    }
}

/// As [`asked()`], of what is meant by `which`.
///
/// # Errors
/// Those of [`asked()`].
pub async fn asked_for(
    store: &Store,
    run: &RunId,
    step: Option<StepRef>,
    which: Which,
) -> Result<Option<Asked>, InspectError> {
    found(store, run, step, which).await
}

async fn found(
    store: &Store,
    run: &RunId,
    step: Option<StepRef>,
    which: Which,
) -> Result<Option<Asked>, InspectError> {
    let state = store.load(run).await?.state;
    if let Some(step) = step {
        let timeline = step.timeline.unwrap_or(state.head.timeline);
        let found = of_step(store, &state, step.step, timeline, which).await?;
        let missing = InspectError::NotAsked { run: run.clone(), step: step.step, timeline };
        return found.map(Some).ok_or(missing);
    }
    let (committed, timeline) = (state.path.step, state.head.timeline);
    // The step in progress first; before its first request the last committed one.
    for step in [committed.saturating_add(1), committed] {
        if let Some(found) = of_step(store, &state, step, timeline, which).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

async fn of_step(
    store: &Store,
    state: &RunState,
    step: StepNo,
    timeline: TimelineNo,
    which: Which,
) -> Result<Option<Asked>, InspectError> {
    let run = &state.run;
    let Some(before) = step.checked_sub(1) else { return Ok(None) };
    let point = |step| store.resolve_step(run, StepRef { timeline: Some(timeline), step });
    let first = match point(before).await {
        Ok(checkpoint) => checkpoint.seq,
        Err(StoreError::NoCheckpoint { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let last = match point(step).await {
        Ok(checkpoint) => checkpoint.seq,
        Err(StoreError::NoCheckpoint { .. }) => state.head.seq,
        Err(error) => return Err(error.into()),
    };
    let end = (Seq::MAX, timeline);
    let here = |e: &Envelope| on_chain(&state.ledger.timelines, end, (e.seq, e.timeline));
    let events = store.events(run, first, last).await?;
    for envelope in events.into_iter().rev().filter(here) {
        let (seq, timeline, at) = (envelope.seq, envelope.timeline, envelope.at);
        let Some(event) = known(envelope) else { continue };
        let Event::ModelCalled { step: its, attempt, purpose, table, request, by, .. } = event else {
            continue;
        };
        if its == step && which.is(purpose) {
            let ending = ending(store, state, seq, timeline).await?;
            let parts = request;
            return Ok(Some(Asked { seq, timeline, at, step, attempt, purpose, table, parts, by, ending }));
        }
    }
    Ok(None)
}

/// How the model call at `seq` ended.
async fn ending(
    store: &Store,
    state: &RunState,
    seq: Seq,
    timeline: TimelineNo,
) -> Result<Option<Ending>, StoreError> {
    let mut from = seq + 1;
    while from <= state.head.seq {
        let to = from.saturating_add(PAGE - 1);
        for envelope in store.events(&state.run, from, to).await? {
            // A rollback while the request was out leaves it on its own timeline.
            if envelope.timeline != timeline {
                return Ok(None);
            }
            let Some(event) = known(envelope) else { continue };
            if let Event::ModelReplied { usage, finish, calls, first_token_ms, ms, refused, .. } = event {
                let calls = calls.len();
                return Ok(Some(Ending::Replied(Replied {
                    usage,
                    finish,
                    calls,
                    first_token_ms,
                    ms,
                    refused,
                })));
            }
            if let Event::ModelFailed { message, .. } = event {
                return Ok(Some(Ending::Failed(message)));
            }
            if let Event::ModelAborted { why, .. } = event {
                return Ok(Some(Ending::Aborted(why)));
            }
            if let Event::ModelCalled { .. } = event {
                return Ok(None);
            }
        }
        from = to.saturating_add(1);
    }
    Ok(None)
}

/// The event itself, if this program knows its kind.
pub(super) fn known(envelope: Envelope) -> Option<Event> {
    match envelope.event {
        Decoded::Known(event) => Some(*event),
        Decoded::Unknown { .. } => None,
    }
}
