//! Bytes of the database against the bytes of the texts in it, for runs that a worker played: each step reads a file.
//!
//! Payload is what the model said and what it got: texts, arguments, results. The database has them once, with the
//! chain of checksums, the budget table of each request, the derived tables and the snapshots.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a bench says what is wrong"
)]

mod common;

use common::{Said, Scratch, Texts, aim, create, play, size, store, verdict};
use serde_json::json;
use std::process::ExitCode;
use wakeful::run::{Decoded, Event};

/// Bytes of the file that a step reads, and of what the model says.
const FILE: usize = 2_400;
const SAID: usize = 400;

async fn payload(store: &wakeful::store::Store, run: &wakeful::run::RunId, head: u64) -> u64 {
    let mut sum = 0;
    for envelope in store.events(run, 1, head).await.unwrap() {
        let Decoded::Known(event) = envelope.event else { continue };
        if let Event::ModelReplied { text, calls, .. } = event.as_ref() {
            sum += text.len() + calls.iter().map(|call| call.arguments.len()).sum::<u64>();
        } else if let Event::CallFinished { result, .. } = event.as_ref() {
            sum += result.body.len();
        }
    }
    sum
}

async fn measure(scratch: &Scratch, kind: &str, steps: usize) -> (u64, u64) {
    let folder = scratch.0.join(format!("{kind}-{steps}"));
    std::fs::create_dir_all(&folder).unwrap();
    let mut texts = Texts::new(steps as u64 + 11);
    let mut text = |len| if kind == "noise" { texts.noise(len) } else { texts.ordinary(len) };
    let mut script: Vec<Said> = Vec::new();
    for i in 0..steps {
        let name = format!("part-{i}.txt");
        std::fs::write(folder.join(&name), text(FILE)).unwrap();
        script.push((text(SAID), vec![("read_file", json!({ "path": name }))]));
    }
    let store = store(&folder.join("w.db"));
    let run = create(&store, &format!("{kind}-{steps}"), &folder).await;
    let state = play(&store, &run, script).await;
    let payload = payload(&store, &run, state.head.seq).await;
    (size(&store).await, payload)
}

fn main() -> ExitCode {
    let scratch = Scratch::new("size");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for (kind, most) in [("noise", 1.2), ("ordinary", 0.8)] {
        println!("{kind} text, {} bytes a step", FILE + SAID);
        let mut last = (0, 0, 0);
        for steps in [50, 200, 1_000] {
            let (stored, payload) = runtime.block_on(measure(&scratch, kind, steps));
            aim(&format!("stored ÷ payload at {steps} steps"), stored as f64 / payload as f64, "", most);
            if last.0 > 0 {
                let each = (stored - last.1) / (steps - last.0) as u64;
                let texts = (payload - last.2) / (steps - last.0) as u64;
                println!("       each further step: {each} bytes for {texts} bytes of text");
            }
            last = (steps, stored, payload);
        }
    }
    verdict()
}
