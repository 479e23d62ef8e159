//! Output as text: neutral, bounded, honest about what is missing (cases O01 to O03, W01, W08, W09).

use std::borrow::Cow;

use proptest::prelude::*;
use wakeful::tool::{Captured, Limits, decode_output, neutralise};

fn shown(bytes: &[u8], limits: Limits) -> wakeful::tool::Shown {
    decode_output(Captured::whole(bytes), limits)
}

fn text(bytes: &[u8]) -> String {
    shown(bytes, Limits::default()).text
}

#[test]
fn escape_sequences_become_harmless() {
    for (raw, neutral) in [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\u{1b}[31mred\u{1b}[0m \u{1b}[1;38:5:9mbold\u{1b}[m", "red bold"),
        ("a\u{1b}[Kb", "ab"),
        ("\u{1b}[2Jgone", "\\u{1b}[2Jgone"),
        ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
        ("\u{1b}]52;c;ZXZpbA==\u{1b}\\", "\\u{1b}]52;c;ZXZpbA==\\u{1b}\\"),
        ("\u{1b}Pq\u{1b}\\", "\\u{1b}Pq\\u{1b}\\"),
        ("\u{9b}2J\u{9b}1m", "\\u{9b}2J"),
        ("a\u{8}b\u{0}c\u{7f}", "a\\u{8}b\\u{0}c\\u{7f}"),
        ("a\r\nb\rc", "a\nb\\u{d}c"),
        ("\u{1b}\u{1b}[m[31m", "\\u{1b}[31m"),
        ("\u{1b}", "\\u{1b}"),
        ("user\u{202e}txt.exe\u{2066}", "user\\u{202e}txt.exe\\u{2066}"),
        ("tag\u{e0041}", "tag\\u{e0041}"),
        ("مرحبا 你好 👩‍💻", "مرحبا 你好 👩‍💻"),
    ] {
        assert_eq!(neutralise(raw), neutral, "{raw:?}");
    }
    assert!(matches!(neutralise("nothing to do"), Cow::Borrowed(_)));
}

#[test]
fn progress_lines_keep_their_last_state() {
    assert_eq!(text(b" 1%\r 50%\r100%\ndone\r\n"), "100% [2 overwritten parts left out]\ndone\n");
    assert_eq!(text(b"working\r"), "working");
    assert_eq!(text(b"rm -rf /\rharmless"), "harmless [1 overwritten part left out]");
    let mut bar = Vec::new();
    for i in 0..200_000 {
        bar.extend_from_slice(format!("\r{i} of 200000").as_bytes());
    }
    let bar = shown(&bar, Limits::default());
    let said = "199999 of 200000 [199999 overwritten parts left out]";
    assert_eq!((bar.text.as_str(), bar.cut, bar.overwritten), (said, None, 199_999));
}

/// O01: head and tail are there, the cut is marked, and it is quick.
#[test]
fn long_output_keeps_head_and_tail() {
    let raw: String = (1..=35_000).map(|i| format!("{i}\n")).collect();
    let all = shown(raw.as_bytes(), Limits::default());
    assert!(all.text.starts_with("1\n2\n") && all.text.ends_with("34999\n35000\n"));
    assert!(all.text.contains(&format!("of {} bytes shown, the middle is left out]", raw.len())), "marked");
    assert_eq!(all.cut.unwrap().total_bytes, raw.len() as u64);
    assert!(all.text.len() < 66 * 1024);
    // Lines stay whole on both sides of the cut.
    let (head, tail) = all.text.split_once("\n[cut: ").unwrap();
    let last: u32 = head.lines().last().unwrap().parse().unwrap();
    let next: u32 = tail.lines().nth(1).unwrap().parse().unwrap();
    assert!(raw.contains(&format!("\n{last}\n")) && raw.contains(&format!("\n{next}\n")) && last < next);
}

/// O02: what was not kept in the middle is counted, and characters at the gap are whole.
#[test]
fn a_gap_that_was_never_kept_is_counted() {
    let head = "你好\n世".as_bytes();
    let tail = "界\nend".as_bytes();
    let (head, tail) = (&head[..head.len() - 1], &tail[1..]);
    let captured = Captured { head, tail, total: 2_000_000_000 };
    let shown = decode_output(captured, Limits::default());
    assert!(shown.text.starts_with("你好\n[cut: ") && shown.text.ends_with("\nend"), "{}", shown.text);
    assert!(shown.text.contains("of 2000000000 bytes"));
    assert!(!shown.replaced, "a character cut by the gap is not the command's fault: {}", shown.text);
    let joined =
        Captured { head: "世".as_bytes().split_at(1).0, tail: "世".as_bytes().split_at(1).1, total: 3 };
    assert_eq!(decode_output(joined, Limits::default()).text, "世", "without a gap the parts are one");
}

/// W01: limits never fall into a character.
#[test]
fn limits_do_not_cut_characters() {
    for odd in ["→", "展", "🙂"] {
        for room in 0..12 {
            let raw = format!("{}{odd}{}{odd}{}", "a".repeat(7), "b".repeat(50), "c".repeat(7));
            let shown = shown(raw.as_bytes(), Limits { head: room, tail: room });
            assert!(shown.text.contains("[cut: "), "{}", shown.text);
            assert!(!shown.text.contains('\u{fffd}'));
        }
    }
}

/// W08: invalid bytes are replaced, and said.
#[test]
fn invalid_bytes_are_replaced_and_said() {
    let odd = shown(b"before \xff\xfe after\n", Limits::default());
    assert!(odd.replaced && odd.text.starts_with("before \u{fffd}\u{fffd} after\n"));
    assert!(odd.text.contains("not UTF-8"));
    assert!(!shown("plain 展\n".as_bytes(), Limits::default()).replaced);
    assert_eq!(shown(b"", Limits::default()).text, "");
}

fn neutral(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t')
}

proptest! {
    #[test]
    fn neutral_text_has_no_control_characters(raw in "(\\x1b|\\x1b\\[|m|[0-9;]|\\r|\\n|\\x{9b}|\\x{202e}|.|\\x00){0,40}") {
        let once = neutralise(&raw).into_owned();
        prop_assert!(neutral(&once), "{:?}", once);
        prop_assert_eq!(neutralise(&once), once.as_str());
    }

    #[test]
    fn any_bytes_become_bounded_neutral_text(
        head in proptest::collection::vec(any::<u8>(), 0..300),
        tail in proptest::collection::vec(any::<u8>(), 0..300),
        gap in 0_u64..3,
        room in 0_usize..400,
    ) {
        let total = (head.len() + tail.len()) as u64 + gap;
        let shown = decode_output(Captured { head: &head, tail: &tail, total }, Limits { head: room, tail: room });
        prop_assert!(neutral(&shown.text), "{:?}", shown.text);
        prop_assert!(shown.text.len() <= 2 * room + 200);
        prop_assert!(gap == 0 || shown.cut.is_some());
        prop_assert_eq!(shown.cut.is_some(), shown.text.contains("[cut: "));
    }
}
