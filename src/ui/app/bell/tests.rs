//! The bell with a clock of its own, and the whole workstation with one.

use super::*;
use crate::ui::app::msg::{Clock, Found, Msg};
use crate::ui::app::{App, sample};
use crate::ui::feed::{Asleep, Signs};
use crate::ui::frame::{Program as _, Wish};
use crate::ui::input::Input;
use crate::ui::words::Lang;
use std::sync::{Arc, Mutex};

const MINUTE: Duration = Duration::from_secs(60);

fn shot(change: impl FnOnce(&mut Snapshot)) -> Snapshot {
    let model = sample::model(Lang::En, (120, 40));
    let mut shot = model.shot.as_deref().cloned().unwrap();
    change(&mut shot);
    shot
}

fn nothing_waits(shot: &mut Snapshot) {
    shot.waiting.clear();
    for row in &mut shot.runs {
        row.status = "running".to_owned();
        row.wait = None;
    }
}

fn away(begun: Instant) -> Bell {
    let mut bell = Bell::new(begun);
    bell.focused(false);
    bell
}

#[test]
fn it_rings_at_once_and_then_every_ten_minutes_three_times() {
    let begun = Instant::now();
    let mut bell = away(begun);
    let (shot, beside) = (shot(|_| {}), Beside::default());
    bell.look(&shot, &beside, begun);
    let title = "Weekly dependency report".to_owned();
    let rings = |bell: &mut Bell, at: Duration| bell.due(begun + at).is_some();
    assert_eq!(bell.due(begun), Some(Ring::NeedsYou { n: 3, title }));
    assert!(!rings(&mut bell, Duration::from_secs(3)));
    let mut times = Vec::new();
    for second in 3..7_200_u64 {
        // What is seen again and again is the same thing.
        bell.look(&shot, &beside, begun + Duration::from_secs(second));
        if rings(&mut bell, Duration::from_secs(second)) {
            times.push(second);
        }
    }
    assert_eq!(times, [600, 1_200, 1_800]);
    assert_eq!(bell.due_in(begun), None, "nothing wakes the screen for it any more");
}

#[test]
fn whoever_looks_is_not_rung_for_and_whoever_goes_away_is_reminded() {
    let begun = Instant::now();
    let mut bell = Bell::new(begun);
    let (shot, beside) = (shot(|_| {}), Beside::default());
    bell.look(&shot, &beside, begun);
    assert_eq!(bell.due(begun), None, "the screen has just been opened");
    assert_eq!(bell.due_in(begun), Some(10 * MINUTE));
    bell.touched(begun + 9 * MINUTE + MINUTE / 2);
    assert_eq!(bell.due(begun + 10 * MINUTE), None, "a key was pressed half a minute ago");
    assert!(bell.due(begun + 20 * MINUTE).is_some(), "nobody has touched anything for long");
    bell.focused(true);
    assert_eq!(bell.due(begun + 30 * MINUTE), None, "the window has the focus");
}

#[test]
fn bursts_are_one_and_new_things_ring_anew() {
    let begun = Instant::now();
    let mut bell = away(begun);
    let beside = Beside::default();
    let all = shot(|_| {});
    let one = shot(|shot| {
        nothing_waits(shot);
        shot.waiting = all.waiting[..1].to_vec();
    });
    bell.look(&one, &beside, begun);
    assert!(bell.due(begun).is_some());
    bell.look(&all, &beside, begun + Duration::from_millis(1_500));
    assert_eq!(bell.due(begun + Duration::from_millis(1_500)), None, "one with the ring before");
    let again = begun + 5 * MINUTE;
    bell.look(&one, &beside, again);
    bell.look(&all, &beside, again);
    assert!(bell.due(again).is_some(), "they had gone, and came again");
}

#[test]
fn an_end_rings_once_and_says_which() {
    let begun = Instant::now();
    let beside = Beside::default();
    for (status, expected) in
        [("completed", Ring::Done as fn(String) -> Ring), ("failed", Ring::Failed), ("limit", Ring::Limit)]
    {
        let mut bell = away(begun);
        bell.look(&shot(nothing_waits), &beside, begun);
        assert_eq!(bell.due(begun), None);
        let over = shot(|shot| {
            nothing_waits(shot);
            shot.runs[0].status = status.to_owned();
        });
        bell.look(&over, &beside, begun + MINUTE);
        assert_eq!(bell.due(begun + MINUTE), Some(expected("Speed up ledger export".to_owned())));
        bell.look(&over, &beside, begun + 2 * MINUTE);
        assert_eq!(bell.due(begun + 2 * MINUTE), None);
    }
    let mut bell = away(begun);
    let over = shot(|shot| {
        nothing_waits(shot);
        shot.runs[0].status = "completed".to_owned();
    });
    bell.look(&over, &beside, begun);
    assert_eq!(bell.due(begun), None, "it was over before");
}

