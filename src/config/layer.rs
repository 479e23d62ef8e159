//! One file laid over a [`Config`]: every key looked up, every value read, every guard asked, and everything that is
//! wrong collected, so that one look shows all.

use super::document::{Entry, Node, Value, parse};
use super::key::{Guard, Key, choice, text, texts};
use super::keys::{NOTIFY, SCREEN, SECTIONS, TOOL, TOP};
use super::keys_limits::LIMITS;
use super::keys_profile::{PRICE_FIELDS, PROFILE};
use super::memory::{MEMORY, MemoryConfig};
use super::problem::{Pos, Problem, nearest, suggestion};
use super::profile::Profile;
use super::settings::{Config, Origin, ToolConfig};
use crate::run::settings::{Rule, RuleVerdict};
use std::path::{Path, PathBuf};

/// Sections that are not fixed keys.
const FREE_SECTIONS: [&str; 5] = ["profile", "tools", "rule", "secrets", "keys"];
const RULE_KEYS: [&str; 3] = ["tool", "arg", "then"];
const VERDICTS: &[(&str, RuleVerdict)] =
    &[("allow", RuleVerdict::Allow), ("ask", RuleVerdict::Ask), ("deny", RuleVerdict::Deny)];
/// Names under which people put a key in a file.
const KEY_LIKE: [&str; 6] = ["api_key", "key", "token", "apikey", "secret", "password"];
/// What is said of it.
const NO_KEYS: &str =
    "keys never stand in files. Put it in an environment variable and name that with `key_env`";

/// Every fixed key of the file.
pub fn fixed_keys() -> impl Iterator<Item = &'static Key<Config>> + Clone {
    TOP.iter().chain(LIMITS).chain(SECTIONS).chain(MEMORY).chain(SCREEN).chain(NOTIFY)
}

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The user's.
    User,
    /// The workspace's, and if the user trusts it.
    Workspace {
        /// True: it may loosen safety.
        trusted: bool,
    },
}

/// A file being laid over a configuration.
pub struct Layer<'a> {
    file: PathBuf,
    whose: Whose,
    /// The workspace, to name it in the words about trust.
    workspace: &'a Path,
    tools: &'a [&'a str],
    problems: Vec<Problem>,
}

