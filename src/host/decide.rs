//! The pure decision of a drive: from what was seen to the one thing to do now.
//!
//! No file, clock or process is touched here. Every verdict of a call comes from this table, so
//! the rules that no effect happens twice and none is called "not run" falsely can be read, and
//! are tested, in one place:
//! - `NotStarted` comes from a closed token only,
//! - `Ended` comes from an exit record only,
//! - `Uncertain` and `RunAgain` only when nothing of the attempt can still happen (a `read` whose
//!   left-over cannot be ended is the one exception: it changes nothing).

use super::evidence::Look;
use super::process::ProcessId;
use super::record::ExitRecord;
use super::spool::{Class, StopReason};

/// What people want of a running call. The sender must have committed the request before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Controls {
    /// Do not start it if it has not begun; leave a begun one alone.
    pub close: bool,
    /// Do not start it, and end it if it has begun.
    pub stop: Option<StopReason>,
    /// Another time-out, in milliseconds awake since the command began.
    pub timeout_ms: Option<u64>,
}

/// How far our own try to start a supervisor has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// Not tried by this drive.
    NotTried,
    /// It runs since so many milliseconds.
    Waiting {
        /// Milliseconds since the spawn.
        for_ms: u64,
    },
    /// It has ended.
    Gone {
        /// What it said, for a person.
        why: String,
    },
    /// It could not be spawned.
    Failed {
        /// The system's reason.
        why: String,
    },
}

/// How long to wait for what, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For a supervisor to begin.
    pub start_ms: u64,
    /// Past the time-out, or past a stop, before a silent supervisor counts as hung.
    pub over_ms: u64,
    /// For a sign of life of a supervisor that is past its time-out.
    pub beat_ms: u64,
    /// Between TERM and KILL.
    pub grace_ms: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Self { start_ms: 10_000, over_ms: 30_000, beat_ms: 10_000, grace_ms: 2_000 }
    }
}

/// What the drive knows besides the look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Class of the call.
    pub class: Class,
    /// What people want.
    pub controls: Controls,
    /// Our supervisor.
    pub start: Start,
    /// Why this drive closed the token, if it did.
    pub closed: Option<NotStarted>,
    /// Milliseconds since this drive asked for the stop.
    pub stop_ms: Option<u64>,
    /// Milliseconds since this drive sent TERM to the orphans.
    pub term_ms: Option<u64>,
    /// Milliseconds since this drive last sent KILL to the orphans.
    pub kill_ms: Option<u64>,
    /// Milliseconds since the supervisor last gave a sign of life (as far as this drive saw).
    pub beat_ms: u64,
    /// Milliseconds awake since the command began.
    pub age_ms: u64,
    /// The time-out in force.
    pub timeout_ms: u64,
    /// How long to wait for what.
    pub patience: Patience,
}

/// Why a call was not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotStarted {
    /// A control said so.
    Stopped,
    /// No supervisor could begin.
    CouldNotStart {
        /// For a person.
        why: String,
    },
    /// It was closed before this drive looked.
    ClosedEarlier,
}

/// The end of a drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It ended, as its record says (also "not run" by the record).
    Ended(ExitRecord),
    /// It did not begin and never will.
    NotStarted(NotStarted),
    /// It began, nothing of it lives, and nobody knows how far it came: a person must say.
    Uncertain {
        /// For a person.
        why: String,
    },
    /// It began and left no result, and its class allows another attempt.
    RunAgain {
        /// For a person.
        why: String,
    },
}

/// The one thing to do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Start a supervisor.
    Spawn,
    /// Close the token, then look again.
    Close(NotStarted),
    /// Write the stop request.
    RequestStop(StopReason),
    /// Send TERM to these left-overs.
    TermOrphans(Vec<ProcessId>),
    /// Send KILL to these left-overs.
    KillOrphans(Vec<ProcessId>),
    /// KILL the hung supervisor.
    KillSupervisor,
    /// Nothing now; look again a little later or when a control comes.
    Wait,
    /// Done.
    Say(Verdict),
}

