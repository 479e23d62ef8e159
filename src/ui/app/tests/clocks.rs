//! The clocks of phases: work counts, waiting does not.

use super::*;
use crate::run::Status;
use crate::ui::words::Phase;

fn shot(bench: &mut Bench, waits: bool) {
    sample::change(&mut bench.app.model, |view| {
        let mut state = (*view.state).clone();
        if !waits {
            state.ledger.open.clear();
        }
        view.state = Arc::new(state);
    });
    let status = bench.app.model.view().unwrap().state.status();
    assert_eq!(matches!(status, Status::Waiting(_)), waits);
    bench.shot();
}

fn phase(bench: &mut Bench, phase: Phase) {
    let run = bench.app.model.run.clone().unwrap();
    bench.app.update(Msg::Phase(run, phase));
}

fn took(bench: &Bench) -> Vec<(Phase, u128)> {
    let live = bench.app.model.live_here().unwrap();
    live.took.iter().map(|(phase, time)| (*phase, time.as_millis())).collect()
}

#[test]
fn a_phase_is_not_longer_for_the_person_who_let_it_wait() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    phase(&mut bench, Phase::Judge);
    bench.pass(Duration::from_millis(30));
    shot(&mut bench, true);
    assert!(bench.shows("! ACT 0:42"), "the wait is told as a wait: {:#?}", bench.frame());
    bench.pass(Duration::from_secs(20));
    // It was decided, and work goes on: before the snapshot that says so, and after it.
    let mut early = Bench::of(model(Lang::En, (120, 40)));
    phase(&mut early, Phase::Judge);
    early.pass(Duration::from_millis(30));
    shot(&mut early, true);
    early.pass(Duration::from_secs(20));
    phase(&mut early, Phase::Act);
    assert_eq!(took(&early), [(Phase::Judge, 30)]);
    shot(&mut bench, false);
    bench.pass(Duration::from_millis(5));
    phase(&mut bench, Phase::Act);
    assert_eq!(took(&bench), [(Phase::Judge, 35)]);
    bench.pass(Duration::from_millis(400));
    assert!(bench.shows("▸ ACT 400ms"), "{:#?}", bench.frame());
}

#[test]
fn waits_of_a_run_that_is_not_shown_are_no_work_either() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    let other = crate::run::RunId::new(sample::OTHER);
    bench.app.update(Msg::Phase(other.clone(), Phase::Judge));
    bench.shot();
    bench.pass(Duration::from_secs(46));
    bench.app.update(Msg::Phase(other.clone(), Phase::Act));
    let live = &bench.app.model.live[&other];
    assert_eq!(live.took, [(Phase::Judge, Duration::ZERO)]);
}

#[test]
fn the_line_of_what_waits_counts_down_to_the_default() {
    for (size, said) in [((120, 40), "by default in 29:18"), ((80, 24), "by default in 29:18")] {
        let mut bench = Bench::new(Lang::En, size);
        let at = bench.app.model.clock.wall + 29 * 60_000 + 18_000;
        change(&mut bench.app.model, |view| {
            for call in Arc::make_mut(&mut view.state).ledger.open.values_mut() {
                call.default = Some(crate::run::call::DefaultAnswer { at, after_ms: 1_800_000 });
            }
        });
        assert!(bench.shows(said), "{:#?}", bench.frame());
    }
}
