//! Decisions about one call: approve, deny, answer, resolve, and more time for a running one.
//!
//! A decision binds to the call, its arguments and its attempt as they stand when the command reads them; the store
//! lets the first decision win. What cannot be meant is told before anything is recorded.

use super::app::{App, Failure};
use super::args::{AnswerArgs, ApproveArgs, CallOnly, DenyArgs, ExtendArgs, ResolveArgs};
use super::control::{ask, tell};
use super::duration::span;
use super::exit::Exit;
use super::prompt::spool;
use super::question::chosen;
use super::values::{CallArg, RunArg};
use crate::run::call::CallStatus;
use crate::run::control::{Control, Decision, Resolution};
use crate::run::id::CallId;
use crate::run::settings::Class;
use crate::store::{CallRow, Store};
use crate::worker::reuse::{Earlier, reusable};
use serde_json::Value;

/// The call that the argument names.
///
/// # Errors
/// The store's.
pub async fn find_call(store: &Store, call: &CallArg) -> Result<CallRow, Failure> {
    let text = match call {
        CallArg::Prefix(prefix) => prefix.clone(),
        CallArg::Place { run, step, position } => {
            let run = match run {
                RunArg::Last => "last",
                RunArg::Prefix(prefix) => prefix,
            };
            format!("{run}:{step}.{position}")
        }
    };
    Ok(store.find_call(&text).await?)
}

fn name(row: &CallRow) -> String {
    format!("{} ({}.{} {})", row.call_id, row.step, row.position, row.tool)
}

async fn decide(
    app: &App,
    store: Store,
    row: CallRow,
    decision: Decision,
    said: &str,
    json: bool,
) -> Result<Exit, Failure> {
    let control = Control::Decide {
        call_id: row.call_id.clone(),
        args_hash: row.args_hash.clone(),
        attempt: row.attempt,
        decision,
    };
    let answer = ask(app, &store, &row.run, control).await?;
    let exit = tell(&answer, &format!("{said} {}", name(&row)), Some(&row.call_id), json)?;
    store.close().await?;
    Ok(exit)
}

/// `wakeful approve`.
///
/// # Errors
/// See [`Failure`].
pub async fn approve(app: &App, args: ApproveArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let row = find_call(&store, &args.call).await?;
    if row.class == Class::Person {
        let words =
            "asks you something: `wakeful answer CALL TEXT` answers it, `wakeful deny CALL` refuses to";
        return Err(Failure::usage(format!("{} {words}", name(&row))));
    }
    if args.reuse {
        let from = reused(&store, &row).await?;
        return decide(
            app,
            store,
            row,
            Decision::Reuse { from },
            "the result of before is reused for",
            args.json,
        )
        .await;
    }
    match args.args {
        None => decide(app, store, row, Decision::Approve, "approved", args.json).await,
        Some(new) => {
            fits(&store, &row, &new).await?;
            let decision = Decision::ApproveEdited { args: new };
            decide(app, store, row, decision, "approved with your arguments:", args.json).await
        }
    }
}

/// The call of before whose result can be taken for this one.
async fn reused(store: &Store, row: &CallRow) -> Result<CallId, Failure> {
    let state = store.load(&row.run).await?.state;
    let found = reusable(store, &state, &row.tool, &row.effect_key, &row.call_id).await?;
    let why = match found {
        None => "it did not run before on a timeline that was left",
        Some(Earlier { call, refused: None }) => return Ok(call.call_id),
        Some(Earlier { refused: Some(why), .. }) => why,
    };
    Err(Failure::usage(format!(
        "there is no result to reuse for {}: {why}. `wakeful approve CALL` runs it, `wakeful deny CALL` does not",
        name(row)
    )))
}

/// Arguments that the tool would refuse are told now; the call goes on waiting.
async fn fits(store: &Store, row: &CallRow, args: &Value) -> Result<(), Failure> {
    let state = store.load(&row.run).await?.state;
    let Some(settings) = state.settings() else {
        return Err(Failure::internal("the run has no settings"));
    };
    super::arguments::fits(settings, &row.tool, args).map_err(|why| {
        Failure::usage(format!("{} goes on waiting, since the new arguments do not fit: {why}", name(row)))
    })
}

/// `wakeful deny`.
///
/// # Errors
/// See [`Failure`].
pub async fn deny(app: &App, args: DenyArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let row = find_call(&store, &args.call).await?;
    let decision = Decision::Deny { reason: args.reason.unwrap_or_default() };
    decide(app, store, row, decision, "denied", args.json).await
}

/// `wakeful answer`.
///
/// # Errors
/// See [`Failure`].
pub async fn answer(app: &App, args: AnswerArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let row = find_call(&store, &args.call).await?;
    if row.class != Class::Person {
        let words = "asks nothing: `wakeful approve CALL` runs it, `wakeful deny CALL` does not";
        return Err(Failure::usage(format!("{} {words}", name(&row))));
    }
    let asked = store.text(&row.args).await?;
    let text = chosen(&row.tool, &asked, args.text)
        .map_err(|why| Failure::usage(format!("{} has {why}", name(&row))))?;
    decide(app, store, row, Decision::Answer { text }, "answered", args.json).await
}

/// `wakeful resolve`.
///
/// # Errors
/// See [`Failure`].
pub async fn resolve(app: &App, args: ResolveArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let row = find_call(&store, &args.call).await?;
    let resolution = Resolution::from(args.resolution);
    let said = match resolution {
        Resolution::Happened => "recorded as happened:",
        Resolution::Rerun => "to be run again:",
        Resolution::Skip => "left as it is:",
    };
    let decision = Decision::Resolve { resolution, spool: spool(&row) };
    decide(app, store, row, decision, said, args.json).await
}

/// `wakeful extend`.
///
/// # Errors
/// See [`Failure`].
pub async fn extend(app: &App, args: ExtendArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let row = find_call(&store, &args.call).await?;
    if row.status != CallStatus::Started || row.tool != "shell" {
        let words = format!("is {}; only a running command can get more time", row.status.word());
        return Err(Failure::usage(format!("{} {words}", name(&row))));
    }
    let control = Control::ExtendTimeout { call_id: row.call_id.clone(), more_ms: args.time };
    let answer = ask(app, &store, &row.run, control).await?;
    let exit = tell(
        &answer,
        &format!("{} has {} more", name(&row), span(args.time)),
        Some(&row.call_id),
        args.json,
    )?;
    store.close().await?;
    Ok(exit)
}

/// `wakeful stop`.
///
/// # Errors
/// See [`Failure`].
pub async fn stop(app: &App, args: CallOnly) -> Result<Exit, Failure> {
    let store = app.open()?;
    let row = find_call(&store, &args.call).await?;
    if row.status != CallStatus::Started || row.tool != "shell" {
        let words = format!("is {}; only a running command can be ended", row.status.word());
        return Err(Failure::usage(format!("{} {words}", name(&row))));
    }
    let control = Control::StopCall { call_id: row.call_id.clone() };
    let answer = ask(app, &store, &row.run, control).await?;
    let exit = tell(&answer, &format!("{} is ended", name(&row)), Some(&row.call_id), args.json)?;
    store.close().await?;
    Ok(exit)
}
