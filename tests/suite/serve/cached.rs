//! What a server took from its prompt cache, as it says it, where a person looks.

use super::scene::{MANY_TURNS, Scene, text};
use crate::suite::provider::server::{Answer, ChatServer};
use serde_json::{Value, json};

/// A reply whose usage is this.
fn counted(n: usize, usage: Value) -> Answer {
    let arguments = json!({"path": "a.txt", "offset": n + 1}).to_string();
    let one = json!({"index": 0, "id": format!("c{n}"), "type": "function",
        "function": {"name": "read_file", "arguments": arguments}});
    Answer::stream()
        .data(&json!({"choices": [{"index": 0, "delta": {"tool_calls": [one]}}]}))
        .data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}))
        .data(&json!({"choices": [], "usage": usage}))
        .done()
}

#[test]
fn the_share_that_a_server_took_from_its_cache_is_shown_as_it_says_it() {
    // Each family of servers has its own name for it; one says nothing.
    let usages = [
        json!({"prompt_tokens": 8000, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 6000}}),
        json!({"prompt_tokens": 9000, "completion_tokens": 20, "prompt_cache_hit_tokens": 8100,
            "prompt_cache_miss_tokens": 900}),
        json!({"prompt_tokens": 9500, "completion_tokens": 20}),
    ];
    let server = ChatServer::start(move |n, _| match usages.get(n) {
        Some(usage) => counted(n, usage.clone()),
        None => text("Seen.", 9600, 3),
    });
    let scene = Scene::of(&server, "", MANY_TURNS);
    scene.file("a.txt", "one\ntwo\nthree\nfour\n");
    let end = scene.run("Look", &[]);
    end.expect(0, "completed");
    for (step, prompt, cached, words) in [
        ("1", 8000, 6000, "cached 6,000 (75 %)"),
        ("2", 9000, 8100, "cached 8,100 (90 %)"),
        ("3", 9500, 0, "cached 0 (0 %)"),
    ] {
        let said = |more: &[&str]| {
            let out = scene.command(&[&["context", "last", "--step", step], more].concat()).output().unwrap();
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
            String::from_utf8(out.stdout).unwrap()
        };
        let page = said(&[]);
        assert!(page.contains(words), "step {step}: {page}");
        let json: Value = serde_json::from_str(&said(&["--json"])).unwrap();
        assert_eq!((&json["server"]["cached"], &json["server"]["prompt"]), (&json!(cached), &json!(prompt)));
        assert_eq!(json["server"]["estimated"], false);
        let ours = json["prompt"].as_u64().unwrap();
        assert_ne!(ours, prompt, "the share is of the server's own count, not of ours");
    }
    // What came out of the cache counts against no limit.
    let charged = (8_000 - 6_000) + (9_000 - 8_100) + 9_500 + 9_600 + 3 * 20 + 3;
    assert_eq!(end.end()["report"]["totals"]["charged"], charged, "{}", end.end()["report"]);
}

#[test]
fn where_a_server_counts_nothing_no_share_is_made_up() {
    let server = ChatServer::script(vec![
        Answer::stream()
            .data(&json!({"choices": [{"index": 0, "delta": {"content": "Seen."}}]}))
            .data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
            .done(),
    ]);
    let scene = Scene::of(&server, "", MANY_TURNS);
    scene.run("Look", &[]).expect(0, "completed");
    let out = scene.command(&["context", "last"]).output().unwrap();
    let page = String::from_utf8(out.stdout).unwrap();
    assert!(page.contains("no usable figures from the server") && !page.contains("cached"), "{page}");
}
