//! Which model a new run uses, and the provider of a run's model.

use super::app::{App, Failure};
use super::contact::Contacts;
use super::print::talk;
use super::words::sentence;
use crate::config::{Choice, Config, Env, Profile, ProtocolChoice, TokenizerChoice};
use crate::provider::discover::{self, Search};
use crate::provider::idle::TimeOuts;
use crate::provider::mask::Secret;
use crate::provider::offline::{self, OfflineModel, Script};
use crate::provider::openai::{OpenAi, Options};
use crate::provider::retry::RetryPolicy;
use crate::provider::{Cancel, Provider, protocol};
use crate::run::calibration::NEUTRAL;
use crate::run::settings::{ModelSettings, Price, Protocol, Settings};
use crate::store::{RunFilter, Store};
use crate::tokens::{self, Counter, Encoding, Estimate, OpenAiBpe, TokenizerJson};
use crate::worker::Models;
use crate::worker::replay::PREFIX;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Runs in which it is looked up what a model's counts were like.
const LOOK_BACK: usize = 8;
/// How long a server may take to say what it has.
const LOOK: Duration = Duration::from_secs(3);

/// The model that the configuration names: a stored run's replies, or one that is settled by [`choose`].
///
/// # Errors
/// As [`choose`] and [`replay_settings`].
pub async fn named(
    app: &App,
    config: &Config,
    store: &Store,
    contacts: &Contacts,
) -> Result<ModelSettings, Failure> {
    match config.model.as_deref().and_then(|m| m.strip_prefix(PREFIX)) {
        Some(recorded) => replay_settings(store, recorded, config).await,
        None => {
            let mut model = choose(app, config, store.dir(), contacts).await?;
            if !model.offline {
                learn_from_before(store, &mut model, config.window.is_some()).await;
            }
            Ok(model)
        }
    }
}

/// The model that is asked for summaries in place of `own`, fully settled; none if the configuration names none, or `own`
/// is not asked for any. No tools are offered to it, so that nothing is tried at its server.
///
/// # Errors
/// As [`choose`].
pub async fn for_summaries(
    app: &App,
    config: &Config,
    own: &ModelSettings,
    beside: &Path,
    contacts: &Contacts,
) -> Result<Option<Box<ModelSettings>>, Failure> {
    let profile = config.summary_model.as_ref().and_then(|name| config.profiles.get(name));
    let Some(mut profile) = profile.filter(|profile| !own.offline && profile.name != own.profile).cloned()
    else {
        return Ok(None);
    };
    if profile.protocol == ProtocolChoice::Auto {
        profile.protocol = ProtocolChoice::Native;
    }
    // `--window` speaks of the run's own.
    let config = Config { window: None, ..config.clone() };
    let model = settle(app, &config, profile, None, beside, contacts).await?;
    Ok(Some(Box::new(ModelSettings { calibration: None, ..model })))
}

/// Takes over what the newest runs with this model learnt of how it counts, and of its window if the configuration still
/// gives the same one, unless it was `named` on the command line: that is what is wanted now. Only an aid: what cannot be
/// read teaches nothing.
async fn learn_from_before(store: &Store, model: &mut ModelSettings, named: bool) {
    let filter = RunFilter { limit: Some(LOOK_BACK), ..RunFilter::default() };
    let Ok(rows) = store.runs(filter).await else { return };
    let (mut factor, mut window) = (model.calibration.is_none(), named);
    // The longest prompt that newer runs had read.
    let mut read = 0;
    for row in rows {
        if factor && window {
            return;
        }
        let Ok(loaded) = store.load(&row.id).await else { continue };
        let ledger = &loaded.state.ledger;
        let Some(before) = ledger.settings.as_ref().map(|s| &s.model).filter(|m| m.counts_like(model)) else {
            continue;
        };
        if !factor && ledger.factor() != NEUTRAL {
            (model.calibration, factor) = (Some(ledger.factor()), true);
        }
        read = read.max(ledger.last_usage.filter(|usage| !usage.estimated).map_or(0, |usage| usage.prompt));
        if !window && before.given_window() == model.window {
            // The newest one decides: it would have taken over what one before it learnt.
            window = true;
            if let Some(learnt) = before.learnt_window.filter(|_| u64::from(before.window) >= read) {
                model.learn_window(before.window, learnt.guessed);
            }
        }
    }
}

