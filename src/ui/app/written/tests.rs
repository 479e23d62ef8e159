//! What was written comes back if nothing came of it, and nothing is said to be done before it is seen to be.

use super::super::msg::{Cmd, Msg};
use super::super::tests::Bench;
use super::*;
use crate::run::settings::{Class, Mode};
use crate::ui::app::sample::change;
use crate::ui::feed::Text;
use crate::ui::frame::Program as _;
use crate::ui::words::Lang;
use std::sync::Arc;

fn bench() -> Bench {
    Bench::new(Lang::En, (100, 30))
}

/// The posts among some commands.
fn posts(commands: Vec<Cmd>) -> Vec<(Ticket, Control)> {
    let of =
        |command| if let Cmd::Post(ticket, _, control) = command { Some((ticket, control)) } else { None };
    commands.into_iter().filter_map(of).collect()
}

fn answer(bench: &mut Bench, posts: &[(Ticket, Control)], posted: &Posted) {
    for (ticket, _) in posts {
        bench.app.update(Msg::Posted(*ticket, posted.clone()));
    }
    bench.frame();
}

/// What waits in the shown run asks a question.
fn question(bench: &mut Bench) {
    let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
    for waiting in &mut shot.waiting {
        waiting.call.class = Class::Person;
        waiting.call.tool = "ask_person".to_owned();
        waiting.call.args = crate::run::Body::Inline(r#"{"question":"Which colour?"}"#.to_owned());
        waiting.args = Text::of(&waiting.call.args);
    }
    bench.app.model.shot = Some(Arc::new(shot));
}

/// A dialog, how something is written in it and sent, and the key that brings it back.
type Case = (&'static str, fn(&mut Bench) -> Vec<Cmd>, &'static str, &'static str);

const CASES: &[Case] = &[
    (
        "goal",
        |bench| {
            bench.press("g");
            bench.write(" quick brown");
            bench.press("Ctrl-O")
        },
        "g",
        "quick brown",
    ),
    (
        "reason",
        |bench| {
            bench.press("3 d");
            bench.write("quick brown");
            bench.press("Enter")
        },
        "d",
        "quick brown",
    ),
    (
        "limits",
        |bench| {
            bench.press("L");
            bench.write("77");
            bench.press("Ctrl-O")
        },
        "L",
        "5077",
    ),
    (
        "answer",
        |bench| {
            question(bench);
            bench.press("3 a");
            bench.write("quick brown");
            bench.pass(std::time::Duration::from_secs(1));
            bench.press("Enter")
        },
        "a",
        "quick brown",
    ),
    (
        "message",
        |bench| {
            bench.press("i");
            bench.write("quick brown");
            bench.press("Enter")
        },
        "i",
        "quick brown",
    ),
    (
        "arguments",
        |bench| {
            bench.press("3 < j");
            let waiting = crate::ui::app::lists::acted_on(&bench.app.model).unwrap().clone();
            let args = serde_json::json!({ "command": "quick brown" });
            let review = crate::ui::dialog::review::Review::edited(&bench.app.model, &waiting, args, None);
            bench.app.open(review);
            bench.frame();
            bench.pass(std::time::Duration::from_secs(1));
            bench.press("Space Space y")
        },
        "e",
        "quick brown",
    ),
];

#[test]
fn what_was_written_in_a_dialog_comes_back_when_the_disk_is_full() {
    for (name, send, key, text) in CASES {
        for (posted, words) in [
            (Posted::Full, "The disk is full: not stored. What you wrote is kept: ".to_owned()),
            (
                Posted::Failed(
                    "the database could not be written at all, whatever was tried: I/O error".to_owned(),
                ),
                "…: not stored. What you wrote is kept: ".to_owned(),
            ),
        ] {
            let mut bench = bench();
            let sent = posts(send(&mut bench));
            assert!(!sent.is_empty(), "{name}: {:#?}", bench.frame());
            assert!(bench.app.model.layers.is_empty());
            answer(&mut bench, &sent, &posted);
            let said = bench.news();
            assert!(said.ends_with(&format!("{words}{key}")), "{name}: {said}");
            assert!(bench.shows(&said), "{name}: it fits: {:#?}", bench.frame());
            assert_eq!(bench.shows("DISK FULL"), posted == Posted::Full, "{name}");
            bench.press(key);
            assert!(bench.shows(text), "{name}: {:#?}", bench.frame());
        }
    }
}

#[test]
fn what_was_stored_does_not_come_back_and_the_banner_goes_with_its_cause() {
    for (name, send, _, text) in CASES {
        let mut bench = bench();
        let sent = posts(send(&mut bench));
        answer(&mut bench, &sent, &Posted::Full);
        assert!(bench.shows("DISK FULL"), "{name}");
        let again = send(&mut bench);
        answer(&mut bench, &posts(again), &Posted::Stored);
        assert!(!bench.shows("DISK FULL"), "{name}: {:#?}", bench.frame());
        let drafts = format!("{:?}", bench.app.model.drafts);
        assert!(!drafts.contains(text), "{name}: {drafts}");
    }
    let mut bench = bench();
    bench.app.model.beside.full = true;
    assert!(bench.shows("DISK FULL"));
    bench.app.update(Msg::Room);
    assert!(!bench.shows("DISK FULL"));
}

#[test]
fn a_draft_that_came_back_outlasts_the_program() {
    for (name, send, key, text) in CASES {
        let mut bench = bench();
        let sent = posts(send(&mut bench));
        answer(&mut bench, &sent, &Posted::Full);
        let kept = bench.app.last_drafts();
        let mut next = self::bench();
        if *name == "answer" {
            question(&mut next);
        }
        next.app.had_drafts(kept.into_iter().filter_map(|(place, text)| Some((place, text?))).collect());
        next.press(if *name == "arguments" { "3 j" } else { "3" });
        next.press(key);
        assert!(next.shows(text), "{name}: {:#?}", next.frame());
    }
}

#[test]
fn an_answer_that_lost_against_another_becomes_a_message() {
    let mut bench = bench();
    let (_, send, ..) = CASES.iter().find(|case| case.0 == "answer").unwrap();
    let sent = posts(send(&mut bench));
    let lost = Posted::Lost { what: "answered".to_owned(), who: "you (cli)".to_owned() };
    answer(&mut bench, &sent, &lost);
    assert_eq!(bench.news(), "Decided elsewhere before: answered, by you (cli). What you wrote is kept: i");
    bench.press("i");
    assert!(bench.shows("quick brown"), "{:#?}", bench.frame());
}

/// A snapshot in which what was asked was taken, and this was refused.
fn taken(bench: &mut Bench, refused: &[&str]) {
    change(&mut bench.app.model, |view| {
        view.pending = 0;
        for words in refused {
            Arc::make_mut(&mut view.state).head.seq += 1;
            let seq = view.state.head.seq;
            let words = (*words).to_owned();
            view.open.items.push(Item::Other { seq, at: 0, kind: "control_refused", words });
        }
    });
    let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
    shot.at = bench.app.model.clock.wall + 1;
    bench.app.update(Msg::Shot(Arc::new(shot)));
    bench.frame();
}

#[test]
fn a_goal_that_was_refused_after_it_was_stored_comes_back() {
    for refused in [&["edit goal: the goal was edited meanwhile"][..], &[]] {
        let mut bench = bench();
        bench.shot();
        let sent = posts((CASES[0].1)(&mut bench));
        answer(&mut bench, &sent, &Posted::Stored);
        assert_eq!(bench.news(), "Sent: it counts from the next safe point on.", "nothing is claimed");
        taken(&mut bench, refused);
        if refused.is_empty() {
            // The next snapshot shows the same: it was not read in the midst of it.
            taken(&mut bench, refused);
        }
        let said = bench.news();
        assert!(said.ends_with("what you wrote is kept: g") && !said.contains("in force"), "{said}");
        assert!(bench.shows(&said), "it fits: {:#?}", bench.frame());
        bench.press("g");
        assert!(bench.shows("quick brown"), "{:#?}", bench.frame());
        // It is what is being written here now.
        bench.press("Esc");
        assert_eq!((bench.app.model.drafts.goals.len(), bench.app.model.drafts.returned.len()), (1, 0));
    }
}

#[test]
fn a_goal_is_said_to_be_in_force_once_it_is_whatever_was_refused_beside_it() {
    let mut bench = bench();
    bench.shot();
    let sent = posts((CASES[0].1)(&mut bench));
    answer(&mut bench, &sent, &Posted::Stored);
    let Control::EditGoal { goal, .. } = sent[0].1.clone() else { panic!() };
    change(&mut bench.app.model, |view| Arc::make_mut(&mut view.state).path.goal = goal);
    taken(&mut bench, &["edit goal: the goal was edited meanwhile"]);
    assert!(bench.news().starts_with("The new goal is in force from step "), "{}", bench.news());
    assert!(bench.app.model.drafts.returned.is_empty());
}

#[test]
fn limits_and_a_message_that_were_refused_come_back() {
    for (name, refused) in [("limits", "limits: the run is over"), ("message", "message: the run is over")] {
        let (_, send, key, text) = CASES.iter().find(|case| case.0 == name).unwrap();
        let mut bench = bench();
        bench.shot();
        let sent = posts(send(&mut bench));
        answer(&mut bench, &sent, &Posted::Stored);
        assert!(!bench.news().contains("in force"), "{}", bench.news());
        taken(&mut bench, &[refused]);
        assert!(bench.news().ends_with(&format!("what you wrote is kept: {key}")), "{}", bench.news());
        bench.press(key);
        assert!(bench.shows(text), "{name}: {:#?}", bench.frame());
    }
    // In force is said once they are.
    let mut bench = bench();
    bench.shot();
    let sent = posts((CASES[2].1)(&mut bench));
    answer(&mut bench, &sent, &Posted::Stored);
    change(&mut bench.app.model, |view| {
        let ledger = &mut Arc::make_mut(&mut view.state).ledger;
        let settings = Arc::make_mut(ledger.settings.as_mut().unwrap());
        settings.limits.steps = 5077;
        settings.mode = Mode::Ask;
    });
    taken(&mut bench, &[]);
    assert_eq!(bench.news(), "Limits: steps 50 → 5,077");
}

#[test]
fn an_approval_that_lost_against_a_rollback_is_not_said_to_be_one() {
    for (status, said) in [
        (CallStatus::Cancelled, "Your decision on 14.3 shell came too late: "),
        (CallStatus::Started, "Approved: 14.3 shell"),
    ] {
        let mut bench = bench();
        bench.shot();
        for command in bench.press("3 j a") {
            if let Cmd::Before(ticket, ..) = command {
                bench.app.update(Msg::Before(ticket, Ok(None)));
            }
        }
        bench.pass(std::time::Duration::from_secs(1));
        bench.press("> >");
        let sent = posts(bench.press("y"));
        let [(_, Control::Decide { call_id, .. })] = sent.as_slice() else { panic!("{sent:?}") };
        let call = call_id.clone();
        answer(&mut bench, &sent, &Posted::Stored);
        assert!(!bench.news().contains("Approved"), "{}", bench.news());
        // The parts of a snapshot are read one after the other: the list of what waits may be older than the rest.
        taken(&mut bench, &[]);
        assert!(!bench.news().contains("not taken"), "{}", bench.news());
        let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
        shot.waiting.retain(|waiting| waiting.call.call_id != call);
        bench.app.model.shot = Some(Arc::new(shot));
        change(&mut bench.app.model, |view| {
            view.calls.iter_mut().filter(|row| row.call_id == call).for_each(|row| row.status = status);
        });
        taken(&mut bench, &[]);
        taken(&mut bench, &[]);
        assert!(bench.news().starts_with(said), "{}", bench.news());
    }
}

#[test]
fn a_decision_that_was_refused_leaves_its_call_waiting() {
    let mut bench = bench();
    bench.shot();
    let before = bench.app.model.waiting_here().count();
    let sent = posts((CASES[1].1)(&mut bench));
    answer(&mut bench, &sent, &Posted::Stored);
    assert_eq!(bench.app.model.waiting_here().count(), before - 1);
    taken(&mut bench, &["decide: the arguments were changed"]);
    assert_eq!(bench.app.model.waiting_here().count(), before, "it can be decided again");
    assert!(bench.news().ends_with("what you wrote is kept: d"), "{}", bench.news());
    bench.press("d");
    assert!(bench.shows("quick brown"));
}

#[test]
fn a_refusal_that_is_seen_before_the_answer_to_its_control_stays_and_gives_back_what_was_written() {
    for (name, refused) in [
        ("goal", "edit goal: it takes too much"),
        ("reason", "decide: the arguments were changed"),
        ("limits", "limits: the run is over"),
        ("message", "message: the run is over"),
    ] {
        let (_, send, key, text) = CASES.iter().find(|case| case.0 == name).unwrap();
        let mut bench = bench();
        bench.shot();
        let sent = posts(send(&mut bench));
        taken(&mut bench, &[refused]);
        let why = refused.split_once(": ").unwrap().1;
        assert!(bench.news().contains(why), "{name}: {}", bench.news());
        answer(&mut bench, &sent, &Posted::Stored);
        assert!(bench.news().contains(why), "{name}: {}", bench.news());
        assert!(bench.news().ends_with(&format!("what you wrote is kept: {key}")), "{}", bench.news());
        bench.press(key);
        assert!(bench.shows(text), "{name}: {:#?}", bench.frame());
    }
}

#[test]
fn a_refusal_belongs_to_one_control() {
    let mut bench = bench();
    bench.shot();
    let (_, message, ..) = CASES.iter().find(|case| case.0 == "message").unwrap();
    let first = posts(message(&mut bench));
    let second = posts(message(&mut bench));
    taken(&mut bench, &["message: the run is over"]);
    answer(&mut bench, &first, &Posted::Stored);
    assert!(bench.news().contains("the run is over"), "{}", bench.news());
    answer(&mut bench, &second, &Posted::Stored);
    assert!(!bench.news().contains("the run is over"), "{}", bench.news());
    // What is being done is not said over why it was not.
    let mut bench = self::bench();
    bench.shot();
    let run = bench.app.model.run.clone().unwrap();
    let sent = posts(bench.app.post(run, Control::Pause { now: false }, "Pausing."));
    taken(&mut bench, &["pause: it is paused already"]);
    let said = bench.news();
    answer(&mut bench, &sent, &Posted::Stored);
    assert_eq!(bench.news(), said);
    assert!(said.contains("it is paused already"), "{said}");
}

/// Another run is shown when it goes out, and its events have other numbers.
#[test]
fn a_refusal_of_before_is_none_of_what_was_sent_to_a_run_that_was_not_shown() {
    let mut bench = bench();
    bench.shot();
    let run = bench.app.model.run.clone().unwrap();
    taken(&mut bench, &["pause: it is paused already"]);
    let shown = bench.app.model.shot.clone();
    change(&mut bench.app.model, |view| {
        let state = Arc::make_mut(&mut view.state);
        state.run = RunId::new("r-000000000000");
        state.head.seq = 1;
    });
    let sent = posts(bench.app.post(run, Control::Pause { now: false }, "Pausing."));
    bench.app.model.shot = shown;
    answer(&mut bench, &sent, &Posted::Stored);
    assert_eq!(bench.news(), "Pausing.");
}

#[test]
fn a_new_goal_of_a_run_that_is_over_names_what_lets_it_go_on() {
    let mut bench = bench();
    bench.shot();
    change(&mut bench.app.model, |view| {
        let mut state = view.state.as_ref().clone();
        let outcome = crate::run::Outcome::Completed;
        state.ledger.ended = Some(crate::run::state::Ended { outcome, seq: state.head.seq, at: 1 });
        view.state = Arc::new(state);
    });
    let sent = posts((CASES[0].1)(&mut bench));
    answer(&mut bench, &sent, &Posted::Stored);
    let Control::EditGoal { goal, .. } = sent[0].1.clone() else { panic!() };
    change(&mut bench.app.model, |view| Arc::make_mut(&mut view.state).path.goal = goal);
    taken(&mut bench, &[]);
    assert!(bench.news().ends_with("The run is over: a message (i) lets it go on."), "{}", bench.news());
}
