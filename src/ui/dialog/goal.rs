//! The goal editor, with the versions of the goal.
//!
//! What was written stays as a draft when the editor is left. Where the text lost a number that a check or a constraint
//! still has, that is said, and one key changes it there too.

mod numbers;

use super::flow::Flow;
use super::form::{Did, Entry, Field, Form};
use super::new_run::checks;
use super::outside::Outside;
use super::parts::{self, key};
use super::review::diff;
use super::text::TextDialog;
use super::{Dialog, Shown, Step};
use crate::run::RunId;
use crate::run::control::Control;
use crate::run::goal::Goal;
use crate::ui::app::complete::workspace;
use crate::ui::app::model::{Drafts, Model};
use crate::ui::app::msg::{Cmd, GoalVersion, Msg, Ticket};
use crate::ui::edit::Editor;
use crate::ui::feed::{ComingGoal, RunView, coming_goals};
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, one_line};
use crate::ui::theme::Role;
use crate::ui::view::goal::check_sign;
use crate::ui::view::paint::{Pen, row};
use crate::ui::words::capital;
use crate::ui::words::numbers::hour_minute;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use std::path::PathBuf;

const TEXT: usize = 0;
const CONSTRAINTS: usize = 1;
const CHECKS: usize = 2;
/// Most versions that are listed.
const VERSIONS: usize = 6;

/// The dialog.
#[derive(Debug)]
pub struct GoalDialog {
    run: RunId,
    form: Form,
    /// The goal and the version that the edit is made from.
    from: Goal,
    based_on: u32,
    /// The goal was edited elsewhere: the version now, which was not looked at.
    moved: Option<u32>,
    /// The version of which it was said that it would be replaced unseen.
    warned: Option<u32>,
    /// It began with a goal that was sent and not taken.
    returned: bool,
    /// The newest version for which the versions were read.
    read_for: u32,
    outside: Outside,
    problem: Option<String>,
    /// The versions, newest first, once they are read.
    versions: Vec<GoalVersion>,
    /// Those that the run has not read yet, newest first.
    coming: Vec<GoalVersion>,
    /// The version on its way that the edit was made from, once it was refused.
    not_taken: Option<u32>,
    asked: Option<Ticket>,
    /// A number that the text lost and that is still elsewhere: it has a field of its own, after the checks.
    contrary: Option<Contrary>,
}

/// A number that the text lost.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Contrary {
    /// The field that still has it.
    field: usize,
    old: String,
    new: Option<String>,
}

impl GoalDialog {
    /// The editor with the goal in force; none if no run is shown.
    pub fn new(model: &Model) -> Option<Box<dyn Dialog>> {
        let view = model.view()?;
        let (words, hints) = (&model.words().goal, &model.words().new_run);
        let coming = on_their_way(view);
        // What is on its way will be in force when this edit is read.
        let goal = coming.first().map_or(&view.state.path.goal, |one| &one.goal).clone();
        let checks: Vec<String> = goal.checks.iter().map(ToString::to_string).collect();
        let form = Form::new(vec![
            Field::new(words.text, Entry::Text(Editor::new(&goal.text)), hints.goal_hint),
            Field::new(
                words.constraints,
                Entry::List(Editor::new(&goal.constraints.join("\n"))),
                hints.constraint_hint,
            ),
            Field::new(words.checks, Entry::List(Editor::new(&checks.join("\n"))), hints.check_hint),
            Field::new(words.versions, Entry::Rows(Vec::new(), 0), ""),
        ]);
        let mut editor = Self {
            run: model.run.clone()?,
            form,
            from: goal,
            based_on: newest(view, &coming),
            moved: None,
            warned: None,
            returned: false,
            read_for: view.state.path.goal_version,
            outside: Outside::default(),
            problem: None,
            versions: Vec::new(),
            coming,
            not_taken: None,
            asked: None,
            contrary: None,
        };
        editor.list(model);
        let drafts = &model.drafts;
        if let Some((based_on, draft)) =
            drafts.goals.get(&editor.run).or_else(|| drafts.returned.get(&editor.run))
        {
            editor.returned = !drafts.goals.contains_key(&editor.run);
            editor.form.put(draft);
            editor.moved = (*based_on != editor.based_on).then_some(editor.based_on);
            editor.based_on = *based_on;
            editor.compare(model);
        }
        Some(Box::new(editor))
    }

    /// The goal as it is written now; checks that cannot be read are left out.
    fn written(&self) -> Goal {
        let checks = self.form.entries(CHECKS).iter().filter_map(|text| text.parse().ok()).collect();
        Goal {
            text: self.form.text(TEXT).trim().to_owned(),
            constraints: self.form.entries(CONSTRAINTS),
            checks,
        }
    }

