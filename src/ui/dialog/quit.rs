//! The dialog before leaving: what goes on in this process, and what each way of leaving does to it.

use super::parts::{self, key};
use super::{Dialog, Shown, Step};
use crate::run::RunId;
use crate::run::call::CallStatus;
use crate::ui::app::model::Model;
use crate::ui::app::msg::Cmd;
use crate::ui::dialog::flow::Flow;
use crate::ui::dialog::scroll::Scroll;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Align, Line, Strength, Wrap, fit, one_line};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use crate::ui::words::numbers::clock;
use ratatui::layout::Rect;
use std::time::Instant;

/// Cells of a run's title.
const TITLE: usize = 26;
/// Under so many cells titles have no column of their own.
const NARROW: usize = 2 * TITLE;

/// The dialog.
#[derive(Debug)]
pub struct Quit {
    /// The marked way: stop, or hand over.
    hand_over: bool,
    scroll: Scroll,
}

impl Quit {
    /// The dialog; stopping is marked.
    pub fn new(_model: &Model) -> Box<dyn Dialog> {
        Box::new(Self { hand_over: false, scroll: Scroll::default() })
    }

    fn runs(model: &Model) -> Vec<RunId> {
        model.working.iter().cloned().collect()
    }

    fn stop(now: bool) -> Step {
        Step::Leave(vec![Cmd::Stop { now }])
    }

    fn hand_over(model: &Model) -> Step {
        Step::Leave(vec![Cmd::HandOver(Self::runs(model))])
    }

    fn body(&self, model: &Model, cells: u16) -> Flow {
        let mut flow = Flow::default();
        let (words, glyphs) = (&model.words().quit, model.look.glyphs);
        let runs = Self::runs(model);
        let Some(shot) = model.shot.as_ref().filter(|_| !runs.is_empty()) else {
            flow.words(words.nothing_works, Role::Base);
            return flow;
        };
        let (mut waits_any, mut paused_all) = (false, true);
        for run in &runs {
            let row = shot.runs.iter().find(|row| row.id == *run);
            let title = row.map_or_else(|| run.as_str().to_owned(), |row| row.title.clone());
            let title = one_line(&title, Strength::Prose).shown();
            let title = fit(&title, TITLE, Align::Left, glyphs.ellipsis).into_owned();
            let view = shot.run.as_ref().filter(|view| view.state.run == *run);
            let step = match view {
                Some(view) => u64::from(view.state.path.step) + 1,
                None => row.map_or(0, |row| u64::from(row.steps)) + 1,
            };
            let waits = shot.waiting.iter().filter(|waiting| waiting.call.run == *run).count() as u64;
            waits_any |= waits > 0;
            let stands = |name: &str| row.is_some_and(|row| row.status == name);
            let paused = stands("paused");
            paused_all &= paused;
            let what = match waits {
                _ if paused => words.run_paused(step),
                0 if stands("waiting") => words.run_held(step),
                0 => words.run_works(step),
                n => words.run_waits(step, n),
            };
            if usize::from(cells) < NARROW {
                flow.words(&format!("{}  {what}", title.trim_end()), Role::Base);
            } else {
                let (first, next) = (format!("{title}  "), " ".repeat(TITLE + 2));
                flow.guttered(&first, &next, Line::plain(what), Role::Base, Wrap::Words);
            }
            let started =
                view.into_iter().flat_map(|view| &view.calls).find(|c| c.status == CallStatus::Started);
            if let Some(call) = started {
                let ms = crate::ui::view::queue::age_ms(model, call);
                flow.labelled("", 2, Line::plain(words.command_runs(&clock(ms))), Role::Muted);
            }
        }
        let over = match runs.len() {
            _ if paused_all => words.stays_paused.to_owned(),
            1 => words.one_goes_on.to_owned(),
            2 => words.both_go_on.to_owned(),
            n => words.all_go_on(n as u64),
        };
        let ways = [(Action::QuitStop, words.stop.to_owned(), false), (Action::QuitHandOver, over, true)];
        for (action, text, hands) in ways {
            flow.item(Some(usize::from(hands)));
            let here = hands == self.hand_over;
            let mark = if here { glyphs.selected } else { " " };
            let first = format!("{mark}{}  ", model.key(live::QUIT, action));
            let next = " ".repeat(crate::ui::text::width(&first));
            flow.guttered(
                &first,
                &next,
                Line::plain(text),
                if here { Role::Accent } else { Role::Base },
                Wrap::Words,
            );
        }
        flow.item(None);
        if waits_any {
            flow.labelled("", 4, Line::plain(words.waiting_keep), Role::Muted);
        }
        flow
    }
}

impl Dialog for Quit {
    fn live(&self) -> &'static [Ctx] {
        live::QUIT
    }

    fn title(&self, model: &Model) -> (String, String) {
        (model.words().quit.title.to_owned(), String::new())
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        self.body(model, width).height(width).saturating_add(1)
    }

    fn columns(&self) -> u16 {
        62
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().quit;
        let key = |action, words: &str| key(model, live::QUIT, action, words);
        let last = row(area, usize::from(area.height - 1));
        let left = match model.working.is_empty() {
            true => vec![key(Action::Open, words.leave)],
            false => vec![
                key(Action::Open, words.marked),
                key(Action::Interrupt, words.stop_now).map(|key| key.or_short(words.now)),
            ],
        };
        parts::keys(&mut pen, last, &left, &[key(Action::Back, words.stay)]);
        let inner = Rect { height: area.height - 1, ..area };
        let flow = self.body(model, area.width);
        let all = flow.rows(area.width).len();
        flow.draw(&mut pen, inner, self.scroll.top(all, usize::from(inner.height)));
        self.scroll.shown(all, inner)
    }

    fn click(&mut self, _field: usize, row: usize, model: &mut Model) -> Step {
        if self.hand_over == (row > 0) {
            return self.act(Hit { action: Action::Open, nth: 0 }, model);
        }
        self.hand_over = row > 0;
        Step::Stay
    }

    fn drawn(&mut self, shown: Shown, _at: Instant) {
        self.scroll.was_drawn(shown);
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        let idle = model.working.is_empty();
        match hit.action {
            Action::LineDown if !idle => self.hand_over = true,
            Action::LineUp if !idle => self.hand_over = false,
            Action::Open if idle => return Step::Leave(Vec::new()),
            Action::QuitStop => return Self::stop(false),
            Action::QuitHandOver if !idle => return Self::hand_over(model),
            Action::Open if self.hand_over => return Self::hand_over(model),
            Action::Open => return Self::stop(false),
            Action::Interrupt => return Self::stop(true),
            other if self.scroll.act(other) => {}
            _ => return parts::not_here(model),
        }
        Step::Stay
    }
}
