//! The screen around the panels, as rows of text, at the sizes of the mock-ups in both languages; and the whole screen
//! at all small sizes.

use super::{Zone, band, layer};
use crate::run::{Hold, RunState, Turn};
use crate::store::Damage;
use crate::ui::app::model::{Model, News};
use crate::ui::app::sample::{self, draw, draw_with, rows};
use crate::ui::dialog::{Dialog, Shown, Step};
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::layout::{Panel, Size};
use crate::ui::text::width;
use crate::ui::theme::{Glyphs, Role};
use crate::ui::view::paint::{Pen, part};
use crate::ui::words::Lang;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::time::Duration;

fn change_state(model: &mut Model, change: impl FnOnce(&mut RunState)) {
    sample::change(model, |view| {
        let mut state = (*view.state).clone();
        change(&mut state);
        view.state = state.into();
    });
}

/// The run goes on: nothing waits in it.
fn at_work(model: &mut Model) {
    change_state(model, |state| state.ledger.open.clear());
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting.retain(|waiting| Some(&waiting.call.run) != model.run.as_ref());
    model.shot = Some(shot.into());
}

#[test]
fn the_lines_of_a_screen_of_120_columns() {
    let model = sample::model(Lang::En, (120, 40));
    let rows = draw(&model);
    let expected = [
        (
            0,
            " wakeful │ Speed up ledger export · r-7f3a │ ! NEEDS YOU  2 calls wait │ step 14             ask │ qwen3-32b │ 13:36:53 ",
        ),
        (
            1,
            " GOAL v2  `ledger export` of 2 M rows in under 60 s · bytes identical · no new crates · +1     checks 1/3 pass   g edit ",
        ),
        (
            2,
            " ! edit_file src/export/writer.rs +18 −7 has waited 0:42, then shell cargo bench --bench exp…  a review  d deny  e edit ",
        ),
        (
            37,
            " › Message the agent (i)                                                                                                ",
        ),
        (
            38,
            " saved 13:36:11 · worker: here, pid 4121 · db 3.1 MB                                         runs: 2 need you · 1 ended ",
        ),
    ];
    for (at, row) in expected {
        assert_eq!(rows[at], row);
    }
    assert!(
        rows[39].starts_with(" a review  d deny  e edit  p pause  r roll back  i message")
            && rows[39].ends_with(": palette  ? help  q quit "),
        "{}",
        rows[39]
    );
    assert!(
        rows[3].starts_with("┏━ 1 Loop ━━━") && rows[3].contains("━ following ↓ ━┱─ 2 Context ─"),
        "{}",
        rows[3]
    );
    assert!(rows[20].starts_with("┡━ 3 Queue ━━━"), "the title of a neighbour stays: {}", rows[20]);
}

#[test]
fn the_lines_of_a_screen_of_200_columns() {
    let model = sample::model(Lang::En, (200, 60));
    let rows = draw(&model);
    assert!(rows[0].starts_with(
        " wakeful │ Speed up ledger export · r-7f3a │ ! NEEDS YOU  2 calls wait │ step 14 │ timeline 2  "
    ));
    assert!(
        rows[0].ends_with("! 1 call waits in r-91c2: press !  │ ask │ qwen3-32b @ vllm.lan │ 13:36:53 "),
        "{}",
        rows[0]
    );
    assert!(rows[1].ends_with("  1 edit · g edit "));
    assert!(
        rows[2]
            .starts_with("          constraints: bytes identical · no new crates · public API unchanged  ")
    );
    assert!(
        rows[2].ends_with("  checks: ○ file:docs/export.md   ✓ cmd:cargo test   ○ cmd:./bench.sh --max 60 ")
    );
    assert!(rows[56].starts_with(" › Message the agent: it reads it before step 15 (i)"), "{}", rows[56]);
    assert!(
        rows[57]
            .starts_with(" saved 13:34:52, checkpoint 13 · worker: here, pid 4121, owns 1 run · journal "),
        "{}",
        rows[57]
    );
}

