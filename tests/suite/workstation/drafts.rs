//! What is being written outlives a kill, and is gone once it was sent. A command of the person calls for attention.

use super::desk::{Desk, Place, eventually};
use rustix::process::Signal;

fn opened(place: &Place) -> Desk {
    let desk = place.open(120, 40, &[]);
    desk.wait("NEEDS YOU");
    desk
}

/// What the store has of drafts, as another process sees it.
pub(super) fn stored(place: &Place) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = wakeful::store::StoreOptions::new(place.db(), std::sync::Arc::new(|_| true));
        let store = wakeful::store::Store::open(options).unwrap();
        format!("{:?}", store.drafts().await.unwrap())
    })
}

#[test]
fn drafts_outlive_a_kill_and_are_gone_once_sent() {
    let place = Place::new();
    let desk = place.waiting(120, 40);
    desk.press("i");
    desk.wait("Enter send");
    desk.press("保持顺序, please");
    desk.wait("保持顺序, please");
    desk.press("\x1b");
    desk.wait("the text is kept");
    desk.press("n");
    desk.wait("What is to be reached");
    desk.press("Sort the photos");
    desk.wait("Sort the photos");
    desk.press("\x1b");
    desk.wait("The draft is kept.");
    desk.press("g");
    desk.wait("Constraints");
    desk.press(" And soon.");
    desk.wait("And soon.");
    desk.press("\x1b");
    desk.wait_gone("Constraints");
    desk.press("d");
    desk.wait("The agent reads this:");
    desk.press("Not there");
    desk.wait("▏Not there");
    eventually("all is kept at rest", || {
        let all = stored(&place);
        ["保持顺序, please", "Sort the photos", "And soon.", "Not there"]
            .iter()
            .all(|text| all.contains(text))
    });
    desk.signal(Signal::KILL);
    desk.kill();

    let desk = opened(&place);
    desk.wait("保持顺序, please");
    desk.press("n");
    desk.wait("Sort the photos");
    desk.press("\x1b");
    desk.wait_gone("Sort the photos");
    desk.press("g");
    desk.wait("And soon.");
    desk.press("\x1b");
    desk.wait_gone("And soon.");
    desk.press("d");
    desk.wait("▏Not there");
    desk.press("\x1b");
    desk.wait_gone("▏Not there");
    desk.press("i");
    desk.wait("▏保持顺序, please");
    desk.press("\r");
    desk.wait("queued: 保持顺序");
    eventually("it is forgotten", || !stored(&place).contains("保持顺序"));
    assert!(stored(&place).contains("Sort the photos"));
    desk.kill();
}

/// A configuration whose command writes what it is told into a file.
fn hooked(place: &Place) -> std::path::PathBuf {
    let file = place.workspace().join("../told");
    let script = place.workspace().join("../hook.sh");
    std::fs::write(
        &script,
        format!("printf '%s|%s|%s\\n' \"$WAKEFUL_EVENT\" \"$1\" \"$2\" >> {}\n", file.display()),
    )
    .unwrap();
    place.config(&format!("[notify]\ncommand = [\"sh\", \"{}\"]\n", script.display()));
    file
}

#[test]
fn a_worker_without_a_screen_calls_the_command_once() {
    let place = Place::new();
    let file = hooked(&place);
    let mut worker = place.start(&["run", "Survey this folder", "--wait", "--headless"]);
    let told = || std::fs::read_to_string(&file).unwrap_or_default();
    eventually("it is called", || !told().is_empty());
    assert_eq!(told(), "needs_you|wakeful|! 1 · Survey this folder\n");
    worker.kill().unwrap();
    worker.wait().unwrap();
    assert!(place.ask(&["config", "show"]).contains("hook.sh"));
    assert!(place.ask(&["config", "schema"]).contains("[notify]"));
}

#[test]
fn nobody_looks_and_the_command_is_called_and_its_failure_told_once() {
    let place = Place::new();
    let file = hooked(&place);
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    // The terminal tells that it lost the focus.
    desk.press("\x1b[O");
    desk.press("\r");
    desk.wait("NEEDS YOU");
    let told = || std::fs::read_to_string(&file).unwrap_or_default();
    eventually("it is called", || told().starts_with("needs_you|wakeful|! 1 · "));
    desk.kill();

    let place = Place::new();
    place.config("[notify]\ncommand = [\"/no/such/program\"]\n");
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\x1b[O");
    desk.press("\r");
    desk.wait("The command for attention failed: ");
    desk.kill();
}
