//! `wakeful` alone in a terminal: the workstation, with this process's hands.
//!
//! The screen decides nothing about runs and carries nothing out; here its commands become inbox rows, reads and workers,
//! and what comes of them becomes its messages. A run that is worked at here has a task of its own ([`work`]); the store
//! is read by one task ([`feed`]); questions of dialogs are answered as they come ([`answers`]).

mod answers;
pub(in crate::cli) mod back;
mod drafts;
mod feed;
mod found;
mod output;
mod place;
mod post;
mod signs;
mod starts;
mod work;

use super::app::{App, Failure};
use super::exit::Exit;
use super::{print, run};
use crate::config::{Config, OnHangup};
use crate::host::notify::Hook;
use crate::host::{clock, leaving};
use crate::run::id::RunId;
use crate::store::{RunFilter, RunRow, Store};
use crate::ui::app::model::Look;
use crate::ui::app::msg::{Clock, Cmd, Msg};
use crate::ui::app::{App as Workstation, End};
use crate::ui::frame;
use crate::ui::keys::Keymap;
use crate::ui::terminal::Options;
use crate::ui::theme::{Depth, Glyphs, Theme};
use crate::ui::words::{Lang, Words};
use drafts::Keeper;
use post::Posts;
use starts::Starts;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use work::Workers;

/// Messages that may be on their way to the screen.
const QUEUE: usize = 256;
/// Longest wait for a worker that takes a run over.
const TAKEN_OVER: Duration = Duration::from_secs(5);

/// What the person chose for the screen on the command line.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// `--lang`.
    pub lang: Option<String>,
    /// `--theme`.
    pub theme: Option<String>,
}

/// What carries out the screen's commands.
#[derive(Clone)]
pub struct Hands {
    app: App,
    store: Store,
    tell: mpsc::Sender<Msg>,
    /// The run that is shown, and how many runs are listed.
    shown: watch::Sender<(Option<RunId>, usize)>,
    posts: Posts,
    workers: Workers,
    starts: Starts,
    keeper: Keeper,
    /// The person's command for attention.
    hook: Option<Hook>,
}

/// Opens the workstation and returns when it is left.
///
/// # Errors
/// See [`Failure`].
pub async fn workstation(app: &App, wanted: &Wanted) -> Result<Exit, Failure> {
    let here = run::folder(app, None)?;
    let config = app.config(&here)?;
    let (look, theme) = look(app, wanted, &config)?;
    let store = app.open()?;
    let (tell, messages) = mpsc::channel(QUEUE);
    let (shown, seen) = watch::channel((None, 0));
    let lang = look.lang;
    let workers = Workers::new(app.clone(), store.clone(), tell.clone());
    let (posts, posting) = Posts::new(app.clone(), store.clone(), lang, workers.clone(), tell.clone());
    let starts = Starts::default();
    let (keeper, keeping) = Keeper::new(app.clone(), store.clone());
    let hands = Hands {
        app: app.clone(),
        store: store.clone(),
        tell: tell.clone(),
        shown,
        posts,
        workers,
        starts,
        keeper,
        hook: Hook::of(&config.notify),
    };
    let found = found::nothing_yet(app, &config, &here, &theme);
    let mut screen = Workstation::new(look, found, std::process::id(), Box::new(clocks));
    screen.still = Some(still(&store));
    screen.had_drafts(store.drafts().await?);
    let first = first_run(&hands, &config, &here).await?;
    for command in screen.show(first) {
        hands.carry(command);
    }
    let (of, looked_at) = watch::channel(None);
    tokio::spawn(feed::feed(store.clone(), hands.workers.clone(), seen, tell.clone(), of));
    tokio::spawn(signs::signs(store.clone(), hands.workers.clone(), looked_at.clone(), tell.clone()));
    tokio::spawn(output::outputs(app.clone(), store.clone(), looked_at, tell.clone()));
    tokio::spawn(found::reasons(store.clone(), tell.clone()));
    tokio::spawn(found::look(app.clone(), config, here, theme, tell));
    print::hush(true);
    let carrying = hands.clone();
    let end =
        frame::run(&mut screen, Options::default(), messages, move |command| carrying.carry(command)).await;
    print::hush(false);
    hands.posts.finish(posting).await;
    hands.keeper.finish(screen.last_drafts(), keeping).await;
    hands.starts.leave().await;
    let at_work = hands.workers.at_work();
    hands.workers.stop(true).await;
    if matches!(end, Ok(End::HungUp)) {
        go_on_without(app, &store, at_work.clone()).await?;
    }
    let mut left = hands.workers.left();
    if matches!(end, Ok(End::Left)) {
        left.extend(elsewhere(&store, lang, &at_work, &left).await?);
    }
    let end = end.map_err(|fault| Failure::internal(fault.to_string()))?;
    for line in left {
        print::talk(&line);
    }
    store.close().await?;
    Ok(match end {
        End::Left => Exit::Completed,
        End::Ended | End::HungUp => Exit::Interrupted,
    })
}

