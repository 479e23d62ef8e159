//! Events on their way to one commit, folded as they are pushed: what the fold refuses never reaches the store, and
//! the next decision can already be asked of [`Batch::state`].

use crate::run::body::BlobBag;
use crate::run::control::Author;
use crate::run::event::{Decoded, Envelope, Event, NewEvent};
use crate::run::fold::FoldError;
use crate::run::id::{Millis, Seq};
use crate::run::state::RunState;
use std::sync::Arc;

/// Events of one commit, with the state as it will be after them.
pub struct Batch {
    base: Arc<RunState>,
    scratch: Option<RunState>,
    /// The events so far.
    pub events: Vec<NewEvent>,
    /// The contents that they name.
    pub bag: BlobBag,
    /// The time of the commit.
    pub now: Millis,
}

impl Batch {
    /// An empty batch after `base`.
    pub fn new(base: Arc<RunState>, now: Millis) -> Self {
        Self { base, scratch: None, events: Vec::new(), bag: BlobBag::new(), now }
    }

    /// The state after the events so far.
    pub fn state(&self) -> &RunState {
        self.scratch.as_ref().unwrap_or(&self.base)
    }

    /// The seq that the next event will have.
    pub fn next_seq(&self) -> Seq {
        self.state().head.seq + 1
    }

    /// True if nothing was pushed.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Adds an event of the worker.
    ///
    /// # Errors
    /// [`FoldError`] if it cannot follow; the batch is then not to be committed.
    pub fn push(&mut self, event: Event) -> Result<(), FoldError> {
        self.push_by(Author::Wakeful, event)
    }

    /// Adds an event of `author`.
    ///
    /// # Errors
    /// As [`Batch::push`].
    pub fn push_by(&mut self, author: Author, event: Event) -> Result<(), FoldError> {
        let scratch = self.scratch.get_or_insert_with(|| self.base.as_ref().clone());
        let envelope = Envelope {
            seq: scratch.head.seq + 1,
            timeline: scratch.head.timeline,
            parent: scratch.head.seq,
            at: self.now,
            author: author.clone(),
            event: Decoded::Known(Box::new(event.clone())),
        };
        scratch.apply(&envelope)?;
        self.events.push(NewEvent { author, event });
        Ok(())
    }

    /// Adds a `RolledBack` by itself: the store alone can fold it.
    pub fn push_rolled_back(&mut self, event: Event) {
        self.events.push(NewEvent { author: Author::Wakeful, event });
    }

    /// Adds an event behind a `RolledBack`: this one too the store alone can fold.
    pub fn push_behind(&mut self, author: Author, event: Event) {
        self.events.push(NewEvent { author, event });
    }
}
