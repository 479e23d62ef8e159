//! A decision that the agent puts before the person, from its coming to the answer; what is left of it after a kill; what
//! happens if nobody answers.

use super::desk::{Desk, Place, eventually};
use super::place::events;
use rustix::process::Signal;
use wakeful::run::Event;

/// Three ways to go on, the first of them advised.
const WAYS: &str = "[[steps]]\nsay = \"Two ways.\"\ncalls = [{ name = \"decide\", args = { \
    goal = \"2 M rows in under 60 s\", why = \"Buffering gives 71 s. Which way now?\", \
    recommendation = \"Format numbers by hand\", options = [\
    { title = \"Format numbers by hand\", effect_on_goal = \"keeps everything\" }, \
    { title = \"Two writer threads\", effect_on_goal = \"risks the row order\" }, \
    { title = \"Stop here\", effect_on_goal = \"goal not met\" }] } }]\n[[steps]]\nsay = \"Done.\"\n";

/// A workstation of 80 columns in which the decision waits.
fn asked(place: &Place, lang: &str) -> Desk {
    place.script(WAYS);
    let desk = place.open(80, 24, &["--lang", lang]);
    desk.wait(if lang == "zh" { "离线模型" } else { "offline model" });
    desk.press("\r");
    desk.wait(if lang == "zh" { "等你处理" } else { "NEEDS YOU" });
    desk
}

/// The answers of the newest run, each with whether it was taken by default.
fn answers(place: &Place) -> Vec<(String, bool)> {
    let of = |event: Event| match event {
        Event::CallAnswered { result, by_default, .. } => Some((format!("{result:?}"), by_default.is_some())),
        _ => None,
    };
    events(place).into_iter().filter_map(of).collect()
}

fn waits(place: &Place) -> bool {
    place.ask(&["intents", "last"]).contains("waiting")
}

#[test]
fn a_decision_shows_goal_ways_and_advice_and_the_chosen_way_is_the_answer() {
    let place = Place::new();
    let desk = asked(&place, "en");
    desk.press("a");
    desk.wait("The agent asks you to decide");
    for text in [
        "Goal  2 M rows in under 60 s",
        "Buffering gives 71 s. Which way now?",
        "▌1 Format numbers by hand  keeps everything  ← advised",
        " 2 Two writer threads  risks the row order",
        " 3 Stop here  goal not met",
        " t Say it in my words",
        "No answer: it waits",
        "Enter decide  x what it knows",
        "Esc later (default)",
    ] {
        desk.wait(text);
    }
    // Left with Esc it waits as it did, and what was marked is not remembered as an answer.
    desk.press_until("3", "▌3 Stop here");
    desk.press("\x1b");
    desk.wait_gone("The agent asks you to decide");
    assert!(waits(&place) && answers(&place).is_empty());
    desk.press("a");
    desk.wait("The agent asks you to decide");
    // What the agent knew can be read meanwhile.
    desk.press("x");
    desk.wait("What the agent knows");
    desk.press("\x1b");
    desk.wait_gone("What the agent knows");
    desk.press_until("2", "▌2 Two writer threads");
    desk.press_until("\r", "completed");
    let all = answers(&place);
    assert!(all.len() == 1 && all[0].0.contains("Two writer threads") && !all[0].1, "{all:?}");
    // The key may have come twice, and opened what lies below.
    desk.kill();
}

#[test]
fn own_words_outlive_a_kill_and_the_same_decision_waits() {
    let place = Place::new();
    let desk = asked(&place, "zh");
    desk.press("a");
    desk.wait("智能体请你决定");
    desk.wait("← 建议");
    desk.press("t");
    desk.wait_gone("Two writer threads");
    // Nothing written is no answer.
    desk.press_until("\r", "请先写下回答");
    desk.press("两个线程，");
    desk.wait("两个线程，");
    desk.press("但保持行的顺序");
    desk.wait("但保持行的顺序");
    eventually("it is kept at rest", || super::drafts::stored(&place).contains("但保持行的顺序"));
    let before = place.ask(&["intents", "last", "--json"]);
    assert!(before.contains("decide"), "{before}");
    desk.signal(Signal::KILL);
    desk.kill();
    assert_eq!(place.ask(&["intents", "last", "--json"]), before, "nothing was decided by the end");

    let desk = place.open(80, 24, &["--lang", "zh"]);
    // Not the list of runs, where it waits too.
    desk.wait("!1.1");
    assert_eq!(
        place.ask(&["intents", "last", "--json"]),
        before,
        "the same decision waits, with the same id"
    );
    desk.press("a");
    desk.wait("▏两个线程，但保持行的顺序");
    desk.press_until("\r", "已完成");
    let all = answers(&place);
    assert!(all.len() == 1 && all[0].0.contains("两个线程，但保持行的顺序"), "{all:?}");
    assert!(!super::drafts::stored(&place).contains("两个线程"));
    // The key may have come twice, and opened what lies below.
    desk.kill();
}

#[test]
fn the_advice_is_taken_after_its_time_and_the_open_dialog_says_so() {
    let place = Place::new();
    place.config("[decide]\ndefault_after = \"15s\"\n");
    let desk = asked(&place, "en");
    desk.press("a");
    desk.wait("No answer: option 1 is taken at ");
    desk.wait(" (in 0:");
    desk.wait("Already decided by default after 15s: done");
    desk.wait("Decided  Format numbers by hand");
    desk.wait_gone("Enter decide");
    let all = answers(&place);
    assert!(all.len() == 1 && all[0].0.contains("Format numbers by hand") && all[0].1, "{all:?}");
    desk.press("\x1b");
    desk.wait("completed");
    desk.kill();
}
