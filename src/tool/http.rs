//! `http_get`: one page or document, as text.
//!
//! Purpose: GET and nothing else, bounded in time and size. A redirect to another host is not followed but told: which
//! hosts may be asked is decided before this runs, for the host in the arguments alone.
//!
//! Not to be assumed: that a private address is refused here. Approval sees the whole URL and decides.

use std::time::Duration;

use encoding_rs::{Encoding, UTF_8};
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode, Url};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::neutral::{neutralise, prefix};
use super::{Cut, Output, ToolError, ToolResult};

/// Bytes of a failed answer that are shown.
const EXCERPT: usize = 500;

/// What to get.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpArgs {
    /// An `http` or `https` address.
    pub url: String,
}

/// Bounds of a request.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// For the whole request.
    pub timeout: Duration,
    /// For connecting.
    pub connect_timeout: Duration,
    /// Of the body, in bytes after decompression.
    pub max_bytes: usize,
    /// Redirects within the host.
    pub max_redirects: usize,
    /// Whether the environment's proxy settings count.
    pub use_proxy: bool,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            max_bytes: 1024 * 1024,
            max_redirects: 5,
            use_proxy: true,
        }
    }
}

/// Gets the document.
///
/// # Errors
/// `invalid_arguments` (no http address), `redirected` (to another host, with the target), `too_many_redirects`,
/// `http_status` (not 2xx), `binary_content`, `timeout`, `connect`, `network`.
pub async fn http_get(args: &HttpArgs, settings: &HttpSettings) -> ToolResult {
    let url = address(&args.url)?;
    let response = client(settings)?.get(url.clone()).send().await.map_err(|error| failed(&url, &error))?;
    let status = response.status();
    if status.is_redirection() && response.headers().contains_key(LOCATION) {
        return Err(redirected(&response));
    }
    let last = response.url().clone();
    let kind = content_type(response.headers());
    let announced = response.content_length();
    let (bytes, more) = body(response, settings.max_bytes, &url).await?;
    if !status.is_success() {
        return Err(bad_status(&last, status, &kind, &bytes));
    }
    if !is_text(&kind) || (kind.is_empty() && bytes.contains(&0)) {
        return Err(ToolError::new(
            "binary_content",
            format!("{last} is {kind:?}, not text, and was not read."),
            "Get a text version, or download it with a shell command.",
        ));
    }
    let mut text = decode(&kind, &bytes);
    if more {
        text.push_str(&format!("\n[cut: the first {} bytes are shown, the document is longer]", bytes.len()));
    }
    let total = announced.unwrap_or(0).max(bytes.len() as u64);
    Ok(Output {
        text,
        truncated: more.then_some(Cut { total_bytes: total }),
        meta: json!({
            "url": last.as_str(), "status": status.as_u16(), "content_type": kind, "bytes": bytes.len(), "complete": !more,
        }),
        raw: None,
    })
}

/// The host that an address names, if it names one.
pub fn host_of(text: &str) -> Option<String> {
    Url::parse(text.trim()).ok().and_then(|url| url.host_str().map(str::to_owned))
}

/// The address as it is asked for: host in small letters, no usual port, no user name; none if it is no address.
pub fn plain_address(text: &str) -> Option<String> {
    let mut url = Url::parse(text.trim()).ok()?;
    // Those that cannot have a user name have none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(url.into())
}

/// The address, if it is one that may be asked at all.
fn address(text: &str) -> Result<Url, ToolError> {
    let advice = "Give a whole address that begins with https:// or http://.";
    let url = Url::parse(text.trim())
        .map_err(|error| ToolError::arguments(format!("{text:?} is no address: {error}."), advice))?;
    if !matches!(url.scheme(), "http" | "https") {
        let message = format!("addresses of the kind {:?} are not fetched.", url.scheme());
        return Err(ToolError::arguments(message, format!("{advice} Use read_file for files.")));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ToolError::arguments("an address with a user name or password is not fetched.", advice));
    }
    Ok(url)
}

fn client(settings: &HttpSettings) -> Result<reqwest::Client, ToolError> {
    let most = settings.max_redirects;
    let policy = Policy::custom(move |attempt| {
        let same = attempt.previous().last().is_some_and(|before| same_host(before, attempt.url()));
        if same && attempt.previous().len() <= most {
            attempt.follow()
        } else {
            // The answer itself comes back, and is told as an error with its target.
            attempt.stop()
        }
    });
    let mut builder = reqwest::Client::builder()
        .redirect(policy)
        .referer(false)
        .timeout(settings.timeout)
        .connect_timeout(settings.connect_timeout)
        .user_agent(concat!("wakeful/", env!("CARGO_PKG_VERSION")));
    if !settings.use_proxy {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| {
        ToolError::new("network", format!("no request can be made here: {error}."), "Tell the person.")
    })
}

