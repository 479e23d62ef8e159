//! However the workstation ends or stops, the terminal is as it was, nothing is left running, and the run goes on from
//! where it was saved.

use super::desk::{Desk, Place, eventually, signal_to, stat};
use super::jobs;
use rustix::process::Signal;

fn assert_nothing_left(place: &Place) {
    eventually("nothing is left running", || place.processes().is_empty());
}

/// The same call waits, and the job can be brought to its end.
fn assert_goes_on(place: &Place) {
    assert!(place.ask(&["show", "last"]).contains("waits"), "{}", place.ask(&["show", "last"]));
    let desk = place.open(120, 40, &[]);
    desk.wait("NEEDS YOU");
    desk.press("a");
    desk.wait("leave waiting");
    desk.press_until("y", "completed");
    desk.press("q");
    assert_eq!(desk.end(), 0);
    assert!(place.read("wakeful-report.md").is_some());
}

/// What is printed at the end stands on the screen of before.
fn assert_printed_after(desk: &Desk, message: &str) {
    desk.wait(message);
    let text = String::from_utf8_lossy(&desk.bytes()).into_owned();
    let (left, said) = (text.rfind("\x1b[?1049l").unwrap(), text.rfind(message).unwrap());
    assert!(left < said, "the message was painted over");
}

#[test]
fn quit() {
    let place = Place::new();
    let mut desk = place.waiting(120, 40);
    desk.press("q");
    desk.wait("Leave wakeful?");
    desk.press("s");
    assert_eq!(desk.ended(), 0);
    desk.assert_restored();
    assert_nothing_left(&place);
    assert_goes_on(&place);
}

#[test]
fn handing_over_says_what_goes_on_and_how_to_come_back() {
    let place = Place::new();
    let mut desk = place.waiting(120, 40);
    desk.press("q");
    desk.wait("Leave wakeful?");
    desk.press("w");
    assert_eq!(desk.ended(), 0);
    desk.assert_restored();
    assert_printed_after(&desk, "goes on without a screen: Survey this folder");
    desk.wait("`wakeful` brings you back to it");
    eventually("a worker has it", || place.ask(&["show", "last"]).contains(", alive"));
    place.ask(&["approve", "last:4.1"]);
    eventually("it is done", || place.ask(&["show", "last"]).contains("completed"));
}

#[test]
fn a_paused_run_stays_paused_whatever_is_handed_over() {
    let place = Place::new();
    let mut desk = place.waiting(120, 40);
    desk.press("p");
    desk.wait("paused");
    desk.press("q");
    desk.wait("paused; it stays so");
    desk.wait("Leave it paused: nobody goes on with it");
    desk.press("w");
    assert_eq!(desk.ended(), 0);
    desk.assert_restored();
    assert!(place.ask(&["runs"]).contains("paused"), "{}", place.ask(&["runs"]));
    assert!(!place.ask(&["show", "last"]).contains(", alive"));
}

#[test]
fn a_command_that_is_found_running_is_the_phase_that_is_shown() {
    let place = Place::playing(&jobs::command("until [ -e go ]; do sleep 0.05; done; echo x >> effects"));
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait(" ACT ");
    desk.kill();
    let desk = place.open(120, 40, &[]);
    desk.wait(" ACT ");
    desk.wait("RUNNING · act");
    std::fs::write(place.workspace().join("go"), "").unwrap();
    desk.wait("completed");
    assert_eq!(place.read("effects").as_deref(), Some("x\n"));
    desk.kill();
}

#[test]
fn told_to_end() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let place = Place::new();
        let mut desk = place.waiting(120, 40);
        desk.signal(signal);
        assert_eq!(desk.ended(), 130);
        desk.assert_restored();
        assert_nothing_left(&place);
        assert_goes_on(&place);
    }
}

