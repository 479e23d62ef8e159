//! A run that failed because of the model or its server is tried again with one key.

use super::*;
use crate::run::Outcome;
use crate::run::state::Ended;

fn ended(lang: Lang, size: (u16, u16), outcome: Outcome) -> Bench {
    let mut model = model(lang, size);
    change(&mut model, |view| {
        let mut state = (*view.state).clone();
        state.ledger.open.clear();
        let seq = state.head.seq;
        state.ledger.ended = Some(Ended { outcome, seq, at: 0 });
        view.state = state.into();
    });
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting.clear();
    model.shot = Some(Arc::new(shot));
    Bench::of(model)
}

fn goes_on(commands: &[Cmd]) -> bool {
    matches!(commands, [Cmd::Post(_, _, Control::Continue)])
}

#[test]
fn a_failed_run_is_tried_again_and_says_so() {
    for (lang, size, head, key) in [
        (Lang::En, (120, 40), "✗ failed: the server cannot be reached · p tries again", "p try again"),
        (Lang::En, (80, 24), "p tries again", "p try again"),
        (Lang::Zh, (120, 40), "按 p 重试", "p 重试"),
        (Lang::Zh, (80, 24), "按 p 重试", "p 重试"),
    ] {
        let mut bench = ended(lang, size, Outcome::Failed("connect".to_owned()));
        let rows = bench.frame();
        assert!(rows[0].contains(head), "{rows:#?}");
        assert!(rows[0].starts_with(" Speed") || rows[0].starts_with(" wakeful"), "whose it is: {rows:#?}");
        assert!(rows.last().unwrap().contains(key), "{rows:#?}");
        assert!(goes_on(&bench.press("p")), "{lang:?} {size:?}");
    }
}

#[test]
fn what_ended_otherwise_is_not_tried_again() {
    for outcome in [Outcome::Completed, Outcome::Cancelled] {
        let mut bench = ended(Lang::En, (120, 40), outcome);
        assert!(!bench.shows("tries again") && !bench.shows("p try again"), "{:#?}", bench.frame());
        assert!(bench.press("p").is_empty());
        assert_eq!(bench.news(), "The run has ended. A message or a higher limit reopens it.");
    }
}
