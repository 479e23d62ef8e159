//! Counting a long text keeps nobody waiting: it may take seconds, and whoever counts is often one of the few threads that
//! timers, keys and what is drawn depend on. Such a thread hands its other work over before it begins.
//!
//! Not to be assumed: that the counting itself gets faster, or that it can be given up.

use super::Counter;
use tokio::runtime::{Handle, RuntimeFlavor};

/// A text shorter than this is counted at once, bytes: no known tokenizer takes long for it.
const LONG: usize = 2_048;

/// A counter whose long counts stand in nobody's way.
pub(super) struct Aside<C>(pub(super) C);

impl<C: Counter> Counter for Aside<C> {
    fn count(&self, text: &str) -> u32 {
        let many = || Handle::try_current().is_ok_and(|h| h.runtime_flavor() == RuntimeFlavor::MultiThread);
        if text.len() >= LONG && many() {
            return tokio::task::block_in_place(|| self.0.count(text));
        }
        self.0.count(text)
    }

    fn id(&self) -> &str {
        self.0.id()
    }

    fn exact(&self) -> bool {
        self.0.exact()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    /// Counts the ticks that come while it counts, up to three, and waits for them.
    struct Slow(Mutex<Receiver<()>>);

    impl Counter for Slow {
        fn count(&self, _: &str) -> u32 {
            let ticks = self.0.lock().unwrap();
            (0..3).map_while(|_| ticks.recv_timeout(Duration::from_secs(20)).ok()).count() as u32
        }

        fn id(&self) -> &str {
            "slow"
        }

        fn exact(&self) -> bool {
            false
        }
    }

    #[test]
    fn timers_of_the_only_thread_go_on_while_it_counts() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (tick, ticks) = channel();
        let counted = runtime.block_on(async {
            let counting = tokio::spawn(async move {
                tokio::spawn(async move {
                    loop {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                        if tick.send(()).is_err() {
                            return;
                        }
                    }
                });
                Aside(Slow(Mutex::new(ticks))).count(&"a".repeat(LONG))
            });
            counting.await.unwrap()
        });
        assert_eq!(counted, 3, "nothing ticked while a text was counted");
    }

    #[tokio::test]
    async fn where_nothing_can_be_handed_over_it_is_counted_all_the_same() {
        let counter = Aside(super::super::Estimate);
        assert_eq!(counter.count(&"a".repeat(LONG)), super::super::Estimate.count(&"a".repeat(LONG)));
        assert_eq!((counter.id(), counter.exact()), (super::super::Estimate.id(), false));
    }
}
