//! What servers send, and what of it must never hurt.

use super::scene::{Scene, all_text, assert_paired, call, messages, raw_calls, text, usage, wait_until};
use crate::suite::provider::server::{Answer, ChatServer, Gate};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use wakeful::run::control::Control;

fn done() -> Answer {
    text("It is done.", 20, 4)
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta}]})
}

#[test]
fn a_goal_is_reached_over_streamed_tool_calls() {
    let server = ChatServer::script(vec![
        call("c1", "write_file", json!({"path": "hello.txt", "content": "hello"})),
        done(),
    ]);
    let scene = Scene::new(&server);
    let end = scene.run("Create hello.txt with the text hello", &["--check", "contains:hello.txt:hello"]);
    end.expect(0, "completed");
    assert_eq!(scene.read("hello.txt"), "hello");
    let report = &end.end()["report"];
    assert_eq!(report["answer"], "It is done.");
    assert_eq!(report["checks"][0]["passed"], true);
    assert_eq!(report["totals"]["charged"], 15 + 24, "the server's own usage is what counts");
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].body["stream"], true);
    assert_eq!(requests[0].header("authorization"), Some("Bearer sk-live-4711-abcdefghijklmnop"));
    assert_paired(&requests[1]);
    let result = messages(&requests[1]).iter().find(|m| m["role"] == "tool").unwrap();
    assert_eq!(result["tool_call_id"], "c1");
}

