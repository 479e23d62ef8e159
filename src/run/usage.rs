//! Tokens and money.

use super::settings::Price;
use serde::{Deserialize, Serialize};

/// Tokens that a server may count beyond four times ours before its figure is not believed: templates have their own.
const SLACK: u64 = 1_024;

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

    /// The figures of a server as far as they can be true of a request and reply that we count as this: what cannot be is
    /// our own count instead, marked as an estimate; more cached tokens than the prompt has are none. Too small a prompt stays, since a server may have cut it.
    #[must_use]
    pub fn believed(self, prompt: u32, completion: u32, window: u32) -> Usage {
        let (ours, most) = (u64::from(prompt), 4 * u64::from(prompt) + SLACK);
        let wrong_prompt = self.prompt > most;
        // Thoughts that were not shown count too, and no window holds more than it does.
        let wrong_reply = self.completion > (4 * u64::from(window)).max(4 * u64::from(completion) + SLACK);
        // Cached tokens are not charged: a figure that cannot be would make the whole prompt free.
        let wrong_cache = wrong_prompt || self.cached > self.prompt;
        Usage {
            prompt: if wrong_prompt { ours } else { self.prompt },
            completion: if wrong_reply { u64::from(completion) } else { self.completion },
            cached: if wrong_cache { 0 } else { self.cached },
            estimated: self.estimated || wrong_cache || wrong_reply,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(prompt: u64, completion: u64, cached: u64) -> Usage {
        Usage { prompt, completion, cached, estimated: false }
    }

    #[test]
    fn what_cannot_be_is_our_own_count() {
        let believed = |usage: Usage| usage.believed(1_000, 50, 8_192);
        let ours = |prompt, completion, cached| Usage { estimated: true, ..of(prompt, completion, cached) };
        // Another tokenizer, a template, hidden thoughts, a server that cut the prompt: all of it can be.
        for usage in [of(2_500, 50, 2_000), of(5_024, 32_768, 0), of(1, 1, 0)] {
            assert_eq!(believed(usage), usage);
        }
        assert_eq!(believed(of(5_025, 50, 5_000)), ours(1_000, 50, 0));
        assert_eq!(believed(of(1_100, u64::MAX, 100)), ours(1_100, 50, 100));
        assert_eq!(believed(of(u64::MAX, u64::MAX, u64::MAX)), ours(1_000, 50, 0));
        assert_eq!(believed(of(900, 50, 900)), of(900, 50, 900));
        assert_eq!(believed(of(900, 50, 901)), ours(900, 50, 0), "no more can be cached than there is");
        assert_eq!(believed(of(900, 50, u64::MAX)).charged(), 950, "and nothing is free by it");
    }
}
