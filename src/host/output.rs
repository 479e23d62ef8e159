//! Reading what a command wrote: raw bytes, head and tail, with what is missing told.
//!
//! The file may be being written; a hole in it (dropped middle) reads as zeros on disk and is
//! never handed out as output. Decoding the bytes as text is the reader's work.

use super::HostError;
use super::record::{ExitRecord, Hole};
use super::spool::Spool;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Output of a command, perhaps with its middle left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// The first bytes; all of them if nothing is left out.
    pub head: Vec<u8>,
    /// The last bytes; empty if nothing is left out.
    pub tail: Vec<u8>,
    /// How many bytes the command wrote in all.
    pub total: u64,
    /// How many of them are on disk no more: dropped to bound the space, or lost by a power cut.
    pub gone: u64,
}

impl Output {
    /// How many bytes stand between head and tail and were not read.
    pub fn left_out(&self) -> u64 {
        self.total.saturating_sub(self.head.len() as u64).saturating_sub(self.tail.len() as u64)
    }
}

/// Reads at most `head` first and `tail` last bytes of an ended command's output.
pub fn collect(spool: &Spool, record: &ExitRecord, head: usize, tail: usize) -> Result<Output, HostError> {
    let path = spool.file("out");
    let file = File::open(&path).map_err(HostError::file("read", &path))?;
    let size = file.metadata().map_err(HostError::file("read", &path))?.len();
    // Written after the record by a process that could not be ended: not part of the result.
    let end = size.min(record.output_bytes);
    // Without a hole: one that bounds neither the head nor the tail.
    let hole = record.punched.map_or(Hole { start: end, end: 0 }, |hole| Hole {
        start: hole.start.min(end),
        end: hole.end.min(end),
    });
    let (head, tail) = (head as u64, tail as u64);
    let total = record.output_bytes;
    let gone = hole.len() + (record.output_bytes - end);
    if gone == 0 && total <= head.saturating_add(tail) {
        return Ok(Output { head: range(&file, &path, 0, end)?, tail: Vec::new(), total, gone });
    }
    let head_end = head.min(hole.start);
    let tail_start = end.saturating_sub(tail).max(hole.end).max(head_end);
    Ok(Output {
        head: range(&file, &path, 0, head_end)?,
        tail: range(&file, &path, tail_start, end)?,
        total,
        gone,
    })
}

/// Reads up to `most` bytes from `offset`, for following a running command. Empty at the end.
pub fn follow(spool: &Spool, offset: u64, most: usize) -> Result<Vec<u8>, HostError> {
    let path = spool.file("out");
    let file = File::open(&path).map_err(HostError::file("read", &path))?;
    range(&file, &path, offset, offset.saturating_add(most as u64))
}

fn range(file: &File, path: &Path, start: u64, end: u64) -> Result<Vec<u8>, HostError> {
    let mut bytes = vec![0; usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX)];
    let mut filled = 0;
    while let Some(room) = bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
        match file.read_at(room, start + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(HostError::file("read", path)(error)),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}
