//! Takes keys out of texts before they are stored: the keys in use, and what has the form of a well-known kind of key.
//!
//! Arguments of calls are not masked: they are stored exactly as they run. Only forms that hardly ever stand for
//! anything else are known, since a masked piece of source code is one that the model can no longer edit.

use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Shorter keys are no keys, and would mask ordinary words.
const SHORTEST: usize = 8;
/// Stands where a key stood.
const MASK: &str = "[masked key]";

static FORMS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let forms = [
        r"\b(?:sk|pk|rk|gsk|hf|xai|glpat)[-_][A-Za-z0-9_-]{20,}",
        r"\bgh[pousr]_[A-Za-z0-9]{30,}",
        r"\bgithub_pat_[A-Za-z0-9_]{22,}",
        r"\bAKIA[0-9A-Z]{16}\b",
        r"\bAIza[0-9A-Za-z_-]{35}",
        r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----",
    ];
    Regex::new(&forms.join("|")).ok()
});

/// What is to be masked in a run.
#[derive(Clone, Default)]
pub struct Masks {
    keys: Vec<String>,
}

impl Masks {
    /// Masks these keys besides the known forms.
    pub fn new(keys: Vec<String>) -> Self {
        let mut keys: Vec<String> = keys.into_iter().filter(|k| k.len() >= SHORTEST).collect();
        // The longest first: a key that begins like another is masked as a whole.
        keys.sort_by_key(|k| std::cmp::Reverse(k.len()));
        Self { keys }
    }

    /// The text without keys.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(text);
        for key in &self.keys {
            if out.contains(key.as_str()) {
                out = Cow::Owned(out.replace(key.as_str(), MASK));
            }
        }
        let Some(forms) = FORMS.as_ref() else { return out };
        let masked = forms.replace_all(&out, |found: &Captures<'_>| {
            let text = found.get(0).map_or("", |m| m.as_str());
            // Keys are random; a long name in words is none.
            if text.contains(|c: char| c.is_ascii_digit()) { MASK.to_owned() } else { text.to_owned() }
        });
        match masked {
            Cow::Owned(new) if new != out => Cow::Owned(new),
            Cow::Owned(_) | Cow::Borrowed(_) => out,
        }
    }

    /// The text without keys.
    pub fn owned(&self, text: String) -> String {
        match self.text(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(new) => new,
        }
    }

    /// Raw output without keys: as it is unless there is one.
    pub fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let text = String::from_utf8_lossy(&bytes);
        let masked = self.text(&text);
        if masked == text { bytes } else { masked.into_owned().into_bytes() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_and_everything_else_stays() {
        let masks = Masks::new(vec!["hunter2-hunter2".into(), "short".into()]);
        assert_eq!(masks.text("a hunter2-hunter2 b short"), "a [masked key] b short");
        for key in [
            "sk-proj-4f8a9b2c7d1e6f3a5b9c",
            "ghp_0123456789abcdefghij0123456789abcdef",
            "AKIA0123456789ABCDEF",
        ] {
            assert_eq!(masks.text(&format!("KEY={key};")), "KEY=[masked key];");
        }
        let plain = "let api_key = get_api_key(); // class sk-folding-cube-container-name; 任务 sk-1";
        assert!(matches!(masks.text(plain), Cow::Borrowed(_)));
        let raw = vec![0xff, b'x', 0xfe];
        assert_eq!(masks.bytes(raw.clone()), raw);
    }
}
