//! Where a phase ends, what it came to is remembered: with the plan in which the agent reached a part of it, and with the end
//! of a run that is done.
//!
//! The memory is an event in the commit of what ended the phase, so that neither a kill nor a replay of the journal makes it
//! twice or loses it. Not to be assumed: that a person's edit of the plan ends a phase, or that each phase has a result.

use super::batch::Batch;
use super::driver::Driver;
use super::error::WorkError;
use crate::agent::policy::Problem;
use crate::context::phase_result;
use crate::provider::offline::unmarked;
use crate::run::call::Call;
use crate::run::event::Event;
use crate::run::memory::{Kind, NewMemory, Scope};
use crate::run::phase::reached;
use crate::run::plan::PlanItem;
use crate::run::state::Path;
use crate::tool::PlanArgs;

/// How sure a result is, percent: less than what the agent chose to keep, since a rule put it together.
const SURE: u8 = 70;

impl Driver<'_> {
    /// A `plan` call: the plan is now this, and a phase may have ended.
    pub fn plan(&self, batch: &mut Batch, call: Call, args: PlanArgs) -> Result<(), WorkError> {
        let path = &batch.state().path;
        if let Some(problem) = replaced_unseen(path, &call, &args.items) {
            return self.reject(batch, &call, problem);
        }
        let items: Vec<String> =
            reached(&path.plan, &args.items).into_iter().map(|item| item.id.clone()).collect();
        self.inner(batch, call, args.effect(), "the plan is recorded")?;
        if items.is_empty() { Ok(()) } else { self.keep_result(batch, items, "") }
    }

    /// Remembers what the phase came to that ended with these parts of the plan, or with the run and its answer.
    pub fn keep_result(&self, batch: &mut Batch, items: Vec<String>, answer: &str) -> Result<(), WorkError> {
        let state = batch.state();
        let offline = state.settings().is_some_and(|settings| settings.model.offline);
        // Where the offline model stands in its script is for itself alone.
        let answer = if offline { unmarked(answer) } else { answer };
        let Some(text) = phase_result(&state.path, &items, answer) else { return Ok(()) };
        let memory = NewMemory {
            scope: Scope::Workspace(state.ledger.workspace.clone()),
            kind: Kind::Result,
            key: None,
            // Its parts were masked; together they may show what none of them did, and what a note says of a password outlives
            // the run here.
            text: self.masks.remembered(&text),
            confidence: SURE,
            pinned: false,
        };
        batch.push(Event::ResultKept { memory, items })?;
        Ok(())
    }
}

/// A plan of the agent's that was made before a person changed it, so that the agent does not know what it would replace.
fn replaced_unseen(path: &Path, call: &Call, items: &[PlanItem]) -> Option<Problem> {
    path.plan_edit.filter(|edit| edit.seq > call.reply_seq && path.plan != items)?;
    Some(Problem {
        kind: "plan_edited".to_owned(),
        message: "a person changed the plan after this one was made; it was not replaced".to_owned(),
        suggestion:
            "look at the plan in the state as it is now; if it has to change still, send it again whole"
                .to_owned(),
    })
}
