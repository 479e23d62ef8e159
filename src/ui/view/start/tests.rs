//! The start screen: what is offered, what was found.

use super::*;
use crate::ui::app::{lists, sample};
use crate::ui::layout::Panel;
use crate::ui::words::Lang;

fn rows(model: &Model, size: (u16, u16)) -> Vec<String> {
    let (_, rows) = sample::draw_part(model, size, draw);
    rows.into_iter().map(|row| row.trim_end().to_owned()).collect()
}

#[test]
fn a_first_start_offers_the_offline_model() {
    let mut model = sample::empty(Lang::En, (77, 9));
    model.found.missing =
        ["OPENAI_BASE_URL", "OPENAI_API_KEY", "11434", "1234", "8000", "8080"].map(str::to_owned).into();
    assert_eq!(
        rows(&model, (77, 9)),
        [
            " wakeful",
            " No model was found: no OPENAI_BASE_URL, no key, nothing on 11434, 1234,",
            " 8000, 8080. You can try everything now with the offline model.",
            " ▌ Enter  Try it here with the offline model: it surveys",
            "          /home/ann/src/ledger, asks before it writes wakeful-report.md. Not",
            "          an LLM; no network.",
            " Data: /home/ann/.local/share/wakeful/wakeful.db · dark · English",
            "",
            " Enter open  n new run  : palette  ? help  q quit",
        ]
    );
    model.look = sample::look(Lang::Zh);
    let shown = rows(&model, (77, 9));
    assert_eq!(shown[1], " 没有找到模型：没有 OPENAI_BASE_URL，没有密钥，端口 11434、1234、8000、8080");
    assert!(shown[3].starts_with(" ▌ Enter  在这里用离线模型试用：它会浏览"), "{shown:#?}");
    assert!(shown.iter().any(|row| row.contains("数据：") && row.ends_with("深色 · 简体中文")), "{shown:#?}");
}

#[test]
fn where_nothing_was_looked_for_the_start_says_so() {
    let mut model = sample::empty(Lang::En, (110, 9));
    model.found.missing.clear();
    let said = rows(&model, (110, 9))[1..3].join("");
    assert!(
        said.starts_with(" No model was found: the config names none, and looking for one is off. You can"),
        "{said}"
    );
    model.look = sample::look(Lang::Zh);
    let said = rows(&model, (110, 9))[1..3].join("");
    assert!(said.starts_with(" 没有找到模型：配置中没有模型，自动查找未开启。现在"), "{said}");
}

#[test]
fn while_it_looks_it_says_so_and_offers_nothing() {
    let mut model = sample::empty(Lang::En, (77, 9));
    model.found.done = false;
    model.shot = None;
    let shown = rows(&model, (77, 9));
    assert_eq!(shown[1..3], [" Looking for a model…", " Reading the runs…"]);
    assert!(!shown.iter().any(|row| row.contains('▌')), "{shown:#?}");
    model.stale = Some((model.clock.mono, "it is locked\u{1b}[2J".to_owned()));
    let shown = rows(&model, (77, 9));
    assert!(shown[2].starts_with(" The database cannot be opened: it is locked\\u{1b}"), "{shown:#?}");
}

#[test]
fn a_model_that_was_found_and_earlier_runs() {
    let mut model = sample::model(Lang::En, (80, 16));
    model.run = None;
    model.found.models.insert(
        0,
        FoundModel {
            profile: "local".into(),
            model: "qwen3-32b".into(),
            place: "vllm.lan".into(),
            window: None,
        },
    );
    let shown = rows(&model, (80, 16));
    assert_eq!(
        shown[1..7],
        [
            " New runs use qwen3-32b at vllm.lan",
            " ▌ Enter  New run: write the goal",
            "",
            "   status       run     title                                steps  tokens  age",
            "   ! waiting    r-7f3a  Speed up ledger export                  15  144.8k  25m",
            "                ╰ 14.2 edit_file src/export/writer.rs waits 0:42",
        ]
    );
    assert_eq!(shown[15], " Enter open  n new run  : palette  ? help  q quit");
    lists::step(&mut model, Panel::Runs, 2);
    let shown = rows(&model, (80, 16));
    assert!(shown[2].starts_with("   Enter  New run"), "{shown:#?}");
    assert!(shown[7].starts_with(" ▌ ! waiting    r-91c2"), "{shown:#?}");
}

#[test]
fn in_the_smallest_window_the_selected_run_is_seen() {
    for lang in [Lang::En, Lang::Zh] {
        let mut model = sample::model(lang, (40, 10));
        model.run = None;
        model.lists.run = None;
        let runs = run_rows(&model).len();
        for at in 0..=runs {
            let shown = rows(&model, (40, 10));
            let marked: Vec<&String> = shown.iter().filter(|row| row.contains('▌')).collect();
            let name = at
                .checked_sub(1)
                .map(|at| run_rows(&model)[at].id.as_str().chars().take(6).collect::<String>());
            let wanted = name.unwrap_or_else(|| "Enter".to_owned());
            assert!(marked.len() == 1 && marked[0].contains(&wanted), "{at} {wanted}: {shown:#?}");
            lists::step(&mut model, Panel::Runs, 1);
        }
    }
}
