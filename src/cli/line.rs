//! Working at one run, or watching it where another worker has it, until it ends, waits or the person leaves.

use super::app::{App, Failure, Identity};
use super::embedding;
use super::exit::EndStatus;
use super::hook::Attention;
use super::keys::Keys;
use super::model::ConfiguredModels;
use super::observe::{JsonLines, Lines, event_json, line};
use super::print::{Out, talk, talk_width};
use super::prompt::{self, Place};
use super::signals::Signals;
use crate::config::Config;
use crate::host::clock;
use crate::host::drive::Driver;
use crate::host::environment::Secrets;
use crate::run::event::Decoded;
use crate::run::id::{RunId, Seq};
use crate::run::state::{RunState, Status, WaitWhy};
use crate::store::Store;
use crate::worker::{Engine, Left, Masks, Models, Observer, Stay, Stop, Vectors, WorkError, advance};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How long somebody who only writes a decision down may have the run.
const MOMENT: Duration = Duration::from_secs(1);

/// How a run is watched.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// One JSON object a line on stdout.
    pub json: bool,
    /// Questions are asked in place.
    pub interactive: bool,
    /// Waits are sat through.
    pub wait: bool,
}

/// An engine for this invocation; the identity has to be kept as long as it works.
///
/// # Errors
/// If the worker's lock cannot be taken.
pub fn engine(
    app: &App,
    config: &Config,
    store: &Store,
    observer: Arc<dyn Observer>,
    signals: &Signals,
) -> Result<(Engine, Identity), Failure> {
    engine_for(app, config, store, observer, signals.stop.clone())
}

/// As [`engine`], stopped by whoever holds the other end of `stop`.
///
/// # Errors
/// If the worker's lock cannot be taken.
pub fn engine_for(
    app: &App,
    config: &Config,
    store: &Store,
    observer: Arc<dyn Observer>,
    stop: watch::Receiver<bool>,
) -> Result<(Engine, Identity), Failure> {
    let (worker, identity) = app.identity(store)?;
    let vectors = embedding::source(app, config)
        .map(|source| Vectors::start(store.clone(), source, masks(app, config), stop.clone()));
    let engine = Engine {
        store: store.clone(),
        worker,
        models: Arc::new(ConfiguredModels::new(app, config)),
        driver: Driver::own(),
        secrets: Secrets::named(&config.secrets, &app.env),
        env_allow: config.env_allow.clone(),
        own_files: vec![own_config(app)],
        allow_hosts: config.allow_hosts.clone(),
        vectors,
        observer,
        stop,
    };
    Ok((engine, identity))
}

/// What is kept out of everything that is stored: the keys and secrets of this invocation, and the known forms of keys.
pub fn masks(app: &App, config: &Config) -> Masks {
    Masks::new(ConfiguredModels::new(app, config).keys(), &Secrets::named(&config.secrets, &app.env))
}

/// Works at the run as its manner says.
///
/// # Errors
/// What stops a worker that is not a fact of the run.
pub async fn work(
    app: &App,
    config: &Config,
    store: &Store,
    run: &RunId,
    manner: Manner,
    signals: &Signals,
) -> Result<Option<EndStatus>, Failure> {
    let printed = Arc::new(JsonLines::new(signals.clone()));
    let observer: Arc<dyn Observer> =
        if manner.json { printed.clone() } else { Arc::new(Lines::new(manner.interactive)) };
    // Who is asked in place looks already.
    let observer = if manner.interactive { observer } else { Attention::over(observer, app, config) };
    let (engine, _identity) = match engine(app, config, store, observer, signals) {
        Err(failure) if failure.exit == super::exit::Exit::Storage => {
            talk(&format!("✗ {}", failure.message));
            return Ok(Some(EndStatus::Storage));
        }
        made => made?,
    };
    let masks = masks(app, config);
    let place = Place { app, store, masks: &masks };
    let mut keys = Keys::default();
    let stay = if manner.wait { Stay::ThroughWaits } else { Stay::UntilWait };
    loop {
        let stop = match advance(&engine, run, stay).await {
            Ok(stop) => stop,
            Err(WorkError::Store(error)) => {
                talk(&format!("✗ {error}"));
                return Ok(Some(EndStatus::Storage));
            }
            // No room for what is beside the database.
            Err(WorkError::Host(error)) if error.is_no_space() => {
                talk(&format!("✗ {error}. Free some disk space; the run goes on from where it is"));
                return Ok(Some(EndStatus::Storage));
            }
            Err(error) => return Err(error.into()),
        };
        if let Some(error) = printed.fault() {
            return Err(Failure::unheard(run, &error));
        }
        match stop {
            Stop::Ended(_) | Stop::Paused => return Ok(None),
            Stop::Interrupted => return Ok(Some(EndStatus::Interrupted)),
            Stop::ReadOnly => {
                return Err(Failure {
                    exit: super::exit::Exit::Storage,
                    message: format!("{run} was written by a newer wakeful and can only be looked at here"),
                });
            }
            Stop::Damaged(damage) => {
                let run = run.clone();
                return Err(crate::store::StoreError::Damaged { run, damage }.into());
            }
            Stop::Waiting(why) => {
                if !manner.interactive {
                    return Ok(None);
                }
                let state = store.load(run).await?.state;
                let left = Left::of(&state, None, app.now(), clock::read().boot_ms);
                let due = async {
                    match &left {
                        Some(left) => left.passed().await,
                        None => std::future::pending().await,
                    }
                };
                let asked = tokio::select! {
                    asked = ask(place, &state, &why, signals, &mut keys) => asked?,
                    () = due => {
                        talk("\n  nobody answered in time");
                        Asked::Decided
                    }
                };
                match asked {
                    Asked::Decided => {}
                    Asked::Left => return Ok(None),
                    Asked::Stopped => return Ok(Some(EndStatus::Interrupted)),
                }
            }
            Stop::HeldBy(worker) => {
                let seen = store.load(run).await?.state.head.seq;
                // Whoever decided something holds the run for a moment, to write it down.
                if soon_free(store, run).await? {
                    continue;
                }
                talk(&format!(
                    "{run} is in the hands of worker {worker}; watching. If that one sleeps and does not come back: \
                     `wakeful resume {run} --take-over`"
                ));
                match watch(place, run, seen, manner, signals, &mut keys).await? {
                    Watched::Free => {}
                    Watched::Over(status) => return Ok(status),
                }
            }
        }
    }
}

