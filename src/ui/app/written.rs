//! What a person wrote and sent: what became of it, and how it comes back if nothing came of it.
//!
//! A control that stands in the inbox is not done yet. That it was done, or refused, is said once a snapshot shows it;
//! what was written for one that was not becomes the draft of where it was written.
//!
//! Not to be assumed: that a refusal in the journal is about what was sent here. It has no name of the control; one that
//! is seen to be done is taken as done, whatever was refused beside it. Nor that a control is known to be stored before
//! a snapshot shows its refusal.

use super::App;
use super::model::{Model, Sent};
use super::msg::{Posted, Ticket};
use crate::run::control::{Control, Decision};
use crate::run::plan_text::written;
use crate::run::{CallId, CallStatus, Millis, RunId, Seq};
use crate::ui::feed::{Item, RunView, Snapshot};
use crate::ui::keys::{Action, live};
use crate::ui::text::{Strength, cut, one_line};
use std::collections::HashMap;

/// Most controls of which it is looked what became of them.
const AWAITED: usize = 50;
/// Cells that the words after a cause take.
const AFTER: usize = 48;
/// Cells of a cause that are shown in any case.
const LEAST: usize = 24;

/// The word of a rollback among controls.
const ROLL_BACK: &str = "roll back";

/// What was sent.
#[derive(Debug, Default)]
pub struct Written {
    /// Not known to be stored; with the head of its run when it went out.
    out: HashMap<Ticket, (Control, Seq)>,
    /// Stored, and not seen to be done.
    awaited: Vec<Awaited>,
    /// Refusals that were taken for those of controls, the newest last.
    given: Vec<Seq>,
}

/// Why a control was not done, as the journal says it.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    seq: Seq,
    /// The word of the control.
    control: String,
    /// Neutral, in the language of the screen.
    why: String,
}

/// A control that stands in the inbox.
#[derive(Debug)]
struct Awaited {
    run: RunId,
    control: Control,
    /// What is said once it is seen to be done.
    news: String,
    /// Since when it stands there.
    stored: Millis,
    /// A snapshot looked as if it had not been done. Its parts are read one after the other, so that one alone proves
    /// nothing.
    doubted: bool,
}

/// What became of a control.
#[derive(Debug, PartialEq, Eq)]
enum Became {
    /// It is not seen yet.
    Open,
    /// It was done.
    Done,
    /// It was taken, and neither was it done nor does anything say why not.
    Unknown,
    /// It was not done; why, neutral.
    Not(String),
}

impl App {
    /// A control goes out.
    pub(super) fn goes_out(&mut self, ticket: Ticket, run: &RunId, control: &Control) {
        let shown = self.model.view().filter(|view| view.state.run == *run);
        // Of a run that is not shown it is not known what was refused before.
        let head = shown.map_or(Seq::MAX, |view| view.state.head.seq);
        self.written.out.insert(ticket, (control.clone(), head));
    }

    /// What became of the post of a control, with the words for it; none if more than that was said already.
    pub(super) fn post_came_back(&mut self, sent: &Sent, posted: &Posted) -> Option<String> {
        if let Posted::Stored = posted {
            let Some((control, head)) = self.written.out.remove(&sent.ticket) else {
                return Some(sent.news.clone());
            };
            return self.is_stored(sent, control, head);
        }
        Some(self.is_not_stored(sent, posted))
    }

    fn is_not_stored(&mut self, sent: &Sent, posted: &Posted) -> String {
        let Some((control, _)) = self.written.out.remove(&sent.ticket) else {
            let notes = &self.model.words().notes;
            return match posted {
                Posted::Stored => sent.news.clone(),
                Posted::Lost { what, who } => notes.lost_to(what, who),
                Posted::Full => notes.full.to_owned(),
                Posted::Failed(why) => {
                    notes.not_stored(&one_line(&self.model.look.lang.trouble(why), Strength::Prose).shown())
                }
            };
        };
        match posted {
            Posted::Stored => sent.news.clone(),
            Posted::Lost { what, who } => {
                let key = keep(&mut self.model, &sent.run, &control, true);
                let notes = &self.model.words().notes;
                match key {
                    Some(key) => notes.lost_kept(what, who, &key),
                    None => notes.lost_to(what, who),
                }
            }
            Posted::Full => {
                self.model.beside.full = true;
                let key = keep(&mut self.model, &sent.run, &control, false);
                let notes = &self.model.words().notes;
                key.map_or_else(|| notes.full.to_owned(), |key| notes.full_kept(&key))
            }
            Posted::Failed(why) => {
                let why = one_line(&self.model.look.lang.trouble(why), Strength::Prose).shown();
                let key = keep(&mut self.model, &sent.run, &control, false);
                let notes = &self.model.words().notes;
                let short = self.cause(&crate::ui::words::capital(&why));
                key.map_or_else(|| notes.not_stored(&why), |key| notes.not_stored_kept(&short, &key))
            }
        }
    }

