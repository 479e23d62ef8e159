//! The context over long runs: the goal stays, the prefix grows only at its end, the table adds up.

use super::scene::{Done, MANY_TURNS, Scene, all_text, assert_paired, call, messages, raw_calls, text};
use crate::suite::provider::server::{ChatServer, Request};
use serde_json::{Value, json};
use wakeful::context::request_tokens;
use wakeful::tokens::{Counter, Estimate};

/// Slots sum to the total, and the total fits the window.
fn assert_tables(end: &Done) {
    let called = end.all("model_called");
    assert!(!called.is_empty());
    for call in called {
        let table = &call["table"];
        let rows = table["rows"].as_array().unwrap();
        let used = |slot: &str| rows.iter().find(|r| r["slot"] == slot).unwrap()["used"].as_u64().unwrap();
        let total: u64 = rows.iter().map(|r| r["used"].as_u64().unwrap()).sum();
        assert!(total <= table["window"].as_u64().unwrap(), "{table}");
        assert!(used("goal") > 0 && used("system") > 0);
    }
}

/// The table's prompt is what the requests as they were sent count, to a line end here and there.
fn assert_counts(end: &Done, requests: &[Request]) {
    let count = |text: &str| Estimate.count(text);
    for (call, request) in end.all("model_called").into_iter().zip(requests) {
        let rows = call["table"]["rows"].as_array().unwrap();
        let prompt: u64 =
            rows.iter().filter(|r| r["slot"] != "reserve").map(|r| r["used"].as_u64().unwrap()).sum();
        let tools = request.body["tools"].as_array().cloned().unwrap_or_default();
        let sent = u64::from(request_tokens(messages(request), &tools, &count));
        assert!(sent.abs_diff(prompt) <= 4, "the table says {prompt}, what was sent counts {sent}");
    }
}

/// From request to request only the end grows, the tail apart, unless something was folded or dropped between: what stands
/// before is the same to the byte, in the order in which it was sent. Gives how many pairs were compared.
fn assert_prefixes(end: &Done, requests: &[Request]) -> usize {
    let mut changed = Vec::new();
    for kind in end.kinds() {
        match kind {
            "model_called" => changed.push(false),
            "rounds_folded" | "outputs_dropped" | "goal_edited" => {
                // It happens before the next request.
                changed.push(true);
            }
            _ => {}
        }
    }
    // A mark before each request that follows a change.
    let mut after_change = Vec::new();
    let mut pending = false;
    for mark in changed {
        if mark {
            pending = true;
        } else {
            after_change.push(std::mem::take(&mut pending));
        }
    }
    assert_eq!(after_change.len(), requests.len());
    let mut compared = 0;
    for (at, pair) in requests.windows(2).enumerate() {
        if after_change[at + 1] {
            continue;
        }
        let [old, new] = pair else { continue };
        let (_, kept) = messages(old).split_last().unwrap();
        // The fields of a request, and of each message, keep their places too.
        let bytes = |messages: &[Value]| serde_json::to_string(messages).unwrap();
        let (kept, new_bytes) = (bytes(kept), bytes(messages(new)));
        let kept = kept.strip_suffix(']').unwrap();
        assert!(new_bytes.starts_with(kept), "request {} begins otherwise than the one before", at + 2);
        let fields = |request: &Request| -> Vec<String> {
            let fields = request.body.as_object().unwrap().iter();
            fields
                .filter(|(name, _)| *name != "messages")
                .map(|(name, value)| format!("{name}: {value}"))
                .collect()
        };
        assert_eq!(fields(old), fields(new), "request {}", at + 2);
        compared += 1;
    }
    compared
}

