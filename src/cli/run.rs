//! `run`, `resume`, and the default job.

use super::app::{App, Failure, short_random};
use super::args::{ResumeArgs, RunArgs, WatchArgs};
use super::contact::Contacts;
use super::exit::Exit;
use super::line::{Manner, masks, work};
use super::model::ConfiguredModels;
use super::observe::event_json;
use super::print::{Out, talk};
use super::values::RunArg;
use super::words::sentence;
use super::{model, report, signals};
use crate::config::{Config, OnHangup, Overrides};
use crate::context::{Texts, prompts_version};
use crate::host::lock::end_holder;
use crate::run::control::{Author, Control};
use crate::run::event::{Event, JOURNAL_FORMAT, NewEvent};
use crate::run::goal::{Check, Goal};
use crate::run::id::RunId;
use crate::run::settings::Settings;
use crate::run::{Outcome, RunState, Status};
use crate::store::{RunFilter, RunRow, Store};
use crate::tokens::counter_of;
use crate::tool::{ShellLimits, built_in};
use crate::worker::{Models, impossible};
use crate::workspace::Workspace;
use serde_json::json;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What is done when nothing else is asked for.
const DEFAULT_GOAL: &str = "Survey this folder and write what you found to wakeful-report.md";
/// Longest wait for a worker that is ended to be gone.
const TAKE_OVER: Duration = Duration::from_secs(5);
/// Longest title made of a goal, characters.
const TITLE: usize = 60;

/// `wakeful run`.
///
/// # Errors
/// See [`Failure`].
pub async fn run(app: &App, args: RunArgs) -> Result<Exit, Failure> {
    let workspace = folder(app, args.workspace.as_deref())?;
    let goal =
        Goal { text: args.goal.clone(), constraints: args.constraints.clone(), checks: args.checks.clone() };
    begin(app, &workspace, goal, args.title.clone(), &args.overrides(), &args.watch).await
}

/// `wakeful` alone: goes on with what was interrupted in the present folder, else the default job there.
///
/// # Errors
/// See [`Failure`].
pub async fn default_job(app: &App) -> Result<Exit, Failure> {
    let workspace = folder(app, None)?;
    if let Some(exit) = go_on_here(app, &workspace).await? {
        return Ok(exit);
    }
    let goal = Goal {
        text: DEFAULT_GOAL.to_owned(),
        constraints: vec!["change no other file".to_owned()],
        checks: vec![Check::File("wakeful-report.md".to_owned())],
    };
    talk(&format!(
        "The default job in {}: {DEFAULT_GOAL}. `wakeful --help` tells what else there is.",
        workspace.display()
    ));
    begin(app, &workspace, goal, None, &Overrides::default(), &WatchArgs::default()).await
}

/// Goes on with the interrupted runs of this folder, one after the other, and names those of others. None if there was
/// nothing to go on with here, or the configuration says not to.
async fn go_on_here(app: &App, workspace: &Path) -> Result<Option<Exit>, Failure> {
    let config = app.config(workspace)?;
    let store = app.open()?;
    let filter = RunFilter { statuses: vec!["interrupted".to_owned()], ..RunFilter::default() };
    let (here, elsewhere): (Vec<RunRow>, Vec<RunRow>) =
        store.runs(filter).await?.into_iter().partition(|row| row.workspace == workspace);
    for row in &elsewhere {
        talk(&format!("interrupted elsewhere: {} {} in {}", row.id, row.title, row.workspace.display()));
    }
    if !elsewhere.is_empty() {
        talk("`wakeful resume RUN` goes on with one of them, `wakeful worker` with all");
    }
    if here.is_empty() || !config.resume_on_start {
        for row in &here {
            let title = sentence(&row.title);
            talk(&format!("interrupted here: {} {title} `wakeful resume {}` goes on", row.id, row.id));
        }
        store.close().await?;
        return Ok(None);
    }
    let signals = signals::listen()?;
    let mut exit = Exit::Completed;
    for row in here.into_iter().rev() {
        talk(&format!("goes on with {} {}", row.id, row.title));
        exit = one(app, &config, &store, &row.id, &WatchArgs::default(), &signals).await?;
        if *signals.stop.borrow() {
            break;
        }
    }
    store.close().await?;
    Ok(Some(exit))
}

async fn begin(
    app: &App,
    workspace: &Path,
    goal: Goal,
    title: Option<String>,
    overrides: &Overrides,
    watch: &WatchArgs,
) -> Result<Exit, Failure> {
    let config = app.config(workspace)?.with(overrides);
    let store = app.open()?;
    let author = Author::Person("cli".to_owned());
    let signals = signals::listen()?;
    let order = Order { workspace, goal, title, author: author.clone() };
    let (run, created) = create(app, &config, &store, order, &Contacts::talking()).await?;
    let first = event_json(1, 0, &author, &created);
    if watch.json {
        for line in [json!({ "event": "run", "run": run }), first] {
            Out::stdout().json_line(&line).map_err(|e| Failure::unheard(&run, &e))?;
        }
    } else {
        talk(&format!("{run} in {}", workspace.display()));
    }
    finish(app, &config, &store, &run, watch, &signals).await
}

