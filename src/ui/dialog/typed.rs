//! A dialog that asks for a word, where a key would be too easy.

use super::flow::Flow;
use super::parts::{self, key};
use super::review::brief;
use super::word::{Typed, WordField};
use super::{Dialog, Shown, Step};
use crate::run::control::Control;
use crate::run::{CallStatus, RunId, WorkerId};
use crate::ui::app::model::{Model, Sent};
use crate::ui::app::msg::Cmd;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, cut, one_line};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Characters of a run's name that are shown and typed.
const SHORT: usize = 6;
/// Most cells of a command that is named.
const COMMAND: usize = 48;

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
    field: WordField,
}

impl TypedDialog {
    /// Asks whether a run is to be cancelled.
    pub fn cancel(_model: &Model, run: RunId) -> Box<dyn Dialog> {
        let word: String = run.as_str().chars().take(SHORT).collect();
        let field = WordField::new(word).or(run.as_str());
        Box::new(Self { run, what: What::Cancel, field })
    }

    /// Asks whether the worker that owns a run is to be ended; its process is the word.
    pub fn take_over(run: RunId, worker: WorkerId, pid: i32) -> Box<dyn Dialog> {
        Box::new(Self { run, what: What::TakeOver(worker), field: WordField::new(pid.to_string()) })
    }

    fn body(&self, model: &Model) -> Flow {
        let mut flow = Flow::default();
        let row = model.shot.as_ref().and_then(|shot| shot.runs.iter().find(|row| row.id == self.run));
        if let Some(row) = row {
            flow.line(one_line(&row.title, Strength::Prose), Role::Goal, crate::ui::text::Wrap::Words);
        }
        match self.what {
            What::Cancel => {
                flow.words(model.words().ask.cancel_text, Role::Base);
                if let Some(command) = running(model, &self.run) {
                    flow.words(&model.words().ask.cancel_ends(&command), Role::Warn);
                }
            }
            What::TakeOver(_) => {
                flow.words(&model.words().choices.take_over_text(self.field.word()), Role::Base)
            }
        }
        flow
    }
}

/// The command of a run that runs now, neutral, if the run is the one on the screen.
fn running(model: &Model, run: &RunId) -> Option<String> {
    let view = model.view().filter(|view| view.state.run == *run)?;
    let open = view.state.open_here().find(|call| call.status == CallStatus::Started)?;
    let row = view.calls.iter().find(|row| row.call_id == open.call_id)?;
    let words = brief(&model.look, row, row.args.inline().unwrap_or_default());
    Some(cut(&words, COMMAND, model.look.glyphs.ellipsis).into_owned())
}

impl Dialog for TypedDialog {
    fn live(&self) -> &'static [Ctx] {
        live::TEXT
    }

    fn title(&self, model: &Model) -> (String, String) {
        match self.what {
            What::Cancel => (model.words().ask.cancel_title.to_owned(), self.field.word().to_owned()),
            What::TakeOver(_) => (model.words().choices.take_over_title(self.field.word()), String::new()),
        }
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        self.body(model).height(width).saturating_add(2)
    }

    fn columns(&self) -> u16 {
        60
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().ask;
        let last = row(area, usize::from(area.height - 1));
        let enter = key(model, live::TEXT, Action::TextSubmit, words.enter);
        parts::keys(&mut pen, last, &[enter], &[key(model, live::TEXT, Action::Back, words.back)]);
        let mut above = Rect { height: area.height - 1, ..area };
        let caret = self.field.draw(model, &mut above, &mut pen);
        self.body(model).draw_cut(&mut pen, above);
        Shown { end: true, caret, ..Shown::default() }
    }

    fn by_key(&self, action: Action) -> bool {
        matches!(action, Action::TextSubmit | Action::TextSave)
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        match (self.field.act(hit), &self.what) {
            (Typed::Sent(true), What::Cancel) => {
                let news = model.words().notes.cancelling.to_owned();
                Step::Post { run: self.run.clone(), control: Control::Cancel, news }
            }
            (Typed::Sent(true), What::TakeOver(worker)) => {
                let (ticket, run) = (model.ticket(), self.run.clone());
                let news = model.words().notes.taken_over(self.field.word());
                model.sent.push(Sent { ticket, run: run.clone(), call: None, news });
                Step::Close(vec![Cmd::TakeOver(ticket, run, worker.clone())])
            }
            (Typed::Sent(false), _) => Step::Say(model.words().ask.wrong_word(self.field.word())),
            (Typed::Taken, _) => Step::Stay,
            (Typed::NotHere, _) => parts::not_here(model),
        }
    }

    fn key(&mut self, key: &KeyEvent, _model: &mut Model) -> Step {
        self.field.key(key);
        Step::Stay
    }

    fn paste(&mut self, text: &str, _model: &mut Model) -> Step {
        self.field.paste(text);
        Step::Stay
    }
}
