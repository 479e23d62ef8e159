//! Finds models at start: by the usual environment variables, and servers on this machine's usual ports.
//!
//! Only 127.0.0.1 is probed, without any key. The environment is an argument, so that nothing here reads the process's
//! own; keys are named by their variable and never kept.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use serde_json::Value;

use super::error::ModelError;
use super::mask::Secret;
use super::openai::{OpenAi, Options};
use super::wire::number_of;

/// The environment as a map.
pub type Env = BTreeMap<String, String>;

/// A hosted service that its key variable gives away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hosted {
    /// Name for people.
    pub name: &'static str,
    /// Variable that holds the key.
    pub key_var: &'static str,
    /// Address.
    pub base_url: &'static str,
    /// The model that is proposed when `WAKEFUL_MODEL` names none.
    pub model: &'static str,
}

const fn hosted(
    name: &'static str,
    key_var: &'static str,
    base_url: &'static str,
    model: &'static str,
) -> Hosted {
    Hosted { name, key_var, base_url, model }
}

/// Services whose key variables are looked for, in this order. The models are proposals of the time of writing.
pub const HOSTED: [Hosted; 10] = [
    hosted("OpenAI", "OPENAI_API_KEY", "https://api.openai.com/v1", "gpt-5-mini"),
    hosted("DeepSeek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1", "deepseek-chat"),
    hosted(
        "Qwen (DashScope)",
        "DASHSCOPE_API_KEY",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "qwen-plus",
    ),
    hosted("OpenRouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", "openrouter/auto"),
    hosted("Mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1", "mistral-medium-latest"),
    hosted("Groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b"),
    hosted("Moonshot", "MOONSHOT_API_KEY", "https://api.moonshot.cn/v1", "kimi-latest"),
    hosted("Zhipu", "ZHIPUAI_API_KEY", "https://open.bigmodel.cn/api/paas/v4", "glm-4.6"),
    hosted("SiliconFlow", "SILICONFLOW_API_KEY", "https://api.siliconflow.cn/v1", "deepseek-ai/DeepSeek-V3"),
    hosted(
        "Together",
        "TOGETHER_API_KEY",
        "https://api.together.xyz/v1",
        "meta-llama/Llama-3.3-70B-Instruct-Turbo",
    ),
];

/// Where and how long to look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Ports of 127.0.0.1 to probe, at the same time.
    pub ports: Vec<u16>,
    /// Longest wait for each answer of a probed server.
    pub limit: Duration,
    /// Longest wait for the model list of the server that `OPENAI_BASE_URL` names.
    pub named_limit: Duration,
}

impl Default for Search {
    /// Ollama, LM Studio, vLLM and llama.cpp on their usual ports.
    fn default() -> Self {
        Self {
            ports: vec![11434, 1234, 8000, 8080],
            limit: Duration::from_millis(300),
            named_limit: Duration::from_secs(3),
        }
    }
}

/// How something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// By environment variables.
    Variables,
    /// By a probe of this port of 127.0.0.1.
    Port(u16),
}

/// A server that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Name for people.
    pub name: String,
    /// Address up to `/v1`.
    pub base_url: String,
    /// Variable that holds the key; `None`: no key is needed.
    pub key_var: Option<String>,
    /// The model to use; `None`: the server named none, `WAKEFUL_MODEL` must.
    pub model: Option<String>,
    /// All models it lists; empty when it was not asked.
    pub models: Vec<String>,
    /// Window of `model` in tokens, when the server tells.
    pub window: Option<u64>,
    /// How it was found.
    pub source: Source,
}

impl Found {
    /// Options to connect to it, with the key from `env`.
    #[must_use]
    pub fn options(&self, env: &Env) -> Options {
        let key = self.key_var.as_ref().and_then(|name| set(env, name));
        Options::new(&self.name, &self.base_url, key.map(Secret::new))
    }
}

/// Everything that can be found, best first: what variables name, then local servers.
///
/// A variable that is set means consent to use that service; only `OPENAI_BASE_URL`'s server is asked for its models.
pub async fn discover(env: &Env, search: &Search) -> Vec<Found> {
    let mut found = from_env(env);
    for named in &mut found {
        if named.model.is_none() {
            complete(named, env, search.named_limit).await;
        }
    }
    let taken: Vec<String> = found.iter().map(|f| f.base_url.clone()).collect();
    let wanted = set(env, "WAKEFUL_MODEL");
    let mut local = local(search, wanted).await;
    local.retain(|f| !taken.iter().any(|base| same_place(base, &f.base_url)));
    found.extend(local);
    found
}

/// What variables name. No network.
#[must_use]
pub fn from_env(env: &Env) -> Vec<Found> {
    let model = set(env, "WAKEFUL_MODEL").map(str::to_owned);
    let mut found = Vec::new();
    let base = set(env, "OPENAI_BASE_URL");
    if let Some(base) = base {
        found.push(Found {
            name: "OPENAI_BASE_URL".to_owned(),
            base_url: base.trim_end_matches('/').to_owned(),
            key_var: set(env, "OPENAI_API_KEY").map(|_| "OPENAI_API_KEY".to_owned()),
            model: model.clone(),
            models: Vec::new(),
            window: None,
            source: Source::Variables,
        });
    }
    for service in HOSTED {
        // That key belongs to the server that OPENAI_BASE_URL names.
        let elsewhere = service.key_var == "OPENAI_API_KEY" && base.is_some();
        if set(env, service.key_var).is_none() || elsewhere {
            continue;
        }
        // The named model belongs to the first server found; the others get their usual one.
        let model = model.clone().filter(|_| found.is_empty());
        found.push(Found {
            name: service.name.to_owned(),
            base_url: service.base_url.to_owned(),
            key_var: Some(service.key_var.to_owned()),
            model: Some(model.unwrap_or_else(|| service.model.to_owned())),
            models: Vec::new(),
            window: None,
            source: Source::Variables,
        });
    }
    found
}

