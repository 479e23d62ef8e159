//! A list that is filtered by typing: what is typed, which row is marked, how far a page goes.

use crate::ui::edit::Editor;
use crate::ui::keys::{Action, Hit};
use crossterm::event::{KeyCode, KeyEvent};

/// What became of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picked {
    /// The marked row is chosen.
    Chosen,
    /// Something in the list changed, or nothing.
    Stays,
    /// It is not about the list.
    NotHere,
}

/// The state of the list.
#[derive(Debug)]
pub struct Pick {
    /// What is typed.
    pub editor: Editor,
    /// The place of the marked row among those found.
    pub marked: usize,
    page: usize,
}

impl Pick {
    /// Nothing typed, the first row marked; `page` rows are a page until it was drawn.
    pub fn new(page: usize) -> Self {
        Self { editor: Editor::default(), marked: 0, page }
    }

    /// It was drawn with so many rows.
    pub fn drawn(&mut self, rows: usize) {
        self.page = rows.max(1);
    }

    fn step(&mut self, by: isize, found: usize) {
        self.marked = self.marked.saturating_add_signed(by).min(found.saturating_sub(1));
    }

    /// A bound key, with so many rows found.
    pub fn act(&mut self, hit: Hit, found: usize) -> Picked {
        match hit.action {
            Action::PickMove => self.step(if hit.nth == 0 { -1 } else { 1 }, found),
            Action::TextSubmit => return Picked::Chosen,
            Action::TextNewline => {}
            Action::CaretOrChoice => {
                self.editor.act(hit);
            }
            _ if self.editor.act(hit) => self.marked = 0,
            _ => return Picked::NotHere,
        }
        Picked::Stays
    }

    /// A key that is bound to nothing.
    pub fn key(&mut self, key: &KeyEvent, found: usize) {
        let page = isize::try_from(self.page).unwrap_or(1);
        match key.code {
            KeyCode::PageDown => self.step(page, found),
            KeyCode::PageUp => self.step(-page, found),
            _ if self.editor.key(key) => self.marked = 0,
            _ => {}
        }
    }

    /// Pasted text: its first line.
    pub fn paste(&mut self, text: &str) {
        self.editor.insert(text.lines().next().unwrap_or_default());
        self.marked = 0;
    }
}
