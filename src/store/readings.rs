//! What looking for memories need not find out at each step again: the terms of their texts, and how many hold a term.

use crate::recall::Reading;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Texts kept; a step looks at a hundred at most.
const KEPT: usize = 2_048;
/// Terms kept with the number of memories that hold them.
const COUNTED: usize = 50_000;

/// What changes with every memory that comes, is edited or goes: memories, newest memory, newest earlier wording.
pub(super) type Stamp = (i64, i64, i64);

/// How many memories hold a term, for as long as they are the same.
#[derive(Default)]
pub(super) struct Counts {
    stamp: Stamp,
    held: HashMap<String, u32>,
}

impl Counts {
    /// The number for a term; `count` finds out what is not known.
    pub(super) fn of(&mut self, term: &str, count: impl FnOnce() -> u32) -> u32 {
        if let Some(held) = self.held.get(term) {
            return *held;
        }
        if self.held.len() >= COUNTED {
            self.held.clear();
        }
        let held = count();
        self.held.insert(term.to_owned(), held);
        held
    }
}

/// Readings by text: a memory that is changed has another text, so nothing here can be out of date.
#[derive(Default)]
pub(super) struct Readings {
    known: Mutex<HashMap<String, Arc<Reading>>>,
    counts: Mutex<Counts>,
}

impl Readings {
    /// The reading of a text.
    pub(super) fn of(&self, text: &str) -> Arc<Reading> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reading) = known.get(text) {
            return Arc::clone(reading);
        }
        if known.len() >= KEPT {
            known.clear();
        }
        let reading = Arc::new(Reading::of(text));
        known.insert(text.to_owned(), Arc::clone(&reading));
        reading
    }
}

impl Readings {
    /// What is known of terms while the memories are those of this stamp.
    pub(super) fn counts(&self, stamp: Stamp) -> MutexGuard<'_, Counts> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.stamp != stamp {
            *counts = Counts { stamp, held: HashMap::new() };
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_apart_once_and_the_store_of_them_stays_small() {
        let readings = Readings::default();
        let first = readings.of("perf needs debug symbols");
        assert!(Arc::ptr_eq(&first, &readings.of("perf needs debug symbols")));
        assert_eq!(*readings.of("另一句"), Reading::of("另一句"));
        (0..KEPT + 5).for_each(|n| drop(readings.of(&n.to_string())));
        assert!(readings.known.lock().unwrap().len() <= KEPT);
    }
    #[test]
    fn what_is_known_of_a_term_holds_until_a_memory_changes() {
        let readings = Readings::default();
        assert_eq!(readings.counts((1, 1, 0)).of("zstd", || 3), 3);
        assert_eq!(readings.counts((1, 1, 0)).of("zstd", || panic!("it is known")), 3);
        assert_eq!(readings.counts((1, 1, 1)).of("zstd", || 4), 4, "one was edited");
    }
}
