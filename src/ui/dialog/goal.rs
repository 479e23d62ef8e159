//! The goal editor, with the versions of the goal.

use super::flow::Flow;
use super::form::{Did, Entry, Field, Form};
use super::new_run::checks;
use super::parts::{self, key};
use super::{Dialog, Shown, Step};
use crate::run::RunId;
use crate::run::control::Control;
use crate::run::goal::Goal;
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Msg, Ticket};
use crate::ui::edit::Editor;
use crate::ui::feed::{Item, RunView};
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use crate::ui::words::numbers::hour_minute;
use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

const TEXT: usize = 0;
const CONSTRAINTS: usize = 1;
const CHECKS: usize = 2;
/// Most versions that are listed.
const VERSIONS: usize = 4;

/// The dialog.
#[derive(Debug)]
pub struct GoalDialog {
    run: RunId,
    form: Form,
    /// The goal and the version that the edit is made from.
    from: Goal,
    based_on: u32,
    /// The goal was edited elsewhere: the version now.
    moved: Option<u32>,
    outside: Option<Ticket>,
    problem: Option<String>,
}

impl GoalDialog {
    /// The editor with the goal in force; none if no run is shown.
    pub fn new(model: &Model) -> Option<Box<dyn Dialog>> {
        let path = &model.view()?.state.path;
        let (words, hints) = (&model.words().goal, &model.words().new_run);
        let goal = path.goal.clone();
        let checks: Vec<String> = goal.checks.iter().map(ToString::to_string).collect();
        let form = Form::new(vec![
            Field::new(words.text, Entry::Text(Editor::new(&goal.text)), hints.goal_hint),
            Field::new(
                words.constraints,
                Entry::List(Editor::new(&goal.constraints.join("\n"))),
                hints.constraint_hint,
            ),
            Field::new(words.checks, Entry::List(Editor::new(&checks.join("\n"))), hints.check_hint),
        ]);
        Some(Box::new(Self {
            run: model.run.clone()?,
            form,
            from: goal,
            based_on: path.goal_version,
            moved: None,
            outside: None,
            problem: None,
        }))
    }

    fn save(&mut self, model: &Model) -> Step {
        let words = &model.words().goal;
        if let Some(version) = self.moved.take() {
            // Said once; after that the person knows, and the edit replaces that version.
            self.based_on = version;
            self.problem = None;
            return Step::Say(words.changed_elsewhere.to_owned());
        }
        let text = self.form.text(TEXT).trim().to_owned();
        if text.is_empty() {
            self.problem = Some(words.empty.to_owned());
            self.form.focus(TEXT);
            return Step::Stay;
        }
        let checks = match checks(model, &self.form.entries(CHECKS)) {
            Ok(checks) => checks,
            Err(problem) => {
                self.problem = Some(problem);
                self.form.focus(CHECKS);
                return Step::Stay;
            }
        };
        let goal = Goal { text, constraints: self.form.entries(CONSTRAINTS), checks };
        if goal == self.from {
            return Step::Say(words.unchanged.to_owned());
        }
        Step::Post {
            run: self.run.clone(),
            control: Control::EditGoal { based_on: self.based_on, goal },
            news: model.words().notes.goal_saved.to_owned(),
        }
    }

    fn foot(&self, model: &Model) -> Flow {
        let mut foot = Flow::default();
        let (words, glyphs) = (&model.words().goal, model.look.glyphs);
        if self.moved.is_some() {
            foot.words(&format!("{} {}", glyphs.needs_you, words.changed_elsewhere), Role::Warn);
        }
        if let Some(problem) = &self.problem {
            foot.words(&format!("{} {problem}", glyphs.failed), Role::Danger);
        }
        let Some(view) = model.view() else { return foot };
        foot.words(words.versions, Role::Muted);
        for (version, at) in versions(model, view) {
            let now = version == view.state.path.goal_version;
            let sign = if now { glyphs.current } else { glyphs.open };
            let time = at.map_or(glyphs.unknown.to_owned(), |at| hour_minute(at, &model.look.zone));
            let what = match (now, version) {
                (true, _) => words.in_force,
                (false, 1) => words.first_version,
                (false, _) => "",
            };
            foot.words(
                &format!(" {sign} v{version}  {time}  {what}"),
                if now { Role::Goal } else { Role::Muted },
            );
        }
        foot
    }
}

