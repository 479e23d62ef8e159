//! Columns, bars and hints that the panels share.

use super::*;
use crate::run::{Millis, Seq};
use crate::store::CheckpointRow;
use crate::ui::app::{lists, sample};
use crate::ui::layout::{Needs, Panel, layout};
use crate::ui::view::{checkpoints, context, limits, plan, queue, runs, start};
use crate::ui::words::Lang;
use std::sync::Arc;

type Draw = fn(&Model, Rect, &mut Pen<'_>, &mut Drawn);

fn strip(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    for focus in [Panel::Loop, Panel::Context] {
        let needs = Needs { message: 1, ..Needs::default() };
        limits::strip(model, &layout(area, focus, needs), pen, drawn);
    }
}

const ALL: [Draw; 8] = [
    context::draw,
    queue::draw,
    checkpoints::draw,
    plan::draw,
    runs::draw,
    limits::panel,
    strip,
    start::draw,
];

/// Every size, and some large ones.
fn sizes() -> impl Iterator<Item = (u16, u16)> {
    let small = (0..60).flat_map(|width| (0..20).map(move |height| (width, height)));
    small.chain([(80, 24), (120, 40), (33, 60), (200, 60), (500, 3), (2, 200)])
}

#[test]
fn nothing_panics_at_any_size() {
    let mut models: Vec<Model> = Vec::new();
    for lang in Lang::ALL {
        models.push(sample::empty(lang, (200, 60)));
        let mut model = sample::model(lang, (200, 60));
        model.look.glyphs = crate::ui::theme::Glyphs::of(lang == Lang::Zh);
        lists::ends(&mut model, Panel::Checkpoints, false);
        lists::ends(&mut model, Panel::Queue, false);
        models.push(model);
    }
    let mut bare = sample::model(Lang::En, (200, 60));
    sample::change(&mut bare, |view| {
        let mut state = view.state.as_ref().clone();
        state.ledger.settings = None;
        state.path.plan.clear();
        (view.calls, view.asked, view.state) = (Vec::new(), None, Arc::new(state));
        view.checkpoints = Arc::new(Vec::new());
    });
    bare.run = bare.shot.as_ref().unwrap().run.as_ref().map(|view| view.state.run.clone());
    models.push(bare);
    for model in &models {
        for size in sizes() {
            for draw in ALL {
                let (drawn, _) = sample::draw_part(model, size, draw);
                for (zone, _) in &drawn.zones {
                    assert!(
                        zone.right() <= size.0 && zone.bottom() <= size.1.max(zone.y),
                        "{size:?} {zone:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn ten_thousand_rows_are_a_screen_of_rows() {
    let mut model = sample::model(Lang::En, (120, 40));
    let mut shot = model.shot.as_deref().cloned().unwrap();
    let run = shot.runs.last().cloned().unwrap();
    shot.runs = (0..10_000)
        .map(|n| crate::store::RunRow { id: RunId::new(format!("r-{n:012x}")), ..run.clone() })
        .collect();
    shot.runs_total = 12_000;
    model.shot = Some(Arc::new(shot));
    sample::change(&mut model, |view| {
        let last = view.checkpoints.last().cloned().unwrap();
        let row = |n: u32| {
            let mut checkpoint = last.checkpoint.clone();
            checkpoint.seq += Seq::from(n) * 10;
            checkpoint.step += n;
            checkpoint.at += Millis::from(n) * 1_000;
            checkpoint.tokens += u64::from(n) * 1_000;
            CheckpointRow { checkpoint, files: 0, made: 0 }
        };
        view.checkpoints = Arc::new(view.checkpoints.iter().cloned().chain((1..10_000).map(row)).collect());
    });
    let (drawn, rows) = sample::draw_part(&model, (42, 13), checkpoints::draw);
    assert_eq!(rows[2].trim_end(), "▌ 10012 16:21:31   1,000  ·");
    assert!(rows[12].ends_with("↓ 10,007"), "{}", rows[12]);
    assert_eq!(drawn.zones.iter().filter(|(_, zone)| matches!(zone, Zone::Checkpoint(_))).count(), 10);
    lists::ends(&mut model, Panel::Checkpoints, false);
    let (_, rows) = sample::draw_part(&model, (42, 13), checkpoints::draw);
    assert!(rows[11].contains("sum"), "{rows:?}");
    assert!(rows[10].starts_with("▌ 0"), "{rows:?}");
    let (drawn, rows) = sample::draw_part(&model, (73, 13), runs::draw);
    assert!(rows[11].ends_with("2,000 more") || rows[11].trim() == "2,000 more", "{rows:?}");
    assert_eq!(drawn.zones.iter().filter(|(_, zone)| matches!(zone, Zone::Run(_))).count(), 10);
}

#[test]
fn a_subject_keeps_what_tells_it_apart() {
    let look = sample::look(Lang::En);
    let subject = |text: &str, cells| subject(&look, text, cells);
    assert_eq!(subject("src/export/writer.rs", 11), "…/writer.rs");
    assert_eq!(subject("src/export/writer.rs", 24), "src/export/writer.rs    ");
    assert_eq!(subject("https://lib.example/bufwriter", 12), "lib.example…");
    assert_eq!(subject("http://lib.example/x", 12), "http://lib.…");
    assert_eq!(subject("cargo bench --bench export", 11), "cargo benc…");
    assert_eq!(subject("报告/report.md", 20), "报告/report.md      ");
}

#[test]
fn figures_near_their_limit_warn_and_at_it_alarm() {
    assert_eq!(
        [(79, 100), (80, 100), (100, 100), (5, 0)].map(|(used, most)| load(used, most)),
        [Role::Base, Role::Warn, Role::Danger, Role::Base]
    );
    assert_eq!(load(u64::MAX, u64::MAX), Role::Danger);
}

#[test]
fn every_status_of_a_run_has_its_own_sign_or_word() {
    for lang in Lang::ALL {
        let look = sample::look(lang);
        let mut faces: Vec<(&str, String)> =
            ["running", "waiting", "paused", "interrupted", "completed", "limit", "failed", "cancelled"]
                .iter()
                .map(|status| run_face(&look, status, None))
                .map(|(sign, _, word)| (sign, word))
                .collect();
        faces.sort();
        faces.dedup();
        assert_eq!(faces.len(), 8);
        let mut signs: Vec<&str> = faces.iter().map(|(sign, _)| *sign).collect();
        signs.dedup();
        assert_eq!(signs.len(), 8, "the word may have no room");
        assert_eq!(run_face(&look, "waiting", Some("retry")).1, Role::Warn, "it needs nobody");
    }
}
