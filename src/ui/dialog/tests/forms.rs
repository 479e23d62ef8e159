//! Forms and previews: new run, goal, limits, rollback; and every dialog at every size.

use super::*;

#[test]
fn a_rollback_is_previewed_and_bound_to_the_head_that_was_seen() {
    let mut model = model(Lang::En);
    let run = model.run.clone().unwrap();
    let head = model.view().unwrap().state.head.seq;
    let to = StepRef { timeline: None, step: 6 };
    let mut dialog = rollback::RollbackDialog::new(&mut model, run, to);
    let commands = dialog.open(&mut model);
    let Some(Cmd::Preview(ticket, ..)) = commands.first() else { panic!("{commands:?}") };
    rows(dialog.as_mut(), &model);
    later(&mut model);
    assert!(matches!(dialog.act(hit(Action::RollbackDo), &mut model), Step::Say(_)), "nothing was seen yet");
    dialog.told(&Msg::Preview(*ticket, Ok(preview(head))), &mut model);
    let shown = rows(dialog.as_mut(), &model);
    assert_eq!(
        shown[0],
        "Undo steps 7–13 and open step 14; 99,326 tokens stay spent; timeline 3.".replace("14", "7")
    );
    assert!(
        shown
            .iter()
            .any(|row| row == "✓ Preflight: both files can be put back · R takes this back, not calls"),
        "{shown:#?}"
    );
    assert!(matches!(dialog.act(hit(Action::RollbackDo), &mut model), Step::Say(_)), "just drawn");
    later(&mut model);
    let wanted = |files| {
        let keep = if files { vec!["docs/notes.md".to_owned()] } else { Vec::new() };
        let choices = RollbackChoices { keep, paused: true, ..RollbackChoices::default() };
        Control::Rollback { to, files, seen_seq: head, choices }
    };
    assert_eq!(posted(dialog.act(hit(Action::RollbackDo), &mut model)), wanted(true));
    assert_eq!(posted(dialog.act(hit(Action::RollbackNoFiles), &mut model)), wanted(false));
    assert!(matches!(dialog.act(hit(Action::FileDiff), &mut model), Step::Open(_)));
    // The run goes on: the preview is made anew.
    dialog.told(&Msg::Preview(*ticket, Ok(preview(head))), &mut model);
    let shot = model.shot.clone().unwrap();
    let Step::Do(commands) = ({
        let mut old =
            rollback::RollbackDialog::new(&mut model, shot.run.as_ref().unwrap().state.run.clone(), to);
        let commands = old.open(&mut model);
        let Some(Cmd::Preview(ticket, ..)) = commands.first() else { panic!() };
        old.told(&Msg::Preview(*ticket, Ok(preview(head - 1))), &mut model);
        old.told(&Msg::Shot(Arc::clone(&shot)), &mut model);
        assert!(rows(old.as_mut(), &model)[0].contains("The run has gone on since"));
        later(&mut model);
        old.act(hit(Action::RollbackDo), &mut model)
    }) else {
        panic!()
    };
    assert!(matches!(commands.as_slice(), [Cmd::Preview(..)]));
}

#[test]
fn an_edited_goal_names_the_version_it_was_made_from() {
    let mut model = model(Lang::En);
    let version = model.view().unwrap().state.path.goal_version;
    let mut dialog = goal::GoalDialog::new(&model).unwrap();
    assert!(matches!(dialog.act(hit(Action::TextSave), &mut model), Step::Say(_)), "unchanged");
    write(dialog.as_mut(), &mut model, " Soon.");
    let control = posted(dialog.act(hit(Action::TextSave), &mut model));
    let Control::EditGoal { based_on, goal } = control else { panic!() };
    assert!(based_on == version && goal.text.ends_with(" Soon.") && goal.checks.len() == 3);
    sample::change(&mut model, |view| Arc::make_mut(&mut view.state).path.goal_version += 1);
    let shot = model.shot.clone().unwrap();
    dialog.told(&Msg::Shot(shot), &mut model);
    assert!(rows(dialog.as_mut(), &model).join(" ").contains("edited elsewhere"));
    assert!(matches!(dialog.act(hit(Action::TextSave), &mut model), Step::Say(_)));
    let Control::EditGoal { based_on, .. } = posted(dialog.act(hit(Action::TextSave), &mut model)) else {
        panic!()
    };
    assert_eq!(based_on, version + 1);
}

