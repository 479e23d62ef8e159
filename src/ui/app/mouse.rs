//! The mouse: a click selects, a second one opens, the wheel scrolls what is under it, a border is dragged.
//!
//! A button is a key with its words; press and release must both be inside it. A click never lets anything happen: what
//! approves, runs, answers, leads back or goes on takes its key, and a click on it says so. Whatever way a click takes,
//! [`App::post`](super::App) asks [`lets_happen`] last.

use super::msg::Cmd;
use super::{App, lists, transcript};
use crate::run::control::{Control, Decision};
use crate::run::{Outcome, Status};
use crate::ui::input::Turns;
use crate::ui::keys::{Action, Hit};
use crate::ui::layout::Panel;
use crate::ui::view::Zone;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

/// Rows that a turn of the wheel moves.
const WHEEL: usize = 3;
/// Entries that a dialog has at most beside the rows that it scrolls.
const ENTRIES: usize = 1_000;

impl App {
    pub(super) fn mouse(&mut self, event: MouseEvent) -> Vec<Cmd> {
        let at = Position { x: event.column, y: event.row };
        match event.kind {
            MouseEventKind::ScrollUp | MouseEventKind::ScrollDown => {
                Turns::of(&event).map(|turns| self.wheel(&[turns])).unwrap_or_default()
            }
            // A press and its release on the same place: a drag that ends there is no click.
            MouseEventKind::Down(MouseButton::Left) => {
                self.pressed = self.zone(at).map(|(_, zone)| (at, zone));
                let layout = self.model.drawn.layout.as_ref().filter(|_| self.model.layers.is_empty());
                self.dragged = layout.and_then(|layout| layout.border_at(at));
                Vec::new()
            }
            MouseEventKind::Drag(MouseButton::Left) => {
                self.drag(at);
                Vec::new()
            }
            MouseEventKind::Up(MouseButton::Left) => {
                self.dragged = None;
                match (self.pressed.take(), self.zone(at)) {
                    (Some((from, pressed)), Some((place, zone)))
                        if zone == pressed && (!zone.is_button() || place.contains(from)) =>
                    {
                        let commands = self.click(zone);
                        self.clicked = None;
                        commands
                    }
                    (Some(_) | None, _) => Vec::new(),
                }
            }
            MouseEventKind::Down(_)
            | MouseEventKind::Up(_)
            | MouseEventKind::Drag(_)
            | MouseEventKind::Moved
            | MouseEventKind::ScrollLeft
            | MouseEventKind::ScrollRight => Vec::new(),
        }
    }

    /// Moves the border that was taken. What the press was on is clicked no more.
    fn drag(&mut self, at: Position) {
        let (Some(border), Some(layout)) = (self.dragged, self.model.drawn.layout.as_ref()) else { return };
        let way = layout.way_to(border, at);
        if way != 0 {
            let size = layout.size;
            self.model.moved.entry(size).or_default().by(border, way);
            self.pressed = None;
        }
    }

    fn zone(&self, at: Position) -> Option<(Rect, Zone)> {
        let mut zones = self.model.drawn.zones.iter().rev();
        zones.find(|(rect, _)| rect.contains(at)).cloned()
    }

    fn panel_at(&self, at: Position) -> Option<Panel> {
        let zones = self.model.drawn.zones.iter().rev();
        zones.filter(|(rect, _)| rect.contains(at)).find_map(|(_, zone)| zone.panel())
    }

    /// What is under the wheel moves, and the focus stays. Neighbours over one panel are one movement.
    pub(super) fn wheel(&mut self, turns: &[Turns]) -> Vec<Cmd> {
        if !self.model.layers.is_empty() {
            return turns.iter().flat_map(|turns| self.wheel_in_layer(*turns)).collect();
        }
        let mut moves: Vec<(Panel, Vec<isize>)> = Vec::new();
        for turns in turns {
            let under = self.panel_at(Position { x: turns.column, y: turns.row });
            let panel =
                if self.model.run.is_none() { Panel::Runs } else { under.unwrap_or(self.model.focus) };
            let rows = isize::try_from(turns.count.saturating_mul(WHEEL)).unwrap_or(isize::MAX);
            let by = if turns.down { rows } else { -rows };
            match moves.last_mut() {
                Some((last, all)) if *last == panel => all.push(by),
                Some(_) | None => moves.push((panel, vec![by])),
            }
        }
        let moved = |(panel, by): (Panel, Vec<isize>)| self.moves_by(panel, &by);
        moves.into_iter().flat_map(moved).collect()
    }

