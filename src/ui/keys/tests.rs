//! Tests of the keys.

use super::live::{self, SETS, is_typing};
use super::*;
use crate::ui::words::Lang;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyEventState, KeyModifiers};
use std::collections::{BTreeMap, BTreeSet};

fn key(text: &str) -> KeyPress {
    text.parse().unwrap()
}

fn event(code: KeyCode, held: KeyModifiers) -> Option<KeyPress> {
    KeyPress::from_event(&KeyEvent::new(code, held))
}

fn overridden(pairs: &[(&str, &[&str])]) -> Result<Keymap, BadKeymap> {
    let owned = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
    let map: BTreeMap<String, Vec<String>> =
        pairs.iter().map(|(name, keys)| ((*name).to_owned(), owned(keys))).collect();
    Keymap::with_overrides(&map)
}

#[test]
fn no_key_stands_twice_in_a_set_that_is_live_at_once() {
    assert_eq!(Keymap::built_in().check(), Ok(()));
    let reached: BTreeSet<Ctx> = SETS.iter().flat_map(|(_, live)| live.iter().copied()).collect();
    let used: BTreeSet<Ctx> = TABLE.iter().map(|row| row.ctx).collect();
    assert_eq!(reached, used, "a context that is never live, or has no keys");
    assert!(SETS.iter().all(|(_, live)| live.contains(&Ctx::Sys)), "the way out works everywhere");
}

#[test]
fn every_key_of_the_table_is_read_and_written_back() {
    let map = Keymap::built_in();
    for (row, bound) in TABLE.iter().zip(map.all()) {
        let names: Vec<&str> = row.keys.split(' ').collect();
        assert_eq!(names.len(), bound.keys.len(), "{row:?}");
        for pressed in &bound.keys {
            assert_eq!(pressed.to_string().parse(), Ok(*pressed), "{pressed}");
            assert_eq!(pressed.label().parse(), Ok(*pressed), "{pressed}");
            assert!(!is_typing(row.ctx) || pressed.typed().is_none(), "{pressed} could not be typed");
        }
    }
}

#[test]
fn every_action_has_a_key_and_words_in_both_languages() {
    let bound: BTreeSet<Action> = TABLE.iter().map(|row| row.action).collect();
    assert_eq!(bound.len(), Action::ALL.len(), "an action without a row");
    let names: BTreeSet<&str> = Action::ALL.iter().map(|action| action.name()).collect();
    assert_eq!(names.len(), Action::ALL.len(), "two actions of one name");
    let han = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    for row in TABLE {
        for [en, zh] in [row.words, row.brief] {
            assert!(!en.is_empty() && !han(en), "{row:?}");
            assert!(han(zh), "{row:?}");
        }
        assert_eq!(Action::named(row.action.name()), Some(row.action));
    }
}

#[test]
fn free_keys_stay_free() {
    // Flow control, multiplexers, what terminals send for other keys, browsers' own keys, input methods.
    let free = "Ctrl-S Ctrl-Q Ctrl-B Ctrl-A Ctrl-\\ Ctrl-W Ctrl-T Ctrl-N Ctrl-Space";
    let taken: BTreeSet<KeyPress> = Keymap::built_in().all().iter().flat_map(|b| b.keys.clone()).collect();
    for name in free.split(' ') {
        assert!(!taken.contains(&key(name)), "{name}");
    }
}

