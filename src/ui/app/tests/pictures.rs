//! Every screen and dialog in every theme and language, at the sizes of the mock-ups, through a parser of escape codes:
//! what the terminal is sent is what is compared, with files in `tests/screens`.
//!
//! A file holds the text of a scene at two or three sizes. Beside it, for the middle size, every cell has a letter for its
//! style; the legend says what that style is in each theme. One more file holds where the cursor stands, and one a sum of
//! the cells of every scene in every theme, language and size. After a wanted change: `WAKEFUL_NEW_SCREENS=1 cargo test --lib pictures`, and read the difference.

use super::Bench;
use super::scenes::{SCENES, Scene, sizes};
use crate::run::Hash;
use crate::ui::frame::Program as _;
use crate::ui::theme::Theme;
use crate::ui::words::Lang;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::fmt::Write as _;
use std::num::NonZeroU16;
use std::path::PathBuf;

/// The size at which styles are compared.
const STYLED: (u16, u16) = (120, 40);
const THEMES: [&str; 4] = ["dark", "light", "high-contrast", "mono"];

/// What a terminal shows once it was sent a frame.
fn sent(bench: &mut Bench) -> vt100::Parser {
    let (columns, rows) = bench.app.model.size;
    let mut bytes = Vec::new();
    let options = TerminalOptions { viewport: Viewport::Fixed(Rect::new(0, 0, columns, rows)) };
    let mut terminal = Terminal::with_options(CrosstermBackend::new(&mut bytes), options).unwrap();
    terminal.draw(|frame| bench.app.draw(frame)).unwrap();
    // Dropped, it would show the cursor again.
    std::mem::forget(terminal);
    let cells = |n| NonZeroU16::new(n).unwrap();
    let mut parser = vt100::Parser::new(cells(rows), cells(columns), 0);
    parser.process(&bytes);
    parser
}

fn text(parser: &vt100::Parser) -> Vec<String> {
    let (_, columns) = parser.screen().size();
    parser.screen().rows(0, columns.get()).map(|row| row.trim_end().to_owned()).collect()
}

fn themed(scene: &Scene, lang: Lang, size: (u16, u16), theme: &str) -> Bench {
    let mut bench = (scene.make)(lang, size);
    bench.app.model.look.theme = Theme::named(theme, None, false).unwrap();
    bench
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/screens").join(name)
}

/// Compares with a file, or writes it anew if that is asked for.
fn compare(name: &str, is: &str, faults: &mut Vec<String>) {
    let file = file(name);
    if std::env::var_os("WAKEFUL_NEW_SCREENS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, is).unwrap();
        return;
    }
    let was = std::fs::read_to_string(&file).unwrap_or_default();
    if was != is {
        let first = was.lines().zip(is.lines()).find(|(was, is)| was != is);
        faults.push(format!("{name}: {first:#?}"));
    }
}

fn in_language(lang: Lang, faults: &mut Vec<String>) {
    for scene in SCENES {
        let mut out = String::new();
        for size in sizes(scene) {
            let shown = text(&sent(&mut (scene.make)(lang, *size)));
            let _ = writeln!(out, "== {}x{}", size.0, size.1);
            shown.iter().for_each(|row| writeln!(out, "{row}").unwrap());
        }
        compare(&format!("{}/{}.txt", lang.code(), scene.name), &out, faults);
    }
}

