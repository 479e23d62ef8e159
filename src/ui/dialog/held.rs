//! The dialog about a run that waits without a call: checks that fail again and again, failures in a row, a loop, a context
//! that does not fit. It says why, and what a person can do; each way leads to what does it, with its own key
//! as well. None of these waits is about a limit, so none of the ways is one.

use super::flow::Flow;
use super::parts::{self, key};
use super::{Dialog, Shown, Step};
use crate::run::{Hold, RunId, Status, WaitWhy};
use crate::ui::app::model::Model;
use crate::ui::app::msg::Msg;
use crate::ui::feed::RunView;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, one_line};
use crate::ui::theme::Role;
use crate::ui::view::Zone;
use crate::ui::view::paint::{Pen, part, row, top_for};
use ratatui::layout::Rect;

/// What can be done, in the order in which it stands.
const WAYS: [Action; 5] =
    [Action::PauseToggle, Action::Message, Action::GoalEdit, Action::RollbackPreview, Action::RunCancel];

/// The dialog.
#[derive(Debug)]
pub struct HeldDialog {
    run: RunId,
    hold: Hold,
    marked: usize,
    /// It goes on already.
    over: bool,
}

/// Why a run waits without a call; none if it does not.
pub fn hold(view: &RunView) -> Option<Hold> {
    match view.state.status() {
        Status::Waiting(WaitWhy::Hold(hold)) => Some(hold),
        Status::Waiting(_) | Status::Running | Status::Paused | Status::Ended(_) => None,
    }
}

impl HeldDialog {
    /// The dialog about the shown run, if it waits so.
    pub fn new(model: &Model) -> Option<Box<dyn Dialog>> {
        let view = model.view()?;
        let hold = hold(view)?;
        Some(Box::new(Self { run: view.state.run.clone(), hold, marked: 0, over: false }))
    }

    fn body(&self, model: &Model) -> Flow {
        let mut flow = Flow::default();
        let glyphs = model.look.glyphs;
        if self.over {
            let words = model.words().review.waits_no_more;
            flow.words(&format!("{} {words}", glyphs.needs_you), Role::Warn);
        }
        let why = one_line(&model.look.lang.hold(&self.hold), Strength::Prose).shown();
        flow.words(&why, Role::NeedsYou);
        flow
    }

    fn label(model: &Model, way: Action) -> &'static str {
        let words = &model.words().decision;
        match way {
            Action::PauseToggle => words.go_on,
            Action::Message => words.tell_agent,
            Action::GoalEdit => words.edit_goal,
            Action::RollbackPreview => words.roll_back,
            _ => words.cancel_run,
        }
    }
}

impl Dialog for HeldDialog {
    fn live(&self) -> &'static [Ctx] {
        live::HELD
    }

    fn title(&self, model: &Model) -> (String, String) {
        (model.words().decision.held_title.to_owned(), String::new())
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        let ways = u16::try_from(WAYS.len()).unwrap_or(u16::MAX);
        self.body(model).height(width).saturating_add(ways).saturating_add(1)
    }

    fn columns(&self) -> u16 {
        72
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let own = |action, text: &str| key(model, live::HELD, action, text);
        let last = row(area, usize::from(area.height - 1));
        let words = &model.words().choices;
        let left = [own(Action::LineDown, words.choose), own(Action::Open, words.do_it)];
        parts::keys(
            &mut pen,
            last,
            &left,
            &[own(Action::Back, model.words().decision.later)
                .map(|key| key.or_short(model.words().review.later))],
        );
        let rows = area.height - 1;
        let body = self.body(model);
        // What can be done has its room first.
        let ways = u16::try_from(WAYS.len()).unwrap_or(u16::MAX);
        let above = body.height(area.width).min(rows.saturating_sub(ways.min(rows)));
        body.draw_cut(&mut pen, Rect { height: above, ..area });
        let list = Rect { y: area.y + above, height: rows - above, ..area };
        let top = top_for(0, self.marked, usize::from(list.height), WAYS.len());
        for (nth, way) in WAYS.iter().enumerate().skip(top).take(usize::from(list.height)) {
            let here = nth == self.marked;
            let mark = if here { pen.look.glyphs.selected } else { " " };
            let name = model.key(live::HELD, *way);
            let role = if here { Role::Accent } else { Role::Base };
            let text = format!("{}  {}", name, Self::label(model, *way));
            pen.left(row(list, nth - top), &[part(Role::Accent, mark), part(role, text)]);
            pen.note(row(list, nth - top), Zone::Row(0, nth));
        }
        let hidden = (top, WAYS.len().saturating_sub(top + usize::from(list.height)));
        Shown { end: true, rows: usize::from(rows), hidden, ..Shown::default() }
    }

    fn click(&mut self, _field: usize, row: usize, model: &mut Model) -> Step {
        if self.marked == row {
            return self.act(Hit { action: Action::Open, nth: 0 }, model);
        }
        self.marked = row;
        Step::Stay
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        match hit.action {
            Action::LineDown => self.marked = (self.marked + 1).min(WAYS.len() - 1),
            Action::LineUp => self.marked = self.marked.saturating_sub(1),
            action if WAYS.contains(&action) && !self.over => return Step::Act(action, 0),
            action if WAYS.contains(&action) || self.over && action == Action::Open => {
                return Step::Say(model.words().review.waits_no_more.to_owned());
            }
            Action::Open => {
                let way = WAYS.get(self.marked).copied().unwrap_or(Action::PauseToggle);
                return Step::Act(way, 0);
            }
            _ => return parts::not_here(model),
        }
        Step::Stay
    }

    fn told(&mut self, msg: &Msg, _model: &mut Model) -> Step {
        if let Msg::Shot(shot) = msg {
            let view = shot.run.as_ref().filter(|view| view.state.run == self.run);
            self.over = view.is_none_or(|view| hold(view).as_ref() != Some(&self.hold));
        }
        Step::Stay
    }
}
