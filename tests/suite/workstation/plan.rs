//! The plan edited on the workstation, while a command runs: on its way, then in force, and known to the agent.

use super::desk::Place;
use super::place::events;
use wakeful::run::event::Event;

const JOB: &str = "[[steps]]\nsay = \"I plan.\"\n\
    calls = [{ name = \"plan\", args = { items = [{ id = \"1\", title = \"Count the files\", state = \"active\" }] } }]\n\
    [[steps]]\nsay = \"I count.\"\ncalls = [{ name = \"shell\", args = { command = \"while [ ! -e go ]; do sleep 0.05; done\" } }]\n\
    [[steps]]\nsay = \"Done.\"\n";

#[test]
fn a_person_changes_the_plan_while_a_command_runs() {
    let place = Place::playing(JOB);
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("1 running");
    desk.press("5");
    desk.press("\r");
    desk.wait("Plan · 0/1 done");
    desk.wait("1 [active] Count the files");
    desk.press("\r");
    desk.press("[pending] Tell the team");
    desk.wait("[pending] Tell the team");
    // A save right behind what was typed at once may be of a paste, and is not taken.
    desk.press_until("\x0f", "a change (you");
    assert!(!events(&place).iter().any(|event| matches!(event, Event::PlanEdited { .. })));
    std::fs::write(place.workspace().join("go"), "").unwrap();
    desk.wait("completed");
    desk.wait("2 Tell the team");
    let edits: Vec<usize> = events(&place)
        .iter()
        .filter_map(|event| match event {
            Event::PlanEdited { items } => Some(items.len()),
            _ => None,
        })
        .collect();
    assert_eq!(edits, [2]);
    let request = place.ask(&["context", "last", "--request"]);
    assert!(request.contains("- 2 [pending] Tell the team"), "{request}");
    desk.kill();
}
