//! A field for text: several lines, undo, paste, a caret where the input method expects it.
//!
//! What stands in it is plain: line ends are line feeds, tabs are spaces, other control characters are dropped when they
//! come in. Characters that hide or deceive are kept and drawn as their codes, so that what is sent is what was seen.
//!
//! Ctrl-A and Ctrl-W stand in no table of keys, since a multiplexer or a browser's terminal may keep them for itself; where
//! they arrive they do what every shell's line does with them (begin of the line, word before), and nothing else has to.
//!
//! The field knows the width at which it was drawn last, as up and down follow the lines on the screen.

mod lay;
mod moves;
#[cfg(test)]
mod tests;

use crate::tokens::{Counter as _, Estimate};
use crate::ui::keys::{Action, Hit};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, part, row};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Position, Rect};
use std::cell::Cell;

/// Most states that undo goes back to.
const PAST: usize = 200;
/// Most bytes of all of them; the last one is kept whatever its size.
const PAST_BYTES: usize = 4 << 20;
/// Spaces for a tab.
const TAB: &str = "    ";
/// Cells beside the text: the mark of the field, and room for the caret after the last character.
const BESIDE: u16 = 2;

/// A text being written.
#[derive(Clone, Debug, Default)]
pub struct Editor {
    text: String,
    /// The caret, a byte at the begin of a grapheme.
    at: usize,
    /// The cell that up and down keep to.
    column: Option<usize>,
    /// Width at which it was drawn last; 0 before.
    width: Cell<u16>,
    undo: Vec<Past>,
    redo: Vec<Past>,
    /// Characters of one word were typed: they are undone together.
    typing: bool,
    /// Its size, once that was asked for; none since it was changed.
    tokens: Cell<Option<u32>>,
}

/// How it was.
#[derive(Clone, Debug)]
struct Past {
    text: String,
    at: usize,
}

impl Editor {
    /// A field with this text, the caret at its end.
    pub fn new(text: &str) -> Self {
        let text = plain(text);
        Self { at: text.len(), text, ..Self::default() }
    }

    /// The text.
    pub fn text(&self) -> String {
        self.text.clone()
    }

    /// About how many tokens it takes; counted once after each change.
    pub fn tokens(&self) -> u32 {
        let tokens = self.tokens.get().unwrap_or_else(|| Estimate.count(&self.text));
        self.tokens.set(Some(tokens));
        tokens
    }

    /// True if nothing stands in it.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Puts another text in its place, the caret at its end; undo brings the old one back.
    pub fn set(&mut self, text: &str) {
        let text = plain(text);
        if text == self.text {
            self.at = self.text.len();
            return;
        }
        self.remember();
        self.at = text.len();
        self.text = text;
    }

    /// Puts text at the caret, as a paste does.
    pub fn insert(&mut self, text: &str) {
        let text = plain(text);
        if text.is_empty() {
            return;
        }
        self.remember();
        self.put(&text);
    }

    /// The word behind an `@` up to the caret, if one is typed there: where the `@` stands, and what follows it.
    pub fn at_word(&self) -> Option<(usize, String)> {
        let before = self.text.get(..self.at)?;
        let from = before.rfind('@')?;
        let word = before.get(from + 1..)?;
        // An address of mail is no file.
        let joins = before.get(..from)?.chars().next_back().is_some_and(|c| c.is_ascii_alphanumeric());
        (!joins && !word.is_empty() && !word.contains(char::is_whitespace)).then(|| (from, word.to_owned()))
    }

    /// Puts text in the place of what stands from a byte to the caret.
    pub fn replace_from(&mut self, from: usize, text: &str) {
        if from > self.at || !self.text.is_char_boundary(from) {
            return;
        }
        let text = plain(text);
        self.remember();
        self.text.replace_range(from..self.at, "");
        self.at = from;
        self.put(&text);
    }

    /// Begins a new line.
    pub fn newline(&mut self) {
        self.remember();
        self.put("\n");
    }

    /// Takes the last change back, if there is one.
    pub fn undo(&mut self) {
        self.typing = false;
        if let Some(past) = self.undo.pop() {
            let now = self.swap(past);
            self.redo.push(now);
        }
    }

    /// Makes again what was taken back, if something was.
    pub fn redo(&mut self) {
        self.typing = false;
        if let Some(past) = self.redo.pop() {
            let now = self.swap(past);
            self.undo.push(now);
        }
    }

    /// Moves the caret by a grapheme.
    pub fn step(&mut self, forward: bool) {
        let to = if forward { moves::after(&self.text, self.at) } else { moves::before(&self.text, self.at) };
        self.go(to);
    }

    /// Moves the caret up by a line on the screen.
    pub fn up(&mut self) {
        self.up_or_down(false);
    }

    /// Moves the caret down by a line on the screen.
    pub fn down(&mut self) {
        self.up_or_down(true);
    }

