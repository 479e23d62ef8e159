//! A form: fields of text and choices under each other, one of them with the focus.

use super::Shown;
use super::flow::Flow;
use crate::ui::edit::Editor;
use crate::ui::keys::{Action, Hit};
use crate::ui::text::{Align, Strength, cut, fit, one_line, width};
use crate::ui::theme::{Glyphs, Role};
use crate::ui::view::Zone;
use crate::ui::view::paint::{Part, Pen, part, row};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};

/// What is entered in a field.
#[derive(Debug)]
pub enum Entry {
    /// A text of one line.
    Line(Editor),
    /// A text of several lines.
    Text(Editor),
    /// Entries, one a line.
    List(Editor),
    /// One of these, neutral; the chosen one.
    Choice(Vec<String>, usize),
    /// Rows under each other, neutral; the selected one is opened.
    Rows(Vec<String>, usize),
}

/// What was entered in a field, kept while the form is closed.
pub type Draft = Vec<String>;

/// A field.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub label: &'static str,
    /// What is entered.
    pub entry: Entry,
    /// What stands there while nothing is entered.
    pub hint: &'static str,
    /// What is said about it, neutral.
    pub note: String,
    /// Signs before entries of a list, shown while nobody writes in it.
    pub signs: Vec<(String, &'static str)>,
    /// What was chosen before the person chose.
    first: usize,
}

impl Field {
    /// A field.
    pub fn new(label: &'static str, entry: Entry, hint: &'static str) -> Self {
        let first = match &entry {
            Entry::Choice(_, at) | Entry::Rows(_, at) => *at,
            Entry::Line(_) | Entry::Text(_) | Entry::List(_) => 0,
        };
        Self { label, entry, hint, note: String::new(), signs: Vec::new(), first }
    }

    /// The text that was entered.
    pub fn text(&self) -> String {
        match &self.entry {
            Entry::Line(editor) | Entry::Text(editor) | Entry::List(editor) => editor.text(),
            Entry::Choice(all, at) | Entry::Rows(all, at) => all.get(*at).cloned().unwrap_or_default(),
        }
    }

    /// What is kept of it. A choice that was left as it was is none: another default may hold when it is put back.
    fn draft(&self) -> String {
        match &self.entry {
            Entry::Choice(_, at) if *at == self.first => String::new(),
            Entry::Choice(..) | Entry::Line(_) | Entry::Text(_) | Entry::List(_) | Entry::Rows(..) => {
                self.text()
            }
        }
    }

    /// Puts back what was entered before; undo leads to what stood there first.
    fn put(&mut self, text: &str) {
        match &mut self.entry {
            Entry::Line(editor) | Entry::Text(editor) | Entry::List(editor) => editor.set(text),
            Entry::Choice(all, at) => *at = all.iter().position(|one| one == text).unwrap_or(*at),
            Entry::Rows(..) => {}
        }
    }

    /// The entries of a list that are not blank.
    pub fn entries(&self) -> Vec<String> {
        self.text().lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    /// Its name; one whose rows stand below it is parted by a rule from what is above.
    fn head(&self, label: u16, cells: u16, focused: bool, glyphs: &Glyphs) -> Vec<Part<'static>> {
        let role = if focused { Role::Accent } else { Role::Muted };
        if let (Entry::Rows(..), false) = (&self.entry, self.label.is_empty()) {
            let room = usize::from(cells).saturating_sub(width(self.label) + 3);
            return vec![part(role, format!("{} ", self.label)), part(Role::Muted, glyphs.rule.repeat(room))];
        }
        let name = fit(self.label, usize::from(label), Align::Left, glyphs.ellipsis).into_owned();
        vec![part(role, name)]
    }

    /// The entries on one line; where they have signs these part them, as on the goal's line.
    fn joined(&self, dot: &str) -> String {
        let with_sign = |entry: String| match self.signs.iter().find(|(known, _)| *known == entry) {
            Some((_, sign)) => format!("{sign} {entry}"),
            None => entry,
        };
        let all: Vec<String> = self.entries().into_iter().map(with_sign).collect();
        let between = if self.signs.is_empty() { format!(" {dot} ") } else { "   ".to_owned() };
        all.join(&between)
    }

    fn editor(&mut self) -> Option<&mut Editor> {
        match &mut self.entry {
            Entry::Line(editor) | Entry::Text(editor) | Entry::List(editor) => Some(editor),
            Entry::Choice(..) | Entry::Rows(..) => None,
        }
    }

