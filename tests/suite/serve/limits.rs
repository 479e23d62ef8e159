//! Runaway loops, and every limit of a run.

use super::scene::{MANY_TURNS, Scene, Work, all_text, assert_paired, call, raw_calls, text, wait_until};
use crate::suite::provider::server::{Answer, ChatServer};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use wakeful::run::control::Control;

fn post(scene: &Scene, control: Control) {
    tokio::runtime::Runtime::new().unwrap().block_on(scene.post(control));
}

#[test]
fn the_same_bad_arguments_again_and_again_stop_and_ask() {
    // P15.
    let server = ChatServer::start(|n, _| raw_calls(&[(&format!("c{n}"), "read_file", r#"{"file": "a"}"#)]));
    let scene = Scene::new(&server);
    let end = scene.run("Look", &[]);
    end.waits_for("breaker");
    assert_eq!(server.requests().len(), 3);
    let last = &server.requests()[2];
    assert_paired(last);
    assert!(all_text(last).contains("\"path\""), "the schema was shown: {}", all_text(last));
    // Without a person's word nothing goes on.
    scene.resume(&[]).waits_for("breaker");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn the_same_call_with_the_same_result_is_a_loop_until_a_person_says_go_on() {
    // L01, L03: only the id and the order of the arguments change.
    let server = ChatServer::start(|n, _| match n {
        0..=2 => {
            let args =
                if n % 2 == 0 { r#"{"path":"a.txt","offset":1}"# } else { r#"{"offset":1,"path":"a.txt"}"# };
            raw_calls(&[(&format!("id-{n}"), "read_file", args)])
        }
        _ => text("Seen.", 10, 2),
    });
    let scene = Scene::new(&server);
    scene.file("a.txt", "one line");
    scene.run("Look", &[]).waits_for("loop");
    assert_eq!(server.requests().len(), 3);
    scene.resume(&[]).waits_for("loop");
    post(&scene, Control::Continue);
    scene.resume(&[]).expect(0, "completed");
}

#[test]
fn thirty_different_edits_are_no_loop() {
    // L02.
    let server = ChatServer::start(|n, _| match n {
        0..=29 => call(
            &format!("e{n}"),
            "edit_file",
            json!({"path": "n.txt", "old_string": format!("line {n} todo"), "new_string": format!("line {n} done")}),
        ),
        _ => text("All edited.", 10, 2),
    });
    let scene = Scene::of(&server, "", MANY_TURNS);
    let lines: Vec<String> = (0..30).map(|n| format!("line {n} todo\n")).collect();
    scene.file("n.txt", &lines.concat());
    let end = scene.run("Mark every line as done", &[]);
    end.expect(0, "completed");
    assert!(!scene.read("n.txt").contains("todo"));
    assert_eq!(end.end()["report"]["tools"]["edit_file"]["done"], 30);
}

#[test]
fn a_cost_cap_without_a_price_is_refused_before_anything_is_sent() {
    // L04.
    let server = ChatServer::script(vec![text("no", 1, 1)]);
    let scene = Scene::new(&server);
    let out = scene.command(&["run", "Look", "--max-cost", "1", "--headless", "--json"]).output().unwrap();
    assert_eq!(out.status.code(), Some(2));
    let talk = String::from_utf8_lossy(&out.stderr);
    assert!(talk.contains("price") && talk.contains("not known"), "{talk}");
    assert!(server.requests().is_empty());
}

#[test]
fn a_cost_cap_with_a_price_stops_the_run() {
    let server = ChatServer::start(|n, _| {
        let path = format!("{n}.txt");
        Answer::stream()
            .data(
                &json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": format!("c{n}"),
                "type": "function", "function": {"name": "write_file",
                "arguments": json!({"path": path, "content": "x"}).to_string()}}]}}]}),
            )
            .data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}))
            .data(&super::scene::usage(1_000, 1_000))
            .done()
    });
    let price = "price.prompt = 100\nprice.cached = 10\nprice.completion = 300\n";
    let scene = Scene::of(&server, price, "");
    // 0.4 a call.
    let end = scene.run("Write", &["--max-cost", "1"]);
    end.expect(3, "limit");
    let report = &end.end()["report"];
    assert_eq!(report["outcome"], json!({"limit": "cost"}));
    assert_eq!(report["totals"]["cost_micro"], 1_200_000);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn at_the_step_limit_a_report_without_tools_is_asked_for_and_a_raised_limit_goes_on() {
    let server = ChatServer::start(|n, request| {
        if request.body.get("tools").is_none() {
            return text("So far: two files.", 10, 5);
        }
        match n {
            0..=3 => call(&format!("c{n}"), "write_file", json!({"path": format!("{n}"), "content": "x"})),
            _ => text("All of it.", 10, 5),
        }
    });
    let scene = Scene::new(&server);
    let end = scene.run("Write", &["--max-steps", "2"]);
    end.expect(3, "limit");
    assert_eq!(end.end()["report"]["outcome"], json!({"limit": "steps"}));
    assert_eq!(end.end()["report"]["answer"], "So far: two files.");
    let requests = server.requests();
    assert_eq!(requests.len(), 3, "two steps and the report");
    assert!(all_text(&requests[2]).contains("a limit is reached"));
    // Without a raised limit only the report is shown again.
    scene.resume(&[]).expect(3, "limit");
    assert_eq!(server.requests().len(), 3);
    scene.resume(&["--max-steps", "10"]).expect(0, "completed");
    let requests = server.requests();
    for request in &requests {
        assert_paired(request);
    }
    assert!(all_text(requests.last().unwrap()).contains("So far: two files."), "the report is remembered");
}

