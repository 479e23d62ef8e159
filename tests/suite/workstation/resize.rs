//! A storm of sizes while a reply streams and while dialogs are open: nothing breaks, and the last size is drawn whole. What
//! a size costs does not grow with what the run has behind it.

use super::desk::{Desk, Place, ticks};
use std::time::Duration;

/// Sizes that are the same at each run.
struct Sizes(u64);

impl Sizes {
    fn upto(&mut self, most: u64) -> u16 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u16::try_from((self.0 >> 20) % most + 1).unwrap()
    }
}

fn storm(desk: &Desk, seed: u64) {
    let mut sizes = Sizes(seed);
    for _ in 0..80 {
        desk.resize(sizes.upto(200), sizes.upto(60));
        std::thread::sleep(Duration::from_millis(u64::from(sizes.upto(25))));
    }
    for (columns, rows) in [(1, 1), (200, 60), (40, 10), (39, 9), (120, 40)] {
        desk.resize(columns, rows);
        std::thread::sleep(Duration::from_millis(40));
    }
}

/// What is there is what a drawing of all cells shows.
fn assert_whole(desk: &Desk) {
    let frames = |desk: &Desk| String::from_utf8_lossy(&desk.bytes()).matches("\x1b[?2026l").count();
    desk.until("it is the same as drawn anew", || {
        let before = desk.screen();
        let drawn = frames(desk);
        desk.press("\x0c");
        desk.until("it is drawn", || frames(desk) > drawn);
        // A clock may have moved between the two.
        desk.screen() == before
    });
}

#[test]
fn a_storm_of_sizes() {
    let place = Place::new();
    let words = "The quick brown fox 测试 jumps over the lazy dog. ".repeat(30);
    place.script(&format!(
        "delay_ms = 15\n[[steps]]\nsay = \"{words}\"\n\
         calls = [{{ name = \"shell\", args = {{ command = \"echo {}\" }} }}]\n[[steps]]\nsay = \"Done.\"\n",
        "word ".repeat(120)
    ));
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("quick brown");
    storm(&desk, 1);
    desk.wait("NEEDS YOU");
    assert_whole(&desk);
    for (key, shown, seed) in
        [("a", "Run this command?", 2), ("?", "type to filter", 3), ("g", "Versions", 4)]
    {
        desk.press(key);
        desk.wait(shown);
        storm(&desk, seed);
        desk.wait(shown);
        assert_whole(&desk);
        desk.press("\x1b");
        desk.wait_gone(shown);
    }
    desk.press("q");
    desk.wait("Leave wakeful?");
    storm(&desk, 5);
    desk.wait("Leave wakeful?");
    desk.press("s");
    assert_eq!(desk.end(), 0);
}

/// A run of so many rounds, each of ten lines.
fn told(rounds: u32) -> (Place, Desk) {
    let place = Place::new();
    place.config(
        "[limits]\nsteps = 5000\ntokens = 100000000\ntool_calls = 5000\ntool_calls_per_minute = 100000\ntime = \"10h\"\n",
    );
    let words = "The quick brown fox 测试 jumps over the lazy dog, and says so.\\n".repeat(9);
    place.script(&format!(
        "[[steps]]\nrepeat = {rounds}\nsay = \"Round {{i}}.\\n{words}\"\n\
         calls = [{{ name = \"note\", args = {{ kind = \"fact\", text = \"{{i}}\" }} }}]\n[[steps]]\nsay = \"Done.\"\n"
    ));
    let said = place.ask(&["run", "Tell it", "--model", "offline", "--approve", "auto"]);
    assert!(said.contains(&format!("step {rounds} ")), "{said}");
    let desk = place.open(120, 40, &[]);
    desk.wait("Tell it");
    desk.press_until("j", "▌ ✓ completed");
    desk.press("\r");
    desk.wait("GOAL");
    // All rounds unfolded, and those in the middle read.
    desk.press("1");
    desk.press("o");
    (place, desk)
}

/// Ticks that many sizes cost, each drawn.
fn cost(desk: &Desk) -> u64 {
    let frames = || String::from_utf8_lossy(&desk.bytes()).matches("\x1b[?2026l").count();
    let before = ticks(desk.pid());
    for nth in 0..60 {
        let drawn = frames();
        desk.resize(100 + nth, 30 + nth % 20);
        desk.until("it is drawn", || frames() > drawn);
    }
    ticks(desk.pid()) - before
}

#[test]
fn many_sizes_cost_as_much_after_a_thousand_rounds_as_after_twenty() {
    let ((_short_place, short), (_long_place, long)) = (told(20), told(1_000));
    // The load of other processes only adds to it, so that the best of some looks counts.
    let mut seen = Vec::new();
    for _ in 0..4 {
        let (few, many) = (cost(&short), cost(&long));
        if many <= 2 * few {
            return;
        }
        seen.push(format!("{few} ticks after 20 rounds, {many} after 1,000"));
    }
    panic!("a size costs more the longer the run: {seen:?}");
}