#[test]
fn only_changed_limits_are_sent() {
    let mut model = model(Lang::En);
    let mut dialog = limits::LimitsDialog::new(&model).unwrap();
    assert!(matches!(dialog.act(hit(Action::TextSave), &mut model), Step::Say(_)), "unchanged");
    let replace = |dialog: &mut dyn Dialog, model: &mut Model, text: &str| {
        for _ in 0..12 {
            dialog.key(&KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE), model);
        }
        write(dialog, model, text);
    };
    dialog.act(hit(Action::FieldNext), &mut model);
    replace(dialog.as_mut(), &mut model, "lots");
    assert!(matches!(dialog.act(hit(Action::TextSave), &mut model), Step::Stay));
    assert!(rows(dialog.as_mut(), &model).join(" ").contains("write a number of tokens"));
    replace(dialog.as_mut(), &mut model, "400k");
    let Control::SetLimits { patch } = posted(dialog.act(hit(Action::TextSave), &mut model)) else {
        panic!()
    };
    assert_eq!(
        (patch.tokens, patch.steps, patch.cost_micro, patch.active_ms),
        (Some(400_000), None, None, None)
    );
    replace(dialog.as_mut(), &mut model, "100k");
    assert!(rows(dialog.as_mut(), &model).join(" ").contains("144,883 are used already"));
    (0..4).for_each(|_| drop(dialog.act(hit(Action::FieldNext), &mut model)));
    dialog.act(nth(Action::CaretOrChoice, 1), &mut model);
    let Step::PostAll(all) = dialog.act(hit(Action::TextSave), &mut model) else { panic!() };
    let controls: Vec<Control> = all.into_iter().map(|one| one.control).collect();
    assert!(matches!(
        controls.as_slice(),
        [Control::SetLimits { .. }, Control::SetMode { mode: Mode::Safe }]
    ));
}

#[test]
fn a_limit_far_from_the_old_one_is_shown_before_it_is_saved_and_said_after() {
    for (lang, typed, shown, news) in [
        (
            Lang::En,
            "3000000100",
            "! tokens 300,000 → 3,000,000,100: is that meant?",
            "Limits: tokens 300,000 → 3,000,000,100",
        ),
        (Lang::En, "1k", "! tokens 300,000 → 1,000: is that meant?", "Limits: tokens 300,000 → 1,000"),
        (Lang::En, "500k", "tokens 300,000 → 500,000", "Limits: tokens 300,000 → 500,000"),
        (
            Lang::Zh,
            "3000000100",
            "! 词元 300,000 → 3,000,000,100：确定吗？",
            "限额：词元 300,000 → 3,000,000,100",
        ),
    ] {
        let mut model = model(lang);
        let mut dialog = limits::LimitsDialog::new(&model).unwrap();
        dialog.act(hit(Action::FieldNext), &mut model);
        dialog.act(hit(Action::TextCutBefore), &mut model);
        write(dialog.as_mut(), &mut model, typed);
        let seen = rows(dialog.as_mut(), &model);
        assert!(seen.iter().any(|row| row.trim() == shown), "{shown}: {seen:#?}");
        assert_eq!(seen.join("").contains(model.words().limits.far("").trim()), shown.starts_with('!'));
        let Step::PostAll(all) = dialog.act(hit(Action::TextSave), &mut model) else { panic!() };
        assert_eq!(all[0].news, news);
    }
}

#[test]
fn what_is_decided_elsewhere_is_said_in_every_dialog_about_a_call() {
    let mut model = model(Lang::Zh);
    let id = waits(&model, "shell").call.call_id;
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting.retain(|waiting| waiting.call.call_id != id);
    let mut view = shot.run.as_deref().cloned().unwrap();
    for call in view.calls.iter_mut().filter(|call| call.call_id == id) {
        call.status = CallStatus::Done;
        call.decided_by = Some(Author::Person("tui".to_owned()));
    }
    shot.run = Some(Arc::new(view));
    let msg = Msg::Shot(Arc::new(shot));
    let mut unsure = waits(&model, "shell");
    unsure.call.status = CallStatus::Uncertain;
    let question = call(&model, "decide", Class::Person, DECIDE);
    let shell = waits(&model, "shell");
    let dialogs = [
        deny::DenyDialog::new(&model, &shell),
        args::ArgsDialog::new(&model, &shell),
        answer::AnswerDialog::new(&model, &question),
        unsure::UnsureDialog::new(&model, &unsure),
    ];
    for mut dialog in dialogs {
        dialog.told(&msg, &mut model);
        let shown = rows(dialog.as_mut(), &model).join("\n");
        assert!(shown.contains("你已决定：完成"), "{shown}");
        later(&mut model);
        for action in
            [Action::TextSubmit, Action::TextSave, Action::Open, Action::EffectHappened, Action::EffectSkip]
        {
            let step = dialog.act(hit(action), &mut model);
            assert!(matches!(step, Step::Stay | Step::Say(_)), "{step:?}");
        }
    }
}

