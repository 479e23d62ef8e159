//! Decisions about calls: who decides, on what, how often (cases A09, A11, A13, A14, A15, A17, A20).

use super::scene::{Scene, shell, write};
use wakeful::run::{CallStatus, Event, Status, WaitWhy};

/// One reply with five commands that append their number.
fn five() -> String {
    let calls: Vec<String> = (1..=5)
        .map(|n| format!("{{ name = \"shell\", args = {{ command = \"echo {n} >> effects\" }} }}"))
        .collect();
    format!("[[steps]]\ncalls = [{}]\n", calls.join(", "))
}

#[test]
fn without_an_owner_a_decision_is_settled_and_asked_only_once() {
    let scene = Scene::new(&shell("echo x >> effects"));
    let run = scene.start(4, "ask");
    // Nobody listens and nobody decided: it stays pending, over restarts (A13, A14, A15).
    let call = scene.calls()[0].call_id.clone();
    for _ in 0..2 {
        scene.expect(4, &["resume", run.as_str(), "--headless"]);
        assert_eq!(scene.calls()[0].call_id, call);
        assert_eq!(scene.call_statuses(), [CallStatus::Waiting]);
    }
    let said = scene.expect(0, &["approve", call.as_str()]);
    assert!(said.err.contains("approved") && said.err.contains("wakeful resume"), "{said:?}");
    assert_eq!(scene.call_statuses(), [CallStatus::Approved], "settling starts nothing");
    assert!(scene.state().ledger.owner.is_none(), "the run is given back");
    assert_eq!(scene.read("effects"), None);
    // The grant holds over the restart (A17).
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
    assert_eq!(scene.count("call_waiting"), 1);
    scene.is_whole();
}

#[test]
fn a_living_owner_takes_a_decision_from_another_process() {
    let scene = Scene::new(&shell("echo x >> effects"));
    let mut owner = scene.start_living("ask");
    scene.until_waiting();
    let said = scene.expect(0, &["approve", "last:1.1", "--json"]);
    assert!(said.out.contains("\"outcome\":\"applied\""), "{said:?}");
    assert_eq!(owner.end(), 0);
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
    assert_eq!(scene.count("run_claimed"), 1, "nobody else owned it");
    scene.is_whole();
}

#[test]
fn a_denial_reaches_the_model_with_its_reason() {
    let scene = Scene::new(&shell("echo x >> effects"));
    scene.start(4, "ask");
    let id = scene.calls()[0].call_id.as_str()[2..8].to_owned();
    scene.expect(0, &["deny", &id, "--reason", "use the other file"]);
    assert!(scene.result(0).contains("use the other file"));
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects"), None);
    assert_eq!(scene.call_statuses(), [CallStatus::Denied]);
    let late = scene.expect(2, &["approve", "last:1.1"]);
    assert!(late.err.contains("denied: use the other file"), "it says what stands: {late:?}");
}

#[test]
fn edited_arguments_are_checked_kept_and_told() {
    let scene = Scene::new(&write("a.txt", "theirs"));
    scene.start(4, "ask");
    let bad = scene.expect(2, &["approve", "last:1.1", "--args", "{\"path\": 7}"]);
    assert!(bad.err.contains("goes on waiting"), "{bad:?}");
    assert_eq!(scene.call_statuses(), [CallStatus::Waiting]);
    assert_eq!(scene.count("control_refused"), 0, "it was not even asked for");
    let before = scene.calls()[0].args_hash.clone();
    scene.expect(0, &["approve", "last:1.1", "--args", "{\"path\": \"b.txt\", \"content\": \"mine\"}"]);
    assert_ne!(scene.calls()[0].args_hash, before);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!((scene.read("a.txt"), scene.read("b.txt").as_deref()), (None, Some("mine")));
    // The model is told, and its own version stays in the journal (A20).
    assert!(scene.result(0).starts_with("[a person changed the arguments"), "{}", scene.result(0));
    let proposed = scene.events().into_iter().find_map(|e| match e {
        Event::CallProposed(p) => Some(p.args),
        _ => None,
    });
    assert!(proposed.unwrap().inline().unwrap().contains("theirs"));
}

