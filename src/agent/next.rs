//! The one decision of the loop. Total: every state has an answer, and each answer either commits something that moves
//! the state, or waits for a person or a time, or is the end.

use super::ends;
use crate::run::call::{Call, CallStatus};
use crate::run::event::{Hold, Purpose};
use crate::run::goal::CheckResult;
use crate::run::id::{CallId, Millis, StepNo};
use crate::run::report::{LimitKind, Outcome};
use crate::run::settings::Class;
use crate::run::state::{RunState, Turn, WaitWhy};

/// The one thing to do now.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Nothing: the run is over.
    Ended,
    /// Nothing: a newer program wrote events that this one does not understand.
    ReadOnly,
    /// Record that the model call in flight is lost, and what it is charged.
    CloseModelCall,
    /// Finish the rollback that has begun.
    ContinueRollback,
    /// Say what becomes of these proposed calls, in this order.
    Judge(Vec<CallId>),
    /// Start these: one call, or neighbouring reads together.
    Start(Vec<CallId>),
    /// These are started: await them, re-attach to them, or find out what became of them.
    Attend {
        /// The calls.
        calls: Vec<CallId>,
        /// True if they are to be stopped.
        stop: bool,
    },
    /// Give these up: the run is being cancelled.
    GiveUp(Vec<CallId>),
    /// The step is whole.
    CommitStep(StepNo),
    /// Ask the model.
    CallModel {
        /// The step it belongs to.
        step: StepNo,
        /// What for.
        purpose: Purpose,
        /// Attempt in this step, from 1.
        attempt: u32,
    },
    /// Run the acceptance check of this index on the present claim.
    Check(usize),
    /// Give the claim back to the model.
    ReturnClaim(Returned),
    /// Record that the run waits for a person to say go on.
    Hold(Hold),
    /// Wait.
    Wait(Wait),
    /// End the run.
    WrapUp(Outcome, String),
}

/// Why a claim goes back.
#[derive(Clone, Debug, PartialEq)]
pub enum Returned {
    /// These checks failed.
    Failed(Vec<CheckResult>),
    /// The goal was edited after the claim was made.
    GoalEdited,
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq)]
pub enum Wait {
    /// A person, for this reason.
    Person(WaitWhy),
    /// A person who paused the run.
    Paused,
    /// This moment.
    Until(Millis),
}

/// The one thing that `state` does at `now`.
pub fn next(state: &RunState, now: Millis) -> Next {
    if state.ledger.unknown > 0 {
        return Next::ReadOnly;
    }
    if state.ledger.rollback.is_some() {
        return rollback(state);
    }
    if state.ledger.ended.is_some() {
        return Next::Ended;
    }
    if matches!(state.path.turn, Turn::Asking(_)) {
        return Next::CloseModelCall;
    }
    if state.ledger.cancelling {
        return cancel(state);
    }
    let started = ids(state, |c| c.status == CallStatus::Started);
    // Paused now: a command goes on under its supervisor, and its result is fetched when the run goes on.
    if !started.is_empty() && state.ledger.paused == Some(true) {
        return Next::Wait(Wait::Paused);
    }
    if !started.is_empty() {
        return Next::Attend { calls: started, stop: state.claim_is_void() };
    }
    if let Some(why @ WaitWhy::Uncertain(_)) = state.waits_for() {
        return Next::Wait(Wait::Person(why));
    }
    if state.ledger.paused.is_some() {
        return Next::Wait(Wait::Paused);
    }
    if let Some(hold) = &state.ledger.hold {
        return Next::Wait(Wait::Person(WaitWhy::Hold(hold.clone())));
    }
    turn(state, now)
}

/// A rollback settles what is open on the old timeline, then goes forward.
fn rollback(state: &RunState) -> Next {
    if matches!(state.path.turn, Turn::Asking(_)) {
        return Next::CloseModelCall;
    }
    settle_open(state).unwrap_or(Next::ContinueRollback)
}

fn cancel(state: &RunState) -> Next {
    settle_open(state).unwrap_or(Next::WrapUp(Outcome::Cancelled, "a person ended the run".to_owned()))
}

/// Stops started calls and gives up the others; an uncertain call counts as settled.
fn settle_open(state: &RunState) -> Option<Next> {
    let started = ids(state, |c| c.status == CallStatus::Started);
    if !started.is_empty() {
        return Some(Next::Attend { calls: started, stop: true });
    }
    let unstarted =
        ids(state, |c| matches!(c.status, CallStatus::Proposed | CallStatus::Waiting | CallStatus::Approved));
    (!unstarted.is_empty()).then_some(Next::GiveUp(unstarted))
}