/// The model of a new run, fully settled.
///
/// # Errors
/// Words that say what to set.
pub async fn choose(
    app: &App,
    config: &Config,
    beside: &Path,
    contacts: &Contacts,
) -> Result<ModelSettings, Failure> {
    match config.choose_model(&app.env)? {
        Choice::Offline => {
            // A script that cannot be played is told before there is a run.
            Script::from_env(&app.env).map_err(|e| Failure::usage(e.to_string()))?;
            Ok(offline_settings(config))
        }
        Choice::Profile(profile) => settle(app, config, *profile, None, beside, contacts).await,
        Choice::Find { note } => {
            if let Some(note) = note {
                talk(&format!("note: {note}"));
            }
            match find(config).await {
                Some((profile, window)) => {
                    talk(&format!("found {} at {}", profile.model, profile.base_url));
                    settle(app, config, profile, window, beside, contacts).await
                }
                None => {
                    talk(
                        "no model was found (no OPENAI_BASE_URL, nothing on the usual local ports): \
                         the built-in offline model is used. It follows rules; it is not an LLM.",
                    );
                    Ok(offline_settings(config))
                }
            }
        }
    }
}

/// The built-in rule-based model.
pub fn offline_settings(config: &Config) -> ModelSettings {
    let window = config.window.unwrap_or(u32::try_from(offline::WINDOW).unwrap_or(32_768));
    ModelSettings {
        profile: "offline".to_owned(),
        model: offline::MODEL.to_owned(),
        base_url: String::new(),
        offline: true,
        window,
        reserve: (window / 4).min(4_096),
        protocol: Protocol::Native,
        tokenizer: Estimate.id().to_owned(),
        tokenizer_file: None,
        exact: false,
        calibration: None,
        learnt_window: None,
        // It costs nothing, which is known.
        price: Some(Price { prompt: 0, cached: 0, completion: 0 }),
        temperature: None,
        send_reasoning: false,
        state_at_head: false,
    }
}

/// The recorded replies of a stored run as a model.
///
/// # Errors
/// The store's, or if the run has no replies to give.
pub async fn replay_settings(
    store: &Store,
    recorded: &str,
    config: &Config,
) -> Result<ModelSettings, Failure> {
    let run = store.find_run(recorded).await?;
    let state = store.load(&run).await?.state;
    let Some(settings) = state.settings().filter(|_| state.path.step > 0) else {
        return Err(Failure::usage(format!(
            "{run} has no recorded replies yet; name a run with at least one step"
        )));
    };
    talk(&format!("replaying the {} recorded replies of {run}; no model is asked", state.path.step));
    Ok(ModelSettings {
        profile: format!("{PREFIX}{run}"),
        base_url: String::new(),
        offline: true,
        window: config.window.unwrap_or(settings.model.window),
        protocol: Protocol::Native,
        price: Some(Price { prompt: 0, cached: 0, completion: 0 }),
        ..settings.model.clone()
    })
}

/// The first server on the usual local ports that lists a model, with its window if it tells.
pub async fn find(config: &Config) -> Option<(Profile, Option<u32>)> {
    if !config.discover {
        return None;
    }
    let search = Search { ports: config.discover_ports.clone(), ..Search::default() };
    let found = discover::local(&search, None).await.into_iter().next()?;
    let profile = Profile {
        name: "local".to_owned(),
        base_url: found.base_url,
        model: found.model?,
        ..Profile::default()
    };
    Some((profile, found.window.and_then(|w| u32::try_from(w).ok())))
}

