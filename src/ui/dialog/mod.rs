//! Dialogs: each asks one thing over the screen, and is left with Esc without a change.
//!
//! A dialog knows the model when it is asked something and keeps for itself only what the person did in it. It gives
//! back what is to happen; it carries nothing out. Esc is the frame's: it closes the top dialog, after [`Dialog::leave`].

#![allow(
    clippy::new_ret_no_self,
    reason = "a dialog is only used behind its face, so that is what `new` gives"
)]

pub mod answer;
pub mod args;
pub mod banner;
pub mod compare;
pub mod deny;
pub mod flow;
pub mod form;
pub mod goal;
pub mod guard;
pub mod held;
pub mod help;
pub mod items;
pub mod limits;
pub mod limits_line;
mod long;
pub mod new_run;
pub mod output;
mod outside;
pub mod palette;
pub mod parts;
pub mod pick;
pub mod plan;
pub mod quit;
pub mod review;
pub mod rollback;
pub mod scroll;
pub mod settle;
pub mod starting;
pub mod stop;
pub mod text;
pub mod typed;
pub mod unsure;
pub mod word;

#[cfg(test)]
mod tests;

use crate::ui::app::model::{Drafts, Model};
use crate::ui::app::msg::{Cmd, Msg};
use crate::ui::edit::Editor;
use crate::ui::keys::{Action, Ctx, Hit};
use crate::ui::view::paint::Pen;
use crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::fmt::Debug;
use std::time::Instant;

/// A control that is posted, and what is said once it is stored.
#[derive(Debug)]
pub struct Posting {
    /// The run.
    pub run: crate::run::RunId,
    /// What is asked.
    pub control: crate::run::control::Control,
    /// The words.
    pub news: String,
}

/// What comes of something done in a dialog.
#[derive(Debug)]
pub enum Step {
    /// It stays as it is, or changed in itself.
    Stay,
    /// It stays, and this is to be done.
    Do(Vec<Cmd>),
    /// It closes, and this is to be done.
    Close(Vec<Cmd>),
    /// Another one opens over it.
    Open(Box<dyn Dialog>),
    /// Another one takes its place.
    Swap(Box<dyn Dialog>),
    /// A decision or another control: it closes, the control is posted and these words are said when it is stored.
    Post {
        /// The run.
        run: crate::run::RunId,
        /// What is asked.
        control: crate::run::control::Control,
        /// What to say then.
        news: String,
    },
    /// As [`Step::Post`], several at once.
    PostAll(Vec<Posting>),
    /// It closes, and the screen below does this, as if its key had been pressed.
    Act(Action, usize),
    /// Words at the foot: why nothing happened.
    Say(String),
    /// It stays; a text is to be edited outside, in the person's editor. Comes back as [`Msg::Edited`] with this ticket.
    Outside(crate::ui::app::msg::Ticket, String, &'static str),
    /// The workstation ends, once these are done.
    Leave(Vec<Cmd>),
}

/// What was drawn of a dialog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The end of its text was on the screen.
    pub end: bool,
    /// Rows of the text that were shown.
    pub rows: usize,
    /// Most rows that can be scrolled.
    pub most: usize,
    /// Where the caret is.
    pub caret: Option<Position>,
    /// Rows above and below what is shown, where the dialog itself does not say so.
    pub hidden: (usize, usize),
}

/// A dialog.
pub trait Dialog: Debug + Send {
    /// Which keys live in it now.
    fn live(&self) -> &'static [Ctx];

    /// Its title, a question, and what stands at the right end of its upper border. Neutral.
    fn title(&self, model: &Model) -> (String, String);

    /// Rows that it wants inside its border, at this width inside of it.
    fn rows(&self, model: &Model, width: u16) -> u16;

    /// Columns that it wants, borders included, as drawn in SCREENS; at most 100 are given.
    fn columns(&self) -> u16 {
        76
    }

    /// Draws its inside. The last row is that of its keys.
    fn draw(&self, model: &Model, area: Rect, pen: Pen<'_>) -> Shown;

    /// It was drawn; `at` is when.
    fn drawn(&mut self, _shown: Shown, _at: Instant) {}

    /// A bound key.
    fn act(&mut self, hit: Hit, model: &mut Model) -> Step;

    /// A key that is bound to nothing, where text is typed.
    fn key(&mut self, _key: &KeyEvent, _model: &mut Model) -> Step {
        Step::Stay
    }

    /// A row of it was clicked: it is selected; one that is selected already is opened.
    fn click(&mut self, _field: usize, _row: usize, _model: &mut Model) -> Step {
        Step::Stay
    }

    /// Whether an action of it takes its key, and a click only says so: what lets something happen is not clicked.
    fn by_key(&self, _action: Action) -> bool {
        false
    }

    /// Pasted text. Not neutral.
    fn paste(&mut self, _text: &str, _model: &mut Model) -> Step {
        Step::Stay
    }

    /// Something was reported: an answer to its command, a new snapshot.
    fn told(&mut self, _msg: &Msg, _model: &mut Model) -> Step {
        Step::Stay
    }

    /// Commands that it needs when it opens.
    fn open(&mut self, _model: &mut Model) -> Vec<Cmd> {
        Vec::new()
    }

    /// Another one opens over it.
    fn covered(&mut self) {}

    /// Whether what was typed before it opened must not reach it.
    fn guards(&self) -> bool {
        false
    }

    /// What it asked has been decided elsewhere: how, neutral; its own keys mean nothing any more.
    fn decided(&self) -> Option<String> {
        None
    }

    /// Esc means something else in it now: what is to be done; it stays open.
    fn back(&mut self, _model: &mut Model) -> Option<Vec<Cmd>> {
        None
    }

    /// The word behind an `@` before the caret, where files are named: the folder, where the `@` stands, what follows it.
    fn at_file(&self, _model: &Model) -> Option<(std::path::PathBuf, (usize, String))> {
        None
    }

    /// The text with the focus, where files are named.
    fn editor(&mut self) -> Option<&mut Editor> {
        None
    }

    /// Puts what is written in it to the drafts, and takes out what is not any more.
    fn put_down(&self, _drafts: &mut Drafts) {}

    /// It is left with Esc. The words are said at the foot: that a draft is kept.
    fn leave(&mut self, _model: &mut Model) -> Option<String> {
        None
    }
}
