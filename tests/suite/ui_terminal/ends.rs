//! Every end gives the terminal back.

use super::window::{Window, eventually};
use rustix::process::Signal;
use std::sync::atomic::Ordering;
use std::time::Instant;

fn begun() -> Window {
    let window = Window::program();
    window.await_screen("size 80x24");
    assert!(
        window.modes().contains("-icanon") && window.modes().contains("-isig"),
        "raw: {}",
        window.modes()
    );
    let screen = eventually("the frame is whole", || Some(window.screen()).filter(|s| !s.hide_cursor()));
    assert!(screen.alternate_screen() && screen.bracketed_paste());
    assert_eq!(screen.cursor_position(), (23, 79));
    window
}

/// The message is on the screen of before, not on the one that is gone.
fn assert_printed_after(window: &Window, message: &str) {
    // What the program wrote last is read a moment after its end.
    window.await_screen(message);
    let text = window.text();
    let (left, said) = (text.rfind("\x1b[?1049l").unwrap(), text.rfind(message).unwrap());
    assert!(left < said, "the message was painted over");
    assert!(window.shows(message));
}

#[test]
fn quit() {
    let mut window = begun();
    window.press("q");
    assert_eq!(window.end(), 7);
    window.assert_restored();
    window.await_screen("ended quit");
    assert_printed_after(&window, "ended quit");
}

#[test]
fn an_error_after_the_terminal_was_taken() {
    let mut window = Window::failing();
    assert_eq!(window.end(), 9);
    window.assert_restored();
    window.await_screen("ended No such file");
    assert_printed_after(&window, "ended No such file");
}

#[test]
fn what_was_ordered_before_the_end_is_carried_out_in_order() {
    let mut window = begun();
    window.press("s");
    assert_eq!(window.end(), 7);
    let log = window.log();
    let at = |line: &str| log.iter().position(|l| l == line).unwrap();
    assert!(at("slow one done") < at("second done"));
    assert!(at("second done") < log.iter().position(|l| l.starts_with("ended")).unwrap());
    window.assert_restored();
}

#[test]
fn a_panic_while_drawing() {
    let mut window = begun();
    window.press("p");
    assert_eq!(window.end(), 101);
    window.assert_restored();
    assert_printed_after(&window, "drawing failed on purpose");
}

#[test]
fn a_panic_of_another_thread_is_an_error_of_the_workstation() {
    let mut window = begun();
    window.press("t");
    assert_eq!(window.end(), 8);
    window.assert_restored();
    assert_printed_after(&window, "another thread failed on purpose");
    assert!(window.log().iter().any(|line| line.starts_with("ended fault: an internal error")));
}

#[test]
fn signals_are_messages() {
    for (signal, told) in [(Signal::TERM, "Terminate"), (Signal::HUP, "Hangup"), (Signal::INT, "Interrupt")] {
        let mut window = begun();
        window.signal(signal);
        assert_eq!(window.end(), 7, "{told}");
        assert!(window.logged(told));
        window.assert_restored();
    }
}

/// It saves for a second before it ends: that is when a loop on the dead terminal would burn the processor.
fn assert_saved_calmly(window: &Window, since: Instant) {
    let (how, cpu) = window.ended();
    assert!(since.elapsed().as_secs() < 5);
    assert!(window.logged("Hangup"));
    assert_eq!(how, "saved");
    assert!(cpu < 0.5, "{cpu} s of processor time");
    assert_eq!(window.log().iter().filter(|line| *line == "Hangup").count(), 1);
}

#[test]
fn a_closed_window_ends_the_program_within_seconds() {
    let mut window = begun();
    let begin = Instant::now();
    window.close();
    assert_saved_calmly(&window, begin);
    window.end();
}

/// The leader of the session has the signal and ignores it: the end of the input is all that the program gets.
#[test]
fn the_end_of_input_is_enough() {
    let script = "trap '' HUP; $RUN; echo $? > code; while ! test -e go; do sleep 0.02; done";
    let mut window = Window::shell(&["sh", "-c", script]);
    window.await_screen("size 80x24");
    let begin = Instant::now();
    window.close();
    assert_saved_calmly(&window, begin);
    std::fs::write(window.dir.path().join("go"), "").unwrap();
    window.end();
}

#[test]
fn keyboard_flags_are_taken_back_where_the_terminal_knows_them() {
    let mut window = Window::answering();
    eventually("the flags are on", || window.text().contains("\x1b[>1u").then_some(()));
    window.press("\x1b[27u\x1b[97;5u\x1b[97;5:3u");
    window.await_log("key Char('a') ctrl");
    assert!(window.logged("key Esc"));
    window.press("q");
    assert_eq!(window.end(), 7);
    window.assert_restored();
    let text = window.text();
    let (keys, screen) = (text.rfind("\x1b[<1u").unwrap(), text.rfind("\x1b[?1049l").unwrap());
    assert!(keys < screen, "the flags are of the alternate screen");
    assert_eq!(text.matches("\x1b[>1u").count(), 1);
}

#[test]
fn where_the_terminal_does_not_answer_no_flags_are_set() {
    let mut window = begun();
    window.press("q");
    window.end();
    assert!(!window.text().contains("\x1b[>1u") && !window.text().contains("\x1b[<1u"));
}

#[test]
fn a_terminal_that_takes_no_bytes_cannot_hold_the_program() {
    let window = begun();
    window.stalled.store(true, Ordering::Relaxed);
    // More than the kernel keeps for the terminal.
    for size in (100..220).chain(100..220) {
        window.resize(size, 60);
        window.await_log(&format!("Resize({size}, 60)"));
    }
    window.signal(Signal::TERM);
    let begin = Instant::now();
    assert_eq!(window.ended().0, "told");
    assert!(begin.elapsed().as_secs() < 5);
    window.stalled.store(false, Ordering::Relaxed);
}

#[test]
fn what_is_done_outside_has_a_terminal_of_its_own() {
    let mut window = begun();
    window.press("o");
    window.await_log("back");
    window.await_screen("last back");
    let text = window.text();
    let (left, said) = (text.find("\x1b[?1049l").unwrap(), text.find("outside the screen").unwrap());
    assert!(left < said && said < text.rfind("\x1b[?1049h").unwrap());
    window.press("q");
    assert_eq!(window.end(), 7);
    window.assert_restored();
}
