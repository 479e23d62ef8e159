//! The plan editor: the plan as a text, one sub-goal a line.
//!
//! What was written stays as a draft when the editor is left. The edit is made from the plan in force, or from one that is
//! on its way; where the agent or somebody else changed it meanwhile, the difference is shown before anything replaces it.

use super::flow::Flow;
use super::parts::{self, KeyWords, key};
use super::review::diff;
use super::text::TextDialog;
use super::{Dialog, Shown, Step};
use crate::run::control::Control;
use crate::run::plan::{ITEMS_MAX, LEVELS_MAX, PlanItem, PlanState, TITLE_MAX, plan_version};
use crate::run::plan_text::{BadLine, LineFault, code, read_shown, written};
use crate::run::{Hash, RunId};
use crate::ui::app::model::{Drafts, Model};
use crate::ui::app::msg::{Msg, Ticket};
use crate::ui::edit::{Editor, plain};
use crate::ui::feed::{RunView, coming_plan};
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, one_line};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use crate::ui::view::plan::progress;
use crate::ui::words::numbers::hour_minute;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Most rows of the field that the dialog asks for.
const ROWS: u16 = 40;

/// The dialog.
#[derive(Debug)]
pub struct PlanDialog {
    run: RunId,
    editor: Editor,
    /// The plan that the edit is made from, and its version.
    from: Vec<PlanItem>,
    based_on: Hash,
    /// The plan as it is now, if it was changed since.
    moved: Option<Vec<PlanItem>>,
    /// It was changed since, and the person saw the difference.
    looked: bool,
    /// Whose change is on its way, and since when, neutral; and whether the edit is made from it.
    coming: Option<(String, bool)>,
    problem: Option<String>,
    outside: Option<Ticket>,
}

impl PlanDialog {
    /// The editor with the plan; none if no run is shown.
    pub fn new(model: &Model) -> Option<Box<dyn Dialog>> {
        let view = model.view()?;
        let from = newest(view).to_vec();
        let mut dialog = Self {
            run: model.run.clone()?,
            editor: Editor::new(written(&from).trim_end()),
            based_on: plan_version(&from),
            from,
            moved: None,
            looked: false,
            coming: None,
            problem: None,
            outside: None,
        };
        if let Some((based_on, text)) = model.drafts.plans.get(&dialog.run) {
            dialog.editor = Editor::new(text.trim_end());
            dialog.based_on = based_on.clone();
        }
        dialog.look(model, view);
        Some(Box::new(dialog))
    }

    /// How the plan stands now.
    fn look(&mut self, model: &Model, view: &RunView) {
        let now = newest(view);
        self.moved = (plan_version(now) != self.based_on).then(|| now.to_vec());
        self.coming = coming_plan(&view.state, &view.coming).map(|(one, items)| {
            let by = one_line(&model.look.lang.author(&one.by), Strength::Prose).shown();
            let time = hour_minute(one.at, &model.look.zone);
            (model.words().plan_edit.on_its_way(&by, &time), plan_version(items) == self.based_on)
        });
    }

    fn save(&mut self, model: &mut Model) -> Step {
        let items = match self.read() {
            Ok(items) => items,
            Err(bad) => {
                self.problem = Some(told(model, &bad));
                return Step::Stay;
            }
        };
        let words = &model.words().plan_edit;
        if let Some(now) = self.moved.take() {
            // Looked at, it is what the edit is made from; saved once more, the text replaces it.
            let difference = difference(model, &now, &items);
            (self.based_on, self.from, self.looked) = (plan_version(&now), now, true);
            return Step::Open(difference);
        }
        if items == self.from {
            return Step::Say(words.unchanged.to_owned());
        }
        model.drafts.plans.remove(&self.run);
        Step::Post {
            run: self.run.clone(),
            control: Control::EditPlan { based_on: self.based_on.clone(), items },
            news: in_force(model),
        }
    }

    /// The plan as it is written; the titles that were not touched as they are.
    fn read(&self) -> Result<Vec<PlanItem>, BadLine> {
        read_shown(&self.editor.text(), &self.from, plain)
    }

    fn is_changed(&self) -> bool {
        self.editor.text().trim_end() != plain(&written(&self.from)).trim_end()
    }

    fn foot(&self, model: &Model) -> Flow {
        let mut foot = Flow::default();
        let (words, glyphs) = (&model.words().plan_edit, model.look.glyphs);
        let states: Vec<&str> = PlanState::ALL.iter().map(|state| state.word()).collect();
        foot.words(&format!("{} {}", words.form, states.join(" ")), Role::Muted);
        if let Some((said, from)) = &self.coming {
            let from = if *from { words.made_from_it } else { "" };
            foot.words(&format!("{} {said} {from}", glyphs.needs_you), Role::Warn);
        }
        if self.moved.is_some() {
            foot.words(&format!("{} {}", glyphs.needs_you, words.moved), Role::Warn);
        } else if self.looked {
            foot.words(&format!("{} {}", glyphs.needs_you, words.seen), Role::Warn);
        }
        if let Some(problem) = &self.problem {
            foot.words(&format!("{} {problem}", glyphs.failed), Role::Danger);
        }
        foot
    }
}

/// The plan in force, or the one that will be once what is on its way is read.
fn newest(view: &RunView) -> &[PlanItem] {
    coming_plan(&view.state, &view.coming).map_or(&view.state.path.plan, |(_, items)| items)
}

