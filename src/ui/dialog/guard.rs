//! The moment after a dialog was first drawn, in which no key decides anything.

use std::time::{Duration, Instant};

/// How long keys that decide are dead after the first frame, and after each of them that came too soon.
pub const DEAD: Duration = Duration::from_millis(300);

/// When a dialog was first drawn, or pressed too soon.
#[derive(Debug, Default)]
pub struct Guard(Option<Instant>);

impl Guard {
    /// It was drawn.
    pub fn drawn(&mut self, at: Instant) {
        self.0.get_or_insert(at);
    }

    /// What it is about is another thing from now on.
    pub fn begin_anew(&mut self) {
        self.0 = None;
    }

    /// Whether a key that decides comes too soon. The moment begins again then: a key that is held down, or whatever lies on
    /// the keyboard, decides nothing however long it does.
    pub fn is_too_soon(&mut self, now: Instant) -> bool {
        let Some(since) = &mut self.0 else { return true };
        let soon = now.saturating_duration_since(*since) < DEAD;
        if soon {
            *since = now;
        }
        soon
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_held_never_decides_and_one_that_is_pressed_after_a_moment_does() {
        let (start, mut guard) = (Instant::now(), Guard::default());
        let at = |ms| start + Duration::from_millis(ms);
        assert!(guard.is_too_soon(at(0)), "not drawn yet");
        guard.drawn(at(10));
        assert!((1..200).all(|n| guard.is_too_soon(at(10 + 30 * n))));
        assert!(!guard.is_too_soon(at(10 + 30 * 199 + 300)));
        guard.drawn(at(9_000));
        assert!(!guard.is_too_soon(at(9_001)), "only the first frame counts");
        guard.begin_anew();
        assert!(guard.is_too_soon(at(9_900)));
    }
}
