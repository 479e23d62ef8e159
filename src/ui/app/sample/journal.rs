//! A journal in memory: events are folded as they come, and the rows that the store would keep are made of them.

use crate::run::budget_table::{BudgetTable, Slot, SlotRow, Trim};
use crate::run::checkpoint::{Checkpoint, CheckpointKind, FileChange, FileState};
use crate::run::event::{Proposal, RequestParts};
use crate::run::message::{FinishReason, ReplyCall};
use crate::run::plan::{InnerEffect, NoteKind};
use crate::run::state::Path;
use crate::run::{
    Author, Body, CallId, CallStatus, Class, Decoded, Envelope, Event, Hash, Millis, Origin, Purpose,
    ResultText, RunId, RunState, Seq, StepNo, Usage,
};
use crate::store::{CallRow, CheckpointRow};
use crate::ui::feed::{StepSpan, StepView};
use serde_json::{Value, json};
use std::collections::HashMap;

/// How a call of the story goes.
pub enum Goes {
    /// It ends well after so many milliseconds.
    Done(u64),
    /// It ends badly after so many milliseconds.
    Fails(u64),
    /// A person says no, with these words.
    Denied(&'static str),
    /// It waits.
    Waits,
}

/// A call of the story.
pub struct Does {
    pub tool: &'static str,
    pub class: Class,
    pub args: Value,
    pub goes: Goes,
    pub result: String,
    pub files: &'static [&'static str],
}

/// A call that ends well.
pub fn does(tool: &'static str, class: Class, args: Value, ms: u64, result: impl Into<String>) -> Does {
    Does { tool, class, args, goes: Goes::Done(ms), result: result.into(), files: &[] }
}

pub fn you() -> Author {
    Author::Person("tui".to_owned())
}

pub fn result(text: impl Into<String>) -> ResultText {
    ResultText { body: Body::Inline(text.into()), tokens: 40 }
}

/// The journal of a run with all that is derived from it.
pub struct Journal {
    pub state: RunState,
    pub events: Vec<Envelope>,
    pub checkpoints: Vec<CheckpointRow>,
    pub calls: Vec<CallRow>,
    pub now: Millis,
    paths: HashMap<Seq, Path>,
    files: u32,
}

impl Journal {
    pub fn new(run: &str, now: Millis) -> Self {
        Self {
            state: RunState::new(RunId::new(run)),
            events: Vec::new(),
            checkpoints: Vec::new(),
            calls: Vec::new(),
            now,
            paths: HashMap::new(),
            files: 0,
        }
    }

    pub fn push(&mut self, author: Author, event: Event) -> Seq {
        let seq = self.state.head.seq + 1;
        let timeline = match &event {
            Event::RolledBack { timeline, .. } => *timeline,
            _ => self.state.head.timeline,
        };
        let parent = self.state.head.seq;
        let event = Decoded::Known(Box::new(event));
        let envelope = Envelope { seq, timeline, parent, at: self.now, author, event };
        match &envelope.event {
            Decoded::Known(known) => match known.as_ref() {
                Event::RolledBack { to_seq, .. } => {
                    let path = self.paths[to_seq].clone();
                    self.state.roll_back(&envelope, path).unwrap();
                }
                _ => self.state.apply(&envelope).unwrap(),
            },
            Decoded::Unknown { .. } => unreachable!(),
        }
        self.events.push(envelope);
        seq
    }

    /// A whole step: what the agent says, its calls, and its checkpoint at `at` unless a call waits.
    pub fn step(
        &mut self,
        says: &str,
        thinks: Option<&str>,
        usage: Usage,
        calls: Vec<Does>,
        at: Option<Millis>,
    ) {
        let step = self.state.path.step + 1;
        let epoch = self.state.ledger.epoch;
        let parts = RequestParts { hash: Hash::of(b"request"), render: 1, max_tokens: 4_096 };
        let table = table();
        self.push(
            Author::Wakeful,
            Event::ModelCalled {
                step,
                attempt: 1,
                epoch,
                purpose: Purpose::Turn,
                table,
                request: parts,
                by: None,
            },
        );
        self.now += 9_800;
        let body = |text: &str| Body::Inline(text.to_owned());
        let asked = calls.iter().map(|does| ReplyCall {
            provider_id: None,
            name: does.tool.to_owned(),
            arguments: Body::Inline(does.args.to_string()),
        });
        let reply = Event::ModelReplied {
            text: body(says),
            reasoning: thinks.map(body),
            calls: asked.collect(),
            finish: FinishReason::ToolCalls,
            usage,
            tokens: u32::try_from(usage.completion).unwrap(),
            first_token_ms: 800,
            ms: 9_800,
            refused: None,
        };
        let reply = self.push(Author::Agent, reply);
        let ids: Vec<(usize, CallId)> = calls
            .iter()
            .enumerate()
            .map(|(at, does)| (at, self.propose(step, u32::try_from(at + 1).unwrap(), reply, does)))
            .collect();
        for (at, id) in ids {
            self.go(&id, &calls[at]);
        }
        if let Some(at) = at {
            self.now = at;
            let seq = self.push(Author::Wakeful, Event::StepCommitted { step });
            self.checkpoint(seq, step, CheckpointKind::Step);
        }
    }

