//! One step as the loop panel shows it, made from its events.

use crate::run::call::CallStatus;
use crate::run::control::{Author, Resolution};
use crate::run::event::{Event, Hold};
use crate::run::message::FinishReason;
use crate::run::plan::PlanState;
use crate::run::settings::Class;
use crate::run::{
    Body, CallId, Decoded, Envelope, Hash, Millis, Outcome, Purpose, Refused, Seq, StepNo, Usage,
};

/// A text of an event: whole if it is short, else its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text, or the part of it that was read.
    pub shown: String,
    /// The body, to read the rest.
    pub body: Body,
}

impl Text {
    /// The body's own text; nothing yet for one that lies apart in the store.
    pub fn of(body: &Body) -> Self {
        Self { shown: body.inline().unwrap_or_default().to_owned(), body: body.clone() }
    }

    /// True if the store has more of it than is here.
    pub fn is_part(&self) -> bool {
        self.body.len() > self.shown.len() as u64
    }
}

/// How a model call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It has not.
    Open,
    /// With a reply.
    Replied {
        /// Tokens.
        usage: Usage,
        /// Milliseconds to the first token.
        first_token_ms: u64,
        /// Milliseconds in all.
        ms: u64,
        /// How the server ended it.
        finish: FinishReason,
        /// Why nothing was taken of it, if it was a summary or a core.
        refused: Option<Refused>,
    },
    /// With an error.
    Failed {
        /// The kind of failure, by its stable word.
        kind: String,
        /// What happened and what to do, with the server's own words.
        message: String,
        /// When it is tried again; none is never.
        retry_at: Option<Millis>,
    },
    /// It was given up; the words say why.
    Aborted(String),
}

/// A call of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallView {
    /// Its name.
    pub call_id: CallId,
    /// Place in the reply, from 1.
    pub position: u32,
    /// The tool.
    pub tool: String,
    /// Class.
    pub class: Class,
    /// State after the events that were read.
    pub status: CallStatus,
    /// Arguments in force.
    pub args: Text,
    /// Their hash.
    pub args_hash: Hash,
    /// The attempt, from 1; 0 before the first.
    pub attempt: u32,
    /// Why it waits, was approved or ended so; by which rule.
    pub why: String,
    /// What the model got.
    pub result: Option<Text>,
    /// The whole output, where the result holds a part.
    pub output: Option<Body>,
    /// Milliseconds it ran.
    pub ms: Option<u64>,
    /// Since when it is in its state.
    pub since: Millis,
    /// When its last attempt was started; none if none was.
    pub started: Option<Millis>,
    /// Files it was about to change.
    pub files: u32,
    /// True once a person changed its arguments.
    pub edited: bool,
    /// Who decided last.
    pub by: Option<Author>,
    /// A person asked for its end, or for that of the run.
    pub stopped: bool,
    /// It was given up or ended so that the run could go back.
    pub rolled_back: bool,
}

/// Something in a step, in the order it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A request to the model and what came of it.
    Asked {
        /// The `ModelCalled` event.
        seq: Seq,
        /// When it went out.
        at: Millis,
        /// Attempt in the step, from 1.
        attempt: u32,
        /// What for.
        purpose: Purpose,
        /// Tokens of the prompt as we counted them.
        prompt: u32,
        /// What was said.
        text: Option<Text>,
        /// Its reasoning.
        reasoning: Option<Text>,
        /// How it ended.
        ending: Ending,
    },
    /// A call.
    Call(CallView),
    /// Words of a person.
    Person {
        /// The event.
        seq: Seq,
        /// When.
        at: Millis,
        /// The words.
        text: Text,
    },
    /// Words of wakeful to the model: a check that failed.
    Returned {
        /// The event.
        seq: Seq,
        /// The words.
        text: Text,
    },
    /// An acceptance check was run.
    Checked {
        /// The event.
        seq: Seq,
        /// Index in the goal's list.
        index: usize,
        /// True if it passed.
        passed: bool,
        /// What was found.
        detail: String,
    },
    /// The goal was changed.
    Goal {
        /// The event.
        seq: Seq,
        /// When.
        at: Millis,
        /// The new version.
        version: u32,
    },
    /// Older rounds were folded.
    Folded {
        /// The event.
        seq: Seq,
        /// How many.
        rounds: u32,
        /// True if the model wrote the summary.
        by_model: bool,
        /// The model that wrote it, if it is not the run's own.
        by: Option<String>,
        /// Lines that were left out, since they pose as the goal or as instructions.
        left_out: u32,
    },
    /// The run waits until a person says go on.
    Held {
        /// The event.
        seq: Seq,
        /// Why.
        why: Hold,
    },
    /// Another event that a person should see, by its kind's stable name, with its own words if it has some.
    Other {
        /// The event.
        seq: Seq,
        /// When.
        at: Millis,
        /// Kind of the event.
        kind: &'static str,
        /// Its words.
        words: String,
    },
    /// The run is over.
    Ended {
        /// The event.
        seq: Seq,
        /// When.
        at: Millis,
        /// How.
        outcome: Outcome,
    },
}

