//! The mouse over the whole program: what a click does on every place of every scene, and what it never does.

use super::super::mouse::lets_happen;
use super::super::msg::{Cmd, FileBack, FileFate, Msg, Preview};
use super::scenes::SCENES;
use super::{Bench, controls, decisions, hold, running};
use crate::ui::feed::Queued;
use crate::ui::frame::Program as _;
use crate::ui::input::{Input, Turns};
use crate::ui::keys::Action;
use crate::ui::layout::Panel;
use crate::ui::view::Zone;
use crate::ui::words::{Lang, Words};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;
use std::time::Duration;

pub(super) fn mouse(bench: &mut Bench, kind: MouseEventKind, (column, row): (u16, u16)) -> Vec<Cmd> {
    bench.app.input(Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
}

fn press(bench: &mut Bench, at: (u16, u16)) -> Vec<Cmd> {
    mouse(bench, MouseEventKind::Down(MouseButton::Left), at)
}

fn release(bench: &mut Bench, at: (u16, u16)) -> Vec<Cmd> {
    let commands = mouse(bench, MouseEventKind::Up(MouseButton::Left), at);
    bench.frame();
    commands
}

fn click(bench: &mut Bench, at: (u16, u16)) -> Vec<Cmd> {
    let mut commands = press(bench, at);
    commands.extend(release(bench, at));
    commands
}

pub(super) fn places(bench: &mut Bench) -> Vec<(Rect, Zone)> {
    bench.frame();
    bench.app.model.drawn.zones.clone()
}

/// Where this can be clicked.
fn find(bench: &mut Bench, zone: &Zone) -> Option<(u16, u16)> {
    places(bench).into_iter().rev().find(|(_, own)| own == zone).map(|(place, _)| (place.x, place.y))
}

pub(super) fn click_on(bench: &mut Bench, zone: &Zone) -> Vec<Cmd> {
    let at = find(bench, zone).unwrap_or_else(|| panic!("no {zone:?}: {:#?}", bench.frame()));
    click(bench, at)
}

pub(super) fn scene(name: &str, lang: Lang, size: (u16, u16)) -> Bench {
    let scene = SCENES.iter().find(|scene| scene.name == name).unwrap();
    let mut bench = (scene.make)(lang, size);
    bench.frame();
    bench.pass(Duration::from_secs(1));
    bench.frame();
    bench
}

/// Whether words were said, of which these stand before the name of a key.
fn says_key(bench: &Bench, key: &str) -> bool {
    let words = Words::of(bench.app.model.look.lang);
    bench.news() == words.notes.takes_key(key)
}

#[test]
fn a_button_is_pressed_and_let_go_inside_it() {
    for size in [(80, 24), (120, 40)] {
        let mut bench = Bench::new(Lang::En, size);
        let at = find(&mut bench, &Zone::Key(Action::Review)).unwrap();
        press(&mut bench, at);
        assert!(bench.app.model.layers.is_empty(), "a press alone does nothing");
        release(&mut bench, (at.0, at.1.saturating_sub(3)));
        assert!(bench.app.model.layers.is_empty(), "it was let go elsewhere");
        release(&mut bench, at);
        assert!(bench.app.model.layers.is_empty(), "it was not pressed here");
        click(&mut bench, at);
        assert_eq!(bench.app.model.layers.len(), 1);
        // The same in the dialog.
        let esc = find(&mut bench, &Zone::Key(Action::Back)).unwrap();
        press(&mut bench, esc);
        release(&mut bench, (0, 0));
        assert_eq!(bench.app.model.layers.len(), 1);
        // A key in between: what was pressed counts no more.
        press(&mut bench, esc);
        bench.press("k");
        release(&mut bench, esc);
        assert_eq!(bench.app.model.layers.len(), 1);
        click(&mut bench, esc);
        assert!(bench.app.model.layers.is_empty());
    }
}

#[test]
fn a_click_on_approve_says_that_it_takes_the_key() {
    for lang in [Lang::En, Lang::Zh] {
        for size in [(80, 24), (120, 40), (60, 20)] {
            let mut bench = scene("approve-write", lang, size);
            for _ in 0..6 {
                bench.press("Space");
            }
            assert!(click_on(&mut bench, &Zone::Key(Action::ApproveOnce)).is_empty());
            assert_eq!(bench.app.model.layers.len(), 1, "it stays open");
            assert!(says_key(&bench, "y"), "{}", bench.news());
            let words = bench.news();
            let head: String = words.chars().take(8).collect();
            assert!(bench.shows(&head), "it is seen, {size:?}: {:#?}", bench.frame());
            assert_eq!(decisions(&bench.press("y")).len(), 1, "the key does it");
        }
    }
}

#[test]
fn a_click_beside_a_dialog_does_nothing_to_what_lies_under_it() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("1");
    let below = places(&mut bench);
    bench.press("?");
    let dialog = format!("{:?}", bench.app.model.layers);
    let above = places(&mut bench);
    for (place, _) in below {
        let at = (place.x, place.y);
        if above.iter().any(|(own, _)| own.contains(at.into())) {
            continue;
        }
        assert!(click(&mut bench, at).is_empty());
        assert_eq!(bench.app.model.focus, Panel::Loop);
        assert_eq!(format!("{:?}", bench.app.model.layers), dialog);
    }
}

