//! What forms keep, warn of and compare.

use super::*;
use crate::run::control::Author;
use crate::run::goal::Goal;
use crate::run::settings::{Limits, Mode};
use crate::ui::app::msg::{Contact, FoundModel, GoalVersion, Place};
use crate::ui::app::sample;

fn goal(text: &str, constraints: &[&str], checks: &[&str]) -> Goal {
    Goal {
        text: text.to_owned(),
        constraints: constraints.iter().map(|text| (*text).to_owned()).collect(),
        checks: checks.iter().map(|text| text.parse().unwrap()).collect(),
    }
}

fn backspaces(dialog: &mut dyn Dialog, model: &mut Model, n: usize) {
    for _ in 0..n {
        dialog.key(&KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE), model);
    }
}

/// The model of the mock-ups with another goal in force.
fn with_goal(goal: &Goal) -> Model {
    let mut model = model(Lang::En);
    sample::change(&mut model, |view| {
        let mut state = (*view.state).clone();
        state.path.goal = goal.clone();
        state.path.goal_version = 2;
        view.state = std::sync::Arc::new(state);
    });
    model
}

#[test]
fn a_new_run_begins_in_the_folder_that_is_written_and_in_no_other() {
    let mut model = model(Lang::En);
    let mut form = new_run::NewRunForm::new(&model);
    let opened = form.open(&mut model);
    let Some(Cmd::Place(ticket, path, _)) = opened.first() else { panic!("{opened:?}") };
    let here = Place { path: path.clone(), git: None, problem: None, missing: Vec::new() };
    form.told(&Msg::Place(*ticket, here.clone()), &mut model);
    write(form.as_mut(), &mut model, "Sort the photos");
    (0..3).for_each(|_| drop(form.act(hit(Action::FieldNext), &mut model)));
    write(form.as_mut(), &mut model, "/nowhere");
    let looks = form.act(hit(Action::TextSave), &mut model);
    let Step::Do(commands) = looks else { panic!("{looks:?}") };
    let [Cmd::Place(ticket, path, _)] = commands.as_slice() else { panic!("{commands:?}") };
    assert!(path.ends_with("nowhere"), "{path:?}");
    let gone = Place { path: path.clone(), problem: Some("No such file or directory".to_owned()), ..here };
    assert!(matches!(form.told(&Msg::Place(*ticket, gone), &mut model), Step::Stay));
    let shown = rows(form.as_mut(), &model).join("\n");
    assert!(shown.contains("✗ Workspace: No such file or directory"), "{shown}");
    // The focus is there: what is typed now goes into the field, and is looked at anew.
    write(form.as_mut(), &mut model, "/else");
    let (_, new) = begin(form.as_mut(), &mut model);
    assert!(new.workspace.ends_with("nowhere/else"), "{:?}", new.workspace);
}

#[test]
fn a_draft_of_a_new_run_is_kept_until_the_run_begins() {
    let mut model = model(Lang::En);
    let mut form = new_run::NewRunForm::new(&model);
    assert_eq!(form.leave(&mut model), None, "nothing was written");
    write(form.as_mut(), &mut model, "Sort the photos");
    assert_eq!(form.leave(&mut model).as_deref(), Some("The draft is kept."));
    let mut again = new_run::NewRunForm::new(&model);
    assert!(rows(again.as_mut(), &model).join("\n").contains("Sort the photos"));
    let (ticket, _) = begin(again.as_mut(), &mut model);
    let closes = again.told(&Msg::Started(ticket, Ok(model.run.clone().unwrap())), &mut model);
    assert!(matches!(closes, Step::Close(_)));
    assert!(!rows(new_run::NewRunForm::new(&model).as_mut(), &model).join("\n").contains("Sort the photos"));
}

