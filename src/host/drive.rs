//! Following one attempt of a shell call to its verdict: the same for a fresh start and for
//! recovery after a kill.
//!
//! Each turn looks at the spool, asks [`decide`](super::decide) and performs the one step it
//! names. Nothing that matters is remembered between turns but what decides how patient to be, so
//! a drive may be dropped and begun anew at any time, by this process or another: dropping it
//! leaves the command running under its supervisor.

use super::HostError;
use super::decide::{Controls, Known, NotStarted, Patience, Start, Step, Verdict, decide};
use super::environment::Secrets;
use super::evidence::{Look, look};
use super::spawn::{Spawner, Supervisor};
use super::spool::{Class, Spec, Spool};
use super::{orphan, process};
use rustix::process::Signal;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::watch;

/// How this worker drives calls.
#[derive(Debug, Clone)]
pub struct Driver {
    /// How supervisors are started.
    pub spawner: Spawner,
    /// How long to wait for what.
    pub patience: Patience,
}

impl Driver {
    /// Supervisors are this program; usual patience.
    pub fn own() -> Self {
        Self { spawner: Spawner::own(), patience: Patience::default() }
    }
}

/// The time-out assumed for a command whose spec is gone, so that a hung one still ends.
const TIMEOUT_UNKNOWN_MS: u64 = 600_000;

/// Follows the attempt in `spool` until its verdict.
///
/// `class` is the call's, from the journal (the spool may be gone). `secrets` are those that the
/// configuration knows; only the ones the spec names are handed on. `controls` may change at any
/// time; the requests in it must have been committed before. An error means that nothing was
/// learnt and nothing decided: drive again.
pub async fn drive(
    spool: &Spool,
    class: Class,
    driver: &Driver,
    secrets: &Secrets,
    mut controls: watch::Receiver<Controls>,
) -> Result<Verdict, HostError> {
    let mut this = Drive::new(spool, class, driver, secrets);
    let mut people_listen = true;
    loop {
        this.known.controls = *controls.borrow_and_update();
        let turn;
        (this, turn) = in_background(this).await?;
        let wait = match turn? {
            Turn::Say(verdict) => return Ok(verdict),
            Turn::Again => continue,
            Turn::Wait => this.interval(),
        };
        let own = this.supervisor.as_mut().filter(|own| !*own.gone.borrow());
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            changed = controls.changed(), if people_listen => people_listen = changed.is_ok(),
            _ = async { match own { Some(own) => own.gone.changed().await, None => std::future::pending().await } } => {}
        }
    }
}

async fn in_background(mut this: Drive) -> Result<(Drive, Result<Turn, HostError>), HostError> {
    tokio::task::spawn_blocking(move || {
        let turn = this.turn();
        (this, turn)
    })
    .await
    .map_err(|error| HostError::System {
        action: "look at a running command",
        source: std::io::Error::other(error),
    })
}

enum Turn {
    Say(Verdict),
    Again,
    Wait,
}

struct Drive {
    spool: Spool,
    driver: Driver,
    secrets: Secrets,
    spec: Option<Spec>,
    known: Known,
    begun: Instant,
    supervisor: Option<Supervisor>,
    spawned: Option<Instant>,
    stopped: Option<Instant>,
    termed: Option<Instant>,
    killed: Option<Instant>,
    timeout_written: Option<u64>,
    beat: (Option<SystemTime>, Instant),
}

fn ms_since(then: Instant) -> u64 {
    u64::try_from(then.elapsed().as_millis()).unwrap_or(u64::MAX)
}

impl Drive {
    fn new(spool: &Spool, class: Class, driver: &Driver, secrets: &Secrets) -> Self {
        let now = Instant::now();
        Self {
            spool: spool.clone(),
            driver: driver.clone(),
            secrets: secrets.clone(),
            spec: None,
            known: Known {
                class,
                controls: Controls::default(),
                start: Start::NotTried,
                closed: None,
                stop_ms: None,
                term_ms: None,
                kill_ms: None,
                beat_ms: 0,
                age_ms: 0,
                timeout_ms: TIMEOUT_UNKNOWN_MS,
                patience: driver.patience,
            },
            begun: now,
            supervisor: None,
            spawned: None,
            stopped: None,
            termed: None,
            killed: None,
            timeout_written: None,
            beat: (None, now),
        }
    }

    /// Short at first, since most commands are short; the end of an own supervisor wakes anyway.
    fn interval(&self) -> Duration {
        Duration::from_millis(match ms_since(self.begun) {
            0..60 => 2,
            60..300 => 5,
            300..2_000 => 20,
            _ => 100,
        })
    }

