//! Replies that are no whole replies: cut streams, filters, servers that do not stop; and what the person is told.

use super::scene::{Scene, all_text, assert_paired, text};
use crate::suite::provider::server::{Answer, ChatServer};
use serde_json::json;

fn done() -> Answer {
    text("It is done.", 20, 4)
}

#[test]
fn a_whole_call_in_a_stream_that_was_cut_never_runs() {
    // P09.
    let cut = Answer::stream().data(&json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "x",
        "type": "function", "function": {"name": "write_file", "arguments": "{\"path\":\"a\",\"content\":\"b\"}"}}]}}]}));
    let server = ChatServer::script(vec![cut, done()]);
    let scene = Scene::new(&server);
    let end = scene.run("Look", &[]);
    end.expect(0, "completed");
    assert_eq!(end.all("model_failed")[0]["kind"], "cut_stream");
    assert!(end.all("call_proposed").is_empty() && !scene.workspace().join("a").exists());
}

#[test]
fn what_had_come_of_a_reply_that_broke_off_is_kept_for_the_person_and_not_told_to_the_model() {
    let begun = "I begin with the files.\n".repeat(300);
    let cut = Answer::stream().data(&json!({"choices": [{"index": 0, "delta": {"content": begun}}]}));
    let server = ChatServer::script(vec![cut, done()]);
    let scene = Scene::new(&server);
    let end = scene.run("Look", &[]);
    end.expect(0, "completed");
    let partial = &end.all("model_failed")[0]["partial"];
    let blob = partial["blob"].is_object()
        || partial["inline"].as_str().is_some_and(|text| text.contains("I begin"));
    assert!(blob, "{partial}");
    assert!(!all_text(&server.requests()[1]).contains("I begin"));
    // Its text is in the store, and stays there.
    let said = scene.command(&["doctor", "--json"]).output().unwrap();
    assert!(said.status.success(), "{said:?}");
}

#[test]
fn what_a_content_filter_leaves_is_no_claim_to_be_done() {
    let filtered = Answer::chunks(&[
        json!({"choices": [{"index": 0, "delta": {"content": "I will now"}}]}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "content_filter"}]}),
    ]);
    let empty =
        Answer::chunks(&[json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "content_filter"}]})]);
    let server = ChatServer::script(vec![filtered, done()]);
    let end = Scene::new(&server).run("Look", &[]);
    end.expect(0, "completed");
    assert_eq!(end.end()["report"]["answer"], "It is done.");
    assert!(all_text(&server.requests()[1]).contains("content filter"));

    let server = ChatServer::start(move |_, _| empty.clone());
    let scene = Scene::of(&server, "", "[limits]\nmodel_retries = 1\n");
    let end = scene.run("Look", &[]);
    end.expect(5, "failed");
    let reason = end.end()["report"]["reason"].as_str().unwrap();
    assert!(reason.contains("content filter"), "{reason}");
}

#[test]
fn a_server_that_does_not_stop_is_cut_off() {
    let piece = json!({"choices": [{"index": 0, "delta": {"content": "word ".repeat(2_000)}}]});
    let endless = (0..400).fold(Answer::stream(), |answer, _| answer.data(&piece)).hang();
    let server = ChatServer::script(vec![endless, done()]);
    let scene = Scene::of(&server, "reserve = 512", "");
    let end = scene.run("Look", &[]);
    end.expect(0, "completed");
    let reply = end.all("model_replied")[0];
    assert_eq!(reply["finish"], "length");
    let charged = reply["usage"]["completion"].as_u64().unwrap();
    assert!((512..40_000).contains(&charged), "{charged}");
    assert!(reply["usage"]["prompt"].as_u64().unwrap() > 0 && reply["usage"]["estimated"] == true);
    let request = &server.requests()[1];
    assert_paired(request);
    let told = all_text(request);
    assert!(told.contains("cut off by its length limit") && told.len() < 32_000, "{}", told.len());
}

#[test]
fn the_person_is_told_why_a_reply_goes_back_and_which_check_stops_the_run() {
    let server = ChatServer::start(|_, _| text("Done.", 10, 3));
    let scene = Scene::new(&server);
    let args =
        ["run", "Write", "--approve", "auto", "--headless", "--check", "cmd:echo no such luck; exit 3"];
    let out = scene.command(&args).output().unwrap();
    assert_eq!(out.status.code(), Some(4));
    let talk = String::from_utf8_lossy(&out.stderr);
    let back = talk.lines().find(|line| line.contains('↩')).unwrap_or_else(|| panic!("{talk}"));
    assert!(back.contains("cmd:echo no such luck"), "{back}");
    assert!(!talk.contains("failures in a row"), "{talk}");
    assert!(talk.contains("the run waits: a check fails again and again: cmd:echo no such luck"), "{talk}");
    scene.resume(&[]).waits_for("failed_check");
}
