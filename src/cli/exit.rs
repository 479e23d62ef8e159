//! Exit codes, and the status word of the last line of `--json`.
//!
//! 0 completed · 1 internal error, or stdout cannot be written · 2 usage or config · 3 stopped at a limit · 4 waiting
//! for a person, or paused · 5 failed or cancelled · 6 storage · 130 interrupted (saved). Commands that only read or
//! write a record exit with 0 when they did, whatever the run's status is.

use crate::run::{Outcome, Status};
use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The run is completed, or the command did what it was asked.
    Completed,
    /// A fault of the program, or a stdout that cannot be written.
    Internal,
    /// The command line or the configuration is wrong.
    Usage,
    /// The run stopped at a limit.
    Limit,
    /// The run waits for a person, or is paused.
    Waiting,
    /// The run failed or was cancelled.
    Failed,
    /// The database cannot be used.
    Storage,
    /// Stopped by a signal; all is saved.
    Interrupted,
}

impl Exit {
    /// The number for the shell.
    pub fn code(self) -> u8 {
        match self {
            Exit::Completed => 0,
            Exit::Internal => 1,
            Exit::Usage => 2,
            Exit::Limit => 3,
            Exit::Waiting => 4,
            Exit::Failed => 5,
            Exit::Storage => 6,
            Exit::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

/// How `run` and `resume` left the run: the `status` of the event `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndStatus {
    /// The goal was reached as far as the checks can tell.
    Completed,
    /// Stopped at a limit.
    Limit,
    /// A person is needed.
    Waiting,
    /// A person paused it.
    Paused,
    /// It could not go on.
    Failed,
    /// A person ended it.
    Cancelled,
    /// The process was told to stop; the run can go on.
    Interrupted,
    /// The database could not be used any more.
    Storage,
}

impl EndStatus {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            EndStatus::Completed => "completed",
            EndStatus::Limit => "limit",
            EndStatus::Waiting => "waiting",
            EndStatus::Paused => "paused",
            EndStatus::Failed => "failed",
            EndStatus::Cancelled => "cancelled",
            EndStatus::Interrupted => "interrupted",
            EndStatus::Storage => "storage",
        }
    }

    /// The exit code that says the same.
    pub fn exit(self) -> Exit {
        match self {
            EndStatus::Completed => Exit::Completed,
            EndStatus::Limit => Exit::Limit,
            EndStatus::Waiting | EndStatus::Paused => Exit::Waiting,
            EndStatus::Failed | EndStatus::Cancelled => Exit::Failed,
            EndStatus::Interrupted => Exit::Interrupted,
            EndStatus::Storage => Exit::Storage,
        }
    }
}

impl From<&Outcome> for EndStatus {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Completed => EndStatus::Completed,
            Outcome::Limit(_) => EndStatus::Limit,
            Outcome::Failed(_) => EndStatus::Failed,
            Outcome::Cancelled => EndStatus::Cancelled,
        }
    }
}

impl From<&Status> for EndStatus {
    /// A run that could still go on when its worker left it was interrupted.
    fn from(status: &Status) -> Self {
        match status {
            Status::Running => EndStatus::Interrupted,
            Status::Waiting(_) => EndStatus::Waiting,
            Status::Paused => EndStatus::Paused,
            Status::Ended(outcome) => outcome.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{LimitKind, WaitWhy};

    #[test]
    fn every_status_has_its_word_and_code() {
        let ends = [
            (Status::Ended(Outcome::Completed), "completed", 0),
            (Status::Ended(Outcome::Limit(LimitKind::Steps)), "limit", 3),
            (Status::Waiting(WaitWhy::Approval(vec![])), "waiting", 4),
            (Status::Waiting(WaitWhy::Retry(0)), "waiting", 4),
            (Status::Paused, "paused", 4),
            (Status::Ended(Outcome::Failed("x".into())), "failed", 5),
            (Status::Ended(Outcome::Cancelled), "cancelled", 5),
            (Status::Running, "interrupted", 130),
        ];
        for (status, word, code) in ends {
            let end = EndStatus::from(&status);
            assert_eq!((end.word(), end.exit().code()), (word, code));
        }
        assert_eq!((EndStatus::Storage.word(), EndStatus::Storage.exit().code()), ("storage", 6));
        assert_eq!((Exit::Internal.code(), Exit::Usage.code()), (1, 2));
    }
}
