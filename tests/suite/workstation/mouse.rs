//! The mouse in a real terminal: what the terminal sends for a click opens dialogs and never approves.

use super::desk::{Desk, Place};
use super::jobs;

/// The cell at which a text stands on the screen, from 1.
fn cell(desk: &Desk, text: &str) -> (usize, usize) {
    desk.wait(text);
    let screen = desk.screen();
    let mut lines = screen.lines().enumerate();
    let found = lines.find_map(|(row, line)| line.find(text).map(|at| (row, &line[..at]))).unwrap();
    // What stands before it here is one cell a character.
    (found.1.chars().count() + 1, found.0 + 1)
}

fn press(desk: &Desk, (column, row): (usize, usize)) {
    desk.press(&format!("\x1b[<0;{column};{row}M"));
}

fn release(desk: &Desk, (column, row): (usize, usize)) {
    desk.press(&format!("\x1b[<0;{column};{row}m"));
}

fn click(desk: &Desk, text: &str) {
    let at = cell(desk, text);
    press(desk, at);
    release(desk, at);
}

#[test]
fn clicks_open_and_leave_and_only_the_key_approves() {
    let place = Place::new();
    place.script(jobs::ONE_EFFECT);
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    click(&desk, "Enter");
    desk.wait("NEEDS YOU");
    // Pressed on the button and let go beside it: nothing.
    press(&desk, cell(&desk, "a review"));
    release(&desk, (3, 20));
    click(&desk, "? help");
    desk.wait("Help · ");
    assert!(!desk.shows("Run this command?"), "{}", desk.screen());
    click(&desk, "Esc close");
    desk.wait_gone("Help · ");
    click(&desk, "a review");
    desk.wait("Run this command?");
    // What is no report of a mouse is dropped, and is no Esc.
    for code in
        ["\x1b[<M", "\x1b[<0M", "\x1b[<0;1M", "\x1b[<0;1;M", "\x1b[<;;m", "\x1b[<0;1;1X", "\x1b[<1;2;3;4M"]
    {
        desk.press(code);
    }
    desk.press("\x1b[<0;1;");
    std::thread::sleep(std::time::Duration::from_millis(700));
    desk.press("\x1b[<M");
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(desk.shows("Run this command?"), "{}", desk.screen());
    click(&desk, "y run");
    desk.wait("This takes the key y");
    assert!(desk.shows("Run this command?") && place.read("effects").is_none());
    click(&desk, "Esc leave waiting");
    desk.wait_gone("Run this command?");
    assert!(place.read("effects").is_none());
    click(&desk, "a review");
    desk.wait("Run this command?");
    desk.press_until("y", "completed");
    assert_eq!(place.read("effects").as_deref(), Some("x\n"));
    desk.kill();
}
