//! How much is new since the person stopped following: items, as the panel tells them. A step that is folded to a line
//! is one; of one that is unfolded each reply, each call, each other event and the checkpoint is one, of however many
//! rows. What is not told is not counted.

use super::items;
use super::step::is_folded;
use super::window::{newest_step, read_step, step_count};
use crate::ui::app::model::Model;
use crate::ui::feed::RunView;

/// Items after the newest one that was there then.
pub fn count(model: &Model, view: &RunView) -> u64 {
    let Some(seen) = model.transcript.seen else { return 0 };
    let first = view.steps.partition_point(|span| span.step < seen.step);
    let all = (first..step_count(view)).map(|at| {
        let span = view.steps.get(at);
        let step = match span {
            Some(span) => read_step(model, span),
            None => Some(&view.open),
        };
        let number = span.map_or(view.open.step, |span| span.step);
        // Of the step that was the newest one then, some items are known.
        let known = (number == seen.step).then(|| seen.item.map_or(0, |item| item + 1));
        let Some(step) = step else { return usize::from(known.is_none()) };
        let folded = is_folded(model, number, newest_step(view, at));
        let told = step.items.iter().skip(known.unwrap_or(0));
        if folded {
            return told.filter(|item| items::stays(item)).count() + usize::from(known.is_none());
        }
        let checkpoint = span.is_some() && known.is_none_or(|known| known <= step.items.len());
        told.filter(|item| items::is_told(item)).count() + usize::from(checkpoint)
    });
    u64::try_from(all.sum::<usize>()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
