//! `intents`: tool calls as durable records. Open ones first, oldest first, with their whole arguments; then the closed
//! ones, newest first, in brief.
//!
//! JSON: an array of `call_id`, `run`, `step`, `position`, `timeline`, `tool`, `class`, `status`, `open`, `why` (why it
//! waits or ended so, or null), `decided_by` (`"wakeful"`, `"agent"`, `{"person": FACE}` or null), `attempt`,
//! `args_hash`, `args` (an object; a text if it is not JSON), `result` (its beginning, or null), `result_bytes`, `since`
//! and `ended` (milliseconds since 1970). With RUN it holds all calls of the run, else [`JSON_CLOSED`] closed ones.

use super::app::{App, Failure};
use super::args::IntentsArgs;
use super::duration::age;
use super::exit::Exit;
use super::layout;
use super::print::{neutral, one_line, talk, terminal_width};
use super::question::{question, taken};
use super::table::{Column, Table, clip};
use crate::inspect::explain::explain_row;
use crate::run::call::CallStatus;
use crate::run::{Class, RunId};
use crate::store::{CallFilter, CallRow, Store};
use serde_json::{Value, json};

/// Closed calls shown as text.
const CLOSED: usize = 50;
/// Closed calls of all runs in JSON.
pub const JSON_CLOSED: usize = 1_000;
/// Characters of a result in JSON.
const BRIEF: usize = 400;
/// States of closed calls.
const CLOSED_STATES: [CallStatus; 5] =
    [CallStatus::Done, CallStatus::Failed, CallStatus::Rejected, CallStatus::Denied, CallStatus::Cancelled];

/// `wakeful intents`.
///
/// # Errors
/// See [`Failure`].
pub async fn intents(app: &App, args: IntentsArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let run = match &args.run {
        Some(run) => Some(super::run::find(&store, run).await?),
        None => None,
    };
    let open = CallFilter { run: run.clone(), open_only: true, ..CallFilter::default() };
    let open = store.calls(open).await?;
    let most = match (args.json, &run) {
        (true, Some(_)) => None,
        (true, None) => Some(JSON_CLOSED),
        (false, _) => Some(CLOSED),
    };
    let (closed, more) = closed(&store, run, most).await?;
    if args.json {
        let mut objects = Vec::with_capacity(open.len() + closed.len());
        for row in open.iter().chain(&closed) {
            objects.push(object(&store, row).await?);
        }
        layout::json(&objects)?;
    } else {
        layout::text(&page(app, &store, open, &closed).await?)?;
    }
    if let (true, Some(most)) = (more, most) {
        talk(&format!(
            "only the newest {most} closed calls are shown; `wakeful intents RUN --json` lists all of a run"
        ));
    }
    Ok(Exit::Completed)
}

/// Closed calls, newest first, and whether there are more.
async fn closed(
    store: &Store,
    run: Option<RunId>,
    most: Option<usize>,
) -> Result<(Vec<CallRow>, bool), Failure> {
    let statuses = CLOSED_STATES.to_vec();
    let filter = CallFilter { run, open_only: false, statuses, limit: most.map(|most| most + 1) };
    let mut rows = store.calls(filter).await?;
    rows.reverse();
    let more = most.is_some_and(|most| rows.len() > most);
    rows.truncate(most.unwrap_or(usize::MAX));
    Ok((rows, more))
}

/// A call as programs get it.
///
/// # Errors
/// The store's.
pub async fn object(store: &Store, row: &CallRow) -> Result<Value, Failure> {
    let args = store.text(&row.args).await?;
    let args = serde_json::from_str::<Value>(&args).unwrap_or(Value::String(args));
    let result = match &row.result {
        Some(body) => Some(layout::beginning(&store.text(body).await?, BRIEF)),
        None => None,
    };
    Ok(json!({
        "call_id": row.call_id, "run": row.run, "step": row.step, "position": row.position,
        "timeline": row.timeline, "tool": row.tool, "class": row.class.word(), "status": row.status.word(),
        "open": !row.status.is_closed(), "why": row.why, "decided_by": row.decided_by, "attempt": row.attempt,
        "args_hash": row.args_hash, "args": args, "result": result,
        "result_bytes": row.result.as_ref().map(crate::run::Body::len), "since": row.since, "ended": row.ended,
    }))
}

async fn page(app: &App, store: &Store, open: Vec<CallRow>, closed: &[CallRow]) -> Result<String, Failure> {
    let mut text = String::new();
    if open.is_empty() {
        text.push_str("no open calls\n");
    }
    for row in open {
        text.push_str(&open_call(app, store, row).await?);
        text.push('\n');
    }
    if !closed.is_empty() {
        text.push_str(&closed_table(app, store, closed).await?);
    }
    Ok(text)
}

