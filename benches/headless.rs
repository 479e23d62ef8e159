//! The whole program on a model that takes no time: milliseconds a step, as the slope between a short and a long run,
//! so that start and end do not count. Then what looking for memories takes of it: with none stored, with 1,000, and
//! with 1,000 that have vectors.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a bench says what is wrong"
)]

mod common;

use common::{Scratch, Texts, aim, verdict};
use std::path::Path;
use std::process::ExitCode;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wakeful::recall::Policy;
use wakeful::run::Author;
use wakeful::run::memory::{Kind, NewMemory, Scope, Source};
use wakeful::store::{MemoryFilter, Query, Store, Vector};

const FEW: u32 = 20;
const MANY: u32 = 220;
const TRIES: usize = 3;

const CONFIG: &str = "[limits]
steps = 100000
tokens = 1000000000
tool_calls = 100000
tool_calls_per_minute = 100000
time = \"10h\"
";

fn script(dir: &Path, name: &str, steps: u32, call: &str) -> std::path::PathBuf {
    let path = dir.join(format!("{name}-{steps}.toml"));
    let text = format!(
        "name = \"bench\"\n[[steps]]\nrepeat = {steps}\nsay = \"Round {{i}} of {{n}}.\"\ncalls = [{call}]\n\
         [[steps]]\nsay = \"Done.\"\n"
    );
    std::fs::write(&path, text).unwrap();
    path
}

fn run(dir: &Path, script: &Path) -> Duration {
    let db = script.with_extension("db");
    let _ = std::fs::remove_file(&db);
    let begun = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_wakeful"))
        .args([
            "run",
            "go through the rounds",
            "--headless",
            "--json",
            "--model",
            "offline",
            "--approve",
            "auto",
        ])
        .args(["--workspace".as_ref(), dir.join("work").as_os_str(), "--db".as_ref(), db.as_os_str()])
        .args(["--config".as_ref(), dir.join("config.toml").as_os_str()])
        .env("WAKEFUL_OFFLINE_SCRIPT", script)
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let time = begun.elapsed();
    let last = String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned();
    assert!(output.status.success(), "{last}");
    time
}

fn measure(dir: &Path, name: &str, call: &str) {
    let best = |steps| {
        let script = script(dir, name, steps, call);
        (0..TRIES).map(|_| run(dir, &script)).min().unwrap().as_secs_f64() * 1_000.0
    };
    let (few, many) = (best(FEW), best(MANY));
    println!("{name}: {FEW} steps {few:.0} ms, {MANY} steps {many:.0} ms");
    aim(&format!("{name}, a step"), (many - few) / f64::from(MANY - FEW), " ms", 5.0);
}

const MEMORIES: usize = 1_000;
const LOOKS: usize = 200;
/// Numbers of a vector.
const NUMBERS: usize = 384;

/// Sentences like those that people keep: words of the sources, each with another number.
fn sentences(texts: &mut Texts) -> Vec<String> {
    let sentence = |n: usize| {
        let source = texts.ordinary(600);
        let words: Vec<&str> =
            source.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).take(14).collect();
        format!("{n}: {}", words.join(" "))
    };
    (0..MEMORIES).map(sentence).collect()
}

fn vector(seed: usize) -> Vec<f32> {
    (0..NUMBERS).map(|n| ((seed * 31 + n * 17) % 101) as f32 / 101.0 - 0.4).collect()
}

/// What a step pays for looking for memories, in milliseconds: the middle of many, each about something else.
async fn looks(store: &Store, abouts: &[String], with_vector: bool) -> f64 {
    let mut times = Vec::new();
    for (n, about) in abouts.iter().cycle().take(LOOKS).enumerate() {
        let query = Query {
            text: about.clone(),
            vector: with_vector.then(|| Vector { model: "bench".to_owned(), values: vector(n) }),
            run: None,
            workspace: Some("/w".into()),
            policy: Policy::default(),
        };
        let begun = Instant::now();
        store.offered(query).await.unwrap();
        times.push(begun.elapsed());
    }
    common::median_ms(&mut times)
}

async fn memories(dir: &Path, texts: &mut Texts) {
    let store = common::store(&dir.join("memories.db"));
    let abouts: Vec<String> = (0..20)
        .map(|_| format!("Go through the rounds and say what is in each\n{}", texts.ordinary(500)))
        .collect();
    aim("look for memories, none stored", looks(&store, &abouts, false).await, " ms", 0.2);
    let sentences = sentences(texts);
    let begun = Instant::now();
    for text in &sentences {
        let new = NewMemory {
            scope: Scope::Workspace("/w".into()),
            kind: Kind::Fact,
            key: None,
            text: text.clone(),
            confidence: 90,
            pinned: false,
        };
        let author = Author::Person("bench".to_owned());
        let source = Source { author, run: None, step: None, seq: None, at: 1 };
        store.remember(new, source).await.unwrap();
    }
    let kept = begun.elapsed().as_secs_f64() * 1_000.0 / MEMORIES as f64;
    println!("  keep a memory beside up to {MEMORIES}: {kept:.2} ms, synced");
    aim(&format!("look, {MEMORIES} stored"), looks(&store, &abouts, false).await, " ms", 5.0);
    let all = store.memories(MemoryFilter::default()).await.unwrap();
    let vectors = all.into_iter().enumerate().map(|(n, memory)| (memory.id, memory.what.text, vector(n)));
    store.put_vectors("bench", vectors.collect()).await.unwrap();
    aim(&format!("look, {MEMORIES} with vectors"), looks(&store, &abouts, true).await, " ms", 10.0);
}

fn main() -> ExitCode {
    let scratch = Scratch::new("headless");
    let work = scratch.0.join("work");
    std::fs::create_dir_all(&work).unwrap();
    std::fs::write(scratch.0.join("config.toml"), CONFIG).unwrap();
    let mut texts = Texts::new(5);
    for i in 1..=MANY {
        std::fs::write(work.join(format!("{i}.txt")), texts.ordinary(2_000)).unwrap();
    }
    let note = "{ name = \"note\", args = { kind = \"fact\", text = \"fact {i} of {n} that was found\" } }";
    measure(&scratch.0, "note", note);
    measure(&scratch.0, "read_file", "{ name = \"read_file\", args = { path = \"{i}.txt\" } }");
    let write = "{ name = \"write_file\", args = { path = \"out-{i}.txt\", content = \"part {i}\" } }";
    measure(&scratch.0, "write_file", write);
    measure(&scratch.0, "shell", "{ name = \"shell\", args = { command = \"echo {i} >> effects\" } }");
    tokio::runtime::Runtime::new().unwrap().block_on(memories(&scratch.0, &mut texts));
    verdict()
}
