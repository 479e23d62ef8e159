//! The panel Runs, wide and narrow.

use super::*;
use crate::ui::app::{lists, sample};
use crate::ui::words::Lang;
use std::sync::Arc;

fn rows(model: &Model, size: (u16, u16)) -> Vec<String> {
    sample::draw_part(model, size, draw).1
}

#[test]
fn the_runs_of_200_by_60() {
    let model = sample::model(Lang::En, (200, 60));
    let shown = rows(&model, (73, 13));
    assert_eq!(
        shown[..5],
        [
            "  status       run     title                           steps  tokens  age",
            "▌ ! waiting    r-7f3a  Speed up ledger export             15  144.8k  25m",
            "  ! waiting    r-91c2  Weekly dependency report            4   31.7k   9m",
            "               ╰ 1.1 http_get api.osv.dev/v1/query waits 3:20            ",
            "  ✓ completed  r-44d0  Changelog for 0.8                  11   88.0k   2h",
        ]
    );
    assert_eq!(shown[12].trim_end(), "] next run  ! next that needs you  n new run");
    assert_eq!(note(&model)[0].text, "3");
}

#[test]
fn narrow_lists_keep_sign_name_title_and_age() {
    let model = sample::model(Lang::Zh, (120, 40));
    assert_eq!(
        rows(&model, (31, 6)),
        [
            "    编号    标题           时长",
            "▌ ! r-7f3a  Speed up ledg…  25m",
            "  ! r-91c2  Weekly depend…   9m",
            "    ╰ 1.1 http_get 已等 3:20   ",
            "  ✓ r-44d0  Changelog for…   2h",
            "                               ",
        ]
    );
}

#[test]
fn interrupted_runs_say_how_they_go_on_and_the_selected_one_stays_in_view() {
    let mut model = sample::model(Lang::En, (200, 60));
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting.clear();
    shot.runs[1].status = "interrupted".to_owned();
    shot.runs[2].title = String::new();
    model.shot = Some(Arc::new(shot));
    let shown = rows(&model, (73, 13));
    assert!(shown[2].starts_with("  ⋯ interrupted"), "{shown:#?}");
    assert_eq!(shown[3].trim(), "╰ interrupted; Enter goes on from its last checkpoint");
    assert!(shown[4].contains("(no title)"), "{shown:#?}");
    lists::ends(&mut model, Panel::Runs, false);
    let shown = rows(&model, (73, 3));
    assert!(shown[2].starts_with("▌ ✓ completed"), "{shown:#?}");
    let empty = sample::empty(Lang::Zh, (200, 60));
    assert_eq!(rows(&empty, (40, 3))[0].trim_end(), "还没有任务。按 n 新建。");
}

#[test]
fn runs_of_every_folder_and_in_every_state_are_listed() {
    for lang in Lang::ALL {
        let mut model = sample::model(lang, (200, 60));
        let mut shot = model.shot.as_deref().cloned().unwrap();
        let like = shot.runs[2].clone();
        shot.waiting.clear();
        let states = [
            ("running", None),
            ("waiting", Some("approval")),
            ("waiting", Some("question")),
            ("waiting", Some("uncertain")),
            ("waiting", Some("retry")),
            ("waiting", Some("breaker")),
            ("paused", None),
            ("interrupted", None),
            ("completed", None),
            ("limit", None),
            ("failed", None),
            ("cancelled", None),
        ];
        shot.runs = states
            .iter()
            .enumerate()
            .map(|(nth, (status, wait))| RunRow {
                id: RunId::new(format!("r-{nth:04}0000")),
                title: format!("Job {nth}."),
                status: (*status).to_owned(),
                wait: wait.map(str::to_owned),
                workspace: if nth % 2 == 0 { "/home/ann/src/ledger" } else { "/srv/other" }.into(),
                ..like.clone()
            })
            .collect();
        shot.runs_total = shot.runs.len() as u64;
        model.shot = Some(Arc::new(shot));
        let shown = rows(&model, (73, 20));
        let mut words = std::collections::BTreeSet::new();
        for (nth, _) in states.iter().enumerate() {
            let row = shown
                .iter()
                .find(|row| row.contains(&format!("Job {nth}.")))
                .unwrap_or_else(|| panic!("{nth}: {shown:#?}"));
            // A sign and a word of its own.
            words.insert(row.split_once("r-").unwrap().0.trim_start_matches(['▌', ' ']).trim().to_owned());
        }
        assert_eq!(
            words.len(),
            9,
            "a wait for the server is another one than a wait for the person: {words:?}"
        );
        assert!(words.iter().all(|word| word.contains(' ')), "{words:?}");
    }
}