    /// Looks for numbers that the text lost and that are still elsewhere.
    fn compare(&mut self, model: &Model) {
        let gone = numbers::changed(&self.from.text, &self.form.text(TEXT));
        let found = gone.into_iter().find_map(|number| {
            let has = |field: &usize| numbers::has(&self.form.text(*field), &number.old);
            let field = [CHECKS, CONSTRAINTS].into_iter().find(has)?;
            Some(Contrary { field, old: number.old, new: number.new })
        });
        if found == self.contrary {
            return;
        }
        if self.contrary.take().is_some() {
            self.form.remove(CHECKS + 1);
        }
        let Some(found) = found else { return };
        let words = &model.words().goal;
        let (new, old) = (found.new.as_deref(), found.old.as_str());
        let text = match (new, found.field) {
            (Some(new), CHECKS) => words.disagrees(new, old),
            (Some(new), _) => words.disagrees_constraint(new, old),
            (None, CHECKS) => words.still_in_check(old),
            (None, _) => words.still_in_constraint(old),
        };
        let key = model.key(live::FORM, Action::TextSubmit);
        let cure = new.map(|_| format!("   {}", model.look.lang.label(&key, words.change_too)));
        let row = format!("{} {text}{}", model.look.glyphs.needs_you, cure.unwrap_or_default());
        self.form.insert(CHECKS + 1, Field::new("", Entry::Rows(vec![row], 0), ""));
        self.contrary = Some(found);
    }

    /// Changes the number there too.
    fn change_too(&mut self, model: &Model) {
        let Some(Contrary { field, old, new: Some(new) }) = self.contrary.clone() else { return };
        let text = numbers::replaced(&self.form.text(field), &old, &new);
        self.form.focus(field);
        if let Some(editor) = self.form.editor() {
            editor.set(&text);
        }
        self.compare(model);
    }

    /// What became of a key in the form.
    fn did(&mut self, did: Did, model: &mut Model) -> Step {
        match did {
            Did::Save => return self.save(model),
            Did::Changed => {
                self.problem = None;
                self.compare(model);
            }
            Did::Open(_) if self.contrary.is_some() && self.form.focused() == CHECKS + 1 => {
                self.change_too(model);
            }
            Did::Open(nth) => {
                let chosen = self.listed().nth(nth);
                let chosen = chosen.map(|version| (self.difference(model, version), version.version));
                if let Some((difference, version)) = chosen {
                    if self.moved == Some(version) {
                        // It was looked at: the edit is made from it now.
                        (self.based_on, self.moved) = (version, None);
                        self.list(model);
                    }
                    return Step::Open(difference);
                }
            }
            Did::Left(_) | Did::Nothing => {}
        }
        Step::Stay
    }

    /// What a version and the text as it is written differ in.
    fn difference(&self, model: &Model, version: &GoalVersion) -> Box<dyn Dialog> {
        let words = &model.words().goal;
        let old = lines(&version.goal);
        let new = lines(&self.written());
        let diff = similar::TextDiff::from_lines(&old, &new).unified_diff().context_radius(50).to_string();
        let mut flow = Flow::default();
        if diff.is_empty() {
            flow.words(words.same, Role::Muted);
        }
        diff::add(model, &diff, &mut flow);
        TextDialog::flow(words.compared(u64::from(version.version)), "", flow)
    }

    fn read_versions(&mut self, model: &mut Model) -> Vec<Cmd> {
        let ticket = model.ticket();
        self.asked = Some(ticket);
        vec![Cmd::Goals(ticket, self.run.clone())]
    }

    /// All versions, newest first, those before them that are on their way.
    fn listed(&self) -> impl Iterator<Item = &GoalVersion> {
        let read = self.versions.first().map_or(0, |version| version.version);
        self.coming.iter().filter(move |one| one.version > read).chain(&self.versions)
    }

    /// Puts the versions into their field.
    fn list(&mut self, model: &Model) {
        let now = model.view().map_or(0, |view| view.state.path.goal_version);
        let all: Vec<&GoalVersion> = self.listed().collect();
        let row = |(nth, version): (usize, &&GoalVersion)| {
            let (before, unseen) = (all.get(nth + 1).copied(), version.version > self.based_on);
            shown_version(model, version, before, now, unseen)
        };
        let rows = all.iter().enumerate().take(VERSIONS).map(row).collect();
        if let Some(Field { entry: Entry::Rows(all, _), .. }) = self.form.fields.last_mut() {
            *all = rows;
        }
        if let Some((field, view)) = self.form.fields.get_mut(CHECKS).zip(model.view()) {
            let all = view.state.path.goal.checks.iter().enumerate();
            let sign = |index| check_sign(view, index, model.look.glyphs).0;
            field.signs = all.map(|(index, check)| (check.to_string(), sign(index))).collect();
        }
    }

