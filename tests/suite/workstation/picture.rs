//! Pictures of the real program: its screen, as a parser of escape codes has it, drawn as SVG.
//!
//! The pictures in `assets/` are made by these tests: `WAKEFUL_PICTURES=assets cargo test --test all picture`. Without that
//! they hold the stored ones against what is drawn now: by the words of each row, since times, figures, ids and folders
//! differ from run to run.

use super::desk::{Desk, Place};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;
use unicode_segmentation::UnicodeSegmentation as _;

/// Size of a cell, in units of the picture.
const CELL: (f32, f32) = (8.4, 17.0);
const GROUND: (u8, u8, u8) = (24, 24, 27);
const INK: (u8, u8, u8) = (212, 212, 216);

/// The sixteen colours with names, as common terminals have them.
const SIXTEEN: [(u8, u8, u8); 16] = [
    (24, 24, 27),
    (205, 49, 49),
    (13, 188, 121),
    (229, 229, 16),
    (36, 114, 200),
    (188, 63, 188),
    (17, 168, 205),
    (229, 229, 229),
    (102, 102, 102),
    (241, 76, 76),
    (35, 209, 139),
    (245, 245, 67),
    (59, 142, 234),
    (214, 112, 214),
    (41, 184, 219),
    (255, 255, 255),
];

fn rgb(colour: vt100::Color, default: (u8, u8, u8)) -> (u8, u8, u8) {
    match colour {
        vt100::Color::Default => default,
        vt100::Color::Rgb(r, g, b) => (r, g, b),
        vt100::Color::Idx(n @ 0..=15) => SIXTEEN[usize::from(n)],
        vt100::Color::Idx(n @ 16..=231) => {
            let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = n - 16;
            (step(n / 36), step(n / 6 % 6), step(n % 6))
        }
        vt100::Color::Idx(n) => {
            let grey = 8 + 10 * (n - 232);
            (grey, grey, grey)
        }
    }
}

fn hex((r, g, b): (u8, u8, u8)) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Cells beside each other that look the same.
struct Run {
    x: u16,
    cells: u16,
    text: String,
    ink: (u8, u8, u8),
    ground: (u8, u8, u8),
    bold: bool,
    dim: bool,
    italic: bool,
    under: bool,
}

fn row(screen: &vt100::Screen, y: u16, columns: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for x in 0..columns {
        let Some(cell) = screen.cell(y, x).filter(|cell| !cell.is_wide_continuation()) else { continue };
        let (mut ink, mut ground) = (rgb(cell.fgcolor(), INK), rgb(cell.bgcolor(), GROUND));
        if cell.inverse() {
            std::mem::swap(&mut ink, &mut ground);
        }
        let cells = if cell.is_wide() { 2 } else { 1 };
        let text = if cell.has_contents() { cell.contents() } else { " " };
        // Wide glyphs stand alone: no font is as wide as two cells by itself.
        let joins = runs.last().is_some_and(|last| {
            (last.ink, last.ground, last.bold, last.dim) == (ink, ground, cell.bold(), cell.dim())
                && (last.italic, last.under) == (cell.italic(), cell.underline())
                && cells == 1
                && last.cells == u16::try_from(last.text.graphemes(true).count()).unwrap()
        });
        match runs.last_mut().filter(|_| joins) {
            Some(last) => {
                last.text.push_str(text);
                last.cells += cells;
            }
            None => runs.push(Run {
                x,
                cells,
                text: text.to_owned(),
                ink,
                ground,
                bold: cell.bold(),
                dim: cell.dim(),
                italic: cell.italic(),
                under: cell.underline(),
            }),
        }
    }
    runs
}

