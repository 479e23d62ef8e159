//! The dialog that asks for a decision on a call: what it would do, whole, and the keys that decide.
//!
//! Nothing is approved unseen: what was typed before the dialog opened is dropped, `y` is dead for 300 ms after the
//! first drawn frame and until the end of the text, and all before it, was on the screen. Where something is dangerous
//! or not what it looks like, the word `yes` is typed. The hash that was shown is the hash that is sent; if the call is
//! decided elsewhere meanwhile, the dialog says so and decides nothing.

pub mod batch;
mod body;
pub(super) mod diff;
mod draw;
#[cfg(test)]
mod tests;

use super::flow::Scroll;
use super::parts;
use super::{Dialog, Shown, Step, args, deny};
use crate::run::control::Decision;
use crate::store::CallRow;
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Cmd, FileChange, Msg, Ticket};
use crate::ui::edit::Editor;
use crate::ui::feed::Waiting;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::view::paint::Pen;
use body::{Body, Kind};
pub(super) use body::{brief, pretty};
use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::Value;
use std::time::{Duration, Instant};

/// How long `y` is dead after the first frame.
const DEAD: Duration = Duration::from_millis(300);
/// The word that is typed where a key is not enough.
const YES: &str = "yes";

/// Something that is read for the dialog.
#[derive(Debug)]
enum Part<T> {
    /// It is not needed.
    None,
    /// It was asked for.
    Asked(Ticket),
    /// It is here, or cannot be.
    Here(Result<T, String>),
}

/// The dialog.
#[derive(Debug)]
pub struct Review {
    waiting: Waiting,
    kind: Kind,
    /// The stored arguments.
    args: Part<String>,
    /// What a write would change.
    change: Part<Vec<FileChange>>,
    /// Arguments that the person wrote, to be approved in their place.
    edited: Option<Value>,
    /// Made once everything is here.
    body: Option<Body>,
    scroll: Scroll,
    first: Option<Instant>,
    /// The word that is typed.
    typing: Option<Editor>,
    /// Why there is nothing to decide any more.
    gone: Option<String>,
}

impl Review {
    /// The dialog about a call that waits for an approval.
    pub fn new(model: &Model, waiting: &Waiting) -> Box<dyn Dialog> {
        Box::new(Self::of(model, waiting, None))
    }

    /// The dialog about the same call with the person's arguments in place of its own.
    pub fn edited(model: &Model, waiting: &Waiting, args: Value) -> Box<dyn Dialog> {
        Box::new(Self::of(model, waiting, Some(args)))
    }

    fn of(model: &Model, waiting: &Waiting, edited: Option<Value>) -> Self {
        let kind = Kind::of(&waiting.call.tool);
        let args = match &edited {
            Some(value) => Part::Here(Ok(value.to_string())),
            None if waiting.args.is_part() => Part::None,
            None => Part::Here(Ok(waiting.args.shown.clone())),
        };
        let mut review = Self {
            waiting: waiting.clone(),
            kind,
            args,
            change: Part::None,
            edited,
            body: None,
            scroll: Scroll::default(),
            first: None,
            typing: None,
            gone: None,
        };
        if !review.wants_change() {
            review.prepare(model);
        }
        review
    }

    fn call(&self) -> &CallRow {
        &self.waiting.call
    }

    fn wants_change(&self) -> bool {
        self.kind == Kind::Write && self.edited.is_none()
    }

    /// Makes the text once everything is here.
    fn prepare(&mut self, model: &Model) {
        let Part::Here(args) = &self.args else { return };
        let change = match &self.change {
            Part::Here(change) => Some(change),
            Part::None if !self.wants_change() => None,
            Part::None | Part::Asked(_) => return,
        };
        self.body = Some(Body::of(model, &self.waiting.call, self.kind, args, change, self.edited.is_some()));
    }

    fn live_keys() -> &'static [Ctx] {
        live::ASK
    }

    /// Why `y` does nothing yet; none if it works.
    fn dead(&self, model: &Model) -> Option<String> {
        let words = &model.words().review;
        let Some(body) = &self.body else { return Some(words.not_ready.to_owned()) };
        if let Some(why) = &body.unreadable {
            return Some(words.unreadable(why));
        }
        too_soon(model, self.first, &self.scroll)
    }

    fn approve(&self, model: &Model) -> Step {
        let decision = match &self.edited {
            None => Decision::Approve,
            Some(args) => Decision::ApproveEdited { args: args.clone() },
        };
        Step::Post {
            run: self.call().run.clone(),
            control: parts::decide(self.call(), decision),
            news: model.words().notes.approved(&parts::name(self.call())),
        }
    }

    fn asked_to_approve(&mut self, model: &Model) -> Step {
        if let Some(why) = self.dead(model) {
            return Step::Say(why);
        }
        if self.body.as_ref().is_some_and(Body::needs_yes) {
            self.typing = Some(Editor::default());
            return Step::Stay;
        }
        self.approve(model)
    }

    /// Enter after a typed word.
    fn submitted(&mut self, model: &Model) -> Step {
        let typed = self.typing.as_ref().map(Editor::text).unwrap_or_default();
        if let Some(why) = self.dead(model) {
            return Step::Say(why);
        }
        match typed.trim() == YES {
            true => self.approve(model),
            false => Step::Say(model.words().review.not_yes.to_owned()),
        }
    }
}