    pub fn checkpoint(&mut self, seq: Seq, step: StepNo, kind: CheckpointKind) {
        self.paths.insert(seq, self.state.path.clone());
        let tokens = self.state.ledger.totals.charged;
        let timeline = self.state.head.timeline;
        let checkpoint = Checkpoint { seq, timeline, step, kind, at: self.now, tokens };
        self.checkpoints.push(CheckpointRow { checkpoint, files: std::mem::take(&mut self.files), made: 0 });
    }

    fn propose(&mut self, step: StepNo, position: u32, reply_seq: Seq, does: &Does) -> CallId {
        let seq = self.state.head.seq + 1;
        let call_id = CallId::of(&self.state.run, seq);
        let args = Body::Inline(does.args.to_string());
        let hash = Hash::of_parts(&[does.tool.as_bytes(), does.args.to_string().as_bytes()]);
        let proposal = Proposal {
            call_id: call_id.clone(),
            origin: Origin::Model,
            reply_seq,
            step,
            position,
            tool: does.tool.to_owned(),
            class: does.class,
            args: args.clone(),
            args_hash: hash.clone(),
            effect_key: hash.clone(),
        };
        self.calls.push(CallRow {
            call_id: call_id.clone(),
            run: self.state.run.clone(),
            seq,
            timeline: self.state.head.timeline,
            step,
            position,
            origin: Origin::Model,
            tool: does.tool.to_owned(),
            class: does.class,
            status: CallStatus::Proposed,
            args_hash: hash.clone(),
            effect_key: hash,
            attempt: 1,
            spool_epoch: 0,
            why: None,
            args,
            result: None,
            output: None,
            decided_by: None,
            since: self.now,
            ended: None,
            ms: None,
        });
        self.push(Author::Agent, Event::CallProposed(proposal));
        call_id
    }

    fn row(&mut self, id: &CallId, status: CallStatus, why: Option<&str>) -> &mut CallRow {
        let now = self.now;
        let row = self.calls.iter_mut().find(|row| row.call_id == *id).unwrap();
        row.status = status;
        row.since = now;
        row.ended = status.is_closed().then_some(now);
        row.why = why.map(str::to_owned).or_else(|| row.why.take());
        row
    }

    fn go(&mut self, id: &CallId, does: &Does) {
        let call_id = || id.clone();
        let asks = does.class == Class::Effect;
        let why = "mode ask: a call with an effect waits for you";
        if asks {
            self.push(
                Author::Wakeful,
                Event::CallWaiting { call_id: call_id(), why: why.to_owned(), default: None },
            );
            self.row(id, CallStatus::Waiting, Some(why));
        }
        let (ok, ms) = match does.goes {
            Goes::Waits => return,
            Goes::Denied(reason) => {
                let told = result(format!("denied by a person: {reason}"));
                if !asks {
                    self.push(
                        Author::Wakeful,
                        Event::CallWaiting { call_id: call_id(), why: why.to_owned(), default: None },
                    );
                }
                self.row(id, CallStatus::Denied, Some(reason)).decided_by = Some(you());
                self.row(id, CallStatus::Denied, None).result = Some(told.body.clone());
                let reason = reason.to_owned();
                self.push(you(), Event::CallDenied { call_id: call_id(), reason, result: told });
                return;
            }
            Goes::Done(ms) => (true, ms),
            Goes::Fails(ms) => (false, ms),
        };
        let args_hash = self.calls.iter().find(|row| row.call_id == *id).unwrap().args_hash.clone();
        let (author, why) = match asks {
            true => (you(), "a person approved it"),
            false => (Author::Wakeful, "it only reads"),
        };
        self.row(id, CallStatus::Approved, Some(why)).decided_by = Some(author.clone());
        self.push(
            author,
            Event::CallApproved { call_id: call_id(), args_hash, why: why.to_owned(), shown: None },
        );
        let change = |path: &&str| FileChange {
            path: (*path).to_owned(),
            before: FileState::Absent,
            after: FileState::File { hash: Hash::of(path.as_bytes()), len: 2_150, mode: 0o644 },
            made: Vec::new(),
        };
        let files = does.files.iter().map(change).collect();
        self.files += u32::try_from(does.files.len()).unwrap();
        let epoch = self.state.ledger.epoch;
        self.push(Author::Wakeful, Event::CallStarted { call_id: call_id(), attempt: 1, epoch, files });
        self.now += i64::try_from(ms).unwrap();
        let told = result(does.result.clone());
        let status = if ok { CallStatus::Done } else { CallStatus::Failed };
        let row = self.row(id, status, None);
        (row.result, row.ms) = (Some(told.body.clone()), Some(ms));
        let finished = Event::CallFinished {
            call_id: call_id(),
            attempt: 1,
            ok,
            kind: (!ok).then(|| "exit".to_owned()),
            result: told,
            output: None,
            ms,
            inner: inner(does),
        };
        self.push(Author::Wakeful, finished);
    }

