//! A change that is on its way is seen where the run is followed, whoever sent it.

use super::*;
use crate::run::control::Author;
use crate::run::goal::Goal;
use crate::run::settings::Mode;
use crate::ui::app::sample::{self, draw};
use crate::ui::words::Lang;

fn with(lang: Lang, size: (u16, u16), controls: Vec<Control>) -> Model {
    let mut model = sample::model(lang, size);
    let of = |(nth, control): (usize, Control)| Coming {
        id: nth as i64 + 1,
        by: Author::Person(if nth == 0 { "tui" } else { "cli" }.to_owned()),
        at: sample::at(13, 36, 40),
        control,
    };
    let all = controls.into_iter().enumerate().map(of).collect();
    sample::change(&mut model, |view| view.coming = all);
    model
}

fn goal(text: &str) -> Control {
    let goal = Goal { text: text.to_owned(), constraints: Vec::new(), checks: Vec::new() };
    Control::EditGoal { based_on: 2, goal }
}

#[test]
fn what_is_on_its_way_stands_below_what_happened_last() {
    let controls = vec![goal("Under 45 s\u{1b}[2J"), Control::SetMode { mode: Mode::Safe }];
    let model = with(Lang::En, (120, 40), controls.clone());
    let shown = draw(&model).join("\n");
    let line = shown.lines().find(|line| line.contains("› you  13:36")).expect("its line");
    assert!(line.contains("edit of the goal: Under 45 s\\u{1b}"), "{line}");
    assert!(shown.contains("on its way, read at the next step"), "{shown}");
    assert!(shown.contains("› you (cli)  13:36  change of the approval mode: safe"), "{shown}");
    assert!(shown.contains("v3 on its way"), "also where the goal stands:\n{shown}");
    let shown = draw(&with(Lang::Zh, (120, 40), controls)).join("\n");
    assert!(shown.contains("修改目标：Under 45 s") && shown.contains("下一步读取"), "{shown}");
    assert!(shown.contains("v3 待读取"), "{shown}");
}

#[test]
fn without_a_worker_nobody_reads_it_at_the_next_step() {
    let mut model = with(Lang::En, (120, 40), vec![goal("Under 45 s")]);
    sample::change(&mut model, |view| view.alive = false);
    let shown = draw(&model).join("\n");
    assert!(
        shown.contains("read once a worker has the run") && !shown.contains("at the next step"),
        "{shown}"
    );
}

#[test]
fn it_is_seen_of_a_run_in_which_nothing_happened_yet_and_on_a_small_screen() {
    let mut model = with(Lang::En, (60, 20), vec![goal("Under 45 s")]);
    sample::change(&mut model, |view| {
        view.steps = Default::default();
        view.open.items.clear();
    });
    let shown = draw(&model).join("\n");
    assert!(shown.contains("edit of the goal: Under 45 s"), "{shown}");
    assert!(shown.contains("on its way, read at the next step"), "{shown}");
}
