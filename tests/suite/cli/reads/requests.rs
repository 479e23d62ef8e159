//! Every past request rebuilt to the byte from the journal, and calls explained.

use super::{Scene, by, err};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wakeful::host::drive::Driver;
use wakeful::host::environment::Secrets;
use wakeful::inspect::{asked, explain, past_request, validate};
use wakeful::provider::{Cancel, ChatRequest, Finish, ModelError, Progress, Provider, ProviderInfo, Reply};
use wakeful::run::event::JOURNAL_FORMAT;
use wakeful::run::settings::Protocol;
use wakeful::run::{
    Author, BlobBag, Control, Decision, Decoded, Event, Goal, NewEvent, RunId, Settings, StepRef, WorkerId,
};
use wakeful::store::{CallFilter, Store};
use wakeful::worker::{Engine, Models, Silent, Stay, advance};

/// Rebuilds the request of every model call of every step on every timeline; says how many.
async fn all_rebuilt(store: &Store, run: &RunId) -> usize {
    let state = store.load(run).await.unwrap().state;
    let mut rebuilt = 0;
    for timeline in &state.ledger.timelines {
        let calls = store.events(run, 1, state.head.seq).await.unwrap();
        for envelope in calls.iter().filter(|e| e.timeline == timeline.no) {
            let Decoded::Known(event) = &envelope.event else { panic!("unknown event") };
            let Event::ModelCalled { step, request, .. } = &**event else { continue };
            let at = StepRef { timeline: Some(timeline.no), step: *step };
            let past = past_request(store, run, Some(at)).await.unwrap();
            assert!(past.matches(), "step {step}@{}: {:?}", timeline.no, past.differs);
            if past.asked.seq == envelope.seq {
                assert_eq!(past.hash.as_ref(), Some(&request.hash));
                rebuilt += 1;
            }
        }
    }
    rebuilt
}

async fn kinds(store: &Store, run: &RunId) -> Vec<&'static str> {
    let head = store.load(run).await.unwrap().state.head.seq;
    let events = store.events(run, 1, head).await.unwrap();
    let kind = |decoded: Decoded| match decoded {
        Decoded::Known(event) => event.kind(),
        Decoded::Unknown { .. } => "unknown",
    };
    events.into_iter().map(|e| kind(e.event)).collect()
}

const LONG: &str = r#"
name = "long"
[[steps]]
repeat = 14
say = "Round {i} of {n}."
calls = [{ name = "note", args = { kind = "fact", text = "number {i}" } }, { name = "read_file", args = { path = "big.txt", offset = 1 } }]
[[steps]]
say = "A tool that is not there, then one with wrong arguments."
calls = [{ name = "red_file", args = { path = "a" } }, { name = "read_file", args = { pathh = "a" } }]
[[steps]]
say = "One that has to be asked."
calls = [{ name = "shell", args = { command = "echo first" } }]
[[steps]]
repeat = 8
say = "Round {i} again."
calls = [{ name = "note", args = { kind = "question", text = "why {i}?" } }]
[[steps]]
say = "Done."
"#;

