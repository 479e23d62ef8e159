//! The texts that assembly works on. The worker loads them from the journal; the state only names them.

use crate::run::{CallId, RunState, Seq};
use std::collections::BTreeMap;

/// Texts of a run's unfolded messages, and what else the head shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    /// By the seq of the message, as [`needed`] lists them.
    pub messages: BTreeMap<Seq, MessageText>,
    /// The workspace's instructions, if `path.instructions` names some.
    pub instructions: Option<String>,
    /// The summary in force, if `path.folded` has one.
    pub summary: Option<String>,
}

/// One message with its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageText {
    /// A reply of the model.
    Agent {
        /// Its text; under the schema protocol the thought of an action, or the final answer.
        text: String,
        /// Its reasoning, if it came apart.
        reasoning: Option<String>,
        /// Its calls, in their order.
        calls: Vec<AgentCall>,
    },
    /// The result of a call.
    Result {
        /// The tool's name as the model wrote it.
        tool: String,
        /// True if the call came to a good end.
        ok: bool,
        /// What the model gets.
        text: String,
    },
    /// A person's message.
    Person {
        /// The words.
        text: String,
    },
    /// Words of wakeful to the model.
    Wakeful {
        /// The words.
        text: String,
    },
}

/// A call as it stands in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentCall {
    /// The provider's own id, if it gave one.
    pub provider_id: Option<String>,
    /// The run's name for it.
    pub call_id: CallId,
    /// The tool's name as written.
    pub name: String,
    /// The arguments as the model wrote them; edits are told in the result.
    pub arguments: String,
}

/// The messages whose texts [`super::assemble`] and [`super::summarise`] need: the unfolded ones, in prompt order. Of a
/// dropped result too: it goes on saying how its call ended, and the summary is made of what it held. A text that is
/// missing all the same is shown as missing.
pub fn needed(state: &RunState) -> Vec<Seq> {
    state.path.messages.iter().map(|m| m.seq).collect()
}
