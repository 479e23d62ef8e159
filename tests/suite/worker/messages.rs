//! Messages to the agent: they stay where they can be taken back until the agent is about to read them, and go in once.

use super::scene::{Scene, processes, shell};
use std::time::{Duration, Instant};
use wakeful::run::control::{Author, Control};
use wakeful::run::{CallStatus, Event, Outcome, Status};

/// The kinds of events that say when a message was read.
fn order(scene: &Scene) -> Vec<&'static str> {
    let told =
        ["model_called", "person_message", "call_finished", "call_denied", "step_committed", "run_ended"];
    scene.events().iter().map(Event::kind).filter(|kind| told.contains(kind)).collect()
}

#[test]
fn a_message_waits_as_long_as_a_call_does_and_goes_in_once() {
    let scene = Scene::new(&shell("echo x >> effects"));
    scene.start(4, "ask");
    let said = scene.expect(0, &["message", "last", "be quick"]);
    assert!(
        said.err.contains("queued; the agent reads it after that") && said.err.contains("approve"),
        "{said:?}"
    );
    let said = scene.expect(0, &["message", "last", "and tidy", "--json"]);
    assert!(said.out.contains("\"outcome\":\"queued\""), "{said:?}");
    assert_eq!((scene.pending(), scene.count("person_message")), (2, 0));
    // It is no reason to work at the run, and what is asked after it is done before it.
    let said = scene.expect(0, &["worker"]);
    assert!(said.err.contains("no run can go on"), "{said:?}");
    let said = scene.expect(0, &["mode", "last", "safe"]);
    assert!(!said.err.contains("comes first"), "{said:?}");
    scene.expect(4, &["resume", "last", "--headless"]);
    assert_eq!((scene.pending(), scene.count("person_message")), (2, 0));

    let listed = scene.expect(0, &["message", "last", "--queued", "--json"]).out;
    let all: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let back = scene.expect(0, &["message", "last", "--take-back", &all[1]["id"].to_string()]);
    assert!(back.out.contains("and tidy"), "{back:?}");
    scene.expect(0, &["approve", "last:1.1"]);
    assert_eq!((scene.pending(), scene.count("person_message")), (1, 0), "the call comes first");
    scene.expect(0, &["resume", "last", "--headless"]);
    let expected = ["model_called", "call_finished", "step_committed", "person_message", "model_called"];
    assert_eq!(order(&scene).get(..5), Some(&expected[..]));
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
    assert_eq!(scene.pending(), 0);
    scene.is_whole();
}

#[test]
fn a_paused_run_reads_it_when_it_goes_on() {
    let scene = Scene::new(&shell("echo x >> effects"));
    scene.start(4, "ask");
    scene.expect(0, &["deny", "last:1.1"]);
    scene.expect(0, &["pause", "last"]);
    let said = scene.expect(0, &["message", "last", "be quick"]);
    assert!(said.err.contains("when the run goes on: `wakeful resume"), "{said:?}");
    assert_eq!((scene.status(), scene.pending(), scene.count("person_message")), (Status::Paused, 1, 0));
    // Going on is recorded; nobody reads anything yet.
    scene.expect(0, &["continue", "last"]);
    assert_eq!((scene.status(), scene.pending()), (Status::Running, 1));
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!((scene.pending(), scene.count("person_message")), (0, 1));
    scene.is_whole();
}

#[test]
fn a_run_that_is_cancelled_does_not_begin_anew_for_what_was_said_before() {
    let scene = Scene::new(&shell("echo x >> effects"));
    scene.start(4, "ask");
    scene.expect(0, &["message", "last", "be quick"]);
    scene.expect(0, &["cancel", "last"]);
    assert_eq!(scene.status(), Status::Ended(Outcome::Cancelled));
    assert_eq!((scene.pending(), scene.count("person_message"), scene.count("run_reopened")), (0, 1, 0));
    // What is said afterwards does, once a worker has the run.
    scene.expect(0, &["message", "last", "once more"]);
    assert_eq!((scene.status(), scene.pending()), (Status::Ended(Outcome::Cancelled), 1));
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!((scene.status(), scene.count("run_reopened")), (Status::Ended(Outcome::Completed), 1));
    scene.is_whole();
}

#[test]
fn a_message_to_a_run_that_is_over_can_be_taken_back_until_a_worker_has_it() {
    let scene = Scene::new(&shell("echo x >> effects"));
    scene.start(0, "auto");
    for words in ["not that", "and then"] {
        let said = scene.expect(0, &["message", "last", words]);
        assert!(said.err.contains("when the run goes on: `wakeful resume"), "{said:?}");
    }
    // What else is asked of it meanwhile is done, and reads nothing to the agent.
    scene.expect(0, &["mode", "last", "safe"]);
    assert_eq!((scene.status(), scene.pending()), (Status::Ended(Outcome::Completed), 2));
    assert_eq!((scene.count("person_message"), scene.count("run_reopened")), (0, 0));
    let listed = scene.expect(0, &["message", "last", "--queued", "--json"]).out;
    let all: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let ids = [all[0]["id"].to_string(), all[1]["id"].to_string()];
    let back = scene.expect(0, &["message", "last", "--take-back", &ids[0]]);
    assert!(back.out.contains("not that"), "{back:?}");
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!((scene.pending(), scene.count("person_message"), scene.count("run_reopened")), (0, 1, 1));
    let late = scene.expect(2, &["message", "last", "--take-back", &ids[1]]);
    assert!(late.err.contains("the agent has it already"), "{late:?}");
    scene.is_whole();
}