    fn height(&self, focused: bool, cells: u16) -> u16 {
        match &self.entry {
            Entry::Line(_) | Entry::Choice(..) => 1,
            Entry::Rows(all, _) => {
                let rows = all.len() + usize::from(!self.label.is_empty());
                u16::try_from(rows).unwrap_or(u16::MAX).max(1)
            }
            Entry::List(_) if !focused => 1,
            Entry::Text(editor) | Entry::List(editor) => editor.rows(cells).clamp(1, 8),
        }
    }

    fn draw(&self, pen: &mut Pen<'_>, area: Rect, focused: bool) -> Option<Position> {
        let glyphs = pen.look.glyphs;
        match &self.entry {
            Entry::Choice(all, at) => {
                let dot = |chosen| if chosen { glyphs.current } else { " " };
                let many: usize = all.iter().map(|one| width(one) + 7).sum();
                let text = if all.len() <= 4 && many <= usize::from(area.width) {
                    let one = |(n, text): (usize, &String)| format!("({}) {text}", dot(n == *at));
                    all.iter().enumerate().map(one).collect::<Vec<_>>().join("   ")
                } else {
                    let arrows =
                        if focused { format!("   {}/{}", glyphs.left, glyphs.right) } else { String::new() };
                    format!("{}{arrows}", all.get(*at).map_or("", String::as_str))
                };
                let mark = if focused { glyphs.field } else { " " };
                let role = if focused { Role::Accent } else { Role::Base };
                pen.left(row(area, 0), &[part(Role::Accent, mark), part(role, text)]);
                None
            }
            Entry::Rows(all, at) => {
                for (n, text) in all.iter().enumerate().take(usize::from(area.height)) {
                    let here = focused && n == *at;
                    let mark = if here { glyphs.selected } else { " " };
                    let role = if here { Role::Accent } else { Role::Base };
                    pen.left(row(area, n), &[part(Role::Accent, mark), part(role, text.as_str())]);
                }
                None
            }
            Entry::List(editor) if !focused => {
                let all = self.joined(glyphs.dot);
                let shown = one_line(&all, Strength::Own);
                let line = row(area, 0);
                if editor.is_empty() {
                    pen.left(line, &[part(Role::Muted, format!(" {}", self.hint))]);
                } else if line.width > 0 {
                    pen.line(Rect { x: line.x + 1, width: line.width - 1, ..line }, &shown, Role::Base);
                }
                None
            }
            Entry::Line(editor) | Entry::Text(editor) | Entry::List(editor) => {
                editor.draw(pen, area, focused, self.hint)
            }
        }
    }
}

/// What became of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did {
    /// It is not about the form.
    Nothing,
    /// Something in it changed.
    Changed,
    /// Another field has the focus; this one lost it.
    Left(usize),
    /// It is to be saved.
    Save,
    /// The selected row of a field of rows is to be opened.
    Open(usize),
}

/// The form.
#[derive(Debug)]
pub struct Form {
    /// Its fields.
    pub fields: Vec<Field>,
    at: usize,
}

impl Form {
    /// A form with the focus on its first field.
    pub fn new(fields: Vec<Field>) -> Self {
        Self { fields, at: 0 }
    }

    /// What is entered in all fields.
    pub fn draft(&self) -> Draft {
        self.fields.iter().map(Field::draft).collect()
    }

    /// Puts back what was entered before.
    pub fn put(&mut self, draft: &Draft) {
        self.fields.iter_mut().zip(draft).for_each(|(field, text)| field.put(text));
    }

    /// The text of a field; empty if there is none.
    pub fn text(&self, nth: usize) -> String {
        self.fields.get(nth).map(Field::text).unwrap_or_default()
    }

    /// About how many tokens the texts of these fields take.
    pub fn tokens(&self, fields: &[usize]) -> u32 {
        let of = |nth: &usize| match self.fields.get(*nth).map(|field| &field.entry) {
            Some(Entry::Line(editor) | Entry::Text(editor) | Entry::List(editor)) => editor.tokens(),
            Some(Entry::Choice(..) | Entry::Rows(..)) | None => 0,
        };
        fields.iter().map(of).fold(0, u32::saturating_add)
    }

    /// The entries of a field.
    pub fn entries(&self, nth: usize) -> Vec<String> {
        self.fields.get(nth).map(Field::entries).unwrap_or_default()
    }

    /// The place of the chosen one in a field of choices.
    pub fn chosen(&self, nth: usize) -> usize {
        match self.fields.get(nth).map(|field| &field.entry) {
            Some(Entry::Choice(_, at) | Entry::Rows(_, at)) => *at,
            Some(Entry::Line(_) | Entry::Text(_) | Entry::List(_)) | None => 0,
        }
    }

