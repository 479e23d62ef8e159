//! Starting a supervisor so that it outlives its worker.
//!
//! The supervisor leaves the worker's session by itself (`setsid`), gets an empty environment,
//! no terminal and no file of the worker's, and its secrets over a pipe. A thread waits for it,
//! so that it never stays a zombie while the worker lives.

use super::HostError;
use super::environment::{MARK, Secrets};
use super::fault::fault;
use super::leaving::{Starting, await_leaving};
use super::spool::{Spec, Spool};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio::sync::watch;

/// How supervisors are started.
#[derive(Debug, Clone)]
pub struct Spawner {
    program: PathBuf,
    env: Vec<(OsString, OsString)>,
}

/// A supervisor started by this process.
#[derive(Debug)]
pub struct Supervisor {
    /// Becomes true when it has left.
    pub gone: watch::Receiver<bool>,
}

impl Spawner {
    /// Supervisors are this very program, also when its file was replaced meanwhile.
    pub fn own() -> Self {
        let program = match std::env::current_exe() {
            Ok(path) if path.exists() => path,
            Ok(_) | Err(_) => PathBuf::from("/proc/self/exe"),
        };
        Self::of(program)
    }

    /// Supervisors are the program at `program`, called with `supervise SPOOL`.
    pub fn of(program: PathBuf) -> Self {
        let passed = [MARK, "WAKEFUL_FAULT"];
        let env =
            passed.iter().filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?))).collect();
        Self { program, env }
    }

    /// Sets a variable of the supervisor's own environment (not of the command's).
    pub fn with_env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Starts a supervisor on the spool. Blocks for about a millisecond.
    ///
    /// An error means that this supervisor does not run; not that none does.
    pub fn spawn(&self, spool: &Spool, spec: &Spec, secrets: &Secrets) -> Result<Supervisor, HostError> {
        let failed = |source| HostError::System { action: "start a supervisor", source };
        let wanted = secrets.only(&spec.secrets).map_err(|name| {
            failed(std::io::Error::other(format!(
                "the secret {name} is not configured; add it and try again"
            )))
        })?;
        // Not made here: after the commit nobody makes a file that a spool should have.
        let log = OpenOptions::new().append(true).open(spool.file("log"));
        let starting = Starting::begin();
        let mut child = Command::new(&self.program)
            .arg("supervise")
            .arg(spool.path())
            .current_dir("/")
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(if spec.secrets.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::null())
            .stderr(log.map_or_else(|_| Stdio::null(), Stdio::from))
            .spawn()
            .map_err(failed)?;
        starting.started(child.id());
        if let Some(mut pipe) = child.stdin.take() {
            // A supervisor that is gone already shows by leaving the token as it is.
            let _ = pipe.write_all(&wanted.to_json());
        }
        fault("drive.spawned");
        Ok(Supervisor { gone: wait_for(child) })
    }
}

fn wait_for(mut child: Child) -> watch::Receiver<bool> {
    let (tell, gone) = watch::channel(false);
    // Without the thread the receiver says "closed", which reads as gone; the token decides.
    let _ = std::thread::Builder::new().name("supervisor".into()).stack_size(128 << 10).spawn(move || {
        // A failed wait leaves at worst a zombie until this process ends.
        let _ = child.wait();
        tell.send_replace(true);
    });
    gone
}

/// Set for a process that is to leave the session it was started in.
const DETACH: &str = "WAKEFUL_DETACH";

/// Longest wait for a process that is to leave the session.
const LEAVES: Duration = Duration::from_secs(5);

/// Starts this program with `args` so that it outlives the terminal: no terminal, and a session of its own, which it
/// makes by [`leave_session_if_asked`]. Returns once it has one: before, the end of this session would end it too.
/// Blocks.
///
/// # Errors
/// If it cannot be started.
pub fn detached(args: impl IntoIterator<Item = OsString>) -> Result<(), HostError> {
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("/proc/self/exe"));
    let child = Command::new(program)
        .args(args)
        .env(DETACH, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| HostError::System { action: "start a worker that goes on", source })?;
    await_leaving(child.id(), LEAVES);
    Ok(())
}

/// Leaves the terminal's session, if this process was started by [`detached`].
pub fn leave_session_if_asked() {
    if std::env::var_os(DETACH).is_some() {
        // It fails for the leader of a group, which a child just started is not.
        let _ = rustix::process::setsid();
    }
}
