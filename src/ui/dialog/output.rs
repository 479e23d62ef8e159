//! The output of a running call over the screen: it grows while it is open, up to a bound, and follows the end as long as
//! the person looks at the end. Once the call has ended, the recorded output takes its place, and what is read stays.

use super::flow::Flow;
use super::long::{self, Long};
use super::scroll::Scroll;
use super::text::page;
use super::{Dialog, Shown, Step, parts, review::pretty};
use crate::run::{Body, CallId, CallStatus, RunId};
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Cmd, Msg, Ticket};
use crate::ui::feed::{CallView, OutputPart, Running};
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, Wrap, neutral, one_line};
use crate::ui::theme::Role;
use crate::ui::view::paint::Pen;
use crate::ui::words::numbers::size;
use crate::ui::words::told::line;
use ratatui::layout::Rect;
use std::time::Instant;

/// Most bytes that are read while the call runs; fewer if they are very many lines.
const MOST: u64 = long::MOST as u64;

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The call runs.
    Runs,
    /// It has ended; the recorded output is being read.
    Ended(Ticket),
    /// It has ended, and nothing more comes.
    Whole,
}

/// The dialog.
#[derive(Debug)]
pub struct OutputDialog {
    title: String,
    run: RunId,
    call: CallId,
    attempt: u32,
    /// What stands before the output.
    head: Flow,
    asked: Option<Ticket>,
    state: State,
    /// First byte that is shown; none before the first piece has come.
    begin: Option<u64>,
    next: u64,
    size: u64,
    /// Lines at the end that come again with the next piece.
    loose: usize,
    follows: bool,
    flow: Flow,
    scroll: Scroll,
    /// The recorded output, as long as it is not shown.
    record: Option<Body>,
}

impl OutputDialog {
    /// The output of this call, if it runs and writes to a file; `args` puts its arguments first.
    pub fn new(model: &Model, call: &CallView, args: bool) -> Option<Box<dyn Dialog>> {
        let view = model.view()?;
        let running = model.beside.output_of(&view.state.run, call)?;
        let title = format!("{}.{} {}", view.open.step, call.position, call.tool);
        let mut head = Flow::default();
        if let Some(args) = call.args.body.inline().filter(|_| args) {
            head.text(&neutral(&pretty(args), Strength::Exact), Role::Data, Wrap::Cells);
            head.words(&model.look.glyphs.rule.repeat(3), Role::Muted);
        }
        let mut dialog = Self {
            title: one_line(&title, Strength::Prose).shown(),
            run: view.state.run.clone(),
            call: call.call_id.clone(),
            attempt: call.attempt,
            head,
            asked: None,
            state: State::Runs,
            begin: None,
            next: 0,
            size: running.bytes,
            loose: 0,
            follows: true,
            flow: Flow::default(),
            scroll: Scroll::default(),
            record: None,
        };
        dialog.begin_flow();
        dialog.flow.words(model.words().ask.loading, Role::Muted);
        Some(Box::new(dialog))
    }

    fn begin_flow(&mut self) {
        self.flow = Flow::default();
        self.flow.join_of(&self.head);
    }

    fn is_full(&self) -> bool {
        self.flow.lines() >= long::LINES
            || self.begin.is_some_and(|begin| self.next.saturating_sub(begin) >= MOST)
    }

    fn ask(&mut self, model: &mut Model) -> Vec<Cmd> {
        if self.asked.is_some() || self.state != State::Runs || self.is_full() {
            return Vec::new();
        }
        let ticket = model.ticket();
        self.asked = Some(ticket);
        vec![Cmd::Output(ticket, self.run.clone(), self.call.clone(), self.begin.map(|_| self.next))]
    }

    /// Adds lines at the end; how many they are.
    fn add(&mut self, text: &str) -> usize {
        if text.is_empty() {
            return 0;
        }
        let text = neutral(text, Strength::Prose);
        self.flow.text(&text, Role::Data, Wrap::Cells);
        text.lines.len()
    }

    fn take(&mut self, part: &OutputPart, model: &mut Model) -> Vec<Cmd> {
        if self.begin.is_none() {
            self.begin = Some(part.from);
            self.begin_flow();
            if part.from > 0 {
                self.flow.words(&model.words().ask.before_this(&size(part.from)), Role::Warn);
                self.flow.is_part();
            }
            if part.size == 0 {
                self.flow.words(model.words().ask.no_output_yet, Role::Muted);
                self.loose = 1;
            }
        }
        // That there is nothing yet stays until there is something.
        if part.size > 0 {
            self.flow.drop_last(std::mem::take(&mut self.loose));
            self.add(&part.text);
            self.loose = self.add(&part.rest);
        }
        let moved = part.next > self.next;
        (self.next, self.size) = (part.next, part.size);
        if self.is_full() {
            let left = size(self.size.saturating_sub(self.next));
            let words = model.words().ask;
            self.flow.words(&format!("{} {left} {}", model.look.glyphs.ellipsis, words.more), Role::Warn);
            self.flow.is_part();
        }
        if self.follows {
            self.scroll.to_end();
        }
        if moved && part.next < part.size { self.ask(model) } else { Vec::new() }
    }

