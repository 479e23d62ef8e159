//! A day's work: the offline job from start to end, a decision, a pause, a rollback, leaving, a kill and the return.

use super::desk::{Desk, Place, eventually};

#[test]
fn the_offline_job_from_start_to_end_with_keys_alone() {
    let place = Place::new();
    let desk = place.waiting(120, 40);
    desk.press("a");
    desk.wait("leave waiting");
    desk.press_until("y", "completed");
    assert!(place.read("wakeful-report.md").unwrap().contains("Survey of this folder"));
    desk.wait("▾ 6  Done: wakeful-report.md is written and checked.");
    desk.press("q");
    assert_eq!(desk.end(), 0);
}

/// The row of the six phases.
fn strip(desk: &Desk) -> String {
    let row = desk.screen().lines().find(|row| row.to_lowercase().contains("assemble ")).map(str::to_owned);
    row.unwrap_or_default()
}

/// The same job, so slow that a person can watch it: the phases as they come and go, the checkpoints one by one, and at
/// the end the report on the screen.
#[test]
fn a_person_who_watches_the_offline_job_sees_its_phases_its_checkpoints_and_its_report() {
    let place = Place::new();
    place.slow_offline_job();
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.until("the model is asked", || strip(&desk).contains("▸ INFER"));
    let now = strip(&desk);
    assert!(now.contains("✓ load") && now.contains("✓ assemble") && now.contains("· judge"), "{now}");
    assert!(now.contains("· act") && now.contains("· commit"), "{now}");
    for step in 1..=2 {
        // It is the head while the next step is at work.
        desk.until(&format!("checkpoint {step} at work"), || {
            let screen = desk.screen();
            screen.contains(&format!("◆ {step} ")) && screen.contains("▸ INFER")
        });
        desk.wait(&format!("○ {} ", step - 1));
    }
    desk.wait("NEEDS YOU");
    desk.until("it stands at the call", || strip(&desk).contains("! ACT"));
    let now = strip(&desk);
    for done in ["✓ load", "✓ assemble", "✓ infer", "✓ judge", "· commit"] {
        assert!(now.contains(done), "{now}");
    }
    desk.press("a");
    desk.wait("leave waiting");
    desk.press_until("y", "◆ 4 ");
    desk.until("it reads it back", || strip(&desk).contains("▸ INFER") || desk.shows("◆ 5 "));
    desk.wait("✓ completed");
    desk.wait("◆ 6 ");
    desk.wait("○ 5 ");
    desk.press("3");
    desk.wait("━ 3 Queue");
    // Its beginning, as the agent read it back; then all of it, as it was written.
    desk.wait("▌✓5.1");
    desk.press("\r");
    desk.wait("# Survey of this folder");
    for line in place.read("wakeful-report.md").unwrap().lines().take(5) {
        desk.wait(line);
    }
    desk.press("\x1b");
    desk.wait_gone("# Survey of this folder");
    desk.press("j");
    desk.wait("▌✓4.1");
    desk.press("\r");
    desk.wait("2 files in 0 folders.");
    desk.wait("created wakeful-report.md");
    desk.press("\x1b");
    desk.wait_gone("created wakeful-report.md");
    desk.press("q");
    assert_eq!(desk.end(), 0);
}

#[test]
fn in_chinese_the_offline_job_is_chinese_to_its_report() {
    let place = Place::new();
    let desk = place.open(120, 40, &["--lang", "zh"]);
    desk.wait("离线模型");
    desk.press("\r");
    desk.wait("等你处理");
    desk.wait("浏览这个文件夹，把结果写到 wakeful-report.md");
    desk.press_until("a", "新建这个文件？");
    desk.press_until("y", "已完成");
    assert!(place.read("wakeful-report.md").unwrap().contains("文件夹概览"));
    desk.wait("▾ 6  完成");
    desk.press("q");
    assert_eq!(desk.end(), 0);
}

