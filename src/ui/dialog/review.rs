//! The dialog that asks for a decision on a call: what it would do, whole, and the keys that decide.
//!
//! Nothing is approved unseen: what was typed before the dialog opened is dropped, `y` is dead for 300 ms after the
//! first drawn frame and until the end of the text was on the screen; how much of it was, is said. Where something is
//! dangerous or not what it looks like, the word `yes` is typed. Where the same call ran on a timeline that was left, that stands
//! first, and its result can be reused if what it did still stands. The hash that was shown is the hash that is sent; if the call is
//! decided elsewhere meanwhile, the dialog says so and decides nothing.

pub mod batch;
mod body;
pub(super) mod diff;
pub(super) mod draw;
#[cfg(test)]
mod tests;

use super::parts;
use super::scroll::Scroll;
use super::word::{Typed, WordField};
use super::{Dialog, Shown, Step, args, deny};
use crate::run::call::Origin;
use crate::run::checkpoint::FileState;
use crate::run::control::Decision;
use crate::store::CallRow;
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Before, Cmd, FileChange, Msg, Ticket};
use crate::ui::dialog::guard::Guard;
use crate::ui::feed::Waiting;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, one_line, width};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, part};
use crate::ui::words::reasons::said;
use body::{Body, Kind};
pub(super) use body::{brief, pretty};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use serde_json::Value;
use std::time::Instant;

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

/// Arguments that the person wrote.
#[derive(Debug)]
struct Edited {
    args: Value,
    /// Those of the call, which they replace.
    own: Option<Value>,
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
    /// What the same call did on a timeline that was left.
    before: Part<Option<Before>>,
    /// Arguments that the person wrote, to be approved in their place.
    edited: Option<Edited>,
    /// Made once everything is here.
    body: Option<Body>,
    scroll: Scroll,
    first: Guard,
    /// The word that is typed where a key is not enough.
    typing: Option<WordField>,
    /// Why there is nothing to decide any more.
    gone: Option<String>,
}

impl Review {
    /// The dialog about a call that waits for an approval.
    pub fn new(model: &Model, waiting: &Waiting) -> Box<dyn Dialog> {
        Box::new(Self::of(model, waiting, None))
    }

    /// The dialog about the same call with the person's arguments in place of its own.
    /// `own` are those of the call, if they could be read: what differs is shown.
    pub fn edited(model: &Model, waiting: &Waiting, args: Value, own: Option<&Value>) -> Box<dyn Dialog> {
        Box::new(Self::of(model, waiting, Some(Edited { args, own: own.cloned() })))
    }

    fn of(model: &Model, waiting: &Waiting, edited: Option<Edited>) -> Self {
        let kind = Kind::of(&waiting.call.tool);
        let args = match &edited {
            Some(edited) => Part::Here(Ok(edited.args.to_string())),
            None if waiting.args.is_part() => Part::None,
            None => Part::Here(Ok(waiting.args.shown.clone())),
        };
        let mut review = Self {
            waiting: waiting.clone(),
            kind,
            args,
            change: Part::None,
            before: Part::None,
            edited,
            body: None,
            scroll: Scroll::default(),
            first: Guard::default(),
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
        self.kind == Kind::Write
    }

    /// The file that would be written over, as it is shown. An edit needs none: its arguments hold the text that it
    /// replaces, and several edits of a file can be approved together.
    fn shown(&self) -> Option<&FileState> {
        match &self.change {
            _ if self.call().tool != "write_file" => None,
            Part::Here(Ok(all)) => all.first().and_then(|one| one.state.as_ref()),
            Part::None | Part::Asked(_) | Part::Here(Err(_)) => None,
        }
    }

    /// Whether the same call may have run on a timeline that was left. Other arguments are another call.
    fn wants_before(&self, model: &Model) -> bool {
        let shown = model.shot.as_ref().and_then(|shot| shot.run.as_ref());
        let view = shown.filter(|view| view.state.run == self.call().run);
        matches!(self.kind, Kind::Shell | Kind::Request)
            && self.edited.is_none()
            && self.call().origin == Origin::Model
            && view.is_none_or(|view| view.state.ledger.timelines.len() > 1)
    }

    /// What the same call did before, once that is known.
    fn before(&self) -> Option<&Before> {
        match &self.before {
            Part::Here(Ok(before)) => before.as_ref(),
            Part::None | Part::Asked(_) | Part::Here(Err(_)) => None,
        }
    }

    /// Makes the text once everything is here.
    fn prepare(&mut self, model: &Model) {
        let Part::Here(args) = &self.args else { return };
        let change = match &self.change {
            Part::Here(change) => Some(change),
            Part::None if !self.wants_change() => None,
            Part::None | Part::Asked(_) => return,
        };
        self.body = Some(Body::of(model, &self.waiting.call, self.kind, args, change, self.edited.as_ref()));
    }

    fn live_keys() -> &'static [Ctx] {
        live::ASK
    }