    /// Asks for the recorded output, once the call does not run any more.
    fn look(&mut self, model: &mut Model) -> Vec<Cmd> {
        let Some(body) = self.ended(model).filter(|_| self.state == State::Runs) else { return Vec::new() };
        // While somebody reads an output that does not stand here from its beginning on, what is read stays; with the
        // next key to an end the record comes.
        self.state = State::Whole;
        self.record = body;
        if self.follows || self.begin.is_none_or(|begin| begin == 0) {
            return self.read_record(model);
        }
        Vec::new()
    }

    fn read_record(&mut self, model: &mut Model) -> Vec<Cmd> {
        let Some(body) = self.record.take() else { return Vec::new() };
        let ticket = model.ticket();
        self.state = State::Ended(ticket);
        vec![Cmd::Text(ticket, body)]
    }

    /// The recorded output of a call that has ended, if there is one; none while it runs.
    fn ended(&self, model: &Model) -> Option<Option<Body>> {
        let view = model.view()?;
        let call = view.open.calls().find(|call| call.call_id == self.call);
        if let Some(call) = call {
            let runs = call.status == CallStatus::Started && call.attempt == self.attempt;
            let body = || call.output.clone().or_else(|| call.result.as_ref().map(|text| text.body.clone()));
            return (!runs).then(body);
        }
        let row = view.calls.iter().find(|row| row.call_id == self.call);
        Some(row.and_then(|row| row.output.clone().or_else(|| row.result.clone())))
    }

    fn whole(&mut self, model: &Model, text: &str) {
        self.begin_flow();
        self.loose = 0;
        // The first line of a result says how the command ended; it would move what is read.
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let ends = first.starts_with("exit ") || first.starts_with("error [");
        let (first, rest) = if ends { (first, rest) } else { ("", text) };
        Long::of(rest).add(model, &mut self.flow, |flow, text| {
            if !text.is_empty() {
                flow.text(&neutral(text, Strength::Prose), Role::Data, Wrap::Cells);
            }
        });
        if !first.is_empty() {
            let first = line(model.look.lang, first).unwrap_or_else(|| first.to_owned());
            self.flow.words(&one_line(&first, Strength::Prose).shown(), Role::Muted);
        }
        if self.follows {
            self.scroll.to_end();
        }
    }
}

impl Dialog for OutputDialog {
    fn live(&self) -> &'static [Ctx] {
        live::SHOW
    }

    fn title(&self, model: &Model) -> (String, String) {
        let note = match self.state {
            State::Runs => model.words().ask.written(&size(self.size)),
            State::Ended(_) | State::Whole => String::new(),
        };
        (self.title.clone(), note)
    }

    fn rows(&self, _model: &Model, _width: u16) -> u16 {
        // As high as there is room for: it grows.
        u16::MAX
    }

    fn columns(&self) -> u16 {
        100
    }

    fn draw(&self, model: &Model, area: Rect, pen: Pen<'_>) -> Shown {
        page(model, &self.flow, &self.scroll, area, pen, None)
    }

    fn drawn(&mut self, shown: Shown, _at: Instant) {
        self.scroll.was_drawn(shown);
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        if !self.scroll.act(hit.action) {
            return parts::not_here(model);
        }
        self.follows = self.scroll.at_end() || hit.action == Action::Bottom;
        match hit.action {
            Action::Bottom | Action::Top => match self.read_record(model) {
                commands if commands.is_empty() => Step::Stay,
                commands => Step::Do(commands),
            },
            _ => Step::Stay,
        }
    }

    fn told(&mut self, msg: &Msg, model: &mut Model) -> Step {
        let commands = match msg {
            Msg::Output(ticket, read) if self.asked == Some(*ticket) => {
                self.asked = None;
                // It may be gone because the call has ended: the next snapshot tells.
                read.as_ref().map(|part| self.take(part, model)).unwrap_or_default()
            }
            Msg::Outputs(outputs) if outputs.run == self.run => {
                let grown = |running: &Running| running.bytes > self.size || self.begin.is_none();
                match outputs.of(&self.call, self.attempt).is_some_and(grown) {
                    true => self.ask(model),
                    false => Vec::new(),
                }
            }
            Msg::Shot(_) => self.look(model),
            Msg::Text(ticket, read) if self.state == State::Ended(*ticket) => {
                self.state = State::Whole;
                if let Ok(text) = read {
                    self.whole(model, text);
                }
                Vec::new()
            }
            _ => Vec::new(),
        };
        if commands.is_empty() { Step::Stay } else { Step::Do(commands) }
    }

    fn open(&mut self, model: &mut Model) -> Vec<Cmd> {
        self.ask(model)
    }
}
