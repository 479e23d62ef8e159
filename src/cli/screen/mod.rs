//! `wakeful` alone in a terminal: the workstation, with this process's hands.
//!
//! The screen decides nothing about runs and carries nothing out; here its commands become inbox rows, reads and workers,
//! and what comes of them becomes its messages. A run that is worked at here has a task of its own ([`work`]); the store
//! is read by one task ([`feed`]); questions of dialogs are answered as they come ([`answers`]). The screen does not wait for
//! a store that others hold ([`opening`]).

pub(in crate::cli) mod answers;
pub(in crate::cli) mod back;
mod drafts;
mod feed;
mod found;
mod opening;
mod output;
mod place;
mod post;
mod signs;
mod starts;
mod traces;
mod work;

use super::app::{App, Failure};
use super::exit::Exit;
use super::{print, run};
use crate::config::{Config, OnHangup};
use crate::host::notify::Hook;
use crate::host::{clock, leaving};
use crate::run::id::RunId;
use crate::store::{RunFilter, RunRow, Store};
use crate::ui::app::drafts::Places;
use crate::ui::app::model::Look;
use crate::ui::app::msg::{Clock, Cmd, Msg};
use crate::ui::app::{App as Workstation, End};
use crate::ui::frame;
use crate::ui::keys::Keymap;
use crate::ui::terminal::Options;
use crate::ui::theme::{Depth, Glyphs, Theme};
use crate::ui::words::{Lang, Words};
use drafts::Keeper;
use opening::{Came, Opened, Opening, State, Table};
use post::Posts;
use starts::Starts;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
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

impl Wanted {
    /// Whether there are such a language and theme, where no screen is opened.
    ///
    /// # Errors
    /// What there is not, and what there is.
    pub fn check(&self, app: &App) -> Result<(), Failure> {
        let here = run::folder(app, None)?;
        look(app, self, &app.config(&here)?).map(drop)
    }
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

/// The hands, and the tasks behind them that are waited for at the end.
pub struct Desk {
    hands: Hands,
    posting: JoinHandle<()>,
    keeping: JoinHandle<()>,
}

/// What is needed to go on once the store is open.
struct Setting {
    app: App,
    config: Config,
    here: PathBuf,
    theme: String,
    lang: Lang,
    tell: mpsc::Sender<Msg>,
    table: Table,
}

/// Opens the workstation and returns when it is left.
///
/// # Errors
/// See [`Failure`].
pub async fn workstation(app: &App, wanted: &Wanted) -> Result<Exit, Failure> {
    let here = run::folder(app, None)?;
    let config = app.config(&here)?;
    let (look, theme) = look(app, wanted, &config)?;
    let lang = look.lang;
    // What keeps the screen away is said in its language.
    let said = |failure: Failure| Failure { message: lang.trouble(&failure.message).into_owned(), ..failure };
    let mut opening = Opening::begin(app)?;
    let soon = match opening.soon().await {
        Some(Came::Done(done)) => Ok((*done).map_err(said)?),
        Some(Came::Held(since)) => Err(Some(since)),
        None => Err(None),
    };
    let (tell, messages) = mpsc::channel(QUEUE);
    let found = found::nothing_yet(app, &config, &here, &theme);
    let mut screen = Workstation::new(look, found, std::process::id(), Box::new(clocks));
    let table = Table::new();
    screen.still = Some(still(&table));
    let setting = Setting { app: app.clone(), config, here, theme, lang, tell, table: table.clone() };
    match soon {
        Ok(opened) => {
            let (drafts, first) = setting.lay(opened);
            screen.opened(drafts, first).into_iter().for_each(|command| table.carry(command));
        }
        Err(held) => {
            screen.opens(held);
            tokio::spawn(setting.wait(opening));
        }
    }
    print::hush(true);
    let carrying = table.clone();
    let end =
        frame::run(&mut screen, Options::default(), messages, move |command| carrying.carry(command)).await;
    print::hush(false);
    match table.clear() {
        State::Open(desk) => leave(app, lang, *desk, screen.last_drafts(), end).await,
        State::Failed(failure) => Err(said(failure)),
        State::Closed(_) => end.map(exit).map_err(|fault| Failure::internal(fault.to_string())),
    }
}

impl Setting {
    /// Makes the hands of a store that is open, and everything that looks at it. Gives what was written and not sent, and the
    /// run that is shown first.
    fn lay(self, opened: Opened) -> (Places, Option<RunId>) {
        let Self { app, config, here, theme, lang, tell, table } = self;
        let Opened { store, drafts, runs } = opened;
        let (shown, seen) = watch::channel((None, 0));
        let workers = Workers::new(app.clone(), store.clone(), tell.clone());
        let (posts, posting) = Posts::new(app.clone(), store.clone(), lang, workers.clone(), tell.clone());
        let (keeper, keeping) = Keeper::new(app.clone(), store.clone());
        let hands = Hands {
            app: app.clone(),
            store: store.clone(),
            tell: tell.clone(),
            shown,
            posts,
            workers,
            starts: Starts::default(),
            keeper,
            hook: Hook::of(&config.notify),
        };
        let first =
            first_run(&hands, &config, runs.into_iter().filter(|row| row.workspace == here).collect());
        let (of, looked_at) = watch::channel(None);
        tokio::spawn(feed::feed(store.clone(), hands.workers.clone(), seen, tell.clone(), of));
        tokio::spawn(signs::signs(store.clone(), hands.workers.clone(), looked_at.clone(), tell.clone()));
        tokio::spawn(output::outputs(app.clone(), store.clone(), looked_at, tell.clone()));
        tokio::spawn(signs::damage(store.clone(), tell.clone()));
        tokio::spawn(found::reasons(store, tell.clone()));
        tokio::spawn(found::look(app, config, here, theme, tell));
        table.open(Desk { hands, posting, keeping });
        (drafts, first)
    }

