//! Vectors of texts from any OpenAI-compatible `/embeddings`.
//!
//! Purpose: texts in, one vector of length 1 for each out, or one error that says what to do. What comes back is believed
//! only after it was checked: as many vectors as texts, each place once, all of one length, numbers that are numbers,
//! none all zero. Floats and base64 are read.
//!
//! Must not be assumed: that a server keeps the order, that it takes every text (a batch that is refused is halved, a
//! text that is too long is cut), or that the model behind a name stays the same (see [`Embedder::id`]).

use std::time::Duration;

use serde_json::{Map, Value};

use super::classify::classify_object;
use super::error::{ErrorKind, ModelError};
use super::idle::TimeOuts;
use super::mask::Secret;
use super::openai::{OpenAi, Options};
use super::retry::RetryPolicy;
use super::wire::number_of;
use super::{BoxFuture, base64};

/// Most characters of a query that are sent: what a step is about stands in its first sentences.
const QUERY: usize = 2_000;
/// What is tried where that is too long for the model.
const SHORT_QUERY: usize = 500;
/// A text is not cut below so many characters.
const LEAST: usize = 64;
/// Texts that are refused one by one, with none taken, before the source itself is blamed.
const REFUSED: usize = 3;

/// How to reach a source of vectors.
#[derive(Debug, Clone)]
pub struct EmbedOptions {
    /// Address up to and including `/v1`, or whatever stands before `/embeddings`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// API key; `None`: no `Authorization` header is sent.
    pub key: Option<Secret>,
    /// Numbers in a vector, asked of the server; `None`: the model's own.
    pub dimensions: Option<u32>,
    /// What stands before a query.
    pub query_prefix: String,
    /// What stands before a text that is to be found.
    pub document_prefix: String,
    /// Most texts in a request.
    pub batch: usize,
    /// Longest wait for the vector of a query, in all.
    pub query_time_out: Duration,
    /// Longest wait for the answer to a batch.
    pub time_out: Duration,
    /// How patiently a batch is sent again. A query is never.
    pub retry: RetryPolicy,
}

/// A source of vectors. Cheap to share: it keeps its connections.
#[derive(Debug)]
pub struct Embedder {
    options: EmbedOptions,
    id: String,
    url: String,
    server: OpenAi,
}

/// What became of each text of a batch: its vector, or why the source does not take it.
pub type Made = Vec<Result<Vec<f32>, ModelError>>;

impl Embedder {
    /// Prepares the connection; sends nothing.
    ///
    /// # Errors
    /// As [`OpenAi::new`]: an address that is none, a key no header can carry.
    pub fn new(options: EmbedOptions) -> Result<Self, ModelError> {
        let mut to = Options::new("memory", &options.base_url, options.key.clone());
        to.time_outs = TimeOuts { connect: Some(options.time_out), ..TimeOuts::default() };
        let server = OpenAi::new(to)?;
        let url = format!("{}/embeddings", server.base());
        let mut id = options.model.clone();
        if let Some(dimensions) = options.dimensions {
            id.push_str(&format!(" dimensions={dimensions}"));
        }
        if !options.document_prefix.is_empty() {
            id.push_str(&format!(" prefix={:?}", options.document_prefix));
        }
        Ok(Self { options, id, url, server })
    }

