//! Looking back: the choices of a rollback, and a checkpoint beside now.

use super::*;
use crate::run::goal::{Check, Goal};
use crate::run::plan::{PlanItem, PlanState};
use crate::ui::app::msg::{Comparison, Known};

/// The preview, opened and told.
fn rollback(model: &mut Model, preview: Box<Preview>) -> Box<dyn Dialog> {
    let run = model.run.clone().unwrap();
    let mut dialog = rollback::RollbackDialog::new(model, run, StepRef { timeline: None, step: 6 });
    let commands = dialog.open(model);
    let Some(Cmd::Preview(ticket, ..)) = commands.first() else { panic!("{commands:?}") };
    dialog.told(&Msg::Preview(*ticket, Ok(preview)), model);
    rows(dialog.as_mut(), model);
    later(model);
    dialog
}

fn choices(dialog: &mut dyn Dialog, model: &mut Model) -> RollbackChoices {
    match posted(dialog.act(hit(Action::RollbackDo), model)) {
        Control::Rollback { choices, .. } => choices,
        other => panic!("{other:?}"),
    }
}

fn is_row(rows: &[String], wanted: &str) {
    assert!(rows.iter().any(|row| row == wanted), "{wanted:?} is not in {rows:#?}");
}

#[test]
fn the_files_of_a_rollback_stand_in_columns() {
    let mut model = model(Lang::En);
    let mut dialog = rollback(&mut model, preview(3));
    let shown = rows(dialog.as_mut(), &model);
    for row in [
        "Files  ▌restore  ~ Cargo.toml         as of step 6    −3 +1  Space keep",
        "        remove   + benches/export.rs  made in step 9  2.1 KiB",
        "        keep     = docs/notes.md      edited by others 13:31  Space take",
        "Goal    stays v2 (g: back to v1) · 2 calls cancelled",
        "✓ Preflight: both files can be put back · R takes this back, not calls",
        "y roll back  c conversation only  d diff  g goal    Esc cancel (default)",
    ] {
        is_row(&shown, row);
    }
    let mut model = super::model(Lang::Zh);
    let mut dialog = rollback(&mut model, preview(3));
    let shown = rows(dialog.as_mut(), &model);
    for row in [
        "文件  ▌还原  ~ Cargo.toml         第 6 步时的内容  −3 +1  Space 保留",
        "       删除  + benches/export.rs  第 9 步新建      2.1 KiB",
        "       保留  = docs/notes.md      13:31 被他人修改  Space 还原",
        "目标   保持 v2（g：退回 v1） · 取消 2 个调用",
        "✓ 预检：2 个文件都可还原 · R 可撤销此次回退，但不含调用",
    ] {
        is_row(&shown, row);
    }
}

#[test]
fn a_file_is_kept_or_taken_and_what_was_shown_is_what_is_sent() {
    let mut model = model(Lang::En);
    let mut dialog = rollback(&mut model, preview(3));
    let (toml, notes) = ("Cargo.toml".to_owned(), "docs/notes.md".to_owned());
    let usual = RollbackChoices { keep: vec![notes.clone()], paused: true, ..RollbackChoices::default() };
    assert_eq!(choices(dialog.as_mut(), &mut model), usual, "what stays is named");
    dialog.act(hit(Action::FileChoice), &mut model);
    for _ in 0..5 {
        dialog.act(hit(Action::LineDown), &mut model);
    }
    dialog.act(hit(Action::FileChoice), &mut model);
    dialog.act(hit(Action::GoalChoice), &mut model);
    let shown = rows(dialog.as_mut(), &model);
    is_row(
        &shown,
        "Files   keep     = Cargo.toml         you keep it   Space take"
            .replace("   Space take", "")
            .as_str(),
    );
    let notes_row = shown.iter().find(|row| row.contains("docs/notes.md")).unwrap();
    assert!(
        notes_row.starts_with("       ▌restore  ~ docs/notes.md      over others' edit 13:31"),
        "{shown:#?}"
    );
    assert!(shown.join(" ").contains("−3 +1"), "{shown:#?}");
    is_row(&shown, "Goal    back to v1 (g: keep v2) · 2 calls cancelled");
    let chosen = RollbackChoices { keep: vec![toml], take: vec![notes], goal: true, paused: true };
    assert_eq!(choices(dialog.as_mut(), &mut model), chosen);
    // The conversation alone takes no file choices along.
    let Control::Rollback { files, choices, .. } =
        posted(dialog.act(hit(Action::RollbackNoFiles), &mut model))
    else {
        panic!()
    };
    assert_eq!(
        (files, choices),
        (false, RollbackChoices { goal: true, paused: true, ..RollbackChoices::default() })
    );
    // Turned back, it is as it was.
    dialog.act(hit(Action::FileChoice), &mut model);
    dialog.act(hit(Action::GoalChoice), &mut model);
    dialog.act(hit(Action::LineUp), &mut model);
    dialog.act(hit(Action::LineUp), &mut model);
    dialog.act(hit(Action::FileChoice), &mut model);
    assert_eq!(super::back::choices(dialog.as_mut(), &mut model), usual);
}