/// What happened in one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepView {
    /// Its number.
    pub step: StepNo,
    /// First event looked at.
    pub from: Seq,
    /// Last event looked at.
    pub to: Seq,
    /// What happened.
    pub items: Vec<Item>,
    /// Time of the checkpoint; none while the step is open.
    pub committed: Option<Millis>,
}

impl Item {
    /// When a request to the model went out and how it ended; none for everything else.
    pub fn request(&self) -> Option<(Millis, &Ending)> {
        match self {
            Item::Asked { at, ending, .. } => Some((*at, ending)),
            Item::Call(_)
            | Item::Person { .. }
            | Item::Returned { .. }
            | Item::Checked { .. }
            | Item::Goal { .. }
            | Item::Folded { .. }
            | Item::Held { .. }
            | Item::Other { .. }
            | Item::Ended { .. } => None,
        }
    }

    /// The call; none for everything else.
    pub fn call(&self) -> Option<&CallView> {
        match self {
            Item::Call(call) => Some(call),
            Item::Asked { .. }
            | Item::Person { .. }
            | Item::Returned { .. }
            | Item::Checked { .. }
            | Item::Goal { .. }
            | Item::Folded { .. }
            | Item::Held { .. }
            | Item::Other { .. }
            | Item::Ended { .. } => None,
        }
    }

    /// The call, to be changed; none for everything else.
    pub fn call_mut(&mut self) -> Option<&mut CallView> {
        match self {
            Item::Call(call) => Some(call),
            Item::Asked { .. }
            | Item::Person { .. }
            | Item::Returned { .. }
            | Item::Checked { .. }
            | Item::Goal { .. }
            | Item::Folded { .. }
            | Item::Held { .. }
            | Item::Other { .. }
            | Item::Ended { .. } => None,
        }
    }
}

impl StepView {
    /// Requests to the model, the newest first: when each went out, how it ended.
    pub fn requests(&self) -> impl Iterator<Item = (Millis, &Ending)> {
        self.items.iter().rev().filter_map(Item::request)
    }

    /// The step made of its events, those of other timelines left out by the caller.
    pub fn of(step: StepNo, from: Seq, to: Seq, events: &[Envelope]) -> Self {
        let mut view = Self { step, from, to, items: Vec::new(), committed: None };
        for envelope in events {
            if let Decoded::Known(event) = &envelope.event {
                view.take(envelope, event);
            }
        }
        view
    }

