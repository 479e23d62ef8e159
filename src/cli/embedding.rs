//! The source of vectors that the configuration names, and what becomes of its vectors on the command line:
//! `memory index`, and the vector of a search.

use super::app::{App, Failure};
use super::exit::Exit;
use super::layout;
use super::line::masks;
use super::memory::args::IndexArgs;
use super::print::talk;
use super::words::many;
use crate::config::Config;
use crate::provider::mask::Secret;
use crate::provider::retry::RetryPolicy;
use crate::provider::{EmbedOptions, Embedder};
use crate::store::{Store, Vector};
use crate::worker::WorkError;
use crate::worker::vectors::{Batches, IndexError, Indexed, index};
use serde_json::json;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// A text whose vector says whether the source works, and how long its vectors are.
const PROBE: &str = "a short sentence";
/// Time between two lines of progress.
const EACH: Duration = Duration::from_secs(2);

/// The configured source, or words that say what it lacks; none if none is configured.
pub fn source(app: &App, config: &Config) -> Option<Result<Embedder, String>> {
    let memory = &config.memory;
    let (base_url, model) = memory.source()?;
    let key = match &memory.key_env {
        None => None,
        Some(name) => match app.env.get(name).filter(|key| !key.trim().is_empty()) {
            Some(key) => Some(Secret::new(key)),
            None => {
                return Some(Err(format!(
                    "the source of vectors takes its key from {name}, which is not set. Set it, or take [memory] out of \
                     {}",
                    app.paths.config.display()
                )));
            }
        },
    };
    let options = EmbedOptions {
        base_url: base_url.to_owned(),
        model: model.to_owned(),
        key,
        dimensions: memory.dimensions,
        query_prefix: memory.query_prefix().to_owned(),
        document_prefix: memory.document_prefix().to_owned(),
        batch: usize::try_from(memory.batch).unwrap_or(1),
        query_time_out: Duration::from_millis(memory.query_timeout_ms),
        time_out: Duration::from_millis(memory.timeout_ms),
        retry: RetryPolicy::default(),
    };
    Some(Embedder::new(options).map_err(|error| error.to_string()))
}

/// The vector of what a person searches, if a source is configured; told why not if it does not answer.
pub async fn of_search(
    app: &App,
    config: &Config,
    store: &Store,
    text: &str,
) -> Result<Option<Vector>, Failure> {
    let Some(source) = source(app, config) else { return Ok(None) };
    if !store.remembers().await? {
        return Ok(None);
    }
    let asked = match &source {
        Ok(source) => {
            source.query(&masks(app, config).remembered(text)).await.map_err(|error| error.to_string())
        }
        Err(why) => Err(why.clone()),
    };
    match (asked, source) {
        (Ok(values), Ok(source)) => {
            let count = store.count_vectors(source.id(), Some(values.len())).await?;
            if count.without > 0 {
                talk(&format!(
                    "{} of {} have no vector yet and are found by their words alone: `wakeful memory index` makes them",
                    count.without,
                    many(count.memories, "memory")
                ));
            }
            Ok(Some(Vector { model: source.id().to_owned(), values }))
        }
        (Err(why), _) | (_, Err(why)) => {
            talk(&format!("! found by words alone: {why}"));
            Ok(None)
        }
    }
}

/// What the doctor finds: the words, or what is wrong.
///
/// # Errors
/// Words for the person, and what to do.
pub async fn examined(
    source: Result<Embedder, String>,
    store: Option<&Store>,
) -> Result<(String, u64), String> {
    let source = source?;
    let values = source.query(PROBE).await.map_err(|error| error.to_string())?;
    let mut words = format!("{} at {}: {} numbers a vector", source.model(), source.endpoint(), values.len());
    let count = match store {
        Some(store) => store.count_vectors(source.id(), Some(values.len())).await.unwrap_or_default(),
        None => return Ok((words, 0)),
    };
    if count.memories > 0 {
        words.push_str(&format!(
            "; {} of {} have one",
            count.memories - count.without,
            many(count.memories, "memory")
        ));
    }
    Ok((words, count.without))
}

/// `wakeful memory index`.
///
/// # Errors
/// Without a source, if it does not answer, or the store's. What was made until then is kept.
pub async fn run(app: &App, store: &Store, args: IndexArgs) -> Result<Exit, Failure> {
    let config = app.config(&app.cwd)?;
    let Some(source) = source(app, &config) else {
        return Err(Failure::usage(format!(
            "no source of vectors is configured: set base_url and model in a [memory] section of {}; `wakeful config \
             schema` shows how. Without one memories are found by their words",
            app.paths.config.display()
        )));
    };
    let source = source.map_err(Failure::usage)?;
    // Its length says which of the stored ones another model made.
    let numbers = source.query(PROBE).await.map_err(|error| Failure::usage(error.to_string()))?.len();
    if args.anew {
        store.drop_vectors().await?;
    }
    let before = store.count_vectors(source.id(), Some(numbers)).await?;
    let mut told = Instant::now();
    let mut progress = |made: &Indexed| {
        if told.elapsed() >= EACH {
            told = Instant::now();
            talk(&format!("{} of {} made", made.made, before.without));
        }
    };
    if before.without > 0 {
        let (model, endpoint) = (source.model(), source.endpoint());
        talk(&format!("making {} with {model} at {endpoint}", many(before.without, "vector")));
    }
    let masks = masks(app, &config);
    let how = Batches { numbers: Some(numbers), most: source.batch(), skipped: &HashSet::new() };
    let made = index(store, &source, &masks, how, &mut progress).await.map_err(|error| {
        let kept = "What was made until then is kept; `wakeful memory index` goes on from there";
        match error {
            IndexError::Source(error) => Failure::usage(format!("{error} {kept}")),
            IndexError::Work(error @ WorkError::Store(_)) => error.into(),
            IndexError::Work(error) => Failure::internal(error.to_string()),
        }
    })?;
    let after = store.count_vectors(source.id(), made.numbers).await?;
    for (id, why) in &made.refused {
        talk(&format!("! memory {id} gets none: {why}"));
    }
    if args.json {
        let refused =
            made.refused.iter().map(|(id, why)| json!({ "id": id, "why": why })).collect::<Vec<_>>();
        return layout::json(&json!({
            "model": source.model(), "dimensions": made.numbers, "memories": after.memories, "made": made.made,
            "already": before.memories - before.without, "without": after.without, "refused": refused,
        }))
        .map(|()| Exit::Completed);
    }
    talk(&match (before.memories, made.made) {
        (0, _) => "nothing is remembered yet: there is nothing to make vectors of".to_owned(),
        (all, 0) if after.without == 0 => format!("each of {} has its vector", many(all, "memory")),
        (all, some) => format!("{some} made; {} of {} have one", all - after.without, many(all, "memory")),
    });
    Ok(Exit::Completed)
}
