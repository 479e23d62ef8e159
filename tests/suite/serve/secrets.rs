//! An API key is never in the database, beside it, or in what is printed.

use super::scene::{KEY, Scene, call, text};
use crate::suite::provider::server::{Answer, ChatServer};
use serde_json::json;
use std::path::Path;

/// Files under `folder` that hold the key.
fn holding(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            holding(&path, found);
        } else if let Ok(bytes) = std::fs::read(&path) {
            let key = KEY.1.as_bytes();
            if bytes.windows(key.len()).any(|w| w == key) {
                found.push(path.display().to_string());
            }
        }
    }
}

fn assert_nowhere(scene: &Scene, printed: &[u8]) {
    let mut found = Vec::new();
    holding(scene.root(), &mut found);
    assert!(found.is_empty(), "the key stands in {found:?}");
    assert!(!String::from_utf8_lossy(printed).contains(KEY.1), "the key was printed");
}

#[test]
fn a_key_that_the_server_repeats_is_masked() {
    let body = json!({"error": {"message": format!("Incorrect API key provided: {}", KEY.1), "code": "invalid_api_key"}});
    let server = ChatServer::script(vec![Answer::json(401, &body)]);
    let scene = Scene::new(&server);
    let out = scene.command(&["run", "Look", "--headless", "--json"]).output().unwrap();
    assert_eq!(out.status.code(), Some(5), "{}", String::from_utf8_lossy(&out.stderr));
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(said.contains("Incorrect API key"), "{said}");
    assert_nowhere(&scene, &[out.stdout, out.stderr].concat());
}

#[test]
fn a_command_does_not_see_the_key() {
    let server = ChatServer::script(vec![
        call("c0", "shell", json!({"command": "env; cat /proc/$PPID/environ | tr '\\0' '\\n'"})),
        text("Seen.", 10, 3),
    ]);
    let scene = Scene::new(&server);
    let out = scene.command(&["run", "Look", "--approve", "auto", "--headless", "--json"]).output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(String::from_utf8_lossy(&out.stdout).contains("PATH="), "the environment was shown");
    assert_nowhere(&scene, &[out.stdout, out.stderr].concat());
}

#[test]
fn a_key_that_the_model_or_a_tool_repeats_is_masked_before_it_is_stored() {
    // In two halves, so that the file itself does not count.
    let (a, b) = KEY.1.split_at(12);
    let script = format!("printf '%s%s' '{a}' '{b}'");
    let server = ChatServer::script(vec![
        call("c0", "shell", json!({"command": "sh say.sh"})),
        text(&format!("The key is {}.", KEY.1), 10, 3),
    ]);
    let scene = Scene::new(&server);
    scene.file("say.sh", &script);
    let out = scene.command(&["run", "Look", "--approve", "auto", "--headless", "--json"]).output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    assert_nowhere(&scene, &[out.stdout, out.stderr].concat());
}
