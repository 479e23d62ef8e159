//! A run that cannot be read: what is the matter stands in Loop, and nothing offers what cannot be done.

use super::*;
use crate::ui::feed::Unread;

const WHY: &str = "run r-7f3a is damaged at event 1 (checksum); it is not written until a person accepts the damage. \
                   `wakeful doctor` shows it, `wakeful doctor --accept-damage r-7f3a` accepts it";

fn unread(lang: Lang, size: (u16, u16)) -> Bench {
    let mut bench = Bench::new(lang, size);
    bench.app.model.working.clear();
    let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
    shot.run = None;
    shot.waiting.clear();
    shot.unread = Some(Unread { run: bench.app.model.run.clone().unwrap(), why: WHY.to_owned() });
    bench.app.update(Msg::Shot(Arc::new(shot)));
    bench
}

#[test]
fn what_is_the_matter_with_a_run_that_cannot_be_read_stands_in_loop_with_what_can_be_done() {
    let words = [
        (
            Lang::En,
            ["cannot be read.", "damaged at event 1", "Not read: Loop says why.", "run `wakeful doctor`"],
            ["No step yet", "goes in", "Message the agent"],
        ),
        (
            Lang::Zh,
            ["无法读取任务", "从第 1 条事件起损坏", "未能读取：原因见“循环”。", "再运行 `wakeful doctor`"],
            ["还没有步骤", "随第", "给智能体留言"],
        ),
    ];
    for (lang, shown, never) in words {
        for size in [(120, 40), (200, 60)] {
            let mut bench = unread(lang, size);
            let all = bench.frame();
            let text: String = all.iter().map(|row| format!("{row}\n")).collect();
            for words in shown {
                assert!(text.contains(words), "{size:?} {words}\n{text}");
            }
            for words in never {
                assert!(!text.contains(words), "{size:?} {words}\n{text}");
            }
            // The list that it stands in is there, where it has room.
            assert!(size.0 < 200 || text.contains("Changelog for 0.8"), "{text}");
            assert!(!bench.shows("0:00"), "no age of something that was never shown\n{text}");
        }
    }
}

#[test]
fn keys_about_a_run_that_cannot_be_read_are_not_offered_and_say_why() {
    for (lang, why) in
        [(Lang::En, "This run cannot be read: Loop says why."), (Lang::Zh, "无法读取此任务：原因见“循环”。")]
    {
        let mut bench = unread(lang, (200, 60));
        let foot = bench.frame().pop().unwrap();
        let lines = bench.frame();
        let foot = if foot.trim().is_empty() { lines[lines.len() - 2].clone() } else { foot };
        for key in ["p ", "P ", "i ", "g ", "r ", "L ", "f ", "a ", "d ", "e "] {
            assert!(!foot.split("  ").any(|hint| hint.trim_start().starts_with(key)), "{key}: {foot}");
        }
        for key in ["n ", "q "] {
            assert!(foot.split("  ").any(|hint| hint.trim_start().starts_with(key)), "{key}: {foot}");
        }
        for key in ["p", "P", "i", "u", "I", "g", "E", "r", "L", "X", "t", "x"] {
            assert!(bench.press(key).is_empty() && bench.app.model.layers.is_empty(), "{key}");
            assert_eq!(bench.news(), why, "{key}");
        }
        assert!(!bench.press("]").is_empty(), "another run is one key away");
    }
}

#[test]
fn on_a_small_window_all_of_it_stands_in_the_panel_or_is_said_to_go_on() {
    for lang in [Lang::En, Lang::Zh] {
        let mut bench = unread(lang, (80, 24));
        let text = bench.frame().join("\n");
        assert!(text.contains("wakeful doctor"), "{text}");
        for columns in [40, 60, 100] {
            bench.app.input(Input::Resize(columns, 12));
            bench.app.model.size = (columns, 12);
            bench.frame();
        }
    }
}