/// A run that is to be made.
pub struct Order<'a> {
    /// Its folder.
    pub workspace: &'a Path,
    /// Its goal.
    pub goal: Goal,
    /// Its title; none is made of the goal.
    pub title: Option<String>,
    /// Who asks for it.
    pub author: Author,
}

/// Makes a run; nobody works at it yet. Gives its name and its first event. It can be given up until it is written down.
///
/// # Errors
/// What cannot be: checks, secrets in the goal, the model; else the store's.
pub async fn create(
    app: &App,
    config: &Config,
    store: &Store,
    order: Order<'_>,
    contacts: &Contacts,
) -> Result<(RunId, Event), Failure> {
    let Order { workspace, goal, title, author } = order;
    let folder = Workspace::open(workspace).map_err(|error| Failure::usage(error.to_string()))?;
    if let Some(why) = impossible(&goal.checks, &folder) {
        return Err(Failure::usage(why));
    }
    masks(app, config).goal(&goal).map_err(Failure::usage)?;
    let settings = contacts.unless_given_up(store, settings(app, config, store, contacts)).await?;
    // A key that is missing is told before there is a run.
    if !settings.model.offline {
        let models = ConfiguredModels::new(app, config);
        models.provider(&settings).map_err(Failure::usage)?;
        if let Some(other) = &settings.summary_model {
            let beside = Settings { model: other.as_ref().clone(), ..settings.clone() };
            let why = |why: String| Failure::usage(format!("context.summary_model: {why}"));
            models.provider(&beside).map_err(why)?;
        }
    }
    if let Some(why) = goal_too_large(&settings, &goal) {
        return Err(Failure::usage(why));
    }
    let run = RunId::new(format!("r-{}", short_random(12)));
    let title = title.unwrap_or_else(|| title_of(&goal.text));
    let created = Event::RunCreated {
        format: JOURNAL_FORMAT,
        title,
        goal,
        workspace: workspace.to_owned(),
        settings: Box::new(settings),
    };
    let event = NewEvent { author, event: created.clone() };
    contacts.unless_given_up(store, contacts.writes(store, &run, event, app.now())).await?;
    Ok((run, created))
}

/// Why no work would fit beside this goal; none if some does.
fn goal_too_large(settings: &Settings, goal: &Goal) -> Option<String> {
    let mut state = RunState::new(RunId::new("r-new"));
    state.ledger.settings = Some(Arc::new(settings.clone()));
    let counter = counter_of(&settings.model);
    crate::context::goal_too_large(&state, goal, &Texts::default(), &|text| counter.count(text))
}

async fn finish(
    app: &App,
    config: &Config,
    store: &Store,
    run: &RunId,
    watch: &WatchArgs,
    signals: &signals::Signals,
) -> Result<Exit, Failure> {
    let exit = one(app, config, store, run, watch, signals).await?;
    // All is committed; that its log could not be folded into the database (a full disk) changes nothing of how the run
    // stands, which is said already.
    let _ = store.close().await;
    Ok(exit)
}

/// Works at one run and says how it stands then.
async fn one(
    app: &App,
    config: &Config,
    store: &Store,
    run: &RunId,
    watch: &WatchArgs,
    signals: &signals::Signals,
) -> Result<Exit, Failure> {
    let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let manner =
        Manner { json: watch.json, interactive: terminal && !watch.asks_nothing(), wait: watch.wait };
    let ended = work(app, config, store, run, manner, signals).await?;
    if signals.hung_up() && config.on_hangup == OnHangup::Continue {
        hand_over(app, store, run).await?;
    }
    report::finish(store, run, watch.json, ended).await
}

/// Lets a worker without a terminal go on with a run; false for one that a person paused, which nobody lets go on by
/// leaving.
///
/// # Errors
/// The store's, and if the worker cannot be started.
pub async fn hand_over(app: &App, store: &Store, run: &RunId) -> Result<bool, Failure> {
    if store.load(run).await?.state.ledger.paused.is_some() {
        return Ok(false);
    }
    let args = ["resume", run.as_str(), "--headless", "--wait", "--db"].map(std::ffi::OsString::from);
    let mut args: Vec<std::ffi::OsString> = args.into();
    args.push(app.paths.db.clone().into_os_string());
    if app.paths.config_named {
        args.push("--config".into());
        args.push(app.paths.config.clone().into_os_string());
    }
    crate::host::spawn::detached(args)?;
    Ok(true)
}

