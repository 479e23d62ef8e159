//! Small cuts of text, always on character boundaries and never over more than the part that is needed.

/// Characters that are looked at when one line is made of a text.
const LOOK: usize = 4096;

/// At most `max` characters; a cut is marked.
pub(super) fn clip(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default().trim_end()),
    }
}

/// The beginning of a text on one line: white space collapsed, control characters gone, at most `max` characters.
pub(super) fn one_line(text: &str, max: usize) -> String {
    clip(&on_one_line(text.chars().take(LOOK)), max)
}

/// The beginning and the end of a text on one line, about `max` characters: what begins alike often ends otherwise.
pub(super) fn ends(text: &str, max: usize) -> String {
    let line = on_one_line(text.chars().take(LOOK));
    if line.chars().nth(max).is_none() && text.chars().nth(LOOK).is_none() {
        return line;
    }
    let tail: Vec<char> = text.chars().rev().take(LOOK).collect();
    let tail = on_one_line(tail.into_iter().rev());
    let from = tail.char_indices().rev().nth(max / 3).map_or(0, |(at, _)| at);
    let tail = tail.get(from..).unwrap_or_default().trim_start();
    format!("{}{tail}", clip(&line, max.saturating_sub(max / 3)))
}

fn on_one_line(text: impl Iterator<Item = char>) -> String {
    let mut line = String::new();
    let mut gap = false;
    for c in text {
        if c.is_whitespace() || c.is_control() {
            gap = !line.is_empty();
            continue;
        }
        if std::mem::take(&mut gap) {
            line.push(' ');
        }
        line.push(c);
    }
    line
}

/// A text on one line, whole.
pub(super) fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first line with words in it.
pub(super) fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// The first sentence, on one line, at most `max` characters. A full stop ends a sentence only before white space.
pub(super) fn first_sentence(text: &str, max: usize) -> String {
    one_line(sentences(first_line(text.trim_start())).next().unwrap_or_default(), max)
}

/// The sentences of a line with their ends.
pub(super) fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let text = rest.trim_start();
        if text.is_empty() {
            return None;
        }
        let (sentence, after) = text.split_at_checked(end_of_sentence(text))?;
        rest = after;
        Some(sentence)
    })
}

/// Where the first sentence of a text ends, bytes. A full stop ends one only before white space.
fn end_of_sentence(text: &str) -> usize {
    let ends = |(at, c): &(usize, char)| match c {
        '。' | '！' | '？' => true,
        '.' | '!' | '?' => {
            text.get(at + 1..).is_none_or(|next| next.is_empty() || next.starts_with(char::is_whitespace))
        }
        _ => false,
    };
    text.char_indices().find(ends).map_or(text.len(), |(at, c)| at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_stand_on_character_boundaries() {
        assert_eq!(clip("展开展开", 2), "展开…");
        assert_eq!(clip("abc", 3), "abc");
        let long = format!("{}→", "a".repeat(LOOK - 1));
        assert_eq!(one_line(&long, 10), format!("{}…", "a".repeat(10)));
    }

    #[test]
    fn of_a_long_text_the_beginning_and_the_end_are_shown() {
        assert_eq!(ends("cargo  test\n--all", 80), "cargo test --all");
        let long = format!("{} -- first", "展开 ".repeat(40));
        let shown = ends(&long, 30);
        assert!(
            shown.starts_with("展开 展开") && shown.ends_with("-- first") && shown.contains('…'),
            "{shown}"
        );
        assert!(shown.chars().count() <= 33, "{shown}");
        let huge = format!("{}→", " ".repeat(3 * LOOK));
        assert!(ends(&huge, 30).ends_with('→'));
    }

    #[test]
    fn sentences_end_where_they_end() {
        let all: Vec<&str> = sentences("Read v1.2 first. 只看后一半。Then stop").collect();
        assert_eq!(all, ["Read v1.2 first.", "只看后一半。", "Then stop"]);
    }

    #[test]
    fn a_sentence_does_not_end_inside_a_file_name() {
        assert_eq!(first_sentence("Read src/main.rs first. Then go on.", 80), "Read src/main.rs first.");
        assert_eq!(first_sentence("先看文件。再改。", 80), "先看文件。");
        assert_eq!(first_sentence("\n\n  no end here", 80), "no end here");
        assert_eq!(first_sentence("", 80), "");
    }
}
