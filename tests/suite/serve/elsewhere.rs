//! A question in a terminal that is decided in another one.

use super::scene::{Scene, call, text};
use crate::suite::provider::server::{Answer, ChatServer};
use serde_json::json;
use std::time::{Duration, Instant};

fn write(id: &str, path: &str) -> (String, serde_json::Value) {
    (id.to_owned(), json!({"path": path, "content": "x"}))
}

/// Runs a command of another terminal, which has to succeed.
fn other(scene: &Scene, args: &[&str]) {
    let done = scene.command(args).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn an_open_question_notices_at_once_that_it_was_decided_and_goes_on() {
    let (id, args) = write("c0", "a.txt");
    let server = ChatServer::script(vec![call(&id, "write_file", args), text("Written.", 10, 2)]);
    let scene = Scene::new(&server);
    let terminal = scene.terminal(&["run", "Write a.txt"]);
    terminal.wait_for("run it?");
    terminal.type_in("n");
    let begun = Instant::now();
    other(&scene, &["approve", "last:1.1"]);
    terminal.wait_for("decided elsewhere: approved by a person (cli)");
    assert!(begun.elapsed() < Duration::from_secs(10), "without a key: {:?}", begun.elapsed());
    terminal.wait_for("completed");
    let screen = terminal.screen();
    assert!(
        !screen.contains("in the hands of"),
        "who writes a decision down is no worker to watch: {screen}"
    );
    assert_eq!(terminal.end(), 0);
    assert_eq!(scene.read("a.txt"), "x");
}

#[test]
fn keys_in_flight_never_answer_the_next_question() {
    let ((a, first), (b, second)) = (write("c0", "a.txt"), write("c1", "b.txt"));
    let server = ChatServer::script(vec![
        Answer::calls(&[(&a, "write_file", first), (&b, "write_file", second)]),
        text("Written.", 10, 2),
    ]);
    let scene = Scene::new(&server);
    let terminal = scene.terminal(&["run", "Write both"]);
    terminal.wait_for("run it?");
    // Begun before the decision, ended after it: it was meant for the first question.
    terminal.type_in("y");
    other(&scene, &["deny", "last:1.1", "--reason", "not this one"]);
    terminal.wait_for("decided elsewhere: denied");
    terminal.type_in("y\ry\r");
    terminal.wait_for_times("run it?", 2);
    terminal.type_in("n\r");
    terminal.wait_for("why not?");
    terminal.type_in("nor this one\r");
    terminal.wait_for("completed");
    assert_eq!(terminal.end(), 0);
    assert_eq!((scene.read("a.txt"), scene.read("b.txt")), (String::new(), String::new()));
    let told = server.requests().last().unwrap().body.to_string();
    assert!(told.contains("not this one") && told.contains("nor this one"), "{told}");
}

#[test]
fn what_is_decided_while_another_question_is_open_is_not_asked_any_more() {
    let ((a, first), (b, second)) = (write("c0", "a.txt"), write("c1", "b.txt"));
    let server = ChatServer::script(vec![
        Answer::calls(&[(&a, "write_file", first), (&b, "write_file", second)]),
        text("Written.", 10, 2),
    ]);
    let scene = Scene::new(&server);
    let terminal = scene.terminal(&["run", "Write both"]);
    terminal.wait_for("run it?");
    other(&scene, &["approve", "last:1.2"]);
    terminal.type_in("y\r");
    terminal.wait_for("1.2 write_file: decided elsewhere: approved by a person (cli)");
    terminal.wait_for("completed");
    assert_eq!(terminal.screen().matches("run it?").count(), 1, "{}", terminal.screen());
    assert_eq!((scene.read("a.txt"), scene.read("b.txt")), ("x".to_owned(), "x".to_owned()));
}

#[test]
fn a_question_of_the_agent_that_is_answered_elsewhere_is_noticed_too() {
    let server = ChatServer::script(vec![
        call("c0", "ask_person", json!({"question": "Which colour?"})),
        text("Blue it is.", 10, 2),
    ]);
    let scene = Scene::new(&server);
    let terminal = scene.terminal(&["run", "Ask"]);
    terminal.wait_for("your answer");
    terminal.type_in("gre");
    other(&scene, &["answer", "last:1.1", "blue"]);
    terminal.wait_for("decided elsewhere: answered by a person (cli)");
    terminal.wait_for("completed");
    assert_eq!(terminal.end(), 0);
    assert!(server.requests().last().unwrap().body.to_string().contains("blue"));
}

#[test]
fn a_run_that_is_cancelled_elsewhere_leaves_no_question_behind() {
    let (id, args) = write("c0", "a.txt");
    let server = ChatServer::script(vec![call(&id, "write_file", args)]);
    let scene = Scene::new(&server);
    let terminal = scene.terminal(&["run", "Write a.txt"]);
    terminal.wait_for("run it?");
    other(&scene, &["cancel", "last"]);
    terminal.wait_for("elsewhere the run was cancelled by a person (cli)");
    assert_eq!(terminal.end(), 5);
    assert_eq!(scene.read("a.txt"), "");
}

#[test]
fn a_held_run_that_is_told_to_go_on_elsewhere_goes_on() {
    // The same call with the same result again and again is taken for a loop.
    let server = ChatServer::start(|n, request| {
        let told = request.body.to_string().contains("that is enough");
        if told { text("Enough.", 10, 2) } else { call(&format!("c{n}"), "list_files", json!({})) }
    });
    let scene = Scene::new(&server);
    let terminal = scene.terminal(&["run", "Look"]);
    terminal.wait_for("c continue");
    other(&scene, &["message", "last", "that is enough"]);
    terminal.wait_for("elsewhere the run was told to go on by a person (cli)");
    terminal.wait_for("completed");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_terminal_that_watches_another_worker_notices_and_asks_each_thing_once() {
    let ((a, first), (b, second)) = (write("c0", "a.txt"), write("c1", "b.txt"));
    let server = ChatServer::script(vec![
        Answer::calls(&[(&a, "write_file", first), (&b, "write_file", second)]),
        text("Written.", 10, 2),
    ]);
    let scene = Scene::new(&server);
    let mut worker = scene.start(&["run", "Write both", "--wait"]);
    worker.until("call_waiting");
    worker.until("call_waiting");
    let terminal = scene.terminal(&["resume", "last"]);
    terminal.wait_for("run it?");
    terminal.type_in("y\r");
    terminal.wait_for_times("run it?", 2);
    other(&scene, &["approve", "last:1.2"]);
    terminal.wait_for("decided elsewhere: approved by a person (cli)");
    terminal.wait_for("completed");
    assert_eq!(terminal.screen().matches("run it?").count(), 2, "{}", terminal.screen());
    assert_eq!(terminal.end(), 0);
    worker.finish().expect(0, "completed");
    assert_eq!((scene.read("a.txt"), scene.read("b.txt")), ("x".to_owned(), "x".to_owned()));
}
