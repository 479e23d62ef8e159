//! The four strategies of the context, each through several folds: what stands in each request, and what was asked for it.

use super::scene::{
    Done, MANY_CALLS, Scene, all_text, asks_keeper, asks_summary, assert_paired, call, messages, text,
    total_of,
};
use super::slots::{assert_slots, used};
use crate::suite::provider::server::{ChatServer, Request};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

const GOAL: &str = "Read every file — 目标 verbatim,\n  and count its words";
const CONSTRAINT: &str = "never touch src/admin/route.rs — 别动";
const FACT: &str = "volume zero is sealed 封存";
const QUESTION: &str = "who sealed volume zero?";
const PART: &str = "open the later volumes";
/// What a person says in the middle.
const SAID: &str = "Leave LICENSE as it is,\n  谢谢";
const SUMMARY: &str = "DONE\n- read the first files\nFACTS\n- CONDENSED: file 0 has 160 words";
const CORE: &str = "CORE: The files are read one by one. 逐个读完。\nWRONG: none";
const WINDOW: u64 = 12_000;
/// What was remembered before, and what the person likes.
const MEMORY: &str = "volume zero was bound in 1911 — 装订于 1911 年";
const LIKES: &str = "counts in words, never in bytes";
/// Turns that note something, and turns that read a file.
const NOTES: usize = 3;
const FILES: usize = 24;

/// What a strategy puts into a request.
struct Strategy {
    name: &'static str,
    /// The summary that the model wrote.
    summary: bool,
    /// The facts, questions and plan of the agent.
    state: bool,
}

/// A model that notes a fact, a question and a plan, and then reads one file after the other.
fn server() -> ChatServer {
    let turns = AtomicUsize::new(0);
    ChatServer::start(move |_, request| {
        if asks_keeper(request) {
            return text(CORE, 300, 20);
        }
        if asks_summary(request) {
            return text(SUMMARY, 300, 20);
        }
        if request.body.get("tools").is_none() {
            return text("So far: the first files.", 300, 10);
        }
        let n = turns.fetch_add(1, Ordering::SeqCst);
        let call = |name: &str, args| call(&format!("c{n}"), name, args);
        match n {
            0 => call("note", json!({"kind": "fact", "text": FACT})),
            1 => call("note", json!({"kind": "question", "text": QUESTION})),
            2 => call("plan", json!({"items": [{"id": "1", "title": PART, "state": "active"}]})),
            n if n < NOTES + FILES => call("read_file", json!({"path": format!("{}.txt", n - NOTES)})),
            _ => text("All are read.", 10, 5),
        }
    })
}

/// For each turn (and report), whether something was folded before it.
fn folded_before(ends: &[&Done]) -> Vec<bool> {
    let mut folded = false;
    let mut turns = Vec::new();
    for line in ends.iter().flat_map(|end| &end.lines) {
        match line["event"].as_str().unwrap_or_default() {
            "rounds_folded" => folded = true,
            "model_called" if is_turn(&line["data"]["purpose"]) => turns.push(folded),
            _ => {}
        }
    }
    turns
}

fn is_turn(purpose: &serde_json::Value) -> bool {
    *purpose == "turn" || purpose.get("report").is_some()
}

fn assert_turn(strategy: &Strategy, at: usize, request: &Request, folded: bool) {
    let about = format!("{}, request {at}", strategy.name);
    let (system, all) = (messages(request)[0]["content"].as_str().unwrap(), all_text(request));
    assert!(system.contains(GOAL) && system.contains(&format!("- {CONSTRAINT}")), "{about}: {system}");
    assert_paired(request);
    let tail = messages(request).last().unwrap()["content"].as_str().unwrap();
    let turn = request.body.get("tools").is_some();
    assert!(system.contains(LIKES) && tail.contains(MEMORY) == turn, "{about}: {tail}");
    let headings = ["Confirmed facts:\n", "Open questions:\n", "Plan:\n"];
    if !strategy.state {
        assert!(!headings.iter().any(|heading| tail.contains(heading)), "{about}: {tail}");
    } else if at >= NOTES {
        let found =
            [format!("- {FACT} (step 1)"), format!("- {QUESTION} (step 2)"), format!("1 [active] {PART}")];
        for words in headings.iter().copied().chain(found.iter().map(String::as_str)) {
            assert!(tail.contains(words), "{about}: {words} in {tail}");
        }
    }
    assert_eq!(all.contains("CONDENSED"), strategy.summary && folded, "{about}: {all}");
    if folded {
        assert_eq!(all.contains(FACT), strategy.state, "{about}: the round of the note is gone: {all}");
        assert!(!system.contains("read_file 0.txt -> ok"), "{about}: rules wrote a summary: {system}");
    }
    if at > NOTES {
        assert!(all.contains(SAID), "{about}: what the person said last stands whole: {all}");
    }
}

