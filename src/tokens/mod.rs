//! Counting tokens, exactly or marked as an estimate.
//!
//! Purpose: one face ([`Counter`]) for every way to count, and one place ([`counter_for`]) that knows which
//! model is counted how. Nothing here is cached: who asks for the same message twice keeps the count.
//!
//! Not to be assumed: that two counters agree, or that an estimate is an upper bound. Counts of different
//! [`Counter::id`]s must not be mixed.

mod estimate;
mod openai_bpe;

use std::sync::Arc;

pub use estimate::Estimate;
pub use openai_bpe::{Encoding, OpenAiBpe};

/// Counts the tokens of a text the way one model would, or as near as is known.
pub trait Counter: Send + Sync {
    /// Tokens in `text`, special tokens and message framing not included.
    fn count(&self, text: &str) -> u32;

    /// A stable name of the way of counting, stored beside every count.
    fn id(&self) -> &str;

    /// Whether the count is the model's own, and not an estimate.
    fn exact(&self) -> bool;
}

/// The counter of this id; the estimate for an id that is not known.
#[must_use]
pub fn counter_named(id: &str) -> Arc<dyn Counter> {
    match [Encoding::O200k, Encoding::Cl100k].map(OpenAiBpe::new).into_iter().find(|c| c.id() == id) {
        Some(counter) => Arc::new(counter),
        None => Arc::new(Estimate),
    }
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