    fn swap(&mut self, past: Past) -> Past {
        self.column = None;
        self.tokens.set(None);
        let text = std::mem::replace(&mut self.text, past.text);
        Past { text, at: std::mem::replace(&mut self.at, past.at) }
    }

    fn remember(&mut self) {
        self.tokens.set(None);
        self.undo.push(Past { text: self.text.clone(), at: self.at });
        self.redo.clear();
        let mut bytes: usize = self.undo.iter().map(|past| past.text.len()).sum();
        let mut old = 0;
        for past in self.undo.iter().take(self.undo.len() - 1) {
            if bytes <= PAST_BYTES && self.undo.len() - old <= PAST {
                break;
            }
            bytes -= past.text.len();
            old += 1;
        }
        self.undo.drain(..old);
        self.typing = false;
        self.column = None;
    }

    fn put(&mut self, text: &str) {
        self.tokens.set(None);
        self.text.insert_str(self.at, text);
        // What was put in may have joined the grapheme after it.
        self.at = moves::snap(&self.text, self.at + text.len());
    }

    fn cut_out(&mut self, from: usize, to: usize) {
        if from >= to {
            return;
        }
        self.remember();
        self.text.replace_range(from..to, "");
        self.at = moves::snap(&self.text, from);
    }

    /// A key that is bound to nothing. False if it means nothing here either.
    pub fn key(&mut self, key: &KeyEvent) -> bool {
        if key.kind == KeyEventKind::Release {
            return false;
        }
        let held = key.modifiers;
        let word = held.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Char(c) if !word && !c.is_control() => self.typed(c),
            // Keys that a browser or a multiplexer may keep for itself are bound to nothing, and work where they arrive.
            KeyCode::Char('a') if held == KeyModifiers::CONTROL => self.go(self.line().0),
            KeyCode::Char('w') if held == KeyModifiers::CONTROL => {
                self.cut_out(moves::word_before(&self.text, self.at), self.at);
            }
            KeyCode::Backspace if word => self.cut_out(moves::word_before(&self.text, self.at), self.at),
            KeyCode::Delete if word => self.cut_out(self.at, moves::word_after(&self.text, self.at)),
            KeyCode::Backspace => self.cut_out(moves::before(&self.text, self.at), self.at),
            KeyCode::Delete => self.cut_out(self.at, moves::after(&self.text, self.at)),
            KeyCode::Left if word => self.go(moves::word_before(&self.text, self.at)),
            KeyCode::Right if word => self.go(moves::word_after(&self.text, self.at)),
            KeyCode::Left => self.step(false),
            KeyCode::Right => self.step(true),
            KeyCode::Home if word => self.go(0),
            KeyCode::End if word => self.go(self.text.len()),
            KeyCode::Home => self.go(self.line().0),
            KeyCode::End => self.go(self.line().1),
            KeyCode::Up => self.up(),
            KeyCode::Down => self.down(),
            _ => return false,
        }
        true
    }

    /// A bound key of a text field, as far as it is about the text alone: new line, undo, redo, the caret, what is
    /// deleted by words and lines. Gives false for anything else.
    pub fn act(&mut self, hit: Hit) -> bool {
        match hit.action {
            Action::TextNewline => self.newline(),
            Action::TextUndo => self.undo(),
            Action::TextRedo => self.redo(),
            Action::CaretOrChoice => self.step(hit.nth > 0),
            Action::TextEarlier => self.up(),
            Action::TextLineStart => self.go(self.line().0),
            Action::TextLineEnd => self.go(self.line().1),
            Action::TextWordBack => self.go(moves::word_before(&self.text, self.at)),
            Action::TextWordOn => self.go(moves::word_after(&self.text, self.at)),
            Action::TextCutWord => self.cut_out(moves::word_before(&self.text, self.at), self.at),
            Action::TextCutBefore => self.cut_out(self.line().0, self.at),
            Action::TextCutAfter => self.cut_out(self.at, self.line().1),
            _ => return false,
        }
        true
    }

    fn typed(&mut self, c: char) {
        let joins = self.typing && !c.is_whitespace();
        if !joins {
            self.remember();
        }
        self.column = None;
        self.put(c.encode_utf8(&mut [0; 4]));
        self.typing = !c.is_whitespace();
    }

    fn go(&mut self, to: usize) {
        self.typing = false;
        self.column = None;
        self.at = to;
    }

    /// Begin and end of the line of the source in which the caret is.
    fn line(&self) -> (usize, usize) {
        let (left, right) = self.text.split_at_checked(self.at).unwrap_or((&self.text, ""));
        let from = left.rfind('\n').map_or(0, |at| at + 1);
        (from, self.at + right.find('\n').unwrap_or(right.len()))
    }

    fn laid(&self, width: u16) -> Vec<lay::Row> {
        lay::rows(&self.text, self.at, usize::from(width.saturating_sub(BESIDE)))
    }

    /// Rows at the width it was drawn last; before, as if lines had no end.
    fn on_screen(&self) -> Vec<lay::Row> {
        self.laid(if self.width.get() == 0 { u16::MAX } else { self.width.get() })
    }

    fn up_or_down(&mut self, down: bool) {
        self.typing = false;
        let rows = self.on_screen();
        let (line, cell) = lay::caret(&rows, self.at);
        let column = self.column.unwrap_or(cell);
        let to = if down { Some(line + 1) } else { line.checked_sub(1) };
        self.at = match to.and_then(|to| rows.get(to)) {
            Some(row) => moves::snap(&self.text, row.at_cell(column)),
            None if down => self.text.len(),
            None => 0,
        };
        self.column = to.and_then(|to| rows.get(to)).map(|_| column);
    }

    /// True if the caret is on the first line on the screen: up leads to earlier entries.
    pub fn first_line(&self) -> bool {
        let rows = self.on_screen();
        lay::caret(&rows, self.at).0 == 0 && rows.first().is_none_or(|row| row.from() == 0)
    }

    /// Rows that it takes at this width, one at least.
    pub fn rows(&self, width: u16) -> u16 {
        u16::try_from(self.laid(width).len()).unwrap_or(u16::MAX)
    }

    /// Draws it, the caret in view; gives the caret's place if it has the focus. The hint stands where nothing is
    /// written, and must be neutral.
    pub fn draw(&self, pen: &mut Pen<'_>, area: Rect, focused: bool, hint: &str) -> Option<Position> {
        self.paint(pen, area, focused, hint, 0)
    }

    /// Draws it with the numbers of its lines.
    pub fn draw_numbered(&self, pen: &mut Pen<'_>, area: Rect, focused: bool) -> Option<Position> {
        self.paint(pen, area, focused, "", self.number_cells())
    }

    /// Cells of the numbers of its lines, with a blank after them.
    pub fn number_cells(&self) -> u16 {
        let lines = self.text.matches('\n').count() + 1;
        u16::try_from(lines.to_string().len() + 1).unwrap_or(8)
    }

    fn paint(
        &self,
        pen: &mut Pen<'_>,
        whole: Rect,
        focused: bool,
        hint: &str,
        gutter: u16,
    ) -> Option<Position> {
        let gutter = if gutter + BESIDE < whole.width { gutter } else { 0 };
        let area = Rect { x: whole.x + gutter, width: whole.width - gutter, ..whole };
        if area.width == 0 || area.height == 0 {
            return None;
        }
        self.width.set(area.width);
        let rows = self.laid(area.width);
        let (line, cell) = lay::caret(&rows, self.at);
        let height = usize::from(area.height);
        let top = if focused { (line + 1).saturating_sub(height) } else { 0 };
        // Of a long text only what is around the caret was laid out.
        let above = rows.first().map_or(0, lay::Row::from);
        let lines = self.text.get(..above).map_or(0, |text| text.matches('\n').count());
        let mut number = lines + rows.iter().take(top).filter(|row| row.ends()).count() + 1;
        let mut begins = match top.checked_sub(1) {
            Some(before) => rows.get(before).is_none_or(lay::Row::ends),
            None => above == 0 || self.text.as_bytes().get(above - 1) == Some(&b'\n'),
        };
        let more = rows.last().is_some_and(|row| row.to() < self.text.len());
        for (n, laid) in rows.iter().skip(top).take(height).enumerate() {
            let place = row(area, n);
            let mark = match focused {
                true if n == 0 && (top > 0 || above > 0) => pen.look.glyphs.up,
                true => pen.look.glyphs.field,
                false => " ",
            };
            pen.left(place, &[part(Role::Accent, mark)]);
            pen.line(Rect { x: place.x + 1, width: place.width - 1, ..place }, &laid.line(), Role::Base);
            if n + 1 == height && (more || top + height < rows.len()) {
                let end = Rect { x: area.right() - 1, width: 1, ..place };
                pen.left(end, &[part(Role::Muted, pen.look.glyphs.ellipsis)]);
            }
            if begins && gutter > 0 {
                let text = format!("{number:>width$}", width = usize::from(gutter - 1));
                pen.left(Rect { x: whole.x, width: gutter, ..place }, &[part(Role::Muted, text)]);
            }
            begins = laid.ends();
            number += usize::from(begins);
        }
        if self.text.is_empty() {
            let place = row(area, 0);
            pen.left(Rect { x: place.x + 1, width: place.width - 1, ..place }, &[part(Role::Muted, hint)]);
        }
        if !focused {
            return None;
        }
        let x = u16::try_from(cell).unwrap_or(u16::MAX).saturating_add(area.x).saturating_add(1);
        let y = u16::try_from(line - top).unwrap_or(u16::MAX).saturating_add(area.y);
        Some(Position { x: x.min(area.right() - 1), y: y.min(area.bottom() - 1) })
    }
}

/// Text as it stands in a field.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\n' => out.push('\n'),
            '\t' => out.push_str(TAB),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
