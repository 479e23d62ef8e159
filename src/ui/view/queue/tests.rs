//! The panel Queue: order, signs, marks, other runs.

use super::*;
use crate::ui::app::{lists, sample};
use crate::ui::words::Lang;
use std::sync::Arc;

fn rows(model: &Model, size: (u16, u16)) -> Vec<String> {
    sample::draw_part(model, size, draw).1
}

#[test]
fn the_queue_of_120_by_40() {
    let model = sample::model(Lang::En, (120, 40));
    assert_eq!(
        rows(&model, (40, 13)),
        [
            "2 wait · 22 done · 1 failed · 1 denied  ",
            "  call tool      what        class   age",
            "▌!14.2 edit_file …/writer.rs effect 0:42",
            " !14.3 shell     cargo benc… effect 0:42",
            " ✓14.1 read_file …/writer.rs read   12ms",
            " ✓13.3 plan                  inner   1ms",
            " ✓13.2 note      71 % of th… inner   2ms",
            " ✓13.1 shell     perf recor… effect 4.2s",
            " ✓12.1 edit_file …/export.rs effect  3ms",
            " ✗11.1 shell     cargo benc… effect 9.0s",
            " ⊘10.2 http_get  lib.exampl… read    you",
            " ✓10.1 search    write_all(  read   18ms",
            "Space mark  M marked  a d e decide  ↓ 16",
        ]
    );
    assert_eq!(note(&model), [part(Role::NeedsYou, "! 2")]);
}

#[test]
fn the_queue_of_80_by_24_in_chinese() {
    let mut model = sample::model(Lang::Zh, (80, 24));
    model.lists.all_runs = true;
    let rows = rows(&model, (77, 11));
    assert_eq!(
        rows[..6],
        [
            "2 待处理 · 22 完成 · 1 失败 · 1 拒绝                                         ",
            "  调用 工具         内容                                          类别   时长",
            "▌!14.2 edit_file    src/export/writer.rs                          副作用 0:42",
            " !14.3 shell        cargo bench --bench export                    副作用 0:42",
            " !1.1  http_get     api.osv.dev/v1/query                          副作用 3:20",
            "       r-91c2 Weekly dependency report                                       ",
        ]
    );
    assert!(rows[6].starts_with(" ✓14.1 read_file"), "{rows:#?}");
    assert!(rows[10].contains("o 本任务"), "{rows:#?}");
}

#[test]
fn the_key_for_all_runs_offers_this_run_while_they_are_shown() {
    let mut model = sample::model(Lang::En, (80, 24));
    assert!(rows(&model, (77, 11))[10].contains("o all runs"));
    model.lists.all_runs = true;
    let shown = rows(&model, (77, 11));
    assert!(shown[10].contains("o this run") && !shown[10].contains("all runs"), "{shown:#?}");
    // The selected call is in view, also where lines of runs stand between.
    model.focus = Panel::Queue;
    for size in [(40, 5), (40, 3), (77, 4)] {
        for at in 0..lists::queue_rows(&model).len() {
            lists::select(&mut model, Panel::Queue, at);
            let shown = rows(&model, size);
            assert_eq!(shown.iter().filter(|row| row.starts_with('▌')).count(), 1, "{at}: {shown:#?}");
        }
    }
}

#[test]
fn only_the_keys_that_work_on_the_call_are_shown() {
    for (lang, size, answer, edit) in [
        (Lang::En, (77, 11), "a answer", "e edit"),
        (Lang::En, (35, 37), "a answer", "e edit"),
        (Lang::Zh, (77, 11), "a 回答", "e 改参数"),
    ] {
        let mut model = sample::model(lang, (120, 40));
        let keys = |model: &Model| rows(model, size).join("\n");
        assert!(keys(&model).contains("a d e") || keys(&model).contains(edit), "{}", keys(&model));
        let mut shot = model.shot.as_deref().cloned().unwrap();
        shot.waiting.iter_mut().for_each(|waiting| waiting.call.class = Class::Person);
        model.shot = Some(Arc::new(shot.clone()));
        let shown = keys(&model);
        assert!(shown.contains(answer) && shown.contains(" d "), "{shown}");
        assert!(!shown.contains(edit) && !shown.contains("a d e"), "{shown}");
        shot.waiting.iter_mut().for_each(|waiting| waiting.call.class = Class::Effect);
        shot.waiting.iter_mut().for_each(|waiting| waiting.call.status = CallStatus::Uncertain);
        model.shot = Some(Arc::new(shot));
        let shown = keys(&model);
        assert!(!shown.contains(edit) && !shown.contains(" d ") && !shown.contains(answer), "{shown}");
    }
}