#[tokio::test(flavor = "multi_thread")]
async fn every_past_request_is_rebuilt_through_folds_refusals_edits_and_rollbacks() {
    let scene = Scene::new();
    let big: String = (1..200).map(|n| format!("line {n} of a file that takes some room\n")).collect();
    std::fs::write(scene.workspace().join("big.txt"), big).unwrap();
    std::fs::write(scene.path("c.toml"), "[limits]\ntool_calls_per_minute = 1000\nloop_repeats = 8\n")
        .unwrap();
    let config = scene.path("c.toml");
    let config = ["--config", config.to_str().unwrap()];
    let script = LONG;
    let args = ["--approve", "ask", "--window", "9000", "--max-tokens", "2000000"];
    assert_eq!(scene.run(Some(script), &[&args[..], &config].concat()), 4);

    let store = scene.store();
    let run = store.find_run("last").await.unwrap();
    let state = store.load(&run).await.unwrap().state;
    let based_on = state.path.goal_version;
    let goal = Goal { text: "Look twice".into(), constraints: vec!["quietly".into()], checks: vec![] };
    store.post(&run, Control::EditGoal { based_on, goal }, by(), 1).await.unwrap();
    let said = Control::Message { text: "Mind the bytes.".into(), now: false };
    store.post(&run, said, by(), 2).await.unwrap();
    let filter = CallFilter { run: Some(run.clone()), open_only: true, ..CallFilter::default() };
    let call = store.calls(filter).await.unwrap().remove(0);
    let args = json!({ "command": "echo second" });
    let settings = state.settings().unwrap();
    assert_eq!(validate(settings, "shell", &args).unwrap(), r#"{"command":"echo second"}"#);
    let wrong = validate(settings, "shell", &json!({ "command": 5 })).unwrap_err();
    assert!(wrong.contains("do not fit"), "{wrong}");
    assert!(validate(settings, "shel", &args).is_err());
    let control = Control::Decide {
        call_id: call.call_id.clone(),
        args_hash: call.args_hash.clone(),
        attempt: call.attempt,
        decision: Decision::ApproveEdited { args },
    };
    store.post(&run, control, by(), 3).await.unwrap();
    store.close().await.unwrap();

    let mut resume = scene.command(&["resume", "last", "--headless", "--config", config[1]]);
    scene.scripted(&mut resume, Some(script));
    let output = resume.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let state = store.load(&run).await.unwrap().state;
    let kinds_then = kinds(&store, &run).await;
    for kind in ["rounds_folded", "call_rejected", "goal_edited", "person_message", "call_edited"] {
        assert!(kinds_then.contains(&kind), "{kind}: {kinds_then:?}");
    }
    assert!(state.path.step >= 24, "{}", state.path.step);
    let rebuilt = all_rebuilt(&store, &run).await;
    assert!(rebuilt >= 24, "{rebuilt}");

    // The person's goal stands in the requests from the edit on, the old one in those before.
    let goal_of = async |step| {
        let at = StepRef { timeline: None, step };
        let past = past_request(&store, &run, Some(at)).await.unwrap();
        past.request.unwrap()["messages"][0]["content"].as_str().unwrap().to_owned()
    };
    assert!(goal_of(3).await.contains("Look at the ledger"));
    assert!(goal_of(24).await.contains("Look twice") && goal_of(24).await.contains("quietly"));

    let told = explain(&store, call.call_id.as_str()).await.unwrap();
    let moves: Vec<&str> = told.moves.iter().map(|m| m.event).collect();
    let expected =
        ["call_proposed", "call_waiting", "call_edited", "call_approved", "call_started", "call_finished"];
    assert_eq!(moves, expected);
    assert_eq!(told.moves[3].by, by());
    assert_eq!(told.moves[3].args_hash.as_ref(), Some(&told.call.args_hash), "on the hash in force");
    assert_ne!(told.moves[0].args_hash, told.moves[3].args_hash);
    assert_eq!(told.args, r#"{"command":"echo second"}"#);
    assert!(told.result.unwrap().contains("second") && told.spool.is_some());

    // A new timeline from step 10: both keep their requests.
    let to = StepRef { timeline: None, step: 10 };
    let back = Control::Rollback { to, files: true, seen_seq: state.head.seq, choices: Default::default() };
    store.post(&run, back, by(), 4).await.unwrap();
    store
        .post(&run, Control::Message { text: "Go on from here.".into(), now: false }, by(), 5)
        .await
        .unwrap();
    let mut resume = scene.command(&["resume", "last", "--headless", "--config", config[1]]);
    scene.scripted(&mut resume, Some(script));
    let output = resume.output().unwrap();
    let state = store.load(&run).await.unwrap().state;
    assert_eq!(state.ledger.timelines.len(), 2, "{}", err(&output));
    assert!(all_rebuilt(&store, &run).await > rebuilt);
    let tree = scene.text(&["checkpoints", "last"]);
    assert!(tree.contains("├─╯") && tree.contains("undone") && tree.contains("before a rollback"), "{tree}");
    let points = scene.json(&["checkpoints", "last", "--json"]);
    let first_new = points.as_array().unwrap().iter().find(|p| p["timeline"] == 2).unwrap();
    let parent = points.as_array().unwrap().iter().find(|p| p["seq"] == first_new["parent"]).unwrap();
    assert_eq!((parent["step"].as_u64(), parent["timeline"].as_u64()), (Some(10), Some(1)));
    let old = scene.json(&["context", "last", "--step", "12@1", "--request", "--json"]);
    assert_eq!((old["matches"].as_bool(), old["timeline"].as_u64()), (Some(true), Some(1)));
}

/// Answers under the schema protocol: so many actions, then the answer.
struct SchemaModel {
    actions: usize,
    asked: AtomicUsize,
}

impl Provider for SchemaModel {
    fn chat<'a>(
        &'a self,
        request: ChatRequest,
        _progress: Progress,
        _cancel: Cancel,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        assert!(request.tools.is_empty() && request.response_format.is_some());
        let n = self.asked.fetch_add(1, Ordering::SeqCst);
        let text = if n == 2 {
            "this is no JSON at all".to_owned()
        } else if n < self.actions {
            let arguments = json!({ "kind": "fact", "text": format!("fact {n}") });
            json!({ "thought": format!("thought {n}"), "action": { "tool": "note", "arguments": arguments } })
                .to_string()
        } else {
            json!({ "thought": "enough", "action": null, "final_answer": "All is noted." }).to_string()
        };
        let reasoning = Some(format!("reasoning {n}"));
        Box::pin(async move { Ok(Reply { text, reasoning, finish: Finish::Stop, ..Reply::default() }) })
    }

    fn describe(&self) -> ProviderInfo {
        ProviderInfo { name: "schema".into(), base_url: String::new(), offline: true }
    }

    fn tokenize<'a>(&'a self, _text: &'a str) -> BoxFuture<'a, Result<Option<u64>, ModelError>> {
        Box::pin(async { Ok(None) })
    }
}

struct Only(Arc<SchemaModel>);

impl Models for Only {
    fn provider(&self, _settings: &Settings) -> Result<Arc<dyn Provider>, String> {
        Ok(self.0.clone())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schema_protocol_is_rebuilt_too_with_reasoning_and_the_state_at_the_head() {
    let scene = Scene::new();
    assert_eq!(scene.run(None, &["--approve", "safe"]), 0);
    let store = scene.store();
    let first = store.find_run("last").await.unwrap();
    let state = store.load(&first).await.unwrap().state;
    for (name, at_head) in [("r-aaaaaaaaaaaa", false), ("r-bbbbbbbbbbbb", true)] {
        let mut settings = state.settings().unwrap().clone();
        settings.model.protocol = Protocol::Schema;
        settings.model.send_reasoning = true;
        settings.model.state_at_head = at_head;
        settings.model.tokenizer = "cl100k_base".into();
        let run = RunId::new(name);
        let created = Event::RunCreated {
            format: JOURNAL_FORMAT,
            title: "schema".into(),
            goal: Goal { text: "Note some facts".into(), ..Goal::default() },
            workspace: state.ledger.workspace.clone(),
            settings: Box::new(settings),
        };
        let event = NewEvent { author: by(), event: created };
        store.create_run(run.clone(), vec![event], BlobBag::new(), 1).await.unwrap();
        let (_keep, stop) = tokio::sync::watch::channel(false);
        let model = Arc::new(SchemaModel { actions: 16, asked: AtomicUsize::new(0) });
        let engine = Engine {
            store: store.clone(),
            worker: WorkerId::new(format!("w-{name}")),
            models: Arc::new(Only(model)),
            driver: Driver::own(),
            secrets: Secrets::default(),
            env_allow: Vec::new(),
            own_files: Vec::new(),
            allow_hosts: Vec::new(),
            vectors: None,
            observer: Arc::new(Silent),
            stop,
        };
        advance(&engine, &run, Stay::UntilWait).await.unwrap();
        let kinds = kinds(&store, &run).await;
        assert!(kinds.contains(&"claim_returned") && kinds.contains(&"rounds_folded"), "{kinds:?}");
        assert!(kinds.contains(&"run_ended"), "{kinds:?}");
        assert!(all_rebuilt(&store, &run).await >= 17);
        let past = past_request(&store, &run, None).await.unwrap();
        assert!(past.request.unwrap()["response_format"].is_object());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_differs_is_said_and_not_hidden() {
    let scene = Scene::new();
    assert_eq!(scene.run(None, &["--approve", "safe"]), 0);
    let store = scene.store();
    let first = store.find_run("last").await.unwrap();
    let state = store.load(&first).await.unwrap().state;
    let run = RunId::new("r-cccccccccccc");
    let created = Event::RunCreated {
        format: JOURNAL_FORMAT,
        title: "other".into(),
        goal: Goal { text: "Another".into(), ..Goal::default() },
        workspace: state.ledger.workspace.clone(),
        settings: Box::new(state.settings().unwrap().clone()),
    };
    // A request as another version of the program would have sent it: its hash is not what this one makes.
    let first_step = StepRef { timeline: None, step: 1 };
    let sent = asked(&store, &first, Some(first_step)).await.unwrap().unwrap();
    let mut request = sent.parts.clone();
    request.hash = wakeful::run::Hash::of(b"another");
    request.render += 1;
    let (step, attempt, purpose, table) = (sent.step, sent.attempt, sent.purpose, sent.table);
    let sent = Event::ModelCalled { step, attempt, epoch: 0, purpose, table, request, by: None };
    let events =
        vec![NewEvent { author: by(), event: created }, NewEvent { author: Author::Wakeful, event: sent }];
    store.create_run(run.clone(), events, BlobBag::new(), 1).await.unwrap();
    store.close().await.unwrap();
    let output = scene.wakeful(&["context", "r-ccc", "--request", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["matches"], false);
    let differs = told["differs"].as_str().unwrap();
    let version = format!("rendered by version {}", wakeful::context::RENDER_VERSION + 1);
    assert!(differs.contains(&version) && differs.contains("goal"), "{differs}");
    assert_ne!(told["hash"], told["rebuilt"]);
    let output = scene.wakeful(&["context", "r-ccc", "--slot", "goal", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let told: Value = serde_json::from_str(&String::from_utf8(output.stdout).unwrap()).unwrap();
    assert!(told["matches"] == false && told["differs"].as_str().unwrap().contains(&version), "{told}");
    assert!(told["items"][0]["text"].as_str().unwrap().contains("Another"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_past_step_is_shown_slot_by_slot_as_it_was_sent() {
    let scene = Scene::new();
    for n in 1..=14 {
        std::fs::write(scene.workspace().join(format!("f{n}.txt")), format!("file {n}, a line\n").repeat(20))
            .unwrap();
    }
    let script = r#"
name = "files"
[[steps]]
repeat = 14
say = "Round {i} of {n}."
calls = [{ name = "note", args = { kind = "fact", text = "number {i}" } }, { name = "read_file", args = { path = "f{i}.txt" } }]
[[steps]]
say = "Done."
"#;
    assert_eq!(scene.run(Some(script), &["--approve", "safe", "--window", "8000"]), 0);
    for step in ["1", "4", "13", "15"] {
        let table = scene.json(&["context", "last", "--step", step, "--json"]);
        let request = scene.json(&["context", "last", "--step", step, "--request", "--json"]);
        let sent = request["request"].to_string();
        for row in table["rows"].as_array().unwrap() {
            let slot = row["slot"].as_str().unwrap();
            let args = ["context", "last", "--step", step, "--slot", slot];
            let read = scene.json(&[&args[..], &["--json"]].concat());
            let about = format!("step {step}, {slot}: {read}");
            assert_eq!((&read["used"], &read["budget"]), (&row["used"], &row["budget"]), "{about}");
            assert_eq!(
                (read["step"].to_string().as_str(), &read["matches"]),
                (step, &json!(true)),
                "{about}"
            );
            let items = read["items"].as_array().unwrap();
            let sum: u64 = items.iter().map(|item| item["tokens"].as_u64().unwrap()).sum();
            let used = if slot == "reserve" { 0 } else { row["used"].as_u64().unwrap() };
            assert!(sum <= used + 4 && used <= sum + 80, "{about}: {sum} of {used}");
            // Tools stand apart, and calls in a message of their own.
            for item in items.iter().filter(|_| !matches!(slot, "tools" | "recent")) {
                let text = item["text"].to_string();
                assert!(sent.contains(text.trim_matches('"')), "{about}: {item}");
            }
            let page = scene.text(&args);
            assert!(page.starts_with(&format!("{slot}, step {step}@1, a turn")), "{page}");
        }
    }
    let recent = |step: &str| scene.text(&["context", "last", "--step", step, "--slot", "recent"]);
    assert!(recent("2").contains("result of read_file · ") && recent("2").contains("Round 1 of 14."));
    assert!(!recent("2").contains("Round 2 of 14.") && recent("3").contains("Round 2 of 14."));
    let output = scene.wakeful(&["context", "last", "--slot", "rest"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("there are system, tools, goal, core, summary, recent"),
        "{}",
        err(&output)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_without_old_outputs_are_rebuilt_too() {
    let scene = Scene::new();
    for n in 1..=7 {
        let lines: String = (1..=45).map(|l| format!("file {n}, line {l} takes some room\n")).collect();
        std::fs::write(scene.workspace().join(format!("f{n}.txt")), lines).unwrap();
    }
    let script = r#"
name = "files"
[[steps]]
repeat = 7
say = "File {i}."
calls = [{ name = "read_file", args = { path = "f{i}.txt" } }]
[[steps]]
say = "Done."
"#;
    assert_eq!(scene.run(Some(script), &["--approve", "safe", "--window", "6400"]), 0);
    let store = scene.store();
    let run = store.find_run("last").await.unwrap();
    let kinds = kinds(&store, &run).await;
    assert!(kinds.contains(&"outputs_dropped"), "{kinds:?}");
    assert_eq!(all_rebuilt(&store, &run).await, 8);
    let table = scene.json(&["context", "last", "--json"]);
    let recent = table["rows"].as_array().unwrap().iter().find(|r| r["slot"] == "recent").unwrap();
    let trimmed = &recent["trimmed"][0];
    let (what, tokens) = (trimmed["what"].as_str().unwrap(), trimmed["tokens"].as_u64().unwrap());
    assert!(what.contains("old output") && tokens > 0, "{recent}");
    assert!(scene.text(&["context", "last"]).contains(&format!("{what} (dropped to save room, ")));
}
