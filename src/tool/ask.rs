//! `ask_person` and `decide`: what only a person can say.

use serde::{Deserialize, Serialize};

use super::ToolError;
use super::notes::sentence;

/// Longest question, in characters.
const QUESTION: usize = 4000;
/// Longest option, in characters.
const OPTION: usize = 500;
/// Options at most.
const OPTIONS: usize = 12;

/// A question to the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskArgs {
    /// The question, with what one must know to answer it.
    pub question: String,
    /// Answers to choose from; another one can be given anyway.
    #[serde(default)]
    pub options: Vec<String>,
}

/// Models give the recommendation as a number as often as in words.
fn text_or_number<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Text(String),
        Number(u64),
    }
    Ok(match Given::deserialize(from)? {
        Given::Text(text) => text,
        Given::Number(number) => number.to_string(),
    })
}

/// One way to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecideOption {
    /// Its name.
    pub title: String,
    /// What it would mean for the goal.
    pub effect_on_goal: String,
}

/// A decision that is put before the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecideArgs {
    /// The goal in the agent's own words.
    pub goal: String,
    /// The ways to go on, two at least.
    pub options: Vec<DecideOption>,
    /// The option the agent would take: its title, or its number from 1. After [`crate::tool::Registry`] read it,
    /// always the title.
    #[serde(deserialize_with = "text_or_number")]
    pub recommendation: String,
    /// Why.
    pub why: String,
}

impl AskArgs {
    pub(super) fn checked(mut self) -> Result<Self, ToolError> {
        self.question = sentence("question", &self.question, QUESTION)?;
        for option in &mut self.options {
            *option = sentence("an option", option, OPTION)?;
        }
        distinct(self.options.iter().map(String::as_str))?;
        Ok(self)
    }
}

impl DecideArgs {
    pub(super) fn checked(mut self) -> Result<Self, ToolError> {
        self.goal = sentence("goal", &self.goal, QUESTION)?;
        self.why = sentence("why", &self.why, QUESTION)?;
        for option in &mut self.options {
            option.title = sentence("the title of an option", &option.title, OPTION)?;
            option.effect_on_goal = sentence("effect_on_goal", &option.effect_on_goal, QUESTION)?;
        }
        if self.options.len() < 2 {
            return Err(ToolError::arguments(
                "a decision needs two options at least.",
                "Add the alternative, or use ask_person for a plain question.",
            ));
        }
        distinct(self.options.iter().map(|option| option.title.as_str()))?;
        self.recommendation = self.recommended()?;
        Ok(self)
    }

    fn recommended(&self) -> Result<String, ToolError> {
        let given = self.recommendation.trim();
        let same = |title: &str| title.to_lowercase() == given.to_lowercase();
        let by_title = self.options.iter().find(|option| same(&option.title));
        let by_number = || {
            let number: usize = given.parse().ok()?;
            self.options.get(number.checked_sub(1)?)
        };
        by_title.or_else(by_number).map(|option| option.title.clone()).ok_or_else(|| {
            let titles: Vec<String> =
                self.options.iter().map(|option| format!("{:?}", option.title)).collect();
            ToolError::arguments(
                format!("the recommendation {given:?} is none of the options."),
                format!("Use a number from 1 to {} or one of {}.", self.options.len(), titles.join(", ")),
            )
        })
    }
}

fn distinct<'a>(titles: impl Iterator<Item = &'a str>) -> Result<(), ToolError> {
    let mut seen = Vec::new();
    for title in titles {
        if seen.contains(&title) {
            return Err(ToolError::arguments(
                format!("the option {title:?} is given twice."),
                "Give options that differ.",
            ));
        }
        seen.push(title);
    }
    if seen.len() > OPTIONS {
        return Err(ToolError::arguments(
            format!("{} options are too many to choose from; at most {OPTIONS} are shown.", seen.len()),
            "Offer the most important ones.",
        ));
    }
    Ok(())
}
