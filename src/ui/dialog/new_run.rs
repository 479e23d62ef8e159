//! The form of a new run.

use super::flow::Flow;
use super::form::{Did, Entry, Field, Form};
use super::outside::Outside;
use super::parts::{self, KeyWords, key};
use super::{Dialog, Shown, Step, limits_line};
use crate::context::goal_room_of;
use crate::run::goal::{Check, Goal};
use crate::run::settings::Mode;
use crate::ui::app::model::{Drafts, Model};
use crate::ui::app::msg::{Cmd, FoundModel, Msg, NewRun, Place, Ticket};
use crate::ui::edit::Editor;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, one_line};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use crate::ui::words::numbers::grouped;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use std::path::PathBuf;

const GOAL: usize = 0;
const CONSTRAINTS: usize = 1;
const CHECKS: usize = 2;
const WORKSPACE: usize = 3;
const MODEL: usize = 4;
const APPROVAL: usize = 5;
const LIMITS: usize = 6;

/// The approval modes, in the order of the form.
const MODES: [Mode; 3] = [Mode::Ask, Mode::Safe, Mode::Auto];

/// Most warnings of checks that are shown.
const MISSING: usize = 3;

/// The dialog.
#[derive(Debug)]
pub struct NewRunForm {
    form: Form,
    /// The models, in the order of the form.
    models: Vec<FoundModel>,
    /// What was written when the folder was looked at last, and what was found.
    place: Option<(String, Place)>,
    /// The look under way, and what was written then.
    looking: Option<(Ticket, String)>,
    /// The run is to begin as soon as its folder was looked at.
    begins: bool,
    starting: Option<Ticket>,
    /// The person gave it up.
    given_up: bool,
    outside: Outside,
    /// What is wrong, neutral.
    problem: Option<String>,
}

impl NewRunForm {
    /// An empty form for the present folder.
    pub fn new(model: &Model) -> Box<dyn Dialog> {
        let words = &model.words().new_run;
        let lang = model.look.lang;
        let models = model.found.models.clone();
        let names = models.iter().map(|found| described(model, found)).collect();
        let modes = MODES.iter().map(|mode| lang.mode(*mode).to_owned()).collect();
        let here = model.found.here.to_string_lossy();
        let (mode, limits) = (model.found.mode, &model.found.limits);
        let mode_at = MODES.iter().position(|known| *known == mode).unwrap_or(0);
        let limits = Editor::new(&model.look.own(limits_line::shown(limits, lang)));
        let mut form = Form::new(vec![
            Field::new(words.goal, Entry::Text(Editor::default()), words.goal_hint),
            Field::new(words.constraints, Entry::List(Editor::default()), words.constraint_hint),
            Field::new(words.checks, Entry::List(Editor::default()), words.check_hint),
            Field::new(words.workspace, Entry::Line(Editor::new(&here)), ""),
            Field::new(words.model, Entry::Choice(names, 0), ""),
            Field::new(words.approval, Entry::Choice(modes, mode_at), ""),
            Field::new(words.limits, Entry::Line(limits), ""),
        ]);
        if let Some(draft) = &model.drafts.new_run {
            form.put(draft);
        }
        Box::new(Self {
            form,
            models,
            place: None,
            looking: None,
            begins: false,
            starting: None,
            given_up: false,
            outside: Outside::default(),
            problem: model.drafts.not_started.clone(),
        })
    }

    fn look(&mut self, model: &mut Model) -> Vec<Cmd> {
        let ticket = model.ticket();
        let typed = self.form.text(WORKSPACE);
        self.looking = Some((ticket, typed.clone()));
        // What cannot be read as a check is said when the run is to begin.
        let checks = self.form.entries(CHECKS).iter().filter_map(|text| text.parse().ok()).collect();
        vec![Cmd::Place(ticket, PathBuf::from(typed), checks)]
    }

    /// What was sent is not changed any more: says so while it is on its way.
    fn is_sent(&self, model: &Model) -> Option<Step> {
        self.starting?;
        Some(Step::Say(model.words().new_run.sent(&model.key(live::FORM, Action::Back))))
    }

