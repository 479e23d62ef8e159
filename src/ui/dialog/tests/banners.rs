//! What can be done about each banner, in both languages.

use super::*;
use crate::run::settings::Price;
use crate::run::{LimitKind, RunState, Turn, Usage, WorkerId};
use crate::store::Damage;
use crate::ui::app::beside::Unsaved;
use crate::ui::dialog::banner::{BannerDialog, choices};
use crate::ui::feed::{Asleep, Signs};
use crate::ui::view::banners::{Kind, banners};

fn change_state(model: &mut Model, change: impl FnOnce(&mut RunState)) {
    sample::change(model, |view| change(Arc::make_mut(&mut view.state)));
}

/// The cause of each banner that has to do with the shown run.
fn cause(model: &mut Model, kind: Kind) {
    let (run, wall) = (model.run.clone().unwrap(), model.clock.wall);
    match kind {
        Kind::DiskFull => drop(model.beside.unsaved.insert(run, Unsaved { again: wall + 7_400 })),
        Kind::NoRoom => model.beside.full = true,
        Kind::NotSaved => model.unposted = Some(model.clock.mono),
        Kind::Locked => model.stale = Some((model.clock.mono, "the database stayed locked".to_owned())),
        Kind::NotRead => model.stale = Some((model.clock.mono, "gone".to_owned())),
        Kind::FileDamaged => model.beside.file_damaged = Some("malformed".to_owned()),
        Kind::Damaged => {
            let damage = Damage { first_bad_seq: 90, reason: "checksum".to_owned(), rows: 3, proven: None };
            sample::change(model, |view| view.damage = Some(damage));
        }
        Kind::ReadOnly => change_state(model, |state| state.ledger.unknown = 1),
        Kind::PromptCut => change_state(model, |state| {
            let usage = Usage { prompt: 8_192, completion: 405, cached: 0, estimated: false };
            (state.ledger.last_usage, state.ledger.drift) = (Some(usage), Some(8_192 - 21_611));
        }),
        Kind::Asleep => {
            let worker = model.view().unwrap().state.ledger.owner.as_ref().unwrap().worker.clone();
            let asleep = Asleep { worker, pid: 4_121, alive_at: wall - 560_000 };
            model.beside.signs = Some(Signs {
                run,
                asleep: Some(asleep),
                silent: Vec::new(),
                alone: Vec::new(),
                ended: Vec::new(),
            });
        }
        Kind::Alone => {
            let call = waits(model, "shell").call.call_id;
            sample::change(model, |view| {
                view.alive = false;
                let state = Arc::make_mut(&mut view.state);
                state.ledger.open.retain(|_, open| open.call_id == call);
                state.ledger.open.values_mut().for_each(|open| open.status = CallStatus::Started);
            });
            model.beside.signs =
                Some(Signs { run, asleep: None, silent: Vec::new(), alone: vec![call], ended: Vec::new() });
        }
        Kind::Price => change_state(model, |state| {
            Arc::make_mut(state.ledger.settings.as_mut().unwrap()).model.price = None;
        }),
        Kind::AtLimit(limit) => change_state(model, |state| {
            let (outcome, seq) = (crate::run::Outcome::Limit(limit), state.head.seq);
            state.ledger.ended = Some(crate::run::state::Ended { outcome, seq, at: 0 });
        }),
        Kind::Near(_) => change_state(model, |state| state.ledger.totals.charged = 240_310),
        Kind::Retry => change_state(model, |state| {
            state.path.turn = Turn::Retry {
                purpose: crate::run::Purpose::Turn,
                attempt: 2,
                until: Some(wall + 37_900),
                kind: "rate_limited".to_owned(),
                message: crate::provider::ModelError::new(
                    crate::provider::ErrorKind::RateLimited,
                    "https://api.example/v1",
                    "HTTP 429: asked for 40 s",
                )
                .message,
            };
        }),
    }
}

