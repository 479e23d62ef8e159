//! A profile whose template takes no message at the end: the state stands at the head of each request.

use super::scene::{MANY_TURNS, Scene, all_text, assert_paired, call, messages, text};
use crate::suite::provider::server::ChatServer;
use serde_json::json;

#[test]
fn the_state_stands_at_the_head_of_each_of_twenty_requests_and_nowhere_else() {
    let server = ChatServer::start(|n, _| match n {
        0 => call("c0", "note", json!({"kind": "fact", "text": "the ledger has two tables"})),
        1..=19 => call(&format!("c{n}"), "read_file", json!({"path": "a.txt", "offset": n})),
        _ => text("All is read.", 10, 5),
    });
    let scene = Scene::of(&server, "window = 12000\nreserve = 1000\nstate_at_head = true", MANY_TURNS);
    scene.file("a.txt", &"a line of the file\n".repeat(40));
    let end = scene.run("Read it line by line", &[]);
    end.expect(0, "completed");
    assert!(!end.all("rounds_folded").is_empty(), "{:?}", end.kinds());
    let requests = server.requests();
    assert_eq!(requests.len(), 21);
    for (at, request) in requests.iter().enumerate() {
        assert_paired(request);
        let all = messages(request);
        let head = all[0]["content"].as_str().unwrap();
        assert_eq!(all[0]["role"], "system");
        assert!(head.contains("STATE kept by wakeful"), "request {at}: {head}");
        assert_eq!(head.contains("the ledger has two tables"), at > 0, "request {at}: {head}");
        assert_eq!(all_text(request).matches("STATE kept by wakeful").count(), 1, "request {at}");
        let last = all.last().unwrap();
        assert!(last["role"] == "user" || last["role"] == "tool", "request {at}: {last}");
        assert_eq!(all.iter().filter(|message| message["role"] == "system").count(), 1);
    }
    let out = scene.command(&["context", "last", "--request", "--json", "--step", "15"]).output().unwrap();
    assert_eq!(out.status.code(), Some(0));
}
