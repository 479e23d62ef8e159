//! The field for text: typing, moving, undo, where lines wrap and the caret stands.

use super::*;
use crate::ui::app::model::Look;
use crate::ui::keys::Keymap;
use crate::ui::theme::{Glyphs, Theme};
use crate::ui::words::{EN, Lang};
use ratatui::buffer::Buffer;

fn press(editor: &mut Editor, code: KeyCode, held: KeyModifiers) -> bool {
    editor.key(&KeyEvent::new(code, held))
}

fn plainly(editor: &mut Editor, code: KeyCode) {
    assert!(press(editor, code, KeyModifiers::NONE), "{code:?}");
}

fn write(editor: &mut Editor, text: &str) {
    text.chars().for_each(|c| plainly(editor, KeyCode::Char(c)));
}

fn drawn(editor: &Editor, columns: u16, rows: u16) -> (Vec<String>, Option<Position>) {
    let look = Look {
        lang: Lang::En,
        words: &EN,
        theme: Theme::default(),
        glyphs: &Glyphs::UNICODE,
        zone: jiff::tz::TimeZone::UTC,
        keys: Keymap::built_in(),
    };
    let area = Rect::new(0, 0, columns, rows);
    let mut buf = Buffer::empty(area);
    let caret = editor.draw(&mut Pen::new(&look, &mut buf), area, true, "hint");
    let line = |y| {
        let mut x = 0;
        let mut text = String::new();
        while x < columns {
            let symbol = buf[(x, y)].symbol();
            text.push_str(symbol);
            x += u16::try_from(crate::ui::text::width(symbol).max(1)).unwrap();
        }
        text.trim_end().to_owned()
    };
    ((0..rows).map(line).collect(), caret)
}

#[test]
fn what_comes_in_is_plain() {
    let mut editor = Editor::new("a\r\nb\rc\u{7}\td\u{1b}[31m");
    assert_eq!(editor.text(), "a\nb\nc    d[31m");
    editor.set("");
    assert!(editor.is_empty());
    editor.insert("x\r\ny");
    assert_eq!(editor.text(), "x\ny");
    editor.undo();
    assert!(editor.is_empty());
    editor.undo();
    assert!(editor.text().starts_with("a\nb"));
    editor.undo();
    (0..3).for_each(|_| editor.redo());
    assert_eq!(editor.text(), "x\ny");
}

#[test]
fn words_are_undone_as_one_and_graphemes_go_as_one() {
    let mut editor = Editor::default();
    write(&mut editor, "hold the order");
    editor.undo();
    assert_eq!(editor.text(), "hold the ");
    editor.set("e\u{301}👨‍👩‍👧你");
    for left in ["e\u{301}👨‍👩‍👧", "e\u{301}", ""] {
        plainly(&mut editor, KeyCode::Backspace);
        assert_eq!(editor.text(), left);
    }
    editor.set("one two");
    press(&mut editor, KeyCode::Left, KeyModifiers::CONTROL);
    write(&mut editor, "x");
    assert_eq!(editor.text(), "one xtwo");
    press(&mut editor, KeyCode::Backspace, KeyModifiers::ALT);
    assert_eq!(editor.text(), "one two");
    plainly(&mut editor, KeyCode::Home);
    plainly(&mut editor, KeyCode::Delete);
    assert_eq!(editor.text(), "ne two");
    plainly(&mut editor, KeyCode::End);
    assert!(press(&mut editor, KeyCode::Char('w'), KeyModifiers::CONTROL), "it works where it arrives");
    assert_eq!(editor.text(), "ne ");
    assert!(press(&mut editor, KeyCode::Char('a'), KeyModifiers::CONTROL));
    write(&mut editor, "o");
    assert_eq!(editor.text(), "one ");
    assert!(!press(&mut editor, KeyCode::Char('t'), KeyModifiers::CONTROL), "belongs to others");
    assert!(!press(&mut editor, KeyCode::Esc, KeyModifiers::NONE));
}

#[test]
fn lines_wrap_and_the_caret_stands_in_the_right_cell() {
    let mut editor = Editor::new("the quick brown fox");
    let (rows, caret) = drawn(&editor, 12, 3);
    assert_eq!(rows, ["▏the quick", "▏brown fox", ""]);
    assert_eq!(caret, Some(Position { x: 10, y: 1 }));
    assert_eq!(editor.rows(12), 2);
    assert!(!editor.first_line());
    plainly(&mut editor, KeyCode::Up);
    assert!(editor.first_line());
    assert_eq!(drawn(&editor, 12, 3).1, Some(Position { x: 10, y: 0 }));
    plainly(&mut editor, KeyCode::Up);
    assert_eq!(drawn(&editor, 12, 3).1, Some(Position { x: 1, y: 0 }));
    editor.set("保持行的顺序，好");
    let (rows, caret) = drawn(&editor, 14, 2);
    assert_eq!(rows, ["▏保持行的顺", "▏序，好"]);
    assert_eq!(caret, Some(Position { x: 7, y: 1 }));
    plainly(&mut editor, KeyCode::Left);
    assert_eq!(drawn(&editor, 14, 2).1, Some(Position { x: 5, y: 1 }));
    editor.set("a\u{200b}b");
    let (rows, caret) = drawn(&editor, 20, 1);
    assert_eq!(rows, ["▏a\\u{200b}b"]);
    assert_eq!(caret, Some(Position { x: 11, y: 0 }));
    editor.set("");
    assert_eq!(drawn(&editor, 9, 2).0, ["▏hint", ""]);
}

#[test]
fn a_long_text_shows_the_line_of_the_caret() {
    let editor = Editor::new("1\n2\n3\n4");
    assert_eq!(drawn(&editor, 5, 2).0, ["↑3", "▏4"]);
    assert_eq!(drawn(&editor, 5, 2).1, Some(Position { x: 2, y: 1 }));
}

