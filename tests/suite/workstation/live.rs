//! The output of a command while it runs: in the panel Loop and as a whole text, of this process and of another one.

use super::desk::{Desk, Place, eventually};
use super::jobs;

/// Ten lines, each once a file says so, and bytes that no screen should get.
const SLOW: &str = "printf 'begin \\033[31m\\377\\n'; for n in 1 2 3 4 5 6 7 8 9; do echo line $n; done; \
    until test -e go; do sleep 0.05; done; echo more of it; until test -e stop; do sleep 0.05; done; echo last";

fn go(place: &Place, file: &str) {
    std::fs::write(place.workspace().join(file), "").unwrap();
}

/// Selects the running call, the newest item.
fn select(desk: &Desk) {
    desk.press_until("k", "▌    ▸ shell");
}

#[test]
fn lines_of_a_running_command_are_seen_before_it_ends() {
    let place = Place::playing(&jobs::command(SLOW));
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("│ line 9");
    assert!(desk.shows("│ line 7") && !desk.shows("│ line 6"), "the last three:\n{}", desk.screen());
    assert!(desk.shows("… 7 lines before"), "{}", desk.screen());
    go(&place, "go");
    desk.wait("│ more of it");
    assert!(desk.shows("▸ shell"), "it still runs:\n{}", desk.screen());
    select(&desk);
    desk.press("\r");
    desk.wait("running · ");
    desk.wait("line 1 ");
    assert!(desk.shows(r"begin \u{fffd}"), "{}", desk.screen());
    // What comes meanwhile is added, and in the end the record stands there.
    go(&place, "stop");
    desk.wait("┃ last");
    desk.wait_gone("running · ");
    assert!(desk.shows("line 1 ") && desk.shows("last"), "{}", desk.screen());
    desk.press("\x1b");
    desk.wait("1 call ✓");
}

/// What is overwritten is counted while the command runs and in what the agent gets; the record has it all.
#[test]
fn nothing_hides_behind_a_carriage_return() {
    let command = "printf 'rm -rf /;\\r harmless \\n10%%\\r20%%\\r100%%\\n'; until test -e go; do sleep 0.05; done; echo last";
    let place = Place::playing(&jobs::command(command));
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("harmless [1 overwritten part left out]");
    desk.wait("100% [2 overwritten parts left out]");
    select(&desk);
    desk.press("\r");
    desk.wait("running · ");
    desk.wait("┃  harmless [1 overwritten part left out]");
    go(&place, "go");
    desk.wait(r"┃ rm -rf /;\u{d}");
    desk.wait(r"┃ 20%\u{d}");
    desk.press("\x1b");
    desk.wait("completed");
    let told = place.ask(&["intents", "last", "--json"]);
    assert!(told.contains("100% [2 overwritten parts left out]"), "{told}");
}

#[test]
fn lines_of_a_command_of_another_process_are_seen_too() {
    let place = Place::playing(&jobs::command(SLOW));
    let mut worker = place.start(&["run", "Do it", "--model", "offline", "--approve", "auto"]);
    eventually("it runs", || place.ask(&["runs"]).contains("running"));
    let desk = place.open(120, 40, &[]);
    desk.wait("worker: elsewhere");
    desk.wait("│ line 9");
    select(&desk);
    desk.press("\r");
    desk.wait("line 1 ");
    go(&place, "go");
    desk.wait("more of it");
    go(&place, "stop");
    desk.wait("┃ last");
    desk.press("\x1b");
    desk.wait("completed");
    worker.wait().unwrap();
}

/// More than a page holds: both ends of what was recorded are reached, and no count is wrong.
#[test]
fn both_ends_of_a_long_recorded_output_are_reached() {
    let place = Place::playing(&jobs::command("seq 1 500000"));
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("completed");
    // A command of a step that is over: only its size is known here.
    desk.press("1");
    desk.press_until("k", "▌▸ 1");
    desk.press("o");
    desk.wait("MiB [+]");
    desk.press_until("j", "▌    ✓ shell");
    assert!(!desk.screen().contains("lines [+]"), "{}", desk.screen());
    desk.press("\r");
    desk.wait("1.1 shell ━");
    desk.wait("┃ 2 ");
    desk.press_until(">", "┃ 500000 ");
    desk.press_until("<", "┃ 2 ");
}