/// SIGQUIT is the abrupt end: by the signal itself, with the terminal as it was.
#[test]
fn told_to_quit_at_once() {
    let place = Place::new();
    let mut desk = place.waiting(120, 40);
    desk.signal(Signal::QUIT);
    let by = desk.ended_by().unwrap_or_default();
    assert!(by.contains("Quit"), "{by:?}");
    desk.assert_restored();
    assert_nothing_left(&place);
    assert_goes_on(&place);
}

#[test]
#[cfg(debug_assertions)]
fn a_panic_in_drawing() {
    let place = Place::new();
    let mut desk = place.waiting(120, 40);
    desk.press("\x03");
    desk.press("\x03");
    desk.ended();
    let mut desk = place.open_with(120, 40, &[], &[("WAKEFUL_FAULT", "!ui.draw:6")]);
    // Every key is a frame.
    desk.until("it fails", || {
        desk.press("j");
        desk.shows("told to panic")
    });
    assert_eq!(desk.ended(), 101);
    desk.assert_restored();
    assert_printed_after(&desk, "the fault point ui.draw was told to panic");
    assert_nothing_left(&place);
    assert_goes_on(&place);
}

#[test]
#[cfg(debug_assertions)]
fn a_panic_of_a_worker() {
    let place = Place::new();
    let mut desk = place.open_with(120, 40, &[], &[("WAKEFUL_FAULT", "!worker.claimed")]);
    desk.wait("offline model");
    desk.press("\r");
    assert_eq!(desk.ended(), 1);
    desk.assert_restored();
    assert_printed_after(&desk, "what was committed is safe");
    assert_nothing_left(&place);
    let desk = place.open(120, 40, &[]);
    desk.wait("NEEDS YOU");
}

#[test]
fn an_error_before_the_screen_leaves_the_terminal_alone() {
    let place = Place::new();
    std::fs::write(place.db(), "this is no database, and long enough to look like none").unwrap();
    let mut desk = place.open(80, 24, &[]);
    assert_eq!(desk.ended(), 6);
    desk.wait("w.db");
    assert!(!String::from_utf8_lossy(&desk.bytes()).contains('\x1b'));
}

