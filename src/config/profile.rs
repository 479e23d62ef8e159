//! Model profiles, and which one a run uses: option, environment, config, else what is found on this machine.
//!
//! A key is never here: a profile names the environment variable that holds it. No prices are built in: they change,
//! and an old one would let a cost cap lie. What has no price is refused under a cap.

use super::problem::{ConfigError, suggestion};
use super::settings::Config;
use crate::run::calibration::NEUTRAL;
use crate::run::settings::{ModelSettings, Price, Protocol};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Environment variables by name, given by the caller.
pub type Env = BTreeMap<String, String>;

/// Window taken when neither the profile, the command line nor the server says one, tokens.
pub const DEFAULT_WINDOW: u32 = 8_192;
/// Most tokens kept for the reply when the profile does not say.
pub const DEFAULT_RESERVE: u32 = 4_096;

/// How tools are offered to the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProtocolChoice {
    /// Found out once per endpoint.
    #[default]
    Auto,
    /// `tools` and `tool_calls`.
    Native,
    /// One action or a final answer a turn, forced by a JSON schema.
    Schema,
}

/// What counts the tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TokenizerChoice {
    /// By the model's name.
    #[default]
    Auto,
    /// OpenAI's newer encoding.
    O200k,
    /// OpenAI's older encoding.
    Cl100k,
    /// An estimate, marked as one.
    Estimate,
    /// The model's own `tokenizer.json`, an absolute path.
    File(PathBuf),
}

/// One model at one server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Its name in the config; `env` for the one made of environment variables.
    pub name: String,
    /// Base URL, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The model's name at the server; empty only for `env`: the first one the server lists.
    pub model: String,
    /// The environment variable that holds the key; none: no key is sent.
    pub key_env: Option<String>,
    /// Context window, tokens; none: asked of the server, else [`DEFAULT_WINDOW`].
    pub window: Option<u32>,
    /// Tokens kept for the reply; none: a quarter of the window, at most [`DEFAULT_RESERVE`].
    pub reserve: Option<u32>,
    /// How tools are offered.
    pub protocol: ProtocolChoice,
    /// What counts the tokens.
    pub tokenizer: TokenizerChoice,
    /// Price; none is unknown, never zero.
    pub price: Option<Price>,
    /// Sampling temperature; none leaves it to the server.
    pub temperature: Option<f64>,
    /// True if `reasoning_content` of earlier turns is sent back.
    pub send_reasoning: bool,
    /// True if state is put at the head of the prompt.
    pub state_at_head: bool,
    /// True if `stream_options` must not be sent.
    pub no_stream_options: bool,
    /// True if the reply's limit is sent as `max_completion_tokens`.
    pub max_completion_tokens: bool,
}

impl Profile {
    /// Tokens kept for the reply in a window of this size: never more than half of it, so that a window made smaller
    /// on the command line leaves room for a prompt.
    pub fn reserve_in(&self, window: u32) -> u32 {
        self.reserve.unwrap_or_else(|| (window / 4).min(DEFAULT_RESERVE)).min(window / 2)
    }

    /// What a run is bound by, once window, protocol and tokenizer are settled.
    pub fn model_settings(
        &self,
        window: u32,
        protocol: Protocol,
        tokenizer: &str,
        exact: bool,
    ) -> ModelSettings {
        ModelSettings {
            profile: self.name.clone(),
            model: self.model.clone(),
            base_url: self.base_url.clone(),
            offline: false,
            window,
            reserve: self.reserve_in(window),
            protocol,
            tokenizer: tokenizer.to_owned(),
            tokenizer_file: match &self.tokenizer {
                TokenizerChoice::File(file) => Some(file.clone()),
                TokenizerChoice::Auto
                | TokenizerChoice::O200k
                | TokenizerChoice::Cl100k
                | TokenizerChoice::Estimate => None,
            },
            exact,
            learnt_window: None,
            calibration: (!exact).then_some(NEUTRAL),
            price: self.price,
            temperature: self.temperature,
            send_reasoning: self.send_reasoning,
            state_at_head: self.state_at_head,
        }
    }
}

/// Which model a run uses.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// This one.
    Profile(Box<Profile>),
    /// The built-in rule-based model, by the person's own word.
    Offline,
    /// Nothing is configured: look on the configured ports, else offline.
    Find {
        /// What the person may want to know, such as a key without a model's name.
        note: Option<String>,
    },
}

/// Variables that usually hold a key, and the server that takes it.
const USUAL: &[(&str, &str)] = &[
    ("OPENAI_API_KEY", "https://api.openai.com/v1"),
    ("DEEPSEEK_API_KEY", "https://api.deepseek.com/v1"),
    ("DASHSCOPE_API_KEY", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
    ("OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
];

fn set<'a>(env: &'a Env, name: &str) -> Option<&'a str> {
    env.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
}

impl Config {
    /// The context window of a run with this profile: the command line's, else the profile's, else what the server
    /// said, else [`DEFAULT_WINDOW`].
    pub fn window_for(&self, profile: &Profile, server: Option<u32>) -> u32 {
        self.window.or(profile.window).or(server).unwrap_or(DEFAULT_WINDOW)
    }