/// Every dialog, opened.
fn every(model: &mut Model) -> Vec<Box<dyn Dialog>> {
    let shell = waits(model, "shell");
    let edit = waits(model, "edit_file");
    let decide = call(model, "decide", Class::Person, DECIDE);
    let run = model.run.clone().unwrap();
    let mut roll = rollback::RollbackDialog::new(model, run.clone(), StepRef { timeline: Some(1), step: 6 });
    if let Some(Cmd::Preview(ticket, ..)) = roll.open(model).first() {
        roll.told(&Msg::Preview(*ticket, Ok(preview(3))), model);
    }
    let mut compare = compare::CompareDialog::new(model, run.clone(), StepRef { timeline: Some(1), step: 6 });
    if let Some(Cmd::Compare(ticket, ..)) = compare.open(model).first() {
        compare.told(&Msg::Compared(*ticket, Ok(back::comparison())), model);
    }
    let mut whole = text::TextDialog::plain("全文 whole", "line\n行\u{200b}\n".repeat(30));
    whole.open(model);
    vec![
        review::Review::new(model, &shell),
        review::Review::new(model, &edit),
        deny::DenyDialog::new(model, &shell),
        args::ArgsDialog::new(model, &shell),
        answer::AnswerDialog::new(model, &decide),
        answer::AnswerDialog::new(
            model,
            &call(model, "ask_person", Class::Person, r#"{"question":"为什么?"}"#),
        ),
        unsure::UnsureDialog::new(model, &shell),
        quit::Quit::new(model),
        help::HelpDialog::new(model, live::RUN_LOOP, "1"),
        palette::PaletteDialog::new(model, live::RUN),
        typed::TypedDialog::cancel(model, run.clone()),
        typed::TypedDialog::take_over(run, crate::run::WorkerId::new("w-1-a"), 4_121),
        banner::BannerDialog::new(model, None),
        settle::SettleDialog::window(model).unwrap(),
        settle::SettleDialog::price(model).unwrap(),
        whole,
        new_run::NewRunForm::new(model),
        roll,
        compare,
        goal::GoalDialog::new(model).unwrap(),
        limits::LimitsDialog::new(model).unwrap(),
    ]
}

#[test]
fn every_dialog_is_drawn_at_every_size_in_both_languages() {
    for lang in Lang::ALL {
        let mut model = model(lang);
        for mut dialog in every(&mut model) {
            assert!(!dialog.title(&model).0.is_empty());
            // What depends on the language is its words: not every width is needed again.
            for columns in (0..60).step_by(if lang == Lang::En { 1 } else { 3 }) {
                for height in 0..20 {
                    let (shown, _) = sample::draw_dialog_in(dialog.as_ref(), &model, columns, height);
                    if let Some(caret) = shown.caret {
                        assert!(caret.x < columns && caret.y < height, "{dialog:?} {columns}×{height}");
                    }
                    dialog.drawn(shown, model.clock.mono);
                }
            }
            let wanted = dialog.rows(&model, 96);
            assert!(wanted > 1 && wanted < 200, "{dialog:?}");
            write(dialog.as_mut(), &mut model, "你好");
            dialog.paste("a\r\nb\u{202e}", &mut model);
            for action in [
                Action::PageDown,
                Action::Bottom,
                Action::Left,
                Action::FieldNext,
                Action::Compare,
                Action::TextUndo,
            ] {
                drop(dialog.act(hit(action), &mut model));
            }
            sample::draw_dialog_in(dialog.as_ref(), &model, 40, 12);
        }
    }
}

#[test]
fn a_limit_of_nothing_is_refused_and_changes_nothing() {
    for lang in [Lang::En, Lang::Zh] {
        // Steps, tokens, time and tool calls; a cost of nothing is a wish that can be kept.
        for (field, least, some) in [(0, "0", "70"), (1, "0k", "700k"), (3, "0m", "70m"), (4, "0", "700")] {
            let mut model = model(lang);
            let mut dialog = limits::LimitsDialog::new(&model).unwrap();
            for _ in 0..field {
                dialog.act(hit(Action::FieldNext), &mut model);
            }
            let clear = |dialog: &mut dyn Dialog, model: &mut Model| {
                for _ in 0..12 {
                    dialog.key(&KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE), model);
                }
            };
            clear(dialog.as_mut(), &mut model);
            write(dialog.as_mut(), &mut model, least);
            assert!(matches!(dialog.act(hit(Action::TextSave), &mut model), Step::Stay), "{field}");
            let said = model.words().limits.not_zero;
            let shown = rows(dialog.as_mut(), &model).join("");
            assert!(shown.replace([' ', '\n'], "").contains(&said.replace(' ', "")), "{field}: {shown}");
            clear(dialog.as_mut(), &mut model);
            write(dialog.as_mut(), &mut model, some);
            assert!(matches!(dialog.act(hit(Action::TextSave), &mut model), Step::PostAll(_)), "{field}");
        }
    }
}

