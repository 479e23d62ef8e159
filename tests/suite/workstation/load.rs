//! A command with very much output: keys have their effect while it goes on.

use super::desk::{Desk, Place};
use super::jobs;
use std::time::{Duration, Instant};

/// Times of a key's effect: the focus goes from panel to panel.
pub fn latencies(desk: &Desk, tries: usize) -> Vec<Duration> {
    let panels = [("2", "━ 2 Context"), ("4", "━ 4 Checkpoints"), ("1", "━ 1 Loop")];
    let mut all = Vec::new();
    for (key, focused) in panels.into_iter().cycle().take(tries) {
        let begun = Instant::now();
        desk.press(key);
        while !desk.shows(focused) {
            assert!(begun.elapsed() < Duration::from_secs(20), "{focused} never came:\n{}", desk.screen());
            std::thread::sleep(Duration::from_micros(200));
        }
        all.push(begun.elapsed());
    }
    all.sort();
    all
}

/// Ten thousand lines a second, until a file says stop.
const FLOOD: &str = "until test -e stop; do seq 1 1000; sleep 0.1; done; touch over";

fn flooded() -> (Place, Desk) {
    let place = Place::playing(&jobs::command(FLOOD));
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("▸ ACT");
    (place, desk)
}

#[test]
fn ten_thousand_lines_a_second_keep_no_key_waiting() {
    let (place, desk) = flooded();
    latencies(&desk, 30);
    desk.press("?");
    desk.wait("type to filter");
    desk.press("\x1b");
    desk.wait_gone("type to filter");
    // The page of it grows, and is left at once.
    desk.press("1");
    desk.press_until("k", "▌    ▸ shell");
    desk.press("\r");
    desk.wait("running · ");
    desk.wait("┃ 999 ");
    desk.press("\x1b");
    desk.wait_gone("running · ");
    latencies(&desk, 6);
    assert!(place.read("over").is_none(), "the output still came while the keys were heard");
    std::fs::write(place.workspace().join("stop"), "").unwrap();
    desk.wait("completed");
}

#[test]
fn thirty_five_thousand_lines_are_shown_by_their_head_and_tail() {
    let place = Place::playing(&jobs::command("seq 1 35000"));
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("completed");
    latencies(&desk, 6);
    desk.press("3");
    desk.wait("━ 3 Queue");
    desk.press("\r");
    desk.wait("> end");
    desk.press(">");
    desk.wait("34999");
    desk.press("\x1b");
    desk.wait_gone("34999");
    desk.press("q");
    assert_eq!(desk.end(), 0);
}

/// Figures: `WAKEFUL_TEST_PROGRAM=…/release/wakeful cargo test --test all load::figures -- --ignored --nocapture`.
#[test]
#[ignore = "it measures, and asserts nothing about time"]
fn figures() {
    let middle = |all: &[Duration]| all[all.len() / 2].as_secs_f64() * 1000.0;
    let worst = |all: &[Duration]| all[all.len() * 95 / 100].as_secs_f64() * 1000.0;
    let quiet_place = Place::new();
    let desk = quiet_place.waiting(120, 40);
    let quiet = latencies(&desk, 200);
    let (place, desk) = flooded();
    let loud = latencies(&desk, 200);
    assert!(place.read("over").is_none());
    std::fs::write(place.workspace().join("stop"), "").unwrap();
    desk.wait("completed");
    println!(
        "a key's effect, no output: median {:.1} ms, 95th of 100 {:.1} ms",
        middle(&quiet),
        worst(&quiet)
    );
    println!("10,000 lines a second:     median {:.1} ms, 95th of 100 {:.1} ms", middle(&loud), worst(&loud));
    println!("ratio of the medians {:.2}", middle(&loud) / middle(&quiet));
}
