//! Exact counts for OpenAI's model families.
//!
//! Purpose: `tiktoken-rs` knows which model uses which encoding, `bpe-openai` counts. The split is deliberate: the
//! first panics on a megabyte of spaces, the second is linear on any text.
//!
//! Not to be assumed: that loading is free. The first count of an encoding takes about 0.1 s and keeps some tens of
//! megabytes; so nothing is loaded before a count is asked for, and a screen's thread should not be the one to ask.

use tiktoken_rs::tokenizer::{Tokenizer, get_tokenizer};

use super::Counter;

/// A byte-pair encoding of OpenAI's that can be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `o200k_base`, also for `o200k_harmony`, which differs in special tokens only.
    O200k,
    /// `cl100k_base`.
    Cl100k,
}

impl Encoding {
    /// The encoding of a model, or none if the name is not known or its encoding is one of the old ones that nothing
    /// here counts.
    #[must_use]
    pub fn of_model(name: &str) -> Option<Self> {
        // Routers put the maker before the name: `openai/gpt-4o`. Fine-tunes keep slashes out of it.
        let bare = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
        match get_tokenizer(&bare)? {
            Tokenizer::O200kHarmony | Tokenizer::O200kBase => Some(Self::O200k),
            Tokenizer::Cl100kBase => Some(Self::Cl100k),
            Tokenizer::P50kBase | Tokenizer::R50kBase | Tokenizer::P50kEdit | Tokenizer::Gpt2 => None,
        }
    }
}

/// Counts with one of OpenAI's encodings.
#[derive(Clone, Copy, Debug)]
pub struct OpenAiBpe {
    encoding: Encoding,
}

impl OpenAiBpe {
    /// A counter of that encoding. Loads nothing yet.
    #[must_use]
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding }
    }
}

impl Counter for OpenAiBpe {
    fn count(&self, text: &str) -> u32 {
        let tokenizer = match self.encoding {
            Encoding::O200k => bpe_openai::o200k_base(),
            Encoding::Cl100k => bpe_openai::cl100k_base(),
        };
        u32::try_from(tokenizer.count(text)).unwrap_or(u32::MAX)
    }

    fn id(&self) -> &str {
        match self.encoding {
            Encoding::O200k => "o200k_base",
            Encoding::Cl100k => "cl100k_base",
        }
    }

    fn exact(&self) -> bool {
        true
    }
}