#[test]
fn the_lines_of_a_screen_of_80_columns() {
    let model = sample::model(Lang::En, (80, 24));
    let rows = draw(&model);
    let expected = [
        (0, " Speed up ledger export · r-7f3a │ ! NEEDS YOU  2 │ step 14      ask │ 13:36:53 "),
        (1, " GOAL v2  `ledger export` of 2 M rows in under 60 s · bytes identical ·… g edit "),
        (2, " ▐1 Loop▌ 2 Context 78%  3 Queue !2  4 Checkpoints 13  5 Plan 2/5  6 Runs !2    "),
        (16, " ! 14.2 edit_file  src/export/writer.rs  +18 −7          0:42  a review  d deny "),
        (17, " ! 14.3 shell      cargo bench --bench export                     0:42  3 Queue "),
        (21, " › Message the agent (i)                                                        "),
        (22, " saved 13:36:11 · worker: here                       runs: 2 need you · 1 ended "),
    ];
    for (at, row) in expected {
        assert_eq!(rows[at], row, "{}", rows.join("\n"));
    }
    assert!(rows[23].ends_with(" : palette  ? help  q quit "));
}

#[test]
fn tabs_without_room_keep_their_counts() {
    let mut model = sample::model(Lang::En, (60, 16));
    model.focus = Panel::Queue;
    assert_eq!(draw(&model)[2], " 1  2 78%  ▐3 Queue !2▌ 4 13  5 2/5  6 !2                   ");
}

#[test]
fn chinese_lines_stand_in_their_cells() {
    for size in [(120, 40), (200, 60), (80, 24), (50, 14)] {
        let rows = draw(&sample::model(Lang::Zh, size));
        for row in &rows {
            assert_eq!(width(row), usize::from(size.0), "{row}");
        }
        assert!(rows[0].contains("! 等你处理"), "{}", rows[0]);
    }
    let mut model = sample::model(Lang::Zh, (80, 24));
    model.focus = Panel::Context;
    let rows = draw(&model);
    assert_eq!(rows[0], " Speed up ledger export · r-7f3a │ ! 等你处理 2 │ 第 14 步      询问 │ 13:36:53 ");
    assert_eq!(rows[2], " 1 循环  ▐2 上下文 78%▌ 3 队列 !2  4 检查点 13  5 计划 2/5  6 任务 !2           ");
    assert_eq!(rows[22], " 已保存 13:36:11 · 执行者：本机                   2 个任务等你处理 · 1 个已结束 ");
}

#[test]
fn what_needs_the_person_comes_from_holds_and_other_runs_too() {
    let mut model = sample::model(Lang::En, (120, 40));
    at_work(&mut model);
    let rows = draw(&model);
    assert!(rows[0].contains("│ ▸ RUNNING │ step 14"), "{}", rows[0]);
    assert!(rows[2].starts_with(" ! 1 call waits in r-91c2: press !  "), "{}", rows[2]);
    change_state(&mut model, |state| state.ledger.hold = Some(Hold::Breaker(3)));
    let rows = draw(&model);
    assert!(rows[0].contains("! NEEDS YOU  3 failures in a row"), "{}", rows[0]);
    assert!(rows[2].starts_with(" ! 3 failures in a row  a review  i message"), "{}", rows[2]);
}

