//! A place of its own for the real binary: workspace, configuration, database, and the scripted server that it asks.

use crate::suite::provider::server::{Answer, ChatServer, PATIENCE, Request};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use wakeful::run::control::{Author, Control, Decision};
use wakeful::run::id::RunId;
use wakeful::run::{Decoded, Event};
use wakeful::store::{CallFilter, CallRow, Store, StoreOptions};

/// The variable that holds the key of the profile, and the key.
pub const KEY: (&str, &str) = ("STUB_KEY", "sk-live-4711-abcdefghijklmnop");
/// A limit on calls a minute that no test reaches by accident.
pub const MANY_CALLS: &str = "[limits]\ntool_calls_per_minute = 1000\n";
/// The same, and the server is asked for turns alone, never for a summary.
pub const MANY_TURNS: &str = "[limits]\ntool_calls_per_minute = 1000\n[context]\nsummary_by = \"rules\"\n";

/// Longest life of an invocation, where nothing else is said.
const LONGEST: Duration = Duration::from_secs(180);

/// The place.
pub struct Scene {
    dir: TempDir,
    /// Variables that the binary gets besides the usual ones.
    env: Vec<(String, String)>,
    /// Longest life of an invocation.
    longest: Duration,
}

/// What a whole invocation left behind.
#[derive(Debug)]
pub struct Done {
    /// Exit code.
    pub code: i32,
    /// The JSON lines of stdout.
    pub lines: Vec<Value>,
    /// Stderr.
    pub talk: String,
}

impl Done {
    /// Data of all events of a kind, in order.
    pub fn all(&self, kind: &str) -> Vec<&Value> {
        self.lines.iter().filter(|l| l["event"] == kind).map(|l| &l["data"]).collect()
    }

    /// Kinds of all events, in order.
    pub fn kinds(&self) -> Vec<&str> {
        self.lines.iter().filter_map(|l| l["event"].as_str()).collect()
    }

    /// The last line.
    pub fn end(&self) -> &Value {
        let end = self.lines.last().expect("it printed nothing");
        assert_eq!(end["event"], "end", "{}", self.talk);
        end
    }

    /// Checks exit code and final status.
    pub fn expect(&self, code: i32, status: &str) -> &Self {
        let found = (self.code, self.lines.last().map(|l| l["status"].clone()));
        assert_eq!(found, (code, Some(json!(status))), "{}\n{:#?}", self.talk, self.kinds());
        self
    }

    /// Checks that it waits, and why.
    pub fn waits_for(&self, why: &str) -> &Self {
        self.expect(4, "waiting");
        assert_eq!(self.end()["wait"], why);
        self
    }
}

/// An invocation at work.
pub struct Work {
    child: Child,
    /// Gone with the work: then nobody kills the process any more.
    _watched: mpsc::Sender<()>,
    out: BufReader<ChildStdout>,
    lines: Vec<Value>,
}

impl Work {
    /// Reads on until an event of this kind, and gives its data; fails loudly at the end of the output.
    pub fn until(&mut self, kind: &str) -> Value {
        loop {
            let line = self.read().unwrap_or_else(|| panic!("it ended before {kind}: {:#?}", self.lines));
            if line["event"] == kind {
                return line["data"].clone();
            }
        }
    }

    /// The next line; none at the end of the output.
    pub fn next(&mut self) -> Option<Value> {
        self.read()
    }

    fn read(&mut self) -> Option<Value> {
        let mut text = String::new();
        if self.out.read_line(&mut text).unwrap() == 0 {
            return None;
        }
        let line: Value = serde_json::from_str(&text).unwrap();
        self.lines.push(line.clone());
        Some(line)
    }

    /// Kills it as a power cut would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The run's id.
    pub fn id(&self) -> String {
        let run = self.lines.iter().find(|l| l["event"] == "run").unwrap();
        run["run"].as_str().unwrap().to_owned()
    }

    /// The number of its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to save and stop.
    pub fn terminate(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    /// Reads on to the end.
    pub fn finish(mut self) -> Done {
        while self.read().is_some() {}
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        let mut talk = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut talk).unwrap();
        Done { code, lines: std::mem::take(&mut self.lines), talk }
    }
}

/// The binary in a real terminal.
pub struct Terminal {
    child: Box<dyn portable_pty::Child + Send + Sync>,
    _master: Box<dyn portable_pty::MasterPty + Send>,
    /// Its end would be typed as an end of input.
    keys: Mutex<Box<dyn Write + Send>>,
    /// Everything that was printed.
    pub screen: Arc<Mutex<String>>,
}

impl Terminal {
    /// Types this; `\r` is the return key.
    pub fn type_in(&self, text: &str) {
        let mut keys = self.keys.lock().unwrap();
        keys.write_all(text.as_bytes()).and_then(|()| keys.flush()).unwrap();
    }

