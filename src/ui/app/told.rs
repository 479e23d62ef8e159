//! Taking reports: snapshots, pieces of replies, answers to commands.

use super::model::{GoalBy, LiveRun};
use super::msg::{Cmd, GoalVersion, Msg, Piece, Posted, Ticket};
use super::{App, bell, held, lists, transcript};
use crate::host::notify::Notice;
use crate::run::{RunId, Status, StepNo};
use crate::store::CallRow;
use crate::ui::feed::{Ending, Item, Snapshot, StepView};
use crate::ui::frame::Wish;
use crate::ui::keys::{Action, live};
use crate::ui::layout::Panel;
use crate::ui::text::{Strength, one_line};
use crate::ui::words::Phase;
use crate::ui::words::reasons::said;
use std::sync::Arc;

/// Most bytes of a reply that are kept while it comes in: the beginning is in the store soon.
const KEPT: usize = 256 * 1024;
/// Most steps that are kept.
const STEPS: usize = 400;

impl App {
    /// Takes a report; dialogs hear it too.
    pub(super) fn told(&mut self, msg: Msg) -> Vec<Cmd> {
        let mut commands = match &msg {
            Msg::Shot(shot) => self.shot(shot),
            Msg::Stale(why) => {
                let since = self.model.stale.take().map_or(self.model.clock.mono, |(since, _)| since);
                self.model.stale = Some((since, why.clone()));
                Vec::new()
            }
            Msg::Unposted(waits) => {
                let since = self.model.unposted.take().unwrap_or(self.model.clock.mono);
                self.model.unposted = waits.then_some(since);
                Vec::new()
            }
            Msg::Held(since) => {
                self.opens(Some(*since));
                Vec::new()
            }
            Msg::Opened(drafts, first) => self.opened(drafts.clone(), first.clone()),
            Msg::NotOpened => {
                self.leave(super::End::Left);
                Vec::new()
            }
            Msg::FileDamaged(why) => {
                self.model.beside.file_damaged = Some(why.clone());
                Vec::new()
            }
            Msg::Room => {
                self.model.beside.full = false;
                Vec::new()
            }
            Msg::Phase(run, phase) => self.phase(run, *phase),
            Msg::Piece(run, piece) => self.piece(run, piece),
            Msg::Live(run, text, tokens) => self.live_text(run, text, *tokens),
            Msg::Steps(run, steps) => {
                self.steps(run, steps);
                Vec::new()
            }
            Msg::Posted(ticket, posted) => self.posted(*ticket, posted),
            Msg::HadBack(ticket, back) => {
                self.had_back(*ticket, back);
                Vec::new()
            }
            Msg::Files(ticket, files) => {
                self.files(*ticket, files);
                Vec::new()
            }
            Msg::NotNotified(why) => {
                // Once: the bell rings all the same.
                if !std::mem::replace(&mut self.hook_failed, true) {
                    let why = one_line(&self.model.look.lang.trouble(why), Strength::Prose).shown();
                    self.say(self.model.words().notes.not_notified(&why));
                }
                Vec::new()
            }
            Msg::Hurried(ticket, hurried) => {
                self.hurried(*ticket, hurried);
                Vec::new()
            }
            Msg::Starting(ticket, contact) => {
                if let Some(starting) = self.model.starting.as_mut().filter(|one| one.ticket == *ticket) {
                    starting.contact = Some(contact.clone());
                }
                Vec::new()
            }
            Msg::StartHeld(ticket, since) => {
                if let Some(starting) = self.model.starting.as_mut().filter(|one| one.ticket == *ticket) {
                    starting.held = Some(*since);
                }
                Vec::new()
            }
            Msg::Started(ticket, Ok(run)) => {
                self.model.starting.take_if(|one| one.ticket == *ticket);
                self.model.drafts.not_started = None;
                let mut commands = self.show(Some(run.clone()));
                self.say(self.model.words().notes.run_started(run.as_str()));
                commands.push(Cmd::Work(run.clone()));
                commands
            }
            Msg::Found(found) => {
                self.model.found = found.clone();
                Vec::new()
            }
            Msg::Reasons(reasons) => {
                // What was said here meanwhile is newer.
                let new = reasons.iter().filter(|one| !self.model.reasons.contains(one));
                let new: Vec<String> = new.cloned().collect();
                self.model.reasons.extend(new);
                Vec::new()
            }
            Msg::Signs(signs) => {
                self.model.beside.signs = Some(signs.clone());
                self.look_beside();
                Vec::new()
            }
            Msg::Outputs(outputs) => {
                self.model.beside.outputs = Some(outputs.clone());
                Vec::new()
            }
            Msg::Unsaved(run, unsaved) => {
                match unsaved {
                    Some(unsaved) => self.model.beside.unsaved.insert(run.clone(), *unsaved),
                    None => self.model.beside.unsaved.remove(run),
                };
                self.look_beside();
                Vec::new()
            }
            Msg::Working(run, at_work, why) => self.working(run, *at_work, why.as_deref()),
            Msg::Started(ticket, Err(why)) => {
                self.not_started(*ticket, why);
                Vec::new()
            }
            Msg::Stopped => {
                if self.leaving {
                    self.leave(super::End::Left);
                }
                Vec::new()
            }
            Msg::Text(ticket, read) if self.copying == Some(*ticket) => {
                self.copying = None;
                match read {
                    Ok(text) => self.copy_text(text),
                    Err(why) => {
                        let why = one_line(&self.model.look.lang.trouble(why), Strength::Prose).shown();
                        self.say(self.model.words().notes.cannot(&why));
                    }
                }
                Vec::new()
            }
            Msg::Text(..)
            | Msg::ArgsRead(..)
            | Msg::Change(..)
            | Msg::Preview(..)
            | Msg::Compared(..)
            | Msg::Before(..)
            | Msg::Request(..)
            | Msg::Items(..)
            | Msg::Output(..)
            | Msg::Traces(..)
            | Msg::Goals(_, Err(_))
            | Msg::Place(..) => Vec::new(),
            Msg::Goals(ticket, Ok(versions)) => {
                self.goals(*ticket, versions);
                Vec::new()
            }
            Msg::Edited(ticket, text) => {
                if self.message_outside == Some(*ticket) {
                    self.message_outside = None;
                    match text {
                        Ok(text) => self.model.message.editor.set(text.trim_end_matches('\n')),
                        Err(why) => {
                            let why = one_line(&self.model.look.lang.trouble(why), Strength::Prose).shown();
                            self.say(self.model.words().notes.cannot(&why));
                        }
                    }
                }
                Vec::new()
            }
        };
        if !self.model.layers.is_empty() {
            commands.extend(self.tell_layers(&msg));
        }
        commands
    }

