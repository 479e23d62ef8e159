//! What storing costs: the file against the payload, and opening against the length of the run.

use super::support::*;
use std::time::Instant;
use wakeful::run::*;

#[tokio::test]
async fn the_file_stays_near_the_payload_and_grows_with_the_steps_alone() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let mut sizes = Vec::new();
    for n in 0..200_u32 {
        // About 2.4 KB a step that cannot be made smaller than its hexadecimal digits allow.
        let text: String =
            (0..38).map(|i| Hash::of(&[n.to_le_bytes(), u32::to_le_bytes(i)].concat()).to_string()).collect();
        run.whole_step(&text).await;
        if n == 99 || n == 199 {
            bench.store.close().await.unwrap();
            sizes.push(std::fs::metadata(bench.path()).unwrap().len());
        }
    }
    let events = bench.store.events(&run.run, 1, Seq::MAX).await.unwrap();
    let payload: u64 = events
        .iter()
        .map(|e| match &e.event {
            Decoded::Known(event) => event.payload().unwrap().len() as u64,
            Decoded::Unknown { .. } => 0,
        })
        .sum();
    let ratio = sizes[1] as f64 / payload as f64;
    let growth = (sizes[1] - sizes[0]) as f64 / sizes[0] as f64;
    println!("payload {payload}, file {}, ratio {ratio:.2}, second half against first {growth:.2}", sizes[1]);
    assert!(ratio < 1.2, "{ratio}");
    assert!(growth < 1.1, "{growth}");
}

#[tokio::test]
async fn opening_reads_a_bounded_tail() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    for n in 0..300 {
        run.whole_step(&n.to_string()).await;
    }
    let begun = Instant::now();
    let loaded = bench.store.load(&run.run).await.unwrap();
    println!("loaded {} events in {:?}", loaded.state.head.seq, begun.elapsed());
    let snap: i64 = bench.raw().query_row("SELECT max(seq) FROM snapshots", [], |row| row.get(0)).unwrap();
    assert!(loaded.state.head.seq - snap as u64 <= 70);
}