#[test]
fn every_screen_and_dialog_is_as_it_was_in_english() {
    let mut faults = Vec::new();
    in_language(Lang::En, &mut faults);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_screen_and_dialog_is_as_it_was_in_chinese() {
    let mut faults = Vec::new();
    in_language(Lang::Zh, &mut faults);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Where the terminal's own cursor stands in each picture: at the caret of what is typed into, and nowhere else.
#[test]
fn the_cursor_of_every_screen_and_dialog_is_where_it_was() {
    let mut out = String::new();
    for lang in [Lang::En, Lang::Zh] {
        for scene in SCENES {
            for size in sizes(scene) {
                let shown = sent(&mut (scene.make)(lang, *size));
                let at = match shown.screen().hide_cursor() {
                    true => "hidden".to_owned(),
                    false => {
                        let (row, column) = shown.screen().cursor_position();
                        format!("column {column}, row {row}")
                    }
                };
                let _ = writeln!(out, "{} {} {}x{}: {at}", lang.code(), scene.name, size.0, size.1);
            }
        }
    }
    let mut faults = Vec::new();
    compare("cursors.txt", &out, &mut faults);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A cell's style in words.
fn style(cell: Option<&vt100::Cell>) -> String {
    let Some(cell) = cell else { return String::new() };
    let colour = |colour| match colour {
        vt100::Color::Default => "-".to_owned(),
        vt100::Color::Idx(n) => n.to_string(),
        vt100::Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
    };
    let mut words = format!("{}/{}", colour(cell.fgcolor()), colour(cell.bgcolor()));
    let marks = [
        (cell.bold(), " bold"),
        (cell.dim(), " dim"),
        (cell.italic(), " italic"),
        (cell.underline(), " underlined"),
        (cell.inverse(), " reversed"),
    ];
    marks.iter().filter(|(on, _)| *on).for_each(|(_, word)| words.push_str(word));
    words
}

#[test]
fn every_theme_shows_the_same_text_in_its_own_styles() {
    let (columns, rows) = STYLED;
    let mut faults = Vec::new();
    for scene in SCENES {
        let all = THEMES.map(|theme| sent(&mut themed(scene, Lang::En, STYLED, theme)));
        assert!(
            all.iter().all(|shown| text(shown) == text(&all[0])),
            "{}: a theme changes the text",
            scene.name
        );
        let mut legend: Vec<[String; 4]> = Vec::new();
        let mut grid = String::new();
        for y in 0..rows {
            for x in 0..columns {
                let styles = [0, 1, 2, 3].map(|theme: usize| style(all[theme].screen().cell(y, x)));
                let at = legend.iter().position(|known| *known == styles).unwrap_or_else(|| {
                    legend.push(styles);
                    legend.len() - 1
                });
                grid.push(char::from_u32('a' as u32 + u32::try_from(at).unwrap()).unwrap());
            }
            grid.push('\n');
        }
        let mono = |styles: &[String; 4]| styles[3].split(' ').next().unwrap_or_default() == "-/-";
        assert!(legend.iter().all(mono), "{}: mono has colours: {legend:#?}", scene.name);
        let mut out = String::new();
        for (at, styles) in legend.iter().enumerate() {
            let letter = char::from_u32('a' as u32 + u32::try_from(at).unwrap()).unwrap();
            let named: Vec<String> =
                THEMES.iter().zip(styles).map(|(theme, style)| format!("{theme} {style}")).collect();
            let _ = writeln!(out, "{letter} {}", named.join(" · "));
        }
        compare(&format!("styles/{}.txt", scene.name), &format!("{out}\n{grid}"), &mut faults);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Of each scene, in each language, at each size: that no theme changes the text, and a sum of all cells' texts and styles
/// in each theme. What has changed is looked at in the pictures beside it, or with the program.
#[test]
fn every_scene_has_its_cells_in_every_theme_language_and_size() {
    let mut out = String::new();
    for (scene, lang) in SCENES.iter().flat_map(|scene| [(scene, Lang::En), (scene, Lang::Zh)]) {
        for size in [(80, 24), (120, 40), (200, 60)] {
            let mut bench = (scene.make)(lang, size);
            let mut first = None;
            let sums = THEMES.map(|theme| {
                bench.app.model.look.theme = Theme::named(theme, None, false).unwrap();
                let shown = sent(&mut bench);
                let text = text(&shown);
                let cells = (0..size.1).flat_map(|y| (0..size.0).map(move |x| (y, x)));
                let cells: String = cells.map(|(y, x)| style(shown.screen().cell(y, x)) + "\n").collect();
                let sum = Hash::of(format!("{}\n{cells}", text.join("\n")).as_bytes()).short(8).to_owned();
                assert_eq!(*first.get_or_insert_with(|| text.clone()), text, "{}: {theme}", scene.name);
                format!("{theme} {sum}")
            });
            let _ =
                writeln!(out, "{} {} {}x{}: {}", lang.code(), scene.name, size.0, size.1, sums.join(" · "));
        }
    }
    let mut faults = Vec::new();
    compare("cells.txt", &out, &mut faults);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Draws some of the scenes at all small sizes, with the wheel turned at the edge.
fn sweep(part: usize, parts: usize) {
    for (nth, scene) in SCENES.iter().enumerate().skip(part).step_by(parts) {
        let lang = if nth % 3 == 0 { Lang::Zh } else { Lang::En };
        let mut bench = (scene.make)(lang, (120, 40));
        for (width, height) in (0..=20).flat_map(|height| (0..=60).map(move |width| (width, height))) {
            bench.app.input(crate::ui::input::Input::Resize(width, height));
            if width > 0 && height > 0 {
                bench.frame();
            }
            let at = |column: u16, row: u16| crossterm::event::MouseEvent {
                kind: crossterm::event::MouseEventKind::ScrollDown,
                column,
                row,
                modifiers: crossterm::event::KeyModifiers::NONE,
            };
            for event in [at(width, height), at(width.saturating_sub(1), height.saturating_sub(1))] {
                bench.app.input(crate::ui::input::Input::Mouse(event));
            }
        }
    }
}

#[test]
fn no_small_size_is_too_odd_for_any_scene() {
    sweep(0, 2);
}

#[test]
fn no_small_size_is_too_odd_for_the_other_scenes() {
    sweep(1, 2);
}
