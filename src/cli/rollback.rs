//! `rollback` and `redo`: says what would happen, asks in a terminal, does it, and says how to go on.

use super::app::{App, Failure};
use super::args::{RedoArgs, RollbackArgs};
use super::asked::{self, Also};
use super::control::{Answer, Came, ask, finish_rollback, next_words};
use super::exit::Exit;
use super::keys::Keys;
use super::print::{Out, one_line, talk};
use super::run::find;
use super::values::YesNo;
use crate::run::control::{Control, RollbackChoices, StepRef};
use crate::run::event::{Decoded, Event};
use crate::run::id::{RunId, Seq, StepNo, TimelineNo};
use crate::run::state::RunState;
use crate::store::{CallRow, InboxRow, Store};
use crate::worker::preview::{FileChoice, Preview, PreviewFile, preview};
use crate::workspace::Workspace;
use crate::workspace::restore::Action;
use serde_json::{Value, json};
use std::io::IsTerminal;

/// What no image of a file covers, said each time.
const NOT_COVERED: &str = "Changes that shell commands made to files are not recorded yet: they stay.";

/// What is asked for, apart from the preview.
struct Wish {
    control: Control,
    to: (Seq, TimelineNo, StepNo),
    files: bool,
    choices: RollbackChoices,
    dry_run: bool,
    json: bool,
}

/// `wakeful rollback`.
///
/// # Errors
/// See [`Failure`].
pub async fn rollback(app: &App, args: RollbackArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let run = find(&store, &args.run).await?;
    if !args.dry_run {
        finish_rollback(app, &store, &run).await?;
    }
    let state = store.load(&run).await?.state;
    let point = store.resolve_step(&run, args.to.0).await?;
    let files = args.files == YesNo::Yes;
    let choices = RollbackChoices { keep: args.keep, take: args.take, goal: args.goal, paused: false };
    if !files && (!choices.keep.is_empty() || !choices.take.is_empty()) {
        return Err(Failure::usage("--files no leaves every file as it is: leave out --keep and --take"));
    }
    if let Some(both) = choices.keep.iter().find(|path| choices.take.contains(path)) {
        return Err(Failure::usage(format!("{both} is to be kept and to be taken: say one of the two")));
    }
    // With its timeline, so that it means the same when the owner takes it.
    let to = StepRef { timeline: Some(point.timeline), step: point.step };
    let wish = Wish {
        control: Control::Rollback { to, files, seen_seq: state.head.seq, choices: choices.clone() },
        to: (point.seq, point.timeline, point.step),
        files,
        choices,
        dry_run: args.dry_run,
        json: args.json,
    };
    go_back(app, store, &state, wish).await
}

/// `wakeful redo`: back to the moment before the last rollback that was not undone.
///
/// # Errors
/// See [`Failure`].
pub async fn redo(app: &App, args: RedoArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let run = find(&store, &args.run).await?;
    if !args.dry_run {
        finish_rollback(app, &store, &run).await?;
    }
    let state = store.load(&run).await?.state;
    let Some(seq) = state.ledger.redo.last().copied() else {
        if let Some(half) = &state.ledger.rollback {
            return Err(Failure::usage(format!(
                "the rollback of {run} to step {} is half done; `wakeful redo {run}` finishes it and then undoes it",
                half.to_step
            )));
        }
        let waits = store.pending(&run).await?.iter().any(asked::goes_back);
        if waits && state.ledger.rollback.is_none() && !args.dry_run {
            return withdraw(app, store, &run, args.json).await;
        }
        return Err(Failure::usage(format!(
            "there is no rollback of {run} to undo: none was made since its last step. `wakeful checkpoints {run}` names \
             every step, those of other timelines too; `wakeful rollback {run} --to STEP@TIMELINE` goes there"
        )));
    };
    let step = store.state_at(&run, seq).await?.path.step;
    // As the worker does it: the goal goes back with the rollback that brought it, unless it is another one by now.
    let mut brought = None;
    if let Some(envelope) = store.event(&run, seq).await?
        && let Decoded::Known(event) = envelope.event
        && let Event::RollbackStarted { chosen, .. } = *event
    {
        brought = chosen.goal;
    }
    let goal = brought.is_some_and(|goal| goal == state.path.goal);
    let wish = Wish {
        control: Control::Redo,
        to: (seq, state.ledger.timeline_of(seq), step),
        files: true,
        choices: RollbackChoices { goal, ..RollbackChoices::default() },
        dry_run: args.dry_run,
        json: args.json,
    };
    go_back(app, store, &state, wish).await
}

