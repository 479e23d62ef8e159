//! What several events hold in the same form: results, proposals, what a request was made of.

use super::body::Body;
use super::call::Origin;
use super::id::{CallId, Hash, Seq, StepNo};
use super::report::LimitKind;
use super::settings::Class;
use serde::{Deserialize, Serialize};

/// What a model call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The next turn of the loop.
    Turn,
    /// The final report when a limit is reached.
    Report(LimitKind),
    /// A summary of the oldest rounds, which are about to leave the window.
    Summary {
        /// Messages up to this seq go.
        upto: Seq,
        /// Rounds among them.
        rounds: u32,
    },
    /// The goal keeper's sentences.
    Keeper,
}

impl Purpose {
    /// Whether its reply is work for itself and not part of the conversation.
    pub fn is_aside(self) -> bool {
        match self {
            Purpose::Turn | Purpose::Report(_) => false,
            Purpose::Summary { .. } | Purpose::Keeper => true,
        }
    }
}

/// What a request was made of besides the state: enough to rebuild it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestParts {
    /// Hash of the request's canonical JSON.
    pub hash: Hash,
    /// Version of the rendering.
    pub render: u32,
    /// Most tokens of the reply.
    pub max_tokens: u32,
}

/// A result as the model sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultText {
    /// The text.
    pub body: Body,
    /// Its tokens, framing included.
    pub tokens: u32,
}

/// A call when it is proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its name.
    pub call_id: CallId,
    /// Who asked.
    pub origin: Origin,
    /// The reply it stands in; its own seq for a check.
    pub reply_seq: Seq,
    /// Its step.
    pub step: StepNo,
    /// Place in the reply, from 1.
    pub position: u32,
    /// The tool's name as written.
    pub tool: String,
    /// Class at this moment; `read` for a tool that does not exist.
    pub class: Class,
    /// Canonical arguments, or the text as written if it is not JSON.
    pub args: Body,
    /// Hash of tool and arguments.
    pub args_hash: Hash,
    /// Hash of tool and canonical arguments, on whatever timeline.
    pub effect_key: Hash,
}

/// The end of a call that never started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotStartedEnd {
    /// True if it was given up (cancel, rollback), false if it failed.
    pub cancelled: bool,
    /// What the model gets.
    pub result: ResultText,
}