    fn start(&mut self, model: &mut Model) -> Step {
        self.begins = false;
        let words = &model.words().new_run;
        let text = self.form.text(GOAL);
        if text.trim().is_empty() {
            self.problem = Some(words.goal_missing.to_owned());
            self.form.focus(GOAL);
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
        let goal = Goal { text: text.trim().to_owned(), constraints: self.form.entries(CONSTRAINTS), checks };
        let limits = match limits_line::read(&self.form.text(LIMITS), &model.found.limits) {
            Ok(limits) => limits,
            Err(part) => {
                self.problem = Some(words.bad_limit(&one_line(&part, Strength::Exact).shown()));
                self.form.focus(LIMITS);
                return Step::Stay;
            }
        };
        let workspace = match self.workspace() {
            Some(place) => match &place.problem {
                None => place.path.clone(),
                Some(problem) => {
                    let problem = one_line(problem, Strength::Prose).shown();
                    self.problem = Some(model.look.lang.label(words.workspace, &problem));
                    self.form.focus(WORKSPACE);
                    return Step::Stay;
                }
            },
            // A run begins in the folder that is written, and in no other: it is looked at first.
            None => {
                self.begins = true;
                self.problem = None;
                return Step::Do(self.look(model));
            }
        };
        let profile = self.models.get(self.form.chosen(MODEL)).map(|found| found.profile.clone());
        let mode = MODES.get(self.form.chosen(APPROVAL)).copied().filter(|mode| *mode != model.found.mode);
        let ticket = model.starts();
        self.starting = Some(ticket);
        self.given_up = false;
        self.problem = None;
        let new = NewRun { goal, workspace, model: profile, mode, limits };
        Step::Do(vec![Cmd::Start(ticket, Box::new(new))])
    }

    /// The folder that is written, if it was looked at.
    fn workspace(&self) -> Option<&Place> {
        let (typed, place) = self.place.as_ref()?;
        (*typed == self.form.text(WORKSPACE)).then_some(place)
    }

    /// Writes the limits as they are understood: what was left out of the line stays in force, and is seen to.
    fn show_limits(&mut self, model: &Model) {
        let old = &model.found.limits;
        let Ok(patch) = limits_line::read(&self.form.text(LIMITS), old) else { return };
        let text = model.look.own(limits_line::shown(&patch.apply(old), model.look.lang));
        if let Some(Field { entry: Entry::Line(editor), .. }) = self.form.fields.get_mut(LIMITS)
            && editor.text() != text
        {
            editor.set(&text);
        }
    }

    fn foot(&self, model: &Model) -> Flow {
        let mut foot = Flow::default();
        let window = self.models.get(self.form.chosen(MODEL)).and_then(|found| found.window);
        foot.too_large(model, self.form.tokens(&[GOAL, CONSTRAINTS, CHECKS]), window.map(goal_room_of));
        if let Some(problem) = &self.problem {
            foot.problem(model, problem);
        } else if self.starting.is_some() || self.begins {
            for (words, role) in super::starting::lines(model) {
                foot.words(&words, role);
            }
        } else {
            let missing = self.place.iter().flat_map(|(_, place)| &place.missing);
            for name in missing.take(MISSING) {
                let name = one_line(name, Strength::Exact).shown();
                let text = model.words().new_run.check_file_missing(&name);
                foot.words(&format!("{} {text}", model.look.glyphs.needs_you), Role::Warn);
            }
            if foot.is_empty() {
                foot.blank();
            }
        }
        foot
    }

    fn did(&mut self, did: Did, model: &mut Model) -> Step {
        match did {
            Did::Nothing => Step::Stay,
            Did::Changed => {
                self.problem = None;
                self.begins = false;
                Step::Stay
            }
            Did::Left(WORKSPACE) => {
                self.place = None;
                Step::Do(self.look(model))
            }
            Did::Left(CHECKS) => Step::Do(self.look(model)),
            Did::Left(LIMITS) => {
                self.show_limits(model);
                Step::Stay
            }
            Did::Left(_) | Did::Open(_) => Step::Stay,
            Did::Save => self.start(model),
        }
    }
}

/// Checks as they are written; what cannot be read is named.
pub(super) fn checks(model: &Model, entries: &[String]) -> Result<Vec<Check>, String> {
    let read = |text: &String| {
        text.parse().map_err(|_| model.words().new_run.bad_check(&one_line(text, Strength::Exact).shown()))
    };
    entries.iter().map(read).collect()
}

/// `qwen3-32b @ vllm.lan   32,768`, neutral.
fn described(model: &Model, found: &FoundModel) -> String {
    let words = &model.words().new_run;
    if found.place.is_empty() {
        return words.offline.to_owned();
    }
    let window = found.window.map(|window| format!("   {}", words.window(&grouped(u64::from(window)))));
    let name = one_line(&format!("{} @ {}", found.model, found.place), Strength::Exact).shown();
    format!("{name}{}", window.unwrap_or_default())
}

impl Dialog for NewRunForm {
    fn live(&self) -> &'static [Ctx] {
        live::FORM
    }

    fn title(&self, model: &Model) -> (String, String) {
        (model.words().new_run.title.to_owned(), String::new())
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        self.form.rows(width).saturating_add(self.foot(model).height(width)).saturating_add(1)
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().new_run;
        let last = row(area, usize::from(area.height - 1));
        let key = |action, words: &str| key(model, live::FORM, action, words);
        let left = [
            key(Action::FieldNext, words.field),
            key(Action::TextSave, words.start),
            key(Action::TextNewline, words.new_line).map(KeyWords::aside),
        ];
        parts::keys(
            &mut pen,
            last,
            &left,
            &[key(Action::Back, words.keep_draft).map(|key| key.or_short(model.words().ask.back))],
        );
        self.form.draw_over(&self.foot(model), area, &mut pen)
    }