#[test]
fn banners_stand_worst_first_and_the_rest_is_counted() {
    let mut model = sample::model(Lang::En, (120, 40));
    assert_eq!(band::rows(&model, Size::Quad), 1);
    model.stale = Some((model.clock.mono - Duration::from_secs(70), "the database stayed locked".to_owned()));
    let damage = Damage { first_bad_seq: 90, reason: "checksum".to_owned(), rows: 3, proven: None };
    let wall = model.clock.wall;
    sample::change(&mut model, |view| view.damage = Some(damage));
    change_state(&mut model, |state| {
        let mut settings = state.settings().cloned().unwrap();
        settings.model.price = None;
        state.ledger.settings = Some(settings.into());
        state.ledger.totals.charged = 240_310;
        state.path.turn = Turn::Retry {
            purpose: crate::run::Purpose::Turn,
            attempt: 2,
            until: Some(wall + 37_900),
            kind: "rate_limited".to_owned(),
            message: crate::provider::ModelError::new(
                crate::provider::ErrorKind::RateLimited,
                "https://api.example/v1",
                "HTTP 429: asked for 40 s",
            )
            .message,
        };
    });
    let rows = draw(&model);
    assert_eq!(band::rows(&model, Size::Quad), 4);
    assert!(rows[3].starts_with(" ✗ DATABASE LOCKED  Another program has held it for 1:10;"), "{}", rows[3]);
    assert!(
        rows[4].starts_with(" ✗ DAMAGED  The journal is damaged from event 90; shown as it was at step 13."),
        "{}",
        rows[4]
    );
    assert!(rows[5].starts_with(" +3 more"), "{}", rows[5]);
    model.stale = None;
    sample::change(&mut model, |view| view.damage = None);
    let rows = draw(&model);
    assert!(
        rows[3].starts_with(" ! PRICE UNKNOWN  Cost limit $2.00 but no price for qwen3-32b: not started"),
        "{}",
        rows[3]
    );
    assert!(
        rows[4].starts_with(" ! TOKENS 80 %  240,310 of 300,000 used; about 1 step, then the final report"),
        "{}",
        rows[4]
    );
}

#[test]
fn what_is_not_saved_and_what_gives_no_answer_are_told() {
    for (lang, unsaved, silent) in [
        (
            Lang::En,
            " ✗ NOT SAVED YET  What you did 0:05 ago waits for the database",
            " ✗ NOT READ  The database gives no",
        ),
        (Lang::Zh, " ✗ 尚未保存  你 0:05 前的操作在等数据库", " ✗ 读不到  数据库没有响应"),
    ] {
        let mut model = sample::model(lang, (120, 40));
        model.unposted = Some(model.clock.mono - Duration::from_secs(5));
        model.stale = Some((model.clock.mono - Duration::from_secs(2), String::new()));
        let rows = draw(&model);
        assert!(rows[3].starts_with(unsaved), "{}", rows[3]);
        assert!(rows[4].starts_with(silent), "{}", rows[4]);
    }
}

#[test]
fn a_retry_says_when() {
    let mut model = sample::model(Lang::En, (120, 40));
    at_work(&mut model);
    let until = Some(model.clock.wall + 37_900);
    change_state(&mut model, |state| {
        let message = crate::provider::ModelError::new(
            crate::provider::ErrorKind::RateLimited,
            "https://api.example/v1",
            "HTTP 429: asked for 40 s",
        )
        .message;
        let (purpose, kind) = (crate::run::Purpose::Turn, "rate_limited".to_owned());
        state.path.turn = Turn::Retry { purpose, attempt: 2, until, kind, message };
    });
    let rows = draw(&model);
    assert!(
        rows[3].starts_with(" · RETRY 2/2  Server busy (429): “asked for 40 s”; survives restart"),
        "{}",
        rows[3]
    );
    assert!(rows[3].ends_with(" again in 0:37 "), "{}", rows[3]);
}

#[test]
fn news_stand_where_it_says_what_is_saved_and_go() {
    let mut model = sample::model(Lang::En, (80, 24));
    let until = model.clock.mono + Duration::from_secs(1);
    model.news = Some(News { words: "Copied.".to_owned(), until, refusal: false });
    assert!(draw(&model)[22].starts_with(" Copied.   "));
    model.clock.mono = until;
    assert!(draw(&model)[22].starts_with(" saved "));
}

