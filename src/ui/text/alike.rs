//! Letters and signs that look like ASCII and are not, judged where they stand: `а` is a letter of its own in a Russian
//! word, and a trap in `exаmple`. The likenesses follow the idea of Unicode TS 39 (confusables, mixed scripts), kept to
//! the pairs that are hard to tell apart in a terminal's font.
//!
//! Not to be assumed: that everything alike is found. Fonts differ, and pairs within one script (`l`, `1`) are left.

use super::neutral::{Act, Slot};
use super::{Origin, Why};

/// Foreign letters, each followed by the one it looks like.
const LETTERS: &[(Origin, &str)] = &[
    (Origin::Cyrillic, "аaеeоoрpсcуyхxіiјjѕsԁdԛqԝwһhӏlѵvАAВBЕEЅSІIЈJКKМMНHОOРPСCТTУYХXӀIԌGԚQԜWѴVҮYҺhӕæ"),
    (Origin::Greek, "οoνvαaρpιiυuγyΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϲcϳjϹCϺMͿJ"),
    (Origin::Armenian, "օoսuհhոnցgզqՕOՍUԼLՏS"),
    (Origin::Cherokee, "ᎠDᎡRᎢTᎥiᎩYᎪAᎫJᎬEᎳWᎷMᎻHᎽYᏀGᏂhᏃZᏎ4ᏒRᏔWᏕSᏙVᏚSᏞLᏟCᏢPᏦKᏧdᏴBᏳGꮪsꮯcꮓz"),
    (Origin::Coptic, "ⲟoⲢPⲞOⲤCⲥcⲘMⲚNⲔKⲬXⲎHⲈE"),
    (Origin::Lisu, "ꓐBꓑPꓓDꓔTꓖGꓗKꓙJꓚCꓜZꓝFꓟMꓠNꓡLꓢSꓣRꓦVꓧHꓪWꓫXꓬYꓮAꓰEꓲIꓳOꓴU"),
    (Origin::Latin, "ɑaɡgıiſsƖlǀlɩiʟLꜱsᴄcᴏoᴠvᴡwᴢzᴜu"),
    (Origin::Styled, "ℎhℯeℴoℊgℓlℹi\u{212a}KⅰiⅴvⅹxⅼlⅽcⅾdⅿmⅠIⅤVⅩXⅬLⅭCⅮDⅯM"),
];

/// Signs, each followed by the one it looks like.
const SIGNS: &str =
    "／/⁄/∕/⧸/＼\\∖\\⧵\\﹨\\．.․.﹒.：:꞉:∶:\u{37e};＄$＆&｜|∣|＜<＞>＝=＃#＠@＊*∗*＇'＂\"′'ʹ'ʼ'ˈ'｀`ˋ`ǃ!＿_";

/// Dashes that are alike everywhere.
const HYPHENS: &str = "\u{2010}\u{2011}\u{2d7}";

/// Dashes that are alike where an option would stand.
fn dash(c: char) -> bool {
    matches!(c, '\u{2012}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}')
}

fn paired(table: &str, c: char) -> Option<char> {
    let mut chars = table.chars();
    while let (Some(sign), Some(like)) = (chars.next(), chars.next()) {
        if sign == c {
            return Some(like);
        }
    }
    None
}

/// What a letter or digit looks like, and where it is from.
fn letter(c: char) -> Option<(Origin, char)> {
    let ascii = |base: char, offset: u32| char::from_u32(u32::from(base) + offset);
    let code = u32::from(c);
    match c {
        '\0'..='\u{130}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' => None,
        '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            char::from_u32(code - 0xfee0).map(|like| (Origin::FullWidth, like))
        }
        // Thirteen alphabets of 26 capitals and 26 small letters; five sets of digits.
        '\u{1d400}'..='\u{1d6a3}' => {
            let at = (code - 0x1d400) % 52;
            let like = if at < 26 { ascii('A', at) } else { ascii('a', at - 26) };
            like.map(|like| (Origin::Styled, like))
        }
        '\u{1d7ce}'..='\u{1d7ff}' => ascii('0', (code - 0x1d7ce) % 10).map(|like| (Origin::Styled, like)),
        _ => LETTERS.iter().find_map(|(origin, table)| Some((*origin, paired(table, c)?))),
    }
}

/// The alphabet of a letter that has no place in a Latin word, whatever it looks like.
fn foreign(c: char) -> Option<Origin> {
    match c {
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{a640}'..='\u{a69f}' => Some(Origin::Cyrillic),
        '\u{530}'..='\u{58f}' => Some(Origin::Armenian),
        '\u{13a0}'..='\u{13ff}' | '\u{ab70}'..='\u{abbf}' => Some(Origin::Cherokee),
        '\u{2c80}'..='\u{2cff}' => Some(Origin::Coptic),
        '\u{a4d0}'..='\u{a4ff}' => Some(Origin::Lisu),
        _ => None,
    }
}

/// Flags what looks like something else on one line.
pub fn flag(line: &mut [Slot]) {
    signs(line);
    let mut from = 0;
    while from < line.len() {
        let rest = line.get(from..).unwrap_or(&[]);
        let long = rest.iter().take_while(|slot| in_word(slot)).count();
        if long > 0 {
            word(line, from, from + long);
        }
        from += long.max(1);
    }
}

