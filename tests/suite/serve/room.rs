//! A fixed part that becomes too big in the middle of a run: said once, with the slot that is to blame; nothing is sent and
//! nothing tried again until a person makes room.

use super::scene::{Done, MANY_TURNS, Scene, all_text, call, text, wait_until};
use crate::suite::provider::server::{Answer, ChatServer};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wakeful::run::Goal;
use wakeful::run::control::Control;

const GOAL: &str = "Read the files — 目标 verbatim";

/// The turn in which it happens, from 0.
const TURN: usize = 2;

fn turn(n: usize) -> Answer {
    match n {
        0..=5 => call(&format!("c{n}"), "read_file", json!({"path": format!("{n}.txt")})),
        _ => text("All are read.", 10, 5),
    }
}

fn place(server: &ChatServer, profile: &str) -> Scene {
    let scene = Scene::of(server, profile, MANY_TURNS);
    for n in 0..6 {
        scene.file(&format!("{n}.txt"), &format!("file {n}"));
    }
    scene
}

fn post(scene: &Scene, control: Control) {
    tokio::runtime::Runtime::new().unwrap().block_on(scene.post(control));
}

/// Checks that a pass ended with one hold, and gives its words.
fn held_once(end: &Done) -> String {
    end.waits_for("budget");
    let held = end.all("held");
    assert_eq!(held.len(), 1, "{:?}", end.kinds());
    held[0]["why"]["context"].as_str().unwrap().to_owned()
}

/// Looked at again, with and without a person's word, it is as it was: one hold at most, and nothing sent.
fn stays(scene: &Scene, server: &ChatServer) {
    let sent = server.requests().len();
    let again = scene.resume(&[]);
    again.waits_for("budget");
    assert!(again.all("held").is_empty(), "nobody said go on: {:?}", again.kinds());
    post(scene, Control::Continue);
    let again = scene.resume(&[]);
    held_once(&again);
    assert!(again.all("model_called").is_empty(), "{:?}", again.kinds());
    assert_eq!(server.requests().len(), sent);
}

#[test]
fn a_goal_that_is_edited_in_mid_run_and_leaves_no_room_is_refused_at_once_with_figures() {
    // By itself it is smaller than the reserve, and the window is larger than both.
    let long = format!("{GOAL}, and for each {}", "note what is in it ".repeat(450));
    let goal = Goal { text: long.trim_end().to_owned(), ..Goal::default() };
    for (window, fits) in [(8192, false), (16384, true)] {
        let edited = Arc::new(AtomicBool::new(false));
        let seen = edited.clone();
        let server = ChatServer::start(move |n, _| {
            if n == TURN {
                wait_until("the goal is edited", || seen.load(Ordering::SeqCst));
            }
            turn(n)
        });
        let scene = place(&server, &format!("window = {window}\nreserve = 3500"));
        let mut work = scene.start(&Scene::goal(GOAL, &[]));
        for _ in 0..=TURN {
            work.until("model_called");
        }
        post(&scene, Control::EditGoal { based_on: 1, goal: goal.clone() });
        edited.store(true, Ordering::SeqCst);
        let end = work.finish();
        // The run goes on, towards the goal that is in force.
        end.expect(0, "completed");
        let kinds = end.kinds();
        let refused = end.all("control_refused");
        assert_eq!(
            (end.all("goal_edited").len(), refused.len()),
            (usize::from(fits), usize::from(!fits)),
            "{kinds:?}"
        );
        assert!(end.all("held").is_empty(), "{kinds:?}");
        for refused in refused {
            let words = refused.to_string();
            assert!(words.contains("of the window's 8,192, and is never cut; "), "{words}");
            assert!(words.contains(" are left beside what else always stands there"), "{words}");
        }
        let after = &server.requests()[TURN + 1..];
        assert!(
            !after.is_empty() && after.iter().all(|request| all_text(request).contains(&goal.text) == fits)
        );
    }
}

#[test]
fn a_window_that_is_learnt_in_mid_run_and_takes_nothing_is_said_once() {
    let server = ChatServer::start(|n, _| {
        if n == TURN {
            let body = json!({"error": {"code": 400, "type": "exceed_context_size_error", "n_ctx": 2_560,
                "message": "the request exceeds the available context size", "n_prompt_tokens": 4_000}});
            return Answer::json(400, &body);
        }
        turn(n)
    });
    let scene = place(&server, "window = 8192\nreserve = 1024");
    let end = scene.run(GOAL, &[]);
    let words = held_once(&end);
    assert!(words.contains("slot tools") && words.contains("2,560"), "{words}");
    assert_eq!(
        (end.all("model_failed").len(), end.all("settings_changed").len()),
        (1, 1),
        "{:?}",
        end.kinds()
    );
    assert_eq!(server.requests().len(), TURN + 1);
    stays(&scene, &server);
    // The server was started anew with its whole window, and a person says so.
    scene.resume(&["--model", "stub"]).expect(0, "completed");
    assert!(server.requests().iter().all(|request| all_text(request).contains(GOAL)));
}
