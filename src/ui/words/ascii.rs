//! Our own words where there are no signs but ASCII.
//!
//! Only what we say ourselves is changed. A text from outside that stands in a sentence of ours stays as it is: its
//! stretch of the sentence is left alone. Chinese stays Chinese; only the signs go.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The signs of our words, each with what stands for it.
const SIGNS: &[(char, &str)] = &[
    ('·', "."),
    ('…', "..."),
    ('↓', "V"),
    ('↑', "^"),
    ('←', "<"),
    ('→', ">"),
    ('—', "-"),
    ('–', "-"),
    ('−', "-"),
    ('×', "x"),
    ('≈', "~"),
    ('“', "\""),
    ('”', "\""),
];

/// Words of ours without those signs.
pub fn own(text: &str) -> String {
    let sign = |c: char| SIGNS.iter().find(|(sign, _)| *sign == c).map(|(_, ascii)| *ascii);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match sign(c) {
            Some(ascii) => out.push_str(ascii),
            None => out.push(c),
        }
    }
    out
}

/// The same of a word that is written in the program; each is made once.
pub fn fixed(text: &'static str) -> &'static str {
    static MADE: Mutex<BTreeMap<&'static str, &'static str>> = Mutex::new(BTreeMap::new());
    if text.is_ascii() {
        return text;
    }
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(text).or_insert_with(|| Box::leak(own(text).into_boxed_str()))
}

/// A sentence of ours without those signs, but for the texts from outside that stand in it.
pub(super) fn said(sentence: &str, outside: &[Option<&str>]) -> String {
    let mut out = String::with_capacity(sentence.len());
    let mut rest = sentence;
    let kept = || outside.iter().flatten().filter(|text| !text.is_ascii() && !is_figure(text));
    // The longest of those that begin first.
    while let Some((at, text)) = kept()
        .filter_map(|text| Some((rest.find(*text)?, *text)))
        .min_by_key(|(at, text)| (*at, usize::MAX - text.len()))
    {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(&own(before));
        out.push_str(text);
        rest = from.get(text.len()..).unwrap_or_default();
    }
    out.push_str(&own(rest));
    out
}

/// Whether it is a figure as [`numbers`](super::numbers) writes it, and no text from outside.
fn is_figure(text: &str) -> bool {
    let digits = text.strip_prefix('−').unwrap_or_default();
    text == super::numbers::UNKNOWN
        || digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | ' ' | '%'))
}

/// What is put into a sentence.
pub(super) trait Put {
    /// It, if it can be a text from outside.
    fn outside(&self) -> Option<&str>;
}

impl Put for &str {
    fn outside(&self) -> Option<&str> {
        Some(self)
    }
}

impl Put for u64 {
    fn outside(&self) -> Option<&str> {
        None
    }
}

impl Put for i64 {
    fn outside(&self) -> Option<&str> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::words::{Lang, Words};

    #[test]
    fn what_comes_from_outside_stays_in_a_sentence_of_ours() {
        let words = Words::with(Lang::En, true);
        assert!(words.header.message("i").is_ascii());
        assert_eq!(words.goal.removed("a − b · c"), "- \"a − b · c\"");
        assert_eq!(words.small.run_at("Where do 203 s go…", 7), "Where do 203 s go… . step 7");
        assert_eq!(words.context.drift("−12", "—"), own(&Words::of(Lang::En).context.drift("−12", "—")));
        assert_eq!(Words::with(Lang::Zh, true).small.run_at("甲…", 7), "甲… . 第 7 步");
        assert_eq!(Words::with(Lang::En, false).small.run_at("a", 7), "a · step 7");
    }
}