    fn wheel_in_layer(&mut self, turns: Turns) -> Vec<Cmd> {
        let bound = |action| self.model.look.keys.key_of(self.live(), action).is_some();
        // A list that is filtered by typing has no keys for lines.
        let hit = match (bound(Action::LineDown), bound(Action::PickMove), turns.down) {
            (false, true, down) => Hit { action: Action::PickMove, nth: usize::from(down) },
            (_, _, true) => Hit { action: Action::LineDown, nth: 0 },
            (_, _, false) => Hit { action: Action::LineUp, nth: 0 },
        };
        // More would find it at its end.
        let most = self.model.drawn.layer.map_or(0, |shown| shown.most).saturating_add(ENTRIES);
        let rows = turns.count.saturating_mul(WHEEL).min(most);
        (0..rows).flat_map(|_| self.layer(|layer, model| layer.act(hit, model))).collect()
    }

    /// Moves what is selected in a panel so many rows down, or up, one movement after the other.
    fn moves_by(&mut self, panel: Panel, by: &[isize]) -> Vec<Cmd> {
        if panel == Panel::Loop {
            transcript::go_by(&mut self.model, by);
            return Vec::new();
        }
        lists::steps(&mut self.model, panel, by);
        self.hold(panel);
        self.more_runs(panel)
    }

    fn click(&mut self, zone: Zone) -> Vec<Cmd> {
        self.clicked = Some(Action::Open);
        match zone {
            Zone::Key(action) => return self.button(action),
            Zone::Row(field, row) => return self.layer(|layer, model| layer.click(field, row, model)),
            _ if !self.model.layers.is_empty() => return Vec::new(),
            _ if self.model.message.open && zone != Zone::Message => return Vec::new(),
            _ => {}
        }
        let again = self.is_selected(&zone);
        match &zone {
            Zone::Panel(panel) => self.model.focus = *panel,
            Zone::Message => return self.act(Hit { action: Action::Message, nth: 0 }),
            Zone::Banner(kind) => {
                let choices = crate::ui::dialog::banner::BannerDialog::new(&self.model, Some(*kind));
                return self.open(choices);
            }
            Zone::Key(_) | Zone::Row(..) => return Vec::new(),
            Zone::Offer => self.model.lists.run = None,
            Zone::Spot(spot) => {
                self.model.focus = Panel::Loop;
                let place = super::transcript::Place { at: Some(*spot), skip: 0 };
                super::transcript::go(&mut self.model, place);
            }
            Zone::Call(call) => {
                self.model.focus = Panel::Queue;
                self.model.lists.call = Some(call.clone());
            }
            Zone::Checkpoint(seq) => {
                self.model.focus = Panel::Checkpoints;
                self.model.lists.checkpoint = Some(*seq);
            }
            Zone::Run(run) => {
                if self.model.run.is_some() {
                    self.model.focus = Panel::Runs;
                }
                self.model.lists.run = Some(run.clone());
            }
            Zone::Slot(slot) => {
                self.model.focus = Panel::Context;
                self.model.lists.slot = *slot;
            }
            Zone::Plan(item) => {
                self.model.focus = Panel::Plan;
                self.model.lists.plan = *item;
            }
        }
        if again {
            return self.act(Hit { action: Action::Open, nth: 0 });
        }
        self.hold_below();
        Vec::new()
    }

    fn is_selected(&self, zone: &Zone) -> bool {
        let (model, lists) = (&self.model, &self.model.lists);
        match zone {
            Zone::Spot(spot) => model.focus == Panel::Loop && model.transcript.at == Some(*spot),
            Zone::Call(call) => model.focus == Panel::Queue && lists.call.as_ref() == Some(call),
            Zone::Checkpoint(seq) => model.focus == Panel::Checkpoints && lists.checkpoint == Some(*seq),
            Zone::Run(run) => {
                (model.run.is_none() || model.focus == Panel::Runs) && lists.run.as_ref() == Some(run)
            }
            Zone::Offer => super::lists::selected_run(model).is_none(),
            Zone::Slot(slot) => model.focus == Panel::Context && lists.slot == *slot,
            Zone::Plan(item) => model.focus == Panel::Plan && lists.plan == *item,
            Zone::Panel(_) | Zone::Banner(_) | Zone::Key(_) | Zone::Row(..) | Zone::Message => false,
        }
    }

