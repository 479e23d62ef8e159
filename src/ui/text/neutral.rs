//! From any text to lines of harmless pieces.
//!
//! A line of printable ASCII is passed on as it is. Any other line is read character by character: each is kept,
//! dropped, replaced or hidden behind its code ([`Act`]); then clusters whose width is in doubt are hidden, and in exact
//! text what looks like something else. Reading neutral text again changes nothing, so it does no harm to do it twice.

use super::build::built;
use super::classes::{Class, class, emoji, joining, right_to_left, simple};
use super::measure::cells;
use super::{Hidden, Line, Piece, Strength, Text, Why, alike, escape};
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthChar as _;

/// Combining marks on one glyph; more are hidden. Written languages need up to three or four.
const MARKS: usize = 4;

/// Cells of one cluster; syllables of written languages need about five.
const WIDEST: usize = 8;

/// What becomes of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Keep,
    Drop,
    /// A plain space in its place.
    Blank,
    /// Spaces to the next tab stop.
    Tab,
    /// Its code, and in the same piece what follows as [`Act::Inside`].
    Hide(Why),
    Inside,
}

/// A character of a line and what becomes of it.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub at: usize,
    pub c: char,
    pub act: Act,
    /// Whether it is a combining mark or joiner, kept with the glyph before it.
    pub mark: bool,
}

/// Reads text from outside.
///
/// In prose a last line end ends the last line; in exact text it begins an empty one, so that it is seen. `\r\n` is a line
/// end (in exact text the `\r` is shown); any other `\r` is shown, and in prose ends the line, as progress displays
/// mean it. Tabs become spaces up to every eighth cell. Work grows with the length of the text alone.
#[must_use]
pub fn neutral(text: &str, strength: Strength) -> Text<'_> {
    let mut out = Text { lines: Vec::new(), right_to_left: false };
    let body = match strength {
        Strength::Prose => text.strip_suffix('\n').unwrap_or(text),
        Strength::Own | Strength::Exact => text,
    };
    let ended = body.len() < text.len();
    let mut rows = body.split('\n').peekable();
    while let Some(row) = rows.next() {
        let ended = ended || rows.peek().is_some();
        match strength {
            Strength::Own | Strength::Exact => push(&mut out, row, ended, strength),
            Strength::Prose => {
                let row = if ended { row.strip_suffix('\r').unwrap_or(row) } else { row };
                row.split_inclusive('\r').for_each(|part| push(&mut out, part, false, strength));
                if row.is_empty() {
                    out.lines.push(Line::default());
                }
            }
        }
    }
    out
}

/// What stands for the end of a line.
const LINE_END: Hidden = Hidden { ch: '\n', why: Why::LineEnd };

/// Reads text from outside that has to stand on one line, as a title does: lines are joined by a space. In exact text
/// a line end is shown as its code, for what follows may be a command of its own.
#[must_use]
pub fn one_line(text: &str, strength: Strength) -> Line<'_> {
    let lines = neutral(text, strength).lines;
    match strength {
        Strength::Prose => joined(lines, None),
        Strength::Own | Strength::Exact => joined(lines, Some(Cow::Owned(LINE_END.code()))),
    }
}

/// Reads exact text that has to stand on one line, with a sign for the end of each line in it.
#[must_use]
pub fn one_line_marked<'a>(text: &'a str, sign: &'static str) -> Line<'a> {
    joined(neutral(text, Strength::Exact).lines, Some(Cow::Borrowed(sign)))
}

/// Lines as one, with a blank between, and a sign before it if there is one.
fn joined<'a>(lines: Vec<Line<'a>>, sign: Option<Cow<'static, str>>) -> Line<'a> {
    let blank = || Piece { text: Cow::Borrowed(" "), hidden: None };
    let mut joined = Line::default();
    for (nth, line) in lines.into_iter().enumerate() {
        if nth > 0 {
            if let Some(sign) = &sign {
                joined.pieces.extend([blank(), Piece { text: sign.clone(), hidden: Some(LINE_END) }]);
            }
            joined.pieces.push(blank());
        }
        joined.pieces.extend(line.pieces);
    }
    joined
}

