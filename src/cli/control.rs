//! What the commands have in common that ask something of a run, and the plain ones among them.
//!
//! A control is a durable row. A living owner takes it at its next safe point; without one this process *settles*: it
//! owns the run just long enough to apply what was asked (for a cancel or rollback: until it is done), and lets it go.
//! What came of it is read from the journal, not assumed. Exit code 0: applied, or recorded and sure to be taken; 2:
//! refused.

use super::app::{App, Failure};
use super::args::{ModeArgs, PauseArgs, RunJson};
use super::asked::{self, Also};
use super::duration::span;
use super::exit::{EndStatus, Exit};
use super::line::{engine, masks};
use super::print::{Out, talk};
use super::run::find;
use super::{report, signals};
use crate::agent::{Hands, hears};
use crate::run::call::CallStatus;
use crate::run::control::{Author, Control};
use crate::run::event::{Decoded, Event};
use crate::run::id::{CallId, Millis, RunId, Seq, WorkerId};
use crate::run::settings::Mode;
use crate::run::state::{RunState, Status, WaitWhy};
use crate::store::{InboxRow, Posted, Store, StoreError};
use crate::worker::{Silent, Stay, Stop, advance};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a living owner may take until "queued" is said.
const PATIENCE: Duration = Duration::from_secs(5);
/// The same for what stops commands and moves files.
const LONG_PATIENCE: Duration = Duration::from_secs(30);

/// What came of a control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Came {
    /// It took effect.
    Applied,
    /// It did not, for this reason.
    Refused(String),
    /// It stands in the inbox; the owner takes it at its next safe point.
    Queued,
    /// This process was told to stop first; what was asked stands.
    Interrupted,
}

/// A control that was asked for, and the run after it.
pub struct Answer {
    /// What came of it.
    pub came: Came,
    /// The run's state then.
    pub state: Arc<RunState>,
    /// The living owner.
    pub owner: Option<WorkerId>,
    /// Head of the run when it was taken.
    pub taken: Option<Seq>,
    /// What was asked earlier and came out meanwhile.
    pub also: Vec<Also>,
}

/// Who asks from the command line.
pub fn person() -> Author {
    Author::Person("cli".to_owned())
}

/// Asks for something and waits for what comes of it. What was asked before it and not taken yet comes first: that is
/// said before and after.
///
/// # Errors
/// Usage, if a decision lost to an earlier one or does not fit; else the store's and the worker's.
pub async fn ask(app: &App, store: &Store, run: &RunId, control: Control) -> Result<Answer, Failure> {
    finish_rollback(app, store, run).await?;
    let earlier = store.pending(run).await?;
    let state = store.load(run).await?.state;
    let before = state.head.seq;
    let back = matches!(control, Control::Rollback { .. } | Control::Redo);
    let first = |row: &InboxRow| match row.control {
        // A message that the agent does not read yet stays where it is.
        Control::Message { .. } => hears(&state, app.now(), Hands::Settling),
        _ => !(back && asked::goes_back(row)),
    };
    for row in earlier.iter().filter(|row| first(row)) {
        talk(&format!("comes first, since it was asked earlier: {}", asked::line(row)));
    }
    let mut answer = post_and_wait(app, store, run, control).await?;
    answer.also = asked::carried_out(store, &answer.state, earlier, before).await?;
    for also in &answer.also {
        talk(&also.words());
    }
    Ok(answer)
}

