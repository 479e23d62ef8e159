//! `plan`: the tree of sub-goals, always given as a whole.
//!
//! Purpose: an update replaces the plan, so there is never a half-applied one. The tree is in the ids: `2.1` lies under
//! `2`, which must be there too.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::ToolError;
use super::notes::sentence;
use crate::run::plan::{InnerEffect, PlanItem};

/// Items at most.
const ITEMS: usize = 200;
/// Longest title, in characters.
const LONGEST: usize = 300;
/// Levels at most.
const LEVELS: usize = 6;

/// The whole plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanArgs {
    /// Every sub-goal, in the order in which they are shown.
    pub items: Vec<PlanItem>,
}

impl PlanArgs {
    /// What the call changes in the run.
    #[must_use]
    pub fn effect(self) -> InnerEffect {
        InnerEffect::Plan { items: self.items }
    }

    pub(super) fn checked(mut self) -> Result<Self, ToolError> {
        let advice = "Send the whole plan again, corrected.";
        let wrong = |message: String| ToolError::arguments(message, advice);
        if self.items.is_empty() {
            return Err(wrong("the plan has no items.".to_owned()));
        }
        if self.items.len() > ITEMS {
            return Err(wrong(format!("the plan has {} items; at most {ITEMS} are kept.", self.items.len())));
        }
        let mut ids = HashSet::new();
        for item in &mut self.items {
            item.title = sentence(&format!("the title of {:?}", item.id), &item.title, LONGEST)?;
            let parts: Vec<&str> = item.id.split('.').collect();
            let number = |part: &&str| {
                (1..=4).contains(&part.len())
                    && part.bytes().all(|byte| byte.is_ascii_digit())
                    && !part.starts_with('0')
            };
            if parts.len() > LEVELS || !parts.iter().all(number) {
                return Err(wrong(format!(
                    "{:?} is no id; ids are numbers joined by dots, such as \"2.1\", at most {LEVELS} levels deep.",
                    item.id
                )));
            }
            if !ids.insert(item.id.clone()) {
                return Err(wrong(format!("the id {:?} stands in the plan twice.", item.id)));
            }
        }
        let orphan = self.items.iter().find_map(|item| {
            let (parent, _) = item.id.rsplit_once('.')?;
            (!ids.contains(parent)).then_some((&item.id, parent))
        });
        match orphan {
            Some((id, parent)) => {
                Err(wrong(format!("{id:?} lies under {parent:?}, which is not in the plan.")))
            }
            None => Ok(self),
        }
    }
}
