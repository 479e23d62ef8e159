//! A checkpoint beside the present state: what came since, and what is another now. Only shows; nothing is decided here.
//!
//! Not to be assumed: that it follows the run. It is what was found when it was opened.

use super::flow::Flow;
use super::parts::{self, key};
use super::review::diff;
use super::scroll::Scroll;
use super::{Dialog, Shown, Step};
use crate::run::RunId;
use crate::run::control::StepRef;
use crate::run::plan::{PlanItem, PlanState};
use crate::run::{StepNo, TimelineNo};
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Cmd, Comparison, FileBack, FileFate, Msg, Ticket};
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Line, Strength, Wrap, one_line, width};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use crate::ui::words::numbers::hour_minute;
use ratatui::layout::Rect;
use std::time::Instant;

/// The dialog.
#[derive(Debug)]
pub struct CompareDialog {
    run: RunId,
    to: StepRef,
    asked: Option<Ticket>,
    flow: Flow,
    scroll: Scroll,
}

impl CompareDialog {
    /// The comparison of a checkpoint with now.
    pub fn new(model: &Model, run: RunId, to: StepRef) -> Box<dyn Dialog> {
        let mut flow = Flow::default();
        flow.words(model.words().compare.looking, Role::Muted);
        Box::new(Self { run, to, asked: None, flow, scroll: Scroll::default() })
    }
}

/// The text of a comparison.
fn text(model: &Model, compared: &Comparison) -> Flow {
    let words = &model.words().compare;
    let labels = [words.steps, words.goal, words.plan, words.notes, words.files];
    let label = labels.iter().map(|text| width(text)).max().unwrap_or(0) + 2;
    let mut page = Page { model, label, flow: Flow::default() };
    page.steps(compared);
    page.goal(compared);
    page.plan(&compared.then.plan, &compared.now.plan);
    page.notes(compared);
    page.files(&compared.files);
    page.flow
}

struct Page<'a> {
    model: &'a Model,
    label: usize,
    flow: Flow,
}

impl Page<'_> {
    fn head(&mut self, label: &str, words: String) {
        self.flow.labelled(label, self.label, Line::plain(words), Role::Base);
    }

    /// A line that came or went. Not neutral.
    fn change(&mut self, came: bool, words: &str) {
        let glyphs = self.model.look.glyphs;
        let (sign, role) = if came { (glyphs.plus, Role::Add) } else { (glyphs.minus, Role::Del) };
        let first = format!("{}{sign} ", " ".repeat(self.label));
        self.flow.guttered(
            &first,
            &" ".repeat(width(&first)),
            one_line(words, Strength::Prose),
            role,
            Wrap::Words,
        );
    }

    /// What is in one list and not in the other, with what it is.
    fn set(&mut self, what: &str, then: &[String], now: &[String]) -> usize {
        let lang = self.model.look.lang;
        let gone: Vec<&String> = then.iter().filter(|one| !now.contains(one)).collect();
        let came: Vec<&String> = now.iter().filter(|one| !then.contains(one)).collect();
        gone.iter().for_each(|one| self.change(false, &lang.label(what, one)));
        came.iter().for_each(|one| self.change(true, &lang.label(what, one)));
        gone.len() + came.len()
    }

    fn steps(&mut self, compared: &Comparison) {
        let words = &self.model.words().compare;
        let mut line = match steps(self.model.look.glyphs.range, &compared.since) {
            Some(since) => words.since(&since, compared.tokens),
            None => words.none_since.to_owned(),
        };
        if let Some(apart) = steps(self.model.look.glyphs.range, &compared.apart) {
            line = format!("{line} {} {}", self.model.look.glyphs.dot, words.apart(&apart));
        }
        self.head(words.steps, line);
    }

    fn goal(&mut self, compared: &Comparison) {
        let words = &self.model.words().compare;
        let (then, now) = (&compared.then, &compared.now);
        let (old, new) = (u64::from(then.version), u64::from(now.version));
        if then.goal == now.goal {
            return self.head(words.goal, words.same_goal(old, new));
        }
        self.head(words.goal, words.versions(old, new));
        if then.goal.text != now.goal.text {
            then.goal.text.lines().for_each(|line| self.change(false, line));
            now.goal.text.lines().for_each(|line| self.change(true, line));
        }
        self.set(words.constraint, &then.goal.constraints, &now.goal.constraints);
        let checks =
            |goal: &crate::run::goal::Goal| goal.checks.iter().map(ToString::to_string).collect::<Vec<_>>();
        self.set(words.check, &checks(&then.goal), &checks(&now.goal));
    }

    fn plan(&mut self, then: &[PlanItem], now: &[PlanItem]) {
        let words = &self.model.words().compare;
        let gone: Vec<&PlanItem> = then.iter().filter(|one| !now.contains(one)).collect();
        let came: Vec<&PlanItem> = now.iter().filter(|one| !then.contains(one)).collect();
        let changes = (gone.len() + came.len()) as u64;
        self.head(words.plan, if changes == 0 { words.same.to_owned() } else { words.differ(changes) });
        let shown = |item: &PlanItem| format!("{} {} {}", self.sign(item.state), item.id, item.title);
        let mut lines: Vec<(&str, bool, String)> =
            gone.iter().map(|item| (item.id.as_str(), false, shown(item))).collect();
        lines.extend(came.iter().map(|item| (item.id.as_str(), true, shown(item))));
        // An item stands beside itself as it is now.
        lines.sort_by(|one, other| (one.0, one.1).cmp(&(other.0, other.1)));
        lines.iter().for_each(|(_, came, line)| self.change(*came, line));
    }

    fn sign(&self, state: PlanState) -> &'static str {
        let glyphs = self.model.look.glyphs;
        match state {
            PlanState::Pending => glyphs.open,
            PlanState::Active => glyphs.current,
            PlanState::Done => glyphs.done,
            PlanState::Failed => glyphs.failed,
            PlanState::NeedsReview => glyphs.unsure,
        }
    }

    fn notes(&mut self, compared: &Comparison) {
        let words = &self.model.words().compare;
        let (then, now) = (&compared.then, &compared.now);
        let same = then.facts == now.facts && then.questions == now.questions;
        let differ = |a: &[String], b: &[String]| a.iter().filter(|one| !b.contains(one)).count() as u64;
        let both = |a: &[String], b: &[String]| differ(a, b) + differ(b, a);
        let changes = both(&then.facts, &now.facts) + both(&then.questions, &now.questions);
        self.head(words.notes, if same { words.same.to_owned() } else { words.differ(changes) });
        self.set(words.fact, &then.facts, &now.facts);
        self.set(words.question, &then.questions, &now.questions);
    }

    fn files(&mut self, files: &[FileBack]) {
        let (words, look) = (&self.model.words().compare, &self.model.look);
        let head =
            if files.is_empty() { words.no_files.to_owned() } else { words.differ(files.len() as u64) };
        self.head(words.files, head);
        for file in files {
            let (sign, role) = match file.what {
                FileFate::Restore => (look.glyphs.about, Role::Base),
                FileFate::Remove => (look.glyphs.plus, Role::Base),
                FileFate::Keep => (look.glyphs.needs_you, Role::Warn),
            };
            let lines = file
                .lines
                .map(|(plus, minus)| format!("  {}{minus} {}{plus}", look.glyphs.minus, look.glyphs.plus));
            let others = (file.what == FileFate::Keep).then(|| {
                let words = &self.model.words().rollback;
                let at = file.edited.map(|at| words.edited_by_others(&hour_minute(at, &look.zone)));
                format!("  {}", at.unwrap_or_else(|| words.removed_by_others.to_owned()))
            });
            let path = one_line(&file.path, Strength::Exact).shown();
            let line = format!("{path}{}{}", lines.unwrap_or_default(), others.unwrap_or_default());
            let first = format!("{}{sign} ", " ".repeat(self.label));
            self.flow.guttered(&first, &" ".repeat(width(&first)), Line::plain(line), role, Wrap::Cells);
            match file.diff.is_empty() {
                true => self.flow.words(self.model.words().rollback.no_diff, Role::Muted),
                false => diff::add(self.model, &file.diff, &mut self.flow),
            }
        }
    }
}

