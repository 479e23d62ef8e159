//! What a text is found by.
//!
//! Latin and other spaced scripts: words in lower case, brought to their English stem; an identifier such as
//! `write_all` or `readFile` counts as a whole and by its parts. Chinese, Japanese and Korean: each pair of neighbouring
//! characters, and in a column of their own single characters, so that a word of one character is found and yet many
//! common characters do not outweigh one rare word.

use rust_stemmers::{Algorithm, Stemmer};
use std::collections::{BTreeMap, BTreeSet};

/// Most terms that are taken from one text.
const MOST: usize = 2_000;

/// English words that are in every text. They would only make the index larger.
const COMMON: [&str; 62] = [
    "a", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "do", "does",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "may", "must",
    "no", "not", "of", "on", "or", "our", "should", "so", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "to", "was", "we", "were", "what", "when", "where", "which", "while",
    "who", "will", "with", "would", "you",
];
/// Chinese characters that carry grammar and little meaning.
const PARTICLES: &str =
    "的了是在和与及就也都而且或这那个们我你他她它其之于为以被把对从到等吗呢吧啊着过地得不没有要会可能请";

/// The terms of a text, none twice, in the order in which they first come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Words, parts of identifiers, and pairs of characters of scripts without spaces.
    pub words: Vec<String>,
    /// Single characters of scripts without spaces.
    pub characters: Vec<String>,
    /// How words that were brought to a stem were first written, in lower case.
    written: BTreeMap<String, String>,
}

impl Terms {
    /// A term as it was first written in this text, in lower case.
    pub fn written<'a>(&'a self, term: &'a str) -> &'a str {
        self.written.get(term).map_or(term, String::as_str)
    }

    /// True if a term is among them.
    pub fn holds(&self, term: &str) -> bool {
        self.words.iter().chain(&self.characters).any(|own| own == term)
    }

    /// True if there is nothing to find it by.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.characters.is_empty()
    }
}

/// The terms of a text.
pub fn terms(text: &str) -> Terms {
    let mut taking = Taking {
        stemmer: Stemmer::create(Algorithm::English),
        seen: BTreeSet::new(),
        terms: Terms::default(),
    };
    let mut run: Vec<char> = Vec::new();
    let mut word = String::new();
    for c in text.chars().map(narrow) {
        if taking.seen.len() >= MOST {
            break;
        }
        if is_unspaced(c) {
            taking.word(&std::mem::take(&mut word));
            run.push(c);
        } else {
            taking.run(&std::mem::take(&mut run));
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
            } else {
                taking.word(&std::mem::take(&mut word));
            }
        }
    }
    taking.run(&run);
    taking.word(&word);
    taking.terms
}

/// A full-width letter or digit as the one it stands for.
pub(super) fn narrow(c: char) -> char {
    match c {
        '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c)
        }
        _ => c,
    }
}

/// Han, kana and Hangul: words are not set apart by spaces, or not by spaces alone.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x3005 | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff
        | 0x20000..=0x323af)
}

struct Taking {
    stemmer: Stemmer,
    seen: BTreeSet<String>,
    terms: Terms,
}

impl Taking {
    fn add(&mut self, term: String, single: bool) {
        if self.seen.insert(term.clone()) {
            if single { self.terms.characters.push(term) } else { self.terms.words.push(term) }
        }
    }

    fn stem(&mut self, lower: &str) {
        let stem = self.stemmer.stem(lower).into_owned();
        if stem != lower {
            self.terms.written.entry(stem.clone()).or_insert_with(|| lower.to_owned());
        }
        self.add(stem, false);
    }

    /// A run of characters without spaces.
    fn run(&mut self, run: &[char]) {
        for pair in run.windows(2) {
            let useful = pair.iter().any(|c| !PARTICLES.contains(*c));
            if useful {
                self.add(pair.iter().collect(), false);
            }
        }
        for c in run.iter().filter(|c| run.len() == 1 || !PARTICLES.contains(**c)) {
            self.add(c.to_string(), true);
        }
    }

    /// A word as it is written.
    fn word(&mut self, word: &str) {
        let word = word.trim_matches('_');
        if word.is_empty() {
            return;
        }
        let parts = parts(word);
        if parts.len() > 1 {
            self.stem(&word.to_lowercase());
        }
        for part in parts {
            let lower = part.to_lowercase();
            if COMMON.binary_search(&lower.as_str()).is_err() {
                self.stem(&lower);
            }
        }
    }
}

/// The parts of an identifier: at underscores, and where a capital follows a small letter.
fn parts(word: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for c in word.chars() {
        if c == '_' || (c.is_uppercase() && before.is_lowercase()) {
            parts.push(String::new());
        }
        if c != '_'
            && let Some(last) = parts.last_mut()
        {
            last.push(c);
        }
        before = c;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stems_and_common_ones_are_left_out() {
        assert!(COMMON.is_sorted());
        assert_eq!(terms("The builds were failing in CI").words, ["build", "fail", "ci"]);
        assert_eq!(terms("Flushing flushed flushes").words, ["flush"]);
    }

    #[test]
    fn an_identifier_counts_as_a_whole_and_by_its_parts() {
        assert_eq!(terms("write_all").words, ["write_al", "write", "all"]);
        assert_eq!(terms("readFile").words, ["readfil", "read", "file"]);
        assert_eq!(terms("E0502 SQLITE_BUSY").words, ["e0502", "sqlite_busi", "sqlite", "busi"]);
    }

    #[test]
    fn a_term_is_shown_as_it_was_written() {
        let busy = terms("SQLITE_BUSY: busy");
        assert_eq!((busy.written("busi"), busy.written("sqlite_busi")), ("busy", "sqlite_busy"));
        assert_eq!(terms("bufwriter").words[0], terms("BufWriter").words[0]);
    }

    #[test]
    fn chinese_is_found_by_pairs_and_by_single_characters() {
        let found = terms("数据库的锁");
        assert_eq!(found.words, ["数据", "据库", "库的", "的锁"]);
        assert_eq!(found.characters, ["数", "据", "库", "锁"]);
        assert_eq!(terms("的").characters, ["的"], "alone it is what was asked for");
        assert_eq!(terms("用 ＳＱＬ 查时间").words, ["sql", "查时", "时间"]);
    }

    #[test]
    fn a_long_text_is_bounded() {
        let text: String = (0..10_000).map(|n| format!("word{n} ")).collect();
        assert!(terms(&text).words.len() <= MOST + 2);
        assert!(terms(&"啊".repeat(1_000_000)).words.is_empty());
    }
}
