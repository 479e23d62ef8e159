//! The dialogs but the review: what their keys do, what they show, and that they are drawn at every size.

use super::*;
use crate::run::control::{Author, Control, Decision, Resolution, RollbackChoices, StepRef};
use crate::run::settings::{Class, Mode};
use crate::run::{Body, CallStatus, RunId};
use crate::ui::app::msg::{FileBack, FileFate, NewRun, Place, Preview, Rebuilt};
use crate::ui::app::sample;
use crate::ui::feed::{OutputPart, Text, Waiting};
use crate::ui::keys::live;
use crate::ui::view;
use crate::ui::words::Lang;
use crossterm::event::{KeyCode, KeyModifiers};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

fn model(lang: Lang) -> Model {
    sample::model(lang, (80, 24))
}

fn waits(model: &Model, tool: &str) -> Waiting {
    model.waiting_here().find(|waiting| waiting.call.tool == tool).unwrap().clone()
}

/// The waiting command, as another call.
fn call(model: &Model, tool: &str, class: Class, args: &str) -> Waiting {
    let mut waiting = waits(model, "shell");
    let body = Body::Inline(args.to_owned());
    waiting.call.tool = tool.to_owned();
    waiting.call.class = class;
    waiting.call.args = body.clone();
    waiting.args = Text::of(&body);
    waiting
}

fn hit(action: Action) -> Hit {
    Hit { action, nth: 0 }
}

fn nth(action: Action, nth: usize) -> Hit {
    Hit { action, nth }
}

fn rows(dialog: &mut dyn Dialog, model: &Model) -> Vec<String> {
    let width = dialog.columns() - 4;
    let (shown, rows) = sample::draw_dialog(dialog, model, width);
    dialog.drawn(shown, model.clock.mono);
    rows.into_iter().map(|row| row.trim_end().to_owned()).collect()
}

fn write(dialog: &mut dyn Dialog, model: &mut Model, text: &str) {
    for c in text.chars() {
        dialog.key(&KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), model);
    }
}

fn later(model: &mut Model) {
    model.clock.mono += Duration::from_millis(400);
}

fn posted(step: Step) -> Control {
    match step {
        Step::Post { control, .. } => control,
        Step::PostAll(all) => {
            let mut all: Vec<_> = all.into_iter().map(|one| one.control).collect();
            assert_eq!(all.len(), 1, "{all:?}");
            all.remove(0)
        }
        other => panic!("{other:?}"),
    }
}

