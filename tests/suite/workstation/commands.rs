//! Commands that are long, that are not what they look like, or that are nothing; calls that come while a batch is chosen.

use super::desk::{Desk, Place, eventually};
use super::jobs;
use super::place::events;
use std::collections::BTreeSet;
use std::time::Duration;
use wakeful::run::Event;

/// One step with this command. JSON writes a text as TOML reads it.
fn script(command: &str) -> String {
    let text = serde_json::to_string(command).unwrap();
    format!(
        "[[steps]]\nsay = \"A command.\"\ncalls = [{{ name = \"shell\", args = {{ command = {text} }} }}]\n\
         [[steps]]\nsay = \"Done.\"\n"
    )
}

/// A workstation of 80 columns in which the command of the script waits.
fn waiting(place: &Place, lang: &str) -> Desk {
    let desk = place.open(80, 24, &["--lang", lang]);
    desk.wait(if lang == "zh" { "离线模型" } else { "offline model" });
    desk.press("\r");
    desk.wait(if lang == "zh" { "等你处理" } else { "NEEDS YOU" });
    desk
}

/// Presses the key that approves, again and again, for longer than it is dead at first.
fn press_in_vain(desk: &Desk, place: &Place, title: &str) {
    for _ in 0..3 {
        desk.press("y");
        std::thread::sleep(Duration::from_millis(400));
    }
    assert!(desk.shows(title), "{}", desk.screen());
    assert!(place.ask(&["intents", "last"]).contains("waiting"), "it was approved unseen");
}

#[test]
fn a_long_command_is_approved_only_after_its_last_line_was_seen() {
    let lines: String = (1..=60).map(|n| format!("line <{n}>\n")).collect();
    let wide: String = (0..50).map(|n| format!("[{n:06}]")).collect();
    let command = format!("cat > long.txt <<'END'\n{lines}END\nprintf %s '{wide}' > wide.txt # the last");
    for (lang, title, ended) in [("en", "Run this command?", "completed"), ("zh", "运行这条命令？", "已完成")]
    {
        let place = Place::new();
        place.script(&script(&command));
        let desk = waiting(&place, lang);
        desk.press("a");
        desk.wait(title);
        desk.wait("line <1>");
        let mut seen = BTreeSet::new();
        let mut pages = 0;
        loop {
            let screen = desk.screen();
            let here = (1..=60).map(|n| format!("line <{n}>")).chain((0..50).map(|n| format!("[{n:06}]")));
            // What is broken at the border is on two rows.
            let joined: String = screen
                .lines()
                .filter_map(|row| row.split('┃').nth(1))
                .map(|row| row.strip_prefix(' ').unwrap_or(row).trim_end())
                .collect();
            seen.extend(here.filter(|text| joined.contains(text.as_str())));
            if screen.contains("# the last") {
                break;
            }
            if pages == 0 {
                press_in_vain(&desk, &place, title);
            }
            pages += 1;
            assert!(pages < 60, "{screen}");
            let before = desk.screen();
            desk.press("j");
            desk.until("it moves", || desk.screen() != before);
        }
        assert_eq!(seen.len(), 110, "every line and every part of the wide one was on the screen: {seen:?}");
        assert!(pages > 20, "one row after the other");
        desk.press_until("y", ended);
        assert_eq!(place.read("long.txt").unwrap(), lines);
        assert_eq!(place.read("wide.txt").unwrap(), wide);
        // The key may have come twice.
        desk.kill();
    }
}

/// A text turned round, a letter without width, a Cyrillic letter that looks like a Latin one.
const FLAGGED: &str = "echo \u{441}md > 'a\u{202e}b\u{200b}c'";

#[test]
fn a_command_that_is_not_what_it_looks_like_shows_it_and_takes_the_word() {
    for (lang, title, warns, asks, not_yes, ended) in [
        (
            "en",
            "Run this command?",
            "3 characters are not what they look like",
            "Type yes to go on",
            "That is not yes",
            "completed",
        ),
        ("zh", "运行这条命令？", "有 3 个字符与看上去不同", "输入 yes 以继续", "输入的不是 yes", "已完成"),
    ] {
        let place = Place::new();
        place.script(&script(FLAGGED));
        let desk = waiting(&place, lang);
        desk.press("a");
        desk.wait(title);
        for text in [warns, "\\u{441}md", "a\\u{202e}b\\u{200b}c"] {
            desk.wait(text);
        }
        // The codes stand out without a colour: reversed.
        let screen = desk.seen();
        let (row, text) = (0..24)
            .map(|row| (row, screen.rows(0, 80).nth(usize::from(row)).unwrap()))
            .find(|(_, text)| text.contains("echo \\u{441}"))
            .unwrap();
        let column = text.split("\\u{441}").next().unwrap().chars().count();
        let cell = |at: usize| screen.cell(row, u16::try_from(at).unwrap()).unwrap();
        assert!(cell(column).inverse() && !cell(column - 2).inverse(), "{text}");
        desk.press_until("y", asks);
        // What arrives at once is a paste; the key that opened the field may have come twice.
        desk.press("\x7f\x7f\x7f\x7f");
        desk.press("no");
        desk.wait("▏no");
        desk.press_until("\r", not_yes);
        assert!(place.ask(&["intents", "last"]).contains("waiting"));
        (0..9).for_each(|_| desk.press("\x7f"));
        desk.wait(asks);
        desk.press("yes");
        desk.wait("▏yes");
        desk.press_until("\r", ended);
        assert_eq!(place.read("a\u{202e}b\u{200b}c").unwrap(), "\u{441}md\n", "what was shown is what ran");
        let sent = String::from_utf8_lossy(&desk.bytes()).into_owned();
        assert!(!sent.contains(['\u{202e}', '\u{200b}']), "they never reach the terminal");
        // The key may have come twice.
        desk.kill();
    }
}

