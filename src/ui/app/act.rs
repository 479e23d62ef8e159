//! What keys do on the screen, with no dialog open.

use super::model::Model;
use super::msg::Cmd;
use super::{App, lists, transcript};
use crate::run::control::Control;
use crate::run::{CallStatus, Class, Status, StepRef};
use crate::store::{CallRow, RunRow};
use crate::ui::dialog::parts::dialog_for;
use crate::ui::dialog::{
    Dialog, args, banner, compare, deny, goal, held, help, items, limits, new_run, output, palette, plan,
    review, rollback, stop, text, typed,
};
use crate::ui::feed::Waiting;
use crate::ui::keys::{Action, Hit, live};
use crate::ui::layout::Panel;
use crate::ui::view::banners::has_banner;
use crate::ui::view::context::memory;
use crate::ui::view::transcript::{is_folded, last_spot};

/// How much more time a command is given at a press of the key, milliseconds.
const MORE_TIME: u64 = 5 * 60 * 1000;

/// Rows before the end of the list of runs at which more of them are read.
const NEAR_END: usize = 50;

/// What somebody who cannot do something hears: why.
type Why = &'static str;

impl App {
    /// What a key does on the screen below the dialogs.
    pub(super) fn act(&mut self, hit: Hit) -> Vec<Cmd> {
        if let Some(why) = self.not_open_yet(hit.action) {
            self.say(why);
            return Vec::new();
        }
        let done = match hit.action {
            Action::HelpOpen | Action::PaletteOpen | Action::QuitAsk | Action::SettingsOpen => {
                self.everywhere(hit)
            }
            Action::LineDown
            | Action::LineUp
            | Action::PageDown
            | Action::PageUp
            | Action::Top
            | Action::Bottom
            | Action::Left
            | Action::Right => self.moves(hit.action),
            Action::Open => self.enter(),
            Action::FocusNext | Action::FocusPrev | Action::PanelFocus | Action::ZoomToggle => {
                self.focus(hit)
            }
            Action::FollowToggle
            | Action::WrapToggle
            | Action::FoldAll
            | Action::ThinkingToggle
            | Action::Mark
            | Action::QueueScope => self.panel_key(hit.action),
            Action::AttentionNext => self.attention(),
            Action::BannerOpen => match has_banner(&self.model) {
                true => {
                    let choices = banner::BannerDialog::new(&self.model, None);
                    Ok(self.open(choices))
                }
                false => Err(self.model.words().notes.no_banner),
            },
            Action::Copy => self.copy(),
            Action::RunNew => {
                let form = new_run::NewRunForm::new(&self.model);
                Ok(self.open(form))
            }
            Action::RunPrev => self.other_run(-1),
            Action::RunNext => self.other_run(1),
            Action::Review
            | Action::ReviewMarked
            | Action::Deny
            | Action::EditArgs
            | Action::PauseToggle
            | Action::PauseNow
            | Action::TimeoutExtend
            | Action::Message
            | Action::MessageBack
            | Action::MessageNow
            | Action::GoalEdit
            | Action::PlanEdit
            | Action::RollbackPreview
            | Action::RollbackRedo
            | Action::Compare
            | Action::RequestShow
            | Action::LimitsEdit
            | Action::RunCancel => self.run_key(hit.action),
            _ => Err(self.model.words().notes.not_here),
        };
        done.unwrap_or_else(|why| {
            self.say(why);
            Vec::new()
        })
    }

    fn everywhere(&mut self, hit: Hit) -> Result<Vec<Cmd>, Why> {
        let live = self.live();
        Ok(match hit.action {
            Action::HelpOpen => {
                let place = self.place_name();
                let help = help::HelpDialog::new(&self.model, live, &place);
                self.open(help)
            }
            Action::PaletteOpen => {
                let palette = palette::PaletteDialog::new(&self.model, live);
                self.open(palette)
            }
            Action::QuitAsk => self.ask_to_leave(),
            _ => return Err(self.model.words().notes.not_here),
        })
    }

