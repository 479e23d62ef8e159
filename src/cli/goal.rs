//! `goal`: shows the pinned goal, replaces its text, or edits all of it in the person's editor.
//!
//! An edit names the version it was made from. If there is a newer one by then it is refused with the difference, and
//! nothing that was typed is lost.
//!
//! JSON of `--versions`: an array of `version`, `by` (`"wakeful"`, `"agent"` or `{"person": FACE}`), `at` (milliseconds since
//! 1970), `step` (the first that it held for), `text`, `constraints`, `checks`.

use super::app::{App, Failure};
use super::args::GoalArgs;
use super::control::{Came, ask, tell};
use super::exit::Exit;
use super::layout;
use super::print::{Out, talk};
use super::run::find;
use super::screen::answers::goals;
use super::words::who;
use crate::host::editor::{self, Edited};
use crate::run::control::Control;
use crate::run::goal::{Check, Goal};
use crate::run::id::RunId;
use crate::run::state::RunState;
use crate::store::Store;
use crate::ui::app::msg::GoalVersion;
use serde_json::json;
use similar::TextDiff;
use std::sync::Arc;

const GOAL: &str = ":: goal";
const CONSTRAINTS: &str = ":: constraints";
const CHECKS: &str = ":: checks";

/// `wakeful goal`.
///
/// # Errors
/// See [`Failure`].
pub async fn goal(app: &App, args: GoalArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let run = find(&store, &args.run).await?;
    let state = store.load(&run).await?.state;
    let exit = match (&args.set, args.edit) {
        (Some(text), _) => {
            let goal = Goal { text: text.clone(), ..state.path.goal.clone() };
            let based_on = args.based_on.unwrap_or(state.path.goal_version);
            replace(app, &store, &state, based_on, goal, None, args.json).await?
        }
        (None, true) => edit(app, &store, &state, args.json).await?,
        (None, false) if args.versions => versions(&store, &run, args.json).await?,
        (None, false) => show(&state, args.json)?,
    };
    store.close().await?;
    Ok(exit)
}

fn show(state: &RunState, json: bool) -> Result<Exit, Failure> {
    let path = &state.path;
    let printed = if json {
        let goal = &path.goal;
        Out::stdout().json_line(&json!({
            "run": state.run, "version": path.goal_version, "text": goal.text,
            "constraints": goal.constraints, "checks": goal.checks,
        }))
    } else {
        talk(&format!("goal of {}, version {}", state.run, path.goal_version));
        Out::stdout().text(&written(&path.goal))
    };
    printed?;
    Ok(Exit::Completed)
}

/// The versions on the present timeline, oldest first.
async fn versions(store: &Store, run: &RunId, json: bool) -> Result<Exit, Failure> {
    let all = goals(store, run).await?;
    if json {
        let object = |one: &GoalVersion| {
            json!({
                "version": one.version, "by": one.by, "at": one.at, "step": one.step, "text": one.goal.text,
                "constraints": one.goal.constraints, "checks": one.goal.checks,
            })
        };
        layout::json(&all.iter().map(object).collect::<Vec<_>>())?;
        return Ok(Exit::Completed);
    }
    let mut text = String::new();
    for one in &all {
        text.push_str(&format!(
            "version {} · {} · {} · from step {} on\n",
            one.version,
            who(&one.by),
            layout::moment(one.at),
            one.step
        ));
        let parts = std::iter::once(one.goal.text.clone())
            .chain(one.goal.constraints.iter().map(|constraint| format!("constraint: {constraint}")))
            .chain(one.goal.checks.iter().map(|check| format!("check: {check}")));
        parts.for_each(|part| text.push_str(&layout::wrapped(&part, "  ", layout::width())));
    }
    layout::text(&text)?;
    Ok(Exit::Completed)
}

async fn edit(app: &App, store: &Store, state: &Arc<RunState>, json: bool) -> Result<Exit, Failure> {
    let command =
        editor::command(app.env.get("VISUAL").map(String::as_str), app.env.get("EDITOR").map(String::as_str));
    let before = written(&state.path.goal);
    let text = before.clone();
    let edited = tokio::task::spawn_blocking(move || editor::edit(&text, &command, "goal.txt"))
        .await
        .map_err(|e| Failure::internal(e.to_string()))??;
    let goal = match read(&edited.text, &state.path.goal) {
        Ok(goal) => goal,
        Err(why) => return Err(Failure::usage(format!("the goal is as it was: {why}{}", kept(edited)))),
    };
    if edited.text == before || goal == state.path.goal {
        talk("nothing was changed");
        return Ok(Exit::Completed);
    }
    replace(app, store, state, state.path.goal_version, goal, Some(edited), json).await
}

async fn replace(
    app: &App,
    store: &Store,
    state: &RunState,
    based_on: u32,
    goal: Goal,
    edited: Option<Edited>,
    json: bool,
) -> Result<Exit, Failure> {
    if based_on != state.path.goal_version {
        return Err(stale(store, &state.run, based_on, &goal, edited).await?);
    }
    let control = Control::EditGoal { based_on, goal: goal.clone() };
    let answer = ask(app, store, &state.run, control).await?;
    match answer.came {
        Came::Refused(_) if answer.state.path.goal_version != based_on && answer.state.path.goal != goal => {
            Err(stale(store, &state.run, based_on, &goal, edited).await?)
        }
        Came::Applied | Came::Refused(_) | Came::Queued | Came::Interrupted => {
            let version = answer.state.path.goal_version;
            tell(&answer, &format!("the goal is now version {version}, from the next step on"), None, json)
        }
    }
}

