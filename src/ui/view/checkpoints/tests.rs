//! The panel Checkpoints: rails, signs, what a rollback would undo.

use super::*;
use crate::ui::app::{lists, sample};
use crate::ui::words::Lang;
use std::sync::Arc;

fn rows(model: &Model, size: (u16, u16)) -> Vec<String> {
    sample::draw_part(model, size, draw).1
}

#[test]
fn the_checkpoints_of_120_by_40() {
    let model = sample::model(Lang::En, (120, 40));
    assert_eq!(
        rows(&model, (42, 13)),
        [
            "  step time      tokens  files            ",
            "▸ 14   now       17,682  in progress      ",
            "▌ 13   13:34:52  15,722  ·                ",
            "○ 12   13:32:31  14,360  ~1               ",
            "○ 11   13:30:20  12,887  ·                ",
            "○ 10   13:28:57  11,476  ·                ",
            "○ 9    13:27:31  10,111  ~2               ",
            "○ 8    13:26:02   9,214  ~1               ",
            "│ ○ 9  13:22:40   9,476  ~1  undone       ",
            "│ ○ 8  13:21:15   8,833  ~2  undone       ",
            "├─╯                                       ",
            "○ 7    13:19:58   7,874  ~1               ",
            "r roll back  = compare                 ↓ 8",
        ]
    );
    assert_eq!(note(&model)[0].text, "timeline 2 of 2");
    assert_eq!(note(&sample::model(Lang::En, (200, 60)))[0].text, "1 branch");
}

#[test]
fn the_checkpoints_in_chinese() {
    let model = sample::model(Lang::Zh, (80, 24));
    let shown = rows(&model, (77, 11));
    assert_eq!(shown[0].trim_end(), "  步   时间        词元  文件");
    assert_eq!(shown[1].trim_end(), "▸ 14   现在      17,682  进行中");
    assert_eq!(shown[8].trim_end(), "│ ○ 9  13:22:40   9,476  ~1  已撤销");
    assert_eq!(note(&model)[0].text, "时间线 2/2");
}

#[test]
fn a_tall_panel_says_what_rolling_back_would_undo() {
    let mut model = sample::model(Lang::En, (200, 60));
    lists::step(&mut model, Panel::Checkpoints, 1);
    let shown = rows(&model, (35, 37));
    assert_eq!(shown[3].trim_end(), "▌ 12   13:32:31  14,360 ~1");
    assert_eq!(shown[8].trim_end(), "│ ○ 9  13:22:40   9,476 ~1 undone");
    assert_eq!(shown[19].trim_end(), " sum 127,201 with 18,309 undone");
    let told: Vec<&str> = shown[21..25].iter().map(|row| row.trim_end()).collect();
    assert_eq!(
        told,
        [
            "Step 12, to roll back to",
            " would undo step 13 (15,722 tokens)",
            " files since then: none",
            " cannot be undone: 1 command",
        ]
    );
    // Back before the fork: the undone steps are undone already.
    lists::select(&mut model, Panel::Checkpoints, 9);
    let shown = rows(&model, (48, 37));
    let told: Vec<&str> = shown[21..25].iter().map(|row| row.trim_end()).collect();
    assert_eq!(
        told,
        [
            "Step 6, to roll back to",
            " would undo steps 7–13 (81,644 tokens)",
            " files since then: 5",
            " cannot be undone: 2 commands",
        ]
    );
    // To an undone one: what came after the fork goes.
    lists::select(&mut model, Panel::Checkpoints, 6);
    let shown = rows(&model, (48, 37));
    assert!(shown.iter().any(|row| row.trim_end() == " would undo steps 8–13 (73,770 tokens)"), "{shown:#?}");
}

#[test]
fn a_request_that_is_out_is_an_estimate() {
    let mut model = sample::model(Lang::En, (120, 40));
    sample::change(&mut model, |view| {
        let mut state = view.state.as_ref().clone();
        state.ledger.open.clear();
        state.ledger.totals.charged = 127_201;
        state.path.turn = Turn::Asking(crate::run::state::Asking {
            called: 1,
            attempt: 1,
            epoch: 1,
            purpose: crate::run::Purpose::Turn,
            prompt: 17_160,
            by: None,
        });
        view.state = Arc::new(state);
    });
    assert_eq!(rows(&model, (42, 13))[1].trim_end(), "▸ 14   now       ~17.1k  in flight");
}

