//! Exact counts by a `tokenizer.json`, the file that Hugging Face's `tokenizers` writes for most open models.
//!
//! Purpose: the model's own tokenizer for families that no table here knows. A counter is named by the file's content
//! (`tokenizer.json:HASH`), so that a run that is taken up later counts alike, or is told that the file is another one.
//! Derived: nothing is kept but the tokenizers that were read last, by content, for the whole process.
//!
//! Long texts go in pieces of some ten thousand bytes, so that memory stays small; they are cut where a line begins with
//! something that is no blank, which the splitting rules of these families do as well. A run without such a place goes
//! whole up to [`UNBROKEN`] bytes, and is then cut anywhere: there a count may be too high by about a token a cut, never
//! too low. The crate itself takes a time that grows as n·log n (a megabyte of one character: 0.3 to 3 s).
//!
//! A file that makes next to nothing of ordinary English and Chinese text is refused where it is read: by an empty
//! vocabulary everything would fit.
//!
//! Not to be assumed: that reading is free. It takes about half a second and keeps 60 to 90 MB for 130,000 to 150,000
//! entries; so it is done at the first count, and a screen's thread should not be the one to ask. Marks such as
//! `<|im_start|>` in a text count as the one token that servers make of them.

use super::{Counter, Estimate};
use crate::run::Hash;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokenizers::{ModelWrapper, Tokenizer};

/// What stands before the hash in a counter's id.
pub const PREFIX: &str = "tokenizer.json:";
/// Characters of the hash in an id.
const HASH: usize = 16;
/// A larger file is no tokenizer, bytes. Those of open models take 2 to 35 MB.
const LARGEST: u64 = 128 << 20;
/// From here on a text is cut at the next place that changes nothing, bytes.
const PIECE: usize = 32 << 10;
/// Longest piece, bytes.
pub const UNBROKEN: usize = 256 << 10;
/// Tokenizers that stay in memory: the run's, and one for another model beside it.
const KEPT: usize = 2;

/// Why a file cannot count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenizerError {
    /// It is not there, or cannot be read.
    #[error("the tokenizer {file} cannot be read: {why}. Name a file that is there, or take `tokenizer` out", file = .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        why: String,
    },
    /// It is no tokenizer that can be used.
    #[error("{file} is no tokenizer.json that can be used: {why}. Name the `tokenizer.json` that comes with the model", file = .file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// It has other contents than the one that a run was counted with.
    #[error("{file} is not the tokenizer that this run was counted with: it has changed since", file = .file.display())]
    Changed {
        /// The file.
        file: PathBuf,
    },
}

/// Counts by a file. Made at once; the file is read at the first count.
pub struct TokenizerJson {
    id: String,
    file: PathBuf,
    loaded: OnceLock<Result<Arc<Tokenizer>, TokenizerError>>,
}

impl TokenizerJson {
    /// The counter of this file as it is now. Reads it.
    ///
    /// # Errors
    /// [`TokenizerError`] that names the file.
    pub fn open(file: &Path) -> Result<Self, TokenizerError> {
        let bytes = read(file)?;
        let id = id_of(&bytes);
        let tokenizer = match kept(&id) {
            Some(tokenizer) => tokenizer,
            None => keep(&id, parse(file, &bytes)?),
        };
        Ok(Self { id, file: file.to_owned(), loaded: OnceLock::from(Ok(tokenizer)) })
    }

    /// The counter of this id. Reads nothing yet.
    #[must_use]
    pub fn named(id: &str, file: &Path) -> Self {
        Self { id: id.to_owned(), file: file.to_owned(), loaded: OnceLock::new() }
    }

    /// Reads the file now, if that was not done.
    ///
    /// # Errors
    /// [`TokenizerError`]; counts are then estimates.
    pub fn ready(&self) -> Result<(), TokenizerError> {
        self.tokenizer().map(|_| ())
    }

    fn tokenizer(&self) -> Result<&Tokenizer, TokenizerError> {
        let loaded = self.loaded.get_or_init(|| {
            if let Some(tokenizer) = kept(&self.id) {
                return Ok(tokenizer);
            }
            let bytes = read(&self.file)?;
            if id_of(&bytes) != self.id {
                return Err(TokenizerError::Changed { file: self.file.clone() });
            }
            Ok(keep(&self.id, parse(&self.file, &bytes)?))
        });
        loaded.as_ref().map(Arc::as_ref).map_err(Clone::clone)
    }
}

