//! Arguments edited at the question, in the person's own editor.

use super::scene::{Scene, call, text};
use crate::suite::provider::server::ChatServer;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

/// A scene whose editor keeps what it was given as `seen-N` and saves the text of `give-N` instead.
fn scene(server: &ChatServer, give: &[&str]) -> Scene {
    let scene = Scene::new(server);
    let editor = scene.root().join("editor");
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nn=0; while [ -e seen-$n ]; do n=$((n+1)); done\n\
                  cp \"$1\" seen-$n && cat give-$n > \"$1\"\n";
    std::fs::write(&editor, script).unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (n, text) in give.iter().enumerate() {
        std::fs::write(scene.root().join(format!("give-{n}")), text).unwrap();
    }
    let editor = editor.to_str().unwrap().to_owned();
    scene.with_variable("EDITOR", &editor)
}

fn server() -> ChatServer {
    ChatServer::script(vec![
        call("c0", "write_file", json!({"path": "a.txt", "content": "agent"})),
        text("Written.", 10, 2),
    ])
}

fn seen(scene: &Scene, n: usize) -> String {
    std::fs::read_to_string(scene.root().join(format!("seen-{n}"))).unwrap_or_default()
}

#[test]
fn e_opens_the_editor_and_what_does_not_fit_is_told_and_not_lost() {
    let server = server();
    let misfit = r#"{"path": "a.txt", "contents": "mine"}"#;
    let good = r#"{"path": "a.txt", "content": "mine"}"#;
    let scene = scene(&server, &["{ not JSON", misfit, good]);
    let terminal = scene.terminal(&["run", "Write a.txt"]);
    terminal.wait_for("run it?");
    terminal.type_in("e\r");
    terminal.wait_for("this is not JSON");
    terminal.wait_for_times("run it?", 2);
    terminal.type_in("e\r");
    terminal.wait_for("the new arguments do not fit");
    terminal.wait_for_times("run it?", 3);
    terminal.type_in("e\r");
    terminal.wait_for("your arguments:");
    terminal.wait_for("run it with your arguments?");
    assert_eq!(scene.read("a.txt"), "", "saving a text approves nothing");
    terminal.type_in("y\r");
    terminal.wait_for("completed");
    assert_eq!(terminal.end(), 0);
    assert_eq!(scene.read("a.txt"), "mine");
    let first = seen(&scene, 0);
    let args: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(args, json!({"path": "a.txt", "content": "agent"}));
    assert!(first.lines().count() > 2, "over several lines: {first}");
    assert_eq!(
        [seen(&scene, 1).as_str(), &seen(&scene, 2)],
        ["{ not JSON", misfit],
        "reopened as it was left"
    );
}

#[test]
fn an_edit_that_changes_nothing_or_fails_leaves_the_question_open() {
    let server = server();
    let scene = scene(&server, &[r#"{"content": "agent", "path": "a.txt"}"#]);
    let terminal = scene.terminal(&["run", "Write a.txt"]);
    terminal.wait_for("run it?");
    terminal.type_in("e\r");
    terminal.wait_for("the arguments are as they were");
    terminal.wait_for_times("run it?", 2);
    // There is no second text to give: the editor ends with an error.
    terminal.type_in("e\r");
    terminal.wait_for("nothing was changed");
    terminal.wait_for("--args JSON` needs no editor");
    terminal.wait_for_times("run it?", 3);
    terminal.type_in("\r");
    assert_eq!(terminal.end(), 4);
    assert_eq!(scene.read("a.txt"), "");
}

#[test]
fn edited_text_survives_a_decision_made_elsewhere() {
    let server = server();
    let scene = scene(&server, &["{ my long text"]);
    let temp = tempfile::tempdir().unwrap();
    let scene = scene.with_variable("TMPDIR", temp.path().to_str().unwrap());
    let terminal = scene.terminal(&["run", "Write a.txt"]);
    terminal.wait_for("run it?");
    terminal.type_in("e\r");
    terminal.wait_for("this is not JSON");
    terminal.wait_for_times("run it?", 2);
    assert!(scene.command(&["approve", "last:1.1"]).output().unwrap().status.success());
    terminal.wait_for("your arguments are kept in");
    terminal.wait_for("completed");
    assert_eq!(scene.read("a.txt"), "agent");
    let kept: Vec<String> = std::fs::read_dir(temp.path())
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert_eq!(kept, ["{ my long text"]);
}
