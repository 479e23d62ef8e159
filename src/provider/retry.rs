//! When to send a failed request again. Pure: no clock, and the randomness is the caller's.

use std::time::Duration;

use rand::Rng;

use super::error::{ErrorKind, ModelError};

/// Attempts while a server loads its model; with the waits between them some two minutes.
const LOADING_TRIES: u32 = 40;
/// Wait between two of them.
const LOADING_WAIT: Duration = Duration::from_secs(3);

/// Wait of a run at work before it asks a server again that it could not reach.
const RESTART: Duration = Duration::from_secs(5);

/// How often and how patiently to retry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryPolicy {
    /// Retries after the first attempt.
    pub retries: u32,
    /// Wait before the first retry; doubled for each further one.
    pub base: Duration,
    /// Longest backoff (a server's `Retry-After` may be longer).
    pub cap: Duration,
    /// Wait before the first retry where no connection came about, four times as long before each further one: a server
    /// that is started anew needs some seconds. None: as for every other failure.
    pub restart: Option<Duration>,
    /// Share of the wait that is added at random, at most (0.5: up to half as long again).
    pub jitter: f64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 2,
            base: Duration::from_secs(1),
            cap: Duration::from_secs(60),
            restart: None,
            jitter: 0.5,
        }
    }
}

impl RetryPolicy {
    /// The policy of a run at work: its server may be started anew meanwhile, so that a missing connection is given
    /// 5 s, then 20 s, with two retries.
    pub fn at_work(retries: u32) -> Self {
        Self { retries, restart: Some(RESTART), ..Self::default() }
    }

    /// Most attempts, the first one included, while a server fails in this way.
    pub fn most(&self, kind: ErrorKind) -> u32 {
        let retries =
            if kind == ErrorKind::Loading && self.retries > 0 { LOADING_TRIES } else { self.retries };
        retries.saturating_add(1)
    }

    /// How long to wait before the next attempt, after `attempt` attempts failed (1 = the first one did); `None`
    /// when there should be no further one.
    ///
    /// A server that still loads its model is asked again every few seconds, for some two minutes.
    /// `Retry-After` is honoured whatever its length, and the wait is never shorter than the backoff. Jitter only
    /// lengthens a wait, so that nobody comes too early.
    pub fn plan(&self, attempt: u32, error: &ModelError, rng: &mut impl Rng) -> Option<Duration> {
        if error.kind == ErrorKind::Loading && self.retries > 0 {
            // A server that has just been started has a patience of its own.
            return (attempt <= LOADING_TRIES).then(|| error.retry_after.unwrap_or(LOADING_WAIT));
        }
        if !error.retryable() || attempt == 0 || attempt > self.retries {
            return None;
        }
        let (base, factor) = match self.restart.filter(|_| error.kind == ErrorKind::Connect) {
            Some(restart) => (restart, 4u32),
            None => (self.base, 2),
        };
        let grown = factor.saturating_pow(attempt.saturating_sub(1));
        let backoff = base.saturating_mul(grown).min(self.cap);
        let share = self.jitter.clamp(0.0, 1.0) * rng.random::<f64>();
        let spread = backoff.mul_f64(share);
        let wait = match error.retry_after {
            Some(asked) => asked.max(backoff),
            None => backoff,
        };
        Some(wait.saturating_add(spread))
    }
}

/// [`RetryPolicy::plan`] of the default policy: two retries, 1 s and 2 s and up to half as much again.
pub fn plan(attempt: u32, error: &ModelError, rng: &mut impl Rng) -> Option<Duration> {
    RetryPolicy::default().plan(attempt, error, rng)
}