const KINDS: [Kind; 12] = [
    Kind::DiskFull,
    Kind::NotSaved,
    Kind::Locked,
    Kind::Damaged,
    Kind::ReadOnly,
    Kind::PromptCut,
    Kind::Asleep,
    Kind::Price,
    Kind::Near(LimitKind::Tokens),
    Kind::Retry,
    Kind::NotRead,
    // One banner about the disk is enough.
    Kind::NoRoom,
];

fn kinds(model: &Model) -> Vec<Kind> {
    banners(model).iter().map(|banner| banner.kind).collect()
}

#[test]
fn each_banner_comes_with_its_cause_and_shows_a_key_only_where_there_is_a_choice() {
    for lang in Lang::ALL {
        for kind in KINDS {
            let mut model = model(lang);
            assert_eq!(kinds(&model), []);
            cause(&mut model, kind);
            assert_eq!(kinds(&model), [kind]);
            let banner = &banners(&model)[0];
            assert_eq!(banner.help.is_empty(), choices(kind).is_empty(), "{kind:?}");
            let mut dialog = BannerDialog::new(&model, None);
            let shown = rows(dialog.as_mut(), &model).join("\n");
            assert!(shown.contains(&banner.head), "{shown}");
            let step = dialog.act(hit(Action::Open), &mut model);
            assert_eq!(matches!(step, Step::Say(_)), choices(kind).is_empty(), "{kind:?} {step:?}");
            model.size = (120, 40);
            let line = sample::draw(&model).into_iter().find(|row| row.contains(&banner.head)).unwrap();
            assert_eq!(line.contains(&format!(" 0 {}", banner.help)), !banner.help.is_empty(), "{line}");
        }
    }
}

#[test]
fn they_stand_in_their_order_and_the_dialog_has_all_of_them() {
    let mut model = model(Lang::En);
    for kind in KINDS.into_iter().rev().filter(|kind| *kind != Kind::NotRead) {
        cause(&mut model, kind);
    }
    assert_eq!(kinds(&model), KINDS[..10]);
    let all: usize = KINDS.into_iter().map(|kind| choices(kind).len()).sum();
    let mut dialog = BannerDialog::new(&model, None);
    let marked = |dialog: &mut Box<dyn Dialog>, model: &Model| {
        let shown = rows(dialog.as_mut(), model);
        let marked: Vec<_> = shown.iter().filter(|row| row.contains('▌')).cloned().collect();
        assert_eq!(marked.len(), 1, "{shown:#?}");
        marked[0].clone()
    };
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..all {
        seen.insert(marked(&mut dialog, &model));
        dialog.act(hit(Action::LineDown), &mut model);
    }
    assert_eq!(seen.len(), all, "{seen:#?}");
    dialog.act(hit(Action::LineUp), &mut model);
    let mut second = BannerDialog::new(&model, Some(Kind::Near(LimitKind::Tokens)));
    assert!(marked(&mut second, &model).contains("Raise the limit: tokens"), "the one that was clicked");
    change_state(&mut model, |state| state.ledger.totals.charged = 1_000);
    assert!(matches!(second.act(hit(Action::Open), &mut model), Step::Say(_)), "it has gone with its cause");
}

