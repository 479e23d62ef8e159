//! The bell rings for who does not look, once for one thing, and says what for; the title tells it all the while.

use super::desk::{Desk, Place};
use super::jobs::ONE_EFFECT;

/// The notifications that the terminal was asked to show, in their order.
fn notifications(desk: &Desk) -> Vec<String> {
    let text = String::from_utf8_lossy(&desk.bytes()).into_owned();
    let rest = text.split("\x1b]9;").skip(1);
    rest.map(|rest| rest.split('\x07').next().unwrap_or_default().to_owned()).collect()
}

/// How often it rang: bells that end no sequence.
fn rings(desk: &Desk) -> usize {
    let text = String::from_utf8_lossy(&desk.bytes()).into_owned();
    text.matches('\x07').count() - notifications(desk).len()
}

/// The last title that was set.
fn title(desk: &Desk) -> String {
    let text = String::from_utf8_lossy(&desk.bytes()).into_owned();
    let last = text.rsplit("\x1b]2;").next().unwrap_or_default();
    last.split("\x1b\\").next().unwrap_or_default().to_owned()
}

fn begun(place: &Place) -> Desk {
    place.script(ONE_EFFECT);
    place.open(80, 24, &[])
}

#[test]
fn who_does_not_look_is_called_once_for_what_waits_and_once_for_the_end() {
    let place = Place::new();
    let desk = begun(&place);
    desk.wait("offline model");
    // The terminal tells that it lost the focus.
    desk.press("\x1b[O");
    desk.press("\r");
    desk.until("it rings", || rings(&desk) == 1);
    desk.wait("NEEDS YOU");
    desk.until("it says what for", || notifications(&desk).len() == 1);
    let said = notifications(&desk).remove(0);
    assert!(said.starts_with("wakeful: ! 1 · "), "{said}");
    desk.until("the title tells it", || title(&desk).starts_with("! 1 · "));
    assert!(said.ends_with(title(&desk).trim_start_matches("! 1 · ")), "{said} and {}", title(&desk));
    // Other keys and frames do not ring for it again. What comes within two seconds would be one with it.
    for key in ["1", "2", "3", "?", "\x1b"] {
        desk.press(key);
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    assert_eq!(rings(&desk), 1);
    // Decided from elsewhere: the end is another thing, and told by another word.
    let call = place.ask(&["intents", "last", "--json"]);
    let call: serde_json::Value = serde_json::from_str(&call).unwrap();
    let id = call[0]["call_id"].as_str().unwrap().to_owned();
    let said = place.ask(&["approve", &id]);
    desk.until(&format!("it rings for the end: {said}"), || rings(&desk) == 2);
    desk.wait("completed");
    desk.until("it says what for", || notifications(&desk).len() == 2);
    let said = notifications(&desk).remove(1);
    assert!(said.starts_with("wakeful: done: "), "{said}");
    desk.until("the title tells it", || title(&desk).ends_with(" · wakeful"));
    desk.kill();
}

#[test]
fn who_looks_is_not_rung_for_and_the_title_comes_back_at_the_end() {
    let place = Place::new();
    let mut desk = begun(&place);
    desk.wait("offline model");
    // The terminal tells that it has the focus.
    desk.press("\x1b[I");
    desk.press("\r");
    desk.wait("NEEDS YOU");
    desk.until("the title tells it", || title(&desk).starts_with("! 1 · "));
    desk.press("a");
    desk.wait("Run this command?");
    desk.press_until("y", "completed");
    assert_eq!((rings(&desk), notifications(&desk).len()), (0, 0));
    desk.press("q");
    assert_eq!(desk.ended(), 0);
    desk.assert_restored();
    let sent = String::from_utf8_lossy(&desk.bytes()).into_owned();
    assert_eq!((sent.matches("\x1b[22;2t").count(), sent.matches("\x1b[23;2t").count()), (1, 1));
    assert!(sent.find("\x1b[22;2t") < sent.find("\x1b]2;"), "the title of before is kept before ours is set");
    assert!(sent.rfind("\x1b]2;") < sent.rfind("\x1b[23;2t"), "and comes back after the last of ours");
}
