//! Which contents an event names. A commit is refused if one of them is not stored; a content that no event names can
//! be pruned.

use crate::run::checkpoint::FileState;
use crate::run::{Body, Event, Hash};

/// The hashes of the contents that an event names, in no order, possibly twice.
pub fn blobs_of(event: &Event) -> Vec<Hash> {
    let mut hashes = Vec::new();
    let mut body = |body: &Body| {
        if let Body::Blob { hash, .. } = body {
            hashes.push(hash.clone());
        }
    };
    match event {
        Event::InstructionsRead { body: text, .. } | Event::PersonMessage { body: text, .. } => body(text),
        Event::ModelReplied { text, reasoning, calls, .. } => {
            body(text);
            reasoning.iter().for_each(&mut body);
            calls.iter().for_each(|call| body(&call.arguments));
        }
        Event::CallProposed(proposal) => body(&proposal.args),
        Event::CallEdited { args, .. } => body(args),
        Event::CallRejected { result, .. }
        | Event::CallDenied { result, .. }
        | Event::CallCancelled { result, .. }
        | Event::CallAnswered { result, .. }
        | Event::ClaimReturned { result } => body(&result.body),
        Event::CallReused { result, output, .. } => {
            body(&result.body);
            output.iter().for_each(&mut body);
        }
        Event::CallNotStarted { end, .. } => end.iter().for_each(|end| body(&end.result.body)),
        Event::CallFinished { result, output, .. } => {
            body(&result.body);
            output.iter().for_each(&mut body);
        }
        Event::CallResolved { result, .. } => result.iter().for_each(|result| body(&result.body)),
        Event::RoundsFolded { summary, .. } | Event::CoreKept { summary, .. } => {
            summary.iter().for_each(|summary| body(&summary.body))
        }
        Event::ModelFailed { partial, .. } | Event::ModelAborted { partial, .. } => {
            partial.iter().for_each(&mut body);
        }
        Event::RunEnded { report, .. } => body(report),
        Event::CallStarted { files, .. } => {
            for file in files {
                file_state(&file.before, &mut hashes);
                file_state(&file.after, &mut hashes);
            }
        }
        Event::RollbackStarted { files, chosen, .. } => {
            // What is seen need not be kept where it is what the calls left; of others only this event knows it.
            for file in files {
                file_state(&file.wanted, &mut hashes);
                if chosen.taken.contains(&file.path) {
                    file_state(&file.seen, &mut hashes);
                }
            }
        }
        Event::RunCreated { .. }
        | Event::RunClaimed { .. }
        | Event::RunReleased { .. }
        | Event::SettingsChanged { .. }
        | Event::GoalEdited { .. }
        | Event::PlanEdited { .. }
        | Event::ControlRefused { .. }
        | Event::Paused { .. }
        | Event::Continued
        | Event::CancelRequested
        | Event::ModelCalled { .. }
        | Event::CallWaiting { .. }
        | Event::CallApproved { .. }
        | Event::CallReattached { .. }
        | Event::CallUncertain { .. }
        | Event::TimeoutExtended { .. }
        | Event::CallStopAsked { .. }
        | Event::StepCommitted { .. }
        | Event::Held { .. }
        | Event::OutputsDropped { .. }
        | Event::MessagesRecounted { .. }
        | Event::MemoriesRecalled { .. }
        | Event::ResultKept { .. }
        | Event::CheckFinished { .. }
        | Event::RunReopened { .. }
        | Event::RolledBack { .. }
        | Event::RollbackFailed { .. } => {}
    }
    hashes
}

fn file_state(state: &FileState, hashes: &mut Vec<Hash>) {
    match state {
        FileState::File { hash, .. } => hashes.push(hash.clone()),
        FileState::Absent | FileState::TooBig { .. } | FileState::NotAFile => {}
    }
}
