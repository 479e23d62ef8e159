//! The dialog about a call of which nobody knows whether it happened.

use super::flow::Flow;
use super::parts::{self, KeyWords, key};
use super::review::brief;
use super::scroll::Scroll;
use super::word::{Typed, WordField};
use super::{Dialog, Shown, Step};
use crate::run::Millis;
use crate::run::control::{Decision, Resolution};
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Cmd, Msg, Ticket, Traces};
use crate::ui::dialog::guard::Guard;
use crate::ui::feed::Waiting;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Line, Strength, Wrap, neutral, one_line};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use crate::ui::words::numbers::{age, time_of_day};
use crate::ui::words::reasons::said;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use std::time::Instant;

/// Lines of the output's end that are shown.
const LINES: usize = 3;

/// The dialog.
#[derive(Debug)]
pub struct UnsureDialog {
    waiting: Waiting,
    /// The end of what it wrote, once it was read, and its lines.
    output: Option<(Vec<String>, usize)>,
    reading: Option<Ticket>,
    /// What else can be seen of it, once it was looked for.
    traces: Option<Traces>,
    looking: Option<Ticket>,
    scroll: Scroll,
    first: Guard,
    /// The word that is typed to run it again.
    typing: Option<WordField>,
    gone: Option<String>,
}

impl UnsureDialog {
    /// The dialog about an uncertain call.
    pub fn new(_model: &Model, waiting: &Waiting) -> Box<dyn Dialog> {
        Box::new(Self {
            waiting: waiting.clone(),
            output: None,
            reading: None,
            traces: None,
            looking: None,
            scroll: Scroll::default(),
            first: Guard::default(),
            typing: None,
            gone: None,
        })
    }

