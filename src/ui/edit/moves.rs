//! Where the caret can be: between graphemes, and between words.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

fn cursor(text: &str, at: usize) -> GraphemeCursor {
    GraphemeCursor::new(at.min(text.len()), text.len(), true)
}

/// The grapheme boundary before.
pub fn before(text: &str, at: usize) -> usize {
    cursor(text, at).prev_boundary(text, 0).ok().flatten().unwrap_or(0)
}

/// The grapheme boundary after.
pub fn after(text: &str, at: usize) -> usize {
    cursor(text, at).next_boundary(text, 0).ok().flatten().unwrap_or(text.len())
}

/// The same place if it is a boundary, else the next one.
pub fn snap(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    match cursor(text, at).is_boundary(text, 0) {
        Ok(true) => at,
        Ok(false) | Err(_) => after(text, at),
    }
}

/// Begin of the word before.
pub fn word_before(text: &str, at: usize) -> usize {
    let words = text.split_word_bound_indices().take_while(|(from, _)| *from < at);
    words.filter(|(_, word)| is_word(word)).last().map_or(0, |(from, _)| from)
}

/// End of the word after.
pub fn word_after(text: &str, at: usize) -> usize {
    let mut words =
        text.split_word_bound_indices().filter(|(from, word)| from + word.len() > at && is_word(word));
    words.next().map_or(text.len(), |(from, word)| from + word.len())
}

fn is_word(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}
