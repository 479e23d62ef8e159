//! The mouse: a click selects, a second one opens, the wheel scrolls what is under it, a border is dragged. A click never
//! decides a call.

use super::App;
use super::msg::Cmd;
use crate::ui::keys::{Action, Hit};
use crate::ui::layout::Panel;
use crate::ui::view::Zone;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

/// Rows that a turn of the wheel moves.
const WHEEL: usize = 3;

impl App {
    pub(super) fn mouse(&mut self, event: MouseEvent) -> Vec<Cmd> {
        let at = Position { x: event.column, y: event.row };
        match event.kind {
            MouseEventKind::ScrollUp => self.wheel(at, Action::LineUp),
            MouseEventKind::ScrollDown => self.wheel(at, Action::LineDown),
            // A press and its release on the same place: a drag that ends there is no click.
            MouseEventKind::Down(MouseButton::Left) => {
                self.pressed = self.zone(at);
                let layout = self.model.drawn.layout.as_ref().filter(|_| self.model.layers.is_empty());
                self.dragged = layout.and_then(|layout| layout.border_at(at));
                Vec::new()
            }
            MouseEventKind::Drag(MouseButton::Left) => {
                self.drag(at);
                Vec::new()
            }
            MouseEventKind::Up(MouseButton::Left) => {
                let zone = self.zone(at);
                self.dragged = None;
                match self.pressed.take() {
                    Some(pressed) if zone.as_ref() == Some(&pressed) => self.click(pressed),
                    Some(_) | None => Vec::new(),
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

    fn zone(&self, at: Position) -> Option<Zone> {
        let zones = self.model.drawn.zones.iter().rev();
        zones.filter(|(rect, _)| rect.contains(at)).map(|(_, zone)| zone.clone()).next()
    }

    fn panel_at(&self, at: Position) -> Option<Panel> {
        self.model.drawn.zones.iter().rev().find_map(|(rect, zone)| match zone {
            Zone::Panel(panel) if rect.contains(at) => Some(*panel),
            Zone::Panel(_)
            | Zone::Spot(_)
            | Zone::Call(_)
            | Zone::Checkpoint(_)
            | Zone::Run(_)
            | Zone::Slot(_)
            | Zone::Plan(_)
            | Zone::Banner(_)
            | Zone::Key(_)
            | Zone::Message => None,
        })
    }

    fn wheel(&mut self, at: Position, action: Action) -> Vec<Cmd> {
        let hit = Hit { action, nth: 0 };
        let mut commands = Vec::new();
        for _ in 0..WHEEL {
            if !self.model.layers.is_empty() {
                commands.extend(self.layer(|layer, model| layer.act(hit, model)));
                continue;
            }
            // What is under the wheel moves, and the focus stays.
            let focus = self.model.focus;
            if let Some(panel) = self.panel_at(at) {
                self.model.focus = panel;
            }
            commands.extend(self.act(hit));
            self.model.focus = focus;
        }
        commands
    }

    fn click(&mut self, zone: Zone) -> Vec<Cmd> {
        // Dialogs are answered with keys alone.
        if !self.model.layers.is_empty() {
            return Vec::new();
        }
        if self.model.message.open && zone != Zone::Message {
            return Vec::new();
        }
        let again = self.is_selected(&zone);
        match &zone {
            Zone::Panel(panel) => self.model.focus = *panel,
            Zone::Message => return self.act(Hit { action: Action::Message, nth: 0 }),
            Zone::Banner(kind) => {
                let choices = crate::ui::dialog::banner::BannerDialog::new(&self.model, Some(*kind));
                return self.open(choices);
            }
            Zone::Key(action) => return self.act(Hit { action: *action, nth: 0 }),
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
        if again { self.act(Hit { action: Action::Open, nth: 0 }) } else { Vec::new() }
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
            Zone::Slot(_)
            | Zone::Plan(_)
            | Zone::Panel(_)
            | Zone::Banner(_)
            | Zone::Key(_)
            | Zone::Message => false,
        }
    }
}
