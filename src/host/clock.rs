//! The three clocks of this machine, and noticing sleep and set clocks.
//!
//! - *wall*: what people read; may be set forward and back at any time. Only for display and for
//!   waiting until a date.
//! - *monotonic*: stands still while the machine sleeps; the measure of all durations, and on one
//!   boot comparable between processes.
//! - *boot*: monotonic that goes on during sleep; the difference of the two is time asleep.

use rustix::time::{ClockId, Timespec, clock_gettime};
use std::time::Duration;

/// One reading of all three clocks, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Milliseconds since 1970-01-01 UTC by the wall clock.
    pub wall_ms: i64,
    /// Milliseconds by `CLOCK_MONOTONIC` (not counting sleep), since some point of this boot.
    pub monotonic_ms: i64,
    /// Milliseconds by `CLOCK_BOOTTIME` (counting sleep), since the same point.
    pub boot_ms: i64,
}

/// What happened to time between two readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    /// Time awake: what counts as duration.
    pub awake: Duration,
    /// Time the machine slept.
    pub asleep: Duration,
    /// How far the wall clock was set, in milliseconds: positive when set forward.
    pub set_ms: i64,
}

fn millis(time: Timespec) -> i64 {
    time.tv_sec.saturating_mul(1000).saturating_add(time.tv_nsec / 1_000_000)
}

/// Milliseconds since 1970-01-01 UTC by the wall clock.
pub fn wall_ms() -> i64 {
    millis(clock_gettime(ClockId::Realtime))
}

/// Milliseconds of `CLOCK_MONOTONIC`; comparable between processes of one boot.
pub fn monotonic_ms() -> i64 {
    millis(clock_gettime(ClockId::Monotonic))
}

/// Reads all three clocks.
pub fn read() -> Reading {
    Reading {
        wall_ms: wall_ms(),
        monotonic_ms: monotonic_ms(),
        boot_ms: millis(clock_gettime(ClockId::Boottime)),
    }
}

/// Compares two readings of one boot. Differences under 50 ms are the cost of reading, not sleep.
pub fn between(earlier: Reading, later: Reading) -> Passed {
    const NOISE_MS: i64 = 50;
    let quiet = |ms: i64| if ms.abs() < NOISE_MS { 0 } else { ms };
    let awake = later.monotonic_ms - earlier.monotonic_ms;
    let boot = later.boot_ms - earlier.boot_ms;
    let wall = later.wall_ms - earlier.wall_ms;
    let duration = |ms: i64| Duration::from_millis(u64::try_from(ms).unwrap_or(0));
    Passed { awake: duration(awake), asleep: duration(quiet(boot - awake)), set_ms: quiet(wall - boot) }
}

/// Remembers the last reading and tells at each tick what happened since.
#[derive(Debug, Clone)]
pub struct Watch {
    last: Reading,
}

impl Watch {
    /// Starts watching from now.
    pub fn start() -> Self {
        Self { last: read() }
    }

    /// What passed since the last tick (or the start).
    pub fn tick(&mut self) -> Passed {
        let now = read();
        let passed = between(self.last, now);
        self.last = now;
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(wall_ms: i64, monotonic_ms: i64, boot_ms: i64) -> Reading {
        Reading { wall_ms, monotonic_ms, boot_ms }
    }

    #[test]
    fn sleep_and_set_clocks_are_told_apart() {
        let start = at(1_000_000, 500, 700);
        let slept = between(start, at(1_000_000 + 3_600_100, 600, 700 + 3_600_100));
        assert_eq!(slept.awake, Duration::from_millis(100));
        assert_eq!(slept.asleep, Duration::from_secs(3600));
        assert_eq!(slept.set_ms, 0);
        let set = between(start, at(1_000_000 - 7_200_000 + 100, 600, 800));
        assert_eq!((set.asleep, set.set_ms), (Duration::ZERO, -7_200_000));
        assert_eq!(between(start, start).awake, Duration::ZERO);
    }

    #[test]
    fn the_machine_s_clocks_run_forward() {
        let mut watch = Watch::start();
        let passed = watch.tick();
        assert_eq!(passed.asleep, Duration::ZERO);
        assert!(passed.awake < Duration::from_secs(5));
    }
}