    /// The calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &CallView> {
        self.items.iter().filter_map(Item::call)
    }

    /// What the model said last in it.
    pub fn said(&self) -> Option<&Text> {
        self.items.iter().rev().find_map(|item| {
            if let Item::Asked { text: Some(text), purpose, .. } = item
                && !purpose.is_aside()
            {
                return Some(text);
            }
            None
        })
    }

    /// Texts that lie apart in the store and are shown in part, to be read.
    pub fn apart(&mut self) -> impl Iterator<Item = &mut Text> {
        self.items.iter_mut().flat_map(|item| -> Vec<&mut Text> {
            match item {
                Item::Asked { text, reasoning, .. } => text.iter_mut().chain(reasoning).collect(),
                Item::Call(call) => std::iter::once(&mut call.args).chain(&mut call.result).collect(),
                Item::Person { text, .. } | Item::Returned { text, .. } => vec![text],
                Item::Checked { .. }
                | Item::Goal { .. }
                | Item::Folded { .. }
                | Item::Held { .. }
                | Item::Other { .. }
                | Item::Ended { .. } => Vec::new(),
            }
        })
    }

    fn call(&mut self, id: &CallId, change: impl FnOnce(&mut CallView)) {
        if let Some(call) = self.items.iter_mut().filter_map(Item::call_mut).find(|call| call.call_id == *id)
        {
            change(call);
        }
    }

    fn moved(
        &mut self,
        id: &CallId,
        envelope: &Envelope,
        to: CallStatus,
        change: impl FnOnce(&mut CallView),
    ) {
        self.call(id, |call| {
            call.status = to;
            call.since = envelope.at;
            change(call);
        });
    }

    fn ended(&mut self, end: Ending, said: Option<(Text, Option<Text>)>) {
        let open = self.items.iter_mut().rev().find_map(|item| match item {
            Item::Asked { text, reasoning, ending, .. } => Some((text, reasoning, ending)),
            Item::Call(_)
            | Item::Person { .. }
            | Item::Returned { .. }
            | Item::Checked { .. }
            | Item::Goal { .. }
            | Item::Folded { .. }
            | Item::Held { .. }
            | Item::Other { .. }
            | Item::Ended { .. } => None,
        });
        if let Some((text, reasoning, ending)) = open {
            *ending = end;
            if let Some((words, thought)) = said {
                *text = Some(words);
                *reasoning = thought;
            }
        }
    }

    pub(super) fn other(&mut self, envelope: &Envelope, event: &Event, words: impl Into<String>) {
        self.items.push(Item::Other {
            seq: envelope.seq,
            at: envelope.at,
            kind: event.kind(),
            words: words.into(),
        });
    }

    pub(super) fn take(&mut self, envelope: &Envelope, event: &Event) {
        use CallStatus as S;
        let (seq, at) = (envelope.seq, envelope.at);
        let by = || Some(envelope.author.clone());
        match event {
            Event::ModelCalled { attempt, purpose, table, .. } => self.items.push(Item::Asked {
                seq,
                at,
                attempt: *attempt,
                purpose: *purpose,
                prompt: table.prompt(),
                text: None,
                reasoning: None,
                ending: Ending::Open,
            }),
            Event::ModelReplied { text, reasoning, usage, first_token_ms, ms, finish, refused, .. } => {
                let end = Ending::Replied {
                    usage: *usage,
                    first_token_ms: *first_token_ms,
                    ms: *ms,
                    finish: finish.clone(),
                    refused: *refused,
                };
                self.ended(end, Some((Text::of(text), reasoning.as_ref().map(Text::of))));
            }
            Event::ModelFailed { kind, message, retry_at, partial, .. } => {
                let (kind, message) = (kind.clone(), message.clone());
                let said = partial.as_ref().map(|partial| (Text::of(partial), None));
                self.ended(Ending::Failed { kind, message, retry_at: *retry_at }, said);
            }
            Event::ModelAborted { why, partial, .. } => {
                let said = partial.as_ref().map(|partial| (Text::of(partial), None));
                self.ended(Ending::Aborted(why.clone()), said);
            }
            Event::PersonMessage { body, .. } => {
                self.items.push(Item::Person { seq, at, text: Text::of(body) })
            }
            Event::ClaimReturned { result } => {
                self.items.push(Item::Returned { seq, text: Text::of(&result.body) });
            }
            Event::CheckFinished { index, passed, detail, .. } => {
                let detail = detail.clone();
                self.items.push(Item::Checked { seq, index: *index, passed: *passed, detail });
            }
            Event::GoalEdited { version, .. } => self.items.push(Item::Goal { seq, at, version: *version }),
            Event::PlanEdited { items } => {
                let done = items.iter().filter(|item| item.state == PlanState::Done).count();
                self.other(envelope, event, format!("{done}/{}", items.len()));
            }
            Event::RoundsFolded { rounds, by_model, by, left_out, .. } => {
                let (rounds, by_model, by, left_out) = (*rounds, *by_model, by.clone(), *left_out);
                self.items.push(Item::Folded { seq, rounds, by_model, by, left_out });
            }
            Event::Held { why } => self.items.push(Item::Held { seq, why: why.clone() }),
            Event::RunEnded { outcome, .. } => {
                self.cancel_done(outcome);
                self.items.push(Item::Ended { seq, at, outcome: outcome.clone() });
            }
            Event::StepCommitted { .. } => self.committed = Some(at),
            Event::SettingsChanged { why, .. } => self.other(envelope, event, why.as_str()),
            Event::ControlRefused { control, why } => {
                if matches!(control.as_str(), "roll back" | "redo") {
                    self.ended_by_rollback();
                }
                self.other(envelope, event, format!("{control}: {why}"))
            }
            Event::RunReopened { why } | Event::RollbackFailed { why } => {
                self.other(envelope, event, why.as_str());
            }
            Event::Paused { .. }
            | Event::Continued
            | Event::RolledBack { .. }
            | Event::InstructionsRead { .. } => self.other(envelope, event, ""),
            Event::CancelRequested => {
                self.each_call(|call| call.stopped |= !call.status.is_closed());
                self.other(envelope, event, "");
            }
            Event::RollbackStarted { .. } => {
                self.ended_by_rollback();
                self.other(envelope, event, "");
            }
            Event::CallStopAsked { call_id } => self.call(call_id, |call| call.stopped = true),
            Event::CoreKept { text, by, left_out, .. } => {
                let by = by.as_deref().unwrap_or_default();
                self.other(envelope, event, format!("{by}\n{left_out}\n{text}"));
            }
            Event::ResultKept { memory, .. } => self.other(envelope, event, memory.text.as_str()),
            Event::OutputsDropped { seqs, kept, .. } => {
                self.outputs_dropped(envelope, event, seqs.len(), *kept)
            }
            Event::MemoriesRecalled { words_alone: Some(why), .. } => {
                self.other(envelope, event, why.as_str());
            }
            Event::MemoriesRecalled { words_alone: None, .. }
            | Event::MessagesRecounted { .. }
            | Event::TimeoutExtended { .. }
            | Event::RunCreated { .. }
            | Event::RunClaimed { .. }
            | Event::RunReleased { .. } => {}
            Event::CallProposed(proposal) => self.items.push(Item::Call(CallView {
                call_id: proposal.call_id.clone(),
                position: proposal.position,
                tool: proposal.tool.clone(),
                class: proposal.class,
                status: S::Proposed,
                args: Text::of(&proposal.args),
                args_hash: proposal.args_hash.clone(),
                attempt: 0,
                why: String::new(),
                result: None,
                output: None,
                ms: None,
                since: envelope.at,
                started: None,
                files: 0,
                edited: false,
                by: None,
                stopped: false,
                rolled_back: false,
            })),
            Event::CallWaiting { call_id, why, .. } => {
                self.moved(call_id, envelope, S::Waiting, |call| call.why = why.clone());
            }
            Event::CallApproved { call_id, why, .. } => self.moved(call_id, envelope, S::Approved, |call| {
                call.why = why.clone();
                call.by = by();
            }),
            Event::CallEdited { call_id, args, args_hash, .. } => self.call(call_id, |call| {
                call.args = Text::of(args);
                call.args_hash = args_hash.clone();
                call.edited = true;
            }),
            Event::CallRejected { call_id, kind, result } => {
                self.moved(call_id, envelope, S::Rejected, |call| {
                    call.why = kind.clone();
                    call.result = Some(Text::of(&result.body));
                });
            }
            Event::CallDenied { call_id, reason, result } => {
                self.moved(call_id, envelope, S::Denied, |call| {
                    call.why = reason.clone();
                    call.by = by();
                    call.result = Some(Text::of(&result.body));
                });
            }
            Event::CallCancelled { call_id, why, result } => {
                self.moved(call_id, envelope, S::Cancelled, |call| {
                    call.rolled_back = why == super::ended::ROLLED_BACK;
                    call.why = why.clone();
                    call.result = Some(Text::of(&result.body));
                });
            }
            Event::CallReused { call_id, ok, result, output, .. } => {
                self.moved(call_id, envelope, if *ok { S::Done } else { S::Failed }, |call| {
                    call.by = by();
                    call.result = Some(Text::of(&result.body));
                    call.output.clone_from(output);
                });
            }
            Event::CallAnswered { call_id, result, by_default } => {
                self.moved(call_id, envelope, S::Done, |call| {
                    call.by = by();
                    if let Some(why) = by_default {
                        call.why.clone_from(why);
                    }
                    call.result = Some(Text::of(&result.body));
                })
            }
            Event::CallStarted { call_id, attempt, files, .. } => {
                self.moved(call_id, envelope, S::Started, |call| {
                    call.attempt = *attempt;
                    call.started = Some(envelope.at);
                    call.files = u32::try_from(files.len()).unwrap_or(u32::MAX);
                });
            }
            Event::CallNotStarted { call_id, why, end, .. } => {
                let status = end
                    .as_ref()
                    .map_or(S::Approved, |end| if end.cancelled { S::Cancelled } else { S::Failed });
                self.moved(call_id, envelope, status, |call| {
                    call.why = why.clone();
                    call.result = end.as_ref().map(|end| Text::of(&end.result.body));
                });
            }
            Event::CallFinished { call_id, ok, kind, result, output, ms, .. } => {
                let status = if *ok { S::Done } else { S::Failed };
                self.moved(call_id, envelope, status, |call| {
                    if let Some(kind) = kind {
                        call.why = kind.clone();
                    }
                    call.result = Some(Text::of(&result.body));
                    call.output = output.clone();
                    call.ms = Some(*ms);
                });
            }
            Event::CallUncertain { call_id, why, .. } => {
                self.moved(call_id, envelope, S::Uncertain, |call| call.why = why.clone());
            }
            Event::CallResolved { call_id, resolution, result } => {
                let status = match resolution {
                    Resolution::Happened => S::Done,
                    Resolution::Rerun => S::Approved,
                    Resolution::Skip => S::Cancelled,
                };
                self.moved(call_id, envelope, status, |call| {
                    call.by = by();
                    call.result = result.as_ref().map(|result| Text::of(&result.body));
                });
            }
            // Another worker watches the same attempt: nothing that a person has to know.
            Event::CallReattached { .. } => {}
        }
    }
}
