//! The fold: how each event changes each half of the state. It refuses what cannot follow; the store commits nothing
//! that the fold refuses.

use super::call::IllegalMove;
use super::call::Origin;
use super::control::Author;
use super::event::{Decoded, Envelope, Event, Purpose};
use super::goal::CheckResult;
use super::id::{CallId, Seq};
use super::left::Left;
use super::message::{MessageRef, Shortened, Speaker};
use super::phase::Phase;
use super::plan::{InnerEffect, Note, NoteKind, PlanEdit};
use super::state::{Asking, Core, Folded, Keeper, NOTES_MAX, Path, RunState, Timeline, Turn, TurnCall};

/// An event that cannot follow the state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// A seq is missing or used twice.
    #[error("event {found} cannot follow event {head}")]
    Order {
        /// Seq of the head.
        head: Seq,
        /// Seq of the event.
        found: Seq,
    },
    /// A call moved in a way that does not exist.
    #[error("event {seq}, call {call}: {why}")]
    Call {
        /// Seq of the event.
        seq: Seq,
        /// The call.
        call: CallId,
        /// The move.
        why: IllegalMove,
    },
    /// A call that is not open.
    #[error("event {seq} is about call {call}, which is not open")]
    NoCall {
        /// Seq of the event.
        seq: Seq,
        /// The call.
        call: CallId,
    },
    /// The event does not fit what the step is at.
    #[error("event {seq} ({kind}) cannot happen here: {why}")]
    Place {
        /// Seq of the event.
        seq: Seq,
        /// Kind of the event.
        kind: &'static str,
        /// Why.
        why: &'static str,
    },
    /// Folding a rollback needs the path as it was at this seq; see [`RunState::roll_back`].
    #[error("a rollback needs the state at event {0}")]
    NeedsPath(Seq),
}

impl RunState {
    /// Folds one event. `head.sum` is the store's to set.
    ///
    /// # Errors
    /// [`FoldError`] if the event cannot follow; the state is then not to be used any more.
    pub fn apply(&mut self, envelope: &Envelope) -> Result<(), FoldError> {
        self.advance(envelope)?;
        match &envelope.event {
            Decoded::Unknown { .. } => {
                self.ledger.unknown += 1;
                Ok(())
            }
            Decoded::Known(event) => {
                if let Event::RolledBack { to_seq, .. } = event.as_ref() {
                    return Err(FoldError::NeedsPath(*to_seq));
                }
                let asked = match &self.path.turn {
                    Turn::Asking(asking) => Some((asking.prompt, asking.purpose)),
                    Turn::Idle
                    | Turn::Retry { .. }
                    | Turn::Acting { .. }
                    | Turn::Claiming { .. }
                    | Turn::Reported { .. } => None,
                };
                let beside = matches!(&self.path.turn, Turn::Asking(asking) if asking.by.is_some());
                self.path.apply(envelope.seq, event)?;
                self.ledger.apply(envelope, event, beside)?;
                self.ledger.note_usage(event, asked);
                Ok(())
            }
        }
    }

    /// Folds a `RolledBack`, given the path as it was at its checkpoint. The goal keeps its newest version.
    ///
    /// # Errors
    /// [`FoldError`] if the event is not a rollback or no rollback is under way.
    pub fn roll_back(&mut self, envelope: &Envelope, mut path: Path) -> Result<(), FoldError> {
        self.advance(envelope)?;
        let place = |why| FoldError::Place { seq: envelope.seq, kind: "rolled_back", why };
        let Decoded::Known(event) = &envelope.event else {
            return Err(place("it is not understood"));
        };
        let Event::RolledBack { to_seq, timeline, .. } = event.as_ref() else {
            return Err(place("it is another event"));
        };
        let parent = self.ledger.timeline_of(*to_seq);
        path.goal = self.path.goal.clone();
        path.goal_version = self.path.goal_version;
        path.superseded = self.path.superseded.map(|before| before.seen_from(path.step));
        path.apply(envelope.seq, event)?;
        self.path = path;
        self.ledger.timelines.push(Timeline {
            no: *timeline,
            from_seq: envelope.seq,
            parent_seq: *to_seq,
            parent,
        });
        self.head.timeline = *timeline;
        self.ledger.apply(envelope, event, false)
    }