/// The text of the columns of help, row by row: what stands left of a cell, and what stands right of it.
fn columns(rows: &[String], half: usize) -> String {
    let mut columns = [String::new(), String::new()];
    for row in rows {
        let mut cells = 0;
        for c in row.chars() {
            columns[usize::from(half > 0 && cells >= half)].push(c);
            cells += crate::ui::text::width(&c.to_string());
        }
    }
    columns.concat().replace(' ', "")
}

#[test]
fn help_loses_no_word_at_any_width() {
    for (lang, keys) in [(Lang::En, live::RUN_QUEUE), (Lang::Zh, live::RUN_LOOP), (Lang::En, live::ASK)] {
        let mut model = model(lang);
        let can = |action| crate::ui::view::foot::available(&model, action);
        let help = model.look.keys.help(keys, lang, can);
        let hints: Vec<_> = help.here.iter().chain(&help.everywhere).collect();
        for width in [37, 57, 77, 97] {
            let half = if width > 60 { usize::from(width) / 2 } else { 0 };
            // As high as it likes, and the few rows of a small window, walked through.
            let all = help::HelpDialog::new(&model, keys, "3 Queue").rows(&model, width);
            for height in [all, 12] {
                let mut dialog = help::HelpDialog::new(&model, keys, "3 Queue");
                let mut seen = String::new();
                for _ in 0..hints.len() {
                    let (shown, rows) = sample::draw_dialog_in(dialog.as_ref(), &model, width, height);
                    dialog.drawn(shown, model.clock.mono);
                    let list = &rows[..rows.len() - 2];
                    assert!(!list.iter().any(|row| row.contains('…')), "{width}: {list:#?}");
                    seen.push_str(&columns(list, half));
                    dialog.act(nth(Action::PickMove, 1), &mut model);
                }
                for hint in &hints {
                    let words = hint.words.replace(' ', "");
                    assert!(seen.contains(&words), "{width} {height}: {words}");
                }
            }
        }
    }
}

#[test]
fn what_comes_back_from_outside_is_looked_at_as_what_is_typed() {
    let mut model = model(Lang::En);
    let mut dialog = goal::GoalDialog::new(&model).unwrap();
    let Step::Outside(ticket, text, _) = dialog.act(hit(Action::TextExternal), &mut model) else { panic!() };
    let edited = Msg::Edited(ticket, Ok(text.replace("60 s", "45 s") + "\n"));
    dialog.told(&edited, &mut model);
    let said = model.words().goal.disagrees("45", "60");
    let shown = rows(dialog.as_mut(), &model).join("\n");
    assert!(shown.contains("in under 45 s") && shown.contains(&said), "{shown}");
    // Once: what comes after it is about nothing.
    dialog.told(&Msg::Edited(ticket, Ok("other".to_owned())), &mut model);
    assert!(rows(dialog.as_mut(), &model).join("\n").contains("in under 45 s"));
}