    /// Waits until this text was printed so often.
    pub fn wait_for_times(&self, text: &str, times: usize) {
        let begun = Instant::now();
        while self.screen().matches(text).count() < times {
            assert!(begun.elapsed() < PATIENCE, "{text:?} is not there {times} times:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the end of the process and gives its exit code.
    pub fn end(mut self) -> u32 {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            if begun.elapsed() > PATIENCE {
                self.child.kill().unwrap();
                panic!("it did not end:\n{}", self.screen());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until this text was printed.
    pub fn wait_for(&self, text: &str) {
        self.wait_for_times(text, 1);
    }

    /// Everything that was printed so far.
    pub fn screen(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    /// Sends a signal and gives the exit code.
    pub fn end_by(self, signal: rustix::process::Signal) -> u32 {
        let pid = i32::try_from(self.child.process_id().unwrap()).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
        self.end()
    }
}

impl Scene {
    /// A place whose model `stub` is this server.
    pub fn new(server: &ChatServer) -> Self {
        Self::with(&server.base(), "stub", "", "")
    }

    /// A place with more lines in the profile, and more of the configuration behind it.
    pub fn of(server: &ChatServer, profile: &str, config: &str) -> Self {
        Self::with(&server.base(), "stub", profile, config)
    }

    /// A place whose model is at this address.
    pub fn with(base: &str, model: &str, profile: &str, config: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("ws")).unwrap();
        let mut lines = format!(
            "default_profile = \"stub\"\n[profile.stub]\nbase_url = \"{base}\"\nmodel = \"{model}\"\n"
        );
        for (name, value) in [("window", "32768"), ("protocol", "\"native\""), ("key_env", "\"STUB_KEY\"")] {
            if !profile.contains(&format!("{name} =")) {
                lines.push_str(&format!("{name} = {value}\n"));
            }
        }
        std::fs::write(dir.path().join("config.toml"), format!("{lines}{profile}\n{config}")).unwrap();
        Self { dir, env: vec![(KEY.0.to_owned(), KEY.1.to_owned())], longest: LONGEST }
    }

    /// The same with one more variable in the environment.
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same, where an invocation may take so long.
    pub fn with_patience(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }

    /// The workspace.
    pub fn workspace(&self) -> PathBuf {
        self.dir.path().join("ws")
    }

    /// The folder with everything.
    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file of the workspace.
    pub fn file(&self, name: &str, text: &str) {
        std::fs::write(self.workspace().join(name), text).unwrap();
    }

    /// Reads a file of the workspace.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.workspace().join(name)).unwrap_or_default()
    }

    /// The binary with these arguments and this environment in a real terminal.
    pub fn terminal(&self, args: &[&str]) -> Terminal {
        self.terminal_of(80, args)
    }

    /// The same in a terminal of so many columns.
    pub fn terminal_of(&self, cols: u16, args: &[&str]) -> Terminal {
        let size = portable_pty::PtySize { cols, ..Default::default() };
        let pair = portable_pty::native_pty_system().openpty(size).unwrap();
        let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_wakeful"));
        command.args(args);
        command.arg("--db");
        command.arg(self.db());
        command.arg("--config");
        command.arg(self.dir.path().join("config.toml"));
        command.cwd(self.workspace());
        command.env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.dir.path());
        for (name, value) in &self.env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let screen = Arc::new(Mutex::new(String::new()));
        let (mut from, to) = (pair.master.try_clone_reader().unwrap(), screen.clone());
        std::thread::spawn(move || {
            let (mut all, mut piece) = (Vec::new(), [0u8; 4096]);
            while let Ok(n) = from.read(&mut piece) {
                if n == 0 {
                    break;
                }
                // Anew each time: a piece may end in the middle of a character.
                all.extend_from_slice(&piece[..n]);
                *to.lock().unwrap() = String::from_utf8_lossy(&all).into_owned();
            }
        });
        let keys = Mutex::new(pair.master.take_writer().unwrap());
        Terminal { child, _master: pair.master, keys, screen }
    }

    /// The binary with these arguments, in the workspace and with an environment of its own.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wakeful"));
        command
            .args(args)
            .arg("--db")
            .arg(self.db())
            .arg("--config")
            .arg(self.dir.path().join("config.toml"))
            .current_dir(self.workspace())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.dir.path())
            .envs(self.env.iter().map(|(n, v)| (n, v)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Starts `run` or `resume` headless with JSON lines.
    pub fn start(&self, args: &[&str]) -> Work {
        let args: Vec<&str> = args.iter().copied().chain(["--headless", "--json"]).collect();
        let mut child = self.command(&args).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let pid = rustix::process::Pid::from_child(&child);
        let (watched, over) = mpsc::channel();
        let longest = self.longest;
        // One that hangs is ended, so that its test fails and the others go on.
        std::thread::spawn(move || {
            if over.recv_timeout(longest) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        });
        Work { child, _watched: watched, out, lines: Vec::new() }
    }

    /// `wakeful run GOAL --approve auto` with more arguments, to its end.
    pub fn run(&self, goal: &str, more: &[&str]) -> Done {
        self.start(&Self::goal(goal, more)).finish()
    }

    /// The arguments of a run.
    pub fn goal<'a>(goal: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let mode: &[&str] = if more.contains(&"--approve") { &[] } else { &["--approve", "auto"] };
        ["run", goal].iter().chain(mode).chain(more).copied().collect()
    }

    /// `wakeful resume last` with more arguments, to its end.
    pub fn resume(&self, more: &[&str]) -> Done {
        let args: Vec<&str> = ["resume", "last"].iter().chain(more).copied().collect();
        self.start(&args).finish()
    }

    /// The database.
    pub fn db(&self) -> PathBuf {
        self.dir.path().join("w.db")
    }

    /// The store, for looking and for controls; it takes no run from anybody.
    pub fn store(&self) -> Store {
        Store::open(StoreOptions::new(self.db(), Arc::new(|_| true))).unwrap()
    }

    /// The newest run.
    pub async fn last(&self, store: &Store) -> RunId {
        store.find_run("last").await.unwrap()
    }

    /// All events of the newest run, in order.
    pub fn events(&self) -> Vec<Event> {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let store = self.store();
            let run = self.last(&store).await;
            let head = store.load(&run).await.unwrap().state.head.seq;
            let all = store.events(&run, 1, head).await.unwrap();
            let known = all.into_iter().map(|one| match one.event {
                Decoded::Known(event) => *event,
                Decoded::Unknown { kind, .. } => panic!("unknown {kind}"),
            });
            known.collect()
        })
    }

    /// Writes a control for the newest run.
    pub async fn post(&self, control: Control) {
        let store = self.store();
        let run = self.last(&store).await;
        store.post(&run, control, Author::Person("test".into()), 1).await.unwrap();
        store.close().await.unwrap();
    }

    /// Decides the one call that waits.
    pub async fn decide(&self, decision: Decision) {
        let row = self.open_call().await;
        let (call_id, args_hash, attempt) = (row.call_id, row.args_hash, row.attempt);
        self.post(Control::Decide { call_id, args_hash, attempt, decision }).await;
    }

    /// The one open call of the newest run.
    pub async fn open_call(&self) -> CallRow {
        let store = self.store();
        let run = self.last(&store).await;
        let filter = CallFilter { run: Some(run), open_only: true, ..CallFilter::default() };
        let mut rows = store.calls(filter).await.unwrap();
        store.close().await.unwrap();
        assert_eq!(rows.len(), 1, "{rows:#?}");
        rows.remove(0)
    }
}

/// A streamed reply in text, with usage.
pub fn text(words: &str, prompt: u64, completion: u64) -> Answer {
    Answer::stream()
        .data(&json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": null}}]}))
        .data(&json!({"choices": [{"index": 0, "delta": {"content": words}}]}))
        .data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
        .data(&usage(prompt, completion))
        .done()
}

/// A last chunk with usage.
pub fn usage(prompt: u64, completion: u64) -> Value {
    json!({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion,
        "total_tokens": prompt + completion}})
}

/// A streamed reply with calls as they are written: (id, tool, arguments).
pub fn raw_calls(calls: &[(&str, &str, &str)]) -> Answer {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(index, (id, name, arguments))| {
            json!({"index": index, "id": id, "type": "function",
                "function": {"name": name, "arguments": arguments}})
        })
        .collect();
    Answer::stream()
        .data(&json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]}))
        .data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}))
        .done()
}

