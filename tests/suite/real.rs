//! The whole binary against a real model server (`.ci/model-server` starts one). Without `WAKEFUL_TEST_BASE_URL` and
//! `WAKEFUL_TEST_MODEL` nothing is tested, and each test says so. The wire is tested, never the wisdom of an answer.

mod long_run;

use super::provider::server::PATIENCE;
use super::serve::scene::{Done, Scene};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A reply of a small model on a busy machine is slow; the time to its first token is not what is tested.
const CONFIG: &str =
    "[limits]\nfirst_token_timeout = \"off\"\nbetween_tokens_timeout = \"off\"\nbreaker = 2\n";
/// Not offered, so that the prompt is short: a small model on one busy core reads some hundred tokens a second.
const HIDDEN: [&str; 9] =
    ["write_file", "edit_file", "shell", "http_get", "search", "plan", "ask_person", "decide", "note"];

/// The server has one slot: one test after the other.
static ONE: Mutex<()> = Mutex::new(());

/// A place whose model is the real one, if there is one.
fn scene(profile: &str) -> Option<(Scene, MutexGuard<'static, ()>)> {
    let set = |name: &str| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    let (Some(base), Some(model)) = (set("WAKEFUL_TEST_BASE_URL"), set("WAKEFUL_TEST_MODEL")) else {
        println!("not tested: WAKEFUL_TEST_BASE_URL and WAKEFUL_TEST_MODEL name no server");
        return None;
    };
    let alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let profile = format!("{profile}\nwindow = 4000\nreserve = 64\ntemperature = 0.0\n");
    let hidden = HIDDEN.map(|tool| format!("[tools.{tool}]\nenabled = false\n")).concat();
    let scene = Scene::with(base.trim(), model.trim(), &profile, &format!("{CONFIG}{hidden}"));
    scene.file("notes.txt", "The meeting is on Tuesday.\n");
    Some((scene, alone))
}

/// A small model may do whatever it likes, but the run ends in a status that says so.
fn assert_known(end: &Done) {
    let status = end.end()["status"].as_str().unwrap().to_owned();
    let wait = end.end()["wait"].as_str().unwrap_or_default().to_owned();
    let known = match status.as_str() {
        "completed" | "limit" => true,
        "waiting" => matches!(wait.as_str(), "loop" | "breaker" | "question" | "failed_check"),
        _ => false,
    };
    assert!(known, "{status} {wait}\n{}\n{:#?}", end.talk, end.lines);
}

fn live_file(scene: &Scene, run: &str) -> PathBuf {
    let mut dir = scene.db().into_os_string();
    dir.push(".d");
    PathBuf::from(dir).join("live").join(run)
}

/// Waits until some text of the reply has come in.
fn first_words(scene: &Scene, run: &str) -> String {
    let (file, begun) = (live_file(scene, run), Instant::now());
    loop {
        match std::fs::read_to_string(&file) {
            Ok(text) if !text.trim().is_empty() => return text,
            Ok(_) | Err(_) => {}
        }
        assert!(begun.elapsed() < PATIENCE * 3, "no text came in");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn under_the_schema_protocol_a_run_streams_counts_and_ends() {
    let Some((scene, _alone)) = scene("protocol = \"schema\"") else { return };
    let goal = "Read notes.txt and say on which day the meeting is";
    let mut work = scene.start(&Scene::goal(goal, &["--max-steps", "1"]));
    work.until("model_called");
    let words = first_words(&scene, &work.id());
    assert!(
        !words.contains("\"thought\"") && !words.starts_with('{'),
        "the words without their JSON: {words}"
    );
    let end = work.finish();
    assert_known(&end);
    let replied = end.all("model_replied");
    assert!(!replied.is_empty(), "{}", end.talk);
    for reply in replied {
        assert_eq!(reply["usage"]["estimated"], false, "the server's own count: {reply}");
        assert!(reply["usage"]["prompt"].as_u64().unwrap() > 200);
        assert!(reply["ms"].as_u64() >= reply["first_token_ms"].as_u64());
    }
    let state = tokio::runtime::Runtime::new().unwrap().block_on(async {
        let store = scene.store();
        let run = scene.last(&store).await;
        store.load(&run).await.unwrap().state
    });
    let (usage, drift) = (state.ledger.last_usage.unwrap(), state.ledger.drift.unwrap());
    let table = &end.all("model_called").last().unwrap()["table"];
    let rows = table["rows"].as_array().unwrap();
    let ours: i64 = rows.iter().filter(|r| r["slot"] != "reserve").map(|r| r["used"].as_i64().unwrap()).sum();
    assert_eq!(
        i64::try_from(usage.prompt).unwrap() - ours,
        drift,
        "what the server counted less what we did"
    );
    assert_eq!(state.ledger.cut_at_front(), None, "the whole prompt was read");
}

#[test]
fn the_tool_protocol_is_found_out_once_for_an_endpoint() {
    let Some((scene, _alone)) = scene("protocol = \"auto\"") else { return };
    // With no tokens to spend, the question about tools is the only one that is asked.
    let end = scene.run("Say hello", &["--max-tokens", "1"]);
    end.expect(3, "limit");
    assert!(end.talk.contains("which tool protocol"), "{}", end.talk);
    let again = scene.run("Say hello", &["--max-tokens", "1"]);
    again.expect(3, "limit");
    assert!(!again.talk.contains("which tool protocol"), "{}", again.talk);
    assert!(end.all("model_called").is_empty() && again.all("model_called").is_empty());
}

#[test]
fn native_tools_are_taken_by_a_real_server() {
    let Some((scene, _alone)) = scene("protocol = \"native\"") else { return };
    let end = scene.run("Read notes.txt", &["--max-steps", "1"]);
    assert_known(&end);
    assert!(end.all("model_replied").iter().all(|r| r["usage"]["estimated"] == false));
    assert!(end.all("model_failed").iter().all(|f| f["kind"] == "bad_model_json"), "{:?}", end.lines);
}

#[test]
fn a_kill_in_the_middle_of_a_stream_costs_the_request_and_nothing_else() {
    let Some((scene, _alone)) = scene("protocol = \"schema\"") else { return };
    let mut work =
        scene.start(&Scene::goal("Read notes.txt and tell a long story about it", &["--max-steps", "1"]));
    work.until("model_called");
    first_words(&scene, &work.id());
    work.kill();
    let end = scene.resume(&[]);
    assert_known(&end);
    let aborted = end.all("model_aborted");
    assert_eq!(aborted.len(), 1, "{:?}", end.kinds());
    assert!(aborted[0]["usage"]["prompt"].as_u64().unwrap() > 200, "charged as if it had been read");
    let charged = end.end()["report"]["totals"]["charged"].as_u64();
    if let Some(charged) = charged {
        assert!(charged > aborted[0]["usage"]["prompt"].as_u64().unwrap());
    }
}