    fn is_stored(&mut self, sent: &Sent, control: Control, head: Seq) -> Option<String> {
        self.model.beside.full = false;
        // A snapshot may have been faster than this: its refusal was told, and is not told over.
        let refused = self.refused_meanwhile(&sent.run, &control, head);
        forget(&mut self.model, &sent.run, &control);
        let claims = match &control {
            Control::Decide { .. }
            | Control::EditGoal { .. }
            | Control::EditPlan { .. }
            | Control::SetLimits { .. }
            | Control::SetMode { .. }
            | Control::SetModel { .. } => true,
            Control::Message { .. } => false,
            Control::Pause { .. }
            | Control::Continue
            | Control::Cancel
            | Control::ExtendTimeout { .. }
            | Control::StopCall { .. }
            | Control::Rollback { .. }
            | Control::Redo => return refused.is_empty().then(|| sent.news.clone()),
        };
        if self.model.run.as_ref() == Some(&sent.run) {
            let (run, stored) = (sent.run.clone(), self.model.clock.wall);
            self.written.awaited.push(Awaited {
                run,
                control,
                news: sent.news.clone(),
                stored,
                doubted: false,
            });
            let more = self.written.awaited.len().saturating_sub(AWAITED);
            self.written.awaited.drain(..more);
        }
        if let Some(shot) = self.model.shot.clone().filter(|_| !refused.is_empty()) {
            self.look_after_written(&shot, refused);
            return None;
        }
        Some(if claims { self.model.words().notes.sent.to_owned() } else { sent.news.clone() })
    }

    /// What was refused of this kind since a control went out, and was not another one's.
    fn refused_meanwhile(&self, run: &RunId, control: &Control, head: Seq) -> Vec<Refused> {
        let Some(view) = self.model.view().filter(|view| view.state.run == *run) else { return Vec::new() };
        let mut refused = self.refused_since(view, head);
        refused.retain(|one| one.control == control.word());
        refused
    }

    /// A snapshot came in: says what became of what was sent to the shown run, and gives back what was not done. What was
    /// refused, also of other things, is in `refused`, the oldest first.
    pub(super) fn look_after_written(&mut self, shot: &Snapshot, mut refused: Vec<Refused>) {
        let here = self.model.run.clone();
        let Some(view) = shot.run.clone().filter(|view| Some(&view.state.run) == here.as_ref()) else {
            return;
        };
        let (own, others) = std::mem::take(&mut self.written.awaited)
            .into_iter()
            .partition(|one: &Awaited| one.run == view.state.run);
        let own: Vec<Awaited> = own;
        self.written.awaited = others;
        let (done, left): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|one| became(&self.model, shot, &view, one) == Became::Done);
        let mut said = None;
        for mut one in left {
            let word = one.control.word();
            let taken = refused.iter().position(|one| one.control == word).map(|at| refused.remove(at));
            let became = match taken {
                Some(Refused { seq, why, .. }) => {
                    let given = &mut self.written.given;
                    given.push(seq);
                    given.drain(..given.len().saturating_sub(AWAITED));
                    Became::Not(
                        self.model.words().notes.refused(self.model.look.lang.control_word(word), &why),
                    )
                }
                None => match became(&self.model, shot, &view, &one) {
                    Became::Not(_) if !std::mem::replace(&mut one.doubted, true) => Became::Open,
                    other => other,
                },
            };
            match became {
                Became::Open => self.written.awaited.push(one),
                Became::Done | Became::Unknown => {}
                Became::Not(why) => {
                    if let Control::Decide { call_id, .. } = &one.control {
                        self.model
                            .sent
                            .retain(|sent| sent.call.as_ref().is_none_or(|(id, ..)| id != call_id));
                    }
                    let waits =
                        matches!(&one.control, Control::Decide { call_id, .. } if waits(shot, call_id));
                    let gone = matches!(one.control, Control::Decide { .. }) && !waits;
                    let key = keep(&mut self.model, &one.run, &one.control, gone);
                    said = Some(key.map_or(why.clone(), |key| {
                        let cause = self.cause(why.trim_end_matches(['.', '。']));
                        self.model.words().notes.refused_kept(&cause, &key)
                    }));
                }
            }
        }
        for one in done {
            said = Some(one.news);
        }
        if let Some(words) = said {
            self.say(words);
        }
    }

    /// A cause that leaves room for what follows it, cut with its sign.
    fn cause(&self, why: &str) -> String {
        let room = usize::from(self.model.size.0).saturating_sub(AFTER).max(LEAST);
        cut(why, room, self.model.look.glyphs.ellipsis).into_owned()
    }

    /// What was refused of the shown run since this head and was not taken for the refusal of a control, the oldest first.
    /// Of a rollback that was begun and came to nothing too.
    pub(super) fn refused_since(&self, view: &RunView, head: Seq) -> Vec<Refused> {
        let lang = self.model.look.lang;
        let told = |why: &str| one_line(&crate::ui::words::reasons::said(lang, why), Strength::Prose).shown();
        let new = |seq: &Seq| *seq > head && !self.written.given.contains(seq);
        let of = |item: &Item| match item {
            Item::Other { seq, kind: "control_refused", words, .. } if new(seq) => {
                let (control, why) = words.split_once(": ").unwrap_or((words, ""));
                Some(Refused { seq: *seq, control: control.to_owned(), why: told(why) })
            }
            Item::Other { seq, kind: "rollback_failed", words, .. } if new(seq) => {
                Some(Refused { seq: *seq, control: ROLL_BACK.to_owned(), why: told(words) })
            }
            _ => None,
        };
        view.open.items.iter().filter_map(of).collect()
    }
}