    /// A run did not begin: why, and where what was written for it is.
    fn not_started(&mut self, ticket: Ticket, why: &str) {
        let words = &self.model.words().new_run;
        let why = one_line(&self.model.look.lang.trouble(why), Strength::Prose).shown();
        let mut text = match self.model.starting.take_if(|one| one.ticket == ticket) {
            Some(starting) if starting.given_up => words.given_up.to_owned(),
            Some(_) | None => words.not_started(&why),
        };
        self.model.drafts.not_started = None;
        // The form that it was written in was left: it says so when it is opened again.
        if self.model.layers.is_empty() && self.model.drafts.new_run.is_some() {
            self.model.drafts.not_started = Some(text.clone());
            let key = self.model.key(live::START, Action::RunNew);
            text = format!("{text} {}", words.goal_kept(&key));
        }
        self.say(text);
    }

    fn shot(&mut self, shot: &Arc<Snapshot>) -> Vec<Cmd> {
        self.model.stale = None;
        let timeline = |shot: &Snapshot| {
            shot.run.as_ref().map(|view| (view.state.run.clone(), view.state.head.timeline))
        };
        let before = self.model.shot.as_deref().and_then(timeline);
        let active = self.model.active_shown();
        let folded = self.model.view().map(transcript::last_folded);
        let steps = self.model.view().map(|view| Arc::clone(&view.steps)).unwrap_or_default();
        self.model.shot = Some(Arc::clone(shot));
        self.model.keep_active(active);
        if let Some(view) = &shot.run {
            self.model.beside.seen(shot.at, view);
        }
        // A decision was taken once its call waits no more.
        self.model.sent.retain(|sent| {
            sent.call.as_ref().is_none_or(|(id, at, since)| {
                let same = |call: &CallRow| (id, *at, *since) == (&call.call_id, call.attempt, call.since);
                shot.waiting.iter().any(|waiting| same(&waiting.call))
            })
        });
        self.settle_news();
        self.clocks(shot);
        if let Some(view) = self.model.view() {
            let over = match view.state.status() {
                Status::Ended(_) | Status::Paused => true,
                Status::Running | Status::Waiting(_) => false,
            };
            let run = view.state.run.clone();
            // Of a run elsewhere only the text of a reply is heard: it is over once the reply is in the journal.
            let elsewhere = !self.model.working.contains(&run) && !asks(&view.open);
            if over || elsewhere {
                self.model.live.remove(&run);
            }
        }
        if let Some(before) = folded {
            transcript::left_window(&mut self.model, before);
        }
        self.refusals(shot);
        self.forget_undone();
        if before.is_some_and(|before| timeline(shot).is_some_and(|now| now != before)) {
            transcript::turned(&mut self.model, &steps);
            // What was chosen to roll back to is where the run stands now.
            self.model.lists.checkpoint = None;
        }
        if self.model.view().is_some() && std::mem::take(&mut self.unseen) && self.model.focus == Panel::Loop
        {
            let waits = self.model.waiting_here().next().is_some();
            self.model.focus = if waits { Panel::Queue } else { Panel::Loop };
        }
        lists::keep(&mut self.model);
        held::stir(&mut self.model);
        self.bell.look(shot, &self.model.beside, self.model.clock.mono);
        self.retitle();
        let mut commands = self.looked();
        commands.extend(self.ask_goal_by());
        commands
    }

