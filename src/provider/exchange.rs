//! The transport's service: one request, one answer, turned into a clean event stream or an error of ours.
//!
//! It stands between async-openai and reqwest, because async-openai's own errors lose status and headers, and a 200
//! that is no event stream would pass as an empty reply.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use futures::{Stream, StreamExt};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};

use super::classify::{Answer, classify};
use super::error::{ErrorKind, ModelError};
use super::mask::{Secret, excerpt, mask, mask_url};
use super::sse::{Decoder, Kind, MAX_ERROR, MAX_REPLY, as_event, kind_of};

/// What the service saw of an answer, for the reading side.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// `[DONE]` or the end of a whole JSON body has passed.
    pub done: AtomicBool,
    /// The reply was larger than is read.
    pub too_large: AtomicBool,
    notes: Mutex<Notes>,
}

#[derive(Debug, Default)]
struct Notes {
    request_id: Option<String>,
    broken: Option<String>,
}

impl Seen {
    fn note(&self, write: impl FnOnce(&mut Notes)) {
        write(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub fn request_id(&self) -> Option<String> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.request_id.clone()
    }

    pub fn broken(&self) -> Option<String> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.broken.clone()
    }
}

/// Sends one request and turns its answer into a clean event stream or an error.
pub(super) struct Exchange {
    pub http: reqwest::Client,
    pub shown: String,
    pub key: Option<Secret>,
    pub seen: Arc<Seen>,
}

impl Exchange {
    pub async fn send(&self, factory: HttpRequestFactory) -> Result<reqwest::Response, OpenAIError> {
        let mut request = factory.build().await?;
        let headers = request.headers_mut();
        match headers.get_mut(AUTHORIZATION) {
            Some(_) if self.key.is_none() => {
                headers.remove(AUTHORIZATION);
            }
            Some(value) => value.set_sensitive(true),
            None => {}
        }
        let answer = self.http.execute(request).await.map_err(|e| self.fail(self.transport(&e)))?;
        let id = request_id(answer.headers());
        self.seen.note(|notes| notes.request_id = id);
        let status = answer.status();
        if !status.is_success() {
            let headers = answer.headers().clone();
            let body = read_some(answer, Vec::new(), MAX_ERROR).await;
            let error = refusal(status.as_u16(), &headers, &body, &self.shown, self.key.as_ref());
            return Err(self.fail(error));
        }
        self.accept(answer).await
    }

