//! A process of the program, how it ended, and waiting for what must come true.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// Longest that one process may take before the test says that it hangs.
const HANGS: Duration = Duration::from_secs(90);

/// A process of the program.
pub struct Running {
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

/// How it ended.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    /// Its lines of JSON.
    pub lines: Vec<Value>,
    pub stderr: String,
}

impl Running {
    /// One that was started, with the files of its output.
    pub fn new(child: Child, out: PathBuf, err: PathBuf) -> Self {
        Self { child, out, err }
    }

    pub fn signal(&self, signal: Signal) {
        // One that has ended meanwhile is a zombie, which takes no harm.
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Bytes on its standard output so far.
    pub fn printed(&self) -> u64 {
        std::fs::metadata(&self.out).map_or(0, |file| file.len())
    }

    pub fn stderr(&self) -> String {
        std::fs::read_to_string(&self.err).unwrap_or_default()
    }

    /// Waits for its end.
    pub fn wait(mut self) -> Ended {
        let until = Instant::now() + HANGS;
        while !self.is_over() {
            if Instant::now() > until {
                self.signal(Signal::KILL);
                panic!("it hangs: {} {}", self.stderr(), std::fs::read_to_string(&self.out).unwrap());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let text = std::fs::read_to_string(&self.out).unwrap();
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let lines = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Ended { status: self.child.wait().unwrap(), lines, stderr: self.stderr() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    /// Exit code, status and what it waits for.
    pub fn said(&self) -> (Option<i32>, &str, &str) {
        let last = self.lines.last().filter(|line| line["event"] == "end");
        let word = |name: &str| last.and_then(|line| line[name].as_str()).unwrap_or_default();
        (self.status.code(), word("status"), word("wait"))
    }

    pub fn was_killed(&self) -> bool {
        self.status.code().is_none()
    }
}

/// Waits for a condition, at most 30 s.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < until, "never came true: {what}");
        std::thread::sleep(Duration::from_millis(3));
    }
}