    fn save(&mut self, model: &mut Model) -> Step {
        let words = &model.words().goal;
        if let Some(version) = self.moved {
            self.problem = None;
            if self.warned != Some(version) {
                // Said once, with the new version ready to be looked at; after that the person wants to replace it.
                self.warned = Some(version);
                self.form.focus(self.form.fields.len());
                if let Some(Field { entry: Entry::Rows(_, at), .. }) = self.form.fields.last_mut() {
                    *at = 0;
                }
                let key = |action| model.key(live::FORM, action);
                let (look, save) = (key(Action::TextSubmit), key(Action::TextSave));
                return Step::Say(words.replaces(u64::from(version), &look, &save));
            }
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
        model.drafts.goals.remove(&self.run);
        Step::Post {
            run: self.run.clone(),
            control: Control::EditGoal { based_on: self.moved.unwrap_or(self.based_on), goal },
            news: in_force(model),
        }
    }

    fn foot(&self, model: &Model) -> Flow {
        let mut foot = Flow::default();
        let (words, glyphs) = (&model.words().goal, model.look.glyphs);
        if let Some(one) = self.coming.first() {
            let by = one_line(&model.look.lang.author(&one.by), Strength::Prose).shown();
            let time = hour_minute(one.at, &model.look.zone);
            let said = words.on_its_way(u64::from(one.version), &by, &time);
            let from = if self.based_on == one.version { words.made_from_it } else { "" };
            foot.words(&format!("{} {said} {from}", glyphs.needs_you), Role::Warn);
        }
        if let Some(version) = self.not_taken {
            let said = words.not_taken(u64::from(version), u64::from(self.based_on));
            foot.words(&format!("{} {said}", glyphs.needs_you), Role::Warn);
        }
        if self.moved.is_some() {
            foot.words(&format!("{} {}", glyphs.needs_you, words.changed_elsewhere), Role::Warn);
        }
        foot.too_large(model, self.form.tokens(&[TEXT, CONSTRAINTS, CHECKS]), model.goal_room());
        if let Some(problem) = &self.problem {
            foot.problem(model, problem);
        }
        foot
    }
}

/// The versions that the run has not read yet, newest first.
fn on_their_way(view: &RunView) -> Vec<GoalVersion> {
    let version = |one: ComingGoal<'_>| GoalVersion {
        version: one.version,
        at: one.at,
        by: one.by.clone(),
        step: view.state.path.step,
        goal: one.goal.clone(),
    };
    coming_goals(&view.state, &view.coming).into_iter().rev().map(version).collect()
}

/// The newest version, whether it is in force or on its way.
fn newest(view: &RunView, coming: &[GoalVersion]) -> u32 {
    coming.first().map_or(view.state.path.goal_version, |one| one.version)
}

/// A goal as lines of text.
fn lines(goal: &Goal) -> String {
    let constraints = goal.constraints.iter().map(|text| format!("- {text}"));
    let checks = goal.checks.iter().map(ToString::to_string);
    let all = goal.text.lines().map(str::to_owned).chain(constraints).chain(checks);
    all.map(|line| line + "\n").collect()
}

/// `● v2  13:24  you   + "API unchanged"   in force since step 8`, neutral.
fn shown_version(
    model: &Model,
    version: &GoalVersion,
    before: Option<&GoalVersion>,
    in_force: u32,
    unseen: bool,
) -> String {
    let (words, glyphs) = (&model.words().goal, model.look.glyphs);
    let (now, comes) = (version.version == in_force, version.version > in_force);
    let sign = if now { glyphs.current } else { glyphs.open };
    let time = hour_minute(version.at, &model.look.zone);
    let who = one_line(&model.look.lang.author(&version.by), Strength::Prose).shown();
    let what = match before {
        None => words.first_version.to_owned(),
        Some(before) => change(model, &before.goal, &version.goal),
    };
    let unused = model.ended_at().is_some_and(|ended| ended < version.at);
    let since = match (now, comes) {
        (true, _) if unused => format!("   {}", words.not_used),
        (true, _) => format!("   {}", words.since(u64::from(version.step))),
        (false, true) => format!("   {}", words.not_read),
        (false, false) => String::new(),
    };
    let new = if unseen { format!("{} {}   ", glyphs.needs_you, words.not_looked_at) } else { String::new() };
    format!("{sign} v{}  {time}  {who}   {new}{what}{since}", version.version)
}

/// The first thing that differs between two goals, in words, neutral.
fn change(model: &Model, old: &Goal, new: &Goal) -> String {
    let words = &model.words().goal;
    let entries = |goal: &Goal| -> Vec<String> {
        goal.constraints.iter().cloned().chain(goal.checks.iter().map(ToString::to_string)).collect()
    };
    let (before, after) = (entries(old), entries(new));
    let shown = |text: &String| one_line(text, Strength::Prose).shown();
    let added = after.iter().find(|one| !before.contains(one)).map(|one| words.added(&shown(one)));
    let removed = before.iter().find(|one| !after.contains(one)).map(|one| words.removed(&shown(one)));
    match (old.text != new.text, added.or(removed)) {
        (true, _) => words.text_changed.to_owned(),
        (false, Some(entry)) => entry,
        (false, None) => words.reordered.to_owned(),
    }
}

