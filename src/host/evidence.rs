//! What a spool tells about its call, read in the one order that is safe:
//! **token → lock → exit → life**.
//!
//! Why the order: each later look is only meaningful under the earlier one. An exit record that
//! was missed while the lock was still held may be there a moment later, so its absence counts
//! only when read after the lock was seen free; `life` is taken before the lock can be lost, so
//! its being free counts only after that.

use super::fault::fault;
use super::lock::Held;
use super::process::ProcessId;
use super::record::ExitRecord;
use super::spool::{Spool, Token};
use super::{HostError, orphan};

/// What was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// No token: the spool is gone or damaged, the evidence is lost.
    Missing,
    /// Nobody has begun, and anybody may.
    Ready,
    /// Nobody has begun, and nobody will.
    Closed,
    /// A valid exit record.
    Ended(ExitRecord),
    /// Begun, its supervisor lives, no record yet.
    Running,
    /// Begun, its supervisor is dead, no record, and processes of the command live.
    Orphan {
        /// Those that could be found; may be empty although something lives.
        members: Vec<ProcessId>,
    },
    /// Begun, nothing lives, no record.
    Lost {
        /// A file stands where the record belongs, but it is not one.
        damaged: bool,
        /// The lock file of the command's life is there, so "nothing lives" is known by it.
        certain: bool,
    },
}

/// Where evidence is read from: a spool, or in tests a world that changes between two looks.
pub trait Evidence {
    /// See [`Spool::token`].
    fn token(&self) -> Result<Token, HostError>;
    /// See [`Spool::probe_lock`].
    fn lock(&self) -> Result<Held, HostError>;
    /// See [`Spool::exit`].
    fn exit(&self) -> Result<(Option<ExitRecord>, bool), HostError>;
    /// See [`Spool::probe_life`].
    fn life(&self) -> Result<Held, HostError>;
    /// See [`orphan::members`].
    fn members(&self) -> Result<Vec<ProcessId>, HostError>;
}

impl Evidence for Spool {
    fn token(&self) -> Result<Token, HostError> {
        Spool::token(self)
    }

    fn lock(&self) -> Result<Held, HostError> {
        self.probe_lock()
    }

    fn exit(&self) -> Result<(Option<ExitRecord>, bool), HostError> {
        Spool::exit(self)
    }

    fn life(&self) -> Result<Held, HostError> {
        self.probe_life()
    }

    fn members(&self) -> Result<Vec<ProcessId>, HostError> {
        orphan::members(self)
    }
}

/// Looks at a spool. An error means that nothing was learnt.
pub fn look(spool: &impl Evidence) -> Result<Look, HostError> {
    let token = spool.token()?;
    fault("drive.looked");
    match token {
        Token::Missing => return Ok(Look::Missing),
        Token::Ready => return Ok(Look::Ready),
        Token::Closed => return Ok(Look::Closed),
        Token::Begun => {}
    }
    let lock = spool.lock()?;
    fault("drive.looked");
    let (record, damaged) = spool.exit()?;
    if let Some(record) = record {
        return Ok(Look::Ended(record));
    }
    if lock == Held::Held {
        return Ok(Look::Running);
    }
    fault("drive.looked");
    let life = spool.life()?;
    // Free says that nobody holds the file; a process that closed it may still carry the mark.
    let members = spool.members()?;
    if life == Held::Held || !members.is_empty() {
        return Ok(Look::Orphan { members });
    }
    Ok(Look::Lost { damaged, certain: life == Held::Free })
}