/// Processor time of a process, in ticks.
fn ticks(pid: i32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
fn a_living_worker_rests_beside_it_and_delivers_it_once_over_a_kill() {
    let scene = Scene::new(&format!("{}{}", shell("sleep 104.125"), shell("echo x")));
    let mut owner = scene.start_living("ask");
    scene.until_waiting();
    let begun = Instant::now();
    scene.expect(0, &["message", "last", "be quick"]);
    assert!(begun.elapsed() < Duration::from_secs(4), "nobody waits for what does not come");
    let (before, begun) = (ticks(owner.pid()), Instant::now());
    while begun.elapsed() < Duration::from_secs(1) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let used = ticks(owner.pid()) - before;
    assert!(used < 30, "a worker that waits works: {used} ticks in a second");
    scene.expect(0, &["approve", "last:1.1"]);
    scene.until("the command", || !processes("sleep 104.125").is_empty());
    owner.kill();
    assert_eq!((scene.pending(), scene.count("person_message")), (1, 0));
    let mut owner = scene.spawn(&["resume", "last", "--headless", "--wait"]);
    scene.until("its new owner", || {
        scene.count("call_reattached") > 0 || scene.state().ledger.owner.is_some()
    });
    scene.expect(0, &["stop", "last:1.1"]);
    scene.until("the second call", || scene.call_statuses() == [CallStatus::Failed, CallStatus::Waiting]);
    owner.kill();
    assert_eq!((scene.pending(), scene.count("person_message")), (0, 1));
    scene.expect(0, &["deny", "last:2.1"]);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.count("person_message"), 1);
    scene.is_whole();
}

#[test]
fn what_is_said_before_a_rollback_is_read_after_it() {
    let scene = Scene::new(&format!("{}{}", shell("echo a"), shell("echo b")));
    scene.start(4, "ask");
    scene.expect(0, &["approve", "last:1.1"]);
    scene.expect(4, &["resume", "last", "--headless"]);
    scene.expect(0, &["message", "last", "be quick"]);
    scene.expect(0, &["rollback", "last", "--to", "1"]);
    assert_eq!((scene.pending(), scene.count("person_message")), (1, 0));
    scene.expect(4, &["resume", "last", "--headless"]);
    let timelines = scene.state().ledger.timelines.len();
    assert_eq!((timelines, scene.pending(), scene.count("person_message")), (2, 0, 1));
    scene.is_whole();
}

#[test]
fn a_message_that_no_window_takes_is_refused_and_stops_nothing() {
    let scene = Scene::new(&shell("echo x >> effects"));
    scene.start(4, "ask");
    let large = "表".repeat(43_000);
    let said = scene.expect(2, &["message", "last", &large]);
    assert!(said.err.contains("the message is not sent: it takes about"), "{said:?}");
    assert!(said.err.contains("fit beside what always stands in the window"), "{said:?}");
    assert_eq!(scene.pending(), 0);
    // From elsewhere it reaches the worker.
    let (run, by) = (scene.run(), Author::Person("tui".to_owned()));
    let control = Control::Message { text: "many words ".repeat(100_000), now: false };
    scene.within(scene.store().post(&run, control, by, 1)).unwrap();
    scene.expect(0, &["message", "last", "be quick"]);
    scene.expect(0, &["approve", "last:1.1"]);
    scene.expect(0, &["resume", "last", "--headless"]);
    let refused: Vec<Event> =
        scene.events().into_iter().filter(|event| matches!(event, Event::ControlRefused { .. })).collect();
    let [Event::ControlRefused { control, why }] = refused.as_slice() else { panic!("{refused:?}") };
    assert!(control == "message" && why.contains("shorten it"), "{why}");
    assert_eq!((scene.count("person_message"), scene.count("held"), scene.pending()), (1, 0, 0));
    // It reopens nothing either.
    let control = Control::Message { text: "many words ".repeat(100_000), now: false };
    scene.within(scene.store().post(&run, control, Author::Person("tui".to_owned()), 2)).unwrap();
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!((scene.count("run_reopened"), scene.count("control_refused")), (0, 2));
    scene.is_whole();
}

#[test]
fn a_reason_that_no_window_takes_is_refused_and_the_call_waits_on() {
    let scene = Scene::new(&shell("echo x >> effects"));
    scene.start(4, "ask");
    let said = scene.expect(2, &["deny", "last:1.1", "--reason", &"表".repeat(43_000)]);
    assert!(said.err.contains("it takes about") && said.err.contains("shorten it"), "{said:?}");
    assert_eq!((scene.count("call_denied"), scene.count("control_refused"), scene.pending()), (0, 1, 0));
    scene.expect(0, &["deny", "last:1.1", "--reason", "另一种做法"]);
    assert!(scene.result(0).contains("另一种做法"), "{}", scene.result(0));
    scene.is_whole();
}