    fn body(&self, model: &Model) -> Flow {
        let mut flow = Flow::default();
        let (words, lang, call) = (&model.words().unsure, model.look.lang, &self.waiting.call);
        if let Some(gone) = &self.gone {
            flow.words(&format!("{} {gone}", model.look.glyphs.needs_you), Role::Warn);
        }
        let what = brief(&model.look, call, &self.waiting.args.shown);
        flow.line(Line::plain(what), Role::Tool, Wrap::Cells);
        let started = self.started(model).map(|at| words.started(&time_of_day(at, &model.look.zone)));
        let attempt = (call.attempt > 1).then(|| words.attempt(u64::from(call.attempt)));
        let facts: Vec<String> =
            std::iter::once(lang.class(call.class).to_owned()).chain(started).chain(attempt).collect();
        flow.words(&facts.join(&format!(" {} ", model.look.glyphs.dot)), Role::Muted);
        flow.words(words.interrupted, Role::Base);
        let why = call.why.as_deref().map(|why| one_line(&said(lang, why), Strength::Prose).shown());
        let why = why.filter(|why| !why.is_empty()).unwrap_or_else(|| words.no_record.to_owned());
        flow.guttered("  ", "  ", Line::plain(why), Role::Base, Wrap::Words);
        let rail = format!("  {} ", model.look.glyphs.rail);
        match &self.output {
            Some((lines, all)) if !lines.is_empty() => {
                flow.guttered("  ", "  ", Line::plain(words.output(*all as u64)), Role::Base, Wrap::Words);
                for line in lines {
                    flow.guttered(&rail, &rail, one_line(line, Strength::Prose), Role::Data, Wrap::Cells);
                }
            }
            Some(_) => flow.guttered("  ", "  ", Line::plain(words.no_output), Role::Muted, Wrap::Words),
            None => {}
        }
        for line in self.seen(model) {
            flow.guttered("  ", "  ", one_line(&line, Strength::Prose), Role::Base, Wrap::Words);
        }
        if self.gone.is_none() {
            let choice = |action, text: &'static str, flow: &mut Flow| {
                let key = format!("{}  ", model.key(live::UNSURE, action));
                flow.guttered(
                    &key,
                    &" ".repeat(crate::ui::text::width(&key)),
                    Line::plain(text),
                    Role::Base,
                    Wrap::Words,
                );
            };
            let output = self.output.as_ref().is_some_and(|(lines, _)| !lines.is_empty());
            let happened = if output { words.happened } else { words.happened_bare };
            choice(Action::EffectHappened, happened, &mut flow);
            choice(Action::EffectRerun, words.rerun, &mut flow);
            choice(Action::EffectSkip, words.skip, &mut flow);
        }
        flow
    }

    /// What can be seen of it besides its output.
    fn seen(&self, model: &Model) -> Vec<String> {
        let (words, zone) = (&model.words().unsure, &model.look.zone);
        let Some(traces) = &self.traces else { return Vec::new() };
        let files = match &traces.changed {
            None => words.no_folder.to_owned(),
            Some(changed) if changed.count == 0 && changed.whole => {
                words.no_file_after(&time_of_day(traces.started, zone))
            }
            Some(changed) => {
                let (time, count) = (time_of_day(traces.started, zone), changed.count as u64);
                let more = if changed.count > changed.newest.len() { ", …" } else { "" };
                if changed.whole {
                    words.files_after(count, &time, &format!("{}{more}", changed.newest.join(", ")))
                } else {
                    words.not_all_after(count, &time)
                }
            }
        };
        // A write compares its file by itself, and is asked about only where that told nothing.
        let writes = matches!(self.waiting.call.tool.as_str(), "write_file" | "edit_file");
        let probe = (!writes).then(|| format!(" {} {}", model.look.glyphs.dot, words.no_probe));
        let elsewhere = match &traces.elsewhere {
            None => words.elsewhere_never.to_owned(),
            Some(other) => words.elsewhere(
                other.run.as_str(),
                u64::from(other.step),
                model.look.lang.call_status(other.status),
                &age(model.clock.wall, other.at),
            ),
        };
        vec![format!("{files}{}", probe.unwrap_or_default()), elsewhere]
    }

    /// Reads on in what the attempt left behind.
    fn read(&mut self, model: &mut Model, from: Option<u64>) -> Cmd {
        let (ticket, call) = (model.ticket(), &self.waiting.call);
        self.reading = Some(ticket);
        Cmd::Output(ticket, call.run.clone(), call.call_id.clone(), from)
    }

    /// More of what it wrote: its last lines are kept, and all are counted.
    fn add(&mut self, text: &str) {
        let (last, all) = self.output.get_or_insert_default();
        if text.is_empty() {
            return;
        }
        let shown = neutral(text.strip_suffix('\n').unwrap_or(text), Strength::Prose);
        *all += shown.lines.len();
        last.extend(shown.lines.iter().map(Line::shown));
        last.drain(..last.len().saturating_sub(LINES));
    }

    /// When the attempt was started, as far as what is shown of its run says: the row of the call knows only since when
    /// it is uncertain.
    fn started(&self, model: &Model) -> Option<Millis> {
        let call = &self.waiting.call;
        if let Some(traces) = &self.traces {
            return Some(traces.started);
        }
        let view = model.view().filter(|view| view.state.run == call.run)?;
        let read = model.transcript.steps.values().flat_map(|step| step.calls());
        view.open
            .calls()
            .chain(read)
            .find(|known| known.call_id == call.call_id && known.attempt == call.attempt)?
            .started
    }

    /// Why nothing can be decided yet.
    fn dead(&mut self, model: &Model) -> Option<String> {
        let opened = !self.first.is_too_soon(model.clock.mono);
        (!opened).then(|| model.words().review.too_soon.to_owned())
    }

    fn resolve(&mut self, model: &Model, resolution: Resolution) -> Step {
        if let Some(why) = self.dead(model) {
            return Step::Say(why);
        }
        let call = &self.waiting.call;
        // The name under which the attempt ran: what is said is about that one.
        let spool = format!("{}.{}.{}", call.call_id, call.attempt, call.spool_epoch);
        Step::Post {
            run: call.run.clone(),
            control: parts::decide(call, Decision::Resolve { resolution, spool }),
            news: model.words().notes.resolved(&parts::name(call), model.look.lang.resolution(resolution)),
        }
    }
}

