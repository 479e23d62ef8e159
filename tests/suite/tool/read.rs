//! `read_file`: parts, encodings, binary and huge files (cases W01, W08, W09, O03).

use serde_json::json;

use super::Scene;

#[test]
fn a_file_is_its_own_text() {
    let scene = Scene::new(&[("a.txt", "one\n  two\n"), ("open.txt", "no end"), ("empty", "")]);
    let whole = scene.run("read_file", json!({"path": "a.txt"})).unwrap();
    assert_eq!((whole.text.as_str(), whole.truncated), ("one\n  two\n", None));
    assert_eq!((&whole.meta["lines"], &whole.meta["total_lines"]), (&json!(2), &json!(2)));
    assert_eq!(scene.text("read_file", json!({"path": "open.txt"})), "no end");
    assert_eq!(scene.text("read_file", json!({"path": "empty"})), "[the file is empty]");
}

#[test]
fn parts_say_what_is_left_out() {
    let lines: String = (1..=10).map(|i| format!("line {i}\n")).collect();
    let scene = Scene::new(&[("f", &lines)]);
    let part = scene.run("read_file", json!({"path": "f", "offset": 4, "limit": 2})).unwrap();
    assert_eq!(part.text, "line 4\nline 5\n[lines 4-5 of 10; go on with offset 6]");
    assert_eq!(part.truncated.unwrap().total_bytes, lines.len() as u64);
    let last = scene.run("read_file", json!({"path": "f", "offset": 9})).unwrap();
    assert_eq!((last.text.as_str(), last.truncated), ("line 9\nline 10\n[lines 9-10 of 10]", None));
    let error = scene.error("read_file", json!({"path": "f", "offset": 11}));
    assert_eq!(error.kind, "past_the_end");
    assert!(error.message.contains("10 lines"), "{error}");
    assert_eq!(scene.error("read_file", json!({"path": "f", "offset": u64::MAX})).kind, "past_the_end");
    assert_eq!(scene.text("read_file", json!({"path": "f", "limit": u64::MAX})), lines);
}

#[test]
fn what_is_no_text_file_is_told_apart() {
    let scene = Scene::new(&[("dir/f", "")]);
    scene.put("bin", b"\x7fELF\0\0\0");
    assert_eq!(scene.error("read_file", json!({"path": "bin"})).kind, "binary_file");
    assert_eq!(scene.error("read_file", json!({"path": "dir"})).kind, "not_a_file");
    assert_eq!(scene.error("read_file", json!({"path": "."})).kind, "not_a_file");
    assert_eq!(scene.error("read_file", json!({"path": "nope"})).kind, "not_found");
    assert_eq!(scene.error("read_file", json!({"path": "../x"})).kind, "outside_workspace");
    assert_eq!(scene.error("read_file", json!({"path": "/etc/passwd"})).kind, "outside_workspace");
}

#[test]
fn encodings_are_decoded() {
    let scene = Scene::new(&[]);
    scene.put("bom8", b"\xef\xbb\xbfhi\n");
    assert_eq!(scene.text("read_file", json!({"path": "bom8"})), "hi\n");
    let utf16: Vec<u8> = "\u{feff}你好\nzwei\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    scene.put("utf16", utf16);
    assert_eq!(scene.text("read_file", json!({"path": "utf16"})), "你好\nzwei\n");
    scene.put("gbk", b"\xc4\xe3\xba\xc3\n");
    assert_eq!(scene.text("read_file", json!({"path": "gbk", "encoding": "gbk"})), "你好\n");
    let guessed = scene.text("read_file", json!({"path": "gbk"}));
    assert!(guessed.contains('\u{fffd}') && guessed.contains("not UTF-8 were replaced"), "{guessed}");
    assert_eq!(
        scene.error("read_file", json!({"path": "gbk", "encoding": "klingon"})).kind,
        "invalid_arguments"
    );
}

#[test]
fn hostile_text_is_neutral_and_line_ends_are_said() {
    let scene = Scene::new(&[("esc", "a\u{1b}]0;x\u{7}\n"), ("dos", "a\r\nb\r\n")]);
    assert_eq!(scene.text("read_file", json!({"path": "esc"})), "a\\u{1b}]0;x\\u{7}\n");
    assert_eq!(scene.text("read_file", json!({"path": "dos"})), "a\nb\n[line ends are CRLF]");
}

/// A line's cut, and the cut of the whole, fall between characters.
#[test]
fn long_lines_and_long_files_are_cut_between_characters() {
    for odd in ["→", "展", "🙂"] {
        for pad in 4090..4097 {
            let scene = Scene::new(&[("f", &format!("{}{}\nnext\n", "a".repeat(pad), odd.repeat(3)))]);
            let read = scene.run("read_file", json!({"path": "f"})).unwrap();
            assert!(read.text.contains(" [line cut]\nnext\n"), "{pad}");
            assert!(!read.text.contains('\u{fffd}') && read.truncated.is_some());
        }
    }
    let scene = Scene::new(&[("f", &"展\n".repeat(100_000))]);
    let read = scene.run("read_file", json!({"path": "f", "limit": 1_000_000})).unwrap();
    assert!(read.text.len() <= 64 * 1024);
    let shown = read.meta["lines"].as_u64().unwrap();
    assert!(read.text.ends_with(&format!("[lines 1-{shown} of 100000; go on with offset {}]", shown + 1)));
    let next = scene.text("read_file", json!({"path": "f", "offset": 100_000}));
    assert_eq!(next, "展\n[lines 100000-100000 of 100000]");
}

/// A gigabyte (of holes after the first lines) is neither loaded nor counted to its end.
#[test]
fn a_huge_file_is_read_only_as_far_as_needed() {
    let scene = Scene::new(&[("huge", &"line\n".repeat(5000))]);
    std::fs::File::options().write(true).open(scene.path("huge")).unwrap().set_len(1 << 30).unwrap();
    let begun = std::time::Instant::now();
    let read = scene.run("read_file", json!({"path": "huge", "limit": 3})).unwrap();
    assert_eq!(read.text, "line\nline\nline\n[lines 1-3, more follow; go on with offset 4]");
    assert!(begun.elapsed() < std::time::Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(read.meta["total_lines"], json!(null));
}
