//! An event with what is known of it besides what happened: place, time, author.

use super::control::Author;
use super::decode::Decoded;
use super::event::Event;
use super::id::{Millis, Seq, TimelineNo};

/// An event with its place in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// Position in the run.
    pub seq: Seq,
    /// The timeline it belongs to.
    pub timeline: TimelineNo,
    /// The event before it on its timeline's chain; 0 for the first.
    pub parent: Seq,
    /// When it was committed.
    pub at: Millis,
    /// Who made it.
    pub author: Author,
    /// What happened.
    pub event: Decoded,
}

/// An event that is about to be committed.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// Who made it.
    pub author: Author,
    /// What happened.
    pub event: Event,
}
