//! Numbers that an edit of the text changes and that constraints and checks still have: `under 60 s` became `under 45 s`,
//! and a check says `--max 60`.
//!
//! Derived from the texts alone. A number that was in the text before and is not there any more is looked for; what
//! replaced it is known where as many numbers came as went.

/// A number that the text does not have any more, and what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// As the text had it.
    pub old: String,
    /// As it has it now; none if that cannot be told.
    pub new: Option<String>,
}

/// The numbers of a text with their places in bytes.
fn numbers(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = None;
    let ends = text.char_indices().chain(std::iter::once((text.len(), ' ')));
    for (at, c) in ends {
        match (from, c.is_ascii_digit(), matches!(c, '.' | ',')) {
            (None, true, _) => from = Some(at),
            (Some(_), true, _) | (Some(_), _, true) | (None, false, _) => {}
            (Some(start), false, false) => {
                let number = text.get(start..at).unwrap_or_default().trim_end_matches(['.', ',']);
                found.push((start, number));
                from = None;
            }
        }
    }
    // `v2` and `utf8` are names.
    found.retain(|(at, _)| {
        let before = text.get(..*at).and_then(|head| head.chars().next_back());
        !before.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
    });
    found
}

/// What changed between two texts.
pub fn changed(old: &str, new: &str) -> Vec<Changed> {
    let only = |one: &str, other: &str| -> Vec<String> {
        let others: Vec<&str> = numbers(other).into_iter().map(|(_, number)| number).collect();
        let own = numbers(one).into_iter().map(|(_, number)| number);
        own.filter(|number| !others.contains(number)).map(str::to_owned).collect()
    };
    let (gone, come) = (only(old, new), only(new, old));
    let paired = gone.len() == come.len();
    gone.into_iter()
        .enumerate()
        .map(|(nth, old)| Changed { old, new: come.get(nth).filter(|_| paired).cloned() })
        .collect()
}

/// Whether a text has this number.
pub fn has(text: &str, number: &str) -> bool {
    numbers(text).iter().any(|(_, known)| *known == number)
}

/// The text with one number in place of another.
pub fn replaced(text: &str, old: &str, new: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, number) in numbers(text) {
        if number == old {
            out.push_str(text.get(from..at).unwrap_or_default());
            out.push_str(new);
            from = at + number.len();
        }
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_the_text_lost_is_known_with_what_came_for_it() {
        let one = |old: &str, new: &str| Changed { old: old.into(), new: Some(new.into()) };
        assert_eq!(changed("2 M rows in 60 s.", "2 M rows in 45 s."), [one("60", "45")]);
        assert_eq!(changed("60 s, 10 MB", "45 s, 8 MB"), [one("60", "45"), one("10", "8")]);
        assert_eq!(changed("in 60 s", "quickly"), [Changed { old: "60".into(), new: None }]);
        assert_eq!(changed("utf8 v2", "utf16 v3"), []);
        assert_eq!(changed("少于 60 秒", "少于 45 秒"), [one("60", "45")]);
        assert!(has("cmd:./bench.sh --max 60", "60") && !has("cmd:./bench600.sh --max 160", "60"));
        assert_eq!(replaced("a 60 b60 600 60.", "60", "45"), "a 45 b60 600 45.");
        assert_eq!(replaced("用 60 秒，60", "60", "45"), "用 45 秒，45");
    }
}
