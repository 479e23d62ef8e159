//! Points of a run that can be returned to.

use super::goal::Goal;
use super::id::{Hash, Millis, Seq, StepNo, TimelineNo};
use serde::{Deserialize, Serialize};

/// Why a checkpoint stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckpointKind {
    /// The run's start, step 0.
    Start,
    /// The end of a step.
    Step,
    /// The run's end.
    End,
    /// The moment before a rollback.
    BeforeRollback,
}

/// A checkpoint as listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The event that made it.
    pub seq: Seq,
    /// Its timeline.
    pub timeline: TimelineNo,
    /// Its step.
    pub step: StepNo,
    /// Why it stands.
    pub kind: CheckpointKind,
    /// When.
    pub at: Millis,
    /// Tokens charged to the run up to here.
    pub tokens: u64,
}

/// A file's content at some moment, for rolling back and probing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    /// No such file.
    Absent,
    /// A file with this content.
    File {
        /// Hash of the content; the content is a blob.
        hash: Hash,
        /// Length in bytes.
        len: u64,
        /// Unix permission bits.
        mode: u32,
    },
    /// A regular file that is too big to be kept.
    TooBig {
        /// Length in bytes.
        len: u64,
    },
    /// A folder, link, pipe, socket or device.
    NotAFile,
}

impl FileState {
    /// True if both are absent, or files of the same content, whatever their permission bits.
    pub fn same_content(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { hash: a, len: x, .. }, Self::File { hash: b, len: y, .. }) => a == b && x == y,
            (Self::Absent, Self::Absent) => true,
            (Self::File { .. } | Self::Absent | Self::TooBig { .. } | Self::NotAFile, _) => false,
        }
    }
}

/// A file that a call changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Path relative to the workspace.
    pub path: String,
    /// Before the call.
    pub before: FileState,
    /// What the call makes of it.
    pub after: FileState,
    /// Folders above it that were not there before the call, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<String>,
}

/// One file of a rollback: fixed before the first file is touched, so that after a kill it goes forward.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRestore {
    /// Path relative to the workspace.
    pub path: String,
    /// How it stood when the rollback began.
    pub seen: FileState,
    /// How it is to stand.
    pub wanted: FileState,
}

/// What a person chose of a rollback, as it was found to be possible when it began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// Files that were to be restored and stay as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// Files that others had changed and that are restored all the same: how they were seen is stored, as a redo needs it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<String>,
    /// The goal that is in force again once the head is back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    /// The run is paused once the head is back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

impl Chosen {
    /// True if nothing was chosen.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.taken.is_empty() && self.goal.is_none() && !self.paused
    }
}
