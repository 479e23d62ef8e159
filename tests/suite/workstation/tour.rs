//! The README's five minutes, step by step, as they are written there.

use super::desk::{Place, eventually};
use super::place::events;
use wakeful::run::event::Event;

#[test]
fn the_five_minutes_of_the_readme() {
    let place = Place::new();
    // 1 Start: the offline model is offered, Enter starts its job; each step ends with a checkpoint.
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("◆ 3 ");
    // 2 Decide: the header says it; all of the file is shown, and approved once its end was seen.
    desk.wait("! NEEDS YOU");
    desk.press("a");
    desk.wait("Make this file?");
    desk.press(" ");
    desk.press(">");
    desk.wait("seen");
    desk.press_until("y", "✓ completed");
    assert!(place.read("wakeful-report.md").is_some());
    // 3 Look: the very request, what stands in a part of it, a call with its whole output.
    desk.press("2");
    desk.press("x");
    desk.wait("\"messages\"");
    desk.press("\x1b");
    desk.wait_gone("\"messages\"");
    desk.press("\r");
    desk.wait("Context: ");
    desk.press("\x1b");
    desk.wait_gone("Context: ");
    desk.press("3");
    desk.wait("▌✓5.1");
    desk.press("\r");
    desk.wait("# Survey of this folder");
    desk.press("\x1b");
    desk.wait_gone("# Survey of this folder");
    // 4 Go back: what has changed since, what a rollback would do; taken back with R, gone on with p.
    desk.press("4");
    desk.press("jjj");
    desk.press("=");
    desk.wait("Step 3 and now");
    desk.wait("+ wakeful-report.md");
    desk.press("\x1b");
    desk.wait_gone("Step 3 and now");
    desk.press("r");
    desk.wait("Roll back to step 3");
    desk.wait("wakeful-report.md");
    desk.press_until("y", "■ paused │");
    assert!(place.read("wakeful-report.md").is_none());
    desk.press("R");
    desk.wait("timeline 3 of 3");
    desk.until("the file is back", || place.read("wakeful-report.md").is_some());
    desk.wait_gone("■ paused");
    desk.press("jjj");
    desk.press("r");
    desk.wait("Roll back to step 3");
    desk.press_until("y", "■ paused │");
    desk.press("p");
    desk.wait("! NEEDS YOU");
    // 5 Steer: the goal, a word to the agent, a limit, a run of one's own.
    desk.press("g");
    desk.wait("Goal · version 2, from v1");
    desk.press("Kindly: ");
    desk.wait("Kindly: ");
    desk.press("\x0f");
    desk.wait("GOAL v2");
    desk.press("i");
    desk.wait("Enter send");
    desk.press("Mind the order");
    desk.wait("▏Mind the order");
    desk.press("\r");
    desk.wait("queued: Mind the order");
    desk.press("L");
    desk.wait("Change limits");
    desk.press("\x1b");
    desk.wait_gone("Change limits");
    desk.press("n");
    desk.wait("What is to be reached");
    desk.press("\x1b");
    desk.wait_gone("What is to be reached");
    // 6 Kill it: the same step, the same question with the same id.
    let before = place.ask(&["intents", "last", "--json"]);
    desk.kill();
    let mut desk = place.open(120, 40, &[]);
    desk.wait("! NEEDS YOU");
    desk.wait("queued: Mind the order");
    assert_eq!(place.ask(&["intents", "last", "--json"]), before);
    // 7 Leave: a worker without a screen goes on, and any terminal decides.
    desk.press("q");
    desk.wait("Leave wakeful?");
    desk.press("w");
    assert_eq!(desk.ended(), 0);
    assert!(place.ask(&["runs"]).contains("waiting"), "{}", place.ask(&["runs"]));
    let waiting = place.ask(&["intents", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&waiting).unwrap();
    let waits = all.as_array().unwrap().iter().find(|call| call["status"] == "waiting").unwrap();
    place.ask(&["approve", waits["call_id"].as_str().unwrap()]);
    eventually("it goes on to its end", || place.ask(&["show", "last"]).contains("completed"));
    assert!(place.read("wakeful-report.md").is_some());
    let desk = place.open(120, 40, &[]);
    desk.wait("✓ completed");
    let said = |event: &Event| matches!(event, Event::PersonMessage { .. });
    assert_eq!(events(&place).iter().filter(|event| said(event)).count(), 1, "it went in once");
    desk.press("q");
    assert_eq!(desk.end(), 0);
}