/// A rollback that was asked for and not done is undone by not doing it.
async fn withdraw(app: &App, store: Store, run: &RunId, json: bool) -> Result<Exit, Failure> {
    let answer = ask(app, &store, run, Control::Redo).await?;
    let withdrawn = answer.also.iter().any(Also::withdrawn);
    let (word, why, exit) = match &answer.came {
        Came::Refused(_) if withdrawn => ("withdrawn", None, Exit::Completed),
        Came::Refused(why) => ("refused", Some(why.as_str()), Exit::Usage),
        Came::Applied => ("done", None, Exit::Completed),
        Came::Queued => ("queued", None, Exit::Completed),
        Came::Interrupted => ("interrupted", None, Exit::Interrupted),
    };
    if json {
        let also: Vec<Value> = answer.also.iter().map(Also::object).collect();
        Out::stdout().json_line(&json!({ "run": run, "outcome": word, "why": why, "also": also }))?;
    } else {
        talk(&match why {
            Some(why) => format!("not done: {why}"),
            None => format!("{word}. {}", next_words(&answer)),
        });
    }
    store.close().await?;
    Ok(exit)
}

async fn go_back(app: &App, store: Store, state: &RunState, wish: Wish) -> Result<Exit, Failure> {
    let workspace = Workspace::open(&state.ledger.workspace).map_err(|e| Failure::usage(e.to_string()))?;
    let preview = preview(&store, state, &workspace, wish.to, wish.files, &wish.choices).await?;
    unknown(&preview, &wish.choices)?;
    let earlier: Vec<InboxRow> =
        store.pending(&state.run).await?.into_iter().filter(asked::goes_back).collect();
    let mut shown = preview_json(&store, state, &preview, &wish).await?;
    if let Some(fields) = shown.as_object_mut() {
        fields.insert("withdraws".to_owned(), earlier.iter().map(asked::object).collect());
    }
    let mut page = words(&store, state, &preview, &wish).await?;
    for row in &earlier {
        page.push_str(&format!("\n  withdraws what was asked earlier and is not done: {}", asked::line(row)));
    }
    if wish.dry_run {
        if wish.json { Out::stdout().json_line(&shown) } else { Out::stdout().text(&page) }?;
        store.close().await?;
        return Ok(Exit::Completed);
    }
    if !wish.json {
        talk(&page);
        let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        if terminal && let Some(exit) = refused(&wish.control).await {
            talk("nothing was changed");
            store.close().await?;
            return Ok(exit);
        }
    }
    let redo = wish.control == Control::Redo;
    let answer = ask(app, &store, &state.run, wish.control).await?;
    let exit = done(&store, &answer, shown, redo, wish.json).await?;
    store.close().await?;
    Ok(exit)
}

/// A path that is not in the preview is a slip: nothing would become of it either way.
fn unknown(preview: &Preview, choices: &RollbackChoices) -> Result<(), Failure> {
    let known = |path: &&String| preview.files.iter().any(|file| file.path == **path);
    let Some(path) = choices.keep.iter().chain(&choices.take).find(|path| !known(path)) else {
        return Ok(());
    };
    let paths: Vec<&str> = preview.files.iter().map(|file| file.path.as_str()).collect();
    let these = match paths.is_empty() {
        true => "it would change no file".to_owned(),
        false => format!("these can be kept or taken: {}", paths.join(", ")),
    };
    Err(Failure::usage(format!("the rollback has nothing to do with {path:?}; {these}")))
}

