//! Times of what goes on: from the journal, the same for everybody, and never back.

use crate::run::{CallStatus, RunId};
use crate::ui::app::msg::Msg;
use crate::ui::app::sample;
use crate::ui::app::tests::{Bench, running};
use crate::ui::feed::RunView;
use crate::ui::frame::Program as _;
use crate::ui::words::{Lang, Phase};
use std::sync::Arc;
use std::time::Duration;

/// Active time of the sample's run, milliseconds.
const STORED: u64 = 705_000;

/// A command has run for 40 seconds and nothing else waits; this screen has just been opened.
fn bench() -> Bench {
    let mut bench = Bench::new(Lang::En, (120, 40));
    running(&mut bench);
    let now = sample::now();
    sample::change(&mut bench.app.model, |view| {
        let state = Arc::make_mut(&mut view.state);
        state.ledger.open.retain(|_, call| call.status == CallStatus::Started);
        state.ledger.open.values_mut().for_each(|call| call.since = now - 40_000);
    });
    let shot = bench.app.model.shot.as_ref().unwrap();
    let waits = crate::ui::feed::Snapshot { waiting: Vec::new(), ..shot.as_ref().clone() };
    bench.app.update(Msg::Shot(Arc::new(waits)));
    bench
}

/// The next snapshot, changed.
fn next(bench: &mut Bench, change: impl FnOnce(&mut RunView)) {
    let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
    let mut view = shot.run.as_deref().cloned().unwrap();
    change(&mut view);
    shot.run = Some(Arc::new(view));
    bench.app.update(Msg::Shot(Arc::new(shot)));
}

fn run(bench: &Bench) -> RunId {
    bench.app.model.run.clone().unwrap()
}

#[test]
fn a_phase_counts_from_the_journal_whoever_looks_and_since_when() {
    let mut bench = bench();
    assert!(bench.shows("RUNNING · act 40"), "{:#?}", bench.frame());
    assert!(bench.shows("ACT 40"), "{:#?}", bench.frame());
    // Here it is told when the phase begins: that is no other time.
    let run = run(&bench);
    bench.app.update(Msg::Phase(run, Phase::Act));
    bench.pass(Duration::from_secs(5));
    bench.frame();
    assert!(bench.shows("RUNNING · act 45"), "{:#?}", bench.frame());
    // The clock was set back to before it began.
    bench.app.model.clock.wall -= 3_600_000;
    let view = bench.app.model.view().unwrap();
    assert_eq!(bench.app.model.phase_ms(view, Phase::Act), Some(0));
    assert_eq!(bench.app.model.active_ms(view), STORED);
}

#[test]
fn active_time_goes_on_with_a_command_and_does_not_jump_back_when_it_is_stored() {
    let mut bench = bench();
    let shown = |bench: &Bench| bench.app.model.active_ms(bench.app.model.view().unwrap());
    assert_eq!(shown(&bench), STORED + 40_000);
    assert!(bench.shows("time 12:25/30:00"), "{:#?}", bench.frame());
    let ends = |stored: u64| {
        move |view: &mut RunView| {
            let state = Arc::make_mut(&mut view.state);
            state.ledger.open.clear();
            state.ledger.totals.active_ms = stored;
        }
    };
    next(&mut bench, ends(STORED + 39_400));
    assert_eq!(shown(&bench), STORED + 40_000, "what was seen stays");
    next(&mut bench, ends(STORED + 39_900));
    assert_eq!(shown(&bench), STORED + 40_000);
    next(&mut bench, ends(STORED + 50_000));
    assert_eq!(shown(&bench), STORED + 50_000);

    // What was not charged is not shown, and nothing goes on without an owner.
    let mut bench = self::bench();
    next(&mut bench, ends(STORED));
    assert_eq!(shown(&bench), STORED);
    let mut bench = self::bench();
    bench.app.model.working.clear();
    next(&mut bench, |view| view.alive = false);
    bench.app.model.active = None;
    assert_eq!(shown(&bench), STORED);
}

#[test]
fn active_time_goes_on_with_a_command_whose_worker_is_gone_and_never_back() {
    use crate::ui::feed::Signs;
    let mut bench = bench();
    let shown = |bench: &Bench| bench.app.model.active_ms(bench.app.model.view().unwrap());
    assert_eq!(shown(&bench), STORED + 40_000);
    let run = run(&bench);
    let call = bench.app.model.view().unwrap().state.open_here().next().unwrap().call_id.clone();
    let signs =
        |alone, ended| Msg::Signs(Signs { run: run.clone(), asleep: None, silent: Vec::new(), alone, ended });
    // Its worker is killed; nobody has looked yet whether it goes on.
    bench.app.model.working.clear();
    next(&mut bench, |view| view.alive = false);
    assert_eq!(shown(&bench), STORED + 40_000, "it does not fall back");
    bench.app.update(signs(vec![call.clone()], Vec::new()));
    bench.pass(Duration::from_secs(20));
    bench.app.input(crate::ui::input::Input::Focus(true));
    assert_eq!(shown(&bench), STORED + 60_000, "its supervisor goes on");
    // It ends, and waits to be fetched.
    bench.app.update(signs(Vec::new(), vec![(call.clone(), 61_000)]));
    bench.pass(Duration::from_secs(300));
    bench.app.input(crate::ui::input::Input::Focus(true));
    assert_eq!(shown(&bench), STORED + 61_000, "and stands");
    // Fetched, it is charged.
    next(&mut bench, |view| {
        let state = Arc::make_mut(&mut view.state);
        state.ledger.open.clear();
        state.ledger.totals.active_ms = STORED + 61_000;
    });
    assert_eq!(shown(&bench), STORED + 61_000);
}

#[test]
fn a_banner_about_the_time_that_is_left_goes_on_as_the_limits_do() {
    for (lang, banner) in [(Lang::En, "! TIME 80 %  24:00 of 30:00 used"), (Lang::Zh, "24:00")] {
        let mut bench = bench();
        bench.app.model.look = sample::look(lang);
        next(&mut bench, |view| {
            // With the command that has run for 40 seconds it is 23:59.
            Arc::make_mut(&mut view.state).ledger.totals.active_ms = (23 * 60 + 19) * 1_000;
        });
        bench.app.model.active = None;
        assert!(!bench.shows("80 %"), "{:#?}", bench.frame());
        bench.pass(Duration::from_secs(1));
        bench.app.input(crate::ui::input::Input::Focus(true));
        let rows = bench.frame();
        let line = rows.iter().find(|row| row.contains("80 %")).unwrap_or_else(|| panic!("{rows:#?}"));
        assert!(line.contains(banner), "{line}");
        assert!(rows.iter().any(|row| row.contains("24:00/30:00")), "{rows:#?}");
    }
}
