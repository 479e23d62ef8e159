//! Key sequences over the list of files.

use super::{Files, rank, written};
use crate::ui::app::msg::{Cmd, Msg, Ticket};
use crate::ui::app::sample;
use crate::ui::app::tests::Bench;
use crate::ui::frame::Program as _;
use crate::ui::input::Input;
use crate::ui::words::Lang;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;
use std::sync::Arc;

const ALL: &[&str] = &[
    "README.md",
    "docs/a file.md",
    "src/export/writer.rs",
    "src/main.rs",
    "报告/季度.md",
    "src/\u{202e}x.rs",
];

/// Types a text; the command that asks for files, if one came.
fn write(bench: &mut Bench, text: &str) -> Option<(Ticket, PathBuf)> {
    let mut asked = None;
    for c in text.chars() {
        let key = KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
        for command in bench.app.input(Input::Key(key)) {
            if let Cmd::Files(ticket, folder) = command {
                assert!(asked.is_none(), "it is asked once");
                asked = Some((ticket, folder));
            }
        }
    }
    bench.frame();
    asked
}

fn give(bench: &mut Bench, (ticket, folder): (Ticket, PathBuf)) {
    let paths = Arc::new(ALL.iter().map(|path| (*path).to_owned()).collect());
    bench.app.update(Msg::Files(ticket, Files { folder, paths, more: false }));
    bench.frame();
}

#[test]
fn a_file_is_looked_for_chosen_and_written_into_a_message() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("i");
    assert_eq!(write(&mut bench, "Look at @"), None, "letters are looked for");
    let asked = write(&mut bench, "R").expect("the files are asked for");
    assert_eq!(asked.1, PathBuf::from("/home/ann/src/ledger"));
    give(&mut bench, asked);
    assert!(bench.shows("README.md") && bench.shows("Tab take"), "{:#?}", bench.frame());
    let frame = bench.frame();
    let top = frame.iter().position(|row| row.contains("┏━ Files ━")).unwrap_or_else(|| panic!("{frame:#?}"));
    assert!(frame[top].contains(" 1/") && frame[top].contains('┓'), "{frame:#?}");
    assert!(frame[top + 1].contains("┃▌README.md"), "{frame:#?}");
    assert!(frame[top + 2..].iter().any(|row| row.contains('┗')), "{frame:#?}");
    write(&mut bench, "s");
    assert!(bench.shows("src/main.rs") && !bench.shows("README.md"), "{:#?}", bench.frame());
    assert!(bench.shows("src/\\u{202e}x.rs"), "what hides is seen");
    // Enter takes; it does not send.
    assert!(bench.press("Down Up Down Enter").is_empty());
    let text = bench.app.model.message.editor.text();
    assert!(text.starts_with("Look at @src/") && text.ends_with(".rs "), "{text}");
    assert!(bench.app.model.complete.open().is_none() && bench.app.model.message.open);
    bench.press("Ctrl-/");
    assert_eq!(bench.app.model.message.editor.text(), "Look at @Rs", "one undo takes it back");
}

#[test]
fn esc_closes_the_list_alone_and_a_new_word_opens_it_again() {
    let mut bench = Bench::new(Lang::Zh, (80, 24));
    bench.press("i");
    let asked = write(&mut bench, "看看@季").expect("asked");
    give(&mut bench, asked);
    assert!(bench.shows("报告/季度.md"));
    bench.press("Esc");
    assert!(!bench.shows("报告/季度.md") && bench.app.model.message.open);
    write(&mut bench, "度");
    assert!(bench.app.model.complete.open().is_none(), "it stays closed at this word");
    write(&mut bench, " @file");
    assert!(bench.shows("docs/a file.md"));
    bench.press("Tab");
    assert_eq!(bench.app.model.message.editor.text(), "看看@季度 @\"docs/a file.md\" ");
    write(&mut bench, "ann@main");
    assert!(bench.app.model.complete.open().is_none(), "an address of mail");
    bench.press("Esc");
    assert!(!bench.app.model.message.open);
}

#[test]
fn forms_name_files_of_the_folder_they_are_about() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("g");
    let asked = write(&mut bench, " see @main").expect("asked");
    assert_eq!(asked.1, PathBuf::from("/home/ann/src/ledger"));
    give(&mut bench, asked);
    assert!(bench.shows("src/main.rs"));
    bench.press("Tab");
    assert!(bench.shows("see @src/main.rs"), "Tab takes the file and stays in the field");
    bench.press("Esc n");
    let looks = bench.press("x");
    assert!(looks.is_empty());
    let mut bench = Bench::of(sample::empty(Lang::En, (100, 30)));
    let opened = bench.press("n");
    let [Cmd::Place(ticket, path, _)] = opened.as_slice() else { panic!("{opened:?}") };
    let here =
        crate::ui::app::msg::Place { path: path.clone(), git: None, problem: None, missing: Vec::new() };
    bench.app.update(Msg::Place(*ticket, here));
    let asked = write(&mut bench, "Read @w").expect("asked");
    assert_eq!(asked.1, *path);
    give(&mut bench, asked);
    bench.press("Enter");
    assert!(bench.shows("Read @src/export/writer.rs"));
}

#[test]
fn names_that_begin_so_come_first_and_no_size_breaks_the_list() {
    assert_eq!(rank("src/main.rs", "main"), Some(0));
    assert_eq!(rank("src/domain.rs", "main"), Some(1));
    assert_eq!(rank("main2/x.rs", "n2/x"), Some(2));
    assert_eq!(rank("src/export/writer.rs", "sewr"), Some(3));
    assert_eq!(rank("src/main.rs", "q"), None);
    assert_eq!(written("a b"), "@\"a b\" ");
    for size in [(40, 10), (60, 16), (80, 24), (120, 40)] {
        let mut bench = Bench::new(Lang::En, size);
        bench.press("i");
        let asked = write(&mut bench, "@s").expect("asked");
        give(&mut bench, asked);
        bench.frame();
        bench.press("Down");
        assert!(bench.app.model.complete.open().is_some());
    }
}