/// Who goes on with the runs that others have, a line each; those that were told of are left out.
async fn elsewhere(
    store: &Store,
    lang: Lang,
    own: &[RunId],
    told: &[String],
) -> Result<Vec<String>, Failure> {
    let statuses = ["running", "waiting", "paused"].map(str::to_owned).to_vec();
    let mut rows = store.runs(RunFilter { statuses, ..RunFilter::default() }).await?;
    rows.retain(|row| !own.contains(&row.id) && !told.iter().any(|line| line.starts_with(row.id.as_str())));
    let line = |row: RunRow| {
        let owner = row.owner.as_ref().filter(|owner| store.is_alive(owner))?;
        Some(Words::of(lang).quit.goes_on_with(row.id.as_str(), &row.title, owner.as_str()))
    };
    Ok(rows.into_iter().filter_map(line).collect())
}

/// The terminal is gone: workers without one go on with the runs whose configuration says so.
async fn go_on_without(app: &App, store: &Store, runs: Vec<RunId>) -> Result<(), Failure> {
    for run in runs {
        let workspace = store.load(&run).await?.state.ledger.workspace.clone();
        let goes_on = app.config(&workspace)?.on_hangup == OnHangup::Continue;
        if goes_on && run::hand_over(app, store, &run).await? {
            taken_over(store, &run).await?;
        }
    }
    Ok(())
}

