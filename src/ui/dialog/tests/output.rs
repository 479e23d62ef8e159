//! The page of a running call's output.

use super::*;
use crate::ui::app::msg::Ticket;
use crate::ui::dialog::output::OutputDialog;
use crate::ui::feed::{CallView, Item, OutputPart, Outputs, Running};

fn change_call(model: &mut Model, change: impl FnOnce(&mut CallView)) {
    sample::change(model, |view| {
        let call = view.open.items.iter_mut().rev().find_map(|item| match item {
            Item::Call(call) if call.tool == "shell" => Some(call),
            _ => None,
        });
        change(call.unwrap());
    });
}

fn running(model: &Model) -> CallView {
    model.view().unwrap().open.calls().find(|call| call.tool == "shell").unwrap().clone()
}

fn wrote(model: &mut Model, bytes: u64) -> Msg {
    let call = running(model);
    let seen = Running { call: call.call_id, attempt: 1, bytes, lines: None, tail: String::new() };
    let outputs = Outputs { run: model.run.clone().unwrap(), calls: vec![seen] };
    model.beside.outputs = Some(outputs.clone());
    Msg::Outputs(outputs)
}

fn opened(args: bool) -> (Model, Box<dyn Dialog>) {
    let mut model = model(Lang::En);
    change_call(&mut model, |call| (call.status, call.attempt) = (CallStatus::Started, 1));
    assert!(OutputDialog::new(&model, &running(&model), args).is_none(), "nobody looked yet");
    wrote(&mut model, 0);
    let dialog = OutputDialog::new(&model, &running(&model), args).unwrap();
    (model, dialog)
}

/// The piece that was asked for, from this byte on.
fn asked(commands: Vec<Cmd>, at: Option<u64>) -> Ticket {
    match commands.as_slice() {
        [Cmd::Output(ticket, _, _, from)] if *from == at => *ticket,
        other => panic!("{other:?}"),
    }
}

fn done(step: Step) -> Vec<Cmd> {
    match step {
        Step::Do(commands) => commands,
        Step::Stay => Vec::new(),
        other => panic!("{other:?}"),
    }
}

fn part(from: u64, text: &str, rest: &str, next: u64, size: u64) -> OutputPart {
    OutputPart { from, text: text.to_owned(), rest: rest.to_owned(), next, size }
}

fn seen(dialog: &mut dyn Dialog, model: &Model) -> Vec<String> {
    let (shown, rows) = sample::draw_dialog_in(dialog, model, 60, 6);
    dialog.drawn(shown, model.clock.mono);
    rows.into_iter().take(5).map(|row| row.trim_end().to_owned()).collect()
}

#[test]
fn it_grows_follows_its_end_and_holds_where_somebody_reads() {
    let (mut model, mut dialog) = opened(false);
    let ticket = asked(dialog.open(&mut model), None);
    assert_eq!(seen(dialog.as_mut(), &model)[0], "Reading…");
    assert!(done(dialog.told(&Msg::Output(ticket, Ok(part(0, "", "", 0, 0))), &mut model)).is_empty());
    assert_eq!(seen(dialog.as_mut(), &model)[0], "No output yet.");
    let grown = wrote(&mut model, 5);
    let ticket = asked(done(dialog.told(&grown, &mut model)), Some(0));
    assert!(done(dialog.told(&grown, &mut model)).is_empty(), "one question at a time");
    dialog.told(&Msg::Output(ticket, Ok(part(0, "", "1\u{1b}[1m", 0, 5))), &mut model);
    assert_eq!(seen(dialog.as_mut(), &model)[..2], ["1\\u{1b}[1m", ""], "the unfinished line, neutral");
    let grown = wrote(&mut model, 14);
    let ticket = asked(done(dialog.told(&grown, &mut model)), Some(0));
    let more = Msg::Output(ticket, Ok(part(0, "1\n2\n3\n4\n5\n6\n", "7", 12, 14)));
    let ticket = asked(done(dialog.told(&more, &mut model)), Some(12));
    assert_eq!(seen(dialog.as_mut(), &model), ["3", "4", "5", "6", "7"], "the end is followed");
    dialog.told(&Msg::Output(ticket, Ok(part(12, "7\n8\n", "", 16, 16))), &mut model);
    assert_eq!(seen(dialog.as_mut(), &model), ["4", "5", "6", "7", "8"]);
    assert_eq!(dialog.title(&model), ("14.3 shell".to_owned(), "running · 16 B so far".to_owned()));
    // Where somebody reads above the end, nothing moves.
    dialog.act(hit(Action::LineUp), &mut model);
    assert_eq!(seen(dialog.as_mut(), &model)[0], "3");
    let grown = wrote(&mut model, 18);
    let ticket = asked(done(dialog.told(&grown, &mut model)), Some(16));
    dialog.told(&Msg::Output(ticket, Ok(part(16, "9\n", "", 18, 18))), &mut model);
    assert_eq!(seen(dialog.as_mut(), &model)[0], "3");
    // The record takes its place.
    change_call(&mut model, |call| {
        call.status = CallStatus::Done;
        call.result = Some(Text::of(&Body::Inline("exit 0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n".to_owned())));
    });
    let shot = Msg::Shot(model.shot.clone().unwrap());
    let commands = done(dialog.told(&shot, &mut model));
    let [Cmd::Text(ticket, Body::Inline(text))] = commands.as_slice() else { panic!("{commands:?}") };
    assert!(done(dialog.told(&shot, &mut model)).is_empty(), "once");
    dialog.told(&Msg::Text(*ticket, Ok(text.clone())), &mut model);
    assert_eq!(seen(dialog.as_mut(), &model)[0], "3");
    dialog.act(hit(Action::Bottom), &mut model);
    assert_eq!(seen(dialog.as_mut(), &model), ["7", "8", "9", "10", "exit 0"]);
    assert_eq!(dialog.title(&model).1, "");
}

