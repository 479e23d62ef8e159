//! A terminal window with a program in it: what was written, what is on the screen, what modes are left.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Waits for a condition, at most 20 s.
pub fn eventually<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(Instant::now() < until, "never came true: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub struct Window {
    pub dir: TempDir,
    pub child: Box<dyn Child + Send + Sync>,
    pub master: Option<Box<dyn MasterPty + Send>>,
    /// Kept open, so that the terminal keeps its modes when its last program ends.
    slave: Option<Box<dyn SlavePty + Send>>,
    keys: Option<Arc<Mutex<Box<dyn std::io::Write + Send>>>>,
    seen: Arc<Mutex<Vec<u8>>>,
    parser: Arc<Mutex<vt100::Parser>>,
    /// Stops reading, as a terminal does at Ctrl-S.
    pub stalled: Arc<AtomicBool>,
    modes: String,
    closed: Arc<AtomicBool>,
    reader: Option<std::thread::JoinHandle<()>>,
}

const PROGRAM: [&str; 4] = ["suite::ui_terminal::program::process", "--exact", "--ignored", "--nocapture"];

impl Window {
    /// The program alone in a window: there is no shell that could continue it.
    pub fn program() -> Self {
        Self::build(&[], false, &[])
    }

    /// The same in a terminal that knows the keyboard protocol.
    pub fn answering() -> Self {
        Self::build(&[], true, &[])
    }

    /// A shell with the program's command line in `$RUN`.
    pub fn shell(shell: &[&str]) -> Self {
        Self::build(shell, false, &[("WAKEFUL_TEST_BEAT", "1")])
    }

    /// One that fails after it took the terminal.
    pub fn failing() -> Self {
        Self::build(&[], false, &[("WAKEFUL_TEST_ERROR", "1")])
    }

    fn build(shell: &[&str], answers: bool, env: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let size = PtySize { rows: 24, cols: 80, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).unwrap();
        let own = std::env::current_exe().unwrap();
        let mut command = match shell {
            [] => {
                let mut command = CommandBuilder::new(&own);
                command.args(PROGRAM);
                command
            }
            [shell, args @ ..] => {
                let mut command = CommandBuilder::new(shell);
                command.args(args);
                command
            }
        };
        command.env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TERM", "xterm-256color");
        command.env("PS1", "READY> ");
        command.env("HOME", dir.path());
        // Modes that the shell's own line editor turns on would be taken for ours.
        std::fs::write(dir.path().join("inputrc"), "set enable-bracketed-paste off\n").unwrap();
        command.env("INPUTRC", dir.path().join("inputrc"));
        command.env("RUN", format!("{} {}", own.display(), PROGRAM.join(" ")));
        command.env("WAKEFUL_TEST_LOG", dir.path().join("log"));
        for (name, value) in env {
            command.env(name, value);
        }
        command.cwd(dir.path());
        let modes = modes_of(&*pair.master);
        let child = pair.slave.spawn_command(command).unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let stalled = Arc::new(AtomicBool::new(false));
        let keys = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let (mut from, to, stop) = (pair.master.try_clone_reader().unwrap(), seen.clone(), stalled.clone());
        let answer = answers.then(|| Arc::downgrade(&keys));
        let closed = Arc::new(AtomicBool::new(false));
        let parser = Arc::new(Mutex::new(vt100::Parser::new(cells(24), cells(80), 0)));
        let screen = parser.clone();
        let over = closed.clone();
        let reader = std::thread::spawn(move || {
            let mut piece = [0u8; 4096];
            while let Ok(n @ 1..) = from.read(&mut piece) {
                to.lock().unwrap().extend_from_slice(&piece[..n]);
                screen.lock().unwrap().process(&piece[..n]);
                let asked = piece[..n].windows(4).any(|w| w == b"\x1b[?u");
                if let Some(keys) = answer.as_ref().filter(|_| asked).and_then(std::sync::Weak::upgrade) {
                    keys.lock().unwrap().write_all(b"\x1b[?0u\x1b[?62;22c").unwrap();
                }
                if over.load(Ordering::Relaxed) {
                    break;
                }
                while stop.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        });
        let (master, slave, keys) = (Some(pair.master), Some(pair.slave), Some(keys));
        Self { dir, child, master, slave, keys, seen, parser, stalled, modes, closed, reader: Some(reader) }
    }

    pub fn press(&self, keys: &str) {
        let mut writer = self.keys.as_ref().unwrap().lock().unwrap();
        writer.write_all(keys.as_bytes()).unwrap();
    }

    pub fn seen(&self) -> Vec<u8> {
        self.seen.lock().unwrap().clone()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen()).into_owned()
    }

    /// The screen as a person sees it.
    pub fn screen(&self) -> vt100::Screen {
        self.parser.lock().unwrap().screen().clone()
    }

    pub fn shows(&self, text: &str) -> bool {
        self.screen().contents().contains(text)
    }