/// Servers on this machine that list at least one model, in the order of the ports; `wanted` is preferred as model.
pub async fn local(search: &Search, wanted: Option<&str>) -> Vec<Found> {
    let probes = search.ports.iter().map(|port| probe(*port, search.limit, wanted));
    join_all(probes).await.into_iter().flatten().collect()
}

async fn probe(port: u16, limit: Duration, wanted: Option<&str>) -> Option<Found> {
    let base_url = format!("http://127.0.0.1:{port}/v1");
    let server = OpenAi::new(Options::new("probe", &base_url, None)).ok()?;
    let list = list_models(&server, limit).await.ok()?;
    let model = pick(&list, wanted)?;
    let window = match model.window {
        Some(window) => Some(window),
        None => props_window(&server, limit).await,
    };
    Some(Found {
        name: format!("{} on port {port}", maker(model.owner.as_deref(), port)),
        base_url,
        key_var: None,
        model: Some(model.id.clone()),
        models: list.iter().map(|m| m.id.clone()).collect(),
        window,
        source: Source::Port(port),
    })
}

async fn complete(found: &mut Found, env: &Env, limit: Duration) {
    let Ok(server) = OpenAi::new(found.options(env)) else {
        return;
    };
    let Ok(list) = list_models(&server, limit).await else {
        return;
    };
    if let Some(model) = pick(&list, None) {
        found.model = Some(model.id.clone());
        found.window = match model.window {
            Some(window) => Some(window),
            None => props_window(&server, limit).await,
        };
    }
    found.models = list.into_iter().map(|m| m.id).collect();
}

/// A model as a server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub id: String,
    /// Its window in tokens, when told.
    pub window: Option<u64>,
    /// Whom the server calls its owner; gives the server's make away.
    pub owner: Option<String>,
}

/// What a server says of its models.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The wanted model if it is listed, else the first that can chat.
    pub model: Option<String>,
    /// Window of that model in tokens, when the server tells.
    pub window: Option<u64>,
}

/// Asks a server for its models and for the window of one.
///
/// # Errors
/// A [`ModelError`] when the list cannot be had.
pub async fn look(server: &OpenAi, wanted: Option<&str>, limit: Duration) -> Result<Seen, ModelError> {
    let list = list_models(server, limit).await?;
    let Some(model) = pick(&list, wanted) else { return Ok(Seen::default()) };
    let window = match model.window {
        Some(window) => Some(window),
        None => props_window(server, limit).await,
    };
    Ok(Seen { model: Some(model.id.clone()), window })
}

/// The models of a server.
///
/// # Errors
/// A [`ModelError`] when the list cannot be had.
pub async fn list_models(server: &OpenAi, limit: Duration) -> Result<Vec<Listed>, ModelError> {
    let url = format!("{}/models", server.base());
    Ok(read_list(&server.get_json(&url, limit).await?))
}

fn read_list(answer: &Value) -> Vec<Listed> {
    const WINDOWS: [&str; 6] = [
        "/max_model_len",
        "/context_length",
        "/context_window",
        "/max_context_length",
        "/meta/n_ctx",
        "/loaded_context_length",
    ];
    let text = |entry: &Value, name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
    answer
        .get("data")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            Some(Listed {
                id: text(entry, "id").filter(|id| !id.is_empty())?,
                window: WINDOWS
                    .iter()
                    .find_map(|path| entry.pointer(path).and_then(number_of))
                    .filter(|window| *window > 0),
                owner: text(entry, "owned_by"),
            })
        })
        .collect()
}

/// The wanted model if it is listed, else the first that can chat.
fn pick<'a>(list: &'a [Listed], wanted: Option<&str>) -> Option<&'a Listed> {
    const OTHER: [&str; 9] =
        ["embed", "whisper", "tts", "rerank", "dall-e", "moderation", "bge-", "image", "transcribe"];
    let chats = |model: &&Listed| {
        let id = model.id.to_lowercase();
        !OTHER.iter().any(|word| id.contains(word))
    };
    list.iter().find(|model| Some(model.id.as_str()) == wanted).or_else(|| list.iter().find(chats))
}

/// llama.cpp tells the window it really runs with; its list tells only what the model was trained for.
async fn props_window(server: &OpenAi, limit: Duration) -> Option<u64> {
    let url = format!("{}/props", server.root());
    let props = server.get_json(&url, limit).await.ok()?;
    ["/default_generation_settings/n_ctx", "/n_ctx"]
        .iter()
        .find_map(|path| props.pointer(path).and_then(number_of))
        .filter(|window| *window > 0)
}

fn maker(owner: Option<&str>, port: u16) -> &'static str {
    match (owner, port) {
        (Some("llamacpp"), _) => "llama.cpp",
        (Some("vllm"), _) => "vLLM",
        (Some("library"), _) | (_, 11434) => "Ollama",
        (Some("organization_owner"), _) | (_, 1234) => "LM Studio",
        (_, _) => "server",
    }
}

fn set<'a>(env: &'a Env, name: &str) -> Option<&'a str> {
    env.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
}

fn same_place(a: &str, b: &str) -> bool {
    let plain = |url: &str| url.trim_end_matches('/').replace("//localhost:", "//127.0.0.1:");
    plain(a) == plain(b)
}