    /// Refuses a model of unknown price under a cost cap: unknown is never taken for zero.
    ///
    /// # Errors
    /// [`ConfigError`] that says what to set.
    pub fn check_price(&self, profile: &Profile) -> Result<(), ConfigError> {
        if self.limits.cost_micro.is_none() || profile.price.is_some() {
            return Ok(());
        }
        let name = &profile.name;
        Err(ConfigError::plain(format!(
            "there is a cost cap, and the price of `{}` ({name}) is not known. Set price.prompt, price.cached and \
             price.completion in a [profile.{}] section (0 for a model of your own), or take the cap away",
            profile.model,
            if name == "env" { "NAME" } else { name },
        )))
    }

    /// Which model a new run uses: `--model`, then `WAKEFUL_MODEL`, then `default_profile`, then `OPENAI_BASE_URL`.
    /// A key in the environment alone never sends anything anywhere: a model has to be named.
    ///
    /// # Errors
    /// [`ConfigError`] when a model is named that is no profile and has no server, or could mean several.
    pub fn choose_model(&self, env: &Env) -> Result<Choice, ConfigError> {
        let named = self.model.as_deref().map(|name| ("--model", name));
        if let Some((source, name)) =
            named.or_else(|| set(env, "WAKEFUL_MODEL").map(|n| ("WAKEFUL_MODEL", n)))
        {
            return self.choose_named(source, name, env);
        }
        if let Some(name) = &self.default_profile {
            return self.choose_named("default_profile", name, env);
        }
        if let Some(base_url) = set(env, "OPENAI_BASE_URL") {
            return env_profile(base_url, "", env).map(|p| Choice::Profile(Box::new(p)));
        }
        let keys: Vec<&str> =
            USUAL.iter().map(|(key, _)| *key).filter(|key| set(env, key).is_some()).collect();
        let note = (!keys.is_empty()).then(|| {
            format!(
                "{} is set, but no model is named: name one with WAKEFUL_MODEL or --model",
                keys.join(", ")
            )
        });
        Ok(Choice::Find { note })
    }

    fn choose_named(&self, source: &str, name: &str, env: &Env) -> Result<Choice, ConfigError> {
        if let Some(profile) = self.profiles.get(name) {
            return Ok(Choice::Profile(Box::new(profile.clone())));
        }
        if name == "offline" {
            return Ok(Choice::Offline);
        }
        if let Some(base_url) = set(env, "OPENAI_BASE_URL") {
            return env_profile(base_url, name, env).map(|p| Choice::Profile(Box::new(p)));
        }
        let servers: Vec<_> = USUAL.iter().filter(|(key, _)| set(env, key).is_some()).collect();
        match servers.as_slice() {
            [(key, base_url)] => Ok(Choice::Profile(Box::new(Profile {
                name: "env".to_owned(),
                base_url: (*base_url).to_owned(),
                model: name.to_owned(),
                key_env: Some((*key).to_owned()),
                ..Profile::default()
            }))),
            [] => {
                let names = self.profiles.keys().map(String::as_str).chain(["offline"]);
                Err(ConfigError::plain(format!(
                    "{source}: there is no model profile `{name}`.{} A profile is a [profile.{}] section of your \
                     config file; for a model of an OpenAI-compatible server set OPENAI_BASE_URL too",
                    suggestion(name, names),
                    if name.contains(['.', ' ', '/', ':']) { "NAME" } else { name },
                )))
            }
            several => {
                let keys: Vec<&str> = several.iter().map(|(key, _)| *key).collect();
                Err(ConfigError::plain(format!(
                    "{source}: `{name}` is no model profile, and {} are set, so it is not clear which server is \
                     meant. Set OPENAI_BASE_URL, or write a profile in your config file",
                    keys.join(" and ")
                )))
            }
        }
    }
}

/// The server of `OPENAI_BASE_URL`.
fn env_profile(base_url: &str, model: &str, env: &Env) -> Result<Profile, ConfigError> {
    let base_url = check_url(base_url).map_err(|why| ConfigError::plain(format!("OPENAI_BASE_URL {why}")))?;
    let key_env = set(env, "OPENAI_API_KEY").map(|_| "OPENAI_API_KEY".to_owned());
    Ok(Profile { name: "env".to_owned(), base_url, model: model.to_owned(), key_env, ..Profile::default() })
}

/// A base URL without a slash at its end.
///
/// # Errors
/// A phrase; it does not repeat the URL, which may hold a password.
pub fn check_url(url: &str) -> Result<String, String> {
    let example = "such as \"http://127.0.0.1:8080/v1\"";
    let url = url.trim().trim_end_matches('/');
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let rest = rest.ok_or_else(|| format!("takes a URL that begins with http:// or https://, {example}"))?;
    let host = rest.split('/').next().unwrap_or_default();
    if host.contains('@') {
        return Err(
            "holds a user or password; keys stand in the environment, name the variable with key_env".into(),
        );
    }
    if host.is_empty() || url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(format!("takes a URL with a host, {example}"));
    }
    if url.contains(['?', '#']) {
        return Err(format!("takes a URL without `?` and `#`, {example}"));
    }
    if rest.ends_with("/chat/completions") {
        return Err(format!("takes the part before /chat/completions, {example}"));
    }
    Ok(url.to_owned())
}
