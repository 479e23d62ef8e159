//! Memories and audits beside the table, and the memories whole.

use super::*;
use crate::run::memory::{Kind, Why};
use crate::run::state::{Core, Keeper, Path};
use crate::run::{Refused, RunId};
use crate::ui::app::sample;
use crate::ui::layout::Panel;
use crate::ui::words::Lang;
use std::sync::Arc;

fn memory(id: u64, kind: Kind, percent: u8, text: &str, why: Why) -> Recalled {
    let from = (id == 1).then(|| (RunId::new("r-3c19"), 31));
    Recalled {
        id,
        kind,
        text: text.to_owned(),
        score: percent,
        why,
        from,
        at: sample::at(13, 0, 0),
        disagrees_with: None,
        beside: false,
        more: 0,
    }
}

fn why(words: &[&str], likeness: Option<u8>, pinned: bool) -> Why {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    Why { words, likeness, pinned, words_alone: false }
}

fn change(model: &mut Model, change: impl FnOnce(&mut Path)) {
    sample::change(model, |view| change(&mut Arc::make_mut(&mut view.state).path));
}

fn with_memories(lang: Lang) -> Model {
    let mut model = sample::model(lang, (200, 60));
    change(&mut model, |path| {
        path.recalled = vec![
            memory(
                1,
                Kind::Result,
                81,
                "Export bench needs --release",
                why(&["export", "bench"], None, false),
            ),
            memory(2, Kind::Fact, 66, "CSV writer is in src/export", why(&[], Some(72), false)),
            memory(3, Kind::Rule, 52, "Never touch fixtures/\u{202e}", why(&["fixtures"], Some(50), true)),
            memory(4, Kind::Lesson, 100, &"perf needs debug = 1 ".repeat(20), why(&[], None, true)),
            memory(5, Kind::Fact, 40, "over the budget of the slot", why(&["export"], None, false)),
        ];
    });
    model
}

fn rows(model: &Model) -> Vec<String> {
    let rows = sample::draw_part(model, (60, 44), super::super::draw).1;
    rows.into_iter().map(|row| row.trim_end().to_owned()).collect()
}

#[test]
fn memories_are_listed_with_score_kind_words_and_what_found_them() {
    let shown = rows(&with_memories(Lang::En));
    let at =
        shown.iter().position(|row| row == "Long-term, 4 items, why").unwrap_or_else(|| panic!("{shown:#?}"));
    assert!(shown[at + 1].starts_with(" 0.81  result   Export bench needs --release"), "{shown:#?}");
    assert!(shown[at + 1].ends_with("  words"), "{shown:#?}");
    assert!(shown[at + 2].starts_with(" 0.66  fact     CSV writer") && shown[at + 2].ends_with("  meaning"));
    assert!(
        shown[at + 3].starts_with(" 0.52  rule *   Never touch fixtures/")
            && shown[at + 3].ends_with("words, meaning")
    );
    assert!(!shown[at + 3].contains('\u{202e}'));
    assert!(
        shown[at + 4].starts_with(" 1.00  lesson *")
            && shown[at + 4].contains('…')
            && shown[at + 4].ends_with("pinned")
    );
    assert!(
        !shown.iter().any(|row| row.contains("over the budget of")),
        "it is not in the request: {shown:#?}"
    );
    let shown: String = rows(&with_memories(Lang::Zh)).join("").split_whitespace().collect();
    assert!(
        shown.contains("长期，4条，及原因") && shown.contains("规则*") && shown.contains("词语、语义"),
        "{shown}"
    );
    let nothing = rows(&sample::model(Lang::En, (200, 60))).join(" ");
    assert!(!nothing.contains("Long-term") && !nothing.contains("udit"), "{nothing}");
}

#[test]
fn the_slot_opens_the_memories_whole() {
    let mut model = with_memories(Lang::En);
    model.focus = Panel::Context;
    assert!(!is_selected(&model));
    let asked = model.view().unwrap().asked.clone().unwrap();
    model.lists.slot = slots(&asked.table).position(|row| row.slot == Slot::LongTerm).unwrap();
    assert!(is_selected(&model));
    assert!(rows(&model).last().unwrap().contains("Enter items of a slot"), "{:#?}", rows(&model));
    let mut dialog = whole(&model);
    let shown = sample::draw_dialog(dialog.as_mut(), &model, 72).1.join("\n");
    for text in [
        "0.81 · result · m-1",
        "found by the words export, bench",
        "from r-3c19, step 31",
        "alike in meaning 0.72",
        "0.52 · rule · m-3 · * pinned",
        "from you · 20",
        "Never touch fixtures/\\u{202e}",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(shown.matches("perf needs debug = 1").count() > 10, "whole: {shown}");
}

#[test]
fn an_audit_says_what_it_removed_and_when_the_next_one_is() {
    let mut model = sample::model(Lang::En, (200, 60));
    change(&mut model, |path| {
        path.keeper = Keeper { at: 9, ..Keeper::default() };
        path.core = Some(Core {
            text: "x".to_owned(),
            rounds: 1,
            done: 1,
            goal_version: 1,
            drift: false,
            removed: Vec::new(),
            by: None,
        });
    });
    let shown = rows(&model);
    assert!(shown.iter().any(|row| row == "Audit of the goal in step 10: no drift"), "{shown:#?}");
    assert!(shown.iter().any(|row| row == "Next audit in step 20"), "{shown:#?}");
    change(&mut model, |path| {
        let core = path.core.as_mut().unwrap();
        (core.drift, core.removed) = (true, vec!["The colour is blue".to_owned()]);
        core.by = Some("small".to_owned());
    });
    assert!(!shown.iter().any(|row| row.contains("written by")), "the run's own needs no name: {shown:#?}");
    let shown = rows(&model);
    assert!(shown.iter().any(|row| row.trim() == "written by small"), "{shown:#?}");
    assert!(shown.iter().any(|row| row == "Audit of the goal in step 10: drift, removed"), "{shown:#?}");
    assert!(shown.iter().any(|row| row.ends_with("The colour is blue")), "{shown:#?}");
    change(&mut model, |path| path.keeper.tries = 2);
    let shown = rows(&model);
    assert!(shown.iter().any(|row| row == "Audit of the goal in step 10: no answer"), "{shown:#?}");
    assert!(!shown.iter().any(|row| row.ends_with("The colour is blue")), "{shown:#?}");
    change(&mut model, |path| path.keeper.refused = Some(Refused::NoMarker));
    let shown = rows(&model).join("\n");
    let told = "Audit of the goal in step 10: not taken\n it does not begin with CORE:\nNext audit";
    assert!(shown.contains(told), "{shown}");
    let core = model.view().unwrap().state.path.core.clone();
    let mut model = sample::model(Lang::Zh, (200, 60));
    change(&mut model, |path| {
        (path.core, path.keeper) = (core, Keeper { at: 9, tries: 2, refused: Some(Refused::NoMarker) });
    });
    let shown: String = rows(&model).concat().split_whitespace().collect();
    assert!(shown.contains("第10步核对目标：未采用没有以CORE:开头"), "{shown}");
}
