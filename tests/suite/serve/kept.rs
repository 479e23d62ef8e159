//! What outlasts a fold beside the summary: what was done, and that a goal was superseded; and how much of a request the
//! server has read before.

use super::scene::{MANY_TURNS, Scene, all_text, call, messages, text};
use crate::suite::provider::server::{ChatServer, Request};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A model that writes one file, runs a command that fails, and then reads one file after the other.
fn worker(files: usize) -> ChatServer {
    let turns = AtomicUsize::new(0);
    ChatServer::start(move |_, _| match turns.fetch_add(1, Ordering::SeqCst) {
        0 => call("w", "write_file", json!({"path": "out/报告.md", "content": "draft\n"})),
        1 => call("s", "shell", json!({"command": "echo no such table >&2; exit 3"})),
        n if n < files + 2 => call(&format!("c{n}"), "read_file", json!({"path": format!("{}.txt", n - 2)})),
        _ => text("All are read.", 10, 5),
    })
}

fn place(server: &ChatServer, files: usize, config: &str) -> Scene {
    let scene = Scene::of(server, "window = 12000\nreserve = 1000", &format!("{MANY_TURNS}{config}"));
    for n in 0..files {
        scene.file(&format!("{n}.txt"), &format!("file {n}: {}", "words of this file ".repeat(40)));
    }
    scene
}

/// The state as the model reads it: the last message.
fn state(request: &Request) -> String {
    messages(request).last().unwrap()["content"].as_str().unwrap().to_owned()
}

fn shown(scene: &Scene, args: &[&str]) -> Value {
    let out = scene.command(args).output().unwrap();
    serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stderr)))
}

#[test]
fn what_was_done_stands_in_the_state_once_its_round_is_gone() {
    for (strategy, reads) in [("extract", true), ("combined", false), ("rounds", false)] {
        let server = worker(14);
        let scene = place(&server, 14, &format!("strategy = \"{strategy}\"\n"));
        let end = scene.run("Read every file", &[]);
        end.expect(0, "completed");
        assert!(!end.all("rounds_folded").is_empty(), "{:?}", end.kinds());
        let requests = server.requests();
        let first = state(&requests[3]);
        assert!(!first.contains("Done in turns"), "its rounds are still there: {first}");
        let last = state(requests.last().unwrap());
        let effects = last.contains("- write_file out/报告.md -> ok")
            && last.contains("- shell echo no such table >&2; exit 3 -> FAILED");
        assert_eq!(effects, strategy != "rounds", "{strategy}: {last}");
        assert_eq!(last.contains("- read_file 0.txt -> ok"), reads, "{strategy}: {last}");
        assert!(!last.contains("read_file 13.txt"), "it is still in the window: {last}");
        // Rebuilt from the journal it is the same.
        for step in ["4", "13", "17"] {
            let request = shown(&scene, &["context", "last", "--request", "--json", "--step", step]);
            assert_eq!(request["matches"], json!(true), "{strategy} {step}: {}", request["differs"]);
        }
    }
}

#[test]
fn an_edited_goal_says_what_it_supersedes() {
    let server = worker(14);
    let scene = place(&server, 14, "");
    scene.run(
        "List the files — 全部文件 — and then describe each of them in a sentence of ten words",
        &["--max-steps", "4"],
    );
    let set =
        |goal: &str| assert!(scene.command(&["goal", "last", "--set", goal]).status().unwrap().success());
    set("Read only the later files");
    scene.resume(&["--max-steps", "6"]);
    set("Read only the last file");
    let end = scene.resume(&["--max-steps", "60"]);
    end.expect(0, "completed");
    let requests = server.requests();
    assert!(requests[..4].iter().all(|request| !all_text(request).contains("Superseded")));
    let marked = |at: usize, words: &str| {
        let state = state(&requests[at]);
        assert!(state.contains(words), "request {at}: {state}");
        assert_eq!(state.matches("Superseded goal:").count(), 1);
    };
    // The report at the limit was the fifth.
    marked(5, "Superseded goal:\n- version 1 held until the person changed it in step 5;");
    marked(8, "Superseded goal:\n- version 2 held until the person changed it in step 7;");
    // Over folds, to the end.
    marked(requests.len() - 1, "- version 2 held until the person changed it in step 7;");
    assert!(!end.all("rounds_folded").is_empty(), "{:?}", end.kinds());
}

#[test]
fn how_much_of_a_request_stood_in_the_one_before_is_told_to_the_byte() {
    let server = worker(14);
    let scene = place(&server, 14, "");
    scene.run("Read every file", &[]).expect(0, "completed");
    let bytes = |request: &Request| -> String {
        let tools = request.body["tools"].as_array().cloned().unwrap_or_default();
        tools.iter().chain(messages(request)).map(|part| format!("{part}\n")).collect()
    };
    let requests = server.requests();
    let mut grown = 0;
    for (at, pair) in requests.windows(2).enumerate() {
        let (before, now) = (bytes(&pair[0]), bytes(&pair[1]));
        let same = before.bytes().zip(now.bytes()).take_while(|(a, b)| a == b).count();
        let step = (at + 2).to_string();
        let context = shown(&scene, &["context", "last", "--json", "--step", &step]);
        assert_eq!(context["prefix"], json!({"same": same, "bytes": now.len()}), "step {step}");
        grown += usize::from(same * 100 / now.len() >= 75);
    }
    assert!(
        grown * 4 >= requests.len() * 3,
        "most requests begin as the one before: {grown} of {}",
        requests.len()
    );
    assert_eq!(shown(&scene, &["context", "last", "--json", "--step", "1"])["prefix"], Value::Null);
    let page = scene.command(&["context", "last", "--step", "3"]).output().unwrap();
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(page.contains("begins as the request of the step before: "), "{page}");
}