fn waits(shot: &Snapshot, call: &CallId) -> bool {
    shot.waiting.iter().any(|waiting| waiting.call.call_id == *call)
}

/// What a snapshot shows of a control, without what it says of refusals.
fn became(model: &Model, shot: &Snapshot, view: &RunView, one: &Awaited) -> Became {
    let taken = view.pending == 0 && shot.at >= one.stored;
    let settings = view.state.settings();
    let is = |done: bool| match (done, taken) {
        (true, _) => Became::Done,
        (false, true) => Became::Unknown,
        (false, false) => Became::Open,
    };
    match &one.control {
        Control::EditGoal { goal, .. } => match is(view.state.path.goal == *goal) {
            Became::Unknown => Became::Not(model.words().goal.changed_before.to_owned()),
            other => other,
        },
        Control::EditPlan { items, .. } => match is(view.state.path.plan == *items) {
            Became::Unknown => Became::Not(model.words().plan_edit.changed_before.to_owned()),
            other => other,
        },
        Control::SetLimits { patch } => {
            is(settings.is_some_and(|now| patch.apply(&now.limits) == now.limits))
        }
        Control::SetMode { mode } => is(settings.is_some_and(|now| now.mode == *mode)),
        Control::SetModel { model } => is(settings.is_some_and(|now| now.model == **model)),
        Control::Decide { call_id, decision, .. } => decided(model, shot, view, call_id, decision, taken),
        // It waits in the inbox until the agent is about to read it.
        Control::Message { text, .. } if view.queued.iter().any(|queued| queued.text == *text) => {
            Became::Open
        }
        Control::Message { .. } if taken => Became::Unknown,
        Control::Message { .. } => Became::Open,
        Control::Pause { .. }
        | Control::Continue
        | Control::Cancel
        | Control::ExtendTimeout { .. }
        | Control::StopCall { .. }
        | Control::Rollback { .. }
        | Control::Redo => Became::Unknown,
    }
}

fn decided(
    model: &Model,
    shot: &Snapshot,
    view: &RunView,
    call: &CallId,
    decision: &Decision,
    taken: bool,
) -> Became {
    if waits(shot, call) {
        let words = model.words().review.still_waits.to_owned();
        return if taken { Became::Not(words) } else { Became::Open };
    }
    let Some(row) = view.calls.iter().find(|row| row.call_id == *call) else { return Became::Unknown };
    let denies = matches!(decision, Decision::Deny { .. });
    let done = match row.status {
        CallStatus::Denied => denies,
        CallStatus::Approved | CallStatus::Started | CallStatus::Done | CallStatus::Failed => !denies,
        // Read in between: the next snapshot knows.
        CallStatus::Uncertain | CallStatus::Proposed | CallStatus::Waiting => {
            return if taken { Became::Unknown } else { Became::Open };
        }
        CallStatus::Cancelled | CallStatus::Rejected => matches!(decision, Decision::Resolve { .. }),
    };
    if done {
        return Became::Done;
    }
    let lang = model.look.lang;
    Became::Not(
        model.words().notes.not_taken(&super::super::dialog::parts::name(row), lang.call_status(row.status)),
    )
}

