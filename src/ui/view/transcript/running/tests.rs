//! The output of a running call in the panel Loop.

use super::super::draw;
use super::*;
use crate::run::{Body, CallStatus};
use crate::ui::app::sample::{self, draw_part};
use crate::ui::feed::{CallView, Item, Outputs, Text};
use crate::ui::words::Lang;

/// The waiting command runs.
fn runs(size: (u16, u16), lang: Lang) -> Model {
    let mut model = sample::model(lang, size);
    change(&mut model, |call| (call.status, call.attempt) = (CallStatus::Started, 1));
    model
}

fn change(model: &mut Model, change: impl FnOnce(&mut CallView)) {
    sample::change(model, |view| {
        let call = view.open.items.iter_mut().rev().find_map(|item| match item {
            Item::Call(call) if call.tool == "shell" => Some(call),
            _ => None,
        });
        change(call.unwrap());
    });
}

fn wrote(model: &mut Model, lines: Option<u64>, tail: &str) {
    let view = model.view().unwrap();
    let call = view.open.calls().find(|call| call.tool == "shell").unwrap().call_id.clone();
    let running = Running { call, attempt: 1, bytes: 3_500, lines, tail: tail.to_owned() };
    let run = view.state.run.clone();
    model.beside.outputs = Some(Outputs { run, calls: vec![running] });
}

fn rows_of(model: &Model, size: (u16, u16)) -> Vec<String> {
    draw_part(model, size, draw).1.iter().map(|row| row.trim_end().to_owned()).collect()
}

#[test]
fn the_last_lines_stand_under_a_running_call() {
    let mut model = runs((120, 40), Lang::En);
    wrote(&mut model, Some(120), "one\ntwo\nthree\na\u{1b}[31m\u{200b}\n");
    let rows = rows_of(&model, (67, 20));
    let at = rows.iter().position(|row| row.contains("▸ shell")).unwrap();
    assert_eq!(rows[at + 1], "      │ … 117 lines before · 3.4 KiB so far · Enter shows all");
    assert_eq!(rows[at + 2..at + 4], ["      │ two", "      │ three"]);
    assert!(rows[at + 4].contains("\\u{200b}") && !rows.concat().contains('\u{1b}'), "{}", rows[at + 4]);
    // All that is known, once it is unfolded.
    model.transcript.folds.insert(Spot { step: 14, item: Some(3) }, false);
    let rows = rows_of(&model, (67, 20));
    assert!(rows.contains(&"      │ … 116 lines before · 3.4 KiB so far · Enter shows all".to_owned()));
    assert!(rows.contains(&"      │ one".to_owned()), "{rows:#?}");
    // What was not counted is not told.
    wrote(&mut model, None, "one\n");
    assert!(rows_of(&model, (67, 20)).contains(&"      │ … 3.4 KiB so far · Enter shows all".to_owned()));
    wrote(&mut model, Some(1), "one\n");
    assert!(!rows_of(&model, (67, 20)).concat().contains("so far"), "all of it stands there");
    let mut chinese = runs((120, 40), Lang::Zh);
    wrote(&mut chinese, Some(2_000), "one\n");
    assert!(
        rows_of(&chinese, (67, 20)).concat().contains("… 之前有 1,999 行 · 目前 3.4 KiB · 按 Enter 看全部")
    );
}

#[test]
fn another_attempt_or_run_shows_nothing_of_it() {
    let mut model = runs((120, 40), Lang::En);
    wrote(&mut model, Some(1), "old words\n");
    change(&mut model, |call| call.attempt = 2);
    assert!(!rows_of(&model, (67, 20)).concat().contains("old words"));
    change(&mut model, |call| call.attempt = 1);
    assert!(rows_of(&model, (67, 20)).concat().contains("old words"));
    model.beside.outputs.as_mut().unwrap().run = crate::run::RunId::new("r-0000");
    assert!(!rows_of(&model, (67, 20)).concat().contains("old words"));
}

#[test]
fn what_is_read_does_not_move_when_the_output_grows_or_the_record_comes() {
    for size in [(120, 40), (200, 60)] {
        for item in [None, Some(0), Some(3)] {
            let mut model = runs(size, Lang::En);
            // With something below it: what stands at the end moves up to be seen whole.
            sample::change(&mut model, |view| {
                let held = |seq| Item::Held { seq, why: crate::run::Hold::Breaker(3) };
                view.open.items.extend((900..908).map(held));
            });
            model.transcript.at = Some(Spot { step: 14, item });
            let place = |model: &mut Model| {
                let (drawn, rows) = sample::draw_with(model);
                model.drawn = drawn;
                let row = rows.iter().position(|row| row.contains('▌')).unwrap();
                (row, rows[row].chars().skip(1).take(30).collect::<String>())
            };
            place(&mut model);
            wrote(&mut model, Some(1), "one\n");
            let (before, _) = place(&mut model);
            wrote(&mut model, Some(90), "one\ntwo\nthree\nfour\n");
            assert_eq!(place(&mut model).0, before, "{size:?} {item:?}");
            change(&mut model, |call| {
                call.status = CallStatus::Done;
                call.result = Some(Text::of(&Body::Inline(format!("exit 0\n{}", "line\n".repeat(90)))));
            });
            assert_eq!(place(&mut model).0, before, "{size:?} {item:?}");
        }
    }
}
