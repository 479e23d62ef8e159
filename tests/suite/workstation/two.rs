//! Two workstations on one store, and decisions from elsewhere: nothing is done twice, and each side hears of the other.

use super::desk::{Desk, Place, eventually};
use super::jobs;
use super::place::events;
use wakeful::run::Event;

/// The first works at a run whose call waits; the second looks at it.
fn both(place: &Place) -> (Desk, Desk) {
    let first = place.waiting(120, 40);
    let second = place.open(120, 40, &[]);
    second.wait("worker: elsewhere");
    (first, second)
}

/// Who finds a run in other hands looks again for a second, since whoever only writes a decision down has it for a moment.
fn given_up() {
    std::thread::sleep(std::time::Duration::from_millis(1300));
}

fn effects(place: &Place) -> String {
    place.read("effects").unwrap_or_default()
}

/// As often as the run was taken.
fn claims(place: &Place) -> usize {
    events(place).iter().filter(|event| matches!(event, Event::RunClaimed { .. })).count()
}

fn asks() -> Place {
    let place = Place::new();
    place.script(jobs::ONE_EFFECT);
    place
}

#[test]
fn what_one_decides_the_other_hears_of_in_its_open_dialog() {
    let place = asks();
    let (first, second) = both(&place);
    assert!(second.shows("worker: elsewhere"), "{}", second.screen());
    second.press("a");
    second.wait("Run this command?");
    first.press("a");
    first.wait("Run this command?");
    first.press_until("y", "completed");
    second.wait("Already decided by you");
    second.press("yyy");
    second.press("\x1b");
    second.wait("completed");
    assert_eq!(effects(&place), "x\n");
    assert_eq!(claims(&place), 1, "the second one took nothing");
}

#[test]
fn a_decision_of_the_command_line_is_told_by_its_name() {
    let place = asks();
    let (first, second) = both(&place);
    for desk in [&first, &second] {
        desk.press("a");
        desk.wait("Run this command?");
    }
    place.ask(&["approve", "last:1.1"]);
    for desk in [&first, &second] {
        desk.wait("Already decided by you (cli)");
    }
    eventually("it is done", || effects(&place) == "x\n");
}

#[test]
fn two_decisions_at_one_moment_have_one_effect() {
    for round in 0..4 {
        let place = asks();
        let (first, second) = both(&place);
        for desk in [&first, &second] {
            desk.press("a");
            desk.wait("Run this command?");
        }
        // Past the time in which no key decides.
        std::thread::sleep(std::time::Duration::from_millis(400));
        let (one, other) = if round % 2 == 0 { (&first, &second) } else { (&second, &first) };
        one.press("y");
        other.press("y");
        for desk in [&first, &second] {
            desk.until("it is over", || desk.shows("completed") || desk.shows("Already decided"));
        }
        eventually("it is done", || place.ask(&["show", "last"]).contains("completed"));
        assert_eq!(effects(&place), "x\n");
    }
}

#[test]
fn the_second_decides_and_the_first_does_the_work() {
    let place = asks();
    let (first, second) = both(&place);
    second.press("a");
    second.wait("Run this command?");
    second.press_until("y", "completed");
    first.wait("completed");
    assert_eq!(effects(&place), "x\n");
    let started = events(&place).iter().filter(|event| matches!(event, Event::CallStarted { .. })).count();
    assert_eq!(started, 1);
    // Whoever decides looks whether the run needs a worker: at most once, when it is over already.
    assert!(claims(&place) <= 2);
}

#[test]
fn when_the_owner_is_killed_the_other_takes_the_run_on() {
    let place = asks();
    let (first, second) = both(&place);
    given_up();
    first.kill();
    second.wait("worker: none");
    second.press("a");
    second.wait("Run this command?");
    second.press_until("y", "completed");
    assert_eq!(effects(&place), "x\n");
    assert_eq!(claims(&place), 2);
}

#[test]
fn a_run_at_work_whose_owner_is_killed_is_taken_on_with_a_key() {
    let place = Place::playing(&jobs::slow_lines(45));
    let first = place.open(120, 40, &[]);
    first.wait("offline model");
    first.press("\r");
    eventually("it works", || place.read("effects").is_some());
    let second = place.open(120, 40, &[]);
    second.wait("worker: elsewhere");
    given_up();
    first.kill();
    second.wait("worker: none");
    second.press("p");
    second.wait("completed");
    let all: Vec<String> = (1..=45).map(|i| i.to_string()).collect();
    assert_eq!(effects(&place).lines().collect::<Vec<_>>(), all, "each effect once, in order");
}

#[test]
fn leaving_the_second_says_who_goes_on_with_the_run() {
    let place = asks();
    let (first, mut second) = both(&place);
    second.press("q");
    assert_eq!(second.ended(), 0);
    second.assert_restored();
    second.wait("goes on with worker ");
    // The owner itself, once it stopped, leaves nobody who goes on.
    first.press("q");
    first.wait("Leave wakeful?");
    first.press("s");
    let mut first = first;
    assert_eq!(first.ended(), 0);
    first.assert_restored();
    assert!(!first.shows("goes on with worker"), "{}", first.screen());
}

#[test]
fn of_two_edits_of_the_goal_at_one_moment_the_one_that_was_refused_comes_back() {
    let place = asks();
    let (first, second) = both(&place);
    for (desk, text) in [(&first, " red"), (&second, " blue")] {
        desk.press("g");
        desk.wait("Versions");
        desk.press(text);
        desk.wait(text);
    }
    first.press("\x0f");
    second.press("\x0f");
    // What is said goes after a while, so it is looked for at once.
    let in_force = |desk: &Desk| desk.shows("The new goal is in force from step");
    first.until("one is told that it is in force", || in_force(&first) || in_force(&second));
    let (won, lost, text) =
        if in_force(&first) { (&first, &second, " blue") } else { (&second, &first, " red") };
    let goal = place.ask(&["goal", "last"]);
    assert!(goal.contains(" red") != goal.contains(" blue") && !goal.contains(text), "{goal}");
    // Refused before it was sent, in the form, or after it was stored, at the foot.
    lost.until("it is told", || lost.shows("what you wrote is kept: g") || lost.shows("edited elsewhere"));
    assert!(!lost.shows("The new goal is in force"), "{}", lost.screen());
    if !lost.shows("edited elsewhere") {
        lost.press("g");
    }
    lost.wait("Versions");
    lost.wait(text);
    lost.wait("v2");
    lost.wait("not looked at");
    assert!(!won.shows("what you wrote is kept"), "{}", won.screen());
}

/// Its supervisor goes on with the command: the other workstation says that, and not that nothing works.
#[test]
fn a_command_whose_worker_is_killed_is_said_to_run_on_and_its_result_is_taken_in() {
    let place = Place::playing(&jobs::command("echo x >> effects; sleep 6; echo y >> effects"));
    let first = place.open(120, 40, &[]);
    first.wait("offline model");
    first.press("\r");
    eventually("it works", || place.read("effects").is_some());
    let second = place.open(120, 40, &[]);
    second.wait("worker: elsewhere");
    given_up();
    first.kill();
    second.wait("WORKER GONE");
    second.wait("interrupted · a command runs on");
    assert!(!second.shows("nothing goes on"), "{}", second.screen());
    second.press("p");
    second.wait("completed");
    assert_eq!(effects(&place), "x\ny\n");
}
