//! A folder with a workspace, a database and a script; the program in it; and what must be true at the end.

pub use super::running::{Ended, Running, eventually};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;
use wakeful::host::lock::is_held;
use wakeful::run::{Author, Control, Decision, Resolution, RunState};
use wakeful::run::{Call, CallStatus};
use wakeful::store::{CallFilter, CallRow, Store, StoreError, StoreOptions};

const CONFIG: &str = r#"
[approval]
mode = "auto"
[limits]
steps = 1000000
tokens = 1000000000
tool_calls = 1000000
tool_calls_per_minute = 1000000
time = "240h"
[discover]
enabled = false
"#;

/// What the rounds of a script do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// A command, a write of a new file, a write over one, an edit, a note and a read each.
    Mixed,
    /// The same, the command takes this many milliseconds before its effect.
    Slow(u32),
    /// A command with an output of more than a mebibyte each.
    Big,
    /// An edit and a write each, then a question.
    Asking,
}

/// A script of `n` rounds. The effect of round `i` is the line `i` in the file `effects`.
pub fn script(rounds: Rounds, n: usize) -> Value {
    let shell = |command: &str| json!({"name": "shell", "args": {"command": command}});
    let edit = json!({"name": "edit_file",
        "args": {"path": "log.txt", "old_string": "END", "new_string": "line {i}\nEND"}});
    let write =
        |path: &str, content: &str| json!({"name": "write_file", "args": {"path": path, "content": content}});
    let over = write("now.txt", "round {i}\n");
    let files = [
        write("made-{i}.txt", "content {i}\n"),
        over.clone(),
        edit.clone(),
        json!({"name": "note", "args": {"kind": "fact", "text": "round {i} was done"}}),
        json!({"name": "read_file", "args": {"path": "log.txt"}}),
    ];
    let mixed = |command: String| std::iter::once(shell(&command)).chain(files.clone()).collect();
    let calls: Vec<Value> = match rounds {
        Rounds::Mixed => mixed("echo {i} >> effects".to_owned()),
        Rounds::Slow(ms) => {
            mixed(format!("echo {{i}} >> begun; sleep {}.{:03}; echo {{i}} >> effects", ms / 1000, ms % 1000))
        }
        Rounds::Big => vec![shell("echo {i} >> effects; head -c 1700000 /dev/urandom | base64")],
        Rounds::Asking => vec![edit, over],
    };
    let mut steps = vec![json!({"repeat": n, "say": "Round {i} of {n}.", "calls": calls})];
    if rounds == Rounds::Asking {
        steps.push(
            json!({"say": "Is it good?", "calls": [{"name": "ask_person", "args": {"question": "Good?"}}]}),
        );
    }
    steps.push(json!({"say": "Done."}));
    json!({"name": "crash", "steps": steps})
}

/// One test's folder. Ends what its processes left, even when the test fails.
pub struct Scene {
    pub dir: TempDir,
    pub rounds: Rounds,
    pub n: usize,
    pub db: PathBuf,
    /// Most processes that this test starts at the same time.
    pub at_once: usize,
    started: AtomicUsize,
}

impl Scene {
    pub fn new(rounds: Rounds, n: usize) -> Self {
        let dir = tempfile::Builder::new().prefix("wakeful-crash-").tempdir().unwrap();
        let scene =
            Self { db: dir.path().join("w.db"), dir, rounds, n, at_once: 1, started: AtomicUsize::new(0) };
        std::fs::create_dir(scene.workspace()).unwrap();
        std::fs::write(scene.path("log.txt"), "END\n").unwrap();
        std::fs::write(scene.dir.path().join("config.toml"), CONFIG).unwrap();
        scene.become_of(rounds, n);
        scene
    }

    /// From now on processes play another script.
    pub fn become_of(&self, rounds: Rounds, n: usize) {
        std::fs::write(self.dir.path().join("script.json"), script(rounds, n).to_string()).unwrap();
    }