fn drive(strategy: &Strategy) {
    let server = server();
    let config = format!("{MANY_CALLS}[context]\nstrategy = \"{}\"\n", strategy.name);
    let scene = Scene::of(&server, &format!("window = {WINDOW}\nreserve = 1000"), &config);
    for n in 0..FILES {
        scene.file(&format!("{n}.txt"), &format!("file {n}: {}", "words of this file ".repeat(40)));
    }
    let remembered = [&["--pin", MEMORY][..], &["--kind", "preference", "--key", "counting", LIKES]];
    for args in remembered {
        assert!(scene.command(&[&["memory", "add"], args].concat()).output().unwrap().status.success());
    }
    let first = scene.run(GOAL, &["--constraint", CONSTRAINT, "--max-steps", &NOTES.to_string()]);
    first.expect(3, "limit");
    assert!(scene.command(&["message", "last", SAID]).status().unwrap().success());
    let second = scene.resume(&["--max-steps", "60"]);
    second.expect(0, "completed");

    let name = strategy.name;
    let ends = [&first, &second];
    let called: Vec<_> = ends.iter().flat_map(|end| end.all("model_called")).collect();
    let requests = server.requests();
    assert_eq!(called.len(), requests.len(), "{name}");
    for (called, request) in called.iter().zip(&requests) {
        assert!(total_of(&called["table"]) <= WINDOW, "{name}: {called}");
        assert_eq!(used(&called["table"], "long-term") > 0, called["purpose"] == "turn", "{name}: {called}");
        assert_slots(called, request);
    }
    let (asides, turns): (Vec<&Request>, Vec<&Request>) =
        requests.iter().partition(|request| asks_summary(request) || asks_keeper(request));
    let folded = folded_before(&ends);
    assert_eq!(folded.len(), turns.len(), "{name}");
    for (at, (request, folded)) in turns.iter().zip(&folded).enumerate() {
        assert_turn(strategy, at, request, *folded);
    }
    let folds = second.all("rounds_folded");
    assert!(folds.len() >= 3, "{name}: {} folds", folds.len());
    assert!(folds.iter().all(|fold| (fold["by_model"] == true) == strategy.summary), "{name}: {folds:?}");
    let summaries = asides.iter().filter(|request| asks_summary(request)).count();
    assert_eq!(summaries, if strategy.summary { folds.len() } else { 0 }, "{name}");
    assert_eq!(asides.len() > summaries, strategy.summary, "{name}: the goal keeper mends summaries");
    let last = all_text(turns.last().unwrap());
    assert!(!last.contains("file 0: words"), "{name}: the oldest round is gone");
    assert!(last.contains(&format!("file {}: words", FILES - 1)), "{name}: the newest round stands");
    let table = &called.last().unwrap()["table"];
    assert_eq!(used(table, "core") > 0, strategy.summary, "{name}: {table}");
}

#[test]
fn rounds_keeps_the_last_rounds_and_nothing_else() {
    drive(&Strategy { name: "rounds", summary: false, state: false });
}

#[test]
fn summary_keeps_the_models_summary_and_no_state() {
    drive(&Strategy { name: "summary", summary: true, state: false });
}

#[test]
fn extract_keeps_facts_questions_and_plan_and_asks_for_no_summary() {
    drive(&Strategy { name: "extract", summary: false, state: true });
}

#[test]
fn combined_keeps_both() {
    drive(&Strategy { name: "combined", summary: true, state: true });
}
