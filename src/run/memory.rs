//! Long-term memories: what was learnt, for whom, from where, and how sure it is.

use super::control::Author;
use super::id::{Millis, RunId, Seq, StepNo};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::PathBuf;

/// Names a memory: `m-` and a number that only grows, so that people can type it.
pub type MemoryId = u64;

/// Most characters of a memory's text. What is longer is a document, and belongs into a file.
pub const TEXT_MAX: usize = 2_000;

/// For whom a memory is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// One run.
    Run(RunId),
    /// All runs in this folder.
    Workspace(PathBuf),
    /// All runs of this person.
    User,
}

impl Scope {
    /// The word used in JSON and on screens.
    pub fn word(&self) -> &'static str {
        match self {
            Scope::Run(_) => "run",
            Scope::Workspace(_) => "workspace",
            Scope::User => "user",
        }
    }

    /// Whether a run in this folder may see it.
    pub fn covers(&self, run: &RunId, workspace: &std::path::Path) -> bool {
        match self {
            Scope::Run(own) => own == run,
            Scope::Workspace(own) => own == workspace,
            Scope::User => true,
        }
    }
}

/// What a memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Something confirmed.
    Fact,
    /// What a person likes; it has a key and is offered to every run it covers.
    Preference,
    /// What a phase of a run came to.
    Result,
    /// What is to be kept to.
    Rule,
    /// What went wrong or well, and why.
    Lesson,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 5] = [Kind::Fact, Kind::Preference, Kind::Result, Kind::Rule, Kind::Lesson];

    /// The word used in JSON, on the command line and on screens.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Fact => "fact",
            Kind::Preference => "preference",
            Kind::Result => "result",
            Kind::Rule => "rule",
            Kind::Lesson => "lesson",
        }
    }

    /// Of two that the same words were told to be, the one that binds more: what is always offered or kept to, then what was
    /// learnt, then what holds.
    #[must_use]
    pub fn stronger(self, other: Kind) -> Kind {
        let binds = |kind: Kind| match kind {
            Kind::Preference => 4,
            Kind::Rule => 3,
            Kind::Lesson => 2,
            Kind::Fact => 1,
            Kind::Result => 0,
        };
        if binds(other) > binds(self) { other } else { self }
    }

    /// The kind of a word.
    pub fn of(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// Where a memory comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Who wrote it.
    pub author: Author,
    /// The run, if it comes from one.
    pub run: Option<RunId>,
    /// The step of that run.
    pub step: Option<StepNo>,
    /// The event that brought it.
    pub seq: Option<Seq>,
    /// When.
    pub at: Millis,
}

/// What somebody wants to be remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMemory {
    /// For whom.
    pub scope: Scope,
    /// What it is.
    pub kind: Kind,
    /// The key of a preference (`language`, `tests.command`); none for other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The words.
    pub text: String,
    /// How sure it is, percent.
    pub confidence: u8,
    /// It is offered whatever is asked.
    #[serde(default)]
    pub pinned: bool,
}

/// A memory as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Its name.
    pub id: MemoryId,
    /// What was wanted, as it reads now.
    #[serde(flatten)]
    pub what: NewMemory,
    /// Where it comes from.
    pub source: Source,
    /// When it was last changed by a person.
    pub edited: Option<Millis>,
    /// The timeline it was made on was rolled back: kept, and never offered.
    pub withdrawn: bool,
    /// A result that is kept and not offered, as its folder has so many newer ones that were offered or made since.
    pub outdated: Option<u32>,
    /// The memory that it disagrees with, until a person decides.
    pub disagrees_with: Option<MemoryId>,
}

impl Memory {
    /// True if it may be offered: neither withdrawn with its timeline nor outdated.
    pub fn stands(&self) -> bool {
        !self.withdrawn && self.outdated.is_none()
    }
}

/// The preferences whose key another one of a nearer scope has too, with the newest such: what is liked in a run holds before
/// what is liked in its folder, and that before what the person likes everywhere.
pub fn overruled(preferences: &[Memory]) -> HashMap<MemoryId, MemoryId> {
    let distance = |memory: &Memory| match memory.what.scope {
        Scope::Run(_) => 0,
        Scope::Workspace(_) => 1,
        Scope::User => 2,
    };
    let holds = |memory: &&Memory| {
        memory.stands() && memory.what.kind == Kind::Preference && memory.what.key.is_some()
    };
    let of_key = |memory: &Memory| {
        let same = preferences.iter().filter(holds).filter(|other| other.what.key == memory.what.key);
        same.min_by_key(|other| (distance(other), Reverse(other.id)))
            .filter(|near| distance(near) < distance(memory))
    };
    preferences.iter().filter(holds).filter_map(|memory| Some((memory.id, of_key(memory)?.id))).collect()
}

/// What a person likes, as it is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preference {
    /// What it is about.
    pub key: String,
    /// What is liked.
    pub text: String,
}

/// A memory that was found for a request, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recalled {
    /// The memory.
    pub id: MemoryId,
    /// Its kind.
    pub kind: Kind,
    /// Its words, as they stood when it was found.
    pub text: String,
    /// Score, percent.
    pub score: u8,
    /// Why: which words it shares with what was asked, or that it is near in meaning, or pinned.
    pub why: Why,
    /// Where it comes from, for the model and the person: run and step.
    pub from: Option<(RunId, StepNo)>,
    /// When it was written.
    pub at: Millis,
    /// The memory that it disagrees with.
    pub disagrees_with: Option<MemoryId>,
    /// It stands beside the one before it, with which it disagrees.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beside: bool,
    /// Others of its conflict that are not offered.
    #[serde(default, skip_serializing_if = "is_none_more")]
    pub more: u32,
}

fn is_none_more(more: &u32) -> bool {
    *more == 0
}

impl Recalled {
    /// The memory in a line for the model: what it is, where it comes from and when, how near it is.
    pub fn line(&self) -> String {
        let day = jiff::Timestamp::from_millisecond(self.at)
            .map(|time| time.strftime("%Y-%m-%d").to_string())
            .unwrap_or_default();
        let from = match &self.from {
            Some((run, step)) => format!("{run} step {step}"),
            None => "the person".to_owned(),
        };
        let text = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let doubt = match self.disagrees_with {
            Some(other) => {
                let more = match self.more {
                    0 => String::new(),
                    more => format!(", and so do {more} more that are not shown"),
                };
                format!(" (another memory, {other}, says otherwise{more}; a person has not decided yet)")
            }
            None => String::new(),
        };
        format!("- [{}, {from}, {day}] {text}{doubt}", self.kind.word())
    }
}

/// Memories that there was room for and that were left out, as their score was too low.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Under {
    /// How many.
    pub items: u32,
    /// The least score that is offered, percent.
    pub least: u8,
    /// Tokens that they would have taken.
    pub tokens: u32,
}

/// Why a memory was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Why {
    /// Words that it shares with what was asked, the rarest first.
    pub words: Vec<String>,
    /// Likeness in meaning, percent, if vectors were compared.
    pub likeness: Option<u8>,
    /// It is pinned.
    pub pinned: bool,
    /// Only words were compared, since the configured source of vectors did not answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub words_alone: bool,
}