    fn advance(&mut self, envelope: &Envelope) -> Result<(), FoldError> {
        if envelope.seq != self.head.seq + 1 {
            return Err(FoldError::Order { head: self.head.seq, found: envelope.seq });
        }
        self.head.seq = envelope.seq;
        Ok(())
    }
}

impl Path {
    /// Folds one event into the path alone, for walking a timeline that is not the present one.
    ///
    /// # Errors
    /// [`FoldError::Place`] if the event does not fit what the step is at.
    pub fn apply(&mut self, seq: Seq, event: &Event) -> Result<(), FoldError> {
        let place = |why| FoldError::Place { seq, kind: event.kind(), why };
        if let Some(phase) = &mut self.phase {
            phase.apply(seq, event);
        }
        match event {
            Event::RunCreated { goal, settings, .. } => {
                self.goal = goal.clone();
                self.goal_version = 1;
                self.phase = settings.keep_results.then(Phase::default);
            }
            Event::GoalEdited { version, goal } => {
                if *version != self.goal_version + 1 {
                    return Err(place("the version before it is another"));
                }
                self.supersede(goal.clone(), seq);
            }
            Event::PlanEdited { items } => {
                self.plan.clone_from(items);
                self.plan_edit = Some(PlanEdit { seq, step: self.step + 1 });
            }
            Event::InstructionsRead { tokens, .. } => self.instructions = Some((seq, *tokens)),
            Event::PersonMessage { tokens, .. } => {
                (self.check_returns, self.returned) = (0, 0);
                self.messages.push(MessageRef { seq, speaker: Speaker::Person, tokens: *tokens });
            }
            Event::ModelCalled { .. }
            | Event::ModelReplied { .. }
            | Event::ModelFailed { .. }
            | Event::ModelAborted { .. } => self.apply_model(seq, event)?,
            Event::CallProposed(proposal) => {
                let call = TurnCall {
                    call_id: proposal.call_id.clone(),
                    origin: proposal.origin,
                    position: proposal.position,
                    closed: false,
                };
                self.turn_calls(seq, event)?.push(call);
            }
            Event::CallRejected { call_id, result, .. }
            | Event::CallDenied { call_id, result, .. }
            | Event::CallCancelled { call_id, result, .. }
            | Event::CallReused { call_id, result, .. }
            | Event::CallAnswered { call_id, result, .. } => {
                self.close(seq, event, call_id, result.tokens)?
            }
            Event::CallFinished { call_id, result, inner, .. } => {
                self.close(seq, event, call_id, result.tokens)?;
                if let Some(inner) = inner {
                    self.apply_inner(seq, inner);
                }
            }
            Event::CallNotStarted { call_id, end: Some(end), .. } => {
                self.close(seq, event, call_id, end.result.tokens)?;
            }
            Event::CallResolved { call_id, result: Some(result), .. } => {
                self.close(seq, event, call_id, result.tokens)?;
            }
            Event::StepCommitted { step } => {
                if *step != self.step + 1 {
                    return Err(place("the step before it is another"));
                }
                self.step = *step;
                self.turn = Turn::Idle;
                self.left = Left::default();
            }
            Event::RoundsFolded { upto, rounds, summary, by_model, done, .. } => {
                self.note_done(done);
                (self.summary_tries, self.summary_refused) = (0, None);
                let dropped = |m: &MessageRef| {
                    let short = self.shortened.get(&m.seq).map(|short| &short.saved);
                    self.dropped.get(&m.seq).or(short).map_or(0, |saved| u64::from(*saved))
                };
                let gone = self.messages.iter().filter(|m| m.seq <= *upto);
                let (now, tokens) = gone.fold((0, 0), |(now, all), m| {
                    let tokens = u64::from(m.tokens);
                    (now + tokens, all + tokens + dropped(m))
                });
                Left::add(&mut self.left.rounds, usize::try_from(*rounds).unwrap_or(usize::MAX), now);
                self.messages.retain(|m| m.seq > *upto);
                self.dropped.retain(|s, _| s > upto);
                self.shortened.retain(|s, _| s > upto);
                let before = self.folded.as_ref().map_or((0, 0), |f| (f.rounds, f.tokens));
                self.folded = Some(Folded {
                    upto: *upto,
                    seq,
                    rounds: before.0 + rounds,
                    tokens: before.1 + tokens,
                    summary: summary.clone(),
                    by_model: *by_model,
                });
            }
            Event::CoreKept { text, summary, removed, by, .. } => {
                self.keeper = Keeper { at: self.step, ..Keeper::default() };
                self.core = Some(Core {
                    text: text.clone(),
                    rounds: self.folded.as_ref().map_or(0, |folded| folded.rounds),
                    done: self.plan_done(),
                    goal_version: self.goal_version,
                    drift: summary.is_some(),
                    removed: removed.clone(),
                    by: by.clone(),
                });
                if let (Some(folded), Some(summary)) = (&mut self.folded, summary) {
                    folded.summary = Some(summary.clone());
                    folded.seq = seq;
                }
            }
            Event::OutputsDropped { seqs, tokens, kept } => {
                for message in self.messages.iter_mut().filter(|m| seqs.contains(&m.seq)) {
                    let before = self.shortened.remove(&message.seq).map_or(0, |short| short.saved);
                    let now = message.tokens.saturating_sub(*tokens);
                    let saved = now.saturating_add(before);
                    let left = if kept.is_some() { &mut self.left.shortened } else { &mut self.left.dropped };
                    Left::add(left, 1, u64::from(now));
                    if let Some(kept) = *kept {
                        self.shortened.insert(message.seq, Shortened { kept, saved });
                    } else {
                        self.dropped.insert(message.seq, saved);
                    }
                    message.tokens = *tokens;
                }
            }
            Event::MessagesRecounted { counts } => {
                for (of, tokens) in counts {
                    self.messages.iter_mut().filter(|m| m.seq == *of).for_each(|m| m.tokens = *tokens);
                }
                self.recounted = seq;
            }
            Event::MemoriesRecalled { items, preferences, words_alone } => {
                self.recalled.clone_from(items);
                self.preferences.clone_from(preferences);
                self.words_alone |= words_alone.is_some();
            }
            Event::CheckFinished { index, goal_version, passed, detail } => {
                let result = CheckResult { index: *index, passed: *passed, detail: detail.clone() };
                match &mut self.turn {
                    Turn::Claiming { results, goal_version: claimed, .. } if claimed == goal_version => {
                        results.push(result);
                        self.last_checks.clone_from(results);
                    }
                    Turn::Claiming { .. } => {
                        return Err(place("the claim is about another version of the goal"));
                    }
                    Turn::Idle
                    | Turn::Asking(_)
                    | Turn::Retry { .. }
                    | Turn::Acting { .. }
                    | Turn::Reported { .. } => return Err(place("nothing is claimed")),
                }
            }
            Event::ClaimReturned { result } => {
                let Turn::Claiming { reply, results, .. } = &self.turn else {
                    return Err(place("nothing is claimed"));
                };
                // A claim that went back unread, or for an edited goal, failed no check.
                self.check_returns += u32::from(results.iter().any(|r| !r.passed));
                self.returned = self.returned.saturating_add(1);
                self.turn = Turn::Acting { reply: *reply, calls: Vec::new() };
                self.messages.push(MessageRef { seq, speaker: Speaker::Wakeful, tokens: result.tokens });
            }
            Event::Continued => self.check_returns = 0,
            Event::RunEnded { .. } => {
                if let Turn::Acting { reply, calls } = std::mem::take(&mut self.turn) {
                    self.unsettled.extend(calls.into_iter().filter(|c| !c.closed).map(|c| (reply, c)));
                }
            }
            Event::RolledBack { .. } => self.turn = Turn::Idle,
            Event::RunClaimed { .. }
            | Event::RunReleased { .. }
            | Event::SettingsChanged { .. }
            | Event::ControlRefused { .. }
            | Event::Paused { .. }
            | Event::CancelRequested
            | Event::CallWaiting { .. }
            | Event::CallApproved { .. }
            | Event::CallEdited { .. }
            | Event::CallStarted { .. }
            | Event::TimeoutExtended { .. }
            | Event::CallStopAsked { .. }
            | Event::CallReattached { .. }
            | Event::CallNotStarted { end: None, .. }
            | Event::CallUncertain { .. }
            | Event::CallResolved { result: None, .. }
            | Event::ResultKept { .. }
            | Event::Held { .. }
            | Event::RunReopened { .. }
            | Event::RollbackStarted { .. }
            | Event::RollbackFailed { .. } => {}
        }
        Ok(())
    }

