//! Where the output goes: a stdout that cannot be written, a reader that leaves, a terminal's width.

use super::scene::{MANY_CALLS, Scene, call, text};
use crate::suite::provider::server::ChatServer;
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::{Output, Stdio};
use unicode_width::UnicodeWidthStr;

/// A model that writes three notes and is done.
fn server() -> ChatServer {
    let note =
        |n: usize| call(&format!("c{n}"), "note", json!({"kind": "fact", "text": "x".repeat(900 + n)}));
    ChatServer::script(vec![note(0), note(1), note(2), text("Noted.", 10, 2)])
}

/// The status of the newest run, from another process.
fn status(scene: &Scene) -> Value {
    let done = scene.command(&["runs", "--json"]).output().unwrap();
    let runs: Value = serde_json::from_slice(&done.stdout).unwrap();
    runs[0]["status"].clone()
}

/// Checks what is said of a stdout that cannot be written, and that the run goes on from there.
fn told_and_saved(scene: &Scene, done: &Output) {
    let talk = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{talk}");
    assert!(talk.contains("stdout could not be written") && talk.contains("wakeful resume r-"), "{talk}");
    assert_eq!(status(scene), "interrupted", "{talk}");
    scene.resume(&[]).expect(0, "completed");
}

#[test]
fn a_full_stdout_is_told_and_the_run_is_saved() {
    let server = server();
    let scene = Scene::new(&server);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let done = scene.command(&["run", "Note", "--headless", "--json"]).stdout(full).output().unwrap();
    assert!(server.requests().is_empty(), "nothing is asked of a model when nobody hears of it");
    told_and_saved(&scene, &done);

    // The other commands say the same.
    for args in [vec!["runs"], vec!["runs", "--json"], vec!["show", "last"], vec!["goal", "last", "--json"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let done = scene.command(&args).stdout(full).output().unwrap();
        let talk = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{args:?}: {talk}");
        assert!(talk.contains("stdout could not be written"), "{args:?}: {talk}");
    }
}

#[test]
fn a_stdout_that_fails_on_the_way_stops_the_run_at_a_safe_point() {
    let server = server();
    let scene = Scene::of(&server, "", MANY_CALLS);
    // A pipe that nobody empties and that refuses to wait takes the first lines and no more.
    let (reader, writer) = pipe_with(PipeFlags::NONBLOCK).unwrap();
    fcntl_setpipe_size(&writer, 16_384).unwrap();
    let done = scene.command(&["run", "Note", "--headless", "--json"]).stdout(writer).output().unwrap();
    let asked = server.requests().len();
    assert!((1..4).contains(&asked), "it was stopped on the way, after {asked} requests");
    told_and_saved(&scene, &done);
    drop(reader);
}

#[test]
fn a_reader_that_leaves_ends_the_output_and_not_the_run() {
    let server = server();
    let scene = Scene::of(&server, "", MANY_CALLS);
    let mut child = scene.command(&["run", "Note", "--headless", "--json"]).spawn().unwrap();
    let mut first = String::new();
    // As `head -1` does: one line, and gone.
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains(r#""event":"run""#), "{first}");
    let code = child.wait().unwrap().code();
    let mut talk = String::new();
    child.stderr.take().unwrap().read_to_string(&mut talk).unwrap();
    assert_eq!(code, Some(0), "{talk}");
    assert!(!talk.contains("stdout") && !talk.contains("ipe"), "it ends quietly: {talk}");
    assert_eq!(status(&scene), "completed");
}

#[test]
fn options_without_a_command_are_told_to_belong_to_run() {
    let server = server();
    let scene = Scene::new(&server);
    let done = scene.command(&["--model", "offline"]).stdin(Stdio::null()).output().unwrap();
    let talk = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{talk}");
    assert!(talk.contains("needs a goal: wakeful run GOAL --model offline"), "{talk}");
    assert!(done.stdout.is_empty() && !scene.db().exists(), "nothing was begun");
}

#[test]
fn previews_take_the_width_of_the_terminal_and_mark_what_they_cut() {
    for cols in [50u16, 140] {
        let server = server();
        let scene = Scene::of(&server, "", MANY_CALLS);
        let terminal = scene.terminal_of(cols, &["run", "Note"]);
        let screen = terminal.screen.clone();
        terminal.wait_for("completed");
        assert_eq!(terminal.end(), 0);
        let screen = screen.lock().unwrap().clone();
        let previews: Vec<&str> = screen.lines().filter(|line| line.contains(" note {")).collect();
        assert_eq!(previews.len(), 3, "{screen}");
        for line in previews {
            assert_eq!(line.trim_end().width(), usize::from(cols), "{line}");
            assert!(line.trim_end().ends_with('…'), "{line}");
        }
    }
}

#[test]
fn a_folder_beside_the_database_that_cannot_be_used_is_a_fault_of_the_storage() {
    let server = ChatServer::script(vec![call("c", "ask_person", json!({"question": "Which?"}))]);
    let scene = Scene::of(&server, "", MANY_CALLS);
    scene.run("Ask", &[]).waits_for("question");
    let workers = scene.db().with_extension("db.d").join("workers");
    std::fs::remove_dir_all(&workers).unwrap();
    std::fs::write(&workers, "not a folder").unwrap();
    let done = scene.resume(&[]);
    assert_eq!(done.code, 6, "{}", done.talk);
    assert!(done.talk.contains(&format!("its folder {} cannot be made", workers.display())), "{}", done.talk);
}
