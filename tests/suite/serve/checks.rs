//! Acceptance checks decide whether a claim to be done is one.

use super::scene::{Scene, all_text, text, wait_until};
use crate::suite::provider::server::{Answer, ChatServer, Gate};
use serde_json::{Value, json};
use wakeful::run::Goal;
use wakeful::run::control::{Control, Decision};

fn answers(words: &'static [&'static str]) -> ChatServer {
    ChatServer::start(move |n, _| text(words[n.min(words.len() - 1)], 10, 3))
}

fn block<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(future)
}

#[test]
fn a_failing_check_goes_back_three_times_and_then_a_person_is_asked() {
    let server = answers(&["Done."]);
    let scene = Scene::new(&server);
    scene.run("Write a.txt", &["--check", "file:a.txt"]).waits_for("failed_check");
    let requests = server.requests();
    assert_eq!(requests.len(), 4, "the first claim and three more");
    for request in &requests[1..] {
        assert!(all_text(request).contains("there is no file a.txt"), "{}", all_text(request));
    }
    scene.resume(&[]).waits_for("failed_check");
    // The person makes the file and says go on: the same claim is judged anew.
    scene.file("a.txt", "x");
    block(scene.post(Control::Continue));
    let end = scene.resume(&[]);
    end.expect(0, "completed");
    assert_eq!(end.end()["report"]["checks"][0]["passed"], true);
}

#[test]
fn checks_of_the_answer_look_at_the_answer() {
    let server = answers(&["no", "{\"total\": \"many\"}", "{\"total\": 42}"]);
    let scene = Scene::new(&server);
    scene.file(
        "schema.json",
        r#"{"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}"#,
    );
    let end = scene.run(
        "Count",
        &[
            "--check",
            "answer-contains:total",
            "--check",
            "min-chars:5",
            "--check",
            "regex:\\d+\\}$",
            "--check",
            "json-schema:schema.json",
        ],
    );
    end.expect(0, "completed");
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    let first = all_text(&requests[1]);
    for words in
        ["does not contain \"total\"", "has 2 characters", "does not match", "the answer is not JSON"]
    {
        assert!(first.contains(words), "{words}: {first}");
    }
    let second = all_text(&requests[2]);
    assert!(second.contains("the answer is not valid"), "{second}");
}

#[test]
fn a_command_check_runs_as_keyed_and_without_asking_anew() {
    let server = answers(&["Done.", "Done now."]);
    let scene = Scene::new(&server);
    let check = "cmd:test -e ran || { touch ran; echo the first time it fails; exit 3; }";
    let end = scene.run("Look", &["--check", check, "--approve", "ask"]);
    end.expect(0, "completed");
    let proposed = end.all("call_proposed");
    assert_eq!(proposed.len(), 2, "once a claim");
    assert!(proposed.iter().all(|p| p["class"] == "keyed" && p["tool"] == "shell"));
    assert!(end.all("call_waiting").is_empty(), "whoever added the check approved it");
    assert!(all_text(&server.requests()[1]).contains("the first time it fails"));
}

#[test]
fn a_human_check_is_a_question_whose_no_is_what_is_missing() {
    let server = answers(&["Done.", "Better now."]);
    let scene = Scene::new(&server);
    scene.run("Look", &["--check", "human"]).waits_for("question");
    block(scene.decide(Decision::Answer { text: "no, the title is wrong".into() }));
    scene.resume(&[]).waits_for("question");
    assert!(all_text(&server.requests()[1]).contains("the title is wrong"));
    block(scene.decide(Decision::Answer { text: "yes".into() }));
    let end = scene.resume(&[]);
    end.expect(0, "completed");
    assert_eq!(end.end()["report"]["answer"], "Better now.");
}

/// A server whose first claim waits at a gate in mid-stream.
fn gated(gate: &Gate) -> ChatServer {
    let gate = gate.clone();
    ChatServer::start(move |n, _| {
        let words = |t: &str| json!({"choices": [{"index": 0, "delta": {"content": t}}]});
        match n {
            0 => Answer::stream()
                .data(&words("Do"))
                .wait(&gate)
                .data(&words("ne."))
                .data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
                .done(),
            _ => text("Done as it is now.", 10, 3),
        }
    })
}

#[test]
fn a_goal_edited_during_the_claim_sends_it_back() {
    let gate = Gate::default();
    let server = gated(&gate);
    let scene = Scene::new(&server);
    let mut work = scene.start(&Scene::goal("Write one line", &["--check", "min-chars:3"]));
    work.until("model_called");
    wait_until("the request", || server.requests().len() == 1);
    let goal = Goal { text: "Write two lines".into(), constraints: vec![], checks: vec![] };
    block(scene.post(Control::EditGoal { based_on: 1, goal }));
    gate.open();
    let end = work.finish();
    end.expect(0, "completed");
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    let text = all_text(&requests[1]);
    assert!(text.contains("Write two lines") && !text.contains("Write one line"), "{text}");
    assert!(text.contains("edited the goal"));
    assert!(end.all("check_finished").is_empty(), "checks of the old version are void");
}

#[test]
fn words_said_during_the_claim_are_heard_before_it_counts() {
    let gate = Gate::default();
    let server = gated(&gate);
    let scene = Scene::new(&server);
    let mut work = scene.start(&Scene::goal("Write one line", &[]));
    work.until("model_called");
    wait_until("the request", || server.requests().len() == 1);
    block(scene.post(Control::Message { text: "and mind the spelling".into(), now: false }));
    gate.open();
    let end = work.finish();
    end.expect(0, "completed");
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    let said: Vec<&Value> = requests[1].body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|m| m["role"] == "user" && m["content"] == "and mind the spelling")
        .collect();
    assert_eq!(said.len(), 1, "once, as the person's own words");
}
