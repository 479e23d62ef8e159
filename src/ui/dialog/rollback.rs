//! The preview of a rollback: what it undoes, what becomes of the files and the goal, what cannot be undone.
//!
//! Each file can be kept or taken against the default, the goal can go back too. What the preflight says holds for what
//! is chosen now; files that stay on the screen are sent as kept, so that what was shown is what happens.

use super::flow::{Flow, Scroll};
use super::parts::{self, key};
use super::review::diff;
use super::text::TextDialog;
use super::{Dialog, Shown, Step};
use crate::run::RunId;
use crate::run::control::{Control, RollbackChoices, StepRef};
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Cmd, FileBack, FileFate, Msg, Preview, Ticket};
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Align, Line, Strength, Wrap, fit, one_line, pad, width};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use crate::ui::words::numbers::{hour_minute, size};
use crate::ui::words::reasons::said;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long the keys are dead after the first frame.
const DEAD: Duration = Duration::from_millis(300);
/// Most cells that paths, and what stands behind them, are lined up to.
const PATH: usize = 36;
const ORIGIN: usize = 24;

/// The dialog.
#[derive(Debug)]
pub struct RollbackDialog {
    run: RunId,
    to: StepRef,
    preview: Option<Result<Box<Preview>, String>>,
    looking: Option<Ticket>,
    /// The run has gone on since.
    stale: bool,
    scroll: Scroll,
    first: Option<Instant>,
    /// The selected file.
    at: usize,
    /// Files that are kept or taken against the default.
    turned: BTreeSet<String>,
    /// The goal goes back too.
    goal: bool,
}

impl RollbackDialog {
    /// The preview of a return to a checkpoint.
    pub fn new(_model: &mut Model, run: RunId, to: StepRef) -> Box<dyn Dialog> {
        Box::new(Self {
            run,
            to,
            preview: None,
            looking: None,
            stale: false,
            scroll: Scroll::default(),
            first: None,
            at: 0,
            turned: BTreeSet::new(),
            goal: false,
        })
    }

    fn look(&mut self, model: &mut Model) -> Vec<Cmd> {
        let ticket = model.ticket();
        self.looking = Some(ticket);
        self.stale = false;
        vec![Cmd::Preview(ticket, self.run.clone(), self.to)]
    }

    /// Takes a preview; what was chosen of files that stand as they did stays chosen.
    fn again(&mut self, preview: Result<Box<Preview>, String>) {
        let was =
            |path: &str| self.preview()?.files.iter().find(|file| file.path == path).map(|file| file.what);
        let files = preview.as_ref().map_or(&[][..], |preview| preview.files.as_slice());
        let same =
            files.iter().filter(|file| was(&file.path) == Some(file.what)).map(|file| file.path.as_str());
        let same: BTreeSet<&str> = same.collect();
        self.turned = self.turned.iter().filter(|path| same.contains(path.as_str())).cloned().collect();
        self.at = self.at.min(files.len().saturating_sub(1));
        self.preview = Some(preview);
    }

    fn preview(&self) -> Option<&Preview> {
        self.preview.as_ref()?.as_ref().ok().map(Box::as_ref)
    }

    /// What becomes of a file, with what was chosen.
    fn fate(&self, file: &FileBack) -> FileFate {
        match (self.turned.contains(&file.path), file.what) {
            (false, what) => what,
            (true, FileFate::Keep) => file.taken.unwrap_or(FileFate::Keep),
            (true, FileFate::Restore | FileFate::Remove) => FileFate::Keep,
        }
    }

