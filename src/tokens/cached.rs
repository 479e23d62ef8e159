//! A counter that remembers: the same text is counted once, however often a request is made of it.
//!
//! Derived: by the hash of a text and its length. Not to be assumed: that it remembers for ever; once it holds many counts
//! it begins anew.

use super::Counter;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};

/// A text shorter than this costs less to count than to remember, bytes.
pub const SHORT: usize = 256;
/// Counts that are remembered.
const MOST: usize = 4_096;

/// A counter and what it has counted.
pub struct Cached {
    counter: Arc<dyn Counter>,
    seed: RandomState,
    known: Mutex<HashMap<u64, u32>>,
}

impl Cached {
    /// Remembers what this counter counts from here on.
    #[must_use]
    pub fn new(counter: Arc<dyn Counter>) -> Self {
        Self { counter, seed: RandomState::new(), known: Mutex::default() }
    }
}

impl Counter for Cached {
    fn count(&self, text: &str) -> u32 {
        if text.len() < SHORT {
            return self.counter.count(text);
        }
        let key = self.seed.hash_one(text) ^ text.len() as u64;
        let known = self.known.lock().ok().and_then(|known| known.get(&key).copied());
        known.unwrap_or_else(|| {
            let count = self.counter.count(text);
            if let Ok(mut known) = self.known.lock() {
                if known.len() > MOST {
                    known.clear();
                }
                known.insert(key, count);
            }
            count
        })
    }

    fn id(&self) -> &str {
        self.counter.id()
    }

    fn exact(&self) -> bool {
        self.counter.exact()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Default)]
    struct Counted(AtomicUsize);

    impl Counter for Counted {
        fn count(&self, text: &str) -> u32 {
            self.0.fetch_add(1, Ordering::SeqCst);
            u32::try_from(text.len()).unwrap()
        }

        fn id(&self) -> &str {
            "counted"
        }

        fn exact(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_long_text_is_counted_once_and_another_of_its_length_for_itself() {
        let counter = Arc::new(Counted::default());
        let cached = Cached::new(counter.clone());
        let texts = ["a".repeat(300), "b".repeat(300), "汉".repeat(100)];
        for _ in 0..3 {
            for text in &texts {
                assert_eq!(cached.count(text), 300);
            }
        }
        assert_eq!(counter.0.load(Ordering::SeqCst), 3);
        for n in 0..2 * MOST {
            cached.count(&format!("{n:0>300}"));
        }
        assert!(cached.known.lock().unwrap().len() <= MOST + 1, "what is remembered is bounded");
        assert_eq!((cached.id(), cached.exact()), ("counted", true));
    }
}