    /// What tells vectors of this source from others: the model's name, and what its vectors of stored texts depend on.
    /// Not the address: the same model may be served elsewhere.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The model's name.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.options.model
    }

    /// The address that is shown: no user name, no password.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        self.server.endpoint()
    }

    /// Most texts in a request.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.options.batch.max(1)
    }

    /// The vector of a query, within the query's time-out and without any retry. Of a long one the beginning counts.
    ///
    /// # Errors
    /// A [`ModelError`] that names the source and the next step.
    pub async fn query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        let limit = self.options.query_time_out;
        let ask = async {
            match self.one(&begin(text, QUERY), limit).await {
                Err(error) if error.kind == ErrorKind::PromptTooLong => {
                    self.one(&begin(text, SHORT_QUERY), limit).await
                }
                other => other,
            }
        };
        tokio::time::timeout(limit, ask).await.unwrap_or_else(|_| {
            let why = format!("no answer within {} ms", limit.as_millis());
            Err(self.error(ErrorKind::TimeoutFirstToken, &why))
        })
    }

    async fn one(&self, text: &str, limit: Duration) -> Result<Vec<f32>, ModelError> {
        let texts = [format!("{}{text}", self.options.query_prefix)];
        let vectors = self.ask(&texts, limit).await?;
        vectors.into_iter().next().ok_or_else(|| self.error(ErrorKind::NotSse, "no vector came"))
    }

    /// The vectors of texts that are to be found, at most a batch of them, in their order. What fails for now is asked
    /// again; a text that the source does not take is told apart from the others.
    ///
    /// # Errors
    /// A [`ModelError`] when the source itself cannot be used now, or takes none of the first few texts.
    pub async fn documents(&self, texts: &[String]) -> Result<Made, ModelError> {
        let marked: Vec<String> =
            texts.iter().map(|text| format!("{}{text}", self.options.document_prefix)).collect();
        let mut made = Vec::with_capacity(marked.len());
        self.take(&marked, &mut made).await?;
        Ok(made)
    }

    /// Adds what becomes of these texts.
    fn take<'a>(&'a self, texts: &'a [String], made: &'a mut Made) -> BoxFuture<'a, Result<(), ModelError>> {
        Box::pin(async move {
            let error = match self.patiently(texts).await {
                Ok(vectors) => {
                    made.extend(vectors.into_iter().map(Ok));
                    return Ok(());
                }
                Err(error) => error,
            };
            let refused = matches!(error.kind, ErrorKind::PromptTooLong | ErrorKind::BadRequest);
            match texts {
                _ if !refused => Err(error),
                [text] => {
                    let length = text.chars().count();
                    let shorter: String = text.chars().take(length / 2).collect();
                    if error.kind == ErrorKind::PromptTooLong && length / 2 >= LEAST {
                        return self.take(&[shorter], made).await;
                    }
                    made.push(Err(error.clone()));
                    // It is not the texts then.
                    if made.len() >= REFUSED && made.iter().all(Result::is_err) { Err(error) } else { Ok(()) }
                }
                several => {
                    let (first, second) = several.split_at(several.len() / 2);
                    self.take(first, made).await?;
                    self.take(second, made).await
                }
            }
        })
    }

    async fn patiently(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut attempt = 1;
        loop {
            let error = match self.ask(texts, self.options.time_out).await {
                Ok(vectors) => return Ok(vectors),
                Err(error) => error,
            };
            let wait = self.options.retry.plan(attempt, &error, &mut rand::rng());
            tokio::time::sleep(wait.ok_or(error)?).await;
            attempt += 1;
        }
    }

    /// One request.
    async fn ask(&self, texts: &[String], limit: Duration) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut body = Map::new();
        body.insert("model".into(), self.options.model.clone().into());
        body.insert("input".into(), texts.into());
        if let Some(dimensions) = self.options.dimensions {
            body.insert("dimensions".into(), dimensions.into());
        }
        let answer = self.server.post_json(&self.url, &Value::Object(body), limit).await;
        let answer = answer.map_err(|error| self.worded(error))?;
        if let Some(object) = answer.get("error").filter(|error| !error.is_null()) {
            let key = self.options.key.as_ref();
            return Err(self.worded(classify_object(self.endpoint(), object, key)));
        }
        let wanted = self.options.dimensions.and_then(|n| usize::try_from(n).ok());
        vectors(&answer, texts.len(), wanted).map_err(|why| self.error(ErrorKind::NotSse, &why))
    }

    fn error(&self, kind: ErrorKind, detail: &str) -> ModelError {
        self.worded(ModelError::new(kind, self.endpoint(), detail))
    }

    /// The error in the words of embeddings: those of a chat would mislead.
    fn worded(&self, mut error: ModelError) -> ModelError {
        let detail = match ModelError::said(error.kind, &error.message) {
            (Some(status), "") => format!(" (HTTP {status})"),
            (Some(status), text) => format!(" (HTTP {status}: {text})"),
            (None, "") => String::new(),
            (None, text) => format!(" ({text})"),
        };
        let (words, advice) = words(error.kind);
        error.message = format!("{}: {words}{detail}. {advice}", self.endpoint());
        error
    }
}

fn words(kind: ErrorKind) -> (&'static str, &'static str) {
    match kind {
        ErrorKind::Connect => (kind.words(), "Check that the server runs and that memory.base_url is right."),
        ErrorKind::TimeoutFirstToken | ErrorKind::TimeoutBetweenTokens => (
            "no embeddings in time",
            "Raise memory.query_timeout (a step waits so long) or memory.timeout if it is always so slow.",
        ),
        ErrorKind::PromptTooLong => {
            ("the text is too long for the model", "Take an embedding model with a larger window.")
        }
        ErrorKind::Auth => (kind.words(), "Put a valid key into the variable that memory.key_env names."),
        ErrorKind::NotFound => (
            kind.words(),
            "Check memory.model and memory.base_url (usually ending in /v1): not every server has embeddings.",
        ),
        ErrorKind::BadRequest => (kind.words(), "Check memory.model and memory.dimensions."),
        ErrorKind::NotSse => (
            "the answer holds no usable embeddings",
            "Check memory.base_url, and that memory.model is a model for embeddings.",
        ),
        ErrorKind::CutStream => ("the answer was cut off", kind.advice()),
        ErrorKind::RateLimited
        | ErrorKind::Overloaded
        | ErrorKind::Loading
        | ErrorKind::BadModelJson
        | ErrorKind::Quota
        | ErrorKind::Protocol
        | ErrorKind::Cancelled => (kind.words(), kind.advice()),
    }
}