/// Asks; the exit code if the answer is not yes.
async fn refused(control: &Control) -> Option<Exit> {
    let what = if *control == Control::Redo { "undo the rollback?" } else { "roll back?" };
    let question = format!("{what} y yes · n no (default) › ");
    let mut keys = Keys::default();
    let typed = tokio::select! {
        typed = keys.line(&question) => typed,
        _ = tokio::signal::ctrl_c() => {
            talk("");
            return Some(Exit::Interrupted);
        }
    };
    match typed.as_deref().map(str::trim) {
        Some("y" | "yes") => None,
        Some(_) | None => Some(Exit::Completed),
    }
}

/// Says what came of it.
async fn done(
    store: &Store,
    answer: &Answer,
    preview: Value,
    redo: bool,
    json: bool,
) -> Result<Exit, Failure> {
    let (word, why, exit) = match &answer.came {
        Came::Applied => ("done", None, Exit::Completed),
        Came::Refused(why) => ("refused", Some(why.as_str()), Exit::Usage),
        Came::Queued => ("queued", None, Exit::Completed),
        Came::Interrupted => ("interrupted", None, Exit::Interrupted),
    };
    let state = &answer.state;
    let run = &state.run;
    let kept = kept(store, answer).await?;
    if json {
        let line = json!({
            "run": run, "outcome": word, "why": why, "timeline": state.head.timeline, "step": state.path.step,
            "kept": kept, "status": state.status().word(), "preview": preview,
            "also": answer.also.iter().map(Also::object).collect::<Vec<_>>(),
        });
        Out::stdout().json_line(&line)?;
        return Ok(exit);
    }
    match &answer.came {
        Came::Applied => {
            let left = match kept.is_empty() {
                true => String::new(),
                false => format!(" Left as others changed them: {}.", kept.join(", ")),
            };
            let undo = match (state.ledger.redo.is_empty(), redo) {
                (true, _) => String::new(),
                (false, false) => format!(" `wakeful redo {run}` undoes this;"),
                (false, true) => format!(" `wakeful redo {run}` undoes the rollback before it too;"),
            };
            talk(&format!(
                "{run} is back at step {} on timeline {}.{left}{undo} {}",
                state.path.step,
                state.head.timeline,
                next_words(answer)
            ));
        }
        Came::Refused(why) => talk(&format!("not rolled back: {why}")),
        Came::Queued => talk("recorded; the worker rolls back as soon as what runs has stopped"),
        Came::Interrupted => {
            talk(&format!("stopped; what you asked for stands. `wakeful resume {run}` goes through with it"));
        }
    }
    Ok(exit)
}

/// Files that the rollback left because others changed them.
async fn kept(store: &Store, answer: &Answer) -> Result<Vec<String>, Failure> {
    let (Some(taken), Came::Applied) = (answer.taken, &answer.came) else { return Ok(Vec::new()) };
    for envelope in store.events(&answer.state.run, taken, answer.state.head.seq).await? {
        let Decoded::Known(event) = envelope.event else { continue };
        if let Event::RolledBack { kept, .. } = *event {
            return Ok(kept);
        }
    }
    Ok(Vec::new())
}

fn file_words(file: &PreviewFile) -> (&'static str, Option<&'static str>) {
    let done = |action: Option<Action>| match action {
        Some(Action::Restore) => "restored",
        Some(Action::Remove) => "removed",
        Some(Action::Unchanged) => "unchanged",
        Some(Action::Conflict { .. }) | None => "kept",
    };
    match (&file.usual, file.choice) {
        (_, Some(FileChoice::Keep)) => ("kept", Some("you keep it")),
        (Action::Conflict { why, .. }, Some(FileChoice::Take)) => match file.taken() {
            Some(action) => (
                done(Some(action)),
                Some("changed since, by somebody else; that is stored first, and redo brings it back"),
            ),
            None => ("kept", Some(why)),
        },
        (Action::Conflict { why, .. }, None) => ("kept", Some(why)),
        (Action::Restore | Action::Remove | Action::Unchanged, _) => (done(file.taken()), None),
    }
}

/// What becomes of the goal; none if it is the same then.
fn goal_words(preview: &Preview, wish: &Wish) -> Option<String> {
    let (now, then) = preview.goal?;
    Some(match (wish.choices.goal, wish.control == Control::Redo) {
        (true, _) => format!("that of version {then} again, as version {}", now + 1),
        (false, true) => return None,
        (false, false) => format!("stays at version {now} (--goal: that of version {then} again)"),
    })
}

