//! The panel Loop: steps, folds, the reply that comes in.

use super::*;
use crate::provider::{ErrorKind, ModelError};
use crate::run::{Body, CallStatus, Outcome};
use crate::ui::app::model::LiveRun;
use crate::ui::app::sample::{self, draw_part};
use crate::ui::app::transcript::{Place, Spot, fold, fold_all, go, line, page, top};
use crate::ui::feed::{Ending, Item, StepView, Text};
use crate::ui::words::{Lang, Phase};
use std::sync::Arc;
use std::time::Duration;

mod ends;

fn spot(step: u32, item: Option<usize>) -> Spot {
    Spot { step, item }
}

/// The inside at the size that it has on a screen of the model's size.
fn drawn(model: &Model, size: (u16, u16)) -> Vec<String> {
    let rows = draw_part(model, size, draw).1;
    rows.iter().map(|row| row.trim_end().to_owned()).collect()
}

fn open_step(model: &mut Model, change: impl FnOnce(&mut StepView)) {
    sample::change(model, |view| change(&mut view.open));
}

pub(in crate::ui::view) fn streaming(model: &mut Model, text: &str, thought: &str) {
    let since = model.clock.mono - Duration::from_millis(6_200);
    let live = LiveRun {
        phase: Some(Phase::Infer),
        since,
        waits: None,
        took: vec![(Phase::Load, Duration::from_millis(3)), (Phase::Assemble, Duration::from_millis(4))],
        text: text.to_owned(),
        thought: thought.to_owned(),
        pieces: 232,
        estimated: false,
        first: Some(since + Duration::from_millis(800)),
    };
    model.live.insert(model.run.clone().unwrap(), live);
    open_step(model, |open| {
        open.items.truncate(1);
        if let Some(Item::Asked { at, ending, text, reasoning, .. }) = open.items.first_mut() {
            *at = sample::now() - 6_200;
            (*ending, *text, *reasoning) = (Ending::Open, None, None);
        }
    });
    sample::change(model, |view| {
        let mut state = (*view.state).clone();
        state.ledger.open.clear();
        view.state = state.into();
    });
}