    /// The keys of the dialog that is open, or of the text field that is typed in: there a letter asks for nothing.
    pub(super) fn text_help(&mut self) -> Vec<Cmd> {
        let live = self.live();
        let place = match self.model.layers.last() {
            // A list that is filtered by typing is itself such a page.
            Some(_) if live == live::PICK => {
                self.say(self.model.words().notes.not_here);
                return Vec::new();
            }
            Some(layer) => layer.title(&self.model).0,
            None => self.model.words().header.message_field.to_owned(),
        };
        let help = help::HelpDialog::new(&self.model, live, &place);
        self.open(help)
    }

    fn place_name(&self) -> String {
        if self.model.run.is_none() {
            return "wakeful".to_owned();
        }
        let panel = self.model.focus;
        format!("{} {}", panel.number(), crate::ui::view::head::name(&self.model, panel))
    }

    fn moves(&mut self, action: Action) -> Result<Vec<Cmd>, Why> {
        let panel = if self.model.run.is_none() { Panel::Runs } else { self.model.focus };
        if panel == Panel::Loop {
            self.move_in_loop(action);
            return Ok(Vec::new());
        }
        let rows = self.model.drawn.rows.get(&panel).copied().unwrap_or(10).max(2) as isize;
        let by = match action {
            Action::LineDown | Action::Right => 1,
            Action::LineUp | Action::Left => -1,
            Action::PageDown => rows - 1,
            Action::PageUp => 1 - rows,
            Action::Top => {
                lists::ends(&mut self.model, panel, true);
                return Ok(Vec::new());
            }
            Action::Bottom => {
                lists::ends(&mut self.model, panel, false);
                return Ok(self.more_runs(panel));
            }
            _ => return Err(self.model.words().notes.not_here),
        };
        lists::step(&mut self.model, panel, by);
        Ok(self.more_runs(panel))
    }

    /// Near the end of the list of runs, more of them are read.
    pub(super) fn more_runs(&self, panel: Panel) -> Vec<Cmd> {
        let Some(shot) = self.model.shot.as_ref().filter(|_| panel == Panel::Runs) else { return Vec::new() };
        let (here, total) = (shot.runs.len(), usize::try_from(shot.runs_total).unwrap_or(usize::MAX));
        let at = lists::run_place(&self.model, &shot.runs).unwrap_or(0);
        let near = here < total && at + NEAR_END >= here;
        near.then(|| Cmd::MoreRuns(here.saturating_mul(4))).into_iter().collect()
    }

    fn move_in_loop(&mut self, action: Action) {
        let model = &mut self.model;
        let place = match action {
            Action::LineDown => transcript::line(model, 1),
            Action::LineUp => transcript::line(model, -1),
            Action::PageDown => transcript::page(model, true),
            Action::PageUp => transcript::page(model, false),
            Action::Top => transcript::top(model),
            Action::Left | Action::Right => {
                transcript::fold(model, action == Action::Left);
                return;
            }
            _ => transcript::Place::default(),
        };
        transcript::go(model, place);
    }

    fn focus(&mut self, hit: Hit) -> Result<Vec<Cmd>, Why> {
        match hit.action {
            Action::FocusNext => self.model.focus = self.model.focus.neighbour(true),
            Action::FocusPrev => self.model.focus = self.model.focus.neighbour(false),
            Action::PanelFocus => {
                if let Some(panel) = Panel::ALL.get(hit.nth) {
                    self.model.focus = *panel;
                }
            }
            Action::ZoomToggle => self.model.zoom = !self.model.zoom,
            _ => {}
        }
        Ok(Vec::new())
    }

