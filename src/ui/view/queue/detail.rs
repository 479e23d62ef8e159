//! The selected call in full: class, why it was asked, who decided, hash, attempt.

use super::call::{face, took};
use super::is_elsewhere;
use crate::run::CallStatus;
use crate::store::CallRow;
use crate::ui::app::lists::{QueueRow, is_here};
use crate::ui::app::model::Model;
use crate::ui::theme::Role;
use crate::ui::view::cells::{left, said};
use crate::ui::view::paint::{Part, part};
use crate::ui::words::numbers::{clock, time_of_day};

/// A line of pieces.
type Parts = Vec<Part<'static>>;

/// The lines about a call.
pub fn lines(model: &Model, row: QueueRow<'_>) -> Vec<Parts> {
    let (words, look, call) = (model.words().queue, &model.look, row.call());
    let lang = look.lang;
    let (_, role) = face(look, call.status);
    let status =
        if model.is_sent(call) { model.words().header.sending } else { lang.call_status(call.status) };
    let head = words.selected(&format!("{}.{}", call.step, call.position), status);
    let mut lines = vec![vec![part(if row.waits() { role } else { Role::Accent }, head)]];
    let mut line = |label: &str, text: String| {
        let label = format!(" {} ", left(look, label, 7));
        lines.push(vec![part(Role::Muted, label), part(Role::Base, text)]);
    };
    line(words.class, lang.class(call.class).to_owned());
    // The reason of a person stands below the row.
    // Where nobody answered in time, that is who decided.
    let default = call.by_default().map(|why| said(look, why));
    let asked = call.why.as_ref().filter(|why| !why.is_empty() && call.status != CallStatus::Denied);
    if let Some(why) = asked.filter(|_| default.is_none()) {
        line(words.asked, said(look, why));
    }
    if let Some(author) = &call.decided_by {
        let at = time_of_day(call.ended.unwrap_or(call.since), &look.zone);
        line(words.by, words.decided_by(&default.unwrap_or_else(|| lang.author(author)), &at));
    }
    line(words.hash, hash(call));
    if let Some(text) = attempt(model, call) {
        lines.push(vec![part(Role::Muted, format!(" {text}"))]);
    }
    if let Some(text) = super::silent(model, &call.call_id) {
        lines.push(vec![part(Role::Warn, format!(" {text}"))]);
    }
    let here = model.view().is_some_and(|view| is_here(&view.state, (call.seq, call.timeline)));
    if !here && !is_elsewhere(model, &call.run) {
        lines.push(vec![part(Role::Warn, format!(" {}", words.on_other_timeline))]);
    }
    lines
}

/// `5be0 19c7`.
fn hash(call: &CallRow) -> String {
    let digits: Vec<char> = call.args_hash.short(8).chars().collect();
    digits.chunks(4).map(|four| four.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
}

/// Which attempt, and how long it took or runs.
fn attempt(model: &Model, call: &CallRow) -> Option<String> {
    let words = model.words().queue;
    let time = match call.status {
        CallStatus::Done | CallStatus::Failed => took(&model.look, call),
        CallStatus::Started | CallStatus::Uncertain => clock(super::call::age_ms(model, call)),
        CallStatus::Proposed
        | CallStatus::Waiting
        | CallStatus::Approved
        | CallStatus::Rejected
        | CallStatus::Denied
        | CallStatus::Cancelled => return None,
    };
    Some(words.attempt(u64::from(call.attempt.max(1)), &time))
}
