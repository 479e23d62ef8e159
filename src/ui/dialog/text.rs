//! A whole text over the screen: an output, a call with its result, the exact request of a step.

use super::flow::Flow;
use super::long::Long;
use super::parts::{self, KeyWords, key};
use super::review::pretty;
use super::scroll::Scroll;
use super::{Dialog, Shown, Step};
use crate::run::{Body, RunId, StepNo};
use crate::store::CallRow;
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Cmd, Msg, Rebuilt, Ticket};
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, Wrap, neutral, one_line};
use crate::ui::theme::Role;
use crate::ui::view::cells::outside;
use crate::ui::view::paint::{Pen, row};
use crate::ui::view::transcript::call::told_of;
use crate::ui::words::numbers::grouped;
use crate::ui::words::told::told;
use ratatui::layout::Rect;
use std::borrow::Cow;
use std::time::Instant;

/// Where a text comes from.
#[derive(Clone, Debug)]
enum Source {
    /// The store.
    Stored(Body),
    /// What the agent was told of a call that came to nothing, in the store.
    Told(Body),
    /// Arguments in the store.
    Args(Body),
    /// The exact request of a step.
    Request(RunId, StepNo),
    /// It is here.
    Here(String),
}

/// A part of the dialog.
#[derive(Debug)]
struct Section {
    source: Source,
    ticket: Option<Ticket>,
    read: Option<Result<Long, String>>,
    /// How a request differs from the one that was sent.
    differs: Option<String>,
}

/// The dialog.
#[derive(Debug)]
pub struct TextDialog {
    title: String,
    note: String,
    sections: Vec<Section>,
    flow: Flow,
    scroll: Scroll,
}

impl TextDialog {
    fn of(title: String, note: String, sources: Vec<Source>) -> Box<dyn Dialog> {
        let section = |source| match source {
            Source::Here(text) => {
                let read = Some(Ok(Long::of(&text)));
                Section { source: Source::Here(String::new()), ticket: None, read, differs: None }
            }
            source => Section { source, ticket: None, read: None, differs: None },
        };
        let sections = sources.into_iter().map(section).collect();
        Box::new(Self { title, note, sections, flow: Flow::default(), scroll: Scroll::default() })
    }

    /// A text of the store.
    pub fn body(_model: &mut Model, title: impl Into<String>, body: Body) -> Box<dyn Dialog> {
        let title = one_line(&title.into(), Strength::Prose).shown();
        Self::of(title, String::new(), vec![Source::Stored(body)])
    }

    /// What the agent was told of a call that came to nothing.
    pub fn told(title: impl Into<String>, body: Body) -> Box<dyn Dialog> {
        let title = one_line(&title.into(), Strength::Prose).shown();
        Self::of(title, String::new(), vec![Source::Told(body)])
    }

    /// A text that is here already.
    pub fn plain(title: impl Into<String>, text: String) -> Box<dyn Dialog> {
        let title = one_line(&title.into(), Strength::Prose).shown();
        Self::of(title, String::new(), vec![Source::Here(text)])
    }

    /// A text that is laid out already; the note is not neutral.
    pub fn flow(title: impl Into<String>, note: &str, flow: Flow) -> Box<dyn Dialog> {
        let title = one_line(&title.into(), Strength::Prose).shown();
        let note = one_line(note, Strength::Exact).shown();
        Box::new(Self { title, note, sections: Vec::new(), flow, scroll: Scroll::default() })
    }

    /// A call: its arguments, and its whole output or its result.
    pub fn call(_model: &mut Model, call: &CallRow) -> Box<dyn Dialog> {
        let told = |body| if told_of(call.status) { Source::Told(body) } else { Source::Stored(body) };
        let result = call.output.clone().map(Source::Stored).or_else(|| call.result.clone().map(told));
        let sources = std::iter::once(Source::Args(call.args.clone())).chain(result).collect();
        Self::of(parts::tool(call), parts::number(call), sources)
    }

    /// The exact request of a step.
    pub fn request(model: &mut Model, run: RunId, step: StepNo) -> Box<dyn Dialog> {
        let title = model.words().ask.request_of(u64::from(step));
        Self::of(title, String::new(), vec![Source::Request(run, step)])
    }

    /// The same, as what the agent knows when it asks.
    pub fn knows(model: &mut Model, run: RunId, step: StepNo) -> Box<dyn Dialog> {
        let note = model.words().decision.step(u64::from(step));
        Self::of(model.words().ask.knows_title.to_owned(), note, vec![Source::Request(run, step)])
    }

    /// Makes the text of what was read so far.
    fn prepare(&mut self, model: &Model) {
        if self.sections.is_empty() {
            return;
        }
        let mut flow = Flow::default();
        for (nth, section) in self.sections.iter().enumerate() {
            if nth > 0 {
                flow.words(&model.look.glyphs.rule.repeat(3), Role::Muted);
            }
            if let Some(why) = &section.differs {
                let why = outside(&model.look.lang.trouble(why));
                flow.words(&model.words().context.not_as_sent(&why), Role::Warn);
                flow.blank();
            }
            match (&section.read, &section.source) {
                (None, _) => flow.words(model.words().ask.loading, Role::Muted),
                (Some(Err(why)), source) => {
                    let why = one_line(&model.look.lang.trouble(why), Strength::Prose).shown();
                    let words = match source {
                        Source::Request(..) => model.words().ask.cannot_rebuild(&why),
                        Source::Stored(_) | Source::Told(_) | Source::Args(_) | Source::Here(_) => why,
                    };
                    flow.words(&words, Role::Danger);
                }
                (Some(Ok(long)), source) => long.add(model, &mut flow, |flow, text| match source {
                    Source::Args(_) => flow.text(&neutral(text, Strength::Exact), Role::Data, Wrap::Cells),
                    Source::Request(..) => add_request(model, flow, text),
                    Source::Stored(_) | Source::Told(_) | Source::Here(_) => {
                        flow.text(&neutral(text, Strength::Prose), Role::Data, Wrap::Cells);
                    }
                }),
            }
        }
        self.flow = flow;
    }
}

