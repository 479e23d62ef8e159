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
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
        r"\bAIza[0-9A-Za-z_-]{35}",
        r"\b(?:xox[abeprs]|xapp)-[A-Za-z0-9-]{10,}",
        r"\bnpm_[A-Za-z0-9]{36}\b",
        r"\bpypi-AgE[A-Za-z0-9_-]{30,}",
        r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        r"\bdo[opr]_v1_[a-f0-9]{32,}",
        r"\b(?:dckr_pat|glrt|gldt|shpat|whsec|rubygems)[-_][A-Za-z0-9_-]{20,}",
        r"\bya29\.[A-Za-z0-9_-]{20,}",
        r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,}",
        // A signed token: two objects and a signature, as base64 has them.
        r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{3,}\.[A-Za-z0-9_-]{10,}",
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----",
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
    const WORD: &str = r"(?P<word>pass(?:word|wd|phrase|code)|\b(?:pwd|pw)\b|secret|token|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key)";
    const HAN: &str = r"(?P<han>密码|口令|密钥|令牌)";
    const SIGN: &str = r"(?:是|为|[:：]?[=＝]>?|[:：])\s*[:：]?\s*";
    const VALUE: &str = r#"["'`“「*\\]{0,4}(?P<v>[!-~&&[^"'`,;\\]]{6,})"#;
    const USER: &str = r#"["'`“「]?[\w.@+-]{2,}["'`”」]?"#;
    const LOGIN: &str = r"(?:\b(?:log-?ins?|credentials?|creds|accounts?|user(?:name)?)(?:\s*/\s*pass(?:word)?)?|登录|登陆|账号|帐号|账户|用户名)(?:密码|口令)?\s*(?:\bis\b|\bare\b|是|为|[:：=])\s*";
    let forms: [(String, Holds); 10] = [
        (format!(r#"(?i){WORD}(?:_?(?:access)?_?key)?(?:[_-][a-z0-9_-]{{0,24}})?["'`*\\]{{0,4}}\s*{SIGN}{VALUE}"#), named),
        (format!(r"(?i){WORD}(?:\s+[\w.-]+){{0,4}}\s+(?:is|was)\s*:?\s+{VALUE}"), named),
        (format!(r#"{HAN}[\p{{Han}}（(）)]{{0,8}}?["'`*\\]{{0,4}}\s*{SIGN}{VALUE}"#), named),
        (format!(r"(?i)--[a-z-]*(?P<word>password|passwd|token|secret|api-?key)[\s=]+{VALUE}"), named),
        (
            r#"(?i)(?P<auth>authorization["'\\]{0,2}\s*[:=]\s*["'\\]{0,2})?\b(?:bearer|basic)\s+(?P<v>[a-z0-9._~+/=-]{8,})"#
                .to_owned(),
            authorization,
        ),
        // Said without a sign between.
        (format!(r"{HAN}\s*{VALUE}"), bare),
        (format!(r"(?i)\b(?:password|passwd|passphrase)\s+{VALUE}"), long),
        // A name and what opens for it.
        (format!(r"(?i){LOGIN}{USER}\s*(?:\s[/|]\s|[,，、;；:：])\s*(?:密码|口令|password)?\s*{VALUE}"), bare),
        (format!(r"(?i){LOGIN}(?:admin|root|user|test|demo|guest|sa|ubuntu|postgres)/{VALUE}"), bare),
        (
            r#"(?i)\b(?:curl|wget|https?)\b[^\n|;&]*?\s(?:-u|--user|-U|--proxy-user)[\s=]*["']?[^\s:"']+:(?P<v>[^\s"']{3,})"#
                .to_owned(),
            in_address,
        ),
    ];
    // The end of it is somewhere else.
    let begun =
        (r"(?P<v>-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----\s*\S{16}[\s\S]*)".to_owned(), always as Holds);
    let address = (
        r#"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@"'<>]*:(?P<v>[^\s/@"'<>]{3,})@"#.to_owned(),
        in_address as Holds,
    );
    forms
        .into_iter()
        .chain([address, begun])
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
    if value.len() < if password { 6 } else { 8 }
        || placeholder(value)
        || elsewhere(value, after)
        || is_term(value)
    {
        return false;
    }
    // The sum of a file or the name of a commit is no secret, though it is about one.
    let told = found.get(0).map_or("", |all| all.as_str()).to_lowercase();
    let sum =
        ["commit", "sha", "hash", "revision", "checksum", "digest"].iter().any(|word| told.contains(word));
    if sum && value.len() >= 7 && value.bytes().all(|b| b.is_ascii_hexdigit()) {
        return false;
    }
    if letters && digits {
        return !words(value) || random(value) || password && !value.contains(['-', '_', '.', ':', '/']);
    }
    let signs = value.trim_end_matches('!').contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '~', '?']);
    password && (value.bytes().all(|b| b.is_ascii_digit()) || signs) || random(value)
}

/// A value that nothing but its look tells to be one: letters and digits, or signs, as passwords have them.
fn bare(_: &Captures<'_>, value: &str, after: &str) -> bool {
    if value.len() < 6
        || placeholder(value)
        || elsewhere(value, after)
        || is_term(value)
        || value.contains("://")
    {
        return false;
    }
    let letters = value.contains(|c: char| c.is_ascii_alphabetic());
    let digits = value.contains(|c: char| c.is_ascii_digit());
    let joined = value.contains(['-', '_', '.', ':', '/']);
    let signs = value.trim_end_matches('!').contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '~', '?']);
    letters && (digits && (!joined || !words(value) && !value.contains('/')) || signs && !joined)
        || random(value)
}

