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

/// Text and checks of an edited goal.
fn edited(based_on: u32, text: &str) -> Control {
    Control::EditGoal { based_on, goal: Goal { text: text.into(), constraints: vec![], checks: vec![] } }
}

/// A check that is of an older goal is neither waited for nor counted.
fn assert_void(end: &super::scene::Done, server: &ChatServer) {
    end.expect(0, "completed");
    assert!(end.all("check_finished").is_empty(), "{:?}", end.kinds());
    assert_eq!(end.all("claim_returned").len(), 1);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    let text = all_text(&requests[1]);
    assert!(text.contains("Look at both") && text.contains("edited the goal"), "{text}");
}

#[test]
fn a_human_check_of_an_older_goal_is_waited_for_no_more() {
    let server = answers(&["Done.", "Done as it is now."]);
    let scene = Scene::new(&server);
    scene.run("Look", &["--check", "human"]).waits_for("question");
    block(scene.post(edited(1, "Look at both")));
    let end = scene.resume(&[]);
    assert_void(&end, &server);
    let given_up = end.all("call_cancelled");
    assert_eq!(given_up.len(), 1, "{:?}", end.kinds());
    assert_eq!(given_up[0]["why"], "the goal was edited, so that this check is void");
    // A worker that lives through the wait goes on by itself.
    let server = answers(&["Done.", "Done as it is now."]);
    let scene = Scene::new(&server);
    let mut work = scene.start(&Scene::goal("Look", &["--check", "human", "--wait"]));
    work.until("call_waiting");
    block(scene.post(edited(1, "Look at both")));
    assert_void(&work.finish(), &server);
}

#[test]
fn without_a_worker_the_edit_takes_the_question_back_at_once() {
    let server = answers(&["Done.", "Done as it is now."]);
    let scene = Scene::new(&server);
    scene.run("Look", &["--check", "human"]).waits_for("question");
    let set = scene.command(&["goal", "last", "--set", "Look at both"]).output().unwrap();
    assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
    let open = scene.command(&["intents", "--json"]).output().unwrap();
    let open = String::from_utf8_lossy(&open.stdout).into_owned();
    assert!(!open.contains("\"waiting\""), "{open}");
    // The goal that is set keeps its checks: of the new claim it is asked anew.
    let again = scene.resume(&[]);
    again.waits_for("question");
    assert_eq!((again.all("claim_returned").len(), server.requests().len()), (1, 2));
}

/// A command check that takes until the file `go` is there.
const SLOW: &str = "cmd:touch begun; while ! test -e go; do sleep 0.05; done";

#[test]
fn a_command_check_of_an_older_goal_is_stopped_and_does_not_count() {
    let server = answers(&["Done.", "Done as it is now."]);
    let scene = Scene::new(&server);
    let work = scene.start(&Scene::goal("Look", &["--check", SLOW]));
    wait_until("the check runs", || scene.workspace().join("begun").exists());
    // An edit that is refused leaves it as it is.
    block(scene.post(edited(7, "Look at nothing")));
    block(scene.post(edited(1, "Look at both")));
    assert_void(&work.finish(), &server);
    assert!(!scene.workspace().join("go").exists());
}

#[test]
fn a_goal_edited_after_a_kill_voids_the_check_that_still_runs() {
    let server = answers(&["Done.", "Done as it is now."]);
    let scene = Scene::new(&server);
    let work = scene.start(&Scene::goal("Look", &["--check", SLOW]));
    wait_until("the check runs", || scene.workspace().join("begun").exists());
    work.kill();
    block(scene.post(edited(1, "Look at both")));
    assert_void(&scene.resume(&[]), &server);
    // Killed once more while the check that is void is being stopped.
    let server = answers(&["Done.", "Done as it is now."]);
    let scene = Scene::new(&server);
    let work = scene.start(&Scene::goal("Look", &["--check", SLOW]));
    wait_until("the check runs", || scene.workspace().join("begun").exists());
    work.kill();
    block(scene.post(edited(1, "Look at both")));
    let passes = scene.root().join("passes");
    let scene = scene.with_variable("WAKEFUL_FAULT", &format!("drive.stopped:1@{}", passes.display()));
    assert_eq!(scene.resume(&[]).code, -1);
    let end = scene.resume(&[]);
    end.expect(0, "completed");
    assert!(end.all("check_finished").is_empty(), "{:?}", end.kinds());
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn an_edit_that_is_refused_leaves_the_running_check_to_its_end() {
    let server = answers(&["Done."]);
    let scene = Scene::new(&server);
    let mut work = scene.start(&Scene::goal("Look", &["--check", SLOW]));
    wait_until("the check runs", || scene.workspace().join("begun").exists());
    block(scene.post(edited(7, "Look at nothing")));
    work.until("control_refused");
    scene.file("go", "");
    let end = work.finish();
    end.expect(0, "completed");
    let checked = end.all("check_finished");
    assert_eq!((checked.len(), &checked[0]["passed"]), (1, &json!(true)), "{checked:?}");
    assert_eq!(end.all("call_started").len(), 1, "once");
}
