//! `runs`: every stored run, newest first, whatever folder it works in.
//!
//! JSON: an array of `id`, `title`, `status` (SPEC §15; `interrupted` included), `wait` (why it waits, or null), `steps`,
//! `tokens`, `created` and `updated` (milliseconds since 1970), `workspace`, `bytes` (stored for it).

use super::app::{App, Failure};
use super::args::JsonArgs;
use super::duration::{age, short};
use super::exit::Exit;
use super::layout;
use super::print::{talk, terminal_width};
use super::table::{Column, Table};
use crate::config::Env;
use crate::store::{RunFilter, RunRow};
use serde_json::{Value, json};
use std::path::Path;

/// `wakeful runs`.
///
/// # Errors
/// See [`Failure`].
pub async fn runs(app: &App, args: JsonArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let rows = store.runs(RunFilter::default()).await?;
    if args.json {
        layout::json(&rows.iter().map(object).collect::<Vec<_>>())?;
        return Ok(Exit::Completed);
    }
    if rows.is_empty() {
        talk("there are no runs yet. `wakeful run GOAL` starts one");
        return Ok(Exit::Completed);
    }
    layout::text(&table(app, &rows).render(terminal_width()))?;
    Ok(Exit::Completed)
}

fn object(row: &RunRow) -> Value {
    json!({
        "id": row.id, "title": row.title, "status": row.status, "wait": row.wait, "steps": row.steps,
        "tokens": row.tokens, "created": row.created, "updated": row.updated,
        "workspace": row.workspace.to_string_lossy(), "bytes": row.bytes,
    })
}

fn table(app: &App, rows: &[RunRow]) -> Table {
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