fn push<'a>(out: &mut Text<'a>, row: &'a str, ended: bool, strength: Strength) {
    if row.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        out.lines.push(Line::plain(row));
        return;
    }
    let line = decided(row, ended, strength);
    out.right_to_left |= line.iter().any(|slot| right_to_left(slot.c));
    out.lines.push(built(row, &line));
}

/// A line's characters and what becomes of each.
fn decided(row: &str, ended: bool, strength: Strength) -> Vec<Slot> {
    let mut line = slots(row, ended, strength);
    doubtful(&mut line);
    if strength != Strength::Prose && !row.is_ascii() {
        // What is not drawn parts no word.
        let mut seen: Vec<Slot> = line.iter().copied().filter(|slot| slot.act != Act::Drop).collect();
        alike::flag(&mut seen);
        let drawn = line.iter_mut().filter(|slot| slot.act != Act::Drop);
        drawn.zip(seen).for_each(|(slot, flagged)| *slot = flagged);
    }
    line
}

/// Something of the person's own text that is drawn as one, with its place in that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// Byte of the text at which it begins.
    pub at: usize,
    /// What is drawn.
    pub shown: String,
    /// Set if that is the code of a character.
    pub hidden: Option<Hidden>,
}

/// What is drawn of a line of the person's own text, without control characters: what is not drawn belongs to the glyph
/// before it.
#[must_use]
pub fn glyphs(row: &str) -> Vec<Glyph> {
    let mut out: Vec<Glyph> = Vec::new();
    let mut kept: Vec<(usize, char)> = Vec::new();
    let put = |kept: &mut Vec<(usize, char)>, out: &mut Vec<Glyph>| {
        let text: String = kept.iter().map(|(_, c)| *c).collect();
        let mut first = 0;
        for cluster in text.graphemes(true) {
            let at = kept.get(first).map_or(0, |(at, _)| *at);
            first += cluster.chars().count();
            out.push(Glyph { at, shown: cluster.to_owned(), hidden: None });
        }
        kept.clear();
    };
    for slot in decided(row, false, Strength::Own) {
        match slot.act {
            Act::Keep => kept.push((slot.at, slot.c)),
            Act::Blank | Act::Tab => kept.push((slot.at, ' ')),
            Act::Drop | Act::Inside => {}
            Act::Hide(why) => {
                put(&mut kept, &mut out);
                let hidden = Hidden { ch: slot.c, why };
                out.push(Glyph { at: slot.at, shown: hidden.code(), hidden: Some(hidden) });
            }
        }
    }
    put(&mut kept, &mut out);
    out
}

/// What a character stands behind.
#[derive(Clone, Copy, Default)]
struct Before {
    /// The last glyph, if marks may follow it.
    glyph: Option<char>,
    /// Marks on it.
    marks: usize,
    /// Halves of flags directly before.
    halves: usize,
}

fn slots(row: &str, ended: bool, strength: Strength) -> Vec<Slot> {
    let mut line: Vec<Slot> = Vec::with_capacity(row.len());
    let mut before = Before::default();
    let mut chars = row.char_indices().peekable();
    // End of the control sequence that is being read, byte.
    let mut inside = 0;
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let kind = class(c);
        let act = if at < inside {
            Act::Inside
        } else if c == '\u{1b}' || matches!(c, '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}') {
            inside = at + escape::extent(row.get(at..).unwrap_or(""));
            Act::Hide(if inside > at + c.len_utf8() { Why::Escape } else { Why::Control })
        } else if c == '\r' && ended && next.is_none() {
            Act::Hide(Why::LineEnd)
        } else {
            decide(c, kind, next, before, strength)
        };
        let mark = act == Act::Keep && matches!(kind, Class::Mark | Class::Joiner);
        match act {
            Act::Keep if mark => before.marks += 1,
            Act::Keep => {
                let halves = if kind == Class::Flag { before.halves + 1 } else { 0 };
                before = Before { glyph: (!matches!(c, ' ' | '\u{3000}')).then_some(c), marks: 0, halves };
            }
            Act::Drop => {}
            Act::Blank | Act::Tab | Act::Hide(_) | Act::Inside => before = Before::default(),
        }
        line.push(Slot { at, c, act, mark });
    }
    line
}

