//! Notices that an open question needs no answer any more: somebody decided it in another process, or the run as a
//! whole was stopped, cancelled or rolled back.
//!
//! Derived from the run's inbox (asked and not yet taken) and from its journal. Not to be assumed: that what is noticed
//! is applied already; whoever owns the run next takes it before anything else.

use super::app::Failure;
use super::words;
use crate::run::control::{Author, Control};
use crate::run::event::{Decoded, Event, Hold};
use crate::run::id::{CallId, RunId, Seq};
use crate::run::state::RunState;
use crate::store::{CallRow, InboxRow, Store};

/// What a question is about, as it was when it was asked.
#[derive(Clone, Copy, Debug)]
pub enum About<'a> {
    /// A call that waits or is uncertain.
    Call(&'a CallRow),
    /// A run that is held.
    Hold(&'a Hold),
}

/// Why a question is gone, in words for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gone {
    /// This call was decided; others may be open.
    Call(String),
    /// The run is no longer where it was asked about.
    Run(String),
}

/// Returns once the question is gone; looks at every change of the store. `seen` is the head of the run when the
/// question was asked.
///
/// # Errors
/// The store's.
pub async fn gone(store: &Store, run: &RunId, about: About<'_>, seen: Seq) -> Result<Gone, Failure> {
    let mut changes = store.watch().await?;
    loop {
        if let Some(gone) = look(store, run, about, seen).await? {
            return Ok(gone);
        }
        changes.changed().await;
    }
}

/// Looks once.
///
/// # Errors
/// The store's.
pub async fn look(store: &Store, run: &RunId, about: About<'_>, seen: Seq) -> Result<Option<Gone>, Failure> {
    if let Some(gone) = store.pending(run).await?.iter().find_map(|row| asked(row, about)) {
        return Ok(Some(gone));
    }
    let state = store.load(run).await?.state;
    let ledger = &state.ledger;
    let stopped = ledger.cancelling
        || ledger.rollback.is_some()
        || ledger.ended.is_some()
        || ledger.paused.is_some()
        || matches!(about, About::Call(row) if row.timeline != state.head.timeline);
    if !stopped && is_open(&state, about) {
        return Ok(None);
    }
    let events = since(store, &state, seen).await?;
    // The run may be over by now because this call was decided: what was asked of the run as a whole comes first, then
    // what was asked of the call.
    let found = of_run(&events, about).map(Gone::Run).or_else(|| of_call(&events, about).map(Gone::Call));
    Ok(Some(found.unwrap_or_else(|| Gone::Run("the run moved on elsewhere".to_owned()))))
}

/// True while what was asked about is as it was.
fn is_open(state: &RunState, about: About<'_>) -> bool {
    match about {
        About::Call(row) => state.open_call(&row.call_id).is_some_and(|call| {
            (call.status, call.attempt, &call.args_hash) == (row.status, row.attempt, &row.args_hash)
        }),
        About::Hold(hold) => state.ledger.hold.as_ref() == Some(hold),
    }
}

/// What a row of the inbox makes of the question.
fn asked(row: &InboxRow, about: About<'_>) -> Option<Gone> {
    let by = words::who(&row.author);
    match (&row.control, about) {
        (Control::Decide { call_id, attempt, decision, .. }, About::Call(call)) => {
            let this = *call_id == call.call_id && *attempt == call.attempt;
            this.then(|| Gone::Call(decided(words::decision(decision), &by)))
        }
        (Control::Cancel, _) => Some(Gone::Run(happened("cancelled", &by))),
        (Control::Pause { .. }, _) => Some(Gone::Run(happened("paused", &by))),
        (Control::Rollback { .. }, _) => Some(Gone::Run(happened("rolled back", &by))),
        (Control::Redo, _) => Some(Gone::Run(happened("taken forward again", &by))),
        (Control::Continue | Control::Message { .. }, About::Hold(_)) => {
            Some(Gone::Run(happened("told to go on", &by)))
        }
        (Control::Decide { .. }, About::Hold(_))
        | (Control::Continue | Control::Message { .. }, About::Call(_))
        | (
            Control::EditGoal { .. }
            | Control::EditPlan { .. }
            | Control::SetLimits { .. }
            | Control::SetMode { .. }
            | Control::SetModel { .. }
            | Control::ExtendTimeout { .. }
            | Control::StopCall { .. },
            _,
        ) => None,
    }
}

fn decided(what: &str, by: &str) -> String {
    format!("decided elsewhere: {what} by {by}")
}

fn happened(what: &str, by: &str) -> String {
    format!("elsewhere the run was {what} by {by}")
}

/// Events since the question that this program knows, with their authors.
async fn since(store: &Store, state: &RunState, seen: Seq) -> Result<Vec<(Author, Event)>, Failure> {
    if state.head.seq <= seen {
        return Ok(Vec::new());
    }
    let events = store.events(&state.run, seen + 1, state.head.seq).await?;
    Ok(events
        .into_iter()
        .filter_map(|envelope| match envelope.event {
            Decoded::Known(event) => Some((envelope.author, *event)),
            Decoded::Unknown { .. } => None,
        })
        .collect())
}

/// What was decided about the call.
fn of_call(events: &[(Author, Event)], about: About<'_>) -> Option<String> {
    let About::Call(row) = about else { return None };
    let edit = |event: &Event| matches!(event, Event::CallEdited { call_id, .. } if *call_id == row.call_id);
    let edited = events.iter().any(|(_, event)| edit(event));
    events.iter().find_map(|(author, event)| {
        decides(event, &row.call_id, edited).map(|what| decided(&what, &words::who(author)))
    })
}

/// What the event decides about this call.
fn decides(event: &Event, call: &CallId, edited: bool) -> Option<String> {
    let about = |id: &CallId, what: &str| (id == call).then(|| what.to_owned());
    if let Event::CallApproved { call_id, .. } = event {
        about(call_id, if edited { "approved with changed arguments" } else { "approved" })
    } else if let Event::CallDenied { call_id, reason, .. } = event {
        let why = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
        about(call_id, &format!("denied{why}"))
    } else if let Event::CallReused { call_id, .. } = event {
        about(call_id, "its result of before reused")
    } else if let Event::CallAnswered { call_id, .. } = event {
        about(call_id, "answered")
    } else if let Event::CallResolved { call_id, resolution, .. } = event {
        about(call_id, words::resolution(*resolution))
    } else if let Event::CallCancelled { call_id, .. } | Event::CallRejected { call_id, .. } = event {
        about(call_id, "given up")
    } else {
        None
    }
}

/// What was asked of the run as a whole.
fn of_run(events: &[(Author, Event)], about: About<'_>) -> Option<String> {
    events.iter().find_map(|(author, event)| {
        let what = if *event == Event::CancelRequested {
            "cancelled"
        } else if matches!(event, Event::Paused { .. }) {
            "paused"
        } else if matches!(event, Event::RollbackStarted { .. }) {
            "rolled back"
        } else if matches!(event, Event::Continued | Event::PersonMessage { .. })
            && matches!(about, About::Hold(_))
        {
            "told to go on"
        } else {
            return None;
        };
        Some(happened(what, &words::who(author)))
    })
}