fn ids(state: &RunState, which: impl Fn(&Call) -> bool) -> Vec<CallId> {
    state.open_here().filter(|c| which(c)).map(|c| c.call_id.clone()).collect()
}

fn turn(state: &RunState, now: Millis) -> Next {
    // Checks that were begun under an older goal are void: neither an answer nor an outcome is waited for.
    if state.claim_is_void()
        && let Some(next) = settle_open(state)
    {
        return next;
    }
    if let Some(next) = open_calls(state) {
        return next;
    }
    match &state.path.turn {
        Turn::Asking(_) => Next::CloseModelCall,
        Turn::Acting { .. } => Next::CommitStep(state.path.step + 1),
        Turn::Claiming { reply, goal_version, results, .. } => {
            if state.person_spoke_after(*reply) {
                return Next::CommitStep(state.path.step + 1);
            }
            claim(state, *goal_version, results)
        }
        Turn::Reported { limit, .. } => wrap_up_limit(*limit),
        Turn::Retry { until: Some(until), .. } if *until > now => Next::Wait(Wait::Until(*until)),
        Turn::Retry { until: Some(_), purpose, attempt, .. } => {
            Next::CallModel { step: state.path.step + 1, purpose: *purpose, attempt: attempt + 1 }
        }
        Turn::Retry { until: None, purpose: Purpose::Report(limit), .. } => wrap_up_limit(*limit),
        Turn::Retry {
            until: None,
            purpose: Purpose::Turn | Purpose::Summary { .. } | Purpose::Keeper,
            kind,
            message,
            ..
        } => Next::WrapUp(Outcome::Failed(kind.clone()), message.clone()),
        Turn::Idle => idle(state),
    }
}

/// Open calls of the present turn, in the reply's order: a waiting call holds back those after it.
fn open_calls(state: &RunState) -> Option<Next> {
    let proposed = ids(state, |c| c.status == CallStatus::Proposed);
    if !proposed.is_empty() {
        return Some(Next::Judge(proposed));
    }
    let first = state.first_open()?;
    if first.status == CallStatus::Waiting {
        return state.waits_for().map(|why| Next::Wait(Wait::Person(why)));
    }
    let mut open: Vec<&Call> = state.open_here().collect();
    open.sort_by_key(|c| (c.reply_seq, c.position));
    if first.class != Class::Read {
        return Some(Next::Start(vec![first.call_id.clone()]));
    }
    let reads = open.iter().take_while(|c| c.class == Class::Read && c.status == CallStatus::Approved);
    Some(Next::Start(reads.map(|c| c.call_id.clone()).collect()))
}

fn claim(state: &RunState, goal_version: u32, results: &[CheckResult]) -> Next {
    if goal_version != state.path.goal_version {
        return Next::ReturnClaim(Returned::GoalEdited);
    }
    if results.len() < state.path.goal.checks.len() {
        return Next::Check(results.len());
    }
    let failed: Vec<CheckResult> = results.iter().filter(|r| !r.passed).cloned().collect();
    if failed.is_empty() {
        return Next::WrapUp(
            Outcome::Completed,
            "the agent says it is done, and no check disagrees".to_owned(),
        );
    }
    let most = state.settings().map_or(0, |s| s.limits.check_returns);
    if state.path.check_returns < most {
        return Next::ReturnClaim(Returned::Failed(failed));
    }
    let words: Vec<String> = failed.iter().map(|r| r.detail.clone()).collect();
    Next::Hold(Hold::FailedCheck(words.join("; ")))
}

fn wrap_up_limit(limit: LimitKind) -> Next {
    Next::WrapUp(Outcome::Limit(limit), reached(limit))
}

fn reached(limit: LimitKind) -> String {
    format!("the limit on {} is reached", limit.word())
}

fn idle(state: &RunState) -> Next {
    if let Some(hold) = ends::must_hold(state) {
        return Next::Hold(hold);
    }
    let step = state.path.step + 1;
    match ends::limit_reached(state) {
        None => Next::CallModel { step, purpose: Purpose::Turn, attempt: 1 },
        Some(limit) if ends::report_fits(state) => {
            Next::CallModel { step, purpose: Purpose::Report(limit), attempt: 1 }
        }
        Some(limit) => Next::WrapUp(Outcome::Limit(limit), ends::without_report(reached(limit), state)),
    }
}