#[test]
fn the_key_leads_from_banner_to_banner_and_each_shows_how_often() {
    for (lang, cancel, all) in
        [(Lang::En, "0 twice: cancel", "0 all of them"), (Lang::Zh, "按两次 0：取消", "0 查看全部")]
    {
        let mut model = model(lang);
        model.size = (120, 40);
        cause(&mut model, Kind::PromptCut);
        cause(&mut model, Kind::Retry);
        let line = |model: &Model, text: &str| {
            let rows = sample::draw(model);
            rows.iter().find(|row| row.contains(text)).cloned().unwrap_or_else(|| panic!("{rows:#?}"))
        };
        assert!(line(&model, " 2/2 ").contains(&format!("  {cancel}")), "{}", line(&model, " 2/2 "));
        let mut dialog = BannerDialog::new(&model, None);
        let marked = |dialog: &mut Box<dyn Dialog>, model: &Model| {
            let shown = rows(dialog.as_mut(), model);
            shown.iter().position(|row| row.contains('▌')).unwrap_or_else(|| panic!("{shown:#?}"))
        };
        let first = marked(&mut dialog, &model);
        dialog.act(hit(Action::BannerOpen), &mut model);
        assert!(marked(&mut dialog, &model) > first);
        let step = dialog.act(hit(Action::Open), &mut model);
        assert_eq!(posted(step), Control::Pause { now: true });
        dialog.act(hit(Action::BannerOpen), &mut model);
        assert_eq!(marked(&mut dialog, &model), first, "after the last one comes the first");
        // One about which nothing can be done takes no press; of those that are not shown the key is seen.
        cause(&mut model, Kind::NoRoom);
        let cut = line(&model, "8,192");
        assert!(cut.contains("  0 ") && !cut.contains("twice") && !cut.contains("两次"), "{cut}");
        assert!(line(&model, all).contains("+1") || lang == Lang::Zh, "{}", line(&model, all));
    }
}

#[test]
fn what_a_banner_is_and_its_key_are_whole_at_every_width_and_its_words_in_a_form_that_fits() {
    let more = [Kind::FileDamaged, Kind::Alone, Kind::AtLimit(LimitKind::Tokens)];
    for (lang, kind) in
        Lang::ALL.into_iter().flat_map(|lang| KINDS.into_iter().chain(more).map(move |k| (lang, k)))
    {
        for size in [(120, 40), (80, 24), (60, 16), (40, 10)] {
            let mut model = model(lang);
            (model.size, model.look.lang) = (size, lang);
            cause(&mut model, kind);
            if kind == (Kind::AtLimit(LimitKind::Tokens)) {
                change_state(&mut model, |state| state.ledger.totals.charged = 300_000);
            }
            if kind == Kind::Alone {
                model.working.clear();
            }
            let mut shot = model.shot.as_deref().cloned().unwrap();
            shot.waiting.clear();
            model.shot = Some(Arc::new(shot));
            let all = banners(&model);
            let banner = all.iter().find(|banner| banner.kind == kind);
            let banner = banner.unwrap_or_else(|| panic!("{kind:?}: {:?}", kinds(&model)));
            let rows = sample::draw(&model);
            let row = rows.iter().find(|row| row.contains(&format!("{} {}", banner.sign, banner.head)));
            let row = row.unwrap_or_else(|| panic!("{kind:?} at {size:?}: {rows:#?}"));
            assert!(banner.help.is_empty() || row.contains(&format!("0 {}", banner.help)), "{row}");
            let whole =
                std::iter::once(&banner.text).chain(&banner.short).any(|text| row.contains(text.as_str()));
            assert!(
                kind != Kind::NotRead || lang == Lang::Zh || size.0 < 80 || banner.text.starts_with("Gone; "),
                "{row}"
            );
            let narrow = size.0 == 40 || size.0 == 60 && kind == Kind::Retry;
            assert!(whole || narrow && row.contains('…'), "{kind:?} at {size:?}: {row}");
        }
    }
}

fn opened(kind: Kind) -> (Model, Step) {
    let mut model = model(Lang::En);
    cause(&mut model, kind);
    let step = BannerDialog::new(&model, None).act(hit(Action::Open), &mut model);
    (model, step)
}

