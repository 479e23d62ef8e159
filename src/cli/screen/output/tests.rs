//! The end of an output and its pieces: bounded, whole, without keys.

use super::*;
use crate::host::environment::Secrets;
use crate::run::Hash;
use std::io::Write as _;

const KEY: &str = "sk-proj-4f8a9b2c7d1e6f3a5b9c";

fn masks() -> Masks {
    let secret = [("DEPLOY".to_owned(), "one two three".to_owned())];
    Masks::new(Vec::new(), &secret.into_iter().collect::<Secrets>())
}

/// A spool with this output.
fn spool(root: &Path, bytes: &[u8]) -> Spool {
    let spool = Spool::at(root, &SpoolName::new("c1", 1, 1).unwrap()).unwrap();
    std::fs::create_dir_all(spool.path()).unwrap();
    std::fs::write(spool.file("out"), bytes).unwrap();
    spool
}

fn write(spool: &Spool, bytes: &[u8]) {
    std::fs::File::options().append(true).open(spool.file("out")).unwrap().write_all(bytes).unwrap();
}

/// All of it, piece by piece, as a page that reads it shows it.
fn pieces(spool: &Spool) -> (u64, String) {
    let (mut from, mut begin, mut all) = (None, None, String::new());
    loop {
        let part = piece(spool, from, &masks()).unwrap();
        begin.get_or_insert(part.from);
        assert!(part.text.len() + part.rest.len() <= 3 * PIECE);
        all.push_str(&part.text);
        if part.next == part.from || part.next == part.size {
            return (begin.unwrap(), all + &part.rest);
        }
        from = Some(part.next);
    }
}

#[test]
fn the_end_of_an_output_is_whole_lines_without_half_characters_or_keys() {
    let masks = masks();
    assert_eq!(last_lines(b"one\ntwo", false, &masks), "one\n", "the last word may be the begin of a key");
    assert_eq!(last_lines(b"one\ntwo ", false, &masks), "one\ntwo ");
    assert_eq!(
        last_lines(b"\r10%\r20%\n\xff\x1b[31mred\n", false, &masks),
        "20% [1 overwritten part left out]\n\u{fffd}red\n"
    );
    let (begin, end) = KEY.split_at(8);
    let halves = format!("--------{end}\r{begin}\n");
    assert_eq!(last_lines(halves.as_bytes(), false, &masks), "[masked key] [1 overwritten part left out]\n");
    assert_eq!(last_lines("你好\n".as_bytes().split_at(2).0, false, &masks), "");
    let text = format!("x {KEY} y one two three z one two");
    assert_eq!(last_lines(text.as_bytes(), false, &masks), "x [masked key] y [masked secret DEPLOY] z ");
    // Of a long one the beginning is left out up to a line, with all that may have begun before it.
    let long = format!("{}\nlast 你\n", "é".repeat(MARGIN)).into_bytes();
    assert_eq!(last_lines(&long[1..], true, &masks), "last 你\n");
    let one = "é".repeat(MARGIN).into_bytes();
    let shown = last_lines(&[&one[1..], b" "].concat(), true, &masks);
    assert!(shown.len() > MARGIN / 2 && shown.starts_with('é'), "{} bytes", shown.len());
}

#[test]
fn pieces_make_the_whole_whatever_stands_at_their_edges() {
    let dir = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for n in 0..9_000 {
        text.push_str(&format!("{n} 你好 {KEY}\r\n"));
    }
    let spool_of_all = spool(dir.path(), text.as_bytes());
    let (begin, all) = pieces(&spool_of_all);
    assert_eq!(begin, 0);
    assert_eq!(all, text.replace(KEY, "[masked key]").replace('\r', ""));
    // Bytes that are no text, and no line end at all.
    let (begin, all) = pieces(&spool(dir.path(), &b"\xffa".repeat(100_000)));
    assert_eq!((begin, all.chars().count()), (0, 200_000 - 1), "the last letter waits");
    // A secret that goes over several lines is not whole yet.
    let part = piece(&spool(dir.path(), b"a\n-----BEGIN PRIVATE KEY-----\nab1\n"), None, &masks()).unwrap();
    assert_eq!((part.text.as_str(), part.rest.as_str(), part.next), ("a\n", "", 2));
    // Of a very long one the end.
    let long = "0123456789\n".repeat(300_000);
    let (begin, all) = pieces(&spool(dir.path(), long.as_bytes()));
    assert!(begin > 2_700_000 && all.starts_with("0123") && all.len() as u64 == long.len() as u64 - begin);
}

#[test]
fn lines_are_counted_as_they_come_and_what_was_seen_outlives_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let spool = spool(dir.path(), b"1\n2\n3");
    let call = call();
    let seen = |before: Option<Seen>| look(&spool, &call, before, &masks()).unwrap();
    let first = seen(None);
    assert_eq!((first.running.bytes, first.running.lines), (5, Some(3)));
    write(&spool, b"\n4\n");
    let second = seen(Some(first));
    assert_eq!((second.running.bytes, second.running.lines, second.ends), (8, Some(4), Some(4)));
    assert_eq!(second.running.tail, "1\n2\n3\n4\n");
    write(&spool, &b"x\n".repeat(1 << 20));
    let third = seen(Some(second));
    assert_eq!(
        (third.running.lines, third.running.tail.len() <= TAIL),
        (None, true),
        "too fast to be counted"
    );
    std::fs::remove_dir_all(spool.path()).unwrap();
    let last = seen(Some(third));
    assert_eq!(last.running.bytes, 8 + (2 << 20));
    assert!(look(&spool, &call, None, &masks()).is_none());
}

fn call() -> Call {
    Call {
        call_id: CallId::new("c1"),
        seq: 1,
        reply_seq: 1,
        origin: crate::run::Origin::Model,
        timeline: 1,
        step: 1,
        position: 1,
        tool: "shell".to_owned(),
        class: crate::run::Class::Effect,
        args_hash: Hash::of(b"a"),
        effect_key: Hash::of(b"a"),
        args_seq: 1,
        status: CallStatus::Started,
        attempt: 1,
        epoch: 1,
        spool_epoch: 1,
        since: 0,
        why: None,
        may_have_happened: false,
        edited: false,
        shown: None,
        default: None,
    }
}
