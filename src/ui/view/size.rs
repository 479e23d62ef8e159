//! How large a text is that is being written for the agent, and whether the window can take it: for the message, the goal,
//! a reason and an answer alike.
//!
//! Not to be assumed: that the count is the one by which the text will be taken or refused. It is an estimate of what
//! stands in the field.

use super::paint::{Part, part};
use crate::context::{goal_room, goal_room_of};
use crate::run::RunId;
use crate::ui::app::model::Model;
use crate::ui::theme::Role;

impl Model {
    /// About how many tokens a reason or an answer may take that goes to the agent of this run; none if that is not known.
    pub fn room_of(&self, run: &RunId) -> Option<u32> {
        self.message_room().filter(|_| self.run.as_ref() == Some(run))
    }

    /// About how many tokens a goal of the shown run may take; none if that is not known.
    pub fn goal_room(&self) -> Option<u32> {
        let view = self.view()?;
        let window = view.state.settings()?.model.window;
        let table = view.asked.as_ref().map(|asked| &asked.table).filter(|table| table.window == window);
        Some(table.map_or_else(|| goal_room_of(window), goal_room))
    }
}

/// That a text is too large, with its sign; none if it is not, or if nobody knows.
pub fn too_large(model: &Model, tokens: u32, room: Option<u32>) -> Option<String> {
    let room = room.filter(|room| tokens > *room)?;
    let said = model.words().header.message_too_large(u64::from(tokens), u64::from(room));
    Some(format!("{} {said}", model.look.glyphs.needs_you))
}

/// How large a text is, or that it is too large.
pub fn of(model: &Model, tokens: u32, room: Option<u32>) -> Part<'static> {
    match too_large(model, tokens, room) {
        Some(said) => part(Role::Danger, said),
        None => part(Role::Muted, model.words().header.message_size(u64::from(tokens))),
    }
}
