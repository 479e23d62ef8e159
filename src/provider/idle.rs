//! Time-outs of a stream. Pure: both clocks are given.
//!
//! The limits count waking time. A process that was stopped, or a machine that slept, was not listening: what came
//! meanwhile is read first, so after such a gap a short grace is given instead of calling the time spent. A
//! connection to another machine is likely dead after a sleep, so that grace is all it gets; a server on this
//! machine slept too and gets its full limit again.

use std::time::{Duration, Instant, SystemTime};

use super::error::ErrorKind;

/// How often the clocks are compared at least.
const TICK: Duration = Duration::from_secs(5);
/// Looking so much later than we meant to means that we did not run.
const LATE: Duration = Duration::from_secs(2);
/// What is left to a connection after a gap.
const GRACE: Duration = Duration::from_secs(10);

/// Limits of a request; `None`: off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOuts {
    /// For making the connection.
    pub connect: Option<Duration>,
    /// From sending the request to the first token.
    pub first_token: Option<Duration>,
    /// Between two pieces of the stream.
    pub between_tokens: Option<Duration>,
}

impl Default for TimeOuts {
    fn default() -> Self {
        Self {
            connect: Some(Duration::from_secs(10)),
            first_token: Some(Duration::from_secs(60)),
            between_tokens: Some(Duration::from_secs(60)),
        }
    }
}

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Look again then at the latest.
    WaitUntil(Instant),
    /// The limit has passed.
    TimedOut(ErrorKind),
}

/// Watches the time since the last sign of life.
#[derive(Debug, Clone)]
pub struct Idle {
    limits: TimeOuts,
    loopback: bool,
    first: bool,
    deadline: Option<Instant>,
    seen: (Instant, SystemTime),
    /// How long after that we meant to look again.
    due: Duration,
}

impl Idle {
    /// Starts when the request is sent. `loopback`: the server runs on this machine.
    #[must_use]
    pub fn start(limits: TimeOuts, loopback: bool, now: Instant, wall: SystemTime) -> Self {
        Self {
            limits,
            loopback,
            first: true,
            deadline: limits.first_token.and_then(|limit| now.checked_add(limit)),
            seen: (now, wall),
            due: TICK,
        }
    }

    /// A piece of the stream came; `token`: it held text, reasoning or a call.
    pub fn sign(&mut self, token: bool, now: Instant, wall: SystemTime) {
        self.seen = (now, wall);
        if token {
            self.first = false;
        }
        // Before the first token only a token ends the wait for it.
        if !self.first {
            self.deadline = self.limits.between_tokens.and_then(|limit| now.checked_add(limit));
        }
    }

    /// The finish reason came: what may follow (usage) gets a few seconds at most, also when limits are off.
    pub fn finished(&mut self, now: Instant) {
        let rest = self.limits.between_tokens.unwrap_or(TICK).min(TICK);
        self.deadline = now.checked_add(rest);
    }

    /// Judges the time that has passed.
    pub fn check(&mut self, now: Instant, wall: SystemTime) -> Verdict {
        let ran = now.saturating_duration_since(self.seen.0);
        let passed = wall.duration_since(self.seen.1).unwrap_or_default();
        self.seen = (now, wall);
        // A longer gap on either clock means that we were stopped or asleep.
        if ran.max(passed) > self.due + LATE && self.deadline.is_some() {
            let limit = self.limit().unwrap_or(GRACE);
            let grace = if self.loopback { limit } else { limit.min(GRACE) };
            self.deadline = now.checked_add(grace);
        }
        let until = match self.deadline {
            Some(deadline) if deadline <= now => return Verdict::TimedOut(self.kind()),
            Some(deadline) => deadline.min(now + TICK),
            None => now + TICK,
        };
        self.due = until.saturating_duration_since(now);
        Verdict::WaitUntil(until)
    }

    /// The limit in force.
    #[must_use]
    pub fn limit(&self) -> Option<Duration> {
        if self.first { self.limits.first_token } else { self.limits.between_tokens }
    }

