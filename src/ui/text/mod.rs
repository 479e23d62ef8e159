//! Everything that comes from outside on its way to the screen: made harmless, measured, wrapped and cut in one place.
//!
//! [`neutral`] turns any text into lines of pieces. A piece is either ordinary text, whose width in cells is certain,
//! or the code of a character that cannot be seen, acts on the terminal or is not what it looks like (`\u{200b}`),
//! flagged with the reason, so that a view draws it reversed and lists it. [`wrap()`] and [`cut_line`] work on such lines;
//! [`width`], [`cut()`], [`cut_middle`] and [`pad`] on plain strings.
//!
//! Cells are counted as the sum over grapheme clusters. Where terminals disagree about a cluster (joined emoji, emoji
//! selectors, skin tones), [`neutral`] gives the parts about which they agree.
//!
//! Not to be assumed: that a string may be taken back from the screen. In prose and in the person's own text, signs that
//! only change the look of an emoji are dropped, for no two terminals agree how wide a joined emoji is: a family is shown
//! as its members, which are as wide everywhere. Copying, sending and hashing use the source. Nor that a terminal draws Hebrew or Arabic in the order of
//! the text: it is kept in the order of the text, and [`Text::right_to_left`] says that there is some.

mod alike;
mod build;
mod classes;
mod cut;
mod escape;
mod measure;
mod neutral;
mod unassigned;
mod wrap;

pub use cut::{Align, cut, cut_left, cut_line, cut_middle, fit, pad};
pub use measure::width;
pub use neutral::{Glyph, glyphs, neutral, one_line, one_line_marked};
pub use wrap::{Wrap, wrap, wrap_text};

use ratatui::style::Style;
use ratatui::text::Span;
use std::borrow::Cow;

/// How strictly text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Prose and data, to be read: odd spaces are drawn as spaces, emoji lose their selectors, letters are not judged.
    Prose,
    /// What the person writes: as exact, but emoji and letters with marks are shown as in prose. They meant them.
    Own,
    /// What a person is asked to approve: everything is flagged that differs from what it looks like.
    Exact,
}

/// A writing system, or a set of signs, from which look-alikes come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Cyrillic letters.
    Cyrillic,
    /// Greek letters.
    Greek,
    /// Armenian letters.
    Armenian,
    /// Cherokee letters.
    Cherokee,
    /// Coptic letters.
    Coptic,
    /// Lisu letters, shaped as Latin capitals.
    Lisu,
    /// Full-width forms of Latin letters, digits and signs.
    FullWidth,
    /// Letters and digits of mathematics, enclosed and Roman ones.
    Styled,
    /// Latin letters beyond the alphabet that look like one in it.
    Latin,
    /// Dashes, slashes, dots and other signs.
    Sign,
}

/// Why a character is shown as its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// A control character.
    Control,
    /// A control sequence for the terminal, whole as far as it could be read; the character is its first.
    Escape,
    /// The end of a line where all stands on one, or the carriage return of one; in exact text.
    LineEnd,
    /// A line or paragraph separator.
    Separator,
    /// Changes the direction of the text around it.
    Bidi,
    /// Draws nothing, or nothing but a blank.
    Invisible,
    /// An invisible tag character.
    Tag,
    /// A variation selector where it selects nothing.
    Selector,
    /// Part of an emoji: a joiner, a selector, a skin tone, or half of a flag.
    EmojiPart,
    /// A private character: every font draws another.
    Private,
    /// Not assigned by the standard.
    Unassigned,
    /// Stands for bytes that were no text.
    Broken,
    /// A combining mark with nothing to stand on, or one too many on the same letter.
    Mark,
    /// A combining mark on a plain letter, in exact text: it looks like the composed letter.
    Composed,
    /// A space other than the plain one.
    Space,
    /// Terminals disagree about its width.
    Width,
    /// A letter or sign that looks like `like`, or, if that is none, a letter that has no place in a Latin word.
    LookAlike {
        /// Where it is from.
        origin: Origin,
        /// What it looks like.
        like: Option<char>,
    },
}

impl Why {
    /// Whether it can deceive a reader. Line ends and parts of emoji cannot.
    #[must_use]
    pub fn deceives(self) -> bool {
        !matches!(self, Self::LineEnd | Self::EmojiPart)
    }
}

