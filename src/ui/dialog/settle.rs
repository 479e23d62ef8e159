//! Small forms that settle a fact about the run's model which nobody knew: its window, its price.
//!
//! The model stays the same; only this fact of its settings changes, as a control of the run.

use super::flow::Flow;
use super::form::{Did, Entry, Field, Form};
use super::limits::tokens;
use super::parts::{self, key};
use super::{Dialog, Shown, Step};
use crate::config::units::parse_micro;
use crate::run::RunId;
use crate::run::control::Control;
use crate::run::settings::{ModelSettings, Price};
use crate::ui::app::model::Model;
use crate::ui::edit::Editor;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, one_line};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use crate::ui::words::numbers::grouped;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// The smallest window that is taken, tokens: less holds no system prompt and goal.
const LEAST: u32 = 1_024;

/// What is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Window,
    Price,
}

/// The dialog.
#[derive(Debug)]
pub struct SettleDialog {
    run: RunId,
    what: What,
    model: ModelSettings,
    form: Form,
    problem: Option<&'static str>,
}

impl SettleDialog {
    fn of(model: &Model, what: What, fields: Vec<Field>) -> Option<Box<dyn Dialog>> {
        let view = model.view()?;
        let (run, own) = (view.state.run.clone(), view.state.settings()?.model.clone());
        Some(Box::new(Self { run, what, model: own, form: Form::new(fields), problem: None }))
    }

    /// The form for the window, with what the server read of the last prompt.
    pub fn window(model: &Model) -> Option<Box<dyn Dialog>> {
        let words = &model.words().choices;
        let state = &model.view()?.state;
        let now = state.settings()?.model.window;
        let read = state.ledger.cut_at_front().map_or(u64::from(now), |(read, _)| read);
        let mut field = Field::new(words.window, Entry::Line(Editor::new(&read.to_string())), "");
        field.note = words.window_now(&grouped(u64::from(now)));
        Self::of(model, What::Window, vec![field])
    }

    /// The form for the price.
    pub fn price(model: &Model) -> Option<Box<dyn Dialog>> {
        let words = &model.words().choices;
        let field = |label| Field::new(label, Entry::Line(Editor::default()), words.per_million);
        Self::of(model, What::Price, vec![field(words.prompt), field(words.cached), field(words.reply)])
    }

    /// The model's settings with what was entered; else the field that is wrong.
    fn settled(&self) -> Result<ModelSettings, usize> {
        let mut model = self.model.clone();
        match self.what {
            What::Window => {
                let window = tokens(self.form.text(0).trim()).and_then(|n| u32::try_from(n).ok());
                model.window = window.filter(|window| *window >= LEAST).ok_or(0_usize)?;
                model.reserve = model.reserve.min(model.window / 4);
            }
            What::Price => {
                let amount = |nth: usize| {
                    let text = self.form.text(nth);
                    parse_micro(text.trim().trim_start_matches('$')).map_err(|_| nth)
                };
                let prompt = amount(0)?;
                // A server that has no price of its own for them charges cached tokens like others.
                let cached = if self.form.text(1).trim().is_empty() { prompt } else { amount(1)? };
                model.price = Some(Price { prompt, cached, completion: amount(2)? });
            }
        }
        Ok(model)
    }

    fn save(&mut self, model: &Model) -> Step {
        let words = &model.words().choices;
        let (bad, news) = match self.what {
            What::Window => (words.bad_window, words.window_set),
            What::Price => (words.bad_price, words.price_set),
        };
        match self.settled() {
            Ok(settled) => Step::Post {
                run: self.run.clone(),
                control: Control::SetModel { model: Box::new(settled) },
                news: news.to_owned(),
            },
            Err(field) => {
                self.problem = Some(bad);
                self.form.focus(field);
                Step::Stay
            }
        }
    }

    fn foot(&self, model: &Model) -> Flow {
        let mut foot = Flow::default();
        let words = &model.words().choices;
        if let Some(problem) = self.problem {
            foot.problem(model, problem);
        }
        let note = match self.what {
            What::Window => words.window_note,
            What::Price => words.price_note,
        };
        foot.words(note, Role::Muted);
        foot
    }

    fn did(&mut self, did: Did) -> Step {
        if did == Did::Changed {
            self.problem = None;
        }
        Step::Stay
    }
}

impl Dialog for SettleDialog {
    fn live(&self) -> &'static [Ctx] {
        live::FORM
    }

    fn title(&self, model: &Model) -> (String, String) {
        let words = &model.words().choices;
        let title = match self.what {
            What::Window => words.window_title,
            What::Price => words.price_title,
        };
        (title.to_owned(), one_line(&self.model.model, Strength::Exact).shown())
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        self.form.rows(width).saturating_add(self.foot(model).height(width)).saturating_add(1)
    }

    fn columns(&self) -> u16 {
        64
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let last = row(area, usize::from(area.height - 1));
        let key = |action, words: &str| key(model, live::FORM, action, words);
        // The window has one field: there is no other to go to.
        let next = match self.what {
            What::Window => None,
            What::Price => key(Action::FieldNext, model.words().new_run.field),
        };
        let left = [
            next,
            key(Action::TextSave, model.words().choices.set)
                .map(|key| key.or_short(model.words().new_run.save)),
        ];
        parts::keys(&mut pen, last, &left, &[key(Action::Back, model.words().ask.back)]);
        self.form.draw_over(&self.foot(model), area, &mut pen)
    }

    fn click(&mut self, field: usize, row: usize, _model: &mut Model) -> Step {
        self.form.click(field, row);
        Step::Stay
    }

    fn by_key(&self, action: Action) -> bool {
        matches!(action, Action::TextSave)
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        match self.form.act(hit) {
            Did::Save => self.save(model),
            did @ (Did::Changed | Did::Left(_) | Did::Open(_) | Did::Nothing) => self.did(did),
        }
    }

    fn key(&mut self, key: &KeyEvent, _model: &mut Model) -> Step {
        let did = self.form.key(key);
        self.did(did)
    }

    fn paste(&mut self, text: &str, _model: &mut Model) -> Step {
        self.form.paste(text);
        self.did(Did::Changed)
    }
}