#[test]
fn one_key_has_one_form_whatever_the_terminal_says() {
    let (none, shift, ctrl) = (KeyModifiers::NONE, KeyModifiers::SHIFT, KeyModifiers::CONTROL);
    let alt = KeyModifiers::ALT;
    assert_eq!(event(KeyCode::Char('P'), none), Some(key("P")));
    assert_eq!(event(KeyCode::Char('P'), shift), Some(key("P")));
    assert_eq!(event(KeyCode::Char('p'), shift), Some(key("P")), "reported with the unshifted letter");
    assert_ne!(key("p"), key("P"));
    assert_eq!(event(KeyCode::Char('!'), shift), Some(key("!")));
    assert_eq!(event(KeyCode::Char('D'), ctrl | shift), Some(key("Ctrl-d")));
    assert_eq!(event(KeyCode::Char('7'), ctrl), Some(key("Ctrl-/")));
    assert_eq!(event(KeyCode::Char('_'), ctrl), Some(key("Ctrl-/")));
    assert_eq!(event(KeyCode::BackTab, none), Some(key("S-Tab")));
    assert_eq!(event(KeyCode::Tab, shift), Some(key("Shift-Tab")));
    assert_eq!(event(KeyCode::Char('i'), ctrl), Some(key("Tab")));
    assert_eq!(event(KeyCode::Char('m'), ctrl), Some(key("Enter")));
    assert_eq!(event(KeyCode::Char('h'), ctrl), Some(key("Backspace")));
    assert_eq!(event(KeyCode::Enter, alt), Some(key("Alt-Enter")));
    assert_eq!(event(KeyCode::Char('j'), ctrl), Some(key("Ctrl-J")));
    let pad = KeyEvent { state: KeyEventState::KEYPAD, ..KeyEvent::new(KeyCode::Char('4'), none) };
    assert_eq!(KeyPress::from_event(&pad), Some(key("4")));
}

#[test]
fn what_is_no_press_of_a_key_is_nothing() {
    let of = |kind| KeyEvent { kind, ..KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE) };
    assert_eq!(KeyPress::from_event(&of(KeyEventKind::Release)), None);
    assert_eq!(KeyPress::from_event(&of(KeyEventKind::Repeat)), Some(key("y")));
    assert_eq!(event(KeyCode::CapsLock, KeyModifiers::NONE), None);
    assert_eq!(event(KeyCode::Char('q'), KeyModifiers::SUPER), None, "the desktop's");
}

#[test]
fn names_are_read_in_their_usual_forms_and_written_in_one() {
    for (read, written) in [
        ("ctrl+d", "Ctrl-D"),
        ("C-d", "Ctrl-D"),
        ("control-shift-D", "Ctrl-D"),
        ("M-Return", "Alt-Enter"),
        ("pagedown", "PgDn"),
        ("shift-p", "P"),
        ("space", "Space"),
        ("↑", "Up"),
        ("f12", "F12"),
        ("-", "-"),
        ("Ctrl--", "Ctrl--"),
        ("BackTab", "Shift-Tab"),
        ("ctrl-left", "Ctrl-Left"),
        ("é", "é"),
    ] {
        assert_eq!(key(read).to_string(), written, "{read}");
        assert_eq!(key(written), key(read), "{read}");
    }
    assert_eq!(key("Up").label(), "↑");
    for bad in ["", "Ctrl-", "Ctrlx-D", "F0", "F99", "ab", "Hyper-x", "\t"] {
        assert!(bad.parse::<KeyPress>().is_err(), "{bad:?}");
    }
}

#[test]
fn a_key_means_what_is_live() {
    let map = Keymap::built_in();
    assert_eq!(map.lookup(live::RUN_QUEUE, key("d")), Some(Action::Deny));
    assert_eq!(map.lookup(live::RUN_QUEUE, key("o")), Some(Action::QueueScope));
    assert_eq!(map.lookup(live::RUN_LOOP, key("o")), Some(Action::FoldAll));
    assert_eq!(map.lookup(live::RUN, key("o")), None);
    assert_eq!(map.lookup(live::RUN, key("y")), Some(Action::Copy), "y only copies on the run's screen");
    assert_eq!(map.lookup(live::ASK, key("y")), Some(Action::ApproveOnce));
    assert_eq!(map.lookup(live::ASK, key("q")), None, "a dialog takes no keys of the screen");
    assert_eq!(map.lookup(live::TEXT_RECALL, key("q")), None, "it is typed");
    assert_eq!(map.lookup(live::PICK, key("Up")), Some(Action::PickMove));
    assert_eq!(map.find(live::RUN, key("3")), Some(Hit { action: Action::PanelFocus, nth: 2 }));
    assert_eq!(map.find(live::PICK, key("Down")).unwrap().nth, 1);
}

