//! What a supervisor is told: the spec of one attempt, its name, and the words of a stop request.
//!
//! These are files between versions of this program: a supervisor of an older one may still run
//! when a newer worker looks. Fields may be added with a default, never change their meaning.

use super::HostError;
use super::process::ProcessId;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// The name of a spool: which call, which attempt, started in which ownership epoch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SpoolName {
    call_id: String,
    attempt: u32,
    epoch: u64,
}

impl SpoolName {
    /// Makes a name. The call id may hold letters, digits, `-` and `_`, at most 128 of them.
    pub fn new(call_id: &str, attempt: u32, epoch: u64) -> Result<Self, HostError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if call_id.is_empty() || call_id.len() > 128 || !call_id.chars().all(plain) {
            return Err(HostError::Name { name: call_id.to_owned() });
        }
        Ok(Self { call_id: call_id.to_owned(), attempt, epoch })
    }

    /// Reads `CALL.ATTEMPT.EPOCH`; anything that would not be written this way is refused.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        let refused = || HostError::Name { name: text.to_owned() };
        let mut parts = text.split('.');
        let (call, attempt, epoch) = (parts.next(), parts.next(), parts.next());
        let (Some(call), Some(attempt), Some(epoch), None) = (call, attempt, epoch, parts.next()) else {
            return Err(refused());
        };
        let attempt = attempt.parse().map_err(|_| refused())?;
        let epoch = epoch.parse().map_err(|_| refused())?;
        let name = Self::new(call, attempt, epoch)?;
        if name.to_string() == text { Ok(name) } else { Err(refused()) }
    }

    /// The call.
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// The attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The ownership epoch in which the attempt was started.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }
}

impl fmt::Display for SpoolName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.call_id, self.attempt, self.epoch)
    }
}

impl TryFrom<String> for SpoolName {
    type Error = HostError;
    fn try_from(text: String) -> Result<Self, HostError> {
        Self::parse(&text)
    }
}

impl From<SpoolName> for String {
    fn from(name: SpoolName) -> Self {
        name.to_string()
    }
}

/// What doing a command twice would mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// It changes nothing.
    Read,
    /// Twice is the same as once.
    Keyed,
    /// Twice is wrong.
    Effect,
}

/// What a supervisor runs. Holds no secret values: those stand as `${secret:NAME}` in `argv` and
/// `env`, their names in `secrets`, and their values come over a pipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// The spool this spec belongs to.
    pub name: SpoolName,
    /// The run of the call; tells whose a spool is whose start was never committed.
    #[serde(default)]
    pub run: String,
    /// Hash of the approved arguments.
    pub args_hash: String,
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Working folder.
    pub cwd: PathBuf,
    /// The whole environment, already scrubbed (see [`super::environment`]).
    pub env: Vec<(String, String)>,
    /// Names of the secrets to be filled in.
    pub secrets: Vec<String>,
    /// Time-out in milliseconds awake; a `deadline` file replaces it.
    pub timeout_ms: u64,
    /// Class of the call.
    pub class: Class,
    /// Most bytes of output kept; half from the start, half from the end.
    pub output_limit: u64,
    /// The boot in which it was prepared.
    pub boot_id: String,
}

/// The output limit by default: 64 MiB.
pub const OUTPUT_LIMIT: u64 = 64 << 20;

/// Who begins, written into the token: for display, for age, and to end a hung supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// The supervisor that won the token.
    pub supervisor: ProcessId,
    /// `CLOCK_MONOTONIC` of that boot, milliseconds.
    pub monotonic_ms: i64,
}

/// Why a command is to be ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// A person (or a rollback) cancelled the call.
    Cancelled,
    /// A person called time.
    TimedOut,
}

impl StopReason {
    /// The word in the file `stop`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            StopReason::Cancelled => "cancelled",
            StopReason::TimedOut => "timed_out",
        }
    }

    /// Reads that word back; an unknown one is a cancel, since a stop was asked for.
    pub(crate) fn from_word(word: &str) -> Self {
        if word.trim() == StopReason::TimedOut.word() { StopReason::TimedOut } else { StopReason::Cancelled }
    }
}
