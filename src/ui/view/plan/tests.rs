//! The panel Plan: the tree and what is open.

use super::*;
use crate::ui::app::{lists, sample};
use crate::ui::words::Lang;
use std::sync::Arc;

fn rows(model: &Model, size: (u16, u16)) -> Vec<String> {
    sample::draw_part(model, size, draw).1
}

fn change(model: &mut Model, change: impl FnOnce(&mut Path)) {
    sample::change(model, |view| {
        let mut state = view.state.as_ref().clone();
        change(&mut state.path);
        view.state = Arc::new(state);
    });
}

#[test]
fn the_plan_of_120_by_40() {
    let model = sample::model(Lang::En, (120, 40));
    assert_eq!(
        rows(&model, (31, 13)),
        [
            "✓ 1 Measure the baseline: 214 s",
            "✓ 2 Find the hot spot          ",
            "  ✓ 2.1 Bench fixture, 2 M rows",
            "  ✓ 2.2 Profile: write_all 71 %",
            "● 3 Buffer the writer          ",
            "  ✓ 3.1 Read writer.rs         ",
            "  ● 3.2 BufWriter, 1 MiB       ",
            "  ○ 3.3 Bench again            ",
            "○ 4 Compare bytes, old and new ",
            "○ 5 Write docs/export.md       ",
            "                               ",
            "1 open question · 1 fact       ",
            " Is row order part of the spec?",
        ]
    );
    assert_eq!(note(&model)[0].text, "2/5");
    assert_eq!(note(&sample::model(Lang::Zh, (200, 60)))[0].text, "2/5 完成");
}

#[test]
fn what_the_agent_is_at_is_in_view_until_the_person_chooses() {
    let mut model = sample::model(Lang::Zh, (120, 40));
    let shown = rows(&model, (24, 6));
    assert_eq!(shown[2].trim_end(), "  ● 3.2 BufWriter, 1 MiB", "{shown:#?}");
    assert_eq!(shown[4].trim_end(), "1 个未决问题 · 1 条事实", "{shown:#?}");
    model.focus = Panel::Plan;
    lists::ends(&mut model, Panel::Plan, true);
    let shown = rows(&model, (24, 6));
    assert_eq!(shown[0].trim_end(), "▌ 1 Measure the baselin…", "{shown:#?}");
}

#[test]
fn what_was_given_up_or_needs_a_look_says_so_and_nothing_says_what_comes() {
    let mut model = sample::model(Lang::En, (120, 40));
    change(&mut model, |path| {
        path.plan[0].state = PlanState::Failed;
        path.plan[1].state = PlanState::NeedsReview;
        path.plan[2].title = "\u{1b}[31mred\u{202e}".to_owned();
    });
    let shown = rows(&model, (50, 13));
    assert_eq!(shown[0].trim_end(), "✗ 1 Measure the baseline: 214 s · given up");
    assert_eq!(shown[1].trim_end(), "? 2 Find the hot spot · needs a look");
    assert!(shown[2].contains("\\u{1b}") && shown[2].contains("\\u{202e}"), "{shown:#?}");
    assert_eq!(progress(&model.view().unwrap().state.path.plan), Some((0, 5)));
    change(&mut model, |path| {
        path.plan.clear();
        path.questions.clear();
        path.facts.clear();
    });
    assert_eq!(rows(&model, (50, 3))[0].trim_end(), "No plan yet. The agent writes one when the goal");
    assert!(note(&model).is_empty());
}
