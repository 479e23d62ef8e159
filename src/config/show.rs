//! The configuration in words: every key with its default and its meaning ([`schema`]), and the values in force with
//! the source of each ([`shown`], [`show`]). Both are made from the tables of keys, so they cannot lag behind.

use super::key::{Guard, Key, quoted, quoted_list};
use super::keys::{NOTIFY, SCREEN, SECTIONS, TOOL, TOP};
use super::keys_limits::LIMITS;
use super::keys_profile::PROFILE;
use super::layer::fixed_keys;
use super::memory::MEMORY;
use super::profile::Profile;
use super::settings::{Config, Origin, ToolConfig};
use crate::run::settings::RuleVerdict;

/// One value in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Full key, such as `limits.steps`.
    pub key: String,
    /// The value as TOML; none if it is not set.
    pub value: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
}

impl Shown {
    /// The row as JSON: `key`, `value` (null if not set), `source` (one word) and `from` (file, variable or option).
    pub fn json(&self) -> serde_json::Value {
        let parsed = self.value.as_deref().and_then(|text| {
            let table = toml::from_str::<toml::Table>(&format!("value = {text}")).ok()?;
            serde_json::to_value(table.get("value")?).ok()
        });
        let from = match &self.origin {
            Origin::Default => None,
            Origin::User(path) | Origin::Workspace(path) => Some(path.to_string_lossy().into_owned()),
            Origin::Env(name) | Origin::Flag(name) => Some(name.clone()),
        };
        serde_json::json!({"key": self.key, "value": parsed, "source": self.origin.word(), "from": from})
    }
}

/// Every value in force, in the order of the schema.
pub fn shown(config: &Config) -> Vec<Shown> {
    let row = |key: String, value: Option<String>| Shown { origin: config.origin(&key), key, value };
    let mut rows: Vec<Shown> = fixed_keys().map(|key| row(key.name.to_owned(), (key.show)(config))).collect();
    for (name, profile) in &config.profiles {
        rows.extend(
            PROFILE.iter().map(|key| row(format!("profile.{name}.{}", key.name), (key.show)(profile))),
        );
    }
    for (name, tool) in &config.tools {
        rows.extend(TOOL.iter().map(|key| row(format!("tools.{name}.{}", key.name), (key.show)(tool))));
    }
    for (name, variable) in &config.secrets {
        rows.push(row(format!("secrets.{name}"), Some(format!("{{ env = {} }}", quoted(variable)))));
    }
    for (action, keys) in &config.keys {
        rows.push(row(format!("keys.{action}"), Some(quoted_list(keys))));
    }
    for (at, (rule, origin)) in config.rules.iter().zip(&config.rule_origins).enumerate() {
        let arg = rule.arg.as_deref().map_or(String::new(), |arg| format!(", arg = {}", quoted(arg)));
        let then = match rule.then {
            RuleVerdict::Allow => "allow",
            RuleVerdict::Ask => "ask",
            RuleVerdict::Deny => "deny",
        };
        let value = format!("{{ tool = {}{arg}, then = \"{then}\" }}", quoted(&rule.tool));
        rows.push(Shown { key: format!("rule[{}]", at + 1), value: Some(value), origin: origin.clone() });
    }
    rows
}

/// The values in force as text, one a line, each with its source.
pub fn show(config: &Config) -> String {
    let lines = shown(config).into_iter().map(|row| match row.value {
        Some(value) => format!("{} = {value}  # {}\n", row.key, row.origin),
        None => format!("# {} is not set\n", row.key),
    });
    lines.collect()
}

/// Every key with its meaning and default, as a TOML file that can be saved and edited: it sets nothing until a line is
/// uncommented.
pub fn schema() -> String {
    let mut out = String::from(
        "# Configuration of wakeful: every key, with its default. Uncomment what you want to change.\n\
         # This file is yours; a workspace may have one too, in .wakeful/config.toml, which adds and makes stricter.\n\
         # Durations: 90s, 30m, 1h30m. Sizes: 16KiB, 4MiB. Keys of services never stand in files.\n",
    );
    let defaults = Config::default();
    let mut section = "";
    for key in TOP.iter().chain(LIMITS).chain(SECTIONS).chain(MEMORY).chain(SCREEN).chain(NOTIFY) {
        let (own, name) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        if own != section {
            section = own;
            out.push_str(&format!("\n[{section}]\n"));
        }
        describe(&mut out, key, name, &defaults);
    }
    out.push_str(
        "\n# Approval rules, as many as you like. `*` stands for any text. arg is the command, path or URL; without it\n\
         # the rule is about every call of the tool. then: \"allow\", \"ask\" or \"deny\"; deny beats ask beats allow.\n\
         # Write paths relative to the workspace. Each part of a command (a; b | c) must be allowed, and one with\n\
         # $(…), `…` or a redirection is allowed only by that very text; one part is enough to deny or ask.\n\
         # A workspace may only ask and deny.\n\
         #[[rule]]\n#tool = \"shell\"\n#arg = \"cargo test*\"\n#then = \"allow\"\n",
    );
    out.push_str(
        "\n# Keys of the workstation: what they do by its name (the help, `?`, has what there is), and one key or\n\
         # several. An empty list takes the keys away. Only your own file may set them.\n\
         #[keys]\n#pause_toggle = [\"F5\"]\n",
    );
    out.push_str(
        "\n# Secrets that `shell` and `http_get` may name as ${secret:NAME}; each says which environment variable\n\
         # holds it. The value is filled in when the call runs, stored nowhere, and masked in what comes back; it\n\
         # needs at least 8 characters. A workspace may set none.\n\
         #[secrets]\n#NAME = { env = \"VARIABLE\" }\n",
    );
    out.push_str("\n# A model at a server; NAME is yours to choose. A workspace may set none of it.\n#[profile.NAME]\n");
    PROFILE.iter().for_each(|key| describe(&mut out, key, key.name, &Profile::default()));
    out.push_str("\n# One tool, by its name.\n#[tools.shell]\n");
    TOOL.iter().for_each(|key| describe(&mut out, key, key.name, &ToolConfig::default()));
    out
}

fn describe<T>(out: &mut String, key: &Key<T>, name: &str, defaults: &T) {
    let workspace = match &key.guard {
        Guard::Free => String::new(),
        Guard::User => " A workspace may not set it.".to_owned(),
        Guard::Stricter(may, _) => format!(" A workspace may {may}."),
    };
    for line in wrapped(&format!("{}{workspace}", key.doc), 108) {
        out.push_str(&format!("# {line}\n"));
    }
    let value = (key.show)(defaults).unwrap_or_else(|| key.example.to_owned());
    out.push_str(&format!("#{name} = {value}\n"));
}

/// Words in lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