    pub fn workspace(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    /// A file of the workspace.
    pub fn path(&self, name: &str) -> PathBuf {
        self.workspace().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The rounds whose effect took place, in the order in which it did.
    pub fn effects(&self) -> Vec<usize> {
        self.text("effects").lines().map(|line| line.parse().unwrap()).collect()
    }

    fn start(&self, args: &[&str], fault: &str) -> Running {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let (out, err) = (self.log(number, "out"), self.log(number, "err"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_wakeful"));
        command
            .args(args)
            .args(["--headless", "--json", "--config"])
            .arg(self.dir.path().join("config.toml"))
            .current_dir(self.workspace())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.dir.path())
            .env("WAKEFUL_DB", &self.db)
            .env("WAKEFUL_OFFLINE_SCRIPT", self.dir.path().join("script.json"))
            .stdin(Stdio::null())
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&err).unwrap());
        if !fault.is_empty() {
            command.env("WAKEFUL_FAULT", fault);
        }
        Running::new(command.spawn().unwrap(), out, err)
    }

    fn log(&self, number: usize, kind: &str) -> PathBuf {
        self.dir.path().join(format!("{number}.{kind}"))
    }

    /// Begins the run.
    pub fn run(&self, fault: &str) -> Running {
        self.start(&["run", "Do all rounds."], fault)
    }

    /// Goes on with it.
    pub fn resume(&self, fault: &str) -> Running {
        self.start(&["resume", "last"], fault)
    }

    /// Goes on with more arguments.
    pub fn with(&self, args: &[&str]) -> Running {
        self.start(args, "")
    }

    /// Begins the run, or goes on with it if there is one.
    pub async fn go(&self, fault: &str) -> Running {
        if self.has_run().await { self.resume(fault) } else { self.run(fault) }
    }

    /// A handle of the store in this process; a worker lives as its lock says.
    pub fn store(&self) -> Store {
        let workers = self.beside("workers");
        let alive =
            Arc::new(move |id: &wakeful::run::WorkerId| is_held(&workers.join(id.as_str())).unwrap_or(true));
        Store::open(StoreOptions { ballast: false, ..StoreOptions::new(&self.db, alive) }).unwrap()
    }

    fn beside(&self, name: &str) -> PathBuf {
        let mut beside = self.db.clone().into_os_string();
        beside.push(".d");
        PathBuf::from(beside).join(name)
    }

    pub async fn has_run(&self) -> bool {
        if !self.db.exists() {
            return false;
        }
        match self.store().find_run("last").await {
            Ok(_) => true,
            Err(StoreError::NoRun { .. }) => false,
            Err(error) => panic!("whether there is a run cannot be told: {error}"),
        }
    }

    pub async fn state(&self) -> Arc<RunState> {
        let store = self.store();
        let run = store.find_run("last").await.unwrap();
        store.load(&run).await.unwrap().state
    }

    pub async fn calls(&self) -> Vec<CallRow> {
        self.store().calls(CallFilter::default()).await.unwrap()
    }

    pub async fn post(&self, control: Control) {
        let store = self.store();
        let run = store.find_run("last").await.unwrap();
        store.post(&run, control, Author::Person("test".to_owned()), 0).await.unwrap();
    }

    /// Answers every uncertain call as a person would who looks at what is there. Returns how many there were.
    pub async fn answer(&self) -> usize {
        let state = self.state().await;
        let doubtful: Vec<Call> =
            state.ledger.open.values().filter(|c| c.status == CallStatus::Uncertain).cloned().collect();
        for call in &doubtful {
            let round = self.round_of(call).await;
            let happened = self.effects().contains(&round);
            let resolution = if happened { Resolution::Happened } else { Resolution::Rerun };
            let decision = Decision::Resolve { resolution, spool: call.spool() };
            let (call_id, args_hash) = (call.call_id.clone(), call.args_hash.clone());
            self.post(Control::Decide { call_id, args_hash, attempt: call.attempt, decision }).await;
        }
        doubtful.len()
    }

    /// The round that a command belongs to.
    async fn round_of(&self, call: &Call) -> usize {
        assert_eq!(call.tool, "shell", "a file write can be looked at, so it is never in doubt");
        let store = self.store();
        let row = store.find_call(call.call_id.as_str()).await.unwrap();
        let args = store.text(&row.args).await.unwrap();
        let (_, behind) = args.split_once("echo ").unwrap();
        behind.split(' ').next().unwrap().parse().unwrap()
    }

    /// Resumes until the run is completed, answering what is in doubt. Returns how many resumes it took and how many
    /// calls were in doubt, or how a resume failed.
    pub async fn finish(&self) -> Result<(usize, usize), String> {
        let mut doubts = 0;
        for resumes in 1..100 {
            let ended = self.go("").await.wait();
            match ended.said() {
                (Some(0), "completed", _) => return Ok((resumes, doubts)),
                (Some(4), "waiting", "uncertain") => doubts += self.answer().await,
                _ => return Err(format!("a resume failed: {ended:?}")),
            }
        }
        Err("it does not come to an end".to_owned())
    }

    /// Everything that must be true of a completed run. `lost` are rounds whose command is known not to have run.
    pub async fn check(&self, about: &str, lost: &[usize]) {
        let wanted: Vec<usize> = (1..=self.n).filter(|i| !lost.contains(i)).collect();
        if self.rounds != Rounds::Asking {
            assert_eq!(self.effects(), wanted, "{about}: every effect once and in order");
        }
        match self.rounds {
            Rounds::Mixed | Rounds::Slow(_) => self.check_files(about),
            Rounds::Big | Rounds::Asking => {}
        }
        let store = self.store();
        assert_eq!(store.verify_all().await.unwrap(), vec![], "{about}");
        assert_eq!(store.integrity_check().await.unwrap(), vec![], "{about}");
        self.nothing_left(about);
    }

    fn check_files(&self, about: &str) {
        let lines: String = (1..=self.n).map(|i| format!("line {i}\n")).collect();
        assert_eq!(self.text("log.txt"), format!("{lines}END\n"), "{about}");
        assert_eq!(self.text("now.txt"), format!("round {}\n", self.n), "{about}");
        for i in 1..=self.n {
            assert_eq!(self.text(&format!("made-{i}.txt")), format!("content {i}\n"), "{about}");
        }
    }

    /// No process, no spool, no sign of a worker, no half-written file.
    pub fn nothing_left(&self, about: &str) {
        eventually(&format!("{about}: every process ends"), || self.processes().is_empty());
        for folder in ["spool", "live"] {
            assert_eq!(names(&self.beside(folder)), Vec::<String>::new(), "{about}: left in {folder}");
        }
        // Those that worked at the same time as the last owner may have died after it looked: the next one removes them.
        let workers = names(&self.beside("workers"));
        assert!(workers.len() <= self.at_once, "{about}: left in workers: {workers:?}");
        let strange = |name: &String| {
            let known = ["effects", "begun", "log.txt", "now.txt"];
            !known.contains(&name.as_str()) && !name.starts_with("made-")
        };
        let left: Vec<String> = names(&self.workspace()).into_iter().filter(strange).collect();
        assert_eq!(left, Vec::<String>::new(), "{about}: left in the workspace");
    }

    /// Processes of this scene that live: their command line or environment names its folder.
    pub fn processes(&self) -> Vec<(Pid, String)> {
        let mark = self.dir.path().as_os_str().as_encoded_bytes();
        let holds = |text: &[u8]| text.windows(mark.len()).any(|part| part == mark);
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let mut found = Vec::new();
        for pid in pids {
            let read = |name: &str| std::fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            let line = read("cmdline");
            if (holds(&line) || holds(&read("environ")))
                && wakeful::host::process::entry(pid).is_some_and(|entry| !entry.zombie)
            {
                let line = String::from_utf8_lossy(&line).replace('\0', " ");
                found.extend(Pid::from_raw(pid).map(|pid| (pid, line)));
            }
        }
        found
    }

    /// Kills every living supervisor; returns how many. `commands` too, if so said.
    pub fn kill_supervisors(&self, commands: bool) -> usize {
        let (supervisors, others): (Vec<_>, Vec<_>) =
            self.processes().into_iter().partition(|(_, line)| line.contains(" supervise "));
        let killed = supervisors.iter().filter(|(pid, _)| kill_process(*pid, Signal::KILL).is_ok()).count();
        if commands {
            for (pid, _) in
                others.iter().filter(|(_, line)| line.contains("/bin/sh") || line.contains("sleep"))
            {
                let _ = kill_process(*pid, Signal::KILL);
            }
        }
        killed
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        for (pid, _) in self.processes() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
