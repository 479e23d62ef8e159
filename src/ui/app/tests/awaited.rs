//! News that say what is being done go once it is done.

use super::*;
use crate::run::RunState;
use crate::run::control::StepRef;
use crate::run::state::{Ended, Timeline};
use crate::ui::app::msg::Posted;

/// Posts a control with its news; the ticket.
fn posted(bench: &mut Bench, control: Control, news: &str) -> u64 {
    let run = bench.app.model.run.clone().unwrap();
    match bench.app.post(run, control, news).as_slice() {
        [Cmd::Post(ticket, ..)] => *ticket,
        other => panic!("{other:?}"),
    }
}

fn shot_of(bench: &mut Bench, change: impl FnOnce(&mut RunState)) -> Msg {
    let mut model = sample::model(bench.app.model.look.lang, (120, 40));
    model.shot.clone_from(&bench.app.model.shot);
    sample::change(&mut model, |view| {
        let mut state = view.state.as_ref().clone();
        change(&mut state);
        view.state = Arc::new(state);
    });
    Msg::Shot(model.shot.unwrap())
}

fn rolled_back(state: &mut RunState) {
    let no = state.ledger.timelines.len() as u32 + 1;
    let parent_seq = state.head.seq;
    let parent = state.head.timeline;
    state.ledger.timelines.push(Timeline { no, from_seq: parent_seq + 1, parent_seq, parent });
    (state.head.seq, state.head.timeline) = (parent_seq + 2, no);
}

#[test]
fn a_rollback_is_no_longer_said_to_go_on_once_it_is_done() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    let seen_seq = bench.app.model.view().unwrap().state.head.seq;
    let back = || Control::Rollback {
        to: StepRef { timeline: None, step: 6 },
        files: true,
        seen_seq,
        choices: Default::default(),
    };
    let ticket = posted(&mut bench, back(), "Rolling back; soon.");
    bench.app.update(Msg::Posted(ticket, Posted::Stored));
    bench.shot();
    assert_eq!(bench.news(), "Rolling back; soon.", "it is not done yet");
    bench.app.model.lists.checkpoint = Some(40);
    let shot = shot_of(&mut bench, rolled_back);
    bench.app.update(shot);
    assert_eq!(bench.news(), "Rolled back and paused: p goes on, R takes it back.");
    assert_eq!(bench.app.model.lists.checkpoint, None, "where the run stands is in view again");
    // A snapshot that is faster than the answer.
    let ticket = posted(&mut bench, back(), "Rolling back; soon.");
    let shot = shot_of(&mut bench, rolled_back);
    bench.app.update(shot);
    bench.app.update(Msg::Posted(ticket, Posted::Stored));
    assert!(bench.news().starts_with("Rolled back and paused"), "{}", bench.news());
}

#[test]
fn a_redo_says_that_the_rollback_was_taken_back() {
    for (lang, said) in [
        (Lang::En, "The rollback was taken back: r looks at rolling back again."),
        (Lang::Zh, "已撤销回退：按 r 可再看回退。"),
    ] {
        let mut bench = Bench::new(lang, (120, 40));
        let news = bench.app.model.words().notes.redoing;
        let ticket = posted(&mut bench, Control::Redo, news);
        bench.app.update(Msg::Posted(ticket, Posted::Stored));
        let shot = shot_of(&mut bench, rolled_back);
        bench.app.update(shot);
        assert_eq!(bench.news(), said);
    }
}

#[test]
fn a_cancelled_run_is_no_longer_said_to_be_cancelled() {
    let mut bench = Bench::new(Lang::Zh, (120, 40));
    let news = bench.app.model.words().notes.cancelling;
    let ticket = posted(&mut bench, Control::Cancel, news);
    bench.app.update(Msg::Posted(ticket, Posted::Stored));
    let shot = shot_of(&mut bench, |state| state.ledger.cancelling = true);
    bench.app.update(shot);
    assert_eq!(bench.news(), news, "the report is being made");
    let shot = shot_of(&mut bench, |state| {
        let outcome = crate::run::Outcome::Cancelled;
        state.ledger.cancelling = false;
        state.ledger.ended = Some(Ended { outcome, seq: state.head.seq, at: 1 });
    });
    bench.app.update(shot);
    assert_eq!(bench.news(), "");
    // Other news are left alone.
    bench.app.say("Something else.");
    bench.shot();
    assert_eq!(bench.news(), "Something else.");
}
