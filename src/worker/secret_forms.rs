//! What keys and secrets look like in what is stored. What servers say is masked where they are asked, in `provider::mask`.
//!
//! There are two sets. [`sure`] has forms that hardly ever stand for anything else; it is used on all that is stored, since
//! a masked piece of source code is one that the model can no longer edit. [`told`] has what a person or a note says in
//! words or in a line of a configuration ("password = …", credentials in an address); it is used on what outlives a run,
//! where a value too many that is left out costs less than one that is kept.

use regex::{Captures, Regex};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

static SURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
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

/// The text with `mask` where a well-known kind of key stood.
pub fn sure<'a>(text: &'a str, mask: &str) -> Cow<'a, str> {
    let Some(forms) = SURE.as_ref() else { return Cow::Borrowed(text) };
    let masked = forms.replace_all(text, |found: &Captures<'_>| {
        let text = found.get(0).map_or("", |m| m.as_str());
        // Keys are random; a long name in words is none.
        let key = text.contains(|c: char| c.is_ascii_digit());
        if key { mask.to_owned() } else { text.to_owned() }
    });
    match masked {
        Cow::Owned(new) if new != text => Cow::Owned(new),
        Cow::Owned(_) | Cow::Borrowed(_) => Cow::Borrowed(text),
    }
}

/// Whether a value is a secret: what was found, the value, what comes after it.
type Holds = fn(&Captures<'_>, &str, &str) -> bool;
/// A form with the group `v` for the value, and whether that value is a secret in it.
type Form = (Regex, Holds);

static TOLD: LazyLock<Vec<Form>> = LazyLock::new(|| {
    const WORD: &str = r"(?P<word>pass(?:word|wd|phrase|code)|\bpwd|secret|token|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key)";
    const HAN: &str = r"(?P<han>密码|口令|密钥|令牌)";
    const SIGN: &str = r"(?:是|为|[:：]?[=＝]>?|[:：])\s*[:：]?\s*";
    const VALUE: &str = r#"["'`“「*\\]{0,4}(?P<v>[!-~&&[^"'`,;\\]]{6,})"#;
    let forms: [(String, Holds); 5] = [
        (format!(r#"(?i){WORD}(?:_?(?:access)?_?key)?(?:[_-][a-z0-9_-]{{0,24}})?["'`*\\]{{0,4}}\s*{SIGN}{VALUE}"#), named),
        (format!(r"(?i){WORD}(?:\s+[\w.-]+){{0,4}}\s+(?:is|was)\s*:?\s+{VALUE}"), named),
        (format!(r#"{HAN}[\p{{Han}}（(）)]{{0,8}}?["'`*\\]{{0,4}}\s*{SIGN}{VALUE}"#), named),
        (format!(r"(?i)--[a-z-]*(?P<word>password|passwd|token|secret|api-?key)[\s=]+{VALUE}"), named),
        (
            r#"(?i)(?P<auth>authorization["'\\]{0,2}\s*[:=]\s*["'\\]{0,2})?\b(?:bearer|basic)\s+(?P<v>[a-z0-9._~+/=-]{8,})"#
                .to_owned(),
            authorization,
        ),
    ];
    let address = (
        r#"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@"'<>]*:(?P<v>[^\s/@"'<>]{3,})@"#.to_owned(),
        in_address as Holds,
    );
    forms
        .into_iter()
        .chain([address])
        .filter_map(|(form, holds)| Some((Regex::new(&form).ok()?, holds)))
        .collect()
});

/// The text with `mask` where somebody says a secret, besides what [`sure`] knows.
pub fn told<'a>(text: &'a str, mask: &str) -> Cow<'a, str> {
    let mut out = sure(text, mask);
    for (form, holds) in TOLD.iter() {
        let places: Vec<Range<usize>> = form
            .captures_iter(&out)
            .filter_map(|found| {
                let value = found.name("v")?;
                // The end of a sentence or of brackets is none of the value's.
                let bare = value.as_str().trim_end_matches(['.', ')', ']', '}', '>', '?', ':', '*']);
                let after = out.get(value.start() + bare.len()..).unwrap_or_default();
                holds(&found, bare, after).then(|| value.start()..value.start() + bare.len())
            })
            .collect();
        if places.is_empty() {
            continue;
        }
        let mut new = out.into_owned();
        for place in places.into_iter().rev() {
            new.replace_range(place, mask);
        }
        out = Cow::Owned(new);
    }
    out
}

/// A value behind the name of a secret.
fn named(found: &Captures<'_>, value: &str, after: &str) -> bool {
    let word = found.name("word").map_or("", |word| word.as_str()).to_lowercase();
    // People choose passwords, so that they are short, or digits alone.
    let password = found.name("han").is_some() || word.starts_with('p') && !word.starts_with("pri");
    let letters = value.contains(|c: char| c.is_ascii_alphabetic());
    let digits = value.contains(|c: char| c.is_ascii_digit());
    if value.len() < if password { 6 } else { 8 } || placeholder(value) || elsewhere(value, after) {
        return false;
    }
    if letters && digits {
        return !words(value) || random(value) || password && !value.contains(['-', '_', '.', ':', '/']);
    }
    let signs = value.trim_end_matches('!').contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '~', '?']);
    password && (value.bytes().all(|b| b.is_ascii_digit()) || signs) || random(value)
}

/// A value behind `Bearer` or `Basic`.
fn authorization(found: &Captures<'_>, value: &str, _: &str) -> bool {
    let long = if found.name("auth").is_some() { value.len() >= 16 } else { random(value) };
    let digits = value.contains(|c: char| c.is_ascii_digit()) && !words(value);
    !placeholder(value) && (digits || long || value.ends_with('='))
}

/// The password of an address; examples say so in words.
fn in_address(_: &Captures<'_>, value: &str, _: &str) -> bool {
    const EXAMPLES: [&str; 8] = ["pass", "password", "passwd", "pwd", "secret", "token", "xxx", "example"];
    !placeholder(value) && !EXAMPLES.contains(&value.to_lowercase().as_str())
}

/// Stands for a value that is somewhere else, or was taken out.
fn placeholder(value: &str) -> bool {
    let one = value.chars().next().is_some_and(|first| value.chars().all(|c| c == first));
    one || value.starts_with(['$', '<', '{', '[', '(', '%', '*'])
        || value.contains("${")
        || value.contains("{{")
}

/// Says where the value is: a file, an address, a variable, a call in code.
fn elsewhere(value: &str, after: &str) -> bool {
    const FILES: [&str; 10] =
        [".toml", ".json", ".yaml", ".yml", ".env", ".txt", ".md", ".rs", ".py", ".pem"];
    let variable = value.contains('_')
        && value.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':');
    let call =
        value.find('(').is_some_and(|at| value.get(..at).is_some_and(|before| before.chars().all(name)));
    variable
        || call
        || after.starts_with('(')
        || value.contains("://")
        || ["/", "./", "../", "~/"].iter().any(|begin| value.starts_with(begin))
        || FILES.iter().any(|end| value.ends_with(end))
}

