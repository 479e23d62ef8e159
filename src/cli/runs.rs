//! `runs`: every stored run, newest first, whatever folder it works in.
//!
//! JSON: an array of `id`, `title`, `status` (SPEC §15; `interrupted` included), `wait` (why it waits, or null), `steps`,
//! `tokens`, `created` and `updated` (milliseconds since 1970), `workspace`, `bytes` (stored for it), `damage` (why its
//! journal cannot be believed to its end, or null), `rollback` (in words, one that has begun and is not through, or null).
//! Only the newest 500 runs are looked at for the last two.

use super::app::{App, Failure};
use super::args::JsonArgs;
use super::duration::{age, short};
use super::exit::Exit;
use super::layout;
use super::print::{talk, terminal_width};
use super::report::half_back;
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
    let looked = look(&store, &rows).await?;
    if args.json {
        let objects = rows.iter().map(|row| object(row, &looked));
        layout::json(&objects.collect::<Vec<_>>())?;
        return Ok(Exit::Completed);
    }
    if rows.is_empty() {
        talk("there are no runs yet. `wakeful run GOAL` starts one");
        return Ok(Exit::Completed);
    }
    layout::text(&table(app, &rows, &looked).render(terminal_width()))?;
    for (run, words) in &looked.half_back {
        talk(&format!("{run}: {words}; `wakeful resume {run}` finishes it"));
    }
    if !looked.damaged.is_empty() {
        talk("a damaged run goes on only when you say so: `wakeful doctor` tells what is wrong");
    }
    Ok(Exit::Completed)
}

/// What the small columns do not tell of the newest runs.
#[derive(Default)]
struct Looked {
    /// Why the journal cannot be believed to its end.
    damaged: HashMap<RunId, String>,
    /// A rollback that has begun and is not through.
    half_back: HashMap<RunId, String>,
}

async fn look(store: &Store, rows: &[RunRow]) -> Result<Looked, Failure> {
    let mut looked = Looked::default();
    for row in rows.iter().take(LOOKED_AT) {
        let damage = match store.load(&row.id).await {
            Ok(loaded) => {
                if let Some(words) = half_back(&loaded.state) {
                    looked.half_back.insert(row.id.clone(), words);
                }
                loaded.damage
            }
            Err(StoreError::Damaged { damage, .. }) => Some(damage),
            Err(other) => return Err(other.into()),
        };
        if let Some(damage) = damage {
            let words = format!("event {}: {}", damage.first_bad_seq, damage.reason);
            looked.damaged.insert(row.id.clone(), words);
        }
    }
    Ok(looked)
}

fn object(row: &RunRow, looked: &Looked) -> Value {
    json!({
        "id": row.id, "title": row.title, "status": row.status, "wait": row.wait, "steps": row.steps,
        "tokens": row.tokens, "created": row.created, "updated": row.updated,
        "workspace": row.workspace.to_string_lossy(), "bytes": row.bytes,
        "damage": looked.damaged.get(&row.id), "rollback": looked.half_back.get(&row.id),
    })
}

fn table(app: &App, rows: &[RunRow], looked: &Looked) -> Table {
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
            _ if looked.damaged.contains_key(&row.id) => format!("{}: damaged", row.status),
            _ if looked.half_back.contains_key(&row.id) => format!("{}: half rolled back", row.status),
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
