//! Keys about a message that waits, and what comes of them.

use crate::run::Author;
use crate::run::control::{Control, Decision};
use crate::store::HadBack;
use crate::ui::app::msg::{Cmd, Msg};
use crate::ui::app::sample;
use crate::ui::app::tests::{Bench, decisions};
use crate::ui::feed::{Item, Queued};
use crate::ui::frame::Program as _;
use crate::ui::input::Input;
use crate::ui::words::Lang;
use std::sync::Arc;

fn bench(lang: Lang, size: (u16, u16), messages: &[&str]) -> Bench {
    let mut model = sample::model(lang, size);
    let queued =
        |(id, text): (usize, &&str)| Queued { id: id as i64 + 1, text: (*text).to_owned(), now: false };
    let all = messages.iter().enumerate().map(queued).collect();
    sample::change(&mut model, |view| {
        view.queued = all;
        // A request is out.
        Arc::make_mut(&mut view.state).ledger.open.clear();
    });
    Bench::of(model)
}

#[test]
fn a_message_that_waits_is_seen_and_can_be_had_back_to_edit_it() {
    let mut bench = bench(Lang::En, (120, 40), &["First.", "Keep the\u{202e} order."]);
    let shown = bench.frame().join("\n");
    let line = shown.lines().find(|row| row.contains("queued (2):")).expect("the newest one is seen");
    assert!(line.contains("Keep the\\u{202e} order."), "{line}");
    assert!(line.contains("goes in with step 15  u take back  I deliver now"), "{line}");
    let back = bench.press("u");
    let [Cmd::TakeBack(ticket, _, 2)] = back.as_slice() else { panic!("{back:?}") };
    bench.press("i");
    bench.write("And then");
    bench.app.update(Msg::HadBack(*ticket, Ok(HadBack::Text("Keep the order.".to_owned()))));
    assert_eq!(bench.app.model.message.editor.text(), "Keep the order.\nAnd then");
    assert!(bench.app.model.message.open);
    assert_eq!(bench.news(), "Taken back; the agent did not see it.");
}

#[test]
fn who_comes_too_late_is_told() {
    let mut bench = bench(Lang::Zh, (80, 24), &["保持顺序。"]);
    assert!(bench.shows("排队中：保持顺序。"));
    let back = bench.press("u");
    let [Cmd::TakeBack(ticket, ..)] = back.as_slice() else { panic!("{back:?}") };
    bench.app.update(Msg::HadBack(*ticket, Ok(HadBack::TooLate(80))));
    assert_eq!(bench.news(), "来不及了：智能体已经收到。");
    let other = HadBack::Before(Author::Person("cli".to_owned()));
    bench.app.update(Msg::HadBack(*ticket, Ok(other)));
    assert!(bench.news().ends_with("已先收回。"), "{}", bench.news());
    assert!(!bench.app.model.message.open && bench.app.model.message.editor.is_empty());
    sample::change(&mut bench.app.model, |view| view.queued.clear());
    assert!(bench.press("u I").is_empty());
    assert_eq!(bench.news(), "没有等待送达的留言。");
}

#[test]
fn what_is_delivered_now_gives_up_a_request_but_no_command_unasked() {
    let mut bench = bench(Lang::En, (120, 40), &["Stop that."]);
    let now = bench.press("I");
    let [Cmd::Hurry(ticket, run, 1)] = now.as_slice() else { panic!("{now:?}") };
    let run = run.clone();
    bench.app.update(Msg::Hurried(*ticket, Ok(HadBack::Text("Stop that.".to_owned()))));
    assert_eq!(bench.news(), "It goes in now.");
    sample::change(&mut bench.app.model, |view| view.queued[0].now = true);
    assert!(bench.shows("goes in now  u take back"));
    let open = sample::model(Lang::En, (120, 40)).view().unwrap().state.ledger.open.clone();
    sample::change(&mut bench.app.model, |view| Arc::make_mut(&mut view.state).ledger.open = open);
    crate::ui::app::tests::running(&mut bench);
    assert!(bench.press("I").is_empty());
    assert!(bench.shows("A tool is running: deliver the message now?"));
    // Nothing of a choice is cut, whatever the width: a long one goes on below.
    let whole = "End the command, then the message goes in: what it did may be half done";
    assert!(bench.shows(whole), "{:#?}", bench.frame());
    for width in [69, 40, 20] {
        let ask = bench.app.model.layers.last().unwrap();
        let rows = sample::draw_dialog(ask.as_ref(), &bench.app.model, width).1.join(" ");
        let words = rows.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(whole), "{width}: {words}");
    }
    assert!(bench.press("Enter").is_empty(), "it is left running");
    bench.press("I j");
    let commands = bench.press("Enter");
    let [Cmd::Hurry(_, of, 1), Cmd::Post(_, same, Control::StopCall { .. })] = commands.as_slice() else {
        panic!("{commands:?}")
    };
    assert!(*of == run && *same == run);
}

