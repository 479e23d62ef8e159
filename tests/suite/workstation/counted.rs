//! A text that takes seconds to be counted: keys have their effect meanwhile (case C19).

use super::desk::Place;
use super::load::latencies;
use super::place::events;
use crate::suite::provider::server::{Answer, ChatServer};
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use wakeful::run::Event;
use wakeful::tokens::{Counter, TokenizerJson};

/// How long counting shall take at least.
const LONG: Duration = Duration::from_secs(4);

/// A tokenizer that looks for the longest entry at each character of a word, however long the word is: a word of one
/// character over and over takes it the cube of its length.
fn slow_tokenizer(file: &Path) -> TokenizerJson {
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": false},
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 10_000_000, "vocab": {"[UNK]": 0, "a": 1, "##a": 2}},
    });
    std::fs::write(file, tokenizer.to_string()).unwrap();
    TokenizerJson::open(file).unwrap()
}

/// A word that takes so long.
fn pathological(counter: &TokenizerJson) -> String {
    let mut word = "a".repeat(500);
    loop {
        // The better of two: others may be at work on this machine.
        let taken = (0..2).map(|_| {
            let begun = Instant::now();
            assert_eq!(counter.count(&word) as usize, word.len());
            begun.elapsed()
        });
        if taken.min() >= Some(LONG) {
            return word;
        }
        word = "a".repeat(word.len() * 5 / 4);
    }
}

#[test]
fn keys_are_answered_while_a_text_is_counted_for_seconds() {
    let wait = "until test -e go; do sleep 0.05; done; cat word";
    let server = ChatServer::script(vec![
        Answer::calls(&[("c1", "shell", json!({ "command": wait }))]),
        Answer::calls(&[("c2", "ask_person", json!({ "question": "Which colour?" }))]),
    ]);
    let place = Place::new();
    let file = place.workspace().join("tokenizer.json");
    let word = pathological(&slow_tokenizer(&file));
    std::fs::write(place.workspace().join("word"), &word).unwrap();
    place.config(&format!(
        "default_profile = \"stub\"\n[[rule]]\ntool = \"shell\"\nthen = \"allow\"\n[profile.stub]\nbase_url = \"{}\"\n\
         model = \"stub\"\nwindow = 131072\nprotocol = \"native\"\ntokenizer = \"{}\"\n",
        server.base(),
        file.display()
    ));
    let desk = place.asking_the_stub();
    desk.wait("▸ ACT");
    latencies(&desk, 3);
    let finished = || events(&place).iter().any(|event| matches!(event, Event::CallFinished { .. }));
    assert!(!finished());
    std::fs::write(place.workspace().join("go"), "").unwrap();
    let begun = Instant::now();
    let (mut answered, mut slowest) = (0, Duration::ZERO);
    while !finished() {
        assert!(begun.elapsed() < LONG * 20, "it is never counted:\n{}", desk.screen());
        let all = latencies(&desk, 3);
        // Those of the last round may have been answered after the end.
        if !finished() {
            answered += all.len();
            slowest = slowest.max(*all.last().unwrap());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let counted = begun.elapsed();
    println!(
        "{} characters, counted in {counted:?}: {answered} keys answered, the slowest in {slowest:?}",
        word.len()
    );
    assert!(counted >= LONG / 2, "it was counted within {counted:?}, which proves nothing");
    assert!(
        answered >= 6 && slowest < counted / 2,
        "{answered} keys, the slowest in {slowest:?} of {counted:?}"
    );
    desk.wait("Which colour?");
    desk.kill();
}