    fn turn(&mut self) -> Result<Turn, HostError> {
        self.pass_timeout_on()?;
        self.learn_start()?;
        let seen = look(&self.spool)?;
        if matches!(seen, Look::Running | Look::Orphan { .. }) {
            self.learn_age()?;
        }
        self.known.stop_ms = self.stopped.map(ms_since);
        self.known.term_ms = self.termed.map(ms_since);
        self.known.kill_ms = self.killed.map(ms_since);
        self.known.beat_ms = ms_since(self.beat.1);
        self.perform(decide(seen, &self.known))
    }

    fn perform(&mut self, step: Step) -> Result<Turn, HostError> {
        match step {
            Step::Say(verdict) => return Ok(Turn::Say(verdict)),
            Step::Wait => return Ok(Turn::Wait),
            Step::Spawn => self.spawn(),
            Step::Close(why) => self.close(why)?,
            Step::RequestStop(reason) => {
                self.spool.request_stop(reason)?;
                self.stopped = Some(Instant::now());
            }
            Step::TermOrphans(members) => {
                self.termed = Some(Instant::now());
                orphan::signal(&members, Signal::TERM)?;
            }
            Step::KillOrphans(members) => {
                self.killed = Some(Instant::now());
                orphan::signal(&members, Signal::KILL)?;
            }
            Step::KillSupervisor => return self.kill_supervisor(),
        }
        Ok(Turn::Again)
    }

    fn spawn(&mut self) {
        let spawned = self.read_spec().and_then(|spec| match spec {
            Some(spec) => self.driver.spawner.spawn(&self.spool, &spec, &self.secrets),
            None => Err(HostError::Spec { path: self.spool.file("spec"), why: "it is gone".into() }),
        });
        match spawned {
            Ok(supervisor) => {
                self.spawned = Some(Instant::now());
                self.supervisor = Some(supervisor);
            }
            Err(error) => self.known.start = Start::Failed { why: error.to_string() },
        }
    }

    fn close(&mut self, why: NotStarted) -> Result<(), HostError> {
        if self.spool.close()? {
            self.known.closed = Some(why);
        }
        Ok(())
    }

    fn kill_supervisor(&mut self) -> Result<Turn, HostError> {
        // Every one that ever opened the spool: a late one that lost the token does no harm dead.
        for supervisor in self.spool.supervisors()? {
            let sent = supervisor.signal(Signal::KILL);
            sent.map_err(|source| HostError::System { action: "end a hung supervisor", source })?;
        }
        Ok(Turn::Wait)
    }

    fn read_spec(&mut self) -> Result<Option<Spec>, HostError> {
        if self.spec.is_none() {
            self.spec = self.spool.spec()?;
        }
        Ok(self.spec.clone())
    }

    fn pass_timeout_on(&mut self) -> Result<(), HostError> {
        if let Some(timeout) = self.known.controls.timeout_ms
            && self.timeout_written != Some(timeout)
        {
            self.spool.set_timeout(timeout)?;
            self.timeout_written = Some(timeout);
        }
        Ok(())
    }

    fn learn_start(&mut self) -> Result<(), HostError> {
        let Some(at) = self.spawned else {
            return Ok(());
        };
        let gone = self.supervisor.as_ref().is_some_and(|own| *own.gone.borrow());
        self.known.start = if gone {
            let words = self.spool.last_words()?;
            let why = if words.is_empty() { "its supervisor left before it began".to_owned() } else { words };
            Start::Gone { why }
        } else {
            Start::Waiting { for_ms: ms_since(at) }
        };
        Ok(())
    }

    fn learn_age(&mut self) -> Result<(), HostError> {
        // A damaged spec must not keep us from seeing the end.
        if let Ok(Some(spec)) = self.read_spec() {
            self.known.timeout_ms = self.spool.timeout_ms(&spec)?;
        }
        self.known.age_ms = self.spool.age_ms()?;
        let beat = std::fs::metadata(self.spool.file("lock")).and_then(|meta| meta.modified()).ok();
        if beat != self.beat.0 {
            self.beat = (beat, Instant::now());
        }
        Ok(())
    }
}

/// Whether processes of this spool's command are alive (its supervisor not counted), as far as
/// they can be found: for cleaning up after a person answered an uncertain call.
pub fn left_overs(spool: &Spool) -> Result<Vec<process::ProcessId>, HostError> {
    orphan::members(spool)
}