impl<'a> Layer<'a> {
    /// A layer of `file`. `tools` are the names of the tools that exist.
    pub fn new(file: &Path, whose: Whose, workspace: &'a Path, tools: &'a [&'a str]) -> Self {
        Self { file: file.to_owned(), whose, workspace, tools, problems: Vec::new() }
    }

    /// Lays the text over `config` and says all that is wrong with it.
    pub fn apply(mut self, config: &mut Config, text: &str) -> Vec<Problem> {
        match parse(text) {
            Ok(entries) => self.root(config, &entries),
            Err(bad) => {
                self.problem(bad.pos, &format!("this is not TOML: {}", bad.why));
            }
        }
        self.problems
    }

    fn wrong(&mut self, pos: Pos, text: String) {
        self.problem(Some(pos), &text);
    }

    fn problem(&mut self, pos: Option<Pos>, text: &str) {
        // Keys and names come from the file, and a workspace's file may be hostile to terminals.
        let mut clean = String::with_capacity(text.len());
        for c in text.chars() {
            if c.is_control() { clean.extend(c.escape_default()) } else { clean.push(c) }
        }
        self.problems.push(Problem { file: Some(self.file.clone()), pos, text: clean });
    }

    fn origin(&self) -> Origin {
        match self.whose {
            Whose::User => Origin::User(self.file.clone()),
            Whose::Workspace { .. } => Origin::Workspace(self.file.clone()),
        }
    }

    fn loosens(&mut self, pos: Pos, what: &str, may: &str) {
        let consent = format!("trust = [\"{}\"]", self.workspace.display());
        self.wrong(
            pos,
            format!(
                "{what}: a workspace may {may}. Remove it here, or consent by adding its folder in your own \
                 config file: {consent}"
            ),
        );
    }

    fn root(&mut self, config: &mut Config, entries: &[Entry]) {
        for entry in entries {
            match entry.key.as_str() {
                "profile" => self.named(entry, |me, name, at, inner| me.profile(config, name, at, inner)),
                "tools" => self.named(entry, |me, name, at, inner| me.tool(config, name, at, inner)),
                "rule" => self.rules(config, entry),
                "secrets" => self.secrets(config, entry),
                "keys" => self.keys(config, entry),
                _ => self.fixed(config, "", entry),
            }
        }
        if config.context.fold_keep >= config.context.fold_over {
            let at =
                entries.iter().find(|e| e.key == "context").map_or(Pos { line: 1, column: 1 }, |e| e.pos);
            self.wrong(at, "context.fold_keep has to be less than context.fold_over".to_owned());
        }
        let memory = entries.iter().find(|e| e.key == "memory").map(|e| e.pos);
        if let Some(at) = memory.filter(|_| self.problems.is_empty()) {
            self.memory(&config.memory, at);
        }
    }

    /// A source of vectors is a server and a model; the other settings are about it.
    fn memory(&mut self, memory: &MemoryConfig, at: Pos) {
        match (&memory.base_url, &memory.model) {
            (Some(_), Some(_)) | (None, None) => {}
            (Some(_), None) => {
                self.wrong(at, "[memory] needs `model`, the embedding model's name".to_owned())
            }
            (None, Some(_)) => self.wrong(at, "[memory] needs `base_url`, where the model is".to_owned()),
        }
    }

    /// A fixed key or a section of them.
    fn fixed(&mut self, config: &mut Config, prefix: &str, entry: &Entry) {
        let name = format!("{prefix}{}", entry.key);
        if let Some(key) = fixed_keys().find(|key| key.name == name) {
            if self.set(config, key, &name, entry) {
                config.origins.insert(name, self.origin());
            }
            return;
        }
        let inside = format!("{name}.");
        if !fixed_keys().any(|key| key.name.starts_with(&inside)) {
            return self.unknown(entry, prefix);
        }
        match &entry.node.value {
            Value::Table(inner) => inner.iter().for_each(|e| self.fixed(config, &inside, e)),
            other => {
                let text = format!("`{name}` is a section, written [{name}], not {}", other.described());
                self.wrong(entry.node.pos, text);
            }
        }
    }

    fn unknown(&mut self, entry: &Entry, prefix: &str) {
        let written = format!("{prefix}{}", entry.key);
        if prefix == "memory." && KEY_LIKE.contains(&entry.key.to_lowercase().as_str()) {
            return self.wrong(entry.pos, format!("{written}: {NO_KEYS}"));
        }
        let here = fixed_keys().filter_map(|key| key.name.strip_prefix(prefix));
        let here: Vec<&str> = here.map(|rest| rest.split('.').next().unwrap_or(rest)).collect();
        let mut level = here;
        if prefix.is_empty() {
            level.extend(FREE_SECTIONS);
        }
        level.dedup();
        // Right name, wrong section, is the commoner slip; then the nearest name of this section.
        let elsewhere = fixed_keys().find(|key| key.name.rsplit('.').next() == Some(entry.key.as_str()));
        let hint = match elsewhere {
            Some(key) => format!(" Did you mean `{}`?", key.name),
            None => suggestion(&entry.key, level.iter().copied()),
        };
        self.wrong(entry.pos, format!("unknown key `{written}`.{hint}"));
    }

    /// Reads one key, if its guard lets it. True if it was set.
    fn set<T: Clone>(&mut self, target: &mut T, key: &Key<T>, full: &str, entry: &Entry) -> bool {
        let mut new = target.clone();
        if let Err(why) = (key.set)(&mut new, &entry.node.value) {
            self.wrong(entry.node.pos, format!("{full} {why}"));
            return false;
        }
        if let Whose::Workspace { trusted } = self.whose {
            if key.name == "trust" {
                self.wrong(entry.pos, "trust can only be set in your own config file".to_owned());
                return false;
            }
            match &key.guard {
                Guard::Free => {}
                _ if trusted => {}
                Guard::User => {
                    self.loosens(entry.pos, full, "not set it");
                    return false;
                }
                Guard::Stricter(may, allowed) if !allowed(target, &new) => {
                    self.loosens(entry.pos, full, may);
                    return false;
                }
                Guard::Stricter(..) => {}
            }
        }
        *target = new;
        true
    }

    /// The tables of `[profile.NAME]` and `[tools.NAME]`.
    fn named(&mut self, entry: &Entry, mut each: impl FnMut(&mut Self, &str, Pos, &[Entry])) {
        let section = &entry.key;
        let Value::Table(names) = &entry.node.value else {
            let text = format!("`{section}` holds sections, written [{section}.NAME]");
            return self.wrong(entry.node.pos, text);
        };
        for name in names {
            match &name.node.value {
                Value::Table(inner) => each(self, &name.key, name.pos, inner),
                _ => {
                    let text = format!("`{section}.{0}` is a section, written [{section}.{0}]", name.key);
                    self.wrong(name.pos, text);
                }
            }
        }
    }

    /// Reads the keys of a named section into `target`; returns the names that were set.
    fn fields<T: Clone>(
        &mut self,
        target: &mut T,
        keys: &'static [Key<T>],
        section: &str,
        prefix: &str,
        entries: &[Entry],
    ) -> Vec<&'static str> {
        let mut done = Vec::new();
        for entry in entries {
            let name = format!("{prefix}{}", entry.key);
            let inside = format!("{name}.");
            if let Some(key) = keys.iter().find(|key| key.name == name) {
                if self.set(target, key, &format!("{section}.{name}"), entry) {
                    done.push(key.name);
                }
            } else if let (Value::Table(inner), true) =
                (&entry.node.value, keys.iter().any(|key| key.name.starts_with(&inside)))
            {
                done.extend(self.fields(target, keys, section, &inside, inner));
            } else if KEY_LIKE.contains(&entry.key.to_lowercase().as_str()) {
                self.wrong(entry.pos, format!("{section}.{name}: {NO_KEYS}"));
            } else {
                let names = keys.iter().map(|key| key.name);
                let text = format!("unknown key `{section}.{name}`.{}", suggestion(&entry.key, names));
                self.wrong(entry.pos, text);
            }
        }
        done
    }

