//! Chinese stands close: the blanks that our sentences have around what is put into them are for Latin names and figures.
//!
//! Only our own blanks go. A text from outside keeps those that are in it.

/// Whether it is a Chinese character, or a sign as wide as one.
pub(super) fn is_chinese(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{3400}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

/// A sentence of ours without the blanks between its Chinese and the Chinese of these texts that stand in it.
pub(super) fn up(sentence: String, texts: &[Option<&str>]) -> String {
    let mut said = sentence;
    for text in texts.iter().flatten().filter(|text| text.contains(is_chinese)) {
        let mut from = 0;
        while let Some(at) = said.get(from..).and_then(|rest| rest.find(text)).map(|at| from + at) {
            let (Some(before), Some(after)) = (said.get(..at), said.get(at + text.len()..)) else { break };
            let mut joined = String::with_capacity(said.len());
            joined.push_str(before);
            join(&mut joined, text);
            from = joined.len();
            join(&mut joined, after);
            said = joined;
        }
    }
    said
}

/// Adds what comes next: one blank between two Chinese characters is left out.
pub(super) fn join(out: &mut String, next: &str) {
    let bare = |text: &str| text.strip_suffix(' ').is_some_and(|before| before.ends_with(is_chinese));
    match next.strip_prefix(' ') {
        Some(rest) if rest.starts_with(is_chinese) && out.ends_with(is_chinese) => return out.push_str(rest),
        Some(_) => {}
        None if next.starts_with(is_chinese) && bare(out) => drop(out.pop()),
        None => {}
    }
    out.push_str(next);
}

#[cfg(test)]
mod tests {
    use crate::ui::words::{Lang, Words};

    #[test]
    fn blanks_around_chinese_go_and_those_of_names_and_of_texts_stay() {
        let words = Words::of(Lang::Zh).context;
        assert_eq!(words.counted_by("文字本身", "估算"), "由文字本身计数（估算）");
        assert_eq!(words.counted_by("o200k", "精确"), "由 o200k 计数（精确）");
        assert_eq!(words.counted_by("文 字 本 身", "精确"), "由文 字 本 身计数（精确）");
        assert_eq!(Words::of(Lang::En).context.counted_by("文字", "exact"), "counted by 文字 (exact)");
    }
}