fn decision(step: Step) -> Decision {
    match posted(step) {
        Control::Decide { decision, .. } => decision,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_denial_takes_a_reason_or_an_earlier_one() {
    let mut model = model(Lang::En);
    let waiting = waits(&model, "edit_file");
    let mut dialog = deny::DenyDialog::new(&model, &waiting);
    let title = dialog.title(&model);
    assert!(
        title.0.starts_with("Deny edit_file ") && title.0.ends_with('?') && title.1 == "14.2",
        "{title:?}"
    );
    let shown = rows(dialog.as_mut(), &model);
    assert_eq!(shown[0], "The agent reads this:");
    assert!(shown[2].starts_with("↑ reasons: no new crates, see goal · wrong approach"), "{shown:#?}");
    assert!(
        shown[3].starts_with("Enter deny") && shown[3].ends_with("Esc back, it keeps waiting"),
        "{shown:#?}"
    );
    dialog.act(hit(Action::TextEarlier), &mut model);
    dialog.act(hit(Action::TextEarlier), &mut model);
    write(dialog.as_mut(), &mut model, "!");
    let said = decision(dialog.act(hit(Action::TextSubmit), &mut model));
    assert_eq!(said, Decision::Deny { reason: "wrong approach!".to_owned() });
    // What was written here stands first from then on, in whatever run.
    let mut next = deny::DenyDialog::new(&model, &waiting);
    let shown = rows(next.as_mut(), &model);
    assert!(shown[2].starts_with("↑ reasons: wrong approach! · no new crates"), "{shown:#?}");
    let outside = dialog.act(hit(Action::TextExternal), &mut model);
    let Step::Outside(ticket, text, _) = outside else { panic!("{outside:?}") };
    assert_eq!(text, "wrong approach!");
    dialog.told(&Msg::Edited(ticket, Ok("keep the names\n".to_owned())), &mut model);
    let said = decision(dialog.act(hit(Action::TextSubmit), &mut model));
    assert_eq!(said, Decision::Deny { reason: "keep the names".to_owned() });
}

#[test]
fn arguments_are_checked_and_then_reviewed() {
    let mut model = model(Lang::En);
    let waiting = waits(&model, "shell");
    let mut dialog = args::ArgsDialog::new(&model, &waiting);
    assert_eq!(dialog.title(&model), ("Edit the call · shell".to_owned(), "14.3".to_owned()));
    let shown = rows(dialog.as_mut(), &model);
    assert_eq!(shown[0], "1 ▏{", "{shown:#?}");
    assert_eq!(shown[1], "2 ▏  \"command\": \"cargo bench --bench export\"");
    assert_eq!(shown[3], "Nothing is changed yet.");
    assert!(shown[4].starts_with("Ctrl-O check, then review  Ctrl-G editor"), "{shown:#?}");
    assert!(matches!(dialog.act(hit(Action::TextSave), &mut model), Step::Stay), "nothing to check");
    dialog.act(hit(Action::TextNewline), &mut model);
    dialog.paste("oops", &mut model);
    assert!(matches!(dialog.act(hit(Action::TextSave), &mut model), Step::Stay));
    let shown = rows(dialog.as_mut(), &model);
    assert!(shown.iter().any(|row| row.starts_with("✗ line 4: This is not JSON")));
    assert_eq!(shown.join("\n").matches("This is not JSON").count(), 1, "said once: {shown:#?}");
    let Step::Outside(ticket, ..) = dialog.act(hit(Action::TextExternal), &mut model) else { panic!() };
    let text = r#"{"command":"cargo bench","timeout_s":900}"#;
    dialog.told(&Msg::Edited(ticket, Ok(text.to_owned())), &mut model);
    let shown = rows(dialog.as_mut(), &model).join("\n");
    assert!(shown.contains("Changed: command, timeout_s. Agent is told; both stay."), "{shown}");
    let Step::Do(commands) = dialog.act(hit(Action::TextSave), &mut model) else { panic!() };
    let [Cmd::ReadArgs(ticket, _, _, sent)] = commands.as_slice() else { panic!("{commands:?}") };
    assert_eq!(sent, text);
    dialog.told(
        &Msg::ArgsRead(*ticket, Err("timeout_s: 900 is over the most allowed, 600".to_owned())),
        &mut model,
    );
    assert!(
        rows(dialog.as_mut(), &model).join("\n").contains("✗ timeout_s: 900 is over the most allowed, 600")
    );
    let Step::Do(commands) = dialog.act(hit(Action::TextSave), &mut model) else { panic!() };
    let Some(Cmd::ReadArgs(ticket, ..)) = commands.first() else { panic!() };
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    let Step::Swap(mut review) = dialog.told(&Msg::ArgsRead(*ticket, Ok(value.clone())), &mut model) else {
        panic!()
    };
    rows(review.as_mut(), &model);
    later(&mut model);
    let said = decision(review.act(hit(Action::ApproveOnce), &mut model));
    assert_eq!(said, Decision::ApproveEdited { args: value });
}

#[test]
fn what_is_no_json_is_named_at_the_line_at_which_a_person_finds_it() {
    let mut model = model(Lang::En);
    let waiting = waits(&model, "shell");
    for (text, line, what) in [
        ("{\n  \"command\": \"ls\"\n  \"timeout_s\": 9\n}", 2, "expected `,` or `}`"),
        ("{\n  \"command\": \"ls\",\n\n}", 2, "trailing comma"),
        ("{\n  \"command\": \"ls,\n  \"timeout_s\": 9\n}", 2, "control character"),
        ("{\n  \"command\":\n}", 2, "expected value"),
        ("{\n  \"command\"\n  \"ls\"\n}", 2, "expected `:`"),
        ("{\n  \"command\": \"ls\"\n\n", 2, "EOF"),
        ("{\n  command: \"ls\"\n}", 2, "key must be a string"),
        ("{\n  \"command\": \"ls\", }", 2, "trailing comma"),
        ("{\n  \"command\": \"ls\"\n}\noops", 4, "trailing characters"),
    ] {
        let mut dialog = args::ArgsDialog::new(&model, &waiting);
        let Step::Outside(ticket, ..) = dialog.act(hit(Action::TextExternal), &mut model) else { panic!() };
        dialog.told(&Msg::Edited(ticket, Ok(text.to_owned())), &mut model);
        dialog.act(hit(Action::TextSave), &mut model);
        let shown = rows(dialog.as_mut(), &model).join("\n");
        let said = shown.lines().find(|row| row.contains("This is not JSON")).unwrap_or_default();
        assert!(said.starts_with(&format!("✗ line {line}: ")) && said.contains(what), "{text}: {shown}");
        assert!(!shown.contains("column"), "no second place is named: {shown}");
    }
}

#[test]
fn a_question_is_answered_in_words() {
    let mut model = model(Lang::En);
    let waiting =
        call(&model, "ask_person", Class::Person, r#"{"question":"Is row order part of the spec?"}"#);
    let mut dialog = answer::AnswerDialog::new(&model, &waiting);
    assert_eq!(dialog.title(&model).0, "The agent asks you");
    assert_eq!(rows(dialog.as_mut(), &model)[0], "Is row order part of the spec?");
    write(dialog.as_mut(), &mut model, "yes, it is");
    assert!(matches!(dialog.act(hit(Action::TextSubmit), &mut model), Step::Say(_)), "too soon");
    later(&mut model);
    let said = decision(dialog.act(hit(Action::TextSubmit), &mut model));
    assert_eq!(said, Decision::Answer { text: "yes, it is".to_owned() });
}

const DECIDE: &str = r#"{"goal":"2 M rows in under 60 s","why":"Buffering gives 71 s. Which way now?",
    "options":[{"title":"Format numbers by hand","effect_on_goal":"keeps everything"},
    {"title":"Two writer threads","effect_on_goal":"risks the row order"},{"title":"Stop here","effect_on_goal":"goal not met"}],
    "recommendation":"Two writer threads"}"#;

#[test]
fn a_decision_is_made_among_options_or_in_own_words() {
    let mut model = model(Lang::En);
    let waiting = call(&model, "decide", Class::Person, DECIDE);
    let mut dialog = answer::AnswerDialog::new(&model, &waiting);
    assert_eq!((dialog.title(&model).0.as_str(), dialog.live()), ("The agent asks you to decide", live::OPT));
    let shown = rows(dialog.as_mut(), &model);
    let wanted = [
        "Goal  2 M rows in under 60 s",
        "Buffering gives 71 s. Which way now?",
        " 1 Format numbers by hand  keeps everything",
        "▌2 Two writer threads  risks the row order  ← advised",
        " 3 Stop here  goal not met",
        " t Say it in my words…",
        "No answer: it waits",
    ];
    assert_eq!(shown[..wanted.len()], wanted);
    later(&mut model);
    let said = decision(dialog.act(hit(Action::Open), &mut model));
    assert_eq!(said, Decision::Answer { text: "Two writer threads".to_owned() });
    dialog.act(nth(Action::OptionPick, 0), &mut model);
    let said = decision(dialog.act(hit(Action::Open), &mut model));
    assert_eq!(said, Decision::Answer { text: "Format numbers by hand".to_owned() });
    dialog.act(nth(Action::OptionPick, 7), &mut model);
    assert!(matches!(dialog.act(hit(Action::RequestShow), &mut model), Step::Open(_)));
    (0..5).for_each(|_| drop(dialog.act(hit(Action::LineDown), &mut model)));
    assert!(matches!(dialog.act(hit(Action::Open), &mut model), Step::Stay), "my words");
    assert_eq!(dialog.live(), live::TEXT);
    assert!(matches!(dialog.act(hit(Action::TextSubmit), &mut model), Step::Say(_)), "nothing is written");
    write(dialog.as_mut(), &mut model, "both");
    let said = decision(dialog.act(hit(Action::TextSubmit), &mut model));
    assert_eq!(said, Decision::Answer { text: "both".to_owned() });
}

#[test]
fn the_advised_option_is_named_by_its_title_or_its_number() {
    let model = model(Lang::En);
    for number in ["2", "\"2\"", "\" Two writer threads \""] {
        let args = DECIDE
            .replace(r#""recommendation":"Two writer threads""#, &format!(r#""recommendation":{number}"#));
        let waiting = call(&model, "decide", Class::Person, &args);
        let shown = rows(answer::AnswerDialog::new(&model, &waiting).as_mut(), &model);
        assert_eq!(shown[3], "▌2 Two writer threads  risks the row order  ← advised", "{number}");
    }
    let args = DECIDE.replace(r#""recommendation":"Two writer threads""#, r#""recommendation":9"#);
    let waiting = call(&model, "decide", Class::Person, &args);
    assert!(
        !rows(answer::AnswerDialog::new(&model, &waiting).as_mut(), &model).join(" ").contains("advised")
    );
}

#[test]
fn options_that_are_not_in_view_are_counted_and_the_marked_one_is_brought_into_view() {
    let mut model = model(Lang::En);
    let waiting = call(&model, "decide", Class::Person, DECIDE);
    let mut dialog = answer::AnswerDialog::new(&model, &waiting);
    let draw = |dialog: &mut dyn Dialog, model: &Model| {
        let (shown, rows) = sample::draw_dialog_in(dialog, model, 42, 7);
        dialog.drawn(shown, model.clock.mono);
        rows.join("\n")
    };
    let shown = draw(dialog.as_mut(), &model);
    assert!(!shown.contains("3 Stop here") && shown.contains("↓ 2  Esc"), "{shown}");
    dialog.act(nth(Action::OptionPick, 2), &mut model);
    let shown = draw(dialog.as_mut(), &model);
    assert!(shown.contains("▌3 Stop here  goal not met") && shown.contains("↓ 1  Esc"), "{shown}");
    dialog.act(hit(Action::LineDown), &mut model);
    let shown = draw(dialog.as_mut(), &model);
    assert!(shown.contains("▌t Say it in my words…") && !shown.contains("↓"), "{shown}");
}

#[test]
fn a_question_or_decision_that_is_denied_is_named_in_words() {
    let model = model(Lang::En);
    let question = r#"{"question":"Blue or red?","options":[]}"#;
    for (tool, args, title) in [
        ("decide", DECIDE, "Deny Buffering gives 71 s. Which way now?"),
        ("ask_person", question, "Deny Blue or red?"),
    ] {
        let waiting = call(&model, tool, Class::Person, args);
        let dialog = deny::DenyDialog::new(&model, &waiting);
        assert!(dialog.title(&model).0.starts_with(title), "{}", dialog.title(&model).0);
    }
}

#[test]
fn an_uncertain_effect_is_settled_about_the_attempt_that_was_shown() {
    let mut model = model(Lang::En);
    let mut waiting = call(&model, "shell", Class::Effect, r#"{"command":"git push origin export-fast"}"#);
    waiting.call.status = CallStatus::Uncertain;
    waiting.call.spool_epoch = 3;
    waiting.call.output = Some(Body::Inline("a\nb\nc\nWriting objects: 100%\n".to_owned()));
    let mut dialog = unsure::UnsureDialog::new(&model, &waiting);
    let commands = dialog.open(&mut model);
    let Some(Cmd::Text(ticket, _)) = commands.first() else { panic!("{commands:?}") };
    dialog.told(&Msg::Text(*ticket, Ok("a\nb\nc\nWriting objects: 100%\n".to_owned())), &mut model);
    let shown = rows(dialog.as_mut(), &model);
    assert_eq!(shown[0], "shell git push origin export-fast");
    assert!(shown.contains(&"  │ Writing objects: 100%".to_owned()), "{shown:#?}");
    assert!(
        shown.contains(&"y  It happened: record it, give the output above to the agent".to_owned()),
        "{shown:#?}"
    );
    // When it became uncertain is not when it was started.
    assert!(!shown.join("\n").contains("started 1"), "{shown:#?}");
    sample::change(&mut model, |view| {
        for item in &mut view.open.items {
            if let crate::ui::feed::Item::Call(call) = item
                && call.call_id == waiting.call.call_id
            {
                (call.attempt, call.started) = (1, Some(sample::at(13, 31, 0)));
            }
        }
    });
    assert!(rows(dialog.as_mut(), &model).join("\n").contains("started 13:31:00"));
    // What it wrote and nobody recorded is looked for, piece by piece.
    waiting.call.output = None;
    let mut left = unsure::UnsureDialog::new(&model, &waiting);
    let piece = |text: &str, next: u64| OutputPart {
        from: 0,
        text: text.to_owned(),
        rest: String::new(),
        next,
        size: 20,
    };
    let commands = left.open(&mut model);
    let Some(Cmd::Output(ticket, _, _, None)) = commands.first() else { panic!("{commands:?}") };
    let Step::Do(commands) = left.told(&Msg::Output(*ticket, Ok(piece("a\nb\nc\n", 6))), &mut model) else {
        panic!("there is more")
    };
    let Some(Cmd::Output(ticket, _, _, Some(6))) = commands.first() else { panic!("{commands:?}") };
    left.told(&Msg::Output(*ticket, Ok(piece("d\ne: 100%\n", 20))), &mut model);
    let shown = rows(left.as_mut(), &model).join("\n");
    assert!(
        shown.contains("5 lines of output") && shown.contains("│ e: 100%") && !shown.contains("│ b"),
        "{shown}"
    );
    let mut bare = unsure::UnsureDialog::new(&model, &waiting);
    let commands = bare.open(&mut model);
    let Some(Cmd::Output(ticket, ..)) = commands.first() else { panic!("{commands:?}") };
    bare.told(&Msg::Output(*ticket, Err("it does not run any more".to_owned())), &mut model);
    let shown = rows(bare.as_mut(), &model).join("\n");
    assert!(shown.contains("It happened: record it, tell the agent; no output is known"), "{shown}");
    assert!(matches!(dialog.act(hit(Action::EffectHappened), &mut model), Step::Say(_)), "too soon");
    later(&mut model);
    let spool = format!("{}.1.3", waiting.call.call_id);
    let resolve = |resolution| Decision::Resolve { resolution, spool: spool.clone() };
    assert_eq!(decision(dialog.act(hit(Action::EffectHappened), &mut model)), resolve(Resolution::Happened));
    assert_eq!(decision(dialog.act(hit(Action::EffectSkip), &mut model)), resolve(Resolution::Skip));
    assert!(matches!(dialog.act(hit(Action::EffectRerun), &mut model), Step::Stay));
    write(dialog.as_mut(), &mut model, "ye");
    assert!(matches!(dialog.act(hit(Action::TextSubmit), &mut model), Step::Say(_)));
    write(dialog.as_mut(), &mut model, "s");
    assert_eq!(decision(dialog.act(hit(Action::TextSubmit), &mut model)), resolve(Resolution::Rerun));
}

#[test]
fn what_nobody_knows_the_end_of_is_reviewed_but_neither_denied_nor_changed() {
    let mut model = model(Lang::En);
    let can = |model: &Model| {
        [Action::Review, Action::Deny, Action::EditArgs].map(|action| view::foot::available(model, action))
    };
    assert_eq!(can(&model), [true; 3]);
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting.iter_mut().for_each(|waiting| waiting.call.status = CallStatus::Uncertain);
    model.shot = Some(Arc::new(shot));
    assert_eq!(can(&model), [true, false, false]);
}

#[test]
fn leaving_says_what_goes_on() {
    let mut model = model(Lang::En);
    let run = model.run.clone().unwrap();
    let mut dialog = quit::Quit::new(&model);
    let shown = rows(dialog.as_mut(), &model);
    assert_eq!(shown[0], "Speed up ledger export      step 14, 2 calls wait for you", "{shown:#?}");
    assert_eq!(shown[1], "▌s  Save and stop at the next checkpoint");
    assert_eq!(shown[2], " w  Hand to a worker: it goes on without a screen");
    let leaves = |step| match step {
        Step::Leave(commands) => commands,
        other => panic!("{other:?}"),
    };
    assert_eq!(leaves(dialog.act(hit(Action::Open), &mut model)), [Cmd::Stop { now: false }]);
    assert_eq!(leaves(dialog.act(hit(Action::Interrupt), &mut model)), [Cmd::Stop { now: true }]);
    assert_eq!(leaves(dialog.act(hit(Action::QuitHandOver), &mut model)), [Cmd::HandOver(vec![run.clone()])]);
    dialog.act(hit(Action::LineDown), &mut model);
    assert_eq!(leaves(dialog.act(hit(Action::Open), &mut model)), [Cmd::HandOver(vec![run])]);
    model.working.clear();
    assert!(rows(dialog.as_mut(), &model)[0].starts_with("Nothing works here"));
    assert!(leaves(dialog.act(hit(Action::Open), &mut model)).is_empty());
}

#[test]
fn help_is_made_of_the_keys_that_live_here_and_runs_them() {
    let mut model = model(Lang::En);
    let mut dialog = help::HelpDialog::new(&model, live::RUN_QUEUE, "3 Queue");
    assert_eq!(dialog.title(&model).0, "Help · 3 Queue");
    let shown = rows(dialog.as_mut(), &model);
    assert!(shown[0].starts_with("Here") && shown[0].contains("Everywhere"), "{shown:#?}");
    assert!(shown.iter().any(|row| row.contains("This run or all runs")), "{shown:#?}");
    assert!(shown.iter().any(|row| row.starts_with("Signs  ! needs you  ▸ running")), "{shown:#?}");
    assert!(shown.last().unwrap().starts_with("type to filter ▏"), "{shown:#?}");
    write(dialog.as_mut(), &mut model, "deny");
    let shown = rows(dialog.as_mut(), &model);
    assert!(shown.iter().any(|row| row.starts_with("▌d  Deny it, with a reason")), "{shown:#?}");
    assert!(matches!(dialog.act(hit(Action::TextSubmit), &mut model), Step::Act(Action::Deny, 0)));
    write(dialog.as_mut(), &mut model, "zzz");
    assert!(matches!(dialog.act(hit(Action::TextSubmit), &mut model), Step::Say(_)));
}

#[test]
fn the_palette_finds_and_runs_a_command() {
    let mut model = model(Lang::En);
    let mut dialog = palette::PaletteDialog::new(&model, live::RUN);
    write(dialog.as_mut(), &mut model, "roll");
    let shown = rows(dialog.as_mut(), &model);
    assert_eq!(shown[0], "▏roll");
    assert!(
        shown[1].starts_with("▌ Roll back to the selected checkpoint") && shown[1].ends_with('r'),
        "{shown:#?}"
    );
    assert!(shown[2].starts_with("  Redo what the last rollback undid"), "{shown:#?}");
    dialog.act(nth(Action::PickMove, 1), &mut model);
    assert!(matches!(dialog.act(hit(Action::TextSubmit), &mut model), Step::Act(Action::RollbackRedo, 0)));
    dialog.act(nth(Action::PickMove, 0), &mut model);
    assert!(matches!(dialog.act(hit(Action::TextSubmit), &mut model), Step::Act(Action::RollbackPreview, 0)));
}

#[test]
fn a_run_is_cancelled_only_by_its_name() {
    let mut model = model(Lang::En);
    let run = model.run.clone().unwrap();
    let mut dialog = typed::TypedDialog::cancel(&model, run);
    assert!(rows(dialog.as_mut(), &model).iter().any(|row| row.starts_with("Type r-7f3a to go on ▏")));
    let shown = rows(dialog.as_mut(), &model);
    assert!(!shown.join(" ").contains("The command that runs"), "none runs");
    assert!(matches!(dialog.act(hit(Action::TextSubmit), &mut model), Step::Say(_)));
    let shown = rows(dialog.as_mut(), &model);
    assert!(
        shown.iter().any(|row| row.starts_with("That is not r-7f3a. Type r-7f3a to go on")),
        "{shown:#?}"
    );
    write(dialog.as_mut(), &mut model, "r-7f3a");
    let shown = rows(dialog.as_mut(), &model);
    assert!(shown.iter().any(|row| row.starts_with("Type r-7f3a to go on")), "{shown:#?}");
    assert_eq!(posted(dialog.act(hit(Action::TextSubmit), &mut model)), Control::Cancel);
}

/// Ctrl-O in the form; the folder is looked at first where it was not.
fn begin(form: &mut dyn Dialog, model: &mut Model) -> (u64, NewRun) {
    let step = match form.act(hit(Action::TextSave), model) {
        Step::Do(commands) => match commands.as_slice() {
            [Cmd::Place(ticket, path, _)] => {
                let place = Place { path: path.clone(), git: None, problem: None, missing: Vec::new() };
                form.told(&Msg::Place(*ticket, place), model)
            }
            _ => Step::Do(commands),
        },
        other => other,
    };
    match step {
        Step::Do(commands) => match commands.into_iter().next() {
            Some(Cmd::Start(ticket, new)) => (ticket, *new),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_new_run_needs_a_goal_and_begins_with_what_was_written() {
    let mut model = model(Lang::En);
    let mut form = new_run::NewRunForm::new(&model);
    let commands = form.open(&mut model);
    let Some(Cmd::Place(ticket, path, _)) = commands.first() else { panic!("{commands:?}") };
    let place = Place { path: path.clone(), git: Some(0), problem: None, missing: Vec::new() };
    form.told(&Msg::Place(*ticket, place), &mut model);
    let shown = rows(form.as_mut(), &model);
    assert!(
        shown.iter().any(|row| row.starts_with("Workspace") && row.ends_with("git, clean")),
        "{shown:#?}"
    );
    assert!(shown.iter().any(|row| row.contains("(●) ask   ( ) safe   ( ) auto")), "{shown:#?}");
    assert!(matches!(form.act(hit(Action::TextSave), &mut model), Step::Stay));
    assert!(rows(form.as_mut(), &model).join("\n").contains("Write what is to be reached"));
    write(form.as_mut(), &mut model, "Survey");
    form.act(hit(Action::TextSubmit), &mut model);
    write(form.as_mut(), &mut model, "the crate");
    form.act(hit(Action::FieldNext), &mut model);
    form.paste("no new crates\n\n bytes identical ", &mut model);
    form.act(hit(Action::FieldNext), &mut model);
    form.paste("nonsense", &mut model);
    assert!(matches!(form.act(hit(Action::TextSave), &mut model), Step::Stay));
    assert!(rows(form.as_mut(), &model).join("\n").contains("“nonsense” is not a check"));
    form.act(hit(Action::TextUndo), &mut model);
    form.paste("file:report.md", &mut model);
    (0..3).for_each(|_| drop(form.act(hit(Action::FieldNext), &mut model)));
    form.act(nth(Action::CaretOrChoice, 1), &mut model);
    let (ticket, run) = begin(form.as_mut(), &mut model);
    assert_eq!(run.goal.text, "Survey\nthe crate");
    assert_eq!(run.goal.constraints, ["no new crates", "bytes identical"]);
    assert_eq!(run.goal.checks.iter().map(ToString::to_string).collect::<Vec<_>>(), ["file:report.md"]);
    assert_eq!((run.mode, run.workspace.clone()), (Some(Mode::Safe), PathBuf::from("/home/ann/src/ledger")));
    assert_eq!(run.model.as_deref(), Some("offline"));
    form.told(&Msg::Started(ticket, Err("the folder is gone".to_owned())), &mut model);
    assert!(rows(form.as_mut(), &model).join("\n").contains("Not started: the folder is gone"));
    let Step::Do(commands) = form.act(hit(Action::TextSave), &mut model) else { panic!() };
    let Some(Cmd::Start(ticket, _)) = commands.first() else { panic!() };
    let closes = form.told(&Msg::Started(*ticket, Ok(RunId::new("r-1"))), &mut model);
    assert!(matches!(closes, Step::Close(_)));
}

fn preview(seen: u64) -> Box<Preview> {
    let file = |path: &str, what| FileBack {
        path: path.to_owned(),
        what,
        taken: Some(if what == FileFate::Remove { what } else { FileFate::Restore }),
        diff: "@@ -1,3 +1,1 @@\n-a\n-b\n-c\n+d\n".to_owned(),
        lines: Some((1, 3)),
        bytes: Some(2_200),
        made_in: (what == FileFate::Remove).then_some(9),
        edited: Some(sample::at(13, 31, 0)),
        why: None,
        problem: None,
    };
    Box::new(Preview {
        seen,
        step: 6,
        timeline: 2,
        undone: (7..=13).map(|step| (step, 2)).collect(),
        back: Vec::new(),
        tokens: 99_326,
        files: vec![
            file("Cargo.toml", FileFate::Restore),
            file("benches/export.rs", FileFate::Remove),
            file("docs/notes.md", FileFate::Keep),
        ],
        goal: Some(1),
        effects: vec!["cargo bench (11.1)".to_owned()],
        cancelled: 2,
        withdrawn: 0,
        offered: 0,
        ended: Vec::new(),
    })
}

mod back;
mod banners;
mod defaults;
mod drafts;
mod forms;
mod items;
mod long;
mod output;
mod plan;
mod size;