#[test]
fn what_is_not_built_has_no_key_and_is_not_shown() {
    let map = Keymap::built_in();
    for name in ["/", "b", "m", "s", ",", "v", "F"] {
        assert_eq!(map.lookup(live::RUN_LOOP, key(name)), None, "{name}");
    }
    assert_eq!(map.lookup(live::START, key("c")), None);
    assert_eq!(map.lookup(live::ASK, key("A")), None);
    for live in [live::BROWSE, live::REPLAY, live::MEM, live::STATS] {
        assert!(map.help(live, Lang::En, |_| true).here.is_empty());
    }
    let commands = map.commands(live::RUN, Lang::En, |_| true);
    assert!(commands.iter().all(|c| c.action != Action::MemoryOpen && c.action != Action::ForkRun));
}

#[test]
fn a_configuration_changes_keys_wherever_the_action_is() {
    let map = overridden(&[("deny", &["F8"]), ("zoom_toggle", &["Z", "Ctrl-Z"]), ("suspend", &[])]).unwrap();
    assert_eq!(map.lookup(live::RUN, key("F8")), Some(Action::Deny));
    assert_eq!(map.lookup(live::ASK, key("F8")), Some(Action::Deny));
    assert_eq!(map.lookup(live::ASK, key("n")), None);
    assert_eq!(map.lookup(live::RUN, key("Ctrl-Z")), Some(Action::ZoomToggle));
    assert_eq!(map.lookup(live::RUN, key("z")), None);
    assert_eq!(map.key_of(live::RUN, Action::ZoomToggle).unwrap(), "Z");
    assert_eq!(map.key_of(live::RUN, Action::Suspend), None);
}

#[test]
fn a_configuration_that_cannot_be_is_refused_with_what_to_do() {
    let refused = |pairs: &[(&str, &[&str])]| overridden(pairs).unwrap_err();
    let unknown = refused(&[("zoom_togle", &["Z"])]);
    assert_eq!(unknown, BadKeymap::UnknownAction { name: "zoom_togle".to_owned(), nearest: "zoom_toggle" });
    let twice = refused(&[("zoom_toggle", &["d"])]).to_string();
    assert!(twice.contains("zoom_toggle") && twice.contains("deny") && twice.contains('d'), "{twice}");
    assert!(matches!(refused(&[("text_save", &["x"])]), BadKeymap::Typed { action: "text_save", .. }));
    assert!(matches!(refused(&[("redraw", &["R"])]), BadKeymap::Typed { .. }), "live where one types");
    assert!(matches!(refused(&[("panel_focus", &["1", "2"])]), BadKeymap::Count { needed: 6, given: 2, .. }));
    assert_eq!(refused(&[("back", &[])]), BadKeymap::NoWayOut("back"));
    assert!(matches!(refused(&[("copy", &["Ctrl-Shft-C"])]), BadKeymap::UnknownKey { .. }));
    assert!(matches!(refused(&[("memory_open", &["a"])]), BadKeymap::Twice { .. }), "also what is to come");
}

#[test]
fn a_footer_shows_the_focus_first_and_the_way_to_help_always() {
    let map = Keymap::built_in();
    let text = |hints: &[Hint]| {
        hints.iter().map(|hint| format!("{} {}", hint.keys, hint.words)).collect::<Vec<_>>().join("  ")
    };
    let footer = map.footer(live::RUN, Lang::En, |action| {
        !matches!(
            action,
            Action::PauseNow | Action::GoalEdit | Action::PlanEdit | Action::LimitsEdit | Action::RunNew
        )
    });
    assert_eq!(
        text(&footer.left),
        "a review  d deny  e edit  p pause  r roll back  i message  1–6 Tab panel  z zoom"
    );
    assert_eq!(text(&footer.right), ": palette  ? help  q quit");
    let footer = map.footer(live::RUN, Lang::Zh, |action| {
        !matches!(
            action,
            Action::PauseNow | Action::GoalEdit | Action::PlanEdit | Action::LimitsEdit | Action::RunNew
        )
    });
    assert_eq!(text(&footer.left), "a 查看  d 拒绝  e 改参数  p 暂停  r 回退  i 留言  1–6 Tab 面板  z 放大");
    let queue = map.footer(live::RUN_QUEUE, Lang::En, |_| true);
    assert_eq!(queue.left.first().unwrap().action, Action::Review);
    let quiet = map.footer(live::RUN, Lang::En, |action| action != Action::Review);
    assert!(quiet.left.iter().all(|hint| hint.action != Action::Review));
}