/// Makes what was written for a control the draft of where it was written; the key that brings it back, if anything was
/// written. A call that is `gone` has no dialog any more: what was said about it can still be said to the agent.
fn keep(model: &mut Model, run: &RunId, control: &Control, gone: bool) -> Option<String> {
    let drafts = &mut model.drafts;
    let action = match control {
        Control::EditGoal { based_on, goal } => {
            let checks: Vec<String> = goal.checks.iter().map(ToString::to_string).collect();
            let draft = vec![goal.text.clone(), goal.constraints.join("\n"), checks.join("\n")];
            drafts.returned.insert(run.clone(), (*based_on, draft));
            Action::GoalEdit
        }
        Control::EditPlan { based_on, items } => {
            drafts.plans.insert(run.clone(), (based_on.clone(), written(items)));
            Action::PlanEdit
        }
        Control::SetLimits { patch } => {
            drafts.limits.entry(run.clone()).or_default().0 = patch.clone();
            Action::LimitsEdit
        }
        Control::SetMode { mode } => {
            drafts.limits.entry(run.clone()).or_default().1 = Some(*mode);
            Action::LimitsEdit
        }
        Control::Message { text, .. } => return to_message(model, run, text),
        Control::Decide { call_id, decision, .. } => match decision {
            Decision::Deny { reason } if reason.trim().is_empty() => return None,
            Decision::Deny { reason: text } | Decision::Answer { text } if gone => {
                return to_message(model, run, text);
            }
            Decision::Deny { reason } => {
                drafts.reasons.insert(call_id.clone(), reason.clone());
                Action::Deny
            }
            Decision::Answer { text } => {
                drafts.answers.insert(call_id.clone(), text.clone());
                Action::Review
            }
            Decision::ApproveEdited { args } | Decision::ApproveShown { args: Some(args), .. } if !gone => {
                drafts.args.insert(call_id.clone(), format!("{args:#}"));
                Action::EditArgs
            }
            Decision::ApproveEdited { .. }
            | Decision::ApproveShown { .. }
            | Decision::Approve
            | Decision::Reuse { .. }
            | Decision::Resolve { .. } => return None,
        },
        Control::SetModel { .. }
        | Control::Pause { .. }
        | Control::Continue
        | Control::Cancel
        | Control::ExtendTimeout { .. }
        | Control::StopCall { .. }
        | Control::Rollback { .. }
        | Control::Redo => return None,
    };
    Some(model.key(live::RUN, action))
}

/// Puts a text back into the message line of a run, before what is being written there; the key that leads there, if the
/// run is shown.
pub(in crate::ui) fn to_message(model: &mut Model, run: &RunId, text: &str) -> Option<String> {
    let joined = |draft: &str| if draft.is_empty() { text.to_owned() } else { format!("{text}\n{draft}") };
    if model.run.as_ref() != Some(run) {
        let kept = model.drafts.messages.entry(run.clone()).or_default();
        *kept = joined(kept);
        return None;
    }
    let message = &mut model.message;
    let all = joined(&message.editor.text());
    message.editor.set(&all);
    message.at = None;
    message.earlier.pop_if(|last| last == text);
    Some(model.key(live::RUN, Action::Message))
}

/// What is stored needs no draft any more.
fn forget(model: &mut Model, run: &RunId, control: &Control) {
    let drafts = &mut model.drafts;
    match control {
        Control::Decide { call_id, .. } => {
            drafts.reasons.remove(call_id);
            drafts.answers.remove(call_id);
            drafts.args.remove(call_id);
        }
        Control::SetLimits { .. } => {
            drafts.limits.entry(run.clone()).and_modify(|kept| kept.0 = Default::default());
        }
        Control::SetMode { .. } => {
            drafts.limits.entry(run.clone()).and_modify(|kept| kept.1 = None);
        }
        Control::EditGoal { .. }
        | Control::EditPlan { .. }
        | Control::SetModel { .. }
        | Control::Message { .. }
        | Control::Pause { .. }
        | Control::Continue
        | Control::Cancel
        | Control::ExtendTimeout { .. }
        | Control::StopCall { .. }
        | Control::Rollback { .. }
        | Control::Redo => {}
    }
    drafts.limits.retain(|_, (patch, mode)| !patch.is_empty() || mode.is_some());
}

#[cfg(test)]
mod tests;
