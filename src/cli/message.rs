//! `message`: says something to the agent, lists what waits to be delivered, takes it back.
//!
//! JSON of `--queued`: an array of objects with `id`, `text`, `at` (milliseconds since 1970), `by`, `now`. JSON of
//! `--take-back`: an object with `run`, `id`, `outcome` (`back` or `refused`), `text` (of what came back), `why`.

use super::app::{App, Failure};
use super::args::MessageArgs;
use super::control::{Answer, Came, ask, person, tell};
use super::exit::{EndStatus, Exit};
use super::print::{Out, one_line, talk};
use super::report;
use super::run::find;
use super::words::who;
use crate::run::control::Control;
use crate::run::id::RunId;
use crate::run::state::{Status, WaitWhy};
use crate::store::{HadBack, InboxId, Store};
use crate::worker::too_large;
use serde_json::json;

/// `wakeful message`.
///
/// # Errors
/// See [`Failure`].
pub async fn message(app: &App, args: MessageArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let run = find(&store, &args.run).await?;
    if let Some(id) = args.take_back {
        return take_back(app, &store, &run, id, args.json).await;
    }
    let Some(text) = args.text else { return queued(&store, &run, args.json).await };
    // A worker would refuse it as well, perhaps much later.
    if let Some(why) = too_large(&store, &run, &text).await? {
        return Err(Failure::usage(format!("the message is not sent: {why}")));
    }
    let said = "the agent reads it before its next step";
    let answer = ask(app, &store, &run, Control::Message { text, now: args.now }).await?;
    let exit = match unread(&answer).filter(|_| !args.json) {
        Some(words) => {
            talk(&words);
            Exit::Completed
        }
        None => tell(&answer, said, None, args.json)?,
    };
    store.close().await?;
    Ok(exit)
}

/// When a message is read that waits for more than a running call; none for any other.
fn unread(answer: &Answer) -> Option<String> {
    if answer.came != Came::Queued {
        return None;
    }
    let (state, run) = (&answer.state, &answer.state.run);
    let when = match state.status() {
        Status::Paused if answer.owner.is_some() => format!("when the run goes on: `wakeful continue {run}`"),
        Status::Paused => format!("when the run goes on: `wakeful resume {run}`"),
        status @ Status::Waiting(
            WaitWhy::Approval(_) | WaitWhy::Question(_) | WaitWhy::Uncertain(_) | WaitWhy::Retry(_),
        ) => {
            let standing = report::standing_with(state, EndStatus::from(&status), answer.owner.as_ref());
            format!("after that. {run}: {standing}")
        }
        Status::Running | Status::Ended(_) if answer.owner.is_none() => {
            format!("when the run goes on: `wakeful resume {run}`")
        }
        Status::Running | Status::Ended(_) | Status::Waiting(WaitWhy::Hold(_)) => return None,
    };
    Some(format!(
        "queued; the agent reads it {when}. `wakeful message {run} --queued` lists what can be taken back"
    ))
}

async fn queued(store: &Store, run: &RunId, json: bool) -> Result<Exit, Failure> {
    let pending = store.pending(run).await?;
    let messages: Vec<_> = pending
        .iter()
        .filter_map(|row| {
            let Control::Message { text, now } = &row.control else { return None };
            Some((row, text, *now))
        })
        .collect();
    if json {
        let all: Vec<_> = messages
            .iter()
            .map(|(row, text, now)| {
                json!({ "id": row.id, "text": text, "at": row.at, "by": row.author, "now": now })
            })
            .collect();
        Out::stdout().json_line(&json!(all))?;
    } else if messages.is_empty() {
        talk("no message waits to be delivered");
    } else {
        for (row, text, _) in &messages {
            Out::stdout().text(&format!("{}  {}\n", row.id, one_line(text)))?;
        }
        talk(&format!("`wakeful message {run} --take-back NUMBER` takes one back"));
    }
    store.close().await?;
    Ok(Exit::Completed)
}

async fn take_back(app: &App, store: &Store, run: &RunId, id: InboxId, json: bool) -> Result<Exit, Failure> {
    let (text, why) = match store.take_back(run, id, person(), app.now()).await? {
        HadBack::Text(text) => (Some(text), None),
        HadBack::TooLate(_) => (None, Some("the agent has it already".to_owned())),
        HadBack::Before(by) => (None, Some(format!("{} took it back before", who(&by)))),
    };
    let exit = if text.is_some() { Exit::Completed } else { Exit::Usage };
    match (&text, &why) {
        _ if json => {
            let outcome = if text.is_some() { "back" } else { "refused" };
            let line = json!({ "run": run, "id": id, "outcome": outcome, "text": text, "why": why });
            Out::stdout().json_line(&line)?;
        }
        (Some(text), _) => {
            Out::stdout().text(&format!("{text}\n"))?;
            talk("taken back; the agent did not see it");
        }
        (None, why) => talk(&format!("not taken back: {}", why.as_deref().unwrap_or_default())),
    }
    store.close().await?;
    Ok(exit)
}
