//! A server that is busy while a run is to begin: attempts, what it says and a count-down are seen; Esc gives up, which is
//! said; what was written stays.

use super::desk::{Place, eventually};
use crate::suite::provider::server::{Answer, ChatServer};
use serde_json::json;

/// A place whose model is this server, of which nobody knows yet which tools it takes.
fn beside(server: &ChatServer) -> Place {
    let place = Place::new();
    place.config(&format!(
        "default_profile = \"stub\"\n[profile.stub]\nbase_url = \"{}\"\nmodel = \"stub\"\nwindow = 32768\n",
        server.base()
    ));
    place
}

#[test]
fn a_busy_server_is_counted_down_and_given_up_with_the_goal_kept() {
    let busy = json!({"error": {"message": "Slow down, please"}});
    let server = ChatServer::start(move |_, _| {
        Answer::body(429, &[("retry-after", "300"), ("content-type", "application/json")], &busy.to_string())
    });
    let place = beside(&server);
    let desk = place.asking_the_stub();
    desk.wait("attempt 1 of 3");
    desk.wait("Slow down, please");
    desk.wait("again in 4:5");
    assert_eq!(server.requests().len(), 1);
    desk.press("\x1b");
    desk.wait("✗ Given up; no run was started.");
    desk.wait("Say which colour");
    assert!(!desk.shows("again in"));
    assert_eq!(place.ask(&["runs", "--json"]).trim(), "[]");
    // The form was not left: only now it is, and what was written comes back with it.
    desk.press("\x1b");
    desk.wait_gone("Constraints");
    desk.press("n");
    desk.wait("Say which colour");
    assert_eq!(server.requests().len(), 1, "nobody asks on behind the screen");
    desk.kill();
}

#[test]
fn a_server_that_answers_at_the_second_attempt_gets_its_run() {
    let ready = |word: &str| Answer::calls(&[("c1", "ready", json!({"word": word}))]);
    let server = ChatServer::script(vec![
        Answer::body(429, &[("retry-after", "2")], "{}"),
        ready("yes"),
        Answer::calls(&[("c2", "ask_person", json!({"question": "Which colour?"}))]),
    ]);
    let place = beside(&server);
    let desk = place.asking_the_stub();
    desk.wait("attempt 1 of 3: ");
    desk.wait("Which colour?");
    assert_eq!(server.requests().len(), 3);
    desk.kill();
}

#[test]
fn a_server_that_says_nothing_is_seen_to_be_asked_and_leaving_gives_up() {
    let server = ChatServer::start(|_, _| Answer::nothing().hang());
    let place = beside(&server);
    let desk = place.asking_the_stub();
    eventually("it is asked", || !server.requests().is_empty());
    desk.wait("attempt 1 of 3 · 0:0");
    desk.wait("Esc gives up");
    desk.press("\x03");
    assert_eq!(desk.end(), 0);
    assert_eq!(place.ask(&["runs", "--json"]).trim(), "[]");
}

#[test]
fn what_cannot_be_waited_out_is_said_in_the_form() {
    let refused = json!({"error": {"message": "Incorrect API key provided"}});
    let server = ChatServer::start(move |_, _| Answer::json(401, &refused));
    let place = beside(&server);
    let desk = place.asking_the_stub();
    desk.wait("✗ Not started: ");
    desk.wait("No run was created");
    desk.wait("Say which colour");
    desk.kill();
}

#[test]
fn a_model_that_the_environment_names_is_asked_by_its_name() {
    let server = ChatServer::start(|_, _| {
        Answer::calls(&[("c1", "ask_person", json!({"question": "Which colour?"}))])
    });
    let place = Place::new();
    let base = server.base();
    let env = [("OPENAI_BASE_URL", base.as_str()), ("OPENAI_API_KEY", "sk-test"), ("WAKEFUL_MODEL", "m1")];
    let desk = place.open_with(120, 40, &[], &env);
    desk.wait("New runs use m1 at ");
    desk.press("n");
    desk.wait("What is to be reached");
    desk.press("Say which colour");
    desk.wait("Say which colour");
    desk.press("\x0f");
    desk.wait("Which colour?");
    assert!(desk.shows("m1"), "{}", desk.screen());
    let asked = server.requests().into_iter().filter(|request| request.method == "POST");
    let models: Vec<_> = asked.map(|request| request.body["model"].clone()).collect();
    assert!(!models.is_empty() && models.iter().all(|model| model == "m1"), "{models:?}");
    desk.kill();
}
