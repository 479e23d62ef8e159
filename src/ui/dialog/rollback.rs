//! The preview of a rollback: what it undoes, what becomes of the files and the goal, what cannot be undone.
//!
//! Each file can be kept or taken against the default, the goal can go back too. What the preflight says holds for what
//! is chosen now; files that stay on the screen are sent as kept, so that what was shown is what happens.

mod body;

use super::flow::Flow;
use super::parts::{self, key};
use super::review::diff;
use super::scroll::Scroll;
use super::text::TextDialog;
use super::{Dialog, Shown, Step};
use crate::run::RunId;
use crate::run::control::{Control, RollbackChoices, StepRef};
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Cmd, FileBack, FileFate, Msg, Preview, Ticket};
use crate::ui::dialog::guard::Guard;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, one_line};
use crate::ui::view::paint::{Pen, row};
use crate::ui::words::faults::fault;
use ratatui::layout::Rect;
use std::collections::BTreeSet;
use std::time::Instant;

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
    first: Guard,
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
            first: Guard::default(),
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

    fn go(&mut self, model: &mut Model, files: bool) -> Step {
        let words = &model.words().rollback;
        let opened = !self.first.is_too_soon(model.clock.mono);
        let Some(preview) = self.preview() else { return Step::Say(words.looking.to_owned()) };
        if !opened {
            return Step::Say(model.words().review.too_soon.to_owned());
        }
        if let Some((file, why)) = self.blocked(preview).filter(|_| files) {
            let path = one_line(&file.path, Strength::Exact).shown();
            let why = one_line(&fault(model.look.lang, why), Strength::Prose).shown();
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
            // It stays where it is led back to until the person has looked.
            paused: true,
        };
        let seen_seq = preview.seen;
        if self.stale {
            return Step::Do(self.look(model));
        }
        let notes = &model.words().notes;
        let (on, back) =
            (model.key(live::RUN, Action::PauseToggle), model.key(live::RUN, Action::RollbackRedo));
        let control = Control::Rollback { to: self.to, files, seen_seq, choices };
        Step::Post { run: self.run.clone(), control, news: notes.rolling_back_paused(&on, &back) }
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

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
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
        let back = key(Action::Back, words.cancel).map(|key| key.or_short(words.cancel_short));
        parts::keys(&mut pen, last, &left, &[back]);
        let inner = Rect { height: area.height - 1, ..area };
        let flow = self.body(model);
        let all = flow.rows(area.width).len();
        flow.draw(&mut pen, inner, self.scroll.top(all, usize::from(inner.height)));
        self.scroll.shown(all, inner)
    }

    fn click(&mut self, _field: usize, row: usize, model: &mut Model) -> Step {
        if self.at == row {
            return self.diff(model);
        }
        self.at = row;
        Step::Stay
    }

    fn drawn(&mut self, shown: Shown, at: Instant) {
        self.first.drawn(at);
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
                self.first.begin_anew();
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

    fn covered(&mut self) {
        self.first.begin_anew();
    }

    fn guards(&self) -> bool {
        true
    }
}
