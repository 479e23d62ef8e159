//! Counting tokens, exactly or marked as an estimate.
//!
//! Purpose: one face ([`Counter`]) for every way to count, and one place ([`counter_for`]) that knows which
//! model is counted how. Only [`Cached`] remembers: who asks for the same text twice counts through it.
//!
//! Not to be assumed: that two counters agree, or that an estimate is an upper bound. Counts of different
//! [`Counter::id`]s must not be mixed.

mod aside;
mod cached;
mod estimate;
mod openai_bpe;
mod tokenizer_json;

use crate::run::settings::ModelSettings;
use aside::Aside;
use std::path::Path;
use std::sync::Arc;

pub use cached::{Cached, SHORT};
pub use estimate::{Estimate, Tally};
pub use openai_bpe::{Encoding, OpenAiBpe};
pub use tokenizer_json::{TokenizerError, TokenizerJson, UNBROKEN};

/// Counts the tokens of a text the way one model would, or as near as is known.
pub trait Counter: Send + Sync {
    /// Tokens in `text`, special tokens and message framing not included.
    fn count(&self, text: &str) -> u32;

    /// A stable name of the way of counting, stored beside every count.
    fn id(&self) -> &str;

    /// Whether the count is the model's own, and not an estimate.
    fn exact(&self) -> bool;
}

/// The counter that a run's settings name; the estimate for one that is not known. Cheap: tables and files are read at the
/// first count. A long text keeps no thread of the runtime from its other work.
#[must_use]
pub fn counter_of(model: &ModelSettings) -> Arc<dyn Counter> {
    if let Some(counter) = by_file(model) {
        return Arc::new(Aside(counter));
    }
    match [Encoding::O200k, Encoding::Cl100k]
        .map(OpenAiBpe::new)
        .into_iter()
        .find(|c| c.id() == model.tokenizer)
    {
        Some(counter) => Arc::new(Aside(counter)),
        None => Arc::new(Estimate),
    }
}

/// Why the settings' own counter cannot be had here and now, so that [`counter_of`] only estimates; none if it can. Reads
/// the `tokenizer.json`, if it is one.
#[must_use]
pub fn missing(model: &ModelSettings) -> Option<TokenizerError> {
    by_file(model)?.ready().err()
}

fn by_file(model: &ModelSettings) -> Option<TokenizerJson> {
    let named = model.tokenizer.starts_with(tokenizer_json::PREFIX);
    let file = model.tokenizer_file.as_deref().unwrap_or(Path::new("tokenizer.json"));
    named.then(|| TokenizerJson::named(&model.tokenizer, file))
}

/// The best counter known for a model name.
///
/// OpenAI names (also behind a router's prefix such as `openai/gpt-4o`, or `ft:`) count exactly; every other name
/// gets an [`Estimate`], which says of itself that it is one. Cheap: tables are loaded at the first count.
#[must_use]
pub fn counter_for(model_name: &str) -> Arc<dyn Counter> {
    match Encoding::of_model(model_name) {
        Some(encoding) => Arc::new(OpenAiBpe::new(encoding)),
        None => Arc::new(Estimate),
    }
}
