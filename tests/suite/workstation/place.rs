//! A place of its own on the disk: workspace, database, configuration, script.

use super::desk::Desk;
use portable_pty::CommandBuilder;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The built program, or another build of it (`WAKEFUL_TEST_PROGRAM`), to measure what is optimized.
fn program() -> String {
    std::env::var("WAKEFUL_TEST_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_wakeful").to_owned())
}

/// A workspace, a database, a configuration.
pub struct Place {
    dir: TempDir,
    /// The name of the workspace.
    name: &'static str,
}

impl Place {
    /// With a few files to survey; no servers are looked for.
    pub fn new() -> Self {
        Self::on(tempfile::tempdir().unwrap())
    }

    /// The same, in this folder.
    pub fn on(dir: TempDir) -> Self {
        let place = Self::bare(dir, "ws");
        std::fs::write(place.workspace().join("notes.md"), "# Notes\nBuy milk.\n").unwrap();
        std::fs::write(place.workspace().join("main.py"), "print('hello')\n").unwrap();
        place
    }

    /// With an empty workspace of this name, whose path is as long wherever it is: lines with it break at the same words.
    pub fn named(name: &'static str) -> Self {
        Self::bare(tempfile::tempdir_in("/tmp").unwrap(), name)
    }

    fn bare(dir: TempDir, name: &'static str) -> Self {
        let place = Self { dir, name };
        std::fs::create_dir(place.workspace()).unwrap();
        place.config("");
        place
    }

    /// One whose model plays this and that asks about no shell command.
    pub fn playing(script: &str) -> Self {
        let place = Self::new();
        place.config(
            "[limits]\ntool_calls_per_minute = 100000\n[[rule]]\ntool = \"shell\"\nthen = \"allow\"\n",
        );
        place.script(script);
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

    /// The offline model plays this from now on. The file that its job is checked by is there.
    pub fn script(&self, text: &str) {
        std::fs::write(self.workspace().join("wakeful-report.md"), "It is there.\n").unwrap();
        std::fs::write(self.dir.path().join("script.toml"), format!("name = \"test\"\n{text}")).unwrap();
    }

    /// The offline model's own job, with time to watch it.
    pub fn slow_offline_job(&self) {
        let job = include_str!("../../../src/provider/offline/survey.toml");
        let slow = job.replacen("\n[[steps]]", "\ndelay_ms = 500\n[[steps]]", 1);
        assert_ne!(slow, job);
        std::fs::write(self.dir.path().join("script.toml"), slow).unwrap();
    }

    pub fn workspace(&self) -> PathBuf {
        self.dir.path().join(self.name)
    }

    pub fn db(&self) -> PathBuf {
        self.dir.path().join("w.db")
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

    fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(program());
        command.args(args).arg("--db").arg(self.db());
        command.arg("--config").arg(self.dir.path().join("config.toml")).current_dir(self.workspace());
        command.env_clear().envs(self.env());
        command
    }

    fn env(&self) -> Vec<(&'static str, std::ffi::OsString)> {
        let mut all = vec![
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", self.dir.path().as_os_str().to_owned()),
        ];
        let script = self.dir.path().join("script.toml");
        if script.exists() {
            all.push(("WAKEFUL_OFFLINE_SCRIPT", script.into_os_string()));
        }
        all
    }

    fn prepared(&self, program: &str, env: &[(&str, &str)]) -> CommandBuilder {
        let mut command = CommandBuilder::new(program);
        command.cwd(self.workspace());
        command.env_clear();
        command.env("TERM", "xterm-256color");
        self.env().into_iter().for_each(|(name, value)| command.env(name, value));
        env.iter().for_each(|(name, value)| command.env(name, value));
        command
    }

    /// The workstation in a window of this size.
    pub fn open(&self, columns: u16, rows: u16, args: &[&str]) -> Desk {
        self.open_with(columns, rows, args, &[])
    }

    /// A workstation whose offline model is sent off and waits for a person.
    pub fn waiting(&self, columns: u16, rows: u16) -> Desk {
        self.waiting_with(columns, rows, &[])
    }

    /// The same, with more variables.
    pub fn waiting_with(&self, columns: u16, rows: u16, env: &[(&str, &str)]) -> Desk {
        let desk = self.open_with(columns, rows, &[], env);
        desk.wait("offline model");
        desk.press("\r");
        desk.wait("NEEDS YOU");
        desk
    }

    /// A workstation in which a run with a goal is sent off, its model the one of the configuration named `stub`.
    pub fn asking_the_stub(&self) -> Desk {
        let desk = self.open(120, 40, &[]);
        desk.wait("New runs use stub at ");
        desk.press("n");
        desk.wait("What is to be reached");
        desk.press("Say which colour");
        desk.wait("Say which colour");
        desk.press("\x0f");
        desk
    }

    /// The same as [`Self::open`], with more variables.
    pub fn open_with(&self, columns: u16, rows: u16, args: &[&str], env: &[(&str, &str)]) -> Desk {
        let mut command = self.prepared(&program(), env);
        command.args(args);
        command.arg("--db");
        command.arg(self.db());
        command.arg("--config");
        command.arg(self.dir.path().join("config.toml"));
        Desk::run(command, columns, rows)
    }

    /// A shell in such a window, the workstation's command line in `$RUN`.
    pub fn shell(&self, columns: u16, rows: u16) -> Desk {
        // Modes that the shell's own line editor turns on would be taken for ours.
        std::fs::write(self.dir.path().join("inputrc"), "set enable-bracketed-paste off\n").unwrap();
        let run = format!(
            "{} --db {} --config {}",
            program(),
            self.db().display(),
            self.dir.path().join("config.toml").display()
        );
        let mut command = self.prepared("bash", &[("RUN", &run), ("PS1", "READY> ")]);
        command.env("INPUTRC", self.dir.path().join("inputrc"));
        command.args(["--norc", "--noprofile", "-i"]);
        Desk::run(command, columns, rows)
    }

    /// Processes that stand in this place or have it on their command line, with that line.
    pub fn processes(&self) -> Vec<(i32, String)> {
        let here = self.dir.path();
        let of = |entry: std::fs::DirEntry| {
            let pid = entry.file_name().to_str()?.parse::<i32>().ok()?;
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            let inside = std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(here));
            (!line.is_empty() && (inside || line.contains(&*here.to_string_lossy()))).then_some((pid, line))
        };
        std::fs::read_dir(Path::new("/proc")).unwrap().flatten().filter_map(of).collect()
    }
}

