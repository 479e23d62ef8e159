//! The palette: all commands that work at this place, found by typing; on the screen of a run also those of its other
//! panels, with where they work. Choosing one of these goes there first.

use super::parts::{self, key};
use super::pick::{Pick, Picked};
use super::{Dialog, Shown, Step};
use crate::ui::app::model::Model;
use crate::ui::keys::{Action, Command, Ctx, Hit, TABLE, live, search};
use crate::ui::layout::Panel;
use crate::ui::theme::Role;
use crate::ui::view::Zone;
use crate::ui::view::head::name;
use crate::ui::view::paint::{Pen, part, row, top_for};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Most commands that the dialog asks room for.
const ROWS: usize = 16;

/// The panels with keys of their own.
const PANELS: [(Panel, Ctx); 3] =
    [(Panel::Loop, Ctx::Loop), (Panel::Queue, Ctx::Queue), (Panel::Checkpoints, Ctx::Chk)];

/// The panel in which alone an action works, if there is one.
pub fn panel_of(action: Action) -> Option<Panel> {
    let of = |ctx: Ctx| TABLE.iter().any(|row| row.action == action && row.ctx == ctx);
    PANELS.iter().find(|(_, ctx)| of(*ctx)).map(|(panel, _)| *panel)
}

/// The dialog.
#[derive(Debug)]
pub struct PaletteDialog {
    commands: Vec<Command>,
    pick: Pick,
}

impl PaletteDialog {
    /// The palette over a place where these keys live.
    pub fn new(model: &Model, live: &[Ctx]) -> Box<dyn Dialog> {
        let here = |action| action != Action::PaletteOpen;
        let mut commands = model.look.keys.commands(live, model.look.lang, here);
        // What is of this place comes first, then what works everywhere, as in help.
        let help = model.look.keys.help(live, model.look.lang, here);
        let order: Vec<Action> = help.here.iter().chain(&help.everywhere).map(|hint| hint.action).collect();
        let rank = |action| order.iter().position(|one| *one == action).unwrap_or(order.len());
        commands.sort_by_key(|command| rank(command.action));
        let mut seen = Vec::new();
        commands.retain(|command| {
            let new = !seen.contains(&command.action);
            seen.push(command.action);
            new
        });
        for (panel, ctx) in PANELS.iter().filter(|(_, ctx)| live.contains(&Ctx::Run) && !live.contains(ctx)) {
            let place = format!("{} {}", panel.number(), name(model, *panel));
            let of_panel = model.look.keys.commands(&[*ctx], model.look.lang, here);
            commands.extend(of_panel.into_iter().map(|one| Command { place: Some(place.clone()), ..one }));
        }
        Box::new(Self { commands, pick: Pick::new(ROWS) })
    }

    fn found(&self) -> Vec<Command> {
        search(&self.commands, &self.pick.editor.text())
    }
}

impl Dialog for PaletteDialog {
    fn live(&self) -> &'static [Ctx] {
        live::PICK
    }

    fn title(&self, model: &Model) -> (String, String) {
        (model.words().palette.title.to_owned(), String::new())
    }

    fn rows(&self, _model: &Model, _width: u16) -> u16 {
        // As high for every search, so that nothing jumps while one types.
        u16::try_from(self.commands.len().min(ROWS)).unwrap_or(u16::MAX).saturating_add(3)
    }

    fn columns(&self) -> u16 {
        64
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let (words, glyphs) = (&model.words().palette, model.look.glyphs);
        let key = |action, words: &str| key(model, live::PICK, action, words);
        let last = row(area, usize::from(area.height - 1));
        let left = [key(Action::PickMove, words.choose), key(Action::TextSubmit, words.run)];
        parts::keys(&mut pen, last, &left, &[key(Action::Back, words.close)]);
        let mut shown = Shown { end: true, ..Shown::default() };
        if area.height < 2 {
            return shown;
        }
        shown.caret = self.pick.editor.draw(&mut pen, row(area, 0), true, "");
        let list = Rect { y: area.y + 1, height: area.height - 2, ..area };
        let found = self.found();
        let rows = usize::from(list.height);
        let top = top_for(0, self.pick.marked, rows, found.len());
        shown.hidden = (top, found.len().saturating_sub(top + rows));
        for (n, command) in found.iter().skip(top).take(rows).enumerate() {
            let here = top + n == self.pick.marked;
            let mark = if here { glyphs.selected } else { " " };
            let role = if here { Role::Accent } else { Role::Base };
            let left = [part(Role::Accent, format!("{mark} ")), part(role, command.words)];
            let place = command.place.iter().map(|place| format!("{place}  "));
            let right = format!("{}{}  ", place.collect::<String>(), command.key);
            pen.ends(row(list, n), &left, &[part(Role::Muted, right)]);
            pen.note(row(list, n), Zone::Row(0, top + n));
        }
        let end = if found.is_empty() { words.nothing } else { words.nothing_else };
        if found.len() < rows && !self.pick.editor.is_empty() {
            pen.left(row(list, found.len()), &[part(Role::Muted, format!("  {end}"))]);
        }
        shown.rows = rows;
        shown
    }

    fn click(&mut self, _field: usize, row: usize, model: &mut Model) -> Step {
        if self.pick.marked == row {
            return self.act(Hit { action: Action::TextSubmit, nth: 0 }, model);
        }
        self.pick.marked = row;
        Step::Stay
    }

    fn drawn(&mut self, shown: Shown, _at: std::time::Instant) {
        self.pick.drawn(shown.rows);
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        let found = self.found();
        match self.pick.act(hit, found.len()) {
            Picked::Chosen => match found.get(self.pick.marked) {
                Some(one) => Step::Act(one.action, 0),
                None => Step::Say(model.words().palette.nothing.to_owned()),
            },
            Picked::Stays => Step::Stay,
            Picked::NotHere => parts::not_here(model),
        }
    }

    fn key(&mut self, key: &KeyEvent, _model: &mut Model) -> Step {
        let found = self.found().len();
        self.pick.key(key, found);
        Step::Stay
    }

    fn paste(&mut self, text: &str, _model: &mut Model) -> Step {
        self.pick.paste(text);
        Step::Stay
    }
}