    fn panel_key(&mut self, action: Action) -> Result<Vec<Cmd>, Why> {
        let notes = &self.model.words().notes;
        match action {
            Action::FollowToggle => {
                if self.model.transcript.at.is_none() {
                    let place = transcript::Place { at: last_spot(&self.model), skip: 0 };
                    transcript::go(&mut self.model, place);
                    let key = self.model.key(self.live(), Action::FollowToggle);
                    self.say(notes.follow_off(&key));
                } else {
                    transcript::go(&mut self.model, transcript::Place::default());
                    self.say(notes.follow_on);
                }
            }
            Action::WrapToggle => self.model.transcript.wrap = !self.model.transcript.wrap,
            Action::ThinkingToggle => self.model.transcript.thinking = !self.model.transcript.thinking,
            Action::FoldAll => {
                transcript::fold_all(&mut self.model.transcript);
                transcript::settle(&mut self.model);
            }
            Action::QueueScope => self.model.lists.all_runs = !self.model.lists.all_runs,
            Action::Mark => {
                let Some(call) = lists::selected_call(&self.model).map(|call| call.call_id.clone()) else {
                    return Err(notes.nothing_selected);
                };
                let asks = |row: &CallRow| row.class != Class::Person && row.status == CallStatus::Waiting;
                let waits = self.model.waiting().any(|w| w.call.call_id == call && asks(&w.call));
                if !waits {
                    return Err(notes.not_marked_kind);
                }
                if !self.model.lists.marked.remove(&call) {
                    self.model.lists.marked.insert(call);
                }
            }
            _ => {}
        }
        Ok(Vec::new())
    }

    fn attention(&mut self) -> Result<Vec<Cmd>, Why> {
        let next = next_waiting(&self.model).map(|w| (w.call.run.clone(), w.call.call_id.clone()));
        let Some((run, call)) = next else { return self.held_next() };
        let commands = self.show(Some(run));
        self.model.focus = Panel::Queue;
        self.model.lists.call = Some(call);
        Ok(commands)
    }

    /// No call waits anywhere: the next run that waits for another reason; of the shown one, what can be done.
    fn held_next(&mut self) -> Result<Vec<Cmd>, Why> {
        let here = self.model.run.clone();
        let runs = self.model.shot.as_ref().map_or(&[][..], |shot| shot.runs.as_slice());
        let waits = |row: &&RunRow| {
            row.status == "waiting" && row.wait.as_deref() != Some("retry") && Some(&row.id) != here.as_ref()
        };
        let other = runs.iter().find(waits).map(|row| row.id.clone());
        if let Some(held) = held::HeldDialog::new(&self.model) {
            return Ok(self.open(held));
        }
        match other {
            Some(run) => Ok(self.show(Some(run))),
            None => Err(self.model.words().notes.nothing_needs_you),
        }
    }

    fn other_run(&mut self, by: isize) -> Result<Vec<Cmd>, Why> {
        let Some(shot) = self.model.shot.clone() else { return Err(self.model.words().notes.no_other_run) };
        let rows = &shot.runs;
        let at = rows.iter().position(|row| Some(&row.id) == self.model.run.as_ref());
        let to = at.map_or(0, |at| at as isize + by);
        let next = usize::try_from(to).ok().and_then(|to| rows.get(to));
        match next {
            Some(row) => Ok(self.show(Some(row.id.clone()))),
            None if rows.len() < 2 => Err(self.model.words().notes.no_other_run),
            None if by < 0 => Err(self.model.words().notes.newest_run),
            None => Err(self.model.words().notes.oldest_run),
        }
    }

