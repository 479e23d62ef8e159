//! A small program on the loop, started as a process of its own, that writes what it gets into a file.

use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::widgets::Paragraph;
use std::fs::File;
use std::io::Write as _;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use wakeful::ui::frame::{Program, Wish, run};
use wakeful::ui::input::Input;
use wakeful::ui::terminal::{Guard, Options};

pub enum Msg {
    Tick,
    Back,
    Saved,
}

pub enum Cmd {
    /// Messages for two seconds, ten in each millisecond.
    Flood,
    /// Something that takes a second.
    Save,
    /// A panic on a thread of its own.
    Panic,
    /// Something that takes long, so that others wait behind it, then this line in the log.
    Slow(&'static str),
}

struct Show {
    log: File,
    wish: Option<Wish<Msg>>,
    dirty: bool,
    panics: bool,
    clock: bool,
    slow: bool,
    last: String,
    messages: u64,
    drawn: u64,
    flood: Option<(Instant, u64)>,
    end: Option<&'static str>,
}

impl Show {
    fn say(&mut self, line: &str) {
        writeln!(self.log, "{line}").unwrap();
        line.clone_into(&mut self.last);
        self.dirty = true;
    }
}

impl Program for Show {
    type Msg = Msg;
    type Cmd = Cmd;
    type End = &'static str;

    fn input(&mut self, input: Input) -> Vec<Cmd> {
        let key = match input {
            Input::Key(key) => key,
            Input::Paste(text) => {
                self.say(&format!("paste {text:?}"));
                return Vec::new();
            }
            Input::Hangup => {
                self.say("Hangup");
                return vec![Cmd::Save];
            }
            Input::Interrupt | Input::Terminate => {
                self.say(&format!("{input:?}"));
                self.end = Some("told");
                return Vec::new();
            }
            Input::Mouse(_) | Input::Wheel(_) | Input::Resize(..) | Input::Focus(_) => {
                self.say(&format!("{input:?}"));
                return Vec::new();
            }
        };
        let control = key.modifiers == KeyModifiers::CONTROL;
        self.say(&format!("key {:?}{}", key.code, if control { " ctrl" } else { "" }));
        match key.code {
            KeyCode::Char('z') if control => self.wish = Some(Wish::Suspend),
            KeyCode::Char('q') => self.end = Some("quit"),
            KeyCode::Char('p') => self.panics = true,
            KeyCode::Char('c') => self.clock = !self.clock,
            KeyCode::Char('w') => self.slow = true,
            KeyCode::Char('d') => self.wish = Some(Wish::DropTyped),
            KeyCode::Char('o') => {
                self.wish = Some(Wish::Outside(Box::new(|| {
                    println!("outside the screen");
                    Msg::Back
                })));
            }
            KeyCode::Char('t') => return vec![Cmd::Panic],
            KeyCode::Char('s') => {
                self.end = Some("quit");
                return vec![Cmd::Slow("slow one done"), Cmd::Slow("second done")];
            }
            KeyCode::Char('f') => {
                self.flood = Some((Instant::now(), self.drawn));
                return vec![Cmd::Flood];
            }
            _ => {}
        }
        Vec::new()
    }

    fn update(&mut self, msg: Msg) -> Vec<Cmd> {
        self.dirty = true;
        match msg {
            Msg::Tick => self.messages += 1,
            Msg::Back => self.say("back"),
            Msg::Saved => self.end = Some("saved"),
        }
        if self.messages == 20_000
            && let Some((begin, drawn)) = self.flood.take()
        {
            let line = format!("flood {} {}", self.drawn - drawn, begin.elapsed().as_micros());
            self.say(&line);
        }
        Vec::new()
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>) {
        assert!(!self.panics, "drawing failed on purpose");
        if self.slow {
            std::thread::sleep(Duration::from_millis(15));
        }
        self.dirty = false;
        self.drawn += 1;
        let area = frame.area();
        let text = format!(
            "size {}x{}\nmessages {}\nframes {}\nlast {}\n{}",
            area.width,
            area.height,
            self.messages,
            self.drawn,
            self.last,
            "读".repeat(usize::from(area.width) * usize::from(area.height) / 2)
        );
        frame.render_widget(Paragraph::new(text), area);
        frame.set_cursor_position((area.width.saturating_sub(1), area.height.saturating_sub(1)));
    }