#[test]
fn a_draft_keeps_the_model_that_was_chosen_and_not_the_one_that_happened_to_be_first() {
    let mut model = model(Lang::En);
    let named = |profile: &str, model: &str| FoundModel {
        profile: profile.to_owned(),
        model: model.to_owned(),
        place: "vllm.lan".to_owned(),
        window: None,
    };
    let (old, new) = (named("old", "old-model"), named("new", "new-model"));
    for (chosen, stands) in [(false, "new-model @"), (true, "third-model @")] {
        model.found.models = vec![old.clone(), named("third", "third-model")];
        model.drafts.new_run = None;
        let mut form = new_run::NewRunForm::new(&model);
        write(form.as_mut(), &mut model, "Sort the photos");
        if chosen {
            (0..4).for_each(|_| drop(form.act(hit(Action::FieldNext), &mut model)));
            form.act(Hit { action: Action::CaretOrChoice, nth: 1 }, &mut model);
            assert!(rows(form.as_mut(), &model).join("\n").contains("third-model @"));
        }
        form.leave(&mut model);
        model.found.models = vec![new.clone(), old.clone(), named("third", "third-model")];
        let shown = rows(new_run::NewRunForm::new(&model).as_mut(), &model).join("\n");
        assert!(shown.contains("Sort the photos") && shown.contains(stands), "{chosen}: {shown}");
    }
}

#[test]
fn a_new_run_has_the_configurations_limits_and_sends_what_was_changed() {
    let mut model = model(Lang::En);
    model.found.mode = Mode::Safe;
    model.found.limits = Limits { cost_micro: Some(2_000_000), ..Limits::default() };
    let mut form = new_run::NewRunForm::new(&model);
    let shown = rows(form.as_mut(), &model).join("\n");
    assert!(shown.contains("50 steps · 300k tokens · $2.00 · 30 min"), "{shown}");
    write(form.as_mut(), &mut model, "Sort the photos");
    let mut same = new_run::NewRunForm::new(&model);
    write(same.as_mut(), &mut model, "x");
    let (_, new) = begin(same.as_mut(), &mut model);
    assert_eq!(
        (new.mode, new.limits.is_empty()),
        (None, true),
        "what was not touched is the configuration's"
    );
    (0..6).for_each(|_| drop(form.act(hit(Action::FieldNext), &mut model)));
    backspaces(form.as_mut(), &mut model, 60);
    write(form.as_mut(), &mut model, "lots");
    assert!(matches!(form.act(hit(Action::TextSave), &mut model), Step::Stay));
    assert!(rows(form.as_mut(), &model).join("\n").contains("“lots” is no limit"));
    backspaces(form.as_mut(), &mut model, 10);
    write(form.as_mut(), &mut model, "80 steps");
    form.act(hit(Action::FieldNext), &mut model);
    assert!(
        rows(form.as_mut(), &model).join("\n").contains("80 steps · 300k tokens"),
        "the rest stays and is seen"
    );
    let (_, new) = begin(form.as_mut(), &mut model);
    assert_eq!((new.limits.steps, new.limits.tokens, new.limits.cost_micro), (Some(80), None, None));
}

#[test]
fn a_check_whose_program_is_not_there_is_warned_of() {
    let mut model = model(Lang::En);
    let mut form = new_run::NewRunForm::new(&model);
    form.open(&mut model);
    (0..2).for_each(|_| drop(form.act(hit(Action::FieldNext), &mut model)));
    write(form.as_mut(), &mut model, "cmd:./bench.sh --max 60");
    let Step::Do(commands) = form.act(hit(Action::FieldNext), &mut model) else { panic!() };
    let [Cmd::Place(ticket, path, checks)] = commands.as_slice() else { panic!("{commands:?}") };
    assert_eq!(checks.len(), 1);
    let place =
        Place { path: path.clone(), git: None, problem: None, missing: vec!["./bench.sh".to_owned()] };
    form.told(&Msg::Place(*ticket, place), &mut model);
    let shown = rows(form.as_mut(), &model).join("\n");
    assert!(shown.contains("! ./bench.sh is not there yet: its check fails until it is"), "{shown}");
}

