//! The question of `rollback` and `redo` in a terminal: only a typed yes moves anything.

use super::scene::{Scene, call, text};
use crate::suite::provider::server::ChatServer;
use serde_json::json;

/// A scene with a run that wrote a file, and is over.
fn scene() -> Scene {
    let server = ChatServer::script(vec![
        call("c0", "write_file", json!({"path": "a.txt", "content": "x"})),
        text("Written.", 10, 2),
    ]);
    let scene = Scene::new(&server);
    scene.run("Write a.txt", &[]).expect(0, "completed");
    scene
}

/// Types this at the question, and gives exit code and screen.
fn answer(scene: &Scene, args: &[&str], question: &str, keys: &str) -> (u32, String) {
    let terminal = scene.terminal(args);
    terminal.wait_for(question);
    terminal.type_in(keys);
    let screen = terminal.screen.clone();
    let code = terminal.end();
    let screen = screen.lock().unwrap().clone();
    (code, screen)
}

const BACK: &[&str] = &["rollback", "last", "--to", "0"];

#[test]
fn anything_but_yes_changes_nothing() {
    let scene = scene();
    for (keys, code) in [("n\r", 0), ("\r", 0), ("yess\r", 0), ("\u{4}", 0), ("y\u{3}", 130)] {
        let (found, screen) = answer(&scene, BACK, "roll back?", keys);
        assert_eq!(found, code, "{keys:?}: {screen}");
        assert!(screen.contains("removed: a.txt"), "what would happen is shown first: {screen}");
        assert_eq!(scene.read("a.txt"), "x", "{keys:?}");
    }
}

#[test]
fn yes_goes_back_and_yes_again_goes_forward() {
    let scene = scene();
    let (code, screen) = answer(&scene, BACK, "roll back?", "y\r");
    assert_eq!(code, 0, "{screen}");
    assert!(!scene.workspace().join("a.txt").exists(), "{screen}");
    for keys in ["n\r", "\u{3}"] {
        answer(&scene, &["redo", "last"], "undo the rollback?", keys);
        assert!(!scene.workspace().join("a.txt").exists(), "{keys:?}");
    }
    let (code, screen) = answer(&scene, &["redo", "last"], "undo the rollback?", "yes\r");
    assert_eq!((code, scene.read("a.txt")), (0, "x".to_owned()), "{screen}");
}
