//! Builds runs for the tests of `context`: every state comes out of `RunState::apply`, with its texts beside it.

use serde_json::{Value, json};
use std::path::PathBuf;
use wakeful::context::{
    AgentCall, Assembled, Assembly, Dropped, MessageText, Texts, TooBig, assemble, done_calls,
    message_tokens, summarise,
};
use wakeful::run::budget_table::BudgetTable;
use wakeful::run::event::{JOURNAL_FORMAT, Proposal, RequestParts};
use wakeful::run::memory::{Kind, Preference, Recalled, Why};
use wakeful::run::message::{FinishReason, ReplyCall};
use wakeful::run::plan::InnerEffect;
use wakeful::run::settings::{ContextSettings, ModelSettings, Protocol};
use wakeful::run::*;

/// One token a character: counts of parts add up exactly.
pub fn chars(text: &str) -> u32 {
    text.chars().count() as u32
}

pub fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: format!("Does {name}."),
        parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
        class: Class::Read,
        timeout_ms: None,
        max_calls: None,
    }
}

pub fn settings(window: u32) -> Settings {
    Settings {
        mode: Mode::Auto,
        limits: Limits::default(),
        rules: Vec::new(),
        tools: vec![tool("read_file"), tool("note")],
        model: ModelSettings {
            profile: "test".to_owned(),
            model: "test".to_owned(),
            base_url: String::new(),
            offline: true,
            window,
            reserve: 500,
            protocol: Protocol::Native,
            tokenizer: "characters".to_owned(),
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
        prompts: String::new(),
        program: String::new(),
    }
}

pub fn goal(text: &str) -> Goal {
    Goal { text: text.to_owned(), constraints: vec!["do not touch X".to_owned()], checks: vec![Check::Human] }
}

/// So many memories, the nearest first, and something that the person likes.
pub fn recalled(memories: u64) -> Event {
    let memory = |id| Recalled {
        id,
        kind: Kind::Fact,
        text: format!("memory {id}: the wolves of the {id}th valley come down when it snows"),
        score: 90 - id as u8,
        why: Why::default(),
        from: None,
        at: 1_767_225_600_000,
        disagrees_with: None,
        beside: false,
        more: 0,
    };
    let likes = Preference { key: "units".to_owned(), text: "metres, never feet".to_owned() };
    let items = (1..=memories).map(memory).collect();
    Event::MemoriesRecalled { items, preferences: vec![likes], words_alone: None }
}

/// A run under construction.
pub struct Bench {
    pub state: RunState,
    pub texts: Texts,
    pub count: fn(&str) -> u32,
    /// Kinds of plans that were carried out.
    pub plans: Vec<&'static str>,
    /// The person's last words, if nothing was done that loses them.
    pub last_words: Option<String>,
}

impl Bench {
    pub fn new(settings: Settings, goal: Goal) -> Self {
        let mut bench = Self {
            state: RunState::new(RunId::new("r-000000000001")),
            texts: Texts::default(),
            count: chars,
            plans: Vec::new(),
            last_words: None,
        };
        bench.event(Event::RunCreated {
            format: JOURNAL_FORMAT,
            title: "test".to_owned(),
            goal,
            workspace: PathBuf::from("/w"),
            settings: Box::new(settings),
        });
        bench
    }

    pub fn event(&mut self, event: Event) -> Seq {
        let seq = self.state.head.seq + 1;
        let envelope = Envelope {
            seq,
            timeline: 1,
            parent: seq - 1,
            at: 0,
            author: Author::Wakeful,
            event: Decoded::Known(Box::new(event)),
        };
        self.state.apply(&envelope).expect("the event follows");
        seq
    }

    pub fn model(&self) -> ModelSettings {
        self.state.settings().expect("created").model.clone()
    }

    fn tokens(&self, message: &MessageText) -> u32 {
        message_tokens(&self.model(), message, &self.count)
    }

    fn result_text(&self, text: &str, tokens: u32) -> ResultText {
        ResultText { body: BlobBag::new().body(text), tokens }
    }

    pub fn person(&mut self, text: &str) -> Seq {
        let message = MessageText::Person { text: text.to_owned() };
        let tokens = self.tokens(&message);
        self.last_words = Some(text.to_owned());
        let seq = self.event(Event::PersonMessage { body: BlobBag::new().body(text), tokens });
        self.texts.messages.insert(seq, message);
        seq
    }

    pub fn ask(&mut self) {
        let table = BudgetTable {
            rows: Vec::new(),
            window: 1,
            tokenizer: String::new(),
            exact: true,
            learnt: None,
            since_start: Vec::new(),
            next: None,
        };
        self.event(Event::ModelCalled {
            step: self.state.path.step + 1,
            attempt: 1,
            epoch: 1,
            purpose: Purpose::Turn,
            table,
            request: RequestParts { hash: Hash::of(b""), render: 1, max_tokens: 1 },
            by: None,
        });
    }

    /// A reply with calls `(tool, arguments, provider id)`; their call ids.
    pub fn reply(&mut self, text: &str, calls: &[(&str, &str, Option<&str>)]) -> Vec<CallId> {
        self.ask();
        let reply_seq = self.state.head.seq + 1;
        let ids: Vec<CallId> =
            (1..=calls.len() as u64).map(|i| CallId::of(&self.state.run, reply_seq + i)).collect();
        let message = MessageText::Agent {
            text: text.to_owned(),
            reasoning: None,
            calls: calls
                .iter()
                .zip(&ids)
                .map(|((name, arguments, id), call_id)| AgentCall {
                    provider_id: id.map(str::to_owned),
                    call_id: call_id.clone(),
                    name: (*name).to_owned(),
                    arguments: (*arguments).to_owned(),
                })
                .collect(),
        };
        let body = |text: &str| BlobBag::new().body(text);
        self.event(Event::ModelReplied {
            text: body(text),
            reasoning: None,
            calls: calls
                .iter()
                .map(|(name, arguments, id)| ReplyCall {
                    provider_id: id.map(str::to_owned),
                    name: (*name).to_owned(),
                    arguments: body(arguments),
                })
                .collect(),
            finish: FinishReason::Stop,
            usage: Usage::default(),
            tokens: self.tokens(&message),
            first_token_ms: 0,
            ms: 0,
            refused: None,
        });
        self.texts.messages.insert(reply_seq, message);
        for (index, ((name, arguments, _), call_id)) in calls.iter().zip(&ids).enumerate() {
            self.event(Event::CallProposed(Proposal {
                call_id: call_id.clone(),
                origin: Origin::Model,
                reply_seq,
                step: self.state.path.step + 1,
                position: index as u32 + 1,
                tool: (*name).to_owned(),
                class: Class::Read,
                args: body(arguments),
                args_hash: Hash::of(arguments.as_bytes()),
                effect_key: Hash::of(arguments.as_bytes()),
            }));
        }
        ids
    }

    pub fn finish(&mut self, call: &CallId, ok: bool, text: &str, inner: Option<InnerEffect>) -> Seq {
        let open = self.state.open_call(call).expect("open").clone();
        let call_id = call.clone();
        self.event(Event::CallApproved {
            call_id,
            args_hash: open.args_hash,
            why: String::new(),
            shown: None,
        });
        let call_id = call.clone();
        self.event(Event::CallStarted { call_id, attempt: 1, epoch: 1, files: Vec::new() });
        let message = MessageText::Result { tool: open.tool, ok, text: text.to_owned() };
        let result = self.result_text(text, self.tokens(&message));
        let seq = self.event(Event::CallFinished {
            call_id: call.clone(),
            attempt: 1,
            ok,
            kind: None,
            result,
            output: None,
            ms: 0,
            inner,
        });
        self.texts.messages.insert(seq, message);
        seq
    }

    pub fn commit(&mut self) {
        self.event(Event::StepCommitted { step: self.state.path.step + 1 });
    }

    /// A whole step: one call with its result.
    pub fn step(&mut self, text: &str, path: &str, result: &str) {
        let arguments = json!({ "path": path }).to_string();
        let ids = self.reply(text, &[("read_file", &arguments, Some("call_0"))]);
        self.finish(&ids[0], true, result, None);
        self.commit();
    }

    pub fn assemble(&self, purpose: Purpose) -> Assembly {
        assemble(&self.state, &self.texts, purpose, &self.count).expect("created")
    }

    /// Carries plans out until there is a request or nothing helps. More plans than messages would be a loop.
    pub fn settle(&mut self) -> Result<Assembled, Box<TooBig>> {
        let most = self.state.path.messages.len() + 1;
        for _ in 0..=most {
            match self.assemble(Purpose::Turn) {
                Assembly::Ready(ready) => return Ok(*ready),
                Assembly::TooBig(big) => return Err(big),
                Assembly::Fold(plan) => {
                    assert!(plan.tokens > 0);
                    self.plans.push("fold");
                    let summary = summarise(&self.state, &self.texts, plan.upto, &self.count);
                    self.fold(plan.upto, plan.rounds, summary);
                }
                Assembly::DropOutputs(plan) => {
                    assert!(!plan.drops.is_empty() && plan.freed > 0);
                    self.plans.push("drop");
                    for Dropped { seqs, tokens, kept } in plan.drops {
                        self.event(Event::OutputsDropped { seqs, tokens, kept });
                    }
                }
            }
        }
        panic!("plans without end: {:?}", self.plans);
    }

    pub fn fold(&mut self, upto: Seq, rounds: u32, summary: Option<String>) {
        let body = summary
            .clone()
            .map(|text| ResultText { tokens: (self.count)(&text), ..self.result_text(&text, 0) });
        let done = done_calls(&self.state, &self.texts, upto);
        self.event(Event::RoundsFolded {
            upto,
            rounds,
            summary: body,
            by_model: false,
            by: None,
            left_out: 0,
            done,
        });
        self.texts.summary = summary;
        let needed = wakeful::context::needed(&self.state);
        self.texts.messages.retain(|seq, _| needed.contains(seq));
    }
}

pub fn text_of(messages: &[Value]) -> String {
    Value::Array(messages.to_vec()).to_string()
}

pub fn content(message: &Value) -> &str {
    message["content"].as_str().expect("content is a text")
}