fn swapped(step: Step) -> Box<dyn Dialog> {
    match step {
        Step::Swap(dialog) => dialog,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_full_disk_is_tried_again_and_a_retry_is_ended_by_a_pause() {
    let (model, step) = opened(Kind::DiskFull);
    let Step::Close(commands) = step else { panic!("{step:?}") };
    assert_eq!(commands, [Cmd::Retry(model.run.clone().unwrap())]);
    let line = &banners(&model)[0];
    assert_eq!(line.text, "Step 14 is not saved; no effects run. Free some room on its disk");
    assert_eq!(line.help, "retry (in 8 s)");
    let (model, step) = opened(Kind::Retry);
    assert_eq!(posted(step), Control::Pause { now: true });
    let line = &banners(&model)[0];
    assert_eq!(
        (line.head.as_str(), line.help.as_str(), line.when.as_str()),
        ("RETRY 2/2", "cancel", "again in 0:37")
    );
    let shown = rows(BannerDialog::new(&model, None).as_mut(), &model).join("\n");
    assert!(shown.contains("Stop waiting: pause the run (attempt 2 of 2 is not made)"), "{shown}");
}

#[test]
fn a_cut_prompt_sets_the_window_to_what_the_server_reads() {
    let (mut model, step) = opened(Kind::PromptCut);
    let mut dialog = swapped(step);
    let shown = rows(dialog.as_mut(), &model);
    assert!(
        shown[0].starts_with("window") && shown[0].contains("8192") && shown[0].ends_with("now 32,768"),
        "{shown:#?}"
    );
    let Control::SetModel { model: set } = posted(dialog.act(hit(Action::TextSave), &mut model)) else {
        panic!()
    };
    let mut expected = model.view().unwrap().state.settings().unwrap().model.clone();
    (expected.window, expected.reserve) = (8_192, 2_048);
    assert_eq!(*set, expected);
    change_state(&mut model, |state| Arc::make_mut(state.ledger.settings.as_mut().unwrap()).model = *set);
    assert_eq!(kinds(&model), [], "it goes with its cause");
    (0..4).for_each(|_| drop(dialog.key(&KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE), &mut model)));
    write(dialog.as_mut(), &mut model, "900");
    assert!(matches!(dialog.act(hit(Action::TextSave), &mut model), Step::Stay));
    assert!(rows(dialog.as_mut(), &model).join("\n").contains("at least 1,024"));
}

#[test]
fn an_unknown_price_is_set() {
    let (mut model, step) = opened(Kind::Price);
    let mut dialog = swapped(step);
    rows(dialog.as_mut(), &model);
    assert!(matches!(dialog.act(hit(Action::TextSave), &mut model), Step::Stay), "nothing is entered");
    write(dialog.as_mut(), &mut model, "0.28");
    (0..2).for_each(|_| drop(dialog.act(hit(Action::FieldNext), &mut model)));
    write(dialog.as_mut(), &mut model, "$1");
    let Control::SetModel { model: set } = posted(dialog.act(hit(Action::TextSave), &mut model)) else {
        panic!()
    };
    assert_eq!(set.price, Some(Price { prompt: 280_000, cached: 280_000, completion: 1_000_000 }));
}

#[test]
fn a_near_limit_opens_the_limits_at_its_row() {
    let (mut model, step) = opened(Kind::Near(LimitKind::Tokens));
    let mut dialog = swapped(step);
    rows(dialog.as_mut(), &model);
    (0..6).for_each(|_| drop(dialog.key(&KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE), &mut model)));
    write(dialog.as_mut(), &mut model, "400k");
    let Control::SetLimits { patch } = posted(dialog.act(hit(Action::TextSave), &mut model)) else {
        panic!()
    };
    assert_eq!((patch.tokens, patch.steps), (Some(400_000), None));
}

