//! Pause, continue, cancel, message, mode, more time: with a living owner and without.

use super::scene::{Scene, processes, shell};
use std::time::{Duration, Instant};
use wakeful::run::{CallStatus, Event, Outcome, Status};

/// A command that runs long and can be told from every other.
fn long(scene_seconds: &str) -> String {
    shell(&format!("sleep {scene_seconds}"))
}

fn started(scene: &Scene) -> bool {
    scene.call_statuses().first() == Some(&CallStatus::Started)
}

#[test]
fn pause_and_continue_without_an_owner() {
    let scene = Scene::new(&shell("echo x >> effects"));
    scene.start(4, "ask");
    scene.expect(0, &["pause", "last"]);
    assert_eq!(scene.status(), Status::Paused);
    scene.expect(0, &["pause", "last"]);
    scene.expect(0, &["approve", "last:1.1"]);
    assert_eq!((scene.status(), scene.count("paused")), (Status::Paused, 1));
    let said = scene.expect(0, &["continue", "last"]);
    assert!(said.err.contains("wakeful resume"), "{said:?}");
    assert_eq!(scene.read("effects"), None, "continue only writes the control");
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
}

#[test]
fn a_living_owner_pauses_and_goes_on() {
    let scene = Scene::new(&shell("echo x >> effects"));
    let mut owner = scene.start_living("ask");
    scene.until_waiting();
    scene.expect(0, &["pause", "last", "--now"]);
    scene.expect(0, &["approve", "last:1.1"]);
    assert_eq!((scene.status(), scene.read("effects")), (Status::Paused, None));
    scene.expect(0, &["continue", "last"]);
    assert_eq!(owner.end(), 0);
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
}

#[test]
fn a_pause_at_once_lets_the_running_command_go_on() {
    for stays in [true, false] {
        let word = if stays { "stays" } else { "leaves" };
        let wait = format!("while [ ! -e go ]; do sleep 0.02; done; echo {word} > effects; echo fetched");
        let scene = Scene::new(&shell(&wait));
        let mut args = vec!["run", "test", "--approve", "auto", "--headless", "--wait"];
        args.truncate(if stays { 6 } else { 5 });
        let mut owner = scene.spawn(&args);
        scene.until("the command", || {
            scene.beside().join("spool").exists() && !processes("! -e go").is_empty()
        });
        let said = scene.expect(0, &["pause", "last", "--now"]);
        assert!(said.err.contains("goes on to its own end"), "{said:?}");
        assert_eq!((scene.status(), scene.call_statuses()), (Status::Paused, vec![CallStatus::Started]));
        if !stays {
            assert_eq!(owner.end(), 4);
        }
        scene.put("go", "");
        scene.until("the command's end", || scene.read("effects").is_some());
        assert_eq!((scene.status(), scene.call_statuses()), (Status::Paused, vec![CallStatus::Started]));
        scene.expect(0, &["continue", "last"]);
        if stays {
            assert_eq!(owner.end(), 0);
        } else {
            scene.expect(0, &["resume", "last", "--headless"]);
        }
        assert!(scene.result(0).contains("fetched"), "{}", scene.result(0));
        assert_eq!(scene.read("effects"), Some(format!("{word}\n")), "it ran once");
        scene.is_whole();
    }
}

#[test]
fn a_pause_after_the_call_can_be_made_one_at_once_and_a_cancel_still_ends_the_command() {
    let scene = Scene::new(&long("100.0625"));
    let mut owner = scene.start_living("auto");
    scene.until("the command", || !processes("sleep 100.0625").is_empty() && started(&scene));
    let said = scene.expect(0, &["pause", "last"]);
    assert!(said.err.contains("after the running call") && said.err.contains("--now"), "{said:?}");
    assert_eq!(scene.status(), Status::Running);
    scene.expect(0, &["pause", "last", "--now"]);
    assert_eq!(scene.status(), Status::Paused);
    assert!(!processes("sleep 100.0625").is_empty());
    scene.expect(0, &["cancel", "last"]);
    assert_eq!(owner.end(), 5);
    assert!(processes("sleep 100.0625").is_empty());
    scene.is_whole();
}