    /// The first file that cannot be changed as chosen, and why.
    fn blocked<'a>(&self, preview: &'a Preview) -> Option<(&'a FileBack, &'a str)> {
        let changed = preview.files.iter().filter(|file| self.fate(file) != FileFate::Keep);
        changed.filter_map(|file| Some((file, file.problem.as_deref()?))).next()
    }

    fn body(&self, model: &Model) -> Flow {
        let mut flow = Flow::default();
        if let Some(preview) = self.head(model, &mut flow) {
            self.files(model, preview, &mut flow, None);
            self.below(model, preview, &mut flow);
        }
        flow
    }

    /// What stands above the files; the preview if it is here.
    fn head(&self, model: &Model, flow: &mut Flow) -> Option<&Preview> {
        let (words, glyphs) = (&model.words().rollback, model.look.glyphs);
        if self.stale {
            flow.words(&format!("{} {}", glyphs.needs_you, words.gone_on), Role::Warn);
        }
        let preview = match &self.preview {
            None => {
                flow.words(words.looking, Role::Muted);
                return None;
            }
            Some(Err(why)) => {
                flow.words(&words.refused(&one_line(why, Strength::Prose).shown()), Role::Danger);
                return None;
            }
            Some(Ok(preview)) => preview,
        };
        if let (Some(first), Some(last)) = (
            preview.undone.iter().map(|(step, _)| *step).min(),
            preview.undone.iter().map(|(step, _)| *step).max(),
        ) {
            let view =
                model.shot.as_ref().and_then(|shot| shot.run.as_ref()).filter(|v| v.state.run == self.run);
            let timelines = view.map_or(0, |view| view.state.ledger.timelines.len() as u64);
            let next = u64::from(preview.step) + 1;
            let undoes =
                words.undoes(u64::from(first), u64::from(last), next, preview.tokens, timelines.max(1) + 1);
            flow.words(&undoes, Role::Base);
        }
        if let (Some(first), Some(last)) = (preview.back.first(), preview.back.last()) {
            flow.words(
                &format!("{} {}@{}–{}@{}", words.bring_back, first.0, first.1, last.0, last.1),
                Role::Base,
            );
        }
        Some(preview)
    }

    /// The files in columns; only up to `upto`, if that is given.
    fn files(&self, model: &Model, preview: &Preview, flow: &mut Flow, upto: Option<usize>) {
        let (words, glyphs) = (&model.words().rollback, model.look.glyphs);
        let label = label(model);
        if preview.files.is_empty() {
            flow.labelled(words.files, label, Line::plain(words.no_files), Role::Base);
            return;
        }
        let all = [words.restore, words.remove, words.keep];
        let cells = all.iter().map(|text| width(text)).max().unwrap_or(0) + 2;
        let columns: Vec<[String; 3]> =
            preview.files.iter().map(|file| self.columns(model, preview, file)).collect();
        let widest = |nth: usize, most: usize, all: &dyn Fn(&[String; 3]) -> bool| {
            let texts = columns.iter().filter(|row| all(row)).filter_map(|row| row.get(nth));
            texts.map(|text| width(text)).max().unwrap_or(0).min(most)
        };
        let path = widest(0, PATH, &|_| true);
        // What has no figures may be longer.
        let origin = widest(1, ORIGIN, &|[_, _, figures]| !figures.is_empty());
        for (nth, (file, row)) in preview.files.iter().zip(&columns).enumerate() {
            let fate = self.fate(file);
            let (what, sign, role) = match fate {
                FileFate::Restore => (words.restore, glyphs.about, Role::Base),
                FileFate::Remove => (words.remove, glyphs.plus, Role::Del),
                FileFate::Keep => (words.keep, "=", Role::Muted),
            };
            let here = nth == self.at;
            let mark = if here { glyphs.selected } else { " " };
            let head = fit(if nth == 0 { words.files } else { "" }, label - 1, Align::Left, glyphs.ellipsis);
            let first = format!("{head}{mark}{}{sign} ", fit(what, cells, Align::Left, glyphs.ellipsis));
            let [name, from, figures] = row;
            let mut text =
                format!("{}  {}  {figures}", pad(name, path, Align::Left), pad(from, origin, Align::Left));
            let turns = file.taken.is_some() && (here || file.what == FileFate::Keep);
            if turns {
                let words = if fate == FileFate::Keep { words.take } else { words.keep };
                let key = model.key(live::ROLL, Action::FileChoice);
                text = format!("{}  {key} {words}", text.trim_end());
            }
            flow.guttered(
                &first,
                &" ".repeat(width(&first)),
                Line::plain(text.trim_end()),
                role,
                Wrap::Words,
            );
            if upto == Some(nth) {
                return;
            }
        }
    }

    /// A file's path, where its fate comes from, and figures. Neutral.
    fn columns(&self, model: &Model, preview: &Preview, file: &FileBack) -> [String; 3] {
        let (words, look) = (&model.words().rollback, &model.look);
        let path = one_line(&file.path, Strength::Exact).shown();
        let step = u64::from(preview.step);
        let edit = file.edited.map(|at| hour_minute(at, &look.zone));
        let lines = file
            .lines
            .map(|(plus, minus)| format!("{}{minus} {}{plus}", look.glyphs.minus, look.glyphs.plus));
        let (origin, figures) = match (self.fate(file), file.what) {
            (FileFate::Keep, FileFate::Restore | FileFate::Remove) => (words.you_keep.to_owned(), None),
            (FileFate::Keep, FileFate::Keep) => {
                let why =
                    file.why.as_ref().map(|why| one_line(&said(look.lang, why), Strength::Prose).shown());
                let edited = || {
                    edit.map_or_else(|| words.removed_by_others.to_owned(), |at| words.edited_by_others(&at))
                };
                (why.unwrap_or_else(edited), None)
            }
            (FileFate::Restore | FileFate::Remove, FileFate::Keep) => match edit {
                Some(at) => (words.over_edit(&at), lines),
                None => (words.over_removal(step), None),
            },
            (FileFate::Restore, _) => (words.as_of(step), lines),
            (FileFate::Remove, _) => {
                let made = file.made_in.map(|step| words.made_in(u64::from(step))).unwrap_or_default();
                (made, file.bytes.map(size))
            }
        };
        [path, origin, figures.unwrap_or_default()]
    }

    /// What stands below the files.
    fn below(&self, model: &Model, preview: &Preview, flow: &mut Flow) {
        let (words, glyphs) = (&model.words().rollback, model.look.glyphs);
        if let Some(view) = model.view() {
            let now = u64::from(view.state.path.goal_version);
            let key = model.key(live::ROLL, Action::GoalChoice);
            let mut line = match (preview.goal.map(u64::from), self.goal) {
                (None, _) => words.goal_stays(now),
                (Some(then), false) => spaced(model, words.goal_stays(now), words.goal_back(&key, then)),
                (Some(then), true) => spaced(model, words.goal_goes_back(then), words.goal_kept(&key, now)),
            };
            if preview.cancelled > 0 {
                line = format!("{line} {} {}", glyphs.dot, words.cancelled(preview.cancelled as u64));
            }
            flow.labelled(words.goal, label(model), Line::plain(line), Role::Base);
        }
        if preview.effects.is_empty() {
            flow.words(words.nothing_lasting, Role::Muted);
        } else {
            flow.words(words.cannot_undo, Role::Warn);
            for effect in &preview.effects {
                flow.guttered("  ", "  ", one_line(effect, Strength::Prose), Role::Base, Wrap::Words);
            }
        }
        if let Some((file, why)) = self.blocked(preview) {
            let path = one_line(&file.path, Strength::Exact).shown();
            let why = one_line(why, Strength::Prose).shown();
            let words = model.look.lang.label(words.preflight_failed, &words.cannot_restore(&path, &why));
            flow.words(&format!("{} {words}", glyphs.failed), Role::Danger);
            return;
        }
        let changed = preview.files.iter().filter(|file| self.fate(file) != FileFate::Keep).count() as u64;
        let redo = model.key(live::RUN, Action::RollbackRedo);
        let ok = [glyphs.done, &words.preflight_ok(changed), glyphs.dot, &words.takes_back(&redo)].join(" ");
        flow.words(&ok, Role::Ok);
    }

    fn go(&mut self, model: &mut Model, files: bool) -> Step {
        let words = &model.words().rollback;
        let opened = self.first.is_some_and(|at| model.clock.mono.saturating_duration_since(at) >= DEAD);
        let Some(preview) = self.preview() else { return Step::Say(words.looking.to_owned()) };
        if !opened {
            return Step::Say(model.words().review.too_soon.to_owned());
        }
        if let Some((file, why)) = self.blocked(preview).filter(|_| files) {
            let path = one_line(&file.path, Strength::Exact).shown();
            let why = one_line(why, Strength::Prose).shown();
            return Step::Say(words.refused(&words.cannot_restore(&path, &why)));
        }
        // What stays is named too: it stays even if it is no longer as it was when this was decided.
        let paths = |wanted: &dyn Fn(&FileBack) -> bool| {
            preview.files.iter().filter(|file| files && wanted(file)).map(|file| file.path.clone()).collect()
        };
        let choices = RollbackChoices {
            keep: paths(&|file| self.fate(file) == FileFate::Keep),
            take: paths(&|file| file.what == FileFate::Keep && self.fate(file) != FileFate::Keep),
            goal: self.goal && preview.goal.is_some(),
        };
        let seen_seq = preview.seen;
        if self.stale {
            return Step::Do(self.look(model));
        }
        Step::Post {
            run: self.run.clone(),
            control: Control::Rollback { to: self.to, files, seen_seq, choices },
            news: model.words().notes.rolling_back.to_owned(),
        }
    }

    /// Another file is selected; false if there is none that way.
    fn step_to(&mut self, model: &Model, down: bool) -> bool {
        let all = self.preview().map_or(0, |preview| preview.files.len());
        let to = if down { self.at.checked_add(1).filter(|at| *at < all) } else { self.at.checked_sub(1) };
        let Some(to) = to else { return false };
        self.at = to;
        let mut above = Flow::default();
        if let Some(preview) = self.head(model, &mut above) {
            self.files(model, preview, &mut above, Some(to));
        }
        self.scroll.to(usize::from(above.height(self.scroll.width())).saturating_sub(1));
        true
    }

    fn turn(&mut self, model: &Model) -> Step {
        let words = &model.words().rollback;
        let file = self.preview().and_then(|preview| preview.files.get(self.at));
        match file.map(|file| (file.path.clone(), file.taken.is_some())) {
            None => Step::Say(words.no_file_here.to_owned()),
            Some((_, false)) => Step::Say(words.cannot_take.to_owned()),
            Some((path, true)) => {
                if !self.turned.remove(&path) {
                    self.turned.insert(path);
                }
                Step::Stay
            }
        }
    }

    fn diff(&self, model: &Model) -> Step {
        let words = &model.words().rollback;
        let Some(file) = self.preview().and_then(|preview| preview.files.get(self.at)) else {
            return Step::Say(words.no_file_here.to_owned());
        };
        if file.diff.is_empty() {
            return Step::Say(words.no_diff.to_owned());
        }
        let mut flow = Flow::default();
        diff::add(model, &file.diff, &mut flow);
        Step::Open(TextDialog::flow(model.words().ask.diff_title, &file.path, flow))
    }

    fn turn_goal(&mut self, model: &Model) -> Step {
        match self.preview().is_some_and(|preview| preview.goal.is_some()) {
            true => {
                self.goal = !self.goal;
                Step::Stay
            }
            false => Step::Say(model.words().rollback.goal_same.to_owned()),
        }
    }
}

