//! A reply that streams in: what was drawn of it stays, and pieces may be cut anywhere.

use super::*;
use crate::ui::app::msg::{Msg, Piece};
use crate::ui::app::tests::Bench;
use crate::ui::frame::Program as _;
use crate::ui::view::transcript::tests::streaming;
use crate::ui::words::Lang;
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation as _;

/// The rows of a reply without the caret.
fn rows(model: &mut Model, text: &str, width: usize) -> Vec<String> {
    streaming(model, text, "");
    let spot = Spot { step: 14, item: None };
    let text = |row: Row| row.left.into_iter().map(|part| part.text).collect::<String>();
    let mut rows: Vec<String> = reply(model, spot, 4, width).into_iter().map(text).collect();
    if let Some(last) = rows.last_mut() {
        *last = last.trim_end_matches(model.look.glyphs.selected).to_owned();
    }
    rows
}

fn reply_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => "[a-z]{1,9} ",
        2 => "[a-z]{20,40}",
        3 => "[把写入的顺序保持不变，。]{1,12}",
        2 => Just("\n".to_owned()),
        1 => Just("\n\n    let x = 1;\n".to_owned()),
        1 => Just("- one\n".to_owned()),
        1 => Just("👩\u{200d}💻 ".to_owned()),
        1 => Just("e\u{301}a\u{308}".to_owned()),
        1 => Just("\u{1b}[31mred\u{1b}[0m".to_owned()),
        1 => Just("\t|  a \u{202e}b\r\n".to_owned()),
    ];
    prop::collection::vec(piece, 1..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn finished_lines_never_reflow(text in reply_text(), cut in 0.0f64..1.0, width in 12usize..80) {
        let mut model = crate::ui::app::sample::model(Lang::En, (120, 40));
        let chars: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let at = chars[((chars.len() as f64) * cut) as usize % chars.len()];
        let (begin, _) = text.split_at(at);
        let before = rows(&mut model, begin, width);
        let after = rows(&mut model, &text, width);
        // The last line is being written; of a reply that has not begun there is a note.
        let done = if begin.trim().is_empty() { 0 } else { before.len().saturating_sub(1) };
        prop_assert_eq!(&before[..done], &after[..done.min(after.len())], "{:?} at {}", text, at);
    }
}

#[test]
fn pieces_that_are_cut_inside_a_grapheme_show_it_whole() {
    let text = "ab e\u{301} 👩\u{200d}👩\u{200d}👧 🇨🇳 한 각 न\u{94d}षि 界 👍🏽.";
    let drawn = |pieces: &[&str]| {
        let mut bench = Bench::new(Lang::En, (120, 40));
        streaming(&mut bench.app.model, "", "");
        let run = bench.app.model.run.clone().unwrap();
        for piece in pieces {
            bench.app.update(Msg::Piece(run.clone(), Piece::Text((*piece).to_owned())));
            let shown = bench.frame().join("\n");
            assert!(!shown.contains('\u{fffd}'), "{pieces:?}: {shown}");
            // A mark that makes a letter another one has a letter before it.
            let alone = shown.graphemes(true).any(|g| g.starts_with(['\u{301}', '\u{94d}', '\u{200d}']))
                || shown.contains("200d");
            assert!(!alone, "{pieces:?}: {shown}");
        }
        // How many pieces came is told beside it.
        bench.frame().into_iter().filter(|row| !row.contains("so far")).collect::<Vec<_>>()
    };
    let whole = drawn(&[text]);
    assert!(whole.join("\n").contains("ab e\u{301} "), "{whole:#?}");
    for (at, _) in text.char_indices().skip(1) {
        let (one, other) = text.split_at(at);
        assert_eq!(drawn(&[one, other]), whole, "cut at {at}");
    }
    let each: Vec<String> = text.chars().map(String::from).collect();
    assert_eq!(drawn(&each.iter().map(String::as_str).collect::<Vec<_>>()), whole);
}

#[test]
fn a_joiner_at_the_end_of_a_piece_is_not_drawn_before_what_it_joins() {
    let text = "aaaaaaa 👩\u{200d}💻 a \t|  a \u{202e}b\r\na - one\n👩\u{200d}💻 ";
    for width in 12..40 {
        let mut model = crate::ui::app::sample::model(Lang::En, (120, 40));
        let whole = rows(&mut model, text, width);
        for (at, _) in text.char_indices().skip(1) {
            let before = rows(&mut model, text.split_at(at).0, width);
            let done = before.len().saturating_sub(1);
            assert_eq!(before[..done], whole[..done.min(whole.len())], "{width}: {:?}", text.split_at(at).0);
            assert!(!before.concat().contains("200d"), "{before:?}");
        }
    }
}