/// The screen as SVG.
fn svg(screen: &vt100::Screen, title: &str) -> String {
    let (rows, columns) = screen.size();
    let (rows, columns) = (rows.get(), columns.get());
    let (width, height) = (f32::from(columns) * CELL.0, f32::from(rows) * CELL.1);
    let mut out = String::new();
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-8 -8 {:.1} {:.1}\" role=\"img\" aria-label=\"{title}\" \
         font-family=\"ui-monospace,'DejaVu Sans Mono','Noto Sans Mono CJK SC',Menlo,Consolas,monospace\" \
         font-size=\"14\">\n<title>{title}</title>\n<rect x=\"-8\" y=\"-8\" width=\"100%\" height=\"100%\" rx=\"6\" \
         fill=\"{}\"/>\n",
        width + 16.0,
        height + 16.0,
        hex(GROUND)
    );
    for y in 0..rows {
        let top = f32::from(y) * CELL.1;
        for run in row(screen, y, columns) {
            let (x, wide) = (f32::from(run.x) * CELL.0, f32::from(run.cells) * CELL.0);
            if run.ground != GROUND {
                let _ = writeln!(
                    out,
                    "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
                    CELL.1,
                    hex(run.ground)
                );
            }
            if run.text.trim().is_empty() {
                continue;
            }
            let marks = [
                (run.bold, " font-weight=\"bold\""),
                (run.dim, " opacity=\"0.6\""),
                (run.italic, " font-style=\"italic\""),
                (run.under, " text-decoration=\"underline\""),
            ];
            let marks: String = marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect();
            // A place for each glyph: it stands in its cell whatever font there is.
            let glyphs: Vec<(f32, &str)> = run
                .text
                .graphemes(true)
                .enumerate()
                .filter(|(_, glyph)| !glyph.trim().is_empty())
                .map(|(nth, glyph)| (x + nth as f32 * CELL.0, glyph))
                .collect();
            let places: Vec<String> = glyphs
                .iter()
                .flat_map(|(x, glyph)| std::iter::repeat_n(format!("{x:.1}"), glyph.chars().count()))
                .collect();
            let text: String = glyphs.iter().map(|(_, glyph)| *glyph).collect();
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{:.1}\" fill=\"{}\"{marks}>{text}</text>",
                places.join(" "),
                top + 13.0,
                hex(run.ink)
            );
        }
    }
    out.push_str("</svg>\n");
    out
}

/// The screen once its words stay for a while: a part of a frame is no picture.
fn at_rest(desk: &Desk) -> vt100::Screen {
    let mut before = desk.seen();
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(400));
        let now = desk.seen();
        if words(&svg(&now, "")) == words(&svg(&before, "")) {
            return now;
        }
        before = now;
    }
    panic!("it never comes to rest:\n{}", desk.screen())
}

/// Makes a picture of what is on the screen, and says what is wrong with it.
fn picture(desk: &Desk, name: &str, title: &str) {
    let seen = at_rest(desk);
    let drawn = svg(&seen, title);
    let opened = drawn.matches("<text").count();
    assert!(opened > 8 && opened == drawn.matches("</text>").count(), "{name}");
    // All that is on the screen is in the picture.
    let shown: String = drawn
        .lines()
        .filter(|line| line.starts_with("<text"))
        .filter_map(|line| line.split_once('>')?.1.strip_suffix("</text>"))
        .flat_map(|text| {
            text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").chars().collect::<Vec<_>>()
        })
        .filter(|c| !c.is_whitespace())
        .collect();
    let is: String = seen.contents().chars().filter(|c| !c.is_whitespace()).collect();
    assert_eq!(shown, is, "{name}");
    if let Some(folder) = std::env::var_os("WAKEFUL_PICTURES") {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
        std::fs::write(folder.join(format!("{name}.svg")), drawn).unwrap();
        return;
    }
    let stored = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets").join(format!("{name}.svg"));
    let stored = std::fs::read_to_string(stored).unwrap();
    let (was, is) = (words(&stored), words(&drawn));
    let rows = (0..was.len().max(is.len())).filter(|row| was.get(*row) != is.get(*row));
    let differ: Vec<_> = rows.map(|row| (was.get(row), is.get(row))).collect();
    assert!(differ.is_empty(), "assets/{name}.svg is not what is drawn now, make it anew: {differ:#?}");
}

/// The rows of a picture.
fn rows_of(svg: &str) -> Vec<String> {
    let (mut rows, mut rest) = (BTreeMap::<u32, BTreeMap<u32, char>>::new(), svg);
    while let Some((_, from)) = rest.split_once("<text x=\"") {
        let (places, from) = from.split_once("\" y=\"").unwrap();
        let (y, from) = from.split_once('"').unwrap();
        let (_, from) = from.split_once('>').unwrap();
        let (text, from) = from.split_once("</text>").unwrap();
        rest = from;
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        let row = rows.entry(((y.parse::<f32>().unwrap() - 13.0) / CELL.1).round() as u32).or_default();
        for (x, c) in places.split(' ').zip(text.chars()) {
            row.insert((x.parse::<f32>().unwrap() / CELL.0).round() as u32, c);
        }
    }
    let row = |row: BTreeMap<u32, char>| {
        let mut text = String::new();
        let mut next = 0;
        for (x, c) in row {
            (next..x).for_each(|_| text.push(' '));
            text.push(c);
            // What is as wide as two cells covers the second.
            next = x + if c as u32 >= 0x2e80 { 2 } else { 1 };
        }
        text
    };
    rows.into_values().map(row).collect()
}

