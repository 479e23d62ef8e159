//! Four megabytes that are given up when the disk is full, so that the results of calls that already ran can be
//! stored. Not to be assumed: that it is there; it comes back only once there is room again.

use rand::RngCore;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// Size of the reserve, bytes.
const SIZE: usize = 4 << 20;
/// Free space from which the reserve is put back, bytes.
const ROOM: u64 = 32 << 20;

#[derive(Debug)]
pub(super) struct Ballast {
    path: PathBuf,
    wanted: bool,
}

impl Ballast {
    pub(super) fn new(path: PathBuf, wanted: bool) -> Self {
        Self { path, wanted }
    }

    /// Gives the reserve up; true if there was one.
    pub(super) fn free(&self) -> bool {
        self.wanted && std::fs::remove_file(&self.path).is_ok()
    }

    /// Puts the reserve there if it is missing and there is room. That it cannot be had is no error.
    pub(super) fn restore(&self) {
        if self.wanted && !self.path.exists() && self.has_room() {
            let _ = self.write();
        }
    }

    fn has_room(&self) -> bool {
        let Some(folder) = self.path.parent() else { return false };
        rustix::fs::statvfs(folder).is_ok_and(|s| s.f_bavail.saturating_mul(s.f_frsize) > ROOM)
    }

    /// Random bytes, so that a file system that compresses really keeps the room.
    fn write(&self) -> std::io::Result<()> {
        let part = self.path.with_extension(format!("part-{}", std::process::id()));
        let written = (|| {
            let mut file =
                OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
            let mut block = vec![0_u8; 64 << 10];
            rand::rng().fill_bytes(&mut block);
            for number in 0..(SIZE / block.len()) as u64 {
                for (byte, mark) in block.iter_mut().zip(number.to_le_bytes()) {
                    *byte = mark;
                }
                file.write_all(&block)?;
            }
            std::fs::rename(&part, &self.path)
        })();
        if written.is_err() {
            let _ = std::fs::remove_file(&part);
        }
        written
    }
}
