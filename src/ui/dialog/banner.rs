//! What can be done about the banners: all of them, worst first, each with its choices.
//!
//! Made anew from the model each time it is drawn, so that a banner whose cause is gone is gone here too; what is marked
//! is remembered by what it is and never moves to another choice by itself.

use super::flow::Flow;
use super::parts::{self, key};
use super::scroll::Scroll;
use super::{Dialog, Shown, Step, limits, settle, text, typed};
use crate::run::control::Control;
use crate::run::{LimitKind, RunId, Turn, WorkerId};
use crate::ui::app::model::Model;
use crate::ui::app::msg::Cmd;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Line, Strength, Wrap, one_line, width};
use crate::ui::theme::Role;
use crate::ui::view::banners::{Kind, banners, has_report};
use crate::ui::view::paint::{Pen, row};
use crate::ui::words::capital;
use crate::ui::words::numbers::clock;
use ratatui::layout::Rect;
use std::time::Instant;

/// Something that can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Try to save again now.
    Retry,
    /// Look at the damage.
    Look,
    /// Look at the damage of the file.
    LookFile,
    /// Set the model's window.
    SetWindow,
    /// Look at the request that was cut.
    Request,
    /// End the sleeping owner and take the run.
    TakeOver,
    /// Set the model's price.
    SetPrice,
    /// Change this limit.
    Limit(LimitKind),
    /// Pause instead of waiting for a retry.
    StopRetry,
}

/// What can be done about a banner, the likeliest first.
pub fn choices(kind: Kind) -> Vec<Choice> {
    match kind {
        Kind::DiskFull => vec![Choice::Retry],
        Kind::FileDamaged => vec![Choice::LookFile],
        Kind::Damaged => vec![Choice::Look],
        Kind::PromptCut => vec![Choice::SetWindow, Choice::Request],
        Kind::Asleep => vec![Choice::TakeOver],
        Kind::Price => vec![Choice::SetPrice, Choice::Limit(LimitKind::Cost)],
        Kind::Near(limit) | Kind::AtLimit(limit) => vec![Choice::Limit(limit)],
        Kind::Retry => vec![Choice::StopRetry],
        Kind::NoRoom | Kind::NotSaved | Kind::Locked | Kind::NotRead | Kind::ReadOnly | Kind::Alone => {
            Vec::new()
        }
    }
}

/// The dialog.
#[derive(Debug)]
pub struct BannerDialog {
    /// What is marked; none if nothing can be done.
    marked: Option<(Kind, Choice)>,
    scroll: Scroll,
}

impl BannerDialog {
    /// The dialog, with the first choice of this banner marked; none means the top one that has a choice.
    pub fn new(model: &Model, kind: Option<Kind>) -> Box<dyn Dialog> {
        let all = all(model);
        let own = |(of, _): &&(Kind, Choice)| kind.is_none_or(|kind| *of == kind);
        let marked = all.iter().find(own).or(all.first()).copied();
        Box::new(Self { marked, scroll: Scroll::default() })
    }

    /// All banners with their choices, and the row at which the marked one stands.
    fn body(&self, model: &Model, cells: u16) -> (Flow, usize) {
        let mut flow = Flow::default();
        let (words, glyphs) = (&model.words().choices, model.look.glyphs);
        let (mut at, mut rows) = (0, 0);
        for (nth, banner) in banners(model).into_iter().enumerate() {
            if nth > 0 {
                flow.blank();
            }
            let when = if banner.when.is_empty() { String::new() } else { format!("  {}", banner.when) };
            flow.line(
                Line::plain(format!("{} {}  {}{when}", banner.sign, banner.head, banner.text)),
                banner.role,
                Wrap::Words,
            );
            if let Some(reason) = reason(model, banner.kind) {
                flow.words(&reason, Role::Base);
            }
            flow.words(&why(model, banner.kind), Role::Muted);
            let choices = choices(banner.kind);
            if banner.kind == Kind::Locked {
                flow.words(words.nothing_to_do, Role::Muted);
            }
            for choice in choices {
                let here = self.marked == Some((banner.kind, choice));
                if here {
                    at = flow.rows(cells).len();
                }
                let first = format!(" {} ", if here { glyphs.selected } else { " " });
                let next = " ".repeat(width(&first));
                let role = if here { Role::Accent } else { Role::Base };
                flow.item(Some(rows));
                flow.guttered(&first, &next, Line::plain(label(model, choice)), role, Wrap::Words);
                rows += 1;
            }
            flow.item(None);
        }
        if flow.is_empty() {
            flow.words(words.gone, Role::Base);
        }
        (flow, at)
    }

    fn step(&mut self, model: &Model, by: isize) {
        let all = all(model);
        let at = all.iter().position(|one| Some(*one) == self.marked);
        let last = all.len().saturating_sub(1);
        let to = at.map_or(0, |at| at.saturating_add_signed(by).min(last));
        self.marked = all.get(to).copied();
        let (_, row) = self.body(model, self.scroll.width());
        self.scroll.to(row);
    }