fn begin(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// The vectors of an answer in the order of the texts, each of length 1. The error says what is wrong with them.
fn vectors(answer: &Value, count: usize, wanted: Option<usize>) -> Result<Vec<Vec<f32>>, String> {
    let data = answer.get("data").and_then(Value::as_array).ok_or("it has no list `data`")?;
    if data.len() != count {
        return Err(format!("{} vectors came for {count} texts", data.len()));
    }
    let mut placed: Vec<Option<Vec<f32>>> = vec![None; count];
    for (at, item) in data.iter().enumerate() {
        // Some servers leave the index out, and then the order is that of the texts.
        let index = match item.get("index") {
            None | Some(Value::Null) => Some(at),
            Some(index) => number_of(index).and_then(|index| usize::try_from(index).ok()),
        };
        let place = index.and_then(|index| placed.get_mut(index)).ok_or("an index is none of the texts'")?;
        if place.is_some() {
            return Err("two vectors have the same index".to_owned());
        }
        let values = numbers(item.get("embedding").unwrap_or(&Value::Null))?;
        *place = Some(unit(values)?);
    }
    let vectors: Vec<Vec<f32>> = placed.into_iter().flatten().collect();
    let length = vectors.first().map_or(0, Vec::len);
    if vectors.iter().any(|vector| vector.len() != length) {
        return Err("the vectors are not of one length".to_owned());
    }
    match wanted {
        Some(wanted) if wanted != length => {
            Err(format!("{wanted} numbers were asked for, and {length} came: take memory.dimensions out"))
        }
        Some(_) | None => Ok(vectors),
    }
}

fn numbers(embedding: &Value) -> Result<Vec<f32>, String> {
    match embedding {
        Value::Array(items) => items
            .iter()
            // A number that is none in 32 bits becomes infinite, and is found there.
            .map(|item| item.as_f64().map(|number| number as f32))
            .collect::<Option<Vec<f32>>>()
            .ok_or_else(|| "a vector holds something that is no number".to_owned()),
        Value::String(text) => {
            let bytes = base64::decoded(text).ok_or("a vector is a text and no base64")?;
            let (fours, rest) = bytes.as_chunks::<4>();
            if !rest.is_empty() {
                return Err("a vector in base64 is cut off".to_owned());
            }
            Ok(fours.iter().map(|four| f32::from_le_bytes(*four)).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            Err("an item has no vector `embedding`".to_owned())
        }
    }
}

/// The vector of length 1 in this direction.
fn unit(values: Vec<f32>) -> Result<Vec<f32>, String> {
    if values.is_empty() {
        return Err("a vector is empty".to_owned());
    }
    if values.iter().any(|value| !value.is_finite()) {
        return Err("a vector holds a number that is not finite".to_owned());
    }
    let length = values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if length <= 0.0 {
        return Err("a vector is all zero".to_owned());
    }
    Ok(values.into_iter().map(|value| (f64::from(value) / length) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(data: Value) -> Result<Vec<Vec<f32>>, String> {
        vectors(&json!({"data": data}), 2, None)
    }

    #[test]
    fn vectors_come_in_the_order_of_their_index_and_have_length_one() {
        let data = json!([{"index": 1, "embedding": [0.0, 2]}, {"index": 0, "embedding": [3, 4.0]}]);
        assert_eq!(read(data).unwrap(), [vec![0.6, 0.8], vec![0.0, 1.0]]);
        let without = json!([{"embedding": [1]}, {"embedding": [-2]}]);
        assert_eq!(read(without).unwrap(), [vec![1.0], vec![-1.0]]);
        // 3.0 and 4.0 as four bytes each.
        let base64 =
            json!([{"index": 0, "embedding": "AABAQAAAgEA="}, {"index": "1", "embedding": "AABAQAAAgEA"}]);
        assert_eq!(read(base64).unwrap(), [vec![0.6, 0.8], vec![0.6, 0.8]]);
    }

    #[test]
    fn what_is_wrong_with_an_answer_is_said() {
        let one = json!({"embedding": [1.0, 0.0]});
        for (data, said) in [
            (json!([one]), "1 vectors came for 2 texts"),
            (json!([one, {"index": 0, "embedding": [1.0, 0.0]}]), "the same index"),
            (json!([one, {"index": 2, "embedding": [1.0, 0.0]}]), "none of the texts'"),
            (json!([one, {"embedding": [1.0]}]), "not of one length"),
            (json!([one, {"embedding": []}]), "empty"),
            (json!([one, {"embedding": [0.0, 0.0]}]), "all zero"),
            (json!([one, {"embedding": [1e300, 0.0]}]), "not finite"),
            (json!([one, {"embedding": [[1.0, 0.0]]}]), "no number"),
            (json!([one, {"embedding": ["1", null]}]), "no number"),
            (json!([one, {"embedding": "AABAQAAA"}]), "cut off"),
            (json!([one, {"embedding": "%%"}]), "no base64"),
            (json!([one, {}]), "no vector"),
            (json!("none"), "no list `data`"),
        ] {
            let why = read(data.clone()).unwrap_err();
            assert!(why.contains(said), "{data}: {why}");
        }
        let two = json!({"data": [one, one]});
        assert!(vectors(&two, 2, Some(3)).unwrap_err().contains("3 numbers were asked for, and 2 came"));
    }
}
