//! What was typed before a question stood on the screen does not answer it.

use super::desk::Place;
use super::jobs;
use std::time::Duration;

#[test]
fn keys_that_were_typed_before_the_question_never_approve() {
    let place = Place::new();
    place.script(jobs::ONE_EFFECT);
    let desk = place.waiting(100, 30);
    // In flight before, in the same write, and right after it while the dialog is on its way.
    for keys in
        [&["yy", "a"][..], &["ay"], &["a", "y"], &["y", "ay", "y"], &["ayyyyyyyyyyyyyyyy"], &["a", "y\r"]]
    {
        keys.iter().for_each(|keys| desk.press(keys));
        std::thread::sleep(Duration::from_millis(450));
        let waits = place.ask(&["intents", "last"]);
        assert!(waits.contains("waiting"), "{keys:?} approved:\n{waits}");
        // Whatever they opened is closed; a text that they were taken for is not sent.
        for _ in 0..3 {
            desk.press("\x1b");
            std::thread::sleep(Duration::from_millis(700));
        }
        desk.wait_gone("Run this command?");
    }
    assert!(place.read("effects").is_none());
    desk.press("a");
    desk.wait("Run this command?");
    desk.press_until("y", "completed");
    assert_eq!(place.read("effects").unwrap(), "x\n");
}
