//! Line mode in a real terminal.

use super::scene::{Scene, call, text};
use crate::suite::provider::server::{Answer, ChatServer};
use rustix::process::Signal;
use serde_json::json;

#[test]
fn a_signal_ends_the_process_at_a_question_and_the_call_still_waits() {
    for (signal, code) in [(Signal::TERM, 130), (Signal::INT, 130), (Signal::HUP, 130)] {
        let server = ChatServer::script(vec![
            call("c0", "write_file", json!({"path": "a.txt", "content": "x"})),
            text("Written.", 10, 2),
        ]);
        let scene = Scene::new(&server);
        let terminal = scene.terminal(&["run", "Write a.txt"]);
        terminal.wait_for("run it?");
        assert_eq!(terminal.end_by(signal), code, "{signal:?}");
        assert_eq!(scene.read("a.txt"), "", "nothing ran");
        scene.resume(&[]).waits_for("approval");
    }
}

#[test]
fn under_the_schema_protocol_people_see_words_and_not_json() {
    let reply = |words: &str| {
        let pieces = words.as_bytes().chunks(7).map(|p| String::from_utf8_lossy(p).into_owned());
        let stream = pieces.fold(Answer::stream(), |answer, piece| {
            answer.data(&json!({"choices": [{"index": 0, "delta": {"content": piece}}]}))
        });
        stream.data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})).done()
    };
    let server = ChatServer::script(vec![
        reply(
            r#"{"thought": "I look at the folder first.", "action": {"tool": "list_files", "arguments": {}}, "final_answer": null}"#,
        ),
        reply(r#"{"thought": "Nothing is there.", "action": null, "final_answer": "The folder is empty."}"#),
    ]);
    let scene = Scene::of(&server, "protocol = \"schema\"", "");
    let terminal = scene.terminal(&["run", "Look"]);
    terminal.wait_for("completed");
    let screen = terminal.screen();
    assert!(screen.contains("I look at the folder first."), "{screen}");
    assert!(screen.contains("The folder is empty.") && !screen.contains("final_answer"), "{screen}");
}
