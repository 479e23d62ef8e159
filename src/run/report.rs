//! How a run ended, and the structured report of it.

use super::goal::CheckResult;
use super::usage::Totals;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which limit stopped a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Steps.
    Steps,
    /// Tokens of the run.
    Tokens,
    /// Money.
    Cost,
    /// Active time.
    Time,
}

impl LimitKind {
    /// The word used in JSON and messages.
    pub fn word(self) -> &'static str {
        match self {
            LimitKind::Steps => "steps",
            LimitKind::Tokens => "tokens",
            LimitKind::Cost => "cost",
            LimitKind::Time => "time",
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The goal was reached as far as the checks can tell.
    Completed,
    /// A limit; raise it and the run goes on.
    Limit(LimitKind),
    /// It could not go on.
    Failed(String),
    /// A person ended it.
    Cancelled,
}

impl Outcome {
    /// The status word of SPEC §15.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Completed => "completed",
            Outcome::Limit(_) => "limit",
            Outcome::Failed(_) => "failed",
            Outcome::Cancelled => "cancelled",
        }
    }
}

/// Statistics of one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolStats {
    /// Calls proposed.
    pub calls: u32,
    /// Calls started.
    pub started: u32,
    /// Good ends.
    pub done: u32,
    /// Bad ends.
    pub failed: u32,
    /// Refused by a person.
    pub denied: u32,
    /// Refused by wakeful.
    pub rejected: u32,
    /// Milliseconds they took.
    pub ms: u64,
}

/// The termination report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Why, in words.
    pub reason: String,
    /// The last answer of the model, or its final report.
    pub answer: String,
    /// Steps, tokens, cost, time.
    pub totals: Totals,
    /// False if some model call had no known price.
    pub cost_known: bool,
    /// By tool.
    pub tools: BTreeMap<String, ToolStats>,
    /// The acceptance checks as they stood.
    pub checks: Vec<CheckResult>,
    /// What is left open: questions, unfinished plan items, calls given up.
    pub open: Vec<String>,
}
