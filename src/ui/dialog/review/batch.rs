//! The dialog that decides several calls at once: each is shown whole, one under the other.
//!
//! What is decided is the list of calls that was marked when it opened, bound to what was shown of each; a call that
//! comes later is not in it. What is decided elsewhere meanwhile is marked and left out. The guard is that of one call:
//! the end of all must have been on the screen, and one that is dangerous or deceives needs the typed word for all.

use super::Review;
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Cmd, Msg};
use crate::ui::dialog::flow::Flow;
use crate::ui::dialog::guard::Guard;
use crate::ui::dialog::parts::{self, key};
use crate::ui::dialog::scroll::Scroll;
use crate::ui::dialog::word::{Typed, WordField};
use crate::ui::dialog::{Dialog, Posting, Shown, Step, deny};
use crate::ui::feed::Waiting;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Line, Wrap};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, part, row};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use std::time::Instant;

/// How far apart the calls stand in the text, in its places: farther than any of them is long.
const APART: usize = 1 << 24;

/// The dialog.
#[derive(Debug)]
pub struct Batch {
    items: Vec<Review>,
    /// All calls, one under the other; none while one is still being read.
    text: Option<Flow>,
    scroll: Scroll,
    first: Guard,
    typing: Option<WordField>,
    /// The call that was clicked.
    picked: Option<usize>,
}

impl Batch {
    /// The dialog about these calls, each of which waits for an approval.
    pub fn new(model: &Model, calls: &[Waiting]) -> Box<dyn Dialog> {
        let items = calls.iter().map(|waiting| Review::of(model, waiting, None)).collect();
        let mut batch = Self {
            items,
            text: None,
            scroll: Scroll::default(),
            first: Guard::default(),
            typing: None,
            picked: None,
        };
        batch.prepare(model);
        Box::new(batch)
    }

    /// Those that still wait.
    fn still(&self) -> impl Iterator<Item = &Review> {
        self.items.iter().filter(|item| item.gone.is_none())
    }

    /// Makes the text once everything is here.
    fn prepare(&mut self, model: &Model) {
        if self.items.iter().any(|item| item.body.is_none()) {
            return;
        }
        let mut text = Flow::default();
        for (nth, item) in self.items.iter().enumerate() {
            if nth > 0 {
                text.blank();
            }
            text.item(Some(nth));
            one(model, item, (nth, self.picked == Some(nth)), &mut text);
            text.item(None);
        }
        self.text = Some(text);
    }

    /// Why `y` does nothing yet; none if it works.
    fn dead(&mut self, model: &Model) -> Option<String> {
        let words = &model.words().review;
        if self.text.is_none() {
            return Some(words.not_ready.to_owned());
        }
        let unreadable = |item: &Review| item.body.as_ref().and_then(|body| body.unreadable.clone());
        if let Some(why) = self.still().find_map(unreadable) {
            return Some(words.unreadable(&why));
        }
        let yes = self.needs_yes();
        super::too_soon(model, &mut self.first, &self.scroll, yes)
    }

    fn approve(&self, model: &Model) -> Step {
        let news = model.words().notes.approved_all(self.still().count() as u64);
        let postings = self.still().map(|item| Posting {
            run: item.call().run.clone(),
            control: parts::decide(item.call(), super::approval(None, item.shown())),
            news: news.clone(),
        });
        Step::PostAll(postings.collect())
    }

    fn needs_yes(&self) -> bool {
        self.still().any(|item| item.body.as_ref().is_some_and(super::Body::needs_yes))
    }

    fn asked_to_approve(&mut self, model: &Model) -> Step {
        if let Some(why) = self.dead(model) {
            return Step::Say(why);
        }
        if self.needs_yes() {
            self.typing = Some(WordField::yes());
            return Step::Stay;
        }
        self.approve(model)
    }

    /// Enter after a typed word.
    fn submitted(&mut self, right: bool, model: &Model) -> Step {
        match (self.dead(model), right) {
            (Some(why), _) => Step::Say(why),
            (None, true) => self.approve(model),
            (None, false) => Step::Say(model.words().review.not_yes.to_owned()),
        }
    }

    fn all_gone(&self) -> bool {
        self.still().next().is_none()
    }

    /// Draws the keys; gives whether it is said among them which rows are shown.
    fn keys(&self, model: &Model, shown: Shown, pen: &mut Pen<'_>, last: Rect) -> bool {
        let words = &model.words().review;
        let own = |action, text: &str| key(model, live::ASK, action, text);
        if self.all_gone() {
            return parts::keys(pen, last, &[], &[own(Action::Back, words.close)]);
        }
        if self.typing.is_some() {
            let enter = key(model, live::TEXT, Action::TextSubmit, words.approve);
            return parts::keys(pen, last, &[enter], &[own(Action::Back, words.leave_waiting)]);
        }
        let short = words.approve_all(self.still().count() as u64);
        let mut approve = short.clone();
        if self.needs_yes() {
            approve += &model.look.lang.aside(words.type_yes);
        }
        let left = [
            own(Action::ApproveOnce, &approve).map(|key| key.or_short(short).dead_unless(shown.end)),
            own(Action::Deny, words.deny),
            parts::position(model, &self.scroll, shown),
        ];
        let later = format!("{}{}", words.leave_waiting, model.look.lang.aside(words.default));
        let back = own(Action::Back, &later);
        let back = back.map(|key| key.or_short(words.leave_waiting).or_short(words.later));
        parts::keys(pen, last, &left, &[back])
    }
}