    fn profile(&mut self, config: &mut Config, name: &str, at: Pos, entries: &[Entry]) {
        let section = format!("profile.{name}");
        if matches!(name, "offline" | "env" | "local") {
            return self
                .wrong(at, format!("`{name}` is a name of wakeful's own; give the profile another one"));
        }
        if self.whose == (Whose::Workspace { trusted: false }) {
            let may = "not set profiles: they say where everything is sent";
            return self.loosens(at, &format!("[{section}]"), may);
        }
        let before = config.profiles.get(name).cloned();
        let mut profile = before.unwrap_or_else(|| Profile { name: name.to_owned(), ..Profile::default() });
        let done = self.fields(&mut profile, PROFILE, &section, "", entries);
        let priced = PRICE_FIELDS.iter().filter(|field| done.contains(field)).count();
        if priced != 0 && priced != PRICE_FIELDS.len() {
            let all = PRICE_FIELDS.join(", ");
            self.wrong(at, format!("[{section}] needs all of {all}: a missing price is unknown, not zero"));
        }
        for (field, missing) in
            [("base_url", profile.base_url.is_empty()), ("model", profile.model.is_empty())]
        {
            let written = entries.iter().any(|entry| entry.key == field);
            if missing && !written {
                self.wrong(at, format!("[{section}] needs `{field}`"));
            }
        }
        if let (Some(window), Some(reserve)) = (profile.window, profile.reserve)
            && reserve >= window
        {
            self.wrong(at, format!("{section}.reserve has to be less than its window of {window}"));
        }
        for field in done {
            config.origins.insert(format!("{section}.{field}"), self.origin());
        }
        config.profiles.insert(name.to_owned(), profile);
    }

    fn tool(&mut self, config: &mut Config, name: &str, at: Pos, entries: &[Entry]) {
        let section = format!("tools.{name}");
        if !self.tools.contains(&name) {
            let hint = suggestion(name, self.tools.iter().copied());
            return self.wrong(at, format!("there is no tool `{name}`.{hint}"));
        }
        let mut tool: ToolConfig = config.tool(name);
        let done = self.fields(&mut tool, TOOL, &section, "", entries);
        for field in done {
            config.origins.insert(format!("{section}.{field}"), self.origin());
        }
        config.tools.insert(name.to_owned(), tool);
    }

