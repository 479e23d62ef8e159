//! A command of which nobody knows whether it happened, since the machine took everything with it: the person who settles
//! it sees what can be seen.

use super::desk::{Place, eventually};
use super::jobs;
use rustix::process::{Pid, Signal, kill_process};

fn kill(pid: i32) {
    let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
}

#[test]
fn what_an_attempt_left_behind_is_shown() {
    let place = Place::playing(&jobs::command("echo writing; echo x > made.txt; sleep 60"));
    let mut worker = place.start(&["run", "Write it", "--model", "offline", "--headless"]);
    eventually("the command runs", || {
        place.read("made.txt").is_some()
            && place.processes().iter().any(|(_, line)| line.contains("sleep 60"))
    });
    // The supervisor first, so that nobody records an end; then the rest.
    let (supervisors, _): (Vec<_>, Vec<_>) =
        place.processes().into_iter().partition(|(_, line)| line.contains(" supervise "));
    assert!(!supervisors.is_empty(), "{:?}", place.processes());
    supervisors.iter().for_each(|(pid, _)| kill(*pid));
    worker.kill().unwrap();
    worker.wait().unwrap();
    place.processes().iter().for_each(|(pid, _)| kill(*pid));

    let desk = place.open(120, 40, &[]);
    desk.wait("NEEDS YOU");
    desk.press_until("a", "Did this happen?");
    desk.wait("│ writing");
    desk.wait("1 file changed after ");
    assert!(desk.shows(": made.txt · probe: this tool"), "{}", desk.screen());
    assert!(desk.shows("same effect elsewhere: never"), "{}", desk.screen());
    assert!(desk.shows("effect · started "), "{}", desk.screen());
    desk.press_till("s", "it is settled", || !desk.shows("Did this happen?"));
    desk.wait("completed");
    desk.kill();
}
