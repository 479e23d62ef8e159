//! The store is opened on a thread of its own: what another process holds keeps no screen away, only its runs.
//!
//! [`Opening`] opens and reads what the first screen needs. [`Table`] is where the screen's commands go; until the store is
//! there they lie on it in their order.

use super::{Desk, Hands};
use crate::cli::app::{App, Failure};
use crate::store::{OnBusy, RunFilter, RunRow, Store};
use crate::ui::app::drafts::Places;
use crate::ui::app::msg::{Clock, Cmd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// How long nothing is shown while the store is opened, if nobody else holds it.
const SOON: Duration = Duration::from_secs(1);

/// A store, and what stood in it.
pub struct Opened {
    /// The store.
    pub store: Store,
    /// What was written and not sent.
    pub drafts: Places,
    /// Runs that are not over, newest first.
    pub runs: Vec<RunRow>,
}

/// A store that is being opened.
pub struct Opening {
    done: oneshot::Receiver<Result<Opened, Failure>>,
    held: watch::Receiver<Option<Clock>>,
}

/// What came of waiting.
pub enum Came {
    /// Another process holds it, since then at least.
    Held(Clock),
    /// It is open, or cannot be opened.
    Done(Box<Result<Opened, Failure>>),
}

impl Opening {
    /// Begins to open it.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn begin(app: &App) -> Result<Self, Failure> {
        let (tell_done, done) = oneshot::channel();
        let (tell_held, held) = watch::channel(None);
        let on_busy: OnBusy = Arc::new(move || {
            tell_held.send_replace(Some(super::clocks()));
        });
        let (app, runtime) = (app.clone(), tokio::runtime::Handle::current());
        // Not one of the runtime's own threads: leaving does not wait for it.
        let open = move || {
            let opened = app.open_telling(on_busy).and_then(|store| runtime.block_on(read(store)));
            // Nobody waits if the screen was left.
            let _ = tell_done.send(opened);
        };
        std::thread::Builder::new().name("opening".to_owned()).spawn(open)?;
        Ok(Self { done, held })
    }

    /// What comes of it before a screen has to say that it takes long; none if nothing has.
    pub async fn soon(&mut self) -> Option<Came> {
        tokio::time::timeout(SOON, self.next()).await.ok()
    }

    /// Waits for what comes next.
    pub async fn next(&mut self) -> Came {
        let held = &mut self.held;
        tokio::select! {
            biased;
            done = &mut self.done => Came::Done(Box::new(done.unwrap_or_else(|_| {
                Err(Failure::internal("opening the database ended without a result; start wakeful again"))
            }))),
            since = async {
                // Its other end is with the thread: once that is gone, the result is all that comes.
                if held.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
                *held.borrow_and_update()
            } => match since {
                Some(since) => Came::Held(since),
                None => Came::Held(super::clocks()),
            },
        }
    }
}

async fn read(store: Store) -> Result<Opened, Failure> {
    let statuses = ["interrupted", "waiting", "running", "paused"].map(str::to_owned).to_vec();
    let runs = store.runs(RunFilter { statuses, ..RunFilter::default() }).await?;
    let drafts = store.drafts().await?;
    Ok(Opened { store, drafts, runs })
}

/// How far the store is.
pub enum State {
    /// It is being opened: commands that wait for it.
    Closed(Vec<Cmd>),
    /// It is there.
    Open(Box<Desk>),
    /// It cannot be opened.
    Failed(Failure),
}

/// Where the screen's commands go.
#[derive(Clone)]
pub struct Table(Arc<Mutex<State>>);

impl Table {
    /// A table before the store is there.
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(State::Closed(Vec::new()))))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The store is there: what waited for it is carried out.
    pub fn open(&self, desk: Desk) {
        let hands = desk.hands.clone();
        let mut state = self.state();
        if let State::Closed(waiting) = std::mem::replace(&mut *state, State::Open(Box::new(desk))) {
            waiting.into_iter().for_each(|command| hands.carry(command));
        }
    }

    /// It cannot be opened.
    pub fn fail(&self, failure: Failure) {
        *self.state() = State::Failed(failure);
    }

    /// Carries a command out, now or once the store is there.
    pub fn carry(&self, command: Cmd) {
        let hands = match &mut *self.state() {
            State::Open(desk) => desk.hands.clone(),
            State::Closed(waiting) => {
                waiting.push(command);
                return;
            }
            State::Failed(_) => return,
        };
        hands.carry(command);
    }

    /// The hands, once there are some.
    pub fn hands(&self) -> Option<Hands> {
        match &*self.state() {
            State::Open(desk) => Some(desk.hands.clone()),
            State::Closed(_) | State::Failed(_) => None,
        }
    }

    /// The end: what was on it.
    pub fn clear(&self) -> State {
        std::mem::replace(&mut *self.state(), State::Closed(Vec::new()))
    }
}