enum Asked {
    /// Everything was decided.
    Decided,
    /// The person left something undecided.
    Left,
    /// A signal came before the answer.
    Stopped,
}

/// Asks in place, until a signal: a question that nobody answers must not keep the process.
async fn ask(
    place: Place<'_>,
    state: &RunState,
    why: &WaitWhy,
    signals: &Signals,
    keys: &mut Keys,
) -> Result<Asked, Failure> {
    let mut stop = signals.stop.clone();
    tokio::select! {
        decided = prompt::ask(place, state, why, keys) => {
            Ok(if decided? { Asked::Decided } else { Asked::Left })
        }
        _ = stop.wait_for(|stop| *stop) => Ok(Asked::Stopped),
    }
}

/// True once nobody living has the run; false if it is still held after a moment.
async fn soon_free(store: &Store, run: &RunId) -> Result<bool, Failure> {
    let begun = Instant::now();
    loop {
        let state = store.load(run).await?.state;
        if !state.ledger.owner.as_ref().is_some_and(|owner| store.is_alive(&owner.worker)) {
            return Ok(true);
        }
        if begun.elapsed() > MOMENT {
            return Ok(false);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

enum Watched {
    /// Its owner let go of it, and it can go on.
    Free,
    /// It is over or waits, or the person left.
    Over(Option<EndStatus>),
}

/// Shows what another worker does with the run.
async fn watch(
    place: Place<'_>,
    run: &RunId,
    mut seen: Seq,
    manner: Manner,
    signals: &Signals,
    keys: &mut Keys,
) -> Result<Watched, Failure> {
    let Place { store, .. } = place;
    let mut changes = store.watch().await?;
    let mut stop = signals.stop.clone();
    loop {
        let state = store.load(run).await?.state;
        show(store, run, &state, seen, manner).await?;
        seen = state.head.seq;
        let held = match &state.ledger.owner {
            Some(owner) => store.is_alive(&owner.worker),
            None => false,
        };
        // Its owner may have ended the run between the two looks.
        let state = if held { state } else { store.load(run).await?.state };
        match state.status() {
            Status::Ended(_) | Status::Paused => return Ok(Watched::Over(None)),
            Status::Waiting(WaitWhy::Retry(_)) | Status::Running if held => {}
            Status::Waiting(WaitWhy::Retry(_)) | Status::Running => {
                return Ok(Watched::Free);
            }
            Status::Waiting(why) if manner.interactive => {
                match ask(place, &state, &why, signals, keys).await? {
                    Asked::Decided => {}
                    Asked::Left => return Ok(Watched::Over(None)),
                    Asked::Stopped => return Ok(Watched::Over(Some(EndStatus::Interrupted))),
                }
            }
            Status::Waiting(_) if manner.wait => {}
            Status::Waiting(_) => return Ok(Watched::Over(None)),
        }
        tokio::select! {
            () = changes.changed() => {}
            // An owner that dies changes nothing in the database.
            () = tokio::time::sleep(Duration::from_millis(500)) => {}
            _ = stop.wait_for(|stop| *stop) => return Ok(Watched::Over(Some(EndStatus::Interrupted))),
        }
    }
}

async fn show(
    store: &Store,
    run: &RunId,
    state: &RunState,
    seen: Seq,
    manner: Manner,
) -> Result<(), Failure> {
    if state.head.seq <= seen {
        return Ok(());
    }
    for envelope in store.events(run, seen + 1, state.head.seq).await? {
        let Decoded::Known(event) = &envelope.event else { continue };
        if manner.json {
            let value = event_json(envelope.seq, state.path.step, &envelope.author, event);
            Out::stdout().json_line(&value).map_err(|e| Failure::unheard(run, &e))?;
        } else if let Some(text) = line(state, event, false, talk_width()) {
            talk(&text);
        }
    }
    Ok(())
}

/// The configuration that no tool may write: wakeful's own folder on this platform, or the one file that was named.
fn own_config(app: &App) -> PathBuf {
    let config = &app.paths.config;
    match config.parent().filter(|_| !app.paths.config_named) {
        Some(folder) => folder.to_path_buf(),
        None => config.clone(),
    }
}