#[test]
fn help_puts_the_panel_before_its_screen_and_shows_the_keys_in_force() {
    let map = overridden(&[("queue_scope", &["Ins"])]).unwrap();
    let help = map.help(live::RUN_QUEUE, Lang::En, |_| true);
    assert_eq!(
        help.here.first().unwrap(),
        &Hint { keys: "Ins".to_owned(), words: "This run or all runs", action: Action::QueueScope }
    );
    let at = |action| help.here.iter().position(|hint| hint.action == action).unwrap();
    assert!(at(Action::QueueScope) < at(Action::PanelFocus) && at(Action::PanelFocus) < at(Action::Review));
    assert!(help.everywhere.iter().any(|hint| hint.keys == "q"));
    assert!(
        map.help(live::RUN, Lang::En, |_| true).here.iter().all(|hint| hint.action != Action::QueueScope)
    );
}

#[test]
fn the_palette_finds_in_both_languages_and_by_name() {
    let map = Keymap::built_in();
    let commands = map.commands(live::RUN_CHK, Lang::En, |_| true);
    let found = |typed: &str| search(&commands, typed).iter().map(|c| c.action).collect::<Vec<_>>();
    assert_eq!(found("roll").first(), Some(&Action::RollbackPreview));
    assert!(found("roll").contains(&Action::RollbackRedo), "a word in the middle");
    assert_eq!(found("回退").first(), Some(&Action::RollbackPreview), "the other language");
    assert_eq!(found("pause_now").first(), Some(&Action::PauseNow), "the name");
    assert_eq!(found("agent mess"), [Action::Message], "words in any order");
    assert_eq!(found("").len(), commands.len());
    assert!(found("qqqq").is_empty());
    let roll = commands.iter().find(|c| c.action == Action::RollbackPreview).unwrap();
    assert_eq!((roll.words, roll.key.as_str()), ("Roll back to the selected checkpoint", "r"));
    let zh = map.commands(live::RUN, Lang::Zh, |_| true);
    assert_eq!(search(&zh, "取消任务").first().unwrap().action, Action::RunCancel);
    assert_eq!(search(&zh, "cancel").first().unwrap().action, Action::RunCancel);
}

#[test]
fn every_key_of_the_readme_works_on_the_screen_of_a_run() {
    let readme = include_str!("../../../README.md");
    let table = readme.split("| Key | |").nth(1).unwrap().split("\n\n").next().unwrap();
    let map = Keymap::built_in();
    let lives = |press: KeyPress| {
        [live::RUN_LOOP, live::RUN_QUEUE, live::RUN_CHK].iter().any(|live| map.find(live, press).is_some())
    };
    let mut named = BTreeSet::new();
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = row.split(" | ");
        let (keys, words) = (cells.next().unwrap(), cells.next().unwrap());
        assert!(!words.is_empty());
        // `1`–`6` stands for those between, too.
        let spelled: Vec<&str> = keys.split('`').skip(1).step_by(2).collect();
        let between = if keys.contains('–') { vec!["2", "3", "4", "5"] } else { Vec::new() };
        for name in spelled.into_iter().chain(between) {
            assert!(lives(key(name)), "`{name}` of the README does nothing: {row}");
            named.insert(
                map.find(live::RUN_LOOP, key(name))
                    .or(map.find(live::RUN_QUEUE, key(name)))
                    .or(map.find(live::RUN_CHK, key(name)))
                    .unwrap()
                    .action,
            );
        }
    }
    for action in [
        Action::Review,
        Action::Mark,
        Action::PauseToggle,
        Action::RollbackPreview,
        Action::Compare,
        Action::RunNext,
        Action::AttentionNext,
        Action::PanelFocus,
        Action::RequestShow,
        Action::BannerOpen,
        Action::QuitAsk,
    ] {
        assert!(named.contains(&action), "{action:?} is not told");
    }
}
