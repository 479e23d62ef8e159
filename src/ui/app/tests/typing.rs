//! The usual keys of editing, in every place where text is typed.

use super::*;

/// What each key makes of "one two three" with the caret behind "two", and where a typed `x` then stands.
const KEYS: &[(&str, &str)] = &[
    ("Ctrl-A", "xone two three"),
    ("Home", "xone two three"),
    ("Ctrl-E", "one two threex"),
    ("End", "one two threex"),
    ("Ctrl-U", "x three"),
    ("Ctrl-K", "one twox"),
    ("Ctrl-W", "one x three"),
    ("Alt-Backspace", "one x three"),
    ("Alt-b", "one xtwo three"),
    ("Ctrl-Left", "one xtwo three"),
    ("Alt-f", "one two threex"),
    ("Ctrl-Right", "one two threex"),
];

fn behind_two(bench: &mut Bench) {
    bench.write("one two three");
    bench.press("Ctrl-Left Left");
}

#[test]
fn the_usual_keys_edit_the_message_and_are_undone() {
    for (key, wanted) in KEYS {
        let mut bench = Bench::new(Lang::En, (120, 40));
        bench.press("i");
        behind_two(&mut bench);
        bench.press(key);
        let kept = bench.app.model.message.editor.text();
        bench.write("x");
        assert_eq!(bench.app.model.message.editor.text(), *wanted, "{key}");
        let undo = if kept == "one two three" { "Ctrl-/" } else { "Ctrl-/ Ctrl-/" };
        bench.press(undo);
        assert_eq!(bench.app.model.message.editor.text(), "one two three", "{key}");
    }
}

#[test]
fn they_edit_a_form_a_reason_and_a_filter_too() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("L");
    bench.press("Tab Ctrl-U");
    bench.write("77777");
    assert!(bench.shows("77777") && !bench.shows("77777300000"), "{:#?}", bench.frame());
    bench.press("Esc 3 d");
    bench.write("one two");
    bench.press("Ctrl-W");
    bench.write("more");
    assert!(bench.shows("one more"), "{:#?}", bench.frame());
    bench.press("Esc :");
    bench.write("nothing fits");
    bench.press("Ctrl-U");
    bench.write("zoom");
    assert!(bench.shows("Zoom this panel"), "{:#?}", bench.frame());
}

#[test]
fn the_palette_finds_the_commands_of_other_panels_and_goes_there() {
    for (lang, place, words) in
        [(Lang::En, "3 Queue  Space", "Mark this call"), (Lang::Zh, "3 队列  Space", "标记此调用")]
    {
        let mut bench = Bench::new(lang, (120, 40));
        bench.press("1 :");
        bench.write("mark");
        let rows = bench.frame();
        assert!(rows.iter().any(|row| row.contains(words) && row.contains(place)), "{rows:#?}");
        bench.press("Enter");
        assert_eq!(bench.app.model.focus, Panel::Queue);
        assert_eq!(bench.app.model.lists.marked.len(), 1, "{}", bench.news());
        bench.press("1 :");
        bench.write("review marked");
        bench.press("Enter");
        assert!(!bench.app.model.layers.is_empty(), "the batch is open");
        assert_eq!(bench.app.model.focus, Panel::Queue);
    }
    // What cannot be done is said there; a command of this panel has no place beside it.
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("1 :");
    bench.write("review marked");
    bench.press("Enter");
    assert_eq!((bench.app.model.focus, bench.news().as_str()), (Panel::Queue, "No call is marked."));
    bench.press(":");
    bench.write("mark this");
    assert!(!bench.shows("3 Queue  Space"), "{:#?}", bench.frame());
}

#[test]
fn a_field_of_text_has_a_page_with_its_keys() {
    for (lang, title, words) in [
        (Lang::En, "Help · Message", "Delete to the begin of the line"),
        (Lang::Zh, "帮助 · 留言", "删除到行首"),
    ] {
        let mut bench = Bench::new(lang, (120, 40));
        bench.press("i");
        assert!(bench.frame().last().unwrap().contains("F1 "), "{:#?}", bench.frame());
        bench.write("one two");
        bench.press("F1");
        assert!(bench.shows(title) && bench.shows(words) && bench.shows("Ctrl-U"), "{:#?}", bench.frame());
        bench.press("F1");
        bench.press("Esc");
        assert!(!bench.shows(title), "a page about the page does not open");
        // It does what is chosen there, in the field.
        bench.press("F1");
        bench.write("text_cut_before");
        bench.press("Enter");
        assert_eq!(bench.app.model.message.editor.text(), "");
        bench.press("Esc L F1");
        assert!(bench.shows(words), "{:#?}", bench.frame());
    }
}