#[test]
fn a_run_whose_folder_is_gone_can_be_cancelled_and_nothing_else_is_done() {
    for mode in ["ask", "auto"] {
        let scene = Scene::new(&shell("sleep 100.03125"));
        let mut owner = scene.start_living(mode);
        if mode == "ask" {
            scene.until_waiting();
        } else {
            scene.until("the command", || !processes("sleep 100.03125").is_empty());
        }
        owner.kill();
        let elsewhere = scene.beside().with_file_name("elsewhere");
        std::fs::rename(scene.ws(""), &elsewhere).unwrap();
        let from = |args: &[&str]| -> super::scene::Said {
            scene.command(args).current_dir(scene.beside()).output().unwrap().into()
        };
        let said = from(&["resume", "last", "--headless"]);
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains("cannot open the workspace"), "{said:?}");
        let said = from(&["cancel", "last"]);
        assert_eq!(said.code, 0, "{said:?}");
        assert_eq!(scene.status(), Status::Ended(Outcome::Cancelled));
        assert!(processes("sleep 100.03125").is_empty());
        std::fs::rename(&elsewhere, scene.ws("")).unwrap();
        scene.is_whole();
    }
}

#[test]
fn failures_in_a_row_are_counted_in_the_order_of_the_reply() {
    let calls = |words: &str| {
        let one = |word: &str| match word {
            "ok" => "{ name = \"list_files\", args = {} }",
            "refused" => "{ name = \"no_such_tool\", args = {} }",
            _ => "{ name = \"read_file\", args = { path = \"none\" } }",
        };
        let calls: Vec<&str> = words.split(' ').map(one).collect();
        format!("[[steps]]\ncalls = [{}]\n", calls.join(", "))
    };
    for (steps, holds) in [
        (vec!["ok refused failed refused"], true),
        (vec!["refused refused ok failed refused"], false),
        (vec!["refused failed refused ok"], false),
        (vec!["ok failed", "refused failed"], true),
        (vec!["failed refused", "ok", "refused failed"], false),
    ] {
        let script: Vec<String> = steps.iter().map(|step| calls(step)).collect();
        let scene = Scene::new(&script.concat());
        scene.start(if holds { 4 } else { 0 }, "auto");
        assert_eq!(scene.count("held") == 1, holds, "{steps:?}");
        if holds {
            scene.expect(0, &["continue", "last"]);
            scene.expect(0, &["resume", "last", "--headless"]);
        }
        scene.is_whole();
    }
}

#[test]
fn the_stream_of_events_has_all_of_them() {
    let scene = Scene::new(&shell("echo x"));
    let numbers = |said: &super::scene::Said| -> Vec<(u64, String)> {
        let lines = said.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.filter_map(|v| Some((v["seq"].as_u64()?, v["event"].as_str()?.to_owned()))).collect()
    };
    let first = scene.expect(4, &["run", "test", "--headless", "--json"]);
    scene.expect(0, &["approve", "last:1.1"]);
    let before = scene.state().head.seq;
    let second = scene.expect(0, &["resume", "last", "--headless", "--json"]);
    let kinds: Vec<String> = scene.events().iter().map(|e| e.kind().to_owned()).collect();
    for (said, from) in [(&first, 1), (&second, before + 1)] {
        let stream = numbers(said);
        let expected: Vec<(u64, String)> = (from..).zip(kinds[from as usize - 1..].iter().cloned()).collect();
        assert_eq!(stream[..], expected[..stream.len()], "without a gap");
        assert_eq!(stream.last().unwrap().1, "run_released");
    }
    assert_eq!(numbers(&first)[0].1, "run_created");
    assert_eq!(numbers(&second)[0].1, "run_claimed");
    assert_eq!(numbers(&second).last().unwrap().0, scene.state().head.seq);
}

#[test]
fn what_a_command_leaves_behind_is_told() {
    let scene = Scene::new(&shell("(sleep 100.015625 &); (sleep 100.015625 &); echo here"));
    scene.start(0, "auto");
    let result = scene.result(0);
    assert!(result.contains("[2 background processes were ended when the command ended]\nhere"), "{result}");
    assert!(processes("sleep 100.015625").is_empty());
}

#[test]
fn accepted_damage_does_not_hide_other_damage() {
    let note = |n| {
        format!("[[steps]]\ncalls = [{{ name = \"note\", args = {{ kind = \"fact\", text = \"n{n}\" }} }}]\n")
    };
    let scene = Scene::new(&(0..14).map(note).collect::<String>());
    scene.start(0, "auto");
    let db = rusqlite::Connection::open(scene.beside().with_extension("")).unwrap();
    let head = scene.state().head.seq as i64;
    let damage = |sql: &str, seq: i64| assert_eq!(db.execute(sql, [seq]).unwrap(), 1);
    damage("UPDATE events SET payload = x'00' WHERE seq = ?1", head - 3);
    scene.expect(6, &["doctor"]);
    let said = scene.expect(0, &["doctor", "--accept-damage", "last"]);
    assert!(said.out.contains("set aside as damaged") && said.out.contains("every other event"), "{said:?}");
    // Before a snapshot, where opening the run does not meet it.
    for sql in ["UPDATE events SET payload = x'00' WHERE seq = ?1", "DELETE FROM events WHERE seq = ?1"] {
        damage(sql, 9);
        let said = scene.expect(6, &["doctor"]);
        assert!(said.out.contains("event 9"), "{said:?}");
    }
}

