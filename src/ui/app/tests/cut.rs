//! What has no room: what is typed and what is decided is in view all the same, and of everything else it is seen that
//! there is more.

use super::scenes::{SCENES, Scene};
use super::*;
use crate::ui::app::sample::draw_dialog;

/// Sizes from the smallest that is drawn on.
const SMALL: [(u16, u16); 6] = [(40, 10), (40, 14), (60, 12), (80, 12), (80, 16), (80, 24)];

fn scene(name: &str) -> &'static Scene {
    SCENES.iter().find(|scene| scene.name == name).unwrap()
}

#[test]
fn what_is_typed_is_in_view_with_its_caret_at_every_size() {
    for lang in [Lang::En, Lang::Zh] {
        for (columns, rows) in [40, 60, 80, 110, 180].into_iter().flat_map(|c| (10..=40).map(move |r| (c, r)))
        {
            let mut bench = Bench::new(lang, (columns, rows));
            bench.press("i");
            bench.write("keep 行的顺序");
            let shown = bench.frame();
            let at = shown.iter().position(|row| row.contains("keep 行的顺序"));
            let at = at.unwrap_or_else(|| panic!("{columns}x{rows}: {shown:#?}"));
            let caret = bench.app.model.drawn.caret.unwrap();
            assert_eq!(usize::from(caret.y), at, "{columns}x{rows}");
            // The row of the text stays in view where it is not the first.
            bench.press("Ctrl-J");
            bench.write("second");
            assert!(bench.shows("second"), "{columns}x{rows}");
        }
    }
}

#[test]
fn news_are_told_in_the_smallest_window_too() {
    let mut bench = Bench::new(Lang::En, (40, 10));
    bench.press("v");
    let news: String = bench.news().chars().take(20).collect();
    assert!(!news.is_empty() && bench.shows(&news), "{:#?}", bench.frame());
    bench.pass(Duration::from_secs(7));
    assert!(bench.shows("? help"), "{:#?}", bench.frame());
}

#[test]
fn no_news_hide_that_what_is_written_is_too_large() {
    for size in [(40, 10), (80, 24), (120, 40)] {
        let mut bench = Bench::new(Lang::En, size);
        bench.press("i");
        bench.app.input(Input::Paste(format!("{}\n", "many words ".repeat(10_000))));
        assert!(!bench.news().is_empty(), "that an Enter was pasted");
        let shown = bench.frame().join("\n");
        assert!(shown.contains("about 20,0") || shown.contains("about 2"), "{shown}");
        assert!(shown.contains("! about "), "{size:?}: {shown}");
    }
}

#[test]
fn a_decision_says_what_it_is_about_and_how_to_make_it_in_the_smallest_window() {
    let named = |keys: &str, wanted: &[&str], name: &str| {
        wanted.iter().for_each(|wanted| assert!(keys.contains(wanted), "{name}: {keys}"));
    };
    for (lang, dangerous, flagged, seen, keys) in [
        (Lang::En, "dangerous: it deletes files", "flagged text", "seen ", ["y run", "n deny…", "Esc "]),
        (Lang::Zh, "危险：会删除文件", "可疑文字", "已看", ["y 运行", "n 拒绝…", "Esc"]),
    ] {
        for size in SMALL {
            for (name, says) in [("approve-long", dangerous), ("approve-command", flagged)] {
                let mut bench = (scene(name).make)(lang, size);
                let rows = bench.frame();
                // Wherever a row is broken.
                let told =
                    |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '┃').collect::<String>();
                let all = told(&rows.join(""));
                assert!(all.contains(&told(says)) && all.contains(&told(seen)), "{name} {size:?}: {rows:#?}");
                assert!(size != (40, 10) || all.contains("shell·"), "{rows:#?}");
                named(&rows.join("\n"), &keys, name);
            }
            let mut bench = (scene("approve-batch").make)(lang, size);
            named(&bench.frame().join("\n"), &["y ", "n ", seen], "approve-batch");
        }
    }
}