    /// Why `y` does nothing yet; none if it works.
    fn dead(&mut self, model: &Model) -> Option<String> {
        let words = &model.words().review;
        let Some(body) = &self.body else { return Some(words.not_ready.to_owned()) };
        if let Part::Asked(_) = self.before {
            return Some(words.not_ready.to_owned());
        }
        if let Some(why) = &body.unreadable {
            return Some(words.unreadable(why));
        }
        too_soon(model, &mut self.first, &self.scroll, body.needs_yes())
    }

    fn approve(&self, model: &Model) -> Step {
        let args = self.edited.as_ref().map(|edited| edited.args.clone());
        let decision = approval(args, self.shown());
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
            self.typing = Some(WordField::yes());
            return Step::Stay;
        }
        self.approve(model)
    }

    /// The result of before in place of running it; or why not.
    fn reuse(&mut self, model: &Model) -> Step {
        let words = &model.words().review;
        if let Part::Asked(_) = self.before {
            return Step::Say(words.not_ready.to_owned());
        }
        if self.kind == Kind::Write {
            return Step::Say(words.write_not_reusable.to_owned());
        }
        let Some(before) = self.before() else { return Step::Say(words.nothing_to_reuse.to_owned()) };
        if let Some(why) = &before.refused {
            let why = one_line(&said(model.look.lang, why), Strength::Prose).shown();
            return Step::Say(words.not_reusable(&why));
        }
        let from = before.call.clone();
        if let Some(why) = self.dead(model) {
            return Step::Say(why);
        }
        Step::Post {
            run: self.call().run.clone(),
            control: parts::decide(self.call(), Decision::Reuse { from }),
            news: model.words().notes.reused(&parts::name(self.call())),
        }
    }

    /// Enter after a typed word.
    fn submitted(&mut self, right: bool, model: &Model) -> Step {
        match (self.dead(model), right) {
            (Some(why), _) => Step::Say(why),
            (None, true) => self.approve(model),
            (None, false) => Step::Say(model.words().review.not_yes.to_owned()),
        }
    }
}

/// An approval of what was shown: of a write that includes the file as it was, if its content can be compared.
pub(super) fn approval(args: Option<Value>, shown: Option<&FileState>) -> Decision {
    let comparable = shown.filter(|state| state.same_content(state));
    match (args, comparable) {
        (args, Some(before)) => Decision::ApproveShown { args, before: before.clone() },
        (None, None) => Decision::Approve,
        (Some(args), None) => Decision::ApproveEdited { args },
    }
}

/// Why nothing is approved yet: the dialog has just been drawn first, or its text was not seen to its end.
fn too_soon(model: &Model, first: &mut Guard, scroll: &Scroll, yes: bool) -> Option<String> {
    let words = &model.words().review;
    if first.is_too_soon(model.clock.mono) {
        return Some(words.too_soon.to_owned());
    }
    (!scroll.ended()).then(|| read_on(model, Some(scroll.was_seen()), yes))
}

