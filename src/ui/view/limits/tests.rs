//! Limits: the panel and the lines.

use super::*;
use crate::run::Settings;
use crate::run::state::Ledger;
use crate::ui::app::sample;
use crate::ui::layout::{Needs, Panel, layout};
use crate::ui::words::Lang;
use std::sync::Arc;

fn strip_rows(model: &Model, focus: Panel) -> Vec<String> {
    let draw = |model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn| {
        strip(model, &layout(area, focus, Needs { message: 1, ..Needs::default() }), pen, drawn);
    };
    let rows = sample::draw_part(model, model.size, draw).1;
    rows.into_iter().filter(|row| !row.trim().is_empty()).map(|row| row.trim_end().to_owned()).collect()
}

fn change(model: &mut Model, change: impl FnOnce(&mut Ledger, &mut Settings)) {
    sample::change(model, |view| {
        let mut state = view.state.as_ref().clone();
        let mut settings = state.ledger.settings.as_deref().cloned().unwrap();
        change(&mut state.ledger, &mut settings);
        state.ledger.settings = Some(Arc::new(settings));
        view.state = Arc::new(state);
    });
}

#[test]
fn the_panel_of_200_by_60() {
    let model = sample::model(Lang::En, (200, 60));
    let rows = sample::draw_part(&model, (72, 13), panel).1;
    assert_eq!(
        rows,
        [
            "steps                   15 / 50      ████░░░░░░░░ 2 of them undone      ",
            "run tokens         144,883 / 300,000 ██████░░░░░░ about 7 steps left    ",
            "cost                 $0.04 / $2.00   █░░░░░░░░░░░ $0.20 / $0.60 per M   ",
            "active time          11:45 / 30:00   █████░░░░░░░ 13:15 waiting left out",
            "tool calls              23 / 200     █░░░░░░░░░░░                       ",
            "calls a minute           1 / 30      █░░░░░░░░░░░                       ",
            "failures in a row        0 / 3       ░░░░░░░░░░░░ 3 = pause and ask     ",
            "same call, result        1 / 3       ████░░░░░░░░ 3 = pause and ask     ",
            "one model call      21,611 / 32,768  ████████░░░░                       ",
            "database            3.1 MB / —                                          ",
            "                                                                        ",
            "                                                                        ",
            "Tokens: uncached prompt + reply. At 80 % you are asked to raise it.     ",
        ]
    );
    let note: String = note(&model).iter().map(|part| part.text.as_ref()).collect();
    assert_eq!(note, "L change");
}

#[test]
fn the_lines_of_120_by_40() {
    let model = sample::model(Lang::En, (120, 40));
    assert_eq!(
        strip_rows(&model, Panel::Loop),
        [
            " steps 15/50 ██░░░░  tokens 144,883/300,000 ███░░░ about 7 steps left          cost $0.04/2.00  time 11:45/30:00 ██░░░░",
            " calls 23/200 · 1/30 a minute · failures in a row 0/3 · same call 1/3           30,000 tokens kept for the final report",
        ]
    );
}

#[test]
fn the_lines_of_80_by_24() {
    let model = sample::model(Lang::En, (80, 24));
    assert_eq!(
        strip_rows(&model, Panel::Loop),
        [
            " context 25,707/32,768 ████████░░ 78 % · recent 12,207 · free 7,061",
            " tokens 144,883/300,000 ███░░░ about 7 steps left · steps 15/50 · 11:45/30:00",
            " cost $0.04/2.00 · calls 23/200 · failures 0/3 · same call 1/3",
        ]
    );
    assert_eq!(strip_rows(&model, Panel::Context).len(), 2, "the panel says it");
    let zh = sample::model(Lang::Zh, (80, 24));
    assert_eq!(
        strip_rows(&zh, Panel::Context)[0],
        " 词元 144,883/300,000 ███░░░ 约还能走 7 步 · 步数 15/50 · 用时 11:45/30:00"
    );
    // The cost line yields first, then the context.
    let mut low = sample::model(Lang::En, (80, 16));
    assert_eq!(strip_rows(&low, Panel::Loop).len(), 3);
    low.size = (80, 14);
    assert!(strip_rows(&low, Panel::Loop).is_empty());
}

#[test]
fn what_is_unknown_or_endless_has_no_bar() {
    let mut model = sample::model(Lang::En, (200, 60));
    change(&mut model, |ledger, settings| {
        settings.model.price = None;
        settings.limits.cost_micro = None;
        settings.limits.breaker = 0;
        ledger.totals.cost_micro = 0;
        ledger.price_unknown = true;
    });
    let rows = sample::draw_part(&model, (72, 13), panel).1;
    assert_eq!(rows[2].trim_end(), "cost                     — · no limit             price unknown");
    assert_eq!(rows[6].trim_end(), "failures in a row        0 · no limit");
    model.size = (120, 40);
    assert!(strip_rows(&model, Panel::Loop)[0].contains("cost —  time"));
    change(&mut model, |ledger, settings| {
        settings.limits.cost_micro = Some(2_000_000);
        ledger.totals.cost_micro = 30_000;
    });
    let line = &strip_rows(&model, Panel::Loop)[0];
    assert!(line.contains("cost at least $0.03/"), "{line}");
}

#[test]
fn the_steps_that_are_left_are_those_of_the_nearer_limit() {
    let mut model = sample::model(Lang::En, (200, 60));
    assert_eq!(steps_left(model.view().unwrap()), Some(7), "125,117 tokens at 15,722 a step");
    change(&mut model, |_, settings| settings.limits.steps = 17);
    assert_eq!(steps_left(model.view().unwrap()), Some(2));
    change(&mut model, |ledger, _| ledger.totals.charged = 299_000);
    assert_eq!(steps_left(model.view().unwrap()), Some(0));
    sample::change(&mut model, |view| view.checkpoints = Arc::new(Vec::new()));
    assert_eq!(steps_left(model.view().unwrap()), None);
}
