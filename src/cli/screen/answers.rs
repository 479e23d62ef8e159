//! Answers to what the screen and its dialogs ask: steps, texts, previews, checked arguments, new runs.

use super::{Hands, back};
use crate::agent::rollback::on_chain;
use crate::cli::app::Failure;
use crate::cli::{arguments, run};
use crate::inspect::{PastRequest, past_request, slot_items};
use crate::run::Purpose;
use crate::run::control::{Author, StepRef};
use crate::run::event::{Decoded, Event};
use crate::run::goal::Goal;
use crate::run::id::{CallId, RunId, WorkerId};
use crate::store::{CallRow, Store, StoreError};
use crate::tool::{self, Registry};
use crate::ui::app::complete::Files;
use crate::ui::app::msg::{Cmd, FileChange, GoalVersion, Msg, Posted, Rebuilt};
use crate::ui::feed::Feed;
use crate::worker::registry_of;
use crate::workspace::Workspace;
use std::sync::Arc;
use std::time::Duration;

/// Most files of a workspace that are offered behind an `@`, and the longest time to look for them.
const FILES: usize = 20_000;
const LISTING: Duration = Duration::from_secs(2);

impl Hands {
    /// The answer to a command that asks something.
    pub(super) async fn answer(&self, command: Cmd) -> Option<Msg> {
        let store = &self.store;
        Some(match command {
            Cmd::Steps(run, spans) => {
                let mut steps = Vec::with_capacity(spans.len());
                for span in spans {
                    let read = Feed::step(store, &run, span).await;
                    steps.push(read.map_err(|error| (span.step, error.to_string())));
                }
                Msg::Steps(run, steps)
            }
            Cmd::Text(ticket, body) => Msg::Text(ticket, store.text(&body).await.map_err(|e| e.to_string())),
            Cmd::ReadArgs(ticket, run, call, text) => {
                Msg::ArgsRead(ticket, read_args(store, &run, &call, &text).await)
            }
            Cmd::Change(ticket, run, call, args) => {
                Msg::Change(ticket, change(store, &run, &call, args).await.map_err(|f| f.message))
            }
            Cmd::Preview(ticket, run, to) => {
                let preview = back::preview_of(store, &run, to).await;
                Msg::Preview(ticket, preview.map(Box::new).map_err(|f| f.message))
            }
            Cmd::Compare(ticket, run, to) => {
                let compared = back::compare(store, &run, to).await;
                Msg::Compared(ticket, compared.map(Box::new).map_err(|f| f.message))
            }
            Cmd::Before(ticket, run, call) => {
                let row = row_of(store, &run, &call).await;
                let before = match row {
                    Ok(row) => back::before(store, &row).await,
                    Err(why) => Err(why),
                };
                Msg::Before(ticket, before.map_err(|f| f.message))
            }
            Cmd::Request(ticket, run, step) => {
                let asked = past_request(store, &run, Some(StepRef { timeline: None, step })).await;
                Msg::Request(
                    ticket,
                    match asked {
                        Ok(PastRequest { request: Some(request), differs, .. }) => {
                            Ok(Rebuilt { text: format!("{request:#}"), differs })
                        }
                        Ok(PastRequest { request: None, differs, .. }) => Err(differs.unwrap_or_default()),
                        Err(error) => Err(error.to_string()),
                    },
                )
            }
            Cmd::Items(ticket, run, step, slot) => {
                let step = Some(StepRef { timeline: None, step });
                let items = slot_items(store, &run, step, slot).await;
                Msg::Items(ticket, items.map(Box::new).map_err(|error| error.to_string()))
            }
            Cmd::Place(ticket, path, checks) => {
                let (cwd, search) = (self.app.cwd.clone(), std::env::var_os("PATH"));
                let look = move || super::place::look(&cwd, &path, &checks, search.as_deref());
                Msg::Place(ticket, tokio::task::spawn_blocking(look).await.ok()?)
            }
            Cmd::Files(ticket, folder) => {
                let list = move || {
                    let found = Workspace::open(&folder).map(|open| tool::file_paths(&open, FILES, LISTING));
                    let (paths, more) = found.unwrap_or_default();
                    Files { folder, paths: Arc::new(paths), more }
                };
                Msg::Files(ticket, tokio::task::spawn_blocking(list).await.ok()?)
            }
            Cmd::Goals(ticket, run) => {
                Msg::Goals(ticket, goals(store, &run).await.map_err(|error| error.to_string()))
            }
            Cmd::Traces(ticket, run, call) => {
                Msg::Traces(ticket, super::traces::of(store, &run, &call).await.map_err(|f| f.message))
            }
            Cmd::Output(ticket, run, call, from) => {
                Msg::Output(ticket, super::output::part(&self.app, store, &run, &call, from).await)
            }
            Cmd::TakeBack(ticket, run, id) => {
                let by = Author::Person("tui".to_owned());
                let back = store.take_back(&run, id, by, self.app.now()).await;
                Msg::HadBack(ticket, back.map_err(|error| error.to_string()))
            }
            Cmd::Hurry(ticket, run, id) => {
                Msg::Hurried(ticket, store.hurry(&run, id).await.map_err(|error| error.to_string()))
            }
            Cmd::TakeOver(ticket, run, worker) => Msg::Posted(ticket, self.take_over(&run, &worker).await),
            Cmd::Show(_)
            | Cmd::MoreRuns(_)
            | Cmd::Post(..)
            | Cmd::Work(_)
            | Cmd::Start(..)
            | Cmd::GiveUp(_)
            | Cmd::Notify(_)
            | Cmd::Drafts(_)
            | Cmd::Stop { .. }
            | Cmd::HandOver(_)
            | Cmd::Retry(_) => return None,
        })
    }

