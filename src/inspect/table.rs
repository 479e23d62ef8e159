//! The context budget of a step: as it was decided on when its request went out, or worked out now for a run that has
//! asked nothing yet. The same table decided what was trimmed: nothing is counted anew for the display.

use super::asked::{Asked, asked};
use super::error::InspectError;
use crate::context::{Assembly, assemble};
use crate::run::budget_table::BudgetTable;
use crate::run::{Purpose, RunId, StepNo, StepRef, TimelineNo};
use crate::store::{Store, TextCache};
use crate::tokens::counter_of;

/// The context of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextView {
    /// The step.
    pub step: StepNo,
    /// Its timeline.
    pub timeline: TimelineNo,
    /// The table.
    pub table: BudgetTable,
    /// The model call it belongs to; none if it was worked out now.
    pub asked: Option<Asked>,
}

/// The context of a step, or of the newest model call; of a run that has asked nothing, that of its first step.
///
/// # Errors
/// Those of [`asked`]; [`InspectError::NoContext`].
pub async fn context_view(
    store: &Store,
    run: &RunId,
    step: Option<StepRef>,
) -> Result<ContextView, InspectError> {
    if let Some(asked) = asked(store, run, step).await? {
        let (step, timeline, table) = (asked.step, asked.timeline, asked.table.clone());
        return Ok(ContextView { step, timeline, table, asked: Some(asked) });
    }
    let state = store.load(run).await?.state;
    let none = |why: String| InspectError::NoContext { run: run.clone(), why };
    let settings = state.settings().ok_or_else(|| none("it has no settings yet".to_owned()))?;
    let texts = TextCache::default().load(store, &state).await?;
    let counter = counter_of(&settings.model);
    let assembly = assemble(&state, &texts, Purpose::Turn, &|text| counter.count(text));
    let table = match assembly.map_err(|e| none(e.to_string()))? {
        Assembly::Ready(assembled) => assembled.table,
        Assembly::TooBig(big) => big.table,
        Assembly::Fold(_) | Assembly::DropOutputs(_) => {
            return Err(none("older rounds have to be folded first, which the next step does".to_owned()));
        }
    };
    let (step, timeline) = (state.path.step.saturating_add(1), state.head.timeline);
    Ok(ContextView { step, timeline, table, asked: None })
}
