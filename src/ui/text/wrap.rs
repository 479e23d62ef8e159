//! Wrapping: prose at words and between ideographs, data at the last cell, and what counts to the byte at words too.
//!
//! In prose the spaces at which a line is broken are not drawn; nothing else is ever lost, and in what is wrapped whole
//! nothing at all. A glyph of two cells on a
//! line of one is shown as its code. Work grows with the length of the text alone.

use super::measure::{Unit, units, width};
use super::{Hidden, Line, Piece, Text, Why};
use std::borrow::Cow;

/// How lines are broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// After a space, after a hyphen in a word, between ideographs; a word longer than a line at its last cell.
    Words,
    /// As [`Wrap::Words`], with nothing left out: the spaces at which a line is broken stand at its end.
    Whole,
    /// At the last cell, so that every column counts. A code is kept whole if a line has room for it.
    Cells,
}

/// A line as lines of at most `cells`; at least one, which is empty if `cells` is none.
#[must_use]
pub fn wrap<'t>(line: &'t Line<'_>, cells: usize, how: Wrap) -> Vec<Line<'t>> {
    let borrowed =
        |piece: &'t Piece<'_>| Piece { text: Cow::Borrowed(piece.text.as_ref()), hidden: piece.hidden };
    if cells == 0 {
        return vec![Line::default()];
    }
    let bytes: usize = line.pieces.iter().map(|piece| piece.text.len()).sum();
    if bytes <= cells && line.pieces.iter().all(|piece| piece.text.is_ascii()) {
        return vec![Line { pieces: line.pieces.iter().map(borrowed).collect() }];
    }
    if cells == 1 && line.pieces.iter().any(|piece| units(&piece.text).any(|unit| unit.cells > 1)) {
        return wrap(&narrow(line), cells, how).into_iter().map(Line::into_owned).collect();
    }
    Wrapper {
        source: &line.pieces,
        cells,
        done: Vec::new(),
        start: At { piece: 0, byte: 0 },
        used: 0,
        chance: None,
        blank: None,
        before: [NONE, NONE],
    }
    .run(how)
}

/// All lines of a text, wrapped.
#[must_use]
pub fn wrap_text<'t>(text: &'t Text<'_>, cells: usize, how: Wrap) -> Vec<Line<'t>> {
    text.lines.iter().flat_map(|line| wrap(line, cells, how)).collect()
}

/// Ideographs, syllables and emoji: a line may be broken on both sides.
fn ideographic(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}')
        || matches!(c, '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ffef}')
        || matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{20000}'..='\u{3ffff}')
}

/// What may not begin a line: closing brackets, stops, small kana, after JIS X 4051 and GB/T 15834.
fn not_first(c: char) -> bool {
    matches!(c, '!' | '%' | ')' | ',' | '.' | ':' | ';' | '?' | ']' | '}' | '¢' | '°')
        || matches!(c, '·' | '»' | '—' | '’' | '”' | '†' | '‡' | '‥' | '…' | '‰' | '›' | '℃')
        || matches!(
            c,
            '、'..='〃' | '々' | '〉' | '》' | '」' | '』' | '】' | '〕' | '〗' | '〙' | '〛' | '〞'
        )
        || matches!(c, '〟' | '〻' | 'ぁ' | 'ぃ' | 'ぅ' | 'ぇ' | 'ぉ' | 'っ' | 'ゃ' | 'ゅ' | 'ょ' | 'ゎ')
        || matches!(c, 'ゕ' | 'ゖ' | 'ゝ' | 'ゞ' | '゠' | 'ァ' | 'ィ' | 'ゥ' | 'ェ' | 'ォ' | 'ッ' | 'ャ')
        || matches!(c, 'ュ' | 'ョ' | 'ヮ' | 'ヵ' | 'ヶ' | '・'..='ヾ' | 'ㇰ'..='ㇿ' | '！' | '＂' | '％' | '＇' | '）')
        || matches!(c, '，' | '．' | '：' | '；' | '？' | '］' | '｀' | '｜'..='～' | '｠' | '｡' | '｣'..='･' | 'ｰ')
        || matches!(c, '￠')
}

/// What may not end a line: opening brackets and signs of currency.
fn not_last(c: char) -> bool {
    matches!(c, '$' | '(' | '[' | '{' | '£' | '¥' | '«' | '‘' | '“' | '‹' | '〈' | '《')
        || matches!(c, '「' | '『' | '【' | '〔' | '〖' | '〘' | '〚' | '〝' | '＄' | '（' | '［' | '｛')
        || matches!(c, '｟' | '｢' | '￡' | '￥')
}