#[test]
fn while_a_call_waits_it_is_said_when_the_agent_reads_it_and_denying_is_a_choice() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    let queued = vec![Queued { id: 1, text: "Not that.".to_owned(), now: false }];
    sample::change(&mut bench.app.model, |view| view.queued = queued);
    assert!(
        bench.shows("queued: Not that.")
            && bench.shows("read once the call is decided  u take back  I deliver now")
    );
    assert!(bench.press("I").is_empty());
    assert!(bench.shows("A call waits for you: deliver the message now?"));
    assert!(bench.press("Enter").is_empty(), "nothing is denied unasked");
    bench.press("I j");
    let decided = decisions(&bench.press("Enter"));
    assert!(!decided.is_empty());
    for (call, decision) in decided {
        let Decision::Deny { reason } = decision else { panic!("{call} {decision:?}") };
        assert!(reason.contains("read the message that follows"), "{reason}");
    }
    bench.press("i");
    bench.write("And then");
    bench.press("Enter");
    assert_eq!(bench.app.model.reads(), super::Reads::Decided);

    sample::change(&mut bench.app.model, |view| {
        Arc::make_mut(&mut view.state).ledger.paused = Some(false);
    });
    assert!(bench.shows("read when the run goes on (p)  u take back"));
    assert!(bench.press("I").is_empty());
    assert_eq!(bench.news(), "The agent reads it when the run goes on: p");
}

#[test]
fn the_size_of_what_is_written_is_seen_and_that_the_window_cannot_take_it() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    let room = bench.app.model.message_room().unwrap();
    assert_eq!(room, 17_908, "the window less the other slots, the rounds folded");
    bench.press("i");
    assert!(!bench.shows("about 0 tokens"));
    bench.write("Keep the row order");
    assert!(bench.shows(" about 4 tokens"), "{:#?}", bench.frame());
    bench.app.input(Input::Paste("many words ".repeat(9_000)));
    assert!(bench.shows("! about 19,"), "{:#?}", bench.frame());
    assert!(bench.shows("tokens, 17,908 fit the window: it will be refused"));
    bench.press("Ctrl-/");
    assert!(!bench.shows("it will be refused"), "counted anew: {:#?}", bench.frame());
    let mut bench = Bench::new(Lang::Zh, (120, 40));
    bench.press("i");
    bench.app.input(Input::Paste("many words ".repeat(9_000)));
    assert!(bench.shows("窗口只放得下 17,908 词元：会被拒绝"));
}

#[test]
fn a_message_that_stops_the_run_is_named_in_the_loop() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    sample::change(&mut bench.app.model, |view| {
        let state = Arc::make_mut(&mut view.state);
        state.ledger.open.clear();
        let why = "The context does not fit: your message, which stays word for word, takes 40000 of the window's 32768 \
                   tokens (slot recent). To go on, roll back to before it and write it shorter, or take a model with a \
                   larger window.";
        let why = crate::run::Hold::Context(why.to_owned());
        state.ledger.hold = Some(why.clone());
        view.open.items = vec![Item::Held { seq: state.head.seq, why }];
    });
    assert!(
        bench.shows("┃ ! The context does not fit: your message, which stays word for"),
        "{:#?}",
        bench.frame()
    );
    assert!(bench.shows("┃   word, takes 40000 of the window's 32768 tokens (slot recent). To"));
}

/// A command has begun, and no snapshot knows of it yet: what the next one says.
fn begins(bench: &mut Bench) -> Arc<crate::ui::feed::Snapshot> {
    let open = sample::model(Lang::En, (120, 40)).view().unwrap().state.ledger.open.clone();
    let before = bench.app.model.shot.clone().unwrap();
    sample::change(&mut bench.app.model, |view| Arc::make_mut(&mut view.state).ledger.open = open);
    crate::ui::app::tests::running(bench);
    let known = bench.app.model.shot.replace(before).unwrap();
    let run = bench.app.model.run.clone().unwrap();
    bench.app.update(Msg::Phase(run, crate::ui::words::Phase::Act));
    known
}

