//! How large a text is that is being written: the window cannot take it, and every place where it is written says so.

use crate::run::budget_table::Slot;
use crate::ui::app::sample;
use crate::ui::app::tests::Bench;
use crate::ui::app::tests::scenes::SCENES;
use crate::ui::frame::Program as _;
use crate::ui::input::Input;
use crate::ui::words::Lang;

#[test]
fn a_text_that_the_window_cannot_take_says_so_wherever_it_is_written() {
    let scene = |name: &str| SCENES.iter().find(|scene| scene.name == name).unwrap();
    for (lang, says) in [(Lang::En, "refused"), (Lang::Zh, "会被拒绝")] {
        for size in [(120, 40), (80, 24)] {
            for (name, room) in [
                ("goal", "22,486"),
                ("new-run", "30,720"),
                ("deny", "17,908"),
                ("question", "17,908"),
                ("message", "17,908"),
            ] {
                let mut bench: Bench = (scene(name).make)(lang, size);
                assert!(!bench.shows(says), "{name}");
                bench.app.input(Input::Paste("many words ".repeat(20_000)));
                // In a narrow dialog it goes on below.
                let rows = bench.frame().join("\n");
                let at = rows.find(room).unwrap_or_else(|| panic!("{name} {size:?}: {rows}"));
                assert!(rows.get(at..).is_some_and(|rest| rest.contains(says)), "{name} {size:?}: {rows}");
                bench.press("Ctrl-/");
                assert!(!bench.shows(says), "{name}: it fits again");
            }
        }
    }
}

#[test]
fn a_goal_smaller_than_what_else_always_stands_there_is_too_large_as_well_if_it_does_not_fit_beside_it() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    sample::change(&mut bench.app.model, |view| {
        let table = &mut view.asked.as_mut().unwrap().table;
        table.rows.iter_mut().filter(|row| row.slot == Slot::System).for_each(|row| row.used += 12_000);
    });
    assert_eq!(bench.app.model.goal_room(), Some(22_486 - 12_000));
    bench.press("g");
    bench.app.input(Input::Paste("many words ".repeat(5_000)));
    let rows = bench.frame().join("\n");
    assert!(rows.contains("10,486") && rows.contains("refused"), "{rows}");
}