/// What the plan as it is and the written one differ in.
fn difference(model: &Model, now: &[PlanItem], mine: &[PlanItem]) -> Box<dyn Dialog> {
    let words = &model.words().plan_edit;
    let (old, new) = (written(now), written(mine));
    let diff = similar::TextDiff::from_lines(&old, &new).unified_diff().context_radius(50).to_string();
    let mut flow = Flow::default();
    if diff.is_empty() {
        flow.words(words.same, Role::Muted);
    }
    diff::add(model, &diff, &mut flow);
    TextDialog::flow(words.compared, "", flow)
}

/// What is wrong with a line, in the person's language, neutral.
fn told(model: &Model, bad: &BadLine) -> String {
    let words = &model.words().plan_edit;
    let shown = |text: &str| one_line(text, Strength::Exact).shown();
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let what = match &bad.what {
        LineFault::Indent => words.bad_indent.to_owned(),
        LineFault::Deep => words.deep(count(LEVELS_MAX)),
        LineFault::State(word) => words.bad_state(&shown(word)),
        LineFault::Misplaced(word) => words.misplaced(word),
        LineFault::Nothing => words.nothing.to_owned(),
        LineFault::NoTitle => words.no_title.to_owned(),
        LineFault::LongTitle(n) => words.long(count(*n), count(TITLE_MAX)),
        LineFault::Control(c) => words.control(&code(*c)),
        LineFault::Twice(id) => words.twice(&shown(id)),
        LineFault::Many(n) => words.many_items(count(*n), count(ITEMS_MAX)),
    };
    model.words().edit.at_line(count(bad.line), &what)
}

/// In which step the agent sees the new plan; of a run that is over what lets it go on, as no step is about to come.
fn in_force(model: &Model) -> String {
    let notes = &model.words().notes;
    match model.ended_at() {
        Some(_) => notes.plan_ended(&model.key(live::RUN, Action::Message)),
        None => notes.plan_from(model.next_request_step()),
    }
}

impl Dialog for PlanDialog {
    fn live(&self) -> &'static [Ctx] {
        live::TEXT
    }

    fn title(&self, model: &Model) -> (String, String) {
        let read = self.read();
        let (done, all) = progress(read.as_ref().unwrap_or(&self.from)).unwrap_or((0, 0));
        (model.words().plan_edit.title(done, all), String::new())
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        let text = self.editor.rows(width.saturating_sub(self.editor.number_cells())).min(ROWS);
        text.saturating_add(self.foot(model).height(width)).saturating_add(1)
    }

    fn columns(&self) -> u16 {
        90
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().plan_edit;
        let last = row(area, usize::from(area.height - 1));
        let key = |action, words: &str| key(model, live::TEXT, action, words);
        let save = match self.moved {
            Some(_) => words.compares.to_owned(),
            None => parts::used_from(model),
        };
        let outside = key(Action::TextExternal, words.editor).map(KeyWords::aside);
        let left =
            [key(Action::TextSave, &save).map(|key| key.or_short(model.words().new_run.save)), outside];
        parts::keys(
            &mut pen,
            last,
            &left,
            &[key(Action::Back, model.words().goal.keep_draft)
                .map(|key| key.or_short(model.words().ask.back))],
        );
        let foot = self.foot(model);
        let room = area.height - 1;
        let below = foot.height(area.width).min(room.saturating_sub(1));
        let field = Rect { height: room - below, ..area };
        let caret = self.editor.draw_numbered(&mut pen, field, true);
        foot.draw_cut(&mut pen, Rect { y: field.bottom(), height: below, ..area });
        Shown { end: true, rows: usize::from(field.height), caret, ..Shown::default() }
    }

    fn by_key(&self, action: Action) -> bool {
        matches!(action, Action::TextSave)
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        match hit.action {
            Action::TextSave => self.save(model),
            Action::TextSubmit => {
                self.editor.newline();
                self.problem = None;
                Step::Stay
            }
            Action::TextExternal => {
                let ticket = model.ticket();
                self.outside = Some(ticket);
                Step::Outside(ticket, format!("{}\n", self.editor.text()), "plan.txt")
            }
            _ if self.editor.act(hit) => {
                self.problem = None;
                Step::Stay
            }
            _ => parts::not_here(model),
        }
    }

    fn key(&mut self, key: &KeyEvent, _model: &mut Model) -> Step {
        if self.editor.key(key) {
            self.problem = None;
        }
        Step::Stay
    }

    fn paste(&mut self, text: &str, _model: &mut Model) -> Step {
        self.editor.insert(text);
        self.problem = None;
        Step::Stay
    }

    fn editor(&mut self) -> Option<&mut Editor> {
        Some(&mut self.editor)
    }

    fn put_down(&self, drafts: &mut Drafts) {
        if self.is_changed() {
            drafts.plans.insert(self.run.clone(), (self.based_on.clone(), self.editor.text()));
        } else {
            drafts.plans.remove(&self.run);
        }
    }

    fn leave(&mut self, model: &mut Model) -> Option<String> {
        self.put_down(&mut model.drafts);
        model.drafts.plans.get(&self.run).map(|_| model.words().notes.draft_kept.to_owned())
    }

    fn told(&mut self, msg: &Msg, model: &mut Model) -> Step {
        match msg {
            Msg::Shot(shot) => match shot.run.as_ref().filter(|view| view.state.run == self.run) {
                Some(view) => self.look(model, view),
                None => (self.moved, self.coming) = (None, None),
            },
            Msg::Edited(ticket, edited) if self.outside == Some(*ticket) => {
                (self.outside, self.problem) = (None, None);
                return parts::edited(edited, &mut self.editor);
            }
            _ => {}
        }
        Step::Stay
    }
}