/// Adds a text of which every byte counts and that is read too: broken at words, and where a line is broken is seen.
fn add_request(model: &Model, flow: &mut Flow, text: &str) {
    let next = format!("{} ", model.look.glyphs.goes_on);
    for line in neutral(text, Strength::Exact).lines {
        flow.guttered("  ", &next, line, Role::Data, Wrap::Whole);
    }
}

/// Draws a text with its keys below it, the dialog's own one first.
pub fn page(
    model: &Model,
    flow: &Flow,
    scroll: &Scroll,
    area: Rect,
    mut pen: Pen<'_>,
    own: Option<KeyWords>,
) -> Shown {
    if area.height == 0 || area.width == 0 {
        return Shown::default();
    }
    let words = &model.words().ask;
    let key = |action, words: &str| key(model, live::SHOW, action, words);
    let last = row(area, usize::from(area.height - 1));
    let inner = Rect { height: area.height - 1, ..area };
    let all = flow.rows(area.width).len();
    let mut shown = scroll.shown(all, inner);
    let top = scroll.top(all, usize::from(inner.height));
    let left = match shown.most {
        0 => vec![own],
        _ => {
            let number = |n: usize| grouped(n as u64);
            let lines = format!(
                "{}{}{} / {}",
                number(top + 1),
                pen.look.glyphs.range,
                number(top + shown.rows),
                flow.of_rows(number(all), pen.look.glyphs.plus)
            );
            // At its end there is nothing more to go to, unless that is the end of a part.
            let mut left = vec![own];
            if top < shown.most || flow.goes_on() {
                left.extend([key(Action::PageDown, words.more), key(Action::Bottom, words.end)]);
            }
            left.push(parts::note(lines));
            left
        }
    };
    if parts::keys(&mut pen, last, &left, &[key(Action::Back, words.close)]) {
        shown.hidden = (0, 0);
    }
    flow.draw(&mut pen, inner, top);
    shown
}

/// What a tool told the agent, in the person's language; what was translated of it stands below as it was written.
fn told_whole<'a>(model: &Model, text: &'a str) -> Cow<'a, str> {
    match told(model.look.lang, text) {
        Cow::Borrowed(text) => Cow::Borrowed(text),
        Cow::Owned(ours) => {
            let first: Vec<&str> = text.lines().take(2).filter(|line| !ours.contains(line)).collect();
            let title = model.look.lang.label(model.words().live.as_told, "");
            Cow::Owned(format!("{}\n\n{}\n{}", ours.trim_end(), title.trim_end(), first.join("\n")))
        }
    }
}

impl Dialog for TextDialog {
    fn live(&self) -> &'static [Ctx] {
        live::SHOW
    }

    fn title(&self, _model: &Model) -> (String, String) {
        (self.title.clone(), self.note.clone())
    }

    fn rows(&self, _model: &Model, width: u16) -> u16 {
        self.flow.height(width).saturating_add(1)
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
        if self.scroll.act(hit.action) { Step::Stay } else { parts::not_here(model) }
    }

    fn told(&mut self, msg: &Msg, model: &mut Model) -> Step {
        let rebuilt = |read: &Result<Rebuilt, String>| read.as_ref().ok().and_then(|r| r.differs.clone());
        let (ticket, read, differs) = match msg {
            Msg::Text(ticket, read) => (ticket, read.as_deref(), None),
            Msg::Request(ticket, read) => (ticket, read.as_ref().map(|r| r.text.as_str()), rebuilt(read)),
            _ => return Step::Stay,
        };
        let asked = self.sections.iter_mut().find(|section| section.ticket == Some(*ticket));
        if let Some(section) = asked {
            section.read = Some(match (read, &section.source) {
                (Ok(text), Source::Args(_)) => Ok(Long::of(&pretty(text))),
                (Ok(text), Source::Told(_)) => Ok(Long::of(&told_whole(model, text))),
                (Ok(text), Source::Stored(_) | Source::Request(..) | Source::Here(_)) => Ok(Long::of(text)),
                (Err(why), _) => Err(why.clone()),
            });
            section.differs = differs;
            section.ticket = None;
            self.prepare(model);
        }
        Step::Stay
    }

    fn open(&mut self, model: &mut Model) -> Vec<Cmd> {
        let mut commands = Vec::new();
        for section in self.sections.iter_mut().filter(|section| section.read.is_none()) {
            let ticket = model.ticket();
            section.ticket = Some(ticket);
            commands.push(match section.source.clone() {
                Source::Stored(body) | Source::Told(body) | Source::Args(body) => Cmd::Text(ticket, body),
                Source::Request(run, step) => Cmd::Request(ticket, run, step),
                Source::Here(_) => continue,
            });
        }
        self.prepare(model);
        commands
    }
}
