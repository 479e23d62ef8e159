//! A cheaper model for summaries and the keeper: asked at its own place, charged at its own price, named where it wrote;
//! what it does not give, the run's own model is asked for.

use super::scene::{Done, MANY_CALLS, Scene, asks_keeper, asks_summary, call, text};
use crate::suite::provider::server::{Answer, ChatServer, Request};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

const SUMMARY: &str = "DONE\n- read the first files\nFACTS\n- 0.txt holds forty-two";
const CORE: &str = "CORE: Every file is to be read. The first hold forty-two.\nWRONG: none";

/// The run's own model: reads one file after the other; asked for more, it says so.
fn own(files: usize) -> ChatServer {
    let turns = AtomicUsize::new(0);
    ChatServer::start(move |_, request| {
        if asks_keeper(request) {
            return text(CORE, 300, 20);
        }
        if asks_summary(request) {
            return text("FACTS\n- the run's own model wrote this", 300, 20);
        }
        match turns.fetch_add(1, Ordering::SeqCst) {
            n if n < files => call(&format!("c{n}"), "read_file", json!({"path": format!("{n}.txt")})),
            _ => text("All are read.", 10, 5),
        }
    })
}

fn small(answer: impl Fn() -> Answer + Send + Sync + 'static) -> ChatServer {
    ChatServer::start(move |_, request| if asks_keeper(request) { text(CORE, 400, 20) } else { answer() })
}

fn section(server: &ChatServer, more: &str) -> String {
    format!(
        "[profile.small]\nbase_url = \"{}\"\nmodel = \"small-1\"\nwindow = 6000\nprice.prompt = 1000\nprice.cached = 1000\nprice.completion = 1000\n{more}",
        server.base()
    )
}

fn place(own: &ChatServer, files: usize, config: &str) -> Scene {
    let free = "window = 12000\nreserve = 1000\nprice.prompt = 0\nprice.cached = 0\nprice.completion = 0";
    let scene = Scene::of(own, free, &format!("{MANY_CALLS}[context]\nsummary_model = \"small\"\n{config}"));
    for n in 0..files {
        scene.file(&format!("{n}.txt"), &format!("file {n}: {}", "words of this file ".repeat(40)));
    }
    scene
}

fn asides(server: &ChatServer) -> Vec<Request> {
    server.requests().into_iter().filter(|request| asks_keeper(request) || asks_summary(request)).collect()
}

/// Who wrote the summary of each fold: null for the run's own model.
fn writers(end: &Done) -> Vec<(bool, Value)> {
    let folds = end.all("rounds_folded").into_iter();
    folds.map(|fold| (fold["by_model"] == json!(true), fold["by"].clone())).collect()
}

fn asked(end: &Done) -> Vec<&Value> {
    end.all("model_called").into_iter().filter(|called| called["purpose"].get("summary").is_some()).collect()
}

#[test]
fn the_cheaper_model_writes_summaries_and_core_and_is_charged_at_its_own_price() {
    let (own, small) = (own(14), small(|| text(SUMMARY, 500, 40)));
    let scene = place(&own, 14, &section(&small, ""));
    let end = scene.run("Read every file", &[]);
    end.expect(0, "completed");
    assert_eq!(writers(&end), [(true, json!("small-1"))], "{:?}", end.kinds());
    assert!(asides(&own).is_empty(), "the run's own model is asked for turns alone");
    let sent = asides(&small);
    assert!(sent.len() >= 2 && small.requests().len() == sent.len(), "summary and core, and nothing else");
    assert!(sent.iter().all(|request| request.body["model"] == json!("small-1")));
    let called = asked(&end);
    assert_eq!((&called[0]["by"], &called[0]["table"]["window"]), (&json!("small-1"), &json!(6_000)));
    // 540 tokens for the summary and 420 for each core, at a thousandth each; the turns are free.
    let cores = (sent.len() - 1) as u64;
    assert_eq!(end.end()["report"]["totals"]["cost_micro"], json!((540 + cores * 420) * 1_000));

    let all = end.all("model_called");
    let core = all.iter().rev().find(|called| called["purpose"] == json!("keeper")).unwrap();
    let steps = [called[0], core].map(|called| called["step"].to_string());
    let wrote = sent.iter().find(|request| asks_summary(request));
    for ((which, request), step) in [("--summary", wrote), ("--core", None)].into_iter().zip(steps) {
        let shown = scene.command(&["context", "last", which, "--json", "--step", &step]).output().unwrap();
        let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
        assert_eq!(shown["matches"], json!(true), "{which} of step {step}: {}", shown["differs"]);
        assert_eq!(shown["request"]["model"], json!("small-1"));
        if let Some(request) = request {
            assert_eq!(shown["request"]["messages"], request.body["messages"]);
        }
    }
}