#[test]
fn a_call_is_denied_with_a_reason_that_the_agent_reads() {
    let place = Place::new();
    let desk = place.waiting(80, 24);
    desk.press("d");
    desk.wait("The agent reads this");
    desk.press("not in this folder");
    desk.wait("not in this folder");
    // Apart from the text: a line that comes at once is a paste, and decides nothing.
    desk.press("\r");
    desk.wait_gone("The agent reads this");
    desk.until("the denial stands", || place.ask(&["intents", "last"]).contains("denied"));
    assert!(place.read("wakeful-report.md").is_none());
    desk.press("q");
    desk.until("it asks or ends", || desk.shows("Leave wakeful?") || desk.screen().trim().is_empty());
    desk.press("s");
    assert_eq!(desk.end(), 0);
    // Another day, another run: what was said is offered again.
    let desk = place.open(80, 24, &[]);
    desk.wait("Message the agent");
    desk.press("n");
    desk.wait("New run");
    desk.press("Survey this folder once more");
    desk.wait("once more");
    desk.press("\x0f");
    // The first run waits too, for its own reasons.
    desk.wait("runs: 2 need you");
    desk.press("d");
    desk.wait("reasons: not in this folder");
    desk.kill();
}

#[test]
fn after_a_denial_the_offline_job_asks_how_to_go_on() {
    let place = Place::new();
    let desk = place.waiting(120, 40);
    desk.press("d");
    desk.wait("The agent reads this");
    desk.press("not here");
    desk.wait("not here");
    desk.press("\r");
    desk.wait("ask how to go on");
    desk.wait("ask_person");
    desk.press("a");
    desk.wait("The report was not written.");
    desk.press_until("3", "▌3 Write nothing");
    desk.press_until("\r", "a check wants wakeful-report.md");
    // The check is no reason to stand still: it asks about that too, and the file can be had after all.
    desk.wait("! ask_person A check of the goal");
    desk.press("a");
    desk.wait("1 Write wakeful-report.md");
    desk.press_until("1", "▌1 Write wakeful-report.md");
    // The first key may come too soon after the dialog.
    desk.press_until("\r", "step 8");
    desk.press_until("a", "Make this file?");
    desk.press_until("y", "completed");
    assert!(place.read("wakeful-report.md").unwrap().contains("Survey of this folder"));
    desk.press("q");
    assert_eq!(desk.end(), 0);
}

#[test]
fn what_was_killed_comes_back_where_it_was() {
    let place = Place::new();
    let desk = place.waiting(120, 40);
    let before = place.ask(&["intents", "last", "--json"]);
    desk.kill();
    let desk = place.open(120, 40, &[]);
    desk.wait("NEEDS YOU");
    assert_eq!(place.ask(&["intents", "last", "--json"]), before, "the same call waits, with the same id");
    desk.press("a");
    desk.wait("leave waiting");
    desk.press_until("y", "completed");
    desk.press("q");
    assert_eq!(desk.end(), 0);
}

#[test]
fn a_run_is_paused_goes_on_and_is_rolled_back() {
    let place = Place::new();
    place.config(
        "[limits]\ntool_calls_per_minute = 1000\n[[rule]]\ntool = \"write_file\"\nthen = \"allow\"\n",
    );
    place.script(
        "[[steps]]\nrepeat = 3\nsay = \"Part {i}.\"\n\
         calls = [{ name = \"write_file\", args = { path = \"part-{i}.txt\", content = \"{i}\" } }]\n\
         [[steps]]\nsay = \"One question.\"\n\
         calls = [{ name = \"ask_person\", args = { question = \"Which colour?\" } }]\n[[steps]]\nsay = \"Done.\"\n",
    );
    let desk = place.waiting(120, 40);
    assert!(place.read("part-3.txt").is_some());
    desk.press("p");
    desk.wait("■ paused");
    assert!(place.ask(&["show", "last"]).contains("paused"));
    desk.press("p");
    desk.wait("! NEEDS YOU");
    assert!(!place.ask(&["runs", "--json"]).contains("paused"));
    desk.press("4");
    desk.press("jj");
    desk.press("r");
    desk.wait("Roll back to step");
    desk.press_until("y", "timeline 2 of 2");
    desk.wait("rolled back to step 1, now on timeline 2");
    // It stays there, to be looked at, taken back or gone on with.
    desk.wait("■ paused │");
    assert!(place.read("part-2.txt").is_none());
    desk.press("R");
    desk.wait("timeline 3 of 3");
    desk.until("the files are back", || place.read("part-3.txt").is_some());
    desk.press("p");
    desk.wait("completed");
    desk.kill();
    assert!(place.ask(&["checkpoints", "last"]).contains("timeline 3"));
}