    /// Marks the first choice of the next banner that has one; after the last one that of the first.
    fn next_banner(&mut self, model: &Model) {
        let kinds = acted_on(model);
        let at = kinds.iter().position(|kind| self.marked.is_some_and(|(marked, _)| marked == *kind));
        let next = at.map_or(0, |at| at + 1);
        let kind = kinds.get(next).or(kinds.first());
        self.marked = kind.and_then(|kind| all(model).into_iter().find(|(of, _)| of == kind));
        let (_, row) = self.body(model, self.scroll.width());
        self.scroll.to(row);
    }

    fn choose(&self, model: &mut Model) -> Step {
        let words = &model.words().choices;
        let Some((kind, choice)) = self.marked else { return parts::not_here(model) };
        if !banners(model).iter().any(|banner| banner.kind == kind) {
            return Step::Say(words.gone.to_owned());
        }
        if choice == Choice::LookFile {
            let text = file_damage(model);
            return Step::Swap(text::TextDialog::plain(words.damage_title, text));
        }
        let Some(run) = model.run.clone() else { return parts::not_here(model) };
        match choice {
            Choice::LookFile => Step::Stay,
            Choice::Retry => Step::Close(vec![Cmd::Retry(run)]),
            Choice::Look => match damage(model) {
                Some(text) => Step::Swap(text::TextDialog::plain(words.damage_title, text)),
                None => Step::Say(words.gone.to_owned()),
            },
            Choice::SetWindow => swap(model, settle::SettleDialog::window(model)),
            Choice::SetPrice => swap(model, settle::SettleDialog::price(model)),
            Choice::Limit(limit) => swap(model, limits::LimitsDialog::at(model, limit)),
            Choice::Request => Step::Act(Action::RequestShow, 0),
            Choice::TakeOver => match asleep(model) {
                Some((worker, pid)) => Step::Swap(typed::TypedDialog::take_over(run, worker, pid)),
                None => Step::Say(words.gone.to_owned()),
            },
            Choice::StopRetry => stop_retry(model, run),
        }
    }
}

fn swap(model: &Model, to: Option<Box<dyn Dialog>>) -> Step {
    to.map_or_else(|| parts::not_here(model), Step::Swap)
}

fn stop_retry(model: &Model, run: RunId) -> Step {
    let news = model.words().notes.pausing_now.to_owned();
    Step::Post { run, control: Control::Pause { now: true }, news }
}

/// Every choice, in the order in which they stand.
fn all(model: &Model) -> Vec<(Kind, Choice)> {
    let kinds = banners(model).into_iter().map(|banner| banner.kind);
    kinds.flat_map(|kind| choices(kind).into_iter().map(move |choice| (kind, choice))).collect()
}

/// The banners about which something can be done, worst first.
pub fn acted_on(model: &Model) -> Vec<Kind> {
    let kinds = banners(model).into_iter().map(|banner| banner.kind);
    kinds.filter(|kind| !choices(*kind).is_empty()).collect()
}

fn asleep(model: &Model) -> Option<(WorkerId, i32)> {
    let signs = model.beside.signs_of(model.run.as_ref()?)?;
    signs.asleep.as_ref().map(|asleep| (asleep.worker.clone(), asleep.pid))
}

/// Why the database cannot be read, whole, where the banner had no room for it.
fn reason(model: &Model, kind: Kind) -> Option<String> {
    let (_, why) = model.stale.as_ref().filter(|_| kind == Kind::NotRead)?;
    let why = one_line(&model.look.lang.trouble(why), Strength::Prose).shown();
    (!why.is_empty()).then(|| capital(&why))
}

/// How the damage of the file stands and what can be done, as text.
fn file_damage(model: &Model) -> String {
    let words = &model.words().choices;
    let file = one_line(&model.found.db.to_string_lossy(), Strength::Exact).shown();
    let reason = model.beside.file_damaged.as_deref().unwrap_or_default();
    let facts = words.file_damage_text(&file, &one_line(reason, Strength::Prose).shown());
    let ways = [
        (format!("wakeful --db {file} backup damaged.db"), words.keep_copy),
        (format!("wakeful --db {file} doctor"), words.look_through),
    ];
    let ways = ways.map(|(command, does)| format!("{command}\n    {does}"));
    format!("{facts}\n\n{}\n\n{}", ways.join("\n"), words.put_back)
}

/// How the damage stands and what can be done, as text.
fn damage(model: &Model) -> Option<String> {
    let words = &model.words().choices;
    let view = model.view()?;
    let damage = view.damage.as_ref()?;
    let reason = one_line(&damage.reason, Strength::Prose).shown();
    let facts = words.damage_text(damage.first_bad_seq, damage.rows, &reason);
    let accept = format!("wakeful doctor --accept-damage {}", view.state.run);
    let ways = [
        ("wakeful backup damaged.db", words.keep_copy),
        ("wakeful doctor", words.look_through),
        (accept.as_str(), words.accept),
    ];
    let ways = ways.map(|(command, does)| format!("{command}\n    {does}"));
    Some(format!("{facts}\n\n{}", ways.join("\n")))
}

