//! A text as a row of words and signs, in the order in which they stand, for reading what it states.
//!
//! Unlike the terms that it is found by, a path, a version or an address stays one word here, and a run of Chinese is cut
//! where one of its few words for "is", "in" or "uses" stands.

use super::lexicon::{HAN_WHOLE, Link, each, han_link};
use rust_stemmers::{Algorithm, Stemmer};

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// A word of a spaced script, a path, a name.
    Word,
    /// It begins with a digit.
    Number,
    /// Characters without spaces between them.
    Han,
    /// What links a thing and what is said of it.
    Link(Link),
    /// `,` between parts of a sentence.
    Comma,
    /// `:` behind what the rest is about.
    Colon,
    /// A dash: an aside begins.
    Aside,
    /// A bracket: what stands in it says where or when.
    Bracket,
    /// The end of a sentence.
    End,
}

/// A word where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// As written.
    pub raw: String,
    /// In lower case, without what English adds to it.
    pub low: String,
    /// Its stem; of a path or a name the lower case.
    pub stem: String,
    /// What it is.
    pub sort: Sort,
    /// It stood in quotes or backticks.
    pub quoted: bool,
}

impl Word {
    fn new(raw: &str, sort: Sort, stemmer: &Stemmer, quoted: bool) -> Self {
        let low = raw.to_lowercase();
        let low = low.strip_suffix("'s").or(low.strip_suffix("’s")).unwrap_or(&low).to_owned();
        let plain = low.chars().all(|c| c.is_ascii_alphabetic());
        let stem = if plain { stemmer.stem(&low).into_owned() } else { low.clone() };
        Self { raw: raw.to_owned(), low, stem, sort, quoted }
    }

    /// It names something: a path, code, a name with a capital, a number in it.
    pub fn is_name(&self) -> bool {
        let inner = self.raw.chars().any(|c| matches!(c, '/' | '_' | '.' | '@' | '#' | ':' | '-'));
        let capital = self.raw.chars().any(char::is_uppercase);
        self.quoted || inner || capital || self.raw.chars().any(|c| c.is_ascii_digit())
    }

    /// It counts something, and is neither a date nor an address.
    pub fn is_count(&self) -> bool {
        let counts = |c: char| c.is_ascii_digit() || matches!(c, ',' | '_' | '.' | '%') || c.is_alphabetic();
        self.sort == Sort::Number && self.raw.chars().all(counts) && self.raw.matches('.').count() < 2
    }

    /// It is of lower case, and says how something is.
    pub fn describes(&self) -> bool {
        let plain = self.raw.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        let last = self.low.rsplit('-').next().unwrap_or_default();
        !self.quoted && plain && (super::lexicon::is_property(&self.low) || super::lexicon::is_property(last))
    }

    /// It is a path or an address.
    pub fn is_path(&self) -> bool {
        self.raw.contains('/')
            || self.raw.rsplit_once('.').is_some_and(|(name, end)| {
                !name.is_empty()
                    && (1..=5).contains(&end.len())
                    && end.starts_with(|c: char| c.is_ascii_lowercase())
            })
    }
}

/// Han, kana and Hangul.
pub(super) fn is_han(c: char) -> bool {
    super::terms::is_unspaced(c)
}

/// Most words of a text that are read.
const MOST: usize = 2_000;

/// The words of a text.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut reading = Reader { stemmer: Stemmer::create(Algorithm::English), words: Vec::new() };
    for line in text.lines() {
        for piece in line.split_whitespace() {
            if reading.words.len() < MOST {
                reading.piece(piece);
            }
        }
        reading.sign(Sort::End);
    }
    reading.words
}

struct Reader {
    stemmer: Stemmer,
    words: Vec<Word>,
}

impl Reader {
    fn sign(&mut self, sort: Sort) {
        self.words.push(Word::new("", sort, &self.stemmer, false));
    }

