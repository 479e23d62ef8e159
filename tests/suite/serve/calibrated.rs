//! Estimates that the server's counts correct: learnt per model, used by decisions, the same when the request is rebuilt.

use super::scene::{Done, MANY_TURNS, Scene, messages};
use crate::suite::provider::server::{Answer, ChatServer, Request};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use wakeful::context::request_tokens;
use wakeful::tokens::{Counter, Estimate};

const WINDOW: u64 = 9_000;
const RESERVE: u64 = 1_000;

fn raw(request: &Request) -> u64 {
    let tools = request.body["tools"].as_array().cloned().unwrap_or_default();
    u64::from(request_tokens(messages(request), &tools, &|text| Estimate.count(text)))
}

fn counted(answer: Answer, tokens: u64) -> Answer {
    answer.data(&super::scene::usage(tokens, 20))
}

/// A model that reads one file after the other, at a server whose count of a prompt is `percent` of our estimate.
fn reader(files: usize, percent: u64) -> ChatServer {
    reader_of(files, move |ours| ours * percent / 100)
}

/// Such a model at a server that reports `sees` of our estimate.
fn reader_of(files: usize, sees: impl Fn(u64) -> u64 + Send + Sync + 'static) -> ChatServer {
    let turns = AtomicUsize::new(0);
    ChatServer::start(move |_, request| {
        let sees = sees(raw(request));
        let answer = Answer::stream();
        match turns.fetch_add(1, Ordering::SeqCst) % (files + 1) {
            n if n < files => {
                let arguments = json!({"path": format!("{n}.txt")}).to_string();
                let one = json!({"index": 0, "id": format!("c{n}"), "type": "function",
                    "function": {"name": "read_file", "arguments": arguments}});
                let answer = answer
                    .data(&json!({"choices": [{"index": 0, "delta": {"tool_calls": [one]}}]}))
                    .data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
                counted(answer, sees).done()
            }
            _ => {
                let answer = answer
                    .data(&json!({"choices": [{"index": 0, "delta": {"content": "All are read."}}]}))
                    .data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
                counted(answer, sees).done()
            }
        }
    })
}

fn place(server: &ChatServer, files: usize) -> Scene {
    let scene = Scene::of(server, &format!("window = {WINDOW}\nreserve = {RESERVE}"), MANY_TURNS);
    for n in 0..files {
        scene.file(&format!("{n}.txt"), &format!("file {n}: {}", "words of this file ".repeat(120)));
    }
    scene
}

fn prompt(called: &Value) -> u64 {
    let rows = called["table"]["rows"].as_array().unwrap();
    rows.iter().filter(|r| r["slot"] != "reserve").map(|r| r["used"].as_u64().unwrap()).sum()
}

fn learnt(end: &Done) -> Vec<Option<u64>> {
    end.all("model_called").iter().map(|called| called["table"]["learnt"].as_u64()).collect()
}

fn said(scene: &Scene, args: &[&str]) -> String {
    String::from_utf8(scene.command(args).output().unwrap().stdout).unwrap()
}

#[test]
fn a_server_that_counts_more_than_we_do_teaches_the_decisions_and_the_next_run() {
    let server = reader(14, 140);
    let scene = place(&server, 14);
    let end = scene.run("Read every file", &["--max-tokens", "3000000"]);
    end.expect(0, "completed");
    let found = learnt(&end);
    assert_eq!(found[..2], [None, None], "one reply alone is not believed");
    assert!(found[2..].iter().all(|f| f.is_some_and(|f| (1_380..=1_420).contains(&f))), "{found:?}");
    let requests = server.requests();
    for (called, request) in end.all("model_called").iter().zip(&requests).skip(2) {
        let real = raw(request) * 140 / 100;
        let ours = prompt(called);
        assert!(ours.abs_diff(real) * 100 <= real * 4, "we say {ours}, the server {real}");
        assert!(real + RESERVE <= WINDOW + 100, "what is sent fits by the server's count: {real}");
        let rows = called["table"]["rows"].as_array().unwrap();
        let budgets: u64 = rows.iter().map(|r| r["budget"].as_u64().unwrap()).sum();
        assert_eq!(budgets, WINDOW, "the budgets add up to the window");
        assert_eq!(called["table"]["window"], json!(WINDOW));
        assert!(request.body["max_tokens"].as_u64().unwrap() <= RESERVE);
    }
    // Without what was learnt such a request would be too long.
    assert!(end.all("rounds_folded").len() + end.all("outputs_dropped").len() >= 2, "{:?}", end.kinds());
    for step in ["1", "3", "8", "15"] {
        let shown = said(&scene, &["context", "last", "--request", "--json", "--step", step]);
        let shown: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown["matches"], json!(true), "step {step}: {}", shown["differs"]);
    }
    assert!(said(&scene, &["context", "last"]).contains("learnt for this model"));

    let again = scene.run("Read every file again", &["--max-tokens", "3000000"]);
    again.expect(0, "completed");
    let start = again.all("run_created")[0]["settings"]["model"]["calibration"].as_u64().unwrap();
    assert!((1_380..=1_420).contains(&start), "{start}");
    assert_eq!(learnt(&again)[0], Some(start), "from its first request on");
}

