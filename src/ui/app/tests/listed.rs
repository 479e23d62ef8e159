//! Every dialog has a scene, and with it a picture in every theme and language and a place in the sweep of small sizes;
//! what a row of keys shows in a window of 80 columns has its words.

use super::Bench;
use super::scenes::SCENES;
use crate::ui::view::Zone;
use crate::ui::words::Lang;
use std::collections::BTreeSet;
use std::path::Path;

/// The names of the dialogs in a folder of sources: what follows `impl Dialog for`.
fn written_in(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            written_in(&path, names);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let after = text.lines().filter_map(|line| line.strip_prefix("impl Dialog for "));
            names.extend(after.map(|rest| rest.trim_end_matches([' ', '{']).to_owned()));
        }
    }
}

/// The name of the dialog that lies on top.
fn on_top(bench: &Bench) -> Option<String> {
    let told = format!("{:?}", bench.app.model.layers.last()?);
    Some(told.chars().take_while(|c| c.is_alphanumeric()).collect())
}

#[test]
fn every_dialog_has_a_scene() {
    let mut all = BTreeSet::new();
    written_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ui/dialog"), &mut all);
    assert!(all.len() > 20, "they are found: {all:?}");
    let scenes: BTreeSet<String> =
        SCENES.iter().filter_map(|scene| on_top(&(scene.make)(Lang::En, (120, 40)))).collect();
    let without: Vec<&String> = all.difference(&scenes).collect();
    assert!(without.is_empty(), "dialogs without a scene in src/ui/app/tests/scenes.rs: {without:?}");
}

#[test]
fn the_keys_of_every_dialog_have_their_words_at_80_columns() {
    let mut bare = Vec::new();
    for scene in SCENES {
        for lang in Lang::ALL {
            for size in [(80, 24), (120, 40)] {
                let mut bench = (scene.make)(lang, size);
                if bench.app.model.layers.is_empty() {
                    continue;
                }
                bench.frame();
                let zones = bench.app.model.drawn.zones.clone();
                let live = bench.app.live();
                // Those of the dialog come last.
                let own =
                    zones.iter().rev().take_while(|(_, zone)| matches!(zone, Zone::Key(_) | Zone::Row(..)));
                for (place, zone) in own {
                    let Zone::Key(action) = zone else { continue };
                    let key = bench.app.model.look.keys.key_of(live, *action).unwrap_or_default();
                    if crate::ui::text::width(&key) == usize::from(place.width) {
                        bare.push(format!("{} {lang:?} {size:?}: {key}", scene.name));
                    }
                }
            }
        }
    }
    assert!(bare.is_empty(), "keys without words: {bare:#?}");
}

/// Where the top dialog stands on the screen: columns, rows, and its left upper corner.
fn frame_of(bench: &mut Bench) -> Option<(usize, usize, (usize, usize))> {
    let model = &bench.app.model;
    let title = format!("┏━ {}", model.layers.last()?.title(model).0);
    let rows: Vec<Vec<char>> = bench.frame().iter().map(|row| row.chars().collect()).collect();
    let begins = |row: &[char], at: usize| row.iter().skip(at).collect::<String>().starts_with(&title);
    let (y, x) =
        (0..rows.len()).find_map(|y| (0..rows[y].len()).find(|x| begins(&rows[y], *x)).map(|x| (y, x)))?;
    let columns = rows[y][x..].iter().position(|c| *c == '┓')? + 1;
    let height = (y..rows.len()).position(|y| rows[y].get(x) == Some(&'┗'))? + 1;
    Some((columns, height, (x, y)))
}

#[test]
fn a_dialog_is_100_columns_wide_and_nine_tenths_high_at_most_and_centred() {
    let mut seen = 0;
    for scene in SCENES {
        for (columns, rows) in [(200usize, 60usize), (120, 40)] {
            let size = (u16::try_from(columns).unwrap(), u16::try_from(rows).unwrap());
            let mut bench = (scene.make)(Lang::En, size);
            if bench.app.model.layers.is_empty() {
                continue;
            }
            let (width, height, (x, y)) = frame_of(&mut bench)
                .unwrap_or_else(|| panic!("{} {size:?}: no frame: {:#?}", scene.name, bench.frame()));
            assert!(width <= 100 && height * 10 <= rows * 9, "{} {size:?}: {width}x{height}", scene.name);
            assert_eq!((x, y), ((columns - width) / 2, (rows - height) / 2), "{} {size:?}", scene.name);
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen}");
}
