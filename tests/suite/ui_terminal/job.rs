//! Ctrl-Z, `fg` and `bg` under real shells: one that tells a running job that it is in the foreground again, and one
//! that does not.

use super::window::{Window, eventually};
use rustix::process::Signal;

fn started(shell: &[&str]) -> Window {
    let window = Window::shell(shell);
    window.await_screen("READY> ");
    window.press("stty -a > before; $RUN\r");
    window.await_screen("size 80x24");
    window
}

fn shells() -> impl Iterator<Item = &'static [&'static str]> {
    let all: [&[&str]; 2] = [&["bash", "--norc", "--noprofile", "-i"], &["dash", "-i"]];
    all.into_iter().filter(|shell| std::process::Command::new(shell[0]).arg("-c").arg(":").status().is_ok())
}

/// The process as the kernel sees it: `T` is stopped.
fn state(window: &Window) -> char {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", window.pid().as_raw_nonzero())).unwrap();
    stat.rsplit_once(") ").unwrap().1.chars().next().unwrap()
}

/// Types a command that prints a word which the typed line does not have.
fn shell_says(window: &Window, word: &str) {
    let (head, tail) = word.split_at(1);
    window.press(&format!("echo {head}''{tail}\r"));
    window.await_screen(word);
}

fn suspend(window: &Window) {
    window.press("\x1a");
    eventually("it stops", || (state(window) == 'T').then_some(()));
    window.assert_switched_off();
}

fn taken(window: &Window) -> usize {
    window.text().matches("\x1b[?1049h").count()
}

fn leave(window: &Window) {
    window.press("q");
    eventually("it ends", || window.log().iter().any(|l| l.starts_with("ended quit")).then_some(()));
    window.await_screen("ended quit");
    shell_says(window, "prompt");
    window.press("stty -a > after\r");
    shell_says(window, "written");
    let modes = |name: &str| std::fs::read_to_string(window.dir.path().join(name)).unwrap();
    assert_eq!(modes("before"), modes("after"));
    window.assert_switched_off();
}

#[test]
fn stopped_and_continued() {
    for shell in shells() {
        let window = started(shell);
        suspend(&window);
        shell_says(&window, "shell");
        let before = taken(&window);
        window.press("fg\r");
        eventually("it is back", || (taken(&window) == before + 1).then_some(()));
        window.await_screen("size 80x24");
        assert!(!window.shows("shell"), "everything is drawn again");
        window.press("k");
        window.await_log("key Char('k')");
        // And again: nothing is left over from the first time.
        suspend(&window);
        window.press("fg\r");
        eventually("it is back", || (taken(&window) == before + 2).then_some(()));
        window.await_screen("size 80x24");
        leave(&window);
    }
}

#[test]
fn in_the_background_the_terminal_is_the_shells() {
    for shell in shells() {
        let window = started(shell);
        suspend(&window);
        let before = taken(&window);
        window.press("bg\r");
        eventually("it goes on", || (state(&window) != 'T').then_some(()));
        for word in ["one", "two", "three", "four"] {
            shell_says(&window, word);
        }
        // Longer than it takes to ask who has the terminal.
        let wakes = window.wakes();
        eventually("it works on", || (window.wakes() > wakes + 40).then_some(()));
        shell_says(&window, "quick");
        assert_ne!(state(&window), 'T', "it was not stopped for touching the terminal");
        assert_eq!(taken(&window), before, "it wrote to a terminal that it does not have");
        assert!(
            !window.log().iter().any(|line| line.contains("Char('e')")),
            "it read what was typed to the shell"
        );
        window.assert_switched_off();
        window.press("fg\r");
        eventually("it is back", || (taken(&window) == before + 1).then_some(()));
        window.await_screen("size 80x24");
        window.press("k");
        window.await_log("key Char('k')");
        leave(&window);
    }
}

#[test]
fn ended_while_stopped_or_in_the_background() {
    let window = started(&["bash", "--norc", "--noprofile", "-i"]);
    suspend(&window);
    window.press("bg\r");
    eventually("it goes on", || (state(&window) != 'T').then_some(()));
    let before = taken(&window);
    window.signal(Signal::TERM);
    eventually("it ends", || window.log().iter().any(|l| l.starts_with("ended told")).then_some(()));
    shell_says(&window, "prompt");
    assert_eq!(taken(&window), before);
    window.assert_switched_off();
}

#[test]
fn a_stop_from_outside_is_recovered_from() {
    let window = started(&["bash", "--norc", "--noprofile", "-i"]);
    window.signal(Signal::STOP);
    eventually("the shell has the terminal", || window.text().contains("Stopped").then_some(()));
    let before = taken(&window);
    window.press("fg\r");
    eventually("it is back", || (taken(&window) == before + 1).then_some(()));
    window.press("k");
    window.await_log("key Char('k')");
    leave(&window);
}

#[test]
fn without_a_shell_it_does_not_stop_for_ever() {
    let mut window = Window::program();
    window.await_screen("size 80x24");
    window.press("\x1a");
    eventually("it is back", || (taken(&window) == 2).then_some(()));
    window.press("q");
    assert_eq!(window.end(), 7);
    window.assert_restored();
}