/// Decides. Pure: the same look and knowledge give the same step.
pub fn decide(look: Look, known: &Known) -> Step {
    match look {
        Look::Ended(record) => Step::Say(Verdict::Ended(record)),
        Look::Closed => {
            Step::Say(Verdict::NotStarted(known.closed.clone().unwrap_or(NotStarted::ClosedEarlier)))
        }
        Look::Ready => ready(known),
        Look::Running => running(known),
        Look::Orphan { members } => orphan(members, known),
        Look::Missing => Step::Say(missing(known.class)),
        Look::Lost { damaged, certain } => Step::Say(lost(known, damaged, certain)),
    }
}

fn ready(known: &Known) -> Step {
    if known.controls.close || known.controls.stop.is_some() {
        return Step::Close(NotStarted::Stopped);
    }
    let give_up = |why: &str| Step::Close(NotStarted::CouldNotStart { why: why.to_owned() });
    match &known.start {
        Start::NotTried => Step::Spawn,
        Start::Waiting { for_ms } if *for_ms < known.patience.start_ms => Step::Wait,
        Start::Waiting { .. } => give_up("its supervisor did not begin in time"),
        Start::Gone { why } | Start::Failed { why } => give_up(why),
    }
}

fn running(known: &Known) -> Step {
    if let Some(reason) = known.controls.stop
        && known.stop_ms.is_none()
    {
        return Step::RequestStop(reason);
    }
    let over = known.age_ms >= known.timeout_ms.saturating_add(known.patience.over_ms)
        || known.stop_ms.is_some_and(|ms| ms >= known.patience.over_ms);
    if over && known.beat_ms >= known.patience.beat_ms { Step::KillSupervisor } else { Step::Wait }
}

fn orphan(members: Vec<ProcessId>, known: &Known) -> Step {
    let is_read = known.class == Class::Read;
    if !is_read && known.controls.stop.is_none() && known.age_ms < known.timeout_ms {
        return Step::Wait;
    }
    let grace = known.patience.grace_ms;
    match (known.term_ms, known.kill_ms) {
        (None, _) => Step::TermOrphans(members),
        (Some(ms), _) if ms < grace => Step::Wait,
        (Some(_), None) => Step::KillOrphans(members),
        (Some(ms), Some(_)) if is_read && ms >= grace.saturating_mul(4) => Step::Say(Verdict::RunAgain {
            why: "its supervisor died; what is left of it cannot be ended".into(),
        }),
        // New ones may have been forked since; once a second is enough.
        (Some(_), Some(ms)) if ms >= 1_000 => Step::KillOrphans(members),
        (Some(_), Some(_)) => Step::Wait,
    }
}

fn missing(class: Class) -> Verdict {
    let why = "its spool is gone, so there is no evidence whether it ran".to_owned();
    match class {
        Class::Read => Verdict::RunAgain { why },
        // Whether the earlier attempt still runs cannot be seen either.
        Class::Keyed | Class::Effect => Verdict::Uncertain { why },
    }
}

fn lost(known: &Known, damaged: bool, certain: bool) -> Verdict {
    let why = match (damaged, known.term_ms.is_some()) {
        (false, false) => "it began, and its supervisor died before it recorded a result",
        (false, true) => {
            "it began, and its supervisor died before it recorded a result; what was left of it was ended"
        }
        (true, false) => {
            "it began, and its supervisor died before it recorded a result; the record that is there is damaged"
        }
        (true, true) => {
            "it began, and its supervisor died before it recorded a result; the record that is there is damaged; what was left of it was ended"
        }
    };
    let why = why.to_owned();
    match known.class {
        Class::Read => Verdict::RunAgain { why },
        Class::Keyed if certain => Verdict::RunAgain { why },
        Class::Keyed | Class::Effect => Verdict::Uncertain { why },
    }
}
