//! A command with very much output: keys have their effect while it goes on.

use super::desk::{Desk, Place};
use super::jobs;
use super::pace::{Stroke, middle, took};
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

/// How many times longer than in a quiet moment a key may take beside it.
const TIMES: u32 = 4;
const ROUNDS: usize = 5;

/// Times of a key in the middle of some, quiet and loud, in rounds. `begin` makes it loud; `came` is true once output did
/// come since then, and `end` makes it quiet.
fn rounds(
    desk: &Desk,
    begin: impl Fn(),
    came: impl Fn() -> bool,
    end: impl Fn(),
) -> Vec<(Duration, Duration)> {
    let mut seen = Vec::new();
    for _ in 0..ROUNDS {
        let quiet = middle(latencies(desk, 12));
        begin();
        let mut loud = latencies(desk, 12);
        // Heard until then, so that it was loud while keys were heard.
        while !came() {
            assert!(loud.len() < 3_000, "no output came");
            loud.extend(latencies(desk, 3));
        }
        end();
        seen.push((quiet, middle(loud)));
    }
    seen
}

/// Ten thousand lines a second while a file is there; each thousand leaves a mark.
const AT_TIMES: &str =
    "until test -e stop; do if test -e loud; then seq 1 1000; echo x >> marks; fi; sleep 0.1; done";

#[test]
fn beside_ten_thousand_lines_a_second_a_key_is_as_quick_as_without() {
    let place = Place::playing(&jobs::command(AT_TIMES));
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("▸ ACT");
    let file = |name: &str| place.workspace().join(name);
    let marks = || place.read("marks").map_or(0, |text| text.len());
    let before = std::cell::Cell::new(0);
    let begin = || {
        let old = marks();
        std::fs::write(file("loud"), "").unwrap();
        desk.until("it is loud", || marks() > old);
        before.set(marks());
    };
    let seen =
        rounds(&desk, begin, || marks() > before.get(), || std::fs::remove_file(file("loud")).unwrap());
    println!("(quiet, loud): {seen:?}");
    assert!(seen.iter().any(|(quiet, loud)| *loud < *quiet * TIMES), "{seen:?}");
    std::fs::write(file("stop"), "").unwrap();
    desk.wait("completed");
}

/// So many at once, whenever a file says so.
const AT_ONCE: &str =
    "until test -e stop; do if test -e go; then seq 1 35000; mv go went; fi; sleep 0.02; done";

#[test]
fn while_thirty_five_thousand_lines_come_a_key_is_as_quick_as_without() {
    let place = Place::playing(&jobs::command(AT_ONCE));
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("▸ ACT");
    let file = |name: &str| place.workspace().join(name);
    let begin = || std::fs::write(file("go"), "").unwrap();
    let seen = rounds(&desk, begin, || std::fs::remove_file(file("went")).is_ok(), || ());
    println!("(quiet, loud): {seen:?}");
    assert!(seen.iter().any(|(quiet, loud)| *loud < *quiet * TIMES), "{seen:?}");
    std::fs::write(file("stop"), "").unwrap();
    desk.wait("completed");
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
    // Its head, below the command itself.
    for line in ["┃ 1 ", "┃ 2 ", "┃ 3 "] {
        desk.wait(line);
    }
    took(&desk, Stroke { key: ">", text: "┃ 34999 ", shown: true });
    desk.wait("┃ 35000 ");
    assert!(!desk.shows("┃ 1 "), "{}", desk.screen());
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
