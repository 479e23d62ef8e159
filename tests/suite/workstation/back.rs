//! Looking back and going back on the screen: the choices of a rollback, a checkpoint beside now, a result that is reused.

use super::desk::{Desk, Place};

/// Three files, a command, a question; at the question.
fn at_the_question(place: &Place) -> Desk {
    place.config(
        "[limits]\ntool_calls_per_minute = 1000\n[[rule]]\ntool = \"write_file\"\nthen = \"allow\"\n",
    );
    place.script(
        "[[steps]]\nrepeat = 3\nsay = \"Part {i}.\"\n\
         calls = [{ name = \"write_file\", args = { path = \"part-{i}.txt\", content = \"{i}\\n\" } }]\n\
         [[steps]]\nsay = \"One question.\"\n\
         calls = [{ name = \"ask_person\", args = { question = \"Which colour?\" } }]\n[[steps]]\nsay = \"Done.\"\n",
    );
    place.waiting(120, 40)
}

#[test]
fn files_are_kept_and_taken_in_the_preview_and_a_checkpoint_is_compared() {
    let place = Place::new();
    let desk = at_the_question(&place);
    std::fs::write(place.workspace().join("part-3.txt"), "a person's\n").unwrap();
    // Paused, so that the agent does not write them again at once.
    desk.press("p");
    desk.wait("■ paused");
    desk.press("4");
    desk.press("jj");
    desk.press("=");
    desk.wait("Step 1 and now");
    desk.wait("2–3 since");
    desk.wait("edited by others");
    desk.wait("+a person's");
    desk.press("\u{1b}");
    desk.wait_gone("Step 1 and now");
    desk.press("r");
    desk.wait("Roll back to step 1?");
    desk.wait("made in step 2");
    desk.wait("edited by others");
    desk.wait("Preflight: the file can be put back");
    // The second one stays, the third one goes although a person changed it.
    desk.press(" ");
    desk.wait("you keep it");
    desk.wait("there is nothing to put back");
    desk.press("j ");
    desk.wait("over others' edit");
    desk.press("d");
    desk.wait("− │-a person's");
    desk.press("\u{1b}");
    desk.wait_gone("What changed");
    desk.press_until("y", "timeline 2 of 2");
    desk.until("the files are so", || place.read("part-3.txt").is_none());
    assert_eq!(place.read("part-2.txt").as_deref(), Some("2\n"));
    desk.kill();
    place.ask(&["redo", "last"]);
    assert_eq!(place.read("part-3.txt").as_deref(), Some("a person's\n"));
}

#[test]
fn a_command_that_ran_before_the_rollback_is_reused() {
    let place = Place::new();
    place.config("[approval]\nmode = \"auto\"\n");
    place.script(
        "[[steps]]\nsay = \"Run.\"\ncalls = [{ name = \"shell\", args = { command = \"echo x >> effects\" } }]\n\
         [[steps]]\nsay = \"One question.\"\n\
         calls = [{ name = \"ask_person\", args = { question = \"Which colour?\" } }]\n[[steps]]\nsay = \"Done.\"\n",
    );
    let desk = place.waiting(120, 40);
    desk.press("4");
    desk.press(">");
    desk.press("r");
    desk.wait("Roll back to step 0?");
    desk.press_until("y", "timeline 2 of 2");
    desk.wait("■ paused │");
    // The question that was given up is told of.
    desk.wait("⊘ ask_person Which colour?");
    assert!(desk.shows("ended by the rollback"), "{}", desk.screen());
    desk.press("p");
    // The keys are there once the banner names them.
    desk.wait("a review  d deny");
    desk.press("3");
    desk.press("a");
    desk.wait("Ran at step 1 of an abandoned timeline");
    desk.press_until("u", "Which colour?");
    assert_eq!(place.read("effects").as_deref(), Some("x\n"));
    desk.kill();
    assert!(place.ask(&["intents", "last"]).contains("Which colour?"));
}

#[test]
fn a_command_that_a_rollback_ends_is_told_of() {
    let place = Place::playing(
        "[[steps]]\nsay = \"One.\"\ncalls = [{ name = \"shell\", args = { command = \"echo x >> effects\" } }]\n\
         [[steps]]\nsay = \"Two.\"\n\
         calls = [{ name = \"shell\", args = { command = \"echo begun; sleep 60\" } }]\n[[steps]]\nsay = \"Done.\"\n",
    );
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("│ begun");
    desk.press("4");
    desk.press(">");
    desk.press("r");
    desk.wait("Roll back to step 0?");
    desk.press_until("y", "timeline 2 of 2");
    desk.wait("⊘ shell echo begun; sleep 60");
    assert!(desk.shows("ended by the rollback"), "{}", desk.screen());
}
