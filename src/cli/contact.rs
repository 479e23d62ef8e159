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
use crate::ui::app::msg::Contact;
use std::sync::Arc;

/// Who hears how a server answers, and can give it up.
#[derive(Clone)]
pub struct Contacts {
    tell: Arc<dyn Fn(&Contact) + Send + Sync>,
    cancel: Cancel,
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
        Self { tell: Arc::new(say), cancel: Cancel::new() }
    }

    /// Somebody else hears it, and gives it up with the token.
    pub fn told(tell: Arc<dyn Fn(&Contact) + Send + Sync>, cancel: Cancel) -> Self {
        Self { tell, cancel }
    }

    /// Goes through with something, unless it is given up before.
    ///
    /// # Errors
    /// What it says, or that it was given up.
    pub async fn unless_given_up<T>(
        &self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => {
                Err(Failure { exit: Exit::Interrupted, message: "given up; no run was created".to_owned() })
            }
            done = work => done,
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
