//! A workstation with nothing to do does nothing: the store is looked at a few times a second, and a clock that is shown
//! is drawn once a second.

use super::desk::{Desk, Place, ticks, wakes};
use super::jobs;
use std::time::Duration;

/// What some seconds cost.
struct Cost {
    /// Processor time, in ticks of 10 ms. Most of it is the drawing of a build that is not optimized.
    ticks: u64,
    /// How often a thread woke up.
    wakes: u64,
    /// Frames that were written.
    frames: usize,
}

const SECONDS: u64 = 5;
/// More ticks than a machine under load makes of some drawing, far fewer than a loop that never rests: a fifth of the time.
const BUSY: u64 = SECONDS * 100 / 5;

fn cost(desk: &Desk) -> Cost {
    let frames = || String::from_utf8_lossy(&desk.bytes()).matches("\x1b[?2026l").count();
    // What is under way, and news at the foot, come to their end.
    std::thread::sleep(Duration::from_secs(7));
    let (ticked, woke, drawn) = (ticks(desk.pid()), wakes(desk.pid()), frames());
    std::thread::sleep(Duration::from_secs(SECONDS));
    let cost =
        Cost { ticks: ticks(desk.pid()) - ticked, wakes: wakes(desk.pid()) - woke, frames: frames() - drawn };
    println!("{} ticks, {} wakes, {} frames in {SECONDS} s", cost.ticks, cost.wakes, cost.frames);
    cost
}

#[test]
fn waiting_for_a_person_costs_nothing() {
    let place = Place::new();
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("NEEDS YOU");
    let cost = cost(&desk);
    assert!(cost.frames <= 6, "the clock is drawn once a second");
    assert!(cost.ticks <= BUSY && cost.wakes <= 400);
}

#[test]
fn what_is_over_costs_nothing() {
    let place = Place::playing(jobs::SHORT);
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("completed");
    let cost = cost(&desk);
    assert_eq!(cost.frames, 0);
    assert!(cost.ticks <= BUSY && cost.wakes <= 300);
}
