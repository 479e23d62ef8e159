//! Named fault points: places where a test build can be told to die or to pause.
//!
//! The variable `WAKEFUL_FAULT` chooses: `name` or `name:N` aborts the process at the N-th pass of
//! that point; `random:SEED:KILL:PAUSE` aborts with KILL and pauses (up to 20 ms) with PAUSE
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
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    enum Plan {
        Nothing,
        At { name: String, passes: AtomicU64, nth: u64 },
        Random { state: AtomicU64, kill: u64, pause: u64 },
    }

    static PLAN: OnceLock<Plan> = OnceLock::new();

    fn parse(text: &str) -> Plan {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let mut number = || parts.next().and_then(|part| part.parse::<u64>().ok());
        if name == "random" {
            let seed =
                number().unwrap_or(1) ^ u64::from(std::process::id()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            return Plan::Random {
                state: AtomicU64::new(seed | 1),
                kill: number().unwrap_or(0),
                pause: number().unwrap_or(0),
            };
        }
        Plan::At { name: name.to_owned(), passes: AtomicU64::new(0), nth: number().unwrap_or(1) }
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

    pub fn pass(point: &str) {
        let plan = PLAN.get_or_init(|| match std::env::var("WAKEFUL_FAULT") {
            Ok(text) if !text.is_empty() => parse(&text),
            Ok(_) | Err(_) => Plan::Nothing,
        });
        match plan {
            Plan::Nothing => {}
            Plan::At { name, passes, nth } => {
                if name == point && passes.fetch_add(1, Ordering::Relaxed) + 1 == *nth {
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