    /// Gives a field the focus.
    pub fn focus(&mut self, nth: usize) {
        self.at = nth.min(self.fields.len().saturating_sub(1));
    }

    /// The place of the field with the focus.
    pub fn focused(&self) -> usize {
        self.at
    }

    /// Puts a field in at a place; the focus stays on its field.
    pub fn insert(&mut self, nth: usize, field: Field) {
        let nth = nth.min(self.fields.len());
        self.fields.insert(nth, field);
        self.at += usize::from(self.at >= nth && self.fields.len() > 1);
    }

    /// Takes a field out; the focus stays on its field, or goes to the one before.
    pub fn remove(&mut self, nth: usize) {
        if nth < self.fields.len() {
            self.fields.remove(nth);
            self.at -= usize::from(self.at >= nth && self.at > 0);
        }
    }

    /// The editor with the focus.
    pub fn editor(&mut self) -> Option<&mut Editor> {
        self.fields.get_mut(self.at)?.editor()
    }

    /// The word behind an `@` before the caret, where texts of several lines are written.
    pub fn at_word(&self) -> Option<(usize, String)> {
        match &self.fields.get(self.at)?.entry {
            Entry::Text(editor) | Entry::List(editor) => editor.at_word(),
            Entry::Line(_) | Entry::Choice(..) | Entry::Rows(..) => None,
        }
    }

    fn next(&mut self, forward: bool) -> Did {
        let (old, all) = (self.at, self.fields.len().max(1));
        self.at = if forward { (old + 1) % all } else { (old + all - 1) % all };
        Did::Left(old)
    }

    /// A field was clicked, or a row of one: it has the focus; a row that is selected already is opened.
    pub fn click(&mut self, field: usize, row: usize) -> Did {
        let old = self.at;
        self.focus(field);
        let moved = old != self.at;
        if let Some(Field { entry: Entry::Rows(all, at), .. }) = self.fields.get_mut(field) {
            let again = !moved && *at == row;
            *at = row.min(all.len().saturating_sub(1));
            if again && !all.is_empty() {
                return Did::Open(row);
            }
        }
        if moved { Did::Left(old) } else { Did::Nothing }
    }

    /// A bound key.
    pub fn act(&mut self, hit: Hit) -> Did {
        let at = self.at;
        let Some(field) = self.fields.get_mut(at) else { return Did::Nothing };
        match (hit.action, &mut field.entry) {
            (Action::TextSave, _) => return Did::Save,
            (Action::FieldNext, _) => return self.next(true),
            (Action::FieldPrev, _) => return self.next(false),
            (Action::TextSubmit, Entry::Rows(all, row)) if !all.is_empty() => return Did::Open(*row),
            (Action::TextEarlier, Entry::Rows(_, row)) if *row > 0 => *row -= 1,
            (Action::TextSubmit, Entry::Line(_) | Entry::Choice(..) | Entry::Rows(..)) => {
                return self.next(true);
            }
            (Action::TextSubmit, Entry::Text(editor) | Entry::List(editor)) => editor.newline(),
            (Action::TextNewline, Entry::Line(_)) => {}
            (Action::TextEarlier, Entry::Choice(..) | Entry::Rows(..)) => return self.next(false),
            (Action::TextEarlier, Entry::Line(editor) | Entry::Text(editor) | Entry::List(editor))
                if editor.first_line() && at > 0 =>
            {
                return self.next(false);
            }
            (Action::CaretOrChoice, Entry::Choice(all, chosen)) => {
                let last = all.len().saturating_sub(1);
                *chosen = if hit.nth > 0 { (*chosen + 1).min(last) } else { chosen.saturating_sub(1) };
            }
            (_, Entry::Line(editor) | Entry::Text(editor) | Entry::List(editor)) => {
                if !editor.act(hit) {
                    return Did::Nothing;
                }
            }
            (_, Entry::Choice(..) | Entry::Rows(..)) => return Did::Nothing,
        }
        Did::Changed
    }

    /// A key that is bound to nothing.
    pub fn key(&mut self, key: &KeyEvent) -> Did {
        let Some(field) = self.fields.get_mut(self.at) else { return Did::Nothing };
        match (key.code, &mut field.entry) {
            (KeyCode::Down, Entry::Rows(all, row)) if *row + 1 < all.len() => {
                *row += 1;
                Did::Changed
            }
            (KeyCode::Down, Entry::Choice(..) | Entry::Line(_) | Entry::Rows(..)) => self.next(true),
            (KeyCode::Char(' '), Entry::Choice(all, chosen)) => {
                *chosen = (*chosen + 1) % all.len().max(1);
                Did::Changed
            }
            (_, Entry::Line(editor) | Entry::Text(editor) | Entry::List(editor)) => {
                if editor.key(key) {
                    Did::Changed
                } else {
                    Did::Nothing
                }
            }
            (_, Entry::Choice(..) | Entry::Rows(..)) => Did::Nothing,
        }
    }