async fn call_line(store: &Store, call: &CallRow) -> Result<String, Failure> {
    let args = one_line(&store.text(&call.args).await?);
    let shown: String = args.chars().take(160).collect();
    let cut = if shown.len() < args.len() { "…" } else { "" };
    Ok(format!("{}.{} {} {} {shown}{cut}", call.step, call.position, call.tool, call.status.word()))
}

fn steps_words(steps: &[(StepNo, TimelineNo)]) -> String {
    match steps {
        [] => "none".to_owned(),
        [(step, timeline)] => format!("{step}@{timeline}"),
        [(first, t), .., (last, u)] => format!("{first}@{t} to {last}@{u} ({} steps)", steps.len()),
    }
}

async fn words(store: &Store, state: &RunState, preview: &Preview, wish: &Wish) -> Result<String, Failure> {
    let files = wish.files;
    let mut lines = vec![format!(
        "{} goes back to step {}@{} (it is at step {}@{})",
        state.run, preview.to_step, preview.to_timeline, state.path.step, state.head.timeline
    )];
    lines.push(format!("  steps undone: {}", steps_words(&preview.undone)));
    if !preview.back.is_empty() {
        lines.push(format!("  steps that come back: {}", steps_words(&preview.back)));
    }
    if !files {
        lines.push("  files: all stay as they are".to_owned());
    } else if preview.files.is_empty() {
        lines.push("  files: nothing to restore".to_owned());
    }
    for item in &preview.files {
        let (word, why) = file_words(item);
        let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
        lines.push(format!("  {word}: {}{why}", item.path));
    }
    lines.extend(goal_words(preview, wish).map(|goal| format!("  goal: {goal}")));
    let memories = [(preview.withdrawn, "withdrawn"), (preview.offered, "offered again")];
    for (count, fate) in memories.into_iter().filter(|(count, _)| *count > 0) {
        lines.push(format!("  memories {fate}: {count}"));
    }
    for call in &preview.open {
        lines.push(format!("  given up or stopped: {}", call_line(store, call).await?));
    }
    for call in &preview.effects {
        lines.push(format!("  cannot be undone: {}", call_line(store, call).await?));
    }
    if files {
        lines.push(format!("  {NOT_COVERED}"));
    }
    if let Some(why) = &preview.blocked {
        lines.push(format!("  ! as things stand nothing would be done: {why}"));
    }
    Ok(lines.join("\n"))
}

async fn preview_json(
    store: &Store,
    state: &RunState,
    preview: &Preview,
    wish: &Wish,
) -> Result<Value, Failure> {
    let files = wish.files;
    let steps = |steps: &[(StepNo, TimelineNo)]| -> Vec<String> {
        steps.iter().map(|(step, timeline)| format!("{step}@{timeline}")).collect()
    };
    let paths: Vec<Value> = preview
        .files
        .iter()
        .map(|item| {
            let (word, why) = file_words(item);
            json!({ "path": item.path, "action": word, "why": why })
        })
        .collect();
    let mut listed = Vec::new();
    for calls in [&preview.effects, &preview.open] {
        let mut rows = Vec::new();
        for call in calls {
            let text = store.text(&call.args).await?;
            let args = serde_json::from_str(&text).unwrap_or(Value::String(text));
            rows.push(json!({
                "call_id": call.call_id, "step": call.step, "position": call.position, "tool": call.tool,
                "status": call.status.word(), "args": args,
            }));
        }
        listed.push(rows);
    }
    let open = listed.pop();
    let effects = listed.pop();
    Ok(json!({
        "run": state.run, "to": format!("{}@{}", preview.to_step, preview.to_timeline),
        "undone": steps(&preview.undone), "back": steps(&preview.back), "files": paths, "with_files": files,
        "cannot_be_undone": effects, "given_up": open, "blocked": preview.blocked,
        "note": files.then_some(NOT_COVERED), "goal": goal_words(preview, wish),
        "memories_withdrawn": preview.withdrawn, "memories_offered_again": preview.offered,
    }))
}
