//! How many results of one folder are kept: those that were neither made nor offered to a run for longest are offered no
//! more. They are not deleted, and a person who changes or pins one brings it back.
//!
//! Only what a rule made at the end of a phase is counted. What a person wrote, pinned or changed stays, and so does what an
//! agent chose to remember.

use super::error::StoreError;
use super::memories::place_of;
use super::rows::int;
use crate::run::memory::{MemoryId, Scope};
use crate::run::{Millis, RunState};
use rusqlite::{Connection, params};

/// Notes that a run was offered these, or came to the same once more.
pub(super) fn used(conn: &Connection, ids: &[MemoryId], at: Millis) -> Result<(), StoreError> {
    let mut statement =
        conn.prepare_cached("UPDATE memories SET used = max(coalesce(used, 0), ?2) WHERE id = ?1")?;
    for id in ids {
        statement.execute(params![int(*id), at])?;
    }
    Ok(())
}

/// Takes out of what is offered those results of a place that are more than the run's settings allow.
pub(super) fn outdate(conn: &Connection, state: &RunState, scope: &Scope) -> Result<(), StoreError> {
    let Some(most) = state.settings().map(|settings| settings.max_results) else { return Ok(()) };
    let (scope, place) = place_of(scope);
    // Those that stay come first; a result without a use counts from when it was made.
    conn.prepare_cached(
        "UPDATE memories SET outdated = ?3 WHERE id IN (
           SELECT id FROM memories
           WHERE scope = ?1 AND place = ?2 AND kind = 'result' AND author = '\"wakeful\"' AND gone IS NULL
             AND NOT withdrawn AND outdated IS NULL AND NOT pinned AND edited IS NULL
           ORDER BY max(at, coalesce(used, 0)) DESC, id DESC LIMIT -1 OFFSET ?3)",
    )?
    .execute(params![scope, place, most])?;
    Ok(())
}
