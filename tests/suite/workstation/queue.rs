//! Messages on their way: seen while they wait, had back, delivered at once; delivered once whatever races.

use super::desk::{Desk, Place, eventually};
use super::jobs::{ONE_EFFECT, SHORT, command, slow_lines};
use super::place::{events, text};
use crate::suite::provider::server::{Answer, ChatServer};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;
use wakeful::run::control::{Author, Control};
use wakeful::run::event::Event;
use wakeful::store::{HadBack, Posted, RunFilter, Store, StoreOptions};

/// The words that people said to the agent, as the journal has them.
fn said(place: &Place) -> Vec<String> {
    let bodies = events(place).into_iter().filter_map(|event| match event {
        Event::PersonMessage { body, .. } => Some(body),
        _ => None,
    });
    bodies.map(|body| text(place, &body)).collect()
}

/// The workstation at work at the offline model's job, once the screen shows this.
fn begun(place: &Place, shows: &str) -> Desk {
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait(shows);
    desk
}

/// Writes a message and sends it; it waits to be delivered.
fn queues(desk: &Desk, words: &str) {
    desk.press("i");
    desk.wait("Enter send");
    desk.press(words);
    desk.wait(&format!("▏{words}"));
    desk.press("\r");
    desk.wait(&format!("queued: {words}"));
}

#[test]
fn a_message_waits_is_had_back_and_then_cuts_the_request_that_is_out() {
    let server = ChatServer::start(|nth, _| match nth {
        // Long: its end is kept back, as a secret may begin there.
        0 => Answer::stream()
            .data(
                &json!({"choices": [{"index": 0, "delta": {"content": "I think about it.\n".repeat(300)}}]}),
            )
            .hang(),
        _ => Answer::calls(&[("c2", "ask_person", json!({"question": "Which colour?"}))]),
    });
    let place = Place::new();
    place.config(&format!(
        "default_profile = \"stub\"\n[profile.stub]\nbase_url = \"{}\"\nmodel = \"stub\"\nwindow = 32768\n\
         protocol = \"native\"\n",
        server.base()
    ));
    let desk = place.asking_the_stub();
    desk.wait("I think about it.");
    queues(&desk, "Keep the order");
    desk.wait("goes in with step 2");
    assert!(place.ask(&["message", "last", "--queued"]).contains("Keep the order"));
    desk.press("u");
    desk.wait("Taken back");
    desk.wait("▏Keep the order");
    desk.wait_gone("queued:");
    assert!(place.ask(&["message", "last", "--queued"]).contains("no message waits"));
    desk.press(", please");
    desk.wait("▏Keep the order, please");
    desk.press("\r");
    desk.wait("queued: Keep the order, please");
    assert_eq!(server.requests().len(), 1, "nothing was stopped for it");
    desk.press("I");
    desk.wait("Which colour?");
    desk.wait_gone("queued:");
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[1].body.to_string().matches("Keep the order, please").count(), 1);
    assert_eq!(said(&place).len(), 1);
    desk.kill();
}

#[test]
fn a_goal_edit_on_its_way_is_seen_on_both_workstations_and_in_the_editor() {
    let place = Place::playing(&command("sleep 60"));
    let desk = begun(&place, "RUNNING · act");
    let other = place.open(120, 40, &[]);
    other.wait("worker: elsewhere");
    desk.press("g");
    desk.wait("Goal · version 2, from v1");
    desk.press("Twice. ");
    desk.wait("Twice. ");
    desk.press("\x0f");
    for desk in [&desk, &other] {
        desk.wait("edit of the goal: ");
        desk.wait("on its way, read at the next step");
        desk.wait("v2 on its way");
    }
    other.press("g");
    other.wait("Goal · version 3, from v2");
    other.wait("is on its way: the run has not read it yet.");
    assert!(other.screen().contains("Twice. "), "{}", other.screen());
    assert!(!events(&place).iter().any(|event| matches!(event, Event::GoalEdited { .. })));
    desk.kill();
    other.kill();
}

#[test]
fn a_command_is_ended_for_a_message_only_if_the_person_says_so() {
    let place = Place::playing(&command("sleep 60"));
    let desk = begun(&place, "RUNNING · act");
    // The phase is heard live; the command is asked about once the snapshot has it.
    desk.wait("1 running");
    queues(&desk, "Not that");
    desk.press("I");
    desk.wait("A tool is running: deliver the message now?");
    desk.press("\x1b");
    desk.wait_gone("A tool is running");
    assert!(said(&place).is_empty());
    desk.press("I");
    desk.wait("A tool is running: deliver the message now?");
    desk.press("j");
    desk.press("\r");
    desk.wait("completed");
    assert!(said(&place).iter().any(|text| text.contains("Not that")));
    desk.kill();
}

#[test]
fn a_message_can_be_had_back_as_long_as_a_call_waits() {
    let place = Place::new();
    place.script(ONE_EFFECT);
    let desk = begun(&place, "NEEDS YOU");
    queues(&desk, "Not that");
    desk.wait("read once the call is decided");
    assert!(said(&place).is_empty());
    desk.press("u");
    desk.wait("Taken back");
    desk.wait("▏Not that");
    desk.wait_gone("queued:");
    desk.press(", please");
    desk.wait("▏Not that, please");
    desk.press("\r");
    desk.wait("queued: Not that, please");
    desk.press("I");
    desk.wait("A call waits for you: deliver the message now?");
    desk.press("j");
    desk.press("\r");
    desk.wait("completed");
    assert_eq!(said(&place).len(), 1);
    assert!(!place.ask(&["intents", "--json"]).contains("\"done\""), "nothing ran");
    desk.kill();
}