#[test]
fn of_two_calls_the_bad_one_is_answered_too() {
    // P11, P13.
    let server = ChatServer::script(vec![
        raw_calls(&[("g1", "read_file", r#"{"path":"a.txt"}"#), ("b2", "write_file", r#"{"path": 7}"#)]),
        done(),
    ]);
    let scene = Scene::new(&server);
    scene.file("a.txt", "the first line");
    scene.run("Look", &[]).expect(0, "completed");
    let request = &server.requests()[1];
    assert_paired(request);
    let tools: Vec<&Value> = messages(request).iter().filter(|m| m["role"] == "tool").collect();
    assert_eq!(tools.len(), 2);
    assert_eq!((&tools[0]["tool_call_id"], &tools[1]["tool_call_id"]), (&json!("g1"), &json!("b2")));
    assert!(tools[0]["content"].as_str().unwrap().contains("the first line"));
    let error = tools[1]["content"].as_str().unwrap();
    assert!(error.contains("what to do") && error.contains("content"), "the schema is echoed: {error}");
}

#[test]
fn a_stream_cut_within_a_call_is_asked_again_and_never_run() {
    // P09.
    let cut = Answer::stream()
        .data(&delta(json!({"tool_calls": [{"index": 0, "id": "x", "type": "function",
        "function": {"name": "write_file", "arguments": "{\"path\":\"a"}}]})));
    let server = ChatServer::script(vec![cut, done()]);
    let scene = Scene::new(&server);
    let end = scene.run("Look", &[]);
    end.expect(0, "completed");
    let failed = end.all("model_failed");
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["kind"], "cut_stream");
    assert!(failed[0]["retry_at"].is_i64(), "the retry is visible");
    assert!(end.all("call_proposed").is_empty());
    let attempts: Vec<&Value> = end.all("model_called").into_iter().map(|c| &c["attempt"]).collect();
    assert_eq!(attempts, [&json!(1), &json!(2)]);
}

#[test]
fn empty_replies_and_broken_tool_calls_of_the_server_are_asked_again() {
    let empty = Answer::chunks(&[
        delta(json!({"role": "assistant"})),
        json!({"choices": [{"index": 0,
        "delta": {}, "finish_reason": "stop"}]}),
    ]);
    let bad = Answer::json(
        500,
        &json!({"error": {"code": 500, "message": "Failed to parse tool call arguments as JSON", "type": "server_error"}}),
    );
    let server = ChatServer::script(vec![empty, bad, done()]);
    let end = Scene::new(&server).run("Look", &[]);
    end.expect(0, "completed");
    let kinds: Vec<&str> = end.all("model_failed").iter().filter_map(|f| f["kind"].as_str()).collect();
    assert_eq!(kinds, ["protocol", "bad_model_json"]);
}

#[test]
fn a_server_that_always_fails_ends_the_run_with_words_and_continue_tries_again() {
    let down = Answer::json(503, &json!({"error": {"message": "no slot is free"}}));
    let server = ChatServer::start(move |n, _| if n < 4 { down.clone() } else { done() });
    let scene = Scene::of(&server, "", "[limits]\nmodel_retries = 1\n");
    let end = scene.run("Look", &[]);
    end.expect(5, "failed");
    assert_eq!(server.requests().len(), 2);
    let reason = end.end()["report"]["reason"].as_str().unwrap();
    assert!(reason.contains("no slot is free") && reason.contains("try again"), "{reason}");
    // A person says: again, and what was said is taken once.
    tokio::runtime::Runtime::new().unwrap().block_on(scene.post(Control::Continue));
    let again = scene.resume(&[]);
    again.expect(5, "failed");
    assert_eq!((again.all("run_reopened").len(), server.requests().len()), (1, 4));
    // To resume it says so too.
    scene.resume(&[]).expect(0, "completed");
}

#[test]
fn a_wait_that_the_server_asks_for_survives_a_kill() {
    // P16, P18.
    let wait = Answer::body(429, &[("retry-after", "3"), ("content-type", "application/json")], "{}");
    let server = ChatServer::script(vec![wait, done()]);
    let scene = Scene::new(&server);
    let mut work = scene.start(&Scene::goal("Look", &[]));
    let failed = work.until("model_failed");
    let due = failed["retry_at"].as_i64().unwrap();
    work.kill();
    assert_eq!(server.requests().len(), 1);
    let end = scene.resume(&[]);
    end.expect(0, "completed");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    assert!(i64::try_from(now).unwrap() >= due, "it waited to the end");
    assert_eq!(server.requests().len(), 2);
    assert_eq!(end.all("model_called")[0]["attempt"], 2, "the count goes on over the kill");
}

#[test]
fn a_long_wait_can_be_left_and_cancelled() {
    let wait = Answer::body(429, &[("retry-after", "3600"), ("content-type", "application/json")], "{}");
    let server = ChatServer::script(vec![wait]);
    let scene = Scene::new(&server);
    let mut work = scene.start(&Scene::goal("Look", &[]));
    work.until("model_failed");
    work.terminate();
    let end = work.finish();
    end.expect(130, "interrupted");
    let work = scene.start(&["resume", "last"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let store = scene.store();
    let run = runtime.block_on(scene.last(&store));
    wait_until("the run is owned", || {
        runtime.block_on(store.load(&run)).unwrap().state.ledger.owner.is_some()
    });
    runtime.block_on(store.close()).unwrap();
    runtime.block_on(scene.post(Control::Cancel));
    work.finish().expect(5, "cancelled");
    assert_eq!(server.requests().len(), 1, "nobody asked before the hour was over");
}

#[test]
fn a_reply_cut_by_its_length_limit_is_no_claim_to_be_done() {
    // P10: the call is cut although the server says tool_calls.
    let long = Answer::stream()
        .data(&delta(json!({"content": "The first half of"})))
        .data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}))
        .data(&usage(10, 100))
        .done();
    let cut_call = Answer::stream()
        .data(&delta(json!({"tool_calls": [{"index": 0, "id": "c9", "type": "function",
            "function": {"name": "write_file", "arguments": "{\"path\": \"a.txt\", \"con"}}]})))
        .data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}))
        .done();
    let server = ChatServer::script(vec![long, cut_call, done()]);
    let scene = Scene::new(&server);
    let end = scene.run("Look", &[]);
    end.expect(0, "completed");
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert!(all_text(&requests[1]).contains("cut off by its length limit"));
    assert_paired(&requests[2]);
    assert!(all_text(&requests[2]).contains("cut off"));
    assert!(end.all("call_started").is_empty());
    assert_eq!(end.end()["report"]["answer"], "It is done.");
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest_name() {
    let server = ChatServer::script(vec![call("c1", "readfile", json!({"path": "a"})), done()]);
    let end = Scene::new(&server).run("Look", &[]);
    end.expect(0, "completed");
    let request = &server.requests()[1];
    assert_paired(request);
    assert!(all_text(request).contains("read_file"), "{}", all_text(request));
}

