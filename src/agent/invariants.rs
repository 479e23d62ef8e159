//! What must hold of every state that a run is opened at. The fold keeps these; a stored snapshot is checked anew.

use crate::run::call::Origin;
use crate::run::id::Seq;
use crate::run::message::Speaker;
use crate::run::state::{RunState, Turn};
use std::collections::BTreeMap;

/// What does not hold, in words; empty if all is well.
pub fn broken(state: &RunState) -> Vec<String> {
    let mut found = Vec::new();
    pairing(state, &mut found);
    let ledger = &state.ledger;
    if ledger.settings.is_none() {
        found.push("the run has no settings".to_owned());
    }
    if !ledger.timelines.iter().any(|t| t.no == state.head.timeline) {
        found.push(format!("timeline {} is unknown", state.head.timeline));
    }
    if ledger.owner.as_ref().is_some_and(|o| o.epoch > ledger.epoch) {
        found.push("the owner's epoch is ahead of the run's".to_owned());
    }
    for call in ledger.open.values() {
        if call.status.is_closed() {
            found.push(format!("call {} is closed and still listed as open", call.call_id));
        }
        if call.attempt == 0 || call.seq > state.head.seq {
            found.push(format!("call {} has an impossible attempt or seq", call.call_id));
        }
    }
    found
}

/// Every call of a reply has exactly one result, or is open in the present turn.
fn pairing(state: &RunState, found: &mut Vec<String>) {
    let mut results: BTreeMap<Seq, u32> = BTreeMap::new();
    for message in &state.path.messages {
        if let Speaker::Result { reply_seq, .. } = &message.speaker {
            *results.entry(*reply_seq).or_default() += 1;
        }
    }
    let (acting, open) = match &state.path.turn {
        Turn::Acting { reply, calls } => {
            let open = calls.iter().filter(|c| !c.closed && c.origin == Origin::Model).count();
            (Some(*reply), u32::try_from(open).unwrap_or(u32::MAX))
        }
        Turn::Idle | Turn::Asking(_) | Turn::Retry { .. } | Turn::Claiming { .. } | Turn::Reported { .. } => {
            (None, 0)
        }
    };
    for message in &state.path.messages {
        let Speaker::Agent { calls } = message.speaker else { continue };
        let have = results.remove(&message.seq).unwrap_or(0);
        let unsettled = state.path.unsettled.iter().filter(|(reply, _)| *reply == message.seq).count();
        let unsettled = u32::try_from(unsettled).unwrap_or(u32::MAX);
        let waits = unsettled + if acting == Some(message.seq) { open } else { 0 };
        if have + waits != calls {
            found.push(format!("reply {} has {calls} calls, {have} results and {waits} open", message.seq));
        }
    }
    for (reply, count) in results {
        found.push(format!("{count} results belong to reply {reply}, which is not in the history"));
    }
}
