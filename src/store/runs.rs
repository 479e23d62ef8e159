//! Lists of runs, from small columns alone, and finding one by what a person typed.

use super::error::StoreError;
use super::open::Store;
use super::rows::{nat, small};
use super::types::{RunFilter, RunRow};
use crate::run::{RunId, WorkerId};
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Candidates that an ambiguous prefix shows.
const CANDIDATES: i64 = 5;

impl Store {
    /// Runs, newest first. `interrupted` is a run that could go on and has no living owner.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn runs(&self, filter: RunFilter) -> Result<Vec<RunRow>, StoreError> {
        let shared = Arc::clone(&self.inner.shared);
        self.read(move |conn| {
            let mut alive: HashMap<WorkerId, bool> = HashMap::new();
            let mut runs = Vec::new();
            let mut statement = conn.prepare_cached(
                "SELECT id, title, status, wait, steps, tokens, created, updated, workspace, bytes, owner
                 FROM runs ORDER BY run_no DESC",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                if filter.limit.is_some_and(|limit| runs.len() >= limit) {
                    break;
                }
                let mut run = RunRow {
                    id: RunId::new(row.get::<_, String>(0)?),
                    title: row.get(1)?,
                    status: row.get(2)?,
                    wait: row.get(3)?,
                    steps: small(row.get(4)?),
                    tokens: nat(row.get(5)?),
                    created: row.get(6)?,
                    updated: row.get(7)?,
                    workspace: PathBuf::from(row.get::<_, String>(8)?),
                    bytes: nat(row.get(9)?),
                    owner: row.get::<_, Option<String>>(10)?.map(WorkerId::new),
                };
                if run.status == "running" {
                    let lives = run.owner.as_ref().is_some_and(|owner| {
                        *alive.entry(owner.clone()).or_insert_with(|| (shared.alive)(owner))
                    });
                    if !lives {
                        run.status = "interrupted".to_owned();
                    }
                }
                if passes(&run, &filter) {
                    runs.push(run);
                }
            }
            Ok(runs)
        })
        .await
    }

    /// How many runs are stored: what a filter hides is the rest.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn count_runs(&self) -> Result<u64, StoreError> {
        self.read(|conn| Ok(nat(conn.query_row("SELECT count(run_no) FROM runs", [], |row| row.get(0))?)))
            .await
    }

    /// The run that a person means: its id, a unique prefix of it (with or without `r-`), or `last`, the newest.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], [`StoreError::Ambiguous`].
    pub async fn find_run(&self, text: &str) -> Result<RunId, StoreError> {
        let text = text.to_owned();
        self.read(move |conn| find_run(conn, &text)).await
    }
}

fn passes(run: &RunRow, filter: &RunFilter) -> bool {
    filter.workspace.as_ref().is_none_or(|workspace| run.workspace == *workspace)
        && filter.title.as_ref().is_none_or(|title| run.title.to_lowercase().contains(&title.to_lowercase()))
        && (filter.statuses.is_empty() || filter.statuses.contains(&run.status))
}

/// Finds a run by what was typed.
pub(super) fn find_run(conn: &Connection, text: &str) -> Result<RunId, StoreError> {
    let none = || StoreError::NoRun { text: text.to_owned() };
    if text == "last" {
        let mut statement = conn.prepare_cached("SELECT id FROM runs ORDER BY run_no DESC LIMIT 1")?;
        let mut rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        return rows.next().transpose()?.map(RunId::new).ok_or_else(none);
    }
    if text.is_empty() {
        return Err(none());
    }
    let mut found = beginning_with(conn, text)?;
    if found.is_empty() && !text.starts_with("r-") {
        found = beginning_with(conn, &format!("r-{text}"))?;
    }
    if let Some(whole) = found.iter().find(|id| id.as_str() == text) {
        return Ok(whole.clone());
    }
    match found.len() {
        0 => Err(none()),
        1 => found.pop().ok_or_else(none),
        _ => Err(StoreError::Ambiguous { text: text.to_owned(), candidates: found }),
    }
}

fn beginning_with(conn: &Connection, prefix: &str) -> Result<Vec<RunId>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id FROM runs WHERE id >= ?1 AND id < ?1 || char(1114111) ORDER BY id LIMIT ?2",
    )?;
    let rows = statement.query_map(rusqlite::params![prefix, CANDIDATES], |row| row.get::<_, String>(0));
    let mut ids = Vec::new();
    for id in rows? {
        ids.push(RunId::new(id?));
    }
    Ok(ids)
}
