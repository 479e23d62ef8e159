//! `plan`: shows the plan of a run, replaces it from a text, or edits it in the person's editor.
//!
//! The form is that of [`plan_text`]; what is shown can be given back. An edit names the version that it was made from.
//! If the plan is another one by then, as the agent went on, it is refused with the difference, and nothing that was typed
//! is lost. So it is, at once, while a change that a living owner has not read yet waits to come first. `--json` gives `run`, `version`, `edited_in_step` (null once the agent has changed the plan after the person)
//! and `items` with `id`, `title` and `state`.

use super::app::{App, Failure};
use super::control::{Came, ask, tell};
use super::exit::Exit;
use super::goal::kept;
use super::layout::moment;
use super::print::{Out, talk};
use super::run::find;
use super::values::RunArg;
use super::words::many;
use crate::host::editor::{self, Edited};
use crate::run::control::{Author, Control};
use crate::run::id::{Hash, Millis, RunId};
use crate::run::plan::{PlanItem, PlanState, plan_version};
use crate::run::plan_text::{Renumbered, reading, written};
use crate::run::state::RunState;
use crate::store::Store;
use clap::Args;
use serde_json::json;
use similar::TextDiff;
use std::io::Read;
use std::path::PathBuf;

/// Most bytes of a text that is read: no plan is longer.
const LARGEST: u64 = 1 << 20;
/// Digits of a version that are shown.
const SHOWN: usize = 12;
/// Least digits that name a version.
const LEAST: usize = 6;
/// What stands over a plan in an editor.
const HEAD: &str = "# One sub-goal a line, two spaces a level: NUMBER [state] title\n\
    # States: pending, active, done, failed, needs_review. A line without a number gets one; the others keep theirs.\n";

/// `plan`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct PlanArgs {
    /// The run
    run: RunArg,
    /// Replace the plan by what this file says, in the form in which it is shown; `-` reads stdin
    #[arg(long, value_name = "FILE", conflicts_with = "edit")]
    set: Option<PathBuf>,
    /// Edit the plan in VISUAL or EDITOR
    #[arg(long)]
    edit: bool,
    /// The version you saw, or its beginning; the change is refused if the plan is another one now [default: the present
    /// one]
    #[arg(long, value_name = "VERSION", requires = "set")]
    based_on: Option<String>,
    /// JSON on stdout
    #[arg(long)]
    json: bool,
}

/// `wakeful plan`.
///
/// # Errors
/// See [`Failure`].
pub async fn plan(app: &App, args: PlanArgs) -> Result<Exit, Failure> {
    // Read first: a pipe may come from `wakeful plan` itself.
    let text = match args.set.clone() {
        Some(file) => {
            let read = tokio::task::spawn_blocking(move || read_text(&file));
            Some(read.await.map_err(|e| Failure::internal(e.to_string()))??)
        }
        None => None,
    };
    let store = app.open()?;
    let run = find(&store, &args.run).await?;
    let state = store.load(&run).await?.state;
    let exit = match (text, args.edit) {
        (Some(text), _) => {
            let coming = coming(&store, &state).await?;
            let is =
                |version: &Hash, named: &str| named.len() >= LEAST && version.as_str().starts_with(named);
            let now = plan_version(&state.path.plan);
            let made_from = match (&coming, args.based_on.as_deref()) {
                // Whoever names the change that is on its way has seen it.
                (Some(coming), Some(named)) if is(&plan_version(&coming.items), named) => &coming.items,
                _ => &state.path.plan,
            };
            let reading = reading(&text, made_from, str::to_owned)
                .map_err(|bad| Failure::usage(format!("the plan is as it was: {bad}")))?;
            let items = reading.items;
            match (&coming, args.based_on.as_deref()) {
                (Some(coming), Some(named)) if is(&plan_version(&coming.items), named) => {}
                (_, Some(named)) if !is(&now, named) => {
                    return Err(stale(&store, &run, named, &items, None).await?);
                }
                (Some(coming), Some(_) | None) => return Err(behind(&now, coming, &items)),
                (None, Some(_) | None) => {}
            }
            tell_numbers(&reading.renumbered);
            replace(app, &store, &state, made_from, items, None, args.json).await?
        }
        (None, true) => edit(app, &store, &state, args.json).await?,
        (None, false) => show(&state, coming(&store, &state).await?, args.json)?,
    };
    store.close().await?;
    Ok(exit)
}