#[test]
fn a_tall_panel_has_steps_other_runs_and_the_selected_call() {
    let model = sample::model(Lang::En, (200, 60));
    let shown = rows(&model, (35, 37));
    assert_eq!(
        shown[..11],
        [
            "▌!14.2 edit_file sr…/writer.rs 0:42",
            " !14.3 shell     cargo bench … 0:42",
            "                                   ",
            "Other runs                         ",
            " !1.1  http_get  api.osv.dev/… 3:20",
            "       r-91c2 Weekly dependency re…",
            "                                   ",
            "Step 14                            ",
            " ✓14.1 read_file sr…/writer.rs 12ms",
            "Step 13                            ",
            " ✓13.3 plan                     1ms",
        ]
    );
    let has = |text: &str| shown.iter().any(|row| row.trim_end() == text);
    assert!(has("       \"no new crates, see goal\""), "{shown:#?}");
    assert!(has("Selected 14.2 · waiting") && has(" class   effect"), "{shown:#?}");
    assert!(shown.iter().any(|row| row.starts_with(" asked   mode ask: a call with an")), "{shown:#?}");
    assert_eq!(
        shown[34..],
        [
            "Enter whole call  Space mark       ",
            "a review  d deny  e edit           ",
            "! 2 · ✓ 22 · ✗ 1 · ⊘ 1             ",
        ]
    );
}

#[test]
fn the_selected_call_stays_in_view_and_is_told() {
    let mut model = sample::model(Lang::En, (200, 60));
    lists::ends(&mut model, Panel::Queue, false);
    let shown = rows(&model, (35, 30));
    let at = shown.iter().position(|row| row.starts_with('▌')).unwrap();
    assert!(shown[at].starts_with("▌✓1.1"), "{shown:#?}");
    assert!(shown.iter().any(|row| row.trim_end() == "Selected 1.1 · done"), "{shown:#?}");
    assert!(shown.iter().any(|row| row.trim_end() == " attempt 1 · 12ms"), "{shown:#?}");
    // One that was undone says so.
    let undone =
        lists::queue_rows(&model).iter().position(|row| row.call().timeline == 1 && row.call().step == 9);
    lists::select(&mut model, Panel::Queue, undone.unwrap());
    let shown = rows(&model, (35, 37));
    assert!(shown.iter().any(|row| row.trim_end() == " on another timeline"), "{shown:#?}");
}

#[test]
fn marks_doubts_and_decisions_on_their_way_are_seen() {
    let mut model = sample::model(Lang::En, (120, 40));
    let (second, third) = {
        let rows = lists::queue_rows(&model);
        (rows[0].call().clone(), rows[1].call().clone())
    };
    model.lists.marked.insert(third.call_id.clone());
    let call = Some((second.call_id.clone(), second.attempt, second.since));
    let run = second.run.clone();
    model.sent.push(crate::ui::app::model::Sent { ticket: 1, run, call, news: String::new() });
    let shown = rows(&model, (40, 13));
    assert_eq!(shown[0].trim_end(), "! 1 · ○ 1 · ✓ 22 · ✗ 1 · ⊘ 1 · 1 marked");
    assert_eq!(shown[2], "▌!14.3•shell     cargo benc… effect 0:42");
    assert_eq!(shown[3], " ○14.2 edit_file …/writer.rs effect    …");
    assert_eq!(note(&model), [part(Role::NeedsYou, "! 1")]);
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting[1].call.status = CallStatus::Uncertain;
    for waiting in &mut shot.waiting {
        waiting.call.status = CallStatus::Uncertain;
    }
    model.shot = Some(Arc::new(shot));
    let shown = rows(&model, (40, 13));
    assert!(shown[0].starts_with("? 1 · ○ 1 · ✓ 22"), "{shown:#?}");
    assert!(shown[2].starts_with("▌?14.3"), "{shown:#?}");
}