/// Adds a call: its number and run, what warns, what it does, what is to be known of it.
fn one(model: &Model, item: &Review, (nth, picked): (usize, bool), text: &mut Flow) {
    // What is said around a call changes; what was seen of the call itself stays where it is.
    text.begin_at(nth.saturating_mul(2 * APART));
    let glyphs = model.look.glyphs;
    let call = item.call();
    let mut name = format!("{} {}", glyphs.needs_you, parts::name(call));
    if Some(&call.run) != model.run.as_ref() {
        name = format!("{name} {} {}", glyphs.dot, item.waiting.title);
    }
    if picked {
        name = format!("{}{name}", glyphs.selected);
    }
    text.line(Line::plain(name), Role::NeedsYou, Wrap::Words);
    if let Some(gone) = &item.gone {
        text.words(&format!("  {} {gone}", glyphs.needs_you), Role::Warn);
    }
    let Some(body) = &item.body else { return };
    body.head(model, text);
    text.begin_at(nth.saturating_mul(2 * APART).saturating_add(APART));
    text.join_of(&body.text);
    body.foot(model, call, None, text);
}

impl Dialog for Batch {
    fn live(&self) -> &'static [Ctx] {
        match (self.all_gone(), &self.typing) {
            (true, _) => live::SHOW,
            (false, Some(_)) => live::TEXT,
            (false, None) => live::ASK,
        }
    }

    fn decided(&self) -> Option<String> {
        self.items.last().filter(|_| self.all_gone())?.gone.clone()
    }

    fn title(&self, model: &Model) -> (String, String) {
        (model.words().review.batch(self.items.len() as u64), String::new())
    }

    fn rows(&self, _model: &Model, width: u16) -> u16 {
        let text = self.text.as_ref().map_or(1, |text| text.height(width));
        text.saturating_add(2 + u16::from(self.typing.is_some()))
    }

    fn columns(&self) -> u16 {
        if self.text.as_ref().map_or(0, Flow::widest) > 72 { 100 } else { 76 }
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let last = row(area, usize::from(area.height - 1));
        let mut inner = Rect { height: area.height - 1, ..area };
        let caret = self.typing.as_ref().and_then(|field| field.draw(model, &mut inner, &mut pen));
        let Some(text) = &self.text else {
            pen.left(row(inner, 0), &[part(Role::Muted, model.words().review.loading)]);
            self.keys(model, Shown::default(), &mut pen, last);
            return Shown { caret, ..Shown::default() };
        };
        // Where not all is in view, what is dangerous is said above it all the same.
        let worst = self.still().position(|item| item.body.as_ref().is_some_and(super::Body::needs_yes));
        let high = usize::from(inner.height) > text.rows(inner.width).len();
        if let Some(item) = worst.filter(|_| !high).and_then(|nth| self.still().nth(nth)) {
            let status = item.status(model, &format!("{} ", parts::number(item.call())));
            let above = inner.height.min(1);
            status.draw_cut(&mut pen, Rect { height: above, ..inner });
            inner = Rect { y: inner.y + above, height: inner.height - above, ..inner };
        }
        // A row below says what keeps the key dead, or how much was on the screen.
        let said = Rect { y: inner.bottom().saturating_sub(1), height: inner.height.min(1), ..inner };
        let inner = Rect { height: inner.height.saturating_sub(1), ..inner };
        let rows = text.rows(inner.width);
        let all = rows.len();
        let mut shown = self.scroll.shown(all, inner);
        text.draw(&mut pen, inner, self.scroll.top(all, usize::from(inner.height)));
        let seen = self.scroll.seen(&rows, inner);
        if !self.all_gone() {
            super::said_of_seen(model, shown.end, seen, self.needs_yes(), said, &mut pen);
        }
        if self.keys(model, shown, &mut pen, last) {
            shown.hidden = (0, 0);
        }
        shown.caret = caret;
        shown
    }

    fn click(&mut self, _field: usize, row: usize, model: &mut Model) -> Step {
        let Some(item) = self.items.get(row).filter(|item| item.gone.is_none()) else { return Step::Stay };
        if self.picked == Some(row) {
            // It is read and decided by itself; what is decided there leaves the batch.
            return Step::Open(Review::new(model, &item.waiting));
        }
        self.picked = Some(row);
        self.prepare(model);
        Step::Stay
    }

    fn by_key(&self, action: Action) -> bool {
        self.typing.is_some() && matches!(action, Action::TextSubmit | Action::TextSave)
    }

    fn drawn(&mut self, shown: Shown, at: Instant) {
        self.first.drawn(at);
        if self.text.is_some() {
            self.scroll.was_drawn(shown);
        }
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        if self.scroll.act(hit.action) {
            return Step::Stay;
        }
        if self.all_gone() {
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
            Action::Deny => {
                let calls: Vec<Waiting> = self.still().map(|item| item.waiting.clone()).collect();
                Step::Swap(deny::DenyDialog::all(model, calls))
            }
            Action::EditArgs => Step::Say(model.words().notes.edit_one.to_owned()),
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
        let state = |items: &[Review]| -> Vec<(bool, Option<String>)> {
            items.iter().map(|item| (item.body.is_some(), item.gone.clone())).collect()
        };
        let before = state(&self.items);
        for item in &mut self.items {
            item.told(msg, model);
        }
        if state(&self.items) != before {
            self.prepare(model);
        }
        if self.all_gone() {
            self.typing = None;
        }
        Step::Stay
    }

    fn open(&mut self, model: &mut Model) -> Vec<Cmd> {
        let commands = self.items.iter_mut().flat_map(|item| Dialog::open(item, model)).collect();
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
