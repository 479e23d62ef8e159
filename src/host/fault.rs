//! Named fault points: places where a test build can be told to die or to pause.
//!
//! The variable `WAKEFUL_FAULT` chooses: `name` or `name:N` aborts the process at the N-th pass of
//! that point; `name:N@FILE` counts the passes of all processes together, by a byte each in FILE, and
//! aborts the one that makes the N-th; several of these may stand with commas. With a `!` before it
//! (`!name:N`) the thread panics there instead. `random:SEED:KILL:PAUSE` aborts with KILL and pauses (up to 20 ms) with PAUSE
//! chances in a thousand at every point. Release builds contain none of it.

/// The points of this floor, in the order in which a call passes them.
pub const ALL: &[&str] = &[
    "spool.written",
    "spool.renamed",
    "drive.looked",
    "drive.spawned",
    "drive.closed",
    "drive.stopped",
    "sup.started",
    "sup.locked",
    "sup.begun",
    "sup.life",
    "sup.synced",
    "sup.spawned",
    "sup.exited",
    "sup.reaped",
    "sup.written",
    "sup.recorded",
    "sup.left",
    "spool.trashed",
];

/// Dies or pauses here if `WAKEFUL_FAULT` says so (debug builds only).
#[cfg(debug_assertions)]
pub fn fault(name: &str) {
    armed::pass(name);
}

/// Does nothing: this is a release build.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn fault(_name: &str) {}

#[cfg(debug_assertions)]
mod armed {
    use std::io::{Seek, Write};
    use std::path::PathBuf;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    enum Plan {
        At(Vec<Point>),
        Random { state: AtomicU64, kill: u64, pause: u64 },
    }

    struct Point {
        name: String,
        passes: AtomicU64,
        nth: u64,
        panics: bool,
        shared: Option<PathBuf>,
    }

    impl Point {
        fn parse(text: &str) -> Self {
            let (text, panics) = text.strip_prefix('!').map_or((text, false), |rest| (rest, true));
            let (text, shared) = match text.split_once('@') {
                Some((text, file)) => (text, Some(PathBuf::from(file))),
                None => (text, None),
            };
            let (name, nth) = text.split_once(':').unwrap_or((text, "1"));
            Self {
                name: name.to_owned(),
                passes: AtomicU64::new(0),
                nth: nth.parse().unwrap_or(1),
                panics,
                shared,
            }
        }

        /// Which pass this is, from 1.
        fn pass(&self) -> u64 {
            let Some(file) = &self.shared else {
                return self.passes.fetch_add(1, Ordering::Relaxed) + 1;
            };
            // Behind a write in append mode the position is the end of what this process wrote.
            let file = std::fs::OpenOptions::new().create(true).append(true).open(file);
            file.and_then(|mut file| file.write_all(b"x").and_then(|()| file.stream_position())).unwrap_or(0)
        }
    }

    static PLAN: OnceLock<Plan> = OnceLock::new();

    fn parse(text: &str) -> Plan {
        if let Some(numbers) = text.strip_prefix("random:") {
            let mut parts = numbers.split(':');
            let mut number = || parts.next().and_then(|part| part.parse::<u64>().ok());
            let seed =
                number().unwrap_or(1) ^ u64::from(std::process::id()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            return Plan::Random {
                state: AtomicU64::new(seed | 1),
                kill: number().unwrap_or(0),
                pause: number().unwrap_or(0),
            };
        }
        Plan::At(text.split(',').filter(|point| !point.is_empty()).map(Point::parse).collect())
    }

    /// Marsaglia's xorshift64: good enough to choose where to die.
    fn next(state: &AtomicU64) -> u64 {
        let mut x = state.load(Ordering::Relaxed);
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        state.store(x, Ordering::Relaxed);
        x >> 16
    }

    #[allow(clippy::panic, reason = "a test build that was told to panic")]
    pub fn pass(point: &str) {
        let plan = PLAN.get_or_init(|| parse(&std::env::var("WAKEFUL_FAULT").unwrap_or_default()));
        match plan {
            Plan::At(points) => {
                if let Some(met) = points.iter().find(|each| each.name == point && each.pass() == each.nth) {
                    if met.panics {
                        std::panic::panic_any(format!("the fault point {point} was told to panic"));
                    }
                    std::process::abort();
                }
            }
            Plan::Random { state, kill, pause } => {
                let draw = next(state) % 1000;
                if draw < *kill {
                    std::process::abort();
                }
                if draw < kill + pause {
                    std::thread::sleep(Duration::from_millis(next(state) % 20));
                }
            }
        }
    }
}
