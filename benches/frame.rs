//! One whole frame of the workstation at 200×60 with a run of 100,000 events in the store.
//!
//! A frame is what one key costs the thread that draws: the key is taken in (`input`), everything is drawn into ratatui's
//! buffer, held against the frame before, and encoded to bytes in memory. Steps that come into view are read from the
//! store outside of the time, as the program reads them on another thread; the frame that shows them is measured too.
//! Reading a snapshot, which happens on another thread as well, is measured by itself.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a bench says what is wrong"
)]

mod common;

use common::{Said, Scratch, Texts, aim, create, median_ms, play_on, store, verdict};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use wakeful::run::RunId;
use wakeful::store::Store;
use wakeful::ui::app::App;
use wakeful::ui::app::model::Look;
use wakeful::ui::app::msg::{Clock, Cmd, Found, Msg, Piece, Rebuilt};
use wakeful::ui::feed::Feed;
use wakeful::ui::frame::Program;
use wakeful::ui::input::Input;
use wakeful::ui::keys::Keymap;
use wakeful::ui::theme::{Glyphs, Theme};
use wakeful::ui::words::{Lang, Phase, Words};

const SIZE: (u16, u16) = (200, 60);
const EVENTS: u64 = 100_000;
/// Frames of each kind.
const FRAMES: usize = 200;
const MOST_MS: f64 = 8.0;

fn script(folder: &std::path::Path, steps: usize) -> Vec<Said> {
    std::fs::create_dir_all(folder).unwrap();
    let mut texts = Texts::new(3);
    for i in 0..20 {
        std::fs::write(folder.join(format!("{i}.txt")), texts.ordinary(2_000)).unwrap();
    }
    (0..steps)
        .map(|i| {
            let read = ("read_file", json!({ "path": format!("{}.txt", i % 20) }));
            let note = ("note", json!({ "kind": "fact", "text": texts.ordinary(120) }));
            (texts.ordinary(400), if i % 4 == 0 { vec![read, note] } else { vec![read] })
        })
        .collect()
}

/// Where the encoded bytes go: counted, and dropped.
#[derive(Default)]
struct Count(Arc<std::sync::atomic::AtomicUsize>);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.fetch_add(bytes.len(), std::sync::atomic::Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The workstation without a terminal.
struct Desk<'r> {
    app: App,
    terminal: Terminal<CrosstermBackend<std::io::BufWriter<Count>>>,
    bytes: Arc<std::sync::atomic::AtomicUsize>,
    store: Store,
    feed: Feed,
    run: RunId,
    runtime: &'r Runtime,
}

fn clocks() -> Clock {
    let wall = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Clock { wall: i64::try_from(wall.as_millis()).unwrap(), mono: Instant::now() }
}

/// One that knows nothing of what is on the screen.
fn terminal(count: Count) -> Terminal<CrosstermBackend<std::io::BufWriter<Count>>> {
    let viewport = Viewport::Fixed(Rect::new(0, 0, SIZE.0, SIZE.1));
    let backend = CrosstermBackend::new(std::io::BufWriter::with_capacity(1 << 20, count));
    Terminal::with_options(backend, TerminalOptions { viewport }).unwrap()
}

impl<'r> Desk<'r> {
    fn new(store: &Store, run: &RunId, runtime: &'r Runtime) -> Self {
        let look = Look {
            lang: Lang::En,
            words: Words::of(Lang::En),
            theme: Theme::named("dark", None, false).unwrap(),
            glyphs: Glyphs::of(false),
            zone: jiff::tz::TimeZone::UTC,
            keys: Keymap::built_in(),
        };
        let count = Count::default();
        let bytes = count.0.clone();
        let terminal = terminal(count);
        let app = App::new(look, Found::default(), 1, Box::new(clocks));
        let feed = Feed::new(store.clone());
        let (store, run) = (store.clone(), run.clone());
        let mut desk = Self { app, terminal, bytes, store, feed, run, runtime };
        desk.app.input(Input::Resize(SIZE.0, SIZE.1));
        let commands = desk.app.show(Some(desk.run.clone()));
        desk.serve(commands);
        desk
    }