#[test]
fn over_sixty_requests_each_grows_only_at_its_end_but_where_rounds_are_folded() {
    let server = ChatServer::start(|n, _| match n % 3 {
        _ if n == 59 => text("All are read.", 10, 5),
        0 => call(&format!("c{n}"), "note", json!({"kind": "fact", "text": format!("fact {n} — 事实")})),
        1 => raw_calls(&[
            (&format!("c{n}-a"), "read_file", &format!(r#"{{"path": "a.txt", "offset": {n}, "limit": 2}}"#)),
            (&format!("c{n}-b"), "read_file", &format!(r#"{{"offset": {n}, "path": "a.txt"}}"#)),
        ]),
        _ => call(&format!("c{n}"), "shell", json!({"command": format!("echo \"\\\\{n}\" 'é'")})),
    });
    let scene = Scene::of(&server, "", MANY_TURNS);
    scene.file("a.txt", &"a line with \"quotes\", \\ and 中文\n".repeat(70));
    let end = scene.run(
        "Look at all of it — 目标 \"verbatim\"",
        &["--constraint", "change nothing", "--max-steps", "80"],
    );
    end.expect(0, "completed");
    let requests = server.requests();
    assert_eq!(requests.len(), 60);
    let folds = end.all("rounds_folded").len();
    assert!((8..=10).contains(&folds), "every sixth step: {folds}");
    assert_eq!(assert_prefixes(&end, &requests), 59 - folds, "{:?}", end.kinds());
    assert_counts(&end, &requests);
}

#[test]
fn the_goal_stands_verbatim_in_each_of_forty_requests_and_the_prefix_is_stable() {
    // C01, C02.
    let server = ChatServer::start(|n, _| match n {
        0..=39 => call(&format!("c{n}"), "read_file", json!({"path": format!("{n}.txt")})),
        _ => text("All forty are read.", 10, 5),
    });
    let scene = Scene::of(&server, "window = 12000\nreserve = 1000", MANY_TURNS);
    for n in 0..40 {
        scene.file(&format!("{n}.txt"), &format!("file number {n}: {}", "words of this file ".repeat(40)));
    }
    let goal = "Read every file; never touch \"/admin\" — 目标 verbatim\n  with its indent";
    let end = scene.run(goal, &["--constraint", "leave n.txt alone"]);
    end.expect(0, "completed");
    let requests = server.requests();
    assert_eq!(requests.len(), 41);
    for request in &requests {
        let text = all_text(request);
        assert!(text.contains(goal) && text.contains("- leave n.txt alone"));
        assert_paired(request);
    }
    assert!(end.all("rounds_folded").len() >= 3, "{:?}", end.kinds());
    assert_tables(&end);
    assert_counts(&end, &requests);
    assert_prefixes(&end, &requests);
}

#[test]
fn a_million_equal_characters_of_output_neither_stall_nor_overflow() {
    // C18.
    let server = ChatServer::start(|n, _| match n {
        0 => call("c0", "shell", json!({"command": "head -c 1000000 /dev/zero | tr '\\0' A"})),
        1 => call("c1", "read_file", json!({"path": "a.txt"})),
        _ => text("Long.", 10, 2),
    });
    let scene = Scene::of(&server, "window = 12000\nreserve = 1000", "");
    scene.file("a.txt", "x");
    let begun = std::time::Instant::now();
    let end = scene.run("Print", &[]);
    end.expect(0, "completed");
    assert!(begun.elapsed().as_secs() < 15, "{:?}", begun.elapsed());
    assert_tables(&end);
    let requests = server.requests();
    let result = messages(&requests[1]).iter().find(|m| m["role"] == "tool").unwrap();
    let shown = result["content"].as_str().unwrap();
    assert!(shown.len() < 20_000 && shown.contains("AAAA"), "{} bytes", shown.len());
    let finished = end.all("call_finished")[0];
    assert!(finished["output"] != Value::Null, "the whole output is kept");
}

#[test]
fn a_window_too_small_for_the_tools_is_said_once_and_nothing_is_sent() {
    // C10.
    let server = ChatServer::script(vec![text("no", 1, 1)]);
    let scene = Scene::new(&server);
    let end = scene.run("Look", &["--window", "1024"]);
    end.waits_for("budget");
    let held = end.all("held");
    assert_eq!(held.len(), 1);
    let words = held[0]["why"]["context"].as_str().unwrap();
    assert!(words.contains("slot tools") || words.contains("slot system"), "{words}");
    tokio::runtime::Runtime::new().unwrap().block_on(scene.post(wakeful::run::control::Control::Continue));
    scene.resume(&[]).waits_for("budget");
    assert!(server.requests().is_empty());
    // With another model the run looks again, without a word of its own.
    scene.resume(&["--model", "offline", "--max-steps", "1"]).expect(3, "limit");
}

#[test]
fn the_servers_count_is_compared_with_ours() {
    // C13, C16: a server that cuts the front of the prompt sees far fewer tokens than were sent.
    let server = ChatServer::script(vec![
        raw_calls(&[("c0", "read_file", r#"{"path": "a.txt"}"#)]),
        text("Seen.", 100, 3),
    ]);
    let scene = Scene::new(&server);
    scene.file("a.txt", &"many words of a file ".repeat(400));
    let out = scene.command(&["run", "Look", "--approve", "auto", "--headless"]).output().unwrap();
    let talk = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{talk}");
    assert!(talk.contains("the server read only 100 of the"), "{talk}");
    let state = tokio::runtime::Runtime::new().unwrap().block_on(async {
        let store = scene.store();
        let run = scene.last(&store).await;
        store.load(&run).await.unwrap().state
    });
    let drift = state.ledger.drift.unwrap();
    assert!(drift < -1000, "{drift}");
}