#[test]
fn nothing_at_all_says_what_comes() {
    let mut model = sample::model(Lang::En, (120, 40));
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting.clear();
    model.shot = Some(Arc::new(shot));
    sample::change(&mut model, |view| view.calls.clear());
    let shown = rows(&model, (40, 13));
    assert_eq!(shown[0].trim_end(), "Nothing waits. Calls that need you");
    assert_eq!(shown[1].trim_end(), "appear here.");
    assert!(note(&model).is_empty());
}

#[test]
fn a_hostile_call_stays_on_its_row() {
    let mut model = sample::model(Lang::En, (120, 40));
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting[1].args.shown = "{\"command\":\"a\\u001b[2Jb\\u202ec\"}".to_owned();
    shot.waiting[1].call.tool = "she\u{200b}ll".to_owned();
    for waiting in &mut shot.waiting {
        waiting.args.shown = "{\"command\":\"\\u202ec\"}".to_owned();
    }
    model.shot = Some(Arc::new(shot));
    let shown = rows(&model, (60, 13));
    assert!(shown[2].contains("\\u{202e}c"), "{shown:#?}");
    assert!(shown.iter().all(|row| !row.contains('\u{202e}') && !row.contains('\u{200b}')));
}

#[test]
fn how_long_a_call_took_is_known_without_its_step() {
    let mut model = sample::model(Lang::En, (120, 40));
    let before = rows(&model, (40, 13));
    model.transcript.steps.clear();
    assert_eq!(rows(&model, (40, 13)), before);
    sample::change(&mut model, |view| view.calls.iter_mut().for_each(|call| call.ms = None));
    assert!(rows(&model, (40, 13)).iter().any(|row| row.contains("shell") && row.ends_with(" —")));
}

#[test]
fn a_silent_command_says_that_it_lives_and_when_it_wrote_last() {
    use crate::ui::feed::{Signs, Silent};
    let mut model = sample::model(Lang::En, (200, 60));
    let call = model.waiting_here().find(|waiting| waiting.call.tool == "shell").unwrap().call.clone();
    let mut silent = |wrote_at| {
        let silent = vec![Silent { call: call.call_id.clone(), wrote_at }];
        model.beside.signs =
            Some(Signs { run: call.run.clone(), asleep: None, silent, alone: Vec::new(), ended: Vec::new() });
        super::silent(&model, &call.call_id)
    };
    assert_eq!(silent(Some(sample::now() - 41_000)).as_deref(), Some("alive, last output 0:41"));
    assert_eq!(silent(None).as_deref(), Some("alive, no output yet"));
    model.lists.call = Some(call.call_id.clone());
    assert!(rows(&model, (35, 37)).iter().any(|row| row.starts_with(" alive, no output yet")));
    model.beside.signs.as_mut().unwrap().run = crate::run::RunId::new("r-other");
    assert_eq!(super::silent(&model, &call.call_id), None);
}

/// The numbers in a line of counts, added.
fn sum(line: &str) -> u64 {
    line.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u64>().ok()).sum()
}

#[test]
fn every_call_is_in_exactly_one_count_and_no_age_is_empty() {
    use CallStatus::*;
    for (lang, words) in [
        (Lang::En, ["running", "approved", "proposed", "rejected", "cancelled", "denied"]),
        (Lang::Zh, ["运行中", "已批准", "已提出", "驳回", "取消", "拒绝"]),
    ] {
        let mut model = sample::model(lang, (120, 40));
        sample::change(&mut model, |view| {
            let states = [Started, Approved, Proposed, Rejected, Cancelled, Denied];
            for (call, status) in view.calls.iter_mut().skip(2).zip(states) {
                (call.status, call.decided_by) = (status, None);
                call.ended = status.is_closed().then_some(call.since);
            }
        });
        let all = lists::queue_rows(&model).len() as u64;
        let wide = rows(&model, (120, 13));
        assert_eq!(sum(&wide[0]), all, "{}", wide[0]);
        assert!(words.iter().all(|word| wide[0].contains(word)), "{}", wide[0]);
        // Signs where there is no room for words; they stand for all calls too.
        let narrow = rows(&model, (40, 13));
        assert_eq!(sum(&narrow[0]), all, "{}", narrow[0]);
        assert!(narrow[0].starts_with("! 2 · ▸ 1 · ○ 2 · ✓ "), "{}", narrow[0]);
        assert!(rows(&model, (35, 37)).iter().any(|row| row.starts_with("! 2 · ▸ 1 · ○ 2 · ✓ ")));
        let ages: Vec<&str> = wide[4..10].iter().filter_map(|row| row.split_whitespace().last()).collect();
        assert!(ages[..3].iter().all(|age| age.contains(':')), "{ages:?}");
        assert_eq!(ages[3..], ["—", "—", "—"]);
    }
}

