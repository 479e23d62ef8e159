//! Waking when something was written, by this handle or by another.

use super::support::*;
use std::time::Duration;
use wakeful::run::*;
use wakeful::store::*;

/// Waits until the inbox of a run has `count` rows, looking only when woken.
async fn until(watch: &mut Watch, store: &Store, run: &RunId, count: usize) {
    let looking = async {
        while store.pending(run).await.unwrap().len() < count {
            watch.changed().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), looking).await.expect("it never woke");
}

#[tokio::test]
async fn a_watch_wakes_for_writes_here_and_elsewhere() {
    let bench = Bench::new();
    let run = bench.run("aaaa").await;
    let other = bench.again();
    let mut here = bench.store.watch().await.unwrap();
    let mut there = other.watch().await.unwrap();
    for n in 1..=3 {
        let writer = if n % 2 == 0 { &bench.store } else { &other };
        let post = async { writer.post(&run.run, Control::Continue, person(), 1).await.unwrap() };
        tokio::join!(
            until(&mut here, &bench.store, &run.run, n),
            until(&mut there, &other, &run.run, n),
            post
        );
    }
}

#[tokio::test]
async fn what_was_written_before_the_wait_still_wakes() {
    let bench = Bench::new();
    let run = bench.run("aaaa").await;
    let other = bench.again();
    let mut watch = bench.store.watch().await.unwrap();
    other.post(&run.run, Control::Continue, person(), 1).await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), watch.changed()).await.expect("it never woke");
}

/// Looks become rare when nothing comes, and who waits for other things too gives each wait up after a moment.
#[tokio::test]
async fn a_wait_that_is_given_up_again_and_again_misses_nothing() {
    let bench = Bench::new();
    let run = bench.run("aaaa").await;
    let other = bench.again();
    let mut watch = bench.store.watch().await.unwrap();
    let moment = Duration::from_millis(60);
    for _ in 0..40 {
        let _ = tokio::time::timeout(moment, watch.changed()).await;
    }
    other.post(&run.run, Control::Continue, person(), 1).await.unwrap();
    let looking = async { while tokio::time::timeout(moment, watch.changed()).await.is_err() {} };
    tokio::time::timeout(Duration::from_secs(20), looking).await.expect("it never woke");
}
