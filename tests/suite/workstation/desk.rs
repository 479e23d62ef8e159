//! A terminal with the workstation in it, and a place of its own on the disk.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longest wait for something on the screen.
const PATIENCE: Duration = Duration::from_secs(30);

/// A workspace, a database, a configuration.
pub struct Place {
    dir: TempDir,
}

impl Place {
    /// With a few files to survey; no servers are looked for.
    pub fn new() -> Self {
        Self::on(tempfile::tempdir().unwrap())
    }

    /// The same, in this folder.
    pub fn on(dir: TempDir) -> Self {
        let place = Self { dir };
        std::fs::create_dir(place.workspace()).unwrap();
        std::fs::write(place.workspace().join("notes.md"), "# Notes\nBuy milk.\n").unwrap();
        std::fs::write(place.workspace().join("main.py"), "print('hello')\n").unwrap();
        std::fs::write(place.dir.path().join("config.toml"), "[discover]\nenabled = false\n").unwrap();
        place
    }

    /// More lines of the configuration.
    pub fn config(&self, lines: &str) {
        std::fs::write(
            self.dir.path().join("config.toml"),
            format!("{lines}\n[discover]\nenabled = false\n"),
        )
        .unwrap();
    }

    /// The offline model plays this from now on.
    pub fn script(&self, text: &str) {
        std::fs::write(self.dir.path().join("script.toml"), format!("name = \"test\"\n{text}")).unwrap();
    }

    pub fn workspace(&self) -> PathBuf {
        self.dir.path().join("ws")
    }

    pub fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.workspace().join(name)).ok()
    }

    /// The command line beside it: its output.
    pub fn ask(&self, args: &[&str]) -> String {
        let done = self.command(args).output().unwrap();
        String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
    }

    /// The command line beside it, at work.
    pub fn start(&self, args: &[&str]) -> std::process::Child {
        let null = std::process::Stdio::null;
        self.command(args).stdin(null()).stdout(null()).stderr(null()).spawn().unwrap()
    }

    /// Waits for something that another process does.
    pub fn until(&self, what: &str, condition: impl Fn() -> bool) {
        let begun = Instant::now();
        while !condition() {
            assert!(begun.elapsed() < PATIENCE, "{what}: never");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wakeful"));
        command.args(args).arg("--db").arg(self.dir.path().join("w.db"));
        command.arg("--config").arg(self.dir.path().join("config.toml")).current_dir(self.workspace());
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.dir.path());
        command
    }

    /// The workstation in a window of this size.
    pub fn open(&self, columns: u16, rows: u16, args: &[&str]) -> Desk {
        let size = PtySize { rows, cols: columns, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_wakeful"));
        command.args(args);
        command.arg("--db");
        command.arg(self.dir.path().join("w.db"));
        command.arg("--config");
        command.arg(self.dir.path().join("config.toml"));
        command.cwd(self.workspace());
        command.env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.dir.path());
        command.env("TERM", "xterm-256color");
        let script = self.dir.path().join("script.toml");
        if script.exists() {
            command.env("WAKEFUL_OFFLINE_SCRIPT", script);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let cells = |n| NonZeroU16::new(n).unwrap();
        let parser = Arc::new(Mutex::new(vt100::Parser::new(cells(rows), cells(columns), 0)));
        let (mut from, to) = (pair.master.try_clone_reader().unwrap(), parser.clone());
        std::thread::spawn(move || {
            let mut piece = [0u8; 8192];
            while let Ok(n @ 1..) = from.read(&mut piece) {
                to.lock().unwrap().process(&piece[..n]);
            }
        });
        let keys = Mutex::new(pair.master.take_writer().unwrap());
        Desk { child, _master: pair.master, keys, parser }
    }
}

/// A window with the workstation.
pub struct Desk {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Mutex<Box<dyn std::io::Write + Send>>,
    parser: Arc<Mutex<vt100::Parser>>,
}

impl Desk {
    pub fn press(&self, keys: &str) {
        self.keys.lock().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    pub fn screen(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
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
        let begun = Instant::now();
        while !self.shows(text) {
            assert!(begun.elapsed() < PATIENCE, "{key:?} does not lead to {text:?}:\n{}", self.screen());
            self.press(key);
            std::thread::sleep(Duration::from_millis(60));
        }
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.child.process_id().unwrap()).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The end of the process: its exit code.
    pub fn end(mut self) -> u32 {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(begun.elapsed() < PATIENCE, "it did not end:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