    /// Pasted text.
    pub fn paste(&mut self, text: &str) {
        let line = matches!(self.fields.get(self.at).map(|field| &field.entry), Some(Entry::Line(_)));
        let text = if line { text.trim().lines().next().unwrap_or_default() } else { text };
        if let Some(editor) = self.editor() {
            editor.insert(text);
        }
    }

    /// Draws it with what is said below it, over all rows but the last, which is that of the keys.
    pub fn draw_over(&self, foot: &Flow, area: Rect, pen: &mut Pen<'_>) -> Shown {
        let room = area.height.saturating_sub(1);
        let spare = room.saturating_sub(self.rows(area.width)).max(room / 3);
        let below = foot.height(area.width).min(spare).min(room);
        let fields = Rect { height: room - below, ..area };
        let (caret, hidden) = self.draw(pen, fields);
        foot.draw_cut(pen, Rect { y: fields.bottom(), height: below, ..area });
        Shown { end: true, rows: usize::from(fields.height), caret, hidden, ..Shown::default() }
    }

    /// Cells of the names.
    fn label(&self, cells: u16) -> u16 {
        let widest = self.fields.iter().map(|field| width(field.label)).max().unwrap_or(0) + 1;
        u16::try_from(widest).unwrap_or(u16::MAX).min(cells / 2)
    }

    /// Rows that it takes at a width.
    pub fn rows(&self, cells: u16) -> u16 {
        let room = cells - self.label(cells);
        let heights = self.fields.iter().enumerate().map(|(n, field)| field.height(n == self.at, room));
        heights.fold(0, u16::saturating_add)
    }

    /// Draws it, the field with the focus in view; gives the caret's place, and the rows above and below what is shown.
    pub fn draw(&self, pen: &mut Pen<'_>, area: Rect) -> (Option<Position>, (usize, usize)) {
        let label = self.label(area.width);
        let room = area.width - label;
        let heights: Vec<u16> =
            self.fields.iter().enumerate().map(|(n, f)| f.height(n == self.at, room)).collect();
        let end: u16 = heights.iter().take(self.at + 1).fold(0, |sum, rows| sum.saturating_add(*rows));
        let own = heights.get(self.at).copied().unwrap_or(0).min(area.height);
        let mut skip = end.saturating_sub(area.height).min(end.saturating_sub(own));
        let all = heights.iter().fold(0_u16, |sum, rows| sum.saturating_add(*rows));
        let (mut y, mut above) = (area.y, 0);
        let mut caret = None;
        for (n, field) in self.fields.iter().enumerate() {
            let rows = heights.get(n).copied().unwrap_or(0);
            if skip > 0 {
                skip = skip.saturating_sub(rows);
                above += rows;
                continue;
            }
            let rows = rows.min(area.bottom().saturating_sub(y));
            if rows == 0 {
                break;
            }
            let focused = n == self.at;
            let line = Rect { y, height: rows, ..area };
            pen.left(row(line, 0), &field.head(label, line.width, focused, pen.look.glyphs));
            let note = u16::try_from(width(&field.note)).unwrap_or(u16::MAX);
            let noted = rows == 1 && note > 0 && note + 12 < room;
            let taken = if noted { note + 2 } else { 0 };
            // Rows have all the width, under their name.
            let place = match (&field.entry, field.label.is_empty()) {
                (Entry::Rows(..), true) => line,
                (Entry::Rows(..), false) => Rect { y: line.y + 1, height: rows - 1, ..line },
                (Entry::Line(_) | Entry::Text(_) | Entry::List(_) | Entry::Choice(..), _) => {
                    Rect { x: line.x + label, width: room - taken, ..line }
                }
            };
            if let Entry::Rows(..) = field.entry {
                (0..usize::from(place.height)).for_each(|r| pen.note(row(place, r), Zone::Row(n, r)));
            } else {
                pen.note(line, Zone::Row(n, 0));
            }
            caret = field.draw(pen, place, focused).or(caret);
            if noted {
                let text = cut(&field.note, usize::from(note), pen.look.glyphs.ellipsis).into_owned();
                pen.left(
                    Rect { x: line.right() - note, width: note, ..row(line, 0) },
                    &[part(Role::Muted, text)],
                );
            }
            y += rows;
        }
        let below = all.saturating_sub(above).saturating_sub(y - area.y);
        (caret, (usize::from(above), usize::from(below)))
    }
}
