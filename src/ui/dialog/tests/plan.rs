//! The plan editor: what it begins with, what it sends, what it says of lines that cannot be read and of other changes.

use super::*;
use crate::run::control::Author;
use crate::run::plan::{PlanItem, PlanState, plan_version};
use crate::ui::app::sample;
use crate::ui::dialog::plan::PlanDialog;
use crate::ui::feed::Coming;
use std::sync::Arc;

fn in_force(model: &Model) -> Vec<PlanItem> {
    model.view().unwrap().state.path.plan.clone()
}

fn change(model: &mut Model, items: Vec<PlanItem>) {
    sample::change(model, |view| Arc::make_mut(&mut view.state).path.plan = items);
}

fn item(id: &str, title: &str) -> PlanItem {
    PlanItem { id: id.to_owned(), title: title.to_owned(), state: PlanState::Pending }
}

fn shown(dialog: &mut dyn Dialog, model: &Model) -> String {
    rows(dialog, model).join("\n")
}

#[test]
fn it_begins_with_the_plan_and_sends_what_was_written_with_the_version_it_was_made_from() {
    let mut model = model(Lang::En);
    let before = in_force(&model);
    let mut editor = PlanDialog::new(&model).unwrap();
    assert_eq!(editor.title(&model).0, "Plan · 2/5 done");
    let seen = shown(editor.as_mut(), &model);
    for text in [
        "1 [done] Measure the baseline: 214 s",
        "  3.2 [active] BufWriter, 1 MiB",
        "needs_review",
        "two spaces a level",
    ] {
        assert!(seen.contains(text), "{text}: {seen}");
    }
    let Step::Say(said) = editor.act(hit(Action::TextSave), &mut model) else { panic!() };
    assert_eq!(said, "Nothing is changed yet.");
    // The caret is at the end: Enter begins a line.
    editor.act(hit(Action::TextSubmit), &mut model);
    write(editor.as_mut(), &mut model, "  [actve] Tell the team");
    assert!(matches!(editor.act(hit(Action::TextSave), &mut model), Step::Stay));
    let seen = shown(editor.as_mut(), &model);
    assert!(seen.contains("✗ line 11: there is no state [actve]"), "{seen}");
    (0..17).for_each(|_| {
        editor.key(&KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE), &mut model);
    });
    write(editor.as_mut(), &mut model, "ive] Tell the team");
    let Control::EditPlan { based_on, items } = posted(editor.act(hit(Action::TextSave), &mut model)) else {
        panic!()
    };
    assert_eq!(based_on, plan_version(&before));
    assert_eq!(items.len(), before.len() + 1);
    assert_eq!(&items[..10], &before[..], "the others keep their ids");
    assert_eq!((items[10].id.as_str(), items[10].state), ("5.1", PlanState::Active));
    assert!(model.drafts.plans.is_empty());
}

#[test]
fn what_is_wrong_with_a_line_is_said_in_the_language_of_the_screen() {
    let mut model = model(Lang::Zh);
    let mut editor = PlanDialog::new(&model).unwrap();
    editor.act(hit(Action::TextSubmit), &mut model);
    write(editor.as_mut(), &mut model, "[actve] x");
    assert!(matches!(editor.act(hit(Action::TextSave), &mut model), Step::Stay));
    let seen: String = shown(editor.as_mut(), &model).split_whitespace().collect();
    assert!(seen.contains("没有状态[actve]"), "{seen}");
}

#[test]
fn a_plan_that_the_agent_changed_meanwhile_is_compared_before_it_is_replaced() {
    let mut model = model(Lang::En);
    let mut editor = PlanDialog::new(&model).unwrap();
    write(editor.as_mut(), &mut model, " and more");
    let newer = vec![item("1", "Another way")];
    change(&mut model, newer.clone());
    editor.told(&Msg::Shot(model.shot.clone().unwrap()), &mut model);
    let seen = shown(editor.as_mut(), &model);
    assert!(seen.contains("! The plan was changed meanwhile") && seen.contains("and more"), "{seen}");
    let Step::Open(mut difference) = editor.act(hit(Action::TextSave), &mut model) else { panic!() };
    let seen = shown(difference.as_mut(), &model);
    assert!(seen.contains("[pending] Another way") && seen.contains("and more"), "{seen}");
    assert!(shown(editor.as_mut(), &model).contains("! Your text replaces the plan as you saw it."));
    let Control::EditPlan { based_on, .. } = posted(editor.act(hit(Action::TextSave), &mut model)) else {
        panic!()
    };
    assert_eq!(based_on, plan_version(&newer));
}

#[test]
fn it_begins_with_a_change_that_is_on_its_way_and_keeps_a_draft() {
    let mut model = model(Lang::En);
    let (first, second) = (vec![item("1", "Sent\u{202e}")], vec![item("1", "Behind it")]);
    let coming = |based_on: &[PlanItem], items: &[PlanItem]| Coming {
        id: 1,
        by: Author::Person("cli".to_owned()),
        at: sample::at(13, 36, 40),
        control: Control::EditPlan { based_on: plan_version(based_on), items: items.to_vec() },
    };
    let all = vec![
        coming(&in_force(&model), &first),
        coming(&in_force(&model), &[item("1", "Refused")]),
        coming(&first, &second),
    ];
    sample::change(&mut model, |view| view.coming = all);
    let mut editor = PlanDialog::new(&model).unwrap();
    let seen = shown(editor.as_mut(), &model);
    assert!(seen.contains("1 [pending] Behind it"), "{seen}");
    let words: Vec<&str> = seen.split_whitespace().collect();
    assert!(
        words.join(" ").contains("! A change (you (cli), 13:36) is on its way: the run has not read it yet. The text here is made from it."),
        "{seen}"
    );
    assert_eq!(editor.leave(&mut model), None, "nothing was written");
    write(editor.as_mut(), &mut model, " mine");
    assert_eq!(editor.leave(&mut model).as_deref(), Some("The draft is kept."));
    let mut again = PlanDialog::new(&model).unwrap();
    let Control::EditPlan { based_on, items } = posted(again.act(hit(Action::TextSave), &mut model)) else {
        panic!()
    };
    assert_eq!((based_on, items[0].title.as_str()), (plan_version(&second), "Behind it mine"));
    // Nothing of it is in force any more: the draft says so when it is opened.
    model
        .drafts
        .plans
        .insert(model.run.clone().unwrap(), (plan_version(&second), "1 [done] mine".to_owned()));
    sample::change(&mut model, |view| view.coming.clear());
    let mut later = PlanDialog::new(&model).unwrap();
    assert!(shown(later.as_mut(), &model).contains("! The plan was changed meanwhile"));
    assert!(matches!(later.act(hit(Action::TextSave), &mut model), Step::Open(_)));
}