    /// The clocks of phases stand while their runs wait: a phase's time is work.
    fn clocks(&mut self, shot: &Snapshot) {
        let now = self.model.clock.mono;
        for (run, live) in &mut self.model.live {
            let row = shot.runs.iter().find(|row| row.id == *run).map(|row| row.status == "waiting");
            let shown = shot.run.as_ref().filter(|view| view.state.run == *run);
            let shown = shown.map(|view| matches!(view.state.status(), Status::Waiting(_)));
            let waits = shown.or(row).unwrap_or(false);
            match (waits, live.waits) {
                (true, None) => live.waits = Some(now),
                (false, Some(since)) => {
                    live.since += now.saturating_duration_since(since);
                    live.waits = None;
                }
                (true, Some(_)) | (false, None) => {}
            }
        }
    }

    /// Says why something that was asked of the shown run was not done, once. What was refused before the run was looked at
    /// stands in its Loop.
    fn refusals(&mut self, shot: &Snapshot) {
        let Some(view) = self.model.view() else { return };
        let here = (view.state.run.clone(), view.state.head.seq);
        let from = self.heard.as_ref().filter(|(run, _)| *run == here.0).map_or(here.1, |(_, seq)| *seq);
        let told = view.open.items.iter().rev().find_map(|item| match item {
            Item::Other { seq, kind, words, .. } if *seq > from => why_refused(&self.model, kind, words),
            _ => None,
        });
        let refused = self.refused_since(view, from);
        self.heard = Some(here);
        if let Some(why) = told {
            self.say(why);
        }
        self.look_after_written(shot, refused);
    }

    /// Asks who wrote the goal in force, once for each version of a goal that was edited.
    fn ask_goal_by(&mut self) -> Vec<Cmd> {
        let Some(view) = self.model.view() else { return Vec::new() };
        let (run, version) = (view.state.run.clone(), view.state.path.goal_version);
        let asked = self.model.goal_by.as_ref().is_some_and(|by| by.run == run && by.version == version);
        if version < 2 || asked {
            return Vec::new();
        }
        self.model.goal_by = Some(GoalBy { run: run.clone(), version, known: None });
        let ticket = self.model.ticket();
        self.asking_goal = Some(ticket);
        vec![Cmd::Goals(ticket, run)]
    }

