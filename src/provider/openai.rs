//! Any OpenAI-compatible chat-completions server, over async-openai's transport.
//!
//! One HTTP request a call, no retries. async-openai builds the request and parses the event stream; the service
//! below it is ours, because its own errors lose status and headers, and a 200 that is no event stream would pass as
//! an empty reply. Loopback servers are reached without any proxy; for all others the usual proxy variables count.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use futures::StreamExt;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Map, Value, json};

use super::cancel::Cancel;
use super::classify::classify_object;
use super::error::{ErrorKind, ModelError};
use super::exchange::{Exchange, Seen, chain, read_some, refusal, transport};
use super::idle::{Idle, TimeOuts};
use super::mask::{Secret, excerpt, mask, mask_url};
use super::reading::Reading;
use super::sse::MAX_REPLY;
use super::stream::{Assembler, End};
use super::types::{ChatRequest, Progress, ProviderInfo, Reply};
use super::wire::Chunk;
use super::{BoxFuture, Provider};

/// How to reach a server, with its quirks.
#[derive(Debug, Clone)]
pub struct Options {
    /// Name for people.
    pub name: String,
    /// Address up to and including `/v1`, or whatever stands before `/chat/completions`.
    pub base_url: String,
    /// API key; `None`: no `Authorization` header is sent.
    pub key: Option<Secret>,
    /// Limits, each of which may be off.
    pub time_outs: TimeOuts,
    /// Send `stream_options.include_usage`; off for servers that refuse it.
    pub include_usage: bool,
    /// Send the reply's limit as `max_completion_tokens` instead of `max_tokens`.
    pub max_completion_tokens: bool,
}

impl Options {
    /// A server with the usual behaviour.
    #[must_use]
    pub fn new(name: &str, base_url: &str, key: Option<Secret>) -> Self {
        Self {
            name: name.to_owned(),
            base_url: base_url.to_owned(),
            key,
            time_outs: TimeOuts::default(),
            include_usage: true,
            max_completion_tokens: false,
        }
    }
}

/// An OpenAI-compatible server. Cheap to share: it keeps its connections.
#[derive(Debug)]
pub struct OpenAi {
    options: Options,
    base: String,
    shown: String,
    loopback: bool,
    http: reqwest::Client,
}

