//! Counting by a `tokenizer.json`, with a small one made by hand: what it must say is worked out in the head.

use super::{CHINESE, CODE, ENGLISH, OUTPUT};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wakeful::run::settings::ModelSettings;
use wakeful::tokens::{self, Counter, Estimate, TokenizerError, TokenizerJson, UNBROKEN};

/// Merges of it: `th the Ġthe aa aaaa ĠĠ 中 !! in ing`. Texts are composed (NFC); it wants to cut after 8 tokens, which must not be done.
pub fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/tokens/tokenizer.json")
}

/// Settings that name this counter.
fn settings(tokenizer: &str, file: &Path) -> ModelSettings {
    let mut model = crate::suite::store::support::settings().model;
    model.tokenizer = tokenizer.to_owned();
    model.tokenizer_file = Some(file.to_owned());
    model
}

#[test]
fn it_counts_what_the_merges_make() {
    let counter = TokenizerJson::open(&file()).unwrap();
    assert!(counter.exact() && counter.id().starts_with("tokenizer.json:") && counter.id().len() == 15 + 16);
    for (text, count) in [
        ("", 0),
        ("the the", 2),
        ("thing", 2),
        ("aaaaa", 2),
        ("中文", 1 + 3),
        ("e\u{301}", 2),
        ("   x", 3),
        ("a<|end|>a", 3),
        ("0123456789 0123456789", 21),
    ] {
        assert_eq!(counter.count(text), count, "{text:?}");
    }
}

#[test]
fn a_long_text_in_pieces_counts_as_it_does_in_lines() {
    let counter = TokenizerJson::open(&file()).unwrap();
    for text in [ENGLISH, CHINESE, CODE, OUTPUT] {
        let text = format!("{}\n", text.trim());
        let one = counter.count(&text);
        let times = 400_000 / u32::try_from(text.len()).unwrap() + 1;
        assert_eq!(counter.count(&text.repeat(times as usize)), one * times, "{text:.30}");
    }
}

/// C18 and C19 for this kind: no panic, no stall, and never fewer than there are.
#[test]
fn a_million_identical_characters_are_counted_at_once() {
    let counter = TokenizerJson::open(&file()).unwrap();
    for (c, of_one) in [
        ("a", 0.25),
        ("A", 1.0),
        (" ", 0.5),
        ("!", 0.5),
        ("中", 1.0),
        ("\n", 1.0),
        ("0", 1.0),
        ("🙂", 4.0),
        ("<|", 2.0),
    ] {
        let text = c.repeat(1_000_000);
        let begun = Instant::now();
        let count = f64::from(counter.count(&text));
        // Unoptimised builds on busy machines: far above the seconds it takes, far below a stall.
        assert!(begun.elapsed() < Duration::from_secs(120), "{c:?} stalls: {:?}", begun.elapsed());
        let (least, cuts) = (of_one * 1e6, (text.len() / UNBROKEN + 1) as f64);
        assert!(count >= least && count <= least + 2.0 * cuts, "{c:?}: {count}, {least} are there");
    }
}

#[test]
fn the_name_is_the_content_and_settings_find_the_file_again() {
    let counter = TokenizerJson::open(&file()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("other.json");
    std::fs::copy(file(), &copy).unwrap();
    assert_eq!(TokenizerJson::open(&copy).unwrap().id(), counter.id());
    let model = settings(counter.id(), &copy);
    assert_eq!((tokens::counter_of(&model).count("the the"), tokens::missing(&model)), (2, None));

    // Another content, which nobody has read before.
    let changed = std::fs::read_to_string(file()).unwrap().replace("\"1.0\"", "\"1.0\" ");
    std::fs::write(&copy, changed).unwrap();
    let other = TokenizerJson::open(&copy).unwrap();
    assert_ne!(other.id(), counter.id());
}

#[test]
fn a_file_that_is_gone_or_changed_is_named_and_an_estimate_counts() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path().join("tokenizer.json");
    std::fs::copy(file(), &here).unwrap();
    // A name that no file of these tests has, so that it is not in memory.
    let model = settings("tokenizer.json:0123456789abcdef", &here);
    assert_eq!(tokens::missing(&model), Some(TokenizerError::Changed { file: here.clone() }));
    assert_eq!(tokens::counter_of(&model).count(ENGLISH), Estimate.count(ENGLISH));
    std::fs::remove_file(&here).unwrap();
    let why = tokens::missing(&model).unwrap().to_string();
    assert!(why.contains("tokenizer.json cannot be read") && why.contains("Name a file"), "{why}");
}

#[test]
fn what_is_no_tokenizer_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let whole = std::fs::read_to_string(file()).unwrap();
    let random = whole.replace("\"dropout\": null", "\"dropout\": 0.1");
    assert_ne!(random, whole);
    let half: String = whole.chars().take(2_000).collect();
    for (name, text, why) in [
        ("empty.json", "", "no tokenizer.json"),
        ("half.json", half.as_str(), "no tokenizer.json"),
        ("other.json", "{\"model\": \"qwen\"}", "no tokenizer.json"),
        ("list.json", "[1, 2]", "no tokenizer.json"),
        ("random.json", random.as_str(), "drops merges at random"),
    ] {
        let place = dir.path().join(name);
        std::fs::write(&place, text).unwrap();
        let said = TokenizerJson::open(&place).err().unwrap().to_string();
        assert!(said.contains(name) && said.contains(why), "{said}");
    }
    // Well formed, and without a vocabulary: by it ten thousand bytes would be a handful of tokens.
    for (name, model) in [
        ("bare.json", r#"{"type": "BPE", "vocab": {}, "merges": []}"#),
        ("one.json", r#"{"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}"#),
        ("letters.json", r#"{"type": "BPE", "vocab": {"a": 0, "e": 1}, "merges": []}"#),
    ] {
        let place = dir.path().join(name);
        std::fs::write(&place, format!(r#"{{"version": "1.0", "added_tokens": [], "model": {model}}}"#))
            .unwrap();
        let said = TokenizerJson::open(&place).err().unwrap().to_string();
        assert!(said.contains(name) && said.contains("vocabulary is empty, or lacks"), "{said}");
    }
    let said = TokenizerJson::open(dir.path()).err().unwrap().to_string();
    assert!(said.contains("not an ordinary file"), "{said}");
}
