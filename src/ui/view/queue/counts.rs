//! How the calls of the run stand: every one in exactly one count. Words where there is room for them, else the signs of
//! the list with numbers.
//!
//! Not to be assumed: that the list holds all calls; of a run with more the store counts.

use super::call::face;
use crate::run::CallStatus;
use crate::ui::app::lists::{QueueRow, queue_rows};
use crate::ui::app::model::Model;
use crate::ui::theme::Role;
use crate::ui::view::paint::{Part, cells, part};
use crate::ui::words::numbers::grouped;

/// The states in the order in which they are counted: what needs the person first.
const ORDER: [CallStatus; 10] = [
    CallStatus::Waiting,
    CallStatus::Uncertain,
    CallStatus::Started,
    CallStatus::Approved,
    CallStatus::Proposed,
    CallStatus::Done,
    CallStatus::Failed,
    CallStatus::Rejected,
    CallStatus::Denied,
    CallStatus::Cancelled,
];

/// Calls of one kind.
struct Count {
    n: u64,
    sign: &'static str,
    role: Role,
    words: String,
}

/// `2 wait · 30 done · 1 failed · 1 denied`, of the whole run, in so many cells.
pub fn counts(model: &Model, room: usize) -> Vec<Part<'static>> {
    let counts = all(model);
    let marked = model.lists.marked.len() as u64;
    let marked = (marked > 0).then(|| part(Role::Accent, model.words().queue.marked(marked)));
    let said = counts.iter().map(|count| part(count.role, count.words.clone())).chain(marked.clone());
    let said = joined(model, said.collect());
    if cells(&said) <= room {
        return said;
    }
    // Kinds with the same sign are counted together.
    let mut signs: Vec<(&'static str, Role, u64)> = Vec::new();
    for count in &counts {
        match signs.iter_mut().find(|(sign, ..)| *sign == count.sign) {
            Some((.., n)) => *n += count.n,
            None => signs.push((count.sign, count.role, count.n)),
        }
    }
    let signs = signs.into_iter().map(|(sign, role, n)| part(role, format!("{sign} {}", grouped(n))));
    joined(model, signs.chain(marked).collect())
}

fn all(model: &Model) -> Vec<Count> {
    let words = model.words().queue;
    let (states, sent) = states(model);
    let glyphs = model.look.glyphs;
    let mut counts = Vec::new();
    for status in ORDER {
        let n = states.iter().filter(|(state, _)| *state == status).map(|(_, n)| n).sum();
        let (sign, _) = face(&model.look, status);
        let (role, words) = match status {
            CallStatus::Waiting => (Role::NeedsYou, words.wait(n)),
            CallStatus::Uncertain => (Role::NeedsYou, words.unsure(n)),
            CallStatus::Started => (Role::Accent, words.running(n)),
            CallStatus::Approved => (Role::Base, words.approved(n)),
            CallStatus::Proposed => (Role::Base, words.proposed(n)),
            CallStatus::Done => (Role::Base, words.done(n)),
            CallStatus::Failed => (Role::Danger, words.failed(n)),
            CallStatus::Rejected => (Role::Warn, words.rejected(n)),
            CallStatus::Denied => (Role::Muted, words.denied(n)),
            CallStatus::Cancelled => (Role::Muted, words.cancelled(n)),
        };
        counts.push(Count { n, sign, role, words });
        if status == CallStatus::Uncertain {
            let words = model.words().queue.decided(sent);
            counts.push(Count { n: sent, sign: glyphs.open, role: Role::Muted, words });
        }
    }
    counts.retain(|count| count.n > 0);
    counts
}

/// How many calls of the run are in which state, and for how many of those that wait a decision is on its way.
fn states(model: &Model) -> (Vec<(CallStatus, u64)>, u64) {
    let rows = queue_rows(model);
    let here = rows.iter().filter(|row| Some(&row.call().run) == model.run.as_ref());
    let is_sent = |row: &QueueRow<'_>| !row.waits() && model.is_sent(row.call());
    let sent = here.clone().filter(|row| is_sent(row)).count() as u64;
    let whole = model.view().and_then(|view| view.counts.as_ref());
    let states = match whole {
        None => here.filter(|row| !is_sent(row)).map(|row| (row.call().status, 1)).collect(),
        Some(whole) => {
            let less = |(status, n): &(CallStatus, u64)| {
                let waits = *status == CallStatus::Waiting;
                (*status, if waits { n.saturating_sub(sent) } else { *n })
            };
            whole.iter().map(less).collect()
        }
    };
    (states, sent)
}

/// Pieces with dots between them.
fn joined(model: &Model, parts: Vec<Part<'static>>) -> Vec<Part<'static>> {
    let dot = part(Role::Muted, format!(" {} ", model.look.glyphs.dot));
    let mut joined = Vec::with_capacity(parts.len() * 2);
    for part in parts {
        if !joined.is_empty() {
            joined.push(dot.clone());
        }
        joined.push(part);
    }
    joined
}
