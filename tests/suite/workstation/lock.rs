//! Another program holds the database: keys live on, the screen says what is the matter, and what was decided is stored
//! once when the lock is gone. Held from before the start, it keeps the runs away and not the screen.

use super::desk::{Desk, Place};
use super::place::events;
use rusqlite::Connection;
use rustix::process::Signal;
use std::time::{Duration, Instant};
use wakeful::run::Event;

/// How long it is held: longer than a single try of the store takes if the long variant is asked for.
fn long() -> Duration {
    let long = std::env::var_os("WAKEFUL_TEST_LONG").is_some();
    Duration::from_secs(if long { 30 } else { 3 })
}

pub fn lock(place: &Place) -> Connection {
    let conn = Connection::open(place.db()).unwrap();
    conn.busy_timeout(Duration::from_secs(5)).unwrap();
    conn.execute_batch("BEGIN EXCLUSIVE").unwrap();
    conn
}

#[test]
fn a_decision_while_the_database_is_locked_is_stored_once_when_it_is_free() {
    let place = Place::new();
    let desk = place.waiting(120, 40);
    let held = lock(&place);
    let begun = Instant::now();
    desk.press("a");
    desk.wait("leave waiting");
    desk.press_till("y", "it is approved", || !desk.shows("leave waiting"));
    assert!(begun.elapsed() < Duration::from_secs(20), "{}", desk.screen());
    desk.wait("NOT SAVED YET");
    while begun.elapsed() < long() {
        desk.press("?");
        desk.wait("type to filter");
        desk.press("\x1b");
        desk.wait_gone("type to filter");
        for (key, focused) in [("2", "━ 2 Context"), ("4", "━ 4 Checkpoints"), ("1", "━ 1 Loop")] {
            desk.press(key);
            desk.wait(focused);
        }
        desk.press("kk");
        desk.press(">");
        assert!(desk.shows("NOT SAVED YET"), "{}", desk.screen());
    }
    assert!(place.read("wakeful-report.md").is_none());
    drop(held);
    desk.wait_gone("NOT SAVED YET");
    desk.wait("completed");
    assert!(place.read("wakeful-report.md").is_some());
    let approved = events(&place).into_iter().filter(|event| matches!(event, Event::CallApproved { .. }));
    let waited = events(&place).into_iter().filter(|event| matches!(event, Event::CallWaiting { .. }));
    assert!(waited.count() == 1 && approved.count() >= 1);
    desk.press("q");
    assert_eq!(desk.end(), 0);
}

#[test]
fn a_run_at_work_goes_on_after_the_lock() {
    let place = Place::playing(&super::jobs::slow_lines(20));
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.until("it works", || place.read("effects").is_some());
    let held = lock(&place);
    let begun = Instant::now();
    while begun.elapsed() < long() {
        desk.press("?");
        desk.wait("type to filter");
        desk.press("\x1b");
        desk.wait_gone("type to filter");
    }
    drop(held);
    desk.wait("completed");
    let all: Vec<String> = (1..=20).map(|i| i.to_string()).collect();
    assert_eq!(place.read("effects").unwrap().lines().collect::<Vec<_>>(), all, "each effect once, in order");
}

/// Holds the whole file, so that nobody else can even look into it.
fn lock_away(place: &Place) -> Connection {
    assert_eq!(place.ask(&["runs", "--json"]).trim(), "[]", "the database is there");
    let conn = Connection::open(place.db()).unwrap();
    conn.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    conn
}

/// What the screen says while another process holds the database.
pub const HELD: &str = "Another process holds the database, since ";

pub fn held_away(place: &Place, size: (u16, u16), args: &[&str], said: &str) -> (Connection, Desk) {
    let held = lock_away(place);
    let desk = place.open(size.0, size.1, args);
    desk.wait(said);
    (held, desk)
}