    /// Reads the store and tells what is there; the time of the reading.
    fn read(&mut self) -> Duration {
        let begun = Instant::now();
        let shot = self.runtime.block_on(self.feed.read(Some(&self.run), clocks().wall)).unwrap();
        let took = begun.elapsed();
        let commands = self.app.update(Msg::Shot(Arc::new(shot)));
        self.serve(commands);
        took
    }

    fn serve(&mut self, commands: Vec<Cmd>) {
        for command in commands {
            let answer = match command {
                Cmd::Steps(run, spans) => {
                    let read = |span| {
                        self.runtime.block_on(Feed::step(&self.store, &run, span)).map_err(|e| panic!("{e}"))
                    };
                    Msg::Steps(run.clone(), spans.into_iter().map(read).collect())
                }
                Cmd::Text(ticket, body) => Msg::Text(
                    ticket,
                    self.runtime.block_on(self.store.text(&body)).map_err(|e| e.to_string()),
                ),
                // A request as long as the window.
                Cmd::Request(ticket, ..) => {
                    Msg::Request(ticket, Ok(Rebuilt { text: Texts::new(5).ordinary(60_000), differs: None }))
                }
                _ => continue,
            };
            let more = self.app.update(answer);
            self.serve(more);
        }
    }

    /// The time of one frame that follows something.
    fn frame(&mut self, happens: impl FnOnce(&mut App) -> Vec<Cmd>) -> Duration {
        let begun = Instant::now();
        let mut commands = happens(&mut self.app);
        self.terminal.draw(|frame| self.app.draw(frame)).unwrap();
        commands.extend(self.app.after());
        let took = begun.elapsed();
        self.serve(commands);
        took
    }

    fn key(&mut self, code: KeyCode) -> Duration {
        self.frame(|app| app.input(Input::Key(KeyEvent::new(code, KeyModifiers::NONE))))
    }

    /// Frames of one kind: the median, and the slowest of a hundred.
    fn report(&self, what: &str, mut times: Vec<Duration>) {
        let middle = median_ms(&mut times);
        let worst = times[times.len() * 99 / 100].as_secs_f64() * 1_000.0;
        aim(&format!("{what}, median"), middle, " ms", MOST_MS);
        aim(&format!("{what}, 99th of 100"), worst, " ms", MOST_MS);
    }
}