#[test]
fn the_message_is_typed_on_its_line_with_the_keys_of_typing() {
    let mut model = sample::model(Lang::En, (80, 24));
    model.message.editor = crate::ui::edit::Editor::new("Keep the row order");
    assert!(draw(&model)[21].starts_with(" › Keep the row order (i)"));
    model.message.open = true;
    let (drawn, rows) = draw_with(&model);
    assert!(rows[21].starts_with(" ›▏Keep the row order  "), "{}", rows[21]);
    assert_eq!(drawn.caret, Some(Position { x: 21, y: 21 }));
    assert!(rows[23].starts_with(" Enter send  Ctrl-J new line"), "{}", rows[23]);
}

#[test]
fn keys_can_be_clicked_where_they_are_written() {
    let model = sample::model(Lang::En, (120, 40));
    let (drawn, rows) = draw_with(&model);
    let quit = drawn.zones.iter().find(|(_, zone)| *zone == Zone::Key(Action::QuitAsk)).unwrap().0;
    let text: String =
        rows[usize::from(quit.y)].chars().skip(usize::from(quit.x)).take(usize::from(quit.width)).collect();
    assert_eq!(text, "q quit");
    assert!(drawn.zones.iter().any(|(rect, zone)| *zone == Zone::Panel(Panel::Plan) && rect.y == 20));
}

