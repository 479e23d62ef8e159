//! The panel Context: the table at each size, in both languages.

use super::*;
use crate::inspect::Ending;
use crate::run::budget_table::Trim;
use crate::ui::app::sample;
use crate::ui::theme::Role;
use crate::ui::words::Lang;
use ratatui::buffer::Buffer;

fn rows(lang: Lang, size: (u16, u16)) -> Vec<String> {
    sample::draw_part(&sample::model(lang, (120, 40)), size, draw).1
}

#[test]
fn the_table_of_120_by_40() {
    assert_eq!(
        rows(Lang::En, (48, 16)),
        [
            "slot        used  budget bar      items trimmed ",
            "system     1,184   1,500 ██████░░   2           ",
            "tools      2,716   3,000 ███████░  13           ",
            "goal         412     800 ████░░░░   1           ",
            "core         238     500 ████░░░░   1           ",
            "summary    2,640   4,000 █████░░░   1           ",
            "recent    12,207  15,372 ██████░░   8 −2 rounds…",
            "long-term  1,311   2,000 █████░░░   4 −1 score  ",
            "state        903   1,500 █████░░░   4           ",
            "reserve    4,096   4,096 ████████     kept free ",
            "─────────────────────────────────────────────── ",
            "total     25,707  32,768 ██████░░  78 %         ",
            "prompt 21,611 · server 21,840 · free 7,061      ",
            "drift +229 (+1.1 %) · tokenizer.json            ",
            "cached 4,544 (20 %) · next trim: recent         ",
            "x exact request                                 ",
        ]
    );
}

#[test]
fn the_table_of_80_by_24_in_chinese() {
    assert_eq!(
        rows(Lang::Zh, (77, 15)),
        [
            "部分        已用     预算  占用              条数  裁剪                      ",
            "系统       1,184    1,500  █████████████░░░     2                            ",
            "工具       2,716    3,000  ██████████████░░    13                            ",
            "目标         412      800  ████████░░░░░░░░     1                            ",
            "要点         238      500  ████████░░░░░░░░     1                            ",
            "摘要       2,640    4,000  ███████████░░░░░     1                            ",
            "近期      12,207   15,372  █████████████░░░     8  −2 轮 +1                  ",
            "长期       1,311    2,000  ██████████░░░░░░     4  去掉 1 条                 ",
            "状态         903    1,500  ██████████░░░░░░     4                            ",
            "预留       4,096    4,096  ████████████████        留给回复                  ",
            "──────────────────────────────────────────────────────────────────────       ",
            "合计      25,707   32,768  █████████████░░░  78 %  空余 7,061                ",
            "提示词 21,611 · 服务器计 21,840 · 偏差 +229（+1.1 %）                        ",
            "缓存 4,544（20 %）· 下一个裁剪：近期 · tokenizer.json                        ",
            "x 原始请求                                                                   ",
        ]
    );
}

#[test]
fn a_tall_panel_tells_who_counted_and_what_was_trimmed() {
    let rows = rows(Lang::En, (48, 36));
    assert_eq!(
        rows[12..23],
        [
            "prompt 21,611 + reserve 4,096 · free 7,061      ",
            "counted by tokenizer.json (exact)               ",
            "                                                ",
            "Last reply (step 14)                            ",
            " we counted 21,611 · server 21,840 · reply 386  ",
            " drift +229 (+1.1 %)                            ",
            " cached by the server 4,544 (20 %)              ",
            "                                                ",
            "Trimmed for step 14                             ",
            " recent     2 rounds · folded           −3,918  ",
            " recent     2 old outputs · dropped t…  −1,204  ",
        ]
    );
    assert_eq!(rows[23].trim_end(), " long-term  1 item under score 0.35       −288");
    assert_eq!(rows[24].trim_end(), " system and goal are never trimmed");
}

#[test]
fn what_left_before_is_told_apart_from_what_left_for_this_step() {
    for (lang, lines) in [
        (
            Lang::En,
            ["Trimmed for step 14", " nothing trimmed", "Trimmed since the start", " recent     20 rounds"],
        ),
        (Lang::Zh, ["第 14 步的裁剪", " 没有裁剪", "开始以来的裁剪", " 近期       20 轮"]),
    ] {
        let mut model = sample::model(lang, (120, 40));
        sample::change(&mut model, |view| {
            let table = &mut view.asked.as_mut().unwrap().table;
            table.rows.iter_mut().for_each(|row| row.trimmed.clear());
            let (what, why) = ("20 rounds".to_owned(), "folded".to_owned());
            table.since_start = vec![Trim { what, why, tokens: 31_000 }];
            table.next = None;
        });
        let tall = sample::draw_part(&model, (48, 36), draw).1;
        let at = |words: &str| {
            tall.iter()
                .position(|row| row.starts_with(words))
                .unwrap_or_else(|| panic!("{words} in {tall:#?}"))
        };
        assert!(lines.map(at).is_sorted(), "{tall:#?}");
        assert!(tall[at(lines[3])].contains("−31,000"), "{tall:#?}");
        let low = sample::draw_part(&model, (48, 16), draw).1;
        assert!(!low.iter().any(|row| row.contains("next trim") || row.contains("下一个裁剪")), "{low:#?}");
        // What left just now is not told twice.
        sample::change(&mut model, |view| {
            let table = &mut view.asked.as_mut().unwrap().table;
            let trimmed = table.since_start.clone();
            table
                .rows
                .iter_mut()
                .filter(|row| row.slot == Slot::Recent)
                .for_each(|row| row.trimmed = trimmed.clone());
        });
        let tall = sample::draw_part(&model, (48, 36), draw).1;
        assert!(!tall.iter().any(|row| row.starts_with(lines[2])), "{tall:#?}");
    }
}

