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
use crate::run::budget_table::so_many;
use crate::run::call::Call;
use crate::run::event::Event;
use crate::run::memory::{Kind, NewMemory, Scope};
use crate::run::phase::reached;
use crate::run::plan::{PlanItem, PlanState};
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
        let said = recorded(&path.plan, &args.items);
        self.inner(batch, call, args.effect(), &said)?;
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

/// The result of a `plan` call. It names what the plan before had and this one has not: the agent may not have seen it,
/// where the window had no room for all.
fn recorded(before: &[PlanItem], now: &[PlanItem]) -> String {
    let was = |title: &str| before.iter().any(|item| item.title == title);
    // Under its number it may have another title, if that is not another's.
    let is =
        |one: &PlanItem, item: &PlanItem| one.title == item.title || (one.id == item.id && !was(&one.title));
    let stays = |item: &&PlanItem| now.iter().any(|one| is(one, item));
    let (done, open): (Vec<&PlanItem>, Vec<&PlanItem>) =
        before.iter().filter(|item| !stays(item)).partition(|item| item.state == PlanState::Done);
    let mut gone: Vec<String> =
        open.iter().map(|item| format!("- {} [{}] {}", item.id, item.state.word(), item.title)).collect();
    if !done.is_empty() {
        let ids: Vec<&str> = done.iter().map(|item| item.id.as_str()).collect();
        gone.push(format!("- {}: {}", so_many(ids.len(), "done items"), ids.join(", ")));
    }
    if gone.is_empty() {
        return "the plan is recorded".to_owned();
    }
    let lines = gone.join("\n");
    format!(
        "the plan is recorded. What was in it before and is not any more:\n{lines}\nIf that was not meant, send the plan with it again."
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_of_a_plan_names_what_it_takes_away() {
        let item = |n: u32, state| PlanItem { id: n.to_string(), title: format!("part {n}"), state };
        let state = |n| match n {
            1..=3 => PlanState::Done,
            4 => PlanState::Active,
            _ => PlanState::Pending,
        };
        let before: Vec<PlanItem> = (1..=8).map(|n| item(n, state(n))).collect();
        assert_eq!(recorded(&before, &before), "the plan is recorded");
        assert_eq!(recorded(&[], &before), "the plan is recorded");
        // The last one stands under another number.
        let renamed = PlanItem { title: "the fifth part".to_owned(), ..item(5, PlanState::Active) };
        let now = [
            item(4, PlanState::Done),
            renamed,
            PlanItem { id: "6".to_owned(), ..item(8, PlanState::Pending) },
        ];
        assert_eq!(
            recorded(&before, &now),
            "the plan is recorded. What was in it before and is not any more:\n- 6 [pending] part 6\n\
             - 7 [pending] part 7\n\
             - 3 done items: 1, 2, 3\nIf that was not meant, send the plan with it again."
        );
    }
}