/// What cannot be opened is named, with what is the matter and what to do, and left as it is; the terminal is not touched.
fn assert_refused(place: &Place, says: &[&str]) {
    let before = std::fs::read(place.db()).unwrap();
    let mut desk = place.open(200, 24, &[]);
    assert_eq!(desk.ended(), 6);
    desk.wait("w.db");
    assert!(!String::from_utf8_lossy(&desk.bytes()).contains('\x1b'));
    let lines = place.ask(&["runs"]);
    for text in [desk.screen().replace('\n', ""), lines.trim_end().to_owned()] {
        for part in
            [&place.db().display().to_string()].into_iter().map(String::as_str).chain(says.iter().copied())
        {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
    }
    assert!(std::fs::read(place.db()).unwrap() == before, "the file was changed");
}

/// The bytes of a database with a run in it, from this place on, are noise.
fn damaged_from(place: &Place, byte: usize) {
    place.ask(&["run", "Survey this folder", "--model", "offline", "--headless"]);
    let conn = rusqlite::Connection::open(place.db()).unwrap();
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(conn);
    noise_from(place, byte);
}

fn noise_from(place: &Place, byte: usize) {
    let mut bytes = std::fs::read(place.db()).unwrap();
    assert!(bytes.len() > byte + 8192);
    let mut noise = 0x9e37_79b9_u32;
    for byte in bytes.iter_mut().skip(byte) {
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        *byte = noise.to_le_bytes()[0];
    }
    std::fs::write(place.db(), bytes).unwrap();
}

#[test]
fn a_damaged_database_is_named_and_what_can_be_done_is_said() {
    // Its first page, which everything begins with; and all but that.
    for byte in [100, 8192] {
        let place = Place::new();
        damaged_from(&place, byte);
        assert_refused(
            &place,
            &["the database file ", " is damaged (", "Run `wakeful doctor`, or put a backup in its place"],
        );
    }
}

/// Met while the screen is there, the damage is said for good, with what to do; and what is open can be left.
#[test]
fn damage_that_is_met_later_is_said_on_the_screen_for_good() {
    let place = Place::new();
    place.ask(&["run", "Survey this folder", "--model", "offline", "--headless", "--approve", "auto"]);
    let desk = place.open(80, 24, &[]);
    desk.wait("Survey this folder");
    noise_from(&place, 8192);
    desk.press("j\r");
    desk.wait("FILE DAMAGED  Leave with q, then run `wakeful doctor`");
    desk.press("0\r");
    desk.wait("wakeful --db ");
    desk.press("\x1b");
    desk.wait_gone("wakeful --db ");
    desk.wait("FILE DAMAGED");
    desk.press("q");
    desk.kill();
}

/// One run of the database cannot be read: that is said where it would stand, and the other one is a key away.
#[test]
fn a_run_that_cannot_be_read_is_said_where_it_would_stand() {
    for (lang, what, others) in [
        ("en", "cannot be read.", "Not read: Loop says why."),
        ("zh", "无法读取任务", "未能读取：原因见“循环”。"),
    ] {
        let place = Place::new();
        place.script(jobs::SHORT);
        for goal in ["The first goal", "The second goal"] {
            place.ask(&["run", goal, "--model", "offline", "--headless"]);
        }
        let conn = rusqlite::Connection::open(place.db()).unwrap();
        conn.execute_batch(
            "DELETE FROM snapshots; \
             UPDATE events SET payload = x'7b7d' WHERE seq = 1 AND run_no = (SELECT max(run_no) FROM runs)",
        )
        .unwrap();
        drop(conn);
        let desk = place.open(120, 40, &["--lang", lang]);
        desk.wait("The second goal");
        desk.press("j\r");
        desk.wait(what);
        desk.wait(others);
        desk.wait("wakeful doctor");
        desk.press("]");
        desk.wait_gone(what);
        desk.wait("The first goal");
        desk.press("q");
        assert_eq!(desk.end(), 0);
    }
}

#[test]
fn a_database_of_another_program_is_named_and_left_alone() {
    let place = Place::new();
    let conn = rusqlite::Connection::open(place.db()).unwrap();
    conn.execute_batch("CREATE TABLE songs (name TEXT); INSERT INTO songs VALUES ('one')").unwrap();
    drop(conn);
    assert_refused(
        &place,
        &["is not a wakeful database and was left as it is", "Name another file with --db"],
    );
    // In the language of the screen that it keeps away.
    let mut desk = place.open(200, 24, &["--lang", "zh"]);
    assert_eq!(desk.ended(), 6);
    desk.wait("不是 wakeful 的数据库，未改动。请用 --db 指定别的文件");
}

/// The window goes away while a command runs: the workstation ends at once, the command under its supervisor when it is
/// done, and the next workstation takes its result in. Nothing stays behind, nothing is done twice.
#[test]
fn a_closed_window_while_a_command_runs() {
    let place = Place::playing(&jobs::command("echo on >> effects; sleep 3; echo off >> effects"));
    let mut desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    eventually("the command runs", || place.read("effects").is_some());
    desk.close();
    assert_eq!(desk.ended(), 130);
    assert_eq!(place.read("effects").unwrap(), "on\n", "it did not wait for the command");
    assert_nothing_left(&place);
    let desk = place.open(120, 40, &[]);
    desk.wait("completed");
    assert_eq!(place.read("effects").unwrap(), "on\noff\n");
}

/// A window that is closed over a run that waits, over one that works and over a screen without a run: each process is gone,
/// none turns in a circle around a terminal that it does not have.
#[test]
fn nothing_is_left_of_closed_windows() {
    let (idle, waits) = (Place::new(), Place::new());
    let works = Place::playing(&jobs::slow_lines(200));
    let begun = |place: &Place, shown: &str| {
        let desk = place.open(120, 40, &[]);
        desk.wait("offline model");
        if !shown.is_empty() {
            desk.press("\r");
            desk.wait(shown);
        }
        desk
    };
    for (place, shown) in [(&idle, ""), (&waits, "NEEDS YOU"), (&works, "RUNNING")] {
        let mut desk = begun(place, shown);
        desk.close();
        assert_eq!(desk.ended(), 130, "{shown}");
        assert_nothing_left(place);
    }
    assert_goes_on(&waits);
}

fn typed(desk: &Desk, word: &str) {
    let (head, tail) = word.split_at(1);
    desk.press(&format!("echo {head}''{tail}\r"));
    desk.wait(word);
}

fn program(place: &Place) -> i32 {
    let found = || {
        let all = place.processes();
        all.into_iter()
            .find(|(_, line)| line.contains("--config") && !line.contains("supervise"))
            .map(|p| p.0)
    };
    eventually("it runs", || found().is_some());
    found().unwrap()
}

fn state(pid: i32) -> String {
    stat(pid).unwrap().remove(0)
}

fn taken(desk: &Desk) -> usize {
    String::from_utf8_lossy(&desk.bytes()).matches("\x1b[?1049h").count()
}

/// Ctrl-Z, `fg`, Ctrl-Z, `bg`, `fg` with a run that works all the while. Stopped, the process does nothing: the command
/// that runs ends by itself and is taken in afterwards, once. In the background it works on and leaves the terminal alone.
#[test]
fn suspended_and_in_the_background_with_a_run_going_on() {
    let place = Place::playing(&jobs::slow_lines(40));
    let desk = place.shell(120, 40);
    desk.wait("READY> ");
    desk.press("stty -a > before; $RUN\r");
    desk.wait("offline model");
    desk.press("\r");
    eventually("it works", || place.read("effects").is_some());
    let pid = program(&place);
    desk.press("\x1a");
    eventually("it stops", || state(pid) == "T");
    desk.until("everything is off", || desk.left_on().is_empty());
    typed(&desk, "shell");
    // The one command in flight ends; nothing follows it.
    let lines = || place.read("effects").unwrap_or_default().lines().count();
    eventually("the command in flight ends", || {
        !place.processes().iter().any(|(_, line)| line.contains("sleep") || line.contains("supervise"))
    });
    let stopped_at = lines();
    for word in ["one", "two", "three"] {
        typed(&desk, word);
        std::thread::sleep(std::time::Duration::from_millis(150));
    }
    assert_eq!(lines(), stopped_at, "a stopped workstation began another command");
    // It was stopped between two commits: others can write.
    let said = place.ask(&["message", "last", "hello"]);
    assert!(said.contains("recorded"), "{said}");
    let before = taken(&desk);
    desk.press("fg\r");
    desk.until("it is back", || taken(&desk) == before + 1);
    desk.wait("GOAL");
    eventually("it works on", || lines() > stopped_at + 1);
    desk.press("\x1a");
    eventually("it stops", || state(pid) == "T");
    typed(&desk, "again");
    desk.press("bg\r");
    eventually("it goes on", || state(pid) != "T");
    let at = lines();
    eventually("it works in the background", || lines() > at + 2);
    typed(&desk, "quick");
    assert_eq!(taken(&desk), before + 1, "it wrote to a terminal that it does not have");
    desk.until("everything is off", || desk.left_on().is_empty());
    desk.press("fg\r");
    desk.until("it is back", || taken(&desk) == before + 2);
    desk.wait("completed");
    desk.press("q");
    desk.until("the shell is back", || desk.left_on().is_empty());
    typed(&desk, "prompt");
    desk.press("stty -a > after\r");
    eventually("written", || place.read("after").is_some_and(|text| text.contains("echo")));
    assert_eq!(place.read("before"), place.read("after"));
    let all: Vec<String> = (1..=40).map(|i| i.to_string()).collect();
    assert_eq!(place.read("effects").unwrap().lines().collect::<Vec<_>>(), all, "each effect once, in order");
    signal_to(desk.pid(), Signal::HUP);
}
