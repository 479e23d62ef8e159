//! `note`: facts and questions that stay in the run's state.

use serde::{Deserialize, Serialize};

use super::ToolError;
use crate::run::plan::{InnerEffect, Note, NoteKind};

/// Longest note, in characters.
const LONGEST: usize = 2000;
/// Bytes of letters and digits from which on a part of a question stands for it: a few English words, or four Chinese
/// characters.
const LIKE: usize = 12;
/// Open questions that are named where none is meant, the newest.
const SHOWN: usize = 10;

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

    /// The same, where it says that a question is answered in the words of the open question that is meant: models seldom
    /// repeat them to the letter, and a question that is not found would stay for ever.
    ///
    /// # Errors
    /// If no open question reads like that, or several do: with those that are open.
    pub fn about(mut self, open: &[Note]) -> Result<Self, ToolError> {
        if self.kind != NoteKind::Answered {
            return Ok(self);
        }
        let meant = bare(&self.text);
        let same: Vec<&Note> = open.iter().filter(|note| bare(&note.text) == meant).collect();
        let like = |note: &&Note| {
            let note = bare(&note.text);
            let part = |whole: &str, part: &str| part.len() >= LIKE && whole.contains(part);
            part(&note, &meant) || part(&meant, &note)
        };
        let found = if same.is_empty() { open.iter().filter(like).collect() } else { same };
        match found.as_slice() {
            // Of the same words there may be several, in other case or marks: all are answered one by one.
            [one] => self.text.clone_from(&one.text),
            [one, ..] if found.iter().all(|note| bare(&note.text) == meant) => {
                self.text.clone_from(&one.text)
            }
            [] | [_, ..] => return Err(not_open(open)),
        }
        Ok(self)
    }

    /// What the call changes in the run.
    #[must_use]
    pub fn effect(self) -> InnerEffect {
        InnerEffect::Note { kind: self.kind, text: self.text }
    }
}

/// Letters and digits alone, in small letters: what is left when two say the same with other marks.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn not_open(open: &[Note]) -> ToolError {
    if open.is_empty() {
        return ToolError::arguments("No question is open.", "Note what you found as a fact.");
    }
    let shown: Vec<String> = open.iter().rev().take(SHOWN).map(|note| format!("- {}", note.text)).collect();
    ToolError::arguments(
        format!("No single open question reads like that. Open are:\n{}", shown.join("\n")),
        "Give the words of the question that is answered, and note the answer as a fact.",
    )
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