    fn apply_model(&mut self, seq: Seq, event: &Event) -> Result<(), FoldError> {
        let place = |why| FoldError::Place { seq, kind: event.kind(), why };
        if let Event::ModelCalled { step, attempt, epoch, purpose, table, by, .. } = event {
            if !matches!(self.turn, Turn::Idle | Turn::Retry { .. }) {
                return Err(place("the step is not at its model call"));
            }
            if *step != self.step + 1 {
                return Err(place("it is the call of another step"));
            }
            self.turn = Turn::Asking(Asking {
                called: seq,
                attempt: *attempt,
                epoch: *epoch,
                purpose: *purpose,
                prompt: table.prompt(),
                by: by.clone(),
            });
            return Ok(());
        }
        let Turn::Asking(asking) = &self.turn else {
            return Err(place("no request is out"));
        };
        if asking.purpose.is_aside() {
            // Whatever came of it, the conversation stands where it stood; what is made of the reply is an event of its own.
            let why = if let Event::ModelReplied { refused, .. } = event { *refused } else { None };
            match asking.purpose {
                Purpose::Keeper => {
                    let before = if self.keeper.at == self.step { self.keeper.tries } else { 0 };
                    self.keeper = Keeper { at: self.step, tries: before + 1, refused: why };
                }
                Purpose::Turn | Purpose::Report(_) | Purpose::Summary { .. } => {
                    (self.summary_tries, self.summary_refused) = (self.summary_tries + 1, why);
                }
            }
            self.turn = Turn::Idle;
            return Ok(());
        }
        self.turn = match event {
            Event::ModelReplied { calls, tokens, .. } => {
                let count = u32::try_from(calls.len()).unwrap_or(u32::MAX);
                let turn = match asking.purpose {
                    Purpose::Report(limit) => Turn::Reported { limit, reply: seq },
                    Purpose::Turn if calls.is_empty() => Turn::Claiming {
                        reply: seq,
                        goal_version: self.goal_version,
                        results: Vec::new(),
                        calls: Vec::new(),
                    },
                    // An aside was settled above.
                    Purpose::Turn | Purpose::Summary { .. } | Purpose::Keeper => {
                        Turn::Acting { reply: seq, calls: Vec::new() }
                    }
                };
                if calls.is_empty() {
                    self.answer = Some(seq);
                }
                let reported = matches!(turn, Turn::Reported { .. });
                // A report's calls are never run, so it enters the history without them.
                let calls = if reported { 0 } else { count };
                if calls > 0 {
                    self.returned = 0;
                }
                self.messages.push(MessageRef { seq, speaker: Speaker::Agent { calls }, tokens: *tokens });
                turn
            }
            Event::ModelFailed { kind, message, retry_at, .. } => Turn::Retry {
                purpose: asking.purpose,
                attempt: asking.attempt,
                until: *retry_at,
                kind: kind.clone(),
                message: message.clone(),
            },
            Event::ModelAborted { .. } => Turn::Idle,
            other => return Err(FoldError::Place { seq, kind: other.kind(), why: "it is no model event" }),
        };
        Ok(())
    }