async fn settle(
    app: &App,
    config: &Config,
    mut profile: Profile,
    window: Option<u32>,
    beside: &Path,
    contacts: &Contacts,
) -> Result<ModelSettings, Failure> {
    let server = OpenAi::new(options(&profile, &app.env, TimeOuts::default()))
        .map_err(|e| Failure::usage(e.to_string()))?;
    let mut window = window;
    if profile.model.is_empty() || (profile.window.is_none() && config.window.is_none() && window.is_none()) {
        let wanted = Some(profile.model.as_str()).filter(|m| !m.is_empty());
        // Without a name nothing can begin; the window is learnt later too, from the first error that names it.
        let retries = if wanted.is_none() { config.limits().model_retries } else { 0 };
        let policy = RetryPolicy { retries, ..RetryPolicy::default() };
        let mut attempts = contacts.asking(&host_of(server.endpoint()), policy);
        let seen = loop {
            match discover::look(&server, wanted, LOOK).await {
                Ok(seen) => break Ok(seen),
                Err(error) => match attempts.failed(error).await {
                    Ok(()) => {}
                    Err(failure) => break Err(failure),
                },
            }
        };
        match seen {
            Ok(seen) => {
                if profile.model.is_empty() {
                    profile.model = seen.model.unwrap_or_default();
                }
                window = seen.window.and_then(|w| u32::try_from(w).ok());
            }
            Err(failure) if profile.model.is_empty() => {
                let said = sentence(&failure.message);
                return Err(Failure::usage(format!("{said} Name the model with WAKEFUL_MODEL or --model")));
            }
            Err(_) => {}
        }
    }
    if profile.model.is_empty() {
        return Err(Failure::usage(format!(
            "{} lists no model. Name one with WAKEFUL_MODEL or --model",
            profile.base_url
        )));
    }
    config.check_price(&profile)?;
    let protocol = match profile.protocol {
        ProtocolChoice::Native => Protocol::Native,
        ProtocolChoice::Schema => Protocol::Schema,
        ProtocolChoice::Auto => {
            remembered(&server, &profile, beside, config.limits().model_retries, contacts).await?
        }
    };
    let counter = counter(&profile).await?;
    let window = config.window_for(&profile, window);
    Ok(profile.model_settings(window, protocol, counter.id(), counter.exact()))
}

/// What counts for a profile. A `tokenizer.json` is read here, so that what is wrong with it is told before there is a run.
async fn counter(profile: &Profile) -> Result<Arc<dyn Counter>, Failure> {
    Ok(match &profile.tokenizer {
        TokenizerChoice::Auto => tokens::counter_for(&profile.model),
        TokenizerChoice::O200k => Arc::new(OpenAiBpe::new(Encoding::O200k)),
        TokenizerChoice::Cl100k => Arc::new(OpenAiBpe::new(Encoding::Cl100k)),
        TokenizerChoice::Estimate => Arc::new(Estimate),
        TokenizerChoice::File(file) => {
            let (file, name) = (file.clone(), profile.name.clone());
            let opened = tokio::task::spawn_blocking(move || TokenizerJson::open(&file)).await;
            let opened = opened.map_err(|e| Failure::internal(e.to_string()))?;
            Arc::new(opened.map_err(|e| Failure::usage(format!("[profile.{name}] tokenizer: {e}")))?)
        }
    })
}

/// What is wrong with the tokenizer files of the profiles, by profile. Reads them.
pub fn tokenizer_faults(config: &Config) -> Vec<(String, String)> {
    let files = config.profiles.values().filter_map(|profile| match &profile.tokenizer {
        TokenizerChoice::File(file) => Some((&profile.name, file)),
        TokenizerChoice::Auto
        | TokenizerChoice::O200k
        | TokenizerChoice::Cl100k
        | TokenizerChoice::Estimate => None,
    });
    files
        .filter_map(|(name, file)| Some((name.clone(), TokenizerJson::open(file).err()?.to_string())))
        .collect()
}

/// The tool protocol of an endpoint: asked once, then kept in a small file beside the database.
async fn remembered(
    server: &OpenAi,
    profile: &Profile,
    beside: &Path,
    retries: u32,
    contacts: &Contacts,
) -> Result<Protocol, Failure> {
    let file = beside.join("protocols.json");
    let key = format!("{} {}", profile.base_url, profile.model);
    let mut known: BTreeMap<String, Protocol> =
        std::fs::read(&file).ok().and_then(|b| serde_json::from_slice(&b).ok()).unwrap_or_default();
    if let Some(protocol) = known.get(&key) {
        return Ok(*protocol);
    }
    talk(&format!("asking {} which tool protocol it takes (once)", profile.model));
    // As patiently as a turn does: the first contact often meets a server that was just started.
    let policy = RetryPolicy { retries, ..RetryPolicy::default() };
    let mut attempts = contacts.asking(&host_of(server.endpoint()), policy);
    let found = loop {
        match protocol::probe_native(server, &profile.model, Cancel::new()).await {
            Ok(found) => break found,
            Err(error) => attempts.failed(error).await?,
        }
    };
    let found = match found {
        protocol::Protocol::Native => Protocol::Native,
        protocol::Protocol::Schema => Protocol::Schema,
    };
    known.insert(key, found);
    if let Ok(json) = serde_json::to_vec_pretty(&known) {
        // Only a memory aid: without it the endpoint is asked again.
        let _ = std::fs::write(&file, json);
    }
    Ok(found)
}