/// How a server says that so many tokens are too many.
type Words = fn(u64) -> String;

#[test]
fn too_long_a_prompt_teaches_the_window_in_the_words_of_each_server() {
    let message = |text: String| json!({"error": {"message": text}});
    let servers: [(u16, Words); 4] = [
        (400, |size| {
            format!(
                "This model's maximum context length is 6000 tokens. However, your messages resulted in {size} tokens."
            )
        }),
        (400, |size| {
            format!("The decoder prompt (length {size}) is longer than the maximum model length of 6000.")
        }),
        (500, |size| {
            format!(
                "Trying to keep the first {size} tokens when context the overflows. However, the model is loaded with context length of only 6000 tokens, which is not enough."
            )
        }),
        (400, |size| format!("prompt is too long: {size} tokens > 6000 maximum")),
    ];
    learns_the_window(400, |size| {
        json!({"error": {"code": 400, "type": "exceed_context_size_error", "n_ctx": 6_000,
            "message": "the request exceeds the available context size", "n_prompt_tokens": size}})
    });
    for (status, words) in servers {
        learns_the_window(status, move |size| message(words(size)));
    }
}

/// A run whose server takes 6,000 tokens and says so with this status and body trims, and comes to its end.
fn learns_the_window(status: u16, body: impl Fn(u64) -> Value + Send + Sync + 'static) {
    let big = "lorem ipsum dolor sit amet ".repeat(300);
    let server = ChatServer::start(move |n, request| {
        let size = request.body.to_string().len() as u64 / 4;
        if size > 6_000 {
            return Answer::json(status, &body(size));
        }
        match n {
            0..=4 => call(&format!("c{n}"), "read_file", json!({"path": format!("{n}.txt")})),
            _ => done(),
        }
    });
    let scene = Scene::of(&server, "reserve = 512", "");
    for n in 0..6 {
        scene.file(&format!("{n}.txt"), &big);
    }
    let goal = "Read all of the files, one after the other, and say done";
    let end = scene.run(goal, &[]);
    end.expect(0, "completed");
    let failed = end.all("model_failed");
    assert!(!failed.is_empty());
    assert!(failed.iter().all(|f| f["kind"] == "prompt_too_long" && f["window"] == 6_000), "{failed:?}");
    let learnt = end.all("settings_changed").last().unwrap()["settings"]["model"]["window"].as_u64().unwrap();
    assert!(learnt <= 6_000, "{learnt}");
    assert!(end.kinds().iter().any(|k| matches!(*k, "outputs_dropped" | "rounds_folded")), "it was trimmed");
    for request in server.requests() {
        assert!(all_text(&request).contains(goal));
        assert_paired(&request);
    }
}

/// A window that cannot be is none, and a request in which nothing can be left out is not made smaller by a guess.
#[test]
fn an_impossible_window_teaches_nothing() {
    for window in [0, 1, 90] {
        let server = ChatServer::start(move |n, _| match n {
            0 => Answer::json(
                400,
                &json!({"error": {"code": 400, "type": "exceed_context_size_error", "n_ctx": window,
                    "message": "the request exceeds the available context size", "n_prompt_tokens": 9_000}}),
            ),
            _ => done(),
        });
        let scene = Scene::of(&server, "reserve = 512", "");
        let end = scene.run("Say done", &[]);
        end.expect(0, "completed");
        assert!(end.all("settings_changed").is_empty(), "{window}");
        assert_eq!(end.all("model_called")[1]["table"]["window"], json!(32_768), "{window}");
    }
}

