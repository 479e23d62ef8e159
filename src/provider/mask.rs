//! Keeps keys out of what is shown, logged or stored.
//!
//! Only for texts that come from or go to a server (error bodies, addresses). What a tool prints is masked elsewhere.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

/// Longest excerpt of a server's body that is kept, in bytes.
pub const EXCERPT: usize = 600;

/// An API key. Its `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key; spaces and line ends around it (as left by `$(cat file)`) are dropped.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self(key.trim().to_owned())
    }

    /// The key itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}",
        r"\b(sk|pk|rk|gsk|xai|hf)[-_][A-Za-z0-9_*-]{8,}",
        r"(?i)\b(api[-_]?key|x-api-key|access[-_]?token)\W{1,4}[A-Za-z0-9._~+/=-]{8,}",
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// `text` with the key in use and everything that looks like a key replaced.
#[must_use]
pub fn mask(text: &str, key: Option<&Secret>) -> String {
    let mut out = match key {
        Some(key) if key.expose().len() >= 4 => text.replace(key.expose(), "[key]"),
        Some(_) | None => text.to_owned(),
    };
    for pattern in PATTERNS.iter() {
        out = pattern.replace_all(&out, "[masked]").into_owned();
    }
    out
}

/// A masked excerpt of a body: at most [`EXCERPT`] bytes. Lines stay, a tab is a space; any other control character stands
/// as its code (`\u{1b}`), so that it neither acts nor goes without a word.
#[must_use]
pub fn excerpt(body: &str, key: Option<&Secret>) -> String {
    // Mask before cutting, so that a key across the cut is not left half.
    let mut clean = String::with_capacity(body.len());
    for c in mask(body.trim(), key).replace("\r\n", "\n").chars() {
        match c {
            '\n' => clean.push(c),
            '\t' => clean.push(' '),
            c if c.is_control() => clean.extend(c.escape_unicode()),
            c => clean.push(c),
        }
    }
    if clean.len() <= EXCERPT {
        return clean;
    }
    format!("{}…", head(&clean, EXCERPT))
}

/// The beginning of `text`: whole characters, at most `most` bytes.
#[must_use]
pub fn head(text: &str, most: usize) -> &str {
    let most = most.min(text.len());
    let cut = (0..=most).rev().find(|at| text.is_char_boundary(*at));
    text.get(..cut.unwrap_or(0)).unwrap_or_default()
}

/// An address without user name and password.
#[must_use]
pub fn mask_url(address: &str) -> String {
    match reqwest::Url::parse(address) {
        Ok(mut url) if !url.username().is_empty() || url.password().is_some() => {
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.to_string()
        }
        Ok(_) | Err(_) => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_vanish_wherever_they_stand() {
        let key = Secret::new(" my-own-secret-0815\n");
        let text = "Incorrect API key provided: sk-abcdefgh12345678. Bearer my-own-secret-0815";
        let masked = mask(text, Some(&key));
        assert!(!masked.contains("abcdefgh"), "{masked}");
        assert!(!masked.contains("0815"), "{masked}");
        assert!(masked.contains("Incorrect API key provided"), "{masked}");
        assert_eq!(format!("{key:?}"), "Secret(…)");
    }

    #[test]
    fn an_excerpt_is_cut_at_a_character() {
        let long = "界".repeat(1000);
        let cut = excerpt(&long, None);
        assert!(cut.len() <= EXCERPT + 3 && cut.ends_with('…'));
    }

    #[test]
    fn a_control_character_stands_as_its_code() {
        let said = "\u{1b}[31mred\u{1b}[0m\ta\r\nb\rc\u{7}\u{9b}2J";
        assert_eq!(excerpt(said, None), "\\u{1b}[31mred\\u{1b}[0m a\nb\\u{d}c\\u{7}\\u{9b}2J");
    }

    #[test]
    fn an_address_loses_its_password() {
        assert_eq!(mask_url("http://u:p@host:1/v1"), "http://host:1/v1");
        assert_eq!(mask_url("http://host/v1"), "http://host/v1");
    }
}