#[test]
fn the_last_step_is_near_and_a_limit_that_ended_the_run_is_raised_from_its_banner() {
    let steps = |used: u32, most: u32| {
        let mut model = model(Lang::En);
        change_state(&mut model, |state| {
            state.ledger.totals.steps = used;
            Arc::make_mut(state.ledger.settings.as_mut().unwrap()).limits.steps = most;
        });
        model
    };
    assert_eq!(kinds(&steps(2, 4)), []);
    assert_eq!(kinds(&steps(3, 4)), [Kind::Near(LimitKind::Steps)]);
    assert_eq!(kinds(&steps(0, 1)), [], "one that has done nothing yet is near to nothing");
    for (lang, calls, text, why) in [
        (Lang::En, 0, "LIMIT  steps 4/4 reached; ended with a report", "The agent wrote its final report."),
        (Lang::En, 2, "LIMIT  steps 4/4 reached; no final report of the agent", "The limit left no room"),
        (Lang::Zh, 0, "限额  步数 4/4 已到上限；已写报告并结束", "智能体已写总结报告"),
        (Lang::Zh, 2, "限额  步数 4/4 已到上限；没有智能体的总结报告", "限额已不够"),
    ] {
        let mut model = steps(4, 4);
        model.look.lang = lang;
        model.look.words = crate::ui::words::Words::of(lang);
        cause(&mut model, Kind::AtLimit(LimitKind::Steps));
        // The last word: a report asks for no call.
        change_state(&mut model, |state| {
            let (seq, speaker) = (state.head.seq, crate::run::message::Speaker::Agent { calls });
            state.path.messages.push(crate::run::message::MessageRef { seq, speaker, tokens: 20 });
        });
        assert_eq!(kinds(&model), [Kind::AtLimit(LimitKind::Steps)]);
        model.size = (120, 40);
        let drawn = sample::draw(&model).join("\n");
        assert!(drawn.contains(text), "{drawn}");
        let mut dialog = BannerDialog::new(&model, None);
        let seen = rows(dialog.as_mut(), &model).join(" ");
        assert!(seen.contains(why), "{seen}");
        let form = swapped(dialog.act(hit(Action::Open), &mut model));
        assert_eq!(form.title(&model).0, model.words().limits.title, "the limits open");
    }
    // One that ended otherwise has none.
    let mut model = steps(4, 4);
    change_state(&mut model, |state| {
        let (outcome, seq) = (crate::run::Outcome::Completed, state.head.seq);
        state.ledger.ended = Some(crate::run::state::Ended { outcome, seq, at: 0 });
    });
    assert_eq!(kinds(&model), []);
}

#[test]
fn a_sleeping_owner_is_ended_only_by_its_number() {
    let (mut model, step) = opened(Kind::Asleep);
    let line = &banners(&model)[0];
    assert_eq!(line.text, "Worker 4121 has this run and was last alive 9:20 ago");
    let mut dialog = swapped(step);
    assert_eq!(dialog.title(&model).0, "End worker 4121?");
    rows(dialog.as_mut(), &model);
    let run = model.run.clone().unwrap();
    write(dialog.as_mut(), &mut model, run.as_str());
    assert!(
        matches!(dialog.act(hit(Action::TextSubmit), &mut model), Step::Say(_)),
        "the run's name is not it"
    );
    let (mut model, step) = opened(Kind::Asleep);
    let mut dialog = swapped(step);
    write(dialog.as_mut(), &mut model, "4121");
    let worker = model.view().unwrap().state.ledger.owner.as_ref().unwrap().worker.clone();
    let Step::Close(commands) = dialog.act(hit(Action::TextSubmit), &mut model) else { panic!() };
    let ticket = model.sent[0].ticket;
    assert_eq!(commands, [Cmd::TakeOver(ticket, run, worker)]);
    // Signs of an owner of before say nothing of the one there is now.
    change_state(&mut model, |state| {
        state.ledger.owner.as_mut().unwrap().worker = WorkerId::new("w-9-another");
    });
    assert_eq!(kinds(&model), []);
}

#[test]
fn damage_is_looked_at_with_what_can_be_done() {
    for (lang, words) in [(Lang::En, "First damaged event: 90 (checksum)"), (Lang::Zh, "首条损坏的日志：90")]
    {
        let mut model = model(lang);
        cause(&mut model, Kind::Damaged);
        let mut dialog = swapped(BannerDialog::new(&model, None).act(hit(Action::Open), &mut model));
        dialog.open(&mut model);
        let shown = rows(dialog.as_mut(), &model).join("\n");
        let command = format!("wakeful doctor --accept-damage {}", model.run.clone().unwrap());
        assert!(shown.contains(words) && shown.contains(&command), "{shown}");
    }
}

