//! Acceptance checks on a claim to be done. A `cmd` check is a keyed shell call with a life of its own, a `human` check
//! a question; the others look at the answer or at a file.

use super::driver::Driver;
use super::error::WorkError;
use super::judge::Asked;
use crate::agent::next::Returned;
use crate::context::{MessageText, returned};
use crate::run::call::{CallStatus, Origin};
use crate::run::event::{Decoded, Event};
use crate::run::goal::Check;
use crate::run::state::Turn;
use crate::store::Durability;
use crate::workspace::{Workspace, WorkspaceError};
use serde_json::json;

/// The most of a file that `contains` looks at, bytes.
const LOOK_MAX: u64 = 16 * 1024 * 1024;

/// Why one of these checks can never be passed, whatever the agent does; none if all can be. What is not there yet may
/// come; a place outside the workspace, a schema that is missing or is none, and a pattern that is none do not.
pub fn impossible(checks: &[Check], workspace: &Workspace) -> Option<String> {
    checks.iter().find_map(|check| {
        let why = match check {
            Check::File(path) | Check::Contains(path, _) => match workspace.entry(path) {
                Err(error @ (WorkspaceError::Outside { .. } | WorkspaceError::BadPath { .. })) => {
                    error.to_string()
                }
                Ok(_) | Err(_) => return None,
            },
            Check::JsonSchema(file) => schema(workspace, file).err()?,
            Check::Regex(pattern) => {
                format!("the pattern is not valid: {}", regex::Regex::new(pattern).err()?)
            }
            Check::AnswerContains(_) | Check::MinChars(_) | Check::Cmd(_) | Check::Human => return None,
        };
        Some(format!("the check {check} can never be passed: {why}"))
    })
}

/// Whether the file has the text, and the words for it.
fn contains(workspace: &Workspace, path: &str, text: &str) -> (bool, String) {
    match workspace.read(path, LOOK_MAX) {
        Ok((bytes, _)) => {
            let found = String::from_utf8_lossy(&bytes).contains(text);
            (
                found,
                if found {
                    "the file has it".to_owned()
                } else {
                    format!("{path} does not contain {text:?}")
                },
            )
        }
        Err(error) => (false, error.to_string()),
    }
}

/// The schema in a file of the workspace, ready to judge.
fn schema(workspace: &Workspace, file: &str) -> Result<jsonschema::Validator, String> {
    let (bytes, _) = workspace.read(file, LOOK_MAX).map_err(|error| error.to_string())?;
    let schema: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|e| format!("{file} is not JSON: {e}"))?;
    jsonschema::validator_for(&schema).map_err(|e| format!("{file} is not a JSON schema: {e}"))
}

