//! One call explained: every move of its life with who made it, when and on which hash; its arguments and result; its
//! spool; and the same effect earlier in the run.
//!
//! Derived from the events between its proposal and its end.

use super::asked::known;
use super::error::InspectError;
use crate::run::call::CallStatus;
use crate::run::{Author, CallId, Class, Envelope, Event, Hash, Millis, Resolution, Seq, StepNo, TimelineNo};
use crate::store::{CallRow, Store};
use serde::Serialize;

/// Events read at a time.
const PAGE: u64 = 256;

/// One call explained.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The call as it stands.
    pub call: CallRow,
    /// The whole arguments in force.
    pub args: String,
    /// What the model got, once closed.
    pub result: Option<String>,
    /// Every move, oldest first.
    pub moves: Vec<Move>,
    /// Name of the spool of the present attempt, for a `shell` call that was started.
    pub spool: Option<String>,
    /// The same effect earlier in this run, oldest first.
    pub earlier: Vec<Earlier>,
}

/// A move in a call's life.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Move {
    /// The event.
    pub seq: Seq,
    /// When.
    pub at: Millis,
    /// Who.
    pub by: Author,
    /// The event's kind.
    pub event: &'static str,
    /// What happened, in words.
    pub words: String,
    /// The hash of the arguments it was about, where it names one.
    pub args_hash: Option<Hash>,
}

/// A call that did the same before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Earlier {
    /// The call.
    pub call_id: CallId,
    /// Its step.
    pub step: StepNo,
    /// Its timeline.
    pub timeline: TimelineNo,
    /// How it stands.
    pub status: CallStatus,
}

/// Explains the call that a person means: its id, a unique prefix, or `RUN:14.2`.
///
/// # Errors
/// The store's of finding the call and reading its events.
pub async fn explain(store: &Store, text: &str) -> Result<Explained, InspectError> {
    let call = store.find_call(text).await?;
    explain_row(store, call).await
}

/// Explains a call that was listed.
///
/// # Errors
/// The store's of reading its events.
pub async fn explain_row(store: &Store, call: CallRow) -> Result<Explained, InspectError> {
    let args = store.text(&call.args).await?;
    let result = match &call.result {
        Some(body) => Some(store.text(body).await?),
        None => None,
    };
    let moves = moves(store, &call).await?;
    let spool = (call.tool == "shell" && call.spool_epoch > 0)
        .then(|| format!("{}.{}.{}", call.call_id, call.attempt, call.spool_epoch));
    let mut earlier = Vec::new();
    if call.class == Class::Effect || call.class == Class::Keyed {
        let rows = store.same_effect(&call.effect_key, &call.run).await?;
        let before = rows.into_iter().filter(|row| row.seq < call.seq);
        earlier.extend(before.map(|row| Earlier {
            call_id: row.call_id,
            step: row.step,
            timeline: row.timeline,
            status: row.status,
        }));
    }
    Ok(Explained { call, args, result, moves, spool, earlier })
}

async fn moves(store: &Store, call: &CallRow) -> Result<Vec<Move>, InspectError> {
    let head = store.load(&call.run).await?.state.head.seq;
    let mut moves = Vec::new();
    let mut from = call.seq;
    while from <= head {
        let to = from.saturating_add(PAGE - 1);
        for envelope in store.events(&call.run, from, to).await? {
            let (seq, at, by) = (envelope.seq, envelope.at, envelope.author.clone());
            let Some((event, words, args_hash, closes)) = about(envelope, &call.call_id) else { continue };
            moves.push(Move { seq, at, by, event, words, args_hash });
            if closes {
                return Ok(moves);
            }
        }
        from = to.saturating_add(1);
    }
    Ok(moves)
}

