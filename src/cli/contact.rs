//! The contact with a server before there is a run: who hears how it goes, and how it is given up.
//!
//! A server that is busy or does not answer is asked again as patiently as in a turn. Nothing is written down meanwhile, so
//! that giving up leaves nothing behind.

use super::app::Failure;
use super::duration::span;
use super::exit::Exit;
use super::print::talk;
use super::words::{many, sentence};
use crate::host::clock;
use crate::provider::error::{ErrorKind, ModelError};
use crate::provider::{Cancel, retry::RetryPolicy};
use crate::run::event::NewEvent;
use crate::run::{BlobBag, Millis, RunId};
use crate::store::Store;
use crate::ui::app::msg::Contact;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// How long it is waited for others that hold the database before that is told.
const SLOW: Duration = Duration::from_secs(1);
/// Time between two looks at that.
const LOOK: Duration = Duration::from_millis(200);

/// A run is not written down yet.
const OPEN: u8 = 0;
/// It was given up.
const GIVEN_UP: u8 = 1;
/// It is being written down.
const WRITING: u8 = 2;

/// Gives up what is to begin, or finds that it is being written down already: one of both comes first.
#[derive(Clone, Default)]
pub struct GivesUp {
    cancel: Cancel,
    at: Arc<AtomicU8>,
}

impl GivesUp {
    /// It is not to begin. Nothing happens if it is being written down: then it begins.
    pub fn give_up(&self) {
        if self.to(GIVEN_UP) {
            self.cancel.cancel();
        }
    }

    /// True: from now on it begins. False: it was given up.
    fn writes(&self) -> bool {
        self.to(WRITING)
    }

    fn to(&self, wanted: u8) -> bool {
        let moved = self.at.compare_exchange(OPEN, wanted, Ordering::AcqRel, Ordering::Acquire);
        moved.is_ok() || moved == Err(wanted)
    }

    /// It could not be written down after all.
    fn back(&self) {
        let _ = self.at.compare_exchange(WRITING, OPEN, Ordering::AcqRel, Ordering::Acquire);
    }
}

/// Who hears how a server answers, and can give it up.
#[derive(Clone)]
pub struct Contacts {
    tell: Arc<dyn Fn(&Contact) + Send + Sync>,
    /// Hears that others hold the database; none of it is waited for without an end.
    held: Option<Arc<dyn Fn() + Send + Sync>>,
    gives_up: GivesUp,
}

impl Contacts {
    /// Failed attempts are said on stderr; ctrl-c ends the process.
    pub fn talking() -> Self {
        let say = |contact: &Contact| {
            if let Some((why, at)) = &contact.failed {
                let ms = u64::try_from(at - clock::wall_ms()).unwrap_or(0);
                talk(&format!("! {why} Again in {} (ctrl-c gives up)", span(ms)));
            }
        };
        Self { tell: Arc::new(say), held: None, gives_up: GivesUp::default() }
    }

    /// Somebody else hears it, and gives it up; a database that others hold is waited for until then, which `held` hears of.
    pub fn told(
        tell: Arc<dyn Fn(&Contact) + Send + Sync>,
        held: Arc<dyn Fn() + Send + Sync>,
        gives_up: GivesUp,
    ) -> Self {
        Self { tell, held: Some(held), gives_up }
    }

    /// Writes a run down with its first event, unless it is given up before.
    ///
    /// # Errors
    /// The store's, or that it was given up.
    pub async fn writes(
        &self,
        store: &Store,
        run: &RunId,
        first: NewEvent,
        now: Millis,
    ) -> Result<(), Failure> {
        loop {
            let gives_up = self.gives_up.clone();
            let go = Arc::new(move || gives_up.writes());
            match store.create_run_if(run.clone(), vec![first.clone()], BlobBag::new(), now, go).await {
                Err(error) if error.is_busy() && self.held.is_some() => self.gives_up.back(),
                done => return Ok(done.map(drop)?),
            }
        }
    }

    /// Tells it, once, if something takes long because others hold the database. Never ends.
    async fn tells_if_held<T>(&self, store: &Store) -> T {
        let mut since = Instant::now();
        while since.elapsed() < SLOW {
            tokio::time::sleep(LOOK).await;
            if !store.is_held() {
                since = Instant::now();
            }
        }
        if let Some(held) = &self.held {
            held();
        }
        std::future::pending().await
    }

    /// Goes through with something, unless it is given up before.
    ///
    /// # Errors
    /// What it says, or that it was given up.
    pub async fn unless_given_up<T>(
        &self,
        store: &Store,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            biased;
            () = self.gives_up.cancel.cancelled() => {
                Err(Failure { exit: Exit::Interrupted, message: "given up; no run was created".to_owned() })
            }
            done = work => done,
            never = self.tells_if_held(store) => never,
        }
    }

    /// Begins to ask a server.
    pub fn asking(&self, place: &str, policy: RetryPolicy) -> Attempts<'_> {
        let contact = Contact {
            place: place.to_owned(),
            attempt: 1,
            most: policy.most(ErrorKind::Connect),
            failed: None,
        };
        (self.tell)(&contact);
        Attempts { contacts: self, contact, policy }
    }
}

/// A server that is asked until it answers, it was asked often enough, or it says what waiting does not help against.
pub struct Attempts<'a> {
    contacts: &'a Contacts,
    contact: Contact,
    policy: RetryPolicy,
}

impl Attempts<'_> {
    /// An attempt failed: waits until the next one.
    ///
    /// # Errors
    /// What the server said, if it is not asked again.
    pub async fn failed(&mut self, error: ModelError) -> Result<(), Failure> {
        let contact = &mut self.contact;
        contact.most = self.policy.most(error.kind);
        let Some(wait) = self.policy.plan(contact.attempt, &error, &mut rand::rng()) else {
            let said = sentence(&error.to_string());
            let message = if error.retryable() {
                let times = many(u64::from(contact.attempt), "time");
                format!("{said} It was asked {times}; no run was created")
            } else {
                format!("{said} No run was created")
            };
            return Err(Failure { exit: Exit::Failed, message });
        };
        let ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        contact.failed = Some((error.to_string(), clock::wall_ms().saturating_add(ms)));
        (self.contacts.tell)(contact);
        tokio::time::sleep(wait).await;
        contact.attempt += 1;
        contact.failed = None;
        (self.contacts.tell)(contact);
        Ok(())
    }
}
