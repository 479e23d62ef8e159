//! The plain data of tools: what one is, what it gives back, how it fails.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::neutralise;
use crate::workspace::WorkspaceError;

/// A failed call, in the form in which the model gets it: it can go on from this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{kind}: {message} {suggestion}")]
pub struct ToolError {
    /// What kind of failure, in `snake_case`; stable, for statistics and for programs.
    pub kind: String,
    /// What happened, to what.
    pub message: String,
    /// What to do next.
    pub suggestion: String,
}

impl ToolError {
    /// An error of this kind, with what happened and what to do next.
    pub fn new(kind: &str, message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self {
            kind: kind.to_owned(),
            // Names that a model or a server made up are quoted in these.
            message: neutralise(&message.into()).into_owned(),
            suggestion: neutralise(&suggestion.into()).into_owned(),
        }
    }

    pub(super) fn arguments(message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self::new("invalid_arguments", message, suggestion)
    }
}

impl From<WorkspaceError> for ToolError {
    fn from(error: WorkspaceError) -> Self {
        let (kind, suggestion) = match &error {
            WorkspaceError::Root { .. } | WorkspaceError::Moved { .. } => {
                ("workspace_unusable", "Ask the person to check the workspace folder.")
            }
            WorkspaceError::Outside { .. } => {
                ("outside_workspace", "Only files of the workspace can be reached; choose a path inside it.")
            }
            WorkspaceError::BadPath { .. } => {
                ("invalid_arguments", "Give the path of a file, as list_files shows it.")
            }
            WorkspaceError::Protected { .. } => {
                ("protected_path", "Leave it, and tell the person what should change.")
            }
            WorkspaceError::DanglingLink { .. } => {
                ("dangling_link", "Name the real file instead of the link.")
            }
            WorkspaceError::NotFound { .. } => ("not_found", "Check the path with list_files."),
            WorkspaceError::NotAFile { .. } => {
                ("not_a_file", "Use list_files for folders; name a regular file here.")
            }
            WorkspaceError::ReadOnlyFolder { .. } => (
                "read_only_folder",
                "Write to another folder, or ask the person before changing permissions.",
            ),
            WorkspaceError::ReadOnly { .. } => ("read_only", "Ask the person before changing permissions."),
            WorkspaceError::TooBig { .. } => ("too_big", "Work on a part of it, or on another file."),
            WorkspaceError::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::PermissionDenied => {
                    ("permission_denied", "Try another file, or ask the person.")
                }
                std::io::ErrorKind::StorageFull => ("disk_full", "Tell the person that the disk is full."),
                _ => ("io", "Check the path; if it is right, tell the person."),
            },
        };
        Self::new(kind, error.to_string(), suggestion)
    }
}

/// That a result was cut, and how much there was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// Bytes in all, as far as they are known; what was seen until then otherwise.
    pub total_bytes: u64,
}

/// What a call gave back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// What the model gets: valid text without control characters.
    pub text: String,
    /// Present if something was left out of `text`; the text says so too.
    pub truncated: Option<Cut>,
    /// The bytes behind the text, where they are worth keeping and differ from it.
    pub raw: Option<Vec<u8>>,
    /// Facts about the result for screens and statistics, an object (lines, matches, diff …).
    pub meta: Value,
}

/// A result or a structured error.
pub type ToolResult = Result<Output, ToolError>;
