//! Every key that a dialog shows does something, or says why not.

use super::scenes::{SCENES, Scene};
use super::{Bench, sample};
use crate::ui::frame::Program as _;
use crate::ui::keys::{Action, KeyPress};
use crate::ui::view::Zone;
use crate::ui::words::{Lang, Words};
use std::collections::BTreeSet;
use std::time::Duration;

/// The scene of this name.
fn named(name: &str) -> &'static Scene {
    SCENES.iter().find(|scene| scene.name == name).unwrap()
}

fn fresh(scene: &Scene, size: (u16, u16)) -> Bench {
    let mut bench = (scene.make)(Lang::En, size);
    bench.frame();
    bench.pass(Duration::from_secs(10));
    bench.frame();
    bench.wishes();
    bench
}

/// The keys of the row at the foot, and those that stand at the begin of a row.
fn shown(bench: &mut Bench) -> BTreeSet<String> {
    let live = bench.app.live();
    let rows = bench.frame();
    let top = bench
        .app
        .model
        .drawn
        .zones
        .iter()
        .rposition(|(_, zone)| !matches!(zone, Zone::Key(_) | Zone::Row(..)));
    let zones = bench.app.model.drawn.zones.iter().skip(top.map_or(0, |at| at + 1));
    let of = |action: Action| bench.app.model.look.keys.key_of(live, action);
    let foot = zones.filter_map(|(_, zone)| if let Zone::Key(action) = zone { of(*action) } else { None });
    let mut keys: BTreeSet<String> = foot.collect();
    for row in rows {
        // Inside the border of a dialog: a key, two blanks, what it does.
        for part in row.split('┃').skip(1).step_by(2) {
            let text = part.trim_start_matches([' ', '▌']);
            if let Some((key, rest)) = text.split_once("  ")
                && key.chars().count() == 1
                && rest.starts_with(|c: char| c.is_alphabetic())
                && key.parse::<KeyPress>().is_ok()
            {
                keys.insert(key.to_owned());
            }
        }
    }
    keys
}

#[test]
fn every_key_that_a_dialog_shows_acts_or_says_why_not() {
    let (mut dialogs, mut tried) = (0, 0);
    for scene in SCENES {
        for size in [(80, 24), (120, 40)] {
            let mut bench = fresh(scene, size);
            if bench.app.model.layers.is_empty() {
                continue;
            }
            dialogs += 1;
            for key in shown(&mut bench) {
                // Of a range the first one may be marked already.
                check(scene, size, if key.starts_with("1\u{2013}") { "2" } else { &key }, &mut tried);
            }
        }
    }
    assert!(dialogs > 30 && tried > 100, "{dialogs} dialogs, {tried} keys");
}

fn check(scene: &Scene, size: (u16, u16), key: &str, tried: &mut usize) {
    let mut bench = fresh(scene, size);
    let name = scene.name;
    if key.parse::<KeyPress>().is_err() {
        return;
    }
    *tried += 1;
    bench.app.model.news = None;
    let before = (bench.frame(), format!("{:?}", bench.app.model.layers));
    let commands = bench.press(key);
    let after = (bench.frame(), format!("{:?}", bench.app.model.layers));
    let not_here = Words::of(Lang::En).notes.not_here;
    assert_ne!(bench.news(), not_here, "{name} {size:?}: {key} is shown and does nothing");
    let acts = before != after
        || !commands.is_empty()
        || !bench.news().is_empty()
        || !bench.wishes().is_empty()
        || bench.app.done().is_some();
    assert!(acts, "{name} {size:?}: {key} is shown and neither does nor says anything\n{:#?}", before.0);
}

#[test]
fn the_keys_of_the_ways_out_of_a_wait_act() {
    type Did = fn(&Bench) -> bool;
    let expected: [(&str, Did); 5] = [
        ("p", |bench| bench.app.model.layers.is_empty()),
        ("i", |bench| bench.app.model.message.open),
        ("g", |bench| format!("{:?}", bench.app.model.layers).contains("GoalDialog")),
        ("r", |bench| format!("{:?}", bench.app.model.layers).contains("RollbackDialog")),
        ("X", |bench| format!("{:?}", bench.app.model.layers).contains("TypedDialog")),
    ];
    for (key, did) in expected {
        let mut bench = fresh(named("held"), (120, 40));
        let commands = bench.press(key);
        assert!(did(&bench), "{key}: {:#?}", bench.frame());
        assert_eq!(key == "p", super::controls(&commands) == [crate::run::control::Control::Continue]);
    }
    let mut bench = fresh(named("held"), (120, 40));
    assert!(!bench.shows("limit"), "no limit is involved: {:#?}", bench.frame());
}

#[test]
fn a_key_of_another_panel_says_where_it_works() {
    let said = |lang, panel: &str, key: &str| {
        let mut bench = Bench::new(lang, (120, 40));
        bench.press(panel);
        assert!(bench.press(key).is_empty());
        bench.news()
    };
    assert_eq!(said(Lang::En, "1", "M"), "M works in Queue (3): Review the marked as a batch");
    assert_eq!(said(Lang::Zh, "1", "M"), "M 用于队列（3）：批量查看已标记的调用");
    assert_eq!(said(Lang::En, "3", "T"), "T works in Loop (1): Show thinking");
    assert_eq!(said(Lang::En, "2", "="), "= works in Checkpoints (4): Compare with the head");
    assert_eq!(said(Lang::En, "1", "#"), "This key does nothing here.");
    // Without a run none of its panels is there.
    let mut model = sample::model(Lang::En, (120, 40));
    model.run = None;
    let mut bench = Bench::of(model);
    bench.press("r");
    assert_eq!(bench.news(), "r works once a run is open: Roll back to the selected checkpoint");
}