/// What is sent to the run.
fn sent(commands: Vec<Cmd>) -> Vec<Cmd> {
    commands.into_iter().filter(|command| matches!(command, Cmd::Hurry(..) | Cmd::Post(..))).collect()
}

#[test]
fn a_command_that_no_snapshot_knows_of_yet_is_asked_about_all_the_same() {
    for (key, title) in [("I", "A tool is running: deliver the message now?"), ("P", "A tool is running")] {
        let mut bench = bench(Lang::En, (120, 40), &["Stop that."]);
        let known = begins(&mut bench);
        assert!(bench.press(key).is_empty(), "{key}: nothing is sent");
        assert!(bench.app.model.layers.is_empty());
        assert_eq!(bench.news(), "Looking first whether a command runs.");
        assert!(sent(bench.app.update(Msg::Shot(known))).is_empty());
        assert!(bench.shows(title), "{key}: {:#?}", bench.frame());
    }
    // More time is asked for once it is known for what.
    let mut bench = self::bench(Lang::En, (120, 40), &[]);
    let known = begins(&mut bench);
    assert!(bench.press("t").is_empty());
    assert_eq!(bench.news(), "Looking first whether a command runs.");
    let commands = sent(bench.app.update(Msg::Shot(known)));
    assert!(matches!(commands.as_slice(), [Cmd::Post(_, _, Control::ExtendTimeout { .. })]), "{commands:?}");
    // No command was begun: it goes in as if it had been asked now.
    let mut bench = self::bench(Lang::En, (120, 40), &["Stop that."]);
    begins(&mut bench);
    bench.press("I");
    let run = bench.app.model.run.clone().unwrap();
    bench.app.update(Msg::Phase(run, crate::ui::words::Phase::Commit));
    let commands = sent(bench.shot());
    assert!(matches!(commands.as_slice(), [Cmd::Hurry(_, _, 1)]), "{commands:?}");
    assert!(sent(bench.shot()).is_empty(), "once");
    // Who went on to something else is not interrupted.
    let mut bench = self::bench(Lang::En, (120, 40), &["Stop that."]);
    let known = begins(&mut bench);
    bench.press("I ?");
    assert!(sent(bench.app.update(Msg::Shot(known))).is_empty());
    bench.press("Esc");
    assert!(bench.app.model.layers.is_empty());
}

#[test]
fn what_became_of_a_message_is_told_where_its_run_is_shown_and_its_text_waits_for_it() {
    let other = crate::run::RunId::new(sample::OTHER);
    let mut bench = bench(Lang::En, (120, 40), &["Keep the order."]);
    let (here, shot) = (bench.app.model.run.clone(), bench.app.model.shot.clone());
    let back = bench.press("u");
    let [Cmd::TakeBack(ticket, ..)] = back.as_slice() else { panic!("{back:?}") };
    bench.app.model.message.editor.set("And then");
    bench.app.show(Some(other.clone()));
    bench.app.update(Msg::HadBack(*ticket, Ok(HadBack::Text("Keep the order.".to_owned()))));
    assert_eq!(bench.news(), "");
    let message = &bench.app.model.message;
    assert!(message.editor.is_empty() && !message.open, "it would be sent to another run");
    // It outlives the program, and is there again with its run, before what is being written.
    let mut kept = std::collections::BTreeMap::new();
    for (place, text) in bench.app.last_drafts() {
        kept.extend(text.map(|text| (place, text)));
    }
    assert_eq!(kept.values().collect::<Vec<_>>(), ["And then", "Keep the order."]);
    bench.app.had_drafts(kept);
    bench.app.model.message.editor.set("For the other one");
    bench.app.show(here.clone());
    assert_eq!(bench.app.model.message.editor.text(), "Keep the order.\nAnd then");
    assert!(bench.app.model.message.open);
    assert_eq!(bench.news(), "Taken back; the agent did not see it.");
    assert!(bench.app.model.drafts.back.is_empty(), "once");

    // What came too late, or goes in now, is not told in another run either.
    for answer in [HadBack::TooLate(80), HadBack::Text("Stop that.".to_owned())] {
        let mut bench = self::bench(Lang::En, (120, 40), &["Stop that."]);
        bench.app.model.shot.clone_from(&shot);
        let now = bench.press("I");
        let [Cmd::Hurry(ticket, ..)] = now.as_slice() else { panic!("{now:?}") };
        bench.app.show(Some(other.clone()));
        bench.app.update(Msg::Hurried(*ticket, Ok(answer)));
        assert_eq!(bench.news(), "");
    }
}