/// What the last run's settings say of its window: the one in force, and what the configuration gave.
fn window_of(settings: &Value) -> (u64, Option<u64>) {
    let model = &settings["settings"]["model"];
    (model["window"].as_u64().unwrap(), model["learnt_window"]["given"].as_u64())
}

#[test]
fn a_refusal_without_a_figure_is_followed_by_less_than_was_refused_and_later_runs_know() {
    let asked = AtomicUsize::new(0);
    let server = ChatServer::start(move |_, request| {
        if request.body.to_string().len() > 4 * 6_000 {
            return Answer::json(413, &json!({"error": {"message": "the input is too long"}}));
        }
        match asked.fetch_add(1, Ordering::SeqCst) {
            n @ 0..=4 => call(&format!("c{n}"), "read_file", json!({"path": format!("{n}.txt")})),
            _ => done(),
        }
    });
    let scene = Scene::of(&server, "reserve = 512", "");
    for n in 0..6 {
        scene.file(&format!("{n}.txt"), &"lorem ipsum dolor sit amet ".repeat(300));
    }
    let end = scene.run("Read all of the files, one after the other, and say done", &[]);
    end.expect(0, "completed");
    let changed = end.all("settings_changed");
    assert!(!changed.is_empty() && changed.len() == end.all("model_failed").len(), "{:?}", end.kinds());
    assert!(
        changed.iter().all(|c| c["why"].as_str().unwrap().ends_with("as its window, a guess")),
        "{changed:?}"
    );
    // The first that was refused had hardly more than 6,000 tokens in a window of 32,768.
    let called = end.all("model_called");
    let refused = called.iter().find(|c| c["attempt"] == 2).map(|c| &c["table"]).unwrap();
    let (first, given) = window_of(changed[0]);
    assert!((4_000..=8_500).contains(&first) && given == Some(32_768), "{first}");
    let said = format!("{},{:03} tokens are tried", first / 1_000, first % 1_000);
    assert!(changed[0]["why"].as_str().unwrap().contains(&said), "{changed:?}");
    assert!(super::scene::total_of(refused) <= first, "{refused}");
    let (learnt, _) = window_of(changed.last().unwrap());

    // The next run begins with it, and nothing is refused.
    let next = scene.run("Read them again, and say done", &[]);
    next.expect(0, "completed");
    assert_eq!(window_of(next.all("run_created")[0]), (learnt, Some(32_768)));
    assert!(next.all("model_failed").is_empty());
    let shown = scene.command(&["show", "last"]).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("learnt") && shown.contains("32,768"), "{shown}");
    // One that is named for this run is taken as it is, the same one too.
    let next = scene.run("Say done", &["--window", "32768"]);
    assert_eq!(window_of(next.all("run_created")[0]), (32_768, None));
    // So is another window in the profile.
    let config = scene.root().join("config.toml");
    let other = std::fs::read_to_string(&config).unwrap().replace("window = 32768", "window = 20000");
    std::fs::write(&config, other).unwrap();
    let next = scene.run("Say done", &[]);
    assert_eq!(window_of(next.all("run_created")[0]), (20_000, None));
}

#[test]
fn a_window_that_was_learnt_is_given_up_when_the_server_reads_more() {
    let server = ChatServer::start(|n, _| match n {
        0 => Answer::json(
            400,
            &json!({"error": {"code": 400, "type": "exceed_context_size_error", "n_ctx": 6_000,
                "message": "the request exceeds the available context size"}}),
        ),
        1 => text("It is done.", 5_000, 4),
        2 => text("It is done.", 7_000, 4),
        _ => done(),
    });
    let scene = Scene::of(&server, "reserve = 2000", "");
    let end = scene.run("Say done", &[]);
    end.expect(0, "completed");
    assert_eq!(window_of(end.all("settings_changed").last().unwrap()), (6_000, Some(32_768)));
    let end = scene.run("Say done", &[]);
    assert_eq!(window_of(end.all("run_created")[0]), (6_000, Some(32_768)), "a stated one is kept too");
    let changed = end.all("settings_changed").last().copied().cloned().unwrap();
    assert_eq!(window_of(&changed), (32_768, None), "{changed}");
    assert_eq!(changed["settings"]["model"]["reserve"], json!(2_000), "{changed}");
    assert!(changed["why"].as_str().unwrap().contains("took more than"), "{changed}");
    let end = scene.run("Say done", &[]);
    assert_eq!(window_of(end.all("run_created")[0]), (32_768, None));
}

