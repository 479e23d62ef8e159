//! A workstation with nothing to do does nothing: the store is looked at a few times a second, and a clock that is shown
//! is drawn once a second.

use super::desk::{Desk, Place, ticks, wakes};
use super::jobs;
use std::time::{Duration, UNIX_EPOCH};

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
/// Frames that are drawn to learn what one costs.
const FRAMES: u64 = 60;

fn frames(desk: &Desk) -> usize {
    String::from_utf8_lossy(&desk.bytes()).matches("\x1b[?2026l").count()
}

/// Ticks that so many frames cost this build on this machine now: what idleness is held against, since ticks alone say
/// more of the machine than of the program.
fn drawn(desk: &Desk) -> u64 {
    let ticked = ticks(desk.pid());
    for nth in 0..FRAMES {
        let before = frames(desk);
        desk.press(if nth % 2 == 0 { "2" } else { "3" });
        desk.until("a frame", || frames(desk) > before);
    }
    ticks(desk.pid()) - ticked
}

fn cost(desk: &Desk) -> Cost {
    let frames = || frames(desk);
    // What is under way, and news at the foot, come to their end.
    std::thread::sleep(Duration::from_secs(7));
    // At each minute the time of day is drawn.
    let until_the_minute = || 60 - UNIX_EPOCH.elapsed().unwrap().as_secs() % 60;
    while until_the_minute() < SECONDS + 3 {
        std::thread::sleep(Duration::from_millis(200));
    }
    let (ticked, woke, drawn) = (ticks(desk.pid()), wakes(desk.pid()), frames());
    std::thread::sleep(Duration::from_secs(SECONDS));
    let cost =
        Cost { ticks: ticks(desk.pid()) - ticked, wakes: wakes(desk.pid()) - woke, frames: frames() - drawn };
    println!("{} ticks, {} wakes, {} frames in {SECONDS} s", cost.ticks, cost.wakes, cost.frames);
    cost
}

/// Holds an idle workstation to `frames` written at most, `wakes`, and processor time of at most `halves` half frames a
/// second. The load of other processes only adds to it, so that the best of three looks counts.
fn assert_idle(desk: &Desk, most_frames: usize, most_wakes: u64, halves: u64) {
    let mut seen = Vec::new();
    for _ in 0..3 {
        let cost = cost(desk);
        assert!(cost.frames <= most_frames, "{} frames", cost.frames);
        assert!(cost.wakes <= most_wakes, "{} wakes", cost.wakes);
        let drawn = drawn(desk);
        if 2 * cost.ticks * FRAMES <= halves * SECONDS * drawn {
            return;
        }
        seen.push(format!("{} ticks, and {drawn} for {FRAMES} frames", cost.ticks));
    }
    panic!("it does not rest: {}", seen.join("; "));
}

#[test]
fn waiting_for_a_person_costs_nothing() {
    let place = Place::new();
    let desk = place.waiting(120, 40);
    // The clock is drawn once a second, with everything gone from the caches, beside four looks at the store.
    assert_idle(&desk, 6, 120, 12);
}

#[test]
fn what_is_over_costs_nothing() {
    let place = Place::playing(jobs::SHORT);
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("completed");
    assert_idle(&desk, 0, 80, 5);
}
