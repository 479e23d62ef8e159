//! The one way a run ends: final checkpoint, structured report, nothing left open without being named.

use super::driver::Driver;
use super::error::WorkError;
use crate::run::call::CallStatus;
use crate::run::event::Event;
use crate::run::plan::PlanState;
use crate::run::report::{Outcome, Report};
use crate::run::state::Turn;
use crate::store::Durability;

impl Driver<'_> {
    /// Ends the run.
    pub async fn wrap_up(&mut self, outcome: Outcome, reason: &str) -> Result<(), WorkError> {
        let answer = self.answer().await?;
        let mut batch = self.batch();
        if let Turn::Claiming { .. } = &self.state.path.turn {
            batch.push(Event::StepCommitted { step: self.state.path.step + 1 })?;
        }
        if outcome == Outcome::Completed {
            self.keep_result(&mut batch, Vec::new(), &answer)?;
        }
        let ledger = &batch.state().ledger;
        let report = Report {
            outcome: outcome.clone(),
            reason: reason.to_owned(),
            answer,
            totals: ledger.totals,
            cost_known: !ledger.price_unknown,
            tools: ledger.tools.clone(),
            checks: self.state.path.last_checks.clone(),
            open: self.left_open(),
        };
        let json = serde_json::to_string(&report).map_err(|e| WorkError::Stored(e.to_string()))?;
        let report = batch.bag.body(json);
        batch.push(Event::RunEnded { outcome, report })?;
        self.commit(batch, Durability::Synced).await?;
        crate::host::fault::fault("worker.ended");
        Ok(())
    }

    fn left_open(&self) -> Vec<String> {
        let path = &self.state.path;
        let questions = path.questions.iter().map(|q| format!("question: {}", q.text));
        let plan = path.plan.iter().filter_map(|item| match item.state {
            PlanState::Pending | PlanState::Active | PlanState::NeedsReview => {
                Some(format!("plan {}: {}", item.id, item.title))
            }
            PlanState::Done | PlanState::Failed => None,
        });
        let calls = self.state.ledger.open.values().filter_map(|call| match call.status {
            CallStatus::Uncertain => {
                Some(format!("call {} ({}): nobody knows whether it happened", call.place(), call.tool))
            }
            CallStatus::Proposed
            | CallStatus::Waiting
            | CallStatus::Approved
            | CallStatus::Started
            | CallStatus::Done
            | CallStatus::Failed
            | CallStatus::Rejected
            | CallStatus::Denied
            | CallStatus::Cancelled => None,
        });
        questions.chain(plan).chain(calls).collect()
    }
}
