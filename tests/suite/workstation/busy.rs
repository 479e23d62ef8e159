//! A server that is busy and does not say for how long: every attempt is told, the turn is kept, and it can be ended.

use super::desk::{Place, eventually};
use super::place::events;
use crate::suite::provider::server::{Answer, ChatServer};
use serde_json::json;
use wakeful::run::Event;

/// A place whose model is this server, which is asked again so often.
fn at(server: &ChatServer, retries: u32) -> Place {
    let place = Place::new();
    place.config(&format!(
        "default_profile = \"stub\"\n[limits]\nmodel_retries = {retries}\n[profile.stub]\nbase_url = \"{}\"\n\
         model = \"stub\"\nwindow = 32768\nprotocol = \"native\"\n",
        server.base()
    ));
    place
}

#[test]
fn a_busy_server_that_names_no_time_is_counted_down_attempt_by_attempt() {
    // Four times busy, without any header; then it asks the person.
    let server = ChatServer::start(|n, _| match n {
        0..=3 => Answer::body(429, &[], ""),
        _ => Answer::calls(&[("c1", "ask_person", json!({"question": "Which colour?"}))]),
    });
    let place = at(&server, 6);
    let mut worker = place.start(&["run", "Say which colour", "--wait", "--headless"]);
    eventually("it is asked twice", || server.requests().len() >= 2);
    let desk = place.open(80, 24, &[]);
    // Which attempt it is and when the next one comes, each at some time; the later waits are seconds long.
    desk.until("attempt, reason and time", || {
        let screen = desk.screen();
        let row = screen.lines().find(|row| row.contains("RETRY ") && row.contains("/6")).unwrap_or_default();
        let attempt =
            row.split("RETRY ").nth(1).and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
        row.contains("Server busy (429)") && row.contains("again in 0:0") && attempt > Some(1)
    });
    desk.wait("Which colour?");
    assert_eq!(server.requests().len(), 5, "the same step, asked until it was answered");
    let first = &server.requests()[0].body["messages"];
    assert!(
        server.requests().iter().all(|request| request.body["messages"] == *first),
        "the turn is kept as it was"
    );
    desk.wait_gone("RETRY");
    let failed = events(&place).iter().filter(|event| matches!(event, Event::ModelFailed { .. })).count();
    assert_eq!(failed, 4, "each attempt is on record");
    desk.kill();
    worker.kill().unwrap();
    worker.wait().unwrap();
}

#[test]
fn a_long_wait_goes_on_counting_after_a_kill_and_is_not_begun_anew() {
    let server = ChatServer::start(|_, _| Answer::body(429, &[("retry-after", "300")], "{}"));
    let place = at(&server, 2);
    let mut worker = place.start(&["run", "Say which colour", "--wait", "--headless"]);
    eventually("it waits", || place.ask(&["runs", "--json"]).contains("\"waiting\""));
    worker.kill().unwrap();
    worker.wait().unwrap();
    let until = |place: &Place| {
        let waits = events(place).into_iter().find_map(|event| match event {
            Event::ModelFailed { .. } => Some(format!("{event:?}")),
            _ => None,
        });
        waits.unwrap()
    };
    let before = until(&place);
    let desk = place.open(80, 24, &[]);
    desk.wait("RETRY 1/2");
    desk.wait("again in 4:");
    assert_eq!(server.requests().len(), 1, "it was not asked again before its time");
    assert_eq!(until(&place), before);
    // A person need not wait for it.
    desk.press("0");
    desk.wait("Stop waiting: pause the run");
    desk.press("\r");
    desk.wait("■ paused");
    assert_eq!(server.requests().len(), 1);
    desk.kill();
}
