//! What a character is when seen by itself. Derived from the Unicode Character Database 16: general category,
//! default-ignorable code points, emoji data; ranges are kept coarse where that only makes the reading stricter.

use super::unassigned::unassigned;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthChar as _;

/// What [`class`] tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Draws a glyph of certain width, one or two cells.
    Glyph,
    /// Belongs to the glyph before it; most draw on it, some take a cell of their own.
    Mark,
    Control,
    Separator,
    Bidi,
    Invisible,
    /// Zero-width joiner and non-joiner.
    Joiner,
    Tag,
    /// A variation selector, whatever it selects.
    Selector,
    SkinTone,
    /// Half of a flag.
    Flag,
    Private,
    Unassigned,
    /// The replacement character.
    Broken,
    /// A space other than the plain one; may be two cells wide.
    Space,
    /// No terminal is sure how wide it is.
    Odd,
}

/// The class of a character.
pub fn class(c: char) -> Class {
    if matches!(c, ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{2ff}' | '\u{3041}'..='\u{3096}')
        || matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff01}'..='\u{ff9d}')
    {
        return Class::Glyph;
    }
    match c {
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Class::Control,
        '\u{fffd}' => Class::Broken,
        '\u{2028}' | '\u{2029}' => Class::Separator,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => {
            Class::Bidi
        }
        '\u{200c}' | '\u{200d}' => Class::Joiner,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => Class::Selector,
        '\u{180b}'..='\u{180d}' | '\u{180f}' => Class::Selector,
        '\u{e0000}'..='\u{e0fff}' => Class::Tag,
        '\u{1f3fb}'..='\u{1f3ff}' => Class::SkinTone,
        '\u{1f1e6}'..='\u{1f1ff}' => Class::Flag,
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => Class::Private,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            Class::Space
        }
        _ if ignorable(c) => Class::Invisible,
        _ if unassigned(c) => Class::Unassigned,
        _ => by_width(c),
    }
}

fn by_width(c: char) -> Class {
    if simple(c) {
        return Class::Glyph;
    }
    match c.width() {
        // The half-width voicing marks: a cluster with them is counted in two ways.
        _ if matches!(c, '\u{ff9e}' | '\u{ff9f}') => Class::Odd,
        Some(0) => Class::Mark,
        // Drawn around or onto what follows, whatever that is.
        Some(1 | 2) if joins(c, 'a') => Class::Odd,
        Some(1 | 2) if joins('a', c) => Class::Mark,
        Some(1 | 2) => Class::Glyph,
        Some(_) | None => Class::Odd,
    }
}

/// Whether two characters are one cluster.
fn joins(first: char, second: char) -> bool {
    let mut bytes = [0; 8];
    let first = first.encode_utf8(&mut bytes).len();
    let long = first + bytes.get_mut(first..).map_or(0, |rest| second.encode_utf8(rest).len());
    let pair = bytes.get(..long).and_then(|pair| std::str::from_utf8(pair).ok()).unwrap_or("");
    pair.graphemes(true).count() == 1
}

/// Default-ignorable code points that have no class of their own here, and annotation signs.
fn ignorable(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}')
        || matches!(c, '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}')
        || matches!(c, '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
}

/// Whether emoji selectors, joiners and skin tones may follow it.
pub fn emoji(c: char) -> bool {
    matches!(
        c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
    ) || matches!(c, '\u{2300}'..='\u{23ff}' | '\u{24c2}' | '\u{25a0}'..='\u{27bf}' | '\u{2934}' | '\u{2935}')
        || matches!(c, '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}')
        || matches!(c, '\u{1f000}'..='\u{1f1e5}' | '\u{1f200}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}')
}

/// Whether a joiner between two such letters is part of the spelling (Arabic, and the scripts of India).
pub fn joining(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{8a0}'..='\u{8ff}' | '\u{900}'..='\u{dff}')
}

/// Whether it is read from right to left.
pub fn right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
        || matches!(c, '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Whether it begins a cluster, and ends one if such a character follows, whatever stands before or after.
pub fn simple(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a1}'..='\u{a8}' | '\u{aa}'..='\u{ac}' | '\u{af}'..='\u{2ff}' | '\u{370}'..='\u{373}')
        || matches!(c, '\u{386}'..='\u{3ff}' | '\u{400}'..='\u{482}' | '\u{48a}'..='\u{52f}')
        || matches!(c, '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{203b}' | '\u{2200}'..='\u{22ff}')
        || matches!(c, '\u{2500}'..='\u{259f}' | '\u{3000}'..='\u{3029}' | '\u{3041}'..='\u{3096}')
        || matches!(c, '\u{30a0}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
        || matches!(c, '\u{ac00}'..='\u{d7a3}' | '\u{ff01}'..='\u{ff9d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glyph_stands_by_itself() {
        for c in ('\u{80}'..='\u{323ff}').filter(|c| class(*c) == Class::Glyph) {
            assert_eq!(format!("a{c}a").graphemes(true).count(), 3, "{c:?}");
        }
    }

    #[test]
    fn a_simple_character_begins_and_ends_a_cluster() {
        for c in ('\0'..='\u{ffff}').filter(|c| simple(*c)) {
            assert!(matches!(class(c), Class::Glyph | Class::Space | Class::Unassigned), "{c:?}");
            for (before, after) in [('a', '你'), ('한', 'é'), ('你', '한')] {
                assert_eq!(format!("{before}{c}{after}").graphemes(true).count(), 3, "{c:?}");
            }
        }
    }
}
