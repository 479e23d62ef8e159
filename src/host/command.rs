//! Running the one command of a supervisor: start, watch, end, and all that descends from it.

use super::clock;
use super::fault::fault;
use super::limit::{Growth, Limited};
use super::reap::{Reaped, reap, signal_all};
use super::record::{ExitKind, Hole};
use super::spool::StopReason;
use super::supervise::Supervisor;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, PidfdFlags, Signal, WaitStatus, pidfd_open};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Between TERM and KILL.
const GRACE: Duration = Duration::from_secs(2);
/// After the first KILL, how long to wait for processes of other users, which cannot be ended.
const FOREIGN: Duration = Duration::from_secs(5);

/// How the command ended; see [`super::record::ExitRecord`].
pub(crate) struct Outcome {
    pub kind: ExitKind,
    pub ended_at: i64,
    pub duration_ms: u64,
    pub output_bytes: u64,
    pub punched: Option<Hole>,
    pub left_running: u32,
    pub ended_behind: u32,
}

/// Runs the command to its end and beyond, until nothing of it is left. `None`: its status was
/// lost, so there is nothing that could be recorded.
pub(crate) fn run(supervisor: &Supervisor) -> Option<Outcome> {
    let (limited, main) = match start(supervisor) {
        Ok(started) => started,
        Err(why) => {
            let kind = ExitKind::NotRun { why };
            let (ended_at, duration_ms, output_bytes) = (clock::wall_ms(), 0, 0);
            return Some(Outcome {
                kind,
                ended_at,
                duration_ms,
                output_bytes,
                punched: None,
                left_running: 0,
                ended_behind: 0,
            });
        }
    };
    fault("sup.spawned");
    let mut watched = Watched {
        supervisor,
        main,
        // Without it the loop still looks, only less promptly.
        handle: pidfd_open(main, PidfdFlags::empty()).ok(),
        limited,
        started_ms: clock::monotonic_ms(),
        started: Instant::now(),
        ended: None,
        ending: None,
        left_running: 0,
        ended_behind: 0,
    };
    watched.until_nothing_left();
    fault("sup.reaped");
    watched.outcome()
}

fn start(supervisor: &Supervisor) -> Result<(Limited, Pid), String> {
    let open = |flags| {
        supervisor.file("out", flags).map_err(|error| format!("its output cannot be opened: {error}"))
    };
    let limited = Limited::new(open(OFlags::RDWR)?, supervisor.spec.output_limit);
    // Straight to the file: a pipe would kill the command when its supervisor dies.
    let out = open(OFlags::WRONLY | OFlags::APPEND)?;
    let err = out.try_clone().map_err(|error| format!("its output cannot be opened: {error}"))?;
    let Some((program, arguments)) = supervisor.argv.split_first() else {
        return Err("there is no command to run".into());
    };
    let inherit = |flags| {
        fcntl_setfd(&supervisor.life, flags).map_err(|error| format!("life cannot be passed on: {error}"))
    };
    inherit(FdFlags::empty())?;
    let spawned = Command::new(program)
        .args(arguments)
        .current_dir(&supervisor.spec.cwd)
        .env_clear()
        .envs(supervisor.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .process_group(0)
        .spawn();
    // Nothing else is ever started from here, but close it again as a matter of course.
    let _ = inherit(FdFlags::CLOEXEC);
    let child = spawned.map_err(|error| {
        let cwd = &supervisor.spec.cwd;
        if cwd.is_dir() {
            format!("{program:?} cannot be run: {error}")
        } else {
            format!("{program:?} cannot be run in {}: there is no such folder", cwd.display())
        }
    })?;
    i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .map(|main| (limited, main))
        .ok_or_else(|| "the system gave it no process id".into())
}

struct Ending {
    kind: ExitKind,
    since: Instant,
    termed: bool,
    last_kill: Option<Instant>,
    last_beat: Option<Instant>,
}

struct Watched<'a> {
    supervisor: &'a Supervisor,
    main: Pid,
    handle: Option<OwnedFd>,
    limited: Limited,
    started_ms: i64,
    started: Instant,
    ended: Option<(i64, u64)>,
    ending: Option<Ending>,
    left_running: u32,
    ended_behind: u32,
}