#[test]
fn two_calls_wait_as_drawn() {
    let model = sample::model(Lang::En, (120, 40));
    let rows = drawn(&model, (67, 16));
    let expected = [
        "✓ load  ✓ assemble  ✓ infer 9.8s  ✓ judge  ! ACT 0:42  · commit",
        "",
        "▸ 9   Bench harness.                                      2 calls ✓",
        "▸ 10  Is there a crate for it?                            2 calls ⊘",
        "▸ 11  The bench harness is in. Let me take a first number. 1 call ✗",
        "▸ 12  The fixture is under target/. I correct the path.    1 call ✓",
        "▸ 13  Where do 203 s go? I profile before I change anyth… 3 calls ✓",
        "▾ 14  ▸ thinking ~19 tokens (T shows)",
        "    Each field goes to the file by itself: 2 M rows × 19 fields is",
        "    about 38 M system calls. The cure that keeps every byte:",
        "    … 8 more lines  [+]",
        "    ✓ read_file  src/export/writer.rs           12ms  212 lines [+]",
        "    ! edit_file  src/export/writer.rs  +18 −7   waits for you  0:42",
        "    ! shell      cargo bench --bench export     waits for you  0:42",
        "",
        "reply 386 tokens · 42 tok/s · o fold  w wrap  x exact request",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn where_the_phases_have_no_room_the_shortest_times_give_way_first() {
    let mut model = sample::model(Lang::En, (120, 40));
    streaming(&mut model, "", "");
    let run = model.run.clone().unwrap();
    model.live.get_mut(&run).unwrap().took.push((Phase::Judge, Duration::from_millis(1)));
    let at = |width: u16| drawn(&model, (width, 16))[0].clone();
    assert_eq!(at(68), "✓ load 3ms  ✓ assemble 4ms  ▸ INFER 6.2s  · judge  · act  · commit");
    assert_eq!(at(65), "✓ load  ✓ assemble 4ms  ▸ INFER 6.2s  · judge  · act  · commit");
    assert_eq!(at(61), "✓ load  ✓ assemble  ▸ INFER 6.2s  · judge  · act  · commit");
    assert_eq!(at(50), "…  ▸ INFER 6.2s  · judge  · act  · commit");
}

#[test]
fn chinese_stands_in_its_cells() {
    let model = sample::model(Lang::Zh, (120, 40));
    let rows = drawn(&model, (67, 16));
    assert_eq!(rows[0], "✓ 载入  ✓ 组装  ✓ 推理 9.8s  ✓ 判定  ! 执行 0:42  · 提交");
    assert_eq!(rows[13], "    ! shell      cargo bench --bench export          等你处理  0:42");
    assert_eq!(rows[15], "回复 386 词元 · 42 词元/秒 · o 折叠  w 换行  x 原始请求");
}

#[test]
fn a_small_screen_has_the_strip_and_steps_alone() {
    let model = sample::model(Lang::En, (80, 24));
    let rows = drawn(&model, (77, 11));
    assert!(rows[0].starts_with("✓ load"));
    assert_eq!(rows[10], "    ! shell      cargo bench --bench export               waits for you  0:42");
}

#[test]
fn a_large_screen_shows_outputs_and_changes() {
    let mut model = sample::model(Lang::En, (200, 60));
    for step in [11, 12, 13] {
        model.transcript.folds.insert(spot(step, None), false);
    }
    let rows = drawn(&model, (72, 80));
    let has = |text: &str| assert!(rows.iter().any(|row| row == text), "{text}\n{}", rows.join("\n"));
    has("▾ 11  agent  The bench harness is in. Let me take a first number.");
    has("    ✗ shell  cargo bench --bench export                  9.0 s  exit 101");
    has("      │ error: couldn't read `fixtures/rows-2m.csv`");
    has("      │ … 5 more lines · 325 B · Enter shows all");
    has("    ◆ checkpoint 11  13:30:20  12,887 tokens  no files");
    has("      │ -const ROWS: &str = \"fixtures/rows-2m.csv\";");
    has("      │ +const ROWS: &str = \"target/fixtures/rows-2m.csv\";");
    has("    ◆ checkpoint 12  13:32:31  14,360 tokens  ~1 file");
    has("    ✓ note   fact: 71 % of the time is write_all, once a field      2 ms");
    has("      │   71.02%  ledger  [.] std::io::Write::write_all");
    has("      │ … 37 more lines · 1.2 KiB · Enter shows all");
}

#[test]
fn the_answer_of_a_run_that_ended_stays_unfolded() {
    let mut model = sample::model(Lang::En, (120, 40));
    model.live.clear();
    let told = |kind| Item::Other { seq: 900, at: 0, kind, words: String::new() };
    open_step(&mut model, |open| open.items = vec![told("core_kept"), told("paused")]);
    let rows = drawn(&model, (68, 30));
    let open = |step: u32| rows.iter().any(|row| row.starts_with(&format!("▾ {step} ")));
    assert!(open(13), "nothing of step 14 has begun\n{}", rows.join("\n"));
    assert!(!open(12), "{}", rows.join("\n"));
}

#[test]
fn what_was_refused_stays_to_be_read_once_its_step_is_over() {
    let mut model = sample::model(Lang::En, (120, 40));
    let refused = |item: &str| Item::Other {
        seq: 1,
        at: sample::now(),
        kind: "control_refused",
        words: format!("edit goal: the edit was made from version 1, the goal is at version {item}"),
    };
    for (step, before) in [(12, false), (13, true)] {
        let mut view = (*model.transcript.steps[&step]).clone();
        let at = if before { 0 } else { view.items.len() };
        view.items.insert(at, refused(&step.to_string()));
        model.transcript.steps.insert(step, Arc::new(view));
    }
    let rows = drawn(&model, (100, 40)).join("\n");
    for step in [12, 13] {
        assert!(rows.contains(&format!("▸ {step}  ")), "it is folded:\n{rows}");
        let line = format!(
            "edit of the goal was not applied: the edit was made from version 1, the goal is at version {step}"
        );
        assert!(rows.contains(line.get(..80).unwrap()), "{rows}");
    }
}

#[test]
fn a_result_that_is_remembered_is_one_row_in_both_languages() {
    for (lang, said) in [(Lang::En, "· remembered: 加快导入"), (Lang::Zh, "· 已记住：加快导入")]
    {
        let mut model = sample::model(lang, (120, 40));
        open_step(&mut model, |open| {
            let words = format!("加快导入 — 解码最慢\u{1b}[2J{}", "，再说一次".repeat(60));
            open.items.push(Item::Other { seq: 900, at: 0, kind: "result_kept", words });
        });
        let rows = drawn(&model, (67, 40));
        let of: Vec<&String> = rows.iter().filter(|row| row.contains("再说一次")).collect();
        assert_eq!(of.len(), 1, "{}", rows.join("\n"));
        assert!(of[0].trim_start().starts_with(said) && of[0].trim_end().ends_with('…'), "{}", of[0]);
        assert!(!of[0].contains('\u{1b}'));
    }
}

#[test]
fn a_source_of_vectors_that_does_not_answer_is_told_also_while_its_step_is_folded() {
    for (lang, said) in [
        (Lang::En, "! memories are found by their words alone: http://x: HTTP 500"),
        (Lang::Zh, "! 记忆仅凭词语查找：http://x: HTTP 500"),
    ] {
        let mut model = sample::model(lang, (120, 40));
        let words = "http://x: HTTP 500".to_owned();
        let item = Item::Other { seq: 900, at: 0, kind: "memories_recalled", words };
        assert!(super::items::stays(&item));
        open_step(&mut model, |open| open.items.push(item.clone()));
        let rows = drawn(&model, (67, 40));
        assert!(rows.iter().any(|row| row.contains(said)), "{}", rows.join("\n"));
    }
}

#[test]
fn a_plan_that_a_person_changed_is_told() {
    for (lang, said) in
        [(Lang::En, "the plan was changed by a person: 2/5 done"), (Lang::Zh, "计划已由人修改：2/5 完成")]
    {
        let mut model = sample::model(lang, (120, 40));
        open_step(&mut model, |open| {
            open.items.push(Item::Other { seq: 900, at: 0, kind: "plan_edited", words: "2/5".to_owned() });
        });
        let rows = drawn(&model, (67, 40));
        assert!(rows.iter().any(|row| row.contains(said)), "{}", rows.join("\n"));
    }
}

#[test]
fn a_long_message_of_the_person_is_folded_and_unfolds() {
    let mut model = sample::model(Lang::En, (120, 40));
    let long = "forty thousand letters ".repeat(1_800);
    open_step(&mut model, |open| {
        let text = Text { shown: long.clone(), body: Body::Inline(long.clone()) };
        open.items.push(Item::Person { seq: 900, at: sample::now(), text });
    });
    let said = |model: &Model| {
        let rows = drawn(model, (67, 2_000));
        let of = |row: &&String| row.contains("thousand") || row.contains('┃') && row.contains("more lines");
        rows.iter().filter(of).count()
    };
    assert_eq!(said(&model), 13, "twelve lines, and how many more there are");
    assert!(drawn(&model, (67, 16)).join("\n").contains("more lines  [+]"));
    fold_all(&mut model.transcript);
    assert!(said(&model) > 700, "all means all: {}", said(&model));
    fold_all(&mut model.transcript);
    let last = model.view().unwrap().open.items.len() - 1;
    model.transcript.at = Some(spot(14, Some(last)));
    fold(&mut model, false);
    assert!(said(&model) > 700, "{}", said(&model));
}

#[test]
fn what_a_tool_refused_is_told_in_the_language_of_the_screen() {
    let refused = "error [not_found]: there is no folder \"x\" in the workspace.\nwhat to do: Leave `path` out to list \
                   the workspace itself.";
    let mut model = sample::model(Lang::Zh, (200, 60));
    open_step(&mut model, |open| {
        let Some(Item::Call(call)) = open.items.iter_mut().find(|item| matches!(item, Item::Call(_))) else {
            panic!()
        };
        call.status = CallStatus::Failed;
        call.result = Some(Text { shown: refused.to_owned(), body: Body::Inline(refused.to_owned()) });
    });
    let shown = drawn(&model, (100, 40)).join("\n");
    assert!(shown.contains("│ 错误（不存在）：工作目录中没有文件夹 \"x\"。"), "{shown}");
    assert!(shown.contains("│ 怎么办：要列出工作目录本身，请省略 `path`。"), "{shown}");
    assert!(!shown.contains("what to do"), "{shown}");
}

#[test]
fn words_of_the_person_stand_between_folded_steps() {
    let mut model = sample::model(Lang::En, (120, 40));
    model.transcript.at = Some(spot(8, None));
    let rows = drawn(&model, (67, 16));
    let at = rows.iter().position(|row| row.starts_with("┃ you  13:24  Keep the row order")).unwrap();
    assert!(rows[at..].iter().any(|row| row.starts_with("▸ 8   One thread stays")), "{rows:?}");
    assert!(rows.iter().any(|row| row.contains("goal is now v2")), "{rows:?}");
    assert!(rows.iter().any(|row| row.contains("rolled back to step 7, now on timeline 2")), "{rows:?}");
}

#[test]
fn a_reply_that_comes_in_has_a_caret_and_its_figures() {
    let mut model = sample::model(Lang::En, (120, 40));
    streaming(&mut model, "Each field goes to the file by itself.\n\nI read it ag", "");
    let rows = drawn(&model, (67, 16));
    assert_eq!(rows[0], "✓ load 3ms  ✓ assemble 4ms  ▸ INFER 6.2s  · judge  · act  · commit");
    assert_eq!(rows[11], "▾ 14  Each field goes to the file by itself.");
    assert_eq!(rows[13], "    I read it ag▌");
    assert_eq!(rows[15], "232 tokens so far · first token 800 ms · o fold  w wrap");
    let mut model = sample::model(Lang::En, (200, 60));
    streaming(&mut model, "", &"x".repeat(384));
    let rows = drawn(&model, (72, 16));
    assert_eq!(rows[13], "▾ 14  agent  ▸ thinking ~96 tokens (T shows)");
    streaming(&mut model, "", "");
    assert!(drawn(&model, (72, 16))[13].ends_with("waiting for the first token"));
}

#[test]
fn what_was_not_read_is_a_line_and_is_asked_for() {
    let mut model = sample::model(Lang::En, (120, 40));
    model.transcript.steps.clear();
    let (drawn, rows) = draw_part(&model, (67, 16), draw);
    assert!(rows[6].starts_with("▸ 13  ⋯"), "{rows:?}");
    let steps: Vec<u32> = drawn.unread.iter().map(|span| span.step).collect();
    assert_eq!(steps, (4..=13).collect::<Vec<_>>(), "with a margin of five");
    // A step of that number on an abandoned timeline is another step.
    let old = StepView { step: 13, from: 1, to: 2, ..StepView::default() };
    model.transcript.steps.insert(13, Arc::new(old));
    assert!(draw_part(&model, (67, 16), draw).1[6].starts_with("▸ 13  ⋯"));
}

#[test]
fn a_long_history_is_not_laid_out() {
    let mut model = sample::model(Lang::En, (120, 40));
    let span = |step: u32| crate::ui::feed::StepSpan {
        step,
        timeline: 1,
        from: u64::from(step) * 2,
        to: u64::from(step) * 2 + 1,
    };
    sample::change(&mut model, |view| {
        view.steps = Arc::new((1..=50_000).map(span).collect());
        view.open.step = 50_001;
    });
    for at in [None, Some(spot(1, None)), Some(spot(25_000, None)), Some(spot(50_001, Some(2)))] {
        model.transcript.at = at;
        let unread = draw_part(&model, (67, 16), draw).0.unread;
        assert!((5..60).contains(&unread.len()), "{at:?}: {} steps", unread.len());
    }
}

#[test]
fn what_is_cut_between_two_pieces_has_its_sign() {
    let model = sample::model(Lang::En, (60, 16));
    for columns in 30..70 {
        for row in drawn(&model, (columns, 11)).iter().filter(|row| row.contains("edit_file")) {
            assert!(row.contains("+18 −7") || row.contains('…'), "{columns}: {row}");
        }
    }
}

/// What the journal has of a server that answers 429 with these words.
fn busy(words: &str) -> String {
    let detail = format!("HTTP 429: {words}");
    ModelError::new(ErrorKind::RateLimited, "https://api.example/v1/chat/completions", &detail).message
}

#[test]
fn retries_checks_holds_and_the_end_are_told() {
    let mut model = sample::model(Lang::En, (120, 40));
    let retry_at = Some(model.clock.wall + 37_000);
    open_step(&mut model, |open| {
        let Some(Item::Asked { ending, .. }) = open.items.first_mut() else { panic!() };
        *ending = Ending::Failed { kind: "rate_limited".to_owned(), message: busy("slow down"), retry_at };
        open.items.truncate(1);
        open.items.push(Item::Checked { seq: 900, index: 1, passed: false, detail: "exit 3".to_owned() });
        open.items.push(Item::Held { seq: 901, why: crate::run::Hold::Breaker(3) });
        open.items.push(Item::Ended { seq: 902, at: 0, outcome: Outcome::Cancelled });
        open.items.push(Item::Other {
            seq: 903,
            at: 0,
            kind: "control_refused",
            words: "limits: no".to_owned(),
        });
    });
    let rows = drawn(&model, (67, 30));
    let has =
        |text: &str| assert!(rows.iter().any(|row| row.starts_with(text)), "{text}\n{}", rows.join("\n"));
    has("    ✗ server busy (429): “slow down”                  again in 0:37");
    has("    ✗ check failed: cmd:cargo test · exit 3");
    has("    ! 3 failures in a row");
    has("    ⊘ cancelled");
    has("    ✗ change of limits was not applied: no");
}

#[test]
fn hidden_characters_of_an_output_are_codes() {
    let mut model = sample::model(Lang::En, (200, 60));
    open_step(&mut model, |open| {
        let Some(Item::Call(call)) = open.items.iter_mut().find(|item| matches!(item, Item::Call(_))) else {
            panic!()
        };
        call.result = Some(crate::ui::feed::Text::of(&Body::Inline("a\u{1b}[31mred\u{200b}".to_owned())));
        call.status = CallStatus::Done;
    });
    let rows = drawn(&model, (72, 40)).join("\n");
    assert!(rows.contains("\\u{200b}") && !rows.contains('\u{1b}'), "{rows}");
}

#[test]
fn no_size_and_no_place_breaks_it() {
    let places =
        [None, Some(spot(1, None)), Some(spot(9, Some(1))), Some(spot(14, Some(3))), Some(spot(99, Some(9)))];
    for lang in Lang::ALL {
        let mut model = sample::model(lang, (200, 60));
        model.transcript.unfolded = true;
        for columns in 0..60 {
            for rows in 0..20 {
                model.transcript.at = places[usize::from(columns + rows) % places.len()];
                draw_part(&model, (columns, rows), draw);
            }
        }
    }
}

#[test]
fn the_selected_item_stays_on_its_row() {
    let mut model = sample::model(Lang::En, (120, 40));
    (model.drawn, _) = sample::draw_with(&model);
    let place = line(&model, -1);
    assert_eq!(place, Place { at: Some(spot(14, Some(3))), skip: 0 }, "the newest item first");
    go(&mut model, place);
    let before = sample::draw_with(&model).1;
    assert!(before.iter().any(|row| row.contains("▌    ! shell")), "{}", before.join("\n"));
    for _ in 0..4 {
        (model.drawn, _) = sample::draw_with(&model);
        let place = line(&model, -1);
        go(&mut model, place);
    }
    assert_eq!(model.transcript.at, Some(spot(14, None)));
    let (drawn, rows) = sample::draw_with(&model);
    let row = rows.iter().position(|row| row.contains("▌▾ 14")).unwrap();
    model.drawn = drawn;
    // New rows below do not move what is read.
    open_step(&mut model, |open| {
        let last = open.items.last().cloned().unwrap();
        open.items.extend([last.clone(), last]);
    });
    let rows = sample::draw(&model);
    assert_eq!(rows.iter().position(|row| row.contains("▌▾ 14")), Some(row), "{}", rows.join("\n"));
    assert!(rows.iter().any(|row| row.contains("━ ↓ 2 new ━")), "{}", rows[3]);
}

#[test]
fn movement_goes_by_items_and_ends_in_following() {
    let mut model = sample::model(Lang::En, (120, 40));
    (model.drawn, _) = sample::draw_with(&model);
    assert_eq!(line(&model, 1), Place::default());
    assert_eq!(top(&model).at, Some(spot(1, None)));
    let place = top(&model);
    go(&mut model, place);
    assert_eq!(line(&model, -1), top(&model));
    assert_eq!(line(&model, 2).at, Some(spot(3, None)));
    assert_eq!(line(&model, 10_000), Place::default(), "past the end it follows");
    let below = page(&model, true).at.unwrap();
    assert!(below.step > 4, "{below:?}");
    let place = page(&model, true);
    go(&mut model, place);
    let place = page(&model, false);
    go(&mut model, place);
    assert!(model.transcript.at.unwrap().step <= 2);
    model.transcript.at = None;
    assert!(page(&model, false).at.unwrap().step < 14);
    // An item that is higher than the view is scrolled line by line.
    go(&mut model, Place { at: Some(spot(14, Some(0))), skip: 0 });
    fold(&mut model, false);
    let all = spots_of(&model, 13).into_iter().find(|(own, _)| *own == spot(14, Some(0))).unwrap().1;
    let rows = view_size(&model).1;
    assert!(all > 8, "{all} rows");
    assert_eq!(line(&model, 1).skip, usize::from(all > rows));
}

#[test]
fn folding_an_item_that_is_as_usual_folds_its_step() {
    let mut model = sample::model(Lang::En, (120, 40));
    model.transcript.at = Some(spot(14, Some(1)));
    fold(&mut model, false);
    assert!(drawn(&model, (67, 40)).iter().any(|row| row.contains("│    3")), "the whole output");
    fold(&mut model, true);
    assert_eq!(model.transcript.at, Some(spot(14, Some(1))));
    fold(&mut model, true);
    assert_eq!(model.transcript.at, Some(spot(14, None)));
    assert!(drawn(&model, (67, 40)).iter().any(|row| row.starts_with("▸ 14")));
    fold(&mut model, false);
    fold_all(&mut model.transcript);
    assert!(drawn(&model, (67, 400)).iter().filter(|row| row.starts_with("▾")).count() >= 14);
    fold_all(&mut model.transcript);
    assert_eq!(drawn(&model, (67, 400)).iter().filter(|row| row.starts_with("▾")).count(), 1);
}

#[test]
fn a_reply_that_broke_off_stays_and_says_so() {
    let mut model = sample::model(Lang::En, (120, 40));
    streaming(&mut model, "Each field goes to the file", "");
    let caret = drawn(&model, (67, 16)).join("\n");
    assert!(caret.contains("Each field goes to the file▌") && !caret.contains("will be retried"), "{caret}");
    let later = model.clock.wall + 20_000;
    open_step(&mut model, |open| {
        if let Some(Item::Asked { ending, .. }) = open.items.first_mut() {
            *ending = Ending::Failed {
                kind: "cut_stream".to_owned(),
                message: String::new(),
                retry_at: Some(later),
            };
        }
    });
    let cut = drawn(&model, (67, 16)).join("\n");
    assert!(cut.contains("Each field goes to the file") && cut.contains("✗ cut, will be retried"), "{cut}");
    assert!(!cut.contains('▌'), "{cut}");
}

#[test]
fn a_failure_is_told_in_words_and_never_by_its_internals() {
    let mut model = sample::model(Lang::En, (120, 40));
    let mut shown = |lang, kind: &str, message: String, retry_at| {
        model.look = sample::look(lang);
        let kind = kind.to_owned();
        open_step(&mut model, |open| {
            let Some(Item::Asked { ending, .. }) = open.items.first_mut() else { panic!() };
            *ending = Ending::Failed { kind, message, retry_at };
            open.items.truncate(1);
        });
        drawn(&model, (100, 16)).into_iter().find(|row| row.contains('✗')).unwrap().trim().to_owned()
    };
    assert_eq!(shown(Lang::En, "rate_limited", busy("{}"), Some(0)), "✗ server busy (429)");
    assert_eq!(
        shown(Lang::Zh, "rate_limited", busy("slow\u{200b}er"), Some(0)),
        "✗ 服务器忙（429）：“slow\\u{200b}er”"
    );
    let long = shown(Lang::En, "rate_limited", busy(&"wait ".repeat(50)), Some(0));
    assert!(long.starts_with("✗ server busy (429): “wait wait") && long.ends_with("…”"), "{long}");
    let refused = ModelError::new(ErrorKind::Connect, "http://127.0.0.1:1/v1", "tcp connect error").message;
    assert_eq!(
        shown(Lang::En, "connect", refused.clone(), None),
        "✗ the server cannot be reached · see that it runs, and that base_url is right"
    );
    assert_eq!(
        shown(Lang::Zh, "connect", refused, None),
        "✗ 连不上服务器 · 请确认它在运行，且 base_url 正确"
    );
    // Of a form that is not known nothing is shown but what is known.
    assert_eq!(shown(Lang::En, "rate_limited", "x http://y {}".to_owned(), Some(0)), "✗ server busy");
    assert_eq!(shown(Lang::En, "model_error", "x http://y".to_owned(), Some(0)), "✗ the model gave no reply");
}

#[test]
fn of_an_output_that_is_here_in_part_no_lines_are_counted() {
    let recorded = |model: &mut Model, bytes| {
        open_step(model, |step| {
            for item in &mut step.items {
                if let Item::Call(call) = item
                    && call.tool == "read_file"
                {
                    call.output = Some(Body::Blob { hash: crate::run::Hash::of(b"it"), bytes });
                }
            }
        });
    };
    let cases = [
        (Lang::En, (120, 40), (67, 30), "36.1 MiB [+]"),
        (Lang::En, (200, 60), (74, 40), "… more · 36.1 MiB · Enter shows all"),
        (Lang::Zh, (200, 60), (74, 40), "… 还有更多 · 36.1 MiB · 按 Enter 看全部"),
    ];
    for (lang, screen, size, says) in cases {
        let mut model = sample::model(lang, screen);
        recorded(&mut model, 37_853_594);
        let rows = drawn(&model, size).join("\n");
        assert!(rows.contains(says), "{rows}");
        assert!(!rows.contains("212 ") && !rows.contains("209 "), "{rows}");
        // More was written than is kept: it is at least so much.
        recorded(&mut model, (64 << 20) + 35);
        let rows = drawn(&model, size).join("\n");
        assert!(rows.contains("64.0 MiB+"), "{rows}");
    }
}