/// Versions that are known with their times, the newest first.
fn versions(model: &Model, view: &RunView) -> Vec<(u32, Option<i64>)> {
    let state = &view.state;
    let read = model.transcript.steps.values().map(AsRef::as_ref).chain(std::iter::once(&view.open));
    let mut known: Vec<(u32, Option<i64>)> = read
        .flat_map(|step| &step.items)
        .filter_map(|item| {
            if let Item::Goal { version, at, .. } = item { Some((*version, Some(*at))) } else { None }
        })
        .collect();
    known.push((1, Some(state.ledger.created)));
    if !known.iter().any(|(version, _)| *version == state.path.goal_version) {
        known.push((state.path.goal_version, None));
    }
    known.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    known.dedup_by_key(|(version, _)| *version);
    known.truncate(VERSIONS);
    known
}

impl Dialog for GoalDialog {
    fn live(&self) -> &'static [Ctx] {
        live::FORM
    }

    fn title(&self, model: &Model) -> (String, String) {
        let from = u64::from(self.based_on);
        (model.words().goal.title(from + 1, from), String::new())
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        self.form.rows(width).saturating_add(self.foot(model).height(width)).saturating_add(1)
    }

    fn draw(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Shown {
        let mut pen = Pen { look: &model.look, buf };
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().goal;
        let last = row(area, usize::from(area.height - 1));
        let key = |action, words: &str| key(model, live::FORM, action, words);
        let step = model.view().map_or(1, |view| u64::from(view.state.path.step) + 1);
        let left = [key(Action::FieldNext, words.field), key(Action::TextSave, &words.use_from(step))];
        parts::keys(&mut pen, last, &left, &[key(Action::Back, model.words().ask.back)]);
        let foot = self.foot(model);
        let room = area.height - 1;
        let below = foot
            .height(area.width)
            .min(room.saturating_sub(self.form.rows(area.width)).max(room / 3))
            .min(room);
        let fields = Rect { height: room - below, ..area };
        let caret = self.form.draw(&mut pen, fields);
        foot.draw(&mut pen, Rect { y: fields.bottom(), height: below, ..area }, 0);
        Shown { end: true, rows: usize::from(fields.height), most: 0, caret }
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        if hit.action == Action::TextExternal {
            let Some(text) = self.form.editor().map(|editor| editor.text()) else {
                return parts::not_here(model);
            };
            let ticket = model.ticket();
            self.outside = Some(ticket);
            return Step::Outside(ticket, text, "goal.txt");
        }
        match self.form.act(hit) {
            Did::Save => self.save(model),
            Did::Changed => {
                self.problem = None;
                Step::Stay
            }
            Did::Left(_) | Did::Nothing => Step::Stay,
        }
    }

    fn key(&mut self, key: &KeyEvent, _model: &mut Model) -> Step {
        if self.form.key(key) == Did::Changed {
            self.problem = None;
        }
        Step::Stay
    }

    fn paste(&mut self, text: &str, _model: &mut Model) -> Step {
        self.form.paste(text);
        Step::Stay
    }

    fn told(&mut self, msg: &Msg, _model: &mut Model) -> Step {
        match msg {
            Msg::Shot(shot) => {
                let view = shot.run.as_ref().filter(|view| view.state.run == self.run);
                self.moved =
                    view.map(|view| view.state.path.goal_version).filter(|now| *now != self.based_on);
            }
            Msg::Edited(ticket, edited) if self.outside == Some(*ticket) => {
                self.outside = None;
                if let Some(editor) = self.form.editor() {
                    return parts::edited(edited, editor);
                }
            }
            _ => {}
        }
        Step::Stay
    }
}
