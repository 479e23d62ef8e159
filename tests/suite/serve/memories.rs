//! Memories as a run meets them: two that disagree, and one that would hold a secret.

use super::scene::{KEY, MANY_TURNS, Scene, all_text, call, messages, text};
use crate::suite::provider::server::ChatServer;
use serde_json::{Value, json};

fn remember(scene: &Scene, args: &[&str]) {
    let done = scene.command(&[&["memory", "add"], args].concat()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// The facts that are remembered, the newest first.
fn facts(scene: &Scene) -> Vec<Value> {
    let listed = scene.command(&["memory", "ls", "--all", "--kind", "fact", "--json"]).output().unwrap();
    serde_json::from_slice(&listed.stdout).unwrap()
}

#[test]
fn of_two_memories_that_disagree_the_request_says_so_beside_both() {
    let server = ChatServer::script(vec![
        call("c0", "remember", json!({"kind": "fact", "text": "Export uses 8 threads"})),
        text("Eight or four.", 10, 2),
    ]);
    let scene = Scene::of(&server, "", &format!("{MANY_TURNS}[memory]\nkeep_results = false\n"));
    remember(&scene, &["Export uses 4 threads"]);
    remember(&scene, &["A run of the export names its threads in the header line of the ledger"]);
    // The first run is told of one and finds another.
    scene.run("How many threads does export use?", &[]).expect(0, "completed");
    let before = all_text(&server.requests()[0]);
    assert!(before.contains("Export uses 4 threads") && !before.contains("says otherwise"), "{before}");
    let known = facts(&scene);
    let [newer, _, older] = known.as_slice() else { panic!("{known:?}") };
    assert_eq!(newer["disagrees_with"], older["id"], "{known:?}");

    let asked = server.requests().len();
    scene.run("How many threads does the export use?", &[]).expect(0, "completed");
    let request = &server.requests()[asked];
    let tail = messages(request).last().unwrap()["content"].as_str().unwrap();
    let line =
        |words: &str| tail.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{tail}"));
    for (words, other) in [("Export uses 4 threads", &newer["id"]), ("Export uses 8 threads", &older["id"])] {
        let doubt = format!("(another memory, {other}, says otherwise; a person has not decided yet)");
        assert!(line(words).contains(&doubt), "{tail}");
    }
    assert!(
        line("4 threads").contains("[fact, the person, ") && line("8 threads").contains(" step 1, "),
        "{tail}"
    );
    assert!(!line("names its threads").contains("says otherwise"), "{tail}");

    // A person decides: what is left is in no doubt.
    assert!(scene.command(&["memory", "settle", "1", "--keep", "1"]).status().unwrap().success());
    let asked = server.requests().len();
    scene.run("How many threads does the export use?", &[]).expect(0, "completed");
    let after = all_text(&server.requests()[asked]);
    assert!(after.contains("Export uses 4 threads"), "{after}");
    assert!(!after.contains("8 threads") && !after.contains("says otherwise"), "{after}");
}

/// Whatever the others' own scores: they share no word with what is asked.
#[test]
fn the_sides_of_a_conflict_come_together_and_dated() {
    for ports in [vec![3030, 3031], vec![3030, 3031, 3032], vec![3030, 3031, 3032, 3033, 3034]] {
        let server = ChatServer::script(vec![text("Somewhere.", 10, 2)]);
        let scene = Scene::of(&server, "", &format!("{MANY_TURNS}[memory]\nkeep_results = false\n"));
        for (n, port) in ports.iter().enumerate() {
            let more = if n == 0 { ", zebra" } else { "" };
            remember(&scene, &[&format!("Deploy port is {port}{more}")]);
        }
        scene.run("Feed the zebra", &[]).expect(0, "completed");
        let requests = server.requests();
        let tail = messages(&requests[0]).last().unwrap()["content"].as_str().unwrap();
        let lines: Vec<&str> = tail.lines().filter(|line| line.contains("Deploy port is")).collect();
        assert_eq!(lines.len(), ports.len().min(3), "{tail}");
        for line in &lines {
            assert!(line.contains("says otherwise") && line.contains("[fact, the person, 20"), "{line}");
        }
        let newest: Vec<&&str> = lines.iter().skip(1).collect();
        assert!(newest.iter().zip(ports.iter().rev()).all(|(line, port)| line.contains(&port.to_string())));
        let told = lines[0].contains("and so do 2 more that are not shown;");
        assert_eq!(told, ports.len() == 5, "{tail}");
    }
}

#[test]
fn a_secret_is_never_remembered_and_the_agent_is_told() {
    let key = format!("The server wants the key {} in a header", KEY.1);
    let form = "The token of the forge is ghp_0123456789abcdefghij0123456789abcdef";
    let named = "The server wants the key of STUB_KEY in a header";
    let texts = [key, form.to_owned(), named.to_owned()];
    let server = ChatServer::start(move |n, _| match texts.get(n) {
        Some(words) => call(&format!("c{n}"), "remember", json!({"kind": "fact", "text": words})),
        None => text("Kept.", 10, 2),
    });
    let scene = Scene::of(&server, "", MANY_TURNS);
    let end = scene.run("Keep what you need", &[]);
    end.expect(0, "completed");
    let requests = server.requests();
    for at in [1, 2] {
        let last = messages(&requests[at]).iter().rev().find(|message| message["role"] == "tool").unwrap();
        let words = last["content"].as_str().unwrap();
        assert!(words.contains("error [secret_in_arguments]"), "{at}: {words}");
    }
    let known: Vec<Value> = facts(&scene).into_iter().map(|one| one["text"].clone()).collect();
    assert_eq!(known, [json!(named)], "what holds no secret is kept");
    let everything = format!("{:?} {}", end.lines, end.talk);
    for secret in [KEY.1, "ghp_0123456789abcdefghij0123456789abcdef"] {
        assert!(!everything.contains(secret));
        assert!(requests[1..].iter().all(|request| !request.body.to_string().contains(secret)));
        for name in ["w.db", "w.db-wal"] {
            let bytes = std::fs::read(scene.root().join(name)).unwrap_or_default();
            assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{name}");
        }
    }
}