/// An open call: everything that a person needs to decide.
async fn open_call(app: &App, store: &Store, row: CallRow) -> Result<String, Failure> {
    let id = row.call_id.clone();
    let mut text = format!(
        "{} {}.{} {} ({}) {} for {} · {id} · {}\n",
        mark(row.status),
        row.step,
        row.position,
        one_line(&row.tool),
        row.class.word(),
        row.status.word(),
        age(app.now(), row.since),
        row.run
    );
    if let Some(why) = &row.why {
        text.push_str(&layout::wrapped(&format!("why: {why}"), "    ", layout::width()));
    }
    let (status, class) = (row.status, row.class);
    let due = due(app, store, &row).await?;
    let explained = explain_row(store, row).await?;
    let asked = question(&explained.call.tool, &explained.args, layout::width());
    text.push_str(&asked.unwrap_or_else(|| arguments(&explained.args, layout::width())));
    if let Some(due) = due {
        text.push_str(&layout::wrapped(&due, "    ", layout::width()));
    }
    let shown = neutral(&explained.args);
    if shown != explained.args || has_hidden(&explained.args) {
        text.push_str("    ! characters that hide or act on a terminal are shown as codes\n");
    }
    for earlier in &explained.earlier {
        text.push_str(&format!(
            "    the same was asked at step {}@{}: {} ({})\n",
            earlier.step,
            earlier.timeline,
            earlier.status.word(),
            earlier.call_id
        ));
    }
    text.push_str(&format!("    hash {}\n", explained.call.args_hash.short(12)));
    for command in decide(&id.to_string(), status, class) {
        text.push_str(&format!("    → {command}\n"));
    }
    Ok(text)
}

/// When the agent's recommendation is taken, if it is of itself.
async fn due(app: &App, store: &Store, row: &CallRow) -> Result<Option<String>, Failure> {
    if row.class != Class::Person || row.status != CallStatus::Waiting {
        return Ok(None);
    }
    let state = store.load(&row.run).await?.state;
    let default = state.open_here().find(|call| call.call_id == row.call_id).and_then(|call| call.default);
    Ok(default.map(|default| taken(default, app.now())))
}

/// True if a text inside JSON arguments has characters that are shown as codes.
fn has_hidden(args: &str) -> bool {
    match serde_json::from_str::<Value>(args) {
        Ok(Value::Object(map)) => map.values().filter_map(Value::as_str).any(|text| neutral(text) != *text),
        Ok(_) | Err(_) => false,
    }
}

/// Arguments one below the other, whole and wrapped.
pub fn arguments(args: &str, width: usize) -> String {
    let Ok(Value::Object(map)) = serde_json::from_str::<Value>(args) else {
        return layout::wrapped(args, "    ", width);
    };
    // What is short stands first: a path before a whole file.
    let (long, short): (Vec<_>, Vec<_>) =
        map.into_iter().partition(|(_, value)| value.as_str().is_some_and(|words| words.contains('\n')));
    let mut text = String::new();
    for (name, value) in short {
        let words = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.push_str(&layout::wrapped(&format!("{name}: {words}"), "    ", width));
    }
    for (name, value) in long {
        text.push_str(&layout::wrapped(&format!("{name}:"), "    ", width));
        let words = value.as_str().unwrap_or_default();
        text.push_str(&layout::wrapped(words.trim_end_matches('\n'), "      ", width));
    }
    text
}

/// What a person can type about an open call.
pub fn decide(call: &str, status: CallStatus, class: Class) -> Vec<String> {
    match status {
        CallStatus::Waiting if class == Class::Person => vec![format!("wakeful answer {call} TEXT")],
        CallStatus::Waiting => {
            vec![format!("wakeful approve {call}"), format!("wakeful deny {call} --reason TEXT")]
        }
        CallStatus::Uncertain => vec![format!("wakeful resolve {call} happened|rerun|skip")],
        CallStatus::Proposed
        | CallStatus::Approved
        | CallStatus::Started
        | CallStatus::Done
        | CallStatus::Failed
        | CallStatus::Rejected
        | CallStatus::Denied
        | CallStatus::Cancelled => Vec::new(),
    }
}

/// The sign of a state.
pub fn mark(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Waiting => "!",
        CallStatus::Uncertain => "?",
        CallStatus::Proposed | CallStatus::Approved => "·",
        CallStatus::Started => "▸",
        CallStatus::Done => "✓",
        CallStatus::Failed => "✗",
        CallStatus::Rejected | CallStatus::Denied | CallStatus::Cancelled => "⊘",
    }
}

async fn closed_table(app: &App, store: &Store, rows: &[CallRow]) -> Result<String, Failure> {
    let mut table = Table::new(&[
        Column::Name("closed"),
        Column::Name("tool"),
        Column::Name("class"),
        Column::Name("status"),
        Column::Number("age"),
        Column::Name("call"),
        Column::Name("run"),
        Column::Text("arguments"),
    ]);
    let bodies = rows.iter().map(|row| row.args.clone()).collect();
    let args = store.texts(bodies).await?;
    for (row, args) in rows.iter().zip(args) {
        table.row([
            format!("{} {}.{}", mark(row.status), row.step, row.position),
            clip(&one_line(&row.tool), 24),
            row.class.word().to_owned(),
            row.status.word().to_owned(),
            age(app.now(), row.ended.unwrap_or(row.since)),
            row.call_id.to_string(),
            row.run.to_string(),
            clip(&one_line(&layout::beginning(&args, 120)), 80),
        ]);
    }
    Ok(table.render(terminal_width()))
}
