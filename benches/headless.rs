//! The whole program on a model that takes no time: milliseconds a step, as the slope between a short and a long run,
//! so that start and end do not count.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a bench says what is wrong"
)]

mod common;

use common::{Scratch, Texts, aim};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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

fn main() {
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
}
