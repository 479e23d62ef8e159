//! The environment of a command: what it must not see, and what keeps it from asking a terminal.
//!
//! A variable is withheld when its name looks like a secret's or its value holds a password in a
//! URL. This is a guess by convention, not a proof: a secret under an innocent name passes, and a
//! command can still read what the user can read.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

/// The variable that marks every process of a command with the name of its spool.
pub const MARK: &str = "WAKEFUL_CALL";

/// Set for every command: nothing opens an editor or a pager, or asks for a password.
pub const DEFAULTS: &[(&str, &str)] = &[
    ("EDITOR", ":"),
    ("VISUAL", ":"),
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("TERM", "dumb"),
];

/// Words that, standing alone between underscores, make a name a secret's.
const WORDS: &[&str] = &[
    "KEY", "KEYS", "PASS", "AUTH", "CREDS", "COOKIE", "COOKIES", "PAT", "DSN", "JWT", "BEARER", "PIN", "SALT",
];

/// Parts that make a name a secret's wherever they stand.
const PARTS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "APIKEY",
    "PRIVATEKEY",
    "ACCESSKEY",
];

/// Names that look like a secret's and are needed and harmless.
const HARMLESS: &[&str] = &["SSH_AUTH_SOCK"];

/// Whether a variable of this name is withheld from commands.
pub fn looks_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    if HARMLESS.contains(&upper.as_str()) {
        return false;
    }
    PARTS.iter().any(|part| upper.contains(part))
        || upper.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// Whether a value holds a password in a URL (`scheme://user:password@host`).
fn holds_password(value: &str) -> bool {
    let Some((_, rest)) = value.split_once("://") else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority
        .rsplit_once('@')
        .and_then(|(user, _)| user.split_once(':'))
        .is_some_and(|(_, password)| !password.is_empty())
}

/// The variables a command may see, sorted by name. `allow` names what passes although it looks
/// secret. Variables that are not UTF-8 are left out, since a spec cannot hold them.
pub fn scrub_env(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    allow: &[String],
) -> Vec<(String, String)> {
    let mut kept: Vec<(String, String)> = variables
        .into_iter()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, value)| {
            let own = name == "WAKEFUL_FAULT" || name == MARK;
            !own && (allow.contains(name) || (!looks_secret(name) && !holds_password(value)))
        })
        .collect();
    kept.sort();
    kept
}

/// The whole environment of a command: the worker's, scrubbed, with [`DEFAULTS`] over it.
pub fn command_env(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    allow: &[String],
) -> Vec<(String, String)> {
    let mut env: BTreeMap<String, String> = scrub_env(variables, allow).into_iter().collect();
    env.extend(DEFAULTS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    env.into_iter().collect()
}

/// The names in `${secret:NAME}` that a command line has.
pub fn secret_names(command: &str) -> Vec<String> {
    let mut names: Vec<String> = command
        .split("${secret:")
        .skip(1)
        .filter_map(|rest| rest.split_once('}').map(|(name, _)| name.to_owned()))
        .filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Shorter values cannot be masked without masking ordinary words, in characters.
pub const SHORTEST_SECRET: usize = 8;

/// Secret values by name; never shown by `Debug`, never written to a file.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets {
    values: BTreeMap<String, String>,
    /// Configured ones that have no value here, with the reason.
    unset: BTreeMap<String, String>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.values.keys()).finish()
    }
}

impl FromIterator<(String, String)> for Secrets {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        Self { values: pairs.into_iter().collect(), unset: BTreeMap::new() }
    }
}

impl Secrets {
    /// The secrets of a configuration, which names a variable for each, with the values that the environment gives them.
    pub fn named(variables: &BTreeMap<String, String>, env: &BTreeMap<String, String>) -> Self {
        let mut all = Self::default();
        for (name, variable) in variables {
            match env.get(variable).map(|value| value.trim()).filter(|value| !value.is_empty()) {
                None => {
                    let why = format!(
                        "the secret {name} stands in the environment variable {variable}, which is not set where wakeful runs"
                    );
                    all.unset.insert(name.clone(), why);
                }
                Some(value) if value.chars().count() < SHORTEST_SECRET => {
                    let why = format!(
                        "the secret {name} (in the environment variable {variable}) has fewer than {SHORTEST_SECRET} \
                         characters, so that it could not be masked in outputs"
                    );
                    all.unset.insert(name.clone(), why);
                }
                Some(value) => drop(all.values.insert(name.clone(), value.to_owned())),
            }
        }
        all
    }

