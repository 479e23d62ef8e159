//! What banners can do in the real program: a limit that is near is raised, a worker that sleeps is ended and its run
//! taken over, a full disk is waited out.

use super::desk::{Place, eventually};
use super::place::events;
use crate::suite::provider::server::{Answer, ChatServer};
use crate::suite::serve::scene::usage;
use crate::suite::small_disk::Small;
use serde_json::json;
use wakeful::run::Event;

const WRITES: &str = "[[rule]]\ntool = \"write_file\"\nthen = \"allow\"\n";

/// Four steps that write a file, and a question.
const FIVE: &str = "[[steps]]\nrepeat = 4\nsay = \"Part {i}.\"\n\
     calls = [{ name = \"write_file\", args = { path = \"part-{i}.txt\", content = \"{i}\" } }]\n\
     [[steps]]\nsay = \"One question.\"\n\
     calls = [{ name = \"ask_person\", args = { question = \"Which colour?\" } }]\n[[steps]]\nsay = \"Done.\"\n";

#[test]
fn a_limit_that_is_near_is_raised() {
    let place = Place::new();
    place.config(&format!("[limits]\nsteps = 5\ntool_calls_per_minute = 1000\n{WRITES}"));
    place.script(FIVE);
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("! STEPS 80 %");
    desk.wait("0 raise");
    desk.press("0");
    desk.wait("Raise the limit: steps");
    desk.press("\r");
    desk.wait("Change limits");
    desk.press("\x7f");
    desk.press("90");
    desk.wait("▏90 ");
    desk.press("\x0f");
    desk.wait_gone("STEPS 80 %");
    desk.wait("steps 4/90");
    desk.press("0");
    desk.wait("There is no banner.");
    desk.kill();
}

#[test]
fn a_worker_that_sleeps_is_ended_by_its_number_and_its_run_is_taken_over() {
    let place = Place::new();
    let mut worker = place.start(&[
        "run",
        "Survey this folder",
        "--check",
        "file:wakeful-report.md",
        "--wait",
        "--headless",
    ]);
    eventually("it waits", || place.ask(&["runs", "--json"]).contains("\"waiting\""));
    let pid = rustix::process::Pid::from_child(&worker);
    let desk = place.open(120, 40, &[]);
    desk.wait("NEEDS YOU");
    assert!(!desk.shows("OWNER ASLEEP"));
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    desk.wait("! OWNER ASLEEP");
    desk.wait(&format!("Worker {} has this run", pid.as_raw_nonzero()));
    desk.press("0");
    desk.wait("and take the run over");
    desk.press("\r");
    desk.wait("to go on");
    desk.press("no");
    desk.wait("▏no ");
    desk.press("\r");
    assert!(worker.try_wait().unwrap().is_none(), "a wrong word ends nothing");
    desk.press("\x7f\x7f");
    let number = pid.as_raw_nonzero().to_string();
    desk.press(&number);
    desk.wait(&format!("▏{number} "));
    desk.press("\r");
    desk.wait_gone("OWNER ASLEEP");
    desk.wait("worker: here");
    assert!(!worker.wait().unwrap().success());
    desk.press("a");
    desk.wait("this file?");
    desk.press_until("y", "completed");
    assert!(place.read("wakeful-report.md").is_some());
    desk.press("q");
    assert_eq!(desk.end(), 0);
}

#[test]
fn a_full_disk_is_told_of_waited_out_and_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_small) = Small::over(folder.path(), 24) else { return };
    let place = Place::on(folder);
    place.config("[approval]\nmode = \"auto\"\n[limits]\ntool_calls_per_minute = 1000\n");
    // The command fills the disk; what it did can still be recorded, and the next step cannot.
    let filler = place.workspace().join("filler");
    place.script(&format!(
        "[[steps]]\nsay = \"I fill it.\"\n\
         calls = [{{ name = \"shell\", args = {{ command = \"cat /dev/zero > filler\" }} }}]\n\
         [[steps]]\nrepeat = 3\nsay = \"{}\"\n\
         calls = [{{ name = \"note\", args = {{ kind = \"fact\", text = \"{{i}}\" }} }}]\n\
         [[steps]]\nsay = \"One question.\"\n\
         calls = [{{ name = \"ask_person\", args = {{ question = \"Which colour?\" }} }}]\n",
        "A long reply. ".repeat(500)
    ));
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("✗ DISK FULL");
    desk.wait("0 retry (in ");
    std::fs::remove_file(&filler).unwrap();
    desk.press("0");
    desk.wait("Try again now");
    desk.press("\r");
    desk.wait("Which colour?");
    assert!(!desk.shows("DISK FULL"));
    desk.kill();
}