/// The ways in which a click could let something happen.
fn let_happen(commands: &[Cmd]) -> bool {
    controls(commands).iter().any(lets_happen)
        || commands.iter().any(|command| matches!(command, Cmd::Work(_) | Cmd::TakeOver(..)))
}

/// Clicks every place of a scene, once and twice, each time on a fresh one.
fn sweep(name: &str, make: &dyn Fn() -> Bench) {
    let mut seen: Vec<Zone> = Vec::new();
    for (place, zone) in places(&mut make()) {
        if seen.contains(&zone) {
            continue;
        }
        let mut bench = make();
        let at = (place.x + place.width / 2, place.y);
        for _ in 0..3 {
            let commands = click(&mut bench, at);
            assert!(!let_happen(&commands), "{name}: {zone:?}: {commands:?}");
        }
        seen.push(zone);
    }
    let dialog = !make().app.model.layers.is_empty();
    assert!(!dialog || seen.contains(&Zone::Key(Action::Back)), "{name}: it can be left: {seen:?}");
}

fn sweep_scenes(part: usize) {
    for (nth, one) in SCENES.iter().enumerate().skip(part).step_by(2) {
        let lang = if nth % 3 == 0 { Lang::Zh } else { Lang::En };
        let size = if nth % 4 < 2 { (80, 24) } else { (120, 40) };
        sweep(one.name, &|| scene(one.name, lang, size));
    }
}

#[test]
fn no_click_in_any_scene_lets_something_happen() {
    sweep_scenes(0);
}

#[test]
fn no_click_in_any_other_scene_lets_something_happen() {
    sweep_scenes(1);
}

/// The preview of a rollback with two files.
fn rollback() -> Bench {
    let mut bench = Bench::new(Lang::En, (120, 40));
    let head = bench.app.model.view().unwrap().state.head.seq;
    for command in bench.press("4 j r") {
        if let Cmd::Preview(ticket, ..) = command {
            let file = |path: &str| FileBack {
                path: path.to_owned(),
                what: FileFate::Restore,
                taken: None,
                edited: None,
                lines: Some((3, 1)),
                made_in: None,
                bytes: None,
                problem: None,
                why: None,
                diff: "@@ -1,1 +1,1 @@\n-one\n+two\n".to_owned(),
            };
            let preview = Preview {
                step: 12,
                seen: head,
                timeline: 2,
                undone: vec![(13, 2)],
                back: Vec::new(),
                tokens: 1_362,
                files: vec![file("src/a.rs"), file("src/b.rs")],
                goal: None,
                effects: Vec::new(),
                cancelled: 0,
                withdrawn: 0,
                offered: 0,
                ended: Vec::new(),
            };
            bench.app.update(Msg::Preview(ticket, Ok(Box::new(preview))));
        }
    }
    bench.frame();
    bench.pass(Duration::from_secs(1));
    bench.frame();
    bench
}

/// A dialog in which the word is typed already.
fn typed(name: &str, keys: &str, word: &str) -> Bench {
    let mut bench = scene(name, Lang::En, (120, 40));
    // Whatever the dialog asked for is here.
    for ticket in 1..=bench.app.model.tickets {
        bench.app.update(Msg::Before(ticket, Ok(None)));
    }
    for _ in 0..6 {
        bench.press("PgDn");
    }
    if !keys.is_empty() {
        bench.press(keys);
    }
    bench.write(word);
    bench
}

#[test]
fn no_click_in_the_dialogs_that_no_scene_has_lets_something_happen() {
    sweep("rollback", &rollback);
    sweep("redo", &|| {
        let mut bench = Bench::new(Lang::En, (120, 40));
        bench.press("4");
        bench
    });
    sweep("held", &|| {
        let mut bench = Bench::new(Lang::En, (120, 40));
        hold(&mut bench);
        bench.press("a");
        bench
    });
    sweep("pause", &|| {
        let mut bench = Bench::new(Lang::En, (120, 40));
        running(&mut bench);
        bench.press("P");
        bench
    });
    sweep("typed yes", &|| typed("approve-command", "y", "yes"));
    sweep("typed yes for it again", &|| typed("uncertain", "R", "yes"));
    sweep("typed name", &|| typed("cancel", "", "r-7f3a"));
    sweep("typed process", &|| typed("take-over", "", "4121"));
    sweep("paused", &|| {
        let mut bench = Bench::new(Lang::En, (120, 40));
        super::change(&mut bench.app.model, |view| {
            std::sync::Arc::make_mut(&mut view.state).ledger.paused = Some(true);
        });
        bench
    });
}