#[test]
fn the_small_forms_show_all_they_say() {
    for lang in Lang::ALL {
        let mut model = model(lang);
        cause(&mut model, Kind::PromptCut);
        let words = model.words().choices;
        let forms = [
            (settle::SettleDialog::window(&model), words.window_note),
            (settle::SettleDialog::price(&model), words.price_note),
        ];
        for (form, note) in forms {
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            let shown = rows(form.unwrap().as_mut(), &model).join("");
            assert!(letters(&shown).contains(&letters(note)), "{shown}");
        }
    }
}

#[test]
fn a_damaged_file_is_said_for_good_with_what_to_do_whole_on_a_small_screen() {
    use crate::ui::app::tests::Bench;
    use crate::ui::frame::Program as _;
    for (lang, says) in [
        (Lang::En, "✗ FILE DAMAGED  Leave with q, then run `wakeful doctor`"),
        (Lang::Zh, "✗ 文件损坏  请按 q 离开，再运行 `wakeful doctor`"),
    ] {
        let mut bench = Bench::new(lang, (80, 24));
        assert!(!bench.shows(says));
        bench.app.update(Msg::FileDamaged("database disk image is malformed".to_owned()));
        // It stays, whatever is read after it, on the screen of a run and on the first one.
        bench.shot();
        bench.pass(Duration::from_secs(60));
        assert!(bench.shows(says) && bench.shows("0 "), "{:#?}", bench.frame());
        bench.press("0 Enter");
        let doctor = format!("wakeful --db {} doctor", bench.app.model.found.db.display());
        assert!(bench.shows(&doctor) && bench.shows("malformed"), "{:#?}", bench.frame());
        bench.press("Esc");
        bench.app.show(None);
        assert!(bench.shows(says), "{:#?}", bench.frame());
        bench.press("0 Enter");
        assert!(bench.shows(&doctor), "{:#?}", bench.frame());
    }
}

#[test]
fn why_nothing_is_read_is_whole_where_its_line_is_too_short() {
    use crate::ui::frame::Program as _;
    let why = "cannot open the database /home/ann/.local/share/wakeful/wakeful.db: input/output error. Check that its \
               folder exists and can be written, or name another file with --db";
    for (lang, says) in [
        (Lang::En, "✗ NOT READ  Shown as it was 0:00 ago; 0 tells why and what to do"),
        (Lang::Zh, "✗ 读不到  显示的是 0:00 前的状态；按 0 查看原因和办法"),
    ] {
        let mut bench = crate::ui::app::tests::Bench::new(lang, (80, 24));
        bench.app.update(Msg::Stale(why.to_owned()));
        assert!(bench.shows(says), "{:#?}", bench.frame());
        bench.press("0");
        let shown = bench.frame().concat().replace([' ', '┃', '│'], "");
        assert!(shown.contains("input/outputerror") && shown.contains("--db"), "{shown}");
    }
}

#[test]
fn a_command_that_outlives_its_worker_is_said_to_run_on_and_what_will_come_of_it() {
    for (lang, head, banner, foot, key) in [
        (
            Lang::En,
            "■ interrupted · a command runs on",
            "! WORKER GONE  Its command runs on, its result is kept; p goes on with the run",
            "worker: gone, its command runs on",
            "p go on",
        ),
        (
            Lang::Zh,
            "■ 已中断 · 仍有命令在运行",
            "! 执行者不在了  它的命令仍在运行，结果会保留；按 p 继续任务",
            "执行者：已不在，命令仍在运行",
            "p 继续",
        ),
    ] {
        for size in [(80, 24), (120, 40), (200, 60)] {
            let mut model = sample::model(lang, size);
            model.working.clear();
            cause(&mut model, Kind::Alone);
            let shown = sample::draw(&model).join("\n");
            for text in [head, banner, foot, key] {
                assert!(size.0 == 80 && text == key || shown.contains(text), "no {text} in {shown}");
            }
            // It has ended: nothing runs on any more.
            model.beside.signs.as_mut().unwrap().alone.clear();
            let shown = sample::draw(&model).join("\n");
            assert!(!shown.contains(banner) && !shown.contains(foot), "{shown}");
        }
    }
}