/// `7–13`, or `8@1–9@2` if they are of several timelines; none if there is none.
fn steps(range: &str, steps: &[(StepNo, TimelineNo)]) -> Option<String> {
    let (first, last) = (steps.first()?, steps.last()?);
    Some(match (first == last, first.1 == last.1) {
        (true, _) => first.0.to_string(),
        (false, true) => format!("{}{range}{}", first.0, last.0),
        (false, false) => format!("{}@{}{range}{}@{}", first.0, first.1, last.0, last.1),
    })
}

impl Dialog for CompareDialog {
    fn live(&self) -> &'static [Ctx] {
        live::SHOW
    }

    fn title(&self, model: &Model) -> (String, String) {
        let timeline = self.to.timeline.map(|no| format!("{}@{no}", self.to.step)).unwrap_or_default();
        (model.words().compare.title(u64::from(self.to.step)), timeline)
    }

    fn rows(&self, _model: &Model, width: u16) -> u16 {
        self.flow.height(width).saturating_add(1)
    }

    fn columns(&self) -> u16 {
        100
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let last = row(area, usize::from(area.height - 1));
        let inner = Rect { height: area.height - 1, ..area };
        let all = self.flow.rows(area.width).len();
        let shown = self.scroll.shown(all, inner);
        let words = &model.words().ask;
        let key = |action, words: &str| key(model, live::SHOW, action, words);
        let top = self.scroll.top(all, usize::from(inner.height));
        let left = match top < shown.most {
            true => vec![key(Action::PageDown, words.more), key(Action::Bottom, words.end)],
            false => Vec::new(),
        };
        parts::keys(&mut pen, last, &left, &[key(Action::Back, model.words().compare.close)]);
        self.flow.draw(&mut pen, inner, top);
        shown
    }

    fn drawn(&mut self, shown: Shown, _at: Instant) {
        self.scroll.was_drawn(shown);
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        if self.scroll.act(hit.action) { Step::Stay } else { parts::not_here(model) }
    }

    fn told(&mut self, msg: &Msg, model: &mut Model) -> Step {
        if let Msg::Compared(ticket, compared) = msg
            && self.asked == Some(*ticket)
        {
            self.asked = None;
            self.flow = match compared {
                Ok(compared) => text(model, compared),
                Err(why) => {
                    let mut flow = Flow::default();
                    let why = one_line(&model.look.lang.trouble(why), Strength::Prose).shown();
                    flow.words(&model.words().compare.cannot(&why), Role::Danger);
                    flow
                }
            };
        }
        Step::Stay
    }

    fn open(&mut self, model: &mut Model) -> Vec<Cmd> {
        let ticket = model.ticket();
        self.asked = Some(ticket);
        vec![Cmd::Compare(ticket, self.run.clone(), self.to)]
    }
}