#[test]
fn an_empty_command_never_asks_and_an_edit_does_not_make_one() {
    let place = Place::new();
    let call = |text: &str| format!("{{ name = \"shell\", args = {{ command = \"{text}\" }} }}");
    place.script(&format!(
        "[[steps]]\nsay = \"Nothing.\"\ncalls = [{}, {}]\n[[steps]]\nsay = \"Done.\"\n",
        call(""),
        call(" \\t \\n ")
    ));
    let desk = place.open(80, 24, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("completed");
    let all = events(&place);
    let count = |wanted: fn(&Event) -> bool| all.iter().filter(|event| wanted(event)).count();
    assert_eq!(count(|event| matches!(event, Event::CallRejected { .. })), 2, "{all:?}");
    assert_eq!(count(|event| matches!(event, Event::CallWaiting { .. } | Event::CallStarted { .. })), 0);
    desk.kill();

    let place = Place::new();
    place.script(jobs::ONE_EFFECT);
    let editor = place.workspace().join("editor");
    std::fs::write(&editor, "#!/bin/sh\nsed -i 's/echo x >> effects/   /' \"$1\"\n").unwrap();
    let desk = place.waiting_with(80, 24, &[("EDITOR", &format!("sh {}", editor.display()))]);
    desk.press("e");
    desk.wait("Edit the call");
    desk.press("\x07");
    desk.wait("Changed: command");
    desk.press("\x0f");
    // It says why at once, or in the review; either way nothing is approved without a look.
    desk.wait("command is empty");
    assert!(place.ask(&["intents", "last"]).contains("waiting"));
    assert!(place.read("effects").is_none());
    desk.kill();
}

/// Three writes that wait side by side.
const THREE: &str = "[[steps]]\nsay = \"Three files.\"\ncalls = [\
    { name = \"write_file\", args = { path = \"a.txt\", content = \"a\" } },\
    { name = \"write_file\", args = { path = \"b.txt\", content = \"b\" } },\
    { name = \"write_file\", args = { path = \"c.txt\", content = \"c\" } }]\n[[steps]]\nsay = \"Done.\"\n";

#[test]
fn a_call_that_comes_while_a_batch_is_open_is_not_approved_with_it() {
    let place = Place::new();
    place.script(THREE);
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("3 calls wait");
    let first = place.ask(&["runs", "--json"]);
    let first: serde_json::Value = serde_json::from_str(&first).unwrap();
    let first = first[0]["id"].as_str().unwrap().to_owned();
    desk.press("3");
    desk.wait("━ 3 Queue");
    // All runs are listed: what comes would stand among the marked.
    desk.press("o");
    for marked in ["1 marked", "2 marked", "3 marked"] {
        desk.press(" ");
        desk.wait(marked);
        desk.press("j");
    }
    desk.press("M");
    desk.wait("Approve these 3 calls?");
    let mut worker = place.start(&["run", "Another job", "--model", "offline", "--wait", "--headless"]);
    desk.wait("runs: 2 need you");
    let waiting = |run: &str| place.ask(&["intents", run]).matches("waiting").count();
    eventually("the other three wait too", || waiting("last") >= 3);
    assert!(desk.shows("Approve these 3 calls?"), "{}", desk.screen());
    desk.press_till("y", "the batch is sent", || !desk.shows("Approve these 3 calls?"));
    eventually("the three of the batch are done", || place.read("c.txt").is_some());
    desk.wait("runs: 1 needs you");
    assert!(waiting("last") >= 3, "{}", place.ask(&["intents", "last"]));
    assert_eq!(waiting(&first), 0, "{}", place.ask(&["intents", &first]));
    let approved = events(&place).iter().filter(|e| matches!(e, Event::CallApproved { .. })).count();
    assert_eq!(approved, 0, "nothing of the other run was approved");
    desk.kill();
    worker.kill().unwrap();
    worker.wait().unwrap();
}
