//! Tests of `run`: the fold, and a journal in memory that other suites use.

use std::path::PathBuf;
use wakeful::run::call::{CallMove, CallStatus};
use wakeful::run::checkpoint::CheckpointKind;
use wakeful::run::earlier::Superseded;
use wakeful::run::event::{JOURNAL_FORMAT, Proposal, RequestParts, decode};
use wakeful::run::fold::FoldError;
use wakeful::run::message::FinishReason;
use wakeful::run::settings::{ContextSettings, ModelSettings, Protocol};
use wakeful::run::*;

/// Settings with one tool of each class.
pub fn settings() -> Settings {
    let tool = |name: &str, class| ToolSpec {
        name: name.to_owned(),
        description: format!("the tool {name}"),
        parameters: serde_json::json!({"type": "object"}),
        class,
        timeout_ms: Some(30_000),
        max_calls: None,
    };
    Settings {
        mode: Mode::Ask,
        limits: Limits::default(),
        rules: Vec::new(),
        tools: vec![
            tool("read_file", Class::Read),
            tool("write_file", Class::Keyed),
            tool("shell", Class::Effect),
            tool("note", Class::Inner),
            tool("ask_person", Class::Person),
        ],
        model: ModelSettings {
            profile: "offline".to_owned(),
            model: "offline".to_owned(),
            base_url: String::new(),
            offline: true,
            window: 32_768,
            reserve: 4_096,
            protocol: Protocol::Native,
            tokenizer: "estimate".to_owned(),
            tokenizer_file: None,
            exact: false,
            calibration: None,
            learnt_window: None,
            price: None,
            temperature: None,
            send_reasoning: false,
            state_at_head: false,
        },
        summary_model: None,
        context: ContextSettings::default(),
        decide_after_ms: None,
        keep_results: true,
        max_results: 200,
        prompts: "test".to_owned(),
        program: "test".to_owned(),
    }
}

/// The first event of a run.
pub fn created(goal: Goal) -> Event {
    Event::RunCreated {
        format: JOURNAL_FORMAT,
        title: "a run".to_owned(),
        goal,
        workspace: PathBuf::from("/tmp"),
        settings: Box::new(settings()),
    }
}

/// A text as a result.
pub fn result(text: &str) -> ResultText {
    ResultText { body: Body::Inline(text.to_owned()), tokens: 10 }
}

/// A journal in memory: folds what is pushed and keeps every state.
pub struct Journal {
    /// The present state.
    pub state: RunState,
    /// All events.
    pub envelopes: Vec<Envelope>,
    /// The state after each event; index 0 is before the first.
    pub states: Vec<RunState>,
    /// The time.
    pub now: Millis,
}

impl Journal {
    /// A journal that begins with `RunCreated` and a claim.
    pub fn new(goal: Goal) -> Self {
        let state = RunState::new(RunId::new("r-test"));
        let mut journal = Self { states: vec![state.clone()], state, envelopes: Vec::new(), now: 1_000 };
        journal.push(created(goal)).unwrap();
        journal.claim();
        journal
    }

    /// A new worker takes the run.
    pub fn claim(&mut self) {
        let epoch = self.state.ledger.epoch + 1;
        self.push(Event::RunClaimed { epoch, worker: WorkerId::new(format!("w{epoch}")) }).unwrap();
    }

    /// Seq of the next event.
    pub fn next_seq(&self) -> Seq {
        self.state.head.seq + 1
    }

    /// Folds an event, or says why it cannot follow.
    pub fn push(&mut self, event: Event) -> Result<(), FoldError> {
        self.now += 1;
        let (timeline, parent) = match &event {
            Event::RolledBack { to_seq, timeline, .. } => (*timeline, *to_seq),
            _ => (self.state.head.timeline, self.state.head.seq),
        };
        let envelope = Envelope {
            seq: self.next_seq(),
            timeline,
            parent,
            at: self.now,
            author: Author::Wakeful,
            event: Decoded::Known(Box::new(event.clone())),
        };
        let mut state = self.state.clone();
        match &event {
            Event::RolledBack { to_seq, .. } => {
                let path = self.states[*to_seq as usize].path.clone();
                state.roll_back(&envelope, path)?;
            }
            _ => state.apply(&envelope)?,
        }
        self.state = state;
        self.states.push(self.state.clone());
        self.envelopes.push(envelope);
        Ok(())
    }