#[test]
fn holds_sleepers_and_a_full_disk_need_the_person_too() {
    let begun = Instant::now();
    let quiet = shot(nothing_waits);
    let run = quiet.runs[0].id.clone();
    let held = shot(|shot| {
        nothing_waits(shot);
        (shot.runs[0].status, shot.runs[0].wait) = ("waiting".to_owned(), Some("loop".to_owned()));
    });
    let retry = shot(|shot| {
        nothing_waits(shot);
        (shot.runs[0].status, shot.runs[0].wait) = ("waiting".to_owned(), Some("retry".to_owned()));
    });
    let asleep = Asleep { worker: crate::run::WorkerId::new("w-1-a"), pid: 1, alive_at: 0 };
    let signs = Signs {
        run: run.clone(),
        asleep: Some(asleep),
        silent: Vec::new(),
        alone: Vec::new(),
        ended: Vec::new(),
    };
    let mut sleeper = Beside::default();
    sleeper.signs = Some(signs);
    let mut full = Beside::default();
    full.unsaved.insert(run, super::super::beside::Unsaved { again: 0 });
    let needs = |shot: &Snapshot, beside: &Beside| {
        let mut bell = away(begun);
        bell.look(shot, beside, begun);
        bell.due(begun)
    };
    let you = Some(Ring::NeedsYou { n: 1, title: "Speed up ledger export".to_owned() });
    assert_eq!(needs(&held, &Beside::default()), you);
    assert_eq!(needs(&quiet, &sleeper), you);
    assert_eq!(needs(&quiet, &full), you);
    assert_eq!(needs(&retry, &Beside::default()), None, "that goes on by itself");
}

#[test]
fn a_title_cannot_write_to_the_terminal() {
    let bytes = notification("done: \x1b]0;x\x07\u{9d}4;1\u{9c} ok");
    assert_eq!(bytes.iter().filter(|byte| byte.is_ascii_control()).count(), 2);
    assert!(bytes.starts_with(b"\x1b]9;wakeful: done: ]0;x4;1 ok") && bytes.ends_with(b"\x07"), "{bytes:?}");
}

#[test]
fn the_workstation_rings_until_the_person_leaves() {
    let sample = sample::model(Lang::Zh, (120, 40));
    let time = Arc::new(Mutex::new(sample.clock));
    let clock = time.clone();
    let forward = |by: Duration| {
        let mut time = time.lock().unwrap();
        *time = Clock { wall: time.wall + by.as_millis() as i64, mono: time.mono + by };
    };
    let mut app =
        App::new(sample.look.clone(), Found::default(), 1, Box::new(move || *clock.lock().unwrap()));
    let rung = |app: &mut App| {
        let mut bells = Vec::new();
        while let Some(wish) = app.wish() {
            match wish {
                Wish::Bell => bells.push("bell".to_owned()),
                Wish::Escape(bytes) => bells.push(String::from_utf8(bytes).unwrap()),
                Wish::Title(_) | Wish::Suspend | Wish::Redraw | Wish::DropTyped | Wish::Outside(_) => {}
            }
        }
        bells
    };
    app.input(Input::Focus(false));
    app.update(Msg::Shot(sample.shot.clone().unwrap()));
    assert_eq!(rung(&mut app), ["bell", "\x1b]9;wakeful: ! 3 · Weekly dependency report\x07"]);
    assert!(app.tick().is_some_and(|tick| tick <= 10 * MINUTE));
    forward(10 * MINUTE);
    assert_eq!(rung(&mut app).len(), 2, "no key and no message is needed for it");
    app.model.working = sample.working.clone();
    let mut leave = |now| {
        app.model.layers.clear();
        let ask = || {
            use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
            Input::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL))
        };
        let commands = app.input(ask());
        assert_eq!(commands, Vec::new());
        if now { app.input(ask()) } else { Vec::new() }
    };
    assert_eq!(leave(true).len(), 1);
    forward(10 * MINUTE);
    assert_eq!(rung(&mut app), Vec::<String>::new(), "it has been left");
    app.input(Input::Resize(120, 40));
    let news = app.model.news.as_ref().map(|news| news.words.as_str());
    assert_eq!(news, Some(app.model.words().quit.stopping), "said for as long as it takes");
}
