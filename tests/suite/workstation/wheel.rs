//! A flood of the mouse wheel, as a hand on a free-running wheel makes it behind a multiplexer: nothing of it is lost, and
//! a key behind it has its effect with the next frame.

use super::desk::{Desk, Place};
use std::time::{Duration, Instant};

/// Events of one flood.
const EVENTS: usize = 30_000;

fn up(column: u16, row: u16) -> String {
    format!("\x1b[<64;{column};{row}M")
}

fn down(column: u16, row: u16) -> String {
    format!("\x1b[<65;{column};{row}M")
}

/// A run with a long story, at its end.
fn told() -> (Place, Desk) {
    let words = "The quick brown fox jumps over the lazy dog, 测试, and it is said again. ".repeat(40);
    let place = Place::playing(&format!(
        "[[steps]]\nrepeat = 12\nsay = \"{words}\"\n\
         calls = [{{ name = \"shell\", args = {{ command = \"echo {{i}}\" }} }}]\n[[steps]]\nsay = \"Done.\"\n"
    ));
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("completed");
    (place, desk)
}

/// How long it takes from these bytes to the help that `?` opens.
fn helped(desk: &Desk, before: &str) -> Duration {
    let begun = Instant::now();
    desk.press(&format!("{before}?"));
    while !desk.shows("type to filter") {
        assert!(begun.elapsed() < Duration::from_secs(60), "no help:\n{}", desk.screen());
        std::thread::sleep(Duration::from_micros(200));
    }
    let took = begun.elapsed();
    desk.press("\x1b");
    desk.wait_gone("type to filter");
    took
}

fn frames(desk: &Desk) -> usize {
    String::from_utf8_lossy(&desk.bytes()).matches("\x1b[?2026l").count()
}

/// Where it is held against: a key with nothing before it.
fn quiet(desk: &Desk) -> Duration {
    let mut quiet: Vec<Duration> = (0..9).map(|_| helped(desk, "")).collect();
    quiet.sort();
    quiet[quiet.len() / 2]
}

#[test]
fn a_key_behind_a_flood_of_the_wheel_has_its_effect_soon() {
    let (_place, desk) = told();
    let floods = [
        ("up", up(10, 20).repeat(EVENTS)),
        ("down", down(10, 20).repeat(EVENTS)),
        ("to and fro", format!("{}{}", up(10, 20), down(10, 20)).repeat(EVENTS / 2)),
        ("from place to place", (0..40).map(|n| up(10 + n, 20)).collect::<String>().repeat(EVENTS / 40)),
        ("over a list", down(100, 10).repeat(EVENTS)),
    ];
    for (what, flood) in floods {
        let before = frames(&desk);
        // The load of others comes and goes: what the flood costs is seen in the best of some.
        let tries = (0..3).map(|_| (helped(&desk, &flood), quiet(&desk)));
        let seen: Vec<(Duration, Duration)> = tries.collect();
        println!("{what}: {seen:?}, {} frames", frames(&desk) - before);
        assert!(seen.iter().any(|(took, quiet)| *took < *quiet * 60), "{what}: {seen:?}");
    }
}

#[test]
fn a_flood_of_the_wheel_is_drawn_sixty_times_a_second_at_most_and_arrives_where_it_leads() {
    let (_place, desk) = told();
    desk.wait("following");
    let (begun, before) = (Instant::now(), frames(&desk));
    desk.press(&up(10, 20).repeat(EVENTS));
    // Six rounds have left the window and stand on one row.
    desk.wait("▌▸ 1–6 ");
    let (took, drawn) = (begun.elapsed(), frames(&desk) - before);
    assert!(drawn as u128 <= 2 + took.as_micros() * 60 / 1_000_000, "{drawn} frames in {took:?}");
    // A turn of three rows: none of the three is lost.
    desk.press(&down(10, 20));
    desk.wait("▌▸ 9 ");
    desk.press(&format!("{}{}", down(10, 20).repeat(EVENTS), up(10, 20)));
    desk.wait_gone("following");
    desk.press(&down(10, 20).repeat(EVENTS));
    desk.wait("following");
}
