//! A workstation with nothing to do does nothing.

use super::desk::{Place, ticks};
use super::jobs;
use std::time::Duration;

/// Processor time in ticks of 10 ms, and frames, over some seconds.
fn of(desk: &super::desk::Desk, seconds: u64) -> (u64, usize) {
    let frames = || String::from_utf8_lossy(&desk.bytes()).matches("\x1b[?2026l").count();
    // What is under way comes to its end.
    std::thread::sleep(Duration::from_secs(7));
    let (before, drawn) = (ticks(desk.pid()), frames());
    std::thread::sleep(Duration::from_secs(seconds));
    (ticks(desk.pid()) - before, frames() - drawn)
}

#[test]
fn waiting_for_a_person_costs_nothing() {
    let place = Place::new();
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("NEEDS YOU");
    let (ticks, frames) = of(&desk, 5);
    println!("a call waits: {ticks} ticks and {frames} frames in 5 s");
    // A debug build draws its clock once a second.
    assert!(frames <= 6, "{frames} frames in 5 s");
    assert!(ticks <= 10, "{ticks} ticks in 5 s");
}

#[test]
fn what_is_over_costs_nothing() {
    let place = Place::playing(jobs::SHORT);
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("completed");
    let (ticks, frames) = of(&desk, 5);
    println!("a run is over: {ticks} ticks and {frames} frames in 5 s");
    assert_eq!(frames, 0);
    assert!(ticks <= 4, "{ticks} ticks in 5 s");
}
