//! `worker`: advances every run that can go on, side by side, until all wait or are over.
//!
//! A run can go on if nobody living owns it and it is at work, waits for a moment in time (also that of a decision by
//! default), or is asked something. What
//! one run fails at stops no other.

use super::app::{App, Failure};
use super::exit::Exit;
use super::line::engine;
use super::print::{Out, talk};
use super::signals::{Signals, listen};
use crate::agent::next_default;
use crate::run::id::{Millis, RunId};
use crate::store::{RunFilter, RunRow, Store};
use crate::worker::{Silent, Stay, Stop, advance, is_asked};
use std::collections::HashSet;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Most runs at work at a time.
const SIDE_BY_SIDE: usize = 16;

/// How a run was left.
struct Left {
    run: RunId,
    words: String,
    /// True if trying again would do no good.
    stuck: bool,
    exit: Exit,
}

/// `wakeful worker`.
///
/// # Errors
/// See [`Failure`].
pub async fn worker(app: &App) -> Result<Exit, Failure> {
    let store = app.open()?;
    let signals = listen()?;
    let mut stuck: HashSet<RunId> = HashSet::new();
    let mut exit = Exit::Completed;
    let mut worked = false;
    while !*signals.stop.borrow() {
        let mut runs = ready(&store, app.now()).await?;
        runs.retain(|row| !stuck.contains(&row.id));
        if runs.is_empty() {
            break;
        }
        worked = true;
        for left in side_by_side(app, &store, runs, &signals).await? {
            if left.stuck {
                stuck.insert(left.run);
                exit = left.exit;
            }
        }
    }
    if *signals.stop.borrow() {
        exit = Exit::Interrupted;
    } else if !worked {
        talk("no run can go on; `wakeful runs` lists them, `wakeful intents` what waits for you");
    }
    store.close().await?;
    Ok(exit)
}

/// The runs that can go on, oldest first.
async fn ready(store: &Store, now: Millis) -> Result<Vec<RunRow>, Failure> {
    let mut asked: HashSet<RunId> = HashSet::new();
    for run in store.pending_runs().await? {
        // A message that the agent would not read yet sets nothing going. What is wrong with a run is told when it is
        // worked at.
        if is_asked(store, &run, now).await.unwrap_or(true) {
            asked.insert(run);
        }
    }
    let mut runs = store.runs(RunFilter::default()).await?;
    let mut timed: HashSet<RunId> = HashSet::new();
    for row in runs.iter().filter(|row| matches!(row.wait.as_deref(), Some("question" | "approval"))) {
        let state = store.load(&row.id).await.map(|loaded| loaded.state);
        if state.is_ok_and(|state| next_default(&state).is_some()) {
            timed.insert(row.id.clone());
        }
    }
    runs.retain(|row| {
        let held = row.owner.as_ref().is_some_and(|owner| store.is_alive(owner));
        let goes = match row.status.as_str() {
            "interrupted" | "running" => true,
            "waiting" => row.wait.as_deref() == Some("retry"),
            _ => false,
        };
        !held && (goes || asked.contains(&row.id) || timed.contains(&row.id))
    });
    runs.reverse();
    Ok(runs)
}

async fn side_by_side(
    app: &App,
    store: &Store,
    runs: Vec<RunRow>,
    signals: &Signals,
) -> Result<Vec<Left>, Failure> {
    let places = Arc::new(Semaphore::new(SIDE_BY_SIDE));
    let mut work = JoinSet::new();
    for row in runs {
        let (app, store, signals, places) = (app.clone(), store.clone(), signals.clone(), places.clone());
        work.spawn(async move {
            let _place = places.acquire_owned().await;
            one(&app, &store, row, &signals).await
        });
    }
    let mut all = Vec::new();
    while let Some(left) = work.join_next().await {
        let left = left.map_err(|e| Failure::internal(format!("a run's work broke off: {e}")))?;
        let line = format!("{} {}", left.run, left.words);
        Out::stdout().text(&line)?;
        all.push(left);
    }
    Ok(all)
}

async fn one(app: &App, store: &Store, row: RunRow, signals: &Signals) -> Left {
    let run = row.id.clone();
    let stuck = |words: String, exit| Left { run: run.clone(), words, stuck: true, exit };
    let config = match app.config(&row.workspace) {
        Ok(config) => config,
        Err(failure) => return stuck(failure.message, failure.exit),
    };
    let (engine, _identity) = match engine(app, &config, store, Arc::new(Silent), signals) {
        Ok(engine) => engine,
        Err(failure) => return stuck(failure.message, failure.exit),
    };
    match advance(&engine, &run, Stay::UntilPerson).await {
        Ok(stop) => left(run, stop),
        Err(error) => {
            let failure = Failure::from(error);
            stuck(failure.message, failure.exit)
        }
    }
}

fn left(run: RunId, stop: Stop) -> Left {
    let well = |run, words| Left { run, words, stuck: false, exit: Exit::Completed };
    match stop {
        Stop::Ended(outcome) => well(run, outcome.word().to_owned()),
        Stop::Waiting(why) => well(run, format!("waiting: {}", why.word())),
        Stop::Paused => well(run, "paused".to_owned()),
        Stop::Interrupted => well(run, "interrupted; all is saved".to_owned()),
        Stop::HeldBy(worker) => well(run, format!("in the hands of {worker}")),
        Stop::ReadOnly => Left {
            run,
            words: "was written by a newer wakeful and can only be looked at here".to_owned(),
            stuck: true,
            exit: Exit::Storage,
        },
        Stop::Damaged(damage) => Left {
            run,
            words: format!(
                "is damaged from event {} on: {} Run `wakeful doctor`",
                damage.first_bad_seq,
                super::words::sentence(&damage.reason)
            ),
            stuck: true,
            exit: Exit::Storage,
        },
    }
}