    /// A key with its words was clicked.
    fn button(&mut self, action: Action) -> Vec<Cmd> {
        // Of keys that share their words one is meant.
        let hit = match action {
            Action::PanelFocus => Hit { action: Action::FocusNext, nth: 0 },
            Action::OptionPick => Hit { action: Action::LineDown, nth: 0 },
            Action::PickMove | Action::CaretOrChoice => Hit { action, nth: 1 },
            _ => Hit { action, nth: 0 },
        };
        self.clicked = Some(action);
        // While a message is typed, only its own keys work.
        if self.model.message.open && self.model.look.keys.key_of(self.live(), hit.action).is_none() {
            return Vec::new();
        }
        if takes_key(action) || self.model.layers.last().is_some_and(|layer| layer.by_key(action)) {
            self.refuse_click();
            return Vec::new();
        }
        self.hit(hit)
    }

    /// Says which key does what was clicked.
    pub(super) fn refuse_click(&mut self) {
        let live = self.live();
        let clicked = self.clicked.into_iter().chain([Action::Open, Action::TextSubmit]);
        let key = clicked.filter_map(|action| self.model.look.keys.key_of(live, action)).next();
        self.say(self.model.words().notes.takes_key(&key.unwrap_or_default()));
    }

    /// Whether this would let a run go on.
    pub(super) fn goes_on_with(&self, action: Action) -> bool {
        match action {
            Action::RollbackRedo => true,
            Action::PauseToggle => self.model.view().is_some_and(|view| match view.state.status() {
                Status::Paused => true,
                Status::Running | Status::Waiting(_) => {
                    view.state.ledger.hold.is_some()
                        || !(view.alive || self.model.working.contains(&view.state.run))
                }
                Status::Ended(outcome) => matches!(outcome, Outcome::Failed(_)) || self.model.reopens(),
            }),
            _ => false,
        }
    }
}

impl Zone {
    /// The panel that it is; none for what lies in one.
    fn panel(&self) -> Option<Panel> {
        match self {
            Zone::Panel(panel) => Some(*panel),
            Zone::Spot(_)
            | Zone::Call(_)
            | Zone::Checkpoint(_)
            | Zone::Run(_)
            | Zone::Slot(_)
            | Zone::Plan(_)
            | Zone::Banner(_)
            | Zone::Key(_)
            | Zone::Message
            | Zone::Offer
            | Zone::Row(..) => None,
        }
    }

    /// Whether it is pressed and let go like a button.
    fn is_button(&self) -> bool {
        match self {
            Zone::Key(_) | Zone::Offer => true,
            Zone::Panel(_)
            | Zone::Spot(_)
            | Zone::Call(_)
            | Zone::Checkpoint(_)
            | Zone::Run(_)
            | Zone::Slot(_)
            | Zone::Plan(_)
            | Zone::Banner(_)
            | Zone::Message
            | Zone::Row(..) => false,
        }
    }
}

/// Whether an action lets something happen wherever it stands.
fn takes_key(action: Action) -> bool {
    matches!(
        action,
        Action::ApproveOnce
            | Action::EffectReuse
            | Action::EffectHappened
            | Action::EffectRerun
            | Action::EffectSkip
            | Action::RollbackDo
            | Action::RollbackNoFiles
            | Action::RollbackRedo
    )
}

/// Whether a control lets something happen, now or later: it is not posted for a click.
pub(super) fn lets_happen(control: &Control) -> bool {
    match control {
        Control::Decide { decision, .. } => !matches!(decision, Decision::Deny { .. }),
        Control::Continue
        | Control::Cancel
        | Control::EditGoal { .. }
        | Control::EditPlan { .. }
        | Control::SetLimits { .. }
        | Control::SetMode { .. }
        | Control::SetModel { .. }
        | Control::StopCall { .. }
        | Control::Rollback { .. }
        | Control::Redo => true,
        Control::Pause { .. } | Control::Message { .. } | Control::ExtendTimeout { .. } => false,
    }
}
