//! The message history as references: who said it, in which event, how many tokens. Texts stay in the journal.

use super::id::{CallId, Seq};
use serde::{Deserialize, Serialize};

/// What a message is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// A model's reply with this many calls (a `ModelReplied` event).
    Agent {
        /// Calls in the reply.
        calls: u32,
    },
    /// The result of a call (the event that closed it).
    Result {
        /// The call.
        call_id: CallId,
        /// The reply that asked for it.
        reply_seq: Seq,
        /// Place in that reply.
        position: u32,
    },
    /// A person's message.
    Person,
    /// Words of wakeful to the model: what a check missed, why a reply was not usable.
    Wakeful,
}

/// One message of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRef {
    /// The event that holds the text.
    pub seq: Seq,
    /// What it is.
    pub speaker: Speaker,
    /// Tokens of the text, framing included.
    pub tokens: u32,
}

impl MessageRef {
    /// True if a round begins here: a reply, or a message that is not a result.
    pub fn begins_round(&self) -> bool {
        match self.speaker {
            Speaker::Agent { .. } | Speaker::Person | Speaker::Wakeful => true,
            Speaker::Result { .. } => false,
        }
    }
}

/// A result of which only the beginning and the end are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortened {
    /// Characters that are shown.
    pub kept: u32,
    /// Tokens that this saves.
    pub saved: u32,
}

/// A call as it stands in a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyCall {
    /// The provider's own id, if it gave one.
    pub provider_id: Option<String>,
    /// The tool's name as written.
    pub name: String,
    /// The arguments as written.
    pub arguments: super::body::Body,
}

/// How a model ended its reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// It asks for tools.
    ToolCalls,
    /// It ran into the length limit.
    Length,
    /// The server cut it by policy.
    ContentFilter,
    /// The server said something else, or nothing.
    Other(String),
}
