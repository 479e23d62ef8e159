//! What is told by a colour is told by a sign, a word or a place too: in every theme, without colours, and in a terminal
//! that has none.

use super::desk::{Desk, Place};
use std::collections::BTreeSet;

/// Something done, something that failed, and a dangerous command that waits.
const STATES: &str = "[[steps]]\nsay = \"I look around.\"\ncalls = [\
    { name = \"read_file\", args = { path = \"notes.md\" } }, { name = \"read_file\", args = { path = \"missing.md\" } }]\n\
    [[steps]]\nsay = \"I clean up.\"\ncalls = [{ name = \"shell\", args = { command = \"rm -rf build\" } }]\n\
    [[steps]]\nsay = \"Done.\"\n";

/// A workstation with these calls, its focus on the Queue.
fn opened(args: &[&str], env: &[(&str, &str)]) -> (Place, Desk) {
    let place = Place::new();
    place.script(STATES);
    let desk = place.open_with(120, 40, args, env);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("! NEEDS YOU");
    desk.press("3");
    desk.wait("━ 3 Queue");
    (place, desk)
}

/// The colours that were asked for, as the parameters of `ESC [ … m`.
fn colours(desk: &Desk) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(&desk.bytes()).into_owned();
    let mut found = BTreeSet::new();
    for rest in text.split("\x1b[").skip(1) {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':').unwrap_or(rest.len());
        if !rest[end..].starts_with('m') {
            continue;
        }
        let mut numbers = rest[..end].split([';', ':']).map(|n| n.parse::<u32>().unwrap_or(0));
        while let Some(number) = numbers.next() {
            match number {
                38 | 48 => {
                    found.insert(format!(
                        "{number};{}",
                        numbers.by_ref().map(|n| n.to_string()).collect::<Vec<_>>().join(";")
                    ));
                }
                30..=37 | 40..=47 | 90..=97 | 100..=107 => {
                    found.insert(number.to_string());
                }
                _ => {}
            }
        }
    }
    found
}

/// What asks a terminal to blink: in a style, or its cursor.
fn blinking(desk: &Desk) -> Vec<String> {
    let text = String::from_utf8_lossy(&desk.bytes()).into_owned();
    let mut found = Vec::new();
    for rest in text.split("\x1b[").skip(1) {
        let end = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (numbers, kind) = (&rest[..end], rest[end..].chars().next());
        let mut each = numbers.split([';', ':']);
        let styled = kind == Some('m')
            && std::iter::from_fn(|| {
                let number = each.next()?;
                // A colour by its index or its parts.
                if number == "38" || number == "48" {
                    let parts = if each.next() == Some("5") { 1 } else { 3 };
                    let _ = each.by_ref().nth(parts - 1);
                }
                Some(number)
            })
            .any(|number| number == "5" || number == "6");
        let cursor = kind == Some('h') && numbers == "?12"
            || kind == Some('q') && ["0 ", "1 ", "3 ", "5 "].contains(&numbers);
        if styled || cursor {
            found.push(rest[..rest.len().min(12)].to_owned());
        }
    }
    found
}

/// That every state has its sign or its word, in the list and in the dialog.
fn assert_told(desk: &Desk) {
    // What is selected, what waits, what is done, what failed; the panel with the focus.
    for text in
        ["▌!2.1  shell", "✓1.1  read_file", "✗1.2  read_file", "━ 3 Queue ━", "─ 1 Loop ─", "! NEEDS YOU"]
    {
        desk.wait(text);
    }
    desk.press("a");
    desk.wait("Run this command?");
    for text in ["┏━ Run this command?", "effect, dangerous: it deletes", "type yes"] {
        desk.wait(text);
    }
    desk.press("\x1b");
    desk.wait_gone("Run this command?");
    // A choice.
    desk.press("q");
    desk.wait("▌s  Save and stop");
    desk.press("\x1b");
    desk.wait_gone("Leave wakeful?");
}

#[test]
fn every_theme_tells_the_same_and_each_in_colours_of_its_own() {
    let mut all: Vec<BTreeSet<String>> = Vec::new();
    for theme in ["dark", "light", "high-contrast", "mono"] {
        let (_place, desk) = opened(&["--theme", theme], &[("COLORTERM", "truecolor")]);
        assert_told(&desk);
        let own = colours(&desk);
        assert_eq!(own.is_empty(), theme == "mono", "{theme}: {own:?}");
        assert!(!all.contains(&own), "{theme} looks like another: {own:?}");
        assert_eq!(blinking(&desk), Vec::<String>::new(), "{theme}: nothing blinks");
        all.push(own);
        desk.kill();
    }
}

#[test]
fn without_colours_nothing_is_lost() {
    for (args, env) in [
        (&["--theme", "light"][..], &[("NO_COLOR", "1"), ("COLORTERM", "truecolor")][..]),
        // A terminal that has none.
        (&[], &[("TERM", "vt100")]),
        (&[], &[("TERM", "xterm-mono")]),
    ] {
        let (_place, desk) = opened(args, env);
        assert_told(&desk);
        let own = colours(&desk);
        assert!(own.is_empty(), "{env:?}: {own:?}");
        desk.kill();
    }
    // Empty, it says nothing.
    let (_place, desk) = opened(&[], &[("NO_COLOR", "")]);
    assert!(!colours(&desk).is_empty());
    desk.kill();
}

#[test]
fn a_terminal_of_256_colours_gets_no_others() {
    let (_place, desk) = opened(&[], &[]);
    let own = colours(&desk);
    assert!(own.iter().any(|one| one.contains("8;5;")), "{own:?}");
    assert!(!own.iter().any(|one| one.contains("8;2;")), "{own:?}");
    desk.kill();
}

#[test]
fn the_locale_chooses_the_language() {
    for (variable, value, says) in [
        ("LC_ALL", "zh_CN.UTF-8", "离线模型"),
        ("LANG", "zh_CN.UTF-8", "离线模型"),
        ("LC_ALL", "en_GB.UTF-8", "offline model"),
    ] {
        let place = Place::new();
        let desk = place.open_with(100, 30, &[], &[(variable, value)]);
        desk.wait(says);
        desk.kill();
    }
    // What is asked for goes before it.
    let place = Place::new();
    let desk = place.open_with(100, 30, &["--lang", "en"], &[("LC_ALL", "zh_CN.UTF-8")]);
    desk.wait("offline model");
    desk.kill();
}
