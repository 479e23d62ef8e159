//! Opening a run and being ready for its next step, and assembling its context, at 100, 1,000 and 10,000 steps; once in a
//! large window with summaries by rules, once in a small one with those of a (scripted) model. Both have to be flat in
//! the length of the history.
//!
//! Ready means: the database is opened by a fresh handle, the run's state is loaded, and `next` has said what to do.
//! Assembling is measured cold (texts read from the journal) and warm (as in the loop): as an unknown model is estimated,
//! and as o200k counts, with the counts remembered between steps as a worker does; cold then counts every text.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a bench says what is wrong"
)]

mod common;

use common::{
    Said, Scratch, Texts, aim, asked_settings, create_with, median_ms, play, settings, store, verdict,
};
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use wakeful::agent;
use wakeful::context::{Assembly, assemble};
use wakeful::run::{Purpose, RunId};
use wakeful::store::TextCache;
use wakeful::tokens::{Cached, Counter, Encoding, Estimate, OpenAiBpe};

const TRIES: usize = 21;

async fn grow(scratch: &Scratch, steps: usize, asked: bool) -> RunId {
    let folder = scratch.0.join("files");
    std::fs::create_dir_all(&folder).unwrap();
    let mut texts = Texts::new(3);
    for i in 0..20 {
        std::fs::write(folder.join(format!("{i}.txt")), texts.ordinary(2_000)).unwrap();
    }
    let script: Vec<Said> = (0..steps)
        .map(|i| match i % 4 {
            0 => {
                (texts.ordinary(200), vec![("note", json!({ "kind": "fact", "text": texts.ordinary(120) }))])
            }
            _ => (texts.ordinary(200), vec![("read_file", json!({ "path": format!("{}.txt", i % 20) }))]),
        })
        .collect();
    let store = store(&scratch.0.join("w.db"));
    let (name, settings) = match asked {
        true => (format!("{steps}-asked"), asked_settings()),
        false => (steps.to_string(), settings()),
    };
    let run = create_with(&store, &name, &folder, settings).await;
    play(&store, &run, script).await;
    store.close().await.unwrap();
    run
}

async fn measure(scratch: &Scratch, run: &RunId, own: Option<Encoding>) -> [f64; 3] {
    // Its tables are read at the first count, which is no part of an assembly.
    own.inspect(|of| {
        OpenAiBpe::new(*of).count("warm");
    });
    let (mut ready, mut cold, mut warm) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TRIES {
        let begun = Instant::now();
        let store = store(&scratch.0.join("w.db"));
        let state = store.load(run).await.unwrap().state;
        std::hint::black_box(agent::next(&state, 1));
        ready.push(begun.elapsed());
        let mut cache = TextCache::default();
        let counter: Arc<dyn Counter> = match own {
            None => Arc::new(Estimate),
            Some(of) => Arc::new(Cached::new(Arc::new(OpenAiBpe::new(of)))),
        };
        for times in [&mut cold, &mut warm] {
            let begun = Instant::now();
            let texts = cache.load(&store, &state).await.unwrap();
            let made = assemble(&state, &texts, Purpose::Turn, &|text| counter.count(text)).unwrap();
            times.push(begun.elapsed());
            match made {
                Assembly::Ready(_) | Assembly::Fold(_) | Assembly::DropOutputs(_) => {}
                Assembly::TooBig(big) => panic!("{}", big.words),
            }
        }
    }
    [median_ms(&mut ready), median_ms(&mut cold), median_ms(&mut warm)]
}

/// Measures runs of three lengths, and holds the longest to the aims.
fn compare(scratch: &Scratch, runtime: &tokio::runtime::Runtime, asked: bool) {
    let how = if asked { "8k, summaries by the model" } else { "32k, summaries by rules" };
    let lengths = [100, 1_000, 10_000];
    // All runs in one database: the long ones must not cost the short ones anything.
    let runs: Vec<RunId> = lengths.map(|steps| runtime.block_on(grow(scratch, steps, asked))).into();
    let all: Vec<[f64; 3]> = runs.iter().map(|run| runtime.block_on(measure(scratch, run, None))).collect();
    for (steps, run) in lengths.iter().zip(&runs) {
        let [_, cold, warm] = runtime.block_on(measure(scratch, run, Some(Encoding::O200k)));
        println!(
            "{how}, {steps} steps: assemble with o200k {cold:.2} ms cold, {warm:.2} ms with its counts remembered"
        );
    }
    for (steps, [ready, cold, warm]) in lengths.iter().zip(&all) {
        println!(
            "{how}, {steps} steps: open and ready {ready:.2} ms, assemble {cold:.2} ms cold, {warm:.2} ms warm"
        );
    }
    aim(&format!("{how}: open and ready at 10,000 steps"), all[2][0], " ms", 50.0);
    aim(&format!("{how}: assemble at 10,000 steps, cold"), all[2][1], " ms", 5.0);
    aim(&format!("{how}: assemble at 10,000 steps, warm"), all[2][2], " ms", 5.0);
    aim(&format!("{how}: open, 10,000 ÷ 100 steps"), all[2][0] / all[0][0], "", 1.5);
    aim(&format!("{how}: assemble cold, 10,000 ÷ 100 steps"), all[2][1] / all[0][1], "", 1.5);
}

fn main() -> ExitCode {
    let scratch = Scratch::new("open");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    compare(&scratch, &runtime, false);
    compare(&scratch, &runtime, true);
    verdict()
}