    /// Ends the worker that the person saw, and no other, and works at its run here.
    async fn take_over(&self, run: &RunId, worker: &WorkerId) -> Posted {
        let ended = async {
            let state = self.store.load(run).await?.state;
            match &state.ledger.owner {
                Some(owner) if owner.worker == *worker => run::take_over(&self.store, &state).await,
                Some(_) | None => Ok(()),
            }
        };
        match ended.await {
            Ok(()) => {
                self.workers.work(run.clone());
                Posted::Stored
            }
            Err(failure) => Posted::Failed(failure.message),
        }
    }
}

pub(super) async fn row_of(store: &Store, run: &RunId, call: &CallId) -> Result<CallRow, Failure> {
    let row = store.find_call(call.as_str()).await?;
    if row.run == *run { Ok(row) } else { Err(Failure::usage("this call is of another run")) }
}

async fn read_args(
    store: &Store,
    run: &RunId,
    call: &CallId,
    text: &str,
) -> Result<serde_json::Value, String> {
    let row = row_of(store, run, call).await.map_err(|f| f.message)?;
    let state = store.load(run).await.map_err(|e| e.to_string())?.state;
    arguments::read(&state, &row, text)
}

/// What a write would change, as it stands now, with these arguments or its own; nothing for other calls.
async fn change(
    store: &Store,
    run: &RunId,
    call: &CallId,
    args: Option<serde_json::Value>,
) -> Result<Vec<FileChange>, Failure> {
    let row = row_of(store, run, call).await?;
    let state = store.load(run).await?.state;
    let raw = match args {
        Some(args) => args.to_string(),
        None => store.text(&row.args).await?,
    };
    let registry = state.settings().map_or_else(|| Registry::new(tool::ShellLimits::default()), registry_of);
    let Ok((_, typed)) = registry.read(&row.tool, &raw) else { return Ok(Vec::new()) };
    let folder = state.ledger.workspace.clone();
    let looked = tokio::task::spawn_blocking(move || {
        let workspace = Workspace::open(&folder).map_err(|e| Failure::usage(e.to_string()))?;
        let (path, prepared) = match &typed {
            tool::Call::WriteFile(args) => (args.path.clone(), args.prepare(&workspace)),
            tool::Call::EditFile(args) => (args.path.clone(), args.prepare(&workspace)),
            tool::Call::ReadFile(_)
            | tool::Call::ListFiles(_)
            | tool::Call::Search(_)
            | tool::Call::HttpGet(_)
            | tool::Call::Shell(_)
            | tool::Call::Note(_)
            | tool::Call::Plan(_)
            | tool::Call::Remember(_)
            | tool::Call::Recall(_)
            | tool::Call::AskPerson(_)
            | tool::Call::Decide(_) => return Ok(Vec::new()),
        };
        Ok(vec![shown_change(path, prepared)])
    });
    looked.await.map_err(|e| Failure::internal(e.to_string()))?
}

