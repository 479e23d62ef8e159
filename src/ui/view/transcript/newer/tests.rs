//! What counts as new while the person reads elsewhere.

use super::super::note;
use super::*;
use crate::run::{Body, Hold};
use crate::ui::app::sample;
use crate::ui::app::transcript::{Place, Spot, go};
use crate::ui::feed::{Ending, Item, StepView, Text};
use crate::ui::words::Lang;

/// The run of the mock-ups, left at the end for step 3.
fn left() -> Model {
    let mut model = sample::model(Lang::En, (120, 40));
    (model.drawn, _) = sample::draw_with(&model);
    go(&mut model, Place { at: Some(Spot { step: 3, item: None }), skip: 0 });
    model
}

fn said(model: &Model) -> String {
    note(model).iter().map(|part| part.text.to_string()).collect()
}

fn held(seq: u64) -> Item {
    Item::Held { seq, why: Hold::Breaker(3) }
}

fn unseen(kind: &'static str) -> Item {
    Item::Other { seq: 900, at: 0, kind, words: String::new() }
}

#[test]
fn items_that_are_told_count_and_not_events() {
    let mut model = left();
    assert_eq!(said(&model), "↓");
    sample::change(&mut model, |view| {
        view.state = {
            let mut state = (*view.state).clone();
            state.head.seq += 50;
            state.into()
        };
    });
    assert_eq!(said(&model), "↓", "fifty events of which nothing is told");
    sample::change(&mut model, |view| {
        view.open.items.extend([unseen("rollback_started"), held(901), unseen("paused")]);
    });
    assert_eq!(said(&model), "↓ 2 new");
    // A call that goes on is no new one.
    sample::change(&mut model, |view| {
        if let Some(Item::Call(call)) = view.open.items.get_mut(1) {
            call.result = Some(Text::of(&Body::Inline("line\n".repeat(40))));
        }
    });
    assert_eq!(said(&model), "↓ 2 new");
}

#[test]
fn a_folded_step_is_one_and_an_unfolded_one_is_its_items() {
    let mut model = left();
    // Two steps were made since: the one that was open, and another one; a third begins.
    sample::change(&mut model, |view| {
        let mut steps = view.steps.as_ref().clone();
        let last = *steps.last().unwrap();
        for n in 1..=2 {
            let (from, to) = (last.to + 100 * n, last.to + 100 * n + 9);
            let step = last.step + u32::try_from(n).unwrap();
            steps.push(crate::ui::feed::StepSpan { step, from, to, ..last });
        }
        view.steps = steps.into();
        view.open = StepView { step: 16, items: vec![held(990)], ..StepView::default() };
    });
    assert_eq!(said(&model), "↓ 2 new", "step 15, which was not read, and what is in step 16");
    let span = model.view().unwrap().steps[14];
    let asked = Item::Asked {
        seq: 1,
        at: 0,
        attempt: 1,
        purpose: crate::run::Purpose::Turn,
        prompt: 1,
        text: None,
        reasoning: None,
        ending: Ending::Open,
    };
    let read =
        StepView { step: 15, from: span.from, to: span.to, items: vec![asked, held(980)], committed: None };
    model.transcript.steps.insert(15, read.into());
    model.transcript.folds.insert(Spot { step: 15, item: None }, true);
    assert_eq!(said(&model), "↓ 3 new", "what is told of a folded step stands beside it");
    model.transcript.folds.insert(Spot { step: 15, item: None }, false);
    assert_eq!(said(&model), "↓ 4 new", "reply, hold, checkpoint; and what is in step 16");
}

#[test]
fn after_a_rollback_all_that_comes_is_new() {
    let mut model = left();
    let before = model.view().unwrap().steps.clone();
    sample::change(&mut model, |view| {
        view.steps = view.steps[..7].to_vec().into();
        view.open =
            StepView { step: 8, items: vec![unseen("rolled_back"), held(990)], ..StepView::default() };
    });
    crate::ui::app::transcript::turned(&mut model, &before);
    assert_eq!(said(&model), "↓ 2 new", "{:?}", model.transcript.seen);
}