#[test]
fn what_it_does_not_give_the_runs_own_model_is_asked_for() {
    let too_long = || {
        Answer::json(
            400,
            &json!({"error": {"message": "the request exceeds the available context size", "type": "exceed_context_size_error",
                "n_prompt_tokens": 5000, "n_ctx": 2048}}),
        )
    };
    let busy = || Answer::json(503, &json!({"error": {"message": "not now"}}));
    let empty = || text("FACTS\n- none", 300, 5);
    type Bad = (&'static str, fn() -> Answer);
    let bad: [Bad; 3] = [("too long", too_long), ("busy", busy), ("empty", empty)];
    for (name, answer) in bad {
        let (own, small) = (own(12), small(answer));
        let scene = place(&own, 12, &section(&small, ""));
        let end = scene.run("Read every file", &[]);
        end.expect(0, "completed");
        assert_eq!(writers(&end), [(true, Value::Null)], "{name}: {:?}", end.kinds());
        let calls = asked(&end);
        assert_eq!((calls.len(), &calls[0]["by"]), (2, &json!("small-1")), "{name}: each is asked once");
        assert!(calls[1].get("by").is_none_or(Value::is_null), "{name}");
        let windows = end.all("settings_changed");
        assert!(windows.is_empty(), "{name}: its window is not the run's: {windows:?}");
    }
}

#[test]
fn an_unknown_profile_and_a_missing_key_are_told_before_there_is_a_run() {
    let (own, small) = (own(1), small(|| text(SUMMARY, 500, 40)));
    let said = |scene: &Scene, args: &[&str]| {
        let done = scene.command(args).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{args:?}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let none = place(&own, 1, "[profile.smal]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"x\"\n");
    let told = said(&none, &["config", "check"]);
    assert!(told.contains("context.summary_model") && told.contains("smal"), "{told}");
    let keyless = place(&own, 1, &section(&small, "key_env = \"NO_SUCH_KEY\"\n"));
    let told = said(&keyless, &["run", "Read", "--headless"]);
    assert!(told.contains("context.summary_model") && told.contains("NO_SUCH_KEY"), "{told}");
    let runs = keyless.command(&["runs", "--json"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&runs.stdout).trim(), "[]");
}

#[test]
fn a_run_that_is_taken_up_where_the_profile_is_not_known_goes_on_with_its_own_model() {
    let (own, small) = (own(14), small(|| text(SUMMARY, 500, 40)));
    let scene = place(&own, 14, &section(&small, ""));
    scene.run("Read every file", &["--max-steps", "4"]).expect(3, "limit");
    let file = scene.root().join("config.toml");
    let config = std::fs::read_to_string(&file).unwrap();
    let (before, _) = config.split_once("[context]").unwrap();
    std::fs::write(&file, before).unwrap();
    let end = scene.resume(&["--max-steps", "40"]);
    end.expect(0, "completed");
    assert_eq!(writers(&end), [(true, Value::Null)], "{}", end.talk);
    assert!(small.requests().is_empty());
}

#[test]
fn the_doctor_asks_the_server_of_the_cheaper_model_too() {
    let models = |name: &'static str| {
        ChatServer::start(move |_, _| Answer::json(200, &json!({"object": "list", "data": [{"id": name}]})))
    };
    let (own, small) = (models("stub"), models("small-1"));
    let scene = place(&own, 0, &section(&small, ""));
    let doctor = |scene: &Scene| -> Vec<Value> {
        let said = scene.command(&["doctor", "--json"]).output().unwrap();
        let all: Value = serde_json::from_slice(&said.stdout).unwrap();
        all["checks"].as_array().unwrap().iter().filter(|line| line["check"] == "model").cloned().collect()
    };
    let lines = doctor(&scene);
    assert_eq!(lines.len(), 2, "{lines:?}");
    let words = lines[1]["words"].as_str().unwrap();
    assert!(words.starts_with("profile `small`, for summaries") && words.contains(&small.base()), "{words}");
    assert_eq!((&lines[0]["state"], &lines[1]["state"]), (&json!("ok"), &json!("ok")));
    // One that does not answer, and what becomes of summaries then.
    let gone = section(&small, "").replace(&small.base(), "http://127.0.0.1:9/v1");
    let lines = doctor(&place(&own, 0, &gone));
    assert_eq!(lines[1]["state"], "note", "{lines:?}");
    assert!(lines[1]["words"].as_str().unwrap().contains("127.0.0.1:9"), "{lines:?}");
    assert!(lines[1]["next"].as_str().unwrap().contains("in its place"), "{lines:?}");
    // The run's own is asked once.
    let same = "[context]\nsummary_model = \"stub\"\n";
    assert_eq!(doctor(&Scene::of(&own, "", same)).len(), 1);
}
