//! Whether two memories say the same, or different things of the same.
//!
//! Only plain signs count: a number that differs, or a negation in one alone, in texts that have nearly all other words
//! in common. It is a question to a person, not a verdict: both stay, side by side, with their sources.

use super::{Terms, terms};
use std::collections::BTreeSet;

/// Words that turn a statement round; kept apart from other words.
const NEGATIONS: [&str; 10] = ["不", "cannot", "disabl", "never", "no", "none", "not", "without", "无", "没"];
/// Numbers as words.
const NUMBERS: [(&str, &str); 14] = [
    ("one", "1"),
    ("single", "1"),
    ("singl", "1"),
    ("two", "2"),
    ("doubl", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("ten", "10"),
    ("一", "1"),
    ("单", "1"),
    ("两", "2"),
    ("二", "2"),
    ("三", "3"),
];
/// Share of the smaller text's words that must be common.
const ALIKE: f64 = 0.6;
/// Most words of each that the other has not.
const OTHER: usize = 2;

/// A text as it is compared: taken apart once, whatever it is held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What it is found by.
    pub terms: Terms,
    /// It holds a negation.
    negative: bool,
}

impl Reading {
    /// Takes a text apart.
    pub fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let mut spaced = lower.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
        let negative = spaced.any(|word| NEGATIONS.contains(&word) || word.ends_with("n't"))
            || NEGATIONS.iter().filter(|word| !word.is_ascii()).any(|word| lower.contains(word));
        Self { terms: terms(text), negative }
    }

    fn all(&self) -> BTreeSet<&str> {
        self.terms.words.iter().chain(&self.terms.characters).map(String::as_str).collect()
    }

    fn statement(&self) -> Statement<'_> {
        let mut statement =
            Statement { words: BTreeSet::new(), numbers: BTreeSet::new(), negative: self.negative };
        let chinese = !self.terms.characters.is_empty();
        // Pairs straddle words: single characters are the better measure of what Chinese texts share.
        let pairs_out = self.terms.words.iter().filter(|word| !chinese || word.is_ascii());
        for term in pairs_out.chain(&self.terms.characters).map(String::as_str) {
            if NEGATIONS.contains(&term) {
                continue;
            }
            match NUMBERS.iter().find(|(word, _)| *word == term) {
                Some((_, number)) => statement.numbers.insert(number),
                None if term.starts_with(|c: char| c.is_ascii_digit()) => statement.numbers.insert(term),
                None => statement.words.insert(term),
            };
        }
        statement
    }
}

/// True if two texts say the same: they have the same terms, in whatever order, and none turns the other round.
pub fn same(a: &Reading, b: &Reading) -> bool {
    let first = a.all();
    !first.is_empty() && first == b.all() && !disagree(a, b)
}

/// True if two texts seem to say different things of the same.
pub fn disagree(a: &Reading, b: &Reading) -> bool {
    let (a, b) = (a.statement(), b.statement());
    let shared = a.words.intersection(&b.words).count();
    let smaller = a.words.len().min(b.words.len());
    if smaller == 0 || (shared as f64) < ALIKE * smaller as f64 {
        return false;
    }
    let apart = |one: &Statement<'_>, other: &Statement<'_>| one.words.difference(&other.words).count();
    if apart(&a, &b) > OTHER || apart(&b, &a) > OTHER {
        return false;
    }
    a.negative != b.negative || (!a.numbers.is_empty() && !b.numbers.is_empty() && a.numbers != b.numbers)
}

/// What a text states.
struct Statement<'a> {
    words: BTreeSet<&'a str>,
    numbers: BTreeSet<&'a str>,
    negative: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        super::same(&Reading::of(a), &Reading::of(b))
    }

    fn disagree(a: &str, b: &str) -> bool {
        super::disagree(&Reading::of(a), &Reading::of(b))
    }

    #[test]
    fn another_number_or_a_negation_of_the_same_is_a_disagreement() {
        for (a, b) in [
            ("Export uses 4 threads", "Export uses a single thread"),
            ("The bench takes 214 s", "The bench takes 58 s"),
            ("The cache is enabled in CI", "The cache is not enabled in CI"),
            ("导出用四个线程，4 个", "导出用 1 个线程"),
            ("测试需要网络", "测试不需要网络"),
        ] {
            assert!(disagree(a, b), "{a} / {b}");
            assert!(disagree(b, a), "{b} / {a}");
        }
    }

    #[test]
    fn other_things_and_the_same_thing_are_none() {
        for (a, b) in [
            ("Export uses 4 threads", "Export uses 4 threads, always"),
            ("Export uses 4 threads", "The import of orders needs 2 passes over the file"),
            ("Never touch fixtures/", "perf needs debug = 1"),
            ("测试需要网络", "构建需要 3 分钟"),
            ("", ""),
        ] {
            assert!(!disagree(a, b), "{a} / {b}");
        }
    }

    #[test]
    fn the_same_words_in_another_order() {
        assert!(same("cache is cold", "cold: the cache!"));
        assert!(!same("cache is cold", "cache is warm"));
        assert!(!same("cache is cold", "cache is not cold"));
        assert!(!same("", ""));
    }
}
