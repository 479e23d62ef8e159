//! The keys that stop: pause, cancel, leave, each with its question, in a window of 80 columns and in both languages.

use super::desk::{Desk, Place, eventually};
use super::jobs::{ONE_EFFECT, command};
use super::place::events;
use wakeful::run::event::Event;

/// A word of the screen in its language.
fn word(lang: &str, en: &'static str, zh: &'static str) -> &'static str {
    if lang == "zh" { zh } else { en }
}

fn begun(place: &Place, lang: &str) -> Desk {
    let desk = place.open(80, 24, &["--lang", lang]);
    desk.wait(word(lang, "offline model", "离线模型"));
    desk.press("\r");
    desk
}

fn runs(place: &Place) -> String {
    place.ask(&["runs", "--json"])
}

fn sleeps(place: &Place) -> bool {
    place.processes().iter().any(|(_, line)| line.trim() == "sleep 3600")
}

#[test]
fn a_pause_asks_what_becomes_of_the_command_and_a_cancel_for_the_name() {
    for lang in ["en", "zh"] {
        let of = |en, zh| word(lang, en, zh);
        let place = Place::playing(&command("sleep 3600"));
        let desk = begun(&place, lang);
        eventually("the command runs", || sleeps(&place));
        desk.press("3");
        // The question is asked once the snapshot has the command.
        desk.wait(of("1 running", "1 运行中"));
        let title = of("A tool is running", "有工具正在运行");
        desk.press("P");
        desk.wait(title);
        for text in [
            "sleep 3600",
            of("▌Pause now; the command goes on", "▌立即暂停；命令继续"),
            of(" Pause after this call", " 本次调用后暂停"),
            of(" End the command and pause", " 结束命令并暂停"),
            of("Esc leave it as it is", "Esc 保持不变"),
        ] {
            desk.wait(text);
        }
        desk.press("\x1b");
        desk.wait_gone(title);
        assert!(sleeps(&place) && !runs(&place).contains("paused"), "Esc changes nothing: {}", runs(&place));

        desk.press("P");
        desk.wait(title);
        desk.press("j");
        desk.wait(of("▌Pause after", "▌本次调用"));
        desk.press("j");
        desk.wait(of("▌End the command", "▌结束命令"));
        desk.press("\r");
        desk.wait(of("■ paused", "■ 已暂停"));
        eventually("the command is ended", || !sleeps(&place));
        eventually("it is paused", || runs(&place).contains("paused"));

        let run: serde_json::Value = serde_json::from_str(&runs(&place)).unwrap();
        let id = run[0]["id"].as_str().unwrap().to_owned();
        desk.press("X");
        desk.wait(of("Cancel this run?", "取消这个任务？"));
        desk.press("r-0");
        desk.wait("▏r-0");
        desk.press_until("\r", of("That is not ", "输入的不是 "));
        assert!(!runs(&place).contains("cancelled"));
        (0..3).for_each(|_| desk.press("\x7f"));
        desk.wait_gone("▏r-0");
        let short: String = id.chars().take(6).collect();
        desk.press(&short);
        desk.wait(&format!("▏{short}"));
        desk.until("it is cancelled", || {
            desk.press("\r");
            std::thread::sleep(std::time::Duration::from_millis(60));
            runs(&place).contains("cancelled")
        });
        desk.wait(of("cancelled", "已取消"));
        desk.kill();
    }
}

