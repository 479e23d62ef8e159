//! The panels of a run that cannot be read: Loop says what is the matter and what can be done, the others that they are
//! not read. Nothing of it looks like a run that has done nothing yet.

use super::context::empty;
use super::paint::{Pen, part, row};
use super::transcript::pieces::prose;
use crate::ui::app::model::Model;
use crate::ui::keys::{Action, live};
use crate::ui::layout::Panel;
use crate::ui::theme::Role;
use ratatui::layout::Rect;

/// Draws the inside of a panel.
pub fn draw(model: &Model, panel: Panel, why: &str, area: Rect, pen: &mut Pen<'_>) {
    let words = model.words().unread;
    if panel != Panel::Loop {
        return empty(words.elsewhere, area, pen);
    }
    let key = |action| model.key(live::RUN, action);
    let run = model.run.as_ref().map(ToString::to_string).unwrap_or_default();
    let what = words.what(&run);
    let why = model.look.lang.trouble(why);
    let others = words.others(&key(Action::RunPrev), &key(Action::RunNext), &key(Action::RunNew));
    let look = words.look(&key(Action::QuitAsk), "wakeful doctor");
    let again = words.again.to_owned();
    let texts = [
        (format!("{} {what}", model.look.glyphs.failed), Role::Danger),
        (why.into_owned(), Role::Base),
        (others, Role::Muted),
        (look, Role::Muted),
        (again, Role::Muted),
    ];
    let mut at = 0;
    for (text, role) in texts {
        for line in prose(&text, usize::from(area.width), role) {
            pen.left(row(area, at), &line);
            at += 1;
        }
        // Air only where all of it has room.
        at += usize::from(area.height >= 14);
    }
    if at > usize::from(area.height) && area.height > 0 {
        let last = row(area, usize::from(area.height) - 1);
        pen.ends(last, &[], &[part(Role::Muted, model.look.glyphs.ellipsis)]);
    }
}