#[test]
fn a_rollback_leaves_the_run_paused_and_names_what_it_ends() {
    let mut model = model(Lang::En);
    let mut given = preview(3);
    given.effects = Vec::new();
    given.ended = vec!["shell sleep 600 (13.1)".to_owned()];
    let mut dialog = rollback(&mut model, given);
    let shown = rows(dialog.as_mut(), &model);
    is_row(&shown, "It is paused then: p goes on.");
    let head = shown.iter().position(|row| row == "Runs now and will be ended").unwrap();
    assert_eq!(shown[head + 1], "  shell sleep 600 (13.1)", "{shown:#?}");
    assert!(!shown.join(" ").contains("Nothing was done"), "{shown:#?}");
    // One control: if the rollback is refused, nothing was paused for it.
    match dialog.act(hit(Action::RollbackDo), &mut model) {
        Step::Post { control: Control::Rollback { choices, .. }, news, .. } => {
            assert!(choices.paused && news.ends_with("p goes on, R takes it back."), "{news}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_preflight_holds_for_what_is_chosen() {
    for (lang, failed) in [
        (Lang::En, "✗ Preflight: Cargo.toml cannot be put back: it is read-only"),
        (Lang::Zh, "✗ 预检：Cargo.toml 无法还原：it is read-only"),
    ] {
        let mut model = model(lang);
        let mut given = preview(3);
        given.files[0].problem = Some("it is read-only".to_owned());
        // One that is kept stands in nobody's way.
        given.files[2].problem = Some("so is this".to_owned());
        let mut dialog = rollback(&mut model, given);
        is_row(&rows(dialog.as_mut(), &model), failed);
        assert!(matches!(dialog.act(hit(Action::RollbackDo), &mut model), Step::Say(_)));
        dialog.act(hit(Action::FileChoice), &mut model);
        let shown = rows(dialog.as_mut(), &model).join("\n");
        assert!(shown.contains("✓") && !shown.contains("✗"), "{shown}");
        assert_eq!(choices(dialog.as_mut(), &mut model).keep, ["Cargo.toml", "docs/notes.md"]);
        dialog.act(hit(Action::Bottom), &mut model);
        dialog.act(hit(Action::LineDown), &mut model);
        dialog.act(hit(Action::LineDown), &mut model);
        dialog.act(hit(Action::FileChoice), &mut model);
        assert!(rows(dialog.as_mut(), &model).join("\n").contains("so is this"), "taking it is checked too");
    }
}

#[test]
fn what_cannot_be_chosen_says_why() {
    let mut model = model(Lang::En);
    let mut given = preview(3);
    given.goal = None;
    given.files = given.files.into_iter().rev().take(1).collect();
    (given.files[0].taken, given.files[0].why) = (None, Some("it was not a regular file".to_owned()));
    given.files[0].diff = String::new();
    let mut dialog = rollback(&mut model, given);
    let shown = rows(dialog.as_mut(), &model);
    is_row(&shown, "Files  ▌keep     = docs/notes.md  it was not a regular file");
    is_row(&shown, "Goal    stays v2 · 2 calls cancelled");
    for action in [Action::FileChoice, Action::FileDiff, Action::GoalChoice] {
        assert!(matches!(dialog.act(hit(action), &mut model), Step::Say(_)), "{action:?}");
    }
}

#[test]
fn the_difference_of_the_selected_file_opens_over_it() {
    let mut model = model(Lang::En);
    let mut dialog = rollback(&mut model, preview(3));
    dialog.act(hit(Action::LineDown), &mut model);
    let Step::Open(mut over) = dialog.act(hit(Action::FileDiff), &mut model) else { panic!() };
    over.open(&mut model);
    assert_eq!(over.title(&model), ("What changed".to_owned(), "benches/export.rs".to_owned()));
    let shown = rows(over.as_mut(), &model);
    assert_eq!(shown[..4], ["   1 − │-a", "   2 − │-b", "   3 − │-c", "   1 + │+d"], "{shown:#?}");
}

#[test]
fn choices_outlive_a_second_look_where_the_file_stands_as_it_did() {
    let mut model = model(Lang::En);
    let mut dialog = rollback(&mut model, preview(3));
    dialog.act(hit(Action::FileChoice), &mut model);
    dialog.act(hit(Action::LineDown), &mut model);
    dialog.act(hit(Action::FileChoice), &mut model);
    let commands = dialog.open(&mut model);
    let Some(Cmd::Preview(ticket, ..)) = commands.first() else { panic!() };
    let mut other = preview(3);
    other.files[1].what = FileFate::Keep;
    dialog.told(&Msg::Preview(*ticket, Ok(other)), &mut model);
    rows(dialog.as_mut(), &model);
    later(&mut model);
    let chosen = choices(dialog.as_mut(), &mut model);
    assert_eq!((chosen.keep.len(), chosen.take.len()), (3, 0), "{chosen:?}");
}

pub(super) fn comparison() -> Box<Comparison> {
    let item = |id: &str, title: &str, state| PlanItem { id: id.to_owned(), title: title.to_owned(), state };
    let goal =
        |text: &str, checks| Goal { text: text.to_owned(), constraints: vec!["fast".to_owned()], checks };
    let mut files = preview(3).files;
    files.truncate(1);
    Box::new(Comparison {
        step: 6,
        timeline: 2,
        since: (7..=13).map(|step| (step, 2)).collect(),
        apart: vec![(8, 1), (9, 1)],
        tokens: 99_326,
        then: Known {
            version: 1,
            goal: goal("Under 60 s", Vec::new()),
            plan: vec![item("1", "Measure", PlanState::Active)],
            facts: vec!["214 s".to_owned()],
            questions: Vec::new(),
        },
        now: Known {
            version: 2,
            goal: goal("Under 45 s", vec![Check::File("a.md".to_owned())]),
            plan: vec![item("1", "Measure", PlanState::Done), item("2", "Mend", PlanState::Pending)],
            facts: vec!["214 s".to_owned(), "71 % in write_all".to_owned()],
            questions: vec!["Is the order part of it?".to_owned()],
        },
        files,
    })
}

fn compared(model: &mut Model, given: Result<Box<Comparison>, String>) -> Vec<String> {
    let run = model.run.clone().unwrap();
    let mut dialog = compare::CompareDialog::new(model, run, StepRef { timeline: Some(2), step: 6 });
    let commands = dialog.open(model);
    let Some(Cmd::Compare(ticket, ..)) = commands.first() else { panic!("{commands:?}") };
    dialog.told(&Msg::Compared(*ticket, given), model);
    rows(dialog.as_mut(), model)
}

#[test]
fn a_checkpoint_is_compared_with_now() {
    let mut model = model(Lang::En);
    let shown = compared(&mut model, Ok(comparison()));
    let wanted = [
        "Steps  7–13 since, 99,326 tokens · 8–9 only there",
        "Goal   v1, now v2",
        "       − Under 60 s",
        "       + Under 45 s",
        "       + check: file:a.md",
        "Plan   3 changes since",
        "       − ● 1 Measure",
        "       + ✓ 1 Measure",
        "       + ○ 2 Mend",
        "Notes  2 changes since",
        "       + fact: 71 % in write_all",
        "       + question: Is the order part of it?",
        "Files  1 change since",
        "       ~ Cargo.toml  −3 +1",
        "   1 − │-a",
    ];
    assert_eq!(shown[..wanted.len()], wanted, "{shown:#?}");
    let mut same = comparison();
    (same.then, same.since, same.apart) = (same.now.clone(), Vec::new(), Vec::new());
    same.files.clear();
    let shown = compared(&mut model, Ok(same));
    let wanted = [
        "Steps  none since",
        "Goal   the same, v2",
        "Plan   the same",
        "Notes  the same",
        "Files  none of this run differs",
    ];
    assert_eq!(shown[..wanted.len()], wanted, "{shown:#?}");
    assert_eq!(compared(&mut model, Err("it is gone".to_owned()))[0], "It cannot be compared: it is gone");
    let mut model = super::model(Lang::Zh);
    let shown = compared(&mut model, Ok(comparison()));
    assert_eq!(
        shown[..2],
        ["步骤  此后 7–13，99,326 词元 · 8–9 只在那条时间线上", "目标  v1，现为 v2"],
        "{shown:#?}"
    );
}

#[test]
fn a_return_to_the_newest_checkpoint_says_what_it_gives_up() {
    use crate::run::state::Ended;
    let mut model = model(Lang::En);
    let newest = || {
        let mut newest = preview(3);
        (newest.step, newest.undone) = (13, Vec::new());
        newest
    };
    let mut dialog = rollback(&mut model, newest());
    let shown = rows(dialog.as_mut(), &model);
    is_row(&shown, "Drop step 14, which is in progress, and begin it anew.");
    sample::change(&mut model, |view| {
        let mut state = view.state.as_ref().clone();
        let outcome = crate::run::Outcome::Completed;
        state.ledger.ended = Some(Ended { outcome, seq: state.head.seq, at: 1 });
        view.state = std::sync::Arc::new(state);
    });
    let mut dialog = rollback(&mut model, newest());
    let shown = rows(dialog.as_mut(), &model);
    is_row(&shown, "Undo the end of the run: it is open again.");
}
