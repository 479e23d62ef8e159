//! `runs`: every stored run, newest first, whatever folder it works in.
//!
//! JSON: an array of `id`, `title`, `status` (SPEC §15; `interrupted` included), `wait` (why it waits, or null), `steps`,
//! `tokens`, `created` and `updated` (milliseconds since 1970), `workspace`, `bytes` (stored for it), `damage` (why its
//! journal cannot be believed to its end, or null; of the newest 500 runs, the others are not looked at).

use super::app::{App, Failure};
use super::args::JsonArgs;
use super::duration::{age, short};
use super::exit::Exit;
use super::layout;
use super::print::{talk, terminal_width};
use super::table::{Column, Table};
use crate::config::Env;
use crate::run::RunId;
use crate::store::{RunFilter, RunRow, Store, StoreError};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;

/// Newest runs whose journals are looked at; opening one takes some milliseconds at most.
const LOOKED_AT: usize = 500;

/// `wakeful runs`.
///
/// # Errors
/// See [`Failure`].
pub async fn runs(app: &App, args: JsonArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let rows = store.runs(RunFilter::default()).await?;
    let damaged = damaged(&store, &rows).await?;
    if args.json {
        let objects = rows.iter().map(|row| object(row, damaged.get(&row.id).map(String::as_str)));
        layout::json(&objects.collect::<Vec<_>>())?;
        return Ok(Exit::Completed);
    }
    if rows.is_empty() {
        talk("there are no runs yet. `wakeful run GOAL` starts one");
        return Ok(Exit::Completed);
    }
    layout::text(&table(app, &rows, &damaged).render(terminal_width()))?;
    if !damaged.is_empty() {
        talk("a damaged run goes on only when you say so: `wakeful doctor` tells what is wrong");
    }
    Ok(Exit::Completed)
}

/// The damaged ones among the newest runs, with the reason.
async fn damaged(store: &Store, rows: &[RunRow]) -> Result<HashMap<RunId, String>, Failure> {
    let mut found = HashMap::new();
    for row in rows.iter().take(LOOKED_AT) {
        let damage = match store.load(&row.id).await {
            Ok(loaded) => loaded.damage,
            Err(StoreError::Damaged { damage, .. }) => Some(damage),
            Err(other) => return Err(other.into()),
        };
        if let Some(damage) = damage {
            found.insert(row.id.clone(), format!("event {}: {}", damage.first_bad_seq, damage.reason));
        }
    }
    Ok(found)
}

fn object(row: &RunRow, damage: Option<&str>) -> Value {
    json!({
        "id": row.id, "title": row.title, "status": row.status, "wait": row.wait, "steps": row.steps,
        "tokens": row.tokens, "created": row.created, "updated": row.updated,
        "workspace": row.workspace.to_string_lossy(), "bytes": row.bytes, "damage": damage,
    })
}

fn table(app: &App, rows: &[RunRow], damaged: &HashMap<RunId, String>) -> Table {
    let mut table = Table::new(&[
        Column::Name("run"),
        Column::Name("status"),
        Column::Number("steps"),
        Column::Number("tokens"),
        Column::Number("age"),
        Column::Number("size"),
        Column::Text("title"),
        Column::Text("workspace"),
    ]);
    let now = app.now();
    for row in rows {
        let status = match &row.wait {
            _ if damaged.contains_key(&row.id) => format!("{}: damaged", row.status),
            Some(wait) => format!("{}: {wait}", row.status),
            None => row.status.clone(),
        };
        table.row([
            row.id.to_string(),
            status,
            row.steps.to_string(),
            short(row.tokens),
            age(now, row.updated),
            size(row.bytes),
            row.title.clone(),
            place(&row.workspace, &app.cwd, &app.env),
        ]);
    }
    table
}

/// A folder as people write it: `.` for the present one, `~` for home.
pub fn place(folder: &Path, cwd: &Path, env: &Env) -> String {
    if folder == cwd {
        return ".".to_owned();
    }
    let home = env.get("HOME").filter(|home| !home.is_empty()).map(Path::new);
    match home.and_then(|home| folder.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => folder.display().to_string(),
    }
}

/// A size in its largest unit of 1024, cut.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KiB", bytes / 1_024),
        1_048_576..1_073_741_824 => format!("{}.{} MiB", bytes >> 20, ((bytes & 0xf_ffff) * 10) >> 20),
        _ => format!("{}.{} GiB", bytes >> 30, ((bytes & 0x3fff_ffff) * 10) >> 30),
    }
}
