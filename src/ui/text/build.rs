//! From the characters of a line, each with what becomes of it, to pieces.

use super::measure::width;
use super::neutral::{Act, Slot};
use super::{Hidden, Line, Piece};
use std::borrow::Cow;

/// Cells between tab stops.
const TAB: usize = 8;

/// The code of a character as shown: `\u{200b}`.
pub fn code(c: char) -> String {
    format!("\\u{{{:x}}}", u32::from(c))
}

/// The line as it is drawn.
pub fn built<'a>(row: &'a str, line: &[Slot]) -> Line<'a> {
    let mut out = Builder { row, pieces: Vec::new(), cells: 0, open: None };
    let mut slots = line.iter().peekable();
    while let Some(slot) = slots.next() {
        match slot.act {
            Act::Keep => out.keep(slot),
            Act::Drop => out.close(),
            Act::Blank => out.add(" "),
            Act::Tab => out.tab(),
            Act::Hide(why) => {
                let mut shown = code(slot.c);
                while let Some(next) = slots.next_if(|next| next.act == Act::Inside) {
                    if next.c.is_control() { shown.push_str(&code(next.c)) } else { shown.push(next.c) }
                }
                out.hide(shown, Hidden { ch: slot.c, why });
            }
            Act::Inside => {}
        }
    }
    out.close();
    Line { pieces: out.pieces }
}

struct Builder<'a> {
    row: &'a str,
    pieces: Vec<Piece<'a>>,
    /// Cells so far, without the open stretch.
    cells: usize,
    /// Bytes of the row that are kept and not yet in a piece.
    open: Option<(usize, usize)>,
}

impl<'a> Builder<'a> {
    fn keep(&mut self, slot: &Slot) {
        let end = slot.at + slot.c.len_utf8();
        self.open = Some((self.open.map_or(slot.at, |(from, _)| from), end));
    }

    /// Puts the open stretch into a piece.
    fn close(&mut self) {
        let Some((from, to)) = self.open.take() else { return };
        let text = self.row.get(from..to).unwrap_or("");
        self.append(Cow::Borrowed(text));
    }

    fn append(&mut self, text: Cow<'a, str>) {
        self.cells += width(&text);
        match self.pieces.last_mut() {
            Some(Piece { text: last, hidden: None }) => last.to_mut().push_str(&text),
            Some(_) | None => self.pieces.push(Piece { text, hidden: None }),
        }
    }

    fn add(&mut self, text: &'static str) {
        self.close();
        self.append(Cow::Borrowed(text));
    }

    fn tab(&mut self) {
        self.close();
        let missing = TAB - self.cells % TAB;
        self.append(Cow::Borrowed("        ".get(..missing).unwrap_or("")));
    }

    fn hide(&mut self, shown: String, hidden: Hidden) {
        self.close();
        self.cells += width(&shown);
        self.pieces.push(Piece { text: Cow::Owned(shown), hidden: Some(hidden) });
    }
}