/// Why nothing is approved yet: the dialog has just been drawn first, or its text was not seen to its end.
fn too_soon(model: &Model, first: Option<Instant>, scroll: &Scroll) -> Option<String> {
    let words = &model.words().review;
    if first.is_none_or(|at| model.clock.mono.saturating_duration_since(at) < DEAD) {
        return Some(words.too_soon.to_owned());
    }
    let key = |action| model.key(live::ASK, action);
    (!scroll.ended()).then(|| words.shows_end(&key(Action::Bottom), &key(Action::ApproveOnce)))
}

impl Dialog for Review {
    fn live(&self) -> &'static [Ctx] {
        match (&self.gone, &self.typing) {
            (Some(_), _) => live::SHOW,
            (None, Some(_)) => live::TEXT,
            (None, None) => live::ASK,
        }
    }

    fn title(&self, model: &Model) -> (String, String) {
        let words = &model.words().review;
        let made = matches!(&self.change, Part::Here(Ok(all)) if all.iter().all(|one| one.before.is_none()));
        let title = match self.kind {
            Kind::Shell => words.run_command,
            Kind::Write if made => words.make_file,
            Kind::Write => words.change_file,
            Kind::Request => words.send_request,
            Kind::Other => words.run_call,
        };
        (title.to_owned(), parts::place(model, self.call()))
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        let text = self.body.as_ref().map_or(1, |body| body.text.height(width));
        let own = self.head(model).height(width).saturating_add(self.foot_rows(model, width));
        text.max(1).saturating_add(own).saturating_add(1 + u16::from(self.typing.is_some()))
    }

    fn columns(&self) -> u16 {
        let widest = self.body.as_ref().map_or(0, |body| body.text.widest());
        if widest > 72 { 100 } else { 76 }
    }

    fn draw(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Shown {
        self.paint(model, area, &mut Pen { look: &model.look, buf })
    }

    fn drawn(&mut self, shown: Shown, at: Instant) {
        self.first.get_or_insert(at);
        if self.body.is_some() {
            self.scroll.was_drawn(shown);
        }
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        if self.scroll.act(hit.action) {
            return Step::Stay;
        }
        if self.gone.is_some() {
            return parts::not_here(model);
        }
        if let Some(editor) = &mut self.typing {
            return match hit.action {
                Action::TextSubmit | Action::TextSave => self.submitted(model),
                Action::TextNewline => Step::Stay,
                _ if editor.act(hit) => Step::Stay,
                _ => parts::not_here(model),
            };
        }
        match hit.action {
            Action::ApproveOnce => self.asked_to_approve(model),
            Action::Deny => Step::Swap(deny::DenyDialog::new(model, &self.waiting)),
            Action::EditArgs => Step::Swap(match &self.edited {
                Some(args) => args::ArgsDialog::again(&self.waiting, args),
                None => args::ArgsDialog::new(model, &self.waiting),
            }),
            Action::AskNext => parts::next(model, self.call()),
            _ => parts::not_here(model),
        }
    }

    fn key(&mut self, key: &KeyEvent, _model: &mut Model) -> Step {
        if let Some(editor) = &mut self.typing {
            editor.key(key);
        }
        Step::Stay
    }

    fn told(&mut self, msg: &Msg, model: &mut Model) -> Step {
        match msg {
            Msg::Text(ticket, read) if matches!(self.args, Part::Asked(own) if own == *ticket) => {
                self.args = Part::Here(read.clone());
                self.prepare(model);
            }
            Msg::Change(ticket, read) if matches!(self.change, Part::Asked(own) if own == *ticket) => {
                self.change = Part::Here(read.clone());
                self.prepare(model);
            }
            Msg::Shot(shot) => {
                self.gone = parts::gone(model, shot, self.call());
                if self.gone.is_some() {
                    self.typing = None;
                }
            }
            _ => {}
        }
        Step::Stay
    }

    fn open(&mut self, model: &mut Model) -> Vec<Cmd> {
        let mut commands = Vec::new();
        if matches!(self.args, Part::None) {
            let ticket = model.ticket();
            self.args = Part::Asked(ticket);
            commands.push(Cmd::Text(ticket, self.waiting.args.body.clone()));
        }
        if self.wants_change() && matches!(self.change, Part::None) {
            let ticket = model.ticket();
            self.change = Part::Asked(ticket);
            commands.push(Cmd::Change(ticket, self.call().run.clone(), self.call().call_id.clone()));
        }
        self.prepare(model);
        commands
    }

    fn guards(&self) -> bool {
        true
    }
}
