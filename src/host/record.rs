//! The exit record: the only proof of how a command ended.
//!
//! Written by the supervisor over a file whose 4096 bytes exist since before the start, so that
//! recording an outcome needs no new space. Layout: one line of JSON, one line with the BLAKE3
//! hash of that first line in hex, spaces up to 4096 bytes. A reader takes a record only if hash
//! and spool name match; anything else is as good as no record.

use super::spool::SpoolName;
use serde::{Deserialize, Serialize};

/// The size of an exit record on disk, in bytes.
pub const RECORD_BYTES: usize = 4096;

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitKind {
    /// It ended by itself with this exit code.
    Exited {
        /// 0 to 255; 0 is success.
        code: i32,
    },
    /// A signal ended it that the supervisor did not send.
    Signal {
        /// The signal's number.
        signal: i32,
    },
    /// Ended by the supervisor at its time-out, or by a person who called time.
    TimedOut,
    /// Ended by the supervisor because a person cancelled.
    Cancelled,
    /// Ended by the supervisor: it wrote too much where the middle cannot be dropped.
    OutputLimit,
    /// It never ran; certain.
    NotRun {
        /// Why not, for a person.
        why: String,
    },
}

impl ExitKind {
    /// Exit code 0.
    pub fn is_success(&self) -> bool {
        *self == ExitKind::Exited { code: 0 }
    }

    /// Whether the command may have changed something before it ended.
    pub fn may_have_happened(&self) -> bool {
        match self {
            ExitKind::NotRun { .. } => false,
            ExitKind::Exited { .. }
            | ExitKind::Signal { .. }
            | ExitKind::TimedOut
            | ExitKind::Cancelled
            | ExitKind::OutputLimit => true,
        }
    }
}

/// A range of output bytes that were dropped to bound the disk space: `start..end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hole {
    /// First dropped byte.
    pub start: u64,
    /// First byte after the dropped ones.
    pub end: u64,
}

impl Hole {
    /// How many bytes were dropped.
    pub fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether nothing was dropped.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// What the supervisor knows when its command has ended and nothing of it is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitRecord {
    /// Call, attempt and epoch: a record found in another spool is not taken.
    pub spool: SpoolName,
    /// How it ended.
    pub kind: ExitKind,
    /// Start by the wall clock, milliseconds since 1970.
    pub started_at: i64,
    /// End of the main process by the wall clock, milliseconds since 1970.
    pub ended_at: i64,
    /// From start to end of the main process, time asleep not counted.
    pub duration_ms: u64,
    /// Bytes written to the output, dropped ones included.
    pub output_bytes: u64,
    /// What was dropped from the middle of the output.
    pub punched: Option<Hole>,
    /// Descendants that could not be ended because they belong to another user.
    pub left_running: u32,
    /// Descendants that were still there when the main process had ended by itself, and were ended.
    #[serde(default)]
    pub ended_behind: u32,
}

impl ExitRecord {
    /// The record's 4096 bytes.
    ///
    /// Only the reason of a `not_run` has a free length; it is shortened until it fits.
    pub fn encode(&self) -> Vec<u8> {
        let mut record = self.clone();
        loop {
            let line = serde_json::to_string(&record).unwrap_or_default();
            let mut bytes = format!("{line}\n{}\n", blake3::hash(line.as_bytes()).to_hex()).into_bytes();
            if bytes.len() <= RECORD_BYTES {
                bytes.resize(RECORD_BYTES, b' ');
                return bytes;
            }
            match &mut record.kind {
                ExitKind::NotRun { why } if !why.is_empty() => {
                    *why = why.chars().take(why.chars().count() / 2).collect();
                }
                // A name alone is limited to less than this; nothing else can be long.
                ExitKind::NotRun { .. }
                | ExitKind::Exited { .. }
                | ExitKind::Signal { .. }
                | ExitKind::TimedOut
                | ExitKind::Cancelled
                | ExitKind::OutputLimit => return bytes,
            }
        }
    }

    /// Reads a record back; `None` if it is torn, changed or of another spool.
    pub fn decode(bytes: &[u8], spool: &SpoolName) -> Option<Self> {
        let mut lines = std::str::from_utf8(bytes).ok()?.split('\n');
        let (line, sum) = (lines.next()?, lines.next()?);
        if blake3::hash(line.as_bytes()).to_hex().as_str() != sum {
            return None;
        }
        let record: Self = serde_json::from_str(line).ok()?;
        (record.spool == *spool).then_some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: ExitKind) -> ExitRecord {
        ExitRecord {
            spool: SpoolName::new("ab12", 1, 7).unwrap(),
            kind,
            started_at: 1,
            ended_at: 2,
            duration_ms: 1,
            output_bytes: 3,
            punched: Some(Hole { start: 1, end: 2 }),
            left_running: 0,
            ended_behind: 0,
        }
    }

    #[test]
    fn a_record_comes_back_and_any_flipped_byte_is_seen() {
        let record = record(ExitKind::Exited { code: 3 });
        let bytes = record.encode();
        assert_eq!(bytes.len(), RECORD_BYTES);
        assert_eq!(ExitRecord::decode(&bytes, &record.spool), Some(record.clone()));
        let written = bytes.iter().rposition(|byte| *byte == b'\n').unwrap();
        for at in 0..written {
            let mut torn = bytes.clone();
            torn[at] ^= 1;
            assert_eq!(ExitRecord::decode(&torn, &record.spool), None, "byte {at}");
        }
        for cut in [0, 1, written / 2, written - 1] {
            assert_eq!(ExitRecord::decode(&bytes[..cut], &record.spool), None);
        }
    }

    #[test]
    fn a_record_of_another_attempt_is_not_taken() {
        let record = record(ExitKind::TimedOut);
        for other in [("ab12", 2, 7), ("ab12", 1, 8), ("ab13", 1, 7)] {
            let name = SpoolName::new(other.0, other.1, other.2).unwrap();
            assert_eq!(ExitRecord::decode(&record.encode(), &name), None);
        }
    }

    #[test]
    fn a_long_reason_is_shortened_not_lost() {
        let why = "\u{4e2d}\"".repeat(5000);
        let record = record(ExitKind::NotRun { why });
        let bytes = record.encode();
        assert_eq!(bytes.len(), RECORD_BYTES);
        let back = ExitRecord::decode(&bytes, &record.spool).unwrap();
        assert!(matches!(back.kind, ExitKind::NotRun { why } if why.len() > 500));
    }
}