    pub fn await_screen(&self, text: &str) {
        let until = Instant::now() + Duration::from_secs(20);
        while !self.shows(text) {
            assert!(Instant::now() < until, "{text:?} is not shown but:\n{}", self.screen().contents());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub fn log(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub fn logged(&self, line: &str) -> bool {
        self.log().iter().any(|l| l == line)
    }

    pub fn await_log(&self, line: &str) {
        eventually(line, || self.logged(line).then_some(()));
    }

    pub fn pid(&self) -> rustix::process::Pid {
        let raw = eventually("the program starts", || {
            self.log().iter().find_map(|line| line.strip_prefix("pid ")?.parse().ok())
        });
        rustix::process::Pid::from_raw(raw).unwrap()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(self.pid(), signal).unwrap();
    }

    /// The end of the program: its exit code.
    pub fn end(&mut self) -> u32 {
        eventually("the program ends", || self.child.try_wait().unwrap()).exit_code()
    }

    /// Closes the window, which a key is pressed for: the reader holds it too, and gives it up at the next bytes.
    pub fn close(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
        self.press("k");
        eventually("the reader is gone", || self.reader.as_ref()?.is_finished().then_some(()));
        self.keys.take();
        self.slave.take();
        self.master.take();
    }

    pub fn resize(&self, cols: u16, rows: u16) {
        self.parser.lock().unwrap().screen_mut().set_size(cells(rows), cells(cols));
        self.master.as_ref().unwrap().resize(PtySize { rows, cols, ..PtySize::default() }).unwrap();
    }

    /// The terminal's own modes, as `stty -a` tells them.
    pub fn modes(&self) -> String {
        modes_of(&**self.master.as_ref().unwrap())
    }

    /// That the terminal is as it was: its modes as before the program began.
    pub fn assert_restored(&self) {
        assert_eq!(self.modes(), self.modes, "the modes of the terminal");
        self.assert_switched_off();
    }

    /// That everything that escape sequences turned on is off.
    pub fn assert_switched_off(&self) {
        eventually("the last bytes arrive", || self.left_on().is_empty().then_some(()));
        let screen = self.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    }

    /// What is on that was off before.
    pub fn left_on(&self) -> Vec<String> {
        let text = self.text();
        assert!(text.contains("\x1b[?1049h"), "the screen was never taken");
        let last = |what: &str| text.rfind(what);
        let mut left: Vec<String> = ["1049", "2004", "1000", "1002", "1003", "1006", "1015", "1004", "2026"]
            .into_iter()
            .filter(|mode| last(&format!("\x1b[?{mode}h")) > last(&format!("\x1b[?{mode}l")))
            .map(str::to_owned)
            .collect();
        if last("\x1b[?25l") > last("\x1b[?25h") {
            left.push("hidden cursor".to_owned());
        }
        if text.matches("\x1b[>1u").count() != text.matches("\x1b[<1u").count() {
            left.push("keyboard flags".to_owned());
        }
        left
    }

    /// Seconds of processor time of the program so far.
    pub fn cpu(&self) -> f64 {
        cpu_of(self.pid().as_raw_nonzero().get())
    }

    /// What it ended with and the seconds of processor time it took, once it has ended.
    pub fn ended(&self) -> (String, f64) {
        eventually("the program ends", || {
            let log = self.log();
            let (how, rest) = log.iter().find_map(|l| l.strip_prefix("ended ")?.rsplit_once(", "))?;
            Some((how.to_owned(), rest.split(' ').next()?.parse().unwrap()))
        })
    }

    /// How often threads of the program woke up so far.
    pub fn wakes(&self) -> u64 {
        let tasks = format!("/proc/{}/task", self.pid().as_raw_nonzero());
        let status = std::fs::read_dir(tasks).unwrap().map(|task| task.unwrap().path().join("status"));
        let texts = status.filter_map(|path| std::fs::read_to_string(path).ok());
        texts
            .filter_map(|text| {
                let line = text.lines().find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"))?;
                line.trim().parse::<u64>().ok()
            })
            .sum()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.stalled.store(false, Ordering::Relaxed);
        if let Some(pid) = self.log().iter().find_map(|line| line.strip_prefix("pid ")?.parse().ok())
            && !self.log().iter().any(|line| line.starts_with("ended"))
        {
            let pid = rustix::process::Pid::from_raw(pid).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn cells(count: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(count).unwrap_or(std::num::NonZero::<u16>::MIN)
}

fn modes_of(master: &dyn MasterPty) -> String {
    let tty: PathBuf = master.tty_name().unwrap();
    let out = std::process::Command::new("stty").arg("-a").arg("-F").arg(tty).output().unwrap();
    assert!(out.status.success(), "{out:?}");
    let text = String::from_utf8(out.stdout).unwrap();
    // The first line has the size.
    text.lines().skip(1).map(|line| format!("{line}\n")).collect()
}

/// Seconds of processor time of a process so far.
pub fn cpu_of(pid: i32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: u32 = [11, 12].map(|n| fields[n].parse::<u32>().unwrap()).iter().sum();
    f64::from(ticks) / 100.0
}
