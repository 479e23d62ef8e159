//! A dialog that asks for a word, where a key would be too easy.

use super::flow::Flow;
use super::parts::{self, key};
use super::{Dialog, Shown, Step};
use crate::run::control::Control;
use crate::run::{RunId, WorkerId};
use crate::ui::app::model::{Model, Sent};
use crate::ui::app::msg::Cmd;
use crate::ui::edit::Editor;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, one_line};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, part, row};
use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Characters of a run's name that are shown and typed.
const SHORT: usize = 6;

/// What is done once the word was typed.
#[derive(Debug)]
enum What {
    /// The run is cancelled.
    Cancel,
    /// Its sleeping owner is ended, and the run is worked at here.
    TakeOver(WorkerId),
}

/// The dialog.
#[derive(Debug)]
pub struct TypedDialog {
    run: RunId,
    what: What,
    /// The word.
    word: String,
    editor: Editor,
}

impl TypedDialog {
    /// Asks whether a run is to be cancelled.
    pub fn cancel(_model: &Model, run: RunId) -> Box<dyn Dialog> {
        let word = run.as_str().chars().take(SHORT).collect();
        Box::new(Self { run, what: What::Cancel, word, editor: Editor::default() })
    }

    /// Asks whether the worker that owns a run is to be ended; its process is the word.
    pub fn take_over(run: RunId, worker: WorkerId, pid: i32) -> Box<dyn Dialog> {
        Box::new(Self { run, what: What::TakeOver(worker), word: pid.to_string(), editor: Editor::default() })
    }

    fn body(&self, model: &Model) -> Flow {
        let mut flow = Flow::default();
        let row = model.shot.as_ref().and_then(|shot| shot.runs.iter().find(|row| row.id == self.run));
        if let Some(row) = row {
            flow.line(one_line(&row.title, Strength::Prose), Role::Goal, crate::ui::text::Wrap::Words);
        }
        match self.what {
            What::Cancel => flow.words(model.words().ask.cancel_text, Role::Base),
            What::TakeOver(_) => flow.words(&model.words().choices.take_over_text(&self.word), Role::Base),
        }
        flow
    }
}

impl Dialog for TypedDialog {
    fn live(&self) -> &'static [Ctx] {
        live::TEXT
    }

    fn title(&self, model: &Model) -> (String, String) {
        match self.what {
            What::Cancel => (model.words().ask.cancel_title.to_owned(), self.word.clone()),
            What::TakeOver(_) => (model.words().choices.take_over_title(&self.word), String::new()),
        }
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        self.body(model).height(width).saturating_add(2)
    }

    fn columns(&self) -> u16 {
        60
    }

    fn draw(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Shown {
        let mut pen = Pen { look: &model.look, buf };
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().ask;
        let last = row(area, usize::from(area.height - 1));
        let enter = key(model, live::TEXT, Action::TextSubmit, words.enter);
        parts::keys(&mut pen, last, &[enter], &[key(model, live::TEXT, Action::Back, words.back)]);
        let mut shown = Shown { end: true, ..Shown::default() };
        if area.height > 1 {
            let line = row(area, usize::from(area.height - 2));
            let used = pen.left(line, &[part(Role::NeedsYou, format!("{} ", words.type_word(&self.word)))]);
            let field = Rect { x: line.x + used, width: line.width - used, ..line };
            shown.caret = self.editor.draw(&mut pen, field, true, "");
        }
        let above = Rect { height: area.height.saturating_sub(2), ..area };
        self.body(model).draw(&mut pen, above, 0);
        shown
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        match hit.action {
            Action::TextSubmit | Action::TextSave => {
                let typed = self.editor.text();
                let typed = typed.trim();
                let whole = matches!(self.what, What::Cancel) && typed == self.run.as_str();
                if typed != self.word && !whole {
                    return Step::Say(model.words().ask.type_word(&self.word));
                }
                match &self.what {
                    What::Cancel => {
                        let news = model.words().notes.cancelling.to_owned();
                        Step::Post { run: self.run.clone(), control: Control::Cancel, news }
                    }
                    What::TakeOver(worker) => {
                        let (ticket, run) = (model.ticket(), self.run.clone());
                        let news = model.words().notes.taken_over(&self.word);
                        model.sent.push(Sent { ticket, run: run.clone(), call: None, news });
                        Step::Close(vec![Cmd::TakeOver(ticket, run, worker.clone())])
                    }
                }
            }
            Action::TextNewline => Step::Stay,
            _ if self.editor.act(hit) => Step::Stay,
            _ => parts::not_here(model),
        }
    }

    fn key(&mut self, key: &KeyEvent, _model: &mut Model) -> Step {
        self.editor.key(key);
        Step::Stay
    }

    fn paste(&mut self, text: &str, _model: &mut Model) -> Step {
        self.editor.insert(text.trim());
        Step::Stay
    }
}
