//! Lists of runs and finding one.

use super::support::*;
use std::path::PathBuf;
use wakeful::run::*;
use wakeful::store::*;

#[tokio::test]
async fn every_run_is_listed_and_a_running_one_without_a_living_owner_is_interrupted() {
    let bench = Bench::new();
    let mut first = bench.run("aaaa").await;
    first.whole_step("one").await;
    let mut second = bench.run("aabb").await;
    second.waiting("push").await;
    let third = bench.run("cccc").await;
    bench.store.commit(third.commit_of(vec![wakeful(Event::Paused { now: false })])).await.unwrap();
    let rows = bench.store.runs(RunFilter::default()).await.unwrap();
    let words: Vec<_> = rows.iter().map(|r| (r.id.as_str(), r.status.as_str(), r.wait.as_deref())).collect();
    assert_eq!(
        words,
        [
            ("r-cccc", "paused", None),
            ("r-aabb", "waiting", Some("approval")),
            ("r-aaaa", "interrupted", None)
        ]
    );
    let row = &rows[2];
    assert_eq!((row.steps, row.tokens, row.created, row.title.as_str()), (1, 15, 1_000, "aaaa"));
    assert!(row.bytes > 500);
    bench.living.lock().unwrap().insert("w-1".to_owned());
    let running = RunFilter { statuses: vec!["running".to_owned()], ..RunFilter::default() };
    assert_eq!(bench.store.runs(running).await.unwrap()[0].id, first.run);
    let titled = RunFilter { title: Some("AA".to_owned()), limit: Some(1), ..RunFilter::default() };
    assert_eq!(bench.store.runs(titled).await.unwrap()[0].id, second.run);
    let elsewhere = RunFilter { workspace: Some(PathBuf::from("/x")), ..RunFilter::default() };
    assert_eq!(bench.store.runs(elsewhere).await.unwrap(), vec![]);
    assert_eq!(bench.store.count_runs().await.unwrap(), 3);
}

#[tokio::test]
async fn a_run_is_found_by_id_prefix_or_as_the_last() {
    let bench = Bench::new();
    for name in ["aaaa", "aabb", "cccc"] {
        bench.run(name).await;
    }
    for (text, id) in [("r-aaaa", "r-aaaa"), ("aab", "r-aabb"), ("r-c", "r-cccc"), ("last", "r-cccc")] {
        assert_eq!(bench.store.find_run(text).await.unwrap().as_str(), id, "{text}");
    }
    let many = bench.store.find_run("aa").await;
    let Err(StoreError::Ambiguous { candidates, .. }) = many else { panic!("{many:?}") };
    assert_eq!(candidates.len(), 2);
    for text in ["", "zz", "r-aaaaa", "%"] {
        assert!(matches!(bench.store.find_run(text).await, Err(StoreError::NoRun { .. })), "{text}");
    }
}

#[tokio::test]
async fn a_list_reads_no_events() {
    let bench = Bench::new();
    bench.run("aaaa").await;
    // Whatever stands in the big tables, the list is the same.
    bench
        .raw()
        .execute_batch("DROP TABLE events; DROP TABLE blobs; DROP TABLE calls; DROP TABLE snapshots")
        .unwrap();
    assert_eq!(bench.again().runs(RunFilter::default()).await.unwrap().len(), 1);
}