/// Waits until a worker has the run, but not for ever: it must have left this terminal's session before we end it.
async fn taken_over(store: &Store, run: &RunId) -> Result<(), Failure> {
    let begun = Instant::now();
    while begun.elapsed() < TAKEN_OVER {
        let state = store.load(run).await?.state;
        if state.ledger.owner.as_ref().is_some_and(|owner| store.is_alive(&owner.worker)) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// Longest wait, before this process is stopped, for commands that are just being started.
const STARTED: Duration = Duration::from_secs(1);

/// Stopped in the middle of a commit the process would keep the database locked for everybody; and a command's supervisor
/// that is still of our process group would be stopped too.
fn still(store: &Store) -> frame::Still {
    let store = store.clone();
    std::sync::Arc::new(move || {
        let store = store.clone();
        Box::pin(async move {
            let held = store.hold().await.ok();
            let none_starts = tokio::task::spawn_blocking(|| leaving::hold(STARTED)).await.ok();
            Box::new((none_starts, held)) as Box<dyn Send>
        })
    })
}

fn clocks() -> Clock {
    Clock { wall: clock::wall_ms(), mono: Instant::now() }
}

/// Whether what a configuration says of the screen can be used: its theme and its keys.
///
/// # Errors
/// What cannot, and why.
pub fn check(app: &App, config: &Config) -> Result<(), Failure> {
    look(app, &Wanted::default(), config).map(drop)
}

/// Language, theme, signs and keys: what the command line says, else the configuration.
fn look(app: &App, wanted: &Wanted, config: &Config) -> Result<(Look, String), Failure> {
    let of = |name: &str| app.env.get(name).map(String::as_str);
    let lang = match wanted.lang.as_ref().or(config.screen.lang.as_ref()) {
        Some(flag) => Lang::from_flag(flag).map_err(|e| Failure::usage(e.to_string()))?,
        None => Lang::from_locale(of("LC_ALL"), of("LC_MESSAGES"), of("LANG")),
    };
    let no_color = of("NO_COLOR").is_some_and(|value| !value.is_empty());
    let folder = app.paths.config.parent().map(|folder| folder.join("themes"));
    let name = wanted.theme.clone().or(config.screen.theme.clone()).unwrap_or_else(|| "dark".to_owned());
    let theme = Theme::named(&name, folder.as_deref(), no_color)?.at(Depth::of(of("COLORTERM"), of("TERM")));
    let look = Look {
        lang,
        words: Words::with(lang, config.screen.ascii),
        theme,
        glyphs: Glyphs::of(config.screen.ascii),
        zone: jiff::tz::TimeZone::system(),
        keys: Keymap::with_overrides(&config.keys)
            .map_err(|error| Failure::usage(format!("{error}. Change it in {}", app.paths.config.display())))?
            .in_ascii(config.screen.ascii),
    };
    Ok((look, if no_color { "mono".to_owned() } else { name }))
}

/// The run that is shown first: one of this folder that was interrupted, which goes on, one that waits for the person, or
/// one that is worked at elsewhere.
async fn first_run(hands: &Hands, config: &Config, here: &Path) -> Result<Option<RunId>, Failure> {
    let statuses = ["interrupted", "waiting", "running", "paused"].map(str::to_owned).to_vec();
    let filter = RunFilter { statuses, ..RunFilter::default() };
    let mut rows = hands.store.runs(filter).await?;
    rows.retain(|row| row.workspace == here);
    let interrupted = rows.iter().filter(|row| row.status == "interrupted");
    let waiting = rows.iter().filter(|row| row.status == "waiting");
    // A run that somebody works at comes before one that was laid aside.
    let running = rows.iter().find(|row| row.status == "running");
    let first = interrupted.clone().next().or(waiting.clone().next()).or(running).or(rows.first());
    let first = first.map(|row| row.id.clone());
    for row in interrupted.filter(|_| config.resume_on_start) {
        hands.workers.work(row.id.clone());
    }
    // What waits goes on as soon as it is decided.
    for row in waiting.filter(|_| config.resume_on_start) {
        hands.workers.work(row.id.clone());
    }
    Ok(first)
}

impl Hands {
    /// Carries out a command, on the thread of commands: what has to be in order is done before this returns.
    fn carry(&self, command: Cmd) {
        let runtime = tokio::runtime::Handle::current();
        match command {
            Cmd::Show(run) => {
                self.shown.send_modify(|shown| shown.0 = run);
            }
            Cmd::MoreRuns(runs) => self.shown.send_modify(|shown| shown.1 = runs),
            Cmd::Post(ticket, run, control) => self.posts.post((ticket, run, control)),
            Cmd::Work(run) => self.workers.work(run),
            Cmd::Drafts(changes) => self.keeper.keep(changes),
            Cmd::Notify(notice) => {
                if let Some(hook) = self.hook.clone() {
                    let tell = self.tell.clone();
                    // A thread of its own: nothing waits for it, the end of the workstation neither.
                    let call = move || {
                        if let Err(why) = hook.call(&notice) {
                            let _ = tell.try_send(Msg::NotNotified(why));
                        }
                    };
                    let _ = std::thread::Builder::new().name("notify".to_owned()).spawn(call);
                }
            }
            Cmd::GiveUp(ticket) => self.starts.give_up(ticket),
            Cmd::Start(ticket, new) => self.begin(ticket, *new),
            Cmd::Retry(run) => self.workers.retry(&run),
            Cmd::Stop { now } => {
                let hands = self.clone();
                runtime.spawn(async move {
                    hands.workers.stop(now).await;
                    let _ = hands.tell.send(Msg::Stopped).await;
                });
            }
            Cmd::HandOver(runs) => {
                let hands = self.clone();
                runtime.spawn(async move {
                    hands.workers.stop(true).await;
                    for run in runs {
                        match run::hand_over(&hands.app, &hands.store, &run).await {
                            Ok(false) => {}
                            Ok(true) => hands.workers.handed_over(&hands.store, &run).await,
                            Err(failure) => hands.workers.failed(&run, failure.message),
                        }
                    }
                    let _ = hands.tell.send(Msg::Stopped).await;
                });
            }
            other => {
                let hands = self.clone();
                runtime.spawn(async move {
                    if let Some(msg) = hands.answer(other).await {
                        let _ = hands.tell.send(msg).await;
                    }
                });
            }
        }
    }
}