type About = (&'static str, String, Option<Hash>, bool);

/// What an event says of the call: kind, words, hash, and whether the call is closed by it.
fn about(envelope: Envelope, id: &CallId) -> Option<About> {
    let event = known(envelope)?;
    let kind = event.kind();
    if let Event::TimeoutExtended { call_id, more_ms } = &event {
        let words = format!("given {} s more", more_ms / 1000);
        return (call_id == id).then_some((kind, words, None, false));
    }
    if let Event::CallStopAsked { call_id } = &event {
        return (call_id == id).then_some((kind, "to be ended".to_owned(), None, false));
    }
    if event.call_id() != Some(id) {
        return None;
    }
    let (words, hash, closes) = words(event)?;
    Some((kind, words, hash, closes))
}

fn words(event: Event) -> Option<(String, Option<Hash>, bool)> {
    // Only the kinds that `Event::call_id` names come here.
    let open = |words: String| Some((words, None, false));
    let end = |words: String| Some((words, None, true));
    match event {
        Event::CallProposed(p) => Some((format!("asked for {}", p.tool), Some(p.args_hash), false)),
        Event::CallWaiting { why, .. } => open(format!("waits: {why}")),
        Event::CallApproved { args_hash, why, .. } => {
            Some((format!("approved: {why}"), Some(args_hash), false))
        }
        Event::CallEdited { args_hash, .. } => {
            Some(("the arguments were changed".to_owned(), Some(args_hash), false))
        }
        Event::CallRejected { kind, .. } => end(format!("refused by wakeful: {kind}")),
        Event::CallDenied { reason, .. } if reason.trim().is_empty() => end("denied".to_owned()),
        Event::CallDenied { reason, .. } => end(format!("denied: {reason}")),
        Event::CallCancelled { why, .. } => end(format!("given up: {why}")),
        Event::CallReused { from, .. } => end(format!("not run: the result of {from} is reused")),
        Event::CallAnswered { by_default: Some(by), .. } => end(format!("answered by {by}")),
        Event::CallAnswered { by_default: None, .. } => end("answered".to_owned()),
        Event::CallStarted { attempt, files, .. } => match files.len() {
            0 => open(format!("attempt {attempt} begins")),
            n => open(format!("attempt {attempt} begins, {n} files kept as they were")),
        },
        Event::CallReattached { .. } => open("another worker watches the same attempt".to_owned()),
        Event::CallNotStarted { attempt, why, end: ended, .. } => {
            Some((format!("attempt {attempt} never began: {why}"), None, ended.is_some()))
        }
        Event::CallFinished { ok: true, ms, .. } => end(format!("done in {ms} ms")),
        Event::CallFinished { ok: false, kind, ms, .. } => {
            end(format!("failed after {ms} ms: {}", kind.unwrap_or_else(|| "no kind given".to_owned())))
        }
        Event::CallUncertain { why, .. } => open(format!("nobody knows whether it happened: {why}")),
        Event::CallResolved { resolution, result, .. } => {
            let words = match resolution {
                Resolution::Happened => "settled: it happened",
                Resolution::Rerun => "settled: it runs again",
                Resolution::Skip => "settled: left",
            };
            Some((words.to_owned(), None, result.is_some()))
        }
        Event::TimeoutExtended { .. }
        | Event::CallStopAsked { .. }
        | Event::RunCreated { .. }
        | Event::RunClaimed { .. }
        | Event::RunReleased { .. }
        | Event::SettingsChanged { .. }
        | Event::InstructionsRead { .. }
        | Event::GoalEdited { .. }
        | Event::PlanEdited { .. }
        | Event::PersonMessage { .. }
        | Event::ControlRefused { .. }
        | Event::Paused { .. }
        | Event::Continued
        | Event::CancelRequested
        | Event::ModelCalled { .. }
        | Event::ModelReplied { .. }
        | Event::ModelFailed { .. }
        | Event::ModelAborted { .. }
        | Event::StepCommitted { .. }
        | Event::Held { .. }
        | Event::RoundsFolded { .. }
        | Event::CoreKept { .. }
        | Event::OutputsDropped { .. }
        | Event::MessagesRecounted { .. }
        | Event::MemoriesRecalled { .. }
        | Event::ResultKept { .. }
        | Event::CheckFinished { .. }
        | Event::ClaimReturned { .. }
        | Event::RunEnded { .. }
        | Event::RunReopened { .. }
        | Event::RollbackStarted { .. }
        | Event::RolledBack { .. }
        | Event::RollbackFailed { .. } => None,
    }
}