#[test]
fn a_question_is_answered_and_not_approved() {
    let scene =
        Scene::new("[[steps]]\ncalls = [{ name = \"ask_person\", args = { question = \"Which?\" } }]\n");
    scene.start(4, "auto");
    assert!(matches!(scene.status(), Status::Waiting(WaitWhy::Question(_))));
    let said = scene.expect(2, &["approve", "last:1.1"]);
    assert!(said.err.contains("wakeful answer"), "{said:?}");
    scene.expect(0, &["answer", "last:1.1", "the second"]);
    assert_eq!(scene.result(0), "the second");
    scene.expect(0, &["resume", "last", "--headless"]);
}

#[test]
fn of_two_who_decide_at_once_exactly_one_wins() {
    let scene = Scene::new(&five());
    scene.start(4, "ask");
    for at in 1..=5 {
        let call = format!("last:1.{at}");
        let said = std::thread::scope(|s| {
            let approve = s.spawn(|| scene.command(&["approve", &call]).output().unwrap());
            let deny = s.spawn(|| scene.command(&["deny", &call]).output().unwrap());
            [approve.join().unwrap(), deny.join().unwrap()]
        });
        let mut codes: Vec<i32> = said.iter().map(|o| o.status.code().unwrap()).collect();
        let winner = if codes[0] == 0 { CallStatus::Approved } else { CallStatus::Denied };
        let loser = &said[usize::from(codes[0] == 0)];
        let words = String::from_utf8_lossy(&loser.stderr).into_owned();
        codes.sort_unstable();
        assert_eq!(codes, [0, 2], "{said:?}");
        assert!(words.contains("The first decision stands"), "{words}");
        assert_eq!(scene.call_statuses()[at - 1], winner);
    }
}

#[test]
fn decisions_bind_to_one_call_in_any_order_and_the_model_waits_for_all() {
    let scene = Scene::new(&five());
    scene.start(4, "ask");
    let waiting = |n: usize| scene.call_statuses().iter().filter(|s| **s == CallStatus::Waiting).count() == n;
    assert!(waiting(5));
    scene.expect(0, &["approve", "last:1.2"]);
    assert!(waiting(4), "no other is touched (A09)");
    scene.expect(4, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects"), None, "a waiting call holds back those after it");
    assert_eq!(scene.count("model_called"), 1, "the model is not called while one is open (A11)");
    scene.expect(0, &["approve", "last:1.1"]);
    scene.expect(0, &["deny", "last:1.4"]);
    scene.expect(4, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects").as_deref(), Some("1\n2\n"));
    assert_eq!(scene.count("model_called"), 1);
    scene.expect(0, &["approve", "last:1.5"]);
    scene.expect(0, &["approve", "last:1.3"]);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects").as_deref(), Some("1\n2\n3\n5\n"));
    assert_eq!(scene.count("model_called"), 2);
    scene.is_whole();
}

#[test]
fn edited_arguments_that_can_never_do_leave_the_question_open() {
    let scene = Scene::new(&write("a.txt", "one"));
    scene.start(4, "ask");
    let call = scene.calls()[0].call_id.clone();
    let out = r#"{"path":"../a.txt","content":"one"}"#;
    let said = scene.expect(2, &["approve", call.as_str(), "--args", out]);
    assert!(said.err.contains("do not fit") && said.err.contains("outside"), "{said:?}");
    assert_eq!(scene.call_statuses(), [CallStatus::Waiting]);
    scene.expect(0, &["approve", call.as_str(), "--args", r#"{"path":"b.txt","content":"one"}"#]);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("b.txt").as_deref(), Some("one"));
    scene.is_whole();
}
