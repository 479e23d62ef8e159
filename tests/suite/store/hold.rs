//! Holding the store still.

use super::support::*;
use std::time::Duration;
use wakeful::run::*;

#[tokio::test]
async fn nothing_is_written_while_the_store_is_held_and_all_of_it_afterwards() {
    let bench = Bench::new();
    let run = bench.run("aaaa").await;
    let other = bench.again();
    let held = bench.store.hold().await.unwrap();
    let store = bench.store.clone();
    let id = run.run.clone();
    let post = tokio::spawn(async move { store.post(&id, Control::Continue, person(), 1).await.unwrap() });
    // Another process is not kept from writing: no transaction is open.
    other.post(&run.run, Control::Cancel, person(), 1).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!post.is_finished());
    assert_eq!(other.pending(&run.run).await.unwrap().len(), 1);
    drop(held);
    post.await.unwrap();
    assert_eq!(bench.store.pending(&run.run).await.unwrap().len(), 2);
    // Given up before it was reached, it holds nothing.
    let given_up = bench.store.hold();
    drop(given_up);
    bench.store.post(&run.run, Control::Continue, person(), 2).await.unwrap();
}