#[test]
fn continue_answers_no_question() {
    let scene = Scene::new(&shell("echo x"));
    scene.start(4, "ask");
    let said = scene.expect(2, &["continue", "last"]);
    assert!(said.err.contains("wakeful approve"), "{said:?}");
    assert_eq!(scene.count("continued"), 0);
}

#[test]
fn cancel_ends_the_running_command_of_a_living_owner() {
    let scene = Scene::new(&long("100.125"));
    let mut owner = scene.start_living("auto");
    scene.until("the command", || !processes("sleep 100.125").is_empty());
    let said = scene.expect(0, &["cancel", "last"]);
    assert!(said.err.contains("cancelled"), "{said:?}");
    assert_eq!(owner.end(), 5);
    assert!(processes("sleep 100.125").is_empty(), "nothing of it is left");
    assert_eq!(scene.status(), Status::Ended(Outcome::Cancelled));
    assert_eq!(scene.call_statuses(), [CallStatus::Failed]);
    assert!(scene.result(0).contains("ended by a person"));
    scene.is_whole();
}

#[test]
fn cancel_without_an_owner_stops_the_command_through_its_supervisor() {
    let scene = Scene::new(&long("100.25"));
    let mut owner = scene.start_living("auto");
    scene.until("the command", || !processes("sleep 100.25").is_empty());
    owner.kill();
    assert!(!processes("sleep 100.25").is_empty(), "it outlives its worker");
    scene.expect(0, &["cancel", "last"]);
    assert!(processes("sleep 100.25").is_empty(), "nothing of it is left");
    assert_eq!(scene.status(), Status::Ended(Outcome::Cancelled));
    assert!(std::fs::read_dir(scene.beside().join("spool")).unwrap().next().is_none(), "its spool is gone");
    scene.is_whole();
}

#[test]
fn cancel_of_a_waiting_run_and_of_one_that_is_over() {
    let scene = Scene::new(&shell("echo x >> effects"));
    scene.start(4, "ask");
    scene.expect(0, &["cancel", "last"]);
    assert_eq!(scene.status(), Status::Ended(Outcome::Cancelled));
    assert_eq!(scene.call_statuses(), [CallStatus::Cancelled]);
    let said = scene.expect(2, &["cancel", "last"]);
    assert!(said.err.contains("the run is over"), "{said:?}");
    scene.expect(5, &["resume", "last", "--headless"]);
    scene.is_whole();
}

#[test]
fn settling_waits_for_no_command() {
    let calls = "[[steps]]\ncalls = [{ name = \"shell\", args = { command = \"sleep 100.5\" } }, \
                 { name = \"shell\", args = { command = \"echo x\" } }]\n";
    let scene = Scene::new(calls);
    scene.start(4, "ask");
    scene.expect(0, &["approve", "last:1.1"]);
    let mut owner = scene.spawn(&["resume", "last", "--headless", "--wait"]);
    scene.until("the command", || !processes("sleep 100.5").is_empty());
    owner.kill();
    let begun = Instant::now();
    scene.expect(0, &["approve", "last:1.2"]);
    scene.expect(0, &["message", "last", "be quick"]);
    assert!(begun.elapsed() < Duration::from_secs(20), "it does not wait for the command");
    assert_eq!(scene.call_statuses(), [CallStatus::Started, CallStatus::Approved]);
    assert!(!processes("sleep 100.5").is_empty(), "and does not stop it");
    scene.expect(0, &["cancel", "last"]);
    assert!(processes("sleep 100.5").is_empty());
    scene.is_whole();
}

#[test]
fn a_busy_owner_takes_a_decision_later_and_that_is_said() {
    let calls = "[[steps]]\ncalls = [{ name = \"shell\", args = { command = \"sleep 100.75\" } }, \
                 { name = \"shell\", args = { command = \"echo x\" } }]\n";
    let scene = Scene::new(calls);
    scene.start(4, "ask");
    scene.expect(0, &["approve", "last:1.1"]);
    let mut owner = scene.spawn(&["resume", "last", "--headless", "--wait"]);
    scene.until("the command", || !processes("sleep 100.75").is_empty());
    let said = scene.expect(0, &["deny", "last:1.2", "--json"]);
    assert!(said.out.contains("\"outcome\":\"queued\""), "{said:?}");
    let second = scene.expect(2, &["approve", "last:1.2"]);
    assert!(second.err.contains("The first decision stands"), "also while it is queued: {second:?}");
    scene.expect(0, &["cancel", "last"]);
    assert_eq!(owner.end(), 5);
    assert_eq!(scene.call_statuses(), [CallStatus::Failed, CallStatus::Denied]);
}