/// How to see the end, what comes then, and how much was on the screen if that is known.
fn read_on(model: &Model, seen: Option<(usize, usize)>, yes: bool) -> String {
    let words = &model.words().review;
    let end = model.key(live::ASK, Action::Bottom);
    let approve = model.key(live::ASK, Action::ApproveOnce);
    let then = if yes { words.asks_then(&approve) } else { words.works_then(&approve) };
    match seen {
        Some((seen, all)) => words.read_on_from(&end, &then, seen as u64, all as u64),
        None => words.read_on(&end, &then),
    }
}

/// That the end was on the screen; and how much, if it was not all.
fn end_seen(model: &Model, seen: Option<(usize, usize)>) -> String {
    let words = &model.words().review;
    match seen.filter(|(seen, all)| seen < all) {
        Some((seen, all)) => words.end_seen(seen as u64, all as u64),
        None => words.all_seen.to_owned(),
    }
}

/// Draws a row that says how much was seen and how to see the end, as long as it is not; shorter where there is less room.
fn said_of_seen(model: &Model, end: bool, seen: (usize, usize), yes: bool, place: Rect, pen: &mut Pen<'_>) {
    let words = &model.words().review;
    let (read, all) = (seen.0 as u64, seen.1 as u64);
    let key = model.key(live::ASK, Action::Bottom);
    let (role, ways) = match end {
        true if read < all => (Role::Muted, [end_seen(model, Some(seen)), words.seen_end(read, all)]),
        true => (Role::Muted, [end_seen(model, Some(seen)), words.all_seen.to_owned()]),
        false => (Role::Warn, [read_on(model, Some(seen), yes), words.unseen_end(&key, read, all)]),
    };
    let [long, short] = ways;
    let said = if width(&long) <= usize::from(place.width) { long } else { short };
    pen.left(place, &[part(role, said)]);
}

impl Dialog for Review {
    fn live(&self) -> &'static [Ctx] {
        match (&self.gone, &self.typing) {
            (Some(_), _) => live::SHOW,
            (None, Some(_)) => live::TEXT,
            (None, None) => live::ASK,
        }
    }

    fn decided(&self) -> Option<String> {
        self.gone.clone()
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

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        self.paint(model, area, &mut pen)
    }

    fn by_key(&self, action: Action) -> bool {
        self.typing.is_some() && matches!(action, Action::TextSubmit | Action::TextSave)
    }

    fn drawn(&mut self, shown: Shown, at: Instant) {
        self.first.drawn(at);
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
        if let Some(field) = &mut self.typing {
            return match field.act(hit) {
                Typed::Sent(right) => self.submitted(right, model),
                Typed::Taken => Step::Stay,
                Typed::NotHere => parts::not_here(model),
            };
        }
        match hit.action {
            Action::ApproveOnce => self.asked_to_approve(model),
            Action::Deny => Step::Swap(deny::DenyDialog::new(model, &self.waiting)),
            Action::EditArgs => Step::Swap(match &self.edited {
                Some(edited) => args::ArgsDialog::again(&self.waiting, &edited.args),
                None => args::ArgsDialog::new(model, &self.waiting),
            }),
            Action::EffectReuse => self.reuse(model),
            Action::AskNext => parts::next(model, self.call()),
            _ => parts::not_here(model),
        }
    }

    fn key(&mut self, key: &KeyEvent, _model: &mut Model) -> Step {
        if let Some(field) = &mut self.typing {
            field.key(key);
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
            Msg::Before(ticket, read) if matches!(self.before, Part::Asked(own) if own == *ticket) => {
                self.before = Part::Here(read.clone());
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
            let args = self.edited.as_ref().map(|edited| edited.args.clone());
            commands.push(Cmd::Change(ticket, self.call().run.clone(), self.call().call_id.clone(), args));
        }
        if self.wants_before(model) && matches!(self.before, Part::None) {
            let ticket = model.ticket();
            self.before = Part::Asked(ticket);
            commands.push(Cmd::Before(ticket, self.call().run.clone(), self.call().call_id.clone()));
        }
        self.prepare(model);
        commands
    }

    fn covered(&mut self) {
        self.first.begin_anew();
    }

    fn guards(&self) -> bool {
        true
    }
}