    /// Waits until the store is open or cannot be, and tells the screen, which is there already.
    async fn wait(self, mut opening: Opening) {
        let tell = self.tell.clone();
        loop {
            let msg = match opening.next().await {
                Came::Held(since) => Msg::Held(since),
                Came::Done(done) => {
                    let msg = match *done {
                        // Left meanwhile: nothing is begun any more.
                        Ok(_) if tell.is_closed() => return,
                        Ok(opened) => {
                            let (drafts, first) = self.lay(opened);
                            Msg::Opened(drafts, first)
                        }
                        Err(failure) => {
                            self.table.fail(failure);
                            Msg::NotOpened
                        }
                    };
                    let _ = tell.send(msg).await;
                    return;
                }
            };
            let _ = tell.send(msg).await;
        }
    }
}

fn exit(end: End) -> Exit {
    match end {
        End::Left => Exit::Completed,
        End::Ended | End::HungUp => Exit::Interrupted,
    }
}

/// The screen is gone: what is on its way is stored, the workers stop, and it is said who goes on with what.
async fn leave(
    app: &App,
    lang: Lang,
    desk: Desk,
    last: drafts::Changes,
    end: Result<End, frame::Fault>,
) -> Result<Exit, Failure> {
    let Desk { hands, posting, keeping } = desk;
    let store = hands.store.clone();
    hands.posts.finish(posting).await;
    hands.keeper.finish(last, keeping).await;
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
    Ok(exit(end))
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
fn still(table: &Table) -> frame::Still {
    let table = table.clone();
    std::sync::Arc::new(move || {
        let store = table.hands().map(|hands| hands.store);
        Box::pin(async move {
            let held = match store {
                Some(store) => store.hold().await.ok(),
                None => None,
            };
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
    let depth = Depth::of(of("COLORTERM"), of("TERM"));
    let theme = Theme::named(&name, folder.as_deref(), no_color)?.at(depth);
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
    Ok((look, if no_color || depth == Depth::None { "mono".to_owned() } else { name }))
}

/// The run that is shown first, of those of this folder: one that was interrupted, which goes on, one that waits for the
/// person, or one that is worked at elsewhere.
fn first_run(hands: &Hands, config: &Config, rows: Vec<RunRow>) -> Option<RunId> {
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
    first
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