    /// The request of the next step goes out.
    pub fn ask(&mut self, purpose: Purpose, attempt: u32) {
        let table = budget_table::BudgetTable {
            rows: Vec::new(),
            window: 1,
            tokenizer: "t".to_owned(),
            exact: false,
            learnt: None,
            since_start: Vec::new(),
            next: None,
        };
        self.push(Event::ModelCalled {
            step: self.state.path.step + 1,
            attempt,
            epoch: self.state.ledger.epoch,
            purpose,
            table,
            request: RequestParts { hash: Hash::of(b"r"), render: 1, max_tokens: 100 },
            by: None,
        })
        .unwrap();
    }

    /// A reply with these calls comes in; returns their ids.
    pub fn reply(&mut self, calls: &[(&str, Class)]) -> Vec<CallId> {
        let reply = self.next_seq();
        self.push(Event::ModelReplied {
            text: Body::Inline("words".to_owned()),
            reasoning: None,
            calls: calls
                .iter()
                .map(|(name, _)| message::ReplyCall {
                    provider_id: None,
                    name: (*name).to_owned(),
                    arguments: Body::Inline("{}".to_owned()),
                })
                .collect(),
            finish: FinishReason::Stop,
            usage: Usage { prompt: 100, completion: 10, cached: 0, estimated: false },
            tokens: 20,
            first_token_ms: 1,
            ms: 2,
            refused: None,
        })
        .unwrap();
        let mut ids = Vec::new();
        for (at, (tool, class)) in calls.iter().enumerate() {
            ids.push(self.propose(reply, at as u32 + 1, tool, *class, Origin::Model));
        }
        ids
    }

    /// A call is proposed.
    pub fn propose(&mut self, reply: Seq, position: u32, tool: &str, class: Class, origin: Origin) -> CallId {
        let call_id = CallId::of(&self.state.run, self.next_seq());
        let key = Hash::of(format!("{tool}{}", self.next_seq()).as_bytes());
        self.push(Event::CallProposed(Proposal {
            call_id: call_id.clone(),
            origin,
            reply_seq: reply,
            step: self.state.path.step + 1,
            position,
            tool: tool.to_owned(),
            class,
            args: Body::Inline("{}".to_owned()),
            args_hash: key.clone(),
            effect_key: key,
        }))
        .unwrap();
        call_id
    }

    /// The call is approved.
    pub fn approve(&mut self, call_id: &CallId) {
        let args_hash = self.state.open_call(call_id).unwrap().args_hash.clone();
        self.push(Event::CallApproved {
            call_id: call_id.clone(),
            args_hash,
            why: "test".to_owned(),
            shown: None,
        })
        .unwrap();
    }

    /// The approved call is started.
    pub fn start(&mut self, call_id: &CallId) -> Result<(), FoldError> {
        let attempt = self.state.open_call(call_id).map_or(1, |c| c.attempt);
        let epoch = self.state.ledger.epoch;
        self.push(Event::CallStarted { call_id: call_id.clone(), attempt, epoch, files: Vec::new() })
    }

    /// The started call ends.
    pub fn finish(&mut self, call_id: &CallId, ok: bool, text: &str) {
        let attempt = self.state.open_call(call_id).unwrap().attempt;
        self.push(Event::CallFinished {
            call_id: call_id.clone(),
            attempt,
            ok,
            kind: (!ok).then(|| "exit".to_owned()),
            result: result(text),
            output: None,
            ms: 5,
            inner: None,
        })
        .unwrap();
    }

    /// The step is committed.
    pub fn commit_step(&mut self) {
        self.push(Event::StepCommitted { step: self.state.path.step + 1 }).unwrap();
    }
}

/// A goal without checks.
pub fn goal() -> Goal {
    Goal { text: "do it".to_owned(), ..Goal::default() }
}