#[test]
fn it_is_bounded_and_says_what_it_leaves_out() {
    let (mut model, mut dialog) = opened(true);
    let ticket = asked(dialog.open(&mut model), None);
    let mib = 1024 * 1024;
    let first = Msg::Output(ticket, Ok(part(3 * mib, "line\n", "", 4 * mib, 9 * mib)));
    let ticket = asked(done(dialog.told(&first, &mut model)), Some(4 * mib));
    let last = Msg::Output(ticket, Ok(part(4 * mib, "end\n", "", 5 * mib, 9 * mib)));
    assert!(done(dialog.told(&last, &mut model)).is_empty(), "no more of it");
    let grown = wrote(&mut model, 10 * mib);
    assert!(done(dialog.told(&grown, &mut model)).is_empty());
    let rows = seen(dialog.as_mut(), &model).join("\n");
    assert!(rows.contains("… 3.0 MiB before this") && rows.contains("… 4.0 MiB more"), "{rows}");
    dialog.act(hit(Action::Top), &mut model);
    let rows = seen(dialog.as_mut(), &model).join("\n");
    assert!(rows.contains("cargo bench"), "the arguments stand first: {rows}");
    // What was read stays when the call ends, since it is not its beginning.
    change_call(&mut model, |call| call.status = CallStatus::Done);
    let shot = Msg::Shot(model.shot.clone().unwrap());
    assert!(done(dialog.told(&shot, &mut model)).is_empty());
    assert_eq!(dialog.title(&model).1, "");
}

#[test]
fn the_record_of_a_long_output_comes_at_its_end_or_with_a_key_to_an_end() {
    let mib = 1024 * 1024;
    let long: String = (1..=60_000).map(|n| format!("line {n:07} {}\n", "x".repeat(40))).collect();
    for follows in [true, false] {
        let (mut model, mut dialog) = opened(false);
        let ticket = asked(dialog.open(&mut model), None);
        dialog.told(
            &Msg::Output(ticket, Ok(part(3 * mib, "a\nb\nc\nd\ne\nf\n", "", 4 * mib, 4 * mib))),
            &mut model,
        );
        seen(dialog.as_mut(), &model);
        if !follows {
            dialog.act(hit(Action::LineUp), &mut model);
        }
        let output = Body::Inline(format!("exit 0\n{long}"));
        change_call(&mut model, |call| (call.status, call.output) = (CallStatus::Done, Some(output)));
        let shot = Msg::Shot(model.shot.clone().unwrap());
        let mut commands = done(dialog.told(&shot, &mut model));
        if !follows {
            assert!(commands.is_empty(), "what is read stays");
            commands = done(dialog.act(hit(Action::Bottom), &mut model));
        }
        let [Cmd::Text(ticket, Body::Inline(text))] = commands.as_slice() else { panic!("{commands:?}") };
        dialog.told(&Msg::Text(*ticket, Ok(text.clone())), &mut model);
        let rows = seen(dialog.as_mut(), &model).join("\n");
        assert!(rows.contains("line 0060000 ") && rows.contains("exit 0"), "{rows}");
        dialog.act(hit(Action::Top), &mut model);
        assert!(seen(dialog.as_mut(), &model)[0].starts_with("line 0000001 "));
    }
}
