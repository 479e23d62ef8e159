//! What the benches share: folders, texts, figures, and a worker on a scripted model in this process.

#![allow(dead_code, reason = "each bench uses its part")]

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wakeful::config::Config;
use wakeful::context::prompts_version;
use wakeful::host::drive::Driver;
use wakeful::host::environment::Secrets;
use wakeful::provider::{
    BoxFuture, Cancel, ChatRequest, Finish, ModelError, Progress, Provider, ProviderInfo, RawCall, Reply,
    Usage,
};
use wakeful::run::event::JOURNAL_FORMAT;
use wakeful::run::settings::{ContextSettings, ModelSettings, Protocol};
use wakeful::run::{
    Author, BlobBag, Event, Goal, Limits, Mode, NewEvent, RunId, RunState, Settings, WorkerId,
};
use wakeful::store::{Store, StoreOptions};
use wakeful::tokens::{Counter as _, Estimate};
use wakeful::tool::{ShellLimits, built_in};
use wakeful::worker::{Engine, Models, Silent, Stay, Stop, advance};

/// A folder on the disk under test: `WAKEFUL_BENCH_DIR`, else the build's own folder. Removed when dropped.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let root = std::env::var_os("WAKEFUL_BENCH_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
        let path = root.join(format!("bench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A store in which nobody else lives.
pub fn store(path: &Path) -> Store {
    Store::open(StoreOptions::new(path.to_owned(), Arc::new(|_| false))).unwrap()
}

/// A generator of texts; the same seed gives the same texts.
pub struct Texts(u64);

impl Texts {
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Text that no compressor makes smaller than its 6 bits a character, in lines.
    pub fn noise(&mut self, len: usize) -> String {
        const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        (0..len)
            .map(|i| match i % 80 {
                79 => '\n',
                _ => char::from(SIGNS[(self.next() % 64) as usize]),
            })
            .collect()
    }

    /// A passage of the project's own sources.
    pub fn ordinary(&mut self, len: usize) -> String {
        const SOURCES: &str = concat!(
            include_str!("../../src/store/commit.rs"),
            include_str!("../../src/agent/policy.rs"),
            include_str!("../../src/host/supervise.rs"),
            include_str!("../../src/context/summary.rs"),
            include_str!("../../src/tool/search.rs"),
        );
        let mut at = (self.next() as usize) % (SOURCES.len() - len);
        while !SOURCES.is_char_boundary(at) {
            at -= 1;
        }
        let mut end = at + len;
        while !SOURCES.is_char_boundary(end) {
            end -= 1;
        }
        SOURCES.get(at..end).unwrap_or_default().to_owned()
    }
}

/// Middle value, in milliseconds.
pub fn median_ms(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1_000.0
}

/// All together, in milliseconds.
pub fn sum_ms(times: &[Duration]) -> f64 {
    times.iter().sum::<Duration>().as_secs_f64() * 1_000.0
}

/// Aims that were missed so far.
static MISSED: AtomicUsize = AtomicUsize::new(0);

/// Prints a figure beside its aim, and counts it if it misses. What is no number misses.
pub fn aim(what: &str, value: f64, unit: &str, most: f64) {
    let met = value <= most;
    if !met {
        MISSED.fetch_add(1, Ordering::Relaxed);
    }
    let sign = if met { "ok  " } else { "OVER" };
    println!("  {sign} {what}: {value:.2}{unit} (aim: at most {most}{unit})");
}

/// How a bench ends: with 1 if an aim was missed and `WAKEFUL_BENCH_STRICT=1` asks for that.
pub fn verdict() -> ExitCode {
    let missed = MISSED.load(Ordering::Relaxed);
    if missed == 0 {
        return ExitCode::SUCCESS;
    }
    println!("  aims missed: {missed}");
    let strict = std::env::var_os("WAKEFUL_BENCH_STRICT").is_some_and(|value| value == "1");
    if strict { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// One reply of the scripted model: text and calls.
pub type Said = (String, Vec<(&'static str, serde_json::Value)>);

/// A model that says what it was given, at once. With nothing left it is done, or never answers.
pub struct Scripted {
    said: Mutex<VecDeque<Said>>,
    falls_silent: bool,
    /// Tells what it counted, as a server does: about a fifth more than the estimate.
    counts: bool,
}

fn counted(request: &ChatRequest) -> Usage {
    let text = serde_json::to_string(&(&request.messages, &request.tools)).unwrap_or_default();
    Usage { prompt: u64::from(Estimate.count(&text)) * 6 / 5, completion: 60, ..Usage::default() }
}

/// The reply to a request beside the conversation: of what it is shown, as much as a summary keeps.
fn aside(request: &ChatRequest) -> Option<String> {
    let text = serde_json::to_string(&request.messages).unwrap_or_default();
    if text.contains("You condense") {
        let kept: String = text
            .split_whitespace()
            .filter(|word| word.len() > 4)
            .take(150)
            .fold(String::from("FACTS\n- "), |all, word| all + word + " ");
        return Some(kept);
    }
    text.contains("You keep the core")
        .then(|| "CORE: All files are read one after the other.\nWRONG: none".to_owned())
}

impl Provider for Scripted {
    fn chat<'a>(
        &'a self,
        request: ChatRequest,
        _progress: Progress,
        _cancel: Cancel,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let usage = self.counts.then(|| counted(&request));
            if let Some(text) = aside(&request) {
                return Ok(Reply { text, usage, finish: Finish::Stop, ..Reply::default() });
            }
            let said = self.said.lock().unwrap().pop_front();
            if said.is_none() && self.falls_silent {
                std::future::pending::<()>().await;
            }
            let (text, calls) = said.unwrap_or_else(|| ("Done.".to_owned(), Vec::new()));
            let calls: Vec<RawCall> =
                calls.into_iter().map(|(n, a)| RawCall::new(None, n.to_owned(), a.to_string())).collect();
            let finish = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
            Ok(Reply { text, calls, usage, finish, ..Reply::default() })
        })
    }

    fn describe(&self) -> ProviderInfo {
        ProviderInfo { name: "scripted".to_owned(), base_url: String::new(), offline: true }
    }
}

struct One(Arc<Scripted>);

impl Models for One {
    fn provider(&self, _settings: &Settings) -> Result<Arc<dyn Provider>, String> {
        Ok(self.0.clone())
    }
}

/// Settings under which no limit is met.
pub fn settings() -> Settings {
    Settings {
        mode: Mode::Auto,
        limits: Limits {
            steps: u32::MAX,
            tokens: u64::MAX / 4,
            active_ms: u64::MAX / 4,
            tool_calls: u32::MAX,
            tool_calls_minute: u32::MAX,
            ..Limits::default()
        },
        rules: Vec::new(),
        tools: Config::default().tools(built_in(ShellLimits::default())),
        model: ModelSettings {
            profile: "offline".to_owned(),
            model: "scripted".to_owned(),
            base_url: String::new(),
            offline: true,
            window: 32_768,
            reserve: 2_048,
            protocol: Protocol::Native,
            tokenizer: "estimate".to_owned(),
            tokenizer_file: None,
            exact: false,
            calibration: None,
            learnt_window: None,
            price: None,
            temperature: None,
            send_reasoning: false,
            state_at_head: false,
        },
        summary_model: None,
        context: ContextSettings::default(),
        decide_after_ms: None,
        keep_results: true,
        max_results: 200,
        prompts: prompts_version(),
        program: "bench".to_owned(),
    }
}

/// The same for a model that is asked for summaries and the core of the task too, in a window of 8k tokens.
pub fn asked_settings() -> Settings {
    let mut settings = settings();
    settings.model = ModelSettings { offline: false, window: 8_192, reserve: 1_024, ..settings.model };
    settings
}

/// Creates a run.
pub async fn create(store: &Store, name: &str, workspace: &Path) -> RunId {
    create_with(store, name, workspace, settings()).await
}

/// Creates a run with these settings.
pub async fn create_with(store: &Store, name: &str, workspace: &Path, settings: Settings) -> RunId {
    let run = RunId::new(format!("r-{name}"));
    let event = Event::RunCreated {
        format: JOURNAL_FORMAT,
        title: name.to_owned(),
        goal: Goal { text: "Read everything and say what it is".to_owned(), ..Goal::default() },
        workspace: workspace.to_owned(),
        settings: Box::new(settings),
    };
    let author = Author::Person("bench".to_owned());
    let events = vec![NewEvent { author, event }];
    store.create_run(run.clone(), events, BlobBag::new(), 1).await.unwrap();
    run
}

/// A worker plays the script to its end.
pub async fn play(store: &Store, run: &RunId, script: Vec<Said>) -> Arc<RunState> {
    let (_stop, stop) = tokio::sync::watch::channel(false);
    let counts =
        store.load(run).await.unwrap().state.settings().is_some_and(|settings| !settings.model.offline);
    let engine =
        engine(store, Scripted { said: Mutex::new(script.into()), falls_silent: false, counts }, stop);
    let stop = advance(&engine, run, Stay::UntilWait).await.unwrap();
    assert!(matches!(stop, Stop::Ended(_)), "{stop:?}");
    store.load(run).await.unwrap().state
}

/// A worker plays the script and then waits for a reply that never comes: the run is at work for as long as what comes
/// back is kept.
pub async fn play_on(store: &Store, run: &RunId, script: Vec<Said>) -> tokio::task::JoinHandle<()> {
    let scripted = Scripted { said: Mutex::new(script.into()), falls_silent: true, counts: false };
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let engine = engine(store, scripted, stopped);
    let id = run.clone();
    let task = tokio::spawn(async move {
        let _stop = stop;
        let _ = advance(&engine, &id, Stay::UntilWait).await;
    });
    let mut head = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let now = store.load(run).await.unwrap().state.head.seq;
        if now == head {
            return task;
        }
        head = now;
    }
}

fn engine(store: &Store, model: Scripted, stop: tokio::sync::watch::Receiver<bool>) -> Engine {
    Engine {
        store: store.clone(),
        worker: WorkerId::new("w-bench"),
        models: Arc::new(One(Arc::new(model))),
        driver: Driver::own(),
        secrets: Secrets::default(),
        env_allow: Vec::new(),
        own_files: Vec::new(),
        allow_hosts: Vec::new(),
        vectors: None,
        observer: Arc::new(Silent),
        stop,
    }
}

/// Bytes of the database when everything is in its file.
pub async fn size(store: &Store) -> u64 {
    store.close().await.unwrap();
    std::fs::metadata(store.path()).unwrap().len()
}