    /// Enter on what is selected.
    fn enter(&mut self) -> Result<Vec<Cmd>, Why> {
        if self.model.run.is_none() {
            return self.enter_start();
        }
        if let Some(output) = running_output(&self.model) {
            return Ok(self.open(output));
        }
        match self.model.focus {
            Panel::Loop => match super::steps::opened(&mut self.model) {
                Some(whole) => Ok(self.open(whole)),
                None => {
                    let spot = self.model.transcript.at;
                    if spot.is_some_and(|spot| transcript::ungroup(&mut self.model, spot)) {
                        return Ok(Vec::new());
                    }
                    let folded = spot.is_none_or(|spot| is_folded(&self.model, spot.step, false));
                    transcript::fold(&mut self.model, !folded);
                    Ok(Vec::new())
                }
            },
            Panel::Context if memory::is_selected(&self.model) => {
                let whole = memory::whole(&self.model);
                Ok(self.open(whole))
            }
            Panel::Context => match items::ItemsDialog::new(&self.model) {
                Some(items) => Ok(self.open(items)),
                None if self.model.view().is_some_and(|view| view.asked.is_some()) => {
                    Err(self.model.words().notes.nothing_selected)
                }
                None => Err(self.model.words().notes.no_request),
            },
            Panel::Queue => match selected(&self.model) {
                Some(waiting) => {
                    let dialog = dialog_for(&self.model, &waiting);
                    Ok(self.open(dialog))
                }
                None => {
                    let Some(row) = lists::selected_call(&self.model).cloned() else {
                        return Err(self.model.words().notes.nothing_selected);
                    };
                    let whole = text::TextDialog::call(&mut self.model, &row);
                    Ok(self.open(whole))
                }
            },
            Panel::Checkpoints => self.run_key(Action::RollbackPreview),
            Panel::Plan => self.run_key(Action::PlanEdit),
            Panel::Runs => {
                let run = lists::selected_run(&self.model).map(|row| row.id.clone());
                Ok(self.show(run.or_else(|| self.model.run.clone())))
            }
        }
    }

    fn enter_start(&mut self) -> Result<Vec<Cmd>, Why> {
        if let Some(row) = lists::selected_run(&self.model) {
            // A click opens it; that it goes on takes the key.
            let (run, goes_on) = (row.id.clone(), row.status == "interrupted" && self.clicked.is_none());
            let mut commands = self.show(Some(run.clone()));
            commands.extend(goes_on.then_some(Cmd::Work(run)));
            return Ok(commands);
        }
        if self.model.starting.is_some() {
            return Ok(Vec::new());
        }
        let real = self.model.found.models.iter().any(|model| !model.place.is_empty());
        if real {
            let form = new_run::NewRunForm::new(&self.model);
            return Ok(self.open(form));
        }
        let ticket = self.model.starts();
        let job = super::msg::NewRun::offline(&self.model.found.here, self.model.look.lang);
        Ok(vec![Cmd::Start(ticket, Box::new(job))])
    }