    /// The value of a secret.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Every secret that has a value, with its name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Names of all that are configured, with a value or without.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.values.keys().chain(self.unset.keys()).map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// Why a secret that the text names cannot be filled in; none if all can.
    pub fn missing_in(&self, text: &str) -> Option<String> {
        let name = secret_names(text).into_iter().find(|name| !self.values.contains_key(name))?;
        Some(match self.unset.get(&name) {
            Some(why) => why.clone(),
            None => format!("no secret {name} is configured"),
        })
    }

    /// Only those of these names; `Err` names the first that is not known.
    pub fn only(&self, names: &[String]) -> Result<Self, String> {
        names
            .iter()
            .map(|name| match self.values.get(name) {
                Some(value) => Ok((name.clone(), value.clone())),
                None => Err(name.clone()),
            })
            .collect()
    }

    /// For the pipe to the supervisor.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(&self.values).unwrap_or_default()
    }

    /// From the pipe; `None` if it is not whole.
    pub(crate) fn from_json(bytes: &[u8]) -> Option<Self> {
        let values = serde_json::from_slice(bytes).ok()?;
        Some(Self { values, unset: BTreeMap::new() })
    }

    /// Puts the values in the place of `${secret:NAME}`, for those of `wanted`. A value is not
    /// looked at again, so one secret cannot pull in another. `Err` names one that is missing.
    pub(crate) fn fill(&self, text: &str, wanted: &[String]) -> Result<String, String> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${secret:") {
            filled.push_str(before);
            match after.split_once('}') {
                Some((name, behind)) if wanted.iter().any(|each| each == name) => {
                    filled.push_str(self.get(name).ok_or_else(|| name.to_owned())?);
                    rest = behind;
                }
                // Not one of ours: plain text that happens to look so.
                Some(_) | None => {
                    filled.push_str("${secret:");
                    rest = after;
                }
            }
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(env: &[(String, String)]) -> Vec<&str> {
        env.iter().map(|(name, _)| name.as_str()).collect()
    }

    #[test]
    fn secrets_are_withheld_and_the_rest_passes() {
        let variables = [
            ("OPENAI_API_KEY", "x"),
            ("GITHUB_TOKEN", "x"),
            ("aws_secret_access_key", "x"),
            ("MYSQL_PWD_PASSWORD", "x"),
            ("NPM_AUTH", "x"),
            ("GITHUB_PAT", "x"),
            ("DATABASE_URL", "postgres://bob:hunter2@db/x"),
            ("WAKEFUL_FAULT", "sup.begun"),
            (MARK, "a.1.1"),
            ("PATH", "/bin"),
            ("PWD", "/"),
            ("KEYBOARD", "de"),
            ("SSH_AUTH_SOCK", "/run/x"),
            ("PROXY", "http://proxy:80/"),
            ("ALLOWED_TOKEN", "y"),
        ];
        let variables = variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let kept = scrub_env(variables.clone(), &["ALLOWED_TOKEN".to_owned()]);
        assert_eq!(names(&kept), ["ALLOWED_TOKEN", "KEYBOARD", "PATH", "PROXY", "PWD", "SSH_AUTH_SOCK"]);
        let whole = command_env(variables, &[]);
        assert!(whole.contains(&("GIT_EDITOR".into(), ":".into())));
        assert!(whole.contains(&("TERM".into(), "dumb".into())));
    }

    #[test]
    fn secrets_fill_their_places_once() {
        let secrets: Secrets = [("A".to_owned(), "${secret:B}".to_owned()), ("B".to_owned(), "b".to_owned())]
            .into_iter()
            .collect();
        let wanted = ["A".to_owned(), "B".to_owned(), "C".to_owned()];
        assert_eq!(secrets.fill("x${secret:A}y${secret:B}", &wanted).unwrap(), "x${secret:B}yb");
        assert_eq!(secrets.fill("${secret:D} ${secret:", &wanted).unwrap(), "${secret:D} ${secret:");
        assert_eq!(secrets.fill("${secret:C}", &wanted).unwrap_err(), "C");
        assert_eq!(format!("{secrets:?}"), r#"{"A", "B"}"#);
        assert_eq!(secrets.only(&wanted).unwrap_err(), "C");
    }
}