impl Counter for TokenizerJson {
    fn count(&self, text: &str) -> u32 {
        let Ok(tokenizer) = self.tokenizer() else { return Estimate.count(text) };
        let count = Pieces { rest: text }.fold(0_usize, |sum, (piece, cut)| {
            sum.saturating_add(tokens(tokenizer, piece)).saturating_add(usize::from(cut))
        });
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn exact(&self) -> bool {
        true
    }
}

/// Tokens of a piece; where the tokenizer refuses it, smaller ones. At last every byte is one: none has more.
fn tokens(tokenizer: &Tokenizer, piece: &str) -> usize {
    if let Ok(encoding) = tokenizer.encode_fast(piece, false) {
        return encoding.len();
    }
    let half = floor(piece, piece.len() / 2);
    match piece.split_at_checked(half) {
        Some((first, second)) if half > 0 => tokens(tokenizer, first) + tokens(tokenizer, second),
        Some(_) | None => piece.len(),
    }
}

/// A text in pieces; true beside one whose end is no place where every tokenizer of this kind would cut.
struct Pieces<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = (&'a str, bool);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let most = floor(self.rest, UNBROKEN);
        let (end, cut) = match self.rest.len() {
            len if len <= PIECE => (len, false),
            len => match line_start(self.rest, most) {
                Some(at) => (at, false),
                None => (most, most < len),
            },
        };
        let (piece, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some((piece, cut))
    }
}

/// The last place up to `at` where the text can be cut.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Where the first line begins that does so after [`PIECE`] bytes, before `most`, and with no blank.
fn line_start(text: &str, most: usize) -> Option<usize> {
    let from = floor(text, PIECE);
    let mut before = '\0';
    for (at, c) in text.get(from..most)?.char_indices() {
        if before == '\n' && !c.is_whitespace() {
            return Some(from + at);
        }
        before = c;
    }
    None
}

fn id_of(bytes: &[u8]) -> String {
    format!("{PREFIX}{}", Hash::of(bytes).short(HASH))
}

fn read(file: &Path) -> Result<Vec<u8>, TokenizerError> {
    let fail = |why: String| TokenizerError::Unreadable { file: file.to_owned(), why };
    let meta = std::fs::metadata(file).map_err(|e| fail(e.to_string()))?;
    // A pipe would block for ever.
    if !meta.is_file() {
        return Err(fail("it is not an ordinary file".to_owned()));
    }
    if meta.len() > LARGEST {
        return Err(fail(format!("it has more than {} MiB", LARGEST >> 20)));
    }
    let mut bytes = Vec::new();
    let open = std::fs::File::open(file).map_err(|e| fail(e.to_string()))?;
    open.take(LARGEST).read_to_end(&mut bytes).map_err(|e| fail(e.to_string()))?;
    Ok(bytes)
}

fn parse(file: &Path, bytes: &[u8]) -> Result<Tokenizer, TokenizerError> {
    let fail = |why: String| TokenizerError::Broken { file: file.to_owned(), why };
    let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|e| fail(e.to_string()))?;
    if let ModelWrapper::BPE(bpe) = tokenizer.get_model()
        && bpe.dropout.is_some_and(|share| share > 0.0)
    {
        return Err(fail("it drops merges at random, so that no count is the same twice".to_owned()));
    }
    // Both would make a count say what is not in the text.
    tokenizer.with_padding(None).with_truncation(None).map_err(|e| fail(e.to_string()))?;
    match SAMPLES.iter().find_map(|sample| sample.too_few(&tokenizer)) {
        Some(why) => Err(fail(why)),
        None => Ok(tokenizer),
    }
}

/// Ordinary text, and the fewest tokens that any vocabulary in use makes of it.
struct Sample {
    language: &'static str,
    text: &'static str,
    least: usize,
}

/// Vocabularies of 250,000 entries make about 40 of the first and 25 of the second; those that put words together still
/// more than half. One that lacks the letters makes none of them, or one token of a whole line, and a count by it would
/// let everything into the window.
const SAMPLES: [Sample; 2] = [
    Sample {
        language: "English",
        text: "The garden is watered every morning before the sun is high; in a dry month the beds near the wall need a \
               second can, and whoever comes last in the evening closes the gate.",
        least: 15,
    },
    Sample {
        language: "Chinese",
        text: "园子每天早上在太阳升高之前浇水；干旱的月份里，靠墙的苗床还要再浇一壶，晚上最后走的人关门。",
        least: 10,
    },
];

impl Sample {
    /// What is wrong with a tokenizer that makes fewer tokens of it; none if it makes enough.
    fn too_few(&self, tokenizer: &Tokenizer) -> Option<String> {
        let made = tokens(tokenizer, self.text);
        let characters = self.text.chars().count();
        (made < self.least).then(|| {
            format!(
                "it makes {made} tokens of {characters} characters of ordinary {} text, at least {} are needed: its \
                 vocabulary is empty, or lacks that writing",
                self.language, self.least
            )
        })
    }
}

type Kept = Vec<(String, Arc<Tokenizer>)>;

/// The tokenizers read last, the newest first.
fn all_kept() -> std::sync::MutexGuard<'static, Kept> {
    static KEPT: Mutex<Kept> = Mutex::new(Vec::new());
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn kept(id: &str) -> Option<Arc<Tokenizer>> {
    let mut all = all_kept();
    let at = all.iter().position(|(known, _)| known == id)?;
    let found = all.remove(at);
    let tokenizer = found.1.clone();
    all.insert(0, found);
    Some(tokenizer)
}

fn keep(id: &str, tokenizer: Tokenizer) -> Arc<Tokenizer> {
    let tokenizer = Arc::new(tokenizer);
    let mut all = all_kept();
    all.insert(0, (id.to_owned(), tokenizer.clone()));
    all.truncate(KEPT);
    tokenizer
}
