//! What an attempt of which nobody knows the end left behind: the person who settles it sees what can be seen.

use super::answers::row_of;
use crate::cli::app::Failure;
use crate::run::event::{Decoded, Event};
use crate::run::{CallId, Millis, RunId};
use crate::store::{CallRow, Store};
use crate::tool::{self, Changed};
use crate::ui::app::msg::{Elsewhere, Traces};
use crate::workspace::Workspace;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

/// Files that are named, and the longest time to look for them.
const NAMED: usize = 3;
const LOOKING: Duration = Duration::from_secs(2);

/// When it was started, the files that changed since, and where else the same was done.
pub(super) async fn of(store: &Store, run: &RunId, call: &CallId) -> Result<Traces, Failure> {
    let row = row_of(store, run, call).await?;
    let started = started(store, &row).await?;
    let workspace = store.load(run).await?.state.ledger.workspace.clone();
    let changed = tokio::task::spawn_blocking(move || changed(&workspace, started)).await.ok().flatten();
    let other = store.same_effect_elsewhere(&row).await?;
    let elsewhere = other.map(|other| Elsewhere {
        at: other.ended.unwrap_or(other.since),
        run: other.run,
        step: other.step,
        status: other.status,
    });
    Ok(Traces { started, changed, elsewhere })
}

/// When its last attempt began; where no start is recorded, when it was last known to be something else.
async fn started(store: &Store, row: &CallRow) -> Result<Millis, Failure> {
    let starts = store.events_of(&row.run, "call_started", row.seq).await?;
    let own = starts.iter().rev().find(|envelope| match &envelope.event {
        Decoded::Known(event) => match event.as_ref() {
            Event::CallStarted { call_id, attempt, .. } => *call_id == row.call_id && *attempt == row.attempt,
            _ => false,
        },
        Decoded::Unknown { .. } => false,
    });
    Ok(own.map_or(row.since, |envelope| envelope.at))
}

fn changed(workspace: &Path, started: Millis) -> Option<Changed> {
    let since = UNIX_EPOCH + Duration::from_millis(u64::try_from(started).ok()?);
    Some(tool::changed_since(&Workspace::open(workspace).ok()?, since, NAMED, LOOKING))
}
