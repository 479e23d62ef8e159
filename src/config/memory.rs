//! What runs remember by themselves, and the source of vectors for memories: an OpenAI-compatible embeddings server, off
//! until the configuration names one.
//!
//! What every memory says is sent there, and what each step is about, so that only the person's own file can name it.
//! Some models want a text marked as a query or as a passage; the marks of well-known ones are told by their names.

use super::document::Value;
use super::key::{Guard, Key, duration, quoted, small, text, yes_no};
use super::keys_profile::variable;
use super::profile::check_url;
use super::settings::Config;
use super::units::format_duration;
use crate::run::settings::MAX_RESULTS;

/// How long a step waits for the vector of what it is about, milliseconds.
const QUERY_TIMEOUT_MS: u64 = 2_000;
/// How long a request for the vectors of memories may take, milliseconds.
const TIMEOUT_MS: u64 = 60_000;
/// Texts in a request.
const BATCH: u32 = 32;
/// Longest mark, characters.
const PREFIX: usize = 300;

/// `[memory]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryConfig {
    /// New runs remember what each phase came to.
    pub keep_results: bool,
    /// Most of them that are offered in a folder.
    pub max_results: u32,
    /// The server, up to and with `/v1`; none: memories are found by their words alone.
    pub base_url: Option<String>,
    /// The model's name there.
    pub model: Option<String>,
    /// The environment variable that holds the key; none: no key is sent.
    pub key_env: Option<String>,
    /// Numbers in a vector, asked of the server; none leaves it to the model.
    pub dimensions: Option<u32>,
    /// What stands before a query; none: what is usual for the model.
    pub query_prefix: Option<String>,
    /// What stands before a memory; none: what is usual for the model.
    pub document_prefix: Option<String>,
    /// How long a step waits for the vector of its query, milliseconds.
    pub query_timeout_ms: u64,
    /// How long a request for the vectors of memories may take, milliseconds.
    pub timeout_ms: u64,
    /// Most texts in a request.
    pub batch: u32,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            keep_results: true,
            max_results: MAX_RESULTS,
            base_url: None,
            model: None,
            key_env: None,
            dimensions: None,
            query_prefix: None,
            document_prefix: None,
            query_timeout_ms: QUERY_TIMEOUT_MS,
            timeout_ms: TIMEOUT_MS,
            batch: BATCH,
        }
    }
}

impl MemoryConfig {
    /// Server and model, if a source is named.
    pub fn source(&self) -> Option<(&str, &str)> {
        self.base_url.as_deref().zip(self.model.as_deref())
    }

    /// What stands before a query.
    pub fn query_prefix(&self) -> &str {
        let usual = || usual(self.model.as_deref().unwrap_or_default()).0;
        self.query_prefix.as_deref().unwrap_or_else(usual)
    }

    /// What stands before a memory.
    pub fn document_prefix(&self) -> &str {
        let usual = || usual(self.model.as_deref().unwrap_or_default()).1;
        self.document_prefix.as_deref().unwrap_or_else(usual)
    }
}

/// The instruction that the models trained with one are given for a search, as their authors write it.
const INSTRUCTED: &str =
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";
const SEARCHED: &str = "Represent this sentence for searching relevant passages: ";

/// The marks of queries and passages that a model was trained with, as its authors give them; none for one that is not
/// known by its name.
fn usual(model: &str) -> (&'static str, &'static str) {
    let name = model.to_lowercase();
    let parts: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let has = |part: &str| parts.contains(&part);
    match () {
        // multilingual-e5-large-instruct, e5-mistral-7b-instruct: queries alone are marked.
        () if has("e5") && has("instruct") => (INSTRUCTED, ""),
        () if has("e5") => ("query: ", "passage: "),
        () if has("qwen3") && has("embedding") => (INSTRUCTED, ""),
        () if has("nomic") => ("search_query: ", "search_document: "),
        () if has("embeddinggemma") => ("task: search result | query: ", "title: none | text: "),
        () if has("mxbai") || (has("bge") && has("en")) => (SEARCHED, ""),
        () => ("", ""),
    }
}

fn prefix(value: &Value) -> Result<String, String> {
    match value {
        Value::Text(text) if text.chars().count() <= PREFIX => Ok(text.clone()),
        _ => Err(format!("takes a text of at most {PREFIX} characters, which may be empty")),
    }
}

fn server(value: &Value) -> Result<String, String> {
    let Value::Text(url) = value else { return Err("takes a URL as a text".to_owned()) };
    let url = check_url(url)?;
    match url.strip_suffix("/embeddings") {
        Some(before) => Err(format!("takes the part before /embeddings: \"{before}\"")),
        None => Ok(url),
    }
}