#[test]
fn a_command_is_not_ended_by_clicks_for_the_sake_of_a_message() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    running(&mut bench);
    let text = "Keep the row order: 审计员会比较文件。".to_owned();
    super::change(&mut bench.app.model, |view| view.queued = vec![Queued { id: 1, text, now: false }]);
    bench.press("1 I");
    click_on(&mut bench, &Zone::Row(0, 1));
    assert!(click_on(&mut bench, &Zone::Row(0, 1)).is_empty());
    assert!(says_key(&bench, "Enter"), "{}", bench.news());
    assert_eq!((bench.app.model.layers.len(), bench.app.model.sent.len()), (1, 0), "nothing was sent");
    assert!(let_happen(&bench.press("Enter")), "the key does it");
    assert_eq!(bench.app.model.sent.len(), 1);
}

#[test]
fn what_takes_its_key_happens_with_it() {
    // What the sweep finds impossible for a click is possible for the keys, in the same states.
    let mut bench = rollback();
    assert!(let_happen(&bench.press("y")));
    let mut bench = typed("approve-command", "y", "yes");
    assert!(let_happen(&bench.press("Enter")), "{:#?}", bench.frame());
    let mut bench = typed("cancel", "", "r-7f3a");
    assert!(let_happen(&bench.press("Enter")));
    let mut bench = typed("take-over", "", "4121");
    assert!(let_happen(&bench.press("Enter")), "{:#?}", bench.frame());
}

#[test]
fn rows_of_dialogs_are_selected_and_then_opened() {
    // An option: the second click says which key decides.
    let mut bench = scene("decision", Lang::En, (120, 40));
    click_on(&mut bench, &Zone::Row(0, 1));
    assert!(bench.shows("▌2 Two writer threads"), "{:#?}", bench.frame());
    assert!(click_on(&mut bench, &Zone::Row(0, 1)).is_empty());
    assert!(says_key(&bench, "Enter"), "{}", bench.news());
    assert_eq!(bench.app.model.layers.len(), 1);
    // In my words: opens the field.
    click_on(&mut bench, &Zone::Row(0, 3));
    click_on(&mut bench, &Zone::Row(0, 3));
    assert!(bench.app.live() == crate::ui::keys::live::TEXT);
    // A file of the rollback: its difference.
    let mut bench = rollback();
    click_on(&mut bench, &Zone::Row(0, 1));
    assert_eq!(bench.app.model.layers.len(), 1);
    click_on(&mut bench, &Zone::Row(0, 1));
    assert_eq!(bench.app.model.layers.len(), 2);
    // A command of the palette, and a row of help.
    for keys in [":", "?"] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        bench.press("1");
        bench.press(keys);
        if keys == ":" {
            bench.write("goal");
        } else {
            bench.write("pinned");
        }
        click_on(&mut bench, &Zone::Row(0, 0));
        assert!(format!("{:?}", bench.app.model.layers).starts_with("[GoalDialog"), "{keys}");
    }
    // A version of the goal: what differs.
    let mut bench = scene("goal", Lang::En, (120, 40));
    let versions = bench.app.model.drawn.zones.clone();
    let version = versions.iter().rev().find(|(_, zone)| matches!(zone, Zone::Row(_, 1))).unwrap().1.clone();
    click_on(&mut bench, &version);
    click_on(&mut bench, &version);
    assert_eq!(bench.app.model.layers.len(), 2, "{:#?}", bench.frame());
    // A call of a batch: its own dialog.
    let mut bench = scene("approve-batch", Lang::En, (120, 40));
    click_on(&mut bench, &Zone::Row(0, 1));
    click_on(&mut bench, &Zone::Row(0, 1));
    assert_eq!(bench.app.model.layers.len(), 2, "{:#?}", bench.frame());
    // What can be done about a banner.
    let mut bench = scene("banners", Lang::En, (120, 40));
    click_on(&mut bench, &Zone::Row(0, 1));
    assert!(bench.shows("▌"), "{:#?}", bench.frame());
}

#[test]
fn leaving_is_chosen_with_clicks() {
    let mut bench = scene("leave", Lang::En, (120, 40));
    click_on(&mut bench, &Zone::Row(0, 1));
    assert!(bench.shows("▌w"), "{:#?}", bench.frame());
    let commands = click_on(&mut bench, &Zone::Row(0, 1));
    assert!(matches!(commands.as_slice(), [Cmd::HandOver(_)]), "{commands:?}");
}