/// What is drawn as it is: also the inside of a control sequence, whose end may touch a word.
fn drawn(slot: &Slot) -> bool {
    matches!(slot.act, Act::Keep | Act::Inside)
}

fn in_word(slot: &Slot) -> bool {
    drawn(slot) && (slot.c.is_alphanumeric() || slot.mark)
}

fn signs(line: &mut [Slot]) {
    let mut open = true;
    let mut at = 0;
    while let Some(slot) = line.get(at) {
        let c = slot.c;
        let kept = slot.act == Act::Keep;
        if kept && dash(c) {
            let run = line.get(at..).unwrap_or(&[]);
            let run = run.iter().take_while(|s| s.act == Act::Keep && dash(s.c)).count();
            let option = open && line.get(at + run).is_some_and(|next| next.c.is_ascii_alphabetic());
            if option {
                (at..at + run).for_each(|i| hide(line, i, Origin::Sign, Some('-')));
            }
            at += run;
            open = false;
            continue;
        }
        if kept && !c.is_ascii() && !slot.mark && beside_ascii(line, at) {
            let like = if HYPHENS.contains(c) { Some('-') } else { paired(SIGNS, c) };
            let full = matches!(c, '\u{ff01}'..='\u{ff5e}');
            if like.is_some() {
                hide(line, at, if full { Origin::FullWidth } else { Origin::Sign }, like);
            }
        }
        open = matches!(c, ' ' | '\t');
        at += 1;
    }
}

/// Whether an ASCII letter or digit stands directly before or after it.
fn beside_ascii(line: &[Slot], at: usize) -> bool {
    let ascii = |slot: Option<&Slot>| slot.is_some_and(|s| drawn(s) && s.c.is_ascii_alphanumeric());
    ascii(at.checked_sub(1).and_then(|before| line.get(before))) || ascii(line.get(at + 1))
}

fn word(line: &mut [Slot], from: usize, to: usize) {
    let letters = || line.get(from..to).unwrap_or(&[]).iter().filter(|slot| !slot.mark).map(|slot| slot.c);
    if letters().all(|c| c.is_ascii()) {
        return;
    }
    let latin = letters().any(|c| c.is_ascii_alphabetic());
    if !latin && !disguised(line, from, to, letters()) {
        return;
    }
    for at in from..to {
        let Some(c) = line.get(at).filter(|slot| !slot.mark).map(|slot| slot.c) else { continue };
        let found = letter(c).map(|(origin, like)| (origin, Some(like)));
        if let Some((origin, like)) = found.or_else(|| foreign(c).map(|origin| (origin, None))) {
            hide(line, at, origin, like);
        }
    }
}

/// Whether a word without a Latin letter looks like a Latin one as a whole. A single letter between spaces is left.
fn disguised(line: &[Slot], from: usize, to: usize, letters: impl Iterator<Item = char> + Clone) -> bool {
    let alike = letters.clone().all(|c| c.is_ascii_digit() || letter(c).is_some());
    let graphic = |slot: Option<&Slot>| {
        slot.is_some_and(|s| matches!(s.act, Act::Hide(_) | Act::Inside) || s.c.is_ascii_graphic())
    };
    let beside = graphic(from.checked_sub(1).and_then(|before| line.get(before))) || graphic(line.get(to));
    let variable = letters.clone().all(|c| matches!(c, 'α' | 'ν' | 'ρ' | 'ι' | 'υ' | 'γ'));
    alike && (letters.count() > 1 || (beside && !variable))
}

/// Hides a character, and the marks on it.
fn hide(line: &mut [Slot], at: usize, origin: Origin, like: Option<char>) {
    let mut rest = line.iter_mut().skip(at);
    if let Some(slot) = rest.next() {
        slot.act = Act::Hide(Why::LookAlike { origin, like });
    }
    for mark in rest.take_while(|slot| slot.mark && slot.act == Act::Keep) {
        mark.act = Act::Hide(Why::Mark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_pair_a_foreign_character_with_its_double() {
        for table in LETTERS.iter().map(|(_, table)| *table).chain([SIGNS]) {
            let chars: Vec<char> = table.chars().collect();
            assert_eq!(chars.len() % 2, 0, "{table}");
            for pair in chars.chunks(2) {
                assert!(!pair[0].is_ascii(), "{pair:?}");
                assert!(pair[1].is_ascii_graphic() || pair[1] == 'æ', "{pair:?}");
            }
        }
    }

    #[test]
    fn letters_and_digits_by_rule() {
        assert_eq!(letter('\u{430}'), Some((Origin::Cyrillic, 'a')));
        assert_eq!(letter('\u{ff52}'), Some((Origin::FullWidth, 'r')));
        assert_eq!(letter('\u{1d4ea}'), Some((Origin::Styled, 'a')));
        assert_eq!(letter('\u{1d7d9}'), Some((Origin::Styled, '1')));
        assert_eq!(letter('é').or(letter('你')).or(letter('ж')), None);
    }
}