/// As [`bare`], where ordinary words may follow: only long ones.
fn long(found: &Captures<'_>, value: &str, after: &str) -> bool {
    value.len() >= 8 && bare(found, value, after)
}

/// Whatever it is.
fn always(_: &Captures<'_>, _: &str, _: &str) -> bool {
    true
}

/// The name of a method or a format, which has digits and is no secret.
fn is_term(value: &str) -> bool {
    const TERMS: [&str; 22] = [
        "aes128",
        "aes256",
        "argon2",
        "argon2id",
        "base64",
        "base64url",
        "blake2",
        "blake3",
        "ed25519",
        "es256",
        "hs256",
        "md5sum",
        "oauth2",
        "pbkdf2",
        "pkcs11",
        "pkcs12",
        "rs256",
        "sha256",
        "sha256sum",
        "sha384",
        "sha512",
        "utf8mb4",
    ];
    TERMS.contains(&value.to_lowercase().as_str())
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
    let generic = ["Option<", "Vec<", "Result<", "Box<", "Arc<", "List<", "Map<", "HashMap<", "Set<"];
    variable
        || call
        || generic.iter().any(|begin| value.starts_with(begin))
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

    /// The value between `«` and `»` is the secret.
    const SECRETS: [&str; 46] = [
        "the session was «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N»",
        "npm publishes with «npm_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5»",
        "«pypi-AgEIcHlwaS5vcmcCJGFiY2RlZjAxLTIzNDUtNjc4OS1hYmNk» uploads",
        "mail goes out with «SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc1s5cr»",
        "droplet «dop_v1_4f8a9b2c7d1e6f3a5b9c4f8a9b2c7d1e6f3a5b9c4f8a9b2c7d1e6f3a5b9c1234»",
        "gitlab: «glpat-4f8a9b2c7d1e6f3a5b9c»",
        "«github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789»",
        "models come with «hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ012345»",
        "«sk-ant-api03-aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789»",
        "the bot is «xoxb-123456789012-abcdefABCDEF»",
        "«AKIAIOSFODNN7EXAMPL3» and «ASIAIOSFODNN7EXAMPL3»",
        "map key «AIzaSyD4f8a9b2c7d1e6f3a5b9c4f8a9b2c7d1e»",
        "google gave «ya29.a0AfH6SMBx9cQ3kLmNoPqRsTuVwXyZ»",
        "«ghp_0123456789abcdefghij0123456789abcdef»",
        "«sk-proj-4f8a9b2c7d1e6f3a5b9c»",
        "«-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----»",
        "«-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOYBF2aAAAB1\n-----END PGP PRIVATE KEY BLOCK-----»",
        "«-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx1Yz3kQ9»",
        "curl -u bob:«hunter2xyz» https://api.example/v1",
        "curl -s --user 'bob:«s3cretPassw0rd»' https://x.example",
        "clone https://bob:«hunter2xyz»@git.example/x.git",
        "postgres://app:«Zx81kk22»@db:5432/app",
        "口令 «hunter2abc»",
        "密码«Xk29pqRR»，别忘了",
        "后台密码 「«Xk29pqRR»」",
        "密码：«Xk29pqRR»",
        "login: admin / «hunter2»",
        "login: admin/«hunter2»",
        "Credentials: bob, «s3cretPassw0rd»",
        "账号：admin，密码：«Xk29pqRR»",
        "登录：admin / «hunter2»",
        "user: deploy | «Zx81kk22mm»",
        "the login is ann : «Zx81kk22mm»",
        "password «hunter2abc» opens the vault",
        "pw: «hunter2abc»",
        "the admin password is «correcthorse9»",
        "DB_PASSWORD=«Zx81kk22mmQQ»",
        "api_key: «a8f3k2l9s0d1»",
        "access token = «9f86d081884c7d659a2f»",
        "Authorization: Bearer «abcdefghijklmnopqrstuvwxyz»",
        "sshpass -p x; export PASSWORD=«hunter2abc»",
        "密钥是 «a8f3k2l9s0d1»",
        "令牌为 «a8f3k2l9s0d1»",
        "client secret: «Zx81kk22mmQQaa»",
        "passphrase is «open-Sesame!9»",
        "DB 口令=«482913»",
    ];

    /// No secrets.
    const HARMLESS: [&str; 45] = [
        "the password field is on the login page",
        "token budget is 8192",
        "token budget is 131072",
        "commit 41957d8a3c0ffee4b5a69788796a5b4c3d2e1f00 fixed the export",
        "the token fix is commit 41957d8a3c0f",
        "the run's id is 550e8400-e29b-41d4-a716-446655440000",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  ledger.tar.gz",
        "the secret's sha256 digest is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "密码框在登录页",
        "密码 8 位以上，要有数字",
        "口令 sha256 之后再存",
        "密码用 argon2id 存",
        "令牌 token 过期后刷新",
        "密码在 vault 的 kv/qa/portal",
        "账号：admin，角色：编辑",
        "账号在 vault 的 kv/qa/portal；生产环境没有 SSH",
        "login: src/auth.rs",
        "login: the OAuth2 flow of the portal",
        "login: see docs/auth2.md",
        "account: ledger / eu-central-1",
        "user: bob / group: staff",
        "users: 12000, rows: 48000000",
        "login is slow, since 2024 at least",
        "curl -u $USER:$TOKEN https://x.example",
        "curl -u user:pass https://x.example",
        "docker run -u 1000:1000 ledger",
        "http://localhost:8080/a@b and ssh://git@git.example:22/x.git",
        "password hashing uses sha256 and base64",
        "password reset links expire after 30 minutes",
        "the password policy asks for 12 characters",
        "passwords have to be changed each 90 days",
        "JWT: header.payload.signature, eyJ is how it begins",
        "the tokenizer is cl100k-base",
        "npm_config_registry and npm_package_version_1_2_3",
        "pypi-publish-action-v2, SG.1 and SG.2 are security groups",
        "a sk-folding-cube class and a pk-2 column",
        "the key of the cache is sku:locale:currency2",
        "secret: /run/secrets/db1",
        "token validation failed with iat in the future",
        "the API key is read from OPENAI_API_KEY_2",
        "use ${secret:DEPLOY} for the token",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B\n-----END PUBLIC KEY-----",
        "the private key begins with -----BEGIN PRIVATE KEY-----",
        "pub first_token_ms: Option<u64>, token: Vec<[u8; 32]>",
        "base 64 of 3f2a9c is M2YyYTlj; crc32 is 0x1a2b3c4d",
    ];

    #[test]
    fn labelled_texts_are_told_apart() {
        let plain = |text: &str| text.replace(['«', '»'], "");
        let masked = |text: &str| {
            let mut out = String::new();
            for (at, part) in text.split(['«', '»']).enumerate() {
                out.push_str(if at % 2 == 1 { "*" } else { part });
            }
            out
        };
        let missed: Vec<String> = SECRETS
            .iter()
            .filter(|text| told(&plain(text), "*") != masked(text))
            .map(|text| format!("{text} → {}", told(&plain(text), "*")))
            .collect();
        let wrong: Vec<String> = HARMLESS
            .iter()
            .filter(|text| told(text, "*") != **text)
            .map(|text| format!("{text} → {}", told(text, "*")))
            .collect();
        println!(
            "secrets: {} of {} found, {} of {} false",
            SECRETS.len() - missed.len(),
            SECRETS.len(),
            wrong.len(),
            HARMLESS.len()
        );
        assert!(missed.is_empty() && wrong.is_empty(), "missed {missed:#?}, false {wrong:#?}");
    }

    #[test]
    fn a_key_in_a_well_known_form_is_masked_in_results_too() {
        for text in SECRETS.iter().take(17) {
            let plain = text.replace(['«', '»'], "");
            assert!(matches!(sure(&plain, "*"), Cow::Owned(_)), "{text}");
        }
    }
}