#[test]
fn a_number_that_a_check_still_has_is_said_and_changed_too() {
    let old = goal("Export in under 60 s", &["no new crates"], &["cmd:./bench.sh --max 60"]);
    let mut model = with_goal(&old);
    let mut editor = goal::GoalDialog::new(&model).unwrap();
    backspaces(editor.as_mut(), &mut model, 4);
    write(editor.as_mut(), &mut model, "45 s");
    let shown = rows(editor.as_mut(), &model).join("\n");
    assert!(shown.contains("! Text says 45, a check says 60.   Enter: change it too"), "{shown}");
    (0..3).for_each(|_| drop(editor.act(hit(Action::FieldNext), &mut model)));
    editor.act(hit(Action::TextSubmit), &mut model);
    let shown = rows(editor.as_mut(), &model).join("\n");
    assert!(!shown.contains("a check says") && shown.contains("--max 45"), "{shown}");
    let Control::EditGoal { goal, based_on } = posted(editor.act(hit(Action::TextSave), &mut model)) else {
        panic!()
    };
    assert_eq!((goal.text.as_str(), based_on), ("Export in under 45 s", 2));
    assert_eq!(goal.checks, ["cmd:./bench.sh --max 45".parse().unwrap()]);
}

#[test]
fn a_goal_draft_is_kept_and_said_to_be_old_where_the_goal_was_edited_since() {
    let mut model = with_goal(&goal("One", &[], &[]));
    let mut editor = goal::GoalDialog::new(&model).unwrap();
    assert_eq!(editor.leave(&mut model), None, "nothing was written");
    write(editor.as_mut(), &mut model, " two");
    assert!(editor.leave(&mut model).is_some());
    let mut again = goal::GoalDialog::new(&model).unwrap();
    assert!(rows(again.as_mut(), &model).join("\n").contains("One two"));
    sample::change(&mut model, |view| {
        let mut state = (*view.state).clone();
        state.path.goal_version = 3;
        view.state = std::sync::Arc::new(state);
    });
    let mut later = goal::GoalDialog::new(&model).unwrap();
    assert!(matches!(later.act(hit(Action::TextSave), &mut model), Step::Say(_)), "said once");
    assert!(matches!(
        posted(later.act(hit(Action::TextSave), &mut model)),
        Control::EditGoal { based_on: 3, .. }
    ));
    assert!(model.drafts.goals.is_empty());
}

#[test]
fn the_goal_editor_begins_with_an_edit_that_is_on_its_way_and_says_whose_it_is() {
    let coming = |based_on, text: &str| crate::ui::feed::Coming {
        id: 1,
        by: Author::Person("cli".to_owned()),
        at: sample::at(13, 36, 40),
        control: Control::EditGoal { based_on, goal: goal(text, &[], &[]) },
    };
    let mut model = with_goal(&goal("One", &[], &[]));
    // One that is made from another version will be refused.
    let all = vec![coming(2, "Two\u{202e}"), coming(2, "Not this")];
    sample::change(&mut model, |view| view.coming = all);
    let mut editor = goal::GoalDialog::new(&model).unwrap();
    assert_eq!(editor.title(&model).0, "Goal · version 4, from v3");
    let shown = rows(editor.as_mut(), &model).join("\n");
    let words: Vec<&str> = shown.split_whitespace().collect();
    let said =
        "! v3 (you (cli), 13:36) is on its way: the run has not read it yet. The text here is made from it.";
    assert!(words.join(" ").contains(said), "{shown}");
    assert!(shown.contains("Two") && shown.contains("on its way, not read yet"), "{shown}");
    write(editor.as_mut(), &mut model, " three");
    let Control::EditGoal { based_on, goal: edited } = posted(editor.act(hit(Action::TextSave), &mut model))
    else {
        panic!()
    };
    assert_eq!(based_on, 3, "it is read after the one on its way");
    assert!(edited.text.ends_with(" three"));
    // It is refused: said, and the edit is made from what is in force.
    sample::change(&mut model, |view| view.coming.clear());
    editor.told(&Msg::Shot(model.shot.clone().unwrap()), &mut model);
    let shown = rows(editor.as_mut(), &model).join("\n");
    assert!(shown.contains("v3 was not taken: v2 is in force."), "{shown}");
    assert_eq!(editor.title(&model).0, "Goal · version 3, from v2");
    // One that is sent while the editor is open is not replaced unseen.
    let mut editor = goal::GoalDialog::new(&model).unwrap();
    sample::change(&mut model, |view| view.coming = vec![coming(2, "Two")]);
    editor.told(&Msg::Shot(model.shot.clone().unwrap()), &mut model);
    write(editor.as_mut(), &mut model, " mine");
    assert!(rows(editor.as_mut(), &model).join("\n").contains("! new, not looked at"));
    assert!(matches!(editor.act(hit(Action::TextSave), &mut model), Step::Say(_)));
    let Step::Open(whole) = editor.act(hit(Action::TextSubmit), &mut model) else { panic!() };
    assert!(whole.title(&model).0.contains("Version 3"));
    assert_eq!(editor.title(&model).0, "Goal · version 4, from v3");
}

