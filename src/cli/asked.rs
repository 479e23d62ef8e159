//! What people asked of a run and no worker has taken yet, in words; and what became of it while a later command was
//! waited for. A control is a durable record: it outlives the command that wrote it, so whoever carries it out says so.

use super::app::Failure;
use super::control::{Came, came_of};
use super::layout;
use super::print::one_line;
use super::words;
use crate::run::control::{Control, Decision, Resolution};
use crate::run::event::{Decoded, Event};
use crate::run::fold::by_person;
use crate::run::id::Seq;
use crate::run::settings::Mode;
use crate::run::state::RunState;
use crate::store::{InboxRow, Store};
use crate::worker::WITHDRAWN;
use serde_json::{Value, json};

/// Characters of a message that are shown.
const SHOWN: usize = 60;

/// What a control asks for.
pub fn what(control: &Control) -> String {
    match control {
        Control::Pause { now: true } => "pause at once".to_owned(),
        Control::Pause { now: false } => "pause".to_owned(),
        Control::Continue => "go on".to_owned(),
        Control::Cancel => "cancel the run".to_owned(),
        Control::Decide { call_id, decision, .. } => format!("{} call {call_id}", deciding(decision)),
        Control::EditGoal { based_on, .. } => format!("change the goal from version {based_on}"),
        Control::EditPlan { items, .. } => format!("change the plan to {}", words::many(items.len(), "item")),
        Control::SetLimits { .. } => "change limits".to_owned(),
        Control::SetMode { mode } => {
            let mode = match mode {
                Mode::Ask => "ask",
                Mode::Safe => "safe",
                Mode::Auto => "auto",
            };
            format!("set the approval mode to {mode}")
        }
        Control::SetModel { model } => format!("go on with the model {}", one_line(&model.model)),
        Control::Message { text, .. } => {
            let line = one_line(text);
            let shown: String = line.chars().take(SHOWN).collect();
            format!("tell the agent \"{shown}{}\"", if shown.len() < line.len() { "…" } else { "" })
        }
        Control::StopCall { call_id } => format!("end call {call_id}"),
        Control::ExtendTimeout { call_id, .. } => format!("give call {call_id} more time"),
        Control::Rollback { to, files, choices, .. } => {
            let timeline = to.timeline.map(|no| format!("@{no}")).unwrap_or_default();
            let files = if *files { "with the files" } else { "without the files" };
            let goal = if choices.goal { " and with the goal" } else { "" };
            let of = |word: &str, paths: &[String]| match paths {
                [] => String::new(),
                paths => format!("; {word}: {}", one_line(&paths.join(", "))),
            };
            let chosen = format!("{goal}{}{}", of("kept", &choices.keep), of("taken", &choices.take));
            format!("roll back to step {}{timeline} {files}{chosen}", to.step)
        }
        Control::Redo => "undo the last rollback".to_owned(),
    }
}

fn deciding(decision: &Decision) -> &'static str {
    match decision {
        Decision::Approve | Decision::ApproveShown { args: None, .. } => "approve",
        Decision::ApproveEdited { .. } | Decision::ApproveShown { args: Some(_), .. } => {
            "approve, with changed arguments,"
        }
        Decision::Deny { .. } => "deny",
        Decision::Answer { .. } => "answer",
        Decision::Reuse { .. } => "reuse the result of before for",
        Decision::Resolve { resolution: Resolution::Happened, .. } => "say that it happened: ",
        Decision::Resolve { resolution: Resolution::Rerun, .. } => "run again",
        Decision::Resolve { resolution: Resolution::Skip, .. } => "leave",
    }
}

/// A control with its time and author.
pub fn line(row: &InboxRow) -> String {
    format!("{} (asked {} by {})", what(&row.control), layout::moment(row.at), words::who(&row.author))
}

/// The same as JSON.
pub fn object(row: &InboxRow) -> Value {
    json!({ "control": row.control.word(), "words": what(&row.control), "at": row.at, "by": row.author })
}

/// True for a rollback or redo by a person: a later one of these takes its place.
pub fn goes_back(row: &InboxRow) -> bool {
    by_person(&row.author) && matches!(row.control, Control::Rollback { .. } | Control::Redo)
}

/// A control that was asked for earlier, and what became of it.
#[derive(Clone, Debug)]
pub struct Also {
    /// The control.
    pub row: InboxRow,
    /// What became of it.
    pub came: Came,
    /// Files that it restored or removed.
    pub files: Vec<String>,
}

impl Also {
    /// True if a later rollback or redo took its place.
    pub fn withdrawn(&self) -> bool {
        matches!(&self.came, Came::Refused(why) if why == WITHDRAWN)
    }

    /// In words.
    pub fn words(&self) -> String {
        let line = line(&self.row);
        match &self.came {
            Came::Refused(_) if self.withdrawn() => {
                format!("withdrawn, since you ask for another one now: {line}")
            }
            Came::Refused(why) => format!("asked earlier and not done: {line}: {why}"),
            Came::Applied | Came::Queued | Came::Interrupted => {
                let files = match self.files.is_empty() {
                    true => String::new(),
                    false => format!("; files put back: {}", self.files.join(", ")),
                };
                format!("also done: {line}{files}")
            }
        }
    }

    /// As JSON.
    pub fn object(&self) -> Value {
        let (outcome, why) = match &self.came {
            Came::Refused(_) if self.withdrawn() => ("withdrawn", None),
            Came::Refused(why) => ("refused", Some(why)),
            Came::Applied | Came::Queued | Came::Interrupted => ("applied", None),
        };
        let mut object = object(&self.row);
        if let Some(fields) = object.as_object_mut() {
            fields.insert("outcome".to_owned(), outcome.into());
            fields.insert("why".to_owned(), json!(why));
            fields.insert("files".to_owned(), json!(self.files));
        }
        object
    }
}

/// What became of controls that were pending when the run's head was `before`; those that are still pending are left out.
///
/// # Errors
/// The store's.
pub async fn carried_out(
    store: &Store,
    state: &RunState,
    earlier: Vec<InboxRow>,
    before: Seq,
) -> Result<Vec<Also>, Failure> {
    let mut also = Vec::new();
    for row in earlier {
        let Some(taken) = store.taken(row.id).await? else { continue };
        let came = came_of(store, &row.control, state, before, taken).await?;
        let files = match (&row.control, &came) {
            (Control::Rollback { .. } | Control::Redo, Came::Applied) => {
                put_back(store, state, taken).await?
            }
            _ => Vec::new(),
        };
        also.push(Also { row, came, files });
    }
    Ok(also)
}

/// The files of the rollback that began at `taken`, less those that were kept.
async fn put_back(store: &Store, state: &RunState, taken: Seq) -> Result<Vec<String>, Failure> {
    let mut paths = Vec::new();
    for envelope in store.events(&state.run, taken, state.head.seq).await? {
        let Decoded::Known(event) = envelope.event else { continue };
        if let Event::RollbackStarted { files, .. } = *event {
            if envelope.seq == taken {
                paths = files.into_iter().map(|file| file.path).collect();
            }
        } else if let Event::RolledBack { kept, .. } = *event {
            paths.retain(|path| !kept.contains(path));
            break;
        }
    }
    Ok(paths)
}
