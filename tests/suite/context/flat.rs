//! What an assembly costs does not grow with the run: texts that are read and characters that are counted are as many at
//! step 10,000 as at step 100.

use super::build::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use wakeful::context::needed;
use wakeful::run::plan::{InnerEffect, NoteKind};
use wakeful::run::*;

static COUNTED: AtomicUsize = AtomicUsize::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// A counter of tokens that notes what it is given.
fn noting(text: &str) -> u32 {
    CALLS.fetch_add(1, Ordering::Relaxed);
    COUNTED.fetch_add(text.len(), Ordering::Relaxed);
    text.len().div_ceil(4) as u32
}

/// What one assembly took.
#[derive(Debug, PartialEq, Eq)]
struct Work {
    /// Texts that are read from the store for it.
    read: usize,
    /// How often the counter was called, and for how many bytes.
    calls: usize,
    counted: usize,
    /// Messages that were sent.
    sent: usize,
}

fn work(bench: &mut Bench) -> Work {
    bench.settle().expect("fits");
    let (calls, counted) = (CALLS.load(Ordering::Relaxed), COUNTED.load(Ordering::Relaxed));
    let request = bench.settle().expect("fits");
    Work {
        read: needed(&bench.state).len(),
        calls: CALLS.load(Ordering::Relaxed) - calls,
        counted: COUNTED.load(Ordering::Relaxed) - counted,
        sent: request.messages.len(),
    }
}

#[test]
fn an_assembly_at_step_10_000_reads_and_counts_what_one_at_step_100_does() {
    let mut bench = Bench::new(settings(16_000), goal("Ship it."));
    bench.count = noting;
    bench.person("carefully");
    let mut seen = Vec::new();
    for step in 1..=10_000 {
        // As many notes as are kept at all, before the first look, and more of them after it.
        if step % 10 == 0 {
            let notes = if step <= 50 { 50 } else { 1 };
            let ids = bench.reply("I note it.", &vec![("note", "{}", None); notes]);
            for (n, id) in ids.iter().enumerate() {
                let text = format!("fact {step:05}.{n:02} of the ledger");
                let inner = InnerEffect::Note { kind: NoteKind::Fact, text };
                bench.finish(id, true, "noted", Some(inner));
            }
            bench.commit();
        } else {
            bench.step("I look.", "src/main.rs", &format!("line {step:05} of some output\n").repeat(5));
        }
        // The same place between two folds.
        match step {
            100 | 1_000 | 10_000 => seen.push(work(&mut bench)),
            _ => drop(bench.settle().expect("fits")),
        }
    }
    let [at_100, at_1_000, at_10_000] = seen.as_slice() else { panic!() };
    println!("{at_100:?} {at_1_000:?} {at_10_000:?}");
    assert!(at_100.read > 0 && at_100.calls > 0 && at_100.sent > 5, "{at_100:?}");
    // The number of what was left out is a digit longer.
    for later in [at_1_000, at_10_000] {
        assert_eq!((later.read, later.sent), (at_100.read, at_100.sent), "{at_100:?} {later:?}");
        assert!(later.calls.abs_diff(at_100.calls) <= 2, "{at_100:?} {later:?}");
        assert!(later.counted.abs_diff(at_100.counted) <= at_100.counted / 20, "{at_100:?} {later:?}");
    }
    let kept: usize = bench.state.path.messages.len();
    assert!(kept <= 40, "{kept} messages in the state");
    assert_eq!(bench.state.path.step, 10_000 as StepNo);
}
