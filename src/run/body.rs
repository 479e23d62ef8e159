//! Texts inside events: short ones inline, long ones as blobs named by their content hash.

use super::id::Hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Longer texts become blobs (bytes).
pub const INLINE_MAX: usize = 4096;

/// A text as an event holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// The text itself, at most [`INLINE_MAX`] bytes.
    Inline(String),
    /// A blob in the store.
    Blob {
        /// Hash of the whole content.
        hash: Hash,
        /// Length of the content in bytes.
        bytes: u64,
    },
}

impl Body {
    /// Length of the text in bytes.
    pub fn len(&self) -> u64 {
        match self {
            Body::Inline(text) => text.len() as u64,
            Body::Blob { bytes, .. } => *bytes,
        }
    }

    /// True for the empty text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text when it is inline.
    pub fn inline(&self) -> Option<&str> {
        match self {
            Body::Inline(text) => Some(text),
            Body::Blob { .. } => None,
        }
    }

    /// The hash of the content, whichever way it is held.
    pub fn hash(&self) -> Hash {
        match self {
            Body::Inline(text) => Hash::of(text.as_bytes()),
            Body::Blob { hash, .. } => hash.clone(),
        }
    }
}

/// A content that a commit brings along.
#[derive(Clone, Debug)]
pub struct BagContent {
    /// Its hash.
    pub hash: Hash,
    /// The content.
    pub content: Vec<u8>,
    /// A stored content, by hash, that most of it repeats: it may be stored as what differs.
    pub like: Option<(Hash, Vec<u8>)>,
}

/// The contents that a commit brings along, by hash; equal contents are held once.
#[derive(Clone, Debug, Default)]
pub struct BlobBag {
    blobs: BTreeMap<Hash, BagContent>,
}

impl BlobBag {
    /// An empty bag.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a body of a text; a long one goes into the bag.
    pub fn body(&mut self, text: impl Into<String>) -> Body {
        let text = text.into();
        if text.len() <= INLINE_MAX {
            return Body::Inline(text);
        }
        let bytes = text.len() as u64;
        let hash = self.raw(text.into_bytes());
        Body::Blob { hash, bytes }
    }

    /// As [`BlobBag::body`], for a text that repeats most of a stored one: `before`, the body and its text.
    pub fn body_like(&mut self, text: impl Into<String>, before: Option<(&Body, &str)>) -> Body {
        let body = self.body(text);
        if let (Body::Blob { hash, .. }, Some((Body::Blob { hash: base, .. }, base_text))) = (&body, before)
            && hash != base
            && let Some(content) = self.blobs.get_mut(hash)
        {
            content.like = Some((base.clone(), base_text.as_bytes().to_vec()));
        }
        body
    }

    /// Puts raw content into the bag and names it.
    pub fn raw(&mut self, content: Vec<u8>) -> Hash {
        let hash = Hash::of(&content);
        self.blobs.entry(hash.clone()).or_insert_with(|| BagContent {
            hash: hash.clone(),
            content,
            like: None,
        });
        hash
    }

    /// Bytes of the contents in it.
    pub fn bytes(&self) -> usize {
        self.blobs.values().map(|given| given.content.len()).sum()
    }

    /// True when nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.blobs.is_empty()
    }

    /// The contents, in order of their hashes.
    pub fn into_iter_sorted(self) -> impl Iterator<Item = BagContent> {
        self.blobs.into_values()
    }
}
