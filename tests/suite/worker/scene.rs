//! A workspace, a database and an offline script; the real binary on them, and a look at what it stored.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use wakeful::run::id::WorkerId;
use wakeful::run::{CallStatus, Decoded, Event, RunId, RunState, Status};
use wakeful::store::{CallFilter, CallRow, Store, StoreOptions};

/// Longest wait for anything.
const DEADLINE: Duration = Duration::from_secs(60);

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A process that does not outlive its test.
pub struct Running(pub Child);

impl Running {
    pub fn pid(&self) -> i32 {
        self.0.id() as i32
    }

    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Waits for its end.
    pub fn end(&mut self) -> i32 {
        let deadline = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(Instant::now() < deadline, "it did not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub struct Scene {
    dir: TempDir,
    runtime: tokio::runtime::Runtime,
    store: OnceLock<Store>,
    /// Set for every command.
    env: Vec<(String, String)>,
}

/// A script step with one call of `shell`.
pub fn shell(command: &str) -> String {
    format!("[[steps]]\ncalls = [{{ name = \"shell\", args = {{ command = {command:?} }} }}]\n")
}

/// A script step that writes a file.
pub fn write(path: &str, content: &str) -> String {
    format!(
        "[[steps]]\ncalls = [{{ name = \"write_file\", args = {{ path = {path:?}, content = {content:?} }} }}]\n"
    )
}

impl Scene {
    /// A scene whose model plays these steps, then says that it is done.
    pub fn new(steps: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("ws")).unwrap();
        let scene = Self {
            dir,
            runtime: tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()
                .unwrap(),
            store: OnceLock::new(),
            env: Vec::new(),
        };
        scene.script(steps);
        scene
    }

    /// Puts another script in the place of the first.
    pub fn script(&self, steps: &str) {
        let text = format!("name = \"test\"\n{steps}\n[[steps]]\nsay = \"All done.\"\n");
        std::fs::write(self.dir.path().join("script.toml"), text).unwrap();
    }

    /// The person's config file.
    pub fn config(&self, text: &str) {
        let folder = self.dir.path().join(".config/wakeful");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), text).unwrap();
    }

    /// Sets a variable for every command from here on.
    pub fn set(&mut self, name: &str, value: &str) {
        self.env.push((name.to_owned(), value.to_owned()));
    }

    /// Files of the database, and of the folder beside it, that have this text.
    pub fn stored_in(&self, text: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.beside()];
        let mut files: Vec<PathBuf> =
            ["w.db", "w.db-wal"].iter().map(|name| self.dir.path().join(name)).collect();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
            }
        }
        for file in files {
            let bytes = std::fs::read(&file).unwrap_or_default();
            if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
                found.push(file);
            }
        }
        found
    }

    pub fn ws(&self, path: &str) -> PathBuf {
        self.dir.path().join("ws").join(path)
    }

    pub fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.ws(path)).ok()
    }

    pub fn put(&self, path: &str, text: &str) {
        std::fs::write(self.ws(path), text).unwrap();
    }

    pub fn beside(&self) -> PathBuf {
        self.dir.path().join("w.db.d")
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wakeful"));
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.dir.path())
            .env("WAKEFUL_DB", self.dir.path().join("w.db"))
            .env("WAKEFUL_OFFLINE_SCRIPT", self.dir.path().join("script.toml"))
            .env("WAKEFUL_MODEL", "offline")
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(self.dir.path().join("ws"))
            .stdin(Stdio::null());
        command
    }

    pub fn say(&self, args: &[&str]) -> Said {
        self.command(args).output().unwrap().into()
    }

    /// As [`Scene::say`], and it ends with that exit code.
    pub fn expect(&self, code: i32, args: &[&str]) -> Said {
        let said = self.say(args);
        assert_eq!(said.code, code, "{args:?}: {said:?}");
        said
    }

    pub fn spawn(&self, args: &[&str]) -> Running {
        let mut command = self.command(args);
        Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Starts a run in this process's time; it ends with that exit code.
    pub fn start(&self, code: i32, mode: &str) -> RunId {
        self.expect(code, &["run", "test", "--model", "offline", "--approve", mode, "--headless"]);
        self.run()
    }

    /// Starts a run whose worker stays through waits.
    pub fn start_living(&self, mode: &str) -> Running {
        let running =
            self.spawn(&["run", "test", "--model", "offline", "--approve", mode, "--headless", "--wait"]);
        self.until("a run", || self.dir.path().join("w.db").exists() && self.try_run().is_some());
        running
    }

    pub fn store(&self) -> &Store {
        self.store.get_or_init(|| {
            let workers = self.beside().join("workers");
            let alive = Arc::new(move |worker: &WorkerId| {
                wakeful::host::lock::is_held(&workers.join(worker.as_str())).unwrap_or(true)
            });
            self.runtime
                .block_on(async { Store::open(StoreOptions::new(self.dir.path().join("w.db"), alive)) })
                .unwrap()
        })
    }

    /// Waits for something of the library, in this scene's time.
    pub fn within<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    fn try_run(&self) -> Option<RunId> {
        self.runtime.block_on(self.store().find_run("last")).ok()
    }

    /// The newest run.
    pub fn run(&self) -> RunId {
        self.try_run().unwrap()
    }

    pub fn state(&self) -> Arc<RunState> {
        self.runtime.block_on(self.store().load(&self.run())).unwrap().state
    }

    pub fn status(&self) -> Status {
        self.state().status()
    }

    pub fn calls(&self) -> Vec<CallRow> {
        let filter = CallFilter { run: Some(self.run()), ..CallFilter::default() };
        self.runtime.block_on(self.store().calls(filter)).unwrap()
    }

    pub fn call_statuses(&self) -> Vec<CallStatus> {
        self.calls().iter().map(|c| c.status).collect()
    }

    /// What the model got from the call.
    pub fn result(&self, at: usize) -> String {
        let body = self.calls()[at].result.clone().unwrap();
        self.runtime.block_on(self.store().text(&body)).unwrap()
    }

    pub fn events(&self) -> Vec<Event> {
        let state = self.state();
        let all = self.runtime.block_on(self.store().events(&state.run, 1, state.head.seq)).unwrap();
        all.into_iter()
            .map(|e| match e.event {
                Decoded::Known(event) => *event,
                Decoded::Unknown { kind, .. } => panic!("unknown {kind}"),
            })
            .collect()
    }

    pub fn count(&self, kind: &str) -> usize {
        self.events().iter().filter(|e| e.kind() == kind).count()
    }

    /// Controls that wait to be taken.
    pub fn pending(&self) -> usize {
        self.runtime.block_on(self.store().pending(&self.run())).unwrap().len()
    }

    /// Polls until it holds.
    pub fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let deadline = Instant::now() + DEADLINE;
        while !holds() {
            assert!(Instant::now() < deadline, "waited in vain for {what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn until_waiting(&self) {
        self.until("the run to wait", || matches!(self.status(), Status::Waiting(_)));
    }

    /// The journal, the derived tables and the chain hold together.
    pub fn is_whole(&self) {
        let found = self.runtime.block_on(self.store().verify_all()).unwrap();
        assert!(found.is_empty(), "{found:?}");
        let broken = wakeful::agent::invariants::broken(&self.state());
        assert!(broken.is_empty(), "{broken:?}");
    }
}

/// Process ids whose command line has this text, but for this process.
pub fn processes(text: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<i32>().ok()) else { continue };
        let line =
            std::fs::read(Path::new("/proc").join(pid.to_string()).join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(text) && pid != std::process::id() as i32 {
            found.push(pid);
        }
    }
    found
}
