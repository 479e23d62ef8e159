//! The state in little room: no kind pushes another out, and what is left out is said.

use super::build::*;
use wakeful::context::Assembled;
use wakeful::run::budget_table::{Slot, SlotRow};
use wakeful::run::plan::{InnerEffect, NoteKind, PlanItem, PlanState};

const GOAL: &str = "Count the wolves";

/// A run with a plan of 48 parts, the twenty-first under way, a question, and 47 facts.
fn with_much(window: u32) -> Bench {
    let mut bench = Bench::new(settings(window), goal(GOAL));
    let item = |n: u32| {
        let state = match n {
            1..=20 => PlanState::Done,
            21 => PlanState::Active,
            _ => PlanState::Pending,
        };
        PlanItem { id: n.to_string(), title: format!("count the wolves of valley {n}"), state }
    };
    let note = |kind, text: String| InnerEffect::Note { kind, text };
    let mut inner = vec![InnerEffect::Plan { items: (1..=48).map(item).collect() }];
    inner.push(note(NoteKind::Question, "does the mill count as a valley".to_owned()));
    inner.extend((0..47).map(|n| note(NoteKind::Fact, format!("fact number {n} is confirmed"))));
    for inner in inner {
        let ids = bench.reply("Note.", &[("note", "{}", None)]);
        bench.finish(&ids[0], true, "noted", Some(inner));
        bench.commit();
        bench.settle().expect("fits");
    }
    bench.plans.clear();
    bench
}

fn row(request: &Assembled, slot: Slot) -> SlotRow {
    request.table.rows.iter().find(|row| row.slot == slot).expect("row").clone()
}

fn state_of(request: &Assembled) -> &str {
    content(request.messages.last().expect("tail"))
}

#[test]
fn no_kind_pushes_another_out_and_what_is_left_out_is_said() {
    let mut bench = with_much(12_000);
    let request = bench.settle().expect("fits");
    let (state, row) = (state_of(&request), row(&request, Slot::State));
    let order = [
        "Plan:",
        "- 21 [active]",
        "- 22 [pending]",
        "- … not shown: ",
        " more items (",
        "Open questions:",
        "does the mill",
        "Confirmed facts:",
        "fact number 46 ",
        "- … not shown: ",
        " older facts",
        "Go on toward",
    ];
    let mut at = 0;
    for part in order {
        at += state[at..].find(part).unwrap_or_else(|| panic!("{part} is not there: {state}"));
    }
    assert!(request.table.total() <= request.table.window);
    let lines = |of: &str| state.lines().filter(|line| line.contains(of)).count();
    let (items, facts) = (48 - lines("count the wolves of"), 47 - lines("is confirmed"));
    let told: Vec<&str> = row.trimmed.iter().map(|trim| trim.what.as_str()).collect();
    assert_eq!(told, [format!("{items} plan items"), format!("{facts} facts")]);
    let done = 20 - lines("[done]");
    assert!(state.contains(&format!("not shown: {items} more items ({done} done). They stand")), "{state}");
    assert!(state.contains(&format!("not shown: {facts} older facts\n")), "{state}");
}