#[test]
fn a_database_that_is_held_at_the_start_keeps_no_screen_away_and_it_goes_on_once_it_is_free() {
    let place = Place::new();
    let (held, desk) = held_away(&place, (120, 40), &[], HELD);
    desk.press("?");
    desk.wait("type to filter");
    desk.press("\x1b");
    desk.wait_gone("type to filter");
    desk.press("n");
    desk.wait("Not yet: another process holds the database.");
    desk.wait("(0:02)");
    drop(held);
    desk.wait("offline model");
    desk.wait_gone(HELD);
    desk.press("\r");
    desk.wait("NEEDS YOU");
    desk.press("q");
    desk.wait("Leave wakeful?");
    desk.press("s");
    assert_eq!(desk.end(), 0);
}

#[test]
fn a_run_that_waited_behind_a_held_database_comes_up_by_itself() {
    let place = Place::new();
    let mut desk = place.waiting(120, 40);
    desk.press("\x03\x03");
    desk.ended();
    let held = Connection::open(place.db()).unwrap();
    held.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    let desk = place.open(80, 24, &["--lang", "zh"]);
    desk.wait("数据库被另一进程占用");
    desk.resize(30, 8);
    desk.wait("数据库被另一");
    desk.wait("需要 40×10");
    desk.resize(120, 40);
    drop(held);
    desk.wait("等你处理");
    desk.wait("wakeful-report.md");
    desk.kill();
}

#[test]
fn a_database_that_stays_held_ends_a_command_with_the_reason_and_the_screen_waits_on() {
    let place = Place::new();
    let (held, desk) = held_away(&place, (120, 40), &[], HELD);
    let text = place.ask(&["runs"]);
    assert!(text.contains("stayed locked by another process for 1"), "{text}");
    assert!(text.contains("nothing was written. Try again, or end the process that holds it"), "{text}");
    // Longer than a command waits.
    desk.wait(HELD);
    desk.press("?");
    desk.wait("type to filter");
    desk.press("\x1b");
    desk.wait_gone("type to filter");
    drop(held);
    desk.wait_gone(HELD);
    desk.wait("offline model");
    desk.press("q");
    assert_eq!(desk.end(), 0);
}

/// Left with a key it is no failure, whether help was open or not; told to end it is saved as ever.
#[test]
fn a_start_behind_a_held_database_can_be_left() {
    let place = Place::new();
    let (held, mut desk) = held_away(&place, (80, 24), &[], "! Another process holds the database");
    desk.press("q");
    assert_eq!(desk.ended(), 0);
    desk.assert_restored();
    let mut desk = place.open(120, 40, &[]);
    desk.wait(HELD);
    desk.press("?");
    desk.wait("type to filter");
    desk.press("\x03");
    assert_eq!(desk.ended(), 0);
    desk.assert_restored();
    let mut desk = place.open(120, 40, &[]);
    desk.wait(HELD);
    desk.signal(Signal::TERM);
    assert_eq!(desk.ended(), 130);
    desk.assert_restored();
    drop(held);
}

/// The database is held when a run is to begin: the form says so, stays as it was sent, and Esc takes the start back at once.
#[test]
fn a_start_while_the_database_is_held_is_told_and_taken_back_at_once() {
    let place = Place::new();
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("n");
    desk.wait("What is to be reached");
    desk.press("Sort the photos");
    desk.wait("Sort the photos");
    let held = lock(&place);
    desk.press("\x0f");
    desk.wait(HELD);
    desk.wait("Esc gives up");
    desk.press("xyz");
    desk.wait("It was sent as it stands");
    let pressed = Instant::now();
    desk.press("\x1b");
    desk.wait("Given up; no run was started.");
    assert!(pressed.elapsed() < Duration::from_secs(3), "Esc came late");
    assert!(!desk.shows("photosxyz"), "{}", desk.screen());
    drop(held);
    // What was taken back does not begin when the lock is gone; a new start does, once.
    assert_eq!(place.ask(&["runs", "--json"]).trim(), "[]");
    let held = lock(&place);
    desk.press("\x0f");
    desk.wait(HELD);
    drop(held);
    desk.wait("Sort the photos · r-");
    assert_eq!(place.ask(&["runs", "--json"]).matches("\"id\"").count(), 1);
    desk.kill();
}
