//! Another program holds the database: keys live on, the screen says what is the matter, and what was decided is stored
//! once when the lock is gone.

use super::desk::Place;
use super::place::events;
use rusqlite::Connection;
use std::time::{Duration, Instant};
use wakeful::run::Event;

/// How long it is held: longer than a single try of the store takes if the long variant is asked for.
fn long() -> Duration {
    let long = std::env::var_os("WAKEFUL_TEST_LONG").is_some();
    Duration::from_secs(if long { 30 } else { 3 })
}

fn lock(place: &Place) -> Connection {
    let conn = Connection::open(place.db()).unwrap();
    conn.busy_timeout(Duration::from_secs(5)).unwrap();
    conn.execute_batch("BEGIN EXCLUSIVE").unwrap();
    conn
}

#[test]
fn a_decision_while_the_database_is_locked_is_stored_once_when_it_is_free() {
    let place = Place::new();
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("NEEDS YOU");
    let held = lock(&place);
    let begun = Instant::now();
    desk.press("a");
    desk.wait("leave waiting");
    while desk.shows("leave waiting") {
        desk.press("y");
        std::thread::sleep(Duration::from_millis(60));
        assert!(begun.elapsed() < Duration::from_secs(20), "{}", desk.screen());
    }
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
