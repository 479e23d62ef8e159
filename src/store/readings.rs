//! Texts of memories that were taken apart, so that looking for memories at each step reads each text once.

use crate::recall::Reading;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Texts kept; a step looks at a hundred at most.
const KEPT: usize = 2_048;

/// Readings by text: a memory that is changed has another text, so nothing here can be out of date.
#[derive(Default)]
pub(super) struct Readings {
    known: Mutex<HashMap<String, Arc<Reading>>>,
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
}
