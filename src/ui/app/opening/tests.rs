//! What the screen says and lets be done before the database is there.

use crate::ui::app::msg::{Clock, Msg};
use crate::ui::app::sample;
use crate::ui::app::tests::Bench;
use crate::ui::frame::Program as _;
use crate::ui::words::Lang;
use std::collections::BTreeMap;
use std::time::Duration;

/// Nothing is known yet; another process holds the database for four seconds.
fn held(lang: Lang, size: (u16, u16)) -> Bench {
    let mut bench = Bench::of(sample::opening(lang, size));
    let now = bench.app.model.clock;
    let since = Clock { wall: now.wall - 4_000, mono: now.mono - Duration::from_secs(4) };
    bench.app.update(Msg::Held(since));
    bench
}

#[test]
fn who_keeps_the_runs_away_is_said_at_every_size() {
    for (lang, said, next, small) in [
        (
            Lang::En,
            "! Another process holds the database, since ",
            "goes on by itself",
            "! another process holds",
        ),
        (Lang::Zh, "! 数据库被另一进程占用，始于 ", "自动继续", "! 数据库被另一进程占用"),
    ] {
        for size in [(200, 60), (120, 40), (80, 24), (60, 16), (40, 10)] {
            let rows = held(lang, size).frame();
            let text: String = rows.iter().map(|row| row.trim()).collect::<Vec<_>>().join(" ");
            let begin: String = said.chars().take(30).collect();
            assert!(text.contains(begin.trim_end()), "{size:?}: {rows:#?}");
            assert!(text.contains("0:04") && text.contains(next), "{size:?}: {rows:#?}");
            assert!(rows.last().is_some_and(|row| row.contains('?') && row.contains('q')), "{rows:#?}");
        }
        let rows = held(lang, (39, 9)).frame();
        assert!(rows.iter().any(|row| row.contains(small)), "{rows:#?}");
        for size in [(1, 1), (2, 3), (10, 2), (500, 3), (3, 200)] {
            held(lang, size).frame();
        }
    }
}

#[test]
fn nothing_is_begun_before_the_database_is_there_and_it_can_be_left() {
    let mut bench = held(Lang::En, (120, 40));
    for keys in ["Enter", "n", "0", "!", "a", "i", "P", "Esc Esc", "g", "]"] {
        assert_eq!(bench.press(keys), []);
        assert!(bench.app.model.layers.is_empty() && bench.app.model.run.is_none(), "{keys}");
    }
    for keys in ["Enter", "n", "Esc Esc"] {
        bench.press("z");
        bench.press(keys);
        let frame = bench.frame().join("\n");
        assert!(frame.contains("Not yet: another process holds the database."), "{keys}: {frame}");
    }
    bench.press("?");
    assert_eq!(bench.app.model.layers.len(), 1);
    bench.press("Esc");
    let commands = bench.app.update(Msg::Opened(BTreeMap::new(), None));
    assert_eq!(commands, []);
    let frame = bench.frame().join("\n");
    assert!(!frame.contains("Not yet") && !frame.contains("Another process"), "{frame}");
    bench.press("n");
    assert_eq!(bench.app.model.layers.len(), 1, "now the form opens");
    let mut bench = held(Lang::En, (120, 40));
    bench.press("q");
    assert!(bench.app.done().is_some());
    let mut bench = held(Lang::En, (120, 40));
    bench.press("Ctrl-c");
    assert!(bench.app.done().is_some());
    let mut bench = held(Lang::En, (120, 40));
    bench.app.update(Msg::NotOpened);
    assert!(bench.app.done().is_some());
}

#[test]
fn what_was_written_and_the_first_run_are_there_once_it_opens() {
    let mut bench = held(Lang::En, (120, 40));
    let run = crate::run::RunId::new("r-1");
    let commands = bench.app.update(Msg::Opened(BTreeMap::new(), Some(run.clone())));
    assert_eq!(commands, [crate::ui::app::msg::Cmd::Show(Some(run.clone()))]);
    assert_eq!(bench.app.model.run, Some(run));
}
