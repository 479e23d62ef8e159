//! Pause, continue, cancel, message, mode, more time: with a living owner and without.

use super::scene::{Scene, processes, shell};
use std::time::{Duration, Instant};
use wakeful::run::{CallStatus, Event, Outcome, Status};

/// A command that runs long and can be told from every other.
fn long(scene_seconds: &str) -> String {
    shell(&format!("sleep {scene_seconds}"))
}

fn started(scene: &Scene) -> bool {
    scene.call_statuses().first() == Some(&CallStatus::Started)
}

#[test]
fn pause_and_continue_without_an_owner() {
    let scene = Scene::new(&shell("echo x >> effects"));
    scene.start(4, "ask");
    scene.expect(0, &["pause", "last"]);
    assert_eq!(scene.status(), Status::Paused);
    scene.expect(0, &["pause", "last"]);
    scene.expect(0, &["approve", "last:1.1"]);
    assert_eq!((scene.status(), scene.count("paused")), (Status::Paused, 1));
    let said = scene.expect(0, &["continue", "last"]);
    assert!(said.err.contains("wakeful resume"), "{said:?}");
    assert_eq!(scene.read("effects"), None, "continue only writes the control");
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
}

#[test]
fn a_living_owner_pauses_and_goes_on() {
    let scene = Scene::new(&shell("echo x >> effects"));
    let mut owner = scene.start_living("ask");
    scene.until_waiting();
    scene.expect(0, &["pause", "last", "--now"]);
    scene.expect(0, &["approve", "last:1.1"]);
    assert_eq!((scene.status(), scene.read("effects")), (Status::Paused, None));
    scene.expect(0, &["continue", "last"]);
    assert_eq!(owner.end(), 0);
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
}

#[test]
fn continue_answers_no_question() {
    let scene = Scene::new(&shell("echo x"));
    scene.start(4, "ask");
    let said = scene.expect(2, &["continue", "last"]);
    assert!(said.err.contains("wakeful approve"), "{said:?}");
    assert_eq!(scene.count("continued"), 0);
}

#[test]
fn cancel_ends_the_running_command_of_a_living_owner() {
    let scene = Scene::new(&long("100.125"));
    let mut owner = scene.start_living("auto");
    scene.until("the command", || !processes("sleep 100.125").is_empty());
    let said = scene.expect(0, &["cancel", "last"]);
    assert!(said.err.contains("cancelled"), "{said:?}");
    assert_eq!(owner.end(), 5);
    assert!(processes("sleep 100.125").is_empty(), "nothing of it is left");
    assert_eq!(scene.status(), Status::Ended(Outcome::Cancelled));
    assert_eq!(scene.call_statuses(), [CallStatus::Failed]);
    assert!(scene.result(0).contains("ended by a person"));
    scene.is_whole();
}

#[test]
fn cancel_without_an_owner_stops_the_command_through_its_supervisor() {
    let scene = Scene::new(&long("100.25"));
    let mut owner = scene.start_living("auto");
    scene.until("the command", || !processes("sleep 100.25").is_empty());
    owner.kill();
    assert!(!processes("sleep 100.25").is_empty(), "it outlives its worker");
    scene.expect(0, &["cancel", "last"]);
    assert!(processes("sleep 100.25").is_empty(), "nothing of it is left");
    assert_eq!(scene.status(), Status::Ended(Outcome::Cancelled));
    assert!(std::fs::read_dir(scene.beside().join("spool")).unwrap().next().is_none(), "its spool is gone");
    scene.is_whole();
}

#[test]
fn cancel_of_a_waiting_run_and_of_one_that_is_over() {
    let scene = Scene::new(&shell("echo x >> effects"));
    scene.start(4, "ask");
    scene.expect(0, &["cancel", "last"]);
    assert_eq!(scene.status(), Status::Ended(Outcome::Cancelled));
    assert_eq!(scene.call_statuses(), [CallStatus::Cancelled]);
    let said = scene.expect(2, &["cancel", "last"]);
    assert!(said.err.contains("the run is over"), "{said:?}");
    scene.expect(5, &["resume", "last", "--headless"]);
    scene.is_whole();
}

