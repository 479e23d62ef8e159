//! A storm of sizes while a reply streams and while dialogs are open: nothing breaks, and the last size is drawn whole.

use super::desk::{Desk, Place};
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