#[test]
fn the_sizes_below_all_others_say_what_waits_and_how_to_leave() {
    let rows = draw(&sample::model(Lang::En, (38, 5)));
    let expected = [
        " wakeful  38×5, needs 40×10           ",
        " ! 3 calls wait for you               ",
        " Speed up ledger export · step 14     ",
        " Make the window larger. Work goes on.",
        " q quit                               ",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn no_size_breaks_the_screen() {
    for lang in Lang::ALL {
        let mut model = sample::model(lang, (0, 0));
        if lang == Lang::Zh {
            model.layers.push(Box::new(Asks));
        }
        for columns in 0..60 {
            for rows in 0..20 {
                model.message.open = rows % 2 == 0;
                model.focus = Panel::ALL[usize::from(columns) % Panel::ALL.len()];
                model.size = (columns, rows);
                draw(&model);
            }
        }
    }
}

/// A dialog of three rows.
#[derive(Debug)]
struct Asks;

impl Dialog for Asks {
    fn live(&self) -> &'static [Ctx] {
        live::SHOW
    }

    fn title(&self, _model: &Model) -> (String, String) {
        ("Run this command?".to_owned(), "14.3 · 1 of 2".to_owned())
    }

    fn rows(&self, _model: &Model, _width: u16) -> u16 {
        3
    }

    fn draw(&self, _model: &Model, area: Rect, pen: Pen<'_>) -> Shown {
        if area.width > 0 && area.height > 0 {
            pen.buf.set_stringn(
                area.x,
                area.y,
                "cargo bench",
                usize::from(area.width),
                ratatui::style::Style::new(),
            );
        }
        Shown { end: true, rows: 1, caret: Some(area.as_position()), ..Shown::default() }
    }

    fn act(&mut self, _hit: Hit, _model: &mut Model) -> Step {
        Step::Stay
    }
}

#[test]
fn a_dialog_lies_over_the_screen_and_takes_its_clicks() {
    let mut model = sample::model(Lang::Zh, (120, 40));
    model.layers.push(Box::new(Asks));
    let (drawn, rows) = draw_with(&model);
    let row = &rows[17];
    assert!(row.contains("┏━ Run this command? ━━━") && row.contains("━ 14.3 · 1 of 2 ━┓"), "{row}");
    assert!(rows[18].contains("┃ cargo bench"), "{}", rows[18]);
    assert!(rows[21].contains("┗━━━"), "{}", rows[21]);
    assert!(rows.iter().all(|row| width(row) == 120));
    assert!(drawn.zones.is_empty() && drawn.layer.is_some_and(|shown| shown.end));
    assert_eq!(drawn.caret, Some(Position { x: 24, y: 18 }));
    assert_eq!(rows[39].trim(), "", "the dialog has its own keys");
    model.size = (70, 20);
    let rows = draw(&model);
    assert!(
        rows[0].starts_with("┏━ Run this command? ━") && rows[19].ends_with('┛'),
        "all of a narrow screen"
    );
}

#[test]
fn what_waits_in_several_other_runs_is_counted_by_run() {
    let mut model = sample::model(Lang::En, (200, 60));
    let mut shot = model.shot.as_deref().cloned().unwrap();
    let here = model.run.clone().unwrap();
    let mut other = shot.waiting.iter().find(|waiting| waiting.call.run != here).unwrap().clone();
    other.call.run = crate::run::RunId::new("r-4696");
    other.call.call_id = crate::run::CallId::new("c-other");
    shot.waiting.push(other);
    model.shot = Some(std::sync::Arc::new(shot));
    let row = draw(&model).remove(0);
    assert!(row.contains("! 1 call waits in r-91c2, 1 elsewhere: press !"), "{row}");
}

#[test]
fn borders_join_and_titles_stay() {
    let model = sample::model(Lang::En, (20, 10));
    let mut buf = Buffer::empty(Rect::new(0, 0, 20, 7));
    let mut pen = Pen::new(&model.look, &mut buf);
    layer::border(&mut pen, Rect::new(0, 3, 20, 4), false, &[part(Role::Base, "循环 b")], &[]);
    layer::border(
        &mut pen,
        Rect::new(0, 0, 20, 4),
        true,
        &[part(Role::Base, "Loop")],
        &[part(Role::Muted, "note")],
    );
    assert_eq!(
        rows(&buf),
        [
            "┏━ Loop ━━━━━ note ━┓",
            "┃                  ┃",
            "┃                  ┃",
            "┡━ 循环 b ━━━━━━━━━┩",
            "│                  │",
            "│                  │",
            "└──────────────────┘",
        ]
        .map(|row| row.replace("━━━━━ note", "━━━━ note"))
    );
    let mut model = model;
    model.look.glyphs = Glyphs::of(true);
    let mut buf = Buffer::empty(Rect::new(0, 0, 12, 3));
    let mut pen = Pen::new(&model.look, &mut buf);
    layer::border(
        &mut pen,
        Rect::new(0, 0, 12, 3),
        true,
        &[part(Role::Base, "A long title")],
        &[part(Role::Muted, "n")],
    );
    assert_eq!(rows(&buf), ["+= A lon\\ =+", "|          |", "+==========+"]);
}

#[test]
fn the_header_names_the_folder_where_there_is_room_and_cuts_it_at_its_start() {
    let with = |size, folder: &str| {
        let mut model = sample::model(Lang::En, size);
        sample::change(&mut model, |view| {
            let mut state = (*view.state).clone();
            state.ledger.workspace = std::path::PathBuf::from(folder);
            view.state = std::sync::Arc::new(state);
        });
        draw(&model).remove(0)
    };
    assert!(with((200, 60), "/home/ann/src/ledger").contains("  /home/ann/src/ledger │ ! 1 call waits"));
    let long = with((200, 60), "/srv/\u{202e}teams/finance/reports/2026/third-quarter/ledger-export");
    assert!(long.contains("  …ledger-export │ ! 1 call waits"), "{long}");
    assert!(!with((110, 32), "/home/ann/src/ledger").contains("/ann"));
    assert!(!with((80, 24), "/home/ann/src/ledger").contains("/ann"));
}

#[test]
fn a_letter_that_deceives_is_flagged_wherever_a_call_is_named() {
    let args = "{\"command\":\"ex\u{430}m\"}";
    for size in [(60, 20), (120, 40), (200, 60)] {
        let mut model = sample::model(Lang::En, size);
        let mut shot = model.shot.as_deref().cloned().unwrap();
        for waiting in &mut shot.waiting {
            waiting.call.args = crate::run::Body::Inline(args.to_owned());
            waiting.args = crate::ui::feed::Text::of(&waiting.call.args);
        }
        model.shot = Some(std::sync::Arc::new(shot));
        sample::change(&mut model, |view| {
            let body = crate::run::Body::Inline(args.to_owned());
            view.calls.iter_mut().for_each(|call| call.args = body.clone());
            for item in &mut view.open.items {
                if let crate::ui::feed::Item::Call(call) = item {
                    call.args = crate::ui::feed::Text::of(&body);
                }
            }
        });
        for panel in [Panel::Loop, Panel::Queue] {
            model.focus = panel;
            let rows = sample::draw(&model);
            assert!(rows.iter().all(|row| !row.contains('\u{430}')), "{rows:#?}");
            let coded = rows.iter().filter(|row| row.contains("ex\\u{430}m")).count();
            assert!(coded >= 2, "in the band and in the panel: {rows:#?}");
        }
        // The code stands out, as in the review.
        let area = Rect::new(0, 0, size.0, size.1);
        let mut terminal =
            ratatui::Terminal::new(ratatui::backend::TestBackend::new(size.0, size.1)).unwrap();
        let frame = terminal.draw(|frame| drop(super::draw(&model, frame))).unwrap();
        let style = model.look.theme.style(Role::Hidden).add_modifier;
        let marked = area.positions().filter(|at| {
            let cell = frame.buffer.cell(*at).unwrap();
            cell.symbol() == "\\" && cell.modifier.contains(style)
        });
        assert!(marked.count() >= 2, "{size:?}");
    }
}

#[test]
fn the_foot_counts_every_run_at_work_too() {
    let foot = |lang, width, statuses: &[&str]| {
        let mut model = sample::model(lang, (width, 40));
        let mut shot = model.shot.as_deref().cloned().unwrap();
        let row = shot.runs[0].clone();
        shot.waiting.clear();
        shot.runs = statuses
            .iter()
            .map(|status| {
                let mut row = row.clone();
                (row.status, row.wait) =
                    ((*status).to_owned(), (*status == "waiting").then(|| "retry".to_owned()));
                row
            })
            .collect();
        model.shot = Some(shot.into());
        draw(&model)[38].trim_end().to_owned()
    };
    let all = ["running", "waiting", "paused", "interrupted", "interrupted", "completed"];
    let shown = foot(Lang::En, 130, &all);
    assert!(shown.ends_with("  runs: 2 at work · 1 paused · 2 interrupted · 1 ended"), "{shown}");
    let shown = foot(Lang::Zh, 130, &all);
    assert!(shown.ends_with("任务：2 个运行中 · 1 个已暂停 · 2 个已中断 · 1 个已结束"), "{shown}");
    // What stands still gives way to what is at work.
    let shown = foot(Lang::En, 80, &all);
    assert!(shown.ends_with("  runs: 2 at work · 1 ended"), "{shown}");
}

#[test]
fn a_run_with_a_call_that_waits_needs_you_whatever_else_it_does() {
    for status in ["running", "paused"] {
        let mut model = sample::model(Lang::En, (130, 40));
        let mut shot = model.shot.as_deref().cloned().unwrap();
        shot.runs.truncate(1);
        shot.runs[0].status = status.to_owned();
        shot.runs[0].wait = None;
        let id = shot.runs[0].id.clone();
        shot.waiting.retain(|waiting| waiting.call.run == id);
        assert!(!shot.waiting.is_empty());
        model.shot = Some(shot.into());
        assert!(draw(&model)[38].trim_end().ends_with("  runs: 1 needs you"), "{}", draw(&model)[38]);
        model.focus = Panel::Runs;
        let rows = draw(&model);
        assert!(
            rows.iter().any(|row| row.contains("! r-7f3a") || row.contains(&format!("! {status}"))),
            "{rows:#?}"
        );
    }
}