#[test]
fn only_the_listed_moves_of_a_call_are_possible() {
    use CallMove as M;
    use CallStatus as S;
    let statuses = [
        S::Proposed,
        S::Waiting,
        S::Approved,
        S::Started,
        S::Done,
        S::Failed,
        S::Rejected,
        S::Denied,
        S::Cancelled,
        S::Uncertain,
    ];
    let moves = [
        M::Wait,
        M::Approve,
        M::Reject,
        M::Deny,
        M::Cancel,
        M::Answer,
        M::Reuse,
        M::ReuseFailed,
        M::Start,
        M::Reattach,
        M::Finish,
        M::Fail,
        M::Doubt,
        M::NotStarted,
        M::NotStartedCancel,
        M::Rerun,
        M::Skip,
    ];
    let mut allowed: Vec<(S, S)> = Vec::new();
    for from in statuses {
        for step in moves {
            if let Ok(to) = from.after(step) {
                assert!(!from.is_closed(), "{from:?} is closed and moved by {step:?}");
                if !allowed.contains(&(from, to)) {
                    allowed.push((from, to));
                }
            }
        }
    }
    let listed = [
        (S::Proposed, S::Waiting),
        (S::Proposed, S::Approved),
        (S::Proposed, S::Rejected),
        (S::Proposed, S::Cancelled),
        (S::Waiting, S::Approved),
        (S::Waiting, S::Denied),
        (S::Waiting, S::Cancelled),
        (S::Waiting, S::Done),
        (S::Waiting, S::Failed),
        (S::Approved, S::Started),
        (S::Approved, S::Waiting),
        (S::Approved, S::Rejected),
        (S::Approved, S::Cancelled),
        (S::Started, S::Started),
        (S::Started, S::Done),
        (S::Started, S::Failed),
        (S::Started, S::Uncertain),
        (S::Started, S::Approved),
        (S::Started, S::Cancelled),
        (S::Uncertain, S::Done),
        (S::Uncertain, S::Failed),
        (S::Uncertain, S::Approved),
        (S::Uncertain, S::Cancelled),
    ];
    for pair in &allowed {
        assert!(listed.contains(pair), "{pair:?} is not in the list");
    }
    assert_eq!(allowed.len(), listed.len());
}

#[test]
fn a_started_call_cannot_start_again() {
    let mut journal = Journal::new(goal());
    journal.ask(Purpose::Turn, 1);
    let ids = journal.reply(&[("shell", Class::Effect)]);
    assert!(journal.start(&ids[0]).is_err(), "a proposed call must not start");
    journal.approve(&ids[0]);
    journal.start(&ids[0]).unwrap();
    assert!(matches!(journal.start(&ids[0]), Err(FoldError::Call { .. })));
}

#[test]
fn approval_binds_to_the_arguments() {
    let mut journal = Journal::new(goal());
    journal.ask(Purpose::Turn, 1);
    let ids = journal.reply(&[("shell", Class::Effect)]);
    let wrong = Event::CallApproved {
        call_id: ids[0].clone(),
        args_hash: Hash::of(b"x"),
        why: String::new(),
        shown: None,
    };
    assert!(matches!(journal.push(wrong), Err(FoldError::Place { .. })));
}

#[test]
fn results_enter_the_history_by_position_and_messages_after_them() {
    let mut journal = Journal::new(goal());
    journal.ask(Purpose::Turn, 1);
    let ids = journal.reply(&[("read_file", Class::Read), ("read_file", Class::Read)]);
    for id in &ids {
        journal.approve(id);
        journal.start(id).unwrap();
    }
    journal.push(Event::PersonMessage { body: Body::Inline("hello".to_owned()), tokens: 3 }).unwrap();
    journal.finish(&ids[1], true, "second");
    journal.finish(&ids[0], true, "first");
    let order: Vec<String> = journal
        .state
        .path
        .messages
        .iter()
        .map(|m| match &m.speaker {
            message::Speaker::Agent { .. } => "agent".to_owned(),
            message::Speaker::Result { position, .. } => format!("result {position}"),
            message::Speaker::Person => "person".to_owned(),
            message::Speaker::Wakeful => "wakeful".to_owned(),
        })
        .collect();
    assert_eq!(order, ["agent", "result 1", "result 2", "person"]);
    assert!(wakeful::agent::invariants::broken(&journal.state).is_empty());
}

