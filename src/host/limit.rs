//! Bounding the disk space of a command's output while it is being written.
//!
//! The command writes straight to the file, so nothing can be held back; over the limit the
//! middle is punched out of the file (its length stays) and the first and last half of the limit
//! remain. Between two checks a command can exceed the bound by what it writes in that time.

use super::record::Hole;
use rustix::fs::{FallocateFlags, fallocate};
use std::fs::File;
use std::io;

/// Holes start and end at multiples of this: a page and block size of all usual file systems.
const BLOCK: u64 = 4096;

/// The output of one command, watched.
#[derive(Debug)]
pub struct Limited {
    out: File,
    limit: u64,
    hole: Option<Hole>,
    size: u64,
}

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// Little or nothing was written since the last check.
    Slow,
    /// Much was written; check again soon.
    Fast,
    /// Over the limit, and the middle cannot be dropped here.
    Over,
}

impl Limited {
    /// Watches `out`, which must be open for writing. `limit` is in bytes.
    pub fn new(out: File, limit: u64) -> Self {
        Self { out, limit, hole: None, size: 0 }
    }

    /// Measures, and drops the middle when over the limit. With `last`, down to the block.
    pub fn check(&mut self, last: bool) -> Growth {
        let Ok(size) = self.out.metadata().map(|meta| meta.len()) else {
            return Growth::Slow;
        };
        let grown = size.saturating_sub(self.size);
        self.size = size;
        if size > self.limit && self.punch(size, last).is_err() {
            return Growth::Over;
        }
        if grown > 1 << 20 { Growth::Fast } else { Growth::Slow }
    }

    fn punch(&mut self, size: u64, last: bool) -> io::Result<()> {
        let half = self.limit / 2;
        let start = half.next_multiple_of(BLOCK);
        let end = size.saturating_sub(half) / BLOCK * BLOCK;
        let done = self.hole.map_or(start, |hole| hole.end);
        // Not a system call for every block: a sixteenth of the limit at a time.
        let least = if last { BLOCK } else { (self.limit / 16).max(BLOCK) };
        if end < done.saturating_add(least) {
            return Ok(());
        }
        fallocate(&self.out, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, done, end - done)?;
        self.hole = Some(Hole { start, end });
        Ok(())
    }

    /// Bytes written so far, dropped ones included.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// What was dropped.
    pub fn hole(&self) -> Option<Hole> {
        self.hole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn the_middle_goes_and_both_ends_stay() {
        let mut file = tempfile::tempfile().unwrap();
        let mut limited = Limited::new(file.try_clone().unwrap(), 1 << 20);
        for at in 0..64_u8 {
            file.write_all(&vec![at + 1; 128 << 10]).unwrap();
            assert_ne!(limited.check(false), Growth::Over);
        }
        limited.check(true);
        let hole = limited.hole().unwrap();
        assert_eq!((hole.start, hole.end), (512 << 10, (8 << 20) - (512 << 10)));
        assert_eq!(limited.size(), 8 << 20);
        file.sync_all().unwrap();
        let kept = file.metadata().unwrap().blocks() * 512;
        assert!(kept <= (1 << 20) + (64 << 10), "{kept} bytes are still on disk");
    }

    #[test]
    fn a_file_that_takes_no_hole_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        std::fs::write(&path, vec![1; 64 << 10]).unwrap();
        // Opened for reading only: the kernel refuses the hole, as a file system without them does.
        let mut limited = Limited::new(File::open(&path).unwrap(), 8 << 10);
        assert_eq!(limited.check(false), Growth::Over);
    }
}