#[test]
fn a_drift_that_was_learnt_says_so() {
    let mut model = sample::model(Lang::En, (120, 40));
    sample::change(&mut model, |view| {
        if let Some(asked) = &mut view.asked {
            (asked.table.exact, asked.table.learnt) = (false, Some(1_020));
        }
    });
    let tall = sample::draw_part(&model, (48, 36), draw).1;
    assert!(
        tall.iter().any(|row| row.trim_end() == " drift +229 (+1.1 %), learnt for this model"),
        "{tall:#?}"
    );
    let low = |width| sample::draw_part(&model, (width, 16), draw).1;
    assert_eq!(low(48)[13].trim_end(), "drift +229 (+1.1 %) · ≈ tokenizer.json, learnt");
    assert!(low(90)[13].trim_end().ends_with(" · ≈ tokenizer.json, learnt"), "{:#?}", low(90));
    assert_eq!(low(45)[13].trim_end(), "drift +229 (+1.1 %) · ≈ tokenizer.json", "where there is no room");
}

#[test]
fn narrow_tables_lose_the_items_then_the_bar_then_the_budget() {
    let heading = |width| rows(Lang::En, (width, 14))[0].trim_end().to_owned();
    assert_eq!(heading(47), "slot        used  budget bar      items trimmed");
    assert_eq!(heading(46), "slot        used  budget bar      trimmed");
    assert_eq!(heading(42), "slot        used  budget trimmed");
    assert_eq!(heading(33), "slot        used trimmed");
    assert_eq!(rows(Lang::En, (33, 14))[6].trim_end(), "recent    12,207 −2 rounds +1");
    for width in [46, 42, 33] {
        assert!(rows(Lang::Zh, (width, 14))[6].starts_with("近期      12,207"));
    }
}

#[test]
fn what_the_server_has_not_counted_is_unknown() {
    let mut model = sample::model(Lang::En, (120, 40));
    sample::change(&mut model, |view| {
        let mut asked = view.asked.clone().unwrap();
        asked.ending = None;
        asked.table.exact = false;
        view.asked = Some(asked);
    });
    let rows = sample::draw_part(&model, (48, 16), draw).1;
    assert_eq!(rows[12].trim_end(), "prompt ~21,611 · server — · free 7,061");
    assert_eq!(rows[13].trim_end(), "drift +229 (+1.1 %) · ≈ tokenizer.json", "that of the last reply");
    let tall = sample::draw_part(&model, (48, 36), draw).1;
    assert!(tall.iter().any(|row| row.trim_end() == "Last reply (step 13)"), "{tall:?}");
    assert!(tall.iter().any(|row| row.trim_end() == "counted by tokenizer.json (estimate)"));
    // What has no tokenizer of its own is named in the person's language.
    for (lang, by) in [(Lang::En, "≈ the text alone"), (Lang::Zh, "≈ 文字本身")] {
        let mut model = sample::model(lang, (120, 40));
        sample::change(&mut model, |view| {
            let mut asked = view.asked.clone().unwrap();
            (asked.table.exact, asked.table.tokenizer) = (false, "estimate-1".to_owned());
            view.asked = Some(asked);
        });
        let rows = sample::draw_part(&model, (48, 16), draw).1;
        assert!(rows.iter().any(|row| row.contains(by)), "{rows:#?}");
    }
    sample::change(&mut model, |view| {
        let mut state = view.state.as_ref().clone();
        (state.ledger.last_usage, state.ledger.drift) = (None, None);
        view.state = std::sync::Arc::new(state);
    });
    let rows = sample::draw_part(&model, (48, 16), draw).1;
    assert_eq!(rows[13].trim_end(), "drift — (—) · ≈ tokenizer.json");
    assert_eq!(rows[14].trim_end(), "cached — (—) · next trim: recent");
}

