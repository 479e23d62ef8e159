//! Questions asked in place, in a terminal. Nothing is approved by a key that was typed before the question was shown,
//! and the default is no decision: an empty line, or the end of input, leaves the call waiting.

use super::app::{App, Failure};
use super::print::{neutral, talk};
use crate::run::call::CallStatus;
use crate::run::control::{Author, Control, Decision, Resolution};
use crate::run::settings::Class;
use crate::run::state::{RunState, WaitWhy};
use crate::store::{CallFilter, CallRow, Posted, Store};
use std::io::{self, BufRead, Write};

/// Asks about everything that `why` names. Returns false if the person left something undecided.
///
/// # Errors
/// The store's.
pub async fn ask(app: &App, store: &Store, state: &RunState, why: &WaitWhy) -> Result<bool, Failure> {
    let run = &state.run;
    match why {
        WaitWhy::Approval(_) | WaitWhy::Question(_) | WaitWhy::Uncertain(_) => {
            let filter = CallFilter {
                run: Some(run.clone()),
                open_only: true,
                statuses: vec![CallStatus::Waiting, CallStatus::Uncertain],
                limit: None,
            };
            let mut rows = store.calls(filter).await?;
            rows.retain(|r| r.timeline == state.head.timeline);
            rows.sort_by_key(|r| (r.seq, r.position));
            for row in rows {
                let decision = if row.status == CallStatus::Uncertain {
                    uncertain(store, &row).await?
                } else if row.class == Class::Person {
                    question(store, &row).await?
                } else {
                    approval(store, &row).await?
                };
                let Some(decision) = decision else { return Ok(false) };
                post_decision(app, store, &row, decision).await?;
            }
            Ok(true)
        }
        WaitWhy::Hold(hold) => {
            talk(&format!("\n! {}", super::observe::hold_words(hold)));
            let typed =
                read("  c continue, or type a message to the agent, empty leaves it waiting › ").await;
            let control = match typed.as_deref() {
                None | Some("") => return Ok(false),
                Some("c" | "continue") => Control::Continue,
                Some(text) => Control::Message { text: text.to_owned() },
            };
            store.post(run, control, Author::Person("line".to_owned()), app.now()).await?;
            Ok(true)
        }
        WaitWhy::Retry(_) => Ok(true),
    }
}

async fn post_decision(app: &App, store: &Store, row: &CallRow, decision: Decision) -> Result<(), Failure> {
    let control = Control::Decide {
        call_id: row.call_id.clone(),
        args_hash: row.args_hash.clone(),
        attempt: row.attempt,
        decision,
    };
    match store.post(&row.run, control, Author::Person("line".to_owned()), app.now()).await {
        Ok(Posted::Row(_)) => {}
        Ok(Posted::LostTo { decision, .. }) => {
            talk(&format!("  it was decided elsewhere before: {decision}"))
        }
        Err(error @ crate::store::StoreError::NotDecidable { .. }) => talk(&format!("  {error}")),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

async fn show(store: &Store, row: &CallRow) -> Result<String, Failure> {
    let args = store.text(&row.args).await?;
    let text = match serde_json::from_str::<serde_json::Value>(&args) {
        Ok(serde_json::Value::Object(map)) => map
            .iter()
            .map(|(name, value)| match value {
                serde_json::Value::String(text) => {
                    format!("    {name}: {}", visible(text).replace('\n', "\n      "))
                }
                other => format!("    {name}: {other}"),
            })
            .collect::<Vec<_>>()
            .join("\n"),
        Ok(_) | Err(_) => format!("    {}", visible(&args)),
    };
    let why = row.why.as_deref().unwrap_or("");
    Ok(format!("\n! {}.{} {} ({}) · {why}\n{text}", row.step, row.position, row.tool, row.class.word()))
}

/// The whole text with every character that acts or hides shown as a code.
fn visible(text: &str) -> String {
    crate::tool::neutralise(&neutral(text)).into_owned()
}

async fn approval(store: &Store, row: &CallRow) -> Result<Option<Decision>, Failure> {
    talk(&show(store, row).await?);
    loop {
        let typed = read("  run it? y yes · n no · e edit · l later (default) › ").await;
        match typed.as_deref().map(str::trim) {
            None | Some("" | "l" | "later") => return Ok(None),
            Some("y" | "yes") => return Ok(Some(Decision::Approve)),
            Some("n" | "no") => {
                let Some(reason) = read("  why not? (the agent is told) › ").await else { return Ok(None) };
                return Ok(Some(Decision::Deny { reason }));
            }
            Some("e" | "edit") => {
                let Some(text) = read("  the new arguments, as JSON in one line › ").await else {
                    return Ok(None);
                };
                match super::values::json_object(&text) {
                    Ok(args) => return Ok(Some(Decision::ApproveEdited { args })),
                    Err(why) => talk(&format!("  {why}")),
                }
            }
            Some(_) => talk("  type y, n, e or l"),
        }
    }
}

async fn question(store: &Store, row: &CallRow) -> Result<Option<Decision>, Failure> {
    talk(&show(store, row).await?);
    match read("  your answer (empty: later) › ").await {
        Some(text) if !text.trim().is_empty() => Ok(Some(Decision::Answer { text })),
        Some(_) | None => Ok(None),
    }
}

async fn uncertain(store: &Store, row: &CallRow) -> Result<Option<Decision>, Failure> {
    talk(&show(store, row).await?);
    talk("  It was started, and nobody knows whether it happened.");
    loop {
        let typed = read("  h it happened · r it did not, run it · s skip it · l later (default) › ").await;
        let resolution = match typed.as_deref().map(str::trim) {
            None | Some("" | "l" | "later") => return Ok(None),
            Some("h" | "happened") => Resolution::Happened,
            Some("r" | "rerun") => Resolution::Rerun,
            Some("s" | "skip") => Resolution::Skip,
            Some(_) => {
                talk("  type h, r, s or l");
                continue;
            }
        };
        return Ok(Some(Decision::Resolve { resolution, spool: spool(row) }));
    }
}

/// Name of the spool that the question is about.
pub fn spool(row: &CallRow) -> String {
    format!("{}.{}.{}", row.call_id, row.attempt, row.spool_epoch)
}

/// Shows a question, drops what was typed before it, and reads one line; none at the end of input.
pub(super) async fn read(question: &str) -> Option<String> {
    let question = question.to_owned();
    tokio::task::spawn_blocking(move || {
        let stdin = io::stdin();
        // Keys typed before the question must not answer it.
        let _ = rustix::termios::tcflush(&stdin, rustix::termios::QueueSelector::IFlush);
        let mut err = io::stderr();
        let _ = write!(err, "{question}").and_then(|()| err.flush());
        let mut line = String::new();
        match stdin.lock().read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line.trim_end_matches(['\n', '\r']).to_owned()),
        }
    })
    .await
    .ok()
    .flatten()
}