/// Words and numbers that are joined by signs, such as the name of a model.
fn words(value: &str) -> bool {
    value.split(['-', '_', '.', ':', '/']).all(|part| {
        let number = part.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let after = number.trim_start_matches(|c: char| c.is_ascii_digit());
        match after {
            "" => number.len() <= 2 || number.len() == part.len(),
            _ => part.len() <= 6 && !after.contains(|c: char| c.is_ascii_digit()),
        }
    })
}

/// Letters without an order that a name would have.
fn random(value: &str) -> bool {
    let pairs = value.bytes().zip(value.bytes().skip(1));
    value.len() >= 16 && pairs.filter(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase()).count() >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_a_secret_is_known_in_english_and_chinese_and_only_the_value_goes() {
        for (text, masked) in [
            ("password = hunter2hunter2", "password = *"),
            ("DB_PASSWORD=Zx81kk22mmQQ", "DB_PASSWORD=*"),
            ("the admin password for staging is Xk29pq!", "the admin password for staging is *"),
            ("PIN: ok. passwd: \"hunter2\".", "PIN: ok. passwd: \"*\"."),
            ("\"api_key\": \"a8f3k2l9s0d1\",", "\"api_key\": \"*\","),
            ("aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCY", "aws_secret_access_key = *"),
            ("SECRET_KEY_BASE=77ab09cd12ef", "SECRET_KEY_BASE=*"),
            ("use --token a1b2c3d4e5 there", "use --token * there"),
            ("postgres://bob:s3cretPassw0rd@db.example/x", "postgres://bob:*@db.example/x"),
            ("redis://:hunter@h:6379", "redis://:*@h:6379"),
            ("Authorization: Bearer abcdefghijklmnopqrstuvwxyz", "Authorization: Bearer *"),
            ("curl -H 'Authorization: Basic dXNlcjpwYXNzd29yZA=='", "curl -H 'Authorization: Basic *'"),
            ("密码是 Xk29pqRR", "密码是 *"),
            ("数据库的密码现在为：Zx81kk22mm。", "数据库的密码现在为：*。"),
            ("口令=482913", "口令=*"),
            ("密钥：a8f3k2l9s0d1", "密钥：*"),
            ("ghp_0123456789abcdefghij0123456789abcdef", "*"),
        ] {
            assert_eq!(told(text, "*"), masked, "{text}");
            assert_eq!(told(&told(text, "[masked key]"), "[masked key]"), told(text, "[masked key]"));
        }
    }

    #[test]
    fn what_only_speaks_of_secrets_stays() {
        for text in [
            "the password is required and the token is missing",
            "password = ${secret:DB}, token: $TOKEN, secret={{ x }}, api_key: <your-key-2024>",
            "password: OPENAI_API_KEY_2, token = read_token2(path), secret: /run/secrets/db1",
            "password = get_password(), let token = self.next_token2();",
            "tokens: 300000, max_tokens = 300_000, token: 4096, tokenizer = multilingual-e5-small-v2x",
            "token: cl100k-base, the token is in vault2/prod3.toml",
            "密码是必填的，密码为空；token 的上限是 32768",
            "postgres://user:password@localhost/db and http://host:8080/a@b",
            "Basic authentication; Bearer token; Authorization: Bearer <token>; basic JavaScript",
            "password = [masked key]; [masked secret DEPLOY]; password: ********",
            "secret: db-credentials-v2",
        ] {
            assert!(matches!(told(text, "*"), Cow::Borrowed(_)), "{text} → {}", told(text, "*"));
        }
    }
}
