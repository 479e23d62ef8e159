//! A store in a folder of its own, and a run that lives through steps as a worker would write them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use wakeful::run::budget_table::BudgetTable;
use wakeful::run::checkpoint::FileChange;
use wakeful::run::event::{Proposal, RequestParts};
use wakeful::run::message::FinishReason;
use wakeful::run::settings::{ContextSettings, ModelSettings, Protocol};
use wakeful::run::*;
use wakeful::store::*;

/// A store that lives as long as its folder.
pub struct Bench {
    pub folder: tempfile::TempDir,
    pub store: Store,
    pub living: Arc<Mutex<BTreeSet<String>>>,
}

pub fn options(path: PathBuf, living: &Arc<Mutex<BTreeSet<String>>>) -> StoreOptions {
    let living = Arc::clone(living);
    let alive: Alive = Arc::new(move |worker: &WorkerId| living.lock().unwrap().contains(worker.as_str()));
    StoreOptions { ballast: false, ..StoreOptions::new(path, alive) }
}

impl Bench {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let living = Arc::new(Mutex::new(BTreeSet::new()));
        let store = Store::open(options(folder.path().join("w.db"), &living)).unwrap();
        Self { folder, store, living }
    }

    /// Another handle with a writer of its own, as another process has it.
    pub fn again(&self) -> Store {
        Store::open(options(self.path(), &self.living)).unwrap()
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("w.db")
    }

    /// A bare connection, for doing to the file what nobody should.
    pub fn raw(&self) -> rusqlite::Connection {
        let conn = rusqlite::Connection::open(self.path()).unwrap();
        conn.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
        conn
    }

    pub async fn run(&self, name: &str) -> Driver {
        Driver::create(self.store.clone(), name).await
    }
}