/// The events of the newest run, as another process reads them.
pub fn events(place: &Place) -> Vec<wakeful::run::Event> {
    with_store(place, async |store, run| {
        let all = store.events(&run, 1, wakeful::run::Seq::MAX).await.unwrap();
        let known = all.into_iter().filter_map(|envelope| match envelope.event {
            wakeful::run::Decoded::Known(event) => Some(*event),
            _ => None,
        });
        known.collect()
    })
}

/// The messages to the agent of the newest run that it has not read yet.
pub fn queued(place: &Place) -> Vec<String> {
    with_store(place, async |store, run| {
        let rows = store.pending(&run).await.unwrap();
        let of = |row: wakeful::store::InboxRow| match row.control {
            wakeful::run::Control::Message { text, .. } => Some(text),
            _ => None,
        };
        rows.into_iter().filter_map(of).collect()
    })
}

/// A text of the newest run, whole.
pub fn text(place: &Place, body: &wakeful::run::Body) -> String {
    with_store(place, async |store, _| store.text(body).await.unwrap())
}

fn with_store<T>(
    place: &Place,
    look: impl AsyncFnOnce(wakeful::store::Store, wakeful::run::RunId) -> T,
) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = wakeful::store::StoreOptions::new(place.db(), std::sync::Arc::new(|_| true));
        let store = wakeful::store::Store::open(options).unwrap();
        let run = store.runs(wakeful::store::RunFilter::default()).await.unwrap().remove(0).id;
        look(store, run).await
    })
}