    fn run_key(&mut self, action: Action) -> Result<Vec<Cmd>, Why> {
        let notes = &self.model.words().notes;
        let Some(view) = self.model.view() else { return Err(self.no_run()) };
        let state = view.state.clone();
        let run = state.run.clone();
        let of_step = matches!(action, Action::RollbackPreview | Action::Compare | Action::RequestShow);
        if let Some(spot) = self.model.transcript.at.filter(|_| of_step && self.model.focus == Panel::Loop)
            && transcript::ungroup(&mut self.model, spot)
        {
            return Err(notes.several_steps);
        }
        match action {
            Action::Review | Action::Deny | Action::EditArgs | Action::ReviewMarked => self.decide(action),
            Action::PauseToggle => self.pause_toggle(run, &state.status(), state.ledger.hold.is_some()),
            Action::PauseNow => match state.status() {
                Status::Ended(_) => Err(notes.ended),
                Status::Running | Status::Waiting(_) | Status::Paused => {
                    if self.looks_first(action, None) {
                        return Ok(Vec::new());
                    }
                    match stop::StopDialog::new(&self.model) {
                        Some(ask) => Ok(self.open(ask)),
                        None => Ok(self.post(run, Control::Pause { now: true }, notes.pausing_now)),
                    }
                }
            },
            Action::TimeoutExtend => {
                let Some(call) = state.open_here().find(|call| call.status == CallStatus::Started) else {
                    // Its row may be read a moment after the state was.
                    let looks = self.looks_first(action, None);
                    return if looks { Ok(Vec::new()) } else { Err(notes.no_running_call) };
                };
                let control = Control::ExtendTimeout { call_id: call.call_id.clone(), more_ms: MORE_TIME };
                let news = notes.more_time(&crate::ui::words::numbers::clock(MORE_TIME));
                Ok(self.post(run, control, news))
            }
            Action::Message => {
                self.model.message.open = true;
                Ok(Vec::new())
            }
            Action::MessageBack | Action::MessageNow => self.queued_key(action),
            Action::GoalEdit => {
                let editor = goal::GoalDialog::new(&self.model);
                Ok(editor.map(|editor| self.open(editor)).unwrap_or_default())
            }
            Action::PlanEdit => {
                let editor = plan::PlanDialog::new(&self.model);
                Ok(editor.map(|editor| self.open(editor)).unwrap_or_default())
            }
            Action::RollbackPreview => {
                let Some(to) = self.rollback_target() else { return Err(notes.no_checkpoint) };
                let preview = rollback::RollbackDialog::new(&mut self.model, run, to);
                Ok(self.open(preview))
            }
            Action::Compare => {
                let Some(to) = self.rollback_target() else { return Err(notes.no_checkpoint) };
                let compare = compare::CompareDialog::new(&self.model, run, to);
                Ok(self.open(compare))
            }
            Action::RollbackRedo => match state.ledger.redo.is_empty() {
                true => Err(notes.nothing_to_redo),
                false => Ok(self.post(run, Control::Redo, notes.redoing)),
            },
            Action::RequestShow => {
                let step = self.request_step();
                let Some(step) = step else { return Err(notes.no_request) };
                let whole = text::TextDialog::request(&mut self.model, run, step);
                Ok(self.open(whole))
            }
            Action::LimitsEdit => {
                let form = limits::LimitsDialog::new(&self.model);
                Ok(form.map(|form| self.open(form)).unwrap_or_default())
            }
            Action::RunCancel => match state.status() {
                Status::Ended(_) => Err(notes.ended),
                Status::Running | Status::Waiting(_) | Status::Paused => {
                    let ask = typed::TypedDialog::cancel(&self.model, run);
                    Ok(self.open(ask))
                }
            },
            _ => Err(notes.not_here),
        }
    }

    fn decide(&mut self, action: Action) -> Result<Vec<Cmd>, Why> {
        let notes = &self.model.words().notes;
        if action == Action::ReviewMarked {
            let marked = &self.model.lists.marked;
            let calls: Vec<Waiting> =
                self.model.waiting().filter(|w| marked.contains(&w.call.call_id)).cloned().collect();
            if calls.is_empty() {
                return Err(notes.nothing_marked);
            }
            let batch = review::batch::Batch::new(&self.model, &calls);
            return Ok(self.open(batch));
        }
        let waiting = lists::acted_on(&self.model).cloned();
        if waiting.is_none()
            && action == Action::Review
            && let Some(held) = held::HeldDialog::new(&self.model)
        {
            return Ok(self.open(held));
        }
        let Some(waiting) = waiting else { return Err(notes.nothing_waits) };
        let asks = waiting.call.class != Class::Person && waiting.call.status == CallStatus::Waiting;
        let dialog: Box<dyn Dialog> = match action {
            Action::Deny if waiting.call.status == CallStatus::Waiting => {
                deny::DenyDialog::new(&self.model, &waiting)
            }
            Action::EditArgs if asks => args::ArgsDialog::new(&self.model, &waiting),
            Action::EditArgs => return Err(notes.inner_no_edit),
            _ => dialog_for(&self.model, &waiting),
        };
        Ok(self.open(dialog))
    }