#[test]
fn figures_that_cannot_be_teach_nothing() {
    for percent in [0, 30, 79, 900] {
        let server = reader(4, percent);
        let scene = place(&server, 4);
        let end = scene.run("Read every file", &["--max-tokens", "3000000"]);
        assert!(learnt(&end).iter().all(Option::is_none), "{percent}: {:?}", learnt(&end));
        for (called, request) in end.all("model_called").iter().zip(&server.requests()) {
            assert!(prompt(called).abs_diff(raw(request)) <= 8, "{percent}");
        }
    }
}

/// A server that reads so many tokens at most reports that number again and again, also where it is more than half.
#[test]
fn a_server_that_cuts_the_front_teaches_nothing_and_is_told_of() {
    for limit in [2_600, 5_000] {
        let server = reader_of(16, move |ours| ours.min(limit));
        let scene = place(&server, 16);
        let end = scene.run("Read every file", &["--max-tokens", "3000000"]);
        end.expect(0, "completed");
        assert!(server.requests().iter().any(|request| raw(request) > 6_000), "the window fills");
        for request in server.requests() {
            assert!(raw(&request) + RESERVE <= WINDOW + 8, "{limit}: {} were sent", raw(&request));
        }
        assert!(learnt(&end).iter().flatten().all(|factor| *factor >= 1_000), "{limit}: {:?}", learnt(&end));
        assert!(end.talk.contains(&format!("the server read only {limit} of the ")), "{limit}: {}", end.talk);
    }
}

/// A server that reports figures that cannot be decides nothing: neither limits nor costs are used up by them.
#[test]
fn impossible_figures_are_not_charged() {
    let figures = [
        json!({"prompt_tokens": 1_000_000_000_000_000_u64, "completion_tokens": 20, "total_tokens": 20}),
        json!({"prompt_tokens": 900, "completion_tokens": 1_000_000_000_000_u64, "total_tokens": 20}),
        json!({"prompt_tokens": 2_000, "completion_tokens": 20, "total_tokens": 2_020,
            "prompt_tokens_details": {"cached_tokens": 1_000_000}}),
        json!({"prompt_tokens": "many", "completion_tokens": 1.5, "total_tokens": null}),
        json!({"prompt_tokens": 2_000, "completion_tokens": 1.5,
            "prompt_tokens_details": {"cached_tokens": 2_001}}),
    ];
    for usage in figures {
        let told = usage.clone();
        let server = ChatServer::start(move |n, _| match n {
            0..=2 => super::scene::call(&format!("c{n}"), "read_file", json!({"path": format!("{n}.txt")})),
            _ => {
                let words = json!({"choices": [{"index": 0, "delta": {"content": "All are read."}}]});
                let stop = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
                let usage = json!({"choices": [], "usage": told});
                Answer::stream().data(&words).data(&stop).data(&usage).done()
            }
        });
        let scene = place(&server, 3);
        let end = scene.run("Read every file", &[]);
        end.expect(0, "completed");
        let replied = end.all("model_replied").last().copied().cloned().unwrap();
        let (charged, counted) = (&replied["usage"], prompt(end.all("model_called").last().unwrap()));
        let tokens = |name: &str| charged[name].as_u64().unwrap();
        assert!(
            tokens("prompt") <= 4 * counted + 1_024 && tokens("completion") < 40_000,
            "{usage}: {charged}"
        );
        // What is not believed is no cache either, and it is said that figures are ours.
        assert_eq!((tokens("cached"), &charged["estimated"]), (0, &json!(true)), "{usage}: {charged}");
        assert!(tokens("prompt") >= 900 && tokens("completion") >= 4, "{usage}: {charged}");
        let totals = &end.end()["report"]["totals"];
        assert_eq!(totals["cached"], json!(0), "{usage}: {totals}");
        assert!(totals["charged"].as_u64().unwrap() >= totals["prompt"].as_u64().unwrap(), "{totals}");
    }
}

#[test]
fn another_model_begins_to_learn_anew() {
    let server = reader(5, 130);
    let scene = place(&server, 5);
    let end = scene.run("Read every file", &["--max-tokens", "3000000", "--max-steps", "4"]);
    end.expect(3, "limit");
    assert!(learnt(&end).last().unwrap().is_some());
    let config = std::fs::read_to_string(scene.root().join("config.toml")).unwrap();
    let other = format!(
        "{config}\n[profile.other]\nbase_url = \"{}\"\nmodel = \"other\"\nwindow = {WINDOW}\nprotocol = \"native\"\n",
        server.base()
    );
    std::fs::write(scene.root().join("config.toml"), other).unwrap();
    let end = scene.resume(&["--model", "other", "--max-steps", "20"]);
    let found = learnt(&end);
    assert_eq!(found.first(), Some(&None), "{found:?}\n{}", end.talk);
}
