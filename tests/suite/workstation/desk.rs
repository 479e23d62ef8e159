//! A terminal with the workstation in it: its keys, its screen, the bytes it wrote, and how it ends.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub use super::place::Place;

/// Longest wait for something on the screen.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A window with the workstation, or with a shell that runs it.
pub struct Desk {
    child: Box<dyn Child + Send + Sync>,
    master: Option<Box<dyn MasterPty + Send>>,
    /// Kept open, so that the terminal keeps its modes when its last program ends.
    slave: Option<Box<dyn SlavePty + Send>>,
    keys: Option<Mutex<Box<dyn std::io::Write + Send>>>,
    parser: Arc<Mutex<vt100::Parser>>,
    seen: Arc<Mutex<Vec<u8>>>,
    closed: Arc<AtomicBool>,
    reader: Option<std::thread::JoinHandle<()>>,
    /// The terminal's modes before anything ran.
    modes: String,
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN)
}

/// The terminal's own modes, as `stty -a` tells them; its first line has the size.
fn modes_of(master: &dyn MasterPty) -> String {
    let out = std::process::Command::new("stty")
        .arg("-a")
        .arg("-F")
        .arg(master.tty_name().unwrap())
        .output()
        .unwrap();
    assert!(out.status.success(), "{out:?}");
    String::from_utf8(out.stdout).unwrap().lines().skip(1).map(|line| format!("{line}\n")).collect()
}