/// Whether a line may be broken before `next`, which no space precedes; `before` are the two characters in front of it.
fn breaks(before: [char; 2], next: char) -> bool {
    let [second, first] = before;
    if ideographic(first) || ideographic(next) {
        return first != NONE && !not_first(next) && !not_last(first);
    }
    matches!(first, '-' | '\u{2010}') && second.is_alphabetic() && next.is_alphabetic()
}

/// In place of a character where there is none; no line is broken beside it.
const NONE: char = '\0';

/// A place in the source: before the byte of the piece.
#[derive(Clone, Copy, PartialEq, Eq)]
struct At {
    piece: usize,
    byte: usize,
}

/// Where a line may be broken.
#[derive(Clone, Copy)]
struct Chance {
    /// Up to here the line goes on being drawn,
    end: At,
    /// and from here on the next one is.
    next: At,
    /// Cells from the start of the line to `next`.
    used: usize,
}

struct Wrapper<'t, 'a> {
    source: &'t [Piece<'a>],
    cells: usize,
    done: Vec<Line<'t>>,
    /// The present line: its start, and the cells used since.
    start: At,
    used: usize,
    chance: Option<Chance>,
    /// Where the run of spaces begins with which the line ends at present.
    blank: Option<At>,
    before: [char; 2],
}

impl<'t, 'a> Wrapper<'t, 'a> {
    fn run(mut self, how: Wrap) -> Vec<Line<'t>> {
        let mut here = At { piece: 0, byte: 0 };
        for (piece, Piece { text, hidden }) in self.source.iter().enumerate() {
            here = At { piece, byte: 0 };
            if how == Wrap::Cells && hidden.is_some() {
                self.keep_whole(here, width(text));
            }
            for unit in units(text) {
                match how {
                    Wrap::Words => self.word(here, unit, hidden.is_some()),
                    Wrap::Whole => self.whole(here, unit, hidden.is_some()),
                    Wrap::Cells => self.cell(here, unit),
                }
                here.byte += unit.text.len();
            }
        }
        let end = if self.used > self.cells { self.blank.unwrap_or(here) } else { here };
        self.emit(end);
        self.done
    }

    /// Begins a new line for a code that has room on it, and not on this one.
    fn keep_whole(&mut self, here: At, long: usize) {
        if self.used > 0 && self.used + long > self.cells && long <= self.cells {
            self.hard_break(here);
        }
    }

    fn cell(&mut self, here: At, unit: Unit<'_>) {
        if self.used + unit.cells > self.cells {
            self.hard_break(here);
        }
        self.used += unit.cells;
    }

    fn word(&mut self, here: At, unit: Unit<'_>, hidden: bool) {
        if unit.text == " " && !hidden {
            self.blank = self.blank.or(Some(here));
            self.used += 1;
            self.before = [NONE, NONE];
            return;
        }
        // A code is read as a word.
        let first = if hidden { 'x' } else { unit.text.chars().next().unwrap_or(NONE) };
        if let Some(end) = self.blank.take() {
            // Between the indentation and the first word a line is broken only if there is no room left at all.
            if end != self.start || self.used + unit.cells > self.cells {
                self.chance = Some(Chance { end, next: here, used: self.used });
            }
        } else if breaks(self.before, first) {
            self.chance = Some(Chance { end: here, next: here, used: self.used });
        }
        self.fit(here, unit.cells);
        let last = if hidden { 'x' } else { unit.text.chars().next().unwrap_or(NONE) };
        self.before = [self.before[1], last];
    }

    /// As a word, but a space takes its cell as everything does.
    fn whole(&mut self, here: At, unit: Unit<'_>, hidden: bool) {
        let space = unit.text == " " && !hidden;
        let first = if hidden { 'x' } else { unit.text.chars().next().unwrap_or(NONE) };
        let after_space = self.blank.take().is_some();
        if !space && self.used > 0 && (after_space || breaks(self.before, first)) {
            self.chance = Some(Chance { end: here, next: here, used: self.used });
        }
        self.fit(here, unit.cells);
        self.blank = space.then_some(here);
        self.before = if space { [NONE, NONE] } else { [self.before[1], first] };
    }

    /// Takes cells, on the next line if this one has no room for them.
    fn fit(&mut self, here: At, cells: usize) {
        while self.used + cells > self.cells && self.used > 0 {
            match self.chance.take() {
                Some(chance) => {
                    self.emit(chance.end);
                    self.start = chance.next;
                    self.used -= chance.used;
                }
                None => self.hard_break(here),
            }
        }
        self.used += cells;
    }

    fn hard_break(&mut self, here: At) {
        self.emit(here);
        self.start = here;
        self.used = 0;
        self.chance = None;
    }

    /// Finishes the present line.
    fn emit(&mut self, end: At) {
        let mut line = Line::default();
        let reached =
            self.source.iter().enumerate().skip(self.start.piece).take(end.piece + 1 - self.start.piece);
        for (nth, piece) in reached {
            let from = if nth == self.start.piece { self.start.byte } else { 0 };
            let to = if nth == end.piece { end.byte } else { piece.text.len() };
            if let Some(text) = piece.text.get(from..to).filter(|text| !text.is_empty()) {
                line.pieces.push(Piece { text: Cow::Borrowed(text), hidden: piece.hidden });
            }
        }
        self.done.push(line);
    }
}