fn main() -> ExitCode {
    let scratch = Scratch::new("frame");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let store = store(&scratch.0.join("w.db"));
    let folder = scratch.0.join("files");
    let run = runtime.block_on(create(&store, "short", &folder));
    let at_work = runtime.block_on(play_on(&store, &run, script(&folder, 40)));
    let each = runtime.block_on(store.load(&run)).unwrap().state.head.seq as f64 / 40.0;
    at_work.abort();
    let steps = (EVENTS as f64 / each * 1.01).ceil() as usize;
    let run = runtime.block_on(create(&store, "long", &folder));
    let at_work = runtime.block_on(play_on(&store, &run, script(&folder, steps)));
    let head = runtime.block_on(store.load(&run)).unwrap().state.head.seq;
    println!(
        "a run of {head} events, {steps} steps, at {}×{}; aim: at most {MOST_MS} ms a frame",
        SIZE.0, SIZE.1
    );

    let mut desk = Desk::new(&store, &run, &runtime);
    let first = desk.read();
    let again: Vec<Duration> = (0..20).map(|_| desk.read()).collect();
    println!(
        "  reading a snapshot (another thread): {:.1} ms the first time, {:.2} ms when nothing changed",
        first.as_secs_f64() * 1_000.0,
        median_ms(&mut again.clone())
    );
    desk.frame(|_| Vec::new());
    desk.frame(|_| Vec::new());
    let times = (0..FRAMES).map(|_| desk.frame(|_| Vec::new())).collect();
    desk.report("nothing new, at the end", times);

    // A reply comes in, as the worker of this process tells of it.
    desk.app.update(Msg::Working(run.clone(), true, None));
    desk.app.update(Msg::Phase(run.clone(), Phase::Infer));
    let mut texts = Texts::new(9);
    let mut piece = |desk: &mut Desk<'_>| {
        let (run, text) = (desk.run.clone(), texts.ordinary(12));
        desk.frame(|app| app.update(Msg::Piece(run, Piece::Text(text))))
    };
    let times = (0..FRAMES).map(|_| piece(&mut desk)).collect();
    desk.report("a reply streams, short", times);
    let run_of = desk.run.clone();
    desk.app.update(Msg::Piece(run_of, Piece::Text(Texts::new(11).ordinary(100_000))));
    desk.frame(|_| Vec::new());
    let times = (0..FRAMES).map(|_| piece(&mut desk)).collect();
    desk.report("a reply streams, 100 kB of it there", times);

    desk.key(KeyCode::Char('1'));
    for (place, to, back) in
        [("the end", KeyCode::PageUp, KeyCode::PageDown), ("the top", KeyCode::PageDown, KeyCode::PageUp)]
    {
        if place == "the top" {
            desk.key(KeyCode::Home);
        }
        let times = (0..FRAMES).map(|n| desk.key(if n % 40 < 20 { to } else { back })).collect();
        desk.report(&format!("a page, from {place}"), times);
        let times = (0..FRAMES).map(|n| desk.key(if n % 40 < 20 { to } else { back })).collect();
        desk.report(&format!("a page, from {place}, read before"), times);
    }
    // To the middle by pages, which are measured as well.
    let pages = FRAMES.max(steps / 60);
    let times = (0..pages).map(|_| desk.key(KeyCode::PageDown)).collect();
    desk.report("a page, down to the middle", times);
    let times = (0..FRAMES).map(|n| desk.key(if n % 2 == 0 { KeyCode::Up } else { KeyCode::Down })).collect();
    desk.report("a line, in the middle", times);
    let times = (0..FRAMES).map(|n| desk.key(KeyCode::Char(if n % 2 == 0 { '4' } else { '3' }))).collect();
    desk.report("from panel to panel", times);
    desk.key(KeyCode::Char('4'));
    let times = (0..FRAMES)
        .map(|n| desk.key(if n % 40 < 20 { KeyCode::PageDown } else { KeyCode::PageUp }))
        .collect();
    desk.report("a page of checkpoints", times);
    let times =
        (0..FRAMES).map(|n| desk.key(if n % 2 == 0 { KeyCode::End } else { KeyCode::Home })).collect();
    desk.report("ends of the checkpoints", times);
    let times =
        (0..FRAMES).map(|n| desk.key(if n % 2 == 0 { KeyCode::Char('?') } else { KeyCode::Esc })).collect();
    desk.report("help opens and closes", times);
    desk.key(KeyCode::Char('x'));
    desk.frame(|_| Vec::new());
    let times = (0..FRAMES)
        .map(|n| desk.key(if n % 40 < 20 { KeyCode::PageDown } else { KeyCode::PageUp }))
        .collect();
    desk.report("a page of a request of 60 kB in a dialog", times);
    desk.key(KeyCode::Esc);
    let times = (0..FRAMES)
        .map(|_| {
            desk.terminal = terminal(Count(desk.bytes.clone()));
            desk.frame(|_| Vec::new())
        })
        .collect();
    desk.bytes.store(0, std::sync::atomic::Ordering::Relaxed);
    desk.report("every cell anew", times);
    desk.terminal = terminal(Count(desk.bytes.clone()));
    desk.frame(|_| Vec::new());
    println!("    {} bytes", desk.bytes.load(std::sync::atomic::Ordering::Relaxed));
    let begun = Instant::now();
    let took = desk.read();
    println!(
        "  a snapshot read after a while: {:.2} ms (another thread); taken in: {:.2} ms",
        took.as_secs_f64() * 1_000.0,
        (begun.elapsed() - took).as_secs_f64() * 1_000.0
    );
    at_work.abort();
    verdict()
}