/// Flags are two halves; one that is left over is hidden. `halves` are kept before it without another character.
fn flag(halves: usize, next: Option<char>) -> Act {
    let whole = halves % 2 == 1 || next.is_some_and(|c| class(c) == Class::Flag);
    if whole { Act::Keep } else { Act::Hide(Why::EmojiPart) }
}

fn decide(c: char, kind: Class, next: Option<char>, before: Before, strength: Strength) -> Act {
    if kind == Class::Glyph {
        return Act::Keep;
    }
    let prose = strength == Strength::Prose;
    let exact = strength == Strength::Exact;
    let after_emoji = before.glyph.is_some_and(emoji);
    let part = if exact { Act::Hide(Why::EmojiPart) } else { Act::Drop };
    match kind {
        Class::Glyph => Act::Keep,
        Class::Flag => flag(before.halves, next),
        Class::Mark => match before.glyph {
            None => Act::Hide(Why::Mark),
            Some(_) if before.marks >= MARKS => Act::Hide(Why::Mark),
            Some(glyph) if exact && glyph.is_ascii() => Act::Hide(Why::Composed),
            Some(_) => Act::Keep,
        },
        Class::Control if c == '\t' => Act::Tab,
        Class::Control => Act::Hide(Why::Control),
        Class::Separator => Act::Hide(Why::Separator),
        Class::Bidi => Act::Hide(Why::Bidi),
        Class::Invisible => Act::Hide(Why::Invisible),
        Class::Tag => Act::Hide(Why::Tag),
        Class::Joiner if c == '\u{200d}' && after_emoji && next.is_some_and(emoji) => part,
        Class::Joiner if prose && spelling(before, next) => Act::Keep,
        Class::Joiner => Act::Hide(Why::Invisible),
        Class::Selector if matches!(c, '\u{fe0e}' | '\u{fe0f}') && (after_emoji || keycap(before, next)) => {
            part
        }
        Class::Selector => Act::Hide(Why::Selector),
        Class::SkinTone if after_emoji => part,
        Class::SkinTone => Act::Hide(Why::EmojiPart),
        Class::Private => Act::Hide(Why::Private),
        Class::Unassigned => Act::Hide(Why::Unassigned),
        Class::Broken => Act::Hide(Why::Broken),
        Class::Space if !prose => Act::Hide(Why::Space),
        Class::Space if c == '\u{3000}' => Act::Keep,
        Class::Space => Act::Blank,
        Class::Odd => Act::Hide(Why::Width),
    }
}

fn spelling(before: Before, next: Option<char>) -> bool {
    before.glyph.is_some_and(joining)
        && before.marks < MARKS
        && next.is_some_and(|c| joining(c) && class(c) == Class::Glyph)
}

fn keycap(before: Before, next: Option<char>) -> bool {
    before.glyph.is_some_and(|c| matches!(c, '0'..='9' | '#' | '*')) && next == Some('\u{20e3}')
}

/// Hides clusters of which the terminal library and a terminal, which adds up characters, count different cells.
fn doubtful(line: &mut [Slot]) {
    let kept = |slot: &Slot| matches!(slot.act, Act::Keep | Act::Drop | Act::Blank);
    let mut from = 0;
    while from < line.len() {
        let run = line.get(from..).unwrap_or(&[]).iter().take_while(|slot| kept(slot)).count();
        if let Some(run) = line.get_mut(from..from + run)
            && run.iter().any(|slot| !simple(slot.c))
        {
            doubtful_in(run);
        }
        from += run.max(1);
    }
}

fn doubtful_in(run: &mut [Slot]) {
    let drawn = |slot: &Slot| match slot.act {
        Act::Keep => Some(slot.c),
        Act::Blank => Some(' '),
        Act::Drop | Act::Tab | Act::Hide(_) | Act::Inside => None,
    };
    let text: String = run.iter().filter_map(drawn).collect();
    let mut slots = run.iter_mut().filter(|slot| slot.act != Act::Drop);
    for cluster in text.graphemes(true) {
        let sum: usize = cluster.chars().map(|c| c.width().unwrap_or(0)).sum();
        let sure = sum <= WIDEST && cells(cluster) == sum;
        for slot in slots.by_ref().take(cluster.chars().count()) {
            if !sure {
                slot.act = Act::Hide(Why::Width);
            }
        }
    }
}