impl Driver<'_> {
    /// Runs the check of this index, or starts the call that runs it.
    pub async fn check(&mut self, index: usize) -> Result<(), WorkError> {
        let Some(check) = self.state.path.goal.checks.get(index).cloned() else { return Ok(()) };
        let (passed, detail) = match &check {
            Check::Cmd(command) => {
                let args = json!({ "command": command });
                match self.closed_check_call(index).await? {
                    Some(outcome) => outcome,
                    None => return self.propose_check(index, "shell", &args.to_string()).await,
                }
            }
            Check::Human => {
                let question = "Is the goal reached? Answer yes, or say what is missing.";
                let args = json!({ "question": question });
                match self.closed_check_call(index).await? {
                    Some(outcome) => outcome,
                    None => return self.propose_check(index, "ask_person", &args.to_string()).await,
                }
            }
            Check::File(path) => match self.workspace()?.entry(path) {
                Ok(Some(_)) => (true, "the file is there".to_owned()),
                Ok(None) => (false, format!("there is no file {path}")),
                Err(error) => (false, error.to_string()),
            },
            Check::Contains(path, text) => contains(&*self.workspace()?, path, text),
            Check::AnswerContains(text) => {
                let found = self.answer().await?.contains(text.as_str());
                (
                    found,
                    if found {
                        "the answer has it".to_owned()
                    } else {
                        format!("the answer does not contain {text:?}")
                    },
                )
            }
            Check::MinChars(least) => {
                let chars = self.answer().await?.chars().count();
                (chars >= *least, format!("the answer has {chars} characters, at least {least} are wanted"))
            }
            Check::Regex(pattern) => match regex::Regex::new(pattern) {
                Ok(regex) => {
                    let found = regex.is_match(&self.answer().await?);
                    let not = if found { "matches" } else { "does not match" };
                    (found, format!("the answer {not} {pattern}"))
                }
                Err(error) => (false, format!("the pattern is not valid: {error}")),
            },
            Check::JsonSchema(file) => self.json_schema(file).await?,
        };
        let mut batch = self.batch();
        let detail = format!("{check}: {detail}");
        batch.push(Event::CheckFinished {
            index,
            goal_version: self.state.path.goal_version,
            passed,
            detail,
        })?;
        self.commit(batch, Durability::Unsynced).await
    }

    async fn json_schema(&self, file: &str) -> Result<(bool, String), WorkError> {
        let answer = self.answer().await?;
        let verdict = schema(&*self.workspace()?, file).and_then(|validator| {
            let answer: serde_json::Value =
                serde_json::from_str(answer.trim()).map_err(|e| format!("the answer is not JSON: {e}"))?;
            validator.validate(&answer).map_err(|e| format!("the answer is not valid: {e}"))
        });
        Ok(match verdict {
            Ok(()) => (true, "the answer is valid".to_owned()),
            Err(why) => (false, why),
        })
    }

    async fn propose_check(&mut self, index: usize, tool: &str, args: &str) -> Result<(), WorkError> {
        let mut batch = self.batch();
        let position = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        let origin = Origin::Check(index);
        let asked = Asked { reply_seq: None, origin, position, name: tool, raw: args, cut: false };
        self.propose(&mut batch, asked)?;
        self.run_calls(batch).await
    }

    /// How the call of a check came out, once it is closed.
    async fn closed_check_call(&self, index: usize) -> Result<Option<(bool, String)>, WorkError> {
        let Turn::Claiming { calls, .. } = &self.state.path.turn else { return Ok(None) };
        let Some(call) = calls.iter().rev().find(|c| c.closed && c.origin == Origin::Check(index)) else {
            return Ok(None);
        };
        let row = self.engine.store.find_call(call.call_id.as_str()).await?;
        let text = match &row.result {
            Some(body) => self.engine.store.text(body).await?,
            None => String::new(),
        };
        let passed = match (row.tool.as_str(), row.status) {
            ("ask_person", CallStatus::Done) => is_yes(&text),
            (_, CallStatus::Done) => true,
            (_, _) => false,
        };
        let tail: Vec<char> = text.chars().rev().take(600).collect();
        Ok(Some((passed, tail.into_iter().rev().collect())))
    }

    /// The text of the claim.
    pub async fn answer(&self) -> Result<String, WorkError> {
        let Some(seq) = self.state.path.answer else { return Ok(String::new()) };
        let Some(envelope) = self.engine.store.event(&self.run, seq).await? else { return Ok(String::new()) };
        match envelope.event {
            Decoded::Known(event) => match *event {
                Event::ModelReplied { text, .. } => Ok(self.engine.store.text(&text).await?),
                other => Err(WorkError::Stored(format!("event {seq} is a {} and no answer", other.kind()))),
            },
            Decoded::Unknown { .. } => Ok(String::new()),
        }
    }

    /// Gives a claim back to the model with what is missing.
    pub async fn return_claim(&mut self, why: &Returned) -> Result<(), WorkError> {
        let text = match why {
            Returned::GoalEdited => returned::goal_edited(),
            Returned::Failed(failed) => returned::failed_checks(failed.iter().map(|r| r.detail.as_str())),
        };
        let mut batch = self.batch();
        let result = self.words(&mut batch, &MessageText::Wakeful { text });
        batch.push(Event::ClaimReturned { result })?;
        let step = batch.state().path.step + 1;
        batch.push(Event::StepCommitted { step })?;
        self.commit(batch, Durability::Synced).await
    }
}

/// True for an answer that says yes, in English or Chinese.
fn is_yes(text: &str) -> bool {
    let word = text.trim().trim_end_matches(['.', '!', '。', '！']).to_lowercase();
    matches!(
        word.as_str(),
        "y" | "yes" | "ok" | "done" | "true" | "是" | "是的" | "好" | "好的" | "可以" | "完成"
    )
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn yes_is_said_in_two_languages_and_anything_else_is_no() {
        for text in ["yes", " Yes. ", "y", "是", "好的。"] {
            assert!(is_yes(text), "{text}");
        }
        for text in ["", "no", "yes but the title is wrong", "不是"] {
            assert!(!is_yes(text), "{text}");
        }
    }
}