    /// A 200: events pass, a JSON body becomes one event, all else is an error.
    async fn accept(&self, mut answer: reqwest::Response) -> Result<reqwest::Response, OpenAIError> {
        let declared = answer
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|v| v.to_str().ok())
            .is_some_and(|v| v.starts_with("text/event-stream"));
        let mut head = Vec::new();
        let mut kind = Kind::Unknown;
        while kind == Kind::Unknown {
            match answer.chunk().await {
                Ok(Some(bytes)) => head.extend_from_slice(&bytes),
                Ok(None) => break,
                Err(error) => return Err(self.fail(self.transport(&error))),
            }
            kind = kind_of(&String::from_utf8_lossy(&head), declared);
        }
        match kind {
            Kind::Events => self.respond(reqwest::Body::wrap_stream(self.clean(head, answer))),
            Kind::Json => {
                let body = read_some(answer, head, MAX_REPLY).await;
                self.seen.done.store(true, Ordering::Relaxed);
                self.respond(reqwest::Body::from(as_event(&body)))
            }
            Kind::Unknown if head.is_empty() => {
                let why = "the answer is empty";
                Err(self.fail(ModelError::new(ErrorKind::CutStream, &self.shown, why)))
            }
            Kind::Other | Kind::Unknown => {
                let body = read_some(answer, head, MAX_ERROR).await;
                let why = excerpt(&body, self.key.as_ref());
                let why: String = why.lines().next().unwrap_or_default().chars().take(80).collect();
                let mut error = ModelError::new(ErrorKind::NotSse, &self.shown, &why);
                error.status = Some(200);
                error.body_excerpt = excerpt(&body, self.key.as_ref());
                Err(self.fail(error))
            }
        }
    }

    /// The rest of the body as clean text.
    fn clean(
        &self,
        head: Vec<u8>,
        answer: reqwest::Response,
    ) -> impl Stream<Item = Result<String, std::io::Error>> + Send + use<> {
        let seen = Arc::clone(&self.seen);
        let key = self.key.clone();
        let first = futures::stream::once(async move { Ok(head) });
        let rest = answer.bytes_stream().map(|piece| piece.map(|bytes| bytes.to_vec()));
        let pieces = Box::pin(first.chain(rest));
        futures::stream::unfold(Some((pieces, Decoder::default())), move |state| {
            let seen = Arc::clone(&seen);
            let key = key.clone();
            async move {
                let (mut pieces, mut decoder) = state?;
                match pieces.next().await {
                    Some(Ok(bytes)) => match decoder.push(&bytes, &seen.done) {
                        Ok(text) => Some((Ok(text), Some((pieces, decoder)))),
                        Err(error) => {
                            seen.too_large.store(true, Ordering::Relaxed);
                            Some((Err(std::io::Error::other(error)), None))
                        }
                    },
                    Some(Err(error)) => {
                        let words = mask(&chain(&error.without_url()), key.as_ref());
                        seen.note(|notes| notes.broken = Some(words));
                        // The end, as far as the parser is concerned: what came before still counts.
                        Some((Ok(decoder.end(&seen.done)), None))
                    }
                    None => Some((Ok(decoder.end(&seen.done)), None)),
                }
            }
        })
    }

    fn respond(&self, body: reqwest::Body) -> Result<reqwest::Response, OpenAIError> {
        let response = http::Response::builder()
            .header(CONTENT_TYPE, "text/event-stream")
            .body(body)
            .map_err(|e| self.fail(ModelError::new(ErrorKind::Protocol, &self.shown, &e.to_string())))?;
        Ok(response.into())
    }

    fn transport(&self, error: &reqwest::Error) -> ModelError {
        transport(error, &self.shown, self.key.as_ref())
    }

    fn fail(&self, error: ModelError) -> OpenAIError {
        OpenAIError::Boxed(Box::new(error))
    }
}

/// The body as text, at most `most` bytes of it; a body that breaks off is as long as it came.
pub(super) async fn read_some(mut answer: reqwest::Response, mut read: Vec<u8>, most: usize) -> String {
    while read.len() < most {
        match answer.chunk().await {
            Ok(Some(bytes)) => read.extend_from_slice(&bytes),
            Ok(None) | Err(_) => break,
        }
    }
    read.truncate(most);
    String::from_utf8_lossy(&read).into_owned()
}

pub(super) fn refusal(
    status: u16,
    headers: &HeaderMap,
    body: &str,
    shown: &str,
    key: Option<&Secret>,
) -> ModelError {
    let header = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
    let id = request_id(headers);
    let moved = header("location").map(|to| format!("it points to {}", mask_url(to)));
    let body = match &moved {
        Some(moved) if (300..400).contains(&status) => moved,
        Some(_) | None => body,
    };
    let answer = Answer {
        status,
        retry_after: header("retry-after"),
        retry_after_ms: header("retry-after-ms"),
        date: header("date"),
        request_id: id.as_deref(),
        body,
    };
    classify(shown, answer, key, SystemTime::now())
}

pub(super) fn transport(error: &reqwest::Error, shown: &str, key: Option<&Secret>) -> ModelError {
    let kind = if error.is_connect() || error.is_timeout() {
        ErrorKind::Connect
    } else if error.is_builder() {
        ErrorKind::BadRequest
    } else {
        ErrorKind::CutStream
    };
    let words = if error.is_connect() && error.is_timeout() {
        "no connection within the limit".to_owned()
    } else {
        mask(&chain(error), key)
    };
    ModelError::new(kind, shown, &words)
}

/// An error with its causes, without the address that reqwest appends.
pub(super) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut words = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        let text = text.split(" for url (").next().unwrap_or_default().to_owned();
        if words.last() != Some(&text) {
            words.push(text);
        }
        next = error.source();
    }
    words.join(": ")
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    ["x-request-id", "request-id", "x-amzn-requestid", "cf-ray"]
        .iter()
        .find_map(|name| headers.get(*name)?.to_str().ok())
        .map(|id| id.chars().filter(|c| c.is_ascii_graphic()).take(128).collect())
}
