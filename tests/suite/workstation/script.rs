//! Scripts that run from right to left, that combine, that are wide, that join: wherever they stand, every border stays in
//! its cell.

use super::desk::{Desk, Place};
use std::collections::BTreeSet;

/// Hebrew and Arabic with Latin between, marks upon marks, Devanagari, Thai, Hangul in parts, a family, a flag, a sign
/// with a selector, wide forms.
const MIXED: &str = "مرحبا gpt-5 שלום (React) e\u{301}\u{302}\u{323} हिन्दी ภาษาไทย \u{1112}\u{1161}\u{11ab}글 👩\u{200d}👩\u{200d}👧 🇩🇪 ❤\u{fe0f} ＡＢ 读";

/// A goal, a title, a reply, a file, an output and a waiting command in a script.
fn waiting(text: &str) -> (Place, String) {
    let place = Place::playing("");
    let quoted = serde_json::to_string(text).unwrap();
    let lines: String = (0..12).map(|n| format!("{text} {n}\n{n} {text}{text}\n")).collect();
    std::fs::write(place.workspace().join("out"), lines).unwrap();
    place.script(&format!(
        "[[steps]]\nsay = {quoted}\ncalls = [{{ name = \"shell\", args = {{ command = \"cat out\" }} }}, \
         {{ name = \"note\", args = {{ kind = \"fact\", text = {quoted} }} }}]\n\
         [[steps]]\nsay = {quoted}\ncalls = [\
         {{ name = \"ask_person\", args = {{ question = {quoted}, options = [{quoted}, \"b\"] }} }}]\n\
         [[steps]]\nsay = \"Done.\"\n"
    ));
    let goal = format!("{text} · {text}");
    let said = place.ask(&["run", &goal, "--model", "offline", "--headless"]);
    (place, said)
}

/// Whether a cell has a piece of a border that runs up or down.
fn is_border(cell: &str) -> bool {
    let mut chars = cell.chars();
    let first = chars.next().is_some_and(|c| ('\u{2502}'..='\u{257f}').contains(&c) && c != '━');
    first && chars.next().is_none()
}

/// Where the borders stand, from the upper one of the first panel on: above it a title may be longer or shorter.
fn borders(desk: &Desk) -> BTreeSet<(u16, u16, String)> {
    let screen = desk.seen();
    let (rows, columns) = screen.size();
    let first = screen.rows(0, columns.get()).position(|row| row.starts_with(['┌', '┏']));
    let first = first.map_or(0, |row| u16::try_from(row).unwrap());
    let all = (first..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (row, column)));
    let cells = all.filter_map(|(row, column)| {
        let text = screen.cell(row, column)?.contents().to_owned();
        is_border(&text).then_some((row, column, text))
    });
    let cells: BTreeSet<_> = cells.collect();
    // A border meets others; the bar beside an output does not.
    let meet = cells.iter().filter(|(_, _, text)| text != "│" && text != "┃").map(|(_, column, _)| *column);
    let columns: BTreeSet<u16> = meet.collect();
    cells.into_iter().filter(|(_, column, _)| columns.contains(column)).collect()
}

/// That every row between the upper and the lower border of the outermost box ends where the box does.
fn assert_whole(desk: &Desk, what: &str) {
    let screen = desk.seen();
    let (rows, columns) = screen.size();
    let (rows, columns) = (rows.get(), columns.get());
    let at = |row: u16, column: u16| {
        screen.cell(row, column).map(|cell| cell.contents().to_owned()).unwrap_or_default()
    };
    let first = (0..rows).find(|row| matches!(at(*row, 0).as_str(), "┌" | "┏"));
    let first = first.unwrap_or_else(|| panic!("{what}: no box:\n{}", desk.screen()));
    let last = (first..rows).rev().find(|row| matches!(at(*row, 0).as_str(), "└" | "┗")).unwrap();
    assert!(last > first + 3);
    for row in first..=last {
        for column in [0, columns - 1] {
            let text = at(row, column);
            assert!(is_border(&text), "{what}: row {row} is broken at {column}: {text:?}\n{}", desk.screen());
        }
    }
}

#[test]
fn every_script_keeps_to_its_cells() {
    let (place, said) = waiting(MIXED);
    let (plain, _) = waiting("abc def ghi jkl mno");
    for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
        let desk = place.open(columns, rows, &[]);
        desk.until(&format!("it waits: {said}"), || desk.shows("NEEDS YOU"));
        let other = plain.open(columns, rows, &[]);
        other.wait("NEEDS YOU");
        for panel in ["1", "2", "3", "4", "5", "6"] {
            for keys in [&[panel][..], &["<"], &["l"], &[">"], &["z"], &["z"]] {
                keys.iter().for_each(|key| {
                    desk.press(key);
                    other.press(key);
                });
                std::thread::sleep(std::time::Duration::from_millis(120));
                assert_whole(&desk, &format!("{columns}x{rows}, panel {panel}, {keys:?}"));
            }
            let name = |desk: &Desk| desk.screen().lines().any(|row| row.contains(&format!("━ {panel} ")));
            desk.until("it has the focus", || name(&desk));
            other.until("it has the focus", || name(&other));
            desk.until("the borders stand where they stand with plain text", || {
                borders(&desk) == borders(&other)
            });
        }
        // A dialog: its own borders, one below the other.
        desk.press("a");
        desk.wait("The agent asks you");
        desk.wait("Esc later");
        let screen = desk.seen();
        let rows: Vec<String> = screen.rows(0, columns).collect();
        let top = rows.iter().position(|row| row.contains("┏━ The agent asks you")).unwrap();
        let cell = |row: usize, column: u16| {
            screen.cell(u16::try_from(row).unwrap(), column).unwrap().contents().to_owned()
        };
        let find = |row: usize, text: &str| (0..columns).rev().find(|column| cell(row, *column) == text);
        let right = find(top, "┓").unwrap();
        let bottom = (top..rows.len()).find(|row| cell(*row, right) == "┛").unwrap();
        for row in top + 1..bottom {
            assert_eq!(cell(row, right), "┃", "row {row}:\n{}", desk.screen());
        }
        desk.kill();
        other.kill();
    }
}

#[test]
fn a_goal_is_kept_in_the_order_in_which_it_was_written_and_edited_by_whole_characters() {
    let (place, said) = waiting(MIXED);
    let desk = place.open(120, 40, &[]);
    desk.until(&format!("it waits: {said}"), || desk.shows("NEEDS YOU"));
    // One key goes over a whole character, whatever it is made of, and one takes it away.
    desk.press("g");
    desk.wait("Constraints");
    desk.press("\x1b[1;5F\x1b[F");
    for _ in 0..7 {
        desk.press("\x7f");
    }
    desk.press("!");
    desk.press("\x0f");
    desk.wait_gone("Constraints");
    let head = MIXED.strip_suffix(" ❤\u{fe0f} ＡＢ 读").unwrap();
    let stored =
        || serde_json::from_str::<serde_json::Value>(&place.ask(&["goal", "last", "--json"])).unwrap();
    desk.until("the goal is in force", || stored()["version"] == 2);
    assert_eq!(stored()["text"], format!("{MIXED} · {head}!"));
    desk.kill();
}
