//! What the selected item of the transcript holds.

use super::model::Model;
use super::transcript::Spot;
use crate::run::Body;
use crate::ui::feed::{CallView, Item, StepView};

/// The step that a place is in, if it was read.
fn step_at(model: &Model, spot: Spot) -> Option<&StepView> {
    let open = model.view().map(|view| &view.open).filter(|open| open.step == spot.step);
    open.or_else(|| model.transcript.steps.get(&spot.step).map(AsRef::as_ref))
}

/// The call that is selected, if the selected item is one.
pub fn call(model: &Model) -> Option<&CallView> {
    let spot = model.transcript.at?;
    step_at(model, spot)?.items.get(spot.item?)?.call()
}

/// The whole text behind the selected item, with a title; none for a heading or an item without one.
pub fn whole(model: &Model) -> Option<(String, Body)> {
    let spot = model.transcript.at?;
    let item = step_at(model, spot)?.items.get(spot.item?)?;
    let words = model.words();
    match item {
        Item::Call(call) => {
            let body = call.output.clone().or_else(|| call.result.as_ref().map(|text| text.body.clone()));
            let title = format!("{}.{} {}", spot.step, call.position, call.tool);
            Some((title, body.unwrap_or_else(|| call.args.body.clone())))
        }
        Item::Asked { text: Some(text), .. } => Some((words.live.agent.to_owned(), text.body.clone())),
        Item::Person { text, .. } => Some((words.live.you.to_owned(), text.body.clone())),
        Item::Returned { text, .. } => Some((words.live.wakeful.to_owned(), text.body.clone())),
        Item::Asked { text: None, .. }
        | Item::Checked { .. }
        | Item::Goal { .. }
        | Item::Folded { .. }
        | Item::Held { .. }
        | Item::Other { .. }
        | Item::Ended { .. } => None,
    }
}
