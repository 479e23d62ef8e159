//! What stood there before: a call that ran on another timeline, a file that changed since it was shown.

use super::*;

/// The review of the waiting command, told what it did before.
fn told(model: &mut Model, before: Option<Before>) -> Box<dyn Dialog> {
    let waiting = waits(model, "shell");
    let mut dialog = Review::new(model, &waiting);
    let commands = dialog.open(model);
    let Some(Cmd::Before(ticket, run, call)) = commands.first() else { panic!("{commands:?}") };
    assert_eq!((run, call), (&waiting.call.run, &waiting.call.call_id));
    all(dialog.as_mut(), model);
    later(model, 400);
    for action in [Action::ApproveOnce, Action::EffectReuse] {
        assert!(
            matches!(dialog.act(hit(action), model), Step::Say(_)),
            "nothing is decided before that is known"
        );
    }
    dialog.told(&Msg::Before(*ticket, Ok(before)), model);
    dialog
}

fn ran() -> Before {
    let result = Some("exit 0\n203 s".to_owned());
    Before { call: crate::run::CallId::new("c-old"), step: 12, result, refused: None }
}

#[test]
fn a_call_that_ran_on_a_timeline_that_was_left_says_so_first_and_is_reused() {
    for (lang, first, keys) in [
        (Lang::En, "Ran at step 12 of an abandoned timeline; result exit 0", "u reuse  y run again  n deny…"),
        (Lang::Zh, "曾在已放弃的时间线第 12 步运行过；结果：exit 0", "u 复用  y 再次运行  n 拒绝…"),
    ] {
        let mut model = model(lang);
        let mut dialog = told(&mut model, Some(ran()));
        let rows = all(dialog.as_mut(), &model);
        assert!(rows[0].starts_with(first), "{rows:#?}");
        assert!(rows.last().unwrap().starts_with(keys), "{rows:#?}");
        let (decision, hash, attempt) = decision(dialog.act(hit(Action::EffectReuse), &mut model)).unwrap();
        let call = waits(&model, "shell").call;
        assert_eq!(decision, Decision::Reuse { from: crate::run::CallId::new("c-old") });
        assert_eq!((hash, attempt), (call.args_hash, call.attempt));
        let again = dialog.act(hit(Action::ApproveOnce), &mut model);
        assert!(matches!(again, Step::Post { .. }), "{again:?}");
    }
}

#[test]
fn where_nothing_can_be_reused_the_key_says_why_and_is_not_shown() {
    let mut model = model(Lang::Zh);
    let mut dialog = told(&mut model, None);
    assert!(!all(dialog.as_mut(), &model).join("\n").contains("复用"));
    let Step::Say(words) = dialog.act(hit(Action::EffectReuse), &mut model) else { panic!() };
    assert_eq!(words, model.words().review.nothing_to_reuse);
    let refused = Some("nobody knows what came of it".to_owned());
    let mut dialog = told(&mut model, Some(Before { result: None, refused, ..ran() }));
    let rows = all(dialog.as_mut(), &model);
    assert!(rows[0].contains("结果：—") && !rows.last().unwrap().contains("复用"), "{rows:#?}");
    let Step::Say(words) = dialog.act(hit(Action::EffectReuse), &mut model) else { panic!() };
    assert_eq!(words, "无法复用旧结果：无人知道结果如何");
}

#[test]
fn an_approval_of_a_written_file_is_for_the_file_that_was_shown() {
    let file = FileState::File { hash: Hash::of(b"old"), len: 3, mode: 0o644 };
    let args = serde_json::json!({"path": "other.rs", "content": "x"});
    for (tool, state, edited, wanted) in [
        ("write_file", Some(file.clone()), None, Decision::ApproveShown { args: None, before: file.clone() }),
        (
            "write_file",
            Some(FileState::Absent),
            Some(args.clone()),
            Decision::ApproveShown { args: Some(args.clone()), before: FileState::Absent },
        ),
        // What cannot be compared, and an edit, whose arguments hold what they replace.
        ("write_file", Some(FileState::TooBig { len: 1 << 40 }), None, Decision::Approve),
        ("edit_file", Some(file.clone()), None, Decision::Approve),
    ] {
        let mut model = model(Lang::En);
        let mut waiting = waits(&model, "edit_file");
        waiting.call.tool = tool.to_owned();
        let mut dialog = match &edited {
            Some(args) => Review::edited(&model, &waiting, args.clone(), None),
            None => Review::new(&model, &waiting),
        };
        let commands = dialog.open(&mut model);
        let Some(Cmd::Change(ticket, ..)) = commands.first() else { panic!("{commands:?}") };
        let made = state == Some(FileState::Absent);
        let before = (!made).then_some(7_270);
        dialog
            .told(&Msg::Change(*ticket, Ok(vec![FileChange { state, before, ..change(DIFF) }])), &mut model);
        let title = if made { "Make this file?" } else { "Change this file?" };
        assert_eq!(dialog.title(&model).0, title);
        all(dialog.as_mut(), &model);
        later(&mut model, 400);
        let (decision, ..) = decision(dialog.act(hit(Action::ApproveOnce), &mut model)).unwrap();
        assert_eq!(decision, wanted, "{tool}");
    }
}
