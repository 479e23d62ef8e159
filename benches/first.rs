//! From the start of the program to its first whole frame, with 10,000 runs in the store.
//!
//! The real binary is started in a pseudo-terminal of 120×40; the time runs from before the process is made to the
//! moment when the end of the first frame (the mark of a synchronized update) has been read from the terminal, and to the
//! moment when the list of runs stands on the screen. A process that does nothing is started the same way, for comparison.
//! The database is warm in the system's cache.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a bench says what is wrong"
)]

mod common;

use common::{Scratch, aim, create, median_ms, play, store, verdict};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const RUNS: usize = 10_000;
const TRIES: usize = 15;
const MOST_MS: f64 = 50.0;

fn command(scratch: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_wakeful"));
    command.args(["--db".as_ref(), scratch.join("w.db").as_os_str()]);
    command.args(["--config".as_ref(), scratch.join("config.toml").as_os_str()]);
    command.cwd(scratch.join("files"));
    command.env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", scratch);
    command.env("TERM", "xterm-256color");
    command
}

/// Starts it, and the times at which its bytes first contained each of these.
fn times<const N: usize>(command: CommandBuilder, marks: [&str; N], quit: &str) -> [Duration; N] {
    let size = PtySize { rows: 40, cols: 120, ..PtySize::default() };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut keys = pair.master.take_writer().unwrap();
    let begun = Instant::now();
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let (mut seen, mut piece) = (Vec::new(), [0u8; 65_536]);
    let mut found = [None; N];
    while found.iter().any(Option::is_none) {
        let n = reader.read(&mut piece).unwrap_or(0);
        assert!(n > 0, "it ended:\n{}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&piece[..n]);
        let at = begun.elapsed();
        assert!(at < Duration::from_secs(20), "never:\n{}", String::from_utf8_lossy(&seen));
        for (mark, found) in marks.iter().zip(&mut found) {
            if found.is_none() && seen.windows(mark.len()).any(|at| at == mark.as_bytes()) {
                *found = Some(at);
            }
        }
    }
    keys.write_all(quit.as_bytes()).unwrap();
    std::thread::spawn(move || while matches!(reader.read(&mut piece), Ok(1..)) {});
    let end = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(end.elapsed() < Duration::from_secs(10), "it does not end");
        std::thread::sleep(Duration::from_millis(2));
    }
    found.map(Option::unwrap)
}

fn main() -> ExitCode {
    let scratch = Scratch::new("first");
    let folder = scratch.0.join("files");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(scratch.0.join("config.toml"), "[discover]\nenabled = false\n").unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let begun = Instant::now();
    runtime.block_on(async {
        let store = store(&scratch.0.join("w.db"));
        for n in 0..RUNS {
            let run = create(&store, &format!("number-{n}"), &folder).await;
            play(&store, &run, Vec::new()).await;
        }
        store.close().await.unwrap();
    });
    println!("{RUNS} runs made in {:.0} s", begun.elapsed().as_secs_f64());
    let mut nothing = Vec::new();
    let (mut frame, mut list) = (Vec::new(), Vec::new());
    for _ in 0..TRIES {
        let mut echo = CommandBuilder::new("sh");
        echo.args(["-c", "echo begun; read line"]);
        nothing.push(times(echo, ["begun"], "\r")[0]);
        let [first, runs] = times(command(&scratch.0), ["\u{1b}[?2026l", "number-9999"], "q");
        frame.push(first);
        list.push(runs);
    }
    println!("  a shell that says a word, for comparison: {:.1} ms", median_ms(&mut nothing));
    aim("first whole frame, median", median_ms(&mut frame), " ms", MOST_MS);
    println!("    fastest {:.1}, slowest {:.1}", ms(frame.first()), ms(frame.last()));
    aim("the runs are listed, median", median_ms(&mut list), " ms", MOST_MS);
    println!("    fastest {:.1}, slowest {:.1}", ms(list.first()), ms(list.last()));
    verdict()
}

fn ms(time: Option<&Duration>) -> f64 {
    time.map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
}