#[test]
fn a_dangerous_call_among_several_is_named_where_not_all_is_in_view() {
    let mut bench = Bench::new(Lang::En, (40, 10));
    scenes::with_call(&mut bench, |call| {
        call.args = Body::Inline(r#"{"command":"rm -rf target"}"#.to_owned());
    });
    for command in bench.press("3 Space j Space M") {
        if let Cmd::Change(ticket, ..) = command {
            bench.app.update(Msg::Change(ticket, Ok(Vec::new())));
        }
    }
    let rows = bench.frame();
    assert!(rows.iter().any(|row| row.contains("14.3 shell · effect, dangerous")), "{rows:#?}");
}

/// Text of a row of a dialog, without what only makes room.
fn told(row: &str) -> String {
    row.chars().filter(|c| !c.is_whitespace() && !matches!(c, '┃' | '▌' | '▏')).collect()
}

#[test]
fn of_what_a_dialog_has_no_room_for_there_is_a_sign() {
    for lang in [Lang::En, Lang::Zh] {
        for scene in SCENES {
            for size in SMALL {
                let mut bench = (scene.make)(lang, size);
                let rows = bench.frame();
                let Some(dialog) = bench.app.model.layers.last() else { continue };
                let inside = rows.iter().filter(|row| row.contains('┃')).map(|row| {
                    let (from, to) = (row.find('┃').unwrap(), row.rfind('┃').unwrap());
                    row.get(from..to).unwrap_or_default().to_owned()
                });
                let inside: Vec<String> = inside.collect();
                let width = inside.first().map_or(0, |row| crate::ui::text::width(row) - 2);
                if dialog.rows(&bench.app.model, 40) == u16::MAX {
                    continue;
                }
                let (_, whole) =
                    draw_dialog(dialog.as_ref(), &bench.app.model, u16::try_from(width).unwrap());
                let shown: Vec<String> = inside.iter().map(|row| told(row)).collect();
                let body = whole.iter().take(whole.len() - 1).map(|row| told(row));
                let missing = body.filter(|row| !row.is_empty() && !shown.contains(row)).count();
                let sign = |row: &String| row.contains('↓') || row.contains('↑') || row.contains('…');
                let keys = inside.last().is_some_and(|row| row.contains(" / "));
                assert!(
                    missing == 0 || keys || rows.iter().any(sign),
                    "{} at {size:?}: {rows:#?}\n{whole:#?}",
                    scene.name
                );
            }
        }
    }
}

#[test]
fn lists_that_go_on_say_so_at_both_ends() {
    for (keys, scene) in [("3 ?", "help"), ("1 :", "palette")] {
        let mut bench = Bench::new(Lang::En, (80, 24));
        bench.press(keys);
        let foot = |bench: &mut Bench| bench.frame().into_iter().rfind(|row| row.contains('┗')).unwrap();
        let row = foot(&mut bench);
        assert!(row.contains(" ↓ ") && !row.contains(" ↑ "), "{scene}: {row}");
        (0..8).for_each(|_| drop(bench.press("PgDn")));
        (0..60).for_each(|_| drop(bench.press("Down")));
        let row = foot(&mut bench);
        assert!(row.contains(" ↑ ") && !row.contains(" ↓ "), "{scene}: {row}");
    }
}

/// Opens the review of the command that waits, and lets it be seen for a while.
fn review(bench: &mut Bench) {
    for command in bench.press("3 j a") {
        if let Cmd::Before(ticket, ..) = command {
            bench.app.update(Msg::Before(ticket, Ok(None)));
        }
    }
    bench.frame();
    bench.pass(Duration::from_secs(1));
}

#[test]
fn help_opens_over_a_dialog_and_the_way_back_is_guarded() {
    for key in ["?", "F1"] {
        let mut bench = Bench::new(Lang::En, (80, 24));
        review(&mut bench);
        bench.press(key);
        assert!(bench.shows("Help · Run this command?"), "{:#?}", bench.frame());
        assert!(bench.shows("Approve once"));
        bench.press("Esc");
        assert!(bench.shows("Run this command?"), "it is as it was");
        assert_eq!(bench.press("y"), [], "too soon after it came back");
        bench.pass(Duration::from_millis(400));
        assert_eq!(decisions(&bench.press("y")).len(), 1, "{}", bench.news());
    }
    // What is chosen in the help is as well held to the guard.
    let mut bench = Bench::new(Lang::En, (80, 24));
    review(&mut bench);
    bench.press("?");
    bench.write("approve once");
    assert_eq!(bench.press("Enter"), []);
    assert!(bench.shows("The dialog has just opened"), "{:#?}", bench.frame());
}

#[test]
fn a_key_that_means_nothing_in_a_dialog_says_where_it_works() {
    for scene in SCENES {
        let mut bench = (scene.make)(Lang::En, (80, 24));
        let Some(dialog) = bench.app.model.layers.last() else { continue };
        if dialog.live().contains(&crate::ui::keys::Ctx::Text) {
            continue;
        }
        bench.pass(Duration::from_secs(7));
        bench.press(":");
        assert_eq!(bench.news(), ": works once this is closed (Esc): All commands", "{}", scene.name);
        bench.press("F9");
        assert_eq!(bench.news(), "This key does nothing here; ? shows the keys that do.", "{}", scene.name);
        let title = bench.app.model.layers.last().unwrap().title(&bench.app.model).0;
        bench.press("F1");
        let help = bench.app.model.layers.last().unwrap().title(&bench.app.model).0;
        assert_eq!(help, format!("Help · {title}"), "{}", scene.name);
        bench.press("Esc");
        assert_eq!(bench.app.model.layers.last().unwrap().title(&bench.app.model).0, title);
    }
}

#[test]
fn a_command_of_several_lines_never_looks_like_one() {
    let args = r#"{"command":"echo a\nrm -rf /"}"#;
    for (lang, ascii) in [(Lang::En, false), (Lang::Zh, false), (Lang::En, true)] {
        let sign = if ascii { "echo a } rm" } else { "echo a ⏎ rm" };
        let mut bench = Bench::new(lang, (120, 40));
        bench.app.model.look.glyphs = crate::ui::theme::Glyphs::of(ascii);
        scenes::with_call(&mut bench, |call| call.args = Body::Inline(args.to_owned()));
        bench.press("3 j z");
        let rows = bench.frame();
        // In the queue and in the band.
        let many = rows.iter().map(|row| row.matches(sign).count()).sum::<usize>();
        assert!(many >= 2, "{sign}: {rows:#?}");
        assert!(!rows.iter().any(|row| row.contains("echo a rm")), "{rows:#?}");
        bench.press("d");
        assert!(bench.shows(sign), "the title of the denial: {:#?}", bench.frame());
    }
}