#[test]
fn the_choices_of_the_start_screen_are_clicked() {
    let mut bench = scene("start", Lang::En, (80, 24));
    let commands = click_on(&mut bench, &Zone::Offer);
    assert!(matches!(commands.as_slice(), [Cmd::Start(..)]), "{commands:?}");
    // With a run selected the offer is selected first.
    let mut bench = scene("start-with-runs", Lang::En, (80, 24));
    bench.press("j");
    assert!(click_on(&mut bench, &Zone::Offer).is_empty());
    assert!(bench.app.model.lists.run.is_none() && bench.app.model.layers.is_empty());
    click_on(&mut bench, &Zone::Key(Action::HelpOpen));
    assert_eq!(bench.app.model.layers.len(), 1, "{:#?}", bench.frame());
}

#[test]
fn the_keys_of_a_message_are_clicked() {
    let mut bench = scene("message", Lang::En, (120, 40));
    let sent = controls(&click_on(&mut bench, &Zone::Key(Action::TextSubmit)));
    assert_eq!(sent.len(), 1, "{:#?}", bench.frame());
    let mut bench = scene("message", Lang::En, (120, 40));
    click_on(&mut bench, &Zone::Key(Action::Back));
    assert!(!bench.app.model.message.open);
}

/// Rows that a turn moves, as keys move them.
const ROWS: usize = 3;

#[test]
fn a_flood_of_the_wheel_leads_where_each_turn_by_itself_would() {
    let turns = [
        (false, 1),
        (false, 2),
        (true, 1),
        (false, 9),
        (true, 3),
        (false, 400),
        (false, 5),
        (true, 2),
        (true, 900),
        (true, 3),
        (false, 4),
        (true, 1),
        (false, 2),
        (true, 5),
        (false, 7),
        (true, 2),
        (false, 1),
    ];
    for panel in [Panel::Loop, Panel::Queue, Panel::Checkpoints, Panel::Context, Panel::Plan] {
        let number = panel.number().to_string();
        let begin = || {
            let mut bench = Bench::new(Lang::En, (120, 40));
            bench.press(&number);
            bench
        };
        let (mut flood, mut single, mut keys) = (begin(), begin(), begin());
        let (place, _) =
            places(&mut flood).into_iter().rfind(|(_, zone)| *zone == Zone::Panel(panel)).unwrap();
        let at = (place.x + 3, place.y + 2);
        for upto in 1..=turns.len() {
            let of = |(down, count)| Turns { column: at.0, row: at.1, down, count };
            flood = begin();
            flood.app.input(Input::Wheel(turns.iter().take(upto).map(|turn| of(*turn)).collect()));
            let (down, count) = turns[upto - 1];
            let kind = if down { MouseEventKind::ScrollDown } else { MouseEventKind::ScrollUp };
            (0..count).for_each(|_| drop(mouse(&mut single, kind, at)));
            let key = KeyCode::Char(if down { 'j' } else { 'k' });
            for _ in 0..count * ROWS {
                keys.app.input(Input::Key(KeyEvent::new(key, KeyModifiers::NONE)));
            }
            let place = |bench: &Bench| {
                let (model, lists) = (&bench.app.model, &bench.app.model.lists);
                let here = (model.transcript.at, model.transcript.skip, model.transcript.seen);
                format!("{:?} {here:?} {lists:?}", model.focus)
            };
            assert_eq!(place(&flood), place(&keys), "{panel:?} after {upto}");
            assert_eq!(place(&single), place(&keys), "{panel:?} after {upto}");
        }
    }
}

#[test]
fn a_flood_of_the_wheel_ends_at_the_end_of_a_dialog() {
    let scene = SCENES.iter().find(|scene| scene.name == "whole-text").unwrap();
    let mut bench = (scene.make)(Lang::En, (80, 24));
    let wheel = |bench: &mut Bench, down, count| {
        bench.app.input(Input::Wheel(vec![Turns { column: 9, row: 9, down, count }]));
        bench.frame()
    };
    let top = bench.frame();
    let end = wheel(&mut bench, true, 1_000_000);
    assert_ne!(end, top, "it is longer than the window");
    assert_eq!(wheel(&mut bench, true, 1), end);
    assert_eq!(wheel(&mut bench, false, 1_000_000), top);
}

#[test]
fn the_wheel_moves_the_choice_in_help_and_palette() {
    for key in ["?", ":"] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        bench.press(key);
        let top = bench.frame();
        let wheel = |bench: &mut Bench, down| {
            bench.app.input(Input::Wheel(vec![Turns { column: 60, row: 20, down, count: 1 }]));
            bench.frame()
        };
        let moved = wheel(&mut bench, true);
        assert_ne!(moved, top, "{key}");
        assert!(!bench.shows("does nothing here"), "{key}");
        assert_eq!(wheel(&mut bench, false), top, "{key}");
    }
}