    fn turn_calls(&mut self, seq: Seq, event: &Event) -> Result<&mut Vec<TurnCall>, FoldError> {
        match &mut self.turn {
            Turn::Acting { calls, .. } | Turn::Claiming { calls, .. } => Ok(calls),
            Turn::Idle | Turn::Asking(_) | Turn::Retry { .. } | Turn::Reported { .. } => {
                Err(FoldError::Place { seq, kind: event.kind(), why: "the step is not acting" })
            }
        }
    }

    /// Closes a call: its result enters the history behind its reply, by position.
    fn close(&mut self, seq: Seq, event: &Event, call_id: &CallId, tokens: u32) -> Result<(), FoldError> {
        if let Some(at) = self.unsettled.iter().position(|(_, c)| c.call_id == *call_id) {
            let (reply, call) = self.unsettled.remove(at);
            self.record_result(seq, reply, &call, tokens);
            return Ok(());
        }
        let reply = match &self.turn {
            Turn::Acting { reply, .. } | Turn::Claiming { reply, .. } => *reply,
            Turn::Idle | Turn::Asking(_) | Turn::Retry { .. } | Turn::Reported { .. } => {
                // A call of an abandoned timeline is settled later; it has no place in this history.
                return Ok(());
            }
        };
        let Some(call) = self.turn_calls(seq, event)?.iter_mut().find(|c| c.call_id == *call_id) else {
            return Ok(());
        };
        call.closed = true;
        let call = call.clone();
        self.record_result(seq, reply, &call, tokens);
        Ok(())
    }

