//! One key of the configuration: its name, its words, how it is read, how it is shown and what a workspace may do
//! with it. The tables of keys ([`super::keys`], [`super::keys_profile`]) are the one source for reading, for
//! `config schema` and for `config show`.

use super::document::{Node, Value};
use super::problem::suggestion;
use super::units::{parse_duration, parse_micro, parse_size};

/// A key that sets something in a `T`.
pub struct Key<T: 'static> {
    /// Dotted name within its section.
    pub name: &'static str,
    /// What it is, with its unit and what is allowed.
    pub doc: &'static str,
    /// A value for the schema where there is no default.
    pub example: &'static str,
    /// Reads a value into `T`. The error is a phrase to stand after the key's name.
    pub set: fn(&mut T, &Value) -> Result<(), String>,
    /// The value as TOML; none if it is not set.
    pub show: fn(&T) -> Option<String>,
    /// What the workspace's file may do.
    pub guard: Guard<T>,
}

/// What a workspace's file may do with a key.
pub enum Guard<T: 'static> {
    /// Set it: it is not about safety.
    Free,
    /// Nothing: only the user's file may set it.
    User,
    /// Make it stricter: the phrase says how, the function compares old and new.
    Stricter(&'static str, fn(&T, &T) -> bool),
}

/// Compares two limits of which none means "no limit".
pub fn not_more<N: Ord>(old: Option<N>, new: Option<N>) -> bool {
    match (old, new) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(old), Some(new)) => new <= old,
    }
}

/// A TOML string literal.
pub fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A TOML list of strings.
pub fn quoted_list<S: AsRef<str>>(items: &[S]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(item.as_ref())).collect();
    format!("[{}]", items.join(", "))
}

fn but(what: &str, value: &Value) -> String {
    format!("{what}, not {}", value.described())
}

/// A whole number from `least` to `most`.
pub fn whole(value: &Value, least: u64, most: u64) -> Result<u64, String> {
    let found = match value {
        Value::Whole(n) => u64::try_from(*n).ok().filter(|n| (least..=most).contains(n)),
        _ => None,
    };
    found.ok_or_else(|| but(&format!("takes a whole number from {least} to {most}"), value))
}

/// A whole number that fits 32 bits.
pub fn small(value: &Value, least: u32, most: u32) -> Result<u32, String> {
    let n = whole(value, u64::from(least), u64::from(most))?;
    u32::try_from(n).map_err(|e| e.to_string())
}

/// `true` or `false`.
pub fn yes_no(value: &Value) -> Result<bool, String> {
    match value {
        Value::Bool(yes) => Ok(*yes),
        _ => Err(but("takes true or false", value)),
    }
}

/// A text that is not empty.
pub fn text(value: &Value) -> Result<String, String> {
    match value {
        Value::Text(text) if !text.trim().is_empty() => Ok(text.clone()),
        _ => Err(but("takes a text", value)),
    }
}

/// A list of texts that are not empty.
pub fn texts(value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::List(items) => items.iter().map(|Node { value, .. }| text(value)).collect(),
        _ => Err(but("takes a list of texts, such as [\"a\", \"b\"]", value)),
    }
}

/// One of a few words.
pub fn choice<C: Copy>(value: &Value, words: &[(&'static str, C)]) -> Result<C, String> {
    let names = words.iter().map(|(name, _)| *name);
    let all = names.clone().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    match value {
        Value::Text(text) => match words.iter().find(|(name, _)| name == text) {
            Some((_, meant)) => Ok(*meant),
            None => {
                let hint = super::problem::nearest(text, names.clone()).map(|_| suggestion(text, names));
                Err(format!("{}.{}", but(&format!("takes one of {all}"), value), hint.unwrap_or_default()))
            }
        },
        _ => Err(but(&format!("takes one of {all}"), value)),
    }
}

/// The word of a choice.
pub fn word_of<C: Copy + PartialEq>(meant: C, words: &[(&'static str, C)]) -> Option<String> {
    words.iter().find(|(_, c)| *c == meant).map(|(name, _)| quoted(name))
}

/// A duration of at least a second, in milliseconds.
pub fn duration(value: &Value) -> Result<u64, String> {
    let Value::Text(text) = value else {
        return Err(but("takes a duration with its unit, such as \"90s\" or \"30m\"", value));
    };
    match parse_duration(text) {
        Ok(ms) if ms >= 1_000 => Ok(ms),
        Ok(_) => Err(but("takes at least \"1s\"", value)),
        Err(why) => Err(but(&why, value)),
    }
}

/// A duration, or none for `"off"`.
pub fn duration_or_off(value: &Value) -> Result<Option<u64>, String> {
    match value {
        Value::Text(text) if text == "off" => Ok(None),
        _ => duration(value).map(Some).map_err(|why| format!("{why}; \"off\" turns it off")),
    }
}

/// A size in bytes.
pub fn size(value: &Value) -> Result<u64, String> {
    match value {
        Value::Whole(n) if u64::try_from(*n).is_ok() => Ok(u64::try_from(*n).unwrap_or(0)),
        Value::Text(text) => parse_size(text).map_err(|why| but(&why, value)),
        _ => Err(but("takes a size, such as \"16KiB\"", value)),
    }
}

/// Money in millionths.
pub fn money(value: &Value) -> Result<u64, String> {
    let parsed = match value {
        Value::Whole(n) => parse_micro(&n.to_string()),
        Value::Decimal(text) => parse_micro(&text.replace('_', "")),
        _ => Err("takes an amount as a number, such as 2.50".to_owned()),
    };
    parsed.map_err(|why| but(&why, value))
}