    fn dirty(&self) -> bool {
        self.dirty
    }

    fn tick(&self) -> Option<Duration> {
        self.clock.then_some(Duration::from_millis(100))
    }

    fn wish(&mut self) -> Option<Wish<Msg>> {
        self.wish.take()
    }

    fn done(&self) -> Option<&'static str> {
        self.end
    }
}

fn carry_out(command: Cmd, messages: &mpsc::Sender<Msg>, log: &mut File) {
    match command {
        Cmd::Panic => {
            std::thread::spawn(|| panic!("another thread failed on purpose"));
        }
        Cmd::Save => {
            std::thread::sleep(Duration::from_secs(1));
            messages.blocking_send(Msg::Saved).unwrap();
        }
        Cmd::Slow(line) => {
            std::thread::sleep(Duration::from_millis(300));
            writeln!(log, "{line}").unwrap();
        }
        Cmd::Flood => {
            let messages = messages.clone();
            std::thread::spawn(move || {
                let begin = Instant::now();
                for ms in 1..=2000 {
                    for _ in 0..10 {
                        if messages.blocking_send(Msg::Tick).is_err() {
                            return;
                        }
                    }
                    std::thread::sleep(Duration::from_millis(ms).saturating_sub(begin.elapsed()));
                }
            });
        }
    }
}

/// A process of its own: see [`super::window::Window`].
#[test]
#[ignore = "started by other tests, in a terminal"]
fn process() {
    let path = std::env::var_os("WAKEFUL_TEST_LOG").unwrap();
    let open = || File::options().create(true).append(true).open(&path).unwrap();
    let (mut log, mut command_log) = (open(), open());
    writeln!(log, "pid {}", std::process::id()).unwrap();
    if std::env::var_os("WAKEFUL_TEST_ERROR").is_some() {
        let error = fails().unwrap_err();
        println!("ended {error}");
        std::process::exit(9);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (sender, messages) = mpsc::channel(1024);
    // Something works on while the person looks elsewhere.
    let beat = std::env::var_os("WAKEFUL_TEST_BEAT").is_some();
    if beat {
        let sender = sender.clone();
        runtime.spawn(async move {
            while sender.send(Msg::Tick).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
    }
    let mut show = Show {
        log: open(),
        wish: None,
        dirty: true,
        panics: false,
        clock: false,
        slow: false,
        last: String::new(),
        messages: 0,
        drawn: 0,
        flood: None,
        end: None,
    };
    let execute = move |command| carry_out(command, &sender, &mut command_log);
    let ended = runtime.block_on(run(&mut show, Options::default(), messages, execute));
    let (line, code) = match ended {
        Ok(end) => (end.to_owned(), 7),
        Err(fault) => (format!("fault: {fault}"), 8),
    };
    let cpu = super::window::cpu_of(std::process::id().cast_signed());
    writeln!(log, "ended {line}, {cpu} s of processor time").unwrap();
    println!("ended {line}");
    std::process::exit(code);
}

/// An error on the way, with the terminal taken.
fn fails() -> std::io::Result<()> {
    let guard = Guard::enter(Options::default())?;
    assert!(guard.is_held());
    guard.restore();
    guard.restore();
    assert!(!guard.is_held());
    let second = Guard::enter(Options::default()).unwrap_err();
    assert!(second.to_string().contains("taken already"));
    drop(guard);
    let _guard = Guard::enter(Options::default())?;
    std::fs::read("no such file").map(drop)
}