/// Reads one file after the other; each turn costs so much, or as much as it is long. `report` answers what is asked
/// without tools.
fn spender(turn: Option<u64>, report: impl Fn(usize, u64) -> Answer + Send + Sync + 'static) -> ChatServer {
    let reports = AtomicUsize::new(0);
    ChatServer::start(move |n, request| {
        let long = request.body.to_string().len() as u64 / 4;
        let prompt = turn.unwrap_or(long);
        if request.body.get("tools").is_none() {
            return report(reports.fetch_add(1, Ordering::SeqCst), prompt);
        }
        Answer::counted_calls(
            &[(&format!("c{n}"), "read_file", json!({"path": format!("{n}.txt")}))],
            prompt,
            50,
        )
    })
}

fn spending(server: &ChatServer, kept: u32) -> Scene {
    let scene = Scene::of(server, "", &format!("[limits]\nwrap_up_percent = {kept}\n"));
    for n in 0..20 {
        scene.file(&format!("{n}.txt"), &format!("file {n}"));
    }
    scene
}

#[test]
fn the_token_limit_holds_and_keeps_a_share_for_the_report() {
    let server = spender(None, |_, prompt| text("The tokens are used up.", prompt, 10));
    let end = spending(&server, 30).run("Read", &["--max-tokens", "20000"]);
    end.expect(3, "limit");
    let report = &end.end()["report"];
    assert_eq!(report["outcome"], json!({"limit": "tokens"}));
    assert_eq!(report["answer"], "The tokens are used up.");
    assert!(report["totals"]["charged"].as_u64().unwrap() <= 20_000, "{report}");
}

/// Reads on to the request for the final report; false if the run ends without one.
fn until_report(work: &mut Work) -> bool {
    loop {
        match work.next() {
            Some(line) if line["event"] == "model_called" && !line["data"]["purpose"]["report"].is_null() => {
                return true;
            }
            Some(_) => {}
            None => return false,
        }
    }
}

/// Tokens of a turn's prompt, and a limit that leaves room for one report as large as a turn after four of them, and for
/// no second one.
const TURN: u64 = 4_000;
const ROOM: &str = "20756";

