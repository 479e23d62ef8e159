//! AGENTS.md of the workspace: its words stand in the system message, those of the file as it is when a run is taken up.

use super::scene::{MANY_TURNS, Scene, call, messages, text};
use crate::suite::provider::server::{ChatServer, Request};
use serde_json::json;

fn head(request: &Request) -> &str {
    let first = &messages(request)[0];
    assert_eq!(first["role"], "system");
    first["content"].as_str().unwrap()
}

#[test]
fn its_words_stand_in_the_system_message_and_a_change_is_seen_when_the_run_is_taken_up_again() {
    let server = ChatServer::start(|n, _| match n {
        0..=5 => call(&format!("c{n}"), "read_file", json!({"path": "a.txt", "offset": n + 1})),
        _ => text("Done.", 10, 3),
    });
    let scene = Scene::of(&server, "", MANY_TURNS);
    scene.file("a.txt", &"a line\n".repeat(9));
    scene.file("AGENTS.md", "Count twice.\n数两遍。\n");
    // The last of them is the report.
    let first = scene.run("Look", &["--max-steps", "2"]);
    first.expect(3, "limit");
    assert_eq!(first.all("instructions_read").len(), 1);
    let read = "WORKSPACE INSTRUCTIONS (AGENTS.md of the folder; they hold unless the rules above or the GOAL say \
                otherwise)\nCount twice.\n数两遍。\n";
    let requests = server.requests();
    for request in &requests {
        assert!(head(request).contains(read), "{}", head(request));
        let goal = head(request).find("\nGOAL (version ").unwrap();
        assert!(head(request).find("Count twice.").unwrap() < goal, "before the goal");
    }
    // As it was: nothing is read anew.
    let again = scene.resume(&["--max-steps", "3"]);
    assert!(again.all("instructions_read").is_empty(), "{:?}", again.kinds());
    let before = server.requests().len();
    scene.file("AGENTS.md", "Count three times.\n");
    let last = scene.resume(&["--max-steps", "30"]);
    last.expect(0, "completed");
    assert_eq!(last.all("instructions_read").len(), 1);
    let requests = server.requests();
    for request in &requests[before..] {
        let head = head(request);
        assert!(head.contains("Count three times.") && !head.contains("Count twice."), "{head}");
    }
    // The system message changes once, and is the same to the byte from there on.
    assert!(requests[before..].windows(2).all(|pair| head(&pair[0]) == head(&pair[1])));
    for step in ["1", "4"] {
        let out =
            scene.command(&["context", "last", "--request", "--json", "--step", step]).output().unwrap();
        assert_eq!(out.status.code(), Some(0), "step {step}");
    }
}

#[test]
fn a_change_while_the_worker_is_at_work_waits_for_the_next_one() {
    let server = ChatServer::script(vec![
        call("c0", "write_file", json!({"path": "AGENTS.md", "content": "Obey the file.\n"})),
        call("c1", "read_file", json!({"path": "AGENTS.md"})),
        text("Done.", 10, 3),
    ]);
    let scene = Scene::of(&server, "", MANY_TURNS);
    scene.file("AGENTS.md", "Count twice.\n");
    scene.run("Look", &[]).expect(0, "completed");
    // What the agent itself writes there binds nobody in mid-run.
    for request in &server.requests() {
        assert!(head(request).contains("Count twice.") && !head(request).contains("Obey the file."));
    }
}
