//! `plan`: the tree of sub-goals, always given as a whole.
//!
//! Purpose: an update replaces the plan, so there is never a half-applied one. The tree is in the ids: `2.1` lies under
//! `2`, which must be there too.

use serde::{Deserialize, Serialize};

use super::ToolError;
use super::notes::sentence;
use crate::run::plan::{InnerEffect, PlanItem, TITLE_MAX, plan_fault};
use crate::run::plan_text::{code, control_in};

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
        for item in &mut self.items {
            item.title = sentence(&format!("the title of {:?}", item.id), &item.title, TITLE_MAX)?;
            if let Some(control) = control_in(&item.title) {
                let code = code(control);
                return Err(wrong(format!(
                    "the title of {:?} holds the control character {code}; titles hold none.",
                    item.id
                )));
            }
        }
        match plan_fault(&self.items) {
            Some(fault) => Err(wrong(fault.to_string())),
            None => Ok(self),
        }
    }
}
