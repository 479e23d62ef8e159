//! Scripts of the offline model: data, from TOML or JSON.
//!
//! ```toml
//! name = "loop"
//! [[steps]]
//! repeat = 50
//! say = "Round {i} of {n}."
//! calls = [{ name = "shell", args = { command = "echo {i} >> effects" } }]
//! [[steps]]
//! say = "Done."
//! ```
//! Steps are played in order. After a step with calls its branches (`on`) are tried against their results, then
//! `goto`, then the next step comes; a step whose `when` does not hold is passed over. A step without calls is an
//! answer: the run's claim to be done. After the last step the last answer is given again.
//!
//! In texts and arguments `{i}`, `{n}`, `{goal}`, `{message}`, `{result}`, `{result.TOOL}` and the values of
//! [`super::facts`] are replaced; other braces stay as they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Environment variable that names a script file.
pub const SCRIPT_VARIABLE: &str = "WAKEFUL_OFFLINE_SCRIPT";

/// A script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Letters, digits, `-` and `_`; it stands in every reply.
    pub name: String,
    /// Milliseconds before each piece of text, for demonstrations.
    #[serde(default)]
    pub delay_ms: u64,
    /// The steps, at least one.
    pub steps: Vec<Step>,
}

/// A step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// Label for `goto`.
    pub id: Option<String>,
    /// What is said.
    pub say: Words,
    /// What is called; none: this is an answer.
    pub calls: Vec<Call>,
    /// The step is passed over unless this holds.
    pub when: Option<Condition>,
    /// How often it is done (0 and 1: once); `{i}` counts from 1.
    pub repeat: u64,
    /// Branches on the results, in order; they also end a repetition.
    pub on: Vec<Branch>,
    /// The step after this one, instead of the next in order.
    pub goto: Option<String>,
}

/// A branch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// What must hold.
    pub when: Condition,
    /// Label of the step that then comes.
    pub goto: String,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Name of the tool.
    pub name: String,
    /// Arguments; placeholders in their texts are replaced.
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// Text, in one language or in two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Words {
    /// The same in every language.
    One(String),
    /// By the goal's language.
    Two {
        /// English.
        en: String,
        /// Chinese.
        zh: String,
    },
}

impl Default for Words {
    fn default() -> Self {
        Self::One(String::new())
    }
}

impl Words {
    /// The text for a goal in Chinese or not.
    #[must_use]
    pub fn of(&self, chinese: bool) -> &str {
        match self {
            Self::One(text) => text,
            Self::Two { zh, .. } if chinese => zh,
            Self::Two { en, .. } => en,
        }
    }
}

/// A condition on the results of the step just done. What is left out is not asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Condition {
    /// Only results of this tool count.
    pub tool: Option<String>,
    /// A result came out so.
    pub result: Option<Outcome>,
    /// A result holds this text.
    pub contains: Option<String>,
    /// This placeholder has a value (such as `readme_path`).
    pub known: Option<String>,
    /// Turns the condition round.
    pub not: bool,
}

/// How a call came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It gave a value.
    Ok,
    /// It gave an error.
    Failed,
    /// A person or a rule said no.
    Denied,
}

/// A script that cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("the offline script {path} cannot be read ({source}); check {SCRIPT_VARIABLE}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no script.
    #[error("the offline script is not valid: {0}")]
    Invalid(String),
}

impl Script {
    /// The built-in script: a survey of the workspace.
    ///
    /// # Errors
    /// As [`Self::from_toml`]; a test reads it.
    pub fn survey() -> Result<Self, ScriptError> {
        Self::from_toml(include_str!("survey.toml"))
    }

    /// The script that [`SCRIPT_VARIABLE`] in `env` names, else the built-in one.
    ///
    /// # Errors
    /// When the named file cannot be read or is no script.
    pub fn from_env(env: &BTreeMap<String, String>) -> Result<Self, ScriptError> {
        match env.get(SCRIPT_VARIABLE).filter(|path| !path.is_empty()) {
            Some(path) => Self::load(Path::new(path)),
            None => Self::survey(),
        }
    }

    /// Reads a file: JSON when its name ends in `.json`, else TOML.
    ///
    /// # Errors
    /// When it cannot be read or is no script.
    pub fn load(path: &Path) -> Result<Self, ScriptError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ScriptError::Read { path: path.to_owned(), source })?;
        if path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("json")) {
            Self::from_json(&text)
        } else {
            Self::from_toml(&text)
        }
    }

    /// Reads TOML.
    ///
    /// # Errors
    /// [`ScriptError::Invalid`], with the place.
    pub fn from_toml(text: &str) -> Result<Self, ScriptError> {
        let script: Self = toml::from_str(text).map_err(|e| ScriptError::Invalid(e.to_string()))?;
        script.checked()
    }

    /// Reads JSON: a script, or a bare list of steps (its name is then `script`).
    ///
    /// # Errors
    /// [`ScriptError::Invalid`], with the place.
    pub fn from_json(text: &str) -> Result<Self, ScriptError> {
        let invalid = |e: serde_json::Error| ScriptError::Invalid(e.to_string());
        let script = if text.trim_start().starts_with('[') {
            Self {
                name: "script".to_owned(),
                delay_ms: 0,
                steps: serde_json::from_str(text).map_err(invalid)?,
            }
        } else {
            serde_json::from_str(text).map_err(invalid)?
        };
        script.checked()
    }

    fn checked(self) -> Result<Self, ScriptError> {
        let invalid = |why: String| Err(ScriptError::Invalid(why));
        let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if self.name.is_empty() || !self.name.chars().all(good) {
            return invalid(format!("its name {:?} must be letters, digits, - and _", self.name));
        }
        if self.steps.is_empty() {
            return invalid("it has no steps".to_owned());
        }
        for step in &self.steps {
            let jumps = step.on.iter().map(|branch| &branch.goto).chain(&step.goto);
            for label in jumps {
                if self.find(label).is_none() {
                    return invalid(format!("it goes to {label:?}, but no step has that id"));
                }
            }
        }
        Ok(self)
    }

    /// Position of the step with a label.
    pub(super) fn find(&self, label: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.id.as_deref() == Some(label))
    }
}