#[test]
fn versions_are_listed_with_what_they_changed_and_are_compared() {
    let (first, second) = (goal("Fast", &[], &[]), goal("Fast", &["API unchanged"], &[]));
    let mut model = with_goal(&second);
    let mut editor = goal::GoalDialog::new(&model).unwrap();
    let commands = editor.open(&mut model);
    let [Cmd::Goals(ticket, _)] = commands.as_slice() else { panic!("{commands:?}") };
    let version = |version, minute, step, goal: &Goal| GoalVersion {
        version,
        at: sample::at(13, minute, 0),
        by: Author::Person("tui".to_owned()),
        step,
        goal: goal.clone(),
    };
    editor.told(
        &Msg::Goals(*ticket, Ok(vec![version(1, 12, 1, &first), version(2, 24, 8, &second)])),
        &mut model,
    );
    let shown = rows(editor.as_mut(), &model);
    let at =
        |text: &str| shown.iter().position(|row| row.contains(text)).unwrap_or_else(|| panic!("{shown:#?}"));
    assert!(shown[at("● v2  13:24")].contains("+ \"API unchanged\"   in force since step 8"));
    assert!(shown[at("○ v1  13:12")].contains("first version"));
    (0..3).for_each(|_| drop(editor.act(hit(Action::FieldNext), &mut model)));
    editor.key(&KeyEvent::new(KeyCode::Down, KeyModifiers::NONE), &mut model);
    let Step::Open(mut whole) = editor.act(hit(Action::TextSubmit), &mut model) else { panic!() };
    assert!(whole.title(&model).0.contains("Version 1"));
    let shown = rows(whole.as_mut(), &model).join("\n");
    assert!(shown.contains("- API unchanged") && shown.contains('+'), "{shown}");
}

#[test]
fn esc_gives_up_a_start_before_it_leaves_the_form_and_attempts_are_seen() {
    let mut model = model(Lang::En);
    let mut form = new_run::NewRunForm::new(&model);
    assert_eq!(form.back(&mut model), None, "nothing begins");
    write(form.as_mut(), &mut model, "Sort the photos");
    let (ticket, _) = begin(form.as_mut(), &mut model);
    let now = model.clock.wall;
    let busy = Contact {
        place: "vllm.lan".to_owned(),
        attempt: 1,
        most: 3,
        failed: Some(("rate\u{202e} limited".to_owned(), now + 272_000)),
    };
    model.starting.as_mut().unwrap().contact = Some(busy);
    let shown = rows(form.as_mut(), &model).join("\n");
    assert!(shown.contains("! vllm.lan, attempt 1 of 3: rate\\u{202e} limited"), "{shown}");
    assert!(shown.contains("again in 4:32 · Esc gives up"), "{shown}");
    assert_eq!(form.back(&mut model), Some(vec![Cmd::GiveUp(ticket)]));
    assert_eq!(form.back(&mut model), None, "said once; the next Esc leaves");
    form.told(&Msg::Started(ticket, Err("given up".to_owned())), &mut model);
    let shown = rows(form.as_mut(), &model).join("\n");
    assert!(shown.contains("✗ Given up; no run was started.") && shown.contains("Sort the photos"));
}