    /// What stands between two spaces.
    fn piece(&mut self, piece: &str) {
        let mut latin = String::new();
        let mut han = String::new();
        let all: Vec<char> = piece.chars().map(super::terms::narrow).collect();
        for (at, c) in all.iter().copied().enumerate() {
            if is_han(c) {
                self.latin(&std::mem::take(&mut latin));
                han.push(c);
                continue;
            }
            let sign = match c {
                '，' | '、' => Some(Sort::Comma),
                '：' => Some(Sort::Colon),
                '。' | '；' | '！' | '？' => Some(Sort::End),
                '（' | '(' => Some(Sort::Bracket),
                '—' | '–' => Some(Sort::Aside),
                '＝' => Some(Sort::Link(Link::Is)),
                // Behind Chinese it stands as the wide one does.
                ':' if !han.is_empty() => Some(Sort::Colon),
                ',' if !han.is_empty() => Some(Sort::Comma),
                ';' if !han.is_empty() => Some(Sort::End),
                '=' if !han.is_empty() || is_assigned(&all, at) => Some(Sort::Link(Link::Is)),
                _ => None,
            };
            self.han(&std::mem::take(&mut han));
            match sign {
                // A dash between two numbers spans them.
                Some(Sort::Aside) if matches!(c, '–') && latin.ends_with(|c: char| c.is_ascii_digit()) => {
                    latin.push('-')
                }
                Some(sort) => {
                    self.latin(&std::mem::take(&mut latin));
                    self.sign(sort);
                }
                None => latin.push(c),
            }
        }
        self.han(&han);
        self.latin(&latin);
    }

    /// A word of a spaced script with the signs around it.
    fn latin(&mut self, text: &str) {
        let quoted = text.contains(['`', '"', '“', '”', '「', '」']);
        let inside = text.trim_start_matches(|c: char| {
            !c.is_alphanumeric() && !matches!(c, '/' | '.' | '-' | '_' | '~' | '#' | '@' | '%')
        });
        let end = inside
            .trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '_' | '+' | '%' | '#'));
        let after = inside.get(end.len()..).unwrap_or_default();
        if text == "=" || text == "==" || text == ":=" {
            return self.sign(Sort::Link(Link::Is));
        }
        if text == "-" || text == "--" {
            return self.sign(Sort::Aside);
        }
        if end == "%" || end.chars().any(|c| c.is_alphanumeric() || c == '/') {
            let sort = if end.starts_with(|c: char| c.is_ascii_digit()) { Sort::Number } else { Sort::Word };
            self.words.push(Word::new(end, sort, &self.stemmer, quoted));
        }
        match after.chars().rfind(|c| matches!(c, '.' | ',' | ':' | ';' | '!' | '?' | ')')) {
            Some(',') => self.sign(Sort::Comma),
            Some(':') => self.sign(Sort::Colon),
            Some('.' | ';' | '!' | '?') if !matches!(end, "e.g" | "i.e" | "vs" | "etc") => {
                self.sign(Sort::End)
            }
            Some(_) | None => {}
        }
    }

    /// A run without spaces, cut where a word stands that links.
    fn han(&mut self, run: &str) {
        // Japanese and Korean link in other ways.
        if run.chars().any(|c| matches!(u32::from(c), 0x3040..=0x30ff | 0xac00..=0xd7af)) {
            return self.push_han(run);
        }
        let (mut text, mut rest) = (String::new(), run);
        while let Some(c) = rest.chars().next() {
            let whole = each(HAN_WHOLE).find(|word| rest.starts_with(word));
            let step = match (whole, han_link(rest)) {
                (Some(word), _) => {
                    text.push_str(word);
                    word.len()
                }
                (None, Some((word, link))) => {
                    self.push_han(&std::mem::take(&mut text));
                    let mut sign = Word::new(word, Sort::Link(link), &self.stemmer, false);
                    sign.low = word.to_owned();
                    self.words.push(sign);
                    word.len()
                }
                (None, None) => {
                    text.push(c);
                    c.len_utf8()
                }
            };
            rest = rest.get(step..).unwrap_or_default();
        }
        self.push_han(&text);
    }

    fn push_han(&mut self, text: &str) {
        if !text.is_empty() {
            self.words.push(Word::new(text, Sort::Han, &self.stemmer, false));
        }
    }
}

/// `name=value`, and no comparison.
fn is_assigned(all: &[char], at: usize) -> bool {
    let near = |at: Option<usize>| at.and_then(|at| all.get(at)).copied().unwrap_or(' ');
    let (before, after) = (near(at.checked_sub(1)), near(Some(at + 1)));
    (before.is_alphanumeric() || before == '_')
        && (after.is_alphanumeric() || matches!(after, '_' | '"' | '\'' | '/'))
}