/// From when the new goal is in force; of a run that is over what lets it go on, as no step is about to come.
fn in_force(model: &Model) -> String {
    let notes = &model.words().notes;
    match model.ended_at() {
        Some(_) => notes.goal_ended(&model.key(live::RUN, Action::Message)),
        None => notes.goal_from(model.next_request_step()),
    }
}

impl Dialog for GoalDialog {
    fn live(&self) -> &'static [Ctx] {
        live::FORM
    }

    fn title(&self, model: &Model) -> (String, String) {
        let from = u64::from(self.based_on);
        let now = u64::from(self.moved.unwrap_or(self.based_on));
        (model.words().goal.title(now + 1, from), String::new())
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        self.form.rows(width).saturating_add(self.foot(model).height(width)).saturating_add(1)
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().goal;
        let last = row(area, usize::from(area.height - 1));
        let key = |action, words: &str| key(model, live::FORM, action, words);
        // What lies behind the fields is named as long as it is not reached.
        let at_versions = self.form.focused() + 1 == self.form.fields.len();
        let next = if at_versions || self.versions.len() < 2 { words.field } else { words.to_versions };
        let left = [
            key(Action::FieldNext, next).map(|key| key.or_short(words.field)),
            key(Action::TextSave, &parts::used_from(model))
                .map(|key| key.or_short(model.words().new_run.save)),
            key(Action::TextSubmit, words.compares).filter(|_| at_versions),
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
        let did = self.form.click(field, row);
        self.did(did, model)
    }

    fn by_key(&self, action: Action) -> bool {
        matches!(action, Action::TextSave)
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        if hit.action == Action::TextExternal {
            let Some(editor) = self.form.editor() else { return parts::not_here(model) };
            return self.outside.send(model, editor.text(), "goal.txt");
        }
        let did = self.form.act(hit);
        self.did(did, model)
    }

    fn key(&mut self, key: &KeyEvent, model: &mut Model) -> Step {
        let did = self.form.key(key);
        self.did(did, model)
    }

    fn paste(&mut self, text: &str, model: &mut Model) -> Step {
        self.form.paste(text);
        self.did(Did::Changed, model)
    }

    fn open(&mut self, model: &mut Model) -> Vec<Cmd> {
        if self.returned {
            // From now on it is what is being written here.
            model.drafts.returned.remove(&self.run);
        }
        self.read_versions(model)
    }

    fn leave(&mut self, model: &mut Model) -> Option<String> {
        self.put_down(&mut model.drafts);
        model.drafts.goals.get(&self.run).map(|_| model.words().notes.draft_kept.to_owned())
    }

    fn at_file(&self, model: &Model) -> Option<(PathBuf, (usize, String))> {
        Some((workspace(model)?.to_owned(), self.form.at_word()?))
    }

    fn editor(&mut self) -> Option<&mut Editor> {
        self.form.editor()
    }

    fn put_down(&self, drafts: &mut Drafts) {
        if self.written() == self.from {
            drafts.goals.remove(&self.run);
        } else {
            drafts.goals.insert(self.run.clone(), (self.based_on, self.form.draft()));
        }
    }

    fn told(&mut self, msg: &Msg, model: &mut Model) -> Step {
        match msg {
            Msg::Shot(shot) => {
                let view = shot.run.as_ref().filter(|view| view.state.run == self.run);
                let Some(view) = view else {
                    self.moved = None;
                    return Step::Stay;
                };
                let coming = on_their_way(view);
                let newest = newest(view, &coming);
                if newest < self.based_on {
                    // What the edit was made from will not be in force.
                    self.not_taken = Some(std::mem::replace(&mut self.based_on, newest));
                }
                self.moved = (newest != self.based_on).then_some(newest);
                if self.coming != coming {
                    self.coming = coming;
                    self.list(model);
                }
                let now = view.state.path.goal_version;
                if now > self.read_for {
                    self.read_for = now;
                    return Step::Do(self.read_versions(model));
                }
            }
            Msg::Goals(ticket, read) if self.asked == Some(*ticket) => {
                self.asked = None;
                match read {
                    Ok(versions) => {
                        self.versions = versions.iter().rev().cloned().collect();
                        self.list(model);
                    }
                    Err(why) => {
                        return Step::Say(capital(
                            &one_line(&model.look.lang.trouble(why), Strength::Prose).shown(),
                        ));
                    }
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
}