/// Fills a file system to its last byte.
fn fill(file: &std::path::Path) {
    use std::io::Write as _;
    let mut file = std::fs::File::create(file).unwrap();
    for size in [1 << 20, 4096, 1] {
        while file.write_all(&vec![b'x'; size]).is_ok() {}
    }
}

#[test]
fn what_was_written_while_the_disk_is_full_is_kept_and_sent_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_small) = Small::over(folder.path(), 24) else { return };
    let place = Place::on(folder);
    place.script(super::jobs::ONE_EFFECT);
    let desk = place.waiting(100, 30);
    let filler = place.workspace().join("filler");
    fill(&filler);
    // More than what a log of before may have room for.
    let long = "word ".repeat(200_000);
    desk.press("g");
    desk.wait("Versions");
    desk.press(&format!("\x1b[200~ {long}quick brown\x1b[201~"));
    desk.wait("quick brown");
    desk.press("!?");
    desk.wait("brown!?");
    desk.press("\x0f");
    desk.wait("The disk is full: not stored. What you wrote is kept: g");
    desk.wait("DISK FULL");
    desk.press("d");
    desk.wait("The agent reads this");
    desk.press(&format!("\x1b[200~{long}lazy dog\x1b[201~"));
    desk.wait("lazy dog");
    desk.press("!?");
    desk.wait("dog!?");
    desk.press("\r");
    desk.wait("What you wrote is kept: d");
    desk.press("d");
    desk.wait("lazy dog!?");
    desk.press("\x1b");
    desk.wait_gone("lazy dog");
    std::fs::remove_file(&filler).unwrap();
    desk.wait_gone("DISK FULL");
    desk.press("g");
    desk.wait("quick brown!?");
    desk.press("\x0f");
    // It is stored now, and answered: no window takes a goal of this size.
    desk.wait("what you wrote is kept: g");
    // The Loop has all of it; which panel is in view depends on when the call was first seen.
    desk.press("1");
    desk.wait("and is never cut");
    let refused = |event: &Event| matches!(event, Event::ControlRefused { .. });
    assert_eq!(events(&place).iter().filter(|event| refused(event)).count(), 1);
    desk.kill();
}

/// A place whose model is this server, and a worker beside the screen that began a run there.
fn served(server: &ChatServer) -> (Place, std::process::Child) {
    let place = Place::new();
    place.config(&format!(
        "default_profile = \"stub\"\n[profile.stub]\nbase_url = \"{}\"\nmodel = \"stub\"\n\
         window = 32768\nprotocol = \"native\"\n",
        server.base()
    ));
    let worker = place.start(&["run", "Say which colour", "--wait", "--headless"]);
    (place, worker)
}

#[test]
fn a_retry_is_counted_down_and_ended_by_a_pause() {
    let server = ChatServer::script(vec![Answer::body(429, &[("retry-after", "300")], "{}")]);
    let (place, mut worker) = served(&server);
    eventually("it is asked", || !server.requests().is_empty());
    eventually("it waits", || place.ask(&["runs", "--json"]).contains("\"waiting\""));
    let desk = place.open(120, 40, &[]);
    desk.wait("· RETRY 1/");
    desk.wait("Server busy (429); survives restart");
    assert!(!desk.shows("HTTP") && !desk.shows("rate_limited") && !desk.shows("{}"), "{}", desk.screen());
    desk.wait("0 cancel  again in 4:");
    desk.press("0");
    desk.wait("Stop waiting: pause the run");
    desk.press("\r");
    desk.wait("■ paused");
    desk.wait_gone("again in 4:");
    assert_eq!(server.requests().len(), 1);
    desk.kill();
    worker.kill().unwrap();
    worker.wait().unwrap();
}

#[test]
fn a_prompt_that_the_server_cut_is_told_of_and_the_window_set() {
    let asks = json!([{"index": 0, "id": "c1", "type": "function",
        "function": {"name": "ask_person", "arguments": "{\"question\": \"Which colour?\"}"}}]);
    let answer = Answer::stream()
        .data(&json!({"choices": [{"index": 0, "delta": {"tool_calls": asks}}]}))
        .data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}))
        .data(&usage(1_100, 20))
        .done();
    let server = ChatServer::script(vec![answer]);
    let (place, mut worker) = served(&server);
    eventually("it waits", || place.ask(&["runs", "--json"]).contains("\"waiting\""));
    let desk = place.open(120, 40, &[]);
    desk.wait("✗ PROMPT CUT  Server read 1,100 of ");
    desk.wait("0 set window");
    desk.press("0");
    desk.wait("to what the server reads");
    desk.press("\r");
    desk.wait("now 32,768");
    desk.press("\x0f");
    desk.wait_gone("PROMPT CUT");
    desk.kill();
    worker.kill().unwrap();
    worker.wait().unwrap();
}