/// Finishes a rollback that is half done, before anything else is asked of the run, and says what it did. A living owner
/// does that itself.
///
/// # Errors
/// The store's and the worker's: what stands in the way of the files.
pub async fn finish_rollback(app: &App, store: &Store, run: &RunId) -> Result<(), Failure> {
    let state = store.load(run).await?.state;
    let Some(half) = &state.ledger.rollback else { return Ok(()) };
    let (step, before) = (half.to_step, state.head.seq);
    if state.ledger.owner.as_ref().is_some_and(|o| store.is_alive(&o.worker)) {
        return Ok(());
    }
    let signals = signals::listen()?;
    settle(app, store, run, &signals).await?;
    let state = store.load(run).await?.state;
    for envelope in store.events(run, before + 1, state.head.seq).await? {
        let Decoded::Known(event) = envelope.event else { continue };
        if let Event::RolledBack { kept, .. } = *event {
            let left = match kept.is_empty() {
                true => String::new(),
                false => format!(" Left as others changed them: {}.", kept.join(", ")),
            };
            talk(&format!(
                "the rollback to step {step} that was half done is finished first; `wakeful redo {run}` undoes it.{left}"
            ));
        }
    }
    Ok(())
}

async fn post_and_wait(app: &App, store: &Store, run: &RunId, control: Control) -> Result<Answer, Failure> {
    let signals = signals::listen()?;
    let state = store.load(run).await?.state;
    let before = state.head.seq;
    let config = app.readable_config(&state.ledger.workspace);
    let control = masks(app, &config).control(control).map_err(Failure::usage)?;
    let id = match store.post(run, control.clone(), person(), app.now()).await? {
        Posted::Row(id) => id,
        Posted::LostTo { by, at, decision } => return Err(lost(&by, app.now() - at, &decision)),
    };
    let patience = if control.needs_worker() { LONG_PATIENCE } else { PATIENCE };
    let begun = Instant::now();
    let mut changes = store.watch().await?;
    let mut stop = signals.stop.clone();
    let mut settled = false;
    let answer = |came, state: Arc<RunState>, taken| {
        let owner = state.ledger.owner.as_ref().map(|o| o.worker.clone()).filter(|w| store.is_alive(w));
        Answer { came, state, owner, taken, also: Vec::new() }
    };
    loop {
        let taken = store.taken(id).await?;
        let state = store.load(run).await?.state;
        if taken.is_none()
            && let Some(by) = store.had_back(id).await?
        {
            let why = format!("{} took it back before it was delivered", super::words::who(&by));
            return Ok(answer(Came::Refused(why), state, taken));
        }
        if let Some(at) = taken
            && is_done(&control, &state)
        {
            let came = came_of(store, &control, &state, before, at).await?;
            return Ok(answer(came, state, taken));
        }
        if *stop.borrow() {
            return Ok(answer(Came::Interrupted, state, taken));
        }
        let held = state.ledger.owner.as_ref().is_some_and(|o| store.is_alive(&o.worker));
        // The agent does not read it before somebody does something.
        let still = matches!(state.status(), Status::Waiting(_) | Status::Paused);
        if matches!(control, Control::Message { .. })
            && (settled || (held && still))
            && !hears(&state, app.now(), Hands::Settling)
        {
            return Ok(answer(Came::Queued, state, taken));
        }
        if begun.elapsed() > patience && (held || settled) {
            return Ok(answer(Came::Queued, state, taken));
        }
        if !held && !settled {
            settled = settle(app, store, run, &signals).await?;
            continue;
        }
        tokio::select! {
            () = changes.changed() => {}
            // An owner that dies changes nothing in the database.
            () = tokio::time::sleep(Duration::from_millis(200)) => settled = false,
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }
}

/// Applies what stands in the inbox, unless somebody living owns the run. True if it was ours.
async fn settle(app: &App, store: &Store, run: &RunId, signals: &signals::Signals) -> Result<bool, Failure> {
    // Nothing is judged or started while settling, so a broken configuration is no obstacle; but what a command has
    // written may be stored, so the keys and secrets that it names are needed.
    let workspace = store.load(run).await?.state.ledger.workspace.clone();
    let config = app.readable_config(&workspace);
    let (engine, _identity) = engine(app, &config, store, Arc::new(Silent), signals)?;
    match advance(&engine, run, Stay::Settle).await? {
        Stop::HeldBy(_) => Ok(false),
        Stop::Damaged(damage) => Err(StoreError::Damaged { run: run.clone(), damage }.into()),
        Stop::ReadOnly => Err(Failure {
            exit: Exit::Storage,
            message: format!("{run} was written by a newer wakeful and can only be looked at here"),
        }),
        Stop::Ended(_) | Stop::Waiting(_) | Stop::Paused | Stop::Interrupted => Ok(true),
    }
}

/// True once nothing of what was asked is under way any more.
fn is_done(control: &Control, state: &RunState) -> bool {
    match control {
        Control::Cancel => !state.ledger.cancelling,
        Control::Rollback { .. } | Control::Redo => state.ledger.rollback.is_none(),
        Control::Pause { .. }
        | Control::Continue
        | Control::Decide { .. }
        | Control::EditGoal { .. }
        | Control::EditPlan { .. }
        | Control::SetLimits { .. }
        | Control::SetMode { .. }
        | Control::SetModel { .. }
        | Control::Message { .. }
        | Control::ExtendTimeout { .. }
        | Control::StopCall { .. } => true,
    }
}

/// What became of a control that was taken at the head `taken`.
///
/// # Errors
/// The store's.
pub async fn came_of(
    store: &Store,
    control: &Control,
    state: &RunState,
    before: Seq,
    taken: Seq,
) -> Result<Came, Failure> {
    if taken <= before {
        // Nothing had to be recorded: it was so already.
        return Ok(Came::Applied);
    }
    if let Some(envelope) = store.event(&state.run, taken).await?
        && let Decoded::Known(event) = envelope.event
        && let Event::ControlRefused { control: word, why } = *event
        && word == control.word()
    {
        return Ok(Came::Refused(why));
    }
    if !matches!(control, Control::Rollback { .. } | Control::Redo) {
        return Ok(Came::Applied);
    }
    // The rollback that began at `taken` ends with the next of these two.
    for envelope in store.events(&state.run, taken, state.head.seq).await? {
        let Decoded::Known(event) = envelope.event else { continue };
        if let Event::RollbackFailed { why } = *event {
            return Ok(Came::Refused(why));
        }
        if let Event::RolledBack { .. } = *event {
            break;
        }
    }
    Ok(Came::Applied)
}

fn lost(by: &Author, ago: Millis, decision: &str) -> Failure {
    let who = super::words::who(by);
    let ago = span(u64::try_from(ago).unwrap_or(0));
    Failure::usage(format!(
        "it was decided before, by {who}, {ago} ago: {} The first decision stands",
        super::words::sentence(decision)
    ))
}

/// Says what came of a control: one JSON object on stdout, or words on stderr. `applied` says what was done.
///
/// # Errors
/// If stdout cannot be written.
pub fn tell(answer: &Answer, applied: &str, call: Option<&CallId>, json: bool) -> Result<Exit, Failure> {
    let run = &answer.state.run;
    let (word, why, exit) = match &answer.came {
        Came::Applied => ("applied", None, Exit::Completed),
        Came::Refused(why) => ("refused", Some(why.as_str()), Exit::Usage),
        Came::Queued => ("queued", None, Exit::Completed),
        Came::Interrupted => ("interrupted", None, Exit::Interrupted),
    };
    if json {
        let status = answer.state.status();
        let also: Vec<_> = answer.also.iter().map(Also::object).collect();
        let line = json!({
            "run": run, "call_id": call, "outcome": word, "why": why, "status": status.word(), "also": also,
        });
        Out::stdout().json_line(&line)?;
        return Ok(exit);
    }
    match &answer.came {
        Came::Applied => talk(&format!("{applied}. {}", next_words(answer))),
        Came::Refused(why) => talk(&format!("not done: {why}")),
        Came::Queued => {
            let owner = answer.owner.as_ref().map_or("a worker", WorkerId::as_str);
            talk(&format!("recorded. {owner} is busy and takes it as soon as the running call allows"));
        }
        Came::Interrupted => {
            talk(&format!("stopped; what you asked for stands. `wakeful resume {run}` does it"));
        }
    }
    Ok(exit)
}

/// How the run stands now, and what moves it on.
pub fn next_words(answer: &Answer) -> String {
    let state = &answer.state;
    let run = &state.run;
    match (state.status(), &answer.owner) {
        (Status::Ended(outcome), _) => format!("{run} is {}", outcome.word()),
        (Status::Running, Some(worker)) => format!("{worker} goes on with {run}"),
        (Status::Running, None) => format!("`wakeful resume {run}` goes on"),
        (status @ (Status::Waiting(_) | Status::Paused), owner) => {
            format!("{run}: {}", report::standing_with(state, EndStatus::from(&status), owner.as_ref()))
        }
    }
}

pub(super) async fn plain(
    app: &App,
    store: Store,
    run: RunId,
    control: Control,
    said: &str,
    json: bool,
) -> Result<Exit, Failure> {
    let answer = ask(app, &store, &run, control).await?;
    let exit = tell(&answer, said, None, json)?;
    store.close().await?;
    Ok(exit)
}

/// `wakeful pause`.
///
/// # Errors
/// See [`Failure`].
pub async fn pause(app: &App, args: PauseArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let run = find(&store, &args.run).await?;
    let answer = ask(app, &store, &run, Control::Pause { now: args.now }).await?;
    let runs = answer.state.open_here().any(|call| call.status == CallStatus::Started);
    let said = match runs {
        true => {
            "paused; the command that runs goes on to its own end, and its result is fetched when the run goes on"
        }
        false => "paused",
    };
    let exit = tell(&answer, said, None, args.json)?;
    if answer.came == Came::Queued && !args.now && !args.json {
        talk("it pauses after the running call; `--now` pauses at once and lets a command go on by itself");
    }
    store.close().await?;
    Ok(exit)
}

/// `wakeful continue`: ends a pause or a hold; it answers no question.
///
/// # Errors
/// See [`Failure`].
pub async fn go_on(app: &App, args: RunJson) -> Result<Exit, Failure> {
    let store = app.open()?;
    let run = find(&store, &args.run).await?;
    let state = store.load(&run).await?.state;
    match state.status() {
        Status::Waiting(why @ (WaitWhy::Approval(_) | WaitWhy::Question(_) | WaitWhy::Uncertain(_))) => {
            let worker = state.ledger.owner.as_ref().map(|owner| &owner.worker);
            let worker = worker.filter(|worker| store.is_alive(worker));
            let words = report::standing_with(&state, EndStatus::Waiting, worker);
            return Err(Failure::usage(format!("{run} waits ({}): {words}", why.word())));
        }
        Status::Running
        | Status::Paused
        | Status::Ended(_)
        | Status::Waiting(WaitWhy::Hold(_) | WaitWhy::Retry(_)) => {}
    }
    plain(app, store, run, Control::Continue, "it may go on", args.json).await
}

/// `wakeful cancel`.
///
/// # Errors
/// See [`Failure`].
pub async fn cancel(app: &App, args: RunJson) -> Result<Exit, Failure> {
    let store = app.open()?;
    let run = find(&store, &args.run).await?;
    plain(app, store, run, Control::Cancel, "cancelled; what it did stays", args.json).await
}

/// `wakeful mode`.
///
/// # Errors
/// See [`Failure`].
pub async fn mode(app: &App, args: ModeArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let run = find(&store, &args.run).await?;
    let mode = Mode::from(args.mode);
    let said = match mode {
        Mode::Ask => "every effect and every write waits for you from now on",
        Mode::Safe => "reads, and file writes inside the workspace, go from now on",
        Mode::Auto => "all but denied and dangerous calls go from now on",
    };
    plain(app, store, run, Control::SetMode { mode }, said, args.json).await
}
