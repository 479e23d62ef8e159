//! What a person sets for themselves: keys, language, signs; copying, a batch of calls, a new run from the form.

use super::desk::Place;

/// Three writes that wait side by side.
const THREE: &str = "[[steps]]\nsay = \"Three files.\"\ncalls = [\
    { name = \"write_file\", args = { path = \"a.txt\", content = \"a\" } },\
    { name = \"write_file\", args = { path = \"b.txt\", content = \"b\" } },\
    { name = \"write_file\", args = { path = \"c.txt\", content = \"c\" } }]\n[[steps]]\nsay = \"Done.\"\n";

#[test]
fn keys_language_and_signs_come_from_the_configuration() {
    let place = Place::new();
    place.config("[screen]\nlang = \"zh\"\nglyphs = \"ascii\"\n[keys]\npanel_focus = [\"F1\", \"F2\", \"F3\", \"F4\", \"F5\", \"F6\"]\n");
    let desk = place.open(120, 40, &[]);
    desk.wait("离线模型");
    desk.press("\r");
    desk.wait("等你处理");
    assert!(!desk.shows("│") && !desk.shows("┏"), "{}", desk.screen());
    desk.press("3");
    desk.wait("此键在这里无效");
    // F5
    desk.press("\x1b[15~");
    desk.wait("= 5 计划");
    desk.kill();
}

#[test]
fn two_of_three_calls_are_marked_and_approved_together() {
    let place = Place::new();
    place.script(THREE);
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("3 calls wait");
    desk.press("3");
    desk.press(" ");
    desk.wait("1 marked");
    desk.press("j");
    desk.press("j");
    desk.press(" ");
    desk.wait("2 marked");
    desk.press("M");
    desk.wait("Approve these 2 calls?");
    desk.wait("a.txt");
    desk.press_until("y", "1 call wait");
    // Effects go in their order: what stands behind the open question waits for it.
    desk.until("the first is written", || place.read("a.txt").is_some());
    assert!(place.read("b.txt").is_none());
    desk.until("the other decision is taken", || {
        let stored = place.ask(&["intents", "last"]);
        stored.contains("approved") && stored.contains("waiting")
    });
    desk.press("a");
    desk.wait("Make this file?");
    desk.press_till("y", "all are written", || place.read("c.txt").is_some());
    assert!(place.read("b.txt").is_some());
    desk.kill();
}

#[test]
fn a_copy_reaches_the_terminals_clipboard() {
    let place = Place::new();
    let desk = place.waiting(120, 40);
    desk.press("4");
    desk.press("y");
    desk.wait("Copied to the terminal");
    desk.press("6y");
    desk.wait("14 characters");
    let run = place.ask(&["runs", "--json"]);
    assert!(run.contains("r-"), "{run}");
    desk.kill();
}

#[test]
fn a_new_run_begins_from_the_form_with_limits_of_its_own_and_a_draft_stays() {
    let place = Place::new();
    place.script("[[steps]]\nsay = \"Nothing to do.\"\n");
    let desk = place.open(100, 30, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("completed");
    desk.press("n");
    desk.wait("New run");
    desk.press("Sort the photos");
    desk.wait("Sort the photos");
    desk.press("\x1b");
    desk.wait("The draft is kept");
    desk.press("n");
    desk.wait("Sort the photos");
    for _ in 0..6 {
        desk.press("\t");
    }
    desk.press("\x1b[F");
    desk.press(" · 7 steps");
    desk.wait("· 7 steps");
    desk.press("\x0f");
    desk.wait("/7");
    assert!(place.ask(&["runs"]).contains("Sort the photos"));
    desk.kill();
}

#[test]
fn a_new_run_begins_in_the_folder_that_was_written_last() {
    let place = Place::new();
    place.script("[[steps]]\nsay = \"One file.\"\n\
        calls = [{ name = \"write_file\", args = { path = \"a.txt\", content = \"a\" } }]\n[[steps]]\nsay = \"Done.\"\n");
    place.config("[approval]\nmode = \"auto\"\n");
    let desk = place.open(100, 30, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("completed");
    std::fs::remove_file(place.workspace().join("a.txt")).unwrap();
    std::fs::create_dir(place.workspace().join("other")).unwrap();
    desk.press("n");
    desk.wait("New run");
    desk.press("Sort the photos");
    desk.press("\t\t\t");
    desk.press("\x1b[F");
    desk.press("/othe");
    desk.wait("/othe");
    // The focus is still in the field.
    desk.press("\x0f");
    desk.wait("Workspace: No such file");
    assert!(!place.ask(&["runs"]).contains("Sort the photos"));
    desk.press("r");
    // The begin of the path stands above the row that is seen.
    desk.wait("↑other");
    desk.press("\x0f");
    desk.until("the file stands there", || place.read("other/a.txt").is_some());
    assert!(place.read("a.txt").is_none());
    desk.kill();
}

#[test]
fn an_approval_is_for_the_file_that_was_shown() {
    let place = Place::new();
    place.script(
        "[[steps]]\nsay = \"One file.\"\ncalls = [\
         { name = \"write_file\", args = { path = \"new.txt\", content = \"short\\n\" } }]\n[[steps]]\nsay = \"Done.\"\n",
    );
    let over = place.workspace().join("over.txt");
    std::fs::write(&over, "first\nsecond\n").unwrap();
    let editor = place.workspace().join("editor");
    std::fs::write(&editor, "#!/bin/sh\nsed -i s/new.txt/over.txt/ \"$1\"\n").unwrap();
    let desk = place.waiting_with(100, 30, &[("EDITOR", &format!("sh {}", editor.display()))]);
    // With another path it is another change, and that one is shown.
    desk.press("e");
    desk.wait("Edit the call");
    desk.press("\x07");
    desk.wait("Changed: path");
    desk.press("\x0f");
    desk.wait("Change this file?");
    desk.wait("-second");
    // Somebody writes to it while it is looked at: what was seen is not what would be lost.
    std::fs::write(&over, "first\nsecond\nthird\n").unwrap();
    desk.press_till("y", "it is approved", || !desk.shows("Change this file?"));
    desk.until("it waits again", || {
        place.ask(&["intents", "last"]).contains("not as it was when this was approved")
    });
    assert_eq!(place.read("over.txt").unwrap(), "first\nsecond\nthird\n");
    desk.wait("NEEDS YOU");
    desk.press("a");
    desk.wait("-third");
    desk.wait("over.txt is not as it was");
    desk.press_till("y", "it is written", || place.read("over.txt").is_some_and(|text| text == "short\n"));
    desk.kill();
}
