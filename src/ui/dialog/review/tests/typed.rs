//! The word that is typed where a key is not enough: the same key and the same words, whatever the call would do.

use super::*;
use crate::ui::app::msg::FileChange;

/// The call needs the word, which is being typed.
fn typing(lang: Lang, tool: &str) -> (Model, Box<dyn Dialog>) {
    let mut model = model(lang);
    let mut waiting = shell(&model, r#"{"command":"rm -rf target"}"#);
    if tool == "edit_file" {
        waiting = waits(&model, tool);
        let args = r#"{"path":"a.rs","old_string":"let a = 1;","new_string":"let a\u200b = 1;"}"#;
        let body = Body::Inline(args.to_owned());
        (waiting.args, waiting.call.args) = (Text::of(&body), body);
    }
    let mut dialog = Review::new(&model, &waiting);
    for command in open(dialog.as_mut(), &mut model) {
        if let Cmd::Change(ticket, ..) = command {
            let file = FileChange {
                path: "a.rs".to_owned(),
                diff: "@@ -1 +1 @@\n-let a = 1;\n+let a\u{200b} = 1;\n".to_owned(),
                added: 1,
                removed: 1,
                before: None,
                lines: 1,
                state: None,
                problem: None,
            };
            dialog.told(&Msg::Change(ticket, Ok(vec![file])), &mut model);
        }
    }
    all(dialog.as_mut(), &model);
    later(&mut model, 400);
    let step = dialog.act(hit(Action::ApproveOnce), &mut model);
    assert!(matches!(step, Step::Stay) && dialog.live() == live::TEXT, "{tool}: {step:?}");
    (model, dialog)
}

#[test]
fn enter_behind_the_typed_word_approves_a_command_and_a_file_in_the_same_words() {
    for (lang, enter, why) in [
        (Lang::En, "Enter approve", "Only the word yes approves it."),
        (Lang::Zh, "Enter 批准", "只有输入 yes 才会批准。"),
    ] {
        for tool in ["shell", "edit_file"] {
            let (mut model, mut dialog) = typing(lang, tool);
            let rows = all(dialog.as_mut(), &model);
            assert!(rows.last().unwrap().starts_with(enter), "{tool}: {rows:#?}");
            let step = dialog.act(hit(Action::TextSubmit), &mut model);
            assert!(matches!(&step, Step::Say(said) if said == why), "{tool}: {step:?}");
        }
    }
}