impl Dialog for UnsureDialog {
    fn live(&self) -> &'static [Ctx] {
        match (&self.gone, &self.typing) {
            (Some(_), _) => live::SHOW,
            (None, Some(_)) => live::TEXT,
            (None, None) => live::UNSURE,
        }
    }

    fn decided(&self) -> Option<String> {
        self.gone.clone()
    }

    fn title(&self, model: &Model) -> (String, String) {
        let title = format!("{} {}", model.look.glyphs.unsure, model.words().unsure.title);
        (title, parts::place(model, &self.waiting.call))
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        self.body(model).height(width).saturating_add(1 + u16::from(self.typing.is_some()))
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let last = row(area, usize::from(area.height - 1));
        let live = self.live();
        let next = (self.gone.is_none() && self.typing.is_none() && model.waiting().count() > 1)
            .then(|| key(model, live, Action::AskNext, model.words().review.next))
            .flatten();
        let enter =
            self.typing.as_ref().and_then(|_| key(model, live, Action::TextSubmit, model.words().ask.enter));
        let back = if self.gone.is_some() { model.words().review.close } else { model.words().unsure.later };
        let back = key(model, live, Action::Back, back).map(|key| key.or_short(model.words().review.later));
        let mut inner = Rect { height: area.height - 1, ..area };
        let caret = self.typing.as_ref().and_then(|field| field.draw(model, &mut inner, &mut pen));
        let flow = self.body(model);
        let all = flow.rows(area.width).len();
        let shown = self.scroll.shown(all, inner);
        // Where the text that names them does not fit, the keys that decide stand below it.
        let decides = [Action::EffectHappened, Action::EffectRerun, Action::EffectSkip].map(|action| {
            let hint = model.look.keys.hint(live, action, model.look.lang);
            hint.filter(|_| shown.most > 0).and_then(|hint| key(model, live, action, hint.words))
        });
        let left: Vec<_> = std::iter::once(enter).chain(decides).chain([next.map(KeyWords::aside)]).collect();
        parts::keys(&mut pen, last, &left, &[back]);
        flow.draw(&mut pen, inner, self.scroll.top(all, usize::from(inner.height)));
        Shown { caret, ..shown }
    }

    fn by_key(&self, action: Action) -> bool {
        self.typing.is_some() && matches!(action, Action::TextSubmit | Action::TextSave)
    }

    fn drawn(&mut self, shown: Shown, at: Instant) {
        self.first.drawn(at);
        self.scroll.was_drawn(shown);
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
                Typed::Sent(true) => self.resolve(model, Resolution::Rerun),
                Typed::Sent(false) => Step::Say(model.words().review.not_yes.to_owned()),
                Typed::Taken => Step::Stay,
                Typed::NotHere => parts::not_here(model),
            };
        }
        match hit.action {
            Action::EffectHappened => self.resolve(model, Resolution::Happened),
            Action::EffectSkip => self.resolve(model, Resolution::Skip),
            Action::EffectRerun => match self.dead(model) {
                Some(why) => Step::Say(why),
                None => {
                    self.typing = Some(WordField::yes());
                    Step::Stay
                }
            },
            Action::AskNext => parts::next(model, &self.waiting.call),
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
            Msg::Shot(shot) => {
                self.gone = parts::gone(model, shot, &self.waiting.call);
                if self.gone.is_some() {
                    self.typing = None;
                }
            }
            Msg::Traces(ticket, found) if self.looking == Some(*ticket) => {
                self.looking = None;
                self.traces = found.clone().ok();
            }
            Msg::Text(ticket, read) if self.reading == Some(*ticket) => {
                self.reading = None;
                if let Ok(text) = read {
                    self.add(text);
                }
            }
            Msg::Output(ticket, read) if self.reading == Some(*ticket) => {
                self.reading = None;
                if let Ok(part) = read {
                    let whole = part.next >= part.size || part.text.is_empty();
                    self.add(&part.text);
                    if whole {
                        self.add(&part.rest);
                        return Step::Stay;
                    }
                    return Step::Do(vec![self.read(model, Some(part.next))]);
                }
            }
            _ => {}
        }
        Step::Stay
    }

    fn open(&mut self, model: &mut Model) -> Vec<Cmd> {
        let looking = model.ticket();
        self.looking = Some(looking);
        let call = &self.waiting.call;
        let look = Cmd::Traces(looking, call.run.clone(), call.call_id.clone());
        let Some(body) = self.waiting.call.output.clone() else { return vec![self.read(model, None), look] };
        let ticket = model.ticket();
        self.reading = Some(ticket);
        vec![Cmd::Text(ticket, body), look]
    }

    fn covered(&mut self) {
        self.first.begin_anew();
    }

    fn guards(&self) -> bool {
        true
    }
}