#[test]
fn a_start_behind_a_held_database_says_so_and_what_was_sent_is_not_changed() {
    use crate::ui::app::msg::Clock;
    for (lang, held, gives_up, sent) in [
        (
            Lang::En,
            "! Another process holds the database, since",
            "Esc gives up",
            "It was sent as it stands: Esc",
        ),
        (Lang::Zh, "! 数据库被另一进程占用，始于", "Esc 放弃", "已按现在的内容发出：按 Esc"),
    ] {
        let mut model = model(lang);
        let mut form = new_run::NewRunForm::new(&model);
        write(form.as_mut(), &mut model, "Sort the photos");
        let (ticket, _) = begin(form.as_mut(), &mut model);
        let now = model.clock;
        let since = Clock { wall: now.wall - 4_000, mono: now.mono - Duration::from_secs(4) };
        model.starting.as_mut().unwrap().held = Some(since);
        let shown = rows(form.as_mut(), &model).join("\n");
        assert!(shown.contains(held) && shown.contains("0:04") && shown.contains(gives_up), "{shown}");
        // Whatever is typed, pasted, clicked or saved: it stands as it was sent, and that is said.
        let key = KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE);
        let tries = [
            form.key(&key, &mut model),
            form.paste("and more", &mut model),
            form.act(hit(Action::TextSubmit), &mut model),
            form.act(hit(Action::TextSave), &mut model),
            form.click(1, 0, &mut model),
        ];
        for step in tries {
            let Step::Say(said) = step else { panic!("{step:?}") };
            assert!(said.starts_with(sent), "{said}");
        }
        assert!(form.editor().is_none(), "nothing is completed in it either");
        assert_eq!(rows(form.as_mut(), &model).join("\n"), shown);
        assert_eq!(form.back(&mut model), Some(vec![Cmd::GiveUp(ticket)]));
        assert!(!rows(form.as_mut(), &model).join("\n").contains(held), "it is being given up");
        form.told(&Msg::Started(ticket, Err("given up".to_owned())), &mut model);
        write(form.as_mut(), &mut model, "!");
        assert!(rows(form.as_mut(), &model).join("\n").contains("Sort the photos!"));
    }
}

#[test]
fn what_a_server_says_is_told_in_the_language_of_the_screen_and_its_words_are_quoted() {
    use crate::provider::{ErrorKind, ModelError};
    let mut model = model(Lang::Zh);
    let mut form = new_run::NewRunForm::new(&model);
    write(form.as_mut(), &mut model, "Sort the photos");
    let (ticket, _) = begin(form.as_mut(), &mut model);
    let detail = "HTTP 429: slow \u{1b}[2Jdown";
    let busy = ModelError::new(ErrorKind::RateLimited, "http://vllm.lan/v1", detail).message;
    let failed = Some((busy.clone(), model.clock.wall + 272_000));
    let contact = Contact { place: "vllm.lan".to_owned(), attempt: 1, most: 3, failed };
    model.starting.as_mut().unwrap().contact = Some(contact);
    let shown = rows(form.as_mut(), &model).join("").replace(' ', "");
    assert!(
        shown.contains("服务器忙（429）：“slow\\u{1b}[2Jdown”") && !shown.contains("ratelimited"),
        "{shown}"
    );
    let why = format!("{busy} It was asked 3 times; no run was created");
    form.told(&Msg::Started(ticket, Err(why)), &mut model);
    let shown = rows(form.as_mut(), &model).join("").replace(' ', "");
    assert!(shown.contains("没有开始：http://vllm.lan/v1：服务器忙（429）"), "{shown}");
    assert!(!shown.contains("ratelimited") && !shown.contains("norunwas"), "{shown}");
}