#[test]
fn a_message_and_its_taking_back_race_and_one_wins() {
    let place = Place::new();
    place.config("[limits]\ntool_calls_per_minute = 10000\ntool_calls = 10000\nsteps = 10000\n");
    place.script(&slow_lines(400));
    let mut worker =
        place.start(&["run", "Ask", "--model", "offline", "--approve", "auto", "--wait", "--headless"]);
    eventually("it works", || place.ask(&["runs", "--json"]).contains("\"running\""));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut back, mut late) = (BTreeSet::new(), BTreeSet::new());
    runtime.block_on(async {
        let store = Store::open(StoreOptions::new(place.db(), std::sync::Arc::new(|_| true))).unwrap();
        let run = store.runs(RunFilter::default()).await.unwrap().remove(0).id;
        let by = || Author::Person("test".to_owned());
        for n in 0u64..60 {
            let words = format!("message {n}.");
            let control = Control::Message { text: words.clone(), now: false };
            let Posted::Row(id) = store.post(&run, control, by(), 1).await.unwrap() else { panic!() };
            // From at once to long after: both win at times.
            tokio::time::sleep(Duration::from_micros(n * n * 40)).await;
            match store.take_back(&run, id, by(), 2).await.unwrap() {
                HadBack::Text(text) => {
                    assert_eq!(text, words);
                    back.insert(words);
                }
                HadBack::TooLate(_) => {
                    late.insert(words);
                }
                HadBack::Before(by) => panic!("{by:?}"),
            }
        }
    });
    assert!(!back.is_empty() && !late.is_empty(), "{} {}", back.len(), late.len());
    eventually("all are delivered", || said(&place).len() >= late.len());
    let said = said(&place);
    for words in &late {
        assert_eq!(said.iter().filter(|text| text.contains(words.as_str())).count(), 1, "{words}");
    }
    for words in &back {
        assert!(!said.iter().any(|text| text.contains(words.as_str())), "{words}");
    }
    assert!(worker.try_wait().unwrap().is_none(), "the worker works on");
    worker.kill().unwrap();
    worker.wait().unwrap();
}

#[test]
fn the_command_line_lists_what_waits_and_takes_it_back() {
    let place = Place::playing(&command("sleep 60"));
    let mut worker = place.start(&["run", "Wait", "--model", "offline", "--wait", "--headless"]);
    eventually("it runs", || place.ask(&["intents", "--json"]).contains("\"started\""));
    assert!(place.ask(&["message", "last", "--queued"]).contains("no message waits"));
    let mut posting = place.start(&["message", "last", "Not that"]);
    eventually("it waits", || place.ask(&["message", "last", "--queued", "--json"]).contains("Not that"));
    let listed = place.ask(&["message", "last", "--queued", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let id = all[0]["id"].to_string();
    assert!(place.ask(&["message", "last", "--take-back", &id]).starts_with("Not that\n"));
    // Who sent it is told, and so is who comes later.
    assert_eq!(posting.wait().unwrap().code(), Some(2));
    assert!(place.ask(&["message", "last", "--take-back", &id]).contains("took it back before"));
    assert!(place.ask(&["message", "last", "--queued"]).contains("no message waits"));
    assert!(said(&place).is_empty());
    worker.kill().unwrap();
    worker.wait().unwrap();
}

/// It waits where it was asked until a worker has the run: had back, changed and sent anew it goes in once; a key lets the
/// run go on with one that was sent from elsewhere.
#[test]
fn a_message_to_a_run_that_is_over_is_had_back_changed_and_goes_in_once() {
    let place = Place::new();
    place.script(SHORT);
    place.ask(&["run", "Say it", "--model", "offline", "--headless"]);
    let sent = place.ask(&["message", "last", "Keep the order"]);
    assert!(sent.contains("when the run goes on: `wakeful resume"), "{sent}");
    let desk = place.open(120, 40, &[]);
    desk.wait("Say it");
    desk.press("j\r");
    desk.wait("queued: Keep the order");
    desk.wait("read when the run goes on (p)  u take back");
    desk.press("u");
    desk.wait("Taken back; the agent did not see it.");
    desk.wait("▏Keep the order");
    desk.wait_gone("queued:");
    desk.press(", please");
    desk.wait("▏Keep the order, please");
    desk.press("\r");
    eventually("it goes in", || said(&place).len() == 1);
    desk.wait_gone("queued:");
    // A worker that is still there would take the next one too.
    eventually("the worker is done with it", || {
        let events = events(&place);
        let ends = events.iter().filter(|event| matches!(event, Event::RunEnded { .. })).count();
        ends == 2 && matches!(events.last(), Some(Event::RunReleased { .. }))
    });
    desk.wait_gone("worker: here");

    place.ask(&["message", "last", "And then"]);
    desk.wait("queued: And then");
    desk.wait("p go on");
    assert_eq!(said(&place).len(), 1);
    desk.press("p");
    eventually("it goes in", || said(&place).len() == 2);
    desk.wait_gone("queued:");
    let said = said(&place);
    assert!(said[0].contains("Keep the order, please") && said[1].contains("And then"), "{said:?}");
    desk.kill();
}