fn shown_change(path: String, prepared: Result<tool::Prepared, tool::ToolError>) -> FileChange {
    match prepared {
        Ok(prepared) => {
            let old = prepared.before.bytes.as_deref();
            // The record's own diff leaves colours out; whoever approves sees every character.
            let diff = tool::exact_diff(prepared.path(), old, &prepared.content);
            let lines = |sign: char| {
                let body = diff.split('\n').skip_while(|line| !line.starts_with("@@"));
                body.filter(|line| line.starts_with(sign)).count()
            };
            FileChange {
                path,
                added: lines('+'),
                removed: lines('-'),
                before: old.map(|bytes| bytes.len() as u64),
                lines: old.map_or(0, lines_of),
                state: Some(prepared.before.image.state.clone()),
                problem: None,
                diff,
            }
        }
        Err(error) => FileChange {
            path,
            diff: String::new(),
            added: 0,
            removed: 0,
            before: None,
            lines: 0,
            state: None,
            problem: Some(format!("{} {}", error.message, error.suggestion)),
        },
    }
}

/// The versions of a goal on the present timeline.
pub(in crate::cli) async fn goals(store: &Store, run: &RunId) -> Result<Vec<GoalVersion>, StoreError> {
    let state = store.load(run).await?.state;
    let mut events = store.events_of(run, "run_created", 0).await?;
    events.extend(store.events_of(run, "goal_edited", 0).await?);
    let here = (state.head.seq, state.head.timeline);
    let mut asked = Vec::new();
    for envelope in store.events_of(run, "model_called", 0).await? {
        let place = (envelope.seq, envelope.timeline);
        let Decoded::Known(event) = envelope.event else { continue };
        if let Event::ModelCalled { step, purpose: Purpose::Turn, .. } = *event
            && on_chain(&state.ledger.timelines, here, place)
        {
            asked.push((place.0, step));
        }
    }
    let mut versions = Vec::new();
    for envelope in events {
        if !on_chain(&state.ledger.timelines, here, (envelope.seq, envelope.timeline)) {
            continue;
        }
        let Some((version, goal)) = goal_of(envelope.event) else { continue };
        // In force for the first request that went out after it, or will.
        let first = asked.iter().find(|(seq, _)| *seq > envelope.seq).map(|(_, step)| *step);
        let step = first.unwrap_or_else(|| state.next_request_step());
        versions.push(GoalVersion { version, at: envelope.at, by: envelope.author, step, goal });
    }
    Ok(versions)
}

fn goal_of(event: Decoded) -> Option<(u32, Goal)> {
    let Decoded::Known(event) = event else { return None };
    let event = *event;
    if let Event::RunCreated { goal, .. } = event {
        Some((1, goal))
    } else if let Event::GoalEdited { version, goal } = event {
        Some((version, goal))
    } else {
        None
    }
}

/// Lines of a file: a line feed ends one, and what stands behind the last is one too.
fn lines_of(bytes: &[u8]) -> usize {
    let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
    ends + usize::from(!bytes.is_empty() && !bytes.ends_with(b"\n"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_are_counted_as_editors_do() {
        for (text, lines) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\nb\n", 2), ("\n", 1)] {
            assert_eq!(super::lines_of(text.as_bytes()), lines, "{text:?}");
        }
    }
}