#[test]
fn who_takes_a_run_over_during_the_final_report_makes_it() {
    let server = spender(Some(TURN), |nth, _| match nth {
        0 => Answer::stream().hang(),
        _ => text("The tokens are used up.", 1_000, 10),
    });
    let scene = spending(&server, 15);
    let mut work = scene.start(&["run", "Read", "--approve", "auto", "--max-tokens", ROOM]);
    assert!(until_report(&mut work));
    wait_until("the report is asked for", || server.requests().len() == 5);
    let id = work.id();
    work.kill();
    let end = scene.start(&["resume", &id]).finish();
    end.expect(3, "limit");
    let report = &end.end()["report"];
    assert_eq!(report["answer"], "The tokens are used up.");
    // The request that was lost is charged all the same.
    let lost = end.all("model_aborted")[0]["usage"]["prompt"].as_u64().unwrap();
    assert_eq!(report["totals"]["charged"], 4 * (TURN + 50) + lost + 1_010, "{report}");
}

#[test]
fn a_report_that_is_lost_again_and_again_is_asked_for_a_bounded_number_of_times() {
    let server = spender(Some(TURN), |_, _| Answer::stream().hang());
    let scene = spending(&server, 15);
    let mut work = scene.start(&["run", "Read", "--approve", "auto", "--max-tokens", ROOM]);
    let mut asked = 0;
    while until_report(&mut work) {
        asked += 1;
        assert!(asked < 10, "it is asked for without end");
        let id = work.id();
        work.kill();
        work = scene.start(&["resume", &id]);
    }
    let end = work.finish();
    end.expect(3, "limit");
    assert!(asked >= 2, "{asked}");
    assert_eq!(end.end()["report"]["outcome"], json!({"limit": "tokens"}));
}

/// What a million tokens cost, of whatever kind: a token is a ten-thousandth.
const PRICE: &str = "price.prompt = 100\nprice.cached = 100\nprice.completion = 100\n";

fn paying(server: &ChatServer, kept: u32) -> Scene {
    let profile = format!("{PRICE}reserve = 12000\n");
    let scene = Scene::of(server, &profile, &format!("[limits]\nwrap_up_percent = {kept}\n"));
    for n in 0..20 {
        scene.file(&format!("{n}.txt"), &format!("file {n}"));
    }
    scene
}

#[test]
fn the_cost_limit_holds_and_keeps_a_share_for_the_report() {
    let server = spender(None, |_, prompt| text("The money is spent.", prompt, 10));
    let end = paying(&server, 30).run("Read", &["--max-cost", "2"]);
    end.expect(3, "limit");
    let report = &end.end()["report"];
    assert_eq!(report["outcome"], json!({"limit": "cost"}));
    assert_eq!(report["answer"], "The money is spent.");
    let cost = report["totals"]["cost_micro"].as_u64().unwrap();
    assert!((1_000_000..=2_000_000).contains(&cost), "{report}");
    // The report may not be longer than what is left pays for.
    let requests = server.requests();
    let most = |at: usize| requests[at].body["max_tokens"].as_u64().unwrap();
    let before: u64 = end.all("model_replied")[..requests.len() - 1]
        .iter()
        .map(|reply| 100 * (reply["usage"]["prompt"].as_u64().unwrap() + 50))
        .sum();
    let asked = end.all("model_called").last().unwrap()["table"].clone();
    let rows = asked["rows"].as_array().unwrap();
    let prompt: u64 =
        rows.iter().filter(|row| row["slot"] != "reserve").map(|row| row["used"].as_u64().unwrap()).sum();
    assert!(before + 100 * (prompt + most(requests.len() - 1)) <= 2_000_000, "{before} {prompt}");
    assert!(most(requests.len() - 1) < most(0));
}

#[test]
fn where_the_cost_leaves_no_report_it_is_said_why() {
    let server = spender(None, |_, prompt| text("nobody asked", prompt, 10));
    let scene = paying(&server, 0);
    let end = scene.run("Read", &["--max-cost", "1"]);
    end.expect(3, "limit");
    let report = &end.end()["report"];
    assert_eq!(report["outcome"], json!({"limit": "cost"}));
    let why = "no final report was asked for: what is left of the cost does not pay for one";
    assert!(report["reason"].as_str().unwrap().contains(why), "{report}");
    assert!(server.requests().iter().all(|request| request.body.get("tools").is_some()));
    assert!(report["totals"]["cost_micro"].as_u64().unwrap() <= 1_000_000, "{report}");
    let shown = scene.command(&["show", "last"]).output().unwrap();
    assert!(
        String::from_utf8_lossy(&shown.stdout).replace("\n", " ").contains("no final report was asked for")
    );
}

