//! A run that is over: what a message, a goal and a plan come to there. And that nothing opens by itself.

use super::*;
use crate::run::state::Ended;
use crate::run::{Author, CallStatus, Outcome};
use crate::store::HadBack;
use crate::ui::feed::Queued;
use crate::ui::keys::Action;
use crate::ui::view::Zone;

/// The run has ended like this, and nobody works at it.
fn over(lang: Lang, outcome: Outcome) -> Bench {
    let mut model = model(lang, (120, 40));
    model.working.clear();
    change(&mut model, |view| {
        view.alive = false;
        let state = Arc::make_mut(&mut view.state);
        state.ledger.open.clear();
        let (seq, at) = (state.head.seq, sample::now() - 1_000);
        state.ledger.ended = Some(Ended { outcome: outcome.clone(), seq, at });
    });
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting.clear();
    model.shot = Some(Arc::new(shot));
    Bench::of(model)
}

fn queue(bench: &mut Bench) {
    let queued = vec![Queued { id: 7, text: "Once more.".to_owned(), now: false }];
    change(&mut bench.app.model, |view| view.queued = queued);
}

fn outcomes() -> [Outcome; 4] {
    [
        Outcome::Completed,
        Outcome::Cancelled,
        Outcome::Limit(crate::run::LimitKind::Steps),
        Outcome::Failed("network".to_owned()),
    ]
}

#[test]
fn a_message_to_a_run_that_is_over_says_what_it_does_and_waits_where_it_can_be_had_back() {
    let words = [
        (
            Lang::En,
            "Sent: the run goes on and reads it before step ",
            "read when the run goes on (p)  u take back",
        ),
        (Lang::Zh, "已发送：任务继续，第 ", "任务继续后读到（p）  u 收回"),
    ];
    for ((lang, news, waits), outcome) in words.into_iter().flat_map(|w| outcomes().map(|o| (w, o))) {
        let mut bench = over(lang, outcome.clone());
        bench.press("i");
        bench.write("Once more.");
        assert!(matches!(bench.press("Enter").as_slice(), [Cmd::Post(_, _, Control::Message { .. })]));
        let said = bench.app.model.sent.last().unwrap().news.clone();
        assert!(said.starts_with(news) && said.contains('u'), "{said}");
        // No worker has it yet, or none could begin.
        queue(&mut bench);
        assert!(bench.shows(waits), "{outcome:?} {:#?}", bench.frame());
        assert!(bench.press("I").is_empty() && bench.news().ends_with('p'), "{}", bench.news());
        let back = bench.press("u");
        let [Cmd::TakeBack(ticket, _, 7)] = back.as_slice() else { panic!("{outcome:?} {back:?}") };
        bench.app.update(Msg::HadBack(*ticket, Ok(HadBack::Text("Once more.".to_owned()))));
        assert_eq!(bench.app.model.message.editor.text(), "Once more.");
    }
}

#[test]
fn the_key_lets_a_run_go_on_that_is_over_once_a_message_waits_in_it() {
    for outcome in outcomes() {
        let failed = matches!(outcome, Outcome::Failed(_));
        let mut bench = over(Lang::En, outcome.clone());
        if !failed {
            assert!(bench.press("p").is_empty());
            assert_eq!(bench.news(), "The run has ended. A message or a higher limit reopens it.");
            assert!(!bench.shows("p go on"));
        }
        queue(&mut bench);
        assert!(bench.shows(if failed { "p try again" } else { "p go on" }), "{:#?}", bench.frame());
        // A click lets nothing go on.
        let at = Zone::Key(Action::PauseToggle);
        assert!(super::touch::click_on(&mut bench, &at).is_empty(), "{outcome:?}");
        let commands = bench.press("p");
        match commands.as_slice() {
            [Cmd::Work(run)] => assert!(!failed && Some(run) == bench.app.model.run.as_ref()),
            [Cmd::Post(_, _, Control::Continue)] => assert!(failed),
            other => panic!("{outcome:?} {other:?}"),
        }
    }
}

#[test]
fn an_edit_of_a_run_that_is_over_names_no_step_that_would_come() {
    let words = [
        (Lang::En, "use when the run goes on", "The run is over: a message (i) lets it go on", "step"),
        (Lang::Zh, "任务继续时使用", "任务已结束：留言（i）可让它", "第"),
    ];
    for (lang, key, news, step) in words {
        for edits in ["g", "E"] {
            let mut bench = over(lang, Outcome::Completed);
            bench.press(edits);
            assert!(bench.shows(key), "{:#?}", bench.frame());
            if edits == "g" {
                bench.write("Twice. ");
            } else {
                bench.press("> End Enter");
                bench.write("Another one");
            }
            let sent = bench.press("Ctrl-O");
            assert!(matches!(sent.as_slice(), [Cmd::Post(..)]), "{sent:?} {:#?}", bench.frame());
            let said = &bench.app.model.sent.last().unwrap().news;
            assert!(said.contains(news) && !said.contains(step), "{said}");
        }
    }
    // While it runs, a step comes.
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("g");
    assert!(bench.shows("use from step 15"), "{:#?}", bench.frame());
}

#[test]
fn a_key_in_a_dialog_about_a_call_that_was_decided_elsewhere_says_so() {
    let words = [
        (Lang::En, "Already decided by you (cli): denied; this key decides nothing any more (Esc closes)"),
        (Lang::Zh, "已决定：已拒绝；此键已无作用（按 Esc 关闭）"),
    ];
    for ((lang, said), open) in words.into_iter().flat_map(|words| ["a", "d", "e"].map(|open| (words, open)))
    {
        let mut bench = Bench::new(lang, (120, 40));
        bench.press("3");
        let call = lists::acted_on(&bench.app.model).unwrap().call.call_id.clone();
        bench.press(open);
        assert_eq!(bench.app.model.layers.len(), 1);
        let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
        shot.waiting.retain(|waiting| waiting.call.call_id != call);
        let mut view = shot.run.as_deref().cloned().unwrap();
        for row in view.calls.iter_mut().filter(|row| row.call_id == call) {
            row.status = CallStatus::Denied;
            row.decided_by = Some(Author::Person("cli".to_owned()));
        }
        shot.run = Some(Arc::new(view));
        bench.app.update(Msg::Shot(Arc::new(shot)));
        if open == "e" {
            // Its text can still be written in and copied; only what decides is over.
            continue;
        }
        for key in ["y", "n"] {
            assert!(decisions(&bench.press(key)).is_empty());
            assert!(bench.news().ends_with(said), "{open} {key}: {}", bench.news());
        }
        bench.press("Esc");
        assert!(bench.app.model.layers.is_empty());
    }
}

#[test]
fn a_prompt_never_opens_by_itself() {
    for panel in ["1", "2", "3", "4", "5", "6"] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        bench.press(panel);
        let focus = bench.app.model.focus;
        let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
        let all = std::mem::take(&mut shot.waiting);
        bench.app.update(Msg::Shot(Arc::new(shot.clone())));
        // One after the other they come to wait.
        for waiting in all {
            shot.waiting.push(waiting);
            let commands = bench.app.update(Msg::Shot(Arc::new(shot.clone())));
            assert!(decisions(&commands).is_empty());
            bench.frame();
            assert!(bench.app.model.layers.is_empty() && bench.app.model.focus == focus, "{panel}");
        }
    }
}