/// Cells of the labels, with the one where the mark of the selected file stands.
fn label(model: &Model) -> usize {
    let words = &model.words().rollback;
    [words.files, words.goal].iter().map(|text| width(text)).max().unwrap_or(0) + 3
}

/// Two texts, with a space between where the language has one.
fn spaced(model: &Model, first: String, second: String) -> String {
    format!("{first}{}{second}", model.look.lang.pick([" ", ""]))
}

impl Dialog for RollbackDialog {
    fn live(&self) -> &'static [Ctx] {
        live::ROLL
    }

    fn title(&self, model: &Model) -> (String, String) {
        let timeline = self.to.timeline.map(|no| format!("{}@{no}", self.to.step)).unwrap_or_default();
        (model.words().rollback.title(u64::from(self.to.step)), timeline)
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        self.body(model).height(width).saturating_add(1)
    }

    fn draw(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Shown {
        let mut pen = Pen { look: &model.look, buf };
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().rollback;
        let key = |action, words: &str| key(model, live::ROLL, action, words);
        let last = row(area, usize::from(area.height - 1));
        let preview = self.preview();
        let free = preview.is_some_and(|preview| self.blocked(preview).is_none());
        let left = [
            key(Action::RollbackDo, words.roll_back).map(|key| key.dead_unless(free)),
            key(Action::RollbackNoFiles, words.without_files).map(|key| key.dead_unless(preview.is_some())),
            key(Action::FileDiff, words.diff)
                .filter(|_| preview.is_some_and(|p| p.files.iter().any(|f| !f.diff.is_empty()))),
            key(Action::GoalChoice, words.to_goal).filter(|_| preview.is_some_and(|p| p.goal.is_some())),
        ];
        parts::keys(&mut pen, last, &left, &[key(Action::Back, words.cancel)]);
        let inner = Rect { height: area.height - 1, ..area };
        let flow = self.body(model);
        let all = flow.rows(area.width).len();
        flow.draw(&mut pen, inner, self.scroll.top(all, usize::from(inner.height)));
        self.scroll.shown(all, inner)
    }

    fn drawn(&mut self, shown: Shown, at: Instant) {
        self.first.get_or_insert(at);
        self.scroll.was_drawn(shown);
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        match hit.action {
            Action::LineDown if self.step_to(model, true) => return Step::Stay,
            Action::LineUp if self.step_to(model, false) => return Step::Stay,
            _ if self.scroll.act(hit.action) => return Step::Stay,
            _ => {}
        }
        match hit.action {
            Action::RollbackDo => self.go(model, true),
            Action::RollbackNoFiles => self.go(model, false),
            Action::FileChoice => self.turn(model),
            Action::FileDiff => self.diff(model),
            Action::GoalChoice => self.turn_goal(model),
            _ => parts::not_here(model),
        }
    }

    fn told(&mut self, msg: &Msg, _model: &mut Model) -> Step {
        match msg {
            Msg::Preview(ticket, preview) if self.looking == Some(*ticket) => {
                self.looking = None;
                self.again(preview.clone());
                // What is new has to be looked at before it is agreed to.
                self.first = None;
            }
            Msg::Shot(shot) => {
                let head = shot.run.as_ref().filter(|v| v.state.run == self.run).map(|v| v.state.head.seq);
                let seen = self.preview().map(|preview| preview.seen);
                self.stale = head.zip(seen).is_some_and(|(head, seen)| head != seen);
            }
            _ => {}
        }
        Step::Stay
    }

    fn open(&mut self, model: &mut Model) -> Vec<Cmd> {
        self.look(model)
    }

    fn guards(&self) -> bool {
        true
    }
}