impl Desk {
    /// Runs a command in a new window.
    pub fn run(command: CommandBuilder, columns: u16, rows: u16) -> Self {
        let size = PtySize { rows, cols: columns, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).unwrap();
        let modes = modes_of(&*pair.master);
        let child = pair.slave.spawn_command(command).unwrap();
        let parser = Arc::new(Mutex::new(vt100::Parser::new(cells(rows), cells(columns), 0)));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let closed = Arc::new(AtomicBool::new(false));
        let mut from = pair.master.try_clone_reader().unwrap();
        let (to, all, over) = (parser.clone(), seen.clone(), closed.clone());
        let reader = std::thread::spawn(move || {
            let mut piece = [0u8; 8192];
            while let Ok(n @ 1..) = from.read(&mut piece) {
                all.lock().unwrap().extend_from_slice(&piece[..n]);
                to.lock().unwrap().process(&piece[..n]);
                if over.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        let keys = Some(Mutex::new(pair.master.take_writer().unwrap()));
        let (master, slave, reader) = (Some(pair.master), Some(pair.slave), Some(reader));
        Self { child, master, slave, keys, parser, seen, closed, reader, modes }
    }

    pub fn press(&self, keys: &str) {
        self.press_bytes(keys.as_bytes());
    }

    /// Bytes that may be a part of a key.
    pub fn press_bytes(&self, bytes: &[u8]) {
        self.keys.as_ref().unwrap().lock().unwrap().write_all(bytes).unwrap();
    }

    /// The screen as a person sees it.
    pub fn seen(&self) -> vt100::Screen {
        self.parser.lock().unwrap().screen().clone()
    }

    pub fn screen(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
    }

    /// All bytes that the program wrote.
    pub fn bytes(&self) -> Vec<u8> {
        self.seen.lock().unwrap().clone()
    }

    pub fn shows(&self, text: &str) -> bool {
        self.screen().contains(text)
    }

    pub fn wait(&self, text: &str) {
        self.until(text, || self.shows(text));
    }

    pub fn wait_gone(&self, text: &str) {
        self.until(&format!("no {text}"), || !self.shows(text));
    }

    pub fn until(&self, what: &str, condition: impl Fn() -> bool) {
        let begun = Instant::now();
        while !condition() {
            assert!(begun.elapsed() < PATIENCE, "{what:?} never came:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Presses a key again and again until the screen shows this: a guard may keep it from being heard at first.
    pub fn press_until(&self, key: &str, text: &str) {
        self.press_till(key, text, || self.shows(text));
    }

    /// The same, until something is true. Slower than a guard that begins anew with each key that comes too soon.
    pub fn press_till(&self, key: &str, what: &str, condition: impl Fn() -> bool) {
        let begun = Instant::now();
        while !condition() {
            assert!(begun.elapsed() < PATIENCE, "{key:?} does not lead to {what:?}:\n{}", self.screen());
            self.press(key);
            let next = Instant::now() + Duration::from_millis(400);
            while Instant::now() < next && !condition() {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        self.parser.lock().unwrap().screen_mut().set_size(cells(rows), cells(columns));
        let size = PtySize { rows, cols: columns, ..PtySize::default() };
        self.master.as_ref().unwrap().resize(size).unwrap();
    }

    /// The process that was started in the window.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.process_id().unwrap()).unwrap()
    }

    pub fn signal(&self, signal: Signal) {
        signal_to(self.pid(), signal);
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes the window, which a key is pressed for: the reader holds it too, and gives it up at the next bytes.
    pub fn close(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
        self.press("k");
        let begun = Instant::now();
        while !self.reader.as_ref().is_none_or(std::thread::JoinHandle::is_finished) {
            assert!(begun.elapsed() < PATIENCE, "the reader stays");
            std::thread::sleep(Duration::from_millis(2));
        }
        self.keys.take();
        self.slave.take();
        self.master.take();
    }

    /// The end of the process: its exit code.
    pub fn end(mut self) -> u32 {
        self.ended()
    }

    /// The same, with the window kept.
    pub fn ended(&mut self) -> u32 {
        self.status().exit_code()
    }

    /// The signal that it ended by, in words.
    pub fn ended_by(&mut self) -> Option<String> {
        self.status().signal().map(str::to_owned)
    }

    fn status(&mut self) -> portable_pty::ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(begun.elapsed() < PATIENCE, "it did not end:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// That the terminal is as it was before the workstation took it.
    pub fn assert_restored(&self) {
        self.until("the last bytes arrive", || self.left_on().is_empty());
        let screen = self.seen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        let master = self.master.as_ref().unwrap();
        assert_eq!(modes_of(&**master), self.modes, "the modes of the terminal");
    }

    /// What its escape sequences turned on and not off.
    pub fn left_on(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.bytes()).into_owned();
        assert!(text.contains("\x1b[?1049h"), "the screen was never taken:\n{text}");
        let last = |what: &str| text.rfind(what);
        let modes = ["1049", "2004", "1000", "1002", "1003", "1006", "1015", "1004", "2026"];
        let on = |mode: &&str| last(&format!("\x1b[?{mode}h")) > last(&format!("\x1b[?{mode}l"));
        let mut left: Vec<String> = modes.into_iter().filter(on).map(str::to_owned).collect();
        if last("\x1b[?25l") > last("\x1b[?25h") {
            left.push("hidden cursor".to_owned());
        }
        if text.matches("\x1b[>1u").count() != text.matches("\x1b[<1u").count() {
            left.push("keyboard flags".to_owned());
        }
        left
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn signal_to(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// The fields of `/proc/PID/stat` after the name; the first is the state.
pub fn stat(pid: i32) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    Some(text.rsplit_once(") ")?.1.split_whitespace().map(str::to_owned).collect())
}

/// Processor time of a process so far, in ticks of 10 ms.
pub fn ticks(pid: i32) -> u64 {
    let fields = stat(pid).unwrap();
    [11, 12].iter().map(|at| fields[*at].parse::<u64>().unwrap()).sum()
}

/// How often threads of a process woke up so far.
pub fn wakes(pid: i32) -> u64 {
    let tasks = std::fs::read_dir(Path::new("/proc").join(pid.to_string()).join("task")).unwrap();
    let texts = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("status")).ok());
    let of = |text: String| {
        text.lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse::<u64>().ok())
    };
    texts.filter_map(of).sum()
}

/// Waits for something that another process does.
pub fn eventually(what: &str, condition: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < until, "{what}: never");
        std::thread::sleep(Duration::from_millis(20));
    }
}
