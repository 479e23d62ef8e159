//! The words of a part of a sentence, and the numbers in it: those that name the thing, and those that count.

use super::amounts::{Amount, Manner, han_number, han_unit, number_word, unit};
use super::lexicon;
use super::words::{Sort, Word};
use std::collections::BTreeSet;

/// Chinese characters that carry grammar alone, or turn a sentence round.
const GRAMMAR: &str = "的了着过吗呢吧啊也都就地得不没无是为在用";

/// Words that turn a sentence round.
pub(super) fn is_negation(low: &str) -> bool {
    const WORDS: &[&str] = &["cannot", "never", "no", "none", "not", "without", "neither", "nor"];
    WORDS.contains(&low) || low.ends_with("n't") || low.ends_with("n’t")
}

/// Words and numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bag {
    /// Words by their stems, and single Chinese characters.
    pub words: BTreeSet<String>,
    /// Numbers that count.
    pub amounts: Vec<Amount>,
    /// The Chinese of it.
    pub han: String,
}

impl Bag {
    /// Takes in the words that name a thing: their numbers name it too.
    pub fn subject(&mut self, words: &[Word]) {
        self.take(words, true);
        // What is said of the project is said of it, and not of nothing.
        if self.words.is_empty() && words.iter().any(|word| lexicon::is_project(&word.low)) {
            self.words.insert("project".to_owned());
        }
    }

    /// Takes in words that say something.
    pub fn rest(&mut self, words: &[Word]) {
        self.take(words, false);
    }

    fn take(&mut self, words: &[Word], names: bool) {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            let next = words.get(at + 1);
            at += 1;
            match word.sort {
                Sort::Word
                    if lexicon::is_label(&word.low) && next.is_some_and(|next| next.sort == Sort::Number) =>
                {
                    let number = next.map(|next| next.low.as_str()).unwrap_or_default();
                    self.words.insert(format!("{} {number}", word.stem));
                    at += 1;
                }
                Sort::Word => self.word(word, next),
                Sort::Number if names && !counts(before, next) => {
                    self.words.insert(word.low.clone());
                }
                Sort::Number if before.is_some_and(|before| before.low.ends_with('第')) => {
                    self.words.insert(format!("第{}", word.low));
                }
                Sort::Number => at += self.number(words, at - 1),
                Sort::Han => self.han(&word.low),
                Sort::Link(_) | Sort::Comma | Sort::Colon | Sort::Aside | Sort::Bracket | Sort::End => {}
            }
        }
    }

    fn word(&mut self, word: &Word, next: Option<&Word>) {
        let counted = next.filter(|next| next.sort == Sort::Word && !lexicon::is_filler(&next.low));
        if let (Some(number), Some(next)) = (number_word(&word.low), counted) {
            let amount = Amount::of(number, Manner::Exactly);
            self.amounts.push(match unit(&next.low) {
                Some((name, factor)) => amount.with_unit(name, factor),
                None => amount.with_unit(&next.stem, 1_000),
            });
        } else if let Some(number) =
            number_word(&word.low).filter(|number| next.is_none() && number.len() == 1 && *number > "1")
        {
            self.amounts.push(Amount::of(number, Manner::Exactly));
        } else if !lexicon::is_filler(&word.low) && !is_negation(&word.low) && !lexicon::is_light(&word.low) {
            self.words.insert(word.stem.clone());
        }
    }

    /// A number that counts; gives how many words behind it are its unit.
    fn number(&mut self, words: &[Word], at: usize) -> usize {
        let Some(word) = words.get(at) else { return 0 };
        let lows: Vec<&str> =
            words.iter().take(at).skip(at.saturating_sub(3)).map(|word| word.low.as_str()).collect();
        let mut amount = Amount::of(&word.low, Manner::of(&lows));
        let next = words.get(at + 1);
        let known = next.filter(|next| next.sort == Sort::Word).and_then(|next| unit(&next.low));
        let mut taken = 0;
        if !amount.unit.is_empty() {
        } else if let Some((name, factor)) = known {
            amount = amount.with_unit(name, factor);
            taken = 1;
        } else if let Some((name, factor, bytes)) =
            next.filter(|next| next.sort == Sort::Han).and_then(|next| han_unit(&next.low))
        {
            amount = amount.with_unit(name, factor);
            taken = 1;
            self.han(next.and_then(|next| next.low.get(bytes..)).unwrap_or_default());
        } else if let Some(next) = next.filter(|next| next.sort == Sort::Word && is_counted(&next.low)) {
            amount = amount.with_unit(&next.stem, 1_000);
        } else {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            let noun = before.filter(|word| word.sort == Sort::Word && is_counted(&word.low));
            amount.label = noun.map(|word| word.stem.clone()).unwrap_or_default();
        }
        self.amounts.push(amount);
        taken
    }

    /// A run of Chinese: its characters, and the numbers in it that count.
    fn han(&mut self, text: &str) {
        let text = lexicon::each(lexicon::HAN_FILLERS)
            .fold(text.to_owned(), |text, filler| text.replace(filler, ""));
        self.han.push_str(&text);
        let (mut rest, mut before) = (text.as_str(), ' ');
        while let Some(c) = rest.chars().next() {
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            let counted = han_unit(rest).filter(|_| before != '第');
            match (han_number(c), counted) {
                (Some(number), Some((name, factor, bytes))) => {
                    self.amounts.push(Amount::of(number, Manner::Exactly).with_unit(name, factor));
                    rest = rest.get(bytes..).unwrap_or_default();
                }
                (Some(number), None) if c == '单' && rest.starts_with("线程") => {
                    self.amounts.push(Amount::of(number, Manner::Exactly).with_unit("个", 1_000));
                }
                (_, _) if !GRAMMAR.contains(c) => {
                    self.words.insert(c.to_string());
                }
                (_, _) => {}
            }
            before = c;
        }
    }
}

/// A number that a thing's name begins with, and behind which a noun stands, counts; another one names.
fn counts(before: Option<&Word>, next: Option<&Word>) -> bool {
    before.is_none()
        && next.is_some_and(|word| match word.sort {
            Sort::Word => is_counted(&word.low),
            Sort::Han => han_unit(&word.low).is_some(),
            Sort::Number
            | Sort::Link(_)
            | Sort::Comma
            | Sort::Colon
            | Sort::Aside
            | Sort::Bracket
            | Sort::End => false,
        })
}

/// A word that can be counted or counted by: a noun, as far as that can be told.
fn is_counted(low: &str) -> bool {
    let opens = lexicon::opens_scope(low) || lexicon::opens_aside(low) || lexicon::opens_property(low);
    !lexicon::is_filler(low)
        && !lexicon::is_verb(low)
        && !lexicon::is_adverb(low)
        && !is_negation(low)
        && !opens
        && low != "or"
}
