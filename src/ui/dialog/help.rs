//! Help: the keys that work at this place and everywhere, made from the keymap, found by typing and run with Enter.

use super::parts::{self, key};
use super::pick::{Pick, Picked};
use super::{Dialog, Shown, Step};
use crate::ui::app::model::Model;
use crate::ui::keys::{Action, Ctx, Help, Hint, Hit, live};
use crate::ui::text::{Align, Strength, one_line, pad, width};
use crate::ui::theme::Role;
use crate::ui::view::Zone;
use crate::ui::view::foot::available;
use crate::ui::view::paint::{Part, Pen, part, row, top_for};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Least cells for two columns.
const TWO: u16 = 60;

/// The dialog.
#[derive(Debug)]
pub struct HelpDialog {
    help: Help,
    /// The name of the place, neutral.
    place: String,
    /// Those here stand first, then those of everywhere.
    pick: Pick,
}

impl HelpDialog {
    /// Help over a place where these keys live.
    pub fn new(model: &Model, live: &[Ctx], place: &str) -> Box<dyn Dialog> {
        let help = model.look.keys.help(live, model.look.lang, |action| available(model, action));
        let place = one_line(place, Strength::Prose).shown();
        Box::new(Self { help, place, pick: Pick::new(10) })
    }

    /// What fits the filter: here, and everywhere.
    fn columns_found(&self) -> (Vec<&Hint>, Vec<&Hint>) {
        let typed = self.pick.editor.text().trim().to_lowercase();
        let fits = |hint: &&Hint| {
            typed.is_empty()
                || hint.words.to_lowercase().contains(&typed)
                || hint.keys.to_lowercase() == typed
                || hint.action.name().contains(&typed)
        };
        (self.help.here.iter().filter(fits).collect(), self.help.everywhere.iter().filter(fits).collect())
    }

    /// The actions found, in the order of the places.
    fn found(&self) -> Vec<Action> {
        let (here, everywhere) = self.columns_found();
        here.iter().chain(&everywhere).map(|hint| hint.action).collect()
    }

    fn signs(model: &Model) -> Vec<Part<'static>> {
        let (words, glyphs) = (&model.words().help, model.look.glyphs);
        let all = [
            (Role::NeedsYou, glyphs.needs_you, words.needs_you),
            (Role::Accent, glyphs.running, words.running),
            (Role::Ok, glyphs.done, words.done),
            (Role::Danger, glyphs.failed, words.failed),
            (Role::Muted, glyphs.denied, words.no),
            (Role::Warn, glyphs.unsure, words.unsure),
        ];
        let mut parts = vec![part(Role::Base, words.signs)];
        for (role, sign, text) in all {
            parts.push(part(role, format!("  {sign}")));
            parts.push(part(Role::Base, format!(" {text}")));
        }
        parts
    }

    fn column(&self, pen: &mut Pen<'_>, area: Rect, head: &str, hints: &[&Hint], first: usize, top: usize) {
        let keys = hints.iter().map(|hint| width(&hint.keys)).max().unwrap_or(0).min(14);
        if top == 0 {
            pen.left(row(area, 0), &[part(Role::Muted, head)]);
        }
        let skip = top.saturating_sub(1);
        let begin = usize::from(top == 0);
        let room = usize::from(area.height).saturating_sub(begin);
        for (n, hint) in hints.iter().skip(skip).take(room).enumerate() {
            let here = first + skip + n == self.pick.marked;
            let mark = if here { pen.look.glyphs.selected } else { " " };
            let role = if here { Role::Accent } else { Role::Base };
            let name = format!("{}  ", pad(&hint.keys, keys, Align::Left));
            let parts = [part(Role::Accent, mark), part(Role::Accent, name), part(role, hint.words)];
            pen.left(row(area, begin + n), &parts);
            pen.note(row(area, begin + n), Zone::Row(0, first + skip + n));
        }
    }
}

impl Dialog for HelpDialog {
    fn live(&self) -> &'static [Ctx] {
        live::PICK
    }

    fn title(&self, model: &Model) -> (String, String) {
        (model.words().help.title_of(&self.place), String::new())
    }

    fn rows(&self, _model: &Model, width: u16) -> u16 {
        let (here, everywhere) = (self.help.here.len(), self.help.everywhere.len());
        let rows = if width >= TWO { here.max(everywhere) + 1 } else { here + everywhere + 2 };
        u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2)
    }

    fn columns(&self) -> u16 {
        100
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().help;
        let keys = live::PICK;
        let mut shown = Shown { end: true, ..Shown::default() };
        let last = row(area, usize::from(area.height - 1));
        // The filter stands before the keys of the last row.
        let label = format!("{} ", words.filter);
        let used = pen.left(last, &[part(Role::Muted, label)]);
        let field = Rect { x: last.x + used, width: (last.width - used).min(14), ..last };
        let rest = Rect { x: field.right(), width: last.right() - field.right(), ..last };
        let run = [
            key(model, keys, Action::TextSubmit, words.runs_it),
            key(model, keys, Action::Back, words.close),
        ];
        parts::keys(&mut pen, rest, &[], &run);
        shown.caret = self.pick.editor.draw(&mut pen, field, true, "");
        let signs = u16::from(area.height > 4);
        if signs > 0 {
            pen.left(row(area, usize::from(area.height - 2)), &Self::signs(model));
        }
        let list = Rect { height: area.height - 1 - signs, ..area };
        let (here, everywhere) = self.columns_found();
        let rows = usize::from(list.height);
        shown.rows = rows;
        if here.is_empty() && everywhere.is_empty() {
            pen.left(row(list, 0), &[part(Role::Muted, words.nothing)]);
            return shown;
        }
        if list.width >= TWO {
            let left = Rect { width: list.width / 2, ..list };
            let right = Rect { x: left.right() + 1, width: list.width - left.width - 1, ..list };
            let at =
                if self.pick.marked < here.len() { self.pick.marked } else { self.pick.marked - here.len() };
            let top = top_for(0, at + 1, rows, here.len().max(everywhere.len()) + 1);
            self.column(&mut pen, left, words.here, &here, 0, top);
            self.column(&mut pen, right, words.everywhere, &everywhere, here.len(), top);
        } else {
            let all: Vec<&Hint> = here.iter().chain(&everywhere).copied().collect();
            let top = top_for(0, self.pick.marked + 1, rows, all.len() + 1);
            self.column(&mut pen, list, words.here, &all, 0, top);
        }
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
                Some(action) => Step::Act(*action, 0),
                None => Step::Say(model.words().help.nothing.to_owned()),
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
