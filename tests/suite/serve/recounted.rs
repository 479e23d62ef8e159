//! Another model, tokenizer or protocol in mid-run: the recent rounds are counted anew, and the table is what is sent.

use super::scene::{Done, MANY_TURNS, Scene, call, messages, text};
use crate::suite::provider::server::{ChatServer, Request};
use crate::suite::tokens::tokenizer_json::file;
use serde_json::{Value, json};
use wakeful::context::request_tokens;
use wakeful::tokens::{Counter, Estimate, TokenizerJson};

/// Reads a file in three steps, then is done, under whatever protocol it is asked.
fn reader() -> ChatServer {
    ChatServer::start(|n, request| {
        let schema = request.body.get("response_format").is_some();
        match n {
            0..=4 => call(&format!("c{n}"), "read_file", json!({"path": "a.txt", "offset": n + 1})),
            _ if schema => text(r#"{"thought": "", "action": null, "final_answer": "All is read."}"#, 10, 5),
            _ => text("All is read.", 10, 5),
        }
    })
}

/// A place with two more profiles at the same server: one that counts by its file, one with the other protocol.
fn place(server: &ChatServer) -> Scene {
    let more = |name: &str, lines: &str| {
        format!(
            "[profile.{name}]\nbase_url = \"{}\"\nmodel = \"{name}\"\nwindow = 30000\nreserve = 1000\n{lines}\n",
            server.base()
        )
    };
    let by_file = format!("protocol = \"native\"\ntokenizer = \"{}\"", file().display());
    let config =
        format!("{MANY_TURNS}{}{}", more("exact", &by_file), more("forced", "protocol = \"schema\""));
    let scene = Scene::of(server, "window = 30000\nreserve = 1000", &config);
    scene.file("a.txt", &"the king's \"thing\" → 第一行\n".repeat(60));
    scene
}

fn prompt(called: &Value) -> u64 {
    let rows = called["table"]["rows"].as_array().unwrap();
    rows.iter().filter(|r| r["slot"] != "reserve").map(|r| r["used"].as_u64().unwrap()).sum()
}

/// The tables of these requests are what was sent, by this counter.
fn assert_sent(done: &Done, requests: &[Request], counter: &dyn Counter) {
    let called = done.all("model_called");
    assert_eq!(called.len(), requests.len());
    assert!(called.len() > 1);
    for (called, request) in called.into_iter().zip(requests) {
        let table = &called["table"];
        assert_eq!(table["tokenizer"], json!(counter.id()));
        assert_eq!(table["exact"], json!(counter.exact()));
        let tools = request.body["tools"].as_array().cloned().unwrap_or_default();
        let sent = u64::from(request_tokens(messages(request), &tools, &|text| counter.count(text)));
        let ours = prompt(called);
        assert!(ours.abs_diff(sent) <= 8, "the table says {ours}, what was sent counts {sent}: {table}");
    }
}

/// Each request is made again from the journal as it was sent.
fn assert_rebuilt(scene: &Scene, steps: u32) {
    for step in 1..=steps {
        let args = ["context", "last", "--request", "--json", "--step", &step.to_string()];
        let out = scene.command(&args).output().unwrap();
        assert_eq!(out.status.code(), Some(0), "step {step}: {}", String::from_utf8_lossy(&out.stdout));
    }
}

#[test]
fn from_an_estimate_to_a_tokenizer_all_is_counted_by_the_tokenizer() {
    let server = reader();
    let scene = place(&server);
    let first = scene.run("Read the thing", &["--max-steps", "3"]);
    first.expect(3, "limit");
    assert_sent(&first, &server.requests(), &Estimate);
    let before = server.requests().len();
    let done = scene.resume(&["--model", "exact", "--max-steps", "20"]);
    done.expect(0, "completed");
    let recounted = done.all("messages_recounted");
    assert_eq!(recounted.len(), 1, "{:?}", done.kinds());
    assert!(recounted[0]["counts"].as_array().unwrap().len() > 3);
    assert_sent(&done, &server.requests()[before..], &TokenizerJson::open(&file()).unwrap());
    assert_rebuilt(&scene, 5);
}

#[test]
fn from_one_protocol_to_the_other_all_is_counted_as_it_is_written() {
    let server = reader();
    let scene = place(&server);
    scene.run("Read the thing", &["--max-steps", "3"]).expect(3, "limit");
    let before = server.requests().len();
    let done = scene.resume(&["--model", "forced", "--max-steps", "20"]);
    done.expect(0, "completed");
    assert_eq!(done.all("messages_recounted").len(), 1, "{:?}", done.kinds());
    assert_sent(&done, &server.requests()[before..], &Estimate);
    assert_rebuilt(&scene, 5);
}

#[test]
fn a_kill_around_the_recount_counts_once_and_asks_for_nothing_twice() {
    for fault in ["worker.recounted:1", "worker.after_commit:1", "worker.after_commit:2", "worker.called:1"] {
        let server = reader();
        let scene = place(&server);
        scene.run("Read the thing", &["--max-steps", "3"]).expect(3, "limit");
        let before = server.requests().len();
        let passes = scene.root().join("passes");
        let scene = scene.with_variable("WAKEFUL_FAULT", &format!("{fault}@{}", passes.display()));
        let died = scene.resume(&["--model", "exact", "--max-steps", "20"]);
        assert_eq!(died.code, -1, "{fault}: {:?}", died.kinds());
        scene.resume(&[]).expect(0, "completed");
        let kinds: Vec<&str> = scene.events().iter().map(wakeful::run::Event::kind).collect();
        let times = kinds.iter().filter(|kind| **kind == "messages_recounted").count();
        assert_eq!(times, 1, "{fault}: {kinds:?}");
        let models: Vec<Value> =
            server.requests()[before..].iter().map(|request| request.body["model"].clone()).collect();
        assert!(models.iter().all(|model| *model == "exact"), "{fault}: {models:?}");
        assert_rebuilt(&scene, 5);
    }
}
