//! Help: the keys that work at this place and everywhere, made from the keymap, found by typing and run with Enter.

use super::parts::{self, key};
use super::pick::{Pick, Picked};
use super::{Dialog, Shown, Step};
use crate::ui::app::model::Model;
use crate::ui::keys::{Action, Ctx, Help, Hint, Hit, live};
use crate::ui::text::{Align, Line, Strength, Wrap, one_line, pad, width, wrap};
use crate::ui::theme::Role;
use crate::ui::view::Zone;
use crate::ui::view::foot::available;
use crate::ui::view::paint::{Part, Pen, part, row, top_for};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Cells of the filter, and under so many cells in all it has no name.
const FIELD: u16 = 14;
const NARROW: u16 = 54;
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

    /// The signs and what they mean, in as many rows as they need.
    fn signs(model: &Model, cells: usize) -> Vec<Vec<Part<'static>>> {
        let (words, glyphs) = (&model.words().help, model.look.glyphs);
        let all = [
            (Role::NeedsYou, glyphs.needs_you, words.needs_you),
            (Role::Accent, glyphs.running, words.running),
            (Role::Ok, glyphs.done, words.done),
            (Role::Danger, glyphs.failed, words.failed),
            (Role::Muted, glyphs.denied, words.no),
            (Role::Warn, glyphs.unsure, words.unsure),
        ];
        let mut rows = vec![vec![part(Role::Base, words.signs)]];
        let mut used = width(words.signs);
        for (role, sign, text) in all {
            let own = width(text) + 4;
            let next = used + own > cells;
            if next {
                rows.push(Vec::new());
            }
            used = if next { own } else { used + own };
            let gap = if next { "" } else { "  " };
            let group = [part(role, format!("{gap}{sign}")), part(Role::Base, format!(" {text}"))];
            rows.last_mut().into_iter().for_each(|row| row.extend(group.clone()));
        }
        rows
    }

    /// The lines of a column: its head, and each key with its words, over as many lines as these need.
    fn lines(head: &str, hints: &[&Hint], first: usize, cells: usize) -> Vec<HelpLine> {
        let keys = hints.iter().map(|hint| width(&hint.keys)).max().unwrap_or(0).min(14);
        let mut lines = vec![HelpLine { item: None, key: String::new(), words: head.to_owned() }];
        for (n, hint) in hints.iter().enumerate() {
            let words = Line::plain(hint.words);
            let words = wrap(&words, cells.saturating_sub(keys + 3).max(1), Wrap::Words);
            for (nth, words) in words.into_iter().enumerate() {
                let key = if nth == 0 { hint.keys.as_str() } else { "" };
                let key = format!("{}  ", pad(key, keys, Align::Left));
                lines.push(HelpLine { item: Some(first + n), key, words: words.shown() });
            }
        }
        lines
    }

    /// The columns at a width: here and everywhere beside each other, or under each other.
    fn laid(&self, model: &Model, cells: u16) -> Vec<Vec<HelpLine>> {
        let words = &model.words().help;
        let (here, everywhere) = self.columns_found();
        let half = usize::from(cells) / 2;
        let two = cells >= TWO;
        let room = |right: bool| match (two, right) {
            (true, false) => half,
            (true, true) => usize::from(cells).saturating_sub(half + 1),
            (false, _) => usize::from(cells),
        };
        let mut left = Self::lines(words.here, &here, 0, room(false));
        let right = Self::lines(words.everywhere, &everywhere, here.len(), room(true));
        if two {
            return vec![left, right];
        }
        left.extend(right);
        vec![left]
    }

    fn column(&self, pen: &mut Pen<'_>, area: Rect, lines: &[HelpLine], top: usize) {
        for (n, line) in lines.iter().skip(top).take(usize::from(area.height)).enumerate() {
            let place = row(area, n);
            let Some(item) = line.item else {
                pen.left(place, &[part(Role::Muted, line.words.as_str())]);
                continue;
            };
            let here = item == self.pick.marked;
            let mark = if here { pen.look.glyphs.selected } else { " " };
            let role = if here { Role::Accent } else { Role::Base };
            let words = part(role, line.words.as_str());
            pen.left(place, &[part(Role::Accent, mark), part(Role::Accent, line.key.as_str()), words]);
            pen.note(place, Zone::Row(0, item));
        }
    }
}

/// A line of a column.
struct HelpLine {
    /// The place of the key among those found; none of a head.
    item: Option<usize>,
    key: String,
    words: String,
}

impl Dialog for HelpDialog {
    fn live(&self) -> &'static [Ctx] {
        live::PICK
    }

    fn title(&self, model: &Model) -> (String, String) {
        (model.words().help.title_of(&self.place), String::new())
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        let rows = self.laid(model, width).iter().map(Vec::len).max().unwrap_or(0);
        let signs = Self::signs(model, usize::from(width)).len();
        u16::try_from(rows + signs + 1).unwrap_or(u16::MAX)
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
        // The mark of the field says it too, where there is less room.
        let label = if last.width >= NARROW { label } else { String::new() };
        let used = pen.left(last, &[part(Role::Muted, label)]);
        let field = Rect { x: last.x + used, width: (last.width - used).min(FIELD), ..last };
        let field =
            if last.width >= NARROW { field } else { Rect { width: field.width.min(FIELD / 2), ..field } };
        let rest = Rect { x: field.right(), width: last.right() - field.right(), ..last };
        let run = [
            key(model, keys, Action::TextSubmit, words.runs_it),
            key(model, keys, Action::Back, words.close),
        ];
        parts::keys(&mut pen, rest, &[], &run);
        shown.caret = self.pick.editor.draw(&mut pen, field, true, "");
        let all = Self::signs(model, usize::from(area.width));
        let signs = u16::try_from(all.len()).unwrap_or(u16::MAX);
        let signs = if area.height > signs.saturating_add(3) { signs } else { 0 };
        for (nth, parts) in all.iter().enumerate().take(usize::from(signs)) {
            pen.left(row(area, usize::from(area.height - 1 - signs) + nth), parts);
        }
        let list = Rect { height: area.height - 1 - signs, ..area };
        let (here, everywhere) = self.columns_found();
        let rows = usize::from(list.height);
        shown.rows = rows;
        if here.is_empty() && everywhere.is_empty() {
            pen.left(row(list, 0), &[part(Role::Muted, words.nothing)]);
            return shown;
        }
        let columns = self.laid(model, list.width);
        let of = |lines: &Vec<HelpLine>| lines.iter().rposition(|line| line.item == Some(self.pick.marked));
        let at = columns.iter().find_map(of).unwrap_or(0);
        let most = columns.iter().map(Vec::len).max().unwrap_or(0);
        let top = top_for(0, at, rows, most);
        shown.hidden = (top, most.saturating_sub(top + rows));
        let left = if columns.len() > 1 { list.width / 2 } else { list.width };
        let places = [
            Rect { width: left, ..list },
            Rect {
                x: (list.x + left + 1).min(list.right()),
                width: list.width.saturating_sub(left + 1),
                ..list
            },
        ];
        for (lines, place) in columns.iter().zip(places) {
            self.column(&mut pen, place, lines, top);
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