    fn record_result(&mut self, seq: Seq, reply: Seq, call: &TurnCall, tokens: u32) {
        match call.origin {
            Origin::Check(_) => {}
            Origin::Model => {
                let position = call.position;
                if !self.messages.iter().any(|m| m.seq == reply) {
                    // Its reply was folded meanwhile: the words stand by themselves.
                    self.messages.push(MessageRef { seq, speaker: Speaker::Wakeful, tokens });
                    return;
                }
                let speaker = Speaker::Result { call_id: call.call_id.clone(), reply_seq: reply, position };
                self.insert_result(reply, position, MessageRef { seq, speaker, tokens });
            }
        }
    }

    fn insert_result(&mut self, reply: Seq, position: u32, message: MessageRef) {
        let before = |m: &MessageRef| match &m.speaker {
            Speaker::Result { reply_seq, position: p, .. } => *reply_seq == reply && *p < position,
            Speaker::Agent { .. } => m.seq == reply,
            Speaker::Person | Speaker::Wakeful => false,
        };
        let at = self.messages.iter().rposition(before).map_or(self.messages.len(), |i| i + 1);
        self.messages.insert(at, message);
    }

    fn apply_inner(&mut self, seq: Seq, inner: &InnerEffect) {
        match inner {
            // Kept by the store, in the same commit.
            InnerEffect::Remember { .. } => {}
            InnerEffect::Plan { items } => {
                self.plan.clone_from(items);
                self.plan_edit = None;
            }
            InnerEffect::Note { kind, text } => {
                let note = Note { text: text.clone(), seq, step: self.step + 1 };
                match kind {
                    NoteKind::Fact => push_bounded(&mut self.facts, note),
                    NoteKind::Question => push_bounded(&mut self.questions, note),
                    NoteKind::Answered => self.questions.retain(|q| q.text.trim() != text.trim()),
                }
            }
        }
    }
}

fn push_bounded(notes: &mut Vec<Note>, note: Note) {
    if notes.iter().any(|n| n.text == note.text) {
        return;
    }
    notes.push(note);
    if notes.len() > NOTES_MAX {
        notes.remove(0);
    }
}

/// True if the author is a person.
pub fn by_person(author: &Author) -> bool {
    match author {
        Author::Person(_) => true,
        Author::Agent | Author::Wakeful => false,
    }
}
