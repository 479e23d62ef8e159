//! `note`: facts and questions that stay in the run's state.

use serde::{Deserialize, Serialize};

use super::ToolError;
use crate::run::plan::{InnerEffect, NoteKind};

/// Longest note, in characters.
const LONGEST: usize = 2000;

/// A note for the state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoteArgs {
    /// What it is.
    pub kind: NoteKind,
    /// In one or two sentences.
    pub text: String,
}

impl NoteArgs {
    pub(super) fn checked(mut self) -> Result<Self, ToolError> {
        self.text = sentence("text", &self.text, LONGEST)?;
        Ok(self)
    }

    /// What the call changes in the run.
    #[must_use]
    pub fn effect(self) -> InnerEffect {
        InnerEffect::Note { kind: self.kind, text: self.text }
    }
}

/// A text that must say something and stay short.
pub(super) fn sentence(field: &str, text: &str, longest: usize) -> Result<String, ToolError> {
    let text = text.trim();
    let length = text.chars().count();
    if length == 0 {
        return Err(ToolError::arguments(format!("{field} is empty."), "Say what is meant in a sentence."));
    }
    if length > longest {
        return Err(ToolError::arguments(
            format!("{field} has {length} characters; at most {longest} are kept."),
            "Say it shorter, or write it to a file and name the file.",
        ));
    }
    Ok(text.to_owned())
}
