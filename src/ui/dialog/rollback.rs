//! The preview of a rollback: what it undoes, what becomes of the files, what cannot be undone.

use super::flow::{Flow, Scroll};
use super::parts::{self, key};
use super::text::TextDialog;
use super::{Dialog, Shown, Step};
use crate::run::RunId;
use crate::run::control::{Control, StepRef};
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Cmd, FileFate, Msg, Preview, Ticket};
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Align, Line, Strength, Wrap, fit, one_line, width};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::{Duration, Instant};

/// How long the keys are dead after the first frame.
const DEAD: Duration = Duration::from_millis(300);

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
        })
    }

    fn look(&mut self, model: &mut Model) -> Vec<Cmd> {
        let ticket = model.ticket();
        self.looking = Some(ticket);
        self.stale = false;
        vec![Cmd::Preview(ticket, self.run.clone(), self.to)]
    }

    fn preview(&self) -> Option<&Preview> {
        self.preview.as_ref()?.as_ref().ok().map(Box::as_ref)
    }

    fn body(&self, model: &Model) -> Flow {
        let mut flow = Flow::default();
        let (words, glyphs) = (&model.words().rollback, model.look.glyphs);
        if self.stale {
            flow.words(&format!("{} {}", glyphs.needs_you, words.gone_on), Role::Warn);
        }
        let preview = match &self.preview {
            None => {
                flow.words(words.looking, Role::Muted);
                return flow;
            }
            Some(Err(why)) => {
                flow.words(&words.refused(&one_line(why, Strength::Prose).shown()), Role::Danger);
                return flow;
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
        let label = [words.files, words.goal].iter().map(|text| width(text)).max().unwrap_or(0) + 2;
        files(model, preview, label, &mut flow);
        if let Some(view) = model.view() {
            let stays = words.goal_stays(u64::from(view.state.path.goal_version));
            let calls = preview.cancelled as u64;
            let calls =
                if calls > 0 { format!(" {} {}", glyphs.dot, words.cancelled(calls)) } else { String::new() };
            flow.labelled(words.goal, label, Line::plain(format!("{stays}{calls}")), Role::Base);
        }
        if preview.effects.is_empty() {
            flow.words(words.nothing_lasting, Role::Muted);
        } else {
            flow.words(words.cannot_undo, Role::Warn);
            for effect in &preview.effects {
                flow.guttered("  ", "  ", one_line(effect, Strength::Prose), Role::Base, Wrap::Words);
            }
        }
        match &preview.blocked {
            Some(why) => {
                let why = one_line(why, Strength::Prose).shown();
                flow.words(
                    &format!("{} {}", glyphs.failed, model.look.lang.label(words.preflight_failed, &why)),
                    Role::Danger,
                );
            }
            None => {
                let changed = preview.files.iter().filter(|file| file.what != FileFate::Keep).count() as u64;
                let redo = model.key(live::RUN, Action::RollbackRedo);
                let ok = format!(
                    "{} {} {} {}",
                    glyphs.done,
                    words.preflight_ok(changed),
                    glyphs.dot,
                    words.takes_back(&redo)
                );
                flow.words(&ok, Role::Ok);
            }
        }
        flow
    }

    fn go(&mut self, model: &mut Model, files: bool) -> Step {
        let words = &model.words().rollback;
        let opened = self.first.is_some_and(|at| model.clock.mono.saturating_duration_since(at) >= DEAD);
        let Some(preview) = self.preview() else { return Step::Say(words.looking.to_owned()) };
        if !opened {
            return Step::Say(model.words().review.too_soon.to_owned());
        }
        if let Some(why) = preview.blocked.as_ref().filter(|_| files) {
            return Step::Say(words.refused(&one_line(why, Strength::Prose).shown()));
        }
        let seen_seq = preview.seen;
        if self.stale {
            return Step::Do(self.look(model));
        }
        Step::Post {
            run: self.run.clone(),
            control: Control::Rollback { to: self.to, files, seen_seq },
            news: model.words().notes.rolling_back.to_owned(),
        }
    }
}

fn files(model: &Model, preview: &Preview, label: usize, flow: &mut Flow) {
    let (words, glyphs) = (&model.words().rollback, model.look.glyphs);
    if preview.files.is_empty() {
        flow.labelled(words.files, label, Line::plain(words.no_files), Role::Base);
        return;
    }
    let fate = |what| match what {
        FileFate::Restore => (words.restore, glyphs.about, Role::Base),
        FileFate::Remove => (words.remove, glyphs.minus, Role::Del),
        FileFate::Keep => (words.keep, "=", Role::Muted),
    };
    let all = [words.restore, words.remove, words.keep];
    let cells = all.iter().map(|text| width(text)).max().unwrap_or(0) + 2;
    for (nth, file) in preview.files.iter().enumerate() {
        let (what, sign, role) = fate(file.what);
        let head = if nth == 0 { words.files } else { "" };
        let head = fit(head, label, Align::Left, glyphs.ellipsis);
        let first = format!("{head}{}{sign} ", fit(what, cells, Align::Left, glyphs.ellipsis));
        let path = one_line(&file.path, Strength::Exact);
        flow.guttered(&first, &" ".repeat(width(&first)), path, role, Wrap::Cells);
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

    fn draw(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Shown {
        let mut pen = Pen { look: &model.look, buf };
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().rollback;
        let key = |action, words: &str| key(model, live::ROLL, action, words);
        let last = row(area, usize::from(area.height - 1));
        let preview = self.preview();
        let free = preview.is_some_and(|preview| preview.blocked.is_none());
        let left = [
            key(Action::RollbackDo, words.roll_back).map(|key| key.dead_unless(free)),
            key(Action::RollbackNoFiles, words.without_files).map(|key| key.dead_unless(preview.is_some())),
            key(Action::FileDiff, words.diff)
                .filter(|_| preview.is_some_and(|p| p.files.iter().any(|f| !f.diff.is_empty()))),
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
        if self.scroll.act(hit.action) {
            return Step::Stay;
        }
        match hit.action {
            Action::RollbackDo => self.go(model, true),
            Action::RollbackNoFiles => self.go(model, false),
            Action::FileDiff => {
                let diffs: Vec<&str> = self
                    .preview()
                    .iter()
                    .flat_map(|p| &p.files)
                    .map(|f| f.diff.as_str())
                    .filter(|d| !d.is_empty())
                    .collect();
                match diffs.is_empty() {
                    true => Step::Say(model.words().rollback.no_files.to_owned()),
                    false => Step::Open(TextDialog::plain(model.words().ask.diff_title, diffs.join("\n"))),
                }
            }
            _ => parts::not_here(model),
        }
    }

    fn told(&mut self, msg: &Msg, _model: &mut Model) -> Step {
        match msg {
            Msg::Preview(ticket, preview) if self.looking == Some(*ticket) => {
                self.looking = None;
                self.preview = Some(preview.clone());
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
