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

#[test]
fn a_decision_is_asked_in_place_in_words_and_a_number_chooses() {
    let args = json!({
        "goal": "Export fast", "why": "It is measured.", "recommendation": "2",
        "options": [
            {"title": "Wait", "effect_on_goal": "nothing gets faster"},
            {"title": "Use rayon", "effect_on_goal": "twice as fast"},
        ],
    });
    let server = ChatServer::script(vec![call("c0", "decide", args), text("So be it.", 10, 2)]);
    let scene = Scene::of(&server, "", "[decide]\ndefault_after = \"1h\"\n");
    let terminal = scene.terminal(&["run", "Make it fast"]);
    terminal.wait_for("your answer");
    let screen = terminal.screen();
    let asked = screen.split("! 1.1 decide").nth(1).unwrap();
    for words in [
        "the goal as the agent sees it: Export fast",
        "1  Wait",
        "2  Use rayon",
        "twice as fast",
        "the agent recommends 2, Use rayon: It is measured.",
        "answer with its number, its title or words of your own",
        "without an answer the agent's recommendation is taken at ",
    ] {
        assert!(asked.contains(words), "{words}: {screen}");
    }
    assert!(!asked.contains("effect_on_goal") && !asked.contains('{'), "{screen}");
    terminal.type_in("3\r");
    terminal.wait_for("it has the options 1 to 2; there is no 3");
    terminal.type_in("1\r");
    terminal.wait_for("completed");
    assert_eq!(terminal.end(), 0);
    let told = server.requests().last().unwrap().body["messages"].to_string();
    assert!(told.contains("\"content\":\"Wait\""), "{told}");
}