#[test]
fn a_running_command_gets_more_time() {
    for living in [true, false] {
        let seconds = if living { "101.125" } else { "101.25" };
        let scene = Scene::new(&long(seconds));
        let mut owner = scene.start_living("auto");
        scene.until("the command", || !processes(&format!("sleep {seconds}")).is_empty() && started(&scene));
        if !living {
            owner.kill();
        }
        scene.expect(0, &["extend", "last:1.1", "10m"]);
        assert!(scene.events().iter().any(|e| matches!(e, Event::TimeoutExtended { more_ms: 600_000, .. })));
        let spool = std::fs::read_dir(scene.beside().join("spool")).unwrap().next().unwrap().unwrap().path();
        scene.until("the new time-out", || {
            std::fs::read_to_string(spool.join("deadline")).is_ok_and(|text| text.trim() == "720000")
        });
        scene.expect(0, &["cancel", "last"]);
        scene.expect(2, &["extend", "last:1.1", "10m"]);
    }
}

#[test]
fn a_running_command_is_ended_and_the_run_goes_on_with_that() {
    for living in [true, false] {
        let seconds = if living { "101.625" } else { "101.75" };
        let scene = Scene::new(&long(seconds));
        let mut owner = scene.start_living("auto");
        scene.until("the command", || !processes(&format!("sleep {seconds}")).is_empty() && started(&scene));
        if !living {
            owner.kill();
        }
        scene.expect(0, &["stop", "last:1.1"]);
        scene.until("its end", || processes(&format!("sleep {seconds}")).is_empty());
        scene.until("its record", || scene.count("call_stop_asked") == 1);
        assert_eq!(scene.call_statuses(), [CallStatus::Failed]);
        let told = scene.expect(0, &["show", "last"]);
        assert!(!told.err.contains("cancelled by"), "the run itself goes on: {told:?}");
        let again = scene.expect(2, &["stop", "last:1.1"]);
        assert!(again.err.contains("only a running command can be ended"), "{again:?}");
        if !living {
            scene.expect(0, &["resume", "last", "--headless"]);
        }
        scene.until("the end", || scene.status() != Status::Running);
        assert_eq!(scene.count("call_started"), 1, "it is not run again");
        scene.is_whole();
    }
}

#[test]
fn a_stop_that_comes_too_late_is_refused_and_one_before_a_kill_is_kept() {
    let scene = Scene::new(&long("101.875"));
    let mut owner = scene.start_living("auto");
    scene.until("the command", || !processes("sleep 101.875").is_empty() && started(&scene));
    // Paused at once, the command goes on by itself; ended then, it ends without the run going on.
    scene.expect(0, &["pause", "last", "--now"]);
    scene.until("paused", || scene.status() == Status::Paused);
    assert!(!processes("sleep 101.875").is_empty());
    scene.expect(0, &["stop", "last:1.1"]);
    scene.until("its end", || processes("sleep 101.875").is_empty());
    scene.until("its record", || scene.count("call_stop_asked") == 1);
    assert_eq!((scene.status(), scene.call_statuses()), (Status::Paused, vec![CallStatus::Failed]));
    owner.kill();
}

#[test]
fn a_message_reopens_a_completed_run() {
    let scene = Scene::new("");
    scene.start(0, "ask");
    assert_eq!(scene.count("model_called"), 1);
    let said = scene.expect(0, &["message", "last", "and the second part?"]);
    assert!(said.err.contains("wakeful resume"), "{said:?}");
    // Nobody has read it yet, so that it can be taken back.
    assert_eq!((scene.status(), scene.pending()), (Status::Ended(Outcome::Completed), 1));
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!((scene.count("run_reopened"), scene.pending()), (1, 0));
    assert_eq!((scene.count("model_called"), scene.count("run_ended")), (2, 2));
    scene.is_whole();
}

#[test]
fn another_mode_holds_from_the_next_call_on() {
    let scene = Scene::new(&format!("{}{}", shell("echo a >> effects"), shell("echo b >> effects")));
    scene.start(4, "ask");
    scene.expect(0, &["mode", "last", "auto"]);
    scene.expect(4, &["resume", "last", "--headless"]);
    assert_eq!(scene.call_statuses(), [CallStatus::Waiting], "what waits goes on waiting");
    scene.expect(0, &["approve", "last:1.1"]);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects").as_deref(), Some("a\nb\n"));
    assert_eq!(scene.count("call_waiting"), 1);
}
