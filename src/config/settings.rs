//! The validated configuration: plain data, the merge of defaults, user file, workspace file and command line.
//!
//! [`Config`] is derived by [`super::load()`] and changed by nothing else. A run does not read it: it gets a
//! [`crate::run::Settings`] made from it, and a later edit of a file reaches a run only as an event.

use super::memory::MemoryConfig;
use super::profile::Profile;
use crate::run::settings::{ContextSettings, LimitsPatch, Rule};
use crate::run::{Limits, Mode, ToolSpec};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Tools in whose arguments `${secret:NAME}` is filled in.
pub const TAKE_SECRETS: [&str; 2] = ["shell", "http_get"];

/// Where a value comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    #[default]
    Default,
    /// The user's file.
    User(PathBuf),
    /// The workspace's file.
    Workspace(PathBuf),
    /// An environment variable of this name.
    Env(String),
    /// An option of the command line.
    Flag(String),
}

impl Origin {
    /// One word: `default`, `user`, `workspace`, `env` or `flag`.
    pub fn word(&self) -> &'static str {
        match self {
            Origin::Default => "default",
            Origin::User(_) => "user",
            Origin::Workspace(_) => "workspace",
            Origin::Env(_) => "env",
            Origin::Flag(_) => "flag",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Origin::Default => Ok(()),
            Origin::User(path) | Origin::Workspace(path) => write!(f, " {}", path.display()),
            Origin::Env(name) | Origin::Flag(name) => write!(f, " {name}"),
        }
    }
}

/// What happens to runs when the terminal goes away (SIGHUP).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnHangup {
    /// Save and stop.
    #[default]
    Save,
    /// Hand the runs to a detached worker that goes on.
    Continue,
}

/// How the workstation looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScreenConfig {
    /// Language, as `--lang` takes it; none is that of the locale.
    pub lang: Option<String>,
    /// Theme, as `--theme` takes it; none is dark.
    pub theme: Option<String>,
    /// True: signs and borders are of ASCII.
    pub ascii: bool,
}

/// What the config says of one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolConfig {
    /// False: the model is not offered it.
    pub enabled: bool,
    /// Time-out of a call, milliseconds; none leaves the tool's own.
    pub timeout_ms: Option<u64>,
    /// Most calls in a run; none is no own limit.
    pub max_calls: Option<u32>,
}

impl Default for ToolConfig {
    fn default() -> Self {
        Self { enabled: true, timeout_ms: None, max_calls: None }
    }
}

/// Everything that can be configured.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Approval mode of new runs.
    pub mode: Mode,
    /// Hard limits of new runs.
    pub limits: Limits,
    /// Approval rules: the user's, then the workspace's. Their order does not matter: deny beats ask beats allow.
    pub rules: Vec<Rule>,
    /// How the context is kept.
    pub context: ContextSettings,
    /// How long a decision waits for a person until the agent's recommendation is taken, milliseconds; none: for ever.
    pub decide_after_ms: Option<u64>,
    /// What makes memories findable by their meaning.
    pub memory: MemoryConfig,
    /// Model profiles by name.
    pub profiles: BTreeMap<String, Profile>,
    /// The profile used when none is named.
    pub default_profile: Option<String>,
    /// The profile that is asked for summaries; none: the run's own.
    pub summary_model: Option<String>,
    /// What is said of tools, by name; tools that are not here have the defaults.
    pub tools: BTreeMap<String, ToolConfig>,
    /// Environment variables that commands may see although their names look secret.
    pub env_allow: Vec<String>,
    /// Hosts that `http_get` may reach without being asked about.
    pub allow_hosts: Vec<String>,
    /// Secrets that calls may name as `${secret:NAME}`: the environment variable of each. Values are never here.
    pub secrets: BTreeMap<String, String>,
    /// True: interrupted runs of the present folder go on at start.
    pub resume_on_start: bool,
    /// What happens to runs when the terminal goes away.
    pub on_hangup: OnHangup,
    /// True: local model servers are looked for when no model is configured.
    pub discover: bool,
    /// Ports on 127.0.0.1 where they are looked for.
    pub discover_ports: Vec<u16>,
    /// Workspaces whose own file may loosen safety.
    pub trust: Vec<PathBuf>,
    /// How the workstation looks.
    pub screen: ScreenConfig,
    /// The command that calls for attention, with its arguments; empty: none.
    pub notify: Vec<String>,
    /// Keys of the workstation by the name of what they do; what is not here has its own keys. Names and keys are
    /// checked where the keymap is made.
    pub keys: BTreeMap<String, Vec<String>>,
    /// Context window from the command line, tokens; it beats the profile's.
    pub window: Option<u32>,
    /// The model from the command line (`--model`): a profile, `offline`, or a model's name at the server of the
    /// environment.
    pub model: Option<String>,
    /// Source of every value that is not a default, by full key, such as `limits.steps`.
    pub origins: BTreeMap<String, Origin>,
    /// Source of each rule, in the order of `rules`.
    pub rule_origins: Vec<Origin>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            limits: Limits::default(),
            rules: Vec::new(),
            context: ContextSettings::default(),
            decide_after_ms: None,
            memory: MemoryConfig::default(),
            profiles: BTreeMap::new(),
            default_profile: None,
            summary_model: None,
            tools: BTreeMap::new(),
            env_allow: Vec::new(),
            allow_hosts: Vec::new(),
            secrets: BTreeMap::new(),
            resume_on_start: true,
            on_hangup: OnHangup::default(),
            discover: true,
            // Ollama, LM Studio, vLLM, llama.cpp: their documented default ports.
            discover_ports: vec![11_434, 1_234, 8_000, 8_080],
            trust: Vec::new(),
            screen: ScreenConfig::default(),
            notify: Vec::new(),
            keys: BTreeMap::new(),
            window: None,
            model: None,
            origins: BTreeMap::new(),
            rule_origins: Vec::new(),
        }
    }
}