/// What a banner means, and what happens if nothing is done.
fn why(model: &Model, kind: Kind) -> String {
    let words = &model.words().choices;
    match kind {
        Kind::DiskFull => words.full_why,
        Kind::NoRoom => words.no_room_why,
        Kind::NotSaved => words.not_saved_why,
        Kind::Locked => words.locked_why,
        Kind::NotRead => words.not_read_why,
        Kind::FileDamaged => words.file_damaged_why,
        Kind::Damaged => words.damaged_why,
        Kind::ReadOnly => words.newer_why,
        Kind::PromptCut => words.cut_why,
        Kind::Asleep => words.asleep_why,
        Kind::Alone => words.alone_why,
        Kind::Price => words.price_why,
        Kind::Near(_) => words.near_why,
        Kind::AtLimit(_) if model.view().is_some_and(|view| has_report(&view.state)) => words.at_limit_why,
        Kind::AtLimit(_) => words.at_limit_bare_why,
        Kind::Retry => {
            let (_, left) = retry(model).unwrap_or_default();
            return words.retry_why(&clock(left), &model.key(live::RUN, Action::PauseToggle));
        }
    }
    .to_owned()
}

/// The attempt that is waited for, and milliseconds until it is made.
fn retry(model: &Model) -> Option<(u32, u64)> {
    let Turn::Retry { attempt, until: Some(until), .. } = &model.view()?.state.path.turn else { return None };
    Some((*attempt, u64::try_from(until.saturating_sub(model.clock.wall)).unwrap_or(0)))
}

/// What a choice does.
fn label(model: &Model, choice: Choice) -> String {
    let words = &model.words().choices;
    match choice {
        Choice::Retry => words.retry_now.to_owned(),
        Choice::Look | Choice::LookFile => words.look.to_owned(),
        Choice::SetWindow => words.set_window.to_owned(),
        Choice::Request => words.request.to_owned(),
        Choice::TakeOver => {
            let pid = asleep(model).map(|(_, pid)| pid.to_string()).unwrap_or_default();
            words.take_over(&pid)
        }
        Choice::SetPrice => words.set_price.to_owned(),
        Choice::Limit(limit) => words.raise(model.look.lang.limit(limit)),
        Choice::StopRetry => {
            let attempt = retry(model).map_or(0, |(attempt, _)| attempt);
            let settings = model.view().and_then(|view| view.state.settings());
            let most = settings.map_or(0, |settings| settings.limits.model_retries);
            words.stop_retry(u64::from(attempt), u64::from(most))
        }
    }
}

impl Dialog for BannerDialog {
    fn live(&self) -> &'static [Ctx] {
        live::BANNERS
    }

    fn title(&self, model: &Model) -> (String, String) {
        (model.words().ask.banner_title.to_owned(), String::new())
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        self.body(model, width).0.height(width).saturating_add(1)
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().choices;
        let key = |action, words: &str| key(model, live::BANNERS, action, words);
        let last = row(area, usize::from(area.height - 1));
        let left = match self.marked {
            Some(_) => {
                let next = model.look.keys.hint(live::BANNERS, Action::BannerOpen, model.look.lang);
                let next = next.filter(|_| acted_on(model).len() > 1);
                vec![
                    key(Action::LineDown, words.choose),
                    key(Action::Open, words.do_it),
                    next.and_then(|next| key(Action::BannerOpen, next.words)),
                ]
            }
            None => Vec::new(),
        };
        parts::keys(&mut pen, last, &left, &[key(Action::Back, model.words().ask.back)]);
        let inner = Rect { height: area.height - 1, ..area };
        let (flow, _) = self.body(model, area.width);
        let rows = flow.rows(area.width).len();
        flow.draw(&mut pen, inner, self.scroll.top(rows, usize::from(inner.height)));
        self.scroll.shown(rows, inner)
    }

    fn click(&mut self, _field: usize, row: usize, model: &mut Model) -> Step {
        let clicked = all(model).get(row).copied();
        if clicked.is_some() && clicked == self.marked {
            return self.choose(model);
        }
        self.marked = clicked.or(self.marked);
        Step::Stay
    }

    fn drawn(&mut self, shown: Shown, _at: Instant) {
        self.scroll.was_drawn(shown);
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        match hit.action {
            Action::LineDown => self.step(model, 1),
            Action::LineUp => self.step(model, -1),
            Action::Open => return self.choose(model),
            Action::BannerOpen => self.next_banner(model),
            other if self.scroll.act(other) => {}
            _ => return parts::not_here(model),
        }
        Step::Stay
    }
}
