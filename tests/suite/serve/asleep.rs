//! A worker that is stopped in the middle of a request, as by a machine that goes to sleep, and goes on after its limit.

use super::scene::{Scene, Work, all_text, call, messages, text, wait_until};
use crate::suite::provider::server::{Answer, ChatServer, Gate};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::time::Duration;
use wakeful::run::Event;

/// Longest silence between two tokens.
const LIMIT: &str = "[limits]\nbetween_tokens_timeout = \"3s\"\nfirst_token_timeout = \"3s\"\n";
/// Asleep for longer than that, and for longer than the time between two looks at the clocks too.
const NAP: Duration = Duration::from_secs(6);
const SLEEP: Duration = Duration::from_secs(14);
/// What a person says meanwhile.
const SAID: &str = "Keep the order of the lines";

fn begun() -> Answer {
    Answer::stream().data(&json!({"choices": [{"index": 0, "delta": {"content": "I begin"}}]}))
}

/// Stops it in mid-request for so long; a message is written and `meanwhile` done then.
fn asleep(scene: &Scene, work: &Work, server: &ChatServer, long: Duration, meanwhile: impl Fn()) {
    wait_until("the request is out", || server.requests().len() == 1);
    let pid = Pid::from_raw(i32::try_from(work.pid()).unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let said = scene.command(&["message", "last", SAID]).output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    meanwhile();
    // The sleep itself; nothing is waited for.
    std::thread::sleep(long);
    assert_eq!(server.requests().len(), 1, "it sleeps");
    kill_process(pid, Signal::CONT).unwrap();
}

/// That the run came to its end with nothing lost and nothing twice.
fn nothing_lost(scene: &Scene, server: &ChatServer) {
    let events = scene.events();
    let count = |of: fn(&Event) -> bool| events.iter().filter(|event| of(event)).count();
    assert_eq!(count(|event| matches!(event, Event::PersonMessage { .. })), 1, "the message, once");
    assert_eq!(count(|event| matches!(event, Event::ModelReplied { .. })), 2, "two replies");
    assert_eq!(count(|event| matches!(event, Event::CallStarted { .. })), 1, "one call");
    let last = server.requests().pop().unwrap();
    assert_eq!(all_text(&last).matches(SAID).count(), 1, "{:#?}", messages(&last));
    assert_eq!(all_text(&last).matches("Look at the notes").count(), 1, "the goal, once");
}

#[test]
fn a_request_that_was_slept_through_is_sent_once_more_and_never_twice() {
    for long in [NAP, SLEEP] {
        let server = ChatServer::start(|nth, _| match nth {
            // The connection is dead.
            0 => begun().hang(),
            1 => call("c1", "list_files", json!({"path": "."})),
            _ => text("Done.", 20, 4),
        });
        let scene = Scene::of(&server, "", LIMIT);
        let work = scene.start(&Scene::goal("Look at the notes", &[]));
        asleep(&scene, &work, &server, long, || {});
        let done = work.finish();
        done.expect(0, "completed");
        let requests = server.requests();
        assert_eq!(requests.len(), 3, "the request, the same once more, and the next step");
        assert_eq!(done.all("model_failed").len(), 1, "{long:?}");
        nothing_lost(&scene, &server);
    }
}

#[test]
fn an_answer_that_came_during_the_sleep_is_read_and_nothing_is_sent_again() {
    for long in [NAP, SLEEP] {
        let gate = Gate::default();
        let there = gate.clone();
        let server = ChatServer::start(move |nth, _| match nth {
            0 => {
                let rest = call("c1", "list_files", json!({"path": "."}));
                begun().wait(&there).then(rest)
            }
            _ => text("Done.", 20, 4),
        });
        let scene = Scene::of(&server, "", LIMIT);
        let work = scene.start(&Scene::goal("Look at the notes", &[]));
        asleep(&scene, &work, &server, long, || gate.open());
        let done = work.finish();
        done.expect(0, "completed");
        assert_eq!(server.requests().len(), 2, "{long:?}: each step once");
        assert!(done.all("model_failed").is_empty(), "{long:?}");
        nothing_lost(&scene, &server);
    }
}