    fn click(&mut self, field: usize, row: usize, model: &mut Model) -> Step {
        if let Some(step) = self.is_sent(model) {
            return step;
        }
        let did = self.form.click(field, row);
        self.did(did, model)
    }

    fn by_key(&self, action: Action) -> bool {
        matches!(action, Action::TextSave)
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        if let Some(step) = self.is_sent(model) {
            return step;
        }
        if hit.action == Action::TextExternal {
            let Some(editor) = self.form.editor() else { return parts::not_here(model) };
            return self.outside.send(model, editor.text(), "goal.txt");
        }
        let did = self.form.act(hit);
        self.did(did, model)
    }

    fn key(&mut self, key: &KeyEvent, model: &mut Model) -> Step {
        if let Some(step) = self.is_sent(model) {
            return step;
        }
        let did = self.form.key(key);
        self.did(did, model)
    }

    fn paste(&mut self, text: &str, model: &mut Model) -> Step {
        if let Some(step) = self.is_sent(model) {
            return step;
        }
        self.form.paste(text);
        self.problem = None;
        self.begins = false;
        Step::Stay
    }

    fn told(&mut self, msg: &Msg, model: &mut Model) -> Step {
        match msg {
            Msg::Place(ticket, place) if self.looking.as_ref().is_some_and(|(asked, _)| asked == ticket) => {
                let typed = self.looking.take().map(|(_, typed)| typed).unwrap_or_default();
                let words = &model.words().new_run;
                let note = match (&place.problem, place.git) {
                    (Some(problem), _) => one_line(problem, Strength::Prose).shown(),
                    (None, Some(0)) => words.git_clean.to_owned(),
                    (None, Some(files)) => words.git_changed(files),
                    (None, None) => String::new(),
                };
                if let Some(field) = self.form.fields.get_mut(WORKSPACE) {
                    field.note = note;
                }
                self.place = Some((typed, place.clone()));
                if self.begins {
                    return self.start(model);
                }
            }
            Msg::Started(ticket, started) if self.starting == Some(*ticket) => {
                self.starting = None;
                match started {
                    Ok(_) => {
                        model.drafts.new_run = None;
                        return Step::Close(Vec::new());
                    }
                    Err(_) if self.given_up => {
                        self.problem = Some(model.words().new_run.given_up.to_owned());
                    }
                    Err(why) => {
                        let why = one_line(&model.look.lang.trouble(why), Strength::Prose).shown();
                        self.problem = Some(model.words().new_run.not_started(&why));
                    }
                }
            }
            Msg::Found(found) => {
                // What the person chose stays chosen.
                let chosen = self.models.get(self.form.chosen(MODEL)).map(|found| found.profile.clone());
                self.models.clone_from(&found.models);
                let at =
                    self.models.iter().position(|found| Some(&found.profile) == chosen.as_ref()).unwrap_or(0);
                let names = self.models.iter().map(|found| described(model, found)).collect();
                if let Some(field) = self.form.fields.get_mut(MODEL) {
                    field.entry = Entry::Choice(names, at);
                }
            }
            Msg::Edited(..) => {
                if let Some(step) = self.outside.back(msg, self.form.editor()) {
                    self.did(Did::Changed, model);
                    return step;
                }
            }
            _ => {}
        }
        Step::Stay
    }

    fn open(&mut self, model: &mut Model) -> Vec<Cmd> {
        self.look(model)
    }

    fn back(&mut self, model: &mut Model) -> Option<Vec<Cmd>> {
        self.begins = false;
        let ticket = self.starting.and(model.gives_up())?;
        self.given_up = true;
        Some(vec![Cmd::GiveUp(ticket)])
    }

    fn leave(&mut self, model: &mut Model) -> Option<String> {
        self.put_down(&mut model.drafts);
        model.drafts.new_run.as_ref().map(|_| model.words().notes.draft_kept.to_owned())
    }

    fn at_file(&self, _model: &Model) -> Option<(PathBuf, (usize, String))> {
        if self.starting.is_some() {
            return None;
        }
        let place = self.workspace().filter(|place| place.problem.is_none())?;
        Some((place.path.clone(), self.form.at_word()?))
    }

    fn editor(&mut self) -> Option<&mut Editor> {
        if self.starting.is_some() {
            return None;
        }
        self.problem = None;
        self.form.editor()
    }

    fn put_down(&self, drafts: &mut Drafts) {
        let written =
            [GOAL, CONSTRAINTS, CHECKS].iter().any(|field| !self.form.text(*field).trim().is_empty());
        drafts.new_run = written.then(|| self.form.draft());
    }
}
