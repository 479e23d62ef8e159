//! What the same call did on a timeline that was left, and whether its result may stand in for running it again.
//!
//! After a rollback the agent often asks for the same thing again. A result can be reused only where the effect behind it
//! still stands, since otherwise the agent would go on from something that is not so:
//! - a command and a request stand: a rollback brings back files that calls are known to have changed, and nothing else;
//! - a file write does not: its file was put back, and if it was kept, then writing the same again is harmless, or the
//!   edit itself says that its place is not there. The same holds for whatever else left images of files;
//! - where nobody knows whether it happened, or no result is stored, there is nothing to hand over;
//! - what only reads files, notes or asks is not looked for at all: running it is as good.
//!
//! Not to be assumed: that nobody undid a command by hand since. The person who decides sees what it was and when.

use super::batch::Batch;
use super::driver::Driver;
use super::error::WorkError;
use super::preview::acts_outside;
use crate::agent::rollback::on_chain;
use crate::run::call::{Call, CallStatus, Origin};
use crate::run::control::Author;
use crate::run::event::Event;
use crate::run::id::{CallId, Hash};
use crate::run::state::RunState;
use crate::store::{CallRow, Store};

/// The same call as it ran on a timeline that was left.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    /// The call that ran.
    pub call: CallRow,
    /// Why its result cannot be reused; none if it can.
    pub refused: Option<&'static str>,
}

/// The newest call with this effect that may have happened on a timeline that was left.
///
/// # Errors
/// The store's.
pub async fn earlier(
    store: &Store,
    state: &RunState,
    effect_key: &Hash,
    own: &CallId,
) -> Result<Option<CallRow>, WorkError> {
    let timelines = &state.ledger.timelines;
    if timelines.len() < 2 {
        return Ok(None);
    }
    let rows = store.same_effect(effect_key, &state.run).await?;
    let head = (state.head.seq, state.head.timeline);
    Ok(rows.into_iter().rev().find(|row| {
        !on_chain(timelines, head, (row.seq, row.timeline)) && row.call_id != *own && happened(row.status)
    }))
}

/// The same with whether its result may be reused for this call; none for calls that have no effect to stand.
///
/// # Errors
/// The store's.
pub async fn reusable(
    store: &Store,
    state: &RunState,
    tool: &str,
    effect_key: &Hash,
    own: &CallId,
) -> Result<Option<Earlier>, WorkError> {
    let writes = matches!(tool, "write_file" | "edit_file");
    if !writes && !acts_outside(tool) {
        return Ok(None);
    }
    let Some(call) = earlier(store, state, effect_key, own).await? else { return Ok(None) };
    let refused = match call.status {
        CallStatus::Done | CallStatus::Failed if call.result.is_none() => Some("its result is not stored"),
        CallStatus::Done | CallStatus::Failed => None,
        CallStatus::Proposed
        | CallStatus::Waiting
        | CallStatus::Approved
        | CallStatus::Started
        | CallStatus::Rejected
        | CallStatus::Denied
        | CallStatus::Cancelled
        | CallStatus::Uncertain => Some("nobody knows what came of it"),
    };
    let imaged = writes || store.file_changes(&state.run).await?.iter().any(|c| c.call_id == call.call_id);
    let refused =
        if imaged { Some("its files were put back by the rollback, so that it has to run") } else { refused };
    Ok(Some(Earlier { call, refused }))
}

impl Driver<'_> {
    /// Closes a waiting call with the result that the same call had on a timeline that was left. Gives back why not.
    pub(super) async fn reuse(
        &self,
        batch: &mut Batch,
        by: Author,
        call: &Call,
        from: &CallId,
    ) -> Result<Option<String>, WorkError> {
        if call.origin != Origin::Model {
            return Ok(Some("a check of the goal is run, its result is not reused".to_owned()));
        }
        let store = &self.engine.store;
        let found = reusable(store, &self.state, &call.tool, &call.effect_key, &call.call_id).await?;
        let Some(Earlier { call: before, refused }) = found else {
            return Ok(Some("it did not run before on a timeline that was left".to_owned()));
        };
        if before.call_id != *from {
            return Ok(Some("the result that was shown is not the newest one; look again".to_owned()));
        }
        if let Some(why) = refused {
            return Ok(Some(format!("its result of before cannot be reused: {why}")));
        }
        let Some(body) = &before.result else { return Ok(None) };
        let ok = before.status == CallStatus::Done;
        let text = format!(
            "[not run again: the person took the result that the same call had at step {} of timeline {}, which was left \
             by a rollback. What it did then still stands. That result:]\n{}",
            before.step,
            before.timeline,
            store.text(body).await?
        );
        let result = self.result(batch, &call.tool, ok, text);
        batch.push_by(
            by,
            Event::CallReused {
                call_id: call.call_id.clone(),
                from: before.call_id,
                ok,
                result,
                output: before.output,
            },
        )?;
        Ok(None)
    }
}

fn happened(status: CallStatus) -> bool {
    match status {
        CallStatus::Done | CallStatus::Failed | CallStatus::Uncertain | CallStatus::Started => true,
        CallStatus::Proposed
        | CallStatus::Waiting
        | CallStatus::Approved
        | CallStatus::Rejected
        | CallStatus::Denied
        | CallStatus::Cancelled => false,
    }
}
