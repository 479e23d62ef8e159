//! Runs that are to begin: their server may have to be asked for minutes before there is a run, and can be given up.

use super::Hands;
use crate::cli::app::Failure;
use crate::cli::contact::{Contacts, GivesUp};
use crate::cli::run::{self, Order};
use crate::config::Overrides;
use crate::run::control::Author;
use crate::run::id::RunId;
use crate::ui::app::msg::{Msg, NewRun, Ticket};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Longest wait, at the end, for a run that is being written down.
const FINISH: Duration = Duration::from_secs(15);

/// One that is to begin.
struct Start {
    gives_up: GivesUp,
    /// Its other end is dropped when the run was made, or not.
    done: watch::Receiver<()>,
}

/// Those that are to begin now.
#[derive(Clone, Default)]
pub struct Starts(Arc<Mutex<HashMap<Ticket, Start>>>);

impl Starts {
    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<Ticket, Start>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run is not to begin after all. Once it is being written down, it begins.
    pub fn give_up(&self, ticket: Ticket) {
        if let Some(start) = self.all().get(&ticket) {
            start.gives_up.give_up();
        }
    }

    /// The screen is gone: what has not begun does not.
    pub async fn leave(&self) {
        let starts: Vec<Start> = self.all().drain().map(|(_, start)| start).collect();
        for mut start in starts {
            start.gives_up.give_up();
            // Fails once it is over.
            let _ = tokio::time::timeout(FINISH, start.done.changed()).await;
        }
    }
}

impl Hands {
    /// Begins a run on a task of its own, and tells how its server answers meanwhile.
    pub(super) fn begin(&self, ticket: Ticket, new: NewRun) {
        let gives_up = GivesUp::default();
        let (doing, done) = watch::channel(());
        self.starts.all().insert(ticket, Start { gives_up: gives_up.clone(), done });
        let hands = self.clone();
        tokio::runtime::Handle::current().spawn(async move {
            let tell = hands.tell.clone();
            // The screen hears of the next attempt too if it has too much to do for this one.
            let told = move |contact: &_| drop(tell.try_send(Msg::Starting(ticket, Clone::clone(contact))));
            let (tell, since) = (hands.tell.clone(), super::clocks());
            let held = move || drop(tell.try_send(Msg::StartHeld(ticket, since)));
            let contacts = Contacts::told(Arc::new(told), Arc::new(held), gives_up);
            let made = hands.start(new, &contacts).await.map_err(|failure| failure.message);
            hands.starts.all().remove(&ticket);
            if let Err(why) = &made
                && hands.tell.is_closed()
            {
                hands.workers.say(why.clone());
            }
            let _ = hands.tell.send(Msg::Started(ticket, made)).await;
            drop(doing);
        });
    }

    async fn start(&self, new: NewRun, contacts: &Contacts) -> Result<RunId, Failure> {
        let workspace = run::folder(&self.app, Some(&new.workspace))?;
        // What the environment names, or was found, is no profile that could be named: it is what is taken by itself.
        let named = new.model.filter(|profile| !matches!(profile.as_str(), "env" | "local"));
        let mut overrides = Overrides { model: named, ..Overrides::default() };
        overrides.mode = new.mode;
        overrides.limits = new.limits;
        let config = self.app.config(&workspace)?.with(&overrides);
        let author = Author::Person("tui".to_owned());
        let order = Order { workspace: &workspace, goal: new.goal, title: None, author };
        run::create(&self.app, &config, &self.store, order, contacts).await.map(|made| made.0)
    }
}
