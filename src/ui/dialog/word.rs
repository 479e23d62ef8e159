//! The field in which a word is typed where a key would be too easy.

use crate::ui::app::model::Model;
use crate::ui::edit::Editor;
use crate::ui::keys::{Action, Hit};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, part};
use crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// What an action in the field came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {
    /// It was sent; whether it was the word.
    Sent(bool),
    /// The field took it.
    Taken,
    /// It means nothing in the field.
    NotHere,
}

/// The field.
#[derive(Debug)]
pub struct WordField {
    word: String,
    /// Another word that is as good.
    also: Option<String>,
    editor: Editor,
    /// Another word was sent.
    wrong: bool,
}

impl WordField {
    /// A field for this word.
    pub fn new(word: impl Into<String>) -> Self {
        Self { word: word.into(), also: None, editor: Editor::default(), wrong: false }
    }

    /// A field for the word of approvals.
    pub fn yes() -> Self {
        Self::new("yes")
    }

    /// The same, another word counts too.
    pub fn or(self, also: &str) -> Self {
        Self { also: Some(also.to_owned()), ..self }
    }

    /// The word.
    pub fn word(&self) -> &str {
        &self.word
    }

    /// An action in the field.
    pub fn act(&mut self, hit: Hit) -> Typed {
        match hit.action {
            Action::TextSubmit | Action::TextSave => {
                let typed = self.editor.text();
                let typed = typed.trim();
                let right = typed == self.word || self.also.as_deref() == Some(typed);
                self.wrong = !right;
                Typed::Sent(right)
            }
            // A word has one line.
            Action::TextNewline => Typed::Taken,
            _ if self.editor.act(hit) => {
                self.wrong = false;
                Typed::Taken
            }
            _ => Typed::NotHere,
        }
    }

    /// A key of no action.
    pub fn key(&mut self, key: &KeyEvent) {
        self.wrong = false;
        self.editor.key(key);
    }

    /// Pasted text.
    pub fn paste(&mut self, text: &str) {
        self.wrong = false;
        self.editor.insert(text.trim());
    }

    /// Draws the field in the last row of an area, what it asks for or what is wrong before it, and takes that row off
    /// the area. Gives the place of the caret.
    pub fn draw(&self, model: &Model, area: &mut Rect, pen: &mut Pen<'_>) -> Option<Position> {
        area.height = area.height.checked_sub(1)?;
        let line = Rect { y: area.bottom(), height: 1, ..*area };
        let words = &model.words().ask;
        let asks = match self.wrong {
            true => part(Role::Danger, format!("{} ", words.wrong_word(&self.word))),
            false => part(Role::NeedsYou, format!("{} ", words.type_word(&self.word))),
        };
        let used = pen.left(line, &[asks]);
        let field = Rect { x: line.x + used, width: line.width - used, ..line };
        self.editor.draw(pen, field, true, "")
    }
}
