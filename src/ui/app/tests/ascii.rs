//! A terminal with nothing but ASCII: whatever we say ourselves is in it, and what comes from outside stays as it is.

use super::super::sample::ASCII;
use super::scenes::{SCENES, sizes};
use super::{Bench, running};
use crate::ui::words::Lang;

/// Every text from outside that a bench holds, in one.
fn outside(bench: &Bench) -> String {
    let model = &bench.app.model;
    let look = &model.look;
    assert!(look.glyphs.is_ascii(), "the look is made for it");
    let typed = model.message.editor.text();
    format!("{:?}\n{:?}\n{:?}\n{typed}", model.shot, model.live, model.transcript)
}

/// Whether it is of a script that our English has nothing of.
fn is_of_data(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

/// The stretches of a row that are not ASCII with two neighbours on either side, in which no text from outside has them.
fn faults(row: &str, outside: &str) -> Vec<String> {
    let chars: Vec<char> = row.chars().collect();
    let at = (0..chars.len()).filter(|at| !chars[*at].is_ascii() && !is_of_data(chars[*at]));
    let stretch = |at: usize| -> String {
        chars[at.saturating_sub(2)..(at + 3).min(chars.len())].iter().collect::<String>()
    };
    at.map(stretch).filter(|text| !outside.contains(text.as_str())).collect()
}

fn check(name: &str, bench: &mut Bench, found: &mut Vec<String>) {
    let outside = outside(bench);
    for row in bench.frame() {
        let faults = faults(&row, &outside);
        if !faults.is_empty() {
            found.push(format!("{name}: {faults:?} in {row}"));
        }
    }
}

#[test]
fn every_scene_in_ascii_has_only_ascii_of_ours() {
    ASCII.set(true);
    let mut found = Vec::new();
    for scene in SCENES {
        for size in sizes(scene) {
            let mut bench = (scene.make)(Lang::En, *size);
            check(&format!("{} {size:?}", scene.name), &mut bench, &mut found);
        }
    }
    let size = (120, 40);
    let keys = [
        "3 o", "3 Space", "4 = ", "4 r", "1 f", "1 < k", "1 T", "1 o", "2 j x", "1 q", "[", "Esc", "3 a",
        "0", "t",
    ];
    for keys in keys {
        let mut bench = Bench::new(Lang::En, size);
        bench.press(keys.trim());
        check(keys, &mut bench, &mut found);
    }
    let mut bench = Bench::new(Lang::En, size);
    running(&mut bench);
    bench.press("P");
    check("pause", &mut bench, &mut found);
    for small in [(38, 5), (40, 10), (60, 16)] {
        let mut bench = Bench::new(Lang::En, small);
        check("small", &mut bench, &mut found);
    }
    ASCII.set(false);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn in_chinese_the_signs_go_and_the_words_stay() {
    ASCII.set(true);
    let mut found = Vec::new();
    for scene in SCENES {
        let mut bench = (scene.make)(Lang::Zh, (120, 40));
        let outside = outside(&bench);
        let signs = |c: char| "·…↓↑←→—–−×≈│┃─━✓✗▸▾▌█░".contains(c);
        for row in bench.frame() {
            let of_ours = faults(&row, &outside).into_iter().filter(|text| text.chars().any(signs));
            found.extend(of_ours.map(|text| format!("{}: {text:?} in {row}", scene.name)));
        }
    }
    ASCII.set(false);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_dash_of_a_title_is_no_dash_of_ours() {
    ASCII.set(true);
    let mut bench = Bench::new(Lang::En, (120, 40));
    super::change(&mut bench.app.model, |view| {
        std::sync::Arc::make_mut(&mut view.state).ledger.title = "one — two · three…".to_owned();
    });
    assert!(bench.shows("one — two · three…"), "{:#?}", bench.frame());
    ASCII.set(false);
}