/// What the command line says; it beats every file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `--approve`.
    pub mode: Option<Mode>,
    /// `--max-steps`, `--max-tokens`, `--max-cost`, `--max-time`.
    pub limits: LimitsPatch,
    /// `--model`.
    pub model: Option<String>,
    /// `--window`, tokens.
    pub window: Option<u32>,
}

impl Config {
    /// Limits of a new run.
    pub fn limits(&self) -> Limits {
        self.limits.clone()
    }

    /// Where the value of a key comes from.
    pub fn origin(&self, key: &str) -> Origin {
        self.origins.get(key).cloned().unwrap_or_default()
    }

    /// What is said of a tool, or the defaults.
    pub fn tool(&self, name: &str) -> ToolConfig {
        self.tools.get(name).copied().unwrap_or_default()
    }

    /// The tools offered: without the disabled ones, with the time-outs and quotas of the config.
    pub fn tools(&self, specs: Vec<ToolSpec>) -> Vec<ToolSpec> {
        let offered = specs.into_iter().filter(|spec| self.tool(&spec.name).enabled);
        offered
            .map(|mut spec| {
                let set = self.tool(&spec.name);
                spec.timeout_ms = set.timeout_ms.or(spec.timeout_ms);
                spec.max_calls = set.max_calls.or(spec.max_calls);
                if TAKE_SECRETS.contains(&spec.name.as_str()) && !self.secrets.is_empty() {
                    let names: Vec<String> =
                        self.secrets.keys().map(|name| format!("${{secret:{name}}}")).collect();
                    let names = names.join(", ");
                    spec.description.push_str(&format!(
                        " Secrets of the person are written by name and filled in when it runs: {names}."
                    ));
                }
                spec
            })
            .collect()
    }

    /// This configuration with the command line's word over it.
    pub fn with(mut self, flags: &Overrides) -> Self {
        self.limits = flags.limits.apply(&self.limits);
        self.mode = flags.mode.unwrap_or(self.mode);
        self.window = flags.window.or(self.window);
        self.model = flags.model.clone().or(self.model);
        let patch = &flags.limits;
        let given = [
            ("approval.mode", "--approve", flags.mode.is_some()),
            ("limits.steps", "--max-steps", patch.steps.is_some()),
            ("limits.tokens", "--max-tokens", patch.tokens.is_some()),
            ("limits.cost", "--max-cost", patch.cost_micro.is_some()),
            ("limits.time", "--max-time", patch.active_ms.is_some()),
        ];
        for (key, flag, _) in given.into_iter().filter(|(_, _, set)| *set) {
            self.origins.insert(key.to_owned(), Origin::Flag(flag.to_owned()));
        }
        self
    }
}
