//! The dialog before a pause while a command runs, and before a message is delivered at once: what becomes of the command,
//! or of the call that waits for a decision.
//!
//! A pause ends no command by itself: it goes on under its supervisor, and its result is fetched when the run goes on.
//! Ending it is the person's word, and the command is named.

use super::flow::Flow;
use super::parts::{self, key};
use super::review::brief;
use super::{Dialog, Posting, Shown, Step};
use crate::run::call::CallStatus;
use crate::run::control::{Control, Decision};
use crate::run::{Call, CallId, RunId};
use crate::store::{CallRow, InboxId};
use crate::ui::app::model::{Model, Sent};
use crate::ui::app::msg::{Cmd, Msg};
use crate::ui::app::queue::Reads;
use crate::ui::feed::Waiting;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, Wrap, neutral, wrap_text};
use crate::ui::theme::Role;
use crate::ui::view::Zone;
use crate::ui::view::paint::{Pen, part, row, top_for};
use crate::ui::words::numbers::clock;
use ratatui::layout::Rect;

/// Why calls are denied for a message; the model reads it.
const FOR_MESSAGE: &str = "the person wrote instead; read the message that follows";

/// The dialog.
#[derive(Debug)]
pub struct StopDialog {
    run: RunId,
    call: CallRow,
    marked: usize,
    /// It has ended meanwhile.
    ended: bool,
    /// A message that is to be delivered; none asks for a pause.
    message: Option<InboxId>,
}

impl StopDialog {
    /// The dialog, if a command of the shown run is running.
    pub fn new(model: &Model) -> Option<Box<dyn Dialog>> {
        Self::about(model, None)
    }

    /// The dialog before a message is delivered at once, if a command of the shown run is running, or a call of it waits
    /// for a decision.
    pub fn deliver(model: &Model, message: InboxId) -> Option<Box<dyn Dialog>> {
        Self::about(model, Some(message))
    }

    fn about(model: &Model, message: Option<InboxId>) -> Option<Box<dyn Dialog>> {
        let view = model.view()?;
        let running = |call: &&Call| call.status == CallStatus::Started && call.tool == "shell";
        // A paused run reads nothing, whatever is decided.
        let waits = message.is_some() && matches!(model.reads(), Reads::Decided | Reads::Answered);
        let waiting = |call: &&Call| waits && call.status == CallStatus::Waiting;
        let found = view.state.open_here().find(running).or_else(|| view.state.open_here().find(waiting))?;
        let call = view.calls.iter().find(|row| row.call_id == found.call_id)?.clone();
        Some(Box::new(Self { run: view.state.run.clone(), call, marked: 0, ended: false, message }))
    }

    /// A call that waits, and not a command that runs.
    fn waits(&self) -> bool {
        self.call.status == CallStatus::Waiting
    }

    /// Denies every call of the run that waits now: the message goes in after that.
    fn deny(&self, model: &Model) -> Step {
        let news = model.words().notes.denying_for_message;
        let waiting = model.waiting_here().filter(|waiting| waiting.call.status == CallStatus::Waiting);
        let one = |waiting: &Waiting| Posting {
            run: self.run.clone(),
            control: parts::decide(&waiting.call, Decision::Deny { reason: FOR_MESSAGE.to_owned() }),
            news: news.to_owned(),
        };
        Step::PostAll(waiting.map(one).collect())
    }

    /// The choices, in the order in which they stand.
    fn texts(&self, model: &Model) -> Vec<&'static str> {
        let words = &model.words().ask;
        match self.message {
            Some(_) if self.waits() => vec![words.deliver_decided, words.deliver_deny],
            Some(_) => vec![words.deliver_after, words.deliver_kill],
            None => vec![words.pause_go_on, words.pause_after, words.pause_kill],
        }
    }

    /// The choices as lines, each with the place of its choice: one that is too long for a line goes on below.
    fn lines(&self, model: &Model, width: u16) -> Vec<(usize, String)> {
        let room = usize::from(width.saturating_sub(1)).max(1);
        let of = |(nth, text): (usize, &'static str)| {
            let text = neutral(text, Strength::Prose);
            let lines = wrap_text(&text, room, Wrap::Words);
            lines.iter().map(|line| (nth, line.shown())).collect::<Vec<_>>()
        };
        self.texts(model).into_iter().enumerate().flat_map(of).collect()
    }

    fn choose(&self, model: &mut Model) -> Step {
        if let Some(id) = self.message {
            let run = self.run.clone();
            return match self.marked {
                0 => Step::Close(Vec::new()),
                _ if self.waits() => self.deny(model),
                _ => {
                    let (ticket, hurried) = (model.ticket(), model.ticket());
                    let news = model.words().notes.ending_call.to_owned();
                    model.sent.push(Sent { ticket, run: run.clone(), call: None, news });
                    let control = Control::StopCall { call_id: self.call.call_id.clone() };
                    Step::Close(vec![Cmd::Hurry(hurried, run.clone(), id), Cmd::Post(ticket, run, control)])
                }
            };
        }
        let notes = &model.words().notes;
        let post = |control, news: &str| Posting { run: self.run.clone(), control, news: news.to_owned() };
        let call_id: CallId = self.call.call_id.clone();
        Step::PostAll(match self.marked {
            0 => vec![post(Control::Pause { now: true }, notes.pausing_now)],
            1 => vec![post(Control::Pause { now: false }, notes.pausing)],
            _ => vec![
                post(Control::Pause { now: true }, notes.pausing_now),
                post(Control::StopCall { call_id }, notes.ending_call),
            ],
        })
    }

    fn body(&self, model: &Model) -> Flow {
        let mut flow = Flow::default();
        let (words, glyphs) = (&model.words().ask, model.look.glyphs);
        let args = self.call.args.inline().unwrap_or_default();
        let since = crate::ui::view::queue::age_ms(model, &self.call);
        flow.words(&format!("{}  {}", brief(&model.look, &self.call, args), clock(since)), Role::Tool);
        if self.ended {
            let gone = if self.waits() { words.call_decided } else { words.call_ended };
            flow.words(&format!("{} {gone}", glyphs.needs_you), Role::Warn);
        }
        flow
    }
}