/// A streamed reply with one call.
pub fn call(id: &str, name: &str, arguments: Value) -> Answer {
    Answer::calls(&[(id, name, arguments)])
}

/// What the slots of a table hold in all.
pub fn total_of(table: &Value) -> u64 {
    table["rows"].as_array().unwrap().iter().map(|row| row["used"].as_u64().unwrap()).sum()
}

/// Messages of a request.
pub fn messages(request: &Request) -> &[Value] {
    request.body["messages"].as_array().expect("no messages")
}

/// The text of a request's messages, one after the other.
pub fn all_text(request: &Request) -> String {
    let texts: Vec<&str> = messages(request).iter().filter_map(|m| m["content"].as_str()).collect();
    texts.join("\n")
}

fn begins(request: &Request, words: &str) -> bool {
    messages(request)[0]["content"].as_str().unwrap_or_default().starts_with(words)
}

/// Whether a summary of older rounds is asked for.
pub fn asks_summary(request: &Request) -> bool {
    begins(request, "You condense")
}

/// Whether the goal keeper is asked.
pub fn asks_keeper(request: &Request) -> bool {
    begins(request, "You keep the core")
}

/// Checks that a request answers each call exactly once, and no other.
pub fn assert_paired(request: &Request) {
    let mut open: Vec<&str> = Vec::new();
    for message in messages(request) {
        match message["role"].as_str() {
            Some("tool") => {
                let id = message["tool_call_id"].as_str().unwrap();
                let at = open.iter().position(|o| *o == id).unwrap_or_else(|| panic!("{id} answers nothing"));
                open.remove(at);
            }
            _ => assert!(open.is_empty(), "{open:?} are not answered before {message}"),
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            open.push(call["id"].as_str().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?} are not answered");
}

/// Waits until `condition` holds, polling; fails loudly after a while.
pub fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "never came true: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