/// Case C15: what a server took from its cache fills the window like all else, though it is cheap.
#[test]
fn what_the_server_had_in_its_cache_counts_as_used_wherever_the_window_is_shown() {
    let with = |size: (u16, u16), cached: u64, more: u32| {
        let mut model = sample::model(Lang::En, size);
        sample::change(&mut model, |view| {
            let asked = view.asked.as_mut().unwrap();
            // More than the window: a server that has a larger one than was believed.
            let usage = Usage { prompt: 40_631, completion: 386, cached, estimated: false };
            if let Some(Ending::Replied(replied)) = &mut asked.ending {
                replied.usage = usage;
            }
            let recent = asked.table.rows.iter_mut().find(|row| row.slot == Slot::Recent).unwrap();
            recent.used += more;
            let mut state = view.state.as_ref().clone();
            state.ledger.last_usage = Some(usage);
            view.state = std::sync::Arc::new(state);
        });
        model
    };
    for cached in [0, 36_000] {
        let rows = sample::draw_part(&with((120, 40), cached, 0), (48, 16), draw).1;
        assert_eq!(rows[12].trim_end(), "prompt 21,611 · server 40,631 · free 7,061");
        assert_eq!(rows[13].trim_end(), "drift +19,020 (+88.0 %) · tokenizer.json");
    }
    let rows = sample::draw_part(&with((120, 40), 36_000, 0), (48, 16), draw).1;
    assert!(rows[14].starts_with("cached 36,000 (88 %)"), "{rows:?}");
    // The share is that of the whole request, above 100 % too: in the panel, and in its tab where there is no room for it.
    for cached in [0, 36_000] {
        let screen = sample::draw(&with((120, 40), cached, 15_000)).join("\n");
        assert!(screen.lines().any(|row| row.contains("total") && row.contains("124 %")), "{screen}");
        let screen = sample::draw(&with((80, 24), cached, 15_000)).join("\n");
        assert!(screen.contains("2 Context 124%"), "{screen}");
    }
}

#[test]
fn before_the_first_request_it_says_what_comes() {
    let mut model = sample::model(Lang::En, (120, 40));
    sample::change(&mut model, |view| view.asked = None);
    let rows = sample::draw_part(&model, (30, 4), draw).1;
    assert_eq!(rows[..2], ["No request yet: the table     ", "comes with step 1.            "]);
    assert!(note(&model).is_empty());
}

#[test]
fn the_note_names_step_and_strategy_and_the_slot_is_marked_with_the_focus() {
    let mut model = sample::model(Lang::Zh, (80, 24));
    assert_eq!(note(&model)[0].text, "第 14 步 · 综合策略");
    model.look.lang = Lang::En;
    model.look.words = crate::ui::words::Words::of(Lang::En);
    assert_eq!(note(&model)[0].text, "step 14 · combined");
    model.focus = Panel::Context;
    model.lists.slot = 2;
    let area = Rect::new(0, 0, 60, 20);
    let mut buf = Buffer::empty(area);
    let mut drawn = Drawn::default();
    let inside = Rect::new(2, 1, 48, 16);
    draw(&model, inside, &mut Pen::new(&model.look, &mut buf), &mut drawn);
    assert_eq!(buf[(1, 4)].symbol(), "▌");
    assert_eq!(buf[(2, 4)].symbol(), "g");
    let warn = model.look.theme.style(Role::Warn).fg;
    assert_eq!(Some(buf[(40, 7)].fg), warn, "what was trimmed");
    // Little room: the selected slot stays in view, the total too; the rule gives way to one more slot.
    model.lists.slot = 8;
    let rows = sample::draw_part(&model, (48, 5), draw).1;
    assert!(rows[3].starts_with("▌eserve") && rows[4].starts_with("total"), "{rows:?}");
}

#[test]
fn what_a_slot_borrows_and_what_was_shortened_is_said_in_the_table() {
    use crate::run::budget_table::{BudgetTable, Slot, Trim};
    let shown = |lang: Lang, size: (u16, u16), change: &dyn Fn(&mut BudgetTable)| {
        let mut model = sample::model(lang, (120, 40));
        sample::change(&mut model, |view| change(&mut view.asked.as_mut().unwrap().table));
        let rows = sample::draw_part(&model, size, draw).1;
        let name = lang.slot(Slot::Recent);
        rows.into_iter().find(|row| row.starts_with(name)).unwrap().trim_end().to_owned()
    };
    let recent = |table: &mut BudgetTable, used: u32, trimmed: Vec<Trim>| {
        let row = table.rows.iter_mut().find(|row| row.slot == Slot::Recent).unwrap();
        (row.used, row.trimmed) = (used, trimmed);
    };
    let borrows = |table: &mut BudgetTable| recent(table, 16_576, Vec::new());
    assert!(shown(Lang::En, (48, 16), &borrows).ends_with("  8 borrows"));
    assert!(shown(Lang::Zh, (48, 16), &borrows).ends_with("  8 借用"));
    assert!(shown(Lang::En, (77, 15), &borrows).ends_with("borrows 1,204"));
    assert!(shown(Lang::Zh, (77, 15), &borrows).ends_with("借用 1,204"));
    let full = |table: &mut BudgetTable| recent(table, 15_372, Vec::new());
    assert!(shown(Lang::En, (77, 15), &full).ends_with("  8"), "to the last token is not over");
    let short = |table: &mut BudgetTable| {
        let trim = Trim { what: "2 outputs".to_owned(), why: Trim::SHORTENED.to_owned(), tokens: 90 };
        recent(table, 16_576, vec![trim]);
    };
    assert!(shown(Lang::En, (100, 15), &short).ends_with("2 shortened · borrows 1,204"));
    assert!(shown(Lang::Zh, (100, 15), &short).ends_with("缩短 2 份 · 借用 1,204"));
}