#[test]
fn settling_waits_for_no_command() {
    let calls = "[[steps]]\ncalls = [{ name = \"shell\", args = { command = \"sleep 100.5\" } }, \
                 { name = \"shell\", args = { command = \"echo x\" } }]\n";
    let scene = Scene::new(calls);
    scene.start(4, "ask");
    scene.expect(0, &["approve", "last:1.1"]);
    let mut owner = scene.spawn(&["resume", "last", "--headless", "--wait"]);
    scene.until("the command", || !processes("sleep 100.5").is_empty());
    owner.kill();
    let begun = Instant::now();
    scene.expect(0, &["approve", "last:1.2"]);
    scene.expect(0, &["message", "last", "be quick"]);
    assert!(begun.elapsed() < Duration::from_secs(20), "it does not wait for the command");
    assert_eq!(scene.call_statuses(), [CallStatus::Started, CallStatus::Approved]);
    assert!(!processes("sleep 100.5").is_empty(), "and does not stop it");
    scene.expect(0, &["cancel", "last"]);
    assert!(processes("sleep 100.5").is_empty());
    scene.is_whole();
}

#[test]
fn a_busy_owner_takes_a_decision_later_and_that_is_said() {
    let calls = "[[steps]]\ncalls = [{ name = \"shell\", args = { command = \"sleep 100.75\" } }, \
                 { name = \"shell\", args = { command = \"echo x\" } }]\n";
    let scene = Scene::new(calls);
    scene.start(4, "ask");
    scene.expect(0, &["approve", "last:1.1"]);
    let mut owner = scene.spawn(&["resume", "last", "--headless", "--wait"]);
    scene.until("the command", || !processes("sleep 100.75").is_empty());
    let said = scene.expect(0, &["deny", "last:1.2", "--json"]);
    assert!(said.out.contains("\"outcome\":\"queued\""), "{said:?}");
    let second = scene.expect(2, &["approve", "last:1.2"]);
    assert!(second.err.contains("The first decision stands"), "also while it is queued: {second:?}");
    scene.expect(0, &["cancel", "last"]);
    assert_eq!(owner.end(), 5);
    assert_eq!(scene.call_statuses(), [CallStatus::Failed, CallStatus::Denied]);
}

#[test]
fn a_running_command_gets_more_time() {
    for living in [true, false] {
        let seconds = if living { "101.125" } else { "101.25" };
        let scene = Scene::new(&long(seconds));
        let mut owner = scene.start_living("auto");
        scene.until("the command", || !processes(&format!("sleep {seconds}")).is_empty() && started(&scene));
        if !living {
            owner.kill();
        }
        scene.expect(0, &["extend", "last:1.1", "10m"]);
        assert!(scene.events().iter().any(|e| matches!(e, Event::TimeoutExtended { more_ms: 600_000, .. })));
        let spool = std::fs::read_dir(scene.beside().join("spool")).unwrap().next().unwrap().unwrap().path();
        scene.until("the new time-out", || {
            std::fs::read_to_string(spool.join("deadline")).is_ok_and(|text| text.trim() == "720000")
        });
        scene.expect(0, &["cancel", "last"]);
        scene.expect(2, &["extend", "last:1.1", "10m"]);
    }
}

#[test]
fn a_message_reopens_a_completed_run() {
    let scene = Scene::new("");
    scene.start(0, "ask");
    assert_eq!(scene.count("model_called"), 1);
    let said = scene.expect(0, &["message", "last", "and the second part?"]);
    assert!(said.err.contains("wakeful resume"), "{said:?}");
    assert_eq!((scene.status(), scene.count("run_reopened")), (Status::Running, 1));
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!((scene.count("model_called"), scene.count("run_ended")), (2, 2));
    scene.is_whole();
}

#[test]
fn another_mode_holds_from_the_next_call_on() {
    let scene = Scene::new(&format!("{}{}", shell("echo a >> effects"), shell("echo b >> effects")));
    scene.start(4, "ask");
    scene.expect(0, &["mode", "last", "auto"]);
    scene.expect(4, &["resume", "last", "--headless"]);
    assert_eq!(scene.call_statuses(), [CallStatus::Waiting], "what waits goes on waiting");
    scene.expect(0, &["approve", "last:1.1"]);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects").as_deref(), Some("a\nb\n"));
    assert_eq!(scene.count("call_waiting"), 1);
}