#[test]
fn an_ended_run_says_how_and_a_fresh_one_what_comes() {
    let mut model = sample::model(Lang::En, (120, 40));
    sample::change(&mut model, |view| {
        let mut state = view.state.as_ref().clone();
        let outcome = crate::run::Outcome::Completed;
        state.ledger.ended = Some(crate::run::state::Ended { outcome, seq: 900, at: sample::at(13, 36, 50) });
        view.state = Arc::new(state);
    });
    assert_eq!(rows(&model, (42, 13))[1].trim_end(), "✓ 13   13:36:50  17,682  completed");
    let mut fresh = sample::model(Lang::En, (120, 40));
    sample::change(&mut fresh, |view| view.checkpoints = Arc::new(Vec::new()));
    let shown = rows(&fresh, (42, 13));
    assert!(shown.iter().any(|row| row.starts_with("No checkpoint yet: the first comes")), "{shown:#?}");
    // The start is one.
    let mut begun = sample::model(Lang::En, (120, 40));
    sample::change(&mut begun, |view| Arc::make_mut(&mut view.checkpoints).truncate(1));
    let shown = rows(&begun, (42, 13));
    assert!(shown.iter().any(|row| row.contains(" start")), "{shown:#?}");
    assert!(!shown.iter().any(|row| row.contains("No checkpoint yet")), "{shown:#?}");
}

#[test]
fn files_that_were_made_are_told_from_those_that_were_changed() {
    let mut model = sample::model(Lang::En, (120, 40));
    sample::change(&mut model, |view| {
        for row in Arc::make_mut(&mut view.checkpoints) {
            row.made = u32::from(row.files > 0);
        }
    });
    let shown = rows(&model, (42, 24)).join("\n");
    for row in [
        "○ 12   13:32:31  14,360  +1",
        "○ 9    13:27:31  10,111  +1 ~1",
        "│ ○ 9  13:22:40   9,476  +1  undone",
    ] {
        assert!(shown.contains(row), "{row}: {shown}");
    }
}

#[test]
fn a_second_rollback_nests_the_branch_of_the_first() {
    let mut model = sample::model(Lang::En, (120, 40));
    sample::change(&mut model, |view| {
        let mut state = view.state.as_ref().clone();
        let fifth = view.checkpoints.iter().find(|row| row.checkpoint.step == 5).unwrap().checkpoint.seq;
        let from_seq = state.head.seq + 1;
        state.ledger.timelines.push(crate::run::state::Timeline {
            no: 3,
            from_seq,
            parent_seq: fifth,
            parent: 1,
        });
        (state.head.timeline, state.path.step) = (3, 5);
        view.state = Arc::new(state);
    });
    let shown = rows(&model, (42, 24));
    let shown: Vec<&str> = shown[1..16].iter().map(|row| row.trim_end()).collect();
    assert_eq!(
        shown,
        [
            "▸ 6      now       17,682  in progress",
            "▌ 5      13:17:30   5,833  ·",
            "├─╮",
            "│ ○ 9    13:22:40   9,476  ~1  undone",
            "│ ○ 8    13:21:15   8,833  ~2  undone",
            "│ │ ○ 13 13:34:52  15,722  ·   undone",
            "│ │ ○ 12 13:32:31  14,360  ~1  undone",
            "│ │ ○ 11 13:30:20  12,887  ·   undone",
            "│ │ ○ 10 13:28:57  11,476  ·   undone",
            "│ │ ○ 9  13:27:31  10,111  ~2  undone",
            "│ │ ○ 8  13:26:02   9,214  ~1  undone",
            "│ ├─╯",
            "│ ○ 7    13:19:58   7,874  ~1  undone",
            "│ ○ 6    13:18:41   6,716  ·   undone",
            "○ 4      13:16:22   4,561  ·",
        ]
    );
}