    fn kind(&self) -> ErrorKind {
        if self.first { ErrorKind::TimeoutFirstToken } else { ErrorKind::TimeoutBetweenTokens }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A limit that is shorter than the time between two looks, slept through.
    #[test]
    fn a_short_sleep_over_a_short_limit_is_no_silence() {
        let start = (Instant::now(), SystemTime::now());
        let mut idle = Idle::start(limits(Some(3)), true, start.0, start.1);
        let at = |s: u64| (start.0 + Duration::from_secs(s), start.1 + Duration::from_secs(s));
        assert!(matches!(idle.check(start.0, start.1), Verdict::WaitUntil(_)));
        // Late by more than a busy machine is: what came meanwhile is read first.
        let verdict = idle.check(at(6).0, at(6).1);
        assert_eq!(verdict, Verdict::WaitUntil(at(9).0));
        assert_eq!(idle.check(at(9).0, at(9).1), Verdict::TimedOut(ErrorKind::TimeoutFirstToken));
        let mut idle = Idle::start(limits(Some(3)), true, start.0, start.1);
        idle.check(start.0, start.1);
        assert_eq!(idle.check(at(4).0, at(4).1), Verdict::TimedOut(ErrorKind::TimeoutFirstToken));
    }

    fn limits(seconds: Option<u64>) -> TimeOuts {
        let limit = seconds.map(Duration::from_secs);
        TimeOuts { connect: None, first_token: limit, between_tokens: limit }
    }

    /// Looks every second from `from` to `to` (both in seconds after the start); the verdict at the end.
    fn look(idle: &mut Idle, start: (Instant, SystemTime), from: u64, to: u64) -> Verdict {
        let mut last = Verdict::TimedOut(ErrorKind::Cancelled);
        for s in from..=to {
            let d = Duration::from_secs(s);
            last = idle.check(start.0 + d, start.1 + d);
            if matches!(last, Verdict::TimedOut(_)) {
                return last;
            }
        }
        last
    }

    #[test]
    fn the_limit_passes_in_waking_time_only() {
        let start = (Instant::now(), SystemTime::now());
        let mut idle = Idle::start(limits(Some(60)), false, start.0, start.1);
        assert!(matches!(look(&mut idle, start, 0, 59), Verdict::WaitUntil(_)));
        assert_eq!(look(&mut idle, start, 60, 60), Verdict::TimedOut(ErrorKind::TimeoutFirstToken));
    }

    #[test]
    fn off_is_off() {
        let start = (Instant::now(), SystemTime::now());
        let mut idle = Idle::start(limits(None), false, start.0, start.1);
        assert!(matches!(look(&mut idle, start, 0, 4000), Verdict::WaitUntil(_)));
    }

    #[test]
    fn after_a_stop_what_came_meanwhile_may_still_be_read() {
        let start = (Instant::now(), SystemTime::now());
        let mut idle = Idle::start(limits(Some(60)), false, start.0, start.1);
        look(&mut idle, start, 0, 10);
        // Stopped for 300 s on both clocks: not timed out at once, but 10 s later.
        assert!(matches!(look(&mut idle, start, 310, 319), Verdict::WaitUntil(_)));
        assert!(matches!(look(&mut idle, start, 320, 320), Verdict::TimedOut(_)));
    }

    #[test]
    fn after_a_sleep_a_far_connection_gets_little_time_and_a_near_one_its_limit() {
        for (loopback, lives) in [(false, 9), (true, 59)] {
            let start = (Instant::now(), SystemTime::now());
            let mut idle = Idle::start(limits(Some(60)), loopback, start.0, start.1);
            look(&mut idle, start, 0, 10);
            // The wall clock jumps an hour, the monotonic one a second.
            let woke = (start.0, start.1 + Duration::from_secs(3600));
            assert!(matches!(look(&mut idle, woke, 11, 11 + lives), Verdict::WaitUntil(_)));
            assert!(matches!(look(&mut idle, woke, 12 + lives, 12 + lives), Verdict::TimedOut(_)));
        }
    }

    #[test]
    fn only_a_token_ends_the_wait_for_the_first_one() {
        let start = (Instant::now(), SystemTime::now());
        let mut idle = Idle::start(limits(Some(60)), false, start.0, start.1);
        let at = |s| (start.0 + Duration::from_secs(s), start.1 + Duration::from_secs(s));
        idle.sign(false, at(5).0, at(5).1);
        assert!(matches!(look(&mut idle, start, 6, 60), Verdict::TimedOut(_)));
        let mut idle = Idle::start(limits(Some(60)), false, start.0, start.1);
        idle.sign(true, at(5).0, at(5).1);
        idle.sign(false, at(20).0, at(20).1);
        assert!(matches!(look(&mut idle, start, 21, 79), Verdict::WaitUntil(_)));
        assert_eq!(look(&mut idle, start, 80, 80), Verdict::TimedOut(ErrorKind::TimeoutBetweenTokens));
    }
}