/// Host and port of an address.
pub fn host_of(base_url: &str) -> String {
    let rest = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest).to_owned()
}

fn options(profile: &Profile, env: &Env, time_outs: TimeOuts) -> Options {
    let key = profile.key_env.as_ref().and_then(|name| env.get(name)).filter(|k| !k.trim().is_empty());
    let mut options = Options::new(&profile.name, &profile.base_url, key.map(|k| Secret::new(k)));
    options.include_usage = !profile.no_stream_options;
    options.max_completion_tokens = profile.max_completion_tokens;
    options.time_outs = time_outs;
    options
}

/// Finds the provider of a run's model: keys from the environment, quirks from the configuration.
pub struct ConfiguredModels {
    env: Env,
    profiles: BTreeMap<String, Profile>,
    /// The variable with the key of the source of vectors.
    memory_key: Option<String>,
    user_config: PathBuf,
}

impl ConfiguredModels {
    /// The models of this invocation.
    pub fn new(app: &App, config: &Config) -> Self {
        Self {
            env: app.env.clone(),
            profiles: config.profiles.clone(),
            memory_key: config.memory.key_env.clone(),
            user_config: app.paths.config.clone(),
        }
    }

    fn profile(&self, model: &ModelSettings) -> Result<Profile, String> {
        let bare = |key_env: Option<&str>| Profile {
            name: model.profile.clone(),
            base_url: model.base_url.clone(),
            model: model.model.clone(),
            key_env: key_env.map(str::to_owned),
            ..Profile::default()
        };
        match model.profile.as_str() {
            "local" => Ok(bare(None)),
            "env" => {
                // The key goes only where the environment says that it belongs.
                let named =
                    self.env.get("OPENAI_BASE_URL").map(|u| u.trim().trim_end_matches('/').to_owned());
                if named.as_deref() == Some(model.base_url.as_str()) {
                    return Ok(bare(Some("OPENAI_API_KEY")));
                }
                let hosted = discover::HOSTED.iter().find(|h| h.base_url == model.base_url);
                Ok(bare(hosted.map(|h| h.key_var)))
            }
            name => match self.profiles.get(name) {
                Some(profile) => Ok(Profile {
                    base_url: model.base_url.clone(),
                    model: model.model.clone(),
                    ..profile.clone()
                }),
                None => Err(format!(
                    "this run uses the model profile `{name}`, which is not in {}. Put it back there",
                    self.user_config.display()
                )),
            },
        }
    }
}

impl Models for ConfiguredModels {
    fn keys(&self) -> Vec<String> {
        let own = self.profiles.values().filter_map(|p| p.key_env.as_deref());
        let usual = discover::HOSTED.iter().map(|h| h.key_var).chain(["OPENAI_API_KEY"]);
        own.chain(self.memory_key.as_deref())
            .chain(usual)
            .filter_map(|name| self.env.get(name))
            .map(|key| key.trim().to_owned())
            .collect()
    }

    fn provider(&self, settings: &Settings) -> Result<Arc<dyn Provider>, String> {
        if settings.model.offline {
            let script = Script::from_env(&self.env).map_err(|e| e.to_string())?;
            return Ok(Arc::new(OfflineModel::new(script)));
        }
        let profile = self.profile(&settings.model)?;
        if let Some(name) = &profile.key_env
            && profile.name != "env"
            && self.env.get(name).is_none_or(|k| k.trim().is_empty())
        {
            return Err(format!(
                "the profile `{}` takes its key from {name}, which is not set",
                profile.name
            ));
        }
        let time_outs = TimeOuts {
            first_token: settings.limits.first_token_ms.map(Duration::from_millis),
            between_tokens: settings.limits.between_tokens_ms.map(Duration::from_millis),
            ..TimeOuts::default()
        };
        let server = OpenAi::new(options(&profile, &self.env, time_outs)).map_err(|e| e.to_string())?;
        Ok(Arc::new(server))
    }
}
