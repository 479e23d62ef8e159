//! How soon keys are answered, held against how soon they are in a quiet moment of the same machine.

use super::desk::Desk;
use std::time::{Duration, Instant};

/// Longest wait for a single key: whoever waits so long has shown enough.
const LONGEST: Duration = Duration::from_secs(60);

/// A key, and what it shows or hides.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    pub key: &'static str,
    pub text: &'static str,
    /// Whether the text is there then, or gone.
    pub shown: bool,
}

/// Keys that open something and `Esc`, which closes it again.
pub fn there_and_back(pairs: &[(&'static str, &'static str)]) -> Vec<Stroke> {
    let both = |(key, text): &(&'static str, &'static str)| {
        [Stroke { key, text, shown: true }, Stroke { key: "\x1b", text, shown: false }]
    };
    pairs.iter().flat_map(both).collect()
}

/// How long it takes until a key is answered.
pub fn took(desk: &Desk, stroke: Stroke) -> Duration {
    assert!(desk.shows(stroke.text) != stroke.shown, "{stroke:?} has nothing to show:\n{}", desk.screen());
    let begun = Instant::now();
    desk.press(stroke.key);
    while desk.shows(stroke.text) != stroke.shown {
        assert!(begun.elapsed() < LONGEST, "{stroke:?} is not answered:\n{}", desk.screen());
        std::thread::sleep(Duration::from_micros(200));
    }
    begun.elapsed()
}

/// The shortest times of these strokes, over some rounds of them: the load of others comes and goes.
#[derive(Debug)]
pub struct Best(Vec<(Stroke, Duration)>);

impl Best {
    pub fn of(strokes: &[Stroke]) -> Self {
        Self(strokes.iter().map(|stroke| (*stroke, LONGEST)).collect())
    }

    /// One more round.
    pub fn round(&mut self, desk: &Desk) {
        for (stroke, best) in &mut self.0 {
            *best = took(desk, *stroke).min(*best);
        }
    }

    pub fn rounds(mut self, desk: &Desk, count: usize) -> Self {
        (0..count).for_each(|_| self.round(desk));
        self
    }

    /// The stroke that is slowest against its time in a quiet moment, with how many times that it takes.
    pub fn slowest(&self, quiet: &Self) -> (f64, Stroke) {
        let of = |((stroke, took), (_, quiet)): (&(Stroke, Duration), &(Stroke, Duration))| {
            (took.as_secs_f64() / quiet.as_secs_f64(), *stroke)
        };
        self.0.iter().zip(&quiet.0).map(of).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
    }
}

/// The middle one.
pub fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
