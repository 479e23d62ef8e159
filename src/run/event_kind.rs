//! How an event is stored: the name of its kind, the version of its payload, and the call it is about.

use super::event::Event;
use super::id::CallId;
use super::memory::NewMemory;
use super::plan::InnerEffect;

impl Event {
    /// The kind's stable name.
    pub fn kind(&self) -> &'static str {
        match self {
            Event::RunCreated { .. } => "run_created",
            Event::RunClaimed { .. } => "run_claimed",
            Event::RunReleased { .. } => "run_released",
            Event::SettingsChanged { .. } => "settings_changed",
            Event::InstructionsRead { .. } => "instructions_read",
            Event::GoalEdited { .. } => "goal_edited",
            Event::PlanEdited { .. } => "plan_edited",
            Event::PersonMessage { .. } => "person_message",
            Event::ControlRefused { .. } => "control_refused",
            Event::Paused { .. } => "paused",
            Event::Continued => "continued",
            Event::CancelRequested => "cancel_requested",
            Event::ModelCalled { .. } => "model_called",
            Event::ModelReplied { .. } => "model_replied",
            Event::ModelFailed { .. } => "model_failed",
            Event::ModelAborted { .. } => "model_aborted",
            Event::CallProposed(_) => "call_proposed",
            Event::CallWaiting { .. } => "call_waiting",
            Event::CallApproved { .. } => "call_approved",
            Event::CallEdited { .. } => "call_edited",
            Event::CallRejected { .. } => "call_rejected",
            Event::CallDenied { .. } => "call_denied",
            Event::CallCancelled { .. } => "call_cancelled",
            Event::CallReused { .. } => "call_reused",
            Event::CallAnswered { .. } => "call_answered",
            Event::CallStarted { .. } => "call_started",
            Event::CallReattached { .. } => "call_reattached",
            Event::CallNotStarted { .. } => "call_not_started",
            Event::TimeoutExtended { .. } => "timeout_extended",
            Event::CallStopAsked { .. } => "call_stop_asked",
            Event::CallFinished { .. } => "call_finished",
            Event::CallUncertain { .. } => "call_uncertain",
            Event::CallResolved { .. } => "call_resolved",
            Event::StepCommitted { .. } => "step_committed",
            Event::Held { .. } => "held",
            Event::RoundsFolded { .. } => "rounds_folded",
            Event::CoreKept { .. } => "core_kept",
            Event::OutputsDropped { .. } => "outputs_dropped",
            Event::MessagesRecounted { .. } => "messages_recounted",
            Event::MemoriesRecalled { .. } => "memories_recalled",
            Event::ResultKept { .. } => "result_kept",
            Event::CheckFinished { .. } => "check_finished",
            Event::ClaimReturned { .. } => "claim_returned",
            Event::RunEnded { .. } => "run_ended",
            Event::RunReopened { .. } => "run_reopened",
            Event::RollbackStarted { .. } => "rollback_started",
            Event::RolledBack { .. } => "rolled_back",
            Event::RollbackFailed { .. } => "rollback_failed",
        }
    }

    /// The version of the payload. A rollback with choices is one that a program which does not know them must not go
    /// through with.
    pub fn version(&self) -> u32 {
        let chosen = matches!(self, Event::RollbackStarted { chosen, .. } if !chosen.is_empty());
        let shown = matches!(self, Event::CallApproved { shown: Some(_), .. });
        // A request that is no part of the conversation, told to a program that would take its reply for one.
        let aside = matches!(self, Event::ModelCalled { purpose, .. } if purpose.is_aside());
        if chosen || shown || aside { 2 } else { 1 }
    }

    /// The payload as JSON.
    ///
    /// # Errors
    /// Only if a value cannot be JSON, which these types cannot be.
    pub fn payload(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    /// What the event wants to be remembered beyond the run.
    pub fn remembers(&self) -> Option<&NewMemory> {
        if let Event::ResultKept { memory, .. }
        | Event::CallFinished { inner: Some(InnerEffect::Remember { memory }), .. } = self
        {
            return Some(memory);
        }
        None
    }

    /// The call whose state the event moves, if it is about one.
    pub fn call_id(&self) -> Option<&CallId> {
        match self {
            Event::CallProposed(proposal) => Some(&proposal.call_id),
            Event::CallWaiting { call_id, .. }
            | Event::CallApproved { call_id, .. }
            | Event::CallEdited { call_id, .. }
            | Event::CallRejected { call_id, .. }
            | Event::CallDenied { call_id, .. }
            | Event::CallCancelled { call_id, .. }
            | Event::CallReused { call_id, .. }
            | Event::CallAnswered { call_id, .. }
            | Event::CallStarted { call_id, .. }
            | Event::CallReattached { call_id, .. }
            | Event::CallNotStarted { call_id, .. }
            | Event::CallFinished { call_id, .. }
            | Event::CallUncertain { call_id, .. }
            | Event::CallResolved { call_id, .. } => Some(call_id),
            Event::RunCreated { .. }
            | Event::RunClaimed { .. }
            | Event::RunReleased { .. }
            | Event::SettingsChanged { .. }
            | Event::InstructionsRead { .. }
            | Event::GoalEdited { .. }
            | Event::PlanEdited { .. }
            | Event::PersonMessage { .. }
            | Event::ControlRefused { .. }
            | Event::Paused { .. }
            | Event::Continued
            | Event::CancelRequested
            | Event::ModelCalled { .. }
            | Event::ModelReplied { .. }
            | Event::ModelFailed { .. }
            | Event::ModelAborted { .. }
            | Event::TimeoutExtended { .. }
            | Event::CallStopAsked { .. }
            | Event::StepCommitted { .. }
            | Event::Held { .. }
            | Event::RoundsFolded { .. }
            | Event::CoreKept { .. }
            | Event::OutputsDropped { .. }
            | Event::MessagesRecounted { .. }
            | Event::MemoriesRecalled { .. }
            | Event::ResultKept { .. }
            | Event::CheckFinished { .. }
            | Event::ClaimReturned { .. }
            | Event::RunEnded { .. }
            | Event::RunReopened { .. }
            | Event::RollbackStarted { .. }
            | Event::RolledBack { .. }
            | Event::RollbackFailed { .. } => None,
        }
    }
}
