//! `remember` and `recall`: what outlives the run.

use serde::{Deserialize, Serialize};
use std::path::Path;

use super::ToolError;
use super::notes::sentence;
use crate::run::RunId;
use crate::run::memory::{Kind, NewMemory, Recalled, Scope, TEXT_MAX};
use crate::run::plan::InnerEffect;

/// Longest key, in characters.
const KEY: usize = 80;
/// How sure an agent's memory is, percent: a person's is taken for sure.
const SURE: u8 = 80;
/// Memories that `recall` gives if nothing else is asked.
const USUAL: usize = 5;

/// For whom something is remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum For {
    /// Runs in this folder.
    #[default]
    Workspace,
    /// All runs of this person.
    Person,
    /// This run.
    Run,
}

/// Something to be remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RememberArgs {
    /// What it is.
    pub kind: Kind,
    /// The words.
    pub text: String,
    /// What a preference is about.
    #[serde(default)]
    pub key: Option<String>,
    /// For whom.
    #[serde(default)]
    pub r#for: For,
}

impl RememberArgs {
    pub(super) fn checked(mut self) -> Result<Self, ToolError> {
        self.text = sentence("text", &self.text, TEXT_MAX)?;
        self.key = self.key.map(|key| sentence("key", &key, KEY)).transpose()?;
        if self.kind == Kind::Preference && self.key.is_none() {
            return Err(ToolError::arguments(
                "a preference needs a key.".to_owned(),
                "Give a key that says what it is about, such as \"language\".",
            ));
        }
        Ok(self)
    }

    /// What the call changes.
    #[must_use]
    pub fn effect(self, run: &RunId, workspace: &Path) -> InnerEffect {
        let scope = match self.r#for {
            For::Workspace => Scope::Workspace(workspace.to_owned()),
            For::Person => Scope::User,
            For::Run => Scope::Run(run.clone()),
        };
        let memory = NewMemory {
            scope,
            kind: self.kind,
            key: self.key,
            text: self.text,
            confidence: SURE,
            pinned: false,
        };
        InnerEffect::Remember { memory }
    }
}

/// What is looked for among the memories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecallArgs {
    /// Words or a sentence.
    pub query: String,
    /// Memories at most.
    #[serde(default)]
    pub limit: Option<usize>,
}

impl RecallArgs {
    /// Memories at most.
    #[must_use]
    pub fn most(&self) -> usize {
        self.limit.unwrap_or(USUAL).clamp(1, 20)
    }

    /// What was found, as the model gets it.
    #[must_use]
    pub fn told(found: &[Recalled]) -> String {
        if found.is_empty() {
            return "nothing remembered fits; other words may".to_owned();
        }
        // Whoever asks in other words than those that were kept should know that only words were compared.
        let alone = found.iter().any(|one| one.why.words_alone);
        let note = alone.then(|| "(only words were compared: try other words too)".to_owned());
        found.iter().map(Recalled::line).chain(note).collect::<Vec<_>>().join("\n")
    }
}
