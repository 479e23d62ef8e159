//! A profile that names its `tokenizer.json`: the whole binary counts by it, says so, and says when the file changes.

use super::scene::{Done, MANY_TURNS, Scene, call, messages, text};
use crate::suite::provider::server::{ChatServer, Request};
use crate::suite::tokens::tokenizer_json::file;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use wakeful::context::request_tokens;
use wakeful::tokens::{Counter, TokenizerJson};

fn place(server: &ChatServer, tokenizer: &Path) -> Scene {
    let profile = format!("window = 30000\nreserve = 1000\ntokenizer = \"{}\"", tokenizer.display());
    let scene = Scene::of(server, &profile, MANY_TURNS);
    scene.file("a.txt", "the thing that the king is reading\n");
    scene
}

/// Reads a file in `turns` steps, then is done.
fn reader(turns: usize) -> ChatServer {
    let asked = AtomicUsize::new(0);
    ChatServer::start(move |_, _| match asked.fetch_add(1, Ordering::SeqCst) {
        n if n % (turns + 1) < turns => {
            call(&format!("c{n}"), "read_file", json!({"path": "a.txt", "line": n + 1}))
        }
        _ => text("the end", 10, 5),
    })
}

/// A copy that a test may change.
fn copy(scene: &Path) -> PathBuf {
    let here = scene.join("tokenizer.json");
    std::fs::copy(file(), &here).unwrap();
    here
}

fn prompt(called: &Value) -> u64 {
    let rows = called["table"]["rows"].as_array().unwrap();
    rows.iter().filter(|r| r["slot"] != "reserve").map(|r| r["used"].as_u64().unwrap()).sum()
}

fn assert_counted(end: &Done, requests: &[Request], counter: &TokenizerJson) {
    let called = end.all("model_called");
    assert_eq!(called.len(), requests.len());
    for (called, request) in called.into_iter().zip(requests) {
        let table = &called["table"];
        assert_eq!((&table["tokenizer"], &table["exact"]), (&json!(counter.id()), &json!(true)));
        let tools = request.body["tools"].as_array().cloned().unwrap_or_default();
        let sent = u64::from(request_tokens(messages(request), &tools, &|text| counter.count(text)));
        assert!(sent.abs_diff(prompt(called)) <= 8, "{} and {sent}", prompt(called));
    }
}

fn said(scene: &Scene, code: i32, args: &[&str]) -> String {
    let done = scene.command(args).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert_eq!(done.status.code(), Some(code), "{args:?}: {said}");
    said
}

#[test]
fn a_run_is_counted_by_the_file_of_its_profile_and_its_requests_are_rebuilt() {
    let server = reader(2);
    let scene = place(&server, &file());
    assert!(said(&scene, 0, &["config", "check"]).contains("is in order"));
    let end = scene.run("Read the thing", &[]);
    end.expect(0, "completed");
    assert_counted(&end, &server.requests(), &TokenizerJson::open(&file()).unwrap());
    let page = said(&scene, 0, &["context", "last"]);
    assert!(page.contains("counted by tokenizer.json (exact)"), "{page}");
    for step in ["1", "2", "3"] {
        let shown = said(&scene, 0, &["context", "last", "--request", "--json", "--step", step]);
        assert!(shown.contains("\"matches\":true") || shown.contains("\"matches\": true"), "{shown}");
    }
}

#[test]
fn a_file_that_changed_is_told_in_the_journal_and_counts_from_there_on() {
    let server = reader(3);
    let dir = tempfile::tempdir().unwrap();
    let file = copy(dir.path());
    let scene = place(&server, &file);
    scene.run("Read the thing", &["--max-steps", "2"]).expect(3, "limit");
    let before = TokenizerJson::open(&file).unwrap();
    let other = std::fs::read_to_string(&file).unwrap().replace("\"1.0\"", "\"1.0\"   ");
    std::fs::write(&file, other).unwrap();
    let end = scene.resume(&["--max-steps", "9"]);
    end.expect(0, "completed");
    let after = TokenizerJson::open(&file).unwrap();
    assert_ne!(before.id(), after.id());
    let told: Vec<&str> = end.all("settings_changed").iter().filter_map(|s| s["why"].as_str()).collect();
    let told =
        told.iter().find(|why| why.contains("has changed since")).unwrap_or_else(|| panic!("{told:?}"));
    assert!(told.contains("tokenizer.json") && told.contains("the file as it is now counts"), "{told}");
    assert!(end.all("model_called").iter().all(|called| called["table"]["tokenizer"] == json!(after.id())));

    let shown = said(&scene, 0, &["context", "last", "--request", "--json"]);
    assert!(shown.contains("\"matches\":true") || shown.contains("\"matches\": true"), "{shown}");
}

#[test]
fn a_file_that_is_gone_is_told_and_estimates_count() {
    let server = reader(2);
    let dir = tempfile::tempdir().unwrap();
    let file = copy(dir.path());
    let scene = place(&server, &file);
    scene.run("Read the thing", &["--max-steps", "1"]).expect(3, "limit");
    std::fs::remove_file(&file).unwrap();
    let end = scene.resume(&["--max-steps", "9"]);
    end.expect(0, "completed");
    let why = end.all("settings_changed").iter().map(|s| s["why"].to_string()).collect::<String>();
    assert!(why.contains("cannot be read") && why.contains("estimates count"), "{why}");
    let called = end.all("model_called");
    assert!(called.iter().all(|called| called["table"]["exact"] == json!(false)), "{called:?}");
    assert_eq!(end.end()["report"]["answer"], "the end");
}

#[test]
fn a_file_that_cannot_count_is_an_error_of_the_config_that_names_it() {
    let server = reader(1);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("broken.json");
    let scene = place(&server, &file);
    let no_run = |words: &str| {
        for args in [&["config", "check"][..], &["run", "Read", "--headless"], &["doctor"]] {
            let told = said(&scene, 2, args);
            assert!(told.contains("broken.json") && told.contains(words), "{args:?}: {told}");
            assert!(told.contains("stub"), "the profile is named: {told}");
        }
    };
    no_run("cannot be read");
    let doctor = said(&scene, 2, &["doctor"]);
    assert!(
        doctor.contains("but not the tokenizer of 1 profile") && !doctor.contains("config.toml is in order"),
        "{doctor}"
    );
    std::fs::write(&file, "{}").unwrap();
    no_run("no tokenizer.json that can be used");
    let bare =
        r#"{"version": "1.0", "added_tokens": [], "model": {"type": "BPE", "vocab": {}, "merges": []}}"#;
    std::fs::write(&file, bare).unwrap();
    no_run("its vocabulary is empty");
    assert!(server.requests().iter().all(|request| request.body.get("messages").is_none()));
    assert!(said(&scene, 0, &["runs", "--json"]).trim() == "[]");
}