#[test]
fn a_goal_edited_elsewhere_while_the_editor_is_open_is_listed_marked_and_not_replaced_unseen() {
    let (first, second) = (goal("Fast", &[], &[]), goal("Fast", &["API unchanged"], &[]));
    let third = goal("Faster", &["API unchanged"], &[]);
    let version = |version, minute, goal: &Goal| GoalVersion {
        version,
        at: sample::at(13, minute, 0),
        by: Author::Person("tui".to_owned()),
        step: 8,
        goal: goal.clone(),
    };
    let all = [version(1, 12, &first), version(2, 24, &second), version(3, 30, &third)];
    let open = || {
        let mut model = with_goal(&second);
        let mut editor = goal::GoalDialog::new(&model).unwrap();
        let Some(Cmd::Goals(ticket, _)) = editor.open(&mut model).pop() else { panic!() };
        editor.told(&Msg::Goals(ticket, Ok(all[..2].to_vec())), &mut model);
        write(editor.as_mut(), &mut model, " mine");
        // It is edited elsewhere.
        sample::change(&mut model, |view| {
            let path = &mut std::sync::Arc::make_mut(&mut view.state).path;
            (path.goal, path.goal_version) = (third.clone(), 3);
        });
        let shot = model.shot.clone().unwrap();
        let Step::Do(commands) = editor.told(&Msg::Shot(shot.clone()), &mut model) else { panic!() };
        let [Cmd::Goals(ticket, _)] = commands.as_slice() else { panic!("{commands:?}") };
        editor.told(&Msg::Goals(*ticket, Ok(all.to_vec())), &mut model);
        assert!(matches!(editor.told(&Msg::Shot(shot), &mut model), Step::Stay), "it is read once");
        let shown = rows(editor.as_mut(), &model);
        let row = shown.iter().find(|row| row.contains("v3  13:30")).unwrap_or_else(|| panic!("{shown:#?}"));
        assert!(row.contains("! new, not looked at"), "{row}");
        assert!(shown.iter().any(|row| row.contains("Fast mine")), "{shown:#?}");
        assert_eq!(editor.title(&model).0, "Goal · version 4, from v2");
        (model, editor)
    };
    let based_on = |step| match posted(step) {
        Control::EditGoal { based_on, .. } => based_on,
        other => panic!("{other:?}"),
    };
    // Looked at: the edit is made from it.
    let (mut model, mut editor) = open();
    let Step::Say(said) = editor.act(hit(Action::TextSave), &mut model) else { panic!() };
    assert_eq!(said, "v3 was not looked at: Enter compares it; Ctrl-O again replaces it unseen.");
    let Step::Open(whole) = editor.act(hit(Action::TextSubmit), &mut model) else { panic!() };
    assert!(whole.title(&model).0.contains("Version 3"));
    assert_eq!(editor.title(&model).0, "Goal · version 4, from v3");
    assert!(!rows(editor.as_mut(), &model).join("\n").contains("not looked at"));
    assert_eq!(based_on(editor.act(hit(Action::TextSave), &mut model)), 3);
    // Replaced unseen, once that was said.
    let (mut model, mut editor) = open();
    assert!(matches!(editor.act(hit(Action::TextSave), &mut model), Step::Say(_)));
    assert_eq!(based_on(editor.act(hit(Action::TextSave), &mut model)), 3);
}

#[test]
fn checks_stand_in_the_goal_editor_with_what_became_of_them_until_one_writes_there() {
    let mut model = model(Lang::En);
    let mut editor = goal::GoalDialog::new(&model).unwrap();
    let has = |editor: &mut dyn Dialog, model: &Model, text: &str| {
        rows(editor, model).iter().any(|row| row.contains(text))
    };
    assert!(has(editor.as_mut(), &model, "○ file:docs/export.md   ✓ cmd:cargo test"));
    (0..2).for_each(|_| drop(editor.act(hit(Action::FieldNext), &mut model)));
    assert!(has(editor.as_mut(), &model, "cmd:cargo test"));
    assert!(!has(editor.as_mut(), &model, "✓ cmd:cargo test"), "a sign is no part of what is written");
    editor.act(hit(Action::FieldNext), &mut model);
    assert!(has(editor.as_mut(), &model, "✓ cmd:cargo test"));
}
