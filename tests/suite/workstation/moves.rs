//! From one run to another, and what comes meanwhile: what is decided is what was gone to, and what comes takes no key.

use super::desk::{Place, eventually};
use super::jobs::ONE_EFFECT;
use super::place::{events, text};
use crate::suite::provider::server::{Answer, ChatServer, Gate};
use serde_json::json;
use std::time::Duration;
use wakeful::run::Event;

/// How the call of the run with this title stands.
fn call_of(place: &Place, title: &str) -> String {
    let runs = place.ask(&["runs"]);
    let row = runs.lines().find(|row| row.contains(title)).unwrap_or_else(|| panic!("{title}:\n{runs}"));
    let run = row.split_whitespace().find(|word| word.starts_with("r-")).unwrap_or_else(|| panic!("{row}"));
    place.ask(&["intents", run])
}

#[test]
fn of_two_runs_that_wait_the_one_that_was_gone_to_is_decided() {
    let place = Place::new();
    place.script(ONE_EFFECT);
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("n");
    desk.wait("New run");
    desk.press("Sort the photos");
    desk.wait("Sort the photos");
    desk.press("\x0f");
    desk.wait("NEEDS YOU");
    desk.press("n");
    desk.wait("New run");
    desk.press("Water the beds");
    desk.wait("Water the beds");
    desk.press("\x0f");
    let shows = |title: &str| {
        let head = format!(" wakeful │ {title} ");
        desk.until(title, || desk.screen().starts_with(&head));
    };
    shows("Water the beds");
    desk.wait("NEEDS YOU");
    // The run before it, and back to what waits in the other one.
    desk.press("]");
    shows("Sort the photos");
    desk.wait("NEEDS YOU");
    // It has waited the longest.
    desk.press("1");
    desk.wait("┏━ 1 Loop");
    desk.press("!");
    desk.wait("┌─ 1 Loop");
    shows("Sort the photos");
    desk.press("!");
    shows("Water the beds");
    desk.wait("┌─ 1 Loop");
    desk.press("a");
    desk.wait("Run this command?");
    desk.press_till("y", "it is approved", || !desk.shows("Run this command?"));
    desk.wait("completed");
    assert!(call_of(&place, "Water the beds").contains("done"));
    assert!(call_of(&place, "Sort the photos").contains("waiting"));
    assert_eq!(place.read("effects").unwrap(), "x\n");
    // What is left waits in the first one.
    desk.press("!");
    shows("Sort the photos");
    desk.press("[");
    shows("Water the beds");
    desk.kill();
}

#[test]
fn a_call_that_comes_while_a_message_is_typed_gets_none_of_its_keys() {
    let gate = Gate::default();
    let answered = gate.clone();
    let server = ChatServer::start(move |nth, _| match nth {
        0 => {
            let chunk = json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c1",
                "type": "function", "function": {"name": "shell",
                "arguments": json!({"command": "echo x >> effects"}).to_string()}}]}}]});
            let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
            Answer::stream().wait(&answered).data(&chunk).data(&end).done()
        }
        _ => Answer::calls(&[("c2", "ask_person", json!({"question": "Which colour?"}))]),
    });
    let place = Place::new();
    place.config(&format!(
        "default_profile = \"stub\"\n[profile.stub]\nbase_url = \"{}\"\nmodel = \"stub\"\nwindow = 32768\n\
         protocol = \"native\"\n",
        server.base()
    ));
    let desk = place.asking_the_stub();
    desk.wait("▸ INFER");
    desk.press("i");
    desk.wait("Enter send");
    desk.press("Keep the ");
    desk.wait("▏Keep the");
    gate.open();
    desk.wait("NEEDS YOU");
    // What is typed on is the message, whatever these keys mean elsewhere.
    for piece in ["a", "y", "3", "!", "M"] {
        desk.press(piece);
        std::thread::sleep(Duration::from_millis(350));
    }
    desk.wait("▏Keep the ay3!M");
    assert!(!desk.shows("Run this command?") && desk.shows("┏━ 1 Loop"), "{}", desk.screen());
    desk.press("\r");
    desk.wait("queued: Keep the ay3!M");
    assert!(!desk.shows("Run this command?"), "{}", desk.screen());
    assert!(place.ask(&["intents", "last"]).contains("waiting"));
    assert!(place.read("effects").is_none());
    // The same keys mean something now.
    desk.press("a");
    desk.wait("Run this command?");
    desk.press_till("y", "it is approved", || !desk.shows("Run this command?"));
    eventually("it runs", || place.read("effects").is_some());
    eventually("the message is delivered", || {
        let said = events(&place).into_iter().filter_map(|event| match event {
            Event::PersonMessage { body, .. } => Some(text(&place, &body)),
            _ => None,
        });
        said.collect::<Vec<_>>() == ["Keep the ay3!M"]
    });
    desk.kill();
}

#[test]
fn twice_esc_pauses_and_once_does_not() {
    let place = Place::new();
    place.script(ONE_EFFECT);
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("NEEDS YOU");
    for _ in 0..2 {
        desk.press("\x1b");
        desk.wait("Nothing to close. Twice quickly: pause now.");
        std::thread::sleep(Duration::from_millis(900));
    }
    assert!(!desk.shows("paused"), "{}", desk.screen());
    // A key of its own each, as a person presses them: together they would be Alt-Esc.
    desk.press("\x1b");
    std::thread::sleep(Duration::from_millis(200));
    desk.press("\x1b");
    desk.wait("■ paused");
    desk.kill();
}