#[test]
fn rolling_back_restores_the_path_and_keeps_the_ledger() {
    let mut journal = Journal::new(goal());
    for _ in 0..3 {
        journal.ask(Purpose::Turn, 1);
        let ids = journal.reply(&[("shell", Class::Effect)]);
        journal.approve(&ids[0]);
        journal.start(&ids[0]).unwrap();
        journal.finish(&ids[0], true, "ok");
        journal.commit_step();
    }
    let step_one = journal
        .envelopes
        .iter()
        .find(|e| matches!(&e.event, Decoded::Known(k) if **k == Event::StepCommitted { step: 1 }))
        .unwrap()
        .seq;
    journal.push(Event::GoalEdited { version: 2, goal: goal() }).unwrap();
    let edited = journal.state.head.seq;
    assert_eq!(journal.state.path.superseded, Some(Superseded { version: 1, step: 4, seq: edited }));
    let before = journal.state.clone();
    journal
        .push(Event::RollbackStarted {
            to_seq: step_one,
            to_step: 1,
            files: Vec::new(),
            redo: false,
            chosen: Default::default(),
        })
        .unwrap();
    journal.push(Event::RolledBack { to_seq: step_one, timeline: 2, kept: Vec::new(), over: false }).unwrap();
    assert_eq!(journal.state.path.step, 1);
    // The goal stays, and the step in which it was changed is not one that is still to come.
    assert_eq!(journal.state.path.goal_version, 2);
    assert_eq!(journal.state.path.superseded, Some(Superseded { version: 1, step: 2, seq: edited }));
    assert_eq!(journal.state.path.messages, journal.states[step_one as usize].path.messages);
    assert_eq!(journal.state.ledger.totals, before.ledger.totals);
    assert_eq!(journal.state.head.timeline, 2);
    assert_eq!(journal.state.ledger.timelines[1].parent_seq, step_one);
    assert_eq!(journal.state.ledger.redo, [before.head.seq + 1]);
}

#[test]
fn an_unknown_kind_is_kept_and_counted_and_a_bad_payload_is_an_error() {
    let unknown = decode("teleported", 1, br#"{"teleported":{}}"#).unwrap();
    assert!(matches!(unknown, Decoded::Unknown { .. }));
    let newer = decode("continued", 7, br#""continued""#).unwrap();
    assert!(matches!(newer, Decoded::Unknown { version: 7, .. }));
    assert!(decode("continued", 1, b"{").is_err());
    assert!(decode("paused", 1, br#""continued""#).is_err());
    let mut state = RunState::new(RunId::new("r-x"));
    let envelope =
        Envelope { seq: 1, timeline: 1, parent: 0, at: 0, author: Author::Wakeful, event: unknown };
    state.apply(&envelope).unwrap();
    assert_eq!(state.ledger.unknown, 1);
}

#[test]
fn every_event_survives_its_payload() {
    let event = created(Goal {
        text: "目标".to_owned(),
        constraints: vec!["a".to_owned()],
        checks: vec!["contains:a.txt:x:y".parse().unwrap(), "human".parse().unwrap()],
    });
    let payload = event.payload().unwrap();
    let Decoded::Known(back) = decode(event.kind(), event.version(), &payload).unwrap() else {
        panic!("it is known")
    };
    assert_eq!(*back, event);
}

#[test]
fn checks_are_read_and_written_alike_and_bad_ones_are_explained() {
    for text in
        ["file:a b", "contains:p:t:u", "answer-contains:x", "min-chars:12", "regex:^a+$", "cmd:true", "human"]
    {
        assert_eq!(text.parse::<Check>().unwrap().to_string(), text);
    }
    for text in ["", "file:", "contains:p", "min-chars:x", "regex:(", "wish:x"] {
        let error = text.parse::<Check>().unwrap_err().to_string();
        assert!(error.contains("cmd:COMMAND"), "{error}");
    }
}

#[test]
fn the_checkpoints_are_start_step_end_and_before_a_rollback() {
    use wakeful::run::fold_ledger::checkpoint_kind;
    assert_eq!(checkpoint_kind(&created(goal())), Some(CheckpointKind::Start));
    assert_eq!(checkpoint_kind(&Event::StepCommitted { step: 1 }), Some(CheckpointKind::Step));
    assert_eq!(checkpoint_kind(&Event::Continued), None);
}

#[test]
fn cost_counts_cached_tokens_at_their_own_price() {
    let price = settings::Price { prompt: 1_000_000, cached: 100_000, completion: 2_000_000 };
    let usage = Usage { prompt: 1_000, completion: 100, cached: 400, estimated: false };
    assert_eq!(usage.cost_micro(&price), 600 + 40 + 200);
    assert_eq!(usage.charged(), 700);
}
