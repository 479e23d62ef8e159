//! Names of things: runs, calls, workers, content hashes and positions in a journal.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Position of an event in its run's journal; counts from 1 over all timelines.
pub type Seq = u64;
/// Fencing number of an ownership; grows by one with each claim.
pub type Epoch = u64;
/// Number of a step on its timeline; 0 is the start of the run.
pub type StepNo = u32;
/// Number of a timeline; the first is 1.
pub type TimelineNo = u32;
/// Wall-clock time, milliseconds since the Unix epoch.
pub type Millis = i64;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);
        impl $name {
            /// Takes a name as it stands, for reading back what was stored.
            pub fn new(text: impl Into<String>) -> Self { Self(text.into()) }
            /// The name as text.
            pub fn as_str(&self) -> &str { &self.0 }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
        }
    };
}

text_id!(
    /// A run: `r-` and twelve hexadecimal digits; unique prefixes name it on the command line.
    RunId
);
text_id!(
    /// A tool call: `c-` and sixteen hexadecimal digits, made from its run and the seq of its proposal.
    CallId
);
text_id!(
    /// A worker: a process that advances runs.
    WorkerId
);

impl CallId {
    /// The id of the call proposed in `run` at `seq`. It never changes, also when the arguments are edited.
    pub fn of(run: &RunId, seq: Seq) -> Self {
        let hash = Hash::of_parts(&[run.as_str().as_bytes(), &seq.to_le_bytes()]);
        Self(format!("c-{}", hash.short(16)))
    }
}

/// A BLAKE3 hash of content, as 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hash(String);

impl Hash {
    /// Hash of one piece of content.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).to_hex().to_string())
    }

    /// Hash of several parts; each part's length goes in, so parts cannot run into each other.
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().to_hex().to_string())
    }

    /// Takes a stored hash as it stands.
    pub fn from_hex(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// All digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first `n` digits, for display.
    pub fn short(&self, n: usize) -> &str {
        self.0.get(..n).unwrap_or(&self.0)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a run's journal ends: the last seq, its checksum and the timeline it is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Seq of the newest event; 0 before the first.
    pub seq: Seq,
    /// Chained checksum of that event.
    pub sum: Hash,
    /// The present timeline.
    pub timeline: TimelineNo,
}
