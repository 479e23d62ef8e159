//! The plan edited with keys: from its panel and from anywhere, and what became of what was sent.

use super::*;
use crate::run::plan::plan_version;

/// Opens the editor with these keys, writes and sends; gives the control.
fn sent(bench: &mut Bench, keys: &str) -> Control {
    bench.press(keys);
    assert!(bench.shows("Plan · 2/5 done"), "{:#?}", bench.frame());
    bench.press("Enter");
    bench.write("Tell the team");
    let commands = bench.press("Ctrl-O");
    controls(&commands).pop().unwrap_or_else(|| panic!("{commands:?}"))
}

#[test]
fn the_plan_is_edited_from_its_panel_and_by_its_key_and_what_was_not_taken_comes_back() {
    for keys in ["5 Enter", "1 E"] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        let before = bench.app.model.view().unwrap().state.path.plan.clone();
        let control = sent(&mut bench, keys);
        let Control::EditPlan { based_on, items } = &control else { panic!("{control:?}") };
        assert_eq!((based_on, items.last().unwrap().id.as_str()), (&plan_version(&before), "6"));
        assert!(!bench.shows("Plan · 2/5 done"), "it closed");
        let ticket = bench.app.model.sent.last().unwrap().ticket;
        bench.app.update(Msg::Posted(ticket, Posted::Stored));
        // The run read it and has another plan: the agent was first.
        change(&mut bench.app.model, |view| view.pending = 0);
        bench.pass(Duration::from_secs(2));
        let wall = bench.app.model.clock.wall + 60_000;
        let mut shot = (*bench.app.model.shot.clone().unwrap()).clone();
        shot.at = wall;
        let shot = Arc::new(shot);
        bench.app.update(Msg::Shot(shot.clone()));
        bench.app.update(Msg::Shot(shot));
        assert!(bench.news().contains("Your plan was not taken"), "{}", bench.news());
        assert!(bench.news().ends_with("E"), "{}", bench.news());
        bench.press("E");
        assert!(bench.shows("[pending] Tell the team"), "{:#?}", bench.frame());
    }
}

#[test]
fn a_change_on_its_way_is_seen_in_the_panel_and_one_that_is_in_force_afterwards() {
    let mut bench = Bench::new(Lang::En, (200, 60));
    bench.press("5");
    assert!(bench.shows("Enter edits the plan"), "{:#?}", bench.frame());
    let control = sent(&mut bench, "5 Enter");
    let coming = crate::ui::feed::Coming {
        id: 1,
        by: crate::run::Author::Person("tui".to_owned()),
        at: sample::at(13, 36, 40),
        control: control.clone(),
    };
    change(&mut bench.app.model, |view| view.coming = vec![coming]);
    assert!(bench.shows("a change (you, 13:36) is on its way"), "{:#?}", bench.frame());
    assert!(bench.shows("edit of the plan: 11"), "{:#?}", bench.frame());
    // In a narrow panel it goes on in a second row.
    bench.app.model.size = (120, 40);
    assert!(bench.shows("› a change (you, 13:36) is on") && bench.shows("its way"), "{:#?}", bench.frame());
    let Control::EditPlan { items, .. } = control else { panic!() };
    change(&mut bench.app.model, |view| {
        view.coming.clear();
        let path = &mut Arc::make_mut(&mut view.state).path;
        path.plan = items;
        path.plan_edit = Some(crate::run::plan::PlanEdit { seq: 1, step: 14 });
    });
    assert!(bench.shows("changed by a person in step 14"), "{:#?}", bench.frame());
    let mut bench = Bench::new(Lang::Zh, (200, 60));
    change(&mut bench.app.model, |view| {
        Arc::make_mut(&mut view.state).path.plan_edit = Some(crate::run::plan::PlanEdit { seq: 1, step: 14 });
    });
    let frame = bench.frame().join("").replace(' ', "");
    assert!(frame.contains("第14步时由人修改") && frame.contains("Enter修改计划"), "{frame}");
}