/// A character that is shown as its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hidden {
    /// The character.
    pub ch: char,
    /// Why it is not shown as such.
    pub why: Why,
}

impl Hidden {
    /// Its code as shown: `\u{200b}`.
    #[must_use]
    pub fn code(self) -> String {
        build::code(self.ch)
    }
}

/// Part of a line: text to be drawn in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// What is drawn.
    pub text: Cow<'a, str>,
    /// Set if the text is the code of a character, or part of such a code after wrapping.
    pub hidden: Option<Hidden>,
}

/// One line without line ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its pieces from left to right, none of them empty.
    pub pieces: Vec<Piece<'a>>,
}

impl<'a> Line<'a> {
    /// A line of ordinary text, which has to be neutral already.
    #[must_use]
    pub fn plain(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        let pieces = if text.is_empty() { Vec::new() } else { vec![Piece { text, hidden: None }] };
        Self { pieces }
    }

    /// Its width in cells.
    #[must_use]
    pub fn width(&self) -> usize {
        self.pieces.iter().map(|piece| width(&piece.text)).sum()
    }

    /// What is drawn, as one string.
    #[must_use]
    pub fn shown(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_ref()).collect()
    }

    /// The same line, owning its text.
    #[must_use]
    pub fn into_owned(self) -> Line<'static> {
        let own =
            |piece: Piece<'a>| Piece { text: Cow::Owned(piece.text.into_owned()), hidden: piece.hidden };
        Line { pieces: self.pieces.into_iter().map(own).collect() }
    }

    /// The line as the terminal library draws it: ordinary text in `base`, codes in `hidden`.
    #[must_use]
    pub fn spans(&self, base: Style, hidden: Style) -> ratatui::text::Line<'_> {
        let style = |piece: &Piece<'a>| if piece.hidden.is_some() { hidden } else { base };
        self.pieces.iter().map(|piece| Span::styled(piece.text.as_ref(), style(piece))).collect()
    }

    /// Every code that is drawn: of a control sequence, its end too where that is drawn as a code of its own.
    pub fn codes(&self) -> impl Iterator<Item = Hidden> {
        let end = |piece: &Piece<'a>, hidden: Hidden| {
            let rest = piece.text.strip_prefix(&hidden.code()).filter(|_| hidden.why == Why::Escape)?;
            let end = ['\u{7}', '\u{1b}', '\u{9c}'].map(|ch| Hidden { ch, why: Why::Control });
            end.into_iter().find(|end| rest.trim_end_matches('\\').ends_with(&end.code()))
        };
        let both =
            move |piece: &Piece<'a>| [piece.hidden, piece.hidden.and_then(|hidden| end(piece, hidden))];
        self.pieces.iter().flat_map(both).flatten()
    }

    fn hidden(&self) -> impl Iterator<Item = Hidden> {
        self.pieces.iter().filter_map(|piece| piece.hidden)
    }
}

/// Neutral text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// Its lines, at least one.
    pub lines: Vec<Line<'a>>,
    /// Whether letters occur that are read from right to left: a terminal may draw them in another order.
    pub right_to_left: bool,
}

impl Text<'_> {
    /// How many characters are shown as codes and can deceive a reader.
    #[must_use]
    pub fn flagged(&self) -> usize {
        self.lines.iter().flat_map(Line::hidden).filter(|hidden| hidden.why.deceives()).count()
    }

    /// The characters shown as codes, each once, in the order in which they first occur.
    #[must_use]
    pub fn hidden(&self) -> Vec<Hidden> {
        let mut seen = std::collections::HashSet::new();
        self.lines.iter().flat_map(Line::hidden).filter(|hidden| seen.insert(*hidden)).collect()
    }

    /// What is drawn, as one string.
    #[must_use]
    pub fn shown(&self) -> String {
        self.lines.iter().map(Line::shown).collect::<Vec<_>>().join("\n")
    }

    /// The same text, owning it.
    #[must_use]
    pub fn into_owned(self) -> Text<'static> {
        let lines = self.lines.into_iter().map(Line::into_owned).collect();
        Text { lines, right_to_left: self.right_to_left }
    }
}