/// The refusal of an edit that was made from another version, with the difference between the goals.
async fn stale(
    store: &Store,
    run: &RunId,
    based_on: u32,
    mine: &Goal,
    edited: Option<Edited>,
) -> Result<Failure, Failure> {
    let state = store.load(run).await?.state;
    let version = state.path.goal_version;
    let (theirs, mine) = (written(&state.path.goal), written(mine));
    let diff = TextDiff::from_lines(&theirs, &mine);
    let diff = diff.unified_diff().header(&format!("version {version}"), "yours").to_string();
    let kept = edited.map(kept).unwrap_or_default();
    Ok(Failure::usage(format!(
        "the goal was not changed: your edit was made from version {based_on}, and it is at version {version}. \
         Look at it and edit again{kept}\n{diff}"
    )))
}

/// Keeps the text that was edited, and says where.
pub(super) fn kept(edited: Edited) -> String {
    edited.keep().map(|file| format!("; your text is kept in {}", file.display())).unwrap_or_default()
}

/// True for `::`, and for that behind backslashes.
fn like_section(line: &str) -> bool {
    line.trim_start_matches('\\').starts_with("::")
}

/// A goal as a text with sections. A line of the goal that begins like a section gets a `\` in front.
fn written(goal: &Goal) -> String {
    let mut out = format!("{GOAL}\n");
    for line in goal.text.lines() {
        out.push_str(&format!("{}{line}\n", if like_section(line) { "\\" } else { "" }));
    }
    let checks: Vec<String> = goal.checks.iter().map(ToString::to_string).collect();
    for (head, items) in [(CONSTRAINTS, &goal.constraints), (CHECKS, &checks)] {
        out.push_str(&format!("\n{head}\n"));
        for item in items {
            out.push_str(&format!("- {}\n", item.replace('\n', "\n  ")));
        }
    }
    out
}

/// Reads a goal from its text. A section that is missing is taken from `old`; one that is empty is empty.
fn read(text: &str, old: &Goal) -> Result<Goal, String> {
    let mut goal = old.clone();
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        if line.starts_with("::") {
            sections.push((line.trim_end(), Vec::new()));
        } else if let Some((_, lines)) = sections.last_mut() {
            lines.push(line);
        } else if !line.trim().is_empty() {
            return Err(format!("its text has to begin with the line `{GOAL}`"));
        }
    }
    for (head, lines) in sections {
        match head {
            GOAL => {
                let plain = |line: &&str| match line.strip_prefix('\\') {
                    Some(rest) if like_section(rest) => rest.to_owned(),
                    Some(_) | None => (*line).to_owned(),
                };
                goal.text = lines.iter().map(plain).collect::<Vec<_>>().join("\n").trim().to_owned();
            }
            CONSTRAINTS => goal.constraints = items(&lines)?,
            CHECKS => {
                let checks = items(&lines)?.into_iter().map(|item| item.parse::<Check>());
                goal.checks = checks.collect::<Result<_, _>>().map_err(|e| e.to_string())?;
            }
            other => {
                return Err(format!(
                    "there is no section `{other}`; there are {GOAL}, {CONSTRAINTS} and {CHECKS}"
                ));
            }
        }
    }
    if goal.text.is_empty() {
        return Err("a goal cannot be empty".to_owned());
    }
    Ok(goal)
}

/// Items that begin with `- ` and go on indented.
fn items(lines: &[&str]) -> Result<Vec<String>, String> {
    let mut items: Vec<String> = Vec::new();
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        if let Some(item) = line.strip_prefix("- ") {
            items.push(item.trim_end().to_owned());
        } else if let (Some(more), Some(item)) = (line.strip_prefix("  "), items.last_mut()) {
            item.push_str(&format!("\n{}", more.trim_end()));
        } else {
            return Err(format!("the line {line:?} does not begin with `- `"));
        }
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_a_missing_section_stays() {
        let goal = Goal {
            text: "Write a list\n\n# Heading\n:: checks\n\\:: x\n\\\\::y\n\\other".to_owned(),
            constraints: vec!["change nothing\nelse".to_owned(), "- be quick".to_owned()],
            checks: vec![Check::File("a b".to_owned()), Check::Human],
        };
        assert_eq!(read(&written(&goal), &Goal::default()).unwrap(), goal);
        let kept = read(":: goal\nnew\n", &goal).unwrap();
        assert_eq!(
            (kept.text.as_str(), &kept.constraints, &kept.checks),
            ("new", &goal.constraints, &goal.checks)
        );
        let emptied = read(":: goal\nnew\n:: checks\n\n:: constraints\n", &goal).unwrap();
        assert!(emptied.checks.is_empty() && emptied.constraints.is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let old = Goal { text: "old".to_owned(), ..Goal::default() };
        for (text, words) in [
            ("new", "begin with"),
            (":: goal\n \n", "empty"),
            (":: goals\nx", "no section"),
            (":: goal\nx\n:: checks\nfile:a", "does not begin"),
            (":: goal\nx\n:: checks\n- fiel:a", "unknown"),
        ] {
            let why = read(text, &old).unwrap_err();
            assert!(why.contains(words), "{text:?}: {why}");
        }
    }
}