pub fn settings() -> Settings {
    Settings {
        mode: Mode::Ask,
        limits: Limits::default(),
        rules: Vec::new(),
        tools: ["shell", "read_file", "write_file"]
            .into_iter()
            .map(|name| ToolSpec {
                name: name.to_owned(),
                description: format!("what {name} does, in some words"),
                parameters: serde_json::json!({"type": "object", "properties": {"x": {"type": "string"}}}),
                class: Class::Effect,
                timeout_ms: Some(30_000),
                max_calls: None,
            })
            .collect(),
        model: ModelSettings {
            profile: "offline".to_owned(),
            model: "offline".to_owned(),
            base_url: String::new(),
            offline: true,
            window: 8192,
            reserve: 512,
            protocol: Protocol::Native,
            tokenizer: "o200k".to_owned(),
            tokenizer_file: None,
            exact: true,
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
        prompts: "p".to_owned(),
        program: "t".to_owned(),
    }
}

pub fn created(title: &str) -> NewEvent {
    wakeful(Event::RunCreated {
        format: 1,
        title: title.to_owned(),
        goal: Goal { text: format!("reach {title}"), ..Goal::default() },
        workspace: PathBuf::from("/w"),
        settings: Box::new(settings()),
    })
}

pub fn wakeful(event: Event) -> NewEvent {
    NewEvent { author: Author::Wakeful, event }
}

pub fn result(text: &str) -> ResultText {
    ResultText { body: Body::Inline(text.to_owned()), tokens: 3 }
}

/// A worker's hand on one run.
#[derive(Clone)]
pub struct Driver {
    pub store: Store,
    pub run: RunId,
    pub state: Arc<RunState>,
    pub now: Millis,
}

impl Driver {
    pub async fn create(store: Store, name: &str) -> Self {
        let run = RunId::new(format!("r-{name}"));
        store.create_run(run.clone(), vec![created(name)], BlobBag::new(), 1_000).await.unwrap();
        let claim = store.claim(&run, &WorkerId::new("w-1"), 1_001).await.unwrap();
        let Claim::Owned(loaded) = claim else { panic!("held") };
        Self { store, run, state: loaded.state, now: 1_001 }
    }

    pub fn commit_of(&self, events: Vec<NewEvent>) -> Commit {
        Commit {
            run: self.run.clone(),
            expected: self.state.head.clone(),
            epoch: self.state.ledger.epoch,
            now: self.now + 1,
            events,
            bag: BlobBag::new(),
            durability: Durability::Unsynced,
            taken: Vec::new(),
        }
    }

    pub async fn try_commit(&mut self, commit: Commit) -> Result<(), StoreError> {
        self.state = self.store.commit(commit).await?;
        self.now += 1;
        Ok(())
    }

    pub async fn put(&mut self, events: Vec<Event>) {
        let commit = self.commit_of(events.into_iter().map(wakeful).collect());
        self.try_commit(commit).await.unwrap();
    }

    pub fn step(&self) -> StepNo {
        self.state.path.step + 1
    }

    pub fn ask(&self) -> Event {
        Event::ModelCalled {
            step: self.step(),
            attempt: 1,
            epoch: self.state.ledger.epoch,
            purpose: Purpose::Turn,
            table: BudgetTable {
                rows: Vec::new(),
                window: 8192,
                tokenizer: "t".to_owned(),
                exact: true,
                learnt: None,
                since_start: Vec::new(),
                next: None,
            },
            request: RequestParts { hash: Hash::of(b"request"), render: 1, max_tokens: 512 },
            by: None,
        }
    }

    pub fn reply(text: &str, calls: usize) -> Event {
        let call = message::ReplyCall {
            provider_id: None,
            name: "shell".to_owned(),
            arguments: Body::Inline("{}".to_owned()),
        };
        Event::ModelReplied {
            text: Body::Inline(text.to_owned()),
            reasoning: None,
            calls: vec![call; calls],
            finish: FinishReason::ToolCalls,
            usage: Usage { prompt: 10, completion: 5, cached: 0, estimated: false },
            tokens: 5,
            first_token_ms: 1,
            ms: 2,
            refused: None,
        }
    }

    /// A proposal that will stand at `seq`.
    pub fn proposal(&self, seq: Seq, reply_seq: Seq, position: u32, class: Class, args: &str) -> Proposal {
        let key = Hash::of(args.as_bytes());
        Proposal {
            call_id: CallId::of(&self.run, seq),
            origin: Origin::Model,
            reply_seq,
            step: self.step(),
            position,
            tool: "shell".to_owned(),
            class,
            args: Body::Inline(args.to_owned()),
            args_hash: key.clone(),
            effect_key: key,
        }
    }

    pub fn next_seq(&self) -> Seq {
        self.state.head.seq + 1
    }

    /// Asks the model and proposes one call of this class; returns the call.
    pub async fn propose(&mut self, class: Class, args: &str) -> CallId {
        self.put(vec![self.ask()]).await;
        let reply_seq = self.next_seq();
        let proposal = self.proposal(reply_seq + 1, reply_seq, 1, class, args);
        let id = proposal.call_id.clone();
        self.put(vec![Self::reply("I do it", 1), Event::CallProposed(proposal)]).await;
        id
    }

    pub fn approve(&self, id: &CallId) -> Event {
        let args_hash = self.state.open_call(id).unwrap().args_hash.clone();
        Event::CallApproved { call_id: id.clone(), args_hash, why: "rule".to_owned(), shown: None }
    }

    pub fn start(&self, id: &CallId, files: Vec<FileChange>) -> Event {
        let attempt = self.state.open_call(id).unwrap().attempt;
        Event::CallStarted { call_id: id.clone(), attempt, epoch: self.state.ledger.epoch, files }
    }

    pub fn finish(&self, id: &CallId, text: &str) -> Event {
        let attempt = self.state.open_call(id).unwrap().attempt;
        Event::CallFinished {
            call_id: id.clone(),
            attempt,
            ok: true,
            kind: None,
            result: result(text),
            output: None,
            ms: 4,
            inner: None,
        }
    }

    pub async fn end_step(&mut self) {
        self.put(vec![Event::StepCommitted { step: self.step() }]).await;
    }

    /// One whole step with one call.
    pub async fn whole_step(&mut self, text: &str) -> CallId {
        let args = format!("do {text} {}", self.next_seq());
        let id = self.propose(Class::Effect, &args).await;
        self.put(vec![self.approve(&id), self.start(&id, Vec::new())]).await;
        let step = self.step();
        self.put(vec![self.finish(&id, text), Event::StepCommitted { step }]).await;
        id
    }

    /// A call that waits for a person.
    pub async fn waiting(&mut self, args: &str) -> CallId {
        let id = self.propose(Class::Effect, args).await;
        self.put(vec![Event::CallWaiting { call_id: id.clone(), why: "mode ask".to_owned(), default: None }])
            .await;
        id
    }

    pub fn decide(&self, id: &CallId, decision: Decision) -> Control {
        let call = self.state.open_call(id).unwrap();
        Control::Decide {
            call_id: id.clone(),
            args_hash: call.args_hash.clone(),
            attempt: call.attempt,
            decision,
        }
    }

    /// Returns to the checkpoint of a step.
    pub async fn roll_back(&mut self, step: StepNo) {
        let to = self.store.resolve_step(&self.run, StepRef { timeline: None, step }).await.unwrap();
        let timeline = self.state.ledger.timelines.last().unwrap().no + 1;
        self.put(vec![Event::RollbackStarted {
            to_seq: to.seq,
            to_step: step,
            files: Vec::new(),
            redo: false,
            chosen: Default::default(),
        }])
        .await;
        self.put(vec![Event::RolledBack { to_seq: to.seq, timeline, kept: Vec::new(), over: false }]).await;
    }
}

pub fn person() -> Author {
    Author::Person("cli".to_owned())
}