impl Dialog for StopDialog {
    fn live(&self) -> &'static [Ctx] {
        live::CHOOSE
    }

    fn title(&self, model: &Model) -> (String, String) {
        let words = &model.words().ask;
        let title = match self.message {
            Some(_) if self.waits() => words.deliver_waits_title,
            Some(_) => words.deliver_title,
            None => words.pause_title,
        };
        (title.to_owned(), parts::number(&self.call))
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        let lines = u16::try_from(self.lines(model, width).len()).unwrap_or(u16::MAX);
        self.body(model).height(width).saturating_add(lines).saturating_add(1)
    }

    fn columns(&self) -> u16 {
        80
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().ask;
        let own = |action, text: &str| key(model, live::CHOOSE, action, text);
        let last = row(area, usize::from(area.height - 1));
        let left = [
            own(Action::LineDown, model.words().choices.choose),
            own(Action::Open, model.words().choices.do_it),
        ];
        parts::keys(
            &mut pen,
            last,
            &left,
            &[own(
                Action::Back,
                if self.message.is_some() { words.deliver_leave } else { words.pause_leave },
            )
            .map(|key| key.or_short(words.back))],
        );
        // The choices stay whatever the height; what is said above them gives way.
        let rows = area.height - 1;
        let lines = self.lines(model, area.width);
        let below = rows.min(u16::try_from(lines.len()).unwrap_or(u16::MAX));
        self.body(model).draw_cut(&mut pen, Rect { height: rows - below, ..area });
        let list = Rect { y: area.y + rows - below, height: below, ..area };
        let marked = lines.iter().position(|(nth, _)| *nth == self.marked).unwrap_or(0);
        let top = top_for(0, marked, usize::from(below), lines.len());
        let hidden = (top, lines.len().saturating_sub(top + usize::from(below)));
        for (at, (nth, text)) in lines.into_iter().skip(top).take(usize::from(below)).enumerate() {
            let here = nth == self.marked;
            let mark = if here { pen.look.glyphs.selected } else { " " };
            let role = if here { Role::Accent } else { Role::Base };
            pen.left(row(list, at), &[part(Role::Accent, mark), part(role, text)]);
            pen.note(row(list, at), Zone::Row(0, nth));
        }
        Shown { end: true, rows: usize::from(rows), hidden, ..Shown::default() }
    }

    fn click(&mut self, _field: usize, row: usize, model: &mut Model) -> Step {
        if self.marked == row {
            return self.act(Hit { action: Action::Open, nth: 0 }, model);
        }
        self.marked = row;
        Step::Stay
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        match hit.action {
            Action::LineDown => self.marked = (self.marked + 1).min(self.texts(model).len() - 1),
            Action::LineUp => self.marked = self.marked.saturating_sub(1),
            Action::Open => return self.choose(model),
            _ => return parts::not_here(model),
        }
        Step::Stay
    }

    fn told(&mut self, msg: &Msg, _model: &mut Model) -> Step {
        if let Msg::Shot(shot) = msg {
            let view = shot.run.as_ref().filter(|view| view.state.run == self.run);
            let runs = |view: &crate::ui::feed::RunView| {
                let call = view.state.open_call(&self.call.call_id);
                call.is_some_and(|call| call.status == self.call.status)
            };
            self.ended = !view.is_some_and(|view| runs(view));
        }
        Step::Stay
    }
}
