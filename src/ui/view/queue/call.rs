//! One call as the lists show it.

use crate::run::{Author, CallId, CallStatus, Class};
use crate::store::CallRow;
use crate::ui::app::lists::{QueueRow, is_here};
use crate::ui::app::model::{Look, Model};
use crate::ui::feed::CallView;
use crate::ui::text::Line;
use crate::ui::theme::Role;
use crate::ui::view::cells::{argument, outside, said};
use crate::ui::words::numbers::{clock, span};

/// A call with its texts.
pub struct Shown {
    /// Its id.
    pub id: CallId,
    /// Its state as a sign.
    pub sign: &'static str,
    /// The role of the sign.
    pub role: Role,
    /// The role of its texts: muted on another timeline.
    pub text: Role,
    /// Step and place.
    pub place: String,
    /// A sign if it is marked, else a blank.
    pub mark: &'static str,
    /// The tool.
    pub tool: String,
    /// What it is about, neutral.
    pub what: Line<'static>,
    /// Its class.
    pub class: Class,
    /// How long it has waited, runs or took; or who said no.
    pub age: String,
    /// The role of that.
    pub aged: Role,
}

impl Shown {
    /// A row of the queue.
    pub fn of(model: &Model, row: QueueRow<'_>) -> Self {
        let call = row.call();
        let sent = model.is_sent(call);
        let decided = (model.look.glyphs.open, Role::Muted);
        let (sign, role) = if sent { decided } else { face(&model.look, call.status) };
        let here =
            row.waits() || model.view().is_some_and(|view| is_here(&view.state, (call.seq, call.timeline)));
        let marked = model.lists.marked.contains(&call.call_id);
        Self {
            id: call.call_id.clone(),
            sign,
            role,
            text: if here { Role::Base } else { Role::Muted },
            place: format!("{}.{}", call.step, call.position),
            mark: if marked { model.look.glyphs.chosen } else { " " },
            tool: outside(&call.tool),
            what: what(model, row),
            class: call.class,
            age: age(model, call),
            aged: if row.waits() { Role::NeedsYou } else { Role::Muted },
        }
    }
}

/// The sign of a call's state.
pub fn face(look: &Look, status: CallStatus) -> (&'static str, Role) {
    let glyphs = look.glyphs;
    match status {
        CallStatus::Proposed | CallStatus::Approved => (glyphs.open, Role::Muted),
        CallStatus::Waiting => (glyphs.needs_you, Role::NeedsYou),
        CallStatus::Uncertain => (glyphs.unsure, Role::NeedsYou),
        CallStatus::Started => (glyphs.running, Role::Accent),
        CallStatus::Done => (glyphs.done, Role::Ok),
        CallStatus::Failed => (glyphs.failed, Role::Danger),
        CallStatus::Rejected => (glyphs.denied, Role::Warn),
        CallStatus::Denied | CallStatus::Cancelled => (glyphs.denied, Role::Muted),
    }
}

/// The call as its step has it, if that step was read.
pub fn seen<'a>(model: &'a Model, call: &CallRow) -> Option<&'a CallView> {
    let view = model.view().filter(|view| view.state.run == call.run)?;
    let read = (model.transcript.run == model.run).then(|| model.transcript.steps.get(&call.step)).flatten();
    view.open
        .calls()
        .chain(read.iter().flat_map(|step| step.calls()))
        .find(|seen| seen.call_id == call.call_id)
}

/// What a call is about, neutral; a long text that lies apart is known once its step was read.
fn what(model: &Model, row: QueueRow<'_>) -> Line<'static> {
    let args = match row {
        QueueRow::Waiting(waiting) => waiting.args.shown.as_str(),
        QueueRow::Call(call) => call
            .args
            .inline()
            .or_else(|| seen(model, call).map(|seen| seen.args.shown.as_str()))
            .unwrap_or_default(),
    };
    let default = match row {
        QueueRow::Waiting(_) => None,
        QueueRow::Call(call) => call.by_default(),
    };
    let about = argument(&model.look, args);
    match default {
        Some(why) => Line::plain(model.look.lang.label(&said(&model.look, why), &about.shown())),
        None => about,
    }
}

/// How long a call has waited, runs or took; by whom it was denied. What never ran has no time of its own.
fn age(model: &Model, call: &CallRow) -> String {
    let unknown = || model.look.glyphs.unknown.to_owned();
    match call.status {
        CallStatus::Waiting if model.is_sent(call) => model.look.glyphs.ellipsis.to_owned(),
        CallStatus::Waiting
        | CallStatus::Uncertain
        | CallStatus::Started
        | CallStatus::Proposed
        | CallStatus::Approved => clock(age_ms(model, call)),
        CallStatus::Done | CallStatus::Failed => took(&model.look, call),
        CallStatus::Denied => match &call.decided_by {
            Some(Author::Person(_)) => model.words().queue.you.to_owned(),
            Some(Author::Agent | Author::Wakeful) | None => unknown(),
        },
        CallStatus::Rejected | CallStatus::Cancelled => unknown(),
    }
}

/// How long a call has been in its state; of one that runs, since its attempt began. Milliseconds.
pub fn age_ms(model: &Model, call: &CallRow) -> u64 {
    let view = model.view().filter(|view| view.state.run == call.run);
    let since = view.map_or(call.since, |view| view.runs_since(&call.call_id, call.since));
    u64::try_from(model.clock.wall.saturating_sub(since)).unwrap_or(0)
}

/// How long a call ran; unknown for one that a person says happened.
pub fn took(look: &Look, call: &CallRow) -> String {
    call.ms.map_or_else(|| look.glyphs.unknown.to_owned(), span)
}