    fn goals(&mut self, ticket: Ticket, versions: &[GoalVersion]) {
        if self.asking_goal != Some(ticket) {
            return;
        }
        self.asking_goal = None;
        if let Some(by) = &mut self.model.goal_by {
            let written = versions.iter().find(|one| one.version == by.version);
            by.known = written.map(|one| (one.at, one.by.clone()));
        }
    }

    /// Steps of the transcript that are no longer on the present timeline are read anew.
    fn forget_undone(&mut self) {
        let Some(view) = self.model.view() else { return };
        // The few that were read are looked up among all, which stand in their order.
        let end_of = |step: StepNo| {
            let at = view.steps.binary_search_by_key(&step, |span| span.step).ok()?;
            view.steps.get(at).map(|span| span.to)
        };
        let read = self.model.transcript.steps.iter();
        let gone: Vec<_> = read
            .filter(|(step, read)| end_of(**step) != Some(read.to))
            .map(|(step, read)| (*step, read.from))
            .collect();
        for (step, from) in gone {
            self.model.transcript.steps.remove(&step);
            self.asked.remove(&from);
        }
    }

    /// Rings for what is due, if nobody looks; not any more once the person leaves.
    pub(super) fn ring(&mut self) {
        if self.leaving {
            return;
        }
        let Some(ring) = self.bell.due((self.clock)().mono) else { return };
        let words = &self.model.words().notes;
        let title = one_line(ring.title(), Strength::Prose).shown();
        let text = match &ring {
            bell::Ring::NeedsYou { n, .. } => words.bell(*n, &title),
            bell::Ring::Done(_) => words.run_done(&title),
            bell::Ring::Failed(_) => words.run_failed(&title),
            bell::Ring::Limit(_) => words.run_at_limit(&title),
        };
        let event = match ring {
            bell::Ring::NeedsYou { .. } => "needs_you",
            bell::Ring::Done(_) => "done",
            bell::Ring::Failed(_) => "failed",
            bell::Ring::Limit(_) => "limit",
        };
        self.wishes.push_back(Wish::Bell);
        self.wishes.push_back(Wish::Escape(bell::notification(&text)));
        self.later.push(Cmd::Notify(Notice { event, body: text }));
        self.dirty = true;
    }

    /// What is known beside the snapshot may need the person too.
    fn look_beside(&mut self) {
        if let Some(shot) = self.model.shot.clone() {
            self.bell.look(&shot, &self.model.beside, self.model.clock.mono);
        }
    }

    fn retitle(&mut self) {
        let waiting = self.model.waiting().count() as u64;
        let name = self.model.title();
        let title = match (waiting, name.is_empty()) {
            (0, true) => "wakeful".to_owned(),
            (0, false) => format!("{name} · wakeful"),
            (n, true) => self.model.words().notes.bell(n, "wakeful"),
            (n, false) => self.model.words().notes.bell(n, &name),
        };
        if title != self.title {
            self.wishes.push_back(Wish::Title(title.clone()));
            self.title = title;
        }
    }

    fn live_run(&mut self, run: &RunId) -> &mut LiveRun {
        let now = self.model.clock.mono;
        self.model.live.entry(run.clone()).or_insert_with(|| LiveRun {
            phase: None,
            since: now,
            waits: None,
            took: Vec::new(),
            text: String::new(),
            thought: String::new(),
            pieces: 0,
            estimated: false,
            first: None,
        })
    }

    fn phase(&mut self, run: &RunId, phase: Phase) -> Vec<Cmd> {
        let now = self.model.clock.mono;
        let live = self.live_run(run);
        if let Some(before) = live.phase {
            let worked = live.waits.take().unwrap_or(now);
            live.took.push((before, worked.saturating_duration_since(live.since)));
        }
        if phase <= Phase::Assemble {
            live.took.retain(|(done, _)| *done < phase);
        }
        if phase == Phase::Infer {
            (live.text, live.thought, live.pieces, live.first) = (String::new(), String::new(), 0, None);
            live.estimated = false;
        }
        live.phase = Some(phase);
        live.since = now;
        Vec::new()
    }