/// The words of each row that are the same whenever and wherever it is drawn: no figures, no folders, nothing that was cut
/// for the room that these leave, no bars.
fn words(svg: &str) -> Vec<Vec<String>> {
    let units = ["ms", "s", "m", "h", "B", "kB", "MB", "GB", "KiB", "MiB", "%"];
    let same = |word: &&str| {
        !word.contains(|c: char| c.is_ascii_digit() || "…█░".contains(c))
            && !word.contains(".tmp")
            && !units.contains(word)
            && word.contains(char::is_alphabetic)
    };
    let is_line = |c: char| c.is_whitespace() || ('\u{2500}'..='\u{257f}').contains(&c);
    // The phases with their times, and what was said a moment ago or, once that is gone, what is saved.
    let passes = |row: &str| {
        row.contains("ACT ")
            || ["r-", "saved ", "已保存", "Approved"].iter().any(|begin| row.trim_start().starts_with(begin))
    };
    // Said of a run that has waited for a second.
    let rows = rows_of(svg).into_iter().map(|row| row.replace("waiting left out", ""));
    let rows = rows.filter(|row| !passes(row));
    rows.map(|row| row.split(is_line).filter(same).map(str::to_owned).collect()).collect()
}

#[test]
fn a_picture_is_told_from_another_by_its_words() {
    let draw = |text: &str| {
        let mut parser = vt100::Parser::new(2.try_into().unwrap(), 80.try_into().unwrap(), 0);
        parser.process(text.as_bytes());
        svg(parser.screen(), "a picture")
    };
    let one = draw("│ read_file 12 ms  等你处理 │ 13:36 /tmp/.tmpA1/g\r\n<a> & b");
    assert_eq!(rows_of(&one)[1], "<a> & b");
    assert_eq!(words(&one), [["read_file", "等你处理"].as_slice(), ["<a>", "b"].as_slice()]);
    assert_eq!(words(&one), words(&draw("│ read_file  3 ms  等你处理 │ 09:01 /tmp/.tmpBb/g\r\n<a> & b")));
    assert_ne!(words(&one), words(&draw("│ read_file 12 ms  请你处理 │ 13:36 /tmp/.tmpA1/g\r\n<a> & b")));
    assert_ne!(words(&one), words(&draw("│ read_file 12 ms  等你处理 │\r\n<a> & c")));
}

/// A small garden to survey.
fn garden() -> Place {
    let place = Place::named("garden");
    let write = |name: &str, text: &str| {
        let file = place.workspace().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write("README.md", "# Garden\n\nBeds, watering, what was sown when.\n");
    write("notes/beds.md", "TODO order seeds\n\n- bed 1: beans\n- bed 2: 番茄\n");
    write("notes/sown.md", "2026-04-02 beans\n2026-04-19 peas\n");
    write("water.py", "# FIXME: rain is not counted\nprint('20 l a bed')\n");
    place
}

#[test]
fn pictures_of_the_offline_job() {
    let place = garden();
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    picture(&desk, "start", "The start screen: no model was found, the offline model is offered");
    desk.press("\r");
    desk.wait("NEEDS YOU");
    desk.wait("I keep the findings");
    desk.wait("I read README.md");
    picture(&desk, "waiting", "A run in a window of 120 by 40: a call waits for approval");
    desk.press("a");
    desk.wait("Make this file?");
    desk.wait("y approve");
    picture(&desk, "approve", "The dialog that asks before a file is written");
    // One key at a time, as long as the question stands: on the screen below the same key copies.
    desk.press_till("y", "it is approved", || !desk.shows("Make this file?"));
    desk.wait("completed");
    desk.press("4");
    for _ in 0..4 {
        desk.press("j");
    }
    desk.press("r");
    desk.wait("Roll back to step");
    desk.wait_gone("Looking at the files");
    picture(&desk, "roll-back", "The preview of a rollback");
    desk.kill();
}

#[test]
fn pictures_of_a_large_and_of_a_chinese_window() {
    let place = garden();
    let desk = place.waiting(200, 60);
    desk.wait("I keep the findings");
    picture(&desk, "large", "All panels side by side in a window of 200 by 60");
    desk.kill();
    let desk = place.open(80, 24, &["--lang", "zh"]);
    desk.wait("等你处理");
    desk.press("2");
    desk.wait("合计");
    picture(&desk, "chinese", "80 列 24 行，简体中文：上下文预算表");
    desk.kill();
}
