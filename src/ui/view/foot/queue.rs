//! The message that waits to be delivered, above the message field.

use crate::ui::app::model::Model;
use crate::ui::app::queue::Reads;
use crate::ui::feed::Queued;
use crate::ui::keys::{Action, live};
use crate::ui::text::cut;
use crate::ui::theme::Role;
use crate::ui::view::head::plain;
use crate::ui::view::paint::{Pen, cells, part};
use ratatui::layout::Rect;

/// Least cells of the message itself.
const TEXT: usize = 12;

/// The newest message of the shown run that waits; what its keys act on.
pub fn newest(model: &Model) -> Option<&Queued> {
    model.view()?.queued.last()
}

/// When the agent reads what is said to it now, if that is not before its next step.
fn later(model: &Model) -> Option<String> {
    let words = model.words().header;
    match model.reads() {
        Reads::Step(_) => None,
        Reads::Decided => Some(words.goes_in_decided.to_owned()),
        Reads::Answered => Some(words.goes_in_answered.to_owned()),
        Reads::GoesOn => Some(words.goes_in_later(&model.key(live::RUN, Action::PauseToggle))),
    }
}

/// `› queued: Keep the row order.   goes in with step 15  u take back  I deliver now`. When there is too little room, the
/// step gives way, then the second key.
pub fn draw(model: &Model, queued: &Queued, row: Rect, pen: &mut Pen<'_>) {
    let words = model.words().header;
    let n = model.view().map_or(0, |view| view.queued.len() as u64);
    let lead = [
        part(Role::User, format!("{} ", model.look.glyphs.prompt)),
        part(Role::Muted, format!("{}{}", words.queued(n), model.look.lang.pick([" ", ""]))),
    ];
    let when = match (later(model), queued.now) {
        (Some(when), _) => when,
        (None, true) => words.goes_in_now.to_owned(),
        (None, false) => words.goes_in(model.next_request_step()),
    };
    let key = |action| {
        let hint = model.look.keys.hint(live::RUN, action, model.look.lang)?;
        Some([part(Role::Accent, format!("  {}", hint.keys)), part(Role::Base, format!(" {}", hint.words))])
    };
    // Nothing is delivered now to a run that does not go on.
    let now = key(Action::MessageNow).filter(|_| !queued.now && model.reads() != Reads::GoesOn);
    let back = key(Action::MessageBack);
    let mut right = vec![part(Role::Muted, format!("  {when}"))];
    right.extend(back.into_iter().flatten());
    let short = right.clone();
    right.extend(now.into_iter().flatten());
    let room = usize::from(row.width).saturating_sub(cells(&lead));
    let ways = [right.clone(), right.get(1..).unwrap_or_default().to_vec(), short, Vec::new()];
    let right = ways.into_iter().find(|right| cells(right) + TEXT <= room).unwrap_or_default();
    let text = plain(&queued.text);
    let text = cut(&text, room.saturating_sub(cells(&right)), model.look.glyphs.ellipsis);
    let left: Vec<_> = lead.into_iter().chain([part(Role::User, text.into_owned())]).collect();
    pen.ends(row, &left, &right);
}