    /// The checkpoint to roll back to: the selected one, else the one before the last.
    fn rollback_target(&self) -> Option<StepRef> {
        let view = self.model.view()?;
        if self.model.focus == Panel::Checkpoints {
            let row = lists::selected_checkpoint(&self.model)?;
            return Some(StepRef { timeline: Some(row.checkpoint.timeline), step: row.checkpoint.step });
        }
        if let Some(spot) = self.model.transcript.at.filter(|_| self.model.focus == Panel::Loop) {
            let known = view.steps.iter().any(|span| span.step == spot.step);
            return known.then_some(StepRef { timeline: None, step: spot.step });
        }
        let step = match view.open.items.is_empty() {
            true => view.state.path.step.checked_sub(1)?,
            false => view.state.path.step,
        };
        Some(StepRef { timeline: None, step })
    }

    /// The step whose request is shown: the selected one in Loop, else the newest with one.
    fn request_step(&self) -> Option<crate::run::StepNo> {
        let spot = self.model.transcript.at.filter(|_| self.model.focus == Panel::Loop);
        let newest = || self.model.view()?.asked.as_ref().map(|asked| asked.step);
        spot.map(|spot| spot.step).or_else(newest)
    }

    /// A bound key while the message is typed.
    pub(super) fn message_key(&mut self, hit: Hit) -> Vec<Cmd> {
        let message = &mut self.model.message;
        match hit.action {
            Action::TextSubmit | Action::TextSave => return self.send_message(),
            Action::TextEarlier if message.editor.first_line() => {
                let before = message.at.unwrap_or(message.earlier.len()).checked_sub(1);
                if let Some(text) = before.and_then(|at| message.earlier.get(at)) {
                    message.editor.set(text);
                    message.at = before;
                }
            }
            Action::TextExternal => {
                let text = message.editor.text();
                let ticket = self.model.ticket();
                self.message_outside = Some(ticket);
                let act = move || {
                    super::msg::Msg::Edited(ticket, super::layers::edit_outside(&text, "message.txt"))
                };
                self.wishes.push_back(crate::ui::frame::Wish::Outside(Box::new(act)));
            }
            _ => {
                message.editor.act(hit);
            }
        }
        Vec::new()
    }

    fn send_message(&mut self) -> Vec<Cmd> {
        let text = self.model.message.editor.text();
        let Some(run) = self.model.run.clone() else { return Vec::new() };
        if text.trim().is_empty() {
            self.model.message.open = false;
            return Vec::new();
        }
        let news = self.model.message_news();
        self.model.message.earlier.push(text.clone());
        self.model.message.editor.set("");
        self.model.message.at = None;
        self.model.message.open = false;
        self.post(run, Control::Message { text, now: false }, news)
    }
}

/// The growing output of the selected call, if that is a command which runs.
fn running_output(model: &Model) -> Option<Box<dyn Dialog>> {
    match model.focus {
        Panel::Loop => output::OutputDialog::new(model, super::steps::call(model)?, false),
        Panel::Queue => {
            let row = lists::selected_call(model)?;
            let call = model.view()?.open.calls().find(|call| call.call_id == row.call_id)?;
            output::OutputDialog::new(model, call, true)
        }
        Panel::Context | Panel::Checkpoints | Panel::Plan | Panel::Runs => None,
    }
}

/// The waiting call that is selected in Queue.
fn selected(model: &Model) -> Option<Waiting> {
    let call = lists::selected_call(model).filter(|_| model.focus == Panel::Queue)?;
    model.waiting().find(|w| w.call.call_id == call.call_id).cloned()
}

/// The waiting call after the selected one, over all runs.
fn next_waiting(model: &Model) -> Option<&Waiting> {
    let is_selected =
        |row: &CallRow| model.focus == Panel::Queue && model.lists.call.as_ref() == Some(&row.call_id);
    let after = model.waiting().skip_while(|w| !is_selected(&w.call)).nth(1);
    after.or_else(|| model.waiting().next())
}