fn read_text(file: &std::path::Path) -> Result<String, Failure> {
    let name = if file.as_os_str() == "-" { "stdin".to_owned() } else { file.display().to_string() };
    let failed = |e: std::io::Error| Failure::usage(format!("cannot read the plan from {name}: {e}"));
    let mut text = String::new();
    let read = match file.as_os_str() == "-" {
        true => std::io::stdin().lock().take(LARGEST + 1).read_to_string(&mut text),
        false => std::fs::File::open(file).map_err(failed)?.take(LARGEST + 1).read_to_string(&mut text),
    };
    if read.map_err(failed)? as u64 > LARGEST {
        return Err(Failure::usage(format!(
            "the plan is as it was: {name} has more than {LARGEST} bytes, and no plan is so long"
        )));
    }
    Ok(text)
}

/// A change of the plan that waits to be read by a living owner.
struct Coming {
    by: Author,
    at: Millis,
    items: Vec<PlanItem>,
}

/// The plan that is in force once the owner has read what waits; none if nothing does. Without an owner whoever asks reads
/// it first.
async fn coming(store: &Store, state: &RunState) -> Result<Option<Coming>, Failure> {
    if !state.ledger.owner.as_ref().is_some_and(|owner| store.is_alive(&owner.worker)) {
        return Ok(None);
    }
    let (mut version, mut last) = (plan_version(&state.path.plan), None);
    for row in store.pending(&state.run).await? {
        if let Control::EditPlan { based_on, items } = row.control
            && based_on == version
        {
            version = plan_version(&items);
            last = Some(Coming { by: row.author, at: row.at, items });
        }
    }
    Ok(last)
}

/// Numbers that were written and are others now.
fn tell_numbers(renumbered: &[Renumbered]) {
    for Renumbered { line, wrote, has, in_title } in renumbered {
        talk(&match in_title {
            true => format!(
                "line {line}: no [state] follows {wrote}, so it is part of the title; its number is {has}"
            ),
            false => format!(
                "line {line}: its number is {has} and not {wrote}, which does not fit where it stands"
            ),
        });
    }
}

fn show(state: &RunState, coming: Option<Coming>, json: bool) -> Result<Exit, Failure> {
    let path = &state.path;
    let version = plan_version(&path.plan);
    let printed = if json {
        Out::stdout().json_line(&json!({
            "run": state.run, "version": version, "edited_in_step": path.plan_edit.map(|edit| edit.step),
            "items": path.plan,
        }))
    } else {
        let done = path.plan.iter().filter(|item| item.state == PlanState::Done).count();
        let edited = match path.plan_edit {
            Some(edit) => format!(", changed by a person in step {}", edit.step),
            None => String::new(),
        };
        let (run, items) = (&state.run, many(path.plan.len(), "item"));
        talk(&format!("plan of {run}: {items}, {done} done{edited}, version {}", version.short(SHOWN)));
        if let Some(coming) = coming {
            talk(&format!("{} is on its way and not read yet", change(&coming)));
        }
        Out::stdout().text(&written(&path.plan))
    };
    printed?;
    Ok(Exit::Completed)
}