#[test]
fn leaving_says_what_waits_and_both_ways_leave_the_call_waiting() {
    for (lang, key) in [("en", "s"), ("zh", "w"), ("en", "w"), ("zh", "s")] {
        let of = |en, zh| word(lang, en, zh);
        let place = Place::new();
        place.script(ONE_EFFECT);
        let mut desk = begun(&place, lang);
        desk.wait(of("NEEDS YOU", "等你处理"));
        let before = place.ask(&["intents", "last", "--json"]);
        let title = of("Leave wakeful?", "离开 wakeful？");
        desk.press("q");
        desk.wait(title);
        for text in [
            of("1 call waits for you", "1 个调用等你处理"),
            of("▌s  Save and stop at the next checkpoint", "▌s  保存，在下个检查点停止"),
            of(" w  Hand to a worker", " w  交给后台"),
            of("Waiting calls keep waiting. A bell cannot reach you.", "等待的调用继续等待，响铃传不到你。"),
            of("Esc stay", "Esc 留下"),
        ] {
            desk.wait(text);
        }
        desk.press("\x1b");
        desk.wait_gone(title);
        desk.press("q");
        desk.wait(title);
        desk.press(key);
        assert_eq!(desk.ended(), 0);
        desk.assert_restored();
        let sent = String::from_utf8_lossy(&desk.bytes()).into_owned();
        assert!(
            sent.contains("\x1b[22;2t") && sent.rfind("\x1b[23;2t") > sent.rfind("\x1b]2;"),
            "the title comes back"
        );
        assert_eq!(place.ask(&["intents", "last", "--json"]), before, "the same call waits");
        assert!(place.read("effects").is_none());
        // What works on without a screen is ended with the place.
        let workers = place.processes();
        assert_eq!(!workers.is_empty(), key == "w", "{workers:?}");
        for (pid, _) in workers {
            super::desk::signal_to(pid, rustix::process::Signal::KILL);
        }
    }
}

/// Twice at once, with the question on the screen: nothing is decided, and the same call is asked about again.
#[test]
fn interrupted_twice_with_the_review_open_the_same_call_waits_again() {
    let place = Place::new();
    place.script(ONE_EFFECT);
    let mut desk = begun(&place, "en");
    desk.wait("NEEDS YOU");
    let before = place.ask(&["intents", "last", "--json"]);
    let events = super::place::events(&place).len();
    desk.press("a");
    desk.wait("Run this command?");
    desk.wait("echo x >> effects");
    desk.press("\x03\x03");
    desk.ended();
    desk.assert_restored();
    assert!(place.processes().is_empty(), "{:?}", place.processes());
    assert_eq!(place.ask(&["intents", "last", "--json"]), before, "the same call waits, with the same ids");
    let desk = place.open(80, 24, &[]);
    desk.wait("NEEDS YOU");
    desk.press("a");
    desk.wait("Run this command?");
    desk.wait("echo x >> effects");
    assert_eq!(place.ask(&["intents", "last", "--json"]), before, "and so it does at the return");
    let proposed = |event: &wakeful::run::Event| matches!(event, wakeful::run::Event::CallProposed(_));
    let all = super::place::events(&place);
    assert!(all.len() >= events && all.iter().filter(|event| proposed(event)).count() == 1);
    desk.press_until("y", "completed");
    assert_eq!(place.read("effects").as_deref(), Some("x\n"), "once");
    desk.kill();
}

/// The key for more time: asked of the run, said on the screen, and the command's own time-out is another one.
#[test]
fn a_running_command_gets_more_time_by_its_key() {
    for lang in ["en", "zh"] {
        let place = Place::playing(&command("sleep 3600"));
        let desk = begun(&place, lang);
        eventually("the command runs", || sleeps(&place));
        desk.press("3");
        desk.wait(word(lang, "1 running", "1 运行中"));
        desk.press("t");
        desk.wait(word(lang, "5:00 more.", "已延长 5:00。"));
        let asked = |event: &Event| matches!(event, Event::TimeoutExtended { more_ms: 300_000, .. });
        eventually("it is asked once", || events(&place).iter().filter(|event| asked(event)).count() == 1);
        let spools = place.db().with_extension("db.d").join("spool");
        let set = || {
            let spool = std::fs::read_dir(&spools).ok()?.flatten().next()?.path();
            std::fs::read_to_string(spool.join("deadline")).ok()
        };
        // Two minutes by itself, and five more.
        eventually("the command has it", || set().is_some_and(|text| text.trim() == "420000"));
        desk.kill();
        for (pid, line) in place.processes() {
            if line.trim() == "sleep 3600" {
                super::desk::signal_to(pid, rustix::process::Signal::TERM);
            }
        }
    }
}