    /// The committed steps of the present timeline, and what each of them shows.
    pub fn spans(&self) -> Vec<(StepSpan, StepView)> {
        let mut from = 1;
        let mut spans = Vec::new();
        let steps = self.checkpoints.iter().map(|row| &row.checkpoint);
        for point in steps.filter(|point| point.kind == CheckpointKind::Step && self.here(point.seq)) {
            let (step, timeline) = (point.step, point.timeline);
            spans.push((StepSpan { step, timeline, from, to: point.seq }, self.view(step, from, point.seq)));
            from = point.seq + 1;
        }
        spans
    }

    /// What the step in progress shows.
    pub fn open(&self) -> StepView {
        let from = self.spans().last().map_or(1, |(span, _)| span.to + 1);
        self.view(self.state.path.step + 1, from, self.state.head.seq)
    }

    fn view(&self, step: StepNo, from: Seq, to: Seq) -> StepView {
        let events = self.events.iter().filter(|e| (from..=to).contains(&e.seq)).cloned();
        let (here, left): (Vec<_>, Vec<_>) = events.partition(|e| self.here(e.seq));
        let mut view = StepView::of(step, from, to, &here);
        view.tell_ended(&left);
        view
    }

    /// Whether an event lies on the present timeline.
    fn here(&self, seq: Seq) -> bool {
        let timeline = self.events.iter().find(|e| e.seq == seq).map(|e| e.timeline);
        let end = (Seq::MAX, self.state.head.timeline);
        crate::agent::rollback::on_chain(&self.state.ledger.timelines, end, (seq, timeline.unwrap_or(1)))
    }
}

fn inner(does: &Does) -> Option<InnerEffect> {
    let text = does.args.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    match does.tool {
        "note" if does.args["kind"] == json!("question") => {
            Some(InnerEffect::Note { kind: NoteKind::Question, text })
        }
        "note" => Some(InnerEffect::Note { kind: NoteKind::Fact, text }),
        "plan" => {
            Some(InnerEffect::Plan { items: serde_json::from_value(does.args["items"].clone()).unwrap() })
        }
        _ => None,
    }
}

/// The budget table of the mock-ups.
pub fn table() -> BudgetTable {
    let trim = |what: &str, why: &str, tokens| Trim { what: what.to_owned(), why: why.to_owned(), tokens };
    let row = |slot, used, budget, items, trimmed| SlotRow { slot, used, budget, items, trimmed };
    let recent =
        vec![trim("2 rounds", "folded", 3_918), trim("2 old outputs", "dropped to save room", 1_204)];
    BudgetTable {
        rows: vec![
            row(Slot::System, 1_184, 1_500, 2, Vec::new()),
            row(Slot::Tools, 2_716, 3_000, 13, Vec::new()),
            row(Slot::Goal, 412, 800, 1, Vec::new()),
            row(Slot::Core, 238, 500, 1, Vec::new()),
            row(Slot::Summary, 2_640, 4_000, 1, Vec::new()),
            row(Slot::Recent, 12_207, 15_372, 8, recent),
            row(Slot::LongTerm, 1_311, 2_000, 4, Vec::new()),
            row(Slot::State, 903, 1_500, 4, Vec::new()),
            row(Slot::Reserve, 4_096, 4_096, 0, Vec::new()),
        ],
        window: 32_768,
        tokenizer: "tokenizer.json".to_owned(),
        exact: true,
        learnt: None,
        since_start: Vec::new(),
        next: Some(Slot::Recent),
    }
}