    fn piece(&mut self, run: &RunId, piece: &Piece) -> Vec<Cmd> {
        let now = self.model.clock.mono;
        let live = self.live_run(run);
        live.pieces += 1;
        live.first.get_or_insert(now);
        match piece {
            Piece::Text(text) => append(&mut live.text, text),
            Piece::Thought(text) => append(&mut live.thought, text),
            Piece::Call => {}
        }
        Vec::new()
    }

    fn live_text(&mut self, run: &RunId, text: &str, tokens: u64) -> Vec<Cmd> {
        let live = self.live_run(run);
        live.text.clear();
        append(&mut live.text, text);
        live.phase = Some(Phase::Infer);
        // Its pieces were not seen here, nor when the first of them came.
        (live.pieces, live.estimated) = (tokens, true);
        Vec::new()
    }

    fn steps(&mut self, run: &RunId, steps: &[Result<StepView, (StepNo, String)>]) {
        if self.model.run.as_ref() != Some(run) {
            return;
        }
        for step in steps {
            match step {
                Ok(view) => {
                    self.model.transcript.take(view.clone());
                }
                Err((_, why)) => {
                    let why = one_line(&self.model.look.lang.trouble(why), Strength::Prose).shown();
                    self.say(self.model.words().notes.cannot(&why));
                }
            }
        }
        // Those farthest from what is selected go first.
        let at = self.model.transcript.at.map_or(u32::MAX, |spot| spot.step);
        while self.model.transcript.steps.len() > STEPS {
            let kept = &mut self.model.transcript.steps;
            let (first, last) = (kept.keys().next().copied(), kept.keys().next_back().copied());
            let (Some(first), Some(last)) = (first, last) else { break };
            let far = if at.abs_diff(first) > last.abs_diff(at) { first } else { last };
            if let Some(gone) = kept.remove(&far) {
                self.asked.remove(&gone.from);
            }
        }
    }

    fn posted(&mut self, ticket: u64, posted: &Posted) -> Vec<Cmd> {
        let Some(place) = self.model.sent.iter().position(|sent| sent.ticket == ticket) else {
            return Vec::new();
        };
        let stored = matches!(posted, Posted::Stored).then_some(self.model.clock.wall);
        self.model.beside.posted(ticket, stored);
        let Some(sent) = self.model.sent.get(place).cloned() else { return Vec::new() };
        // What decides a call is kept until the call waits no more.
        if stored.is_none() || sent.call.is_none() {
            self.model.sent.remove(place);
        }
        // Its call waits again, where it stood.
        self.model.held.take_if(|_| stored.is_none() && sent.call.is_some());
        let words = self.post_came_back(&sent, posted);
        let words = words.and_then(|words| match stored {
            Some(_) => self.said_of(ticket, words),
            None => Some(words),
        });
        if let Some(words) = words {
            self.say_of(&sent.run, words);
        }
        Vec::new()
    }

    fn working(&mut self, run: &RunId, at_work: bool, why: Option<&str>) -> Vec<Cmd> {
        if at_work {
            self.model.working.insert(run.clone());
        } else {
            self.model.working.remove(run);
            self.model.live.remove(run);
            self.model.beside.unsaved.remove(run);
        }
        if let Some(why) = why {
            let why = one_line(&self.model.look.lang.trouble(why), Strength::Prose).shown();
            self.say_of(run, self.model.words().notes.cannot(&why));
        }
        Vec::new()
    }
}

/// What a person hears of a control that was refused; none of anything else.
fn why_refused(model: &super::model::Model, kind: &str, words: &str) -> Option<String> {
    let lang = model.look.lang;
    let told = |why: &str| one_line(&said(lang, why), Strength::Prose).shown();
    match kind {
        "control_refused" => {
            let (control, why) = words.split_once(": ").unwrap_or((words, ""));
            Some(model.words().notes.refused(lang.control_word(control), &told(why)))
        }
        "rollback_failed" => Some(model.words().rollback.refused(&told(words))),
        _ => None,
    }
}

fn append(text: &mut String, more: &str) {
    if text.len() < KEPT {
        text.push_str(more);
    }
}

/// Whether a request of this step is out.
fn asks(open: &StepView) -> bool {
    open.items.iter().any(|item| matches!(item, Item::Asked { ending: Ending::Open, .. }))
}
