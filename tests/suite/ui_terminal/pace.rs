//! The loop: frames on demand and not too many, keys between floods, sizes of all kinds, pastes.

use super::window::{Window, eventually};
use std::time::{Duration, Instant};

fn begun() -> Window {
    let window = Window::program();
    window.await_screen("size 80x24");
    window
}

fn frames(window: &Window) -> usize {
    window.text().matches("\x1b[?2026h").count()
}

#[test]
fn a_flood_of_messages_is_drawn_sixty_times_a_second_and_keeps_no_key_waiting() {
    let window = begun();
    let before = frames(&window);
    window.press("f");
    window.await_log("key Char('f')");
    let mut best = Duration::MAX;
    for key in ['g', 'h', 'j', 'k', 'l'] {
        let begin = Instant::now();
        window.press(&key.to_string());
        eventually("the key is on the screen", || window.shows(&format!("Char('{key}')")).then_some(()));
        best = best.min(begin.elapsed());
    }
    assert!(!window.log().iter().any(|line| line.starts_with("flood")), "the keys came after the flood");
    let (drawn, micros) = eventually("the flood is over", || {
        let log = window.log();
        let mut numbers =
            log.iter().find_map(|l| l.strip_prefix("flood "))?.split(' ').map(|n| n.parse::<u64>().unwrap());
        Some((numbers.next()?, numbers.next()?))
    });
    assert!(drawn * 1_000_000 <= micros * 60 + 2_000_000, "{drawn} frames in {micros} µs");
    assert!(drawn > 20, "only {drawn} frames");
    // A frame, and what looking at the whole output costs here.
    assert!(best < Duration::from_millis(60), "the quickest of five keys took {best:?}");
    let counted = frames(&window) - before;
    let ends = window.text().matches("\x1b[?2026l").count();
    assert!(counted as u64 >= drawn, "each frame is between marks: {counted} of {drawn}");
    assert!(ends >= counted);
}

#[test]
fn what_does_nothing_costs_nothing() {
    let window = begun();
    window.press("k");
    window.await_screen("last key Char('k')");
    // A measure over time: it has to pass.
    let quiet = eventually("a quiet second", || {
        let (cpu, wakes, drawn) = (window.cpu(), window.wakes(), frames(&window));
        std::thread::sleep(Duration::from_secs(1));
        (window.cpu() == cpu && window.wakes() <= wakes + 1).then(|| frames(&window) - drawn)
    });
    assert_eq!(quiet, 0);
}

#[test]
fn a_clock_is_drawn_when_it_changes() {
    let window = begun();
    window.press("c");
    let begin = Instant::now();
    let before = frames(&window);
    eventually("the clock goes on", || (frames(&window) >= before + 6).then_some(()));
    assert!(begin.elapsed() > Duration::from_millis(400), "ten a second were wanted");
    window.press("c");
    window.await_screen("last key Char('c')");
}

#[test]
fn sizes_of_all_kinds() {
    let mut window = begun();
    let mut seed: u32 = 2_463_534_242;
    let mut random = |below: u32| {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        u16::try_from(seed % below).unwrap()
    };
    let fixed = [(0, 0), (0, 5), (5, 0), (1, 1), (2, 1), (1, 2), (10, 3), (14, 54), (500, 200)];
    let random: Vec<(u16, u16)> = (0..80).map(|_| (random(220), random(70))).collect();
    for (cols, rows) in fixed.into_iter().chain(random) {
        window.resize(cols, rows);
    }
    window.resize(91, 27);
    window.await_log("Resize(91, 27)");
    window.await_screen("size 91x27");
    // Each size by itself, seen by the program.
    for (cols, rows) in fixed.into_iter().filter(|(cols, rows)| *cols > 0 && *rows > 0) {
        window.resize(cols, rows);
        window.await_log(&format!("Resize({cols}, {rows})"));
    }
    window.press("q");
    assert_eq!(window.end(), 7);
    window.assert_restored();
}

#[test]
fn a_chinese_paste_is_one_and_triggers_nothing() {
    let window = begun();
    window.press("\x1b[200~第一行：q\r第二行 fn main() {}\r\x1b[201~");
    window.await_log(r#"paste "第一行：q\n第二行 fn main() {}\n""#);
    // A terminal that does not mark it.
    window.press("没有标记的一行\rq\r再一行\r");
    window.await_log(r#"paste "没有标记的一行\nq\n再一行\n""#);
    window.press("读");
    window.await_log("key Char('读')");
    assert!(!window.log().iter().any(|line| line.starts_with("ended")));
}

/// The terminal takes it in pieces, and the loop is busy drawing in between.
#[test]
fn a_long_paste_without_marks_triggers_nothing_while_the_loop_is_busy() {
    let window = begun();
    window.press("w");
    window.await_log("key Char('w')");
    window.press("f");
    window.await_log("key Char('f')");
    let text = "q\rp\rt\r".repeat(2_000);
    window.press(&text);
    let pasted = eventually("all of it arrives", || {
        let log = window.log();
        let pieces: Vec<String> =
            log.iter().filter_map(|l| serde_json::from_str(l.strip_prefix("paste ")?).ok()).collect();
        (pieces.iter().map(String::len).sum::<usize>() == text.len()).then(|| pieces.concat())
    });
    assert_eq!(pasted, text.replace('\r', "\n"));
    let keys = window.log().iter().filter(|line| line.starts_with("key")).count();
    assert_eq!(keys, 2, "only what started it");
}

#[test]
fn a_dialog_drops_what_was_typed_before() {
    let window = begun();
    window.press("dyyy\x1b[Iy");
    window.await_log("Focus(true)");
    window.press("k");
    window.await_log("key Char('k')");
    let keys: Vec<String> = window.log().into_iter().filter(|line| line.starts_with("key")).collect();
    assert_eq!(keys, ["key Char('d')", "key Char('k')"]);
}

#[test]
fn a_mouse_is_reported_and_its_reports_are_not_typed_into_the_shell() {
    let mut window = begun();
    window.press("\x1b[<0;5;6M\x1b[<0;5;6m");
    eventually("the click", || window.log().iter().any(|l| l.starts_with("Mouse")).then_some(()));
    window.press("q\x1b[<35;5;6M\x1b[<35;6;6M");
    assert_eq!(window.end(), 7);
    window.assert_restored();
    assert!(!window.text().contains("35;6;6M"), "the terminal echoed a report");
}