#[test]
fn of_more_calls_than_are_read_the_store_counts() {
    let mut model = sample::model(Lang::En, (120, 40));
    sample::change(&mut model, |view| {
        view.counts = Some(vec![(CallStatus::Waiting, 2), (CallStatus::Done, 1_300)]);
    });
    assert_eq!(rows(&model, (40, 13))[0].trim_end(), "2 wait · 1,300 done");
    // A decision on its way is no longer among those that wait.
    let call = lists::queue_rows(&model)[0].call().clone();
    let sent = Some((call.call_id.clone(), call.attempt, call.since));
    model.sent.push(crate::ui::app::model::Sent {
        ticket: 1,
        run: call.run,
        call: sent,
        news: String::new(),
    });
    assert_eq!(rows(&model, (40, 13))[0].trim_end(), "1 waits · 1 sending · 1,300 done");
}

#[test]
fn a_running_call_is_as_old_as_its_attempt_wherever_its_age_stands() {
    let mut model = sample::model(Lang::En, (120, 40));
    let now = model.clock.wall;
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting.clear();
    model.shot = Some(Arc::new(shot));
    sample::change(&mut model, |view| {
        let place = |call: &crate::ui::feed::CallView| call.tool == "shell";
        let seen = view.open.items.iter_mut().find_map(|item| match item {
            crate::ui::feed::Item::Call(call) if place(call) => Some(call),
            _ => None,
        });
        let seen = seen.unwrap();
        (seen.status, seen.attempt, seen.started) = (CallStatus::Started, 1, Some(now - 16_000));
        let id = seen.call_id.clone();
        // A worker took it up again eight seconds ago.
        let row = view.calls.iter_mut().find(|row| row.call_id == id).unwrap();
        (row.status, row.attempt, row.since) = (CallStatus::Started, 1, now - 8_000);
    });
    let shown = rows(&model, (40, 13));
    assert!(shown.iter().any(|row| row.contains("▸14.3") && row.ends_with("0:16")), "{shown:#?}");
    let quit = crate::ui::dialog::quit::Quit::new(&model);
    let (_, quit) = sample::draw_dialog_in(quit.as_ref(), &model, 60, 12);
    assert!(quit.iter().any(|row| row.contains("0:16")), "{quit:#?}");
    let screen = sample::draw_part(&model, (80, 20), crate::ui::view::transcript::draw).1;
    assert!(screen.iter().any(|row| row.contains("cargo bench") && row.ends_with("0:16")), "{screen:#?}");
}

#[test]
fn the_heading_is_whole_where_all_ages_are_short() {
    for (lang, age) in [(Lang::En, "age"), (Lang::Zh, "时长")] {
        let mut model = sample::model(lang, (80, 24));
        let mut shot = model.shot.as_deref().cloned().unwrap();
        shot.waiting.clear();
        model.shot = Some(Arc::new(shot));
        sample::change(&mut model, |view| {
            view.calls.retain(|call| call.status == CallStatus::Done);
            view.calls.iter_mut().for_each(|call| call.ms = Some(2));
        });
        for width in [77, 40, 36] {
            let shown = rows(&model, (width, 11));
            assert!(shown[1].trim_end().ends_with(age) && !shown[1].contains('…'), "{width}: {}", shown[1]);
        }
    }
}

#[test]
fn the_name_of_a_tool_is_whole_where_there_is_room_for_it() {
    let mut model = sample::model(Lang::En, (160, 45));
    sample::change(&mut model, |view| {
        view.calls.iter_mut().for_each(|call| call.tool = "write_file".to_owned());
    });
    let at = |width, height| rows(&model, (width, height)).join("\n");
    assert!(at(54, 13).contains("write_file ") && !at(54, 13).contains("write_fi…"), "{}", at(54, 13));
    assert!(at(40, 13).contains("write_fi… "), "what a call is about comes first: {}", at(40, 13));
    assert!(at(54, 40).contains("write_file ") && !at(54, 40).contains("write_fi…"), "{}", at(54, 40));
}
