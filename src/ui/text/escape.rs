//! How far a control sequence reaches, so that it is shown as one piece. Forms after ECMA-48 §5.4 and §5.6.

/// Longest sequence that is read as one, bytes; what follows is ordinary text.
const LONGEST: usize = 256;

/// Bytes of the sequence at the start of `text`, which begins with ESC or a C1 control; at least that character.
/// Nothing but printable ASCII and the terminator is taken in.
pub fn extent(text: &str) -> usize {
    let mut chars = text.char_indices();
    let introducer = match chars.next() {
        Some((_, '\u{1b}')) => match chars.next() {
            Some((_, c @ ('[' | ']' | 'P' | 'X' | '^' | '_'))) => (c, 2),
            Some((_, ' '..='/')) => return short(text),
            Some((_, '0'..='~')) => return 2,
            Some(_) | None => return 1,
        },
        Some((_, '\u{9b}')) => ('[', 2),
        Some((_, '\u{9d}')) => (']', 2),
        Some((_, c)) => {
            return if matches!(c, '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}') {
                string(text, 2)
            } else {
                c.len_utf8()
            };
        }
        None => return 0,
    };
    match introducer {
        ('[', from) => control(text, from),
        (_, from) => string(text, from),
    }
}

/// ESC, intermediate bytes, a final byte.
fn short(text: &str) -> usize {
    let rest = text.bytes().skip(1).take(LONGEST);
    let between = rest.take_while(|byte| matches!(byte, b' '..=b'/')).count();
    let ended = text.as_bytes().get(1 + between).is_some_and(|byte| matches!(byte, b'0'..=b'~'));
    1 + between + usize::from(ended)
}

/// Parameters, intermediate bytes, a final byte.
fn control(text: &str, from: usize) -> usize {
    let inside = text.bytes().skip(from).take(LONGEST).take_while(|byte| matches!(byte, b' '..=b'?')).count();
    let ended = text.as_bytes().get(from + inside).is_some_and(|byte| matches!(byte, b'@'..=b'~'));
    from + inside + usize::from(ended)
}

/// A string up to BEL or ST.
fn string(text: &str, from: usize) -> usize {
    let inside = text.bytes().skip(from).take(LONGEST).take_while(|byte| matches!(byte, b' '..=b'~')).count();
    let rest = text.get(from + inside..).unwrap_or("");
    let end = ["\u{7}", "\u{1b}\\", "\u{9c}"].iter().find(|end| rest.starts_with(**end));
    from + inside + end.map_or(0, |end| end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_ends_where_a_terminal_ends_it() {
        let whole =
            ["\u{1b}[2J", "\u{1b}[1;31m", "\u{1b}]0;title\u{7}", "\u{1b}]52;c;aGk=\u{1b}\\", "\u{1b}c"];
        for text in
            whole.into_iter().chain(["\u{9b}2J", "\u{1b}(B", "\u{1b}P1$r0m\u{9c}", "\u{1b}", "\u{85}"])
        {
            assert_eq!(extent(&format!("{text}ab")).min(text.len()), text.len(), "{text:?}");
            assert_eq!(extent(text), text.len(), "{text:?}");
        }
        assert_eq!(extent("\u{1b}[2Jab"), 4);
        assert_eq!(extent("\u{1b}\u{1b}[m"), 1);
        assert_eq!(extent("\u{1b}[1\u{4f60}"), 3);
        assert_eq!(extent(&format!("\u{1b}]{}", "x".repeat(9_999))), 2 + LONGEST);
    }
}