#[test]
fn what_is_said_while_a_call_waits_is_for_the_step_that_was_not_asked_yet() {
    let place = Place::new();
    place.script(
        "[[steps]]\nsay = \"One question.\"\n\
         calls = [{ name = \"ask_person\", args = { question = \"Which colour?\" } }]\n\
         [[steps]]\nsay = \"One more.\"\n\
         calls = [{ name = \"ask_person\", args = { question = \"Which size?\" } }]\n[[steps]]\nsay = \"Done.\"\n",
    );
    let desk = place.open(200, 60, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("Which colour?");
    desk.wait("it reads it before step 2");
    desk.press("i");
    desk.press("Use metric units");
    desk.wait("Use metric units");
    desk.press("\r");
    desk.wait("queued: Use metric units");
    desk.wait("read once the question is answered");
    desk.press("g");
    desk.wait("use from step 2");
    desk.press("Mind the size. ");
    desk.wait("Mind the size.");
    desk.press("\x0f");
    desk.wait("The new goal is in force from step 2.");
    desk.wait("GOAL v2");
    desk.press("g");
    desk.wait("in force since step 2");
    desk.press("\x1b");
    desk.wait_gone("in force since");
    place.ask(&["answer", "last:1.1", "blue"]);
    desk.wait("Which size?");
    desk.wait_gone("queued: Use metric units");
    let asked = place.ask(&["context", "last", "--step", "2", "--request"]);
    assert!(asked.contains("Use metric units") && asked.contains("Mind the size."), "{asked}");
    desk.press("g");
    desk.wait("in force since step 2");
    desk.wait("use from step 3");
    desk.kill();
}

#[test]
fn a_rollback_of_a_run_that_is_over_leaves_it_paused() {
    let place = Place::new();
    place.config("[approval]\nmode = \"auto\"\n[limits]\ntool_calls_per_minute = 1000\n");
    place.script(
        "[[steps]]\nrepeat = 3\nsay = \"Part {i}.\"\n\
         calls = [{ name = \"write_file\", args = { path = \"part-{i}.txt\", content = \"{i}\" } }]\n\
         [[steps]]\nsay = \"Done.\"\n",
    );
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("completed");
    desk.press("4");
    desk.press("jj");
    desk.press("r");
    desk.wait("It is paused then: p goes on.");
    desk.press_until("y", "timeline 2 of 2");
    desk.wait("■ paused │");
    assert!(place.read("part-3.txt").is_none());
    desk.press("p");
    desk.wait("completed");
    assert!(place.read("part-3.txt").is_some());
    desk.kill();
}

#[test]
fn a_terminal_that_goes_away_stops_the_run_or_hands_it_over_as_configured() {
    for (config, goes_on) in [("", false), ("on_hangup = \"continue\"\n", true)] {
        let place = Place::new();
        place.config(config);
        let desk = place.waiting(120, 40);
        desk.signal(rustix::process::Signal::HUP);
        assert_eq!(desk.end(), 130);
        let held = || place.ask(&["approve", "last:4.1"]);
        if goes_on {
            eventually("a worker has it", || place.ask(&["show", "last"]).contains(", alive"));
            held();
            eventually("it is done", || place.ask(&["show", "last"]).contains("completed"));
        } else {
            held();
        }
        assert_eq!(place.read("wakeful-report.md").is_some(), goes_on, "{config}");
    }
}