    /// `[secrets]`: names, and the environment variable of each. Values of this section are never repeated: they may be
    /// the secrets themselves.
    fn secrets(&mut self, config: &mut Config, entry: &Entry) {
        let Value::Table(names) = &entry.node.value else {
            return self.wrong(entry.node.pos, "`secrets` is a section, written [secrets]".to_owned());
        };
        if self.whose == (Whose::Workspace { trusted: false }) {
            return self.loosens(
                entry.pos,
                "[secrets]",
                "not set secrets: commands could send them anywhere",
            );
        }
        for name in names {
            let plain =
                |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let fields = match &name.node.value {
                Value::Table(fields) => fields.as_slice(),
                _ => &[],
            };
            let variable = match fields {
                [Entry { key, node: Node { value: Value::Text(variable), .. }, .. }] if key == "env" => {
                    variable
                }
                _ => {
                    let text = "a secret is written NAME = { env = \"VARIABLE\" }: its value never stands in a file, but \
                                in that environment variable";
                    self.wrong(name.pos, text.to_owned());
                    continue;
                }
            };
            if !plain(&name.key) || !plain(variable) {
                let text = "names of secrets and of environment variables are letters, digits and `_`";
                self.wrong(name.pos, text.to_owned());
                continue;
            }
            config.origins.insert(format!("secrets.{}", name.key), self.origin());
            config.secrets.insert(name.key.clone(), variable.clone());
        }
    }

    /// `[keys]`: actions, and their keys. A workspace that could set them could make one key do another's work.
    fn keys(&mut self, config: &mut Config, entry: &Entry) {
        let Value::Table(actions) = &entry.node.value else {
            return self.wrong(entry.node.pos, "`keys` is a section, written [keys]".to_owned());
        };
        if self.whose != Whose::User {
            return self.wrong(entry.pos, "keys can only be set in your own config file".to_owned());
        }
        for action in actions {
            let name = format!("keys.{}", action.key);
            match texts(&action.node.value) {
                Ok(keys) => {
                    config.keys.insert(action.key.clone(), keys);
                    config.origins.insert(name, self.origin());
                }
                Err(why) => self.wrong(action.node.pos, format!("{name} {why}")),
            }
        }
    }

    fn rules(&mut self, config: &mut Config, entry: &Entry) {
        let Value::List(items) = &entry.node.value else {
            return self.wrong(entry.pos, "rules are written [[rule]], with two brackets".to_owned());
        };
        for Node { pos, value } in items {
            let Value::Table(fields) = value else {
                self.wrong(*pos, "a rule is a table with tool, arg and then".to_owned());
                continue;
            };
            // The place of an array's table is its first key: the header line has none of its own.
            let at = fields.first().map_or(*pos, |field| field.pos);
            if let Some(rule) = self.rule(at, fields) {
                config.rules.push(rule);
                config.rule_origins.push(self.origin());
            }
        }
    }

    fn rule(&mut self, at: Pos, fields: &[Entry]) -> Option<Rule> {
        let (mut tool, mut arg, mut then) = (None, None, None);
        let known = self.problems.len();
        for field in fields {
            let value = &field.node.value;
            let read = match field.key.as_str() {
                "tool" => text(value).map(|t| tool = Some((t, field.node.pos))),
                "arg" => text(value).map(|t| arg = Some(t)),
                "then" => choice(value, VERDICTS).map(|v| then = Some((v, field.node.pos))),
                other => {
                    let hint = suggestion(other, RULE_KEYS);
                    self.wrong(field.pos, format!("unknown key `rule.{other}`.{hint}"));
                    continue;
                }
            };
            if let Err(why) = read {
                self.wrong(field.node.pos, format!("rule.{} {why}", field.key));
            }
        }
        if self.problems.len() > known {
            return None;
        }
        let (Some((tool, tool_at)), Some((then, then_at))) = (tool, then) else {
            self.wrong(at, "a rule needs `tool` and `then`".to_owned());
            return None;
        };
        // A misspelt name would match nothing, and a deny that matches nothing protects nothing.
        if !tool.contains('*') && !self.tools.contains(&tool.as_str()) {
            let hint = nearest(&tool, self.tools.iter().copied());
            let hint = hint.map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
            self.wrong(
                tool_at,
                format!("rule.tool: there is no tool `{tool}`.{hint} `*` stands for any text"),
            );
            return None;
        }
        if then == RuleVerdict::Allow && self.whose == (Whose::Workspace { trusted: false }) {
            self.loosens(then_at, "rule.then = \"allow\"", "only add rules that ask or deny");
            return None;
        }
        Some(Rule { tool, arg, then })
    }
}