#[test]
fn a_report_within_a_cost_that_is_lost_is_made_by_who_takes_over() {
    let server = spender(Some(TURN), |nth, _| match nth {
        0 => Answer::stream().hang(),
        _ => text("The money is spent.", 1_000, 10),
    });
    let scene = paying(&server, 15);
    let room: f64 = ROOM.parse::<f64>().unwrap() / 10_000.0;
    let mut work = scene.start(&["run", "Read", "--approve", "auto", "--max-cost", &room.to_string()]);
    assert!(until_report(&mut work));
    wait_until("the report is asked for", || server.requests().len() == 5);
    let id = work.id();
    work.kill();
    let end = scene.start(&["resume", &id]).finish();
    end.expect(3, "limit");
    let report = &end.end()["report"];
    assert_eq!(report["answer"], "The money is spent.");
    let lost = end.all("model_aborted")[0]["usage"]["prompt"].as_u64().unwrap();
    assert_eq!(report["totals"]["cost_micro"], 100 * (4 * (TURN + 50) + lost + 1_010), "{report}");
}

#[test]
fn the_time_limit_counts_active_time() {
    let server = ChatServer::start(|n, request| {
        if request.body.get("tools").is_none() {
            return text("Time is up.", 10, 5);
        }
        call(&format!("c{n}"), "shell", json!({"command": format!("sleep 0.6; echo {n}")}))
    });
    let scene = Scene::new(&server);
    let end = scene.run("Wait", &["--max-time", "1s"]);
    end.expect(3, "limit");
    assert_eq!(end.end()["report"]["outcome"], json!({"limit": "time"}));
    assert_eq!(end.end()["report"]["answer"], "Time is up.");
    assert_eq!(end.all("call_started").len(), 2);
}

#[test]
fn over_the_calls_of_a_minute_the_model_is_told_when_it_frees() {
    let server = ChatServer::script(vec![
        Answer::calls(&[
            ("a", "read_file", json!({"path": "1.txt"})),
            ("b", "read_file", json!({"path": "2.txt"})),
            ("c", "read_file", json!({"path": "3.txt"})),
            ("d", "read_file", json!({"path": "4.txt"})),
            ("e", "read_file", json!({"path": "5.txt"})),
        ]),
        text("Enough.", 10, 2),
    ]);
    let scene = Scene::of(&server, "", "[limits]\ntool_calls_per_minute = 2\n");
    for n in 1..6 {
        scene.file(&format!("{n}.txt"), "x");
    }
    let end = scene.run("Read", &[]);
    end.expect(0, "completed");
    assert_eq!(end.all("call_started").len(), 2);
    let request = &server.requests()[1];
    assert_paired(request);
    assert!(all_text(request).contains("the next one can start in"), "{}", all_text(request));
}

#[test]
fn replies_that_cannot_be_read_stop_and_ask_in_the_end() {
    let server = ChatServer::start(|n, _| text(&format!("no JSON, attempt {n}"), 10, 5));
    let scene = Scene::of(&server, "protocol = \"schema\"", "");
    let end = scene.run("Look", &[]);
    end.waits_for("breaker");
    assert!(server.requests().len() <= 4, "{}", server.requests().len());
}

#[test]
fn replies_that_cannot_be_read_are_counted_over_folds() {
    let prose = "I would rather think about the ledger for a while before I say what I do. ".repeat(28);
    let server = ChatServer::start(move |n, _| text(&format!("Attempt {n}. {prose}"), 10, 5));
    let profile = "protocol = \"schema\"\nwindow = 8192";
    let config = "[limits]\nsteps = 30\nbreaker = 8\n[context]\nsummary_by = \"rules\"\nfold_over = 4\nfold_keep = 3\n";
    let scene = Scene::of(&server, profile, config);
    let end = scene.run("Look", &[]);
    end.waits_for("breaker");
    assert!(!end.all("rounds_folded").is_empty(), "{:?}", end.kinds());
    assert_eq!(server.requests().len(), 8);
}