/// `wakeful resume`.
///
/// # Errors
/// See [`Failure`].
pub async fn resume(app: &App, args: ResumeArgs) -> Result<Exit, Failure> {
    crate::host::spawn::leave_session_if_asked();
    let store = app.open()?;
    let run = find(&store, &args.run).await?;
    let state = store.load(&run).await?.state;
    let config = app.config(&state.ledger.workspace)?;
    let signals = signals::listen()?;
    if args.take_over {
        take_over(&store, &state).await?;
    }
    if args.watch.json {
        let line = json!({ "event": "run", "run": run });
        Out::stdout().json_line(&line).map_err(|e| Failure::unheard(&run, &e))?;
    }
    let person = || Author::Person("cli".to_owned());
    let patch = args.limits.patch();
    if let Some(model) = args.model {
        let config = config.clone().with(&Overrides { model: Some(model), ..Overrides::default() });
        let mut model = Box::new(model::named(app, &config, &store, &Contacts::talking()).await?);
        // Who names a model for a run says that it is as the configuration has it.
        model.forget_window();
        store.post(&run, Control::SetModel { model }, person(), app.now()).await?;
        if !patch.is_empty() {
            store.post(&run, Control::SetLimits { patch }, person(), app.now()).await?;
        }
    } else if !patch.is_empty() {
        store.post(&run, Control::SetLimits { patch }, person(), app.now()).await?;
    } else if let Status::Ended(Outcome::Failed(_)) = state.status()
        && store.pending(&run).await?.is_empty()
    {
        // The model or its server failed, and may be there again.
        store.post(&run, Control::Continue, person(), app.now()).await?;
    } else if let Status::Ended(_) = state.status()
        && store.pending(&run).await?.is_empty()
    {
        return report::finish(&store, &run, args.watch.json, None).await;
    }
    if state.status() == Status::Paused {
        store.post(&run, Control::Continue, person(), app.now()).await?;
    }
    finish(app, &config, &store, &run, &args.watch, &signals).await
}

/// Ends the living owner of a run, since a person said so. It is never done otherwise: an owner that only sleeps could
/// wake in the middle of a write.
///
/// # Errors
/// If it could not be ended; the run then stays its own.
pub async fn take_over(store: &Store, state: &RunState) -> Result<(), Failure> {
    let Some(owner) = state.ledger.owner.as_ref().filter(|o| store.is_alive(&o.worker)) else {
        talk("nobody has this run; there is nothing to take over");
        return Ok(());
    };
    talk(&format!("ending worker {}, which has {}", owner.worker, state.run));
    let lock = store.dir().join("workers").join(owner.worker.as_str());
    let ended = tokio::task::spawn_blocking(move || end_holder(&lock, TAKE_OVER)).await;
    match ended.map_err(|e| Failure::internal(e.to_string()))?? {
        true => Ok(()),
        false => Err(Failure {
            exit: Exit::Waiting,
            message: format!("worker {} could not be ended; {} stays its own", owner.worker, state.run),
        }),
    }
}

/// The run that the argument names.
///
/// # Errors
/// The store's.
pub async fn find(store: &Store, run: &RunArg) -> Result<RunId, Failure> {
    let text = match run {
        RunArg::Last => "last",
        RunArg::Prefix(prefix) => prefix,
    };
    Ok(store.find_run(text).await?)
}

/// The folder of a run, links resolved.
///
/// # Errors
/// If it is none.
pub fn folder(app: &App, named: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = named.map_or_else(|| app.cwd.clone(), |p| app.cwd.join(p));
    let real = std::fs::canonicalize(&path).map_err(|e| {
        Failure::usage(format!(
            "the workspace {} cannot be used: {e}. Name a folder that exists",
            path.display()
        ))
    })?;
    if !real.is_dir() {
        return Err(Failure::usage(format!("the workspace {} is not a folder", real.display())));
    }
    Ok(real)
}

async fn settings(
    app: &App,
    config: &Config,
    store: &Store,
    contacts: &Contacts,
) -> Result<Settings, Failure> {
    let limits = config.limits();
    let shell = ShellLimits { max_s: limits.shell_timeout_max_s, ..ShellLimits::default() };
    let model = model::named(app, config, store, contacts).await?;
    let summary_model = model::for_summaries(app, config, &model, store.dir(), contacts).await?;
    Ok(Settings {
        mode: config.mode,
        rules: config.rules.clone(),
        tools: config.tools(built_in(shell)),
        model,
        summary_model,
        context: config.context.clone(),
        decide_after_ms: config.decide_after_ms,
        keep_results: config.memory.keep_results,
        max_results: config.memory.max_results,
        prompts: prompts_version(),
        program: env!("CARGO_PKG_VERSION").to_owned(),
        limits,
    })
}

/// A title for lists: the beginning of the goal's first line.
fn title_of(goal: &str) -> String {
    let line = super::print::one_line(goal.lines().find(|l| !l.trim().is_empty()).unwrap_or(goal));
    if line.chars().count() <= TITLE {
        return line;
    }
    let cut: String = line.chars().take(TITLE - 1).collect();
    format!("{}…", cut.trim_end())
}
