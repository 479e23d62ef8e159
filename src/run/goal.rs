//! The pinned goal: text, constraints and acceptance checks. It is shown to the model verbatim, always.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a person wants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// The goal in the person's words.
    pub text: String,
    /// What must hold on the way.
    #[serde(default)]
    pub constraints: Vec<String>,
    /// What must be true for the run to be done.
    #[serde(default)]
    pub checks: Vec<Check>,
}

/// One acceptance check, written `kind:rest`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Check {
    /// `file:PATH`: the file is there.
    File(String),
    /// `contains:PATH:TEXT`: the file has the text.
    Contains(String, String),
    /// `answer-contains:TEXT`: the final answer has the text.
    AnswerContains(String),
    /// `min-chars:N`: the final answer has at least N characters.
    MinChars(usize),
    /// `regex:PATTERN`: the final answer matches.
    Regex(String),
    /// `json-schema:FILE`: the final answer is JSON valid under the schema in the file.
    JsonSchema(String),
    /// `cmd:COMMAND`: the command exits with 0.
    Cmd(String),
    /// `human`: a person says it is done.
    Human,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Check::File(path) => write!(f, "file:{path}"),
            Check::Contains(path, text) => write!(f, "contains:{path}:{text}"),
            Check::AnswerContains(text) => write!(f, "answer-contains:{text}"),
            Check::MinChars(n) => write!(f, "min-chars:{n}"),
            Check::Regex(pattern) => write!(f, "regex:{pattern}"),
            Check::JsonSchema(file) => write!(f, "json-schema:{file}"),
            Check::Cmd(command) => write!(f, "cmd:{command}"),
            Check::Human => f.write_str("human"),
        }
    }
}

impl From<Check> for String {
    fn from(check: Check) -> Self {
        check.to_string()
    }
}

/// A check that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "cannot read the check \"{text}\": {why}. Write file:PATH, contains:PATH:TEXT, answer-contains:TEXT, \
     min-chars:N, regex:PATTERN, json-schema:FILE, cmd:COMMAND or human"
)]
pub struct BadCheck {
    text: String,
    why: String,
}

impl TryFrom<String> for Check {
    type Error = BadCheck;
    fn try_from(text: String) -> Result<Self, BadCheck> {
        text.parse()
    }
}

impl FromStr for Check {
    type Err = BadCheck;
    fn from_str(text: &str) -> Result<Self, BadCheck> {
        let bad = |why: &str| BadCheck { text: text.to_owned(), why: why.to_owned() };
        if text.trim() == "human" {
            return Ok(Check::Human);
        }
        let (kind, rest) = text.split_once(':').ok_or_else(|| bad("it has no kind"))?;
        if rest.trim().is_empty() {
            return Err(bad("nothing stands after the kind"));
        }
        Ok(match kind.trim() {
            "file" => Check::File(rest.to_owned()),
            "contains" => {
                let (path, needle) = rest.split_once(':').ok_or_else(|| bad("it needs PATH:TEXT"))?;
                if path.is_empty() || needle.is_empty() {
                    return Err(bad("it needs PATH:TEXT"));
                }
                Check::Contains(path.to_owned(), needle.to_owned())
            }
            "answer-contains" => Check::AnswerContains(rest.to_owned()),
            "min-chars" => Check::MinChars(rest.trim().parse().map_err(|_| bad("N is not a number"))?),
            "regex" => {
                regex::Regex::new(rest).map_err(|e| bad(&format!("the pattern is not valid ({e})")))?;
                Check::Regex(rest.to_owned())
            }
            "json-schema" => Check::JsonSchema(rest.to_owned()),
            "cmd" => Check::Cmd(rest.to_owned()),
            other => return Err(bad(&format!("the kind \"{other}\" is unknown"))),
        })
    }
}

/// How one check came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Index in the goal's list.
    pub index: usize,
    /// True if it passed.
    pub passed: bool,
    /// What was found, in one line.
    pub detail: String,
}