#[test]
fn emoji_and_letters_with_marks_are_shown_and_what_hides_is_its_code() {
    for (text, shown) in [
        // A family as its members, which are as wide on every terminal.
        ("👨\u{200d}👩\u{200d}👧 home", "👨👩👧 home"),
        ("👩🏽\u{200d}💻 👍🏽 ❤\u{fe0f} 1\u{fe0f}\u{20e3}", "👩💻 👍 ❤ 1\u{20e3}"),
        ("cafe\u{301} n\u{303}", "cafe\u{301} n\u{303}"),
        // A joiner, a tone, a mark, where they belong to nothing.
        ("rm\u{200d} -rf", "rm\\u{200d} -rf"),
        ("👩\u{200d}rm", "👩\\u{200d}rm"),
        ("a\u{1f3fd}", "a\\u{1f3fd}"),
        (" \u{301}a", " \\u{301}a"),
        ("e\u{301}\u{301}\u{301}\u{301}\u{301}", "e\u{301}\u{301}\u{301}\u{301}\\u{301}"),
        ("p\u{430}ypal \u{202e}x\u{200b}", "p\\u{430}ypal \\u{202e}x\\u{200b}"),
    ] {
        let mut editor = Editor::new(text);
        let row: String = drawn(&editor, 60, 1).0.first().cloned().unwrap_or_default();
        // A test's buffer has a blank behind a wide sign.
        let plain = |text: &str| text.chars().filter(|c| *c != ' ' && *c != '▏').collect::<String>();
        assert_eq!(plain(&row), plain(shown), "{text:?}");
        assert_eq!(editor.text(), text, "what is sent is what was written");
        let end = drawn(&editor, 60, 1).1.unwrap();
        assert_eq!(usize::from(end.x), 1 + crate::ui::text::width(shown), "{text:?}");
        // The caret goes over all that is one at once, and Backspace takes it at once.
        if let Some(first) = text.strip_prefix("👨\u{200d}👩\u{200d}👧") {
            press(&mut editor, KeyCode::Home, KeyModifiers::NONE);
            editor.step(true);
            assert_eq!(drawn(&editor, 60, 1).1.unwrap().x, 1 + 6);
            plainly(&mut editor, KeyCode::Backspace);
            assert_eq!(editor.text(), first);
        }
    }
}

#[test]
fn no_size_and_no_text_is_too_odd() {
    let texts =
        ["", "a", "你好，世界", "x\u{301}\u{301}\n\u{202e}evil\u{200b}", "👨‍👩‍👧👍🏽 flag 🇩🇪 \u{1f1e9}", "\n\n\n"];
    for text in texts {
        for columns in 0..16 {
            for rows in 0..5 {
                let mut editor = Editor::new(text);
                drawn(&editor, columns, rows);
                for code in
                    [KeyCode::Up, KeyCode::Left, KeyCode::Down, KeyCode::Right, KeyCode::End, KeyCode::Up]
                {
                    plainly(&mut editor, code);
                    assert!(editor.text.is_char_boundary(editor.at), "{text:?}");
                    drawn(&editor, columns, rows);
                }
                write(&mut editor, "z");
                assert_eq!(editor.text().len(), text.len() + 1);
            }
        }
    }
}

#[test]
fn a_long_text_is_laid_out_around_the_caret_alone() {
    let size = 1 << 20;
    for text in ["word ".repeat(size / 5), "一行文字\n".repeat(size / 13), "x".repeat(size)] {
        let mut editor = Editor::new(&text);
        let rows = editor.laid(80);
        assert!(rows.len() < 4_000 && rows.last().unwrap().to() == editor.text.len(), "{}", rows.len());
        assert!(!editor.first_line());
        // Up and down, a typed character, and back: nothing of it is lost.
        let at = editor.at;
        (0..30).for_each(|_| editor.up());
        (0..30).for_each(|_| editor.down());
        assert_eq!(editor.at, at);
        editor.go(editor.text.len() / 2);
        editor.at = moves::snap(&editor.text, editor.at);
        editor.typed('y');
        assert_eq!(editor.text.len(), plain(&text).len() + 1);
        let rows = editor.laid(80);
        let (line, _) = lay::caret(&rows, editor.at);
        assert!(line > 100 && line + 100 < rows.len(), "rows on both sides of the caret");
        // Rows follow each other without a gap.
        for pair in rows.windows(2) {
            assert!(pair[1].from() == pair[0].to() + usize::from(pair[0].ends()), "{pair:?}");
        }
        editor.go(0);
        assert!(editor.first_line());
    }
}

#[test]
fn of_long_texts_undo_keeps_so_many_bytes_and_the_last_step_always() {
    let mut editor = Editor::new(&"x".repeat(1 << 20));
    let kept = |editor: &Editor| editor.undo.iter().map(|past| past.text.len()).sum::<usize>();
    for _ in 0..20 {
        editor.newline();
    }
    assert!(kept(&editor) <= PAST_BYTES, "{}", kept(&editor));
    assert_eq!(editor.undo.len(), 3);
    editor.undo();
    assert_eq!(editor.text().len(), (1 << 20) + 19, "the last step");
    // One that is larger than that alone.
    let huge = "y".repeat(PAST_BYTES + 1);
    editor.set(&huge);
    editor.newline();
    assert_eq!(editor.undo.len(), 1);
    editor.undo();
    assert!(editor.text() == huge);
    // Short ones are counted as before.
    let mut editor = Editor::default();
    for _ in 0..PAST + 50 {
        editor.newline();
    }
    assert_eq!(editor.undo.len(), PAST);
}
