//! What the selected item of the transcript holds; while the newest is followed, the newest one in view that holds something.

use super::model::Model;
use super::transcript::Spot;
use crate::run::Body;
use crate::ui::dialog::Dialog;
use crate::ui::dialog::text::TextDialog;
use crate::ui::feed::{CallView, Item, StepView};
use crate::ui::view::transcript::call::told_of;

/// The step that a place is in, if it was read.
fn step_at(model: &Model, spot: Spot) -> Option<&StepView> {
    let open = model.view().map(|view| &view.open).filter(|open| open.step == spot.step);
    open.or_else(|| model.transcript.steps.get(&spot.step).map(AsRef::as_ref))
}

/// What Enter is about: what is selected; while following, the lowest in view that holds a text.
fn spot(model: &Model) -> Option<Spot> {
    let drawn = model.drawn.zones.iter().rev().filter_map(|(_, zone)| zone.spot());
    model.transcript.at.or_else(|| drawn.into_iter().find(|spot| whole_at(model, *spot).is_some()))
}

/// The call that is selected, if the selected item is one.
pub fn call(model: &Model) -> Option<&CallView> {
    let spot = spot(model)?;
    step_at(model, spot)?.items.get(spot.item?)?.call()
}

/// The whole text behind the selected item, with a title; none for a heading or an item without one.
///
/// True: it is what the agent was told of a call that came to nothing.
pub fn whole(model: &Model) -> Option<(String, Body, bool)> {
    whole_at(model, spot(model)?)
}

/// A dialog with that text.
pub fn opened(model: &mut Model) -> Option<Box<dyn Dialog>> {
    let (title, body, told) = whole(model)?;
    Some(if told { TextDialog::told(title, body) } else { TextDialog::body(model, title, body) })
}

fn whole_at(model: &Model, spot: Spot) -> Option<(String, Body, bool)> {
    let item = step_at(model, spot)?.items.get(spot.item?)?;
    let words = model.words();
    match item {
        Item::Call(call) => {
            let result = call.result.as_ref().map(|text| text.body.clone());
            let told = call.output.is_none() && result.is_some() && told_of(call.status);
            let body = call.output.clone().or(result);
            let title = format!("{}.{} {}", spot.step, call.position, call.tool);
            Some((title, body.unwrap_or_else(|| call.args.body.clone()), told))
        }
        Item::Asked { text: Some(text), .. } => Some((words.live.agent.to_owned(), text.body.clone(), false)),
        Item::Person { text, .. } => Some((words.live.you.to_owned(), text.body.clone(), false)),
        Item::Returned { text, .. } => Some((words.live.wakeful.to_owned(), text.body.clone(), false)),
        Item::Asked { text: None, .. }
        | Item::Checked { .. }
        | Item::Goal { .. }
        | Item::Folded { .. }
        | Item::Held { .. }
        | Item::Other { .. }
        | Item::Ended { .. } => None,
    }
}