/// Glyphs of two cells as their codes, for lines that have only one.
fn narrow(line: &Line<'_>) -> Line<'static> {
    let mut pieces = Vec::new();
    for piece in &line.pieces {
        for unit in units(&piece.text) {
            if unit.cells < 2 {
                pieces.push(Piece { text: Cow::Owned(unit.text.to_owned()), hidden: piece.hidden });
            } else {
                let coded = unit.text.chars().map(|ch| Hidden { ch, why: Why::Width });
                pieces.extend(
                    coded.map(|hidden| Piece { text: Cow::Owned(hidden.code()), hidden: Some(hidden) }),
                );
            }
        }
    }
    Line { pieces }
}

#[cfg(test)]
mod tests {
    use super::super::{Strength, neutral};
    use super::*;

    fn shown(text: &str, cells: usize, how: Wrap) -> Vec<String> {
        wrap_text(&neutral(text, Strength::Exact), cells, how).iter().map(Line::shown).collect()
    }

    #[test]
    fn prose_breaks_at_words() {
        assert_eq!(shown("the quick brown fox", 10, Wrap::Words), ["the quick", "brown fox"]);
        assert_eq!(shown("the quick  brown", 9, Wrap::Words), ["the quick", "brown"]);
        assert_eq!(
            shown("  in a well-known --option", 8, Wrap::Words),
            ["  in a", "well-", "known", "--option"]
        );
        assert_eq!(shown("an unbreakable word", 6, Wrap::Words), ["an", "unbrea", "kable", "word"]);
        assert_eq!(shown("   x    ", 4, Wrap::Words), ["   x"]);
        assert_eq!(shown("      x", 4, Wrap::Words), ["", "x"]);
        assert_eq!(shown("", 4, Wrap::Words), [""]);
        assert_eq!(shown("abc", 0, Wrap::Words), [""]);
    }

    #[test]
    fn prose_breaks_between_ideographs_but_not_before_a_stop() {
        assert_eq!(
            shown("保持行的顺序，审计会比较文件。", 12, Wrap::Words),
            ["保持行的顺", "序，审计会比", "较文件。"]
        );
        assert_eq!(shown("他说（好的）", 6, Wrap::Words), ["他说", "（好", "的）"]);
        assert_eq!(shown("用cargo bench测试", 8, Wrap::Words), ["用cargo", "bench测", "试"]);
        assert_eq!(shown("第１行", 4, Wrap::Words), ["第１", "行"]);
    }

    #[test]
    fn what_counts_to_the_byte_breaks_at_words_and_keeps_its_spaces() {
        assert_eq!(shown("the quick  brown fox", 12, Wrap::Whole), ["the quick  ", "brown fox"]);
        assert_eq!(shown("the quick brown", 9, Wrap::Whole), ["the ", "quick ", "brown"]);
        assert_eq!(shown("an unbreakable word", 6, Wrap::Whole), ["an ", "unbrea", "kable ", "word"]);
        assert_eq!(shown("a         b", 4, Wrap::Whole), ["a   ", "    ", "  b"]);
        assert_eq!(shown("他说（好的）", 6, Wrap::Whole), ["他说", "（好", "的）"]);
        for text in ["  two  words \u{200b} and   more of-them  ", "保持 行的顺序，审计 x", "   "] {
            let code = text.replace('\u{200b}', "\\u{200b}");
            for cells in 2..20 {
                let lines = shown(text, cells, Wrap::Whole);
                assert_eq!(lines.concat(), code, "{cells}");
                assert!(lines.iter().all(|line| super::super::width(line) <= cells), "{lines:?}");
            }
        }
    }

    #[test]
    fn data_breaks_at_the_last_cell_and_keeps_codes_whole() {
        assert_eq!(shown("ab  cd ", 3, Wrap::Cells), ["ab ", " cd", " "]);
        assert_eq!(shown("a你好b", 4, Wrap::Cells), ["a你", "好b"]);
        assert_eq!(shown("ab\u{200b}cd", 9, Wrap::Cells), ["ab", "\\u{200b}c", "d"]);
        assert_eq!(shown("ab\u{200b}cd", 4, Wrap::Cells), ["ab\\u", "{200", "b}cd"]);
        assert_eq!(shown("你", 1, Wrap::Cells).concat(), "\\u{4f60}");
    }
}