async fn edit(app: &App, store: &Store, state: &RunState, json: bool) -> Result<Exit, Failure> {
    let command =
        editor::command(app.env.get("VISUAL").map(String::as_str), app.env.get("EDITOR").map(String::as_str));
    let coming = coming(store, state).await?;
    if let Some(coming) = &coming {
        talk(&format!("{} is on its way and not read yet; the text is made from it", change(coming)));
    }
    let from = coming.map_or_else(|| state.path.plan.clone(), |coming| coming.items);
    let before = format!("{HEAD}{}", written(&from));
    let text = before.clone();
    let edited = tokio::task::spawn_blocking(move || editor::edit(&text, &command, "plan.txt"))
        .await
        .map_err(|e| Failure::internal(e.to_string()))??;
    let items = match reading(&edited.text, &from, str::to_owned) {
        Ok(reading) => {
            tell_numbers(&reading.renumbered);
            reading.items
        }
        Err(bad) => return Err(Failure::usage(format!("the plan is as it was: {bad}{}", kept(edited)))),
    };
    if edited.text == before || items == from {
        talk("nothing was changed");
        return Ok(Exit::Completed);
    }
    replace(app, store, state, &from, items, Some(edited), json).await
}

async fn replace(
    app: &App,
    store: &Store,
    state: &RunState,
    from: &[PlanItem],
    items: Vec<PlanItem>,
    edited: Option<Edited>,
    json: bool,
) -> Result<Exit, Failure> {
    let based_on: Hash = plan_version(from);
    let control = Control::EditPlan { based_on: based_on.clone(), items: items.clone() };
    let answer = ask(app, store, &state.run, control).await?;
    let now = &answer.state.path.plan;
    match answer.came {
        Came::Refused(_) if plan_version(now) != based_on && *now != items => {
            Err(stale(store, &state.run, based_on.short(SHOWN), &items, edited).await?)
        }
        Came::Applied | Came::Refused(_) | Came::Queued | Came::Interrupted => {
            let said = format!(
                "the plan has {} now; the agent sees it in its next request",
                many(items.len(), "item")
            );
            tell(&answer, &said, None, json)
        }
    }
}

/// `the change of you (cli) from 13:36:02`, with its version.
fn change(coming: &Coming) -> String {
    let by = match &coming.by {
        Author::Person(face) => format!("a person ({face})"),
        Author::Agent => "the agent".to_owned(),
        Author::Wakeful => "wakeful".to_owned(),
    };
    let version = plan_version(&coming.items);
    format!("the change by {by} of {}, version {},", moment(coming.at), version.short(SHOWN))
}

/// The refusal of an edit behind another one that was made from the same plan, with the difference between the two.
fn behind(now: &Hash, coming: &Coming, mine: &[PlanItem]) -> Failure {
    let version = plan_version(&coming.items);
    let version = version.short(SHOWN);
    Failure::usage(format!(
        "nothing was asked: {} is on its way and comes first, and your edit was made from version {}. Look at the \
         difference and edit again; `--based-on {version}` replaces it\n{}",
        change(coming),
        now.short(SHOWN),
        difference(version, &coming.items, mine)
    ))
}

fn difference(version: &str, theirs: &[PlanItem], mine: &[PlanItem]) -> String {
    let (theirs, mine) = (written(theirs), written(mine));
    let diff = TextDiff::from_lines(&theirs, &mine);
    diff.unified_diff().header(&format!("version {version}"), "yours").to_string()
}

/// The refusal of an edit that was made from another plan, with the difference between the two.
async fn stale(
    store: &Store,
    run: &RunId,
    based_on: &str,
    mine: &[PlanItem],
    edited: Option<Edited>,
) -> Result<Failure, Failure> {
    let state = store.load(run).await?.state;
    let version = plan_version(&state.path.plan);
    let version = version.short(SHOWN);
    let diff = difference(version, &state.path.plan, mine);
    let kept = edited.map(kept).unwrap_or_default();
    Ok(Failure::usage(format!(
        "the plan was not changed: your edit was made from version {based_on}, and it is at version {version}. \
         Look at it and edit again{kept}\n{diff}"
    )))
}