/// `[memory]`.
pub static MEMORY: &[Key<Config>] = &[
    Key {
        name: "memory.keep_results",
        doc: "True: what a run came to is remembered for its folder when it is completed, and with each part of its plan \
              that the agent reaches. Runs keep what was set when they began.",
        example: "",
        set: |c, v| yes_no(v).map(|yes| c.memory.keep_results = yes),
        show: |c| Some(c.memory.keep_results.to_string()),
        guard: Guard::Stricter("only turn it off", |a, b| a.memory.keep_results || !b.memory.keep_results),
    },
    Key {
        name: "memory.max_results",
        doc: "Most results that are kept for a folder. Those that were neither made nor offered to a run for longest are \
              withdrawn, not deleted; what you pinned or changed stays besides. Runs keep what was set when they began.",
        example: "",
        set: |c, v| small(v, 1, 100_000).map(|n| c.memory.max_results = n),
        show: |c| Some(c.memory.max_results.to_string()),
        guard: Guard::Stricter("only lower it", |a, b| b.memory.max_results <= a.memory.max_results),
    },
    Key {
        name: "memory.base_url",
        doc: "A server with OpenAI's /embeddings, up to and with /v1, that makes memories findable by their meaning. Not \
              set: they are found by their words alone. Each memory, and what each step is about, is sent there.",
        example: "\"http://127.0.0.1:8080/v1\"",
        set: |c, v| server(v).map(|url| c.memory.base_url = Some(url)),
        show: |c| c.memory.base_url.as_deref().map(quoted),
        guard: Guard::User,
    },
    Key {
        name: "memory.model",
        doc: "The embedding model's name at that server. With another one `wakeful memory index` makes the vectors anew.",
        example: "\"multilingual-e5-small\"",
        set: |c, v| text(v).map(|name| c.memory.model = Some(name)),
        show: |c| c.memory.model.as_deref().map(quoted),
        guard: Guard::User,
    },
    Key {
        name: "memory.key_env",
        doc: "Name of the environment variable that holds the key; not set: no key is sent. Keys never stand in files.",
        example: "\"OPENAI_API_KEY\"",
        set: |c, v| variable(v).map(|name| c.memory.key_env = Some(name)),
        show: |c| c.memory.key_env.as_deref().map(quoted),
        guard: Guard::User,
    },
    Key {
        name: "memory.dimensions",
        doc: "Numbers in a vector, for models that make shorter ones when asked; not set: the model's own.",
        example: "512",
        set: |c, v| small(v, 1, 16_384).map(|n| c.memory.dimensions = Some(n)),
        show: |c| c.memory.dimensions.map(|n| n.to_string()),
        guard: Guard::User,
    },
    Key {
        name: "memory.query_prefix",
        doc: "What stands before a query. Not set: as the model's name says (E5: \"query: \"; Nomic, Qwen3, BGE, mxbai and \
              EmbeddingGemma as their authors write it), else nothing.",
        example: "\"query: \"",
        set: |c, v| prefix(v).map(|text| c.memory.query_prefix = Some(text)),
        show: |c| c.memory.model.as_ref().map(|_| quoted(c.memory.query_prefix())),
        guard: Guard::User,
    },
    Key {
        name: "memory.document_prefix",
        doc: "What stands before a memory. Not set: as the model's name says (E5: \"passage: \"), else nothing.",
        example: "\"passage: \"",
        set: |c, v| prefix(v).map(|text| c.memory.document_prefix = Some(text)),
        show: |c| c.memory.model.as_ref().map(|_| quoted(c.memory.document_prefix())),
        guard: Guard::User,
    },
    Key {
        name: "memory.query_timeout",
        doc: "How long a step waits for the vector of what it is about; after that words alone count. Memories themselves \
              are sent in the background, and no step waits for that.",
        example: "",
        set: |c, v| duration(v).map(|ms| c.memory.query_timeout_ms = ms),
        show: |c| Some(quoted(&format_duration(c.memory.query_timeout_ms))),
        guard: Guard::User,
    },
    Key {
        name: "memory.timeout",
        doc: "Time-out of a request for the vectors of memories.",
        example: "",
        set: |c, v| duration(v).map(|ms| c.memory.timeout_ms = ms),
        show: |c| Some(quoted(&format_duration(c.memory.timeout_ms))),
        guard: Guard::User,
    },
    Key {
        name: "memory.batch",
        doc: "Most memories in a request.",
        example: "",
        set: |c, v| small(v, 1, 2_048).map(|n| c.memory.batch = n),
        show: |c| Some(c.memory.batch.to_string()),
        guard: Guard::User,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marks_of_well_known_models_go_by_their_names() {
        for (model, query, document) in [
            ("intfloat/multilingual-e5-small", "query: ", "passage: "),
            ("multilingual-e5-small-q4", "query: ", "passage: "),
            ("E5_large", "query: ", "passage: "),
            ("multilingual-e5-large-instruct", INSTRUCTED, ""),
            ("Qwen/Qwen3-Embedding-0.6B", INSTRUCTED, ""),
            ("nomic-embed-text:v1.5", "search_query: ", "search_document: "),
            ("BAAI/bge-small-en-v1.5", SEARCHED, ""),
            ("bge-m3", "", ""),
            ("text-embedding-3-small", "", ""),
            ("re5earch", "", ""),
        ] {
            let named = MemoryConfig { model: Some(model.to_owned()), ..MemoryConfig::default() };
            assert_eq!((named.query_prefix(), named.document_prefix()), (query, document), "{model}");
        }
        let own = MemoryConfig {
            model: Some("e5".to_owned()),
            query_prefix: Some(String::new()),
            ..MemoryConfig::default()
        };
        assert_eq!((own.query_prefix(), own.document_prefix()), ("", "passage: "), "empty is a word too");
    }
}
