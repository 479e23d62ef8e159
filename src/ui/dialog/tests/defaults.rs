//! What is said of a decision that is made by default if nobody makes it.

use super::*;
use crate::run::call::DefaultAnswer;
use crate::run::control::Author;
use crate::ui::app::sample;
use std::sync::Arc;

fn with_default(lang: Lang) -> Model {
    let mut model = model(lang);
    let at = model.clock.wall + 29 * 60_000 + 18_000;
    sample::change(&mut model, |view| {
        for call in Arc::make_mut(&mut view.state).ledger.open.values_mut() {
            call.default = Some(DefaultAnswer { at, after_ms: 30 * 60_000 });
        }
    });
    model
}

#[test]
fn the_dialog_says_which_option_is_taken_and_when() {
    for (lang, said) in [
        (Lang::En, "No answer: option 2 is taken at 14:06 (in 29:18)"),
        (Lang::Zh, "不回答：14:06采用选项2（还有29:18）"),
    ] {
        let mut model = with_default(lang);
        let waiting = call(&model, "decide", Class::Person, DECIDE);
        let shown = |model: &Model| {
            let rows = rows(answer::AnswerDialog::new(model, &waiting).as_mut(), model).join("\n");
            if lang == Lang::Zh { rows.replace(' ', "") } else { rows }
        };
        assert!(shown(&model).contains(said), "{}", shown(&model));
        // A pause holds it back.
        sample::change(&mut model, |view| Arc::make_mut(&mut view.state).ledger.paused = Some(false));
        assert!(!shown(&model).contains("29:18"), "{}", shown(&model));
    }
}

#[test]
fn whoever_comes_late_is_told_that_it_was_the_default() {
    let mut model = with_default(Lang::En);
    let waiting = call(&model, "decide", Class::Person, DECIDE);
    let mut dialog = answer::AnswerDialog::new(&model, &waiting);
    dialog.act(hit(Action::OptionOwn), &mut model);
    dialog.paste("Neither of them", &mut model);
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting.clear();
    let mut view = shot.run.as_deref().cloned().unwrap();
    for row in view.calls.iter_mut().filter(|row| row.call_id == waiting.call.call_id) {
        (row.class, row.status, row.decided_by) = (Class::Person, CallStatus::Done, Some(Author::Wakeful));
        row.args_hash = waiting.call.args_hash.clone();
        row.why = Some("default after 30m".to_owned());
        row.result = Some(Body::Inline("Two writer threads\n[nobody answered within 30m; taken]".to_owned()));
    }
    shot.run = Some(Arc::new(view));
    dialog.told(&Msg::Shot(Arc::new(shot)), &mut model);
    let shown = rows(dialog.as_mut(), &model).join(" ");
    assert!(shown.contains("Already decided by default after 30m"), "{shown}");
    assert!(shown.contains("Decided  Two writer threads") && !shown.contains("nobody answered"), "{shown}");
    assert!(shown.contains("Neither of them"), "{shown}");
    assert!(shown.contains("Esc close; your text goes to the message line"), "{shown}");
    let said = dialog.leave(&mut model).unwrap();
    assert!(said.contains("default after 30m") && said.ends_with("what you wrote is kept: i"), "{said}");
    assert_eq!(model.message.editor.text(), "Neither of them");
}

#[test]
fn a_decision_that_is_over_lists_nothing_to_choose_and_says_what_was_decided() {
    for (lang, over, decided) in [
        (Lang::En, "Already decided by you (cli): done", "Decided  Stop here"),
        (Lang::Zh, "你 (cli) 已决定：完成", "决定  Stop here"),
    ] {
        let mut model = with_default(lang);
        let waiting = call(&model, "decide", Class::Person, DECIDE);
        let mut dialog = answer::AnswerDialog::new(&model, &waiting);
        let before = rows(dialog.as_mut(), &model).join(" ");
        assert!(before.contains("Two writer threads"), "{before}");
        let mut shot = model.shot.as_deref().cloned().unwrap();
        shot.waiting.clear();
        let mut view = shot.run.as_deref().cloned().unwrap();
        for row in view.calls.iter_mut().filter(|row| row.call_id == waiting.call.call_id) {
            (row.class, row.status) = (Class::Person, CallStatus::Done);
            row.decided_by = Some(Author::Person("cli".to_owned()));
            row.args_hash = waiting.call.args_hash.clone();
            row.result = Some(Body::Inline("Stop here".to_owned()));
        }
        shot.run = Some(Arc::new(view));
        dialog.told(&Msg::Shot(Arc::new(shot)), &mut model);
        let shown = rows(dialog.as_mut(), &model).join(" ");
        assert!(shown.contains(over) && shown.contains(decided), "{shown}");
        let words = &model.words().decision;
        for gone in ["Two writer threads", words.it_waits, words.own_words, words.advised, words.later] {
            assert!(!shown.contains(gone), "{gone}: {shown}");
        }
        assert_eq!(dialog.leave(&mut model), None);
    }
}