#[test]
fn reasoning_goes_back_only_where_the_profile_says_so_also_after_a_restart() {
    // P08.
    for (profile, wanted) in [("send_reasoning = true", true), ("", false)] {
        let gate = Gate::default();
        let held = gate.clone();
        let server = ChatServer::start(move |n, _| match n {
            0 => Answer::stream()
                .data(&delta(json!({"reasoning_content": "I ought to look first."})))
                .data(&delta(json!({"tool_calls": [{"index": 0, "id": "c1", "type": "function",
                    "function": {"name": "read_file", "arguments": "{\"path\":\"a.txt\"}"}}]})))
                .data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}))
                .done(),
            1 => Answer::stream().data(&delta(json!({"content": "I am"}))).wait(&held),
            _ => done(),
        });
        let scene = Scene::of(&server, profile, "");
        scene.file("a.txt", "x");
        let mut work = scene.start(&Scene::goal("Look", &[]));
        work.until("step_committed");
        work.until("model_called");
        wait_until("the second request", || server.requests().len() == 2);
        work.kill();
        gate.open();
        let end = scene.resume(&[]);
        end.expect(0, "completed");
        let aborted = end.all("model_aborted");
        assert_eq!(aborted[0]["usage"]["estimated"], true, "the lost request is charged");
        let requests = server.requests();
        assert_eq!(requests.len(), 3);
        for request in &requests[1..] {
            let agent = messages(request).iter().find(|m| m["role"] == "assistant").unwrap();
            let sent = agent.get("reasoning_content").and_then(Value::as_str);
            assert_eq!(sent, wanted.then_some("I ought to look first."), "{profile}");
        }
    }
}

#[test]
fn a_model_whose_calls_the_server_can_never_parse_is_told_and_in_the_end_a_person_is_asked() {
    let bad = Answer::json(
        500,
        &json!({"error": {"message": "Failed to parse tool call arguments as JSON: missing quote"}}),
    );
    let server = ChatServer::start(move |n, _| match n {
        1 => done(),
        _ => bad.clone(),
    });
    let scene = Scene::of(&server, "", "[limits]\nmodel_retries = 0\n");
    let end = scene.run("Look", &["--check", "file:never.txt"]);
    end.waits_for("breaker");
    let requests = server.requests();
    let told = all_text(&requests[1]);
    assert!(told.contains("could not be parsed") && told.contains("missing quote"), "{told}");
    for request in &requests {
        assert_paired(request);
    }
    assert!(requests.len() <= 4, "{}", requests.len());
}

#[test]
fn the_first_contact_is_as_patient_as_a_turn() {
    // P16: before there is a run, the server is asked which tool protocol it takes.
    let busy = || Answer::body(429, &[("retry-after", "1")], r#"{"error": {"message": "slow down"}}"#);
    let server = ChatServer::script(vec![busy(), call("p", "ready", json!({"word": "yes"})), done()]);
    let scene = Scene::of(&server, "protocol = \"auto\"", "");
    let end = scene.run("Look", &[]);
    end.expect(0, "completed");
    assert_eq!(server.requests().len(), 3);
    assert!(end.talk.contains("rate limited") && end.talk.contains("Again in 1"), "{}", end.talk);

    let server = ChatServer::script(vec![busy(), busy(), busy()]);
    let scene = Scene::of(&server, "protocol = \"auto\"", "");
    let out = scene.command(&["run", "Look", "--headless"]).output().unwrap();
    let talk = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(5), "{talk}");
    assert!(talk.contains("asked 3 times; no run was created"), "{talk}");
    assert!(!talk.contains("it is tried again when"), "{talk}");
}