impl OpenAi {
    /// Prepares the connection; sends nothing.
    ///
    /// # Errors
    /// [`ErrorKind::BadRequest`] for an address that is none, [`ErrorKind::Auth`] for a key no header can carry.
    pub fn new(options: Options) -> Result<Self, ModelError> {
        let base = options.base_url.trim().trim_end_matches('/').to_owned();
        let shown = mask_url(&base);
        let bad = |why: &str| ModelError::new(ErrorKind::BadRequest, &shown, why);
        let url =
            reqwest::Url::parse(&base).map_err(|e| bad(&format!("the base URL is not an address: {e}")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(bad("the base URL must begin with http:// or https:// and name a host"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            let why = "the base URL must not hold a user name or password; put the key into the profile's key variable";
            return Err(bad(why));
        }
        if let Some(key) = &options.key
            && HeaderValue::from_str(&format!("Bearer {}", key.expose())).is_err()
        {
            let why = "the key holds characters that no header can carry";
            return Err(ModelError::new(ErrorKind::Auth, &shown, why));
        }
        let loopback = is_loopback(&url);
        // A dead connection (a sleep, a lost network) is noticed by the kernel within about a minute.
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("wakeful/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .pool_idle_timeout(Duration::from_secs(30))
            .tcp_keepalive(Duration::from_secs(15))
            .tcp_keepalive_interval(Duration::from_secs(10))
            .tcp_keepalive_retries(3);
        if let Some(limit) = options.time_outs.connect {
            builder = builder.connect_timeout(limit);
        }
        if loopback {
            builder = builder.no_proxy();
        }
        let http =
            builder.build().map_err(|e| bad(&format!("the HTTP client cannot be set up: {}", chain(&e))))?;
        Ok(Self { options, base, shown, loopback, http })
    }

    /// The address that is shown: no user name, no password.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.shown
    }

    /// The server's address without a trailing `/v1`: where its own, non-OpenAI endpoints are.
    #[must_use]
    pub fn root(&self) -> &str {
        self.base.strip_suffix("/v1").unwrap_or(&self.base)
    }

    /// The base address, as requests use it.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The JSON at `url` (of this server), within `limit`.
    ///
    /// # Errors
    /// A [`ModelError`] when there is no connection, no answer in time, an error status or no JSON.
    pub async fn get_json(&self, url: &str, limit: Duration) -> Result<Value, ModelError> {
        self.json(self.http.get(url), limit).await
    }

    /// The JSON that `url` (of this server) answers to a JSON body, within `limit`.
    ///
    /// # Errors
    /// As [`OpenAi::get_json`].
    pub(super) async fn post_json(
        &self,
        url: &str,
        body: &Value,
        limit: Duration,
    ) -> Result<Value, ModelError> {
        self.json(self.http.post(url).json(body), limit).await
    }

    async fn json(&self, request: reqwest::RequestBuilder, limit: Duration) -> Result<Value, ModelError> {
        let request = match &self.options.key {
            Some(key) => request.bearer_auth(key.expose()),
            None => request,
        };
        let read = async {
            let answer = request.send().await.map_err(|e| self.transport(&e))?;
            let status = answer.status();
            let headers = answer.headers().clone();
            let body = read_some(answer, Vec::new(), MAX_REPLY).await;
            if !status.is_success() {
                return Err(self.refusal(status.as_u16(), &headers, &body));
            }
            serde_json::from_str(&body).map_err(|_| {
                let mut error = ModelError::new(ErrorKind::NotSse, &self.shown, "no JSON came");
                error.body_excerpt = excerpt(&body, self.options.key.as_ref());
                error
            })
        };
        tokio::time::timeout(limit, read).await.unwrap_or_else(|_| {
            let why = format!("no answer within {} ms", limit.as_millis());
            Err(ModelError::new(ErrorKind::TimeoutFirstToken, &self.shown, &why))
        })
    }

    fn body(&self, request: ChatRequest) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), request.model.into());
        body.insert("messages".into(), request.messages.into());
        if !request.tools.is_empty() {
            body.insert("tools".into(), request.tools.into());
        }
        if let Some(format) = request.response_format {
            body.insert("response_format".into(), format);
        }
        if let Some(limit) = request.max_tokens {
            let name =
                if self.options.max_completion_tokens { "max_completion_tokens" } else { "max_tokens" };
            body.insert(name.into(), limit.into());
        }
        if let Some(temperature) = request.temperature {
            body.insert("temperature".into(), json!(temperature));
        }
        body.insert("stream".into(), true.into());
        if self.options.include_usage {
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
        body.extend(request.extra);
        Value::Object(body)
    }

    /// A client whose one service sends one request and reports what it saw in `seen`.
    fn client(&self, seen: &Arc<Seen>) -> Client<OpenAIConfig> {
        let key = self.options.key.as_ref().map_or("", Secret::expose);
        let config = OpenAIConfig::new()
            .with_api_base(self.base.clone())
            .with_api_key(key)
            // Its defaults come from the environment and are meant for one server only.
            .with_org_id("")
            .with_project_id("");
        let exchange = Arc::new(Exchange {
            http: self.http.clone(),
            shown: self.shown.clone(),
            key: self.options.key.clone(),
            seen: Arc::clone(seen),
        });
        let service = tower::service_fn(move |factory: HttpRequestFactory| {
            let exchange = Arc::clone(&exchange);
            async move { exchange.send(factory).await }
        });
        Client::build(self.http.clone(), config).with_http_service(service)
    }

    fn transport(&self, error: &reqwest::Error) -> ModelError {
        transport(error, &self.shown, self.options.key.as_ref())
    }

    fn refusal(&self, status: u16, headers: &HeaderMap, body: &str) -> ModelError {
        refusal(status, headers, body, &self.shown, self.options.key.as_ref())
    }

    async fn run(
        &self,
        request: ChatRequest,
        progress: Progress,
        cancel: Cancel,
    ) -> Result<Reply, ModelError> {
        let sent = Instant::now();
        let seen = Arc::new(Seen::default());
        let mut reading = Reading {
            shown: &self.shown,
            cancel: &cancel,
            idle: Idle::start(self.options.time_outs, self.loopback, sent, SystemTime::now()),
            assembler: Assembler::new(),
            cut: None,
            first_token: None,
        };
        let asked = request.max_tokens.and_then(|n| usize::try_from(n).ok());
        let client = self.client(&seen);
        let chat = client.chat();
        let opening = chat.create_stream_byot::<Value, Chunk>(self.body(request));
        let mut stream = match reading.wait(opening).await? {
            Ok(stream) => stream,
            Err(error) => return Err(self.opening_error(error)),
        };
        let timed_out = loop {
            let next = match reading.wait(stream.next()).await {
                Ok(next) => next,
                // After the finish reason only usage is missing.
                Err(error) if reading.assembler.finished() && error.kind != ErrorKind::Cancelled => {
                    break Some(error.message);
                }
                Err(error) => return Err(self.with_id(error, &seen)),
            };
            match next {
                None => break None,
                Some(item) => reading.take(item, &progress).map_err(|error| self.with_id(error, &seen))?,
            }
            // Dropping the stream closes the connection, which is what stops such a server.
            if let Some(asked) = asked.filter(|n| reading.assembler.bytes() > far_beyond(*n)) {
                reading.assembler.cut(asked.saturating_mul(4).max(1024));
                break None;
            }
        };
        if let Some(object) = reading.assembler.error() {
            let error = classify_object(&self.shown, object, self.options.key.as_ref());
            return Err(self.with_id(error, &seen));
        }
        if seen.too_large.load(Ordering::Relaxed) && !reading.assembler.finished() {
            let why = format!("the reply is larger than {} MiB", MAX_REPLY >> 20);
            return Err(ModelError::new(ErrorKind::Protocol, &self.shown, &why));
        }
        let end = End {
            done: seen.done.load(Ordering::Relaxed),
            broken: seen.broken().or(reading.cut).or(timed_out),
        };
        let mut reply =
            reading.assembler.finish(&end, &self.shown).map_err(|error| self.with_id(error, &seen))?;
        reply.request_id = seen.request_id();
        reply.total_ms = millis(sent.elapsed());
        reply.first_token_ms =
            reading.first_token.map_or(reply.total_ms, |at| millis(at.saturating_duration_since(sent)));
        Ok(reply)
    }

    fn with_id(&self, mut error: ModelError, seen: &Seen) -> ModelError {
        error.request_id = error.request_id.or_else(|| seen.request_id());
        error
    }

    fn opening_error(&self, error: OpenAIError) -> ModelError {
        match error {
            OpenAIError::Boxed(inner) => match inner.downcast::<ModelError>() {
                Ok(ours) => *ours,
                Err(other) => ModelError::new(ErrorKind::Protocol, &self.shown, &other.to_string()),
            },
            OpenAIError::Reqwest(inner) => self.transport(&inner),
            other => {
                let words = mask(&other.to_string(), self.options.key.as_ref());
                ModelError::new(ErrorKind::BadRequest, &self.shown, &words)
            }
        }
    }
}

impl Provider for OpenAi {
    fn chat<'a>(
        &'a self,
        request: ChatRequest,
        progress: Progress,
        cancel: Cancel,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(self.run(request, progress, cancel))
    }

    fn describe(&self) -> ProviderInfo {
        ProviderInfo { name: self.options.name.clone(), base_url: self.shown.clone(), offline: false }
    }

    /// llama.cpp's `/tokenize`, exact for its model.
    fn tokenize<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<Option<u64>, ModelError>> {
        Box::pin(async move {
            let url = format!("{}/tokenize", self.root());
            let request = self.http.post(url).json(&json!({"content": text}));
            let limit = self.options.time_outs.first_token.unwrap_or(Duration::from_secs(60));
            match self.json(request, limit).await {
                Ok(answer) => Ok(answer
                    .get("tokens")
                    .and_then(Value::as_array)
                    .and_then(|tokens| u64::try_from(tokens.len()).ok())),
                // It has no such endpoint.
                Err(error) if error.status.is_some() => Ok(None),
                Err(error) => Err(error),
            }
        })
    }
}

/// Bytes that no reply of so many tokens has: the longest usual tokens are far below 16 bytes on average.
fn far_beyond(tokens: usize) -> usize {
    tokens.saturating_mul(16).saturating_add(64 << 10)
}

fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
