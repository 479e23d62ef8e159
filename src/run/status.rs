//! How a run stands: at work, waiting and for whom, paused, over.

use super::call::CallStatus;
use super::event::Hold;
use super::id::{CallId, Millis};
use super::report::Outcome;
use super::settings::Class;
use super::state::{RunState, Turn};
use serde::{Deserialize, Serialize};

/// Why a run waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitWhy {
    /// Calls wait for a decision.
    Approval(Vec<CallId>),
    /// Questions wait for an answer.
    Question(Vec<CallId>),
    /// Nobody knows whether these calls happened.
    Uncertain(Vec<CallId>),
    /// A person has to say go on.
    Hold(Hold),
    /// The model is asked again at this time.
    Retry(Millis),
}

impl WaitWhy {
    /// The word of SPEC §2.
    pub fn word(&self) -> &'static str {
        match self {
            WaitWhy::Approval(_) => "approval",
            WaitWhy::Question(_) => "question",
            WaitWhy::Uncertain(_) => "uncertain",
            WaitWhy::Hold(Hold::Breaker(_)) => "breaker",
            WaitWhy::Hold(Hold::Loop(_)) => "loop",
            WaitWhy::Hold(Hold::FailedCheck(_)) => "failed_check",
            WaitWhy::Hold(Hold::Context(_)) => "budget",
            WaitWhy::Hold(Hold::Damage(_)) => "damage",
            WaitWhy::Retry(_) => "retry",
        }
    }
}

/// Status of a run as the journal knows it. `interrupted` is not here: it is `running` without a living owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It can go on.
    Running,
    /// It waits.
    Waiting(WaitWhy),
    /// A person paused it.
    Paused,
    /// It is over.
    Ended(Outcome),
}

impl Status {
    /// The status word of SPEC §15.
    pub fn word(&self) -> &'static str {
        match self {
            Status::Running => "running",
            Status::Waiting(_) => "waiting",
            Status::Paused => "paused",
            Status::Ended(outcome) => outcome.word(),
        }
    }
}

impl RunState {
    /// The status as the journal knows it.
    pub fn status(&self) -> Status {
        // A rollback or a cancel under way is work to do, whatever the run waited for before.
        if self.ledger.rollback.is_some() || self.ledger.cancelling {
            return Status::Running;
        }
        if let Some(ended) = &self.ledger.ended {
            return Status::Ended(ended.outcome.clone());
        }
        if self.ledger.paused.is_some() {
            return Status::Paused;
        }
        match self.waits_for() {
            Some(why) => Status::Waiting(why),
            None => Status::Running,
        }
    }

    /// What the run waits for, worst first; none if it can go on.
    pub fn waits_for(&self) -> Option<WaitWhy> {
        let with = |status: CallStatus, person: bool| -> Vec<CallId> {
            self.open_here()
                .filter(|c| c.status == status && (c.class == Class::Person) == person)
                .map(|c| c.call_id.clone())
                .collect()
        };
        let uncertain: Vec<CallId> = self
            .open_here()
            .filter(|c| c.status == CallStatus::Uncertain)
            .map(|c| c.call_id.clone())
            .collect();
        if !uncertain.is_empty() {
            return Some(WaitWhy::Uncertain(uncertain));
        }
        if let Some(hold) = &self.ledger.hold {
            return Some(WaitWhy::Hold(hold.clone()));
        }
        // Of a check that is void nobody needs an answer.
        if self.claim_is_void() {
            return None;
        }
        // In the reply's order: while a call before the waiting ones can go, the run is at work.
        let busy = self.open_here().any(|c| c.status == CallStatus::Started)
            || self.first_open().is_some_and(|c| c.status != CallStatus::Waiting);
        let approval = with(CallStatus::Waiting, false);
        let question = with(CallStatus::Waiting, true);
        if !busy && !approval.is_empty() {
            return Some(WaitWhy::Approval(approval));
        }
        if !busy && !question.is_empty() {
            return Some(WaitWhy::Question(question));
        }
        if let Turn::Retry { until: Some(until), .. } = &self.path.turn {
            return Some(WaitWhy::Retry(*until));
        }
        None
    }

    /// True if the goal was edited since the claim under way was made: the checks that were begun on it are void.
    pub fn claim_is_void(&self) -> bool {
        match &self.path.turn {
            Turn::Claiming { goal_version, .. } => *goal_version != self.path.goal_version,
            Turn::Idle
            | Turn::Asking(_)
            | Turn::Retry { .. }
            | Turn::Acting { .. }
            | Turn::Reported { .. } => false,
        }
    }
}