/// Same host and port; from `http` to `https` on the usual ports counts as the same, the other way round does not.
fn same_host(from: &Url, to: &Url) -> bool {
    let upgrade =
        from.scheme() == "http" && to.scheme() == "https" && from.port().is_none() && to.port().is_none();
    let same_port =
        from.scheme() == to.scheme() && from.port_or_known_default() == to.port_or_known_default();
    from.host_str() == to.host_str() && (upgrade || same_port)
}

fn redirected(response: &Response) -> ToolError {
    let location = response.headers().get(LOCATION).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let location = location.unwrap_or_default();
    let target = response.url().join(&location).map_or_else(|_| location.into_owned(), String::from);
    let target = neutralise(&target).into_owned();
    let from = response.url();
    match Url::parse(&target) {
        Ok(url) if same_host(from, &url) => ToolError::new(
            "too_many_redirects",
            format!("{from} redirects again and again, last to {target}."),
            "Try another address.",
        ),
        Ok(_) | Err(_) => ToolError::new(
            "redirected",
            format!("{from} redirects to another place, which was not followed: {target}"),
            "If that is what you want, call http_get with that address.",
        ),
    }
}

async fn body(mut response: Response, max: usize, url: &Url) -> Result<(Vec<u8>, bool), ToolError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failed(url, &error))? {
        let room = max - bytes.len();
        bytes.extend_from_slice(chunk.split_at(room.min(chunk.len())).0);
        if chunk.len() > room {
            return Ok((bytes, true));
        }
    }
    Ok((bytes, false))
}

fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let value = value.unwrap_or_default().trim().to_ascii_lowercase();
    neutralise(prefix(&value, 200)).into_owned()
}

/// Whether a content type is text; none at all may be, the bytes decide.
fn is_text(kind: &str) -> bool {
    let bare = kind.split(';').next().unwrap_or(kind).trim();
    bare.is_empty()
        || bare.starts_with("text/")
        || bare.ends_with("+json")
        || bare.ends_with("+xml")
        || matches!(
            bare.strip_prefix("application/").unwrap_or_default(),
            "json"
                | "ld+json"
                | "x-ndjson"
                | "jsonl"
                | "xml"
                | "javascript"
                | "x-javascript"
                | "ecmascript"
                | "yaml"
                | "x-yaml"
                | "toml"
                | "graphql"
                | "sql"
                | "x-sh"
        )
}

/// Decodes by the charset that was named, or by a byte order mark, or as UTF-8; neutral.
fn decode(kind: &str, bytes: &[u8]) -> String {
    let named = kind.split(';').find_map(|part| part.trim().strip_prefix("charset="));
    let encoding =
        named.and_then(|label| Encoding::for_label(label.trim_matches('"').as_bytes())).unwrap_or(UTF_8);
    let (text, _, _) = encoding.decode(bytes);
    neutralise(&text).into_owned()
}

fn bad_status(url: &Url, status: StatusCode, kind: &str, bytes: &[u8]) -> ToolError {
    let text = if is_text(kind) { decode(kind, bytes) } else { String::new() };
    let excerpt = prefix(text.trim(), EXCERPT);
    let said = if excerpt.is_empty() { String::new() } else { format!(" It said: {excerpt}") };
    let advice = match status.as_u16() {
        401 | 403 => "It is not public; use another source, or ask the person.",
        404 | 410 => "Check the address, or search for the page.",
        429 | 503 => "Wait before asking this host again.",
        _ => "Try another address, or later.",
    };
    ToolError::new("http_status", format!("{url} answered {status}.{said}"), advice)
}

fn failed(url: &Url, error: &reqwest::Error) -> ToolError {
    let mut why = String::new();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        why = inner.to_string();
        cause = inner.source();
    }
    let why = neutralise(&why);
    if error.is_timeout() {
        ToolError::new(
            "timeout",
            format!("{url} did not answer in time."),
            "Try again later, or another address.",
        )
    } else if error.is_connect() {
        ToolError::new(
            "connect",
            format!("{url} cannot be reached: {why}."),
            "Check the host name, or try another one.",
        )
    } else {
        ToolError::new(
            "network",
            format!("{url} could not be read: {why}."),
            "Try again, or another address.",
        )
    }
}
