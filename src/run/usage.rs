//! Tokens and money.

use super::settings::Price;
use serde::{Deserialize, Serialize};

/// Tokens of one model call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All prompt tokens, cached ones included.
    pub prompt: u64,
    /// Completion tokens, reasoning included.
    pub completion: u64,
    /// Prompt tokens that the server had in its cache.
    pub cached: u64,
    /// True if the figures are our estimate and not the server's.
    pub estimated: bool,
}

impl Usage {
    /// What counts against the run's token limit: uncached prompt and completion.
    pub fn charged(&self) -> u64 {
        self.prompt.saturating_sub(self.cached).saturating_add(self.completion)
    }

    /// Cost in millionths of the price's currency, rounded up.
    pub fn cost_micro(&self, price: &Price) -> u64 {
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        let sum = part(self.prompt.saturating_sub(self.cached), price.prompt)
            + part(self.cached.min(self.prompt), price.cached)
            + part(self.completion, price.completion);
        u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

/// Running totals of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// All prompt tokens.
    pub prompt: u64,
    /// All completion tokens.
    pub completion: u64,
    /// Prompt tokens that came from a server's cache.
    pub cached: u64,
    /// What counts against the token limit.
    pub charged: u64,
    /// Cost, millionths; counts only calls with a known price.
    pub cost_micro: u64,
    /// Active time, milliseconds.
    pub active_ms: u64,
    /// Model calls begun.
    pub model_calls: u64,
    /// Tool calls started.
    pub tool_calls: u32,
    /// Steps committed, on all timelines.
    pub steps: u32,
}

impl Totals {
    /// Adds one model call.
    pub fn add(&mut self, usage: &Usage, price: Option<&Price>) {
        self.prompt = self.prompt.saturating_add(usage.prompt);
        self.completion = self.completion.saturating_add(usage.completion);
        self.cached = self.cached.saturating_add(usage.cached);
        self.charged = self.charged.saturating_add(usage.charged());
        self.cost_micro = self.cost_micro.saturating_add(price.map_or(0, |p| usage.cost_micro(p)));
    }
}