impl Watched<'_> {
    fn elapsed_ms(&self) -> u64 {
        u64::try_from(clock::monotonic_ms() - self.started_ms).unwrap_or(0)
    }

    fn until_nothing_left(&mut self) {
        loop {
            match reap(self.main) {
                Ok(Reaped { main, nothing_left }) => {
                    if let Some(status) = main {
                        self.main_ended(status);
                    }
                    if nothing_left {
                        return;
                    }
                }
                Err(error) => eprintln!("the supervisor cannot wait for its children: {error}"),
            }
            let growth = self.limited.check(false);
            if self.ending.is_none() {
                self.look_for_an_end(growth);
            }
            if self.press_on() {
                return;
            }
            self.pause(growth);
        }
    }

    fn main_ended(&mut self, status: WaitStatus) {
        self.ended = Some((clock::wall_ms(), self.elapsed_ms()));
        fault("sup.exited");
        if self.ending.is_some() {
            return;
        }
        let kind = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => ExitKind::Exited { code },
            (None, Some(signal)) => ExitKind::Signal { signal },
            // Without UNTRACED and CONTINUED a wait reports ends only.
            (None, None) => return,
        };
        self.end(kind);
    }

    fn look_for_an_end(&mut self, growth: Growth) {
        let kind = match self.supervisor.stop_wanted() {
            Some(StopReason::Cancelled) => ExitKind::Cancelled,
            Some(StopReason::TimedOut) => ExitKind::TimedOut,
            None if self.elapsed_ms() >= self.supervisor.timeout_ms() => ExitKind::TimedOut,
            None if growth == Growth::Over => ExitKind::OutputLimit,
            None => return,
        };
        self.end(kind);
    }

    /// Begins the end of whatever is left; the first step follows in the same round.
    fn end(&mut self, kind: ExitKind) {
        self.ending =
            Some(Ending { kind, since: Instant::now(), termed: false, last_kill: None, last_beat: None });
    }

    /// Goes on with the end, if it has begun. True when only processes of other users are left, which cannot be ended from here.
    fn press_on(&mut self) -> bool {
        let Some(ending) = &mut self.ending else {
            return false;
        };
        if ending.last_beat.is_none_or(|at| at.elapsed() >= Duration::from_secs(1)) {
            ending.last_beat = Some(Instant::now());
            self.supervisor.beat();
        }
        if !ending.termed {
            ending.termed = true;
            let met = complain(signal_all(Signal::TERM));
            // Of a command that was cut short everything is a part; of one that ended by itself these are left-overs.
            if matches!(ending.kind, ExitKind::Exited { .. } | ExitKind::Signal { .. }) {
                self.ended_behind = met.map_or(0, |met| met.reached);
            }
        }
        let due = ending.last_kill.is_none_or(|at| at.elapsed() >= Duration::from_millis(50));
        if ending.since.elapsed() < GRACE || !due {
            return false;
        }
        ending.last_kill = Some(Instant::now());
        let Some(met) = complain(signal_all(Signal::KILL)) else {
            return false;
        };
        self.left_running = met.refused;
        met.reached == 0
            && met.refused > 0
            && self.ended.is_some()
            && ending.since.elapsed() >= GRACE + FOREIGN
    }

    /// Waits a little; the end of the main process wakes at once.
    fn pause(&self, growth: Growth) {
        let ms = match (growth, &self.ending) {
            (Growth::Fast | Growth::Over, _) => 5,
            (Growth::Slow, Some(_)) => 5,
            (Growth::Slow, None) if self.started.elapsed() < Duration::from_secs(2) => 40,
            (Growth::Slow, None) => 100,
        };
        let time = Timespec { tv_sec: 0, tv_nsec: ms * 1_000_000 };
        match &self.handle {
            // Interrupted or refused: the loop looks again anyway.
            Some(handle) if self.ended.is_none() => {
                if poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&time)).is_err() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            Some(_) | None => std::thread::sleep(Duration::from_millis(5)),
        }
    }

    fn outcome(mut self) -> Option<Outcome> {
        self.limited.check(true);
        let (ended_at, duration_ms) = self.ended?;
        Some(Outcome {
            kind: self.ending?.kind,
            ended_at,
            duration_ms,
            output_bytes: self.limited.size(),
            punched: self.limited.hole(),
            left_running: self.left_running,
            ended_behind: self.ended_behind,
        })
    }
}

fn complain<T>(result: io::Result<T>) -> Option<T> {
    result.inspect_err(|error| eprintln!("the supervisor cannot end what is left: {error}")).ok()
}
